//! The program: shows what toolcall makes of a recorded or running stream.

mod args;
mod capture;
mod check;
mod completions;
mod decode;
mod document;
mod events;
mod examples;
mod explain;
mod failure;
mod frames;
mod input;
mod live;
mod manual;
mod protocols;
mod reading;
mod selection;
mod split;
mod style;
mod table;
mod text;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return args::refuse(&error),
    };
    if arguments.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    let result = match arguments.command {
        None => decode::run(&arguments.decode),
        Some(Command::Decode(options)) => decode::run(&options),
        Some(Command::Events(options)) => events::run(&options),
        Some(Command::Explain(options)) => explain::run(&options),
        Some(Command::Check(options)) => check::run(&options),
        Some(Command::Split(options)) => split::run(&options),
        Some(Command::Sse(options)) => frames::run(&options),
        Some(Command::Text(options)) => text::run(&options),
        Some(Command::Protocols { format }) => protocols::run(format),
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Man) => manual::run(),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
