//! Turns counts into figures: correct, substituted, inserted and deleted slots, and their ratios.
//!
//! A slot is a word with a capital (Batista et al. 2007, section 3, equations 1 to 4).

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::corpus::{Gold, Protocol};
use majuscule_text::{Case, Class, Label, Mark};

/// The condition under which a chosen case equals the right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Matching {
    /// Both words have the same spelling: a mixed case counts with its pattern.
    #[default]
    Spelling,
    /// Both words have the same tag of Rei et al. 2020: U for all capitals, T for a capital first
    /// letter, L for the rest. A mixed case is L, so it is not a slot.
    Tags,
}

impl Matching {
    /// The matching of a protocol.
    pub fn of(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Rei | Protocol::Marks { .. } => Self::Tags,
            _ => Self::Spelling,
        }
    }

    /// Returns the case as this matching sees it: under `Tags`, a mixed case becomes lower case.
    #[inline]
    pub fn see(self, case: Case) -> Case {
        match (self, case) {
            (Self::Tags, Case::Mixed(_)) => Case::Lower,
            _ => case,
        }
    }
}

/// The counts from comparing the slots of a hypothesis with the slots of its reference. Counts add
/// up over words, sentences and files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Slots {
    /// Slots on both sides that are equal.
    pub correct: u64,
    /// Slots on both sides that differ.
    pub substituted: u64,
    /// Slots that only the hypothesis has.
    pub inserted: u64,
    /// Slots that only the reference has.
    pub deleted: u64,
}

impl Slots {
    /// The slots of one word.
    ///
    /// ```
    /// use majuscule_train::eval::Slots;
    /// use majuscule_text::Case;
    ///
    /// assert_eq!(Slots::of(Case::Title, Case::Upper).substituted, 1);
    /// assert_eq!(Slots::of(Case::Lower, Case::Lower), Slots::default());
    /// ```
    #[inline]
    pub fn of(reference: Case, hypothesis: Case) -> Self {
        Self::meeting(reference.is_slot(), hypothesis.is_slot(), reference == hypothesis)
    }

    /// The slots of the mark after one word.
    pub(super) fn of_marks([reference, hypothesis]: [Mark; 2]) -> Self {
        Self::meeting(reference != Mark::None, hypothesis != Mark::None, reference == hypothesis)
    }

    /// Returns the slot counts of one word. The arguments say whether the reference and the hypothesis have a slot at
    /// the word, and whether the two are equal.
    #[inline]
    fn meeting(in_reference: bool, in_hypothesis: bool, equal: bool) -> Self {
        Self {
            correct: u64::from(in_reference && equal),
            substituted: u64::from(in_reference && in_hypothesis && !equal),
            inserted: u64::from(!in_reference && in_hypothesis),
            deleted: u64::from(in_reference && !in_hypothesis),
        }
    }

    /// Returns the slots of one word under a protocol: the slots of its mark if marks are scored,
    /// otherwise the slots of its case.
    pub fn under(protocol: Protocol, gold: &Gold, hypothesis: Label) -> Self {
        let matching = Matching::of(protocol);
        match protocol.mark_convention() {
            Some(convention) => convention.slots(gold, hypothesis),
            None => Self::of(matching.see(gold.label.case), matching.see(hypothesis.case)),
        }
    }

    /// Returns the slots of `words` words that each have the slots `self`.
    pub(super) fn times(self, words: u64) -> Self {
        Self {
            correct: self.correct * words,
            substituted: self.substituted * words,
            inserted: self.inserted * words,
            deleted: self.deleted * words,
        }
    }

    /// The number of slots of the reference.
    pub fn reference(&self) -> u64 {
        self.correct + self.substituted + self.deleted
    }

    /// The number of slots of the hypothesis.
    pub fn hypothesis(&self) -> u64 {
        self.correct + self.substituted + self.inserted
    }

    /// The number of errors: substituted, inserted and deleted slots.
    pub fn errors(&self) -> u64 {
        self.substituted + self.inserted + self.deleted
    }

    /// The fraction of the hypothesis's slots that are correct; `None` if the hypothesis has no slot.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.correct, self.hypothesis())
    }

    /// The fraction of the reference's slots that are correct; `None` if the reference has no slot.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.correct, self.reference())
    }

    /// The harmonic mean of precision and recall, computed as 2C/(hypothesis + reference). If no
    /// slot is correct, the value is 0, whereas the usual formula results in 0/0. `None` if neither
    /// side has a slot.
    pub fn f(&self) -> Option<f64> {
        ratio(2 * self.correct, self.hypothesis() + self.reference())
    }

    /// F0.5, in which precision counts twice as much as recall. `None` if neither side has a slot.
    pub fn f_half(&self) -> Option<f64> {
        ratio(5 * self.correct, 4 * self.hypothesis() + self.reference())
    }

    /// The slot error rate, (I + D + S)/(C + D + S). It can exceed 1. `None` if the reference has
    /// no slot.
    pub fn ser(&self) -> Option<f64> {
        ratio(self.errors(), self.reference())
    }
}

