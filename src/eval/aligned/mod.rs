//! What a recogniser heard against what was said: words aligned without their case, and capitals scored through the alignment.
//!
//! The words are those of the protocol `asr`: no marks, no ends of sentences, a recording one stream. Hyphens part words too, since
//! recognisers put them where others have spaces. The future work of Batista et al. 2007.

pub mod files;
pub mod report;

use std::ops::AddAssign;
use std::slice;

use rustc_hash::FxHashMap;

use super::align::{Edit, align};
use super::score::{Wrong, most_frequent};
use super::slots::{Confusion, Matching, ratio};
use crate::corpus::{Corpus, marks};
use crate::error::Result;
use crate::restorer::{Restorer, Want};
use crate::text::{Break, Case, Locale, Token, Tokens};

/// The words of a recording, with their cases.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    /// The recording and its channel, where the file names them.
    pub recording: Option<String>,
    words: Tokens,
    cases: Vec<Case>,
}

impl Transcript {
    /// The recordings of a corpus, in the order in which they begin: one where its format names none.
    ///
    /// # Errors
    /// Where a file cannot be read or is not what its format says.
    pub fn read(corpus: &Corpus) -> Result<Vec<Self>> {
        let mut transcripts: Vec<Self> = Vec::new();
        let mut at: FxHashMap<Option<String>, usize> = FxHashMap::default();
        let mut scratch = String::new();
        corpus.for_each_sentence(&mut |sentence| {
            let recording = sentence.recording.map(str::to_owned);
            let at = *at.entry(recording.clone()).or_insert_with(|| {
                transcripts.push(Self { recording, ..Self::default() });
                transcripts.len() - 1
            });
            transcripts[at].push(sentence.text, corpus.locale(), &mut scratch);
            Ok(())
        })?;
        if transcripts.is_empty() {
            transcripts.push(Self::default());
        }
        Ok(transcripts)
    }

    /// That of a text.
    pub fn of_text(text: &str, locale: Locale) -> Self {
        let mut transcript = Self::default();
        transcript.push(text, locale, &mut String::new());
        transcript
    }

    fn push(&mut self, text: &str, locale: Locale, scratch: &mut String) {
        let Self { words, cases, .. } = self;
        marks::words(text, locale, scratch, |word| {
            let before = if words.is_empty() { Break::Document } else { Break::Space };
            words.push(word, locale, Token { before, ..Token::default() });
            cases.push(Case::of(word, locale));
        });
    }

    /// The same words in the cases that a method chooses for them. It sees them as one stream.
    ///
    /// # Errors
    /// Where the method fails.
    pub fn restored(self, method: &dyn Restorer, want: Want) -> Result<Self> {
        if self.words.is_empty() {
            return Ok(self);
        }
        let choices = method.restore_batch(slice::from_ref(&self.words), want)?.pop().unwrap_or_default();
        Ok(Self { cases: choices.into_iter().map(|choice| choice.label.case).collect(), ..self })
    }

    /// Gives its words to `each`, what hyphens join as several, each with its case.
    fn for_each_part<'a>(&'a self, locale: Locale, mut each: impl FnMut(&'a str, Case)) {
        let mut spelled = String::new();
        for ((lower, _), &case) in self.words.iter().zip(&self.cases) {
            if !lower.contains('-') {
                each(lower, case);
                continue;
            }
            spelled.clear();
            case.apply(lower, locale, &mut spelled);
            for (lower, spelled) in lower.split('-').zip(spelled.split('-')) {
                each(lower, Case::of(spelled, locale));
            }
        }
    }
}

/// Aligns the words of a hypothesis with those of its reference, case aside, and counts both kinds of errors.
///
/// ```
/// use majuscule::eval::Matching;
/// use majuscule::eval::aligned::{Transcript, score};
/// use majuscule::text::Locale;
///
/// let [reference, hypothesis] = ["We met Ana Reis in Porto.", "we met Ana rice in in Porto"]
///     .map(|text| Transcript::of_text(text, Locale::Root));
/// let score = score(&reference, &hypothesis, Locale::Root);
/// // Of six words one is substituted and one inserted.
/// assert_eq!(score.word_error_rate(), Some(2.0 / 6.0));
/// // Of the slots We, Ana, Reis and Porto, two are missing: one at a word that was recognised.
/// assert_eq!(score.all().slots(Matching::Spelling).deleted, 2);
/// assert_eq!(score.recognised.slots(Matching::Spelling).deleted, 1);
/// ```
pub fn score(reference: &Transcript, hypothesis: &Transcript, locale: Locale) -> Score {
    let mut numbers = FxHashMap::default();
    let mut side = |transcript| Numbered::of(transcript, locale, &mut numbers);
    let (reference, hypothesis) = (side(reference), side(hypothesis));
    let mut score = Score::default();
    let (mut i, mut j) = (0, 0);
    for edit in align(&reference.numbers, &hypothesis.numbers) {
        score.count(edit, reference.words.get(i), hypothesis.words.get(j));
        i += usize::from(edit != Edit::Insert);
        j += usize::from(edit != Edit::Delete);
    }
    score
}

