//! Scores punctuation marks: a word with a mark after it is a slot, and the classes are the marks
//! that a convention distinguishes.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::calibration::Calibration;
use super::report::{Figures, TableWriter, figures_table, row};
use super::slots::{Slots, macro_f, sum};
use super::table::{TextTable, percent, thousands};
use crate::corpus::protocol::MarkConvention;
use crate::corpus::{Gold, Protocol};
use majuscule_text::{Label, Mark, MarkSet};

/// The number of values of [`Mark`], including no mark and the sentence end with an unknown mark.
const MARKS: usize = Mark::SentenceEnd as usize + 1;

/// The confusion matrix of the marks after words, from which all figures of marks are computed. The
/// set of marks to distinguish is chosen only when figures are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MarkConfusion {
    /// The number of words by mark in the reference, then in the hypothesis.
    words: [[u64; MARKS]; MARKS],
}

impl MarkConfusion {
    /// Counts a word with the mark after it in the reference and in the hypothesis.
    #[inline]
    pub fn add(&mut self, reference: Mark, hypothesis: Mark) {
        self.words[reference as usize][hypothesis as usize] += 1;
    }

    /// The number of words that were counted.
    pub fn tokens(&self) -> u64 {
        self.words.iter().flatten().sum()
    }

    /// The number of words with these marks in the reference and in the hypothesis.
    pub fn count(&self, reference: Mark, hypothesis: Mark) -> u64 {
        self.words[reference as usize][hypothesis as usize]
    }

    /// Returns the slots of all marks together, for micro averages: a wrong mark is a substitution.
    ///
    /// ```
    /// use majuscule_text::{Mark, MarkSet};
    /// use majuscule_train::eval::{MarkConfusion, Slots};
    ///
    /// let mut marks = MarkConfusion::default();
    /// marks.add(Mark::Dash, Mark::Comma);
    /// marks.add(Mark::Comma, Mark::Period);
    /// let expected = Slots { correct: 1, substituted: 1, ..Slots::default() };
    /// assert_eq!(marks.slots(MarkSet::USUAL), expected);
    /// ```
    pub fn slots(&self, marks: MarkSet) -> Slots {
        self.slots_as(|mark| mark.within(marks))
    }

    /// The slots of sentence ends, whatever their marks.
    pub(super) fn sentence_ends(&self) -> Slots {
        self.slots_as(|mark| if mark.ends_sentence() { Mark::SentenceEnd } else { Mark::None })
    }

    /// The slots of all words, with each mark replaced by the mark that `seen` returns.
    fn slots_as(&self, seen: impl Fn(Mark) -> Mark) -> Slots {
        sum(Self::pairs().map(|[reference, hypothesis]| {
            let words = self.count(reference, hypothesis);
            Slots::of_marks([reference, hypothesis].map(&seen)).times(words)
        }))
    }

    /// All pairs of a mark in the reference and a mark in the hypothesis.
    fn pairs() -> impl Iterator<Item = [Mark; 2]> {
        let all = || [Mark::None].into_iter().chain(Mark::WRITTEN).chain([Mark::SentenceEnd]);
        all().flat_map(move |reference| all().map(move |hypothesis| [reference, hypothesis]))
    }

    /// Returns the slots of one mark against all others: a wrong mark is a deletion of the right
    /// mark and an insertion of the chosen mark. [`Mark::None`] is a class too.
    pub fn class(&self, mark: Mark, marks: MarkSet) -> Slots {
        let words = self.within(marks).words;
        let id = mark as usize;
        let correct = words[id][id];
        Slots {
            correct,
            substituted: 0,
            inserted: words.iter().map(|row| row[id]).sum::<u64>() - correct,
            deleted: words[id].iter().sum::<u64>() - correct,
        }
    }

    /// Returns the matrix of the same words with only these marks distinguished: every other mark
    /// counts as the [nearest](Mark::within) one.
    #[must_use]
    pub fn within(&self, marks: MarkSet) -> Self {
        let mut seen = Self::default();
        for [reference, hypothesis] in Self::pairs() {
            let words = self.count(reference, hypothesis);
            seen.words[reference.within(marks) as usize][hypothesis.within(marks) as usize] += words;
        }
        seen
    }
}