impl AddAssign for Slots {
    fn add_assign(&mut self, other: Self) {
        self.correct += other.correct;
        self.substituted += other.substituted;
        self.inserted += other.inserted;
        self.deleted += other.deleted;
    }
}

/// The sum of counts.
pub(super) fn sum<T: AddAssign + Default>(counts: impl IntoIterator<Item = T>) -> T {
    let mut sum = T::default();
    counts.into_iter().for_each(|each| sum += each);
    sum
}

/// A ratio of counts; `None` if `whole` is 0.
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The mean of F over the classes that occur in the reference or the hypothesis, given the slots of each class.
pub(super) fn macro_f(classes: impl Iterator<Item = Slots>) -> Option<f64> {
    let each: Vec<f64> = classes.filter_map(|slots| slots.f()).collect();
    (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
}

/// The confusion matrix of the classes of words, from which all figures of a set of words are
/// computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Confusion {
    /// The number of words by class in the reference, then in the hypothesis.
    words: [[u64; 4]; 4],
    /// The number of words that have mixed case on both sides, with different patterns.
    other_pattern: u64,
}

impl Confusion {
    /// Counts a word with its case in the reference and in the hypothesis.
    #[inline]
    pub fn add(&mut self, reference: Case, hypothesis: Case) {
        let class = reference.class();
        self.words[class as usize][hypothesis.class() as usize] += 1;
        self.other_pattern +=
            u64::from(class == Class::Mixed && hypothesis.class() == Class::Mixed && reference != hypothesis);
    }

    /// The number of words that were counted.
    pub fn tokens(&self) -> u64 {
        self.words.iter().flatten().sum()
    }

    /// The slots of all words.
    pub fn slots(&self, matching: Matching) -> Slots {
        let seen = self.seen_by(matching);
        let capitalized = seen.capitalized(Matching::Spelling);
        let correct = (1..4).map(|class| seen.words[class][class]).sum::<u64>() - seen.other_pattern;
        Slots { correct, substituted: capitalized.correct - correct, ..capitalized }
    }

    /// Returns the slots if all capitalized forms of a word count as equal.
    pub fn capitalized(&self, matching: Matching) -> Slots {
        let words = self.seen_by(matching).words;
        Slots {
            correct: words[1..].iter().flat_map(|row| &row[1..]).sum(),
            substituted: 0,
            inserted: words[0][1..].iter().sum(),
            deleted: words[1..].iter().map(|row| row[0]).sum(),
        }
    }

    /// Returns the slots of one class against all other classes: each word of the class is a slot. Only a mixed-case
    /// word can count as substituted, by another pattern. [`Matching::Tags`] counts mixed-case words as lower case,
    /// but still scores the mixed class separately, by spelling.
    pub fn class(&self, class: Class, matching: Matching) -> Slots {
        let seen = if class == Class::Mixed { *self } else { self.seen_by(matching) };
        let id = class as usize;
        let both = seen.words[id][id];
        let substituted = if class == Class::Mixed { seen.other_pattern } else { 0 };
        Slots {
            correct: both - substituted,
            substituted,
            inserted: seen.words.iter().map(|row| row[id]).sum::<u64>() - both,
            deleted: seen.words[id].iter().sum::<u64>() - both,
        }
    }

    /// The mean of F over the classes that a matching distinguishes and that occur in the reference
    /// or the hypothesis.
    pub fn macro_f(&self, matching: Matching) -> Option<f64> {
        let classes = match matching {
            Matching::Spelling => &Class::ALL[..],
            Matching::Tags => &Class::ALL[..3],
        };
        macro_f(classes.iter().map(|&class| self.class(class, matching)))
    }

    /// Returns the matrix of the same words with their classes as a matching sees them.
    fn seen_by(&self, matching: Matching) -> Self {
        if matching == Matching::Spelling {
            return *self;
        }
        let mut seen = Self::default();
        for (reference, row) in self.words.iter().enumerate() {
            for (hypothesis, count) in row.iter().enumerate() {
                seen.words[reference % 3][hypothesis % 3] += count;
            }
        }
        seen
    }
}

