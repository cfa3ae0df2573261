//! Finds the punctuation marks after words together with the forms of the words. The marks are
//! hidden events between the words (Stolcke & Shriberg 1996).
//!
//! A mark is a word of the language model, and there is at most one between two words. The search
//! has a position for each word and one for each gap between two words. Marks of the text count as
//! if they had been inserted: the best path through a text stays the best one if its marks are
//! given. A probability threshold drops some marks of the best path, so with a threshold the marks
//! are decided one after another.
//!
//! A model that knows marks looks for them even if none are requested, since they show where
//! sentences begin. If the text itself shows its sentence starts, such a search adds no other
//! starts.

use std::collections::VecDeque;

use super::candidates::{Candidates, FormCandidate};
use super::session::{choice, ranked};
use crate::gaps::MarkCosts;
use crate::sentence_starts::{BoundaryEvidence, MarkedStarts};
use majuscule_base::error::Result;
use majuscule_lm::WordId;
use majuscule_lm::search::{Answer, BestPathSearch, Scorer};
use majuscule_text::restorer::{Boundary, Labelling, Request, SentenceStarts, Session};
use majuscule_text::{Break, Case, Choice, Label, Mark, MarkSet, Token, Tokens};

/// The marks that a session chooses from, and the marks in its answers.
#[derive(Debug)]
pub struct AskedMarks {
    /// The requested marks that the model knows.
    asked: MarkSet,
    /// The marks of the model, and the gap candidate of each.
    known: Vec<(Mark, GapHypothesis)>,
}

/// A hypothesis about the gap between two words.
#[derive(Debug, Clone, Copy)]
pub struct GapHypothesis {
    /// The mark in the answer.
    mark: Mark,
    /// The word of the language model, if there is a mark.
    word: Option<FormCandidate>,
    /// True if a sentence ends in the gap.
    ends: bool,
}

impl AskedMarks {
    /// Returns the marks of a model and a request; `None` if the model knows none.
    pub fn asked(
        known: MarkSet,
        costs: MarkCosts,
        candidates: &Candidates<'_>,
        request: Request,
    ) -> Option<Self> {
        let asked = known.and(request.marks);
        let gap = |mark: Mark, skips: u8| {
            let shown = mark.within(asked);
            let cost = if mark.ends_sentence() { costs.end_cost } else { costs.mark_cost }.ln();
            let word = mark
                .character()
                .map_or(WordId::UNKNOWN, |mark| candidates.vocabulary.id(mark.encode_utf8(&mut [0; 4])));
            let word = FormCandidate { word, case: Case::Lower, cost, opens: false, skips };
            let ends = mark.ends_sentence() || shown.ends_sentence();
            (mark, GapHypothesis { mark: shown, word: Some(word), ends })
        };
        let gaps = known.iter().flat_map(|mark| (0..=candidates.skips).map(move |skips| gap(mark, skips)));
        (!known.is_empty()).then(|| Self { asked, known: gaps.collect() })
    }

    /// Writes to `out` the candidates for a gap of the text, except the marks in `refused`. An end
    /// of a sentence that the text does not show is a candidate only if `can_end`.
    fn between(&self, gap: Option<GivenMark>, refused: MarkSet, can_end: bool, out: &mut Vec<WordOrGap>) {
        out.clear();
        let nearest = |mark: Mark| mark.within(self.known.iter().map(|(mark, _)| *mark).collect());
        let known = self.known.iter().filter(|(mark, possible)| match gap {
            None => !refused.has(possible.mark) && (can_end || !possible.ends),
            Some(given) if self.asked.has(given.mark) => possible.mark == given.mark,
            Some(given) => *mark == nearest(given.mark) && possible.ends == given.ends,
        });
        let ends = gap.map(|given| given.ends);
        let shown = |gap: &GapHypothesis| GapHypothesis { ends: ends.unwrap_or(gap.ends), ..*gap };
        out.extend(known.map(|(_, gap)| WordOrGap::Gap(shown(gap))));
        if out.is_empty() || gap.is_none() {
            let ends = ends.unwrap_or_default();
            out.insert(0, WordOrGap::Gap(GapHypothesis { mark: Mark::None, word: None, ends }));
        }
    }

