//! What reading text allocates: nothing, once the buffers for held bytes and names have grown.

mod counting;

use counting::{COUNT, Counting};
use toolcall::text::{FORMATS, Format, Parser, by_name};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Text with what looks like the markers of the formats.
const LOOK_ALIKE: &str = "if a < b <too </ <| [TO [1] functio {x} `<` then é <｜ done\n";

/// So many that pieces end at each place of a line before the half.
const LINES: usize = 2000;

/// Per format, all in front of a long argument.
const CALLS: &[(&str, &str)] = &[
    ("hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \""),
    ("qwen3-coder", "<tool_call>\n<function=f>\n<parameter=a>\n"),
    ("mistral", "[TOOL_CALLS]f[ARGS]{\"a\": \""),
    ("llama3-json", "<|python_tag|>{\"name\": \"f\", \"parameters\": {\"a\": \""),
    ("llama-pythonic", "<|python_start|>[f(a='"),
    (
        "deepseek-v3",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": \"",
    ),
    ("deepseek-v3.1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": \""),
    (
        "deepseek-v3.2",
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n\
         <｜DSML｜parameter name=\"a\" string=\"true\">",
    ),
    (
        "kimi-k2",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0\
         <|tool_call_argument_begin|>{\"a\": \"",
    ),
    ("glm-4.5", "<tool_call>f<arg_key>a</arg_key><arg_value>"),
    ("harmony", "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\": \""),
    ("minimax-m2", "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">"),
    ("gemma4", "<|tool_call>call:f{a:<|\"|>"),
    ("functiongemma", "<start_function_call>call:f{a:<escape>"),
    ("seed-oss", "<seed:tool_call>\n<function=f>\n<parameter=a>\n"),
    ("granite", "<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": \""),
    ("nemotron", "<TOOLCALL>[{\"name\": \"f\", \"arguments\": {\"a\": \""),
    ("phi4", "functools[{\"name\": \"f\", \"arguments\": {\"a\": \""),
    ("cohere", "<|START_ACTION|>[{\"tool_name\": \"f\", \"parameters\": {\"a\": \""),
    ("internlm", "<|action_start|> <|plugin|>\n{\"name\": \"f\", \"parameters\": {\"a\": \""),
    ("jamba", "<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": \""),
    ("hunyuan-a13b", "<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": \""),
    ("hunyuan-v3", "<tool_calls><tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>"),
    ("lfm2", "<|tool_call_start|>[f(a='"),
    ("olmo3", "<function_calls>f(a='"),
    (
        "step3",
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>\
         <steptml:invoke name=\"f\"><steptml:parameter name=\"a\">",
    ),
    ("xlam", "[{\"name\": \"f\", \"arguments\": {\"a\": \""),
    ("longcat", "<longcat_tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \""),
    ("apertus", "<|tools_prefix|>[{\"f\": {\"a\": \""),
    ("gigachat3", "<|function_call|>{\"name\": \"f\", \"arguments\": {\"a\": \""),
];

/// Gives the text in pieces of so many characters; how many allocations the second half of it took.
fn allocations(format: &'static Format, text: &str, piece: usize) -> u64 {
    let mut parser = Parser::new(format);
    let (mut before, mut read) = (0, 0);
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(piece).map_or(rest.len(), |(at, _)| at);
        let (chunk, after) = rest.split_at(end);
        if rest.len() > text.len() / 2 && after.len() <= text.len() / 2 {
            before = COUNT.get();
        }
        rest = after;
        let mut pieces = parser.push(chunk);
        while let Some(piece) = pieces.next() {
            read += piece.span().len();
        }
    }
    let count = COUNT.get() - before;
    assert!(read + parser.held() == text.len(), "{}: bytes are missing", format.name());
    count
}

#[test]
fn plain_text_allocates_nothing() {
    let text = LOOK_ALIKE.repeat(LINES);
    for format in FORMATS {
        for piece in [1, 8, 64, 1000] {
            assert_eq!(allocations(format, &text, piece), 0, "{} by {piece}", format.name());
        }
    }
}

#[test]
fn reasoning_allocates_nothing() {
    for format in FORMATS {
        let text = format!("<think>{}", LOOK_ALIKE.repeat(LINES));
        for piece in [1, 8, 64, 1000] {
            assert_eq!(allocations(format, &text, piece), 0, "{} by {piece}", format.name());
        }
    }
}

#[test]
fn argument_fragments_allocate_nothing() {
    assert_eq!(CALLS.len(), FORMATS.len());
    for (name, head) in CALLS {
        let format = by_name(name).unwrap();
        let body = LOOK_ALIKE.replace('\n', "\\n say \\\"hi\\\" ").repeat(LINES);
        let text = format!("{head}{body}");
        assert_eq!(format.read(&text).calls[0].name, "f", "{name}");
        for piece in [1, 8, 64, 1000] {
            assert_eq!(allocations(format, &text, piece), 0, "{name} by {piece}");
        }
    }
}
