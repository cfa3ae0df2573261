//! Finds the candidate forms of each word of a text.

use super::guess::{CASES, Guesser, is_capitals};
use majuscule_lm::forms::{Form, Forms};
use majuscule_lm::{Vocabulary, WordId};
use majuscule_text::compound::{compound, is_joint};
use majuscule_text::{Break, Case, Constraint, Locale, Token};

/// A form that a word of a text may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormCandidate {
    /// The identifier of the form in the language model.
    pub word: WordId,
    /// The case of the form.
    pub case: Case,
    /// The cost of the form, added to the cost of the language model.
    pub cost: f32,
    /// True if a sentence ends before the word.
    pub opens: bool,
    /// The number of times that the language model backs off before it reads the word, even if it
    /// knows the longer n-gram; see the method `ngram`.
    pub skips: u8,
}

/// Finds the candidates of words.
#[derive(Debug)]
pub struct Candidates<'a> {
    /// The vocabulary of the language model.
    pub vocabulary: &'a Vocabulary,
    /// The map from words to forms.
    pub forms: &'a Forms,
    /// The guesser for words that the map lacks; without a guesser, these words stay in lower case.
    pub guesser: Option<&'a Guesser>,
    /// The factor by which the weights of forms in the map are multiplied.
    pub map_weight: f32,
    /// The locale, which defines the case mappings.
    pub locale: Locale,
    /// The maximum number of back-offs before a word; 0 if the language model backs off only where
    /// it must.
    pub skips: u8,
}

impl Candidates<'_> {
    /// Writes the candidates of a word to `out`, the most likely first according to the map.
    /// `after_capitals` is true if all candidates of the previous word are in all capitals.
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
        match token.constraint {
            Constraint::Fixed(case) => {
                let found = forms.iter().find(|form| form.case == case);
                let word = || self.vocabulary.id(&case.applied(lower, self.locale));
                let word = found.map_or_else(word, |form| form.word);
                out.push(FormCandidate { word, case, cost: 0.0, opens: false, skips: 0 });
            }
            _ if forms.is_empty() => self.unknown(lower, after_capitals, out),
            _ => out.extend(forms.iter().map(candidate)),
        }
        // A sentence may end at the end of a line, with or without a mark.
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

    /// Adds the candidates of a word that is not in the map.
    #[cold]
    fn unknown(&self, lower: &str, after_capitals: bool, out: &mut Vec<FormCandidate>) {
        let word = self.vocabulary.id(lower);
        let plain = FormCandidate { word, case: Case::Lower, cost: 0.0, opens: false, skips: 0 };
        let Some(guesser) = self.guesser.filter(|_| word == WordId::UNKNOWN) else {
            out.push(plain);
            return;
        };
        if lower.contains(is_joint) {
            let part = |part: &str| match self.forms.get(part).first() {
                Some(form) => Some(form.case),
                None => guesser.sure(part),
            };
            out.push(FormCandidate { case: compound(lower, self.locale, part), ..plain });
            return;
        }
        let letters = self.locale.letter_count(lower);
        for (case, cost) in CASES.into_iter().zip(guesser.costs(lower, after_capitals)) {
            let case = self.as_of(case, lower);
            if out.iter().all(|candidate: &FormCandidate| candidate.case != case) {
                out.push(FormCandidate { case, cost, ..plain });
            }
            if letters == 0 {
                return;
            }
        }
    }

    /// Returns the case of a word after `case` is applied to it: a word without letters has only
    /// one case, and a word with a single letter has two.
    fn as_of(&self, case: Case, lower: &str) -> Case {
        Case::of_capitals(case.capitals(lower, self.locale), lower, self.locale)
    }

    /// Returns the case of a word in title case.
    pub fn title(&self, lower: &str) -> Case {
        self.as_of(Case::Title, lower)
    }

    /// Returns true if all candidates are in all capitals.
    pub fn all_capitals(&self, lower: &str, candidates: &[FormCandidate]) -> bool {
        candidates.iter().all(|candidate| is_capitals(candidate.case, self.locale.letter_count(lower)))
    }
}

/// Returns true if the source shows that a sentence ends before a word.
pub fn sentence_ends_before(token: &Token) -> bool {
    token.starts || matches!(token.before, Break::Turn | Break::Paragraph | Break::Document)
}
