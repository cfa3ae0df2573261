//! Adapts a model to a small text by maximum a posteriori estimation, with the model's weights as
//! the mean of the prior (Chelba & Acero 2004, section 4).
//!
//! The changes of the weights, called moves, are learned. They minimise the sum of −ln P over the
//! words of the text plus half the squared moves divided by the variance, so a weight moves only as
//! far as the text supports. As under `--l2`, the squares are taken over the weights of all
//! classes, so that no class is preferred.

use std::num::NonZeroUsize;

use serde::Serialize;

use super::cells::{Gradient, TrainingWeights};
use super::count::mixed;
use super::dataset::{DataSet, GapData, GapLabels};
use super::marks;
use super::trainer::Trainer;
use super::{MaxentConfig, ModelSize, Solving, find, own, words_of};
use crate::corpus::Corpus;
use crate::methods::{Adapted, Adapter, Watch, check_locale, json};
use majuscule_base::error::{Error, Result, option};
use majuscule_methods::maxent::hash::hash;
use majuscule_methods::maxent::marks::{MarkClasses, MarkModel};
use majuscule_methods::maxent::profile::is_rare;
use majuscule_methods::maxent::table::HashTable;
use majuscule_methods::maxent::weights::{WeightLevels, WeightTable};
use majuscule_methods::maxent::{BEGIN, Maxent, WEIGHTS_EACH};
use majuscule_methods::model::Store;
use majuscule_methods::spellings;

/// The settings for adapting a model.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct Adaptation {
    /// The variance of the prior on the weights, which limits how far they may move. With 0 they
    /// stay, and only new words become known
    // Of 0, 0.01, 0.1, 1 and 10, this is the best for adapting a model of parliament debates to talks
    // and telephone calls; performance on the old domain suffers little.
    #[arg(long, value_name = "VARIANCE", allow_negative_numbers = true, default_value_t = 0.1)]
    pub variance: f64,
    /// The number of passes over the corpus
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub epochs: usize,
    /// The learning rate
    #[arg(long, value_name = "STEP", default_value_t = MaxentConfig::RATE)]
    pub rate: f32,
    /// The binary logarithm of the number of hashed weights that features share
    #[arg(long, value_name = "BITS", default_value_t = 22)]
    pub bits: u32,
    /// Change or add the weights of at most N features, those that move most
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub size: usize,
    /// Keep the statistics of the N most frequent words of the corpus
    #[arg(long, value_name = "N", default_value_t = MaxentConfig::VOCABULARY)]
    pub vocabulary: usize,
    /// Hold out this fraction of the examples, and stop when the loss on them gets worse; the best
    /// weights are kept
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true, default_value_t = Solving::HELD_OUT)]
    pub held_out: f64,
    /// The number of epochs in a row that may be worse than the best
    #[arg(long, value_name = "N", default_value_t = Solving::PATIENCE)]
    pub patience: usize,
    /// The seed of the choice of held-out examples
    #[arg(long, value_name = "N", default_value_t = Solving::SEED)]
    pub seed: u64,
}

majuscule_arguments::default_of_arguments!(Adaptation);

impl Adapter for Adaptation {
    fn method(&self) -> &'static str {
        "maxent"
    }

    fn adapt(
        &self,
        store: &dyn Store,
        corpus: &Corpus,
        threads: NonZeroUsize,
        _: &mut Watch<'_>,
    ) -> Result<Adapted> {
        let sections = adapt(self, &Maxent::load(store)?, corpus, threads)?.sections();
        Ok(Adapted { config: json(self), settings: serde_json::Value::Null, labels: None, sections })
    }
}

