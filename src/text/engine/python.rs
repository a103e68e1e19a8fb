//! Calls as Python writes them: `NAME(key=literal, …)`, in a list or on lines.
//!
//! ```text
//!  opener ─▶ Call ─ NAME( ─▶ Arguments ─ ) ─▶ gap ─ , or line ─▶ Call …  ─ ] or end marker ─▶ gap
//! ```

use super::{Context, Engine, Entry, Open, Step};
use crate::text::ahead::{Ahead, Doubt, Look, NAME_LIMIT, space_run};
use crate::text::brackets::Brackets;
use crate::text::options::Tools;
use crate::text::piece::{Ending, Span};

/// Table of a grammar whose calls are Python's.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug)]
pub struct Python {
    pub(crate) openers: &'static [&'static str],
    pub(crate) closers: &'static [&'static str],
    pub(crate) bare: bool,
}

impl Python {
    /// Calls behind any of `openers`, in a list or on lines of their own.
    pub const fn new(openers: &'static [&'static str]) -> Self {
        Python { openers, closers: &[], bare: false }
    }

    /// The end markers.
    pub const fn closers(mut self, closers: &'static [&'static str]) -> Self {
        self.closers = closers;
        self
    }

    /// A list may stand without an opener at the start of the message, if its first name is that of a
    /// known tool.
    pub const fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    pub(crate) fn enter(&'static self, mut ahead: Ahead<'_>) -> Look<Entry> {
        ahead.any(self.openers)?;
        ahead.space()?;
        let list = ahead.peek()? == Some(b'[');
        if list {
            ahead.literal("[")?;
            ahead.space()?;
        }
        let markup = ahead.at;
        call_name(&mut ahead)?;
        Ok(self.call_at(markup, list))
    }

    pub(crate) fn enter_bare(&'static self, mut ahead: Ahead<'_>, tools: Tools<'_>) -> Look<Entry> {
        if !self.bare {
            return Err(Doubt::No);
        }
        ahead.literal("[")?;
        ahead.space()?;
        let markup = ahead.at;
        let name = call_name(&mut ahead)?;
        if !tools.permit(name) {
            return Err(Doubt::No);
        }
        Ok(self.call_at(markup, true))
    }

    fn call_at(&'static self, markup: usize, list: bool) -> Entry {
        Block { grammar: self, list }.call_at(markup)
    }
}

/// A name and the parenthesis behind it; the cursor stands behind both.
fn call_name<'a>(ahead: &mut Ahead<'a>) -> Look<&'a str> {
    if ahead.peek()?.is_some_and(|byte| !byte.is_ascii_alphabetic() && byte != b'_') {
        return Err(Doubt::No);
    }
    let name = ahead.run(NAME_LIMIT, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
    })?;
    ahead.space()?;
    ahead.literal("(")?;
    Ok(name)
}

/// The calls behind one opener.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    grammar: &'static Python,
    list: bool,
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.grammar, other.grammar) && self.list == other.list
    }
}

impl Block {
    fn call_at(self, markup: usize) -> Entry {
        Entry::engine(markup, Engine::Python(Run { block: self, stage: Stage::Call }))
    }

    pub(crate) fn resume(&self, mut ahead: Ahead<'_>, _: Tools<'_>) -> Look<Entry> {
        let mut closer = ahead;
        match closer.any(self.grammar.closers) {
            Ok(_) => return Ok(Entry::gap(closer.at, None)),
            Err(Doubt::More) => return Err(Doubt::More),
            Err(Doubt::No) => {}
        }
        let start = ahead.at;
        match ahead.peek()? {
            Some(b',') => Ok(self.call_at(start + 1)),
            Some(b']') if self.list => Ok(Entry::gap(
                start + 1,
                (!self.grammar.closers.is_empty())
                    .then_some(Open::Python(Block { list: false, ..*self })),
            )),
            _ if !self.list && !self.grammar.closers.is_empty() => {
                call_name(&mut ahead)?;
                Ok(self.call_at(start))
            }
            _ => Err(Doubt::No),
        }
    }
}

/// The engine at work.
#[derive(Debug)]
pub(crate) struct Run {
    block: Block,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// In front of a name, which is held until its parenthesis.
    Call,
    Arguments(Literals),
}

impl Run {
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> usize {
        match &mut self.stage {
            Stage::Call => 0,
            // The parenthesis that closes the call is found there again.
            Stage::Arguments(literals) => literals.step(bytes).unwrap_or(bytes.len()),
        }
    }

    pub(crate) fn step(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let leave = Step::Leave(Some(Open::Python(self.block)));
        match &mut self.stage {
            Stage::Call => self.call(text, leave, context),
            Stage::Arguments(literals) => match literals.step(text.as_bytes()) {
                Some(end) => {
                    context.plan.then(Step::Take(Span::Arguments, end));
                    context.plan.then(Step::Take(Span::Markup, 1));
                    context.plan.then(Step::End(Ending::Complete)).then(leave);
                    context.planned()
                }
                None if !text.is_empty() => Step::Take(Span::Arguments, text.len()),
                None if context.eof => {
                    context.plan.then(Step::End(Ending::Truncated)).then(Step::Leave(None));
                    context.planned()
                }
                None => Step::More,
            },
        }
    }

