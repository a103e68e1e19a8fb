//! Google Gemini `streamGenerateContent`, on the Gemini API and on Vertex AI.
//!
//! Source: Gemini API reference, `GenerateContentResponse`; Vertex AI, "Stream function call
//! arguments". Chunks have no names and no end mark: a candidate ends with its `finishReason`. A
//! call is whole in one part, unless it says `willContinue`: then its arguments follow as values at
//! paths, in parts without a name, until a part does not say so.

use alloc::vec::Vec;

use super::delta::{Block, Call, Channel, Delta, Failure, Owner, Sink, Update, Value};
use super::envelope::Envelope;
use super::extra_name::ExtraName;
use super::fields::{Key, Kind, Node, Token, branch, items, leaf};
use super::head::Head;
use super::json::Text;
use super::{Malformed, is_done};
use crate::call::CallKind;
use crate::frame::{Body, Frame};
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
    /// Calls whose arguments come as values, one at most in each candidate: its number as a block.
    open: Vec<(u32, i64)>,
    /// Blocks so far.
    blocks: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Id,
    Model,
    Candidate,
    PromptFeedback,
    BlockReason,
    Usage,
    Error,
    Index,
    Content,
    FinishReason,
    Part,
    Text,
    Thought,
    Signature,
    Call,
    Name,
    Arguments,
    Partial,
    Continues,
    Path,
    String,
    Scalar,
    NullValue,
    /// Reaches the user as it is.
    Extra(ExtraName),
}

const fn extra(name: ExtraName) -> Key<Field> {
    leaf(name.as_str(), Field::Extra(name))
}

static ROOT: Node<Field> = Node {
    keys: &[
        branch("candidates", Field::Candidate, &CANDIDATE),
        leaf("usageMetadata", Field::Usage),
        leaf("modelVersion", Field::Model),
        leaf("responseId", Field::Id),
        branch("promptFeedback", Field::PromptFeedback, &FEEDBACK),
        leaf("error", Field::Error),
    ],
};
static FEEDBACK: Node<Field> = Node { keys: &[leaf("blockReason", Field::BlockReason)] };
static CANDIDATE: Node<Field> = Node {
    keys: &[
        branch("content", Field::Content, &CONTENT),
        leaf("finishReason", Field::FinishReason),
        leaf("index", Field::Index),
        extra(ExtraName::FinishMessage),
        extra(ExtraName::GroundingMetadata),
        extra(ExtraName::CitationMetadata),
        extra(ExtraName::UrlContextMetadata),
    ],
};
static CONTENT: Node<Field> = Node { keys: &[branch("parts", Field::Part, &PART)] };
static PART: Node<Field> = Node {
    keys: &[
        leaf("text", Field::Text),
        leaf("thought", Field::Thought),
        branch("functionCall", Field::Call, &CALL),
        leaf("thoughtSignature", Field::Signature),
        extra(ExtraName::ExecutableCode),
        extra(ExtraName::CodeExecutionResult),
        extra(ExtraName::ToolCall),
        extra(ExtraName::ToolResponse),
        extra(ExtraName::InlineData),
        extra(ExtraName::FileData),
    ],
};
static CALL: Node<Field> = Node {
    keys: &[
        leaf("id", Field::Id),
        leaf("name", Field::Name),
        leaf("args", Field::Arguments),
        branch("partialArgs", Field::Partial, &PARTIAL),
        leaf("willContinue", Field::Continues),
    ],
};
static PARTIAL: Node<Field> = Node {
    keys: &[
        leaf("jsonPath", Field::Path),
        leaf("stringValue", Field::String),
        leaf("numberValue", Field::Scalar),
        leaf("boolValue", Field::Scalar),
        leaf("nullValue", Field::NullValue),
        leaf("willContinue", Field::Continues),
    ],
};

/// Whether an envelope is one of these.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    ["candidates", "promptFeedback", "usageMetadata"].iter().any(|key| head.has(key))
        || head.has_in("error", "status")
        || (head.body == Body::JsonArray && head.has("error"))
}

