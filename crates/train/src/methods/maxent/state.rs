//! How far training has come: what a checkpoint keeps.

use super::cells::TrainingWeights;
use super::stopping::Stopping;
use majuscule::error::Result;

/// How far training has come.
pub(super) struct TrainingState {
    /// Epochs done.
    pub(super) epoch: usize,
    /// Batches done of the next.
    pub(super) batches: u64,
    pub(super) stopping: Stopping,
    pub(super) weights: TrainingWeights,
}

/// Is told of a state after each batch of so many words, and with none after each epoch; an error ends training.
pub(super) type StateKeeper<'a> = dyn FnMut(&TrainingState, u64) -> Result<()> + 'a;

impl TrainingState {
    /// The beginning.
    pub(super) fn new(weights: TrainingWeights, patience: usize) -> Self {
        Self { epoch: 0, batches: 0, stopping: Stopping::new(patience), weights }
    }

    /// Whether so many epochs are done, or what is held out got worse.
    pub(super) fn is_over(&self, epochs: usize) -> bool {
        self.epoch >= epochs || self.stopping.stops()
    }
}
