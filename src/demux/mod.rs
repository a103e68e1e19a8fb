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
//!
//! | file | what |
//! |---|---|
//! | `blocks` | calls in blocks of their own, and whole ones |
//! | `pieces`, `identity` | calls that only the fields of their pieces tell apart |
//! | `messages` | starts, stops and ends: when a call is settled |
//! | `text_calls` | calls that stand in the text |
//! | `slot`, `assembly` | one call under construction |
//! | `queue` | the events that wait |

mod assembly;
mod blocks;
mod identity;
mod messages;
mod pieces;
mod queue;
mod slot;
mod text_calls;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::call::{CallKey, CallKind};
use crate::decoder::{EmitAt, Options};
use crate::diagnostic::FragmentMap;
use crate::error::Position;
use crate::frame::Frame;
use crate::limits::{LimitKind, Limits};
use crate::protocol::Protocol;
use crate::stop::StopReason;
use crate::warning::Warning;
use crate::wire::delta::{Channel, Delta, Owner, Sink};
use crate::wire::json::Text;
use queue::Queued;
use slot::{Provenance, Slot};
use text_calls::{TextCalls, TextReader};

/// What a buffer may keep of its capacity from one event to the next, in bytes.
const RETAIN: usize = 2 << 10;

/// The calls of one stream, and the events that wait to be taken.
#[derive(Debug)]
pub(crate) struct Demux {
    rules: Rules,
    /// What the calls in the text are read by.
    text_calls: Option<Box<TextCalls>>,
    /// Whose habits the warnings are about.
    protocol: Protocol,
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
    /// The call that the last delta was about.
    current_call: Option<usize>,
    current: Provenance,
    message_id: Option<Box<str>>,
    done: bool,
    failed: Option<Box<str>>,
    over_limit: Option<LimitKind>,
    /// First half of a surrogate pair that the last text delta ended in.
    text_half: Option<u16>,
    /// The format of the calls in the text, once one has ended.
    pub text_format: Option<&'static crate::text::Format>,
}

/// The [`Options`] that are about calls.
#[derive(Debug)]
struct Rules {
    emit_at: EmitAt,
    accept_recovery: bool,
    fragments: bool,
    limits: Limits,
}

/// What is known of one choice.
#[derive(Debug)]
struct Choice {
    index: u32,
    calls: u32,
    /// The call that owns an index or block, and the one that has an id.
    by_index: BTreeMap<i64, Holder>,
    by_id: BTreeMap<String, usize>,
    /// The call in the block that has an id of its own.
    by_block_id: BTreeMap<String, usize>,
    /// The index and call that were touched last.
    last: Option<(Option<i64>, usize)>,
    stop: Option<StopReason>,
    /// Reads the calls in the choice's text, until its stop.
    text: Option<Box<TextReader>>,
}

/// What an index or block number stands for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Call(usize),
    /// A block that is no call.
    Other,
}

impl Holder {
    fn call(self) -> Option<usize> {
        match self {
            Holder::Call(slot) => Some(slot),
            Holder::Other => None,
        }
    }
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
        let rules = Rules {
            emit_at: options.emit_at,
            accept_recovery: options.accept_recovery,
            fragments: options.fragments,
            limits: options.limits,
        };
        let text_calls = options
            .text_calls
            .map(|formats| Box::new(TextCalls { formats, options: options.text_options }));
        Demux {
            rules,
            text_calls,
            protocol: Protocol::Auto,
            slots: Vec::new(),
            choices: Vec::new(),
            queue: VecDeque::new(),
            text: String::new(),
            bytes: Vec::new(),
            chunk: String::new(),
            pending_bytes: 0,
            held_back: Vec::new(),
            current_call: None,
            current: Provenance::default(),
            message_id: None,
            done: false,
            failed: None,
            over_limit: None,
            text_half: None,
            text_format: None,
        }
    }

    pub fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    /// The event that is read next. The queue is empty by now.
    pub fn begin<'d, 'f>(&'d mut self, frame: Frame<'f>) -> Speaker<'d, 'f> {
        self.text.clear();
        self.text.shrink_to(RETAIN);
        self.bytes.clear();
        self.bytes.shrink_to(RETAIN);
        self.current = Provenance { ordinal: frame.ordinal, start: frame.start, end: frame.end };
        Speaker { demux: self, frame }
    }

    /// The event is read. Held-back calls that it did not go on with are over.
    pub fn finish_frame(&mut self) -> Option<LimitKind> {
        if !self.held_back.is_empty() {
            self.release_held_back();
        }
        if self.queue.len() > self.rules.limits.queue {
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

    #[inline]
    fn take(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Fragment { block, text } => self.fragment(block, text),
            Delta::Piece(piece) => self.piece(piece),
            Delta::Text { choice, channel, text } => self.say(choice, channel, text),
            delta => self.take_seldom(delta),
        }
    }

    fn take_seldom(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Open(call) => drop(self.open(call)),
            Delta::Whole(call) => drop(self.whole(call)),
            Delta::Finish(call) => self.finish(call),
            Delta::Recap(call) => self.recap(call),
            Delta::OpenOther(block) => self.open_other(block),
            Delta::Snapshot { block, text } => self.snapshot(block, text),
            Delta::Value { block, update } => self.value(block, update),
            Delta::Close(block) => self.close(block),
            Delta::Stop { choice, reason } => self.stop(choice, reason),
            Delta::Done => self.done(),
            Delta::MessageStart { id, model } => self.message_start(id, model),
            Delta::Usage { json } => {
                let json = self.keep(Text { bytes: json, escaped: false });
                self.queue.push_back(Queued::Usage { json });
            }
            Delta::Extra { owner, name, json } => self.extra(owner, name, json),
            Delta::Failure(failure) => self.failure(failure),
            Delta::Warning(warning) => self.warn(warning),
            Delta::BlockWarning { block, warning } => self.block_warning(block, warning),
            Delta::Fragment { .. } | Delta::Piece(_) | Delta::Text { .. } | Delta::Other => {}
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
        let reader = self.choices.get(at).and_then(|known| known.text.as_ref());
        if channel == Channel::Content && reader.is_some() {
            return self.read_text(at, text);
        }
        let start = self.text.len();
        text.append_to(&mut self.text, &mut self.text_half);
        let text = start..self.text.len();
        if !text.is_empty() {
            self.queue.push_back(Queued::Text { choice, channel, text });
        }
    }

    fn extra(&mut self, owner: Owner, name: Text<'_>, json: &[u8]) {
        match owner {
            Owner::Message { choice } => {
                let name = self.keep(name);
                let json = self.keep(Text { bytes: json, escaped: false });
                self.queue.push_back(Queued::Extra { choice, name, json });
            }
            Owner::Call => {
                let pending = |slot: &usize| self.slots[*slot].is_pending();
                if let Some(slot) = self.current_call.filter(pending) {
                    self.count(json.len());
                    self.slots[slot].extras.set(&name.cow(), &String::from_utf8_lossy(json));
                }
            }
        }
    }
}

