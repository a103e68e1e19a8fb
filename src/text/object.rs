//! One JSON object that holds a call: its members are told apart while it arrives.
//!
//! ```text
//!  { ─▶ Key ─▶ KeyText ─▶ Colon ─▶ Before ─▶ Member ─▶ After ─ , ─▶ Key
//!                                                        └──── } ─▶ ended
//! ```
//!
//! Until the arguments begin (or the object ends) nothing is given out, because what is markup and what
//! is reported as the raw text of a broken call depends on how it goes on. From there on the call is
//! *committed* and streams.

use alloc::string::String;

use super::ahead::{HOLD_LIMIT, space_run};
use super::engine::wrapped::Block;
use super::engine::{Context, Step};
use super::piece::{Ending, Span};
use super::value::{Enders, Extent, Value, Watch};

/// What came of a step.
pub(crate) enum Outcome {
    Step(Step),
    /// The call's end is planned.
    Ended,
    /// The object is no JSON from here on. What stays undecided is of this span; `inside` it the
    /// opening bracket is given out already.
    Broken {
        span: Span,
        inside: bool,
    },
}

#[derive(Debug)]
pub(crate) struct Object {
    /// Where the `{` is. Bytes in front are held with it.
    start: usize,
    /// Bytes of the undecided text that were read already.
    at: usize,
    /// Start of the key or id that is being read.
    token: usize,
    part: Part,
    member: Member,
    value: Value,
    committed: bool,
    named: bool,
    arguments: Arguments,
    /// A key or comma stood where JSON has none, though it is clear what was meant.
    faulty: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Open,
    Key { first: bool },
    KeyText,
    Colon,
    Before,
    Member,
    After,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Name,
    Id,
    Arguments,
    Other,
}

/// How far the arguments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arguments {
    Unseen,
    /// They came before the name and are held, from here.
    Held(usize),
    /// Held, from here to there.
    HeldWhole(usize, usize),
    /// They were or are given out.
    Streamed,
}

impl Object {
    /// An object whose `{` is the byte at `start`.
    pub(crate) fn new(start: usize) -> Self {
        Object {
            start,
            at: start,
            token: 0,
            part: Part::Open,
            member: Member::Other,
            value: Value::new(),
            committed: false,
            named: false,
            arguments: Arguments::Unseen,
            faulty: false,
        }
    }

    pub(crate) fn step(
        &mut self,
        text: &str,
        block: &Block,
        enders: &Enders,
        context: &mut Context<'_>,
    ) -> Outcome {
        if self.part == Part::Member && self.streams() {
            match self.value.step(text, context.eof, enders) {
                Extent::Take(bytes) => return Outcome::Step(Step::Take(Span::Arguments, bytes)),
                Extent::Done(bytes) => {
                    self.part = Part::After;
                    if bytes > 0 {
                        return Outcome::Step(Step::Take(Span::Arguments, bytes));
                    }
                }
                Extent::Closed(bytes, ending) => {
                    context.plan.then(Step::Take(Span::Arguments, bytes));
                    context.plan.then(Step::End(ending));
                    return Outcome::Ended;
                }
                Extent::More => return self.pause(text, block, context),
            }
        }
        if !self.committed && self.at > HOLD_LIMIT {
            return self.give_up_holding(block, context);
        }
        self.members(text, block, context)
    }

    /// How many bytes at the start plainly belong to the arguments.
    pub(crate) fn pass(&mut self, bytes: &[u8], watch: Option<Watch>) -> usize {
        if self.part != Part::Member || !self.streams() {
            return 0;
        }
        let at = self.value.pass(bytes, watch);
        if self.value.ends_at(bytes, at) {
            self.part = Part::After;
            return at + 1;
        }
        at
    }

    /// Whether the member being read is given out as arguments.
    fn streams(&self) -> bool {
        self.member == Member::Arguments && self.arguments == Arguments::Streamed
    }

