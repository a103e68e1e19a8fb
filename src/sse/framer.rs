//! The state machine: bytes in any chunking to what stands in them, told as places.
//!
//! ```text
//!            a line ends                       a blank line
//!   line ───────────────────▶ block of fields ─────────────▶ Found::Event
//!    ▲  │ chunk ends             │ chunk ends                (or nothing, without data)
//!    │  ▼                        ▼
//!  Partial (src/sse/line.rs)   data, name, pending_id: owned
//! ```
//!
//! Inside one chunk a block is only looked at: its fields are ranges of the chunk ([`Here`]). What
//! a chunk's end (or a record in the middle of a block) cuts off moves into the framer's own
//! buffers, the unfinished line straight into the buffer of its field. So no byte is searched for
//! a line end twice, and no byte is copied that lies in one chunk with its event.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use memchr::memchr;

use super::line::{Field, Line, Partial, Step, line};
use super::options::{Limit, Limits, Options};
use super::record::{Cut, Meaningless};
use super::segments::Segments;
use crate::frame::{Place, line_end};

/// What a buffer may keep of its capacity from one event to the next, in bytes.
const RETAIN: usize = 4 << 10;

/// How much of a stream without events is kept to say what it was, in bytes.
const HEAD: usize = 512;

const BOM: [u8; 3] = *b"\xef\xbb\xbf";

/// What has to be done before a chunk can be looked at line by line, as bits of `Framer::todo`.
mod todo {
    /// The stream may begin with a byte order mark.
    pub(super) const BOM: u8 = 1;
    /// The last byte was CR; an LF right after it belongs to it.
    pub(super) const SKIP_LF: u8 = 2;
    /// A line is unfinished.
    pub(super) const LINE: u8 = 4;
    /// The buffers hold an event that was handed out.
    pub(super) const DELIVERED: u8 = 8;
    /// The stream limit was passed: nothing is read any more.
    pub(super) const OVER: u8 = 16;
    /// The stream has ended: the next byte begins another one.
    pub(super) const ENDED: u8 = 32;
}

/// What was found, and where it lies.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub kind: Kind,
    pub name: Place,
    pub data: Place,
    /// Where in the stream the first byte of the data stands.
    pub data_at: u64,
    pub span: Range<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Event(Option<Cut>),
    /// `cut`: only the first bytes were kept.
    Comment {
        cut: bool,
    },
    Retry,
    IdCommit,
    Stray {
        why: Meaningless,
        cut: bool,
    },
    /// A block that the end of the stream cut: its event, if it has data.
    UnterminatedBlock {
        event: Option<Cut>,
    },
    /// A line that the end of the stream cut, and that is no part of an event.
    UnterminatedLine,
    Limit(Limit),
    End,
}

impl Found {
    fn new(kind: Kind, data: Place, span: Range<u64>) -> Self {
        let data_at = span.start;
        Found { kind, name: Place::Chunk(0..0), data, data_at, span }
    }
}

/// The part of the current block that lies in the current chunk and was not copied.
#[derive(Debug, Clone)]
struct Here {
    /// Where the block begins.
    start: usize,
    /// The value of its only data line.
    data: Option<Range<usize>>,
    /// The value of its last `event` line.
    name: Option<Range<usize>>,
}

impl Here {
    #[inline(always)]
    fn at(start: usize) -> Self {
        Here { start, data: None, name: None }
    }

    /// A line that is no part of the block ends at `next`: a block that has not begun begins there.
    #[inline(always)]
    fn skip_to(&mut self, next: usize) {
        if self.data.is_none() && self.name.is_none() {
            self.start = next;
        }
    }
}

