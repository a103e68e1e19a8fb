//! The whole way: bytes in, events out.

use alloc::format;
use alloc::string::String;

use crate::call::CallKey;
use crate::demux::{Demux, Speaker};
use crate::error::{Error, ErrorKind, Position};
use crate::event::Event;
use crate::frame::{Body, Frame, Framer, Framing, MessageType, StrayJson, Unit, UnitKind, sniff};
use crate::limits::{LimitKind, Limits};
use crate::protocol::Protocol;
use crate::text;
use crate::trace::StreamSpan;
use crate::warning::Warning;
use crate::wire::head::Head;
use crate::wire::{Malformed, Reader, detect};

/// Turns the bytes of a model's stream into [`Event`]s.
///
/// It does no input or output of its own: feed it chunks as they come, cut anywhere, and take the
/// events. The same bytes give the same events in every chunking.
///
/// ```
/// use toolcall::{Decoder, Event, Protocol};
///
/// let body: &[u8] = br#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"add","arguments":"{\"a\":1}"}}]}}]}
///
/// data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
///
/// data: [DONE]
///
/// "#;
/// let mut decoder = Decoder::new(Protocol::OpenAiChat);
/// let mut calls = 0;
/// for chunk in body.chunks(7) {
///     let mut input = chunk;
///     while let Some(event) = decoder.decode(&mut input)? {
///         match event {
///             Event::ToolCallDelta(delta) => print!("{}", delta.fragment), // for display only
///             Event::ToolCallEnd(end) => match end.result {
///                 Ok(call) => {
///                     assert_eq!(call.name(), "add");
///                     assert_eq!(call.arguments().value(), serde_json::json!({"a": 1}));
///                     calls += 1;
///                 }
///                 Err(invalid) => eprintln!("{}", invalid.report()),
///             },
///             _ => {}
///         }
///     }
/// }
/// while let Some(event) = decoder.decode_eof()? {
///     println!("{event:?}"); // what the end of the stream decides
/// }
/// assert_eq!(calls, 1);
/// # Ok::<(), toolcall::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    framing: Framer,
    interpreter: Interpreter,
    phase: Phase,
    /// Handed out once the events before it are.
    failure: Option<Error>,
    span: StreamSpan,
}

/// Frames in, events into the demultiplexer's queue.
#[derive(Debug)]
struct Interpreter {
    /// `None` until the first event tells the protocol.
    reader: Option<Reader>,
    protocol: Protocol,
    /// See [`Options::shapes`].
    shapes: bool,
    demux: Demux,
    seen_event: bool,
    /// The head of the first event that does not say whose it is.
    unknown: Option<Error>,
    stray: StrayJson,
}

/// How far the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Reading,
    /// An [`Error`] was met: what still comes is not looked at.
    Failed,
    Ended,
}

/// When a call that is over is given out.
///
/// An example is at [`Options`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EmitAt {
    /// When the message stops: nothing can be added to any call by then.
    #[default]
    MessageStop,
    /// At the call's own stop where the protocol has one. A call whose text is empty or unfinished
    /// there is held back until the next event decides.
    CallStop,
}

/// How a [`Decoder`] is to work.
///
/// ```
/// use toolcall::{Decoder, EmitAt, Limits, Options, Protocol};
///
/// let options = Options::default().emit_at(EmitAt::CallStop).limits(Limits::gateway());
/// let decoder = Decoder::with_options(Protocol::AnthropicMessages, options);
/// # drop(decoder);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// See [`Options::emit_at`].
    pub emit_at: EmitAt,
    /// See [`Options::accept_recovery`].
    pub accept_recovery: bool,
    /// See [`Options::fragments`].
    pub fragments: bool,
    /// See [`Options::shapes`].
    pub shapes: bool,
    /// See [`Options::limits`].
    pub limits: Limits,
    /// See [`Options::text_calls`].
    pub text_calls: Option<text::Formats>,
    /// See [`Options::text_options`].
    pub text_options: text::Options,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            emit_at: EmitAt::default(),
            accept_recovery: false,
            fragments: true,
            shapes: true,
            limits: Limits::default(),
            text_calls: None,
            text_options: text::Options::default(),
        }
    }
}

