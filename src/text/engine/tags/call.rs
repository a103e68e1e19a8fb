//! One call whose parameters are tags, read to its end.
//!
//! ```text
//!  Heading ─ > ─▶ Body ─ function end ─▶ gap
//!
//!  Body:  Between ─ parameter tag ─▶ Tag ─ > ─▶ Text ─ end tag in structural position ─▶ Between
//!            └───── key tag ─▶ Key ─▶ Value ────▲
//! ```
//!
//! Everything between the function tag and its end is the call's raw text. Values are written as they
//! are, with no escapes, so an end tag counts only where the next structural token follows it.

use super::{Parameter, Tags};
use crate::text::ahead::{Ahead, Doubt, Look, TAG_LIMIT, next_marker, space_run, unless_no};
use crate::text::engine::{Context, Open, Step};
use crate::text::piece::{Ending, Span};
use crate::text::tag::{self, Tag};
use crate::text::value::{Enders, Extent, Value};

/// The engine at work.
#[derive(Debug)]
pub(crate) struct Run {
    grammar: &'static Tags,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// At the function's tag, which is held until it is whole.
    Heading,
    Body(Body),
    /// Behind a fault, in front of an end tag.
    Broken,
}

/// Where in the call's text the reader is.
#[derive(Debug, Default)]
struct Body {
    place: Place,
    /// Something other than white space came.
    begun: bool,
    /// Calls that the value itself holds, opened and not ended: a value may be a text about calls.
    nested: u32,
    /// The value holds or held any.
    holds_calls: bool,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Between,
    /// In a parameter's tag.
    Tag,
    /// In a parameter's name.
    Key,
    /// In front of the tag around the value.
    Value,
    Text,
    /// The parameters are one JSON object.
    Json(Value),
}

impl Run {
    /// In front of the function's tag.
    pub(super) fn at_the_tag(grammar: &'static Tags) -> Self {
        Run { grammar, stage: Stage::Heading }
    }

    /// Behind the name, which is known.
    pub(super) fn behind_the_name(grammar: &'static Tags) -> Self {
        Run { grammar, stage: Stage::Body(Body::default()) }
    }

    pub(crate) fn pass(&mut self, bytes: &[u8]) -> usize {
        match &self.stage {
            Stage::Body(Body { place: Place::Text, .. }) => marker_in_value(self.grammar, bytes, 0),
            _ => 0,
        }
    }

    pub(crate) fn step(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        match &mut self.stage {
            Stage::Heading => self.heading(text, context),
            Stage::Body(_) => self.body(text, context),
            Stage::Broken => self.broken(text, context),
        }
    }

    fn leave(&self) -> Step {
        let block = !self.grammar.blocks.is_empty();
        Step::Leave(block.then_some(Open::Tags(self.grammar)))
    }

    /// Plans the end of the call behind `bytes` more of its text and `markup` behind that.
    fn end(&self, bytes: usize, markup: usize, ending: Ending, context: &mut Context<'_>) -> Step {
        context.plan.then(Step::Take(Span::Arguments, bytes));
        context.plan.then(Step::Take(Span::Markup, markup));
        context.plan.then(Step::End(ending)).then(self.leave());
        context.planned()
    }

    fn heading(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let mut ahead = Ahead::new(text, 0, context.eof);
        let look = ahead
            .literal(self.grammar.function.marker())
            .and_then(|()| ahead.until(">", TAG_LIMIT))
            .and_then(|head| if head.contains('<') { Err(Doubt::No) } else { Ok(head) });
        match look {
            Ok(head) => {
                let Tag { name, closed, .. } = tag::read(head);
                context.identity.name(name);
                context.plan.then(Step::Take(Span::Markup, ahead.at)).then(Step::Start);
                if closed {
                    return self.end(0, 0, Ending::Complete, context);
                }
                self.stage = Stage::Body(Body::default());
                context.planned()
            }
            Err(Doubt::More) => Step::More,
            Err(Doubt::No) => {
                context.identity.clear();
                self.stage = Stage::Broken;
                Step::Start
            }
        }
    }

