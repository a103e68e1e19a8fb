//! The one error type of the crate: a word to pass, a kind, a position.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use crate::limits::LimitKind;

/// A failure of the whole stream: a limit, an envelope that cannot be read, a body that is no
/// event stream, misuse.
///
/// A single call whose arguments do not parse is **not** an `Error`: it is an
/// [`InvalidToolCall`](crate::InvalidToolCall) inside an event, and the stream goes on.
///
/// ```
/// use toolcall::{ErrorKind, Message, Protocol};
///
/// let body = "<!doctype html><title>502 Bad Gateway</title>";
/// let error = Message::from_chunks(Protocol::OpenAiChat, [body]).unwrap_err().error;
/// assert_eq!(error.kind(), ErrorKind::NotAnEventStream);
/// assert_eq!(error.position().byte, 0);
/// assert!(error.excerpt().starts_with(b"<!doctype html>"));
/// assert!(!error.is_limit());
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    position: Position,
    message: String,
    /// What was being read when it failed, cut to [`Error::EXCERPT`] bytes.
    excerpt: Box<[u8]>,
}

/// What kind of failure an [`Error`] is; [`Error`] has an example.
///
/// ```
/// use toolcall::{Decoder, ErrorKind, Protocol};
///
/// let mut decoder = Decoder::new(Protocol::OpenAiChat);
/// let error = decoder.decode(&mut &b"data: {{{\n\n"[..]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::MalformedEvent);
/// assert_eq!(error.kind().as_str(), "malformed-event");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A frame passed its checksum or length test in no way: the transport broke it.
    CorruptFrame,
    /// A limit of [`Limits`](crate::Limits) was passed.
    Limit(LimitKind),
    /// A known event whose payload is not the JSON it must be. A fragment may be lost with it.
    MalformedEvent,
    /// The body is not a stream of the expected kind (a JSON document, HTML, gzip…).
    NotAnEventStream,
    /// The protocol could not be told from the bytes, or its name is unknown.
    UnknownProtocol,
    /// Reading from the source failed.
    Io,
    /// The decoder was used after its end.
    Misuse,
}

impl ErrorKind {
    /// The kind's stable kebab-case name, as the program prints it.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::CorruptFrame => "corrupt-frame",
            ErrorKind::Limit(_) => "limit",
            ErrorKind::MalformedEvent => "malformed-event",
            ErrorKind::NotAnEventStream => "not-an-event-stream",
            ErrorKind::UnknownProtocol => "unknown-protocol",
            ErrorKind::Io => "io",
            ErrorKind::Misuse => "misuse",
        }
    }
}

/// Where in the stream something lies.
///
/// ```
/// use toolcall::{Decoder, Protocol};
///
/// let mut decoder = Decoder::new(Protocol::OpenAiChat);
/// let mut input = &b"data: {\"choices\":[]}\n\ndata: {{{\n\n"[..];
/// let error = loop {
///     if let Err(error) = decoder.decode(&mut input) {
///         break error;
///     }
/// };
/// assert_eq!((error.position().event, error.position().byte), (1, 22));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Position {
    /// Bytes from the start of the stream.
    pub byte: u64,
    /// Ordinal of the event, counted from 0.
    pub event: u64,
}

impl Error {
    /// How many bytes of the offending input [`excerpt`](Error::excerpt) keeps at most.
    pub const EXCERPT: usize = 512;

    #[cold]
    pub(crate) fn new(kind: ErrorKind, position: Position, message: impl Into<String>) -> Self {
        Error(Box::new(Inner { kind, position, message: message.into(), excerpt: Box::default() }))
    }

    #[cold]
    pub(crate) fn with_excerpt(mut self, bytes: &[u8]) -> Self {
        self.0.excerpt = bytes[..bytes.len().min(Self::EXCERPT)].into();
        self
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where in the stream it happened.
    pub fn position(&self) -> Position {
        self.0.position
    }

    /// The first bytes of what could not be read, at most [`EXCERPT`](Error::EXCERPT); empty where
    /// nothing is to be shown.
    pub fn excerpt(&self) -> &[u8] {
        &self.0.excerpt
    }

    /// Whether a limit was passed.
    pub fn is_limit(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Limit(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { byte, event } = self.0.position;
        write!(f, "{} at byte {byte} of the stream (event {event})", self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}, {self})", self.0.kind)
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "std")]
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        use alloc::string::ToString;
        Error::new(ErrorKind::Io, Position::default(), error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_to_pass() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }

    #[test]
    fn display_says_what_and_where() {
        let error = Error::new(
            ErrorKind::MalformedEvent,
            Position { byte: 7, event: 2 },
            "expected a JSON object, found `<`",
        );
        assert_eq!(
            alloc::format!("{error}"),
            "expected a JSON object, found `<` at byte 7 of the stream (event 2)"
        );
    }
}
