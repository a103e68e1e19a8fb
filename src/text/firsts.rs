//! What any marker begins with: what plain text is searched for.

use alloc::boxed::Box;

use super::format::Format;

/// The places where a marker may begin, by its first two bytes.
#[derive(Debug, Clone)]
pub(crate) struct Firsts {
    first: First,
    /// The second bytes of all markers: most of what looks like a marker is none by its second byte.
    second: Box<[bool; 256]>,
}

/// A set of bytes to search for, in the fastest way for its size.
#[derive(Debug, Clone)]
enum First {
    Few { bytes: [u8; 3], count: usize },
    Many(Box<[bool; 256]>),
}

impl Firsts {
    /// What the formats' markers begin with, and `closer`, which ends the reasoning that the text
    /// begins in.
    pub(crate) fn of(formats: &[&Format], closer: &'static str) -> Self {
        let mut set = [false; 256];
        let mut second = Box::new([false; 256]);
        let mut add = |marker: &str| match *marker.as_bytes() {
            [] => {}
            [first] => {
                set[first as usize] = true;
                second.fill(true);
            }
            [first, next, ..] => {
                set[first as usize] = true;
                second[next as usize] = true;
            }
        };
        add(closer);
        for format in formats {
            let openers = format.grammars.iter().flat_map(|grammar| grammar.openers());
            let pairs = format.reasoning.iter().chain(format.framing);
            let pairs = pairs.flat_map(|pair| [&pair.open, &pair.close]);
            openers.chain(pairs).chain(format.turn_ends).for_each(|marker| add(marker));
        }
        Firsts { first: First::of(&set), second }
    }

    /// Where in `bytes`, from `from` on, the next marker may begin. One that only its first byte is there
    /// of counts too.
    pub(crate) fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at += self.first.find(&bytes[at..])?;
            match bytes.get(at + 1) {
                Some(next) if !self.second[*next as usize] => at += 1,
                _ => return Some(at),
            }
        }
    }
}

impl First {
    fn of(set: &[bool; 256]) -> Self {
        let mut bytes = [0; 3];
        let mut count = 0;
        for byte in (0..=u8::MAX).filter(|byte| set[*byte as usize]) {
            if count == bytes.len() {
                return First::Many(Box::new(*set));
            }
            bytes[count] = byte;
            count += 1;
        }
        First::Few { bytes, count }
    }

    fn find(&self, haystack: &[u8]) -> Option<usize> {
        match self {
            First::Few { bytes: [a, _, _], count: 1 } => memchr::memchr(*a, haystack),
            First::Few { bytes: [a, b, _], count: 2 } => memchr::memchr2(*a, *b, haystack),
            First::Few { bytes: [a, b, c], count: 3 } => memchr::memchr3(*a, *b, *c, haystack),
            First::Few { .. } => None,
            First::Many(set) => haystack.iter().position(|byte| set[*byte as usize]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::format::Delimiters;

    #[test]
    fn finds_what_markers_begin_with() {
        static A: [Delimiters; 1] = [Delimiters::new("<a>", "[b]")];
        static B: [Delimiters; 1] = [Delimiters::new("x", "y")];
        static THINK: [Delimiters; 1] = [Delimiters::new("(think)", ")")];
        static ONE: Format = Format::new("one", &[]).framing(&A);
        static TWO: Format = Format::new("two", &[]).framing(&B).turn_ends(&["<z>"]);
        static THREE: Format = Format::new("three", &[]).reasoning(&THINK);
        let find = |formats: &[&Format], text: &[u8]| Firsts::of(formats, "").find(text, 0);
        assert_eq!(find(&[&ONE], b"ab[b]"), Some(2));
        assert_eq!(find(&[&ONE], b"ab[c<"), Some(4));
        assert_eq!(find(&[&ONE, &TWO], b"abcy<"), Some(3));
        assert_eq!(find(&[&THREE], b"ab)("), Some(2));
        assert_eq!(find(&[], b"abc"), None);
        assert_eq!(Firsts::of(&[&ONE], "</a>").find(b"<b</", 1), Some(2));
    }
}
