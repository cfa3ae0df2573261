//! A network trained from scratch (You & Li 2024, without its last LSTM): subwords, a convolution over them, and
//! LSTMs in both directions over words. The case of a word depends on the states of the previous word and the word,
//! the punctuation mark after it on the states of the word and the next word.

mod engine;
mod files;
mod lstm;
pub mod shape;
pub mod subwords;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Method;
use crate::gaps::MarkCosts;
use crate::network::check_scores;
use crate::network::heads::{ChainState, ChoiceRules, HeadSizes, Heads, ln_softmax};
pub use crate::network::products::EnginePrecision;
use crate::network::session::{WindowModel, WindowSession};
use crate::network::windower::Windower;
use crate::spellings::ClassCases;
use engine::{CnnBilstmEngine, CnnBilstmScratch, LiveState};
pub use files::{CnnBilstmParts, LEXICON, MIXED, TOKENIZER, WEIGHTS, WORDS, in_bytes, load, read_with};
use majuscule_base::error::Result;
use majuscule_text::restorer::{Details, Request, Restorer, Session};
use majuscule_text::{Choice, Labels, Tokens};
use shape::CnnBilstmShape;
use subwords::{SubwordVocabulary, SubwordWindow};

/// The name of the method.
pub const NAME: &str = "cnn-bilstm";

/// The method `cnn-bilstm`, for a program's list of methods.
pub const METHOD: Method =
    Method { name: NAME, has_backends: true, load: |store, computing| Ok(Arc::new(load(store, computing)?)) };

/// The settings of a model that depend on its training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CnnBilstmSettings {
    /// The widths of the network's parts.
    #[serde(flatten)]
    pub shape: CnnBilstmShape,
    /// The number of words that the network reads at a time; longer texts are cut into overlapping windows.
    pub window: usize,
    /// True if a text continues after the end of a line, as in training.
    pub runs_on: bool,
    /// The costs of marks, if the model finds marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<MarkCosts>,
    /// True if the weights are int8.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_bytes: bool,
}

/// The possible sizes of a window; the largest keeps memory bounded.
pub const WINDOWS: std::ops::RangeInclusive<usize> = 2..=1 << 12;

/// A text is read in windows this many times as long as the windows of training: LSTMs also read texts that are
/// longer than in training, and a choice then depends less on where windows begin.
const READ: usize = 2;

/// The number of words of right context that a word of live text waits for.
const LIVE_LOOK_AHEAD: usize = 3;

/// A trained model.
#[derive(Debug)]
pub struct CnnBilstm {
    vocabulary: SubwordVocabulary,
    engine: CnnBilstmEngine,
    cases: ClassCases<String>,
    settings: CnnBilstmSettings,
    labels: Labels,
    heads: Heads,
}

/// The state that the engine keeps from window to window.
#[derive(Debug, Clone, Default)]
pub struct EngineState {
    live: LiveState,
    /// The scratch memory of each thread.
    scratches: Vec<CnnBilstmScratch>,
}

/// A window with ln of the probabilities of the labels of its words, head after head.
pub type ScoredWindow = (SubwordWindow, Vec<f32>);

