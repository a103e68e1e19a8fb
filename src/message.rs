//! A whole message, for those who do not want events.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::call::{CallKey, ToolCall};
use crate::decoder::Decoder;
use crate::diagnostic::{InvalidToolCall, Misrouted};
use crate::error::Error;
use crate::event::{Event, Extra, Outcome, ProviderError};
use crate::protocol::Protocol;
use crate::stop::StopReason;
use crate::warning::Warning;

/// All that a stream's events said, put together.
///
/// Where a response has several choices, the texts and the stop are those of choice 0; the calls are
/// those of all.
///
/// ```
/// use toolcall::{Decoder, Message, Protocol};
///
/// let mut decoder = Decoder::new(Protocol::AnthropicMessages);
/// let mut message = Message::default();
/// let mut input: &[u8] = b"data: {\"type\":\"content_block_delta\",\"index\":0,\
///     \"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n";
/// while let Some(event) = decoder.decode(&mut input)? {
///     message.push(event);
/// }
/// while let Some(event) = decoder.decode_eof()? {
///     message.push(event);
/// }
/// assert_eq!(message.text, "Hi");
/// assert!(!message.is_complete()); // no stop reason came
/// # Ok::<(), toolcall::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Message {
    /// The provider's id of the response; empty where none was given.
    pub id: String,
    /// The model that answered; empty where none was given.
    pub model: String,
    /// The answer's text.
    pub text: String,
    /// The model's reasoning.
    pub reasoning: String,
    /// A refusal's text.
    pub refusal: String,
    /// Why the message stopped, if the wire said it.
    pub stop: Option<StopReason>,
    /// The last token counts, as the provider's own JSON object.
    pub usage: Option<String>,
    /// An error that the provider reported inside the stream.
    pub error: Option<ProviderError<'static>>,
    /// What must go back with the message in the next request, and what else belongs to it, in order.
    /// That of a call is with the call.
    pub extras: Vec<Extra<'static>>,
    /// Deviations of the stream, each once; those of a call are with the call.
    pub warnings: Vec<Warning>,
    /// How the stream ended; `None` while it goes on.
    pub outcome: Option<Outcome>,
    /// Ordered by key once the stream is over.
    results: Vec<Result<ToolCall, InvalidToolCall>>,
}

impl Message {
    /// The message of a whole stream that is at hand, in whatever pieces it came.
    ///
    /// A call that failed is no error: it is among the [`invalid_calls`](Message::invalid_calls).
    ///
    /// ```
    /// use toolcall::{Message, Protocol};
    ///
    /// let chunks = [
    ///     "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":",
    ///     "{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
    /// ];
    /// let message = Message::from_chunks(Protocol::OpenAiChat, chunks)?;
    /// assert_eq!(message.calls().next().unwrap().name(), "f");
    /// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Interrupted`], with what could be read, where the stream itself cannot be read to its end.
    pub fn from_chunks(
        protocol: Protocol,
        chunks: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<Message, Interrupted<Error>> {
        Message::from_chunks_with(Decoder::new(protocol), chunks)
    }

    /// [`from_chunks`](Message::from_chunks) by a decoder with options of the caller's.
    ///
    /// # Errors
    /// As [`from_chunks`](Message::from_chunks).
    pub fn from_chunks_with(
        mut decoder: Decoder,
        chunks: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<Message, Interrupted<Error>> {
        let mut collector = Collector::default();
        for chunk in chunks {
            let mut input = chunk.as_ref();
            while let Some(event) = decoder.decode(&mut input).transpose() {
                collector.take(event);
            }
        }
        while let Some(event) = decoder.decode_eof().transpose() {
            collector.take(event);
        }
        collector.finish()
    }

    /// Takes in an event.
    pub fn push(&mut self, event: Event<'_>) {
        match event {
            Event::MessageStart(start) => {
                self.id = start.id.into_owned();
                self.model = start.model.into_owned();
            }
            Event::Text(text) if text.choice == 0 => self.text.push_str(&text.text),
            Event::Reasoning(text) if text.choice == 0 => self.reasoning.push_str(&text.text),
            Event::Refusal(text) if text.choice == 0 => self.refusal.push_str(&text.text),
            Event::ToolCallEnd(end) => {
                let at = self.results.partition_point(|result| key(result) < end.key);
                self.results.insert(at, end.result);
            }
            Event::Extra(extra) => self.extras.push(extra.into_owned()),
            Event::Usage(usage) => self.usage = Some(usage.json.into_owned()),
            Event::Stop(stop) if stop.choice == 0 => self.stop = Some(stop.reason),
            Event::ProviderError(_) => {
                if let Event::ProviderError(error) = event.into_owned() {
                    self.error.get_or_insert(error);
                }
            }
            Event::Warning(event) if !self.warnings.contains(&event.warning) => {
                self.warnings.push(event.warning);
            }
            Event::End(end) => self.outcome = Some(end.outcome),
            _ => {}
        }
    }

    /// Every call in order of first appearance: parsed, or failed.
    pub fn results(&self) -> &[Result<ToolCall, InvalidToolCall>] {
        &self.results
    }

    /// The calls that can be executed, as far as their [kind](crate::CallKind) is the client's.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.results.iter().filter_map(|result| result.as_ref().ok())
    }

    /// The calls that failed.
    pub fn invalid_calls(&self) -> impl Iterator<Item = &InvalidToolCall> {
        self.results.iter().filter_map(|result| result.as_ref().err())
    }

    /// Where two calls failed because a fragment of one came under the other: each such pair, as
    /// [`InvalidToolCall::misrouted_with`] finds it. Looks at the first eight failed calls.
    pub fn misrouted(&self) -> impl Iterator<Item = Misrouted> + '_ {
        const LOOKED_AT: usize = 8;
        let failed = || self.invalid_calls().take(LOOKED_AT).enumerate();
        failed().flat_map(move |(n, a)| {
            failed().skip(n + 1).filter_map(move |(_, b)| a.misrouted_with(b))
        })
    }

