//! Why a text is no JSON object, and at which byte: the cold half of the validation.

use alloc::string::{String, ToString};
use core::fmt;
use core::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::InvalidKind;
use super::validate::validate;

/// What is wrong with a text that [`validate`] rejected.
#[derive(Debug)]
pub(crate) struct Fault {
    pub kind: InvalidKind,
    /// The byte that no JSON object has there; the text's length where the text ends too soon.
    pub offset: usize,
    /// serde_json's own words; `None` where the text is valid JSON, but no object.
    pub error: Option<serde_json::Error>,
}

/// Finds the fault of a text; `None` if there is none.
#[cold]
pub(crate) fn find(text: &str) -> Option<Fault> {
    let error = match serde_json::from_str::<Json>(text) {
        Ok(Json) => return not_an_object(text),
        Err(error) => error,
    };
    let kind = match error.classify() {
        Category::Eof => InvalidKind::Truncated,
        _ if is_trailing(&error) && values(text).all(|value| value.is_some()) => {
            InvalidKind::Concatenated
        }
        _ => InvalidKind::Malformed,
    };
    Some(Fault { kind, offset: offset(text, &error), error: Some(error) })
}

/// What is wrong with a text that is valid JSON.
fn not_an_object(text: &str) -> Option<Fault> {
    let value = text.trim_ascii_start();
    let kind = match value.as_bytes().first() {
        Some(b'{') => return None,
        Some(b'"') if holds_object(value) => InvalidKind::DoubleEncoded,
        _ => InvalidKind::NotObject,
    };
    Some(Fault { kind, offset: text.len() - value.len(), error: None })
}

/// The byte offset of a syntax error.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let offset = match error.classify() {
        Category::Eof => return text.len(),
        _ => end_of(text, error).saturating_sub(1),
    };
    // Of `\uXXXX` serde_json takes all four digits at once.
    let escape = offset.checked_sub(5).and_then(|start| text.as_bytes().get(start..=offset));
    match escape {
        Some([b'\\', b'u', digits @ ..]) => {
            let bad = digits.iter().position(|digit| !digit.is_ascii_hexdigit());
            bad.map_or(offset, |bad| offset - 3 + bad)
        }
        _ => offset,
    }
}

/// How many bytes serde_json had taken when it failed. It counts columns in bytes, from the last line
/// feed; a line feed that is itself the fault has column 0 of the line behind it.
pub(super) fn end_of(text: &str, error: &serde_json::Error) -> usize {
    let line_start = match error.line() {
        0 | 1 => 0,
        line => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(0, |at| at + 1),
    };
    (line_start + error.column()).min(text.len())
}

/// Whether the text has a whole value, and something behind it.
pub(super) fn is_trailing(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("trailing characters")
}

/// The JSON values that a text begins with, one after the other; `None` where something else comes.
pub(super) fn values(text: &str) -> impl Iterator<Item = Option<Range<usize>>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    let mut end = 0;
    core::iter::from_fn(move || {
        let value = values.next()?;
        let start = text.len() - text[end..].trim_ascii_start().len();
        end = values.byte_offset();
        Some(value.ok().map(|_| start..end))
    })
}

/// Whether the text is a string whose content is an object.
fn holds_object(text: &str) -> bool {
    serde_json::from_str::<String>(text).is_ok_and(|content| validate(&content).is_ok())
}

