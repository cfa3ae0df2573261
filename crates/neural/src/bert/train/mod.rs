//! Trains a tagger on a cased corpus, from a pretrained encoder: first the head, then all layers.

mod adam;
mod adapt;
mod checkpoint;
mod config;
mod dropout;
#[cfg(test)]
mod layer_tests;
mod lookahead;
mod loss;
mod passes;
mod pretrained;
mod samples;
mod schedule;
#[cfg(test)]
mod mark_tests;
#[cfg(test)]
mod tests;
mod threads;
mod trainer;

use std::num::NonZeroUsize;

use candle_core::Result as Computed;

use super::config::EncoderConfig;
use super::tokenize::HuggingFaceTokenizer;
use super::weights::TensorMap;
use super::{Bert, BertSettings, TensorScorer, device, failed, names};
use crate::shared::heads::{HeadSizes, Heads};
use crate::shared::options::TrainingRecord;
use crate::shared::samples::running_text;
use crate::shared::train_loop::{TrainLoop, TrainPosition, TrainSetup};
pub use adapt::BertAdaptation;
use checkpoint::BertCheckpoint;
pub use config::{BertConfig, BertTraining, BertTrainingOptions};
pub use loss::LossConfig;
use majuscule_base::error::Result;
use majuscule_methods::spellings::ClassCases;
use majuscule_text::Tokens;
use majuscule_text::restorer::Request;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::Watch;
pub use pretrained::LayerConfig;
use pretrained::{Pretrained, keep_subwords};
pub use schedule::Schedule;
use trainer::{TaggerState, TaggerTrainer};

/// Trains a model, and reports progress after each step. The checkpoint file remains, and resuming from it returns
/// the same model at once. The caller should remove it when the model is saved.
///
/// # Errors
/// Fails if the encoder cannot be used; if the corpus cannot be read or teaches no case; if a
/// setting is out of range; and if the checkpoint belongs to another training, was altered, or
/// cannot be written.
pub fn train(
    config: &BertConfig,
    corpus: &Corpus,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<Bert> {
    config.check()?;
    let training = config.record().training;
    let mut pretrained = Pretrained::read(&config.encoder)?;
    let window = config.window(pretrained.config.longest())?;
    pretrained = config.layers.applied(pretrained, &config.encoder, training.shared.seed)?;
    if config.keep_subwords {
        pretrained = keep_subwords(pretrained, corpus)?;
    }
    let Pretrained { config: encoder, subwords, weights } = pretrained;
    let kept_subwords = config.keep_subwords.then_some(encoder.vocab_size);
    let running = running_text(corpus, config.heads.learned()?.marks)?;
    let corpus = running.as_ref().unwrap_or(corpus);
    let (runs_on, labelled_subword) = (corpus.protocol().runs_on(), config.labelled_subword);
    let settings =
        BertSettings { window, runs_on, kept_subwords, labelled_subword, costs: None, in_bytes: false };
    let init = |heads| trainer::init_weights(weights, &encoder, heads, training.shared.seed);
    let training = TaggerTraining {
        config,
        training,
        corpus,
        encoder: &encoder,
        subwords: &subwords,
        settings,
        model: None,
    };
    training.run(init, threads, watch)
}

/// The training of a new tagger, or of an existing one.
struct TaggerTraining<'a> {
    config: &'a BertConfig,
    training: BertTraining,
    corpus: &'a Corpus,
    encoder: &'a EncoderConfig,
    subwords: &'a HuggingFaceTokenizer,
    settings: BertSettings,
    /// The model to adapt, if there is one.
    model: Option<&'a Bert>,
}

impl TaggerTraining<'_> {
    /// Trains the weights that `init` makes for the sizes of the heads.
    fn run(
        self,
        init: impl FnOnce(HeadSizes) -> Computed<TensorMap>,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<Bert> {
        let Self { config, training, corpus, encoder, subwords, settings, model } = self;
        let options = &config.training;
        let device = device::open(options.device)?;
        device::round_products(!config.precision.is_default());
        let checkpoint = BertCheckpoint::new(&options.shared, &TrainingRecord { config, training }, corpus)?;
        let split = training.shared.split(corpus);
        let dataset = samples::read(&config.heads, split, subwords, &settings, model)?;
        let heads = Heads::of(&dataset.labels).sizes();
        let weights = init(heads).map_err(failed)?;
        let checkpoint = checkpoint
            .map(|checkpoint| checkpoint.of(dataset.digest, &weights))
            .transpose()
            .map_err(failed)?;
        let shapes = names::tagger_shapes(encoder, heads);
        let saved = checkpoint.as_ref().map(|checkpoint| checkpoint.read(&shapes)).transpose()?.flatten();
        let (state, position) = match saved {
            Some(saved) => saved,
            None => (TaggerState::new(weights).map_err(failed)?, TrainPosition::default()),
        };
        let model = |weights| {
            Ok(Bert {
                scorer: TensorScorer::new(weights, encoder, subwords.special.padding).map_err(failed)?,
                config: encoder.clone(),
                subwords: subwords.clone(),
                cases: ClassCases::new(dataset.mixed.clone(), corpus.locale(), str::to_owned),
                settings: settings.clone(),
                heads: Heads::of(&dataset.labels),
                labels: dataset.labels.clone(),
            })
        };
        let trainer = TaggerTrainer {
            training,
            precision: config.precision,
            encoder,
            padding: subwords.special.padding,
            heads,
            losses: loss::of_heads(config.loss, &dataset.train, heads),
            threads,
            checkpoint: checkpoint.as_ref(),
            model: &model,
            state: state.on(&device).map_err(failed)?,
            tagger: None,
        };
        let setup = TrainSetup {
            dataset: &dataset,
            options: &options.shared,
            training: training.shared,
            batch: training.batch_size(),
            threads,
        };
        let best = TrainLoop { trainer, position, setup }.run(watch)?;
        let mut model = model(best)?;
        let request = Request { marks: model.heads.marks(), threads, ..Request::default() };
        let scored = |documents: &[Tokens], request| model.scored(documents, request);
        let choices = |words: &Vec<_>, costs, request| model.decoded(words, costs, request);
        model.settings.costs = config.heads.costs(request, &dataset.held_out, scored, choices)?;
        Ok(model)
    }
}
