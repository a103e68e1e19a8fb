//! Name and id in a header of their own, then the JSON arguments.
//!
//! ```text
//!  section opener ─▶ gap ─ call opener ─▶ Heading ─ separator ─▶ Payload ─ call end ─▶ gap
//! ```

use nom::IResult;
use nom::Parser as _;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::digit1;
use nom::combinator::{all_consuming, opt};

use super::payload::{Frame, Payload};
use super::{Context, Engine, Entry, Identity, Open, Step};
use crate::text::ahead::{Ahead, Doubt, Look, TAG_LIMIT, is_name_byte};
use crate::text::piece::{Ending, Span};
use crate::text::value::{Enders, Watch};

/// Table of a grammar whose calls have a header.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug)]
pub struct Header {
    /// Every marker that may stand where a call begins in text.
    pub(crate) openers: &'static [&'static str],
    /// Every end marker.
    pub(crate) closers: &'static [&'static str],
    /// What to look for in the arguments.
    watch: Option<Watch>,
    pub(crate) call: &'static str,
    pub(crate) naming: Naming,
    pub(crate) fenced: bool,
}

/// How a header names its call.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Naming {
    /// `functions.NAME:N` before the separator; the whole of it is the id.
    Qualified {
        /// Parts the header from the arguments.
        separator: &'static str,
    },
    /// `NAME` before the separator, or `TYPE` before it and `NAME` on the line behind it.
    Line {
        /// Parts the header, or its first half, from what follows.
        separator: &'static str,
    },
    /// `NAME` behind the opener, then, optional both, `id` with the id and `arguments`. The opener
    /// counts only with all of it.
    Inline {
        /// Stands before the id.
        id: &'static str,
        /// Stands before the arguments; may lack if they begin with `{`.
        arguments: &'static str,
    },
}

impl Naming {
    /// Whether the name is what proves the opener.
    pub(crate) const fn in_text(&self) -> bool {
        matches!(self, Naming::Inline { .. })
    }
}

impl Header {
    /// Calls that begin with `call`, named as `naming` says.
    pub const fn new(call: &'static str, naming: Naming) -> Self {
        Header { openers: &[], closers: &[], watch: None, call, naming, fenced: false }
    }

    /// The markers that begin a section of calls, and `call` itself where it may stand alone.
    pub const fn openers(mut self, openers: &'static [&'static str]) -> Self {
        self.openers = openers;
        self.watch = Watch::of(self.closers, openers);
        self
    }

    /// The end markers of calls and sections. Without any, a call ends with its last bracket.
    pub const fn closers(mut self, closers: &'static [&'static str]) -> Self {
        self.closers = closers;
        self.watch = Watch::of(closers, self.openers);
        self
    }

    /// The arguments stand in a Markdown code fence.
    pub const fn fenced(mut self) -> Self {
        self.fenced = true;
        self
    }

    pub(crate) fn enter(
        &'static self,
        mut ahead: Ahead<'_>,
        identity: &mut Identity,
    ) -> Look<Entry> {
        if let Naming::Inline { id, arguments } = self.naming {
            ahead.any(self.openers)?;
            return self.inline(ahead, id, arguments, identity);
        }
        let start = ahead;
        let opener = ahead.any(self.openers)?;
        if self.openers[opener] == self.call {
            return self.resume(start);
        }
        Ok(Entry::gap(ahead.at, Some(Open::Header(self))))
    }

    pub(crate) fn resume(&'static self, mut ahead: Ahead<'_>) -> Look<Entry> {
        let mut closer = ahead;
        match closer.any(self.closers) {
            Ok(_) => return Ok(Entry::gap(closer.at, Some(Open::Header(self)))),
            Err(Doubt::More) => return Err(Doubt::More),
            Err(Doubt::No) => {}
        }
        if self.naming.in_text() {
            return Err(Doubt::No);
        }
        ahead.literal(self.call)?;
        Ok(Entry::engine(ahead.at, Engine::Header(Run { grammar: self, stage: Stage::Heading })))
    }

    fn inline(
        &'static self,
        mut ahead: Ahead<'_>,
        id_marker: &str,
        arguments: &str,
        identity: &mut Identity,
    ) -> Look<Entry> {
        ahead.space()?;
        let name = ahead.name()?;
        let tight = ahead;
        ahead.space()?;
        let mut id = None;
        let mut marked = ahead;
        match marked.literal(id_marker) {
            Ok(()) => {
                id = Some(marked.until(arguments, TAG_LIMIT / 2)?.trim());
                ahead = marked;
            }
            Err(Doubt::More) => return Err(Doubt::More),
            Err(Doubt::No) => match ahead.literal(arguments) {
                Ok(()) => {}
                Err(Doubt::More) => return Err(Doubt::More),
                Err(Doubt::No) => self.bare_object(tight, ahead)?,
            },
        }
        identity.name(name);
        identity.id(id.unwrap_or_default());
        Ok(Entry::start(ahead.at, self.payload()))
    }

    /// `{` right behind the name; with white space between, only a JSON object.
    fn bare_object(&self, tight: Ahead<'_>, mut loose: Ahead<'_>) -> Look<()> {
        if tight.at == loose.at {
            let mut brace = tight;
            return brace.literal("{");
        }
        loose.literal("{")?;
        loose.space()?;
        match loose.peek()? {
            Some(b'"' | b'}') => Ok(()),
            _ => Err(Doubt::No),
        }
    }

    fn payload(&'static self) -> Engine {
        Engine::Header(Run { grammar: self, stage: Stage::Payload(Payload::new()) })
    }
}

