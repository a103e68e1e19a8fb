//! Senders that repeat with each event all that they have said before it.
//!
//! Native DashScope does so unless it is asked not to, and nothing in the stream says which it is. The
//! second text of anything tells: it begins with the first one, or it does not.

use alloc::vec::Vec;

use super::json::Text;

/// Things whose texts are told apart at most.
const THINGS: usize = 64;

/// Bytes of their texts that are kept at most.
const KEPT: usize = 16 << 20;

/// Takes from each text what is new in it.
#[derive(Debug, Default)]
pub(super) struct Growth {
    habit: Option<Habit>,
    /// What is known of each thing, as it was written.
    known: Vec<((u32, i64), Vec<u8>)>,
    kept: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    Repeats,
    Continues,
}

impl Growth {
    /// The part of `text` that did not come before, of the thing that `key` names.
    pub fn rest<'a>(&mut self, key: (u32, i64), text: Text<'a>) -> Text<'a> {
        if self.habit == Some(Habit::Continues) || text.is_empty() {
            return text;
        }
        let Some(at) = self.known.iter().position(|(known, _)| *known == key) else {
            if self.known.len() < THINGS && self.kept + text.bytes.len() <= KEPT {
                self.known.push((key, text.bytes.to_vec()));
                self.kept += text.bytes.len();
            }
            return text;
        };
        let known = &mut self.known[at].1;
        let Some(rest) = text.bytes.strip_prefix(known.as_slice()) else {
            if self.habit.is_none() {
                self.habit = Some(Habit::Continues);
                self.known = Vec::new();
            }
            return text;
        };
        if !rest.is_empty() {
            self.habit = Some(Habit::Repeats);
        }
        if self.kept + rest.len() > KEPT {
            return text;
        }
        known.extend_from_slice(rest);
        self.kept += rest.len();
        Text { bytes: rest, ..text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn said(texts: &[&str]) -> String {
        let mut growth = Growth::default();
        texts.iter().map(|text| growth.rest((0, 0), Text::plain(text)).decode()).collect()
    }

    #[test]
    fn what_was_said_before_is_left_out() {
        assert_eq!(said(&["a", "ab", "ab", "abc"]), "abc");
    }

    #[test]
    fn what_does_not_repeat_is_taken_whole() {
        assert_eq!(said(&["a", "b", "bb", "a"]), "abbba");
    }

    #[test]
    fn things_are_told_apart() {
        let mut growth = Growth::default();
        assert_eq!(growth.rest((0, 0), Text::plain("a")).decode(), "a");
        assert_eq!(growth.rest((0, 1), Text::plain("x")).decode(), "x");
        assert_eq!(growth.rest((0, 0), Text::plain("ab")).decode(), "b");
        assert_eq!(growth.rest((1, 0), Text::plain("ab")).decode(), "ab");
    }
}
