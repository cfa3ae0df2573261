//! A cased corpus in, weights out: multinomial logistic regression by AdaGrad (Duchi et al. 2011).

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::features::{self, Group, Seen};
use super::profile::{Counts, places};
use super::table::Table;
use super::{END, Maxent, Settings, WEIGHTS_EACH, WORD, add};
use crate::corpus::{Corpus, Example, Protocol};
use crate::error::{Error, Result};
use crate::lexicon::build;
use crate::text::{Case, Class, Locale, Mark, Token};

/// How `maxent` is trained.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Config {
    /// The features; all where none is named
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "GROUP,…", value_delimiter = ','))]
    pub features: Vec<Group>,
    /// How many words of right context the features see
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Config::default().look_ahead))]
    pub look_ahead: usize,
    /// How often the corpus is gone over
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Config::default().epochs))]
    pub epochs: usize,
    /// How large the steps are
    #[cfg_attr(feature = "cli", arg(long, value_name = "STEP", default_value_t = Config::default().rate))]
    pub rate: f32,
    /// The binary logarithm of the number of weights that features share
    #[cfg_attr(feature = "cli", arg(long, value_name = "BITS", default_value_t = Config::default().bits))]
    pub bits: u32,
    /// Keep the N features that weigh most, and train those again
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Config::default().size))]
    pub size: usize,
    /// Keep what is known of the N most frequent words
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Config::default().vocabulary))]
    pub vocabulary: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            features: Vec::new(),
            look_ahead: 3,
            epochs: 1,
            rate: 0.1,
            bits: 24,
            size: 1_000_000,
            vocabulary: 100_000,
        }
    }
}

/// Words of a mini-batch, whose gradients are all taken at the same weights: first few, since first steps are long.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 4096;

/// Trains a model.
///
/// # Errors
/// Where the corpus cannot be read or teaches no case, and where the settings cannot be.
pub fn train(config: &Config, corpus: &Corpus, threads: NonZeroUsize) -> Result<Maxent> {
    config.check()?;
    let mut words = count(corpus, threads)?;
    if words.is_empty() {
        return Err(Error::file(corpus.name(), "has no words: expected cased text, a sentence a line"));
    }
    let forms = words.iter().flat_map(|(lower, word)| {
        Class::ALL.into_iter().zip(word.counts.classes.map(f64::from)).map(move |form| (lower.as_str(), form))
    });
    build::check_forms(forms, corpus.locale(), &corpus.name())?;
    let order = most_frequent(&words, config.vocabulary);
    let kept: FxHashSet<&String> = order.iter().collect();
    words.retain(|word, _| kept.contains(word));
    let groups = if config.features.is_empty() { Group::ALL.to_vec() } else { config.features.clone() };
    // Windows run across sentences: there, and only there, an end has to be found.
    let ends = matches!(corpus.protocol(), Protocol::Asr { .. });
    let run = Run { config, groups: &groups, corpus, words: &words, ends, threads };
    // All features first, sharing weights by their hashes; then those that matter, each with weights of its own.
    let mut weights = Weights::hashed(config.bits);
    run.epochs(&mut weights)?;
    let mut weights = Weights::of(weights.chosen(config.size));
    run.epochs(&mut weights)?;
    let (steps, table) = weights.quantised();
    let open = |problem: String| Error::Usage(problem);
    let table = Table::open(table.into()).map_err(open)?;
    let own = order.iter().map(|lower| own(lower, &words[lower].counts, &groups, &table));
    let own = Table::open(Table::build(own).into()).map_err(open)?;
    let settings = Settings {
        version: features::VERSION,
        groups: groups.clone(),
        look_ahead: config.look_ahead,
        steps,
        ends,
    };
    Ok(Maxent::new(table, own, mixed(&order, &words, corpus.locale()), settings, corpus.locale()))
}

/// What a model holds of a word.
fn own(lower: &str, counts: &Counts, groups: &[Group], weights: &Table<WEIGHTS_EACH>) -> (u64, [u8; WORD]) {
    let seen = Seen::of(lower, &Token::default(), counts.profile());
    let (mut features, mut sums) = (Vec::new(), [0; WEIGHTS_EACH]);
    features::own(groups, lower, seen, &mut features);
    add(weights, &features, &mut sums);
    let mut bytes = [0; WORD];
    let (parts, _) = bytes.as_chunks_mut();
    parts[0] = seen.profile.to_le_bytes();
    for (part, sum) in parts[1..].iter_mut().zip(sums) {
        // A word has some dozen features of at most 127 steps each.
        *part = (sum as i16).to_le_bytes();
    }
    (seen.hash, bytes)
}

