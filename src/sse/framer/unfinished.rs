//! The line that a chunk's end cut: its bytes go straight into the buffer of its field.

use core::ops::{ControlFlow, Range};

use super::super::line::{Field, Partial, Step, usual_field};
use super::super::record::Meaningless;
use super::block::{append, clip, milliseconds, release};
use super::{Framer, Here, Kind, Next, todo};
use crate::frame::Place;

const BOM: [u8; 3] = *b"\xef\xbb\xbf";

impl Framer {
    /// The usual case of a chunk that goes on where the last one was cut: inside a data line, which
    /// passes no limit in this chunk.
    #[inline(never)]
    pub(super) fn go_on_with_data<'i>(&mut self, input: &mut &'i [u8]) -> Next<'i> {
        let chunk = *input;
        match self.line_end(chunk) {
            Some(end) => self.end_data(input, end),
            None => {
                self.append_data(chunk);
                self.take(input, chunk.len());
                Next::None
            }
        }
    }

    /// The same inside a line that is dropped, between two blocks.
    #[inline(never)]
    pub(super) fn go_on_with_nothing<'i>(&mut self, input: &mut &'i [u8]) -> Next<'i> {
        let chunk = *input;
        match self.line_end(chunk) {
            Some(end) => {
                self.todo = 0;
                let next = self.past_line_end(chunk, end);
                self.next_from(input, next)
            }
            None => {
                self.take(input, chunk.len());
                Next::None
            }
        }
    }

    /// The data line ends at `end`.
    #[inline(never)]
    pub(super) fn end_data<'i>(&mut self, input: &mut &'i [u8], end: usize) -> Next<'i> {
        let chunk = *input;
        self.append_data(&chunk[..end]);
        self.segments.extend_to(self.offset + end as u64);
        self.todo = 0;
        let mut next = self.past_line_end(chunk, end);
        if chunk.get(next) == Some(&b'\n') {
            next += 1;
            if self.close_block(&Here::at(next), next) {
                self.take(input, next);
                return Next::Found;
            }
        }
        let (found, taken) = self.scan(chunk, Here::at(next), next, None);
        self.take(input, taken);
        if found { Next::Found } else { Next::None }
    }

    /// The chunk ends at an unfinished line at `pos` (or just before a line).
    /// Whether that gives something.
    pub(super) fn suspend(&mut self, chunk: &[u8], here: &mut Here, pos: usize) -> bool {
        if here.data.is_some() || here.name.is_some() {
            self.spill(chunk, here);
        }
        if pos == chunk.len() {
            return false;
        }
        let (tail, at) = (&chunk[pos..], self.offset + pos as u64);
        self.begin_line(at);
        match usual_field(tail) {
            None if tail[0] == b':' && !self.options.comments => {
                self.partial = Partial::Skip;
                false
            }
            // The space that may follow the colon is there, or cannot come any more.
            Some((field, value)) if value < tail.len() => {
                #[cfg(test)]
                {
                    self.examined += value as u64;
                }
                self.partial = Partial::Value(field);
                self.enter_value(field, at + value as u64);
                match self.partial {
                    Partial::Skip => false,
                    _ => self.extend_value(field, &tail[value..], at + value as u64),
                }
            }
            _ => self.extend(tail, at),
        }
    }

    pub(super) fn begin_line(&mut self, at: u64) {
        self.partial = Partial::Start;
        self.line_start = at;
        self.todo |= todo::LINE;
    }

    /// Goes on where the last chunk ended: up to the first line of which nothing has come yet. A
    /// break says whether something was found before that, and how many bytes were taken.
    #[inline(never)]
    pub(super) fn resume(&mut self, chunk: &[u8]) -> ControlFlow<(bool, usize), usize> {
        self.release_delivered();
        if chunk.is_empty() {
            return ControlFlow::Break((false, 0));
        }
        let mut pos = 0;
        if self.todo & todo::BOM != 0 {
            match self.byte_order_mark(chunk) {
                Some(behind) => pos = behind,
                None => return ControlFlow::Break((false, chunk.len())),
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
        let found = self.extend(&chunk[pos..end], self.offset + pos as u64);
        if found || len.is_none() {
            return ControlFlow::Break((found, end));
        }
        let next = self.past_line_end(chunk, end);
        if self.finish_line(self.offset + end as u64) {
            return ControlFlow::Break((true, next));
        }
        ControlFlow::Continue(next)
    }

    pub(super) fn release_delivered(&mut self) {
        if self.todo & todo::RELEASE != 0 {
            self.todo &= !todo::RELEASE;
            self.clear_fields();
        }
    }

    /// Steps over a byte order mark; `None` if all of the chunk may belong to one.
    #[cold]
    pub(super) fn byte_order_mark(&mut self, chunk: &[u8]) -> Option<usize> {
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
    pub(super) fn give_back_mark(&mut self) {
        self.todo &= !todo::BOM;
        if self.bom > 0 {
            self.begin_line(0);
            let found = self.extend(&BOM[..usize::from(self.bom)], 0);
            debug_assert!(!found, "a stray line passes no limit");
        }
    }

    /// Adds bytes to the unfinished line; `at` is where they stand in the stream. Whether they pass
    /// a limit.
    pub(super) fn extend(&mut self, mut part: &[u8], mut at: u64) -> bool {
        if self.partial == Partial::Skip {
            return false;
        }
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
        match self.partial {
            Partial::Value(field) => return self.extend_value(field, part, at),
            Partial::Comment => self.append_text(part, self.options.limits.comment),
            Partial::Stray => self.append_text(part, self.options.limits.stray),
            _ => {}
        }
        false
    }

    /// Adds bytes to the unfinished line's value. Whether they pass a limit.
    #[inline(always)]
    pub(super) fn extend_value(&mut self, field: Field, part: &[u8], at: u64) -> bool {
        if at + part.len() as u64 > self.line_room {
            self.partial = Partial::Skip;
            self.open_at(self.line_start);
            self.exceed(self.line_limit, self.line_start);
            return true;
        }
        match field {
            Field::Data => self.append_data(part),
            Field::Event => append(&mut self.name, part, self.options.limits.event),
            Field::Id | Field::Retry => append(&mut self.line, part, self.options.limits.line),
        }
        false
    }

    pub(super) fn append_text(&mut self, part: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.line.len());
        self.cut |= part.len() > room;
        append(&mut self.line, &part[..part.len().min(room)], limit);
    }

    /// The unfinished line turns out to be what `next` says; its value or text begins at `at`.
    pub(super) fn enter(&mut self, next: Partial, at: u64) {
        let (name, colon) = self.partial.head();
        self.partial = next;
        match next {
            Partial::Value(field) => self.enter_value(field, at),
            Partial::Comment if self.options.comments => {
                self.cut = false;
                release(&mut self.line);
            }
            Partial::Stray if self.options.strays => {
                self.cut = false;
                release(&mut self.line);
                self.append_text(name, self.options.limits.stray);
                self.append_text(colon, self.options.limits.stray);
            }
            Partial::Comment | Partial::Stray => self.partial = Partial::Skip,
            _ => {}
        }
    }

    /// The unfinished line has a value that begins at `at`.
    #[inline(always)]
    pub(super) fn enter_value(&mut self, field: Field, at: u64) {
        if self.skipping && field != Field::Retry {
            self.partial = Partial::Skip;
            return;
        }
        self.value_at = (at - self.line_start) as u8;
        match field {
            Field::Data => {
                self.open_at(self.line_start);
                self.begin_data(at);
            }
            Field::Event => {
                self.open_at(self.line_start);
                self.name.clear();
                self.named = true;
            }
            Field::Id | Field::Retry => {
                release(&mut self.line);
                self.write_head(field);
            }
        }
        let (room, limit) = self.room(field, self.value_at.into(), self.data.len());
        self.line_room = room.map_or(0, |room| self.line_start.saturating_add(room as u64));
        self.line_limit = limit;
    }

    /// Writes what stands before the value of the unfinished line.
    pub(super) fn write_head(&mut self, field: Field) {
        self.line.extend_from_slice(field.name());
        let behind = usize::from(self.value_at) - field.name().len();
        self.line.extend_from_slice(&b": "[..behind]);
    }

    /// The unfinished line ends at `end`. Whether that gives something.
    pub(super) fn finish_line(&mut self, end: u64) -> bool {
        let exceeded = self.complete_head(end);
        self.todo &= !todo::LINE;
        if exceeded {
            return true;
        }
        let span = self.line_start..end + 1;
        let value = usize::from(self.value_at);
        match self.partial {
            Partial::Value(Field::Data) => {
                self.segments.extend_to(end);
                false
            }
            Partial::Value(Field::Id) => {
                let line = core::mem::take(&mut self.line);
                let id = &line[value..];
                let has_nul = self.has_nul(id);
                if !has_nul {
                    self.open_at(self.line_start);
                    self.set_pending_id(id);
                }
                self.line = line;
                has_nul && self.stray_line(Meaningless::IdWithNul, span)
            }
            Partial::Value(Field::Retry) => match milliseconds(&self.line[value..]) {
                Some(retry) => self.set_retry(retry, span, b"", &mut Here::at(0)),
                None => self.stray_line(Meaningless::InvalidRetry, span),
            },
            Partial::Comment => {
                let text = Place::Line(0..self.line.len());
                self.tell(Kind::Comment { cut: self.cut }, text, span);
                true
            }
            Partial::Stray => self.stray_line(Meaningless::NoField, span),
            _ => false,
        }
    }

    /// What a line is that ends at `end`, before its value has begun. Whether it passes a limit.
    pub(super) fn complete_head(&mut self, end: u64) -> bool {
        match self.partial {
            Partial::Name(field, matched) if usize::from(matched) < field.name().len() => {
                self.enter(Partial::Stray, end);
            }
            Partial::Name(field, _) | Partial::Colon(field) => {
                self.enter(Partial::Value(field), end);
            }
            _ => return false,
        }
        self.extend(b"", end)
    }

    pub(super) fn stray_line(&mut self, why: Meaningless, span: Range<u64>) -> bool {
        if self.options.strays {
            let (text, cut) = clip(0..self.line.len(), self.options.limits.stray);
            let cut = cut || (self.partial == Partial::Stray && self.cut);
            self.tell(Kind::Stray { why, cut }, Place::Line(text), span);
        }
        self.options.strays
    }
}
