//! A JSON object with name and arguments inside, or a list of them, between markers.
//!
//! ```text
//!  opener ─▶ Element ─ { ─▶ Object ─ } ─▶ gap ─ , or {  ─▶ Element …
//!               │             │
//!               └─ foreign ───┴─ fault ─▶ Broken ─ end marker, or the brackets balance ─▶ gap
//! ```

use super::{Context, Engine, Entry, Open, Step};
use crate::text::ahead::{Ahead, Doubt, HOLD_LIMIT, Look, space_run, unless_no};
use crate::text::object::{Object, Outcome};
use crate::text::piece::{Ending, Span};
use crate::text::value::{Enders, Extent, Value, Watch};

/// Table of a grammar whose calls are JSON objects that hold name and arguments.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug)]
pub struct Wrapped {
    pub(crate) openers: &'static [&'static str],
    pub(crate) closers: &'static [&'static str],
    /// What to look for in the arguments.
    watch: Option<Watch>,
    pub(crate) bare: bool,
    pub(crate) object: bool,
    pub(crate) list: bool,
    pub(crate) strict_list: bool,
    pub(crate) separator: Option<&'static str>,
    pub(crate) names: &'static [&'static str],
    pub(crate) arguments: &'static [&'static str],
    pub(crate) ids: &'static [&'static str],
    pub(crate) key_is_name: bool,
}

impl Wrapped {
    /// An object or a list behind any of `openers`.
    pub const fn new(openers: &'static [&'static str]) -> Self {
        Wrapped {
            openers,
            closers: &[],
            watch: Watch::of(&[], openers),
            bare: false,
            object: true,
            list: true,
            strict_list: false,
            separator: None,
            names: &["name"],
            arguments: &["arguments", "parameters"],
            ids: &["id"],
            key_is_name: false,
        }
    }

    /// The end markers. With one, several objects may follow each other before it.
    pub const fn closers(mut self, closers: &'static [&'static str]) -> Self {
        self.closers = closers;
        self.watch = Watch::of(closers, self.openers);
        self
    }

    /// The opener may lack at the start of the message, if the name is that of a known tool.
    pub const fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// Only a single object, no list.
    pub const fn only_object(mut self) -> Self {
        self.list = false;
        self
    }

    /// Only a list, no single object.
    pub const fn only_list(mut self) -> Self {
        self.object = false;
        self
    }

    /// The opener counts only if the list holds an object: for openers that are words.
    pub const fn strict_list(mut self) -> Self {
        self.strict_list = true;
        self
    }

    /// What stands between two objects that are in no list.
    pub const fn separator(mut self, separator: &'static str) -> Self {
        self.separator = Some(separator);
        self
    }

    /// The keys of the name, the arguments and the id.
    pub const fn keys(
        mut self,
        names: &'static [&'static str],
        arguments: &'static [&'static str],
        ids: &'static [&'static str],
    ) -> Self {
        self.names = names;
        self.arguments = arguments;
        self.ids = ids;
        self
    }

    /// The object has one member: its key is the tool's name, its value the arguments.
    pub const fn key_is_name(mut self) -> Self {
        self.key_is_name = true;
        self
    }

    pub(crate) fn enter(&'static self, mut ahead: Ahead<'_>) -> Look<Entry> {
        ahead.any(self.openers)?;
        ahead.space()?;
        let marked = true;
        match ahead.peek()? {
            Some(b'{') if self.object => Ok(self.object_at(ahead.at, marked)),
            Some(b'[') if self.list => {
                let start = ahead.at;
                if self.strict_list {
                    ahead.literal("[")?;
                    ahead.space()?;
                    ahead.literal("{")?;
                }
                Ok(self.list_at(start, marked))
            }
            _ => Err(Doubt::No),
        }
    }

    pub(crate) fn enter_bare(&'static self, ahead: Ahead<'_>) -> Look<Entry> {
        match ahead.peek()? {
            Some(b'{') if self.bare && self.object => Ok(self.object_at(ahead.at, false)),
            Some(b'[') if self.bare && self.list => {
                let mut ahead = ahead;
                ahead.literal("[")?;
                ahead.space()?;
                if ahead.peek()? != Some(b'{') {
                    return Err(Doubt::No);
                }
                let block = Block { grammar: self, marked: false, list: true };
                Ok(Entry::engine(0, self.run(Stage::Object(Object::new(ahead.at)), block)))
            }
            _ => Err(Doubt::No),
        }
    }

    /// An object at `at`. What stands in front of it is held with it: an object without a marker
    /// may turn out to be text.
    fn object_at(&'static self, at: usize, marked: bool) -> Entry {
        let object = Stage::Object(Object::new(if marked { 0 } else { at }));
        let markup = if marked { at } else { 0 };
        Entry::engine(markup, self.run(object, Block { grammar: self, marked, list: false }))
    }

    fn list_at(&'static self, at: usize, marked: bool) -> Entry {
        let block = Block { grammar: self, marked, list: true };
        Entry::engine(at, self.run(Stage::Element { first: true }, block))
    }

    fn run(&'static self, stage: Stage, block: Block) -> Engine {
        Engine::Wrapped(Run { block, stage })
    }
}

