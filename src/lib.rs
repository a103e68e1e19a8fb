//! Reads what a language model streams and gives back tool calls that can be trusted.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod call;
mod decoder;
mod demux;
mod diagnostic;
mod error;
pub mod event;
mod extras;
mod frame;
mod limits;
mod message;
mod protocol;
pub mod sse;
mod stop;
mod warning;
mod wire;

pub use call::{Arguments, CallKey, CallKind, ToolCall};
pub use decoder::{Decoder, EmitAt, Options};
pub use diagnostic::{Fragment, Fragments, InvalidKind, InvalidToolCall, Recovery, RecoveryKind};
pub use error::{Error, ErrorKind, Position};
pub use event::Event;
pub use extras::Extras;
#[doc(hidden)]
pub use frame::fuzzing as frame_fuzzing;
pub use limits::{LimitKind, Limits};
pub use message::Message;
pub use protocol::{Protocol, Traits};
pub use stop::{StopKind, StopReason};
pub use warning::Warning;
