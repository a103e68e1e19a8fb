//! The ways to do the whole job.

use std::convert::Infallible;
use std::hint::black_box;

use futures::StreamExt;
use serde_json::Value;
use toolcall::Options;
use toolcall::sse::{Decoder, Record};

use super::CHUNK;
use super::assembly::Assembly;
use super::captures::{Capture, Tally, Wire, job};
use super::typed::{self, SimdJson};

/// One way to do the job, or a part of it that bounds what is possible.
pub struct Way {
    pub name: &'static str,
    /// What it found; `None` if it does not look.
    pub run: fn(&Capture) -> Option<Tally>,
    pub reads: fn(Wire) -> bool,
    pub is_ours: bool,
}

const fn ours(name: &'static str, run: fn(&Capture) -> Option<Tally>) -> Way {
    Way { name, run, reads: |_| true, is_ours: true }
}

const fn peer(name: &'static str, run: fn(&Capture) -> Option<Tally>) -> Way {
    Way { name, run, reads: |_| true, is_ours: false }
}

pub const WAYS: &[Way] = &[
    ours("toolcall", |capture| Some(job::decode(capture, CHUNK, &Options::default()))),
    ours("toolcall, no shapes", |capture| {
        Some(job::decode(capture, CHUNK, &Options::default().shapes(false)))
    }),
    peer("es+async-openai", |capture| Some(with_eventsource(capture, async_openai))),
    peer("es+Value", |capture| Some(with_eventsource(capture, value))),
    peer("sse-core+serde_json", |capture| Some(with_sse_core(capture, typed::serde_json_slice))),
    peer("async-openai", |capture| Some(with_ours(capture, async_openai))),
    peer("Value", |capture| Some(with_ours(capture, value))),
    peer("serde_json", |capture| Some(with_ours(capture, typed::serde_json_slice))),
    peer("simdutf8+serde_json", |capture| Some(with_ours(capture, typed::serde_json_str))),
    peer("sonic-rs", |capture| Some(with_ours(capture, typed::sonic_rs))),
    peer("simd-json", |capture| {
        let mut simd_json = SimdJson::new();
        Some(with_ours(capture, |wire, data, assembly| simd_json.read(wire, data, assembly)))
    }),
    Way {
        reads: |wire| wire == Wire::Chat,
        ..peer("jiter", |capture| Some(with_ours(capture, jiter)))
    },
    ours("framing alone", |capture| {
        with_ours(capture, |_, data, _| _ = black_box(data));
        None
    }),
    peer("memchr", |capture| {
        for response in &capture.responses {
            black_box(memchr::memchr_iter(b'\n', response).count());
        }
        None
    }),
    peer("memcpy", |capture| {
        let mut copy = Vec::with_capacity(CHUNK);
        for chunk in capture.responses.iter().flat_map(|response| response.chunks(CHUNK)) {
            copy.clear();
            copy.extend_from_slice(chunk);
            black_box(&copy);
        }
        None
    }),
];

/// Reads each event's data after the crate's own framing.
fn with_ours(capture: &Capture, mut read: impl FnMut(Wire, &[u8], &mut Assembly)) -> Tally {
    let mut assembly = Assembly::default();
    for response in &capture.responses {
        let mut decoder = Decoder::new();
        for chunk in response.chunks(CHUNK) {
            let mut input = chunk;
            while let Some(record) = decoder.decode(&mut input) {
                if let Record::Event(event) = record {
                    if event.data() != b"[DONE]" {
                        read(capture.wire, event.data(), &mut assembly);
                    }
                }
            }
        }
    }
    assembly.tally
}

fn with_eventsource(capture: &Capture, mut read: impl FnMut(Wire, &[u8], &mut Assembly)) -> Tally {
    let mut assembly = Assembly::default();
    for response in &capture.responses {
        let chunks = futures::stream::iter(response.chunks(CHUNK).map(Ok::<_, Infallible>));
        let mut events = std::pin::pin!(eventsource_stream::EventStream::new(chunks));
        futures::executor::block_on(async {
            while let Some(event) = events.next().await {
                let data = event.expect("an event").data;
                if data != "[DONE]" {
                    read(capture.wire, data.as_bytes(), &mut assembly);
                }
            }
        });
    }
    assembly.tally
}

