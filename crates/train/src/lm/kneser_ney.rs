//! Turns counts into probabilities and back-off weights.
//!
//! Interpolated modified Kneser-Ney (Chen & Goodman 1998, discounts of equation 26), and other
//! smoothings of the same shape: the mass discounted from the counts of a history goes to the
//! shorter history. 1-grams are interpolated with a uniform distribution over all words, including
//! `<unk>` and `</s>` but not `<s>`.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use serde::Serialize;

use super::count::{GramRows, Grams, Key, Scattered, Wide, is_padded, lower, word_bits};
use super::counts::wrong_order;
use super::sink::{Arpa, ModelSink, log10_of};
use super::spill::{Memory, Numbers};
pub use super::words::JobStage;
use super::words::{KnownWords, TrainingText, VocabularyPart, WordUnits};
use crate::corpus::Corpus;
use majuscule_base::error::{Error, Result, option};
use majuscule_lm::arpa::ArpaWriter;
use majuscule_lm::table::NgramTableBuilder;
use majuscule_lm::vocab::{Vocabulary, WordId};
use majuscule_lm::{MAX_ORDER, NgramModel};

/// The settings for training a language model.
///
/// All verbs that train a model share the command-line arguments of these settings; each verb sets
/// the skipped fields by its own arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
// clap names argument groups by their type, and methods flatten this type into their own settings.
#[derive(clap::Args)]
#[group(skip)]
pub struct KneserNeyConfig {
    /// The length of the longest n-grams, from 1 to 7
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub order: usize,
    /// The smoothing method, which reserves probability for unseen n-grams
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub smoothing: Smoothing,
    /// Back off to shorter histories only for unseen n-grams, instead of interpolating all of them
    #[arg(long)]
    pub back_off: bool,
    /// For each order, the lowest raw count that an n-gram needs to be kept: 1,5,5 drops n-grams of
    /// orders 2 and up that were seen fewer than five times. The last value holds for all higher
    /// orders; discounts are computed before any n-gram is dropped
    #[arg(long = "min-count", value_name = "N,…", value_delimiter = ',')]
    #[serde(rename = "min_count")]
    pub min_counts: Vec<u32>,
    /// The discounts for counts 1, 2 and more of an order that has too few counts to estimate them.
    #[arg(skip)]
    #[serde(skip)]
    pub fallback: Option<[f64; 3]>,
    /// The words that the model knows.
    #[arg(skip)]
    #[serde(skip)]
    pub known: KnownWords,
    /// The treatment of n-grams with out-of-vocabulary words.
    #[arg(skip)]
    #[serde(skip)]
    pub unknown: UnknownNgrams,
    /// The units that count as words.
    #[arg(skip)]
    #[serde(skip)]
    pub tokens: WordUnits,
}

majuscule_arguments::default_of_arguments!(KneserNeyConfig);

/// The smoothing methods of a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[derive(clap::ValueEnum)]
pub enum Smoothing {
    /// Kneser & Ney with three discounts per order (Chen & Goodman 1998)
    #[default]
    ModifiedKneserNey,
    /// Kneser & Ney 1995 with one discount per order
    KneserNey,
    /// Witten & Bell 1991: reserves mass in proportion to the number of distinct words after a
    /// history
    WittenBell,
    /// Katz 1987 with Good-Turing discounts of counts up to 7; always backs off
    GoodTuring,
}

/// The treatment of n-grams with out-of-vocabulary words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum UnknownNgrams {
    /// Out-of-vocabulary words are counted as the unknown word
    #[default]
    Count,
    /// N-grams are counted as they are and then removed, and their mass is backed off, as by lmplz
    /// --limit_vocab_file
    Prune,
}

/// Trains a model.
///
/// # Errors
/// If the corpus cannot be read or has no words, if the settings are invalid, or if there are too
/// few n-grams to estimate discounts.
pub fn train(config: &KneserNeyConfig, corpus: &Corpus, threads: NonZeroUsize) -> Result<NgramModel> {
    config.check()?;
    TrainingText::read(corpus, config.tokens, threads, &Memory::unlimited())?.train(config, &mut |_| Ok(()))
}

impl TrainingText {
    /// Trains a model in memory. `config.tokens` is ignored, since the text is already split into
    /// words.
    ///
    /// # Errors
    /// If the settings are invalid, if there are too few n-grams to estimate discounts, or if a
    /// temporary file cannot be written.
    pub fn train(
        self,
        config: &KneserNeyConfig,
        progress: &mut dyn FnMut(JobStage) -> Result<()>,
    ) -> Result<NgramModel> {
        let vocabulary = self.numbered(&config.known, config.unknown == UnknownNgrams::Prune)?;
        let builder = |counts: &[usize], words: &[f64]| {
            let log10 = (0..).map(WordId).zip(words).map(|(word, &p)| (log10_of(&[word], p), 0.0));
            NgramTableBuilder::new(counts.len(), log10.collect::<Vec<_>>().into_iter())
        };
        let builder = self.estimate(config, &vocabulary, builder, progress)?;
        let (vocabulary, _, known) = vocabulary;
        Ok(NgramModel::new(first_words(vocabulary, known), builder.finish()))
    }

