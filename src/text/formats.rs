//! The known formats, one row each.

use super::engine::channels::Channels;
use super::engine::header::{Header, Naming};
use super::engine::native::Native;
use super::engine::python::Python;
use super::engine::tags::{Function, Parameter, Tags};
use super::engine::wrapped::Wrapped;
use super::format::{Delimiters, Format, Grammar};

/// Every known format.
pub static FORMATS: &[&Format] = &[
    &HERMES,
    &QWEN3_CODER,
    &MISTRAL,
    &LLAMA3_JSON,
    &LLAMA_PYTHONIC,
    &DEEPSEEK_V3,
    &DEEPSEEK_V3_1,
    &DEEPSEEK_V3_2,
    &KIMI_K2,
    &GLM,
    &HARMONY,
    &MINIMAX_M2,
    &GEMMA4,
    &FUNCTIONGEMMA,
    &SEED_OSS,
    &GRANITE,
    &NEMOTRON,
    &PHI4,
    &COHERE,
    &INTERNLM,
    &JAMBA,
    &HUNYUAN_A13B,
    &HUNYUAN_V3,
    &LFM2,
    &OLMO3,
    &STEP3,
    &XLAM,
    &LONGCAT,
    &APERTUS,
    &GIGACHAT3,
];

/// The formats that the program chooses among when it is told `auto`: those whose openers tell them apart. Of two with one grammar the more common one.
pub static AUTO: &[&Format] = &[
    &HERMES,
    &QWEN3_CODER,
    &GLM,
    &MISTRAL,
    &LLAMA3_JSON,
    &LLAMA_PYTHONIC,
    &DEEPSEEK_V3_1,
    &DEEPSEEK_V3_2,
    &KIMI_K2,
    &HARMONY,
    &MINIMAX_M2,
    &GEMMA4,
    &FUNCTIONGEMMA,
    &SEED_OSS,
    &GRANITE,
    &NEMOTRON,
    &PHI4,
    &COHERE,
    &INTERNLM,
    &HUNYUAN_A13B,
    &HUNYUAN_V3,
    &LFM2,
    &OLMO3,
    &STEP3,
    &LONGCAT,
    &APERTUS,
    &GIGACHAT3,
];

/// The format with this name or alias.
///
/// ```
/// assert_eq!(toolcall::text::by_name("glm-4.7").unwrap().name(), "glm-4.5");
/// ```
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name || format.aliases.contains(&name))
}

static THINK: [Delimiters; 1] = [Delimiters::new("<think>", "</think>")];

/// What ends a turn in the ChatML family and its like.
const CHATML_ENDS: &[&str] = &["<|im_end|>", "<|endoftext|>"];
const LLAMA_ENDS: &[&str] = &["<|eom_id|>", "<|eot_id|>", "<|end_of_text|>"];

static HERMES_GRAMMARS: [Grammar; 1] =
    [Grammar::Wrapped(Wrapped::new(&["<tool_call>"]).closers(&["</tool_call>"]))];
/// Hermes 2-4, Qwen 2.5 and 3, QwQ, Falcon 3, Granite 4, Ernie 4.5, Trinity: `<tool_call>` around a
/// JSON object.
pub static HERMES: Format = Format::new("hermes", &HERMES_GRAMMARS)
    .aliases(&["qwen", "qwen2.5", "qwen3", "granite4", "ernie45"])
    .reasoning(&THINK)
    .turn_ends(CHATML_ENDS);

const fn qwen_tags() -> Tags {
    Tags::new(
        Function::Tag { open: "<function=", close: "</function>" },
        Parameter::Tag { open: "<parameter=", close: "</parameter>" },
    )
    .trim_newline()
    .bare()
}

