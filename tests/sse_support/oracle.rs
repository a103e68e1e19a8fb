//! A second reader of the format, as plain as the standard's text: the whole input at once, its
//! grammar in nom, everything copied. What the decoder gives is held against it.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till};
use nom::combinator::{opt, rest, value, verify};
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

/// An event as the standard dispatches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub kind: Vec<u8>,
    pub data: Vec<u8>,
    pub id: Vec<u8>,
}

/// All that a stream says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub events: Vec<Event>,
    pub comments: Vec<Vec<u8>>,
    /// Lines that change nothing, and are neither blank nor comments.
    pub ignored: Vec<Vec<u8>>,
    pub retry: Option<u64>,
    pub last_event_id: Vec<u8>,
    /// What a lenient end dispatches.
    pub flushed: Option<Event>,
}

fn is_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// `*any-char end-of-line`, 9.2.5.
fn line(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let end_of_line = alt((tag("\r\n"), tag("\r"), tag("\n")));
    terminated(take_till(is_end), end_of_line).parse(input)
}

type Field<'a> = (&'a [u8], Option<&'a [u8]>);

/// `name [ colon [ space ] value ]`, the name perhaps empty (a comment).
fn field(line: &[u8]) -> IResult<&[u8], Field<'_>> {
    let value = preceded((tag(":"), opt(tag(" "))), rest);
    (take_till(|byte| byte == b':'), opt(value)).parse(line)
}

/// One or more ASCII digits.
fn digits(value: &[u8]) -> Option<u64> {
    let number = verify(rest::<&[u8], nom::error::Error<&[u8]>>, |digits: &[u8]| {
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    })
    .parse(value);
    let (_, digits) = number.ok()?;
    let text = std::str::from_utf8(digits).ok()?;
    Some(text.parse().unwrap_or(u64::MAX))
}

#[derive(Default)]
struct Block {
    data: Option<Vec<u8>>,
    kind: Vec<u8>,
    id: Option<Vec<u8>>,
}

impl Block {
    fn event(&mut self, id: &[u8]) -> Option<Event> {
        let kind = std::mem::take(&mut self.kind);
        let kind = if kind.is_empty() { b"message".to_vec() } else { kind };
        // One trailing LF is removed.
        let mut data = self.data.take()?;
        data.pop();
        Some(Event { kind, data, id: id.to_vec() })
    }
}

/// Reads a stream. An unfinished last line counts for `flushed` alone.
pub fn read(input: &[u8]) -> Reading {
    let bom: IResult<&[u8], Option<()>> = opt(value((), tag("\u{feff}"))).parse(input);
    let mut input = bom.map_or(input, |(rest, _)| rest);
    let (mut reading, mut block) = (Reading::default(), Block::default());
    while let Ok((rest, line)) = line(input) {
        input = rest;
        process(line, &mut block, &mut reading);
    }
    if matches!(field(input), Ok((_, (b"data" | b"event", _)))) {
        process(input, &mut block, &mut reading);
    }
    reading.flushed = block.event(&reading.last_event_id);
    reading
}

fn process(line: &[u8], block: &mut Block, reading: &mut Reading) {
    if line.is_empty() {
        if let Some(id) = block.id.take() {
            reading.last_event_id = id;
        }
        let event = block.event(&reading.last_event_id);
        reading.events.extend(event);
        return;
    }
    let Ok((_, (name, value))) = field(line) else { return };
    let text = value.unwrap_or_default();
    match name {
        b"" => reading.comments.push(line[1..].to_vec()),
        b"data" => {
            let data = block.data.get_or_insert_default();
            data.extend_from_slice(text);
            data.push(b'\n');
        }
        b"event" => block.kind = text.to_vec(),
        b"id" if !text.contains(&0) => block.id = Some(text.to_vec()),
        b"retry" if digits(text).is_some() => reading.retry = digits(text),
        _ => reading.ignored.push(line.to_vec()),
    }
}
