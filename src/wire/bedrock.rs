//! AWS Bedrock `ConverseStream` and `InvokeModelWithResponseStream`.
//!
//! Source: Amazon Bedrock API reference, `ConverseStream` and `InvokeModelWithResponseStream`. On the
//! wire an event's type is a header of its frame and the payload is the event. Recordings of decoded
//! events have the type as an outer key (`{"messageStop":{…}}`) or beside the payload
//! (`{":event-type":…,"payload":{…}}`). Text has no start of its own. A `chunk` carries one event in
//! the format of the model's vendor.

use alloc::boxed::Box;
use alloc::vec::Vec;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::delta::{Block, Call, Channel, Delta, Failure, Owner, Sink};
use super::envelope::Envelope;
use super::fields::{Kind, Node, Token, branch, items, leaf};
use super::head::Head;
use super::json::Text;
use super::{Malformed, Reader as AnyReader, anthropic, detect, is_done};
use crate::call::CallKind;
use crate::frame::{Body, Frame, MessageType};
use crate::protocol::Protocol;

/// Reads events.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(super) envelope: Envelope<Field>,
    /// The vendor's event of a chunk, decoded.
    chunk: Vec<u8>,
    /// The reader of these, once an event has told whose they are.
    vendor: Option<Box<AnyReader>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// An event wrapped in its type.
    Wrapped(EventType),
    /// The type beside the payload.
    EventType,
    Payload,
    Index,
    Start,
    Delta,
    StopReason,
    Usage,
    Bytes,
    ToolUse,
    ToolResult,
    Id,
    Name,
    Type,
    Input,
    Text,
    Reasoning,
    Signature,
    Redacted,
    Output,
    Message,
    Content,
}

/// What an event is, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventType {
    MessageStart,
    BlockStart,
    BlockDelta,
    BlockStop,
    MessageStop,
    Metadata,
    Chunk,
}

const EVENTS: &[(&str, EventType)] = &[
    ("contentBlockDelta", EventType::BlockDelta),
    ("chunk", EventType::Chunk),
    ("contentBlockStart", EventType::BlockStart),
    ("contentBlockStop", EventType::BlockStop),
    ("messageStart", EventType::MessageStart),
    ("messageStop", EventType::MessageStop),
    ("metadata", EventType::Metadata),
];

impl EventType {
    fn named(name: &[u8]) -> Option<Self> {
        EVENTS.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, event_type)| *event_type)
    }
}

static ROOT: Node<Field> = Node {
    keys: &[
        branch("contentBlockDelta", Field::Wrapped(EventType::BlockDelta), &PAYLOAD),
        branch("contentBlockStart", Field::Wrapped(EventType::BlockStart), &PAYLOAD),
        branch("contentBlockStop", Field::Wrapped(EventType::BlockStop), &PAYLOAD),
        branch("messageStart", Field::Wrapped(EventType::MessageStart), &PAYLOAD),
        branch("messageStop", Field::Wrapped(EventType::MessageStop), &PAYLOAD),
        branch("metadata", Field::Wrapped(EventType::Metadata), &PAYLOAD),
        branch("chunk", Field::Wrapped(EventType::Chunk), &PAYLOAD),
        leaf(":event-type", Field::EventType),
        branch("payload", Field::Payload, &PAYLOAD),
        leaf("contentBlockIndex", Field::Index),
        branch("delta", Field::Delta, &DELTA),
        branch("start", Field::Start, &START),
        leaf("stopReason", Field::StopReason),
        leaf("usage", Field::Usage),
        leaf("bytes", Field::Bytes),
    ],
};
static PAYLOAD: Node<Field> = Node {
    keys: &[
        leaf("contentBlockIndex", Field::Index),
        branch("delta", Field::Delta, &DELTA),
        branch("start", Field::Start, &START),
        leaf("stopReason", Field::StopReason),
        leaf("usage", Field::Usage),
        leaf("bytes", Field::Bytes),
    ],
};
static START: Node<Field> = Node {
    keys: &[branch("toolUse", Field::ToolUse, &TOOL_USE), leaf("toolResult", Field::ToolResult)],
};
static DELTA: Node<Field> = Node {
    keys: &[
        leaf("text", Field::Text),
        branch("toolUse", Field::ToolUse, &TOOL_USE),
        branch("reasoningContent", Field::Reasoning, &REASONING),
    ],
};
static TOOL_USE: Node<Field> = Node {
    keys: &[
        leaf("toolUseId", Field::Id),
        leaf("name", Field::Name),
        leaf("type", Field::Type),
        leaf("input", Field::Input),
    ],
};
static REASONING: Node<Field> = Node {
    keys: &[
        leaf("text", Field::Text),
        leaf("signature", Field::Signature),
        leaf("redactedContent", Field::Redacted),
        branch("reasoningText", Field::Reasoning, &REASONING_TEXT),
    ],
};
static REASONING_TEXT: Node<Field> =
    Node { keys: &[leaf("text", Field::Text), leaf("signature", Field::Signature)] };
