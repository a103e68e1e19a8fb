//! `toolcall decode`: the calls of a stream.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use toolcall::{Decoder, Event, InvalidToolCall, ToolCall};

use crate::args::{Decode, Format};
use crate::document;
use crate::failure::Failure;
use crate::input::Input;
use crate::live::Live;
use crate::reading::Reading;
use crate::selection::Selection;
use crate::table;
use crate::text;

pub fn run(options: &Decode) -> Result<ExitCode, Failure> {
    let input = Input::open(options.file.as_deref())?;
    let mut out = io::stdout().lock();
    let format = match options.format {
        _ if options.raw => Format::Raw,
        Some(format) => format,
        None if out.is_terminal() => Format::Table,
        None => Format::Jsonl,
    };
    let selection = Selection::new(options.call.as_deref());
    let mut live = options.live.then(Live::new);
    let mut decoding = toolcall::Options::default();
    if let Some(formats) = options.text_calls {
        let known = text::options(&options.in_text)?;
        decoding = decoding.text_calls(formats).text_options(known);
    }
    let decoder = Decoder::with_options(options.protocol, decoding);
    let reading = Reading::of(input, decoder, |item| {
        if let Some(live) = &mut live {
            live.show(&item).map_err(Failure::writing)?;
        }
        match &item {
            Ok(Event::ToolCallEnd(end)) if selection.takes(&end.result) => {
                show_call(&mut out, format, &selection, &end.result)
            }
            _ => Ok(()),
        }
    })?;
    let (protocol, message) = (reading.protocol, &reading.message);
    let mut calls = message.results().iter().filter(|result| selection.takes(result)).peekable();
    if selection.is_one() && calls.peek().is_none() {
        let number = table::count(message.results().len(), "call");
        let wanted = options.call.as_deref().unwrap_or_default();
        let hint = "take its number in the table, counted from 0, or its id";
        return Err(Failure::Usage(format!("no call `{wanted}` among {number}: {hint}")));
    }
    match format {
        Format::Json => {
            let mut document = document::message(protocol, message);
            document["calls"] = calls.map(document::call).collect();
            document::write(&mut out, &document)?;
        }
        Format::Jsonl => document::write(&mut out, &document::summary(protocol, message))?,
        Format::Table => {
            let mut out = anstream::AutoStream::auto(&mut out);
            table::write(&mut out, protocol, message, &selection)?;
        }
        Format::Raw => {}
    }
    out.flush().map_err(Failure::writing)?;
    for invalid in message.invalid_calls() {
        if selection.takes_key(invalid.key(), invalid.id()) {
            eprintln!("{}", invalid.report());
        }
    }
    if !selection.is_one() {
        message.misrouted().for_each(|misrouted| eprintln!("note: {misrouted}"));
    }
    if let (Some(formats), Some(format)) = (options.text_calls, reading.text_format) {
        if formats == toolcall::text::AUTO.into() {
            eprintln!("toolcall: the calls in the text are in {}", format.name());
        }
    }
    reading.report();
    let status = reading.status();
    reading.into_failure().map_or(Ok(ExitCode::from(status)), Err)
}

fn show_call(
    out: &mut impl Write,
    format: Format,
    selection: &Selection,
    result: &Result<ToolCall, InvalidToolCall>,
) -> Result<(), Failure> {
    let raw = match result {
        Ok(call) => call.arguments().raw(),
        Err(invalid) => invalid.raw(),
    };
    match format {
        Format::Jsonl => document::write(out, &document::call(result)),
        // A single one comes exactly as it is, to be compared byte for byte.
        Format::Raw if selection.is_one() => write!(out, "{raw}").map_err(Failure::writing),
        Format::Raw => writeln!(out, "{raw}").map_err(Failure::writing),
        Format::Json | Format::Table => Ok(()),
    }
}
