//! Reads what a language model streams and gives back tool calls that can be trusted.
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
mod error;
pub mod event;
#[cfg(any(feature = "std", feature = "stream"))]
mod feed;
mod frame;
#[cfg(feature = "std")]
pub mod io;
mod limits;
mod message;
pub mod preview;
mod protocol;
pub mod sse;
mod stop;
#[cfg(feature = "stream")]
pub mod stream;
mod trace;
mod warning;
mod wire;

pub use call::{Arguments, CallKey, CallKind, ToolCall};
pub use decoder::{Decoder, EmitAt, Options};
pub use diagnostic::{Fragment, Fragments, InvalidKind, InvalidToolCall, Recovery, RecoveryKind};
pub use error::{Error, ErrorKind, Position};
pub use event::Event;
#[cfg(any(feature = "std", feature = "stream"))]
pub use feed::StreamError;
#[doc(hidden)]
pub use frame::fuzzing as frame_fuzzing;
pub use limits::{LimitKind, Limits};
pub use message::{Interrupted, Message};
pub use protocol::Protocol;
pub use stop::{StopKind, StopReason};
pub use warning::Warning;
