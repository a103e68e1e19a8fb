//! Calls that only their pieces' fields tell apart.

use super::identity::{Evidence, Route, route};
use super::slot::{NULL, State};
use super::{Demux, Holder};
use crate::call::CallKind;
use crate::warning::Warning;
use crate::wire::delta::Piece;
use crate::wire::json::Text;

impl Demux {
    pub(super) fn piece(&mut self, piece: Piece<'_>) {
        self.current_call = None;
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
                Some(text) => return self.lost_piece(choice, piece.index, text),
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
                self.lost_piece(choice, piece.index, text);
            }
            return;
        }
        if let Some(index) = piece.index {
            self.choices[choice].by_index.insert(index, Holder::Call(slot));
        }
        let index = piece
            .index
            .or(self.choices[choice].last.filter(|last| last.1 == slot).and_then(|last| last.0));
        self.choices[choice].last = Some((index, slot));
        self.current_call = Some(slot);
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

    fn lost_piece(&mut self, choice: usize, index: Option<i64>, text: Text<'_>) {
        if let Some(slot) = self.orphan(choice, index, false) {
            self.append(slot, text);
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
