//! Training of the marks after words and of the openings of sentences (`¿`), on the running text of the
//! corpus.

use std::num::NonZeroUsize;

use super::dataset::{DataSet, GapData, GapLabels, shows_marks};
use super::quantisation::Quantised;
use super::size::FeatureLimits;
use super::solving::{Solver, Solving};
use super::trainer::Trainer;
use super::{MaxentConfig, lazy::Penalty, learn};
use crate::corpus::marks::check_taught;
use crate::corpus::{Corpus, Example};
use crate::methods::balance::{best_costs, f_of};
use majuscule_base::error::{Error, Result};
use majuscule_methods::maxent::Maxent;
use majuscule_methods::maxent::filling::GapSet;
use majuscule_methods::maxent::marks::{MarkClasses, MarkModel, MarkSettings, has_rare};
use majuscule_methods::maxent::openings::{OpeningModel, OpeningSettings};
use majuscule_methods::maxent::weights::WeightTable;
use majuscule_text::{Mark, MarkSet};

/// The fraction of windows that are held out when weights are learned, and that decide the costs of
/// marks.
const HELD_OUT: f64 = 0.02;

/// The learning rate relative to the learning rate of cases: marks are less certain than cases. On
/// talks (2.1 M words), half the rate and three passes gave an F about a point higher than one full
/// pass.
const RATE: f32 = 0.4;

/// The number of words for which one pass suffices; a smaller corpus is read up to [`MOST_PASSES`]
/// times.
const ENOUGH: usize = 8_000_000;
const MOST_PASSES: usize = 4;

/// The maximum number of words to learn marks from, since more words gain nothing. From a larger
/// corpus, windows are sampled evenly.
const MOST_WORDS: usize = 16_000_000;

/// The fraction of the features of marks that is reserved for distinguishing rare marks, if these
/// are learned.
const FRACTION_OF_RARE: f64 = 0.15;

/// The largest number of held-out words that decide the costs.
const DECIDING: usize = 100_000;

/// Learns the weights of marks from the text of a data set, and returns windows to [`balance`] them
/// on.
///
/// # Errors
/// If the corpus cannot be read, or lacks marks.
pub(super) fn train(
    marks: MarkSet,
    data: &DataSet<'_>,
    threads: NonZeroUsize,
) -> Result<(MarkModel, Vec<Example>)> {
    let corpus = data.corpus.in_windows()?;
    let clusters = data.gazetteers.clusters.is_some();
    let (features, mut config) = (GapSet::new(clusters), settings_of(data.config));
    let (held_out, words) = held_out(marks, &config, &corpus)?;
    if held_out.is_empty() {
        config.solving.held_out = 0.0;
    }
    let fraction = pace(&mut config, words);
    let size = config.size.features_of_marks(config.mark_size, config.width());
    let table = |classes: MarkClasses, size: FeatureLimits| -> Result<(WeightTable, u32)> {
        let mut config = config.clone();
        if classes == MarkClasses::Rare {
            // Held-out text may have no rare mark.
            config.solving.held_out = 0.0;
        }
        let gaps = Some(GapData { features: &features, marks, learned: GapLabels::Marks(classes), fraction });
        let data = DataSet { corpus: &corpus, config: &config, gaps, ..*data };
        learned_table(data, threads, size)
    };
    let [size, size_of_rare] = if has_rare(marks) { size.shared(FRACTION_OF_RARE) } else { [size; 2] };
    let (weights, steps) = table(MarkClasses::Frequent, size)?;
    let rare = has_rare(marks).then(|| table(MarkClasses::Rare, size_of_rare)).transpose()?;
    let (rare, rare_steps) = rare.unzip();
    let [mark_cost, end_cost] = config.punctuation.checked_costs(marks)?;
    let settings = MarkSettings { marks, steps, rare_steps, clusters, mark_cost, end_cost };
    Ok((MarkModel { weights, rare, settings, features }, held_out))
}

/// Learns the weights of the gaps of a data set, and returns their table and the number of levels that
/// make up a weight of 1.
///
/// # Errors
/// If the corpus cannot be read.
pub(super) fn learned_table(
    data: DataSet<'_>,
    threads: NonZeroUsize,
    size: FeatureLimits,
) -> Result<(WeightTable, u32)> {
    let width = data.config.width();
    let found = learn(&Trainer { data, threads }, size.trained, Penalty::None, None, &mut |_, _| Ok(()))?;
    let Quantised { unit, table, .. } = found.quantised(width, size.kept);
    Ok((WeightTable::open(table.into()).map_err(Error::usage)?, unit))
}

