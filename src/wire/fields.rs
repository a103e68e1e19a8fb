//! Which fields of an envelope are asked for, as data, and the one pass that finds them.
//!
//! A wire format names its fields in a tree of [`Node`]s. [`read`] walks a document once and gives a
//! [`Token`] for each named field, in document order; everything else is checked and skipped. What
//! lies inside an object follows its own token, so that [`items`] can take the list apart again
//! without closing marks.
//!
//! ```text
//! {"choices":[{"index":0,"delta":{"content":"Hi"}}]}
//!
//! Choice ⟨Index 0, Delta ⟨Content "Hi"⟩⟩
//! ```

use alloc::vec::Vec;

use super::json::{Document, Next, StringSpan, Text, Unexpected};

/// The fields of one object.
#[derive(Debug)]
pub(crate) struct Node<F: 'static> {
    pub keys: &'static [Key<F>],
}

/// One field of an object.
#[derive(Debug)]
pub(crate) struct Key<F: 'static> {
    pub name: &'static str,
    /// The name's first eight bytes as a little-endian word, zeros for those that lack: two names of
    /// one length differ in it, or behind it.
    head: u64,
    pub field: F,
    /// The fields of the value, where it is an object or an array of objects.
    pub inside: Option<&'static Node<F>>,
}

/// A field whose value is wanted as it stands.
pub(crate) const fn leaf<F>(name: &'static str, field: F) -> Key<F> {
    Key { name, head: head(name.as_bytes()), field, inside: None }
}

/// A field whose value's own fields are wanted.
pub(crate) const fn branch<F>(name: &'static str, field: F, inside: &'static Node<F>) -> Key<F> {
    Key { name, head: head(name.as_bytes()), field, inside: Some(inside) }
}

const fn head(name: &[u8]) -> u64 {
    let (mut head, mut at) = (0, 0);
    while at < name.len() && at < 8 {
        head |= (name[at] as u64) << (8 * at);
        at += 1;
    }
    head
}

/// The mask of the first so many bytes of a word.
const FIRST_BYTES: [u64; 9] = {
    let mut masks = [u64::MAX; 9];
    let mut len = 0;
    while len < 8 {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// What [`head`] is of the first `len` bytes of `text`.
#[inline(always)]
fn head_of(text: &[u8], len: usize) -> u64 {
    match text.first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight) & FIRST_BYTES[len.min(8)],
        None => head(&text[..len.min(text.len())]),
    }
}

impl<F> Key<F> {
    /// Whether this name and a quote come next in `text`.
    #[inline(always)]
    fn begins(&self, text: &[u8]) -> bool {
        let len = self.name.len();
        head_of(text, len) == self.head
            && text.get(len) == Some(&b'"')
            && (len <= 8 || text[8..len] == self.name.as_bytes()[8..])
    }

    /// Whether this is the name, of which `head` is the head.
    #[inline(always)]
    fn is(&self, name: &[u8], head: u64) -> bool {
        self.head == head
            && self.name.len() == name.len()
            && (name.len() <= 8 || self.name.as_bytes()[8..] == name[8..])
    }
}

/// What a token's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    String,
    EscapedString,
    Number,
    True,
    False,
    Null,
    Object,
    Array,
}

/// A field that was found. `start..end` is the value in the document, of a string its content
/// without the quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<F> {
    /// One byte: tokens are copied for every event.
    pub field: F,
    pub kind: Kind,
    /// How many of the tokens behind it lie inside it; [`MANY`] where they have to be counted.
    inside: u16,
    pub start: u32,
    pub end: u32,
}

const MANY: u16 = u16::MAX;

