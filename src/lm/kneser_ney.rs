//! Counts in, probabilities and back-offs out.
//!
//! Interpolated modified Kneser-Ney, Chen & Goodman 1998, with the discounts of their equation 26, and the smoothings that
//! share its shape: what is taken from the counts of a history goes to the shorter one. 1-grams are interpolated with the
//! same probability for every word, `<unk>` and `</s>` among them and `<s>` not.

use std::num::NonZeroUsize;

use serde::Serialize;

use super::count::{Grams, Key, Wide, count, word_bits};
use super::table::{Builder, Table};
use super::vocab::WordId;
use super::words::{Known, Text, Tokens, collect};
use super::{MAX_ORDER, NgramModel};
use crate::corpus::Corpus;
use crate::error::{Error, Result};

/// How a model is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The length of the longest n-grams, from 1 to [`MAX_ORDER`].
    pub order: usize,
    /// How probability is kept for what was not seen.
    pub smoothing: Smoothing,
    /// Give what was seen its discounted share alone, and go to the shorter history only for what was not seen, instead of
    /// adding the shorter history's share to all.
    pub back_off: bool,
    /// The discounts of counts 1, 2 and more of an order whose counts are too few to tell them.
    pub fallback: Option<[f64; 3]>,
    /// For each order the least count with which an n-gram stays; those named last hold for the orders after them too, and
    /// 1-grams all stay. Discounts are found before any n-gram goes.
    pub min_counts: Vec<u32>,
    /// The words that the model knows.
    pub known: Known,
    /// What words are.
    pub tokens: Tokens,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            order: 3,
            smoothing: Smoothing::default(),
            back_off: false,
            fallback: None,
            min_counts: Vec::new(),
            known: Known::default(),
            tokens: Tokens::default(),
        }
    }
}

/// How probability is kept for what was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Smoothing {
    /// Kneser & Ney with three discounts an order (Chen & Goodman 1998)
    #[default]
    ModifiedKneserNey,
    /// Kneser & Ney 1995 with one discount an order
    KneserNey,
    /// Witten & Bell 1991: as much as there are different words after a history
    WittenBell,
    /// Katz 1987 with Good-Turing discounts of counts up to 7; always backs off
    GoodTuring,
}

/// Trains a model.
///
/// # Errors
/// Where the corpus cannot be read or has no words, the settings cannot be, or there are too few n-grams to find discounts.
pub fn train(config: &Config, corpus: &Corpus, threads: NonZeroUsize) -> Result<NgramModel> {
    config.check()?;
    let Text { vocabulary, parts } = collect(corpus, config.tokens, &config.known, threads)?;
    let words: usize = parts.iter().map(Vec::len).sum();
    if u32::try_from(words).is_err() {
        return Err(Error::Usage(format!(
            "the corpus has {words} words, more than 4,294,967,295 that can be counted: train on a part of it"
        )));
    }
    let bits = word_bits(vocabulary.len());
    let table = match bits * config.order as u32 {
        0..=64 => model::<u64>(config, parts, bits, vocabulary.len()),
        65..=128 => model::<u128>(config, parts, bits, vocabulary.len()),
        _ => model::<Wide>(config, parts, bits, vocabulary.len()),
    };
    Ok(NgramModel::new(vocabulary, table?))
}

