//! Calls in blocks of their own, and calls that are whole in themselves.
//!
//! Which block a fragment belongs to is said by the block's number, on some wires by an id as well,
//! and senders get both wrong. The order of evidence: the id of a block, the id of a call (some put
//! that in its place), then the open call of that number.
//!
//! A snapshot of the whole arguments counts more than the fragments before it: it takes their place,
//! and is never added to them.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::queue::Queued;
use super::slot::{State, is_whole_value};
use super::{Demux, Holder};
use crate::call::CallKind;
use crate::decoder::EmitAt;
use crate::diagnostic::Ending;
use crate::warning::Warning;
use crate::wire::delta::{Block, Call, Update};
use crate::wire::json::Text;

/// Beginnings.
impl Demux {
    pub(super) fn open(&mut self, call: Call<'_>) -> Option<usize> {
        self.current_call = None;
        if self.failed.is_some() {
            return None;
        }
        let choice = self.choice(call.block.choice);
        let block_id = call.block.id.map(Text::cow);
        let by_id = block_id.as_ref().and_then(|id| self.choices[choice].by_block_id.get(&**id));
        let by_id = by_id.copied().filter(|slot| !self.slots[*slot].closed);
        let holder =
            call.block.index.and_then(|at| self.choices[choice].by_index.get(&at).copied());
        let mut warning = None;
        let known = match (by_id, holder) {
            (Some(slot), _) => Some(slot),
            (None, Some(Holder::Call(older))) if self.is_lost_start(older, &call) => Some(older),
            (None, Some(Holder::Call(older))) => {
                let has_own_id = self.slots[older].block_id.is_some() && block_id.is_some();
                if !has_own_id {
                    self.close_older(older);
                }
                warning = Some(Warning::IndexReused);
                None
            }
            (None, Some(Holder::Other)) => {
                warning = Some(Warning::IndexReused);
                None
            }
            (None, None) => None,
        };
        let slot = match known {
            Some(slot) => slot,
            None => self.new_slot(choice, call.kind, true)?,
        };
        if let Some(warning) = warning {
            self.slots[slot].warn(warning);
        }
        if let Some(index) = call.block.index {
            self.choices[choice].by_index.insert(index, Holder::Call(slot));
        }
        self.choices[choice].last = Some((call.block.index, slot));
        self.identify(choice, slot, &call);
        self.announce(slot);
        if let Some(input) = call.input {
            self.begin_with(slot, input);
        }
        Some(slot)
    }

    /// Whether the call's fragments came before this start of it.
    fn is_lost_start(&self, slot: usize, call: &Call<'_>) -> bool {
        let held = &self.slots[slot];
        let same_id = match (&held.block_id, call.block.id) {
            (Some(own), Some(id)) => id == **own,
            _ => true,
        };
        held.state == State::Open && held.warnings.contains(Warning::OrphanFragment) && same_id
    }

    /// Takes over what a start says of its call.
    fn identify(&mut self, choice: usize, slot: usize, call: &Call<'_>) {
        self.current_call = Some(slot);
        let held = &mut self.slots[slot];
        held.kind = call.kind;
        if held.warnings.contains(Warning::OrphanFragment) {
            held.warnings.remove(Warning::OrphanFragment);
            held.warn(Warning::FragmentBeforeStart);
        }
        if let Some(warning) = call.warning {
            held.warn(warning);
        }
        if let Some(name) = call.name {
            match &held.name {
                Some(known) if name == **known => {}
                known => {
                    let is_new = known.is_none();
                    held.name = Some(name.decode());
                    if !is_new {
                        held.warn(Warning::NameChanged);
                    }
                }
            }
        }
        if let Some(id) = call.block.id.map(Text::cow) {
            if held.block_id.as_deref() != Some(&*id) {
                if held.block_id.is_some() {
                    held.warn(Warning::ItemIdChanged);
                }
                self.choices[choice].by_block_id.insert(id.clone().into_owned(), slot);
                held.block_id = Some(id.into_owned());
            }
        }
        if let Some(id) = call.id.map(Text::cow) {
            let held = &mut self.slots[slot];
            if held.id.as_deref() != Some(&*id) {
                if held.id.is_some() {
                    held.warn(Warning::IdChanged);
                }
                if self.choices[choice].by_id.contains_key(&*id) {
                    held.warn(Warning::DuplicateId);
                }
                self.adopt_id(choice, slot, id);
            }
        }
    }

