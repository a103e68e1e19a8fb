//! The program over calls that a model wrote into its text: `toolcall text`, and `decode --text-calls`.
#![cfg(feature = "cli")]

use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

/// Text, reasoning, and a call of Hermes.
const HERMES: &str =
    "<think>hm</think>Hi.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>";
/// A call of Qwen3-Coder, whose values have no types of their own.
const QWEN: &str =
    "<tool_call>\n<function=f>\n<parameter=zip>\n123\n</parameter>\n</function>\n</tool_call>";
/// A call that the end cuts.
const CUT: &str = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\"";
/// A call that is no JSON, and a good one.
const BAD: &str = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1,}}</tool_call>\
    <tool_call>{\"name\": \"g\"}</tool_call>";

fn run(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolcall"));
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.args(arguments).write_stdin(input).output().unwrap()
}

fn text(arguments: &[&str], input: &str) -> Output {
    run(&[&["text", "--text-calls"], arguments].concat(), input)
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_str(out(output)).unwrap_or_else(|_| panic!("no document: {output:?}"))
}

/// A file that holds `content`.
fn file(name: &str, content: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// The text as Chat Completions stream it, `size` bytes in each event.
fn stream(text: &str, size: usize, finish: &str) -> String {
    let mut stream = String::new();
    for chunk in text.as_bytes().chunks(size) {
        let content = std::str::from_utf8(chunk).unwrap();
        let event = json!({"choices": [{"index": 0, "delta": {"content": content}}]});
        stream += &format!("data: {event}\n\n");
    }
    let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]});
    stream + &format!("data: {stop}\n\ndata: [DONE]\n\n")
}

#[test]
fn the_document_of_a_text() {
    let output = text(&["hermes"], HERMES);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(err(&output), "");
    let call =
        json!({"id": null, "name": "f", "raw": "{\"a\": 1}", "arguments": {"a": 1}, "error": null});
    let expected = json!({"format": "hermes", "text": "Hi.\n", "reasoning": "hm", "calls": [call]});
    assert_eq!(document(&output), expected);
    assert_eq!(document(&text(&["hermes", "--format", "json"], HERMES)), expected);
}

#[test]
fn a_file_and_pieces_of_any_size_give_the_same() {
    let whole = out(&text(&["hermes"], HERMES)).to_owned();
    let path = file("text-hermes.txt", HERMES);
    for arguments in [
        &["hermes", path.to_str().unwrap()][..],
        &["hermes", "-"],
        &["hermes", "--chunk", "1"],
        &["hermes", "--chunk", "7"],
    ] {
        assert_eq!(out(&text(arguments, HERMES)), whole, "{arguments:?}");
    }
    assert_eq!(text(&["hermes", "--chunk", "0"], HERMES).status.code(), Some(2));
    assert_eq!(text(&["hermes", "no-such-file"], "").status.code(), Some(4));
}

#[test]
fn a_line_per_piece() {
    let output = text(&["hermes", "--format", "jsonl"], HERMES);
    let lines: Vec<Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["piece"].as_str().unwrap()).collect();
    let expected = [
        "markup",
        "reasoning",
        "markup",
        "text",
        "markup",
        "markup",
        "call-start",
        "arguments",
        "markup",
        "call-end",
        "markup",
    ];
    assert_eq!(kinds, expected);
    let pieces: String = lines.iter().filter_map(|line| line["text"].as_str()).collect();
    assert_eq!(pieces, HERMES);
    let start = json!({"piece": "call-start", "call": 0, "name": "f", "id": null});
    assert_eq!(lines[6], start);
    assert_eq!(lines[9], json!({"piece": "call-end", "call": 0, "ending": "complete"}));
}

#[test]
fn auto_says_which_format_it_is() {
    let kimi = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0\
        <|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>";
    for (input, format) in [(HERMES, "hermes"), (QWEN, "qwen3-coder"), (kimi, "kimi-k2")] {
        let output = text(&["auto"], input);
        assert_eq!(document(&output)["format"], format);
        assert_eq!(document(&output)["calls"][0]["name"], "f");
        let output = run(&["decode", "--text-calls", "auto"], &stream(input, 16, "stop"));
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(err(&output), format!("toolcall: the calls in the text are in {format}\n"));
    }
    assert_eq!(document(&text(&["auto"], "no call"))["format"], Value::Null);
    let output = run(&["decode", "--text-calls", "auto"], &stream("no call", 16, "stop"));
    assert_eq!(err(&output), "");
    let output = run(&["decode", "--text-calls", "hermes"], &stream(HERMES, 16, "stop"));
    assert_eq!(err(&output), "");
}

#[test]
fn an_alias_is_a_name_and_a_wrong_name_is_answered_by_the_list() {
    assert_eq!(document(&text(&["qwen2.5"], HERMES))["format"], "hermes");
    for arguments in [&["text", "--text-calls", "morse"][..], &["--text-calls", "morse"]] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("expected auto, hermes, qwen3-coder, mistral, "));
    }
    assert_eq!(run(&["text"], "").status.code(), Some(2));
}

