//! Where the bytes come from, and what is wrapped around them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, IsTerminal, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::capture::{self, Capture};
use crate::failure::Failure;

/// The body of a stream: from a file or standard input, without gzip and HTTP header around it.
pub struct Input {
    pub path: Option<PathBuf>,
    /// The status of the HTTP header, if there was one (`curl -i`).
    pub status: Option<u16>,
    body: Body,
}

enum Body {
    Bytes(Box<dyn Read>),
    Capture(Capture),
}

/// A header longer than this is none.
const HEADER: u64 = 256 * 1024;
/// Redirects, `100 Continue` and a proxy's answer each bring a header of their own.
const LAYERS: usize = 16;
/// How much is read at once where no chunks are told apart.
const CHUNK: usize = 64 * 1024;

impl Input {
    /// Opens a file; `-` or nothing is standard input.
    pub fn open(path: Option<&Path>) -> Result<Input, Failure> {
        let mut input = Input::open_as_is(path)?;
        if let Body::Bytes(source) = input.body {
            input.body = unwrap(source, &mut input.status).map_err(Failure::reading(path))?;
        }
        Ok(input)
    }

    /// The same, with what may be wrapped around the body left where it is.
    pub fn open_as_is(path: Option<&Path>) -> Result<Input, Failure> {
        if path.is_none() && io::stdin().is_terminal() {
            let advice = "name a FILE, or pipe a stream into it (curl -sN https://… | toolcall); \
                `-` reads what is typed; `toolcall --help` has examples";
            return Err(Failure::Usage(format!("nothing to read: {advice}")));
        }
        let path = path.filter(|path| *path != Path::new("-"));
        let body: io::Result<Box<dyn Read>> = match path {
            None => Ok(Box::new(io::stdin())),
            Some(path) => File::open(path).map(|file| Box::new(file) as _),
        };
        let body = Body::Bytes(body.map_err(Failure::reading(path))?);
        Ok(Input { path: path.map(Path::to_owned), status: None, body })
    }

    /// The next chunk, never empty; `None` at the end. Those of a capture are as they were recorded.
    pub fn next_chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        match &mut self.body {
            Body::Capture(capture) => capture.next_chunk(),
            Body::Bytes(source) => {
                let mut chunk = vec![0; CHUNK];
                let length = loop {
                    match source.read(&mut chunk) {
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        read => break read?,
                    }
                };
                chunk.truncate(length);
                Ok(Some(chunk).filter(|chunk| !chunk.is_empty()))
            }
        }
    }

    /// The whole body.
    pub fn read_whole(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(self.read_chunks()?.concat())
    }

    /// The whole body in its chunks.
    pub fn read_chunks(&mut self) -> Result<Vec<Vec<u8>>, Failure> {
        let chunks: io::Result<_> = std::iter::from_fn(|| self.next_chunk().transpose()).collect();
        chunks.map_err(Failure::reading(self.path.as_deref()))
    }

    /// Whether the chunks are those that were recorded.
    pub fn is_capture(&self) -> bool {
        matches!(self.body, Body::Capture(_))
    }
}

fn unwrap(mut source: Box<dyn Read>, status: &mut Option<u16>) -> io::Result<Body> {
    for _ in 0..LAYERS {
        let beginning = peek(&mut source)?;
        let mut wrapped =
            BufReader::with_capacity(CHUNK, Cursor::new(beginning.clone()).chain(source));
        if beginning == GZIP {
            source = Box::new(MultiGzDecoder::new(wrapped));
        } else if beginning == HTTP {
            *status = skip_header(&mut wrapped)?;
            source = Box::new(wrapped);
        } else if capture::BEGINNINGS.contains(&&beginning[..]) {
            return Ok(Body::Capture(Capture::new(Box::new(wrapped))));
        } else {
            return Ok(Body::Bytes(Box::new(wrapped)));
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "too many headers or layers of gzip"))
}

const GZIP: &[u8] = &[0x1f, 0x8b];
const HTTP: &[u8] = b"HTTP/";

/// The first bytes: no more than tell whether something is wrapped around the body, for a running
/// stream may be long in coming.
fn peek(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    let may_be = |beginning: &[u8]| {
        let [text, base64] = capture::BEGINNINGS;
        let magics = [GZIP, HTTP, text, base64];
        magics.iter().any(|magic| magic.starts_with(beginning) && *magic != beginning)
    };
    while may_be(&beginning) {
        let mut byte = [0];
        match source.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => beginning.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(beginning)
}

/// Reads up to the blank line; the status.
fn skip_header(source: &mut impl BufRead) -> io::Result<Option<u16>> {
    let mut header = source.take(HEADER);
    let mut status = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if header.read_until(b'\n', &mut line)? == 0 {
            let message = "the HTTP header has no end";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let text = String::from_utf8_lossy(line.trim_ascii_end());
        if text.is_empty() {
            return Ok(status);
        }
        if status.is_none() {
            status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
        }
    }
}
