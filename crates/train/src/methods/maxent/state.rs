//! How far training has come: what a checkpoint keeps.

use super::cells::Weights;
use super::stopping::Stopping;
use majuscule::error::Result;

/// How far training has come.
pub(super) struct State {
    /// Epochs done.
    pub(super) epoch: usize,
    /// Batches done of the next.
    pub(super) batches: u64,
    pub(super) stopping: Stopping,
    pub(super) weights: Weights,
}

/// Is told of a state after each batch of so many words, and with none after each epoch; an error ends training.
pub(super) type Keep<'a> = dyn FnMut(&State, u64) -> Result<()> + 'a;

impl State {
    /// The beginning.
    pub(super) fn new(weights: Weights, patience: usize) -> Self {
        Self { epoch: 0, batches: 0, stopping: Stopping::new(patience), weights }
    }

    /// Whether so many epochs are done, or what is held out got worse.
    pub(super) fn is_over(&self, epochs: usize) -> bool {
        self.epoch >= epochs || self.stopping.stops()
    }
}
