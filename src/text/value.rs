//! The extent of one JSON value, found without parsing it: strings, escapes and brackets.

use super::ahead::{Ahead, Doubt, Look, unless_no};
use super::brackets::Brackets;
use super::piece::Ending;
use crate::word;

/// How far behind an end marker inside a string the string's own end is looked for.
const SUSPICION_LIMIT: usize = 512;

/// Follows one JSON value over any chunking. Nothing is held and nothing read twice.
///
/// ```text
///          ┌─ " ─▶ String ◀─▶ Escape
///  Start ──┼─ {[ ─▶ Inside ◀─ " ─▶ String      depth 0: done
///          └─ a1- ─▶ Scalar                     any other byte: done
/// ```
///
/// A byte that JSON does not have outside of strings makes the scan *loose*: from there on strings
/// are not trusted, and an end marker of the format ends the value wherever it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value {
    place: Place,
    brackets: Brackets,
    pub loose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Inside,
    String,
    Escape,
    Scalar,
}

/// What a step over the text found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The first bytes belong to the value, which goes on.
    Take(usize),
    /// The value ends behind so many bytes.
    Done(usize),
    /// The value is broken and a marker stands behind so many bytes; how the call ends with it.
    Closed(usize, Ending),
    /// Undecided.
    More,
}

/// The markers that may end a broken value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enders {
    /// The format's own end markers.
    pub closers: &'static [&'static str],
    /// Where the next call begins.
    pub openers: &'static [&'static str],
    /// The model's end of turn.
    pub turn_ends: &'static [&'static str],
    /// What to look for in the value.
    pub watch: Option<Watch>,
}

static NO_ENDERS: Enders = Enders { closers: &[], openers: &[], turn_ends: &[], watch: None };

impl Enders {
    /// Whether a marker stands here; how a call that is open ends with it.
    pub(crate) fn look(&self, ahead: &mut Ahead<'_>) -> Look<Ending> {
        for list in [self.closers, self.openers] {
            if unless_no(ahead.any(list))?.is_some() {
                return Ok(Ending::Malformed);
            }
        }
        // The model's turn is over: nothing will come.
        ahead.any(self.turn_ends).map(|_| Ending::Truncated)
    }

    /// Whether everything ends inside a marker that begins here.
    pub(crate) fn are_cut(&self, ahead: Ahead<'_>) -> bool {
        let lists = [self.closers, self.openers, self.turn_ends];
        lists.iter().any(|list| list.iter().any(|marker| ahead.is_cut(marker)))
    }
}

/// How the markers begin that may end a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    pub first: u8,
    /// The second byte, where it is the same for all.
    pub second: Option<u8>,
}

impl Watch {
    /// Of the format's end markers, and where it has none, of the next call, unless that begins with an
    /// ordinary letter.
    pub(crate) const fn of(closers: &[&str], openers: &[&str]) -> Option<Watch> {
        let list = if closers.is_empty() { openers } else { closers };
        let [marker, ..] = list else { return None };
        let [first, second, ..] = *marker.as_bytes() else { return None };
        if first.is_ascii_alphanumeric() {
            return None;
        }
        let mut at = 0;
        while at < list.len() {
            match *list[at].as_bytes() {
                [_, other, ..] if other == second => at += 1,
                _ => return Some(Watch { first, second: None }),
            }
        }
        Some(Watch { first, second: Some(second) })
    }

    /// Whether the bytes behind the first one rule a marker out.
    fn is_none_at(self, bytes: &[u8], at: usize) -> bool {
        match (self.second, bytes.get(at + 1)) {
            (Some(second), Some(next)) => second != *next,
            _ => false,
        }
    }

    /// Where a marker may begin.
    pub(crate) fn find(self, bytes: &[u8]) -> Option<usize> {
        memchr::memchr_iter(self.first, bytes).find(|at| !self.is_none_at(bytes, *at))
    }
}

enum Fed {
    All,
    Done(usize),
    Illegal(usize),
    /// The watched byte, where it may begin an end marker.
    Watched(usize),
}

impl Value {
    pub(crate) fn new() -> Self {
        Value { place: Place::Start, brackets: Brackets::default(), loose: false }
    }

    /// A value that is known to be broken, from its start.
    pub(crate) fn broken() -> Self {
        Value { loose: true, ..Value::new() }
    }

    /// A broken object that is open already.
    pub(crate) fn broken_inside() -> Self {
        let mut value = Value { place: Place::Inside, ..Value::broken() };
        value.brackets.open(b'{');
        value
    }

    /// Goes over `text`, whose end is the end of everything if `eof`.
    pub(crate) fn step(&mut self, text: &str, eof: bool, enders: &Enders) -> Extent {
        self.extent(text, eof, Some(enders))
    }

