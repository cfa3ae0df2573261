//! Early stopping: ends a training that no longer improves on held-out examples.

use super::cells::TrainingWeights;

/// The best weights so far.
pub(super) struct EarlyStopping {
    pub(super) patience: usize,
    pub(super) best: Option<(f64, TrainingWeights)>,
    /// The number of epochs since the best one.
    pub(super) worse: usize,
}

impl EarlyStopping {
    pub(super) fn new(patience: usize) -> Self {
        Self { patience, best: None, worse: 0 }
    }

    /// Adds the loss of an epoch and its weights.
    pub(super) fn add(&mut self, loss: f64, weights: TrainingWeights) {
        if self.best.as_ref().is_none_or(|(least, _)| loss < *least) {
            (self.best, self.worse) = (Some((loss, weights)), 0);
        } else {
            self.worse += 1;
        }
    }

    /// Returns true if training should stop.
    pub(super) fn stops(&self) -> bool {
        self.worse >= self.patience
    }

    /// Returns the weights with the lowest loss.
    pub(super) fn best(self) -> Option<TrainingWeights> {
        self.best.map(|(_, weights)| weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_kept_and_patience_ends() {
        let mut stopping = EarlyStopping::new(2);
        let stops = [0.5, 0.3, 0.4, 0.2, 0.25, 0.21].map(|loss| {
            let weights = TrainingWeights::with(vec![1], &[[loss as f32, 0.0, 0.0, 0.0]]);
            stopping.add(loss, weights);
            stopping.stops()
        });
        assert_eq!(stops, [false, false, false, false, false, true]);
        assert_eq!(stopping.best().unwrap().values().next().unwrap()[0], 0.2);
    }
}
