//! Results of an experiment: the data of its tables, plots and pages, in one JSON file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use majuscule_train::corpus::overlap;
use majuscule_train::corpus::stats::Tags;
use majuscule_train::eval::marks::MarkReport;
use majuscule_train::eval::report::{Figures, MisspelledWord};
pub use majuscule_train::eval::usage::Usage;
use majuscule_train::eval::{Intervals, SystemDifference};

/// The results of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The title of the experiment.
    pub title: String,
    /// The paper whose table or figure the experiment reproduces, if any.
    pub source: Option<String>,
    /// A description of what the experiment shows and what a reader has to know, in paragraphs.
    pub about: String,
    /// The text of the recipe file.
    pub recipe: String,
    /// The version of majuscule.
    pub version: String,
    /// The number of cores of the machine.
    pub cores: usize,
    /// The tests, in order.
    pub tests: Vec<ResultTest>,
    /// The rows, in order.
    pub rows: Vec<ResultRow>,
    /// Word counts of the texts, if the recipe asks for them.
    #[serde(default)]
    pub texts: Vec<TextSummary>,
    /// The overlaps of test texts with training texts.
    #[serde(default)]
    pub overlaps: Vec<TextOverlap>,
    /// The rows of the recipe that were left out.
    pub left_out: Vec<OmittedRow>,
}

/// A test of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultTest {
    /// The name of the test.
    pub name: String,
    /// The signature of the figures: protocol, files, case mappings.
    pub signature: String,
    /// The number of sentences, lines, windows or recordings; a resample draws each as a whole.
    pub examples: u64,
    /// The number of words that are scored.
    pub words: u64,
    /// The number of reference words with capitals, which is the denominator of SER.
    pub slots: u64,
    /// Examples that systems write differently, the examples with the largest differences first.
    pub sample: Vec<ResultSample>,
}

/// An example with the outputs of all rows side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultSample {
    /// The reference words in their true case.
    pub reference: Vec<String>,
    /// For each word, true if it is scored.
    pub scored: Vec<bool>,
    /// The words as each row wrote them, as many as in the reference; `None` if a row was not tested on this test.
    pub outputs: Vec<Option<Vec<String>>>,
}

/// A row of an experiment: a model, or the output of another system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// The unique name of the row.
    pub name: String,
    /// The series of the row, shared by rows that differ only in the size of their training corpus.
    pub series: String,
    /// The number of training lines, if the recipe specifies it.
    pub lines: Option<u64>,
    /// The commands that make the row, as one would type them.
    pub commands: Vec<String>,
    /// The method of the model: `majority`, `hmm`, …; `None` for the output of another system.
    pub method: Option<String>,
    /// The size of the model on disk in bytes.
    pub bytes: Option<u64>,
    /// The resource usage of training.
    pub training: Option<Usage>,
    /// The number of training epochs, if the model has them.
    pub epochs: Option<f64>,
    /// The weight of each layer of an encoder, the embeddings first.
    pub layers: Option<Vec<f64>>,
    /// The number of words of look-ahead, if the recipe specifies it.
    pub look_ahead: Option<u64>,
    /// The figures that the source publishes, by test name.
    pub published: BTreeMap<String, Published>,
    /// The seed of the row, if the recipe trains the row with several seeds.
    pub seeded: Option<u64>,
    /// The training behind the row.
    #[serde(default)]
    pub run: RowRun,
    /// The training behind the figures of the source.
    #[serde(default)]
    pub paper: PaperRun,
    /// A cell for each test; `None` if the row was not tested on it.
    pub cells: Vec<Option<ResultCell>>,
}

/// The training behind a row, from its manifest and log.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RowRun {
    /// The version of results ([`RESULTS_VERSION`](majuscule_train::RESULTS_VERSION)) of the program
    /// that trained and tested the row; older results have none.
    pub version: Option<u32>,
    /// The pretrained encoder.
    pub encoder: Option<RunEncoder>,
    /// The steps of the last training, on one line.
    pub schedule: Option<String>,
    /// The number of lines of the training texts, if it is known.
    pub sentences: Option<u64>,
    /// The number of words of the training texts.
    pub words: Option<u64>,
    /// The fraction of training examples whose right context is shortened.
    pub right_context_dropout: Option<f64>,
    /// The seed of all random choices.
    pub seed: Option<u64>,
    /// The CPU that trained.
    pub processor: Option<String>,
}

/// A pretrained encoder, as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEncoder {
    /// The name of its folder.
    pub name: String,
    /// The CRC-32 of its weights in hexadecimal; older manifests have none.
    pub crc32: Option<String>,
}

