//! From an envelope's bytes to its tokens, faster where it is like one before.
//!
//! The envelopes of a stream differ in a fragment, an index, a number that counts, and hardly in
//! anything else. So the last few are remembered as [`Shape`]s: what stays the same is compared, what
//! varies is a hole, and only the holes are read.
//!
//! ```text
//! {"id":"c1","choices":[{"index":⟨0⟩,"delta":{"content":"⟨Hi⟩"}}],"padding":"⟨x7⟩"}
//! ```
//!
//! **The invariant.** The [full pass](read) accepted the envelope that a shape was learnt from. Another
//! envelope matches if it is the same outside the holes, byte for byte, and has in each hole a whole
//! value of the same type. Where the full pass goes is decided by brackets, keys and the types of
//! values alone, and none of those is in a hole. So it would accept the other envelope too, and find
//! the same tokens, moved by what the holes before them have grown. Which values are holes is
//! therefore no question of being right, only of being fast.
//!
//! That is learnt by example: a value becomes a hole when an envelope differs from a shape in values
//! only.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use super::delta::Sink;
use super::fields::{Kind, Node, Token, read};
use super::json::{Document, Unexpected};
use super::said::{Listener, Sayings};
use crate::frame::Frame;

/// How many shapes are kept, and how many bytes they may hold in all.
const SHAPES: usize = 8;
const BYTES: usize = 2048;
/// From a longer envelope, or one with more tokens or holes, no shape is learnt.
const LONGEST: usize = 1024;
const TOKENS: usize = 64;
const HOLES: usize = 15;

/// Reads the envelopes of one stream, one after the other, into one list of tokens. Holds nothing
/// before the first one.
#[derive(Debug)]
pub(crate) struct Envelope<F: 'static> {
    memory: Option<Box<Memory<F>>>,
    patience: Patience,
}

impl<F> Default for Envelope<F> {
    fn default() -> Self {
        Envelope { memory: None, patience: Patience::default() }
    }
}

#[derive(Debug)]
struct Memory<F: 'static> {
    tokens: Vec<Token<F>>,
    /// The one that matched last comes first.
    shapes: Vec<Shape<F>>,
    /// How many shapes there were: each has a number of its own.
    learnt: u32,
    sayings: Sayings,
}

impl<F> Default for Memory<F> {
    fn default() -> Self {
        Memory { tokens: Vec::new(), shapes: Vec::new(), learnt: 0, sayings: Sayings::default() }
    }
}

/// What the shapes say to a document.
#[derive(Debug, Clone, Copy)]
enum Look {
    /// They were not asked.
    Paused,
    /// It has none of them.
    Missed,
    /// It has the first one.
    Found(Match),
}

impl<F: Copy + PartialEq> Envelope<F> {
    /// Tells what an event says: at once, if it is like one before in all but the text that it
    /// carries; else `speak` works it out of the tokens, and answers whether it would say the same
    /// again.
    #[inline]
    pub(super) fn tell<S: Sink>(
        &mut self,
        frame: &Frame<'_>,
        root: &'static Node<F>,
        sink: &mut S,
        speak: impl FnOnce(&[Token<F>], &mut Listener<'_, '_, S>) -> bool,
    ) -> Result<(), Unexpected> {
        let (name, document) = (frame.name, frame.data);
        let memory = self.memory.get_or_insert_default();
        let look = memory.look(document, root, &mut self.patience);
        if let (Look::Found(found), Some(shape)) = (&look, memory.shapes.first()) {
            if let Some(delta) = memory.sayings.of(name, document, shape, found) {
                sink.delta(delta);
                return Ok(());
            }
        }
        if let Err(fault) = memory.read(look, document, root, &mut self.patience) {
            memory.sayings.forget();
            return Err(fault);
        }
        let mut listener = Listener::new(document, sink);
        let again = speak(&memory.tokens, &mut listener);
        match (look, listener.heard().filter(|_| again), memory.shapes.first()) {
            (Look::Found(found), Some(heard), Some(shape)) => {
                memory.sayings.keep(name, heard, shape, &found);
            }
            _ => memory.sayings.forget(),
        }
        Ok(())
    }

