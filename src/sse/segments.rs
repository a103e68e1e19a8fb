//! Where in the stream the lines of an event's data stood.

use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::ops::Range;

/// The places of the data lines of one event, told by the gaps between them.
///
/// The lines' lengths are in the data itself, where a line feed joins them; and lines mostly stand
/// the same distance apart. So runs of equal gaps are all there is to keep, and a million empty
/// `data` lines take no more room here than two.
#[derive(Debug, Default)]
pub(super) struct Segments {
    /// Where the first line's value begins.
    first: u64,
    /// Where the last line's value ends.
    end: u64,
    /// The finished runs: gap and count, each as a base-128 number.
    runs: Vec<u8>,
    /// The unfinished run.
    gap: u64,
    count: u64,
}

impl Segments {
    /// Begins an event's first line at `start`.
    pub(super) fn begin(&mut self, start: u64) {
        self.runs.clear();
        (self.first, self.end, self.gap, self.count) = (start, start, 0, 0);
    }

    /// Begins a further line at `start`.
    pub(super) fn next(&mut self, start: u64) {
        let gap = start - self.end;
        if self.count > 0 && gap != self.gap {
            push_number(&mut self.runs, self.gap);
            push_number(&mut self.runs, self.count);
            self.count = 0;
        }
        self.gap = gap;
        self.count += 1;
        self.end = start;
    }

    /// The current line's value reaches to `end`.
    pub(super) fn extend_to(&mut self, end: u64) {
        self.end = end;
    }

    pub(super) fn first(&self) -> u64 {
        self.first
    }

    pub(super) fn capacity(&self) -> usize {
        self.runs.capacity()
    }

    /// Gives memory back that one large event needed.
    pub(super) fn release(&mut self, retain: usize) {
        if self.runs.capacity() > retain {
            self.runs = Vec::new();
        }
    }

    fn gaps(&self) -> Gaps<'_> {
        Gaps { runs: &self.runs, last: (self.gap, self.count), gap: 0, count: 0 }
    }
}

fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[derive(Debug, Clone)]
struct Gaps<'a> {
    runs: &'a [u8],
    last: (u64, u64),
    gap: u64,
    count: u64,
}

impl Iterator for Gaps<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.count == 0 {
            (self.gap, self.count) = match take_number(&mut self.runs) {
                Some(gap) => (gap, take_number(&mut self.runs)?),
                None => core::mem::take(&mut self.last),
            };
        }
        self.count = self.count.checked_sub(1)?;
        Some(self.gap)
    }
}

/// The absolute byte ranges of an event's data lines, in order; made by
/// [`Event::segments`](super::Event::segments).
///
/// The bytes of the stream in these ranges, joined by line feeds, are the event's data.
#[derive(Debug, Clone)]
pub struct SegmentIter<'a> {
    /// What is left of the data; `None` after its last line.
    data: Option<&'a [u8]>,
    start: u64,
    gaps: Option<Gaps<'a>>,
}

impl<'a> SegmentIter<'a> {
    /// One line, at `start`.
    pub(super) fn single(data: &'a [u8], start: u64) -> Self {
        SegmentIter { data: Some(data), start, gaps: None }
    }

    pub(super) fn joined(data: &'a [u8], segments: &'a Segments) -> Self {
        SegmentIter { data: Some(data), start: segments.first, gaps: Some(segments.gaps()) }
    }
}

impl Iterator for SegmentIter<'_> {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let data = self.data.take()?;
        let len = match memchr::memchr(b'\n', data) {
            Some(len) => {
                self.data = Some(&data[len + 1..]);
                len
            }
            None => data.len(),
        };
        let segment = self.start..self.start + len as u64;
        if self.data.is_some() {
            self.start = segment.end + self.gaps.as_mut()?.next()?;
        }
        Some(segment)
    }
}

impl FusedIterator for SegmentIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn segments_come_back() {
        let mut segments = Segments::default();
        let lines: [(u64, u64); 5] = [(6, 9), (16, 16), (23, 25), (500, 501), (508, 508)];
        segments.begin(lines[0].0);
        segments.extend_to(lines[0].1);
        for (start, end) in &lines[1..] {
            segments.next(*start);
            segments.extend_to(*end);
        }
        let found: Vec<_> = SegmentIter::joined(b"abc\n\nde\nf\n", &segments).collect();
        assert_eq!(found, vec![6..9, 16..16, 23..25, 500..501, 508..508]);
        assert_eq!(SegmentIter::single(b"abc", 7).collect::<Vec<_>>(), vec![7..10]);
    }

    #[test]
    fn equal_gaps_take_no_room() {
        let mut segments = Segments::default();
        segments.begin(6);
        for line in 1..1_000_000 {
            segments.next(6 + line * 5);
        }
        assert_eq!(segments.runs.capacity(), 0);
    }
}
