//! Anthropic Messages.
//!
//! Source: Anthropic API reference, "Streaming messages". The JSON's own `type` decides, since
//! proxies drop or change the `event:` line; the event's name counts only where there is no type.

use super::delta::{Block, Call, Channel, Delta, Failure, Owner, Sink};
use super::envelope::Envelope;
use super::extra_name::ExtraName;
use super::fields::{Key, Kind, Node, Token, branch, items, leaf};
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
    Index,
    Message,
    Id,
    Model,
    Content,
    StopReason,
    Usage,
    Block,
    Name,
    Input,
    Text,
    Thinking,
    Delta,
    PartialJson,
    Error,
    ErrorMessage,
    Code,
    Signature,
    /// Goes back with the call.
    Extra(ExtraName),
}

const fn extra(name: ExtraName) -> Key<Field> {
    leaf(name.as_str(), Field::Extra(name))
}

static ROOT: Node<Field> = Node {
    keys: &[
        leaf("type", Field::Type),
        leaf("index", Field::Index),
        branch("delta", Field::Delta, &DELTA),
        branch("content_block", Field::Block, &BLOCK),
        branch("message", Field::Message, &MESSAGE),
        leaf("usage", Field::Usage),
        branch("error", Field::Error, &ERROR),
    ],
};
static DELTA: Node<Field> = Node {
    keys: &[
        leaf("type", Field::Type),
        leaf("partial_json", Field::PartialJson),
        leaf("text", Field::Text),
        leaf("thinking", Field::Thinking),
        leaf("signature", Field::Signature),
        leaf("stop_reason", Field::StopReason),
    ],
};
static BLOCK: Node<Field> = Node {
    keys: &[
        leaf("type", Field::Type),
        leaf("id", Field::Id),
        leaf("name", Field::Name),
        leaf("input", Field::Input),
        leaf("text", Field::Text),
        leaf("thinking", Field::Thinking),
        leaf("signature", Field::Signature),
        extra(ExtraName::Caller),
        extra(ExtraName::ToolsetName),
        extra(ExtraName::ServerName),
    ],
};
static MESSAGE: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        leaf("model", Field::Model),
        branch("content", Field::Content, &BLOCK),
        leaf("stop_reason", Field::StopReason),
        leaf("usage", Field::Usage),
        branch("error", Field::Error, &ERROR),
    ],
};
static ERROR: Node<Field> = Node {
    keys: &[
        leaf("type", Field::Type),
        leaf("message", Field::ErrorMessage),
        leaf("code", Field::Code),
    ],
};

/// What an event is, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventType {
    MessageStart,
    BlockStart,
    BlockDelta,
    BlockStop,
    MessageDelta,
    MessageStop,
    Ping,
    Error,
}

impl EventType {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"content_block_delta" => EventType::BlockDelta,
            b"content_block_start" => EventType::BlockStart,
            b"content_block_stop" => EventType::BlockStop,
            b"message_delta" => EventType::MessageDelta,
            b"message_start" => EventType::MessageStart,
            b"message_stop" => EventType::MessageStop,
            b"ping" => EventType::Ping,
            b"error" => EventType::Error,
            _ => return None,
        })
    }
}

/// Whether an envelope is one of these.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    match head.text("type") {
        b"" => EventType::named(head.frame.name).is_some_and(|named| named != EventType::Error),
        b"error" => head.has("error"),
        b"message" => head.has("content"),
        name => EventType::named(name).is_some(),
    }
}

impl Reader {
    /// Reads one event.
    pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data.trim_ascii();
        // Gateways end this stream, too, with OpenAI's sentinel.
        if data.is_empty() || is_done(data) {
            return Ok(());
        }
        let told = self.envelope.tell(&frame, &ROOT, sink, |tokens, sink| {
            speak(frame, tokens, sink);
            true
        });
        let is_known =
            |name: &[u8]| matches!(name, b"" | b"message") || EventType::named(name).is_some();
        match told {
            Err(fault) if is_known(frame.name) => return Err(fault.into()),
            Err(_) => sink.delta(Delta::Other),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Reads a message that was not streamed.
    pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data;
        let tokens = self.envelope.read(data, &MESSAGE)?;
        let error = items(tokens).find(|(token, _)| token.field == Field::Error);
        match error.filter(|(token, _)| token.kind != Kind::Null) {
            Some(error) => speak_error(data, Some(error), sink),
            None => {
                speak_message(data, tokens, sink);
                sink.delta(Delta::Done);
            }
        }
        Ok(())
    }
}

