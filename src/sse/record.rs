//! What a decoder hands out.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::ops::Range;
use core::str::Utf8Error;
use core::time::Duration;

use super::framer::{Found, Framer, Kind};
use super::options::Limit;
use super::segments::SegmentIter;
use crate::frame::Body;

/// What stands in an event stream, in order. Nothing of a stream is left out but blank lines, and
/// the kinds that [`Options`](super::Options) switch off.
///
/// ```
/// use toolcall::sse::{Decoder, Record};
///
/// let mut decoder = Decoder::new();
/// let mut input = &b": hi\ndata: x\n\n"[..];
/// assert!(matches!(decoder.decode(&mut input), Some(Record::Comment(_))));
/// assert!(matches!(decoder.decode(&mut input), Some(Record::Event(_))));
/// assert!(matches!(decoder.decode_eof(), Some(Record::End(_))));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Record<'a> {
    /// An event was dispatched.
    Event(Event<'a>),
    /// A comment line, told as soon as its line ends. Servers keep connections alive with them.
    Comment(Comment<'a>),
    /// A `retry` field set the reconnection time.
    Retry(Retry),
    /// A block without data set the last event id. (An event's own id is in the event.)
    IdCommit(IdCommit<'a>),
    /// A line that has no meaning in the standard, which ignores it.
    Stray(Stray<'a>),
    /// What the end of the stream cut and that is no event.
    Unterminated(Unterminated<'a>),
    /// A limit was passed.
    LimitExceeded(LimitExceeded),
    /// The stream has ended: always the last record, once.
    End(End<'a>),
}

/// A dispatched event.
///
/// ```
/// use toolcall::sse::{Decoder, Record};
///
/// let mut decoder = Decoder::new();
/// let mut input = &b"event: note\nid: 7\ndata: x\ndata: y\n\n"[..];
/// let Some(Record::Event(event)) = decoder.decode(&mut input) else { panic!("an event") };
/// assert_eq!((event.name(), event.data(), event.id()), (&b"note"[..], &b"x\ny"[..], &b"7"[..]));
/// assert_eq!((event.ordinal(), event.span()), (0, 0..35));
/// ```
#[derive(Clone)]
pub struct Event<'a> {
    pub(super) name: &'a [u8],
    pub(super) data: &'a [u8],
    /// Its last find is this event. What few ask for is only fetched from there when asked for: a
    /// small event is a fast one.
    pub(super) framer: &'a Framer,
}

/// How the end of the stream cut an event.
///
/// An example is at [`Unterminated`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cut {
    /// All of its lines are whole, the blank line is missing.
    Block,
    /// Its last line has no line end: bytes of it may be missing.
    Line,
}

impl<'a> Event<'a> {
    /// The event's type: the `event` field, or `message` if it is missing or empty.
    pub fn event(&self) -> &'a [u8] {
        if self.name.is_empty() { b"message" } else { self.name }
    }

    /// The `event` field as it stands on the wire, empty if there is none.
    pub fn name(&self) -> &'a [u8] {
        self.name
    }

    /// The values of its `data` lines joined by LF, not checked as UTF-8.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The data as text.
    ///
    /// # Errors
    ///
    /// Where the data is not UTF-8; [`locate`](Event::locate) tells where in the stream that is.
    pub fn data_str(&self) -> Result<&'a str, Utf8Error> {
        core::str::from_utf8(self.data)
    }

    /// The data as the standard reads it: each malformed sequence becomes U+FFFD, which shows
    /// as [`Cow::Owned`].
    pub fn data_lossy(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.data)
    }

    /// The last event id string when the event was dispatched; empty if none was set. An event
    /// inherits the id of the events before it.
    pub fn id(&self) -> &'a [u8] {
        &self.framer.id
    }

    /// Where the event stands in the stream, in bytes: from its first field line to behind the end
    /// of its blank line. (If that is CR LF, the LF is not in it: an event is complete at the CR.)
    /// Comments and stray lines in between are records of their own.
    pub fn span(&self) -> Range<u64> {
        self.framer.last.span.clone()
    }

    /// Counted from 0 over the events of the stream.
    pub fn ordinal(&self) -> u64 {
        self.framer.last.ordinal
    }

    /// Where in the stream the value of each data line stands.
    ///
    /// ```
    /// use toolcall::sse::{Decoder, Record};
    ///
    /// let stream = b"data: one\ndata:two\n\n";
    /// let mut decoder = Decoder::new();
    /// let mut input = &stream[..];
    /// let Some(Record::Event(event)) = decoder.decode(&mut input) else { panic!("an event") };
    /// assert_eq!(event.data(), b"one\ntwo");
    /// let lines: Vec<_> = event.segments().map(|s| &stream[s.start as usize..s.end as usize]).collect();
    /// assert_eq!(lines, [b"one", b"two"]);
    /// ```
    pub fn segments(&self) -> SegmentIter<'a> {
        if self.framer.last.copied {
            SegmentIter::joined(self.data, &self.framer.segments)
        } else {
            SegmentIter::single(self.data, self.framer.last.data_at)
        }
    }

    /// Where in the stream the byte at `index` of the data stands; for a joining LF, where its
    /// line ended. An index beyond the data gives the end of its last line.
    pub fn locate(&self, index: usize) -> u64 {
        let mut left = index as u64;
        let mut end = self.framer.last.data_at;
        for segment in self.segments() {
            let len = segment.end - segment.start;
            if left <= len {
                return segment.start + left;
            }
            left -= len + 1;
            end = segment.end;
        }
        end
    }

    /// How the end of the stream cut this event. `None` for an event that its blank line ended;
    /// only a lenient decoder gives others.
    pub fn unterminated(&self) -> Option<Cut> {
        match self.framer.last.kind {
            Kind::Event(cut) | Kind::UnterminatedBlock { event: cut } => cut,
            _ => None,
        }
    }
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("event", &Text(self.event()))
            .field("data", &Text(self.data))
            .field("id", &Text(self.id()))
            .field("span", &self.span())
            .field("ordinal", &self.ordinal())
            .field("unterminated", &self.unterminated())
            .finish_non_exhaustive()
    }
}

