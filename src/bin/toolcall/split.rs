//! `toolcall split`: the same stream in many chunkings.

use std::process::ExitCode;

use toolcall::{Decoder, Error, Event, Protocol};

use crate::args::Split;
use crate::events;
use crate::failure::Failure;
use crate::input::Input;
use crate::table::count;

/// A longer body is not cut at each of its bytes, but at that many, evenly spread.
const CUTS: usize = 4096;

pub fn run(options: &Split) -> Result<ExitCode, Failure> {
    let mut input = Input::open(options.file.as_deref())?;
    let recorded = input.read_chunks()?;
    let body = recorded.concat();
    let whole = decode(options.protocol, [&body[..]]);
    let mut chunkings = 0;
    if input.is_capture() {
        chunkings += 1;
        let recorded = recorded.iter().map(Vec::as_slice);
        if let Some(difference) = difference(&whole, &decode(options.protocol, recorded)) {
            println!("differs in the chunks of the capture: {difference}");
            return Ok(ExitCode::FAILURE);
        }
    }
    for size in 1..=options.sizes.min(body.len()) {
        chunkings += 1;
        if let Some(difference) = difference(&whole, &decode(options.protocol, body.chunks(size))) {
            println!("differs in chunks of {}: {difference}", count(size, "byte"));
            return Ok(ExitCode::FAILURE);
        }
    }
    for at in (1..body.len()).step_by(body.len().div_ceil(CUTS).max(1)) {
        chunkings += 1;
        let pieces = [&body[..at], &body[at..]];
        if let Some(difference) = difference(&whole, &decode(options.protocol, pieces)) {
            println!("differs when cut at byte {at}: {difference}");
            return Ok(ExitCode::FAILURE);
        }
    }
    let (bytes, events) = (count(body.len(), "byte"), count(whole.len(), "event"));
    println!("same: {events} of {bytes} in {}", count(chunkings, "chunking"));
    Ok(ExitCode::SUCCESS)
}

fn decode<'a>(
    protocol: Protocol,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Result<Event<'static>, Error>> {
    let mut decoder = Decoder::new(protocol);
    let mut events = Vec::new();
    for chunk in chunks {
        let mut input = chunk;
        while let Some(event) = decoder.decode(&mut input).transpose() {
            events.push(event.map(Event::into_owned));
        }
    }
    while let Some(event) = decoder.decode_eof().transpose() {
        events.push(event.map(Event::into_owned));
    }
    events
}

fn difference(
    whole: &[Result<Event<'static>, Error>],
    pieces: &[Result<Event<'static>, Error>],
) -> Option<String> {
    let is_same = |a: &Result<_, Error>, b: &Result<_, Error>| match (a, b) {
        (Ok(a), Ok(b)) => a == b,
        (Err(a), Err(b)) => {
            (a.kind(), a.position(), a.to_string()) == (b.kind(), b.position(), b.to_string())
        }
        _ => false,
    };
    let at =
        (0..whole.len().max(pieces.len())).find(|&at| match (whole.get(at), pieces.get(at)) {
            (Some(a), Some(b)) => !is_same(a, b),
            _ => true,
        })?;
    let shown = |events: &[Result<Event<'static>, Error>]| match events.get(at) {
        None => "nothing".into(),
        Some(Ok(event)) => events::line(&Ok(event)).to_string(),
        Some(Err(error)) => events::line(&Err(error)).to_string(),
    };
    Some(format!("event {at} is {} and was {}", shown(pieces), shown(whole)))
}
