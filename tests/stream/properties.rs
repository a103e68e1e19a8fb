//! What holds for all streams: no panic, the same events however the bytes are cut, and every call
//! comes back as it went in.

use crate::support::{Random, cases, events, message};
use proptest::prelude::*;
use serde_json::{Value, json};
use toolcall::{EmitAt, Event, Message, Options, Protocol};

const PROTOCOLS: &[&str] =
    &["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "cohere", "ollama"];

fn cut<'a>(body: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let (mut rest, mut chunks) = (body, Vec::new());
    for length in lengths {
        let (chunk, after) = rest.split_at((*length).min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    chunks.push(rest);
    chunks
}

/// A case of the corpus with some bytes changed, doubled or lost.
fn damaged() -> impl Strategy<Value = (Protocol, Vec<u8>)> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<u8>()), 0..6);
    let case = prop::sample::select(PROTOCOLS)
        .prop_flat_map(|folder| prop::sample::select(bodies(folder)));
    (case, edits).prop_map(|((protocol, mut body), edits)| {
        for (at, kind, byte) in edits {
            if body.is_empty() {
                break;
            }
            let at = at.index(body.len());
            match kind {
                0 => body[at] = byte,
                1 => body.insert(at, byte),
                2 => drop(body.remove(at)),
                _ => body.truncate(at),
            }
        }
        (protocol, body)
    })
}

fn bodies(folder: &str) -> Vec<(Protocol, Vec<u8>)> {
    let small = cases(folder).into_iter().filter(|case| case.body.len() < 8192);
    small.map(|case| (case.protocol, case.body)).collect()
}

/// A call to be sent: id, name, arguments, and how its text is cut.
type Sent = (String, String, String, Vec<usize>);

fn sent_calls() -> impl Strategy<Value = Vec<Sent>> {
    let value = prop_oneof![
        any::<String>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(json!({"nested": [1, {"x": "\u{1f980} \\ \" \n"}], "none": null})),
    ];
    let arguments = prop::collection::btree_map("[a-z]{1,6}|🦀", value, 0..4);
    let cuts = prop::collection::vec(0usize..9, 0..24);
    let call = ("[a-z_]{1,12}", arguments, cuts, any::<bool>());
    prop::collection::vec(call, 1..6).prop_map(|calls| {
        let numbered = calls.into_iter().enumerate();
        numbered
            .map(|(number, (name, arguments, cuts, pretty))| {
                let text = match pretty {
                    true => serde_json::to_string_pretty(&arguments).unwrap(),
                    false => serde_json::to_string(&arguments).unwrap(),
                };
                (format!("call_{number}"), name, text, cuts)
            })
            .collect()
    })
}

/// The call's text in fragments, at character borders.
fn fragments(text: &str, cuts: &[usize]) -> Vec<String> {
    let (mut rest, mut out) = (text, Vec::new());
    for cut in cuts {
        let at = rest.char_indices().nth(*cut).map_or(rest.len(), |(at, _)| at);
        let (fragment, after) = rest.split_at(at);
        out.push(fragment.to_owned());
        rest = after;
    }
    out.push(rest.to_owned());
    out
}

/// One event after the other, drawn from the calls at random, each call's own order kept.
fn interleaved(calls: &[Sent], seed: u64) -> Vec<(usize, usize, String)> {
    let mut waiting: Vec<_> = calls
        .iter()
        .map(|(_, _, text, cuts)| fragments(text, cuts).into_iter().enumerate().peekable())
        .collect();
    let mut random = Random(seed);
    let mut out = Vec::new();
    while waiting.iter_mut().any(|fragments| fragments.peek().is_some()) {
        let call = random.below(waiting.len());
        if let Some((number, fragment)) = waiting[call].next() {
            out.push((call, number, fragment));
        }
    }
    out
}

fn chat_stream(calls: &[Sent], seed: u64) -> String {
    let mut stream = String::new();
    for (call, number, fragment) in interleaved(calls, seed) {
        let (id, name, ..) = &calls[call];
        let mut entry = json!({"index": call, "function": {"arguments": fragment}});
        if number == 0 {
            entry["id"] = id.as_str().into();
            entry["function"]["name"] = name.as_str().into();
        }
        let chunk = json!({"id": "c", "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": null}]});
        stream += &format!("data: {chunk}\n\n");
    }
    stream
        + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
        data: [DONE]\n\n"
}

