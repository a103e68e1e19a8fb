//! The grammar of one line: what it is, and where its value begins.
//!
//! A whole line is read by [`line`]. A line whose end has not come yet is read by [`Partial`], a
//! byte at a time and only as far as its value:
//!
//! ```text
//!          d e i r            all of the name        ':'            ' ' or any
//! Start ───────────▶ Name ───────────────────▶ Name ─────▶ Colon ───────────▶ Value
//!   │ ':'              │ another byte            │ another byte
//!   ▼                  ▼                         ▼
//! Comment            Stray                     Stray
//! ```

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::char;
use nom::combinator::{eof, opt, value};
use nom::sequence::terminated;
use nom::{IResult, Parser};

/// The fields of the standard (HTML, 9.2.6 "Interpreting an event stream").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Data,
    Event,
    Id,
    Retry,
}

impl Field {
    pub(super) const fn name(self) -> &'static [u8] {
        match self {
            Field::Data => b"data",
            Field::Event => b"event",
            Field::Id => b"id",
            Field::Retry => b"retry",
        }
    }

    /// No two names share their first letter.
    const fn starting_with(byte: u8) -> Option<Field> {
        match byte {
            b'd' => Some(Field::Data),
            b'e' => Some(Field::Event),
            b'i' => Some(Field::Id),
            b'r' => Some(Field::Retry),
            _ => None,
        }
    }
}

/// What a whole line is; it has at least one byte and no line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// A field of the standard, and where its value begins in the line.
    Field(Field, usize),
    /// A comment; its text begins after the first byte.
    Comment,
    /// Anything else.
    Stray,
}

/// The field that most lines of a stream have, with its colon, and where its value begins. The
/// line's end need not be known: it cannot change that.
#[inline(always)]
pub(super) fn usual_field(line: &[u8]) -> Option<(Field, usize)> {
    match line {
        [b'd', b'a', b't', b'a', b':', b' ', ..] => Some((Field::Data, 6)),
        [b'd', b'a', b't', b'a', b':', ..] => Some((Field::Data, 5)),
        [b'e', b'v', b'e', b'n', b't', b':', b' ', ..] => Some((Field::Event, 7)),
        [b'e', b'v', b'e', b'n', b't', b':', ..] => Some((Field::Event, 6)),
        _ => None,
    }
}

#[cfg(test)]
impl Line {
    /// How many bytes of a line of `len` bytes were looked at to tell what it is.
    pub(super) fn examined(self, len: usize) -> usize {
        match self {
            Line::Field(_, value) => value,
            Line::Comment => 1,
            Line::Stray => len.min(6),
        }
    }
}

/// Reads a whole line.
#[inline(always)]
pub(super) fn line(line: &[u8]) -> Line {
    match field(line) {
        Ok((rest, field)) => Line::Field(field, line.len() - rest.len()),
        Err(_) if line[0] == b':' => Line::Comment,
        Err(_) => Line::Stray,
    }
}

/// `name [ ":" [ " " ] value ]`, the value being what remains.
#[inline(always)]
fn field(line: &[u8]) -> IResult<&[u8], Field> {
    let name = alt((
        value(Field::Data, tag("data")),
        value(Field::Event, tag("event")),
        value(Field::Id, tag("id")),
        value(Field::Retry, tag("retry")),
    ));
    let colon = value((), (char(':'), opt(char(' '))));
    terminated(name, alt((colon, value((), eof)))).parse(line)
}

/// How far a line has been read whose end has not come yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Partial {
    /// None of its bytes is there.
    Start,
    /// The first bytes of a field's name, perhaps all of them.
    Name(Field, u8),
    /// A field's name and the colon: one space may follow that is no part of the value.
    Colon(Field),
    /// Inside a field's value.
    Value(Field),
    /// Inside a comment.
    Comment,
    /// Inside a line that is no field.
    Stray,
    /// Inside a line that is dropped.
    Skip,
}