impl<F> Token<F> {
    /// The value's bytes; of a string, its content without the quotes.
    #[inline]
    pub fn bytes<'a>(&self, document: &'a [u8]) -> &'a [u8] {
        &document[self.start as usize..self.end as usize]
    }

    /// The value as it is written; of a string, with its quotes.
    pub fn json<'a>(&self, document: &'a [u8]) -> &'a [u8] {
        match self.kind {
            Kind::String | Kind::EscapedString => {
                &document[self.start as usize - 1..self.end as usize + 1]
            }
            _ => self.bytes(document),
        }
    }

    /// The value as text, if it is a string.
    #[inline]
    pub fn text<'a>(&self, document: &'a [u8]) -> Option<Text<'a>> {
        match self.kind {
            Kind::String | Kind::EscapedString => Some(Text {
                bytes: self.bytes(document),
                escaped: self.kind == Kind::EscapedString,
            }),
            _ => None,
        }
    }

    /// The value as text that is not empty: `""` and null count as absent in identities.
    pub fn filled<'a>(&self, document: &'a [u8]) -> Option<Text<'a>> {
        self.text(document).filter(|text| !text.is_empty())
    }

    /// The value as an integer, written as such, as a whole fraction (`1.0`) or as digits in a string.
    #[inline]
    pub fn integer(&self, document: &[u8]) -> Option<i64> {
        match (self.kind, self.bytes(document)) {
            (Kind::Number, [digit @ b'0'..=b'9']) => Some(i64::from(digit - b'0')),
            (Kind::Number | Kind::String, written) => integer(written),
            _ => None,
        }
    }
}

fn integer(written: &[u8]) -> Option<i64> {
    let text = core::str::from_utf8(written).ok()?;
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        let whole = number as i64;
        (whole as f64 == number).then_some(whole)
    })
}

/// Reads `document` whole and appends a token for each field that `root` names.
///
/// The document is an object, or an array of such objects. Of any other value only the grammar is
/// checked.
pub(crate) fn read<F: Copy>(
    document: &[u8],
    root: &'static Node<F>,
    tokens: &mut Vec<Token<F>>,
) -> Result<(), Unexpected> {
    let document = Document { bytes: document };
    let start = document.past_white_space(0);
    let end = match document.byte(start) {
        b'{' => object(document, start, 0, root, tokens)?,
        b'[' => array(document, start, 0, |element| match document.byte(element) {
            b'{' => object(document, element, 1, root, tokens),
            _ => document.past_value(element, 1),
        })?,
        _ => document.past_value(start, 0)?,
    };
    match document.past_white_space(end) {
        end if end == document.bytes.len() => Ok(()),
        end => document.unexpected(end),
    }
}

/// Behind the object at `open`, inside of `depth` objects and arrays.
fn object<F: Copy>(
    document: Document<'_>,
    open: usize,
    depth: u32,
    node: &'static Node<F>,
    tokens: &mut Vec<Token<F>>,
) -> Result<usize, Unexpected> {
    let Some(mut at) = document.first(open, b'}', depth)? else {
        return Ok(document.past_white_space(open + 1) + 1);
    };
    // Senders write their keys in one order, so the next key is mostly the next one named.
    let mut next = 0;
    loop {
        let (key, start) = key(document, at, node.keys, &mut next)?;
        let end = match key {
            Some(key) => value(document, start, depth + 1, key, tokens)?,
            None => document.past_value(start, depth + 1)?,
        };
        match document.next(end, b'}')? {
            Next::Item(item) => at = item,
            Next::End(end) => return Ok(end),
        }
    }
}

#[inline(always)]
fn array(
    document: Document<'_>,
    open: usize,
    depth: u32,
    mut past_element: impl FnMut(usize) -> Result<usize, Unexpected>,
) -> Result<usize, Unexpected> {
    let Some(mut at) = document.first(open, b']', depth)? else {
        return Ok(document.past_white_space(open + 1) + 1);
    };
    loop {
        match document.next(past_element(at)?, b']')? {
            Next::Item(item) => at = item,
            Next::End(end) => return Ok(end),
        }
    }
}

/// The key at `at`, `None` if it is none of `keys`, and where its value begins.
#[inline(always)]
fn key<F>(
    document: Document<'_>,
    at: usize,
    keys: &'static [Key<F>],
    next: &mut usize,
) -> Result<(Option<&'static Key<F>>, usize), Unexpected> {
    let start = document.past(b'"', at)?;
    if let Some(expected) = keys.get(*next) {
        if expected.begins(document.from(start)) {
            *next += 1;
            let value = document.past_colon(start + expected.name.len() + 1)?;
            return Ok((Some(expected), value));
        }
    }
    let name = document.string(start)?;
    let found = find(document, name, keys);
    if let Some(found) = found {
        *next = found + 1;
    }
    Ok((found.and_then(|found| keys.get(found)), document.past_colon(name.end + 1)?))
}

