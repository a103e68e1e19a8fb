//! Types that borrow what they can and name only the fields that are needed, for serde and for all
//! that speaks serde.

use std::borrow::Cow;

use serde::Deserialize;

use super::assembly::Assembly;
use super::captures::Wire;

/// serde borrows a `Cow` inside an `Option` only through a type of its own.
#[derive(Deserialize, Default)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn text<'a>(text: &'a Option<Text<'a>>) -> &'a str {
    text.as_ref().map_or("", |text| &text.0)
}

#[derive(Deserialize)]
pub struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: ChatDelta<'a>,
    #[serde(borrow)]
    finish_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct ChatDelta<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    tool_calls: Option<Vec<ChatCall<'a>>>,
}

#[derive(Deserialize)]
struct ChatCall<'a> {
    index: u64,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub struct AnthropicEvent<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: Option<BlockDelta<'a>>,
    #[serde(borrow)]
    content_block: Option<Block<'a>>,
}

#[derive(Deserialize)]
struct BlockDelta<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    thinking: Option<Text<'a>>,
    #[serde(borrow)]
    partial_json: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub struct ResponsesEvent<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    output_index: u64,
    #[serde(borrow)]
    delta: Option<Text<'a>>,
    #[serde(borrow)]
    item: Option<Item<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    call_id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
}

impl Chunk<'_> {
    pub fn take(self, assembly: &mut Assembly) {
        for choice in self.choices {
            assembly.text(text(&choice.delta.content));
            for call in choice.delta.tool_calls.into_iter().flatten() {
                let function = call.function.as_ref();
                if call.id.is_some() {
                    let name = function.map_or("", |function| text(&function.name));
                    assembly.open(call.index, text(&call.id), name);
                }
                if let Some(arguments) = function.and_then(|function| function.arguments.as_ref()) {
                    assembly.fragment(call.index, &arguments.0);
                }
            }
            if choice.finish_reason.is_some() {
                assembly.stop_all();
            }
        }
    }
}

impl AnthropicEvent<'_> {
    pub fn take(self, assembly: &mut Assembly) {
        match (&*self.kind, self.delta, self.content_block) {
            ("content_block_delta", Some(delta), _) => match text(&delta.kind) {
                "input_json_delta" => assembly.fragment(self.index, text(&delta.partial_json)),
                "text_delta" => assembly.text(text(&delta.text)),
                "thinking_delta" => assembly.text(text(&delta.thinking)),
                _ => {}
            },
            ("content_block_start", _, Some(block)) if block.kind == "tool_use" => {
                assembly.open(self.index, text(&block.id), text(&block.name));
            }
            ("content_block_stop", ..) => assembly.stop(self.index),
            _ => {}
        }
    }
}

impl ResponsesEvent<'_> {
    pub fn take(self, assembly: &mut Assembly) {
        match (&*self.kind, self.item) {
            ("response.function_call_arguments.delta", _) => {
                assembly.fragment(self.output_index, text(&self.delta));
            }
            ("response.output_text.delta", _) => assembly.text(text(&self.delta)),
            ("response.output_item.added", Some(item)) if item.kind == "function_call" => {
                assembly.open(self.output_index, text(&item.call_id), text(&item.name));
            }
            ("response.function_call_arguments.done", _) => assembly.stop(self.output_index),
            _ => {}
        }
    }
}

/// A function that reads an envelope with `$parse`, which turns its bytes into any of the types.
macro_rules! read_typed {
    ($wire:expr, $assembly:expr, $parse:expr) => {
        match $wire {
            Wire::Chat => Chunk::take($parse.expect("a chunk"), $assembly),
            Wire::Anthropic => AnthropicEvent::take($parse.expect("an event"), $assembly),
            Wire::Responses => ResponsesEvent::take($parse.expect("an event"), $assembly),
        }
    };
}

pub fn serde_json_slice(wire: Wire, data: &[u8], assembly: &mut Assembly) {
    read_typed!(wire, assembly, serde_json::from_slice(data));
}

pub fn serde_json_str(wire: Wire, data: &[u8], assembly: &mut Assembly) {
    let data = simdutf8::basic::from_utf8(data).expect("UTF-8");
    read_typed!(wire, assembly, serde_json::from_str(data));
}

pub fn sonic_rs(wire: Wire, data: &[u8], assembly: &mut Assembly) {
    read_typed!(wire, assembly, sonic_rs::from_slice(data));
}

/// simd-json writes into its input, and keeps buffers.
pub struct SimdJson {
    input: Vec<u8>,
    buffers: simd_json::Buffers,
}

impl SimdJson {
    pub fn new() -> Self {
        SimdJson { input: Vec::new(), buffers: simd_json::Buffers::new(1 << 16) }
    }

    pub fn read(&mut self, wire: Wire, data: &[u8], assembly: &mut Assembly) {
        self.input.clear();
        self.input.extend_from_slice(data);
        let (input, buffers) = (&mut self.input[..], &mut self.buffers);
        read_typed!(wire, assembly, simd_json::serde::from_slice_with_buffers(input, buffers));
    }
}
