//! The bytes of a stream as they came, for who passes them on.

use alloc::vec::Vec;
use core::ops::Range;

/// Keeps the bytes of a stream until they are passed on or dropped, so that a proxy can look at
/// records and send their bytes on unchanged.
///
/// The records' spans do not tile the stream: blank lines, the byte order mark, and the LF of a last
/// CR LF belong to none. [`take_to`](RawBytes::take_to) gives what stands before a record with it.
///
/// ```
/// use toolcall::sse::{Decoder, RawBytes, Record};
///
/// let (mut decoder, mut raw) = (Decoder::new(), RawBytes::new());
/// let mut sent = Vec::new();
/// for chunk in [&b"data: a\r\n\r\nevent: secret\r\ndata: b\r\n"[..], b"\r\ndata: c\r\n\r\n"] {
///     raw.push(chunk);
///     let mut input = chunk;
///     while let Some(record) = decoder.decode(&mut input) {
///         let Record::Event(event) = record else { continue };
///         match event.event() {
///             b"secret" => raw.skip_to(event.span().end),
///             _ => sent.extend_from_slice(raw.take_to(event.span().end)),
///         }
///     }
/// }
/// assert_eq!(sent, b"data: a\r\n\r\ndata: c\r\n\r");
/// ```
#[derive(Debug, Clone, Default)]
pub struct RawBytes {
    bytes: Vec<u8>,
    /// Where in the stream `bytes` begins.
    start: u64,
    /// How many of them were taken.
    taken: usize,
}

impl RawBytes {
    /// At the start of a stream.
    pub fn new() -> Self {
        RawBytes::default()
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes.drain(..self.taken);
        self.start += self.taken as u64;
        self.taken = 0;
        self.bytes.extend_from_slice(chunk);
    }

    /// The bytes from where the last ones were taken up to `end` in the stream (or as far as they
    /// have come). They are given out once.
    pub fn take_to(&mut self, end: u64) -> &[u8] {
        let from = self.taken;
        self.taken = self.index(end).max(from);
        &self.bytes[from..self.taken]
    }

    /// Drops the bytes up to `end` in the stream.
    pub fn skip_to(&mut self, end: u64) {
        self.take_to(end);
    }

    /// The bytes of a record, if they are all there and not taken yet.
    pub fn get(&self, span: Range<u64>) -> Option<&[u8]> {
        let from = usize::try_from(span.start.checked_sub(self.start)?).ok()?;
        let to = usize::try_from(span.end.checked_sub(self.start)?).ok()?;
        (from >= self.taken).then(|| self.bytes.get(from..to))?
    }

    /// How many bytes are held.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// Whether no bytes are held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn index(&self, end: u64) -> usize {
        let index = end.saturating_sub(self.start);
        usize::try_from(index).map_or(self.bytes.len(), |index| index.min(self.bytes.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_given_out_once() {
        let mut raw = RawBytes::new();
        raw.push(b"0123");
        assert_eq!(raw.get(1..3), Some(&b"12"[..]));
        assert_eq!(raw.take_to(2), b"01");
        assert_eq!(raw.take_to(1), b"");
        assert_eq!(raw.get(1..3), None);
        raw.push(b"456");
        assert_eq!(raw.get(2..5), Some(&b"234"[..]));
        assert_eq!(raw.get(2..8), None);
        raw.skip_to(3);
        assert_eq!(raw.take_to(99), b"3456");
        assert!(raw.is_empty());
        raw.push(b"7");
        assert_eq!(raw.len(), 1);
        assert_eq!(raw.take_to(8), b"7");
    }
}
