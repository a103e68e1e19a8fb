//! OpenAI Responses, as OpenAI and others stream it.
//!
//! Source: OpenAI API reference, "Streaming events" of Responses. The JSON's own `type` decides; the
//! event's name counts only where there is none. Items are announced (`output_item.added`), written
//! in deltas, closed by a snapshot of their arguments (`….done`) and one of the item
//! (`output_item.done`); the terminal event holds the whole response once more. Servers leave out
//! any of these, so each is enough by itself and none counts twice.

use alloc::collections::BTreeSet;

use super::delta::{Block, Call, Channel, Delta, Failure, Owner, Sink};
use super::envelope::Envelope;
use super::extra_name::ExtraName;
use super::fields::{Key, Kind, Node, Token, branch, items, leaf};
use super::head::Head;
use super::json::Text;
use super::{Malformed, is_done};
use crate::call::CallKind;
use crate::frame::Frame;

/// Reads events.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(super) envelope: Envelope<Field>,
    stream: Stream,
}

/// What was seen of the stream so far.
#[derive(Debug, Default)]
struct Stream {
    started: bool,
    /// Parts of messages whose text was given out: a snapshot of them says nothing new.
    said: BTreeSet<Part>,
    /// The part that the last delta was of.
    current: Option<Part>,
    /// Whether items came by themselves: those of the terminal event say nothing new.
    seen_items: bool,
    /// The last event said what it would not say again.
    said_once: bool,
}

/// A part of an item: the item's number, what it is, and its own number in the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part(i64, PartKind, i64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PartKind {
    Text,
    Refusal,
    Summary,
    Reasoning,
}

impl PartKind {
    fn channel(self) -> Channel {
        match self {
            PartKind::Text => Channel::Content,
            PartKind::Refusal => Channel::Refusal,
            PartKind::Summary | PartKind::Reasoning => Channel::Reasoning,
        }
    }
}

/// Parts that are told apart at most. Beyond that no snapshot is taken for new.
const PARTS: usize = 16_384;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Type,
    ItemId,
    OutputIndex,
    PartIndex,
    Delta,
    Arguments,
    Text,
    Refusal,
    Item,
    Response,
    Error,
    Id,
    CallId,
    Name,
    Content,
    Summary,
    Status,
    Model,
    Usage,
    Output,
    Incomplete,
    Reason,
    /// Goes back with the call.
    Extra(ExtraName),
}

const fn extra(name: ExtraName) -> Key<Field> {
    leaf(name.as_str(), Field::Extra(name))
}

static ROOT: Node<Field> = Node {
    keys: &[
        leaf("type", Field::Type),
        leaf("item_id", Field::ItemId),
        leaf("output_index", Field::OutputIndex),
        leaf("content_index", Field::PartIndex),
        leaf("summary_index", Field::PartIndex),
        leaf("delta", Field::Delta),
        leaf("arguments", Field::Arguments),
        leaf("input", Field::Arguments),
        leaf("text", Field::Text),
        leaf("refusal", Field::Refusal),
        leaf("name", Field::Name),
        branch("part", Field::Content, &PART),
        branch("item", Field::Item, &ITEM),
        branch("response", Field::Response, &RESPONSE),
        leaf("error", Field::Error),
    ],
};
static RESPONSE: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        leaf("status", Field::Status),
        leaf("error", Field::Error),
        branch("incomplete_details", Field::Incomplete, &INCOMPLETE),
        leaf("model", Field::Model),
        branch("output", Field::Output, &ITEM),
        leaf("usage", Field::Usage),
    ],
};
static INCOMPLETE: Node<Field> = Node { keys: &[leaf("reason", Field::Reason)] };
static ITEM: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        leaf("type", Field::Type),
        leaf("status", Field::Status),
        leaf("arguments", Field::Arguments),
        leaf("input", Field::Arguments),
        leaf("call_id", Field::CallId),
        leaf("name", Field::Name),
        branch("content", Field::Content, &PART),
        branch("summary", Field::Summary, &PART),
        extra(ExtraName::Namespace),
        extra(ExtraName::Caller),
        extra(ExtraName::Async),
        extra(ExtraName::CreatedBy),
        extra(ExtraName::ServerLabel),
        extra(ExtraName::ApprovalRequestId),
        extra(ExtraName::Output),
        extra(ExtraName::Error),
    ],
};
static PART: Node<Field> = Node {
    keys: &[leaf("type", Field::Type), leaf("text", Field::Text), leaf("refusal", Field::Refusal)],
};

