//! The program: shows what toolcall makes of a recorded or running stream.

mod args;
mod decode;
mod document;
mod failure;
mod frames;
mod table;
mod text;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        None => decode::run(&arguments.decode),
        Some(Command::Decode(options)) => decode::run(&options),
        Some(Command::Sse(options)) => frames::run(&options),
        Some(Command::Text(options)) => text::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
