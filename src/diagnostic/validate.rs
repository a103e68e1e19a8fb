//! Is this text one JSON object? Decided in one pass, at the speed of memory.
//!
//! [`validate`] accepts exactly what `serde_json::from_str::<serde_json::Value>` accepts, as far as
//! it is an object: RFC 8259, white space around it, at most 127 levels, no lone surrogate escapes,
//! no number outside the range of a double. It builds nothing, does not recurse, and says only yes
//! or no: where and why a text fails is found once more by serde_json itself, see `fault.rs`.

use super::keys::Keys;
use crate::word::{every_special, next_special, word};

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
    let bytes = text.as_bytes();
    let start = skip_white_space(bytes, 0);
    if byte(bytes, start) != b'{' {
        return Err(Rejected::Syntax);
    }
    let mut open = Open { containers: 0, depth: 0, keys: Keys::new() };
    let end = value(text, start, &mut open)?;
    if skip_white_space(bytes, end) != bytes.len() {
        return Err(Rejected::Syntax);
    }
    Ok(Facts { duplicate_key: open.keys.found() })
}

/// The containers that are open.
struct Open {
    /// One bit each, the innermost lowest: set for an object. [`MAX_DEPTH`] of them fit.
    containers: u128,
    depth: u32,
    keys: Keys,
}

// Each function below takes the offset at which it starts and gives the one behind what it read.

/// One value, however deep.
fn value(text: &str, mut at: usize, open: &mut Open) -> Result<usize, Rejected> {
    let bytes = text.as_bytes();
    loop {
        match byte(bytes, at) {
            b'"' => at = string(bytes, at)?,
            b'{' => {
                at = skip_white_space(bytes, open.enter(true, at)?);
                if byte(bytes, at) != b'}' {
                    at = key(text, at, open)?;
                    continue;
                }
                at = open.leave(text, at);
            }
            b'[' => {
                at = skip_white_space(bytes, open.enter(false, at)?);
                if byte(bytes, at) != b']' {
                    continue;
                }
                at = open.leave(text, at);
            }
            b'-' | b'0'..=b'9' => at = number(text, at)?,
            b't' => at = literal(bytes, at, b"true")?,
            b'f' => at = literal(bytes, at, b"false")?,
            b'n' => at = literal(bytes, at, b"null")?,
            _ => return Err(Rejected::Syntax),
        }
        // A value is complete: close what closes behind it, up to the next one.
        loop {
            if open.depth == 0 {
                return Ok(at);
            }
            at = skip_white_space(bytes, at);
            let in_object = open.containers & 1 == 1;
            match byte(bytes, at) {
                b',' => {
                    at = skip_white_space(bytes, at + 1);
                    if in_object {
                        at = key(text, at, open)?;
                    }
                    break;
                }
                b'}' if in_object => {}
                b']' if !in_object => {}
                _ => return Err(Rejected::Syntax),
            }
            at = open.leave(text, at);
        }
    }
}

impl Open {
    #[inline]
    fn enter(&mut self, object: bool, at: usize) -> Result<usize, Rejected> {
        if self.depth == MAX_DEPTH {
            return Err(Rejected::TooDeep);
        }
        self.depth += 1;
        self.containers = self.containers << 1 | u128::from(object);
        if object {
            self.keys.enter();
        }
        Ok(at + 1)
    }

    #[inline]
    fn leave(&mut self, text: &str, at: usize) -> usize {
        if self.containers & 1 == 1 {
            self.keys.leave(text);
        }
        self.containers >>= 1;
        self.depth -= 1;
        at + 1
    }
}

/// A member up to its value: key, colon, and the white space around them.
#[inline]
fn key(text: &str, start: usize, open: &mut Open) -> Result<usize, Rejected> {
    let bytes = text.as_bytes();
    if byte(bytes, start) != b'"' {
        return Err(Rejected::Syntax);
    }
    let special = next_special(bytes, start + 1);
    let escaped = byte(bytes, special) != b'"';
    let end = if escaped { escaped_string(bytes, special)? } else { special + 1 };
    open.keys.push(text, start..end, escaped);
    let colon = skip_white_space(bytes, end);
    if byte(bytes, colon) != b':' {
        return Err(Rejected::Syntax);
    }
    Ok(skip_white_space(bytes, colon + 1))
}

