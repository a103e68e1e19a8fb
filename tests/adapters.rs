//! Every adapter gives what the decoder gives, whatever its source does in between.
#![cfg(all(feature = "stream", feature = "codec"))]

use std::collections::VecDeque;
use std::fs;
use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::BytesMut;
use futures_core::{FusedStream, Stream};
use tokio_util::codec::{Decoder as _, FramedRead};
use toolcall::codec::ToolCallCodec;
use toolcall::event::Outcome;
use toolcall::io::EventReader;
use toolcall::stream::{EventStreamExt, ToolCallStreamExt};
use toolcall::{CallKey, Decoder, Event, InvalidKind, Message, Protocol, StreamError};

type Events = Vec<Result<Event<'static>, String>>;

/// Every stream of two corpora.
fn bodies() -> Vec<(String, Vec<u8>)> {
    let mut bodies = Vec::new();
    for folder in ["openai-chat", "anthropic"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora").join(folder);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "sse") {
                bodies.push((path.display().to_string(), fs::read(path).unwrap()));
            }
        }
    }
    assert!(bodies.len() > 50, "{}", bodies.len());
    bodies
}

fn decoded(body: &[u8]) -> Events {
    let mut decoder = Decoder::new(Protocol::Auto);
    let mut input = body;
    let mut events = Events::new();
    while let Some(event) = decoder.decode(&mut input).transpose() {
        events.push(event.map(Event::into_owned).map_err(|error| error.to_string()));
    }
    while let Some(event) = decoder.decode_eof().transpose() {
        events.push(event.map(Event::into_owned).map_err(|error| error.to_string()));
    }
    events
}

/// What a source does when it is asked.
#[derive(Debug, Clone)]
enum Step {
    Give(Vec<u8>),
    Wait,
    Fail(ErrorKind),
}

/// A source that follows a script, and must not be asked once it is over.
#[derive(Debug)]
struct Source {
    steps: VecDeque<Step>,
    is_over: bool,
}

impl Source {
    fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Source { steps: steps.into_iter().collect(), is_over: false }
    }

    /// Pieces of some bytes, an empty one and a wait before each.
    fn halting(body: &[u8], size: usize) -> Self {
        Source::new(body.chunks(size).flat_map(|piece| {
            [Step::Wait, Step::Give(Vec::new()), Step::Wait, Step::Give(piece.to_vec())]
        }))
    }

    fn next(&mut self) -> Poll<Option<io::Result<Vec<u8>>>> {
        assert!(!self.is_over, "asked after its end");
        match self.steps.pop_front() {
            Some(Step::Wait) => Poll::Pending,
            Some(Step::Give(bytes)) => Poll::Ready(Some(Ok(bytes))),
            Some(Step::Fail(kind)) => {
                self.is_over = kind != ErrorKind::WouldBlock && kind != ErrorKind::Interrupted;
                Poll::Ready(Some(Err(kind.into())))
            }
            None => {
                self.is_over = true;
                Poll::Ready(None)
            }
        }
    }
}

impl Stream for Source {
    type Item = io::Result<Vec<u8>>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().next()
    }
}

/// An empty piece would be the end here, so it is left out.
impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.next() {
                Poll::Pending => return Err(ErrorKind::WouldBlock.into()),
                Poll::Ready(None) => return Ok(0),
                Poll::Ready(Some(Ok(bytes))) if bytes.is_empty() => {}
                Poll::Ready(Some(Ok(mut bytes))) => {
                    let rest = bytes.split_off(bytes.len().min(buffer.len()));
                    buffer[..bytes.len()].copy_from_slice(&bytes);
                    if !rest.is_empty() {
                        self.steps.push_front(Step::Give(rest));
                    }
                    return Ok(bytes.len());
                }
                Poll::Ready(Some(Err(error))) => return Err(error),
            }
        }
    }
}

impl tokio::io::AsyncRead for Source {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut().read(buffer.initialize_unfilled()) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Poll::Pending,
            read => Poll::Ready(read.map(|length| buffer.advance(length))),
        }
    }
}

/// Asks again and again, as if woken each time.
fn complete<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

fn all<E: std::fmt::Display>(stream: impl Stream<Item = Result<Event<'static>, E>>) -> Events {
    let mut stream = pin!(stream);
    let mut events = Events::new();
    while let Some(event) = complete(poll_fn(|context| stream.as_mut().poll_next(context))) {
        events.push(event.map_err(|error| error.to_string()));
    }
    events
}

/// To compare what comes in another order.
fn sorted(mut events: Events) -> Vec<String> {
    let mut shown: Vec<String> = events.drain(..).map(|event| format!("{event:?}")).collect();
    shown.sort();
    shown
}

