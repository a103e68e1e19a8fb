//! `toolcall completions`: what a shell completes the command line from.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Arguments;
use crate::failure::Failure;

pub fn run(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "toolcall", &mut script);
    io::stdout().write_all(&script).map_err(Failure::writing)?;
    Ok(ExitCode::SUCCESS)
}
