//! The whole job, bytes to parsed calls, beside its peers, in one run.
//!
//! `cargo run --release --bin whole-job [-- [CAPTURE|-] [ROUNDS] [WAY…]]`: a table in nanoseconds of
//! thread CPU time per event, the median of some interleaved rounds, then a line `ratio <capture>
//! <peer> <ours divided by peer, throughput>` for each peer, the median of each round's ratio, then
//! allocations per event.
//!
//! Every way gets the same chunks and has to come to the same calls, arguments and texts. Ours does
//! more than the peers': it checks who a fragment belongs to, keeps where each came from, bounds what
//! it holds and hands every fragment out as an event; they append strings and parse them at the stop.

mod assembly;
#[path = "../../../captures/mod.rs"]
mod captures;
mod counting;
#[path = "../median.rs"]
mod median;
mod typed;
mod ways;

use cpu_time::ThreadTime;

use captures::{Capture, Tally, capture};
use median::median;
use ways::{WAYS, Way};

const SIZE: usize = 4 << 20;
pub const CHUNK: usize = 16 << 10;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let capture_wanted = arguments.first().filter(|argument| *argument != "-");
    let rounds = arguments.get(1).and_then(|argument| argument.parse().ok()).unwrap_or(9);
    let wanted = |way: &&Way| {
        way.is_ours || arguments.len() <= 2 || arguments[2..].iter().any(|name| name == way.name)
    };
    let ways: Vec<&Way> = WAYS.iter().filter(wanted).collect();

    let (mut ratios, mut counts) = (Vec::new(), Vec::new());
    println!("{:<12}{:>28}{:>10}{:>10}{:>12}", "capture", "way", "ns/event", "MB/s", "ratio");
    for name in ["a", "b", "c", "d", "b-large", "a-strange"] {
        let is_known = name != "c" || "openai-responses".parse::<toolcall::Protocol>().is_ok();
        if !is_known || capture_wanted.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let capture = capture(name, SIZE);
        let ways: Vec<&Way> =
            ways.iter().filter(|way| (way.reads)(capture.wire)).copied().collect();
        let times = measure(&ways, &capture, rounds);
        for (way, of_way) in ways.iter().zip(&times) {
            let nanoseconds = median(of_way.clone());
            let ratio = median(times[0].iter().zip(of_way).map(|(us, it)| it / us).collect());
            println!(
                "{name:<12}{:>28}{:>10.1}{:>10.0}{ratio:>12.2}",
                way.name,
                nanoseconds / capture.tally.events as f64,
                capture.bytes() as f64 * 1e3 / nanoseconds,
            );
            ratios.push(format!("ratio {name} {} {ratio:.2}", way.name));
        }
        for way in &ways {
            let allocations = counting::allocations(|| _ = (way.run)(&capture));
            let each = allocations as f64 / capture.tally.events as f64;
            counts.push(format!("allocations {name} {} {each:.3}", way.name));
        }
    }
    println!();
    ratios.iter().chain(&counts).for_each(|line| println!("{line}"));
}

/// The nanoseconds of each way; every round runs all of them, so that a busy machine slows all.
fn measure(ways: &[&Way], capture: &Capture, rounds: usize) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(rounds); ways.len()];
    for _ in 0..rounds {
        for (way, times) in ways.iter().zip(&mut times) {
            let start = ThreadTime::now();
            let told = (way.run)(capture);
            times.push(start.elapsed().as_nanos() as f64);
            if let Some(told) = told {
                let expected = Tally { events: told.events, ..capture.tally };
                assert_eq!(told, expected, "{} on {}", way.name, capture.name);
            }
        }
    }
    times
}