    fn body(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let grammar = self.grammar;
        let Stage::Body(body) = &mut self.stage else { return Step::More };
        if text.is_empty() {
            return if context.eof {
                self.end(0, 0, Ending::Truncated, context)
            } else {
                Step::More
            };
        }
        let ahead = Ahead::new(text, 0, context.eof);
        match &mut body.place {
            Place::Between => {
                let space = space_run(text.as_bytes());
                if space > 0 {
                    return Step::Take(Span::Arguments, space);
                }
                self.between(text, ahead, context)
            }
            Place::Tag => match memchr::memchr2(b'>', b'<', text.as_bytes()) {
                Some(end) if text.as_bytes()[end] == b'>' => {
                    body.place = Place::Text;
                    Step::Take(Span::Arguments, end + 1)
                }
                // The tag was never closed.
                Some(0) => {
                    self.stage = Stage::Broken;
                    self.broken(text, context)
                }
                end => Step::Take(Span::Arguments, end.unwrap_or(text.len())),
            },
            Place::Key => {
                let Parameter::Pair { key_end, .. } = grammar.parameter else {
                    return Step::More;
                };
                match memchr::memchr(key_end.as_bytes()[0], text.as_bytes()) {
                    Some(0) => match { ahead }.literal(key_end) {
                        Ok(()) => {
                            body.place = Place::Value;
                            Step::Take(Span::Arguments, key_end.len())
                        }
                        Err(Doubt::More) => Step::More,
                        Err(Doubt::No) => {
                            self.stage = Stage::Broken;
                            self.broken(text, context)
                        }
                    },
                    end => Step::Take(Span::Arguments, end.unwrap_or(text.len())),
                }
            }
            Place::Value => {
                let Parameter::Pair { value, .. } = grammar.parameter else {
                    return Step::More;
                };
                let space = space_run(text.as_bytes());
                if space > 0 {
                    return Step::Take(Span::Arguments, space);
                }
                let mut ahead = ahead;
                match ahead.literal(value) {
                    Ok(()) => {
                        body.place = Place::Text;
                        Step::Take(Span::Arguments, ahead.at)
                    }
                    Err(Doubt::More) => Step::More,
                    Err(Doubt::No) => {
                        self.stage = Stage::Broken;
                        self.broken(text, context)
                    }
                }
            }
            Place::Text => self.value(text, context),
            Place::Json(value) => match value.step_strict(text) {
                Extent::Take(bytes) => Step::Take(Span::Arguments, bytes),
                Extent::Done(bytes) => {
                    body.place = Place::Between;
                    Step::Take(Span::Arguments, bytes)
                }
                Extent::Closed(bytes, _) => {
                    self.stage = Stage::Broken;
                    context.plan.then(Step::Take(Span::Arguments, bytes));
                    match context.plan.next() {
                        Some(step) => step,
                        None => self.broken(text, context),
                    }
                }
                Extent::More => Step::More,
            },
        }
    }

    fn between(&mut self, text: &str, ahead: Ahead<'_>, context: &mut Context<'_>) -> Step {
        let grammar = self.grammar;
        let Stage::Body(body) = &mut self.stage else { return Step::More };
        if !body.begun && text.starts_with('{') {
            body.begun = true;
            body.place = Place::Json(Value::new());
            return self.body(text, context);
        }
        let mut token = ahead;
        match token.any(&[grammar.function.close(), grammar.parameter.open()]) {
            Ok(0) => self.end(0, token.at, Ending::Complete, context),
            Ok(_) => {
                body.begun = true;
                body.nested = 0;
                body.holds_calls = false;
                body.place = match grammar.parameter {
                    Parameter::Tag { .. } => Place::Tag,
                    Parameter::Pair { .. } => Place::Key,
                };
                Step::Take(Span::Arguments, token.at)
            }
            Err(Doubt::More) => Step::More,
            Err(Doubt::No) => {
                self.stage = Stage::Broken;
                self.broken(text, context)
            }
        }
    }

