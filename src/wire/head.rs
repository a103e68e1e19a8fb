//! The outermost keys of an envelope: enough to tell whose it is.

use alloc::vec::Vec;

use super::json::{Document, Next, Text, Unexpected};
use crate::frame::{Body, Frame};

/// An envelope of an unknown protocol, seen from outside.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    pub frame: Frame<'a>,
    /// What the envelope came in.
    pub body: Body,
    /// Keys and values, as they are written. Of an array, those of its first element.
    members: Vec<(Text<'a>, &'a [u8])>,
}

impl<'a> Head<'a> {
    /// Looks at an envelope; one that is no JSON has no keys.
    pub fn of(frame: Frame<'a>, body: Body) -> Self {
        let members = members(frame.data.trim_ascii().strip_prefix(b"[").unwrap_or(frame.data));
        Head { frame, body, members }
    }

    /// The value of a key, as it is written.
    pub fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.members.iter().find(|(name, _)| *name == *key).map(|(_, value)| *value)
    }

    /// The first key.
    pub fn first(&self) -> Option<Text<'a>> {
        self.members.first().map(|(name, _)| *name)
    }

    /// The value of the first key, as it is written.
    pub fn value(&self) -> Option<&'a [u8]> {
        self.members.first().map(|(_, value)| *value)
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The value of a key, if it is a string without escapes; else empty.
    pub fn text(&self, key: &str) -> &'a [u8] {
        let quoted = |value: &'a [u8]| value.strip_prefix(b"\"")?.strip_suffix(b"\"");
        self.get(key).and_then(quoted).unwrap_or_default()
    }

    /// Whether the value of a key is an object with this key in it.
    pub fn has_in(&self, key: &str, inner: &str) -> bool {
        let object = self.get(key).unwrap_or_default();
        members(object).iter().any(|(name, _)| *name == *inner)
    }
}

/// The members of the object that `bytes` begin with, as far as it is one.
pub(super) fn members(bytes: &[u8]) -> Vec<(Text<'_>, &[u8])> {
    let document = Document { bytes };
    let mut found = Vec::new();
    let open = document.past_white_space(0);
    if document.byte(open) != b'{' {
        return found;
    }
    let mut at = document.past_white_space(open + 1);
    loop {
        let key = document.past(b'"', at).and_then(|start| document.string(start));
        let Ok(key) = key else { return found };
        let Ok(start) = document.past_colon(key.end + 1) else { return found };
        let end = document.past_value(start, 0);
        let (Ok(reached) | Err(Unexpected { at: reached })) = end;
        let name = Text { bytes: &bytes[key.start..key.end], escaped: key.escaped };
        found.push((name, &bytes[start..reached]));
        match document.next(reached, b'}') {
            Ok(Next::Item(next)) if end.is_ok() => at = next,
            _ => return found,
        }
    }
}
