//! Arguments that are a model's own literals: bare keys, strings between marks.

use alloc::string::String;

use nom::IResult;
use nom::error::{Error, ErrorKind};

use super::schema::write_string;
use super::{Malformed, offset};
use crate::text::engine::native::Native;

/// How deep literals may nest: the depth limit of JSON.
const DEPTH: u32 = 128;

/// Reads `{key:literal,…}`.
pub(super) fn read(raw: &str, grammar: &Native) -> Result<String, Malformed> {
    let mut out = String::new();
    if raw.trim().is_empty() {
        return Ok("{}".into());
    }
    let start = raw.trim_start();
    let read = match start.starts_with('{') {
        true => value(start, grammar, &mut out, DEPTH),
        false => fail(start),
    };
    match read {
        Ok((rest, ())) if rest.trim().is_empty() => Ok(out),
        Ok((rest, ())) => Err(Malformed::new(offset(raw, rest), "expected the end")),
        Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
            Err(Malformed::new(offset(raw, error.input), "expected a literal"))
        }
        Err(nom::Err::Incomplete(_)) => Err(Malformed::new(raw.len(), "expected a literal")),
    }
}

fn fail<T>(input: &str) -> IResult<&str, T> {
    Err(nom::Err::Error(Error::new(input, ErrorKind::Alt)))
}

fn value<'a>(
    input: &'a str,
    grammar: &Native,
    out: &mut String,
    depth: u32,
) -> IResult<&'a str, ()> {
    let input = input.trim_start();
    if depth == 0 {
        return fail(input);
    }
    if let Some((rest, text)) = string(input, grammar)? {
        write_string(&text, out);
        return Ok((rest, ()));
    }
    let close = match input.as_bytes().first() {
        Some(b'{') => '}',
        Some(b'[') => ']',
        Some(_) => return word(input, out),
        None => return fail(input),
    };
    out.push_str(&input[..1]);
    let mut rest = input[1..].trim_start();
    let mut first = true;
    loop {
        if let Some(rest) = rest.strip_prefix(close) {
            out.push(close);
            return Ok((rest, ()));
        }
        if !first {
            out.push(',');
        }
        first = false;
        if close == '}' {
            rest = key(rest, grammar, out)?.0;
        }
        rest = value(rest, grammar, out, depth - 1)?.0.trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.starts_with(close) => {}
            None => return fail(rest),
        }
    }
}

/// A string between marks, or a JSON string; `None` where neither stands.
#[allow(clippy::type_complexity)]
fn string<'a>(
    input: &'a str,
    grammar: &Native,
) -> Result<Option<(&'a str, String)>, nom::Err<Error<&'a str>>> {
    if let Some(body) = input.strip_prefix(grammar.quote) {
        return match body.split_once(grammar.quote) {
            Some((text, rest)) => Ok(Some((rest, text.into()))),
            None => fail(input).map(|_: (&str, ())| None),
        };
    }
    if input.starts_with('"') {
        let mut texts = serde_json::Deserializer::from_str(input).into_iter::<String>();
        return match texts.next() {
            Some(Ok(text)) => Ok(Some((&input[texts.byte_offset()..], text))),
            _ => fail(input).map(|_: (&str, ())| None),
        };
    }
    Ok(None)
}

/// A key and its colon.
fn key<'a>(input: &'a str, grammar: &Native, out: &mut String) -> IResult<&'a str, ()> {
    if let Some((rest, text)) = string(input, grammar)? {
        let Some(rest) = rest.trim_start().strip_prefix(':') else { return fail(rest) };
        write_string(&text, out);
        out.push(':');
        return Ok((rest, ()));
    }
    match input.find([':', ',', '{', '}', '[', ']']) {
        Some(end) if end > 0 && input[end..].starts_with(':') => {
            write_string(input[..end].trim(), out);
            out.push(':');
            Ok((&input[end + 1..], ()))
        }
        _ => fail(input),
    }
}

/// A number, a constant, or a word that the model left without marks.
fn word<'a>(input: &'a str, out: &mut String) -> IResult<&'a str, ()> {
    let end = input.find([',', '}', ']']).unwrap_or(input.len());
    let text = input[..end].trim();
    if text.is_empty() {
        return fail(input);
    }
    match text {
        "None" => out.push_str("null"),
        "True" => out.push_str("true"),
        "False" => out.push_str("false"),
        _ if serde_json::from_str::<serde_json::Value>(text).is_ok() => out.push_str(text),
        _ => write_string(text, out),
    }
    Ok((&input[end..], ()))
}

#[cfg(test)]
mod tests {
    use super::*;

    static GEMMA: Native = Native::new(&[], "<|\"|>");

    fn json(raw: &str) -> Result<String, usize> {
        read(raw, &GEMMA).map_err(|malformed| malformed.offset)
    }

    #[test]
    fn literals() {
        for (raw, expected) in [
            ("{}", "{}"),
            ("{id:4, on:true,x:null}", r#"{"id":4,"on":true,"x":null}"#),
            ("{a:<|\"|>x, {y} \"z\"\n<|\"|>}", "{\"a\":\"x, {y} \\\"z\\\"\\n\"}"),
            ("{a:[1,<|\"|>b<|\"|>],c:{d:1.50}}", r#"{"a":[1,"b"],"c":{"d":1.50}}"#),
            ("{<|\"|>a<|\"|>:\"q\\\"\"}", r#"{"a":"q\""}"#),
            ("{city:New York}", r#"{"city":"New York"}"#),
        ] {
            assert_eq!(json(raw).as_deref(), Ok(expected), "{raw}");
        }
    }

    #[test]
    fn no_literals() {
        for (raw, offset) in
            [("{a}", 1), ("{a:}", 3), ("{a:<|\"|>x}", 3), ("{a:1}x", 5), ("a:1", 0)]
        {
            assert_eq!(json(raw), Err(offset), "{raw}");
        }
        let deep = alloc::format!("{{a:{}", "[".repeat(100_000));
        assert!(json(&deep).is_err());
    }
}
