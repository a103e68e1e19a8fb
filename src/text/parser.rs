//! The parser: text in any chunking in, pieces out.

use alloc::string::String;
use core::ops::Range;

use super::engine::Step;
use super::format::{Format, Formats};
use super::machine::Machine;
use super::options::Options;
use super::piece::Piece;

/// How much of a chunk is laid behind held bytes at a time. What decides about held bytes is near.
const JOIN: usize = 256;

/// Reads tool calls and reasoning out of a model's text, in whatever chunks it comes.
///
/// ```
/// use toolcall::text::{HERMES, Parser, Piece};
///
/// let mut parser = Parser::new(&HERMES);
/// let mut arguments = String::new();
/// for chunk in ["Sure.<tool_", "call>{\"name\": \"ping\", \"argum", "ents\": {\"n\": 1}}</tool_call>"] {
///     let mut pieces = parser.push(chunk);
///     while let Some(piece) = pieces.next() {
///         match piece {
///             Piece::Text(text) => assert_eq!(text, "Sure."),
///             Piece::CallStart { name, .. } => assert_eq!(name, "ping"),
///             Piece::Arguments(fragment) => arguments.push_str(fragment),
///             _ => {}
///         }
///     }
/// }
/// let mut rest = parser.finish();
/// while let Some(_) = rest.next() {}
/// assert_eq!(arguments, "{\"n\": 1}");
/// ```
///
/// No chunk is copied but for the few bytes that are undecided at its end, and nothing is allocated
/// once the buffers for those and for names have grown.
#[derive(Debug)]
pub struct Parser {
    machine: Machine,
    /// Bytes that came and are undecided, behind those already given out.
    held: String,
    /// Where the undecided bytes begin.
    start: usize,
}

impl Parser {
    /// A parser for a format, or for whichever of several it is:
    ///
    /// ```
    /// use toolcall::text::{AUTO, HERMES, Parser};
    ///
    /// let hermes = Parser::new(&HERMES);
    /// let any = Parser::new(AUTO);
    /// assert_eq!(any.format(), None);
    /// # drop(hermes);
    /// ```
    pub fn new(format: impl Into<Formats>) -> Self {
        Parser::with_options(format, Options::default())
    }

    /// The same, with what the caller knows besides.
    pub fn with_options(format: impl Into<Formats>, options: Options) -> Self {
        let machine = Machine::new(format.into(), options);
        Parser { machine, held: String::new(), start: 0 }
    }