/// The parts of a transcript's words, and a number for each that is the same where its letters are.
struct Numbered<'a> {
    numbers: Vec<u32>,
    words: Vec<(&'a str, Case)>,
}

impl<'a> Numbered<'a> {
    fn of(transcript: &'a Transcript, locale: Locale, known: &mut FxHashMap<&'a str, u32>) -> Self {
        let mut side = Self { numbers: Vec::new(), words: Vec::new() };
        transcript.for_each_part(locale, |lower, case| {
            let next = known.len() as u32;
            side.numbers.push(*known.entry(lower).or_insert(next));
            side.words.push((lower, case));
        });
        side
    }
}

/// What was counted. The sum of the scores of two recordings is the score of both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Score {
    /// The words that the recogniser got right.
    pub recognised: Confusion,
    /// Those that it took for others: a slot is right where the other word has the same case.
    pub misrecognised: Confusion,
    /// Those of the reference that it left out, as if they were there in lower case: a capital is a slot deleted.
    pub deleted: Confusion,
    /// Those that it made up, as if they stood in the reference in lower case: a capital is a slot inserted.
    pub inserted: Confusion,
    /// The words that were recognised and got another case than they should have.
    wrong: FxHashMap<Wrong, u64>,
}

impl Score {
    fn count(&mut self, edit: Edit, reference: Option<&(&str, Case)>, hypothesis: Option<&(&str, Case)>) {
        let case = |word: Option<&(&str, Case)>| word.map_or(Case::Lower, |&(_, case)| case);
        let (right, found) = (case(reference), case(hypothesis));
        match edit {
            Edit::Match => self.recognised.add(right, found),
            Edit::Substitute => self.misrecognised.add(right, found),
            Edit::Delete => self.deleted.add(right, Case::Lower),
            Edit::Insert => self.inserted.add(Case::Lower, found),
        }
        if let (Edit::Match, Some(&(lower, _))) = (edit, reference)
            && right != found
        {
            let wrong = Wrong { lower: lower.into(), reference: right, hypothesis: found };
            *self.wrong.entry(wrong).or_default() += 1;
        }
    }

    /// All words of both sides; those that are aligned count once.
    pub fn all(&self) -> Confusion {
        let mut all = self.recognised;
        for part in [self.misrecognised, self.deleted, self.inserted] {
            all += part;
        }
        all
    }

    /// How many words the reference has.
    pub fn reference(&self) -> u64 {
        self.recognised.tokens() + self.misrecognised.tokens() + self.deleted.tokens()
    }

    /// How many words the hypothesis has.
    pub fn hypothesis(&self) -> u64 {
        self.recognised.tokens() + self.misrecognised.tokens() + self.inserted.tokens()
    }

    /// Words substituted, deleted and inserted by the words of the reference: may pass 1. `None` where it has none.
    pub fn word_error_rate(&self) -> Option<f64> {
        let errors = [self.misrecognised, self.deleted, self.inserted].map(|words| words.tokens());
        ratio(errors.iter().sum(), self.reference())
    }

    /// The most frequent errors of case on words that were recognised; see
    /// [`Score::most_frequent_errors`](super::Score::most_frequent_errors).
    pub fn most_frequent_errors(&self, matching: Matching, most: usize) -> Vec<(Wrong, u64)> {
        most_frequent(&self.wrong, matching, most)
    }
}