impl Config {
    fn check(&self) -> Result<()> {
        let problem = match () {
            () if self.look_ahead > features::REACH => {
                format!("look-ahead {}: the features see at most {} words", self.look_ahead, features::REACH)
            }
            () if !(self.rate.is_finite() && self.rate > 0.0) => {
                format!("rate {}: expected a number greater than 0", self.rate)
            }
            () if !(8..=28).contains(&self.bits) => format!("{} bits: expected 8 to 28", self.bits),
            () if self.epochs == 0 => "0 epochs: expected at least 1".to_owned(),
            () if self.size == 0 || self.size > 1 << 28 => {
                format!("{} features: expected 1 to {}", self.size, 1 << 28)
            }
            () => return Ok(()),
        };
        Err(Error::Usage(problem))
    }
}

/// What is counted of a word.
#[derive(Debug, Clone, Default)]
struct Word {
    counts: Counts,
    /// Its spellings in mixed case.
    mixed: BTreeMap<Case, u32>,
}

impl Word {
    fn total(&self) -> u32 {
        self.counts.classes.iter().sum::<u32>() + self.counts.first
    }
}

type Words = FxHashMap<String, Word>;

fn count(corpus: &Corpus, threads: NonZeroUsize) -> Result<Words> {
    let parts = corpus.map_reduce(threads, Words::default, |words, example| {
        let mut before = None;
        let last = example.gold.len() - 1;
        for (at, ((lower, _), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
            let (first, last) = places(before, gold.label, at == last);
            if !words.contains_key(lower) {
                words.insert(lower.to_owned(), Word::default());
            }
            let Some(word) = words.get_mut(lower) else { continue };
            word.counts.add(gold.label.case.class(), first, last);
            if gold.label.case.class() == Class::Mixed {
                *word.mixed.entry(gold.label.case).or_default() += 1;
            }
            before = Some(gold.label);
        }
        Ok(())
    })?;
    let mut all = Words::default();
    for (lower, word) in parts.into_iter().flatten() {
        let sum = all.entry(lower).or_default();
        sum.counts = sum.counts.plus(&word.counts);
        word.mixed.into_iter().for_each(|(case, count)| *sum.mixed.entry(case).or_default() += count);
    }
    Ok(all)
}

/// The most frequent words, and of equally frequent ones those first in the order of their bytes.
fn most_frequent(words: &Words, limit: usize) -> Vec<String> {
    let mut order: Vec<(u32, &String)> = words.iter().map(|(lower, word)| (word.total(), lower)).collect();
    order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    order.truncate(limit);
    order.into_iter().map(|(_, lower)| lower.clone()).collect()
}

/// The most frequent mixed spelling of each word that has one, a line each.
fn mixed(order: &[String], words: &Words, locale: Locale) -> String {
    let mut spellings = Vec::new();
    for lower in order {
        let forms = &words[lower].mixed;
        if let Some((case, _)) = forms.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))) {
            spellings.push(case.applied(lower, locale));
        }
    }
    spellings.sort_unstable();
    spellings.iter().flat_map(|spelling| [spelling, "\n"]).collect()
}

/// A word's part of a batch: its features, and what each class's weights of them move by.
#[derive(Default)]
struct Gradients {
    features: Vec<u64>,
    /// Where the features of each word end, and the gradient that is the same for all of them.
    words: Vec<(u32, Gradient)>,
}

/// By weight.
type Gradient = [f32; WEIGHTS_EACH];

/// What training goes over.
#[derive(Clone, Copy)]
struct Run<'a> {
    config: &'a Config,
    groups: &'a [Group],
    corpus: &'a Corpus,
    words: &'a Words,
    /// Whether the ends of sentences are learned.
    ends: bool,
    threads: NonZeroUsize,
}

