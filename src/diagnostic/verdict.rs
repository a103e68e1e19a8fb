//! Whose fault it is: the words. How they are reached stands in `judge.rs`.

use core::fmt;

use super::recovery::RecoveryKind;

/// Who broke a call's arguments, as far as the text and its fragments prove it.
///
/// A verdict is only given where nothing else explains what is there; everything else is
/// [`Undecided`](Verdict::Undecided), with the clue that there is. Its [`Display`](fmt::Display) is
/// one clause with the evidence.
///
/// Fragments are numbered from 0, in the order of
/// [`InvalidToolCall::fragments`](crate::InvalidToolCall::fragments); offsets are bytes of the raw
/// text.
///
/// ```
/// use toolcall::{Verdict, WritingFault};
///
/// # let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
/// #     \"function\":{\"name\":\"f\",\"arguments\":\"{'a': 1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
/// # let message = toolcall::Message::from_chunks(toolcall::Protocol::OpenAiChat, [stream])?;
/// # let invalid = message.invalid_calls().next().unwrap();
/// match invalid.verdict() {
///     Verdict::ModelOutput { fault } => assert_eq!(fault, WritingFault::SingleQuotes),
///     other => panic!("{other}"),
/// }
/// assert_eq!(invalid.verdict().as_str(), "model-output");
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It was written so: by the model, or by the server that turned the model's output into
    /// fragments. No loss, repeat or exchange of whole fragments explains it.
    ModelOutput {
        /// What was written.
        fault: WritingFault,
    },
    /// The text ends too soon.
    Truncated {
        /// What cut it.
        by: Cut,
    },
    /// The texts of two calls came under one identity: whole values meet on a fragment border.
    GluedCalls {
        /// Where the second one begins.
        at: usize,
    },
    /// The text's first bytes are missing: it is the rest of a JSON object.
    LostStart,
    /// The server sent text more than once. What is left without it is a JSON object.
    RepeatedFragment {
        /// The fragment that holds the repeat.
        fragment: usize,
        /// How it repeats what came before; `None` where it is the fragment before, once more.
        reading: Option<RecoveryKind>,
    },
    /// The server sent a `{}` before the arguments.
    Placeholder,
    /// The call was whole when the protocol stopped it; more came behind.
    AfterStop {
        /// Where the text begins that came after the stop.
        at: usize,
    },
    /// A token of the model's chat or tool-call template was left in the arguments.
    TrailingToken {
        /// Where it begins.
        at: usize,
        /// Its length in bytes.
        length: usize,
    },
    /// More than one thing explains it, or nothing does.
    Undecided {
        /// What speaks for one of them.
        clue: Clue,
    },
}

/// What cut a text.
///
/// ```
/// use toolcall::{Cut, Verdict};
///
/// # let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
/// #     \"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}]},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
/// # let message = toolcall::Message::from_chunks(toolcall::Protocol::OpenAiChat, [stream])?;
/// # let invalid = message.invalid_calls().next().unwrap();
/// assert_eq!(invalid.verdict(), Verdict::Truncated { by: Cut::TokenLimit });
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cut {
    /// The stream ended without a stop.
    StreamEnd,
    /// The provider reported an error.
    ErrorEvent,
    /// A new message began.
    Restart,
    /// The tokens ran out, or the context window.
    TokenLimit,
    /// A content filter stepped in.
    ContentFilter,
    /// The model refused to go on.
    Refusal,
    /// Nothing that the stream tells: it says that the call is finished.
    Unexplained,
    /// Perhaps nothing: the text looks whole, but came in parts of which none is said to be the last.
    Unproved,
}

/// What was written instead of a JSON object.
///
/// An example is at [`Verdict`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WritingFault {
    /// A line feed, tab or other control character stands in a string as it is.
    ControlCharacter,
    /// Single quotes around a string.
    SingleQuotes,
    /// `True`, `False` or `None`.
    PythonLiteral,
    /// `NaN`, `Infinity` or `undefined`.
    JavaScriptLiteral,
    /// A quote inside a string without a backslash.
    UnescapedQuote,
    /// A backslash before something that needs none.
    InvalidEscape,
    /// One half of a surrogate pair.
    LoneSurrogate,
    /// A word without quotes where a value should stand.
    BareWord,
    /// A key without quotes.
    UnquotedKey,
    /// A comma with nothing behind it.
    TrailingComma,
    /// No comma between two members or elements.
    MissingComma,
    /// No value, or no colon, behind a key.
    MissingValue,
    /// `]` where `}` should stand, or the other way around.
    WrongCloser,
    /// More closing brackets than opening ones.
    ExtraCloser,
    /// A number that JSON does not have, or that no double holds.
    Number,
    /// A comment.
    Comment,
    /// A Markdown fence around the JSON.
    CodeFence,
    /// Text before or instead of the JSON.
    Prose,
    /// Text behind the JSON object.
    TrailingText,
    /// A second JSON value behind the first.
    SecondValue,
    /// More than 127 levels.
    TooDeep,
    /// JSON, but no object.
    NotObject,
    /// A JSON object inside a JSON string.
    DoubleEncoded,
    /// Not what the format of calls in text writes, which is no JSON.
    NotInFormat,
    /// Something else.
    Other,
}

