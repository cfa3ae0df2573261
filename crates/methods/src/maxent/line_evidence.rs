//! Estimates from the previous lines or cues how probable a sentence start is at the start of a line
//! or a cue, and inside it.
//!
//! The lines of a text may be wrapped anywhere, or each may be an utterance or a sentence; subtitles
//! are cut at the ends of sentences or anywhere. The kind of a text is inferred from the words so
//! far: from the probabilities, computed without line ends, that sentences began at the first words
//! of lines and at other words. All kinds are weighted by Bayes' rule, so a text needs no setting,
//! and live text need not wait for later lines.

/// Kinds of text; the text at hand is one of them.
#[derive(Debug)]
struct LineKinds {
    /// The fraction of words that begin a sentence, in ordinary text.
    ordinary: f32,
    /// The number of lines after which their evidence counts.
    least: u32,
    kinds: [TextKind; 5],
}

/// A kind of text.
#[derive(Debug)]
struct TextKind {
    /// The prior probability.
    prior: f32,
    /// The fraction of lines that begin a sentence.
    at_starts: f32,
    /// The fraction of other words that begin a sentence.
    inside: f32,
}

/// The fraction of words that begin a sentence in written text, and in the speech of subtitles.
const ORDINARY: f32 = 0.05;
const ORDINARY_IN_CUES: f32 = 0.1;

/// Five kinds of text: wrapped text, in which the first word of a line is like any other word; lines
/// that sometimes continue a sentence; turns of a few sentences each; lines that are mostly single
/// sentences; and lines that are always single sentences.
static LINES: LineKinds = LineKinds {
    ordinary: ORDINARY,
    least: 0,
    kinds: [
        TextKind { prior: 0.6, at_starts: ORDINARY, inside: ORDINARY },
        TextKind { prior: 0.2, at_starts: 0.9, inside: ORDINARY },
        TextKind { prior: 0.1, at_starts: 0.99, inside: ORDINARY },
        TextKind { prior: 0.05, at_starts: 0.98, inside: 0.015 },
        TextKind { prior: 0.05, at_starts: 0.998, inside: 0.002 },
    ],
};

/// Captions cut anywhere; subtitles with a sentence over two cues; subtitles in which some sentences
/// continue in the next cue; and subtitles with one sentence, or several, per cue.
static CUES: LineKinds = LineKinds {
    ordinary: ORDINARY_IN_CUES,
    least: 3,
    kinds: [
        TextKind { prior: 0.55, at_starts: ORDINARY_IN_CUES, inside: ORDINARY_IN_CUES },
        TextKind { prior: 0.25, at_starts: 0.35, inside: 0.03 },
        TextKind { prior: 0.1, at_starts: 0.6, inside: 0.03 },
        TextKind { prior: 0.07, at_starts: 0.85, inside: 0.03 },
        TextKind { prior: 0.03, at_starts: 0.97, inside: 0.03 },
    ],
};

/// The smallest probability of a kind, so that a few lines can make another kind probable if the
/// text changes.
const LEAST: f32 = 0.001;

/// If the factor of the first word of a line is above this value, lines mostly begin a sentence.
const ALIGNED: f32 = 40.0;

/// The evidence from the words so far about a sentence start at the next word.
#[derive(Debug, Clone, Copy)]
pub struct LineEvidence {
    table: &'static LineKinds,
    /// The probability of each kind.
    kinds: [f32; 5],
    /// The number of lines after the first.
    lines: u32,
}

impl LineEvidence {
    /// Returns the evidence before the first word, in a text of lines.
    pub fn of_lines() -> Self {
        Self::of(&LINES)
    }

    /// Returns the evidence before the first word, in a text of cues.
    pub fn of_cues() -> Self {
        Self::of(&CUES)
    }

    fn of(table: &'static LineKinds) -> Self {
        Self { table, kinds: table.kinds.each_ref().map(|kind| kind.prior), lines: 0 }
    }

    /// Returns the factor that a position contributes to the odds of a sentence start. The factor is
    /// 1 in text without line ends.
    pub fn factor(&self, opens_line: bool) -> f32 {
        if self.lines < self.table.least || !opens_line && self.lines == 0 {
            return 1.0;
        }
        let fraction: f32 = self
            .kinds
            .iter()
            .zip(&self.table.kinds)
            .map(|(fraction, kind)| fraction * kind.begins(opens_line))
            .sum();
        odds(fraction) / odds(self.table.ordinary)
    }

    /// Returns true if the lines so far mostly begin a sentence, or if no line has ended yet.
    pub fn may_be_sentences(&self) -> bool {
        self.lines == 0 || self.factor(true) > ALIGNED
    }

    /// Updates the evidence with the probability, computed without it, that a sentence begins at a
    /// word.
    pub fn take(&mut self, opens_line: bool, begins: f32) {
        self.lines = self.lines.saturating_add(u32::from(opens_line));
        if self.lines == 0 {
            return;
        }
        let ordinary = self.table.ordinary;
        let likelihood = |kind: &TextKind| {
            let expected = kind.begins(opens_line);
            begins * expected / ordinary + (1.0 - begins) * (1.0 - expected) / (1.0 - ordinary)
        };
        self.kinds
            .iter_mut()
            .zip(&self.table.kinds)
            .for_each(|(fraction, kind)| *fraction *= likelihood(kind));
        self.scale();
        self.kinds.iter_mut().for_each(|fraction| *fraction = fraction.max(LEAST));
        self.scale();
    }

    /// Scales the probabilities to the sum 1.
    fn scale(&mut self) {
        let whole: f32 = self.kinds.iter().sum();
        self.kinds.iter_mut().for_each(|fraction| *fraction /= whole);
    }
}

impl TextKind {
    const fn begins(&self, opens_line: bool) -> f32 {
        if opens_line { self.at_starts } else { self.inside }
    }
}

fn odds(fraction: f32) -> f32 {
    fraction / (1.0 - fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The evidence after words: true for the first word of a line, and the probability that a
    /// sentence begins there.
    fn after(words: impl IntoIterator<Item = (bool, f32)>) -> LineEvidence {
        let mut evidence = LineEvidence::of_lines();
        words.into_iter().for_each(|(opens, begins)| evidence.take(opens, begins));
        evidence
    }

    #[test]
    fn cues_that_end_with_sentences_are_told_from_those_cut_anywhere() {
        let after = |begins: &[f32]| {
            let mut evidence = LineEvidence::of_cues();
            begins.iter().for_each(|&begins| evidence.take(true, begins));
            evidence
        };
        let sentences = after(&[0.4, 0.2, 0.6, 0.1, 0.5, 0.3]);
        assert!(sentences.factor(true) > 10.0 && sentences.factor(false) < 0.6, "{sentences:?}");
        let anywhere = after(&[0.01; 20]);
        assert!((anywhere.factor(true) - 1.0).abs() < 0.3, "{anywhere:?}");
        assert!((anywhere.factor(false) - 1.0).abs() < 0.3, "{anywhere:?}");
        // The first cues of a file are too little evidence.
        assert_eq!(after(&[0.9, 0.9]).factor(true), 1.0);
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
    fn lines_may_be_sentences_until_some_begin_none() {
        assert!(after([]).may_be_sentences());
        assert!(after([(false, 0.5); 100]).may_be_sentences());
        assert!(after(starts(&[0.6, 0.2, 0.7, 0.4])).may_be_sentences());
        assert!(!after(starts(&[0.02, 0.05, 0.01, 0.4, 0.02, 0.03])).may_be_sentences());
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
