//! Messages with a header that names a channel, and a recipient where the message is a call.
//!
//! ```text
//!  <|start|> or <|channel|> ─▶ Heading ─ <|message|> ─▶ Body (text, reasoning) ─ end ─▶ gap
//!                                            └────────▶ Payload (a call) ─ end ─▶ gap
//! ```

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until};
use nom::combinator::{opt, rest};
use nom::sequence::preceded;
use nom::{IResult, Parser};

use super::payload::{Frame, Payload};
use super::{Context, Engine, Entry, Step};
use crate::text::ahead::{Ahead, Doubt, Look, TAG_LIMIT};
use crate::text::piece::{Ending, Span};
use crate::text::value::{Enders, Watch};

/// Table of a grammar of messages with channels: the tokens are those of the Harmony format.
///
/// An example is at [`Format`](crate::text::Format).
#[derive(Debug)]
pub struct Channels {
    pub(crate) reasoning: &'static [&'static str],
    pub(crate) namespace: &'static str,
}

const START: &str = "<|start|>";
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const ENDS: &[&str] = &["<|end|>", "<|call|>", "<|return|>"];
/// What every token begins with.
const WATCH: Watch = Watch { first: b'<', second: Some(b'|') };

impl Channels {
    pub(crate) const OPENERS: &'static [&'static str] = &[CHANNEL, START];
    pub(crate) const CLOSERS: &'static [&'static str] = ENDS;

    /// Messages in the channels `reasoning` are that, all others are text; a recipient in `namespace`
    /// is a function of the caller's.
    pub const fn new(reasoning: &'static [&'static str], namespace: &'static str) -> Self {
        Channels { reasoning, namespace }
    }

    pub(crate) fn enter(&'static self, mut ahead: Ahead<'_>) -> Look<Entry> {
        let start = ahead.at;
        ahead.any(Self::OPENERS)?;
        Ok(Entry::engine(start, self.heading()))
    }

    /// The prompt ends behind `<|start|>assistant`, so the text may begin in the middle of a header.
    pub(crate) fn enter_bare(&'static self, mut ahead: Ahead<'_>) -> Look<Entry> {
        let start = ahead.at;
        ahead.literal("to=")?;
        ahead.run(TAG_LIMIT / 2, |byte| byte != b'<' && !byte.is_ascii_whitespace())?;
        ahead.space()?;
        ahead.any(&[CHANNEL, MESSAGE, "<|constrain|>"])?;
        Ok(Entry::engine(start, self.heading()))
    }

    fn heading(&'static self) -> Engine {
        Engine::Channels(Run { grammar: self, stage: Stage::Heading })
    }

    /// What the body of a message with this header is.
    fn body<'h>(&self, head: &'h str) -> (Body, Option<&'h str>) {
        let Head { channel, recipient } = read(head);
        if let Some(recipient) = recipient {
            if !matches!(recipient, "" | "all" | "assistant" | "user") {
                return (Body::Call, Some(recipient));
            }
        }
        let is_reasoning = self.reasoning.contains(&channel);
        (Body::Span(if is_reasoning { Span::Reasoning } else { Span::Text }), None)
    }
}

enum Body {
    Span(Span),
    Call,
}

/// What a message's header says.
#[derive(Debug, PartialEq, Eq)]
struct Head<'a> {
    channel: &'a str,
    recipient: Option<&'a str>,
}

/// Reads a header: role, channel and recipient, the recipient behind either of the others.
fn read(head: &str) -> Head<'_> {
    let word = |input| -> IResult<&str, &str> {
        take_till(|c: char| c.is_whitespace() || c == '<').parse(input)
    };
    let recipient: IResult<&str, &str> = preceded(
        (alt((take_until(" to="), take_until("to="))), alt((tag(" to="), tag("to=")))),
        word,
    )
    .parse(head);
    let channel: IResult<&str, Option<&str>> =
        opt(preceded((take_until(CHANNEL), tag(CHANNEL)), rest)).parse(head);
    let channel = channel.ok().and_then(|(_, channel)| channel).unwrap_or_default();
    Head {
        channel: word(channel.trim_start()).map_or("", |(_, channel)| channel),
        recipient: recipient.ok().map(|(_, recipient)| recipient),
    }
}

/// The engine at work.
#[derive(Debug)]
pub(crate) struct Run {
    grammar: &'static Channels,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// The header is held until it is whole.
    Heading,
    Body(Span),
    Call(Payload),
}

impl Run {
    /// A message whose body the text begins in.
    pub(crate) fn inside(grammar: &'static Channels, span: Span) -> Self {
        Run { grammar, stage: Stage::Body(span) }
    }

    pub(crate) fn pass(&mut self, bytes: &[u8]) -> Option<(Span, usize)> {
        match &mut self.stage {
            Stage::Heading => None,
            Stage::Body(span) => Some((*span, WATCH.find(bytes).unwrap_or(bytes.len()))),
            Stage::Call(payload) => {
                Some((Span::Arguments, payload.pass(bytes, Some(WATCH), false)))
            }
        }
    }

