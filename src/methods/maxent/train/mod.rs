//! A cased corpus in, a model out: words are counted, weights learned, those that matter chosen and learned again.

mod adagrad;
mod count;

use std::num::NonZeroUsize;

use rustc_hash::FxHashSet;
use serde::Serialize;

use super::features::{self, Group, Seen};
use super::profile::Counts;
use super::table::Table;
use super::{Maxent, Settings, WEIGHTS_EACH, WORD, add};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::lexicon::build;
use crate::text::{Class, Token};
use adagrad::{Run, Weights};
use count::{count, mixed, most_frequent};

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
    /// In this share of the examples, leave out some of the right context: the model then also serves those who wait for fewer
    /// words
    #[cfg_attr(feature = "cli", arg(long, value_name = "SHARE", default_value_t = Config::default().leave_out))]
    pub leave_out: f32,
    /// How much worse a capital too many is than one too few: above 1 for precision, below for recall
    #[cfg_attr(feature = "cli", arg(long, value_name = "RATIO", default_value_t = Config::default().capital_cost))]
    pub capital_cost: f32,
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
            leave_out: 0.25,
            capital_cost: 1.0,
            epochs: 1,
            rate: 0.1,
            bits: 24,
            size: 1_000_000,
            vocabulary: 100_000,
        }
    }
}

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
    // Windows run across sentences: there, and only there, a beginning has to be found.
    let begins = corpus.protocol().runs_on();
    let run = Run { config, groups: &groups, corpus, words: &words, begins, threads };
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
        begins,
        capital_cost: config.capital_cost,
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
            () if !(0.0..=1.0).contains(&self.leave_out) => {
                format!("leave out {}: expected a share from 0 to 1", self.leave_out)
            }
            () if !(self.capital_cost.is_finite() && self.capital_cost > 0.0) => {
                format!("capital cost {}: expected a number greater than 0", self.capital_cost)
            }
            () if self.epochs == 0 => "0 epochs: expected at least 1".to_owned(),
            () if self.size == 0 || self.size > 1 << 28 => {
                format!("{} features: expected 1 to {}", self.size, 1 << 28)
            }
            () => return Ok(()),
        };
        Err(Error::Usage(problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use crate::restorer::{Restorer, Want};
    use crate::text::{Case, Locale, Mark, Tokens};

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
        let choices =
            model.restore_batch(&[tokens], Want { marks: true, ..Want::default() }).unwrap().remove(0);
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
