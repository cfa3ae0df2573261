//! What an experiment found: everything that its tables, plots and pages are made of, in one JSON file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use majuscule_train::corpus::overlap;
use majuscule_train::corpus::stats::Tags;
use majuscule_train::eval::report::{Figures, MisspelledWord};
pub use majuscule_train::eval::usage::Usage;
use majuscule_train::eval::{Intervals, SystemDifference};

/// What an experiment found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// What it is called.
    pub title: String,
    /// Whose table or figure it makes again, where it does.
    pub source: Option<String>,
    /// What it shows, and what a reader has to know: paragraphs.
    pub about: String,
    /// The recipe that it was made by, as it stands in its file.
    pub recipe: String,
    /// The version of majuscule.
    pub version: String,
    /// How many cores the machine has.
    pub cores: usize,
    /// What was tested on, in order.
    pub tests: Vec<ResultTest>,
    /// What was tested, in order.
    pub rows: Vec<ResultRow>,
    /// What is in the texts, where the recipe asks for it.
    #[serde(default)]
    pub texts: Vec<TextSummary>,
    /// What of the tests stands in the texts that rows learned from.
    #[serde(default)]
    pub overlaps: Vec<TextOverlap>,
    /// Rows of the recipe that were not made.
    pub left_out: Vec<OmittedRow>,
}

/// What was tested on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultTest {
    /// Its name.
    pub name: String,
    /// How figures were made: protocol, files, case pairs.
    pub signature: String,
    /// Sentences, lines, windows or recordings, each drawn as a whole in a resample.
    pub examples: u64,
    /// Words that are scored.
    pub words: u64,
    /// Words of the reference with capitals: what SER is divided by.
    pub slots: u64,
    /// Examples that systems write differently, the most telling first.
    pub sample: Vec<ResultSample>,
}

/// An example side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultSample {
    /// Its words in their true case.
    pub reference: Vec<String>,
    /// Which of them are scored.
    pub scored: Vec<bool>,
    /// The words as each row wrote them: as many as in the reference; `None` where a row was not tested here.
    pub outputs: Vec<Option<Vec<String>>>,
}

/// What was tested: a model, or what another system made of the tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// Its name; no two rows share one.
    pub name: String,
    /// The rows that differ in the size of their training corpus alone share a series.
    pub series: String,
    /// How many lines it was trained on, where the recipe says a number.
    pub lines: Option<u64>,
    /// The commands that make it, as one would type them.
    pub commands: Vec<String>,
    /// The method of the model: `majority`, `hmm`, …; `None` for the output of another system.
    pub method: Option<String>,
    /// The size of the model on disk.
    pub bytes: Option<u64>,
    /// What training took.
    pub training: Option<Usage>,
    /// How often training went over its corpus, where it says so.
    pub epochs: Option<f64>,
    /// How much each layer of an encoder counts, the embeddings first.
    pub layers: Option<Vec<f64>>,
    /// What the source says for a test of that name.
    pub published: BTreeMap<String, Published>,
    /// A cell for each test; `None` where it was not tested.
    pub cells: Vec<Option<ResultCell>>,
}

/// Figures as published: fractions.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Published {
    /// Precision.
    pub precision: Option<f64>,
    /// Recall.
    pub recall: Option<f64>,
    /// F.
    pub f: Option<f64>,
    /// Slot error rate.
    pub ser: Option<f64>,
}

impl Published {
    /// Whether F cannot be that of the slots of which SER is told. Of as many errors as SER says F is greatest where all are words too
    /// many: then it is 2 / (2 + SER). What is above that by no more than rounding is let pass.
    pub fn is_no_slot_f(&self) -> bool {
        self.f.zip(self.ser).is_some_and(|(f, ser)| f > 2.0 / (2.0 + ser) + 0.005)
    }
}

/// A row on a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultCell {
    /// All scored words.
    pub figures: Figures,
    /// Where 95 % of resamples of the examples lie.
    pub intervals: Intervals,
    /// How it stands against the row with the least SER on this test; `None` for that row itself.
    pub difference: Option<SystemDifference>,
    /// What evaluating took; `None` for the output of another system.
    pub usage: Option<Usage>,
    /// Words a second of restoring alone, without loading and scoring.
    pub words_per_second: Option<f64>,
    /// The most frequent errors.
    pub errors: Vec<MisspelledWord>,
    /// What an alignment with recognised words found.
    pub recognised: Option<Recognised>,
    /// The words that the model has, where the recipe asks for them and somebody can say.
    #[serde(default)]
    pub in_model: Option<Figures>,
}

/// Scores through an alignment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recognised {
    /// Word errors by words of the reference.
    pub word_error_rate: Option<f64>,
    /// The figures of words that were recognised right.
    pub right: Figures,
    /// The figures of words that were taken for others.
    pub wrong: Figures,
}

/// What is in a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextSummary {
    /// Its name: of a corpus, or of a test.
    pub name: String,
    /// How many sentences.
    pub sentences: u64,
    /// The words that count, by their tags (Rei et al. 2020).
    pub tags: Tags,
    /// All words likewise, the first of sentences too: what the paper counts.
    #[serde(default)]
    pub all: Option<Tags>,
}

/// What of a test text stands in a training text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextOverlap {
    /// The tests that have this text.
    pub tests: Vec<String>,
    /// The name of the training text.
    pub corpus: String,
    /// How many of its lines were taken at most, where the recipe says a number.
    pub lines: Option<u64>,
    /// The command that counted, as one would type it.
    pub command: String,
    /// What was counted; which n-grams these are is not listed.
    #[serde(flatten)]
    pub found: overlap::Overlap,
}

impl TextOverlap {
    /// Texts of one kind share set phrases: of the n-grams of eight words of a test text of Europarl, 3.2 % stand in 50 million words
    /// of other sessions, and of talks 0.04 %. More than this are passages that were learned from.
    const LEAK: f64 = 0.05;

    /// Whether so much of the test text was learned from that figures are better than those on a new text.
    pub fn is_leak(&self) -> bool {
        self.found.share().is_some_and(|share| share > Self::LEAK)
    }
}

/// A row that was not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedRow {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
}
