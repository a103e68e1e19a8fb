//! Records of a body that is there chunk by chunk.

use super::Decoder;
use super::owned::OwnedRecord;

impl Decoder {
    /// The records of a body whose chunks an iterator gives, the end of the stream among them.
    ///
    /// ```
    /// use toolcall::sse::{Decoder, OwnedRecord};
    ///
    /// let body = ["data: one\n", "\ndata: two\n\n"];
    /// let data: Vec<_> = Decoder::new()
    ///     .records(body)
    ///     .filter_map(|record| match record {
    ///         OwnedRecord::Event(event) => Some(event.data),
    ///         _ => None,
    ///     })
    ///     .collect();
    /// assert_eq!(data, [b"one", b"two"]);
    /// ```
    pub fn records<I>(self, chunks: I) -> Records<I::IntoIter>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        Records { decoder: self, chunks: chunks.into_iter(), chunk: None, taken: 0 }
    }
}

/// See [`Decoder::records`].
#[derive(Debug)]
pub struct Records<I: Iterator> {
    decoder: Decoder,
    chunks: I,
    /// The current chunk, of which `taken` bytes are decoded.
    chunk: Option<I::Item>,
    taken: usize,
}

impl<I: Iterator<Item: AsRef<[u8]>>> Iterator for Records<I> {
    type Item = OwnedRecord;

    fn next(&mut self) -> Option<OwnedRecord> {
        loop {
            if let Some(chunk) = &self.chunk {
                let chunk = chunk.as_ref();
                let mut input = &chunk[self.taken..];
                let record = self.decoder.decode(&mut input).map(|record| record.into_owned());
                self.taken = chunk.len() - input.len();
                if record.is_some() {
                    return record;
                }
            }
            self.chunk = self.chunks.next();
            self.taken = 0;
            if self.chunk.is_none() {
                return self.decoder.decode_eof().map(|record| record.into_owned());
            }
        }
    }
}
