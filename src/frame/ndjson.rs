//! Newline-delimited JSON: a JSON value a line, as Ollama sends it.
//!
//! Source: <https://github.com/ndjson/ndjson-spec>. Lines end in LF or CR LF; a lone CR, which JSON
//! allows nowhere inside a value's text either, ends a line here as well. Blank lines are nothing.

use core::ops::Range;

use super::carry::Carry;
use super::{Framing, MessageType, Place, Unit, UnitKind, line_end};
use crate::limits::{LimitKind, Limits};

/// How much of a line is kept that holds no JSON object or array, in bytes.
const STRAY: usize = 512;

/// Lines to units: a line that begins an object or an array is an event, any other one is stray.
#[derive(Debug)]
pub(crate) struct NdJson {
    carry: Carry,
    /// Where in the stream the next byte stands.
    offset: u64,
    /// Where the unfinished line begins; none of its bytes may have come yet.
    line_start: u64,
    ordinal: u64,
    limit: usize,
    /// The unfinished line passed the limit and is dropped.
    skipping: bool,
}

impl NdJson {
    pub(crate) fn new(limits: &Limits) -> Self {
        NdJson {
            carry: Carry::default(),
            offset: 0,
            line_start: 0,
            ordinal: 0,
            limit: limits.line,
            skipping: false,
        }
    }

    /// The unfinished line is `len` bytes long now: is that too much for the first time?
    fn passes_limit(&mut self, len: u64) -> Option<Unit> {
        if self.skipping || len <= self.limit as u64 {
            return None;
        }
        self.skipping = true;
        self.carry.forget();
        let kind = UnitKind::Limit(LimitKind::Line);
        Some(self.unit(kind, Place::Chunk(0..0), self.line_start..self.line_start))
    }

    /// What a whole line is, unless it is blank. `ended`: its line end was there.
    fn line(&mut self, place: Place, chunk: &[u8], span: Range<u64>, ended: bool) -> Option<Unit> {
        let mut line = self.carry.bytes(&place, chunk);
        let whole = line.len();
        if span.start == 0 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        let from = whole - line.trim_ascii_start().len();
        let text = line.trim_ascii();
        let kind = match (text.first()?, ended) {
            (b'{' | b'[', true) => UnitKind::Event,
            (b'{' | b'[', false) => UnitKind::UnterminatedEvent,
            (_, true) => UnitKind::Stray,
            (_, false) => UnitKind::Cut,
        };
        let len = match kind {
            UnitKind::Stray | UnitKind::Cut => text.len().min(STRAY),
            _ => text.len(),
        };
        let trimmed = match place {
            Place::Chunk(range) => Place::Chunk(range.start + from..range.start + from + len),
            _ => Place::Data(from..from + len),
        };
        Some(self.unit(kind, trimmed, span))
    }

    fn unit(&mut self, kind: UnitKind, data: Place, span: Range<u64>) -> Unit {
        let ordinal = self.ordinal;
        self.ordinal += u64::from(matches!(kind, UnitKind::Event | UnitKind::UnterminatedEvent));
        Unit { kind, name: Place::Chunk(0..0), data, ordinal, span, message: MessageType::Event }
    }
}

impl Framing for NdJson {
    fn advance(&mut self, input: &mut &[u8]) -> Option<Unit> {
        self.carry.forget_delivered();
        let chunk = *input;
        let base = self.offset;
        let mut pos = 0;
        while let Some(len) = line_end(&chunk[pos..]) {
            let (end, next) = (pos + len, pos + len + 1);
            let span = self.line_start..base + next as u64;
            let found = match self.passes_limit(span.end - 1 - span.start) {
                Some(limit) => Some(limit),
                None if self.skipping => None,
                None => {
                    let place = self.carry.complete(chunk, pos..end);
                    self.line(place, chunk, span, true)
                }
            };
            self.skipping = false;
            self.line_start = base + next as u64;
            pos = next;
            if found.is_some() {
                *input = &chunk[pos..];
                self.offset = base + pos as u64;
                return found;
            }
            self.carry.forget_delivered();
        }
        *input = &[];
        self.offset = base + chunk.len() as u64;
        let limit = self.passes_limit(self.offset - self.line_start);
        if !self.skipping {
            self.carry.keep(&chunk[pos..], self.limit);
        }
        limit
    }

    fn advance_eof(&mut self) -> Option<Unit> {
        self.carry.forget_delivered();
        if self.skipping || self.carry.held().is_empty() {
            return None;
        }
        let place = self.carry.rest();
        self.line(place, b"", self.line_start..self.offset, false)
    }

    #[inline]
    fn bytes<'a>(&'a self, place: &Place, chunk: &'a [u8]) -> &'a [u8] {
        self.carry.bytes(place, chunk)
    }
}
