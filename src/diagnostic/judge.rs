//! Whose fault it is: the rules.
//!
//! Whatever can happen to whole fragments on the way from the model to here (one is lost, repeated,
//! exchanged with its neighbour, put under another call, sent after the stop) is held against the
//! text, and so is a cut. What gives a JSON object without inventing a byte is proof, if it concerns
//! enough bytes not to be chance. What would have to invent bytes is a clue. Only where none of them
//! explains the text, the writer is left.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::finding::Finding;
use super::recovery::RecoveryKind;
use super::rest::{can_be_piece, can_be_rest};
use super::settle::{Ending, TextReading, is_blank};
use super::template::{token_at, token_at_end};
use super::validate::validate;
use super::verdict::{Clue, Cut, Verdict, WritingFault};
use super::{Inner, InvalidKind, fault};

/// Fragments shorter than this prove nothing by fitting: a model writes a comma too many as well.
pub(super) const PROVING: usize = 8;
/// How many fragments before the fault are looked at.
pub(super) const WINDOW: usize = 8;
/// How many bytes may be parsed again for one verdict, whatever the text's length.
pub(super) const BUDGET: usize = 32 << 20;

pub(super) fn verdict(failure: &Inner) -> Verdict {
    let call = &failure.call;
    let raw = &call.raw[..];
    if failure.kind == InvalidKind::Truncated {
        let by = match call.ending {
            Ending::StreamEnded => Cut::StreamEnd,
            Ending::ErrorEvent => Cut::ErrorEvent,
            Ending::Restarted => Cut::Restart,
            Ending::Length if call.last => Cut::TokenLimit,
            Ending::ContentFilter if call.last => Cut::ContentFilter,
            Ending::Refusal if call.last => Cut::Refusal,
            _ if call.unproved => Cut::Unproved,
            _ => Cut::Unexplained,
        };
        if by != Cut::Unexplained {
            return Verdict::Truncated { by };
        }
    }
    match call.text {
        // How a text would have gone on is not held against the rules of JSON.
        Some(TextReading::Cut) => return Verdict::Truncated { by: Cut::Unexplained },
        Some(TextReading::Malformed { .. }) => {
            return Verdict::ModelOutput { fault: WritingFault::NotInFormat };
        }
        _ => {}
    }
    if let Some((kind, _)) = failure.reading {
        let fragment = call.fragments.len().saturating_sub(1);
        return match kind {
            RecoveryKind::Placeholder => Verdict::Placeholder,
            reading => Verdict::RepeatedFragment { fragment, reading: Some(reading) },
        };
    }
    if let Some(at) = call.after_stop {
        let whole = raw.get(..at).is_some_and(|text| validate(text).is_ok());
        return match whole {
            true => Verdict::AfterStop { at },
            false => Verdict::Undecided { clue: Clue::TextAfterStop { at } },
        };
    }
    let borders = Borders::of(failure);
    // The first of several values, or of a value and something else, and where the rest begins.
    let first_end = match failure.error.as_deref() {
        Some(error) if fault::is_trailing(error) => raw[..failure.offset].trim_ascii_end().len(),
        _ => raw.len(),
    };
    if let Some(verdict) = trailing(failure, &borders, first_end) {
        return verdict;
    }
    match failure.kind {
        InvalidKind::NotObject | InvalidKind::DoubleEncoded => {
            return written(failure);
        }
        InvalidKind::Truncated => {
            if let Some((at, length)) = token_at_end(raw) {
                return Verdict::TrailingToken { at, length };
            }
        }
        _ => {}
    }
    if let Some(range) = borders.ranges.get(borders.index_at(failure.offset)) {
        // Among whatever other fragments it came, this one is broken by itself.
        if !can_be_piece(&raw[range.clone()]) {
            return written(failure);
        }
    }
    if let Some(verdict) = rearranged(raw, failure.offset, &borders) {
        return verdict;
    }
    if !raw.trim_ascii_start().starts_with('{') && can_be_rest(raw) {
        return Verdict::LostStart;
    }
    if let Some(clue) = may_have_lost(failure, &borders, first_end) {
        return Verdict::Undecided { clue };
    }
    if failure.kind == InvalidKind::Truncated {
        return Verdict::Truncated { by: Cut::Unexplained };
    }
    if borders.ranges.is_empty() {
        return Verdict::Undecided { clue: Clue::NoFragments };
    }
    if let Some(fragment) = borders.another_start(raw, failure.offset) {
        return Verdict::Undecided { clue: Clue::AnotherCall { fragment } };
    }
    written(failure)
}

/// It was written so.
fn written(failure: &Inner) -> Verdict {
    let finding = finding(failure);
    let before = &failure.call.raw[..failure.offset];
    match (finding.fault, before.rfind("<|")) {
        // A template's token for a quote, whose own quote was escaped: `<|\\"|`, `<|\\`.
        (WritingFault::InvalidEscape, Some(at)) if at + 4 > before.len() => {
            Verdict::TrailingToken { at, length: before.len() - at }
        }
        (fault, _) => Verdict::ModelOutput { fault },
    }
}

fn finding(failure: &Inner) -> Finding {
    Finding::of(&failure.call.raw, failure.kind, failure.offset, failure.error.as_deref())
}

/// The fragments that hold something.
pub(super) struct Borders {
    pub ranges: Vec<Range<usize>>,
    /// Which of all fragments each of them is.
    pub numbers: Vec<usize>,
}

impl Borders {
    pub(super) fn of(failure: &Inner) -> Self {
        let fragments = failure.call.fragments.iter(&failure.call.raw);
        let (numbers, ranges) = fragments
            .map(|fragment| fragment.range)
            .enumerate()
            .filter(|(_, range)| !range.is_empty())
            .unzip();
        Borders { ranges, numbers }
    }