fn with_sse_core(capture: &Capture, mut read: impl FnMut(Wire, &[u8], &mut Assembly)) -> Tally {
    let mut assembly = Assembly::default();
    for response in &capture.responses {
        let mut decoder = sse_core::SseDecoder::new();
        for mut chunk in response.chunks(CHUNK) {
            while let Some(event) = decoder.next(&mut chunk) {
                if let Ok(sse_core::SseEvent::Message(message)) = event {
                    if message.data != "[DONE]" {
                        read(capture.wire, message.data.as_bytes(), &mut assembly);
                    }
                }
            }
        }
    }
    assembly.tally
}

fn value(wire: Wire, data: &[u8], assembly: &mut Assembly) {
    let envelope: Value = serde_json::from_slice(data).expect("JSON");
    let text = |value: &'_ Value| value.as_str().unwrap_or_default().to_owned();
    let index = envelope["index"].as_u64().or(envelope["output_index"].as_u64()).unwrap_or(0);
    match (wire, envelope["type"].as_str().unwrap_or_default()) {
        (Wire::Chat, _) => {
            for choice in envelope["choices"].as_array().into_iter().flatten() {
                let delta = &choice["delta"];
                assembly.text(delta["content"].as_str().unwrap_or_default());
                for call in delta["tool_calls"].as_array().into_iter().flatten() {
                    let index = call["index"].as_u64().unwrap_or(0);
                    if call["id"].is_string() {
                        assembly.open(index, &text(&call["id"]), &text(&call["function"]["name"]));
                    }
                    let fragment = call["function"]["arguments"].as_str().unwrap_or_default();
                    assembly.fragment(index, fragment);
                }
                if choice["finish_reason"].is_string() {
                    assembly.stop_all();
                }
            }
        }
        (_, "content_block_delta") => {
            let delta = &envelope["delta"];
            assembly.text(delta["text"].as_str().unwrap_or_default());
            assembly.text(delta["thinking"].as_str().unwrap_or_default());
            if let Some(fragment) = delta["partial_json"].as_str() {
                assembly.fragment(index, fragment);
            }
        }
        (_, "content_block_start") if envelope["content_block"]["type"] == "tool_use" => {
            let block = &envelope["content_block"];
            assembly.open(index, &text(&block["id"]), &text(&block["name"]));
        }
        (_, "response.output_text.delta") => {
            assembly.text(envelope["delta"].as_str().unwrap_or_default());
        }
        (_, "response.function_call_arguments.delta") => {
            assembly.fragment(index, envelope["delta"].as_str().unwrap_or_default());
        }
        (_, "response.output_item.added") if envelope["item"]["type"] == "function_call" => {
            let item = &envelope["item"];
            assembly.open(index, &text(&item["call_id"]), &text(&item["name"]));
        }
        (_, "content_block_stop" | "response.function_call_arguments.done") => assembly.stop(index),
        _ => {}
    }
}

/// async-openai's own types; for Anthropic the tagged enums that clients usually have.
fn async_openai(wire: Wire, data: &[u8], assembly: &mut Assembly) {
    use async_openai::types::chat::CreateChatCompletionStreamResponse;
    use async_openai::types::responses::{OutputItem, ResponseStreamEvent};

    match wire {
        Wire::Chat => {
            let chunk: CreateChatCompletionStreamResponse =
                serde_json::from_slice(data).expect("a chunk");
            for choice in chunk.choices {
                assembly.text(choice.delta.content.as_deref().unwrap_or_default());
                for call in choice.delta.tool_calls.into_iter().flatten() {
                    let index = u64::from(call.index);
                    let function = call.function.unwrap_or_default();
                    if let Some(id) = call.id {
                        assembly.open(index, &id, &function.name.unwrap_or_default());
                    }
                    assembly.fragment(index, &function.arguments.unwrap_or_default());
                }
                if choice.finish_reason.is_some() {
                    assembly.stop_all();
                }
            }
        }
        Wire::Anthropic => tagged::read(data, assembly),
        Wire::Responses => match serde_json::from_slice(data).expect("an event") {
            ResponseStreamEvent::ResponseFunctionCallArgumentsDelta(event) => {
                assembly.fragment(u64::from(event.output_index), &event.delta);
            }
            ResponseStreamEvent::ResponseOutputTextDelta(event) => assembly.text(&event.delta),
            ResponseStreamEvent::ResponseOutputItemAdded(event) => {
                if let OutputItem::FunctionCall(call) = event.item {
                    assembly.open(u64::from(event.output_index), &call.call_id, &call.name);
                }
            }
            ResponseStreamEvent::ResponseFunctionCallArgumentsDone(event) => {
                assembly.stop(u64::from(event.output_index));
            }
            _ => {}
        },
    }
}

