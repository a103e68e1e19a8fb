//! Calls in text, through the whole decoder: every case of `corpora/text` sent as the content of a chat
//! stream.

mod text_support;

use serde_json::{Value, json};
use text_support::{Case, Random, cases, chunks};
use toolcall::{
    Decoder, Error, Event, InvalidKind, InvalidToolCall, Message, Options, Protocol, ToolCall,
};

/// The case's text as the deltas of a stream, in random pieces.
fn stream(case: &Case, seed: u64) -> String {
    let mut random = Random(seed);
    let mut at = 0;
    let cuts = std::iter::from_fn(|| {
        at += 1 + random.below(12);
        (at < case.text.len()).then_some(at)
    });
    let mut body = String::new();
    for piece in chunks(&case.text, cuts) {
        let delta = json!({"choices": [{"index": 0, "delta": {"content": piece}}]});
        body += &format!("data: {delta}\n\n");
    }
    body + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
}

fn decode(body: &str, options: Options) -> Result<Message, Error> {
    let mut decoder = Decoder::with_options(Protocol::OpenAiChat, options);
    let mut message = Message::default();
    for mut input in body.as_bytes().chunks(97) {
        while let Some(event) = decoder.decode(&mut input)? {
            message.push(event);
        }
    }
    while let Some(event) = decoder.decode_eof()? {
        message.push(event);
    }
    Ok(message)
}

fn options(case: &Case) -> Options {
    Options::default().text_calls(case.format).text_options(case.options.clone())
}

fn call(result: &Result<ToolCall, InvalidToolCall>) -> Value {
    match result {
        Ok(call) => json!({
            "id": call.id(),
            "name": call.name(),
            "raw": call.arguments().raw(),
            "arguments": call.arguments().value(),
            "error": null,
        }),
        Err(invalid) => json!({
            "id": invalid.id(),
            "name": invalid.name(),
            "raw": invalid.raw(),
            "arguments": null,
            "error": match invalid.kind() {
                InvalidKind::Truncated => "truncated",
                _ => "malformed",
            },
        }),
    }
}

#[test]
fn every_case_as_the_content_of_a_stream() {
    let mut failures = Vec::new();
    for case in cases() {
        for seed in 1..20 {
            let message = decode(&stream(&case, seed), options(&case)).unwrap();
            let calls: Vec<Value> = message.results().iter().map(call).collect();
            let got = json!({"text": message.text, "reasoning": message.reasoning, "calls": calls});
            if got != case.expect {
                failures.push(format!("{}\n  want {}\n  got  {got}", case.name, case.expect));
                break;
            }
            for invalid in message.invalid_calls() {
                // Whatever is wrong, it can be told.
                assert!(
                    !invalid.report().to_string().is_empty()
                        && !invalid.to_model_text().to_string().is_empty()
                );
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// A stream that ends, or breaks, inside a call cuts it; one that ends behind it does not.
#[test]
fn a_stream_that_ends_early() {
    let options = || Options::default().text_calls(&toolcall::text::HERMES);
    let say =
        |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let cut =
        decode(&say("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\""), options()).unwrap();
    let invalid = cut.invalid_calls().next().unwrap();
    assert_eq!((invalid.name(), invalid.raw()), ("f", "{\"a\""));
    assert_eq!(invalid.kind(), InvalidKind::Truncated);

    let whole = say("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call> and");
    let whole = decode(&whole, options()).unwrap();
    assert_eq!(whole.calls().next().unwrap().arguments().raw(), "{\"a\": 1}");
    assert_eq!(whole.text, " and");

    let held = decode(&say("partial <tool_c"), options()).unwrap();
    assert_eq!(held.text, "partial <tool_c");
}

/// The start comes before the fragments, each fragment as it arrives, the end at the stop or, if so
/// asked, where the call ends in the text.
#[test]
fn events_in_order() {
    let body: String =
        ["<tool_call>{\"name\": \"f\", \"argum", "ents\": {\"a\":", " 1}}</tool_call>", "ok"]
            .iter()
            .map(|text| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]})))
            .collect();
    let body = body + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    for (emit_at, expected) in [
        (toolcall::EmitAt::MessageStop, "start f|{\"a\":| 1}|text ok|stop|end|"),
        (toolcall::EmitAt::CallStop, "start f|{\"a\":| 1}|end|text ok|stop|"),
    ] {
        let options = Options::default().text_calls(&toolcall::text::HERMES).emit_at(emit_at);
        let mut decoder = Decoder::with_options(Protocol::OpenAiChat, options);
        let mut seen = String::new();
        let mut input = body.as_bytes();
        while let Some(event) = decoder.decode(&mut input).unwrap() {
            seen += &match event {
                Event::ToolCallStart(start) => format!("start {}|", start.name),
                Event::ToolCallDelta(delta) => format!("{}|", delta.fragment),
                Event::ToolCallEnd(end) => {
                    assert!(end.result.is_ok());
                    "end|".into()
                }
                Event::Text(text) => format!("text {}|", text.text),
                Event::Stop(_) => "stop|".into(),
                _ => String::new(),
            };
        }
        assert_eq!(seen, expected, "{emit_at:?}");
    }
}

/// Two choices do not mix, and what the wire itself calls reasoning is not searched.
#[test]
fn choices_have_readers_of_their_own() {
    let mut body = String::new();
    for text in ["<tool_call>{\"name\": \"f", "\"}</tool_call>"] {
        for index in [0, 1] {
            let delta = json!({"choices": [{"index": index, "delta": {"content": text, "reasoning_content": "<tool_call>"}}]});
            body += &format!("data: {delta}\n\n");
        }
    }
    let message = decode(&body, Options::default().text_calls(&toolcall::text::HERMES)).unwrap();
    let keys: Vec<u32> = message.calls().map(|call| call.key().choice).collect();
    assert_eq!(keys, [0, 1]);
    assert!(message.reasoning.contains("<tool_call>"));
}
