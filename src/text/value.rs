//! The extent of one JSON value, found without parsing it: strings, escapes and brackets.

use super::ahead::{Ahead, Doubt, Look, unless_no};
use super::brackets::Brackets;
use super::piece::Ending;

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
}

static NO_ENDERS: Enders = Enders { closers: &[], openers: &[], turn_ends: &[] };

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

    /// The byte to stop at: that of the format's end markers, and where it has none, that of the next
    /// call, unless it is an ordinary letter.
    fn first_byte(&self) -> Option<u8> {
        let list = if self.closers.is_empty() { self.openers } else { self.closers };
        let first = list.first().map(|marker| marker.as_bytes()[0]);
        first.filter(|byte| !byte.is_ascii_alphanumeric())
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
        let watch = enders.and_then(Enders::first_byte);
        let (mut at, mut passed) = (0, usize::MAX);
        loop {
            match self.feed(text.as_bytes(), at, watch, passed) {
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
                    let enders = enders.unwrap_or(&NO_ENDERS);
                    let look = if self.loose {
                        enders.look(&mut Ahead::new(text, place, eof))
                    } else {
                        string_was_never_closed(Ahead::new(text, place, eof), enders)
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

    /// Goes over `bytes` from `at`; without a watched byte the end markers do not count.
    fn feed(&mut self, bytes: &[u8], mut at: usize, watch: Option<u8>, passed: usize) -> Fed {
        loop {
            match self.place {
                Place::String => {
                    let rest = &bytes[at..];
                    let hit = match watch {
                        // A byte that was looked at already is stepped over.
                        Some(watch) if at != passed => memchr::memchr3(b'"', b'\\', watch, rest),
                        Some(watch) => match rest.get(1..) {
                            Some(rest) => {
                                memchr::memchr3(b'"', b'\\', watch, rest).map(|hit| hit + 1)
                            }
                            None => None,
                        },
                        None => memchr::memchr2(b'"', b'\\', rest),
                    };
                    let Some(hit) = hit else { return Fed::All };
                    at += hit;
                    match bytes[at] {
                        b'"' => {
                            at += 1;
                            self.place = Place::Inside;
                            if self.brackets.depth == 0 && !self.loose {
                                return Fed::Done(at);
                            }
                        }
                        b'\\' => {
                            at += 1;
                            self.place = Place::Escape;
                        }
                        _ => return Fed::Watched(at),
                    }
                }
                Place::Escape => {
                    if at == bytes.len() {
                        return Fed::All;
                    }
                    // Of a longer character only the first byte is passed here; no byte of the rest
                    // is a quote or a backslash.
                    at += 1;
                    self.place = Place::String;
                }
                Place::Inside => {
                    let Some(&byte) = bytes.get(at) else { return Fed::All };
                    if self.loose && Some(byte) == watch && at != passed {
                        return Fed::Watched(at);
                    }
                    match CLASS[byte as usize] {
                        Class::Plain => {}
                        Class::Quote => self.place = Place::String,
                        Class::Open => self.brackets.open(byte),
                        Class::Close => {
                            let known = self.brackets.close(byte);
                            if known && self.brackets.depth == 0 {
                                return Fed::Done(at + 1);
                            }
                        }
                        Class::Foreign if self.loose => {}
                        Class::Foreign => return Fed::Illegal(at),
                    }
                    at += 1;
                }
                Place::Scalar => {
                    let rest = &bytes[at..];
                    let run = rest.iter().take_while(|byte| is_scalar_byte(**byte)).count();
                    if run == rest.len() {
                        return Fed::All;
                    }
                    return Fed::Done(at + run);
                }
                Place::Start => {
                    let Some(&byte) = bytes.get(at) else { return Fed::All };
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
