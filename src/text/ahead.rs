//! Looking ahead: what stands at a place, as far as the bytes at hand can tell.

/// How far white space may part a marker from the token that proves it, in bytes.
pub(crate) const SPACE_LIMIT: usize = 32;
/// How long a tool's name may be, in bytes, where only its end proves a marker.
pub(crate) const NAME_LIMIT: usize = 256;
/// How long the head of a tag may be, in bytes.
pub(crate) const TAG_LIMIT: usize = 512;
/// The most that is ever held back, in bytes.
pub(crate) const HOLD_LIMIT: usize = 64 << 10;

/// Why a look ahead gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// Something else stands there.
    No,
    /// The bytes at hand agree, but they end too soon.
    More,
}

/// What a look ahead found.
pub(crate) type Look<T> = Result<T, Doubt>;

/// Turns a clear no into `None`, so that the next thing can be looked for. Doubt stays: what has
/// precedence must be decided first, or the answer would depend on where the text is cut.
pub(crate) fn unless_no<T>(look: Look<T>) -> Look<Option<T>> {
    match look {
        Ok(found) => Ok(Some(found)),
        Err(Doubt::No) => Ok(None),
        Err(Doubt::More) => Err(Doubt::More),
    }
}

/// A cursor over undecided text. It moves only over what matched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead<'a> {
    text: &'a str,
    /// Bytes passed.
    pub at: usize,
    /// Nothing follows the text.
    eof: bool,
}

impl<'a> Ahead<'a> {
    pub(crate) fn new(text: &'a str, at: usize, eof: bool) -> Self {
        Ahead { text, at, eof }
    }

    /// Whether everything ends inside `literal`, which begins here.
    pub(crate) fn is_cut(&self, literal: &str) -> bool {
        self.eof
            && !self.rest().is_empty()
            && literal.len() > self.rest().len()
            && literal.as_bytes().starts_with(self.rest())
    }

    /// Where the bytes at hand end.
    pub(crate) fn end(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Doubt for lack of bytes.
    fn short(&self) -> Doubt {
        if self.eof { Doubt::No } else { Doubt::More }
    }

    pub(crate) fn literal(&mut self, literal: &str) -> Look<()> {
        let (rest, literal) = (self.rest(), literal.as_bytes());
        if rest.starts_with(literal) {
            self.at += literal.len();
            Ok(())
        } else if literal.starts_with(rest) {
            Err(self.short())
        } else {
            Err(Doubt::No)
        }
    }

    /// The first of `literals` that stands here; its position in the list.
    pub(crate) fn any(&mut self, literals: &[&str]) -> Look<usize> {
        for (position, literal) in literals.iter().enumerate() {
            match self.literal(literal) {
                Ok(()) => return Ok(position),
                // A later one must wait, or the answer would depend on where the text is cut.
                Err(Doubt::More) => return Err(Doubt::More),
                Err(Doubt::No) => {}
            }
        }
        Err(Doubt::No)
    }

    /// Where the first of `literals` ends, if one stands here.
    pub(crate) fn end_of(mut self, literals: &[&str]) -> Look<Option<usize>> {
        Ok(unless_no(self.any(literals))?.map(|_| self.at))
    }

    /// White space, at most [`SPACE_LIMIT`] bytes; it may lack.
    pub(crate) fn space(&mut self) -> Look<()> {
        let rest = self.rest();
        let run = space_run(rest);
        if run > SPACE_LIMIT {
            return Err(Doubt::No);
        }
        if run == rest.len() && !self.eof {
            return Err(Doubt::More);
        }
        self.at += run;
        Ok(())
    }

    /// The next byte, which stays where it is; `None` at the end of everything.
    pub(crate) fn peek(&self) -> Look<Option<u8>> {
        match self.rest().first() {
            Some(byte) => Ok(Some(*byte)),
            None if self.eof => Ok(None),
            None => Err(Doubt::More),
        }
    }

    /// A run of bytes that `is_part` accepts, 1 to `limit` of them.
    pub(crate) fn run(&mut self, limit: usize, is_part: impl Fn(u8) -> bool) -> Look<&'a str> {
        let rest = self.rest();
        let run = rest.iter().take(limit + 1).take_while(|byte| is_part(**byte)).count();
        if run > limit {
            return Err(Doubt::No);
        }
        if run == rest.len() {
            return Err(self.short());
        }
        if run == 0 {
            return Err(Doubt::No);
        }
        self.at += run;
        Ok(&self.text[self.at - run..self.at])
    }

