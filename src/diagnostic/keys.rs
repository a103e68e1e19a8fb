//! Has any object a key twice? Asked of a text while it is validated.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use crate::word::{next_special, word};

/// The keys of the objects that are open, on one stack: an entry that opens the object, then its
/// keys. The first ones live on the machine's stack, so that a usual call allocates nothing.
pub(super) struct Keys {
    first: [Key; Keys::INLINE],
    /// All of them, once there were more than `INLINE`.
    spilled: Vec<Key>,
    len: usize,
    /// Index of the innermost open object's first key.
    frame: usize,
    found: bool,
}

#[derive(Clone, Copy)]
struct Key {
    /// Equal for equal keys. In the entry that opens an object: unused.
    signature: u64,
    /// The opening quote. In the entry that opens an object: the outer object's `frame`.
    start: usize,
}

impl Keys {
    const INLINE: usize = 24;
    /// Up to so many keys each is held against each; above, a table tells.
    const PAIRWISE: usize = 8;
    /// Up to so many keys the table needs no allocation.
    const FEW: usize = 64;

    pub(super) fn new() -> Self {
        Keys {
            first: [Key { signature: 0, start: 0 }; Keys::INLINE],
            spilled: Vec::new(),
            len: 0,
            frame: 0,
            found: false,
        }
    }

    /// Whether a key came twice in one object.
    pub(super) fn found(&self) -> bool {
        self.found
    }

    #[inline]
    pub(super) fn enter(&mut self) {
        self.put(Key { signature: 0, start: self.frame });
        self.frame = self.len;
    }

    /// A key with its quotes.
    #[inline]
    pub(super) fn push(&mut self, text: &str, quoted: Range<usize>, escaped: bool) {
        if self.found {
            return;
        }
        let start = quoted.start;
        let signature = if escaped {
            let key = unescape(&text[quoted]);
            signature(key.as_bytes(), 0..key.len())
        } else {
            signature(text.as_bytes(), quoted.start + 1..quoted.end - 1)
        };
        self.put(Key { signature, start });
    }

    #[inline]
    pub(super) fn leave(&mut self, text: &str) {
        let (frame, len) = (self.frame, self.len);
        let entries = if self.spilled.is_empty() { &mut self.first[..] } else { &mut self.spilled };
        let Some((opening, keys)) = entries[..len].split_at_mut_checked(frame) else { return };
        if !self.found {
            self.found = repeats(text, keys);
        }
        self.frame = opening.last().map_or(0, |entry| entry.start);
        self.len = frame.saturating_sub(1);
        if !self.spilled.is_empty() {
            self.spilled.truncate(self.len);
            // An empty vector means "not spilled": nothing is open any more that `first` would hold.
        }
    }

    #[inline]
    fn put(&mut self, key: Key) {
        if self.spilled.is_empty() && self.len < Keys::INLINE {
            self.first[self.len] = key;
        } else {
            self.spill(key);
        }
        self.len += 1;
    }

    #[cold]
    fn spill(&mut self, key: Key) {
        if self.spilled.is_empty() {
            self.spilled.extend_from_slice(&self.first[..self.len]);
        }
        self.spilled.push(key);
    }
}

fn repeats(text: &str, keys: &mut [Key]) -> bool {
    let equal = |a: &Key, b: &Key| a.signature == b.signature && compare(text, a, b).is_eq();
    if keys.len() <= Keys::PAIRWISE {
        return keys.iter().enumerate().any(|(n, key)| keys[..n].iter().any(|k| equal(k, key)));
    }
    let mut few = [0; 2 * Keys::FEW];
    let mut many = Vec::new();
    let table = if keys.len() <= Keys::FEW {
        &mut few[..]
    } else {
        many.resize(keys.len().next_power_of_two() * 2, 0);
        &mut many[..]
    };
    repeats_in_table(keys, table, equal).unwrap_or_else(|| {
        keys.sort_unstable_by(|a, b| compare(text, a, b));
        keys.windows(2).any(|pair| compare(text, &pair[0], &pair[1]).is_eq())
    })
}

