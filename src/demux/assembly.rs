//! Arguments that come as values at paths: the object that they make.
//!
//! Gemini can stream arguments as updates (`$.days[0].n` is 1), each of one value, a string in pieces.
//! There is no text to join, so the values are put into a tree, in the order of their arrival, and
//! written out as compact JSON when the call is over. A value that has no place (its path leads
//! through a number, or past the end of an array) is kept as it came and written behind the object,
//! so that the call fails with all that there was in its text.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::wire::delta::{Update, Value};

/// Deepest nesting, as the judgement of texts has it.
const DEPTH_LIMIT: usize = 127;

/// What a tree's node costs beside its texts, in bytes.
const NODE_COST: usize = size_of::<Node>();

/// See the module's docs. The root is node 0.
#[derive(Debug)]
pub(super) struct Assembly {
    nodes: Vec<Node>,
    /// Updates without a place, as they came.
    misplaced: String,
    /// The string that the last update left open.
    open: Option<usize>,
    bytes: usize,
}

#[derive(Debug)]
enum Node {
    /// Nothing was said of it yet: it becomes what the next path makes of it.
    Empty,
    Object(Object),
    Array(Vec<usize>),
    String {
        text: String,
        half: Option<u16>,
        is_open: bool,
    },
    /// A number, `true`, `false` or `null` as it was written.
    Scalar(String),
}

#[derive(Debug, Default)]
struct Object {
    /// In order of arrival.
    members: Vec<(String, usize)>,
    /// Where a key stands in `members`.
    places: BTreeMap<String, usize>,
}

/// The value has no place.
struct Misplaced;

impl Default for Assembly {
    fn default() -> Self {
        Assembly {
            nodes: [Node::Object(Object::default())].into(),
            misplaced: String::new(),
            open: None,
            bytes: 0,
        }
    }
}

impl Assembly {
    /// Puts a value in its place.
    pub fn set(&mut self, update: Update<'_>) {
        self.open = None;
        let path = update.path.cow();
        let end = self.find(&path).and_then(|node| self.put(node, update.value, update.continues));
        if end.is_err() {
            self.misplaced += &String::from_utf8_lossy(update.json);
            self.bytes += update.json.len();
        }
    }

    /// Whether a string was left open by the last update.
    pub fn is_inside_string(&self) -> bool {
        self.open.is_some()
    }

    /// Whether a value had no place.
    pub fn has_misplaced(&self) -> bool {
        !self.misplaced.is_empty()
    }

    /// About how much is held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The object as compact JSON, and what had no place behind it.
    pub fn into_text(mut self) -> String {
        let mut out = String::with_capacity(self.bytes);
        self.write(&mut out);
        out += &self.misplaced;
        out
    }

    /// The node at a path, made on the way where it is new.
    fn find(&mut self, path: &str) -> Result<usize, Misplaced> {
        let mut rest = path.strip_prefix('$').ok_or(Misplaced)?;
        let mut node = 0;
        for _ in 0..DEPTH_LIMIT {
            if rest.is_empty() {
                return Ok(node);
            }
            // An array that is said to be empty.
            if rest == "[]" {
                return self.array(node).map(|_| node);
            }
            let (step, after) = Step::first(rest).ok_or(Misplaced)?;
            rest = after;
            node = match step {
                Step::Key(key) => self.member(node, &key)?,
                Step::Index(index) => self.element(node, index)?,
            };
        }
        Err(Misplaced)
    }

    fn member(&mut self, node: usize, key: &str) -> Result<usize, Misplaced> {
        let new = self.nodes.len();
        if let Node::Empty = self.nodes[node] {
            self.nodes[node] = Node::Object(Object::default());
        }
        let Node::Object(object) = &mut self.nodes[node] else { return Err(Misplaced) };
        if let Some(place) = object.places.get(key) {
            return Ok(object.members[*place].1);
        }
        object.places.insert(key.into(), object.members.len());
        object.members.push((key.into(), new));
        self.add(2 * key.len())
    }

    fn element(&mut self, node: usize, index: usize) -> Result<usize, Misplaced> {
        let new = self.nodes.len();
        let elements = self.array(node)?;
        if let Some(element) = elements.get(index) {
            return Ok(*element);
        }
        if index > elements.len() {
            return Err(Misplaced);
        }
        elements.push(new);
        self.add(0)
    }