/// What remains to be told at the end of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Line,
    Block,
    End,
    Done,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Framer {
    pub options: Options,
    /// Where in the stream the next byte stands.
    offset: u64,
    /// Where the unfinished line begins.
    line_start: u64,
    /// Where the block begins; holds if `open`.
    block_start: u64,
    /// How many events there were.
    ordinal: u64,
    retry: Option<u64>,
    /// The block's data as far as it was copied: `lines` values, joined by LF.
    pub data: Vec<u8>,
    /// The block's type as far as it was copied; holds if `named`.
    pub name: Vec<u8>,
    /// The unfinished line if it is no `data` or `event`; also the text of the last record that is
    /// no event.
    pub line: Vec<u8>,
    /// The last event id.
    pub id: Vec<u8>,
    /// The id that the block will commit; holds if `id_pending`.
    pending_id: Vec<u8>,
    /// The first bytes of a stream that has not given an event.
    head: Vec<u8>,
    pub segments: Segments,
    /// How many lines of data were copied.
    lines: usize,
    /// A data line of up to so many bytes passes no limit, if it is the block's first.
    safe_line: usize,
    /// See [`todo`].
    todo: u8,
    partial: Partial,
    ending: Ending,
    /// Where the value of the unfinished line begins in it.
    value_at: u8,
    /// How many bytes of the byte order mark have come.
    bom: u8,
    /// Something of the block is not in [`Here`].
    open: bool,
    /// The block passed a limit: its fields are dropped.
    skipping: bool,
    named: bool,
    id_pending: bool,
    /// The comment or stray line in `line` was cut.
    cut: bool,
    /// The stream ended inside a block or a line.
    mid_event: bool,
    /// Whether `head` is wanted at all, and still.
    wants_head: bool,
    sniffing: bool,
    #[cfg(test)]
    pub examined: u64,
}

impl Framer {
    pub(super) fn new(options: Options, wants_head: bool) -> Self {
        let safe_line = options.limits.line.min(options.limits.data);
        Framer {
            options,
            offset: 0,
            line_start: 0,
            block_start: 0,
            ordinal: 0,
            retry: None,
            data: Vec::new(),
            name: Vec::new(),
            line: Vec::new(),
            id: Vec::new(),
            pending_id: Vec::new(),
            head: Vec::new(),
            segments: Segments::default(),
            lines: 0,
            safe_line,
            todo: todo::BOM,
            partial: Partial::Start,
            ending: Ending::Line,
            value_at: 0,
            bom: 0,
            open: false,
            skipping: false,
            named: false,
            id_pending: false,
            cut: false,
            mid_event: false,
            wants_head,
            sniffing: wants_head,
            #[cfg(test)]
            examined: 0,
        }
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn ordinal(&self) -> u64 {
        self.ordinal
    }

    pub(super) fn retry(&self) -> Option<u64> {
        self.retry
    }

    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    pub(super) fn mid_event(&self) -> bool {
        self.mid_event
    }

    /// The bytes of a part of the last [`Found`].
    #[inline]
    pub(super) fn bytes<'a>(&'a self, place: &Place, chunk: &'a [u8]) -> &'a [u8] {
        let (bytes, range) = match place {
            Place::Chunk(range) => (chunk, range),
            Place::Data(range) => (&self.data[..], range),
            Place::Name(range) => (&self.name[..], range),
            Place::Line(range) => (&self.line[..], range),
        };
        bytes.get(range.clone()).unwrap_or_default()
    }

    /// Takes bytes off the front of `input` up to the end of the next thing found. `None`: all is
    /// taken.
    #[inline]
    pub(super) fn next(&mut self, input: &mut &[u8]) -> Option<Found> {
        let chunk = *input;
        let left = self.options.limits.stream.saturating_sub(self.offset);
        if chunk.len() as u64 > left {
            return self.next_within(left, input);
        }
        let (found, taken) = self.take(chunk);
        *input = &chunk[taken..];
        found
    }

    #[inline(always)]
    fn take(&mut self, chunk: &[u8]) -> (Option<Found>, usize) {
        let (found, taken) = self.scan(chunk);
        self.offset += taken as u64;
        if self.sniffing {
            self.keep_head(&chunk[..taken]);
        }
        (found, taken)
    }

    /// The stream limit lies inside this chunk, or before it.
    #[cold]
    fn next_within(&mut self, left: u64, input: &mut &[u8]) -> Option<Found> {
        if self.todo & todo::ENDED != 0 {
            self.restart();
            return self.next(input);
        }
        if self.todo & todo::OVER != 0 {
            *input = &[];
            return None;
        }
        let chunk = *input;
        let (found, taken) = self.take(&chunk[..left as usize]);
        *input = &chunk[taken..];
        found.or_else(|| {
            *input = &[];
            self.clear_block();
            self.todo = todo::OVER;
            self.mid_event = true;
            Some(Found::new(
                Kind::Limit(Limit::Stream),
                Place::Chunk(0..0),
                self.offset..self.offset,
            ))
        })
    }

    #[cold]
    fn keep_head(&mut self, taken: &[u8]) {
        if self.ordinal > 0 {
            self.head = Vec::new();
            self.sniffing = false;
            return;
        }
        let room = HEAD - self.head.len();
        self.head.extend_from_slice(&taken[..taken.len().min(room)]);
    }

    /// The first thing found in `chunk`, and how many bytes it took.
    #[inline]
    fn scan(&mut self, chunk: &[u8]) -> (Option<Found>, usize) {
        let mut pos = 0;
        if self.todo != 0 {
            match self.resume(chunk) {
                ControlFlow::Continue(at) => pos = at,
                ControlFlow::Break(result) => return result,
            }
        }
        let mut here = Here::at(pos);
        // The next data line is the first one of a block that is not dropped.
        let mut first = self.lines == 0 && !self.skipping;
        while let Some(&byte) = chunk.get(pos) {
            if let b'\n' | b'\r' = byte {
                let next = self.past_line_end(chunk, pos);
                if self.open {
                    if let Some(found) = self.close_block(&here, pos + 1) {
                        return (Some(found), next);
                    }
                } else if let Some(data) = here.data {
                    let found = Found {
                        kind: Kind::Event(None),
                        name: Place::Chunk(here.name.unwrap_or(0..0)),
                        data_at: self.offset + data.start as u64,
                        data: Place::Chunk(data),
                        span: self.offset + here.start as u64..self.offset + pos as u64 + 1,
                    };
                    self.ordinal += 1;
                    return (Some(found), next);
                }
                here = Here::at(next);
                first = true;
                pos = next;
                continue;
            }
            let Some(len) = self.line_end(&chunk[pos..]) else { break };
            let end = pos + len;
            let next = self.past_line_end(chunk, end);
            let found = line(&chunk[pos..end]);
            #[cfg(test)]
            {
                self.examined += found.examined(len) as u64;
            }
            match found {
                Line::Field(Field::Data, value) if first && len <= self.safe_line => {
                    here.data = Some(pos + value..end);
                    first = false;
                }
                found => {
                    if let Some(found) = self.line_of(chunk, &mut here, pos..end, found) {
                        return (Some(found), next);
                    }
                    if !self.open {
                        here.skip_to(next);
                    }
                    first = self.lines == 0 && !self.skipping && here.data.is_none();
                }
            }
            pos = next;
        }
        (self.suspend(chunk, &here, pos), chunk.len())
    }

    /// How many bytes stand before the first line end.
    #[inline(always)]
    fn line_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let found = line_end(bytes);
        #[cfg(test)]
        {
            self.examined += found.map_or(bytes.len(), |at| at + 1) as u64;
        }
        found
    }