#[test]
fn tools_give_types_and_say_what_is_a_call() {
    let schema = json!({"type": "object", "properties": {"zip": {"type": "string"}}});
    let tools = json!([{"name": "f", "parameters": schema}]).to_string();
    let tools = file("text-tools.json", &tools);
    let tools = tools.to_str().unwrap();
    let arguments = |output: &Output| document(output)["calls"][0]["arguments"].clone();
    assert_eq!(arguments(&text(&["qwen3-coder"], QWEN)), json!({"zip": 123}));
    assert_eq!(arguments(&text(&["qwen3-coder", "--tools", tools], QWEN)), json!({"zip": "123"}));
    let output = run(
        &["decode", "--text-calls", "qwen3-coder", "--tools", tools, "--format", "json"],
        &stream(QWEN, 5, "stop"),
    );
    assert_eq!(arguments(&output), json!({"zip": "123"}));
    let bare = "{\"name\": \"h\", \"parameters\": {}}";
    let output = text(&["llama3-json", "--tools", tools], bare);
    assert_eq!(
        (&document(&output)["text"], &document(&output)["calls"]),
        (&json!(bare), &json!([]))
    );
    let no_list = file("text-no-tools.json", "{}");
    let output = text(&["hermes", "--tools", no_list.to_str().unwrap()], HERMES);
    assert_eq!(output.status.code(), Some(4));
    assert!(err(&output).contains("expected a list of tools"), "{}", err(&output));
    let alone = run(&["decode", "--tools", tools], "");
    assert_eq!(alone.status.code(), Some(2), "tools are of no use without --text-calls");
}

#[test]
fn reasoning() {
    let input = "plan</think>Hi.";
    let output = text(&["hermes", "--starts-in-reasoning"], input);
    assert_eq!(document(&output)["reasoning"], "plan");
    assert_eq!(document(&output)["text"], "Hi.");
    assert_eq!(document(&text(&["hermes"], input))["reasoning"], "");
    let draft = format!("<think>a {} b</think>ok", HERMES.split("Hi.\n").nth(1).unwrap());
    assert_eq!(document(&text(&["hermes"], &draft))["calls"], json!([]));
    let output = text(&["hermes", "--calls-in-reasoning"], &draft);
    assert_eq!(document(&output)["calls"][0]["name"], "f");
    assert_eq!(document(&output)["reasoning"], "a  b");
    let flags = ["decode", "--text-calls", "hermes", "--starts-in-reasoning", "--format", "json"];
    let output = run(&flags, &stream(input, 3, "stop"));
    assert_eq!(document(&output)["reasoning"], "plan");
}

#[test]
fn a_call_that_fails_shows_in_the_status() {
    let output = text(&["hermes"], CUT);
    assert_eq!(output.status.code(), Some(1));
    let call = &document(&output)["calls"][0];
    assert_eq!((&call["error"], &call["raw"]), (&json!("truncated"), &json!("{\"a\"")));
    assert_eq!(call["arguments"], Value::Null);
    let output = text(&["hermes"], BAD);
    assert_eq!(output.status.code(), Some(1));
    let errors: Vec<Value> =
        document(&output)["calls"].as_array().unwrap().iter().map(|c| c["error"].clone()).collect();
    assert_eq!(errors, [json!("malformed"), Value::Null]);
}

#[test]
fn a_stream_whose_text_holds_calls() {
    for size in [1, 5, 4096] {
        let flags = ["decode", "--text-calls", "hermes", "--format", "json"];
        let output = run(&flags, &stream(HERMES, size, "stop"));
        assert_eq!(output.status.code(), Some(0));
        let document = document(&output);
        assert_eq!(document["text"], "Hi.\n");
        assert_eq!(document["reasoning"], "hm");
        assert_eq!(document["calls"][0]["arguments"], json!({"a": 1}));
    }
    let untouched = run(&["decode", "--format", "json"], &stream(HERMES, 16, "stop"));
    assert_eq!(document(&untouched)["text"], HERMES);
    assert_eq!(document(&untouched)["calls"], json!([]));
    let cut =
        run(&["decode", "--text-calls", "hermes", "--format", "json"], &stream(CUT, 9, "length"));
    assert_eq!(cut.status.code(), Some(1));
    assert_eq!(document(&cut)["calls"][0]["error"], "truncated");
    let live = run(&["decode", "--text-calls", "hermes", "--live"], &stream(HERMES, 9, "stop"));
    assert!(err(&live).contains("{\"a\": 1}"), "{}", err(&live));
    let raw = run(
        &["decode", "--text-calls", "hermes", "--call", "0", "--raw"],
        &stream(HERMES, 9, "stop"),
    );
    assert_eq!(out(&raw), "{\"a\": 1}");
}