static QWEN3_CODER_GRAMMARS: [Grammar; 1] = [Grammar::Tags(
    qwen_tags()
        .openers(&["<tool_call>", "<function="])
        .blocks(&["<tool_call>"])
        .closers(&["</tool_call>"]),
)];
/// Qwen3-Coder, Qwen 3.5 and later, Nemotron 3, MiMo, Step 3.5: `<function=NAME>` with parameter tags,
/// in `<tool_call>`, which may lack.
pub static QWEN3_CODER: Format = Format::new("qwen3-coder", &QWEN3_CODER_GRAMMARS)
    .aliases(&["qwen3-xml", "qwen3.5", "nemotron3", "mimo", "step3.5"])
    .reasoning(&THINK)
    .turn_ends(CHATML_ENDS);

static SEED_OSS_GRAMMARS: [Grammar; 1] = [Grammar::Tags(
    qwen_tags()
        .openers(&["<seed:tool_call>", "<function="])
        .blocks(&["<seed:tool_call>"])
        .closers(&["</seed:tool_call>"]),
)];
static SEED_THINK: [Delimiters; 1] = [Delimiters::new("<seed:think>", "</seed:think>").anywhere()];
/// Seed-OSS: the grammar of Qwen3-Coder in tags of its own.
pub static SEED_OSS: Format =
    Format::new("seed-oss", &SEED_OSS_GRAMMARS).reasoning(&SEED_THINK).turn_ends(&["<seed:eos>"]);

static MISTRAL_GRAMMARS: [Grammar; 2] = [
    Grammar::Wrapped(Wrapped::new(&["[TOOL_CALLS]"]).strict_list()),
    Grammar::Header(
        Header::new("[TOOL_CALLS]", Naming::Inline { id: "[CALL_ID]", arguments: "[ARGS]" })
            .openers(&["[TOOL_CALLS]"]),
    ),
];
static MISTRAL_THINK: [Delimiters; 2] =
    [Delimiters::new("[THINK]", "[/THINK]").anywhere(), Delimiters::new("<think>", "</think>")];
/// Mistral, all three forms: a JSON list, `NAME[CALL_ID]ID[ARGS]{…}`, and `NAME{…}`.
pub static MISTRAL: Format = Format::new("mistral", &MISTRAL_GRAMMARS)
    .aliases(&["magistral", "devstral"])
    .reasoning(&MISTRAL_THINK)
    .turn_ends(&["</s>", "[/TOOL_CALLS]"]);

static LLAMA3_JSON_GRAMMARS: [Grammar; 1] =
    [Grammar::Wrapped(Wrapped::new(&["<|python_tag|>"]).only_object().bare().separator(";"))];
/// Llama 3.1 to 3.3: a JSON object behind `<|python_tag|>`, which may lack at the start of the message.
pub static LLAMA3_JSON: Format = Format::new("llama3-json", &LLAMA3_JSON_GRAMMARS)
    .aliases(&["llama3", "llama4-json"])
    .turn_ends(LLAMA_ENDS);

static LLAMA_PYTHONIC_GRAMMARS: [Grammar; 1] =
    [Grammar::Python(Python::new(&["<|python_start|>"]).closers(&["<|python_end|>"]).bare())];
/// Llama 4 and the small Llama 3.2: a list of Python calls, the opener optional.
pub static LLAMA_PYTHONIC: Format = Format::new("llama-pythonic", &LLAMA_PYTHONIC_GRAMMARS)
    .aliases(&["pythonic", "llama4-pythonic"])
    .turn_ends(&["<|eom_id|>", "<|eot_id|>", "<|eom|>", "<|eot|>", "<|end_of_text|>"]);

const DEEPSEEK_OPENERS: &[&str] = &["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"];
const DEEPSEEK_CLOSERS: &[&str] = &["<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"];
const DEEPSEEK_ENDS: &[&str] = &["<｜end▁of▁sentence｜>"];

const fn deepseek() -> Header {
    Header::new("<｜tool▁call▁begin｜>", Naming::Line { separator: "<｜tool▁sep｜>" })
        .openers(DEEPSEEK_OPENERS)
        .closers(DEEPSEEK_CLOSERS)
        .fenced()
}