    /// The format; of several none, before the first call.
    pub fn format(&self) -> Option<&'static Format> {
        self.machine.format()
    }

    /// What the caller knows besides.
    pub fn options(&self) -> &Options {
        self.machine.options()
    }

    /// Takes the next chunk. What it gives is taken out of the iterator; dropping that early loses
    /// nothing, the next one goes on.
    pub fn push<'p>(&'p mut self, chunk: &'p str) -> Pieces<'p> {
        Pieces { parser: self, chunk }
    }

    /// The text has ended: decides about everything that is held.
    pub fn finish(self) -> Finish {
        Finish { parser: self }
    }

    /// How many bytes are held back now, undecided.
    pub fn held(&self) -> usize {
        self.held.len() - self.start
    }

    /// The next piece of what is held and of `chunk`, off whose front is taken what it uses.
    #[inline]
    pub(crate) fn next<'a>(&'a mut self, chunk: &mut &'a str, eof: bool) -> Option<Piece<'a>> {
        if self.start == self.held.len() {
            if chunk.is_empty() {
                if !eof && self.machine.is_waiting() {
                    return None;
                }
            } else if let Some((span, bytes)) = self.machine.pass(chunk) {
                let (text, rest) = chunk.split_at(bytes);
                *chunk = rest;
                return Some(span.piece(text));
            }
        }
        self.decide(chunk, eof)
    }

    /// The next piece where something must be decided.
    #[inline(never)]
    fn decide<'a>(&'a mut self, chunk: &mut &'a str, eof: bool) -> Option<Piece<'a>> {
        let decided = loop {
            if self.start == self.held.len() {
                self.held.clear();
                self.start = 0;
                match self.machine.step(chunk, eof) {
                    Step::More => break self.set_aside(chunk, eof),
                    step => break Some((Place::Chunk, step)),
                }
            }
            match self.machine.step(&self.held[self.start..], eof && chunk.is_empty()) {
                Step::More if chunk.is_empty() => break None,
                Step::More => self.join(chunk),
                step => break Some((Place::Held, step)),
            }
        };
        let (place, step) = decided?;
        let span = match step {
            Step::Take(span, bytes) => {
                let text = match place {
                    Place::Chunk => {
                        let (text, rest) = chunk.split_at(bytes);
                        *chunk = rest;
                        text
                    }
                    Place::Held => {
                        let range: Range<usize> = self.start..self.start + bytes;
                        self.start = range.end;
                        &self.held[range]
                    }
                };
                return Some(span.piece(text));
            }
            step => step,
        };
        let identity = &self.machine.identity;
        Some(match span {
            Step::Start => Piece::CallStart {
                index: self.machine.call(),
                name: &identity.name,
                id: identity.has_id.then_some(identity.id.as_str()),
            },
            Step::Named => Piece::CallName(&identity.name),
            Step::Identified => Piece::CallId(&identity.id),
            Step::End(ending) => Piece::CallEnd { index: self.machine.call(), ending },
            Step::Take(..) | Step::Leave(_) | Step::Release | Step::More => return None,
        })
    }

    /// Nothing can be decided: what is left of the chunk waits for the next.
    fn set_aside(&mut self, chunk: &mut &str, eof: bool) -> Option<(Place, Step)> {
        debug_assert!(!eof || chunk.is_empty(), "the end decides about everything");
        self.held.push_str(chunk);
        *chunk = "";
        None
    }

    /// Lays the front of the chunk behind the held bytes.
    fn join(&mut self, chunk: &mut &str) {
        self.held.drain(..self.start);
        self.start = 0;
        let mut bytes = chunk.len().min(JOIN);
        while !chunk.is_char_boundary(bytes) {
            bytes -= 1;
        }
        let (front, rest) = chunk.split_at(bytes);
        self.held.push_str(front);
        *chunk = rest;
    }
}

#[derive(Clone, Copy)]
enum Place {
    Chunk,
    Held,
}

/// The pieces that a chunk gives.
///
/// No [`Iterator`]: a piece borrows from the parser, so it must be let go before the next.
///
/// An example is at [`Parser`].
#[derive(Debug)]
pub struct Pieces<'p> {
    parser: &'p mut Parser,
    chunk: &'p str,
}

impl Pieces<'_> {
    /// The next piece; `None` when the parser needs more text.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Piece<'_>> {
        // The chunk's lifetime is shortened to that of the piece, which may lie in either.
        let mut chunk: &str = self.chunk;
        let before = chunk.len();
        let whole = self.chunk;
        let piece = self.parser.next(&mut chunk, false);
        self.chunk = &whole[before - chunk.len()..];
        piece
    }
}

impl Pieces<'_> {
    /// The format; of several none, before the first call.
    pub fn format(&self) -> Option<&'static Format> {
        self.parser.format()
    }
}

impl Drop for Pieces<'_> {
    fn drop(&mut self) {
        if !self.chunk.is_empty() {
            self.parser.held.push_str(self.chunk);
        }
    }
}

/// The pieces that the end of the text decides.
///
/// An example is at [`Parser`].
#[derive(Debug)]
pub struct Finish {
    parser: Parser,
}

impl Finish {
    /// The next piece; `None` when all is given.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Piece<'_>> {
        self.parser.next(&mut "", true)
    }

    /// The format; of several none, where no call came.
    pub fn format(&self) -> Option<&'static Format> {
        self.parser.format()
    }
}
