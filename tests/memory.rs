//! What the whole job allocates and holds: nothing for an event once it is warm, little for a decoder
//! that waits, and nothing for long after something large.

mod counting;

use counting::{COUNT, Counting, LIVE};
use toolcall::{Decoder, Event, Options, Protocol};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A stream of a protocol: what opens a call, what brings a fragment of it, and a fragment of text.
struct Wire {
    protocol: Protocol,
    open: &'static str,
    /// `@` is the fragment.
    fragment: &'static str,
    text: &'static str,
}

const WIRES: &[Wire] = &[
    Wire {
        protocol: Protocol::OpenAiChat,
        open: r#"data: {"id":"r","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":\""}}]}}]}"#,
        fragment: r#"data: {"id":"r","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"@"}}]}}]}"#,
        text: r#"data: {"id":"r","model":"m","choices":[{"index":0,"delta":{"content":"@"}}]}"#,
    },
    Wire {
        protocol: Protocol::OpenAiResponses,
        open: r#"data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":""}}"#,
        fragment: r#"data: {"type":"response.function_call_arguments.delta","item_id":"i","output_index":0,"delta":"@"}"#,
        text: r#"data: {"type":"response.output_text.delta","item_id":"j","output_index":1,"content_index":0,"delta":"@"}"#,
    },
    Wire {
        protocol: Protocol::AnthropicMessages,
        open: r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}"#,
        fragment: r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"@"}}"#,
        text: r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"@"}}"#,
    },
    Wire {
        protocol: Protocol::Cohere,
        open: r#"data: {"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"c","type":"function","function":{"name":"f","arguments":""}}}}}"#,
        fragment: r#"data: {"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"@"}}}}}"#,
        text: r#"data: {"type":"content-delta","index":1,"delta":{"message":{"content":{"text":"@"}}}}"#,
    },
    Wire {
        protocol: Protocol::Bedrock,
        open: r#"contentBlockStart {"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"c","name":"f"}}}"#,
        fragment: r#"contentBlockDelta {"contentBlockIndex":0,"delta":{"toolUse":{"input":"@"}}}"#,
        text: r#"contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"@"}}"#,
    },
    // Calls come whole: fragments are of text only.
    Wire {
        protocol: Protocol::Gemini,
        open: "",
        fragment: r#"data: {"candidates":[{"content":{"parts":[{"text":"@","thought":true}]},"index":0}]}"#,
        text: r#"data: {"candidates":[{"content":{"parts":[{"text":"@"}]},"index":0}]}"#,
    },
    Wire {
        protocol: Protocol::Ollama,
        open: "",
        fragment: r#"{"model":"m","message":{"role":"assistant","content":"","thinking":"@"},"done":false}"#,
        text: r#"{"model":"m","message":{"role":"assistant","content":"@"},"done":false}"#,
    },
];

impl Wire {
    /// The bytes of an event, of this text in the place of `@`.
    fn event(&self, template: &str, text: &str) -> Vec<u8> {
        let event = template.replace('@', text);
        match (self.protocol, event.split_once(' ')) {
            (Protocol::Bedrock, Some((name, payload))) => binary_frame(name, payload),
            _ => (event + "\n\n").into_bytes(),
        }
    }
}

/// An AWS event stream message: lengths, their sum, headers, payload, the sum of all.
fn binary_frame(name: &str, payload: &str) -> Vec<u8> {
    let mut headers = Vec::new();
    for (header, value) in [(":message-type", "event"), (":event-type", name)] {
        headers.push(header.len() as u8);
        headers.extend(header.bytes().chain([7]));
        headers.extend((value.len() as u16).to_be_bytes().into_iter().chain(value.bytes()));
    }
    let total = 12 + headers.len() + payload.len() + 4;
    let mut frame = (total as u32).to_be_bytes().to_vec();
    frame.extend((headers.len() as u32).to_be_bytes());
    frame.extend(crc32(&frame).to_be_bytes());
    frame.extend(headers.iter().chain(payload.as_bytes()));
    frame.extend(crc32(&frame).to_be_bytes());
    frame
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 * (sum & 1)))
    })
}