static DEEPSEEK_GRAMMARS: [Grammar; 1] = [Grammar::Header(deepseek())];
/// DeepSeek V3 and R1: a header line, then JSON in a code fence. Reads the form of V3.1 as well.
pub static DEEPSEEK_V3: Format = Format::new("deepseek-v3", &DEEPSEEK_GRAMMARS)
    .aliases(&["deepseek-r1"])
    .reasoning(&THINK)
    .turn_ends(DEEPSEEK_ENDS)
    .reserved();
/// DeepSeek V3.1: name, separator, JSON. Reads the form of V3 as well.
pub static DEEPSEEK_V3_1: Format = Format::new("deepseek-v3.1", &DEEPSEEK_GRAMMARS)
    .reasoning(&THINK)
    .turn_ends(DEEPSEEK_ENDS)
    .reserved();

const fn dsml(blocks: [&'static [&'static str]; 2], tags: [&'static str; 4]) -> Tags {
    Tags::new(
        Function::Tag { open: tags[0], close: tags[1] },
        Parameter::Tag { open: tags[2], close: tags[3] },
    )
    .openers(blocks[0])
    .blocks(blocks[0])
    .closers(blocks[1])
    .lone_block()
}

static DSML_GRAMMARS: [Grammar; 3] = [
    Grammar::Tags(dsml(
        [
            &["<｜DSML｜function_calls>", "<｜DSML｜tool_calls>"],
            &["</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"],
        ],
        [
            "<｜DSML｜invoke name=",
            "</｜DSML｜invoke>",
            "<｜DSML｜parameter name=",
            "</｜DSML｜parameter>",
        ],
    )),
    Grammar::Tags(dsml(
        [
            &["<｜DSML｜ calls>", "<｜DSML｜ tool_calls>"],
            &["</｜DSML｜ calls>", "</｜DSML｜ tool_calls>"],
        ],
        [
            "<｜DSML｜ invoke name=",
            "</｜DSML｜ invoke>",
            "<｜DSML｜ parameter name=",
            "</｜DSML｜ parameter>",
        ],
    )),
    Grammar::Tags(dsml(
        [
            &["<｜GCML｜function_calls>", "<｜GCML｜tool_calls>"],
            &["</｜GCML｜function_calls>", "</｜GCML｜tool_calls>"],
        ],
        [
            "<｜GCML｜invoke name=",
            "</｜GCML｜invoke>",
            "<｜GCML｜parameter name=",
            "</｜GCML｜parameter>",
        ],
    )),
];
/// DeepSeek V3.2, V4 and V4.1, GigaChat 3.5: the markup language DSML, whose attributes carry the type.
pub static DEEPSEEK_V3_2: Format = Format::new("deepseek-v3.2", &DSML_GRAMMARS)
    .aliases(&["dsml", "deepseek-v4", "deepseek-v4.1", "gigachat3.5"])
    .reasoning(&THINK)
    .turn_ends(DEEPSEEK_ENDS)
    .reserved();

static KIMI_K2_GRAMMARS: [Grammar; 1] = [Grammar::Header(
    Header::new(
        "<|tool_call_begin|>",
        Naming::Qualified { separator: "<|tool_call_argument_begin|>" },
    )
    .openers(&[
        "<|tool_calls_section_begin|>",
        "<|tool_call_section_begin|>",
        "<|tool_call_begin|>",
    ])
    .closers(&["<|tool_call_end|>", "<|tool_calls_section_end|>", "<|tool_call_section_end|>"]),
)];
/// Kimi K2, K2 Thinking, K2.5: ids in the text.
pub static KIMI_K2: Format = Format::new("kimi-k2", &KIMI_K2_GRAMMARS)
    .aliases(&["kimi", "kimi-k2.5"])
    .reasoning(&THINK)
    .turn_ends(CHATML_ENDS)
    .reserved();

