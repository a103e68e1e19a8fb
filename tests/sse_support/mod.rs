//! What the tests of the framing layer share: the cases, the chunkings, a record in owned form.

#![allow(dead_code)]

pub mod differential;
pub mod oracle;

use std::ops::Range;

use serde_json::Value;
use toolcall::sse::{Decoder, Options, Record};

/// A record with nothing borrowed, as far as the tests compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owned {
    Event {
        event: Vec<u8>,
        data: Vec<u8>,
        id: Vec<u8>,
        ordinal: u64,
        span: Range<u64>,
        segments: Vec<Range<u64>>,
        unterminated: Option<toolcall::sse::Cut>,
    },
    Comment(Vec<u8>, bool, Range<u64>),
    Retry(u128, Range<u64>),
    IdCommit(Vec<u8>, Range<u64>),
    Stray(Vec<u8>, toolcall::sse::StrayKind, bool, Range<u64>),
    Unterminated(Option<Box<Owned>>, Vec<u8>, Range<u64>),
    Limit(toolcall::sse::Limit, Range<u64>),
    End(toolcall::sse::EndState, u64, u64, Option<toolcall::sse::Body>, Vec<u8>),
}

fn own_event(event: &toolcall::sse::Event<'_>) -> Owned {
    Owned::Event {
        event: event.event().to_vec(),
        data: event.data().to_vec(),
        id: event.id().to_vec(),
        ordinal: event.ordinal(),
        span: event.span(),
        segments: event.segments().collect(),
        unterminated: event.unterminated(),
    }
}

pub fn own(record: &Record<'_>) -> Owned {
    match record {
        Record::Event(event) => own_event(event),
        Record::Comment(c) => Owned::Comment(c.text().to_vec(), c.is_cut(), c.span()),
        Record::Retry(r) => Owned::Retry(r.time().as_millis(), r.span()),
        Record::IdCommit(i) => Owned::IdCommit(i.id().to_vec(), i.span()),
        Record::Stray(s) => Owned::Stray(s.line().to_vec(), s.kind(), s.is_cut(), s.span()),
        Record::Unterminated(u) => {
            let event = u.event().map(|event| Box::new(own_event(event)));
            Owned::Unterminated(event, u.line().to_vec(), u.span())
        }
        Record::LimitExceeded(l) => Owned::Limit(l.which(), l.span()),
        Record::End(e) => Owned::End(e.state(), e.events(), e.bytes(), e.body(), e.head().to_vec()),
        other => panic!("a record of a new kind: {other:?}"),
    }
}

/// All records of a stream.
pub struct Run {
    pub records: Vec<Owned>,
    /// How many of them were there before the end was signalled.
    pub before_eof: usize,
    pub retry: Option<u128>,
    pub last_event_id: Vec<u8>,
}

pub fn run<'a>(options: &Options, chunks: impl IntoIterator<Item = &'a [u8]>) -> Run {
    let mut decoder = Decoder::with_options(options.clone());
    let mut records = Vec::new();
    for chunk in chunks {
        let mut input = chunk;
        while let Some(record) = decoder.decode(&mut input) {
            records.push(own(&record));
        }
        assert!(input.is_empty(), "`None` means that all was taken");
    }
    let before_eof = records.len();
    while let Some(record) = decoder.decode_eof() {
        records.push(own(&record));
    }
    assert!(decoder.decode_eof().is_none(), "the end is told once");
    Run {
        records,
        before_eof,
        retry: decoder.retry().map(|time| time.as_millis()),
        last_event_id: decoder.last_event_id().to_vec(),
    }
}

/// A small generator with a fixed seed, so that a failure comes back.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Cuts at random, sizes 0 to 17.
pub fn random_chunks<'a>(mut input: &'a [u8], random: &mut Random) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    while !input.is_empty() {
        let (chunk, rest) = input.split_at(random.below(18).min(input.len()));
        chunks.push(chunk);
        input = rest;
    }
    chunks
}

/// Every chunking that a case is run in, the whole input first.
pub fn chunkings<'a>(input: &'a [u8], named: &[usize]) -> Vec<Vec<&'a [u8]>> {
    let mut all = vec![vec![input]];
    for size in [1, 2, 3, 7] {
        all.push(input.chunks(size).collect());
    }
    let mut rest = input;
    let mut chunks = Vec::new();
    for &size in named {
        let (chunk, tail) = rest.split_at(size.min(rest.len()));
        chunks.push(chunk);
        rest = tail;
    }
    chunks.push(rest);
    all.push(chunks);
    if input.len() <= 4096 {
        all.extend((0..=input.len()).map(|at| vec![&input[..at], &input[at..]]));
    }
    if input.len() <= 160 {
        for first in 0..=input.len() {
            for second in first..=input.len() {
                all.push(vec![&input[..first], &input[first..second], &input[second..]]);
            }
        }
    }
    let mut random = Random(0x5eed_0001);
    all.extend((0..40).map(|_| random_chunks(input, &mut random)));
    all
}

pub fn base64(text: &str) -> Vec<u8> {
    let (mut bits, mut held, mut out) = (0u32, 0, Vec::new());
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => panic!("not base64: {byte}"),
        };
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

pub struct Case {
    pub name: String,
    pub input: Vec<u8>,
    pub chunks: Vec<usize>,
    pub json: Value,
}

/// The case files of `corpora/sse`.
pub fn cases() -> Vec<Case> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/sse");
    let mut cases: Vec<Case> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".json") && name.starts_with(|c: char| c.is_ascii_digit())
        })
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a readable case");
            let json: Value = serde_json::from_str(&text).expect("a case is JSON");
            Case {
                name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                input: base64(json["input_base64"].as_str().expect("input_base64")),
                chunks: json["chunks"]
                    .as_array()
                    .map(|sizes| sizes.iter().map(|n| n.as_u64().unwrap() as usize).collect())
                    .unwrap_or_default(),
                json,
            }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}
