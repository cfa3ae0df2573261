//! Training of a maximum entropy model from a cased corpus: words are counted, weights learned, and
//! the most important features selected and retrained.

mod adagrad;
mod adapt;
mod cells;
mod checkpoint;
mod clusters;
mod count;
mod dataset;
mod exchange;
mod lazy;
mod lbfgs;
mod loss;
mod marks;
mod matrix;
pub mod names;
#[cfg(feature = "liblinear")]
mod one_vs_rest;
mod gazetteers;
#[cfg(test)]
mod packed;
mod quantisation;
mod rows;
mod size;
mod solving;
mod state;
mod tagger;
mod trainer;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::balance::MarkOptions;
use super::{Learned, Learner, Watch};
use crate::corpus::Corpus;
use crate::corpus::Protocol;
use crate::lexicon::build;
pub use adapt::{Adaptation, adapt};
use cells::{Index, TrainingWeights};
use checkpoint::Checkpoint;
use count::{WordTallies, count, digest, mixed, most_frequent};
use dataset::DataSet;
pub use exchange::{Exchange, ExchangeFormat, FitConfig, Target, fit, write_features, write_weights};
pub use gazetteers::read_lists;
use lazy::Penalty;
use majuscule_base::error::{Error, Result, option};
use majuscule_methods::maxent::filling::FeatureSet;
use majuscule_methods::maxent::gazetteers::Gazetteers;
use majuscule_methods::maxent::hash::hash;
use majuscule_methods::maxent::table::HashTable;
use majuscule_methods::maxent::templates::{FARTHEST, Group, REACH, VERSION};
use majuscule_methods::maxent::weights::{WeightTable, Width};
use majuscule_methods::maxent::{Maxent, MaxentSettings, WORD};
use majuscule_methods::model::Draft;
use majuscule_text::restorer::Restorer;
use majuscule_text::{Class, Token};
use quantisation::Quantised;
pub use size::ModelSize;
pub use solving::{Solver, Solving};
use state::{StateKeeper, TrainingState};
pub use tagger::{TagAccuracy, TaggerConfig, tag_accuracy, train_tagger};
use trainer::Trainer;

/// The settings for training `maxent`.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct MaxentConfig {
    /// The groups of features; by default a useful selection, with the groups of --list, --forms and
    /// --tagger if these are given
    #[arg(long, value_parser = majuscule_arguments::by_name::<Group>(), value_name = "GROUP,…", value_delimiter = ',')]
    pub features: Vec<Group>,
    /// A list of words and phrases in which words are looked up, one entry per line; may be given
    /// up to 16 times. The model includes it
    #[arg(long = "list", value_name = "FILE")]
    #[serde(serialize_with = "crate::methods::names")]
    pub lists: Vec<PathBuf>,
    /// A list of words in mixed case that the corpus may lack, one per line as it is spelled:
    /// iPhone, O'Neill. Entries of a --list count too; may be given several times
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "crate::methods::names")]
    pub spellings: Vec<PathBuf>,
    /// A lexicon of other text, from lexicon build, in which the usual spellings of words are
    /// looked up. The model includes it
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "crate::methods::names")]
    pub forms: Option<PathBuf>,
    /// A tagger, from tagger train, whose parts of speech are features of words. The model includes it
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "crate::methods::names", skip_serializing_if = "Option::is_none")]
    pub tagger: Option<PathBuf>,
    /// The number of words of right context that the features see: at most 3, or 8 with
    /// --marks (3 of them for case)
    #[arg(long, value_name = "N", default_value_t = MaxentConfig::LOOK_AHEAD)]
    pub look_ahead: usize,
    /// Dropout of right context: this fraction of the examples sees fewer words of it than
    /// --look-ahead, down to none, so that the model also works with less look-ahead
    #[arg(long, alias = "leave-out", value_name = "P", default_value_t = MaxentConfig::RIGHT_CONTEXT_DROPOUT)]
    pub right_context_dropout: f32,
    /// The cost of a wrong capital relative to the cost of a missing one: above 1 for precision, below for
    /// recall
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true, default_value_t = 1.0)]
    pub capital_cost: f32,
    /// The punctuation marks to learn
    #[command(flatten)]
    #[serde(flatten)]
    pub punctuation: MarkOptions,
    /// Keep N features of punctuation; by default as many as of case
    #[arg(long, value_name = "N", requires = "marks")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_size: Option<usize>,
    /// The number of passes over the corpus
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub epochs: usize,
    /// Shuffle the corpus in memory first, in stretches of N consecutive sentences, so that the text
    /// at its end has no larger influence than the rest; 0 keeps the order, and the corpus on disk
    #[arg(long, value_name = "N", default_value_t = 16)]
    #[serde(skip_serializing_if = "is_zero")]
    pub shuffle: usize,
    /// The learning rate
    #[arg(long, value_name = "STEP", default_value_t = MaxentConfig::RATE)]
    pub rate: f32,
    /// The binary logarithm of the number of hashed weights that features share
    #[arg(long, value_name = "BITS", default_value_t = 24)]
    pub bits: u32,
    /// Keep the N features with the largest weights, and train those again; or with a size such as
    /// 2MB or 500kB, keep as many as fit, with the words, into a packed model of that size
    #[arg(long, value_name = "N|SIZE", default_value_t = ModelSize::Features(1_000_000))]
    pub size: ModelSize,
    /// The number of bits of a weight in the model: with 8, weights above 6 are cut to 6, with a
    /// note; 16 is the default for weights from a file or from a solver other than AdaGrad
    #[arg(long, value_enum, value_name = "BITS")]
    pub weight_bits: Option<WeightBits>,
    /// Keep the statistics of the N most frequent words
    #[arg(long, value_name = "N", default_value_t = MaxentConfig::VOCABULARY)]
    pub vocabulary: usize,
    /// Save the progress of training to this file now and then. If the file exists, training
    /// resumes from it and gives the same model; the file is removed once the model is written
    #[arg(long, value_name = "FILE")]
    // Neither checkpoint setting is in a manifest: the model does not depend on them.
    #[serde(skip)]
    pub checkpoint: Option<PathBuf>,
    /// The number of words after which the checkpoint is written again
    #[arg(long, value_name = "WORDS", requires = "checkpoint", default_value_t = 5_000_000)]
    #[serde(skip)]
    pub checkpoint_every: u64,
    /// The solver and its settings
    #[command(flatten)]
    #[serde(flatten)]
    pub solving: Solving,
}

