//! The configuration of the training of `bert`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::layers::LayerConfig;
use super::loss::LossConfig;
use super::pretrained::{self, EncoderRecord};
use super::schedule::Schedule;
use super::train;
use crate::bert::{LabelledSubword, sections};
use crate::shared::adam::Optimizer;
use crate::shared::checks::check_numbers;
use crate::shared::predict::HeadOptions;
use crate::shared::product::ProductPrecision;
use crate::shared::samples::BatchSize;
use majuscule::error::{Error, Result, option};
use majuscule::files;
use majuscule::methods::backend::Device;
use majuscule_arguments::{by_name, default_name};
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Learned, Learner, Watch, json};

/// The configuration of the training of `bert`.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct BertConfig {
    /// The pretrained encoder: a Hugging Face folder of BERT, RoBERTa, XLM-R, DistilBERT or
    /// ELECTRA, with config.json, tokenizer.json or vocab.txt, and model.safetensors
    #[arg(long, value_name = "FOLDER")]
    #[serde(serialize_with = "name")]
    pub encoder: PathBuf,
    /// The heads to train.
    #[command(flatten)]
    #[serde(flatten)]
    pub heads: HeadOptions,
    /// The subword of a word that has its labels: first, or last, which stands next to the mark
    #[arg(long, value_parser = by_name::<LabelledSubword>(), default_value = default_name::<LabelledSubword>())]
    #[serde(rename = "piece", skip_serializing_if = "LabelledSubword::is_first")]
    pub labelled_subword: LabelledSubword,
    /// Keep only the subwords of the encoder's vocabulary that the text uses, and single characters of
    /// its scripts: a multilingual model shrinks to a half or less
    #[arg(long)]
    #[serde(rename = "keep_pieces", skip_serializing_if = "std::ops::Not::not")]
    pub keep_subwords: bool,
    /// The layers of the encoder
    #[command(flatten)]
    #[serde(flatten)]
    pub layers: LayerConfig,
    /// Use the schedule of a paper: its values become the defaults of the settings below
    #[arg(long, value_enum, value_name = "PAPER")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// The number of passes over the corpus
    #[arg(long, value_name = "N", default_value_t = BertConfig::default().epochs)]
    pub epochs: usize,
    /// The number of first epochs in which the encoder stays frozen
    #[arg(long, value_name = "N", default_value_t = BertConfig::default().frozen)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.frozen))]
    pub frozen: usize,
    /// The learning rate of the encoder: the paper's value for BERT-base; small encoders work
    /// with ten times as much
    #[arg(long, value_name = "STEP", default_value_t = BertConfig::default().rate)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.rate))]
    pub rate: f64,
    /// The learning rate of the head
    #[arg(long, value_name = "STEP", default_value_t = BertConfig::default().head_rate)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.head_rate))]
    pub head_rate: f64,
    /// Train the weights of layers with the head: never frozen, and with its learning rate
    #[arg(long)]
    pub scalars_with_head: bool,
    /// The learning rate of the weights of layers, which are then never frozen; by default that of
    /// the encoder, at which they hardly move
    #[arg(long, value_name = "STEP", conflicts_with = "scalars_with_head")]
    // Left out where it is not given: the checkpoints of earlier trainings still serve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scalar_rate: Option<f64>,
    /// The number of batches over which the learning rate grows from 0; head and encoder each start
    /// to warm up when their training begins
    #[arg(long, value_name = "N", default_value_t = BertConfig::default().warm_up)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.warm_up))]
    pub warm_up: u64,
    /// Let the learning rate decay to 0 by the end
    #[arg(long)]
    pub decay: bool,
    /// The number of sentences in a batch; the paper uses 16 for several languages
    #[arg(long, value_name = "N", default_value_t = BertConfig::default().batch)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.batch))]
    pub batch: usize,
    /// Fill each batch up to this number of subwords instead, so that short sentences make large
    /// batches and long windows small ones
    #[arg(long, value_name = "SUBWORDS", conflicts_with = "batch")]
    #[serde(rename = "batch_pieces", skip_serializing_if = "Option::is_none")]
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
    /// The optimiser and its settings
    // Left out where they are those of all trainings before there were others, whose checkpoints
    // still serve.
    #[command(flatten)]
    #[serde(flatten, skip_serializing_if = "OptimizerConfig::is_default")]
    pub optimizer: OptimizerConfig,
    /// The loss
    #[command(flatten)]
    #[serde(flatten, skip_serializing_if = "LossConfig::is_default")]
    pub loss: LossConfig,
    /// The number of subwords that the encoder sees at a time: longer sentences are cut into
    /// overlapping windows [default: 256, or as many as the encoder accepts]
    #[arg(long, value_name = "SUBWORDS")]
    #[serde(serialize_with = "subwords")]
    pub window: Option<usize>,
    /// Hold out this fraction of the examples, and keep the model that is best on them
    #[arg(long, value_name = "FRACTION", default_value_t = BertConfig::default().held_out)]
    pub held_out: f64,
    /// The number of epochs in a row that may be worse than the best
    #[arg(long, value_name = "N", default_value_t = BertConfig::default().patience)]
    pub patience: usize,
    /// The precision of the large products of training
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    #[serde(skip_serializing_if = "ProductPrecision::is_default")]
    pub precision: ProductPrecision,
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