    /// The tokens of `document`, as [`fields::read`](read) gives them.
    #[inline]
    pub fn read(
        &mut self,
        document: &[u8],
        root: &'static Node<F>,
    ) -> Result<&[Token<F>], Unexpected> {
        let memory = self.memory.get_or_insert_default();
        let look = memory.look(document, root, &mut self.patience);
        memory.read(look, document, root, &mut self.patience)?;
        Ok(&memory.tokens)
    }

    /// Reads every envelope in full from now on.
    pub fn forget_shapes(&mut self) {
        self.memory = None;
        self.patience = Patience { misses: 0, pause: u32::MAX };
    }
}

impl<F: Copy + PartialEq> Memory<F> {
    #[inline]
    fn look(&mut self, document: &[u8], root: &'static Node<F>, patience: &mut Patience) -> Look {
        if !patience.tries() {
            return Look::Paused;
        }
        for (at, shape) in self.shapes.iter().enumerate() {
            if let Some(found) = shape.find(document, root) {
                if at > 0 {
                    self.shapes.swap(0, at);
                }
                *patience = Patience::default();
                return Look::Found(found);
            }
        }
        Look::Missed
    }

    /// Lists the tokens of a document that was looked at.
    #[inline]
    fn read(
        &mut self,
        look: Look,
        document: &[u8],
        root: &'static Node<F>,
        patience: &mut Patience,
    ) -> Result<(), Unexpected> {
        self.tokens.clear();
        match look {
            Look::Found(found) => {
                if let Some(shape) = self.shapes.first() {
                    shape.tell(&found, &mut self.tokens);
                }
            }
            Look::Paused => read(document, root, &mut self.tokens)?,
            Look::Missed => {
                read(document, root, &mut self.tokens)?;
                self.learn(document, root);
                patience.lose();
            }
        }
        Ok(())
    }

    /// Learns from a document that no shape matches and the full pass has read.
    #[inline(never)]
    fn learn(&mut self, document: &[u8], root: &'static Node<F>) {
        let tokens = &self.tokens[..];
        if document.len() > LONGEST || tokens.len() > TOKENS {
            return;
        }
        self.learnt = self.learnt.wrapping_add(1);
        let number = self.learnt;
        let with_more_holes = self.shapes.iter().enumerate().find_map(|(at, shape)| {
            let holes = shape.holes_with(document, root, tokens)?;
            Some((at, Shape::new(number, document, root, tokens, &holes)))
        });
        if let Some((at, shape)) = with_more_holes {
            self.shapes[at] = shape;
            return self.shapes.swap(0, at);
        }
        // What varies in other shapes will vary in this one.
        let varies = |token: &&Token<F>| self.shapes.iter().any(|shape| shape.varies(token.field));
        let holes: Vec<Value> =
            tokens.iter().filter(varies).filter_map(Value::of).take(HOLES).collect();
        let shape = Shape::new(number, document, root, tokens, &holes);
        let mut bytes = shape.bytes();
        let mut fits = |shape: &Shape<F>| {
            bytes += shape.bytes();
            bytes <= BYTES
        };
        let kept = self.shapes.iter().take(SHAPES - 1).take_while(|shape| fits(shape)).count();
        self.shapes.truncate(kept);
        self.shapes.insert(0, shape);
    }
}

/// An envelope that was read before, and where in it the values stand that vary.
#[derive(Debug)]
pub(super) struct Shape<F: 'static> {
    pub(super) number: u32,
    root: &'static Node<F>,
    example: Box<[u8]>,
    holes: Box<[Hole]>,
    places: Box<[Place<F>]>,
}

/// How a document lies to a shape that it has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    /// By how much everything behind the first so many holes has moved.
    moved: [u32; HOLES + 1],
    /// Which holes hold strings with escapes, as bits.
    escaped: u32,
}

impl Match {
    #[inline]
    fn moved(&self, holes: u8) -> u32 {
        self.moved[usize::from(holes) & HOLES]
    }

    #[inline]
    pub(super) fn escaped(&self, hole: usize) -> bool {
        self.escaped >> (hole & HOLES) & 1 != 0
    }
}