/// Adapts a model to a text, and returns a new model that knows the words of both. If the model
/// inserts marks and the text has marks, their weights are adapted too. The text's statistics of a
/// word replace the model's statistics only if the model hardly knows the word; the text's mixed-case
/// spelling of a word always replaces the model's.
///
/// # Errors
/// If the corpus cannot be read, teaches no case, has another case mapping than the model, or hides
/// sentence boundaries from a model that cannot find them; and if the settings are invalid.
pub fn adapt(
    adaptation: &Adaptation,
    model: &Maxent,
    corpus: &Corpus,
    threads: NonZeroUsize,
) -> Result<Maxent> {
    let config = adaptation.config(model)?;
    check_corpus(model, corpus)?;
    let settings = &model.settings;
    let (words, order, _) = words_of(corpus, config.vocabulary, threads)?;
    let data = DataSet {
        config: &config,
        set: &model.features,
        corpus,
        words: &words,
        model: Some(model),
        gazetteers: &model.gazetteers,
        // Sentence beginnings are learned only where sentences run together.
        begins: settings.begins && corpus.protocol().runs_on(),
        gaps: None,
        tagged: None,
    };
    let move_weights = |data: DataSet<'_>, weights: &WeightTable, steps: u32| match adaptation.variance {
        0.0 => Ok(weights.clone()),
        _ => moved(weights, steps, &find(&Trainer { data, threads }, adaptation.size, None, 0)?),
    };
    let weights = move_weights(data, &model.weights, settings.steps)?;
    let windows = corpus.in_windows()?;
    let marks = match &model.marks {
        Some(part) if marks::are_shown(&windows)? => {
            let gaps = GapData {
                features: &part.features,
                marks: part.settings.marks,
                learned: GapLabels::Marks(MarkClasses::Frequent),
                fraction: 1.0,
            };
            let data = DataSet { corpus: &windows, gaps: Some(gaps), ..data };
            Some(MarkModel {
                weights: move_weights(data, &part.weights, part.settings.steps)?,
                ..part.clone()
            })
        }
        part => part.clone(),
    };
    let own = order.iter().map(|lower| {
        let profile = profile(&data, lower, words[lower].counts.profile());
        own(lower, profile, &data, &weights)
    });
    let own = HashTable::open(model.words.with(own).into()).map_err(Error::usage)?;
    let locale = model.cases.locale();
    let known = spellings::read(model.cases.text(), locale).collect();
    let mixed = mixed(&order, &words, known, locale);
    let adapted = Maxent::new(weights, own, model.gazetteers.clone(), mixed, settings.clone(), locale);
    Ok(adapted.with_marks(marks).with_openings(model.openings.clone()))
}

impl Adaptation {
    /// Returns the settings of a training with the features of the model.
    fn config(&self, model: &Maxent) -> Result<MaxentConfig> {
        if !(self.variance.is_finite() && self.variance >= 0.0) {
            return Err(Error::usage(format!(
                "{} {}: expected 0 or a greater number",
                option("variance"),
                self.variance
            )));
        }
        let Self { epochs, rate, bits, vocabulary, held_out, patience, seed, .. } = *self;
        let config = MaxentConfig {
            look_ahead: model.settings.look_ahead,
            epochs,
            rate,
            bits,
            size: ModelSize::Features(self.size),
            vocabulary,
            // The weight of the penalty is the reciprocal of the variance, capped where it overflows.
            solving: Solving {
                l2: (1.0 / self.variance).min(f64::MAX),
                held_out,
                patience,
                seed,
                ..Solving::default()
            },
            ..MaxentConfig::default()
        };
        config.check()?;
        Ok(config)
    }
}

/// Refuses a corpus that the model cannot learn from.
fn check_corpus(model: &Maxent, corpus: &Corpus) -> Result<()> {
    check_locale(corpus, model.cases.locale())?;
    let protocol = corpus.protocol();
    if protocol.runs_on() && !model.settings.begins {
        return Err(Error::usage(format!(
            "{} {protocol} hides sentence starts, but the model was trained with them visible: adapt it under text, batista, rei or susanto, or train one under {}",
            option("protocol"),
            protocol.name()
        )));
    }
    Ok(())
}

