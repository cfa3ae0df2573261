//! The labels that a tagger learns from an example.

use majuscule_methods::network::heads::Heads;
use majuscule_methods::network::windower::WordWindow;
use majuscule_text::{Mark, MarkSet};
use majuscule_train::corpus::{Example, Gold};

/// The ids of the correct labels of a word; `None` for a label that is not used in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordLabels {
    /// The id of the class of the word.
    pub class: Option<u32>,
    /// The id of the mark after the word.
    pub mark: Option<u32>,
}

impl WordLabels {
    /// Returns the labels in the order of the heads.
    pub fn by_head(self) -> [Option<u32>; 2] {
        [self.class, self.mark]
    }

    /// Returns true if there is no label.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Returns true if an example contains `mark` after its marks are mapped into the set `marks`.
pub fn teaches(example: &Example, mark: Mark, marks: MarkSet) -> bool {
    example.gold.iter().any(|gold| gold.label.mark.within(marks) == mark)
}

/// Returns the labels of the words of a window, where `gold` has the labels of its targets. Returns `None` if no word
/// has a label.
pub fn window_labels<I>(
    window: &WordWindow<I>,
    gold: &mut impl Iterator<Item = WordLabels>,
) -> Option<Vec<WordLabels>> {
    let mut labels = vec![WordLabels::default(); window.words.len()];
    labels[window.targets.clone()].iter_mut().zip(gold).for_each(|(own, gold)| *own = gold);
    // The mark after the last word is not learned, as the window lacks the words after it.
    labels.iter_mut().rev().take(1).for_each(|last| last.mark = None);
    labels.iter().any(|labels| !labels.is_empty()).then_some(labels)
}

/// Returns the loss of a word times `weight`, −ln of the probability of the right label, and sets the gradients of the
/// scores of labels.
pub fn cross_entropy(scores: &[f32], right: usize, weight: f64, gradients: &mut [f32]) -> f64 {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers = scores.iter().map(|score| f64::from(score - most).exp());
    let sum: f64 = powers.clone().sum();
    let loss = weight * (sum.ln() - f64::from(scores[right] - most));
    for (at, (gradient, power)) in gradients.iter_mut().zip(powers).enumerate() {
        *gradient = (weight * (power / sum - f64::from(u8::from(at == right)))) as f32;
    }
    loss
}

/// Returns the labels of the words of an example. If the heads learn marks, the case of the first word of a sentence has
/// no label, and marks have labels only in examples whose input does not show them.
pub fn gold(heads: &Heads, example: &Example) -> Vec<WordLabels> {
    let tokens = example.tokens.as_slice();
    let has_marks = heads.sizes().marks > 0;
    let shows = tokens.iter().any(|token| token.starts || token.gap.is_some() || token.right.is_some());
    let is_marked = example.gold.iter().any(|gold| gold.label.mark.character().is_some());
    let mut begins = true;
    let label = |gold: &Gold| {
        let is_inside = !has_marks || !(gold.initial || begins);
        begins = gold.label.mark.ends_sentence();
        let class = gold.label.case.class();
        let case = heads.class_id(class).filter(|_| gold.scored && is_inside);
        // A text without any mark does not teach where marks are absent: its punctuation is missing.
        let mark = heads.mark_id(gold.label.mark).filter(|_| !shows && is_marked);
        let [class, mark] = [case, mark].map(|id| id.map(|id| id as u32));
        WordLabels { class, mark }
    };
    example.gold.iter().map(label).collect()
}
