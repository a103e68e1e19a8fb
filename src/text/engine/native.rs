//! `call:NAME{key:value,…}` with strings between marks of the model's own.

use super::{Context, Engine, Entry, Step};
use crate::text::ahead::{Ahead, Doubt, Look, NAME_LIMIT, next_marker};
use crate::text::brackets::Brackets;
use crate::text::piece::{Ending, Span};

/// Table of a grammar whose calls are `call:NAME{…}`.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug)]
pub struct Native {
    pub(crate) openers: &'static [&'static str],
    pub(crate) closers: &'static [&'static str],
    pub(crate) call: &'static str,
    pub(crate) quote: &'static str,
}

impl Native {
    /// Calls behind any of `openers`; `quote` stands at both ends of a string.
    pub const fn new(openers: &'static [&'static str], quote: &'static str) -> Self {
        Native { openers, closers: &[], call: "call:", quote }
    }

    /// The end markers.
    pub const fn closers(mut self, closers: &'static [&'static str]) -> Self {
        self.closers = closers;
        self
    }

    pub(crate) fn enter(&'static self, mut ahead: Ahead<'_>) -> Look<Entry> {
        ahead.any(self.openers)?;
        ahead.literal(self.call)?;
        Ok(Entry::engine(ahead.at, Engine::Native(Run { grammar: self, stage: Stage::Name })))
    }

    /// Where in a string, from `from` on, a marker that counts there may begin.
    fn marker_in_string(&self, bytes: &[u8], from: usize) -> usize {
        let markers = [self.quote];
        next_marker(bytes, from, markers.iter().chain(self.openers).chain(self.closers))
    }
}

/// The engine at work.
#[derive(Debug)]
pub(crate) struct Run {
    grammar: &'static Native,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// The name is held until its brace.
    Name,
    Arguments(Literals),
    Broken,
}

/// Where in the literals the reader is.
#[derive(Debug, Default)]
struct Literals {
    place: Place,
    brackets: Brackets,
    /// A value may begin here.
    fresh: bool,
    /// Calls that the string itself holds, opened and not ended: it may be a text about calls.
    nested: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    /// Between two of the model's own quotes.
    Quoted,
    /// In a JSON string, which models write now and then.
    Json,
    Escape,
}

impl Run {
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> usize {
        match &self.stage {
            Stage::Arguments(Literals { place: Place::Quoted, .. }) => {
                self.grammar.marker_in_string(bytes, 0)
            }
            _ => 0,
        }
    }

    pub(crate) fn step(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        match &mut self.stage {
            Stage::Name => self.name(text, context),
            Stage::Arguments(_) if text.is_empty() && context.eof => {
                end(0, Ending::Truncated, context)
            }
            Stage::Arguments(literals) => literals.step(text, self.grammar, context),
            Stage::Broken => broken(text, self.grammar, context),
        }
    }

    fn name(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let mut ahead = Ahead::new(text, 0, context.eof);
        match ahead.run(NAME_LIMIT, |byte| !matches!(byte, b'{' | b'<' | b'\n')) {
            Ok(name) if ahead.peek() == Ok(Some(b'{')) => {
                context.identity.name(name.trim());
                self.stage = Stage::Arguments(Literals::default());
                context.plan.then(Step::Take(Span::Markup, ahead.at)).then(Step::Start);
                context.planned()
            }
            Err(Doubt::More) => Step::More,
            _ => {
                context.identity.clear();
                self.stage = Stage::Broken;
                Step::Start
            }
        }
    }
}