impl AddAssign for MarkConfusion {
    fn add_assign(&mut self, other: Self) {
        for (sum, words) in self.words.iter_mut().flatten().zip(other.words.iter().flatten()) {
            *sum += words;
        }
    }
}

impl MarkConvention {
    /// Returns the mark of one word in the reference and in the hypothesis, as the convention sees it.
    pub fn seen(self, gold: &Gold, hypothesis: Label) -> [Mark; 2] {
        let end = |ends: bool| if ends { Mark::SentenceEnd } else { Mark::None };
        match self {
            Self::Segments => [gold.ends, hypothesis.mark.ends_sentence()].map(end),
            _ => [gold.label.mark, hypothesis.mark].map(|mark| mark.within(self.marks())),
        }
    }

    /// Returns the slots of one word: the slots of its mark, or of the sentence end under `segments`.
    pub fn slots(self, gold: &Gold, hypothesis: Label) -> Slots {
        Slots::of_marks(self.seen(gold, hypothesis))
    }
}

/// The calibration of the probabilities of marks under each convention: first over all words, then over the words
/// after which the system chose a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkCalibration {
    conventions: [[Calibration; 2]; MarkConvention::ALL.len()],
}

impl MarkCalibration {
    /// Counts a word with the probability of its chosen mark, which may be no mark.
    pub fn add(&mut self, gold: &Gold, hypothesis: Label, confidence: f32) {
        for (convention, [all, chosen]) in MarkConvention::ALL.into_iter().zip(&mut self.conventions) {
            let [reference, hypothesis] = convention.seen(gold, hypothesis);
            all.add(confidence, reference == hypothesis);
            if hypothesis != Mark::None {
                chosen.add(confidence, reference == hypothesis);
            }
        }
    }

    /// The calibration under one convention: first over all words, then over the words after which the system chose a
    /// mark.
    pub fn under(&self, convention: MarkConvention) -> [Calibration; 2] {
        self.conventions[convention as usize]
    }
}

impl AddAssign for MarkCalibration {
    fn add_assign(&mut self, other: Self) {
        for (sum, both) in self.conventions.iter_mut().flatten().zip(other.conventions.iter().flatten()) {
            *sum += *both;
        }
    }
}

/// The expected calibration error of the probabilities of marks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MarkCalibrationError {
    /// The error over all words; a word without a chosen mark counts with the probability of no mark.
    pub all: f64,
    /// The error over the words with a chosen mark; `None` if no mark was chosen.
    pub chosen: Option<f64>,
}

impl MarkCalibrationError {
    /// Reads the errors under a protocol; `None` if the protocol distinguishes no marks or no word
    /// has a probability.
    pub fn of(calibration: &MarkCalibration, protocol: Protocol) -> Option<Self> {
        let convention = protocol.mark_convention().filter(|convention| !convention.marks().is_empty())?;
        let [all, chosen] = calibration.under(convention).map(|calibration| calibration.expected_error());
        Some(Self { all: all?, chosen })
    }

    pub(super) fn line(&self) -> String {
        let chosen = self.chosen.map(|_| format!(" ({} % where a mark was chosen)", percent(self.chosen)));
        let all = percent(Some(self.all));
        format!("\nexpected calibration error of marks: {all} %{}", chosen.unwrap_or_default())
    }
}

/// The figures of marks under a convention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkReport {
    /// The name of the convention.
    pub convention: String,
    /// The figures of all marks together, in which each occurrence has the same weight (micro average).
    pub micro: Figures,
    /// The mean of F over the marks that occur (macro average).
    pub macro_f: Option<f64>,
    /// The figures of each mark against all others.
    pub classes: Vec<MarkFigures>,
    /// The figures of words without a mark. Elsewhere, they count only in `macro_f_with_none`.
    pub none: Figures,
    /// The mean of F over the marks that occur and the class of words without a mark, as in SEPP-NLG 2021.
    pub macro_f_with_none: Option<f64>,
    /// The number of words by mark in the reference (rows) and in the hypothesis (columns): first
    /// no mark, then the marks in the order of `classes`.
    pub confusion: Vec<Vec<u64>>,
}

