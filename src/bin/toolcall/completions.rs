//! `toolcall completions` and `toolcall man`: what a package of the program brings along.

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

pub fn man() -> Result<ExitCode, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut page).map_err(Failure::writing)?;
    io::stdout().write_all(&page).map_err(Failure::writing)?;
    Ok(ExitCode::SUCCESS)
}