impl Literals {
    fn step(&mut self, text: &str, grammar: &Native, context: &mut Context<'_>) -> Step {
        let bytes = text.as_bytes();
        let mark = grammar.quote.as_bytes()[0];
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.place {
                Place::Quoted => match grammar.marker_in_string(bytes, at) {
                    end if end == bytes.len() => return Step::Take(Span::Arguments, end),
                    marker => {
                        at = marker;
                        match self.mark(Ahead::new(text, at, context.eof), grammar) {
                            // What is counted is given away, so that it is not counted again.
                            Ok(Mark::Counted(end)) => return Step::Take(Span::Arguments, end),
                            Ok(Mark::Quote(end)) => {
                                at = end;
                                self.place = Place::Outside;
                            }
                            Ok(Mark::End) => return end(at, Ending::Malformed, context),
                            Err(Doubt::More) => return hold(at),
                            Err(Doubt::No) => at += 1,
                        }
                    }
                },
                Place::Json => match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                    None => return Step::Take(Span::Arguments, bytes.len()),
                    Some(hit) => {
                        at += hit + 1;
                        self.place =
                            if bytes[at - 1] == b'"' { Place::Outside } else { Place::Escape };
                    }
                },
                Place::Escape => {
                    self.place = Place::Json;
                    at += 1;
                }
                Place::Outside => {
                    if byte == mark || byte == b'<' {
                        let mut ahead = Ahead::new(text, at, context.eof);
                        match ahead.literal(grammar.quote) {
                            Ok(()) => {
                                at = ahead.at;
                                self.place = Place::Quoted;
                                self.fresh = false;
                                continue;
                            }
                            Err(Doubt::More) => return hold(at),
                            Err(Doubt::No) => {}
                        }
                        match ahead.any(grammar.closers) {
                            Ok(_) => return end(at, Ending::Malformed, context),
                            Err(Doubt::More) => return hold(at),
                            Err(Doubt::No) => {}
                        }
                    }
                    match byte {
                        b'"' if self.fresh => self.place = Place::Json,
                        b'{' | b'[' => self.brackets.open(byte),
                        b'}' | b']' => {
                            self.brackets.close(byte);
                            if self.brackets.depth == 0 {
                                return end(at + 1, Ending::Complete, context);
                            }
                        }
                        _ => {}
                    }
                    if !byte.is_ascii_whitespace() {
                        self.fresh = matches!(byte, b':' | b',' | b'[' | b'{');
                    }
                    at += 1;
                }
            }
        }
        if bytes.is_empty() { Step::More } else { Step::Take(Span::Arguments, bytes.len()) }
    }
}

/// A marker inside a string.
enum Mark {
    /// The string's end.
    Quote(usize),
    /// A call that the string holds begins or ends.
    Counted(usize),
    /// The call's own end, in front of the next call: the string was never closed.
    End,
}

impl Literals {
    fn mark(&mut self, ahead: Ahead<'_>, grammar: &Native) -> Look<Mark> {
        if let Some(end) = ahead.end_of(&[grammar.quote])? {
            self.nested = 0;
            return Ok(Mark::Quote(end));
        }
        if let Some(end) = ahead.end_of(grammar.openers)? {
            self.nested += 1;
            return Ok(Mark::Counted(end));
        }
        let mut next = ahead;
        next.any(grammar.closers)?;
        if self.nested > 0 {
            self.nested -= 1;
            return Ok(Mark::Counted(next.at));
        }
        next.space()?;
        next.any(grammar.openers)?;
        next.literal(grammar.call)?;
        Ok(Mark::End)
    }
}

fn hold(at: usize) -> Step {
    if at > 0 { Step::Take(Span::Arguments, at) } else { Step::More }
}

fn end(bytes: usize, ending: Ending, context: &mut Context<'_>) -> Step {
    context.plan.then(Step::Take(Span::Arguments, bytes));
    context.plan.then(Step::End(ending)).then(Step::Leave(None));
    context.planned()
}

/// Goes to the end marker of a call without a name.
fn broken(text: &str, grammar: &Native, context: &mut Context<'_>) -> Step {
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let mut ahead = Ahead::new(text, at, context.eof);
        match ahead.any(grammar.closers) {
            Ok(_) => return end(at, Ending::Malformed, context),
            Err(Doubt::More) => return hold(at),
            Err(Doubt::No) => {}
        }
    }
    if !text.is_empty() {
        return Step::Take(Span::Arguments, text.len());
    }
    if context.eof { end(0, Ending::Truncated, context) } else { Step::More }
}
