//! A JSON array that arrives piece by piece, as Gemini sends it without `alt=sse`; and JSON values
//! that follow each other with nothing around them, as an error body in its place.
//!
//! ```text
//!              '{', or '[' inside the array            its last bracket
//!   Between ─────────────────────────────▶ Value ─────────────────────▶ Unit, Between
//!      │  ▲                                 │  ▲ '"'
//!      │  │ a separator                  '"'▼  │
//!      ▼  │                                String
//!   Loose: what is no object or array, told as a stray
//! ```
//!
//! Brackets are counted and strings stepped over; whether a value is JSON is for its reader to say.

use core::ops::Range;

use memchr::memchr2;

use super::carry::Carry;
use super::{Framing, MessageType, Place, Unit, UnitKind};
use crate::limits::{LimitKind, Limits};

/// How much of what is no object or array is kept, in bytes.
const STRAY: usize = 512;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Elements to units: an object, or an array in the array, is an event.
#[derive(Debug)]
pub(crate) struct JsonArray {
    carry: Carry,
    /// Where in the stream the next byte stands.
    offset: u64,
    /// Where the current value begins.
    value_start: u64,
    ordinal: u64,
    limit: usize,
    /// Open brackets of the current value.
    depth: u64,
    state: State,
    in_array: bool,
    in_string: bool,
    /// The last byte of the string was a backslash that escapes the next one.
    escaped: bool,
    /// The current value passed the limit and is dropped.
    skipping: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Between,
    Value,
    Loose,
}

impl JsonArray {
    pub(crate) fn new(limits: &Limits) -> Self {
        JsonArray {
            carry: Carry::default(),
            offset: 0,
            value_start: 0,
            ordinal: 0,
            limit: limits.event,
            depth: 0,
            state: State::Between,
            in_array: false,
            in_string: false,
            escaped: false,
            skipping: false,
        }
    }