impl Options {
    /// When calls are given out.
    pub fn emit_at(mut self, emit_at: EmitAt) -> Self {
        self.emit_at = emit_at;
        self
    }

    /// Whether a reading that the fragment borders prove ([`Recovery`](crate::Recovery)) makes a
    /// failed call a good one, with a warning. Off by default.
    pub fn accept_recovery(mut self, accept: bool) -> Self {
        self.accept_recovery = accept;
        self
    }

    /// Whether to record where each fragment came from, for the report of a failed call. On by
    /// default; costs at most 16 bytes per fragment.
    pub fn fragments(mut self, record: bool) -> Self {
        self.fragments = record;
        self
    }

    /// Reads the calls that an open model writes into its text, where the server passes them through as
    /// content. They come out as all others do: a start, deltas, and an end with the parsed call or
    /// the reason why it is none.
    ///
    /// ```
    /// use toolcall::{Decoder, Message, Options, Protocol, text};
    ///
    /// let body = br#"data: {"choices":[{"delta":{"content":"<tool_call>{\"name\": \"ping\"}</tool_call>"}}]}
    ///
    /// data: {"choices":[{"delta":{},"finish_reason":"stop"}]}
    ///
    /// "#;
    /// let options = Options::default().text_calls(&text::HERMES);
    /// let mut decoder = Decoder::with_options(Protocol::OpenAiChat, options);
    /// let (mut input, mut message) = (&body[..], Message::default());
    /// while let Some(event) = decoder.decode(&mut input)? {
    ///     message.push(event);
    /// }
    /// while let Some(event) = decoder.decode_eof()? {
    ///     message.push(event);
    /// }
    /// assert_eq!(message.calls().next().unwrap().name(), "ping");
    /// # Ok::<(), toolcall::Error>(())
    /// ```
    pub fn text_calls(mut self, formats: impl Into<text::Formats>) -> Self {
        self.text_calls = Some(formats.into());
        self
    }

    /// What is known of the text besides its format: the tools that were offered, and whether it
    /// begins inside reasoning.
    pub fn text_options(mut self, options: text::Options) -> Self {
        self.text_options = options;
        self
    }

    /// Whether to remember the shapes of the last envelopes, so that one that is like them is read
    /// faster; what is read is the same. On by default; costs at most 4 KiB a decoder.
    pub fn shapes(mut self, remember: bool) -> Self {
        self.shapes = remember;
        self
    }

    /// Bounds on what the stream may make the decoder hold.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Decoder {
    /// A decoder for one stream, with the default [`Options`].
    pub fn new(protocol: Protocol) -> Self {
        Decoder::with_options(protocol, Options::default())
    }

    /// A decoder for one stream.
    pub fn with_options(protocol: Protocol, options: Options) -> Self {
        let framing = Framer::new(protocol.bodies(), &options.limits);
        let mut interpreter = Interpreter {
            reader: None,
            protocol: Protocol::Auto,
            shapes: options.shapes,
            demux: Demux::new(options),
            seen_event: false,
            unknown: None,
            stray: StrayJson::default(),
        };
        interpreter.settle_on(protocol);
        let span = StreamSpan::new();
        Decoder { framing, interpreter, phase: Phase::Reading, failure: None, span }
    }

    /// Takes bytes off the front of `input` until an event is found. `None`: all of `input` is taken
    /// and more is needed.
    ///
    /// # Errors
    /// When a limit is passed, a known event cannot be read, or the body is no event stream. The
    /// calls that were open come out after it, as truncated; further input is taken and not looked
    /// at.
    pub fn decode<'d, 'i: 'd>(
        &'d mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<Event<'d>>, Error> {
        match self.advance(input)? {
            true => Ok(self.ready()),
            false => Ok(None),
        }
    }

