//! AWS event stream messages (`application/vnd.amazon.eventstream`), as Bedrock sends them.
//!
//! Source: the Smithy "Amazon Event Stream" specification. All numbers are big-endian:
//!
//! ```text
//! total length u32 │ headers length u32 │ CRC-32 of these 8 bytes │ headers │ payload │ CRC-32 of all before
//! header: name length u8, name, type u8, value
//! ```
//!
//! A message whose sum is wrong is told and stepped over; if the lengths themselves cannot be
//! trusted, nothing that follows can be framed.

use core::ops::Range;

use nom::IResult;
use nom::Parser;
use nom::bytes::complete::take;
use nom::combinator::fail;
use nom::multi::length_data;
use nom::number::complete::{be_u8, be_u16, be_u32};

use super::carry::Carry;
use super::{Framing, MessageType, Place, Unit, UnitKind};
use crate::limits::{LimitKind, Limits};

/// Both lengths and their sum.
const PRELUDE: usize = 12;

/// The least a message has: the prelude and its own sum.
const SMALLEST: usize = PRELUDE + 4;

/// Messages to units: the payload is the data, the name depends on the [`MessageType`].
#[derive(Debug)]
pub(crate) struct EventStream {
    carry: Carry,
    /// Where in the stream the next byte stands.
    offset: u64,
    /// Where the current message begins.
    start: u64,
    ordinal: u64,
    limit: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a prelude, or inside it.
    Prelude,
    /// Inside a message of known lengths.
    Message(Lengths),
    /// Inside a message that is too long: so many bytes of it are to come.
    Skip(u32),
    /// Behind lengths that cannot be trusted.
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lengths {
    total: u32,
    headers: u32,
}

impl EventStream {
    pub(crate) fn new(limits: &Limits) -> Self {
        EventStream {
            carry: Carry::default(),
            offset: 0,
            start: 0,
            ordinal: 0,
            limit: limits.event,
            state: State::Prelude,
        }
    }

    /// The prelude is there: what it says of the message.
    fn prelude(&mut self, bytes: &[u8]) -> Option<Unit> {
        let lengths = prelude(bytes).ok().map(|(_, lengths)| lengths);
        let here = self.start..self.start + PRELUDE as u64;
        match lengths {
            None => {
                self.state = State::Lost;
                Some(self.unit(UnitKind::Corrupt, Place::Chunk(0..0), here))
            }
            Some(lengths) if lengths.total as usize > self.limit => {
                self.state = State::Skip(lengths.total);
                let start = self.start;
                Some(self.unit(UnitKind::Limit(LimitKind::Event), Place::Chunk(0..0), start..start))
            }
            Some(lengths) => {
                self.state = State::Message(lengths);
                None
            }
        }
    }

    /// A whole message, lying at `place`.
    fn message(&mut self, lengths: Lengths, place: Place, chunk: &[u8]) -> Unit {
        let span = self.start..self.start + u64::from(lengths.total);
        self.state = State::Prelude;
        let bytes = self.carry.bytes(&place, chunk);
        match parts(bytes, lengths) {
            Some(parts) => {
                let kind = UnitKind::Event;
                let name = within(&place, parts.name);
                let data = within(&place, parts.data);
                Unit { name, message: parts.message, ..self.unit(kind, data, span) }
            }
            None => self.unit(UnitKind::Corrupt, place, span),
        }
    }

    fn unit(&mut self, kind: UnitKind, data: Place, span: Range<u64>) -> Unit {
        let ordinal = self.ordinal;
        self.ordinal += u64::from(kind == UnitKind::Event);
        Unit { kind, name: Place::Chunk(0..0), data, ordinal, span, message: MessageType::Event }
    }
}

impl Framing for EventStream {
    fn advance(&mut self, input: &mut &[u8]) -> Option<Unit> {
        self.carry.forget_delivered();
        let chunk = *input;
        let base = self.offset;
        let mut pos = 0;
        let found = loop {
            let held = self.carry.held().len();
            let left = chunk.len() - pos;
            match self.state {
                State::Prelude => {
                    if held == 0 {
                        self.start = base + pos as u64;
                    }
                    let missing = PRELUDE - held;
                    if left < missing {
                        self.carry.keep(&chunk[pos..], PRELUDE);
                        pos = chunk.len();
                        break None;
                    }
                    // A message that lies in the chunk is looked at there.
                    let found = if held == 0 {
                        self.prelude(&chunk[pos..pos + PRELUDE])
                    } else {
                        self.carry.keep(&chunk[pos..pos + missing], PRELUDE);
                        pos += missing;
                        let mut bytes = [0; PRELUDE];
                        bytes.copy_from_slice(self.carry.held());
                        self.prelude(&bytes)
                    };
                    if let Some(found) = found {
                        let consumed = self.carry.held().len();
                        self.carry.forget();
                        match &mut self.state {
                            State::Skip(left) => *left -= consumed as u32,
                            _ => pos = chunk.len(),
                        }
                        break Some(found);
                    }
                }
                State::Message(lengths) => {
                    let missing = lengths.total as usize - held;
                    if left < missing {
                        self.carry.keep(&chunk[pos..], lengths.total as usize);
                        pos = chunk.len();
                        break None;
                    }
                    let place = self.carry.complete(chunk, pos..pos + missing);
                    pos += missing;
                    break Some(self.message(lengths, place, chunk));
                }
                State::Skip(rest) => {
                    let step = left.min(rest as usize);
                    pos += step;
                    if step < rest as usize {
                        self.state = State::Skip(rest - step as u32);
                        break None;
                    }
                    self.state = State::Prelude;
                }
                State::Lost => {
                    pos = chunk.len();
                    break None;
                }
            }
        };
        *input = &chunk[pos..];
        self.offset = base + pos as u64;
        found
    }

