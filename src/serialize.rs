//! What logs and other languages read: the names here are stable.
//!
//! An [`Event`] is an object with a `type`. A call, whole or failed, has the keys that the program's
//! `decode --format json` prints.

use alloc::string::String;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::call::{CallKey, CallKind, ToolCall};
use crate::diagnostic::{Fragment, InvalidToolCall, ParseError, Recovery, Verdict};
use crate::error::{Error, Position};
use crate::event::{Event, Outcome};
use crate::extras::Extras;
use crate::stop::StopReason;
use crate::warning::Warning;

impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Event::MessageStart(start) => {
                map.serialize_entry("type", "message-start")?;
                map.serialize_entry("id", &filled(&start.id))?;
                map.serialize_entry("model", &filled(&start.model))?;
            }
            Event::Text(text) | Event::Reasoning(text) | Event::Refusal(text) => {
                let name = match self {
                    Event::Text(_) => "text",
                    Event::Reasoning(_) => "reasoning",
                    _ => "refusal",
                };
                map.serialize_entry("type", name)?;
                map.serialize_entry("choice", &text.choice)?;
                map.serialize_entry("text", &text.text)?;
            }
            Event::ToolCallStart(start) => {
                map.serialize_entry("type", "tool-call-start")?;
                key(&mut map, start.key)?;
                map.serialize_entry("kind", start.kind.as_str())?;
                map.serialize_entry("id", &start.id)?;
                map.serialize_entry("name", &filled(&start.name))?;
            }
            Event::ToolCallDelta(delta) => {
                map.serialize_entry("type", "tool-call-delta")?;
                key(&mut map, delta.key)?;
                map.serialize_entry("fragment", &delta.fragment)?;
            }
            Event::ToolCallEnd(end) => {
                map.serialize_entry("type", "tool-call-end")?;
                match &end.result {
                    Ok(whole) => call(&mut map, whole)?,
                    Err(failed) => invalid_call(&mut map, failed)?,
                }
            }
            Event::Extra(extra) => {
                map.serialize_entry("type", "extra")?;
                map.serialize_entry("choice", &extra.choice)?;
                map.serialize_entry("name", &extra.name)?;
                map.serialize_entry("json", &json(&extra.json))?;
            }
            Event::Usage(usage) => {
                map.serialize_entry("type", "usage")?;
                map.serialize_entry("usage", &json(&usage.json))?;
            }
            Event::Stop(stop) => {
                map.serialize_entry("type", "stop")?;
                map.serialize_entry("choice", &stop.choice)?;
                map.serialize_entry("reason", &stop.reason)?;
            }
            Event::ProviderError(error) => {
                map.serialize_entry("type", "provider-error")?;
                map.serialize_entry("error", &error.kind)?;
                map.serialize_entry("message", &filled(&error.message))?;
                map.serialize_entry("payload", &lossy(&error.payload))?;
            }
            Event::Comment(comment) => {
                map.serialize_entry("type", "comment")?;
                map.serialize_entry("text", &lossy(comment))?;
            }
            Event::Other(other) => {
                map.serialize_entry("type", "other")?;
                map.serialize_entry("name", &filled(&lossy(&other.name)))?;
                map.serialize_entry("data", &lossy(&other.data))?;
                position(&mut map, other.position)?;
            }
            Event::Warning(warning) => {
                map.serialize_entry("type", "warning")?;
                map.serialize_entry("warning", &warning.warning)?;
                position(&mut map, warning.position)?;
            }
            Event::End(end) => {
                map.serialize_entry("type", "end")?;
                map.serialize_entry("stream", &end.outcome)?;
            }
        }
        map.end()
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Outcome::Complete => serializer.serialize_str("complete"),
            Outcome::EndedEarly => serializer.serialize_str("ended-early"),
            Outcome::Failed(kind) => serializer.collect_str(&format_args!("error:{kind}")),
        }
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        call(&mut map, self)?;
        map.end()
    }
}

fn call<M: SerializeMap>(map: &mut M, call: &ToolCall) -> Result<(), M::Error> {
    let arguments = match call.kind() {
        CallKind::Custom => Value::Null,
        _ => call.arguments().value(),
    };
    key(map, call.key())?;
    map.serialize_entry("kind", call.kind().as_str())?;
    map.serialize_entry("id", &call.id())?;
    map.serialize_entry("name", &filled(call.name()))?;
    map.serialize_entry("raw", call.arguments().raw())?;
    map.serialize_entry("arguments", &arguments)?;
    map.serialize_entry("error", &())?;
    map.serialize_entry("warnings", &List(|| call.warnings()))?;
    extras(map, call.extras())
}

impl Serialize for InvalidToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        invalid_call(&mut map, self)?;
        map.end()
    }
}

fn invalid_call<M: SerializeMap>(map: &mut M, call: &InvalidToolCall) -> Result<(), M::Error> {
    key(map, call.key())?;
    map.serialize_entry("kind", call.kind_of_call().as_str())?;
    map.serialize_entry("id", &call.id())?;
    map.serialize_entry("name", &filled(call.name()))?;
    map.serialize_entry("raw", call.raw())?;
    map.serialize_entry("arguments", &())?;
    map.serialize_entry("error", call.kind().as_str())?;
    map.serialize_entry("message", &Text(call))?;
    map.serialize_entry("offset", &call.offset())?;
    map.serialize_entry("line", &call.line())?;
    map.serialize_entry("column", &call.column())?;
    map.serialize_entry("verdict", &call.verdict())?;
    if let Some(recovery) = call.recovery() {
        map.serialize_entry("recovery", &recovery)?;
    }
    map.serialize_entry("fragments", &List(|| call.fragments()))?;
    map.serialize_entry("warnings", &List(|| call.warnings()))?;
    extras(map, call.extras())
}

