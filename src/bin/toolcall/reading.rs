//! Reads a stream to its end, whatever becomes of it.

use std::io;
use std::path::PathBuf;

use toolcall::event::Outcome;
use toolcall::text::Format;
use toolcall::{Decoder, Error, Event, Message, Protocol};

use crate::failure::{Failure, IO_FAILED, STREAM_BROKE};
use crate::input::Input;
use crate::style::printable;

/// What was read.
pub struct Reading {
    pub protocol: Protocol,
    pub message: Message,
    /// The format of the calls in the text, where there were any.
    pub text_format: Option<&'static Format>,
    path: Option<PathBuf>,
    status: Option<u16>,
    /// Why the stream could not be understood to its end.
    broken: Option<Error>,
    /// Why it could not be read to its end.
    unreadable: Option<io::Error>,
}

/// Something that a stream gave, in its order.
pub type Item<'a> = Result<&'a Event<'a>, &'a Error>;

impl Reading {
    /// Reads all of `input` with `decoder`, chunk by chunk, and shows each item to `see`.
    pub fn of(
        mut input: Input,
        mut decoder: Decoder,
        mut see: impl FnMut(Item<'_>) -> Result<(), Failure>,
    ) -> Result<Reading, Failure> {
        let mut message = Message::default();
        let (mut broken, mut unreadable) = (None, None);
        let mut take = |item: Result<Event<'_>, Error>| {
            see(item.as_ref())?;
            match item {
                Ok(event) => message.push(event),
                Err(error) => broken = Some(error),
            }
            Ok(())
        };
        while let Some(chunk) = input.next_chunk().transpose() {
            match chunk {
                Ok(chunk) => {
                    let mut rest = &chunk[..];
                    while let Some(item) = decoder.decode(&mut rest).transpose() {
                        take(item)?;
                    }
                }
                Err(error) => {
                    unreadable = Some(error);
                    break;
                }
            }
        }
        while let Some(item) = decoder.decode_eof().transpose() {
            take(item)?;
        }
        let (path, status) = (input.path, input.status);
        let (protocol, text_format) = (decoder.protocol(), decoder.text_format());
        Ok(Reading { protocol, message, text_format, path, status, broken, unreadable })
    }

    /// Says on standard error what kept the stream from being read.
    pub fn report(&self) {
        if let Some(error) = &self.broken {
            eprintln!("toolcall: {error}");
            if !error.excerpt().is_empty() {
                eprintln!("  it begins: {}", error.excerpt().escape_ascii());
            }
        } else if let (None, Some(trouble)) = (&self.unreadable, self.trouble()) {
            eprintln!("toolcall: {}", printable(&trouble));
        }
        if let Some(status) = self.status.filter(|status| !(200..300).contains(status)) {
            eprintln!("toolcall: the HTTP status is {status}");
        }
    }

    /// Why the stream is no good, in one line; its calls may fail beside that.
    pub fn trouble(&self) -> Option<String> {
        match (&self.unreadable, &self.broken, &self.message.error, &self.message.outcome) {
            (Some(error), ..) => Some(format!("reading failed: {error}")),
            (_, Some(error), ..) => Some(error.to_string()),
            (_, _, Some(error), _) => {
                Some(format!("the provider reported {}: {}", error.kind, error.message))
            }
            (.., Some(Outcome::Complete)) => None,
            _ if self.protocol == Protocol::Auto => {
                Some("the stream ended before an event of a known protocol came".into())
            }
            _ => Some("the stream ended early".into()),
        }
    }

    /// The exit status: of several the worst, which is the highest.
    pub fn status(&self) -> u8 {
        match (&self.unreadable, &self.broken, &self.message.outcome) {
            (Some(_), ..) => IO_FAILED,
            (None, None, Some(Outcome::Complete)) => {
                self.message.invalid_calls().next().is_some().into()
            }
            _ => STREAM_BROKE,
        }
    }

    /// The failure to end with, if reading failed.
    pub fn into_failure(self) -> Option<Failure> {
        self.unreadable.map(Failure::reading(self.path.as_deref()))
    }
}
