//! Whole messages: their start, stop and end, and with that when a call is settled.

use alloc::vec::Vec;

use super::queue::Queued;
use super::slot::State;
use super::text_calls::TextReader;
use super::{Choice, Demux, keep_bytes};
use crate::call::CallKind;
use crate::diagnostic::Ending;
use crate::event::Outcome;
use crate::stop::{StopKind, StopReason};
use crate::warning::Warning;
use crate::wire::delta::Failure;
use crate::wire::json::Text;

impl Demux {
    pub(super) fn message_start(&mut self, id: Text<'_>, model: Text<'_>) {
        let new = id.decode();
        if let Some(old) = &self.message_id {
            let is_same = **old == *new && !new.is_empty();
            self.warn(Warning::MessageRestarted);
            if is_same {
                return;
            }
            self.restart();
        }
        self.message_id = Some(new.into());
        self.choice(0);
        let (id, model) = (self.keep(id), self.keep(model));
        self.queue.push_back(Queued::MessageStart { id, model });
    }

    /// Another message in the same stream cuts what is open.
    fn restart(&mut self) {
        self.cut(Ending::Restarted);
        for choice in &mut self.choices {
            choice.by_index.clear();
            choice.by_id.clear();
            choice.by_block_id.clear();
            choice.last = None;
            choice.text = TextReader::of(self.text_calls.as_deref());
        }
    }

    pub(super) fn stop(&mut self, index: u32, reason: Text<'_>) {
        let reason = StopReason::from(reason.decode());
        let at = self.choice(index);
        self.finish_text(at);
        let known = &mut self.choices[at].stop;
        let is_new = known.as_ref() != Some(&reason);
        if is_new {
            let overrides = known.is_none() || reason.kind() != StopKind::EndTurn;
            let differs = known.is_some();
            if overrides {
                *known = Some(reason.clone());
                self.queue.push_back(Queued::Stop { choice: index, reason });
            }
            if differs {
                self.warn(Warning::MultipleFinishReasons);
            }
        }
        if self.failed.is_none() {
            self.settle_ready(index);
        }
    }

    /// Settles the choice's calls from the first one on, as far as they are ready.
    pub(super) fn settle_ready(&mut self, choice: u32) {
        for slot in 0..self.slots.len() {
            let held = &mut self.slots[slot];
            if held.key.choice != choice || !held.is_pending() {
                continue;
            }
            let ready = match held.has_own_stop {
                true => held.closed,
                false => held.is_surely_valid(),
            };
            if !ready {
                break;
            }
            let ending = self.proper_ending(choice);
            self.settle(slot, ending);
        }
    }

    /// How a call ends that its message's stop has closed.
    fn proper_ending(&self, choice: u32) -> Ending {
        let stop = self.choices.iter().find(|known| known.index == choice);
        match stop.and_then(|choice| choice.stop.as_ref()).map(StopReason::kind) {
            Some(StopKind::Length | StopKind::ContextWindow) => Ending::Length,
            Some(StopKind::ContentFilter) => Ending::ContentFilter,
            Some(StopKind::Refusal) => Ending::Refusal,
            _ => Ending::Stopped,
        }
    }

    pub(super) fn done(&mut self) {
        self.done = true;
        self.finish_texts();
        if self.failed.is_some() {
            return;
        }
        for slot in 0..self.slots.len() {
            let held = &mut self.slots[slot];
            if !held.is_pending() {
                continue;
            }
            if held.has_own_stop && !held.closed {
                held.warn(self.protocol.missing_stop());
                held.doubt_emptiness();
            }
            let ending = self.proper_ending(self.slots[slot].key.choice);
            self.settle(slot, ending);
        }
    }

    pub(super) fn failure(&mut self, failure: Failure<'_>) {
        let kind = match failure.kind.is_empty() {
            true => Text::plain("unknown"),
            false => failure.kind,
        };
        let range = self.keep(kind);
        let message = self.keep(failure.message);
        let payload = keep_bytes(&mut self.bytes, failure.json);
        if self.failed.is_none() {
            self.failed = Some(kind.decode().into());
        }
        self.queue.push_back(Queued::Failure { kind: range, message, payload });
        self.cut(Ending::ErrorEvent);
    }

    /// The decoder itself cannot go on.
    pub fn fail(&mut self, kind: &str) {
        if self.failed.is_none() {
            self.failed = Some(kind.into());
        }
        self.cut(Ending::ErrorEvent);
    }

