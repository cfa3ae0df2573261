//! How much the end of a line says of the end of a sentence: much where lines are utterances, nothing where a text is wrapped.
//!
//! Which of the two kinds a text is, its lines so far tell: how likely sentences began where they opened, by the words alone.
//! Both kinds are weighed by Bayes' rule, so a text needs no setting and live text no later line.

/// The share of words that begin a sentence, in ordinary text,
const WORDS_THAT_BEGIN: f32 = 0.08;

/// and that of lines that do where lines are utterances.
const LINES_THAT_BEGIN: f32 = 0.9;

/// How likely lines are utterances before any was seen.
const UTTERANCES: f32 = 0.4;

/// No text is surer than this to be of one kind, so that a few lines turn it where it changes.
const SUREST: f32 = 5.0;

/// What the lines of a text so far say of its next line end.
#[derive(Debug, Clone, Copy)]
pub struct LineEvidence {
    /// ln of how much likelier utterances are than a wrapped text.
    log_odds: f32,
}

impl Default for LineEvidence {
    fn default() -> Self {
        Self { log_odds: (UTTERANCES / (1.0 - UTTERANCES)).ln() }
    }
}

impl LineEvidence {
    /// ln of the factor that the end of a line adds to the odds of a beginning.
    pub fn bonus(self) -> f32 {
        let utterances = 1.0 / (1.0 + (-self.log_odds).exp());
        let begins = utterances * LINES_THAT_BEGIN + (1.0 - utterances) * WORDS_THAT_BEGIN;
        (begins / (1.0 - begins)).ln() - (WORDS_THAT_BEGIN / (1.0 - WORDS_THAT_BEGIN)).ln()
    }

    /// Takes in the probability that a sentence begins where a line opened, as it is without this evidence.
    pub fn take(&mut self, begins: f32) {
        let if_begins = begins / WORDS_THAT_BEGIN;
        let if_inside = (1.0 - begins) / (1.0 - WORDS_THAT_BEGIN);
        // In a wrapped text a line opens with a beginning as often as any other word, so that the two add up to 1.
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
        // Seven lines are enough to turn a text that was sure of the other kind.
        assert!(after(&[[0.0; 100].as_slice(), &[0.6; 7]].concat()) > 4.0);
        assert!(after(&[[1.0; 100].as_slice(), &[0.02; 12]].concat()) < 0.3);
    }

    /// 0.9 / 0.1 are the odds of a line, 0.08 / 0.92 those of any word.
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
