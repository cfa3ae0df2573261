//! Runs a tagger on BERT or a related encoder (Rei et al. 2020). The states of one subword of each word,
//! in all layers of the encoder, determine the case of the word and the punctuation mark after it
//! (Courtland et al. 2020).

pub mod config;
pub mod distances;
pub mod engine;
mod files;
pub mod names;
pub mod windows;

use std::fmt::{Debug, Display};
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::Method;
use crate::backend::Backend;
use crate::gaps::MarkCosts;
use crate::model::{self, Store};
use crate::network::{self, ADVICE, check_scores};
use crate::spellings::ClassCases;
use majuscule_base::error::{Error, Result};
use majuscule_text::restorer::{Details, LayerWeights, Request, Restorer, Session};
use majuscule_text::{Choice, Labels, Tokens};
use serde::{Deserialize, Serialize};

use crate::network::heads::{ChainState, ChainWord, ChoiceRules, Heads};
use crate::network::session::{WindowModel, WindowSession};
use crate::network::subwords::{NativeTokenizer, SubwordTokenizer};
use crate::network::tensors::WeightSource;
use crate::network::windower::Windower;
pub use files::{BertFiles, CONFIG, MIXED, TOKENIZER, WEIGHTS, in_bytes};

use config::EncoderConfig;
use engine::{Engine, EnginePrecision, ScoreRequest};
use names::SCALARS;
use windows::{EncoderWindow, LabelledSubword, ScorePool, ScoredWord, WindowTarget};

/// The method `bert` on the CPU, for a program's list of methods.
pub const METHOD: Method = Method {
    name: "bert",
    has_backends: true,
    load: |store, computing| Ok(Arc::new(load(store, computing)?)),
};

/// The settings of a model that depend on its training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BertSettings {
    /// The number of subwords that the encoder sees at a time; longer sentences are cut into
    /// overlapping windows.
    pub window: usize,
    /// True if a text continues after the end of a line, as in training.
    pub runs_on: bool,
    /// The number of subwords that remain of the encoder's vocabulary, if it was reduced.
    #[serde(default, rename = "kept_pieces", skip_serializing_if = "Option::is_none")]
    pub kept_subwords: Option<usize>,
    /// The subword that carries the labels of a word.
    #[serde(default, rename = "piece", skip_serializing_if = "LabelledSubword::is_first")]
    pub labelled_subword: LabelledSubword,
    /// The costs of marks, if the model finds marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<MarkCosts>,
    /// True if the weights are int8, which only the engine supports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_bytes: bool,
}

impl BertSettings {
    /// Reads the settings in the manifest of a model.
    ///
    /// # Errors
    /// Returns [`Error::Model`] if they are not valid for this method.
    pub fn of(store: &dyn Store) -> Result<Self> {
        model::settings(store, METHOD.name, ADVICE)
    }

    /// Refuses a window that the encoder does not accept.
    ///
    /// # Errors
    /// Returns a description of the problem.
    pub fn check(&self, config: &EncoderConfig) -> std::result::Result<(), String> {
        let most = config.longest();
        match (3..=most).contains(&self.window) {
            true => Ok(()),
            false => Err(format!("its window is {}, but its encoder accepts 3 to {most}", self.window)),
        }
    }
}

/// Returns the error of a model whose files do not fit.
pub fn wrong(store: &dyn Store, problem: impl Display) -> Error {
    store.wrong(format!("{problem}: {ADVICE}"))
}

/// Returns the error of a failed computation, such as for lack of memory.
pub fn failed(problem: impl Display) -> Error {
    network::failed(METHOD.name, problem)
}

/// Computes the scores of a model's labels.
pub trait WindowScorer: Debug + Send + Sync {
    /// Returns the scores of the labels at each [position](EncoderWindow::positions), window after window.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    fn scores(
        &self,
        windows: &[&EncoderWindow],
        subword: LabelledSubword,
        threads: NonZeroUsize,
    ) -> Result<Vec<Vec<f32>>>;

    /// Returns true if the scores of a window are bit-identical whichever windows are computed together.
    fn is_by_itself(&self) -> bool {
        true
    }

    /// Returns the weight of each layer, the embedding layer first.
    fn layer_weights(&self) -> Option<LayerWeights>;
}

/// A trained model with its tokenizer and the computation of scores.
#[derive(Debug)]
pub struct BertModel<P, S> {
    /// The encoder.
    pub config: EncoderConfig,
    /// The tokenizer of words into subwords.
    pub subwords: P,
    /// The computation of scores.
    pub scorer: S,
    /// The spellings in mixed case.
    pub cases: ClassCases<String>,
    /// The settings in the manifest of the model.
    pub settings: BertSettings,
    /// The labels.
    pub labels: Labels,
    /// The heads.
    pub heads: Heads,
}

