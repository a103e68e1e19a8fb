//! Whole streams through the whole decoder.

mod cases;
mod faults;
mod properties;
mod shapes;
mod support;
mod verdicts;