    /// Where the line begins that follows the line end at `at`.
    #[inline(always)]
    fn past_line_end(&mut self, chunk: &[u8], at: usize) -> usize {
        if chunk[at] == b'\r' {
            match chunk.get(at + 1) {
                Some(b'\n') => return at + 2,
                Some(_) => {}
                None => self.todo |= todo::SKIP_LF,
            }
        }
        at + 1
    }

    /// A whole line in the chunk that is not simply the first of a block's data.
    fn line_of(
        &mut self,
        chunk: &[u8],
        here: &mut Here,
        at: Range<usize>,
        line: Line,
    ) -> Option<Found> {
        let span = self.offset + at.start as u64..self.offset + at.end as u64 + 1;
        let text = &chunk[at.clone()];
        match line {
            Line::Field(Field::Data | Field::Event | Field::Id, _) if self.skipping => None,
            Line::Field(field, value) => {
                let before = here.data.as_ref().map_or(self.data.len(), Range::len)
                    + usize::from(here.data.is_some() || self.lines > 0);
                if let Some(limit) = self.exceeded(field, value, text.len(), before) {
                    self.open_at(self.offset + here.start as u64);
                    return Some(self.exceed(limit, span.start));
                }
                let value = at.start + value..at.end;
                match field {
                    Field::Data if here.data.is_none() && self.lines == 0 => {
                        here.data = Some(value);
                    }
                    Field::Data => {
                        self.spill(chunk, here);
                        self.begin_data(self.offset + value.start as u64);
                        self.append_data(&chunk[value.clone()], self.offset + value.end as u64);
                    }
                    Field::Event => here.name = Some(value),
                    Field::Id if self.has_nul(&chunk[value.clone()]) => {
                        return self.stray(chunk, here, at, Meaningless::IdWithNul);
                    }
                    Field::Id => {
                        self.open_at(self.offset + here.start as u64);
                        self.set_pending_id(&chunk[value]);
                    }
                    Field::Retry => match milliseconds(&chunk[value]) {
                        Some(retry) => return self.set_retry(retry, span, chunk, here),
                        None => return self.stray(chunk, here, at, Meaningless::InvalidRetry),
                    },
                }
                None
            }
            Line::Comment => self.options.comments.then(|| {
                self.spill(chunk, here);
                let (text, cut) = clip(at.start + 1..at.end, self.options.limits.comment);
                Found::new(Kind::Comment { cut }, Place::Chunk(text), span)
            }),
            Line::Stray => self.stray(chunk, here, at, Meaningless::NoField),
        }
    }