#[test]
fn a_stream_gives_what_the_decoder_gives() {
    for (name, body) in bodies() {
        let expected = decoded(&body);
        for size in [1, 7, 1024] {
            let stream = Source::halting(&body, size).tool_calls(Protocol::Auto);
            assert_eq!(all(stream), expected, "{name} by {size}");
        }
    }
}

#[test]
fn events_are_lent_as_well() {
    for (name, body) in bodies() {
        let mut stream = Source::halting(&body, 5).tool_calls(Protocol::Auto);
        let mut events = Events::new();
        while let Some(event) = complete(stream.next_event()) {
            events.push(event.map(Event::into_owned).map_err(|error| error.to_string()));
        }
        assert_eq!(events, decoded(&body), "{name}");
        assert!(stream.is_terminated());
        assert!(complete(stream.next_event()).is_none());
    }
}

#[test]
fn a_future_that_is_dropped_loses_nothing() {
    for (name, body) in bodies() {
        let mut stream = Source::halting(&body, 5).tool_calls(Protocol::Auto);
        let mut events = Events::new();
        loop {
            // A new future for every poll.
            let mut context = Context::from_waker(Waker::noop());
            match pin!(stream.next_event()).poll(&mut context) {
                Poll::Pending => {}
                Poll::Ready(None) => break,
                Poll::Ready(Some(event)) => {
                    events.push(event.map(Event::into_owned).map_err(|error| error.to_string()));
                }
            }
        }
        assert_eq!(events, decoded(&body), "{name}");
    }
}

#[test]
fn a_reader_gives_what_the_decoder_gives() {
    for (name, body) in bodies() {
        let expected = decoded(&body);
        for size in [1, 7, 1024] {
            let steps = body
                .chunks(size)
                .flat_map(|piece| [Step::Fail(ErrorKind::Interrupted), Step::Give(piece.to_vec())]);
            let reader = EventReader::new(Source::new(steps), Protocol::Auto);
            let events: Events =
                reader.map(|event| event.map_err(|error| error.to_string())).collect();
            assert_eq!(events, expected, "{name} by {size}");
        }
    }
}

#[test]
fn a_reader_that_would_block_can_be_asked_again() {
    for (name, body) in bodies() {
        let mut reader = EventReader::new(Source::halting(&body, 9), Protocol::Auto);
        let (mut events, mut waits) = (Events::new(), 0);
        while let Some(event) = reader.next_event() {
            match event {
                Err(StreamError::Transport(error)) => {
                    assert_eq!(error.kind(), ErrorKind::WouldBlock);
                    waits += 1;
                }
                event => events.push(event.map(Event::into_owned).map_err(|e| e.to_string())),
            }
        }
        assert_eq!(events, decoded(&body), "{name}");
        assert_eq!(waits, 2 * body.len().div_ceil(9), "{name}");
    }
}

#[test]
fn a_reader_that_would_block_cannot_give_a_message() {
    let stream = &b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"[..];
    let source = Source::new([Step::Give(stream.to_vec()), Step::Wait]);
    let interrupted = EventReader::new(source, Protocol::OpenAiChat).collect_message().unwrap_err();
    assert_eq!(interrupted.partial.text, "Hi");
    assert_eq!(interrupted.partial.outcome, Some(Outcome::EndedEarly));
    assert!(matches!(interrupted.error, StreamError::Transport(_)));
}

/// An error comes last here; else all is the same.
#[test]
fn a_codec_gives_what_the_decoder_gives() {
    for (name, body) in bodies() {
        let expected = decoded(&body);
        let frames =
            FramedRead::new(Source::halting(&body, 11), ToolCallCodec::new(Protocol::Auto));
        let events = all(frames);
        if expected.iter().all(Result::is_ok) {
            assert_eq!(events, expected, "{name}");
        } else {
            // A `FramedRead` ends at the error: the end of the stream is not among its events.
            let mut expected = expected;
            expected.pop();
            assert!(events.last().is_some_and(Result::is_err), "{name}");
            assert_eq!(sorted(events), sorted(expected), "{name}");
        }
    }
}

