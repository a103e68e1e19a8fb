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
    Open(Call<'a>),
    /// A call that is whole in itself.
    Whole(Call<'a>),
    /// The wire's last word about the call in a block: it ends, and what stands here counts more than
    /// what was said of it before.
    Finish(Call<'a>),
    /// The call once more, in a snapshot of the whole message. New only if nothing closed it before.
    Recap(Call<'a>),
    /// A block that is no call begins.
    OpenOther(Block<'a>),
    /// A piece of the arguments of the call in a block; `None` where the wire has null or nothing.
    Fragment { block: Block<'a>, text: Option<Text<'a>> },
    /// The whole arguments of the call in a block: no more fragments are to come.
    Snapshot { block: Block<'a>, text: Option<Text<'a>> },
    /// A value of the arguments of the call in a block, on a wire that names values by their paths.
    Value { block: Block<'a>, update: Update<'a> },
    /// A block ends.
    Close(Block<'a>),
    /// The choice stops; the reason is the wire's word.
    Stop { choice: u32, reason: Text<'a> },
    /// Token counts, as the wire's own JSON.
    Usage { json: &'a [u8] },
    /// Something that must survive for the next request, as the wire's own JSON.
    Extra { owner: Owner, name: Text<'a>, json: &'a [u8] },
    /// The provider reports an error inside the stream.
    Failure(Failure<'a>),
    /// The protocol's own mark that nothing more follows.
    Done,
    /// The event is of no kind that this protocol has. It reaches the user as it is.
    Other,
    /// A deviation of the stream's.
    Warning(Warning),
    /// A deviation of the call in a block.
    BlockWarning { block: Block<'a>, warning: Warning },
}

/// Which text of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Content,
    Reasoning,
    Refusal,
}

/// What an extra belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The message, at this place of it.
    Message { choice: u32 },
    /// The call that the last delta was about; nothing, if there is none.
    Call,
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

/// Names a content block, an output item, a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block<'a> {
    pub choice: u32,
    /// Its number on the wire.
    pub index: Option<i64>,
    /// Its own id, on wires whose events name it. Not the id that the call is answered by.
    pub id: Option<Text<'a>>,
}

impl Block<'_> {
    /// A block of the only choice that nothing but its number names.
    pub const fn at(index: i64) -> Self {
        Block { choice: 0, index: Some(index), id: None }
    }
}

/// A call in a block, or whole.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Call<'a> {
    pub block: Block<'a>,
    pub kind: CallKind,
    pub id: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    /// Its arguments, or the first of them, if they are more than a placeholder.
    pub input: Option<Text<'a>>,
    pub warning: Option<Warning>,
}

/// A value at a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Update<'a> {
    /// As the wire writes it: `$.days[0].n`.
    pub path: Text<'a>,
    pub value: Value<'a>,
    /// More of this value is to come.
    pub continues: bool,
    /// The whole update, as the wire's own JSON.
    pub json: &'a [u8],
}

/// See [`Update`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    /// A piece of a string.
    Text(Text<'a>),
    /// A number, `true`, `false` or `null` as it is written.
    Scalar(&'a [u8]),
    /// `{}`, or `[]` where the path ends in that.
    Empty,
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