/// What speaks for one of several explanations.
///
/// An example is at [`Verdict`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Clue {
    /// Nothing is known of the fragments.
    NoFragments,
    /// Bytes may have been lost before this fragment: what is there from it on is the rest of a JSON
    /// object. The writer may have left them out as well.
    MayHaveLost {
        /// The first fragment behind the gap.
        fragment: usize,
        /// Whether the text breaks exactly there.
        at_border: bool,
    },
    /// The text parses without this fragment, which may belong to another call; or the fragment
    /// repeats the one before it, and is too short to prove anything.
    ParsesWithout {
        /// The fragment.
        fragment: usize,
    },
    /// The text parses with this fragment and the next exchanged. That may be chance: inside a
    /// string nearly everything fits.
    ParsesExchanged {
        /// The first of the two.
        fragment: usize,
    },
    /// Another call's text may begin with this fragment.
    AnotherCall {
        /// The fragment.
        fragment: usize,
    },
    /// Text came after the call's own stop; it is not all that is wrong.
    TextAfterStop {
        /// Where it begins.
        at: usize,
    },
}

impl Verdict {
    /// The verdict's stable kebab-case name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::ModelOutput { .. } => "model-output",
            Verdict::Truncated { .. } => "truncated",
            Verdict::GluedCalls { .. } => "glued-calls",
            Verdict::LostStart => "lost-start",
            Verdict::RepeatedFragment { .. } => "repeated-fragment",
            Verdict::Placeholder => "placeholder",
            Verdict::AfterStop { .. } => "after-stop",
            Verdict::TrailingToken { .. } => "trailing-token",
            Verdict::Undecided { .. } => "undecided",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::ModelOutput { fault } => write!(
                f,
                "written so by the model (or by the server that encoded it): {fault}; no lost, \
                 repeated or exchanged fragment explains it"
            ),
            Verdict::Truncated { by } => write!(f, "the text is cut: {by}"),
            Verdict::GluedCalls { at } => write!(
                f,
                "two calls came under one identity: a whole value ends where, on a fragment \
                 border, another begins (byte {at})"
            ),
            Verdict::LostStart => f.write_str(
                "the first bytes are missing: the text is the rest of a JSON object, and not its \
                 beginning",
            ),
            Verdict::RepeatedFragment { fragment, reading: None } => write!(
                f,
                "the server sent a fragment twice: without #{fragment}, which repeats the one \
                 before it, the text is a JSON object"
            ),
            Verdict::RepeatedFragment { reading: Some(RecoveryKind::Recap), .. } => f.write_str(
                "the server sent the text twice: the last fragment repeats all before it",
            ),
            Verdict::RepeatedFragment { .. } => f.write_str(
                "the server sent snapshots instead of pieces: each fragment repeats the one before \
                 it",
            ),
            Verdict::Placeholder => f.write_str(
                "the server sent the placeholder `{}` before the arguments, as a fragment of its \
                 own",
            ),
            Verdict::AfterStop { at } => write!(
                f,
                "the call was whole at its stop; the text from byte {at} on came after it"
            ),
            Verdict::TrailingToken { at, .. } => write!(
                f,
                "a token of the model's template was left in the arguments (byte {at}), by the \
                 model or by the server that should have taken it out"
            ),
            Verdict::Undecided { clue } => write!(f, "undecided: {clue}"),
        }
    }
}