#[inline(always)]
fn find<F>(document: Document<'_>, name: StringSpan, keys: &[Key<F>]) -> Option<usize> {
    let written = &document.bytes[name.start..name.end];
    if name.escaped {
        let text = Text { bytes: written, escaped: true };
        return keys.iter().position(|key| text == *key.name);
    }
    let head = head_of(document.from(name.start), written.len());
    keys.iter().position(|key| key.is(written, head))
}

#[inline(always)]
fn value<F: Copy>(
    document: Document<'_>,
    start: usize,
    depth: u32,
    key: &'static Key<F>,
    tokens: &mut Vec<Token<F>>,
) -> Result<usize, Unexpected> {
    match key.inside {
        None => leaf_value(document, start, depth, key.field, tokens),
        Some(node) if document.byte(start) == b'[' => array(document, start, depth, |element| {
            branch_value(document, element, depth + 1, key.field, node, tokens)
        }),
        Some(node) => branch_value(document, start, depth, key.field, node, tokens),
    }
}

fn branch_value<F: Copy>(
    document: Document<'_>,
    start: usize,
    depth: u32,
    field: F,
    node: &'static Node<F>,
    tokens: &mut Vec<Token<F>>,
) -> Result<usize, Unexpected> {
    if document.byte(start) != b'{' {
        return leaf_value(document, start, depth, field, tokens);
    }
    let at = tokens.len();
    let mut token = Token { field, kind: Kind::Object, inside: 0, start: start as u32, end: 0 };
    tokens.push(token);
    let end = object(document, start, depth, node, tokens)?;
    token.inside = (tokens.len() - at - 1).min(usize::from(MANY)) as u16;
    token.end = end as u32;
    tokens[at] = token;
    Ok(end)
}

#[inline(always)]
fn leaf_value<F: Copy>(
    document: Document<'_>,
    start: usize,
    depth: u32,
    field: F,
    tokens: &mut Vec<Token<F>>,
) -> Result<usize, Unexpected> {
    let mut token = Token { field, kind: Kind::Null, inside: 0, start: start as u32, end: 0 };
    let end = match document.byte(start) {
        b'"' => {
            let string = document.string(start + 1)?;
            token.kind = if string.escaped { Kind::EscapedString } else { Kind::String };
            token.start += 1;
            token.end = string.end as u32;
            tokens.push(token);
            return Ok(string.end + 1);
        }
        byte => {
            token.kind = match byte {
                b'{' => Kind::Object,
                b'[' => Kind::Array,
                b't' => Kind::True,
                b'f' => Kind::False,
                b'n' => Kind::Null,
                _ => Kind::Number,
            };
            document.past_value(start, depth)?
        }
    };
    token.end = end as u32;
    tokens.push(token);
    Ok(end)
}