impl AddAssign for Confusion {
    fn add_assign(&mut self, other: Self) {
        for (sum, count) in self.words.iter_mut().flatten().zip(other.words.iter().flatten()) {
            *sum += count;
        }
        self.other_pattern += other.other_pattern;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::eval::report::Figures;
    use majuscule_text::{Capitals, Locale};

    fn any_case() -> impl Strategy<Value = Case> {
        prop_oneof![
            Just(Case::Lower),
            Just(Case::Title),
            Just(Case::Upper),
            (2u64..5).prop_map(|capitals| Case::Mixed(Capitals(capitals))),
        ]
    }

    fn any_matching() -> impl Strategy<Value = Matching> {
        prop_oneof![Just(Matching::Spelling), Just(Matching::Tags)]
    }

    fn count(pairs: &[(Case, Case)]) -> Confusion {
        let mut confusion = Confusion::default();
        for &(reference, hypothesis) in pairs {
            confusion.add(reference, hypothesis);
        }
        confusion
    }

    fn sentences(reference: &str, hypothesis: &str) -> Confusion {
        let cases =
            |text: &str| -> Vec<Case> { text.split(' ').map(|word| Case::of(word, Locale::Root)).collect() };
        let pairs: Vec<_> = cases(reference).into_iter().zip(cases(hypothesis)).collect();
        count(&pairs)
    }

    #[test]
    fn an_insertion_costs_more_of_f_half_than_a_deletion() {
        let slots = |deleted, inserted| Slots { correct: 6, substituted: 0, inserted, deleted };
        // P .75 and R 1: 1.25 * .75 / (.25 * .75 + 1).
        let f = slots(0, 2).f_half().unwrap();
        assert!((f - 1.25 * 0.75 / (0.25 * 0.75 + 1.0)).abs() < 1e-12, "{f}");
        assert!(f < slots(2, 0).f_half().unwrap());
        assert_eq!((slots(0, 0).f_half(), Slots::default().f_half()), (Some(1.0), None));
    }

    proptest! {
        #[test]
        fn a_confusion_has_the_slots_of_its_words(
            pairs in proptest::collection::vec((any_case(), any_case()), 0..40),
            matching in any_matching(),
        ) {
            let mut slots = Slots::default();
            let mut right = 0;
            for &(reference, hypothesis) in &pairs {
                let (reference, hypothesis) = (matching.see(reference), matching.see(hypothesis));
                slots += Slots::of(reference, hypothesis);
                right += u64::from(reference == hypothesis);
            }
            let confusion = count(&pairs);
            prop_assert_eq!(confusion.slots(matching), slots);
            prop_assert_eq!(confusion.tokens(), pairs.len() as u64);
            prop_assert_eq!(confusion.tokens() - confusion.slots(matching).errors(), right);
        }

        #[test]
        fn correct_substituted_and_deleted_are_the_slots_of_the_reference(
            pairs in proptest::collection::vec((any_case(), any_case()), 0..40),
            matching in any_matching(),
        ) {
            let slots = count(&pairs).slots(matching);
            let reference = pairs.iter().filter(|pair| matching.see(pair.0).is_slot()).count();
            let hypothesis = pairs.iter().filter(|pair| matching.see(pair.1).is_slot()).count();
            prop_assert_eq!(slots.reference(), reference as u64);
            prop_assert_eq!(slots.hypothesis(), hypothesis as u64);
        }

        #[test]
        fn the_classes_of_capitals_share_out_the_slots(
            pairs in proptest::collection::vec((any_case(), any_case()), 0..40),
        ) {
            let confusion = count(&pairs);
            let mut sum = Slots::default();
            for class in [Class::Title, Class::Upper, Class::Mixed] {
                sum += confusion.class(class, Matching::Spelling);
            }
            let slots = confusion.slots(Matching::Spelling);
            prop_assert_eq!(sum.correct, slots.correct);
            prop_assert_eq!(sum.reference(), slots.reference());
            prop_assert_eq!(sum.hypothesis(), slots.hypothesis());
        }

        #[test]
        fn confusions_add_up(
            one in proptest::collection::vec((any_case(), any_case()), 0..20),
            two in proptest::collection::vec((any_case(), any_case()), 0..20),
        ) {
            let mut sum = count(&one);
            sum += count(&two);
            prop_assert_eq!(sum, count(&[one, two].concat()));
        }

        #[test]
        fn f_is_the_harmonic_mean(correct in 1u64..50, substituted in 0u64..50, inserted in 0u64..50, deleted in 0u64..50) {
            let slots = Slots { correct, substituted, inserted, deleted };
            let (p, r) = (slots.precision().unwrap(), slots.recall().unwrap());
            prop_assert!((slots.f().unwrap() - 2.0 * p * r / (p + r)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_example_of_a_big_ser() {
        // Figure 1 of Batista et al. 2007: one inserted, one deleted, one correct.
        let slots = sentences("here is an Example of a big SER", "here Is an example of a big SER")
            .slots(Matching::Spelling);
        assert_eq!(slots, Slots { correct: 1, substituted: 0, inserted: 1, deleted: 1 });
        assert_eq!(slots.precision(), Some(0.5));
        assert_eq!(slots.recall(), Some(0.5));
        assert_eq!(slots.f(), Some(0.5));
        assert_eq!(slots.ser(), Some(1.0));
    }

    #[test]
    fn a_perfect_hypothesis_has_no_errors() {
        let perfect = sentences("Ada met McKay of IBM twice", "Ada met McKay of IBM twice");
        for matching in [Matching::Spelling, Matching::Tags] {
            assert_eq!(perfect.slots(matching).ser(), Some(0.0));
            assert_eq!(perfect.slots(matching).f(), Some(1.0));
            assert_eq!(Figures::of_words(perfect, matching).accuracy, Some(1.0));
            assert_eq!(perfect.macro_f(matching), Some(1.0));
        }
    }

    #[test]
    fn nothing_over_nothing_is_undefined() {
        let slots = sentences("no capitals here", "no capitals here").slots(Matching::Spelling);
        assert_eq!((slots.precision(), slots.recall(), slots.f(), slots.ser()), (None, None, None, None));
        assert_eq!(Figures::of_words(Confusion::default(), Matching::Tags).accuracy, None);
        assert_eq!(Confusion::default().macro_f(Matching::Tags), None);
    }

    #[test]
    fn slots_without_a_correct_one_have_f_zero() {
        let slots = sentences("Ada met him", "ada Met him").slots(Matching::Spelling);
        assert_eq!(slots.f(), Some(0.0));
        // One deleted and one inserted over one slot: 2/1.
        assert_eq!(slots.ser(), Some(2.0));
    }

    #[test]
    fn title_for_upper_is_one_error() {
        let confusion = sentences("the NATO summit", "the Nato summit");
        for matching in [Matching::Spelling, Matching::Tags] {
            let slots = confusion.slots(matching);
            assert_eq!(slots, Slots { substituted: 1, ..Slots::default() });
            assert_eq!(slots.ser(), Some(1.0));
            // It is right as a capitalized word.
            assert_eq!(confusion.capitalized(matching).ser(), Some(0.0));
        }
    }

    #[test]
    fn tags_see_mixed_case_as_lower() {
        // McKay is found, iPhone is not, and Jean-Paul gets another pattern.
        let confusion = sentences("McKay gave Jean-Paul an iPhone", "McKay gave Jean-paul an iphone");
        assert_eq!(
            confusion.slots(Matching::Spelling),
            Slots { correct: 1, substituted: 1, inserted: 0, deleted: 1 }
        );
        // Jean-paul is title case: under tags an insertion, since there the reference is L.
        assert_eq!(confusion.slots(Matching::Tags), Slots { inserted: 1, ..Slots::default() });
        let mixed = confusion.class(Class::Mixed, Matching::Tags);
        assert_eq!(mixed, Slots { correct: 1, substituted: 0, inserted: 0, deleted: 2 });
    }

    #[test]
    fn another_pattern_is_a_substitution() {
        let confusion = sentences("McDonald ate", "MCDonald ate");
        assert_eq!(confusion.slots(Matching::Spelling), Slots { substituted: 1, ..Slots::default() });
        assert_eq!(confusion.slots(Matching::Spelling).errors(), 1);
        assert_eq!(confusion.slots(Matching::Tags).errors(), 0);
        assert_eq!(confusion.class(Class::Mixed, Matching::Spelling).substituted, 1);
    }

    #[test]
    fn macro_f_is_the_mean_over_the_tags() {
        // L: 2 correct, 1 deleted, F = 4/5. T: 1 correct, 1 inserted, F = 2/3. U does not occur.
        let confusion = sentences("so Ada came in", "so Ada Came in");
        let expected = (0.8 + 2.0 / 3.0) / 2.0;
        assert!((confusion.macro_f(Matching::Tags).unwrap() - expected).abs() < 1e-12);
    }
}
