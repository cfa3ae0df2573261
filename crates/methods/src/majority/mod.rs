//! Chooses the most frequent form of each word, wherever it occurs: the baseline of every paper,
//! and the example for other methods.

mod table;

use serde::{Deserialize, Serialize};
pub use table::CaseTable;

use crate::model::{self, Section, Store};
use majuscule_base::error::Result;
use majuscule_text::compound::{compound, is_joint};
use majuscule_text::restorer::{Boundary, Details, Request, Restorer, Session};
use majuscule_text::{Case, Choice, Label, Labels, Locale, Tokens};

/// The file of the words.
const WORDS: &str = "words.bin";

/// A trained model of the method `majority`.
#[derive(Debug)]
pub struct Majority {
    words: CaseTable,
    settings: MajoritySettings,
    locale: Locale,
    labels: Labels,
}

/// The settings of training that a model needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MajoritySettings {
    /// True if an unseen compound word gets the case of its parts: `jean-jacques`, `l'estonie`.
    pub parts: bool,
}

impl Majority {
    /// Creates a model of these words.
    pub fn new(words: CaseTable, settings: MajoritySettings, locale: Locale) -> Self {
        Self { words, settings, locale, labels: Labels::cases() }
    }

    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`](majuscule_base::Error::Model) if a file of the model is missing, truncated or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let settings = model::settings(store, "majority", "train it again")?;
        let words = CaseTable::open(store.section(WORDS)?)
            .map_err(|problem| store.wrong(format!("{WORDS} {problem}: train the model again")))?;
        Ok(Self { words, settings, locale: manifest.locale, labels: manifest.labels.clone() })
    }

    /// Returns the files of the model.
    pub fn sections(&self) -> Vec<Section> {
        vec![(WORDS.to_owned(), self.words.bytes().to_vec())]
    }

    /// Returns the settings of the model as its manifest has them.
    pub fn settings(&self) -> &MajoritySettings {
        &self.settings
    }

    /// Returns the case of a word.
    #[inline]
    pub fn case(&self, lower: &str) -> Case {
        match self.words.get(lower) {
            Some(case) => case,
            None if self.settings.parts => self.unseen(lower),
            None => Case::Lower,
        }
    }

    /// Returns the case of an unseen word.
    #[cold]
    fn unseen(&self, lower: &str) -> Case {
        if lower.contains('.') {
            // An initialism is spelled like its letters without full stops: `e.u.a` like `eua`.
            return match self.words.get(&lower.replace('.', "")) {
                Some(Case::Upper) => Case::Upper,
                _ => Case::Lower,
            };
        }
        if lower.contains(is_joint) {
            compound(lower, self.locale, |part| self.words.get(part))
        } else {
            Case::Lower
        }
    }
}

impl Restorer for Majority {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(0)
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    fn has_probabilities(&self) -> bool {
        false
    }

    fn session(&self, _: Request) -> Box<dyn Session + '_> {
        Box::new(self)
    }
}

impl Details for Majority {
    fn knows(&self, lower: &str) -> Option<bool> {
        Some(self.words.get(lower).is_some())
    }
}

/// The model needs no context, so the model itself is the session.
impl Session for &Majority {
    fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        out.extend(tokens.iter().map(|(lower, _)| Choice::from(Label::from(self.case(lower)))));
        Ok(())
    }
}
