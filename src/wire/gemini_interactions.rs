//! Google Gemini Interactions.
//!
//! Source: Gemini API reference, Interactions, "Streaming". The JSON's own `event_type` decides. An
//! interaction is a row of numbered steps; a call is a step, its arguments come in fragments.

use super::delta::{Block, Call, Channel, Delta, Failure, Owner, Sink};
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
    EventType,
    Index,
    Delta,
    Step,
    Interaction,
    Error,
    Type,
    Text,
    Arguments,
    Signature,
    Content,
    Id,
    Name,
    Status,
    Model,
    Usage,
}

static ROOT: Node<Field> = Node {
    keys: &[
        leaf("index", Field::Index),
        branch("delta", Field::Delta, &DELTA),
        branch("step", Field::Step, &STEP),
        branch("interaction", Field::Interaction, &INTERACTION),
        leaf("error", Field::Error),
        leaf("event_type", Field::EventType),
    ],
};
static DELTA: Node<Field> = Node {
    keys: &[
        leaf("text", Field::Text),
        leaf("arguments", Field::Arguments),
        leaf("signature", Field::Signature),
        branch("content", Field::Content, &CONTENT),
        leaf("type", Field::Type),
    ],
};
static STEP: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        leaf("type", Field::Type),
        leaf("name", Field::Name),
        leaf("arguments", Field::Arguments),
        leaf("signature", Field::Signature),
        leaf("text", Field::Text),
        branch("content", Field::Content, &CONTENT),
        branch("summary", Field::Content, &CONTENT),
    ],
};
static CONTENT: Node<Field> = Node { keys: &[leaf("text", Field::Text)] };
static INTERACTION: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        leaf("status", Field::Status),
        leaf("model", Field::Model),
        leaf("usage", Field::Usage),
        leaf("error", Field::Error),
        branch("steps", Field::Step, &STEP),
        branch("outputs", Field::Step, &STEP),
    ],
};

/// What an event is, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventType {
    Created,
    StepStart,
    StepDelta,
    StepStop,
    Completed,
    Error,
}

impl EventType {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"step.delta" => EventType::StepDelta,
            b"step.start" => EventType::StepStart,
            b"step.stop" => EventType::StepStop,
            b"interaction.created" => EventType::Created,
            b"interaction.completed" => EventType::Completed,
            b"error" => EventType::Error,
            _ => return None,
        })
    }
}

/// Whether an envelope is one of these.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let is_ours = |name: &[u8]| name.starts_with(b"interaction.") || name.starts_with(b"step.");
    head.has("event_type") || is_ours(head.frame.name) || head.text("object") == b"interaction"
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
            Err(_) => sink.delta(Delta::Other),
        }
        Ok(())
    }

    /// Reads an interaction that was not streamed.
    pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data;
        let tokens = self.envelope.read(data, &INTERACTION)?;
        start(data, tokens, sink);
        for (token, fields) in items(tokens).filter(|(token, _)| token.field == Field::Step) {
            let step = Step::read(data, token, fields);
            if step.is_call() {
                let warning = step.as_string.then_some(Warning::ArgumentsAsString);
                sink.delta(Delta::Whole(Call { warning, ..step.call(None) }));
                step.speak_signature(Owner::Call, sink);
                continue;
            }
            speak_texts(data, step.channel(), fields, sink);
            step.speak_signature(Owner::Message { choice: 0 }, sink);
            if !step.is_text() {
                let (owner, json) = (Owner::Message { choice: 0 }, token.bytes(data));
                sink.delta(Delta::Extra { owner, name: step.step_type, json });
            }
        }
        finish(data, tokens, sink);
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
    let mut body: (Option<Token<Field>>, &[Token<Field>]) = (None, &[]);
    let mut has_error = false;
    let mut typed = false;
    for (token, inside) in items(tokens) {
        match token.field {
            Field::EventType => {
                if let Some(name) = token.filled(data) {
                    typed = true;
                    event_type = EventType::named(name.bytes);
                }
            }
            Field::Index => block.index = token.integer(data),
            Field::Delta | Field::Step | Field::Interaction if token.kind == Kind::Object => {
                body = (Some(token), inside);
            }
            Field::Error => has_error = !matches!(token.kind, Kind::Null | Kind::False),
            _ => {}
        }
    }
    if has_error && (!typed || event_type.is_none()) {
        event_type = Some(EventType::Error);
    }
    let (token, fields) = body;
    match (event_type, token) {
        (Some(EventType::StepDelta), Some(_)) => speak_delta(data, block, fields, sink),
        (Some(EventType::StepStart), Some(token)) => {
            let step = Step::read(data, token, fields);
            if step.is_call() {
                sink.delta(Delta::Open(step.call(block.index)));
                return step.speak_signature(Owner::Call, sink);
            }
            sink.delta(Delta::OpenOther(block));
            step.speak_signature(Owner::Message { choice: 0 }, sink);
            speak_texts(data, step.channel(), fields, sink);
            if !step.is_text() {
                sink.delta(Delta::Other);
            }
        }
        (Some(EventType::StepStop), _) => sink.delta(Delta::Close(block)),
        (Some(EventType::Created), _) => start(data, fields, sink),
        (Some(EventType::Completed), _) => finish(data, fields, sink),
        (Some(EventType::Error), _) => {
            sink.delta(Delta::Failure(Failure::read(data, &["code", "status"])));
        }
        _ => sink.delta(Delta::Other),
    }
}

