//! Two calls of one message that both fail: did a fragment of one come under the other?
//!
//! A fragment that comes under the wrong index still stands at its own place in the stream. So a
//! misrouting is a *relabelling*: of each call at most one fragment is counted to the other one, and
//! all stay in the order of their events. What is claimed is that of all relabellings, without a
//! window or a guess, exactly one makes objects of both texts. Where a misrouting is what happened,
//! it is among them, so nothing else is ever claimed.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::fragments::Fragment;
use super::judge::PROVING;
use super::validate::validate;
use super::{InvalidKind, InvalidToolCall};
use crate::call::CallKey;

/// A fragment that came under the wrong call: with it put right, both calls parse, and in no other
/// way; from [`InvalidToolCall::misrouted_with`].
///
/// Fragments are numbered from 0, as in [`InvalidToolCall::fragments`].
///
/// An example is at [`InvalidToolCall::misrouted_with`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misrouted {
    /// The call under which the fragment came.
    pub from: CallKey,
    /// Which of its fragments.
    pub fragment: usize,
    /// The call to which it belongs.
    pub to: CallKey,
    /// Which fragment of that call came under the first one in exchange; `None` where none did.
    pub exchanged_for: Option<usize>,
}

/// One line, lower-case, as in an error.
impl fmt::Display for Misrouted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misrouted { from, fragment, to, exchanged_for } = self;
        let (from, to) = (from.position, to.position);
        match exchanged_for {
            None => write!(f, "fragment #{fragment} of call {from} belongs to call {to}")?,
            Some(other) => write!(
                f,
                "fragment #{fragment} of call {from} and fragment #{other} of call {to} are exchanged"
            )?,
        }
        f.write_str(": put right, both calls parse, and in no other way")
    }
}

/// How many bytes may be parsed again for one answer, whatever the texts' length.
const BUDGET: usize = 32 << 20;

/// The only relabelling there is, if it moves more than chance would. `None` too where the texts are
/// so long that not all relabellings can be tried.
pub(super) fn find(a: &InvalidToolCall, b: &InvalidToolCall) -> Option<Misrouted> {
    let ways = relabellings(a, b)?;
    let [way] = ways[..] else { return None };
    let proves = |key: CallKey, fragment: usize| {
        let call = if key == a.key() { a } else { b };
        call.fragments().nth(fragment).is_some_and(|fragment| fragment.text.len() >= PROVING)
    };
    let proved = proves(way.from, way.fragment)
        && way.exchanged_for.is_none_or(|other| proves(way.to, other));
    proved.then_some(way)
}

/// All relabellings that make both texts parse. `None`: the budget is spent.
pub(super) fn relabellings(a: &InvalidToolCall, b: &InvalidToolCall) -> Option<Vec<Misrouted>> {
    let mut ways = Vec::new();
    let budget = &mut { BUDGET };
    if a.key().choice != b.key().choice || !is_broken(a) || !is_broken(b) {
        return Some(ways);
    }
    let (a, b) = (Side::of(a), Side::of(b));
    for (from, to) in [(&a, &b), (&b, &a)] {
        for fragment in 0..from.fragments.len() {
            if from.parses(Some(fragment), None, budget)?
                && to.parses(None, Some(&from.fragments[fragment]), budget)?
            {
                let (from, to) = (from.key, to.key);
                ways.push(Misrouted { from, fragment, to, exchanged_for: None });
            }
        }
    }
    for fragment in 0..a.fragments.len() {
        for other in 0..b.fragments.len() {
            let (mine, theirs) = (&a.fragments[fragment], &b.fragments[other]);
            if a.parses(Some(fragment), Some(theirs), budget)?
                && b.parses(Some(other), Some(mine), budget)?
            {
                let (from, to) = (a.key, b.key);
                ways.push(Misrouted { from, fragment, to, exchanged_for: Some(other) });
            }
        }
    }
    Some(ways)
}

/// Whether it is the text that fails, rather than the call that was cut or is no object.
fn is_broken(call: &InvalidToolCall) -> bool {
    let unfinished = &call.0.call;
    !unfinished.ending.is_cut()
        && !unfinished.unproved
        && !matches!(call.kind(), InvalidKind::NotObject | InvalidKind::DoubleEncoded)
}

struct Side<'a> {
    key: CallKey,
    /// Up to here the text could be the beginning of an object.
    offset: usize,
    fragments: Vec<Fragment<'a>>,
}

impl<'a> Side<'a> {
    fn of(call: &'a InvalidToolCall) -> Self {
        let fragments = call.fragments().collect();
        Side { key: call.key(), offset: call.offset(), fragments }
    }

    /// Whether the text is an object without one of its fragments and with one more at the place of
    /// its event; where fragments of both calls came in that event, before or behind them.
    fn parses(
        &self,
        without: Option<usize>,
        with: Option<&Fragment<'_>>,
        budget: &mut usize,
    ) -> Option<bool> {
        let Some(with) = with else { return self.is_object(without, None, budget) };
        let before = self.fragments.partition_point(|own| own.event < with.event);
        let behind = self.fragments.partition_point(|own| own.event <= with.event);
        if self.is_object(without, Some((before, with.text)), budget)? {
            return Some(true);
        }
        if behind == before {
            return Some(false);
        }
        self.is_object(without, Some((behind, with.text)), budget)
    }

    fn is_object(
        &self,
        without: Option<usize>,
        with: Option<(usize, &str)>,
        budget: &mut usize,
    ) -> Option<bool> {
        let starts = |index: usize| self.fragments.get(index).map(|own| own.range.start);
        let changed = [without.and_then(starts), with.and_then(|(at, _)| starts(at))];
        // What stands unchanged up to the fault fails there again.
        if changed.iter().flatten().all(|&start| start > self.offset) {
            let appended = with.is_some_and(|(at, _)| at == self.fragments.len());
            if !appended || self.text_len() > self.offset {
                return Some(false);
            }
        }
        let (at, more) = with.unwrap_or((usize::MAX, ""));
        let mut text = String::with_capacity(self.text_len() + more.len());
        for (index, own) in self.fragments.iter().enumerate() {
            if index == at {
                text.push_str(more);
            }
            if Some(index) != without {
                text.push_str(own.text);
            }
        }
        if at == self.fragments.len() {
            text.push_str(more);
        }
        *budget = budget.checked_sub(text.len())?;
        Some(validate(&text).is_ok())
    }

    fn text_len(&self) -> usize {
        self.fragments.last().map_or(0, |own| own.range.end)
    }
}
