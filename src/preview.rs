//! A look at arguments that are still being written: for a live display, never to be executed.
//!
//! ```
//! let mut preview = toolcall::preview::Preview::new();
//! for fragment in ["{\"path\": \"src/ma", "in.rs\", \"text\": \"fn main() {\\n", "    prin"] {
//!     preview.push(fragment); // ToolCallDelta::fragment
//! }
//! let root = preview.root().unwrap();
//! let text = root.get("text").unwrap();
//! assert_eq!(text.as_str(), Some("fn main() {\n    prin"));
//! assert!(!text.is_complete());
//! assert_eq!(preview.to_string(), "{\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    prin……");
//! ```
//!
//! [`Preview`] takes each fragment once, so that looking after every one of them is linear over the
//! whole call. Begin with a new one where a fragment
//! [`replaces`](crate::event::ToolCallDelta::replaces) those before it. Nothing turns one into
//! [`Arguments`](crate::Arguments): half a path is a path, half a number is a number, and
//! `rm -rf /tmp/x` is on its way a while as `rm -rf /`.
//!
//! ```text
//!              ┌─────────────────── ',' ──────────────────┐
//!              ▼                                          │
//!  Value ──▶ String · Bare · FirstItem · FirstKey ──▶ AfterValue ──▶ Done
//!    ▲                                  │    ▲            │
//!    └── Colon ◀── KeyString ◀──────────┴── Key ◀── ',' ──┘      any ──▶ Broken
//! ```

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// A look at a text in one piece; for one that grows, keep a [`Preview`] and
/// [`push`](Preview::push) what is new.
///
/// ```
/// use toolcall::preview;
///
/// let preview = preview::view("{\"city\": \"Par");
/// assert_eq!(preview.root().unwrap().get("city").unwrap().as_str(), Some("Par"));
/// assert!(!preview.is_complete());
/// ```
pub fn view(text: &str) -> Preview {
    let mut preview = Preview::new();
    preview.push(text);
    preview
}

/// What can be seen of a JSON text that is being written. The [module](self) has an example.
///
/// Where the text stops being JSON, the preview stops: what stood before stays to be seen. It takes
/// little more memory than the text where that holds mostly strings, and some thirty times as much
/// at the worst (`[0,0,0…`): the bounds of [`Limits`](crate::Limits) bound it too.
#[derive(Debug, Clone)]
pub struct Preview {
    /// In the order in which they begin; the root is the first.
    nodes: Vec<Node>,
    /// All keys and scalars, unescaped, one after the other.
    text: String,
    /// The containers that the end of the text stands in, outermost first. At most [`DEPTH`].
    open: Vec<Open>,
    state: State,
    unescape: Unescape,
    /// The key that stands before the next value.
    key: Span,
    /// Bytes of the text that were JSON. Below `u32::MAX`, and so are all places and counts here.
    read: usize,
}

/// One value. Kept small, for there may be one to every two bytes of text.
#[derive(Debug, Clone)]
struct Node {
    kind: Kind,
    is_complete: bool,
    /// In `text`; empty in arrays.
    key: Span,
    /// A scalar: its place in `text`.
    value: Span,
    /// A container: its first child, and how many there are.
    first_child: u32,
    children: u32,
    /// The next child of the same container.
    next: u32,
}

/// Where no node follows.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

#[derive(Debug, Clone)]
struct Open {
    node: u32,
    last_child: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    FirstItem,
    FirstKey,
    Key,
    KeyString,
    Colon,
    String,
    /// In a number or a word.
    Bare,
    AfterValue,
    Done,
    Broken,
}

