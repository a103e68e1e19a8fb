//! `toolcall man`: the manual page, in roff. One page for all subcommands.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::Arguments;
use crate::examples::{self, EXIT_STATUS};
use crate::failure::Failure;

pub fn run() -> Result<ExitCode, Failure> {
    let mut page = Vec::new();
    write(&mut page).and_then(|()| io::stdout().write_all(&page)).map_err(Failure::writing)?;
    Ok(ExitCode::SUCCESS)
}

fn write(page: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Arguments::command();
    command.build();
    let man = Man::new(command.clone());
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    as_it_stands(page, "EXAMPLES", examples::of("decode").unwrap_or_default())?;
    as_it_stands(page, "EXIT STATUS", EXIT_STATUS)?;
    writeln!(page, ".SH SUBCOMMANDS")?;
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_subcommand(page, subcommand)?;
    }
    man.render_version_section(page)
}

fn write_subcommand(page: &mut Vec<u8>, command: &Command) -> io::Result<()> {
    let name = command.get_name();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    writeln!(page, ".SS \"toolcall {name}\"\n{about}.")?;
    // What is said of the program itself goes for `decode`; `help` is known.
    if matches!(name, "decode" | "help") {
        return Ok(());
    }
    let man = Man::new(command.clone());
    let mut parts = Vec::new();
    man.render_synopsis_section(&mut parts)?;
    man.render_options_section(&mut parts)?;
    // They are parts of this subsection here.
    let parts = String::from_utf8_lossy(&parts);
    for line in parts.lines() {
        match line {
            ".SH SYNOPSIS" | ".SH OPTIONS" => writeln!(page, ".PP")?,
            _ if line.starts_with(".ie ") || line.starts_with(".el ") => {} // once on a page
            line => writeln!(page, "{line}")?,
        }
    }
    if let Some(examples) = examples::of(name) {
        writeln!(page, ".PP\nExamples:")?;
        no_fill(page, examples)?;
    }
    Ok(())
}

fn as_it_stands(page: &mut Vec<u8>, title: &str, text: &str) -> io::Result<()> {
    writeln!(page, ".SH \"{title}\"")?;
    no_fill(page, text)
}

/// Lines that stay lines.
fn no_fill(page: &mut Vec<u8>, text: &str) -> io::Result<()> {
    writeln!(page, ".nf")?;
    for line in text.lines() {
        let line = line.trim_start().replace('\\', "\\e");
        writeln!(page, "{}", line.replace('-', "\\-").replace('\'', "\\(aq"))?;
    }
    writeln!(page, ".fi")
}