majuscule_arguments::default_of_arguments!(MaxentConfig);

/// The defaults that other arguments share.
impl MaxentConfig {
    const LOOK_AHEAD: usize = 3;
    const RIGHT_CONTEXT_DROPOUT: f32 = 0.25;
    const RATE: f32 = 0.1;
    const VOCABULARY: usize = 100_000;
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The number of bits of a weight in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
pub enum WeightBits {
    /// Weights up to 6, for a smaller model
    #[serde(rename = "8")]
    #[value(name = "8")]
    Eight,
    /// Weights of any size, in finer steps
    #[serde(rename = "16")]
    #[value(name = "16")]
    Sixteen,
}

impl Learner for MaxentConfig {
    fn name(&self) -> &'static str {
        "maxent"
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.inputs()
    }

    /// Returns the mixture of all kinds of text, so that a user's model also finds sentence beginnings
    /// in unpunctuated text.
    fn default_protocol(&self) -> Protocol {
        Protocol::Mix
    }

    fn notes(&self, draft: &Draft) -> Vec<String> {
        cut_note(&draft.manifest().settings).into_iter().collect()
    }

    fn checkpoint(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, _: &mut Watch<'_>) -> Result<Learned> {
        let model = train(self, corpus, threads)?;
        let learned = Learned::new(&model.settings, self, model.labels(), model.sections());
        Ok(learned.trained_on(&self.inputs()))
    }

    fn check(&self, draft: &Draft) -> Result<()> {
        self.size.check(draft)
    }
}

/// Trains a model. The file of [`MaxentConfig::checkpoint`] is kept, so that another run returns
/// the same model at once; remove it when the model is saved.
///
/// # Errors
/// If the corpus cannot be read or teaches no case; if the settings are invalid; or if the
/// checkpoint is of another training, is altered, or cannot be written.
pub fn train(config: &MaxentConfig, corpus: &Corpus, threads: NonZeroUsize) -> Result<Maxent> {
    let checkpoint = Checkpoint::new(config, corpus)?;
    let shuffled = (config.shuffle > 0).then(|| corpus.shuffled(config.shuffle)).transpose()?;
    let corpus = shuffled.as_ref().unwrap_or(corpus);
    let (mut gazetteers, spellings) = gazetteers::read(config, corpus)?;
    let prepared = Prepared::new(config, corpus, threads)?;
    let Prepared { words, order, digest, groups, begins, .. } = &prepared;
    if groups.contains(&Group::Clusters) || config.punctuation.marks.is_some() && config.features.is_empty() {
        let clusters = order.iter().zip(clusters::clusters(order, corpus, threads)?);
        let clusters = clusters.map(|(lower, class)| (hash(lower.as_bytes()), [class]));
        gazetteers.clusters = Some(gazetteers::table(clusters)?);
    }
    let data = prepared.data(config, corpus, &gazetteers);
    let mixed = mixed(order, words, spellings, corpus.locale());
    let mut others = vec![HashTable::<WORD>::size(order.len()), mixed.len()];
    others.extend(config.punctuation.marks.and(config.size.bytes_of_marks()));
    if config.punctuation.marks.is_some_and(|marks| !marks::possible_openings(marks, corpus).is_empty()) {
        others.push(config.width().size(marks::OPENING_FEATURES));
    }
    others.extend(gazetteers.sections().iter().map(|(_, bytes)| bytes.len()));
    let features = config.size.features(config, corpus, &others)?;
    let found = find(&Trainer { data, threads }, features.trained, checkpoint, *digest)?;
    let Quantised { unit: steps, cut, table } = found.quantised(config.width(), features.kept);
    let table = WeightTable::open(table.into()).map_err(Error::usage)?;
    let own = order.iter().map(|lower| own(lower, words[lower].counts.profile(), &data, &table));
    let own = gazetteers::table(own)?;
    let settings = MaxentSettings {
        version: VERSION,
        groups: groups.clone(),
        look_ahead: config.look_ahead,
        steps,
        cut,
        begins: *begins,
        capital_cost: config.capital_cost,
        marks: None,
        openings: None,
    };
    let data = prepared.data(config, corpus, &gazetteers);
    let marks = config.punctuation.marks.map(|set| marks::train(set, &data, threads)).transpose()?;
    let (marks, held_out) = marks.map_or((None, Vec::new()), |(marks, held_out)| (Some(marks), held_out));
    let openings =
        config.punctuation.marks.map(|set| marks::train_openings(set, &data, threads)).transpose()?;
    let model = Maxent::new(table, own, gazetteers, mixed, settings, corpus.locale()).with_marks(marks);
    Ok(marks::balance(model, config, &held_out)?.with_openings(openings.flatten()))
}

/// Returns the note on a model with these settings, if any of its weights were cut.
pub fn cut_note(settings: &serde_json::Value) -> Option<String> {
    let MaxentSettings { cut, steps, .. } = MaxentSettings::deserialize(settings).ok()?;
    let most = f32::from(Width::Narrow.most()) / steps as f32;
    (cut > 0).then(|| {
        format!(
            "{cut} features had weights larger than {most:.1}, which count as {most:.1} now: {} 16 keeps them",
            option("weight-bits")
        )
    })
}

/// The statistics of a corpus that are needed before weights are learned.
struct Prepared {
    /// The words that the model holds; `order` lists them, most frequent first.
    words: WordTallies,
    order: Vec<String>,
    /// The digest of the counts of all words of the corpus.
    digest: u64,
    groups: Vec<Group>,
    set: FeatureSet,
    /// True if sentence beginnings are learned.
    begins: bool,
}