    /// The index of the fragment that holds a byte; behind the last one, where none does.
    pub(super) fn index_at(&self, offset: usize) -> usize {
        self.ranges.partition_point(|range| range.end <= offset)
    }

    /// Whether a fragment begins somewhere in a range of offsets, its end included.
    fn begins_in(&self, range: Range<usize>) -> bool {
        let next = self.ranges.partition_point(|r| r.start < range.start);
        self.ranges.get(next).is_some_and(|r| r.start <= range.end && r.start > 0)
    }

    /// A fragment other than the first, up to the fault, that looks like the beginning of arguments.
    fn another_start(&self, raw: &str, offset: usize) -> Option<usize> {
        let end = (self.index_at(offset) + 1).min(self.ranges.len());
        let from = end.saturating_sub(WINDOW).max(1).min(end);
        (from..end)
            .find(|&index| raw[self.ranges[index].clone()].trim_ascii_start().starts_with("{\""))
            .map(|index| self.numbers[index])
    }
}

/// What stands behind a whole first value.
fn trailing(failure: &Inner, borders: &Borders, first_end: usize) -> Option<Verdict> {
    let raw = &failure.call.raw[..];
    let offset = failure.offset;
    if first_end == raw.len() {
        return None;
    }
    if let Some(length) = token_at(&raw[offset..]) {
        return Some(Verdict::TrailingToken { at: offset, length });
    }
    let glued = match failure.kind {
        // All of the values, so that no value is left over for another reading.
        InvalidKind::Concatenated => {
            let mut end = 0;
            fault::values(raw).flatten().all(|value| {
                let meets = end == 0 || borders.begins_in(end..value.start);
                end = value.end;
                meets && raw[value].starts_with('{')
            })
        }
        // The second one is not whole.
        _ => {
            borders.begins_in(first_end..offset)
                && raw[..first_end].trim_ascii_start().starts_with('{')
                && raw[offset..].starts_with('{')
                && matches!(
                    fault::find(&raw[offset..]),
                    Some(fault::Fault { kind: InvalidKind::Truncated, .. })
                )
        }
    };
    glued.then_some(Verdict::GluedCalls { at: offset })
}

/// Whether the text becomes a JSON object when whole fragments are put right.
fn rearranged(raw: &str, offset: usize, borders: &Borders) -> Option<Verdict> {
    let ranges = &borders.ranges[..];
    let mut tries = (BUDGET / raw.len().max(1)).min(3 * WINDOW);
    let mut text = String::new();
    let mut is_object = |parts: [&str; 4]| {
        if tries == 0 {
            return false;
        }
        tries -= 1;
        text.clear();
        parts.into_iter().for_each(|part| text.push_str(part));
        validate(&text).is_ok()
    };
    let end = (borders.index_at(offset) + 1).min(ranges.len());
    let number = |index: usize| borders.numbers[index];
    let mut clue = None;

    // The same once more. Repeats are rare and cheap to see, so all of them up to the fault count.
    let repeats = (1..end).rev().filter(|&n| raw[ranges[n].clone()] == raw[ranges[n - 1].clone()]);
    for index in repeats.take(WINDOW) {
        let range = &ranges[index];
        if is_object([&raw[..range.start], &raw[range.end..], "", ""]) {
            if range.len() >= PROVING {
                return Some(Verdict::RepeatedFragment { fragment: number(index), reading: None });
            }
            clue.get_or_insert(Clue::ParsesWithout { fragment: number(index) });
        }
    }
    let from = end.saturating_sub(WINDOW);
    // The one line feed in a text, where it breaks a string, is what it looks like, though the string
    // would be whole without it. Where there are others, they may stand between tokens.
    let breaks_string = raw[offset..].starts_with(['\n', '\t', '\r'])
        && memchr::memchr_iter(b'\n', raw.as_bytes()).nth(1).is_none();
    let considered = |index: usize| !(breaks_string && is_blank(&raw[ranges[index].clone()]));
    // What fits when two fragments change places may fit by chance: a string takes in anything.
    for index in (from..end).rev().filter(|index| index + 1 < ranges.len()) {
        let (a, b) = (ranges[index].clone(), ranges[index + 1].clone());
        let (start, rest) = (&raw[..a.start], &raw[b.end..]);
        if considered(index) && considered(index + 1) && is_object([start, &raw[b], &raw[a], rest])
        {
            clue.get_or_insert(Clue::ParsesExchanged { fragment: number(index) });
        }
    }
    for index in (from..end).rev().filter(|&index| considered(index)) {
        let range = &ranges[index];
        if is_object([&raw[..range.start], &raw[range.end..], "", ""]) {
            clue.get_or_insert(Clue::ParsesWithout { fragment: number(index) });
        }
    }
    clue.map(|clue| Verdict::Undecided { clue })
}

/// Whether bytes lost on a fragment border would explain the text. What is a rest stays one when it
/// is shortened from the left, so only the last border that can count is asked.
fn may_have_lost(failure: &Inner, borders: &Borders, first_end: usize) -> Option<Clue> {
    let raw = &failure.call.raw[..];
    // The gap lies before the fault, and inside the object.
    let limit = if first_end < raw.len() { first_end.saturating_sub(1) } else { failure.offset };
    let index = borders.ranges.partition_point(|range| range.start <= limit).checked_sub(1)?;
    let start = borders.ranges[index].start;
    if !can_be_rest(&raw[start..]) {
        return None;
    }
    let at_border = start == failure.offset;
    Some(Clue::MayHaveLost { fragment: borders.numbers[index], at_border })
}
