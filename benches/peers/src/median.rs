//! The middle of what several rounds gave: a busy machine spoils some, not most.

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