impl Prepared {
    fn new(config: &MaxentConfig, corpus: &Corpus, threads: NonZeroUsize) -> Result<Self> {
        config.check()?;
        let vocabulary = config.size.vocabulary(config.vocabulary);
        let (words, order, digest) = words_of(corpus, vocabulary, threads)?;
        let groups = config.groups()?;
        // Sentence beginnings have to be found only if windows run across sentences.
        let begins = corpus.protocol().runs_on();
        let set = FeatureSet::new(&groups);
        Ok(Self { words, order, digest, groups, set, begins })
    }

    fn data<'a>(
        &'a self,
        config: &'a MaxentConfig,
        corpus: &'a Corpus,
        gazetteers: &'a Gazetteers,
    ) -> DataSet<'a> {
        let Self { words, set, begins, .. } = self;
        DataSet {
            config,
            set,
            corpus,
            words,
            model: None,
            gazetteers,
            begins: *begins,
            gaps: None,
            tagged: None,
        }
    }
}

/// Returns the most frequent words of a corpus with their counts, their order from the most
/// frequent down, and a digest of the counts of all words.
///
/// # Errors
/// If the corpus cannot be read, has no words, or teaches no case.
fn words_of(
    corpus: &Corpus,
    vocabulary: usize,
    threads: NonZeroUsize,
) -> Result<(WordTallies, Vec<String>, u64)> {
    let mut words = count(corpus, threads)?;
    if words.is_empty() {
        return Err(build::no_words(corpus));
    }
    let forms = words.iter().flat_map(|(lower, word)| {
        Class::ALL.into_iter().zip(word.counts.classes.map(f64::from)).map(move |form| (lower.as_str(), form))
    });
    build::check_forms(forms, corpus.locale(), &corpus.name())?;
    check_classes(&words, corpus)?;
    let digest = digest(&words);
    let order = most_frequent(&words, vocabulary);
    let kept: FxHashSet<&String> = order.iter().collect();
    words.retain(|word, _| kept.contains(word));
    Ok((words, order, digest))
}

/// Refuses words that are all of one class, since there is nothing to learn.
fn check_classes(words: &WordTallies, corpus: &Corpus) -> Result<()> {
    let has = |class: &Class| words.values().any(|word| word.counts.classes[*class as usize] > 0);
    let classes: Vec<Class> = Class::ALL.into_iter().filter(has).collect();
    let found = match classes.as_slice() {
        [] => "no words inside sentences",
        [Class::Title] => "only capitalized words",
        [Class::Mixed] => "only words of mixed case",
        _ => return Ok(()),
    };
    Err(Error::file(
        corpus.name(),
        format!("has {found}, so case cannot be learned from it: give text as it was published"),
    ))
}

/// Learns the weights of `size` features, resuming from a checkpoint if there is one, or reads
/// weights from a file.
fn find(
    trainer: &Trainer<'_>,
    size: usize,
    checkpoint: Option<Checkpoint<'_>>,
    words: u64,
) -> Result<TrainingWeights> {
    let data = &trainer.data;
    let solving = &data.config.solving;
    if let Some(found) = exchange::read_weights(solving, data.begins)? {
        let (features, values): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        return Ok(TrainingWeights::with(features, &values));
    }
    let penalty = solving.penalty(data)?;
    let Some(checkpoint) = checkpoint else { return learn(trainer, size, penalty, None, &mut |_, _| Ok(())) };
    let (mut keeper, state) = checkpoint.open(data, words, penalty)?;
    learn(trainer, size, penalty, state, &mut |state, words| keeper.keep(state, words))
}

/// Learns weights, from the start or from a state that an earlier run passed to `keep`.
fn learn(
    trainer: &Trainer<'_>,
    size: usize,
    penalty: Penalty,
    state: Option<TrainingState>,
    keep: &mut StateKeeper<'_>,
) -> Result<TrainingWeights> {
    let data = &trainer.data;
    let MaxentConfig { solving, bits, .. } = data.config;
    // If all features fit, none has to be chosen.
    if solving.solver == Solver::Lbfgs
        && let Some(all) = rows::all_features(data, size)?
    {
        return solve(data, all);
    }
    let new = |weights: TrainingWeights, average| {
        TrainingState::new(weights.over(adapt::base(data)).lazily(penalty, average))
    };
    // First all features share weights by their hashes; then each of the most important features
    // has its own weights.
    let mut state = state.unwrap_or_else(|| new(TrainingWeights::hashed(*bits), false));
    if let Index::Hashed(_) = state.weights.index {
        let chosen = trainer.epochs(state, keep)?.chosen(size);
        state = new(TrainingWeights::of(chosen), solving.average);
        keep(&state, 0)?;
    }
    if solving.solver == Solver::Adagrad {
        return trainer.epochs(state, keep);
    }
    solve(data, state.weights.features())
}

/// Finds weights of the chosen features with a solver that holds the whole corpus.
fn solve(data: &DataSet<'_>, chosen: Vec<u64>) -> Result<TrainingWeights> {
    let values = match data.config.solving.solver {
        Solver::Lbfgs => rows::best(data, &chosen)?,
        #[cfg(feature = "liblinear")]
        _ => one_vs_rest::solve(data, &chosen)?,
        #[cfg(not(feature = "liblinear"))]
        _ => return Err(solving::left_out()),
    };
    Ok(TrainingWeights::with(chosen, &values))
}

/// Returns the entry of a word in a model.
fn own(lower: &str, profile: u16, data: &DataSet<'_>, weights: &WeightTable) -> (u64, [u8; WORD]) {
    let seen = data.gazetteers.seen(lower, &Token::default(), profile);
    let sums = majuscule_methods::maxent::own(data.set, lower, seen, weights, &mut Vec::new());
    let mut bytes = [0; WORD];
    let (parts, _) = bytes.as_chunks_mut();
    parts[0] = seen.profile.to_le_bytes();
    for (part, sum) in parts[1..].iter_mut().zip(sums) {
        // The sum of byte weights always fits, since a word has some dozen features; a sum of wider
        // weights that has to be clamped still means near certainty.
        *part = (sum.clamp(i16::MIN.into(), i16::MAX.into()) as i16).to_le_bytes();
    }
    (seen.hash, bytes)
}

