//! The scanner: walks one JSON document once, checks its whole grammar (RFC 8259), and hands out
//! where the strings and numbers lie. It never builds a tree and never recurses.
//!
//! It is looser than `serde_json` in one point only, and on purpose: half a surrogate pair in a
//! string is no error here, since senders that cut text at UTF-16 units put the other half into the
//! next envelope. [`Text::append_to`] joins the halves.

use alloc::borrow::Cow;
use alloc::string::String;

/// Deepest nesting of a skipped value, as `serde_json` has it.
const DEPTH_LIMIT: u32 = 127;

/// What a string has to be walked for: quote, backslash, control characters.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

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

/// A position in a document, moving forward over tokens.
#[derive(Debug, Clone)]
pub(crate) struct Scanner<'a> {
    pub document: &'a [u8],
    pub at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(document: &'a [u8]) -> Self {
        Scanner { document, at: 0 }
    }

    /// The next byte, 0 at the end. NUL is nowhere part of the grammar outside strings.
    #[inline]
    pub fn peek(&self) -> u8 {
        self.document.get(self.at).copied().unwrap_or(0)
    }

    #[inline]
    pub fn skip_white_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    #[inline]
    pub fn expect(&mut self, byte: u8) -> Result<()> {
        if self.peek() != byte {
            return self.unexpected();
        }
        self.at += 1;
        Ok(())
    }

    /// Takes `byte` if it is next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    pub fn unexpected<T>(&self) -> Result<T> {
        Err(Unexpected { at: self.at })
    }

    /// A string; the scanner stands on its opening quote.
    #[inline]
    pub fn string(&mut self) -> Result<StringSpan> {
        self.expect(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at = find_special(self.document, self.at);
            match self.peek() {
                b'"' => {
                    let end = self.at;
                    self.at += 1;
                    return Ok(StringSpan { start, end, escaped });
                }
                b'\\' => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return self.unexpected(),
            }
        }
    }

    fn escape(&mut self) -> Result<()> {
        match self.document.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => match self.document.get(self.at + 2..self.at + 6) {
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => self.at += 6,
                _ => return self.unexpected(),
            },
            _ => return self.unexpected(),
        }
        Ok(())
    }

    pub fn number(&mut self) -> Result<()> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if start == self.at { self.unexpected() } else { Ok(()) }
    }

    pub fn literal(&mut self, literal: &[u8]) -> Result<()> {
        if !self.document[self.at..].starts_with(literal) {
            return self.unexpected();
        }
        self.at += literal.len();
        Ok(())
    }

    /// A key and its colon; the scanner stands on the key's quote.
    #[inline]
    pub fn key(&mut self) -> Result<StringSpan> {
        let key = self.string()?;
        self.skip_white_space();
        self.expect(b':')?;
        self.skip_white_space();
        Ok(key)
    }

    /// Any value; the scanner stands on its first byte.
    #[inline]
    pub fn skip_value(&mut self) -> Result<()> {
        match self.peek() {
            b'"' => self.string().map(drop),
            b'{' | b'[' => self.skip_container(),
            _ => self.skip_scalar(),
        }
    }

    fn skip_scalar(&mut self) -> Result<()> {
        match self.peek() {
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => self.number(),
        }
    }

    /// An object or array, with what is open kept as bits: 1 for an object.
    fn skip_container(&mut self) -> Result<()> {
        let mut objects: u128 = 0;
        let mut depth = 0;
        loop {
            let byte = self.peek();
            if byte == b'{' || byte == b'[' {
                if depth == DEPTH_LIMIT {
                    return self.unexpected();
                }
                self.at += 1;
                depth += 1;
                objects = objects << 1 | u128::from(byte == b'{');
                self.skip_white_space();
                // The closing bracket lies two above the opening one in ASCII.
                if !self.take(byte + 2) {
                    if byte == b'{' {
                        self.key()?;
                    }
                    continue;
                }
                depth -= 1;
                objects >>= 1;
            } else if byte == b'"' {
                self.string()?;
            } else {
                self.skip_scalar()?;
            }
            loop {
                if depth == 0 {
                    return Ok(());
                }
                self.skip_white_space();
                let in_object = objects & 1 == 1;
                if self.take(b',') {
                    self.skip_white_space();
                    if in_object {
                        self.key()?;
                    }
                    break;
                }
                self.expect(if in_object { b'}' } else { b']' })?;
                depth -= 1;
                objects >>= 1;
            }
        }
    }
}

