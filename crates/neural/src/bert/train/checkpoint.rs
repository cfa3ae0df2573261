//! The state of a training in a checkpoint: the current weights, the best weights so far, and the moments and slow
//! weights of the optimiser.

use std::collections::BTreeMap;

use candle_core::{Device, Result as Computed, Tensor, Var};
use serde::{Deserialize, Serialize};

use super::adam::Moments;
use super::config::{BertConfig, BertTraining};
use super::trainer::TaggerState;
use crate::bert::failed;
use crate::bert::names::Shapes;
use crate::bert::ops::read;
use crate::bert::weights::{self, TensorMap};
use crate::shared::checkpoint_file::CheckpointFile;
use crate::shared::digest::Digest;
use crate::shared::options::{NetworkTrainingOptions, TrainingRecord};
use crate::shared::train_loop::TrainPosition;
use majuscule_base::error::Result;
use majuscule_train::corpus::Corpus;

/// A checkpoint, with the identity of its training.
pub(super) struct BertCheckpoint<'a> {
    file: CheckpointFile<'a>,
    /// True if each weight that has moved also has slow weights.
    has_slow: bool,
    digests: InputDigests,
}

/// Checksums of the examples, and of the initial weights.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct InputDigests {
    digests: [u32; 2],
}

/// The prefixes of the names of tensors.
const NOW: &str = "now.";
const BEST: &str = "best.";
const MEANS: [&str; 2] = ["mean.", "square."];
const SLOW: &str = "slow.";

impl<'a> BertCheckpoint<'a> {
    /// Returns the checkpoint that the options name, for a training with these settings.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(super) fn new(
        options: &'a NetworkTrainingOptions,
        record: &TrainingRecord<'_, BertConfig, BertTraining>,
        corpus: &Corpus,
    ) -> Result<Option<Self>> {
        let has_slow = record.training.optimizer.sync_period > 0;
        let file = CheckpointFile::new("bert", options, record, corpus)?;
        Ok(file.map(|file| Self { file, has_slow, digests: InputDigests::default() }))
    }

    /// Sets the checksums of the examples and of the initial weights.
    ///
    /// # Errors
    /// Fails if the weights cannot be read from their device.
    pub(super) fn of(mut self, examples: u32, weights: &TensorMap) -> Computed<Self> {
        let mut digest = Digest::default();
        for tensor in weights.values() {
            read(tensor, |values| digest.add_numbers(values))?;
        }
        self.digests = InputDigests { digests: [examples, digest.sum()] };
        Ok(self)
    }

    /// Writes a state atomically.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(super) fn write(&self, state: &TaggerState, position: &TrainPosition<TensorMap>) -> Result<()> {
        let mut tensors = TensorMap::new();
        let mut add =
            |prefix: &str, name: &str, tensor: Tensor| tensors.insert(format!("{prefix}{name}"), tensor);
        for (name, var) in &state.weights {
            add(NOW, name, var.as_detached_tensor());
        }
        for (name, tensor) in position.best.iter().flat_map(|(_, best)| best) {
            add(BEST, name, tensor.clone());
        }
        for (name, moments) in &state.moments {
            for (prefix, mean) in MEANS.iter().zip(&moments.means().map_err(failed)?) {
                let mean =
                    Tensor::from_slice(mean, state.weights[name].dims(), &Device::Cpu).map_err(failed)?;
                add(prefix, name, mean);
            }
        }
        for (name, slow) in &state.slow {
            add(SLOW, name, slow.clone());
        }
        let steps: BTreeMap<_, _> =
            state.moments.iter().map(|(name, moments)| (name.as_str(), moments.steps)).collect();
        self.file.write(&tensors, position, self.digests, steps)
    }

    /// Reads the state from the file, or returns `None` if there is no file.
    ///
    /// # Errors
    /// Fails if the file is not a checkpoint, belongs to another training or is cut off.
    pub(super) fn read(&self, shapes: &Shapes) -> Result<Option<(TaggerState, TrainPosition<TensorMap>)>> {
        let read = self.file.read::<InputDigests, BTreeMap<String, u64>>()?;
        let Some((bytes, note)) = read else { return Ok(None) };
        let mut both = note.digests.digests.iter().zip(&self.digests.digests);
        if let Some(which) = both.position(|(found, expected)| found != expected) {
            return Err(self.file.altered(["a text", "the encoder or model"][which]));
        }
        let tensors = |prefix: &str, shapes: &Shapes| {
            let named = |name: &str| name.strip_prefix(prefix).map(str::to_owned);
            weights::read(&bytes, shapes, named, &Device::Cpu).map_err(|problem| self.file.wrong(problem))
        };
        let var = |(name, tensor)| Ok((name, Var::from_tensor(&tensor)?));
        let weights = tensors(NOW, shapes)?.into_iter().map(var).collect::<Computed<_>>();
        let position = note.position(|| tensors(BEST, shapes))?;
        let moved: Shapes =
            shapes.iter().filter(|(name, _)| note.steps.contains_key(name)).cloned().collect();
        let [means, squares] = MEANS.map(|prefix| tensors(prefix, &moved));
        let mut moments = BTreeMap::new();
        for ((name, mean), square) in means?.iter().zip(squares?.values()) {
            let values = |tensor: &Tensor| tensor.flatten_all()?.to_vec1::<f32>();
            let means = [values(mean).map_err(failed)?, values(square).map_err(failed)?];
            moments.insert(name.clone(), Moments::new(note.steps[name], means));
        }
        let slow = if self.has_slow { tensors(SLOW, &moved)? } else { TensorMap::new() };
        Ok(Some((TaggerState { weights: weights.map_err(failed)?, moments, slow }, position)))
    }
}