/// Returns the profile of a word whose profile in the text is `here`: the model's profile if the word
/// is not rare in the model, or is rare in both; otherwise `here`.
pub(super) fn profile(data: &DataSet<'_>, lower: &str, here: u16) -> u16 {
    let known = data.model.and_then(|model| model.words.reader().get(hash(lower.as_bytes())));
    match known.map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]])) {
        Some(known) if !is_rare(known) || is_rare(here) => known,
        _ => here,
    }
}

/// Adds moves to the weights of a model, in its quantised levels; `steps` levels are a weight of 1.
fn moved(weights: &WeightTable, steps: u32, moves: &TrainingWeights) -> Result<WeightTable> {
    let steps = steps as f32;
    let width = weights.width();
    let moved = moves.by_feature().filter_map(|(feature, by)| {
        let old = weights.get(feature).unwrap_or_default();
        let new: WeightLevels = std::array::from_fn(|at| width.nearest(f32::from(old[at]) + by[at] * steps));
        (new != old).then_some((feature, new))
    });
    WeightTable::open(weights.with(moved).into()).map_err(Error::usage)
}

/// The weights of the model that is adapted, to which moves are added.
#[derive(Clone)]
pub(super) struct Base {
    weights: WeightTable,
    /// The size of a quantised level.
    step: f32,
}

/// Returns the weights of the model that is adapted, if any: the weights of marks if marks are
/// learned.
pub(super) fn base(data: &DataSet<'_>) -> Option<Base> {
    let model = data.model?;
    let (weights, steps) = match (&data.gaps, &model.marks) {
        (Some(_), Some(marks)) => (&marks.weights, marks.settings.steps),
        (Some(_), None) => return None,
        (None, _) => (&model.weights, model.settings.steps),
    };
    Some(Base { weights: weights.clone(), step: 1.0 / steps as f32 })
}