mod tagged {
    use serde::Deserialize;
    use serde_json::Value;

    use super::Assembly;

    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Event {
        MessageStart { message: Value },
        ContentBlockStart { index: u64, content_block: Block },
        ContentBlockDelta { index: u64, delta: Delta },
        ContentBlockStop { index: u64 },
        MessageDelta { delta: Value, usage: Value },
        MessageStop,
        Ping,
    }

    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Block {
        Text { text: String },
        Thinking { thinking: String, signature: Option<String> },
        ToolUse { id: String, name: String, input: Value },
    }

    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Delta {
        TextDelta { text: String },
        InputJsonDelta { partial_json: String },
        ThinkingDelta { thinking: String },
        SignatureDelta { signature: String },
    }

    pub fn read(data: &[u8], assembly: &mut Assembly) {
        match serde_json::from_slice(data).expect("an event") {
            Event::ContentBlockDelta { index, delta } => match delta {
                Delta::InputJsonDelta { partial_json } => assembly.fragment(index, &partial_json),
                Delta::TextDelta { text } => assembly.text(&text),
                Delta::ThinkingDelta { thinking } => assembly.text(&thinking),
                Delta::SignatureDelta { .. } => {}
            },
            Event::ContentBlockStart { index, content_block: Block::ToolUse { id, name, .. } } => {
                assembly.open(index, &id, &name);
            }
            Event::ContentBlockStop { index } => assembly.stop(index),
            _ => {}
        }
    }
}

/// jiter's iterator, which gives keys borrowed from itself: so each becomes a number at once.
fn jiter(_: Wire, data: &[u8], assembly: &mut Assembly) {
    read_jiter(&mut jiter::Jiter::new(data), assembly).expect("a chunk");
}

#[derive(Clone, Copy)]
enum Key {
    Choices,
    Delta,
    Content,
    ToolCalls,
    Index,
    Id,
    Function,
    Name,
    Arguments,
    FinishReason,
    Other,
}

fn key(name: &str) -> Key {
    match name {
        "choices" => Key::Choices,
        "delta" => Key::Delta,
        "content" => Key::Content,
        "tool_calls" => Key::ToolCalls,
        "index" => Key::Index,
        "id" => Key::Id,
        "function" => Key::Function,
        "name" => Key::Name,
        "arguments" => Key::Arguments,
        "finish_reason" => Key::FinishReason,
        _ => Key::Other,
    }
}

macro_rules! members {
    ($json:ident, { $($pattern:pat => $value:expr,)* }) => {
        let mut next = $json.next_object()?.map(key);
        while let Some(key) = next {
            match key {
                $($pattern => $value,)*
                _ => $json.next_skip()?,
            }
            next = $json.next_key()?.map(self::key);
        }
    };
}

macro_rules! elements {
    ($json:ident, $value:block) => {
        let mut next = $json.next_array()?;
        while next.is_some() {
            $value
            next = $json.array_step()?;
        }
    };
}

fn read_jiter(
    json: &mut jiter::Jiter<'_>,
    assembly: &mut Assembly,
) -> Result<(), jiter::JiterError> {
    let mut stops = false;
    members!(json, {
        Key::Choices => {
            elements!(json, {
                members!(json, {
                    Key::Delta => {
                        members!(json, {
                            Key::Content => {
                                if json.peek()? == jiter::Peek::String {
                                    assembly.text(json.known_str()?);
                                } else {
                                    json.next_skip()?;
                                }
                            },
                            Key::ToolCalls => {
                                elements!(json, { read_jiter_call(json, assembly)?; });
                            },
                        });
                    },
                    Key::FinishReason => {
                        stops |= json.peek()? == jiter::Peek::String;
                        json.next_skip()?;
                    },
                });
            });
        },
    });
    json.finish()?;
    if stops {
        assembly.stop_all();
    }
    Ok(())
}

fn read_jiter_call(
    json: &mut jiter::Jiter<'_>,
    assembly: &mut Assembly,
) -> Result<(), jiter::JiterError> {
    let mut index = 0;
    members!(json, {
        Key::Index => match json.next_int()? {
            jiter::NumberInt::Int(number) => index = number as u64,
        },
        Key::Id => assembly.open(index, json.next_str()?, ""),
        Key::Function => {
            members!(json, {
                Key::Name => assembly.open(index, "", json.next_str()?),
                Key::Arguments => assembly.fragment(index, json.next_str()?),
            });
        },
    });
    Ok(())
}