    /// Arguments in a start: a beginning that the fragments continue; or, where they are a whole
    /// value, what counts if nothing else comes.
    fn begin_with(&mut self, slot: usize, input: Text<'_>) {
        let held = &mut self.slots[slot];
        if held.has_text() || held.start_input.is_some() {
            return;
        }
        let text = input.cow();
        if held.kind == CallKind::Custom || is_whole_value(&text) {
            held.start_input = Some((text.into_owned(), self.current));
            let length = input.bytes.len();
            self.count(length);
            self.check_length(length);
        } else {
            self.append(slot, input);
        }
    }

    pub(super) fn whole(&mut self, call: Call<'_>) -> Option<usize> {
        self.current_call = None;
        if self.failed.is_some() {
            return None;
        }
        let choice = self.choice(call.block.choice);
        let slot = self.new_slot(choice, call.kind, true)?;
        self.identify(choice, slot, &call);
        self.announce(slot);
        if let Some(input) = call.input {
            self.append(slot, input);
        }
        self.close_call(slot);
        Some(slot)
    }

    pub(super) fn open_other(&mut self, block: Block<'_>) {
        let choice = self.choice(block.choice);
        let Some(index) = block.index else { return };
        let before = self.choices[choice].by_index.insert(index, Holder::Other);
        if let Some(older) = before.and_then(Holder::call) {
            if block.id.is_none() || self.slots[older].block_id.is_none() {
                self.close_older(older);
            }
        }
        self.choices[choice].last = None;
    }

    /// A new block under the index of an older one says that the older one is over.
    fn close_older(&mut self, slot: usize) {
        let held = &mut self.slots[slot];
        if held.state == State::Open {
            held.warn(self.protocol.missing_stop());
            held.doubt_emptiness();
            held.state = State::Stopped;
            held.closed = true;
        }
    }
}

/// Arguments.
impl Demux {
    #[inline]
    pub(super) fn fragment(&mut self, block: Block<'_>, text: Option<Text<'_>>) {
        if self.failed.is_some() {
            return;
        }
        let filled = text.filter(|text| !text.is_empty());
        let owner = match (self.owner_of(block), filled) {
            (None, Some(_)) => self.lost_block(block),
            (owner, _) => owner,
        };
        let Some(slot) = owner else { return };
        let held = &mut self.slots[slot];
        if text.is_none() {
            held.warn(Warning::NullFragment);
        }
        let Some(text) = filled else { return };
        match held.state {
            State::Open => {}
            State::Stopped => {
                held.warn(Warning::FragmentAfterStop);
                if held.has_snapshot {
                    return;
                }
                held.after_stop.get_or_insert(held.raw.len());
            }
            State::Settled | State::Gone => {
                if let Some(slot) = self.lost_block(block) {
                    self.append(slot, text);
                }
                return;
            }
        }
        self.append(slot, text);
    }

    pub(super) fn value(&mut self, block: Block<'_>, update: Update<'_>) {
        if self.failed.is_some() {
            return;
        }
        let open = self.owner_of(block).filter(|slot| self.slots[*slot].is_pending());
        let Some(slot) = open.or_else(|| self.lost_block(block)) else { return };
        let held = &mut self.slots[slot];
        held.touched = self.current.ordinal;
        let before = held.other_bytes();
        held.assemble(update);
        let after = held.other_bytes();
        self.count(after.saturating_sub(before));
        self.check_length(after);
        self.announce(slot);
    }