/// Index of the first quote, backslash or control character from `at` on, or the length.
#[inline]
pub(crate) fn find_special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let found = special_bytes(u64::from_le_bytes(*eight));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..=0x1f) {
            break;
        }
        at += 1;
    }
    at
}

/// The high bit of each byte that is special. Borrows make bits above the first one unreliable, so
/// only the lowest may be used.
#[inline]
fn special_bytes(word: u64) -> u64 {
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let quote = zero(word ^ (ONES * u64::from(b'"')));
    let backslash = zero(word ^ (ONES * u64::from(b'\\')));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (quote | backslash | control) & HIGH_BITS
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
        if half.is_none() && !self.escaped {
            append_run(out, self.bytes, &mut repairs);
            return repairs;
        }
        self.append_escaped(out, half, &mut repairs);
        repairs
    }

    fn append_escaped(self, out: &mut String, half: &mut Option<u16>, repairs: &mut Repairs) {
        let mut from_before = half.is_some();
        let mut rest = self.bytes;
        while !rest.is_empty() {
            let run = match self.escaped {
                true => memchr::memchr(b'\\', rest).unwrap_or(rest.len()),
                false => rest.len(),
            };
            if run > 0 {
                give_up(out, half, repairs);
                append_run(out, &rest[..run], repairs);
                rest = &rest[run..];
                continue;
            }
            let (unit, len) = unescape(rest);
            rest = &rest[len..];
            match (half.take(), unit) {
                (Some(high), 0xdc00..=0xdfff) => {
                    let pair = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (unit - 0xdc00);
                    out.push(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
                    repairs.joined |= from_before;
                }
                (before, _) => {
                    *half = before;
                    give_up(out, half, repairs);
                    match unit {
                        0xd800..=0xdbff => *half = Some(unit as u16),
                        _ => match char::from_u32(unit) {
                            Some(character) => out.push(character),
                            None => {
                                out.push(char::REPLACEMENT_CHARACTER);
                                repairs.replaced = true;
                            }
                        },
                    }
                }
            }
            from_before = false;
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

#[inline]
fn append_run(out: &mut String, run: &[u8], repairs: &mut Repairs) {
    match core::str::from_utf8(run) {
        Ok(text) => out.push_str(text),
        Err(_) => {
            out.push_str(&String::from_utf8_lossy(run));
            repairs.replaced = true;
        }
    }
}

/// The UTF-16 unit or character that an escape stands for, and the escape's length. The scanner has
/// checked the escape; one that is none stands for U+FFFD.
fn unescape(escape: &[u8]) -> (u32, usize) {
    let simple = match escape.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 0x08,
        Some(b'f') => 0x0c,
        Some(b'u') => {
            let digits = escape.get(2..6).and_then(|digits| core::str::from_utf8(digits).ok());
            let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            return (unit.unwrap_or(0xfffd), escape.len().min(6));
        }
        Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
        _ => return (0xfffd, escape.len().min(2)),
    };
    (u32::from(simple), 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn accepts(document: &[u8]) -> bool {
        let mut scanner = Scanner::new(document);
        scanner.skip_white_space();
        let valid = scanner.skip_value().is_ok();
        scanner.skip_white_space();
        valid && scanner.at == document.len()
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
        fn special_bytes_are_found_wherever_they_stand(
            mut bytes in prop::collection::vec(prop_oneof![0x20u8..=0xff, Just(b'a')], 0..40),
            at in 0usize..40,
            special in prop_oneof![Just(b'"'), Just(b'\\'), 0u8..0x20],
        ) {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = special;
            }
            let naive = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
            prop_assert_eq!(find_special(&bytes, 0), naive.unwrap_or(bytes.len()));
        }

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
