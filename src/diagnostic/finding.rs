//! What stands where a text breaks, and what should: in words, and by kind.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};

use super::display::is_invisible;
use super::verdict::WritingFault;
use super::{InvalidKind, settle};

/// What was found at the offset of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// What JSON has there, e.g. "`,` or `}`".
    pub expected: Cow<'static, str>,
    /// What the text has there, e.g. "`m`".
    pub found: String,
    /// How many bytes of the text that is.
    pub length: usize,
    /// What the writer did, if it was the writer.
    pub fault: WritingFault,
}

impl Finding {
    /// Of a text, the kind and offset of its failure, and the parser's words if a parser was asked.
    pub(super) fn of(
        raw: &str,
        kind: InvalidKind,
        offset: usize,
        error: Option<&serde_json::Error>,
    ) -> Self {
        let message = error.map(ToString::to_string).unwrap_or_default();
        let message = message.split(" at line ").next().unwrap_or_default();
        let (expected, fault) = match kind {
            InvalidKind::Truncated => (expected_at_end(raw, message), WritingFault::Other),
            InvalidKind::NotObject => ("a JSON object", WritingFault::NotObject),
            InvalidKind::DoubleEncoded => ("a JSON object", WritingFault::DoubleEncoded),
            InvalidKind::Concatenated => {
                ("nothing more after the first value", WritingFault::SecondValue)
            }
            InvalidKind::Malformed => malformed(raw, offset, message),
        };
        let word = match fault {
            WritingFault::InvalidEscape | WritingFault::ControlCharacter => "",
            _ => word_at(raw, offset),
        };
        let found = match kind {
            InvalidKind::NotObject => json_type(raw).into(),
            InvalidKind::DoubleEncoded => "a string that holds one".into(),
            InvalidKind::Concatenated => "a second value".into(),
            _ if word.is_empty() => character_at(raw, offset),
            _ => format!("`{word}`"),
        };
        Finding { expected: Cow::Borrowed(expected), found, length: word.len(), fault }
    }
}

fn expected_at_end(raw: &str, message: &str) -> &'static str {
    match message {
        "EOF while parsing a string" => "the closing `\"` of a string",
        "EOF while parsing a list" => "`,` or `]`",
        "EOF while parsing an object" => "`,`, `:` or `}`",
        "EOF while parsing a value" => "a value",
        _ if settle::is_blank(raw) => "a JSON object",
        _ => "the rest of the arguments",
    }
}

/// What JSON has at the offset of a syntax error, and what was done instead. The messages are
/// serde_json's; one that is not known is an `Other`.
fn malformed(raw: &str, offset: usize, message: &str) -> (&'static str, WritingFault) {
    let text = &raw[floor(raw, offset)..];
    let before = raw[..floor(raw, offset)].trim_end_matches([' ', '\t']);
    let word = word_at(raw, offset);
    match message {
        m if m.starts_with("control character") => {
            ("an escape, or the closing `\"`", WritingFault::ControlCharacter)
        }
        "invalid escape" if is_in_code_unit(raw, offset) => {
            ("four hexadecimal digits", WritingFault::InvalidEscape)
        }
        "invalid escape" => (
            "one of the escapes `\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX`",
            WritingFault::InvalidEscape,
        ),
        "lone leading surrogate in hex escape"
        | "unexpected end of hex escape"
        | "invalid unicode code point" => {
            ("the other half of the surrogate pair", WritingFault::LoneSurrogate)
        }
        "recursion limit exceeded" => ("at most 127 levels", WritingFault::TooDeep),
        "number out of range" => ("a number that a double can hold", WritingFault::Number),
        "invalid number" => ("a digit", WritingFault::Number),
        "trailing characters" => ("nothing more after the object", trailing(text)),
        "trailing comma" => (
            if text.starts_with(']') { "a value after the comma" } else { "a key after the comma" },
            WritingFault::TrailingComma,
        ),
        "key must be a string" => (
            "a key in double quotes",
            match word_fault(word) {
                _ if text.starts_with('\'') => WritingFault::SingleQuotes,
                _ if is_comment(text) => WritingFault::Comment,
                None if word.is_empty() => WritingFault::Other,
                _ => WritingFault::UnquotedKey,
            },
        ),
        "expected `:`" => (
            "`:` after the key",
            if before.len() == offset && text.starts_with(char::is_alphabetic) {
                WritingFault::UnescapedQuote
            } else {
                WritingFault::MissingValue
            },
        ),
        "expected `,` or `}`" => ("`,` or `}`", unseparated(before, text, b']')),
        "expected `,` or `]`" => ("`,` or `]`", unseparated(before, text, b'}')),
        "expected value" | "expected ident" => (
            if before.trim_ascii_end().is_empty() { "a JSON object" } else { "a value" },
            match word_fault(word) {
                _ if text.starts_with('\'') => WritingFault::SingleQuotes,
                _ if is_comment(text) => WritingFault::Comment,
                _ if before.trim_ascii_end().is_empty() && text.starts_with("```") => {
                    WritingFault::CodeFence
                }
                Some(fault) => fault,
                None if text.starts_with([',', '}', ']']) => WritingFault::MissingValue,
                None if before.trim_ascii_end().is_empty() => WritingFault::Prose,
                None if word.is_empty() => WritingFault::Other,
                None => WritingFault::BareWord,
            },
        ),
        _ => ("JSON", WritingFault::Other),
    }
}

