//! OpenAI Chat Completions, as OpenAI and some fifty other servers stream it.
//!
//! Source: OpenAI API reference, "The chat completion chunk object". What other servers do to it is
//! said where it is handled. One chunk is one event; `[DONE]` ends the stream.

use alloc::string::String;

use super::delta::{Channel, Delta, Failure, Owner, Piece, Sink};
use super::envelope::Envelope;
use super::extra_name::ExtraName;
use super::fields::{Key, Kind, Node, Token, branch, items, leaf};
use super::growth::Growth;
use super::head::Head;
use super::json::Text;
use super::{Malformed, is_done};
use crate::call::CallKind;
use crate::frame::Frame;
use crate::warning::Warning;

/// Reads chunks.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(super) envelope: Envelope<Field>,
    stream: Stream,
}

/// What was seen of the stream so far.
#[derive(Debug, Default)]
struct Stream {
    started: bool,
    /// Whether any delta came: a whole message after that is a recap.
    seen_delta: bool,
    /// The name of the events that carry chunks, where they have one.
    chunk_name: String,
    /// A response that was not streamed: whole messages are what is expected.
    is_whole: bool,
    /// Of native DashScope, which may repeat all that it has said.
    growth: Option<Growth>,
}

/// A key that no index can be: the one call of the legacy `function_call` form.
const LEGACY_INDEX: i64 = i64::MIN;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Id,
    Model,
    Object,
    Choice,
    Usage,
    Error,
    ErrorType,
    Code,
    Message,
    Index,
    FinishReason,
    Delta,
    WholeMessage,
    Content,
    Type,
    Text,
    Thinking,
    ReasoningContent,
    Reasoning,
    ReasoningDetail,
    Refusal,
    Call,
    LegacyCall,
    Function,
    Custom,
    Name,
    Arguments,
    /// Native DashScope has its choices one level deeper.
    Output,
    /// Goes back with the call, or belongs to the message.
    Extra(ExtraName),
}

const fn extra(name: ExtraName) -> Key<Field> {
    leaf(name.as_str(), Field::Extra(name))
}

type Keys = &'static [Key<Field>];

static ROOT: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        leaf("object", Field::Object),
        leaf("model", Field::Model),
        branch("choices", Field::Choice, &CHOICE),
        leaf("usage", Field::Usage),
        branch("output", Field::Output, &OUTPUT),
        branch("error", Field::Error, &ERROR),
        leaf("error_type", Field::ErrorType),
        leaf("message", Field::Message),
        leaf("type", Field::Type),
        leaf("code", Field::Code),
    ],
};
static OUTPUT: Node<Field> = Node { keys: &[branch("choices", Field::Choice, &CHOICE)] };
static ERROR: Node<Field> = Node {
    keys: &[leaf("message", Field::Message), leaf("type", Field::Type), leaf("code", Field::Code)],
};
static CHOICE: Node<Field> = Node {
    keys: &[
        leaf("index", Field::Index),
        branch("delta", Field::Delta, &DELTA),
        branch("message", Field::WholeMessage, &DELTA),
        leaf("finish_reason", Field::FinishReason),
        leaf("usage", Field::Usage),
    ],
};
static DELTA: Node<Field> = Node {
    keys: &[
        branch("content", Field::Content, &PART),
        leaf("reasoning_content", Field::ReasoningContent),
        leaf("reasoning", Field::Reasoning),
        branch("reasoning_details", Field::ReasoningDetail, &DETAIL),
        leaf("refusal", Field::Refusal),
        branch("tool_calls", Field::Call, &CALL),
        branch("function_call", Field::LegacyCall, &FUNCTION),
        extra(ExtraName::Annotations),
        extra(ExtraName::ExecutedTools),
        extra(ExtraName::Audio),
        extra(ExtraName::ExtraContent),
    ],
};
static PART: Node<Field> = Node {
    keys: &[
        leaf("type", Field::Type),
        leaf("text", Field::Text),
        branch("thinking", Field::Thinking, &PART),
    ],
};
static DETAIL: Node<Field> =
    Node { keys: &[leaf("text", Field::Text), leaf("summary", Field::Text)] };