    /// A tool's name as models write it.
    pub(crate) fn name(&mut self) -> Look<&'a str> {
        self.run(NAME_LIMIT, is_name_byte)
    }

    /// Everything before `end`, which is passed as well, within `limit` bytes.
    pub(crate) fn until(&mut self, end: &str, limit: usize) -> Look<&'a str> {
        let rest = self.rest();
        let window = &rest[..rest.len().min(limit + end.len())];
        match find(window, end) {
            Some(found) => {
                let start = self.at;
                self.at += found + end.len();
                Ok(&self.text[start..start + found])
            }
            None if window.len() < rest.len() || rest.len() >= limit + end.len() => Err(Doubt::No),
            None => Err(self.short()),
        }
    }

    /// Everything to the next quote that no backslash escapes, which is passed as well, within
    /// `limit` bytes.
    pub(crate) fn quote(&mut self, limit: usize) -> Look<()> {
        let rest = self.rest();
        let window = &rest[..rest.len().min(limit)];
        let mut at = 0;
        while let Some(hit) = memchr::memchr2(b'"', b'\\', &window[at.min(window.len())..]) {
            at += hit;
            if window[at] == b'"' {
                self.at += at + 1;
                return Ok(());
            }
            at += 2;
        }
        Err(if window.len() == limit { Doubt::No } else { self.short() })
    }
}

/// Letters, digits and `_ . : / -`.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'/' | b'-')
}

/// Length of the white space at the start, by JSON's notion of white space.
pub(crate) fn space_run(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// Where `needle`, which is not empty, first stands in `haystack`.
pub(crate) fn find(haystack: &[u8], needle: &str) -> Option<usize> {
    let needle = needle.as_bytes();
    memchr::memchr_iter(*needle.first()?, haystack).find(|at| haystack[*at..].starts_with(needle))
}

/// Where in `bytes`, from `from` on, one of the markers may begin, which all begin with the same byte: a
/// place where the second byte rules out each is passed over.
pub(crate) fn next_marker<'m>(
    bytes: &[u8],
    from: usize,
    markers: impl Iterator<Item = &'m &'m str> + Clone,
) -> usize {
    let Some(first) = markers.clone().next().and_then(|marker| marker.as_bytes().first()) else {
        return bytes.len();
    };
    let mut at = from;
    while let Some(hit) = memchr::memchr(*first, &bytes[at..]) {
        at += hit;
        match bytes.get(at + 1) {
            Some(next) if markers.clone().all(|marker| marker.as_bytes().get(1) != Some(next)) => {
                at += 1;
            }
            _ => return at,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_cut_short_is_in_doubt_until_the_end() {
        let look = |text, eof| Ahead::new(text, 0, eof).literal("<tool>");
        assert_eq!(look("<tool>x", false), Ok(()));
        assert_eq!(look("<too", false), Err(Doubt::More));
        assert_eq!(look("<too", true), Err(Doubt::No));
        assert_eq!(look("<tox", false), Err(Doubt::No));
    }

    #[test]
    fn space_is_bounded() {
        let blank = " ".repeat(SPACE_LIMIT + 1);
        assert_eq!(Ahead::new(&blank, 0, false).space(), Err(Doubt::No));
        assert_eq!(Ahead::new(&blank[1..], 0, false).space(), Err(Doubt::More));
        assert_eq!(Ahead::new("x", 0, false).space(), Ok(()));
    }

    #[test]
    fn until_gives_up_at_its_limit() {
        assert_eq!(Ahead::new("abc>", 0, false).until(">", 3), Ok("abc"));
        assert_eq!(Ahead::new("abcd>", 0, false).until(">", 3), Err(Doubt::No));
        assert_eq!(Ahead::new("abc", 0, false).until(">", 3), Err(Doubt::More));
    }
}
