//! Finds the stretches of a text that lack punctuation, by the density of marks.
//!
//! A hidden Markov model with two states, punctuated and bare, observes the gap after each word: a mark that ends
//! a sentence, one inside a sentence, or none. The surroundings of brackets, URLs, abbreviations, labels, headings
//! and list items are not evidence. The state after a word follows from all words before it and from a limited
//! number of words after it (fixed-lag smoothing). More marks never make a word bare, so a text with inserted
//! marks is as punctuated as without them, or more.
//!
//! The probabilities were measured on text in seven languages, both complete and with the marks of some stretches
//! removed; they differ more between kinds of text than between languages (docs/reports/bare-stretches.md).

use std::collections::VecDeque;

use super::mark::Mark;
use super::tokens::{Break, LinePlace, Token};

/// The number of words after a word that its state depends on, if that much text is there.
pub const LOOK_AHEAD: usize = 128;

/// The number of words whose states are found at the same time.
const BLOCK: usize = 128;

/// A look-ahead below this number of words means that the text arrives slowly.
const SLOW: usize = 32;

/// The lowest probability of the state bare at which a word counts as bare.
const BARE: f32 = 0.85;

/// The probability that the state changes from one word to the next.
const CHANGE: f32 = 1.0 / 400.0;

/// The odds of the state punctuated at the beginning of a text.
const BEFORE_TEXT: f32 = 1.0;

/// The largest number of words that wait for the end of their line in text that arrives slowly.
const LONGEST_LINE: usize = 512;

/// Returns true for a word of a label or a heading, around which marks are not evidence.
#[inline]
fn is_no_text(token: &Token) -> bool {
    token.is_label || token.place == LinePlace::Heading
}

/// The text between a word and the next one, as evidence of punctuation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GapEvidence {
    /// A mark that ends a sentence.
    End,
    /// A mark inside a sentence.
    Inner,
    /// No mark, and more words.
    Nothing,
    /// No mark at the end of a text, a paragraph or a turn.
    OpenEnd,
    /// Text that is not evidence.
    Unknown,
}

impl GapEvidence {
    /// Classifies the gap after a word. `is_no_text` is true if the word is not text; `gap` is the mark in the gap;
    /// `next` has the break before the next word, and true if that word is not text. A break of at least `end` ends a
    /// sentence.
    #[inline]
    fn of(is_no_text: bool, gap: Option<Mark>, next: Option<(Break, bool)>, end: Break) -> Self {
        let ends = next.is_none_or(|(before, _)| before >= end);
        match gap {
            _ if is_no_text || !ends && next.is_some_and(|(_, is_no_text)| is_no_text) => Self::Unknown,
            Some(Mark::Comma | Mark::Colon | Mark::Semicolon) => Self::Inner,
            Some(Mark::None | Mark::Dash) => Self::Unknown,
            Some(_) => Self::End,
            None if ends => Self::OpenEnd,
            None => Self::Nothing,
        }
    }

    /// Returns the likelihood ratio of the evidence: the state punctuated against the state bare.
    fn odds(self) -> f32 {
        // The probabilities of marks in each state.
        let ([end, stray_end], [inner, stray_inner]) = ([0.04, 0.002], [0.05, 0.006]);
        match self {
            Self::End => end / stray_end,
            Self::Inner => inner / stray_inner,
            Self::Nothing => (1.0 - end - inner) / (1.0 - stray_end - stray_inner),
            Self::OpenEnd => 0.03,
            Self::Unknown => 1.0,
        }
    }
}

/// The words of a text, and the states of the words for which enough text has arrived.
#[derive(Debug, Clone)]
pub struct BareStretches {
    look_ahead: usize,
    /// The weakest break at which a sentence ends.
    end: Break,
    /// True if the text so far has marks: a text without marks is bare.
    has_marks: bool,
    /// For each word that waits for its state, the likelihood ratio of the gap after it, and the odds of the state
    /// punctuated given all text up to that gap.
    waiting: Vec<[f32; 2]>,
    /// The states that are found, in order: true for a bare word.
    found: VecDeque<bool>,
    /// The number of words whose states were found early (see [`Self::force`]) and are not found again.
    assumed: usize,
    /// The odds of the state punctuated after the last word that is observed.
    punctuated: f32,
    /// True if the last word, whose right context has not arrived, is not text; `None` without such a word.
    last: Option<bool>,
}

impl BareStretches {
    /// Starts a text whose states depend on at most `look_ahead` later words.
    pub fn new(look_ahead: usize) -> Self {
        let (end, waiting, found) = (Break::Turn, Vec::new(), VecDeque::new());
        Self {
            look_ahead,
            end,
            has_marks: false,
            waiting,
            found,
            assumed: 0,
            punctuated: BEFORE_TEXT,
            last: None,
        }
    }

