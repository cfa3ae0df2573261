//! Evidence of a sentence end at the end of a line: strong if lines are utterances, none if the
//! text is wrapped.
//!
//! The lines so far tell which of the two kinds a text is: the probabilities, from the words alone,
//! that sentences began at their first words. Both kinds are weighted by Bayes' rule, so a text
//! needs no setting and live text no later line.

/// The share of words that begin a sentence, in ordinary text.
const WORDS_THAT_BEGIN: f32 = 0.08;

/// The share of lines that begin a sentence, if lines are utterances.
const LINES_THAT_BEGIN: f32 = 0.9;

/// The prior probability that lines are utterances.
const UTTERANCES: f32 = 0.4;

/// The bound on the log-odds of either kind, so that a few lines can turn them if the text changes.
const SUREST: f32 = 5.0;

/// The evidence of the lines so far for the next line end.
#[derive(Debug, Clone, Copy)]
pub struct LineEvidence {
    /// The log-odds of utterances against a wrapped text.
    log_odds: f32,
}

impl Default for LineEvidence {
    fn default() -> Self {
        Self { log_odds: (UTTERANCES / (1.0 - UTTERANCES)).ln() }
    }
}

impl LineEvidence {
    /// The logarithm of the factor that a line end contributes to the odds of a sentence start.
    pub fn bonus(self) -> f32 {
        let utterances = 1.0 / (1.0 + (-self.log_odds).exp());
        let begins = utterances * LINES_THAT_BEGIN + (1.0 - utterances) * WORDS_THAT_BEGIN;
        (begins / (1.0 - begins)).ln() - (WORDS_THAT_BEGIN / (1.0 - WORDS_THAT_BEGIN)).ln()
    }

    /// Updates the evidence with the probability, computed without it, that a sentence begins at
    /// the first word of a line.
    pub fn take(&mut self, begins: f32) {
        let if_begins = begins / WORDS_THAT_BEGIN;
        let if_inside = (1.0 - begins) / (1.0 - WORDS_THAT_BEGIN);
        // In a wrapped text a line begins a sentence as often as any other word does, so the
        // likelihood of that kind is 1.
        let utterance = LINES_THAT_BEGIN * if_begins + (1.0 - LINES_THAT_BEGIN) * if_inside;
        self.log_odds = (self.log_odds + utterance.ln()).clamp(-SUREST, SUREST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(begins: &[f32]) -> f32 {
        let mut evidence = LineEvidence::default();
        begins.iter().for_each(|&begins| evidence.take(begins));
        evidence.bonus()
    }

    #[test]
    fn the_ends_of_utterances_count_and_those_of_wrapped_lines_do_not() {
        assert!(after(&[0.6, 0.2, 0.7, 0.4]) > 4.0);
        assert!(after(&[0.02, 0.05, 0.01, 0.4, 0.02, 0.03, 0.1]) < 0.3);
        // Seven lines are enough to turn a text that was clearly of the other kind.
        assert!(after(&[[0.0; 100].as_slice(), &[0.6; 7]].concat()) > 4.0);
        assert!(after(&[[1.0; 100].as_slice(), &[0.02; 12]].concat()) < 0.3);
    }

    /// The odds of a line start are 0.9 / 0.1, those of any word 0.08 / 0.92.
    #[test]
    fn a_line_end_never_speaks_against_a_beginning_and_never_for_sure() {
        for begins in [0.0, f32::MIN_POSITIVE, 0.08, 0.5, 1.0] {
            for lines in 0..40 {
                let bonus = after(&vec![begins; lines]);
                assert!((0.0..(0.9f32 / 0.1 * 0.92 / 0.08).ln()).contains(&bonus), "{bonus}");
            }
        }
    }
}
