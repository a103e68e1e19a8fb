//! What grows with what: many decoders at once, long arguments, small and large chunks, many calls.
//!
//! `cargo bench --bench scale`; with `-- --test` the smallest of each, to see that it runs. Times are
//! thread CPU time, the best of three; read them against each other.

mod captures;
#[path = "../tests/counting/mod.rs"]
mod counting;

use cpu_time::ThreadTime;
use toolcall::{Decoder, Limits, Options, Protocol};

use captures::{Capture, Tally, Wire, job, many_calls, one_call};
use counting::{Counting, LIVE};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const CHUNK: usize = 16 << 10;

fn main() {
    let smallest = std::env::args().any(|argument| argument == "--test");
    decoders(if smallest { 100 } else { 100_000 });
    println!("\narguments of one call in 20-byte fragments, 16 KiB chunks:");
    for kilobytes in [1, 16, 256, 4 << 10, 64 << 10] {
        if smallest && kilobytes > 16 {
            break;
        }
        for (name, wire) in [("chat", Wire::Chat), ("anthropic", Wire::Anthropic)] {
            let capture = one_call(wire, kilobytes << 10, 20);
            line(&format!("{name} {kilobytes} KiB"), &capture, CHUNK);
        }
    }
    println!("\nchunks, one call of 1 MiB:");
    let capture = one_call(Wire::Chat, if smallest { 1 << 10 } else { 1 << 20 }, 20);
    for chunk in [64, 1 << 10, 16 << 10, 1 << 20] {
        line(&format!("{chunk} bytes"), &capture, chunk);
    }
    println!("\ncalls in one message:");
    for calls in [1, 10, 100, 1000, 10_000] {
        if smallest && calls > 10 {
            break;
        }
        line(&format!("{calls} calls"), &many_calls(calls), CHUNK);
    }
}

/// Nanoseconds for each byte of the stream.
fn line(what: &str, capture: &Capture, chunk: usize) {
    // Short streams are read often enough to be timed.
    let times = ((4 << 20) / capture.bytes()).max(1);
    let options = Options::default().limits(Limits::default().with_call(128 << 20));
    let round = || {
        let start = ThreadTime::now();
        for _ in 0..times {
            let told = job::decode(capture, chunk, &options);
            assert_eq!(Tally { events: capture.tally.events, ..told }, capture.tally, "{what}");
        }
        start.elapsed().as_nanos() as f64 / (times * capture.bytes()) as f64
    };
    let best = (0..3).map(|_| round()).fold(f64::INFINITY, f64::min);
    println!("{what:<24}{best:>8.3} ns/byte");
}

/// So many decoders open at once in one process, each with an open call, fed in turn.
fn decoders(count: usize) {
    let capture = one_call(Wire::Chat, 1 << 10, 20);
    let stream = &capture.responses[0];
    // All but the end: the calls stay open.
    let fed = stream.len() * 9 / 10;
    let before = LIVE.get();
    let mut decoders: Vec<Decoder> =
        (0..count).map(|_| Decoder::new(Protocol::OpenAiChat)).collect();
    let idle = LIVE.get() - before;
    let start = ThreadTime::now();
    let mut told = Tally::default();
    let mut chunks = 0;
    for chunk in stream[..fed].chunks(1460) {
        for decoder in &mut decoders {
            job::feed(decoder, chunk, &mut told);
            chunks += 1;
        }
    }
    let time = start.elapsed();
    let active = LIVE.get() - before;
    println!(
        "{count} decoders, each with an open call: {} bytes each when new, {} bytes each when fed",
        idle / count as i64,
        active / count as i64
    );
    println!(
        "fed in turn, 1460 bytes at a time: {:.3} ns/byte, {:.0} ns a chunk, {} MB live in all",
        time.as_nanos() as f64 / (fed * count) as f64,
        time.as_nanos() as f64 / f64::from(chunks),
        active / 1_000_000
    );
}
