//! Two calls of one message that both fail: did a fragment of one come under the other?

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::fragments::Fragment;
use super::judge::{BUDGET, PROVING, WINDOW};
use super::validate::validate;
use super::{InvalidKind, InvalidToolCall};
use crate::call::CallKey;

/// A fragment that came under the wrong call: with it put right, both calls parse.
///
/// Fragments are numbered as in [`InvalidToolCall::fragments`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misrouted {
    /// The call under which the fragment came.
    pub from: CallKey,
    /// Which of its fragments.
    pub fragment: usize,
    /// The call to which it belongs.
    pub to: CallKey,
    /// Which fragment of that call came in exchange for it; `None` where it is only missing there.
    pub exchanged_for: Option<usize>,
}

/// The one way that is no chance: `None` where there is none, or more than one, or the fragments are
/// so short that they fit in many places.
pub(super) fn find(a: &InvalidToolCall, b: &InvalidToolCall) -> Option<Misrouted> {
    let mut ways = ways(a, b).into_iter();
    let way = ways.next().filter(|_| ways.next().is_none())?;
    let length = |call: &InvalidToolCall, fragment: usize| {
        call.fragments().nth(fragment).map_or(0, |fragment| fragment.text.len())
    };
    let from = if way.from == a.key() { a } else { b };
    let proves = length(from, way.fragment) >= PROVING
        && way.exchanged_for.is_none_or(|other| length(b, other) >= PROVING);
    proves.then_some(way)
}

/// All ways to move one fragment, or to exchange two, near the faults, that make both calls parse.
pub(super) fn ways(a: &InvalidToolCall, b: &InvalidToolCall) -> Vec<Misrouted> {
    let broken = |call: &InvalidToolCall| {
        let unfinished = &call.0.call;
        !unfinished.ending.is_cut()
            && !unfinished.unproved
            && !matches!(call.kind(), InvalidKind::NotObject | InvalidKind::DoubleEncoded)
    };
    let mut ways = Vec::new();
    if !broken(a) || !broken(b) {
        return ways;
    }
    let (a, b) = (Side::of(a), Side::of(b));
    let mut budget = BUDGET;
    for (from, to) in [(&a, &b), (&b, &a)] {
        for fragment in from.near_fault() {
            if is_object(&from.without(fragment, None, &mut budget))
                && is_object(&to.with(&from.fragments[fragment], &mut budget))
            {
                let (from, to) = (from.call.key(), to.call.key());
                ways.push(Misrouted { from, fragment, to, exchanged_for: None });
            }
        }
    }
    for fragment in a.near_fault() {
        for other in b.near_fault() {
            let (mine, theirs) = (a.fragments[fragment].text, b.fragments[other].text);
            if mine != theirs
                && is_object(&a.without(fragment, Some(theirs), &mut budget))
                && is_object(&b.without(other, Some(mine), &mut budget))
            {
                let (from, to) = (a.call.key(), b.call.key());
                ways.push(Misrouted { from, fragment, to, exchanged_for: Some(other) });
            }
        }
    }
    ways
}

fn is_object(text: &Option<String>) -> bool {
    text.as_deref().is_some_and(|text| validate(text).is_ok())
}

struct Side<'a> {
    call: &'a InvalidToolCall,
    fragments: Vec<Fragment<'a>>,
}

impl<'a> Side<'a> {
    fn of(call: &'a InvalidToolCall) -> Self {
        Side { call, fragments: call.fragments().collect() }
    }

    /// The fragments up to the fault that may be at fault, the last ones.
    fn near_fault(&self) -> Range<usize> {
        let offset = self.call.offset();
        let end = self.fragments.partition_point(|fragment| fragment.range.start <= offset);
        end.saturating_sub(WINDOW)..end
    }

    /// The text with something else in a fragment's place. `None`: the budget is spent.
    fn without(
        &self,
        fragment: usize,
        instead: Option<&str>,
        budget: &mut usize,
    ) -> Option<String> {
        let raw = self.call.raw();
        let range = self.fragments[fragment].range.clone();
        join([&raw[..range.start], instead.unwrap_or(""), &raw[range.end..]], budget)
    }

    /// The text with one more fragment, where its event places it.
    fn with(&self, fragment: &Fragment<'_>, budget: &mut usize) -> Option<String> {
        let raw = self.call.raw();
        let before = self.fragments.partition_point(|own| own.event < fragment.event);
        let at = self.fragments[..before].last().map_or(0, |own| own.range.end);
        join([&raw[..at], fragment.text, &raw[at..]], budget)
    }
}

fn join(parts: [&str; 3], budget: &mut usize) -> Option<String> {
    *budget = budget.checked_sub(parts.iter().map(|part| part.len()).sum())?;
    Some(parts.concat())
}