/// Whether the offset lies among the digits of an escape like `\u00e9`.
fn is_in_code_unit(raw: &str, offset: usize) -> bool {
    let before = raw.as_bytes()[..offset].iter().rev();
    let digits = before.clone().take_while(|byte| byte.is_ascii_hexdigit()).count();
    digits < 4 && before.skip(digits).take(2).eq([&b'u', &b'\\'])
}

/// Two things stand side by side, or a bracket of the other kind.
fn unseparated(before: &str, text: &str, wrong_closer: u8) -> WritingFault {
    match text.as_bytes().first() {
        Some(&byte) if byte == wrong_closer => WritingFault::WrongCloser,
        Some(b'"' | b'{' | b'[') => WritingFault::MissingComma,
        Some(b'/' | b'#') if is_comment(text) => WritingFault::Comment,
        _ if before.ends_with('"') => WritingFault::UnescapedQuote,
        Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'x' | b'_' | b'+' | b'-')
            if before.ends_with(|c: char| c.is_ascii_digit()) =>
        {
            WritingFault::Number
        }
        _ => WritingFault::Other,
    }
}

fn trailing(text: &str) -> WritingFault {
    if text.bytes().all(|b| matches!(b, b'}' | b']') || b.is_ascii_whitespace()) {
        WritingFault::ExtraCloser
    } else if text.starts_with("```") {
        WritingFault::CodeFence
    } else if text.starts_with(['{', '[', '"', ',']) || text.ends_with('}') && text.contains('{') {
        WritingFault::SecondValue
    } else {
        WritingFault::TrailingText
    }
}

fn word_fault(word: &str) -> Option<WritingFault> {
    match word {
        "True" | "False" | "None" => Some(WritingFault::PythonLiteral),
        "NaN" | "Infinity" | "undefined" | "nan" | "inf" => Some(WritingFault::JavaScriptLiteral),
        _ => None,
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*") || text.starts_with('#')
}

/// The word that begins at the offset, if it is a plain one.
fn word_at(raw: &str, offset: usize) -> &str {
    const LONGEST: usize = 24;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let bytes = raw.as_bytes();
    if offset > 0 && bytes.get(offset - 1).is_some_and(is_word) {
        return "";
    }
    let rest = &bytes[offset.min(bytes.len())..];
    let length = rest.iter().take(LONGEST + 1).take_while(|byte| is_word(byte)).count();
    let word = raw.get(offset..offset + length).unwrap_or("");
    if word.len() <= LONGEST && word.is_ascii() { word } else { "" }
}

fn character_at(raw: &str, offset: usize) -> String {
    match raw[floor(raw, offset)..].chars().next() {
        None => "the end of the text".into(),
        Some('\n') => "a raw line feed".into(),
        Some('\t') => "a raw tab".into(),
        Some('\r') => "a raw carriage return".into(),
        Some('`') => "a backtick".into(),
        Some(found) if found.is_control() || is_invisible(found) => {
            format!("the character U+{:04X}", u32::from(found))
        }
        Some(found) => format!("`{found}`"),
    }
}

fn json_type(raw: &str) -> &'static str {
    match raw.trim_ascii_start().as_bytes().first() {
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// The start of the character that a byte offset lies in.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
