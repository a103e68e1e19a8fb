//! One small capture decoded once, to be counted by callgrind.
//!
//! Only what `counted` calls is counted, so neither making the capture nor starting up is. With
//! `--time` it is timed instead, in this thread's own processor time, which a shared machine
//! disturbs least.

mod captures;

use std::hint::black_box;

use cpu_time::ThreadTime;
use toolcall::Options;

use captures::{Capture, Tally, capture, job};

const CHUNK: usize = 16 << 10;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(name) = arguments.next() else {
        return eprintln!("usage: instructions CAPTURE [--time [MIB]]");
    };
    let timed = arguments.next().is_some();
    let mib: usize = arguments.next().map_or(1, |mib| mib.parse().expect("a number of MiB"));
    let bytes = if timed { mib << 20 } else { 200_000 };
    let capture = capture(name.leak(), bytes);
    if !timed {
        let tally = counted(&capture);
        return println!("events {}", tally.events);
    }
    let best = (0..15).map(|_| cpu_time(|| _ = counted(&capture))).min().expect("rounds");
    println!(
        "{} {:.1} ns/event, {:.0} MB/s",
        capture.name,
        best as f64 / capture.tally.events as f64,
        capture.bytes() as f64 * 1e3 / best as f64
    );
}

#[inline(never)]
fn counted(capture: &Capture) -> Tally {
    let tally = black_box(job::decode(black_box(capture), CHUNK, &Options::default()));
    let expected = Tally { events: tally.events, ..capture.tally };
    assert_eq!(tally, expected);
    capture.tally
}

/// Nanoseconds that this thread ran for.
fn cpu_time(job: impl FnOnce()) -> u128 {
    let start = ThreadTime::now();
    job();
    start.elapsed().as_nanos()
}
