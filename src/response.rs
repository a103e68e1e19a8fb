//! Responses that were not streamed.

use crate::decoder::{Decoder, Options};
use crate::error::Error;
use crate::message::{Collector, Interrupted, Message};
use crate::protocol::Protocol;

/// A whole response, as a provider gives it where no stream was asked for.
///
/// It is read by the same code as a stream of the same protocol, so that its calls are judged by the
/// same rules and fail in the same way.
///
/// ```
/// use toolcall::{Protocol, Response};
///
/// let body = br#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[
///     {"type":"text","text":"Looking."},
///     {"type":"tool_use","id":"toolu_1","name":"get_time","input":{"tz":"UTC"}}
/// ],"stop_reason":"tool_use"}"#;
/// let message = Response::from_json(Protocol::AnthropicMessages, body)?;
/// assert_eq!(message.text, "Looking.");
/// let call = message.calls().next().unwrap();
/// assert_eq!(call.name(), "get_time");
/// assert_eq!(call.arguments().raw(), r#"{"tz":"UTC"}"#);
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Response;

impl Response {
    /// The message that a response's body holds. An error that the provider reports in it is in
    /// [`Message::error`].
    ///
    /// # Errors
    /// [`Interrupted`], where the body is no JSON, passes a limit, or, with [`Protocol::Auto`], does
    /// not tell its protocol.
    pub fn from_json(protocol: Protocol, body: &[u8]) -> Result<Message, Interrupted<Error>> {
        Response::from_json_with(protocol, Options::default(), body)
    }

    /// [`from_json`](Response::from_json) with options.
    ///
    /// # Errors
    /// As [`from_json`](Response::from_json).
    pub fn from_json_with(
        protocol: Protocol,
        options: Options,
        body: &[u8],
    ) -> Result<Message, Interrupted<Error>> {
        let mut decoder = Decoder::with_options(protocol, options);
        let mut collector = Collector::default();
        decoder.read_whole(body);
        while let Some(event) = decoder.decode_eof().transpose() {
            collector.take(event);
        }
        collector.finish()
    }
}
