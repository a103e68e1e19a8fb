//! The state machine: bytes in any chunking to what stands in them, told as places.
//!
//! ```text
//!            a line ends                       a blank line
//!   line ───────────────────▶ block of fields ─────────────▶ Found::Event
//!    ▲  │ chunk ends             │ chunk ends                (or nothing, without data)
//!    │  ▼                        ▼
//!  Partial (unfinished.rs)     data, name, pending_id: owned (block.rs)
//! ```
//!
//! Inside one chunk a block is only looked at: its fields are ranges of the chunk ([`Here`]). What
//! a chunk's end (or a record in the middle of a block) cuts off moves into the framer's own
//! buffers, the unfinished line straight into the buffer of its field. So no byte is searched for
//! a line end twice, and no byte is copied that lies in one chunk with its event.

mod block;
mod chunk;
mod ending;
mod unfinished;

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use super::line::{Field, Partial};
use super::options::{Limit, Options};
use super::record::{Cut, Meaningless};
use super::segments::Segments;
use crate::frame::Place;
use chunk::Whole;
use ending::Ending;

/// What a buffer may keep of its capacity from one event to the next, in bytes.
const RETAIN: usize = 4 << 10;

/// How much of a stream without events is kept to say what it was, in bytes.
const HEAD: usize = 512;

/// What has to be done before a chunk can be looked at line by line, as bits of `Framer::todo`.
mod todo {
    /// The stream may begin with a byte order mark.
    pub(super) const BOM: u8 = 1;
    /// The last byte was CR; an LF right after it belongs to it.
    pub(super) const SKIP_LF: u8 = 2;
    /// A line is unfinished.
    pub(super) const LINE: u8 = 4;
    /// The buffers hold a large event that was handed out, and are to be given back.
    pub(super) const RELEASE: u8 = 8;
    /// The stream limit was passed: nothing is read any more.
    pub(super) const OVER: u8 = 16;
    /// The stream has ended: the next byte begins another one.
    pub(super) const ENDED: u8 = 32;
}

/// What one look at a chunk gives. All about it but the bytes is in [`Framer::last`].
#[derive(Debug)]
pub(super) enum Next<'i> {
    /// A whole event in the chunk, and where in the chunk its name and its data begin.
    Event { name: &'i [u8], data: &'i [u8], name_at: usize, data_at: usize },
    /// Anything else.
    Found,
    /// All of the chunk is taken.
    None,
}

/// What was found, and where it lies.
#[derive(Debug)]
pub(super) struct Found {
    pub kind: Kind,
    /// The data was copied, its segments are known.
    pub copied: bool,
    pub name: Place,
    pub data: Place,
    /// Where in the stream the first byte of the data stands.
    pub data_at: u64,
    pub ordinal: u64,
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

/// No bytes.
const NOWHERE: Place = Place::Chunk(0..0);

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

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Framer {
    pub options: Options,
    /// Where in the stream the next byte stands.
    offset: u64,
    /// Where the unfinished line begins.
    line_start: u64,
    /// How far the unfinished line may reach before it passes `line_limit`; holds if it has a
    /// value.
    line_room: u64,
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
    /// The last thing found.
    pub last: Found,
    /// How many lines of data were copied.
    lines: usize,
    /// A data line of up to so many bytes passes no limit, if it is the block's first.
    safe_line: usize,
    /// The same for an event line.
    safe_name: usize,
    /// See [`todo`].
    todo: u8,
    partial: Partial,
    line_limit: Limit,
    ending: Ending,
    /// Where the value of the unfinished line begins in it.
    value_at: u8,
    /// How many bytes of the byte order mark have come.
    bom: u8,
    /// The last whole event's data was short.
    short: bool,
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
        let safe_name = options.limits.line.min(options.limits.event);
        Framer {
            options,
            offset: 0,
            line_start: 0,
            line_room: 0,
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
            last: Found {
                kind: Kind::End,
                copied: false,
                name: NOWHERE,
                data: NOWHERE,
                data_at: 0,
                ordinal: 0,
                span: 0..0,
            },
            lines: 0,
            safe_line,
            safe_name,
            todo: todo::BOM,
            partial: Partial::Start,
            line_limit: Limit::Line,
            ending: Ending::Line,
            value_at: 0,
            bom: 0,
            short: false,
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

    /// Takes bytes off the front of `input` up to the end of the next thing found.
    #[inline(always)]
    pub(super) fn next<'i>(&mut self, input: &mut &'i [u8]) -> Next<'i> {
        let chunk = *input;
        let left = self.options.limits.stream.saturating_sub(self.offset);
        if chunk.len() as u64 > left {
            return self.next_within(left, input);
        }
        if self.todo != 0 || self.open {
            return match self.partial {
                _ if self.todo != todo::LINE => self.next_within(left, input),
                Partial::Value(Field::Data)
                    if chunk.len() as u64 <= self.line_room.saturating_sub(self.offset) =>
                {
                    self.go_on_with_data(input)
                }
                Partial::Skip if !self.open => self.go_on_with_nothing(input),
                _ => self.next_within(left, input),
            };
        }
        self.next_from(input, 0)
    }

