//! Reads what a language model streams and gives back tool calls that can be trusted.
//!
//! A model that calls tools streams them: the arguments come as small pieces of a JSON text, several
//! calls interleaved, cut anywhere by the network. [`Decoder`] takes the bytes as they come and gives
//! typed [`Event`]s: text, reasoning, the raw argument fragments for display, and, only when the
//! protocol says that a call is over, the call: **parsed**, or **failed** with its whole raw text and
//! the reason.
//!
//! ```
//! use toolcall::{Decoder, Event, Protocol};
//!
//! let chunks: [&[u8]; 2] = [
//!     b"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\
//!       \"id\":\"toolu_1\",\"name\":\"get_time\",\"input\":{}}}\n\ndata: {\"type\":\"content_bl",
//!     b"ock_stop\",\"index\":0}\n\ndata: {\"type\":\"message_stop\"}\n\n",
//! ];
//! let mut decoder = Decoder::new(Protocol::Auto);
//! for mut input in chunks {
//!     while let Some(event) = decoder.decode(&mut input)? {
//!         if let Event::ToolCallEnd(end) = event {
//!             let call = end.result.expect("a valid call");
//!             assert_eq!((call.id(), call.name()), (Some("toolu_1"), "get_time"));
//!             assert_eq!(call.arguments().value(), serde_json::json!({}));
//!         }
//!     }
//! }
//! assert!(decoder.decode_eof()?.is_some()); // Event::End
//! # Ok::<(), toolcall::Error>(())
//! ```
//!
//! # The way of the data
//!
//! ```text
//! bytes ──▶ sse ──▶ wire::<protocol> ──▶ demux ──▶ Event ──▶ your loop
//!           frame    an envelope, once    a slot per call,
//!                    → deltas             judged once, at the stop
//! ```
//!
//! - Framing: [`sse`] for the event-stream format, useful for itself.
//! - [`Decoder`]: the whole way. [`Options`] say when calls are given out, [`Limits`] what a stream
//!   may make it hold.
//! - [`Message`]: all of it put together, for those who do not want events.
//! - [`Response`]: the same from a response that was not streamed.
//!
//! # Choosing the protocol
//!
//! Name it if you know it: [`Protocol`] lists them. [`Protocol::Auto`] tells it from the first event.
//! A provider's *compatible* endpoint speaks the protocol it is compatible with.
//!
//! # In scope, out of scope
//!
//! In: framing, the providers' streaming formats, putting calls together, judging them at the stop,
//! saying what went wrong. Out: HTTP, authentication, retries, tokenizers, prompt templates.
//!
//! # More
//!
//! The [cookbook](documentation::cookbook) has the usual tasks and what each error means;
//! [faults in the wild](documentation::faults) what is done about each kind of fault.
#![cfg_attr(
    feature = "document-features",
    doc = "\n# Features\n",
    doc = document_features::document_features!()
)]
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod call;
#[cfg(feature = "codec")]
pub mod codec;
mod decoder;
mod demux;
mod diagnostic;
pub mod documentation;
mod error;
pub mod event;
mod extras;
#[cfg(any(feature = "std", feature = "stream"))]
mod feed;
mod frame;
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "std")]
pub mod io;
mod limits;
mod message;
pub mod preview;
mod protocol;
mod response;
#[cfg(feature = "serde")]
mod serialize;
pub mod sse;
mod stop;
#[cfg(feature = "stream")]
pub mod stream;
pub mod text;
mod trace;
mod warning;
mod wire;
mod word;

pub use call::{Arguments, CallKey, CallKind, ToolCall};
pub use decoder::{Decoder, EmitAt, Options};
pub use diagnostic::{
    Clue, Cut, Fragment, Fragments, InvalidKind, InvalidToolCall, Misrouted, ParseError, Recovery,
    RecoveryKind, Report, Verdict, WritingFault,
};
pub use error::{Error, ErrorKind, Position};
pub use event::Event;
pub use extras::Extras;
#[cfg(any(feature = "std", feature = "stream"))]
pub use feed::StreamError;
pub use limits::{LimitKind, Limits};
pub use message::{Interrupted, Message};
pub use protocol::{Protocol, Traits};
pub use response::Response;
pub use stop::{StopKind, StopReason};
pub use warning::Warning;
