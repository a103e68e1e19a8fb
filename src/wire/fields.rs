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

use super::json::{Scanner, StringSpan, Text, Unexpected};

/// The fields of one object.
#[derive(Debug)]
pub(crate) struct Node<F: 'static> {
    pub keys: &'static [Key<F>],
}

/// One field of an object.
#[derive(Debug)]
pub(crate) struct Key<F: 'static> {
    pub name: &'static str,
    pub field: F,
    /// The fields of the value, where it is an object or an array of objects.
    pub inside: Option<&'static Node<F>>,
}

/// A field whose value is wanted as it stands.
pub(crate) const fn leaf<F>(name: &'static str, field: F) -> Key<F> {
    Key { name, field, inside: None }
}

/// A field whose value's own fields are wanted.
pub(crate) const fn branch<F>(name: &'static str, field: F, inside: &'static Node<F>) -> Key<F> {
    Key { name, field, inside: Some(inside) }
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
    pub field: F,
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

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
    pub fn integer(&self, document: &[u8]) -> Option<i64> {
        let text = match self.kind {
            Kind::Number | Kind::String => core::str::from_utf8(self.bytes(document)).ok()?,
            _ => return None,
        };
        text.parse().ok().or_else(|| {
            let number: f64 = text.parse().ok()?;
            let whole = number as i64;
            (whole as f64 == number).then_some(whole)
        })
    }
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
    let mut scanner = Scanner::new(document);
    scanner.skip_white_space();
    match scanner.peek() {
        b'{' => object(&mut scanner, root, tokens)?,
        b'[' => array(&mut scanner, |scanner| match scanner.peek() {
            b'{' => object(scanner, root, tokens),
            _ => scanner.skip_value(),
        })?,
        _ => scanner.skip_value()?,
    }
    scanner.skip_white_space();
    if scanner.at != document.len() { scanner.unexpected() } else { Ok(()) }
}

fn object<F: Copy>(
    scanner: &mut Scanner<'_>,
    node: &'static Node<F>,
    tokens: &mut Vec<Token<F>>,
) -> Result<(), Unexpected> {
    scanner.expect(b'{')?;
    scanner.skip_white_space();
    if scanner.take(b'}') {
        return Ok(());
    }
    // Senders write their keys in one order, so the next key is mostly the next one named.
    let mut next = 0;
    loop {
        let name = scanner.key()?;
        match find(node.keys, &mut next, name, scanner.document) {
            Some(key) => value(scanner, key, tokens)?,
            None => scanner.skip_value()?,
        }
        scanner.skip_white_space();
        if !scanner.take(b',') {
            return scanner.expect(b'}');
        }
        scanner.skip_white_space();
    }
}

fn array(
    scanner: &mut Scanner<'_>,
    mut element: impl FnMut(&mut Scanner<'_>) -> Result<(), Unexpected>,
) -> Result<(), Unexpected> {
    scanner.expect(b'[')?;
    scanner.skip_white_space();
    if scanner.take(b']') {
        return Ok(());
    }
    loop {
        element(scanner)?;
        scanner.skip_white_space();
        if !scanner.take(b',') {
            return scanner.expect(b']');
        }
        scanner.skip_white_space();
    }
}

fn find<F>(
    keys: &'static [Key<F>],
    next: &mut usize,
    name: StringSpan,
    document: &[u8],
) -> Option<&'static Key<F>> {
    let written = &document[name.start..name.end];
    if name.escaped {
        let text = Text { bytes: written, escaped: true };
        return keys.iter().find(|key| text == *key.name);
    }
    let (before, from_next) = keys.split_at(*next);
    let at = match from_next.iter().position(|key| key.name.as_bytes() == written) {
        Some(at) => *next + at,
        None => before.iter().position(|key| key.name.as_bytes() == written)?,
    };
    *next = at + 1;
    keys.get(at)
}

fn value<F: Copy>(
    scanner: &mut Scanner<'_>,
    key: &'static Key<F>,
    tokens: &mut Vec<Token<F>>,
) -> Result<(), Unexpected> {
    match (scanner.peek(), key.inside) {
        (b'[', Some(inside)) => {
            array(scanner, |scanner| single(scanner, key.field, Some(inside), tokens))
        }
        (_, inside) => single(scanner, key.field, inside, tokens),
    }
}

fn single<F: Copy>(
    scanner: &mut Scanner<'_>,
    field: F,
    inside: Option<&'static Node<F>>,
    tokens: &mut Vec<Token<F>>,
) -> Result<(), Unexpected> {
    let mut token = Token { field, kind: Kind::Null, start: scanner.at as u32, end: 0 };
    match (scanner.peek(), inside) {
        (b'"', _) => {
            let string = scanner.string()?;
            token.kind = if string.escaped { Kind::EscapedString } else { Kind::String };
            (token.start, token.end) = (string.start as u32, string.end as u32);
            tokens.push(token);
            return Ok(());
        }
        (b'{', Some(node)) => {
            token.kind = Kind::Object;
            let at = tokens.len();
            tokens.push(token);
            object(scanner, node, tokens)?;
            tokens[at].end = scanner.at as u32;
            return Ok(());
        }
        (byte, _) => {
            scanner.skip_value()?;
            token.kind = match byte {
                b'{' => Kind::Object,
                b'[' => Kind::Array,
                b't' => Kind::True,
                b'f' => Kind::False,
                b'n' => Kind::Null,
                _ => Kind::Number,
            };
        }
    }
    token.end = scanner.at as u32;
    tokens.push(token);
    Ok(())
}

/// The tokens of one level, each with those that lie inside it.
pub(crate) fn items<F: Copy>(tokens: &[Token<F>]) -> impl Iterator<Item = (Token<F>, &[Token<F>])> {
    let mut rest = tokens;
    core::iter::from_fn(move || {
        let (first, after) = rest.split_first()?;
        let inside = match first.kind {
            Kind::Object => after.iter().take_while(|token| token.start < first.end).count(),
            _ => 0,
        };
        let (inside, after) = after.split_at(inside);
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