#[test]
fn a_codec_tells_of_cut_calls_before_the_error_that_cut_them() {
    let body = b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
        \"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\ndata: {{{\n\n";
    let mut codec = ToolCallCodec::new(Protocol::OpenAiChat);
    let mut buffer = BytesMut::from(&body[..]);
    let mut kinds = Vec::new();
    loop {
        match codec.decode(&mut buffer) {
            Ok(Some(Event::ToolCallEnd(end))) => {
                kinds.push(end.result.unwrap_err().kind().as_str())
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(StreamError::Decode(error)) => kinds.push(error.kind().as_str()),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(kinds, ["truncated", "malformed-event"]);
    let end = codec.decode_eof(&mut buffer).unwrap();
    assert!(
        matches!(end, Some(Event::End(end)) if end.outcome == Outcome::Failed("malformed-event".into()))
    );
    assert!(codec.decode_eof(&mut buffer).unwrap().is_none());
}

const CUT: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
    \"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\"}}]}}]}\n\n";

/// The transport's own error comes through, and what was open is cut, not lost.
#[test]
fn a_transport_that_fails_cuts_what_is_open() {
    let source = || Source::new([Step::Give(CUT.to_vec()), Step::Fail(ErrorKind::ConnectionReset)]);
    let check = |message: &Message, error: &StreamError<io::Error>| {
        assert!(
            matches!(error, StreamError::Transport(e) if e.kind() == ErrorKind::ConnectionReset)
        );
        assert_eq!(message.text, "Hi");
        assert_eq!(message.outcome, Some(Outcome::EndedEarly));
        let [Err(invalid)] = message.results() else { panic!("{message:?}") };
        assert_eq!((invalid.kind(), invalid.raw()), (InvalidKind::Truncated, "{\"a\":"));
    };
    let interrupted = complete(source().tool_calls(Protocol::Auto).collect_message()).unwrap_err();
    check(&interrupted.partial, &interrupted.error);
    let interrupted = EventReader::new(source(), Protocol::Auto).collect_message().unwrap_err();
    check(&interrupted.partial, &interrupted.error);
}

#[test]
fn messages_are_the_same_by_every_way() {
    for (name, body) in bodies() {
        let expected: Message = decoded(&body).into_iter().flatten().collect();
        let same = |message: Result<Message, Message>| {
            let (Ok(message) | Err(message)) = message;
            assert_eq!(message, expected, "{name}");
        };
        let stream = Source::halting(&body, 13).tool_calls(Protocol::Auto);
        same(complete(stream.collect_message()).map_err(|interrupted| *interrupted.partial));
        let reader = EventReader::new(&body[..], Protocol::Auto);
        same(reader.collect_message().map_err(|interrupted| *interrupted.partial));
        let chunks = Message::from_chunks(Protocol::Auto, body.chunks(3));
        same(chunks.map_err(|interrupted| *interrupted.partial));
        if decoded(&body).iter().all(Result::is_ok) {
            let frames = FramedRead::new(&body[..], ToolCallCodec::new(Protocol::Auto));
            same(complete(frames.collect_message()).map_err(|interrupted| *interrupted.partial));
        }
    }
}

#[test]
fn arguments_can_be_looked_at_on_the_way() {
    let looks = |key: CallKey, so_far: Option<&str>| {
        assert_eq!(so_far, Some("{\"a\":"));
        assert_eq!((key.choice, key.position), (0, 0));
        1
    };
    let mut seen = 0;
    let mut stream = Source::new([Step::Give(CUT.to_vec())]).tool_calls(Protocol::Auto);
    while let Some(event) = complete(stream.next_event()) {
        if let Event::ToolCallDelta(delta) = event.unwrap() {
            let key = delta.key;
            seen += looks(key, stream.arguments_so_far(key));
        }
    }
    assert_eq!(stream.protocol(), Protocol::OpenAiChat);
    let mut reader = EventReader::new(CUT, Protocol::Auto);
    while let Some(event) = reader.next_event() {
        if let Event::ToolCallDelta(delta) = event.unwrap() {
            let key = delta.key;
            seen += looks(key, reader.arguments_so_far(key));
        }
    }
    assert_eq!(reader.protocol(), Protocol::OpenAiChat);
    assert_eq!(reader.into_inner(), b"");
    let mut codec = ToolCallCodec::new(Protocol::Auto);
    let mut buffer = BytesMut::from(CUT);
    while let Some(event) = codec.decode(&mut buffer).unwrap() {
        if let Event::ToolCallDelta(delta) = event {
            seen += looks(delta.key, codec.arguments_so_far(delta.key));
        }
    }
    assert_eq!(codec.protocol(), Protocol::OpenAiChat);
    assert_eq!(seen, 3);
}

/// The error of the source may be of any type, and need not even be an error.
#[test]
fn any_source_will_do() {
    let chunks: [Result<&str, &'static str>; 2] = [Ok("data: "), Err("lost")];
    let stream = futures_util::stream::iter(chunks).tool_calls(Protocol::OpenAiChat);
    let interrupted = complete(stream.collect_message()).unwrap_err();
    assert!(matches!(interrupted.error, StreamError::Transport("lost")));
    fn is_send_and_unpin<T: Send + Sync + Unpin>(_: &T) {}
    let never = futures_util::stream::pending::<Result<Vec<u8>, io::Error>>();
    let events = never.tool_calls(Protocol::OpenAiChat);
    is_send_and_unpin(&events);
    assert!(format!("{events:?}").starts_with("ToolCallStream"));
}
