//! What holds for every text: no panic, every byte in one piece, the same result however it is cut, a
//! bounded hold-back, and every call comes back as it was written.

mod text_support;

use proptest::prelude::*;
use serde_json::{Value, json};
use text_support::{chunks, document, read};
use toolcall::text::{FORMATS, Format, Options, Tool, by_name};

/// Pieces of all formats' grammars, and what looks like them.
const PIECES: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<function=ping>",
    "<function=",
    "</function>",
    "<parameter=a>",
    "</parameter>",
    "[TOOL_CALLS]",
    "[CALL_ID]",
    "[ARGS]",
    "[THINK]",
    "[/THINK]",
    "<|python_tag|>",
    "<|eom_id|>",
    "<|python_start|>",
    "<|python_end|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
    "<｜DSML｜function_calls>",
    "<｜DSML｜invoke name=\"a\">",
    "</｜DSML｜invoke>",
    "<｜DSML｜parameter name=\"k\" string=\"true\">",
    "</｜DSML｜parameter>",
    "</｜DSML｜function_calls>",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "functions.ping:0",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<|start|>",
    "assistant",
    "<|channel|>",
    "analysis",
    "commentary",
    " to=functions.ping",
    "<|constrain|>json",
    "<|message|>",
    "<|end|>",
    "<|call|>",
    "<minimax:tool_call>",
    "<invoke name=\"ping\">",
    "</invoke>",
    "<parameter name=\"a\">",
    "</minimax:tool_call>",
    "<|tool_call>",
    "call:ping",
    "<tool_call|>",
    "<|\"|>",
    "<start_function_call>",
    "<end_function_call>",
    "<escape>",
    "<seed:tool_call>",
    "</seed:tool_call>",
    "<|tool_call|>",
    "<TOOLCALL>",
    "</TOOLCALL>",
    "functools",
    "<|START_ACTION|>",
    "<|END_ACTION|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|action_start|> <|plugin|>",
    "<|action_end|>",
    "<tool_calls>",
    "</tool_calls>",
    "<tool_sep>",
    "<answer>",
    "</answer>",
    "<|tool_call_start|>",
    "<|tool_call_end|>",
    "<function_calls>",
    "</function_calls>",
    "<think>",
    "</think>",
    "<|im_end|>",
    "</s>",
    "<｜end▁of▁sentence｜>",
    "```json\n",
    "```",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "\\",
    ",",
    ":",
    ";",
    "=",
    "\n",
    " ",
    "\n\n",
    "<",
    "<|",
    "ping",
    "\"name\"",
    "\"arguments\"",
    "\"parameters\"",
    "{\"name\": \"ping\", \"arguments\": {}}",
    "{\"arguments\": {\"a\": 1}, \"name\": \"ping\"}",
    "\"id\": \"x\"",
    "null",
    "1",
    "a=1",
    "text",
    "é",
    "🚀",
    "ping(a='x')",
    "\"\"\"",
];

fn format() -> impl Strategy<Value = &'static Format> {
    prop::sample::select(FORMATS)
}

fn options() -> impl Strategy<Value = Options> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(tools, starts, calls)| {
        let options = Options::default().starts_in_reasoning(starts).calls_in_reasoning(calls);
        if tools { options.tools([Tool::new("ping")]) } else { options }
    })
}

fn cut<'t>(text: &'t str, lengths: &[usize]) -> Vec<&'t str> {
    let mut at = 0;
    let ends = lengths.iter().cycle().map(move |length| {
        at += length;
        at
    });
    chunks(text, ends.take_while(|end| *end < text.len()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn any_mix_of_markers_is_read_alike_in_all_chunkings(
        format in format(),
        options in options(),
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40),
        lengths in prop::collection::vec(1usize..20, 1..8),
    ) {
        let text = pieces.concat();
        let whole = read(format, &options, [text.as_str()]);
        for chunks in [cut(&text, &[1]), cut(&text, &lengths)] {
            let reading = read(format, &options, chunks.iter().copied());
            prop_assert_eq!(&reading.message, &whole.message, "{} {:?}", format.name(), &chunks);
            prop_assert_eq!(&reading.spans, &whole.spans, "{} {:?}", format.name(), &chunks);
            if reading.message.calls.is_empty() {
                // White space that may touch a call is held besides; so is what is yet to follow it.
                let space = text.len() - text.trim().len() + 2 * longest_space(&text);
                prop_assert!(
                    reading.held <= format.hold_back() + space,
                    "{} held {} of {:?}", format.name(), reading.held, text
                );
            }
        }
    }

    #[test]
    fn any_text_is_read(format in format(), options in options(), text in any::<String>()) {
        let whole = read(format, &options, [text.as_str()]);
        let cut = read(format, &options, cut(&text, &[1]));
        prop_assert_eq!(whole.message, cut.message);
    }

    #[test]
    fn calls_come_back_as_they_were_written(
        format in prop::sample::select(RENDERED),
        before in prose(),
        sent in prop::collection::vec((name(), arguments()), 1..4),
        after in prose(),
        lengths in prop::collection::vec(1usize..40, 1..8),
    ) {
        let format = by_name(format).unwrap();
        // A name has one schema.
        let numbered = sent.into_iter().enumerate();
        let sent: Vec<_> = numbered.map(|(at, (name, value))| (format!("{name}{at}"), value)).collect();
        // Where a call may only begin the message nothing stands in front.
        let before = if matches!(format.name(), "llama3-json" | "llama-pythonic" | "xlam") {
            String::new()
        } else {
            before
        };
        let text = format!("{before}{}{after}", render(format.name(), &sent));
        let options = Options::default().tools(sent.iter().map(|(name, arguments)| {
            let types: serde_json::Map<String, Value> = arguments
                .as_object()
                .unwrap()
                .iter()
                .map(|(key, value)| (key.clone(), json!({ "type": type_name(value) })))
                .collect();
            Tool::new(name.as_str()).parameters(json!({ "properties": types }))
        }));
        let reading = read(format, &options, cut(&text, &lengths));
        let got = document(&reading.message, format, &options);
        let calls: Vec<(String, Value)> = got["calls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| (call["name"].as_str().unwrap().into(), call["arguments"].clone()))
            .collect();
        prop_assert_eq!(&calls, &sent, "{} {:?}", format.name(), &text);
        prop_assert_eq!(got["text"].as_str().unwrap(), format!("{before}{after}"));
    }
}

fn longest_space(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_whitespace()).map(str::len).max().unwrap_or(0)
}

