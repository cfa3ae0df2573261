//! Checkpoints: the state of a training as a safetensors file, with the current weights, the best weights so far, the
//! moments and slow weights of the optimiser, and a note of the position.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use candle_core::{Device, Result as Computed, Tensor, Var};
use serde::{Deserialize, Serialize};

use super::adam::Moments;
use super::config::{BertConfig, BertTraining};
use super::lookahead::SlowWeights;
use super::trainer::TaggerState;
use crate::bert::failed;
use crate::bert::names::Shapes;
use crate::bert::ops::read;
use crate::bert::weights::{self, TensorMap};
use crate::shared::digest::Digest;
use crate::shared::options::{NetworkTrainingOptions, TrainingRecord};
use crate::shared::train_loop::TrainPosition;
use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Publish};
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::checkpoint;

/// A file for the state of a training, which may not exist yet.
pub(super) struct BertCheckpoint<'a> {
    file: &'a Path,
    settings: String,
    /// True if each weight that has moved also has slow weights.
    has_slow: bool,
    /// Checksums of the examples, and of the initial weights.
    digests: [u32; 2],
}

/// The progress of a training, and the identity of this training.
#[derive(Debug, Serialize, Deserialize)]
struct CheckpointNote {
    /// The settings on which the state depends.
    settings: String,
    /// Checksums of the examples, and of the initial weights.
    digests: [u32; 2],
    epoch: usize,
    batches: usize,
    /// The lowest error as the bits of an `f64`: a number in JSON may lose the last bit.
    best: Option<u64>,
    worse: usize,
    /// The number of steps that moved each tensor.
    steps: BTreeMap<String, u64>,
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
        let Some(file) = &options.checkpoint else { return Ok(None) };
        // If the file cannot be written, training should fail before long work.
        drop(Publish::new(file)?);
        let settings = checkpoint::settings(record, env!("CARGO_PKG_VERSION").to_owned(), corpus);
        let has_slow = record.training.optimizer.sync_period > 0;
        Ok(Some(Self { file, settings, has_slow, digests: [0; 2] }))
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
        self.digests = [examples, digest.sum()];
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
            add(SLOW, name, slow.values().clone());
        }
        let note = CheckpointNote {
            settings: self.settings.clone(),
            digests: self.digests,
            epoch: position.epoch,
            batches: position.batches,
            best: position.best.as_ref().map(|(ser, _)| ser.to_bits()),
            worse: position.worse,
            steps: state.moments.iter().map(|(name, moments)| (name.clone(), moments.steps)).collect(),
        };
        let note = serde_json::to_string(&note).expect("a note has string keys only");
        let bytes = weights::write_with(&tensors, Some(note)).map_err(failed)?;
        files::unpublished(self.file, |out| out.write_all(&bytes))?.commit()
    }

    /// Reads the state from the file, or returns `None` if there is no file.
    ///
    /// # Errors
    /// Fails if the file is not a checkpoint, belongs to another training or is cut off.
    pub(super) fn read(&self, shapes: &Shapes) -> Result<Option<(TaggerState, TrainPosition<TensorMap>)>> {
        if !self.file.exists() {
            return Ok(None);
        }
        let bytes = Bytes::open(self.file)?;
        let wrong = |problem: String| Error::file(self.file.to_string_lossy(), problem);
        let is_none = || {
            wrong(
                "is not a checkpoint of bert, or is cut off: name another file, or remove it to start again"
                    .to_owned(),
            )
        };
        let note = weights::note(&bytes).ok_or_else(is_none)?;
        let note: CheckpointNote = serde_json::from_str(&note).map_err(|_| is_none())?;
        let name = self.file.to_string_lossy();
        if note.settings != self.settings {
            return Err(checkpoint::other_settings(&name, note.settings.as_bytes(), &self.settings));
        }
        let differ = note.digests.iter().zip(&self.digests).position(|(found, expected)| found != expected);
        if let Some(which) = differ {
            return Err(checkpoint::altered_input(&name, ["a text", "the encoder or model"][which]));
        }
        let tensors = |prefix: &str, shapes: &Shapes| {
            let named = |name: &str| name.strip_prefix(prefix).map(str::to_owned);
            weights::read(&bytes, shapes, named, &Device::Cpu).map_err(&wrong)
        };
        let var = |(name, tensor)| Ok((name, Var::from_tensor(&tensor)?));
        let weights = tensors(NOW, shapes)?.into_iter().map(var).collect::<Computed<_>>();
        let best =
            note.best.map(|ser| Ok::<_, Error>((f64::from_bits(ser), tensors(BEST, shapes)?))).transpose()?;
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
        let slow = slow.into_iter().map(|(name, values)| (name, SlowWeights::saved(values))).collect();
        let weights = weights.map_err(failed)?;
        let CheckpointNote { epoch, batches, worse, .. } = note;
        let position = TrainPosition { epoch, batches, best, worse };
        Ok(Some((TaggerState { weights, moments, slow }, position)))
    }
}
