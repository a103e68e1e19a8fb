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

impl Framer {
    /// The block that begins at `pos`, if it is of the usual kind and all of it is there: an
    /// `event` field perhaps, one line of data. Changes nothing, so that it stays small and fast;
    /// all else is for [`scan`](Framer::scan).
    #[inline(always)]
    pub(super) fn whole_event<'i>(&mut self, chunk: &'i [u8], mut pos: usize) -> Whole<'i> {
        let mut here = Here::at(pos);
        loop {
            let rest = &chunk[pos..];
            let (field, value) = match usual_field(rest) {
                Some((Field::Data, _)) if here.data.is_some() => {
                    return Whole::Not { here, pos, line_end: None };
                }
                Some((field, value)) => (field, pos + value),
                None => {
                    let next = match rest {
                        [b'\n' | b'\r', ..] => behind_line_end(chunk, pos),
                        [b':', ..] if !self.options.comments => {
                            let end = self.line_end(rest).map(|len| pos + len);
                            match end.and_then(|end| behind_line_end(chunk, end)) {
                                Some(next) => {
                                    here.skip_to(next);
                                    pos = next;
                                    continue;
                                }
                                None => return Whole::Not { here, pos, line_end: Some(end) },
                            }
                        }
                        _ => None,
                    };
                    let Some(next) = next else {
                        return Whole::Not { here, pos, line_end: None };
                    };
                    if let Some(data) = here.data {
                        let name = here.name.unwrap_or(0..0);
                        let (start, end) = (here.start, pos + 1);
                        let places = Places { start, name: name.start, data: data.start, end };
                        let name = &chunk[name];
                        return Whole::Event { name, data: &chunk[data], places, next };
                    }
                    here = Here::at(next);
                    pos = next;
                    continue;
                }
            };
            #[cfg(test)]
            {
                self.examined += (value - pos) as u64;
            }
            let end = match self.value_end(&chunk[value..]) {
                Some(len) => value + len,
                None => return Whole::Not { here, pos, line_end: Some(None) },
            };
            let safe = if field == Field::Data { self.safe_line } else { self.safe_name };
            let next = behind_line_end(chunk, end).filter(|_| end - pos <= safe);
            let Some(next) = next else {
                return Whole::Not { here, pos, line_end: Some(Some(end)) };
            };
            match field {
                Field::Data => here.data = Some(value..end),
                _ => here.name = Some(value..end),
            }
            pos = next;
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