/// What the calls of one opener have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub grammar: &'static Wrapped,
    /// A marker stood in front: the calls count whatever their names are.
    pub marked: bool,
    /// Inside `[…]`.
    pub list: bool,
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.grammar, other.grammar)
            && (self.marked, self.list) == (other.marked, other.list)
    }
}

impl Block {
    pub(crate) fn resume(&self, mut ahead: Ahead<'_>) -> Look<Entry> {
        let Block { grammar, .. } = *self;
        if let Some(closed) = ahead.end_of(grammar.closers)? {
            return Ok(Entry::gap(closed, None));
        }
        if self.list {
            return match ahead.peek()? {
                Some(b',') => Ok(Entry::engine(
                    ahead.at + 1,
                    grammar.run(Stage::Element { first: false }, *self),
                )),
                Some(b']') => Ok(Entry::gap(
                    ahead.at + 1,
                    Some(Open::Wrapped(Block { list: false, ..*self })),
                )),
                Some(b'{') => Ok(grammar.run_object(ahead.at, *self)),
                _ => Err(Doubt::No),
            };
        }
        if let Some(separator) = grammar.separator {
            let mut after = ahead;
            after.literal(separator)?;
            after.space()?;
            return match after.peek()? {
                Some(b'{') => Ok(grammar.object_at(after.at, self.marked)),
                _ => Err(Doubt::No),
            };
        }
        if grammar.closers.is_empty() {
            return Err(Doubt::No);
        }
        let mut next = ahead;
        if unless_no(next.literal(","))?.is_some() {
            next.space()?;
        }
        if next.peek()? == Some(b'{') {
            return Ok(grammar.run_object(next.at, *self));
        }
        // A bracket too many in front of the end marker is the model's slip, not text.
        ahead.run(8, |byte| matches!(byte, b'}' | b']'))?;
        ahead.space()?;
        ahead.any(grammar.closers)?;
        Ok(Entry::gap(ahead.at, None))
    }
}

impl Wrapped {
    fn run_object(&'static self, at: usize, block: Block) -> Entry {
        Entry::engine(at, self.run(Stage::Object(Object::new(0)), block))
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
    /// In a list, in front of an element.
    Element {
        first: bool,
    },
    Object(Object),
    /// Behind a fault, in front of the end of the call.
    Broken {
        value: Value,
        span: Span,
        balanced: bool,
    },
}

impl Run {
    fn enders(&self, context: &Context<'_>) -> Enders {
        Enders {
            closers: self.block.grammar.closers,
            openers: self.block.grammar.openers,
            turn_ends: context.turn_ends,
            watch: self.block.grammar.watch,
        }
    }

    /// What is left of the block once a call has ended.
    fn leave(&self) -> Step {
        // In a list whose first element is a call the others are meant so too.
        let marked = self.block.marked || self.block.list;
        Step::Leave(Some(Open::Wrapped(Block { marked, ..self.block })))
    }

    pub(crate) fn pass(&mut self, bytes: &[u8]) -> usize {
        match &mut self.stage {
            Stage::Object(object) => object.pass(bytes, self.block.grammar.watch),
            _ => 0,
        }
    }

