//! From a call's own text to the JSON object of its arguments, at the stop.

mod json;
mod native;
mod python;
mod schema;
mod tags;

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use serde_json::Value;

use super::format::{Format, Grammar};

/// A call's text that is not what its format writes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Malformed {
    /// The byte of the text at which it stops being so.
    pub offset: usize,
    /// What was expected there.
    pub expected: String,
}

impl Malformed {
    pub(crate) fn new(offset: usize, expected: impl Into<String>) -> Self {
        Malformed { offset, expected: expected.into() }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the arguments", self.expected, self.offset)
    }
}

impl core::error::Error for Malformed {}

impl Format {
    /// Reads the text of a whole call: the JSON object of its arguments.
    ///
    /// Where the format writes JSON that is the text itself; an empty text and `null` stand for `{}`,
    /// and a string that holds an object for that object. Tags and literals are put into JSON: a
    /// parameter's type is that of `schema`, the JSON Schema of the tool's parameters; without one a
    /// value that is a whole JSON value, but no string, is that, and everything else is a string.
    ///
    /// # Errors
    /// Where the text is not what the format writes, or no object.
    ///
    /// ```
    /// use toolcall::text::{LLAMA_PYTHONIC, QWEN3_CODER};
    ///
    /// let json = LLAMA_PYTHONIC.arguments("pair='EURCHF', days=3", None)?;
    /// assert_eq!(json, r#"{"pair":"EURCHF","days":3}"#);
    ///
    /// let schema = serde_json::json!({"properties": {"zip": {"type": "string"}}});
    /// let raw = "<parameter=zip>\n02134\n</parameter>";
    /// assert_eq!(QWEN3_CODER.arguments(raw, Some(&schema))?, r#"{"zip":"02134"}"#);
    /// # Ok::<(), toolcall::text::Malformed>(())
    /// ```
    pub fn arguments<'r>(
        &self,
        raw: &'r str,
        schema: Option<&Value>,
    ) -> Result<Cow<'r, str>, Malformed> {
        let mut furthest = Malformed::new(0, "expected the format's arguments");
        for grammar in self.grammars {
            let read = match grammar {
                Grammar::Wrapped(_) | Grammar::Header(_) | Grammar::Channels(_) => json::read(raw),
                Grammar::Tags(grammar) => tags::read(raw, grammar, schema).map(Cow::Owned),
                Grammar::Python(_) => python::read(raw).map(Cow::Owned),
                Grammar::Native(grammar) => native::read(raw, grammar).map(Cow::Owned),
            };
            match read {
                Ok(arguments) => return Ok(arguments),
                Err(malformed) if malformed.offset >= furthest.offset => furthest = malformed,
                Err(_) => {}
            }
        }
        Err(furthest)
    }
}

/// Where `rest`, a part of `text`, begins.
fn offset(text: &str, rest: &str) -> usize {
    text.len() - rest.len()
}
