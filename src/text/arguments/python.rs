//! Arguments that are Python literals behind keywords.

use alloc::string::String;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, multispace0, one_of};
use nom::combinator::{opt, recognize, verify};
use nom::error::{Error, ErrorKind};
use nom::sequence::preceded;
use nom::{IResult, Parser};

use super::schema::write_string;
use super::{Malformed, offset};

/// How deep literals may nest: the depth limit of JSON.
const DEPTH: u32 = 127;

/// Reads `key=literal, …`.
pub(super) fn read(raw: &str) -> Result<String, Malformed> {
    let mut out = String::from("{");
    let mut rest = raw.trim();
    let body = rest;
    let base = raw.len() - raw.trim_start().len();
    while !rest.is_empty() {
        let fault =
            |input: &str, expected: &str| Err(Malformed::new(base + offset(body, input), expected));
        let (after, (key, _, _, _)) =
            match (keyword, multispace0, char('='), multispace0).parse(rest) {
                Ok(parsed) => parsed,
                Err(_) => return fault(rest, "expected a keyword argument"),
            };
        write_string(key, &mut out);
        out.push(':');
        rest = match literal(after, &mut out, DEPTH) {
            Ok((after, ())) => after.trim_start(),
            Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
                return fault(error.input, "expected a literal");
            }
            Err(nom::Err::Incomplete(_)) => return fault("", "expected a literal"),
        };
        match rest.strip_prefix(',') {
            Some(after) => {
                rest = after.trim_start();
                if !rest.is_empty() {
                    out.push(',');
                }
            }
            None if rest.is_empty() => {}
            None => return fault(rest, "expected `,` or the end"),
        }
    }
    out.push('}');
    Ok(out)
}

fn keyword(input: &str) -> IResult<&str, &str> {
    let part = take_while1(|c: char| c.is_alphanumeric() || c == '_');
    verify(part, |name: &str| !name.starts_with(|c: char| c.is_ascii_digit())).parse(input)
}

fn fail<T>(input: &str, kind: ErrorKind) -> IResult<&str, T> {
    Err(nom::Err::Error(Error::new(input, kind)))
}

/// One literal, written as JSON.
fn literal<'a>(input: &'a str, out: &mut String, depth: u32) -> IResult<&'a str, ()> {
    match input.chars().next() {
        _ if depth == 0 => fail(input, ErrorKind::TooLarge),
        Some('[') => sequence(input, ']', out, depth),
        Some('(') => sequence(input, ')', out, depth),
        Some('{') => dictionary(input, out, depth),
        Some('\'' | '"') => {
            let (rest, text) = strings(input)?;
            write_string(&text, out);
            Ok((rest, ()))
        }
        Some('r' | 'R' | 'u' | 'U') if is_prefixed(input) => {
            let (rest, text) = strings(input)?;
            write_string(&text, out);
            Ok((rest, ()))
        }
        Some('0'..='9' | '+' | '-' | '.') => number(input, out),
        _ => {
            let (rest, json) = constant(input)?;
            out.push_str(json);
            Ok((rest, ()))
        }
    }
}

/// `True`, `False`, `None`, and how JSON spells them.
fn constant(input: &str) -> IResult<&str, &'static str> {
    let (rest, word) = take_while1(|c: char| c.is_alphanumeric() || c == '_').parse(input)?;
    match word {
        "True" | "true" => Ok((rest, "true")),
        "False" | "false" => Ok((rest, "false")),
        "None" | "null" => Ok((rest, "null")),
        _ => fail(input, ErrorKind::Alt),
    }
}

/// A list or a tuple.
fn sequence<'a>(input: &'a str, close: char, out: &mut String, depth: u32) -> IResult<&'a str, ()> {
    let mut rest = input[1..].trim_start();
    out.push('[');
    let mut first = true;
    loop {
        if let Some(rest) = rest.strip_prefix(close) {
            out.push(']');
            return Ok((rest, ()));
        }
        if !first {
            out.push(',');
        }
        first = false;
        let (after, ()) = literal(rest, out, depth - 1)?;
        rest = separator(after, close)?.0;
    }
}

fn dictionary<'a>(input: &'a str, out: &mut String, depth: u32) -> IResult<&'a str, ()> {
    let mut rest = input[1..].trim_start();
    out.push('{');
    let mut first = true;
    loop {
        if let Some(rest) = rest.strip_prefix('}') {
            out.push('}');
            return Ok((rest, ()));
        }
        if !first {
            out.push(',');
        }
        first = false;
        let (after, ()) = key(rest, out)?;
        let (after, _) = (multispace0, char(':'), multispace0).parse(after)?;
        out.push(':');
        let (after, ()) = literal(after, out, depth - 1)?;
        rest = separator(after, '}')?.0;
    }
}