const ARG_PAIR: Parameter = Parameter::Pair {
    key: "<arg_key>",
    key_end: "</arg_key>",
    value: "<arg_value>",
    value_end: "</arg_value>",
};

static GLM_GRAMMARS: [Grammar; 1] = [Grammar::Tags(
    Tags::new(
        Function::Name { open: "<tool_call>", separator: "", close: "</tool_call>" },
        ARG_PAIR,
    )
    .openers(&["<tool_call>"])
    .closers(&["</tool_call>"]),
)];
/// GLM 4.5 to 5, Ling 3 and its like: the name, then pairs of key and value.
pub static GLM: Format = Format::new("glm-4.5", &GLM_GRAMMARS)
    .aliases(&["glm", "glm-4.6", "glm-4.7", "glm-5"])
    .reasoning(&THINK)
    .turn_ends(&["<|observation|>", "<|user|>", "<|endoftext|>"]);

static HARMONY_GRAMMARS: [Grammar; 1] =
    [Grammar::Channels(Channels::new(&["analysis"], "functions."))];
/// gpt-oss: messages with channels, read from plain text.
pub static HARMONY: Format =
    Format::new("harmony", &HARMONY_GRAMMARS).aliases(&["gpt-oss"]).reserved();

static MINIMAX_M2_GRAMMARS: [Grammar; 1] = [Grammar::Tags(
    Tags::new(
        Function::Tag { open: "<invoke name=", close: "</invoke>" },
        Parameter::Tag { open: "<parameter name=", close: "</parameter>" },
    )
    .openers(&["<minimax:tool_call>"])
    .blocks(&["<minimax:tool_call>"])
    .closers(&["</minimax:tool_call>"]),
)];
/// MiniMax M2 to M2.5.
pub static MINIMAX_M2: Format =
    Format::new("minimax-m2", &MINIMAX_M2_GRAMMARS).reasoning(&THINK).turn_ends(&["[e~["]);

static GEMMA4_GRAMMARS: [Grammar; 1] =
    [Grammar::Native(Native::new(&["<|tool_call>"], "<|\"|>").closers(&["<tool_call|>"]))];
static GEMMA4_THINK: [Delimiters; 1] =
    [Delimiters::new("<|channel>thought\n", "<channel|>").anywhere()];
/// Gemma 4: literals of its own.
pub static GEMMA4: Format = Format::new("gemma4", &GEMMA4_GRAMMARS)
    .reasoning(&GEMMA4_THINK)
    .turn_ends(&["<turn|>", "<|tool_response>"])
    .reserved();

static FUNCTIONGEMMA_GRAMMARS: [Grammar; 1] = [Grammar::Native(
    Native::new(&["<start_function_call>"], "<escape>").closers(&["<end_function_call>"]),
)];
/// FunctionGemma: the grammar of Gemma 4 with other marks.
pub static FUNCTIONGEMMA: Format = Format::new("functiongemma", &FUNCTIONGEMMA_GRAMMARS)
    .turn_ends(&["<end_of_turn>", "<start_function_response>"]);

static GRANITE_GRAMMARS: [Grammar; 1] = [Grammar::Wrapped(
    Wrapped::new(&["<|tool_call|>", "<tool_call>", "<function_call>"]).closers(&[
        "</tool_call>",
        "<|/tool_call|>",
        "</function_call>",
    ]),
)];
/// Granite 3 and Granite 20B function calling: a list behind the opener, without an end marker.
pub static GRANITE: Format = Format::new("granite", &GRANITE_GRAMMARS)
    .aliases(&["granite3", "granite-20b-fc"])
    .reasoning(&THINK)
    .turn_ends(&["<|end_of_text|>", "<|endoftext|>"]);

static NEMOTRON_GRAMMARS: [Grammar; 1] =
    [Grammar::Wrapped(Wrapped::new(&["<TOOLCALL>"]).closers(&["</TOOLCALL>"]))];
