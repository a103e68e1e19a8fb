//! From deltas to events: a slot per call, each with its own text, and the decision when a call is
//! over.
//!
//! Nothing is parsed here. A call is *settled* when the wire says that it is over (or can no longer
//! go on); its text is then judged once, in [`diagnostic`](crate::diagnostic).
//!
//! When a call is given out, with [`EmitAt::MessageStop`]:
//!
//! - at its choice's stop, if its own block has stopped, or, where calls have no stop of their own,
//!   if its text is valid by then; in order of first appearance, so that a call which is not ready
//!   holds back those after it;
//! - at the message's end, whatever is left;
//! - at an error, a restart or the end of the stream, whatever is left: what its own stop has closed
//!   is judged, the rest is truncated.

mod identity;
mod slot;
mod text_calls;

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::call::{CallKey, CallKind};
use crate::decoder::{EmitAt, Options};
use crate::diagnostic::{Ending, FragmentMap, SettleOptions, Unfinished, settle, validate};
use crate::error::Position;
use crate::event::{self, Event, Outcome};
use crate::frame::Frame;
use crate::limits::LimitKind;
use crate::stop::{StopKind, StopReason};
use crate::warning::Warning;
use crate::wire::delta::{Channel, Delta, Failure, Open, Piece, Sink};
use crate::wire::json::Text;
use identity::{Evidence, Held, NameMatch, Route, route};
use slot::{Provenance, Slot, State};
use text_calls::TextReader;

/// What some servers write where they mean that there is no name.
const NULL: &str = "null";

/// The calls of one stream, and the events that wait to be taken.
#[derive(Debug)]
pub(crate) struct Demux {
    options: Options,
    /// In order of first appearance. Settled ones stay, emptied, so that keys stay dense.
    slots: Vec<Slot>,
    choices: Vec<Choice>,
    queue: VecDeque<Queued>,
    /// Text and bytes that queued events point into; emptied when the queue is.
    text: String,
    bytes: Vec<u8>,
    /// A piece of text on its way to the reader of calls in it.
    chunk: String,
    /// Bytes of raw arguments in pending slots.
    pending_bytes: usize,
    /// Calls whose own stop came while their text was empty or unfinished.
    held_back: Vec<(usize, u64)>,
    current: Provenance,
    message_id: Option<String>,
    done: bool,
    failed: Option<String>,
    over_limit: Option<LimitKind>,
    /// First half of a surrogate pair that the last text delta ended in.
    text_half: Option<u16>,
}

/// What is known of one choice.
#[derive(Debug)]
struct Choice {
    index: u32,
    calls: u32,
    /// The call that owns an index or block, and the one that has an id.
    by_index: BTreeMap<i64, Owner>,
    by_id: BTreeMap<String, usize>,
    /// The index and call that were touched last.
    last: Option<(Option<i64>, usize)>,
    stop: Option<StopReason>,
    /// Reads the calls in the choice's text, until its stop.
    text: Option<TextReader>,
}

/// What an index or block number stands for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Call(usize),
    /// A block that is no call.
    Other,
}

impl Owner {
    fn call(self) -> Option<usize> {
        match self {
            Owner::Call(slot) => Some(slot),
            Owner::Other => None,
        }
    }
}

/// An event that waits; its texts are ranges, so that it borrows nothing.
#[derive(Debug, Clone)]
enum Queued {
    MessageStart { id: Range<usize>, model: Range<usize> },
    Text { choice: u32, channel: Channel, text: Range<usize> },
    Start { slot: usize },
    Fragment { slot: usize, raw: Range<usize> },
    End { slot: usize, ending: Ending, last: bool },
    Usage { json: Range<usize> },
    Stop { choice: u32, reason: StopReason },
    Failure { kind: Range<usize>, message: Range<usize>, payload: Range<usize> },
    Comment { text: Range<usize> },
    Other { name: Range<usize>, data: Range<usize>, position: Position },
    Warning { warning: Warning, position: Position },
    StreamEnd { outcome: Outcome },
}

