//! The command line.

use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use toolcall::Protocol;
use toolcall::text::{self, Formats};

use crate::examples;
use crate::failure::Failure;

/// Read a language model's stream and show its tool calls.
///
/// The input may be the body of an HTTP response, `curl -i` output with the header before it, a
/// capture that keeps the chunks apart (a line each: {"chunk": TEXT} or {"base64": BYTES}), or any of
/// them in gzip.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = examples::help("decode"))]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub decode: Decode,
    /// No colours; as with the variable NO_COLOR.
    #[arg(long, global = true)]
    pub no_color: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the tool calls of a stream (the default).
    #[command(after_help = examples::help("decode"))]
    Decode(Decode),
    /// Show every event of a stream, one JSON object a line.
    #[command(after_help = examples::help("events"))]
    Events(Events),
    /// Walk through a stream: what each piece of it did to which call.
    #[command(after_help = examples::help("explain"))]
    Explain(Explain),
    /// Read many streams and show only what is wrong with them.
    #[command(after_help = examples::help("check"))]
    Check(Check),
    /// Read a stream in many chunkings, which must all give the same.
    #[command(after_help = examples::help("split"))]
    Split(Split),
    /// Show the framing layer alone: the events of an event stream, one JSON object a line.
    #[command(after_help = examples::help("sse"))]
    Sse(Sse),
    /// Show the tool calls that a model wrote into plain text.
    #[command(after_help = examples::help("text"))]
    Text(Text),
    /// List the protocols and what each can express.
    Protocols {
        /// How to print; a table on a terminal, else jsonl.
        #[arg(long)]
        format: Option<ProtocolsFormat>,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page, in roff: `toolcall man | man -l -`.
    Man,
}

#[derive(Debug, Args)]
pub struct Decode {
    /// The recorded stream; `-` or nothing for standard input.
    pub file: Option<PathBuf>,
    /// The provider's protocol.
    #[arg(long, default_value = "auto", value_parser = protocol)]
    pub protocol: Protocol,
    /// How to print; a table on a terminal, else jsonl.
    #[arg(long)]
    pub format: Option<Format>,
    /// Show text and argument fragments while they arrive, on standard error.
    #[arg(long)]
    pub live: bool,
    /// Only this call: its number in the table, counted from 0, or its id.
    #[arg(long, value_name = "N|ID")]
    pub call: Option<String>,
    /// The raw argument text alone; as `--format raw`.
    #[arg(long, conflicts_with = "format")]
    pub raw: bool,
    /// Read the calls that an open model wrote into its text, in this format; `auto` takes the one
    /// whose marker comes first.
    #[arg(long, value_name = "FORMAT", value_parser = text_calls)]
    pub text_calls: Option<Formats>,
    #[command(flatten)]
    pub in_text: InText,
}

