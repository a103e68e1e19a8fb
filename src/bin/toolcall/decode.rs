//! `toolcall decode`: the calls of a stream.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use toolcall::event::Outcome;
use toolcall::{Decoder, Error, Event, Message};

use crate::args::{Decode, Format};
use crate::document;
use crate::failure::{Failure, STREAM_BROKE};
use crate::table;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

pub fn run(options: &Decode) -> Result<ExitCode, Failure> {
    let path = options.file.as_deref().filter(|path| *path != Path::new("-"));
    let mut source = open(path)?;
    let mut out = io::stdout().lock();
    let format = options.format.unwrap_or(match out.is_terminal() {
        true => Format::Table,
        false => Format::Jsonl,
    });
    let mut decoder = Decoder::new(options.protocol);
    let mut message = Message::default();
    let mut broken = None;
    let mut take = |event: Result<Event<'_>, Error>| -> Result<(), Failure> {
        match event {
            Err(error) => broken = Some(error),
            Ok(event) => {
                if let Event::ToolCallEnd(end) = &event {
                    show_call(&mut out, format, &end.result)?;
                }
                message.push(event);
            }
        }
        Ok(())
    };
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = source.read(&mut chunk).map_err(Failure::reading(path))?;
        if length == 0 {
            break;
        }
        let mut input = &chunk[..length];
        while let Some(event) = decoder.decode(&mut input).transpose() {
            take(event)?;
        }
    }
    while let Some(event) = decoder.decode_eof().transpose() {
        take(event)?;
    }
    let protocol = decoder.protocol();
    match format {
        Format::Json => document::write(&mut out, &document::message(protocol, &message))?,
        Format::Jsonl => document::write(&mut out, &document::summary(protocol, &message))?,
        Format::Table => table::write(&mut out, protocol, &message)?,
        Format::Raw => {}
    }
    out.flush().map_err(Failure::writing)?;
    for invalid in message.invalid_calls() {
        eprintln!("{}", invalid.report());
    }
    if let Some(error) = &broken {
        eprintln!("toolcall: {error}");
        if !error.excerpt().is_empty() {
            eprintln!("  it begins: {}", error.excerpt().escape_ascii());
        }
    }
    Ok(match message.outcome {
        _ if broken.is_some() => ExitCode::from(STREAM_BROKE),
        Some(Outcome::Complete) if message.invalid_calls().next().is_none() => ExitCode::SUCCESS,
        Some(Outcome::Complete) => ExitCode::FAILURE,
        _ => ExitCode::from(STREAM_BROKE),
    })
}

pub fn open(path: Option<&Path>) -> Result<Box<dyn Read>, Failure> {
    match path {
        None => Ok(Box::new(io::stdin().lock())),
        Some(path) => match File::open(path) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => Err(Failure::reading(Some(path))(error)),
        },
    }
}

fn show_call(
    out: &mut impl Write,
    format: Format,
    result: &Result<toolcall::ToolCall, toolcall::InvalidToolCall>,
) -> Result<(), Failure> {
    match format {
        Format::Jsonl => document::write(out, &document::call(result)),
        Format::Raw => {
            let raw = match result {
                Ok(call) => call.arguments().raw(),
                Err(invalid) => invalid.raw(),
            };
            writeln!(out, "{raw}").map_err(Failure::writing)
        }
        Format::Json | Format::Table => Ok(()),
    }
}
