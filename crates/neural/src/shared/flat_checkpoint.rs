//! Checkpoints: the state of a training as a safetensors file, with the current weights, the best weights so far, the
//! moments of the optimiser, and a note of the position.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Publish};
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::checkpoint;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde::{Deserialize, Serialize};

use super::flat::FlatState;
use super::options::NetworkTrainingOptions;
use super::sparse_adam::SparseAdam;
use super::train_loop::TrainPosition;
use crate::bert::weights::{NOTE, note};

/// A file for the state of a training, which may not exist yet.
pub struct FlatCheckpoint<'a> {
    file: &'a Path,
    settings: String,
    /// A checksum of the examples.
    examples: u32,
    /// The name of the method.
    method: &'static str,
}

/// The note in a checkpoint: the position of a training, and the identity of this training.
#[derive(Debug, Serialize, Deserialize)]
struct FlatNote {
    /// The settings on which the state depends.
    settings: String,
    /// A checksum of the examples.
    examples: u32,
    epoch: usize,
    batches: usize,
    /// The lowest error as the bits of an `f64`: a number in JSON may lose the last bit.
    best: Option<u64>,
    worse: usize,
    /// The number of steps of the optimiser.
    steps: u64,
}

/// The names of the arrays.
const NOW: &str = "now";
const BEST: &str = "best";
const MEANS: [&str; 2] = ["mean", "square"];

impl<'a> FlatCheckpoint<'a> {
    /// Returns the checkpoint that the options name, for a training with these settings.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn new(
        method: &'static str,
        options: &'a NetworkTrainingOptions,
        settings: &impl Serialize,
        corpus: &Corpus,
    ) -> Result<Option<Self>> {
        let Some(file) = &options.checkpoint else { return Ok(None) };
        // If the file cannot be written, training should fail before long work.
        drop(Publish::new(file)?);
        let settings = checkpoint::settings(settings, env!("CARGO_PKG_VERSION").to_owned(), corpus);
        Ok(Some(Self { file, settings, examples: 0, method }))
    }

    /// Sets the checksum of the examples.
    pub fn of(self, examples: u32) -> Self {
        Self { examples, ..self }
    }

    /// Writes a state atomically.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(&self, state: &FlatState, position: &TrainPosition<Vec<f32>>) -> Result<()> {
        let SparseAdam { means, squares, steps } = &state.adam;
        let best = position.best.as_ref().map(|(_, best)| (BEST, best));
        let arrays = [(NOW, &state.weights), (MEANS[0], means), (MEANS[1], squares)].into_iter().chain(best);
        let arrays: Vec<(&str, Vec<u8>)> = arrays
            .map(|(name, values)| (name, values.iter().flat_map(|value| value.to_le_bytes()).collect()))
            .collect();
        let views = arrays.iter().map(|(name, bytes)| {
            TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes).map(|view| (*name, view))
        });
        let note = FlatNote {
            settings: self.settings.clone(),
            examples: self.examples,
            epoch: position.epoch,
            batches: position.batches,
            best: position.best.as_ref().map(|(error, _)| error.to_bits()),
            worse: position.worse,
            steps: *steps,
        };
        let failed = |problem: String| Error::file(self.file.to_string_lossy(), problem);
        let note = serde_json::to_string(&note).map_err(|error| failed(error.to_string()))?;
        let views = views.collect::<std::result::Result<Vec<_>, _>>();
        let bytes = views
            .and_then(|views| safetensors::serialize(views, Some(HashMap::from([(NOTE.to_owned(), note)]))))
            .map_err(|error| failed(error.to_string()))?;
        files::unpublished(self.file, |out| out.write_all(&bytes))?.commit()
    }

    /// Reads the state of `len` weights from the file, or returns `None` if there is no file.
    ///
    /// # Errors
    /// Fails if the file is not a checkpoint, belongs to another training or is cut off.
    pub fn read(&self, len: usize) -> Result<Option<(FlatState, TrainPosition<Vec<f32>>)>> {
        if !self.file.exists() {
            return Ok(None);
        }
        let bytes = Bytes::open(self.file)?;
        let name = self.file.to_string_lossy();
        let is_none = || {
            let problem = format!(
                "is not a checkpoint of {}, or is cut off: name another file, or remove it to start again",
                self.method
            );
            Error::file(name.clone(), problem)
        };
        let found = note(&bytes).ok_or_else(is_none)?;
        let found: FlatNote = serde_json::from_str(&found).map_err(|_| is_none())?;
        if found.settings != self.settings {
            return Err(checkpoint::other_settings(&name, found.settings.as_bytes(), &self.settings));
        }
        if found.examples != self.examples {
            return Err(checkpoint::altered_input(&name, "a text"));
        }
        let tensors = SafeTensors::deserialize(&bytes).map_err(|_| is_none())?;
        let array = |name: &str| {
            let view = tensors.tensor(name).ok().filter(|view| view.dtype() == Dtype::F32);
            let (numbers, _) = view.as_ref().map(TensorView::data).unwrap_or_default().as_chunks::<4>();
            let values: Vec<f32> = numbers.iter().map(|&number| f32::from_le_bytes(number)).collect();
            if values.len() == len { Ok(values) } else { Err(is_none()) }
        };
        let best =
            found.best.map(|error| Ok::<_, Error>((f64::from_bits(error), array(BEST)?))).transpose()?;
        let [means, squares] = MEANS.map(array);
        let adam = SparseAdam { means: means?, squares: squares?, steps: found.steps };
        let FlatNote { epoch, batches, worse, .. } = found;
        let position = TrainPosition { epoch, batches, best, worse };
        Ok(Some((FlatState { weights: array(NOW)?, adam }, position)))
    }
}