/// The engine of a model.
#[derive(Debug)]
pub struct EngineScorer {
    engine: Engine,
    layers: LayerWeights,
}

impl EngineScorer {
    /// Packs the weights of a tagger.
    ///
    /// # Errors
    /// Names a weight that is missing.
    pub fn new(
        weights: &dyn WeightSource,
        config: &EncoderConfig,
        precision: EnginePrecision,
    ) -> std::result::Result<Self, String> {
        let fractions = engine::softmax(&weights.matrix(SCALARS)?.in_floats());
        let layers = LayerWeights(fractions.into_iter().map(f64::from).collect());
        Ok(Self { engine: Engine::new(weights, config, precision)?, layers })
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}

impl WindowScorer for EngineScorer {
    fn scores(
        &self,
        windows: &[&EncoderWindow],
        subword: LabelledSubword,
        threads: NonZeroUsize,
    ) -> Result<Vec<Vec<f32>>> {
        let texts = windows
            .iter()
            .map(|window| ScoreRequest { ids: &window.ids, positions: window.positions(subword).collect() });
        let texts: Vec<ScoreRequest<'_>> = texts.collect();
        let scores = self.engine.scores(&texts, threads).map_err(failed)?;
        check_scores(METHOD.name, &scores)?;
        Ok(scores)
    }

    fn layer_weights(&self) -> Option<LayerWeights> {
        Some(self.layers.clone())
    }
}

/// Reads a model that computes on the CPU.
///
/// # Errors
/// Returns [`Error::Model`] if a file of it is missing, cut off or altered, and [`Error::Usage`] if
/// the backend is not available.
pub fn load(store: &dyn Store, computing: &Backend) -> Result<BertModel<NativeTokenizer, EngineScorer>> {
    let files = BertFiles::read(store)?;
    let precision = EnginePrecision::of(computing, files.settings.in_bytes, METHOD.name)?;
    let subwords = files.subwords(NativeTokenizer::read)?;
    let scorer = files.weights(|weights| EngineScorer::new(weights, &files.config, precision))?;
    Ok(files.model(subwords, scorer))
}

/// The state of a text between its windows.
#[derive(Debug, Clone, Default)]
pub struct TextState {
    pool: ScorePool,
    chain: ChainState,
}

/// The number of subwords that go through the encoder at a time.
const BATCH: usize = 2048;

impl<P: SubwordTokenizer, S: WindowScorer> BertModel<P, S> {
    /// Returns the scores of the labels of all words of documents. Windows of about equal length are
    /// computed together.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub fn scored(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<ScoredWord>>> {
        let (windows, counts) = self.windower(request).push_documents(documents)?;
        let mut order: Vec<usize> = (0..windows.len()).collect();
        order.sort_by_key(|&at| windows[at].ids.len());
        let mut scores = vec![Vec::new(); windows.len()];
        for group in runs(&order, |&at| windows[at].ids.len(), BATCH) {
            let group_windows: Vec<&EncoderWindow> = group.iter().map(|&at| &windows[at]).collect();
            let found =
                self.scorer.scores(&group_windows, self.settings.labelled_subword, request.threads)?;
            let mut found = found.into_iter();
            for &at in group {
                let positions = windows[at].positions(self.settings.labelled_subword).count();
                scores[at] = found.by_ref().take(positions).collect();
            }
        }
        let mut windows = windows.into_iter().zip(&scores);
        let document = |count| {
            let mut pool = ScorePool::default();
            let windows = windows.by_ref().take(count);
            let add = |(window, scores): (_, &Vec<Vec<f32>>)| {
                self.finished(&mut pool, window, &mut scores.iter().map(Vec::as_slice))
            };
            windows.flat_map(add).collect()
        };
        Ok(counts.into_iter().map(document).collect())
    }

