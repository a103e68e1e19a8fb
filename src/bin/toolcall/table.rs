//! The table for people.

use std::io::{self, Write};

use toolcall::{Message, Protocol};

use crate::failure::Failure;

/// How much of a call's arguments is shown.
const SHOWN: usize = 60;

pub fn write(out: &mut impl Write, protocol: Protocol, message: &Message) -> Result<(), Failure> {
    rows(out, protocol, message).map_err(Failure::writing)
}

fn rows(out: &mut impl Write, protocol: Protocol, message: &Message) -> io::Result<()> {
    let header = ["#", "id", "tool", "bytes", "result", "arguments"].map(String::from);
    let mut table = vec![header];
    for result in message.results() {
        let (key, id, name, raw, state) = match result {
            Ok(call) => (call.key(), call.id(), call.name(), call.arguments().raw(), "ok"),
            Err(invalid) => {
                let kind = invalid.kind().as_str();
                (invalid.key(), invalid.id(), invalid.name(), invalid.raw(), kind)
            }
        };
        let number = match key.choice {
            0 => key.position.to_string(),
            choice => format!("{choice}.{}", key.position),
        };
        let mut shown: String = raw.chars().take(SHOWN).collect();
        if shown.len() < raw.len() {
            shown.push('…');
        }
        let shown = shown.escape_debug().to_string().replace("\\\"", "\"");
        let cells = [&number, id.unwrap_or("-"), name, &raw.len().to_string(), state, &shown];
        table.push(cells.map(String::from));
    }
    let width =
        |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    for row in &table {
        for (cell, width) in row.iter().zip(&widths) {
            write!(out, "{cell:width$}  ")?;
        }
        writeln!(out, "{}", row[5])?;
    }
    let stop = message.stop.as_ref().map_or("none", |stop| stop.as_str());
    let failed = message.invalid_calls().count();
    let calls = message.results().len();
    writeln!(out, "{protocol}, stop: {stop}, {calls} calls, {failed} failed")
}