    /// Writes to `out` the candidate for the end of a text: an end of a sentence.
    fn at_end(&self, out: &mut Vec<WordOrGap>) {
        out.clear();
        out.extend(self.known.iter().filter(|(_, gap)| gap.ends).map(|(_, gap)| WordOrGap::Gap(*gap)));
        if out.is_empty() {
            out.push(WordOrGap::Gap(GapHypothesis { mark: Mark::None, word: None, ends: true }));
        }
    }
}

/// A mark of the text.
#[derive(Debug, Clone, Copy)]
struct GivenMark {
    mark: Mark,
    /// True if a sentence ends with it.
    ends: bool,
}

/// A candidate of a position: a form of a word, or the content of the gap between two words.
#[derive(Debug, Clone, Copy)]
enum WordOrGap {
    /// A form, and its case if it begins a sentence.
    Word(FormCandidate, Case),
    Gap(GapHypothesis),
}

impl WordOrGap {
    /// Returns the case of a word; `begins` is true if a sentence begins with it.
    fn case(&self, begins: bool) -> Case {
        match *self {
            Self::Word(_, begun) if begins => begun,
            Self::Word(form, _) => form.case,
            Self::Gap(_) => Case::Lower,
        }
    }

    /// Returns true for a gap with this mark.
    fn is_gap(&self, mark: Mark) -> bool {
        matches!(self, Self::Gap(gap) if gap.mark == mark)
    }
}

/// Adapts a scorer of forms so that it scores forms and gaps.
#[derive(Debug)]
struct EventScorer<S>(S);

impl<S: Scorer<Candidate = FormCandidate>> Scorer for EventScorer<S> {
    type State = S::State;
    type Candidate = WordOrGap;

    fn start(&self) -> S::State {
        self.0.start()
    }

    #[inline]
    fn step(&self, at: usize, state: S::State, next: WordOrGap) -> (f32, S::State) {
        match next {
            WordOrGap::Word(form, _) => self.0.step(at, state, form),
            WordOrGap::Gap(gap) => {
                let (cost, state) = gap.word.map_or((0.0, state), |word| self.0.step(at, state, word));
                if gap.ends { (cost + self.0.finish(state), self.0.start()) } else { (cost, state) }
            }
        }
    }

    /// A text ends with a gap, whose cost contains the cost of the end.
    fn finish(&self, _: S::State) -> f32 {
        0.0
    }
}

/// The number of positions after which the session looks again for answers that are certain.
const BETWEEN_LOOKS: usize = 32;

/// The look-ahead, in words, of a request that has a threshold for marks but sets no look-ahead.
const UNDER_THRESHOLD: usize = 8;

/// A session over one text that finds marks.
#[derive(Debug)]
pub struct EventSession<'a, S: Scorer<Candidate = FormCandidate>> {
    candidates: Candidates<'a>,
    marks: AskedMarks,
    search: BestPathSearch<EventScorer<S>>,
    look_ahead: Option<usize>,
    /// True if gaps are decided one after another, with a limited look-ahead.
    decides: bool,
    forms: Vec<FormCandidate>,
    column: Vec<WordOrGap>,
    after_capitals: bool,
    /// The sentence starts that the text shows.
    marked: MarkedStarts,
    /// The marks that cannot be inserted after the last word.
    refused: MarkSet,
    /// The number of positions since the beginning of the text.
    positions: usize,
    /// With a limited look-ahead, the marks of the text in the pending gaps. A mark counts only
    /// once its gap is decided, because an inserted mark is not known earlier either.
    given: VecDeque<Option<GivenMark>>,
    answers: EventAnswers,
}

/// Joins the answers for words with the answers for the gaps after them.
#[derive(Debug, Clone, Default)]
struct EventAnswers {
    /// The choice for the last word, whose gap is not answered yet.
    word: Option<Choice>,
    request: Request,
    /// The number of upcoming choices that a forced boundary has already returned.
    forced: usize,
    /// True if the next word begins a sentence.
    begins: bool,
}

impl EventAnswers {
    /// Records the answer for a word or a gap. `decided` is the mark of the gap and its
    /// probability, if they are decided already.
    fn take(
        &mut self,
        answer: &Answer<'_, WordOrGap>,
        decided: Option<(Mark, Option<f32>)>,
        out: &mut Vec<Choice>,
    ) {
        match answer.candidates[answer.best] {
            WordOrGap::Word(..) => {
                let begins = std::mem::take(&mut self.begins);
                self.word = Some(choice(answer, |event| event.case(begins)));
            }
            WordOrGap::Gap(gap) => {
                let fraction = |mark| answer.fraction(|event| event.is_gap(mark)).unwrap_or_default();
                let decided = decided.unwrap_or_else(|| self.request.decided(gap.mark, fraction));
                self.begins = gap.ends && decided.0 == gap.mark;
                // If no marks are requested, the answer only shows that a sentence ends.
                let is_end = gap.ends && self.request.sentence_ends && self.request.marks.is_empty();
                self.end_word(if is_end { (Mark::SentenceEnd, None) } else { decided }, out);
            }
        }
    }

