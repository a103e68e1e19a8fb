//! Whole streams through the whole decoder.

mod cases;
mod properties;
mod support;
