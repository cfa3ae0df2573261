//! Training of a language model and a map of word forms from a cased corpus, or from files of both.

mod compact;
#[cfg(test)]
mod decoding;

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

pub use compact::compact;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::balance::{MarkOptions, Sample, best_costs, f_of};
use super::{Learned, Learner, Watch, json};
use crate::corpus::Corpus;
use crate::lexicon::{Lexicon, LexiconEntry, build};
use crate::lm::kneser_ney::{self, Smoothing};
use crate::lm::words::{KnownWords, WordUnits, check_marks};
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_lm::forms::{Forms, check_weight};
use majuscule_lm::vocab::SPECIAL;
use majuscule_lm::{NgramModel, binary};
use majuscule_methods::gaps::MarkCosts;
use majuscule_methods::hmm::guess::{AFTER_CAPITALS, CASES, Guesser, LONGEST, is_capitals};
use majuscule_methods::hmm::{ENDINGS, Hmm, HmmSettings, LANGUAGE_MODEL, MAP, checked_language_model};
use majuscule_methods::model::Section;
use majuscule_text::restorer::Restorer;
use majuscule_text::{Case, Class, Labels, Locale, Mark};

/// The settings for training `hmm`.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct HmmConfig {
    /// The language model and the map
    #[command(flatten)]
    #[serde(flatten)]
    pub language: LanguageAndMap,
    /// The weight of the map's numbers, which for a corpus are the relative frequencies of a word's
    /// forms; 0 means P(lower | form) = 1 for all forms
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true, default_value_t = 0.0)]
    pub map_weight: f32,
}

majuscule_arguments::default_of_arguments!(HmmConfig);

/// The language model and the map of a method that scores forms.
#[derive(Debug, Clone, PartialEq, Default, Serialize, clap::Args)]
pub struct LanguageAndMap {
    /// Use an existing language model, ARPA or binary, instead of training one; the map is then
    /// built from its words, unless --map or a corpus gives one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["order", "smoothing", "back_off", "min_counts", "vocabulary"])]
    #[serde(serialize_with = "crate::methods::names")]
    pub lm: Option<PathBuf>,
    /// Use an existing map of forms, in the format of SRILM's disambig and `lexicon export --format
    /// map`
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "crate::methods::names")]
    pub map: Option<PathBuf>,
    /// The settings for training the language model
    #[command(flatten)]
    #[serde(flatten)]
    pub ngrams: kneser_ney::KneserNeyConfig,
    /// Keep the N most frequent forms in the language model; all others are counted as the unknown
    /// word
    #[arg(long, value_name = "N")]
    pub vocabulary: Option<NonZeroUsize>,
    /// The treatment of words that are not in the map
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub unknown: UnknownWords,
    /// The punctuation marks to learn, as words of the language model
    #[command(flatten)]
    #[serde(flatten)]
    pub punctuation: MarkOptions,
}

/// The treatment of words that are not in the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[derive(clap::ValueEnum)]
pub enum UnknownWords {
    /// They get their case from their parts, their endings and capitals before them, as the rare
    /// words of the corpus do
    #[default]
    Guess,
    /// They stay in lower case, as with disambig -keep-unk
    Keep,
}

impl Learner for HmmConfig {
    fn name(&self) -> &'static str {
        "hmm"
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.language.inputs()
    }

    fn needs_corpus(&self) -> bool {
        self.language.lm.is_none()
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, _: &mut Watch<'_>) -> Result<Learned> {
        let model = train(self, corpus, threads)?;
        let (settings, labels) = (json(&model.settings), model.labels.clone());
        Ok(self.language.learned(self, settings, labels, model.sections))
    }
}

/// Trains on a corpus, or combines an existing language model and map.
///
/// # Errors
/// If the corpus cannot be read or shows nothing about case, and the errors of the language model.
pub fn train(config: &HmmConfig, corpus: &Corpus, threads: NonZeroUsize) -> Result<Hmm> {
    let HmmConfig { language, map_weight } = config;
    check_weight("map-weight", *map_weight)?;
    let make = |part: &Corpus, marks| {
        let settings = HmmSettings { lm_weight: 1.0, map_weight: *map_weight, marks };
        with_settings(config, settings, part, threads)
    };
    language.balanced(corpus, &make, |model| &mut model.settings.marks)
}

