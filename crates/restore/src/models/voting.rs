//! Overlapping windows of a text: a method reads each window separately, and the windows that
//! contain a word vote on it (Vandeghinste & Guhr 2023; Courtland et al. 2020).
//!
//! Marks of the text are hidden from the windows and kept in the result, so that a text restored
//! twice stays as it is.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::Model;
use majuscule_base::error::{Error, Result, option};
use majuscule_text::restorer::{Boundary, Details, LayerWeights, Request, Restorer, Session};
use majuscule_text::{Break, Case, Choice, Label, Labels, Mark, Tokens};

/// The windows of a text, and the fraction of votes that ends a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VotingOptions {
    /// The number of words in a window; the last one of a text may be shorter.
    pub window: NonZeroUsize,
    /// The number of words by which a window begins after the previous one: less than a window.
    pub step: NonZeroUsize,
    /// A fraction, from 0 to 1, of the windows that contain a word: a sentence ends after the word
    /// if a larger fraction of them ends it there.
    pub end_threshold: f32,
}

impl Default for VotingOptions {
    /// The windows of Vandeghinste & Guhr 2023.
    fn default() -> Self {
        let window = const { NonZeroUsize::new(200).expect("200 is not 0") };
        Self { window, step: NonZeroUsize::MIN, end_threshold: 0.1 }
    }
}

/// Returns the model with its texts cut into windows that vote.
///
/// # Errors
/// [`Error::Usage`] if windows do not overlap, or the threshold is not a fraction.
pub fn voting(model: Model, options: VotingOptions) -> Result<Model> {
    options.check()?;
    Ok(Model { restorer: Arc::new(Voting { method: model.restorer, options }), ..model })
}

impl VotingOptions {
    fn check(self) -> Result<()> {
        let Self { window, step, end_threshold } = self;
        if step >= window {
            let problem = format!("windows of {window} words, each {step} after the previous one");
            let advice =
                "expected windows that overlap, since the last word of a window sees no word after it";
            return Err(Error::usage(format!("{problem}: {advice}")));
        }
        if !(0.0..=1.0).contains(&end_threshold) {
            let name = option("end-threshold");
            return Err(Error::usage(format!("{name} {end_threshold}: expected a fraction from 0 to 1")));
        }
        Ok(())
    }
}

/// A method whose windows vote.
struct Voting {
    method: Arc<dyn Restorer>,
    options: VotingOptions,
}

impl Restorer for Voting {
    fn labels(&self) -> &Labels {
        self.method.labels()
    }

    /// A word waits for the end of the last window that contains it.
    fn look_ahead(&self) -> Option<usize> {
        Some(self.options.window.get())
    }

    fn has_probabilities(&self) -> bool {
        self.method.has_probabilities()
    }

    fn balances_capitals(&self) -> bool {
        self.method.balances_capitals()
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        Box::new(VotingSession { voting: self, request, votes: Ballot::default() })
    }
}

/// The windows have no joint probability, so there are no n-best labellings.
impl Details for Voting {
    fn knows(&self, lower: &str) -> Option<bool> {
        self.method.details()?.knows(lower)
    }

    fn layer_weights(&self) -> Option<LayerWeights> {
        self.method.details()?.layer_weights()
    }
}

/// A text whose windows vote.
struct VotingSession<'a> {
    voting: &'a Voting,
    request: Request,
    votes: Ballot,
}

impl Session for VotingSession<'_> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        let opens = |at: &usize| tokens.as_slice()[*at].before == Break::Document;
        let mut start = 0;
        for at in (0..tokens.len()).filter(opens).chain([tokens.len()]) {
            self.votes.take(tokens, start..at, !self.request.marks.is_empty());
            self.voting.count(&mut self.votes, self.request, false, out)?;
            if at < tokens.len() {
                self.finish(out)?;
            }
            start = at;
        }
        match end {
            Boundary::None | Boundary::Line => {}
            Boundary::Force => {
                self.guess(out)?;
                self.votes.forced = self.votes.words.len();
            }
            Boundary::Reset => self.finish(out)?,
        }
        Ok(())
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        self.voting.count(&mut self.votes.clone(), self.request, true, out)
    }
}

