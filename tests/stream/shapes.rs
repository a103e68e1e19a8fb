//! Envelopes that are read by their shape say what the full pass says, in streams that are made to
//! tempt: envelopes that are alike but for one thing, in any order.

use proptest::prelude::*;
use toolcall::{Decoder, Event, Options, Protocol};

/// Both ways of reading give the same events and errors.
fn agree(protocol: Protocol, body: &[u8]) {
    let told = |options: Options| {
        let mut decoder = Decoder::with_options(protocol, options);
        let (mut input, mut told) = (body, Vec::new());
        let own = |event: Result<Event<'_>, toolcall::Error>| {
            event.map(Event::into_owned).map_err(|error| error.to_string())
        };
        while let Some(event) = decoder.decode(&mut input).transpose() {
            told.push(own(event));
        }
        while let Some(event) = decoder.decode_eof().transpose() {
            told.push(own(event));
        }
        told
    };
    let in_full = told(Options::default().shapes(false));
    assert_eq!(told(Options::default()), in_full, "{}", body.escape_ascii());
}

/// Envelopes of a protocol with the event's name before `|`; `@` is any value, `#` a number, `$` the
/// content of a string.
fn templates(protocol: Protocol) -> &'static [&'static str] {
    match protocol {
        Protocol::OpenAiChat => &[
            r#"|{"id":"$","choices":[{"index":#,"delta":{"content":"$"},"finish_reason":null}],"obfuscation":"$"}"#,
            r#"|{"id":"c","choices":[{"index":0,"delta":{"content":"$"}}]}"#,
            r#"|{"id":"c","choices":[{"index":0,"delta":{"content":"$"},"finish_reason":@}]}"#,
            r#"|{"choices":[{"index":0,"delta":{"reasoning_content":"$","reasoning":"$"}}]}"#,
            r#"|{"choices":[{"index":0,"delta":{"tool_calls":[{"index":#,"function":{"arguments":"$"}}]}}]}"#,
            r#"|{"choices":[{"index":0,"delta":{"tool_calls":[{"index":#,"function":{"arguments":"$"}}]}}],"usage":@}"#,
            r#"|{"choices":[{"index":#,"delta":{"tool_calls":[{"index":#,"id":@,"type":"function","function":{"name":@,"arguments":"$"}}]}}]}"#,
            r#"|{"choices":[{"delta":{"tool_calls":[{"index":#,"function":{"arguments":@}}]}}]}"#,
            r#"|{"choices":[{"index":0,"message":{"content":"$"}}]}"#,
            r#"|{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"x|{"choices":[{"index":0,"delta":{"content":"$"}}]}"#,
            r#"error|{"choices":[{"index":0,"delta":{"content":"$"}}]}"#,
            r#"|{"output":{"choices":[{"message":{"content":"$"}}]}}"#,
            r#"|{"error":{"message":"$","code":#}}"#,
            "|[DONE]",
        ],
        Protocol::AnthropicMessages => &[
            r#"content_block_start|{"type":"content_block_start","index":#,"content_block":{"type":"tool_use","id":"$","name":"f","input":{}}}"#,
            r#"content_block_start|{"type":"content_block_start","index":#,"content_block":{"type":"text","text":"$"}}"#,
            r#"content_block_delta|{"type":"content_block_delta","index":#,"delta":{"type":"input_json_delta","partial_json":"$"}}"#,
            r#"content_block_delta|{"type":"content_block_delta","index":#,"delta":{"type":"text_delta","text":"$"}}"#,
            r#"content_block_delta|{"type":"content_block_delta","index":#,"delta":{"type":@,"text":"$"}}"#,
            r#"|{"type":"content_block_delta","index":#,"delta":{"type":"thinking_delta","thinking":"$"}}"#,
            r#"content_block_delta|{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"$"}}"#,
            r#"content_block_stop|{"type":"content_block_stop","index":#}"#,
            r#"ping|{"type":"ping"}"#,
            r#"message_delta|{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":#}}"#,
            r#"error|{"type":"content_block_delta","index":#,"delta":{"type":"text_delta","text":"$"}}"#,
        ],
        _ => &[
            r#"|{"type":"response.output_item.added","output_index":#,"item":{"type":"function_call","id":"i","call_id":"$","name":"f","arguments":""}}"#,
            r#"|{"type":"response.function_call_arguments.delta","item_id":"$","output_index":#,"delta":"$","sequence_number":#}"#,
            r#"|{"type":"response.function_call_arguments.delta","item_id":"i","output_index":0,"delta":"$","obfuscation":"$"}"#,
            r#"|{"type":"response.output_text.delta","item_id":"i","output_index":#,"content_index":#,"delta":"$"}"#,
            r#"|{"type":"response.output_text.done","item_id":"i","output_index":#,"content_index":#,"text":"$"}"#,
            r#"|{"type":"response.refusal.delta","output_index":#,"content_index":#,"delta":"$"}"#,
            r#"|{"type":"response.function_call_arguments.done","item_id":"i","output_index":#,"arguments":"$"}"#,
            r#"|{"type":"response.completed","response":{"status":"completed","output":[]}}"#,
            r#"|{"type":@,"delta":"$"}"#,
        ],
    }
}

