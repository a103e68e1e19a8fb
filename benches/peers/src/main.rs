//! The framing layer beside its peers, in one run.
//!
//! `cargo run --release [-- [STREAM|-] [CHUNK|-] [ROUNDS] [WAY…]]`: a table in MB/s of thread CPU
//! time, the median of some interleaved rounds, then a line `ratio <stream>/<chunk> <peer> <ours
//! divided by peer, throughput>` for each peer, the median of each round's ratio: a machine whose
//! clock changes between rounds changes both sides of it.

mod median;
mod streams;
mod ways;

use std::time::Duration;

use bytes::Bytes;
use cpu_time::ThreadTime;

use median::median;
use ways::{Input, WAYS, Way};

const SIZE: usize = 1 << 20;
const CHUNKS: [usize; 6] = [64, 1024, 1460, 16 << 10, 64 << 10, 1 << 20];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let stream_wanted = args.first().filter(|arg| *arg != "-");
    let chunk_wanted = args.get(1).filter(|arg| *arg != "-").and_then(|arg| arg.parse().ok());
    let rounds: usize = args.get(2).and_then(|arg| arg.parse().ok()).unwrap_or(7);
    let wanted = |way: &&Way| args.len() <= 3 || args[3..].iter().any(|name| name == way.name);
    let ways: Vec<&Way> = WAYS.iter().filter(wanted).collect();

    let mut ratios = Vec::new();
    print!("{:<12}{:>9}", "MB/s", "chunk");
    ways.iter().for_each(|way| print!("{:>20}", way.name));
    println!();
    for stream in streams::all(SIZE) {
        if stream_wanted.is_some_and(|name| name != stream.name) {
            continue;
        }
        let bytes = Bytes::from(stream.bytes);
        for chunk in CHUNKS {
            if chunk_wanted.is_some_and(|wanted: usize| wanted != chunk) {
                continue;
            }
            // The slowest peer is quadratic in the chunk; a part of the stream shows it as well.
            let small = bytes.slice(..bytes.len().min(2 << 20));
            let whole = Input::new(&bytes, chunk);
            let part = Input::new(&small, chunk);
            let times = measure(&ways, &whole, &part, rounds);
            print!("{:<12}{:>9}", stream.name, chunk);
            let speeds: Vec<Vec<f64>> = ways
                .iter()
                .zip(&times)
                .map(|(way, times)| {
                    let len = if is_slow(way) { small.len() } else { bytes.len() };
                    times.iter().map(|time| len as f64 / time.as_secs_f64() / 1e6).collect()
                })
                .collect();
            speeds.iter().for_each(|speeds| print!("{:>20.0}", median(speeds.clone())));
            println!();
            for (way, of_way) in ways.iter().zip(&speeds).skip(1) {
                let ratio = median(speeds[0].iter().zip(of_way).map(|(us, it)| us / it).collect());
                ratios.push(format!("ratio {}/{chunk} {} {ratio:.2}", stream.name, way.name));
            }
        }
    }
    println!();
    ratios.iter().for_each(|line| println!("{line}"));
}

fn is_slow(way: &Way) -> bool {
    matches!(way.name, "eventsource-stream" | "sse-parse")
}

/// The times of each way; every round runs all of them, so that a busy machine slows all.
fn measure(ways: &[&Way], whole: &Input, part: &Input, rounds: usize) -> Vec<Vec<Duration>> {
    let events = |input| (ways[0].run)(input);
    let (of_whole, of_part) = (events(whole), events(part));
    let mut times = vec![Vec::with_capacity(rounds); ways.len()];
    for _ in 0..rounds {
        for (way, times) in ways.iter().zip(&mut times) {
            let input = if is_slow(way) { part } else { whole };
            let start = ThreadTime::now();
            let tally = (way.run)(input);
            times.push(start.elapsed());
            if way.decodes {
                let expected = if is_slow(way) { of_part } else { of_whole };
                assert_eq!(tally, expected, "{} finds other events", way.name);
            }
        }
    }
    times
}