/// Only where there are any.
fn extras<M: SerializeMap>(map: &mut M, extras: &Extras) -> Result<(), M::Error> {
    if extras.is_empty() {
        return Ok(());
    }
    let values: Map<String, Value> =
        extras.iter().map(|(name, value)| (name.into(), json(value))).collect();
    map.serialize_entry("extras", &values)
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.as_str())?;
        match self {
            Verdict::ModelOutput { fault } => map.serialize_entry("fault", fault.as_str())?,
            Verdict::Truncated { by } => map.serialize_entry("by", by.as_str())?,
            Verdict::GluedCalls { at } | Verdict::AfterStop { at } => {
                map.serialize_entry("at", at)?;
            }
            Verdict::RepeatedFragment { fragment, reading } => {
                map.serialize_entry("fragment", fragment)?;
                map.serialize_entry("reading", &reading.map(|reading| reading.as_str()))?;
            }
            Verdict::TrailingToken { at, length } => {
                map.serialize_entry("at", at)?;
                map.serialize_entry("length", length)?;
            }
            Verdict::Undecided { clue } => map.serialize_entry("clue", clue.as_str())?,
            Verdict::LostStart | Verdict::Placeholder => {}
        }
        map.serialize_entry("message", &Text(self))?;
        map.end()
    }
}

impl Serialize for Recovery<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("kind", self.kind.as_str())?;
        map.serialize_entry("arguments", &self.value())?;
        map.end()
    }
}

impl Serialize for Fragment<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("raw", &[self.range.start, self.range.end])?;
        map.serialize_entry("event", &self.event)?;
        map.serialize_entry("stream", &[self.span.start, self.span.end])?;
        map.end()
    }
}

impl Serialize for ParseError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("path", self.path())?;
        map.serialize_entry("expected", &self.expected())?;
        map.serialize_entry("got", &self.got())?;
        map.serialize_entry("range", &[self.range().start, self.range().end])?;
        map.serialize_entry("message", &Text(self))?;
        map.end()
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("error", self.kind().as_str())?;
        map.serialize_entry("message", &Text(self))?;
        position(&mut map, self.position())?;
        map.serialize_entry("excerpt", &lossy(self.excerpt()))?;
        map.end()
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

fn key<M: SerializeMap>(map: &mut M, key: CallKey) -> Result<(), M::Error> {
    map.serialize_entry("choice", &key.choice)?;
    map.serialize_entry("position", &key.position)
}

fn position<M: SerializeMap>(map: &mut M, position: Position) -> Result<(), M::Error> {
    map.serialize_entry("byte", &position.byte)?;
    map.serialize_entry("event", &position.event)
}

/// An empty text is an absent one.
fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn lossy(bytes: &[u8]) -> alloc::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The provider's JSON; as text, where it is none.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// By its `Display`.
struct Text<'a, T>(&'a T);

impl<T: core::fmt::Display> Serialize for Text<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// The items of an iterator that can be made again.
struct List<F>(F);

impl<F: Fn() -> I, I: IntoIterator<Item: Serialize>> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use crate::{Decoder, Message, Protocol};

    const STREAM: &str = r##": hello

event: message_start
data: {"type":"message_start","message":{"id":"msg_1","model":"claude","usage":{"input_tokens":9}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"pay","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"amount\":"}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" 12}"}}

data: {"type":"content_block_stop","index":1}

data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_2","name":"pay","input":{}}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"amount\":7}"}}

data: {"type":"content_block_stop","index":2}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}

event: surprise
data: {"type":"surprise"}

data: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}

"##;

    #[test]
    fn events_have_stable_names() {
        let mut decoder = Decoder::new(Protocol::AnthropicMessages);
        let mut lines = Vec::new();
        let mut input = STREAM.as_bytes();
        while let Some(event) = decoder.decode(&mut input).unwrap() {
            lines.push(serde_json::to_string(&event).unwrap());
        }
        while let Some(event) = decoder.decode_eof().unwrap() {
            lines.push(serde_json::to_string(&event).unwrap());
        }
        insta::assert_snapshot!("events", lines.join("\n"));
    }

    #[test]
    fn errors_have_stable_names() {
        let message = Message::from_chunks(Protocol::AnthropicMessages, [STREAM]).unwrap();
        let call = message.calls().next().unwrap();
        let misfit = call.arguments().parse::<alloc::collections::BTreeMap<String, bool>>();
        let mut lines = alloc::vec![serde_json::to_string(&misfit.unwrap_err()).unwrap()];
        let broken = Message::from_chunks(
            Protocol::AnthropicMessages,
            ["event: message_start\ndata: {\n\n"],
        );
        let broken = broken.unwrap_err();
        lines.push(serde_json::to_string(&broken.error).unwrap());
        assert!(!broken.to_string().is_empty());
        insta::assert_snapshot!("errors", lines.join("\n"));
    }
}
