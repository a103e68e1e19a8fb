//! What every wire format is read into: one neutral vocabulary, still in fragments.

use super::json::Text;
use crate::call::CallKind;
use crate::warning::Warning;

/// Takes what a wire reader finds, in order.
pub(crate) trait Sink {
    fn delta(&mut self, delta: Delta<'_>);
}

/// One thing that an envelope says.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Delta<'a> {
    /// The response's own id and model; empty where not given.
    MessageStart { id: Text<'a>, model: Text<'a> },
    /// A piece of text of a choice.
    Text { choice: u32, channel: Channel, text: Text<'a> },
    /// A piece of a call on a wire where nothing but its fields says which call it belongs to.
    Piece(Piece<'a>),
    /// A call begins in a block of its own.
    Open(Open<'a>),
    /// A block that is no call begins.
    OpenOther { block: i64 },
    /// A piece of the arguments of the call in a block; `None` where the wire has null or nothing.
    Fragment { block: i64, text: Option<Text<'a>> },
    /// A block ends.
    Close { block: i64 },
    /// The choice stops; the reason is the wire's word.
    Stop { choice: u32, reason: Text<'a> },
    /// Token counts, as the wire's own JSON.
    Usage { json: &'a [u8] },
    /// The provider reports an error inside the stream.
    Failure(Failure<'a>),
    /// The protocol's own mark that nothing more follows.
    Done,
    /// The event is of no kind that this protocol has. It reaches the user as it is.
    Other,
    /// A deviation of the stream's.
    Warning(Warning),
    /// A deviation of the call in a block.
    BlockWarning { block: i64, warning: Warning },
}

/// Which text of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Content,
    Reasoning,
    Refusal,
}

/// A call's fields as they came in one entry; empty text counts as absent.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Piece<'a> {
    pub choice: u32,
    pub index: Option<i64>,
    pub id: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    pub arguments: Option<Text<'a>>,
    pub kind: CallKind,
    pub warning: Option<Warning>,
}

/// The start of a call in a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open<'a> {
    pub block: i64,
    pub kind: CallKind,
    pub id: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    /// Arguments that stand in the start already, if they are more than a placeholder.
    pub input: Option<Text<'a>>,
}

/// An error that the provider reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure<'a> {
    /// Its type, else its code, else empty.
    pub kind: Text<'a>,
    pub message: Text<'a>,
    /// The whole payload.
    pub json: &'a [u8],
}