/// Slots.
impl Demux {
    fn choice(&mut self, index: u32) -> usize {
        if let Some(at) = self.choices.iter().position(|choice| choice.index == index) {
            return at;
        }
        if self.choices.len() >= self.rules.limits.calls.max(1) {
            self.over_limit = Some(LimitKind::Calls);
            return 0;
        }
        make_room(&mut self.choices);
        self.choices.push(Choice {
            index,
            calls: 0,
            by_index: BTreeMap::new(),
            by_id: BTreeMap::new(),
            by_block_id: BTreeMap::new(),
            last: None,
            stop: None,
            text: TextReader::of(self.text_calls.as_deref()),
        });
        self.choices.len() - 1
    }

    fn new_slot(&mut self, choice: usize, kind: CallKind, has_own_stop: bool) -> Option<usize> {
        if self.slots.len() >= self.rules.limits.calls {
            self.over_limit = Some(LimitKind::Calls);
            return None;
        }
        let choice = &mut self.choices[choice];
        let key = CallKey { choice: choice.index, position: choice.calls };
        choice.calls += 1;
        let fragments = match self.rules.fragments {
            true => FragmentMap::default(),
            false => FragmentMap::off(),
        };
        make_room(&mut self.slots);
        self.slots.push(Slot::new(key, kind, has_own_stop, fragments));
        Some(self.slots.len() - 1)
    }

    fn adopt_id(&mut self, choice: usize, slot: usize, id: Cow<'_, str>) {
        let id = id.into_owned();
        self.choices[choice].by_id.insert(id.clone(), slot);
        self.slots[slot].id = Some(id);
    }

    /// What no call owns is kept in a nameless call of its own.
    fn orphan(&mut self, choice: usize, index: Option<i64>, has_own_stop: bool) -> Option<usize> {
        let slot = self.new_slot(choice, CallKind::Function, has_own_stop)?;
        self.slots[slot].warn(Warning::OrphanFragment);
        if self.choices[choice].stop.is_some() && !has_own_stop {
            self.slots[slot].warn(Warning::DeltaAfterFinish);
        }
        if let Some(index) = index {
            self.choices[choice].by_index.insert(index, Holder::Call(slot));
        }
        self.choices[choice].last = Some((index, slot));
        self.current_call = Some(slot);
        Some(slot)
    }

    #[inline]
    fn append(&mut self, slot: usize, text: Text<'_>) {
        let held = &mut self.slots[slot];
        let start = held.append(text, self.current);
        let (raw, length) = (start..held.raw.len(), held.raw.len());
        let announced = held.announced;
        self.count(raw.len());
        self.check_length(length);
        if !announced {
            self.announce(slot);
        }
        if !raw.is_empty() {
            self.queue.push_back(Queued::Fragment { slot, raw });
        }
    }

    /// So many bytes more are held for calls that are not over.
    #[inline]
    fn count(&mut self, bytes: usize) {
        self.pending_bytes += bytes;
        if self.pending_bytes > self.rules.limits.message {
            self.over_limit = Some(LimitKind::Message);
        }
    }

    #[inline]
    fn check_length(&mut self, of_call: usize) {
        if of_call > self.rules.limits.call {
            self.over_limit = Some(LimitKind::Call);
        }
    }

    fn announce(&mut self, slot: usize) {
        if !self.slots[slot].announced {
            self.slots[slot].announced = true;
            self.queue.push_back(Queued::Start { slot });
        }
    }
}

/// Most streams have one choice and one call: room for four is not taken in advance.
fn make_room<T>(all: &mut Vec<T>) {
    if all.len() == all.capacity() {
        all.reserve_exact(all.len().max(1));
    }
}

fn keep_bytes(kept: &mut Vec<u8>, bytes: &[u8]) -> Range<usize> {
    let start = kept.len();
    kept.extend_from_slice(bytes);
    start..kept.len()
}
