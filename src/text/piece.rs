//! What the parser gives: pieces of the text, in order, each byte in exactly one.

/// One piece of the model's text, or something that was learned about a call.
///
/// The bytes of [`Text`](Piece::Text), [`Reasoning`](Piece::Reasoning), [`Markup`](Piece::Markup) and
/// [`Arguments`](Piece::Arguments), joined in order, are the input. Where a piece is cut into several
/// depends on the chunking; joined they are the same for each.
///
/// ```
/// use toolcall::text::{Ending, HERMES, Parser, Piece};
///
/// let text = "Ok <tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
/// let mut parser = Parser::new(&HERMES);
/// let (mut glued, mut endings) = (String::new(), Vec::new());
/// let mut see = |piece: Piece<'_>| {
///     glued += piece.span(); // every byte of the text is in one span
///     if let Piece::CallEnd { ending, .. } = piece {
///         endings.push(ending);
///     }
/// };
/// {
///     let mut pieces = parser.push(text);
///     while let Some(piece) = pieces.next() {
///         see(piece);
///     }
/// }
/// let mut rest = parser.finish();
/// while let Some(piece) = rest.next() {
///     see(piece);
/// }
/// assert_eq!((glued.as_str(), endings), (text, vec![Ending::Complete]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece<'a> {
    /// Visible text.
    Text(&'a str),
    /// Reasoning.
    Reasoning(&'a str),
    /// Grammar: markers, white space that is framing, the envelope around the arguments.
    Markup(&'a str),
    /// A call begins.
    CallStart {
        /// Counted from 0 over the whole text.
        index: u32,
        /// The tool's name; empty where the text ended or broke before it, or where it stands behind
        /// more than 64 KiB of arguments ([`CallName`](Piece::CallName) follows then).
        name: &'a str,
        /// The id, where the format has one and it stood before the arguments.
        id: Option<&'a str>,
    },
    /// The open call's name, which came late.
    CallName(&'a str),
    /// The open call's id, which came behind the name.
    CallId(&'a str),
    /// A fragment of the open call's arguments as the model wrote them.
    Arguments(&'a str),
    /// The open call ends.
    CallEnd {
        /// The call's number.
        index: u32,
        /// How it ended.
        ending: Ending,
    },
}

impl<'a> Piece<'a> {
    /// The bytes of the input that the piece stands for; none where it only tells of a call.
    pub fn span(&self) -> &'a str {
        match self {
            Piece::Text(text)
            | Piece::Reasoning(text)
            | Piece::Markup(text)
            | Piece::Arguments(text) => text,
            _ => "",
        }
    }
}

/// How a call's text ended. Whether the arguments are valid is decided by
/// [`Format::arguments`](super::Format::arguments) on a complete one.
///
/// An example is at [`Piece`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The format's own end was reached.
    Complete,
    /// The text ended inside the call.
    Truncated,
    /// The text went on in a way that the format does not have; the call's end was found again
    /// behind it.
    Malformed,
}

/// What a run of bytes is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    Text,
    Reasoning,
    Markup,
    Arguments,
}

impl Span {
    pub(crate) fn piece(self, text: &str) -> Piece<'_> {
        match self {
            Span::Text => Piece::Text(text),
            Span::Reasoning => Piece::Reasoning(text),
            Span::Markup => Piece::Markup(text),
            Span::Arguments => Piece::Arguments(text),
        }
    }
}
