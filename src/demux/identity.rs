//! Which call does this piece belong to? For wires where nothing but the piece's own fields says it.
//!
//! Chat Completions name a call by `index` and `id`, and servers get both wrong in every way there
//! is. The order of evidence: a known id, then a known index, then a name, then the call that was
//! touched last. A call that is whole never swallows what comes with a name of its own.
//!
//! | the piece brings | and | goes to |
//! |---|---|---|
//! | a known id | the call is whole, and the name differs or a new index comes with a name | a new call, `duplicate-id` |
//! | a known id | otherwise | that call, whatever the index |
//! | a new id, a known index | the held call has no id and is not whole, names agree | that call, which takes the id |
//! | a new id, a known index | a name, or the held call is whole | a new call, `index-reused` |
//! | a new id, a known index | otherwise | the held call, `id-changed` |
//! | a new id | no index, or a new one | a new call |
//! | no id, a known index | the held call is whole and the name differs | a new call, `index-reused` |
//! | no id, a known index | otherwise | the held call |
//! | no id, a new index | a name | a new call |
//! | no id, a new index | the last call is not whole | the last call, `index-drift` |
//! | no id, a new index | otherwise | nobody's: `orphan-fragment` |
//! | no id, no index | a name, unless the last call has it and is not whole | a new call |
//! | no id, no index | otherwise | the last call |

use crate::warning::Warning;

/// What is known of the call that a key leads to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    pub slot: usize,
    pub has_id: bool,
    pub is_whole: bool,
    /// How its name compares with the piece's.
    pub name: NameMatch,
}

/// How the name of a piece compares with the name of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameMatch {
    /// The piece has no name.
    Absent,
    /// The call has no name yet, or the same one.
    Fits,
    /// The call has another name.
    Differs,
}

/// What a piece brings, each key looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    pub has_id: bool,
    pub has_index: bool,
    pub has_name: bool,
    /// The call that has this id.
    pub by_id: Option<Held>,
    /// The call that owns this index.
    pub by_index: Option<Held>,
    /// The call of the choice that was touched last.
    pub last: Option<Held>,
}

/// Where a piece goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    To(usize, Option<Warning>),
    New(Option<Warning>),
    /// A new call with a known id under a known index.
    Twin,
    Orphan,
}

/// Decides. The table is in the module's docs.
pub(crate) fn route(evidence: Evidence) -> Route {
    let Evidence { has_id, has_index, has_name, by_id, by_index, last } = evidence;
    if let Some(held) = by_id {
        let is_new_index = has_index && by_index.is_none();
        let differs = held.name == NameMatch::Differs;
        return match held.is_whole && (differs || (is_new_index && has_name)) {
            true if by_index.is_some() => Route::Twin,
            true => Route::New(Some(Warning::DuplicateId)),
            false if has_index && by_index.is_none_or(|owner| owner.slot != held.slot) => {
                Route::To(held.slot, Some(Warning::IndexChanged))
            }
            false => Route::To(held.slot, None),
        };
    }
    if has_id {
        let Some(held) = by_index else { return Route::New(None) };
        let fits = held.name != NameMatch::Differs;
        return match () {
            () if !held.has_id && !held.is_whole && fits => Route::To(held.slot, None),
            () if has_name || held.is_whole => Route::New(Some(Warning::IndexReused)),
            () => Route::To(held.slot, Some(Warning::IdChanged)),
        };
    }
    if let Some(held) = by_index {
        return match held.is_whole && held.name == NameMatch::Differs {
            true => Route::New(Some(Warning::IndexReused)),
            false => Route::To(held.slot, None),
        };
    }
    match last {
        Some(held) if has_index && !has_name && !held.is_whole => {
            Route::To(held.slot, Some(Warning::IndexDrift))
        }
        Some(held) if !has_index && !has_name => Route::To(held.slot, None),
        Some(held) if !has_index && !held.is_whole && held.name == NameMatch::Fits && has_name => {
            Route::To(held.slot, None)
        }
        _ if has_name => Route::New(None),
        _ => Route::Orphan,
    }
}
