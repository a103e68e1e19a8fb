//! Why a message stopped: the wire's word and what it means.

use alloc::string::String;
use core::fmt;

/// A stop reason as the wire wrote it (`finish_reason`, `stop_reason`, `done_reason`…), with its
/// neutral meaning.
///
/// A stop reason is reported, not believed: it neither makes nor unmakes a call. Several providers
/// say `stop` though calls were made.
///
/// ```
/// use toolcall::{StopKind, StopReason};
///
/// let reason = StopReason::from("max_tokens");
/// assert_eq!(reason.as_str(), "max_tokens");
/// assert_eq!(reason.kind(), StopKind::Length);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct StopReason(String);

/// What a stop reason means, whatever the provider's word for it.
///
/// An example is at [`StopReason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopKind {
    /// The model was done. May stand beside calls.
    EndTurn,
    /// A stop sequence was written.
    StopSequence,
    /// The model called tools.
    ToolCalls,
    /// The token limit was reached: the last call is probably cut.
    Length,
    /// The context window is full: as [`Length`](StopKind::Length).
    ContextWindow,
    /// A filter removed output.
    ContentFilter,
    /// The model refused.
    Refusal,
    /// The model wrote a call that the provider could not read.
    MalformedCall,
    /// The turn is paused and goes on with the next request.
    Pause,
    /// Something failed.
    Error,
    /// A word that is not known here.
    Other,
}

/// Every known word. One table serves all providers: no two give one word two meanings.
const WORDS: &[(&str, StopKind)] = &[
    ("stop", StopKind::EndTurn),
    ("end_turn", StopKind::EndTurn),
    ("eos", StopKind::EndTurn),
    ("STOP", StopKind::EndTurn),
    ("COMPLETE", StopKind::EndTurn),
    ("completed", StopKind::EndTurn),
    ("stop_sequence", StopKind::StopSequence),
    ("STOP_SEQUENCE", StopKind::StopSequence),
    ("tool_calls", StopKind::ToolCalls),
    ("function_call", StopKind::ToolCalls),
    ("tool_use", StopKind::ToolCalls),
    ("TOOL_CALL", StopKind::ToolCalls),
    ("requires_action", StopKind::ToolCalls),
    ("length", StopKind::Length),
    ("max_tokens", StopKind::Length),
    ("MAX_TOKENS", StopKind::Length),
    ("incomplete:max_output_tokens", StopKind::Length),
    ("model_length", StopKind::ContextWindow),
    ("model_context_window_exceeded", StopKind::ContextWindow),
    ("content_filter", StopKind::ContentFilter),
    ("content_filtered", StopKind::ContentFilter),
    ("guardrail_intervened", StopKind::ContentFilter),
    ("incomplete:content_filter", StopKind::ContentFilter),
    ("sensitive", StopKind::ContentFilter),
    ("SAFETY", StopKind::ContentFilter),
    ("RECITATION", StopKind::ContentFilter),
    ("LANGUAGE", StopKind::ContentFilter),
    ("BLOCKLIST", StopKind::ContentFilter),
    ("PROHIBITED_CONTENT", StopKind::ContentFilter),
    ("SPII", StopKind::ContentFilter),
    ("IMAGE_SAFETY", StopKind::ContentFilter),
    ("MODEL_ARMOR", StopKind::ContentFilter),
    ("refusal", StopKind::Refusal),
    ("malformed_tool_use", StopKind::MalformedCall),
    ("malformed_model_output", StopKind::MalformedCall),
    ("MALFORMED_FUNCTION_CALL", StopKind::MalformedCall),
    ("MALFORMED_RESPONSE", StopKind::MalformedCall),
    ("UNEXPECTED_TOOL_CALL", StopKind::MalformedCall),
    ("TOO_MANY_TOOL_CALLS", StopKind::MalformedCall),
    ("MISSING_THOUGHT_SIGNATURE", StopKind::MalformedCall),
    ("pause_turn", StopKind::Pause),
    ("compaction", StopKind::Pause),
    ("CONTINUATION", StopKind::Pause),
    ("incomplete:steered", StopKind::Pause),
    ("error", StopKind::Error),
    ("ERROR", StopKind::Error),
    ("TIMEOUT", StopKind::Error),
    ("failed", StopKind::Error),
    ("abort", StopKind::Error),
    ("network_error", StopKind::Error),
    ("insufficient_system_resource", StopKind::Error),
    ("OTHER", StopKind::Error),
];

impl StopReason {
    /// The wire's own word.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it means.
    pub fn kind(&self) -> StopKind {
        WORDS.iter().find(|(word, _)| *word == self.0).map_or(StopKind::Other, |(_, kind)| *kind)
    }
}

impl From<&str> for StopReason {
    fn from(word: &str) -> Self {
        StopReason(word.into())
    }
}

impl From<String> for StopReason {
    fn from(word: String) -> Self {
        StopReason(word)
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StopReason({:?}, {:?})", self.0, self.kind())
    }
}