    /// Adds the scores of a window to a pool, and returns the words that are finished.
    fn finished<'s>(
        &self,
        pool: &mut ScorePool,
        mut window: EncoderWindow,
        scores: &mut impl Iterator<Item = &'s [f32]>,
    ) -> std::vec::IntoIter<ScoredWord> {
        if window.targets.iter().all(|target| !target.context.shows_start) {
            return pool.add(window, self.heads.sizes(), scores);
        }
        let count = window.positions(self.settings.labelled_subword).count();
        let scores: Vec<&[f32]> = scores.take(count).collect();
        let mut seen = scores.iter().skip(usize::from(window.before.is_some()));
        let cases = |target: &WindowTarget| {
            let scores = target.positions.and_then(|_| seen.next()).copied().unwrap_or_default();
            (target.context, &scores[..self.heads.sizes().cases.min(scores.len())])
        };
        let words: Vec<_> = window.targets.iter().map(cases).collect();
        for (at, target) in window.targets.iter_mut().enumerate() {
            target.start_odds = self.heads.start_odds(at, |at| words.get(at).copied());
        }
        pool.add(window, self.heads.sizes(), &mut scores.into_iter())
    }

    /// Returns the choices for the words of a document under these costs of marks.
    pub fn decoded(&self, words: &[ScoredWord], costs: MarkCosts, request: Request) -> Vec<Choice> {
        let mut chain = ChainState::default();
        words.iter().map(|word| self.choice(word, costs, &mut chain, &request)).collect()
    }

    /// Returns the choice for the next word of a text.
    fn choice(
        &self,
        (target, ln): &ScoredWord,
        costs: MarkCosts,
        chain: &mut ChainState,
        request: &Request,
    ) -> Choice {
        let WindowTarget { word, context, after, start_odds, .. } = target;
        let word =
            ChainWord { lower: &word.lower, context: *context, after: *after, start_odds: *start_odds };
        self.heads.choice(&word, ln, ChoiceRules { cases: &self.cases, costs, request }, chain)
    }

    fn costs(&self) -> MarkCosts {
        self.settings.costs.unwrap_or_default()
    }
}

/// Cuts samples that are sorted by length into runs whose padded length is at most `most`; a longer sample
/// is a run alone.
pub fn runs<T>(sorted: &[T], length: impl Fn(&T) -> usize, most: usize) -> Vec<&[T]> {
    let mut runs = Vec::new();
    let mut start = 0;
    for end in 1..=sorted.len() {
        let next = sorted.get(end).map(&length);
        if next.is_none_or(|next| next.saturating_mul(end + 1 - start) > most) {
            runs.push(&sorted[start..end]);
            start = end;
        }
    }
    runs
}

impl<P: SubwordTokenizer, S: WindowScorer> Restorer for BertModel<P, S> {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Returns `None`, since the model sees all words up to the end of a sentence or of a line.
    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn averages_contexts(&self) -> bool {
        true
    }

    fn balances_capitals(&self) -> bool {
        true
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        Box::new(WindowSession::new(self, request))
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    /// Windows of about equal length go through the encoder together.
    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        let scored = self.scored(documents, request)?;
        Ok(scored.iter().map(|words| self.decoded(words, self.costs(), request)).collect())
    }
}

impl<P: SubwordTokenizer, S: WindowScorer> Details for BertModel<P, S> {
    fn layer_weights(&self) -> Option<LayerWeights> {
        self.scorer.layer_weights()
    }
}

impl<P: SubwordTokenizer, S: WindowScorer> WindowModel for BertModel<P, S> {
    type Window = EncoderWindow;
    type Encoder<'m>
        = &'m P
    where
        Self: 'm;
    type Pending = TextState;

    fn windower(&self, request: Request) -> Windower<&P> {
        let BertSettings { window, runs_on, .. } = self.settings;
        let options = windows::options(window, runs_on, request.look_ahead, request.predictions.get());
        Windower::new(&self.subwords, options.for_request(&request, self.heads.marks()))
    }

    fn answer(
        &self,
        windows: Vec<EncoderWindow>,
        state: &mut TextState,
        request: Request,
        out: &mut Vec<Choice>,
    ) -> Result<()> {
        // If scores depend on the batch, each window is computed alone.
        let together = if self.scorer.is_by_itself() { windows.len().max(1) } else { 1 };
        let mut windows = windows.into_iter().peekable();
        while windows.peek().is_some() {
            let group: Vec<EncoderWindow> = windows.by_ref().take(together).collect();
            let all: Vec<&EncoderWindow> = group.iter().collect();
            let scores = self.scorer.scores(&all, self.settings.labelled_subword, request.threads)?;
            let mut scores = scores.iter().map(Vec::as_slice);
            let (TextState { pool, chain }, costs) = (&mut *state, self.costs());
            for window in group {
                let finished = self.finished(pool, window, &mut scores);
                out.extend(finished.map(|word| self.choice(&word, costs, chain, &request)));
            }
        }
        Ok(())
    }
}
