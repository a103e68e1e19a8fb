//! The automaton around the engines: text, reasoning, and the gaps between calls.
//!
//! ```text
//!                    ┌────────────── visible character ──────────────┐
//!                    │                                               ▼
//!  start ─▶ Gap ─────┼─ opener proved ─▶ Call ─ ended ─▶ Gap        Text ─ opener proved ─▶ Call
//!            ▲       └─ <think> ─▶ Reasoning                         └─ <think> ─▶ Reasoning
//!            └──────────────────────── </think> ─┘
//! ```
//!
//! A gap holds white space back: whether it is framing or text shows only behind it. White space is
//! dropped (it becomes markup) where it touches a call and no visible text.

use super::ahead::{Ahead, Doubt, HOLD_LIMIT, Look, space_run, unless_no};
use super::engine::{Context, Engine, Entry, Identity, Next, Open, Plan, Step, channels};
use super::firsts::Firsts;
use super::format::{Delimiters, Format, Formats, Grammar};
use super::options::Options;
use super::piece::Span;

/// How often a turn-end token may repeat at the end of the text.
const TURN_ENDS: usize = 4;

/// The markers around reasoning where the caller says that the text begins inside it and the format
/// has none of its own.
static USUAL_REASONING: Delimiters = Delimiters::new("<think>", "</think>");

#[derive(Debug)]
pub(crate) struct Machine {
    /// The formats that may be meant; one, once that is settled.
    formats: Formats,
    options: Options,
    state: State,
    /// Bytes of the gap that were looked at already.
    scanned: usize,
    /// The gap holds frame markers.
    framed: bool,
    /// The frame that was open in front of them.
    frame_before: Option<&'static str>,
    /// What was given out last ended a line, or was no text.
    line_start: bool,
    /// The end of the reasoning that we are in.
    closer: &'static str,
    /// The end of reasoning that an opener ended before it came.
    forced: Option<&'static str>,
    /// The end of the frame around visible text that we are in.
    frame: Option<&'static str>,
    /// In reasoning, though a call stands in it.
    within: bool,
    calls: u32,
    firsts: Firsts,
    plan: Plan,
    pub identity: Identity,
}

#[derive(Debug)]
enum State {
    Text,
    Gap { after: Boundary, open: Option<Open> },
    Reasoning,
    Call(Engine),
}

/// What a gap lies behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Boundary {
    Start,
    Reasoning,
    Call,
}