    pub(crate) fn step(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        match &mut self.stage {
            Stage::Heading => self.heading(text, context),
            Stage::Body(span) => body(text, *span, context),
            Stage::Call(payload) => {
                let enders = Enders {
                    closers: ENDS,
                    openers: Channels::OPENERS,
                    turn_ends: &[],
                    watch: Some(WATCH),
                };
                let frame = Frame { enders, fenced: false, open_ended: false };
                payload.step(text, &frame, Step::Leave(None), context)
            }
        }
    }

    fn heading(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        match header(text, context.eof) {
            Ok(end) => {
                let head = &text[..end - MESSAGE.len()];
                context.plan.then(Step::Take(Span::Markup, end));
                match self.grammar.body(head) {
                    (Body::Span(span), _) => self.stage = Stage::Body(span),
                    (Body::Call, recipient) => {
                        let recipient = recipient.unwrap_or_default();
                        let name = recipient.strip_prefix(self.grammar.namespace);
                        context.identity.name(name.unwrap_or(recipient));
                        self.stage = Stage::Call(Payload::new());
                        context.plan.then(Step::Start);
                    }
                }
                context.planned()
            }
            Err(Doubt::More) => Step::More,
            Err(Doubt::No) if context.eof => self.cut(text, context),
            Err(Doubt::No) => {
                // A header that never gets its message. Where another token cuts it off it is markup
                // whole, else only its marker is, and the words are text.
                let markup = cut_off(text).unwrap_or_else(|| marker(text));
                context.plan.then(Step::Take(Span::Markup, markup)).then(Step::Leave(None));
                context.planned()
            }
        }
    }

    /// The text ended inside a header: with a recipient it is a call that was cut.
    fn cut(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let head = read(text);
        let Some(recipient) = head.recipient else {
            context.plan.then(Step::Take(Span::Markup, text.len())).then(Step::Leave(None));
            return context.planned();
        };
        let whole = !text.ends_with(recipient);
        if whole {
            let name = recipient.strip_prefix(self.grammar.namespace).unwrap_or(recipient);
            context.identity.name(name);
            context.plan.then(Step::Take(Span::Markup, text.len())).then(Step::Start);
        } else {
            context.identity.clear();
            let marker = marker(text);
            context.plan.then(Step::Take(Span::Markup, marker)).then(Step::Start);
            context.plan.then(Step::Take(Span::Arguments, text.len() - marker));
        }
        context.plan.then(Step::End(Ending::Truncated)).then(Step::Leave(None));
        context.planned()
    }
}

/// Where a token stands that no header holds.
fn cut_off(text: &str) -> Option<usize> {
    let window = &text.as_bytes()[..text.len().min(TAG_LIMIT)];
    memchr::memchr_iter(b'<', window).filter(|at| *at > 0).find(|at| {
        let ahead = Ahead::new(text, *at, true);
        matches!(ahead.end_of(ENDS), Ok(Some(_))) || matches!(ahead.end_of(&[START]), Ok(Some(_)))
    })
}

/// The length of the marker at the start, where one is.
fn marker(text: &str) -> usize {
    let mut ahead = Ahead::new(text, 0, true);
    match ahead.any(Channels::OPENERS) {
        Ok(_) => ahead.at,
        Err(_) => 0,
    }
}

/// A whole header, its message token with it; where it ends.
fn header(text: &str, eof: bool) -> Look<usize> {
    let window = &text.as_bytes()[..text.len().min(TAG_LIMIT)];
    for at in memchr::memchr_iter(b'<', window) {
        let ahead = Ahead::new(text, at, eof);
        if at > 0 && (ahead.end_of(ENDS)?.is_some() || ahead.end_of(&[START])?.is_some()) {
            return Err(Doubt::No);
        }
        if let Some(end) = ahead.end_of(&[MESSAGE])? {
            return Ok(end);
        }
    }
    if eof || window.len() == TAG_LIMIT { Err(Doubt::No) } else { Err(Doubt::More) }
}

/// The body of a message that is no call.
fn body(text: &str, span: Span, context: &mut Context<'_>) -> Step {
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let mut end = Ahead::new(text, at, context.eof);
        let mut start = end;
        let looks = (end.any(ENDS), start.any(Channels::OPENERS));
        if matches!(looks, (Ok(_), _) | (_, Ok(_))) {
            context.plan.then(Step::Take(span, at));
            context.plan.then(Step::Take(Span::Markup, end.at - at)).then(Step::Leave(None));
            return context.planned();
        }
        if matches!(looks, (Err(Doubt::More), _) | (_, Err(Doubt::More))) {
            return if at > 0 { Step::Take(span, at) } else { Step::More };
        }
    }
    match text.len() {
        0 if context.eof => Step::Leave(None),
        0 => Step::More,
        bytes => Step::Take(span, bytes),
    }
}
