//! Deviations that were tolerated, and said.

use core::fmt;

macro_rules! warnings {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A deviation from the protocol that did not stop the decoder. Its name is stable.
        ///
        /// ```
        /// use toolcall::{Message, Protocol, Warning};
        ///
        /// let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"c\",\"function\":\
        ///     {\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n";
        /// let message = Message::from_chunks(Protocol::OpenAiChat, [stream])?;
        /// let call = message.calls().next().unwrap();
        /// assert!(call.warnings().eq([Warning::MissingIndex]));
        /// assert_eq!(Warning::MissingIndex.as_str(), "missing-index");
        /// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Warning { $($(#[$doc])* $name,)* }

        impl Warning {
            const ALL: &'static [Warning] = &[$(Warning::$name,)*];

            /// The stable kebab-case name.
            pub fn as_str(self) -> &'static str {
                match self { $(Warning::$name => $text,)* }
            }
        }
    };
}

warnings! {
    /// The arguments stood in the call's start, no fragment followed.
    ArgumentsFromStart = "arguments-from-start",
    /// The arguments stood in a closing snapshot, no fragment came.
    ArgumentsFromDone = "arguments-from-done",
    /// The arguments came as a JSON object where the protocol has a string.
    ArgumentsNotString = "arguments-not-string",
    /// The arguments came as a JSON string where the protocol has an object.
    ArgumentsAsString = "arguments-as-string",
    /// Each fragment repeated all before it; the last one was taken, as the caller allowed.
    ArgumentsCumulative = "arguments-cumulative",
    /// The whole text was repeated once more; one copy was taken, as the caller allowed.
    ArgumentsRepeated = "arguments-repeated",
    /// A `{}` stood before the real arguments and was left out, as the caller allowed.
    EmptyObjectPrefix = "empty-object-prefix",
    /// A comment line was sent as data.
    CommentAsData = "comment-as-data",
    /// Text content came as an array of parts.
    ContentNotString = "content-not-string",
    /// A custom tool: free text.
    CustomTool = "custom-tool",
    /// Something came for a choice or message that had stopped.
    DeltaAfterFinish = "delta-after-finish",
    /// The text nests deeper than 128 levels.
    DepthLimit = "depth-limit",
    /// A closing snapshot differs from the fragments.
    DoneDiffersFromDeltas = "done-differs-from-deltas",
    /// A block was stopped twice.
    DuplicateBlockStop = "duplicate-block-stop",
    /// Two calls carry one id.
    DuplicateId = "duplicate-id",
    /// An object of the arguments has a key twice; the last one counts.
    DuplicateKey = "duplicate-key",
    /// A tool-call entry with nothing in it.
    EmptyToolCallEntry = "empty-tool-call-entry",
    /// The first message sent again at the end.
    FinalMessageRecap = "final-message-recap",
    /// Calls were made, the stop reason denies it.
    FinishReasonMismatch = "finish-reason-mismatch",
    /// The stop reason announces calls, none came.
    FinishReasonWithoutCalls = "finish-reason-without-calls",
    /// A fragment came after its call's stop.
    FragmentAfterStop = "fragment-after-stop",
    /// A fragment came before its call's start.
    FragmentBeforeStart = "fragment-before-start",
    /// The call's id changed on the way. The first one stays, unless the wire's closing statement
    /// about the call brings the other.
    IdChanged = "id-changed",
    /// The id came as a number.
    IdNotString = "id-not-string",
    /// The call went on under another index.
    IndexChanged = "index-changed",
    /// A fragment came under an index nobody owns; the call touched last took it.
    IndexDrift = "index-drift",
    /// An index that is no index (negative, text, fraction); it still tells calls apart.
    IndexInvalid = "index-invalid",
    /// The index belonged to an earlier call.
    IndexReused = "index-reused",
    /// The item's id changed on the way.
    ItemIdChanged = "item-id-changed",
    /// The call came in the legacy `function_call` form.
    LegacyFunctionCall = "legacy-function-call",
    /// The whole message came where its deltas should.
    MessageInsteadOfDelta = "message-instead-of-delta",
    /// A new message began inside the stream.
    MessageRestarted = "message-restarted",
    /// The call was closed by its message's end, not by its own.
    MissingBlockStop = "missing-block-stop",
    /// A choice came without its index.
    MissingChoiceIndex = "missing-choice-index",
    /// The blank line between two events was missing.
    MissingEventSeparator = "missing-event-separator",
    /// The stream ended well, but without a stop reason.
    MissingFinishReason = "missing-finish-reason",
    /// No id came for the call.
    MissingId = "missing-id",
    /// No index came for the call.
    MissingIndex = "missing-index",
    /// The item was not closed by its own event.
    MissingItemDone = "missing-item-done",
    /// No name came for the call.
    MissingName = "missing-name",
    /// Several different stop reasons for one choice.
    MultipleFinishReasons = "multiple-finish-reasons",
    /// The call's name changed on the way; the last one counts.
    NameChanged = "name-changed",
    /// The name came in pieces.
    NameFragmented = "name-fragmented",
    /// The name has characters that no tool name has.
    NameInvalid = "name-invalid",
    /// The name came as the text `null`.
    NameNullLiteral = "name-null-literal",
    /// An error in a shape of its own.
    NonstandardError = "nonstandard-error",
    /// A fragment that is null or lacks.
    NullFragment = "null-fragment",
    /// The call stood in the terminal snapshot only.
    OnlyInTerminalSnapshot = "only-in-terminal-snapshot",
    /// Fragments that no start announced.
    OrphanFragment = "orphan-fragment",
    /// A value of the arguments has a path that leads nowhere; it stands behind all others.
    PathConflict = "path-conflict",
    /// U+FFFD in the arguments: bytes were lost before they were sent, or on the way.
    ReplacementCharacter = "replacement-character",
    /// A surrogate pair was cut between two fragments and joined again.
    SplitSurrogate = "split-surrogate",
    /// The block's start held arguments and fragments came as well; the fragments count.
    StartInputOverridden = "start-input-overridden",
    /// Calls were made, the stop reason denies it.
    StopReasonMismatch = "stop-reason-mismatch",
    /// The stream ended inside an event.
    TruncatedEvent = "truncated-event",
    /// An event of a kind that the protocol does not have.
    UnknownEvent = "unknown-event",
    /// The last event lacks its closing blank line.
    UnterminatedFinalEvent = "unterminated-final-event",
    /// A delta of another kind than its block.
    WrongDeltaKind = "wrong-delta-kind",
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of warnings.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Warnings(u64);

const _: () = assert!(Warning::ALL.len() <= 64);

impl Warnings {
    pub(crate) fn insert(&mut self, warning: Warning) {
        self.0 |= 1 << warning as u8;
    }

    pub(crate) fn remove(&mut self, warning: Warning) {
        self.0 &= !(1 << warning as u8);
    }

    pub(crate) fn contains(self, warning: Warning) -> bool {
        self.0 & (1 << warning as u8) != 0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Warning> {
        Warning::ALL.iter().copied().filter(move |warning| self.contains(*warning))
    }
}

impl fmt::Debug for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_each_once_in_order() {
        let mut set = Warnings::default();
        for warning in [Warning::WrongDeltaKind, Warning::MissingId, Warning::MissingId] {
            set.insert(warning);
        }
        assert!(set.iter().eq([Warning::MissingId, Warning::WrongDeltaKind]));
    }
}
