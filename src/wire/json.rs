//! The grammar of one JSON document (RFC 8259): from the position of a token to the position behind it,
//! checking all there is between the two, building nothing, never recursing.
//!
//! It is looser than `serde_json` in one point only, and on purpose: half a surrogate pair in a
//! string is no error here, since senders that cut text at UTF-16 units put the other half into the
//! next envelope. [`Text::append_to`] joins the halves.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::word::{self, next_special};

/// Deepest nesting of a document, as `serde_json` has it.
const DEPTH_LIMIT: u32 = 127;

/// The document is no JSON: the byte at `at` (or the end there) is not what the grammar wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unexpected {
    pub at: usize,
}

type Result<T> = core::result::Result<T, Unexpected>;

/// Where a string's content lies, quotes excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StringSpan {
    pub start: usize,
    pub end: usize,
    /// Whether a backslash stands in it.
    pub escaped: bool,
}

/// A document, walked by position: each step is told where a token begins and says where it ends.
/// Positions are plain numbers so that they live in registers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Document<'a> {
    /// The byte at a position, 0 at the end. NUL is nowhere part of the grammar outside strings.
    #[inline(always)]
    pub fn byte(self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// What begins at a position.
    #[inline(always)]
    pub fn from(self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    #[cold]
    pub fn unexpected<T>(self, at: usize) -> Result<T> {
        Err(Unexpected { at: at.min(self.bytes.len()) })
    }

    #[inline(always)]
    pub fn past(self, byte: u8, at: usize) -> Result<usize> {
        if self.byte(at) == byte { Ok(at + 1) } else { self.unexpected(at) }
    }

    #[inline(always)]
    pub fn past_white_space(self, at: usize) -> usize {
        // Envelopes mostly have none.
        if self.byte(at) > b' ' { at } else { self.past_some_white_space(at) }
    }

    #[inline(never)]
    fn past_some_white_space(self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        at
    }

    /// Behind the colon that follows a key, and the white space around it.
    #[inline(always)]
    pub fn past_colon(self, at: usize) -> Result<usize> {
        let at = self.past_white_space(at);
        Ok(self.past_white_space(self.past(b':', at)?))
    }

    /// Where the first member or element begins, given where the bracket is; `None` if there is none.
    #[inline(always)]
    pub fn first(self, open: usize, close: u8, depth: u32) -> Result<Option<usize>> {
        if depth >= DEPTH_LIMIT {
            return self.unexpected(open);
        }
        let at = self.past_white_space(open + 1);
        Ok((self.byte(at) != close).then_some(at))
    }

    /// What follows a member or an element that ends at `at`: where the next one begins, or the
    /// position of `close`.
    #[inline(always)]
    pub fn next(self, at: usize, close: u8) -> Result<Next> {
        let at = self.past_white_space(at);
        match self.byte(at) {
            b',' => Ok(Next::Item(self.past_white_space(at + 1))),
            byte if byte == close => Ok(Next::End(at + 1)),
            _ => self.unexpected(at),
        }
    }

    /// A string whose content begins at `start`.
    #[inline(always)]
    pub fn string(self, start: usize) -> Result<StringSpan> {
        let end = next_special(self.bytes, start);
        match self.byte(end) {
            b'"' => Ok(StringSpan { start, end, escaped: false }),
            _ => self.escaped_string(start, end),
        }
    }

    /// A string with a backslash at `at`.
    #[inline(never)]
    fn escaped_string(self, start: usize, mut at: usize) -> Result<StringSpan> {
        loop {
            match self.byte(at) {
                b'"' => return Ok(StringSpan { start, end: at, escaped: true }),
                b'\\' => at = self.past_escape(at)?,
                _ => return self.unexpected(at),
            }
            at = next_special(self.bytes, at);
        }
    }

    #[inline(always)]
    fn past_escape(self, at: usize) -> Result<usize> {
        match self.byte(at + 1) {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 2),
            b'u' => match self.bytes.get(at + 2..at + 6) {
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
                _ => self.unexpected(at),
            },
            _ => self.unexpected(at),
        }
    }

    #[inline(always)]
    pub fn past_number(self, mut at: usize) -> Result<usize> {
        at += usize::from(self.byte(at) == b'-');
        at = match self.byte(at) {
            b'0' => at + 1,
            _ => self.past_digits(at)?,
        };
        match self.byte(at) {
            b'.' | b'e' | b'E' => self.past_fraction(at),
            _ => Ok(at),
        }
    }

    #[inline(never)]
    fn past_fraction(self, mut at: usize) -> Result<usize> {
        if self.byte(at) == b'.' {
            at = self.past_digits(at + 1)?;
        }
        if let b'e' | b'E' = self.byte(at) {
            at += 1;
            at += usize::from(matches!(self.byte(at), b'+' | b'-'));
            at = self.past_digits(at)?;
        }
        Ok(at)
    }

    #[inline(always)]
    fn past_digits(self, start: usize) -> Result<usize> {
        let mut at = start;
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        if at == start { self.unexpected(at) } else { Ok(at) }
    }

    #[inline(always)]
    fn past_literal<const N: usize>(self, literal: &[u8; N], at: usize) -> Result<usize> {
        match self.from(at).first_chunk() == Some(literal) {
            true => Ok(at + N),
            false => self.unexpected(at),
        }
    }

    /// Behind any value that begins at `at`, inside of `depth` objects and arrays.
    #[inline(always)]
    pub fn past_value(self, at: usize, depth: u32) -> Result<usize> {
        match self.byte(at) {
            b'"' => Ok(self.string(at + 1)?.end + 1),
            b'{' | b'[' => self.past_container(at, depth),
            _ => self.past_scalar(at),
        }
    }

    #[inline(always)]
    fn past_scalar(self, at: usize) -> Result<usize> {
        match self.byte(at) {
            b't' => self.past_literal(b"true", at),
            b'f' => self.past_literal(b"false", at),
            b'n' => self.past_literal(b"null", at),
            _ => self.past_number(at),
        }
    }

    /// Behind an object or array, with what is open in it kept as bits: 1 for an object.
    #[inline(never)]
    fn past_container(self, mut at: usize, around: u32) -> Result<usize> {
        let mut objects: u128 = 0;
        let mut depth = around;
        loop {
            at = match self.byte(at) {
                open @ (b'{' | b'[') => {
                    // The closing bracket lies two above the opening one in ASCII.
                    match self.first(at, open + 2, depth)? {
                        Some(first) => {
                            depth += 1;
                            objects = objects << 1 | u128::from(open == b'{');
                            at = if open == b'{' { self.past_key(first)? } else { first };
                            continue;
                        }
                        None => self.past_white_space(at + 1) + 1,
                    }
                }
                b'"' => self.string(at + 1)?.end + 1,
                _ => self.past_scalar(at)?,
            };
            loop {
                if depth == around {
                    return Ok(at);
                }
                let in_object = objects & 1 == 1;
                match self.next(at, if in_object { b'}' } else { b']' })? {
                    Next::Item(item) => {
                        at = if in_object { self.past_key(item)? } else { item };
                        break;
                    }
                    Next::End(end) => at = end,
                }
                depth -= 1;
                objects >>= 1;
            }
        }
    }

    /// Where the value of a member begins, given where the member does.
    #[inline(always)]
    fn past_key(self, at: usize) -> Result<usize> {
        let name = self.string(self.past(b'"', at)?)?;
        self.past_colon(name.end + 1)
    }
}