/// A string with its quotes.
#[inline]
fn string(bytes: &[u8], start: usize) -> Result<usize, Rejected> {
    let special = next_special(bytes, start + 1);
    if byte(bytes, special) == b'"' { Ok(special + 1) } else { escaped_string(bytes, special) }
}

/// A string from its first special byte on. Escapes come in crowds (line feeds, quotes), so all of them
/// that start in a word are read off its flags before the next word is looked at.
fn escaped_string(bytes: &[u8], mut at: usize) -> Result<usize, Rejected> {
    while let Some(word) = word(bytes, at) {
        let mut flags = every_special(word);
        let next = loop {
            if flags == 0 {
                break at + 8;
            }
            let index = flags.trailing_zeros() / 8;
            let special = at + index as usize;
            match byte(bytes, special) {
                b'"' => return Ok(special + 1),
                b'\\' if is_short_escape(byte(bytes, special + 1)) => {
                    // Behind both bytes of it; a shift by 64 would be none.
                    if index >= 6 {
                        break special + 2;
                    }
                    flags &= u64::MAX << ((index + 2) * 8);
                }
                b'\\' => break escape(bytes, special)?,
                _ => return Err(Rejected::Syntax),
            }
        };
        at = next;
    }
    loop {
        at = next_special(bytes, at);
        match byte(bytes, at) {
            b'"' => return Ok(at + 1),
            b'\\' => at = escape(bytes, at)?,
            _ => return Err(Rejected::Syntax),
        }
    }
}

#[inline]
fn is_short_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}

/// An escape from its backslash on; a surrogate pair is one.
fn escape(bytes: &[u8], at: usize) -> Result<usize, Rejected> {
    match byte(bytes, at + 1) {
        b'u' => {}
        other if is_short_escape(other) => return Ok(at + 2),
        _ => return Err(Rejected::Syntax),
    }
    match code_unit(bytes, at)? {
        0xd800..=0xdbff => match code_unit(bytes, at + 6)? {
            0xdc00..=0xdfff => Ok(at + 12),
            _ => Err(Rejected::Syntax),
        },
        0xdc00..=0xdfff => Err(Rejected::Syntax),
        _ => Ok(at + 6),
    }
}

/// The four digits of an escape like `\u00e9`.
fn code_unit(bytes: &[u8], at: usize) -> Result<u32, Rejected> {
    let Some([b'\\', b'u', digits @ ..]) = bytes.get(at..at + 6) else {
        return Err(Rejected::Syntax);
    };
    digits.iter().try_fold(0, |unit, &digit| {
        let digit = char::from(digit).to_digit(16).ok_or(Rejected::Syntax)?;
        Ok(unit << 4 | digit)
    })
}

#[inline]
fn number(text: &str, start: usize) -> Result<usize, Rejected> {
    let bytes = text.as_bytes();
    let first = start + usize::from(byte(bytes, start) == b'-');
    let mut at = digits(bytes, first)?;
    let integer = at - first;
    if integer > 1 && byte(bytes, first) == b'0' {
        return Err(Rejected::Syntax);
    }
    if byte(bytes, at) == b'.' {
        at = digits(bytes, at + 1)?;
    }
    let mut exponent = 0;
    if let b'e' | b'E' = byte(bytes, at) {
        let signed = matches!(byte(bytes, at + 1), b'+' | b'-');
        let first = at + 1 + usize::from(signed);
        at = digits(bytes, first)?;
        exponent = at - first;
    }
    // Below 10^299 for certain; else serde_json is asked, whose rounding decides the border.
    if integer > 200 || exponent > 2 {
        serde_json::from_str::<serde_json::Value>(&text[start..at])
            .map_err(|_| Rejected::Syntax)?;
    }
    Ok(at)
}

/// At least one digit.
#[inline]
fn digits(bytes: &[u8], start: usize) -> Result<usize, Rejected> {
    let mut at = start;
    while byte(bytes, at).is_ascii_digit() {
        at += 1;
    }
    if at == start { Err(Rejected::Syntax) } else { Ok(at) }
}

#[inline]
fn literal(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, Rejected> {
    let end = at + word.len();
    if bytes.get(at..end) == Some(word) { Ok(end) } else { Err(Rejected::Syntax) }
}

#[inline]
fn skip_white_space(bytes: &[u8], mut at: usize) -> usize {
    while let b' ' | b'\n' | b'\r' | b'\t' = byte(bytes, at) {
        at += 1;
    }
    at
}

/// The byte at an offset; 0, which no JSON has, behind the end.
#[inline]
fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
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
