//! `toolcall protocols`: what can be read, and what each protocol can express.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use serde_json::json;
use toolcall::{Protocol, Traits};

use crate::args::ProtocolsFormat;
use crate::document;
use crate::failure::Failure;
use crate::style::{HEADER, padded};

/// Each trait's name, its column's title, and how it is asked for.
type Column = (&'static str, &'static str, fn(&Traits) -> bool);

const COLUMNS: &[Column] = &[
    ("fragments", "fragments", |traits| traits.fragments),
    ("call_stop", "call stop", |traits| traits.call_stop),
    ("tool_stop", "tool stop", |traits| traits.tool_stop),
    ("call_ids", "ids", |traits| traits.call_ids),
    ("custom_tools", "custom", |traits| traits.custom_tools),
    ("server_tools", "server", |traits| traits.server_tools),
    ("choices", "choices", |traits| traits.choices),
];

const LEGEND: &str = "\
fragments  arguments come in fragments, otherwise each call comes whole
call stop  each call has a stop of its own, otherwise only its message has one
tool stop  a stop reason says that tools were called
ids        every call has an id
custom     custom tools: free text in the place of JSON
server     calls that the provider runs itself stand in the stream
choices    a response can have several choices";

pub fn run(format: Option<ProtocolsFormat>) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout().lock();
    let format = format.unwrap_or(match std::io::stdout().is_terminal() {
        true => ProtocolsFormat::Table,
        false => ProtocolsFormat::Jsonl,
    });
    match format {
        ProtocolsFormat::Table => table(&mut out).map_err(Failure::writing)?,
        ProtocolsFormat::Jsonl => {
            for protocol in Protocol::ALL {
                let traits = COLUMNS.iter().map(|(name, _, has)| (*name, has(protocol.traits())));
                let mut line = json!({
                    "protocol": protocol.as_str(),
                    "bodies": bodies(*protocol),
                });
                for (name, has) in traits {
                    line[name] = has.into();
                }
                document::write(&mut out, &line)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn table(out: &mut impl Write) -> std::io::Result<()> {
    let names = Protocol::ALL.iter().map(|protocol| protocol.as_str().len());
    let first = names.max().unwrap_or(0) + 2;
    let titles: String =
        COLUMNS.iter().map(|(_, title, _)| padded(title, title.len() + 2)).collect();
    writeln!(out, "{HEADER}{}{titles}bodies{HEADER:#}", padded("protocol", first))?;
    for protocol in Protocol::ALL {
        write!(out, "{}", padded(protocol.as_str(), first))?;
        for (_, title, has) in COLUMNS {
            let mark = if has(protocol.traits()) { "yes" } else { "-" };
            write!(out, "{}", padded(mark, title.len() + 2))?;
        }
        writeln!(out, "{}", bodies(*protocol).join(", "))?;
    }
    writeln!(out, "\n{LEGEND}")
}

fn bodies(protocol: Protocol) -> Vec<&'static str> {
    protocol.bodies().iter().map(|body| body.as_str()).collect()
}
