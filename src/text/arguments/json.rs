//! Arguments that are JSON already.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};

use serde_json::Value;

use super::Malformed;

/// Reads an object, nothing or `null` for an empty one, or a string that holds an object.
pub(super) fn read(raw: &str) -> Result<Cow<'_, str>, Malformed> {
    let text = raw.trim();
    if text.is_empty() {
        return Ok(Cow::Borrowed("{}"));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let offset = position(text, error.line(), error.column());
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        Malformed::new(offset + (raw.len() - raw.trim_start().len()), words)
    })?;
    match value {
        Value::Object(_) => Ok(Cow::Borrowed(text)),
        Value::Null => Ok(Cow::Borrowed("{}")),
        Value::String(inner) => inside(inner),
        _ => Err(Malformed::new(0, "expected an object")),
    }
}

/// What a string of arguments holds.
fn inside(inner: String) -> Result<Cow<'static, str>, Malformed> {
    let text = inner.trim();
    if text.is_empty() {
        return Ok(Cow::Borrowed("{}"));
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(_)) => Ok(Cow::Owned(text.into())),
        Ok(Value::Null) => Ok(Cow::Borrowed("{}")),
        _ => Err(Malformed::new(0, "expected an object, found a string")),
    }
}

/// The byte at a line and column that the parser named; both count from 1, the column in bytes.
fn position(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_an_object() {
        for (raw, arguments) in [
            (" {\"a\": 1} ", "{\"a\": 1}"),
            ("", "{}"),
            ("null", "{}"),
            ("\"\"", "{}"),
            ("\"{\\\"a\\\": 1}\"", "{\"a\": 1}"),
        ] {
            assert_eq!(read(raw).as_deref(), Ok(arguments));
        }
    }

    #[test]
    fn what_does_not() {
        for (raw, offset) in [("[1]", 0), ("7", 0), ("\"x\"", 0), (" {\"a\":\n 1,}", 10)] {
            assert_eq!(read(raw).map_err(|malformed| malformed.offset), Err(offset), "{raw}");
        }
    }
}