impl Config {
    fn check(&self) -> Result<()> {
        if !(1..=MAX_ORDER).contains(&self.order) {
            return Err(Error::Usage(format!(
                "order {}: expected a number from 1 to {MAX_ORDER}",
                self.order
            )));
        }
        if self.min_counts.len() > self.order {
            return Err(Error::Usage(format!(
                "cut-offs for {} orders, but the model has {}: give one an order",
                self.min_counts.len(),
                self.order
            )));
        }
        if self.min_counts.first().is_some_and(|&count| count > 1) {
            return Err(Error::Usage(
                "the cut-off of 1-grams leaves words out: limit the vocabulary instead".to_owned(),
            ));
        }
        if self.min_counts.windows(2).any(|pair| pair[1] < pair[0]) {
            return Err(Error::Usage(
                "a cut-off is lower than that of the order before it, but an n-gram stays only with its parts".to_owned(),
            ));
        }
        if self.smoothing == Smoothing::GoodTuring && self.fallback.is_some()
            || self.smoothing == Smoothing::WittenBell && self.fallback.is_some()
        {
            return Err(Error::Usage(
                "fallback discounts are for kneser-ney and modified-kneser-ney".to_owned(),
            ));
        }
        match self.fallback {
            Some(fallback)
                if (1..).zip(fallback).any(|(most, found)| !(0.0..=f64::from(most)).contains(&found)) =>
            {
                Err(Error::Usage(
                    "a discount is taken from a count: it is at least 0 and at most 1, 2 and 3".to_owned(),
                ))
            }
            _ => Ok(()),
        }
    }

    fn min_count(&self, order: usize) -> u32 {
        match order {
            1 => 0,
            _ => self.min_counts.get(order - 1).or(self.min_counts.last()).copied().unwrap_or(0),
        }
    }
}

fn model<K: Key>(config: &Config, parts: Vec<Vec<u32>>, bits: u32, words: usize) -> Result<Table> {
    let orders = count::<K>(parts, config.order, bits);
    estimate(config, orders, bits, words)
}

/// The model of sorted counts, order by order.
fn estimate<K: Key>(config: &Config, orders: Vec<Grams<K>>, bits: u32, words: usize) -> Result<Table> {
    let mut orders = orders.into_iter();
    let mut shorter = every_word(orders.next().unwrap_or_default(), words, bits);
    let mut estimator = Estimator::new(config, &shorter)?;
    for (n, grams) in (2..).zip(orders) {
        estimator.order(n, &shorter, &grams, bits)?;
        shorter = grams;
    }
    Ok(estimator.builder.finish())
}

/// The 1-grams with all words among them, also those that were not seen.
fn every_word<K: Key>(seen: Grams<K>, words: usize, bits: u32) -> Grams<K> {
    let key = |word| K::default().append(word, bits);
    let mut all =
        Grams { keys: (0..words as u32).map(key).collect(), seen: vec![0; words], continued: Vec::new() };
    if !seen.continued.is_empty() {
        all.continued = vec![0; words];
    }
    for (at, key) in seen.keys.iter().enumerate() {
        let word = key.part(0) as usize;
        all.seen[word] = seen.seen[at];
        if let Some(&continued) = seen.continued.get(at) {
            all.continued[word] = continued;
        }
    }
    all
}

struct Estimator<'a> {
    config: &'a Config,
    builder: Builder,
    /// p of every node but those of the highest order.
    probabilities: Vec<f64>,
}

impl<'a> Estimator<'a> {
    /// Begins with the 1-grams, `every_word` of them.
    fn new<K: Key>(config: &'a Config, every_word: &Grams<K>) -> Result<Self> {
        let counts = config.counts(every_word);
        let discounts = Discounts::of(config, 1, counts)?;
        let mut history = History::default();
        counts.iter().for_each(|&count| history.add(&discounts, count, count > 0));
        history.end();
        let uniform = 1.0 / (counts.len() - 1) as f64;
        let probability = |&count: &u32| discounts.share(&history, count) + history.rest() * uniform;
        let probabilities: Vec<f64> = counts.iter().map(probability).collect();
        let unigrams = (0..).zip(&probabilities).map(|(word, p)| {
            // Nothing asks for p(<s>), which others write so too.
            (if word == WordId::START.0 { 0.0 } else { p.log10() as f32 }, 0.0)
        });
        let unigrams: Vec<_> = unigrams.collect();
        let builder = Builder::new(config.order, unigrams.into_iter());
        Ok(Self { config, builder, probabilities })
    }

