//! One call under construction.

use alloc::boxed::Box;
use alloc::string::String;

use super::assembly::Assembly;
use super::identity::{Held, NameMatch};
use super::text_calls::TextCall;
use crate::call::{CallKey, CallKind};
use crate::diagnostic::{Ending, Facts, FragmentMap, Unfinished, validate};
use crate::extras::Extras;
use crate::protocol::Protocol;
use crate::warning::{Warning, Warnings};
use crate::wire::delta::Update;
use crate::wire::json::{Repairs, Text};

/// What some servers write where they mean that there is no name.
pub(super) const NULL: &str = "null";

/// A call under construction: its raw text in one growing buffer, where each fragment of it came
/// from, and what is known of its identity.
///
/// ```text
///        stop or snapshot                 settled            given out
///   Open ───────────────▶ Stopped ───────────────▶ Settled ───────────▶ Gone
///    │   ◀─── late fragment ──┘                       ▲
///    └── the message's end, an error, the stream's end ┘
/// ```
#[derive(Debug)]
pub(crate) struct Slot {
    pub key: CallKey,
    pub kind: CallKind,
    /// Set once, never empty.
    pub id: Option<String>,
    /// The id of its block, on wires whose blocks have one.
    pub block_id: Option<String>,
    /// Grows only before the first argument byte, and is never empty.
    pub name: Option<String>,
    /// The arguments as far as they came.
    pub raw: String,
    pub fragments: FragmentMap,
    pub warnings: Warnings,
    pub state: State,
    /// Whether the wire closes each call itself (a block), or only the message.
    pub has_own_stop: bool,
    /// Its own stop came. Also `Stopped` without that: its arguments are said to be whole.
    pub closed: bool,
    /// The text is a snapshot of the whole arguments.
    pub has_snapshot: bool,
    /// The call stands in the text, in a format of its own.
    pub text: Option<TextCall>,
    /// What must go back with the call.
    pub extras: Extras,
    /// Whether the call's start was announced to the user.
    pub announced: bool,
    /// Arguments that stood in the start, with the event they came in.
    pub start_input: Option<(String, Provenance)>,
    /// Arguments that come as values at paths, until they become text.
    assembly: Option<Box<Assembly>>,
    /// Nothing shows that the text is whole, though it looks so.
    unproved: bool,
    /// Length of `raw` at the call's own stop, once a fragment came after that.
    pub after_stop: Option<usize>,
    /// Ordinal of the event that the last fragment came in.
    pub touched: u64,
    judged: Judged,
    /// First half of a surrogate pair that the last fragment ended in.
    half: Option<u16>,
    structure: Structure,
}

/// See [`Slot`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    Stopped,
    Settled,
    Gone,
}

/// The event that something came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Provenance {
    pub ordinal: u64,
    pub start: u64,
    pub end: u64,
}

impl Slot {
    pub fn new(key: CallKey, kind: CallKind, has_own_stop: bool, fragments: FragmentMap) -> Self {
        Slot {
            key,
            kind,
            id: None,
            block_id: None,
            name: None,
            raw: String::new(),
            fragments,
            warnings: Warnings::default(),
            state: State::Open,
            has_own_stop,
            closed: false,
            has_snapshot: false,
            text: None,
            extras: Extras::default(),
            announced: false,
            start_input: None,
            assembly: None,
            unproved: false,
            after_stop: None,
            touched: 0,
            judged: Judged::No,
            half: None,
            structure: Structure::default(),
        }
    }

    pub fn warn(&mut self, warning: Warning) {
        self.warnings.insert(warning);
    }

    /// Whether more may come: the call has not been settled.
    pub fn is_pending(&self) -> bool {
        matches!(self.state, State::Open | State::Stopped)
    }

    pub fn has_text(&self) -> bool {
        !self.raw.trim_ascii().is_empty()
    }

