//! The format as a `tokio_util` codec, both ways.

use bytes::{Buf, BytesMut};
use std::io;
use tokio_util::codec;

use super::encode::{EncodeError, Encoder, Outgoing};
use super::owned::OwnedRecord;
use super::{Decoder, Options};

/// Decodes records from, and encodes events into, a framed transport.
///
/// ```
/// use bytes::BytesMut;
/// use tokio_util::codec::{Decoder, Encoder};
/// use toolcall::sse::{Codec, Outgoing, OwnedRecord};
///
/// let (mut codec, mut bytes) = (Codec::default(), BytesMut::new());
/// codec.encode(Outgoing::data(b"one"), &mut bytes)?;
/// let Some(OwnedRecord::Event(event)) = codec.decode(&mut bytes)? else { panic!("an event") };
/// assert_eq!(event.data, b"one");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Codec {
    decoder: Decoder,
    encoder: Encoder,
}

impl Codec {
    /// A codec whose decoder works as told.
    pub fn with_options(options: Options) -> Self {
        Codec { decoder: Decoder::with_options(options), encoder: Encoder::new() }
    }

    /// The decoder: for the last event id and the reconnection time.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

impl codec::Decoder for Codec {
    type Item = OwnedRecord;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<OwnedRecord>> {
        let mut input = &bytes[..];
        let record = self.decoder.decode(&mut input).map(|record| record.into_owned());
        let taken = bytes.len() - input.len();
        bytes.advance(taken);
        Ok(record)
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<OwnedRecord>> {
        match self.decode(bytes)? {
            Some(record) => Ok(Some(record)),
            None => Ok(self.decoder.decode_eof().map(|record| record.into_owned())),
        }
    }
}

impl codec::Encoder<Outgoing<'_>> for Codec {
    type Error = io::Error;

    fn encode(&mut self, outgoing: Outgoing<'_>, bytes: &mut BytesMut) -> io::Result<()> {
        self.encoder.encode(&outgoing, bytes).map_err(io::Error::from)
    }
}

impl codec::Encoder<Outgoing<'_>> for Encoder {
    type Error = io::Error;

    fn encode(&mut self, outgoing: Outgoing<'_>, bytes: &mut BytesMut) -> io::Result<()> {
        let written: Result<(), EncodeError> = Encoder::encode(self, &outgoing, bytes);
        written.map_err(io::Error::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sse::EndState;
    use tokio_util::codec::Decoder as _;

    #[test]
    fn bytes_in_pieces_and_the_end() {
        let mut codec = Codec::with_options(Options::events_only());
        let mut bytes = BytesMut::from(&b"data: a\n\ndata: b"[..]);
        let first = codec.decode(&mut bytes).unwrap();
        assert!(matches!(first, Some(OwnedRecord::Event(event)) if event.data == b"a"));
        assert_eq!(codec.decode(&mut bytes).unwrap(), None);
        assert!(bytes.is_empty(), "the decoder holds what is unfinished");
        bytes.extend_from_slice(b"c\n\n");
        let second = codec.decode_eof(&mut bytes).unwrap();
        assert!(matches!(second, Some(OwnedRecord::Event(event)) if event.data == b"bc"));
        let end = codec.decode_eof(&mut bytes).unwrap();
        assert!(matches!(end, Some(OwnedRecord::End { state: EndState::Clean, .. })));
        assert_eq!(codec.decode_eof(&mut bytes).unwrap(), None);
    }

    #[test]
    fn an_event_that_cannot_be_sent_is_invalid_input() {
        let mut codec = Codec::default();
        let outgoing = Outgoing::data(b"").with_id(b"\n");
        let error = codec::Encoder::encode(&mut codec, outgoing, &mut BytesMut::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
