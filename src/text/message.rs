//! A whole text, read.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::arguments::Malformed;
use super::format::Format;
use super::options::Options;
use super::parser::Parser;
use super::piece::{Ending, Piece};

/// What a text holds: the pieces of a [`Parser`] put together.
///
/// ```
/// use toolcall::text::HERMES;
///
/// let text = "Sure. <tool_call>{\"name\": \"f\", \"arguments\": {\"n\": 1}}</tool_call>";
/// let message = HERMES.read(text);
/// assert_eq!(message.text, "Sure. ");
/// assert_eq!(message.calls[0].name, "f");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// The visible text.
    pub text: String,
    /// The reasoning.
    pub reasoning: String,
    /// The calls, in order.
    pub calls: Vec<Call>,
}

/// A call as it was written.
///
/// An example is at [`Message`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The id, where the format has one.
    pub id: Option<String>,
    /// The tool's name; empty where there was none.
    pub name: String,
    /// The arguments as the model wrote them.
    pub raw: String,
    /// How the call's text ended.
    pub ending: Ending,
}

impl Message {
    /// Adds a piece.
    pub fn push(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Text(text) => self.text.push_str(text),
            Piece::Reasoning(text) => self.reasoning.push_str(text),
            Piece::CallStart { name, id, .. } => self.calls.push(Call {
                id: id.map(Into::into),
                name: name.into(),
                raw: String::new(),
                ending: Ending::Truncated,
            }),
            Piece::Markup(_) => {}
            Piece::CallName(_) | Piece::CallId(_) | Piece::Arguments(_) | Piece::CallEnd { .. } => {
                if let Some(call) = self.calls.last_mut() {
                    call.push(piece);
                }
            }
        }
    }
}

impl Call {
    fn push(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::CallName(name) => self.name.push_str(name),
            Piece::CallId(id) => self.id = Some(id.into()),
            Piece::Arguments(fragment) => self.raw.push_str(fragment),
            Piece::CallEnd { ending, .. } => self.ending = ending,
            _ => {}
        }
    }

    /// The arguments as a JSON value; the types of untyped values are those of `options`' tools.
    ///
    /// # Errors
    /// Where the call was cut, or its text is not what the format writes.
    pub fn arguments(&self, format: &Format, options: &Options) -> Result<Value, Malformed> {
        match self.ending {
            Ending::Complete => {}
            Ending::Truncated => return Err(Malformed::new(self.raw.len(), "the text was cut")),
            Ending::Malformed => {
                return Err(Malformed::new(self.raw.len(), "the call went on in no known way"));
            }
        }
        let json = format.arguments(&self.raw, options.known().schema(&self.name))?;
        serde_json::from_str(&json).map_err(|_| Malformed::new(0, "expected an object"))
    }
}

impl Format {
    /// Reads a whole text.
    pub fn read(&'static self, text: &str) -> Message {
        self.read_with(text, Options::default())
    }

    /// Reads a whole text, with what the caller knows besides.
    pub fn read_with(&'static self, text: &str, options: Options) -> Message {
        let mut message = Message::default();
        let mut parser = Parser::with_options(self, options);
        let mut pieces = parser.push(text);
        while let Some(piece) = pieces.next() {
            message.push(piece);
        }
        drop(pieces);
        let mut rest = parser.finish();
        while let Some(piece) = rest.next() {
            message.push(piece);
        }
        message
    }
}