    /// Writes the ARPA file of the model that [`TrainingText::train`] trains, order by order, so
    /// that the model is never held in memory. `refused` turns the errors of `out` into errors of
    /// the library.
    ///
    /// # Errors
    /// Like [`TrainingText::train`], and if `out` cannot be written.
    pub fn write_arpa(
        self,
        config: &KneserNeyConfig,
        out: &mut dyn Write,
        refused: &dyn Fn(io::Error) -> Error,
        progress: &mut dyn FnMut(JobStage) -> Result<()>,
    ) -> Result<()> {
        let vocabulary = self.numbered(&config.known, config.unknown == UnknownNgrams::Prune)?;
        let arpa = self.estimate(
            config,
            &vocabulary,
            |counts, _| Arpa { lines: ArpaWriter::new(counts, &vocabulary.0, out), refused },
            progress,
        );
        arpa?.lines.end().map_err(refused)
    }

    /// Passes the model to the sink that `sink` returns, given the number of n-grams of each order
    /// and p of every word.
    fn estimate<S: ModelSink>(
        self,
        config: &KneserNeyConfig,
        (vocabulary, numbers, known): &(Vocabulary, Vec<u32>, u32),
        sink: impl FnOnce(&[usize], &[f64]) -> S,
        progress: &mut dyn FnMut(JobStage) -> Result<()>,
    ) -> Result<S> {
        config.check()?;
        self.check_order(config.order)?;
        let bits = word_bits(vocabulary.len());
        let words = vocabulary.len() as u32;
        let Self { name, parts, memory, .. } = self;
        let job = Estimation { config, name, bits, words, known: *known, memory };
        match bits * config.order as u32 {
            0..=64 => job.run::<u64, S>(parts, numbers, sink, progress),
            65..=128 => job.run::<u128, S>(parts, numbers, sink, progress),
            _ => job.run::<Wide, S>(parts, numbers, sink, progress),
        }
    }
}

/// Returns the first `count` words of a vocabulary.
fn first_words(all: Vocabulary, count: u32) -> Vocabulary {
    if all.len() == count as usize {
        return all;
    }
    let mut first = Vocabulary::new();
    first.extend(all.iter().take(count as usize));
    first
}

impl KneserNeyConfig {
    /// Refuses invalid settings.
    ///
    /// # Errors
    /// If the settings are invalid.
    pub fn check(&self) -> Result<()> {
        let above = |(most, discount): (u8, f64)| !(0.0..=f64::from(most)).contains(&discount);
        let are_discounted = matches!(self.smoothing, Smoothing::KneserNey | Smoothing::ModifiedKneserNey);
        let problem = match self.fallback {
            _ if !(1..=MAX_ORDER).contains(&self.order) => return Err(wrong_order(self.order)),
            _ if self.min_counts.len() > self.order => {
                return Err(Error::usage(format!(
                    "cut-offs for {} orders, but the model has {}: give one per order",
                    self.min_counts.len(),
                    self.order
                )));
            }
            _ if self.min_counts.first().is_some_and(|&count| count > 1) => {
                "the cut-off of 1-grams leaves words out: limit the vocabulary instead"
            }
            _ if !self.min_counts.is_sorted() => {
                "a cut-off is lower than the cut-off of the previous order: give cut-offs that do not decrease"
            }
            Some(_) if !are_discounted => "fallback discounts are for kneser-ney and modified-kneser-ney",
            Some(fallback) if (1..).zip(fallback).any(above) => {
                "the discounts are subtracted from the counts 1, 2 and 3: expected values from 0 to these counts"
            }
            _ => return Ok(()),
        };
        Err(Error::usage(problem))
    }

    fn min_count(&self, order: usize) -> u32 {
        match order {
            1 => 0,
            _ => self.min_counts.get(order - 1).or(self.min_counts.last()).copied().unwrap_or(0),
        }
    }
}

/// The inputs of an estimation.
struct Estimation<'a> {
    config: &'a KneserNeyConfig,
    name: String,
    bits: u32,
    /// The number of words; `known` is the number of words that the model knows.
    words: u32,
    known: u32,
    memory: Memory,
}

/// The statistics of an order that are needed before it is estimated.
struct OrderStats {
    /// The number of n-grams with each count.
    times: [u64; 9],
    /// The number of n-grams; `stay` is the number of n-grams that are kept.
    len: usize,
    stay: usize,
}

/// An n-gram, given its context.
pub(super) struct Child {
    /// The last word.
    pub(super) word: u32,
    count: u32,
    /// True if the n-gram is kept.
    pub(super) stays: bool,
    /// The probability of the n-gram without its first word.
    suffix: f64,
    /// The probability of the n-gram, once it is known.
    pub(super) p: f64,
}

