//! Where the bytes come from, and what is wrapped around them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::failure::Failure;

/// The body of a stream: from a file or standard input, without gzip and HTTP header around it.
pub struct Input {
    pub path: Option<PathBuf>,
    /// The status of the HTTP header, if there was one (`curl -i`).
    pub status: Option<u16>,
    body: Box<dyn Read>,
}

/// A header longer than this is none.
const HEADER: u64 = 256 * 1024;
/// Redirects, `100 Continue` and a proxy's answer each bring a header of their own.
const LAYERS: usize = 16;

impl Input {
    /// Opens a file; `-` or nothing is standard input.
    pub fn open(path: Option<&Path>) -> Result<Input, Failure> {
        let mut input = Input::open_as_is(path)?;
        let body = std::mem::replace(&mut input.body, Box::new(&[][..]));
        input.unwrap(body).map_err(Failure::reading(input.path.as_deref()))?;
        Ok(input)
    }

    /// The same, with what may be wrapped around the body left where it is.
    pub fn open_as_is(path: Option<&Path>) -> Result<Input, Failure> {
        let path = path.filter(|path| *path != Path::new("-"));
        let body: io::Result<Box<dyn Read>> = match path {
            None => Ok(Box::new(io::stdin())),
            Some(path) => File::open(path).map(|file| Box::new(file) as _),
        };
        let body = body.map_err(Failure::reading(path))?;
        Ok(Input { path: path.map(Path::to_owned), status: None, body })
    }

    /// The whole body.
    pub fn read_whole(&mut self) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        self.read_to_end(&mut body).map_err(Failure::reading(self.path.as_deref()))?;
        Ok(body)
    }

    fn unwrap(&mut self, source: Box<dyn Read>) -> io::Result<()> {
        self.body = source;
        for _ in 0..LAYERS {
            let mut body = std::mem::replace(&mut self.body, Box::new(&[][..]));
            let beginning = peek(&mut body)?;
            let wrapped =
                BufReader::with_capacity(CHUNK, Cursor::new(beginning.clone()).chain(body));
            if beginning == GZIP {
                self.body = Box::new(MultiGzDecoder::new(wrapped));
            } else if beginning == HTTP {
                let mut wrapped = wrapped;
                self.status = skip_header(&mut wrapped)?;
                self.body = Box::new(wrapped);
            } else {
                self.body = Box::new(wrapped);
                return Ok(());
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "too many headers or layers of gzip"))
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.body.read(buffer)
    }
}

const CHUNK: usize = 64 * 1024;
const GZIP: &[u8] = &[0x1f, 0x8b];
const HTTP: &[u8] = b"HTTP/";

/// The first bytes: no more than tell whether something is wrapped around the body, for a running
/// stream may be long in coming.
fn peek(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    let may_be = |beginning: &[u8]| {
        [GZIP, HTTP].iter().any(|magic| magic.starts_with(beginning) && *magic != beginning)
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
