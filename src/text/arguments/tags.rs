//! Arguments that are tags around untyped text.

use alloc::string::String;

use nom::bytes::complete::{tag as literal, take_until};
use nom::character::complete::multispace0;
use nom::{IResult, Parser};
use serde_json::Value;

use super::schema::{Types, write_string};
use super::{Malformed, json, offset};
use crate::text::ahead::Ahead;
use crate::text::engine::tags::{Parameter, Tags};
use crate::text::tag;

/// Reads parameters, or one JSON object in their place.
pub(super) fn read(raw: &str, grammar: &Tags, schema: Option<&Value>) -> Result<String, Malformed> {
    if raw.trim_start().starts_with('{') {
        return json::read(raw).map(Into::into);
    }
    let mut out = String::from("{");
    let mut rest = raw.trim_start();
    while !rest.is_empty() {
        let fault = |expected: &str| Malformed::new(offset(raw, rest), expected);
        let (after, key, types) = match head(rest, &grammar.parameter) {
            Ok((after, Head { name, is_string })) => {
                let types = match is_string {
                    Some(true) => Types::STRING,
                    Some(false) => Types::default(),
                    None => Types::of_parameter(schema, name),
                };
                (after, name, types)
            }
            Err(_) => return Err(fault("expected a parameter")),
        };
        let Some((value, after)) = value(after, grammar) else {
            return Err(fault("expected the end of this parameter's value"));
        };
        if out.len() > 1 {
            out.push(',');
        }
        write_string(key, &mut out);
        out.push(':');
        types.write(if grammar.trim_newline { trimmed(value) } else { value }, &mut out);
        rest = after.trim_start();
    }
    out.push('}');
    Ok(out)
}

struct Head<'a> {
    name: &'a str,
    is_string: Option<bool>,
}

/// Everything up to a parameter's value.
fn head<'a>(input: &'a str, parameter: &Parameter) -> IResult<&'a str, Head<'a>> {
    match parameter {
        Parameter::Tag { open, .. } => {
            let (input, (_, head, _)) =
                (literal(*open), take_until(">"), literal(">")).parse(input)?;
            let tag = tag::read(head);
            Ok((input, Head { name: tag.name, is_string: tag.is_string }))
        }
        Parameter::Pair { key, key_end, value, .. } => {
            let (input, (_, name, _, _, _)) = (
                literal(*key),
                take_until(*key_end),
                literal(*key_end),
                multispace0,
                literal(*value),
            )
                .parse(input)?;
            Ok((input, Head { name: name.trim(), is_string: None }))
        }
    }
}

/// A value and what stands behind its end tag: the first one with the next parameter or the end of the
/// text behind it, exactly as the engine saw it.
fn value<'a>(input: &'a str, grammar: &Tags) -> Option<(&'a str, &'a str)> {
    let close = grammar.parameter.close();
    memchr::memchr_iter(close.as_bytes()[0], input.as_bytes()).find_map(|at| {
        let mut ahead = Ahead::new(input, at, true);
        ahead.literal(close).ok()?;
        let end = ahead.at;
        ahead.space().ok()?;
        if ahead.peek().ok()?.is_some() {
            ahead.literal(grammar.parameter.open()).ok()?;
        }
        Some((&input[..at], &input[end..]))
    })
}

/// Without one line end at each end. A carriage return is part of one only where the first line end has
/// it too: otherwise it is the value's own.
fn trimmed(value: &str) -> &str {
    if let Some(value) = value.strip_prefix("\r\n") {
        return value.strip_suffix("\r\n").unwrap_or(value);
    }
    let value = value.strip_prefix('\n').unwrap_or(value);
    value.strip_suffix('\n').unwrap_or(value)
}