impl AddAssign<&Self> for Score {
    fn add_assign(&mut self, other: &Self) {
        self.recognised += other.recognised;
        self.misrecognised += other.misrecognised;
        self.deleted += other.deleted;
        self.inserted += other.inserted;
        for (wrong, count) in &other.wrong {
            *self.wrong.entry(wrong.clone()).or_default() += count;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::{Format, Protocol, Reading};
    use crate::eval::Slots;
    use crate::eval::score::tests::Titles;

    pub fn score_texts(reference: &str, hypothesis: &str) -> Score {
        let [reference, hypothesis] =
            [reference, hypothesis].map(|text| Transcript::of_text(text, Locale::Root));
        score(&reference, &hypothesis, Locale::Root)
    }

    fn slots(words: Confusion) -> Slots {
        words.slots(Matching::Spelling)
    }

    proptest! {
        #[test]
        fn a_text_against_itself_in_other_case_is_scored_word_by_word(text in "([A-Ca-c]{1,3}[ -]?){0,30}") {
            let score = score_texts(&text, &text.to_lowercase());
            prop_assert_eq!(score.reference(), score.recognised.tokens());
            prop_assert_eq!(score.hypothesis(), score.recognised.tokens());
            prop_assert_eq!(slots(score.all()).deleted, slots(score.all()).reference());
            prop_assert_eq!(slots(score_texts(&text, &text).all()).errors(), 0);
        }

        #[test]
        fn every_word_of_both_sides_counts_once(reference in "([A-Ca-c]{1,2} ){0,20}", hypothesis in "([A-Ca-c]{1,2} ){0,20}") {
            let score = score_texts(&reference, &hypothesis);
            prop_assert_eq!(score.reference(), reference.split_whitespace().count() as u64);
            prop_assert_eq!(score.hypothesis(), hypothesis.split_whitespace().count() as u64);
            let capitals = |text: &str| text.split_whitespace().filter(|word| **word != word.to_lowercase()).count();
            let slots = slots(score.all());
            prop_assert_eq!(slots.reference(), capitals(&reference) as u64);
            prop_assert_eq!(slots.hypothesis(), capitals(&hypothesis) as u64);
        }
    }

    #[test]
    fn capitals_are_counted_by_what_became_of_their_words() {
        // The: deleted with its word. Ana: right. Reis, rice: substituted, its capital gone. Porto, Oporto: another word with the
        // same case. NATO, Nato: recognised, and substituted. Uh: inserted.
        let score = score_texts(
            "The day Ana Reis saw Porto and NATO left",
            "day Ana rice saw Oporto and Nato Uh left",
        );
        let counts = [score.recognised, score.misrecognised, score.deleted, score.inserted]
            .map(|words| words.tokens());
        assert_eq!(counts, [6, 2, 1, 1]);
        assert_eq!(slots(score.recognised), Slots { correct: 1, substituted: 1, ..Slots::default() });
        assert_eq!(slots(score.misrecognised), Slots { correct: 1, deleted: 1, ..Slots::default() });
        assert_eq!(slots(score.deleted), Slots { deleted: 1, ..Slots::default() });
        assert_eq!(slots(score.inserted), Slots { inserted: 1, ..Slots::default() });
        assert_eq!(slots(score.all()), Slots { correct: 2, substituted: 1, inserted: 1, deleted: 2 });
        assert_eq!(score.word_error_rate(), Some(4.0 / 9.0));
        let errors = score.most_frequent_errors(Matching::Spelling, 5);
        assert_eq!(
            errors.iter().map(|(wrong, count)| (&*wrong.lower, *count)).collect::<Vec<_>>(),
            [("nato", 1)]
        );
    }

    #[test]
    fn case_marks_and_hyphens_part_no_words_from_each_other() {
        let score = score_texts("Jan-San, the U.S. e-commerce…", "jan san the us E-Commerce");
        assert_eq!((score.word_error_rate(), score.recognised.tokens()), (Some(0.0), 6));
        // Jan, San and US are lost; E and Commerce were made up.
        assert_eq!(slots(score.all()), Slots { inserted: 2, deleted: 3, ..Slots::default() });
    }

    #[test]
    fn a_method_sees_the_words_of_the_hypothesis_and_not_their_case() {
        let method = Titles(vec!["ana", "rice"]);
        let reference = Transcript::of_text("Ana Reis left", Locale::Root);
        for hypothesis in ["ana rice left", "ANA RICE LEFT."] {
            let hypothesis =
                Transcript::of_text(hypothesis, Locale::Root).restored(&method, Want::default()).unwrap();
            let score = score(&reference, &hypothesis, Locale::Root);
            assert_eq!(slots(score.recognised), Slots { correct: 1, ..Slots::default() });
            assert_eq!(slots(score.misrecognised), Slots { correct: 1, ..Slots::default() });
        }
    }

    #[test]
    fn recordings_are_told_apart() {
        let file = "two A 0 1 So\none A 0 1 Yes\ntwo A 1 1 it\ntwo B 0 1 No\n";
        let reading = Reading { format: Format::Ctm, ..Reading::default() };
        let corpus = Corpus::of_text(file, reading, Protocol::default(), Locale::Root);
        let found = Transcript::read(&corpus).unwrap();
        let found: Vec<_> = found.iter().map(|one| (one.recording.as_deref(), one.words.len())).collect();
        assert_eq!(found, [(Some("two A"), 2), (Some("one A"), 1), (Some("two B"), 1)]);
    }
}