    /// Appends a fragment; returns where it starts in `raw`.
    #[inline]
    pub fn append(&mut self, fragment: Text<'_>, from: Provenance) -> usize {
        let start = self.raw.len();
        self.touched = from.ordinal;
        let repairs = fragment.append_to(&mut self.raw, &mut self.half);
        self.note(repairs);
        if self.raw.len() > start {
            self.fragments.push(self.raw.len(), from.ordinal, from.start, from.end);
        }
        start
    }

    /// A half of a pair that nothing follows stands for a character that was lost.
    pub fn close_text(&mut self) {
        if self.half.take().is_some() {
            self.raw.push(char::REPLACEMENT_CHARACTER);
            self.note(Repairs { replaced: true, joined: false });
        }
    }

    fn note(&mut self, repairs: Repairs) {
        if repairs.joined {
            self.warn(Warning::SplitSurrogate);
        }
        if repairs.replaced {
            self.warn(Warning::ReplacementCharacter);
        }
    }

    /// Whether the raw text holds a whole first value, by its brackets and quotes alone. Looks at
    /// each byte once however often it is asked.
    pub fn is_whole(&mut self) -> bool {
        self.structure.advance(self.raw.as_bytes())
    }
}

impl Slot {
    /// Sets the name once; another piece before any argument byte extends it.
    pub fn take_name(&mut self, piece: &str) {
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

    pub fn held(&mut self, slot: usize, name: Option<&str>) -> Held {
        let name = match (name, &self.name) {
            (None | Some(NULL), _) => NameMatch::Absent,
            (Some(name), Some(known)) if name != known && known != NULL => NameMatch::Differs,
            _ => NameMatch::Fits,
        };
        let is_whole = !self.is_pending() || self.is_whole();
        Held { slot, has_id: self.id.is_some(), is_whole, name }
    }

    /// Whether the text is whole and valid, and more than the `{}` that some send ahead of the
    /// arguments.
    pub fn is_surely_valid(&mut self) -> bool {
        if self.kind == CallKind::Custom {
            return true;
        }
        let may_have_become_valid = match self.judged {
            Judged::No => true,
            Judged::Unfinished => self.is_whole(),
            Judged::Hopeless => false,
            Judged::Valid { len, .. } if len == self.raw.len() => return self.raw != "{}",
            Judged::Valid { .. } => true,
        };
        if !may_have_become_valid {
            return false;
        }
        self.judged = match validate(&self.raw) {
            Ok(facts) => Judged::Valid { len: self.raw.len(), facts },
            Err(_) if self.is_whole() => Judged::Hopeless,
            Err(_) => Judged::Unfinished,
        };
        matches!(self.judged, Judged::Valid { .. }) && self.raw != "{}"
    }

    /// Called where something else than its own stop closes the call: without any argument text
    /// nothing shows then that `{}` is meant.
    pub fn doubt_emptiness(&mut self) {
        let is_open = self.state == State::Open;
        self.unproved |= is_open && !self.has_text() && self.start_input.is_none();
    }

    /// The arguments of the start count only if no fragment came.
    pub fn resolve_start_input(&mut self) {
        let Some((input, from)) = self.start_input.take() else { return };
        if self.has_text() {
            return self.warn(Warning::StartInputOverridden);
        }
        self.warn(Warning::ArgumentsFromStart);
        self.append(Text::plain(&input), from);
    }

    /// Puts a value in its place; what has none stands behind all others as it came.
    pub fn assemble(&mut self, update: Update<'_>) {
        self.assembly.get_or_insert_default().set(update);
    }

    /// Bytes that are held beside the raw text.
    pub fn other_bytes(&self) -> usize {
        let start = self.start_input.as_ref().map_or(0, |(input, _)| input.len());
        let assembled = self.assembly.as_ref().map_or(0, |assembly| assembly.bytes());
        start + assembled + self.extras.bytes()
    }

    /// Values become text. Their text always looks whole, so that a limit must not be the only end
    /// that they have.
    pub fn resolve_assembly(&mut self, is_limited: bool, from: Provenance) {
        let Some(assembly) = self.assembly.take() else { return };
        self.unproved = !self.closed && (is_limited || assembly.is_inside_string());
        if assembly.has_misplaced() {
            self.warn(Warning::PathConflict);
        }
        self.append(Text::plain(&assembly.into_text()), from);
    }

    /// Another text in the place of all that came before.
    pub fn restart(&mut self, text: &str, from: Provenance) {
        self.raw.clear();
        self.half = None;
        self.structure = Structure::default();
        self.judged = Judged::No;
        self.fragments.clear();
        self.append(Text::plain(text), from);
    }

    /// What follows holds the character whose first half came before.
    pub fn forget_half(&mut self) {
        self.half = None;
    }

    /// Takes everything out for the final judgement.
    pub fn take(&mut self, protocol: Protocol, ending: Ending, last: bool) -> Unfinished {
        self.state = State::Gone;
        // Most formats of calls in text have no ids.
        if self.id.is_none() && self.text.is_none() && protocol.traits().call_ids {
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
        let facts = match self.judged {
            Judged::Valid { len, facts } if len == self.raw.len() => Some(facts),
            _ => None,
        };
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
            unproved: self.unproved,
            after_stop: self.after_stop,
            extras: core::mem::take(&mut self.extras),
            text: None,
            facts,
        }
    }
}

/// What is known of a text that was asked for its validity: asked often, it is read twice at most.
#[derive(Debug, Clone, Copy)]
enum Judged {
    No,
    /// It was not valid, and not whole.
    Unfinished,
    /// It is whole and not valid: nothing that follows can mend it.
    Hopeless,
    /// It was valid when it was so long.
    Valid {
        len: usize,
        facts: Facts,
    },
}

/// Follows brackets and quotes of a growing text, to tell whether its first value has ended. Not a
/// parser: what the value holds is not looked at.
#[derive(Debug, Default)]
struct Structure {
    /// How much of the text was looked at.
    seen: usize,
    depth: u32,
    in_string: bool,
    /// The last byte seen was a backslash inside a string.
    escaping: bool,
    /// A value that is no container is whole only with the text around it.
    in_scalar: bool,
    whole: bool,
}

impl Structure {
    fn advance(&mut self, text: &[u8]) -> bool {
        for byte in &text[self.seen..] {
            if self.whole {
                break;
            }
            match byte {
                _ if self.escaping => self.escaping = false,
                b'\\' if self.in_string => self.escaping = true,
                b'"' => {
                    self.in_string = !self.in_string;
                    self.whole = !self.in_string && self.depth == 0;
                }
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.whole = self.depth == 0;
                }
                b' ' | b'\t' | b'\n' | b'\r' => {}
                _ => self.in_scalar |= self.depth == 0,
            }
        }
        self.seen = text.len();
        self.whole || (self.in_scalar && is_literal(text.trim_ascii()))
    }
}

/// Whether a text holds a whole first value.
pub(super) fn is_whole_value(text: &str) -> bool {
    Structure::default().advance(text.as_bytes())
}

fn is_literal(text: &[u8]) -> bool {
    matches!(text, b"null" | b"true" | b"false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_ends_where_its_brackets_close() {
        let mut structure = Structure::default();
        let text = br#"{"a}":["\"}",{}]} tail"#;
        let end = text.iter().rposition(|byte| *byte == b'}').unwrap() + 1;
        for seen in 0..text.len() {
            assert_eq!(structure.advance(&text[..seen]), seen >= end, "{seen}");
        }
    }

    #[test]
    fn a_literal_is_whole_and_its_beginning_is_not() {
        assert!(Structure::default().advance(b" null "));
        assert!(!Structure::default().advance(b"nul"));
        assert!(!Structure::default().advance(b""));
    }
}
