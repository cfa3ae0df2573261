//! What a method chooses for a word: a case, and the mark that follows it.

use serde::{Deserialize, Serialize};

use super::case::{Case, Class};

/// What follows a word. For now only whether a sentence ends there; the punctuation marks will join it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mark {
    /// Nothing: the sentence goes on.
    #[default]
    None,
    /// The end of a sentence.
    SentenceEnd,
}

/// The answer for one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Label {
    /// Its case.
    pub case: Case,
    /// The mark after it.
    pub mark: Mark,
}

impl From<Case> for Label {
    fn from(case: Case) -> Self {
        Self { case, mark: Mark::None }
    }
}

/// A label and how sure the method is of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Choice {
    /// The label chosen.
    pub label: Label,
    /// Its probability from 0 to 1; `None` where it was not asked for or the method has none.
    pub confidence: Option<f32>,
}

/// The labels that a method chooses among, each with its id: its place in the list. Saved with the model, so that an id
/// means the same wherever the model is read. A mixed case is one label; its pattern is found inside the method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels(Vec<(Class, Mark)>);

impl Labels {
    /// The four cases with no marks, in the order of [`Class::ALL`].
    pub fn cases() -> Self {
        Self(Class::ALL.iter().map(|&class| (class, Mark::None)).collect())
    }

    /// Those of `list`, in its order; one that stands twice is kept once.
    pub fn new(list: impl IntoIterator<Item = (Class, Mark)>) -> Self {
        let mut labels = Vec::new();
        for label in list {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        Self(labels)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The id of a label, `None` where the method does not know it.
    pub fn id(&self, label: Label) -> Option<usize> {
        self.0.iter().position(|&known| known == (label.case.class(), label.mark))
    }

    /// The class and mark of an id.
    pub fn get(&self, id: usize) -> Option<(Class, Mark)> {
        self.0.get(id).copied()
    }

    /// Whether some label says where a sentence ends.
    pub fn marks(&self) -> bool {
        self.0.iter().any(|&(_, mark)| mark != Mark::None)
    }
}
