//! Is this text one JSON object? Decided in one pass, at the speed of memory.
//!
//! [`validate`] accepts exactly what `serde_json::from_str::<serde_json::Value>` accepts, as far as
//! it is an object: RFC 8259, white space around it, at most 127 levels, no lone surrogate escapes,
//! no number outside the range of a double. It builds nothing, does not recurse, and says only yes
//! or no: where and why a text fails is found once more by serde_json itself, see `fault.rs`.

use super::keys::Keys;

/// What is known of a valid text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Some object of it has a key twice.
    pub duplicate_key: bool,
}

/// Why a text is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    Syntax,
    /// More than [`MAX_DEPTH`] levels, whatever follows.
    TooDeep,
}

/// serde_json gives up when it enters the 128th level.
pub(crate) const MAX_DEPTH: u32 = 127;

/// Whether `text` is one JSON object with nothing but white space around it.
pub(crate) fn validate(text: &str) -> Result<Facts, Rejected> {
    let mut walk =
        Walk { text, bytes: text.as_bytes(), at: 0, open: 0, depth: 0, keys: Keys::new() };
    walk.skip_white_space();
    if walk.peek() != b'{' {
        return Err(Rejected::Syntax);
    }
    walk.value()?;
    walk.skip_white_space();
    if walk.at != text.len() {
        return Err(Rejected::Syntax);
    }
    Ok(Facts { duplicate_key: walk.keys.found() })
}

struct Walk<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// One bit an open container, the innermost lowest: set for an object. `MAX_DEPTH` fit.
    open: u128,
    depth: u32,
    keys: Keys,
}

impl Walk<'_> {
    /// Reads one value, however deep, to its end.
    fn value(&mut self) -> Result<(), Rejected> {
        loop {
            match self.peek() {
                b'"' => {
                    self.string()?;
                }
                b'{' => {
                    self.enter(true)?;
                    self.skip_white_space();
                    if self.peek() != b'}' {
                        self.key()?;
                        continue;
                    }
                    self.at += 1;
                    self.leave();
                }
                b'[' => {
                    self.enter(false)?;
                    self.skip_white_space();
                    if self.peek() != b']' {
                        continue;
                    }
                    self.at += 1;
                    self.leave();
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.literal(b"true")?,
                b'f' => self.literal(b"false")?,
                b'n' => self.literal(b"null")?,
                _ => return Err(Rejected::Syntax),
            }
            // A value is complete: close what closes behind it, up to the next one.
            loop {
                if self.depth == 0 {
                    return Ok(());
                }
                self.skip_white_space();
                let in_object = self.open & 1 == 1;
                match self.peek() {
                    b',' => {
                        self.at += 1;
                        self.skip_white_space();
                        if in_object {
                            self.key()?;
                        }
                        break;
                    }
                    b'}' if in_object => {}
                    b']' if !in_object => {}
                    _ => return Err(Rejected::Syntax),
                }
                self.at += 1;
                self.leave();
            }
        }
    }

    fn enter(&mut self, object: bool) -> Result<(), Rejected> {
        if self.depth == MAX_DEPTH {
            return Err(Rejected::TooDeep);
        }
        self.at += 1;
        self.depth += 1;
        self.open = self.open << 1 | u128::from(object);
        if object {
            self.keys.enter();
        }
        Ok(())
    }

    fn leave(&mut self) {
        if self.open & 1 == 1 {
            self.keys.leave(self.text);
        }
        self.open >>= 1;
        self.depth -= 1;
    }

    /// A member up to its value: key, colon, and the white space around them.
    #[inline]
    fn key(&mut self) -> Result<(), Rejected> {
        if self.peek() != b'"' {
            return Err(Rejected::Syntax);
        }
        let start = self.at;
        let escaped = self.string()?;
        self.keys.push(self.text, start..self.at, escaped);
        self.skip_white_space();
        if self.peek() != b':' {
            return Err(Rejected::Syntax);
        }
        self.at += 1;
        self.skip_white_space();
        Ok(())
    }

    /// A string from its opening quote to behind its closing one; whether it has an escape.
    #[inline]
    fn string(&mut self) -> Result<bool, Rejected> {
        self.at += 1;
        let mut escaped = false;
        loop {
            self.at = next_special(self.bytes, self.at);
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(escaped);
                }
                b'\\' => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(Rejected::Syntax),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Rejected> {
        let kind = self.bytes.get(self.at + 1).copied().unwrap_or(0);
        self.at += 2;
        match kind {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(()),
            b'u' => match self.hex4()? {
                0xd800..=0xdbff => {
                    if self.bytes.get(self.at..self.at + 2) != Some(br"\u") {
                        return Err(Rejected::Syntax);
                    }
                    self.at += 2;
                    match self.hex4()? {
                        0xdc00..=0xdfff => Ok(()),
                        _ => Err(Rejected::Syntax),
                    }
                }
                0xdc00..=0xdfff => Err(Rejected::Syntax),
                _ => Ok(()),
            },
            _ => Err(Rejected::Syntax),
        }
    }

    fn hex4(&mut self) -> Result<u32, Rejected> {
        let digits = self.bytes.get(self.at..self.at + 4).ok_or(Rejected::Syntax)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, &digit| {
            let digit = char::from(digit).to_digit(16).ok_or(Rejected::Syntax)?;
            Ok(unit << 4 | digit)
        })
    }

    fn number(&mut self) -> Result<(), Rejected> {
        let start = self.at;
        if self.peek() == b'-' {
            self.at += 1;
        }
        let leading_zero = self.peek() == b'0';
        let integer = self.digits()?;
        if leading_zero && integer > 1 {
            return Err(Rejected::Syntax);
        }
        let mut exponent = 0;
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if let b'e' | b'E' = self.peek() {
            self.at += 1;
            if let b'+' | b'-' = self.peek() {
                self.at += 1;
            }
            exponent = self.digits()?;
        }
        // Below 10^299 for certain; else serde_json is asked, whose rounding decides the border.
        if integer <= 200 && exponent <= 2 {
            return Ok(());
        }
        match serde_json::from_str::<serde_json::Value>(&self.text[start..self.at]) {
            Ok(_) => Ok(()),
            Err(_) => Err(Rejected::Syntax),
        }
    }

    /// At least one digit; how many.
    #[inline]
    fn digits(&mut self) -> Result<usize, Rejected> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at == start { Err(Rejected::Syntax) } else { Ok(self.at - start) }
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), Rejected> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(Rejected::Syntax);
        }
        self.at += word.len();
        Ok(())
    }

    /// The byte here; 0, which no JSON has, at the end.
    #[inline]
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    #[inline]
    fn skip_white_space(&mut self) {
        while let b' ' | b'\n' | b'\r' | b'\t' = self.peek() {
            self.at += 1;
        }
    }
}

