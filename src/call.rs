//! What a stream ends in: calls that can be executed.

use alloc::string::String;
use core::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::Value;

use crate::diagnostic::ParseError;
use crate::extras::Extras;
use crate::warning::{Warning, Warnings};

/// Names one call of one stream: the choice it belongs to and its position in that choice, in order
/// of first appearance. Never the wire's own index, which may repeat, jump or lack. Made to be the key
/// of a map of what is shown of each call.
///
/// ```
/// use std::collections::BTreeMap;
/// use toolcall::{CallKey, Event};
///
/// fn collect(shown: &mut BTreeMap<CallKey, String>, event: &Event<'_>) {
///     if let Event::ToolCallDelta(delta) = event {
///         let text = shown.entry(delta.key).or_default();
///         if delta.replaces {
///             text.clear();
///         }
///         text.push_str(&delta.fragment);
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct CallKey {
    /// The choice (`n > 1`), 0 where the protocol has none.
    pub choice: u32,
    /// 0 for the choice's first call.
    pub position: u32,
}

/// Who executes a call, and how its arguments are written.
///
/// ```
/// use toolcall::{CallKind, ToolCall};
///
/// fn is_mine(call: &ToolCall) -> bool {
///     matches!(call.kind(), CallKind::Function | CallKind::Custom)
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CallKind {
    /// A function of the client's: JSON arguments.
    #[default]
    Function,
    /// A custom tool of the client's: free text, never parsed.
    Custom,
    /// A tool the provider runs itself. Not to be executed.
    Server,
    /// A call to an MCP server that the provider made. Not to be executed.
    Mcp,
}

impl CallKind {
    /// The kind's stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            CallKind::Function => "function",
            CallKind::Custom => "custom",
            CallKind::Server => "server",
            CallKind::Mcp => "mcp",
        }
    }
}

/// A call that is proved whole and whose arguments are valid.
///
/// There is no public way to make one: it comes out of a
/// [`ToolCallEnd`](crate::event::ToolCallEnd) only.
///
/// ```
/// use toolcall::{CallKind, Message, Protocol};
///
/// let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":\
///     {\"name\":\"weather\",\"arguments\":\"{\\\"city\\\":\\\"Oslo\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n";
/// let message = Message::from_chunks(Protocol::OpenAiChat, [stream])?;
/// let call = message.calls().next().unwrap();
/// assert_eq!((call.id(), call.name()), (Some("call_1"), "weather"));
/// assert_eq!(call.kind(), CallKind::Function); // or who else is to run it
/// assert_eq!((call.key().choice, call.key().position), (0, 0));
/// assert_eq!(call.warnings().count(), 0); // nothing was odd about it
/// assert!(call.extras().is_empty()); // nothing that must go back with it
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct ToolCall {
    pub(crate) key: CallKey,
    pub(crate) kind: CallKind,
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    pub(crate) warnings: Warnings,
    pub(crate) extras: Extras,
}

impl ToolCall {
    /// Which call of the stream this is.
    pub fn key(&self) -> CallKey {
        self.key
    }

    /// Who executes it.
    pub fn kind(&self) -> CallKind {
        self.kind
    }

    /// The id to answer with; `None` where the wire gave none (or an empty one).
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The tool's name as the wire gave it; empty, with [`Warning::MissingName`], where it gave none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// What must go back with the call in the next request.
    pub fn extras(&self) -> &Extras {
        &self.extras
    }

    /// What was odd about the call on the wire though it is whole.
    pub fn warnings(&self) -> impl Iterator<Item = Warning> + '_ {
        self.warnings.iter()
    }
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("key", &self.key)
            .field("kind", &self.kind)
            .field("id", &self.id)
            .field("name", &self.name)
            .field("arguments", &self.arguments.raw)
            .field("warnings", &self.warnings)
            .finish()
    }
}

/// The arguments of a [`ToolCall`]: text that is a JSON object (or free text, for a custom tool).
///
/// ```
/// use serde::Deserialize;
/// use toolcall::{Message, Protocol};
///
/// #[derive(Deserialize)]
/// struct Weather {
///     city: String,
/// }
///
/// let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":\
///     {\"name\":\"weather\",\"arguments\":\"{\\\"city\\\":\\\"Oslo\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n";
/// let message = Message::from_chunks(Protocol::OpenAiChat, [stream])?;
/// let call = message.calls().next().unwrap();
/// assert_eq!(call.arguments().raw(), "{\"city\":\"Oslo\"}");
/// assert_eq!(call.arguments().value()["city"], "Oslo");
/// assert_eq!(call.arguments().parse::<Weather>()?.city, "Oslo");
/// assert!(!call.arguments().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    /// Valid JSON object text, or white space only, or (kind custom) anything.
    pub(crate) raw: String,
    /// A proven reading other than `raw`, taken because the caller asked for it.
    pub(crate) recovered: Option<String>,
    pub(crate) free_text: bool,
}

impl Arguments {
    /// The text exactly as it came, all fragments joined. May be empty: a tool without parameters.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The arguments as a JSON value; `{}` for an empty text, a string for a custom tool's free text.
    ///
    /// Parses at each call. That cannot fail: the text was validated at the stop by exactly the
    /// rules of `serde_json::Value`.
    pub fn value(&self) -> Value {
        if self.free_text {
            return Value::String(self.raw.clone());
        }
        serde_json::from_str(self.text()).unwrap_or(Value::Null)
    }

    /// The arguments as a type of the caller's. A custom tool's free text is read as a string.
    ///
    /// # Errors
    /// Where they do not fit the type: which value does not, what would, and where it stands.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ParseError> {
        if self.free_text {
            let text: StrDeserializer<'_, serde_json::Error> =
                self.raw.as_str().into_deserializer();
            return T::deserialize(text)
                .map_err(|error| ParseError::of_free_text(error, &self.raw));
        }
        let text = self.text();
        serde_json::from_str(text).map_err(|error| match self.is_empty() {
            true => ParseError::of_free_text(error, &self.raw),
            // A reading that was recovered is the end of the raw text.
            false => ParseError::of_json(error, text, self.raw.len() - text.len()),
        })
    }

    /// Whether the wire sent no argument text at all.
    pub fn is_empty(&self) -> bool {
        self.raw.trim_ascii().is_empty()
    }

    /// The JSON text that stands for the call.
    fn text(&self) -> &str {
        match &self.recovered {
            Some(text) => text,
            None if self.is_empty() => "{}",
            None => &self.raw,
        }
    }
}
