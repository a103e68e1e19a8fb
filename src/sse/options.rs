//! What a [`Decoder`](super::Decoder) reports, how it ends, and what it may hold.

/// Bounds on what one event stream may make a decoder hold.
///
/// A passed limit gives one [`Record::LimitExceeded`](super::Record::LimitExceeded), drops the
/// whole event (never a cut value), and reading resumes behind the next blank line. What counts is
/// what the stream holds, so the chunking makes no difference.
///
/// ```
/// use toolcall::sse::Limits;
///
/// let limits = Limits::default().with_data(1 << 20);
/// assert_eq!(limits.data, 1 << 20);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one line of a known field before its end: images arrive as single lines of 1 to
    /// 10 MB. Comments and unknown lines are cut instead, see `comment` and `stray`.
    pub line: usize,
    /// Bytes of one event's data, its joining line feeds counted.
    pub data: usize,
    /// Bytes of one event's type.
    pub event: usize,
    /// Bytes of an event id: it goes into a request header later.
    pub id: usize,
    /// Bytes of a comment that are kept; the rest is cut and the cut marked.
    pub comment: usize,
    /// Bytes of a stray line that are kept; the rest is cut and the cut marked.
    pub stray: usize,
    /// Bytes of the whole stream. Nothing is read beyond it.
    pub stream: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            line: 16 << 20,
            data: 32 << 20,
            event: 1 << 10,
            id: 8 << 10,
            comment: 4 << 10,
            stray: 512,
            stream: u64::MAX,
        }
    }
}

impl Limits {
    /// For a gateway that holds many streams at once; what one stream may carry in all is for the
    /// caller to set.
    pub fn gateway() -> Self {
        Limits { line: 4 << 20, data: 8 << 20, ..Limits::default() }
    }

    /// For untrusted input on a small machine.
    pub fn strict_small() -> Self {
        Limits {
            line: 64 << 10,
            data: 256 << 10,
            event: 256,
            id: 1 << 10,
            comment: 256,
            stray: 256,
            stream: 64 << 20,
        }
    }

    /// Sets the bound on one line, in bytes.
    pub fn with_line(mut self, bytes: usize) -> Self {
        self.line = bytes;
        self
    }

    /// Sets the bound on one event's data, in bytes.
    pub fn with_data(mut self, bytes: usize) -> Self {
        self.data = bytes;
        self
    }

    /// Sets the bound on one event's type, in bytes.
    pub fn with_event(mut self, bytes: usize) -> Self {
        self.event = bytes;
        self
    }

    /// Sets the bound on an event id, in bytes.
    pub fn with_id(mut self, bytes: usize) -> Self {
        self.id = bytes;
        self
    }

    /// Sets how much of a comment is kept, in bytes.
    pub fn with_comment(mut self, bytes: usize) -> Self {
        self.comment = bytes;
        self
    }

    /// Sets how much of a stray line is kept, in bytes.
    pub fn with_stray(mut self, bytes: usize) -> Self {
        self.stray = bytes;
        self
    }

    /// Sets the bound on the whole stream, in bytes.
    pub fn with_stream(mut self, bytes: u64) -> Self {
        self.stream = bytes;
        self
    }
}

impl From<&crate::Limits> for Limits {
    fn from(limits: &crate::Limits) -> Self {
        Limits { line: limits.line, data: limits.event, ..Limits::default() }
    }
}

/// Which of the [`Limits`] was passed.
///
/// An example is at [`LimitExceeded`](super::LimitExceeded).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::line`].
    Line,
    /// [`Limits::data`].
    Data,
    /// [`Limits::event`].
    Event,
    /// [`Limits::id`].
    Id,
    /// [`Limits::stream`].
    Stream,
}

impl Limit {
    /// The limit's stable name, as a word of a message.
    pub fn as_str(self) -> &'static str {
        match self {
            Limit::Line => "line",
            Limit::Data => "data",
            Limit::Event => "event type",
            Limit::Id => "id",
            Limit::Stream => "stream",
        }
    }
}

/// What becomes of an event that the end of the stream cuts off from its blank line.
///
/// An example is at [`Unterminated`](super::Unterminated).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum EndOfStream {
    /// As the standard says: it is not dispatched. It is still reported, as
    /// [`Record::Unterminated`](super::Record::Unterminated).
    #[default]
    Strict,
    /// It is dispatched, and marked by [`Event::unterminated`](super::Event::unterminated); a last
    /// line without its line end counts as a line. Its id is not committed, so that a reconnection
    /// asks for it again. Many servers of language models leave the last blank line out.
    Lenient,
}

/// What a [`Decoder`](super::Decoder) reports and how it ends. All kinds of records are on by
/// default; a kind that is off costs nothing.
///
/// ```
/// use toolcall::sse::{Decoder, EndOfStream, Options};
///
/// let options = Options::default().with_end(EndOfStream::Lenient).with_comments(false);
/// let mut decoder = Decoder::with_options(options);
/// assert!(decoder.decode(&mut &b": keep-alive\n"[..]).is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The bounds.
    pub limits: Limits,
    /// What the end of the stream does to an unfinished event.
    pub end: EndOfStream,
    /// Whether comments are reported.
    pub comments: bool,
    /// Whether a change of the reconnection time is reported.
    pub retries: bool,
    /// Whether an id that came without an event is reported.
    pub id_commits: bool,
    /// Whether lines that mean nothing are reported.
    pub strays: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limits: Limits::default(),
            end: EndOfStream::Strict,
            comments: true,
            retries: true,
            id_commits: true,
            strays: true,
        }
    }
}

impl Options {
    /// Sets the bounds.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets what the end of the stream does to an unfinished event.
    pub fn with_end(mut self, end: EndOfStream) -> Self {
        self.end = end;
        self
    }

    /// Sets whether comments are reported.
    pub fn with_comments(mut self, on: bool) -> Self {
        self.comments = on;
        self
    }

    /// Sets whether a change of the reconnection time is reported.
    pub fn with_retries(mut self, on: bool) -> Self {
        self.retries = on;
        self
    }

    /// Sets whether an id that came without an event is reported.
    pub fn with_id_commits(mut self, on: bool) -> Self {
        self.id_commits = on;
        self
    }

    /// Sets whether lines that mean nothing are reported.
    pub fn with_strays(mut self, on: bool) -> Self {
        self.strays = on;
        self
    }

    /// Events alone, and what went wrong: no comments, retries, id commits, stray lines.
    pub fn events_only() -> Self {
        Options {
            comments: false,
            retries: false,
            id_commits: false,
            strays: false,
            ..Options::default()
        }
    }
}
