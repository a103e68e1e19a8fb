//! Single faults of a stream, each with what must come of it.

use toolcall::event::Outcome;
use toolcall::{Decoder, EmitAt, ErrorKind, Event, LimitKind, Limits, Message, Options, Protocol};

use crate::support::{events, message};

fn anthropic(body: &str) -> Message {
    message(&events(Protocol::AnthropicMessages, &Options::default(), [body.as_bytes()]))
}

fn chat(body: &str) -> Message {
    message(&events(Protocol::OpenAiChat, &Options::default(), [body.as_bytes()]))
}

/// Error, kinds of the events after it, and the message.
fn failure(protocol: Protocol, options: Options, body: &[u8]) -> (toolcall::Error, Message) {
    let mut decoder = Decoder::with_options(protocol, options);
    let mut message = Message::default();
    let mut failure = None;
    let mut input = body;
    while let Some(event) = decoder.decode(&mut input).transpose() {
        match event {
            Ok(event) => message.push(event),
            Err(error) => assert!(failure.replace(error).is_none(), "one error only"),
        }
    }
    while let Some(event) = decoder.decode_eof().transpose() {
        match event {
            Ok(event) => message.push(event),
            Err(error) => assert!(failure.replace(error).is_none(), "one error only"),
        }
    }
    (failure.expect("an error"), message)
}

#[test]
fn a_fragment_may_come_before_everything() {
    let message = anthropic(
        "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":\
         {\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}\n\n",
    );
    let invalid = message.invalid_calls().next().unwrap();
    assert_eq!(invalid.raw(), "{\"a\":1}");
    assert_eq!(invalid.kind().as_str(), "truncated");
}

#[test]
fn a_name_of_null_is_no_name() {
    let message = chat(
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\
         \"function\":{\"name\":\"get\",\"arguments\":\"{\\\"x\\\":1}\"}}]}}]}\n\n\
         data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\
         \"function\":{\"name\":\"null\",\"arguments\":\"\"}}]},\"finish_reason\":\"stop\"}]}\n\n",
    );
    let names: Vec<&str> = message.calls().map(|call| call.name()).collect();
    assert_eq!(names, ["get"]);
}

#[test]
fn an_empty_object_at_the_stop_may_still_be_a_placeholder() {
    let message = chat(
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\
         \"function\":{\"name\":\"get\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n\
         data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\
         \"function\":{\"arguments\":\"{\\\"x\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
    );
    assert_eq!(message.calls().count(), 0);
    assert_eq!(message.invalid_calls().next().unwrap().raw(), "{}{\"x\":1}");
}

#[test]
fn bodies_that_are_no_event_stream_are_named() {
    let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc";
    let cases: [(&[u8], &str); 4] = [
        (b"{\"error\":{\"message\":\"no key\"}}", "a JSON object"),
        (b"<html><body>502</body></html>\n", "HTML"),
        (b"\n  {\"error\": 1}\n", "a JSON object"),
        (gzip, "gzip"),
    ];
    for (body, name) in cases {
        let (error, message) = failure(Protocol::OpenAiChat, Options::default(), body);
        assert_eq!(error.kind(), ErrorKind::NotAnEventStream);
        assert!(error.to_string().contains(name), "{error}");
        let head = error.excerpt().trim_ascii_start();
        assert!(body.trim_ascii_start().starts_with(head.trim_ascii_end()));
        assert_eq!(message.outcome, Some(Outcome::Failed("not-an-event-stream".into())));
    }
}

#[test]
fn a_broken_event_ends_the_stream_and_keeps_what_was_good() {
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\
        \"function\":{\"name\":\"get\",\"arguments\":\"{\\\"x\\\"\"}}]}}]}\n\n\
        data: {\"choices\":[{\"delta\n\ndata: {\"choices\":[]}\n\n";
    let (error, message) = failure(Protocol::OpenAiChat, Options::default(), body);
    assert_eq!(error.kind(), ErrorKind::MalformedEvent);
    assert_eq!(error.position().event, 1);
    assert_eq!(message.text, "Hi");
    let invalid = message.invalid_calls().next().unwrap();
    assert_eq!((invalid.raw(), invalid.kind().as_str()), ("{\"x\"", "truncated"));
}

/// A chat chunk with one fragment of the call at an index.
fn fragment(index: usize, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(
        "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":{index},\"id\":\"c{index}\",\
         \"function\":{{\"name\":\"f\",\"arguments\":{text}}}}}]}}}}]}}\n\n"
    )
}

#[test]
fn each_limit_is_an_error_of_its_own_at_its_edge() {
    let open_two: String = (0..2).map(|index| fragment(index, "{\"a")).collect();
    let cases = [
        (
            Limits::default().with_call(3),
            LimitKind::Call,
            fragment(0, "{\"a"),
            fragment(0, "{\"aa"),
        ),
        (
            Limits::default().with_message(6),
            LimitKind::Message,
            open_two.clone(),
            open_two.clone() + &fragment(1, "a"),
        ),
        (
            Limits::default().with_calls(2),
            LimitKind::Calls,
            open_two.clone(),
            open_two + &fragment(2, "{"),
        ),
    ];
    for (limits, kind, fits, exceeds) in cases {
        let options = Options::default().limits(limits);
        let all = events(Protocol::OpenAiChat, &options, [fits.as_bytes()]);
        assert!(all.iter().all(Result::is_ok), "{kind:?} fits");
        let (error, message) = failure(Protocol::OpenAiChat, options, exceeds.as_bytes());
        assert_eq!(error.kind(), ErrorKind::Limit(kind));
        assert!(error.is_limit());
        assert_eq!(message.outcome, Some(Outcome::Failed("limit".into())));
        assert_eq!(message.calls().count(), 0);
    }
}

