//! Anthropic Messages.

use super::Tally;
use super::material::{Call, Escaped, Source};

#[derive(Default)]
struct Stream {
    out: String,
    tally: Tally,
    block: usize,
}

impl Stream {
    fn start(source: &mut Source) -> Self {
        let mut stream = Stream::default();
        let message = format!(
            "\"message\":{{\"id\":\"msg_01{}\",\"type\":\"message\",\"role\":\"assistant\",\
             \"model\":\"claude-sonnet-4-20250514\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\
             \"usage\":{{\"input_tokens\":512,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\
             \"output_tokens\":1,\"service_tier\":\"standard\"}}}}",
            source.letters(22)
        );
        stream.event("message_start", &message);
        stream
    }

    fn event(&mut self, name: &str, members: &str) {
        let comma = if members.is_empty() { "" } else { "," };
        self.out += &format!("event: {name}\ndata: {{\"type\":\"{name}\"{comma}{members}}}\n\n");
        self.tally.events += 1;
    }

    fn ping(&mut self) {
        self.out += "event: ping\ndata: {\"type\": \"ping\"}\n\n";
        self.tally.events += 1;
    }

    fn open(&mut self, block: &str) {
        let members = format!("\"index\":{},\"content_block\":{block}", self.block);
        self.event("content_block_start", &members);
    }

    fn delta(&mut self, kind: &str, key: &str, text: &str) {
        let members = format!(
            "\"index\":{},\"delta\":{{\"type\":\"{kind}\",\"{key}\":\"{}\"}}",
            self.block,
            Escaped(text)
        );
        self.event("content_block_delta", &members);
    }

    fn close(&mut self) {
        self.event("content_block_stop", &format!("\"index\":{}", self.block));
        self.block += 1;
    }

    fn texts(&mut self, source: &mut Source, kind: &str, key: &str) {
        for _ in 0..source.between(5, 60) {
            let text = source.words(1, 7);
            self.tally.text += text.len();
            self.delta(kind, key, &text);
            if key == "text" && source.percent(2) {
                self.ping();
            }
        }
    }

    fn call(&mut self, source: &mut Source, call: &Call) {
        self.open(&format!(
            "{{\"type\":\"tool_use\",\"id\":\"{}\",\"name\":\"{}\",\"input\":{{}}}}",
            call.id, call.name
        ));
        self.delta("input_json_delta", "partial_json", "");
        for fragment in &call.fragments {
            self.tally.arguments += fragment.len();
            self.delta("input_json_delta", "partial_json", fragment);
            if source.percent(1) {
                self.ping();
            }
        }
        self.close();
        self.tally.calls += 1;
    }

    fn finish(mut self) -> (Vec<u8>, Tally) {
        self.event(
            "message_delta",
            "\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":163}",
        );
        self.event("message_stop", "");
        (self.out.into_bytes(), self.tally)
    }
}

/// Thinking in half of the messages, text, 1 to 8 calls.
pub fn blocks(source: &mut Source) -> (Vec<u8>, Tally) {
    let mut stream = Stream::start(source);
    if source.percent(50) {
        stream.open(r#"{"type":"thinking","thinking":"","signature":""}"#);
        stream.texts(source, "thinking_delta", "thinking");
        stream.delta("signature_delta", "signature", &source.letters(300));
        stream.close();
    }
    stream.open(r#"{"type":"text","text":""}"#);
    stream.ping();
    stream.texts(source, "text_delta", "text");
    stream.close();
    for _ in 0..source.between(1, 8) {
        let call = source.call("toolu_", 1, 24);
        stream.call(source, &call);
    }
    stream.finish()
}

pub fn one_call(source: &mut Source, bytes: usize, fragment: usize) -> (Vec<u8>, Tally) {
    let mut stream = Stream::start(source);
    let call = source.large_call("toolu_", bytes, fragment);
    stream.call(source, &call);
    stream.finish()
}
