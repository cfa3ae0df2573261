//! The state of a training, which a checkpoint saves.

use super::cells::TrainingWeights;
use super::stopping::EarlyStopping;
use majuscule_base::error::Result;

/// The state of a training.
pub(super) struct TrainingState {
    /// The number of epochs done.
    pub(super) epoch: usize,
    /// The number of batches done in the next epoch.
    pub(super) batches: u64,
    pub(super) stopping: EarlyStopping,
    pub(super) weights: TrainingWeights,
}

/// A callback that receives the state after each batch, with the batch's number of words, and after
/// each epoch, with 0; an error ends the training.
pub(super) type StateKeeper<'a> = dyn FnMut(&TrainingState, u64) -> Result<()> + 'a;

impl TrainingState {
    /// Creates the state at the start of a training.
    pub(super) fn new(weights: TrainingWeights, patience: usize) -> Self {
        Self { epoch: 0, batches: 0, stopping: EarlyStopping::new(patience), weights }
    }

    /// Returns true if all epochs are done, or if the held-out loss got worse.
    pub(super) fn is_over(&self, epochs: usize) -> bool {
        self.epoch >= epochs || self.stopping.stops()
    }
}
