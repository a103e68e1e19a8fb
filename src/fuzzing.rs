//! What the fuzz targets call. Not part of the public interface.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub use crate::diagnostic::fuzzing::diagnose;
pub use crate::frame::fuzzing::frames;

use crate::decoder::{Decoder, EmitAt, Options};
use crate::event::Event;
use crate::limits::Limits;
use crate::preview::{self, Preview};
use crate::protocol::Protocol;

/// Decodes bytes whole and cut, and checks what must hold: the same events, one end, and fragments
/// that join to the raw text. The first byte chooses the protocol and the options, the second how the
/// rest is cut.
pub fn decode(input: &[u8]) {
    let [choice, size, body @ ..] = input else { return };
    let protocols = Protocol::ALL.len() + 1;
    let protocol = Protocol::ALL.get(usize::from(*choice) % protocols).copied().unwrap_or_default();
    let options = Options::default()
        .emit_at(if choice & 0x80 == 0 { EmitAt::MessageStop } else { EmitAt::CallStop })
        .accept_recovery(choice & 0x40 != 0)
        .limits(if choice & 0x20 == 0 { Limits::default() } else { Limits::small().with_call(16) });
    let whole = run(protocol, &options, [body]);
    let pieces = run(protocol, &options, body.chunks(usize::from(*size).max(1)));
    assert_eq!(whole, pieces, "{protocol}");
    check(&whole);
}

/// Reads bytes with the shapes of envelopes remembered, and in full: the same events. The first byte
/// chooses the protocol.
pub fn envelope(input: &[u8]) {
    let [choice, body @ ..] = input else { return };
    let protocol = Protocol::ALL[usize::from(*choice) % Protocol::ALL.len()];
    let remembered = run(protocol, &Options::default(), [body]);
    let in_full = run(protocol, &Options::default().shapes(false), [body]);
    assert_eq!(remembered, in_full, "{protocol}");
}

/// Previews a text whole and cut, and holds it against the parser. The first byte says how it is cut.
pub fn preview(input: &[u8]) {
    let [size, text @ ..] = input else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let whole = preview::view(text);
    let mut pieces = Preview::new();
    let mut rest = text;
    while !rest.is_empty() {
        let wanted = usize::from(*size).max(1).min(rest.len());
        let cut = (wanted..=rest.len()).find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len());
        pieces.push(&rest[..cut]);
        rest = &rest[cut..];
    }
    let state =
        |preview: &Preview| (preview.to_string(), preview.is_complete(), preview.broken_at());
    assert_eq!(state(&pieces), state(&whole));
    // The parser refuses some things that can be shown: lone surrogates, numbers without bounds.
    let is_json = serde_json::from_str::<serde_json::Value>(text).is_ok();
    let is_scalar = !text.trim_start().starts_with(['{', '[', '"']);
    assert!(!is_json || is_scalar || whole.is_complete(), "{text}");
    if whole.is_complete() {
        assert_eq!(whole.broken_at(), None);
    }
}

type Outcome = Result<Event<'static>, String>;

fn run<'a>(
    protocol: Protocol,
    options: &Options,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Outcome> {
    let mut decoder = Decoder::with_options(protocol, options.clone());
    let mut events = Vec::new();
    for chunk in chunks {
        let mut input = chunk;
        while let Some(event) = decoder.decode(&mut input).transpose() {
            events.push(event.map(Event::into_owned).map_err(|error| error.to_string()));
        }
        assert!(input.is_empty());
    }
    while let Some(event) = decoder.decode_eof().transpose() {
        events.push(event.map(Event::into_owned).map_err(|error| error.to_string()));
    }
    events
}

fn check(events: &[Outcome]) {
    let mut shown = BTreeMap::<_, String>::new();
    for (number, event) in events.iter().enumerate() {
        match event {
            Ok(Event::ToolCallStart(start)) => {
                assert!(shown.insert(start.key, String::new()).is_none(), "started twice");
            }
            Ok(Event::ToolCallDelta(delta)) => {
                let shown = shown.get_mut(&delta.key).expect("started");
                if delta.replaces {
                    shown.clear();
                }
                shown.push_str(&delta.fragment);
            }
            Ok(Event::ToolCallEnd(end)) => {
                let raw = match &end.result {
                    Ok(call) => call.arguments().raw(),
                    Err(invalid) => invalid.raw(),
                };
                assert_eq!(shown.remove(&end.key).as_deref(), Some(raw));
            }
            Ok(Event::End(_)) => assert_eq!(number, events.len() - 1),
            _ => {}
        }
    }
    assert!(shown.is_empty(), "every call ends");
    assert!(matches!(events.last(), Some(Ok(Event::End(_)))));
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_target_runs() {
        let body = b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\
            \"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\nerror: {}\n\ndata: [DONE]";
        for choice in 0..=255 {
            for size in [0, 1, 5] {
                super::decode(&[&[choice, size], body.as_slice()].concat());
            }
        }
        super::decode(b"");
        super::envelope(b"");
        super::diagnose(b"");
        super::frames(b"");
        for size in 0..9 {
            for text in ["{\"a\": [1, \"\\ud83d\\ude00é\", tru", "1e999", "{}x", "\"\\ud83d\" "] {
                super::preview(&[&[size], text.as_bytes()].concat());
            }
        }
    }
}