impl Cut {
    /// The stable kebab-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Cut::StreamEnd => "stream-end",
            Cut::ErrorEvent => "error-event",
            Cut::Restart => "restart",
            Cut::TokenLimit => "token-limit",
            Cut::ContentFilter => "content-filter",
            Cut::Refusal => "refusal",
            Cut::Unexplained => "unexplained",
            Cut::Unproved => "unproved",
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cut::StreamEnd => "the stream ended before anything said that the call is finished",
            Cut::ErrorEvent => "an error ended the stream inside the call",
            Cut::Restart => "a new message began in its place",
            Cut::TokenLimit => "the model ran out of tokens",
            Cut::ContentFilter => "a content filter stopped the model",
            Cut::Refusal => "the model refused to go on",
            Cut::Unexplained => {
                "the stream says that the call is finished, its last bytes never came"
            }
            Cut::Unproved => "it came in parts, and none of them is said to be the last",
        })
    }
}

impl WritingFault {
    /// The stable kebab-case name.
    pub fn as_str(self) -> &'static str {
        self.words().0
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            WritingFault::ControlCharacter => {
                ("control-character", "a control character stands in a string as it is")
            }
            WritingFault::SingleQuotes => {
                ("single-quotes", "single quotes stand where JSON has double quotes")
            }
            WritingFault::PythonLiteral => {
                ("python-literal", "a Python literal stands where JSON has true, false or null")
            }
            WritingFault::JavaScriptLiteral => {
                ("javascript-literal", "JSON has no NaN, Infinity or undefined")
            }
            WritingFault::UnescapedQuote => {
                ("unescaped-quote", "a quote inside a string lacks its backslash")
            }
            WritingFault::InvalidEscape => ("invalid-escape", "JSON has no such escape"),
            WritingFault::LoneSurrogate => {
                ("lone-surrogate", "an escape is one half of a surrogate pair")
            }
            WritingFault::BareWord => ("bare-word", "a value lacks its quotes"),
            WritingFault::UnquotedKey => ("unquoted-key", "a key lacks its quotes"),
            WritingFault::TrailingComma => ("trailing-comma", "nothing follows a comma"),
            WritingFault::MissingComma => ("missing-comma", "a comma is missing"),
            WritingFault::MissingValue => ("missing-value", "a key has no value, or no colon"),
            WritingFault::WrongCloser => {
                ("wrong-closer", "a bracket closes what another kind of bracket opened")
            }
            WritingFault::ExtraCloser => {
                ("extra-closer", "there are more closing brackets than opening ones")
            }
            WritingFault::Number => ("number", "JSON has no such number"),
            WritingFault::Comment => ("comment", "JSON has no comments"),
            WritingFault::CodeFence => ("code-fence", "a Markdown fence stands around the JSON"),
            WritingFault::Prose => ("prose", "text stands where the JSON object should begin"),
            WritingFault::TrailingText => ("trailing-text", "text follows the JSON object"),
            WritingFault::SecondValue => ("second-value", "a second JSON value follows the first"),
            WritingFault::TooDeep => ("too-deep", "it nests deeper than 127 levels"),
            WritingFault::NotObject => ("not-object", "it is JSON, but no object"),
            WritingFault::DoubleEncoded => {
                ("double-encoded", "the object was encoded twice, it stands in a string")
            }
            WritingFault::NotInFormat => {
                ("not-in-format", "the model's own format of calls has no such text")
            }
            WritingFault::Other => ("other", "it is not JSON"),
        }
    }
}

impl fmt::Display for WritingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().1)
    }
}

impl Clue {
    /// The stable kebab-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Clue::NoFragments => "no-fragments",
            Clue::MayHaveLost { .. } => "may-have-lost",
            Clue::ParsesWithout { .. } => "parses-without",
            Clue::ParsesExchanged { .. } => "parses-exchanged",
            Clue::AnotherCall { .. } => "another-call",
            Clue::TextAfterStop { .. } => "text-after-stop",
        }
    }
}

impl fmt::Display for Clue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clue::NoFragments => f.write_str("nothing is known of the fragments"),
            Clue::MayHaveLost { fragment, at_border } => {
                if *at_border {
                    write!(f, "the text breaks exactly where fragment #{fragment} begins; ")?;
                }
                write!(
                    f,
                    "bytes may have been lost before fragment #{fragment}, or never been written"
                )
            }
            Clue::ParsesWithout { fragment } => {
                write!(f, "the text parses without fragment #{fragment}")
            }
            Clue::ParsesExchanged { fragment } => write!(
                f,
                "the text parses with fragments #{fragment} and #{} exchanged",
                fragment + 1
            ),
            Clue::AnotherCall { fragment } => {
                write!(f, "another call's text may begin with fragment #{fragment}")
            }
            Clue::TextAfterStop { at } => {
                write!(f, "the text from byte {at} on came after the call's own stop")
            }
        }
    }
}