    /// Sets whether the text is verse, such as lyrics, whose lines may end anywhere in a sentence.
    #[must_use]
    pub fn of_verse(self, is_verse: bool) -> Self {
        Self { end: if is_verse { Break::Paragraph } else { Break::Turn }, ..self }
    }

    /// Starts another text with the same settings.
    #[must_use]
    pub fn another(&self) -> Self {
        Self { end: self.end, ..Self::new(self.look_ahead) }
    }

    /// Adds the next word. One that opens a text ends the text before it.
    #[inline]
    pub fn push(&mut self, token: &Token) {
        let is_no_text = is_no_text(token);
        if let Some(before) = self.last.replace(is_no_text) {
            let next = (token.before, is_no_text);
            self.observe(GapEvidence::of(before, token.gap, Some(next), self.end));
        }
        if token.before == Break::Document {
            self.end_text();
        }
        // In text that arrives slowly, whole lines are settled together.
        let is_live = self.look_ahead < SLOW;
        let most = self.look_ahead + if is_live { LONGEST_LINE } else { BLOCK };
        if self.waiting.len() >= most
            || is_live && token.before >= Break::Line && self.waiting.len() > self.look_ahead
        {
            self.settle(self.look_ahead);
        }
    }

    /// Ends the text, with the mark `gap` after its last word, and returns true if the end is bare.
    pub fn finish(&mut self, gap: Option<Mark>) -> bool {
        if let Some(is_no_text) = self.last.take() {
            self.observe(GapEvidence::of(is_no_text, gap, None, self.end));
        }
        let is_bare = self.is_bare(self.punctuated);
        self.end_text();
        is_bare
    }

    fn end_text(&mut self) {
        self.settle(0);
        (self.punctuated, self.has_marks) = (BEFORE_TEXT, false);
    }

    /// Returns true if a word with these odds of the state punctuated is bare.
    fn is_bare(&self, punctuated: f32) -> bool {
        punctuated < (1.0 - BARE) / BARE || !self.has_marks
    }

    /// Decides, for every undecided word that has arrived, whether it is bare, without waiting for later text.
    pub fn force(&mut self) {
        self.settle(0);
        if self.last.is_some() && self.assumed == 0 {
            self.found.push_back(self.is_bare(changed(self.punctuated)));
            self.assumed = 1;
        }
    }

    /// Returns the number of words whose states are found but not taken yet.
    pub fn found(&self) -> usize {
        self.found.len()
    }

    /// Removes and returns the states of the next `words` words, which must be found: true for a bare word.
    pub fn take(&mut self, words: usize) -> impl Iterator<Item = bool> {
        self.found.drain(..words)
    }

    #[inline]
    fn observe(&mut self, observation: GapEvidence) {
        self.has_marks |= matches!(observation, GapEvidence::End | GapEvidence::Inner);
        let odds = observation.odds();
        self.punctuated = changed(self.punctuated) * odds;
        self.waiting.push([odds, self.punctuated]);
    }

    /// Finds the states of all waiting words except the last `left`.
    fn settle(&mut self, left: usize) {
        let count = self.waiting.len() - left;
        let first = self.found.len();
        self.found.resize(first + count, true);
        if self.has_marks {
            // The likelihood ratio of the later text.
            let mut later = 1.0;
            for (at, [odds, punctuated]) in self.waiting.iter().enumerate().rev() {
                if at < count {
                    self.found[first + at] = self.is_bare(punctuated * later);
                }
                later = changed(odds * later);
            }
        }
        self.waiting.drain(..count);
        let assumed = self.assumed.min(count);
        self.assumed -= assumed;
        self.found.drain(first..first + assumed);
    }
}