/// A comment line.
///
/// An example is at [`Record`].
#[derive(Clone)]
pub struct Comment<'a> {
    pub(super) text: &'a [u8],
    pub(super) found: &'a Found,
}

impl<'a> Comment<'a> {
    /// All that follows the colon, a leading space included, up to
    /// [`Limits::comment`](super::Limits::comment) bytes.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Whether the comment was longer than its limit.
    pub fn is_cut(&self) -> bool {
        matches!(self.found.kind, Kind::Comment { cut: true })
    }

    /// Where the line stands in the stream, its line end included (of CR LF: the CR).
    pub fn span(&self) -> Range<u64> {
        self.found.span.clone()
    }
}

impl fmt::Debug for Comment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Comment")
            .field("text", &Text(self.text))
            .field("cut", &self.is_cut())
            .field("span", &self.span())
            .finish()
    }
}

/// A `retry` field.
#[derive(Debug, Clone)]
pub struct Retry {
    pub(super) time: Duration,
    pub(super) span: Range<u64>,
}

impl Retry {
    /// The reconnection time, in force from this line on even if its block never ends. A number
    /// beyond [`u64::MAX`] milliseconds counts as that.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Where the line stands in the stream, its line end included (of CR LF: the CR).
    pub fn span(&self) -> Range<u64> {
        self.span.clone()
    }
}

/// An id that came in a block without data.
#[derive(Clone)]
pub struct IdCommit<'a> {
    pub(super) id: &'a [u8],
    pub(super) found: &'a Found,
}