/// The training behind a source's figures, as the source describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PaperRun {
    /// The pretrained encoder, by the name of its folder.
    pub encoder: Option<String>,
    /// The steps of the training.
    pub schedule: Option<String>,
    /// The number of epochs.
    pub epochs: Option<String>,
    /// The number of training sentences.
    pub sentences: Option<u64>,
    /// The number of training words.
    pub words: Option<u64>,
    /// The kind or language of the training text, if it differs from the recipe's training text.
    pub kind: Option<String>,
    /// The test text; if it is the text of one of the recipe's tests, the name of this test.
    pub test: Option<String>,
    /// The time that training took, and the machine.
    pub cost: Option<String>,
}

/// Published figures, as fractions.
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
    /// The mean of the F of each punctuation mark; `f` is then the F of all marks together.
    pub macro_f: Option<f64>,
    /// F of commas.
    pub comma: Option<f64>,
    /// F of full stops.
    pub period: Option<f64>,
    /// F of question marks.
    pub question: Option<f64>,
    /// F of colons.
    pub colon: Option<f64>,
    /// F of dashes.
    pub dash: Option<f64>,
}

impl Published {
    /// Returns true if F cannot have been computed over the same slots as SER. For a given SER, F is greatest if all
    /// errors are insertions: then F = 2 / (2 + SER). A small excess is accepted as rounding.
    pub fn is_no_slot_f(&self) -> bool {
        self.f.zip(self.ser).is_some_and(|(f, ser)| f > 2.0 / (2.0 + ser) + 0.005)
    }
}

/// The scores of a row on a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultCell {
    /// The figures over all scored words.
    pub figures: Figures,
    /// The 95 % intervals, from resampled examples.
    pub intervals: Intervals,
    /// The difference from the row with the least SER on this test; `None` for that row itself.
    pub difference: Option<SystemDifference>,
    /// The resource usage of the evaluation; `None` for the output of another system.
    pub usage: Option<Usage>,
    /// The throughput of restoring alone in words per second, without loading and scoring.
    pub words_per_second: Option<f64>,
    /// The most frequent errors.
    pub errors: Vec<MisspelledWord>,
    /// Scores through an alignment with recognised words.
    pub recognised: Option<Recognised>,
    /// The figures over the words that the model knows, if the recipe asks for
    /// them and they could be determined.
    pub in_model: Option<Figures>,
    /// The figures of each punctuation mark, if the protocol scores punctuation.
    pub marks: Option<MarkReport>,
    /// The figures of sentence ends, if the method finds them.
    pub sentence_ends: Option<Figures>,
    /// The figures of parts of the words, if the recipe asks for them.
    #[serde(default)]
    pub slices: Vec<SliceFigures>,
}

/// The figures of a part of the words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceFigures {
    /// The name of the part.
    pub name: String,
    /// The figures of its words.
    pub figures: Figures,
}

/// Scores through an alignment with recognised words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recognised {
    /// The number of word errors divided by the number of reference words.
    pub word_error_rate: Option<f64>,
    /// The figures of words that were recognised correctly.
    pub right: Figures,
    /// The figures of substituted words.
    pub wrong: Figures,
}

/// The word counts of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextSummary {
    /// The name of the corpus or test.
    pub name: String,
    /// The number of sentences.
    pub sentences: u64,
    /// The scored words by tag (Rei et al. 2020).
    pub tags: Tags,
    /// All words by tag, including sentence-initial ones, as the paper counts them.
    pub all: Option<Tags>,
}

/// The overlap of a test text with a training text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextOverlap {
    /// The names of the tests that use the test text.
    pub tests: Vec<String>,
    /// The name of the training text.
    pub corpus: String,
    /// The largest number of training lines that were used, if the recipe limits it.
    pub lines: Option<u64>,
    /// The command that counted the overlap, as one would type it.
    pub command: String,
    /// The counts of the overlap; the n-grams themselves are not listed.
    #[serde(flatten)]
    pub found: overlap::Overlap,
}

impl TextOverlap {
    /// The fraction of a test text's n-grams above which the overlap counts as a leak. Texts of one genre share set
    /// phrases: of the 8-grams of a Europarl test text, 3.2 % occur in 50 million words of other sessions; for talks,
    /// the fraction is 0.04 %. A larger fraction means that whole passages were trained on.
    const LEAK: f64 = 0.05;

    /// Returns true if so much of the test text occurs in the training text that figures on it are better than on a
    /// new text.
    pub fn is_leak(&self) -> bool {
        self.found.fraction().is_some_and(|fraction| fraction > Self::LEAK)
    }
}

/// A row that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedRow {
    /// The name of the row.
    pub name: String,
    /// The reason; a plan marks the names of options in it ([`majuscule_base::error::worded`]).
    pub why: String,
}