    /// The same; nothing is held, and the block that is read begins at `pos`.
    #[inline(always)]
    fn next_from<'i>(&mut self, input: &mut &'i [u8], pos: usize) -> Next<'i> {
        match self.whole_event(input, pos) {
            Whole::Event { name, data, places, next } => {
                self.last.kind = Kind::Event(None);
                self.last.copied = false;
                self.last.data_at = self.offset + places.data as u64;
                self.last.ordinal = self.ordinal;
                self.last.span = self.offset + places.start as u64..self.offset + places.end as u64;
                self.ordinal += 1;
                self.short = data.len() < 8;
                self.take(input, next);
                Next::Event { name, data, name_at: places.name, data_at: places.data }
            }
            Whole::Not { mut here, pos, line_end: Some(None) } => {
                let chunk = *input;
                let found = self.suspend(chunk, &mut here, pos);
                self.take(input, chunk.len());
                if found { Next::Found } else { Next::None }
            }
            Whole::Not { here, pos, line_end } => {
                let line_end = line_end.flatten();
                let (found, taken) = self.scan(input, here, pos, line_end);
                self.take(input, taken);
                if found { Next::Found } else { Next::None }
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, input: &mut &[u8], taken: usize) {
        let (head, rest) = input.split_at(taken);
        self.offset += taken as u64;
        // A full head is only waited on for the first event.
        if self.sniffing && (self.head.len() < HEAD || self.ordinal > 0) {
            self.keep_head(head);
        }
        *input = rest;
    }

    /// Something is held from before this chunk, or the stream limit lies inside it (`left` bytes
    /// may still come).
    #[inline(never)]
    fn next_within<'i>(&mut self, left: u64, input: &mut &'i [u8]) -> Next<'i> {
        if self.todo & todo::ENDED != 0 && !input.is_empty() {
            self.restart();
            return self.next_within(self.options.limits.stream, input);
        }
        if self.todo & todo::OVER != 0 {
            *input = &[];
            return Next::None;
        }
        let within = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
        let (mut chunk, behind) = input.split_at(within);
        let next = match self.resume(chunk) {
            ControlFlow::Continue(pos) if self.open => {
                let (found, taken) = self.scan(chunk, Here::at(pos), pos, None);
                self.take(&mut chunk, taken);
                if found { Next::Found } else { Next::None }
            }
            ControlFlow::Continue(pos) => self.next_from(&mut chunk, pos),
            ControlFlow::Break((found, taken)) => {
                self.take(&mut chunk, taken);
                if found { Next::Found } else { Next::None }
            }
        };
        if !matches!(next, Next::None) || behind.is_empty() {
            *input = &input[within - chunk.len()..];
            return next;
        }
        *input = &[];
        self.clear_block();
        self.todo = todo::OVER;
        self.mid_event = true;
        self.tell(Kind::Limit(Limit::Stream), NOWHERE, self.offset..self.offset);
        Next::Found
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

    /// Writes down what was found, apart from its name: it has none.
    #[inline]
    fn tell(&mut self, kind: Kind, data: Place, span: Range<u64>) {
        let data_at = span.start;
        let ordinal = self.ordinal;
        self.last = Found { kind, copied: false, name: NOWHERE, data, data_at, ordinal, span };
    }

    pub(super) fn set_id(&mut self, id: &[u8]) {
        self.id.clear();
        self.id.extend_from_slice(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn examined<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> u64 {
        let mut framer = Framer::new(Options::default(), true);
        for mut chunk in chunks {
            while !matches!(framer.next(&mut chunk), Next::None) {}
        }
        while framer.next_eof(true) {}
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
        assert!(size_of::<Framer>() <= 560, "{}", size_of::<Framer>());
    }

    #[test]
    fn reconnection_times() {
        assert_eq!(block::milliseconds(b"0010"), Some(10));
        assert_eq!(block::milliseconds(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(block::milliseconds(b"18446744073709551616"), Some(u64::MAX));
        assert_eq!(block::milliseconds(b"99999999999999999999999"), Some(u64::MAX));
        for bad in [&b""[..], b"+5", b"5 ", b"1.5", b"0x1", "٣".as_bytes()] {
            assert_eq!(block::milliseconds(bad), None);
        }
    }
}