/// The figures of one mark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkFigures {
    /// The mark.
    pub mark: Mark,
    /// The figures of the mark.
    #[serde(flatten)]
    pub figures: Figures,
}

impl MarkReport {
    /// Reads the figures from a confusion matrix; `None` if the protocol distinguishes no marks.
    pub fn of(words: &MarkConfusion, protocol: Protocol) -> Option<Self> {
        let convention = protocol.mark_convention()?;
        let marks = Some(convention.marks()).filter(|marks| !marks.is_empty())?;
        let tokens = words.tokens();
        let figures = |mark| Figures::of(tokens, words.class(mark, marks));
        let with_none = || [Mark::None].into_iter().chain(marks.iter());
        let seen = words.within(marks);
        Some(Self {
            convention: convention.name().to_owned(),
            micro: Figures::of(tokens, words.slots(marks)),
            macro_f: macro_f(marks.iter().map(|mark| words.class(mark, marks))),
            classes: marks.iter().map(|mark| MarkFigures { mark, figures: figures(mark) }).collect(),
            none: figures(Mark::None),
            macro_f_with_none: macro_f(with_none().map(|mark| words.class(mark, marks))),
            confusion: with_none()
                .map(|reference| with_none().map(|hypothesis| seen.count(reference, hypothesis)).collect())
                .collect(),
        })
    }

    /// Lays out the tables of the figures and of the confusion, with a line of averages between them.
    pub(super) fn page(&self, lay: TableWriter) -> String {
        let mut table = figures_table("marks");
        table.push(row("all marks (micro)", &self.micro));
        for MarkFigures { mark, figures } in &self.classes {
            table.push(row(mark.name(), figures));
        }
        table.push(row("no mark", &self.none));
        let (macro_f, with_none) = (percent(self.macro_f), percent(self.macro_f_with_none));
        let averages = format!(
            "F of marks: micro {} %, macro {macro_f} %, macro with no mark as a class {with_none} %",
            percent(self.micro.f)
        );
        format!("\n{}\n{averages}\n\n{}", lay(&table), lay(&self.confusion_table()))
    }