impl CnnBilstm {
    /// Returns the windows of documents with their scores, document after document.
    ///
    /// # Errors
    /// Fails if a score is not a number.
    pub fn scored(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<ScoredWindow>>> {
        let (windows, counts) = self.windower(request).push_documents(documents)?;
        let mut scored = self.with_scores(windows, &mut EngineState::default(), request)?.into_iter();
        Ok(counts.into_iter().map(|count| scored.by_ref().take(count).collect()).collect())
    }

    /// Returns the choices for the words of a document under these costs of marks.
    pub fn decoded(&self, windows: &[ScoredWindow], costs: MarkCosts, request: Request) -> Vec<Choice> {
        let (mut chain, mut choices) = (ChainState::default(), Vec::new());
        for window in windows {
            choices.extend(self.choices(window, costs, &mut chain, request));
        }
        choices
    }

    /// Computes the scores of windows. With a look-ahead, words do not wait for the end of their window: the
    /// windows are computed one after another, from the state `live` of the text before them.
    fn with_scores(
        &self,
        mut windows: Vec<SubwordWindow>,
        EngineState { live, scratches }: &mut EngineState,
        request: Request,
    ) -> Result<Vec<ScoredWindow>> {
        let scores: Vec<Vec<f32>> = match request.look_ahead {
            None => self.engine.scores(&windows, request.threads, scratches),
            Some(words) => {
                let look_ahead = subwords::live_look_ahead(words);
                windows.iter_mut().map(|window| self.engine.live_scores(window, look_ahead, live)).collect()
            }
        };
        check_scores(NAME, &scores)?;
        let normal = |mut scores: Vec<f32>| {
            let HeadSizes { cases, .. } = self.heads.sizes();
            for word in scores.chunks_exact_mut(self.heads.sizes().all()) {
                let (of_cases, of_marks) = word.split_at_mut(cases);
                [of_cases, of_marks].into_iter().for_each(ln_softmax);
            }
            scores
        };
        Ok(windows.into_iter().zip(scores.into_iter().map(normal)).collect())
    }

    /// Returns the choices for the targets of a window.
    fn choices<'a>(
        &'a self,
        (window, ln): &'a ScoredWindow,
        costs: MarkCosts,
        chain: &'a mut ChainState,
        request: Request,
    ) -> impl Iterator<Item = Choice> + 'a {
        let HeadSizes { cases, .. } = self.heads.sizes();
        let all = self.heads.sizes().all();
        let word = move |at: usize| &ln[at * all..][..all];
        window.targets.clone().map(move |at| {
            let before = at.checked_sub(1).map_or(&[][..], |before| &word(before)[cases..]);
            let start_odds = self.heads.start_odds(at, |at| {
                Some((window.words.get(at)?.context, ln.get(at * all..at * all + cases)?))
            });
            let ln = [word(at), before].concat();
            let rules = ChoiceRules { cases: &self.cases, costs, request: &request };
            self.heads.choice(&window.chain_word(at, start_odds), &ln, rules, chain)
        })
    }

    fn costs(&self) -> MarkCosts {
        self.settings.costs.unwrap_or_default()
    }
}

impl Restorer for CnnBilstm {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Returns `None`, since the model sees all words up to the end of a sentence or of a line.
    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn live_look_ahead(&self) -> Option<usize> {
        Some(LIVE_LOOK_AHEAD)
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

    /// Windows of about equal length go through the network together.
    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        let scored = self.scored(documents, request)?;
        Ok(scored.iter().map(|windows| self.decoded(windows, self.costs(), request)).collect())
    }
}

impl Details for CnnBilstm {
    fn knows(&self, lower: &str) -> Option<bool> {
        Some(self.vocabulary.knows(lower))
    }
}

impl WindowModel for CnnBilstm {
    type Window = SubwordWindow;
    type Encoder<'m> = &'m SubwordVocabulary;
    type Pending = (ChainState, EngineState);

    fn windower(&self, request: Request) -> Windower<&SubwordVocabulary> {
        let CnnBilstmSettings { window, runs_on, .. } = self.settings;
        let window = (READ * window).min(*WINDOWS.end());
        let options = subwords::options(window, runs_on, request.look_ahead);
        Windower::new(&self.vocabulary, options.for_request(&request, self.heads.marks()))
    }

    fn answer(
        &self,
        windows: Vec<SubwordWindow>,
        (chain, engine): &mut (ChainState, EngineState),
        request: Request,
        out: &mut Vec<Choice>,
    ) -> Result<()> {
        for window in self.with_scores(windows, engine, request)? {
            out.extend(self.choices(&window, self.costs(), chain, request));
        }
        Ok(())
    }
}
