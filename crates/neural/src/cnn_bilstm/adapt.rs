//! Continues the training of a model on another text.

use std::num::NonZeroUsize;
use std::path::Path;

use super::layout::CnnBilstmLayout;
use super::{CnnBilstmConfig, SubwordSamples, SubwordTraining};
use crate::shared::checkpoint_file::CheckpointFile;
use crate::shared::checks::check_numbers;
use crate::shared::options::{NetworkTraining, NetworkTrainingOptions, TrainingRecord, show_default};
use crate::shared::samples::running_text;
use majuscule_base::error::Result;
use majuscule_methods::model::Store;
use majuscule_methods::network::cnn_bilstm::{NAME, WEIGHTS, read_with};
use majuscule_methods::network::heads::Heads;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Adapted, Adapter, Watch, check_locale, json};

/// The options of the adaptation of a `cnn-bilstm` model.
#[derive(Debug, Clone, PartialEq, clap::Args)]
#[command(mut_args(|arg| show_default(arg, &NetworkTraining::CNN_BILSTM_ADAPTATION)))]
pub struct CnnBilstmAdaptation {
    /// The options of the training.
    #[command(flatten)]
    pub training: NetworkTrainingOptions,
    /// Keep this fraction of the old weights: the result is the weighted mean of the old and the new weights, which is
    /// good on the text of both trainings (Wortsman et al. 2022)
    #[arg(long, value_name = "FRACTION", default_value_t = 0.5)]
    pub keep: f64,
}

majuscule_arguments::default_of_arguments!(CnnBilstmAdaptation);

impl Adapter for CnnBilstmAdaptation {
    fn method(&self) -> &'static str {
        NAME
    }

    fn checkpoint(&self) -> Option<&Path> {
        self.training.checkpoint.as_deref()
    }

    /// Adapts a model to a text, and returns a model in f32 with the same subwords, word vectors, lexicon and labels. A
    /// mixed-case spelling in the text replaces the model's. The weights of a compact model are the start, too.
    fn adapt(
        &self,
        store: &dyn Store,
        corpus: &Corpus,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<Adapted> {
        let (mut parts, weights) = read_with(store, |parts, words, tensors| {
            CnnBilstmLayout::new(parts.settings.shape, words, Heads::of(&parts.labels).sizes()).read(tensors)
        })?;
        let trained = &store.manifest().settings["config"];
        let fraction = |name: &str| trained[name].as_f64().unwrap_or_default();
        let config = CnnBilstmConfig {
            training: self.training.clone(),
            window: parts.settings.window,
            unknown: fraction("unknown"),
            right_context_dropout: fraction("right_context_dropout"),
            ..CnnBilstmConfig::default()
        };
        config.check()?;
        check_numbers(&[("keep", self.keep)], &[], &[])?;
        check_locale(corpus, parts.locale)?;
        let training = self.training.or(NetworkTraining::CNN_BILSTM_ADAPTATION);
        let running = running_text(corpus, Heads::of(&parts.labels).marks())?;
        let corpus = running.as_ref().unwrap_or(corpus);
        // The weights at the start are part of the identity of the training.
        let mut record = json(&TrainingRecord { config: &config, training });
        let start = store.manifest().files.iter().find(|file| file.name == WEIGHTS);
        record["start"] = start.map(|file| file.crc32.as_str()).into();
        let checkpoint = CheckpointFile::new(NAME, &self.training, &record, corpus)?;
        parts.settings.runs_on = corpus.protocol().runs_on();
        parts.settings.in_bytes = false;
        let samples = SubwordSamples::read_for(parts, training.split(corpus))?;
        let subword = SubwordTraining { config: &config, training, checkpoint, samples, keep: self.keep };
        let (parts, weights) = subword.run(|_| weights, threads, watch)?;
        let mut settings = json(&parts.settings);
        // Replaces the setting of a compact model.
        settings["in_bytes"] = false.into();
        let mut config = json(&training);
        config["keep"] = self.keep.into();
        Ok(Adapted { config, settings, labels: None, sections: parts.sections(weights) })
    }
}