impl VotingSession<'_> {
    /// Appends the choices for the remaining words of the text to `out`, and resets the ballot.
    fn finish(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        self.voting.count(&mut self.votes, self.request, true, out)?;
        self.votes = Ballot::default();
        Ok(())
    }
}

/// The number of windows that a method reads in one call.
const TOGETHER: usize = 64;

impl Voting {
    /// Reads the windows that are complete, or all if the text has `ended`, and appends the choices
    /// for the words that no later window contains.
    fn count(
        &self,
        votes: &mut Ballot,
        request: Request,
        has_ended: bool,
        out: &mut Vec<Choice>,
    ) -> Result<()> {
        let VotingOptions { window, step, end_threshold } = self.options;
        // Sentence ends decide which windows agree about the case of a word.
        let asked = Request {
            sentence_ends: request.sentence_ends || self.labels().ends_sentences(),
            predictions: NonZeroUsize::MIN,
            mark_threshold: None,
            shown_capitals: false,
            ..request
        };
        let is_silent = request.marks.is_empty() && !request.sentence_ends;
        let len = votes.tokens.len();
        let mut start = 0;
        let mut is_over = false;
        while !is_over {
            let (mut positions, mut windows) = (Vec::new(), Vec::new());
            // A window is read once it is known that a word follows its last word.
            let is_complete = |start| start + window.get() < len || has_ended && start < len;
            while windows.len() < TOGETHER && !is_over && is_complete(start) {
                let end = (start + window.get()).min(len);
                positions.push(start..end);
                windows.push(votes.window(start..end));
                is_over = end == len;
                start += step.get();
            }
            is_over |= windows.is_empty();
            let choices = self.method.restore_batch(&windows, asked)?;
            for (position, choices) in positions.into_iter().zip(&choices) {
                votes.add(position.start, choices, position.end == len);
            }
        }
        let done = if has_ended { len } else { start };
        for _ in 0..done {
            if let Some(mut choice) = votes.decide(end_threshold, request) {
                choice.label.mark = if is_silent { Mark::None } else { choice.label.mark };
                out.push(choice);
            }
        }
        votes.drop_tokens(done);
        Ok(())
    }
}

/// The words that at least one more window has to read, and the votes on them.
#[derive(Debug, Clone, Default)]
struct Ballot {
    tokens: Tokens,
    words: VecDeque<VotedWord>,
    /// True if the text has earlier words.
    has_begun: bool,
    /// True if a sentence ended with the last decided word.
    ended: bool,
    /// The number of next words whose choices were already returned at a `Boundary::Force`.
    forced: usize,
}

/// A word, and the votes on it.
#[derive(Debug, Clone, Default)]
struct VotedWord {
    /// True if the windows see that a sentence begins with the word.
    starts: bool,
    /// The mark that the text has before the word, and whether a sentence ends with it.
    gap: Option<(Mark, bool)>,
    cases: Vec<CaseVotes>,
    marks: Vec<(Mark, usize)>,
}

/// The windows that choose the same case for a word and agree whether a sentence begins with it.
#[derive(Debug, Clone)]
struct CaseVotes {
    begins: bool,
    case: Case,
    windows: usize,
    /// The sum of the windows' probabilities of this case, if the method has probabilities.
    confidence: Option<f32>,
}

impl Ballot {
    fn take(&mut self, tokens: &Tokens, words: Range<usize>, hides_marks: bool) {
        let from = self.tokens.len();
        self.tokens.extend(tokens, words);
        for token in &mut self.tokens.as_mut_slice()[from..] {
            let gap = token.gap.filter(|_| hides_marks).map(|mark| (mark, token.follows_end()));
            if hides_marks {
                (token.gap, token.opening) = (None, None);
                token.starts &= token.before >= Break::Turn;
            }
            self.words.push_back(VotedWord { starts: token.starts, gap, ..VotedWord::default() });
        }
    }

    /// Returns a window of the words as a text that continues earlier words, if there are any.
    fn window(&self, position: Range<usize>) -> Tokens {
        let is_cut = self.has_begun || position.start > 0;
        let mut window = Tokens::new();
        window.extend(&self.tokens, position);
        if let Some(first) =
            window.as_mut_slice().first_mut().filter(|first| is_cut && first.before < Break::Turn)
        {
            (first.before, first.gap) = (Break::Space, None);
        }
        window
    }