    /// What the end of the stream decides: calls that are still open, and [`Event::End`]. To be
    /// called until it gives `None`.
    ///
    /// # Errors
    /// As [`decode`](Decoder::decode).
    pub fn decode_eof(&mut self) -> Result<Option<Event<'_>>, Error> {
        match self.advance_eof()? {
            true => Ok(self.ready()),
            false => Ok(None),
        }
    }

    /// The raw arguments of a call as far as they have come: for display. `None` once its end was
    /// given out. Costs nothing.
    ///
    /// The text grows with each fragment, and begins anew with one that
    /// [`replaces`](crate::event::ToolCallDelta::replaces) what came before.
    ///
    /// ```
    /// use toolcall::{Decoder, Event, Protocol};
    ///
    /// let mut decoder = Decoder::new(Protocol::OpenAiChat);
    /// let mut input: &[u8] = b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\
    ///     \"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}]}}]}\n\n";
    /// while let Some(event) = decoder.decode(&mut input)? {
    ///     if let Event::ToolCallDelta(delta) = event {
    ///         let key = delta.key;
    ///         assert_eq!(decoder.arguments_so_far(key), Some("{\"a"));
    ///     }
    /// }
    /// # Ok::<(), toolcall::Error>(())
    /// ```
    pub fn arguments_so_far(&self, key: CallKey) -> Option<&str> {
        self.interpreter.demux.arguments_so_far(key)
    }

    /// The protocol; [`Protocol::Auto`] until it is known.
    pub fn protocol(&self) -> Protocol {
        self.interpreter.protocol
    }

    /// The format of the calls that the model wrote into its text, once the first has ended; of interest where
    /// [`Options::text_calls`] names several.
    pub fn text_format(&self) -> Option<&'static text::Format> {
        self.interpreter.demux.text_format
    }

    /// [`decode`](Decoder::decode) up to the event, without taking it: whether one is
    /// [`ready`](Decoder::ready). The adapters need the two apart, for they fetch bytes in between.
    pub(crate) fn advance(&mut self, input: &mut &[u8]) -> Result<bool, Error> {
        while !self.interpreter.demux.has_events() {
            self.report_failure()?;
            match self.phase {
                Phase::Reading => {}
                Phase::Failed => {
                    *input = &[];
                    return Ok(false);
                }
                Phase::Ended if input.is_empty() => return Ok(false),
                Phase::Ended => {
                    *input = &[];
                    return Err(self.misused());
                }
            }
            let chunk = *input;
            match self.framing.advance(input) {
                Some(unit) => self.read(&unit, chunk),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// [`decode_eof`](Decoder::decode_eof) up to the event, without taking it.
    pub(crate) fn advance_eof(&mut self) -> Result<bool, Error> {
        while !self.interpreter.demux.has_events() {
            self.report_failure()?;
            if self.phase == Phase::Ended {
                return Ok(false);
            }
            let unit = match self.phase {
                Phase::Reading => self.framing.advance_eof(),
                _ => None,
            };
            match unit {
                Some(unit) => self.read(&unit, &[]),
                None if self.phase == Phase::Reading && self.interpreter.unknown.is_some() => {
                    self.phase = Phase::Failed;
                    self.failure = self.interpreter.unknown.take();
                }
                None => {
                    self.phase = Phase::Ended;
                    self.interpreter.demux.finish_stream();
                }
            }
        }
        Ok(true)
    }

    /// A response that was not streamed, in the place of a stream.
    pub(crate) fn read_whole(&mut self, body: &[u8]) {
        if let Err(failure) = self.interpreter.read_whole(body) {
            self.phase = Phase::Failed;
            self.failure = Some(failure);
        }
    }

    /// The event that was found.
    pub(crate) fn ready(&mut self) -> Option<Event<'_>> {
        let protocol = self.interpreter.protocol;
        let event = self.interpreter.demux.pop()?;
        self.span.event(protocol, &event);
        Some(event)
    }

    fn read(&mut self, unit: &Unit, chunk: &[u8]) {
        let frame = Frame {
            name: self.framing.bytes(&unit.name, chunk),
            data: self.framing.bytes(&unit.data, chunk),
            ordinal: unit.ordinal,
            start: unit.span.start,
            end: unit.span.end,
            message: unit.message,
        };
        let body = self.framing.body();
        if let Err(failure) = self.interpreter.read(frame, unit.kind, body) {
            self.phase = Phase::Failed;
            self.failure = Some(failure);
        }
    }

    fn report_failure(&mut self) -> Result<(), Error> {
        match self.failure.take() {
            None => Ok(()),
            Some(error) => {
                self.span.error(self.interpreter.protocol, &error);
                self.interpreter.demux.fail(error.kind().as_str());
                Err(error)
            }
        }
    }

    #[cold]
    fn misused(&self) -> Error {
        Error::new(ErrorKind::Misuse, Position::default(), "bytes came after the end of the stream")
    }
}

impl Interpreter {
    fn read(&mut self, frame: Frame<'_>, kind: UnitKind, body: Body) -> Result<(), Error> {
        match kind {
            UnitKind::Event => self.read_event(frame, true, body)?,
            UnitKind::UnterminatedEvent => self.read_event(frame, false, body)?,
            UnitKind::Comment => {
                self.demux.begin(frame);
                self.demux.comment(frame.data);
            }
            UnitKind::Stray | UnitKind::Cut => self.read_stray(frame, kind, body)?,
            UnitKind::Limit(limit) => return Err(over_limit(frame, limit)),
            UnitKind::Corrupt => {
                let message = "expected a frame with a matching checksum";
                return Err(Error::new(ErrorKind::CorruptFrame, position(&frame), message));
            }
        }
        self.demux.finish_frame().map_or(Ok(()), |limit| Err(over_limit(frame, limit)))
    }

    fn read_event(&mut self, frame: Frame<'_>, is_whole: bool, body: Body) -> Result<(), Error> {
        if self.reader.is_none() {
            self.detect(&frame, body);
            // A JSON document in the place of a stream looks like one line of many.
            let comes_so = |protocol: Protocol| {
                protocol.bodies().iter().any(|known| *known == body || *known == Body::JsonArray)
            };
            let in_json = matches!(body, Body::NdJson | Body::JsonArray);
            if in_json && !self.seen_event && !comes_so(self.protocol) {
                return Err(not_a_stream(&frame, sniff(frame.data)));
            }
        }
        self.seen_event = true;
        self.stray.clear();
        let mut speaker = self.demux.begin(frame);
        let Some(reader) = &mut self.reader else {
            if frame.data.trim_ascii_start().starts_with(b":") {
                self.demux.warn(Warning::CommentAsData);
                return Ok(());
            }
            self.demux.other(frame);
            self.unknown.get_or_insert_with(|| unknown(&frame, body));
            return Ok(());
        };
        match reader.read(frame, &mut speaker) {
            Ok(()) if is_whole => {}
            Ok(()) => self.demux.warn(Warning::UnterminatedFinalEvent),
            Err(fault) if is_whole => return Err(malformed(frame, fault)),
            Err(_) => {
                self.demux.warn(Warning::TruncatedEvent);
                self.demux.other(frame);
            }
        }
        Ok(())
    }

    fn read_whole(&mut self, body: &[u8]) -> Result<(), Error> {
        let end = body.len() as u64;
        let message = MessageType::Event;
        let frame = Frame { name: b"", data: body, ordinal: 0, start: 0, end, message };
        if self.reader.is_none() {
            self.detect(&frame, Body::JsonObject);
        }
        let Some(reader) = &mut self.reader else {
            return Err(unknown(&frame, sniff(body)));
        };
        let mut speaker = self.demux.begin(frame);
        reader.read_whole(frame, &mut speaker).map_err(|fault| malformed(frame, fault))?;
        self.demux.finish_frame().map_or(Ok(()), |limit| Err(over_limit(frame, limit)))
    }

    /// A line that is part of no event: an error in a field of its own, a whole body that is no
    /// event stream, or something that is kept for the user to see.
    fn read_stray(&mut self, frame: Frame<'_>, kind: UnitKind, body: Body) -> Result<(), Error> {
        let found = sniff(frame.data);
        if !self.seen_event && found != body && is_foreign(found) {
            if self.reader.is_none() {
                self.detect(&frame, body);
            }
            return Err(not_a_stream(&frame, found));
        }
        // llama.cpp reports errors in an SSE field of that name.
        if let Some(value) = frame.data.strip_prefix(b"error:") {
            if self.reader.is_none() {
                self.settle_on(Protocol::OpenAiChat);
            }
            let error = Frame { name: b"error", data: value.trim_ascii(), ..frame };
            let mut speaker = self.demux.begin(error);
            if let Some(Ok(())) =
                self.reader.as_mut().map(|reader| reader.read(error, &mut speaker))
            {
                self.demux.warn(Warning::NonstandardError);
                return Ok(());
            }
        }
        self.demux.begin(frame);
        if kind == UnitKind::Cut {
            self.demux.warn(Warning::TruncatedEvent);
        }
        self.demux.other(frame);
        if let Some(data) = self.stray.push(frame.data) {
            let bare = Frame { data, ..frame };
            if let (Some(reader), true) = (&mut self.reader, Head::of(bare, body).has("error")) {
                let mut speaker = Speaker { demux: &mut self.demux, frame: bare };
                if reader.read(bare, &mut speaker).is_ok() {
                    self.demux.warn(Warning::NonstandardError);
                }
            }
        }
        Ok(())
    }

    fn detect(&mut self, frame: &Frame<'_>, body: Body) {
        if let Some(protocol) = detect(&Head::of(*frame, body)) {
            self.settle_on(protocol);
        }
    }

    fn settle_on(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        self.reader = Reader::new(protocol);
        if let (false, Some(reader)) = (self.shapes, &mut self.reader) {
            reader.forget_shapes();
        }
        self.demux.set_protocol(protocol);
        self.unknown = None;
    }
}

/// A body that can never be an event stream, though something in it might look like one line of it.
fn is_foreign(body: Body) -> bool {
    !matches!(body, Body::Empty | Body::EventStream | Body::Unknown)
}

fn position(frame: &Frame<'_>) -> Position {
    Position { byte: frame.start, event: frame.ordinal }
}

#[cold]
fn not_a_stream(frame: &Frame<'_>, found: Body) -> Error {
    let message = format!("expected an event stream, found {}", found.as_str());
    Error::new(ErrorKind::NotAnEventStream, position(frame), message).with_excerpt(frame.data)
}

#[cold]
fn unknown(frame: &Frame<'_>, body: Body) -> Error {
    let message = format!("expected events of a known protocol, found others in {}", body.as_str());
    Error::new(ErrorKind::UnknownProtocol, position(frame), message).with_excerpt(frame.data)
}

#[cold]
fn malformed(frame: Frame<'_>, fault: Malformed) -> Error {
    let found = match frame.data.get(fault.at) {
        None => String::from("its end"),
        Some(byte) => format!("`{}`", byte.escape_ascii()),
    };
    let message = format!("expected JSON in an event, found {found} at byte {} of it", fault.at);
    Error::new(ErrorKind::MalformedEvent, position(&frame), message).with_excerpt(frame.data)
}

#[cold]
fn over_limit(frame: Frame<'_>, limit: LimitKind) -> Error {
    let message = format!("the limit on {} was passed", limit.as_str());
    Error::new(ErrorKind::Limit(limit), position(&frame), message)
}