    /// Adds the n-grams of `n` words, given those one shorter.
    fn order<K: Key>(&mut self, n: usize, shorter: &Grams<K>, grams: &Grams<K>, bits: u32) -> Result<()> {
        let counts = self.config.counts(grams);
        let discounts = Discounts::of(self.config, n, counts)?;
        let (least, least_shorter) = (self.config.min_count(n), self.config.min_count(n - 1));
        let stay = grams.seen.iter().filter(|&&seen| seen >= least).count();
        self.builder.reserve(stay, n == self.config.order);
        let mut node = self.builder.last_order();
        let mut start = 0;
        for (&key, &seen) in shorter.keys.iter().zip(&shorter.seen) {
            let children = grams.keys[start..].iter().take_while(|gram| gram.shift(bits) == key).count();
            let end = start + children;
            // What stays stays with its parts.
            if seen >= least_shorter {
                let words = Children {
                    keys: &grams.keys[start..end],
                    seen: &grams.seen[start..end],
                    counts: &counts[start..end],
                };
                self.history(n, node, &words, least, &discounts, bits);
                node += 1;
            }
            start = end;
        }
        self.builder.end_order().map_err(|problem| Error::Usage(problem.to_owned()))
    }

    /// Adds the n-grams that begin with a context.
    fn history<K: Key>(
        &mut self,
        n: usize,
        node: u32,
        words: &Children<'_, K>,
        least: u32,
        discounts: &Discounts,
        bits: u32,
    ) {
        self.builder.begin(node);
        let mut history = History::default();
        for (&count, &seen) in words.counts.iter().zip(words.seen) {
            history.add(discounts, count, seen >= least);
        }
        if history.is_empty() {
            return;
        }
        history.end();
        let backs_off = self.config.backs_off();
        let stay = || (0..words.keys.len()).filter(|&at| words.seen[at] >= least);
        let word = |at: usize| words.keys[at].low(bits).part(0);
        let mut rest = history.rest();
        let mut added = rest;
        if backs_off {
            let (mut own, mut shorter, mut least) = (0.0, 0.0, f64::INFINITY);
            for at in stay() {
                let share = discounts.share(&history, words.counts[at]);
                let suffix = self.builder.suffix(word(at));
                own += share;
                shorter += self.probabilities[suffix as usize];
                least = share.min(least);
            }
            self.builder.begin(node);
            // Where nothing is left to back off to, or a discount is as large as its count, the rest is shared among all.
            if 1.0 - shorter > 1e-9 && least > 0.0 {
                (rest, added) = ((1.0 - own) / (1.0 - shorter), 0.0);
            }
        }
        for at in stay() {
            let word = word(at);
            let suffix = self.builder.suffix(word);
            let p = discounts.share(&history, words.counts[at]) + added * self.probabilities[suffix as usize];
            if n < self.config.order {
                self.probabilities.push(p);
            }
            self.builder.push(word, suffix, p.log10() as f32, (n < self.config.order).then_some(0.0));
        }
        self.builder.set_back_off(node, rest.log10() as f32);
    }
}

/// The words after a context: the n-grams, how often each was seen, and the count that it is estimated from.
struct Children<'a, K> {
    keys: &'a [K],
    seen: &'a [u32],
    counts: &'a [u32],
}

impl Config {
    /// The counts that the smoothing asks for.
    fn counts<'a, K: Key>(&self, grams: &'a Grams<K>) -> &'a [u32] {
        match self.smoothing {
            Smoothing::ModifiedKneserNey | Smoothing::KneserNey => grams.adjusted(),
            Smoothing::WittenBell | Smoothing::GoodTuring => &grams.seen,
        }
    }

    fn backs_off(&self) -> bool {
        self.back_off || self.smoothing == Smoothing::GoodTuring
    }
}

