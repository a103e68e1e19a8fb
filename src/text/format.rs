//! A model family's way to write calls, as data.

use super::ahead::{HOLD_LIMIT, NAME_LIMIT, SPACE_LIMIT, TAG_LIMIT};
use super::engine::channels::Channels;
use super::engine::header::Header;
use super::engine::native::Native;
use super::engine::python::Python;
use super::engine::tags::Tags;
use super::engine::wrapped::Wrapped;

/// How one family of models writes calls and reasoning into its text: a row of data for the engines.
///
/// [`FORMATS`](super::FORMATS) has the known ones. A format of your own is a `static` built from
/// the same parts:
///
/// ```
/// use toolcall::text::{Delimiters, Format, Grammar, Wrapped};
///
/// static GRAMMARS: [Grammar; 1] =
///     [Grammar::Wrapped(Wrapped::new(&["<call>"]).closers(&["</call>"]))];
/// static THINK: [Delimiters; 1] = [Delimiters::new("<think>", "</think>")];
/// static MINE: Format = Format::new("mine", &GRAMMARS).reasoning(&THINK);
///
/// let message = MINE.read(r#"<think>hm</think><call>{"name": "ping"}</call>"#);
/// assert_eq!(message.reasoning, "hm");
/// assert_eq!(message.calls[0].name, "ping");
/// ```
#[derive(Debug)]
pub struct Format {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) grammars: &'static [Grammar],
    pub(crate) reasoning: &'static [Delimiters],
    pub(crate) framing: &'static [Delimiters],
    pub(crate) turn_ends: &'static [&'static str],
    pub(crate) reserved: bool,
}

/// One grammar for calls; the engine that reads it and its table.
///
/// An example is at [`Format`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Grammar {
    /// A JSON object, or a list of them, with name and arguments inside, between markers.
    Wrapped(Wrapped),
    /// Name and id in a header of their own, then the JSON arguments.
    Header(Header),
    /// Parameters as tags, or as pairs of a key tag and a value tag.
    Tags(Tags),
    /// Python calls with keyword arguments.
    Python(Python),
    /// `call:NAME{key:value}` with the model's own literals.
    Native(Native),
    /// Messages with headers that name a channel and a recipient.
    Channels(Channels),
}

/// A pair of markers: what stands between them is reasoning, or the visible text that they frame.
///
/// An example is at [`Format`].
#[derive(Debug, Clone, Copy)]
pub struct Delimiters {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) anywhere: bool,
}

impl Delimiters {
    /// From `open` to `close`. Behind visible text `open` counts only at the start of a line, so that
    /// the marker named in a sentence stays text.
    pub const fn new(open: &'static str, close: &'static str) -> Self {
        Delimiters { open, close, anywhere: false }
    }

    /// For markers that are tokens of their own, which no sentence contains: they count everywhere.
    pub const fn anywhere(mut self) -> Self {
        self.anywhere = true;
        self
    }
}

impl Format {
    /// A format with these grammars, tried in order at each marker.
    pub const fn new(name: &'static str, grammars: &'static [Grammar]) -> Self {
        Format {
            name,
            aliases: &[],
            grammars,
            reasoning: &[],
            framing: &[],
            turn_ends: &[],
            reserved: false,
        }
    }

    /// Other names that [`by_name`](super::by_name) finds the format under.
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// The markers around reasoning; the first pair's end closes reasoning that the prompt opened.
    pub const fn reasoning(mut self, reasoning: &'static [Delimiters]) -> Self {
        self.reasoning = reasoning;
        self
    }

    /// Markers that frame the visible text and are no part of it.
    pub const fn framing(mut self, framing: &'static [Delimiters]) -> Self {
        self.framing = framing;
        self
    }

    /// The tokens that end the model's turn. Behind a call they are markup, elsewhere text.
    pub const fn turn_ends(mut self, turn_ends: &'static [&'static str]) -> Self {
        self.turn_ends = turn_ends;
        self
    }

    /// The opener is a reserved token of the model's vocabulary: it opens a call in the middle of
    /// reasoning too, and so ends it.
    pub const fn reserved(mut self) -> Self {
        self.reserved = true;
        self
    }

    /// The format's name, as the program takes it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether the arguments are JSON as they stand.
    pub(crate) fn writes_json(&self) -> bool {
        self.grammars.iter().all(|grammar| {
            matches!(grammar, Grammar::Wrapped(_) | Grammar::Header(_) | Grammar::Channels(_))
        })
    }

    /// The most bytes that are held back, undecided, while text or reasoning is read: the longest
    /// marker with what must follow it to prove it. White space that may yet touch a call is held in
    /// addition, up to 64 KiB.
    ///
    /// Inside the envelope of a call more may be held, but never more than 64 KiB: the members of
    /// a JSON object before its name and arguments.
    pub const fn hold_back(&self) -> usize {
        let mut most = max(longest_of(self.reasoning), longest_of(self.framing));
        // At the end of the text turn-end tokens may follow each other.
        most = max(most, 4 * (longest(self.turn_ends) + SPACE_LIMIT));
        let mut at = 0;
        while at < self.grammars.len() {
            most = max(most, self.grammars[at].hold_back());
            at += 1;
        }
        most
    }
}