    /// Whether the stream ended as its protocol wants.
    pub fn is_complete(&self) -> bool {
        self.outcome == Some(Outcome::Complete)
    }
}

impl<'a> Extend<Event<'a>> for Message {
    fn extend<I: IntoIterator<Item = Event<'a>>>(&mut self, events: I) {
        events.into_iter().for_each(|event| self.push(event));
    }
}

impl<'a> FromIterator<Event<'a>> for Message {
    fn from_iter<I: IntoIterator<Item = Event<'a>>>(events: I) -> Self {
        let mut message = Message::default();
        message.extend(events);
        message
    }
}

/// A stream that could not be read to its end, and what it had said.
///
/// Its calls are as good as those of any [`Message`]: one that the failure cut is among the invalid
/// ones, as truncated.
///
/// ```
/// use toolcall::{Message, Protocol};
///
/// let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: {{{\n\n";
/// let interrupted = Message::from_chunks(Protocol::OpenAiChat, [stream]).unwrap_err();
/// assert_eq!(interrupted.partial.text, "Hi");
/// assert!(interrupted.to_string().starts_with("expected JSON in an event"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Interrupted<E> {
    /// All that was read, boxed so that the error stays small.
    pub partial: Box<Message>,
    /// Why no more could be read; the first reason, if there were several.
    pub error: E,
}

impl<E: fmt::Display> fmt::Display for Interrupted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<E: core::error::Error> core::error::Error for Interrupted<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.error.source()
    }
}

/// Makes a message of a stream's items. An error does not end the stream: what it decides about the
/// open calls comes after it.
#[derive(Debug)]
pub(crate) struct Collector<E> {
    message: Message,
    error: Option<E>,
}

impl<E> Default for Collector<E> {
    fn default() -> Self {
        Collector { message: Message::default(), error: None }
    }
}

impl<E> Collector<E> {
    pub fn take(&mut self, item: Result<Event<'_>, E>) {
        match item {
            Ok(event) => self.message.push(event),
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
    }

    pub fn finish(self) -> Result<Message, Interrupted<E>> {
        match self.error {
            None => Ok(self.message),
            Some(error) => Err(Interrupted { partial: Box::new(self.message), error }),
        }
    }
}

fn key(result: &Result<ToolCall, InvalidToolCall>) -> CallKey {
    match result {
        Ok(call) => call.key(),
        Err(invalid) => invalid.key(),
    }
}
