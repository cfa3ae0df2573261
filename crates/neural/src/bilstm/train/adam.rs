//! Adam (Kingma & Ba 2015, algorithm 1), but words that a batch does not have stay where they are, with their moments.

use super::gradient::Gradient;
use crate::bilstm::weights::Weights;

const BETAS: [f32; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;

/// Running means of the gradient and of its square.
#[derive(Debug)]
pub(super) struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
    steps: i32,
}

impl Adam {
    /// Begins with a number of weights.
    pub(super) fn new(len: usize) -> Self {
        Self { means: vec![0.0; len], squares: vec![0.0; len], steps: 0 }
    }

    /// Moves weights against a gradient, which is shortened to `clip` where that is not 0.
    pub(super) fn step(&mut self, weights: &mut Weights, gradient: &Gradient, rate: f64, clip: f64) {
        let sum: f64 = [&gradient.dense, &gradient.rows].into_iter().map(|slopes| squared(slopes)).sum();
        let scale = if clip > 0.0 && sum.sqrt() > clip { clip / sum.sqrt() } else { 1.0 };
        self.steps = self.steps.saturating_add(1);
        // The means begin at 0: this makes up for it.
        let [first, second] = BETAS.map(|beta| 1.0 - f64::from(beta).powi(self.steps));
        let step =
            Step { rate: (rate / first) as f32, scale: scale as f32, root: (1.0 / second.sqrt()) as f32 };
        self.change(weights, weights.layout.dense().start, &gradient.dense, step);
        let width = weights.layout.widths.word;
        for (&word, slopes) in gradient.words.iter().zip(gradient.rows.chunks_exact(width)) {
            self.change(weights, weights.layout.words.start + word as usize * width, slopes, step);
        }
    }

    fn change(&mut self, weights: &mut Weights, start: usize, slopes: &[f32], step: Step) {
        let range = start..start + slopes.len();
        let moments = self.means[range.clone()].iter_mut().zip(&mut self.squares[range.clone()]);
        for ((value, (mean, square)), slope) in weights.values[range].iter_mut().zip(moments).zip(slopes) {
            let slope = slope * step.scale;
            *mean = BETAS[0] * *mean + (1.0 - BETAS[0]) * slope;
            *square = BETAS[1] * *square + (1.0 - BETAS[1]) * slope * slope;
            *value -= step.rate * *mean / (square.sqrt() * step.root + EPSILON);
        }
    }
}

/// The numbers of one step.
#[derive(Debug, Clone, Copy)]
struct Step {
    rate: f32,
    scale: f32,
    root: f32,
}

fn squared(values: &[f32]) -> f64 {
    let part = |values: &[f32]| f64::from(values.iter().map(|value| value * value).sum::<f32>());
    values.chunks(1024).map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bilstm::weights::{Layout, Widths};

    #[test]
    fn steps_are_as_long_as_the_rate_and_words_that_do_not_occur_stay() {
        let widths = Widths { word: 2, letter: 1, letter_hidden: 1, hidden: 1 };
        let layout = Layout::new(widths, 3, 1, 1);
        let mut weights = Weights { values: vec![1.0; layout.len()], layout };
        let dense = weights.layout.dense().end;
        let mut adam = Adam::new(weights.values.len());
        let gradient = Gradient { dense: vec![-4.0; dense], words: vec![1], rows: vec![0.5, 0.0] };
        // Whatever the gradient, the first step is as long as the rate, and so is the second with the same one.
        for clip in [0.0, 1e3] {
            adam.step(&mut weights, &gradient, 0.1, clip);
        }
        assert!(weights.values[..dense].iter().all(|value| (value - 1.2).abs() < 1e-6));
        let words = &weights.values[dense..];
        assert!((words[2] - 0.8).abs() < 1e-6, "{words:?}");
        assert_eq!([words[0], words[1], words[3], words[4], words[5]], [1.0; 5]);
    }
}