    /// Adds the votes of the window that begins at `start`.
    fn add(&mut self, start: usize, choices: &[Choice], is_last: bool) {
        let is_cut = self.has_begun || start > 0;
        let mut ended = false;
        for (at, choice) in choices.iter().enumerate() {
            let Some(word) = self.words.get_mut(start + at) else { return };
            // The beginning of a window may look like a sentence start, and its end like a sentence
            // end.
            if at > 0 || !is_cut {
                word.add_case(ended || word.starts, choice);
            }
            if at + 1 < choices.len() || is_last {
                word.add_mark(choice.label.mark);
            }
            ended = choice.label.mark.ends_sentence();
        }
    }

    /// Decides the next word; `None` if its choice was already returned at a `Boundary::Force`.
    fn decide(&mut self, end_threshold: f32, request: Request) -> Option<Choice> {
        let word = self.words.pop_front()?;
        let given = self.words.front().and_then(|next| next.gap);
        let (mark, mark_confidence) = match given {
            Some((mark, _)) => (mark, Some(1.0)),
            None => request.decided(word.mark(end_threshold), |mark| word.mark_share(mark)),
        };
        let mark_confidence = mark_confidence.filter(|_| request.confidence && !request.marks.is_empty());
        let (case, confidence) = word.case(self.ended || word.starts);
        self.ended = given.map_or(mark.ends_sentence(), |(_, ends)| ends);
        match self.forced.checked_sub(1) {
            Some(forced) => {
                self.forced = forced;
                None
            }
            None => Some(Choice { confidence, mark_confidence, ..Label { case, mark }.into() }),
        }
    }

    fn drop_tokens(&mut self, count: usize) {
        if count > 0 {
            let mut rest = Tokens::new();
            rest.extend(&self.tokens, count..self.tokens.len());
            self.tokens = rest;
            self.has_begun = true;
        }
    }
}

impl VotedWord {
    fn add_case(&mut self, begins: bool, choice: &Choice) {
        let case = choice.label.case;
        let same = |votes: &&mut CaseVotes| votes.begins == begins && votes.case == case;
        match self.cases.iter_mut().find(same) {
            Some(votes) => {
                votes.windows += 1;
                votes.confidence = votes.confidence.zip(choice.confidence).map(|(sum, one)| sum + one);
            }
            None => self.cases.push(CaseVotes { begins, case, windows: 1, confidence: choice.confidence }),
        }
    }

    fn add_mark(&mut self, mark: Mark) {
        match self.marks.iter_mut().find(|(other, _)| *other == mark) {
            Some((_, votes)) => *votes += 1,
            None => self.marks.push((mark, 1)),
        }
    }

    /// Returns the mark after the word. Whether a sentence ends after the word is decided first.
    fn mark(&self, end_threshold: f32) -> Mark {
        let votes = |ends: bool| self.marks.iter().filter(move |(mark, _)| mark.ends_sentence() == ends);
        let [ends, others] = [true, false].map(|ends| votes(ends).map(|(_, votes)| votes).sum::<usize>());
        let is_end = ends as f32 > end_threshold * (ends + others) as f32;
        let most = votes(is_end).max_by_key(|(mark, votes)| (*votes, Reverse(*mark)));
        most.map_or(Mark::None, |(mark, _)| *mark)
    }

    /// Returns the fraction of the windows that choose a mark after the word.
    fn mark_share(&self, mark: Mark) -> f32 {
        let votes = |is_same: &dyn Fn(Mark) -> bool| {
            self.marks.iter().filter(|(mark, _)| is_same(*mark)).map(|(_, votes)| votes).sum::<usize>() as f32
        };
        votes(&|other| other == mark) / votes(&|_| true).max(1.0)
    }