    /// Goes over `text`, in which no end marker counts. Where it is no JSON it says `Closed`.
    pub(crate) fn step_strict(&mut self, text: &str) -> Extent {
        self.extent(text, false, None)
    }

    fn extent(&mut self, text: &str, eof: bool, enders: Option<&Enders>) -> Extent {
        let enders_or_none = enders.unwrap_or(&NO_ENDERS);
        let (mut at, mut passed) = (0, usize::MAX);
        loop {
            match self.feed(text.as_bytes(), at, enders_or_none.watch, passed) {
                Fed::All if text.is_empty() => return Extent::More,
                Fed::All => return Extent::Take(text.len()),
                Fed::Done(end) => return Extent::Done(end),
                Fed::Illegal(place) => {
                    self.loose = true;
                    if enders.is_none() {
                        return Extent::Closed(place, Ending::Malformed);
                    }
                    at = place;
                }
                Fed::Watched(place) => {
                    let look = if self.loose {
                        enders_or_none.look(&mut Ahead::new(text, place, eof))
                    } else {
                        string_was_never_closed(Ahead::new(text, place, eof), enders_or_none)
                    };
                    match look {
                        Ok(ending) => return Extent::Closed(place, ending),
                        Err(Doubt::More) if place > 0 => return Extent::Take(place),
                        Err(Doubt::More) => return Extent::More,
                        Err(Doubt::No) => (at, passed) = (place, place),
                    }
                }
            }
        }
    }

    /// How many bytes at the start plainly belong to the value: it does not end in them, and no marker
    /// begins in them. [`feed`](Value::feed) knows what to do about the next.
    pub(crate) fn pass(&mut self, bytes: &[u8], watch: Option<Watch>) -> usize {
        // Without a marker to look for the quote is looked for twice.
        let watched = watch.map_or(b'"', |watch| watch.first);
        let mut at = 0;
        while at < bytes.len() {
            match self.place {
                Place::String => {
                    at += stop(&bytes[at..], watched);
                    match bytes.get(at) {
                        None => return at,
                        Some(b'\\') => self.place = Place::Escape,
                        Some(b'"') if self.brackets.depth == 0 && !self.loose => return at,
                        Some(b'"') => self.place = Place::Inside,
                        Some(_) if self.loose => return at,
                        Some(_) if watch.is_some_and(|watch| watch.is_none_at(bytes, at)) => {}
                        Some(_) => return at,
                    }
                }
                // Of a longer character only the first byte is passed here; no byte of the rest
                // is a quote or a backslash.
                Place::Escape => self.place = Place::String,
                Place::Inside => {
                    let byte = bytes[at];
                    if self.loose && watch.is_some() && byte == watched {
                        return at;
                    }
                    if !self.inside(byte) {
                        return at;
                    }
                }
                Place::Start | Place::Scalar => return at,
            }
            at += 1;
        }
        at
    }

    /// Whether the byte at `at`, where [`pass`](Value::pass) stopped, is the bracket that ends the value.
    pub(crate) fn ends_at(&mut self, bytes: &[u8], at: usize) -> bool {
        let Some(&byte) = bytes.get(at) else { return false };
        let ends = self.place == Place::Inside
            && !self.loose
            && matches!(CLASS[byte as usize], Class::Close);
        if ends {
            self.brackets = Brackets::default();
        }
        ends
    }

    /// One byte between strings, unless the value ends with it or is broken by it.
    fn inside(&mut self, byte: u8) -> bool {
        match CLASS[byte as usize] {
            Class::Plain => {}
            Class::Quote => self.place = Place::String,
            Class::Open => self.brackets.open(byte),
            Class::Close => {
                let mut brackets = self.brackets;
                if brackets.close(byte) && brackets.depth == 0 {
                    return false;
                }
                self.brackets = brackets;
            }
            Class::Foreign => return self.loose,
        }
        true
    }