/// The raw frame that deltas of kind [`Delta::Other`] refer to.
pub(crate) struct Speaker<'d, 'f> {
    pub demux: &'d mut Demux,
    pub frame: Frame<'f>,
}

impl Sink for Speaker<'_, '_> {
    #[inline]
    fn delta(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Other => self.demux.other(self.frame),
            delta => self.demux.take(delta),
        }
    }
}

impl Demux {
    pub fn new(options: Options) -> Self {
        Demux {
            options,
            slots: Vec::new(),
            choices: Vec::new(),
            queue: VecDeque::new(),
            text: String::new(),
            bytes: Vec::new(),
            chunk: String::new(),
            pending_bytes: 0,
            held_back: Vec::new(),
            current: Provenance::default(),
            message_id: None,
            done: false,
            failed: None,
            over_limit: None,
            text_half: None,
        }
    }

    /// The event that is read next. The queue is empty by now.
    pub fn begin<'d, 'f>(&'d mut self, frame: Frame<'f>) -> Speaker<'d, 'f> {
        self.text.clear();
        self.bytes.clear();
        self.current = Provenance { ordinal: frame.ordinal, start: frame.start, end: frame.end };
        Speaker { demux: self, frame }
    }

    /// The event is read. Held-back calls that it did not go on with are over.
    pub fn finish_frame(&mut self) -> Option<LimitKind> {
        if !self.held_back.is_empty() {
            self.release_held_back();
        }
        if self.queue.len() > self.options.limits.queue {
            self.over_limit = Some(LimitKind::Queue);
        }
        self.over_limit.take()
    }

    pub fn comment(&mut self, text: &[u8]) {
        let text = keep_bytes(&mut self.bytes, text);
        self.queue.push_back(Queued::Comment { text });
    }

    pub fn warn(&mut self, warning: Warning) {
        let position = self.position();
        self.queue.push_back(Queued::Warning { warning, position });
    }

    fn position(&self) -> Position {
        Position { byte: self.current.start, event: self.current.ordinal }
    }

    /// An event that nobody has modelled.
    pub fn other(&mut self, frame: Frame<'_>) {
        let name = keep_bytes(&mut self.bytes, frame.name);
        let data = keep_bytes(&mut self.bytes, frame.data);
        let position = self.position();
        self.queue.push_back(Queued::Other { name, data, position });
    }

    fn take(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Fragment { block, text } => self.fragment(block, text),
            Delta::Piece(piece) => self.piece(piece),
            Delta::Text { choice, channel, text } => self.say(choice, channel, text),
            Delta::Open(open) => self.open(open),
            Delta::OpenOther { block } => self.open_other(block),
            Delta::Close { block } => self.close(block),
            Delta::Stop { choice, reason } => self.stop(choice, reason),
            Delta::Done => self.done(),
            Delta::MessageStart { id, model } => self.message_start(id, model),
            Delta::Usage { json } => {
                let json = self.keep(Text { bytes: json, escaped: false });
                self.queue.push_back(Queued::Usage { json });
            }
            Delta::Failure(failure) => self.failure(failure),
            Delta::Warning(warning) => self.warn(warning),
            Delta::BlockWarning { block, warning } => self.block_warning(block, warning),
            Delta::Other => {}
        }
    }

    fn keep(&mut self, text: Text<'_>) -> Range<usize> {
        let start = self.text.len();
        let mut half = None;
        text.append_to(&mut self.text, &mut half);
        if half.is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        start..self.text.len()
    }

    fn say(&mut self, choice: u32, channel: Channel, text: Text<'_>) {
        let at = self.choice(choice);
        if channel == Channel::Content
            && self.choices.get(at).is_some_and(|known| known.text.is_some())
        {
            return self.read_text(at, text);
        }
        let start = self.text.len();
        text.append_to(&mut self.text, &mut self.text_half);
        let text = start..self.text.len();
        if !text.is_empty() {
            self.queue.push_back(Queued::Text { choice, channel, text });
        }
    }
}