    fn advance_eof(&mut self) -> Option<Unit> {
        self.carry.forget_delivered();
        if self.carry.held().is_empty() {
            return None;
        }
        self.state = State::Prelude;
        let data = self.carry.rest();
        Some(self.unit(UnitKind::Cut, data, self.start..self.offset))
    }

    #[inline]
    fn bytes<'a>(&'a self, place: &Place, chunk: &'a [u8]) -> &'a [u8] {
        self.carry.bytes(place, chunk)
    }
}

/// What a unit takes from a whole message, counted from the message's start.
struct Parts {
    message: MessageType,
    name: Range<usize>,
    data: Range<usize>,
}

/// `None` if the sum or the headers are wrong.
fn parts(message: &[u8], lengths: Lengths) -> Option<Parts> {
    let (summed, sum) = message.split_last_chunk::<4>()?;
    if crc32fast::hash(summed) != u32::from_be_bytes(*sum) {
        return None;
    }
    let payload = PRELUDE + lengths.headers as usize;
    let mut found: [Option<Range<usize>>; NAMES.len()] = [const { None }; NAMES.len()];
    let mut rest = summed.get(PRELUDE..payload)?;
    while !rest.is_empty() {
        let (tail, Header { name, text }) = header(rest).ok()?;
        let end = payload - tail.len();
        if let (Some(known), Some(text)) = (NAMES.iter().position(|n| *n == name), text) {
            found[known].get_or_insert(end - text.len()..end);
        }
        rest = tail;
    }
    let [kind, event, exception, code, text] = found;
    let kind = kind.map_or(&b""[..], |range| &summed[range]);
    let payload = payload..summed.len();
    let (message, name, data) = match kind {
        b"exception" => (MessageType::Exception, exception, payload),
        b"error" => {
            let data = text.filter(|_| payload.is_empty()).unwrap_or(payload);
            (MessageType::Error, code, data)
        }
        _ => (MessageType::Event, event, payload),
    };
    Some(Parts { message, name: name.unwrap_or(0..0), data })
}

/// The headers that a unit is made of.
const NAMES: [&[u8]; 5] =
    [b":message-type", b":event-type", b":exception-type", b":error-code", b":error-message"];

/// A range of the message at `place`, as a place of its own.
fn within(place: &Place, range: Range<usize>) -> Place {
    match place {
        Place::Chunk(outer) => Place::Chunk(outer.start + range.start..outer.start + range.end),
        _ => Place::Data(range),
    }
}

/// The lengths, if they fit each other and their sum is right.
fn prelude(bytes: &[u8]) -> IResult<&[u8], Lengths> {
    let (rest, (total, headers, sum)) = (be_u32, be_u32, be_u32).parse(bytes)?;
    let fits = total as usize >= SMALLEST && headers <= total - SMALLEST as u32;
    if !fits || crc32fast::hash(&bytes[..8]) != sum {
        return fail().parse(bytes);
    }
    Ok((rest, Lengths { total, headers }))
}

struct Header<'a> {
    name: &'a [u8],
    /// The value, if it is a string.
    text: Option<&'a [u8]>,
}

fn header(bytes: &[u8]) -> IResult<&[u8], Header<'_>> {
    let (rest, name) = length_data(be_u8).parse(bytes)?;
    let (rest, kind) = be_u8.parse(rest)?;
    let (rest, value) = match kind {
        // true, false
        0 | 1 => take(0usize).parse(rest),
        // i8, i16, i32, i64
        2..=5 => take(1usize << (kind - 2)).parse(rest),
        // bytes, string
        6 | 7 => length_data(be_u16).parse(rest),
        // timestamp, i64 milliseconds since 1970
        8 => take(8usize).parse(rest),
        // uuid
        9 => take(16usize).parse(rest),
        _ => fail().parse(rest),
    }?;
    Ok((rest, Header { name, text: (kind == 7).then_some(value) }))
}