fn anthropic_stream(calls: &[Sent], seed: u64) -> String {
    let mut stream = String::new();
    let mut say = |event: Value| {
        stream += &format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    };
    for (index, (id, name, ..)) in calls.iter().enumerate() {
        say(json!({"type": "content_block_start", "index": index,
            "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}));
    }
    for (index, _, fragment) in interleaved(calls, seed) {
        say(json!({"type": "content_block_delta", "index": index,
            "delta": {"type": "input_json_delta", "partial_json": fragment}}));
    }
    for index in 0..calls.len() {
        say(json!({"type": "content_block_stop", "index": index}));
    }
    say(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
    say(json!({"type": "message_stop"}));
    stream
}

fn assert_same_calls(
    calls: &[Sent],
    order: impl Fn(usize) -> u32,
    message: &Message,
) -> Result<(), TestCaseError> {
    prop_assert!(message.is_complete());
    prop_assert_eq!(message.calls().count(), calls.len());
    for (number, (id, name, text, _)) in calls.iter().enumerate() {
        let position = order(number);
        let call = message.calls().find(|call| call.key().position == position).unwrap();
        prop_assert_eq!(call.id(), Some(id.as_str()));
        prop_assert_eq!(call.name(), name);
        prop_assert_eq!(call.arguments().raw(), text);
        let expected: Value = serde_json::from_str(text).unwrap();
        prop_assert_eq!(call.arguments().value(), expected);
    }
    Ok(())
}

/// The fragments that were shown, joined, are the raw text that was judged.
fn assert_fragments_join(events: &[Result<Event<'static>, String>]) -> Result<(), TestCaseError> {
    let mut shown = std::collections::BTreeMap::<_, String>::new();
    for event in events.iter().flatten() {
        match event {
            Event::ToolCallStart(start) => {
                prop_assert!(shown.insert(start.key, String::new()).is_none());
            }
            Event::ToolCallDelta(delta) => {
                let shown = shown.get_mut(&delta.key).unwrap();
                if delta.replaces {
                    shown.clear();
                }
                *shown += &delta.fragment;
            }
            Event::ToolCallEnd(end) => {
                let raw = match &end.result {
                    Ok(call) => call.arguments().raw(),
                    Err(invalid) => invalid.raw(),
                };
                prop_assert_eq!(shown.get(&end.key).map(String::as_str), Some(raw));
            }
            _ => {}
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_in_any_chunking(
        body in prop::collection::vec(any::<u8>(), 0..300),
        lengths in prop::collection::vec(0usize..40, 0..20),
    ) {
        for protocol in Protocol::ALL.iter().chain(&[Protocol::Auto]) {
            let whole = events(*protocol, &Options::default(), [body.as_slice()]);
            let pieces = events(*protocol, &Options::default(), cut(&body, &lengths));
            prop_assert_eq!(&whole, &pieces);
        }
    }

    #[test]
    fn damaged_streams_in_any_chunking(
        (protocol, body) in damaged(),
        lengths in prop::collection::vec(0usize..400, 0..20),
    ) {
        let whole = events(protocol, &Options::default(), [body.as_slice()]);
        let pieces = events(protocol, &Options::default(), cut(&body, &lengths));
        prop_assert_eq!(&whole, &pieces);
        assert_fragments_join(&whole)?;
        let ends = |event: &Result<Event<'_>, _>| matches!(event, Ok(Event::End(_)));
        prop_assert!(whole.iter().rposition(ends) == Some(whole.len() - 1));
        prop_assert_eq!(whole.iter().filter(|event| ends(event)).count(), 1);
    }

    #[test]
    fn chat_calls_come_back(calls in sent_calls(), seed in any::<u64>()) {
        let stream = chat_stream(&calls, seed);
        let all = events(Protocol::OpenAiChat, &Options::default(), [stream.as_bytes()]);
        assert_fragments_join(&all)?;
        let mut appearance = Vec::new();
        for (call, ..) in interleaved(&calls, seed) {
            if !appearance.contains(&call) {
                appearance.push(call);
            }
        }
        let order = |call| appearance.iter().position(|other| *other == call).unwrap() as u32;
        assert_same_calls(&calls, order, &message(&all))?;
    }

    #[test]
    fn anthropic_calls_come_back(calls in sent_calls(), seed in any::<u64>(), early in any::<bool>()) {
        let stream = anthropic_stream(&calls, seed);
        let emit_at = if early { EmitAt::CallStop } else { EmitAt::MessageStop };
        let options = Options::default().emit_at(emit_at);
        let all = events(Protocol::AnthropicMessages, &options, [stream.as_bytes()]);
        assert_fragments_join(&all)?;
        assert_same_calls(&calls, |call| call as u32, &message(&all))?;
    }

    #[test]
    fn a_stream_that_is_cut_gives_no_call_that_was_open(
        calls in sent_calls(),
        seed in any::<u64>(),
        at in any::<prop::sample::Index>(),
    ) {
        let stream = chat_stream(&calls, seed);
        let end = stream.find("data: {\"choices\":[{\"index\":0,\"delta\":{},").unwrap();
        let body = &stream.as_bytes()[..at.index(end)];
        let message = message(&events(Protocol::OpenAiChat, &Options::default(), [body]));
        prop_assert_eq!(message.calls().count(), 0);
        prop_assert!(!message.is_complete());
    }
}
