//! What the decoder gives out, one at a time. [`Event`] has an example that takes the usual ones.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;

use crate::call::{CallKey, CallKind, ToolCall};
use crate::diagnostic::InvalidToolCall;
use crate::error::Position;
use crate::stop::StopReason;
use crate::warning::Warning;

/// One event of a message's stream.
///
/// Borrows from the input or from the decoder; [`into_owned`](Event::into_owned) detaches it.
///
/// ```
/// use toolcall::Event;
/// use toolcall::event::Outcome;
///
/// fn take(event: Event<'_>) {
///     match event {
///         Event::Text(text) if text.choice == 0 => print!("{}", text.text),
///         Event::ToolCallStart(start) => println!("{} begins", start.name),
///         Event::ToolCallDelta(delta) if delta.replaces => print!("\r{}", delta.fragment),
///         Event::ToolCallDelta(delta) => print!("{}", delta.fragment), // for display only
///         Event::ToolCallEnd(end) => match end.result {
///             Ok(call) => println!("run {} with {}", call.name(), call.arguments().value()),
///             Err(invalid) => println!("{invalid}"),
///         },
///         Event::Stop(stop) => println!("stop: {}", stop.reason.as_str()),
///         Event::ProviderError(error) => println!("{}: {}", error.kind, error.message),
///         Event::End(end) if end.outcome != Outcome::Complete => println!("not all of it came"),
///         _ => {} // new kinds may come with any version
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The message begins.
    MessageStart(MessageStart<'a>),
    /// A piece of the answer's text.
    Text(Text<'a>),
    /// A piece of the model's reasoning.
    Reasoning(Text<'a>),
    /// A piece of a refusal.
    Refusal(Text<'a>),
    /// A call begins. Comes before all of the call's other events.
    ToolCallStart(ToolCallStart<'a>),
    /// A raw piece of a call's arguments: for display only, never to be executed.
    ToolCallDelta(ToolCallDelta<'a>),
    /// A call is over: parsed, or failed with its whole raw text.
    ToolCallEnd(ToolCallEnd),
    /// Something that must survive for the next request, or belongs to the message and is neither text
    /// nor call: signatures, encrypted reasoning, output of the provider's own tools.
    Extra(Extra<'a>),
    /// Token counts.
    Usage(Usage<'a>),
    /// A choice stops. Where the wire gives several reasons, the last of these events counts.
    Stop(Stop),
    /// The provider reported an error inside the stream. All open calls end after it, as truncated.
    ProviderError(ProviderError<'a>),
    /// A comment line, usually a keep-alive.
    Comment(Cow<'a, [u8]>),
    /// An event that nobody here has modelled, as it came.
    Other(Other<'a>),
    /// A deviation that was tolerated and concerns the stream, not one call.
    Warning(WarningEvent),
    /// The stream is over. The last event.
    End(End),
}

/// See [`Event::MessageStart`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageStart<'a> {
    /// The provider's id of the response; empty where none was given.
    pub id: Cow<'a, str>,
    /// The model that answers; empty where none was given.
    pub model: Cow<'a, str>,
}

/// A piece of text.
///
/// An example is at [`Event`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Text<'a> {
    /// The choice it belongs to.
    pub choice: u32,
    /// The text, never empty.
    pub text: Cow<'a, str>,
}

/// See [`Event::ToolCallStart`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCallStart<'a> {
    /// Which call of the stream.
    pub key: CallKey,
    /// Who executes it.
    pub kind: CallKind,
    /// The call's id, where it is known by now.
    pub id: Option<Cow<'a, str>>,
    /// The tool's name as far as it is known by now; the name in [`ToolCallEnd`] counts.
    pub name: Cow<'a, str>,
}

/// See [`Event::ToolCallDelta`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCallDelta<'a> {
    /// Which call of the stream.
    pub key: CallKey,
    /// The provider's fragment, unescaped once: text of the arguments document.
    pub fragment: Cow<'a, str>,
    /// It takes the place of all fragments before it: the provider's snapshot of the arguments is
    /// another text than they were. What is shown of the call begins anew with it.
    pub replaces: bool,
}

/// See [`Event::ToolCallEnd`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolCallEnd {
    /// Which call of the stream.
    pub key: CallKey,
    /// The call, or why there is none.
    pub result: Result<ToolCall, InvalidToolCall>,
}

/// See [`Event::Extra`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extra<'a> {
    /// The choice it belongs to.
    pub choice: u32,
    /// The wire's own name for it: a key (`signature`, `thoughtSignature`, `reasoning_details`) or a
    /// type (`redacted_thinking`, `reasoning`, `web_search_tool_result`).
    pub name: Cow<'a, str>,
    /// The value, as the provider's own JSON.
    pub json: Cow<'a, str>,
}

/// Token counts. Cumulative: a later one replaces an earlier one, nothing is to be added.
///
/// An example is at [`Event`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage<'a> {
    /// The provider's own JSON object.
    pub json: Cow<'a, str>,
}

/// See [`Event::Stop`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stop {
    /// The choice that stops.
    pub choice: u32,
    /// Why.
    pub reason: StopReason,
}

/// See [`Event::ProviderError`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderError<'a> {
    /// The provider's error type, else its code, else `unknown`.
    pub kind: Cow<'a, str>,
    /// Its message; may be empty.
    pub message: Cow<'a, str>,
    /// The whole payload as it came.
    pub payload: Cow<'a, [u8]>,
}

/// See [`Event::Other`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Other<'a> {
    /// The event's name; empty where it has none.
    pub name: Cow<'a, [u8]>,
    /// The payload as it came.
    pub data: Cow<'a, [u8]>,
    /// Where it lies.
    pub position: Position,
}