/// What an event is, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventType {
    Fragment,
    Snapshot,
    TextDelta(PartKind),
    TextDone(PartKind),
    PartDone,
    ItemAdded,
    ItemDone,
    Created,
    Lifecycle,
    Terminal,
    Failed,
    Error,
    /// Known, and nothing in it that is not said elsewhere.
    Silent,
}

const EVENTS: &[(&[u8], EventType)] = &[
    (b"response.function_call_arguments.delta", EventType::Fragment),
    (b"response.output_text.delta", EventType::TextDelta(PartKind::Text)),
    (b"response.reasoning_summary_text.delta", EventType::TextDelta(PartKind::Summary)),
    (b"response.reasoning_text.delta", EventType::TextDelta(PartKind::Reasoning)),
    (b"response.custom_tool_call_input.delta", EventType::Fragment),
    (b"response.mcp_call_arguments.delta", EventType::Fragment),
    (b"response.output_item.added", EventType::ItemAdded),
    (b"response.output_item.done", EventType::ItemDone),
    (b"response.function_call_arguments.done", EventType::Snapshot),
    (b"response.custom_tool_call_input.done", EventType::Snapshot),
    (b"response.mcp_call_arguments.done", EventType::Snapshot),
    (b"response.refusal.delta", EventType::TextDelta(PartKind::Refusal)),
    (b"response.output_text.done", EventType::TextDone(PartKind::Text)),
    (b"response.refusal.done", EventType::TextDone(PartKind::Refusal)),
    (b"response.reasoning_summary_text.done", EventType::TextDone(PartKind::Summary)),
    (b"response.reasoning_text.done", EventType::TextDone(PartKind::Reasoning)),
    (b"response.content_part.done", EventType::PartDone),
    (b"response.content_part.added", EventType::Silent),
    (b"response.reasoning_summary_part.added", EventType::Silent),
    (b"response.reasoning_summary_part.done", EventType::Silent),
    (b"response.created", EventType::Created),
    (b"response.queued", EventType::Lifecycle),
    (b"response.in_progress", EventType::Lifecycle),
    (b"response.completed", EventType::Terminal),
    (b"response.incomplete", EventType::Terminal),
    (b"response.cancelled", EventType::Terminal),
    (b"response.done", EventType::Terminal),
    (b"response.failed", EventType::Failed),
    (b"error", EventType::Error),
    (b"ping", EventType::Silent),
    (b"keepalive", EventType::Silent),
];

impl EventType {
    fn named(name: &[u8]) -> Option<Self> {
        EVENTS.iter().find(|(known, _)| *known == name).map(|(_, event_type)| *event_type)
    }
}

/// Whether an envelope is one of these.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let is_ours = |name: &[u8]| name.starts_with(b"response.");
    let event_type = head.text("type");
    is_ours(event_type)
        || (event_type.is_empty() && is_ours(head.frame.name))
        || (!event_type.is_empty() && head.has("sequence_number"))
        // The documented error event, flat.
        || (event_type == b"error" && head.has("message") && !head.has("error"))
        || head.text("object") == b"response"
}

impl Reader {
    /// Reads one event.
    pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data.trim_ascii();
        // OpenAI itself ends these streams without the sentinel; others do not.
        if data.is_empty() || is_done(data) {
            return Ok(());
        }
        let by_name = EventType::named(frame.name);
        let stream = &mut self.stream;
        let told = self.envelope.tell(&frame, &ROOT, sink, |tokens, sink| {
            stream.speak(frame, by_name, tokens, sink);
            !core::mem::take(&mut stream.said_once)
        });
        match told {
            Ok(()) => {}
            Err(fault) if by_name.is_some() || matches!(frame.name, b"" | b"message") => {
                return Err(fault.into());
            }
            Err(_) => sink.delta(Delta::Other),
        }
        Ok(())
    }

    /// Reads a response object.
    pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let tokens = self.envelope.read(frame.data, &RESPONSE)?;
        self.stream.finish(frame.data, tokens, false, sink);
        Ok(())
    }
}

