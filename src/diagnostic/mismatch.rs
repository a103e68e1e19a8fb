//! Arguments that are valid, but do not fit the caller's type: which value, and what fits there.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::display::Harmless;
use super::fault;

/// Why arguments could not be read as a type, from
/// [`Arguments::parse`](crate::Arguments::parse).
///
/// ```
/// # let body = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":\
/// #     {\"name\":\"buy\",\"arguments\":\"{\\\"orders\\\": [{\\\"amount\\\": \\\"two\\\"}]}\"}}]},\
/// #     \"finish_reason\":\"tool_calls\"}]}\n\n";
/// # let message = toolcall::Message::from_chunks(toolcall::Protocol::OpenAiChat, [body]).unwrap();
/// # let call = message.calls().next().unwrap();
/// use std::collections::BTreeMap;
///
/// // The model wrote {"orders": [{"amount": "two"}]}.
/// type Orders = BTreeMap<String, Vec<BTreeMap<String, u32>>>;
/// let error = call.arguments().parse::<Orders>().unwrap_err();
/// assert_eq!(error.path(), "orders[0].amount");
/// assert_eq!(error.expected(), Some("u32"));
/// assert_eq!(error.got(), Some("string \"two\""));
/// assert_eq!(&call.arguments().raw()[error.range()], "\"two\"");
/// ```
pub struct ParseError(Box<Inner>);

struct Inner {
    error: serde_json::Error,
    /// serde's words, without the place.
    message: String,
    path: String,
    /// In the raw text.
    range: Range<usize>,
}

impl ParseError {
    /// The error of reading a whole part of a raw text, which begins at `start` in it.
    #[cold]
    pub(crate) fn of_json(error: serde_json::Error, text: &str, start: usize) -> Self {
        let place = Place::of(text, fault::end_of(text, &error));
        let range = start + place.range.start..start + place.range.end;
        ParseError::new(error, place.path, range)
    }

    /// The error of reading a text that is no JSON.
    #[cold]
    pub(crate) fn of_free_text(error: serde_json::Error, raw: &str) -> Self {
        ParseError::new(error, String::new(), 0..raw.len())
    }

    fn new(error: serde_json::Error, path: String, range: Range<usize>) -> Self {
        let text = error.to_string();
        let message = text.rsplit_once(" at line ").map_or(&text[..], |(message, _)| message);
        ParseError(Box::new(Inner { message: message.into(), error, path, range }))
    }

    /// The value that does not fit, as `orders[2].amount`; empty for the arguments as a whole. Keys
    /// that are no names stand in quotes: `headers["x-id"]`.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What would fit: a type, a field's name. `None` where the type's own error does not say it.
    pub fn expected(&self) -> Option<&str> {
        let message = &self.0.message[..];
        match message.rsplit_once(", expected ") {
            Some((_, expected)) => Some(expected),
            None => message.strip_prefix("missing "),
        }
    }

    /// What stands there instead. `None` where nothing does, or the type's own error does not say it.
    pub fn got(&self) -> Option<&str> {
        let (got, _) = self.0.message.rsplit_once(", expected ")?;
        let prefixes = ["invalid type: ", "invalid value: ", "invalid "];
        Some(prefixes.iter().find_map(|prefix| got.strip_prefix(prefix)).unwrap_or(got))
    }

    /// The bytes of the value in [`Arguments::raw`](crate::Arguments::raw); of the key, where it is
    /// the key that does not fit.
    pub fn range(&self) -> Range<usize> {
        self.0.range.clone()
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.0.range;
        match &self.0.path[..] {
            "" => f.write_str("the arguments do not fit: ")?,
            path => write!(f, "`{path}` does not fit: ")?,
        }
        match (self.expected(), self.got()) {
            (Some(expected), Some(got)) => {
                write!(f, "expected {}, got {}", Harmless(expected), Harmless(got))?;
            }
            _ => write!(f, "{}", Harmless(&self.0.message))?,
        }
        write!(f, " (bytes {start}..{end} of the arguments)")
    }
}