/// See [`Document::next`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Next {
    Item(usize),
    /// Behind the closing bracket.
    End(usize),
}

/// The content of a JSON string as it stands in its document, escapes not yet resolved; or, with
/// `escaped` off, plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Text<'a> {
    pub bytes: &'a [u8],
    pub escaped: bool,
}

/// What had to be done to text while it was unescaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Repairs {
    /// Bytes that are no UTF-8, or half a surrogate pair, became U+FFFD.
    pub replaced: bool,
    /// A pair cut between two texts was joined.
    pub joined: bool,
}

impl<'a> Text<'a> {
    /// Text without escapes.
    pub fn plain(text: &'a str) -> Self {
        Text { bytes: text.as_bytes(), escaped: false }
    }

    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// The text on its own, borrowed where nothing is to be unescaped.
    pub fn cow(self) -> Cow<'a, str> {
        match core::str::from_utf8(self.bytes) {
            Ok(text) if !self.escaped => Cow::Borrowed(text),
            _ => Cow::Owned(self.decode()),
        }
    }

    /// The text on its own.
    pub fn decode(self) -> String {
        let mut out = String::with_capacity(self.bytes.len());
        let mut half = None;
        self.append_to(&mut out, &mut half);
        if half.is_some() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        out
    }

    /// Appends the text, unescaped. `half` is the first half of a surrogate pair that the text
    /// before ended in, and afterwards the one that this text ends in.
    #[inline]
    pub fn append_to(self, out: &mut String, half: &mut Option<u16>) -> Repairs {
        let mut repairs = Repairs::default();
        if self.bytes.is_empty() {
            return repairs;
        }
        if self.escaped && half.is_none() && append_short(self.bytes, out) {
            return repairs;
        }
        match core::str::from_utf8(self.bytes) {
            Ok(text) if half.is_none() && !self.escaped => out.push_str(text),
            Ok(text) => self.append_escaped(text, out, half, &mut repairs),
            Err(_) => {
                repairs.replaced = true;
                let text = String::from_utf8_lossy(self.bytes);
                self.append_escaped(&text, out, half, &mut repairs);
            }
        }
        repairs
    }

    /// `text` is what stands in `self`, or what stands for it.
    fn append_escaped(
        self,
        text: &str,
        out: &mut String,
        half: &mut Option<u16>,
        repairs: &mut Repairs,
    ) {
        let mut from_before = half.is_some();
        let mut rest = text;
        while !rest.is_empty() {
            let run = if self.escaped { backslash(rest) } else { rest.len() };
            if run > 0 {
                give_up(out, half, repairs);
                let (run, behind) = rest.split_at(run);
                out.push_str(run);
                rest = behind;
                from_before = false;
                continue;
            }
            let (unit, len) = unescape(rest.as_bytes());
            rest = rest.get(len..).unwrap_or_default();
            match (*half, unit) {
                (None, 0..0xd800) => push(out, unit, repairs),
                (Some(high), 0xdc00..=0xdfff) => {
                    *half = None;
                    let pair = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (unit - 0xdc00);
                    push(out, pair, repairs);
                    repairs.joined |= from_before;
                }
                (_, 0xd800..=0xdbff) => {
                    give_up(out, half, repairs);
                    *half = Some(unit as u16);
                }
                _ => {
                    give_up(out, half, repairs);
                    push(out, unit, repairs);
                }
            }
            from_before = false;
        }
    }
}