impl MaxentConfig {
    /// Returns the files that the settings name.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let files = self.lists.iter().chain(&self.spellings).chain(&self.forms).chain(&self.tagger).cloned();
        files.chain(self.solving.inputs()).collect()
    }

    /// Returns the width of the weights in a model.
    fn width(&self) -> Width {
        let is_exact = self.solving.weights.is_some() || self.solving.solver != Solver::Adagrad;
        match self.weight_bits {
            Some(WeightBits::Eight) => Width::Narrow,
            Some(WeightBits::Sixteen) => Width::Wide,
            None if is_exact => Width::Wide,
            None => Width::Narrow,
        }
    }

    /// Returns the groups of features.
    ///
    /// # Errors
    /// If they do not fit the given lists and lexicon.
    fn groups(&self) -> Result<Vec<Group>> {
        let mut groups = self.features.clone();
        let mut problem = None;
        for (name, given, looking) in [
            ("list", !self.lists.is_empty(), Group::LISTS),
            ("forms", self.forms.is_some(), Group::FORMS),
            ("tagger", self.tagger.is_some(), Group::TAGS),
        ] {
            let [one, other] = looking.map(Group::name);
            let (file, features) = (option(name), option("features"));
            match self.features.iter().find(|group| looking.contains(group)) {
                Some(group) if !given => {
                    let group = group.name();
                    problem = Some(format!(
                        "the features {group} need a file: name it with {file}, or leave these features out"
                    ));
                }
                None if given && !self.features.is_empty() => {
                    problem = Some(format!(
                        "{file} is given, but no features that use it: add {one} or {other} to {features}, or leave {file} out"
                    ));
                }
                None if given => groups.extend(looking),
                _ => {}
            }
        }
        if let Some(problem) = problem {
            return Err(Error::usage(problem));
        }
        if self.features.is_empty() {
            groups.extend(Group::DEFAULT);
        }
        Ok(groups)
    }

    /// Returns the largest number of words of right context that features see.
    fn most_look_ahead(&self) -> usize {
        if self.punctuation.marks.is_some() { FARTHEST } else { REACH }
    }

    fn check(&self) -> Result<()> {
        self.solving.check()?;
        self.punctuation.checked_costs(self.punctuation.learned())?;
        let problem = match () {
            () if self.look_ahead > self.most_look_ahead() => {
                let most = self.most_look_ahead();
                let marks = if most == FARTHEST {
                    String::new()
                } else {
                    format!(", or {FARTHEST} with {}", option("marks"))
                };
                format!("look-ahead {}: the features see at most {most} words{marks}", self.look_ahead)
            }
            () if !(self.rate.is_finite() && self.rate > 0.0) => {
                format!("rate {}: expected a number greater than 0", self.rate)
            }
            () if !(8..=28).contains(&self.bits) => format!("{} bits: expected 8 to 28", self.bits),
            () if !(0.0..=1.0).contains(&self.right_context_dropout) => {
                let dropout = option("right-context-dropout");
                format!("{dropout} {}: expected a fraction from 0 to 1", self.right_context_dropout)
            }
            () if !(self.capital_cost.is_finite() && self.capital_cost > 0.0) => {
                format!("capital cost {}: expected a number greater than 0", self.capital_cost)
            }
            () if self.epochs == 0 => "0 epochs: expected at least 1".to_owned(),
            () if self.checkpoint_every == 0 => {
                format!("{} 0: expected at least 1", option("checkpoint-every"))
            }
            () if self.checkpoint.is_some() && self.solving.weights.is_some() => {
                let (weights, checkpoint) = (option("weights"), option("checkpoint"));
                format!(
                    "{weights} leaves nothing to learn that a checkpoint could keep: leave {checkpoint} out"
                )
            }
            () if matches!(self.size, ModelSize::Features(0) | ModelSize::Features(MOST_FEATURES..)) => {
                format!("{} features: expected 1 to {}", self.size, MOST_FEATURES - 1)
            }
            () if matches!(self.size, ModelSize::Bytes(MOST_BYTES..)) => {
                format!(
                    "{} {}: expected less than {}",
                    option("size"),
                    self.size,
                    ModelSize::Bytes(MOST_BYTES)
                )
            }
            () => return Ok(()),
        };
        Err(Error::usage(problem))
    }
}

