//! Records of an asynchronous stream of chunks.

use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::Decoder;
use super::owned::OwnedRecord;

pin_project! {
    /// Decodes what a stream of byte chunks gives, the body of any HTTP client: one record is made
    /// when it is asked for, nothing is queued. Made by [`Decoder::stream`].
    ///
    /// If the source fails, its error comes once; after that come the records of a stream that broke
    /// off, and the end.
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct RecordStream<S, B> {
        #[pin]
        source: S,
        decoder: Decoder,
        // The current chunk, of which `taken` bytes are decoded.
        chunk: Option<B>,
        taken: usize,
        state: State,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    Ended,
    Broken,
    Done,
}

impl Decoder {
    /// The records of a body that comes as an asynchronous stream of chunks.
    ///
    /// ```
    /// use futures_util::StreamExt;
    /// use toolcall::sse::{Decoder, OwnedRecord};
    ///
    /// # futures_util::FutureExt::now_or_never(async {
    /// let body = futures_util::stream::iter([Ok::<_, std::io::Error>("data: o"), Ok("ne\n\n")]);
    /// let mut records = Decoder::new().stream(body);
    /// let Some(Ok(OwnedRecord::Event(event))) = records.next().await else { panic!("an event") };
    /// assert_eq!(event.data, b"one");
    /// # }).unwrap();
    /// ```
    pub fn stream<S, B, E>(self, source: S) -> RecordStream<S, B>
    where
        S: Stream<Item = Result<B, E>>,
        B: AsRef<[u8]>,
    {
        RecordStream { source, decoder: self, chunk: None, taken: 0, state: State::Reading }
    }
}

impl<S, B> RecordStream<S, B> {
    /// The decoder: for the last event id and the reconnection time.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

impl<S, B, E> Stream for RecordStream<S, B>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    type Item = Result<OwnedRecord, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        while *this.state == State::Reading {
            if let Some(chunk) = this.chunk {
                let chunk = chunk.as_ref();
                let mut input = &chunk[*this.taken..];
                let record = this.decoder.decode(&mut input).map(|record| record.into_owned());
                *this.taken = chunk.len() - input.len();
                if let Some(record) = record {
                    return Poll::Ready(Some(Ok(record)));
                }
                *this.chunk = None;
            }
            match ready!(this.source.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => (*this.chunk, *this.taken) = (Some(chunk), 0),
                Some(Err(error)) => {
                    *this.state = State::Broken;
                    return Poll::Ready(Some(Err(error)));
                }
                None => *this.state = State::Ended,
            }
        }
        let record = match *this.state {
            State::Broken => this.decoder.decode_broken(),
            State::Done => None,
            _ => this.decoder.decode_eof(),
        };
        let record = record.map(|record| record.into_owned());
        if record.is_none() {
            *this.state = State::Done;
        }
        Poll::Ready(record.map(Ok))
    }
}

impl<S, B, E> FusedStream for RecordStream<S, B>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    fn is_terminated(&self) -> bool {
        self.state == State::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sse::{EndState, Options};
    use alloc::vec::Vec;
    use futures_util::{FutureExt, StreamExt, stream};

    fn collect(items: Vec<Result<&str, u8>>) -> Vec<Result<OwnedRecord, u8>> {
        let decoder = Decoder::with_options(Options::events_only());
        let records = decoder.stream(stream::iter(items)).collect::<Vec<_>>();
        records.now_or_never().expect("all is ready")
    }

    #[test]
    fn records_and_the_end() {
        let records = collect(alloc::vec![Ok("data: a\n"), Ok(""), Ok("\ndata: b\n\n")]);
        assert_eq!(records.len(), 3, "{records:?}");
        assert!(matches!(&records[1], Ok(OwnedRecord::Event(event)) if event.data == b"b"));
        assert!(matches!(&records[2], Ok(OwnedRecord::End { state: EndState::Clean, .. })));
    }

    #[test]
    fn an_error_comes_once() {
        let records = collect(alloc::vec![Ok("data: a\n"), Err(7), Ok("\n")]);
        assert_eq!(records.len(), 3, "{records:?}");
        assert_eq!(records[0], Err(7));
        assert!(matches!(&records[1], Ok(OwnedRecord::Unterminated { event: Some(_), .. })));
        assert!(matches!(&records[2], Ok(OwnedRecord::End { state: EndState::Broken, .. })));
    }
}
