//! Training of the openings of sentences (`¿`), on the running text of the corpus.

use std::num::NonZeroUsize;

use super::dataset::{DataSet, GapData, GapLabels};
use super::marks::{learned_table, pace, settings_of};
use super::size::FeatureLimits;
use crate::corpus::Corpus;
use majuscule_base::error::Result;
use majuscule_methods::maxent::filling::GapSet;
use majuscule_methods::maxent::openings::{OpeningModel, OpeningSettings};
use majuscule_text::{Mark, MarkSet};

/// The number of features of openings: more gain nothing.
pub(super) const FEATURES: usize = 6_000;

/// Returns the marks of a set that have openings in the language of a corpus.
pub(super) fn possible(marks: MarkSet, corpus: &Corpus) -> MarkSet {
    marks.iter().filter(|mark| mark.opening(corpus.language()).is_some()).collect()
}

/// Learns the openings of the marks that a model inserts, from the text of a data set; `None` if
/// the language has none, or the text shows none.
///
/// # Errors
/// If the corpus cannot be read.
pub(super) fn train(
    marks: MarkSet,
    data: &DataSet<'_>,
    threads: NonZeroUsize,
) -> Result<Option<OpeningModel>> {
    let possible = possible(marks, data.corpus);
    if possible.is_empty() {
        return Ok(None);
    }
    let corpus = data.corpus.in_windows()?;
    let (mut missing, mut words): (Vec<Mark>, _) = (possible.iter().collect(), 0);
    corpus.for_each(&mut |example| {
        missing.retain(|&mark| example.gold.iter().all(|gold| gold.opening != mark));
        words += example.tokens.len();
        Ok(())
    })?;
    let openings: MarkSet = possible.iter().filter(|mark| !missing.contains(mark)).collect();
    if openings.is_empty() {
        return Ok(None);
    }
    let clusters = data.gazetteers.clusters.is_some();
    let (features, mut config) = (GapSet::new(clusters), settings_of(data.config));
    let (passes, fraction) = pace(words);
    config.epochs = config.epochs.max(passes);
    // Held-out text may have no opening.
    config.solving.held_out = 0.0;
    let gaps = Some(GapData { features: &features, marks, learned: GapLabels::Openings(openings), fraction });
    let data = DataSet { corpus: &corpus, config: &config, gaps, ..*data };
    let limits = FeatureLimits { trained: FEATURES, kept: FEATURES };
    let (weights, steps) = learned_table(data, threads, limits)?;
    let settings = OpeningSettings { marks: openings, steps, clusters };
    Ok(Some(OpeningModel { weights, settings, features }))
}