/// A key: a string, or a number, which JSON writes as one.
fn key<'a>(input: &'a str, out: &mut String) -> IResult<&'a str, ()> {
    if input.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        let mut digits = String::new();
        let (rest, ()) = number(input, &mut digits)?;
        write_string(&digits, out);
        return Ok((rest, ()));
    }
    let (rest, text) = strings(input)?;
    write_string(&text, out);
    Ok((rest, ()))
}

/// A comma, or nothing in front of the closing bracket.
fn separator(input: &str, close: char) -> IResult<&str, ()> {
    let input = input.trim_start();
    match input.strip_prefix(',') {
        Some(rest) => Ok((rest.trim_start(), ())),
        None if input.starts_with(close) => Ok((input, ())),
        None => fail(input, ErrorKind::SeparatedList),
    }
}

/// A number, in a spelling that JSON has.
fn number<'a>(input: &'a str, out: &mut String) -> IResult<&'a str, ()> {
    fn digits(input: &str) -> IResult<&str, &str> {
        take_while(|c: char| c.is_ascii_digit() || c == '_').parse(input)
    }
    let (rest, sign) = opt(one_of("+-")).parse(input)?;
    let hexadecimal = preceded(
        alt((tag("0x"), tag("0X"))),
        take_while1::<_, &str, Error<&str>>(|c: char| c.is_ascii_hexdigit()),
    );
    let negative = if sign == Some('-') { "-" } else { "" };
    let after = match { hexadecimal }.parse(rest) {
        Ok((after, hex)) => {
            let Ok(value) = u64::from_str_radix(hex, 16) else {
                return fail(input, ErrorKind::HexDigit);
            };
            use core::fmt::Write;
            let _ = write!(out, "{negative}{value}");
            after
        }
        Err(_) => {
            let exponent = recognize((one_of("eE"), opt(one_of("+-")), digits));
            let (after, (whole, fraction, exponent)) =
                (digits, opt(preceded(char('.'), digits)), opt(exponent)).parse(rest)?;
            if whole.is_empty() && fraction.is_none_or(str::is_empty) {
                return fail(input, ErrorKind::Digit);
            }
            let start = out.len();
            out.push_str(negative);
            out.push_str(if whole.is_empty() { "0" } else { whole });
            if let Some(fraction) = fraction {
                out.push('.');
                out.push_str(if fraction.is_empty() { "0" } else { fraction });
            }
            out.push_str(exponent.unwrap_or_default());
            if out[start..].contains('_') {
                let plain = out[start..].replace('_', "");
                out.truncate(start);
                out.push_str(&plain);
            }
            // `serde_json/arbitrary_precision`, if another crate switches it on, takes any exponent.
            let is_finite = out[start..].parse().is_ok_and(f64::is_finite);
            if !is_finite || serde_json::from_str::<serde_json::Value>(&out[start..]).is_err() {
                return fail(input, ErrorKind::Float);
            }
            after
        }
    };
    if after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return fail(input, ErrorKind::Digit);
    }
    Ok((after, ()))
}

/// Whether a string with a prefix stands here. Neither bytes nor formatted strings have a JSON value.
fn is_prefixed(input: &str) -> bool {
    let quote = input.trim_start_matches(['r', 'R', 'u', 'U']);
    input.len() - quote.len() <= 1 && quote.starts_with(['\'', '"'])
}

/// One string, or several that stand side by side, which are one to Python.
fn strings(input: &str) -> IResult<&str, String> {
    let mut text = String::new();
    let mut rest = input;
    let mut any = false;
    loop {
        match string(rest, &mut text) {
            Ok((after, ())) => {
                any = true;
                rest = after;
                let next = after.trim_start();
                if !(next.starts_with(['\'', '"']) || is_prefixed(next)) {
                    return Ok((after, text));
                }
                rest = if next.is_empty() { rest } else { next };
            }
            Err(error) if !any => return Err(error),
            Err(error) => return Err(error),
        }
    }
}

fn string<'a>(input: &'a str, out: &mut String) -> IResult<&'a str, ()> {
    let (rest, prefix) = take_while(|c: char| c.is_ascii_alphabetic()).parse(input)?;
    let raw = prefix.contains(['r', 'R']);
    let (mut rest, quote) = alt((tag("'''"), tag("\"\"\""), tag("'"), tag("\""))).parse(rest)?;
    loop {
        let Some(next) = rest.find(['\\', quote.as_bytes()[0] as char]) else {
            return fail(input, ErrorKind::Eof);
        };
        out.push_str(&rest[..next]);
        rest = &rest[next..];
        if let Some(rest) = rest.strip_prefix(quote) {
            return Ok((rest, ()));
        }
        let Some(escaped) = rest.strip_prefix('\\') else {
            // A quote or two inside a triple-quoted string.
            out.push_str(&rest[..1]);
            rest = &rest[1..];
            continue;
        };
        rest = if raw { raw_pair(escaped, out) } else { escape(escaped, out) };
    }
}