/// The tokens of one level, each with those that lie inside it.
#[inline]
pub(crate) fn items<F: Copy>(tokens: &[Token<F>]) -> impl Iterator<Item = (Token<F>, &[Token<F>])> {
    let mut rest = tokens;
    core::iter::from_fn(move || {
        let (first, after) = rest.split_first()?;
        let inside = match first.inside {
            MANY => after.iter().take_while(|token| token.start < first.end).count(),
            inside => usize::from(inside),
        };
        let (inside, after) = after.split_at_checked(inside)?;
        rest = after;
        Some((*first, inside))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Field {
        Choice,
        Index,
        Delta,
        Content,
    }

    static ROOT: Node<Field> = Node { keys: &[branch("choices", Field::Choice, &CHOICE)] };
    static CHOICE: Node<Field> =
        Node { keys: &[leaf("index", Field::Index), branch("delta", Field::Delta, &DELTA)] };
    static DELTA: Node<Field> = Node { keys: &[leaf("content", Field::Content)] };

    fn shape(document: &str, tokens: &[Token<Field>]) -> String {
        let mut out = String::new();
        for (token, inside) in items(tokens) {
            out += &std::format!("{:?}", token.field);
            if inside.is_empty() {
                out +=
                    &std::format!("={}", String::from_utf8_lossy(token.bytes(document.as_bytes())));
            } else {
                out += &std::format!("({})", shape(document, inside));
            }
            out += " ";
        }
        out.trim_end().to_string()
    }

    fn found(document: &str) -> Result<String, Unexpected> {
        let mut tokens = Vec::new();
        read(document.as_bytes(), &ROOT, &mut tokens)?;
        Ok(shape(document, &tokens))
    }

    #[test]
    fn named_fields_are_found_and_others_skipped() {
        let document = r#" {"id":{"choices":1},"choices":[{"x":[{}],"delta":{"content":"Hi","role":"a"},"index":0},
            {"index":1}],"usage":null} "#;
        let expected = "Choice(Delta(Content=Hi) Index=0) Choice(Index=1)";
        assert_eq!(found(document).unwrap(), expected);
    }

    static TREE: Node<Field> = Node { keys: &[branch("choices", Field::Choice, &TREE)] };

    #[test]
    fn fields_that_nest_in_themselves_have_the_limit_of_serde_json() {
        for (depth, fits) in [(127, true), (128, false), (1_000_000, false)] {
            let document = r#"{"choices":"#.repeat(depth) + "0" + &"}".repeat(depth);
            let mut tokens = Vec::new();
            assert_eq!(read(document.as_bytes(), &TREE, &mut tokens).is_ok(), fits, "{depth}");
        }
    }

    #[test]
    fn more_tokens_than_are_counted_are_still_told_apart() {
        let calls = r#"{"index":1},"#.repeat(70_000);
        let document = std::format!(r#"{{"choices":{{"delta":[{calls}{{}}],"index":2}}}}"#);
        let mut tokens = Vec::new();
        read(document.as_bytes(), &CHOICE_ROOT, &mut tokens).unwrap();
        let (_, inside) = items(&tokens).next().unwrap();
        assert_eq!(inside.len(), tokens.len() - 1);
        let (index, _) = items(inside).last().unwrap();
        assert_eq!(index.integer(document.as_bytes()), Some(2));
    }

    static CHOICE_ROOT: Node<Field> = Node { keys: &[branch("choices", Field::Choice, &DELTAS)] };
    static DELTAS: Node<Field> =
        Node { keys: &[branch("delta", Field::Delta, &DELTAS), leaf("index", Field::Index)] };

    #[test]
    fn an_escaped_key_is_the_same_key() {
        let document = r#"{"choice\u0073":[{"inde\u0078":7}]}"#;
        assert_eq!(found(document).unwrap(), "Choice(Index=7)");
    }

    #[test]
    fn a_single_object_stands_for_an_array_of_one() {
        assert_eq!(found(r#"{"choices":{"index":3}}"#).unwrap(), "Choice(Index=3)");
    }

    #[test]
    fn an_array_of_envelopes_is_read_in_turn() {
        let document = r#"[{"choices":[{"index":1}]},4,{"choices":[{"index":2}]}]"#;
        assert_eq!(found(document).unwrap(), "Choice(Index=1) Choice(Index=2)");
    }

    #[test]
    fn the_fault_is_located() {
        assert_eq!(found(r#"{"choices":[{"index":0,}]}"#), Err(Unexpected { at: 23 }));
        assert_eq!(found(r#"{"choices":[]} x"#), Err(Unexpected { at: 15 }));
        assert_eq!(found(""), Err(Unexpected { at: 0 }));
    }

    #[test]
    fn integers_come_in_several_clothes() {
        let read_one = |written: &str| {
            let document = std::format!(r#"{{"choices":[{{"index":{written}}}]}}"#);
            let mut tokens = Vec::new();
            read(document.as_bytes(), &ROOT, &mut tokens).unwrap();
            tokens[1].integer(document.as_bytes())
        };
        assert_eq!(read_one("2"), Some(2));
        assert_eq!(read_one("2.0"), Some(2));
        assert_eq!(read_one(r#""2""#), Some(2));
        assert_eq!(read_one("-1"), Some(-1));
        assert_eq!(read_one("2.5"), None);
        assert_eq!(read_one("null"), None);
        assert_eq!(read_one(r#""x""#), None);
    }
}
