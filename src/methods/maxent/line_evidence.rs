//! Evidence of a sentence start at the start of a line and inside it.
//!
//! A text is wrapped, or its lines are utterances or sentences. The words so far tell which: the
//! probabilities, from the words alone, that sentences began at the first words of lines and at
//! others. All kinds are weighted by Bayes' rule, so a text needs no setting and live text no later
//! line.

/// The share of words that begin a sentence, in ordinary text.
const ORDINARY: f32 = 0.05;

/// A kind of text.
struct LineKind {
    /// The prior probability.
    prior: f32,
    /// The share of lines that begin a sentence.
    at_starts: f32,
    /// The share of other words that begin one.
    inside: f32,
}

/// A wrapped text, where the first word of a line is a word like any other; lines that go on now
/// and then, and turns of a few sentences each; lines that mostly are a sentence; and lines that
/// are one.
const KINDS: [LineKind; 5] = [
    LineKind { prior: 0.6, at_starts: ORDINARY, inside: ORDINARY },
    LineKind { prior: 0.2, at_starts: 0.9, inside: ORDINARY },
    LineKind { prior: 0.1, at_starts: 0.99, inside: ORDINARY },
    LineKind { prior: 0.05, at_starts: 0.98, inside: 0.015 },
    LineKind { prior: 0.05, at_starts: 0.998, inside: 0.002 },
];

/// The smallest probability of a kind, so that a few lines can turn them if the text changes.
const LEAST: f32 = 0.001;

/// The evidence of the words so far for the next one.
#[derive(Debug, Clone, Copy)]
pub struct LineEvidence {
    /// The probability of each kind.
    kinds: [f32; KINDS.len()],
    /// True if there was more than one line.
    has_lines: bool,
}

impl Default for LineEvidence {
    fn default() -> Self {
        Self { kinds: KINDS.map(|kind| kind.prior), has_lines: false }
    }
}

impl LineEvidence {
    /// Returns the factor that a place contributes to the odds of a sentence start. Text without
    /// line ends has none.
    pub fn factor(&self, opens_line: bool) -> f32 {
        if !opens_line && !self.has_lines {
            return 1.0;
        }
        let share: f32 =
            self.kinds.iter().zip(&KINDS).map(|(share, kind)| share * kind.begins(opens_line)).sum();
        odds(share) / odds(ORDINARY)
    }

    /// Updates the evidence with the probability, computed without it, that a sentence begins at a
    /// word.
    pub fn take(&mut self, opens_line: bool, begins: f32) {
        self.has_lines |= opens_line;
        if !self.has_lines {
            return;
        }
        let likelihood = |kind: &LineKind| {
            let expected = kind.begins(opens_line);
            begins * expected / ORDINARY + (1.0 - begins) * (1.0 - expected) / (1.0 - ORDINARY)
        };
        self.kinds.iter_mut().zip(&KINDS).for_each(|(share, kind)| *share *= likelihood(kind));
        self.scale();
        self.kinds.iter_mut().for_each(|share| *share = share.max(LEAST));
        self.scale();
    }

    /// Scales the probabilities to the sum 1.
    fn scale(&mut self) {
        let whole: f32 = self.kinds.iter().sum();
        self.kinds.iter_mut().for_each(|share| *share /= whole);
    }
}

impl LineKind {
    const fn begins(&self, opens_line: bool) -> f32 {
        if opens_line { self.at_starts } else { self.inside }
    }
}

fn odds(share: f32) -> f32 {
    share / (1.0 - share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The evidence after words: true for the first word of a line, and the probability that a
    /// sentence begins there.
    fn after(words: impl IntoIterator<Item = (bool, f32)>) -> LineEvidence {
        let mut evidence = LineEvidence::default();
        words.into_iter().for_each(|(opens, begins)| evidence.take(opens, begins));
        evidence
    }

    fn starts(begins: &[f32]) -> impl Iterator<Item = (bool, f32)> {
        begins.iter().map(|&begins| (true, begins))
    }

    #[test]
    fn the_ends_of_utterances_count_and_those_of_wrapped_lines_do_not() {
        let factor = |begins: &[f32]| after(starts(begins)).factor(true);
        assert!(factor(&[0.6, 0.2, 0.7, 0.4]) > 50.0);
        assert!(factor(&[0.02, 0.05, 0.01, 0.4, 0.02, 0.03, 0.01, 0.02]) < 2.0);
        // A few lines are enough to turn a text that was clearly of the other kind.
        assert!(factor(&[[0.0; 100].as_slice(), &[0.6; 5]].concat()) > 50.0);
        assert!(factor(&[[1.0; 100].as_slice(), &[0.01; 9]].concat()) < 2.0);
    }

    #[test]
    fn where_lines_are_sentences_none_begins_inside() {
        let lines = |begins: [f32; 10], count| {
            (0..count).flat_map(move |_| (0..10).map(move |at| (at == 0, begins[at])))
        };
        let sentence = [0.5, 0.0, 0.0, 0.01, 0.0, 0.02, 0.0, 0.0, 0.0, 0.0];
        assert!(after(lines(sentence, 30)).factor(false) < 0.2);
        let turn = [0.5, 0.0, 0.0, 0.01, 0.0, 0.8, 0.0, 0.0, 0.0, 0.0];
        assert!(after(lines(turn, 30)).factor(false) > 0.8);
        assert!(after(lines(turn, 30)).factor(true) > 100.0);
        let wrapped = [0.04, 0.0, 0.0, 0.01, 0.0, 0.8, 0.0, 0.0, 0.0, 0.0];
        assert!((0.8..1.5).contains(&after(lines(wrapped, 30)).factor(true)));
        // A text that becomes another.
        assert!(after(lines(sentence, 30).chain(lines(turn, 8))).factor(false) > 0.8);
    }

    #[test]
    fn a_text_without_line_ends_has_no_evidence() {
        assert_eq!(after([(false, 0.0); 100]).factor(false), 1.0);
        assert_ne!(after([(true, 0.0)]).factor(false), 1.0);
    }

    #[test]
    fn nothing_is_ever_sure() {
        for begins in [0.0, f32::MIN_POSITIVE, 0.05, 0.5, 1.0] {
            for opens in [true, false] {
                let evidence = after([(true, 0.5)].into_iter().chain([(opens, begins); 300]));
                assert!((1.0..1e5).contains(&evidence.factor(true)), "{evidence:?}");
                assert!((0.02..=1.01).contains(&evidence.factor(false)), "{evidence:?}");
                assert!((evidence.kinds.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            }
        }
    }
}
