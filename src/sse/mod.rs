//! Server-sent events: the `text/event-stream` format, usable on its own.
//!
//! [`Decoder`] takes bytes in any chunking and hands out [`Record`]s: events as the [standard]
//! defines them, and all else that stands in the stream. It does no input or output, borrows what
//! lies in one chunk, and holds no more than its [`Limits`] allow.
//!
//! ```
//! use toolcall::sse::{Decoder, Record};
//!
//! let mut decoder = Decoder::new();
//! for chunk in [&b": hello\nevent: delta\nda"[..], b"ta: {\"text\":\"Hi\"}\n\n"] {
//!     let mut input = chunk;
//!     while let Some(record) = decoder.decode(&mut input) {
//!         match record {
//!             Record::Event(event) => {
//!                 assert_eq!(event.event(), b"delta");
//!                 assert_eq!(event.data_str().unwrap(), "{\"text\":\"Hi\"}");
//!             }
//!             Record::Comment(comment) => assert_eq!(comment.text(), b" hello"),
//!             _ => {}
//!         }
//!     }
//! }
//! while let Some(record) = decoder.decode_eof() {
//!     if let Record::End(end) = record {
//!         assert_eq!(end.events(), 1);
//!     }
//! }
//! ```
//!
//! [standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

#[cfg(feature = "codec")]
mod codec;
mod encode;
mod framer;
mod line;
mod options;
mod owned;
mod raw;
#[cfg(feature = "std")]
mod reader;
mod record;
mod records;
mod segments;
#[cfg(feature = "stream")]
mod stream;

use core::time::Duration;

pub use crate::frame::Body;
#[cfg(feature = "codec")]
pub use codec::Codec;
pub use encode::{EncodeError, EncodedField, Encoder, Outgoing};
pub use options::{EndOfStream, Limit, Limits, Options};
pub use owned::{OwnedEvent, OwnedRecord};
pub use raw::RawBytes;
#[cfg(feature = "std")]
pub use reader::Reader;
pub use record::{
    Comment, Cut, End, EndState, Event, IdCommit, LimitExceeded, Record, Retry, Stray, StrayKind,
    Unterminated,
};
pub use records::Records;
pub use segments::SegmentIter;
#[cfg(feature = "stream")]
pub use stream::RecordStream;

use crate::frame::{Framing, MessageType, Place, Unit, UnitKind};
use crate::limits::LimitKind;
use framer::{Framer, Kind, Next};

/// Reads an event stream piece by piece.
///
/// The chunking makes no difference: the same bytes give the same records, with the same places,
/// and an event is handed out as soon as its blank line has ended. Each byte is searched for a line
/// end once; what lies in one chunk is not copied.
///
/// An example is at the [module](self).
#[derive(Debug)]
pub struct Decoder {
    framer: Framer,
    broken: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new()
    }
}

impl Decoder {
    /// A decoder that reads as the standard says and reports all there is.
    pub fn new() -> Self {
        Decoder::with_options(Options::default())
    }

    /// A decoder with other bounds.
    pub fn with_limits(limits: Limits) -> Self {
        Decoder::with_options(Options::default().with_limits(limits))
    }

    /// A decoder that reports, ends and bounds as told.
    pub fn with_options(options: Options) -> Self {
        Decoder { framer: Framer::new(options, true), broken: false }
    }

    /// The framing face: events, comments and stray lines, with a lenient end.
    pub(crate) fn for_framing(limits: &crate::Limits) -> Self {
        let options = Options::default()
            .with_limits(limits.into())
            .with_end(EndOfStream::Lenient)
            .with_retries(false)
            .with_id_commits(false);
        Decoder { framer: Framer::new(options, false), broken: false }
    }

    /// The limits that [`for_framing`](Decoder::for_framing) was given, as far as a framing has them.
    pub(crate) fn framing_limits(&self) -> crate::Limits {
        let limits = &self.framer.options.limits;
        crate::Limits::default().with_line(limits.line).with_event(limits.data)
    }

    /// Takes bytes off the front of `input` up to the end of the next record. `None`: all of
    /// `input` is taken, and more is needed.
    ///
    /// After [`decode_eof`](Decoder::decode_eof) has given `None`, the bytes are those of another
    /// stream, as after a reconnection: positions and ordinals begin anew, the last event id and
    /// the reconnection time stand.
    #[inline(always)]
    pub fn decode<'d, 'i: 'd>(&'d mut self, input: &mut &'i [u8]) -> Option<Record<'d>> {
        let chunk = *input;
        match self.framer.next(input) {
            Next::Event { name, data, .. } => {
                Some(Record::Event(Event { name, data, framer: &self.framer }))
            }
            Next::Found => Some(self.record(chunk)),
            Next::None => None,
        }
    }

