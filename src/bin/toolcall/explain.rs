//! `toolcall explain`: a walk through a stream, and what each piece of it did to which call.

use std::collections::HashMap;
use std::io::{self, Write};
use std::process::ExitCode;

use anstream::AutoStream;
use toolcall::event::Outcome;
use toolcall::sse::{self, Body};
use toolcall::{CallKey, Decoder, Error, Event, Message};

use crate::args::Explain;
use crate::failure::{Failure, STREAM_BROKE};
use crate::input::Input;
use crate::live::number;
use crate::style::{BAD, CALL, FAINT, GOOD, HEADER, cut, printable, width};

pub fn run(options: &Explain) -> Result<ExitCode, Failure> {
    let body = Input::open(options.file.as_deref())?.read_whole()?;
    let mut walk = Walk {
        out: AutoStream::auto(io::stdout()),
        width: width(),
        calls: HashMap::new(),
        message: Message::default(),
        is_broken: false,
    };
    walk.through(&body, Decoder::new(options.protocol)).map_err(Failure::writing)?;
    Ok(match (walk.is_broken, &walk.message.outcome) {
        (false, Some(Outcome::Complete)) if walk.message.invalid_calls().next().is_none() => {
            ExitCode::SUCCESS
        }
        (false, Some(Outcome::Complete)) => ExitCode::FAILURE,
        _ => ExitCode::from(STREAM_BROKE),
    })
}

struct Walk {
    out: AutoStream<io::Stdout>,
    width: usize,
    /// What is known of each call: its name, and the bytes of its arguments so far.
    calls: HashMap<CallKey, (String, usize)>,
    message: Message,
    is_broken: bool,
}

impl Walk {
    fn through(&mut self, body: &[u8], mut decoder: Decoder) -> io::Result<()> {
        let (mut start, mut fed) = (0, 0);
        for end in ends(body) {
            let mut input = &body[fed..end];
            fed = end;
            let mut events = Vec::new();
            while let Some(event) = decoder.decode(&mut input).transpose() {
                events.push(event.map(Event::into_owned));
            }
            // A byte alone is no piece yet.
            if events.is_empty() && !body[..end].ends_with(b"\n") {
                continue;
            }
            self.piece(start, &body[start..end])?;
            start = end;
            events.into_iter().try_for_each(|event| self.event(event))?;
        }
        if start < body.len() {
            self.piece(start, &body[start..])?;
        }
        writeln!(self.out, "{HEADER}end of the stream{HEADER:#} at byte {}", body.len())?;
        while let Some(event) = decoder.decode_eof().transpose() {
            self.event(event.map(Event::into_owned))?;
        }
        self.out.flush()
    }

    fn piece(&mut self, start: usize, piece: &[u8]) -> io::Result<()> {
        let end = start + piece.len();
        writeln!(self.out, "{HEADER}bytes {start}..{end}{HEADER:#}")?;
        for line in piece.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
        {
            let line = printable(&String::from_utf8_lossy(line.trim_ascii_end()));
            writeln!(self.out, "  {FAINT}{}{FAINT:#}", cut(&line, self.width.saturating_sub(2)))?;
        }
        Ok(())
    }

    fn event(&mut self, event: Result<Event<'static>, Error>) -> io::Result<()> {
        let line = match &event {
            Err(error) => {
                self.is_broken = true;
                format!("{BAD}BROKEN{BAD:#} {error}")
            }
            Ok(event) => self.told(event),
        };
        if let Ok(event) = event {
            self.message.push(event);
        }
        writeln!(self.out, "  → {line}")
    }

