//! The configuration of the training of `bert`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::loss::LossConfig;
use super::pretrained::{self, EncoderRecord, LayerConfig};
use super::schedule::Schedule;
use super::train;
use crate::bert::{LabelledSubword, sections};
use crate::shared::adam::Optimizer;
use crate::shared::checks::check_numbers;
use crate::shared::options::{NetworkTraining, NetworkTrainingOptions, TrainingRecord, show_default};
use crate::shared::predict::HeadOptions;
use crate::shared::product::ProductPrecision;
use crate::shared::samples::BatchSize;
use majuscule_arguments::{by_name, default_name};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files;
use majuscule_methods::backend::Device;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Learned, Learner, Watch, json};

/// The configuration of the training of `bert`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, clap::Args)]
#[command(mut_args(|arg| show_default(show_default(arg, &BertTraining::NEW), &OptimizerConfig::ADAM)))]
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
    /// The subword that carries the labels of a word: first, or last, which is next to the punctuation mark
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
    /// The options of new and adapted taggers.
    #[command(flatten)]
    #[serde(skip)]
    pub training: BertTrainingOptions,
    /// The loss
    #[command(flatten)]
    #[serde(flatten, skip_serializing_if = "LossConfig::is_default")]
    pub loss: LossConfig,
    /// The number of subwords that the encoder sees at a time: longer sentences are cut into
    /// overlapping windows [default: 256, or as many as the encoder accepts]
    #[arg(long, value_name = "SUBWORDS")]
    #[serde(serialize_with = "subwords")]
    pub window: Option<usize>,
    /// The precision of the large products of training
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    #[serde(skip_serializing_if = "ProductPrecision::is_default")]
    pub precision: ProductPrecision,
}

/// The options of the training of a tagger, new or adapted.
#[derive(Debug, Clone, PartialEq, clap::Args)]
#[group(skip)]
pub struct BertTrainingOptions {
    /// Use the schedule of a paper: its values become the defaults of the other settings
    #[arg(long, value_enum, value_name = "PAPER")]
    pub schedule: Option<Schedule>,
    /// The options of all networks.
    #[command(flatten)]
    pub shared: NetworkTrainingOptions,
    /// The number of first epochs in which the encoder stays frozen
    #[arg(long, value_name = "N")]
    pub frozen: Option<usize>,
    /// The learning rate of the head
    #[arg(long, value_name = "STEP")]
    pub head_rate: Option<f64>,
    /// The learning rate of the weights of layers, which are then never frozen; by default the encoder's rate, at
    /// which they hardly move
    #[arg(long, value_name = "STEP")]
    pub scalar_rate: Option<f64>,
    /// Let the learning rate decay to 0 by the end
    #[arg(long)]
    pub decay: bool,
    /// The number of sentences in a batch; the paper uses 16 for several languages
    #[arg(long, value_name = "N")]
    pub batch: Option<usize>,
    /// Fill each batch up to this number of subwords instead, so that short sentences make large
    /// batches and long windows small ones
    #[arg(long, value_name = "SUBWORDS", conflicts_with = "batch")]
    pub batch_subwords: Option<usize>,
    /// The dropout rate of layers in the weighted sum
    #[arg(long, value_name = "FRACTION")]
    pub layer_dropout: Option<f64>,
    /// The optimiser
    #[arg(long, value_enum, value_name = "NAME")]
    pub optimizer: Option<Optimizer>,
    /// LookAhead around the optimiser (Zhang et al. 2019): after every N steps, slow weights move
    /// part of the way to the weights, which continue from there; 0 turns it off
    #[arg(long, value_name = "STEPS")]
    pub sync_period: Option<u64>,
    /// The step size of LookAhead's slow weights, as a fraction of the way
    #[arg(long, value_name = "FRACTION")]
    pub slow_step_size: Option<f64>,
    /// The device to compute on: auto, cpu or cuda:N
    #[arg(long, value_name = "DEVICE", default_value_t)]
    pub device: Device,
}

majuscule_arguments::default_of_arguments!(BertTrainingOptions);

/// The options on which a tagger depends, with all defaults filled in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BertTraining {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    #[serde(flatten)]
    pub shared: NetworkTraining,
    pub frozen: usize,
    pub head_rate: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scalar_rate: Option<f64>,
    pub decay: bool,
    pub batch: usize,
    #[serde(rename = "batch_pieces", skip_serializing_if = "Option::is_none")]
    pub batch_subwords: Option<usize>,
    pub layer_dropout: f64,
    // Omitted for plain Adam, which was once the only optimiser, so that checkpoints of that time remain valid.
    #[serde(flatten, skip_serializing_if = "OptimizerConfig::is_default")]
    pub optimizer: OptimizerConfig,
}

impl BertTraining {
    /// The defaults of a new tagger.
    pub const NEW: Self = Self {
        schedule: None,
        shared: NetworkTraining::BERT,
        frozen: 1,
        head_rate: 3e-5,
        scalar_rate: None,
        decay: false,
        batch: 8,
        batch_subwords: None,
        layer_dropout: 0.1,
        optimizer: OptimizerConfig::ADAM,
    };

