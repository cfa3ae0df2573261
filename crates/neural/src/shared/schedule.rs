//! Learning rates that grow at the beginning of a training and decay until its end.

use std::ops::Range;

/// Returns a rate that decays linearly over these steps, to 0 after the last one.
pub fn linear_decay(rate: f64, step: usize, steps: Range<usize>) -> f64 {
    rate * (steps.end - step) as f64 / steps.len() as f64
}

/// Returns the fraction of the full rate after `done` steps, which grows to 1 over `warm_up` steps.
pub fn warm_up_fraction(done: usize, warm_up: u64) -> f64 {
    if warm_up == 0 { 1.0 } else { ((done + 1) as f64 / warm_up as f64).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_grow_to_the_full_one_and_shrink_to_0() {
        assert_eq!([0, 1, 3, 9].map(|done| warm_up_fraction(done, 4)), [0.25, 0.5, 1.0, 1.0]);
        assert_eq!(warm_up_fraction(0, 0), 1.0);
        assert_eq!([2, 4, 6].map(|step| linear_decay(0.5, step, 2..6)), [0.5, 0.25, 0.0]);
    }
}