/// Any JSON value: checked as `serde_json::Value` checks it, forgotten at once.
pub(crate) struct Json;

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
        Ok(Json)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
        Ok(Json)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json)
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json)
    }

    fn visit_str<E>(self, _: &str) -> Result<Json, E> {
        Ok(Json)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        while elements.next_element::<Json>()?.is_some() {}
        Ok(Json)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        while members.next_entry::<Json, Json>()?.is_some() {}
        Ok(Json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offsets are those of jiter 0.9, a parser that shares nothing with serde_json.
    #[test]
    fn offsets_are_those_of_an_independent_parser() {
        #[rustfmt::skip]
        let texts = [
            ("{\"keywords\": Dave}", 13),
            ("{\"a\": True}", 6),
            ("{\"a\": None}", 6),
            ("{\"a\": nul}", 9),
            ("{\"a\": nulL}", 9),
            ("{\"a\": trye}", 8),
            ("{\"a\": NaN}", 6),
            ("{'a': 1}", 1),
            ("{\"a\": 'x'}", 6),
            ("{a: 1}", 1),
            ("{1: 1}", 1),
            ("{\"a\" 1}", 5),
            ("{\"a\"= 1}", 4),
            ("{\"a\", 1}", 4),
            ("{\"a\"}", 4),
            ("{\"a\":}", 5),
            ("{\"a\":,}", 5),
            ("{\"a\": 1 \"b\": 2}", 8),
            ("{\"a\": \"x\" \"b\": 2}", 10),
            ("{\"a\": \"he said \"hi\" there\"}", 16),
            ("{\"a\": 1,}", 8),
            ("{,\"a\": 1}", 1),
            ("{\"a\": 1,,\"b\": 2}", 8),
            ("{\"a\": [1, 2}", 11),
            ("{\"a\": [1 2]}", 9),
            ("{\"a\": [1,]}", 9),
            ("{\"a\": [,1]}", 7),
            ("{\"a\": [1}]", 8),
            ("{\"a\": 01}", 7),
            ("{\"a\": 1.}", 8),
            ("{\"a\": .5}", 6),
            ("{\"a\": +1}", 6),
            ("{\"a\": -}", 7),
            ("{\"a\": 1e}", 8),
            ("{\"a\": 1e+}", 9),
            ("{\"a\": 0x10}", 7),
            ("{\"a\": 1_000}", 7),
            ("{\"a\": \"x\ny\"}", 8),
            ("{\"a\": \"x\ty\"}", 8),
            ("{\"a\": \"\\d\"}", 8),
            ("{\"a\": \"\\x41\"}", 8),
            ("{\"a\": \"\\u12g4\"}", 11),
            ("{\"a\": \"\\u12\"}", 11),
            ("{\"a\": \"\\ud83d\"}", 13),
            ("{\"a\": \"\\ud83d end\"}", 13),
            ("{\"a\": \"\\ude00\"}", 12),
            ("{\"a\": \"\\ud83d\\u0041\"}", 18),
            ("{\"a\n\": 1}", 3),
            ("{\"a\": 1}}", 8),
            ("{\"a\": 1}]", 8),
            ("{\"a\": 1} x", 9),
            ("{\"a\": 1}\n</tool_call>", 9),
            ("{\"a\": 1}{\"b\": 2}", 8),
            ("{}\n{}", 3),
            ("```json\n{}\n```", 0),
            ("Sure: {}", 0),
            ("// c\n{}", 0),
            ("{\n  // c\n  \"a\": 1\n}", 4),
            ("{/* c */\"a\": 1}", 1),
            ("\u{feff}{}", 0),
            ("{\"a\":\u{a0}1}", 5),
            ("{\"日本\": é}", 11),
            ("{\"日本\": \"é\" x}", 16),
            ("{\n  \"a\": 1\n  \"b\": 2\n}", 13),
            ("{\n  \"a\": [\n    1,\n    2,\n  ]\n}", 27),
            ("{\r\n\"a\": 1,\r\n}", 12),
            ("{\"a\": \"x\n\n\ny\"}", 8),
            ("", 0),
            ("{", 1),
            ("{\"a", 3),
            ("{\"a\": [1", 8),
            ("{\"a\": tr", 8),
            ("[1,", 3),
            ("{\"a\": \0}", 6),
            ("\0", 0),
        ];
        for (text, offset) in texts {
            let fault = find(text).expect("a fault");
            assert_eq!(fault.offset, offset, "{text:?}: {:?}", fault.error);
        }
    }
}
