//! The wire formats: one framed envelope in, [`Delta`]s out. One file per format.

pub(crate) mod anthropic;
pub(crate) mod delta;
pub(crate) mod envelope;
pub(crate) mod fields;
pub(crate) mod json;
pub(crate) mod openai_chat;

use crate::frame::Frame;
use crate::protocol::Protocol;
use delta::Sink;

/// A known event whose payload is no JSON: a fragment may be lost with it, so the stream cannot be
/// trusted any further.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Malformed {
    /// Where in the payload.
    pub at: usize,
}

impl From<json::Unexpected> for Malformed {
    fn from(fault: json::Unexpected) -> Self {
        Malformed { at: fault.at }
    }
}

/// The reader of one stream's wire format.
#[derive(Debug)]
pub(crate) enum Reader {
    OpenAiChat(openai_chat::Reader),
    Anthropic(anthropic::Reader),
}

impl Reader {
    /// The reader of a protocol; `None` for [`Protocol::Auto`], which the first event decides.
    pub fn new(protocol: Protocol) -> Option<Self> {
        match protocol {
            Protocol::Auto => None,
            Protocol::OpenAiChat => Some(Reader::OpenAiChat(Default::default())),
            Protocol::AnthropicMessages => Some(Reader::Anthropic(Default::default())),
        }
    }

    /// Reads every envelope in full from now on.
    pub fn forget_shapes(&mut self) {
        match self {
            Reader::OpenAiChat(reader) => reader.envelope.forget_shapes(),
            Reader::Anthropic(reader) => reader.envelope.forget_shapes(),
        }
    }

    /// Reads one event.
    pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        match self {
            Reader::OpenAiChat(reader) => reader.read(frame, sink),
            Reader::Anthropic(reader) => reader.read(frame, sink),
        }
    }
}

/// The sentinel that OpenAI ends its streams with, and others ape.
pub(crate) fn is_done(data: &[u8]) -> bool {
    matches!(data.trim_ascii(), b"[DONE]" | b"DONE")
}