/// An escape sequence, as far as it has come.
#[derive(Debug, Clone, Copy, Default)]
struct Unescape {
    sequence: Sequence,
    /// The first half of a pair that waits for the second one.
    high_surrogate: Option<u16>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Sequence {
    #[default]
    None,
    Backslash,
    Hex {
        digits: u8,
        value: u16,
    },
}

/// As deep as `serde_json` reads, and so as deep as arguments may be.
const DEPTH: usize = 127;

/// What a [`View`] looks at.
///
/// An example is at [`View`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `null`, or the beginning of it.
    Null,
    /// `true` or `false`, or the beginning of one.
    Bool,
    /// A number, or the beginning of one.
    Number,
    /// A string, closed or not.
    String,
    /// An array, closed or not.
    Array,
    /// An object, closed or not.
    Object,
}

impl Default for Preview {
    fn default() -> Self {
        Preview::new()
    }
}

impl Preview {
    /// One that has seen nothing yet.
    pub fn new() -> Self {
        Preview {
            nodes: Vec::new(),
            text: String::new(),
            open: Vec::new(),
            state: State::Value,
            unescape: Unescape::default(),
            key: Span::default(),
            read: 0,
        }
    }

    /// Takes in what came next. It may be cut anywhere, in an escape sequence as well.
    ///
    /// ```
    /// use toolcall::event::ToolCallDelta;
    /// use toolcall::preview::Preview;
    ///
    /// fn show(preview: &mut Preview, delta: &ToolCallDelta<'_>) {
    ///     if delta.replaces {
    ///         *preview = Preview::new();
    ///     }
    ///     preview.push(&delta.fragment);
    /// }
    /// ```
    pub fn push(&mut self, fragment: &str) {
        let mut at = 0;
        if self.read.saturating_add(fragment.len()) >= NONE as usize {
            self.state = State::Broken;
        }
        while at < fragment.len() && self.state != State::Broken {
            let taken = match self.state {
                State::String | State::KeyString => self.string(&fragment[at..]),
                State::Bare => self.bare(&fragment[at..]),
                _ => self.structure(fragment.as_bytes()[at]),
            };
            at += taken;
            self.read += taken;
        }
    }

