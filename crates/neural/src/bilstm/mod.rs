//! A network trained from scratch (Lample et al. 2016): LSTMs read words and their letters forward and backward, and
//! a CRF on top labels the words. It is the baseline in table 3 of Rei et al. 2020.

mod crf;
mod network;
mod train;
mod vocabulary;
mod weights;
mod windows;

use serde::{Deserialize, Serialize};
pub use train::{BilstmConfig, train};
pub use weights::Widths;

use crate::shared::heads::{ChainState, ChoiceRules, Heads};
use crate::shared::session::{WindowModel, WindowSession};
use crate::shared::windower::Windower;
use majuscule_base::error::Result;
use majuscule_methods::gaps::MarkCosts;
use majuscule_methods::model::{self, Section, Store};
use majuscule_methods::spellings::ClassCases;
use majuscule_methods::{Method, classical};
use majuscule_text::restorer::{Details, Request, Restorer, Session};
use majuscule_text::{Case, Choice, Constraint, Label, Labels, Locale, Tokens};
use network::WordBatch;
use vocabulary::BilstmVocabulary;
use weights::{NetworkWeights, WeightLayout};
use windows::{ScoredWindow, TextWindow};

/// The name of the method.
const NAME: &str = "bilstm";

/// The method, for the list of methods of a program.
pub const METHOD: Method = Method {
    name: NAME,
    has_backends: false,
    load: |store, computing| classical(computing, NAME, || Bilstm::load(store)),
};

/// The files of a model: its vocabulary, its weights as little-endian 32-bit floats, and the
/// spellings in mixed case.
const WORDS: &str = "words.txt";
const LETTERS: &str = "letters.txt";
const WEIGHTS: &str = "weights.f32";
const MIXED: &str = "mixed.txt";

/// A trained model.
#[derive(Debug)]
pub struct Bilstm {
    vocabulary: BilstmVocabulary,
    weights: NetworkWeights,
    cases: ClassCases<String>,
    settings: BilstmSettings,
    labels: Labels,
    heads: Heads,
}

/// The settings of a model that depend on its training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BilstmSettings {
    /// The widths of the parts of the network.
    pub widths: Widths,
    /// The number of words that the network sees at a time; longer sentences are cut into overlapping windows.
    pub window: usize,
    /// True if a text continues after the end of a line, as in training.
    pub runs_on: bool,
    /// The costs of marks, if the model finds marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<MarkCosts>,
}

/// The range of the size of a window; its upper limit keeps memory bounded.
const WINDOWS: std::ops::RangeInclusive<usize> = 2..=1 << 16;