fn speak_delta(data: &[u8], block: Block<'_>, fields: &[Token<Field>], sink: &mut impl Sink) {
    let mut delta_type = Text::default();
    let [mut text, mut arguments] = [None; 2];
    let mut signature = None;
    for (token, _) in items(fields) {
        match token.field {
            Field::Type => delta_type = token.text(data).unwrap_or_default(),
            Field::Text => text = token.filled(data),
            Field::Arguments => arguments = token.text(data),
            Field::Signature if token.filled(data).is_some() => signature = Some(token),
            _ => {}
        }
    }
    match delta_type.bytes {
        b"arguments_delta" => sink.delta(Delta::Fragment { block, text: arguments }),
        b"text" => {
            if let Some(text) = text {
                sink.delta(Delta::Text { choice: 0, channel: Channel::Content, text });
            }
        }
        b"thought_summary" => speak_texts(data, Channel::Reasoning, fields, sink),
        b"thought_signature" => {
            let owner = Owner::Message { choice: 0 };
            if let Some(token) = signature {
                let name = Text::plain("signature");
                sink.delta(Delta::Extra { owner, name, json: token.json(data) });
            }
        }
        _ => sink.delta(Delta::Other),
    }
}

/// Text that stands in a step or in its content.
fn speak_texts(data: &[u8], channel: Channel, fields: &[Token<Field>], sink: &mut impl Sink) {
    for (token, inside) in items(fields) {
        match token.field {
            Field::Content => speak_texts(data, channel, inside, sink),
            Field::Text => {
                if let Some(text) = token.filled(data) {
                    sink.delta(Delta::Text { choice: 0, channel, text });
                }
            }
            _ => {}
        }
    }
}

fn start(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    let (mut id, mut model) = (Text::default(), Text::default());
    for (token, _) in items(fields) {
        match token.field {
            Field::Id => id = token.text(data).unwrap_or_default(),
            Field::Model => model = token.text(data).unwrap_or_default(),
            _ => {}
        }
    }
    sink.delta(Delta::MessageStart { id, model });
}

fn finish(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    let mut status = None;
    let [mut usage, mut error] = [None; 2];
    for (token, _) in items(fields) {
        match token.field {
            Field::Status => status = token.filled(data),
            Field::Usage if token.kind == Kind::Object => usage = Some(token.bytes(data)),
            Field::Error if token.kind != Kind::Null => error = Some(token.json(data)),
            _ => {}
        }
    }
    if error.is_some() || status.is_some_and(|status| status == *"failed") {
        let json = error.unwrap_or_default();
        let mut failure = Failure::read(json, &["code", "status"]);
        if failure.kind.is_empty() {
            failure.kind = Text::plain("failed");
        }
        sink.delta(Delta::Failure(failure));
    }
    if let Some(reason) = status {
        sink.delta(Delta::Stop { choice: 0, reason });
    }
    if let Some(json) = usage {
        sink.delta(Delta::Usage { json });
    }
    sink.delta(Delta::Done);
}

/// A step, as its start or a whole interaction has it.
struct Step<'a> {
    step_type: Text<'a>,
    id: Option<Text<'a>>,
    name: Option<Text<'a>>,
    input: Option<Text<'a>>,
    as_string: bool,
    signature: Option<&'a [u8]>,
}

impl<'a> Step<'a> {
    fn read(data: &'a [u8], _step: Token<Field>, fields: &[Token<Field>]) -> Self {
        let mut step = Step {
            step_type: Text::default(),
            id: None,
            name: None,
            input: None,
            as_string: false,
            signature: None,
        };
        for (token, _) in items(fields) {
            match token.field {
                Field::Type => step.step_type = token.text(data).unwrap_or_default(),
                Field::Id => step.id = token.filled(data),
                Field::Name => step.name = token.filled(data),
                Field::Arguments if token.kind == Kind::Object => {
                    step.input = Some(Text { bytes: token.bytes(data), escaped: false });
                }
                Field::Arguments => {
                    step.input = token.filled(data);
                    step.as_string = step.input.is_some();
                }
                Field::Signature if token.filled(data).is_some() => {
                    step.signature = Some(token.json(data));
                }
                _ => {}
            }
        }
        step
    }

    fn is_call(&self) -> bool {
        self.step_type == *"function_call"
    }

    fn is_text(&self) -> bool {
        matches!(self.step_type.bytes, b"thought" | b"model_output" | b"text")
    }

    fn channel(&self) -> Channel {
        match self.step_type.bytes {
            b"thought" => Channel::Reasoning,
            _ => Channel::Content,
        }
    }

    /// The call; in a block, `{}` is a placeholder.
    fn call(&self, index: Option<i64>) -> Call<'a> {
        let is_placeholder =
            |input: &Text<'_>| index.is_some() && input.bytes.trim_ascii() == b"{}";
        Call {
            block: Block { choice: 0, index, id: None },
            kind: CallKind::Function,
            id: self.id,
            name: self.name,
            input: self.input.filter(|input| !is_placeholder(input)),
            warning: None,
        }
    }

    fn speak_signature(&self, owner: Owner, sink: &mut impl Sink) {
        if let Some(json) = self.signature {
            sink.delta(Delta::Extra { owner, name: Text::plain("signature"), json });
        }
    }
}
