//! The most frequent form of each word, wherever it stands: the baseline of every paper, and the example that other
//! methods copy.

mod table;

use serde::{Deserialize, Serialize};
pub use table::CaseTable;

use crate::error::{Error, Result};
use crate::model::{Section, Store};
use crate::restorer::{Boundary, Details, Restorer, Session, Want};
use crate::text::compound::{compound, is_joint};
use crate::text::{Case, Choice, Label, Labels, Locale, Tokens};

/// The file that holds the words.
const WORDS: &str = "words.bin";

/// A trained model.
#[derive(Debug)]
pub struct Majority {
    words: CaseTable,
    settings: MajoritySettings,
    locale: Locale,
    labels: Labels,
}

/// What a model needs to know of how it was trained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MajoritySettings {
    /// Whether a compound word that was not seen gets the case of its parts: `jean-jacques`, `l'estonie`.
    pub parts: bool,
}

impl Majority {
    /// A model of these words.
    pub fn new(words: CaseTable, settings: MajoritySettings, locale: Locale) -> Self {
        Self { words, settings, locale, labels: Labels::cases() }
    }

    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] where a file of it is missing, cut off or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let settings = MajoritySettings::deserialize(&manifest.settings).map_err(|error| {
            Error::model(
                store.name(),
                format!("its settings are not those of majority ({error}): train it again"),
            )
        })?;
        let words = CaseTable::open(store.section(WORDS)?).map_err(|problem| {
            Error::model(store.name(), format!("{WORDS} {problem}: train the model again"))
        })?;
        Ok(Self { words, settings, locale: manifest.locale, labels: manifest.labels.clone() })
    }

    /// The files that the model is written as.
    pub fn sections(&self) -> Vec<Section> {
        vec![(WORDS.to_owned(), self.words.bytes().to_vec())]
    }

    /// What its manifest says of how it works.
    pub fn settings(&self) -> &MajoritySettings {
        &self.settings
    }

    /// The case of a word.
    #[inline]
    pub fn case(&self, lower: &str) -> Case {
        match self.words.get(lower) {
            Some(case) => case,
            None if self.settings.parts => self.unseen(lower),
            None => Case::Lower,
        }
    }

    /// The case of a word that was not seen.
    #[cold]
    fn unseen(&self, lower: &str) -> Case {
        if lower.contains('.') {
            // An initialism is spelled like its letters without stops: `e.u.a` like `eua`.
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

    fn session(&self, _: Want) -> Box<dyn Session + '_> {
        Box::new(self)
    }
}

impl Details for Majority {
    fn knows(&self, lower: &str) -> Option<bool> {
        Some(self.words.get(lower).is_some())
    }
}

/// It needs no context, so the model itself is the session.
impl Session for &Majority {
    fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        out.extend(
            tokens.iter().map(|(lower, _)| Choice { label: Label::from(self.case(lower)), confidence: None }),
        );
        Ok(())
    }
}
