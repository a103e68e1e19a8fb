//! The protocols, their names, and how one is told from the first event.

use core::fmt;
use core::str::FromStr;

use alloc::format;

use crate::error::{Error, ErrorKind, Position};
use crate::frame::Frame;

/// A provider API's streaming format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Protocol {
    /// Told from the first event.
    #[default]
    Auto,
    /// OpenAI Chat Completions, and all servers that speak it.
    OpenAiChat,
    /// Anthropic Messages.
    AnthropicMessages,
}

impl Protocol {
    /// All protocols that have a format of their own.
    pub const ALL: &'static [Protocol] = &[Protocol::OpenAiChat, Protocol::AnthropicMessages];

    /// The protocol's stable name, as the program takes and prints it.
    pub fn as_str(self) -> &'static str {
        match self {
            Protocol::Auto => "auto",
            Protocol::OpenAiChat => "openai-chat",
            Protocol::AnthropicMessages => "anthropic",
        }
    }

    /// The protocol that an event belongs to, where it says.
    pub(crate) fn detect(frame: &Frame<'_>) -> Option<Protocol> {
        let has = |needle: &str| memchr::memmem::find(frame.data, needle.as_bytes()).is_some();
        const ANTHROPIC: &[&str] = &[
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ];
        let quoted = |name: &&&str| has(&format!("\"{name}\""));
        if ANTHROPIC.iter().any(|name| frame.name == name.as_bytes())
            || has("\"type\"") && ANTHROPIC.iter().any(|name| quoted(&name))
        {
            return Some(Protocol::AnthropicMessages);
        }
        has("\"choices\"").then_some(Protocol::OpenAiChat)
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
        let named = |protocol: &&Protocol| protocol.as_str() == name;
        match Protocol::ALL.iter().chain(&[Protocol::Auto]).find(named) {
            Some(protocol) => Ok(*protocol),
            None => Err(Error::new(
                ErrorKind::UnknownProtocol,
                Position::default(),
                format!("expected the name of a protocol, found `{name}`"),
            )),
        }
    }
}
