//! A call whose arguments do not parse: the whole text, where it breaks, and who broke it.

#[cfg(test)]
mod built;
mod display;
mod fault;
mod finding;
mod fragments;
pub mod fuzzing;
mod judge;
mod keys;
mod mismatch;
mod misrouted;
mod model_text;
mod recovery;
mod report;
mod rest;
mod settle;
mod template;
#[cfg(test)]
mod tests;

mod validate;
mod verdict;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;
use core::ops::Range;

pub use fragments::{Fragment, Fragments};
pub use mismatch::ParseError;
pub use misrouted::Misrouted;
pub use recovery::{Recovery, RecoveryKind};
pub use report::Report;
pub use verdict::{Clue, Cut, Verdict, WritingFault};

pub(crate) use fragments::FragmentMap;
pub(crate) use settle::{Ending, SettleOptions, TextReading, Unfinished, settle};
pub(crate) use validate::{Facts, validate};

use display::Harmless;
use finding::Finding;

use crate::call::{CallKey, CallKind};
use crate::extras::Extras;
use crate::warning::Warning;

/// A call that must not be executed: its text is no JSON object, or nothing proves that it is whole.
///
/// The stream goes on after it. Nothing is lost: [`raw`](InvalidToolCall::raw) is the text exactly as
/// it came.
///
/// ```
/// use toolcall::{InvalidKind, Message, Protocol, Verdict};
///
/// let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":\
///     {\"name\":\"weather\",\"arguments\":\"{'city': 1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n";
/// let message = Message::from_chunks(Protocol::OpenAiChat, [stream])?;
/// let invalid = message.invalid_calls().next().unwrap();
/// assert_eq!((invalid.id(), invalid.name()), (Some("call_1"), "weather"));
/// assert_eq!((invalid.raw(), invalid.offset()), ("{'city': 1}", 1));
/// assert_eq!(invalid.kind(), InvalidKind::Malformed);
/// assert!(matches!(invalid.verdict(), Verdict::ModelOutput { .. }));
/// assert_eq!(invalid.fragments().next().unwrap().event, 0);
/// assert!(invalid.recovery().is_none()); // no other reading is proved
/// println!("{}", invalid.report()); // for people
/// println!("{}", invalid.to_model_text()); // for the model
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
pub struct InvalidToolCall(Box<Inner>);

#[derive(Clone)]
struct Inner {
    call: Unfinished,
    kind: InvalidKind,
    /// At most the text's length.
    offset: usize,
    /// The parser's own words, where a parser was asked.
    error: Option<Arc<serde_json::Error>>,
    /// The reading that the fragments prove; the range lies in the text.
    reading: Option<(RecoveryKind, Range<usize>)>,
}

/// In which way the text is no JSON object.
///
/// ```
/// use toolcall::InvalidKind;
///
/// # let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
/// #     \"function\":{\"name\":\"f\",\"arguments\":\"{}{\\\"a\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
/// # let message = toolcall::Message::from_chunks(toolcall::Protocol::OpenAiChat, [stream])?;
/// # let invalid = message.invalid_calls().next().unwrap();
/// assert_eq!(invalid.kind(), InvalidKind::Concatenated);
/// assert_eq!(invalid.raw(), "{}{\"a\":1}");
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InvalidKind {
    /// It ends too soon, or nothing proves that it is whole.
    Truncated,
    /// Two or more whole JSON values, one after the other.
    Concatenated,
    /// Not JSON.
    Malformed,
    /// JSON, but no object.
    NotObject,
    /// A JSON string that holds an object: it was encoded twice.
    DoubleEncoded,
}

impl InvalidKind {
    /// The kind's stable kebab-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            InvalidKind::Truncated => "truncated",
            InvalidKind::Concatenated => "concatenated",
            InvalidKind::Malformed => "malformed",
            InvalidKind::NotObject => "not-object",
            InvalidKind::DoubleEncoded => "double-encoded",
        }
    }

    /// The kind within a sentence.
    fn words(self) -> &'static str {
        match self {
            InvalidKind::NotObject => "not an object",
            other => other.as_str(),
        }
    }
}

impl fmt::Display for InvalidKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl InvalidToolCall {
    /// Which call of the stream this is.
    pub fn key(&self) -> CallKey {
        self.0.call.key
    }

    /// Who would have executed it.
    pub fn kind_of_call(&self) -> CallKind {
        self.0.call.kind
    }

    /// The id to answer with; `None` where the wire gave none.
    pub fn id(&self) -> Option<&str> {
        self.0.call.id.as_deref()
    }

    /// The tool's name as the wire gave it; may be empty.
    pub fn name(&self) -> &str {
        &self.0.call.name
    }

    /// The text exactly as it came, all fragments joined.
    pub fn raw(&self) -> &str {
        &self.0.call.raw
    }

    /// The text exactly as it came, without a copy.
    pub fn into_raw(self) -> String {
        self.0.call.raw
    }

    /// In which way the text is no JSON object.
    pub fn kind(&self) -> InvalidKind {
        self.0.kind
    }