impl Reader {
    /// Reads one chunk.
    pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data.trim_ascii();
        if data.is_empty() || is_done(data) {
            return Ok(());
        }
        match self.envelope.read(frame.data, &ROOT) {
            Ok(tokens) => self.stream.speak(frame, tokens, sink),
            Err(fault) if matches!(frame.name, b"" | b"message") => return Err(fault.into()),
            Err(_) if frame.name == b"error" => sink.delta(Delta::Failure(Failure::text(data))),
            Err(_) => sink.delta(Delta::Other),
        }
        Ok(())
    }

    /// Reads a response that was not streamed: it looks like a chunk.
    pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        self.read(frame, sink)
    }
}

impl Stream {
    fn speak(&mut self, frame: Frame<'_>, tokens: &[Token<Field>], sink: &mut impl Sink) {
        let data = frame.data;
        let (mut id, mut model) = (Text::default(), Text::default());
        let [mut usage, mut feedback] = [None; 2];
        let mut blocked = None;
        let mut error = false;
        let mut is_known = false;
        for (token, inside) in items(tokens) {
            match token.field {
                Field::Id => id = token.text(data).unwrap_or_default(),
                Field::Model => model = token.text(data).unwrap_or_default(),
                Field::Usage if token.kind == Kind::Object => usage = Some(token.bytes(data)),
                Field::Error => error |= !matches!(token.kind, Kind::Null | Kind::False),
                Field::PromptFeedback if token.kind == Kind::Object => {
                    feedback = Some(token.bytes(data));
                    let reason = items(inside).find(|(token, _)| token.field == Field::BlockReason);
                    blocked = reason.and_then(|(token, _)| token.filled(data));
                }
                Field::Candidate => is_known = true,
                _ => {}
            }
        }
        let has_head = !id.is_empty() || !model.is_empty();
        if has_head && !self.started {
            self.started = true;
            sink.delta(Delta::MessageStart { id, model });
        }
        let candidates = || items(tokens).filter(|(token, _)| token.field == Field::Candidate);
        for (_, fields) in candidates() {
            self.speak_candidate(data, choice_of(data, fields), fields, sink);
        }
        let owner = Owner::Message { choice: 0 };
        if let Some(json) = feedback {
            sink.delta(Delta::Extra { owner, name: Text::plain("promptFeedback"), json });
        }
        if error {
            sink.delta(Delta::Failure(Failure::read(data, &["status", "code"])));
        }
        for (_, fields) in candidates() {
            speak_stop(data, choice_of(data, fields), fields, sink);
        }
        if let Some(reason) = blocked.filter(|_| !is_known) {
            sink.delta(Delta::Stop { choice: 0, reason });
        }
        if let Some(json) = usage {
            sink.delta(Delta::Usage { json });
        }
        if !is_known && !error && feedback.is_none() && usage.is_none() {
            sink.delta(Delta::Other);
        }
    }

    fn speak_candidate(
        &mut self,
        data: &[u8],
        choice: u32,
        fields: &[Token<Field>],
        sink: &mut impl Sink,
    ) {
        for (token, inside) in items(fields) {
            match token.field {
                Field::Content => {
                    for (_, part) in items(inside).filter(|(token, _)| token.field == Field::Part) {
                        self.speak_part(data, choice, part, sink);
                    }
                }
                Field::Extra(name) if token.kind != Kind::Null => {
                    speak_extra(data, Owner::Message { choice }, name.as_str(), token, sink);
                }
                _ => {}
            }
        }
    }

    fn speak_part(
        &mut self,
        data: &[u8],
        choice: u32,
        fields: &[Token<Field>],
        sink: &mut impl Sink,
    ) {
        let (mut text, mut signature) = (None, None);
        let mut channel = Channel::Content;
        let mut owner = Owner::Message { choice };
        for (token, inside) in items(fields) {
            match token.field {
                Field::Text => text = token.filled(data),
                Field::Thought if token.kind == Kind::True => channel = Channel::Reasoning,
                Field::Signature if token.filled(data).is_some() => signature = Some(token),
                Field::Call if token.kind == Kind::Object => {
                    owner = Owner::Call;
                    self.speak_call(data, choice, inside, sink);
                }
                Field::Extra(name) if token.kind != Kind::Null => {
                    speak_extra(data, owner, name.as_str(), token, sink);
                }
                _ => {}
            }
        }
        if let Some(text) = text {
            sink.delta(Delta::Text { choice, channel, text });
        }
        // It stands beside what it signs: a call, a thought, or the text, which may be empty.
        if let Some(token) = signature {
            speak_extra(data, owner, "thoughtSignature", token, sink);
        }
    }

