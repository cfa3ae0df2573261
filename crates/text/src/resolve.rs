//! The only code that decides the case of a word and the mark that is inserted after it.
//!
//! Everything else is input: the tokenizer reports the words whose capitals are kept, the sentence starts and the
//! gaps between words; the user's spellings fix the case of words; and the method chooses cases and marks.

use super::case::Case;
use super::house_style::StyleRule;
use super::label::{Choice, Label, probability};
use super::mark::{Mark, MarkForm};
use super::options::{RestoreOptions, SentenceStart};
use super::sentence_tracker::continues_sentence;
use super::source_capitals::{Capitalized, DutchApostrophe};
use super::tokens::{Break, Constraint, LinePlace, Token, Tokens};

/// Words of a name with at most this many letters may lack a capital: `of`, `the`, `van`.
const LONGEST_PARTICLE: usize = 3;

/// The marks inserted around a word, and their effect on the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placed {
    /// The mark whose opening is inserted before the word: [`Mark::Question`] for `¿`.
    pub before: Mark,
    /// The mark inserted after the word.
    pub after: Mark,
    /// True if the word begins a sentence because of a mark inserted after an earlier word.
    pub begins: bool,
}

/// The outcome for a word: the method's choice, and the inserted marks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Decision {
    /// The choice of the method or of a convention.
    pub choice: Choice,
    /// The marks inserted around the word.
    pub placed: Placed,
}

impl From<Choice> for Decision {
    /// Makes a decision that inserts no marks.
    fn from(choice: Choice) -> Self {
        Self { choice, placed: Placed::default() }
    }
}

impl From<Label> for Decision {
    fn from(label: Label) -> Self {
        Choice::from(label).into()
    }
}

impl Decision {
    /// Returns true if a sentence begins with a word, according to the text or because of an inserted mark.
    #[inline]
    pub fn begins(&self, token: &Token) -> bool {
        token.starts || self.placed.begins
    }

    /// Returns the probability that this mark, or no mark, is after the word: the method's probability if the method
    /// chose so, and 1 if the source leaves no place for a mark. `None` if the method has no probabilities of marks.
    pub fn mark_confidence(&self, options: &RestoreOptions) -> Option<f32> {
        let is_chosen = self.placed.after == self.choice.label.mark.within(options.marks);
        self.choice.mark_confidence.map(|found| if is_chosen { probability(found) } else { 1.0 })
    }
}

/// The case that a word gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolved {
    /// The case of the word.
    pub case: Case,
    /// The probability of the case: the method's probability if the method chose the case, and 1 if the user or the
    /// source determined it.
    pub confidence: Option<f32>,
}

/// Decides the case of a word, which the source spells `word`. In order of precedence:
///
/// 1. the user's spelling;
/// 2. the capitals of the source, if they are kept;
/// 3. a capital at a sentence start, on top of
/// 4. the method's choice or, if that is less certain than the threshold, the case in the source.
#[inline]
pub fn resolve(word: &str, token: &Token, decision: &Decision, options: &RestoreOptions) -> Resolved {
    let choice = &decision.choice;
    let confidence = choice.confidence.map(probability);
    let chosen = match (options.threshold, confidence) {
        (Some(least), Some(confidence)) if confidence < least => Case::of(word, options.locale()),
        _ => choice.label.case,
    };
    let case = match token.constraint {
        Constraint::Fixed(case) | Constraint::Kept(case) | Constraint::Doubtful(case) => case,
        Constraint::Free
            if starts_sentence(token, decision, options) || is_shouted_name(word, token, options) =>
        {
            chosen.opening(word, options.locale())
        }
        Constraint::Free => chosen,
    };
    Resolved { case, confidence: if case == chosen { confidence } else { Some(1.0) } }
}

/// Returns true if [`resolve`] returns lower case for a word that is in lower case in the source.
#[inline]
pub(super) fn stays_lower(token: &Token, decision: &Decision, options: &RestoreOptions) -> bool {
    match token.constraint {
        Constraint::Fixed(case) => case == Case::Lower,
        _ => decision.choice.label.case == Case::Lower && !starts_sentence(token, decision, options),
    }
}

/// Returns true if a word belongs to the name of a speaker whose capitals are not kept: `THE WITNESS:`.
fn is_shouted_name(word: &str, token: &Token, options: &RestoreOptions) -> bool {
    token.is_label
        && options.capitalized == Capitalized::Auto
        && options.sentence_start != SentenceStart::Never
        && word.chars().nth(LONGEST_PARTICLE).is_some()
        && word.contains(char::is_uppercase)
}

/// Returns true if the word gets a capital because a sentence begins with it.
#[inline]
fn starts_sentence(token: &Token, decision: &Decision, options: &RestoreOptions) -> bool {
    if token.place == LinePlace::Item && options.style.has(StyleRule::CapitalItems) {
        return true;
    }
    match options.sentence_start {
        SentenceStart::Auto => decision.begins(token),
        SentenceStart::Always => decision.begins(token) || token.opens,
        SentenceStart::Never => false,
    }
}

/// The text between a word and the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AfterWord {
    /// The mark in that text: see [`Token::gap`].
    pub gap: Option<Mark>,
    /// The break in that text.
    pub before: Break,
}

impl AfterWord {
    /// Text into which no mark can be inserted.
    pub const CLOSED: Self = Self { gap: Some(Mark::None), before: Break::Space };

