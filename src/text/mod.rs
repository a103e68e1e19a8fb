//! Tool calls that open models write into their text.
//!
//! Open models have no field for tool calls: each family writes them into its text in a format of its
//! own. A [`Parser`] takes the text in any chunking and gives [`Piece`]s: visible text, reasoning,
//! markup, and calls with their arguments as they arrive. What it guarantees:
//!
//! - The same text gives the same result, however it is cut.
//! - Each byte belongs to exactly one piece; joined in order they are the text.
//! - A marker that is only named in a sentence stays text, and at most
//!   [`Format::hold_back`] bytes wait for that to be decided.
//! - A call that was cut is never taken for a whole one, and nothing is repaired in silence.
//!
//! [`FORMATS`] are the known formats; a [`Format`] is data, and so can be your own.
//!
//! ```
//! use toolcall::text::HERMES;
//!
//! let text = "Sure.\n<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"n\": 1}}\n</tool_call>";
//! let message = HERMES.read(text);
//! assert_eq!(message.text, "Sure.\n");
//! assert_eq!(message.calls[0].name, "ping");
//! assert_eq!(message.calls[0].raw, "{\"n\": 1}");
//! ```

mod ahead;
mod arguments;
mod brackets;
mod engine;
mod firsts;
mod format;
mod formats;
mod machine;
mod message;
mod object;
mod options;
mod parser;
mod piece;
mod tag;
mod value;

pub use arguments::Malformed;
pub use engine::channels::Channels;
pub use engine::header::{Header, Naming};
pub use engine::native::Native;
pub use engine::python::Python;
pub use engine::tags::{Function, Parameter, Tags};
pub use engine::wrapped::Wrapped;
pub use format::{Delimiters, Format, Formats, Grammar};
pub use formats::*;
pub use message::{Call, Message};
pub use options::{Options, Tool};
pub use parser::{Finish, Parser, Pieces};
pub use piece::{Ending, Piece};