/// Llama-Nemotron and Nemotron Nano 2.
pub static NEMOTRON: Format = Format::new("nemotron", &NEMOTRON_GRAMMARS)
    .reasoning(&THINK)
    .turn_ends(&["<|eot_id|>", "<SPECIAL_12>", "</s>"]);

static PHI4_GRAMMARS: [Grammar; 1] =
    [Grammar::Wrapped(Wrapped::new(&["functools"]).only_list().strict_list())];
/// Phi-4-mini: the word `functools` and a list.
pub static PHI4: Format = Format::new("phi4", &PHI4_GRAMMARS)
    .aliases(&["phi-4-mini"])
    .turn_ends(&["<|end|>", "<|endoftext|>"]);

static COHERE_GRAMMARS: [Grammar; 1] =
    [Grammar::Wrapped(Wrapped::new(&["<|START_ACTION|>"]).closers(&["<|END_ACTION|>"]).keys(
        &["tool_name", "name"],
        &["parameters", "arguments"],
        &["tool_call_id", "id"],
    ))];
static COHERE_THINK: [Delimiters; 1] =
    [Delimiters::new("<|START_THINKING|>", "<|END_THINKING|>").anywhere()];
static COHERE_FRAMING: [Delimiters; 2] = [
    Delimiters::new("<|START_RESPONSE|>", "<|END_RESPONSE|>").anywhere(),
    Delimiters::new("<|START_TEXT|>", "<|END_TEXT|>").anywhere(),
];
/// Command R7B, A and A+.
pub static COHERE: Format = Format::new("cohere", &COHERE_GRAMMARS)
    .aliases(&["command-r7b", "command-a"])
    .reasoning(&COHERE_THINK)
    .framing(&COHERE_FRAMING)
    .turn_ends(&["<|END_OF_TURN_TOKEN|>"])
    .reserved();

static INTERNLM_GRAMMARS: [Grammar; 1] = [Grammar::Wrapped(
    Wrapped::new(&["<|action_start|> <|plugin|>", "<|action_start|><|plugin|>"])
        .closers(&["<|action_end|>"]),
)];
/// InternLM 2 and Intern-S1.
pub static INTERNLM: Format = Format::new("internlm", &INTERNLM_GRAMMARS)
    .aliases(&["internlm2", "intern-s1"])
    .reasoning(&THINK)
    .turn_ends(CHATML_ENDS)
    .reserved();

static TOOL_CALLS_GRAMMARS: [Grammar; 1] =
    [Grammar::Wrapped(Wrapped::new(&["<tool_calls>"]).closers(&["</tool_calls>"]))];
/// Jamba.
pub static JAMBA: Format =
    Format::new("jamba", &TOOL_CALLS_GRAMMARS).turn_ends(&["<|eom|>", "</s>"]);
static ANSWER: [Delimiters; 1] = [Delimiters::new("<answer>", "</answer>")];
/// Hunyuan A13B and MiniMax M1: `<tool_calls>`, reasoning, and a frame around the answer.
pub static HUNYUAN_A13B: Format = Format::new("hunyuan-a13b", &TOOL_CALLS_GRAMMARS)
    .aliases(&["minimax-m1"])
    .reasoning(&THINK)
    .framing(&ANSWER)
    .turn_ends(&["<|eos|>"]);

static HUNYUAN_V3_GRAMMARS: [Grammar; 1] = [Grammar::Tags(
    Tags::new(
        Function::Name { open: "<tool_call>", separator: "<tool_sep>", close: "</tool_call>" },
        ARG_PAIR,
    )
    .openers(&["<tool_calls>"])
    .blocks(&["<tool_calls>"])
    .closers(&["</tool_calls>"]),
)];
/// Hunyuan V3.
pub static HUNYUAN_V3: Format =
    Format::new("hunyuan-v3", &HUNYUAN_V3_GRAMMARS).reasoning(&THINK).turn_ends(&["<|eos|>"]);

