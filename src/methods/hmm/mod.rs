//! A hidden Markov model, as SRILM's `disambig` has it (Batista et al. 2007, section 4.1, figure 2): the states are forms, a
//! language model of cased text says how likely they follow each other, and each form gives its word in lower case with
//! P(lower | form) = 1.
//!
//! The decoder is exact: Viterbi over the states of the language model, no beam. With the map weight 0 it finds what the
//! exact transducer of [`ngram`](super::ngram) finds, and what trying all combinations would.

pub mod candidates;
pub mod guess;
pub mod session;
#[cfg(feature = "train")]
mod train;

use serde::{Deserialize, Serialize};
#[cfg(feature = "train")]
pub use train::{Config, Language, Unknown, train};

use crate::error::{Error, Result};
use crate::lm::forms::Forms;
use crate::lm::{self, NgramModel, State};
use crate::model::{Section, Store};
use crate::restorer::{Restorer, Session, Want};
use crate::search::{Scorer, n_best};
use crate::text::{Label, Labels, Locale, Tokens};
use candidates::{Candidate, Candidates};
use guess::Guesser;
use session::Decoding;

/// The files of a model: the language model, the map, and what shapes words that the map does not have.
const LANGUAGE_MODEL: &str = "model.lm";
const MAP: &str = "forms.map";
const ENDINGS: &str = "endings.tsv";

/// A trained model.
#[derive(Debug)]
pub struct Hmm {
    model: NgramModel,
    forms: Forms,
    guesser: Option<Guesser>,
    settings: Settings,
    locale: Locale,
    labels: Labels,
    /// The files that were made in training, to be written.
    sections: Vec<Section>,
}

/// What a model needs to know of how it was trained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How much the language model counts: its costs are multiplied by it.
    pub lm_weight: f32,
    /// How much the numbers of the map count.
    pub map_weight: f32,
}

impl Hmm {
    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] where a file of it is missing, cut off or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let settings = Settings::deserialize(&manifest.settings).map_err(|error| {
            Error::model(store.name(), format!("its settings are not those of hmm ({error}): train it again"))
        })?;
        let (model, forms, guesser) = sections(store)?;
        let labels = manifest.labels.clone();
        Ok(Self { model, forms, guesser, settings, locale: manifest.locale, labels, sections: Vec::new() })
    }

    /// The files that the model is written as.
    pub fn sections(self) -> Vec<Section> {
        self.sections
    }

    /// What its manifest says of how it works.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The `n` likeliest labellings of the words of one sentence, each with −ln of its probability together with the words,
    /// the likeliest first.
    pub fn n_best(&self, tokens: &Tokens, n: usize) -> Vec<(f64, Vec<Label>)> {
        let mut positions: Vec<Vec<Candidate>> = Vec::new();
        let mut after_capitals = false;
        let candidates = self.candidates();
        for (lower, token) in tokens.iter() {
            let mut column = Vec::new();
            candidates.of(lower, token, after_capitals, &mut column);
            after_capitals = candidates.all_capitals(lower, &column);
            positions.push(column);
        }
        let labels = |candidates: &[usize]| {
            let label = |(&at, column): (&usize, &Vec<Candidate>)| Label::from(column[at].case);
            candidates.iter().zip(&positions).map(label).collect()
        };
        let paths = n_best(&self.scorer(), &positions, n);
        paths.iter().map(|path| (path.cost, labels(&path.candidates))).collect()
    }

    fn candidates(&self) -> Candidates<'_> {
        Candidates {
            vocabulary: self.model.vocabulary(),
            forms: &self.forms,
            guesser: self.guesser.as_ref(),
            map_weight: self.settings.map_weight,
            locale: self.locale,
            skips: 0,
        }
    }

    fn scorer(&self) -> Weighted<'_> {
        // From log10 p to the cost −ln p.
        let weight = -std::f32::consts::LN_10 * self.settings.lm_weight;
        Weighted { model: self.model.scorer(), weight }
    }
}

/// A language model, its map, and what shapes words that the map does not have.
pub(in crate::methods) type Held = (NgramModel, Forms, Option<Guesser>);

/// Reads the files of a model.
///
/// # Errors
/// [`Error::Model`] where one is missing, cut off or altered.
pub(in crate::methods) fn sections(store: &dyn Store) -> Result<Held> {
    let manifest = store.manifest();
    let wrong = |file: &str, problem: String| {
        Error::model(store.name(), format!("{file} {problem}: train the model again"))
    };
    let text = |file: &str| {
        let bytes = store.section(file)?.to_vec();
        String::from_utf8(bytes).map_err(|_| wrong(file, "is no text".to_owned()))
    };
    let model = NgramModel::read(LANGUAGE_MODEL, store.section(LANGUAGE_MODEL)?.to_vec())?;
    let forms = Forms::read(MAP, &text(MAP)?, model.vocabulary(), manifest.locale)?;
    let guesser = match manifest.file(ENDINGS) {
        Some(_) => Some(Guesser::read(&text(ENDINGS)?).map_err(|problem| wrong(ENDINGS, problem))?),
        None => None,
    };
    Ok((model, forms, guesser))
}

impl Restorer for Hmm {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn knows(&self, lower: &str) -> Option<bool> {
        Some(!self.forms.get(lower).is_empty())
    }

    fn session(&self, want: Want) -> Box<dyn Session + '_> {
        Box::new(Decoding::new(self.candidates(), self.scorer(), want))
    }
}

/// The costs of a language model.
#[derive(Debug, Clone, Copy)]
struct Weighted<'a> {
    model: lm::Scorer<'a>,
    weight: f32,
}

impl Scorer for Weighted<'_> {
    type State = State;
    type Candidate = Candidate;

    fn start(&self) -> State {
        self.model.start()
    }

    #[inline]
    fn step(&self, _: usize, state: State, next: Candidate) -> (f32, State) {
        let (ended, state) = if next.opens { (self.finish(state), self.model.start()) } else { (0.0, state) };
        let step = self.model.step(state, next.word);
        (ended + self.weight * step.log10 + next.cost, step.state)
    }

    #[inline]
    fn finish(&self, state: State) -> f32 {
        self.weight * self.model.step(state, lm::WordId::END).log10
    }
}
