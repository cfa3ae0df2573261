//! A hidden Markov model, like SRILM's `disambig` (Batista et al. 2007, section 4.1, figure 2): the
//! states are forms, a language model of cased text gives their transition probabilities, and each
//! form emits its word in lower case with P(lower | form) = 1.
//!
//! The decoder is exact: Viterbi over the states of the language model, without a beam. With map
//! weight 0 it finds the same result as the exact transducer of `ngram` and as a search over all
//! combinations.

pub mod candidates;
pub mod events;
pub mod guess;
pub mod session;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::gaps::MarkCosts;
use crate::model::{self, Section, Store};
use candidates::{Candidates, FormCandidate};
use events::{AskedMarks, EventSession};
use guess::Guesser;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::Encoding;
use majuscule_lm::forms::Forms;
use majuscule_lm::search::Scorer;
use majuscule_lm::{NgramModel, NgramScorer, NgramState, Vocabulary, WordId};
use majuscule_text::restorer::{Details, Labelling, Request, Restorer, Session};
use majuscule_text::{Labels, Locale, Tokens};
use session::HmmSession;

/// The file of the language model.
pub const LANGUAGE_MODEL: &str = "model.lm";
/// The file of the map from words to forms.
pub const MAP: &str = "forms.map";
/// The file of the guesser for words that the map lacks.
pub const ENDINGS: &str = "endings.tsv";

/// A trained model of the method `hmm`.
#[derive(Debug)]
pub struct Hmm {
    /// The language model.
    pub model: NgramModel,
    /// The forms of each word.
    pub forms: Forms,
    /// The guesser for words that the map lacks.
    pub guesser: Option<Guesser>,
    /// The weights of the language model and of the map, and the costs of marks.
    pub settings: HmmSettings,
    /// The locale, which defines the case mappings.
    pub locale: Locale,
    /// The labels among which the model chooses.
    pub labels: Labels,
    /// The files of the model, as made in training.
    pub sections: Vec<Section>,
}

/// The settings of training that a model needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HmmSettings {
    /// The factor by which the costs of the language model are multiplied; 1 except in models of earlier
    /// versions.
    pub lm_weight: f32,
    /// The factor by which the weights of forms in the map are multiplied.
    pub map_weight: f32,
    /// The costs of marks, if the model has any.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkCosts>,
}

impl Hmm {
    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] if a file of the model is missing, truncated or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let settings = model::settings(store, "hmm", "train it again")?;
        let model = NgramModel::of_bytes(LANGUAGE_MODEL, store.section(LANGUAGE_MODEL)?)
            .map_err(|error| store.wrong(error.to_string()))?;
        let (forms, guesser) = map(store, model.vocabulary())?;
        let labels = manifest.labels.clone();
        Ok(Self { model, forms, guesser, settings, locale: manifest.locale, labels, sections: Vec::new() })
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

    /// Returns the marks among which a session for this request chooses, if the model knows any.
    fn marks(&self, request: Request) -> Option<AskedMarks> {
        let costs = self.settings.marks.unwrap_or_default();
        AskedMarks::asked(self.labels.marks(), costs, &self.candidates(), request)
    }

    fn scorer(&self) -> Weighted<'_> {
        // Converts log10 p to the cost −ln p.
        let weight = -std::f32::consts::LN_10 * self.settings.lm_weight;
        Weighted { model: self.model.scorer(), weight }
    }
}

/// Opens a language model, which is a file of its own or part of an `hmm` model. `encoding` is the
/// encoding of an ARPA file that is not UTF-8.
///
/// # Errors
/// The errors of [`NgramModel::open_as`] and [`model::open`], and [`Error::Model`] for a model of another
/// method.
pub fn language_model(path: &Path, encoding: Option<&Encoding>) -> Result<NgramModel> {
    if !model::is_model(path)? {
        return NgramModel::open_as(path, encoding);
    }
    let store = model::open(path)?;
    let method = &store.manifest().method;
    match store.manifest().file(LANGUAGE_MODEL) {
        Some(_) => NgramModel::of_bytes(&path.to_string_lossy(), store.section(LANGUAGE_MODEL)?),
        None => Err(store.wrong(format!("is a {method} model: only hmm models have a language model"))),
    }
}

/// Opens a language model like [`language_model`] and verifies the checksum of a binary file, for callers
/// that read the whole file.
///
/// # Errors
/// The errors of [`language_model`] and [`NgramModel::check`].
pub fn checked_language_model(path: &Path, encoding: Option<&Encoding>) -> Result<NgramModel> {
    let model = language_model(path, encoding)?;
    model.check()?;
    Ok(model)
}

/// Reads the map of a model, and the guesser for words that the map lacks.
///
/// # Errors
/// [`Error::Model`] if one of the files is missing, truncated or altered.
pub fn map(store: &dyn Store, vocabulary: &Vocabulary) -> Result<(Forms, Option<Guesser>)> {
    let text = |file: &str| store.text(file, "train the model again");
    let manifest = store.manifest();
    let forms = Forms::read(MAP, &text(MAP)?, vocabulary, manifest.locale)?;
    let guesser = match manifest.file(ENDINGS) {
        Some(_) => Some(Guesser::read(&text(ENDINGS)?).map_err(|problem| wrong(store, ENDINGS, &problem))?),
        None => None,
    };
    Ok((forms, guesser))
}

/// Returns the error for a model file that cannot be used.
pub fn wrong(store: &dyn Store, file: &str, problem: &str) -> Error {
    Error::model(store.name(), format!("{file} {problem}: train the model again"))
}

impl Restorer for Hmm {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        match self.marks(request) {
            Some(marks) => Box::new(EventSession::new(self.candidates(), marks, self.scorer(), request)),
            None => Box::new(HmmSession::new(self.candidates(), self.scorer(), request)),
        }
    }
}

impl Details for Hmm {
    fn knows(&self, lower: &str) -> Option<bool> {
        Some(!self.forms.get(lower).is_empty())
    }

    fn n_best(&self, sentence: &Tokens, n: usize) -> Option<Vec<Labelling>> {
        Some(match self.marks(Request::default()) {
            Some(marks) => events::n_best(self.candidates(), marks, self.scorer(), sentence, n),
            None => session::n_best(&self.candidates(), &self.scorer(), sentence, n),
        })
    }
}

/// A language model with a weight for its costs.
#[derive(Debug, Clone, Copy)]
struct Weighted<'a> {
    model: NgramScorer<'a>,
    weight: f32,
}

impl Scorer for Weighted<'_> {
    type State = NgramState;
    type Candidate = FormCandidate;

    fn start(&self) -> NgramState {
        self.model.start()
    }

    #[inline]
    fn step(&self, _: usize, state: NgramState, next: FormCandidate) -> (f32, NgramState) {
        let (ended, state) = if next.opens { (self.finish(state), self.model.start()) } else { (0.0, state) };
        let step = self.model.step(state, next.word);
        (ended + self.weight * step.log10 + next.cost, step.state)
    }

    #[inline]
    fn finish(&self, state: NgramState) -> f32 {
        self.weight * self.model.step(state, WordId::END).log10
    }
}