static WHOLE: Node<Field> = Node {
    keys: &[
        branch("output", Field::Output, &OUTPUT),
        leaf("stopReason", Field::StopReason),
        leaf("usage", Field::Usage),
    ],
};
static OUTPUT: Node<Field> = Node { keys: &[branch("message", Field::Message, &MESSAGE)] };
static MESSAGE: Node<Field> = Node { keys: &[branch("content", Field::Content, &CONTENT)] };
static CONTENT: Node<Field> = Node {
    keys: &[
        leaf("text", Field::Text),
        branch("toolUse", Field::ToolUse, &TOOL_USE),
        branch("reasoningContent", Field::Reasoning, &REASONING),
        leaf("toolResult", Field::ToolResult),
    ],
};

/// Whether an envelope is one of these.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    head.body == Body::BinaryEventStream
        || EventType::named(head.frame.name).is_some()
        || EVENTS
            .iter()
            .any(|(name, _)| head.get(name).is_some_and(|value| value.starts_with(b"{")))
        || head.has(":event-type")
        || exception(head).is_some()
        || (head.has("output") && head.has("stopReason"))
}

/// The name of the exception that an envelope wraps.
fn exception<'a>(head: &Head<'a>) -> Option<Text<'a>> {
    head.first().filter(|name| name.bytes.ends_with(b"Exception"))
}

impl Reader {
    /// Reads one event.
    pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        if frame.message != MessageType::Event || frame.name.ends_with(b"Exception") {
            let mut failure = match frame.data.first() {
                Some(b'{') => Failure::read(frame.data, &[]),
                _ => Failure::text(frame.data),
            };
            failure.kind = Text { bytes: frame.name, escaped: false };
            sink.delta(Delta::Failure(failure));
            return Ok(());
        }
        let data = frame.data;
        if data.trim_ascii().is_empty() || is_done(data) {
            return Ok(());
        }
        let tokens = self.envelope.read(data, &ROOT)?;
        let mut event_type = EventType::named(frame.name);
        let mut payload = tokens;
        for (token, inside) in items(tokens) {
            match token.field {
                Field::Wrapped(wrapped) if token.kind == Kind::Object => {
                    event_type = Some(wrapped);
                    payload = inside;
                }
                Field::EventType => {
                    event_type = token.text(data).and_then(|name| EventType::named(name.bytes));
                }
                Field::Payload => payload = inside,
                _ => {}
            }
        }
        match event_type {
            Some(EventType::Chunk) => {
                let found = items(payload).find(|(token, _)| token.field == Field::Bytes);
                let bytes = found.map(|(token, _)| token);
                self.chunk.clear();
                if let Some(token) = bytes {
                    let written = token.text(data).unwrap_or_default().cow();
                    if STANDARD.decode_vec(written.as_bytes(), &mut self.chunk).is_err() {
                        return Err(Malformed { at: token.start as usize });
                    }
                }
                self.read_chunk(frame, sink)?;
            }
            Some(event_type) => speak(data, event_type, payload, sink),
            None => match exception(&Head::of(frame, Body::NdJson)) {
                Some(name) => {
                    let head = Head::of(frame, Body::NdJson);
                    let mut failure = Failure::read(head.value().unwrap_or_default(), &[]);
                    (failure.kind, failure.json) = (name, data);
                    sink.delta(Delta::Failure(failure));
                }
                None => sink.delta(Delta::Other),
            },
        }
        Ok(())
    }

    /// One event of the vendor's.
    fn read_chunk(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let inner = Frame { name: b"", data: &self.chunk, ..frame };
        if self.vendor.is_none() {
            let protocol = detect(&Head::of(inner, Body::EventStream));
            let protocol = protocol.filter(|protocol| *protocol != Protocol::Bedrock);
            self.vendor = protocol.and_then(AnyReader::new).map(Box::new);
        }
        match &mut self.vendor {
            Some(vendor) => vendor.read(inner, sink),
            None => {
                sink.delta(Delta::Other);
                Ok(())
            }
        }
    }

    /// Reads a response that was not streamed: of `Converse`, or an Anthropic model's own.
    pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data;
        if !Head::of(frame, Body::JsonObject).has("output") {
            return anthropic::Reader::default().read_whole(frame, sink);
        }
        let tokens = self.envelope.read(data, &WHOLE)?;
        sink.delta(Delta::MessageStart { id: Text::default(), model: Text::default() });
        let inside = |fields, field| {
            items(fields).find(|(token, _)| token.field == field).map_or(&[][..], |found| found.1)
        };
        let message = inside(inside(tokens, Field::Output), Field::Message);
        for (_, fields) in items(message).filter(|(token, _)| token.field == Field::Content) {
            for (token, inside) in items(fields) {
                match token.field {
                    Field::ToolUse => sink.delta(Delta::Whole(read_call(data, None, inside))),
                    Field::Text => speak_text(data, Channel::Content, token, sink),
                    Field::Reasoning => speak_reasoning(data, inside, sink),
                    Field::ToolResult => speak_extra(data, "toolResult", token, sink),
                    _ => {}
                }
            }
        }
        speak_stop(data, tokens, sink);
        speak_usage(data, tokens, sink);
        sink.delta(Delta::Done);
        Ok(())
    }
}