    /// The byte of [`raw`](InvalidToolCall::raw) at which it stops being a JSON object; its length
    /// where it ends too soon.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The line of [`offset`](InvalidToolCall::offset), counted from 1; lines end with a line feed.
    pub fn line(&self) -> usize {
        self.before_offset().iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    /// The column of [`offset`](InvalidToolCall::offset), counted in bytes from 1.
    pub fn column(&self) -> usize {
        let before = self.before_offset();
        before.len() - memchr::memrchr(b'\n', before).map_or(0, |at| at + 1) + 1
    }

    /// The fragments of the text, in the order in which they came: where each lies in the text, and
    /// in the stream. None, where the decoder was told to keep no provenance.
    pub fn fragments(&self) -> Fragments<'_> {
        self.0.call.fragments.iter(&self.0.call.raw)
    }

    /// What must go back with the call in the next request.
    pub fn extras(&self) -> &Extras {
        &self.0.call.extras
    }

    /// What else was odd about the call on the wire.
    pub fn warnings(&self) -> impl Iterator<Item = Warning> + '_ {
        self.0.call.warnings.iter()
    }

    /// A reading that the fragment borders prove, where there is one.
    pub fn recovery(&self) -> Option<Recovery<'_>> {
        let (kind, range) = self.0.reading.as_ref()?;
        Some(Recovery { kind: *kind, text: &self.raw()[range.clone()] })
    }

    fn before_offset(&self) -> &[u8] {
        &self.raw().as_bytes()[..self.offset()]
    }

    /// Who broke it, as far as that can be proved.
    ///
    /// Looks at the text again each time it is asked, up to a bounded number of times over.
    pub fn verdict(&self) -> Verdict {
        judge::verdict(&self.0)
    }

    /// Whether a fragment of this call came under another call of the same message that failed as
    /// well, or the two exchanged one: put right, both calls parse, and in no other way.
    ///
    /// `None` where nothing or more than one thing would do that, where the fragments are so short
    /// that they fit by chance, and where the texts are too long to try everything (some ten
    /// thousand bytes in as many fragments). [`Message::misrouted`](crate::Message::misrouted)
    /// looks at all calls of a message.
    ///
    /// ```
    /// use toolcall::{Message, Protocol};
    ///
    /// let piece = |index: u32, arguments: &str| {
    ///     let arguments = serde_json::json!(arguments);
    ///     format!(
    ///         "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":{index},\
    ///          \"function\":{{\"name\":\"f\",\"arguments\":{arguments}}}}}]}}}}]}}\n\n"
    ///     )
    /// };
    /// let stream = [
    ///     piece(0, "{\"city\":"),
    ///     piece(1, "{\"path\":\"src/a.rs\","),
    ///     piece(1, "\"San Francisco\""), // belongs to call 0
    ///     piece(0, "}"),
    ///     piece(1, "\"line\":12}"),
    ///     "data: {\"choices\":[{\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n".into(),
    /// ];
    /// let message = Message::from_chunks(Protocol::OpenAiChat, stream)?;
    /// let [a, b]: [_; 2] = message.invalid_calls().collect::<Vec<_>>().try_into().unwrap();
    /// assert_eq!(
    ///     a.misrouted_with(b).unwrap().to_string(),
    ///     "fragment #1 of call 1 belongs to call 0: put right, both calls parse, and in no other way",
    /// );
    /// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
    /// ```
    pub fn misrouted_with(&self, other: &InvalidToolCall) -> Option<Misrouted> {
        misrouted::find(self, other)
    }

    /// The failure as a block of text for a person: the line with the fault, marks where fragments
    /// begin, the verdict with its evidence. Long lines are clipped; control characters and those
    /// that turn text around are shown by name.
    pub fn report(&self) -> Report<'_> {
        Report::new(self)
    }

    /// The failure in a few sentences for the model that made the call, to be sent back as the
    /// call's result: what was expected, where, and what stood around. The model's own words are
    /// quoted, clipped to 80 characters, and cannot pass for the sentences around them.
    pub fn to_model_text(&self) -> String {
        model_text::render(self)
    }

    fn finding(&self) -> Finding {
        Finding::of(self.raw(), self.kind(), self.offset(), self.0.error.as_deref())
    }

    fn tool(&self) -> Tool<'_> {
        Tool(self.name())
    }
}

/// A tool as it is named in a sentence.
struct Tool<'a>(&'a str);

impl fmt::Display for Tool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => f.write_str("a nameless tool"),
            name => write!(f, "`{}`", Harmless(display::clip(name, 80))),
        }
    }
}

impl fmt::Display for InvalidToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { expected, found, .. } = self.finding();
        write!(
            f,
            "arguments of {} are {} at byte {} (line {}, column {}): expected {expected}, found {found}",
            self.tool(),
            self.kind().words(),
            self.offset(),
            self.line(),
            self.column(),
        )
    }
}

impl fmt::Debug for InvalidToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvalidToolCall")
            .field("key", &self.key())
            .field("kind_of_call", &self.kind_of_call())
            .field("id", &self.id())
            .field("name", &self.name())
            .field("raw", &self.raw())
            .field("kind", &self.kind())
            .field("offset", &self.offset())
            .field("warnings", &self.0.call.warnings)
            .finish_non_exhaustive()
    }
}

impl Clone for InvalidToolCall {
    fn clone(&self) -> Self {
        InvalidToolCall(self.0.clone())
    }
}

/// Equal: the same call, ended in the same way, that came in the same fragments.
impl PartialEq for InvalidToolCall {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        (a.kind, a.offset, &a.reading, &a.call) == (b.kind, b.offset, &b.reading, &b.call)
    }
}

impl core::error::Error for InvalidToolCall {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.0.error.as_deref().map(|error| error as _)
    }
}