    /// What an event says, in words.
    fn told(&mut self, event: &Event<'_>) -> String {
        let room = self.width.saturating_sub(24).max(16);
        let quoted = |text: &str| cut(&format!("\"{}\"", printable(text)), room);
        match event {
            Event::MessageStart(start) => {
                format!("the message begins: {} by {}", quoted(&start.id), quoted(&start.model))
            }
            Event::Text(text) => format!("text {}", quoted(&text.text)),
            Event::Reasoning(text) => format!("reasoning {}", quoted(&text.text)),
            Event::Refusal(text) => format!("refusal {}", quoted(&text.text)),
            Event::ToolCallStart(start) => {
                self.calls.insert(start.key, (printable(&start.name), 0));
                let id =
                    start.id.as_deref().map_or("no id".into(), |id| format!("id {}", quoted(id)));
                format!("{} begins, {id}", self.call(start.key))
            }
            Event::ToolCallDelta(delta) => {
                let bytes = delta.fragment.len();
                let call = self.calls.entry(delta.key).or_default();
                call.1 = if delta.replaces { bytes } else { call.1 + bytes };
                let sum = call.1;
                let fragment = quoted(&delta.fragment);
                let sign = if delta.replaces { "anew" } else { "+" };
                format!("{} {sign}{bytes} = {sum} {fragment}", self.call(delta.key))
            }
            Event::ToolCallEnd(end) => match &end.result {
                Ok(call) => {
                    let warnings: String =
                        call.warnings().map(|warning| format!(", {}", warning.as_str())).collect();
                    let bytes = call.arguments().raw().len();
                    self.calls.insert(end.key, (printable(call.name()), bytes));
                    format!("{} {GOOD}ok{GOOD:#}, {bytes} bytes{warnings}", self.call(end.key))
                }
                Err(invalid) => {
                    self.calls.insert(end.key, (printable(invalid.name()), invalid.raw().len()));
                    let why = printable(&invalid.to_string());
                    format!("{} {BAD}FAILED{BAD:#} {why}", self.call(end.key))
                }
            },
            Event::Extra(extra) => {
                let (name, json) = (printable(&extra.name), printable(&extra.json));
                format!("to be kept: {name} {}", cut(&json, room))
            }
            Event::Usage(usage) => format!("usage {}", cut(&printable(&usage.json), room)),
            Event::Stop(stop) => {
                let reason = &stop.reason;
                format!("stop {} ({:?})", quoted(reason.as_str()), reason.kind())
            }
            Event::ProviderError(error) => {
                let (kind, message) = (printable(&error.kind), printable(&error.message));
                format!("{BAD}ERROR{BAD:#} of the provider: {kind}: {message}")
            }
            Event::Comment(_) => "a comment".into(),
            Event::Other(_) => "kept as it is: nothing known of it".into(),
            Event::Warning(event) => format!("warning {}", event.warning.as_str()),
            Event::End(end) => match &end.outcome {
                Outcome::Complete => format!("{GOOD}complete{GOOD:#}"),
                Outcome::Failed(kind) => format!("{BAD}FAILED{BAD:#} {kind}"),
                _ => format!("{BAD}ENDED EARLY{BAD:#}"),
            },
            _ => "something".into(),
        }
    }

    fn call(&self, key: CallKey) -> String {
        let name = self.calls.get(&key).map_or("", |(name, _)| name);
        format!("{} {CALL}{name}{CALL:#}", number(key))
    }
}

/// Where the pieces end that the stream is made of: its events, its lines, or, where the framing is
/// known to the decoder alone, anywhere.
fn ends(body: &[u8]) -> Vec<usize> {
    match Body::sniff(&body[..body.len().min(512)]) {
        Body::EventStream => event_ends(body),
        Body::NdJson | Body::JsonObject => {
            memchr::memchr_iter(b'\n', body).map(|at| at + 1).chain([body.len()]).collect()
        }
        _ => (1..=body.len()).collect(),
    }
}

fn event_ends(body: &[u8]) -> Vec<usize> {
    let mut decoder = sse::Decoder::new();
    let mut input = body;
    let mut ends = Vec::new();
    while let Some(record) = decoder.decode(&mut input) {
        let is_piece = matches!(
            record,
            sse::Record::Event(_) | sse::Record::Comment(_) | sse::Record::Stray(_)
        );
        let end = body.len() - input.len();
        if is_piece {
            ends.push(end);
        }
    }
    ends.push(body.len());
    ends.dedup();
    ends
}
