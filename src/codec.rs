//! Events by way of [`tokio_util::codec`]: from any `AsyncRead`.
//!
//! ```
//! use futures_util::StreamExt;
//! use tokio_util::codec::FramedRead;
//! use toolcall::codec::ToolCallCodec;
//! use toolcall::{Event, Protocol};
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let body: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\
//!     \"finish_reason\":\"stop\"}]}\n\n"; // a socket, a pipe, a file
//! let mut events = FramedRead::new(body, ToolCallCodec::new(Protocol::OpenAiChat));
//! while let Some(event) = events.next().await {
//!     if let Event::Text(text) = event? {
//!         assert_eq!(text.text, "Hi");
//!     }
//! }
//! # Ok::<(), toolcall::StreamError<std::io::Error>>(())
//! # }).unwrap().unwrap();
//! ```

use bytes::{Buf, BytesMut};

use crate::call::CallKey;
use crate::decoder::Decoder;
use crate::error::Error;
use crate::event::Event;
use crate::feed::StreamError;
use crate::protocol::Protocol;

/// A [`tokio_util::codec::Decoder`] whose frames are events. The [module](self) has an example.
///
/// A `FramedRead` ends at the first error. So that nothing is lost by it, the calls that an error
/// leaves open come *before* it here, as truncated; everywhere else they come after it.
#[derive(Debug)]
pub struct ToolCallCodec {
    decoder: Decoder,
    /// Held back until the events that go with it are given out.
    failure: Option<Error>,
}

impl ToolCallCodec {
    /// A codec for one stream.
    pub fn new(protocol: Protocol) -> Self {
        ToolCallCodec::with_decoder(Decoder::new(protocol))
    }

    /// A codec with a decoder with options of the caller's.
    pub fn with_decoder(decoder: Decoder) -> Self {
        ToolCallCodec { decoder, failure: None }
    }

    /// The raw arguments of a call as far as they have come; see [`Decoder::arguments_so_far`]. On a
    /// `FramedRead`: `events.decoder().arguments_so_far(key)`.
    pub fn arguments_so_far(&self, key: CallKey) -> Option<&str> {
        self.decoder.arguments_so_far(key)
    }

    /// The protocol; [`Protocol::Auto`] until it is known.
    pub fn protocol(&self) -> Protocol {
        self.decoder.protocol()
    }

    /// What `step` finds, an error last.
    fn next(
        &mut self,
        mut step: impl FnMut(&mut Decoder) -> Result<bool, Error>,
    ) -> Result<Option<Event<'static>>, StreamError<std::io::Error>> {
        loop {
            match step(&mut self.decoder) {
                Ok(true) => return Ok(self.decoder.ready().map(Event::into_owned)),
                Ok(false) => {
                    return self.failure.take().map_or(Ok(None), |error| Err(error.into()));
                }
                Err(error) => {
                    self.failure.get_or_insert(error);
                }
            }
        }
    }
}

impl tokio_util::codec::Decoder for ToolCallCodec {
    type Item = Event<'static>;
    type Error = StreamError<std::io::Error>;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Event<'static>>, Self::Error> {
        self.next(|decoder| {
            let mut input = &source[..];
            let found = decoder.advance(&mut input);
            let read = source.len() - input.len();
            source.advance(read);
            found
        })
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Event<'static>>, Self::Error> {
        match self.decode(source)? {
            Some(event) => Ok(Some(event)),
            None => self.next(Decoder::advance_eof),
        }
    }
}
