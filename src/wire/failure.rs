//! Errors inside a stream, in all the shapes that senders give them. They are seldom, so that their
//! payload may be looked at once more.

use super::delta::Failure;
use super::head::members;
use super::json::Text;

impl<'a> Failure<'a> {
    /// Reads an error's payload: an object with an `error` member (an object or a text), an object
    /// that is the error itself, or an array of one of these. The kind is the first of the keys
    /// `kinds` that the error has, then of those that stand beside it.
    pub fn read(json: &'a [u8], kinds: &[&str]) -> Self {
        let outer = Shape::of(json.trim_ascii().strip_prefix(b"[").unwrap_or(json));
        let error = outer.get("error").filter(|error| !matches!(*error, b"null" | b"false"));
        let inner = error.map(Shape::of).unwrap_or_default();
        let of_error = kinds.iter().map(|key| inner.text(key));
        // Beside an error, `type` names the event.
        let beside = kinds.iter().filter(|key| **key != "type").map(|key| outer.text(key));
        let kind = of_error.chain(beside).find(|text| !text.is_empty()).unwrap_or_default();
        let messages =
            [inner.text("message"), error.map(scalar).unwrap_or_default(), outer.text("message")];
        let message = messages.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        Failure { kind, message, json }
    }

    /// An error that is no JSON: plain text, or a page.
    pub fn text(data: &'a [u8]) -> Self {
        let message = Text { bytes: data, escaped: false };
        Failure { kind: Text::default(), message, json: data }
    }
}

/// An object's members, as they are written.
#[derive(Default)]
struct Shape<'a>(alloc::vec::Vec<(Text<'a>, &'a [u8])>);

impl<'a> Shape<'a> {
    fn of(json: &'a [u8]) -> Self {
        Shape(members(json))
    }

    fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.0.iter().find(|(name, _)| *name == *key).map(|(_, value)| *value)
    }

    fn text(&self, key: &str) -> Text<'a> {
        self.get(key).map(scalar).unwrap_or_default()
    }
}

/// A string or a number, as text; else nothing.
fn scalar(json: &[u8]) -> Text<'_> {
    match json {
        [b'"', inner @ .., b'"'] => Text { bytes: inner, escaped: inner.contains(&b'\\') },
        [b'-' | b'0'..=b'9', ..] => Text { bytes: json, escaped: false },
        _ => Text::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn read(json: &str) -> (String, String) {
        let failure = Failure::read(json.as_bytes(), &["code", "type"]);
        (failure.kind.decode(), failure.message.decode())
    }

    #[test]
    fn shapes() {
        let cases = [
            (r#"{"error":{"type":"t","code":"c","message":"m"}}"#, "c", "m"),
            (r#"{"error":{"type":"t","code":null,"message":"\u0041"}}"#, "t", "A"),
            (r#"{"type":"error","code":"c","message":"m"}"#, "c", "m"),
            (r#"{"type":"error","message":"m"}"#, "", "m"),
            (r#" [{"error":{"code":503,"message":"m"}}]"#, "503", "m"),
            (r#"{"error":"plain"}"#, "", "plain"),
            (r#"{"error":null,"code":"c"}"#, "c", ""),
            ("[]", "", ""),
            ("text", "", ""),
        ];
        for (json, kind, message) in cases {
            assert_eq!(read(json), (kind.into(), message.into()), "{json}");
        }
    }
}
