//! Fine-tunes a tagger on text of another kind, with all layers unfrozen (Rei et al. 2020, section
//! 5.2).

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use candle_core::{Result as Computed, Tensor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::TaggerTraining;
use super::config::{BertConfig, OptimizerConfig};
use super::schedule::Schedule;
use crate::bert::names::HEADS;
use crate::bert::weights::TensorMap;
use crate::bert::{Bert, BertSettings, load, sections};
use crate::shared::adam::Optimizer;
use crate::shared::heads::HeadSizes;
use crate::shared::samples::running_text;
use majuscule::error::Result;
use majuscule::methods::backend::{Backend, Device};
use majuscule::model::Store;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Adapted, Adapter, Watch, check_locale, json};

/// The configuration of the adaptation of a `bert` model.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct BertAdaptation {
    /// Use the schedule of a paper: its values become the defaults of the settings below, and no
    /// epoch is frozen
    #[arg(long, value_enum, value_name = "PAPER")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// The number of passes over the corpus
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub epochs: usize,
    /// The number of first epochs in which the encoder stays frozen
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub frozen: usize,
    /// The learning rate of the encoder; by default as when the model was trained
    #[arg(long, value_name = "STEP")]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.rate))]
    pub rate: Option<f64>,
    /// The learning rate of the head; by default as when the model was trained
    #[arg(long, value_name = "STEP")]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.head_rate))]
    pub head_rate: Option<f64>,
    /// Train the weights of layers with the head: never frozen, and with its learning rate
    #[arg(long)]
    pub scalars_with_head: bool,
    /// The learning rate of the weights of layers, which are then never frozen; by default as when
    /// the model was trained
    #[arg(long, value_name = "STEP", conflicts_with = "scalars_with_head")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scalar_rate: Option<f64>,
    /// The number of batches over which the learning rate grows from 0
    // Half the warm-up of training: text to adapt to is short.
    #[arg(long, value_name = "N", default_value_t = 50)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.warm_up))]
    pub warm_up: u64,
    /// Let the learning rate decay to 0 by the end
    #[arg(long)]
    pub decay: bool,
    /// The number of sentences in a batch; by default as when the model was trained
    #[arg(long, value_name = "N")]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.batch))]
    pub batch: Option<usize>,
    /// Fill each batch up to this number of subwords instead
    #[arg(long, value_name = "SUBWORDS", conflicts_with = "batch")]
    pub batch_subwords: Option<usize>,
    /// The dropout rate before the head
    #[arg(long, value_name = "FRACTION", default_value_t = BertConfig::default().dropout)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.dropout))]
    pub dropout: f64,
    /// The dropout rate of layers in the weighted sum
    #[arg(long, value_name = "FRACTION", default_value_t = BertConfig::default().layer_dropout)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.layer_dropout))]
    pub layer_dropout: f64,
    /// Clip gradients to this norm; 0 leaves them as they are
    #[arg(long, value_name = "LENGTH", default_value_t = BertConfig::default().clip)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.clip))]
    pub clip: f64,
    /// The optimiser; by default as when the model was trained
    #[arg(long, value_enum, value_name = "NAME")]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.optimizer.name))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<Optimizer>,
    /// The number of steps between two synchronisations of LookAhead, 0 without it; by default as when
    /// the model was trained
    #[arg(long, value_name = "STEPS")]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.optimizer.sync_period))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_period: Option<u64>,
    /// The step size of LookAhead's slow weights, as a fraction of the way; by default as when the
    /// model was trained
    #[arg(long, value_name = "FRACTION")]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.optimizer.slow_step_size))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slow_step_size: Option<f64>,
    /// Hold out this fraction of the examples, and keep the model that is best on them
    // A short text needs a larger fraction to tell the best epoch.
    #[arg(long, value_name = "FRACTION", default_value_t = 0.05)]
    pub held_out: f64,
    /// The number of epochs in a row that may be worse than the best
    #[arg(long, value_name = "N", default_value_t = BertConfig::default().patience)]
    pub patience: usize,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = BertConfig::default().seed)]
    pub seed: u64,
    /// Write the state of training to this file now and then. If the file exists, training resumes
    /// from it and gives the same model; the file is removed once the model is written
    #[arg(long, value_name = "FILE")]
    // None of these is in a manifest: the model does not depend on them.
    #[serde(skip)]
    pub checkpoint: Option<PathBuf>,
    /// The largest number of steps between two checkpoints, which are at most five minutes apart
    #[arg(long, value_name = "STEPS", requires = "checkpoint", default_value_t = BertConfig::default().checkpoint_every)]
    #[serde(skip)]
    pub checkpoint_every: u64,
    /// Append a log to this file, one line of JSON per event
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub log: Option<PathBuf>,
    /// The device to compute on: auto, cpu or cuda:N
    #[arg(long, value_name = "DEVICE", default_value_t)]
    #[serde(skip)]
    pub device: Device,
}

majuscule_arguments::default_of_arguments!(BertAdaptation);

