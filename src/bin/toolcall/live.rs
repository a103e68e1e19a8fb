//! `--live`: the stream as it comes, for the eyes alone, on standard error.

use std::io::{self, Write};

use anstream::AutoStream;
use toolcall::{CallKey, Event};

use crate::reading::Item;
use crate::style::{BAD, CALL, FAINT, GOOD, printable, printable_lines};

/// Shows text and argument fragments as they arrive. Calls that arrive at the same time take turns,
/// a line each. A snapshot that replaces the fragments has a line of its own, which says so.
pub struct Live {
    out: AutoStream<io::Stderr>,
    at: At,
}

/// What the cursor stands behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    LineStart,
    Text,
    Reasoning,
    Call(CallKey),
}

impl Live {
    pub fn new() -> Self {
        Live { out: anstream::stderr(), at: At::LineStart }
    }

    pub fn show(&mut self, item: &Item<'_>) -> io::Result<()> {
        match item {
            Ok(Event::Text(text) | Event::Refusal(text)) => {
                self.go_to(At::Text)?;
                write!(self.out, "{}", printable_lines(&text.text))?;
            }
            Ok(Event::Reasoning(text)) => {
                self.go_to(At::Reasoning)?;
                write!(self.out, "{FAINT}{}{FAINT:#}", printable_lines(&text.text))?;
            }
            Ok(Event::ToolCallStart(start)) => {
                self.go_to(At::LineStart)?;
                let name = printable(&start.name);
                write!(self.out, "{} {CALL}{name}{CALL:#} ", number(start.key))?;
                self.at = At::Call(start.key);
            }
            Ok(Event::ToolCallDelta(delta)) => {
                if delta.replaces || self.at != At::Call(delta.key) {
                    self.go_to(At::LineStart)?;
                    let sign = if delta.replaces { "anew " } else { "" };
                    write!(self.out, "{} {sign}", number(delta.key))?;
                    self.at = At::Call(delta.key);
                }
                write!(self.out, "{}", printable(&delta.fragment))?;
            }
            Ok(Event::ToolCallEnd(end)) => {
                self.go_to(At::LineStart)?;
                write!(self.out, "{} ", number(end.key))?;
                match &end.result {
                    Ok(_) => writeln!(self.out, "{GOOD}ok{GOOD:#}")?,
                    Err(invalid) => writeln!(self.out, "{BAD}FAILED {}{BAD:#}", invalid.kind())?,
                }
            }
            Ok(Event::End(_)) | Err(_) => self.go_to(At::LineStart)?,
            Ok(_) => {}
        }
        self.out.flush()
    }

    fn go_to(&mut self, at: At) -> io::Result<()> {
        if self.at != at && self.at != At::LineStart {
            writeln!(self.out)?;
        }
        self.at = at;
        Ok(())
    }
}

/// How a call is called.
pub fn number(key: CallKey) -> String {
    match key.choice {
        0 => format!("call {}", key.position),
        choice => format!("call {choice}.{}", key.position),
    }
}
