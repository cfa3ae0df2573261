//! A network trained from scratch (Lample et al. 2016): words and their letters, read forward and backward by LSTMs, and a
//! chain of labels on top. The baseline of table 3 of Rei et al. 2020.

mod crf;
mod lstm;
mod network;
mod product;
mod train;
mod vocabulary;
mod weights;
mod windows;

use serde::{Deserialize, Serialize};
pub use train::{BilstmConfig, train};
pub use weights::Widths;

use crate::shared::session::{WindowModel, WindowSession};
use crate::shared::windower::Windower;
use majuscule::error::{Error, Result};
use majuscule::methods::spellings::ClassCases;
use majuscule::methods::{Method, classical};
use majuscule::model::{Section, Store};
use majuscule::restorer::{Restorer, Session, Want};
use majuscule::text::{Case, Choice, Constraint, Label, Labels, Locale};
use network::Batch;
use vocabulary::Vocabulary;
use weights::{Layout, Weights};
use windows::TextWindow;

/// The method, for the list of a program.
pub const METHOD: Method = Method {
    name: "bilstm",
    has_backends: false,
    load: |store, computing| classical(computing, "bilstm", || Bilstm::load(store)),
};

/// The files of a model: what it knows, its weights as little-endian 32-bit floats, and spellings of mixed case.
const WORDS: &str = "words.txt";
const LETTERS: &str = "letters.txt";
const WEIGHTS: &str = "weights.f32";
const MIXED: &str = "mixed.txt";

/// A trained model.
#[derive(Debug)]
pub struct Bilstm {
    vocabulary: Vocabulary,
    weights: Weights,
    cases: ClassCases<String>,
    settings: BilstmSettings,
    labels: Labels,
}

/// What a model needs to know of how it was trained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BilstmSettings {
    /// How wide its parts are.
    pub widths: Widths,
    /// Words that it sees at a time; longer sentences are cut into windows that overlap.
    pub window: usize,
    /// Whether sentences were trained together, so that a text goes on over the end of a line.
    pub runs_on: bool,
}

/// What a window holds at most, so that memory stays bounded.
const WINDOWS: std::ops::RangeInclusive<usize> = 2..=1 << 16;

impl Bilstm {
    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] where a file of it is missing, cut off or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let wrong = |problem: String| Error::model(store.name(), format!("{problem}: train it again"));
        let settings = BilstmSettings::deserialize(&manifest.settings)
            .map_err(|error| wrong(format!("its settings are not those of bilstm ({error})")))?;
        // All are compared with their checksums before any is read.
        let [words, letters, weights, mixed] =
            [WORDS, LETTERS, WEIGHTS, MIXED].map(|name| store.section(name));
        let (words, letters, weights, mixed) = (words?, letters?, weights?, mixed?);
        let text = |name: &str, bytes: &[u8]| {
            String::from_utf8(bytes.to_vec()).map_err(|_| wrong(format!("{name} is no text")))
        };
        if let Some((name, width)) = settings.widths.wrong() {
            return Err(wrong(format!("its settings say {width} for the width {name}")));
        }
        if !WINDOWS.contains(&settings.window) || manifest.labels.is_empty() {
            let (window, labels) = (settings.window, manifest.labels.len());
            return Err(wrong(format!("it sees {window} words at a time and has {labels} labels")));
        }
        let vocabulary = Vocabulary::new(text(WORDS, &words)?, text(LETTERS, &letters)?)
            .map_err(|problem| wrong(format!("{WORDS} or {LETTERS} {problem}")))?;
        let layout =
            Layout::new(settings.widths, vocabulary.words(), vocabulary.letters(), manifest.labels.len());
        let weights =
            Weights::read(layout, &weights).map_err(|problem| wrong(format!("{WEIGHTS} {problem}")))?;
        let mixed = text(MIXED, &mixed)?;
        Ok(Self::new(vocabulary, weights, mixed, settings, manifest.locale, manifest.labels.clone()))
    }

    fn new(
        vocabulary: Vocabulary,
        weights: Weights,
        mixed_text: String,
        settings: BilstmSettings,
        locale: Locale,
        labels: Labels,
    ) -> Self {
        let cases = ClassCases::new(mixed_text, locale, str::to_owned);
        Self { vocabulary, weights, cases, settings, labels }
    }

    /// The files that the model is written as.
    pub fn sections(&self) -> Vec<Section> {
        vec![
            (WORDS.to_owned(), self.vocabulary.words_text().as_bytes().to_vec()),
            (LETTERS.to_owned(), self.vocabulary.letters_text().as_bytes().to_vec()),
            (WEIGHTS.to_owned(), self.weights.bytes()),
            (MIXED.to_owned(), self.cases.text().as_bytes().to_vec()),
        ]
    }

    /// What its manifest says of how it works.
    pub fn settings(&self) -> &BilstmSettings {
        &self.settings
    }

    /// The labels of the best chain.
    fn choices(&self, window: &TextWindow, scores: &[f32], want: Want) -> Vec<Choice> {
        let lower = |at: usize| window.words[at].word.lower.as_str();
        let allowed = |at: usize, label: usize| self.case(label, lower(at)).is_some();
        let chain = network::chain(&self.weights);
        let best = chain.best(scores, allowed);
        let sums = want.confidence.then(|| chain.sums(scores, allowed));
        let choice = |at: usize| {
            let (case, share) = match window.words[at].constraint {
                Constraint::Fixed(case) => (case, 1.0),
                _ => {
                    let case = self.case(best[at], lower(at)).unwrap_or_default();
                    let same = |label: &usize| self.case(*label, lower(at)) == Some(case);
                    let share = |sums: &crf::Sums| {
                        let row = at * self.labels.len();
                        (0..self.labels.len()).filter(same).map(|label| sums.shares[row + label]).sum::<f64>()
                    };
                    (case, sums.as_ref().map_or(1.0, share))
                }
            };
            // Adding may go beyond 1 by a rounding.
            Choice { label: Label::from(case), confidence: want.confidence.then_some(share.min(1.0) as f32) }
        };
        window.targets.clone().map(choice).collect()
    }

    /// The case that a label means for a word; none for a mixed one whose pattern is not known.
    fn case(&self, label: usize, lower: &str) -> Option<Case> {
        self.cases.case(self.labels.get(label)?.0, lower, self.cases.mixed(lower))
    }
}

impl Restorer for Bilstm {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    /// All up to the end of a sentence, or of a line.
    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn knows(&self, lower: &str) -> Option<bool> {
        Some(self.vocabulary.word(lower).is_some())
    }

    fn session(&self, want: Want) -> Box<dyn Session + '_> {
        Box::new(WindowSession::new(self, want))
    }
}

impl WindowModel for Bilstm {
    type Window = TextWindow;
    type Encoder<'m> = &'m Vocabulary;
    type Pending = ();

    fn windower(&self, want: Want) -> Windower<&Vocabulary> {
        let BilstmSettings { window, runs_on, .. } = self.settings;
        Windower::new(&self.vocabulary, windows::options(window, runs_on, want.look_ahead))
    }

    /// Windows go through the network one at a time, so that no choice depends on the others.
    fn answer(&self, windows: Vec<TextWindow>, _: &mut (), want: Want, out: &mut Vec<Choice>) -> Result<()> {
        for window in &windows {
            let batch = Batch::new(&[window.seen()]);
            let forward = network::forward(&self.weights, &batch, &mut |_| {});
            for (_, rows) in batch.texts() {
                let scores = network::scores_of(&forward.scores, &rows, self.labels.len());
                out.extend(self.choices(window, &scores, want));
            }
        }
        Ok(())
    }
}