/// The fields of one event.
#[derive(Default)]
struct Event<'a, 't> {
    block: Block<'a>,
    part_index: i64,
    delta: Option<Text<'a>>,
    snapshot: Option<Text<'a>>,
    text: Option<Text<'a>>,
    refusal: Option<Text<'a>>,
    part: &'t [Token<Field>],
    item: Option<(Token<Field>, &'t [Token<Field>])>,
    response: &'t [Token<Field>],
    has_error: bool,
}

impl Stream {
    fn speak(
        &mut self,
        frame: Frame<'_>,
        by_name: Option<EventType>,
        tokens: &[Token<Field>],
        sink: &mut impl Sink,
    ) {
        let data = frame.data;
        let mut event_type = by_name;
        let mut typed = false;
        let mut event = Event::default();
        for (token, inside) in items(tokens) {
            match token.field {
                Field::Type => {
                    if let Some(name) = token.filled(data) {
                        typed = true;
                        event_type = EventType::named(name.bytes);
                    }
                }
                Field::ItemId => event.block.id = token.filled(data),
                Field::OutputIndex => event.block.index = token.integer(data),
                Field::PartIndex => event.part_index = token.integer(data).unwrap_or(0),
                Field::Delta => event.delta = token.text(data),
                Field::Arguments => event.snapshot = arguments(data, token).0,
                Field::Text => event.text = token.filled(data),
                Field::Refusal => event.refusal = token.filled(data),
                Field::Content => event.part = inside,
                Field::Item if token.kind == Kind::Object => event.item = Some((token, inside)),
                Field::Response => event.response = inside,
                Field::Error => event.has_error = token.kind != Kind::Null,
                _ => {}
            }
        }
        // A gateway's own error has no type, or one that no event has.
        if event.has_error && (!typed || event_type.is_none()) {
            event_type = Some(EventType::Error);
        }
        let block = event.block;
        match event_type {
            Some(EventType::Fragment) => sink.delta(Delta::Fragment { block, text: event.delta }),
            Some(EventType::Snapshot) => {
                sink.delta(Delta::Snapshot { block, text: event.snapshot })
            }
            Some(EventType::TextDelta(kind)) => {
                let text = event.delta.filter(|text| !text.is_empty());
                let part = Part(block.index.unwrap_or(0), kind, event.part_index);
                if let Some(text) = text {
                    self.note(part);
                    sink.delta(Delta::Text { choice: 0, channel: kind.channel(), text });
                }
            }
            Some(EventType::TextDone(kind)) => {
                let text = event.text.or(event.refusal);
                self.say_once(Part(block.index.unwrap_or(0), kind, event.part_index), text, sink);
            }
            Some(EventType::PartDone) => {
                let place = (block.index.unwrap_or(0), event.part_index);
                self.speak_part(data, place, PartKind::Text, event.part, sink);
            }
            Some(EventType::ItemAdded) => match event.item {
                Some((item, fields)) => self.speak_added(data, block, item, fields, sink),
                None => sink.delta(Delta::Other),
            },
            Some(EventType::ItemDone) => match event.item {
                Some((item, fields)) => self.speak_done(data, block, item, fields, sink),
                None => sink.delta(Delta::Other),
            },
            Some(EventType::Created) => self.start(data, event.response, sink),
            Some(EventType::Lifecycle) => {
                if !self.started {
                    self.start(data, event.response, sink);
                }
                sink.delta(Delta::Other);
            }
            Some(EventType::Terminal) => self.finish(data, event.response, false, sink),
            Some(EventType::Failed) => self.finish(data, event.response, true, sink),
            Some(EventType::Error) => {
                sink.delta(Delta::Failure(Failure::read(data, &["code", "type"])));
            }
            Some(EventType::Silent) => {}
            None => sink.delta(Delta::Other),
        }
    }

    fn start(&mut self, data: &[u8], response: &[Token<Field>], sink: &mut impl Sink) {
        self.started = true;
        let (mut id, mut model) = (Text::default(), Text::default());
        for (token, _) in items(response) {
            match token.field {
                Field::Id => id = token.text(data).unwrap_or_default(),
                Field::Model => model = token.text(data).unwrap_or_default(),
                _ => {}
            }
        }
        sink.delta(Delta::MessageStart { id, model });
    }

