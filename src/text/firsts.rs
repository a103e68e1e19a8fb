//! The bytes that any marker begins with: what plain text is searched for.

use alloc::boxed::Box;

use super::format::Format;

/// A set of bytes to search for, in the fastest way for its size.
#[derive(Debug, Clone)]
pub(crate) enum Firsts {
    Few { bytes: [u8; 3], count: usize },
    Many(Box<[bool; 256]>),
}

impl Firsts {
    pub(crate) fn of(formats: &[&Format]) -> Self {
        let mut set = [false; 256];
        for format in formats {
            let openers = format.grammars.iter().flat_map(|grammar| grammar.openers());
            let reasoning = format.reasoning.iter().map(|pair| &pair.open);
            let framing = format.framing.iter().flat_map(|pair| [&pair.open, &pair.close]);
            for marker in openers.chain(reasoning).chain(framing).chain(format.turn_ends) {
                if let Some(first) = marker.as_bytes().first() {
                    set[*first as usize] = true;
                }
            }
        }
        let mut bytes = [0; 3];
        let mut count = 0;
        for byte in (0..=u8::MAX).filter(|byte| set[*byte as usize]) {
            if count == bytes.len() {
                return Firsts::Many(Box::new(set));
            }
            bytes[count] = byte;
            count += 1;
        }
        Firsts::Few { bytes, count }
    }

    pub(crate) fn find(&self, haystack: &[u8]) -> Option<usize> {
        match self {
            Firsts::Few { bytes: [a, _, _], count: 1 } => memchr::memchr(*a, haystack),
            Firsts::Few { bytes: [a, b, _], count: 2 } => memchr::memchr2(*a, *b, haystack),
            Firsts::Few { bytes: [a, b, c], count: 3 } => memchr::memchr3(*a, *b, *c, haystack),
            Firsts::Few { .. } => None,
            Firsts::Many(set) => haystack.iter().position(|byte| set[*byte as usize]),
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
        assert_eq!(Firsts::of(&[&ONE]).find(b"ab[c<"), Some(2));
        assert_eq!(Firsts::of(&[&ONE, &TWO]).find(b"abcy<"), Some(3));
        assert_eq!(Firsts::of(&[&THREE]).find(b"ab)("), Some(3));
        assert_eq!(Firsts::of(&[]).find(b"abc"), None);
    }
}
