//! A cased corpus in, its language model and the map of its forms out, to be made a transducer of; or files of both made
//! before.

use std::num::NonZeroUsize;

use serde::Serialize;

use super::{MACHINE, Ngram, Settings};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::lm::forms::check_weight;
use crate::methods::hmm::Language;
use crate::search::wfst::{self, BackOff, Machine, Symbols};
use crate::text::Labels;

/// How `ngram` is trained.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Config {
    /// The language model and the map
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub language: Language,
    /// What the arcs are by which the transducer goes to shorter n-grams
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "KIND", default_value_t))]
    pub arcs: BackOff,
    /// How much the numbers of the map count, which for a corpus are the shares of a word's forms; 0 is the paper's T, which
    /// has none
    #[cfg_attr(feature = "cli", arg(long, value_name = "WEIGHT", allow_negative_numbers = true, default_value_t = Config::default().map_weight))]
    pub map_weight: f32,
}

/// Trains on a corpus, or puts a model and a map made before together.
///
/// # Errors
/// Where the corpus cannot be read, or shows nothing about case; and those of the language model.
pub fn train(config: &Config, corpus: &Corpus, threads: NonZeroUsize) -> Result<Ngram> {
    check_weight("--map-weight", config.map_weight)?;
    let parts = config.language.parts(corpus, threads)?;
    let order = parts.model.order() as u8;
    let settings = Settings { arcs: config.arcs, order, map_weight: config.map_weight };
    let machine = Machine::of_model(&parts.model, config.arcs)?;
    let symbols = Symbols::of_model(&parts.model, config.arcs)?;
    let mut file = Vec::new();
    wfst::write(&machine, Some((&symbols, &symbols)), &mut file)
        .map_err(|error| Error::io("write", MACHINE, error))?;
    let mut sections = parts.sections;
    sections.insert(0, (MACHINE.to_owned(), file));
    let vocabulary = parts.model.vocabulary().clone();
    let held = (parts.forms, parts.guesser);
    let model = Ngram::new(machine, vocabulary, held, settings, corpus.locale(), Labels::cases());
    Ok(Ngram { sections, ..model })
}
