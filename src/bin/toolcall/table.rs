//! The table for people.

use std::io::{self, Write};

use anstyle::Style;
use toolcall::{InvalidToolCall, Message, Protocol, ToolCall};
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;
use crate::selection::Selection;
use crate::style::{BAD, FAINT, GOOD, HEADER, cut, padded, printable, width};

/// No id or name may take more columns than this.
const NAME: usize = 32;
/// The arguments get at least this much, however narrow the terminal.
const ARGUMENTS: usize = 12;

struct Row {
    cells: [String; 5],
    result: Style,
    arguments: String,
}

pub fn write(
    out: &mut impl Write,
    protocol: Protocol,
    message: &Message,
    selection: &Selection,
) -> Result<(), Failure> {
    rows(out, protocol, message, selection).map_err(Failure::writing)
}

fn rows(
    out: &mut impl Write,
    protocol: Protocol,
    message: &Message,
    selection: &Selection,
) -> io::Result<()> {
    let rows: Vec<Row> =
        message.results().iter().filter(|result| selection.takes(result)).map(row).collect();
    let header = ["#", "id", "tool", "bytes", "result"];
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row.cells[column].width());
        cells.chain([header[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(widest).collect();
    let taken: usize = widths.iter().map(|width| width + 2).sum();
    let left = width().saturating_sub(taken).max(ARGUMENTS);
    if !rows.is_empty() {
        let titles: String = header.iter().zip(&widths).map(|(t, w)| padded(t, w + 2)).collect();
        writeln!(out, "{HEADER}{titles}arguments{HEADER:#}")?;
    }
    for row in &rows {
        for (column, (cell, width)) in row.cells.iter().zip(&widths).enumerate() {
            let style = if column == header.len() - 1 { row.result } else { Style::new() };
            write!(out, "{style}{}{style:#}  ", padded(cell, *width))?;
        }
        writeln!(out, "{}", cut(&row.arguments, left))?;
    }
    let stop = message.stop.as_ref().map_or("none".into(), |stop| printable(stop.as_str()));
    let calls = count(rows.len(), "call");
    let failed = message.invalid_calls().filter(|call| selection.takes_key(call.key(), call.id()));
    let failed = failed.count();
    let style = if failed > 0 { BAD } else { FAINT };
    writeln!(
        out,
        "{FAINT}{protocol}, stop: {stop}, {calls},{FAINT:#} {style}{failed} failed{style:#}"
    )
}

pub fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

fn row(result: &Result<ToolCall, InvalidToolCall>) -> Row {
    let (key, id, tool, raw, state, style) = match result {
        Ok(call) => (call.key(), call.id(), call.name(), call.arguments().raw(), "ok".into(), GOOD),
        Err(invalid) => {
            let state = format!("FAILED {}", invalid.kind());
            (invalid.key(), invalid.id(), invalid.name(), invalid.raw(), state, BAD)
        }
    };
    let number = match key.choice {
        0 => key.position.to_string(),
        choice => format!("{choice}.{}", key.position),
    };
    let name = |text: &str| cut(&printable(text), NAME);
    let cells = [number, name(id.unwrap_or("-")), name(tool), raw.len().to_string(), state];
    Row { cells, result: style, arguments: printable(raw) }
}