/// Returns the settings that marks are learned with: AdaGrad with shorter steps, and with some
/// windows held out.
fn settings_of(config: &MaxentConfig) -> MaxentConfig {
    let held_out = config.solving.held_out.max(HELD_OUT);
    let solving = Solving { held_out, solver: Solver::Adagrad, weights: None, ..config.solving.clone() };
    MaxentConfig { solving, rate: config.rate * RATE, ..config.clone() }
}

/// Sets the number of passes over a corpus of this many words, and returns the fraction of its windows
/// that training uses.
fn pace(config: &mut MaxentConfig, words: usize) -> f32 {
    let passes = ENOUGH.div_ceil(words.max(1)).min(MOST_PASSES);
    config.epochs = config.epochs.max(passes);
    MOST_WORDS as f32 / words.max(MOST_WORDS) as f32
}

/// Returns true if some text of a corpus shows its marks.
pub(super) fn are_shown(corpus: &Corpus) -> Result<bool> {
    let mut are_shown = false;
    corpus.for_each(&mut |example| {
        are_shown |= shows_marks(example);
        Ok(())
    })?;
    Ok(are_shown)
}

/// Returns the model with the costs of marks in the settings. Costs that the settings lack get the
/// values with the best F on held-out text, or stay 1 without held-out text.
pub(super) fn balance(mut model: Maxent, settings: &MaxentConfig, examples: &[Example]) -> Result<Maxent> {
    let Some(mut marks) = model.settings.marks.clone() else { return Ok(model) };
    if examples.is_empty() {
        return Ok(model);
    }
    let given = settings.punctuation.given_costs();
    let best = best_costs(given, [marks.mark_cost, marks.end_cost], |costs| {
        if let Some(marks) = &mut model.marks {
            [marks.settings.mark_cost, marks.settings.end_cost] = costs;
        }
        f_of(&model, marks.marks, examples)
    })?;
    [marks.mark_cost, marks.end_cost] = best;
    let part = model.marks.take().map(|part| MarkModel { settings: marks, ..part });
    Ok(model.with_marks(part))
}

/// Returns windows that are not used for learning weights, and the number of words of the corpus. A
/// small corpus has no such windows.
///
/// # Errors
/// If the corpus cannot be read, or lacks a mark that is to be learned.
fn held_out(marks: MarkSet, config: &MaxentConfig, corpus: &Corpus) -> Result<(Vec<Example>, usize)> {
    let mut missing: Vec<Mark> = marks.iter().collect();
    let (mut numbers, mut all, mut words, mut examples) = (0.., 0, 0, Vec::new());
    corpus.for_each(&mut |example| {
        if !missing.is_empty() {
            missing.retain(|&mark| example.gold.iter().all(|gold| gold.label.mark.within(marks) != mark));
        }
        all += example.tokens.len();
        let is_held_out = numbers.next().is_some_and(|number| config.solving.holds_out(number));
        if is_held_out && words < DECIDING && shows_marks(example) {
            words += example.tokens.len();
            examples.push(example.clone());
        }
        Ok(())
    })?;
    check_taught(marks, |mark| missing.contains(&mark), &corpus.name())?;
    Ok((examples, all))
}

/// The number of features of openings: more gain nothing.
pub(super) const OPENING_FEATURES: usize = 6_000;

/// Returns the marks of a set that have openings in the language of a corpus.
pub(super) fn possible_openings(marks: MarkSet, corpus: &Corpus) -> MarkSet {
    marks.iter().filter(|mark| mark.opening(corpus.language()).is_some()).collect()
}

/// Learns the openings of the marks that a model inserts, from the text of a data set; `None` if
/// the language has none, or the text shows none.
///
/// # Errors
/// If the corpus cannot be read.
pub(super) fn train_openings(
    marks: MarkSet,
    data: &DataSet<'_>,
    threads: NonZeroUsize,
) -> Result<Option<OpeningModel>> {
    let possible = possible_openings(marks, data.corpus);
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
    let fraction = pace(&mut config, words);
    // Held-out text may have no opening.
    config.solving.held_out = 0.0;
    let gaps = Some(GapData { features: &features, marks, learned: GapLabels::Openings(openings), fraction });
    let data = DataSet { corpus: &corpus, config: &config, gaps, ..*data };
    let limits = FeatureLimits { trained: OPENING_FEATURES, kept: OPENING_FEATURES };
    let (weights, steps) = learned_table(data, threads, limits)?;
    let settings = OpeningSettings { marks: openings, steps, clusters };
    Ok(Some(OpeningModel { weights, settings, features }))
}
