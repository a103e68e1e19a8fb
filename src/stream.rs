//! Events from an asynchronous stream of bytes: the body of any HTTP client.
//!
//! No task is spawned and nothing is queued: an event is decoded when it is asked for, the source is
//! polled when the decoder needs bytes, and dropping the stream stops both. No runtime is needed.
//!
//! ```
//! # async fn body() -> impl futures_core::Stream<Item = Result<&'static str, std::io::Error>> + Unpin {
//! #     futures_util::stream::iter([Ok("data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},"), Ok("\"finish_reason\":\"stop\"}]}\n\n")])
//! # }
//! use toolcall::stream::ToolCallStreamExt;
//! use toolcall::{Event, Protocol};
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let body = body().await; // reqwest: `response.bytes_stream()`
//! let mut events = body.tool_calls(Protocol::OpenAiChat);
//! while let Some(event) = events.next_event().await {
//!     if let Event::Text(text) = event? {
//!         assert_eq!(text.text, "Hi");
//!     }
//! }
//! # Ok::<(), toolcall::StreamError<std::io::Error>>(())
//! # }).unwrap().unwrap();
//! ```

use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::call::CallKey;
use crate::decoder::Decoder;
use crate::event::Event;
use crate::feed::{Feed, Progress, StreamError};
use crate::message::{Collector, Interrupted, Message};
use crate::protocol::Protocol;

/// Puts [`tool_calls`](ToolCallStreamExt::tool_calls) on every stream of byte chunks. The
/// [module](self) has an example.
pub trait ToolCallStreamExt<B: AsRef<[u8]>, E>: Stream<Item = Result<B, E>> + Sized {
    /// The events of what this stream carries.
    fn tool_calls(self, protocol: Protocol) -> ToolCallStream<Self, B> {
        self.tool_calls_with(Decoder::new(protocol))
    }

    /// The events by a decoder with options of the caller's.
    ///
    /// ```
    /// use toolcall::stream::ToolCallStreamExt;
    /// use toolcall::{Decoder, Limits, Options, Protocol};
    ///
    /// # let body = futures_util::stream::iter([Ok::<_, std::io::Error>("")]);
    /// let options = Options::default().limits(Limits::gateway());
    /// let events = body.tool_calls_with(Decoder::with_options(Protocol::Auto, options));
    /// # drop(events);
    /// ```
    fn tool_calls_with(self, decoder: Decoder) -> ToolCallStream<Self, B> {
        ToolCallStream { source: self, feed: Feed::new(decoder) }
    }
}

impl<S: Stream<Item = Result<B, E>>, B: AsRef<[u8]>, E> ToolCallStreamExt<B, E> for S {}

pin_project! {
    /// The events of a stream of byte chunks; made by [`ToolCallStreamExt::tool_calls`].
    ///
    /// As a [`Stream`] it gives the events away (`Event<'static>`);
    /// [`next_event`](ToolCallStream::next_event) lends them without a copy.
    ///
    /// An error does not end the events: the calls that were open then come after it, as truncated,
    /// and [`Event::End`] is last. The source is not polled again after it failed or ended.
    #[must_use = "streams do nothing unless polled"]
    pub struct ToolCallStream<S, B> {
        #[pin]
        source: S,
        feed: Feed<B>,
    }
}

