//! What the adapters share: a decoder that is handed chunks, and how their streams fail.

use core::fmt;

use crate::decoder::Decoder;
use crate::error::Error;
use crate::event::Event;

/// A [`Decoder`] and the chunk that it is reading.
///
/// ```text
///            ┌── give(chunk) ──┐
///            ▼                 │
///   advance() ──▶ Ready ── take() ──▶ an event
///            ├──▶ Hungry ──────┘ or end()
///            └──▶ Over, once end() was called and all was taken
/// ```
#[derive(Debug)]
pub(crate) struct Feed<B> {
    decoder: Decoder,
    chunk: Option<B>,
    /// How much of `chunk` is read.
    read: usize,
    has_ended: bool,
    is_over: bool,
}

/// What a [`Feed`] can do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Give out an event.
    Ready,
    /// Nothing without another chunk, or the end.
    Hungry,
    /// Nothing ever again.
    Over,
}

impl<B: AsRef<[u8]>> Feed<B> {
    pub fn new(decoder: Decoder) -> Self {
        Feed { decoder, chunk: None, read: 0, has_ended: false, is_over: false }
    }

    pub fn advance(&mut self) -> Result<Progress, Error> {
        if self.has_ended {
            self.is_over = !self.decoder.advance_eof()?;
            return Ok(if self.is_over { Progress::Over } else { Progress::Ready });
        }
        let bytes = self.chunk.as_ref().map_or(&[][..], AsRef::as_ref);
        let mut input = bytes.get(self.read..).unwrap_or_default();
        let found = self.decoder.advance(&mut input);
        self.read = bytes.len() - input.len();
        Ok(if found? { Progress::Ready } else { Progress::Hungry })
    }

    /// The event that [`advance`](Feed::advance) found.
    pub fn take(&mut self) -> Option<Event<'_>> {
        self.decoder.ready()
    }

    /// The next chunk. Only for one that is hungry.
    pub fn give(&mut self, chunk: B) {
        self.chunk = Some(chunk);
        self.read = 0;
    }

    /// The chunk that is read, to be used again or let go. Only for one that is hungry.
    pub fn take_back(&mut self) -> Option<B> {
        self.chunk.take()
    }

    /// No more chunks will come.
    pub fn end(&mut self) {
        self.chunk = None;
        self.has_ended = true;
    }

    #[cfg(feature = "stream")]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

/// Why a stream of events failed: its bytes did not come, or they could not be read.
///
/// It keeps the error of the byte source as it is. [`Display`](fmt::Display) and
/// [`source`](core::error::Error::source) are those of the error inside.
///
/// ```
/// use toolcall::StreamError;
///
/// fn is_worth_a_retry(error: &StreamError<std::io::Error>) -> bool {
///     matches!(error, StreamError::Transport(_))
/// }
/// let error = StreamError::Transport(std::io::Error::other("connection reset"));
/// assert!(is_worth_a_retry(&error));
/// assert_eq!(error.to_string(), "connection reset");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError<E> {
    /// The source of the bytes failed. What had come before is read to its end all the same.
    Transport(E),
    /// The bytes could not be read.
    Decode(Error),
}

impl<E> From<Error> for StreamError<E> {
    fn from(error: Error) -> Self {
        StreamError::Decode(error)
    }
}

/// As tokio-util's `FramedRead` wants it of its decoder.
#[cfg(feature = "std")]
impl From<std::io::Error> for StreamError<std::io::Error> {
    fn from(error: std::io::Error) -> Self {
        StreamError::Transport(error)
    }
}

impl<E: fmt::Display> fmt::Display for StreamError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Transport(error) => error.fmt(f),
            StreamError::Decode(error) => error.fmt(f),
        }
    }
}

impl<E: core::error::Error> core::error::Error for StreamError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            StreamError::Transport(error) => error.source(),
            StreamError::Decode(error) => error.source(),
        }
    }
}