static LFM2_GRAMMARS: [Grammar; 2] = [
    Grammar::Wrapped(
        Wrapped::new(&["<|tool_call_start|>"]).closers(&["<|tool_call_end|>"]).strict_list(),
    ),
    Grammar::Python(Python::new(&["<|tool_call_start|>"]).closers(&["<|tool_call_end|>"])),
];
/// LFM2: a list of Python calls, or a JSON list.
pub static LFM2: Format = Format::new("lfm2", &LFM2_GRAMMARS).turn_ends(CHATML_ENDS).reserved();

static OLMO3_GRAMMARS: [Grammar; 1] =
    [Grammar::Python(Python::new(&["<function_calls>"]).closers(&["</function_calls>"]))];
/// OLMo 3: Python calls on lines.
pub static OLMO3: Format =
    Format::new("olmo3", &OLMO3_GRAMMARS).reasoning(&THINK).turn_ends(CHATML_ENDS);

static STEP3_GRAMMARS: [Grammar; 1] = [Grammar::Tags(
    Tags::new(
        Function::Tag { open: "<steptml:invoke name=", close: "</steptml:invoke>" },
        Parameter::Tag { open: "<steptml:parameter name=", close: "</steptml:parameter>" },
    )
    .openers(&["<｜tool_calls_begin｜>", "<｜tool_call_begin｜>function<｜tool_sep｜>"])
    .blocks(&["<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_calls_begin｜>"])
    .closers(&["<｜tool_call_end｜>", "<｜tool_calls_end｜>"])
    .lone_block(),
)];
/// Step 3.
pub static STEP3: Format = Format::new("step3", &STEP3_GRAMMARS).reasoning(&THINK).reserved();

static XLAM_GRAMMARS: [Grammar; 2] = [
    Grammar::Wrapped(Wrapped::new(&["<tool_call>"]).closers(&["</tool_call>"]).bare()),
    Grammar::Wrapped(Wrapped::new(&["[TOOL_CALLS]", "```json"]).closers(&["```"]).strict_list()),
];
/// xLAM: a JSON list at the start of the message, or behind one of several openers.
pub static XLAM: Format =
    Format::new("xlam", &XLAM_GRAMMARS).reasoning(&THINK).turn_ends(CHATML_ENDS);

static LONGCAT_GRAMMARS: [Grammar; 1] =
    [Grammar::Wrapped(Wrapped::new(&["<longcat_tool_call>"]).closers(&["</longcat_tool_call>"]))];
static LONGCAT_THINK: [Delimiters; 1] =
    [Delimiters::new("<longcat_think>", "</longcat_think>").anywhere()];
/// LongCat.
pub static LONGCAT: Format = Format::new("longcat", &LONGCAT_GRAMMARS)
    .reasoning(&LONGCAT_THINK)
    .turn_ends(&["<longcat_s>", "</longcat_s>"]);

static APERTUS_GRAMMARS: [Grammar; 1] = [Grammar::Wrapped(
    Wrapped::new(&["<|tools_prefix|>"]).closers(&["<|tools_suffix|>"]).key_is_name(),
)];
static APERTUS_THINK: [Delimiters; 1] =
    [Delimiters::new("<|inner_prefix|>", "<|inner_suffix|>").anywhere()];
/// Apertus: the tool's name is the key.
pub static APERTUS: Format = Format::new("apertus", &APERTUS_GRAMMARS)
    .reasoning(&APERTUS_THINK)
    .turn_ends(&["<|assistant_end|>"])
    .reserved();

static GIGACHAT3_GRAMMARS: [Grammar; 1] = [Grammar::Wrapped(
    Wrapped::new(&["function call<|role_sep|>", "<|function_call|>"]).only_object(),
)];
/// GigaChat 3.
pub static GIGACHAT3: Format = Format::new("gigachat3", &GIGACHAT3_GRAMMARS)
    .turn_ends(&["<|message_sep|>", "</s>"])
    .reserved();