    fn speak_call(
        &mut self,
        data: &[u8],
        choice: u32,
        fields: &[Token<Field>],
        sink: &mut impl Sink,
    ) {
        let mut call = Call {
            block: Block { choice, index: None, id: None },
            kind: CallKind::Function,
            ..Call::default()
        };
        let mut continues = false;
        let mut has_values = false;
        for (token, _) in items(fields) {
            match token.field {
                Field::Id => {
                    call.id = token.filled(data);
                    call.warning = call.id.is_none().then_some(Warning::MissingId);
                }
                Field::Name => call.name = token.filled(data),
                Field::Arguments => match token.text(data) {
                    Some(text) => {
                        call.input = Some(text);
                        call.warning = Some(Warning::ArgumentsAsString);
                    }
                    None if token.kind == Kind::Null => {}
                    None => call.input = Some(Text { bytes: token.bytes(data), escaped: false }),
                },
                Field::Partial => has_values |= token.kind == Kind::Object,
                Field::Continues => continues = token.kind == Kind::True,
                _ => {}
            }
        }
        let open = self.open.iter().position(|(of, _)| *of == choice);
        let is_start = call.name.is_some();
        let block = match open {
            Some(at) if !is_start => {
                let block = Block { choice, index: Some(self.open[at].1), id: None };
                if call.input.is_some() {
                    sink.delta(Delta::Snapshot { block, text: call.input });
                }
                block
            }
            _ => {
                if let Some(at) = open {
                    // Only one is written at a time: the older one is over.
                    let (_, older) = self.open.swap_remove(at);
                    let block = Block { choice, index: Some(older), id: None };
                    sink.delta(Delta::BlockWarning { block, warning: Warning::MissingBlockStop });
                    sink.delta(Delta::Close(block));
                }
                if !is_start {
                    if call.input.is_none() && !has_values {
                        return;
                    }
                    call.warning = Some(Warning::OrphanFragment);
                }
                if !continues && !has_values {
                    return sink.delta(Delta::Whole(call));
                }
                call.block.index = Some(self.blocks);
                self.open.push((choice, self.blocks));
                self.blocks += 1;
                sink.delta(Delta::Open(call));
                call.block
            }
        };
        for (token, inside) in items(fields) {
            if token.field == Field::Partial && token.kind == Kind::Object {
                speak_value(data, block, token, inside, sink);
            }
        }
        if !continues {
            self.open.retain(|(of, _)| *of != choice);
            sink.delta(Delta::Close(block));
        }
    }
}

fn speak_value(
    data: &[u8],
    block: Block<'_>,
    token: Token<Field>,
    fields: &[Token<Field>],
    sink: &mut impl Sink,
) {
    let mut update = Update {
        path: Text::default(),
        value: Value::Empty,
        continues: false,
        json: token.bytes(data),
    };
    for (token, _) in items(fields) {
        match token.field {
            Field::Path => update.path = token.text(data).unwrap_or_default(),
            Field::String => {
                if let Some(text) = token.text(data) {
                    update.value = Value::Text(text)
                }
            }
            Field::Scalar if token.kind != Kind::Null => {
                update.value = Value::Scalar(token.json(data));
            }
            Field::NullValue => update.value = Value::Scalar(b"null"),
            Field::Continues => update.continues = token.kind == Kind::True,
            _ => {}
        }
    }
    sink.delta(Delta::Value { block, update });
}

/// What stops the candidate comes after what its parts bring, whatever the order of the keys.
fn speak_stop(data: &[u8], choice: u32, fields: &[Token<Field>], sink: &mut impl Sink) {
    for (token, _) in items(fields).filter(|(token, _)| token.field == Field::FinishReason) {
        match token.filled(data) {
            Some(reason) if reason != *"FINISH_REASON_UNSPECIFIED" => {
                sink.delta(Delta::Stop { choice, reason });
            }
            _ => {}
        }
    }
}

fn choice_of(data: &[u8], fields: &[Token<Field>]) -> u32 {
    let index = items(fields).find(|(token, _)| token.field == Field::Index);
    index.and_then(|(token, _)| token.integer(data)?.try_into().ok()).unwrap_or(0)
}

fn speak_extra(
    data: &[u8],
    owner: Owner,
    name: &'static str,
    token: Token<Field>,
    sink: &mut impl Sink,
) {
    sink.delta(Delta::Extra { owner, name: Text::plain(name), json: token.json(data) });
}