impl Bilstm {
    /// Reads a model.
    ///
    /// # Errors
    /// Returns [`Error::Model`](majuscule_base::error::Error::Model) if a file of the model is missing, cut off or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let wrong = |problem: String| store.wrong(format!("{problem}: train it again"));
        let settings: BilstmSettings = model::settings(store, NAME, "train it again")?;
        // All checksums are verified before any file is read.
        let text = |name: &str| store.text(name, "train it again");
        let (words, letters, weights) = (text(WORDS)?, text(LETTERS)?, store.section(WEIGHTS)?);
        let mixed = text(MIXED)?;
        if let Some((name, width)) = settings.widths.wrong() {
            return Err(wrong(format!("its settings have the width {name} {width}")));
        }
        if !WINDOWS.contains(&settings.window) || Heads::of(&manifest.labels).sizes().all() == 0 {
            let (window, labels) = (settings.window, manifest.labels.len());
            return Err(wrong(format!(
                "its window of {window} words or its number of labels, {labels}, is out of range"
            )));
        }
        let vocabulary = BilstmVocabulary::new(words, letters)
            .map_err(|problem| wrong(format!("{WORDS} or {LETTERS} {problem}")))?;
        let layout = WeightLayout::new(
            settings.widths,
            vocabulary.words(),
            vocabulary.letters(),
            Heads::of(&manifest.labels).sizes(),
        );
        let weights = NetworkWeights::read(layout, &weights)
            .map_err(|problem| wrong(format!("{WEIGHTS} {problem}")))?;
        Ok(Self::new(vocabulary, weights, mixed, settings, manifest.locale, manifest.labels.clone()))
    }

    fn new(
        vocabulary: BilstmVocabulary,
        weights: NetworkWeights,
        mixed_text: String,
        settings: BilstmSettings,
        locale: Locale,
        labels: Labels,
    ) -> Self {
        let cases = ClassCases::new(mixed_text, locale, str::to_owned);
        let heads = Heads::of(&labels);
        Self { vocabulary, weights, cases, settings, labels, heads }
    }

    /// Returns the files of the model.
    pub fn sections(&self) -> Vec<Section> {
        vec![
            (WORDS.to_owned(), self.vocabulary.words_text().as_bytes().to_vec()),
            (LETTERS.to_owned(), self.vocabulary.letters_text().as_bytes().to_vec()),
            (WEIGHTS.to_owned(), self.weights.bytes()),
            (MIXED.to_owned(), self.cases.text().as_bytes().to_vec()),
        ]
    }

    /// Computes the scores of a window.
    fn scores(&self, window: &TextWindow) -> [Vec<f32>; 2] {
        let batch = WordBatch::new(&[windows::seen(window)]);
        let forward = network::forward(self.weights.view(), &batch, &mut |_| {});
        let rows = batch.texts().next().map_or_else(Vec::new, |(_, rows)| rows);
        network::scores_of(&forward.scores, &rows, self.heads.sizes())
    }

    /// Returns the windows of a document with their scores.
    fn scored(&self, document: &Tokens, request: Request) -> Result<Vec<ScoredWindow>> {
        let mut windows = Vec::new();
        self.windower(request).push_document(document, &mut windows)?;
        let scored = |window| {
            let scores = self.scores(&window);
            (window, scores)
        };
        Ok(windows.into_iter().map(scored).collect())
    }

    /// Returns the choices for the words of a document under these costs of marks.
    fn decoded(&self, windows: &[ScoredWindow], costs: MarkCosts, request: Request) -> Vec<Choice> {
        let mut chain = ChainState::default();
        windows
            .iter()
            .flat_map(|(window, scores)| self.choices(window, scores, costs, &mut chain, request))
            .collect()
    }

    /// Returns the choices for the targets of a window. Without marks, the cases are taken from the best
    /// labelling; with marks, each case has the highest marginal probability over all labellings, given whether
    /// a sentence begins at the word.
    fn choices(
        &self,
        window: &TextWindow,
        [of_cases, of_marks]: &[Vec<f32>; 2],
        costs: MarkCosts,
        chain: &mut ChainState,
        request: Request,
    ) -> Vec<Choice> {
        let lower = |at: usize| window.words[at].word.lower.as_str();
        let allowed = |at: usize, label: usize| self.case(label, lower(at)).is_some();
        let labels = network::chain(self.weights.view());
        let sizes = self.heads.sizes();
        if sizes.marks == 0 {
            return self.best_cases(window, of_cases, request);
        }
        let marginals = (sizes.cases > 0).then(|| labels.marginals(of_cases, allowed).probabilities);
        let of_cases: Vec<f32> = marginals.iter().flatten().map(|fraction| fraction.ln() as f32).collect();
        let cases = |at: usize| of_cases.get(at * sizes.cases..(at + 1) * sizes.cases);
        let marks = |at: usize| &of_marks[at * sizes.marks..][..sizes.marks];
        let mut ln = Vec::with_capacity(sizes.all() + sizes.marks);
        let choice = |at: usize| {
            ln.clear();
            ln.extend(cases(at).into_iter().flatten());
            ln.extend_from_slice(marks(at));
            ln.extend_from_slice(at.checked_sub(1).map_or(&[], marks));
            let word = |at: usize| Some((window.words.get(at)?.context, cases(at)?));
            let start_odds = self.heads.start_odds(at, word);
            let rules = ChoiceRules { cases: &self.cases, costs, request: &request };
            self.heads.choice(&window.chain_word(at, start_odds), &ln, rules, chain)
        };
        window.targets.clone().map(choice).collect()
    }

    /// Returns the cases of the best labelling.
    fn best_cases(&self, window: &TextWindow, scores: &[f32], request: Request) -> Vec<Choice> {
        let lower = |at: usize| window.words[at].word.lower.as_str();
        let allowed = |at: usize, label: usize| self.case(label, lower(at)).is_some();
        let chain = network::chain(self.weights.view());
        let best = chain.best(scores, allowed);
        let marginals = request.confidence.then(|| chain.marginals(scores, allowed));
        let choice = |at: usize| {
            let (case, probability) = match window.words[at].context.constraint {
                Constraint::Fixed(case) => (case, 1.0),
                _ => {
                    let case = self.case(best[at], lower(at)).unwrap_or_default();
                    let same = |label: &usize| self.case(*label, lower(at)) == Some(case);
                    let probability = |marginals: &crf::ChainMarginals| {
                        let row = at * self.labels.len();
                        (0..self.labels.len())
                            .filter(same)
                            .map(|label| marginals.probabilities[row + label])
                            .sum::<f64>()
                    };
                    (case, marginals.as_ref().map_or(1.0, probability))
                }
            };
            // The sum may exceed 1 by a rounding error.
            Choice {
                confidence: request.confidence.then_some(probability.min(1.0) as f32),
                ..Label::from(case).into()
            }
        };
        window.targets.clone().map(choice).collect()
    }

    /// Returns the case of a label for a word; `None` for mixed case without a known pattern.
    fn case(&self, label: usize, lower: &str) -> Option<Case> {
        self.cases.case(self.labels.get(label)?.0, lower, self.cases.mixed(lower))
    }
}

impl Restorer for Bilstm {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Returns `None`: the network reads all words up to the end of a sentence or of a line.
    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    fn balances_capitals(&self) -> bool {
        true
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        Box::new(WindowSession::new(self, request))
    }
}

impl WindowModel for Bilstm {
    type Window = TextWindow;
    type Encoder<'m> = &'m BilstmVocabulary;
    type Pending = ChainState;

    fn windower(&self, request: Request) -> Windower<&BilstmVocabulary> {
        let BilstmSettings { window, runs_on, .. } = self.settings;
        let options = windows::options(window, runs_on, request.look_ahead);
        Windower::new(&self.vocabulary, options.for_request(&request, self.heads.marks()))
    }

    /// Windows go through the network one at a time, so that the scores of a window do not depend on other windows.
    fn answer(
        &self,
        windows: Vec<TextWindow>,
        chain: &mut ChainState,
        request: Request,
        out: &mut Vec<Choice>,
    ) -> Result<()> {
        let costs = self.settings.costs.unwrap_or_default();
        for window in &windows {
            out.extend(self.choices(window, &self.scores(window), costs, chain, request));
        }
        Ok(())
    }
}

impl Details for Bilstm {
    fn knows(&self, lower: &str) -> Option<bool> {
        Some(self.vocabulary.word(lower).is_some())
    }
}