    /// Goes over `bytes` from `at`; without a watched byte the end markers do not count. At `passed` they
    /// were looked for already.
    fn feed(&mut self, bytes: &[u8], mut at: usize, watch: Option<Watch>, passed: usize) -> Fed {
        if at == passed {
            if self.place == Place::Inside && !self.inside(bytes[at]) {
                return self.ended(at);
            }
            at += 1;
        }
        loop {
            at += self.pass(&bytes[at..], watch);
            let Some(&byte) = bytes.get(at) else { return Fed::All };
            match self.place {
                Place::String if byte != b'"' => return Fed::Watched(at),
                Place::String => {
                    self.place = Place::Inside;
                    return Fed::Done(at + 1);
                }
                Place::Inside if self.loose && watch.is_some_and(|watch| watch.first == byte) => {
                    return Fed::Watched(at);
                }
                Place::Inside if matches!(CLASS[byte as usize], Class::Foreign) => {
                    return Fed::Illegal(at);
                }
                Place::Inside => return self.ended(at),
                // What passes it by.
                Place::Escape => {}
                Place::Scalar => {
                    let rest = &bytes[at..];
                    let run = rest.iter().take_while(|byte| is_scalar_byte(**byte)).count();
                    if run == rest.len() {
                        return Fed::All;
                    }
                    return Fed::Done(at + run);
                }
                Place::Start => {
                    self.place = match byte {
                        b'{' | b'[' => Place::Inside,
                        b'"' => {
                            at += 1;
                            Place::String
                        }
                        _ if self.loose => Place::Inside,
                        _ if is_scalar_byte(byte) => Place::Scalar,
                        _ => return Fed::Illegal(at),
                    };
                }
            }
        }
    }

    /// The bracket at `at` ends the value.
    fn ended(&mut self, at: usize) -> Fed {
        self.brackets = Brackets::default();
        Fed::Done(at + 1)
    }
}

/// How far a string goes on with nothing to decide about: to a quote, a backslash or the watched byte.
fn stop(bytes: &[u8], watched: u8) -> usize {
    /// Nearer than this a stop is found faster word by word.
    const NEAR: usize = 32;
    let mut at = 0;
    while at < NEAR {
        let Some(word) = word::word(bytes, at) else { break };
        let hits = word::first(word, b'"') | word::first(word, b'\\') | word::first(word, watched);
        if hits != 0 {
            return at + word::before(hits);
        }
        at += 8;
    }
    let rest = &bytes[at..];
    let hit = if rest.len() < 8 {
        rest.iter().position(|byte| matches!(byte, b'"' | b'\\') || *byte == watched)
    } else {
        memchr::memchr3(b'"', b'\\', watched, rest)
    };
    at + hit.unwrap_or(rest.len())
}

/// Whether an end marker that stands inside a string ends the call all the same.
///
/// It does not, as a rule: a string may hold any text. But where the marker (if the format has one) and
/// the opener of another call follow each other and the next quote is one that cannot end a string (behind a string only
/// `, : } ]` may stand), the model forgot to close the string, and the calls behind it must not be lost.
fn string_was_never_closed(mut ahead: Ahead<'_>, enders: &Enders) -> Look<Ending> {
    if !enders.closers.is_empty() {
        ahead.any(enders.closers)?;
        ahead.space()?;
    }
    ahead.any(enders.openers)?;
    ahead.quote(SUSPICION_LIMIT)?;
    ahead.space()?;
    match ahead.peek()? {
        Some(b',' | b':' | b'}' | b']') | None => Err(Doubt::No),
        Some(_) => Ok(Ending::Malformed),
    }
}

#[derive(Clone, Copy)]
enum Class {
    Plain,
    Quote,
    Open,
    Close,
    Foreign,
}

/// What a byte means between the strings of a container.
const CLASS: [Class; 256] = {
    let mut table = [Class::Foreign; 256];
    let plain = b" \t\r\n:,+-.0123456789Etrufalsen";
    let mut at = 0;
    while at < plain.len() {
        table[plain[at] as usize] = Class::Plain;
        at += 1;
    }
    table[b'"' as usize] = Class::Quote;
    table[b'{' as usize] = Class::Open;
    table[b'[' as usize] = Class::Open;
    table[b'}' as usize] = Class::Close;
    table[b']' as usize] = Class::Close;
    table
};

fn is_scalar_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_stops_at_the_first_byte_that_matters() {
        for length in 0..80 {
            for at in 0..=length {
                for byte in [b'"', b'\\', b'<'] {
                    // 0xa2 and 0x23 are a quote but for one bit.
                    let mut bytes = [b'x', 0xa2, b'#', 0, 0xff].repeat(16);
                    bytes.truncate(length);
                    if let Some(place) = bytes.get_mut(at) {
                        *place = byte;
                    }
                    assert_eq!(stop(&bytes, b'<'), at, "{length} {at}");
                }
            }
        }
    }

    #[test]
    fn what_rules_a_marker_out() {
        let watch = Watch::of(&["</a>", "</b>"], &[]).unwrap();
        assert_eq!(watch.find(b"a < b </"), Some(6));
        assert_eq!(watch.find(b"a <"), Some(2));
        let mixed = Watch::of(&["</a>", "<|b|>"], &[]).unwrap();
        assert_eq!(mixed.find(b"a < b"), Some(2));
        assert!(Watch::of(&[], &["functools"]).is_none());
    }
}
