//! `toolcall text`: the calls that a model wrote into plain text.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use toolcall::text::{Call, Ending, Format, Message, Options, Parser, Piece, Tool};

use crate::args::{InText, Text, TextFormat};
use crate::document;
use crate::failure::Failure;
use crate::input::Input;

pub fn run(arguments: &Text) -> Result<ExitCode, Failure> {
    let options = options(&arguments.in_text)?;
    let mut source = Input::open_as_is(arguments.file.as_deref())?;
    let mut out = io::stdout().lock();
    let mut parser = Parser::with_options(arguments.text_calls, options.clone());
    let mut message = Message::default();
    let mut take = |piece: Piece<'_>| -> Result<(), Failure> {
        message.push(piece);
        match arguments.format {
            TextFormat::Jsonl => document::write(&mut out, &line(piece)),
            TextFormat::Json => Ok(()),
        }
    };
    let mut decoder = Utf8::default();
    let size = arguments.chunk.map_or(usize::MAX, usize::from);
    loop {
        let chunk = source.next_chunk().map_err(Failure::reading(arguments.file.as_deref()))?;
        let is_last = chunk.is_none();
        let chunk = chunk.unwrap_or_default();
        let pieces = chunk.chunks(size).map(|bytes| decoder.decode(bytes, false));
        let texts: Vec<String> = pieces.collect();
        let end = is_last.then(|| decoder.decode(&[], true));
        for text in texts.iter().chain(&end) {
            let mut pieces = parser.push(text);
            while let Some(piece) = pieces.next() {
                take(piece)?;
            }
        }
        if is_last {
            break;
        }
    }
    let mut rest = parser.finish();
    while let Some(piece) = rest.next() {
        take(piece)?;
    }
    let format = rest.format();
    let calls: Vec<Value> = message.calls.iter().map(|c| call(c, format, &options)).collect();
    let failed = calls.iter().any(|call| !call["error"].is_null());
    if arguments.format == TextFormat::Json {
        let document = json!({
            "format": format.map(Format::name),
            "text": message.text,
            "reasoning": message.reasoning,
            "calls": calls,
        });
        document::write(&mut out, &document)?;
    }
    out.flush().map_err(Failure::writing)?;
    if decoder.damaged {
        eprintln!("toolcall: the text is not UTF-8; U+FFFD stands where it is not");
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What is known about the text besides its format.
pub fn options(known: &InText) -> Result<Options, Failure> {
    let options = Options::default()
        .starts_in_reasoning(known.starts_in_reasoning)
        .calls_in_reasoning(known.calls_in_reasoning);
    match &known.tools {
        None => Ok(options),
        Some(path) => Ok(options.tools(tools(path).map_err(Failure::reading(Some(path)))?)),
    }
}

/// Reads a JSON list of `{"name", "parameters"}`.
fn tools(path: &Path) -> io::Result<Vec<Tool>> {
    let malformed = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text);
    let list: Value = serde_json::from_slice(&std::fs::read(path)?)?;
    let list = list.as_array().ok_or_else(|| malformed("expected a list of tools"))?;
    list.iter()
        .map(|tool| {
            let name = tool["name"].as_str();
            let name = name.ok_or_else(|| malformed("expected a `name` in each tool"))?;
            Ok(Tool::new(name).parameters(tool["parameters"].clone()))
        })
        .collect()
}

fn call(call: &Call, format: Option<&Format>, options: &Options) -> Value {
    let arguments = format.map(|format| call.arguments(format, options));
    let error = match (call.ending, &arguments) {
        (Ending::Truncated, _) => Some("truncated"),
        (_, Some(Ok(_))) => None,
        _ => Some("malformed"),
    };
    json!({
        "id": call.id,
        "name": call.name,
        "raw": call.raw,
        "arguments": arguments.and_then(Result::ok),
        "error": error,
    })
}

fn line(piece: Piece<'_>) -> Value {
    match piece {
        Piece::CallStart { index, name, id } => {
            json!({ "piece": "call-start", "call": index, "name": name, "id": id })
        }
        Piece::CallName(name) => json!({ "piece": "call-name", "name": name }),
        Piece::CallId(id) => json!({ "piece": "call-id", "id": id }),
        Piece::CallEnd { index, ending } => {
            let ending = match ending {
                Ending::Complete => "complete",
                Ending::Truncated => "truncated",
                Ending::Malformed => "malformed",
            };
            json!({ "piece": "call-end", "call": index, "ending": ending })
        }
        Piece::Reasoning(text) => json!({ "piece": "reasoning", "text": text }),
        Piece::Markup(text) => json!({ "piece": "markup", "text": text }),
        Piece::Arguments(text) => json!({ "piece": "arguments", "text": text }),
        piece => json!({ "piece": "text", "text": piece.span() }),
    }
}

/// Bytes to text, whatever way they are cut.
#[derive(Default)]
struct Utf8 {
    /// The beginning of a character that a cut went through.
    rest: Vec<u8>,
    damaged: bool,
}

impl Utf8 {
    /// The text of `bytes`, less a character that is cut off at their end unless it is `last`.
    fn decode(&mut self, bytes: &[u8], last: bool) -> String {
        self.rest.extend_from_slice(bytes);
        let mut text = String::new();
        let mut rest = self.rest.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    rest = &[];
                    break;
                }
                Err(error) => {
                    let (valid, broken) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    let Some(length) = error.error_len().or(last.then_some(broken.len())) else {
                        rest = broken;
                        break;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.damaged = true;
                    rest = &broken[length..];
                }
            }
        }
        let kept = self.rest.len() - rest.len();
        self.rest.drain(..kept);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_survive_cuts_and_damage_shows() {
        let mut utf8 = Utf8::default();
        let mut text = String::new();
        for byte in "a東\u{1f680}".bytes() {
            text += &utf8.decode(&[byte], false);
        }
        text += &utf8.decode(b"", true);
        assert_eq!((text.as_str(), utf8.damaged), ("a東\u{1f680}", false));
        assert_eq!(utf8.decode(b"x\xffy\xe6", false), "x\u{fffd}y");
        assert_eq!(utf8.decode(b"", true), "\u{fffd}");
        assert!(utf8.damaged);
    }
}