    /// Reads on, member by member, until something is decided or the text ends.
    fn members(&mut self, text: &str, block: &Block, context: &mut Context<'_>) -> Outcome {
        let bytes = text.as_bytes();
        loop {
            if !matches!(self.part, Part::KeyText | Part::Member) {
                self.at += space_run(&bytes[self.at..]);
            }
            let Some(&byte) = bytes.get(self.at) else {
                return self.pause(text, block, context);
            };
            match self.part {
                Part::Open => {
                    context.identity.clear();
                    self.at += 1;
                    self.part = Part::Key { first: true };
                }
                Part::Key { first } => match byte {
                    b'"' => {
                        self.token = self.at;
                        self.value = Value::new();
                        self.part = Part::KeyText;
                    }
                    b'}' => {
                        self.faulty |= !first;
                        self.at += 1;
                        return self.end(block, context);
                    }
                    _ => return self.fault(block, context),
                },
                Part::KeyText => {
                    if !self.read_value(&text[self.at..]) {
                        return self.pause(text, block, context);
                    }
                    let key = string(&text[self.token..self.at]);
                    self.member = self.member_of(key.as_deref(), block);
                    if block.grammar.key_is_name && !self.named {
                        context.identity.name(&key.unwrap_or_default());
                        self.named = true;
                    } else if self.member == Member::Other
                        && !block.marked
                        && key.as_deref() != Some("type")
                    {
                        return Outcome::Step(Step::Release);
                    }
                    self.part = Part::Colon;
                }
                Part::Colon if byte == b':' => {
                    self.at += 1;
                    self.part = Part::Before;
                }
                Part::Colon => return self.fault(block, context),
                Part::Before => {
                    self.value = Value::new();
                    self.token = self.at;
                    self.part = Part::Member;
                    match self.member {
                        Member::Arguments if self.arguments != Arguments::Unseen => {
                            // Which of the two was meant is not ours to say.
                            self.faulty = true;
                            self.member = Member::Other;
                        }
                        // An object, a string that holds one, or `null` for none.
                        Member::Arguments
                            if !block.marked && !matches!(byte, b'{' | b'"' | b'n') =>
                        {
                            return Outcome::Step(Step::Release);
                        }
                        Member::Arguments if self.named || self.committed => {
                            self.arguments = Arguments::Streamed;
                            return self.commit(context);
                        }
                        Member::Arguments => self.arguments = Arguments::Held(self.at),
                        Member::Name if byte != b'"' => return self.fault(block, context),
                        _ => {}
                    }
                }
                Part::Member => {
                    let whole = self.read_value(&text[self.at..]);
                    if self.value.loose {
                        return self.fault(block, context);
                    }
                    if !whole {
                        return self.pause(text, block, context);
                    }
                    self.part = Part::After;
                    match self.member {
                        Member::Name => {
                            let name = string(&text[self.token..self.at]).unwrap_or_default();
                            if name.is_empty() {
                                // Nobody is called so.
                                self.member = Member::Other;
                                continue;
                            }
                            if !block.marked && !context.tools.permit(&name) {
                                return Outcome::Step(Step::Release);
                            }
                            if let Some(outcome) = self.name(&name, context) {
                                return outcome;
                            }
                        }
                        Member::Id => {
                            let raw = &text[self.token..self.at];
                            context.identity.id(string(raw).as_deref().unwrap_or(raw));
                            if self.committed && context.identity.has_id {
                                self.take_markup(self.at, context);
                                context.plan.then(Step::Identified);
                                return Outcome::Step(context.planned());
                            }
                        }
                        Member::Arguments => {
                            if let Arguments::Held(from) = self.arguments {
                                self.arguments = Arguments::HeldWhole(from, self.at);
                            }
                        }
                        Member::Other => {}
                    }
                }
                Part::After => match byte {
                    b',' => {
                        self.at += 1;
                        self.part = Part::Key { first: false };
                    }
                    b'}' => {
                        self.at += 1;
                        return self.end(block, context);
                    }
                    _ => return self.fault(block, context),
                },
            }
        }
    }

    fn member_of(&self, key: Option<&str>, block: &Block) -> Member {
        let grammar = block.grammar;
        let Some(key) = key else { return Member::Other };
        if grammar.key_is_name {
            return Member::Arguments;
        }
        if grammar.arguments.contains(&key) {
            Member::Arguments
        } else if grammar.names.contains(&key) && !self.named {
            Member::Name
        } else if grammar.ids.contains(&key) {
            Member::Id
        } else {
            Member::Other
        }
    }

    /// Goes on through a string, or a member whose bytes are not given out by themselves.
    fn read_value(&mut self, rest: &str) -> bool {
        match self.value.step_strict(rest) {
            Extent::Done(bytes) => {
                self.at += bytes;
                true
            }
            Extent::Take(bytes) | Extent::Closed(bytes, _) => {
                self.at += bytes;
                false
            }
            Extent::More => false,
        }
    }

    /// The name is known. With the arguments known too, the call can begin.
    fn name(&mut self, name: &str, context: &mut Context<'_>) -> Option<Outcome> {
        self.named = true;
        context.identity.name.clear();
        context.identity.name.push_str(name);
        if self.committed {
            self.take_markup(self.at, context);
            context.plan.then(Step::Named);
            return Some(Outcome::Step(context.planned()));
        }
        match self.arguments {
            Arguments::HeldWhole(..) => Some(self.commit(context)),
            _ => None,
        }
    }