    pub(super) fn snapshot(&mut self, block: Block<'_>, text: Option<Text<'_>>) {
        if self.failed.is_some() {
            return;
        }
        let filled = text.filter(|text| !text.is_empty());
        let owner = match (self.owner_of(block), filled) {
            (None, Some(_)) => self.lost_block(block),
            (owner, _) => owner,
        };
        let Some(slot) = owner else { return };
        if !self.slots[slot].closed {
            self.take_snapshot(slot, filled, Some(Warning::ArgumentsFromDone));
        }
    }

    /// The whole text of the call in the place of all that came of it; empty text says nothing.
    fn take_snapshot(&mut self, slot: usize, text: Option<Text<'_>>, alone: Option<Warning>) {
        let held = &mut self.slots[slot];
        if !held.is_pending() {
            return;
        }
        held.state = State::Stopped;
        let Some(text) = text else { return };
        held.has_snapshot = true;
        let whole = text.cow();
        if held.start_input.take().is_some_and(|(input, _)| input != *whole) {
            held.warn(Warning::StartInputOverridden);
        }
        if held.raw == *whole {
            return;
        }
        if held.raw.is_empty() {
            if let Some(warning) = alone {
                held.warn(warning);
            }
            return self.append(slot, text);
        }
        held.warn(Warning::DoneDiffersFromDeltas);
        match whole.strip_prefix(held.raw.as_str()) {
            Some(rest) => {
                held.forget_half();
                self.append(slot, Text::plain(rest));
            }
            None => self.replace(slot, &whole),
        }
    }

    /// Another text in the place of all fragments.
    fn replace(&mut self, slot: usize, text: &str) {
        // What waits of the old text would lie in the new one.
        self.queue
            .retain(|event| !matches!(event, Queued::Fragment { slot: of, .. } if *of == slot));
        let held = &mut self.slots[slot];
        self.pending_bytes = self.pending_bytes.saturating_sub(held.raw.len());
        held.restart(text, self.current);
        self.count(text.len());
        self.check_length(text.len());
        self.announce(slot);
        self.queue.push_back(Queued::Replacement { slot });
    }

    fn lost_block(&mut self, block: Block<'_>) -> Option<usize> {
        let choice = self.choice(block.choice);
        let slot = self.orphan(choice, block.index, true)?;
        if let Some(id) = block.id.map(Text::decode) {
            self.choices[choice].by_block_id.insert(id.clone(), slot);
            self.slots[slot].block_id = Some(id);
        }
        Some(slot)
    }

    #[inline]
    fn owner_of(&mut self, block: Block<'_>) -> Option<usize> {
        let known = self.choices.iter().position(|choice| choice.index == block.choice)?;
        if let Some((index, slot)) = self.choices[known].last {
            let is_same =
                |id: Text<'_>| self.slots[slot].block_id.as_deref().is_some_and(|own| id == *own);
            if index == block.index && block.id.is_none_or(is_same) {
                return Some(slot);
            }
        }
        self.look_up(known, block)
    }

    fn look_up(&mut self, choice: usize, block: Block<'_>) -> Option<usize> {
        let known = &self.choices[choice];
        let by_id = block
            .id
            .map(Text::cow)
            .and_then(|id| known.by_block_id.get(&*id).or_else(|| known.by_id.get(&*id)).copied());
        let slot = match by_id {
            Some(slot) => slot,
            None => {
                let slot = known.by_index.get(&block.index?)?.call()?;
                let held = &mut self.slots[slot];
                if block.id.is_some() && held.closed {
                    return None;
                }
                if block.id.is_some() && held.block_id.is_some() {
                    held.warn(Warning::ItemIdChanged);
                }
                slot
            }
        };
        self.choices[choice].last = Some((block.index, slot));
        Some(slot)
    }
}

/// Ends.
impl Demux {
    pub(super) fn close(&mut self, block: Block<'_>) {
        if let Some(slot) = self.owner_of(block) {
            self.close_call(slot);
        }
    }

