//! Adam for the weights of a network. Words that are not in a batch keep their weights and moments.

use super::gradient::NetworkGradient;
use crate::bilstm::weights::NetworkWeights;
use crate::shared::adam::{AdamFactors, clip_scale, squared_norm};

/// Running means of the gradient and of its square.
#[derive(Debug)]
pub(super) struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
    steps: u64,
}

impl Adam {
    /// Makes the moments of this many weights.
    pub(super) fn new(len: usize) -> Self {
        Self { means: vec![0.0; len], squares: vec![0.0; len], steps: 0 }
    }

    /// Updates weights with a gradient, which is clipped to `clip` unless that is 0.
    pub(super) fn step(
        &mut self,
        weights: &mut NetworkWeights,
        gradient: &NetworkGradient,
        rate: f64,
        clip: f64,
    ) {
        let squares = squared_norm(&gradient.dense) + squared_norm(&gradient.rows);
        self.steps += 1;
        let factors = AdamFactors::new(self.steps, rate, clip_scale(squares, clip));
        self.change(weights, weights.layout.dense().start, &gradient.dense, factors);
        let width = weights.layout.widths.word;
        for (&word, row) in gradient.words.iter().zip(gradient.rows.chunks_exact(width)) {
            self.change(weights, weights.layout.words.start + word as usize * width, row, factors);
        }
    }

    fn change(&mut self, weights: &mut NetworkWeights, start: usize, gradient: &[f32], factors: AdamFactors) {
        let range = start..start + gradient.len();
        let (means, squares) = (&mut self.means[range.clone()], &mut self.squares[range.clone()]);
        factors.apply(&mut weights.values[range], means, squares, gradient);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bilstm::weights::{WeightLayout, Widths};

    #[test]
    fn steps_are_as_long_as_the_rate_and_words_that_do_not_occur_stay() {
        let widths = Widths { word: 2, letter: 1, letter_hidden: 1, hidden: 1 };
        let layout = WeightLayout::new(widths, 3, 1, crate::shared::heads::HeadSizes { cases: 1, marks: 0 });
        let mut weights = NetworkWeights { values: vec![1.0; layout.len()], layout };
        let dense = weights.layout.dense().end;
        let mut adam = Adam::new(weights.values.len());
        let gradient = NetworkGradient { dense: vec![-4.0; dense], words: vec![1], rows: vec![0.5, 0.0] };
        // The first step is as long as the learning rate, whatever the gradient, and so is the
        // second with the same gradient.
        for clip in [0.0, 1e3] {
            adam.step(&mut weights, &gradient, 0.1, clip);
        }
        assert!(weights.values[..dense].iter().all(|value| (value - 1.2).abs() < 1e-6));
        let words = &weights.values[dense..];
        assert!((words[2] - 0.8).abs() < 1e-6, "{words:?}");
        assert_eq!([words[0], words[1], words[3], words[4], words[5]], [1.0; 5]);
    }
}
