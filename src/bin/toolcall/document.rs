//! The JSON that the program prints. Its keys are fixed: other tools read them.

use std::io::Write;

use serde_json::{Value, json};
use toolcall::event::{Extra, Outcome};
use toolcall::{CallKind, InvalidToolCall, Message, Protocol, ToolCall, Warning};

use crate::failure::Failure;

pub fn write(out: &mut impl Write, document: &Value) -> Result<(), Failure> {
    writeln!(out, "{document}").map_err(Failure::writing)
}

/// The whole message.
pub fn message(protocol: Protocol, message: &Message) -> Value {
    let mut document = summary(protocol, message);
    document["calls"] = message.results().iter().map(call).collect();
    document
}

/// The message without its calls.
pub fn summary(protocol: Protocol, message: &Message) -> Value {
    let stream = match &message.outcome {
        Some(Outcome::Complete) => "complete".into(),
        Some(Outcome::Failed(kind)) => format!("error:{kind}"),
        _ => "ended-early".into(),
    };
    let mut document = json!({
        "protocol": protocol.as_str(),
        "text": message.text,
        "reasoning": message.reasoning,
        "stop": message.stop.as_ref().map(|stop| stop.as_str()),
        "stream": stream,
        "warnings": names(message.warnings.iter().copied()),
    });
    if let Some(usage) = &message.usage {
        document["usage"] = json(usage);
    }
    if !message.extras.is_empty() {
        let extra = |extra: &Extra<'_>| json!({ "name": extra.name, "value": json(&extra.json) });
        document["extras"] = message.extras.iter().map(extra).collect();
    }
    document
}

/// A provider's own JSON; as text where it is none after all.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// One call.
pub fn call(result: &Result<ToolCall, InvalidToolCall>) -> Value {
    let extras = match result {
        Ok(call) => call.extras(),
        Err(invalid) => invalid.extras(),
    };
    let mut document = judged(result);
    if !extras.is_empty() {
        document["extras"] =
            extras.iter().map(|(name, value)| (name.to_owned(), json(value))).collect();
    }
    document
}

fn judged(result: &Result<ToolCall, InvalidToolCall>) -> Value {
    match result {
        Ok(call) => json!({
            "choice": call.key().choice,
            "position": call.key().position,
            "kind": call.kind().as_str(),
            "id": call.id(),
            "name": filled(call.name()),
            "raw": call.arguments().raw(),
            "arguments": match call.kind() {
                CallKind::Custom => Value::Null,
                _ => call.arguments().value(),
            },
            "error": null,
            "warnings": names(call.warnings()),
        }),
        Err(invalid) => {
            let mut document = json!({
                "choice": invalid.key().choice,
                "position": invalid.key().position,
                "kind": invalid.kind_of_call().as_str(),
                "id": invalid.id(),
                "name": filled(invalid.name()),
                "raw": invalid.raw(),
                "arguments": null,
                "error": invalid.kind().as_str(),
                "warnings": names(invalid.warnings()),
                "offset": invalid.offset(),
                "fragments": invalid.fragments().map(|fragment| json!({
                    "raw": [fragment.range.start, fragment.range.end],
                    "event": fragment.event,
                    "stream": [fragment.span.start, fragment.span.end],
                })).collect::<Value>(),
            });
            if let Some(recovery) = invalid.recovery() {
                document["recovery"] = json!({
                    "kind": recovery.kind.as_str(),
                    "arguments": recovery.value(),
                });
            }
            document
        }
    }
}

fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn names(warnings: impl Iterator<Item = Warning>) -> Vec<&'static str> {
    warnings.map(Warning::as_str).collect()
}
