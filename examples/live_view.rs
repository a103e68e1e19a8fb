//! A live view of calls that are being written: each on a line of its own, redrawn as it grows.
//!
//! ```sh
//! curl -sN http://127.0.0.1:8080/anthropic/001-….sse | cargo run --example live_view
//! ```
//!
//! [`Preview`] shows values before they are finished. It is for the eyes alone: what is executed is
//! the call in `ToolCallEnd`.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};

use toolcall::io::EventReader;
use toolcall::preview::Preview;
use toolcall::{CallKey, Event, Protocol};

struct Line {
    name: String,
    preview: Preview,
    verdict: Option<&'static str>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lines = BTreeMap::<CallKey, Line>::new();
    let mut drawn = 0;
    let mut events = EventReader::new(io::stdin(), Protocol::Auto);
    let is_terminal = io::stdout().is_terminal();
    while let Some(event) = events.next_event() {
        match event? {
            Event::ToolCallStart(start) => {
                let name = start.name.into_owned();
                lines.insert(start.key, Line { name, preview: Preview::new(), verdict: None });
            }
            Event::ToolCallDelta(delta) => {
                if let Some(line) = lines.get_mut(&delta.key) {
                    if delta.replaces {
                        line.preview = Preview::new();
                    }
                    line.preview.push(&delta.fragment);
                }
            }
            Event::ToolCallEnd(end) => {
                if let Some(line) = lines.get_mut(&end.key) {
                    line.verdict = Some(if end.result.is_ok() { "ok" } else { "FAILED" });
                }
            }
            _ => continue,
        }
        if is_terminal {
            drawn = draw(&lines, drawn)?;
        }
    }
    draw(&lines, drawn)?;
    Ok(())
}

/// Draws over what was drawn before; how many lines there are now.
fn draw(lines: &BTreeMap<CallKey, Line>, drawn: usize) -> io::Result<usize> {
    let mut out = io::stdout().lock();
    if drawn > 0 {
        write!(out, "\x1b[{drawn}A\x1b[J")?;
    }
    for Line { name, preview, verdict } in lines.values() {
        // One line each, so that they can be counted. The preview escapes what moves the cursor.
        let shown: String = preview.to_string().chars().take(60).collect();
        writeln!(out, "{} {:7} {shown}", name.escape_debug(), verdict.unwrap_or("…"))?;
    }
    out.flush()?;
    Ok(lines.len())
}
