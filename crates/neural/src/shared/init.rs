//! Random weights to begin with.

use majuscule_train::random::{Random, unit};

/// Draws a weight between −`bound` and `bound`, each as likely.
pub fn uniform(random: &mut Random, bound: f64) -> f32 {
    ((2.0 * unit(random) - 1.0) * bound) as f32
}