    /// The whole value, once something of it was seen.
    pub fn root(&self) -> Option<View<'_>> {
        self.view(if self.nodes.is_empty() { NONE } else { 0 })
    }

    /// Whether the text is one whole value. That it is does not mean that the call is over.
    pub fn is_complete(&self) -> bool {
        self.state == State::Done
    }

    /// The byte at which the text stopped being JSON, if it did; what comes after it is not looked at.
    ///
    /// ```
    /// assert_eq!(toolcall::preview::view("{\"a\": 1]").broken_at(), Some(7));
    /// assert_eq!(toolcall::preview::view("{\"a\": 1").broken_at(), None);
    /// ```
    pub fn broken_at(&self) -> Option<usize> {
        (self.state == State::Broken).then_some(self.read)
    }

    /// One byte outside strings and bare words; how many were taken.
    fn structure(&mut self, byte: u8) -> usize {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return 1;
        }
        match (self.state, byte) {
            (State::FirstItem, b']') | (State::FirstKey, b'}') => self.close(),
            (State::Value | State::FirstItem, _) => return self.begin_value(byte),
            (State::FirstKey | State::Key, b'"') => {
                self.key = self.empty_span();
                self.state = State::KeyString;
            }
            (State::Colon, b':') => self.state = State::Value,
            (State::AfterValue, _) => match (byte, self.innermost()) {
                (b',', Some(Kind::Object)) => self.state = State::Key,
                (b',', Some(_)) => self.state = State::Value,
                (b'}', Some(Kind::Object)) | (b']', Some(Kind::Array)) => self.close(),
                _ => return self.break_off(),
            },
            _ => return self.break_off(),
        }
        1
    }

    fn begin_value(&mut self, byte: u8) -> usize {
        let (kind, state) = match byte {
            b'"' => (Kind::String, State::String),
            b'{' => (Kind::Object, State::FirstKey),
            b'[' => (Kind::Array, State::FirstItem),
            b't' | b'f' => (Kind::Bool, State::Bare),
            b'n' => (Kind::Null, State::Bare),
            b'-' | b'0'..=b'9' => (Kind::Number, State::Bare),
            _ => return self.break_off(),
        };
        let is_container = matches!(kind, Kind::Object | Kind::Array);
        if is_container && self.open.len() == DEPTH {
            return self.break_off();
        }
        let node = self.nodes.len() as u32;
        if let Some(parent) = self.open.last_mut() {
            match parent.last_child {
                NONE => self.nodes[parent.node as usize].first_child = node,
                sibling => self.nodes[sibling as usize].next = node,
            }
            self.nodes[parent.node as usize].children += 1;
            parent.last_child = node;
        }
        self.nodes.push(Node {
            kind,
            is_complete: false,
            key: core::mem::take(&mut self.key),
            value: self.empty_span(),
            first_child: NONE,
            children: 0,
            next: NONE,
        });
        if is_container {
            self.open.push(Open { node, last_child: NONE });
        }
        self.state = state;
        match state {
            State::Bare => 0,
            _ => 1,
        }
    }

    /// The end of the innermost container.
    fn close(&mut self) {
        if let Some(closed) = self.open.pop() {
            self.nodes[closed.node as usize].is_complete = true;
        }
        self.end_value();
    }

    fn end_value(&mut self) {
        self.state = if self.open.is_empty() { State::Done } else { State::AfterValue };
    }

    /// A run of a number or a word; how much of it was taken.
    fn bare(&mut self, rest: &str) -> usize {
        let belongs =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let run = rest.bytes().position(|byte| !belongs(&byte)).unwrap_or(rest.len());
        self.text.push_str(&rest[..run]);
        let end = self.text.len() as u32;
        if let Some(node) = self.nodes.last_mut() {
            node.value.end = end;
            if run < rest.len() {
                let text = &self.text[node.value.range()];
                node.is_complete = serde_json::from_str::<serde_json::Value>(text).is_ok();
                match node.is_complete {
                    true => self.end_value(),
                    false => self.state = State::Broken,
                }
            }
        }
        run
    }

    /// A run of a string, or one step of an escape sequence; how much was taken.
    fn string(&mut self, rest: &str) -> usize {
        let taken = match self.unescape.sequence {
            Sequence::None => self.plain(rest),
            Sequence::Backslash => self.escape(rest.as_bytes()[0]),
            Sequence::Hex { digits, value } => self.hex(rest.as_bytes()[0], digits, value),
        };
        let end = self.text.len() as u32;
        match (self.state, self.nodes.last_mut()) {
            (State::KeyString | State::Colon, _) => self.key.end = end,
            (_, Some(node)) => node.value.end = end,
            _ => {}
        }
        taken
    }

    fn plain(&mut self, rest: &str) -> usize {
        let end = memchr::memchr2(b'"', b'\\', rest.as_bytes());
        let run = &rest[..end.unwrap_or(rest.len())];
        if !run.is_empty() || end.is_some_and(|at| rest.as_bytes()[at] == b'"') {
            self.drop_high_surrogate();
        }
        self.text.push_str(run);
        let Some(at) = end else { return run.len() };
        match (rest.as_bytes()[at], self.state) {
            (b'\\', _) => self.unescape.sequence = Sequence::Backslash,
            (_, State::KeyString) => self.state = State::Colon,
            _ => {
                if let Some(node) = self.nodes.last_mut() {
                    node.is_complete = true;
                    node.value.end = self.text.len() as u32;
                }
                self.end_value();
            }
        }
        at + 1
    }

    fn escape(&mut self, byte: u8) -> usize {
        let meant = match byte {
            b'u' => {
                self.unescape.sequence = Sequence::Hex { digits: 0, value: 0 };
                return 1;
            }
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => return self.break_off(),
        };
        self.drop_high_surrogate();
        self.text.push(meant);
        self.unescape.sequence = Sequence::None;
        1
    }

    fn hex(&mut self, byte: u8, digits: u8, value: u16) -> usize {
        let Some(digit) = char::from(byte).to_digit(16) else { return self.break_off() };
        let value = value << 4 | digit as u16;
        if digits < 3 {
            self.unescape.sequence = Sequence::Hex { digits: digits + 1, value };
            return 1;
        }
        self.unescape.sequence = Sequence::None;
        let pair = [self.unescape.high_surrogate.unwrap_or(value), value];
        if matches!(value, 0xdc00..=0xdfff) && self.unescape.high_surrogate.is_some() {
            self.unescape.high_surrogate = None;
            self.text.extend(char::decode_utf16(pair).flatten());
            return 1;
        }
        self.drop_high_surrogate();
        match value {
            0xd800..=0xdbff => self.unescape.high_surrogate = Some(value),
            _ => {
                self.text.push(char::from_u32(value.into()).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
        }
        1
    }

    /// The first half of a pair that no second half came for.
    fn drop_high_surrogate(&mut self) {
        if self.unescape.high_surrogate.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    fn break_off(&mut self) -> usize {
        self.state = State::Broken;
        0
    }

    fn innermost(&self) -> Option<Kind> {
        self.open.last().map(|open| self.nodes[open.node as usize].kind)
    }

    fn empty_span(&self) -> Span {
        let end = self.text.len() as u32;
        Span { start: end, end }
    }

    fn view(&self, node: u32) -> Option<View<'_>> {
        (node != NONE).then_some(View { preview: self, node })
    }
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// As JSON with `…` where it is unfinished, which no parser takes for a whole text.
impl fmt::Display for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.root() {
            Some(root) => root.fmt(f),
            None => f.write_str("…"),
        }
    }
}