impl Adapter for BertAdaptation {
    fn method(&self) -> &'static str {
        "bert"
    }

    fn checkpoint(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    fn adapt(
        &self,
        store: &dyn Store,
        corpus: &Corpus,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<Adapted> {
        let adaptation = self.clone().as_trained(&store.manifest().settings);
        // The device for learning is a separate setting.
        let computing = Backend { device: Device::Cpu, ..Backend::default() };
        let model = adapt(&adaptation, &load(store, &computing)?, corpus, threads, watch)?;
        let (settings, labels) = (json(&model.settings), Some(model.labels.clone()));
        Ok(Adapted { config: json(&adaptation), settings, labels, sections: sections(&model)? })
    }
}

impl BertAdaptation {
    /// Fills in the open settings from those in a model's manifest.
    #[must_use]
    pub fn as_trained(mut self, settings: &Value) -> Self {
        let trained = &settings["config"];
        self.rate = self.rate.or_else(|| trained["rate"].as_f64());
        self.head_rate = self.head_rate.or_else(|| trained["head_rate"].as_f64());
        if !self.scalars_with_head {
            self.scalar_rate = self.scalar_rate.or_else(|| trained["scalar_rate"].as_f64());
        }
        let count = |name: &str| trained[name].as_u64().and_then(|count| usize::try_from(count).ok());
        if self.batch.is_none() {
            self.batch_subwords = self.batch_subwords.or_else(|| count("batch_pieces"));
        }
        self.batch = self.batch.or_else(|| count("batch"));
        let optimizer = || Optimizer::deserialize(&trained["optimizer"]).ok();
        self.optimizer = self.optimizer.or_else(optimizer);
        self.sync_period = self.sync_period.or_else(|| trained["sync_period"].as_u64());
        self.slow_step_size = self.slow_step_size.or_else(|| trained["slow_step_size"].as_f64());
        self
    }

    /// Returns the equivalent settings for training.
    pub(super) fn config(&self, window: usize) -> BertConfig {
        let default = BertConfig::default();
        let optimizer = OptimizerConfig {
            name: self.optimizer.unwrap_or(default.optimizer.name),
            sync_period: self.sync_period.unwrap_or(default.optimizer.sync_period),
            slow_step_size: self.slow_step_size.unwrap_or(default.optimizer.slow_step_size),
        };
        BertConfig {
            schedule: self.schedule,
            epochs: self.epochs,
            frozen: self.frozen,
            rate: self.rate.unwrap_or(default.rate),
            head_rate: self.head_rate.unwrap_or(default.head_rate),
            scalars_with_head: self.scalars_with_head,
            scalar_rate: self.scalar_rate,
            warm_up: self.warm_up,
            decay: self.decay,
            batch: self.batch.unwrap_or(default.batch),
            batch_subwords: self.batch_subwords,
            dropout: self.dropout,
            layer_dropout: self.layer_dropout,
            clip: self.clip,
            optimizer,
            window: Some(window),
            held_out: self.held_out,
            patience: self.patience,
            seed: self.seed,
            checkpoint: self.checkpoint.clone(),
            checkpoint_every: self.checkpoint_every,
            log: self.log.clone(),
            device: self.device,
            ..default
        }
    }
}

/// Adapts a model to a text, and returns a new model with the same encoder. A mixed-case spelling
/// in the text replaces that of the model. If the text has words in mixed case and the model has no
/// label for them, it gets one, which begins with a score of 0.
///
/// `watch` is informed after each step. The new model follows the protocol of the corpus: after
/// `asr`, a text continues across the ends of lines.
///
/// # Errors
/// Fails if the corpus cannot be read, teaches no case or pairs letters differently from the model;
/// if a setting is out of range; and if the checkpoint belongs to another training, was altered, or
/// cannot be written.
pub fn adapt(
    adaptation: &BertAdaptation,
    model: &Bert,
    corpus: &Corpus,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<Bert> {
    let config = &adaptation.config(model.settings.window);
    config.check()?;
    check_locale(corpus, model.cases.locale())?;
    let running = running_text(corpus, model.heads.marks())?;
    let corpus = running.as_ref().unwrap_or(corpus);
    let settings = BertSettings { runs_on: corpus.protocol().runs_on(), ..model.settings.clone() };
    let Bert { config: encoder, subwords, .. } = model;
    let training = TaggerTraining { config, corpus, encoder, subwords, settings, model: Some(model) };
    training.run(|heads| widened(model.scorer.weights(), heads), threads, watch)
}

/// Returns the weights with heads of these sizes: those of new labels are 0.
fn widened(weights: &TensorMap, heads: HeadSizes) -> Computed<TensorMap> {
    let widen = |(name, tensor): (&String, &Tensor)| {
        let old = tensor.dim(0)?;
        let mut sizes = HEADS.into_iter().zip([heads.cases, heads.marks]);
        let labels = sizes.find(|(head, _)| name.starts_with(head)).map_or(old, |(_, size)| size);
        if old == labels {
            return Ok((name.clone(), tensor.clone()));
        }
        let mut shape = tensor.dims().to_vec();
        shape[0] = labels - old;
        let rows = Tensor::zeros(shape, tensor.dtype(), tensor.device())?;
        Ok((name.clone(), Tensor::cat(&[tensor, &rows], 0)?))
    };
    weights.iter().map(widen).collect()
}
