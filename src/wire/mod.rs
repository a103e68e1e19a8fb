//! The wire formats: one framed envelope in, [`Delta`](delta::Delta)s out. One file per format.

pub(crate) mod anthropic;
pub(crate) mod bedrock;
pub(crate) mod cohere;
pub(crate) mod delta;
pub(crate) mod envelope;
mod extra_name;
pub(crate) mod failure;
pub(crate) mod fields;
pub(crate) mod gemini;
pub(crate) mod gemini_interactions;
mod growth;
pub(crate) mod head;
pub(crate) mod json;
pub(crate) mod ollama;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
mod said;

use crate::frame::Frame;
use crate::protocol::Protocol;
use delta::Sink;
use head::Head;

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

/// One match over all formats: each has `recognises` and a reader.
macro_rules! formats {
    ($($protocol:ident => $format:ident,)*) => {
        /// The reader of one stream's wire format.
        #[derive(Debug)]
        pub(crate) enum Reader {
            $($protocol($format::Reader),)*
        }

        impl Reader {
            /// The reader of a protocol; `None` for [`Protocol::Auto`], which the first event decides.
            pub fn new(protocol: Protocol) -> Option<Self> {
                match protocol {
                    Protocol::Auto => None,
                    $(Protocol::$protocol => Some(Reader::$protocol(Default::default())),)*
                }
            }

            /// Reads every envelope in full from now on.
            pub fn forget_shapes(&mut self) {
                match self {
                    $(Reader::$protocol(reader) => reader.envelope.forget_shapes(),)*
                }
            }

            /// Reads one event.
            pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
                match self {
                    $(Reader::$protocol(reader) => reader.read(frame, sink),)*
                }
            }

            /// Reads the whole body of a response that was not streamed.
            pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
                match self {
                    $(Reader::$protocol(reader) => reader.read_whole(frame, sink),)*
                }
            }
        }

        /// The protocol that an envelope belongs to, where it says.
        pub(crate) fn detect(head: &Head<'_>) -> Option<Protocol> {
            None
            $(.or_else(|| $format::recognises(head).then_some(Protocol::$protocol)))*
        }
    };
}

// In the order of detection: the ones that can be sure come first.
formats! {
    OpenAiResponses => openai_responses,
    GeminiInteractions => gemini_interactions,
    AnthropicMessages => anthropic,
    Cohere => cohere,
    Bedrock => bedrock,
    Gemini => gemini,
    Ollama => ollama,
    OpenAiChat => openai_chat,
}

/// The sentinel that OpenAI ends its streams with, and others ape.
pub(crate) fn is_done(data: &[u8]) -> bool {
    matches!(data.trim_ascii(), b"[DONE]" | b"DONE")
}