fn speak(frame: Frame<'_>, tokens: &[Token<Field>], sink: &mut impl Sink) {
    let data = frame.data;
    let mut event_type = None;
    let mut typed = false;
    let mut block = Block::at(0);
    let mut fields: &[Token<Field>] = &[];
    let mut body = None;
    let mut usage = None;
    let mut error = None;
    for (token, inside) in items(tokens) {
        match token.field {
            Field::Type => {
                if let Some(name) = token.filled(data) {
                    typed = true;
                    event_type = EventType::named(name.bytes);
                }
            }
            Field::Index => block.index = Some(token.integer(data).unwrap_or(0)),
            Field::Delta | Field::Block | Field::Message if token.kind == Kind::Object => {
                body = Some(token);
                fields = inside;
            }
            Field::Usage if token.kind == Kind::Object => usage = Some(token.bytes(data)),
            Field::Error if token.kind != Kind::Null => error = Some((token, inside)),
            _ => {}
        }
    }
    if !typed {
        event_type = EventType::named(frame.name);
    }
    // An error in a gateway's own shape has no type, or one that no Anthropic event has.
    let is_foreign_error = error.is_some() && (!typed || event_type.is_none());
    if event_type == Some(EventType::Error) || is_foreign_error {
        return speak_error(data, error, sink);
    }
    match event_type {
        Some(EventType::MessageStart) => speak_message(data, fields, sink),
        Some(EventType::BlockStart) => speak_block_start(data, block, body, fields, sink),
        Some(EventType::BlockDelta) => speak_block_delta(data, block, fields, sink),
        Some(EventType::BlockStop) => sink.delta(Delta::Close(block)),
        Some(EventType::MessageDelta) => speak_stop_reason(data, fields, sink),
        Some(EventType::MessageStop) => sink.delta(Delta::Done),
        Some(EventType::Ping) => return,
        Some(EventType::Error) | None => return sink.delta(Delta::Other),
    }
    if let Some(json) = usage {
        sink.delta(Delta::Usage { json });
    }
}

fn speak_error(data: &[u8], error: Option<(Token<Field>, &[Token<Field>])>, sink: &mut impl Sink) {
    let [mut kind, mut code, mut message] = [Text::default(); 3];
    if let Some((token, fields)) = error {
        message = token.text(data).unwrap_or_default();
        for (token, _) in items(fields) {
            match token.field {
                Field::Type => kind = token.text(data).unwrap_or_default(),
                Field::ErrorMessage => message = token.text(data).unwrap_or_default(),
                Field::Code if token.kind == Kind::Number => {
                    code = Text { bytes: token.bytes(data), escaped: false };
                }
                Field::Code => code = token.text(data).unwrap_or_default(),
                _ => {}
            }
        }
    }
    let kind = if kind.is_empty() { code } else { kind };
    sink.delta(Delta::Failure(Failure { kind, message, json: data }));
}

/// A message's start. A resumed message holds whole blocks and its stop reason already.
fn speak_message(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    let (mut id, mut model) = (Text::default(), Text::default());
    for (token, _) in items(fields) {
        match token.field {
            Field::Id => id = token.text(data).unwrap_or_default(),
            Field::Model => model = token.text(data).unwrap_or_default(),
            _ => {}
        }
    }
    sink.delta(Delta::MessageStart { id, model });
    let content = items(fields).filter(|(token, _)| token.field == Field::Content);
    for (token, inside) in content {
        speak_block_start(data, Block::default(), Some(token), inside, sink);
    }
    speak_stop_reason(data, fields, sink);
}

fn speak_stop_reason(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    for (token, _) in items(fields) {
        match token.field {
            Field::StopReason => {
                if let Some(reason) = token.filled(data) {
                    sink.delta(Delta::Stop { choice: 0, reason });
                }
            }
            Field::Usage if token.kind == Kind::Object => {
                sink.delta(Delta::Usage { json: token.bytes(data) });
            }
            _ => {}
        }
    }
}

