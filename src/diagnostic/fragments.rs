//! Where each piece of a call's text came from.
//!
//! One `u64` a fragment. A fragment is described by how it differs from the one before: how many
//! bytes it added to the text, how many events and bytes of the stream lie between the two starts,
//! and how long its event is. Those differences are small, so they share one word; the rare one that
//! does not fit takes a [`Wide`] entry beside it. Nothing saturates, every position is exact.
//!
//! ```text
//! word   63        56 55          36 35           16 15          0
//!        event delta  start delta    event length    text length
//!        0xff: the low 32 bits are the index of a wide entry
//! ```

use alloc::vec::Vec;
use core::ops::Range;

/// A call's fragments in order of arrival, at most 16 bytes each with the vector's spare room.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FragmentMap {
    words: Vec<u64>,
    wide: Vec<Wide>,
    /// Where the first fragment's differences count from.
    origin: Mark,
    /// The fragment recorded last.
    last: Mark,
    off: bool,
}

/// What the next fragment's differences count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    text_end: usize,
    event: u64,
    start: u64,
}

/// A fragment with a difference that does not fit its bits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wide {
    text_end: usize,
    event: u64,
    start: u64,
    end: u64,
}

const TEXT_BITS: u32 = 16;
const LENGTH_BITS: u32 = 20;
const START_BITS: u32 = 20;
const EVENT_SHIFT: u32 = TEXT_BITS + LENGTH_BITS + START_BITS;
/// In the place of an event delta: the word names a wide entry.
const WIDE: u64 = 0xff;

impl FragmentMap {
    /// A map that records nothing and costs nothing.
    pub(crate) fn off() -> Self {
        FragmentMap { off: true, ..FragmentMap::default() }
    }

    /// Records a fragment: the text's length with it, its event's ordinal, and the event's first byte
    /// in the stream and one past its last.
    #[inline]
    pub(crate) fn push(&mut self, text_end: usize, event: u64, start: u64, end: u64) {
        if self.off {
            return;
        }
        let mark = Mark { text_end, event, start };
        if self.words.is_empty() {
            self.origin = Mark { text_end: 0, event, start };
            self.last = self.origin;
        }
        let text = text_end.wrapping_sub(self.last.text_end) as u64;
        let events = event.wrapping_sub(self.last.event);
        let starts = start.wrapping_sub(self.last.start);
        let length = end.wrapping_sub(start);
        self.last = mark;
        let fits = text >> TEXT_BITS == 0
            && length >> LENGTH_BITS == 0
            && starts >> START_BITS == 0
            && events < WIDE;
        let word = if fits {
            events << EVENT_SHIFT | starts << (TEXT_BITS + LENGTH_BITS) | length << TEXT_BITS | text
        } else {
            self.push_wide(Wide { text_end, event, start, end })
        };
        self.words.push(word);
    }

    /// Forgets all fragments and keeps the room for as many.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.wide.clear();
    }

    #[cold]
    fn push_wide(&mut self, wide: Wide) -> u64 {
        // A wide entry stands for at least 64 KiB of the stream or 255 events, so 2^32 of them are
        // out of reach.
        let index = self.wide.len() as u64 & u64::from(u32::MAX);
        self.wide.push(wide);
        WIDE << EVENT_SHIFT | index
    }

    /// How many fragments were recorded.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// The fragments of `text`, in order.
    pub(crate) fn iter<'a>(&'a self, text: &'a str) -> Fragments<'a> {
        Fragments { words: self.words.iter(), map: self, text, last: self.origin }
    }
}

/// One fragment of a call's text as the provider sent it.
///
/// ```
/// # let stream = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
/// #     \"function\":{\"name\":\"f\",\"arguments\":\"[1]\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
/// # let message = toolcall::Message::from_chunks(toolcall::Protocol::OpenAiChat, [stream])?;
/// # let invalid = message.invalid_calls().next().unwrap();
/// let fragment = invalid.fragments().next().unwrap();
/// assert_eq!((fragment.text, fragment.range, fragment.event), ("[1]", 0..3, 0));
/// assert_eq!(fragment.span.start, 0); // where in the stream its event begins
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fragment<'a> {
    /// The text, after the envelope's own JSON string was unescaped.
    pub text: &'a str,
    /// Its bytes in [`InvalidToolCall::raw`](crate::InvalidToolCall::raw).
    pub range: Range<usize>,
    /// The ordinal of the event that carried it, counted from 0 over the stream.
    pub event: u64,
    /// The bytes of that event in the stream.
    pub span: Range<u64>,
}

