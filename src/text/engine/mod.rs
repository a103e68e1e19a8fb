//! The engines: each reads one kind of grammar, from the opener of a call to its end.
//!
//! ```text
//!            opener proved                    call ended
//!  text ────────enter──────▶ Engine::step ───────Leave───────▶ gap ─▶ text
//!                               ▲                                │
//!                               └────────────resume──────────────┘   the next call of one block
//! ```
//!
//! An engine is given all undecided text and answers with one [`Step`]: what its first bytes are,
//! or what was learned. What one look decided about several spans waits in the [`Plan`].

pub(crate) mod channels;
pub(crate) mod header;
pub(crate) mod native;
pub(crate) mod payload;
pub(crate) mod python;
pub(crate) mod tags;
pub(crate) mod wrapped;

use alloc::string::String;

use super::ahead::{Ahead, Look};
use super::format::Grammar;
use super::options::Tools;
use super::piece::{Ending, Span};

/// One decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// The first bytes are a span, and are given away.
    Take(Span, usize),
    /// A call begins; the identity is written down.
    Start,
    /// The open call's name is written down now.
    Named,
    /// The open call's id is written down now.
    Identified,
    /// The open call ends.
    End(Ending),
    /// The engine is done; the block may go on.
    Leave(Option<Open>),
    /// What was held is text after all.
    Release,
    /// Undecided until more comes.
    More,
}

/// Decisions already taken, to be given out in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    steps: [Step; Plan::MOST],
    next: usize,
    end: usize,
}

impl Plan {
    /// Markup, start, arguments, markup, name, end, leave: no look decides more.
    const MOST: usize = 8;

    pub(crate) fn new() -> Self {
        Plan { steps: [Step::More; Plan::MOST], next: 0, end: 0 }
    }

    /// Adds a step; a span of no bytes is none.
    pub(crate) fn then(&mut self, step: Step) -> &mut Self {
        if !matches!(step, Step::Take(_, 0)) {
            self.steps[self.end] = step;
            self.end += 1;
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next == self.end
    }

    pub(crate) fn next(&mut self) -> Option<Step> {
        if self.next == self.end {
            return None;
        }
        let step = self.steps[self.next];
        self.next += 1;
        if self.next == self.end {
            (self.next, self.end) = (0, 0);
        }
        Some(step)
    }
}

/// Who the open call is, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Identity {
    pub name: String,
    pub id: String,
    pub has_id: bool,
}

impl Identity {
    pub(crate) fn clear(&mut self) {
        self.name.clear();
        self.id.clear();
        self.has_id = false;
    }

    pub(crate) fn name(&mut self, name: &str) {
        self.clear();
        self.name.push_str(name);
    }

    pub(crate) fn id(&mut self, id: &str) {
        self.id.clear();
        self.id.push_str(id);
        self.has_id = !id.is_empty();
    }
}

/// What an engine works with besides the text.
#[derive(Debug)]
pub(crate) struct Context<'c> {
    /// Nothing follows the text at hand.
    pub eof: bool,
    pub tools: Tools<'c>,
    pub turn_ends: &'static [&'static str],
    pub identity: &'c mut Identity,
    pub plan: &'c mut Plan,
}

impl Context<'_> {
    /// Gives out what was planned.
    pub(crate) fn planned(&mut self) -> Step {
        self.plan.next().unwrap_or(Step::More)
    }
}

/// A proved opener.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Bytes of markup in front.
    pub markup: usize,
    /// The call's identity is written down: it starts behind the markup.
    pub start: bool,
    pub next: Next,
}

/// Where an [`Entry`] leads.
#[derive(Debug)]
pub(crate) enum Next {
    Engine(Engine),
    /// Between the calls of a block.
    Gap(Option<Open>),
}

impl Entry {
    pub(crate) fn engine(markup: usize, engine: Engine) -> Self {
        Entry { markup, start: false, next: Next::Engine(engine) }
    }