    /// What the end of the stream decides, one record at a call; the last one is
    /// [`Record::End`].
    pub fn decode_eof(&mut self) -> Option<Record<'_>> {
        let lenient = !self.broken && self.framer.options.end == EndOfStream::Lenient;
        if !self.framer.next_eof(lenient) {
            self.broken = false;
            return None;
        }
        Some(self.record(b""))
    }

    /// In place of [`decode_eof`](Decoder::decode_eof) if the transport failed: nothing unfinished
    /// is dispatched, whatever [`Options::end`] says, and the stream's end is
    /// [`EndState::Broken`].
    pub fn decode_broken(&mut self) -> Option<Record<'_>> {
        self.broken = true;
        self.decode_eof()
    }

    /// The last event id string: what a reconnection sends as `Last-Event-ID`. Empty if none was
    /// set.
    pub fn last_event_id(&self) -> &[u8] {
        &self.framer.id
    }

    /// The last event id if it may stand in an HTTP header: an id from the wire may hold control
    /// characters. `None` also if there is none.
    pub fn last_event_id_header(&self) -> Option<&str> {
        let id = core::str::from_utf8(&self.framer.id).ok()?;
        (!id.is_empty() && !id.contains(char::is_control)).then_some(id)
    }

    /// Sets the last event id that the stream begins with.
    pub fn set_last_event_id(&mut self, id: &[u8]) {
        self.framer.set_id(id);
    }

    /// The reconnection time, if a `retry` field has set one.
    pub fn retry(&self) -> Option<Duration> {
        self.framer.retry().map(Duration::from_millis)
    }

    /// How many bytes of the stream were taken.
    pub fn offset(&self) -> u64 {
        self.framer.offset()
    }

    /// How many events the stream has given.
    pub fn events(&self) -> u64 {
        self.framer.ordinal()
    }

    /// What was found last, in full.
    fn record<'a>(&'a self, chunk: &'a [u8]) -> Record<'a> {
        let framer = &self.framer;
        let found = &framer.last;
        let text = framer.bytes(&found.data, chunk);
        let event = || Event { name: framer.bytes(&found.name, chunk), data: text, framer };
        match found.kind {
            Kind::Event(_) => Record::Event(event()),
            Kind::Comment { .. } => Record::Comment(Comment { text, found }),
            Kind::Retry => Record::Retry(Retry {
                time: Duration::from_millis(framer.retry().unwrap_or_default()),
                span: found.span.clone(),
            }),
            Kind::IdCommit => Record::IdCommit(IdCommit { id: &framer.id, found }),
            Kind::Stray { .. } => Record::Stray(Stray { line: text, found }),
            Kind::UnterminatedLine | Kind::UnterminatedBlock { .. } => {
                Record::Unterminated(Unterminated { tail: event() })
            }
            Kind::Limit(which) => {
                let limits = &framer.options.limits;
                let limit = match which {
                    Limit::Line => limits.line as u64,
                    Limit::Data => limits.data as u64,
                    Limit::Event => limits.event as u64,
                    Limit::Id => limits.id as u64,
                    Limit::Stream => limits.stream,
                };
                Record::LimitExceeded(LimitExceeded { which, limit, span: found.span.clone() })
            }
            Kind::End => {
                let state = match (self.broken, framer.mid_event()) {
                    (true, _) => EndState::Broken,
                    (false, true) => EndState::MidEvent,
                    (false, false) => EndState::Clean,
                };
                Record::End(End { state, framer })
            }
        }
    }

    /// What was found last as the framing face tells it; `None` for what it does not tell.
    fn unit(&self) -> Option<Unit> {
        let found = &self.framer.last;
        let kind = match found.kind {
            Kind::Event(None) => UnitKind::Event,
            Kind::Event(Some(_)) => UnitKind::UnterminatedEvent,
            Kind::Comment { .. } => UnitKind::Comment,
            Kind::Stray { .. } => UnitKind::Stray,
            Kind::UnterminatedLine => UnitKind::Cut,
            Kind::Limit(Limit::Line) => UnitKind::Limit(LimitKind::Line),
            Kind::Limit(_) => UnitKind::Limit(LimitKind::Event),
            Kind::Retry | Kind::IdCommit | Kind::UnterminatedBlock { .. } | Kind::End => {
                return None;
            }
        };
        Some(Unit {
            kind,
            name: found.name.clone(),
            data: found.data.clone(),
            ordinal: found.ordinal,
            span: found.span.clone(),
            message: MessageType::Event,
        })
    }
}

impl Framing for Decoder {
    #[inline]
    fn advance(&mut self, input: &mut &[u8]) -> Option<Unit> {
        // What `unit` leaves out is switched off, so that the places always belong to the slice
        // as it was passed.
        match self.framer.next(input) {
            Next::Event { name, data, name_at, data_at } => Some(Unit {
                kind: UnitKind::Event,
                name: Place::Chunk(name_at..name_at + name.len()),
                data: Place::Chunk(data_at..data_at + data.len()),
                ordinal: self.framer.last.ordinal,
                span: self.framer.last.span.clone(),
                message: MessageType::Event,
            }),
            Next::Found => self.unit(),
            Next::None => None,
        }
    }

    fn advance_eof(&mut self) -> Option<Unit> {
        while self.framer.next_eof(true) {
            let unit = self.unit();
            if unit.is_some() {
                return unit;
            }
        }
        None
    }

