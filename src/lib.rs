//! Reads what a language model streams and gives back tool calls that can be trusted.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod call;
mod diagnostic;
mod error;
mod frame;
mod limits;
mod warning;

pub use call::{Arguments, CallKey, CallKind, ToolCall};
pub use diagnostic::{
    Clue, Cut, Fragment, Fragments, InvalidKind, InvalidToolCall, Recovery, RecoveryKind, Report,
    Verdict, WritingFault,
};
pub use error::{Error, ErrorKind, Position};
pub use limits::{LimitKind, Limits};
pub use warning::Warning;