    fn set_pending_id(&mut self, id: &[u8]) {
        self.pending_id.clear();
        self.pending_id.extend_from_slice(id);
        self.id_pending = true;
    }

    fn set_retry(
        &mut self,
        retry: u64,
        span: Range<u64>,
        chunk: &[u8],
        here: &mut Here,
    ) -> Option<Found> {
        self.retry = Some(retry);
        self.options.retries.then(|| {
            self.spill(chunk, here);
            Found::new(Kind::Retry, Place::Chunk(0..0), span)
        })
    }

    fn stray(
        &mut self,
        chunk: &[u8],
        here: &mut Here,
        at: Range<usize>,
        why: Meaningless,
    ) -> Option<Found> {
        if !self.options.strays {
            return None;
        }
        self.spill(chunk, here);
        let span = self.offset + at.start as u64..self.offset + at.end as u64 + 1;
        let (text, cut) = clip(at, self.options.limits.stray);
        Some(Found::new(Kind::Stray { why, cut }, Place::Chunk(text), span))
    }

    /// Which limit, if any, a line of `len` bytes passes first, if its field's value begins at
    /// `value`. `before` is the data that is there already, with the LF that joins it.
    fn exceeded(&self, field: Field, value: usize, len: usize, before: usize) -> Option<Limit> {
        let Limits { line, data, event, id, .. } = self.options.limits;
        let (room, limit) = match field {
            Field::Data => (data.checked_sub(before), Limit::Data),
            Field::Event => (Some(event), Limit::Event),
            Field::Id => (Some(id), Limit::Id),
            Field::Retry => (Some(usize::MAX), Limit::Line),
        };
        match room.map(|room| room.saturating_add(value)) {
            None => Some(limit),
            Some(room) if len <= room.min(line) => None,
            Some(room) => Some(if line <= room { Limit::Line } else { limit }),
        }
    }

    /// Drops the block: the line at `at` passed a limit. The id it had before stands.
    #[cold]
    fn exceed(&mut self, limit: Limit, at: u64) -> Found {
        self.clear_fields();
        self.open = true;
        self.skipping = true;
        Found::new(Kind::Limit(limit), Place::Chunk(0..0), self.block_start..at)
    }

    fn has_nul(&mut self, id: &[u8]) -> bool {
        #[cfg(test)]
        {
            self.examined += id.len() as u64;
        }
        memchr(0, id).is_some()
    }

    fn open_at(&mut self, start: u64) {
        if !self.open {
            self.open = true;
            self.block_start = start;
        }
    }

    /// Copies what of the block lies in the chunk.
    fn spill(&mut self, chunk: &[u8], here: &mut Here) {
        if let Some(data) = here.data.take() {
            self.open_at(self.offset + here.start as u64);
            self.begin_data(self.offset + data.start as u64);
            self.append_data(&chunk[data.clone()], self.offset + data.end as u64);
        }
        if let Some(name) = here.name.take() {
            self.open_at(self.offset + here.start as u64);
            self.name.clear();
            self.name.extend_from_slice(&chunk[name]);
            self.named = true;
        }
    }

    /// Begins a copied data line whose value stands at `at`.
    fn begin_data(&mut self, at: u64) {
        if self.lines == 0 {
            self.segments.begin(at);
        } else {
            self.segments.next(at);
            self.append_data(b"\n", at);
        }
        self.lines += 1;
    }

    /// Adds to the last data line, whose value reaches to `end` now.
    fn append_data(&mut self, bytes: &[u8], end: u64) {
        append(&mut self.data, bytes, self.options.limits.data);
        self.segments.extend_to(end);
    }

