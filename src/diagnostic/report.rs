//! A failure as a block of text that a person reads.
//!
//! ```text
//! error: arguments of `plan` are malformed: expected `,` or `}`, found `medium`
//!  --> call 0 (call_7), byte 61 of 93, line 1, column 62
//!   |
//! 1 | …"description": "read the tab"medium", "estimated_minutes": 5}]}
//!   |                               ^^^^^^ expected `,` or `}`
//!   | -----------------------------|#1------------------------------
//!   |
//!   = fragments: the text breaks inside #1 (of #0 to #1), which came in event 3 …
//!   = verdict: undecided: bytes may have been lost before fragment #1, or never been written
//! ```

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::ops::Range;

use super::display::{Harmless, Shown, clip};
use super::finding::floor;
use super::{InvalidToolCall, judge::Borders};

/// See [`InvalidToolCall::report`].
///
/// ```
/// # let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
/// #     \"function\":{\"name\":\"f\",\"arguments\":\"[1]\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
/// # let message = toolcall::Message::from_chunks(toolcall::Protocol::OpenAiChat, [stream])?;
/// # let invalid = message.invalid_calls().next().unwrap();
/// let report = invalid.report().to_string();
/// assert!(report.starts_with("error: arguments of `f` are"));
/// assert!(invalid.report().colored(true).to_string().contains("\u{1b}["));
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    failure: &'a InvalidToolCall,
    colored: bool,
}

/// How many columns of the text are shown.
const COLUMNS: usize = 92;
/// How many of them before the fault.
const BEFORE: usize = 56;

impl<'a> Report<'a> {
    pub(super) fn new(failure: &'a InvalidToolCall) -> Self {
        Report { failure, colored: false }
    }

    /// Whether the report has colours, as ANSI escapes. Off unless set.
    pub fn colored(mut self, colored: bool) -> Self {
        self.colored = colored;
        self
    }

    fn paint(&self, style: &'static str) -> Style {
        Style(if self.colored { style } else { "" })
    }
}

const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[1;31m";
const BLUE: &str = "\x1b[1;34m";
const DIM: &str = "\x1b[2m";

struct Style(&'static str);

impl Style {
    /// The text in this style.
    fn on<T: fmt::Display>(&self, text: T) -> Styled<T> {
        Styled { style: self.0, text }
    }
}

struct Styled<T> {
    style: &'static str,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reset = if self.style.is_empty() { "" } else { "\x1b[0m" };
        write!(f, "{}{}{reset}", self.style, self.text)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failure = self.failure;
        let (error, bold, bar) = (self.paint(RED), self.paint(BOLD), self.paint(BLUE));
        let finding = failure.finding();
        writeln!(f, "{}{} {}", error.on("error"), bold.on(":"), bold.on(Headline(failure)))?;

        let lines = Lines::of(failure);
        let margin = lines.last_number().to_string().len();
        let edge = |f: &mut fmt::Formatter<'_>| write!(f, "{:margin$} {}", "", bar.on("|"));
        write!(f, "{:margin$}{} ", "", bar.on("-->"))?;
        write!(f, "call {}", failure.key().position)?;
        if failure.key().choice > 0 {
            write!(f, " of choice {}", failure.key().choice)?;
        }
        if let Some(id) = failure.id() {
            write!(f, " ({})", Harmless(clip(id, 80)))?;
        }
        writeln!(
            f,
            ", byte {} of {}, line {}, column {}",
            failure.offset(),
            failure.raw().len(),
            failure.line(),
            failure.column(),
        )?;
        edge(f)?;
        writeln!(f)?;
        if let Some((number, line)) = &lines.above {
            writeln!(f, "{} {} {}", bar.on(Padded(*number, margin)), bar.on("|"), line.text)?;
        }
        let (number, line) = &lines.fault;
        writeln!(f, "{} {} {}", bar.on(Padded(*number, margin)), bar.on("|"), line.text)?;
        edge(f)?;
        let carets = "^".repeat(line.caret_columns.max(finding.length));
        let label = format!("{carets} expected {}", finding.expected);
        writeln!(f, " {:width$}{}", "", error.on(label), width = line.caret)?;
        if let Some(ruler) = line.ruler(failure) {
            edge(f)?;
            writeln!(f, " {}", self.paint(DIM).on(ruler))?;
        }
        edge(f)?;
        writeln!(f)?;
        for (name, text) in self.notes() {
            let mut text_lines = wrap(&text, COLUMNS).into_iter();
            let first = text_lines.next().unwrap_or_default();
            writeln!(
                f,
                "{:margin$} {} {} {first}",
                "",
                bar.on("="),
                bold.on(format_args!("{name}:"))
            )?;
            for rest in text_lines {
                writeln!(f, "{:margin$}   {:width$}{rest}", "", "", width = name.len() + 2)?;
            }
        }
        Ok(())
    }
}

impl Report<'_> {
    fn notes(&self) -> Vec<(&'static str, String)> {
        let failure = self.failure;
        let mut notes = Vec::new();
        if let Some(text) = fragments_note(failure) {
            notes.push(("fragments", text));
        }
        notes.push(("verdict", failure.verdict().to_string()));
        if let Some(recovery) = failure.recovery() {
            let mut text = String::new();
            _ = write!(
                text,
                "read as {}, the arguments are {}",
                recovery.kind.as_str(),
                Harmless(clip(recovery.text, 60)),
            );
            if clip(recovery.text, 60).len() < recovery.text.len() {
                text.push('…');
            }
            notes.push(("recovery", text));
        }
        let warnings: Vec<_> = failure.warnings().map(|warning| warning.as_str()).collect();
        if !warnings.is_empty() {
            notes.push(("warnings", warnings.join(", ")));
        }
        notes
    }
}

