//! Adam (Kingma & Ba 2015, algorithm 1) without weight decay, with clipped gradients.

/// The decay rates of the running means.
pub const BETAS: [f32; 2] = [0.9, 0.999];
/// The epsilon that keeps a step finite.
pub const EPSILON: f32 = 1e-8;

/// The factors of one step.
#[derive(Debug, Clone, Copy)]
pub struct AdamFactors {
    /// The learning rate, with the bias correction of the mean.
    pub rate: f32,
    /// The factor of gradients.
    pub scale: f32,
    /// The bias correction of the root mean square.
    pub root: f32,
}

impl AdamFactors {
    /// Returns the factors of a step; the first step is 1.
    pub fn new(step: u64, rate: f64, scale: f32) -> Self {
        let [first, second] = BETAS.map(|beta| 1.0 - f64::from(beta).powf(step as f64));
        Self { rate: (rate / first) as f32, scale, root: (1.0 / second.sqrt()) as f32 }
    }

    /// Updates values with their gradients, and the running means of the gradients and of their
    /// squares.
    #[inline(always)]
    pub fn apply(
        self,
        values: &mut [f32],
        means: &mut [f32],
        squares: &mut [f32],
        gradient: impl Fn(usize) -> f32,
    ) {
        let Self { rate, scale, root } = self;
        let weights = values.iter_mut().zip(means).zip(squares).enumerate();
        for (at, ((value, mean), square)) in weights {
            let gradient = gradient(at) * scale;
            *mean = BETAS[0] * *mean + (1.0 - BETAS[0]) * gradient;
            *square = BETAS[1] * *square + (1.0 - BETAS[1]) * gradient * gradient;
            *value -= rate * *mean / (square.sqrt() * root + EPSILON);
        }
    }
}

/// Returns the sum of the squares of a gradient.
pub fn squared_norm(gradient: &[f32]) -> f64 {
    let squares = |values: &[f32]| f64::from(values.iter().map(|value| value * value).sum::<f32>());
    gradient.chunks(1024).map(squares).sum()
}

/// Returns the factor that clips gradients with this sum of squares to the norm `clip`; a norm of 0
/// leaves them as they are.
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
            AdamFactors::new(step, 0.1, 1.0).apply(&mut values, &mut means, &mut squares, |at| gradient[at]);
            assert!(values.iter().zip(expected).all(|(a, b): (_, f32)| (a - b).abs() < 1e-6), "{values:?}");
        }
    }

    #[test]
    fn only_long_gradients_are_shortened() {
        // √(3² + 4²) = 5
        let squares = squared_norm(&[3.0, -4.0]);
        assert_eq!([1.0, 5.0, 0.0].map(|clip| clip_scale(squares, clip)), [0.2, 1.0, 1.0]);
    }
}
