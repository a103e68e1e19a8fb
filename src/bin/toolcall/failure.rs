//! What keeps the program from doing its work.

use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Why nothing (more) could be done.
#[derive(Debug)]
pub enum Failure {
    /// Reading or writing failed.
    Io { doing: String, error: io::Error },
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
    pub fn reading(path: Option<&Path>) -> impl FnOnce(io::Error) -> Failure {
        let doing = match path {
            Some(path) => format!("reading {}", path.display()),
            None => "reading standard input".into(),
        };
        |error| Failure::Io { doing, error }
    }

    pub fn writing(error: io::Error) -> Failure {
        Failure::Io { doing: "writing".into(), error }
    }

    /// Says it. A reader that went away (`| head`) is no failure.
    pub fn report(self) -> ExitCode {
        match self {
            Failure::Io { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            Failure::Io { doing, error } => {
                eprintln!("toolcall: {doing}: {error}");
                ExitCode::from(IO_FAILED)
            }
            Failure::Usage(message) => {
                eprintln!("toolcall: {message}");
                ExitCode::from(MISUSED)
            }
        }
    }
}