/// A value in a [`Preview`], finished or not.
///
/// ```
/// use toolcall::preview::{self, Kind};
///
/// let preview = preview::view("{\"files\": [{\"path\": \"a.rs\", \"lines\": 1");
/// let files = preview.root().unwrap().get("files").unwrap();
/// assert_eq!((files.kind(), files.len()), (Kind::Array, 1));
/// let file = files.items().next().unwrap();
/// assert_eq!(file.get("path").unwrap().as_str(), Some("a.rs"));
/// let lines = file.get("lines").unwrap();
/// assert_eq!((lines.as_number(), lines.is_complete()), (Some("1"), false)); // may become 12
/// ```
#[derive(Clone, Copy)]
pub struct View<'a> {
    preview: &'a Preview,
    node: u32,
}

impl<'a> View<'a> {
    fn node(self) -> &'a Node {
        &self.preview.nodes[self.node as usize]
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Whether its end was seen. A number is complete when something follows it.
    pub fn is_complete(self) -> bool {
        self.node().is_complete
    }

    /// A string as far as it has come, unescaped.
    pub fn as_str(self) -> Option<&'a str> {
        (self.kind() == Kind::String).then(|| self.text())
    }

    /// A number as it is written, as far as it has come: `1` may become `1000`.
    pub fn as_number(self) -> Option<&'a str> {
        (self.kind() == Kind::Number).then(|| self.text())
    }

    /// A truth value that has come whole.
    pub fn as_bool(self) -> Option<bool> {
        match self.text() {
            "true" if self.kind() == Kind::Bool => Some(true),
            "false" if self.kind() == Kind::Bool => Some(false),
            _ => None,
        }
    }

    /// The value of a member whose key has come whole and whose value has begun; of several with one
    /// key the last, as in the arguments themselves. Walks over the members.
    pub fn get(self, key: &str) -> Option<View<'a>> {
        self.members().filter(|(name, _)| *name == key).last().map(|(_, value)| value)
    }

    /// The members of an object whose values have begun; empty for all else.
    pub fn members(self) -> impl Iterator<Item = (&'a str, View<'a>)> {
        let preview = self.preview;
        self.children(Kind::Object).map(move |view| (&preview.text[view.node().key.range()], view))
    }

    /// The items of an array that have begun; empty for all else.
    pub fn items(self) -> impl Iterator<Item = View<'a>> {
        self.children(Kind::Array)
    }

    /// How many members or items have begun.
    pub fn len(self) -> usize {
        self.node().children as usize
    }

    /// Whether no member or item has begun.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    fn children(self, of: Kind) -> impl Iterator<Item = View<'a>> {
        let preview = self.preview;
        let first = if self.kind() == of { self.node().first_child } else { NONE };
        core::iter::successors(preview.view(first), move |view| preview.view(view.node().next))
    }

    fn text(self) -> &'a str {
        &self.preview.text[self.node().value.range()]
    }
}

