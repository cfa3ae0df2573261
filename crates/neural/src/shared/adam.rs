//! Adam (Kingma & Ba 2015, algorithm 1) and RAdam (Liu et al. 2020, algorithm 2) without weight
//! decay, with clipped gradients.

use serde::{Deserialize, Serialize};

use super::instruction_set::InstructionSet;
use super::lanes;

/// The optimisers, which update weights from gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// Adam (Kingma & Ba 2015)
    #[default]
    Adam,
    /// Adam with rectified first steps, which needs no warm-up (Liu et al. 2020)
    Radam,
}

impl Optimizer {
    /// Returns the factors of a step; the first step is 1.
    pub fn factors(self, step: u64, rate: f64, scale: f32) -> AdamFactors {
        match self {
            Self::Adam => AdamFactors::new(step, rate, scale),
            Self::Radam => AdamFactors::rectified(step, rate, scale),
        }
    }
}

/// The decay rates of the running means.
pub const BETAS: [f32; 2] = [0.9, 0.999];
/// The epsilon that keeps a step finite.
pub const EPSILON: f32 = 1e-8;

/// The factors of one step.
#[derive(Debug, Clone, Copy)]
pub struct AdamFactors {
    /// The learning rate, with the bias correction of the mean.
    pub rate: f32,
    /// The factor by which gradients are multiplied.
    pub scale: f32,
    /// The bias correction of the root mean square.
    pub root: f32,
    /// The smallest divisor of a step.
    pub floor: f32,
}

impl AdamFactors {
    /// Returns the factors of a step of Adam; the first step is 1.
    pub fn new(step: u64, rate: f64, scale: f32) -> Self {
        let [first, second] = BETAS.map(|beta| 1.0 - f64::from(beta).powf(step as f64));
        let (rate, root) = ((rate / first) as f32, (1.0 / second.sqrt()) as f32);
        Self { rate, scale, root, floor: EPSILON }
    }

    /// Returns the factors of a step of RAdam; the first step is 1. The first four steps follow the
    /// mean alone: too few gradients are known to divide by their root mean square.
    pub fn rectified(step: u64, rate: f64, scale: f32) -> Self {
        match rectification(step) {
            Some(fraction) => Self::new(step, rate * fraction, scale),
            None => Self { root: 0.0, floor: 1.0, ..Self::new(step, rate, scale) },
        }
    }

    /// Updates the running means of the gradients and of their squares with new gradients, and then updates the
    /// values with the means.
    #[inline(always)]
    pub fn apply(self, values: &mut [f32], means: &mut [f32], squares: &mut [f32], gradients: &[f32]) {
        let Self { rate, scale, root, floor } = self;
        for (((value, mean), square), gradient) in values.iter_mut().zip(means).zip(squares).zip(gradients) {
            let gradient = gradient * scale;
            *mean = BETAS[0] * *mean + (1.0 - BETAS[0]) * gradient;
            *square = BETAS[1] * *square + (1.0 - BETAS[1]) * gradient * gradient;
            *value -= rate * *mean / (square.sqrt() * root + floor);
        }
    }
}

/// Returns the rectification of a step of RAdam, r in the paper, or `None` if the variance is not tractable, which
/// means ρ ≤ 4 in the paper. PyTorch has ρ ≤ 5 instead, which changes the fifth step only.
fn rectification(step: u64) -> Option<f64> {
    let beta = f64::from(BETAS[1]);
    let most = 2.0 / (1.0 - beta) - 1.0;
    let power = beta.powf(step as f64);
    let length = most - 2.0 * step as f64 * power / (1.0 - power);
    let fraction = |length: f64| (length - 4.0) * (length - 2.0) / length;
    (length > 4.0).then(|| (fraction(length) / fraction(most)).sqrt())
}

/// Returns the sum of the squares of a gradient.
pub fn squared_norm(gradient: &[f32]) -> f64 {
    let squares = |values: &[f32]| f64::from(lanes::sum(values, |value| value * value));
    InstructionSet::best().run(
        #[inline(always)]
        || gradient.chunks(1024).map(squares).sum(),
    )
}

