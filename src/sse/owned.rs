//! Records that own their bytes, for adapters that cannot lend.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use core::str::Utf8Error;
use core::time::Duration;

use super::options::Limit;
use super::record::{Cut, EndState, Event, Record, StrayKind};
use crate::frame::Body;

/// A [`Record`] that owns its bytes, and no more memory than they need.
///
/// ```
/// use toolcall::sse::{Decoder, OwnedRecord};
///
/// let mut decoder = Decoder::new();
/// let mut input = &b"data: x\n\n"[..];
/// let kept = decoder.decode(&mut input).map(|record| record.into_owned());
/// let Some(OwnedRecord::Event(event)) = kept else { panic!("an event") };
/// assert_eq!(event.data_str(), Ok("x"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnedRecord {
    /// See [`Record::Event`].
    Event(OwnedEvent),
    /// See [`Record::Comment`].
    #[non_exhaustive]
    Comment {
        /// All that follows the colon.
        text: Vec<u8>,
        /// Whether it was longer than its limit.
        cut: bool,
        /// Where the line stands in the stream.
        span: Range<u64>,
    },
    /// See [`Record::Retry`].
    #[non_exhaustive]
    Retry {
        /// The reconnection time.
        time: Duration,
        /// Where the line stands in the stream.
        span: Range<u64>,
    },
    /// See [`Record::IdCommit`].
    #[non_exhaustive]
    IdCommit {
        /// The last event id from here on.
        id: Vec<u8>,
        /// Where the block stands in the stream.
        span: Range<u64>,
    },
    /// See [`Record::Stray`].
    #[non_exhaustive]
    Stray {
        /// The line.
        line: Vec<u8>,
        /// What it looks like.
        kind: StrayKind,
        /// Whether it was longer than its limit.
        cut: bool,
        /// Where the line stands in the stream.
        span: Range<u64>,
    },
    /// See [`Record::Unterminated`].
    #[non_exhaustive]
    Unterminated {
        /// The event that is not dispatched.
        event: Option<OwnedEvent>,
        /// An unfinished line that is no part of it.
        line: Vec<u8>,
        /// Where it stands in the stream.
        span: Range<u64>,
    },
    /// See [`Record::LimitExceeded`].
    #[non_exhaustive]
    LimitExceeded {
        /// Which limit.
        which: Limit,
        /// Its value, in bytes.
        limit: u64,
        /// From where the dropped event begins to the line that was too much.
        span: Range<u64>,
    },
    /// See [`Record::End`].
    #[non_exhaustive]
    End {
        /// How the stream ended.
        state: EndState,
        /// How many events there were.
        events: u64,
        /// How many bytes there were.
        bytes: u64,
        /// What the body seems to be, if it gave no event.
        body: Option<Body>,
        /// The first bytes of a body that gave no event.
        head: Vec<u8>,
    },
}

/// An [`Event`] that owns its bytes.
///
/// An example is at [`OwnedRecord`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedEvent {
    /// Its type, `message` if the stream names none.
    pub event: Vec<u8>,
    /// Its data, not checked as UTF-8.
    pub data: Vec<u8>,
    /// The last event id when it was dispatched.
    pub id: Vec<u8>,
    /// Where it stands in the stream.
    pub span: Range<u64>,
    /// Counted from 0 over the events of the stream.
    pub ordinal: u64,
    /// Where in the stream its data lines stand.
    pub segments: Vec<Range<u64>>,
    /// How the end of the stream cut it, if it did.
    pub unterminated: Option<Cut>,
}

impl OwnedEvent {
    /// The data as text.
    ///
    /// # Errors
    ///
    /// Where the data is not UTF-8.
    pub fn data_str(&self) -> Result<&str, Utf8Error> {
        core::str::from_utf8(&self.data)
    }

    /// The data with U+FFFD for each malformed sequence.
    pub fn data_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.data)
    }
}

impl Event<'_> {
    /// A copy that owns its bytes.
    pub fn into_owned(self) -> OwnedEvent {
        OwnedEvent {
            event: self.event().into(),
            data: self.data().into(),
            id: self.id().into(),
            span: self.span(),
            ordinal: self.ordinal(),
            segments: self.segments().collect(),
            unterminated: self.unterminated(),
        }
    }
}

impl Record<'_> {
    /// A copy that owns its bytes.
    pub fn into_owned(self) -> OwnedRecord {
        match self {
            Record::Event(event) => OwnedRecord::Event(event.into_owned()),
            Record::Comment(comment) => OwnedRecord::Comment {
                text: comment.text().into(),
                cut: comment.is_cut(),
                span: comment.span(),
            },
            Record::Retry(retry) => OwnedRecord::Retry { time: retry.time(), span: retry.span() },
            Record::IdCommit(commit) => {
                OwnedRecord::IdCommit { id: commit.id().into(), span: commit.span() }
            }
            Record::Stray(stray) => OwnedRecord::Stray {
                line: stray.line().into(),
                kind: stray.kind(),
                cut: stray.is_cut(),
                span: stray.span(),
            },
            Record::Unterminated(unterminated) => OwnedRecord::Unterminated {
                event: unterminated.event().cloned().map(Event::into_owned),
                line: unterminated.line().into(),
                span: unterminated.span(),
            },
            Record::LimitExceeded(exceeded) => OwnedRecord::LimitExceeded {
                which: exceeded.which(),
                limit: exceeded.limit(),
                span: exceeded.span(),
            },
            Record::End(end) => OwnedRecord::End {
                state: end.state(),
                events: end.events(),
                bytes: end.bytes(),
                body: end.body(),
                head: end.head().into(),
            },
        }
    }
}