    /// Returns the text before a word.
    pub fn before(token: &Token) -> Self {
        Self { gap: token.gap, before: token.before }
    }
}

/// The state of inserting marks into a text, piece by piece. A mark is never inserted next to another one. Restoring
/// the restored text leads to the same choices, so no mark is added then.
#[derive(Debug, Clone, Default)]
pub struct InsertedMarks {
    /// True if an inserted mark ended a sentence, so that the next word begins a sentence.
    begins: bool,
    /// True if the last word was a clitic.
    after_clitic: bool,
}

impl InsertedMarks {
    /// Appends the decisions for the words of a piece: the marks inserted around each word, and the sentence starts
    /// after inserted marks. `last` is the text after the last word.
    pub fn place(
        &mut self,
        tokens: &Tokens,
        choices: &[Choice],
        last: AfterWord,
        options: &RestoreOptions,
        out: &mut Vec<Decision>,
    ) {
        if options.marks.is_empty() {
            return out.extend(choices.iter().take(tokens.len()).copied().map(Decision::from));
        }
        for (i, choice) in choices.iter().enumerate().take(tokens.len()) {
            let after = tokens.as_slice().get(i + 1).map_or(last, AfterWord::before);
            let apostrophe =
                DutchApostrophe::of(options.locale(), tokens.as_slice()[i].left, tokens.lower(i));
            let token = &tokens.as_slice()[i];
            let is_clitic = apostrophe == Some(DutchApostrophe::Clitic);
            // If anything but white space and tags is between a clitic and the next word, that word does not begin
            // the sentence.
            self.begins &= !std::mem::replace(&mut self.after_clitic, is_clitic) || token.after_clitic;
            let continues = token.left.is_some_and(continues_sentence);
            let begins = self.begins && apostrophe.is_none() && !continues;
            self.begins &= is_clitic;
            let before = opening_before(token, choice, options);
            let after = mark_after(token, choice, after, options);
            out.push(Decision { choice: *choice, placed: Placed { before, after, begins } });
            self.begins |= matches!(after, Mark::Period | Mark::Question | Mark::Exclamation);
        }
    }

    /// Returns true if the mark after the last word of a piece depends on the text that follows.
    pub fn waits(tokens: &Tokens, choices: &[Choice], options: &RestoreOptions) -> bool {
        let open = AfterWord { gap: None, ..AfterWord::CLOSED };
        let last = tokens.as_slice().iter().zip(choices).next_back().filter(|_| !options.marks.is_empty());
        last.is_some_and(|(token, choice)| mark_after(token, choice, open, options) != Mark::None)
    }
}

/// Returns the mark whose opening form is to be inserted before a word.
fn opening_before(token: &Token, choice: &Choice, options: &RestoreOptions) -> Mark {
    // An opening mark that is a separate token would separate the word from the mark before it.
    let parts = token.left.is_some() && options.mark_form == Some(MarkForm::Apart);
    let is_open = token.opening.is_none() && options.marks.has(choice.opening) && !parts;
    let has_opening = || choice.opening.opening(options.language()).is_some();
    if is_open && has_opening() { choice.opening } else { Mark::None }
}

/// Returns the mark to be inserted after a word.
fn mark_after(token: &Token, choice: &Choice, after: AfterWord, options: &RestoreOptions) -> Mark {
    let is_open = token.right.is_none() && after.gap.is_none() && after.before != Break::None;
    let mark = match is_open {
        true => choice.label.mark.within(options.marks),
        false => Mark::None,
    };
    if options.marks.has(mark) && !token.refused().has(mark) { mark } else { Mark::None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Label, Locale};

    fn choice(case: Case, confidence: f32) -> Choice {
        Choice { confidence: Some(confidence), ..Label::from(case).into() }
    }

    #[test]
    fn a_spelling_wins_over_a_sentence_start_and_that_over_the_method() {
        let options = RestoreOptions::default();
        let upper = choice(Case::Upper, 0.75);
        let resolved = |constraint, starts, choice: Choice| {
            let token = Token { constraint, starts, ..Token::default() };
            resolve("nato", &token, &choice.into(), &options)
        };
        let title = Resolved { case: Case::Title, confidence: Some(1.0) };
        assert_eq!(resolved(Constraint::Fixed(Case::Title), true, upper), title);
        assert_eq!(resolved(Constraint::Kept(Case::Title), true, upper), title);
        assert_eq!(resolved(Constraint::Free, true, choice(Case::Lower, 0.75)), title);
        let upper = Resolved { case: Case::Upper, confidence: Some(0.75) };
        assert_eq!(resolved(Constraint::Free, true, choice(Case::Upper, 0.75)), upper);
    }

    #[test]
    fn a_choice_in_doubt_leaves_the_case_of_the_source_and_sentences_their_starts() {
        let options = RestoreOptions::default().threshold(Some(0.8));
        let resolved = |word, starts| {
            let token = Token { starts, ..Token::default() };
            resolve(word, &token, &choice(Case::Upper, 0.75).into(), &options).case
        };
        assert_eq!([resolved("nato", false), resolved("nato", true)], [Case::Lower, Case::Title]);
        assert_eq!(resolved("McDonald", true), Case::of("McDonald", Locale::Root));
    }
}
