//! The streams, made from a fixed seed: the shapes of real ones, no bytes of theirs.

use std::fmt::Write;

/// Many bytes of one kind of stream.
pub struct Stream {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }
}

const WORDS: [&str; 16] = [
    "the",
    " weather",
    " in",
    " Zürich",
    " is",
    " fine",
    ",",
    " and",
    " {\\\"city\\\":",
    " tool",
    " 東京",
    "\\n",
    " call",
    " of",
    " a",
    " 42",
];

/// Chat completion chunks of 350 bytes or so.
fn chat(size: usize) -> Vec<u8> {
    let mut random = Random(1);
    let mut out = String::new();
    while out.len() < size {
        let pad: String =
            (0..random.below(90) + 20).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
        let _ = write!(
            out,
            "data: {{\"id\":\"chatcmpl-BenchAAAAAAAAAAAAAAAAAAAA\",\"object\":\"chat.completion.chunk\",\
             \"created\":1767225600,\"model\":\"bench-model-2026\",\"service_tier\":\"default\",\
             \"system_fingerprint\":\"fp_0123456789\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{}\"}},\
             \"logprobs\":null,\"finish_reason\":null}}],\"obfuscation\":\"{pad}\"}}\n\n",
            WORDS[random.below(WORDS.len())]
        );
    }
    out.into_bytes()
}

/// Named events of 140 bytes or so.
fn messages(size: usize) -> Vec<u8> {
    let mut random = Random(2);
    let mut out = String::new();
    while out.len() < size {
        let _ = write!(
            out,
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{},\
             \"delta\":{{\"type\":\"text_delta\",\"text\":\"{}\"}}}}\n\n",
            random.below(3),
            WORDS[random.below(WORDS.len())]
        );
    }
    out.into_bytes()
}

/// Events of nine bytes.
fn tiny(size: usize) -> Vec<u8> {
    let mut random = Random(3);
    let mut out = String::new();
    while out.len() < size {
        let _ = write!(out, "data: {}\n\n", random.below(10));
    }
    out.into_bytes()
}

/// The chat stream with CR LF.
fn crlf(size: usize) -> Vec<u8> {
    let text = String::from_utf8(chat(size)).expect("text");
    text.replace('\n', "\r\n").into_bytes()
}

/// Keep-alive comments.
fn keep_alive(size: usize) -> Vec<u8> {
    b": OPENROUTER PROCESSING\n\n".repeat(size / 25)
}

pub fn all(size: usize) -> Vec<Stream> {
    vec![
        Stream { name: "chat", bytes: chat(size) },
        Stream { name: "messages", bytes: messages(size) },
        Stream { name: "tiny", bytes: tiny(size / 4) },
        Stream { name: "crlf", bytes: crlf(size) },
        Stream { name: "keep-alive", bytes: keep_alive(size / 4) },
    ]
}