    /// The blank line of a block that is not all in one chunk, or has an id; `end` is behind it.
    fn close_block(&mut self, here: &Here, end: usize) -> Option<Found> {
        let span = self.block_start..self.offset + end as u64;
        let new_id = core::mem::take(&mut self.id_pending);
        if new_id {
            core::mem::swap(&mut self.id, &mut self.pending_id);
            release(&mut self.pending_id);
        }
        if (self.lines > 0 || here.data.is_some()) && !self.skipping {
            self.todo |= todo::DELIVERED;
            return Some(self.event(here, span, None));
        }
        self.clear_block();
        (new_id && self.options.id_commits)
            .then(|| Found::new(Kind::IdCommit, Place::Chunk(0..0), span))
    }

    fn event(&mut self, here: &Here, span: Range<u64>, cut: Option<Cut>) -> Found {
        self.ordinal += 1;
        let (data, data_at) = match &here.data {
            Some(data) => (Place::Chunk(data.clone()), self.offset + data.start as u64),
            None => (Place::Data(0..self.data.len()), self.segments.first()),
        };
        Found { kind: Kind::Event(cut), name: self.name_of(here), data, data_at, span }
    }

    fn name_of(&self, here: &Here) -> Place {
        match &here.name {
            Some(name) => Place::Chunk(name.clone()),
            None if self.named => Place::Name(0..self.name.len()),
            None => Place::Chunk(0..0),
        }
    }

    fn clear_block(&mut self) {
        self.clear_fields();
        self.open = false;
        self.skipping = false;
    }

    fn clear_fields(&mut self) {
        self.lines = 0;
        self.named = false;
        release(&mut self.data);
        release(&mut self.name);
        self.segments.release(RETAIN);
    }

    /// The chunk ends at an unfinished line at `pos` (or just before a line).
    fn suspend(&mut self, chunk: &[u8], here: &Here, pos: usize) -> Option<Found> {
        self.spill(chunk, &mut here.clone());
        if pos == chunk.len() {
            return None;
        }
        self.begin_line(self.offset + pos as u64);
        self.extend(&chunk[pos..], self.offset + pos as u64)
    }

    fn begin_line(&mut self, at: u64) {
        self.partial = Partial::Start;
        self.line_start = at;
        self.todo |= todo::LINE;
    }

    /// Goes on where the last chunk ended: up to the first line of which nothing has come yet.
    fn resume(&mut self, chunk: &[u8]) -> ControlFlow<(Option<Found>, usize), usize> {
        self.forget_delivered();
        if chunk.is_empty() {
            return ControlFlow::Break((None, 0));
        }
        if self.todo & (todo::ENDED | todo::OVER) != 0 {
            if self.todo & todo::OVER != 0 && self.todo & todo::ENDED == 0 {
                return ControlFlow::Break((None, chunk.len()));
            }
            self.restart();
        }
        let mut pos = 0;
        if self.todo & todo::BOM != 0 {
            match self.byte_order_mark(chunk) {
                Some(behind) => pos = behind,
                None => return ControlFlow::Break((None, chunk.len())),
            }
        }
        if self.todo & todo::SKIP_LF != 0 {
            self.todo &= !todo::SKIP_LF;
            pos += usize::from(chunk[pos] == b'\n');
        }
        if self.todo & todo::LINE == 0 {
            return ControlFlow::Continue(pos);
        }
        let len = self.line_end(&chunk[pos..]);
        let end = len.map_or(chunk.len(), |len| pos + len);
        if let Some(found) = self.extend(&chunk[pos..end], self.offset + pos as u64) {
            return ControlFlow::Break((Some(found), end));
        }
        if len.is_none() {
            return ControlFlow::Break((None, end));
        }
        let next = self.past_line_end(chunk, end);
        match self.finish_line(self.offset + end as u64) {
            Some(found) => ControlFlow::Break((Some(found), next)),
            None => ControlFlow::Continue(next),
        }
    }

    fn forget_delivered(&mut self) {
        if self.todo & todo::DELIVERED != 0 {
            self.todo &= !todo::DELIVERED;
            self.clear_block();
        }
    }