/// Whole messages: their start, stop and end.
impl Demux {
    fn message_start(&mut self, id: Text<'_>, model: Text<'_>) {
        let new = id.decode();
        if let Some(old) = &self.message_id {
            let is_same = *old == new && !new.is_empty();
            self.warn(Warning::MessageRestarted);
            if is_same {
                return;
            }
            self.restart();
        }
        self.message_id = Some(new);
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
            choice.last = None;
            choice.text = TextReader::of(&self.options);
        }
    }

    fn stop(&mut self, index: u32, reason: Text<'_>) {
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
    fn settle_ready(&mut self, choice: u32) {
        for slot in 0..self.slots.len() {
            let held = &mut self.slots[slot];
            if held.key.choice != choice || !held.is_pending() {
                continue;
            }
            let ready = match held.has_own_stop {
                true => held.state == State::Stopped,
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

    fn done(&mut self) {
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
            if held.has_own_stop && held.state == State::Open {
                held.warn(Warning::MissingBlockStop);
            }
            let ending = self.proper_ending(self.slots[slot].key.choice);
            self.settle(slot, ending);
        }
    }

    fn failure(&mut self, failure: Failure<'_>) {
        let kind = match failure.kind.is_empty() {
            true => Text::plain("unknown"),
            false => failure.kind,
        };
        let range = self.keep(kind);
        let message = self.keep(failure.message);
        let payload = keep_bytes(&mut self.bytes, failure.json);
        if self.failed.is_none() {
            self.failed = Some(kind.decode());
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
            Some(kind) => Outcome::Failed(kind),
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
            // its choice's.
            let closed = match held.has_own_stop {
                true => held.state == State::Stopped,
                false => has_stop,
            };
            let ending = match closed {
                true => self.proper_ending(held.key.choice),
                false => Ending::StreamEnded,
            };
            if !closed && held.has_own_stop {
                self.slots[slot].warn(Warning::MissingBlockStop);
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
}

/// Calls in blocks of their own.
impl Demux {
    fn open(&mut self, open: Open<'_>) {
        if self.failed.is_some() {
            return;
        }
        let choice = self.choice(0);
        let owner = self.choices[choice].by_index.get(&open.block).copied();
        let mut warning = None;
        let mut adopted = None;
        if owner == Some(Owner::Other) {
            warning = Some(Warning::IndexReused);
        }
        if let Some(owner) = owner.and_then(Owner::call) {
            let held = &mut self.slots[owner];
            if held.state == State::Open && held.warnings.contains(Warning::OrphanFragment) {
                held.warnings.remove(Warning::OrphanFragment);
                held.warn(Warning::FragmentBeforeStart);
                adopted = Some(owner);
            } else {
                self.close_older(owner);
                warning = Some(Warning::IndexReused);
            }
        }
        let slot = match adopted {
            Some(slot) => slot,
            None => match self.new_slot(choice, open.kind, true) {
                Some(slot) => slot,
                None => return,
            },
        };
        self.choices[choice].by_index.insert(open.block, Owner::Call(slot));
        self.choices[choice].last = Some((Some(open.block), slot));
        let id = open.id.map(Text::cow);
        let is_twin = id.as_ref().is_some_and(|id| self.choices[choice].by_id.contains_key(&**id));
        let held = &mut self.slots[slot];
        held.kind = open.kind;
        if let Some(warning) = warning {
            held.warn(warning);
        }
        if is_twin {
            held.warn(Warning::DuplicateId);
        }
        held.name = open.name.map(Text::decode);
        held.start_input = open.input.map(|input| (input.decode(), self.current));
        if let Some(id) = id {
            self.adopt_id(choice, slot, id);
        }
        self.announce(slot);
    }

    fn open_other(&mut self, block: i64) {
        let choice = self.choice(0);
        let before = self.choices[choice].by_index.insert(block, Owner::Other);
        if let Some(owner) = before.and_then(Owner::call) {
            self.close_older(owner);
        }
        self.choices[choice].last = None;
    }

    /// A new block under the index of an older one says that the older one is over.
    fn close_older(&mut self, slot: usize) {
        let held = &mut self.slots[slot];
        if held.state == State::Open {
            held.warn(Warning::MissingBlockStop);
            held.state = State::Stopped;
        }
    }

    fn fragment(&mut self, block: i64, text: Option<Text<'_>>) {
        if self.failed.is_some() {
            return;
        }
        let choice = self.choice(0);
        let Some(slot) = self.owner_of(block) else {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                self.orphan(choice, Some(block), true, text);
            }
            return;
        };
        let held = &mut self.slots[slot];
        let Some(text) = text else { return held.warn(Warning::NullFragment) };
        if text.is_empty() {
            return;
        }
        match held.state {
            State::Open => {}
            State::Stopped => {
                held.warn(Warning::FragmentAfterStop);
                held.after_stop.get_or_insert(held.raw.len());
            }
            State::Settled | State::Gone => {
                return self.orphan(choice, Some(block), true, text);
            }
        }
        self.append(slot, text);
    }

    fn close(&mut self, block: i64) {
        let Some(slot) = self.owner_of(block) else { return };
        let held = &mut self.slots[slot];
        match held.state {
            State::Open => held.state = State::Stopped,
            _ => held.warn(Warning::DuplicateBlockStop),
        }
        if held.state != State::Stopped {
            return;
        }
        let has_stop = self.choices.iter().any(|choice| choice.stop.is_some());
        if has_stop {
            // The message's stop came before: nothing is left to wait for.
            return self.settle_ready(0);
        }
        if self.options.emit_at == EmitAt::CallStop && held.is_pending() {
            match held.is_whole() {
                true => self.settle(slot, Ending::Stopped),
                false => self.held_back.push((slot, self.current.ordinal)),
            }
        }
    }

    fn release_held_back(&mut self) {
        let mut held_back = core::mem::take(&mut self.held_back);
        held_back.retain(|(slot, since)| {
            let held = &mut self.slots[*slot];
            let decided = held.is_pending() && *since < self.current.ordinal && {
                held.touched != self.current.ordinal || held.is_whole()
            };
            if decided {
                self.settle(*slot, Ending::Stopped);
            }
            self.slots[*slot].is_pending()
        });
        held_back.append(&mut self.held_back);
        self.held_back = held_back;
    }

    fn block_warning(&mut self, block: i64, warning: Warning) {
        if let Some(slot) = self.owner_of(block) {
            if self.slots[slot].state == State::Open {
                self.slots[slot].warn(warning);
            }
        }
    }

    #[inline]
    fn owner_of(&mut self, block: i64) -> Option<usize> {
        let choice = self.choices.first_mut().filter(|choice| choice.index == 0)?;
        match choice.last {
            Some((Some(last), slot)) if last == block => Some(slot),
            _ => {
                let slot = choice.by_index.get(&block)?.call()?;
                choice.last = Some((Some(block), slot));
                Some(slot)
            }
        }
    }
}

/// Calls that only their pieces' fields tell apart.
impl Demux {
    fn piece(&mut self, piece: Piece<'_>) {
        if self.failed.is_some() {
            return;
        }
        let choice = self.choice(piece.choice);
        let arguments = piece.arguments.filter(|arguments| !arguments.is_empty());
        // What nearly every piece is: the next fragment of the call that was touched last.
        if piece.id.is_none() && piece.name.is_none() && piece.warning.is_none() {
            if let (Some((Some(last), slot)), Some(text)) = (self.choices[choice].last, arguments) {
                if piece.index == Some(last) && self.slots[slot].state == State::Open {
                    return self.late_or_append(choice, slot, text);
                }
            }
        }
        let (id, name) = (piece.id.map(Text::cow), piece.name.map(Text::cow));
        let route = route(self.evidence(choice, piece.index, id.as_deref(), name.as_deref()));
        let is_empty = id.is_none() && name.is_none() && arguments.is_none();
        let (slot, warnings) = match route {
            Route::To(slot, warning) => (slot, [warning, None]),
            Route::Orphan if is_empty => return self.warn(Warning::EmptyToolCallEntry),
            Route::Orphan => match arguments {
                Some(text) => return self.orphan(choice, piece.index, false, text),
                None => return,
            },
            Route::New(_) | Route::Twin => {
                let Some(slot) = self.new_slot(choice, piece.kind, false) else { return };
                let warnings = match route {
                    Route::New(warning) => [warning, None],
                    _ => [Some(Warning::DuplicateId), Some(Warning::IndexReused)],
                };
                if self.choices[choice].stop.is_some() {
                    self.slots[slot].warn(Warning::DeltaAfterFinish);
                }
                if piece.index.is_none() {
                    self.slots[slot].warn(Warning::MissingIndex);
                }
                (slot, warnings)
            }
        };
        for warning in warnings.into_iter().flatten().chain(piece.warning) {
            self.slots[slot].warn(warning);
        }
        if !self.slots[slot].is_pending() {
            if let Some(text) = arguments {
                self.orphan(choice, piece.index, false, text);
            }
            return;
        }
        if let Some(index) = piece.index {
            self.choices[choice].by_index.insert(index, Owner::Call(slot));
        }
        let index = piece
            .index
            .or(self.choices[choice].last.filter(|last| last.1 == slot).and_then(|last| last.0));
        self.choices[choice].last = Some((index, slot));
        if piece.kind == CallKind::Custom {
            self.slots[slot].kind = CallKind::Custom;
            self.slots[slot].warn(Warning::CustomTool);
        }
        if let Some(id) = id {
            if self.slots[slot].id.is_none() {
                self.adopt_id(choice, slot, id);
            }
        }
        if let Some(name) = name {
            self.slots[slot].take_name(&name);
            if arguments.is_none() || self.slots[slot].announced {
                self.announce(slot);
            }
        }
        if let Some(text) = arguments {
            self.late_or_append(choice, slot, text);
        }
    }

    fn late_or_append(&mut self, choice: usize, slot: usize, text: Text<'_>) {
        if self.choices[choice].stop.is_some() {
            self.slots[slot].warn(Warning::DeltaAfterFinish);
        }
        self.append(slot, text);
    }

    fn evidence(
        &mut self,
        choice: usize,
        index: Option<i64>,
        id: Option<&str>,
        name: Option<&str>,
    ) -> Evidence {
        let choice = &self.choices[choice];
        let by_id = id.and_then(|id| choice.by_id.get(id).copied());
        let by_index = index.and_then(|index| choice.by_index.get(&index)?.call());
        let last = choice.last.map(|(_, slot)| slot);
        let mut held = |slot: Option<usize>| slot.map(|slot| self.slots[slot].held(slot, name));
        Evidence {
            has_id: id.is_some(),
            has_index: index.is_some(),
            // A server that writes `null` as text has no name to give.
            has_name: name.is_some_and(|name| name != NULL),
            by_id: held(by_id),
            by_index: held(by_index),
            last: held(last),
        }
    }
}

/// Slots.
impl Demux {
    fn choice(&mut self, index: u32) -> usize {
        if let Some(at) = self.choices.iter().position(|choice| choice.index == index) {
            return at;
        }
        if self.choices.len() >= self.options.limits.calls.max(1) {
            self.over_limit = Some(LimitKind::Calls);
            return 0;
        }
        self.choices.push(Choice {
            index,
            calls: 0,
            by_index: BTreeMap::new(),
            by_id: BTreeMap::new(),
            last: None,
            stop: None,
            text: TextReader::of(&self.options),
        });
        self.choices.len() - 1
    }

    fn new_slot(&mut self, choice: usize, kind: CallKind, has_own_stop: bool) -> Option<usize> {
        if self.slots.len() >= self.options.limits.calls {
            self.over_limit = Some(LimitKind::Calls);
            return None;
        }
        let choice = &mut self.choices[choice];
        let key = CallKey { choice: choice.index, position: choice.calls };
        choice.calls += 1;
        let fragments = match self.options.fragments {
            true => FragmentMap::default(),
            false => FragmentMap::off(),
        };
        self.slots.push(Slot::new(key, kind, has_own_stop, fragments));
        Some(self.slots.len() - 1)
    }

    fn adopt_id(&mut self, choice: usize, slot: usize, id: Cow<'_, str>) {
        let id = id.into_owned();
        self.choices[choice].by_id.insert(id.clone(), slot);
        self.slots[slot].id = Some(id);
    }

    /// A fragment that no call owns is kept in a nameless call of its own.
    fn orphan(&mut self, choice: usize, index: Option<i64>, has_own_stop: bool, text: Text<'_>) {
        let Some(slot) = self.new_slot(choice, CallKind::Function, has_own_stop) else { return };
        self.slots[slot].warn(Warning::OrphanFragment);
        if self.choices[choice].stop.is_some() && !has_own_stop {
            self.slots[slot].warn(Warning::DeltaAfterFinish);
        }
        if let Some(index) = index {
            self.choices[choice].by_index.insert(index, Owner::Call(slot));
        }
        self.choices[choice].last = Some((index, slot));
        self.append(slot, text);
    }

    #[inline]
    fn append(&mut self, slot: usize, text: Text<'_>) {
        let held = &mut self.slots[slot];
        let start = held.append(text, self.current);
        let raw = start..held.raw.len();
        self.pending_bytes += raw.len();
        if held.raw.len() > self.options.limits.call {
            self.over_limit = Some(LimitKind::Call);
        } else if self.pending_bytes > self.options.limits.message {
            self.over_limit = Some(LimitKind::Message);
        }
        if !held.announced {
            self.announce(slot);
        }
        if !raw.is_empty() {
            self.queue.push_back(Queued::Fragment { slot, raw });
        }
    }

    fn announce(&mut self, slot: usize) {
        if !self.slots[slot].announced {
            self.slots[slot].announced = true;
            self.queue.push_back(Queued::Start { slot });
        }
    }

    /// The call is over: its end is queued. It is judged when the end is taken.
    fn settle(&mut self, slot: usize, ending: Ending) {
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
        let held = &mut self.slots[slot];
        let length = held.raw.len();
        held.close_text();
        held.resolve_start_input();
        let raw = length..held.raw.len();
        self.pending_bytes = self.pending_bytes.saturating_sub(length);
        // That a turn ended is no mismatch where calls are but text.
        let is_counted = held.has_own_stop && held.text.is_none();
        if is_counted && has_calls_stop && held.kind == CallKind::Function {
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

/// Taking events.
impl Demux {
    pub fn has_events(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The next event that waits.
    #[inline]
    pub fn pop(&mut self) -> Option<Event<'_>> {
        let text = |range: Range<usize>| Cow::Borrowed(&self.text[range]);
        let bytes = |range: Range<usize>| Cow::Borrowed(&self.bytes[range]);
        Some(match self.queue.pop_front()? {
            Queued::Fragment { slot, raw } => {
                let slot = &self.slots[slot];
                Event::ToolCallDelta(event::ToolCallDelta {
                    key: slot.key,
                    fragment: Cow::Borrowed(&slot.raw[raw]),
                })
            }
            Queued::Text { choice, channel, text: range } => {
                let text = event::Text { choice, text: text(range) };
                match channel {
                    Channel::Content => Event::Text(text),
                    Channel::Reasoning => Event::Reasoning(text),
                    Channel::Refusal => Event::Refusal(text),
                }
            }
            Queued::MessageStart { id, model } => {
                Event::MessageStart(event::MessageStart { id: text(id), model: text(model) })
            }
            Queued::Start { slot } => {
                let slot = &self.slots[slot];
                Event::ToolCallStart(event::ToolCallStart {
                    key: slot.key,
                    kind: slot.kind,
                    id: slot.id.as_deref().map(Cow::Borrowed),
                    name: Cow::Borrowed(slot.name.as_deref().unwrap_or_default()),
                })
            }
            Queued::End { slot, ending, last } => {
                let options = SettleOptions { accept_recovery: self.options.accept_recovery };
                let slot = &mut self.slots[slot];
                let key = slot.key;
                let mut unfinished = slot.take(ending, last);
                unfinished.text = slot.text.take().map(|call| {
                    call.read(&unfinished.name, &unfinished.raw, &self.options.text_options)
                });
                let result = settle(unfinished, options);
                Event::ToolCallEnd(event::ToolCallEnd { key, result })
            }
            Queued::Usage { json } => Event::Usage(event::Usage { json: text(json) }),
            Queued::Stop { choice, reason } => Event::Stop(event::Stop { choice, reason }),
            Queued::Failure { kind, message, payload } => {
                Event::ProviderError(event::ProviderError {
                    kind: text(kind),
                    message: text(message),
                    payload: bytes(payload),
                })
            }
            Queued::Comment { text } => Event::Comment(bytes(text)),
            Queued::Other { name, data, position } => {
                Event::Other(event::Other { name: bytes(name), data: bytes(data), position })
            }
            Queued::Warning { warning, position } => {
                Event::Warning(event::WarningEvent { warning, position })
            }
            Queued::StreamEnd { outcome } => Event::End(event::End { outcome }),
        })
    }

    /// The raw arguments of a call so far; `None` once its end was taken.
    pub fn arguments_so_far(&self, key: CallKey) -> Option<&str> {
        let pending = |slot: &&Slot| slot.key == key && slot.state != State::Gone;
        self.slots.iter().rev().find(pending).map(|slot| slot.raw.as_str())
    }
}

impl Slot {
    /// Sets the name once; another piece before any argument byte extends it.
    fn take_name(&mut self, piece: &str) {
        match &mut self.name {
            None => self.name = Some(piece.into()),
            Some(name) if name == piece => {}
            Some(_) if piece == NULL => self.warn(Warning::NameNullLiteral),
            Some(name) if name == NULL => {
                *name = piece.into();
                self.warn(Warning::NameNullLiteral);
            }
            Some(_) if !self.raw.is_empty() => {}
            Some(name) => {
                name.push_str(piece);
                self.warn(Warning::NameFragmented);
            }
        }
    }

    fn held(&mut self, slot: usize, name: Option<&str>) -> Held {
        let name = match (name, &self.name) {
            (None | Some(NULL), _) => NameMatch::Absent,
            (Some(name), Some(known)) if name != known && known != NULL => NameMatch::Differs,
            _ => NameMatch::Fits,
        };
        let is_whole = !self.is_pending() || self.is_whole();
        Held { slot, has_id: self.id.is_some(), is_whole, name }
    }

    /// Whether the text is whole and valid, and no mere placeholder `{}`; once it is whole and not valid, nothing can mend it, so
    /// that it is not looked at again.
    fn is_surely_valid(&mut self) -> bool {
        if self.kind == CallKind::Custom {
            return true;
        }
        if self.hopeless || !self.is_whole() || self.raw == "{}" {
            return false;
        }
        self.hopeless = validate(&self.raw).is_err();
        !self.hopeless
    }

    /// The arguments of the start count only if no fragment came.
    fn resolve_start_input(&mut self) {
        let Some((input, from)) = self.start_input.take() else { return };
        if self.has_text() {
            return self.warn(Warning::StartInputOverridden);
        }
        self.warn(Warning::ArgumentsFromStart);
        self.append(Text::plain(&input), from);
    }

    /// Takes everything out for the final judgement.
    fn take(&mut self, ending: Ending, last: bool) -> Unfinished {
        self.state = State::Gone;
        // Most formats of calls in text have no ids.
        if self.id.is_none() && self.text.is_none() {
            self.warn(Warning::MissingId);
        }
        let name = self.name.take().unwrap_or_default();
        if name.is_empty() {
            self.warn(Warning::MissingName);
        }
        if self.raw.contains(char::REPLACEMENT_CHARACTER) {
            self.warn(Warning::ReplacementCharacter);
        }
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte);
        if !name.bytes().all(fits) {
            self.warn(Warning::NameInvalid);
        }
        Unfinished {
            key: self.key,
            kind: self.kind,
            id: self.id.take(),
            name,
            raw: core::mem::take(&mut self.raw),
            fragments: core::mem::take(&mut self.fragments),
            warnings: self.warnings,
            ending,
            last,
            after_stop: self.after_stop,
            text: None,
        }
    }
}

fn keep_bytes(kept: &mut Vec<u8>, bytes: &[u8]) -> Range<usize> {
    let start = kept.len();
    kept.extend_from_slice(bytes);
    start..kept.len()
}