/// Returns the factor that clips gradients with this sum of squares to the norm `clip`; a `clip` of 0 leaves
/// gradients unchanged.
pub fn clip_scale(squared_norm: f64, clip: f64) -> f32 {
    let norm = squared_norm.sqrt();
    if clip > 0.0 && norm > clip { (clip / norm) as f32 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_steps_are_as_long_as_the_rate() {
        let (mut values, mut means, mut squares) = ([1.0, -2.0], [0.0; 2], [0.0; 2]);
        let gradient = [0.5, -4.0];
        for (step, expected) in [(1, [0.9, -1.9]), (2, [0.8, -1.8])] {
            AdamFactors::new(step, 0.1, 1.0).apply(&mut values, &mut means, &mut squares, &gradient);
            assert!(values.iter().zip(expected).all(|(a, b): (_, f32)| (a - b).abs() < 1e-6), "{values:?}");
        }
    }

    #[test]
    fn rectified_steps_are_those_of_pytorch() {
        // for g in gradients: p.grad = torch.tensor(g); torch.optim.RAdam([p], lr=.1).step(), in
        // 64-bit numbers: the differences of p. The fifth step is not rectified there.
        let steps = [
            ([0.5, -4.0, 0.01], [-0.05, 0.4, -0.001]),
            ([0.25, 2.0, -0.01], [-0.036_842_1, 0.084_210_5, 0.000_052_632]),
            ([-0.5, 1.0, 0.03], [-0.004_797_05, 0.016_236_2, -0.001_073_80]),
            ([1.0, -1.0, 0.02], [-0.032_480_4, 0.040_593_2, -0.001_343_123]),
            ([0.75, 0.5, -0.02], [-0.042_863_4, 0.018_470_9, -0.000_526_751]),
            ([-0.25, 3.0, 0.01], [-0.001_213_455, -0.000_560_231, -0.000_887_768]),
            ([0.5, -2.0, 0.05], [-0.001_804_336, -0.000_024_427, -0.001_891_308]),
            ([0.1, -0.2, 0.3], [-0.002_001_247, 0.000_039_345, -0.002_304_289]),
        ];
        let (mut means, mut squares) = ([0.0f32; 3], [0.0f32; 3]);
        for (step, (gradient, expected)) in (1..).zip(steps) {
            let mut moves = [0.0f32; 3];
            let factors = Optimizer::Radam.factors(step, 0.1, 1.0);
            factors.apply(&mut moves, &mut means, &mut squares, &gradient);
            let near = |(a, b): (&f32, f32)| (a - b).abs() < 1e-6 + 1e-4 * b.abs();
            assert_eq!(moves.iter().zip(expected).all(near), step != 5, "{step}: {moves:?}");
        }
    }

    #[test]
    fn the_rectification_is_that_of_a_pencil_and_grows_to_1() {
        let of = |step| rectification(step).unwrap_or_default();
        assert_eq!([1, 2, 3, 4].map(of), [0.0; 4]);
        // ρ∞ = 1999 and ρ₅ = 1999 − 10 · .999⁵ / (1 − .999⁵) = 4.996, so
        // r₅ = √(.996 · 2.996 · 1999 / (1995 · 1997 · 4.996)) = .01731
        assert!((of(5) - 0.017_31).abs() < 1e-5, "{}", of(5));
        assert!((5..5000).all(|step| of(step) < of(step + 1)));
        assert!((of(100_000) - 1.0).abs() < 1e-6 && of(u64::MAX) == 1.0);
    }

    #[test]
    fn only_long_gradients_are_shortened() {
        // √(3² + 4²) = 5
        let squares = squared_norm(&[3.0, -4.0]);
        assert_eq!([1.0, 5.0, 0.0].map(|clip| clip_scale(squares, clip)), [0.2, 1.0, 1.0]);
    }
}
