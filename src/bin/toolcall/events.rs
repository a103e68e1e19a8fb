//! `toolcall events`: every event, one JSON object a line.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};
use toolcall::event::{self, Outcome};
use toolcall::{CallKey, Decoder, Event};

use crate::args::Events;
use crate::document;
use crate::failure::Failure;
use crate::input::Input;
use crate::reading::{Item, Reading};

pub fn run(options: &Events) -> Result<ExitCode, Failure> {
    let input = Input::open(options.file.as_deref())?;
    let mut out = io::stdout().lock();
    let reading = Reading::of(input, Decoder::new(options.protocol), |item| {
        // A line that is read while it is written: a running stream is watched.
        document::write(&mut out, &line(&item))?;
        out.flush().map_err(Failure::writing)
    })?;
    reading.report();
    let status = reading.status();
    reading.into_failure().map_or(Ok(ExitCode::from(status)), Err)
}

/// An event as the program prints it. Bytes that are no text are shown as far as they are.
pub fn line(item: &Item<'_>) -> Value {
    let event = match item {
        Ok(event) => event,
        Err(error) => {
            return json!({
                "type": "error",
                "kind": error.kind().as_str(),
                "message": error.to_string(),
                "position": position(error.position()),
            });
        }
    };
    match event {
        Event::MessageStart(start) => {
            json!({ "type": "message_start", "id": start.id, "model": start.model })
        }
        Event::Text(piece) => text("text", piece),
        Event::Reasoning(piece) => text("reasoning", piece),
        Event::Refusal(piece) => text("refusal", piece),
        Event::ToolCallStart(start) => keyed(
            "tool_call_start",
            start.key,
            json!({
                "kind": start.kind.as_str(),
                "id": start.id,
                "name": start.name,
            }),
        ),
        Event::ToolCallDelta(delta) => {
            let mut more = json!({ "fragment": delta.fragment });
            if delta.replaces {
                more["replaces"] = true.into();
            }
            keyed("tool_call_delta", delta.key, more)
        }
        Event::ToolCallEnd(end) => keyed("tool_call_end", end.key, document::call(&end.result)),
        Event::Extra(extra) => json!({
            "type": "extra",
            "choice": extra.choice,
            "name": extra.name,
            "value": document::json(&extra.json),
        }),
        Event::Usage(usage) => {
            let json: Value = serde_json::from_str(&usage.json).unwrap_or_default();
            json!({ "type": "usage", "usage": json })
        }
        Event::Stop(stop) => {
            json!({ "type": "stop", "choice": stop.choice, "reason": stop.reason.as_str() })
        }
        Event::ProviderError(error) => json!({
            "type": "provider_error",
            "kind": error.kind,
            "message": error.message,
            "payload": lossy(&error.payload),
        }),
        Event::Comment(comment) => json!({ "type": "comment", "comment": lossy(comment) }),
        Event::Other(other) => json!({
            "type": "other",
            "name": lossy(&other.name),
            "data": lossy(&other.data),
            "position": position(other.position),
        }),
        Event::Warning(event) => json!({
            "type": "warning",
            "warning": event.warning.as_str(),
            "position": position(event.position),
        }),
        Event::End(end) => json!({
            "type": "end",
            "stream": match &end.outcome {
                Outcome::Complete => "complete".into(),
                Outcome::Failed(kind) => format!("error:{kind}"),
                _ => "ended-early".into(),
            },
        }),
        _ => json!({ "type": "unknown" }),
    }
}

fn text(kind: &str, text: &event::Text<'_>) -> Value {
    json!({ "type": kind, "choice": text.choice, "text": text.text })
}

fn keyed(kind: &str, key: CallKey, more: Value) -> Value {
    let mut line = json!({ "type": kind, "choice": key.choice, "position": key.position });
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    line
}

fn position(position: toolcall::Position) -> Value {
    json!({ "byte": position.byte, "event": position.event })
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