#[test]
fn a_line_of_100_megabytes_is_an_error_and_is_not_kept() {
    let mut decoder = Decoder::new(Protocol::OpenAiChat);
    let chunk = [b'x'; 64 * 1024];
    let mut errors = Vec::new();
    let mut input: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"";
    let mut rest = 100 * 1024 * 1024 / chunk.len();
    loop {
        match decoder.decode(&mut input) {
            Ok(None) if rest == 0 => break,
            Ok(None) => {
                rest -= 1;
                input = &chunk;
            }
            Ok(Some(event)) => panic!("{event:?}"),
            Err(error) => errors.push(error.kind()),
        }
    }
    assert_eq!(errors, [ErrorKind::Limit(LimitKind::Line)]);
}

#[test]
fn ten_thousand_open_calls_are_kept_apart() {
    let mut body: String = (0..10_000).map(|index| fragment(index, "{\"n\":")).collect();
    body.extend((0..10_000).map(|index| fragment(index, &format!("{index}}}"))));
    body +=
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    let message = chat(&body);
    assert_eq!(message.calls().count(), 10_000);
    for (number, call) in message.calls().enumerate() {
        assert_eq!(call.arguments().value()["n"], number);
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let deep = format!("data: {{\"choices\":{}\n\n", "[".repeat(100_000));
    let (error, _) = failure(Protocol::OpenAiChat, Options::default(), deep.as_bytes());
    assert_eq!(error.kind(), ErrorKind::MalformedEvent);
}

#[test]
fn half_a_surrogate_pair_and_invalid_utf8_become_replacement_characters() {
    let mut body = fragment(0, "{\"a\":\"").into_bytes();
    body.extend(
        b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\
        \"function\":{\"arguments\":\"\\ud83d \xff\"}}]}}]}\n\n",
    );
    body.extend(fragment(0, "\"}").into_bytes());
    body.extend(b"data: [DONE]\n\n");
    let message = message(&events(Protocol::OpenAiChat, &Options::default(), [body.as_slice()]));
    let call = message.calls().next().unwrap();
    assert_eq!(call.arguments().raw(), "{\"a\":\"\u{fffd} \u{fffd}\"}");
    assert!(call.warnings().any(|warning| warning.as_str() == "replacement-character"));
}

#[test]
fn bytes_after_the_end_are_misuse() {
    let mut decoder = Decoder::new(Protocol::OpenAiChat);
    while decoder.decode_eof().unwrap().is_some() {}
    let mut input: &[u8] = b"data";
    let error = decoder.decode(&mut input).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Misuse);
    assert!(decoder.decode_eof().unwrap().is_none());
}

#[test]
fn a_call_is_given_out_at_its_own_stop_when_asked() {
    let body = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":\
        {\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"get\",\"input\":{}}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":\
        {\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"x\\\":1}\"}}\n\n\
        data: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    for (emit_at, expected) in [(EmitAt::CallStop, 1), (EmitAt::MessageStop, 0)] {
        let options = Options::default().emit_at(emit_at);
        let mut decoder = Decoder::with_options(Protocol::AnthropicMessages, options);
        let mut input = body.as_bytes();
        let mut ends = 0;
        while let Some(event) = decoder.decode(&mut input).unwrap() {
            ends += u32::from(matches!(event, Event::ToolCallEnd(_)));
        }
        assert_eq!(ends, expected, "{emit_at:?}");
    }
}

#[test]
fn a_proven_reading_is_taken_only_when_asked() {
    let body = fragment(0, "{}") + &fragment(0, "{\"x\":1}") + "data: [DONE]\n\n";
    assert_eq!(chat(&body).calls().count(), 0);
    let options = Options::default().accept_recovery(true);
    let message = message(&events(Protocol::OpenAiChat, &options, [body.as_bytes()]));
    let call = message.calls().next().unwrap();
    assert_eq!(call.arguments().raw(), "{}{\"x\":1}");
    assert_eq!(call.arguments().value(), serde_json::json!({"x": 1}));
    assert!(call.warnings().any(|warning| warning.as_str() == "empty-object-prefix"));
}

#[test]
fn an_empty_call_that_nothing_of_its_own_stops_is_truncated() {
    let start = |id: &str| {
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":\
             {{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"get\",\"input\":{{}}}}}}\n\n"
        )
    };
    let end = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n\
        data: {\"type\":\"message_stop\"}\n\n";
    let stop = "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let ended_by = [
        (start("a") + end, 0),
        (start("a") + &start("b") + stop + end, 1),
        (start("a") + stop + end, 1),
    ];
    for (body, calls) in ended_by {
        let message = anthropic(&body);
        assert_eq!(message.calls().count(), calls, "{body}");
        for invalid in message.invalid_calls() {
            assert_eq!((invalid.id(), invalid.kind().as_str()), (Some("a"), "truncated"));
        }
    }
}
