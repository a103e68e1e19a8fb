//! Calls in text: `toolcall::text` beside other parsers, on the same inputs in one run.
//!
//! `cargo run --release [ROUNDS]` prints the table, a line `ratio INPUT PEER N` for each peer (how many times its
//! throughput `toolcall` has), and how the time per byte goes with the length of an argument and of the
//! pieces. Times are of this thread's processor, the best of interleaved rounds.

mod counting;
mod readers;

use std::hint::black_box;

use cpu_time::ThreadTime;

use readers::{Reader, Tally};

/// A format, and who reads it under which name.
const FORMATS: &[(&str, &[Reader])] = &[
    ("hermes", &[Reader::Toolcall("hermes"), Reader::ToolParser("qwen")]),
    (
        "qwen3-coder",
        &[
            Reader::Toolcall("qwen3-coder"),
            Reader::DynamoV2("qwen3"),
            Reader::ToolParser("qwen_xml"),
        ],
    ),
    (
        "kimi-k2",
        &[Reader::Toolcall("kimi-k2"), Reader::DynamoV2("kimi_k2"), Reader::ToolParser("kimik2")],
    ),
    (
        "glm-4.5",
        &[Reader::Toolcall("glm-4.5"), Reader::DynamoV2("glm47"), Reader::ToolParser("glm47_moe")],
    ),
];

const KIB: usize = 1 << 10;
/// As much of an argument as a parser is given that reads all of it anew for each piece.
const QUADRATIC: usize = 32 * KIB;

struct Input {
    name: &'static str,
    piece: usize,
    make: fn(&str, usize) -> Vec<String>,
    bytes: usize,
}

const INPUTS: &[Input] = &[
    Input {
        name: "argument",
        piece: 8,
        make: |format, bytes| vec![call(format, bytes)],
        bytes: 1024 * KIB,
    },
    Input { name: "prose", piece: 64, make: |_, bytes| vec![prose(bytes)], bytes: 1024 * KIB },
    Input { name: "mix", piece: 4, make: mix, bytes: 256 * KIB },
];

/// A call with an argument of about so many bytes.
fn call(format: &str, bytes: usize) -> String {
    let line = "    if (a < b) { return list[0]; } // say \"hi\"\n";
    let body = line.repeat(bytes / line.len() + 1);
    let json = serde_json::json!({"path": "a.rs", "body": body}).to_string();
    match format {
        "hermes" => {
            format!("<tool_call>\n{{\"name\": \"write\", \"arguments\": {json}}}\n</tool_call>")
        }
        "qwen3-coder" => format!(
            "<tool_call>\n<function=write>\n<parameter=path>\na.rs\n</parameter>\n<parameter=body>\n{body}\n\
             </parameter>\n</function>\n</tool_call>"
        ),
        "kimi-k2" => format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.write:0<|tool_call_argument_begin|>{json}\
             <|tool_call_end|><|tool_calls_section_end|>"
        ),
        "glm-4.5" => format!(
            "<tool_call>write<arg_key>path</arg_key><arg_value>a.rs</arg_value><arg_key>body</arg_key>\
             <arg_value>{body}</arg_value></tool_call>"
        ),
        other => panic!("no call in {other}"),
    }
}

/// Prose with the bytes that markers begin with.
fn prose(bytes: usize) -> String {
    let sentence = "If a < b and {c} holds, see [1] for the proof; 1 << 3 is 8.\n";
    sentence.repeat(bytes / sentence.len() + 1)
}

/// Messages as agents get them: some prose and a call of half a kilobyte.
fn mix(format: &str, bytes: usize) -> Vec<String> {
    let message = format!("{}\n{}", prose(600), call(format, 500));
    vec![message.clone(); bytes / message.len() + 1]
}