    /// Where the next value begins in `chunk`, if it does.
    fn skip_separators(&mut self, chunk: &[u8], from: usize) -> Option<usize> {
        for (pos, &byte) in chunk.iter().enumerate().skip(from) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' => continue,
                b'[' if !self.in_array => {
                    self.in_array = true;
                    continue;
                }
                b']' if self.in_array => {
                    self.in_array = false;
                    continue;
                }
                b'{' | b'[' => self.state = State::Value,
                _ => self.state = State::Loose,
            }
            self.value_start = self.offset + pos as u64;
            return Some(pos);
        }
        None
    }

    /// One past the last byte of the value that goes on at `from`, if it ends in `chunk`.
    fn end_of_value(&mut self, chunk: &[u8], from: usize) -> Option<usize> {
        let mut pos = from;
        loop {
            if self.in_string {
                pos = self.end_of_string(chunk, pos)?;
            }
            let rest = chunk.get(pos..)?;
            pos += 1 + rest.iter().position(|b| matches!(b, b'"' | b'{' | b'[' | b'}' | b']'))?;
            match chunk[pos - 1] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                _ => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(pos);
                    }
                }
            }
        }
    }

    /// One past the closing quote of the string that goes on at `from`, if it is in `chunk`.
    fn end_of_string(&mut self, chunk: &[u8], from: usize) -> Option<usize> {
        let mut pos = from;
        loop {
            if self.escaped {
                chunk.get(pos)?;
                self.escaped = false;
                pos += 1;
            }
            pos += 1 + memchr2(b'"', b'\\', chunk.get(pos..)?)?;
            if chunk[pos - 1] == b'"' {
                self.in_string = false;
                return Some(pos);
            }
            self.escaped = true;
        }
    }

    /// One past the last byte of what is no object or array: a string, or all up to a separator or
    /// a bracket.
    fn end_of_loose(&mut self, chunk: &[u8], from: usize) -> Option<usize> {
        let mut pos = from;
        if self.offset + pos as u64 == self.value_start {
            self.in_string = chunk[pos] == b'"';
            pos += 1;
            if matches!(chunk[from], b'}' | b']') {
                return Some(pos);
            }
        }
        if self.in_string {
            return self.end_of_string(chunk, pos);
        }
        let rest = chunk.get(pos..)?;
        let separator = |byte: &u8| {
            matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b'{' | b'[' | b'}' | b']')
        };
        rest.iter().position(separator).map(|len| pos + len)
    }

    /// The current value reaches to `end` now: is that too much for the first time?
    fn passes_limit(&mut self, end: u64) -> Option<Unit> {
        let fits = || end - self.value_start <= self.limit as u64;
        if self.state != State::Value || self.skipping || fits() {
            return None;
        }
        self.skipping = true;
        self.carry.forget();
        let kind = UnitKind::Limit(LimitKind::Event);
        Some(self.unit(kind, Place::Chunk(0..0), self.value_start..self.value_start))
    }

    /// Holds a part of the current value.
    fn keep(&mut self, part: &[u8]) {
        match self.state {
            State::Value if !self.skipping => self.carry.keep(part, self.limit),
            State::Loose => {
                let room = STRAY.saturating_sub(self.carry.held().len());
                self.carry.keep(&part[..part.len().min(room)], STRAY);
            }
            _ => {}
        }
    }

    /// The current value ends with `part`.
    fn finish(&mut self, chunk: &[u8], part: Range<usize>) -> Option<Unit> {
        let span = self.value_start..self.offset + part.end as u64;
        let limit = self.passes_limit(span.end);
        let state = core::mem::replace(&mut self.state, State::Between);
        if core::mem::take(&mut self.skipping) {
            return limit;
        }
        if state == State::Value {
            let data = self.carry.complete(chunk, part);
            return Some(self.unit(UnitKind::Event, data, span));
        }
        let room = STRAY.saturating_sub(self.carry.held().len());
        let data = self.carry.complete(chunk, part.start..part.start + part.len().min(room));
        let is_mark = span.start == 0 && self.carry.bytes(&data, chunk) == BOM;
        (!is_mark).then(|| self.unit(UnitKind::Stray, data, span))
    }

    fn unit(&mut self, kind: UnitKind, data: Place, span: Range<u64>) -> Unit {
        let ordinal = self.ordinal;
        self.ordinal += u64::from(kind == UnitKind::Event);
        Unit { kind, name: Place::Chunk(0..0), data, ordinal, span, message: MessageType::Event }
    }
}

impl Framing for JsonArray {
    fn advance(&mut self, input: &mut &[u8]) -> Option<Unit> {
        let chunk = *input;
        let mut pos = 0;
        loop {
            self.carry.forget_delivered();
            let from = match self.state {
                State::Between => self.skip_separators(chunk, pos).unwrap_or(chunk.len()),
                _ => pos,
            };
            let end = match self.state {
                State::Value => self.end_of_value(chunk, from),
                State::Loose if from < chunk.len() => self.end_of_loose(chunk, from),
                _ => None,
            };
            let found = match end {
                Some(end) => self.finish(chunk, from..end),
                None => {
                    let limit = self.passes_limit(self.offset + chunk.len() as u64);
                    self.keep(&chunk[from..]);
                    limit
                }
            };
            pos = end.unwrap_or(chunk.len());
            if found.is_some() || end.is_none() {
                self.offset += pos as u64;
                *input = &chunk[pos..];
                return found;
            }
        }
    }

    fn advance_eof(&mut self) -> Option<Unit> {
        self.carry.forget_delivered();
        let state = core::mem::replace(&mut self.state, State::Between);
        if state == State::Between || self.skipping {
            return None;
        }
        let data = self.carry.rest();
        Some(self.unit(UnitKind::Cut, data, self.value_start..self.offset))
    }

    #[inline]
    fn bytes<'a>(&'a self, place: &Place, chunk: &'a [u8]) -> &'a [u8] {
        self.carry.bytes(place, chunk)
    }
}