static CALL: Node<Field> = Node {
    keys: &[
        leaf("index", Field::Index),
        leaf("id", Field::Id),
        leaf("type", Field::Type),
        branch("function", Field::Function, &FUNCTION),
        branch("custom", Field::Custom, &CUSTOM),
        // Google's thought signature.
        extra(ExtraName::ExtraContent),
    ],
};
static FUNCTION: Node<Field> = Node { keys: FUNCTION_KEYS };
const FUNCTION_KEYS: Keys = &[
    leaf("name", Field::Name),
    leaf("arguments", Field::Arguments),
    // Early llama.cpp puts the id here.
    leaf("id", Field::Id),
];
static CUSTOM: Node<Field> =
    Node { keys: &[leaf("name", Field::Name), leaf("input", Field::Arguments)] };

/// Whether an envelope is one of these. It is what an error is taken for that says nothing else.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    head.has("choices")
        || head.has_in("output", "choices")
        || head.text("object").starts_with(b"chat.completion")
        || head.has("error")
        || head.has("error_type")
        || head.text("object") == b"error"
        || head.frame.name == b"error"
}

impl Reader {
    /// Reads a response that was not streamed.
    pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        self.stream.is_whole = true;
        let tokens = self.envelope.read(frame.data, &ROOT)?;
        self.stream.speak(frame, tokens, sink);
        Ok(())
    }

    /// Reads one event.
    pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data.trim_ascii();
        if data.is_empty() {
            return Ok(());
        }
        if is_done(data) {
            sink.delta(Delta::Done);
            return Ok(());
        }
        // Keep-alive comments that a proxy has framed as data.
        if data.starts_with(b":") {
            sink.delta(Delta::Warning(Warning::CommentAsData));
            return Ok(());
        }
        let stream = &mut self.stream;
        let told = self.envelope.tell(&frame, &ROOT, sink, |tokens, sink| {
            stream.speak(frame, tokens, sink);
            stream.growth.is_none()
        });
        let Err(fault) = told else { return Ok(()) };
        if self.are_separate(frame.data) {
            sink.delta(Delta::Warning(Warning::MissingEventSeparator));
            return lines(frame.data).try_for_each(|data| self.read(Frame { data, ..frame }, sink));
        }
        if frame.name == b"error" {
            let message = Text { bytes: data, escaped: false };
            sink.delta(Delta::Failure(Failure { kind: Text::default(), message, json: data }));
            return Ok(());
        }
        if self.stream.is_foreign(frame.name) {
            sink.delta(Delta::Warning(Warning::UnknownEvent));
            sink.delta(Delta::Other);
            return Ok(());
        }
        Err(fault.into())
    }

    /// Some gateways leave out the blank line, so that several envelopes make one event.
    fn are_separate(&mut self, data: &[u8]) -> bool {
        let is_whole = |line: &[u8]| is_done(line) || self.envelope.read(line, &ROOT).is_ok();
        lines(data).nth(1).is_some() && lines(data).all(is_whole)
    }
}