    /// Steps over a byte order mark; `None` if all of the chunk may belong to one.
    #[cold]
    fn byte_order_mark(&mut self, chunk: &[u8]) -> Option<usize> {
        let held = usize::from(self.bom);
        let same = BOM[held..].iter().zip(chunk).take_while(|(mark, byte)| mark == byte).count();
        if held + same == BOM.len() {
            self.todo &= !todo::BOM;
            return Some(same);
        }
        if same == chunk.len() {
            self.bom += same as u8;
            return None;
        }
        self.give_back_mark();
        Some(0)
    }

    /// What seemed to be a byte order mark begins a line.
    #[cold]
    fn give_back_mark(&mut self) {
        self.todo &= !todo::BOM;
        if self.bom > 0 {
            self.begin_line(0);
            let held = self.extend(&BOM[..usize::from(self.bom)], 0);
            debug_assert!(held.is_none(), "a stray line passes no limit");
        }
    }

    /// Adds bytes to the unfinished line; `at` is where they stand in the stream.
    fn extend(&mut self, mut part: &[u8], mut at: u64) -> Option<Found> {
        while let Some((&byte, rest)) = part.split_first() {
            let Some(step) = self.partial.step(byte) else { break };
            #[cfg(test)]
            {
                self.examined += 1;
            }
            match step {
                Step::Taken(partial) => {
                    (part, at) = (rest, at + 1);
                    self.enter(partial, at);
                }
                Step::Before(partial) => self.enter(partial, at),
            }
        }
        let end = at + part.len() as u64;
        match self.partial {
            Partial::Value(field) => {
                let len = usize::try_from(end - self.line_start).unwrap_or(usize::MAX);
                let before = self.data_before(at);
                if let Some(limit) = self.exceeded(field, self.value_at.into(), len, before) {
                    self.partial = Partial::Skip;
                    self.open_at(self.line_start);
                    return Some(self.exceed(limit, self.line_start));
                }
                match field {
                    Field::Data => self.append_data(part, end),
                    Field::Event => append(&mut self.name, part, self.options.limits.event),
                    Field::Id | Field::Retry => {
                        append(&mut self.line, part, self.options.limits.line);
                    }
                }
            }
            Partial::Comment => self.append_text(part, self.options.limits.comment),
            Partial::Stray => self.append_text(part, self.options.limits.stray),
            _ => {}
        }
        None
    }

    /// The data before the unfinished line, with the LF that joins it; `at` is how far that line
    /// was taken.
    fn data_before(&self, at: u64) -> usize {
        let taken = (at - self.line_start).saturating_sub(self.value_at.into());
        self.data.len().saturating_sub(usize::try_from(taken).unwrap_or(usize::MAX))
    }

