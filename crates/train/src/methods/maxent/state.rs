//! The state of a training, which a checkpoint saves.

use super::MaxentConfig;
use super::cells::TrainingWeights;
use majuscule_base::error::Result;

/// The state of a training.
pub(super) struct TrainingState {
    /// The number of epochs done.
    pub(super) epoch: usize,
    /// The number of batches done in the next epoch.
    pub(super) batches: u64,
    /// The lowest loss on the held-out examples, and its weights.
    pub(super) best: Option<(f64, TrainingWeights)>,
    /// The number of epochs since the best one.
    pub(super) worse: usize,
    pub(super) weights: TrainingWeights,
}

/// A callback that receives the state after each batch, with the batch's number of words, and after
/// each epoch, with 0; an error ends the training.
pub(super) type StateKeeper<'a> = dyn FnMut(&TrainingState, u64) -> Result<()> + 'a;

impl TrainingState {
    /// Creates the state at the start of a training.
    pub(super) fn new(weights: TrainingWeights) -> Self {
        Self { epoch: 0, batches: 0, best: None, worse: 0, weights }
    }

    /// Adds the loss of an epoch on the held-out examples, and its weights.
    pub(super) fn add(&mut self, loss: f64, weights: TrainingWeights) {
        if self.best.as_ref().is_none_or(|(least, _)| loss < *least) {
            (self.best, self.worse) = (Some((loss, weights)), 0);
        } else {
            self.worse += 1;
        }
    }

    /// Returns true if all epochs are done, or if the held-out loss got worse.
    pub(super) fn is_over(&self, config: &MaxentConfig) -> bool {
        self.epoch >= config.epochs || self.worse >= config.solving.patience
    }

    /// Returns the weights with the lowest loss, or the last ones if no examples were held out.
    pub(super) fn finish(self) -> TrainingWeights {
        self.best.map_or_else(|| self.weights.settle(), |(_, weights)| weights)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Solving;
    use super::*;

    #[test]
    fn the_best_is_kept_and_patience_ends() {
        let solving = Solving { patience: 2, ..Solving::default() };
        let config = MaxentConfig { epochs: 9, solving, ..MaxentConfig::default() };
        let mut state = TrainingState::new(TrainingWeights::of(Vec::new()));
        let stops = [0.5, 0.3, 0.4, 0.2, 0.25, 0.21].map(|loss| {
            let weights = TrainingWeights::with(vec![1], &[[loss as f32, 0.0, 0.0, 0.0]]);
            state.add(loss, weights);
            state.is_over(&config)
        });
        assert_eq!(stops, [false, false, false, false, false, true]);
        assert_eq!(state.finish().values().next().unwrap()[0], 0.2);
    }
}
