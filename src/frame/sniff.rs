//! What a body is, told from its first bytes.

/// What the first bytes of a body look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Body {
    /// Nothing, or white space only.
    Empty,
    /// An event stream: a known field, or a comment.
    EventStream,
    /// A JSON object: often an error sent in place of a stream.
    JsonObject,
    /// A JSON array.
    JsonArray,
    /// JSON values, one a line.
    NdJson,
    /// An HTML or XML page: mostly a proxy's error page.
    Html,
    /// Compressed with gzip; ask the server for identity encoding.
    Gzip,
    /// Compressed with Zstandard; ask the server for identity encoding.
    Zstd,
    /// AWS event stream frames (`application/vnd.amazon.eventstream`).
    BinaryEventStream,
    /// None of these.
    Unknown,
}

impl Body {
    /// The kind's name in a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Body::Empty => "nothing",
            Body::EventStream => "an event stream",
            Body::JsonObject => "a JSON object",
            Body::JsonArray => "a JSON array",
            Body::NdJson => "lines of JSON",
            Body::Html => "HTML",
            Body::Gzip => "gzip",
            Body::Zstd => "zstd",
            Body::BinaryEventStream => "binary event stream frames",
            Body::Unknown => "something unknown",
        }
    }

    /// Tells what a body is from its first bytes. The more there are (512 are plenty), the better:
    /// a JSON object and lines of JSON begin alike.
    ///
    /// ```
    /// use toolcall::sse::Body;
    ///
    /// assert_eq!(Body::sniff(b"data: x"), Body::EventStream);
    /// assert_eq!(Body::sniff(b"{\"error\":{}}"), Body::JsonObject);
    /// assert_eq!(Body::sniff(b"{\"a\":1}\n{\"a\":2}\n"), Body::NdJson);
    /// assert_eq!(Body::sniff(b"<!doctype html>"), Body::Html);
    /// ```
    pub fn sniff(first_bytes: &[u8]) -> Body {
        sniff(first_bytes)
    }
}

/// See [`Body::sniff`].
pub(crate) fn sniff(bytes: &[u8]) -> Body {
    match bytes {
        [0x1f, 0x8b, ..] => return Body::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => return Body::Zstd,
        _ if is_prelude(bytes) => return Body::BinaryEventStream,
        _ => {}
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line_start = text.iter().position(|b| !matches!(b, b'\n' | b'\r')).unwrap_or(text.len());
    let text = &text[line_start..];
    match text.trim_ascii_start() {
        [] => Body::Empty,
        [b'{', ..] => json_lines_or(text, Body::JsonObject),
        [b'[', ..] => json_lines_or(text, Body::JsonArray),
        [b'<', ..] => Body::Html,
        _ if begins_field(text) => Body::EventStream,
        _ => Body::Unknown,
    }
}

/// A line that an event stream may begin with: a comment, or a known field as far as it is there.
fn begins_field(text: &[u8]) -> bool {
    let end = text.iter().position(|b| matches!(b, b':' | b'\n' | b'\r'));
    let name = &text[..end.unwrap_or(text.len())];
    let names: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];
    match end {
        Some(_) => name.is_empty() || names.contains(&name),
        None => names.iter().any(|known| known.starts_with(name)),
    }
}

/// Lines of JSON if a second value stands on a later line than the end of the first one.
fn json_lines_or(text: &[u8], single: Body) -> Body {
    let rest = match end_of_value(text) {
        Some(end) => &text[end..],
        None => return single,
    };
    let next = rest.trim_ascii_start();
    let between = &rest[..rest.len() - next.len()];
    if between.contains(&b'\n') && matches!(next, [b'{' | b'[', ..]) {
        Body::NdJson
    } else {
        single
    }
}

/// One past the bracket that closes the first one. Strings are stepped over, nothing is checked.
fn end_of_value(text: &[u8]) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The twelve bytes every event stream message begins with: two lengths that fit each other and
/// their checksum, the last only if it is there already.
fn is_prelude(bytes: &[u8]) -> bool {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_be_bytes([four[0], four[1], four[2], four[3]]))
    };
    match (number(0), number(4), number(8)) {
        (Some(total), Some(headers), Some(sum)) => {
            total >= 16 && headers <= total - 16 && crc32fast::hash(&bytes[..8]) == sum
        }
        // No text begins with NUL, and no message is 16 MiB long.
        _ => bytes.first() == Some(&0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies() {
        let cases: [(&[u8], Body); 29] = [
            (b"", Body::Empty),
            (b"\n\r\n  ", Body::Empty),
            (b"data: x\n\n", Body::EventStream),
            (b"\xef\xbb\xbfdata: x\n\n", Body::EventStream),
            (b"\n\ndata", Body::EventStream),
            (b"dat", Body::EventStream),
            (b"event:x", Body::EventStream),
            (b"id\n", Body::EventStream),
            (b"retry: 1", Body::EventStream),
            (b": ping\n", Body::EventStream),
            (b":\r\n", Body::EventStream),
            (b"datum: x", Body::Unknown),
            (b"hello", Body::Unknown),
            (b" data: x", Body::Unknown),
            (b"{\"error\": {\"message\": \"}\\\"}\"}}", Body::JsonObject),
            (b"{\"error\": {}}\n", Body::JsonObject),
            (b"  {\n  \"error\": 1\n}", Body::JsonObject),
            (b"{\"a\":1}\n{\"a\":2}\n", Body::NdJson),
            (b"{\"a\":1}\r\n\n{", Body::NdJson),
            (b"{\"a\":1} {", Body::JsonObject),
            (b"[{\"a\":1},\n{\"a\":2}", Body::JsonArray),
            (b"[", Body::JsonArray),
            (b"<!DOCTYPE html>", Body::Html),
            (b"\n <?xml version=\"1.0\"?>", Body::Html),
            (b"\x1f\x8b\x08\x00", Body::Gzip),
            (b"\x28\xb5\x2f\xfd\x00", Body::Zstd),
            (b"\0\0\0\x10\0\0\0\0\x05\xc2\x48\xeb", Body::BinaryEventStream),
            (b"\0\0\0\x10\0\0\0\0\x05\xc2\x48\xec", Body::Unknown),
            (b"\0\0\x01", Body::BinaryEventStream),
        ];
        for (bytes, body) in cases {
            assert_eq!(sniff(bytes), body, "{}", bytes.escape_ascii());
        }
    }
}