impl Base {
    /// Sums the weights of features. Features after the first `all` affect only sentence
    /// beginnings.
    #[inline]
    pub(super) fn logits(&self, features: &[u64], all: usize) -> Gradient {
        let (of_class, others) = features.split_at(all);
        let (mut sums, mut beginning) = ([0; WEIGHTS_EACH], [0; WEIGHTS_EACH]);
        self.weights.add(of_class, &mut sums);
        self.weights.add(others, &mut beginning);
        sums[BEGIN] += beginning[BEGIN];
        sums.map(|sum| sum as f32 * self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use crate::methods::maxent::train;
    use majuscule_text::restorer::{Request, Restorer};
    use majuscule_text::{Locale, Tokens};

    fn corpus(text: &str, protocol: Protocol, locale: Locale) -> Corpus {
        let reading = Reading { split: true, language: Some("en".to_owned()), ..Reading::default() };
        Corpus::of_text(text, reading, protocol, locale)
    }

    const ASR: Protocol = Protocol::Asr { window: NonZeroUsize::new(20).unwrap() };

    /// Returns a model to be adapted.
    fn background(protocol: Protocol) -> Maxent {
        let text = "They told us in Lisbon.\nThey saw the US army at the river bank.\nShe said that Anna met the mark.\n\
                    He went to Porto with a rose.\nOur iPhone was at Anna's house.\n";
        let config = MaxentConfig { bits: 14, look_ahead: 1, ..MaxentConfig::default() };
        let corpus = corpus(&text.repeat(60), protocol, Locale::Root);
        train(&config, &corpus, NonZeroUsize::MIN).unwrap()
    }

    const SMALL: Adaptation = Adaptation {
        variance: 1.0,
        epochs: 5,
        rate: 0.1,
        bits: 14,
        size: 10_000,
        vocabulary: 1000,
        held_out: 0.0,
        patience: 1,
        seed: 1,
    };

    fn adapted(adaptation: &Adaptation, model: &Maxent, text: &str, threads: usize) -> Result<Maxent> {
        let corpus = corpus(text, Protocol::Text, Locale::Root);
        adapt(adaptation, model, &corpus, NonZeroUsize::new(threads).unwrap())
    }

    fn cases(model: &Maxent, words: &str) -> Vec<String> {
        let tokens = Tokens::of_words(words.split(' '), Locale::Root);
        let choices =
            model.restore_batch(std::slice::from_ref(&tokens), Request::default()).unwrap().remove(0);
        let applied = |(at, choice): (usize, &majuscule_text::Choice)| {
            choice.label.case.applied(tokens.lower(at), Locale::Root)
        };
        choices.iter().enumerate().map(applied).collect()
    }

    const KNOWN: &str = "they told us in lisbon they saw the us army at the river bank she said that anna met the mark \
                         he went to porto with a rose our iphone was at anna's house";

    const NEWS: &str = "We spoke with Zelda and with the eBay people.\nIt was Zelda who paid.\nThey saw that Zelda and Mark met.\n\
                        I asked Mark about it.\nThen Mark told us of eBay.\nShe wrote to Mark in Lisbon.\n";

    #[test]
    fn a_new_name_and_a_new_spelling_are_learned_and_other_words_stay() {
        for protocol in [Protocol::Text, ASR] {
            let model = background(protocol);
            let new = adapted(&SMALL, &model, NEWS, 1).unwrap();
            let now = cases(&new, "they saw zelda and the ebay people at the river");
            assert_eq!(now[1..], ["saw", "Zelda", "and", "the", "eBay", "people", "at", "the", "river"]);
            let other = "he went to porto with a rose our iphone was at anna's house";
            assert_eq!(cases(&new, other), cases(&model, other));
            // Words that the model knew otherwise are learned anew.
            assert_eq!(cases(&model, "she wrote to mark in lisbon")[3], "mark");
            assert_eq!(cases(&new, "she wrote to mark in lisbon")[3], "Mark");
        }
    }

    #[test]
    fn without_variance_weights_stay_and_with_hardly_any_choices_do() {
        let model = background(Protocol::Text);
        for variance in [0.0, f64::MIN_POSITIVE, 1e-9] {
            let new = adapted(&Adaptation { variance, ..SMALL }, &model, NEWS, 1).unwrap();
            assert!(new.weights.bytes() == model.weights.bytes(), "{variance}");
            assert_eq!(cases(&new, KNOWN), cases(&model, KNOWN));
        }
        let new = adapted(&SMALL, &model, "They told us in Lisbon.", 1).unwrap();
        assert_eq!(cases(&new, KNOWN), cases(&model, KNOWN));
    }

    #[test]
    fn any_number_of_threads_learns_the_same() {
        let model = background(Protocol::Text);
        let sections = |threads: usize| {
            let adaptation = Adaptation { held_out: 0.2, ..SMALL };
            adapted(&adaptation, &model, &NEWS.repeat(30), threads).unwrap().sections()
        };
        assert!(sections(1) == sections(3));
    }

    #[test]
    fn what_cannot_be_learned_from_is_refused() {
        let model = background(Protocol::Text);
        for variance in [-1.0, f64::NAN, f64::INFINITY] {
            let problem = adapted(&Adaptation { variance, ..SMALL }, &model, NEWS, 1).unwrap_err();
            assert!(problem.to_string().contains("`variance`"), "{problem}");
        }
        let problem = adapted(&SMALL, &model, " \n", 1).unwrap_err().to_string();
        assert!(problem.contains("has no words"), "{problem}");
        let problem = |protocol, locale| {
            let corpus = corpus(NEWS, protocol, locale);
            adapt(&SMALL, &model, &corpus, NonZeroUsize::MIN).unwrap_err().to_string()
        };
        let found = problem(Protocol::Text, "tr".parse().unwrap());
        assert!(found.contains("\"tr\"") && found.contains("`lang`"), "{found}");
        let found = problem(ASR, Locale::Root);
        assert!(found.contains("`protocol` asr:20"), "{found}");
        assert!(adapted(&Adaptation { epochs: 0, ..SMALL }, &model, NEWS, 1).is_err());
    }
}
