//! What lies in one chunk: a whole event at a glance, anything else line by line.

use core::ops::Range;

use super::super::line::{Field, Line, line, usual_field};
use super::super::record::Meaningless;
use super::block::{clip, milliseconds};
use super::{Framer, Here, Kind, NOWHERE, todo};
use crate::frame::{Place, line_end, short_line_end};

/// What [`Framer::whole_event`] finds.
pub(super) enum Whole<'i> {
    Event {
        name: &'i [u8],
        data: &'i [u8],
        places: Places,
        next: usize,
    },
    /// No usual event: `here` is what stands before the line at `pos`. `line_end`: where that line
    /// ends, if that is known, and if it does.
    Not {
        here: Here,
        pos: usize,
        line_end: Option<Option<usize>>,
    },
}

/// Where in the chunk an event stands.
pub(super) struct Places {
    pub(super) start: usize,
    pub(super) name: usize,
    pub(super) data: usize,
    pub(super) end: usize,
}

/// A field's line in the chunk.
struct UsualLine {
    value: Range<usize>,
    /// Where the next line begins.
    next: usize,
}

impl Framer {
    /// The block that begins at `pos`, if it is of the usual kind and all of it is there: an
    /// `event` field perhaps, then one line of data. Changes nothing, so that it stays small and
    /// fast; all else is for [`scan`](Framer::scan).
    #[inline(always)]
    pub(super) fn whole_event<'i>(&mut self, chunk: &'i [u8], pos: usize) -> Whole<'i> {
        let start = match chunk.get(pos) {
            Some(b'd' | b'e') => pos,
            _ => match self.past_nothing(chunk, pos) {
                Ok(start) => start,
                Err(pos) => return Whole::Not { here: Here::at(pos), pos, line_end: Some(None) },
            },
        };
        let mut here = Here::at(start);
        let mut at = start;
        let mut name = 0..0;
        let mut field = self.usual_field(&chunk[at..]);
        if let Some((Field::Event, value)) = field {
            let line = match self.usual_line(chunk, at, value, self.safe_name) {
                Ok(line) => line,
                Err(line_end) => return Whole::Not { here, pos: at, line_end },
            };
            (name, at) = (line.value, line.next);
            here.name = Some(name.clone());
            field = self.usual_field(&chunk[at..]);
        }
        let Some((Field::Data, value)) = field else {
            return Whole::Not { here, pos: at, line_end: None };
        };
        let line = match self.usual_line(chunk, at, value, self.safe_line) {
            Ok(line) => line,
            Err(line_end) => return Whole::Not { here, pos: at, line_end },
        };
        let next = match chunk.get(line.next) {
            Some(b'\n') => Some(line.next + 1),
            Some(b'\r') => behind_line_end(chunk, line.next),
            _ => None,
        };
        let Some(next) = next else {
            here.data = Some(line.value);
            return Whole::Not { here, pos: line.next, line_end: None };
        };
        let places = Places { start, name: name.start, data: line.value.start, end: line.next + 1 };
        Whole::Event { name: &chunk[name], data: &chunk[line.value], places, next }
    }

    /// Steps over what is nothing between two blocks: blank lines, and comments that nobody wants.
    /// `Err`: where a comment begins whose end is not there.
    #[inline]
    fn past_nothing(&mut self, chunk: &[u8], mut pos: usize) -> Result<usize, usize> {
        loop {
            let end = match chunk.get(pos) {
                Some(b'\n' | b'\r') => pos,
                Some(b':') if !self.options.comments => {
                    pos + self.line_end(&chunk[pos..]).ok_or(pos)?
                }
                _ => return Ok(pos),
            };
            match behind_line_end(chunk, end) {
                Some(next) => pos = next,
                None => return Ok(pos),
            }
        }
    }

    #[inline(always)]
    fn usual_field(&mut self, line: &[u8]) -> Option<(Field, usize)> {
        let found = usual_field(line);
        #[cfg(test)]
        {
            self.examined += found.map_or(0, |(_, value)| value) as u64;
        }
        found
    }

    /// The line at `pos`, whose value begins `value` bytes behind that, if it ends in the chunk and
    /// is no longer than `safe`; else where it ends, as far as that is known.
    #[inline(always)]
    fn usual_line(
        &mut self,
        chunk: &[u8],
        pos: usize,
        value: usize,
        safe: usize,
    ) -> Result<UsualLine, Option<Option<usize>>> {
        let value = pos + value;
        let Some(len) = self.value_end(&chunk[value..]) else { return Err(Some(None)) };
        let end = value + len;
        match behind_line_end(chunk, end) {
            Some(next) if end - pos <= safe => Ok(UsualLine { value: value..end, next }),
            _ => Err(Some(Some(end))),
        }
    }

    /// Whether something is found in a chunk, line by line, and how many bytes it takes.
    /// `line_end`: where the line at `pos` ends, if that is known.
    #[inline(never)]
    pub(super) fn scan(
        &mut self,
        chunk: &[u8],
        mut here: Here,
        mut pos: usize,
        mut line_end: Option<usize>,
    ) -> (bool, usize) {
        while let Some(&byte) = chunk.get(pos) {
            if let b'\n' | b'\r' = byte {
                let next = self.past_line_end(chunk, pos);
                if self.close_block(&here, pos + 1) {
                    return (true, next);
                }
                here = Here::at(next);
                pos = next;
                continue;
            }
            let found = match line_end.take() {
                Some(end) => Some(end),
                None => self.line_end(&chunk[pos..]).map(|len| pos + len),
            };
            let Some(end) = found else { break };
            let next = self.past_line_end(chunk, end);
            if self.line_of(chunk, &mut here, pos..end) {
                return (true, next);
            }
            if !self.open {
                here.skip_to(next);
            }
            pos = next;
        }
        (self.suspend(chunk, &mut here, pos), chunk.len())
    }

    /// How many bytes stand before the first line end.
    #[inline(always)]
    pub(super) fn line_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let found = line_end(bytes);
        #[cfg(test)]
        {
            self.examined += found.map_or(bytes.len(), |at| at + 1) as u64;
        }
        found
    }

    /// The same for what is likely to be as short as the last event's data.
    #[inline(always)]
    pub(super) fn value_end(&mut self, bytes: &[u8]) -> Option<usize> {
        if !self.short {
            return self.line_end(bytes);
        }
        let found = short_line_end(bytes);
        #[cfg(test)]
        {
            self.examined += found.map_or(bytes.len(), |at| at + 1) as u64;
        }
        found
    }

    /// Where the line begins that follows the line end at `at`.
    #[inline(always)]
    pub(super) fn past_line_end(&mut self, chunk: &[u8], at: usize) -> usize {
        behind_line_end(chunk, at).unwrap_or_else(|| {
            self.todo |= todo::SKIP_LF;
            at + 1
        })
    }

    /// A whole line in the chunk. Whether it gives something.
    pub(super) fn line_of(&mut self, chunk: &[u8], here: &mut Here, at: Range<usize>) -> bool {
        let span = self.offset + at.start as u64..self.offset + at.end as u64 + 1;
        let text = &chunk[at.clone()];
        let line = line(text);
        #[cfg(test)]
        {
            self.examined += line.examined(text.len()) as u64;
        }
        match line {
            Line::Field(Field::Data | Field::Event | Field::Id, _) if self.skipping => false,
            Line::Field(field, value) => {
                let before = match &here.data {
                    Some(data) => data.len() + 1,
                    None if self.lines > 0 => self.data.len() + 1,
                    None => 0,
                };
                let (room, limit) = self.room(field, value, before);
                if room.is_none_or(|room| text.len() > room) {
                    self.open_at(self.offset + here.start as u64);
                    self.exceed(limit, span.start);
                    return true;
                }
                let value = at.start + value..at.end;
                match field {
                    Field::Data if here.data.is_none() && self.lines == 0 => {
                        here.data = Some(value);
                    }
                    Field::Data => {
                        self.spill(chunk, here);
                        self.begin_data(self.offset + value.start as u64);
                        self.append_data(&chunk[value.clone()]);
                        self.segments.extend_to(self.offset + value.end as u64);
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
                false
            }
            Line::Comment => {
                if self.options.comments {
                    self.spill(chunk, here);
                    let (text, cut) = clip(at.start + 1..at.end, self.options.limits.comment);
                    self.tell(Kind::Comment { cut }, Place::Chunk(text), span);
                }
                self.options.comments
            }
            Line::Stray => self.stray(chunk, here, at, Meaningless::NoField),
        }
    }

    pub(super) fn set_retry(
        &mut self,
        retry: u64,
        span: Range<u64>,
        chunk: &[u8],
        here: &mut Here,
    ) -> bool {
        self.retry = Some(retry);
        if self.options.retries {
            self.spill(chunk, here);
            self.tell(Kind::Retry, NOWHERE, span);
        }
        self.options.retries
    }

    pub(super) fn stray(
        &mut self,
        chunk: &[u8],
        here: &mut Here,
        at: Range<usize>,
        why: Meaningless,
    ) -> bool {
        if self.options.strays {
            self.spill(chunk, here);
            let span = self.offset + at.start as u64..self.offset + at.end as u64 + 1;
            let (text, cut) = clip(at, self.options.limits.stray);
            self.tell(Kind::Stray { why, cut }, Place::Chunk(text), span);
        }
        self.options.strays
    }
}

/// Where the line begins that follows the line end at `at`; `None` if an LF may still come that
/// belongs to it.
#[inline(always)]
pub(super) fn behind_line_end(chunk: &[u8], at: usize) -> Option<usize> {
    if chunk[at] != b'\r' {
        return Some(at + 1);
    }
    chunk.get(at + 1).map(|&next| if next == b'\n' { at + 2 } else { at + 1 })
}
