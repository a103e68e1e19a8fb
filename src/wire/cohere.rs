//! Cohere v2 chat.
//!
//! Source: Cohere API reference, "Chat with Streaming". The JSON's own `type` decides. Calls have
//! numbers of their own, apart from those of the text, and `tool_calls` is one object in an event
//! and a list in a finished message. The plan that precedes calls is reasoning.

use super::delta::{Block, Call, Channel, Delta, Failure, Sink};
use super::envelope::Envelope;
use super::fields::{Kind, Node, Token, branch, items, leaf};
use super::head::Head;
use super::json::Text;
use super::{Malformed, is_done};
use crate::call::CallKind;
use crate::frame::Frame;
use crate::warning::Warning;

/// Reads events.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(super) envelope: Envelope<Field>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Type,
    Id,
    Index,
    Delta,
    Message,
    FinishReason,
    Error,
    ErrorText,
    Usage,
    Content,
    Text,
    Thinking,
    ToolPlan,
    Call,
    Function,
    Name,
    Arguments,
}

static ROOT: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        leaf("type", Field::Type),
        leaf("index", Field::Index),
        branch("delta", Field::Delta, &DELTA),
        leaf("error", Field::Error),
    ],
};
static DELTA: Node<Field> = Node {
    keys: &[
        branch("message", Field::Message, &MESSAGE),
        leaf("finish_reason", Field::FinishReason),
        leaf("error", Field::ErrorText),
        leaf("usage", Field::Usage),
    ],
};
static WHOLE: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        branch("message", Field::Message, &MESSAGE),
        leaf("finish_reason", Field::FinishReason),
        leaf("error", Field::ErrorText),
        leaf("usage", Field::Usage),
    ],
};
static MESSAGE: Node<Field> = Node {
    keys: &[
        branch("content", Field::Content, &CONTENT),
        leaf("tool_plan", Field::ToolPlan),
        branch("tool_calls", Field::Call, &CALL),
    ],
};
static CONTENT: Node<Field> =
    Node { keys: &[leaf("text", Field::Text), leaf("thinking", Field::Thinking)] };
static CALL: Node<Field> =
    Node { keys: &[leaf("id", Field::Id), branch("function", Field::Function, &FUNCTION)] };
static FUNCTION: Node<Field> =
    Node { keys: &[leaf("name", Field::Name), leaf("arguments", Field::Arguments)] };

/// What an event is, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventType {
    MessageStart,
    Content,
    ToolPlan,
    CallStart,
    CallDelta,
    CallEnd,
    MessageEnd,
    /// Citations and such: they reach the user as they are.
    Other,
    Silent,
}

impl EventType {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"tool-call-delta" => EventType::CallDelta,
            b"content-delta" | b"content-start" => EventType::Content,
            b"tool-plan-delta" => EventType::ToolPlan,
            b"tool-call-start" => EventType::CallStart,
            b"tool-call-end" => EventType::CallEnd,
            b"message-start" => EventType::MessageStart,
            b"message-end" => EventType::MessageEnd,
            b"content-end" => EventType::Silent,
            b"citation-start" | b"citation-end" | b"debug" => EventType::Other,
            _ => return None,
        })
    }
}

/// Whether an envelope is one of these.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    EventType::named(head.text("type")).is_some()
        || (!head.has("type") && EventType::named(head.frame.name).is_some())
        || (head.has("finish_reason") && head.has("message"))
}

impl Reader {
    /// Reads one event.
    pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data.trim_ascii();
        if data.is_empty() || is_done(data) {
            return Ok(());
        }
        let by_name = EventType::named(frame.name);
        match self.envelope.read(frame.data, &ROOT) {
            Ok(tokens) => speak(frame, by_name, tokens, sink),
            Err(fault) if by_name.is_some() || matches!(frame.name, b"" | b"message") => {
                return Err(fault.into());
            }
            Err(_) if frame.name == b"error" => sink.delta(Delta::Failure(Failure::text(data))),
            Err(_) => sink.delta(Delta::Other),
        }
        Ok(())
    }

    /// Reads a response that was not streamed.
    pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data;
        let tokens = self.envelope.read(data, &WHOLE)?;
        speak_start(data, tokens, sink);
        if let Some(message) = message(tokens) {
            speak_text(data, Field::ToolPlan, message, sink);
            speak_content(data, message, sink);
            for (_, call) in calls(message) {
                sink.delta(Delta::Whole(read_call(data, None, call)));
            }
        }
        speak_end(data, tokens, sink);
        Ok(())
    }
}