fn lines(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

impl Stream {
    /// Whether an event of that name never carries a chunk.
    fn is_foreign(&self, name: &[u8]) -> bool {
        !matches!(name, b"" | b"message" | b"error") && name != self.chunk_name.as_bytes()
    }

    fn speak(&mut self, frame: Frame<'_>, tokens: &[Token<Field>], sink: &mut impl Sink) {
        let data = frame.data;
        let (mut id, mut model) = (Text::default(), Text::default());
        let mut has_choices = false;
        let mut usage = None;
        for (token, inside) in items(tokens) {
            match token.field {
                Field::Output => {
                    has_choices |= inside.iter().any(|token| token.field == Field::Choice);
                    if has_choices && self.growth.is_none() {
                        self.growth = Some(Growth::default());
                    }
                }
                Field::Id => id = token.text(data).unwrap_or_default(),
                Field::Model => model = token.text(data).unwrap_or_default(),
                Field::Choice => has_choices = true,
                Field::Usage if token.kind == Kind::Object => usage = Some(token.bytes(data)),
                _ => {}
            }
        }
        let failure = failure(frame, tokens, has_choices);
        if has_choices {
            if self.chunk_name.is_empty() && !frame.name.is_empty() {
                self.chunk_name = String::from_utf8_lossy(frame.name).into_owned();
            }
            let has_head = !id.is_empty() || !model.is_empty();
            if has_head && !self.started {
                self.started = true;
                sink.delta(Delta::MessageStart { id, model });
            }
        }
        let output = items(tokens).find(|(token, _)| token.field == Field::Output);
        let output = output.map_or(&[][..], |(_, inside)| inside);
        let choices = || {
            let all = items(tokens).chain(items(output));
            all.filter(|(token, _)| token.field == Field::Choice)
        };
        for (choice, fields) in choices() {
            if choice.kind == Kind::Object {
                self.speak_choice(data, fields, sink);
            }
        }
        if let Some(failure) = failure {
            if frame.name != b"error" && !has_standard_error(tokens) {
                sink.delta(Delta::Warning(Warning::NonstandardError));
            }
            sink.delta(Delta::Failure(failure));
        }
        for (_, fields) in choices() {
            speak_stop(data, fields, sink);
        }
        if let Some(json) = usage {
            sink.delta(Delta::Usage { json });
        }
        let known = has_choices
            || failure.is_some()
            || usage.is_some()
            || tokens.iter().any(|token| token.field == Field::Choice);
        if !known && !is_empty_chunk(data, tokens) {
            if !frame.name.is_empty() {
                sink.delta(Delta::Warning(Warning::UnknownEvent));
            }
            sink.delta(Delta::Other);
        }
    }

    fn speak_choice(&mut self, data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
        let choice = choice_index(data, fields);
        if choice.is_none() && self.growth.is_none() {
            sink.delta(Delta::Warning(Warning::MissingChoiceIndex));
        }
        let choice = choice.unwrap_or(0);
        let part = |field| {
            items(fields)
                .find(|(token, _)| token.field == field && token.kind == Kind::Object)
                .map(|(_, inside)| inside)
        };
        if let Some(delta) = part(Field::Delta) {
            self.seen_delta = true;
            return self.speak_delta(data, choice, delta, sink);
        }
        let Some(message) = part(Field::WholeMessage) else { return };
        if self.seen_delta {
            return sink.delta(Delta::Warning(Warning::FinalMessageRecap));
        }
        if !self.is_whole && self.growth.is_none() {
            sink.delta(Delta::Warning(Warning::MessageInsteadOfDelta));
        }
        self.speak_delta(data, choice, message, sink);
    }

    fn speak_delta(
        &mut self,
        data: &[u8],
        choice: u32,
        fields: &[Token<Field>],
        sink: &mut impl Sink,
    ) {
        let has =
            |field| fields.iter().any(|token| token.field == field && token.filled(data).is_some());
        let mut said_parts = false;
        let mut calls = 0;
        for (token, inside) in items(fields) {
            let channel = match token.field {
                Field::Content if token.kind == Kind::Object => {
                    if !said_parts {
                        sink.delta(Delta::Warning(Warning::ContentNotString));
                        said_parts = true;
                    }
                    speak_part(data, choice, Channel::Content, inside, sink);
                    continue;
                }
                Field::Content => Channel::Content,
                Field::Refusal => Channel::Refusal,
                Field::ReasoningContent => Channel::Reasoning,
                // Some send the same text under two or three names.
                Field::Reasoning if !has(Field::ReasoningContent) => Channel::Reasoning,
                Field::ReasoningDetail if token.kind == Kind::Object => {
                    if !has(Field::ReasoningContent) && !has(Field::Reasoning) {
                        speak_part(data, choice, Channel::Reasoning, inside, sink);
                    }
                    speak_extra(data, Owner::Message { choice }, "reasoning_details", token, sink);
                    continue;
                }
                Field::Extra(name) => {
                    speak_extra(data, Owner::Message { choice }, name.as_str(), token, sink);
                    continue;
                }
                Field::Call => {
                    self.speak_call(data, choice, (calls, token, inside), sink);
                    calls += 1;
                    continue;
                }
                Field::LegacyCall if token.kind == Kind::Object => {
                    let mut piece = Piece {
                        choice,
                        index: Some(LEGACY_INDEX),
                        warning: Some(Warning::LegacyFunctionCall),
                        ..Piece::default()
                    };
                    read_function(data, inside, &mut piece);
                    sink.delta(Delta::Piece(piece));
                    continue;
                }
                _ => continue,
            };
            if let Some(text) = token.filled(data) {
                let text = match &mut self.growth {
                    Some(growth) => growth.rest((choice, -1 - channel as i64), text),
                    None => text,
                };
                sink.delta(Delta::Text { choice, channel, text });
            }
        }
    }

    /// An entry of `tool_calls`, the `position`th of its array.
    fn speak_call(
        &mut self,
        data: &[u8],
        choice: u32,
        (position, token, fields): (i64, Token<Field>, &[Token<Field>]),
        sink: &mut impl Sink,
    ) {
        if token.kind != Kind::Object {
            return;
        }
        let mut piece = Piece { choice, ..Piece::default() };
        let mut is_custom = false;
        let mut custom = Piece::default();
        let mut extra = None;
        for (token, inside) in items(fields) {
            match token.field {
                Field::Index => match token.integer(data) {
                    Some(index) => {
                        piece.index = Some(index);
                        if index < 0 || token.kind != Kind::Number {
                            piece.warning = Some(Warning::IndexInvalid);
                        }
                    }
                    None if token.kind == Kind::Null => {}
                    None => {
                        piece.index = Some(stand_in(token.bytes(data)));
                        piece.warning = Some(Warning::IndexInvalid);
                    }
                },
                Field::Id => read_id(data, token, &mut piece),
                Field::Type => is_custom = token.text(data).is_some_and(|text| text == *"custom"),
                Field::Function => read_function(data, inside, &mut piece),
                Field::Custom => read_function(data, inside, &mut custom),
                Field::Extra(name) => extra = Some((name.as_str(), token)),
                _ => {}
            }
        }
        // Some gateways put an empty `custom` beside the function.
        if is_custom || custom.name.is_some() || custom.arguments.is_some() {
            piece.kind = CallKind::Custom;
            piece.name = custom.name.or(piece.name);
            piece.arguments = custom.arguments.or(piece.arguments);
        }
        if self.is_whole && piece.index.is_none() {
            piece.index = Some(position);
        }
        if let (Some(growth), Some(text)) = (&mut self.growth, piece.arguments) {
            let key = (choice, piece.index.unwrap_or(position).max(0));
            piece.arguments = Some(growth.rest(key, text));
        }
        sink.delta(Delta::Piece(piece));
        if let Some((name, token)) = extra {
            speak_extra(data, Owner::Call, name, token, sink);
        }
    }
}

/// What stops the choice comes after what its delta brings, whatever the order of the keys.
fn speak_stop(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    let choice = choice_index(data, fields).unwrap_or(0);
    for (token, _) in items(fields) {
        match token.field {
            // DashScope and GLM write the text `null` where others write null.
            Field::FinishReason => match token.filled(data) {
                Some(reason) if reason != *"null" => sink.delta(Delta::Stop { choice, reason }),
                _ => {}
            },
            Field::Usage if token.kind == Kind::Object => {
                sink.delta(Delta::Usage { json: token.bytes(data) });
            }
            _ => {}
        }
    }
}

fn choice_index(data: &[u8], fields: &[Token<Field>]) -> Option<u32> {
    let token = items(fields).map(|(token, _)| token).find(|token| token.field == Field::Index)?;
    token.integer(data)?.try_into().ok()
}

fn speak_extra(
    data: &[u8],
    owner: Owner,
    name: &'static str,
    token: Token<Field>,
    sink: &mut impl Sink,
) {
    // `null`, `[]` and `{}` say nothing.
    if token.kind != Kind::Null && token.bytes(data).len() > 2 {
        sink.delta(Delta::Extra { owner, name: Text::plain(name), json: token.json(data) });
    }
}

/// A part of an array of content: text, or thinking that holds parts itself (Mistral).
fn speak_part(
    data: &[u8],
    choice: u32,
    channel: Channel,
    fields: &[Token<Field>],
    sink: &mut impl Sink,
) {
    for (token, inside) in items(fields) {
        let channel = match token.field {
            Field::Thinking if token.kind == Kind::Object => {
                speak_part(data, choice, Channel::Reasoning, inside, sink);
                continue;
            }
            Field::Thinking => Channel::Reasoning,
            Field::Text => channel,
            _ => continue,
        };
        if let Some(text) = token.filled(data) {
            sink.delta(Delta::Text { choice, channel, text });
        }
    }
}

fn read_id<'a>(data: &'a [u8], token: Token<Field>, piece: &mut Piece<'a>) {
    if token.kind == Kind::Number {
        piece.id = Some(Text { bytes: token.bytes(data), escaped: false });
        piece.warning = Some(Warning::IdNotString);
    } else if let Some(id) = token.filled(data) {
        piece.id = Some(id);
    }
}

