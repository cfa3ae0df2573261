//! Random initial weights.

use majuscule_train::random::{Random, unit};

/// Draws a weight uniformly between −`bound` and `bound`.
pub fn uniform(random: &mut Random, bound: f64) -> f32 {
    ((2.0 * unit(random) - 1.0) * bound) as f32
}

/// Draws a weight with mean 0 and this standard deviation. It is a sum of twelve uniform numbers: close to a normal
/// distribution, never beyond six deviations, and the same on every computer, unlike formulas with logarithms.
pub fn normal(random: &mut Random, deviation: f64) -> f32 {
    let sum: f64 = (0..12).map(|_| unit(random)).sum();
    ((sum - 6.0) * deviation) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_train::random::{Purpose, generator};

    #[test]
    fn a_normal_weight_has_its_deviation_and_its_tails() {
        let mut random = generator(1, Purpose::Beginning, 0);
        let values: Vec<f64> = (0..20_000).map(|_| f64::from(normal(&mut random, 0.5))).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        assert!(mean.abs() < 0.02 && (deviation - 0.5).abs() < 0.02, "{mean} {deviation}");
        // 4.6 % lie beyond two deviations.
        let beyond = values.iter().filter(|value| value.abs() > 1.0).count();
        assert!((800..1050).contains(&beyond), "{beyond}");
    }
}
