//! Ollama's own `/api/chat`: a JSON object a line.
//!
//! Source: Ollama API documentation, "Generate a chat completion". Every call is whole, its arguments
//! are an object; the line that says `done` ends the message and may bring calls itself.

use super::delta::{Call, Channel, Delta, Failure, Sink};
use super::envelope::Envelope;
use super::fields::{Kind, Node, Token, branch, items, leaf};
use super::head::Head;
use super::json::Text;
use super::{Malformed, is_done};
use crate::frame::{Body, Frame};
use crate::warning::Warning;

/// Reads lines.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(super) envelope: Envelope<Field>,
    started: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Model,
    Message,
    Done,
    DoneReason,
    Error,
    Count,
    Content,
    Thinking,
    Call,
    Id,
    Function,
    Name,
    Arguments,
}

static ROOT: Node<Field> = Node {
    keys: &[
        leaf("model", Field::Model),
        branch("message", Field::Message, &MESSAGE),
        // The text of `/api/generate`.
        leaf("response", Field::Content),
        leaf("thinking", Field::Thinking),
        leaf("done", Field::Done),
        leaf("done_reason", Field::DoneReason),
        leaf("prompt_eval_count", Field::Count),
        leaf("eval_count", Field::Count),
        leaf("error", Field::Error),
    ],
};
static MESSAGE: Node<Field> = Node {
    keys: &[
        leaf("content", Field::Content),
        leaf("thinking", Field::Thinking),
        branch("tool_calls", Field::Call, &CALL),
    ],
};
static CALL: Node<Field> =
    Node { keys: &[leaf("id", Field::Id), branch("function", Field::Function, &FUNCTION)] };
static FUNCTION: Node<Field> = Node {
    keys: &[leaf("name", Field::Name), leaf("arguments", Field::Arguments), leaf("id", Field::Id)],
};

/// Whether an envelope is one of these.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let is_line = head.has("model") && head.has("done");
    is_line && (head.has("message") || head.has("response"))
        || (head.body == Body::NdJson
            && head.get("error").is_some_and(|error| error.starts_with(b"\"")))
}

impl Reader {
    /// Reads one line.
    pub fn read(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        let data = frame.data.trim_ascii();
        if data.is_empty() || is_done(data) {
            return Ok(());
        }
        let tokens = self.envelope.read(frame.data, &ROOT)?;
        speak(frame.data, tokens, &mut self.started, sink);
        Ok(())
    }

    /// Reads a response that was not streamed: it looks like the last line.
    pub fn read_whole(&mut self, frame: Frame<'_>, sink: &mut impl Sink) -> Result<(), Malformed> {
        self.read(frame, sink)
    }
}

fn speak(data: &[u8], tokens: &[Token<Field>], started: &mut bool, sink: &mut impl Sink) {
    let mut reason = None;
    let [mut done, mut has_error, mut has_counts, mut is_known] = [false; 4];
    for (token, inside) in items(tokens) {
        match token.field {
            Field::Model if !*started => {
                *started = true;
                let model = token.text(data).unwrap_or_default();
                sink.delta(Delta::MessageStart { id: Text::default(), model });
            }
            Field::Message => {
                is_known = true;
                speak_message(data, inside, sink);
            }
            Field::Content | Field::Thinking => {
                is_known = true;
                speak_text(data, token, sink);
            }
            Field::Done => done = token.kind == Kind::True,
            Field::DoneReason => reason = token.filled(data),
            Field::Error => has_error = !matches!(token.kind, Kind::Null | Kind::False),
            Field::Count => has_counts |= token.kind == Kind::Number,
            _ => {}
        }
    }
    if has_error {
        let mut failure = Failure::read(data, &["type", "code"]);
        if failure.kind.is_empty() {
            failure.kind = Text::plain("ollama");
        }
        return sink.delta(Delta::Failure(failure));
    }
    if done {
        if let Some(reason) = reason {
            sink.delta(Delta::Stop { choice: 0, reason });
        }
        if has_counts {
            sink.delta(Delta::Usage { json: data.trim_ascii() });
        }
        sink.delta(Delta::Done);
    } else if !is_known {
        sink.delta(Delta::Other);
    }
}

fn speak_message(data: &[u8], fields: &[Token<Field>], sink: &mut impl Sink) {
    for (token, inside) in items(fields) {
        match token.field {
            Field::Call if token.kind == Kind::Object => {
                sink.delta(Delta::Whole(read_call(data, inside)));
            }
            _ => speak_text(data, token, sink),
        }
    }
}

fn speak_text(data: &[u8], token: Token<Field>, sink: &mut impl Sink) {
    let channel = match token.field {
        Field::Content => Channel::Content,
        Field::Thinking => Channel::Reasoning,
        _ => return,
    };
    if let Some(text) = token.filled(data) {
        sink.delta(Delta::Text { choice: 0, channel, text });
    }
}

fn read_call<'a>(data: &'a [u8], fields: &[Token<Field>]) -> Call<'a> {
    let mut call = Call::default();
    for (token, inside) in items(fields) {
        match token.field {
            Field::Id => read_id(data, token, &mut call),
            Field::Function => {
                for (token, _) in items(inside) {
                    match token.field {
                        Field::Id if call.id.is_none() => read_id(data, token, &mut call),
                        Field::Name => call.name = token.filled(data),
                        Field::Arguments => match token.text(data) {
                            Some(text) => {
                                call.input = Some(text);
                                call.warning = Some(Warning::ArgumentsAsString);
                            }
                            None if token.kind == Kind::Null => {}
                            None => {
                                let bytes = token.bytes(data);
                                call.input = Some(Text { bytes, escaped: false });
                            }
                        },
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    call
}

fn read_id<'a>(data: &'a [u8], token: Token<Field>, call: &mut Call<'a>) {
    call.id = token.filled(data);
    if call.id.is_none() && token.kind == Kind::String {
        call.warning = Some(Warning::MissingId);
    }
}