    /// Writes the choice for the last word, with the mark after it and the mark's probability.
    fn end_word(&mut self, (mark, confidence): (Mark, Option<f32>), out: &mut Vec<Choice>) {
        let Some(mut choice) = self.word.take() else { return };
        choice.label.mark = mark;
        choice.mark_confidence =
            confidence.filter(|_| self.request.confidence && !self.request.marks.is_empty());
        choice.confidence = choice.confidence.filter(|_| self.request.confidence);
        match self.forced.checked_sub(1) {
            Some(forced) => self.forced = forced,
            None => out.push(choice),
        }
    }
}

impl<'a, S: Scorer<Candidate = FormCandidate>> EventSession<'a, S> {
    /// Starts a text.
    pub fn new(candidates: Candidates<'a>, marks: AskedMarks, scorer: S, request: Request) -> Self {
        let look_ahead = match request.mark_threshold {
            Some(_) => Some(request.look_ahead.unwrap_or(UNDER_THRESHOLD)),
            None => request.look_ahead,
        };
        Self {
            candidates,
            marks,
            search: BestPathSearch::new(EventScorer(scorer), None, request.needs_mark_confidence()),
            look_ahead,
            decides: look_ahead.is_some_and(|look_ahead| look_ahead > 0),
            forms: Vec::new(),
            column: Vec::new(),
            after_capitals: false,
            marked: MarkedStarts::default(),
            refused: MarkSet::NONE,
            positions: 0,
            given: VecDeque::new(),
            answers: EventAnswers { request, ..EventAnswers::default() },
        }
    }

    fn take(&mut self, lower: &str, token: &Token, out: &mut Vec<Choice>) {
        if self.gap_before(token) {
            self.finish(out);
            self.answers.begins = true;
        } else if self.positions > 0 {
            self.push(out);
        }
        self.word(lower, token);
        self.push(out);
        match self.look_ahead {
            None if self.positions % BETWEEN_LOOKS == 1 => {
                let answers = &mut self.answers;
                self.search.settle(&mut |answer| answers.take(&answer, None, out));
            }
            None => {}
            Some(0) => {
                let answers = &mut self.answers;
                self.search.answer_all(&mut |answer| answers.take(&answer, None, out));
                self.answers.end_word((Mark::None, Some(1.0)), out);
            }
            Some(look_ahead) => {
                while self.search.pending() > 2 * look_ahead {
                    self.decide(out);
                }
            }
        }
    }

    /// Finds the candidates for the gap before a word. Returns true if a text ends there.
    fn gap_before(&mut self, token: &Token) -> bool {
        if token.before == Break::Document {
            self.marked = MarkedStarts::default();
        }
        let evidence = self.marked.take(token, token.starts);
        if matches!(token.before, Break::Turn | Break::Paragraph | Break::Document) {
            self.marks.at_end(&mut self.column);
            return true;
        }
        let starts = token.starts.then_some(Mark::SentenceEnd);
        let closed = (token.before == Break::None).then_some(Mark::None);
        // A mark is not inserted before the next word is known.
        let unseen = (self.look_ahead == Some(0)).then_some(Mark::None);
        let gap = token.gap.or(starts).or(closed).or(unseen);
        let gap = gap.map(|mark| GivenMark { mark, ends: token.follows_end() });
        let given = gap.filter(|given| self.decides && self.marks.asked.has(given.mark));
        if self.decides && self.positions > 0 {
            self.given.push_back(given);
        }
        let (gap, refused) = if given.is_some() { (None, MarkSet::NONE) } else { (gap, self.refused) };
        let is_predicted = self.answers.request.starts >= SentenceStarts::Predicted;
        let can_end = !self.marks.asked.is_empty() || is_predicted && evidence == BoundaryEvidence::Nothing;
        self.marks.between(gap, refused, can_end, &mut self.column);
        false
    }

