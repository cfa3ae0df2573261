//! Builds a transducer from a cased corpus, or from an existing language model and map of forms.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Serialize;

use super::{MACHINE, Ngram, NgramSettings};
use crate::wfst::{self, BackOff, Machine, Symbols};
use majuscule_base::error::{Error, Result};
use majuscule_lm::forms::check_weight;
use majuscule_methods::gaps::MarkCosts;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::hmm::{LanguageAndMap, LanguageParts};
use majuscule_train::methods::{Learned, Learner, Watch, json};

/// The training configuration of `ngram`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, clap::Args)]
pub struct NgramConfig {
    /// The language model and the map
    #[command(flatten)]
    #[serde(flatten)]
    pub language: LanguageAndMap,
    /// The kind of arcs that back off to shorter n-grams
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub arcs: BackOff,
    /// The exponent of the map's weights, which for a corpus are the relative frequencies of a
    /// word's forms; 0 ignores them, as the paper's T does
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true, default_value_t = NgramConfig::default().map_weight)]
    pub map_weight: f32,
}

impl Learner for NgramConfig {
    fn name(&self) -> &'static str {
        "ngram"
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.language.inputs()
    }

    fn needs_corpus(&self) -> bool {
        self.language.lm.is_none()
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, _: &mut Watch<'_>) -> Result<Learned> {
        let model = train(self, corpus, threads)?;
        let (settings, labels) = (json(model.settings()), model.labels.clone());
        Ok(self.language.learned(self, settings, labels, model.sections()))
    }
}

/// Trains on a corpus, or combines an existing language model and map.
///
/// # Errors
/// Returns an error if the corpus cannot be read or contains no evidence of case, or if the
/// language model cannot be trained.
pub fn train(config: &NgramConfig, corpus: &Corpus, threads: NonZeroUsize) -> Result<Ngram> {
    check_weight("map-weight", config.map_weight)?;
    let make = |part: &Corpus, marks| with_costs(config, marks, part, threads);
    config.language.balanced(corpus, &make, |model| &mut model.settings.marks)
}

fn with_costs(
    config: &NgramConfig,
    marks: Option<MarkCosts>,
    corpus: &Corpus,
    threads: NonZeroUsize,
) -> Result<Ngram> {
    let LanguageParts { model, forms, guesser, mut sections } = config.language.parts(corpus, threads)?;
    let order = model.order() as u8;
    let settings = NgramSettings { arcs: config.arcs, order, map_weight: config.map_weight, marks };
    let machine = Machine::of_model(&model, config.arcs)?;
    let symbols = Symbols::of_model(&model, config.arcs)?;
    let mut file = Vec::new();
    wfst::write(&machine, Some((&symbols, &symbols)), &mut file)
        .map_err(|error| Error::io("write", MACHINE, error))?;
    sections.insert(0, (MACHINE.to_owned(), file));
    let (vocabulary, locale, labels) = (model.vocabulary, corpus.locale(), config.language.labels());
    Ok(Ngram { machine, vocabulary, forms, guesser, settings, locale, labels, sections })
}