impl Estimation<'_> {
    fn run<K: Key, S: ModelSink>(
        &self,
        parts: Vec<VocabularyPart>,
        numbers: &[u32],
        sink: impl FnOnce(&[usize], &[f64]) -> S,
        progress: &mut dyn FnMut(JobStage) -> Result<()>,
    ) -> Result<S> {
        let order = self.config.order;
        let highest = TrainingText::count::<K>(parts, order, numbers, self.bits, &self.memory, progress)?;
        let mut orders =
            lower(highest, order, self.bits, &self.memory, &mut |order| progress(JobStage::Order(order)))?;
        orders[0] = orders[0].take(&self.memory).with_every_word(self.words, self.bits, &self.memory)?;
        let stats = (1..).zip(&orders).map(|(n, grams)| self.stats(n, grams)).collect::<Result<Vec<_>>>()?;
        let counts: Vec<usize> = stats.iter().map(|stats| stats.stay).collect();
        progress(JobStage::Estimating(1))?;
        let words = self.words(&orders[0], &stats[0])?;
        let mut sink = sink(&counts, &words);
        let mut values = Numbers::new(&self.memory);
        words.into_iter().try_for_each(|p| values.push(p))?;
        for n in 2..=order {
            progress(JobStage::Estimating(n))?;
            values = self.order(n, &mut orders, &stats[n - 1], values, &mut sink)?;
        }
        if S::WANTS_HIGHEST {
            sink.begin_order(stats[order - 1].stay);
            self.highest(&orders[order - 1], values, &mut sink)?;
        }
        Ok(sink)
    }

    fn stats<K: Key>(&self, n: usize, grams: &Grams<K>) -> Result<OrderStats> {
        let mut stats = OrderStats { times: [0; 9], len: 0, stay: 0 };
        let mut rows = grams.rows();
        while rows.advance_counted(n as u32, self.bits)? {
            if let Some(times) = stats.times.get_mut(self.count(n, &rows) as usize) {
                *times += 1;
            }
            stats.len += 1;
            stats.stay += usize::from(self.stays(n, &rows));
        }
        Ok(stats)
    }

    /// Returns the count that the smoothing uses.
    #[inline]
    fn count<K: Key>(&self, n: usize, rows: &GramRows<K>) -> u32 {
        match self.config.smoothing {
            Smoothing::ModifiedKneserNey | Smoothing::KneserNey => rows.adjusted(n as u32, self.bits),
            Smoothing::WittenBell | Smoothing::GoodTuring => rows.seen,
        }
    }

    /// Returns true if an n-gram is kept; then all its prefixes and suffixes are kept too.
    #[inline]
    fn stays<K: Key>(&self, n: usize, rows: &GramRows<K>) -> bool {
        rows.seen >= self.config.min_count(n)
            && (self.known == self.words
                || (0..n as u32).all(|at| rows.key.shift(at * self.bits).low(self.bits).part(0) < self.known))
    }

    /// Returns p of every word that the model knows.
    fn words<K: Key>(&self, words: &Grams<K>, stats: &OrderStats) -> Result<Vec<f64>> {
        let discounts = Discounts::of(self.config, 1, &stats.times)?;
        let mut history = HistoryCounts::default();
        let mut counts = Vec::with_capacity(stats.stay);
        let mut rows = words.rows();
        while rows.advance()? {
            let (count, stays) = (self.count(1, &rows), self.stays(1, &rows));
            history.add(&discounts, count, count > 0 && stays);
            if stays {
                counts.push(count);
            }
        }
        history.end();
        let uniform = 1.0 / (counts.len() - 1) as f64;
        let p = |&count: &u32| discounts.fraction(&history, count) + history.rest() * uniform;
        Ok(counts.iter().map(p).collect())
    }

    /// Estimates the n-grams of `n` words, given p of the n-grams that are one word shorter, and returns p of
    /// each.
    fn order<K: Key>(
        &self,
        n: usize,
        orders: &mut [Grams<K>],
        stats: &OrderStats,
        mut shorter_values: Numbers<f64>,
        sink: &mut impl ModelSink,
    ) -> Result<Numbers<f64>> {
        let bits = self.bits;
        let discounts = Discounts::of(self.config, n, &stats.times)?;
        let mut suffixes = self.suffixes(n, &mut orders[n - 2], stats.len, &mut shorter_values)?;
        let mut values = Numbers::new(&self.memory);
        let mut shorter_values = shorter_values.into_reader()?;
        let mut contexts = orders[n - 2].take(&self.memory).into_rows();
        let mut rows = orders[n - 1].rows();
        let mut is_row = rows.advance_counted(n as u32, bits)?;
        let least = self.config.min_count(n);
        let mut children = Vec::new();
        sink.begin_order(stats.stay);
        while contexts.advance_counted(n as u32 - 1, bits)? {
            children.clear();
            while is_row && rows.key.shift(bits) == contexts.key {
                let word = rows.key.low(bits).part(0);
                let stays = rows.seen >= least && word < self.known;
                let (count, suffix) = (self.count(n, &rows), suffixes.next()?);
                children.push(Child { word, count, stays, suffix, p: 0.0 });
                is_row = rows.advance_counted(n as u32, bits)?;
            }
            if !self.stays(n - 1, &contexts) {
                continue;
            }
            let p = shorter_values.next()?.unwrap_or_default();
            let back_off = self.context(&mut children, &discounts);
            children.iter().filter(|child| child.stays).try_for_each(|child| values.push(child.p))?;
            sink.context(&contexts.words(n - 1, bits)[..n - 1], p, back_off, &children)?;
        }
        // A row remains only with inconsistent counts, which no text produces.
        if is_row {
            return Err(Error::file(self.name.as_str(), "the counts do not fit together: count again"));
        }
        sink.end_order()?;
        Ok(values)
    }

    /// Returns, for each n-gram of `n` words, p of the n-gram without its first word.
    fn suffixes<K: Key>(
        &self,
        n: usize,
        shorter: &mut Grams<K>,
        len: usize,
        values: &mut Numbers<f64>,
    ) -> Result<Scattered> {
        let mut values = values.reader()?;
        Scattered::new(shorter, len, &self.memory, |rows| {
            let is_there = self.stays(n - 1, rows) && !is_padded(rows.key, n as u32 - 1, self.bits);
            Ok(if is_there { values.next()?.unwrap_or_default() } else { 0.0 })
        })
    }

    /// Estimates the n-grams of a context and returns log10 of its back-off weight.
    fn context(&self, children: &mut [Child], discounts: &Discounts) -> f32 {
        let mut history = HistoryCounts::default();
        children.iter().for_each(|child| history.add(discounts, child.count, child.stays));
        if history.is_empty() {
            return 0.0;
        }
        history.end();
        let stay = || children.iter().filter(|child| child.stays);
        let mut rest = history.rest();
        let mut added = rest;
        if self.config.backs_off() {
            let (mut own, mut shorter, mut least) = (0.0, 0.0, f64::INFINITY);
            for child in stay() {
                let fraction = discounts.fraction(&history, child.count);
                own += fraction;
                shorter += child.suffix;
                least = fraction.min(least);
            }
            // If no word is left to back off to, or a discount equals its count, the discounted
            // mass is shared among all words.
            if 1.0 - shorter > 1e-9 && least > 0.0 {
                (rest, added) = ((1.0 - own) / (1.0 - shorter), 0.0);
            }
        }
        for child in children {
            child.p = discounts.fraction(&history, child.count) + added * child.suffix;
        }
        rest.log10() as f32
    }

    /// Passes the n-grams of the highest order to `sink`.
    fn highest<K: Key>(
        &self,
        grams: &Grams<K>,
        values: Numbers<f64>,
        sink: &mut impl ModelSink,
    ) -> Result<()> {
        let n = self.config.order;
        let mut values = values.into_reader()?;
        let mut rows = grams.rows();
        while rows.advance_counted(n as u32, self.bits)? {
            if self.stays(n, &rows) {
                let p = values.next()?.unwrap_or_default();
                sink.highest(&rows.words(n, self.bits)[..n], p)?;
            }
        }
        Ok(())
    }
}

