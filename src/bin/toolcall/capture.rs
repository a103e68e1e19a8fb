//! Captures: a recorded body whose chunks are still told apart.
//!
//! A line is a JSON object and holds one chunk, as it came from the network: `"chunk"` with its text
//! or, where it is not UTF-8 by itself (a border inside a character), `"base64"` with its bytes. On the
//! first line that key stands first, which is how a capture is recognized. Other keys, such as a time,
//! are left alone; blank lines are skipped.
//!
//! ```json
//! {"chunk": "data: {\"choices\":[{\"del", "at": 0.31}
//! {"base64": "dGEiOnt9fV19Cgo="}
//! ```

use std::io::{self, BufRead, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// How a capture begins.
pub const BEGINNINGS: [&[u8]; 2] = [b"{\"chunk\"", b"{\"base64\""];

/// A line longer than this holds no chunk.
const LINE: u64 = 64 * 1024 * 1024;

/// Reads a capture, chunk by chunk.
pub struct Capture {
    source: Box<dyn BufRead>,
    /// Lines read so far.
    lines: u64,
    line: Vec<u8>,
}

impl Capture {
    pub fn new(source: Box<dyn BufRead>) -> Self {
        Capture { source, lines: 0, line: Vec::new() }
    }

    /// The next chunk that is not empty; `None` at the end.
    pub fn next_chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            self.line.clear();
            if (&mut self.source).take(LINE).read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.lines += 1;
            if self.line.trim_ascii().is_empty() {
                continue;
            }
            let chunk = chunk(&self.line).map_err(|found| {
                let line = self.lines;
                let message = format!(
                    "expected an object with `chunk` or `base64` in line {line} of the capture, \
                     found {found}"
                );
                io::Error::new(io::ErrorKind::InvalidData, message)
            })?;
            if !chunk.is_empty() {
                return Ok(Some(chunk));
            }
        }
    }
}

/// The chunk of a line, or what stands there in its place.
fn chunk(line: &[u8]) -> Result<Vec<u8>, String> {
    let line: Value = serde_json::from_slice(line).map_err(|error| match line.last() {
        Some(b'\n') => format!("no JSON: {error}"),
        _ => format!("a line that is cut: {error}"),
    })?;
    match (&line["chunk"], &line["base64"]) {
        (Value::String(text), Value::Null) => Ok(text.as_bytes().to_vec()),
        (Value::Null, Value::String(base64)) => {
            STANDARD.decode(base64).map_err(|error| format!("base64 that is wrong: {error}"))
        }
        (Value::Null, Value::Null) => Err("neither".into()),
        (Value::String(_), Value::String(_)) => Err("both".into()),
        _ => Err("one that is no string".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(capture: &'static str) -> (Vec<Vec<u8>>, Option<String>) {
        let mut capture = Capture::new(Box::new(capture.as_bytes()));
        let mut chunks = Vec::new();
        loop {
            match capture.next_chunk() {
                Ok(Some(chunk)) => chunks.push(chunk),
                Ok(None) => return (chunks, None),
                Err(error) => return (chunks, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn chunks_are_those_of_the_lines() {
        let capture = "{\"chunk\":\"data: \\u6771\\n\",\"at\":1}\r\n\n{\"chunk\":\"\"}\n\
            {\"at\":2,\"base64\":\"5p0=\"}\n{\"base64\":\"sQ==\"}";
        let expected: [&[u8]; 3] = ["data: 東\n".as_bytes(), b"\xe6\x9d", b"\xb1"];
        assert_eq!(chunks(capture), (expected.map(<[u8]>::to_vec).to_vec(), None));
        assert_eq!(chunks(""), (vec![], None));
    }

    #[test]
    fn a_line_without_a_chunk_is_named() {
        let cases = [
            ("{\"at\":1}\n", "neither"),
            ("[]\n", "neither"),
            ("{\"chunk\":1}\n", "one that is no string"),
            ("{\"chunk\":\"a\",\"base64\":\"\"}\n", "both"),
            ("{\"base64\":\"%\"}\n", "base64 that is wrong: Invalid symbol 37, offset 0."),
            (
                "{\"chunk\":\"da",
                "a line that is cut: EOF while parsing a string at line 1 column 12",
            ),
            ("data:\n", "no JSON: expected value at line 1 column 1"),
        ];
        for (line, found) in cases {
            let capture: &'static str = format!("{{\"chunk\":\"a\"}}\n{line}").leak();
            let expected = format!(
                "expected an object with `chunk` or `base64` in line 2 of the capture, found {found}"
            );
            assert_eq!(chunks(capture), (vec![b"a".to_vec()], Some(expected)), "{line}");
        }
    }
}
