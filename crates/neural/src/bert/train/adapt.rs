//! Fine-tunes a tagger on text of another kind, with all layers unfrozen (Rei et al. 2020, section
//! 5.2).

use std::num::NonZeroUsize;
use std::path::Path;

use candle_core::{Result as Computed, Tensor};
use clap::Arg;
use serde::Deserialize;
use serde_json::Value;

use super::TaggerTraining;
use super::config::{BertConfig, BertTraining, BertTrainingOptions, OptimizerConfig};
use crate::bert::names::HEADS;
use crate::bert::weights::TensorMap;
use crate::bert::{Bert, BertSettings, load, sections};
use crate::shared::adam::Optimizer;
use crate::shared::heads::HeadSizes;
use crate::shared::options::{NetworkTraining, show_default};
use crate::shared::samples::running_text;
use majuscule_base::error::Result;
use majuscule_methods::backend::{Backend, Device};
use majuscule_methods::model::Store;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Adapted, Adapter, Watch, check_locale, json};

/// The options of the adaptation of a `bert` model.
#[derive(Debug, Clone, PartialEq, Default, clap::Args)]
#[command(mut_args(show))]
pub struct BertAdaptation {
    /// The options of the training.
    #[command(flatten)]
    pub training: BertTrainingOptions,
}

/// The defaults of an adaptation of a model, before the settings of its training are known.
const DEFAULTS: BertTraining =
    BertTraining { shared: NetworkTraining::ADAPTATION, frozen: 0, ..BertTraining::NEW };

/// The options whose defaults are the settings with which the model was trained.
const TRAINED: [&str; 7] =
    ["rate", "head_rate", "scalar_rate", "batch", "optimizer", "sync_period", "slow_step_size"];

/// Shows the default of an option in its help.
fn show(arg: Arg) -> Arg {
    match (TRAINED.contains(&arg.get_id().as_str()), arg.get_help()) {
        (true, Some(help)) => {
            let help = format!("{help} [default: as when the model was trained]");
            arg.help(help)
        }
        _ => show_default(arg, &DEFAULTS),
    }
}

impl Adapter for BertAdaptation {
    fn method(&self) -> &'static str {
        "bert"
    }

    fn checkpoint(&self) -> Option<&Path> {
        self.training.shared.checkpoint.as_deref()
    }

    fn adapt(
        &self,
        store: &dyn Store,
        corpus: &Corpus,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<Adapted> {
        let training = self.as_trained(&store.manifest().settings);
        // The device for learning is a separate setting.
        let computing = Backend { device: Device::Cpu, ..Backend::default() };
        let model = self.adapt_model(training, &load(store, &computing)?, corpus, threads, watch)?;
        let (settings, labels) = (json(&model.settings), Some(model.labels.clone()));
        Ok(Adapted { config: json(&training), settings, labels, sections: sections(&model)? })
    }
}

impl BertAdaptation {
    /// Fills in the options that are not given from the settings in a model's manifest, and then from the defaults.
    pub(super) fn as_trained(&self, settings: &Value) -> BertTraining {
        let trained = &settings["config"];
        let number = |name: &str, default: f64| trained[name].as_f64().unwrap_or(default);
        let count = |name: &str| trained[name].as_u64().and_then(|count| usize::try_from(count).ok());
        let OptimizerConfig { name, sync_period, slow_step_size } = DEFAULTS.optimizer;
        self.training.or(BertTraining {
            shared: NetworkTraining { rate: number("rate", DEFAULTS.shared.rate), ..DEFAULTS.shared },
            head_rate: number("head_rate", DEFAULTS.head_rate),
            scalar_rate: trained["scalar_rate"].as_f64(),
            batch: count("batch").unwrap_or(DEFAULTS.batch),
            batch_subwords: count("batch_pieces"),
            optimizer: OptimizerConfig {
                name: Optimizer::deserialize(&trained["optimizer"]).unwrap_or(name),
                sync_period: trained["sync_period"].as_u64().unwrap_or(sync_period),
                slow_step_size: number("slow_step_size", slow_step_size),
            },
            ..DEFAULTS
        })
    }

    /// Adapts a model to a text, and returns a new model with the same encoder. A mixed-case spelling in the
    /// text replaces the model's. If the text has words in mixed case and the model has no label for them, the
    /// new model gets such a label, whose weights are initially 0.
    ///
    /// `watch` is informed after each step. The new model follows the protocol of the corpus: after
    /// `asr`, a text continues across the ends of lines.
    ///
    /// # Errors
    /// Fails if the corpus cannot be read, has no examples of case or has other case mappings than the model; if a
    /// setting is out of range; and if the checkpoint belongs to another training, was altered, or cannot be written.
    pub(super) fn adapt_model(
        &self,
        training: BertTraining,
        model: &Bert,
        corpus: &Corpus,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<Bert> {
        let window = Some(model.settings.window);
        let config = &BertConfig { training: self.training.clone(), window, ..BertConfig::default() };
        config.check()?;
        check_locale(corpus, model.cases.locale())?;
        let running = running_text(corpus, model.heads.marks())?;
        let corpus = running.as_ref().unwrap_or(corpus);
        let settings = BertSettings { runs_on: corpus.protocol().runs_on(), ..model.settings.clone() };
        let Bert { config: encoder, subwords, .. } = model;
        let training =
            TaggerTraining { config, training, corpus, encoder, subwords, settings, model: Some(model) };
        training.run(|heads| widened(&model.scorer.weights, heads), threads, watch)
    }
}

/// Returns the weights with heads of these sizes: the weights of new labels are 0.
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