/// See [`Event::Warning`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WarningEvent {
    /// Which deviation.
    pub warning: Warning,
    /// Where it was seen.
    pub position: Position,
}

/// See [`Event::End`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct End {
    /// How it ended.
    pub outcome: Outcome,
}

/// How a stream ended.
///
/// ```
/// use toolcall::event::Outcome;
/// use toolcall::{Message, Protocol};
///
/// let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
/// let message = Message::from_chunks(Protocol::OpenAiChat, [stream])?;
/// assert_eq!(message.outcome, Some(Outcome::EndedEarly));
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// With the protocol's own end, or with a stop reason for every choice.
    Complete,
    /// The bytes stopped before that.
    EndedEarly,
    /// With an error, the provider's ([`ProviderError::kind`]) or the decoder's
    /// ([`ErrorKind::as_str`](crate::ErrorKind::as_str)).
    Failed(String),
}

impl Event<'_> {
    /// The same event, borrowing nothing: to keep it, or to send it away.
    ///
    /// ```
    /// use toolcall::{Decoder, Event, Protocol};
    ///
    /// let mut decoder = Decoder::new(Protocol::OpenAiChat);
    /// let mut input: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    /// let mut kept: Vec<Event<'static>> = Vec::new();
    /// while let Some(event) = decoder.decode(&mut input)? {
    ///     kept.push(event.into_owned());
    /// }
    /// assert!(kept.iter().any(|event| matches!(event, Event::Text(text) if text.text == "Hi")));
    /// # Ok::<(), toolcall::Error>(())
    /// ```
    pub fn into_owned(self) -> Event<'static> {
        match self {
            Event::MessageStart(start) => {
                Event::MessageStart(MessageStart { id: owned(start.id), model: owned(start.model) })
            }
            Event::Text(text) => Event::Text(text.into_owned()),
            Event::Reasoning(text) => Event::Reasoning(text.into_owned()),
            Event::Refusal(text) => Event::Refusal(text.into_owned()),
            Event::ToolCallStart(start) => Event::ToolCallStart(ToolCallStart {
                key: start.key,
                kind: start.kind,
                id: start.id.map(owned),
                name: owned(start.name),
            }),
            Event::ToolCallDelta(delta) => Event::ToolCallDelta(ToolCallDelta {
                key: delta.key,
                fragment: owned(delta.fragment),
                replaces: delta.replaces,
            }),
            Event::ToolCallEnd(end) => Event::ToolCallEnd(end),
            Event::Extra(extra) => Event::Extra(extra.into_owned()),
            Event::Usage(usage) => Event::Usage(Usage { json: owned(usage.json) }),
            Event::Stop(stop) => Event::Stop(stop),
            Event::ProviderError(error) => Event::ProviderError(ProviderError {
                kind: owned(error.kind),
                message: owned(error.message),
                payload: owned(error.payload),
            }),
            Event::Comment(comment) => Event::Comment(owned(comment)),
            Event::Other(other) => Event::Other(Other {
                name: owned(other.name),
                data: owned(other.data),
                position: other.position,
            }),
            Event::Warning(warning) => Event::Warning(warning),
            Event::End(end) => Event::End(end),
        }
    }
}

impl Extra<'_> {
    pub(crate) fn into_owned(self) -> Extra<'static> {
        Extra { choice: self.choice, name: owned(self.name), json: owned(self.json) }
    }
}

impl Text<'_> {
    fn into_owned(self) -> Text<'static> {
        Text { choice: self.choice, text: owned(self.text) }
    }
}

fn owned<T: ToOwned + ?Sized>(value: Cow<'_, T>) -> Cow<'static, T> {
    Cow::Owned(value.into_owned())
}