/// The first quote, backslash or control character at or behind `at`; the end if there is none.
#[inline]
pub(super) fn next_special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let found = specials(u64::from_le_bytes(*word));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&byte| byte != b'"' && byte != b'\\' && byte >= 0x20) {
        at += 1;
    }
    at
}

/// Flags the bytes of a word that may not stand in a string as they are. Above the lowest flag there
/// may be false ones, from the borrow of the subtractions.
#[inline]
fn specials(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    (quote.wrapping_sub(ONES) & !quote
        | backslash.wrapping_sub(ONES) & !backslash
        | word.wrapping_sub(ONES * 0x20) & !word)
        & (ONES * 0x80)
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::super::fault;
    use super::*;

    /// What the validation must say, by serde_json and a search for repeated keys of its own.
    fn oracle(text: &str) -> Option<Facts> {
        let value: Value = serde_json::from_str(text).ok()?;
        value.is_object().then(|| Facts { duplicate_key: members(text) != count(&value) })
    }

    /// How many members all objects of a text have, repeated keys counted.
    fn members(text: &str) -> usize {
        let mut in_string = false;
        let mut bytes = text.bytes();
        let mut colons = 0;
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => _ = bytes.next(),
                b'"' => in_string = !in_string,
                b':' if !in_string => colons += 1,
                _ => {}
            }
        }
        colons
    }

    fn count(value: &Value) -> usize {
        match value {
            Value::Object(members) => members.len() + members.values().map(count).sum::<usize>(),
            Value::Array(elements) => elements.iter().map(count).sum(),
            _ => 0,
        }
    }

    fn agree(text: &str) {
        let expected = oracle(text);
        assert_eq!(validate(text).ok(), expected, "{text:?}");
        assert_eq!(fault::find(text).is_none(), expected.is_some(), "{text:?}");
    }

    #[test]
    fn agrees_with_serde_json_on_the_corners_of_the_grammar() {
        #[rustfmt::skip]
        let values = [
            // literals and what looks like them
            "true", "false", "null", "tru", "True", "nulll", "NaN", "Infinity", "-Infinity",
            "undefined",
            // numbers
            "0", "-0", "1", "-1", "01", "-01", "00", "+1", ".5", "1.", "1.5", "-1.5e3", "1e3",
            "1E+3", "1e-3", "1e", "1e+", "--1", "-", "0x10", "1_000", "1e308", "1e309", "-1e309",
            "1e999", "1e-999", "0e999", "0.0e99999999999999999999", "1e99999999999999999999",
            "1e-99999999999999999999", "1.7976931348623157e308", "1.7976931348623158e308",
            "1.7976931348623159e308", "1.797693134862315807e308", "1.7976931348623158079e308",
            "179769313486231580793e288", "18446744073709551615", "18446744073709551616",
            "-9223372036854775808", "-9223372036854775809", "1 2", "1,2",
            // strings
            r#""""#, r#""a""#, r#""\"""#, r#""\\""#, r#""\/\b\f\n\r\t""#, r#""\a""#, r#""\'""#,
            r#""\x41""#, r#""\u0041""#, r#""\u00e9\u20AC""#, r#""\u004""#, r#""\u00g1""#,
            r#""\U0041""#, r#""\u+041""#, r#""\ud83d""#, r#""\ude00""#, r#""\ud83d\ude00""#,
            r#""\ud83d\ud83d""#, r#""\ud83d\u0041""#, r#""\ud83dx""#, r#""\ude00\ud83d""#,
            r#""\uDBFF\uDFFF""#, r#""\u0000""#, "\"\u{0}\"", "\"\u{1f}\"", "\"\u{7f}\"",
            "\"\u{2028}\u{feff}\"", "\"é日本😀\"", "\"a\nb\"", "\"a\tb\"", "'a'", "\"a", "\"a\\",
            "\"a\\\"", "a\"", "\"01234567\u{1}\"", "\"012345678901234567890123456789\"",
            "\"0123456\\",
            // arrays
            "[]", "[1]", "[1,2]", "[ ]", "[ 1 , 2 ]", "[,]", "[1,]", "[,1]", "[1 2]", "[1;2]", "[",
            "]", "[1", "[1,", "[]]", "[}", "[[]", "[1}",
            // objects
            "{}", "{ }", r#"{"a":1}"#, r#"{ "a" : 1 , "b" : 2 }"#, r#"{"a":1,}"#, r#"{,"a":1}"#,
            r#"{"a"}"#, r#"{"a":}"#, r#"{"a" 1}"#, r#"{a:1}"#, r#"{'a':1}"#, r#"{1:1}"#,
            r#"{"a":1 "b":2}"#, r#"{"a":1,,"b":2}"#, r#"{"a"::1}"#, r#"{"a":1]"#, "{", r#"{""#,
            r#"{"a"#, r#"{"a":"#, r#"{"a":1"#, r#"{"a":1,"#, r#"{null:1}"#, r#"{{}}"#, "{[]}",
            r#"{"a":1}}"#, r#"{"a\ud800":1}"#, "{\"a\u{1}\":1}",
            // white space, and what is none
            "\u{feff}{}", "\u{a0}{}", "\u{b}{}", "\u{c}{}", "\u{2028}{}", "{}\u{0}", "/**/{}",
            "{} //", "\r\n\t {} \r\n\t ", "", " ", "\n",
            // several values
            "{}{}", "{} {}", "{},{}", "{}\n{}", "{}1", "{}a",
        ];
        for value in values {
            agree(value);
            for (before, after) in [
                ("{\"k\":", "}"),
                ("{\"k\":[", "]}"),
                (" {\"k\" : ", " } "),
                ("{\"k\":", ""),
                ("{\"k\":", ",\"k2\":1}"),
            ] {
                agree(&format!("{before}{value}{after}"));
            }
        }
    }

    #[test]
    fn depth_is_serde_jsons() {
        for depth in 120..=136 {
            let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
            let text = format!("{{\"v\":{open}{close}}}");
            agree(&text);
            assert_eq!(validate(&text).is_ok(), depth as u32 <= MAX_DEPTH);
            let text = "{\"v\":".repeat(depth) + "1" + &"}".repeat(depth);
            agree(&text);
            let expected = if depth as u32 <= MAX_DEPTH { None } else { Some(Rejected::TooDeep) };
            assert_eq!(validate(&text).err(), expected);
        }
        assert_eq!(validate(&"{\"v\":".repeat(1 << 20)), Err(Rejected::TooDeep));
        // Wide is not deep.
        let wide = format!("{{\"v\":[{}0]}}", "[[]],{},".repeat(1000));
        assert_eq!(validate(&wide), Ok(Facts { duplicate_key: false }));
    }

    #[test]
    fn repeated_keys_are_found_in_any_object() {
        let many = |last: &str| {
            let keys: Vec<String> = (0..5000).map(|n| format!("\"key-{n}\":{n}")).collect();
            format!("{{\"x\":{{}},{},{last}:0}}", keys.join(","))
        };
        let cases = [
            (r#"{"a":1,"a":2}"#.into(), true),
            (r#"{"a":1,"A":2,"":3," ":4}"#.into(), false),
            (r#"{"a":{"a":{"a":1}},"b":{"a":2}}"#.into(), false),
            (r#"{"a":[{"a":1},{"a":2},{"b":1,"c":2,"b":3}]}"#.into(), true),
            (r#"{"a":1,"b":{"c":1},"\u0061":2}"#.into(), true),
            (r#"{"a\n":1,"a\u000A":2}"#.into(), true),
            (r#"{"\"":1,"\\":2}"#.into(), false),
            (r#"{"😀":1,"\ud83d\ude00":2}"#.into(), true),
            (r#"{"":1,"":2}"#.into(), true),
            (r#"{"aaaaaaaab":1,"aaaaaaaac":2,"aaaaaaaa":3,"aaaaaaaa\u0000":4}"#.into(), false),
            (many("\"key-5000\""), false),
            (many("\"key-17\""), true),
            (many("\"\\u006bey-17\""), true),
            (many("\"x\""), true),
            // As many open objects as there can be, each with keys before and behind the inner one.
            (r#"{"a":1,"b":2,"v":"#.repeat(127) + "1" + &r#","c":3}"#.repeat(127), false),
            (
                r#"{"a":1,"b":2,"v":"#.repeat(127) + "1" + &r#","c":3}"#.repeat(126) + r#","a":3}"#,
                true,
            ),
        ];
        for (text, expected) in cases {
            let text: String = text;
            assert_eq!(validate(&text), Ok(Facts { duplicate_key: expected }), "{:.80}", text);
        }
    }

    /// Texts that are JSON or nearly so.
    fn near_json() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\"a\"", "\"b\":", "{\"a\":", "1", "-", "0",
            ".5", "e9", "1e400", "true", "null", "fals", " ", "\n", "\\u", "d83d", "\\ude00",
            "\\ud83d", "é", "\u{0}", "\u{1f}", "😀", "x",
        ]);
        prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat())
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,12}".prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[ab\"\\\\é]{0,3}", inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 1500 } else { 200_000 }))]

        #[test]
        fn agrees_with_serde_json_on_near_json(text in near_json()) {
            prop_assert_eq!(validate(&text).is_ok(), oracle(&text).is_some());
            prop_assert_eq!(fault::find(&text).is_none(), oracle(&text).is_some());
            let text = format!("{{\"k\":{text}}}");
            prop_assert_eq!(validate(&text).is_ok(), oracle(&text).is_some());
        }

        #[test]
        fn agrees_with_serde_json_on_one_changed_byte(
            value in json(), pretty in any::<bool>(),
            at in any::<prop::sample::Index>(), byte in prop::sample::select(b" \"\\{}[]:,0-.eEutn\x01x".to_vec()),
            edit in 0..3,
        ) {
            let object = serde_json::json!({ "k": value });
            let text =
                if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) };
            let text = text.unwrap();
            prop_assert_eq!(validate(&text).ok(), oracle(&text));
            let mut bytes = text.into_bytes();
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => _ = bytes.remove(at),
            }
            if let Ok(text) = String::from_utf8(bytes) {
                prop_assert_eq!(validate(&text).is_ok(), oracle(&text).is_some());
                prop_assert_eq!(fault::find(&text).is_none(), oracle(&text).is_some());
            }
        }

        #[test]
        fn numbers_near_the_border_are_serde_jsons(
            digits in "-?[0-9]{1,25}", zeros in 0..400usize, fraction in "(\\.[0-9]{1,25})?", exponent in -700..700i32,
        ) {
            let text = format!("{{\"n\":{digits}{}{fraction}e{exponent}}}", "0".repeat(zeros));
            prop_assert_eq!(validate(&text).is_ok(), oracle(&text).is_some());
        }

        #[test]
        fn specials_are_found_where_they_are(bytes in prop::collection::vec(any::<u8>(), 0..70)) {
            let expected = bytes.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20);
            prop_assert_eq!(next_special(&bytes, 0), expected.unwrap_or(bytes.len()));
        }

        /// Each object's keys, with few distinct ones so that repeats are common.
        #[test]
        fn repeated_keys_are_found(
            objects in prop::collection::vec(prop::collection::vec("[a-f]{1,2}", 0..40), 1..4),
        ) {
            let mut expected = false;
            let mut texts = Vec::new();
            for keys in objects {
                let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
                expected |= distinct.len() < keys.len();
                let members: Vec<_> = keys.iter().map(|key| format!("\"{key}\":0")).collect();
                texts.push(format!("{{{}}}", members.join(",")));
            }
            let text = format!("{{\"v\":[{}]}}", texts.join(","));
            prop_assert_eq!(validate(&text), Ok(Facts { duplicate_key: expected }));
        }
    }
}