/// A block's start; without a number, a whole block.
fn speak_block_start(
    data: &[u8],
    block: Block<'_>,
    body: Option<Token<Field>>,
    fields: &[Token<Field>],
    sink: &mut impl Sink,
) {
    let mut call = Call { block, ..Call::default() };
    let is_whole = block.index.is_none();
    let mut block_type = Text::default();
    let [mut text, mut thinking] = [None; 2];
    let mut signature = None;
    for (token, _) in items(fields) {
        match token.field {
            Field::Type => block_type = token.text(data).unwrap_or_default(),
            Field::Id => call.id = token.filled(data),
            Field::Name => call.name = token.filled(data),
            Field::Input if matches!(token.kind, Kind::Object | Kind::Array) => {
                let written = token.bytes(data);
                let is_placeholder = !is_whole
                    && written.iter().filter(|byte| !byte.is_ascii_whitespace()).eq(b"{}");
                call.input = (!is_placeholder).then_some(Text { bytes: written, escaped: false });
            }
            Field::Input => {
                call.input = token.filled(data);
                call.warning = call.input.map(|_| Warning::ArgumentsAsString);
            }
            Field::Text => text = token.filled(data),
            Field::Thinking => thinking = token.filled(data),
            Field::Signature => signature = token.filled(data).map(|_| token),
            _ => {}
        }
    }
    call.kind = match block_type.bytes {
        b"tool_use" => CallKind::Function,
        b"server_tool_use" => CallKind::Server,
        b"mcp_tool_use" => CallKind::Mcp,
        _ => {
            sink.delta(Delta::OpenOther(block));
            for (channel, text) in [(Channel::Content, text), (Channel::Reasoning, thinking)] {
                if let Some(text) = text {
                    sink.delta(Delta::Text { choice: 0, channel, text });
                }
            }
            let owner = Owner::Message { choice: 0 };
            if let Some(token) = signature {
                let name = Text::plain("signature");
                sink.delta(Delta::Extra { owner, name, json: token.json(data) });
            }
            // Redacted thinking, results of server tools: whole blocks that must go back unchanged.
            if let Some(block) = body.filter(|_| !matches!(block_type.bytes, b"text" | b"thinking"))
            {
                sink.delta(Delta::Extra { owner, name: block_type, json: block.bytes(data) });
            }
            return;
        }
    };
    sink.delta(if is_whole { Delta::Whole(call) } else { Delta::Open(call) });
    for (token, _) in items(fields) {
        if let (Field::Extra(name), false) = (token.field, token.kind == Kind::Null) {
            let name = Text::plain(name.as_str());
            sink.delta(Delta::Extra { owner: Owner::Call, name, json: token.json(data) });
        }
    }
}

fn speak_block_delta(data: &[u8], block: Block<'_>, fields: &[Token<Field>], sink: &mut impl Sink) {
    let mut delta_type = Text::default();
    let [mut partial_json, mut text, mut thinking] = [None; 3];
    for (token, _) in items(fields) {
        match token.field {
            Field::Type => delta_type = token.text(data).unwrap_or_default(),
            Field::PartialJson => partial_json = token.text(data),
            Field::Text => text = token.text(data),
            Field::Thinking => thinking = token.text(data),
            _ => {}
        }
    }
    let (channel, text) = match delta_type.bytes {
        b"input_json_delta" => {
            return sink.delta(Delta::Fragment { block, text: partial_json });
        }
        b"text_delta" => (Channel::Content, text),
        b"thinking_delta" => (Channel::Reasoning, thinking),
        b"signature_delta" => {
            let signature = items(fields).find(|(token, _)| token.field == Field::Signature);
            if let Some((token, _)) = signature {
                let (owner, name) = (Owner::Message { choice: 0 }, Text::plain("signature"));
                sink.delta(Delta::Extra { owner, name, json: token.json(data) });
            }
            return;
        }
        _ => return sink.delta(Delta::Other),
    };
    sink.delta(Delta::BlockWarning { block, warning: Warning::WrongDeltaKind });
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        sink.delta(Delta::Text { choice: 0, channel, text });
    }
}