impl<'a> IdCommit<'a> {
    /// The last event id from here on.
    pub fn id(&self) -> &'a [u8] {
        self.id
    }

    /// Where the block stands in the stream, as [`Event::span`] says.
    pub fn span(&self) -> Range<u64> {
        self.found.span.clone()
    }
}

impl fmt::Debug for IdCommit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdCommit").field("id", &Text(self.id)).field("span", &self.span()).finish()
    }
}

/// A line that the standard ignores.
#[derive(Clone)]
pub struct Stray<'a> {
    pub(super) line: &'a [u8],
    pub(super) found: &'a Found,
}

/// Why a line means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaningless {
    NoField,
    InvalidRetry,
    IdWithNul,
}

/// What a stray line looks like.
///
/// An example is at [`Stray`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StrayKind {
    /// A JSON value that nothing frames: mostly an error, or an event of a server that forgot
    /// `data:`.
    Json,
    /// Markup: a proxy's error page.
    Html,
    /// A field named `error`, which llama.cpp's server sends.
    Error,
    /// Another field that the standard does not know.
    UnknownField,
    /// A line without a colon.
    Text,
    /// A `retry` field whose value is not digits only.
    InvalidRetry,
    /// An `id` field with a NUL in it.
    IdWithNul,
}

impl<'a> Stray<'a> {
    /// The line without its line end, up to [`Limits::stray`](super::Limits::stray) bytes.
    pub fn line(&self) -> &'a [u8] {
        self.line
    }

    /// What it looks like.
    pub fn kind(&self) -> StrayKind {
        match self.found.kind {
            Kind::Stray { why: Meaningless::InvalidRetry, .. } => return StrayKind::InvalidRetry,
            Kind::Stray { why: Meaningless::IdWithNul, .. } => return StrayKind::IdWithNul,
            _ => {}
        }
        match self.line.trim_ascii_start() {
            [b'{' | b'[', ..] => StrayKind::Json,
            [b'<', ..] => StrayKind::Html,
            [b'e', b'r', b'r', b'o', b'r', b':', ..] => StrayKind::Error,
            text if text.contains(&b':') => StrayKind::UnknownField,
            _ => StrayKind::Text,
        }
    }

    /// Whether the line was longer than its limit.
    pub fn is_cut(&self) -> bool {
        matches!(self.found.kind, Kind::Stray { cut: true, .. })
    }

    /// Where the line stands in the stream, its line end included (of CR LF: the CR).
    pub fn span(&self) -> Range<u64> {
        self.found.span.clone()
    }
}

impl fmt::Debug for Stray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stray")
            .field("kind", &self.kind())
            .field("line", &Text(self.line))
            .field("cut", &self.is_cut())
            .field("span", &self.span())
            .finish()
    }
}

/// What the end of the stream cut, for diagnostics: it must not be acted on.
///
/// ```
/// use toolcall::sse::{Cut, Decoder, EndOfStream, Options, Record};
///
/// // As the standard says, what no blank line ends is no event; told it is all the same.
/// let mut decoder = Decoder::new();
/// while decoder.decode(&mut &b"data: x"[..]).is_some() {}
/// let Some(Record::Unterminated(tail)) = decoder.decode_eof() else { panic!("a tail") };
/// assert_eq!(tail.event().map(|event| event.data()), Some(&b"x"[..]));
///
/// // For servers that leave the last blank line out.
/// let options = Options::default().with_end(EndOfStream::Lenient);
/// let mut decoder = Decoder::with_options(options);
/// while decoder.decode(&mut &b"data: x"[..]).is_some() {}
/// let Some(Record::Event(event)) = decoder.decode_eof() else { panic!("an event") };
/// assert_eq!((event.data(), event.unterminated()), (&b"x"[..], Some(Cut::Line)));
/// ```
#[derive(Clone)]
pub struct Unterminated<'a> {
    /// What is cut: an event, or a line as if it were one's data.
    pub(super) tail: Event<'a>,
}