impl KneserNeyConfig {
    fn backs_off(&self) -> bool {
        self.back_off || self.smoothing == Smoothing::GoodTuring
    }
}

/// The counts after one context, and the mass discounted from them.
#[derive(Debug, Default)]
struct HistoryCounts {
    /// The sum of the counts, plus the amount that smoothing adds.
    total: f64,
    /// The discounted mass, including the whole counts of n-grams that are dropped.
    taken: f64,
}

impl HistoryCounts {
    #[inline]
    fn add(&mut self, discounts: &Discounts, count: u32, stays: bool) {
        self.total += f64::from(count);
        self.taken += if stays { discounts.of_count(count) } else { f64::from(count) };
        if discounts.types && stays {
            self.total += 1.0;
            self.taken += 1.0;
        }
    }

    fn is_empty(&self) -> bool {
        self.total == 0.0
    }

    /// If no discount reserves mass for unseen words, reserves mass as if one more word had been
    /// seen.
    fn end(&mut self) {
        if self.taken <= 0.0 {
            self.total += 1.0;
            self.taken = 1.0;
        }
    }

    /// Returns the discounted mass as a fraction of the total.
    fn rest(&self) -> f64 {
        self.taken / self.total
    }
}

/// The discounts for each count of an order.
#[derive(Debug, PartialEq)]
struct Discounts {
    /// The discounts by count; the last holds for all higher counts too.
    amounts: Vec<f64>,
    /// True if the number of distinct words is added to the total (Witten-Bell).
    types: bool,
}

impl Discounts {
    #[inline]
    fn of_count(&self, count: u32) -> f64 {
        self.amounts[(count as usize).min(self.amounts.len() - 1)]
    }

    /// Returns the discounted relative frequency of a count in its history.
    #[inline]
    fn fraction(&self, history: &HistoryCounts, count: u32) -> f64 {
        (f64::from(count) - self.of_count(count)) / history.total
    }

    /// Computes the discounts of an order from the number of its n-grams with each count.
    fn of(config: &KneserNeyConfig, order: usize, times: &[u64; 9]) -> Result<Self> {
        let amounts = match config.smoothing {
            Smoothing::ModifiedKneserNey => modified(order, times, config.fallback)?,
            Smoothing::KneserNey => plain(order, times, config.fallback)?,
            Smoothing::WittenBell => vec![0.0],
            Smoothing::GoodTuring => good_turing(order, times)?,
        };
        Ok(Self { amounts, types: config.smoothing == Smoothing::WittenBell })
    }
}

/// Computes equation 26 of Chen & Goodman 1998 from the number of n-grams with each count.
fn modified(order: usize, times: &[u64; 9], fallback: Option<[f64; 3]>) -> Result<Vec<f64>> {
    let [_, n1, n2, ..] = times.map(|n| n as f64);
    let y = n1 / (n1 + 2.0 * n2);
    let mut amounts = vec![0.0];
    for count in 1..=3 {
        let amount = count as f64 - (count + 1) as f64 * y * times[count + 1] as f64 / times[count] as f64;
        if times[count] == 0 || !(0.0..=count as f64).contains(&amount) {
            let Some(fallback) = fallback else { return Err(too_few(order, count)) };
            return Ok([0.0].into_iter().chain(fallback).collect());
        }
        amounts.push(amount);
    }
    Ok(amounts)
}