    /// Gives out what was held, up to the byte read last, and begins the call.
    fn commit(&mut self, context: &mut Context<'_>) -> Outcome {
        if self.committed {
            self.take_markup(self.at, context);
            return Outcome::Step(context.planned());
        }
        self.committed = true;
        let (from, to) = match self.arguments {
            Arguments::HeldWhole(from, to) => (from, to),
            Arguments::Held(from) => (from, self.at),
            _ => (self.at, self.at),
        };
        context.plan.then(Step::Take(Span::Markup, from)).then(Step::Start);
        context.plan.then(Step::Take(Span::Arguments, to - from));
        context.plan.then(Step::Take(Span::Markup, self.at - to));
        self.arguments = match self.arguments {
            Arguments::Unseen => Arguments::Unseen,
            _ => Arguments::Streamed,
        };
        self.at = 0;
        Outcome::Step(context.planned())
    }

    /// Plans the first bytes as markup.
    fn take_markup(&mut self, bytes: usize, context: &mut Context<'_>) {
        context.plan.then(Step::Take(Span::Markup, bytes));
        self.at -= bytes;
        self.token = self.token.saturating_sub(bytes);
    }

    /// The object closed.
    fn end(&mut self, block: &Block, context: &mut Context<'_>) -> Outcome {
        let whole = self.named && !self.faulty;
        let ending = if whole { Ending::Complete } else { Ending::Malformed };
        if self.committed {
            self.take_markup(self.at, context);
            context.plan.then(Step::End(ending));
            return Outcome::Ended;
        }
        if !block.marked {
            // Without a marker only name and arguments together are a call, and both would have
            // committed it.
            return Outcome::Step(Step::Release);
        }
        if self.named {
            context.plan.then(Step::Start).then(Step::Take(Span::Markup, self.at));
            context.plan.then(Step::End(ending));
        } else {
            context.plan.then(Step::Take(Span::Markup, self.start)).then(Step::Start);
            context.plan.then(Step::Take(Span::Arguments, self.at - self.start));
            context.plan.then(Step::End(Ending::Malformed));
        }
        Outcome::Ended
    }

    /// Something stands here that JSON does not have.
    fn fault(&mut self, block: &Block, context: &mut Context<'_>) -> Outcome {
        if self.committed {
            let span =
                if self.arguments == Arguments::Unseen { Span::Arguments } else { Span::Markup };
            self.take_markup(self.at, context);
            return Outcome::Broken { span, inside: true };
        }
        if !block.marked {
            return Outcome::Step(Step::Release);
        }
        context.plan.then(Step::Take(Span::Markup, self.start)).then(Step::Start);
        Outcome::Broken { span: Span::Arguments, inside: false }
    }

    /// The text at hand is used up.
    fn pause(&mut self, text: &str, block: &Block, context: &mut Context<'_>) -> Outcome {
        if context.eof {
            return self.cut(text, block, context);
        }
        if !self.committed {
            return Outcome::Step(Step::More);
        }
        let token = match self.part {
            Part::KeyText => self.token,
            Part::Member if matches!(self.member, Member::Name | Member::Id) => self.token,
            _ => self.at,
        };
        if token == 0 {
            return Outcome::Step(Step::More);
        }
        self.take_markup(token, context);
        Outcome::Step(context.planned())
    }

    /// The text ended inside the object.
    fn cut(&mut self, text: &str, block: &Block, context: &mut Context<'_>) -> Outcome {
        if !self.committed {
            if !block.marked {
                return Outcome::Step(Step::Release);
            }
            let raw = if self.named { text.len() } else { self.start };
            context.plan.then(Step::Take(Span::Markup, raw)).then(Step::Start);
            context.plan.then(Step::Take(Span::Arguments, text.len() - raw));
        } else {
            context.plan.then(Step::Take(Span::Markup, text.len()));
        }
        context.plan.then(Step::End(Ending::Truncated));
        Outcome::Ended
    }

    /// Too much would be held: what has no marker is text, and a marked call begins without its name.
    #[cold]
    fn give_up_holding(&mut self, block: &Block, context: &mut Context<'_>) -> Outcome {
        if !block.marked {
            return Outcome::Step(Step::Release);
        }
        if self.part == Part::KeyText
            || (self.part == Part::Member && matches!(self.member, Member::Name | Member::Id))
        {
            // A key, name or id of that size is none.
            return self.fault(block, context);
        }
        self.commit(context)
    }
}

/// The text of a JSON string literal.
fn string(literal: &str) -> Option<String> {
    serde_json::from_str(literal).ok()
}