/// What is taken from the counts after one context.
#[derive(Debug, Default)]
struct History {
    /// The sum of the counts, and what is added to it.
    total: f64,
    /// What is taken from them, with the whole of those that do not stay.
    taken: f64,
}

impl History {
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

    /// Keeps something for what was not seen, where no discount does: as much as for one more word.
    fn end(&mut self) {
        if self.taken <= 0.0 {
            self.total += 1.0;
            self.taken = 1.0;
        }
    }

    /// The share of what was taken.
    fn rest(&self) -> f64 {
        self.taken / self.total
    }
}

/// What is taken from each count of an order.
#[derive(Debug, PartialEq)]
struct Discounts {
    /// By count; the last holds for all above it too.
    amounts: Vec<f64>,
    /// Whether as much is added as there are different words (Witten-Bell).
    types: bool,
}

impl Discounts {
    #[inline]
    fn of_count(&self, count: u32) -> f64 {
        self.amounts[(count as usize).min(self.amounts.len() - 1)]
    }

    /// The share of a count in its history.
    #[inline]
    fn share(&self, history: &History, count: u32) -> f64 {
        (f64::from(count) - self.of_count(count)) / history.total
    }

    fn of(config: &Config, order: usize, counts: &[u32]) -> Result<Self> {
        let mut times = [0u64; 9];
        for &count in counts {
            if let Some(times) = times.get_mut(count as usize) {
                *times += 1;
            }
        }
        let amounts = match config.smoothing {
            Smoothing::ModifiedKneserNey => modified(order, &times, config.fallback)?,
            Smoothing::KneserNey => plain(order, &times, config.fallback)?,
            Smoothing::WittenBell => vec![0.0],
            Smoothing::GoodTuring => good_turing(order, &times)?,
        };
        Ok(Self { amounts, types: config.smoothing == Smoothing::WittenBell })
    }
}

/// Equation 26 of Chen & Goodman 1998, from how many n-grams have each count.
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
    Error::Usage(format!(
        "too few {order}-grams have the count {count} to find the discounts of modified Kneser-Ney: give more text, a lower \
         order, --discount-fallback or --smoothing witten-bell"
    ))
}

/// The counts up to which Katz discounts.
const LARGEST: usize = 7;

