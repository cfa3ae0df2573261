//! Trains a part-of-speech tagger on treebanks, with the trainer for cases and marks, and measures
//! its accuracy.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use serde::Serialize;

use super::dataset::DataSet;
use super::marks::learned_table;
use super::size::ModelSize;
use super::{MaxentConfig, WordTallies};
use crate::corpus::treebank::Treebank;
use crate::corpus::{Corpus, Example, Protocol, Reading};
use crate::methods::Learned;
use majuscule_base::error::{Error, Result};
use majuscule_methods::maxent::filling::FeatureSet;
use majuscule_methods::maxent::gazetteers::Gazetteers;
use majuscule_methods::maxent::observe::tags;
use majuscule_methods::maxent::tagger::{METHOD, TaggedWords, Tagger, TaggerSettings};
use majuscule_methods::maxent::templates::VERSION;
use majuscule_methods::model::{Draft, Training};
use majuscule_text::Labels;

/// The settings for training a tagger.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct TaggerConfig {
    /// The number of passes over the treebank
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub epochs: usize,
    /// The learning rate
    #[arg(long, value_name = "STEP", default_value_t = 0.2)]
    pub rate: f32,
    /// Keep the N features with the largest weights, and train those again
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    pub size: usize,
}

majuscule_arguments::default_of_arguments!(TaggerConfig);

/// The binary logarithm of the number of hashed weights, which suffices for a treebank of a million
/// words.
const BITS: u32 = 22;

/// Trains a tagger on the single sentences and on the running text of a treebank. `files` are the names
/// under which the manifest lists the treebank's files. The tagger does not depend on the number of
/// threads.
///
/// # Errors
/// If the settings are invalid.
pub fn train_tagger(
    config: &TaggerConfig,
    treebank: &Treebank,
    language: &str,
    files: Vec<String>,
    threads: NonZeroUsize,
) -> Result<Draft> {
    let settings = MaxentConfig {
        epochs: config.epochs,
        rate: config.rate,
        bits: BITS,
        size: ModelSize::Features(config.size),
        right_context_dropout: 0.0,
        ..MaxentConfig::default()
    };
    settings.check()?;
    let locale = treebank.locale();
    let examples = mixed(treebank);
    let words: BTreeSet<&str> =
        examples.iter().flat_map(|example| example.tokens.iter().map(|(lower, _)| lower)).collect();
    let (set, gazetteers, tallies) = (FeatureSet::of_tags(), Gazetteers::default(), WordTallies::default());
    let corpus = Corpus::of_text("", Reading::default(), Protocol::Text, locale);
    let data = DataSet {
        config: &settings,
        set: &set,
        corpus: &corpus,
        words: &tallies,
        model: None,
        gazetteers: &gazetteers,
        begins: false,
        gaps: None,
        tagged: Some(&examples),
    };
    let size = settings.size.features_of_marks(None, settings.width());
    let (weights, _) = learned_table(data, threads, size)?;
    let sections = vec![Tagger::new(weights).section(), TaggedWords::new(words.into_iter())?.section()];
    let learned = Learned::new(&TaggerSettings { version: VERSION }, config, &Labels::cases(), sections);
    let trained_on = Training { files, protocol: Protocol::Text.to_string() };
    Ok(learned.draft(METHOD, language, locale, trained_on))
}

/// Returns single sentences and running text alternately, so that no pass ends with only one kind.
fn mixed(treebank: &Treebank) -> Vec<Example> {
    let (alone, running) = (treebank.alone(), treebank.running());
    let each = alone.len().div_ceil(running.len().max(1)).max(1);
    let mut alone = alone.into_iter();
    let mut examples = Vec::new();
    for text in running {
        examples.extend(alone.by_ref().take(each));
        examples.push(text);
    }
    examples.extend(alone);
    examples
}

/// The accuracy of a tagger on the words of a treebank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TagAccuracy {
    /// The number of words.
    pub words: u64,
    /// The number of words with the right part of speech.
    pub right: u64,
    /// The number of words that the tagger was not trained on.
    pub unseen: u64,
    /// The number of these words with the correct part of speech.
    pub unseen_right: u64,
}

/// Counts the correct parts of speech that a tagger assigns to the words of some examples.
///
/// # Errors
/// If the examples have no words.
pub fn tag_accuracy(tagger: Tagger, known: &TaggedWords, examples: &[Example]) -> Result<TagAccuracy> {
    let gazetteers = Gazetteers { tagger: Some(tagger), ..Gazetteers::default() };
    let mut sums = TagAccuracy::default();
    for example in examples {
        let found = tags(&gazetteers, &example.tokens);
        for (((lower, _), gold), found) in example.tokens.iter().zip(&example.gold).zip(found) {
            let (is_right, is_unseen) = (found == gold.tag, !known.has(lower));
            sums.words += 1;
            sums.right += u64::from(is_right);
            sums.unseen += u64::from(is_unseen);
            sums.unseen_right += u64::from(is_unseen && is_right);
        }
    }
    match sums.words {
        0 => Err(Error::usage("there are no words to tag: expected a treebank")),
        _ => Ok(sums),
    }
}