    /// Returns the size of a batch.
    pub(super) fn batch_size(&self) -> BatchSize {
        self.batch_subwords.map_or(BatchSize::Samples(self.batch), BatchSize::Subwords)
    }
}

impl BertTrainingOptions {
    /// Fills in the options that are not given, from the schedule if there is one, and then from these defaults.
    pub fn or(&self, defaults: BertTraining) -> BertTraining {
        let defaults = self.schedule.map_or(defaults, |schedule| schedule.applied(defaults));
        let OptimizerConfig { name, sync_period, slow_step_size } = defaults.optimizer;
        BertTraining {
            schedule: self.schedule,
            shared: self.shared.or(defaults.shared),
            frozen: self.frozen.unwrap_or(defaults.frozen),
            head_rate: self.head_rate.unwrap_or(defaults.head_rate),
            scalar_rate: self.scalar_rate.or(defaults.scalar_rate),
            decay: self.decay,
            batch: self.batch.unwrap_or(defaults.batch),
            batch_subwords: self.batch_subwords.or(defaults.batch_subwords.filter(|_| self.batch.is_none())),
            layer_dropout: self.layer_dropout.unwrap_or(defaults.layer_dropout),
            optimizer: OptimizerConfig {
                name: self.optimizer.unwrap_or(name),
                sync_period: self.sync_period.unwrap_or(sync_period),
                slow_step_size: self.slow_step_size.unwrap_or(slow_step_size),
            },
        }
    }

    /// Refuses options out of their ranges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for the first setting that is out of range.
    pub(super) fn check(&self) -> Result<()> {
        self.shared.check()?;
        check_numbers(
            &[("layer-dropout", self.layer_dropout.unwrap_or(0.0))],
            &[("head-rate", self.head_rate.unwrap_or(0.0)), ("scalar-rate", self.scalar_rate.unwrap_or(0.0))],
            &[("batch", self.batch.unwrap_or(1)), ("batch-subwords", self.batch_subwords.unwrap_or(1))],
        )?;
        match self.slow_step_size {
            Some(fraction) if !(fraction > 0.0 && fraction <= 1.0) => {
                let name = option("slow-step-size");
                Err(Error::usage(format!("{name} {fraction}: expected a fraction above 0, at most 1")))
            }
            _ => Ok(()),
        }
    }
}

/// The optimiser of a training and its settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OptimizerConfig {
    #[serde(rename = "optimizer")]
    pub name: Optimizer,
    /// The number of steps between two synchronisations of LookAhead, or 0 without LookAhead.
    pub sync_period: u64,
    /// The step size of LookAhead's slow weights, as a fraction of the way.
    pub slow_step_size: f64,
}

impl OptimizerConfig {
    /// Adam alone.
    pub const ADAM: Self = Self { name: Optimizer::Adam, sync_period: 0, slow_step_size: 0.5 };

    fn is_default(&self) -> bool {
        *self == Self::ADAM
    }
}

impl Learner for BertConfig {
    fn name(&self) -> &'static str {
        "bert"
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.encoder.clone()]
    }

    /// Warns of settings that may be mistakes.
    fn warnings(&self) -> Vec<String> {
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

    fn checkpoint(&self) -> Option<&Path> {
        self.training.shared.checkpoint.as_deref()
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, watch: &mut Watch<'_>) -> Result<Learned> {
        let encoder = EncoderRecord::of(&self.encoder)?;
        let model = train(self, corpus, threads, watch)?;
        let mut learned = Learned::new(&model.settings, &self.record(), &model.labels, sections(&model)?);
        learned.settings["encoder"] = json(&encoder);
        // The default in the record may be larger than the encoder accepts.
        learned.settings["config"]["window"] = model.settings.window.into();
        Ok(learned.trained_on(&self.inputs()))
    }
}

/// Writes the name of the folder only: its path differs from machine to machine.
fn name<S: Serializer>(folder: &Path, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&files::name(folder))
}

/// The number of subwords that an encoder sees at a time, if it accepts that many.
const WINDOW: usize = 256;

/// Writes the requested number of subwords, or the default.
fn subwords<S: Serializer>(window: &Option<usize>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    window.unwrap_or(WINDOW).serialize(serializer)
}

impl BertConfig {
    /// Returns the number of subwords that an encoder sees at a time if it accepts at most `longest`.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the encoder accepts fewer subwords than requested.
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

    /// Returns the settings of the training of a new tagger, with all defaults filled in.
    pub(super) fn record(&self) -> TrainingRecord<'_, Self, BertTraining> {
        TrainingRecord { config: self, training: self.training.or(BertTraining::NEW) }
    }

    /// Refuses settings out of their ranges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for the first setting that is out of range.
    pub(super) fn check(&self) -> Result<()> {
        self.training.check()?;
        self.heads.learned()?;
        self.loss.check()?;
        if let Some(window @ ..3) = self.window {
            let problem = format!("{} {window}: expected at least 3 subwords", option("window"));
            return Err(Error::usage(problem));
        }
        Ok(())
    }
}
