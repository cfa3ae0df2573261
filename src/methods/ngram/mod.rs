//! The transducer of Batista et al. 2007, section 4.1, figure 3: a language model of cased text as a weighted machine, whose
//! cheapest path gives a sentence its forms.
//!
//! What its back-off arcs are ([`BackOff`]) decides what it finds:
//!
//! - *failure* arcs, the default, give the likeliest forms exactly: those that the [`hmm`](super::hmm) with map weight 0
//!   finds, and that trying all combinations would;
//! - *epsilon* arcs give the paper's bestpath(S ∘ T). There a path may back off where the longer n-gram is known, so unlikely
//!   n-grams count as what they would if they had not been seen: an approximation.
//!
//! A model holds the language model and not the machine: it is smaller than the machine, which is made of it in a single
//! pass when the model is loaded, and both kinds of arcs, `hmm` and the `lm` verbs can use the same file.

#[cfg(feature = "train")]
mod train;

use serde::{Deserialize, Serialize};
#[cfg(feature = "train")]
pub use train::{Config, train};

use super::hmm;
use super::hmm::candidates::{Candidate, Candidates};
use super::hmm::guess::Guesser;
use super::hmm::session::Decoding;
use crate::error::{Error, Result};
use crate::lm::Vocabulary;
use crate::lm::forms::Forms;
use crate::model::{Section, Store};
use crate::restorer::{Restorer, Session, Want};
use crate::search::Scorer;
use crate::search::wfst::{BackOff, Machine, Walk};
use crate::text::{Labels, Locale};

/// A trained model.
#[derive(Debug)]
pub struct Ngram {
    machine: Machine,
    vocabulary: Vocabulary,
    forms: Forms,
    guesser: Option<Guesser>,
    settings: Settings,
    /// How many times its longest n-grams can be backed off from.
    back_offs: u8,
    locale: Locale,
    labels: Labels,
    /// The files that were made in training, to be written.
    sections: Vec<Section>,
}

/// What a model needs to know of how it was trained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// What the arcs are by which the machine backs off.
    pub arcs: BackOff,
    /// How much the numbers of the map count.
    pub map_weight: f32,
}

impl Ngram {
    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] where a file of it is missing, cut off or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let settings = Settings::deserialize(&manifest.settings).map_err(|error| {
            Error::model(
                store.name(),
                format!("its settings are not those of ngram ({error}): train it again"),
            )
        })?;
        Self::new(hmm::sections(store)?, settings, manifest.locale, manifest.labels.clone())
    }

    fn new(
        (model, forms, guesser): hmm::Held,
        settings: Settings,
        locale: Locale,
        labels: Labels,
    ) -> Result<Self> {
        let machine = Machine::of_model(&model, settings.arcs)?;
        let back_offs = (model.order() - 1) as u8;
        let vocabulary = model.into_vocabulary();
        let sections = Vec::new();
        Ok(Self { machine, vocabulary, forms, guesser, settings, back_offs, locale, labels, sections })
    }

    /// The files that the model is written as.
    pub fn sections(self) -> Vec<Section> {
        self.sections
    }

    /// What its manifest says of how it works.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

impl Restorer for Ngram {
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
        let candidates = Candidates {
            vocabulary: &self.vocabulary,
            forms: &self.forms,
            guesser: self.guesser.as_ref(),
            map_weight: self.settings.map_weight,
            locale: self.locale,
            skips: if self.settings.arcs == BackOff::Epsilon { self.back_offs } else { 0 },
        };
        Box::new(Decoding::new(candidates, Walk::new(&self.machine), want))
    }
}

impl Scorer for Walk<'_> {
    type State = u32;
    type Candidate = Candidate;

    fn start(&self) -> u32 {
        Walk::start(self)
    }

    #[inline]
    fn step(&self, _: usize, state: u32, next: Candidate) -> (f32, u32) {
        let (ended, state) =
            if next.opens { (Walk::finish(self, state), Walk::start(self)) } else { (0.0, state) };
        let (cost, state) = Walk::step(self, state, next.word.0 + 1, next.skips);
        (ended + cost + next.cost, state)
    }

    #[inline]
    fn finish(&self, state: u32) -> f32 {
        Walk::finish(self, state)
    }
}