fn with_settings(
    config: &HmmConfig,
    settings: HmmSettings,
    corpus: &Corpus,
    threads: NonZeroUsize,
) -> Result<Hmm> {
    let language = &config.language;
    let LanguageParts { model, forms, guesser, mut sections } = language.parts(corpus, threads)?;
    let mut binary = Vec::new();
    binary::write(&model, &mut binary).map_err(|error| Error::io("write", LANGUAGE_MODEL, error))?;
    sections.insert(0, (LANGUAGE_MODEL.to_owned(), binary));
    let (locale, labels) = (corpus.locale(), language.labels());
    Ok(Hmm { model, forms, guesser, settings, locale, labels, sections })
}

/// The parts of a method that are built from a language model and a map.
#[derive(Debug)]
pub struct LanguageParts {
    /// The language model.
    pub model: NgramModel,
    /// The forms of each word.
    pub forms: Forms,
    /// The guesser for words that the map lacks.
    pub guesser: Option<Guesser>,
    /// The files of the map and of the guesser.
    pub sections: Vec<Section>,
}

impl LanguageAndMap {
    /// Returns the files that are read besides the corpus.
    pub fn inputs(&self) -> Vec<PathBuf> {
        self.lm.iter().chain(&self.map).cloned().collect()
    }

    /// Builds the parts that a decoder needs.
    pub fn parts(&self, corpus: &Corpus, threads: NonZeroUsize) -> Result<LanguageParts> {
        let locale = corpus.locale();
        // Invalid settings and files are reported before the corpus is read.
        let config = self.kneser_ney();
        config.check()?;
        let model = self.lm.as_ref().map(|file| checked_language_model(file, None)).transpose()?;
        corpus.note(model.as_ref().map_or(&[], NgramModel::notes));
        let map = self.map.as_ref().map(|file| files::open(file)?.text()).transpose()?;
        let lexicon = build::build(corpus, &corpus.name(), threads)?;
        if lexicon.is_empty() && self.lm.is_none() {
            return Err(build::no_words(corpus));
        }
        build::check_cased(&lexicon, &corpus.name())?;
        let model = match model {
            Some(model) => model,
            None => kneser_ney::train(&config, corpus, threads)?,
        };
        let name = self.lm.as_ref().map_or(LANGUAGE_MODEL.into(), |file| file.to_string_lossy());
        check_marks(&name, model.vocabulary(), self.punctuation.learned())?;
        if model.vocabulary().len() == SPECIAL.len() {
            return Err(Error::file(name, "contains no words: expected a language model of cased text"));
        }
        let map = match map {
            Some(map) => map,
            None if lexicon.is_empty() => Forms::of_vocabulary(model.vocabulary(), locale).to_map(locale),
            None => map_of(&lexicon),
        };
        let name = self.map.as_ref().map_or(MAP.into(), |file| file.to_string_lossy());
        let forms = Forms::read(&name, &map, model.vocabulary(), locale)?;
        let mut sections = vec![(MAP.to_owned(), map.into_bytes())];
        let mut guesser = None;
        if self.unknown == UnknownWords::Guess && !lexicon.is_empty() {
            let endings = endings(&lexicon, after_capitals(corpus, &lexicon, threads)?);
            guesser = Some(Guesser::read(&endings).expect("what is written can be read"));
            sections.push((ENDINGS.to_owned(), endings.into_bytes()));
        }
        Ok(LanguageParts { model, forms, guesser, sections })
    }

    /// Returns the trained model of a method with this language model and map. `settings` are the
    /// settings of the model, and `config` the settings of training. The manifest omits the training
    /// settings of the language model if an existing one was used, and the treatment of unknown
    /// words if there was no corpus to learn it from.
    pub fn learned(
        &self,
        config: &impl Serialize,
        mut settings: serde_json::Value,
        labels: Labels,
        sections: Vec<Section>,
    ) -> Learned {
        let mut recorded = json(config);
        if self.lm.is_some()
            && let (Some(settings), Some(training)) =
                (recorded.as_object_mut(), json(&self.ngrams).as_object())
        {
            settings.retain(|key, _| !training.contains_key(key) && key != "vocabulary");
        }
        if sections.iter().all(|(name, _)| name != ENDINGS) {
            recorded["unknown"] = json(&UnknownWords::Keep);
        }
        settings["config"] = recorded;
        let learned = Learned { settings, labels, sections, files: Vec::new() };
        learned.trained_on(&self.inputs())
    }

