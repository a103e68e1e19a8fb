//! Every decoder on the same bytes, each driven as its documentation shows. A way gives the number
//! of events and the bytes of their data, so that all can be held against each other.

use std::convert::Infallible;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::pin::pin;

use bytes::Bytes;
use futures::StreamExt;
use futures::executor::block_on;
use toolcall::sse::{Decoder, Options, Record};

/// Events and bytes of data.
pub type Tally = (u64, u64);

/// The bytes and their chunks.
pub struct Input {
    pub chunks: Vec<Bytes>,
}

impl Input {
    pub fn new(whole: &Bytes, chunk: usize) -> Self {
        let starts = (0..whole.len()).step_by(chunk);
        Input { chunks: starts.map(|at| whole.slice(at..(at + chunk).min(whole.len()))).collect() }
    }
}

pub struct Way {
    pub name: &'static str,
    pub run: fn(&Input) -> Tally,
    /// Whether its tally is one of events.
    pub decodes: bool,
}

const fn way(name: &'static str, run: fn(&Input) -> Tally) -> Way {
    Way { name, run, decodes: true }
}

pub const WAYS: [Way; 9] = [
    way("toolcall", toolcall),
    way("toolcall-str", toolcall_str),
    way("eventsource-stream", eventsource_stream),
    way("sseer", sseer),
    way("sse-core", sse_core),
    way("sse-stream", sse_stream),
    way("sse-parse", sse_parse),
    Way { name: "memchr-lines", run: memchr_lines, decodes: false },
    Way { name: "memcpy", run: memcpy, decodes: false },
];

/// Events with their places and ordinals, the data as bytes.
fn toolcall(input: &Input) -> Tally {
    let mut tally = (0, 0);
    let mut decoder = Decoder::with_options(Options::events_only());
    for chunk in &input.chunks {
        let mut bytes = &chunk[..];
        while let Some(record) = decoder.decode(&mut bytes) {
            if let Record::Event(event) = black_box(&record) {
                tally.0 += 1;
                tally.1 += event.data().len() as u64;
            }
        }
    }
    tally
}

/// The same, and the data checked as UTF-8, which the peers that own do.
fn toolcall_str(input: &Input) -> Tally {
    let mut tally = (0, 0);
    let mut decoder = Decoder::with_options(Options::events_only());
    for chunk in &input.chunks {
        let mut bytes = &chunk[..];
        while let Some(record) = decoder.decode(&mut bytes) {
            if let Record::Event(event) = black_box(&record) {
                tally.0 += 1;
                tally.1 += black_box(event.data_str()).expect("UTF-8").len() as u64;
            }
        }
    }
    tally
}

fn ready(input: &Input) -> impl futures::Stream<Item = Result<Bytes, Infallible>> {
    futures::stream::iter(input.chunks.iter().cloned().map(Ok))
}

fn eventsource_stream(input: &Input) -> Tally {
    let mut tally = (0, 0);
    let mut stream = pin!(eventsource_stream::EventStream::new(ready(input)));
    block_on(async {
        while let Some(event) = stream.next().await {
            let event = event.expect("an event");
            black_box(&event);
            tally.0 += 1;
            tally.1 += event.data.len() as u64;
        }
    });
    tally
}

fn sseer(input: &Input) -> Tally {
    let mut tally = (0, 0);
    let mut stream = pin!(sseer::event_stream::EventStream::new(ready(input)));
    block_on(async {
        while let Some(event) = stream.next().await {
            let event = event.expect("an event");
            black_box(&event);
            tally.0 += 1;
            tally.1 += event.data.len() as u64;
        }
    });
    tally
}

fn sse_core(input: &Input) -> Tally {
    let mut tally = (0, 0);
    let limit = NonZeroUsize::new(1 << 30).expect("not zero");
    let mut decoder = sse_core::SseDecoder::with_limit(limit);
    for chunk in &input.chunks {
        let mut bytes = &chunk[..];
        while let Some(event) = decoder.next(&mut bytes) {
            let event = event.expect("an event");
            if let sse_core::SseEvent::Message(message) = black_box(&event) {
                tally.0 += 1;
                tally.1 += message.data.len() as u64;
            }
        }
    }
    tally
}

fn sse_stream(input: &Input) -> Tally {
    let mut tally = (0, 0);
    let mut stream = pin!(sse_stream::SseByteStream::new(ready(input)));
    block_on(async {
        while let Some(event) = stream.next().await {
            let event = event.expect("an event");
            if let Some(data) = &black_box(&event).data {
                tally.0 += 1;
                tally.1 += data.len() as u64;
            }
        }
    });
    tally
}

fn sse_parse(input: &Input) -> Tally {
    let mut tally = (0, 0);
    let mut parser = sse_parse::SseParser::new();
    for chunk in &input.chunks {
        parser.feed(chunk);
        while let Some(event) = parser.next_event() {
            black_box(&event);
            tally.0 += 1;
            tally.1 += event.data.len() as u64;
        }
    }
    tally
}

/// The physical limit: every line feed found, nothing done.
fn memchr_lines(input: &Input) -> Tally {
    let mut lines = 0;
    for chunk in &input.chunks {
        for at in memchr::memchr_iter(b'\n', chunk) {
            lines += 1;
            black_box(at);
        }
    }
    (lines, 0)
}

/// The other limit: every byte copied once.
fn memcpy(input: &Input) -> Tally {
    let mut copy = vec![0; input.chunks.iter().map(Bytes::len).max().unwrap_or(0)];
    for chunk in &input.chunks {
        copy[..chunk.len()].copy_from_slice(chunk);
        black_box(&copy);
    }
    (0, 0)
}
