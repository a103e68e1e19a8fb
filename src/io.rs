//! Events from a blocking [`Read`]: a file, a socket, the body of a blocking HTTP client.
//!
//! ```
//! use toolcall::io::EventReader;
//! use toolcall::{Event, Protocol};
//!
//! let body: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\
//!     \"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
//! let mut events = EventReader::new(body, Protocol::OpenAiChat);
//! while let Some(event) = events.next_event() {
//!     if let Event::Text(text) = event? {
//!         assert_eq!(text.text, "Hi");
//!     }
//! }
//! # Ok::<(), toolcall::StreamError<std::io::Error>>(())
//! ```

use alloc::boxed::Box;
use alloc::vec;
use core::fmt;
use std::io::{ErrorKind, Read};

use crate::call::CallKey;
use crate::decoder::Decoder;
use crate::event::Event;
use crate::feed::{Feed, Progress, StreamError};
use crate::message::{Collector, Interrupted, Message};
use crate::protocol::Protocol;

/// Reads a stream and gives out its events. The [module](self) has an example.
///
/// [`next_event`](EventReader::next_event) lends each one out of the reader's own buffers; the
/// [`Iterator`] gives them away, at the price of a copy.
///
/// An error does not end the events: the calls that were open then come after it, as truncated, and
/// [`Event::End`] is last. An error of kind [`WouldBlock`](ErrorKind::WouldBlock) or
/// [`TimedOut`](ErrorKind::TimedOut) ends nothing: ask again when there is more to read.
pub struct EventReader<R> {
    source: R,
    feed: Feed<Filled>,
}

/// How much is asked of the source at once: above what an HTTP client hands on at a time.
const BUFFER: usize = 16 * 1024;

/// A buffer, filled as far as `length`.
struct Filled {
    bytes: Box<[u8]>,
    length: usize,
}

impl AsRef<[u8]> for Filled {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl<R: Read> EventReader<R> {
    /// Events of what `source` reads. It needs no buffer of its own.
    pub fn new(source: R, protocol: Protocol) -> Self {
        EventReader::with_decoder(source, Decoder::new(protocol))
    }

    /// Events by a decoder with options of the caller's.
    pub fn with_decoder(source: R, decoder: Decoder) -> Self {
        EventReader { source, feed: Feed::new(decoder) }
    }

    /// The next event, lent until the one after it is asked for; `None` when the stream is over.
    ///
    /// # Errors
    /// When the source fails, or as [`Decoder::decode`].
    pub fn next_event(&mut self) -> Option<Result<Event<'_>, StreamError<std::io::Error>>> {
        match self.find() {
            Ok(true) => self.feed.take().map(Ok),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Drains the stream.
    ///
    /// ```
    /// use toolcall::Protocol;
    /// use toolcall::io::EventReader;
    ///
    /// let body: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\
    ///     \"finish_reason\":\"stop\"}]}\n\n";
    /// let message = EventReader::new(body, Protocol::OpenAiChat).collect_message()?;
    /// assert_eq!(message.text, "Hi");
    /// assert_eq!(message.calls().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Interrupted`], with what was read, if the source failed or could not be read to its end.
    pub fn collect_message(mut self) -> Result<Message, Interrupted<StreamError<std::io::Error>>> {
        let mut collector = Collector::default();
        while let Some(item) = self.next_event() {
            let is_waiting = matches!(&item, Err(StreamError::Transport(error)) if is_wait(error));
            collector.take(item);
            if is_waiting {
                self.feed.end(); // nobody can ask again: the reader is gone with this call
            }
        }
        collector.finish()
    }

    /// Reads until an event is ready; `false` when none will come.
    fn find(&mut self) -> Result<bool, StreamError<std::io::Error>> {
        loop {
            match self.feed.advance()? {
                Progress::Ready => return Ok(true),
                Progress::Over => return Ok(false),
                Progress::Hungry => self.fill()?,
            }
        }
    }

    fn fill(&mut self) -> Result<(), std::io::Error> {
        let new = || Filled { bytes: vec![0; BUFFER].into_boxed_slice(), length: 0 };
        let mut buffer = self.feed.take_back().unwrap_or_else(new);
        let read = loop {
            match self.source.read(&mut buffer.bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        buffer.length = *read.as_ref().unwrap_or(&0);
        let is_waiting = read.as_ref().is_err_and(is_wait);
        match buffer.length {
            0 if !is_waiting => self.feed.end(),
            _ => self.feed.give(buffer),
        }
        read.map(drop)
    }
}

impl<R> EventReader<R> {
    /// The raw arguments of a call as far as they have come; see [`Decoder::arguments_so_far`].
    pub fn arguments_so_far(&self, key: CallKey) -> Option<&str> {
        self.feed.decoder().arguments_so_far(key)
    }

    /// The protocol; [`Protocol::Auto`] until it is known.
    pub fn protocol(&self) -> Protocol {
        self.feed.decoder().protocol()
    }

    /// The format of the calls in the text; see [`Decoder::text_format`].
    pub fn text_format(&self) -> Option<&'static crate::text::Format> {
        self.feed.decoder().text_format()
    }

    /// The source. Bytes that were read from it and not yet decoded are lost.
    pub fn into_inner(self) -> R {
        self.source
    }
}

impl<R: Read> Iterator for EventReader<R> {
    type Item = Result<Event<'static>, StreamError<std::io::Error>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_event().map(|item| item.map(Event::into_owned))
    }
}

impl<R: fmt::Debug> fmt::Debug for EventReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reader = f.debug_struct("EventReader");
        reader.field("source", &self.source).field("decoder", self.feed.decoder()).finish()
    }
}

/// Whether reading may go on after the error.
fn is_wait(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