/// Katz 1987. A count whose discount would be negative, for want of text, is left as it is.
fn good_turing(order: usize, times: &[u64; 9]) -> Result<Vec<f64>> {
    if times[1] == 0 {
        return Err(Error::Usage(format!(
            "no {order}-gram was seen once, so Good-Turing cannot tell how many were not seen: give more text or \
             --smoothing witten-bell"
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
    use super::super::{State, arpa, binary};
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use crate::text::Locale;
    use proptest::prelude::*;

    fn corpus(text: &str) -> Corpus {
        Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root)
    }

    fn trained(config: &Config, text: &str, threads: usize) -> Result<NgramModel> {
        train(config, &corpus(text), NonZeroUsize::new(threads).unwrap())
    }

    /// The sum of p(word | state) over all words but `<s>`.
    fn sum(model: &NgramModel, state: State) -> f64 {
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

    fn any_config() -> impl Strategy<Value = Config> {
        use Smoothing::{GoodTuring, KneserNey, ModifiedKneserNey, WittenBell};
        let smoothing = prop::sample::select(vec![ModifiedKneserNey, KneserNey, WittenBell, GoodTuring]);
        let most = prop::option::of((1usize..7).prop_map(|most| NonZeroUsize::new(most).unwrap()));
        (1usize..=5, smoothing, any::<bool>(), most, 0u32..4).prop_map(
            |(order, smoothing, back_off, most, least)| Config {
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
                known: most.map_or(Known::All, Known::Most),
                tokens: Tokens::Given,
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
            prop_assert!((sum(&model, State::EMPTY) - 1.0).abs() < 1e-5);
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
        // After every <s> Ana, then once a and once b; fallback discounts are 0.5, 1 and 1.5.
        let config =
            Config { order: 2, fallback: Some([0.5, 1.0, 1.5]), tokens: Tokens::Given, ..Config::default() };
        let model = trained(&config, "Ana a\nAna b", 1).unwrap();
        let p = |words: &[&str]| {
            let id = |word: &&str| model.vocabulary().id(word);
            let (last, history) = words.split_last().unwrap();
            let state =
                history.iter().fold(State::EMPTY, |state, word| model.scorer().step(state, id(word)).state);
            10f64.powf(f64::from(model.scorer().step(state, id(last)).log10))
        };
        // Different words before: Ana 1, a 1, b 1, </s> 2; 5 in all. Taken: 3 × 0.5 + 1 = 2.5, half of them. V is 5.
        assert!((p(&["Ana"]) - (0.5 / 5.0 + 0.5 / 5.0)).abs() < 1e-6);
        assert!((p(&["</s>"]) - (1.0 / 5.0 + 0.5 / 5.0)).abs() < 1e-6);
        assert!((p(&["Eva"]) - 0.5 / 5.0).abs() < 1e-6);
        // After Ana a 1 and b 1, of which half is taken.
        assert!((p(&["Ana", "a"]) - (0.5 / 2.0 + 0.5 * 0.2)).abs() < 1e-6);
        assert!((p(&["Ana", "Ana"]) - 0.5 * 0.2).abs() < 1e-6);
        // After <s> Ana 2, of which 1 is taken.
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
            error.contains("3-grams have the count 3") && error.contains("--discount-fallback"),
            "{error}"
        );
    }

    #[test]
    fn words_outside_the_vocabulary_are_counted_as_unknown() {
        let known = Known::List(vec!["Ana".to_owned(), "Eva".to_owned()]);
        let config = Config { order: 2, smoothing: Smoothing::WittenBell, known, ..Config::default() };
        let model = trained(&config, "Ana saw Rui.\nRui saw Ana.", 1).unwrap();
        assert_eq!(model.vocabulary().iter().collect::<Vec<_>>(), ["<unk>", "<s>", "</s>", "Ana", "Eva"]);
        // <s> Ana, Ana <unk>, <unk> <unk>, <unk> </s>; <s> <unk>, <unk> Ana, Ana </s>.
        assert_eq!(model.counts(), [5, 7]);
        let unknown = model.scorer().step(State::EMPTY, WordId::UNKNOWN).log10;
        // 4 of 8 tokens, and 3 different words: (4 + 3/4) / (8 + 3).
        assert!((10f64.powf(f64::from(unknown)) - 4.75 / 11.0).abs() < 1e-6);
    }

    #[test]
    fn rare_ngrams_go_and_what_they_held_is_backed_off() {
        let config =
            Config { order: 3, min_counts: vec![1, 2], fallback: Some([0.5, 1.0, 1.5]), ..Config::default() };
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
        let refused = |config: Config, text: &str| trained(&config, text, 1).unwrap_err().to_string();
        assert!(refused(Config { order: 8, ..Config::default() }, "Ana").contains("from 1 to 7"));
        assert!(refused(Config { min_counts: vec![2], ..Config::default() }, "Ana").contains("vocabulary"));
        assert!(
            refused(Config { min_counts: vec![1, 3, 2], ..Config::default() }, "Ana").contains("lower than")
        );
        assert!(refused(Config { min_counts: vec![1; 4], ..Config::default() }, "Ana").contains("4 orders"));
        assert!(
            refused(Config { fallback: Some([0.5, 3.0, 1.5]), ..Config::default() }, "Ana")
                .contains("at most")
        );
        assert!(refused(Config::default(), "").contains("has no words"));
        assert!(refused(Config::default(), "Ana").contains("too few 1-grams"));
        let given = Config { tokens: Tokens::Given, ..Config::default() };
        assert!(refused(given, "Ana </s> Rui").contains("has the word </s>"));
    }
}