fn speak(data: &[u8], event_type: EventType, payload: &[Token<Field>], sink: &mut impl Sink) {
    let mut block = Block::at(0);
    let mut body: &[Token<Field>] = &[];
    for (token, inside) in items(payload) {
        match token.field {
            Field::Index => block.index = token.integer(data),
            Field::Delta | Field::Start => body = inside,
            _ => {}
        }
    }
    match event_type {
        EventType::BlockDelta => speak_delta(data, block, body, sink),
        EventType::BlockStart => {
            let tool_use = items(body).find(|(token, _)| token.field == Field::ToolUse);
            match tool_use {
                Some((_, fields)) => sink.delta(Delta::Open(read_call(data, block.index, fields))),
                None => {
                    sink.delta(Delta::OpenOther(block));
                    if !body.is_empty() {
                        sink.delta(Delta::Other);
                    }
                }
            }
        }
        EventType::BlockStop => sink.delta(Delta::Close(block)),
        EventType::MessageStart => {
            sink.delta(Delta::MessageStart { id: Text::default(), model: Text::default() });
        }
        EventType::MessageStop => {
            speak_stop(data, payload, sink);
            sink.delta(Delta::Done);
        }
        EventType::Metadata => speak_usage(data, payload, sink),
        EventType::Chunk => {}
    }
}

fn speak_delta(data: &[u8], block: Block<'_>, fields: &[Token<Field>], sink: &mut impl Sink) {
    let mut is_known = false;
    for (token, inside) in items(fields) {
        match token.field {
            Field::ToolUse => {
                let input = items(inside).find(|(token, _)| token.field == Field::Input);
                let text = input.and_then(|(token, _)| token.text(data));
                sink.delta(Delta::Fragment { block, text });
            }
            Field::Text => speak_text(data, Channel::Content, token, sink),
            Field::Reasoning => speak_reasoning(data, inside, sink),
            _ => continue,
        }
        is_known = true;
    }
    if !is_known {
        sink.delta(Delta::Other);
    }
}

fn speak_text(data: &[u8], channel: Channel, token: Token<Field>, sink: &mut impl Sink) {
    if let Some(text) = token.filled(data) {
        sink.delta(Delta::Text { choice: 0, channel, text });
    }
}

fn speak_reasoning(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    for (token, inside) in items(fields) {
        match token.field {
            Field::Text => speak_text(data, Channel::Reasoning, token, sink),
            Field::Signature => speak_extra(data, "signature", token, sink),
            Field::Redacted => speak_extra(data, "redactedContent", token, sink),
            Field::Reasoning => speak_reasoning(data, inside, sink),
            _ => {}
        }
    }
}

fn speak_extra(data: &[u8], name: &'static str, token: Token<Field>, sink: &mut impl Sink) {
    if token.kind != Kind::Null {
        let owner = Owner::Message { choice: 0 };
        sink.delta(Delta::Extra { owner, name: Text::plain(name), json: token.json(data) });
    }
}

/// A call; in a block it has no input yet.
fn read_call<'a>(data: &'a [u8], index: Option<i64>, fields: &[Token<Field>]) -> Call<'a> {
    let mut call = Call { block: Block { choice: 0, index, id: None }, ..Call::default() };
    for (token, _) in items(fields) {
        match token.field {
            Field::Id => call.id = token.filled(data),
            Field::Name => call.name = token.filled(data),
            Field::Type if token.text(data).is_some_and(|text| text == *"server_tool_use") => {
                call.kind = CallKind::Server;
            }
            Field::Input if token.kind == Kind::Object => {
                call.input = Some(Text { bytes: token.bytes(data), escaped: false });
            }
            Field::Input => call.input = token.filled(data),
            _ => {}
        }
    }
    call
}

fn speak_stop(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    for (token, _) in items(fields).filter(|(token, _)| token.field == Field::StopReason) {
        if let Some(reason) = token.filled(data) {
            sink.delta(Delta::Stop { choice: 0, reason });
        }
    }
}

fn speak_usage(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    for (token, _) in items(fields) {
        if token.field == Field::Usage && token.kind == Kind::Object {
            sink.delta(Delta::Usage { json: token.bytes(data) });
        }
    }
}
