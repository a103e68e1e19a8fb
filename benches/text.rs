//! Calls in text: throughput over the sizes of pieces that servers send.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use toolcall::text::{
    DEEPSEEK_V3_1, Format, GLM, HARMONY, HERMES, KIMI_K2, LLAMA_PYTHONIC, LLAMA3_JSON, MISTRAL,
    Parser, Piece, QWEN3_CODER,
};

const MEBIBYTE: usize = 1 << 20;

/// Prose with the bytes that markers begin with.
fn prose(bytes: usize) -> String {
    let sentence = "If a < b and {c} holds, see [1] for the proof; 1 << 3 is 8.\n";
    sentence.repeat(bytes / sentence.len() + 1)
}

/// A JSON string's content of about that many bytes, with escapes as code has them.
fn code(bytes: usize) -> String {
    let line = "    if (a < b) { return list[0]; } // say \\\"hi\\\"\\n";
    line.repeat(bytes / line.len() + 1)
}

fn calls() -> Vec<(&'static Format, String)> {
    let json = format!("{{\"path\": \"a.rs\", \"body\": \"{}\"}}", code(MEBIBYTE));
    let plain = code(MEBIBYTE).replace("\\n", "\n").replace("\\\"", "\"");
    vec![
        (&HERMES, format!("<tool_call>{{\"name\": \"write\", \"arguments\": {json}}}</tool_call>")),
        (&MISTRAL, format!("[TOOL_CALLS]write[ARGS]{json}")),
        (&LLAMA3_JSON, format!("<|python_tag|>{{\"name\": \"write\", \"parameters\": {json}}}")),
        (
            &HARMONY,
            format!(
                "<|channel|>commentary to=functions.write <|constrain|>json<|message|>{json}<|call|>"
            ),
        ),
        (
            &KIMI_K2,
            format!(
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.write:0\
                 <|tool_call_argument_begin|>{json}<|tool_call_end|><|tool_calls_section_end|>"
            ),
        ),
        (
            &DEEPSEEK_V3_1,
            format!(
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write<｜tool▁sep｜>{json}\
                 <｜tool▁call▁end｜><｜tool▁calls▁end｜>"
            ),
        ),
        (
            &QWEN3_CODER,
            format!(
                "<tool_call>\n<function=write>\n<parameter=body>\n{plain}\n</parameter>\n\
                 </function>\n</tool_call>"
            ),
        ),
        (
            &GLM,
            format!(
                "<tool_call>write<arg_key>body</arg_key><arg_value>{plain}</arg_value></tool_call>"
            ),
        ),
        (&LLAMA_PYTHONIC, format!("[write(body=\"{}\")]", code(MEBIBYTE))),
    ]
}

/// Gives the text in pieces of so many bytes (the texts are ASCII but for markers).
fn read(format: &'static Format, text: &str, piece: usize) -> usize {
    let mut parser = Parser::new(format);
    let mut seen = 0;
    let mut take = |piece: Piece<'_>| seen += piece.span().len();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = piece.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (chunk, after) = rest.split_at(end);
        rest = after;
        let mut pieces = parser.push(chunk);
        while let Some(piece) = pieces.next() {
            take(piece);
        }
    }
    let mut last = parser.finish();
    while let Some(piece) = last.next() {
        take(piece);
    }
    seen
}

fn arguments(criterion: &mut Criterion) {
    for (format, text) in calls() {
        let mut group = criterion.benchmark_group(format!("text/argument/{}", format.name()));
        group.throughput(Throughput::Bytes(text.len() as u64));
        for piece in [8, 64, 4096] {
            assert_eq!(read(format, &text, piece), text.len());
            group.bench_with_input(BenchmarkId::from_parameter(piece), &piece, |bencher, piece| {
                bencher.iter(|| read(format, black_box(&text), *piece));
            });
        }
        group.finish();
    }
}

fn plain(criterion: &mut Criterion) {
    let text = prose(MEBIBYTE);
    for format in [&HERMES, &QWEN3_CODER, &MISTRAL] {
        let mut group = criterion.benchmark_group(format!("text/prose/{}", format.name()));
        group.throughput(Throughput::Bytes(text.len() as u64));
        for piece in [8, 64, 4096] {
            group.bench_with_input(BenchmarkId::from_parameter(piece), &piece, |bencher, piece| {
                bencher.iter(|| read(format, black_box(&text), *piece));
            });
        }
        group.finish();
    }
}

/// Twice the text takes twice the time.
fn linear(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("text/linear/hermes");
    for kibibytes in [64, 256, 1024] {
        let body = code(kibibytes << 10);
        let text = format!(
            "<tool_call>{{\"name\": \"write\", \"arguments\": {{\"body\": \"{body}\"}}}}</tool_call>"
        );
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(kibibytes), &text, |bencher, text| {
            bencher.iter(|| read(&HERMES, black_box(text), 8));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = arguments, plain, linear
}
criterion_main!(benches);
