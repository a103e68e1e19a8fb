//! Cases with their right answers, and ways to cut a stream.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolcall::event::Outcome;
use toolcall::{CallKind, Decoder, Event, InvalidToolCall, Message, Options, Protocol, ToolCall};

/// A recorded stream and what must come out of it. The format is described in corpora/README.md.
pub struct Case {
    pub name: String,
    pub protocol: Protocol,
    pub body: Vec<u8>,
    pub expect: Value,
}

/// Every case of a folder of corpora/: `NNN-slug.json` beside its stream.
pub fn cases(folder: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora").join(folder);
    let protocol = folder.parse().expect("the folder is named after a protocol");
    let mut answers: Vec<PathBuf> = fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    answers.sort();
    let case = |answer: PathBuf| {
        let body = ["sse", "ndjson", "eventstream", "jsonarray"]
            .iter()
            .find_map(|extension| fs::read(answer.with_extension(extension)).ok())
            .unwrap_or_else(|| panic!("{} has no stream beside it", answer.display()));
        let text = fs::read_to_string(&answer).unwrap();
        let mut document: Value = serde_json::from_str(&text).unwrap();
        let stem = answer.file_stem().unwrap().to_string_lossy();
        Case { name: format!("{folder}/{stem}"), protocol, body, expect: document["expect"].take() }
    };
    let cases: Vec<Case> = answers.into_iter().map(case).collect();
    assert!(!cases.is_empty(), "corpora/{folder} holds no case");
    cases
}

/// All events of a stream that comes in these chunks, errors among them as text.
pub fn events<'a>(
    protocol: Protocol,
    options: &Options,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Result<Event<'static>, String>> {
    let mut decoder = Decoder::with_options(protocol, options.clone());
    let mut events = Vec::new();
    let text = |error: toolcall::Error| format!("{:?}: {error}", error.kind());
    for chunk in chunks {
        let mut input = chunk;
        while let Some(event) = decoder.decode(&mut input).transpose() {
            events.push(event.map(Event::into_owned).map_err(text));
        }
        assert!(input.is_empty(), "bytes were left: {input:?}");
    }
    while let Some(event) = decoder.decode_eof().transpose() {
        events.push(event.map(Event::into_owned).map_err(text));
    }
    events
}

/// What the events amount to.
pub fn message(events: &[Result<Event<'static>, String>]) -> Message {
    let mut message = Message::default();
    for event in events.iter().flatten() {
        message.push(event.clone());
    }
    message
}

/// Every way to cut a body that all tests use: whole, even pieces, every two-way cut of a small one,
/// and seeded random pieces with empty ones between.
pub fn chunkings(body: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut all: Vec<Vec<&[u8]>> = vec![vec![body]];
    for size in [1, 2, 3, 7] {
        all.push(body.chunks(size).collect());
    }
    if body.len() <= 4096 {
        all.extend((1..body.len()).map(|at| vec![&body[..at], &body[at..]]));
    }
    for seed in 1..=20 {
        let mut random = Random(seed);
        let (mut rest, mut chunks) = (body, Vec::new());
        while !rest.is_empty() {
            let most = [4, 40, 400, 4000][random.below(4)];
            let (chunk, after) = rest.split_at(random.below(most).min(rest.len()));
            chunks.push(chunk);
            rest = after;
        }
        all.push(chunks);
    }
    all
}

/// A small generator of numbers, the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

/// What differs between a message and the right answer, a line each: field, expected, got.
pub fn differences(expect: &Value, message: &Message) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |field: &str, expected: &Value, got: Value| {
        if !same(expected, &got) {
            found.push(format!("{field}: expected {expected}, got {got}"));
        }
    };
    let stream = match &message.outcome {
        Some(Outcome::Complete) => "complete".to_owned(),
        Some(Outcome::EndedEarly) => "ended-early".to_owned(),
        Some(Outcome::Failed(kind)) => format!("error:{kind}"),
        other => format!("{other:?}"),
    };
    compare("text", &expect["text"], message.text.as_str().into());
    compare("reasoning", &expect["reasoning"], message.reasoning.as_str().into());
    compare("stop", &expect["stop"], message.stop.as_ref().map(|stop| stop.as_str()).into());
    compare("stream", &expect["stream"], stream.into());
    let expected = expect["calls"].as_array().expect("the answer lists calls");
    compare("number of calls", &expected.len().into(), message.results().len().into());
    for (call, result) in expected.iter().zip(message.results()) {
        compare_call(call, result, &mut compare);
    }
    let warnings = |value: &Value| -> Vec<String> {
        let names = value.as_array().into_iter().flatten();
        names.map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let mut require = |field: String, expected: Vec<String>, got: Vec<&str>| {
        for warning in expected {
            if !got.contains(&warning.as_str()) {
                found.push(format!("{field}: expected {warning} among them, got {got:?}"));
            }
        }
    };
    let got = message.warnings.iter().map(|warning| warning.as_str()).collect();
    require("warnings".into(), warnings(&expect["warnings"]), got);
    for (call, result) in expected.iter().zip(message.results()) {
        let got: Vec<&str> = match result {
            Ok(call) => call.warnings().map(|warning| warning.as_str()).collect(),
            Err(invalid) => invalid.warnings().map(|warning| warning.as_str()).collect(),
        };
        require(format!("warnings of call {}", call["position"]), warnings(&call["warnings"]), got);
    }
    found
}

fn compare_call(
    expect: &Value,
    result: &Result<ToolCall, InvalidToolCall>,
    compare: &mut impl FnMut(&str, &Value, Value),
) {
    let (key, kind, id, name, raw) = match result {
        Ok(call) => (call.key(), call.kind(), call.id(), call.name(), call.arguments().raw()),
        Err(invalid) => {
            (invalid.key(), invalid.kind_of_call(), invalid.id(), invalid.name(), invalid.raw())
        }
    };
    let (arguments, error, recovery) = match result {
        Ok(call) if kind == CallKind::Custom => {
            assert_eq!(call.arguments().value(), Value::String(raw.into()));
            (Value::Null, Value::Null, Value::Null)
        }
        Ok(call) => (call.arguments().value(), Value::Null, Value::Null),
        Err(invalid) => {
            let recovery = invalid.recovery().map(|recovery| {
                serde_json::json!({"kind": recovery.kind.as_str(), "arguments": recovery.value()})
            });
            (Value::Null, invalid.kind().as_str().into(), recovery.into())
        }
    };
    let at = expect["position"].clone();
    let mut compare = |field: &str, expected: &Value, got: Value| {
        compare(&format!("call {at} {field}"), expected, got);
    };
    compare("choice", expect.get("choice").unwrap_or(&0.into()), key.choice.into());
    compare("position", &expect["position"], key.position.into());
    if let Some(kind_expected) = expect.get("kind") {
        compare("kind", kind_expected, kind.as_str().into());
    }
    compare("id", &expect["id"], id.into());
    let name = Some(name).filter(|name| !name.is_empty());
    compare("name", &expect["name"], name.into());
    compare("raw", &expect["raw"], raw.into());
    compare("arguments", &expect["arguments"], arguments);
    compare("error", &expect["error"], error);
    if let Some(expected) = expect.get("recovery") {
        compare("recovery", expected, recovery);
    }
}

/// Equal as JSON; numbers as written, so that a 64-bit integer must be exact.
fn same(expected: &Value, got: &Value) -> bool {
    expected == got
}