impl<'a> Unterminated<'a> {
    /// The event that is not dispatched, as far as its data came.
    pub fn event(&self) -> Option<&Event<'a>> {
        self.tail.unterminated().map(|_| &self.tail)
    }

    /// The beginning of an unfinished line that is no part of such an event, empty if there is
    /// none.
    pub fn line(&self) -> &'a [u8] {
        match self.tail.framer.last.kind {
            Kind::UnterminatedLine => self.tail.data,
            _ => b"",
        }
    }

    /// Where it stands in the stream.
    pub fn span(&self) -> Range<u64> {
        self.tail.span()
    }
}

impl fmt::Debug for Unterminated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unterminated")
            .field("event", &self.event())
            .field("line", &Text(self.line()))
            .field("span", &self.span())
            .finish()
    }
}

/// A limit was passed: the event is dropped whole, reading resumes behind the next blank line
/// (never, for [`Limit::Stream`]).
///
/// ```
/// use toolcall::sse::{Decoder, Limit, Limits, Options, Record};
///
/// let mut limits = Limits::default();
/// limits.line = 8;
/// let mut decoder = Decoder::with_options(Options::default().with_limits(limits));
/// let mut input = &b"data: far too long\n\ndata: x\n\n"[..];
/// let Some(Record::LimitExceeded(passed)) = decoder.decode(&mut input) else { panic!("a limit") };
/// assert_eq!((passed.which(), passed.limit()), (Limit::Line, 8));
/// // The next event is read as ever.
/// assert!(matches!(decoder.decode(&mut input), Some(Record::Event(_))));
/// ```
#[derive(Debug, Clone)]
pub struct LimitExceeded {
    pub(super) which: Limit,
    pub(super) limit: u64,
    pub(super) span: Range<u64>,
}

impl LimitExceeded {
    /// Which limit.
    pub fn which(&self) -> Limit {
        self.which
    }

    /// Its value, in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// From where the dropped event begins to the beginning of the line that was too much.
    pub fn span(&self) -> Range<u64> {
        self.span.clone()
    }
}

/// How the stream ended.
///
/// ```
/// use toolcall::sse::{Body, Decoder, EndState, Record};
///
/// let mut decoder = Decoder::new();
/// let mut input = &b"{\"error\":\"no such model\"}"[..];
/// while decoder.decode(&mut input).is_some() {}
/// let state = loop {
///     match decoder.decode_eof() {
///         Some(Record::End(end)) => break (end.state(), end.events(), end.body()),
///         record => assert!(record.is_some()),
///     }
/// };
/// assert_eq!(state, (EndState::MidEvent, 0, Some(Body::JsonObject)));
/// ```
#[derive(Clone)]
pub struct End<'a> {
    pub(super) state: EndState,
    pub(super) framer: &'a Framer,
}

/// How a stream ended.
///
/// An example is at [`End`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EndState {
    /// Between two events.
    Clean,
    /// Inside a line or an event, or by the stream limit.
    MidEvent,
    /// The transport failed: [`Decoder::decode_broken`](super::Decoder::decode_broken).
    Broken,
}

impl<'a> End<'a> {
    /// Where it ended.
    pub fn state(&self) -> EndState {
        self.state
    }

    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.framer.ordinal()
    }

    /// How many bytes there were.
    pub fn bytes(&self) -> u64 {
        self.framer.offset()
    }

    /// What the body seems to be, if it gave no event.
    pub fn body(&self) -> Option<Body> {
        (self.events() == 0).then(|| Body::sniff(self.head()))
    }

    /// The first bytes, at most 512, of a body that gave no event.
    pub fn head(&self) -> &'a [u8] {
        self.framer.head()
    }
}

impl fmt::Debug for End<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("End")
            .field("state", &self.state)
            .field("events", &self.events())
            .field("bytes", &self.bytes())
            .field("body", &self.body())
            .field("head", &Text(self.head()))
            .finish()
    }
}

/// Bytes that are mostly text, shown as such.
struct Text<'a>(&'a [u8]);

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}
