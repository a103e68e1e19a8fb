//! A failure as an answer to the model that made the call.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

use super::display::is_invisible;
use super::finding::floor;
use super::settle::Ending;
use super::verdict::{Cut, Verdict};
use super::{InvalidKind, InvalidToolCall};

/// How many characters of the model's own text are quoted on each side of the fault.
const SIDE: usize = 40;

/// What the model is told. All that is not ours stands in quotes as a JSON string, so that nothing in
/// it can pass for our words.
pub(super) fn render(failure: &InvalidToolCall) -> String {
    let name = Quoted(failure.name(), 64);
    let raw = failure.raw();
    if failure.kind() == InvalidKind::Truncated {
        let by = match failure.verdict() {
            Verdict::Truncated { by } => by,
            _ => Cut::Unexplained,
        };
        let why = match by {
            Cut::TokenLimit => "your output reached its token limit",
            Cut::ContentFilter => "a content filter stopped your output",
            Cut::Refusal => "your output was stopped as a refusal",
            Cut::ErrorEvent => "an error interrupted the transmission",
            Cut::StreamEnd => "the transmission ended early",
            Cut::Restart => "your output was started anew",
            Cut::Unproved => "nothing says that they were complete",
            _ => "the text ends before the JSON object does",
        };
        let advice = match by {
            Cut::TokenLimit => {
                "Make the call again with shorter arguments, or do the work in several calls."
            }
            Cut::ContentFilter | Cut::Refusal => "Do not make the same call again as it was.",
            _ => "Make the call again with complete arguments.",
        };
        let end = if raw.trim_ascii().is_empty() {
            String::from("Nothing of them arrived.")
        } else {
            let from = back(raw, raw.len());
            format!(
                "{} bytes of them arrived, ending with {}.",
                raw.len(),
                Quoted(&raw[from..], usize::MAX)
            )
        };
        return format!(
            "The tool {name} was not run: its arguments were cut off, because {why}. {end} {advice}"
        );
    }
    let finding = failure.finding();
    let at = floor(raw, failure.offset());
    let mut text = format!(
        "The tool {name} was not run: its arguments are not a valid JSON object. At byte {} (line {}, \
         column {}): expected {}, found {}.",
        failure.offset(),
        failure.line(),
        failure.column(),
        finding.expected,
        finding.found,
    );
    let (before, after) = (&raw[back(raw, at)..at], &raw[at..]);
    if before.is_empty() {
        _ = write!(text, " The text begins with {}.", Quoted(after, 2 * SIDE));
    } else {
        _ = write!(text, " The text before that place is {}", Quoted(before, SIDE));
        _ = write!(text, ", the text from it on {}.", Quoted(after, SIDE));
    }
    match failure.verdict() {
        Verdict::ModelOutput { fault } => _ = write!(text, " The cause: {fault}."),
        Verdict::GluedCalls { .. } => {
            text.push_str(" The arguments of two calls arrived as those of one.");
        }
        Verdict::RepeatedFragment { .. }
        | Verdict::Placeholder
        | Verdict::AfterStop { .. }
        | Verdict::LostStart => {
            text.push_str(" They were damaged on the way, not by you. Make the same call again.");
            return text;
        }
        _ => {}
    }
    text.push_str(match failure.0.call.ending {
        Ending::Length if failure.0.call.last => {
            " Your output also reached its token limit. Make the call again with shorter arguments."
        }
        _ => " Make the call again with the arguments as one JSON object.",
    });
    text
}

/// Where the text begins that is shown before an offset.
fn back(raw: &str, at: usize) -> usize {
    raw[..at].char_indices().rev().take(SIDE).last().map_or(at, |(start, _)| start)
}

/// A text as a JSON string of ASCII and plain letters, at most so many characters of it.
struct Quoted<'a>(&'a str, usize);

impl core::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_char('"')?;
        for (n, c) in self.0.chars().enumerate() {
            if n == self.1 {
                f.write_str("…")?;
                break;
            }
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if c.is_control() || is_invisible(c) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(f, "\\u{unit:04x}")?;
                    }
                }
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