    fn append_text(&mut self, part: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.line.len());
        self.cut |= part.len() > room;
        append(&mut self.line, &part[..part.len().min(room)], limit);
    }

    /// The unfinished line turns out to be what `next` says; its value or text begins at `at`.
    fn enter(&mut self, next: Partial, at: u64) {
        let (name, colon) = self.partial.head();
        self.partial = next;
        match next {
            Partial::Value(_) => self.value_at = (at - self.line_start) as u8,
            Partial::Comment | Partial::Stray => self.cut = false,
            _ => return,
        }
        match next {
            Partial::Value(Field::Data | Field::Event | Field::Id) if self.skipping => {
                self.partial = Partial::Skip;
            }
            Partial::Value(Field::Data) => {
                self.open_at(self.line_start);
                self.begin_data(at);
            }
            Partial::Value(Field::Event) => {
                self.open_at(self.line_start);
                self.name.clear();
                self.named = true;
            }
            Partial::Value(field) => {
                release(&mut self.line);
                self.write_head(field);
            }
            Partial::Comment if self.options.comments => release(&mut self.line),
            Partial::Stray if self.options.strays => {
                release(&mut self.line);
                self.append_text(name, self.options.limits.stray);
                self.append_text(colon, self.options.limits.stray);
            }
            _ => self.partial = Partial::Skip,
        }
    }

    /// Writes what stands before the value of the unfinished line.
    fn write_head(&mut self, field: Field) {
        self.line.extend_from_slice(field.name());
        let behind = usize::from(self.value_at) - field.name().len();
        self.line.extend_from_slice(&b": "[..behind]);
    }

    /// The unfinished line ends at `end`.
    fn finish_line(&mut self, end: u64) -> Option<Found> {
        if let Some(found) = self.complete_head(end) {
            self.todo &= !todo::LINE;
            return Some(found);
        }
        self.todo &= !todo::LINE;
        let span = self.line_start..end + 1;
        let value = usize::from(self.value_at);
        match self.partial {
            Partial::Value(Field::Id) => {
                let line = core::mem::take(&mut self.line);
                let id = &line[value..];
                let has_nul = self.has_nul(id);
                if !has_nul {
                    self.open_at(self.line_start);
                    self.set_pending_id(id);
                }
                self.line = line;
                if has_nul { self.stray_line(Meaningless::IdWithNul, span) } else { None }
            }
            Partial::Value(Field::Retry) => match milliseconds(&self.line[value..]) {
                Some(retry) => self.set_retry(retry, span, b"", &mut Here::at(0)),
                None => self.stray_line(Meaningless::InvalidRetry, span),
            },
            Partial::Comment => Some(Found::new(
                Kind::Comment { cut: self.cut },
                Place::Line(0..self.line.len()),
                span,
            )),
            Partial::Stray => self.stray_line(Meaningless::NoField, span),
            _ => None,
        }
    }

    /// What a line is that ends at `end`, before its value has begun.
    fn complete_head(&mut self, end: u64) -> Option<Found> {
        match self.partial {
            Partial::Name(field, matched) if usize::from(matched) < field.name().len() => {
                self.enter(Partial::Stray, end);
            }
            Partial::Name(field, _) | Partial::Colon(field) => {
                self.enter(Partial::Value(field), end);
            }
            _ => return None,
        }
        self.extend(b"", end)
    }

    fn stray_line(&mut self, why: Meaningless, span: Range<u64>) -> Option<Found> {
        let (text, cut) = clip(0..self.line.len(), self.options.limits.stray);
        let cut = cut || (self.partial == Partial::Stray && self.cut);
        self.options.strays.then(|| Found::new(Kind::Stray { why, cut }, Place::Line(text), span))
    }

    /// What the end of the stream decides, one thing at a call; last [`Kind::End`], then `None`.
    /// `lenient`: an event it cuts is an event.
    pub(super) fn next_eof(&mut self, lenient: bool) -> Option<Found> {
        self.forget_delivered();
        loop {
            let ending = self.ending;
            let found = match ending {
                Ending::Line => {
                    self.ending = Ending::Block;
                    self.eof_line(lenient)
                }
                Ending::Block => {
                    self.ending = Ending::End;
                    self.eof_block(lenient)
                }
                Ending::End => {
                    self.ending = Ending::Done;
                    self.clear_block();
                    self.id_pending = false;
                    self.todo |= todo::ENDED;
                    let end = self.offset..self.offset;
                    return Some(Found::new(Kind::End, Place::Chunk(0..0), end));
                }
                Ending::Done => return None,
            };
            if found.is_some() {
                return found;
            }
        }
    }

    /// The line that the end of the stream cuts, unless it is part of an event.
    fn eof_line(&mut self, lenient: bool) -> Option<Found> {
        if self.todo & todo::BOM != 0 {
            self.give_back_mark();
        }
        self.mid_event |= self.open || self.todo & todo::LINE != 0;
        if self.todo & todo::LINE == 0 {
            return None;
        }
        let end = self.offset;
        if let Some(found) = self.complete_head(end) {
            return Some(found);
        }
        let has_event = self.lines > 0;
        match self.partial {
            Partial::Value(Field::Data) | Partial::Skip => return None,
            Partial::Value(Field::Event | Field::Id) if has_event => return None,
            Partial::Value(Field::Event) => {
                release(&mut self.line);
                self.write_head(Field::Event);
                self.line.extend_from_slice(&self.name);
            }
            Partial::Comment if lenient => {
                let kind = Kind::Comment { cut: self.cut };
                return Some(Found::new(
                    kind,
                    Place::Line(0..self.line.len()),
                    self.line_start..end,
                ));
            }
            Partial::Comment => self.line.insert(0, b':'),
            _ => {}
        }
        let (text, _) = clip(0..self.line.len(), self.options.limits.stray);
        Some(Found::new(Kind::UnterminatedLine, Place::Line(text), self.line_start..end))
    }

    /// The block that the end of the stream cuts.
    fn eof_block(&mut self, lenient: bool) -> Option<Found> {
        if !self.open || self.skipping {
            return None;
        }
        let span = self.block_start..self.offset;
        let cut_line = self.todo & todo::LINE != 0
            && matches!(self.partial, Partial::Value(Field::Data | Field::Event));
        let here = Here::at(0);
        if self.lines == 0 {
            // A name that is itself cut was told as a line.
            return (!cut_line).then(|| Found {
                name: self.name_of(&here),
                ..Found::new(Kind::UnterminatedBlock { event: None }, Place::Chunk(0..0), span)
            });
        }
        let cut = if cut_line { Cut::Line } else { Cut::Block };
        let mut found = self.event(&here, span, Some(cut));
        if !lenient {
            self.ordinal -= 1;
            found.kind = Kind::UnterminatedBlock { event: Some(cut) };
        }
        Some(found)
    }

    /// Makes ready for another stream; the last event id and the reconnection time stand.
    fn restart(&mut self) {
        self.clear_block();
        (self.offset, self.ordinal, self.bom) = (0, 0, 0);
        (self.todo, self.partial, self.ending) = (todo::BOM, Partial::Start, Ending::Line);
        self.id_pending = false;
        self.mid_event = false;
        self.sniffing = self.wants_head;
        self.head = Vec::new();
    }

    pub(super) fn set_id(&mut self, id: &[u8]) {
        self.id.clear();
        self.id.extend_from_slice(id);
    }
}