/// The engine at work.
#[derive(Debug)]
pub(crate) struct Run {
    grammar: &'static Header,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// The header is held until it is whole.
    Heading,
    Payload(Payload),
    /// A header that is none: its text is reported as the call's.
    Broken,
}

impl Run {
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> usize {
        match &mut self.stage {
            Stage::Payload(payload) => {
                payload.pass(bytes, self.grammar.watch, self.grammar.closers.is_empty())
            }
            _ => 0,
        }
    }

    pub(crate) fn step(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let grammar = self.grammar;
        let frame = Frame {
            enders: Enders {
                closers: grammar.closers,
                openers: grammar.openers,
                turn_ends: context.turn_ends,
                watch: grammar.watch,
            },
            fenced: grammar.fenced,
            open_ended: grammar.closers.is_empty(),
        };
        let leave = Step::Leave(match grammar.naming.in_text() {
            true => None,
            false => Some(Open::Header(grammar)),
        });
        match &mut self.stage {
            Stage::Heading => self.heading(text, context),
            Stage::Payload(payload) => payload.step(text, &frame, leave, context),
            Stage::Broken => broken(text, &frame, leave, context),
        }
    }

    fn heading(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let ahead = Ahead::new(text, 0, context.eof);
        let look = match self.grammar.naming {
            Naming::Qualified { separator } => qualified(ahead, separator, context.identity),
            Naming::Line { separator } => line(ahead, separator, context.identity),
            Naming::Inline { .. } => Err(Doubt::No),
        };
        match look {
            Ok(markup) => {
                self.stage = Stage::Payload(Payload::new());
                context.plan.then(Step::Take(Span::Markup, markup)).then(Step::Start);
                context.planned()
            }
            Err(Doubt::More) => Step::More,
            Err(Doubt::No) => {
                context.identity.clear();
                self.stage = Stage::Broken;
                context.plan.then(Step::Start);
                context.planned()
            }
        }
    }
}

/// Gives everything up to the end marker as the call's text.
fn broken(text: &str, frame: &Frame, leave: Step, context: &mut Context<'_>) -> Step {
    let mut end = text.len();
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        match frame.enders.look(&mut Ahead::new(text, at, context.eof)) {
            Ok(ending) => {
                context.plan.then(Step::Take(Span::Arguments, at));
                context.plan.then(Step::End(ending)).then(leave);
                return context.planned();
            }
            Err(Doubt::More) => {
                end = at;
                break;
            }
            Err(Doubt::No) => {}
        }
    }
    if end > 0 {
        return Step::Take(Span::Arguments, end);
    }
    if !context.eof {
        return Step::More;
    }
    context.plan.then(Step::End(Ending::Truncated)).then(leave);
    context.planned()
}

/// `functions.NAME:N` and the separator.
fn qualified(mut ahead: Ahead<'_>, separator: &str, identity: &mut Identity) -> Look<usize> {
    let header = header_text(&mut ahead, separator)?;
    identity.name(qualified_name(header));
    identity.id(header);
    Ok(ahead.at)
}

/// The header's text, which holds no marker: one in it would be that of another part.
fn header_text<'a>(ahead: &mut Ahead<'a>, separator: &str) -> Look<&'a str> {
    // The look goes only to the first marker, so that a header cut off by the next one is seen as such.
    let mut other = *ahead;
    let header = other.run(TAG_LIMIT, |byte| byte != b'<')?;
    other.literal(separator)?;
    *ahead = other;
    Ok(header.trim())
}

/// The tool's name in a qualified header: without the namespace before and the counter behind it.
fn qualified_name(header: &str) -> &str {
    let name: IResult<&str, Option<&str>> = opt(tag("functions.")).parse(header);
    let name = name.map_or(header, |(name, _)| name);
    let Some((name_part, counter)) = name.rsplit_once(':') else {
        // A bare counter is an id and names nothing.
        let bare: IResult<&str, &str> = all_consuming(digit1).parse(name);
        return if bare.is_ok() { "" } else { name };
    };
    let counter: IResult<&str, &str> = all_consuming(digit1).parse(counter);
    if counter.is_ok() { name_part } else { name }
}

/// `NAME` separator, or `TYPE` separator `NAME` and the end of the line.
fn line(mut ahead: Ahead<'_>, separator: &str, identity: &mut Identity) -> Look<usize> {
    let first = header_text(&mut ahead, separator)?;
    let mut second = ahead;
    second.space()?;
    if first == "function" && second.peek()?.is_some_and(is_name_byte) {
        match second.run(TAG_LIMIT, |byte| !matches!(byte, b'\n' | b'\r' | b'`' | b'{' | b'<')) {
            Ok(name) => {
                identity.name(name.trim_end());
                return Ok(second.at);
            }
            Err(Doubt::More) => return Err(Doubt::More),
            Err(Doubt::No) => return Err(Doubt::No),
        }
    }
    let name: IResult<&str, &str> = take_while1(|c: char| c != '\n').parse(first);
    identity.name(name.map_or("", |(_, name)| name));
    Ok(ahead.at)
}
