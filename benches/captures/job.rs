//! The whole job as a user of the crate does it: bytes in chunks to parsed calls.

use std::hint::black_box;

use toolcall::{Decoder, Event, Options, Protocol};

use super::{Capture, Tally, Wire};

/// The crate's name for a wire format.
pub fn protocol(wire: Wire) -> Protocol {
    let name = match wire {
        Wire::Chat => "openai-chat",
        Wire::Anthropic => "anthropic",
        Wire::Responses => "openai-responses",
    };
    name.parse().expect("a protocol")
}

/// Decodes every response of a capture in chunks of so many bytes, and parses every call.
pub fn decode(capture: &Capture, chunk: usize, options: &Options) -> Tally {
    let protocol = protocol(capture.wire);
    let mut tally = Tally::default();
    for response in &capture.responses {
        let mut decoder = Decoder::with_options(protocol, options.clone());
        for chunk in response.chunks(chunk) {
            feed(&mut decoder, chunk, &mut tally);
        }
        while let Some(event) = decoder.decode_eof().expect("the end of a good stream") {
            take(event, &mut tally);
        }
    }
    tally
}

/// Decodes one chunk.
pub fn feed(decoder: &mut Decoder, chunk: &[u8], tally: &mut Tally) {
    let mut input = chunk;
    while let Some(event) = decoder.decode(&mut input).expect("a good stream") {
        take(event, tally);
    }
}

/// What a user does with an event, at the least.
#[inline]
pub fn take(event: Event<'_>, tally: &mut Tally) {
    match event {
        Event::Text(text) | Event::Reasoning(text) => {
            tally.text += text.text.len();
            black_box(&*text.text);
        }
        Event::ToolCallDelta(delta) => {
            tally.arguments += delta.fragment.len();
            black_box(&*delta.fragment);
        }
        Event::ToolCallEnd(end) => {
            let call = end.result.expect("a whole call");
            black_box(call.arguments().value());
            tally.calls += 1;
        }
        other => {
            black_box(&other);
        }
    }
}
