//! The label that a method chooses for a word: a case, and the mark that follows the word.

use serde::{Deserialize, Serialize};

use super::case::{Case, Class};
use super::mark::{Mark, MarkSet};

/// The label of one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Label {
    /// The case of the word.
    pub case: Case,
    /// The mark after the word.
    pub mark: Mark,
}

impl From<Case> for Label {
    fn from(case: Case) -> Self {
        Self { case, mark: Mark::None }
    }
}

/// Converts a number that a method computed to a probability: it is clamped to the range from 0 to 1, and NaN, which
/// a damaged model may compute, becomes 0.
#[inline]
pub fn probability(number: f32) -> f32 {
    if number.is_nan() { 0.0 } else { number.clamp(0.0, 1.0) }
}

/// A label and the method's confidence in it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Choice {
    /// The label chosen.
    pub label: Label,
    /// The probability of the case, from 0 to 1; `None` if it was not requested or the method has
    /// none.
    pub confidence: Option<f32>,
    /// The probability of the mark, or of no mark; `None` if marks or probabilities were not requested.
    pub mark_confidence: Option<f32>,
    /// The mark whose opening form belongs right before the word, if the language has one: [`Mark::Question`] for
    /// `¿`.
    pub opening: Mark,
}

impl From<Label> for Choice {
    /// Makes a choice without probabilities.
    fn from(label: Label) -> Self {
        Self { label, ..Self::default() }
    }
}

/// The labels that a method chooses from. The id of a label is its position in the list. The list is saved with the
/// model, so that an id means the same wherever the model is read. All mixed cases are one label; the method finds
/// the pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels(Vec<(Class, Mark)>);

impl Labels {
    /// Returns the four cases with no marks, in the order of [`Class::ALL`].
    pub fn cases() -> Self {
        Self(Class::ALL.iter().map(|&class| (class, Mark::None)).collect())
    }

    /// Makes the set of the labels of `list`, in its order; duplicates are dropped.
    pub fn new(list: impl IntoIterator<Item = (Class, Mark)>) -> Self {
        let mut labels = Vec::new();
        for label in list {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        Self(labels)
    }

    /// Returns the number of labels.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no labels.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the id of a label; `None` if the method does not know the label.
    pub fn id(&self, label: Label) -> Option<usize> {
        self.0.iter().position(|&known| known == (label.case.class(), label.mark))
    }

    /// Returns the class and mark of an id.
    pub fn get(&self, id: usize) -> Option<(Class, Mark)> {
        self.0.get(id).copied()
    }

    /// Returns the marks that the method can insert after words.
    pub fn marks(&self) -> MarkSet {
        self.0.iter().map(|&(_, mark)| mark).collect()
    }

    /// Returns true if some label marks the end of a sentence.
    pub fn ends_sentences(&self) -> bool {
        self.0.iter().any(|&(_, mark)| mark.ends_sentence())
    }
}