    /// Finds the forms of a word.
    fn word(&mut self, lower: &str, token: &Token) {
        self.refused = token.refused();
        let token = Token { before: Break::Space, ..token.clone() };
        self.candidates.of(lower, &token, self.after_capitals, &mut self.forms);
        self.after_capitals = self.candidates.all_capitals(lower, &self.forms);
        self.column.clear();
        let title = self.candidates.title(lower);
        let begun = |form: &FormCandidate| if form.case == Case::Lower { title } else { form.case };
        self.column.extend(self.forms.iter().map(|form| WordOrGap::Word(*form, begun(form))));
    }

    /// Passes the candidates of the next position to the search.
    fn push(&mut self, out: &mut Vec<Choice>) {
        self.positions += 1;
        let (column, answers) = (self.column.iter().copied(), &mut self.answers);
        match self.decides {
            false => self.search.push(column, &mut |answer| answers.take(&answer, None, out)),
            true => self.search.hold(column),
        }
    }

    /// Decides the first pending word and the gap after it, and forgets all other possibilities.
    fn decide(&mut self, out: &mut Vec<Choice>) {
        let given = self.given.pop_front().flatten();
        let decided = match (given, self.search.best_at(1)) {
            (Some(given), _) => (given.mark, Some(1.0)),
            (None, Some(WordOrGap::Gap(gap))) => {
                self.search.find_posteriors(2);
                let fraction = |mark| self.search.share_at(1, |event| event.is_gap(mark)).unwrap_or_default();
                self.answers.request.decided(gap.mark, fraction)
            }
            (None, _) => (Mark::None, None),
        };
        self.search.restrict(1, |event| event.is_gap(decided.0));
        let answers = &mut self.answers;
        self.search.answer_first(2, &mut |answer| answers.take(&answer, Some(decided), out));
        if let Some(given) = given {
            answers.begins = given.ends;
        }
    }

    fn finish(&mut self, out: &mut Vec<Choice>) {
        if self.positions > 0 {
            self.marks.at_end(&mut self.column);
            self.push(out);
        }
        while self.decides && self.search.pending() > 0 {
            self.decide(out);
        }
        let answers = &mut self.answers;
        self.search.finish(&mut |answer| answers.take(&answer, None, out));
        self.given.clear();
        self.answers.begins = false;
        self.positions = 0;
        self.after_capitals = false;
    }
}

impl<S: Scorer<Candidate = FormCandidate> + Send> Session for EventSession<'_, S> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        for (lower, token) in tokens.iter() {
            self.take(lower, token, out);
        }
        match end {
            Boundary::None | Boundary::Line => {}
            Boundary::Force => {
                let before = out.len();
                self.guess(out)?;
                self.answers.forced += out.len() - before;
            }
            Boundary::Reset => {
                self.finish(out);
                self.marked = MarkedStarts::default();
            }
        }
        Ok(())
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        let mut answers = self.answers.clone();
        self.search.guess(&mut |answer| answers.take(&answer, None, out));
        answers.end_word((Mark::None, Some(1.0)), out);
        Ok(())
    }
}

/// Returns the `n` most likely labellings of a sentence, each with its most likely hidden marks.
pub fn n_best<S: Scorer<Candidate = FormCandidate>>(
    candidates: Candidates<'_>,
    marks: AskedMarks,
    scorer: S,
    sentence: &Tokens,
    n: usize,
) -> Vec<Labelling> {
    let mut session = EventSession::new(candidates, marks, scorer, Request::default());
    let mut positions = Vec::new();
    for (lower, token) in sentence.iter() {
        if session.gap_before(token) {
            session.after_capitals = false;
        }
        if !positions.is_empty() {
            positions.push(std::mem::take(&mut session.column));
        }
        session.word(lower, token);
        positions.push(std::mem::take(&mut session.column));
    }
    session.marks.at_end(&mut session.column);
    positions.push(session.column);
    let opens = sentence.as_slice().first().is_some_and(|first| first.before >= Break::Turn);
    let labels = |path: &[usize]| {
        let mut begins = opens;
        let mut labels = Vec::with_capacity(sentence.len());
        for (&at, column) in path.iter().zip(&positions) {
            match column[at] {
                WordOrGap::Gap(gap) => begins = gap.ends,
                word => labels.push(Label::from(word.case(begins))),
            }
        }
        labels
    };
    ranked(session.search.scorer(), &positions, n, labels)
}