/// The optimiser of a training and its settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, clap::Args)]
pub struct OptimizerConfig {
    /// The optimiser
    #[arg(long = "optimizer", id = "optimizer", value_enum, value_name = "NAME", default_value_t)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.optimizer.name))]
    #[serde(rename = "optimizer")]
    pub name: Optimizer,
    /// LookAhead around the optimiser (Zhang et al. 2019): after every N steps, slow weights move
    /// part of the way to the weights, which continue from there; 0 turns it off
    #[arg(long, value_name = "STEPS", default_value_t = OptimizerConfig::default().sync_period)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.optimizer.sync_period))]
    pub sync_period: u64,
    /// The step size of LookAhead's slow weights, as a fraction of the way
    #[arg(long, value_name = "FRACTION", default_value_t = OptimizerConfig::default().slow_step_size)]
    #[arg(default_value_ifs = Schedule::defaults(|config| config.optimizer.slow_step_size))]
    pub slow_step_size: f64,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self { name: Optimizer::Adam, sync_period: 0, slow_step_size: 0.5 }
    }
}

impl OptimizerConfig {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Refuses settings out of their ranges.
    fn check(&self) -> Result<()> {
        let Self { slow_step_size: fraction, .. } = *self;
        if fraction > 0.0 && fraction <= 1.0 {
            return Ok(());
        }
        let name = option("slow-step-size");
        Err(Error::usage(format!("{name} {fraction}: expected a fraction above 0, at most 1")))
    }
}

impl Learner for BertConfig {
    fn name(&self) -> &'static str {
        "bert"
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.encoder.clone()]
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings()
    }

    fn checkpoint(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, watch: &mut Watch<'_>) -> Result<Learned> {
        let encoder = EncoderRecord::of(&self.encoder)?;
        let model = train(self, corpus, threads, watch)?;
        let mut learned = Learned::new(&model.settings, self, &model.labels, sections(&model)?);
        learned.settings["encoder"] = json(&encoder);
        // What was asked for may be more than the encoder takes.
        learned.settings["config"]["window"] = model.settings.window.into();
        Ok(learned.trained_on(&self.inputs()))
    }
}

impl Default for BertConfig {
    fn default() -> Self {
        Self {
            encoder: PathBuf::new(),
            heads: HeadOptions::default(),
            labelled_subword: LabelledSubword::First,
            keep_subwords: false,
            layers: LayerConfig::default(),
            schedule: None,
            epochs: 4,
            frozen: 1,
            rate: 1e-5,
            head_rate: 3e-5,
            scalars_with_head: false,
            scalar_rate: None,
            warm_up: 100,
            decay: false,
            batch: 8,
            batch_subwords: None,
            dropout: 0.1,
            layer_dropout: 0.1,
            clip: 1.0,
            optimizer: OptimizerConfig::default(),
            loss: LossConfig::default(),
            window: None,
            held_out: 0.01,
            patience: 2,
            precision: ProductPrecision::default(),
            seed: 1,
            checkpoint: None,
            checkpoint_every: 1000,
            log: None,
            device: Device::Auto,
        }
    }
}

/// Writes the name of the folder only: its path differs from machine to machine.
fn name<S: Serializer>(folder: &Path, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&files::name(folder))
}

/// The number of subwords that an encoder sees at a time, if it takes so many.
const WINDOW: usize = 256;

/// Writes the number of subwords that are asked for.
fn subwords<S: Serializer>(window: &Option<usize>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    window.unwrap_or(WINDOW).serialize(serializer)
}

impl BertConfig {
    /// Returns the number of subwords that an encoder sees at a time that takes `longest`.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if it does not take as many as were asked for.
    pub(super) fn window(&self, longest: usize) -> Result<usize> {
        match self.window {
            Some(window) if window > longest => Err(Error::usage(format!(
                "{} {window}: {} accepts texts of at most {longest} subwords",
                option("window"),
                self.encoder.display()
            ))),
            Some(window) => Ok(window),
            None => Ok(WINDOW.min(longest)),
        }
    }

    /// Returns the size of a batch.
    pub(super) fn batch_size(&self) -> BatchSize {
        self.batch_subwords.map_or(BatchSize::Samples(self.batch), BatchSize::Subwords)
    }

    /// Returns warnings about settings that may be mistakes.
    pub fn warnings(&self) -> Vec<String> {
        // Training reports unreadable files with more detail.
        let Ok(subwords) = pretrained::subwords(&self.encoder, None) else { return Vec::new() };
        if !subwords.is_cased() {
            return Vec::new();
        }
        let encoder = self.encoder.display();
        vec![format!(
            "{encoder} is a cased encoder, but its input here is all in lower case: an uncased encoder does better"
        )]
    }

    /// Refuses settings out of their ranges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for the first of them.
    pub(super) fn check(&self) -> Result<()> {
        check_numbers(
            &[("dropout", self.dropout), ("layer-dropout", self.layer_dropout), ("held-out", self.held_out)],
            &[
                ("rate", self.rate),
                ("head-rate", self.head_rate),
                ("scalar-rate", self.scalar_rate.unwrap_or(0.0)),
                ("clip", self.clip),
            ],
            &[
                ("epochs", self.epochs),
                ("batch", self.batch),
                ("batch-subwords", self.batch_subwords.unwrap_or(1)),
                ("patience", self.patience),
                ("checkpoint-every", self.checkpoint_every as usize),
            ],
        )?;
        self.heads.learned()?;
        self.optimizer.check()?;
        self.loss.check()?;
        if let Some(window @ ..3) = self.window {
            let problem = format!("{} {window}: expected at least 3 subwords", option("window"));
            return Err(Error::usage(problem));
        }
        Ok(())
    }
}