/// By a hash table of the keys' ordinals, counted from 1; its length is a power of two, twice the
/// keys at least. `None`: the signatures collide too often, as they do where somebody wants them to.
fn repeats_in_table(
    keys: &[Key],
    table: &mut [usize],
    equal: impl Fn(&Key, &Key) -> bool,
) -> Option<bool> {
    let mask = table.len() - 1;
    // The highest bits of a product are those that all its factors' bits reach.
    let shift = 64 - table.len().ilog2();
    let mut collisions = 0;
    for (n, key) in keys.iter().enumerate() {
        let mut slot = (key.signature >> shift) as usize & mask;
        while let Some(earlier) = table[slot].checked_sub(1) {
            if equal(&keys[earlier], key) {
                return Some(true);
            }
            collisions += 1;
            slot = (slot + 1) & mask;
        }
        if collisions > 8 * keys.len() {
            return None;
        }
        table[slot] = n + 1;
    }
    Some(false)
}

fn compare(text: &str, a: &Key, b: &Key) -> Ordering {
    unescape(quoted(text, a.start)).cmp(&unescape(quoted(text, b.start)))
}

/// The string that starts at `start`, with its quotes. It was validated.
fn quoted(text: &str, start: usize) -> &str {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        at = next_special(bytes, at);
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return &text[start..=at],
            _ => return &text[start..start],
        }
    }
}

fn unescape(quoted: &str) -> Cow<'_, str> {
    if quoted.contains('\\') {
        Cow::Owned(serde_json::from_str::<String>(quoted).unwrap_or_default())
    } else {
        Cow::Borrowed(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or(""))
    }
}

/// A hash for telling keys apart, not against an adversary: equal signatures are always checked.
#[inline]
fn signature(bytes: &[u8], key: Range<usize>) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(29) ^ word).wrapping_mul(ODD);
    let mut hash = key.len() as u64;
    let mut at = key.start;
    while key.end - at > 8 {
        hash = mix(hash, word(bytes, at).unwrap_or(0));
        at += 8;
    }
    // The rest, 0 to 8 bytes: where the text goes on, of a whole word without what lies behind.
    let rest = key.end - at;
    let last = match word(bytes, at) {
        _ if rest == 0 => 0,
        Some(word) => word & u64::MAX >> (64 - 8 * rest),
        None => bytes[at..key.end].iter().rev().fold(0, |last, &byte| last << 8 | u64::from(byte)),
    };
    mix(hash, last)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// Keys with the signatures of somebody who wants them to collide are sorted instead.
    #[test]
    fn equal_signatures_are_no_equal_keys() {
        for repeated in [false, true] {
            let mut text = String::new();
            let mut keys = Vec::new();
            for n in 0..3000 {
                keys.push(Key { signature: 7, start: text.len() });
                let name = if repeated && n == 2999 { 42 } else { n };
                text.push_str(&format!("\"{name}\""));
            }
            let mut table = [0; 8192];
            let by_table = repeats_in_table(&keys, &mut table, |a, b| compare(&text, a, b).is_eq());
            assert_eq!(by_table, None);
            assert_eq!(repeats(&text, &mut keys), repeated);
        }
    }

    #[test]
    fn a_signature_is_of_the_key_alone() {
        for length in 0..30 {
            let key = &"abcdefghijklmnopqrstuvwxyz012345"[..length];
            let longer = format!("{key}\":1234567890");
            assert_eq!(
                signature(key.as_bytes(), 0..length),
                signature(longer.as_bytes(), 0..length)
            );
            let shifted = format!("x{longer}");
            assert_eq!(
                signature(key.as_bytes(), 0..length),
                signature(shifted.as_bytes(), 1..length + 1)
            );
        }
    }
}
