//! Records of a blocking reader.

use core::ops::Range;
use std::io::{self, Read};
use std::vec::Vec;

use super::Decoder;
use super::framer::Next;
use super::owned::OwnedRecord;
use super::record::{Event, Record};

/// How much is read at a time, in bytes.
const BUFFER: usize = 16 << 10;

/// Decodes what a [`Read`] gives: a file, a blocking HTTP body. It reads into a buffer of its own,
/// so a `BufReader` around the source is of no use.
///
/// [`read_record`](Reader::read_record) lends its records; as an iterator it gives owned ones.
///
/// ```
/// use toolcall::sse::{Decoder, Reader, Record};
///
/// let mut reader = Reader::new(&b"data: one\n\ndata: two\n\n"[..], Decoder::new());
/// let mut data = Vec::new();
/// while let Some(record) = reader.read_record()? {
///     if let Record::Event(event) = record {
///         data.push(event.data_str().unwrap().to_owned());
///     }
/// }
/// assert_eq!(data, ["one", "two"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    decoder: Decoder,
    buffer: Vec<u8>,
    /// The part of `buffer` that is read and not decoded yet.
    from: usize,
    to: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    Ended,
    /// The source failed; what it cuts is still to be told.
    Broken,
}

impl<R: Read> Reader<R> {
    /// Reads from `source`.
    pub fn new(source: R, decoder: Decoder) -> Self {
        Reader { source, decoder, buffer: Vec::new(), from: 0, to: 0, state: State::Reading }
    }

    /// The next record; `None` after [`Record::End`].
    ///
    /// # Errors
    ///
    /// Where the source fails, once. After that come the records of a stream that broke off.
    /// [`WouldBlock`](io::ErrorKind::WouldBlock) and
    /// [`TimedOut`](io::ErrorKind::TimedOut) are no failure: nothing is lost, call again.
    pub fn read_record(&mut self) -> io::Result<Option<Record<'_>>> {
        while self.state == State::Reading {
            let chunk = self.from..self.to;
            let mut input = &self.buffer[chunk.clone()];
            let found = self.decoder.find(&mut input);
            self.from = self.to - input.len();
            if let Some(found) = found {
                return Ok(Some(self.decoder.found(found, &self.buffer[chunk])));
            }
            self.fill()?;
        }
        Ok(match self.state {
            State::Broken => self.decoder.decode_broken(),
            _ => self.decoder.decode_eof(),
        })
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.resize(BUFFER, 0);
        (self.from, self.to) = (0, 0);
        loop {
            match self.source.read(&mut self.buffer) {
                Ok(0) => self.state = State::Ended,
                Ok(len) => self.to = len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let again = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut];
                    if !again.contains(&error.kind()) {
                        self.state = State::Broken;
                    }
                    return Err(error);
                }
            }
            return Ok(());
        }
    }

    /// The decoder: for the last event id and the reconnection time.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The source, and the bytes that were read from it and not decoded yet.
    pub fn into_parts(mut self) -> (R, Vec<u8>) {
        self.buffer.truncate(self.to);
        self.buffer.drain(..self.from);
        (self.source, self.buffer)
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = io::Result<OwnedRecord>;

    fn next(&mut self) -> Option<io::Result<OwnedRecord>> {
        self.read_record().map(|record| record.map(|record| record.into_owned())).transpose()
    }
}

/// What was found, in places of the chunk: it can be kept across the end of a loop, which a record
/// that borrows from the decoder cannot.
enum Found {
    Event { name: Range<usize>, data: Range<usize> },
    Other,
}

impl Decoder {
    /// As [`decode`](Decoder::decode); [`found`](Decoder::found) makes a record of it.
    fn find(&mut self, input: &mut &[u8]) -> Option<Found> {
        match self.framer.next(input) {
            Next::Event { name, data, name_at, data_at } => Some(Found::Event {
                name: name_at..name_at + name.len(),
                data: data_at..data_at + data.len(),
            }),
            Next::Found => Some(Found::Other),
            Next::None => None,
        }
    }

    /// The record that [`find`](Decoder::find) found in `chunk`.
    fn found<'a>(&'a self, found: Found, chunk: &'a [u8]) -> Record<'a> {
        match found {
            Found::Event { name, data } => Record::Event(Event {
                name: &chunk[name],
                data: &chunk[data],
                framer: &self.framer,
            }),
            Found::Other => self.record(chunk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sse::{EndState, Options};

    /// Gives its pieces, one a read; an empty one is a failure.
    struct Pieces(Vec<&'static [u8]>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.pop() {
                None => Ok(0),
                Some(b"") => Err(io::ErrorKind::ConnectionReset.into()),
                Some(b"?") => Err(io::ErrorKind::WouldBlock.into()),
                Some(piece) => {
                    buffer[..piece.len()].copy_from_slice(piece);
                    Ok(piece.len())
                }
            }
        }
    }

    fn read(mut pieces: Vec<&'static [u8]>) -> Vec<Result<OwnedRecord, io::ErrorKind>> {
        pieces.reverse();
        let options = Options::events_only().with_end(crate::sse::EndOfStream::Lenient);
        let reader = Reader::new(Pieces(pieces), Decoder::with_options(options));
        reader.map(|record| record.map_err(|error| error.kind())).collect()
    }

    #[test]
    fn an_end_that_is_lenient() {
        let records = read(std::vec![b"data: a\n\nda", b"?", b"ta: b"]);
        assert_eq!(records.len(), 4, "{records:?}");
        assert!(matches!(&records[0], Ok(OwnedRecord::Event(event)) if event.data == b"a"));
        assert!(matches!(records[1], Err(io::ErrorKind::WouldBlock)));
        assert!(matches!(&records[2], Ok(OwnedRecord::Event(event)) if event.data == b"b"));
        assert!(matches!(&records[3], Ok(OwnedRecord::End { state: EndState::MidEvent, .. })));
    }

    #[test]
    fn a_failure_dispatches_nothing_unfinished() {
        let records = read(std::vec![b"data: a\n\ndata: b\n", b"", b"never"]);
        assert_eq!(records.len(), 4, "{records:?}");
        assert!(matches!(records[1], Err(io::ErrorKind::ConnectionReset)));
        assert!(matches!(
            &records[2],
            Ok(OwnedRecord::Unterminated { event: Some(event), .. }) if event.data == b"b"
        ));
        assert!(matches!(&records[3], Ok(OwnedRecord::End { state: EndState::Broken, .. })));
    }

    #[test]
    fn what_is_left_comes_back() {
        let mut reader = Reader::new(Pieces(std::vec![b"data: a\n\nrest"]), Decoder::new());
        assert!(matches!(reader.read_record(), Ok(Some(Record::Event(_)))));
        assert_eq!(reader.into_parts().1, b"rest");
    }
}