/// What is known about calls in text.
#[derive(Debug, Args)]
pub struct InText {
    /// The tools that were offered: a JSON list of `{"name", "parameters"}`.
    #[arg(long, value_name = "FILE", requires = "text_calls")]
    pub tools: Option<PathBuf>,
    /// The prompt opened the reasoning already.
    #[arg(long, requires = "text_calls")]
    pub starts_in_reasoning: bool,
    /// Take calls inside reasoning for calls.
    #[arg(long, requires = "text_calls")]
    pub calls_in_reasoning: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns for people.
    Table,
    /// One document.
    Json,
    /// A line per call, and one for the message.
    Jsonl,
    /// The raw argument texts alone, a line each; with `--call` exactly as it came.
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProtocolsFormat {
    /// Columns for people.
    Table,
    /// A line per protocol.
    Jsonl,
}

#[derive(Debug, Args)]
pub struct Events {
    /// The recorded stream; `-` or nothing for standard input.
    pub file: Option<PathBuf>,
    /// The provider's protocol.
    #[arg(long, default_value = "auto", value_parser = protocol)]
    pub protocol: Protocol,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// The recorded stream; `-` or nothing for standard input.
    pub file: Option<PathBuf>,
    /// The provider's protocol.
    #[arg(long, default_value = "auto", value_parser = protocol)]
    pub protocol: Protocol,
}

#[derive(Debug, Args)]
pub struct Check {
    /// The recorded streams; of a directory all files named like one (.sse, .ndjson, .eventstream,
    /// .jsonarray, .jsonl, .stream, .http, .txt, .log, and any of them with .gz).
    #[arg(required = true, value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,
    /// The provider's protocol.
    #[arg(long, default_value = "auto", value_parser = protocol)]
    pub protocol: Protocol,
}

#[derive(Debug, Args)]
pub struct Split {
    /// The recorded stream; `-` or nothing for standard input.
    pub file: Option<PathBuf>,
    /// The provider's protocol.
    #[arg(long, default_value = "auto", value_parser = protocol)]
    pub protocol: Protocol,
    /// Besides every two-way cut: in even chunks of 1 byte, of 2, up to this many.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub sizes: usize,
}

#[derive(Debug, Args)]
pub struct Sse {
    /// The recorded stream; `-` or nothing for standard input.
    pub file: Option<PathBuf>,
    /// Drop an event that the stream's end cuts, as the standard says (the default).
    #[arg(long, overrides_with = "lenient")]
    pub strict: bool,
    /// Give out an event that the stream's end cuts, marked.
    #[arg(long)]
    pub lenient: bool,
    /// How to print.
    #[arg(long, default_value = "jsonl")]
    pub format: SseFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SseFormat {
    /// A line per event, and one for the end.
    Jsonl,
}

#[derive(Debug, Args)]
pub struct Text {
    /// The model's text; `-` or nothing for standard input.
    pub file: Option<PathBuf>,
    /// The format of the calls; `auto` takes the one whose marker comes first.
    #[arg(long, value_name = "FORMAT", value_parser = text_calls)]
    pub text_calls: Formats,
    #[command(flatten)]
    pub in_text: InText,
    /// Give the text to the parser in pieces of this many bytes.
    #[arg(long, value_name = "BYTES")]
    pub chunk: Option<NonZeroUsize>,
    /// How to print.
    #[arg(long, default_value = "json")]
    pub format: TextFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextFormat {
    /// One document.
    Json,
    /// A line per piece: what kind it is, and its text.
    Jsonl,
}

fn text_calls(name: &str) -> Result<Formats, String> {
    if name == "auto" {
        return Ok(text::AUTO.into());
    }
    text::by_name(name).map(Formats::from).ok_or_else(|| {
        let names: Vec<&str> = text::FORMATS.iter().map(|format| format.name()).collect();
        format!("expected auto, {}", names.join(", "))
    })
}

fn protocol(name: &str) -> Result<Protocol, String> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = Protocol::ALL.iter().map(|protocol| protocol.as_str()).collect();
        format!("expected auto, {}", names.join(", "))
    })
}

/// Says what is wrong with a command line, and what to do; or gives the help that was asked for.
pub fn refuse(error: &clap::Error) -> ExitCode {
    // A second word behind one that was taken for a file.
    let second = error.get(ContextKind::InvalidSubcommand);
    if let (ErrorKind::ArgumentConflict, Some(second)) = (error.kind(), second) {
        let first = std::env::args_os().nth(1).unwrap_or_default();
        let message = match meant(&first) {
            Some(name) => {
                format!(
                    "there is no subcommand `{}`: did you mean `{name}`?",
                    first.to_string_lossy()
                )
            }
            None => format!(
                "one stream at a time, and `{second}` is another: `toolcall check` reads several"
            ),
        };
        return Failure::Usage(message).report();
    }
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// The subcommand that a word is perhaps meant to be.
pub fn meant(word: &OsStr) -> Option<String> {
    let subcommands = Arguments::command();
    let lone = clap::Command::new("toolcall").subcommands(subcommands.get_subcommands().cloned());
    let error = lone.try_get_matches_from([OsStr::new("toolcall"), word]).err()?;
    match error.get(ContextKind::SuggestedSubcommand)? {
        ContextValue::Strings(names) => names.first().cloned(),
        ContextValue::String(name) => Some(name.clone()),
        _ => None,
    }
}
