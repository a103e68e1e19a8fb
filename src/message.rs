//! A whole message, for those who do not want events.

use alloc::string::String;
use alloc::vec::Vec;

use crate::call::{CallKey, ToolCall};
use crate::diagnostic::InvalidToolCall;
use crate::event::{Event, Extra, Outcome, ProviderError};
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

    /// Whether the stream ended as its protocol wants.
    pub fn is_complete(&self) -> bool {
        self.outcome == Some(Outcome::Complete)
    }
}

fn key(result: &Result<ToolCall, InvalidToolCall>) -> CallKey {
    match result {
        Ok(call) => call.key(),
        Err(invalid) => invalid.key(),
    }
}