    pub(crate) fn step(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let enders = self.enders(context);
        match &mut self.stage {
            Stage::Element { first } => {
                let first = *first;
                self.element(text, first, context)
            }
            Stage::Object(object) => match object.step(text, &self.block, &enders, context) {
                Outcome::Step(step) => step,
                Outcome::Ended => {
                    context.plan.then(self.leave());
                    context.planned()
                }
                Outcome::Broken { span, inside } => {
                    let value = if inside { Value::broken_inside() } else { Value::broken() };
                    self.stage = Stage::Broken { value, span, balanced: false };
                    match context.plan.next() {
                        Some(step) => step,
                        None => self.step(text, context),
                    }
                }
            },
            Stage::Broken { .. } => self.broken(text, &enders, context),
        }
    }

    /// In front of an element; of the first one with the list's bracket, which belongs to the raw text
    /// where what follows it is no object.
    fn element(&mut self, text: &str, first: bool, context: &mut Context<'_>) -> Step {
        let bytes = text.as_bytes();
        let bracket = usize::from(first);
        let space = space_run(bytes.get(bracket..).unwrap_or_default());
        if space > 0 && !first {
            return Step::Take(Span::Markup, space);
        }
        let at = bracket + space;
        match bytes.get(at) {
            Some(b'{') => {
                self.stage = Stage::Object(Object::new(0));
                context.plan.then(Step::Take(Span::Markup, at));
                match context.plan.next() {
                    Some(step) => step,
                    None => self.step(text, context),
                }
            }
            Some(b']') => {
                let block = Block { list: false, ..self.block };
                context.plan.then(Step::Take(Span::Markup, at + 1));
                context.plan.then(Step::Leave(Some(Open::Wrapped(block))));
                context.planned()
            }
            None if !context.eof && at <= HOLD_LIMIT => Step::More,
            None if !first => Step::Leave(None),
            Some(_) if !first => self.leave(),
            _ => {
                context.identity.clear();
                let value = Value::broken();
                self.stage = Stage::Broken { value, span: Span::Arguments, balanced: false };
                Step::Start
            }
        }
    }

    /// Goes to the end of a broken call: an end marker, or, where the format has none, the place where
    /// the brackets balance.
    fn broken(&mut self, text: &str, enders: &Enders, context: &mut Context<'_>) -> Step {
        let marked_end = !enders.closers.is_empty();
        let leave = self.leave();
        let Stage::Broken { value, span, balanced } = &mut self.stage else {
            return Step::More;
        };
        if *balanced {
            // Behind balanced brackets only white space may come, or the balance was an accident.
            let mut ahead = Ahead::new(text, 0, context.eof);
            match ends_here(&mut ahead, enders) {
                Ok(()) => {
                    context.plan.then(Step::End(Ending::Malformed)).then(leave);
                    return context.planned();
                }
                Err(Doubt::More) => return Step::More,
                Err(Doubt::No) => *balanced = false,
            }
        }
        match value.step(text, context.eof, enders) {
            Extent::Take(bytes) => Step::Take(*span, bytes),
            Extent::Done(bytes) if !marked_end => {
                context.plan.then(Step::Take(*span, bytes));
                context.plan.then(Step::End(Ending::Malformed)).then(leave);
                context.planned()
            }
            Extent::Done(bytes) => {
                *balanced = true;
                Step::Take(*span, bytes)
            }
            Extent::Closed(bytes, ending) => {
                context.plan.then(Step::Take(*span, bytes));
                context.plan.then(Step::End(ending)).then(leave);
                context.planned()
            }
            Extent::More if context.eof => {
                context.plan.then(Step::End(Ending::Truncated)).then(Step::Leave(None));
                context.planned()
            }
            Extent::More => Step::More,
        }
    }
}

/// Whether only white space parts the cursor from an end marker or the end of everything.
fn ends_here(ahead: &mut Ahead<'_>, enders: &Enders) -> Look<()> {
    ahead.space()?;
    if ahead.peek()?.is_none() {
        return Ok(());
    }
    enders.look(ahead).map(drop)
}