    fn call(&mut self, text: &str, leave: Step, context: &mut Context<'_>) -> Step {
        let space = space_run(text.as_bytes());
        if space > 0 {
            return Step::Take(Span::Markup, space);
        }
        let mut ahead = Ahead::new(text, 0, context.eof);
        match call_name(&mut ahead) {
            Ok(name) => {
                context.identity.name(name);
                self.stage = Stage::Arguments(Literals::default());
                context.plan.then(Step::Take(Span::Markup, ahead.at)).then(Step::Start);
                context.planned()
            }
            Err(Doubt::More) => Step::More,
            Err(Doubt::No) if context.eof && is_cut_name(text) => {
                context.identity.clear();
                context.plan.then(Step::Start).then(Step::Take(Span::Arguments, text.len()));
                context.plan.then(Step::End(Ending::Truncated)).then(Step::Leave(None));
                context.planned()
            }
            Err(Doubt::No) => leave,
        }
    }
}

/// Whether the text ends in the middle of a call's name.
fn is_cut_name(text: &str) -> bool {
    let text = text.trim_end();
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

/// Follows Python literals to the parenthesis that closes the call, over any chunking.
///
/// ```text
///  Code ─ q ─▶ Quote ─ other ─▶ Text ◀─▶ Escape         q: ' or "
///                └ q ─▶ Empty ─ other ─▶ Code
///                         └ q ─▶ Long ◀─▶ LongEscape ─ q q q ─▶ Code
/// ```
#[derive(Debug, Default)]
struct Literals {
    place: Place,
    brackets: Brackets,
    /// What stands in front of the next byte of code.
    word: Word,
}

/// The letters and digits in front of a quote: they tell a string's prefix from an apostrophe.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Word {
    #[default]
    None,
    /// One or two letters that a string may begin with.
    Prefix(u8),
    Other,
}

impl Word {
    fn with(self, byte: u8) -> Word {
        let is_prefix = matches!(byte.to_ascii_lowercase(), b'r' | b'b' | b'u' | b'f');
        match self {
            _ if !byte.is_ascii_alphanumeric() && byte != b'_' => Word::None,
            Word::None if is_prefix => Word::Prefix(1),
            Word::Prefix(1) if is_prefix => Word::Prefix(2),
            _ => Word::Other,
        }
    }
}

#[derive(Debug, Default, Clone, Copy)]
enum Place {
    #[default]
    Code,
    Quote(u8),
    Empty(u8),
    Text(u8),
    Escape(u8),
    /// In a triple-quoted string, so many of its closing quotes passed.
    Long(u8, u8),
    LongEscape(u8),
}

impl Literals {
    /// Where the closing parenthesis is, if it is in `bytes`.
    fn step(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.place {
                Place::Code => {
                    match byte {
                        // Behind a word no string begins: the model forgot to escape an apostrophe, and
                        // the rest must not be taken for a string.
                        b'\'' | b'"' if self.word != Word::Other => self.place = Place::Quote(byte),
                        b'(' | b'[' | b'{' => self.brackets.open(byte),
                        b')' if !self.brackets.close(byte) => return Some(at),
                        b']' | b'}' => {
                            self.brackets.close(byte);
                        }
                        _ => {}
                    }
                    self.word = self.word.with(byte);
                }
                Place::Quote(quote) if byte == quote => self.place = Place::Empty(quote),
                Place::Quote(quote) => {
                    self.place = Place::Text(quote);
                    continue;
                }
                Place::Empty(quote) if byte == quote => self.place = Place::Long(quote, 0),
                Place::Empty(_) => {
                    self.place = Place::Code;
                    continue;
                }
                Place::Text(quote) => {
                    at += memchr::memchr2(quote, b'\\', &bytes[at..])?;
                    self.place = match bytes[at] {
                        b'\\' => Place::Escape(quote),
                        _ => Place::Code,
                    };
                }
                Place::Escape(quote) => self.place = Place::Text(quote),
                Place::Long(quote, passed) if byte == quote => {
                    self.place =
                        if passed == 2 { Place::Code } else { Place::Long(quote, passed + 1) };
                }
                Place::Long(quote, _) => {
                    let hit = memchr::memchr2(quote, b'\\', &bytes[at..]);
                    self.place = Place::Long(quote, 0);
                    at += hit?;
                    if bytes[at] == quote {
                        continue;
                    }
                    self.place = Place::LongEscape(quote);
                }
                Place::LongEscape(quote) => self.place = Place::Long(quote, 0),
            }
            at += 1;
        }
        None
    }
}
