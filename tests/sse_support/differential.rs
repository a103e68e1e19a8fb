//! The decoder held against the [oracle](super::oracle).

use toolcall::sse::{Decoder, EndOfStream, Options, Record};

use super::oracle::{Event, Reading, read};

fn own(event: &toolcall::sse::Event<'_>) -> Event {
    Event { kind: event.event().to_vec(), data: event.data().to_vec(), id: event.id().to_vec() }
}

/// What the decoder reads, in the oracle's terms.
fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, end: EndOfStream) -> Reading {
    let mut decoder = Decoder::with_options(Options::default().with_end(end));
    let mut reading = Reading::default();
    for chunk in chunks {
        let mut input = chunk;
        while let Some(record) = decoder.decode(&mut input) {
            match record {
                Record::Event(event) => reading.events.push(own(&event)),
                Record::Comment(comment) if !comment.is_cut() => {
                    reading.comments.push(comment.text().to_vec());
                }
                Record::Stray(stray) if !stray.is_cut() => {
                    reading.ignored.push(stray.line().to_vec());
                }
                Record::Retry(_) | Record::IdCommit(_) => {}
                other => panic!("before the end: {other:?}"),
            }
        }
    }
    reading.retry = decoder.retry().map(|retry| retry.as_millis() as u64);
    reading.last_event_id = decoder.last_event_id().to_vec();
    while let Some(record) = decoder.decode_eof() {
        let event = match &record {
            Record::Event(event) => Some(event),
            Record::Unterminated(unterminated) => unterminated.event(),
            _ => None,
        };
        if let Some(event) = event {
            assert!(event.unterminated().is_some());
            assert!(reading.flushed.is_none(), "one event can be unfinished");
            reading.flushed = Some(own(event));
        }
    }
    assert_eq!(decoder.last_event_id(), reading.last_event_id, "the end commits no id");
    reading
}

/// Strict and lenient, whole and in chunks of the given size: all as the oracle reads it.
///
/// # Panics
///
/// Where it is not.
pub fn check(input: &[u8], size: usize) {
    // Longer ones are cut, which the oracle does not do.
    assert!(input.len() <= 512);
    let expected = read(input);
    for end in [EndOfStream::Strict, EndOfStream::Lenient] {
        assert_eq!(decode([input], end), expected, "whole, {end:?}");
        assert_eq!(decode(input.chunks(size.max(1)), end), expected, "in {size}s, {end:?}");
    }
}
