//! Reads what a language model streams and gives back tool calls that can be trusted.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod call;
mod error;
mod frame;
mod limits;
pub mod sse;
mod warning;

pub use call::{Arguments, CallKey, CallKind, ToolCall};
pub use error::{Error, ErrorKind, Position};
pub use limits::{LimitKind, Limits};
pub use warning::Warning;