/// A value of the example that may be another one. `start..end` is the value, of a string its content.
#[derive(Debug, Clone, Copy)]
struct Hole {
    start: u16,
    end: u16,
    is_number: bool,
    /// The token that has this value, or [`NO_TOKEN`].
    token: u8,
}

const NO_TOKEN: u8 = u8::MAX;

/// A token of the example, and how many holes come before its start and its end.
#[derive(Debug, Clone, Copy)]
struct Place<F> {
    token: Token<F>,
    holes_before_start: u8,
    holes_before_end: u8,
}

impl<F: Copy + PartialEq> Shape<F> {
    fn new(
        number: u32,
        example: &[u8],
        root: &'static Node<F>,
        tokens: &[Token<F>],
        holes: &[Value],
    ) -> Self {
        let count = |is_before: &dyn Fn(&Value) -> bool| {
            holes.iter().filter(|hole| is_before(hole)).count() as u8
        };
        let place = |token: &Token<F>| Place {
            token: *token,
            holes_before_start: count(&|hole| hole.start < token.start as usize),
            holes_before_end: count(&|hole| hole.end <= token.end as usize),
        };
        let hole = |value: &Value| {
            let is_value = |token: &Token<F>| token.start as usize == value.start;
            Hole {
                start: value.start as u16,
                end: value.end as u16,
                is_number: value.is_number,
                token: tokens.iter().position(is_value).map_or(NO_TOKEN, |at| at as u8),
            }
        };
        Shape {
            number,
            root,
            example: example.into(),
            holes: holes.iter().map(hole).collect(),
            places: tokens.iter().map(place).collect(),
        }
    }

    /// How many bytes it holds.
    fn bytes(&self) -> usize {
        self.example.len() + size_of_val(&self.holes[..]) + size_of_val(&self.places[..])
    }

    /// Where the holes of a document are, if it matches.
    #[inline]
    fn find(&self, document: &[u8], root: &'static Node<F>) -> Option<Match> {
        let document = Document { bytes: document };
        let mut found = Match { moved: [0; HOLES + 1], escaped: 0 };
        let (mut at, mut from) = (0, 0);
        for (n, hole) in self.holes.iter().enumerate() {
            let same = &self.example[from..usize::from(hole.start)];
            if !document.from(at).starts_with(same) {
                return None;
            }
            at += same.len();
            from = usize::from(hole.end);
            at = match hole.is_number {
                true => document.past_number(at).ok()?,
                false => {
                    let string = document.string(at).ok()?;
                    found.escaped |= u32::from(string.escaped) << n;
                    string.end
                }
            };
            found.moved[(n + 1) & HOLES] = (at as u32).wrapping_sub(from as u32);
        }
        let is_same = document.from(at) == &self.example[from..];
        (is_same && core::ptr::eq(self.root, root)).then_some(found)
    }

    /// The tokens of a document that matches.
    #[inline]
    fn tell(&self, found: &Match, tokens: &mut Vec<Token<F>>) {
        tokens.extend(self.places.iter().map(|place| {
            let mut token = place.token;
            token.start = token.start.wrapping_add(found.moved(place.holes_before_start));
            token.end = token.end.wrapping_add(found.moved(place.holes_before_end));
            token
        }));
        for (n, hole) in self.holes.iter().enumerate() {
            if let Some(token) = tokens.get_mut(usize::from(hole.token)) {
                if !hole.is_number {
                    token.kind = match found.escaped(n) {
                        false => Kind::String,
                        true => Kind::EscapedString,
                    };
                }
            }
        }
    }

    pub(super) fn holes(&self) -> usize {
        self.holes.len()
    }

    pub(super) fn tokens(&self) -> usize {
        self.places.len()
    }

    /// Where in a document that matches a hole is.
    #[inline]
    pub(super) fn place(&self, hole: usize, found: &Match) -> Range<usize> {
        let Hole { start, end, .. } = self.holes[hole];
        let start = u32::from(start).wrapping_add(found.moved(hole as u8)) as usize;
        start..u32::from(end).wrapping_add(found.moved(hole as u8 + 1)) as usize
    }

    /// Where in a document that matches a token is.
    #[inline]
    pub(super) fn token_place(&self, token: usize, found: &Match) -> Range<usize> {
        let Place { token, holes_before_start, holes_before_end } = &self.places[token];
        let start = token.start.wrapping_add(found.moved(*holes_before_start)) as usize;
        start..token.end.wrapping_add(found.moved(*holes_before_end)) as usize
    }

