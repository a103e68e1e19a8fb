//! Pages to read. Nothing to call.

#[doc = include_str!("../docs/cookbook.md")]
pub mod cookbook {}

#[doc = include_str!("../docs/faults.md")]
pub mod faults {}

/// Its code runs with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod readme {}