    /// Returns the most frequent case among the windows that agree with `begins`, and the mean of
    /// their probabilities of this case.
    fn case(&self, begins: bool) -> (Case, Option<f32>) {
        let is_found = self.cases.iter().any(|votes| votes.begins == begins);
        let votes = || self.cases.iter().filter(|votes| !is_found || votes.begins == begins);
        let all: usize = votes().map(|votes| votes.windows).sum();
        let most = votes().rev().max_by_key(|votes| votes.windows);
        most.map_or((Case::default(), None), |most| {
            (most.case, most.confidence.map(|sum| (sum / all as f32).min(1.0)))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use majuscule_text::{CapitalBalance, Class, Locale, MarkSet, Token};

    /// A method that ends a sentence after the last word of a text, and after a word with an `e` if
    /// there are two words before it. A sentence begins in title case, and words with an `n` are in
    /// capitals after it.
    struct Fake(Labels);

    #[derive(Default)]
    struct FakeSession(Vec<(String, Token)>);

    impl Restorer for Fake {
        fn labels(&self) -> &Labels {
            &self.0
        }

        fn look_ahead(&self) -> Option<usize> {
            None
        }

        fn session(&self, _: Request) -> Box<dyn Session + '_> {
            Box::<FakeSession>::default()
        }
    }

    impl Session for FakeSession {
        fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            self.0.extend(tokens.iter().map(|(lower, token)| (lower.to_owned(), token.clone())));
            if end == Boundary::Reset {
                let words = std::mem::take(&mut self.0);
                let mut begins = words.first().is_some_and(|(_, first)| first.before == Break::Document);
                for (at, (lower, _)) in words.iter().enumerate() {
                    let ends = at + 1 == words.len() || at > 1 && lower.contains('e');
                    let mark = if ends { Mark::Period } else { Mark::None };
                    let case = match () {
                        () if begins => Case::Title,
                        () if lower.contains('n') => Case::Upper,
                        () => Case::Lower,
                    };
                    out.push(Choice { confidence: Some(0.5), ..Label { case, mark }.into() });
                    begins = ends;
                }
            }
            Ok(())
        }
    }

    fn model(window: usize, step: usize, end_threshold: f32) -> Voting {
        let [window, step] = [window, step].map(|words| NonZeroUsize::new(words).unwrap());
        let labels =
            [Mark::None, Mark::Period].into_iter().flat_map(|mark| Class::ALL.map(|class| (class, mark)));
        let method = Arc::new(Fake(Labels::new(labels)));
        Voting { method, options: VotingOptions { window, step, end_threshold } }
    }

    const ASKED: Request = Request {
        marks: MarkSet::USUAL,
        confidence: true,
        sentence_ends: false,
        cases: true,
        mark_threshold: None,
        starts: majuscule_text::restorer::SentenceStarts::Predicted,
        capitals: CapitalBalance::Balanced,
        shown_capitals: true,
        look_ahead: None,
        predictions: NonZeroUsize::MIN,
        threads: NonZeroUsize::MIN,
    };

    fn shown(tokens: &Tokens, choices: &[Choice]) -> String {
        let word = |((lower, _), choice): ((&str, _), &Choice)| {
            let mark = choice.label.mark.character().map_or(String::new(), String::from);
            choice.label.case.applied(lower, Locale::Root) + &mark
        };
        tokens.iter().zip(choices).map(word).collect::<Vec<_>>().join(" ")
    }

    fn restored(voting: &Voting, tokens: &Tokens) -> Vec<Choice> {
        voting.restore_batch(std::slice::from_ref(tokens), ASKED).unwrap().remove(0)
    }

    fn words(text: &str) -> Tokens {
        Tokens::of_words(text.split(' '), Locale::Root)
    }

    #[test]
    fn a_sentence_ends_where_enough_windows_say_so() {
        // Windows of four words, one word apart: `he` is the first, the second, the third and the
        // last word of four windows. The third ends a sentence, and the last does not count.
        let text = words("it is so to he can now go on");
        let ended = "It is so to he. Can NOW go ON.";
        assert_eq!(shown(&text, &restored(&model(4, 1, 0.3), &text)), ended);
        assert_eq!(shown(&text, &restored(&model(4, 1, 0.4), &text)), "It is so to he CAN NOW go ON.");
        // The window that ends a sentence before `can` decides its case.
        assert!(restored(&model(4, 1, 0.3), &text).iter().all(|choice| choice.confidence == Some(0.5)));
        // Windows of six words, three words apart: `he` is the second word of one and the fifth of
        // another.
        assert_eq!(shown(&text, &restored(&model(6, 3, 0.4), &text)), ended);
        assert_eq!(shown(&text, &restored(&model(6, 3, 0.5), &text)), "It is so to he CAN NOW go ON.");
    }

    #[test]
    fn the_probability_of_a_mark_is_the_share_of_the_windows_that_put_it() {
        let text = words("it is so to he can now go on");
        let found = |mark_threshold| {
            let request = Request { mark_threshold, ..ASKED };
            model(4, 1, 0.3).restore_batch(std::slice::from_ref(&text), request).unwrap().remove(0)
        };
        let he = |choices: &[Choice]| (choices[4].label.mark, choices[4].mark_confidence);
        assert_eq!(he(&found(None)), (Mark::Period, Some(1.0 / 3.0)));
        assert_eq!(he(&found(Some(0.4))), (Mark::None, Some(2.0 / 3.0)));
        assert_eq!(found(Some(0.4))[5].label.case, Case::Upper);
    }

    #[test]
    fn a_text_of_one_window_is_restored_as_without_windows() {
        let text = words("it is he now");
        let voting = model(4, 1, 0.1);
        let plain = voting.method.restore_batch(std::slice::from_ref(&text), ASKED).unwrap().remove(0);
        let found = restored(&voting, &text);
        let without = found.iter().map(|choice| Choice { mark_confidence: None, ..*choice });
        assert_eq!(without.collect::<Vec<_>>(), plain);
    }

    #[test]
    fn marks_of_the_text_stand_and_change_no_vote() {
        let voting = model(4, 1, 0.3);
        let text = words("it is so to he can now go on");
        let mut marked = text.clone();
        for (at, gap) in [(3, Mark::Comma), (5, Mark::Period), (7, Mark::None)] {
            marked.as_mut_slice()[at].gap = Some(gap);
            marked.as_mut_slice()[at].starts = gap.ends_sentence();
        }
        assert_eq!(shown(&text, &restored(&voting, &marked)), "It is so, to he. Can NOW go ON.");
    }

    #[test]
    fn without_marks_or_sentence_ends_asked_for_the_answer_has_cases_alone() {
        let text = words("it is so to he can now go on");
        let choices =
            model(4, 1, 0.3).restore_batch(std::slice::from_ref(&text), Request::default()).unwrap();
        assert_eq!(shown(&text, &choices[0]), "It is so to he Can NOW go ON");
    }

    #[test]
    fn windows_that_do_not_overlap_and_thresholds_that_are_no_shares_are_refused() {
        let refused = |window: usize, step: usize, end_threshold: f32| {
            model(window, step, end_threshold).options.check().err().map(|error| error.to_string())
        };
        assert!(refused(200, 200, 0.1).unwrap().contains("windows of 200 words, each 200 after"));
        assert!(refused(1, 1, 0.1).is_some() && refused(2, 1, 0.1).is_none());
        for wrong in [-0.1, 1.1, f32::NAN] {
            assert!(refused(200, 1, wrong).unwrap().contains("expected a fraction from 0 to 1"));
        }
    }

    proptest! {
        #[test]
        fn the_cuts_of_a_text_change_nothing(
            text in prop::collection::vec("[aen]{1,2}", 1..40),
            (window, step) in (2usize..9).prop_flat_map(|window| (Just(window), 1..window)),
            cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..6),
        ) {
            let voting = model(window, step, 0.3);
            let text = words(&text.join(" "));
            let whole = restored(&voting, &text);
            prop_assert_eq!(whole.len(), text.len());
            let mut cuts: Vec<(usize, bool)> = cuts.iter().map(|(cut, force)| (cut.index(text.len()), *force)).collect();
            cuts.sort_unstable();
            let mut session = voting.session(ASKED);
            let (mut out, mut from, mut forced) = (Vec::new(), 0, 0..0);
            for (to, force) in cuts.into_iter().chain([(text.len(), false)]) {
                let mut part = Tokens::new();
                part.extend(&text, from..to);
                let end = match () {
                    () if to == text.len() => Boundary::Reset,
                    () if force => Boundary::Force,
                    () => Boundary::None,
                };
                session.push(&part, end, &mut out).unwrap();
                if end == Boundary::Force {
                    prop_assert_eq!(out.len(), to);
                    forced.end = to;
                }
                prop_assert!(out.len() + window >= to);
                from = to;
            }
            prop_assert_eq!(out.len(), text.len());
            if forced.is_empty() {
                prop_assert_eq!(out, whole);
            } else {
                prop_assert_eq!(&out[forced.end..], &whole[forced.end..]);
            }
        }
    }
}