fn read_function<'a>(data: &'a [u8], fields: &[Token<Field>], piece: &mut Piece<'a>) {
    for (token, _) in items(fields) {
        match token.field {
            Field::Name => piece.name = token.filled(data),
            Field::Id if piece.id.is_none() => read_id(data, token, piece),
            Field::Arguments => {
                piece.arguments = token.text(data);
                // Mistral and some gateways send the object itself.
                if matches!(token.kind, Kind::Object | Kind::Array) {
                    piece.arguments = Some(Text { bytes: token.bytes(data), escaped: false });
                    piece.warning = Some(Warning::ArgumentsNotString);
                }
            }
            _ => {}
        }
    }
}

/// A number for an index that is none, so that it still tells calls apart. Far from real ones.
fn stand_in(written: &[u8]) -> i64 {
    let hash = written.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 2) as i64 + (1 << 61)
}

/// The error that an envelope reports, in any of the shapes seen: an object, a text, an
/// `error_type`, `"object":"error"`, or everything under the event name `error`.
fn failure<'a>(
    frame: Frame<'a>,
    tokens: &[Token<Field>],
    has_choices: bool,
) -> Option<Failure<'a>> {
    let data = frame.data;
    let (mut error, mut details) = (None, tokens);
    let mut top = [Text::default(); 3];
    let [kind, code, message] = &mut top;
    let mut is_error_object = false;
    for (token, inside) in items(tokens) {
        match token.field {
            Field::Error if is_truthy(data, token) => {
                error = Some(token);
                details = inside;
            }
            Field::Object => {
                is_error_object = token.text(data).is_some_and(|text| text == *"error")
            }
            Field::ErrorType if !has_choices => {
                is_error_object = true;
                *kind = scalar(data, token);
            }
            Field::Type if kind.is_empty() => *kind = scalar(data, token),
            Field::Code => *code = scalar(data, token),
            Field::Message => *message = scalar(data, token),
            _ => {}
        }
    }
    let first_filled =
        |texts: [Text<'a>; 2]| texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    match error {
        Some(error) if error.kind == Kind::Object => {
            let [mut kind, mut code, mut message] = [Text::default(); 3];
            for (token, _) in items(details) {
                match token.field {
                    Field::Type => kind = scalar(data, token),
                    Field::Code => code = scalar(data, token),
                    Field::Message => message = scalar(data, token),
                    _ => {}
                }
            }
            Some(Failure { kind: first_filled([kind, code]), message, json: data })
        }
        Some(error) => Some(Failure {
            kind: first_filled([*kind, *code]),
            message: scalar(data, error),
            json: data,
        }),
        None if is_error_object || frame.name == b"error" => {
            Some(Failure { kind: first_filled([*kind, *code]), message: *message, json: data })
        }
        None => None,
    }
}

fn has_standard_error(tokens: &[Token<Field>]) -> bool {
    tokens.iter().any(|token| token.field == Field::Error)
}

/// Null, false, `""` and `{}` report nothing.
fn is_truthy(data: &[u8], token: Token<Field>) -> bool {
    match token.kind {
        Kind::Null | Kind::False => false,
        Kind::Object => {
            token.bytes(data).iter().filter(|byte| !byte.is_ascii_whitespace()).count() > 2
        }
        _ => !token.bytes(data).is_empty(),
    }
}

/// Text or number, as text.
fn scalar<'a>(data: &'a [u8], token: Token<Field>) -> Text<'a> {
    match token.kind {
        Kind::Number => Text { bytes: token.bytes(data), escaped: false },
        _ => token.text(data).unwrap_or_default(),
    }
}

/// A chunk with `choices` null, or nothing but a head: it carries nothing.
fn is_empty_chunk(data: &[u8], tokens: &[Token<Field>]) -> bool {
    tokens.iter().any(|token| {
        token.field == Field::Object
            && token.text(data).is_some_and(|text| {
                text.is_empty() || text == *"chat.completion.chunk" || text == *"chat.completion"
            })
    })
}