/// Prose with words that look like markup; never white space alone.
fn prose() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "if a < b",
        "[1]",
        "the <tool",
        "x<|y",
        "see [TOOL]",
        "{ }",
        "functools",
        "é",
        "a\nb",
        "`<`",
    ]);
    prop::option::of(prop::collection::vec(words, 1..6)).prop_map(|words| match words {
        Some(words) => format!("Well: {} ok", words.join(" ")),
        None => String::new(),
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["ping", "get_rate", "fs_read", "a1"]).prop_map(String::from)
}

/// Arguments with text in them that looks like the grammars around it.
fn arguments() -> impl Strategy<Value = Value> {
    let text = prop::collection::vec(prop::sample::select(PIECES), 0..6);
    let value = prop_oneof![
        text.prop_map(|pieces| Value::from(format!("v{}", pieces.join(" x ")))),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(json!(["a", 1, null])),
        Just(json!({"k": {"l": "\"}]"}})),
    ];
    prop::collection::btree_map("[a-z]{1,6}", value, 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        _ => "integer",
    }
}

const RENDERED: &[&str] = &[
    "hermes",
    "qwen3-coder",
    "mistral",
    "llama3-json",
    "llama-pythonic",
    "deepseek-v3",
    "deepseek-v3.1",
    "deepseek-v3.2",
    "kimi-k2",
    "glm-4.5",
    "harmony",
    "minimax-m2",
    "seed-oss",
    "granite",
    "nemotron",
    "phi4",
    "cohere",
    "internlm",
    "jamba",
    "hunyuan-a13b",
    "hunyuan-v3",
    "lfm2",
    "olmo3",
    "step3",
    "xlam",
    "longcat",
    "apertus",
];