/// Where the broken byte came from.
fn fragments_note(failure: &InvalidToolCall) -> Option<String> {
    let borders = Borders::of(&failure.0);
    let count = borders.ranges.len();
    let last = count.checked_sub(1)?;
    let index = borders.index_at(failure.offset()).min(last);
    let number = borders.numbers[index];
    let fragment = failure.fragments().nth(number)?;
    let all = failure.fragments().len();
    let mut text = String::new();
    let place = if failure.offset() == failure.raw().len() {
        "the text ends with"
    } else if fragment.range.start == failure.offset() && index > 0 {
        "the text breaks at the first byte of"
    } else {
        "the text breaks inside"
    };
    match all {
        1 => _ = write!(text, "{place} the only one, which came in event"),
        _ => _ = write!(text, "{place} #{number} (of #0 to #{}), which came in event", all - 1),
    }
    let Range { start, end } = fragment.span;
    _ = write!(text, " {} (bytes {start}..{end}) of the stream", fragment.event);
    Some(text)
}

struct Headline<'a>(&'a InvalidToolCall);

impl fmt::Display for Headline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finding = self.0.finding();
        let how = self.0.kind().words();
        write!(f, "arguments of {} are {how}: ", self.0.tool())?;
        write!(f, "expected {}, found {}", finding.expected, finding.found)
    }
}

struct Padded(usize, usize);

impl fmt::Display for Padded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>width$}", self.0, width = self.1)
    }
}

/// The line of the fault and the one above it.
struct Lines {
    above: Option<(usize, Line)>,
    fault: (usize, Line),
}

/// What is shown of a line.
struct Line {
    text: String,
    /// Columns before the fault.
    caret: usize,
    caret_columns: usize,
    /// For each character shown: its byte in the raw text, and its column.
    columns: Vec<(usize, usize)>,
    width: usize,
}

impl Lines {
    fn of(failure: &InvalidToolCall) -> Self {
        let raw = failure.raw();
        let offset = floor(raw, failure.offset());
        let start = raw[..offset].rfind('\n').map_or(0, |at| at + 1);
        // A line feed that is the fault belongs to the line that it breaks.
        let end = match raw[offset..].find('\n') {
            Some(0) => offset + 1,
            Some(length) => offset + length,
            None => raw.len(),
        };
        let number = failure.line();
        let above = start.checked_sub(1).map(|end| {
            let start = raw[..end].rfind('\n').map_or(0, |at| at + 1);
            (number - 1, Line::of(raw, start..end, start))
        });
        Lines { above, fault: (number, Line::of(raw, start..end, offset)) }
    }

    fn last_number(&self) -> usize {
        self.fault.0
    }
}

impl Line {
    /// The part of a line around a byte of it.
    fn of(raw: &str, line: Range<usize>, fault: usize) -> Self {
        let mut before = 0;
        let mut start = fault;
        for (at, c) in raw[line.start..fault].char_indices().rev() {
            before += Shown::of(c).columns();
            if before > BEFORE {
                break;
            }
            start = line.start + at;
        }
        let mut shown =
            Line { text: String::new(), caret: 0, caret_columns: 1, columns: Vec::new(), width: 0 };
        if start > line.start {
            shown.put('…', 1);
        }
        for (at, c) in raw[start..line.end].char_indices() {
            let at = start + at;
            let c = Shown::of(c);
            if shown.width + c.columns() >= COLUMNS && at > fault {
                shown.put('…', 1);
                break;
            }
            shown.columns.push((at, shown.width));
            if at == fault {
                shown.caret = shown.width;
                shown.caret_columns = c.columns().max(1);
            }
            shown.put(&c, c.columns());
        }
        if fault == line.end {
            shown.caret = shown.width;
        }
        shown
    }

    fn put(&mut self, shown: impl fmt::Display, columns: usize) {
        _ = write!(self.text, "{shown}");
        self.width += columns;
    }

    /// Where fragments begin in what is shown: `|#3----`. `None` where none does.
    fn ruler(&self, failure: &InvalidToolCall) -> Option<String> {
        let borders = Borders::of(&failure.0);
        let first = self.columns.first()?.0;
        let last = self.columns.last()?.0;
        let from = borders.ranges.partition_point(|range| range.start < first);
        let mut marks = Vec::new();
        for (range, number) in borders.ranges.iter().zip(&borders.numbers).skip(from) {
            if range.start > last {
                break;
            }
            let next = self.columns.partition_point(|&(at, _)| at < range.start);
            marks.push((self.columns.get(next)?.1, *number));
        }
        if marks.is_empty() {
            return None;
        }
        let mut ruler = String::new();
        let mut width = 0;
        for (index, (column, number)) in marks.iter().enumerate() {
            let end = marks.get(index + 1).map_or(self.width, |(next, _)| *next);
            let pad = if from == 0 && index == 0 { ' ' } else { '-' };
            while width < *column {
                ruler.push(pad);
                width += 1;
            }
            let label = number.to_string();
            ruler.push('|');
            width += 1;
            if width + label.len() < end {
                ruler.push('#');
                ruler.push_str(&label);
                width += 1 + label.len();
            }
        }
        while width < self.width {
            ruler.push('-');
            width += 1;
        }
        Some(ruler)
    }
}

/// Lines of at most so many characters, broken at spaces.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(core::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}
