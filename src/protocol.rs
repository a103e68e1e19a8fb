//! The protocols: their names, their bodies and what each can express.

use core::fmt;
use core::str::FromStr;

use alloc::format;

use crate::error::{Error, ErrorKind, Position};
use crate::frame::Body;
use crate::warning::Warning;

/// A provider API's streaming format.
///
/// ```
/// use toolcall::Protocol;
///
/// let protocol: Protocol = "anthropic".parse()?;
/// assert_eq!(protocol, Protocol::AnthropicMessages);
/// assert!(protocol.traits().call_stop);
/// # Ok::<(), toolcall::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Protocol {
    /// Told from the body's first bytes and the first event that says it.
    #[default]
    Auto,
    /// OpenAI Chat Completions, and all servers that speak it.
    OpenAiChat,
    /// OpenAI Responses, and servers that speak it.
    OpenAiResponses,
    /// Anthropic Messages.
    AnthropicMessages,
    /// Google Gemini `streamGenerateContent`, on the Gemini API and on Vertex AI.
    Gemini,
    /// Google Gemini Interactions.
    GeminiInteractions,
    /// AWS Bedrock `ConverseStream`, and `InvokeModelWithResponseStream` of models that speak
    /// Anthropic Messages or Chat Completions.
    Bedrock,
    /// Cohere v2 chat.
    Cohere,
    /// Ollama's own `/api/chat`.
    Ollama,
}

/// What a protocol's streams can express.
///
/// An example is at [`Protocol::traits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traits {
    /// Arguments come in fragments; otherwise each call comes whole.
    pub fragments: bool,
    /// Each call has a stop of its own; otherwise only its message has one.
    pub call_stop: bool,
    /// A stop reason says that tools were called; otherwise only the calls themselves say it.
    pub tool_stop: bool,
    /// Every call has an id.
    pub call_ids: bool,
    /// Custom tools: free text in the place of JSON.
    pub custom_tools: bool,
    /// Calls that the provider runs itself stand in the stream.
    pub server_tools: bool,
    /// A response can have several choices.
    pub choices: bool,
}

/// The row of a protocol.
struct Row {
    protocol: Protocol,
    name: &'static str,
    /// The first one is meant where the first byte tells nothing.
    bodies: &'static [Body],
    traits: Traits,
}

const NONE: Traits = Traits {
    fragments: false,
    call_stop: false,
    tool_stop: false,
    call_ids: false,
    custom_tools: false,
    server_tools: false,
    choices: false,
};
const SSE: &[Body] = &[Body::EventStream];
const AUTO: Row = Row {
    protocol: Protocol::Auto,
    name: "auto",
    bodies: &[Body::EventStream, Body::NdJson, Body::JsonArray, Body::BinaryEventStream],
    traits: NONE,
};

/// A protocol a row.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { protocol: Protocol::OpenAiChat, name: "openai-chat", bodies: SSE,
        traits: Traits { fragments: true, tool_stop: true, call_ids: true, custom_tools: true, choices: true, ..NONE } },
    Row { protocol: Protocol::OpenAiResponses, name: "openai-responses", bodies: SSE,
        traits: Traits { fragments: true, call_stop: true, call_ids: true, custom_tools: true, server_tools: true, ..NONE } },
    Row { protocol: Protocol::AnthropicMessages, name: "anthropic", bodies: SSE,
        traits: Traits { fragments: true, call_stop: true, tool_stop: true, call_ids: true, server_tools: true, ..NONE } },
    Row { protocol: Protocol::Gemini, name: "gemini", bodies: &[Body::EventStream, Body::JsonArray],
        traits: Traits { server_tools: true, choices: true, ..NONE } },
    Row { protocol: Protocol::GeminiInteractions, name: "gemini-interactions", bodies: SSE,
        traits: Traits { fragments: true, call_stop: true, tool_stop: true, call_ids: true, server_tools: true, ..NONE } },
    Row { protocol: Protocol::Bedrock, name: "bedrock", bodies: &[Body::BinaryEventStream, Body::NdJson],
        traits: Traits { fragments: true, call_stop: true, tool_stop: true, call_ids: true, server_tools: true, ..NONE } },
    Row { protocol: Protocol::Cohere, name: "cohere", bodies: SSE,
        traits: Traits { fragments: true, call_stop: true, tool_stop: true, call_ids: true, ..NONE } },
    Row { protocol: Protocol::Ollama, name: "ollama", bodies: &[Body::NdJson],
        traits: NONE },
];

impl Protocol {
    /// All protocols that have a format of their own.
    pub const ALL: &'static [Protocol] = &{
        let mut all = [Protocol::Auto; ROWS.len()];
        let mut at = 0;
        while at < ROWS.len() {
            all[at] = ROWS[at].protocol;
            at += 1;
        }
        all
    };

    /// The protocol's stable name, as the program takes and prints it.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// What its streams can express; nothing, for [`Protocol::Auto`].
    ///
    /// ```
    /// use toolcall::Protocol;
    ///
    /// assert!(Protocol::AnthropicMessages.traits().call_stop);
    /// assert!(!Protocol::OpenAiChat.traits().call_stop);
    /// ```
    pub fn traits(self) -> &'static Traits {
        &self.row().traits
    }

    /// The bodies that its streams come in.
    pub fn bodies(self) -> &'static [Body] {
        self.row().bodies
    }

    /// What lacks where a call has no stop of its own.
    pub(crate) fn missing_stop(self) -> Warning {
        match self {
            Protocol::OpenAiResponses => Warning::MissingItemDone,
            _ => Warning::MissingBlockStop,
        }
    }

    /// Whether a choice's stop reason is the last word about it: no end mark follows.
    pub(crate) fn ends_by_stop(self) -> bool {
        self == Protocol::Gemini
    }

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.protocol == self).unwrap_or(&AUTO)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Protocol {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match ROWS.iter().chain([&AUTO]).find(|row| row.name == name) {
            Some(row) => Ok(row.protocol),
            None => Err(Error::new(
                ErrorKind::UnknownProtocol,
                Position::default(),
                format!("expected the name of a protocol, found `{name}`"),
            )),
        }
    }
}