    #[inline]
    fn bytes<'a>(&'a self, place: &Place, chunk: &'a [u8]) -> &'a [u8] {
        self.framer.bytes(place, chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;
    use alloc::{format, vec};

    /// kind, name, data, ordinal, span of each unit.
    fn units(chunks: &[&[u8]], limits: &crate::Limits) -> Vec<String> {
        let mut decoder = Decoder::for_framing(limits);
        let mut out = Vec::new();
        let mut push = |decoder: &Decoder, unit: Unit, chunk: &[u8]| {
            out.push(format!(
                "{:?} {}|{} #{} {:?}",
                unit.kind,
                decoder.bytes(&unit.name, chunk).escape_ascii(),
                decoder.bytes(&unit.data, chunk).escape_ascii(),
                unit.ordinal,
                unit.span
            ));
        };
        for chunk in chunks {
            let mut input = *chunk;
            loop {
                let before = input;
                let Some(unit) = decoder.advance(&mut input) else { break };
                push(&decoder, unit, before);
            }
        }
        while let Some(unit) = decoder.advance_eof() {
            push(&decoder, unit, b"");
        }
        out
    }

    #[test]
    fn units_say_where_their_bytes_are() {
        let stream = b": hi\nid: 1\nevent: a\nretry: 5\ndata: x\noops\ndata: y\n\ndata\n\nevent: b\n\ndata: z";
        let expected = vec![
            "Comment | hi #0 0..5",
            "Stray |oops #0 37..42",
            "Event a|x\\ny #0 5..51",
            "Event | #1 51..57",
            "UnterminatedEvent |z #2 67..74",
        ];
        assert_eq!(units(&[stream], &crate::Limits::default()), expected);
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(units(&single, &crate::Limits::default()), expected);
    }

    #[test]
    fn a_cut_line_that_is_no_event_is_told() {
        let limits = crate::Limits::default();
        for (stream, expected) in [
            (&b"data: x\n\ndat"[..], vec!["Event |x #0 0..9", "Cut |dat #1 9..12"]),
            (b"event: mess", vec!["Cut |event: mess #0 0..11"]),
            (b"event: message\n", vec![]),
            (b"id:5", vec!["Cut |id:5 #0 0..4"]),
            (b"retry: 77", vec!["Cut |retry: 77 #0 0..9"]),
            (b": ping", vec!["Comment | ping #0 0..6"]),
            (b"{\"error\":1}", vec![r#"Cut |{\"error\":1} #0 0..11"#]),
            (b"data: x\noops", vec!["Cut |oops #0 8..12", "UnterminatedEvent |x #0 0..12"]),
            (b"data: x\nevent: y", vec!["UnterminatedEvent y|x #0 0..16"]),
            (b"data: x\ndata", vec!["UnterminatedEvent |x\\n #0 0..12"]),
            (b"data:", vec!["UnterminatedEvent | #0 0..5"]),
            (b"\xef\xbb", vec!["Cut |\\xef\\xbb #0 0..2"]),
        ] {
            assert_eq!(units(&[stream], &limits), expected, "{}", stream.escape_ascii());
            let single: Vec<&[u8]> = stream.chunks(1).collect();
            assert_eq!(units(&single, &limits), expected, "{}", stream.escape_ascii());
        }
    }

    #[test]
    fn a_passed_limit_drops_the_event_and_reading_resumes() {
        let limits = crate::Limits::default().with_line(10).with_event(8);
        let stream = b"data: ok\n\ndata: 123456789\ndata: x\n\ndata: a\n\ndata: 1234\ndata: 4567\n\ndata: b\n\n";
        let expected = vec![
            "Event |ok #0 0..10",
            "Limit(Line) | #1 10..10",
            "Event |a #1 35..44",
            "Limit(Event) | #2 44..55",
            "Event |b #2 67..76",
        ];
        for size in [1, 2, 3, 5, 7, stream.len()] {
            let chunks: Vec<&[u8]> = stream.chunks(size).collect();
            assert_eq!(units(&chunks, &limits), expected, "chunks of {size}");
        }
    }

    #[test]
    fn another_stream_follows() {
        let mut decoder = Decoder::new();
        let mut input = &b"id: 7\ndata: x\n\ndata: lost"[..];
        while decoder.decode(&mut input).is_some() {}
        while decoder.decode_broken().is_some() {}
        assert_eq!(decoder.last_event_id(), b"7");
        let mut input = &b"\xef\xbb\xbfdata: y\n\n"[..];
        let Some(Record::Event(event)) = decoder.decode(&mut input) else { panic!("an event") };
        assert_eq!((event.data(), event.id(), event.ordinal()), (&b"y"[..], &b"7"[..], 0));
        assert_eq!(event.span(), 3..12);
    }

    #[test]
    fn a_decoder_is_small_and_owns_nothing_at_first() {
        assert!(size_of::<Decoder>() <= 576, "{}", size_of::<Decoder>());
    }
}
