//! `toolcall sse`: the framing layer alone.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};
use toolcall::sse::{Decoder, EndOfStream, Options, Record};

use crate::args::Sse;
use crate::document;
use crate::failure::Failure;
use crate::input::Input;

pub fn run(options: &Sse) -> Result<ExitCode, Failure> {
    let mut source = Input::open(options.file.as_deref())?;
    let mut out = io::stdout().lock();
    let end = match options.lenient {
        true => EndOfStream::Lenient,
        false => EndOfStream::Strict,
    };
    let mut decoder = Decoder::with_options(Options::default().with_end(end));
    let mut unterminated = false;
    while let Some(chunk) = source.next_chunk().transpose() {
        let chunk = chunk.map_err(Failure::reading(source.path.as_deref()))?;
        let mut input = &chunk[..];
        while let Some(record) = decoder.decode(&mut input) {
            show(&mut out, &record, &mut unterminated)?;
        }
    }
    while let Some(record) = decoder.decode_eof() {
        show(&mut out, &record, &mut unterminated)?;
    }
    let end = json!({ "end": {
        "retry": decoder.retry().map(|time| time.as_millis() as u64),
        "last_event_id": String::from_utf8_lossy(decoder.last_event_id()),
        "unterminated": unterminated,
    }});
    document::write(&mut out, &end)?;
    out.flush().map_err(Failure::writing)?;
    Ok(ExitCode::SUCCESS)
}

fn show(out: &mut impl Write, record: &Record<'_>, unterminated: &mut bool) -> Result<(), Failure> {
    let event = match record {
        Record::Event(event) => event,
        Record::Unterminated(_) => {
            *unterminated = true;
            return Ok(());
        }
        _ => return Ok(()),
    };
    let mut line = json!({
        "type": String::from_utf8_lossy(event.event()),
        "data": event.data_lossy(),
        "id": String::from_utf8_lossy(event.id()),
    });
    if event.unterminated().is_some() {
        *unterminated = true;
        line["unterminated"] = Value::Bool(true);
    }
    document::write(out, &line)
}
