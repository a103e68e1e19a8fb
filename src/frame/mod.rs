//! The framings: how a body is cut into the units that carry one JSON envelope each.
//!
//! [`sse`](crate::sse) is the usual one; the others are here. All of them speak in [`Unit`]s: a unit
//! says *where* its parts lie (in the caller's chunk, or in what the framing carried over from
//! earlier chunks), so that nothing is copied before somebody asks for it.

mod body;
mod carry;
#[cfg(test)]
mod cases;
pub(crate) mod eventstream;
#[doc(hidden)]
pub mod fuzzing;
pub(crate) mod json_array;
pub(crate) mod ndjson;
mod sniff;
mod stray;

use core::ops::Range;

use memchr::memchr2;

use crate::limits::LimitKind;
use crate::word;

pub(crate) use body::Framer;
pub use sniff::Body;
pub(crate) use sniff::sniff;
pub(crate) use stray::StrayJson;

/// One framed unit as the wire readers see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The event's name (SSE `event:`, event-stream `:event-type`), empty when there is none.
    pub name: &'a [u8],
    /// The payload, not checked as UTF-8.
    pub data: &'a [u8],
    /// Counted from 0 over the units of the stream that carry an envelope.
    pub ordinal: u64,
    /// First byte of the unit in the stream.
    pub start: u64,
    /// One past the last byte of the unit in the stream.
    pub end: u64,
    /// What a binary frame says it is.
    pub message: MessageType,
}

/// Where a part of a unit lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the slice that was passed to `advance`, counted from its start as it was passed.
    Chunk(Range<usize>),
    /// In the data that the framing holds itself.
    Data(Range<usize>),
    /// In the name that the framing holds itself.
    Name(Range<usize>),
    /// In the line that the framing holds itself.
    Line(Range<usize>),
}

/// What a framing found.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    pub kind: UnitKind,
    pub name: Place,
    pub data: Place,
    pub ordinal: u64,
    pub span: Range<u64>,
    pub message: MessageType,
}

/// What an event stream message says it is (`:message-type`); in other framings always an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MessageType {
    /// An event; the name is its `:event-type`.
    #[default]
    Event,
    /// An error that the service models; the name is its `:exception-type`.
    Exception,
    /// Any other error; the name is its `:error-code`, the data its `:error-message`.
    Error,
}

/// What a [`Unit`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// An event with data: an envelope.
    Event,
    /// The same, but the end of the stream came before its closing blank line or line end.
    UnterminatedEvent,
    /// A comment; `data` is its text after the colon.
    Comment,
    /// A line that is neither blank, comment nor known field; `data` is the whole line (its head,
    /// where it is long).
    Stray,
    /// A limit was passed; the unit was dropped whole, framing resumes behind it.
    Limit(LimitKind),
    /// A binary frame whose checksum or lengths are wrong. Framing resumes behind it if its lengths
    /// could be trusted; otherwise all that follows is taken and dropped.
    Corrupt,
    /// The end of the stream came inside a unit; `data` is what there was of it.
    Cut,
}

/// A framing: bytes in any chunking to [`Unit`]s.
pub(crate) trait Framing {
    /// Takes bytes off the front of `input` up to the end of the next unit. `None`: all of `input`
    /// is taken and no unit is complete.
    fn advance(&mut self, input: &mut &[u8]) -> Option<Unit>;

    /// What the end of the stream decides; to be called until it gives `None`.
    fn advance_eof(&mut self) -> Option<Unit>;

    /// The bytes of a part of the last unit; `chunk` is the slice that was passed to `advance`, as it
    /// was before the call.
    fn bytes<'a>(&'a self, place: &Place, chunk: &'a [u8]) -> &'a [u8];
}

/// How many bytes stand before the first line end (LF or CR).
#[inline(always)]
pub(crate) fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr2(b'\n', b'\r', bytes)
}

/// The same where the line is likely to be shorter than eight bytes, which are looked at as one
/// number: that costs less than a call.
#[inline(always)]
pub(crate) fn short_line_end(bytes: &[u8]) -> Option<usize> {
    if let Some(word) = word::word(bytes, 0) {
        let ends = word::first(word, b'\n') | word::first(word, b'\r');
        if ends != 0 {
            return Some(word::before(ends));
        }
    }
    line_end(bytes)
}