    fn confusion_table(&self) -> TextTable {
        let names =
            || [Mark::None].into_iter().chain(self.classes.iter().map(|class| class.mark)).map(Mark::name);
        let mut table = TextTable::new(["right mark / chosen"].into_iter().chain(names()));
        for (name, words) in names().zip(&self.confusion) {
            table.push([name.to_owned()].into_iter().chain(words.iter().map(|&words| thousands(words))));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_calibration_of_marks_takes_them_as_the_convention_sees_them() {
        use Mark::{Exclamation, None, Period};
        let mut found = MarkCalibration::default();
        for (reference, hypothesis, confidence) in
            [(Exclamation, Period, 0.75), (None, None, 1.0), (None, Period, 0.75)]
        {
            let label = |mark| Label { mark, ..Label::default() };
            let gold = Gold { label: label(reference), ..Gold::default() };
            found.add(&gold, label(hypothesis), confidence);
        }
        // Under iwslt two marks of .75, one of them correct: .25; and a word without one at 1.
        let error = MarkCalibrationError::of(&found, IWSLT).unwrap();
        assert!((error.all - 0.5 / 3.0).abs() < 1e-6 && (error.chosen.unwrap() - 0.25).abs() < 1e-6);
        assert_eq!(
            error.line(),
            "\nexpected calibration error of marks: 16.67 % (25.00 % where a mark was chosen)"
        );
        // Under punctuator2 an exclamation mark is not a full stop: both marks are wrong.
        let error = MarkCalibrationError::of(&found, "punctuator2".parse().unwrap()).unwrap();
        assert!((error.chosen.unwrap() - 0.75).abs() < 1e-6);
        assert_eq!(MarkCalibrationError::of(&found, "segments".parse().unwrap()), Option::None);
        assert_eq!(MarkCalibrationError::of(&MarkCalibration::default(), IWSLT), Option::None);
    }

    const IWSLT: Protocol = Protocol::Marks { convention: MarkConvention::Iwslt, window: None };

    fn any_mark() -> impl Strategy<Value = Mark> {
        proptest::sample::select([&[Mark::None, Mark::SentenceEnd], &Mark::WRITTEN[..]].concat())
    }

    fn count(pairs: &[(Mark, Mark)]) -> MarkConfusion {
        let mut words = MarkConfusion::default();
        pairs.iter().for_each(|&(reference, hypothesis)| words.add(reference, hypothesis));
        words
    }

    proptest! {
        #[test]
        fn micro_figures_are_the_sums_of_the_marks(pairs in proptest::collection::vec((any_mark(), any_mark()), 0..40)) {
            let words = count(&pairs);
            for convention in MarkConvention::ALL {
                let marks = convention.marks();
                let all = words.slots(marks);
                let mut sum = Slots::default();
                // A sentence end without a known mark is counted in addition to a set without full
                // stops.
                marks.iter().chain([Mark::SentenceEnd]).for_each(|mark| sum += words.class(mark, marks));
                prop_assert_eq!((sum.correct, sum.reference(), sum.hypothesis()), (all.correct, all.reference(), all.hypothesis()));
                let mut one_by_one = Slots::default();
                for &(reference, hypothesis) in pairs.iter().filter(|_| convention != MarkConvention::Segments) {
                    let gold = Gold { label: Label { mark: reference, ..Label::default() }, ..Gold::default() };
                    one_by_one += convention.slots(&gold, Label { mark: hypothesis, ..Label::default() });
                }
                prop_assert!(convention == MarkConvention::Segments || one_by_one == all);
            }
        }
    }

    #[test]
    fn a_wrong_mark_is_missing_in_one_class_and_too_many_in_another() {
        use Mark::{Comma, Exclamation, None, Period, Question};
        // Two commas are right, one is missing, one is a full stop; a full stop is right, one too
        // many, and a question mark is a full stop.
        let words = count(&[
            (Comma, Comma),
            (Comma, Comma),
            (Comma, None),
            (Comma, Period),
            (Exclamation, Period),
            (None, Period),
            (Question, Period),
            (None, None),
        ]);
        let report = MarkReport::of(&words, IWSLT).unwrap();
        let f: Vec<_> = report.classes.iter().map(|class| class.figures.f.unwrap()).collect();
        // Commas: P 2/2, R 2/4. Full stops: P 1/4, R 1/1. No question mark is right.
        assert_eq!(f, [2.0 * 2.0 / 6.0, 2.0 / 5.0, 0.0]);
        let is_mean_of = |mean: Option<f64>, each: &[f64]| {
            (mean.unwrap() - each.iter().sum::<f64>() / each.len() as f64).abs() < 1e-9
        };
        assert!(is_mean_of(report.macro_f, &f));
        // C 3, S 2, D 1, I 1.
        assert_eq!(report.micro.slots(), Slots { correct: 3, substituted: 2, deleted: 1, inserted: 1 });
        assert_eq!(report.micro.ser, Some(4.0 / 6.0));
        assert_eq!(report.none.f, Some(2.0 / 4.0));
        assert!(is_mean_of(report.macro_f_with_none, &[&f[..], &[0.5]].concat()));
        assert_eq!(report.confusion, [[1, 0, 1, 0], [1, 2, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0]]);
    }

    #[test]
    fn an_empty_side_has_an_f_of_0() {
        for pairs in
            [[(Mark::Comma, Mark::None)], [(Mark::None, Mark::Period)], [(Mark::Comma, Mark::Period)]]
        {
            let report = MarkReport::of(&count(&pairs), IWSLT).unwrap();
            assert_eq!((report.micro.f, report.macro_f), (Some(0.0), Some(0.0)), "{pairs:?}");
        }
        let report = MarkReport::of(&MarkConfusion::default(), IWSLT).unwrap();
        assert_eq!((report.micro.f, report.macro_f), (None, None));
    }
}