    /// The call's own stop.
    fn close_call(&mut self, slot: usize) {
        let held = &mut self.slots[slot];
        if held.closed || !held.is_pending() {
            held.warn(Warning::DuplicateBlockStop);
            return;
        }
        held.closed = true;
        held.state = State::Stopped;
        let choice = held.key.choice;
        let has_stop =
            self.choices.iter().any(|known| known.index == choice && known.stop.is_some());
        if has_stop {
            // The message's stop came before: nothing is left to wait for.
            return self.settle_ready(choice);
        }
        if self.rules.emit_at == EmitAt::CallStop {
            match held.is_whole() {
                true => self.settle(slot, Ending::Stopped),
                false => self.held_back.push((slot, self.current.ordinal)),
            }
        }
    }

    pub(super) fn finish(&mut self, call: Call<'_>) {
        self.current_call = None;
        if self.failed.is_some() {
            return;
        }
        let choice = self.choice(call.block.choice);
        let known = self.known(choice, &call);
        let slot = match known.or_else(|| self.open(Call { input: None, ..call })) {
            Some(slot) if !self.slots[slot].closed => slot,
            _ => return,
        };
        self.identify(choice, slot, &call);
        self.take_snapshot(slot, call.input, Some(Warning::ArgumentsFromDone));
        self.close_call(slot);
    }

    pub(super) fn recap(&mut self, call: Call<'_>) {
        self.current_call = None;
        if self.failed.is_some() {
            return;
        }
        let choice = self.choice(call.block.choice);
        let known = self.known(choice, &call).or_else(|| self.same_place(choice, &call));
        match known {
            Some(slot) if self.slots[slot].closed => {}
            Some(slot) => {
                self.slots[slot].warn(self.protocol.missing_stop());
                self.identify(choice, slot, &call);
                self.take_snapshot(slot, call.input, Some(Warning::ArgumentsFromDone));
                self.close_call(slot);
            }
            None => {
                if let Some(slot) = self.whole(call) {
                    self.slots[slot].warn(Warning::OnlyInTerminalSnapshot);
                }
            }
        }
    }

    /// The call that a closing statement is about.
    fn known(&mut self, choice: usize, call: &Call<'_>) -> Option<usize> {
        let known = &self.choices[choice];
        let get = |id: Option<Text<'_>>, ids: &BTreeMap<String, usize>| {
            id.and_then(|id| ids.get(&*id.cow()).copied())
        };
        let found = get(call.block.id, &known.by_block_id).or_else(|| get(call.id, &known.by_id));
        if let Some(slot) = found {
            return Some(slot);
        }
        let slot = known.by_index.get(&call.block.index?)?.call()?;
        let held = &self.slots[slot];
        let differs = |own: &Option<String>, other: Option<Text<'_>>| match (own, other) {
            (Some(own), Some(other)) => other != **own,
            _ => false,
        };
        let is_other = differs(&held.block_id, call.block.id) && differs(&held.id, call.id);
        (!held.closed && !is_other && !differs(&held.name, call.name)).then_some(slot)
    }

    /// The call that stands at this place of the message under other ids.
    fn same_place(&self, choice: usize, call: &Call<'_>) -> Option<usize> {
        let slot = self.choices[choice].by_index.get(&call.block.index?)?.call()?;
        let held = &self.slots[slot];
        let same_name = match (&held.name, call.name) {
            (Some(known), Some(name)) => name == **known,
            _ => false,
        };
        let same_text = call.input.is_none_or(|input| input == *held.raw);
        (held.kind == call.kind && same_name && same_text).then_some(slot)
    }

    /// Calls whose stop came too early to be believed, as soon as an event does not go on with them.
    pub(super) fn release_held_back(&mut self) {
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

    pub(super) fn block_warning(&mut self, block: Block<'_>, warning: Warning) {
        if let Some(slot) = self.owner_of(block) {
            if self.slots[slot].state == State::Open {
                self.slots[slot].warn(warning);
            }
        }
    }
}
