//! What a stream tells a [`tracing`](https://docs.rs/tracing) subscriber, all under the target
//! `toolcall`. Without the feature it tells nothing and costs nothing.
//!
//! | what | level | fields |
//! |---|---|---|
//! | span `stream`, one for each [`Decoder`](crate::Decoder) | DEBUG | |
//! | a call is parsed | DEBUG | protocol, choice, position, id, name, bytes |
//! | a call failed | WARN | the same, and kind, offset |
//! | the provider reported an error | WARN | protocol, kind |
//! | the stream broke | WARN | protocol, kind, byte, event |
//! | the stream is over | DEBUG | protocol, outcome |
//! | an argument fragment, a call's whole arguments | TRACE | choice, position, text |
//!
//! Arguments may hold secrets: nothing above TRACE shows any of them.

use crate::error::Error;
use crate::event::Event;
use crate::protocol::Protocol;

/// The span of a stream.
#[derive(Debug)]
pub(crate) struct StreamSpan {
    #[cfg(feature = "tracing")]
    span: tracing::Span,
}

#[cfg(not(feature = "tracing"))]
impl StreamSpan {
    pub fn new() -> Self {
        StreamSpan {}
    }

    #[inline]
    pub fn event(&self, _: Protocol, _: &Event<'_>) {}

    #[inline]
    pub fn error(&self, _: Protocol, _: &Error) {}
}

#[cfg(feature = "tracing")]
impl StreamSpan {
    pub fn new() -> Self {
        StreamSpan { span: tracing::debug_span!(target: "toolcall", "stream") }
    }

    pub fn event(&self, protocol: Protocol, event: &Event<'_>) {
        let protocol = protocol.as_str();
        self.span.in_scope(|| match event {
            Event::ToolCallDelta(delta) => tracing::trace!(
                target: "toolcall",
                choice = delta.key.choice,
                position = delta.key.position,
                text = &*delta.fragment,
                "argument fragment"
            ),
            Event::ToolCallEnd(end) => {
                let raw = match &end.result {
                    Ok(call) => call.arguments().raw(),
                    Err(invalid) => invalid.raw(),
                };
                match &end.result {
                    Ok(call) => tracing::debug!(
                        target: "toolcall",
                        protocol,
                        choice = end.key.choice,
                        position = end.key.position,
                        id = call.id(),
                        name = call.name(),
                        bytes = raw.len(),
                        "call parsed"
                    ),
                    Err(invalid) => tracing::warn!(
                        target: "toolcall",
                        protocol,
                        choice = end.key.choice,
                        position = end.key.position,
                        id = invalid.id(),
                        name = invalid.name(),
                        bytes = raw.len(),
                        kind = invalid.kind().as_str(),
                        offset = invalid.offset(),
                        "call failed"
                    ),
                }
                tracing::trace!(
                    target: "toolcall",
                    choice = end.key.choice,
                    position = end.key.position,
                    text = raw,
                    "arguments"
                );
            }
            Event::ProviderError(error) => tracing::warn!(
                target: "toolcall",
                protocol,
                kind = &*error.kind,
                "provider reported an error"
            ),
            Event::End(end) => {
                tracing::debug!(target: "toolcall", protocol, outcome = ?end.outcome, "stream over");
            }
            _ => {}
        });
    }

    pub fn error(&self, protocol: Protocol, error: &Error) {
        let position = error.position();
        self.span.in_scope(|| {
            tracing::warn!(
                target: "toolcall",
                protocol = protocol.as_str(),
                kind = error.kind().as_str(),
                byte = position.byte,
                event = position.event,
                "stream broke"
            );
        });
    }
}
