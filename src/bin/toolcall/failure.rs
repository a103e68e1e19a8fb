//! What keeps the program from doing its work.

use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Reading or writing failed.
#[derive(Debug)]
pub struct Failure {
    doing: String,
    error: io::Error,
}

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
        |error| Failure { doing, error }
    }

    pub fn writing(error: io::Error) -> Failure {
        Failure { doing: "writing".into(), error }
    }

    /// Says it. A reader that went away (`| head`) is no failure.
    pub fn report(self) -> ExitCode {
        if self.error.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::SUCCESS;
        }
        eprintln!("toolcall: {}: {}", self.doing, self.error);
        ExitCode::from(IO_FAILED)
    }
}