/// The largest number of features: they are counted in 32 bits, with room to spare.
const MOST_FEATURES: usize = (1 << 28) + 1;
const MOST_BYTES: usize = 1_000_000_000;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::{Protocol, Reading};
    use majuscule_methods::model::Packed;
    use majuscule_text::restorer::{Request, Restorer};
    use majuscule_text::{Break, CapitalBalance, Case, Constraint, Locale, Mark, MarkSet, Tokens};

    #[test]
    fn neighbours_decide() {
        let text = "They told us here.\nThey saw the US army.\n".repeat(200);
        let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root);
        let config = MaxentConfig { bits: 12, ..MaxentConfig::default() };
        let model = train(&config, &corpus, NonZeroUsize::MIN).unwrap();
        let case = |words: &str| {
            let tokens = Tokens::of_words(words.split(' '), Locale::Root);
            let at = words.split(' ').position(|word| word == "us").unwrap();
            model.restore_batch(&[tokens], Request::default()).unwrap()[0][at].label.case
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
        let config = MaxentConfig { bits: 12, look_ahead: 1, ..MaxentConfig::default() };
        let model = train(&config, &corpus, NonZeroUsize::MIN).unwrap();
        let tokens = Tokens::of_words("they met in lisbon today she left early".split(' '), Locale::Root);
        let choices = model
            .restore_batch(&[tokens], Request { sentence_ends: true, ..Request::default() })
            .unwrap()
            .remove(0);
        let ends: Vec<bool> = choices.iter().map(|choice| choice.label.mark == Mark::SentenceEnd).collect();
        assert_eq!(ends, [false, false, false, false, true, false, false, true]);
        assert_eq!(choices[5].label.case, Case::Title);
        assert_eq!(choices[1].label.case, Case::Lower);
    }

    /// Returns a model with marks, trained on statements and questions that begin with their verb.
    fn model_with_marks() -> Maxent {
        let (config, corpus) = settings_with_marks();
        train(&config, &corpus, NonZeroUsize::MIN).unwrap()
    }

    /// Returns the settings and the text of such a model.
    fn settings_with_marks() -> (MaxentConfig, Corpus) {
        let text = "They met in Lisbon, and she left. Did they meet in Lisbon? She left early.\n".repeat(300);
        let reading = Reading { split: true, ..Reading::default() };
        let corpus = Corpus::of_text(&text, reading, Protocol::Mix, Locale::Root);
        (
            MaxentConfig {
                bits: 12,
                punctuation: MarkOptions::of(MarkSet::USUAL),
                ..MaxentConfig::default()
            },
            corpus,
        )
    }

    /// Returns the words with the marks and cases that a model inserts; `/` before a word means a mark
    /// in the text.
    fn marked(model: &Maxent, words: &str, request: Request) -> String {
        let mut tokens =
            Tokens::of_words(words.split(' ').map(|word| word.trim_end_matches('/')), Locale::Root);
        for (at, word) in words.split(' ').enumerate() {
            if word.ends_with('/') {
                let next = &mut tokens.as_mut_slice()[at + 1];
                (next.gap, next.starts) = (Some(Mark::Period), true);
            }
        }
        let choices = model.restore_batch(&[tokens.clone()], request).unwrap().remove(0);
        let word = |((lower, _), choice): ((&str, &Token), &majuscule_text::Choice)| {
            let mark = choice.label.mark.character().map(String::from).unwrap_or_default();
            choice.label.case.applied(lower, Locale::Root) + &mark
        };
        tokens.iter().zip(&choices).map(word).collect::<Vec<_>>().join(" ")
    }

    const WITH_MARKS: Request = Request {
        confidence: false,
        sentence_ends: false,
        cases: true,
        marks: MarkSet::USUAL,
        mark_threshold: None,
        starts: majuscule_text::restorer::SentenceStarts::Predicted,
        capitals: CapitalBalance::Balanced,
        shown_capitals: true,
        look_ahead: None,
        predictions: NonZeroUsize::MIN,
        threads: NonZeroUsize::MIN,
    };

    #[test]
    fn marks_and_the_capitals_after_them_are_found_together() {
        let model = model_with_marks();
        let words = "they met in lisbon and she left did they meet in lisbon she left early";
        let found = "They met in Lisbon, and she left. Did they meet in Lisbon? She left early.";
        assert_eq!(marked(&model, words, WITH_MARKS), found);
        // Marks that were not requested become the nearest requested ones.
        let stops = Request { marks: ".".parse().unwrap(), ..WITH_MARKS };
        assert_eq!(marked(&model, words, stops), found.replace(',', "").replace('?', "."));
    }

    #[test]
    fn a_model_that_was_saved_puts_the_marks_of_the_one_that_was_trained() {
        let (config, corpus) = settings_with_marks();
        let draft =
            crate::methods::train(&config, &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {}).unwrap();
        let loaded = Maxent::load(&Packed::open("model", draft.pack().into()).unwrap()).unwrap();
        assert!(loaded.gazetteers.clusters.is_some());
        let words = "they left ana in porto did she meet them in lisbon and did they leave early";
        assert_eq!(marked(&loaded, words, WITH_MARKS), marked(&model_with_marks(), words, WITH_MARKS));
    }

    #[test]
    fn a_mark_below_the_threshold_is_not_put_and_no_sentence_begins_after_it() {
        let model = model_with_marks();
        let words = "they met in lisbon and she left did they meet in lisbon she left early";
        let tokens = Tokens::of_words(words.split(' '), Locale::Root);
        let request = Request { confidence: true, ..WITH_MARKS };
        let choices = model.restore_batch(&[tokens], request).unwrap().remove(0);
        let end = choices.iter().find(|choice| choice.label.mark == Mark::Period).unwrap();
        let threshold = |least| Request { mark_threshold: Some(least), ..WITH_MARKS };
        assert!(choices.iter().all(|choice| choice.mark_confidence.is_some()));
        let least = end.mark_confidence.unwrap();
        assert!(marked(&model, words, threshold(least)).contains("left. Did"));
        assert!(marked(&model, words, threshold(least + 1e-3)).contains("left did"));
    }

    #[test]
    fn a_mark_in_the_text_counts_like_the_same_mark_put_in() {
        let model = model_with_marks();
        let words = "they met in lisbon and she left/ did they meet in lisbon she left early";
        let found = "They met in Lisbon, and she left. Did they meet in Lisbon? She left early.";
        assert_eq!(marked(&model, words, WITH_MARKS), found);
    }

    #[test]
    fn marks_are_adapted_to_a_text_that_shows_them() {
        let model = model_with_marks();
        let words = "they met in lisbon and she left";
        assert_eq!(marked(&model, words, WITH_MARKS), "They met in Lisbon, and she left.");
        let text = "They met in Lisbon and she left. She left early.\n".repeat(100);
        for (text, expected) in [
            (text.replace('.', "").to_lowercase() + "She saw Lisbon\n", "They met in lisbon, and she left."),
            (text, "They met in Lisbon and she left."),
        ] {
            let reading = Reading { split: true, ..Reading::default() };
            let corpus = Corpus::of_text(&text, reading, Protocol::Mix, Locale::Root);
            let adaptation = Adaptation { variance: 10.0, bits: 12, size: 10_000, ..Adaptation::default() };
            let adapted = adapt(&adaptation, &model, &corpus, NonZeroUsize::MIN).unwrap();
            assert_eq!(marked(&adapted, words, WITH_MARKS), expected);
        }
    }

    /// Returns a model trained on Spanish, whose questions are opened.
    fn spanish(text: &str) -> Arc<Maxent> {
        let reading = Reading { split: true, language: Some("es".into()), ..Reading::default() };
        let corpus = Corpus::of_text(&text.repeat(300), reading, Protocol::Mix, Locale::Root);
        let config = MaxentConfig {
            bits: 12,
            punctuation: MarkOptions::of(MarkSet::USUAL),
            ..MaxentConfig::default()
        };
        Arc::new(train(&config, &corpus, NonZeroUsize::MIN).unwrap())
    }

    const SPANISH: &str = "Ana vive en Lisboa, y trabaja mucho. ¿Dónde vive Ana? Pedro vuelve pronto. \
                           Dime, ¿cuándo vuelve Pedro? Pero ¿dónde trabaja mucho?\n";

    /// Returns a Spanish text as a model restores it with marks, in chunks of this many bytes.
    fn asked(model: &Arc<Maxent>, text: &str, step: usize) -> String {
        let options = majuscule_text::RestoreOptions::default()
            .marks(MarkSet::USUAL)
            .in_language(Some("es".into()))
            .capitalized(majuscule_text::tokenize::Capitalized::Keep);
        let mut out = Vec::new();
        let kind = majuscule_format::Format::Text;
        let mut stream = majuscule_restore::stream_as("text", kind, model.clone(), options).unwrap();
        text.as_bytes().chunks(step).for_each(|part| stream.push(part, &mut out).unwrap());
        stream.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn spanish_questions_open_where_they_begin_and_end_as_they_open() {
        let model = spanish(SPANISH);
        for (text, expected) in [
            (
                "pedro vuelve pronto dónde vive ana pedro vuelve pronto",
                "Pedro vuelve pronto. ¿Dónde vive Ana? Pedro vuelve pronto.",
            ),
            ("dime cuándo vuelve pedro", "Dime, ¿cuándo vuelve Pedro?"),
            ("pero dónde trabaja mucho", "¿Pero dónde trabaja mucho?"),
            // The text decides: an opening decides the mark at the end, and a visible end decides the
            // opening.
            ("¿ana vive en lisboa", "¿Ana vive en Lisboa?"),
            ("dónde vive ana. ana vive en lisboa?", "Dónde vive Ana. ¿Ana vive en Lisboa?"),
            ("pedro vuelve pronto?", "¿Pedro vuelve pronto?"),
        ] {
            let found = asked(&model, text, usize::MAX);
            assert_eq!(found, expected);
            assert_eq!(asked(&model, &found, usize::MAX), found);
            assert_eq!(asked(&model, text, 1), found);
        }
    }

    #[test]
    fn a_corpus_without_openings_teaches_none() {
        let model = spanish(&SPANISH.replace('¿', ""));
        assert!(model.openings.is_none() && model.settings.openings.is_none());
        assert_eq!(asked(&model, "dónde vive ana", 9), "Dónde vive Ana?");
    }

    #[test]
    fn a_model_with_openings_is_saved_whole() {
        let model = spanish(SPANISH);
        let reading = Reading { split: true, language: Some("es".into()), ..Reading::default() };
        let corpus = Corpus::of_text(&SPANISH.repeat(300), reading, Protocol::Mix, Locale::Root);
        let config = MaxentConfig {
            bits: 12,
            punctuation: MarkOptions::of(MarkSet::USUAL),
            ..MaxentConfig::default()
        };
        let draft =
            crate::methods::train(&config, &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {}).unwrap();
        let loaded = Arc::new(Maxent::load(&Packed::open("model", draft.pack().into()).unwrap()).unwrap());
        assert_eq!(loaded.settings.openings, model.settings.openings);
        assert_eq!(asked(&loaded, "dime cuándo vuelve pedro", 9), "Dime, ¿cuándo vuelve Pedro?");
    }

    #[test]
    fn a_corpus_without_a_mark_teaches_no_such_mark() {
        let corpus = Corpus::of_text(
            "They met in Lisbon.\nShe left.\n",
            Reading::default(),
            Protocol::Mix,
            Locale::Root,
        );
        let config =
            MaxentConfig { bits: 8, punctuation: MarkOptions::of(MarkSet::USUAL), ..MaxentConfig::default() };
        let problem = train(&config, &corpus, NonZeroUsize::MIN).unwrap_err().to_string();
        assert!(problem.contains("has no \",\" or \"?\", but punctuation is learned"), "{problem}");
        assert!(problem.ends_with("or leave \",\" and \"?\" out of `marks`"), "{problem}");
    }

    #[test]
    fn all_kinds_of_marks_are_learned() {
        let text =
            "Did she meet them? They met, and she left. Listen: they sing! I do not know… She left; they \
                    stayed – we waited.\n"
                .repeat(300);
        let reading = Reading { split: true, ..Reading::default() };
        let corpus = Corpus::of_text(&text, reading, Protocol::Mix, Locale::Root);
        let marks: MarkSet = Mark::WRITTEN.into_iter().collect();
        let config =
            MaxentConfig { bits: 12, punctuation: MarkOptions::of(marks), ..MaxentConfig::default() };
        let draft =
            crate::methods::train(&config, &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {}).unwrap();
        let model = Maxent::load(&Packed::open("model", draft.pack().into()).unwrap()).unwrap();
        let words = "did she meet them they met and she left listen they sing i do not know she left they stayed \
                     we waited did she meet them";
        let found = "Did she meet them? They met, and she left. Listen: they sing! I do not know… She left; they \
                     stayed– we waited. Did she meet them?";
        assert_eq!(marked(&model, words, Request { marks, ..WITH_MARKS }), found);
        // Marks that were not requested become the nearest requested ones.
        let usual = found.replace(['!', '…', ';'], ".").replace([':', '–'], ",").replace(". they", ". They");
        assert_eq!(marked(&model, words, WITH_MARKS), usual);
    }

    #[test]
    fn marks_depend_on_words_far_ahead() {
        let text =
            "We left. It is so very far to Lisbon.\nWe left, it is so very far to Porto.\n".repeat(300);
        let reading = Reading { split: true, ..Reading::default() };
        let corpus = Corpus::of_text(&text, reading, Protocol::Text, Locale::Root);
        let punctuation = MarkOptions::of(MarkSet::from_iter([Mark::Comma, Mark::Period]));
        let config = MaxentConfig {
            bits: 12,
            punctuation,
            look_ahead: 8,
            right_context_dropout: 0.0,
            ..MaxentConfig::default()
        };
        let model = train(&config, &corpus, NonZeroUsize::MIN).unwrap();
        let of = |town: &str| {
            marked(&model, &format!("we left it is so very far to {town} we left it"), WITH_MARKS)
        };
        assert!(of("lisbon").starts_with("We left. It is"), "{}", of("lisbon"));
        assert!(of("porto").starts_with("We left, it is"), "{}", of("porto"));
        let problem = train(&MaxentConfig { look_ahead: 9, ..config.clone() }, &corpus, NonZeroUsize::MIN);
        assert!(problem.unwrap_err().to_string().contains("at most 8 words"));
        let problem = train(
            &MaxentConfig { punctuation: MarkOptions::default(), look_ahead: 4, ..config },
            &corpus,
            NonZeroUsize::MIN,
        );
        assert!(problem.unwrap_err().to_string().contains("at most 3 words"));
    }

    #[test]
    fn a_text_that_was_cut_out_of_another_need_not_begin_a_sentence() {
        let lines = ["Ships left Lisbon.\n", "We saw ships and ships and ships.\n", "We left.\n"];
        let text: String = (0..3000).map(|i| lines[i * i % 13 % 3]).collect();
        let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Mix, Locale::Root);
        let features = vec![Group::Bigrams];
        let config =
            MaxentConfig { bits: 12, features, look_ahead: 0, epochs: 10, ..MaxentConfig::default() };
        let model = train(&config, &corpus, NonZeroUsize::MIN).unwrap();
        let first = |before| {
            let mut tokens = Tokens::of_words(["ships"], Locale::Root);
            tokens.as_mut_slice()[0].before = before;
            model.restore_batch(&[tokens], Request::default()).unwrap()[0][0].label.case
        };
        assert_eq!([first(Break::Document), first(Break::Space)], [Case::Title, Case::Lower]);
    }

    #[test]
    fn the_case_of_the_word_before_decides_where_it_is_looked_at() {
        let text = "we saw a New Hope again\nwe saw a new hope again\n".repeat(200);
        let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root);
        let features = vec![Group::Word, Group::Previous];
        let model = train(
            &MaxentConfig { bits: 12, features, ..MaxentConfig::default() },
            &corpus,
            NonZeroUsize::MIN,
        )
        .unwrap();
        for case in [Case::Title, Case::Lower] {
            let mut tokens = Tokens::of_words("we saw a new hope again".split(' '), Locale::Root);
            tokens.as_mut_slice()[3].constraint = Constraint::Fixed(case);
            let choices = model.restore_batch(&[tokens], Request::default()).unwrap().remove(0);
            assert_eq!(choices[4].label.case, case);
        }
    }

    #[test]
    fn a_word_in_capitals_does_not_make_the_next_one_shout() {
        let plain = "we heard who told us all here\n".repeat(3);
        let text = format!("we heard NATO TOLD US ALL HERE\n{plain}").repeat(100);
        let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root);
        let features = vec![Group::Word, Group::Previous];
        let model = train(
            &MaxentConfig { bits: 12, features, ..MaxentConfig::default() },
            &corpus,
            NonZeroUsize::MIN,
        )
        .unwrap();
        for nato in [Constraint::Free, Constraint::Fixed(Case::Upper)] {
            let mut tokens = Tokens::of_words("we heard nato told us all here".split(' '), Locale::Root);
            tokens.as_mut_slice()[2].constraint = nato;
            let choices = model.restore_batch(&[tokens], Request::default()).unwrap().remove(0);
            let found: Vec<Case> = choices.iter().map(|choice| choice.label.case).collect();
            let [lower, upper] = [Case::Lower, Case::Upper];
            // The first word teaches nothing.
            assert_eq!(found[1..], [lower, upper, lower, lower, lower, lower]);
        }
    }

    fn train_on(text: &str, config: &MaxentConfig, threads: usize) -> Result<Maxent> {
        let corpus = Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root);
        train(config, &corpus, NonZeroUsize::new(threads).unwrap())
    }

    #[test]
    fn any_number_of_threads_learns_the_same_under_a_penalty() {
        let text = "They told us here.\nThey saw the US army in Lisbon.\nNobody was in Porto.\n".repeat(100);
        for (l1, l2) in [(0.1, 0.0), (0.0, 0.1)] {
            let solving = Solving { l1, l2, average: true, held_out: 0.2, ..Solving::default() };
            let config = MaxentConfig { bits: 10, epochs: 4, solving, ..MaxentConfig::default() };
            let sections = |threads| train_on(&text, &config, threads).unwrap().sections();
            assert_eq!(sections(1), sections(3));
        }
    }

    #[test]
    fn a_penalty_of_size_leaves_few_weights() {
        let text = "They told us here.\nThey saw the US army.\n".repeat(200);
        let bytes = |l1| {
            let config = MaxentConfig {
                bits: 12,
                solving: Solving { l1, ..Solving::default() },
                ..MaxentConfig::default()
            };
            train_on(&text, &config, 1).unwrap().weights.bytes().len()
        };
        assert!(2 * bytes(20.0) < bytes(0.0), "{} {}", bytes(20.0), bytes(0.0));
    }

    #[test]
    fn text_that_teaches_nothing_is_refused() {
        for text in [
            "",
            "\n\n",
            "they live in lisbon\n",
            "THEY LIVE IN LISBON\n",
            "They Live In Lisbon\n",
            "Lisbon.\nPorto.\n",
        ] {
            let found = train_on(&text.repeat(20), &MaxentConfig { bits: 8, ..MaxentConfig::default() }, 1);
            assert!(matches!(found, Err(Error::Input { .. })), "{text:?}");
        }
    }

    #[test]
    fn a_fraction_that_holds_nothing_out_is_refused() {
        let solving = Solving { held_out: 1e-9, ..Solving::default() };
        let found =
            train_on("He saw Lisbon.\n", &MaxentConfig { bits: 8, solving, ..MaxentConfig::default() }, 1);
        assert!(matches!(found, Err(Error::Usage(_))));
    }

    #[cfg(feature = "liblinear")]
    #[test]
    fn liblinear_finds_what_adagrad_does() {
        let text = "They told us here.\nThey saw the US army.\n".repeat(50);
        for solver in [Solver::Liblinear, Solver::LiblinearDual] {
            let config = |memory| {
                let solving = Solving { solver, solver_memory: memory, ..Solving::default() };
                MaxentConfig { bits: 12, solving, ..MaxentConfig::default() }
            };
            let model = train_on(&text, &config(majuscule_base::files::ByteSize(1 << 30)), 1).unwrap();
            let tokens = Tokens::of_words("we saw the us army they told us here".split(' '), Locale::Root);
            let choices = model.restore_batch(&[tokens], Request::default()).unwrap().remove(0);
            assert_eq!([choices[3].label.case, choices[7].label.case], [Case::Upper, Case::Lower]);
            let wide = model.weights.width();
            assert!(wide == Width::Wide && model.settings.cut == 0, "weights of any size are kept");
            let problem = train_on(&text, &config(majuscule_base::files::ByteSize(1 << 18)), 1).unwrap_err();
            assert!(problem.to_string().contains("words would fit"), "{problem}");
        }
    }

    #[cfg(not(feature = "liblinear"))]
    #[test]
    fn a_build_without_liblinear_says_so() {
        let solving = Solving { solver: Solver::Liblinear, ..Solving::default() };
        let problem = train_on("He saw Lisbon.\n", &MaxentConfig { solving, ..MaxentConfig::default() }, 1)
            .unwrap_err();
        assert!(problem.to_string().contains("--features liblinear"), "{problem}");
    }

    /// Creates a temporary file for a test.
    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    /// Returns the cases that a model trained on a text chooses for words.
    fn cases(config: &MaxentConfig, text: &str, words: &str) -> Vec<Case> {
        let reading = Reading { language: Some("en".to_owned()), ..Reading::default() };
        let corpus = Corpus::of_text(text, reading, Protocol::Text, Locale::Root);
        let model = train(config, &corpus, NonZeroUsize::MIN).unwrap();
        let tokens = Tokens::of_words(words.split(' '), Locale::Root);
        let choices = model.restore_batch(&[tokens], Request::default()).unwrap().remove(0);
        choices.iter().map(|choice| choice.label.case).collect()
    }

    #[test]
    fn a_list_carries_words_and_phrases_that_were_not_trained_on() {
        let positions = file("Lisbon\nPorto\nBraga\nNew Hope\nOld Mill\nFar Rock");
        let text = "we met in Lisbon again and were glad\nthey live in Porto and have a new house\n\
                    from Old Mill to New Hope on foot\nan old house has hope\n";
        let config = MaxentConfig {
            bits: 12,
            features: vec![Group::Lists],
            lists: vec![positions.path().into()],
            ..MaxentConfig::default()
        };
        assert_eq!(
            cases(&config, &text.repeat(100), "in braga on a far rock or far out on rock"),
            [0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0].map(|title| [Case::Lower, Case::Title][title])
        );
    }

    #[test]
    fn a_spelling_that_the_corpus_lacks_is_taken_from_a_list() {
        let spellings = file("iPhone\nO'Neill\nLisbon\n");
        let config =
            MaxentConfig { bits: 12, spellings: vec![spellings.path().into()], ..MaxentConfig::default() };
        let text = "we met in Lisbon again and were glad of it\n".repeat(50);
        let [phone, neill] = ["iPhone", "O'Neill"].map(|word| Case::of(word, Locale::Root));
        assert_eq!(
            cases(&config, &text, "we met o'neill with an iphone"),
            [Case::Lower, Case::Lower, neill, Case::Lower, Case::Lower, phone]
        );
    }

    #[test]
    fn another_lexicon_carries_words_that_were_not_trained_on() {
        let forms = file("Lisbon\nPorto\nNATO\nBBC\nMcDonald\nO'Neill\ntea\nroses\nMacBeth\n");
        let text = "we saw McDonald and NATO and O'Neill in Lisbon with tea\n";
        let config = MaxentConfig {
            bits: 12,
            features: vec![Group::Forms],
            forms: Some(forms.path().into()),
            ..MaxentConfig::default()
        };
        let [mc, mac] = ["McDonald", "MacBeth"].map(|word| Case::of(word, Locale::Root));
        assert_eq!(
            cases(&config, &text.repeat(100), "mcdonald macbeth bbc porto roses"),
            [mc, mac, Case::Upper, Case::Title, Case::Lower]
        );
    }

    #[test]
    fn features_that_do_not_fit_what_there_is_to_look_at_are_refused() {
        let lists = || vec![PathBuf::from("list.txt")];
        for (config, problem) in [
            (
                MaxentConfig { features: vec![Group::ListsAround], ..MaxentConfig::default() },
                "lists-around need a file: name it with `list`",
            ),
            (
                MaxentConfig { features: vec![Group::Forms], ..MaxentConfig::default() },
                "forms need a file: name it with `forms`",
            ),
            (
                MaxentConfig { features: vec![Group::Word], lists: lists(), ..MaxentConfig::default() },
                "add lists or lists-around",
            ),
            (
                MaxentConfig {
                    features: vec![Group::Lists],
                    lists: lists(),
                    forms: Some("a".into()),
                    ..MaxentConfig::default()
                },
                "add forms or forms-around",
            ),
        ] {
            let found = config.groups().unwrap_err().to_string();
            assert!(found.contains(problem), "{found}");
        }
        let config = MaxentConfig { lists: lists(), ..MaxentConfig::default() };
        assert_eq!(config.groups().unwrap(), [&Group::LISTS[..], &Group::DEFAULT].concat());
    }

    #[test]
    fn settings_that_cannot_be_are_refused() {
        let corpus = Corpus::of_text("He saw Lisbon.", Reading::default(), Protocol::Text, Locale::Root);
        for config in [
            MaxentConfig { look_ahead: 9, ..MaxentConfig::default() },
            MaxentConfig { rate: f32::NAN, ..MaxentConfig::default() },
            MaxentConfig { rate: -1.0, ..MaxentConfig::default() },
            MaxentConfig { bits: 60, ..MaxentConfig::default() },
            MaxentConfig { epochs: 0, ..MaxentConfig::default() },
            MaxentConfig { size: ModelSize::Features(0), ..MaxentConfig::default() },
            MaxentConfig { size: ModelSize::Bytes(usize::MAX), ..MaxentConfig::default() },
        ] {
            assert!(matches!(train(&config, &corpus, NonZeroUsize::MIN), Err(Error::Usage(_))), "{config:?}");
        }
    }
}