    /// Returns the labels: each class of case with each learned mark and with none.
    pub fn labels(&self) -> Labels {
        let marks = || [Mark::None].into_iter().chain(self.punctuation.learned().iter());
        Labels::new(marks().flat_map(|mark| Class::ALL.map(|class| (class, mark))))
    }

    /// Trains a method and chooses its costs of marks. `make` trains the method on a corpus with
    /// given costs, and `own` returns the field of a model that holds them.
    ///
    /// Costs that the user gives are kept. The others get the values with the best F on held-out
    /// text from the corpus; they stay 1 if an existing language model is used, which may have seen
    /// that text, or if the corpus is small.
    ///
    /// # Errors
    /// If a cost is not a positive number, the corpus cannot be read, or the method fails.
    pub fn balanced<M: Restorer>(
        &self,
        corpus: &Corpus,
        make: &dyn Fn(&Corpus, Option<MarkCosts>) -> Result<M>,
        own: fn(&mut M) -> &mut Option<MarkCosts>,
    ) -> Result<M> {
        let given = self.punctuation.given_costs();
        let [mark_cost, end_cost] = self.punctuation.checked_costs(self.punctuation.learned())?;
        let start = self.punctuation.marks.map(|_| MarkCosts { mark_cost, end_cost });
        let mut model = make(corpus, start)?;
        let Some(marks) = self.punctuation.marks.filter(|_| given.contains(&None) && self.lm.is_none())
        else {
            return Ok(model);
        };
        let Some(Sample { learned, held_out }) = Sample::of(corpus)? else { return Ok(model) };
        // A part may lack a rare mark, which the whole corpus has.
        let Ok(mut part) = make(&learned, start) else { return Ok(model) };
        let [mark_cost, end_cost] = best_costs(given, [mark_cost, end_cost], |[mark_cost, end_cost]| {
            *own(&mut part) = Some(MarkCosts { mark_cost, end_cost });
            f_of(&part, marks, &held_out)
        })?;
        *own(&mut model) = Some(MarkCosts { mark_cost, end_cost });
        Ok(model)
    }

    fn kneser_ney(&self) -> kneser_ney::KneserNeyConfig {
        let mut config = self.ngrams.clone();
        if let Some(marks) = self.punctuation.marks {
            config.tokens = WordUnits::Marked(marks);
        }
        if let Some(most) = self.vocabulary {
            config.known = KnownWords::Most(most);
        }
        // With fallback discounts, a corpus of any size trains a model.
        if let Smoothing::KneserNey | Smoothing::ModifiedKneserNey = config.smoothing {
            config.fallback = config.fallback.or(Some([0.5, 1.0, 1.5]));
        }
        config
    }
}

/// Returns the map of a corpus: the forms of each word with their relative frequencies, sorted by
/// their counts inside sentences. A word seen only at the beginnings of sentences has one form,
/// since a capital means nothing there.
fn map_of(lexicon: &Lexicon) -> String {
    let mut map = String::new();
    for entry in lexicon.iter() {
        map.push_str(entry.word);
        let mut form = |case: Case, fraction: f64| {
            let _ = write!(map, " {} {}", case.applied(entry.word, lexicon.locale()), fraction as f32);
        };
        if entry.count() == 0.0 {
            form(entry.majority(), 1.0);
        } else {
            let mut forms: Vec<_> = entry.forms.iter().collect();
            // The sort is stable: of equally frequent forms, the smaller change comes first.
            forms.sort_by(|a, b| b.count.total_cmp(&a.count).then(b.initial.total_cmp(&a.initial)));
            forms.iter().for_each(|found| form(found.case, found.total() / entry.total()));
        }
        map.push('\n');
    }
    map
}

/// The maximum count of a rare word; rare words resemble unknown words (Brants 2000, section 2.3).
const RARE: f64 = 10.0;

/// The counts of [`CASES`].
type CaseCounts = [f64; 3];

fn counts(entry: &LexiconEntry<'_>) -> CaseCounts {
    CASES.map(|case| entry.forms.iter().filter(|form| form.case == case).map(|form| form.count).sum())
}