/// How long a text is at most that [`append_short`] takes.
const SHORT: usize = 248;

/// Appends a short text with escapes of one character each: a word at a time, and checked as UTF-8
/// once, when it is unescaped. False, and nothing appended, if it is not such a text.
#[inline]
fn append_short(bytes: &[u8], out: &mut String) -> bool {
    if bytes.len() > SHORT {
        return false;
    }
    let mut plain = [0; SHORT + 8];
    let (mut from, mut to) = (0, 0);
    while from < bytes.len() {
        let next = bytes.get(from..).and_then(<[u8]>::first_chunk::<8>);
        let run = match (next, plain.get_mut(to..to + 8)) {
            (Some(eight), Some(place)) => {
                place.copy_from_slice(eight);
                word::before(word::first(u64::from_le_bytes(*eight), b'\\'))
            }
            _ if bytes[from] == b'\\' => 0,
            _ => {
                plain[to] = bytes[from];
                1
            }
        };
        (from, to) = (from + run, to + run);
        if bytes.get(from) == Some(&b'\\') {
            let Some(byte) = bytes.get(from + 1).and_then(|&byte| simple_escape(byte)) else {
                return false;
            };
            plain[to] = byte;
            (from, to) = (from + 2, to + 1);
        }
    }
    match core::str::from_utf8(&plain[..to]) {
        Ok(text) => {
            out.push_str(text);
            true
        }
        Err(_) => false,
    }
}

/// The character that a backslash and this byte stand for.
#[inline]
fn simple_escape(byte: u8) -> Option<u8> {
    Some(match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0c,
        b'"' | b'\\' | b'/' => byte,
        _ => return None,
    })
}

/// Where the first backslash is, or the text's length.
#[inline]
fn backslash(text: &str) -> usize {
    // Few bytes lie between two escapes of code; a call of memchr takes longer than to look at them.
    let near = text.len().min(16);
    match text.as_bytes()[..near].iter().position(|byte| *byte == b'\\') {
        Some(at) => at,
        None => near + memchr::memchr(b'\\', &text.as_bytes()[near..]).unwrap_or(text.len() - near),
    }
}

#[inline]
fn push(out: &mut String, code_point: u32, repairs: &mut Repairs) {
    match char::from_u32(code_point) {
        Some(character) => out.push(character),
        None => {
            out.push(char::REPLACEMENT_CHARACTER);
            repairs.replaced = true;
        }
    }
}

/// Compares unescaped, without allocating in the usual case of no escapes.
impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        match self.escaped {
            false => self.bytes == other.as_bytes(),
            true => self.decode() == other,
        }
    }
}

/// A half without its other half.
fn give_up(out: &mut String, half: &mut Option<u16>, repairs: &mut Repairs) {
    if half.take().is_some() {
        out.push(char::REPLACEMENT_CHARACTER);
        repairs.replaced = true;
    }
}

