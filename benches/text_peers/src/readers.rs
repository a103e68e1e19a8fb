//! The parsers, each behind the same face: a text in pieces in, a tally out.

use dynamo_parsers_v2::{UnifiedParserEvent, UnifiedParserOutput};
use futures::FutureExt;
use serde_json::json;
use toolcall::text::{Parser, Piece, by_name};

/// What came out: the same for all, where all do the job.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub text: usize,
    pub calls: usize,
    pub arguments: usize,
}

/// A parser, by what it calls one format.
#[derive(Debug, Clone, Copy)]
pub enum Reader {
    Toolcall(&'static str),
    DynamoV2(&'static str),
    ToolParser(&'static str),
}

impl Reader {
    pub fn name(self) -> &'static str {
        match self {
            Reader::Toolcall(_) => "toolcall",
            Reader::DynamoV2(_) => "dynamo-parsers-v2",
            Reader::ToolParser(_) => "tool-parser",
        }
    }

    /// Reads one message in pieces of so many bytes (of ASCII).
    pub fn read(self, text: &str, piece: usize) -> Tally {
        match self {
            Reader::Toolcall(format) => toolcall(format, text, piece),
            Reader::DynamoV2(family) => dynamo(family, text, piece),
            Reader::ToolParser(name) => tool_parser(name, text, piece),
        }
    }
}

fn pieces(text: &str, piece: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = piece.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (chunk, after) = rest.split_at(end);
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

fn schema() -> serde_json::Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}, "body": {"type": "string"}}})
}

fn toolcall(format: &str, text: &str, piece: usize) -> Tally {
    let mut parser = Parser::new(by_name(format).expect("a format"));
    let mut tally = Tally::default();
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Text(text) => tally.text += text.len(),
        Piece::Arguments(text) => tally.arguments += text.len(),
        Piece::CallStart { .. } => tally.calls += 1,
        _ => {}
    };
    for chunk in pieces(text, piece) {
        let mut pieces = parser.push(chunk);
        while let Some(piece) = pieces.next() {
            take(piece);
        }
    }
    let mut rest = parser.finish();
    while let Some(piece) = rest.next() {
        take(piece);
    }
    tally
}

fn dynamo(family: &str, text: &str, piece: usize) -> Tally {
    let tools = [dynamo_parsers_v2::Tool {
        name: "write".into(),
        description: None,
        parameters: schema(),
        strict: None,
    }];
    let mut parser =
        dynamo_parsers_v2::create_unified_parser_for_family(family, &tools).expect("a family");
    let mut tally = Tally::default();
    let mut take = |output: &UnifiedParserOutput| {
        for event in output.iter() {
            match event {
                UnifiedParserEvent::Text(text) => tally.text += text.len(),
                UnifiedParserEvent::ToolCall(call) => {
                    tally.calls += usize::from(call.name.is_some());
                    tally.arguments += call.arguments.len();
                }
                _ => {}
            }
        }
    };
    for chunk in pieces(text, piece) {
        let mut output = UnifiedParserOutput::default();
        parser.parse_into(chunk, &mut output).expect("it parses");
        take(&output);
    }
    take(&parser.finish().expect("it ends"));
    tally
}

fn tool_parser(name: &str, text: &str, piece: usize) -> Tally {
    let tools: Vec<openai_protocol::common::Tool> = serde_json::from_value(
        json!([{"type": "function", "function": {"name": "write", "parameters": schema()}}]),
    )
    .expect("tools");
    let factory = tool_parser::ParserFactory::new();
    let mut parser = factory.registry().create_parser(name).expect("a parser");
    let mut tally = Tally::default();
    for chunk in pieces(text, piece) {
        let result = parser.parse_incremental(chunk, &tools).now_or_never();
        let result = result.expect("it waits for nothing").expect("it parses");
        tally.text += result.normal_text.len();
        for call in result.calls {
            tally.calls += usize::from(call.name.is_some());
            tally.arguments += call.parameters.len();
        }
    }
    for call in parser.get_unstreamed_tool_args().unwrap_or_default() {
        tally.arguments += call.parameters.len();
    }
    tally.text += parser.take_unstreamed_normal_text().len();
    tally
}