    pub(crate) fn start(markup: usize, engine: Engine) -> Self {
        Entry { markup, start: true, next: Next::Engine(engine) }
    }

    pub(crate) fn gap(markup: usize, open: Option<Open>) -> Self {
        Entry { markup, start: false, next: Next::Gap(open) }
    }
}

/// A block that may hold further calls.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Open {
    Wrapped(wrapped::Block),
    Header(&'static header::Header),
    Tags(&'static tags::Tags),
    Python(python::Block),
}

// Grammar tables are compared by place: each is a row of its own.
impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Open::Wrapped(a), Open::Wrapped(b)) => a == b,
            (Open::Header(a), Open::Header(b)) => core::ptr::eq(*a, *b),
            (Open::Tags(a), Open::Tags(b)) => core::ptr::eq(*a, *b),
            (Open::Python(a), Open::Python(b)) => a == b,
            _ => false,
        }
    }
}

impl Open {
    /// What goes on at a place between the calls, white space passed.
    pub(crate) fn resume(
        &self,
        ahead: Ahead<'_>,
        tools: Tools<'_>,
        identity: &mut Identity,
    ) -> Look<Entry> {
        match self {
            Open::Wrapped(block) => block.resume(ahead),
            Open::Header(grammar) => grammar.resume(ahead),
            Open::Tags(grammar) => grammar.resume(ahead, identity),
            Open::Python(block) => block.resume(ahead, tools),
        }
    }
}

impl Grammar {
    /// Proves an opener that may stand at the cursor.
    pub(crate) fn enter(
        &'static self,
        ahead: Ahead<'_>,
        tools: Tools<'_>,
        line_start: bool,
        identity: &mut Identity,
    ) -> Look<Entry> {
        match self {
            Grammar::Wrapped(grammar) => grammar.enter(ahead),
            Grammar::Header(grammar) => grammar.enter(ahead, identity),
            Grammar::Tags(grammar) => grammar.enter(ahead, tools, line_start, identity),
            Grammar::Python(grammar) => grammar.enter(ahead),
            Grammar::Native(grammar) => grammar.enter(ahead),
            Grammar::Channels(grammar) => grammar.enter(ahead),
        }
    }

    /// Proves a call without an opener, where the message may begin with one.
    pub(crate) fn enter_bare(&'static self, ahead: Ahead<'_>, tools: Tools<'_>) -> Look<Entry> {
        match self {
            Grammar::Wrapped(grammar) => grammar.enter_bare(ahead),
            Grammar::Python(grammar) => grammar.enter_bare(ahead, tools),
            Grammar::Channels(grammar) => grammar.enter_bare(ahead),
            _ => Err(super::ahead::Doubt::No),
        }
    }
}

/// An engine at work on a call.
#[derive(Debug)]
pub(crate) enum Engine {
    Wrapped(wrapped::Run),
    Header(header::Run),
    Tags(tags::Run),
    Python(python::Run),
    Native(native::Run),
    Channels(channels::Run),
}

impl Engine {
    /// How many bytes at the start plainly go on what is going on, and what they are.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> Option<(Span, usize)> {
        match self {
            Engine::Wrapped(run) => Some((Span::Arguments, run.pass(bytes))),
            Engine::Header(run) => Some((Span::Arguments, run.pass(bytes))),
            Engine::Tags(run) => Some((Span::Arguments, run.pass(bytes))),
            Engine::Python(run) => Some((Span::Arguments, run.pass(bytes))),
            Engine::Native(run) => Some((Span::Arguments, run.pass(bytes))),
            Engine::Channels(run) => run.pass(bytes),
        }
    }

    pub(crate) fn step(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        match self {
            Engine::Wrapped(run) => run.step(text, context),
            Engine::Header(run) => run.step(text, context),
            Engine::Tags(run) => run.step(text, context),
            Engine::Python(run) => run.step(text, context),
            Engine::Native(run) => run.step(text, context),
            Engine::Channels(run) => run.step(text, context),
        }
    }
}
