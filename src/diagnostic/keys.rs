//! Has any object a key twice? Asked of a text while it is validated.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use super::validate::next_special;

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
    /// Up to so many keys each is held against each; above, they are sorted.
    const PAIRWISE: usize = 16;

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
            signature(unescape(&text[quoted]).as_bytes())
        } else {
            signature(&text.as_bytes()[quoted.start + 1..quoted.end - 1])
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
    if keys.len() <= Keys::PAIRWISE {
        return keys.iter().enumerate().any(|(n, key)| {
            keys[..n].iter().any(|earlier| {
                earlier.signature == key.signature && compare(text, earlier, key).is_eq()
            })
        });
    }
    keys.sort_unstable_by_key(|key| key.signature);
    keys.chunk_by_mut(|a, b| a.signature == b.signature).filter(|group| group.len() > 1).any(
        |group| {
            // Different keys with one signature are made on purpose: sorted, they stay cheap.
            group.sort_unstable_by(|a, b| compare(text, a, b));
            group.windows(2).any(|pair| compare(text, &pair[0], &pair[1]).is_eq())
        },
    )
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
fn signature(key: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut words = key.chunks_exact(8);
    let mut hash = key.len() as u64;
    for word in &mut words {
        let word = word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(ODD);
    }
    let rest = words.remainder().iter().fold(0, |rest, &byte| rest << 8 | u64::from(byte));
    (hash.rotate_left(5) ^ rest).wrapping_mul(ODD)
}