    fn array(&mut self, node: usize) -> Result<&mut Vec<usize>, Misplaced> {
        if let Node::Empty = self.nodes[node] {
            self.nodes[node] = Node::Array(Vec::new());
        }
        match &mut self.nodes[node] {
            Node::Array(elements) => Ok(elements),
            _ => Err(Misplaced),
        }
    }

    fn add(&mut self, bytes: usize) -> Result<usize, Misplaced> {
        self.bytes += bytes + NODE_COST;
        self.nodes.push(Node::Empty);
        Ok(self.nodes.len() - 1)
    }

    fn put(&mut self, at: usize, value: Value<'_>, continues: bool) -> Result<(), Misplaced> {
        let node = &mut self.nodes[at];
        match (&mut *node, value) {
            (Node::Empty, Value::Text(_)) => {
                *node = Node::String { text: String::new(), half: None, is_open: true };
            }
            (Node::String { is_open: true, .. }, Value::Text(_)) => {}
            (Node::Empty, Value::Scalar(json)) => {
                self.bytes += json.len();
                *node = Node::Scalar(String::from_utf8_lossy(json).into_owned());
                return Ok(());
            }
            (Node::Empty, Value::Empty) => {
                *node = Node::Object(Object::default());
                return Ok(());
            }
            (Node::Object(_) | Node::Array(_), Value::Empty) => return Ok(()),
            _ => return Err(Misplaced),
        }
        if let (Node::String { text, half, is_open }, Value::Text(piece)) = (node, value) {
            piece.append_to(text, half);
            *is_open = continues;
            self.bytes += piece.bytes.len();
            self.open = continues.then_some(at);
        }
        Ok(())
    }

    /// Writes the tree without recursion: a stack of what is still to come.
    fn write(&mut self, out: &mut String) {
        enum Task {
            Node(usize),
            Text(&'static str),
            Key(String),
        }
        let mut tasks: Vec<Task> = [Task::Node(0)].into();
        while let Some(task) = tasks.pop() {
            let at = match task {
                Task::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Task::Key(key) => {
                    write_string(out, &key);
                    out.push(':');
                    continue;
                }
                Task::Node(at) => at,
            };
            match core::mem::replace(&mut self.nodes[at], Node::Empty) {
                Node::Empty => out.push_str("null"),
                Node::Scalar(text) => out.push_str(&text),
                Node::String { mut text, half, .. } => {
                    if half.is_some() {
                        text.push(char::REPLACEMENT_CHARACTER);
                    }
                    write_string(out, &text);
                }
                Node::Object(object) => {
                    out.push('{');
                    tasks.push(Task::Text("}"));
                    for (place, (key, node)) in object.members.into_iter().enumerate().rev() {
                        tasks.push(Task::Node(node));
                        tasks.push(Task::Key(key));
                        if place > 0 {
                            tasks.push(Task::Text(","));
                        }
                    }
                }
                Node::Array(elements) => {
                    out.push('[');
                    tasks.push(Task::Text("]"));
                    for (place, node) in elements.into_iter().enumerate().rev() {
                        tasks.push(Task::Node(node));
                        if place > 0 {
                            tasks.push(Task::Text(","));
                        }
                    }
                }
            }
        }
    }
}

/// One step of a path: `.key`, `[0]`, `['key']` or `["key"]`.
#[derive(Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    /// The first step, and what follows it.
    fn first(path: &str) -> Option<(Step, &str)> {
        if let Some(rest) = path.strip_prefix('.') {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (key, rest) = rest.split_at(end);
            return (!key.is_empty()).then(|| (Step::Key(key.into()), rest));
        }
        let rest = path.strip_prefix('[')?;
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let Some(quote) = quote else {
            let (index, rest) = rest.split_once(']')?;
            return index.parse().ok().map(|index| (Step::Index(index), rest));
        };
        let mut key = String::new();
        let mut characters = rest[1..].char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => key.push(characters.next()?.1),
                _ if character == quote => {
                    return rest[1 + at + 1..].strip_prefix(']').map(|rest| (Step::Key(key), rest));
                }
                _ => key.push(character),
            }
        }
        None
    }
}

