//! What the tests of tool calls in text share.
#![allow(dead_code)]

use std::path::Path;

use serde_json::Value;
use toolcall::text::{Ending, Format, Message, Options, Parser, Piece, Tool, by_name};

/// One case of `corpora/text`.
pub struct Case {
    pub name: String,
    pub format: &'static Format,
    pub options: Options,
    pub text: String,
    pub expect: Value,
}

pub fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/text");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    assert!(!paths.is_empty());
    paths.iter().map(|path| case(path)).collect()
}

fn case(path: &Path) -> Case {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let value: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let format = value["format"].as_str().unwrap();
    let flag = |key: &str| value["options"][key].as_bool().unwrap_or(false);
    let mut options = Options::default()
        .starts_in_reasoning(flag("starts_in_reasoning"))
        .calls_in_reasoning(flag("calls_in_reasoning"));
    if let Some(tools) = value["tools"].as_array() {
        options = options.tools(tools.iter().map(|tool| {
            Tool::new(tool["name"].as_str().unwrap()).parameters(tool["parameters"].clone())
        }));
    }
    Case {
        name,
        format: by_name(format).unwrap_or_else(|| panic!("no format {format}")),
        options,
        text: value["chunks"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect(),
        expect: value["expect"].clone(),
    }
}

/// What came of a text, and whether the parser kept its word about every byte.
pub struct Reading {
    pub message: Message,
    /// The pieces without their cuts: what kind each byte is of.
    pub spans: Vec<(u8, String)>,
    /// The most bytes that were held behind a push.
    pub held: usize,
}

/// Reads a text in chunks that end at `cuts`.
pub fn read<'c>(
    format: &'static Format,
    options: &Options,
    chunks: impl IntoIterator<Item = &'c str>,
) -> Reading {
    let mut parser = Parser::with_options(format, options.clone());
    let mut reading = Reading { message: Message::default(), spans: Vec::new(), held: 0 };
    let mut input = String::new();
    for chunk in chunks {
        input.push_str(chunk);
        let mut pieces = parser.push(chunk);
        while let Some(piece) = pieces.next() {
            reading.take(piece);
        }
        drop(pieces);
        reading.held = reading.held.max(parser.held());
    }
    let mut rest = parser.finish();
    while let Some(piece) = rest.next() {
        reading.take(piece);
    }
    let glued: String = reading.spans.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(glued, input, "the pieces are not the text");
    reading
}

impl Reading {
    fn take(&mut self, piece: Piece<'_>) {
        self.message.push(piece);
        let kind = match piece {
            Piece::Text(_) => b't',
            Piece::Reasoning(_) => b'r',
            Piece::Markup(_) => b'm',
            Piece::Arguments(_) => b'a',
            Piece::CallStart { .. } => b'(',
            Piece::CallEnd { .. } => b')',
            _ => b'n',
        };
        match self.spans.last_mut() {
            Some((last, text)) if *last == kind => text.push_str(piece.span()),
            _ => self.spans.push((kind, piece.span().into())),
        }
        if !matches!(kind, b'(' | b')' | b'n') {
            assert!(!piece.span().is_empty(), "an empty piece");
        }
    }
}

/// The text as chunks that end at byte `cuts`, each moved on to a border of characters.
pub fn chunks(text: &str, cuts: impl IntoIterator<Item = usize>) -> Vec<&str> {
    let mut chunks = Vec::new();
    let mut start = 0;
    for mut cut in cuts {
        while !text.is_char_boundary(cut) {
            cut += 1;
        }
        if cut > start {
            chunks.push(&text[start..cut]);
            start = cut;
        }
    }
    chunks.push(&text[start..]);
    chunks
}

pub fn characters(text: &str) -> Vec<&str> {
    chunks(text, (1..text.len()).filter(|at| text.is_char_boundary(*at)))
}

/// The message as a case's `expect` writes it.
pub fn document(message: &Message, format: &Format, options: &Options) -> Value {
    let calls: Vec<Value> = message
        .calls
        .iter()
        .map(|call| {
            let arguments = call.arguments(format, options);
            let error = match (call.ending, &arguments) {
                (Ending::Truncated, _) => Some("truncated"),
                (_, Err(_)) => Some("malformed"),
                _ => None,
            };
            serde_json::json!({
                "id": call.id,
                "name": call.name,
                "raw": call.raw,
                "arguments": arguments.ok(),
                "error": error,
            })
        })
        .collect();
    serde_json::json!({ "text": message.text, "reasoning": message.reasoning, "calls": calls })
}

/// Pseudo-random numbers, the same in each run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}