/// In a raw string a backslash is text, and so is what follows it.
fn raw_pair<'a>(input: &'a str, out: &mut String) -> &'a str {
    out.push('\\');
    let mut rest = input.chars();
    out.extend(rest.next());
    rest.as_str()
}

/// What stands behind a backslash.
fn escape<'a>(input: &'a str, out: &mut String) -> &'a str {
    let mut rest = input.chars();
    let Some(kind) = rest.next() else {
        out.push('\\');
        return input;
    };
    let rest = rest.as_str();
    let simple = match kind {
        '\n' => return rest,
        '\\' | '\'' | '"' => kind,
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '0'..='7' => {
            let digits = input.bytes().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
            let code = u32::from_str_radix(&input[..digits], 8).unwrap_or_default();
            out.extend(char::from_u32(code));
            return &input[digits..];
        }
        'x' => return numeric(rest, 2, kind, out),
        'u' => return numeric(rest, 4, kind, out),
        'U' => return numeric(rest, 8, kind, out),
        // Python keeps the backslash of an escape that it does not know.
        _ => {
            out.push('\\');
            kind
        }
    };
    out.push(simple);
    rest
}

/// An escape by number; two halves of a surrogate pair are one character.
fn numeric<'a>(input: &'a str, digits: usize, kind: char, out: &mut String) -> &'a str {
    let code = |text: &str| {
        let digits = text.get(..digits)?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let Some(first) = code(input) else {
        out.push('\\');
        out.push(kind);
        return input;
    };
    let rest = &input[digits..];
    if let Some(character) = char::from_u32(first) {
        out.push(character);
        return rest;
    }
    let low = rest.strip_prefix("\\u").filter(|_| (0xD800..0xDC00).contains(&first));
    let pair = low.and_then(|low| Some((low, code(low)?)));
    if let Some((low, second @ 0xDC00..0xE000)) = pair {
        let joined = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        out.extend(char::from_u32(joined));
        return &low[digits..];
    }
    out.push(char::REPLACEMENT_CHARACTER);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(raw: &str) -> Result<String, usize> {
        read(raw).map_err(|malformed| malformed.offset)
    }

    #[test]
    fn literals() {
        for (raw, expected) in [
            ("", "{}"),
            ("a=1", r#"{"a":1}"#),
            (
                " a = -1.50 , b = .5, c=1., d=1_000, e=0x1F, f=+2,",
                r#"{"a":-1.50,"b":0.5,"c":1.0,"d":1000,"e":31,"f":2}"#,
            ),
            ("a=True, b=None, c=false", r#"{"a":true,"b":null,"c":false}"#),
            (
                "a=[1, 'x', (2,), ()], b={'k': [None], 3: {}}",
                r#"{"a":[1,"x",[2],[]],"b":{"k":[null],"3":{}}}"#,
            ),
            (r"a='don\'t', b='\n\x41\u00e9\ud83d\ude80\q'", r#"{"a":"don't","b":"\nAé🚀\\q"}"#),
            ("a='''x\n'y' ''', b=\"\"", "{\"a\":\"x\\n'y' \",\"b\":\"\"}"),
            ("a='x' \"y\", b=r'\\d'", r#"{"a":"xy","b":"\\d"}"#),
            ("n=123456789012345678901234567890", r#"{"n":123456789012345678901234567890}"#),
        ] {
            assert_eq!(json(raw).as_deref(), Ok(expected), "{raw}");
        }
    }

    #[test]
    fn no_literals() {
        for (raw, offset) in [
            ("'EURCHF'", 0),
            ("a=1, 2", 5),
            ("a=b", 2),
            ("a=f(1)", 2),
            ("a=007", 2),
            ("a=1 b=2", 4),
            ("a=[1", 4),
            ("a='x", 2),
            ("a=1e999", 2),
            ("a=f'{x}'", 2),
            ("a=b'x'", 2),
        ] {
            assert_eq!(json(raw), Err(offset), "{raw}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = |n: usize| alloc::format!("a={}{}", "[".repeat(n), "]".repeat(n));
        assert!(json(&deep(100)).is_ok());
        assert!(json(&deep(100_000)).is_err());
    }
}
