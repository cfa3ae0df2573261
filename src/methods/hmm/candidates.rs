//! What each word of a text may be.

use super::guess::{CASES, Guesser, is_capitals};
use crate::lm::forms::{Form, Forms};
use crate::lm::{Vocabulary, WordId};
use crate::text::compound::{compound, is_joint};
use crate::text::{Break, Case, Constraint, Locale, Token};

/// A form that a word may have, in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormCandidate {
    /// The word of the language model.
    pub word: WordId,
    /// Its case.
    pub case: Case,
    /// What it costs beside what the language model says.
    pub cost: f32,
    /// Whether a sentence ends before it.
    pub opens: bool,
    /// How often the language model backs off before it, even where it need not; see the method `ngram`.
    pub skips: u8,
}

/// Finds the candidates of words.
#[derive(Debug)]
pub struct Candidates<'a> {
    /// The words of the language model.
    pub vocabulary: &'a Vocabulary,
    /// The map.
    pub forms: &'a Forms,
    /// What words that the map does not have are shaped by; without one they stay in lower case.
    pub guesser: Option<&'a Guesser>,
    /// How much the weights of the map count.
    pub map_weight: f32,
    /// Whose case pairs.
    pub locale: Locale,
    /// The most back-offs before a word; 0 where a language model backs off only where it must.
    pub skips: u8,
}

impl Candidates<'_> {
    /// Puts the candidates of a word into `out`, the likeliest first as far as the map says. `after_capitals` is whether
    /// all candidates of the word before are words of capitals.
    pub fn of(&self, lower: &str, token: &Token, after_capitals: bool, out: &mut Vec<FormCandidate>) {
        out.clear();
        let candidate = |form: &Form| FormCandidate {
            word: form.word,
            case: form.case,
            cost: -self.map_weight * form.weight,
            opens: false,
            skips: 0,
        };
        let forms = self.forms.get(lower);
        match token.given {
            Constraint::Fixed(case) => {
                let found = forms.iter().find(|form| form.case == case);
                let word = || self.vocabulary.id(&case.applied(lower, self.locale));
                let word = found.map_or_else(word, |form| form.word);
                out.push(FormCandidate { word, case, cost: 0.0, opens: false, skips: 0 });
            }
            _ if forms.is_empty() => self.unknown(lower, after_capitals, out),
            _ => out.extend(forms.iter().map(candidate)),
        }
        // At the end of a line a sentence may end, whether or not a mark shows it.
        if matches!(token.before, Break::Line | Break::Cue) && !sentence_ends_before(token) {
            for at in 0..out.len() {
                out.push(FormCandidate { opens: true, ..out[at] });
            }
        }
        let ways = out.len();
        for skips in 1..=self.skips {
            for at in 0..ways {
                out.push(FormCandidate { skips, ..out[at] });
            }
        }
    }

    /// A word that is not in the map.
    #[cold]
    fn unknown(&self, lower: &str, after_capitals: bool, out: &mut Vec<FormCandidate>) {
        let word = self.vocabulary.id(lower);
        let plain = FormCandidate { word, case: Case::Lower, cost: 0.0, opens: false, skips: 0 };
        let Some(guesser) = self.guesser.filter(|_| word == WordId::UNKNOWN) else {
            out.push(plain);
            return;
        };
        if lower.contains(is_joint) {
            let part = |part: &str| self.forms.get(part).first().map(|form| form.case);
            out.push(FormCandidate { case: compound(lower, self.locale, part), ..plain });
            return;
        }
        let letters = self.locale.letter_count(lower);
        for (case, cost) in CASES.into_iter().zip(guesser.costs(lower, after_capitals)) {
            // A word without letters has one case, and one of a single letter two.
            let case = Case::of_capitals(case.capitals(lower, self.locale), lower, self.locale);
            if out.iter().all(|candidate: &FormCandidate| candidate.case != case) {
                out.push(FormCandidate { case, cost, ..plain });
            }
            if letters == 0 {
                return;
            }
        }
    }

    /// Whether all of these are words of capitals.
    pub fn all_capitals(&self, lower: &str, candidates: &[FormCandidate]) -> bool {
        candidates.iter().all(|candidate| is_capitals(candidate.case, self.locale.letter_count(lower)))
    }
}

/// Whether the source shows that a sentence ends before a word.
pub fn sentence_ends_before(token: &Token) -> bool {
    token.starts || matches!(token.before, Break::Turn | Break::Paragraph | Break::Document)
}