    /// The holes that tokens are about, but for one of them.
    #[inline]
    pub(super) fn asked(&self, without: usize) -> impl Iterator<Item = usize> + '_ {
        let is_asked = move |(n, hole): &(usize, &Hole)| *n != without && hole.token != NO_TOKEN;
        self.holes.iter().enumerate().filter(is_asked).map(|(n, _)| n)
    }

    /// The values of `document` that have to be holes so that it and the example are of one shape;
    /// `None` if it differs in more than values.
    fn holes_with(
        &self,
        document: &[u8],
        root: &'static Node<F>,
        tokens: &[Token<F>],
    ) -> Option<Vec<Value>> {
        let fields = |token: &Token<F>| token.field;
        let same_fields =
            self.places.iter().map(|place| place.token.field).eq(tokens.iter().map(fields));
        if !same_fields || !core::ptr::eq(self.root, root) {
            return None;
        }
        let mut holes = Vec::new();
        let (mut ours, mut theirs) = (values(&self.example), values(document));
        let (mut our_end, mut their_end) = (0, 0);
        loop {
            let (our, their) = (ours.next(), theirs.next());
            let our_gap = our_end..our.map_or(self.example.len(), |value| value.start);
            let their_gap = their_end..their.map_or(document.len(), |value| value.start);
            if self.example[our_gap] != document[their_gap] {
                return None;
            }
            let (our, their) = match (our, their) {
                (Some(our), Some(their)) if our.is_number == their.is_number => (our, their),
                (None, None) => return Some(holes),
                _ => return None,
            };
            let is_hole = self.holes.iter().any(|hole| usize::from(hole.start) == our.start);
            if is_hole || self.example[our.start..our.end] != document[their.start..their.end] {
                if holes.len() == HOLES {
                    return None;
                }
                holes.push(their);
            }
            (our_end, their_end) = (our.end, their.end);
        }
    }

    /// Whether a value of this field is a hole.
    fn varies(&self, field: F) -> bool {
        let is_field = |hole: &Hole| {
            self.places.get(usize::from(hole.token)).is_some_and(|place| place.token.field == field)
        };
        self.holes.iter().any(is_field)
    }
}

/// A string or a number that is the value of a member or an element.
#[derive(Debug, Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
    is_number: bool,
}

impl Value {
    /// What a token stands for, if it is one.
    fn of<F>(token: &Token<F>) -> Option<Self> {
        let is_number = match token.kind {
            Kind::Number => true,
            Kind::String | Kind::EscapedString => false,
            Kind::True | Kind::False | Kind::Null | Kind::Object | Kind::Array => return None,
        };
        Some(Value { start: token.start as usize, end: token.end as usize, is_number })
    }
}

/// The strings and numbers of a valid document, keys left out.
fn values(document: &[u8]) -> impl Iterator<Item = Value> {
    let document = Document { bytes: document };
    let mut at = 0;
    iter::from_fn(move || {
        loop {
            let start = at;
            match document.byte(at) {
                0 => return None,
                b'"' => {
                    let string = document.string(start + 1).ok()?;
                    at = document.past_white_space(string.end + 1);
                    if document.byte(at) != b':' {
                        return Some(Value {
                            start: string.start,
                            end: string.end,
                            is_number: false,
                        });
                    }
                }
                b'-' | b'0'..=b'9' => {
                    at = document.past_number(start).ok()?;
                    return Some(Value { start, end: at, is_number: true });
                }
                _ => at += 1,
            }
        }
    })
}

/// How long the shapes are tried while none matches.
#[derive(Debug, Clone, Copy, Default)]
struct Patience {
    /// Since the last match.
    misses: u32,
    /// How many envelopes are read in full before the shapes are tried again.
    pause: u32,
}

impl Patience {
    /// So many misses in a row are usual where a message begins and ends.
    const USUAL: u32 = 12;
    /// A shape is learnt from two envelopes, and matches the third.
    const ATTEMPTS: u32 = 4;
    const LONGEST_PAUSE: u32 = 128;

