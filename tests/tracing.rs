//! What a stream tells a subscriber, and what it must not tell.
#![cfg(all(feature = "tracing", feature = "std"))]

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use toolcall::{Message, Protocol};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};

/// Writes down all that it hears up to a level.
struct Listener {
    level: Level,
    heard: Arc<Mutex<Vec<String>>>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "toolcall" && *metadata.level() <= self.level
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.heard.lock().unwrap().push(format!("span {}", span.metadata().name()));
        Id::from_u64(1)
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.heard.lock().unwrap().push(line.0);
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

const STREAM: &str = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[\
    {\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"login\",\"arguments\":\"{\\\"key\\\":\\\"hunter2\\\"}\"}},\
    {\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"login\",\"arguments\":\"{hunter2}\"}}\
    ]}}]}\n\ndata: {hunter2\n\n";

fn heard(level: Level) -> Vec<String> {
    let heard = Arc::default();
    let listener = Listener { level, heard: Arc::clone(&heard) };
    tracing::subscriber::with_default(listener, || {
        Message::from_chunks(Protocol::OpenAiChat, [STREAM]).unwrap_err();
        let done =
            STREAM.replace("{hunter2\n", "{\"choices\":[{\"finish_reason\":\"tool_calls\"}]}\n");
        Message::from_chunks(Protocol::OpenAiChat, [done]).unwrap();
    });
    Arc::into_inner(heard).unwrap().into_inner().unwrap()
}

#[test]
fn a_span_a_stream_and_an_event_a_call() {
    let of = |name: &str| format!(" protocol=\"openai-chat\" choice=0 {name}");
    let call = |position, id| format!("position={position} id=\"{id}\" name=\"login\" bytes=");
    let broke = "WARN message=stream broke protocol=\"openai-chat\" kind=\"malformed-event\"";
    let expected = [
        "span stream".into(),
        broke.into(),
        format!("WARN message=call failed{}", of(&call(0, "a"))),
        format!("WARN message=call failed{}", of(&call(1, "b"))),
        "DEBUG message=stream over protocol=\"openai-chat\"".into(),
        "span stream".into(),
        format!("DEBUG message=call parsed{}", of(&call(0, "a"))),
        format!("WARN message=call failed{}", of(&call(1, "b"))),
        "DEBUG message=stream over protocol=\"openai-chat\" outcome=Complete".into(),
    ];
    let heard = heard(Level::DEBUG);
    assert_eq!(heard.len(), expected.len(), "{heard:#?}");
    for (heard, expected) in heard.iter().zip(&expected) {
        assert!(heard.starts_with(expected), "{heard} is not {expected}");
    }
}

#[test]
fn arguments_are_told_at_trace_only() {
    for level in [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG] {
        assert!(!heard(level).iter().any(|line| line.contains("hunter2")), "{level}");
    }
    let told = |line: &&String| line.starts_with("TRACE") && line.contains("hunter2");
    assert_eq!(heard(Level::TRACE).iter().filter(told).count(), 8);
}
