//! The fields of the current block: what is copied of them, what they may hold, how they end.

use alloc::vec::Vec;
use core::ops::Range;

use memchr::memchr;

use super::super::line::Field;
use super::super::options::{Limit, Limits};
use super::{Framer, Here, Kind, NOWHERE, RETAIN, todo};
use crate::frame::Place;

impl Framer {
    /// How long a line may be whose field's value begins at `value`, `None` if it is too much in
    /// any case; and the limit it passes beyond that. `before` is the data that is there already,
    /// with the LF that joins it.
    #[inline(always)]
    pub(super) fn room(&self, field: Field, value: usize, before: usize) -> (Option<usize>, Limit) {
        let Limits { line, data, event, id, .. } = self.options.limits;
        let (room, limit) = match field {
            Field::Data => (data.checked_sub(before), Limit::Data),
            Field::Event => (Some(event), Limit::Event),
            Field::Id => (Some(id), Limit::Id),
            Field::Retry => (Some(line), Limit::Line),
        };
        match room.map(|room| room.saturating_add(value)) {
            Some(room) if room >= line => (Some(line), Limit::Line),
            room => (room, limit),
        }
    }

    /// Drops the block: the line at `at` passed a limit. The id it had before stands.
    #[cold]
    pub(super) fn exceed(&mut self, limit: Limit, at: u64) {
        self.clear_fields();
        self.open = true;
        self.skipping = true;
        self.tell(Kind::Limit(limit), NOWHERE, self.block_start..at);
    }

    pub(super) fn has_nul(&mut self, id: &[u8]) -> bool {
        #[cfg(test)]
        {
            self.examined += id.len() as u64;
        }
        memchr(0, id).is_some()
    }

    pub(super) fn open_at(&mut self, start: u64) {
        if !self.open {
            self.open = true;
            self.block_start = start;
        }
    }

    /// Copies what of the block lies in the chunk.
    pub(super) fn spill(&mut self, chunk: &[u8], here: &mut Here) {
        if let Some(data) = here.data.take() {
            self.open_at(self.offset + here.start as u64);
            self.begin_data(self.offset + data.start as u64);
            self.append_data(&chunk[data.clone()]);
            self.segments.extend_to(self.offset + data.end as u64);
        }
        if let Some(name) = here.name.take() {
            self.open_at(self.offset + here.start as u64);
            self.name.clear();
            self.name.extend_from_slice(&chunk[name]);
            self.named = true;
        }
    }

    pub(super) fn set_pending_id(&mut self, id: &[u8]) {
        self.pending_id.clear();
        self.pending_id.extend_from_slice(id);
        self.id_pending = true;
    }

    /// Begins a copied data line whose value stands at `at`.
    #[inline(always)]
    pub(super) fn begin_data(&mut self, at: u64) {
        if self.lines == 0 {
            self.data.clear();
            self.segments.begin(at);
        } else {
            self.append_data(b"\n");
            self.segments.next(at);
        }
        self.lines += 1;
    }

    /// Adds to the last data line.
    #[inline]
    pub(super) fn append_data(&mut self, bytes: &[u8]) {
        // A block of one line cannot get longer than a line.
        let most = if self.lines > 1 { self.options.limits.data } else { self.safe_line };
        append(&mut self.data, bytes, most);
    }

    /// The blank line of a block; `end` is behind it. Whether the block gives something.
    pub(super) fn close_block(&mut self, here: &Here, end: usize) -> bool {
        self.open_at(self.offset + here.start as u64);
        let span = self.block_start..self.offset + end as u64;
        let new_id = core::mem::take(&mut self.id_pending);
        if new_id {
            core::mem::swap(&mut self.id, &mut self.pending_id);
            release(&mut self.pending_id);
        }
        if (self.lines > 0 || here.data.is_some()) && !self.skipping {
            self.tell_block(Kind::Event(None), here, span);
            self.ordinal += 1;
            // The bytes stay until the next block needs the buffers.
            (self.lines, self.named, self.open) = (0, false, false);
            if self.data.capacity().max(self.segments.capacity()) > RETAIN {
                self.todo |= todo::RELEASE;
            }
            return true;
        }
        self.clear_block();
        if new_id && self.options.id_commits {
            self.tell(Kind::IdCommit, NOWHERE, span);
            return true;
        }
        false
    }

    pub(super) fn tell_block(&mut self, kind: Kind, here: &Here, span: Range<u64>) {
        let last = &mut self.last;
        last.kind = kind;
        last.ordinal = self.ordinal;
        last.span = span;
        last.copied = here.data.is_none();
        (last.data, last.data_at) = match &here.data {
            Some(data) => (Place::Chunk(data.clone()), self.offset + data.start as u64),
            None => (Place::Data(0..self.data.len()), self.segments.first()),
        };
        last.name = match &here.name {
            Some(name) => Place::Chunk(name.clone()),
            None if self.named => Place::Name(0..self.name.len()),
            None => NOWHERE,
        };
    }

    pub(super) fn clear_block(&mut self) {
        self.clear_fields();
        self.open = false;
        self.skipping = false;
    }

    pub(super) fn clear_fields(&mut self) {
        self.lines = 0;
        self.named = false;
        release(&mut self.data);
        release(&mut self.name);
        self.segments.release(RETAIN);
    }
}

/// Appends without taking more than `limit` in advance.
#[inline]
pub(super) fn append(buffer: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let needed = buffer.len() + bytes.len();
    if needed > buffer.capacity() {
        let capacity = needed.max((2 * buffer.capacity()).min(limit)).max(64);
        buffer.reserve_exact(capacity - buffer.len());
    }
    buffer.extend_from_slice(bytes);
}

/// Empties a buffer, and gives memory back that one large event needed.
pub(super) fn release(buffer: &mut Vec<u8>) {
    if buffer.capacity() > RETAIN {
        *buffer = Vec::new();
    }
    buffer.clear();
}

/// The first `limit` bytes of a range, and whether some are missing.
pub(super) fn clip(range: Range<usize>, limit: usize) -> (Range<usize>, bool) {
    let cut = range.len() > limit;
    (range.start..range.start + range.len().min(limit), cut)
}

/// Digits only, as the standard says; a number beyond `u64` is its largest.
pub(super) fn milliseconds(value: &[u8]) -> Option<u64> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(value.iter().fold(0u64, |number, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    }))
}