impl<S, B, E> ToolCallStream<S, B>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    /// The next event, lent until the one after it is asked for; `None` when the stream is over.
    ///
    /// A stream that is not [`Unpin`] can be pinned first, as by [`core::pin::pin!`]. The future may
    /// be dropped at any time, as in a `select!`: no event is lost.
    ///
    /// # Errors
    /// When the source fails, or as [`Decoder::decode`].
    pub async fn next_event(&mut self) -> Option<Result<Event<'_>, StreamError<E>>>
    where
        S: Unpin,
    {
        match poll_fn(|context| Pin::new(&mut *self).poll_find(context)).await {
            Ok(true) => self.feed.take().map(Ok),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Drains the stream.
    ///
    /// ```
    /// use toolcall::Protocol;
    /// use toolcall::stream::ToolCallStreamExt;
    ///
    /// # let body = futures_util::stream::iter([Ok::<_, std::io::Error>("data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n")]);
    /// # futures_util::FutureExt::now_or_never(async {
    /// let message = body.tool_calls(Protocol::OpenAiChat).collect_message().await?;
    /// assert_eq!(message.text, "Hi");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Interrupted`], with what was read, if the source failed or could not be read to its end.
    pub fn collect_message(self) -> CollectMessage<Self, StreamError<E>> {
        CollectMessage::new(self)
    }

    /// Polls until an event is ready; `false` when none will come.
    fn poll_find(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Result<bool, StreamError<E>>> {
        let mut this = self.project();
        loop {
            match this.feed.advance()? {
                Progress::Ready => return Poll::Ready(Ok(true)),
                Progress::Over => return Poll::Ready(Ok(false)),
                Progress::Hungry => {}
            }
            this.feed.take_back(); // its memory goes back while the source is waited for
            match ready!(this.source.as_mut().poll_next(context)) {
                Some(Ok(chunk)) => this.feed.give(chunk),
                None => this.feed.end(),
                Some(Err(error)) => {
                    this.feed.end();
                    return Poll::Ready(Err(StreamError::Transport(error)));
                }
            }
        }
    }
}

impl<S, B: AsRef<[u8]>> ToolCallStream<S, B> {
    /// The raw arguments of a call as far as they have come; see [`Decoder::arguments_so_far`].
    pub fn arguments_so_far(&self, key: CallKey) -> Option<&str> {
        self.feed.decoder().arguments_so_far(key)
    }

    /// The protocol; [`Protocol::Auto`] until it is known.
    pub fn protocol(&self) -> Protocol {
        self.feed.decoder().protocol()
    }
}

impl<S, B, E> Stream for ToolCallStream<S, B>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    type Item = Result<Event<'static>, StreamError<E>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(match ready!(self.as_mut().poll_find(context)) {
            Ok(true) => self.project().feed.take().map(|event| Ok(event.into_owned())),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        })
    }
}

impl<S, B, E> FusedStream for ToolCallStream<S, B>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    fn is_terminated(&self) -> bool {
        self.feed.is_over()
    }
}

impl<S: fmt::Debug, B: AsRef<[u8]>> fmt::Debug for ToolCallStream<S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stream = f.debug_struct("ToolCallStream");
        stream.field("source", &self.source).field("decoder", self.feed.decoder()).finish()
    }
}

/// Puts [`collect_message`](EventStreamExt::collect_message) on every stream of events, such as a
/// `FramedRead` with a `ToolCallCodec` (feature `codec`).
pub trait EventStreamExt<E>: Stream<Item = Result<Event<'static>, E>> + Sized {
    /// Drains the stream; as [`ToolCallStream::collect_message`].
    ///
    /// ```
    /// use tokio_util::codec::FramedRead;
    /// use toolcall::Protocol;
    /// use toolcall::codec::ToolCallCodec;
    /// use toolcall::stream::EventStreamExt;
    ///
    /// # futures_util::FutureExt::now_or_never(async {
    /// let body: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\
    ///     \"finish_reason\":\"stop\"}]}\n\n"; // a socket, a pipe, a file
    /// let events = FramedRead::new(body, ToolCallCodec::new(Protocol::OpenAiChat));
    /// let message = events.collect_message().await?;
    /// assert_eq!(message.text, "Hi");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    fn collect_message(self) -> CollectMessage<Self, E> {
        CollectMessage::new(self)
    }
}

impl<S: Stream<Item = Result<Event<'static>, E>>, E> EventStreamExt<E> for S {}

pin_project! {
    /// A future of a whole [`Message`]; made by [`ToolCallStream::collect_message`].
    #[must_use = "futures do nothing unless awaited"]
    #[derive(Debug)]
    pub struct CollectMessage<S, E> {
        #[pin]
        events: S,
        collector: Collector<E>,
    }
}

impl<S, E> CollectMessage<S, E> {
    fn new(events: S) -> Self {
        CollectMessage { events, collector: Collector::default() }
    }
}

impl<S: Stream<Item = Result<Event<'static>, E>>, E> Future for CollectMessage<S, E> {
    type Output = Result<Message, Interrupted<E>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        while let Some(item) = ready!(this.events.as_mut().poll_next(context)) {
            this.collector.take(item);
        }
        Poll::Ready(core::mem::take(this.collector).finish())
    }
}
