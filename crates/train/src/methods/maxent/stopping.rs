//! When to stop: training that no longer helps on what was held out.

use super::cells::TrainingWeights;

/// The best weights so far.
pub(super) struct Stopping {
    pub(super) patience: usize,
    pub(super) best: Option<(f64, TrainingWeights)>,
    /// Epochs since then.
    pub(super) worse: usize,
}

impl Stopping {
    pub(super) fn new(patience: usize) -> Self {
        Self { patience, best: None, worse: 0 }
    }

    /// Takes the loss of an epoch and its weights.
    pub(super) fn add(&mut self, loss: f64, weights: TrainingWeights) {
        if self.best.as_ref().is_none_or(|(least, _)| loss < *least) {
            (self.best, self.worse) = (Some((loss, weights)), 0);
        } else {
            self.worse += 1;
        }
    }

    /// Whether it is time.
    pub(super) fn stops(&self) -> bool {
        self.worse >= self.patience
    }

    /// The weights of the least loss.
    pub(super) fn best(self) -> Option<TrainingWeights> {
        self.best.map(|(_, weights)| weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_kept_and_patience_ends() {
        let mut stopping = Stopping::new(2);
        let stops = [0.5, 0.3, 0.4, 0.2, 0.25, 0.21].map(|loss| {
            let weights = TrainingWeights::with(vec![1], &[[loss as f32, 0.0, 0.0, 0.0]]);
            stopping.add(loss, weights);
            stopping.stops()
        });
        assert_eq!(stops, [false, false, false, false, false, true]);
        assert_eq!(stopping.best().unwrap().values().next().unwrap()[0], 0.2);
    }
}
