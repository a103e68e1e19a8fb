//! Whole streams through the whole decoder.

mod cases;
mod faults;
mod properties;
mod support;
mod verdicts;
