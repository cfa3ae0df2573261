//! Checkpoints: the state of a training as a safetensors file, with a note of the position.

use std::io::Write;
use std::path::Path;

use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Publish};
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::checkpoint;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::options::NetworkTrainingOptions;
use super::train_loop::TrainPosition;
use crate::bert::weights::{self, TensorMap};

/// A file for the state of a training, which may not exist yet.
#[derive(Debug)]
pub struct CheckpointFile<'a> {
    file: &'a Path,
    /// The name of the method.
    method: &'static str,
    settings: String,
}

/// The note in a checkpoint: the position of a training, and the identity of this training.
#[derive(Debug, Serialize, Deserialize)]
pub struct CheckpointNote<D, S> {
    /// The settings on which the state depends.
    settings: String,
    /// Checksums of the other inputs.
    #[serde(flatten)]
    pub digests: D,
    epoch: usize,
    batches: usize,
    /// The lowest error as the bits of an `f64`: a number in JSON may lose the last bit.
    best: Option<u64>,
    worse: usize,
    /// The numbers of steps of the optimiser.
    pub steps: S,
}

impl<'a> CheckpointFile<'a> {
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
        Ok(Some(Self { file, method, settings }))
    }

    /// Writes a state atomically.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write<W>(
        &self,
        tensors: &TensorMap,
        position: &TrainPosition<W>,
        digests: impl Serialize,
        steps: impl Serialize,
    ) -> Result<()> {
        let TrainPosition { epoch, batches, worse, .. } = *position;
        let best = position.best.as_ref().map(|(error, _)| error.to_bits());
        let settings = self.settings.clone();
        let note = CheckpointNote { settings, digests, epoch, batches, best, worse, steps };
        let note = serde_json::to_string(&note).expect("a note has string keys only");
        let bytes = weights::write_with(tensors, Some(note));
        let bytes = bytes.map_err(|error| self.wrong(error.to_string()))?;
        files::unpublished(self.file, |out| out.write_all(&bytes))?.commit()
    }

    /// Reads the file and its note, or returns `None` if there is no file.
    ///
    /// # Errors
    /// Fails if the file is not a checkpoint, is of a training with other settings or is cut off.
    pub fn read<D: DeserializeOwned, S: DeserializeOwned>(
        &self,
    ) -> Result<Option<(Bytes, CheckpointNote<D, S>)>> {
        if !self.file.exists() {
            return Ok(None);
        }
        let bytes = Bytes::open(self.file)?;
        let note = weights::note(&bytes).ok_or_else(|| self.is_none())?;
        let note: CheckpointNote<D, S> = serde_json::from_str(&note).map_err(|_| self.is_none())?;
        if note.settings != self.settings {
            let name = self.file.to_string_lossy();
            return Err(checkpoint::other_settings(&name, note.settings.as_bytes(), &self.settings));
        }
        Ok(Some((bytes, note)))
    }

    /// Returns the error of a file that is not a checkpoint.
    pub fn is_none(&self) -> Error {
        self.wrong(format!(
            "is not a checkpoint of {}, or is cut off: name another file, or remove it to start again",
            self.method
        ))
    }

    /// Returns the error of an input that changed after the training began.
    pub fn altered(&self, input: &str) -> Error {
        checkpoint::altered_input(&self.file.to_string_lossy(), input)
    }

    /// Returns the error of a file with this problem.
    pub fn wrong(&self, problem: String) -> Error {
        Error::file(self.file.to_string_lossy(), problem)
    }
}

impl<D, S> CheckpointNote<D, S> {
    /// Returns the position of the training; `best` reads its best weights.
    ///
    /// # Errors
    /// Returns the errors of `best`.
    pub fn position<W>(&self, best: impl FnOnce() -> Result<W>) -> Result<TrainPosition<W>> {
        let error = self.best.map(f64::from_bits);
        let best = error.map(|error| Ok::<_, Error>((error, best()?))).transpose()?;
        Ok(TrainPosition { epoch: self.epoch, batches: self.batches, best, worse: self.worse })
    }
}