fn is_rare(entry: &LexiconEntry<'_>, locale: Locale) -> bool {
    entry.total() <= RARE && locale.letter_count(entry.word) > 0
}

/// Returns the text of a guesser.
fn endings(lexicon: &Lexicon, after_capitals: [f64; 3]) -> String {
    let mut found: FxHashMap<&str, CaseCounts> = FxHashMap::default();
    for entry in lexicon.iter().filter(|entry| is_rare(entry, lexicon.locale())) {
        let counts = counts(&entry);
        let starts = entry.word.char_indices().rev().map(|(at, _)| at).take(LONGEST);
        for start in starts.chain([entry.word.len()]) {
            let sum = found.entry(&entry.word[start..]).or_default();
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    let all = found.get("").copied().unwrap_or_default();
    let fractions: FxHashMap<&str, CaseCounts> =
        found.iter().map(|(&ending, &counts)| (ending, fraction(counts))).collect();
    let weight = deviation(fraction(all));
    let mut endings: Vec<&str> = found
        .iter()
        .filter(|(_, counts)| counts.iter().sum::<f64>() > 0.0)
        .map(|(&ending, _)| ending)
        .collect();
    // Shorter endings come first, since each is smoothed by the ending one character shorter.
    endings.sort_by_key(|ending| (ending.chars().count(), *ending));
    let mut smooth: FxHashMap<&str, CaseCounts> = FxHashMap::default();
    let mut text = String::new();
    let mut line = |ending: &str, numbers: CaseCounts| {
        let [lower, title, upper] = numbers.map(|number| number as f32);
        let _ = writeln!(text, "{ending}\t{lower}\t{title}\t{upper}");
    };
    if endings.is_empty() {
        line("", [1.0, 0.0, 0.0]);
    }
    for ending in endings {
        let smoothed = match ending.chars().next() {
            None => fraction(all),
            Some(first) => {
                let shorter = smooth.get(&ending[first.len_utf8()..]).copied().unwrap_or(fraction(all));
                std::array::from_fn(|case| {
                    (fractions[ending][case] + weight * shorter[case]) / (1.0 + weight)
                })
            }
        };
        smooth.insert(ending, smoothed);
        line(ending, smoothed);
    }
    line(AFTER_CAPITALS, after_capitals);
    text
}

fn fraction(counts: CaseCounts) -> CaseCounts {
    let total: f64 = counts.iter().sum();
    if total > 0.0 { counts.map(|count| count / total) } else { [1.0, 0.0, 0.0] }
}

/// Returns the standard deviation of the fractions, which is the weight of a shorter ending (Brants
/// 2000, equation 10).
fn deviation(fractions: CaseCounts) -> f64 {
    let mean = 1.0 / fractions.len() as f64;
    (fractions.iter().map(|fraction| (fraction - mean).powi(2)).sum::<f64>() / (fractions.len() - 1) as f64)
        .sqrt()
}

/// Returns, for each case of a rare word, its probability after a word in capitals divided by its
/// probability elsewhere.
fn after_capitals(corpus: &Corpus, lexicon: &Lexicon, threads: NonZeroUsize) -> Result<[f64; 3]> {
    let locale = corpus.locale();
    let rare: FxHashSet<&str> =
        lexicon.iter().filter(|entry| is_rare(entry, locale)).map(|entry| entry.word).collect();
    let parts = corpus.map_reduce(
        threads,
        || [[0.0; 3]; 2],
        |counts: &mut [[f64; 3]; 2], example| {
            let mut after = false;
            for ((word, _), gold) in example.tokens.iter().zip(&example.gold) {
                let case = gold.label.case;
                let class = CASES.iter().position(|&known| known == case).filter(|_| gold.scored);
                if let Some(class) = class
                    && rare.contains(word)
                {
                    counts[usize::from(after)][class] += 1.0;
                }
                after = case.class() == Class::Upper && is_capitals(case, locale.letter_count(word));
            }
            Ok(())
        },
    )?;
    // Add-one smoothing keeps unseen cases possible.
    let sum = |after: usize, case: usize| 1.0 + parts.iter().map(|part| part[after][case]).sum::<f64>();
    let fraction_of = |after: usize| fraction(std::array::from_fn(|case| sum(after, case)));
    let (otherwise, after) = (fraction_of(0), fraction_of(1));
    Ok(std::array::from_fn(|case| after[case] / otherwise[case]))
}