    /// The terminal event, or a response that was not streamed: everything once more.
    fn finish(
        &mut self,
        data: &[u8],
        response: &[Token<Field>],
        has_failed: bool,
        sink: &mut impl Sink,
    ) {
        if !self.started {
            self.start(data, response, sink);
        }
        let mut status = Text::default();
        let mut reason = Text::default();
        let [mut usage, mut error] = [None; 2];
        for (token, inside) in items(response) {
            match token.field {
                Field::Status => status = token.filled(data).unwrap_or_default(),
                Field::Incomplete => {
                    let found = items(inside).find(|(token, _)| token.field == Field::Reason);
                    reason = found.and_then(|(token, _)| token.filled(data)).unwrap_or_default();
                }
                Field::Usage if token.kind == Kind::Object => usage = Some(token.bytes(data)),
                Field::Error if !matches!(token.kind, Kind::Null | Kind::False) => {
                    error = Some(token.bytes(data));
                }
                _ => {}
            }
        }
        let has_failed = has_failed || status == *"failed" || error.is_some();
        let speaks = |channel| move |part: &Part| part.1.channel() == channel;
        let said = [Channel::Content, Channel::Refusal, Channel::Reasoning]
            .map(|channel| self.said.iter().any(speaks(channel)));
        let output = items(response).filter(|(token, _)| token.field == Field::Output);
        for (position, (item, fields)) in (0..).zip(output) {
            let item = Item::read(data, item, fields);
            let is_whole = item.status.is_empty() || item.status == *"completed";
            if let Some(call) = item.call(Block { choice: 0, index: Some(position), id: None }) {
                // What a failed response was still writing stays open.
                if !has_failed || is_whole {
                    sink.delta(Delta::Recap(call));
                    item.speak_extras(data, sink);
                }
                continue;
            }
            for (kind, said) in [(Field::Content, said[0] || said[1]), (Field::Summary, said[2])] {
                if !said {
                    self.speak_content(data, position, &item, kind, sink);
                }
            }
            if !self.seen_items {
                item.speak_whole(data, sink);
            }
        }
        if has_failed {
            sink.delta(Delta::Failure(Failure::read(error.unwrap_or_default(), &["code", "type"])));
        }
        let incomplete = status == *"incomplete" || (status.is_empty() && !reason.is_empty());
        let mut word = alloc::string::String::new();
        let reason = match () {
            () if has_failed && status.is_empty() => Text::plain("failed"),
            () if incomplete && !reason.is_empty() => {
                word.push_str("incomplete:");
                word.push_str(&reason.cow());
                Text::plain(&word)
            }
            () if status.is_empty() => Text::plain("completed"),
            () => status,
        };
        if !matches!(reason.bytes, b"in_progress" | b"queued") {
            sink.delta(Delta::Stop { choice: 0, reason });
        }
        if let Some(json) = usage {
            sink.delta(Delta::Usage { json });
        }
        sink.delta(Delta::Done);
    }

    fn speak_added(
        &mut self,
        data: &[u8],
        block: Block<'_>,
        item: Token<Field>,
        fields: &[Token<Field>],
        sink: &mut impl Sink,
    ) {
        let item = Item::read(data, item, fields);
        if let Some(call) = item.call(block) {
            sink.delta(Delta::Open(call));
            return item.speak_extras(data, sink);
        }
        // Another item under the number of an older one: its parts are new.
        let index = block.index.unwrap_or(0);
        if self
            .said
            .range(Part(index, PartKind::Text, i64::MIN)..)
            .next()
            .is_some_and(|part| part.0 == index)
        {
            self.said.retain(|part| part.0 != index);
            self.current = None;
        }
        sink.delta(Delta::OpenOther(Block { id: item.id, ..block }));
        sink.delta(Delta::Other);
    }

    fn speak_done(
        &mut self,
        data: &[u8],
        block: Block<'_>,
        item: Token<Field>,
        fields: &[Token<Field>],
        sink: &mut impl Sink,
    ) {
        let item = Item::read(data, item, fields);
        if let Some(call) = item.call(block) {
            sink.delta(Delta::Finish(call));
            return item.speak_extras(data, sink);
        }
        self.seen_items = true;
        for kind in [Field::Summary, Field::Content] {
            self.speak_content(data, block.index.unwrap_or(0), &item, kind, sink);
        }
        item.speak_whole(data, sink);
    }

    /// The parts of an item that no delta brought.
    fn speak_content(
        &mut self,
        data: &[u8],
        index: i64,
        item: &Item<'_, '_>,
        content: Field,
        sink: &mut impl Sink,
    ) {
        let text = match (content, item.item_type.bytes) {
            (Field::Content, b"message") => PartKind::Text,
            (Field::Content, b"reasoning") => PartKind::Reasoning,
            (_, b"reasoning") => PartKind::Summary,
            _ => return,
        };
        let parts = items(item.fields).filter(|(token, _)| token.field == content);
        for (number, (_, fields)) in (0..).zip(parts) {
            self.speak_part(data, (index, number), text, fields, sink);
        }
    }