impl Run<'_> {
    fn epochs(&self, weights: &mut Weights) -> Result<()> {
        (0..self.config.epochs).try_for_each(|_| self.epoch(weights))
    }

    fn epoch(&self, weights: &mut Weights) -> Result<()> {
        thread::scope(|scope| {
            let (full, batches) = mpsc::sync_channel::<Vec<Example>>(4);
            let corpus = self.corpus;
            let reader = scope.spawn(move || {
                let (mut batch, mut words, mut size) = (Vec::new(), 0, FIRST_BATCH);
                corpus.for_each(&mut |example| {
                    words += example.tokens.len();
                    batch.push(example.clone());
                    if words >= size {
                        words = 0;
                        size = (size + size / 8).min(BATCH);
                        // Nobody listens any more once training failed, which it does not.
                        let _ = full.send(std::mem::take(&mut batch));
                    }
                    Ok(())
                })?;
                let _ = full.send(batch);
                Ok(())
            });
            for batch in batches {
                let gradients = self.gradients(&batch, weights);
                weights.apply(&gradients, self.config.rate, self.threads);
            }
            reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn gradients(&self, batch: &[Example], weights: &Weights) -> Vec<Gradients> {
        let chunks = batch.chunks(batch.len().div_ceil(self.threads.get()).max(1));
        thread::scope(|scope| {
            let workers: Vec<_> =
                chunks.map(|chunk| scope.spawn(move || self.gradients_of(chunk, weights))).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, Gradients>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        })
    }

    fn gradients_of(&self, examples: &[Example], weights: &Weights) -> Gradients {
        let mut gradients = Gradients::default();
        let (mut seen, mut features) = (Vec::new(), Vec::new());
        for example in examples {
            self.seen(example, &mut seen);
            for (at, ((lower, _), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
                if !gold.scored {
                    continue;
                }
                let window = features::window(&seen, at);
                features::extract(self.groups, lower, &window, self.config.look_ahead, &mut features);
                let end = self.ends.then_some(gold.label.mark == Mark::SentenceEnd);
                let gradient = weights.gradient(&features, gold.label.case.class(), end);
                // What is known already moves nothing.
                if gradient.iter().all(|g| g.abs() < 1e-3) {
                    continue;
                }
                gradients.features.extend(&features);
                gradients.words.push((gradients.features.len() as u32, gradient));
            }
        }
        gradients
    }

    /// What is seen of the words of an example, each as if it had not been counted itself.
    fn seen(&self, example: &Example, seen: &mut Vec<Seen>) {
        seen.clear();
        let mut before = None;
        let last = example.gold.len() - 1;
        for (at, ((lower, token), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
            let (first, last) = places(before, gold.label, at == last);
            let counts = self.words.get(lower).map(|word| word.counts).unwrap_or_default();
            let profile = counts.without(gold.label.case.class(), first, last).profile();
            seen.push(Seen::of(lower, token, profile));
            before = Some(gold.label);
        }
    }
}

/// The weights of a feature, and the sums of squared gradients of those for classes and of that for an end.
type Cell = [f32; WEIGHTS_EACH + 2];

/// Weights while they are trained.
struct Weights {
    cells: Vec<Cell>,
    index: Index,
}

/// Where the weights of a feature are.
enum Index {
    /// Where the first so many bits of its hash say, shared with others that have the same. For each cell the feature that
    /// held the majority of its gradients (Boyer & Moore 1991), with its lead.
    Hashed(u32, Vec<(u64, u32)>),
    /// Its place among those chosen: open addressing, with the number of a cell; the length is a power of two.
    Chosen(Vec<(u64, u32)>),
}

/// No cell.
const NONE: u32 = u32::MAX;

impl Index {
    #[inline]
    fn cell(&self, feature: u64) -> u32 {
        match self {
            Self::Hashed(bits, _) => (feature >> (64 - bits)) as u32,
            Self::Chosen(slots) => {
                let mut at = feature as usize & (slots.len() - 1);
                loop {
                    let (found, cell) = slots[at];
                    if cell == NONE || found == feature {
                        return cell;
                    }
                    at = (at + 1) & (slots.len() - 1);
                }
            }
        }
    }
}

impl Weights {
    fn hashed(bits: u32) -> Self {
        Self { cells: vec![Cell::default(); 1 << bits], index: Index::Hashed(bits, vec![(0, 0); 1 << bits]) }
    }

    /// New ones for these features.
    fn of(chosen: Vec<u64>) -> Self {
        let mut slots = vec![(0, NONE); (chosen.len() * 2).next_power_of_two()];
        for (cell, feature) in (0..).zip(&chosen) {
            let mut at = *feature as usize & (slots.len() - 1);
            while slots[at].1 != NONE {
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = (*feature, cell);
        }
        Self { cells: vec![Cell::default(); chosen.len()], index: Index::Chosen(slots) }
    }

    /// The slope of −ln P(class) − ln P(end): how far each weight of the features is from where it should be. `end` is `None`
    /// where ends are not learned.
    #[inline]
    fn gradient(&self, features: &[u64], class: Class, end: Option<bool>) -> Gradient {
        let mut sums = [0.0; WEIGHTS_EACH];
        for &feature in features {
            let Some(cell) = self.cells.get(self.index.cell(feature) as usize) else { continue };
            sums.iter_mut().zip(cell).for_each(|(sum, weight)| *sum += weight);
        }
        let [title, upper, mixed, ending] = sums;
        let sums = [0.0, title, upper, mixed];
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        let mut shares = sums.map(|sum| (sum - most).exp());
        let whole: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= whole);
        shares[class as usize] -= 1.0;
        let ending = end.map_or(0.0, |end| 1.0 / (1.0 + (-ending).exp()) - f32::from(u8::from(end)));
        [shares[1], shares[2], shares[3], ending]
    }

    /// Moves the weights, each thread those of its own range, in the order of the words: the same for any number of threads.
    fn apply(&mut self, gradients: &[Gradients], rate: f32, threads: NonZeroUsize) {
        let size = self.cells.len().div_ceil(threads.get());
        let index = &mut self.index;
        let mut leaders: Vec<&mut [(u64, u32)]> = Vec::new();
        let places = match index {
            Index::Hashed(bits, majority) => {
                leaders.extend(majority.chunks_mut(size));
                Place::Hashed(*bits)
            }
            Index::Chosen(_) => Place::Chosen(index),
        };
        leaders.resize_with(threads.get().max(leaders.len()), Default::default);
        thread::scope(|scope| {
            for ((part, cells), leaders) in self.cells.chunks_mut(size).enumerate().zip(leaders) {
                let start = (part * size) as u32;
                scope.spawn(move || move_cells(gradients, rate, start, cells, leaders, places));
            }
        });
    }
}

/// An [`Index`] without what changes.
#[derive(Clone, Copy)]
enum Place<'a> {
    Hashed(u32),
    Chosen(&'a Index),
}

fn move_cells(
    gradients: &[Gradients],
    rate: f32,
    start: u32,
    cells: &mut [Cell],
    leaders: &mut [(u64, u32)],
    places: Place<'_>,
) {
    let end = start + cells.len() as u32;
    for gradients in gradients {
        let mut from = 0;
        for &(to, gradient) in &gradients.words {
            let squares = [gradient[..END].iter().map(|g| g * g).sum::<f32>(), gradient[END] * gradient[END]];
            for &feature in &gradients.features[from as usize..to as usize] {
                let cell = match places {
                    Place::Hashed(bits) => (feature >> (64 - bits)) as u32,
                    Place::Chosen(index) => index.cell(feature),
                };
                if !(start..end).contains(&cell) {
                    continue;
                }
                let at = (cell - start) as usize;
                if let Some(leader) = leaders.get_mut(at) {
                    match leader {
                        (found, lead) if *found == feature => *lead += 1,
                        (found, lead @ 0) => (*found, *lead) = (feature, 1),
                        (_, lead) => *lead -= 1,
                    }
                }
                let cell = &mut cells[at];
                for (sum, square) in cell[WEIGHTS_EACH..].iter_mut().zip(squares) {
                    *sum += square;
                }
                let step = |sum: f32| rate / (sum.sqrt() + 1e-6);
                let (case, end) = (step(cell[WEIGHTS_EACH]), step(cell[WEIGHTS_EACH + 1]));
                for (weight, g) in cell[..END].iter_mut().zip(gradient) {
                    *weight -= case * g;
                }
                cell[END] -= end * gradient[END];
            }
            from = to;
        }
    }
}

impl Weights {
    /// The `size` features that weigh most, and of equal ones the lower hashes.
    fn chosen(&self, size: usize) -> Vec<u64> {
        let Index::Hashed(_, leaders) = &self.index else { return Vec::new() };
        let score = |cell: &Cell| {
            let weight = |weights: &[f32], sum: f32| {
                weights.iter().fold(0.0f32, |most, weight| most.max(weight.abs())) * sum.sqrt().sqrt()
            };
            weight(&cell[..END], cell[WEIGHTS_EACH]).max(weight(&cell[END..=END], cell[WEIGHTS_EACH + 1]))
        };
        let mut found: Vec<(f32, u64)> = self
            .cells
            .iter()
            .zip(leaders)
            .filter(|(_, (feature, _))| *feature != 0)
            .map(|(cell, (feature, _))| (score(cell), *feature))
            .collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(size);
        found.into_iter().map(|(_, feature)| feature).collect()
    }

    /// How many steps a weight of 1 has, so that the largest has at most 127, and the weights in such steps. Those of no step
    /// are left out.
    fn quantised(&self) -> (u32, Vec<u8>) {
        let Index::Chosen(slots) = &self.index else { return (1, Vec::new()) };
        let weights = |cell: &Cell| [cell[0], cell[1], cell[2], cell[3]];
        let most = self.cells.iter().flat_map(weights).fold(0.0f32, |most, weight| most.max(weight.abs()));
        let unit = (127.0 / most.clamp(0.1, LARGEST)) as u32;
        let steps = |cell: &Cell| {
            weights(cell).map(|weight| (weight * unit as f32).round().clamp(-127.0, 127.0) as i8 as u8)
        };
        let mut found: Vec<(u64, [u8; WEIGHTS_EACH])> = slots
            .iter()
            .filter(|(_, cell)| *cell != NONE)
            .map(|&(feature, cell)| (feature, steps(&self.cells[cell as usize])))
            .filter(|(_, steps)| *steps != [0; WEIGHTS_EACH])
            .collect();
        found.sort_unstable();
        (unit, Table::build(found.into_iter()))
    }
}

/// A larger weight counts as one of this size: e to it is certainty, and small weights then keep fine steps.
const LARGEST: f32 = 6.0;

#[cfg(test)]
mod tests {
    use super::super::CLASSES;
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use crate::restorer::{Restorer, Want};
    use crate::text::Tokens;
    use proptest::prelude::*;

    /// −ln of the probability of a class and of an end or none, as it is written down.
    fn loss(cells: &[Cell], class: usize, end: bool) -> f64 {
        let sum = |at: usize| cells.iter().map(|cell| f64::from(cell[at])).sum::<f64>();
        let sums = [0.0, sum(0), sum(1), sum(2)];
        let whole: f64 = sums.iter().map(|sum| sum.exp()).sum();
        let sign = if end { -1.0 } else { 1.0 };
        whole.ln() - sums[class] + (sign * sum(END)).exp().ln_1p()
    }

    proptest! {
        #[test]
        fn the_gradient_is_the_slope_of_the_loss(
            features in prop::collection::btree_set(any::<u64>(), 1..6),
            values in prop::collection::vec(-2.0f32..2.0, 24),
            class in 0..CLASSES,
            end: bool,
        ) {
            let features: Vec<u64> = features.into_iter().collect();
            let mut weights = Weights::of(features.clone());
            for (cell, values) in weights.cells.iter_mut().zip(values.chunks(WEIGHTS_EACH)) {
                cell[..WEIGHTS_EACH].copy_from_slice(values);
            }
            let gradient = weights.gradient(&features, Class::ALL[class], Some(end));
            for (at, gradient) in gradient.iter().enumerate() {
                const SMALL: f32 = 1e-2;
                let moved = |by: f32| {
                    let mut cells = weights.cells.clone();
                    cells[0][at] += by;
                    loss(&cells, class, end)
                };
                let slope = (moved(SMALL) - moved(-SMALL)) / f64::from(2.0 * SMALL);
                prop_assert!((slope - f64::from(*gradient)).abs() < 1e-3, "{} {}", slope, gradient);
            }
        }
    }

    /// AdaGrad as it is written down, a map of weights and one word at a time: the slow twin.
    fn plain(words: &[(Vec<u64>, usize)], rate: f32) -> BTreeMap<u64, [f32; CLASSES]> {
        let mut weights: BTreeMap<u64, [f32; CLASSES]> = BTreeMap::new();
        for (features, class) in words {
            let mut sums = [0.0f32; CLASSES];
            for feature in features {
                let cell = weights.entry(*feature).or_default();
                (1..CLASSES).for_each(|class| sums[class] += cell[class - 1]);
            }
            let whole: f32 = sums.iter().map(|sum| sum.exp()).sum();
            let gradient: Vec<f32> =
                (1..CLASSES).map(|at| sums[at].exp() / whole - f32::from(u8::from(at == *class))).collect();
            for feature in features {
                let cell = weights.entry(*feature).or_default();
                cell[CLASSES - 1] += gradient.iter().map(|g| g * g).sum::<f32>();
                let step = rate / (cell[CLASSES - 1].sqrt() + 1e-6);
                gradient.iter().enumerate().for_each(|(at, g)| cell[at] -= step * g);
            }
        }
        weights
    }

    #[test]
    fn weights_move_as_in_the_plain_twin() {
        let words: Vec<(Vec<u64>, usize)> =
            (0..200u64).map(|i| (vec![1, 2 + i % 3, 5 + i % 7, 12 + i % 5], (i % 7 % 4) as usize)).collect();
        let features: Vec<u64> = (1..17).collect();
        let mut weights = Weights::of(features.clone());
        for (features, class) in &words {
            let gradient = weights.gradient(features, Class::ALL[*class], None);
            let gradients =
                Gradients { features: features.clone(), words: vec![(features.len() as u32, gradient)] };
            weights.apply(&[gradients], 0.1, NonZeroUsize::MIN);
        }
        let twin = plain(&words, 0.1);
        for feature in features {
            let (found, twin) = (weights.cells[weights.index.cell(feature) as usize], twin[&feature]);
            for (found, twin) in found[..END].iter().zip(twin) {
                assert!((found - twin).abs() < 1e-4, "{feature}: {found} {twin}");
            }
        }
    }

    #[test]
    fn neighbours_decide() {
        let text = "They told us here.\nThey saw the US army.\n".repeat(200);
        let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root);
        let config = Config { bits: 12, ..Config::default() };
        let model = train(&config, &corpus, NonZeroUsize::MIN).unwrap();
        let case = |words: &str| {
            let tokens = Tokens::of_words(words.split(' '), Locale::Root);
            let at = words.split(' ').position(|word| word == "us").unwrap();
            model.restore_batch(&[tokens], Want::default()).unwrap()[0][at].label.case
        };
        assert_eq!(case("they told us here"), Case::Lower);
        assert_eq!(case("we saw the us army"), Case::Upper);
    }

    #[test]
    fn in_windows_the_ends_of_sentences_are_found() {
        let text = "They met in Lisbon today. She left early.\n".repeat(300);
        let protocol = Protocol::Asr { window: NonZeroUsize::new(20).unwrap() };
        let corpus =
            Corpus::of_text(&text, Reading { split: true, ..Reading::default() }, protocol, Locale::Root);
        let config = Config { bits: 12, look_ahead: 1, ..Config::default() };
        let model = train(&config, &corpus, NonZeroUsize::MIN).unwrap();
        let tokens = Tokens::of_words("they met in lisbon today she left early".split(' '), Locale::Root);
        let choices = model.restore_batch(&[tokens], Want::default()).unwrap().remove(0);
        let ends: Vec<bool> = choices.iter().map(|choice| choice.label.mark == Mark::SentenceEnd).collect();
        assert_eq!(ends, [false, false, false, false, true, false, false, true]);
        assert_eq!(choices[5].label.case, Case::Title);
        assert_eq!(choices[1].label.case, Case::Lower);
    }

    #[test]
    fn settings_that_cannot_be_are_refused() {
        let corpus = Corpus::of_text("He saw Lisbon.", Reading::default(), Protocol::Text, Locale::Root);
        for config in [
            Config { look_ahead: 9, ..Config::default() },
            Config { rate: f32::NAN, ..Config::default() },
            Config { rate: -1.0, ..Config::default() },
            Config { bits: 60, ..Config::default() },
            Config { epochs: 0, ..Config::default() },
            Config { size: 0, ..Config::default() },
        ] {
            assert!(matches!(train(&config, &corpus, NonZeroUsize::MIN), Err(Error::Usage(_))), "{config:?}");
        }
    }
}