/// Pieces of a string in a string: escapes, a number that grows, other lengths.
fn piece(n: usize) -> String {
    let texts = [r#"plain"#, r#"a \\\"b\\\" c"#, r#"\\n"#, r#"日本"#, r#"😀"#, "word and word"];
    format!("{}{n}", texts[n % texts.len()])
}

fn feed(decoder: &mut Decoder, bytes: &[u8]) -> (usize, usize) {
    let (mut input, mut events, mut length) = (bytes, 0, 0);
    while let Some(event) = decoder.decode(&mut input).expect("a good stream") {
        if let Event::MessageStart(_) = event {
            continue;
        }
        events += 1;
        length += match event {
            Event::ToolCallDelta(delta) => delta.fragment.len(),
            Event::Text(text) | Event::Reasoning(text) => text.text.len(),
            other => panic!("{other:?}"),
        };
    }
    (events, length)
}

fn opened(wire: &Wire, options: Options) -> Decoder {
    let mut decoder = Decoder::with_options(wire.protocol, options);
    let open = wire.event(wire.open, "");
    let mut input = &open[..];
    while decoder.decode(&mut input).expect("a good stream").is_some() {}
    decoder
}

/// A call's text and its map of fragments grow by doubling; everything else is warm after some events.
#[test]
fn events_of_fragments_and_text_allocate_nothing() {
    const EVENTS: usize = 4096;
    for wire in WIRES {
        for (kind, template) in [("fragment", wire.fragment), ("text", wire.text)] {
            let stream: Vec<u8> =
                (0..EVENTS).flat_map(|n| wire.event(template, &piece(n))).collect();
            for chunk in [64, 1460, 1 << 20] {
                let mut decoder = opened(wire, Options::default());
                let mut read = || {
                    let chunks = stream.chunks(chunk);
                    chunks
                        .map(|bytes| feed(&mut decoder, bytes))
                        .fold((0, 0), |sum, told| (sum.0 + told.0, sum.1 + told.1))
                };
                read();
                let before = COUNT.get();
                let (events, length) = read();
                let allocations = COUNT.get() - before;
                assert!(events == EVENTS && length > 4 * EVENTS, "{events} events, {length} bytes");
                // One doubling of a call's text, one of its map.
                let allowed = if kind == "fragment" { 2 } else { 0 };
                let protocol = wire.protocol;
                assert!(allocations <= allowed, "{protocol} {kind} {chunk}: {allocations}");
            }
        }
    }
}

#[test]
fn a_decoder_that_waits_is_small() {
    for wire in WIRES {
        let before = LIVE.get();
        let decoder = Box::new(Decoder::new(wire.protocol));
        let held = LIVE.get() - before;
        assert!(held <= 1024, "{}: {held} bytes", wire.protocol);
        drop(decoder);
    }
}

#[test]
fn a_decoder_with_an_open_call_of_a_kilobyte_is_small() {
    for wire in WIRES {
        let before = LIVE.get();
        let mut decoder = Box::new(opened(wire, Options::default()));
        let mut length = 0;
        for n in 0.. {
            length += feed(&mut decoder, &wire.event(wire.fragment, &piece(n))).1;
            if length >= 1024 {
                break;
            }
        }
        let held = LIVE.get() - before;
        assert!(held <= 8192, "{}: {held} bytes", wire.protocol);
    }
}

/// Gateways fill envelopes up to some 350 bytes; text and fragments of some 20 bytes come in turn.
#[test]
fn a_decoder_that_has_read_long_envelopes_is_small() {
    for wire in WIRES {
        for padding in (0..=500).step_by(50) {
            let filled = format!(r#"{{"filling":"{}","#, "x".repeat(padding));
            let filled = |template: &str| template.replacen('{', &filled, 1);
            let (fragment, text) = (filled(wire.fragment), filled(wire.text));
            let before = LIVE.get();
            let mut decoder = Box::new(opened(wire, Options::default()));
            let mut length = 0;
            for n in 0.. {
                let piece = format!("{} and all the rest", piece(n));
                length += feed(&mut decoder, &wire.event(&fragment, &piece)).1;
                feed(&mut decoder, &wire.event(&text, &piece));
                if length >= 1024 {
                    break;
                }
            }
            let held = LIVE.get() - before;
            assert!(held <= 8192, "{} {padding}: {held} bytes", wire.protocol);
        }
    }
}

#[test]
fn what_a_large_event_needed_is_given_back() {
    for wire in WIRES {
        let large = wire.event(wire.text, &"long ".repeat(1 << 18));
        let small = wire.event(wire.text, "short");
        let before = LIVE.get();
        let mut decoder = Box::new(opened(wire, Options::default()));
        for chunk in large.chunks(16 << 10) {
            feed(&mut decoder, chunk);
        }
        for _ in 0..4 {
            feed(&mut decoder, &small);
        }
        let held = LIVE.get() - before;
        assert!(held <= 8192, "{}: {held} bytes behind a large event", wire.protocol);
    }
}
