//! Captures of what providers stream, made up by a seeded generator: the same bytes on every machine.
//!
//! One place for the benches, the tests and the peers' package, each of which includes it by path.

#![allow(dead_code)] // each of them uses a part of it

mod anthropic;
mod chat;
pub mod job;
mod material;
mod responses;

use material::Source;

/// The wire format of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Chat,
    Anthropic,
    Responses,
}

/// Whole responses, each a stream of its own, and what a reader must find in them.
#[derive(Debug)]
pub struct Capture {
    pub name: &'static str,
    pub wire: Wire,
    pub responses: Vec<Vec<u8>>,
    pub tally: Tally,
}

/// Sums over all that a capture says; every reader has to come to the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Framed events that carry data.
    pub events: usize,
    pub calls: usize,
    /// Bytes of the calls' raw arguments.
    pub arguments: usize,
    /// Bytes of text and reasoning.
    pub text: usize,
}

/// The captures of the tables: chat, Anthropic, Responses, one large call.
pub const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// The capture of that name, at least `bytes` long.
///
/// | name | what |
/// |---|---|
/// | `a` | Chat Completions, text, 1 to 8 calls at once, interleaved; half of them obfuscated |
/// | `b` | Anthropic, thinking, text, pings, 1 to 8 calls |
/// | `c` | Responses, obfuscated, with everything said again at the end |
/// | `d` | Chat Completions, one call of 200 KB in 20-byte fragments |
/// | `b-large` | the same on Anthropic |
/// | `a-crlf`, `b-crlf` | with CR LF for LF |
/// | `a-strange` | `a` with another id and another member in every chunk: no two envelopes are alike |
/// | `line` | Chat Completions, one call in one fragment of 8 MiB |
pub fn capture(name: &'static str, bytes: usize) -> Capture {
    let seed = name.bytes().fold(7, |seed, byte| seed * 31 + u64::from(byte));
    let mut source = Source::new(seed);
    let make: fn(&mut Source) -> (Vec<u8>, Tally) = match name {
        "a" | "a-crlf" | "a-strange" => chat::parallel_calls,
        "b" | "b-crlf" => anthropic::blocks,
        "c" => responses::items,
        "d" => |source| chat::one_call(source, 200_000, 20),
        "b-large" => |source| anthropic::one_call(source, 200_000, 20),
        "line" => |source| chat::one_call(source, 8 << 20, usize::MAX),
        _ => panic!("no capture is named {name}"),
    };
    let wire = match name.as_bytes()[0] {
        b'b' => Wire::Anthropic,
        b'c' => Wire::Responses,
        _ => Wire::Chat,
    };
    let mut capture = Capture { name, wire, responses: Vec::new(), tally: Tally::default() };
    let mut length = 0;
    while length < bytes {
        let (mut response, tally) = make(&mut source);
        match name {
            "a-crlf" | "b-crlf" => response = with_crlf(&response),
            "a-strange" => chat::estrange(&mut source, &mut response),
            _ => {}
        }
        length += response.len();
        capture.tally.add(tally);
        capture.responses.push(response);
    }
    capture
}

/// One response with one call of `bytes` of arguments, in fragments of `fragment` characters.
pub fn one_call(wire: Wire, bytes: usize, fragment: usize) -> Capture {
    let mut source = Source::new(bytes as u64);
    let (response, tally) = match wire {
        Wire::Chat => chat::one_call(&mut source, bytes, fragment),
        Wire::Anthropic => anthropic::one_call(&mut source, bytes, fragment),
        Wire::Responses => responses::one_call(&mut source, bytes, fragment),
    };
    Capture { name: "one call", wire, responses: vec![response], tally }
}

/// One Chat Completions response with so many calls at once.
pub fn many_calls(calls: usize) -> Capture {
    let (response, tally) = chat::calls(&mut Source::new(calls as u64), 0, calls);
    Capture { name: "many calls", wire: Wire::Chat, responses: vec![response], tally }
}

impl Capture {
    /// Length of all responses.
    pub fn bytes(&self) -> usize {
        self.responses.iter().map(Vec::len).sum()
    }
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.events += other.events;
        self.calls += other.calls;
        self.arguments += other.arguments;
        self.text += other.text;
    }
}

fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    bytes.split_inclusive(|byte| *byte == b'\n').fold(Vec::new(), |mut out, line| {
        match line.strip_suffix(b"\n") {
            Some(line) => out.extend([line, b"\r\n"].concat()),
            None => out.extend(line),
        }
        out
    })
}