    /// In a value: it ends at an end tag with a structural token behind it.
    fn value(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let grammar = self.grammar;
        let Stage::Body(body) = &mut self.stage else { return Step::More };
        let (function, parameter) = (&grammar.function, &grammar.parameter);
        let mut from = 0;
        loop {
            let at = marker_in_value(grammar, text.as_bytes(), from);
            if at == text.len() {
                return Step::Take(Span::Arguments, at);
            }
            from = at + 1;
            let ahead = Ahead::new(text, at, context.eof);
            match value_end(ahead, grammar) {
                Ok(end) => {
                    body.place = Place::Between;
                    return Step::Take(Span::Arguments, end);
                }
                Err(Doubt::More) => return hold(at),
                Err(Doubt::No) => {}
            }
            let mut unfinished = ahead;
            let look = unfinished.literal(parameter.close()).and_then(|()| {
                // The function's own end lacks; where its block ends and another call follows, it is over.
                let mut block = unfinished;
                block.space()?;
                block.any(grammar.closers)?;
                another_call(unfinished, grammar)
            });
            match look {
                Ok(()) => return self.end(unfinished.at, 0, Ending::Malformed, context),
                Err(Doubt::More) => return hold(at),
                Err(Doubt::No) => {}
            }
            let mut token = ahead;
            match token.any(&[function.close(), function.marker()]) {
                Ok(0) if body.nested > 0 => body.nested -= 1,
                Ok(0) => match another_call(token, grammar) {
                    Ok(()) => return self.end(at, token.at - at, Ending::Malformed, context),
                    Err(Doubt::More) => return hold(at),
                    Err(Doubt::No) => {}
                },
                Ok(_) => {
                    body.nested += 1;
                    body.holds_calls = true;
                }
                Err(Doubt::More) => return hold(at),
                Err(Doubt::No) => {}
            }
            if !body.holds_calls {
                match another_block(ahead, grammar) {
                    Ok(()) => return self.end(at, 0, Ending::Malformed, context),
                    Err(Doubt::More) => return hold(at),
                    Err(Doubt::No) => {}
                }
            }
            // What was counted must not be counted again when the text is looked at anew.
            if matches!(token.at - at, passed if passed > 0) {
                return Step::Take(Span::Arguments, token.at);
            }
        }
    }

    /// Goes to the end tag of the function or of its block.
    fn broken(&mut self, text: &str, context: &mut Context<'_>) -> Step {
        let grammar = self.grammar;
        for at in memchr::memchr_iter(b'<', text.as_bytes()) {
            let ahead = Ahead::new(text, at, context.eof);
            let close = [grammar.function.close()];
            let markup = ahead.end_of(&close).and_then(|end| match end {
                Some(end) => Ok(Some((end - at, Ending::Malformed))),
                None => {
                    let enders = Enders {
                        closers: grammar.closers,
                        openers: grammar.blocks,
                        turn_ends: context.turn_ends,
                        watch: None,
                    };
                    unless_no(enders.look(&mut { ahead }))
                        .map(|ending| ending.map(|ending| (0, ending)))
                }
            });
            match markup {
                Ok(Some((markup, ending))) => return self.end(at, markup, ending, context),
                Ok(None) | Err(Doubt::No) => {}
                Err(Doubt::More) => return hold(at),
            }
        }
        if !text.is_empty() {
            return Step::Take(Span::Arguments, text.len());
        }
        if context.eof { self.end(0, 0, Ending::Truncated, context) } else { Step::More }
    }
}

/// Where in a value, from `from` on, a tag that counts there may begin.
fn marker_in_value(grammar: &Tags, bytes: &[u8], from: usize) -> usize {
    let (function, parameter) = (&grammar.function, &grammar.parameter);
    let tags = [parameter.close(), function.close(), function.marker()];
    next_marker(bytes, from, tags.iter().chain(grammar.closers))
}

/// Gives everything in front of an undecided place.
fn hold(at: usize) -> Step {
    if at > 0 { Step::Take(Span::Arguments, at) } else { Step::More }
}

/// An end tag of a value with a structural token behind it; where the tag ends.
fn value_end(mut ahead: Ahead<'_>, grammar: &Tags) -> Look<usize> {
    ahead.literal(grammar.parameter.close())?;
    let end = ahead.at;
    ahead.space()?;
    ahead.any(&[grammar.parameter.open(), grammar.function.close()])?;
    Ok(end)
}

/// Whether behind the end of a function the next call begins, in the same block or in one of its own:
/// then the end was meant, though the value in front of it was never closed.
fn another_call(mut ahead: Ahead<'_>, grammar: &Tags) -> Look<()> {
    ahead.space()?;
    if let Some(end) = ahead.end_of(grammar.closers)? {
        ahead.at = end;
        ahead.space()?;
        if let Some(end) = ahead.end_of(grammar.blocks)? {
            ahead.at = end;
            ahead.space()?;
        }
    }
    ahead.literal(grammar.function.marker())
}

/// Whether the block ends here and another begins with a call: then neither the value in front nor its call
/// was ever closed, and the next call must not be taken for a part of it.
fn another_block(mut ahead: Ahead<'_>, grammar: &Tags) -> Look<()> {
    if grammar.blocks.is_empty() {
        return Err(Doubt::No);
    }
    ahead.any(grammar.closers)?;
    ahead.space()?;
    ahead.any(grammar.blocks)?;
    ahead.space()?;
    ahead.literal(grammar.function.marker())
}