const TEXTS: &[&str] =
    &["", "a", "bc", r"\n", r"\ud83d", r"\ude00x", "{}", r#"\""#, "long enough for a word", "é"];
const NUMBERS: &[&str] = &["0", "1", "2", "12", "-1", "0.5", "1e2"];
const VALUES: &[&str] = &["null", "\"\"", "\"a\"", "0", "{}", "[]", "true", "{\"a\":1}", "\"b\""];

/// Writes the values into a template.
fn fill(template: &str, values: &[prop::sample::Index]) -> String {
    let (name, data) = template.split_once('|').expect("a name");
    let mut values = values.iter().cycle();
    let mut event = match name {
        "" => String::new(),
        name => format!("event: {name}\n"),
    };
    event += "data: ";
    for character in data.chars() {
        let mut any = |all: &[&'static str]| *values.next().expect("a value").get(all);
        match character {
            '$' => event += any(TEXTS),
            '#' => event += any(NUMBERS),
            '@' => event += any(VALUES),
            other => event.push(other),
        }
    }
    event + "\n\n"
}

fn stream() -> impl Strategy<Value = (Protocol, String)> {
    let protocols =
        [Protocol::OpenAiChat, Protocol::AnthropicMessages, Protocol::OpenAiResponses].to_vec();
    prop::sample::select(protocols).prop_flat_map(|protocol| {
        let values = prop::collection::vec(any::<prop::sample::Index>(), 6);
        // Few kinds in one stream, so that they come again.
        let kinds = prop::collection::vec(prop::sample::select(templates(protocol)), 1..4);
        let events = prop::collection::vec((any::<prop::sample::Index>(), values), 1..40);
        (kinds, events).prop_map(move |(kinds, events)| {
            let event = |(kind, values): &(prop::sample::Index, Vec<_>)| {
                fill(kind.get::<&str>(&kinds), values)
            };
            (protocol, events.iter().map(event).collect())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 2000 } else { 100_000 }))]

    #[test]
    fn what_is_read_by_its_shape_is_what_the_full_pass_reads((protocol, body) in stream()) {
        agree(protocol, body.as_bytes());
    }
}

#[test]
fn a_delta_after_something_else_is_worked_out_anew() {
    let text = |text: &str| {
        format!(r#"data: {{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#)
    };
    let whole = r#"data: {"choices":[{"index":0,"message":{"content":"whole"}}]}"#;
    let mut body = String::new();
    for n in 0..4 {
        body += &format!("{whole}\n\n{}\n\n{}\n\n", text("a"), text(&n.to_string()));
    }
    agree(Protocol::OpenAiChat, body.as_bytes());
}
