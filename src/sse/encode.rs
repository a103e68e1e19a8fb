//! Writing an event stream.

use core::fmt;
use core::time::Duration;

use super::record::Event;

/// What to send as one block: an event, or fields without one.
///
/// ```
/// use toolcall::sse::{Encoder, Outgoing};
///
/// let mut out = Vec::new();
/// let event = Outgoing::data(b"one\ntwo").with_event(b"delta").with_id(b"7");
/// Encoder::new().encode(&event, &mut out).unwrap();
/// assert_eq!(out, b"event: delta\nid: 7\ndata: one\ndata: two\n\n");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Outgoing<'a> {
    event: Option<&'a [u8]>,
    id: Option<&'a [u8]>,
    retry: Option<Duration>,
    data: Option<&'a [u8]>,
}

impl<'a> Outgoing<'a> {
    /// An event with this data. Empty data is data; CR LF, CR and LF in it are line breaks, which
    /// a decoder gives back as LF.
    pub fn data(data: &'a [u8]) -> Self {
        Outgoing { data: Some(data), ..Outgoing::default() }
    }

    /// A block that a client does not dispatch: for an id or a reconnection time alone.
    pub fn without_data() -> Self {
        Outgoing::default()
    }

    /// Sets the event's type; empty is `message`, as if it were not set.
    pub fn with_event(mut self, event: &'a [u8]) -> Self {
        self.event = Some(event);
        self
    }

    /// Sets the last event id from here on; empty resets it.
    pub fn with_id(mut self, id: &'a [u8]) -> Self {
        self.id = Some(id);
        self
    }

    /// Sets the client's reconnection time, in whole milliseconds.
    pub fn with_retry(mut self, retry: Duration) -> Self {
        self.retry = Some(retry);
        self
    }
}

/// A received event as it is to be sent on: dispatched with the same type, data and last event id.
/// (For its bytes as they stood on the wire see [`RawBytes`](super::RawBytes).)
impl<'a> From<&Event<'a>> for Outgoing<'a> {
    fn from(event: &Event<'a>) -> Self {
        let outgoing = Outgoing::data(event.data()).with_id(event.id());
        if event.name().is_empty() { outgoing } else { outgoing.with_event(event.name()) }
    }
}

/// Writes events, comments and reconnection times into any buffer of bytes: a `Vec<u8>`, a
/// `BytesMut`…
///
/// What is written cannot be read as anything else: a name or an id that would break out of its
/// line is an error, and nothing is written then.
///
/// ```
/// use toolcall::sse::{Encoder, Outgoing};
///
/// let mut out = Vec::new();
/// Encoder::new().encode(&Outgoing::data(b"one\ntwo").with_event(b"note"), &mut out)?;
/// assert_eq!(out, b"event: note\ndata: one\ndata: two\n\n");
/// # Ok::<(), toolcall::sse::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Encoder {}

impl Encoder {
    /// An encoder.
    pub fn new() -> Self {
        Encoder {}
    }

    /// Writes a block and its blank line.
    ///
    /// # Errors
    ///
    /// Where the type or the id holds CR, LF or NUL. Nothing is written then.
    pub fn encode<B>(&mut self, outgoing: &Outgoing<'_>, out: &mut B) -> Result<(), EncodeError>
    where
        B: for<'b> Extend<&'b u8>,
    {
        let Outgoing { event, id, retry, data } = *outgoing;
        check(EncodedField::Event, event)?;
        check(EncodedField::Id, id)?;
        if let Some(event) = event.filter(|event| !event.is_empty()) {
            write_line(out, b"event: ", event);
        }
        if let Some(id) = id {
            write_line(out, b"id: ", id);
        }
        if let Some(retry) = retry {
            let millis = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
            let mut digits = [0; 20];
            write_line(out, b"retry: ", decimal(millis, &mut digits));
        }
        for line in data.into_iter().flat_map(lines) {
            write_line(out, b"data: ", line);
        }
        out.extend(b"\n");
        Ok(())
    }

    /// Writes a comment, a line for each of its lines, and a blank line. The text stands behind the
    /// colon as it is. An empty one keeps a connection alive.
    pub fn encode_comment<B>(&mut self, text: &[u8], out: &mut B)
    where
        B: for<'b> Extend<&'b u8>,
    {
        for line in lines(text) {
            write_line(out, b":", line);
        }
        out.extend(b"\n");
    }

    /// Writes a reconnection time alone.
    pub fn encode_retry<B>(&mut self, retry: Duration, out: &mut B)
    where
        B: for<'b> Extend<&'b u8>,
    {
        let outgoing = Outgoing::without_data().with_retry(retry);
        let written = self.encode(&outgoing, out);
        debug_assert!(written.is_ok(), "a number breaks out of no line");
    }
}

fn write_line<B>(out: &mut B, head: &[u8], value: &[u8])
where
    B: for<'b> Extend<&'b u8>,
{
    out.extend(head);
    out.extend(value);
    out.extend(b"\n");
}

/// The lines of a text; LF, CR LF and CR end one. A text has one line more than line ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', text) else {
            rest = None;
            return Some(text);
        };
        let (line, behind) = text.split_at(end);
        rest = behind.strip_prefix(b"\r\n").or_else(|| behind.get(1..));
        Some(line)
    })
}

fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[at..];
        }
    }
}

fn check(field: EncodedField, value: Option<&[u8]>) -> Result<(), EncodeError> {
    let value = value.unwrap_or_default();
    match memchr::memchr3(b'\n', b'\r', 0, value) {
        Some(at) => Err(EncodeError { field, byte: value[at], at }),
        None => Ok(()),
    }
}

/// A field that an [`EncodeError`] is about.
///
/// An example is at [`EncodeError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodedField {
    /// The event's type.
    Event,
    /// The event id.
    Id,
}

/// A field holds a byte that would break out of its line, or make a client ignore it.
///
/// ```
/// use toolcall::sse::{EncodedField, Encoder, Outgoing};
///
/// let sneaky = Outgoing::data(b"x").with_event(b"a\ndata: forged");
/// let error = Encoder::new().encode(&sneaky, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.field(), EncodedField::Event);
/// assert_eq!((error.byte(), error.position()), (b'\n', 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EncodeError {
    field: EncodedField,
    byte: u8,
    at: usize,
}

impl EncodeError {
    /// Which field.
    pub fn field(&self) -> EncodedField {
        self.field
    }

    /// The byte: CR, LF or NUL.
    pub fn byte(&self) -> u8 {
        self.byte
    }

    /// Where in the field it stands.
    pub fn position(&self) -> usize {
        self.at
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = match self.field {
            EncodedField::Event => "event type",
            EncodedField::Id => "event id",
        };
        let byte = match self.byte {
            b'\n' => "a line feed",
            b'\r' => "a carriage return",
            _ => "NUL",
        };
        write!(f, "{field} holds {byte} at byte {}, expected neither CR, LF nor NUL", self.at)
    }
}

impl core::error::Error for EncodeError {}

#[cfg(feature = "std")]
impl From<EncodeError> for std::io::Error {
    fn from(error: EncodeError) -> Self {
        std::io::Error::new(std::io::ErrorKind::InvalidInput, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    fn encoded(outgoing: &Outgoing<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        Encoder::new().encode(outgoing, &mut out).expect("it can be encoded");
        out
    }

    #[test]
    fn data_of_all_shapes() {
        assert_eq!(encoded(&Outgoing::data(b"")), b"data: \n\n");
        assert_eq!(encoded(&Outgoing::data(b" x")), b"data:  x\n\n");
        assert_eq!(encoded(&Outgoing::data(b"a\n\n")), b"data: a\ndata: \ndata: \n\n");
        assert_eq!(
            encoded(&Outgoing::data(b"a\r\nb\rc\n\rd")),
            b"data: a\ndata: b\ndata: c\ndata: \ndata: d\n\n"
        );
        assert_eq!(encoded(&Outgoing::data(b"a\r")), b"data: a\ndata: \n\n");
        assert_eq!(encoded(&Outgoing::without_data().with_id(b"")), b"id: \n\n");
        assert_eq!(encoded(&Outgoing::data(b"x").with_event(b"")), b"data: x\n\n");
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        for (value, byte, at) in
            [(&b"a\ndata: x"[..], b'\n', 1), (b"\r", b'\r', 0), (b"ab\0", 0, 2)]
        {
            for (outgoing, field) in [
                (Outgoing::data(b"x").with_event(value), EncodedField::Event),
                (Outgoing::data(b"x").with_id(value), EncodedField::Id),
            ] {
                let mut out = b"before".to_vec();
                let error = Encoder::new().encode(&outgoing, &mut out).unwrap_err();
                assert_eq!((error.field(), error.byte(), error.position()), (field, byte, at));
                assert_eq!(out, b"before", "nothing is written");
            }
        }
        let error = Encoder::new()
            .encode(&Outgoing::data(b"").with_id(b"1\n"), &mut Vec::new())
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "event id holds a line feed at byte 1, expected neither CR, LF nor NUL"
        );
    }

    #[test]
    fn comments_and_retries() {
        let mut out = Vec::new();
        Encoder::new().encode_comment(b"", &mut out);
        Encoder::new().encode_comment(b" a\r\ndata: b", &mut out);
        Encoder::new().encode_retry(Duration::from_micros(2500), &mut out);
        Encoder::new().encode_retry(Duration::MAX, &mut out);
        assert_eq!(
            out,
            b":\n\n: a\n:data: b\n\nretry: 2\n\nretry: 18446744073709551615\n\n".as_slice()
        );
    }
}