/// Returns the odds of a state one word later, given that the state may change between the words.
#[inline]
fn changed(odds: f32) -> f32 {
    (odds * (1.0 - CHANGE) + CHANGE) / (odds * CHANGE + 1.0 - CHANGE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Locale;
    use crate::tokenize::tokenize;

    /// Returns the states after the words of a text; for each, at most `look_ahead` later words count.
    fn states(text: &str, look_ahead: usize) -> Vec<bool> {
        let tokens = tokenize(text, Locale::Root, "en");
        let mut stretches = BareStretches::new(look_ahead);
        tokens.as_slice().iter().for_each(|token| stretches.push(token));
        let last = text.trim_end().ends_with('.').then_some(Mark::Period);
        stretches.finish(last);
        taken(&mut stretches).collect()
    }

    fn taken(stretches: &mut BareStretches) -> impl Iterator<Item = bool> {
        let found = stretches.found();
        stretches.take(found)
    }

    const PUNCTUATED: &str =
        "We took the train to the coast, and it rained. Nobody minded, since we had tea. ";
    const BARE_WORDS: &str = "and then we went home to see the others who had stayed there all day ";

    #[test]
    fn a_half_that_lost_its_marks_is_bare_and_the_other_is_not() {
        let whole = states(&PUNCTUATED.repeat(8), LOOK_AHEAD);
        assert!(whole.iter().all(|is_bare| !is_bare));
        let [first, rest] = [PUNCTUATED.repeat(8), BARE_WORDS.repeat(12)];
        let found = states(&(first.clone() + &rest), LOOK_AHEAD);
        let bare = found[whole.len()..].iter().filter(|is_bare| **is_bare).count();
        assert!(found[..whole.len()].iter().all(|is_bare| !is_bare));
        assert!(found.len() - whole.len() - bare <= 25, "{bare}");
        // The words right before a punctuated part may belong to its first sentence.
        let found = states(&(rest + &first), LOOK_AHEAD);
        let (bare, punctuated) = found.split_at(found.len() - whole.len());
        assert!(bare.iter().filter(|is_bare| !**is_bare).count() <= 30);
        assert!(punctuated.iter().all(|is_bare| !is_bare));
    }

    #[test]
    fn lines_of_lyrics_end_anywhere() {
        let mut tokens = tokenize("we took the train, and it rained on all of us", Locale::Root, "en");
        for at in [3, 6, 8] {
            tokens.as_mut_slice()[at].before = Break::Turn;
        }
        let states = |is_verse: bool| {
            let mut stretches = BareStretches::new(LOOK_AHEAD).of_verse(is_verse);
            tokens.as_slice().iter().for_each(|token| stretches.push(token));
            stretches.finish(Some(Mark::Period));
            taken(&mut stretches).filter(|is_bare| *is_bare).count()
        };
        assert!(states(false) > 0);
        assert_eq!(states(true), 0);
    }

    #[test]
    fn stray_marks_leave_a_text_bare_and_long_sentences_leave_it_punctuated() {
        let bare = format!("{0}? {0}", BARE_WORDS.trim_end().repeat(20));
        assert!(states(&bare, LOOK_AHEAD).iter().all(|is_bare| *is_bare));
        let sentence = format!("{} and so on. ", BARE_WORDS.repeat(3));
        assert!(
            states(&(PUNCTUATED.repeat(6) + &sentence.repeat(3)), LOOK_AHEAD).iter().all(|is_bare| !is_bare)
        );
    }

    #[test]
    fn a_short_text_with_one_comma_and_an_open_end_is_bare() {
        let text = "well, we went home and then we slept it was late did you see that no i did not";
        assert!(states(text, LOOK_AHEAD)[5..].iter().all(|is_bare| *is_bare));
        assert!(states("well, we went home and then we slept.", LOOK_AHEAD).iter().all(|is_bare| !is_bare));
    }

    #[test]
    fn clocks_decimals_and_abbreviations_are_no_evidence() {
        let bare = states(&BARE_WORDS.repeat(2), LOOK_AHEAD);
        assert!(bare.iter().all(|is_bare| *is_bare));
        let text = "at 10:30 dr. lee paid 3.50 to mr. smith of acme inc. near www.example.org ".repeat(4);
        assert!(states(&text, LOOK_AHEAD).iter().all(|is_bare| *is_bare));
    }

    proptest! {
        #[test]
        fn more_marks_never_make_a_word_bare(
            marks in prop::collection::vec(prop::sample::select(vec![None, None, None, Some(Mark::Comma), Some(Mark::Period)]), 1..80),
            more in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
            look_ahead in 0..60usize,
        ) {
            let states = |marks: &[Option<Mark>]| {
                let mut stretches = BareStretches::new(look_ahead);
                marks.iter().for_each(|gap| stretches.push(&Token { gap: *gap, ..Token::default() }));
                stretches.finish(None);
                taken(&mut stretches).collect::<Vec<_>>()
            };
            let before = states(&marks);
            prop_assert_eq!(before.len(), marks.len());
            let mut marked = marks.clone();
            more.iter().for_each(|at| marked[at.index(marks.len())] = Some(Mark::Period));
            let after = states(&marked);
            prop_assert!(before.iter().zip(&after).all(|(before, after)| *before || !after));
        }

        #[test]
        fn a_state_that_is_asked_for_at_once_is_given_once(cuts in prop::collection::vec(0..40usize, 0..4)) {
            let mut stretches = BareStretches::new(5);
            for at in 0..40 {
                stretches.push(&Token::default());
                if cuts.contains(&at) {
                    stretches.force();
                    prop_assert!(stretches.found() > 0);
                }
            }
            stretches.finish(None);
            prop_assert_eq!(stretches.found(), 40);
        }
    }
}