/// As [`Preview`]'s.
impl fmt::Display for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |closing| if self.is_complete() { closing } else { "…" };
        match self.kind() {
            Kind::Object => {
                f.write_str("{")?;
                for (at, (key, value)) in self.members().enumerate() {
                    f.write_str(if at > 0 { ", " } else { "" })?;
                    write!(f, "{key:?}: {value}")?;
                }
                f.write_str(end("}"))
            }
            Kind::Array => {
                f.write_str("[")?;
                for (at, item) in self.items().enumerate() {
                    f.write_str(if at > 0 { ", " } else { "" })?;
                    item.fmt(f)?;
                }
                f.write_str(end("]"))
            }
            Kind::String => {
                let quoted = alloc::format!("{:?}", self.text());
                let open = quoted.strip_suffix('"').unwrap_or(&quoted);
                f.write_str(open)?;
                f.write_str(end("\""))
            }
            Kind::Null | Kind::Bool | Kind::Number => {
                f.write_str(self.text())?;
                f.write_str(end(""))
            }
        }
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({self})")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn nodes_are_small() {
        assert_eq!(size_of::<Node>(), 32);
    }

    #[test]
    fn shown_as_far_as_it_has_come() {
        let cases = [
            ("", "…"),
            ("  ", "…"),
            ("{", "{…"),
            ("{\"", "{…"),
            ("{\"a", "{…"),
            ("{\"a\"", "{…"),
            ("{\"a\":", "{…"),
            ("{\"a\":\"", "{\"a\": \"……"),
            ("{\"a\":\"x\"", "{\"a\": \"x\"…"),
            ("{\"a\":\"x\\", "{\"a\": \"x……"),
            ("{\"a\":1", "{\"a\": 1……"),
            ("{\"a\":1,", "{\"a\": 1…"),
            ("{\"a\":tr", "{\"a\": tr……"),
            ("{\"a\":[1,{\"b\":null},", "{\"a\": [1, {\"b\": null}……"),
            ("{\"a\":[]}", "{\"a\": []}"),
            (" {} ", "{}"),
        ];
        for (text, shown) in cases {
            assert_eq!(view(text).to_string(), shown, "{text}");
        }
    }

    #[test]
    fn stops_where_it_is_no_json() {
        let cases = [
            ("x", 0),
            ("{]", 1),
            ("{\"a\" 1", 5),
            ("{\"a\":1 2", 7),
            ("{\"a\":1}{", 7),
            ("{\"a\":1}}", 7),
            ("{\"a\":nul,", 8),
            ("{\"a\":01,", 7),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("{\"a\":\"\\x", 7),
            ("{\"a\":\"\\u12g", 10),
            ("{\"a\":é", 5),
        ];
        for (text, at) in cases {
            assert_eq!(view(text).broken_at(), Some(at), "{text}");
            assert!(!view(text).is_complete(), "{text}");
        }
        assert_eq!(view("{\"a\":1} x").root().unwrap().get("a").unwrap().as_number(), Some("1"));
    }

    #[test]
    fn surrogates() {
        let text = |text: &str| view(text).root().unwrap().as_str().unwrap().to_string();
        assert_eq!(text("\"\\ud83d\\ude00\""), "😀");
        assert_eq!(text("\"\\ud83d"), "");
        assert_eq!(text("\"\\ud83d\\"), "");
        assert_eq!(text("\"\\ud83d\\ud83d\\ude00"), "\u{fffd}😀");
        assert_eq!(text("\"\\ud83dx"), "\u{fffd}x");
        assert_eq!(text("\"\\ud83d\\n"), "\u{fffd}\n");
        assert_eq!(text("\"\\ud83d\""), "\u{fffd}");
        assert_eq!(text("\"\\ude00"), "\u{fffd}");
    }

    #[test]
    fn as_deep_as_the_parser() {
        for (depth, is_seen) in [(127, true), (128, false)] {
            let text = "[".repeat(depth) + &"]".repeat(depth);
            assert_eq!(serde_json::from_str::<Value>(&text).is_ok(), is_seen);
            assert_eq!(view(&text).is_complete(), is_seen);
            let _ = view(&text).to_string();
        }
    }

    #[test]
    fn of_several_members_the_last_counts() {
        let preview = view("{\"a\":1,\"a\":2}");
        let root = preview.root().unwrap();
        assert_eq!(root.get("a").unwrap().as_number(), Some("2"));
        assert_eq!((root.len(), root.is_empty()), (2, false));
    }

    #[test]
    fn a_bool_is_one_when_it_is_whole() {
        assert_eq!(view("tru").root().unwrap().as_bool(), None);
        assert_eq!(view("true").root().unwrap().as_bool(), Some(true));
        assert_eq!(view("\"true\"").root().unwrap().as_bool(), None);
    }

    fn value(view: View<'_>) -> Value {
        match view.kind() {
            Kind::Object => {
                view.members().map(|(key, member)| (key.to_string(), value(member))).collect()
            }
            Kind::Array => view.items().map(value).collect(),
            Kind::String => view.as_str().into(),
            Kind::Bool => json!(view.as_bool()),
            Kind::Null => Value::Null,
            Kind::Number => serde_json::from_str(view.as_number().unwrap()).unwrap(),
        }
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            "\\PC*|[\\x00-\\x1f\"\\\\é😀]*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"\\\\\u{1f600}]{0,4}", inner, 0..6)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    /// JSON with all that is not ASCII escaped, so that surrogate pairs are cut as well.
    fn escaped(text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            match c.is_ascii() {
                true => out.push(c),
                false => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                    out.push_str(&alloc::format!("\\u{unit:04X}"));
                }),
            }
        }
        out
    }

    proptest! {
        #[test]
        fn a_whole_text_is_seen_whole(document in json_value(), is_escaped: bool) {
            let text = if is_escaped { escaped(&document.to_string()) } else { document.to_string() };
            let preview = view(&(text.clone() + " "));
            prop_assert!(preview.is_complete());
            let parsed: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(value(preview.root().unwrap()), parsed);
        }

        #[test]
        fn any_cut_shows_the_same(text in "[\\[\\]{}:,\"\\\\u0-9a-ftrn .eé-]{0,60}", cuts: u64) {
            let mut pieces = Preview::new();
            let mut piece = String::new();
            for (at, c) in text.chars().enumerate() {
                piece.push(c);
                if cuts >> (at % 64) & 1 == 1 {
                    pieces.push(&piece);
                    piece.clear();
                }
            }
            pieces.push(&piece);
            let whole = view(&text);
            prop_assert_eq!(pieces.to_string(), whole.to_string());
            prop_assert_eq!(pieces.broken_at(), whole.broken_at());
            prop_assert_eq!(pieces.is_complete(), whole.is_complete());
        }

        #[test]
        fn what_is_unfinished_never_reads_as_whole(document in json_value(), at: prop::sample::Index) {
            let text = escaped(&document.to_string());
            let preview = view(&text[..at.index(text.len())]);
            prop_assert_eq!(preview.broken_at(), None);
            if !preview.is_complete() {
                prop_assert!(serde_json::from_str::<Value>(&preview.to_string()).is_err());
            }
        }

        #[test]
        fn a_break_is_where_the_parser_says(text in "[\\[\\]{}:,\"1a]{0,12}") {
            let preview = view(&(text.clone() + " "));
            let parsed = serde_json::from_str::<Value>(&text);
            prop_assert_eq!(preview.is_complete(), parsed.is_ok());
        }
    }
}