impl Grammar {
    /// The markers that may begin a call inside text.
    pub(crate) const fn openers(&self) -> &'static [&'static str] {
        match self {
            Grammar::Wrapped(grammar) => grammar.openers,
            Grammar::Header(grammar) => grammar.openers,
            Grammar::Tags(grammar) => grammar.openers,
            Grammar::Python(grammar) => grammar.openers,
            Grammar::Native(grammar) => grammar.openers,
            Grammar::Channels(_) => Channels::OPENERS,
        }
    }

    /// The markers that are markup when they stand directly behind a call.
    pub(crate) const fn closers(&self) -> &'static [&'static str] {
        match self {
            Grammar::Wrapped(grammar) => grammar.closers,
            Grammar::Header(grammar) => grammar.closers,
            Grammar::Tags(grammar) => grammar.closers,
            Grammar::Python(grammar) => grammar.closers,
            Grammar::Native(grammar) => grammar.closers,
            Grammar::Channels(_) => Channels::CLOSERS,
        }
    }

    const fn hold_back(&self) -> usize {
        let marker = longest(self.openers());
        match self {
            // Bare JSON is held until its first foreign key, its name or its arguments decide.
            Grammar::Wrapped(grammar) if grammar.bare => HOLD_LIMIT,
            Grammar::Wrapped(_) => marker + 2 * SPACE_LIMIT + 2,
            Grammar::Header(grammar) => match grammar.naming.in_text() {
                true => marker + 2 * NAME_LIMIT + 3 * SPACE_LIMIT + 32,
                false => marker,
            },
            Grammar::Tags(grammar) => {
                let tag = grammar.function.marker().len();
                let named = if grammar.names_in_text() { NAME_LIMIT } else { 0 };
                let bare = if grammar.bare { TAG_LIMIT } else { 0 };
                marker + SPACE_LIMIT + tag + named + bare + SPACE_LIMIT + grammar.longest_part()
            }
            Grammar::Python(_) => marker + NAME_LIMIT + 3 * SPACE_LIMIT + 2,
            Grammar::Native(grammar) => marker + grammar.call.len(),
            Grammar::Channels(_) => TAG_LIMIT,
        }
    }
}

// Each format is a row of its own: two are the same where they are one.
impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self, other)
    }
}

impl Eq for Format {}

/// The format of a text, or several that it may be in.
///
/// Made from one format, or from a list such as [`AUTO`](super::AUTO): then the first marker that is
/// proved decides, and up to there everything is text or reasoning.
///
/// An example is at [`Parser::new`](super::Parser::new).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats(Choice);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    One(&'static Format),
    Any(&'static [&'static Format]),
}

impl From<&'static Format> for Formats {
    fn from(format: &'static Format) -> Self {
        Formats(Choice::One(format))
    }
}

impl From<&'static [&'static Format]> for Formats {
    fn from(formats: &'static [&'static Format]) -> Self {
        Formats(match formats {
            [format] => Choice::One(format),
            formats => Choice::Any(formats),
        })
    }
}

impl Formats {
    /// The format, if there is only one.
    pub(crate) fn settled(&self) -> Option<&'static Format> {
        match self.0 {
            Choice::One(format) => Some(format),
            Choice::Any(_) => None,
        }
    }

    pub(crate) fn list(&self) -> &[&'static Format] {
        match &self.0 {
            Choice::One(format) => core::slice::from_ref(format),
            Choice::Any(list) => list,
        }
    }

    pub(crate) fn grammars(&self) -> impl Iterator<Item = (&'static Format, &'static Grammar)> {
        let rows = |format: &&'static Format| {
            let format = *format;
            format.grammars.iter().map(move |grammar| (format, grammar))
        };
        self.list().iter().flat_map(rows)
    }
}

pub(crate) const fn longest(markers: &[&str]) -> usize {
    let (mut most, mut at) = (0, 0);
    while at < markers.len() {
        most = max(most, markers[at].len());
        at += 1;
    }
    most
}

const fn longest_of(pairs: &[Delimiters]) -> usize {
    let (mut most, mut at) = (0, 0);
    while at < pairs.len() {
        most = max(most, max(pairs[at].open.len(), pairs[at].close.len()));
        at += 1;
    }
    most
}

pub(crate) const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}