/// A marker that counts where it stands.
enum Found {
    Call(&'static Format, Entry),
    Reasoning(&'static Delimiters, usize),
    /// Markup up to here.
    Markup(usize),
    /// A marker around visible text, up to here; the end that is to come, if it is the first.
    Frame(Option<&'static str>, usize),
    ReasoningEnd(usize),
}

impl Machine {
    pub(crate) fn new(formats: Formats, options: Options) -> Self {
        let state = match options.starts_in_reasoning {
            true => inside_reasoning(&formats),
            false => State::Gap { after: Boundary::Start, open: None },
        };
        let pairs = formats.list().iter().flat_map(|format| format.reasoning);
        let closer = { pairs }.next().unwrap_or(&USUAL_REASONING).close;
        Machine {
            formats,
            options,
            state,
            scanned: 0,
            framed: false,
            frame_before: None,
            line_start: true,
            closer,
            forced: None,
            frame: None,
            within: false,
            calls: 0,
            firsts: Firsts::of(formats.list(), closer),
            plan: Plan::new(),
            identity: Identity::default(),
        }
    }

    /// The format, once it is settled.
    pub(crate) fn format(&self) -> Option<&'static Format> {
        self.formats.settled()
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The number of the call that begins or is open.
    pub(crate) fn call(&self) -> u32 {
        self.calls - 1
    }

    /// Whether nothing is decided that was not given out yet.
    pub(crate) fn is_waiting(&self) -> bool {
        self.plan.is_empty()
    }

    /// How many bytes at the start of `text` go on what is going on, plainly: no marker can begin in
    /// them. For most text there is nothing more to do; [`step`](Machine::step) decides about the rest.
    #[inline]
    pub(crate) fn pass(&mut self, text: &str) -> Option<(Span, usize)> {
        if !self.plan.is_empty() {
            return None;
        }
        let bytes = text.as_bytes();
        let (span, passed) = match &mut self.state {
            State::Text => (Span::Text, self.firsts.find(bytes, 0).unwrap_or(bytes.len())),
            State::Reasoning => {
                (Span::Reasoning, self.firsts.find(bytes, 0).unwrap_or(bytes.len()))
            }
            State::Call(engine) => engine.pass(bytes)?,
            State::Gap { .. } => return None,
        };
        self.given(span, *bytes.get(passed.wrapping_sub(1))?);
        Some((span, passed))
    }

    /// Something was given out, up to and with this byte.
    fn given(&mut self, span: Span, last: u8) {
        self.scanned = 0;
        self.framed = false;
        self.line_start = span != Span::Text || last == b'\n';
    }

    /// Decides about the first bytes of `text`, which is all that is undecided. `More`: it cannot;
    /// if nothing follows (`eof`), all is done.
    pub(crate) fn step(&mut self, text: &str, eof: bool) -> Step {
        loop {
            let step = match self.plan.next() {
                Some(step) => step,
                None => match &mut self.state {
                    State::Text => match self.text(text, eof) {
                        Some(step) => step,
                        None => continue,
                    },
                    State::Gap { after, open } => {
                        let (after, open) = (*after, *open);
                        match self.gap(text, eof, after, open) {
                            Some(step) => step,
                            None => continue,
                        }
                    }
                    State::Reasoning => match self.reasoning(text, eof) {
                        Some(step) => step,
                        None => continue,
                    },
                    State::Call(engine) => {
                        let mut context = Context {
                            eof,
                            tools: self.options.known(),
                            turn_ends: self.formats.list().first().map_or(&[], |f| f.turn_ends),
                            identity: &mut self.identity,
                            plan: &mut self.plan,
                        };
                        engine.step(text, &mut context)
                    }
                },
            };
            match step {
                Step::Leave(open) => self.state = State::Gap { after: Boundary::Call, open },
                Step::Release => self.state = State::Text,
                Step::Take(span, bytes) => {
                    self.given(span, text.as_bytes()[bytes - 1]);
                    return step;
                }
                Step::Start => {
                    self.calls += 1;
                    return step;
                }
                step => return step,
            }
        }
    }

    /// In visible text: everything up to the next marker that counts.
    fn text(&mut self, text: &str, eof: bool) -> Option<Step> {
        let bytes = text.as_bytes();
        let mut from = 0;
        while let Some(at) = self.firsts.find(bytes, from) {
            match self.marker_in_text(text, at, eof) {
                Err(Doubt::No) => from = at + 1,
                Ok(found) if at == 0 => return self.follow(found),
                Ok(_) | Err(Doubt::More) => return Some(hold(Span::Text, at)),
            }
        }
        Some(hold(Span::Text, text.len()))
    }

    fn marker_in_text(&mut self, text: &str, at: usize, eof: bool) -> Look<Found> {
        let ahead = Ahead::new(text, at, eof);
        let line_start = if at == 0 { self.line_start } else { text.as_bytes()[at - 1] == b'\n' };
        if let Some(found) = self.call_at(ahead, line_start)? {
            return Ok(found);
        }
        for format in self.formats.list() {
            for pair in format.reasoning.iter().filter(|pair| pair.anywhere || line_start) {
                if let Some(end) = ahead.end_of(&[pair.open])? {
                    return Ok(Found::Reasoning(pair, end));
                }
            }
            if let Some(found) = self.frame_at(ahead, format, line_start)? {
                return Ok(found);
            }
            if self.calls > 0 {
                if let Some(end) = unless_no(last_turn_end(ahead, format))? {
                    return Ok(Found::Markup(end));
                }
            }
        }
        Err(Doubt::No)
    }

    /// The opener of a call, proved.
    fn call_at(&mut self, ahead: Ahead<'_>, line_start: bool) -> Look<Option<Found>> {
        let tools = self.options.known();
        for (format, grammar) in self.formats.grammars() {
            let look = grammar.enter(ahead, tools, line_start, &mut self.identity);
            if let Some(entry) = unless_no(look)? {
                return Ok(Some(Found::Call(format, entry)));
            }
        }
        Ok(None)
    }

    /// A marker around visible text. The end counts once its beginning was seen.
    fn frame_at(
        &self,
        ahead: Ahead<'_>,
        format: &'static Format,
        line_start: bool,
    ) -> Look<Option<Found>> {
        for pair in format.framing {
            if pair.anywhere || line_start {
                if let Some(end) = ahead.end_of(&[pair.open])? {
                    return Ok(Some(Found::Frame(Some(pair.close), end)));
                }
            }
            if pair.anywhere || self.frame == Some(pair.close) {
                if let Some(end) = ahead.end_of(&[pair.close])? {
                    return Ok(Some(Found::Frame(None, end)));
                }
            }
        }
        Ok(None)
    }

    /// Behind a boundary, white space only so far. `None`: the state changed, nothing was decided.
    fn gap(&mut self, text: &str, eof: bool, after: Boundary, open: Option<Open>) -> Option<Step> {
        self.scanned += space_run(&text.as_bytes()[self.scanned..]);
        let at = self.scanned;
        if at > HOLD_LIMIT {
            return self.leave_gap();
        }
        if at == text.len() {
            if !eof || at == 0 {
                return Some(Step::More);
            }
            if after == Boundary::Call {
                return Some(Step::Take(Span::Markup, at));
            }
            return self.leave_gap();
        }
        match self.marker_in_gap(Ahead::new(text, at, eof), after, open) {
            Err(Doubt::More) => Some(Step::More),
            Err(Doubt::No) => self.leave_gap(),
            Ok(Found::Frame(frame, end)) if after != Boundary::Call => {
                // A frame leaves open what the white space around it is.
                if !self.framed {
                    self.frame_before = self.frame;
                }
                self.frame = frame;
                self.scanned = end;
                self.framed = true;
                None
            }
            Ok(Found::Reasoning(..)) if self.framed && after != Boundary::Call => self.leave_gap(),
            Ok(Found::Reasoning(pair, end)) if after != Boundary::Call && at > 0 => {
                self.plan.then(Step::Take(Span::Text, at));
                self.plan.then(Step::Take(Span::Markup, end - at));
                self.state = State::Reasoning;
                self.closer = pair.close;
                None
            }
            Ok(found) => self.follow(found),
        }
    }

    /// What was held in the gap is no framing: it is read once more, as text.
    fn leave_gap(&mut self) -> Option<Step> {
        self.state = if self.within { State::Reasoning } else { State::Text };
        if self.framed {
            self.frame = self.frame_before;
        }
        None
    }

    fn marker_in_gap(
        &mut self,
        ahead: Ahead<'_>,
        after: Boundary,
        open: Option<Open>,
    ) -> Look<Found> {
        if let Some(open) = open {
            let tools = self.options.known();
            let look = unless_no(open.resume(ahead, tools, &mut self.identity))?;
            if let (Some(entry), Some(format)) = (look, self.format()) {
                return Ok(Found::Call(format, entry));
            }
        }
        if after == Boundary::Call {
            for format in self.formats.list() {
                for grammar in format.grammars {
                    if let Some(end) = ahead.end_of(grammar.closers())? {
                        return Ok(Found::Markup(end));
                    }
                }
                if let Some(end) = ahead.end_of(format.turn_ends)? {
                    return Ok(Found::Markup(end));
                }
            }
            if let Some(forced) = self.forced {
                if let Some(end) = ahead.end_of(&[forced])? {
                    self.forced = None;
                    return Ok(Found::Markup(end));
                }
            }
        }
        if self.within {
            if let Some(end) = ahead.end_of(&[self.closer])? {
                return Ok(Found::ReasoningEnd(end));
            }
        }
        if let Some(found) = self.call_at(ahead, true)? {
            return Ok(found);
        }
        if after != Boundary::Call {
            let tools = self.options.known();
            for (format, grammar) in self.formats.grammars() {
                if let Some(entry) = unless_no(grammar.enter_bare(ahead, tools))? {
                    return Ok(Found::Call(format, entry));
                }
            }
        }
        for format in self.formats.list() {
            for pair in format.reasoning.iter().filter(|_| !self.within) {
                if let Some(end) = ahead.end_of(&[pair.open])? {
                    return Ok(Found::Reasoning(pair, end));
                }
            }
            if let Some(found) = self.frame_at(ahead, format, true)? {
                return Ok(found);
            }
        }
        Err(Doubt::No)
    }

    /// In reasoning: everything up to its end, or to the opener of a call that counts here.
    fn reasoning(&mut self, text: &str, eof: bool) -> Option<Step> {
        let bytes = text.as_bytes();
        let calls_count = self.options.calls_in_reasoning
            || self.formats.list().iter().any(|format| format.reserved);
        let mut from = 0;
        while let Some(at) = self.firsts.find(bytes, from) {
            match self.marker_in_reasoning(Ahead::new(text, at, eof), calls_count) {
                Err(Doubt::No) => from = at + 1,
                Err(Doubt::More) => return Some(hold(Span::Reasoning, at)),
                Ok(_) if at > 0 => return Some(hold(Span::Reasoning, at)),
                Ok(found) => {
                    if matches!(found, Found::Call(..)) {
                        self.within = self.options.calls_in_reasoning;
                        self.forced = (!self.within).then_some(self.closer);
                    }
                    return self.follow(found);
                }
            }
        }
        Some(hold(Span::Reasoning, text.len()))
    }

    fn marker_in_reasoning(&mut self, ahead: Ahead<'_>, calls_count: bool) -> Look<Found> {
        if let Some(end) = ahead.end_of(&[self.closer])? {
            return Ok(Found::ReasoningEnd(end));
        }
        if calls_count && let Some(found) = self.call_at(ahead, false)? {
            return Ok(found);
        }
        Err(Doubt::No)
    }

    /// Goes where a marker leads; it begins the undecided text.
    fn follow(&mut self, found: Found) -> Option<Step> {
        match found {
            Found::Markup(end) => Some(Step::Take(Span::Markup, end)),
            Found::Frame(frame, end) => {
                self.frame = frame;
                Some(Step::Take(Span::Markup, end))
            }
            Found::Reasoning(pair, end) => {
                self.state = State::Reasoning;
                self.closer = pair.close;
                Some(Step::Take(Span::Markup, end))
            }
            Found::ReasoningEnd(end) => {
                self.within = false;
                self.state = State::Gap { after: Boundary::Reasoning, open: None };
                Some(Step::Take(Span::Markup, end))
            }
            Found::Call(format, Entry { markup, start, next }) => {
                if self.format().is_none() {
                    self.formats = format.into();
                    self.firsts = Firsts::of(self.formats.list(), self.closer);
                }
                self.state = match next {
                    Next::Engine(engine) => State::Call(engine),
                    Next::Gap(open) => State::Gap { after: Boundary::Call, open },
                };
                self.plan.then(Step::Take(Span::Markup, markup));
                if start {
                    self.plan.then(Step::Start);
                }
                self.plan.next()
            }
        }
    }
}

/// Gives everything in front of an undecided place.
fn hold(span: Span, at: usize) -> Step {
    if at > 0 { Step::Take(span, at) } else { Step::More }
}

/// Where a text starts whose prompt opened the reasoning.
fn inside_reasoning(formats: &Formats) -> State {
    for (_, grammar) in formats.grammars() {
        if let (Grammar::Channels(grammar), Some(_)) = (grammar, formats.settled()) {
            return State::Call(Engine::Channels(channels::Run::inside(grammar, Span::Reasoning)));
        }
    }
    State::Reasoning
}

/// Turn-end tokens with nothing behind them but white space; where all that ends.
fn last_turn_end(mut ahead: Ahead<'_>, format: &Format) -> Look<usize> {
    ahead.any(format.turn_ends)?;
    for _ in 0..TURN_ENDS {
        ahead.space()?;
        if ahead.peek()?.is_none() {
            return Ok(ahead.at);
        }
        ahead.any(format.turn_ends)?;
    }
    Err(Doubt::No)
}