    fn speak_part(
        &mut self,
        data: &[u8],
        (index, number): (i64, i64),
        text: PartKind,
        fields: &[Token<Field>],
        sink: &mut impl Sink,
    ) {
        let part_type = items(fields).find(|(token, _)| token.field == Field::Type);
        let part_type = part_type.and_then(|(token, _)| token.text(data)).unwrap_or_default();
        let kind = match part_type.bytes {
            b"output_text" | b"text" => PartKind::Text,
            b"reasoning_text" => PartKind::Reasoning,
            b"summary_text" => PartKind::Summary,
            _ => text,
        };
        for (token, _) in items(fields) {
            match token.field {
                Field::Text => self.say_once(Part(index, kind, number), token.filled(data), sink),
                Field::Refusal => {
                    let part = Part(index, PartKind::Refusal, number);
                    self.say_once(part, token.filled(data), sink);
                }
                _ => {}
            }
        }
    }

    fn say_once(&mut self, part: Part, text: Option<Text<'_>>, sink: &mut impl Sink) {
        let Some(text) = text else { return };
        if self.said.len() < PARTS && self.said.insert(part) {
            self.said_once = true;
            sink.delta(Delta::Text { choice: 0, channel: part.1.channel(), text });
        }
    }

    fn note(&mut self, part: Part) {
        if self.current != Some(part) && self.said.len() < PARTS {
            self.said.insert(part);
            self.current = Some(part);
        }
    }
}

/// An output item.
struct Item<'a, 't> {
    item_type: Text<'a>,
    id: Option<Text<'a>>,
    call_id: Option<Text<'a>>,
    name: Option<Text<'a>>,
    arguments: Option<Text<'a>>,
    status: Text<'a>,
    as_object: bool,
    json: &'a [u8],
    fields: &'t [Token<Field>],
}

impl<'a, 't> Item<'a, 't> {
    fn read(data: &'a [u8], item: Token<Field>, fields: &'t [Token<Field>]) -> Self {
        let mut found = Item {
            item_type: Text::default(),
            id: None,
            call_id: None,
            name: None,
            arguments: None,
            status: Text::default(),
            as_object: false,
            json: item.bytes(data),
            fields,
        };
        for (token, _) in items(fields) {
            match token.field {
                Field::Type => found.item_type = token.text(data).unwrap_or_default(),
                Field::Id => found.id = token.filled(data),
                Field::CallId => found.call_id = token.filled(data),
                Field::Name => found.name = token.filled(data),
                Field::Status => found.status = token.text(data).unwrap_or_default(),
                Field::Arguments => (found.arguments, found.as_object) = arguments(data, token),
                _ => {}
            }
        }
        found
    }

    /// The call that the item is, if it has the shape of one.
    fn call(&self, block: Block<'a>) -> Option<Call<'a>> {
        let (kind, id) = match self.item_type.bytes {
            b"function_call" => (CallKind::Function, self.call_id),
            b"custom_tool_call" => (CallKind::Custom, self.call_id),
            b"mcp_call" => (CallKind::Mcp, self.id),
            // xAI writes the calls of its own tools like functions.
            other
                if other.ends_with(b"_call") && self.name.is_some() && self.arguments.is_some() =>
            {
                (CallKind::Server, self.call_id)
            }
            _ => return None,
        };
        let block = Block { id: self.id.or(block.id), ..block };
        let warning = self.as_object.then_some(crate::warning::Warning::ArgumentsNotString);
        let input = self.arguments.filter(|text| !text.is_empty());
        Some(Call { block, kind, id, name: self.name, input, warning })
    }

    fn speak_extras(&self, data: &[u8], sink: &mut impl Sink) {
        for (token, _) in items(self.fields) {
            let name = match token.field {
                Field::Extra(name) => name.as_str(),
                Field::Id => "id",
                _ => continue,
            };
            if token.kind != Kind::Null {
                let name = Text::plain(name);
                sink.delta(Delta::Extra { owner: Owner::Call, name, json: token.json(data) });
            }
        }
    }

    fn speak_whole(&self, _data: &[u8], sink: &mut impl Sink) {
        let owner = Owner::Message { choice: 0 };
        sink.delta(Delta::Extra { owner, name: self.item_type, json: self.json });
    }
}

/// Arguments as text, or as the object itself where a server sends that; then the flag is set.
fn arguments(data: &[u8], token: Token<Field>) -> (Option<Text<'_>>, bool) {
    match token.kind {
        Kind::Object | Kind::Array => {
            (Some(Text { bytes: token.bytes(data), escaped: false }), true)
        }
        _ => (token.text(data), false),
    }
}