/// The UTF-16 unit or character that an escape stands for, and the escape's length. The scanner has
/// checked the escape; one that is none stands for U+FFFD.
#[inline]
fn unescape(escape: &[u8]) -> (u32, usize) {
    match escape.get(1) {
        Some(b'u') => {
            let digits = escape.get(2..6).and_then(|digits| core::str::from_utf8(digits).ok());
            let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            (unit.unwrap_or(0xfffd), escape.len().min(6))
        }
        byte => match byte.and_then(|&byte| simple_escape(byte)) {
            Some(byte) => (byte.into(), 2),
            None => (0xfffd, escape.len().min(2)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn accepts(document: &[u8]) -> bool {
        let document = Document { bytes: document };
        match document.past_value(document.past_white_space(0), 0) {
            Ok(end) => document.past_white_space(end) == document.bytes.len(),
            Err(_) => false,
        }
    }

    fn joined(texts: &[&str]) -> (String, Repairs) {
        let (mut out, mut half, mut all) = (String::new(), None, Repairs::default());
        for text in texts {
            let text = Text { bytes: text.as_bytes(), escaped: true };
            let repairs = text.append_to(&mut out, &mut half);
            all.joined |= repairs.joined;
            all.replaced |= repairs.replaced;
        }
        (out, all)
    }

    #[test]
    fn a_pair_in_one_text_needs_no_repair() {
        assert_eq!(joined(&[r"a\ud83d\ude80b"]), ("a🚀b".into(), Repairs::default()));
    }

    #[test]
    fn a_pair_cut_between_two_texts_is_joined() {
        let repairs = Repairs { joined: true, replaced: false };
        assert_eq!(joined(&[r"a\ud83d", r"\ude80b"]), ("a🚀b".into(), repairs));
        assert_eq!(joined(&[r"\ud83d", "", r"\ude80"]), ("🚀".into(), repairs));
    }

    #[test]
    fn a_half_alone_is_replaced() {
        let repairs = Repairs { joined: false, replaced: true };
        assert_eq!(joined(&[r"a\ud83d", "b"]), ("a\u{fffd}b".into(), repairs));
        assert_eq!(joined(&[r"a\ude80b"]), ("a\u{fffd}b".into(), repairs));
        assert_eq!(joined(&[r"\ud83d\ud83d", r"\ude80"]).0, "\u{fffd}🚀");
        assert_eq!(joined(&[r"\ud83d\n"]).0, "\u{fffd}\n");
    }

    #[test]
    fn half_a_pair_is_within_the_grammar() {
        assert!(accepts(br#"{"a":"\ud83d"}"#));
    }

    #[test]
    fn nesting_has_the_limit_of_serde_json() {
        for (depth, fits) in [(127, true), (128, false)] {
            let text = "[".repeat(depth) + &"]".repeat(depth);
            assert_eq!(accepts(text.as_bytes()), fits, "{depth}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), fits, "{depth}");
        }
    }

    proptest! {

        #[test]
        fn agrees_with_serde_json_on_edited_documents(
            edits in prop::collection::vec((0usize..120, prop::sample::select(
                b"{}[]\",:\\u0e.-+ntf 19\n\x01\xc3".to_vec())), 0..4),
        ) {
            let mut document: Vec<u8> =
                br#"{"a":[1,-0.5e+3,true,null,{"b\n\u00e9":"x\"y"}],"c":{},"d":[],"e":"tail" }"#.to_vec();
            for (at, byte) in edits {
                let at = at % document.len();
                document[at] = byte;
            }
            let theirs = serde_json::from_slice::<serde::de::IgnoredAny>(&document).is_ok();
            prop_assert_eq!(accepts(&document), theirs, "{}", String::from_utf8_lossy(&document));
        }

        #[test]
        fn unescapes_as_serde_json_does(text in any::<String>(), cut in 0usize..64) {
            let quoted = serde_json::to_string(&text).unwrap();
            let escaped: String = quoted.chars().map(|c| match c {
                c if c as u32 > 0x7e => {
                    let mut units = [0; 2];
                    c.encode_utf16(&mut units).iter().map(|u| std::format!("\\u{u:04x}")).collect()
                }
                c => String::from(c),
            }).collect();
            let content = &escaped[1..escaped.len() - 1];
            prop_assert_eq!(&joined(&[content]).0, &text);
            // Cut at a border of escapes, as two envelopes would be.
            let borders: Vec<usize> = borders(content);
            let cut = borders[cut % borders.len()];
            prop_assert_eq!(&joined(&[&content[..cut], &content[cut..]]).0, &text);
        }
    }

    fn borders(content: &str) -> Vec<usize> {
        let (bytes, mut at, mut out) = (content.as_bytes(), 0, Vec::from([0]));
        while at < bytes.len() {
            at += match (bytes[at], bytes.get(at + 1)) {
                (b'\\', Some(b'u')) => 6,
                (b'\\', _) => 2,
                _ => 1,
            };
            out.push(at);
        }
        out
    }
}
