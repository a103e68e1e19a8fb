//! One call under construction.

use alloc::string::String;

use super::text_calls::TextCall;
use crate::call::{CallKey, CallKind};
use crate::diagnostic::FragmentMap;
use crate::warning::{Warning, Warnings};
use crate::wire::json::{Repairs, Text};

/// A call under construction: its raw text in one growing buffer, where each fragment of it came
/// from, and what is known of its identity.
///
/// ```text
///            own stop                     settled            given out
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
    /// Grows only before the first argument byte, and is never empty.
    pub name: Option<String>,
    /// The arguments as far as they came.
    pub raw: String,
    pub fragments: FragmentMap,
    pub warnings: Warnings,
    pub state: State,
    /// Whether the wire closes each call itself (a block), or only the message.
    pub has_own_stop: bool,
    /// The call was written in the text, in this format.
    pub text: Option<TextCall>,
    /// Whether the call's start was announced to the user.
    pub announced: bool,
    /// Arguments that stood in the start, with the event they came in.
    pub start_input: Option<(String, Provenance)>,
    /// Length of `raw` at the call's own stop, once a fragment came after that.
    pub after_stop: Option<usize>,
    /// Ordinal of the event that the last fragment came in.
    pub touched: u64,
    /// The text is whole and not valid: nothing that follows can mend it.
    pub hopeless: bool,
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
            name: None,
            raw: String::new(),
            fragments,
            warnings: Warnings::default(),
            state: State::Open,
            has_own_stop,
            text: None,
            announced: false,
            start_input: None,
            after_stop: None,
            touched: 0,
            hopeless: false,
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