fn main() {
    let rounds = std::env::args().nth(1).map_or(5, |rounds| rounds.parse().expect("a number"));
    println!("| input | format | pieces of | parser | MB/s | allocations per push | calls found |");
    println!("|---|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for input in INPUTS {
        for (format, readers) in FORMATS {
            // Prose is the same for all formats of a parser, but not for all its parsers.
            let measured = measure(input, format, readers, rounds);
            for (reader, measure) in readers.iter().zip(&measured) {
                println!(
                    "| {} | {format} | {} | {}{} | {:.1} | {:.2} | {} of {} |",
                    input.name,
                    input.piece,
                    reader.name(),
                    if measure.short { " (32 KiB)" } else { "" },
                    measure.speed,
                    measure.allocations,
                    measure.tally.calls,
                    measure.calls,
                );
                // Who finds no call does not do the job.
                if !matches!(reader, Reader::Toolcall(_)) && measure.tally.calls == measure.calls {
                    let ratio = measured[0].speed / measure.speed;
                    ratios.push(format!(
                        "ratio {}-{format} {} {ratio:.1}",
                        input.name,
                        reader.name()
                    ));
                }
            }
        }
    }
    println!("\n{}\n", ratios.join("\n"));
    linear(rounds);
}

struct Measure {
    /// MB/s.
    speed: f64,
    allocations: f64,
    tally: Tally,
    calls: usize,
    short: bool,
}

fn measure(input: &Input, format: &str, readers: &[Reader], rounds: usize) -> Vec<Measure> {
    let texts: Vec<Vec<String>> =
        readers.iter().map(|reader| (input.make)(format, bytes(input, *reader))).collect();
    let mut best = vec![u128::MAX; readers.len()];
    let mut tallies = vec![Tally::default(); readers.len()];
    let mut allocated = vec![0; readers.len()];
    for _ in 0..rounds {
        for (at, reader) in readers.iter().enumerate() {
            let before = counting::allocations();
            let (time, tally) = time(*reader, &texts[at], input.piece);
            best[at] = best[at].min(time);
            allocated[at] = counting::allocations() - before;
            tallies[at] = tally;
        }
    }
    let calls = |texts: &[String]| if input.name == "prose" { 0 } else { texts.len() };
    (0..readers.len())
        .map(|at| {
            let length: usize = texts[at].iter().map(String::len).sum();
            Measure {
                speed: length as f64 * 1e3 / best[at] as f64,
                allocations: allocated[at] as f64 / (length / input.piece) as f64,
                tally: tallies[at],
                calls: calls(&texts[at]),
                short: bytes(input, readers[at]) < input.bytes,
            }
        })
        .collect()
}

/// How much of an input a parser gets.
fn bytes(input: &Input, reader: Reader) -> usize {
    match reader {
        Reader::ToolParser(_) if input.name == "argument" => QUADRATIC,
        _ => input.bytes,
    }
}

/// Nanoseconds of this thread for all the messages, and what came out.
fn time(reader: Reader, texts: &[String], piece: usize) -> (u128, Tally) {
    let mut sum = Tally::default();
    let start = ThreadTime::now();
    for text in texts {
        let tally = black_box(reader.read(black_box(text), piece));
        sum.text += tally.text;
        sum.calls += tally.calls;
        sum.arguments += tally.arguments;
    }
    (start.elapsed().as_nanos(), sum)
}

/// The time per byte over the length of the argument and of the pieces.
fn linear(rounds: usize) {
    println!("| nanoseconds per byte, toolcall | 64 KiB | 1 MiB | 8 MiB |");
    println!("|---|---|---|---|");
    for format in ["hermes", "qwen3-coder"] {
        for piece in [1, 8, 64, KIB] {
            let columns = [64 * KIB, 1024 * KIB, 8192 * KIB].map(|bytes| {
                let text = [call(format, bytes)];
                let reader = Reader::Toolcall(format);
                let best = (0..rounds).map(|_| time(reader, &text, piece).0).min();
                format!("{:.2}", best.unwrap_or_default() as f64 / text[0].len() as f64)
            });
            println!("| {format}, pieces of {piece} | {} |", columns.join(" | "));
        }
    }
}