    #[inline]
    fn tries(&mut self) -> bool {
        if self.pause == 0 {
            return true;
        }
        self.pause = self.pause.saturating_sub(u32::from(self.pause != u32::MAX));
        false
    }

    fn lose(&mut self) {
        self.misses += 1;
        if self.misses >= Self::USUAL && self.misses % Self::ATTEMPTS == 0 {
            self.pause = (self.misses * 4).min(Self::LONGEST_PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::{branch, leaf};
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};
    use proptest::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Field {
        Id,
        Choice,
        Index,
        Delta,
        Content,
        Usage,
    }

    static ROOT: Node<Field> = Node {
        keys: &[
            leaf("id", Field::Id),
            branch("choices", Field::Choice, &CHOICE),
            leaf("usage", Field::Usage),
        ],
    };
    static CHOICE: Node<Field> =
        Node { keys: &[leaf("index", Field::Index), branch("delta", Field::Delta, &DELTA)] };
    static DELTA: Node<Field> = Node { keys: &[leaf("content", Field::Content)] };

    fn in_full(document: &[u8]) -> Result<Vec<Token<Field>>, Unexpected> {
        let mut tokens = Vec::new();
        read(document, &ROOT, &mut tokens).map(|()| tokens)
    }

    /// Reads all and holds it against the full pass; how many of them matched a shape.
    fn matches<'a>(documents: impl IntoIterator<Item = &'a [u8]>) -> usize {
        let mut envelope = Envelope::default();
        let mut matches = 0;
        for document in documents {
            let tried = envelope.patience.pause == 0;
            let misses = envelope.patience.misses;
            let tokens = envelope.read(document, &ROOT).map(<[_]>::to_vec);
            assert_eq!(tokens, in_full(document), "{}", document.escape_ascii());
            matches += usize::from(tried && tokens.is_ok() && envelope.patience.misses <= misses);
        }
        matches
    }

    fn matches_of(documents: &[String]) -> usize {
        matches(documents.iter().map(String::as_bytes))
    }

    #[test]
    fn what_varied_once_is_a_hole() {
        let texts = ["Hi", "", r"a\nb", r"\ud83d", "long enough for more than a word", r#"\""#];
        let document = |(text, n): (&&str, i32)| {
            format!(
                r#"{{"id":"c{n}","choices":[{{"index":{n},"delta":{{"content":"{text}"}},"x":"{n}"}}],"usage":{{"n":[{n}.5e3]}}}}"#
            )
        };
        let documents: Vec<String> = texts.iter().zip(9..).map(document).collect();
        assert_eq!(matches_of(&documents), texts.len() - 2);
    }

    #[test]
    fn shapes_that_take_turns_are_all_kept() {
        let kinds = [
            r#"{"choices":[{"index":0,"delta":{"content":"@"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{}}],"n":@}"#,
            r#"{"id":"@"}"#,
            r#"{"usage":@,"choices":[]}"#,
            r#"{ "usage" : null , "n": "@" }"#,
        ];
        let documents: Vec<String> =
            (10..40).map(|n| kinds[n % kinds.len()].replace('@', &n.to_string())).collect();
        assert_eq!(matches_of(&documents), 30 - 2 * kinds.len());
    }

    #[test]
    fn what_differs_outside_the_holes_is_no_match() {
        let [a, b] = [r#"{"id":"a","usage":1}"#, r#"{"id":"b","usage":2}"#];
        for other in [
            r#"{"id":"a","usage":1} "#,
            r#"{"id":"a","usage":01}"#,
            r#"{"id":"a","usage":1.}"#,
            r#"{"id":"a","usage":"1"}"#,
            r#"{"id":"a","usage":null}"#,
            r#"{"id":"a" ,"usage":1}"#,
            r#"{"id":"a","usage":1},"#,
            r#"{"id":"a","usage":1"#,
            r#"{"id":"a\","usage":1}"#,
            r#"{"id":"\u12","usage":1}"#,
            r#"{"id":"a","usage":1,"id":"b"}"#,
        ] {
            assert_eq!(matches([a, b, other].map(str::as_bytes)), 0, "{other}");
            assert_eq!(matches([a, b, other, a].map(str::as_bytes)), 1, "{other}");
        }
    }

    #[test]
    fn shapes_that_never_match_are_tried_less_and_less() {
        let mut envelope = Envelope::default();
        let mut tried = 0;
        for n in 0..10_000 {
            tried += u32::from(envelope.patience.pause == 0);
            envelope.read(format!(r#"{{"key{n}":0}}"#).as_bytes(), &ROOT).unwrap();
        }
        assert!(tried < 10_000 / 25, "{tried}");
        let matched = (0..1000).filter(|n| {
            envelope.read(format!(r#"{{"id":"{n}"}}"#).as_bytes(), &ROOT).unwrap();
            envelope.patience.misses == 0
        });
        assert!(matched.count() > 800);
    }

    #[test]
    fn little_is_kept() {
        let mut envelope = Envelope::default();
        for n in 0..100 {
            let padding = "x".repeat(n * 30);
            let key = |key: usize| format!(r#""{n}-{key}":"{padding}","#);
            let keys: String = (0..n % 7).map(key).collect();
            envelope.read(format!(r#"{{{keys}"id":1}}"#).as_bytes(), &ROOT).unwrap();
            let shapes = &envelope.memory.as_ref().unwrap().shapes;
            let bytes: usize = shapes.iter().map(Shape::bytes).sum();
            assert!(bytes <= BYTES && shapes.len() <= SHAPES);
        }
    }

    #[test]
    fn other_fields_are_another_shape() {
        static OTHER: Node<Field> = Node { keys: &[leaf("usage", Field::Usage)] };
        let mut envelope = Envelope::default();
        for n in 0..4 {
            let document = format!(r#"{{"id":"a","usage":{n}}}"#);
            assert_eq!(envelope.read(document.as_bytes(), &ROOT).unwrap().len(), 2);
            assert_eq!(envelope.read(document.as_bytes(), &OTHER).unwrap().len(), 1);
        }
    }

    /// A stream of envelopes that are mostly alike, some with a byte changed.
    fn stream() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let strange = [r#""\n""#, r#""\ud83d""#, r#""é""#, r#""\"x""#, "\"\u{7f}\""];
        let value = prop_oneof![
            "[a-c]{0,3}".prop_map(|text| format!("\"{text}\"")),
            prop::sample::select(strange.to_vec()).prop_map(String::from),
            (-3..300i32).prop_map(|number| format!("{number}")),
            prop::sample::select([r"1.5", "-0", "2e9", "null", "true", "[]", "{}"].to_vec())
                .prop_map(String::from),
        ];
        let templates = [
            r#"{"id":@,"choices":[{"index":@,"delta":{"content":@}}],"padding":@}"#,
            r#"{"id":@,"choices":[{"index":@,"delta":{}},{"index":@}],"usage":{"a":@,"b":[@,@]}}"#,
            r#"{"choices":[@,{"delta":@}],"id":@}"#,
            r#" { "usage" : @ } "#,
            r#"[{"id":@},{"id":@,"usage":@}]"#,
        ];
        let template = prop::sample::select(templates.to_vec());
        let document =
            (template, prop::collection::vec(value, 6)).prop_map(|(template, values)| {
                let mut pieces = template.split('@');
                let mut document = String::from(pieces.next().unwrap_or_default());
                for (value, piece) in values.iter().zip(pieces) {
                    document += value;
                    document += piece;
                }
                document.into_bytes()
            });
        let bytes = b"\"\\{}[],: 0-.eu\n\x00\xff".to_vec();
        let edit = (any::<prop::sample::Index>(), prop::sample::select(bytes), 0..3);
        let edited =
            (document, prop::option::weighted(0.1, edit)).prop_map(|(mut document, edit)| {
                if let Some((at, byte, kind)) = edit {
                    let at = at.index(document.len());
                    match kind {
                        0 => document[at] = byte,
                        1 => document.insert(at, byte),
                        _ => _ = document.remove(at),
                    }
                }
                document
            });
        prop::collection::vec(edited, 1..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 500 } else { 50_000 }))]

        #[test]
        fn gives_what_the_full_pass_gives(stream in stream()) {
            matches(stream.iter().map(Vec::as_slice));
        }
    }
}
