//! A JSON value that stands alone: its frame says where it begins and ends.
//!
//! ```text
//!  Before ─ fence, white space ─▶ Value ─ done ─▶ After ─ end marker ─▶ complete
//!     │                             │               │
//!     └─ end marker: complete       └─ fault ───────┴─ anything else ─▶ Broken ─ end marker ─▶ malformed
//! ```

use super::{Context, Step};
use crate::text::ahead::{Ahead, Doubt, Look, space_run, unless_no};
use crate::text::piece::{Ending, Span};
use crate::text::value::{Enders, Extent, Value, Watch};

/// What frames a payload.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub enders: Enders,
    /// It may stand in a Markdown code fence.
    pub fenced: bool,
    /// It ends with its last bracket; nothing need follow.
    pub open_ended: bool,
}

/// Reads one payload.
#[derive(Debug)]
pub(crate) struct Payload {
    stage: Stage,
    value: Value,
    fence: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Value,
    After,
    Broken,
}

impl Payload {
    pub(crate) fn new() -> Self {
        Payload { stage: Stage::Before, value: Value::new(), fence: false }
    }

    /// How many bytes at the start plainly belong to the value.
    pub(crate) fn pass(&mut self, bytes: &[u8], watch: Option<Watch>, open_ended: bool) -> usize {
        if self.stage != Stage::Value {
            return 0;
        }
        let at = self.value.pass(bytes, watch);
        // What ends with its last bracket ends the call, which is more than passing on.
        if !open_ended && self.value.ends_at(bytes, at) {
            self.stage = Stage::After;
            return at + 1;
        }
        at
    }

    /// Goes on. When the call has ended, `leave` comes last.
    pub(crate) fn step(
        &mut self,
        text: &str,
        frame: &Frame,
        leave: Step,
        context: &mut Context<'_>,
    ) -> Step {
        match self.stage {
            Stage::Before => self.before(text, frame, leave, context),
            Stage::Value => match self.value.step(text, context.eof, &frame.enders) {
                Extent::Take(bytes) => Step::Take(Span::Arguments, bytes),
                Extent::Done(bytes) => {
                    context.plan.then(Step::Take(Span::Arguments, bytes));
                    if frame.open_ended {
                        let ending =
                            if self.value.loose { Ending::Malformed } else { Ending::Complete };
                        return end(0, ending, leave, context);
                    }
                    self.stage = Stage::After;
                    match context.plan.next() {
                        Some(step) => step,
                        None => self.step(text, frame, leave, context),
                    }
                }
                Extent::Closed(bytes, ending) => end(bytes, ending, leave, context),
                Extent::More if context.eof => end(0, Ending::Truncated, leave, context),
                Extent::More => Step::More,
            },
            Stage::After => match self.ends(Ahead::new(text, 0, context.eof), frame) {
                Ok(markup) => {
                    context.plan.then(Step::Take(Span::Markup, markup));
                    end(0, Ending::Complete, leave, context)
                }
                Err(Doubt::More) => Step::More,
                Err(Doubt::No) => {
                    self.stage = Stage::Broken;
                    self.value = Value::broken();
                    self.step(text, frame, leave, context)
                }
            },
            Stage::Broken => match self.value.step(text, context.eof, &frame.enders) {
                Extent::Take(bytes) | Extent::Done(bytes) if bytes > 0 => {
                    Step::Take(Span::Arguments, bytes)
                }
                Extent::Closed(bytes, ending) => end(bytes, ending, leave, context),
                _ if !context.eof => Step::More,
                // The value itself was whole: what followed it is wrong, not missing.
                _ => end(0, Ending::Malformed, leave, context),
            },
        }
    }

    fn before(
        &mut self,
        text: &str,
        frame: &Frame,
        leave: Step,
        context: &mut Context<'_>,
    ) -> Step {
        let space = space_run(text.as_bytes());
        if space > 0 {
            return Step::Take(Span::Markup, space);
        }
        if text.is_empty() {
            // Nothing of the arguments came, and nothing says that there are none.
            return if context.eof {
                end(0, Ending::Truncated, leave, context)
            } else {
                Step::More
            };
        }
        let mut ahead = Ahead::new(text, 0, context.eof);
        match frame.enders.look(&mut ahead) {
            Ok(Ending::Truncated) => return end(0, Ending::Truncated, leave, context),
            Ok(_) => return end(0, Ending::Complete, leave, context),
            Err(Doubt::More) => return Step::More,
            Err(Doubt::No) => {}
        }
        if frame.fenced && !self.fence {
            match fence(ahead) {
                Ok(markup) => {
                    self.fence = true;
                    return Step::Take(Span::Markup, markup);
                }
                Err(Doubt::More) => return Step::More,
                Err(Doubt::No) => {}
            }
        } else if self.fence {
            // A fence with nothing in it.
            match ahead.end_of(&["```"]) {
                Ok(Some(_)) => {
                    self.stage = Stage::After;
                    return self.step(text, frame, leave, context);
                }
                Ok(None) | Err(Doubt::No) => {}
                Err(Doubt::More) => return Step::More,
            }
        }
        self.stage = Stage::Value;
        self.step(text, frame, leave, context)
    }

    /// Whether the call may end behind a whole value; how much markup closes the value itself.
    fn ends(&self, mut ahead: Ahead<'_>, frame: &Frame) -> Look<usize> {
        let mut markup = 0;
        ahead.space()?;
        if self.fence {
            if ahead.is_cut("```") {
                return Ok(ahead.end());
            }
            if unless_no(ahead.literal("```"))?.is_some() {
                markup = ahead.at;
                ahead.space()?;
            }
        }
        // The value is whole, so that an end that is cut off takes nothing away.
        if ahead.peek()?.is_some() && !frame.enders.are_cut(ahead) {
            frame.enders.look(&mut ahead)?;
        }
        Ok(markup)
    }
}

/// The opening of a code fence, its language with it.
fn fence(mut ahead: Ahead<'_>) -> Look<usize> {
    ahead.literal("```")?;
    let language = ahead;
    match ahead.run(16, |byte| byte.is_ascii_alphanumeric()) {
        Ok(_) => Ok(ahead.at),
        Err(Doubt::More) => Err(Doubt::More),
        // The text ends in the language, or there is none.
        Err(Doubt::No) if language.rest().iter().all(u8::is_ascii_alphanumeric) => Ok(ahead.end()),
        Err(Doubt::No) => Ok(ahead.at),
    }
}

/// Plans the end of the call behind `bytes` more of its arguments.
fn end(bytes: usize, ending: Ending, leave: Step, context: &mut Context<'_>) -> Step {
    context.plan.then(Step::Take(Span::Arguments, bytes));
    context.plan.then(Step::End(ending)).then(leave);
    context.planned()
}