/// What one more byte makes of a [`Partial`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The byte was taken.
    Taken(Partial),
    /// The byte belongs to what begins here: a value, a comment's text, the text of a stray line.
    Before(Partial),
}

impl Partial {
    /// Reads one byte of a line's head; `None` once its value, or its text, has begun.
    #[inline]
    pub(super) fn step(self, byte: u8) -> Option<Step> {
        Some(match self {
            Partial::Start if byte == b':' => Step::Taken(Partial::Comment),
            Partial::Start => match Field::starting_with(byte) {
                Some(field) => Step::Taken(Partial::Name(field, 1)),
                None => Step::Before(Partial::Stray),
            },
            Partial::Name(field, matched) => {
                let name = field.name();
                match name.get(usize::from(matched)) {
                    Some(&expected) if expected == byte => {
                        Step::Taken(Partial::Name(field, matched + 1))
                    }
                    None if byte == b':' => Step::Taken(Partial::Colon(field)),
                    _ => Step::Before(Partial::Stray),
                }
            }
            Partial::Colon(field) if byte == b' ' => Step::Taken(Partial::Value(field)),
            Partial::Colon(field) => Step::Before(Partial::Value(field)),
            _ => return None,
        })
    }

    /// The bytes of the line that a state before its value stands for.
    pub(super) fn head(self) -> (&'static [u8], &'static [u8]) {
        match self {
            Partial::Name(field, matched) => (&field.name()[..usize::from(matched)], b""),
            Partial::Colon(field) => (field.name(), b":"),
            _ => (b"", b""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a line as if its end had not come.
    fn partial(line: &[u8]) -> (Partial, usize) {
        let mut state = Partial::Start;
        for (at, &byte) in line.iter().enumerate() {
            match state.step(byte) {
                Some(Step::Taken(next)) => state = next,
                Some(Step::Before(next)) => return (next, at),
                None => return (state, at),
            }
        }
        (state, line.len())
    }

    #[test]
    fn whole_lines() {
        assert_eq!(line(b"data: x"), Line::Field(Field::Data, 6));
        assert_eq!(line(b"data:x"), Line::Field(Field::Data, 5));
        assert_eq!(line(b"data:  x"), Line::Field(Field::Data, 6));
        assert_eq!(line(b"data"), Line::Field(Field::Data, 4));
        assert_eq!(line(b"event:"), Line::Field(Field::Event, 6));
        assert_eq!(line(b"id"), Line::Field(Field::Id, 2));
        assert_eq!(line(b"retry: 5"), Line::Field(Field::Retry, 7));
        assert_eq!(line(b":"), Line::Comment);
        for stray in [&b"data "[..], b"datax:1", b"Data: x", b" data: x", b"idx", b"{}", b"\0"] {
            assert_eq!(line(stray), Line::Stray, "{stray:?}");
        }
    }

    #[test]
    fn an_unfinished_line_is_what_the_whole_one_is() {
        let lines: [&[u8]; 14] = [
            b"data: x",
            b"data:x",
            b"data:  x",
            b"event:e",
            b"id: 1",
            b"retry: 5",
            b":c",
            b": c",
            b"data x",
            b"datax:1",
            b"Data: x",
            b"idx: 1",
            b"re: 2",
            b"{\"a\":1}",
        ];
        for whole in lines {
            let (state, _) = partial(whole);
            let expected = match line(whole) {
                Line::Field(field, _) => Partial::Value(field),
                Line::Comment => Partial::Comment,
                Line::Stray => Partial::Stray,
            };
            assert_eq!(state, expected, "{whole:?}");
            if let Line::Field(_, value) = line(whole) {
                assert_eq!(partial(whole).1, value, "{whole:?}");
            }
        }
        assert_eq!(partial(b"dat").0.head(), (&b"dat"[..], &b""[..]));
        assert_eq!(partial(b"data:").0.head(), (&b"data"[..], &b":"[..]));
    }
}
