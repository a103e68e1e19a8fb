//! The end of the stream: what it cuts, strict and lenient, and the start of another stream.

use alloc::vec::Vec;

use super::super::line::{Field, Partial};
use super::super::record::Cut;
use super::block::{clip, release};
use super::{Framer, Here, Kind, NOWHERE, todo};
use crate::frame::Place;

/// What remains to be told at the end of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Line,
    Block,
    End,
    Done,
}

impl Framer {
    /// What the end of the stream decides, one thing at a call, told in `last`; at last
    /// [`Kind::End`], then `false`. `lenient`: an event it cuts is an event.
    pub(in crate::sse) fn next_eof(&mut self, lenient: bool) -> bool {
        self.release_delivered();
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
                    self.tell(Kind::End, NOWHERE, self.offset..self.offset);
                    true
                }
                Ending::Done => return false,
            };
            if found {
                return true;
            }
        }
    }

    /// The line that the end of the stream cuts, unless it is part of an event.
    pub(super) fn eof_line(&mut self, lenient: bool) -> bool {
        if self.todo & todo::BOM != 0 {
            self.give_back_mark();
        }
        self.mid_event |= self.open || self.todo & todo::LINE != 0;
        if self.todo & todo::LINE == 0 {
            return false;
        }
        let end = self.offset;
        if self.complete_head(end) {
            return true;
        }
        let has_event = self.lines > 0;
        let mut kind = Kind::UnterminatedLine;
        match self.partial {
            Partial::Value(Field::Data) | Partial::Skip => return false,
            Partial::Value(Field::Event | Field::Id) if has_event => return false,
            Partial::Value(Field::Event) => {
                release(&mut self.line);
                self.write_head(Field::Event);
                self.line.extend_from_slice(&self.name);
            }
            Partial::Comment if lenient => kind = Kind::Comment { cut: self.cut },
            Partial::Comment => self.line.insert(0, b':'),
            _ => {}
        }
        let text = match kind {
            Kind::UnterminatedLine => clip(0..self.line.len(), self.options.limits.stray).0,
            _ => 0..self.line.len(),
        };
        self.tell(kind, Place::Line(text), self.line_start..end);
        true
    }

    /// The block that the end of the stream cuts.
    pub(super) fn eof_block(&mut self, lenient: bool) -> bool {
        if !self.open || self.skipping {
            return false;
        }
        let cut_line = self.todo & todo::LINE != 0
            && matches!(self.partial, Partial::Value(Field::Data | Field::Event));
        if self.lines == 0 && cut_line {
            // Its name is itself cut and was told as a line.
            return false;
        }
        let cut = if cut_line { Cut::Line } else { Cut::Block };
        let event = (self.lines > 0).then_some(cut);
        let dispatched = lenient && event.is_some();
        let kind = if dispatched { Kind::Event(event) } else { Kind::UnterminatedBlock { event } };
        self.tell_block(kind, &Here::at(0), self.block_start..self.offset);
        self.ordinal += u64::from(dispatched);
        true
    }

    /// Makes ready for another stream; the last event id and the reconnection time stand.
    pub(super) fn restart(&mut self) {
        self.clear_block();
        (self.offset, self.ordinal, self.bom) = (0, 0, 0);
        (self.todo, self.partial, self.ending) = (todo::BOM, Partial::Start, Ending::Line);
        self.id_pending = false;
        self.mid_event = false;
        self.sniffing = self.wants_head;
        self.head = Vec::new();
    }
}