/// The fragments of a call, in the order in which they came.
///
/// An example is at [`Fragment`].
#[derive(Debug, Clone)]
pub struct Fragments<'a> {
    words: core::slice::Iter<'a, u64>,
    map: &'a FragmentMap,
    text: &'a str,
    last: Mark,
}

impl<'a> Iterator for Fragments<'a> {
    type Item = Fragment<'a>;

    fn next(&mut self) -> Option<Fragment<'a>> {
        let word = *self.words.next()?;
        let field = |shift: u32, bits: u32| word >> shift & ((1 << bits) - 1);
        let begin = self.last.text_end;
        let end;
        if word >> EVENT_SHIFT == WIDE {
            let wide = self.map.wide.get(field(0, 32) as usize)?;
            self.last = Mark { text_end: wide.text_end, event: wide.event, start: wide.start };
            end = wide.end;
        } else {
            self.last.text_end += field(0, TEXT_BITS) as usize;
            self.last.event += word >> EVENT_SHIFT;
            self.last.start += field(TEXT_BITS + LENGTH_BITS, START_BITS);
            end = self.last.start + field(TEXT_BITS, LENGTH_BITS);
        }
        let range = begin..self.last.text_end;
        Some(Fragment {
            text: self.text.get(range.clone()).unwrap_or(""),
            range,
            event: self.last.event,
            span: self.last.start..end,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.words.size_hint()
    }
}

impl ExactSizeIterator for Fragments<'_> {}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn off_records_nothing() {
        let mut map = FragmentMap::off();
        map.push(3, 1, 10, 90);
        assert_eq!(map.len(), 0);
        assert_eq!(map.words.capacity(), 0);
    }

    #[test]
    fn clear_starts_anew() {
        let mut map = FragmentMap::default();
        map.push(3, 7, 1000, 1100);
        map.push(usize::MAX, u64::MAX, 0, u64::MAX);
        map.clear();
        map.push(2, 9, 1300, 1400);
        let fragments: Vec<_> = map.iter("ab").collect();
        let expected = Fragment { text: "ab", range: 0..2, event: 9, span: 1300..1400 };
        assert_eq!(fragments, [expected]);
    }

    #[test]
    fn a_fragment_takes_one_word() {
        let mut map = FragmentMap::default();
        for n in 0..10_000u64 {
            map.push(n as usize * 4, n * 2, n * 300, n * 300 + 210);
        }
        assert!(map.wide.is_empty());
        assert!(map.words.capacity() * 8 <= 10_000 * 16);
    }

    proptest! {
        /// Whatever the steps, narrow or wide, the positions come back exactly.
        #[test]
        fn positions_are_exact(
            steps in prop::collection::vec(
                (0..70_000usize, 0..300u64, 0..2_000_000u64, 0..2_000_000u64), 0..20),
            first in any::<(u32, u32)>(),
        ) {
            let mut map = FragmentMap::default();
            let mut text = String::new();
            let (mut event, mut start) = (u64::from(first.0), u64::from(first.1));
            let mut expected = Vec::new();
            for (bytes, events, starts, length) in steps {
                let begin = text.len();
                text.extend(core::iter::repeat_n('x', bytes));
                event += events;
                start += starts;
                map.push(text.len(), event, start, start + length);
                expected.push((begin..text.len(), event, start..start + length));
            }
            let found: Vec<_> =
                map.iter(&text).map(|f| (f.range, f.event, f.span)).collect();
            prop_assert_eq!(found, expected);
        }

        /// Positions that run backwards are kept as well.
        #[test]
        fn any_position_is_kept(pushes in prop::collection::vec(any::<(u64, u64, u64)>(), 0..8)) {
            let mut map = FragmentMap::default();
            for (n, &(event, start, end)) in pushes.iter().enumerate() {
                map.push(n, event, start, end);
            }
            let found: Vec<_> =
                map.iter("").map(|f| (f.event, f.span.start, f.span.end)).collect();
            prop_assert_eq!(found, pushes);
        }
    }
}