/// Writes calls as a model of the family does.
fn render(format: &str, sent: &[(String, Value)]) -> String {
    let named =
        |name: &str, arguments: &Value| json!({"name": name, "arguments": arguments}).to_string();
    let list = |open: &str, close: &str| {
        let calls: Vec<String> = sent.iter().map(|(name, value)| named(name, value)).collect();
        format!("{open}[{}]{close}", calls.join(", "))
    };
    let each = |call: &dyn Fn(&str, &Value) -> String, between: &str| {
        sent.iter().map(|(name, value)| call(name, value)).collect::<Vec<_>>().join(between)
    };
    match format {
        "hermes" => each(&|n, a| format!("<tool_call>\n{}\n</tool_call>", named(n, a)), "\n"),
        "longcat" => each(
            &|n, a| format!("<longcat_tool_call>\n{}\n</longcat_tool_call>", named(n, a)),
            "\n",
        ),
        "internlm" => each(
            &|n, a| format!("<|action_start|> <|plugin|>\n{}<|action_end|>", named(n, a)),
            "\n",
        ),
        "granite" => list("<|tool_call|>", ""),
        "nemotron" => list("<TOOLCALL>", "</TOOLCALL>"),
        "phi4" => list("functools", ""),
        "jamba" | "hunyuan-a13b" => list("<tool_calls>", "</tool_calls>"),
        "xlam" => list("", ""),
        "mistral" => each(&|n, a| format!("[TOOL_CALLS]{n}[CALL_ID]abcdefghi[ARGS]{a}"), ""),
        "llama3-json" => each(&|n, a| named(n, a).replacen("arguments", "parameters", 1), "; "),
        "llama-pythonic" => format!("[{}]", each(&python, ", ")),
        "lfm2" => format!("<|tool_call_start|>[{}]<|tool_call_end|>", each(&python, ", ")),
        "olmo3" => format!("<function_calls>{}</function_calls>", each(&python, "\n")),
        "deepseek-v3" => format!(
            "<｜tool▁calls▁begin｜>{}<｜tool▁calls▁end｜>",
            each(
                &|n, a| format!(
                    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{n}\n```json\n{a}\n```<｜tool▁call▁end｜>"
                ),
                "\n"
            )
        ),
        "deepseek-v3.1" => format!(
            "<｜tool▁calls▁begin｜>{}<｜tool▁calls▁end｜>",
            each(
                &|n, a| format!("<｜tool▁call▁begin｜>{n}<｜tool▁sep｜>{a}<｜tool▁call▁end｜>"),
                ""
            )
        ),
        "kimi-k2" => format!(
            "<|tool_calls_section_begin|>{}<|tool_calls_section_end|>",
            each(
                &|n, a| format!(
                    "<|tool_call_begin|>functions.{n}:0<|tool_call_argument_begin|>{a}<|tool_call_end|>"
                ),
                ""
            )
        ),
        "harmony" => format!(
            "{}<|start|>assistant<|channel|>final<|message|>",
            each(
                &|n, a| format!(
                    "<|start|>assistant<|channel|>commentary to=functions.{n} <|constrain|>json<|message|>{a}<|call|>"
                ),
                ""
            )
        ),
        "cohere" => {
            let calls: Vec<Value> = sent.iter().map(|(name, value)| {
                json!({"tool_call_id": "0", "tool_name": name, "parameters": value})
            }).collect();
            format!("<|START_ACTION|>{}<|END_ACTION|>", Value::from(calls))
        }
        "apertus" => {
            let calls: Vec<Value> =
                sent.iter().map(|(name, value)| json!({ name: value })).collect();
            format!("<|tools_prefix|>{}<|tools_suffix|>", Value::from(calls))
        }
        "qwen3-coder" | "seed-oss" => {
            let tag = if format == "seed-oss" { "seed:tool_call" } else { "tool_call" };
            each(
                &|n, a| {
                    format!(
                        "<{tag}>\n<function={n}>\n{}</function>\n</{tag}>",
                        parameters(a, &|k, v| format!("<parameter={k}>\n{v}\n</parameter>\n"))
                    )
                },
                "\n",
            )
        }
        "deepseek-v3.2" => format!(
            "<｜DSML｜function_calls>\n{}</｜DSML｜function_calls>",
            each(
                &|n, a| format!(
                "<｜DSML｜invoke name=\"{n}\">\n{}</｜DSML｜invoke>\n",
                a.as_object().unwrap().iter().map(|(k, v)| format!(
                    "<｜DSML｜parameter name=\"{k}\" string=\"{}\">{}</｜DSML｜parameter>\n",
                    v.is_string(), bare(v)
                )).collect::<String>()
            ),
                ""
            )
        ),
        "minimax-m2" => format!(
            "<minimax:tool_call>\n{}\n</minimax:tool_call>",
            each(
                &|n, a| format!(
                    "<invoke name=\"{n}\">\n{}</invoke>",
                    parameters(a, &|k, v| format!("<parameter name=\"{k}\">{v}</parameter>\n"))
                ),
                "\n"
            )
        ),
        "step3" => format!(
            "<｜tool_calls_begin｜>{}<｜tool_calls_end｜>",
            each(
                &|n, a| format!(
                    "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"{n}\">{}</steptml:invoke><｜tool_call_end｜>",
                    parameters(a, &|k, v| format!(
                        "<steptml:parameter name=\"{k}\">{v}</steptml:parameter>"
                    ))
                ),
                ""
            )
        ),
        "glm-4.5" => each(
            &|n, a| {
                format!(
                    "<tool_call>{n}\n{}</tool_call>",
                    parameters(a, &|k, v| format!(
                        "<arg_key>{k}</arg_key>\n<arg_value>{v}</arg_value>\n"
                    ))
                )
            },
            "\n",
        ),
        "hunyuan-v3" => format!(
            "<tool_calls>{}</tool_calls>",
            each(
                &|n, a| format!(
                    "<tool_call>{n}<tool_sep>{}</tool_call>",
                    parameters(a, &|k, v| format!(
                        "<arg_key>{k}</arg_key><arg_value>{v}</arg_value>"
                    ))
                ),
                ""
            )
        ),
        other => panic!("no renderer for {other}"),
    }
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

fn parameters(arguments: &Value, one: &dyn Fn(&str, &str) -> String) -> String {
    arguments.as_object().unwrap().iter().map(|(key, value)| one(key, &bare(value))).collect()
}

fn python(name: &str, arguments: &Value) -> String {
    let arguments: Vec<String> = arguments
        .as_object()
        .unwrap()
        .iter()
        // A keyword of Python's own is no name for an argument, but no parser minds.
        .map(|(key, value)| format!("{key}={}", literal(value)))
        .collect();
    format!("{name}({})", arguments.join(", "))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let text = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
            format!("'{text}'")
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| {
                    format!("{}: {}", literal(&key.as_str().into()), literal(value))
                })
                .collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}