/// Appends without taking more than `limit` in advance.
#[inline]
fn append(buffer: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let needed = buffer.len() + bytes.len();
    if needed > buffer.capacity() {
        let capacity = needed.max((2 * buffer.capacity()).min(limit)).max(64);
        buffer.reserve_exact(capacity - buffer.len());
    }
    buffer.extend_from_slice(bytes);
}

/// Empties a buffer, and gives memory back that one large event needed.
fn release(buffer: &mut Vec<u8>) {
    if buffer.capacity() > RETAIN {
        *buffer = Vec::new();
    }
    buffer.clear();
}

/// The first `limit` bytes of a range, and whether some are missing.
fn clip(range: Range<usize>, limit: usize) -> (Range<usize>, bool) {
    let cut = range.len() > limit;
    (range.start..range.start + range.len().min(limit), cut)
}

/// Digits only, as the standard says; a number beyond `u64` is its largest.
fn milliseconds(value: &[u8]) -> Option<u64> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(value.iter().fold(0u64, |number, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn examined<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> u64 {
        let mut framer = Framer::new(Options::default(), true);
        for mut chunk in chunks {
            while framer.next(&mut chunk).is_some() {}
        }
        while framer.next_eof(true).is_some() {}
        framer.examined
    }

    #[test]
    fn no_byte_is_looked_at_more_than_twice() {
        let mut streams = vec![
            b"data: 123\n\n".repeat(200),
            b"event: a\r\ndata: {\"x\":1}\r\ndata\r\nid: 7\r\nretry: 10\r\n\r\n".repeat(50),
            b"id\nid:x\nr\n:\n: c\ne\ndatum\nretry: x\nid:\0\n\n".repeat(50),
            [&b"data: "[..], &b"x".repeat(5000)].concat(),
            b"\r".repeat(1000),
            b"\xef\xbb\xbfdata: x\n\n".to_vec(),
        ];
        let seven: [&[u8]; 7] = [b"d", b"data:", b"\n", b"\r", b": ", b"id:\0", b"event"];
        streams.push((0..4000).flat_map(|n: usize| seven[n * n % 11 % 7]).copied().collect());
        for stream in &streams {
            for size in [1, 2, 3, 5, 64, 1460, stream.len()] {
                let count = examined(stream.chunks(size));
                assert!(
                    count <= 2 * stream.len() as u64 + 64,
                    "{count} of {} bytes in chunks of {size}",
                    stream.len()
                );
            }
        }
    }

    #[test]
    fn a_framer_is_small() {
        assert!(size_of::<Framer>() <= 448, "{}", size_of::<Framer>());
    }

    #[test]
    fn reconnection_times() {
        assert_eq!(milliseconds(b"0010"), Some(10));
        assert_eq!(milliseconds(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(milliseconds(b"18446744073709551616"), Some(u64::MAX));
        assert_eq!(milliseconds(b"99999999999999999999999"), Some(u64::MAX));
        for bad in [&b""[..], b"+5", b"5 ", b"1.5", b"0x1", "٣".as_bytes()] {
            assert_eq!(milliseconds(bad), None);
        }
    }
}