fn speak(
    frame: Frame<'_>,
    by_name: Option<EventType>,
    tokens: &[Token<Field>],
    sink: &mut impl Sink,
) {
    let data = frame.data;
    let mut event_type = by_name;
    let mut block = Block::at(0);
    let mut delta: &[Token<Field>] = &[];
    let mut has_error = frame.name == b"error";
    for (token, inside) in items(tokens) {
        match token.field {
            Field::Type => {
                if let Some(name) = token.filled(data) {
                    event_type = EventType::named(name.bytes);
                }
            }
            Field::Index => block.index = token.integer(data),
            Field::Delta => delta = inside,
            Field::Error => has_error |= !matches!(token.kind, Kind::Null | Kind::False),
            _ => {}
        }
    }
    let message = message(delta).unwrap_or_default();
    match event_type {
        Some(EventType::CallDelta) => {
            let mut text = None;
            for (_, call) in calls(message) {
                text = read_call(data, None, call).input;
            }
            sink.delta(Delta::Fragment { block, text });
        }
        Some(EventType::Content) => speak_content(data, message, sink),
        Some(EventType::ToolPlan) => speak_text(data, Field::ToolPlan, message, sink),
        Some(EventType::CallStart) => {
            for (_, call) in calls(message) {
                sink.delta(Delta::Open(read_call(data, block.index, call)));
            }
        }
        Some(EventType::CallEnd) => sink.delta(Delta::Close(block)),
        Some(EventType::MessageStart) => speak_start(data, tokens, sink),
        Some(EventType::MessageEnd) => speak_end(data, delta, sink),
        Some(EventType::Silent) => {}
        None if has_error => sink.delta(Delta::Failure(Failure::read(data, &["type", "code"]))),
        Some(EventType::Other) | None => sink.delta(Delta::Other),
    }
}

fn message(fields: &[Token<Field>]) -> Option<&[Token<Field>]> {
    items(fields).find(|(token, _)| token.field == Field::Message).map(|(_, inside)| inside)
}

fn calls(message: &[Token<Field>]) -> impl Iterator<Item = (Token<Field>, &[Token<Field>])> {
    items(message).filter(|(token, _)| token.field == Field::Call && token.kind == Kind::Object)
}

fn read_call<'a>(data: &'a [u8], index: Option<i64>, fields: &[Token<Field>]) -> Call<'a> {
    let mut call = Call {
        block: Block { choice: 0, index, id: None },
        kind: CallKind::Function,
        ..Call::default()
    };
    for (token, inside) in items(fields) {
        match token.field {
            Field::Id => call.id = token.filled(data),
            Field::Function => {
                for (token, _) in items(inside) {
                    match token.field {
                        Field::Name => call.name = token.filled(data),
                        Field::Arguments if matches!(token.kind, Kind::Object | Kind::Array) => {
                            call.input = Some(Text { bytes: token.bytes(data), escaped: false });
                            call.warning = Some(Warning::ArgumentsNotString);
                        }
                        Field::Arguments => call.input = token.text(data),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    call
}

fn speak_start(data: &[u8], tokens: &[Token<Field>], sink: &mut impl Sink) {
    let id = items(tokens).find(|(token, _)| token.field == Field::Id);
    let id = id.and_then(|(token, _)| token.text(data)).unwrap_or_default();
    sink.delta(Delta::MessageStart { id, model: Text::default() });
}

fn speak_content(data: &[u8], message: &[Token<Field>], sink: &mut impl Sink) {
    for (token, inside) in items(message).filter(|(token, _)| token.field == Field::Content) {
        if let Some(text) = token.filled(data) {
            sink.delta(Delta::Text { choice: 0, channel: Channel::Content, text });
        }
        speak_text(data, Field::Thinking, inside, sink);
        speak_text(data, Field::Text, inside, sink);
    }
}

fn speak_text(data: &[u8], field: Field, fields: &[Token<Field>], sink: &mut impl Sink) {
    let channel = match field {
        Field::Text => Channel::Content,
        _ => Channel::Reasoning,
    };
    for (token, _) in items(fields).filter(|(token, _)| token.field == field) {
        if let Some(text) = token.filled(data) {
            sink.delta(Delta::Text { choice: 0, channel, text });
        }
    }
}

fn speak_end(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    let [mut reason, mut error] = [None; 2];
    let mut usage = None;
    for (token, _) in items(fields) {
        match token.field {
            Field::FinishReason => reason = token.filled(data),
            Field::ErrorText => error = token.filled(data),
            Field::Usage if token.kind == Kind::Object => usage = Some(token.bytes(data)),
            _ => {}
        }
    }
    if error.is_some() || reason.is_some_and(|reason| reason == *"ERROR") {
        let kind = reason.unwrap_or_default();
        let message = error.unwrap_or_default();
        sink.delta(Delta::Failure(Failure { kind, message, json: data }));
    }
    if let Some(reason) = reason {
        sink.delta(Delta::Stop { choice: 0, reason });
    }
    if let Some(json) = usage {
        sink.delta(Delta::Usage { json });
    }
    sink.delta(Delta::Done);
}