fn plain(order: usize, times: &[u64; 9], fallback: Option<[f64; 3]>) -> Result<Vec<f64>> {
    match (times[1], fallback) {
        (0, None) => Err(too_few(order, 1)),
        (0, Some(fallback)) => Ok(vec![0.0, fallback[0]]),
        (n1, _) => Ok(vec![0.0, n1 as f64 / (n1 + 2 * times[2]) as f64]),
    }
}

fn too_few(order: usize, count: usize) -> Error {
    Error::usage(format!(
        "too few {order}-grams have the count {count} to estimate the discounts of modified Kneser-Ney: give more text, a lower \
         order, {} or {} witten-bell",
        option("discount-fallback"),
        option("smoothing")
    ))
}

/// The largest count that Katz discounts.
const LARGEST: usize = 7;

/// Computes the discounts of Katz 1987. A count whose discount would be invalid for lack of text is
/// not discounted.
fn good_turing(order: usize, times: &[u64; 9]) -> Result<Vec<f64>> {
    if times[1] == 0 {
        return Err(Error::usage(format!(
            "no {order}-gram was seen once, so Good-Turing cannot estimate how many are unseen: give more text or \
             {} witten-bell",
            option("smoothing")
        )));
    }
    let n = times.map(|n| n as f64);
    let common = (LARGEST + 1) as f64 * n[LARGEST + 1] / n[1];
    let discount = |count: usize| {
        let turing = (count + 1) as f64 * n[count + 1] / n[count] / count as f64;
        let kept = (turing - common) / (1.0 - common);
        if kept > 0.0 && kept <= 1.0 { count as f64 * (1.0 - kept) } else { 0.0 }
    };
    Ok([0.0].into_iter().chain((1..=LARGEST).map(discount)).chain([0.0]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use majuscule_lm::{NgramState, WordId, arpa, binary};
    use majuscule_text::Locale;
    use proptest::prelude::*;

    fn corpus(text: &str) -> Corpus {
        Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root)
    }

    fn trained(config: &KneserNeyConfig, text: &str, threads: usize) -> Result<NgramModel> {
        train(config, &corpus(text), NonZeroUsize::new(threads).unwrap())
    }

    /// Returns a file of the counts of a text.
    fn counted(text: &str, order: usize) -> Vec<u8> {
        written(
            TrainingText::read(&corpus(text), WordUnits::Given, NonZeroUsize::MIN, &Memory::unlimited())
                .unwrap(),
            order,
        )
    }

    fn written(text: TrainingText, order: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        text.write_counts(order, &mut bytes, &|error| panic!("{error}"), &mut |_| Ok(())).unwrap();
        bytes
    }

    /// Returns the sum of p(word | state) over all words but `<s>`.
    fn sum(model: &NgramModel, state: NgramState) -> f64 {
        let words = (0..model.vocabulary().len() as u32).map(WordId).filter(|&word| word != WordId::START);
        words.map(|word| 10f64.powf(f64::from(model.scorer().step(state, word).log10))).sum()
    }

    fn any_text() -> impl Strategy<Value = String> {
        let sentence = prop::collection::vec(
            prop::sample::select(vec!["Rui", "rui", "saw", "Ana", "in", "US", "us"]),
            1..9,
        );
        prop::collection::vec(sentence.prop_map(|words| words.join(" ")), 1..25)
            .prop_map(|lines| lines.join("\n"))
    }

    fn any_config() -> impl Strategy<Value = KneserNeyConfig> {
        use Smoothing::{GoodTuring, KneserNey, ModifiedKneserNey, WittenBell};
        let smoothing = prop::sample::select(vec![ModifiedKneserNey, KneserNey, WittenBell, GoodTuring]);
        let most = prop::option::of((1usize..7).prop_map(|most| NonZeroUsize::new(most).unwrap()));
        let unknown = prop::sample::select(vec![UnknownNgrams::Count, UnknownNgrams::Prune]);
        (1usize..=5, smoothing, any::<bool>(), most, unknown, 0u32..4).prop_map(
            |(order, smoothing, back_off, most, unknown, least)| KneserNeyConfig {
                order,
                smoothing,
                back_off,
                fallback: matches!(smoothing, ModifiedKneserNey | KneserNey).then_some([0.5, 1.0, 1.5]),
                min_counts: [1, 1, least, least][..order.min(4)]
                    .iter()
                    .scan(0, |most, &least| {
                        *most = least.max(*most);
                        Some(*most)
                    })
                    .collect(),
                known: most.map_or(KnownWords::All, KnownWords::Most),
                unknown,
                tokens: WordUnits::Given,
            },
        )
    }

    proptest! {
        #[test]
        fn probabilities_sum_to_one_after_any_history(text in any_text(), config in any_config()) {
            // Good-Turing needs n-grams that were seen once.
            let model = match trained(&config, &text, 1) {
                Ok(model) => model,
                Err(_) if config.smoothing == Smoothing::GoodTuring => return Ok(()),
                Err(error) => panic!("{error}"),
            };
            let scorer = model.scorer();
            for line in text.lines().chain(["Ana Ana saw Eva us us us"]) {
                let mut state = scorer.start();
                for word in line.split(' ') {
                    prop_assert!((sum(&model, state) - 1.0).abs() < 1e-5, "{} {:?}", sum(&model, state), config);
                    state = scorer.step(state, model.vocabulary().id(word)).state;
                }
                prop_assert!((sum(&model, state) - 1.0).abs() < 1e-5);
            }
            prop_assert!((sum(&model, NgramState::EMPTY) - 1.0).abs() < 1e-5);
        }

        #[test]
        fn a_model_read_back_is_the_model(text in any_text(), config in any_config()) {
            let Ok(model) = trained(&config, &text, 1) else { return Ok(()) };
            let mut bytes = Vec::new();
            binary::write(&model, &mut bytes).unwrap();
            prop_assert_eq!(&NgramModel::read("binary", bytes).unwrap(), &model);
            let mut bytes = Vec::new();
            arpa::write(&model, &mut bytes).unwrap();
            let read = NgramModel::read("arpa", bytes.clone()).unwrap();
            prop_assert_eq!(read.counts(), model.counts());
            for order in 1..=model.order() {
                let values = |model: &NgramModel| {
                    let mut values = Vec::new();
                    model.for_each(order, &mut |words, p, back_off| values.push((words.to_vec(), [p, back_off])));
                    values
                };
                for ((words, one), (same, other)) in values(&model).iter().zip(values(&read)) {
                    prop_assert_eq!(words, &same);
                    prop_assert!((one[0] - other[0]).abs() <= 1e-6 && (one[1] - other[1]).abs() <= 1e-6);
                }
            }
            let mut again = Vec::new();
            arpa::write(&read, &mut again).unwrap();
            prop_assert_eq!(String::from_utf8(again), String::from_utf8(bytes));
        }

        #[test]
        fn memory_changes_nothing(text in any_text(), config in any_config(), limit in 0usize..300_000) {
            let folder = tempfile::tempdir().unwrap();
            let read = |memory: &Memory| {
                TrainingText::read(&corpus(&text), config.tokens, NonZeroUsize::MIN, memory).unwrap()
            };
            let limited = Memory::limited(limit, folder.path());
            match (trained(&config, &text, 1), read(&limited).train(&config, &mut |_| Ok(()))) {
                (Ok(model), Ok(small)) => {
                    prop_assert_eq!(&small, &model);
                    let mut expected = Vec::new();
                    arpa::write(&model, &mut expected).unwrap();
                    for memory in [&limited, &Memory::unlimited()] {
                        let mut written = Vec::new();
                        let refused = |error| panic!("{error}");
                        read(memory).write_arpa(&config, &mut written, &refused, &mut |_| Ok(())).unwrap();
                        prop_assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
                    }
                }
                (one, other) => prop_assert!(one.is_err() && other.is_err()),
            }
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }

        #[test]
        fn counts_of_the_parts_give_the_model_of_the_whole(
            texts in prop::collection::vec(any_text(), 1..4), config in any_config(), more in 0usize..3,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let tiny = Memory::limited(0, folder.path());
            let order = config.order + more.min(MAX_ORDER - config.order);
            let files: Vec<_> = (0..texts.len()).map(|at| folder.path().join(at.to_string())).collect();
            for (file, text) in files.iter().zip(&texts) {
                std::fs::write(file, counted(text, order)).unwrap();
            }
            let whole = texts.join("\n");
            // Merged into one file, the parts equal the counts of the whole.
            let merged = folder.path().join("merged");
            std::fs::write(&merged, written(TrainingText::open(&files, &tiny).unwrap(), order)).unwrap();
            prop_assert!(std::fs::read(&merged).unwrap() == counted(&whole, order));
            for counts in [&files[..], &[merged]] {
                let model = TrainingText::open(counts, &tiny).unwrap().train(&config, &mut |_| Ok(()));
                match (trained(&config, &whole, 1), model) {
                    (Ok(expected), Ok(model)) => prop_assert_eq!(model, expected),
                    (one, other) => prop_assert!(one.is_err() && other.is_err()),
                }
            }
        }

        #[test]
        fn threads_change_nothing(text in any_text(), config in any_config()) {
            let lines = text.repeat(3);
            match (trained(&config, &lines, 1), trained(&config, &lines, 3)) {
                (Ok(one), Ok(three)) => prop_assert_eq!(one, three),
                (one, three) => prop_assert!(one.is_err() && three.is_err()),
            }
        }
    }

    #[test]
    fn a_bigram_model_can_be_checked_with_a_pencil() {
        // After every <s> comes Ana, then once a and once b; the fallback discounts are 0.5, 1 and
        // 1.5.
        let config = KneserNeyConfig {
            order: 2,
            fallback: Some([0.5, 1.0, 1.5]),
            tokens: WordUnits::Given,
            ..KneserNeyConfig::default()
        };
        let model = trained(&config, "Ana a\nAna b", 1).unwrap();
        let p = |words: &[&str]| {
            let id = |word: &&str| model.vocabulary().id(word);
            let (last, history) = words.split_last().unwrap();
            let state = history
                .iter()
                .fold(NgramState::EMPTY, |state, word| model.scorer().step(state, id(word)).state);
            10f64.powf(f64::from(model.scorer().step(state, id(last)).log10))
        };
        // Distinct words before: Ana 1, a 1, b 1, </s> 2; 5 in all. Discounts: 3 × 0.5 + 1 = 2.5,
        // half of them. V is 5.
        assert!((p(&["Ana"]) - (0.5 / 5.0 + 0.5 / 5.0)).abs() < 1e-6);
        assert!((p(&["</s>"]) - (1.0 / 5.0 + 0.5 / 5.0)).abs() < 1e-6);
        assert!((p(&["Eva"]) - 0.5 / 5.0).abs() < 1e-6);
        // After Ana: a 1 and b 1; half of each is discounted.
        assert!((p(&["Ana", "a"]) - (0.5 / 2.0 + 0.5 * 0.2)).abs() < 1e-6);
        assert!((p(&["Ana", "Ana"]) - 0.5 * 0.2).abs() < 1e-6);
        // After <s>: Ana 2, discounted by 1.
        assert!((p(&["<s>", "Ana"]) - (1.0 / 2.0 + 0.5 * 0.2)).abs() < 1e-6);
    }

    #[test]
    fn the_discounts_are_those_of_equation_26() {
        // n1 = 8, n2 = 4, n3 = 2, n4 = 1: Y = 8 / (8 + 2 × 4) = 1/2; 1 - 2/2 × 4/8, 2 - 3/2 × 2/4, 3 - 4/2 × 1/2.
        let times = [0, 8, 4, 2, 1, 0, 0, 0, 0];
        assert_eq!(modified(3, &times, None).unwrap(), [0.0, 0.5, 1.25, 2.0]);
        assert_eq!(plain(3, &times, None).unwrap(), [0.0, 0.5]);
        let error = modified(3, &[0, 8, 4, 0, 1, 0, 0, 0, 0], None).unwrap_err().to_string();
        assert!(
            error.contains("3-grams have the count 3") && error.contains("`discount-fallback`"),
            "{error}"
        );
    }

    #[test]
    fn words_outside_the_vocabulary_are_counted_as_unknown() {
        let known = KnownWords::List(vec!["Ana".to_owned(), "Eva".to_owned()]);
        let config = KneserNeyConfig {
            order: 2,
            smoothing: Smoothing::WittenBell,
            known,
            ..KneserNeyConfig::default()
        };
        let model = trained(&config, "Ana saw Rui.\nRui saw Ana.", 1).unwrap();
        assert_eq!(model.vocabulary().iter().collect::<Vec<_>>(), ["<unk>", "<s>", "</s>", "Ana", "Eva"]);
        // <s> Ana, Ana <unk>, <unk> <unk>, <unk> </s>; <s> <unk>, <unk> Ana, Ana </s>.
        assert_eq!(model.counts(), [5, 7]);
        let unknown = model.scorer().step(NgramState::EMPTY, WordId::UNKNOWN).log10;
        // 4 of 8 tokens, and 3 distinct words: (4 + 3/4) / (8 + 3).
        assert!((10f64.powf(f64::from(unknown)) - 4.75 / 11.0).abs() < 1e-6);
    }

    #[test]
    fn the_most_frequent_words_stay_with_all_their_forms() {
        let known = KnownWords::Most(NonZeroUsize::new(2).unwrap());
        let tokens = WordUnits::Given;
        let config = KneserNeyConfig {
            order: 1,
            smoothing: Smoothing::WittenBell,
            known,
            tokens,
            ..KneserNeyConfig::default()
        };
        // US, us and Us are one word, seen three times; saw and Rui are seen twice, and Rui sorts
        // first.
        let model = trained(&config, "US saw Rui us saw Rui Us", 1).unwrap();
        let words: Vec<_> = model.vocabulary().iter().collect();
        assert_eq!(words, ["<unk>", "<s>", "</s>", "Rui", "US", "Us", "us"]);
    }

    #[test]
    fn words_outside_the_vocabulary_are_pruned_as_lmplz_does() {
        let known = KnownWords::List(vec!["Ana".to_owned(), "Eva".to_owned()]);
        let config = KneserNeyConfig {
            order: 2,
            fallback: Some([0.5, 1.0, 1.5]),
            known,
            unknown: UnknownNgrams::Prune,
            tokens: WordUnits::Given,
            ..KneserNeyConfig::default()
        };
        let model = trained(&config, "Ana saw Rui\nRui saw Ana", 1).unwrap();
        // The list adds no words to the vocabulary.
        assert_eq!(model.vocabulary().iter().collect::<Vec<_>>(), ["<unk>", "<s>", "</s>", "Ana"]);
        // <s> Ana and Ana </s>.
        assert_eq!(model.counts(), [4, 2]);
        let p = |state: NgramState, word: &str| {
            let word = model.vocabulary().id(word);
            10f64.powf(f64::from(model.scorer().step(state, word).log10))
        };
        // Distinct words before: Ana 2, </s> 2, Rui 2, saw 2; 8 in all. Discounts: 1 each of Ana
        // and </s>, and all 4 of the words that are dropped: 6/8, shared among <unk>, </s> and Ana.
        assert!((p(NgramState::EMPTY, "Ana") - (1.0 / 8.0 + 6.0 / 8.0 / 3.0)).abs() < 1e-6);
        assert!((p(NgramState::EMPTY, "Rui") - 6.0 / 8.0 / 3.0).abs() < 1e-6);
        // After <s>: Ana 1, discounted by half, and Rui 1, which is dropped: 1.5 of 2.
        let start = model.scorer().start();
        assert!((p(start, "Ana") - (0.5 / 2.0 + 1.5 / 2.0 * (1.0 / 8.0 + 2.0 / 8.0))).abs() < 1e-6);
    }

    #[test]
    fn the_two_forms_of_cut_offs_compare_what_was_seen() {
        // "the Rui" was seen three times, but after only one word: its adjusted count is 1.
        let text = "by the Rui\nby the Rui\nby the Rui\nAna the Eva";
        let config = KneserNeyConfig {
            order: 3,
            min_counts: vec![1, 3],
            fallback: Some([0.5, 1.0, 1.5]),
            ..KneserNeyConfig::default()
        };
        let model = trained(&config, text, 1).unwrap();
        let mut left = Vec::new();
        model.for_each(2, &mut |words, _, _| {
            left.push(words.iter().map(|&word| model.vocabulary().word(word)).collect::<Vec<_>>().join(" "));
        });
        left.sort_unstable();
        assert_eq!(left, ["<s> by", "Rui </s>", "by the", "the Rui"]);
    }

    #[test]
    fn a_corpus_with_next_to_nothing_gives_a_sound_model_or_an_error() {
        for text in ["Ana", "Ana saw Rui", "Ana Ana Ana\nAna", "\n\nAna\n\n"] {
            for known in [KnownWords::All, KnownWords::List(vec!["Ana".to_owned(), "Eva".to_owned()])] {
                for unknown in [UnknownNgrams::Count, UnknownNgrams::Prune] {
                    for order in 1..=MAX_ORDER {
                        let fallback = Some([0.5, 1.0, 1.5]);
                        let config = KneserNeyConfig {
                            order,
                            fallback,
                            known: known.clone(),
                            unknown,
                            ..KneserNeyConfig::default()
                        };
                        let model = trained(&config, text, 1).unwrap();
                        let scorer = model.scorer();
                        let mut state = scorer.start();
                        for word in ["Ana", "Eva", "Ana"] {
                            assert!((sum(&model, state) - 1.0).abs() < 1e-5, "{text:?} {config:?}");
                            state = scorer.step(state, model.vocabulary().id(word)).state;
                        }
                        assert!((sum(&model, NgramState::EMPTY) - 1.0).abs() < 1e-5, "{text:?} {config:?}");
                    }
                }
            }
        }
        let config =
            KneserNeyConfig { known: KnownWords::List(vec!["Eva".to_owned()]), ..KneserNeyConfig::default() };
        let error = trained(&config, "Ana saw Rui", 1).unwrap_err().to_string();
        assert!(error.contains("has none of the words of the list"), "{error}");
        for text in ["", "\n\n", " \n \n"] {
            for tokens in [WordUnits::Words, WordUnits::Given] {
                let error = trained(&KneserNeyConfig { tokens, ..KneserNeyConfig::default() }, text, 1)
                    .unwrap_err()
                    .to_string();
                assert!(error.contains("has no words"), "{error}");
            }
        }
    }

    #[test]
    fn rare_ngrams_go_and_what_they_held_is_backed_off() {
        let config = KneserNeyConfig {
            order: 3,
            min_counts: vec![1, 2],
            fallback: Some([0.5, 1.0, 1.5]),
            ..KneserNeyConfig::default()
        };
        let model = trained(&config, "Ana saw Rui\nAna saw Eva\nAna saw Eva", 1).unwrap();
        let mut left = Vec::new();
        model.for_each(3, &mut |words, _, _| {
            left.push(words.iter().map(|&word| model.vocabulary().word(word)).collect::<Vec<_>>().join(" "));
        });
        left.sort_unstable();
        assert_eq!(left, ["<s> Ana saw", "Ana saw Eva", "saw Eva </s>"]);
    }

    #[test]
    fn what_cannot_be_trained_is_refused() {
        let refused =
            |config: KneserNeyConfig, text: &str| trained(&config, text, 1).unwrap_err().to_string();
        assert!(
            refused(KneserNeyConfig { order: 8, ..KneserNeyConfig::default() }, "Ana")
                .contains("from 1 to 7")
        );
        assert!(
            refused(KneserNeyConfig { min_counts: vec![2], ..KneserNeyConfig::default() }, "Ana")
                .contains("vocabulary")
        );
        assert!(
            refused(KneserNeyConfig { min_counts: vec![1, 3, 2], ..KneserNeyConfig::default() }, "Ana")
                .contains("lower than")
        );
        assert!(
            refused(KneserNeyConfig { min_counts: vec![1; 4], ..KneserNeyConfig::default() }, "Ana")
                .contains("4 orders")
        );
        assert!(
            refused(KneserNeyConfig { fallback: Some([0.5, 3.0, 1.5]), ..KneserNeyConfig::default() }, "Ana")
                .contains("from 0 to these counts")
        );
        assert!(refused(KneserNeyConfig::default(), "").contains("has no words"));
        assert!(refused(KneserNeyConfig::default(), "Ana").contains("too few 1-grams"));
        let given = KneserNeyConfig { tokens: WordUnits::Given, ..KneserNeyConfig::default() };
        assert!(refused(given, "Ana </s> Rui").contains("has the word </s>"));
    }
}
