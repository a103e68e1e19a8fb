//! OpenAI Chat Completions.

use super::Tally;
use super::material::{Call, Escaped, Source};

/// What all chunks of one response have in common.
struct Stream {
    out: String,
    tally: Tally,
    head: String,
    has_null_usage: bool,
    is_obfuscated: bool,
}

impl Stream {
    fn new(source: &mut Source) -> Self {
        let head = format!(
            "data: {{\"id\":\"chatcmpl-{}\",\"object\":\"chat.completion.chunk\",\"created\":{},\
             \"model\":\"gpt-4o-2024-08-06\",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_{}\",\"choices\":[",
            source.letters(29),
            1_741_000_000 + source.between(0, 999_999),
            source.letters(10)
        );
        let (out, tally) = (String::new(), Tally::default());
        let (has_null_usage, is_obfuscated) = (source.percent(50), source.percent(50));
        Stream { out, tally, head, has_null_usage, is_obfuscated }
    }

    fn chunk(&mut self, source: &mut Source, delta: &str, finish_reason: &str) {
        self.out += &self.head;
        self.out += &format!(
            "{{\"index\":0,\"delta\":{delta},\"logprobs\":null,\"finish_reason\":{finish_reason}}}]"
        );
        if self.has_null_usage {
            self.out += ",\"usage\":null";
        }
        if self.is_obfuscated {
            let len = source.between(2, 16);
            self.out += &format!(",\"obfuscation\":\"{}\"", source.letters(len));
        }
        self.out += "}\n\n";
        self.tally.events += 1;
    }

    fn text(&mut self, source: &mut Source) {
        let text = source.words(1, 4);
        self.tally.text += text.len();
        self.chunk(source, &format!("{{\"content\":\"{}\"}}", Escaped(&text)), "null");
    }

    fn open(&mut self, source: &mut Source, index: usize, call: &Call) {
        let delta = format!(
            "{{\"tool_calls\":[{{\"index\":{index},\"id\":\"{}\",\"type\":\"function\",\
             \"function\":{{\"name\":\"{}\",\"arguments\":\"\"}}}}]}}",
            call.id, call.name
        );
        self.tally.calls += 1;
        self.chunk(source, &delta, "null");
    }

    fn fragment(&mut self, source: &mut Source, index: usize, fragment: &str) {
        let delta = format!(
            "{{\"tool_calls\":[{{\"index\":{index},\"function\":{{\"arguments\":\"{}\"}}}}]}}",
            Escaped(fragment)
        );
        self.tally.arguments += fragment.len();
        self.chunk(source, &delta, "null");
    }

    fn finish(mut self, source: &mut Source) -> (Vec<u8>, Tally) {
        self.chunk(source, "{}", "\"tool_calls\"");
        self.out += &self.head;
        self.out += "],\"usage\":{\"prompt_tokens\":214,\"completion_tokens\":88,\"total_tokens\":302,\
            \"prompt_tokens_details\":{\"cached_tokens\":0,\"audio_tokens\":0},\
            \"completion_tokens_details\":{\"reasoning_tokens\":0,\"audio_tokens\":0,\
            \"accepted_prediction_tokens\":0,\"rejected_prediction_tokens\":0}}}\n\ndata: [DONE]\n\n";
        self.tally.events += 2;
        (self.out.into_bytes(), self.tally)
    }
}

pub fn parallel_calls(source: &mut Source) -> (Vec<u8>, Tally) {
    let (texts, count) = (source.between(10, 120), source.between(1, 8));
    calls(source, texts, count)
}

/// Text, then calls that open in order and go on in any order.
pub fn calls(source: &mut Source, texts: usize, count: usize) -> (Vec<u8>, Tally) {
    let mut stream = Stream::new(source);
    stream.chunk(source, r#"{"role":"assistant","content":"","refusal":null}"#, "null");
    for _ in 0..texts {
        stream.text(source);
    }
    let calls: Vec<Call> = (0..count).map(|_| source.call("call_", 1, 12)).collect();
    let mut said = vec![0; count];
    // The calls that have something left to say; one beyond the opened ones stands for opening it.
    let mut unfinished: Vec<usize> = Vec::new();
    let mut opened = 0;
    while opened < count || !unfinished.is_empty() {
        let at = source.between(0, unfinished.len() - usize::from(opened == count));
        match unfinished.get(at).copied() {
            None => {
                stream.open(source, opened, &calls[opened]);
                unfinished.push(opened);
                opened += 1;
            }
            Some(index) => {
                stream.fragment(source, index, &calls[index].fragments[said[index]]);
                said[index] += 1;
                if said[index] == calls[index].fragments.len() {
                    unfinished.swap_remove(at);
                }
            }
        }
    }
    stream.finish(source)
}

pub fn one_call(source: &mut Source, bytes: usize, fragment: usize) -> (Vec<u8>, Tally) {
    let mut stream = Stream::new(source);
    stream.chunk(source, r#"{"role":"assistant","content":"","refusal":null}"#, "null");
    for _ in 0..5 {
        stream.text(source);
    }
    let call = source.large_call("call_", bytes, fragment);
    stream.open(source, 0, &call);
    for fragment in &call.fragments {
        stream.fragment(source, 0, fragment);
    }
    stream.finish(source)
}

/// Gives every chunk another id, and its fingerprint another key.
pub fn estrange(source: &mut Source, response: &mut [u8]) {
    for line in response.split_mut(|byte| *byte == b'\n') {
        for (mark, len) in [(&b"chatcmpl-"[..], 29), (b"system_", 11)] {
            let found = line.windows(mark.len()).position(|window| window == mark);
            if let Some(at) = found {
                let at = at + mark.len();
                line[at..at + len].copy_from_slice(source.letters(len).as_bytes());
            }
        }
    }
}
