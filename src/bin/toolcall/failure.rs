//! What keeps the program from doing its work.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::args::meant;

/// Why nothing (more) could be done.
#[derive(Debug)]
pub enum Failure {
    /// Reading or writing failed; perhaps it is known what to do.
    Io { doing: String, error: io::Error, hint: Option<String> },
    /// The command line asks for what is not there.
    Usage(String),
}

/// Exit status for a command line that cannot be followed.
pub const MISUSED: u8 = 2;
/// Exit status for a stream that broke or reported an error.
pub const STREAM_BROKE: u8 = 3;
/// Exit status for reading or writing that failed.
pub const IO_FAILED: u8 = 4;

impl Failure {
    pub fn reading(path: Option<&Path>) -> impl FnOnce(io::Error) -> Failure + '_ {
        move |error| {
            let Some(path) = path else {
                return Failure::Io { doing: "reading standard input".into(), error, hint: None };
            };
            let hint = match error.kind() {
                io::ErrorKind::IsADirectory => {
                    Some(format!("`toolcall check {}` reads the streams in it", path.display()))
                }
                io::ErrorKind::NotFound => meant(path.as_os_str())
                    .map(|name| format!("did you mean the subcommand `{name}`?")),
                _ => None,
            };
            Failure::Io { doing: format!("reading {}", path.display()), error, hint }
        }
    }

    pub fn writing(error: io::Error) -> Failure {
        Failure::Io { doing: "writing".into(), error, hint: None }
    }

    /// Says it. A reader that went away (`| head`) is no failure.
    pub fn report(self) -> ExitCode {
        match self {
            Failure::Io { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            Failure::Io { doing, error, hint } => {
                eprintln!("toolcall: {doing}: {error}");
                hint.inspect(|hint| eprintln!("  {hint}"));
                ExitCode::from(IO_FAILED)
            }
            Failure::Usage(message) => {
                eprintln!("toolcall: {message}");
                ExitCode::from(MISUSED)
            }
        }
    }
}
