//! The head of a tag: what stands between its marker and the `>`.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while};
use nom::character::complete::{char, multispace0};
use nom::combinator::rest;
use nom::multi::many0;
use nom::sequence::{delimited, preceded, separated_pair};
use nom::{IResult, Parser};

/// What a tag's head says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    pub name: &'a str,
    /// The attribute `string`, where there is one: the value is text, or it is JSON.
    pub is_string: Option<bool>,
    /// The tag is its own end, `/>`.
    pub closed: bool,
}

/// Reads `NAME`, or `"NAME"` with attributes behind it.
pub(crate) fn read(head: &str) -> Tag<'_> {
    let (body, closed) = match head.strip_suffix('/') {
        Some(body) => (body, true),
        None => (head, false),
    };
    let body = body.trim();
    match (quoted, attributes).parse(body) {
        Ok((_, (name, attributes))) => {
            let string = attributes.iter().find(|(key, _)| *key == "string");
            let is_string = string.map(|(_, value)| *value != "false");
            Tag { name, is_string, closed }
        }
        Err(_) => Tag { name: body, is_string: None, closed },
    }
}

fn quoted(input: &str) -> IResult<&str, &str> {
    alt((
        delimited(char('"'), take_until("\""), char('"')),
        delimited(char('\''), take_until("'"), char('\'')),
        preceded(char('"'), rest),
    ))
    .parse(input)
}

fn attributes(input: &str) -> IResult<&str, alloc::vec::Vec<(&str, &str)>> {
    let key = take_while(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    many0(preceded(multispace0, separated_pair(key, tag("="), quoted))).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_bare_and_quoted() {
        assert_eq!(read("glob"), Tag { name: "glob", is_string: None, closed: false });
        assert_eq!(read("\"glob\"").name, "glob");
        assert_eq!(read("'glob'").name, "glob");
        assert_eq!(read("\"ping\" /"), Tag { name: "ping", is_string: None, closed: true });
    }

    #[test]
    fn the_string_attribute() {
        assert_eq!(read("\"a\" string=\"true\"").is_string, Some(true));
        assert_eq!(read("\"a\" id=\"7\" string=\"false\"").is_string, Some(false));
    }
}
