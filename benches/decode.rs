//! The whole job, bytes to parsed calls, beside a reader that parses each event into a
//! `serde_json::Value`. Says of both how often they allocate for an event.
//!
//! `cargo bench --bench decode`, or with a capture's name: `cargo bench --bench decode -- a/`.

mod captures;
#[path = "../tests/counting/mod.rs"]
mod counting;

use std::hint::black_box;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use serde_json::Value;
use toolcall::Options;
use toolcall::sse::{self, Record};

use captures::{Capture, Tally, Wire, capture, job};
use counting::{COUNT, Counting};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes of each capture.
const SIZE: usize = 1 << 20;

/// As a network layer hands them out.
const CHUNK: usize = 16 << 10;

fn whole_job(criterion: &mut Criterion) {
    for name in captures::NAMES {
        if name == "c" && "openai-responses".parse::<toolcall::Protocol>().is_err() {
            continue;
        }
        let capture = capture(name, SIZE);
        let (told, ours) = counted(|| job::decode(&capture, CHUNK, &Options::default()));
        assert_eq!(Tally { events: capture.tally.events, ..told }, capture.tally, "{name}");
        let (told, theirs) = counted(|| read_values(&capture));
        assert_eq!(told, capture.tally, "{name}");
        let for_an_event = |allocations: u64| allocations as f64 / capture.tally.events as f64;
        let (ours, theirs) = (for_an_event(ours), for_an_event(theirs));
        println!("{name}: {ours:.2} allocations for an event, serde_json::Value {theirs:.2}");
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(capture.bytes() as u64));
        group.sampling_mode(SamplingMode::Flat);
        group.bench_function("toolcall", |bencher| {
            bencher.iter(|| job::decode(black_box(&capture), CHUNK, &Options::default()));
        });
        group.bench_function("serde_json::Value", |bencher| {
            bencher.iter(|| read_values(black_box(&capture)));
        });
        group.finish();
    }
}

/// What a job answers, and how often it allocated.
fn counted<T>(job: impl FnOnce() -> T) -> (T, u64) {
    let before = COUNT.get();
    let answer = job();
    (answer, COUNT.get() - before)
}

/// The same job in the plainest way: each event a `Value`, each call a string that grows.
fn read_values(capture: &Capture) -> Tally {
    let mut tally = Tally::default();
    for response in &capture.responses {
        let mut decoder = sse::Decoder::new();
        let mut calls: Vec<String> = Vec::new();
        for chunk in response.chunks(CHUNK) {
            let mut input = chunk;
            while let Some(record) = decoder.decode(&mut input) {
                let Record::Event(event) = record else { continue };
                tally.events += 1;
                if event.data() != b"[DONE]" {
                    let envelope = serde_json::from_slice(event.data()).expect("JSON");
                    read_value(capture.wire, &envelope, &mut calls, &mut tally);
                }
            }
        }
    }
    tally
}

fn read_value(wire: Wire, envelope: &Value, calls: &mut Vec<String>, tally: &mut Tally) {
    let text = |value: &Value| black_box(value.as_str().unwrap_or_default()).len();
    match (wire, envelope["type"].as_str().unwrap_or_default()) {
        (Wire::Chat, _) => {
            for choice in envelope["choices"].as_array().into_iter().flatten() {
                tally.text += text(&choice["delta"]["content"]);
                for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
                    let fragment = call["function"]["arguments"].as_str().unwrap_or_default();
                    append(calls, call["index"].as_u64().unwrap_or_default(), fragment);
                }
                if choice["finish_reason"].is_string() {
                    calls.drain(..).for_each(|call| parse(&call, tally));
                }
            }
        }
        (_, "content_block_delta") => {
            let delta = &envelope["delta"];
            tally.text += text(&delta["text"]) + text(&delta["thinking"]);
            append(calls, 0, delta["partial_json"].as_str().unwrap_or_default());
        }
        (_, "response.output_text.delta") => tally.text += text(&envelope["delta"]),
        (_, "response.function_call_arguments.delta") => {
            append(calls, 0, envelope["delta"].as_str().unwrap_or_default());
        }
        (_, "content_block_stop" | "response.function_call_arguments.done") => {
            calls.drain(..).filter(|call| !call.is_empty()).for_each(|call| parse(&call, tally));
        }
        _ => {}
    }
}

fn append(calls: &mut Vec<String>, index: u64, fragment: &str) {
    while calls.len() as u64 <= index {
        calls.push(String::new());
    }
    calls[index as usize] += fragment;
}

fn parse(call: &str, tally: &mut Tally) {
    black_box(serde_json::from_str::<Value>(call).expect("JSON"));
    tally.calls += 1;
    tally.arguments += call.len();
}

criterion_group!(benches, whole_job);
criterion_main!(benches);
