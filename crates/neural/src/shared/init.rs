//! Random initial weights.

use majuscule_train::random::{Random, unit};

/// Draws a weight uniformly between −`bound` and `bound`.
pub fn uniform(random: &mut Random, bound: f64) -> f32 {
    ((2.0 * unit(random) - 1.0) * bound) as f32
}