impl fmt::Debug for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParseError")
            .field("path", &self.path())
            .field("range", &self.range())
            .field("message", &self.0.message)
            .finish()
    }
}

impl core::error::Error for ParseError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.0.error)
    }
}

/// A value or key of a valid JSON text.
struct Place {
    path: String,
    range: Range<usize>,
}

enum Step {
    Key(Range<usize>),
    Index(usize),
}

impl Place {
    /// The value that serde_json had read, or was about to enter, when it stopped behind `end` bytes.
    /// Where it stopped inside an object or array, that one.
    fn of(text: &str, end: usize) -> Self {
        let bytes = text.as_bytes();
        // Serde may have looked past white space.
        let stops = [end, text[..end].trim_ascii_end().len()];
        // Open containers: where each begins, and the step to what is read in it.
        let mut open: Vec<(usize, Step)> = Vec::new();
        let mut is_key = false;
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            at += 1;
            match bytes[start] {
                b'{' | b'[' if start == end => {
                    return Place::new(text, &open, start..container_end(bytes, start));
                }
                b'{' => {
                    is_key = true;
                    open.push((start, Step::Key(0..0)));
                }
                b'[' => {
                    is_key = false;
                    open.push((start, Step::Index(0)));
                }
                b'}' | b']' => {
                    let Some((start, _)) = open.pop() else { break };
                    if stops.contains(&at) || start < end && end < at {
                        return Place::new(text, &open, start..at);
                    }
                    is_key = false;
                }
                b',' => match open.last_mut() {
                    Some((_, Step::Index(index))) => *index += 1,
                    _ => is_key = true,
                },
                b':' => is_key = false,
                b' ' | b'\n' | b'\r' | b'\t' => {}
                first => {
                    at = if first == b'"' {
                        string_end(bytes, start)
                    } else {
                        scalar_end(bytes, start)
                    };
                    if is_key {
                        if let Some((_, step)) = open.last_mut() {
                            *step = Step::Key(start..at);
                        }
                    }
                    if stops.contains(&at) {
                        return Place::new(text, &open, start..at);
                    }
                }
            }
        }
        Place { path: String::new(), range: 0..text.len() }
    }

    fn new(text: &str, open: &[(usize, Step)], range: Range<usize>) -> Self {
        let mut path = String::new();
        for (_, step) in open {
            match step {
                Step::Index(index) => path.push_str(&format!("[{index}]")),
                Step::Key(range) => {
                    let quoted = &text[range.clone()];
                    let name = &quoted[1.min(quoted.len())..quoted.len().saturating_sub(1).max(1)];
                    let is_name = !name.is_empty()
                        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                        && !name.starts_with(|c: char| c.is_ascii_digit());
                    match is_name {
                        true if path.is_empty() => path.push_str(name),
                        true => path.push_str(&format!(".{name}")),
                        false => path.push_str(&format!("[{}]", Harmless(quoted))),
                    }
                }
            }
        }
        Place { path, range }
    }
}

/// One past the string that begins here.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// One past the number or literal that begins here.
fn scalar_end(bytes: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b':') || byte.is_ascii_whitespace();
    start + 1 + bytes[start + 1..].iter().take_while(|byte| !ends(byte)).count()
}