    /// Nothing more can come for what is open; what its own stop has closed is judged.
    fn cut(&mut self, ending: Ending) {
        self.finish_texts();
        for slot in 0..self.slots.len() {
            match self.slots[slot].state {
                State::Open => self.settle(slot, ending),
                State::Stopped => {
                    let proper = self.proper_ending(self.slots[slot].key.choice);
                    self.settle(slot, proper);
                }
                State::Settled | State::Gone => {}
            }
        }
        self.held_back.clear();
    }

    /// The stream is over.
    pub fn finish_stream(&mut self) {
        self.finish_texts();
        let stopped = |choice: &Choice| choice.stop.is_some();
        let outcome = match self.failed.clone() {
            Some(kind) => Outcome::Failed(kind.into()),
            None if self.done => Outcome::Complete,
            None if !self.choices.is_empty() && self.choices.iter().all(stopped) => {
                Outcome::Complete
            }
            None => Outcome::EndedEarly,
        };
        for slot in 0..self.slots.len() {
            let held = &self.slots[slot];
            if !held.is_pending() {
                continue;
            }
            let has_stop = self.done
                || self
                    .choices
                    .iter()
                    .any(|choice| choice.index == held.key.choice && stopped(choice));
            // A block that nothing closed stays open; a call without a stop of its own is closed by
            // its choice's, and so is any call where that is the last word of all.
            let by_choice = has_stop && (!held.has_own_stop || self.protocol.ends_by_stop());
            let closed = by_choice || (held.has_own_stop && held.state == State::Stopped);
            let ending = match closed {
                true => self.proper_ending(held.key.choice),
                false => Ending::StreamEnded,
            };
            if held.has_own_stop && !held.closed {
                self.slots[slot].warn(self.protocol.missing_stop());
            }
            self.settle(slot, ending);
        }
        if self.failed.is_none() {
            self.warn_about_stops();
        }
        self.queue.push_back(Queued::StreamEnd { outcome });
    }

    /// Stop reasons that do not fit the calls. Only where calls have no stop of their own: there the
    /// call itself is warned.
    fn warn_about_stops(&mut self) {
        let mut warnings = Vec::new();
        for choice in &self.choices {
            let has_calls = choice.calls > 0;
            match choice.stop.as_ref().map(StopReason::kind) {
                Some(StopKind::ToolCalls) if !has_calls => {
                    warnings.push(Warning::FinishReasonWithoutCalls);
                }
                Some(StopKind::EndTurn | StopKind::StopSequence | StopKind::Other)
                    if has_calls && !self.has_blocks() =>
                {
                    warnings.push(Warning::FinishReasonMismatch);
                }
                None if self.done && !self.has_blocks() => {
                    warnings.push(Warning::MissingFinishReason);
                }
                _ => {}
            }
        }
        for warning in warnings {
            self.warn(warning);
        }
    }

    fn has_blocks(&self) -> bool {
        self.slots.iter().any(|slot| slot.has_own_stop)
    }

    /// The call is over: its end is queued. It is judged when the end is taken.
    pub(super) fn settle(&mut self, slot: usize, ending: Ending) {
        self.announce(slot);
        let choice = self.slots[slot].key;
        let is_last = self
            .choices
            .iter()
            .any(|known| known.index == choice.choice && known.calls == choice.position + 1);
        let has_calls_stop = self.choices.iter().any(|known| {
            known.index == choice.choice
                && known.stop.as_ref().is_some_and(|stop| {
                    matches!(stop.kind(), StopKind::EndTurn | StopKind::StopSequence)
                })
        });
        let is_limited = ending.is_limited();
        let held = &mut self.slots[slot];
        let length = held.raw.len();
        let freed = length + held.other_bytes();
        held.close_text();
        held.resolve_start_input();
        held.resolve_assembly(is_limited, self.current);
        let raw = length..held.raw.len();
        self.pending_bytes = self.pending_bytes.saturating_sub(freed);
        if self.protocol.traits().tool_stop
            && held.has_own_stop
            && held.text.is_none()
            && has_calls_stop
            && held.kind == CallKind::Function
        {
            held.warn(Warning::StopReasonMismatch);
        }
        held.state = State::Settled;
        if !raw.is_empty() {
            self.queue.push_back(Queued::Fragment { slot, raw });
        }
        // Where calls have no stop of their own, nothing says that an earlier one was over.
        let last = is_last || !self.slots[slot].has_own_stop;
        self.queue.push_back(Queued::End { slot, ending, last });
    }
}