/// A string as compact JSON writes it: only what must be escaped is.
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for run in text.split_inclusive(|c: char| matches!(c, '"' | '\\') || c < ' ') {
        let last = run.chars().next_back().unwrap_or_default();
        match last {
            '"' | '\\' => {
                out.push_str(&run[..run.len() - 1]);
                out.push('\\');
                out.push(last);
            }
            '\0'..' ' => {
                out.push_str(&run[..run.len() - 1]);
                match last {
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    '\u{8}' => out.push_str("\\b"),
                    '\u{c}' => out.push_str("\\f"),
                    _ => {
                        let digit = |n: u32| char::from_digit(n, 16).unwrap_or('0');
                        out.push_str("\\u00");
                        out.push(digit(u32::from(last) >> 4));
                        out.push(digit(u32::from(last) & 0xf));
                    }
                }
            }
            _ => out.push_str(run),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::json::Text;
    use alloc::format;
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn update<'a>(path: &'a str, value: Value<'a>, continues: bool) -> Update<'a> {
        Update { path: Text::plain(path), value, continues, json: b"!" }
    }

    fn assembled(updates: &[(&str, Value<'_>, bool)]) -> String {
        let mut assembly = Assembly::default();
        for (path, value, continues) in updates {
            assembly.set(update(path, *value, *continues));
        }
        assembly.into_text()
    }

    fn text(text: &str) -> Value<'_> {
        Value::Text(Text::plain(text))
    }

    #[test]
    fn values_stand_in_the_order_of_their_arrival() {
        let written = assembled(&[
            ("$.b", text("x\"\n"), true),
            ("$.b", text("\u{1}y"), true),
            ("$.b", text(""), false),
            ("$.a[0].n", Value::Scalar(b"1"), false),
            ("$.a[0].m", Value::Scalar(b"null"), false),
            ("$.a[1]", Value::Empty, false),
            ("$.e[]", Value::Empty, false),
            ("$.o", Value::Empty, false),
            ("$['k.1']['[']", Value::Scalar(b"true"), false),
        ]);
        let expected =
            r#"{"b":"x\"\n\u0001y","a":[{"n":1,"m":null},{}],"e":[],"o":{},"k.1":{"[":true}}"#;
        assert_eq!(written, expected);
    }

    #[test]
    fn nothing_is_an_empty_object() {
        assert_eq!(assembled(&[]), "{}");
    }

    #[test]
    fn what_has_no_place_stands_behind_the_object() {
        let cases = [
            [("$.a", Value::Scalar(b"1"), false), ("$.a.b", Value::Scalar(b"2"), false)],
            [("$.a", Value::Scalar(b"1"), false), ("$.a", Value::Scalar(b"2"), false)],
            [("$.a", Value::Scalar(b"1"), false), ("$.b[7]", Value::Scalar(b"2"), false)],
            [("$.a", Value::Scalar(b"1"), false), ("$", Value::Scalar(b"2"), false)],
            [("$.a", Value::Scalar(b"1"), false), ("a", Value::Scalar(b"2"), false)],
            [("$.a", Value::Scalar(b"1"), false), ("$..a", Value::Scalar(b"2"), false)],
            [("$.a", Value::Scalar(b"1"), false), ("$[0]", Value::Scalar(b"2"), false)],
            [("$.a", text("x"), false), ("$.a", text("y"), false)],
        ];
        for updates in cases {
            let written = assembled(&updates);
            assert!(written.ends_with("}!"), "{updates:?}: {written}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let path = "$".to_string() + &".a".repeat(200);
        assert!(assembled(&[(&path, Value::Scalar(b"1"), false)]).ends_with("}!"));
    }

    #[test]
    fn an_open_string_is_known() {
        let mut assembly = Assembly::default();
        assembly.set(update("$.a", text("x"), true));
        assert!(assembly.is_inside_string());
        assembly.set(update("$.a", text(""), false));
        assert!(!assembly.is_inside_string());
    }

    #[test]
    fn a_pair_cut_between_two_pieces_is_joined() {
        let half = |bytes| Value::Text(Text { bytes, escaped: true });
        let written =
            assembled(&[("$.a", half(br"\ud83d"), true), ("$.a", half(br"\ude80"), false)]);
        assert_eq!(written, r#"{"a":"🚀"}"#);
    }

    proptest! {
        #[test]
        fn strings_are_written_as_serde_json_writes_them(text in any::<String>()) {
            let mut written = String::new();
            write_string(&mut written, &text);
            let expected = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(written, expected);
        }

        #[test]
        fn any_path_gives_valid_json_or_is_kept(paths in prop::collection::vec("[$.a\\[\\]0'\"]{0,8}", 0..8)) {
            let updates: Vec<_> =
                paths.iter().map(|path| (path.as_str(), Value::Scalar(b"1"), false)).collect();
            let written = assembled(&updates);
            let object = written.trim_end_matches('!');
            prop_assert!(serde_json::from_str::<serde_json::Value>(object).is_ok(), "{}", format!("{written}"));
        }
    }
}