/// One past the object or array that begins here.
fn container_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read into")]
    struct Order {
        amount: u8,
        #[serde(default)]
        tags: Vec<String>,
        unit: Option<Unit>,
        pair: Option<(u8, u8)>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only read into")]
    enum Unit {
        Piece,
        Kilo(u8),
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read into")]
    struct Orders {
        orders: Vec<Order>,
        #[serde(rename = "x-id", default)]
        id: Option<u32>,
    }

    fn error(text: &str) -> ParseError {
        let error = serde_json::from_str::<Orders>(text).expect_err("a misfit");
        ParseError::of_json(error, text, 0)
    }

    #[test]
    fn the_value_that_does_not_fit_is_named() {
        let cases = [
            (
                r#"{"orders":[{"amount":1},{"amount":"two"}]}"#,
                "orders[1].amount",
                r#""two""#,
                Some("u8"),
                Some("string \"two\""),
            ),
            (
                r#"{"orders":[{"amount":300}]}"#,
                "orders[0].amount",
                "300",
                Some("u8"),
                Some("integer `300`"),
            ),
            (
                r#"{"orders":[{"amount": -1 , "tags":[]}]}"#,
                "orders[0].amount",
                "-1",
                Some("u8"),
                Some("integer `-1`"),
            ),
            (
                r#"{"orders":[{"amount":1.5}]}"#,
                "orders[0].amount",
                "1.5",
                Some("u8"),
                Some("floating point `1.5`"),
            ),
            (
                r#"{"orders":[{"amount":null}]}"#,
                "orders[0].amount",
                "null",
                Some("u8"),
                Some("null"),
            ),
            (
                r#"{"orders":[{"amount":[1]}]}"#,
                "orders[0].amount",
                "[1]",
                Some("u8"),
                Some("sequence"),
            ),
            (
                r#"{"orders":[{"amount": {"a":"}"} }]}"#,
                "orders[0].amount",
                r#"{"a":"}"}"#,
                Some("u8"),
                Some("map"),
            ),
            (
                r#"{"orders":[{"amount":1,"tags":["a", 2]}]}"#,
                "orders[0].tags[1]",
                "2",
                Some("a string"),
                Some("integer `2`"),
            ),
            (
                r#"{"orders":[{"amount":1},{"tags":["a"]}]}"#,
                "orders[1]",
                r#"{"tags":["a"]}"#,
                Some("field `amount`"),
                None,
            ),
            (
                r#"{"orders":[{"amount":1,"color":"red"}]}"#,
                "orders[0].color",
                r#""color""#,
                Some("one of `amount`, `tags`, `unit`, `pair`"),
                Some("unknown field `color`"),
            ),
            (
                r#"{"orders":[{"amount":1,"unit":"ton"}]}"#,
                "orders[0].unit",
                r#""ton""#,
                Some("`piece` or `kilo`"),
                Some("unknown variant `ton`"),
            ),
            (
                r#"{"orders":[{"amount":1,"unit":{"kilo":"x"}}]}"#,
                "orders[0].unit.kilo",
                r#""x""#,
                Some("u8"),
                Some("string \"x\""),
            ),
            (
                r#"{"orders":[{"amount":1,"pair":[1]}]}"#,
                "orders[0].pair",
                "[1]",
                Some("a tuple of size 2"),
                Some("length 1"),
            ),
            (
                r#"{"orders":[{"amount":1,"amount":2}]}"#,
                "orders[0].amount",
                r#""amount""#,
                None,
                None,
            ),
            (r#"{"orders":{"a":1}}"#, "orders", r#"{"a":1}"#, Some("a sequence"), Some("map")),
            (
                r#"{"orders":[],"x-id":"1"}"#,
                r#"["x-id"]"#,
                r#""1""#,
                Some("u32"),
                Some("string \"1\""),
            ),
            (
                "{\n  \"orders\": [\n    {\"amount\": \"é\"}\n  ]\n}",
                "orders[0].amount",
                "\"é\"",
                Some("u8"),
                Some("string \"é\""),
            ),
            (r#"{"id":1}"#, "", r#"{"id":1}"#, Some("field `orders`"), None),
            (r#" {} "#, "", "{}", Some("field `orders`"), None),
        ];
        for (text, path, value, expected, got) in cases {
            let error = error(text);
            assert_eq!(error.path(), path, "{text} {error:?}");
            assert_eq!(&text[error.range()], value, "{text} {error:?}");
            assert_eq!((error.expected(), error.got()), (expected, got), "{text} {error:?}");
        }
    }

    #[test]
    fn one_line_says_it() {
        let error = error(r#"{"orders":[{"amount":"two\u001b[31m"}]}"#);
        assert_eq!(
            error.to_string(),
            "`orders[0].amount` does not fit: expected u8, got string \"two\\u{1b}[31m\" \
             (bytes 21..36 of the arguments)"
        );
    }
}
