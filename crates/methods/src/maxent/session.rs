//! Restores words as they arrive: sums the weights of the features around each word, and distinguishes
//! sentence-initial capitals from capitals of the word itself.

use std::collections::VecDeque;

use super::boundary::BoundaryModel;
use super::case_decider::{CaseDecider, NEVER, TITLE, UPPER};
use super::filling::Values;
use super::line_evidence::LineEvidence;
use super::marks::{MarkBounds, MarkHistory, MarkModel, MarkOdds, PairSums, exceeds};
use super::observe::{Observer, WordFeatures};
use super::openings::OpeningModel;
use super::table::TableReader;
use super::templates::{BEGUN, NO_WORD, PREVIOUS};
use super::weights::WeightReader;
use super::{Logits, Maxent, WORD, profile};
use crate::gaps::ShownGap;
use crate::sentence_starts::{BoundaryEvidence, Opening, RARE_CAPITAL, odds_by_capital};
use majuscule_base::error::Result;
use majuscule_text::restorer::{Boundary, Request, SentenceStarts, Session};
use majuscule_text::{Break, Case, Choice, Class, Constraint, Label, Mark, MarkSet, Token, Tokens};

/// The number of words that are looked up together.
const AT_ONCE: usize = 32;

/// A word that waits for its right context.
#[derive(Debug, Default)]
struct WaitingWord {
    lower: String,
    seen: WordFeatures,
    logits: Logits,
    constraint: Constraint,
    shown: BoundaryEvidence,
    /// True if a line ended before the word.
    opens_line: bool,
    /// True if a cue ended before the word.
    opens_cue: bool,
    /// True if the word has a capital in the source that only a sentence start explains.
    shows_start: bool,
    /// The gap before the word.
    gap: ShownGap,
    /// The opening before the word: see [`Token::opening`].
    opening: Option<Mark>,
    /// The mark right after the word.
    right: Mark,
    /// The marks that cannot be inserted after the word.
    refused: MarkSet,
}

impl WaitingWord {
    /// Returns true if the word has a capital in the source that it mostly lacks inside sentences, as in a
    /// title.
    fn has_odd_capital(&self) -> bool {
        self.constraint.has_capital() && profile::likely_case(self.seen.profile).is_none()
    }
}

/// The state after the previous words, which were answered or guessed.
#[derive(Debug, Clone, Copy)]
struct AnswerHistory {
    /// The distribution over the distance to the last sentence start.
    chain: BoundaryModel,
    /// The probabilities that the previous word had each class, that it began a sentence, and that there
    /// was no previous word.
    before: [f32; PREVIOUS],
    lines: LineEvidence,
    cues: LineEvidence,
    /// The number of words of the line so far.
    line_words: u32,
    /// The marks so far; `begins` is true if they end a sentence before the next word.
    marks: MarkHistory,
    begins: bool,
    /// The mark whose opening came before in the sentence.
    opened: Mark,
    /// True if a word came before, in a text in which no marks are requested.
    has_word: bool,
}

impl Default for AnswerHistory {
    fn default() -> Self {
        let mut before = [0.0; PREVIOUS];
        before[NO_WORD] = 1.0;
        Self {
            chain: BoundaryModel::default(),
            before,
            lines: LineEvidence::of_lines(),
            cues: LineEvidence::of_cues(),
            line_words: 0,
            marks: MarkHistory::default(),
            begins: false,
            opened: Mark::None,
            has_word: false,
        }
    }
}

impl AnswerHistory {
    /// Processes the mark after a word; `ends` is true if a sentence ends with it.
    fn mark(&mut self, mark: Mark, ends: bool) {
        self.marks.mark(mark);
        self.begins = ends;
        if self.begins {
            self.opened = Mark::None;
        }
    }

    /// Returns true if a word is one of the first words of a line, but not the very first, and the line may
    /// be a sentence. A sentence start at the word is then doubtful, since most sentences are longer than
    /// the words before it.
    fn is_early(&self, opens_line: bool) -> bool {
        !opens_line && self.line_words <= EARLY && self.lines.may_be_sentences()
    }

    /// Processes the gap before a word in the text, and returns true if a sentence begins with the word.
    fn shows(&mut self, gap: ShownGap) -> bool {
        // The mark that was inserted for a sentence start is known already.
        if let Some(mark) = gap.mark.filter(|_| !(gap.is_forced && self.begins)) {
            self.mark(mark, self.begins || gap.ends);
        }
        self.begins |= gap.opens || gap.ends;
        if self.begins {
            self.opened = Mark::None;
        }
        self.begins
    }
}

/// A text being processed by a model.
#[derive(Debug)]
pub struct MaxentSession<'a> {
    model: &'a Maxent,
    /// The table of the weights of context features.
    weights: WeightReader<'a>,
    /// The table of known words.
    words: TableReader<'a, WORD>,
    request: Request,
    look_ahead: usize,
    /// The words not answered yet, all of one sentence if the text marks sentences.
    waiting: VecDeque<WaitingWord>,
    /// Answered words, whose memory is reused.
    spare: Vec<WaitingWord>,
    /// The features of the waiting words and of the words to their left.
    observer: Observer<'a>,
    /// The features of the next words, and the logits from their own features.
    next: Vec<(WordFeatures, Logits)>,
    /// The state after the answered words; taken out while a word is answered, so that it is never copied.
    history: Option<Box<AnswerHistory>>,
    /// The part that decides cases.
    cases: CaseDecider<'a>,
    /// The part that decides marks, if they are requested, and that helps to predict sentence starts.
    marks: Option<MarkDecider<'a>>,
    /// True if marks are requested.
    puts: bool,
    /// The part that decides openings, if some of its marks are requested.
    openings: Option<&'a OpeningModel>,
    /// The features of context that were looked up, one row per look-up; `gaps` has the features of gaps.
    #[cfg(test)]
    pub rows: Vec<Vec<u64>>,
    #[cfg(test)]
    pub gaps: Vec<Vec<u64>>,
}

/// The part of a session that decides marks.
#[derive(Debug)]
struct MarkDecider<'a> {
    model: &'a MarkModel,
    /// The weights of the pairs of words before a gap.
    pairs: PairSums,
    bounds: MarkBounds,
    values: Values,
}

impl<'a> MarkDecider<'a> {
    fn new(model: &'a MarkModel) -> Self {
        Self { model, pairs: PairSums::default(), bounds: model.bounds(), values: Values::default() }
    }
}

impl<'a> MaxentSession<'a> {
    /// Starts a text.
    pub fn new(model: &'a Maxent, request: Request, look_ahead: usize) -> Self {
        let puts = model.marks.is_some() && !request.marks.is_empty();
        let predicts = matches!(request.starts, SentenceStarts::Predicted | SentenceStarts::EveryLine);
        let marks = model.marks.as_ref().filter(|_| puts || predicts);
        let is_asked_for = |part: &&OpeningModel| !part.settings.marks.and(request.marks).is_empty();
        Self {
            model,
            weights: model.weights.reader(),
            words: model.words.reader(),
            request,
            look_ahead,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            observer: Observer::new(&model.features, &model.gazetteers),
            next: Vec::new(),
            history: None,
            cases: CaseDecider::new(model, &request),
            marks: marks.map(MarkDecider::new),
            puts,
            openings: model.openings.as_ref().filter(is_asked_for),
            #[cfg(test)]
            rows: Vec::new(),
            #[cfg(test)]
            gaps: Vec::new(),
        }
    }
}

impl Session for MaxentSession<'_> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        out.reserve(tokens.len());
        let mut rest = tokens.iter();
        let mut next = std::mem::take(&mut self.next);
        while rest.len() > 0 {
            let words = rest.clone().take(AT_ONCE);
            next.extend(
                words.map(|(lower, token)| {
                    self.model.seen(&self.words, lower, token, &mut self.cases.features)
                }),
            );
            for ((seen, logits), (lower, token)) in next.drain(..).zip(rest.by_ref()) {
                self.take(lower, token, seen, logits, out);
            }
        }
        self.next = next;
        match end {
            Boundary::None | Boundary::Line => {}
            Boundary::Force => {
                while let Some(later) = self.waiting.len().checked_sub(1) {
                    self.answer(later, (later == 0).then_some(false), out);
                }
            }
            Boundary::Reset => {
                self.finish(None, out);
                self.observer.open(Opening::Text);
            }
        }
        Ok(())
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        let mut history = self.history.as_deref().copied().unwrap_or_default();
        for waiting in 0..self.waiting.len() {
            let later = self.waiting.len() - 1 - waiting;
            out.push(self.choose(waiting, later, (later == 0).then_some(false), &mut history));
        }
        Ok(())
    }
}

impl MaxentSession<'_> {
    /// Adds the next word, with its features and the logits from its own features.
    fn take(
        &mut self,
        lower: &str,
        token: &Token,
        seen: WordFeatures,
        logits: Logits,
        out: &mut Vec<Choice>,
    ) {
        let mut starts = token.starts || self.request.starts == SentenceStarts::EveryLine && token.opens;
        let mut seen = seen;
        // A mark before the first word of a text belongs to the previous text.
        let mark = token.gap.filter(|_| token.before != Break::Document);
        let mut gap = ShownGap { mark, ..ShownGap::default() };
        if self.puts {
            gap = ShownGap::before(token, starts);
            (starts, seen.marks) = (false, 0);
        }
        if let Some(opening) = Opening::of(token, starts) {
            self.finish((opening == Opening::Segment).then_some(starts), out);
            self.observer.open(opening);
            if opening == Opening::Text {
                // Nothing of the previous text counts.
                let history = self.history.get_or_insert_default();
                history.lines = LineEvidence::of_lines();
                history.cues = LineEvidence::of_cues();
                history.line_words = 0;
            }
        }
        let mut word = self.spare.pop().unwrap_or_default();
        word.lower.clear();
        word.lower.push_str(lower);
        let shown = match (self.observer.take(lower, token, starts, seen), self.request.starts) {
            (_, SentenceStarts::None) | (BoundaryEvidence::Nothing, SentenceStarts::Marked) => {
                BoundaryEvidence::Inside
            }
            (shown, _) => shown,
        };
        let opens_line = token.before == Break::Line;
        let shows_start = self.puts && token.shows_capital() && profile::start_odds(seen.profile) > 1.0;
        self.waiting.push_back(WaitingWord {
            seen,
            logits,
            constraint: token.constraint,
            shown,
            opens_line,
            opens_cue: token.before == Break::Cue,
            shows_start,
            gap,
            opening: token.opening,
            right: token.right.map_or(Mark::None, Mark::of),
            refused: if self.puts { token.refused() } else { MarkSet::NONE },
            ..word
        });
        if self.waiting.len() > self.look_ahead {
            self.answer(self.look_ahead, None, out);
        }
    }

    /// Returns the choice for a waiting word, with at most `look_ahead` words after it, and turns
    /// `history`, the history of this word, into the history of the next word. `ends` is true if a sentence
    /// ends after the word, and `None` if that is not known.
    fn choose(
        &mut self,
        waiting: usize,
        look_ahead: usize,
        ends: Option<bool>,
        history: &mut AnswerHistory,
    ) -> Choice {
        if self.puts {
            return self.choose_with_marks(waiting, look_ahead, ends, history);
        }
        let WaitingWord { seen, mut logits, constraint, shown, opens_line, gap, .. } = self.waiting[waiting];
        self.sum(self.waiting.len() - waiting, look_ahead, &mut logits);
        let mut fractions = None;
        if self.cases.looks_before {
            fractions = self.cases.look_before(&history.before, seen, &mut logits);
        }
        let position = history.lines.factor(opens_line);
        if shown == BoundaryEvidence::Nothing && position != 1.0 {
            self.cases.add_position(position, &mut logits);
        }
        history.line_words = if opens_line { 1 } else { history.line_words.saturating_add(1) };
        let (begins, mark_before);
        (begins, history.chain, mark_before) = match shown {
            BoundaryEvidence::Nothing => {
                let found = self.cases.begins(&logits, seen, history.chain);
                // The second argument is the probability without the evidence of lines.
                history.lines.take(opens_line, found.0 / (found.0 + (1.0 - found.0) * position));
                // The gap before the word is the gap after the previous word, whose right context has one
                // word more.
                let back = self.waiting.len() - waiting + 1;
                let look_ahead = (look_ahead + 1).min(self.model.settings.look_ahead);
                let both = match history.has_word {
                    true => {
                        self.start_by_marks(back, look_ahead, (found.0, position), gap.mark, &history.marks)
                    }
                    false => None,
                };
                match both {
                    Some((begins, mark)) => (begins, found.1.with_start(begins), mark),
                    None => (found.0, found.1, gap.mark.unwrap_or_default()),
                }
            }
            BoundaryEvidence::Begins => (1.0, BoundaryModel::begun(), Mark::Period),
            BoundaryEvidence::Inside => (0.0, history.chain.inside(), gap.mark.unwrap_or_default()),
        };
        if self.marks.is_some() {
            history.marks.mark(mark_before);
            history.marks.take(&seen);
            history.has_word = true;
        }
        if self.cases.looks_before {
            history.before = self.cases.before(constraint, &logits, fractions, begins);
        }
        let mark = self.mark_after(waiting, look_ahead, ends, history);
        let (case, confidence) = match constraint {
            Constraint::Fixed(case) => (case, self.request.confidence.then_some(1.0)),
            _ => {
                let is_doubtful =
                    shown == BoundaryEvidence::Nothing && begins < CERTAIN && history.is_early(opens_line);
                let begins = if is_doubtful { 0.0 } else { begins };
                self.cases.likeliest(seen, &self.waiting[waiting].lower, &logits, fractions, begins)
            }
        };
        Choice { confidence, ..Label { case, mark }.into() }
    }

    /// Returns the sentence end after a waiting word. Any model uses a sentence end that the text shows; only some
    /// models find others.
    #[inline]
    fn mark_after(
        &mut self,
        waiting: usize,
        look_ahead: usize,
        ends: Option<bool>,
        history: &AnswerHistory,
    ) -> Mark {
        let wants_end = self.request.sentence_ends && self.model.labels.ends_sentences();
        let is_shown = self.waiting[waiting].shown != BoundaryEvidence::Nothing;
        let ends = wants_end
            && ends.unwrap_or_else(|| {
                self.model.settings.begins && !is_shown && self.end_after(waiting, look_ahead, history) > 0.5
            });
        if ends { Mark::SentenceEnd } else { Mark::None }
    }

    /// Returns the choice like [`Self::choose`] if marks are inserted: a sentence begins only after a mark
    /// that ends a sentence.
    fn choose_with_marks(
        &mut self,
        waiting: usize,
        look_ahead: usize,
        ends: Option<bool>,
        history: &mut AnswerHistory,
    ) -> Choice {
        let WaitingWord { opens_line, gap, .. } = self.waiting[waiting];
        let begins = history.shows(gap);
        let opening = match self.openings {
            Some(model) => self.opening(model, waiting, look_ahead, history),
            None => Mark::None,
        };
        history.line_words = if opens_line { 1 } else { history.line_words.saturating_add(1) };
        history.chain = if begins { BoundaryModel::begun() } else { history.chain.inside() };
        let (case, confidence) = match self.request.cases {
            true => self.case_with_marks(waiting, look_ahead, begins, history),
            false => (Case::Lower, None),
        };
        let (mark, mark_confidence) = match self.marks.as_ref().map(|marks| marks.model) {
            Some(model) => self.mark(model, waiting, look_ahead, ends, history),
            None => (Mark::None, None),
        };
        let mark_confidence = mark_confidence.filter(|_| self.request.confidence);
        Choice { label: Label { case, mark }, confidence, mark_confidence, opening }
    }

    /// Returns the case of a waiting word with its probability if marks are inserted. `begins` is true if a
    /// sentence begins with the word.
    fn case_with_marks(
        &mut self,
        waiting: usize,
        look_ahead: usize,
        begins: bool,
        history: &mut AnswerHistory,
    ) -> (Case, Option<f32>) {
        let WaitingWord { seen, mut logits, constraint, .. } = self.waiting[waiting];
        let begins = f32::from(u8::from(begins));
        self.sum(self.waiting.len() - waiting, look_ahead, &mut logits);
        let mut fractions = None;
        if self.cases.looks_before {
            fractions = self.cases.look_before(&history.before, seen, &mut logits);
            history.before = self.cases.before(constraint, &logits, fractions, begins);
        }
        let (case, confidence) = match constraint {
            Constraint::Fixed(case) => (case, self.request.confidence.then_some(1.0)),
            _ => self.cases.likeliest(seen, &self.waiting[waiting].lower, &logits, fractions, begins),
        };
        // If the text were restored again, the capital would show a sentence start.
        let is_small = case != Case::Lower
            && begins == 0.0
            && profile::start_odds(seen.profile) > 1.0
            && self.capital_probability(waiting, look_ahead) <= RARE_CAPITAL;
        (if is_small { Case::Lower } else { case }, confidence)
    }

    /// Returns the mark whose opening is in the text before a waiting word or is inserted there. An opening
    /// is inserted only where a clause may open, and never before another opening of the sentence. If the
    /// end of the sentence is visible, the opening must fit its mark.
    fn opening(
        &mut self,
        model: &OpeningModel,
        waiting: usize,
        look_ahead: usize,
        history: &mut AnswerHistory,
    ) -> Mark {
        let may_open = history.opened == Mark::None && history.marks.is_after_mark();
        let begins = |(at, word): &(usize, &WaitingWord)| *at > 0 && word.gap.opens;
        let words = self.waiting.iter().skip(waiting).take(look_ahead + 1).enumerate();
        let words = words.take_while(|word| !begins(word));
        let there = words.clone().flat_map(|(at, word)| {
            let gap = word.gap.mark.filter(|_| at > 0 && !word.gap.is_forced).unwrap_or_default();
            [gap, if word.refused.has(word.right) { Mark::None } else { word.right }]
        });
        let mut seen = there.filter(|mark| *mark != Mark::None).peekable();
        let is_clause_end = seen.peek().is_some_and(|mark| mark.ends_sentence());
        let end = seen.find(|mark| mark.ends_sentence());
        let opens_later = words.skip(1).any(|(_, word)| word.opening.is_some_and(|mark| mark != Mark::None));
        let opening = match (self.waiting[waiting].opening, end) {
            (Some(there), _) => there,
            (None, _) if !may_open || opens_later => Mark::None,
            (None, Some(end)) if !model.settings.marks.and(self.request.marks).has(end) => Mark::None,
            (None, Some(end)) if is_clause_end => end,
            _ => {
                let mut marks = history.marks;
                marks.take(&self.waiting[waiting].seen);
                let back = self.waiting.len() - waiting;
                let features = self.observer.whole_gap(back, look_ahead, &model.features, &marks);
                let mut logits = Logits::default();
                model.weights.add(features, &mut logits);
                model.likeliest(&logits, &self.request)
            }
        };
        if opening != Mark::None {
            history.opened = opening;
        }
        opening
    }

    /// Returns the mark after a waiting word with its probability, if that is needed: the mark in the text,
    /// or else the most probable mark. `ends` is true if the text ends after the word, and `None` if that
    /// is not known.
    fn mark(
        &mut self,
        model: &MarkModel,
        waiting: usize,
        look_ahead: usize,
        ends: Option<bool>,
        history: &mut AnswerHistory,
    ) -> (Mark, Option<f32>) {
        history.marks.take(&self.waiting[waiting].seen);
        let next = self.waiting.get(waiting + 1);
        let (openings, opened) = (self.openings, history.opened);
        let settle = |mark| openings.map_or(mark, |openings| openings.closing(opened, mark));
        let gap = next.map_or(ShownGap::default(), |next| next.gap);
        let opens_cue = next.is_some_and(|next| next.opens_cue);
        let is_open = gap.mark.is_none() && ends != Some(false);
        let position = history.cues.factor(opens_cue);
        let start = if is_open { self.start_evidence(waiting, look_ahead) } else { 1.0 };
        let is_needed =
            opens_cue || start > 1.0 || is_open && (ends.is_some() || self.request.needs_mark_confidence());
        let odds = match is_open || opens_cue {
            true => self.odds(waiting, look_ahead, ends, is_needed, history),
            false => None,
        };
        if opens_cue && let Some(odds) = &odds {
            // These odds come from the words alone, and marks in the text do not change them.
            history.cues.take(true, model.end_probability(odds));
        }
        let decided = match (gap.mark, odds) {
            (Some(mark), _) if gap.is_forced => (settle(mark), Some(1.0)),
            (Some(mark), _) => (mark, Some(1.0)),
            (None, Some(mut odds)) if is_open => {
                let factor = if ends.is_none() { position * start } else { start };
                if factor != 1.0 {
                    model.favour_end(factor, &mut odds);
                }
                let refused = self.waiting[waiting].refused;
                model.likeliest(&odds, ends == Some(true), refused, &self.request, settle)
            }
            (None, _) if is_open => (Mark::None, None),
            (None, _) => (Mark::None, Some(1.0)),
        };
        history.mark(decided.0, if gap.mark.is_some() { gap.ends } else { decided.0.ends_sentence() });
        decided
    }

    /// Returns the odds of marks after a waiting word, from the words and the marks before it; `None` if no
    /// mark is probable enough, unless `is_needed`.
    fn odds(
        &mut self,
        waiting: usize,
        look_ahead: usize,
        ends: Option<bool>,
        is_needed: bool,
        history: &AnswerHistory,
    ) -> Option<MarkOdds> {
        let model = self.marks.as_ref()?.model;
        let back = self.waiting.len() - waiting;
        let (logits, pairs) = self.gap_logits(model, back, look_ahead, &history.marks);
        let mut end_fraction = None;
        // Without a word after the next word, the case model has no further evidence.
        if pairs.is_some() && look_ahead > 1 && ends.is_none() && self.model.settings.begins {
            end_fraction = Some(self.end_after(waiting, look_ahead, history));
        }
        if !is_needed
            && end_fraction.is_none()
            && self.marks.as_ref().is_some_and(|marks| !exceeds(&logits, &marks.bounds.put))
        {
            return None;
        }
        let mut odds = self.odds_of(model, &logits, back, look_ahead, &history.marks);
        if let Some(end) = end_fraction {
            model.add_end(end, &mut odds);
        }
        if let Some(pairs) = pairs {
            model.stress_kind_of_end(&pairs, &mut odds);
        }
        Some(odds)
    }

    /// Returns the logits of marks after the word `back` positions before the end. If the end of a sentence
    /// is probable enough in the gap that its mark has to be chosen, also returns the part of the logits
    /// that comes from the pairs of words before the gap.
    fn gap_logits(
        &mut self,
        model: &MarkModel,
        back: usize,
        look_ahead: usize,
        history: &MarkHistory,
    ) -> (Logits, Option<Logits>) {
        let mut logits = Logits::default();
        let features = self.observer.gap(back, look_ahead, &model.features, history);
        model.weights.add(features, &mut logits);
        #[cfg(test)]
        self.gaps.push(features.to_vec());
        let Some(marks) = &mut self.marks else { return (logits, None) };
        if exceeds(&logits, &marks.bounds.stand) {
            let features = self.observer.rest_of_gap(back, look_ahead, &model.features);
            model.weights.add(features, &mut logits);
            #[cfg(test)]
            if let Some(gap) = self.gaps.last_mut() {
                gap.extend(features);
            }
        }
        let pairs = exceeds(&logits, &marks.bounds.end).then(|| {
            let pairs = marks.pairs.sum(model, history, &mut marks.values);
            logits.iter_mut().zip(pairs).for_each(|(sum, logit)| *sum += logit);
            pairs
        });
        (logits, pairs)
    }

    /// Returns the odds of marks with these logits after the word `back` positions before the end.
    fn odds_of(
        &mut self,
        model: &MarkModel,
        logits: &Logits,
        back: usize,
        look_ahead: usize,
        history: &MarkHistory,
    ) -> MarkOdds {
        let mut rare = Logits::default();
        if let Some(weights) = model.rare_of(logits) {
            let features = self.observer.whole_gap(back, look_ahead, &model.features, history);
            weights.add(features, &mut rare);
        }
        model.odds(logits, &rare)
    }

    /// Combines both models. Returns the probability that a sentence begins after the word `back` positions
    /// before the end, and the most probable mark in the gap; `None` if the case model alone decides, for
    /// example if `gap` is a mark in the text. The case model finds a start with probability `found`, which
    /// includes the factor `position` for the position in the line.
    fn start_by_marks(
        &mut self,
        back: usize,
        look_ahead: usize,
        (found, position): (f32, f32),
        gap: Option<Mark>,
        history: &MarkHistory,
    ) -> Option<(f32, Mark)> {
        let is_open = gap.is_none() && found >= UNLIKELY_START;
        let model = self.marks.as_ref().map(|marks| marks.model).filter(|_| is_open)?;
        let (logits, _) = self.gap_logits(model, back, look_ahead, history);
        let odds = self.odds_of(model, &logits, back, look_ahead, history);
        let begins = model.start_probability(found, position, &odds);
        Some((begins, if begins > 0.5 { Mark::Period } else { model.inside(&odds) }))
    }

    /// Returns the factor by which the capital of the next word raises the odds that a sentence ends after
    /// a waiting word: recognisers lose the full stop but not the capital. A capital next to other capitals
    /// may belong to a title, and a capital at the beginning of a line to a list.
    fn start_evidence(&mut self, waiting: usize, look_ahead: usize) -> f32 {
        let Some(next) = self.waiting.get(waiting + 1).filter(|next| next.shows_start) else { return 1.0 };
        let (opens_line, odds) = (next.opens_line, profile::start_odds(next.seen.profile));
        let before = &self.waiting[waiting];
        let is_after_capital = before.has_odd_capital();
        let after = self.waiting.get(waiting + 2).filter(|_| look_ahead > 1);
        if profile::never_ends(before.seen.profile) || after.is_some_and(WaitingWord::has_odd_capital) {
            return 1.0;
        }
        let capital = self.capital_probability(waiting + 1, look_ahead);
        odds_by_capital(capital, odds, opens_line || is_after_capital)
    }

    /// Returns the probability that a waiting word has a capital inside a sentence. The right context is
    /// one word shorter than for the case of the word, as it is for the gap before the word.
    fn capital_probability(&mut self, waiting: usize, look_ahead: usize) -> f32 {
        let mut logits = self.waiting[waiting].logits;
        self.sum(self.waiting.len() - waiting, look_ahead.saturating_sub(1), &mut logits);
        let [small, ..] = self.model.probabilities(&logits);
        1.0 - small
    }

    /// Answers the word that has waited longest.
    fn answer(&mut self, look_ahead: usize, ends: Option<bool>, out: &mut Vec<Choice>) {
        let mut history = self.history.take().unwrap_or_default();
        out.push(self.choose(0, look_ahead, ends, &mut history));
        self.history = Some(history);
        self.spare.extend(self.waiting.pop_front());
        self.observer.forget(self.waiting.len());
    }

    /// Adds the weights of the features around the word `back` positions before the end, or of the
    /// position after the last word.
    fn sum(&mut self, back: usize, look_ahead: usize, logits: &mut Logits) {
        let features = self.observer.context(back, look_ahead);
        self.weights.add(features, logits);
        #[cfg(test)]
        self.rows.push(features.to_vec());
        if self.observer.is_repeated(back, look_ahead) {
            // An acronym is never said twice in a row: two of them are a name (`Tap Tap`).
            logits[TITLE] = logits[TITLE].max(logits[UPPER]);
            logits[UPPER] = (self.model.settings.steps as f32 * NEVER) as i32;
        }
    }

    /// Returns the probability that a sentence ends after a waiting word, given the history after it. A
    /// sentence then begins at the next word, whose right context is one word shorter.
    fn end_after(&mut self, waiting: usize, look_ahead: usize, history: &AnswerHistory) -> f32 {
        let (seen, mut logits, opens_line) = match self.waiting.get(waiting + 1) {
            Some(next) => (next.seen, next.logits, next.opens_line),
            None => {
                let (seen, logits) = self.model.nothing(&mut self.cases.features);
                (seen, logits, false)
            }
        };
        self.sum(self.waiting.len() - waiting - 1, look_ahead.saturating_sub(1), &mut logits);
        // If marks are inserted, neither the end of a line nor a capital that may have been inserted is
        // evidence: a second run would be more certain of it than the first.
        if self.puts {
            if self.cases.looks_before {
                let before = if history.marks.is_first() { BEGUN } else { Class::Lower as usize };
                self.cases.add_previous(before, seen, &mut logits);
            }
            return self.cases.begins(&logits, seen, history.chain).0;
        }
        if self.cases.looks_before {
            self.cases.look_before(&history.before, seen, &mut logits);
        }
        let position = history.lines.factor(opens_line);
        self.cases.add_position(position, &mut logits);
        let found = self.cases.begins(&logits, seen, history.chain).0;
        let gap = self.waiting.get(waiting + 1).and_then(|next| next.gap.mark);
        let back = self.waiting.len() - waiting;
        let both = self.start_by_marks(back, look_ahead, (found, position), gap, &history.marks);
        both.map_or(found, |(begins, _)| begins)
    }

    /// Ends the sentence, or the known part of it; `begins` is true if the next word begins a sentence, and
    /// `None` if that is not known.
    fn finish(&mut self, begins: Option<bool>, out: &mut Vec<Choice>) {
        let begins = if self.puts { Some(true) } else { begins };
        self.observer.close();
        while !self.waiting.is_empty() {
            let last = self.waiting.len() == 1;
            self.answer(self.look_ahead, begins.filter(|begins| last && *begins), out);
        }
        if let Some(history) = &mut self.history {
            let AnswerHistory { lines, cues, line_words, .. } = **history;
            **history = AnswerHistory { lines, cues, line_words, ..AnswerHistory::default() };
        }
    }
}

/// If the case model finds a sentence start less probable than this, the mark model is not evaluated.
const UNLIKELY_START: f32 = 0.05;

/// The number of first words of a line at which a sentence start has to be [certain](CERTAIN).
const EARLY: u32 = 8;

/// The smallest probability of a sentence start at which one of the first words of a line gets a capital if
/// the text does not show a start.
const CERTAIN: f32 = 0.75;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maxent::filling::{FeatureSet, Filler, GapSet};
    use crate::maxent::gazetteers::Gazetteers;
    use crate::maxent::marks::MarkSettings;
    use crate::maxent::observe::{self, Window};
    use crate::maxent::table::HashTable;
    use crate::maxent::tagger::{self, Tagger};
    use crate::maxent::templates::{FARTHEST, Group, REACH, VERSION};
    use crate::maxent::weights::WeightTable;
    use crate::maxent::{MaxentSettings, WEIGHTS_EACH, WORD};
    use majuscule_text::{Break, Locale, MarkSet, Upos};
    use proptest::prelude::*;

    /// Returns a tagger with arbitrary weights for the features of the words of [`any_tokens`] and of the
    /// words after them.
    fn tagger() -> Tagger {
        let letters = ["", "a", "b", "c"];
        let words: Vec<String> =
            letters[1..].iter().flat_map(|a| letters.map(|b| format!("{a}{b}"))).collect();
        let seen = |word: &str| WordFeatures::of(word, &Token::default(), 0);
        let set = FeatureSet::of_tags();
        let mut found = std::collections::BTreeMap::new();
        for (word, next) in words.iter().flat_map(|word| words.iter().map(move |next| (word, next))) {
            let mut window = Window::default();
            (window[REACH], window[REACH + 1]) = (seen(word), seen(next));
            let mut add = |feature: u64| {
                let weights = feature.rotate_left(17).to_le_bytes();
                found.insert(feature, [weights[0], weights[1], weights[2], weights[3]]);
            };
            let mut each = |filler: &Filler, values: &Values| {
                let feature = filler.feature(values);
                (0..5).for_each(|group| add(tagger::second(feature, group)));
                add(feature);
            };
            set.own(word, window[REACH], |filler, values, _| each(filler, values));
            set.context(&window, 1, &mut Values::default(), each);
        }
        Tagger::new(WeightTable::open(HashTable::build(found.into_iter()).into()).unwrap())
    }

    #[test]
    fn the_next_word_changes_the_part_of_speech_of_a_word() {
        let gazetteers = Gazetteers { tagger: Some(tagger()), ..Gazetteers::default() };
        let tags = |words: [&str; 2]| observe::tags(&gazetteers, &Tokens::of_words(words, Locale::Root));
        let found: std::collections::BTreeSet<_> =
            ["a", "b", "c", "aa", "ab", "bb"].map(|next| tags(["ab", next])[0].map(Upos::number)).into();
        assert!(found.len() > 1, "{found:?}");
    }

    /// Returns an untrained model that uses all features.
    fn model(look_ahead: usize) -> Maxent {
        let table = HashTable::<WEIGHTS_EACH>::build([].into_iter());
        let words = HashTable::<WORD>::build([].into_iter());
        let settings = MaxentSettings {
            version: VERSION,
            groups: [&Group::DEFAULT[..], &[Group::Spans, Group::Clusters], &Group::TAGS].concat(),
            look_ahead,
            steps: 1,
            cut: 0,
            begins: true,
            capital_cost: 1.0,
            marks: None,
            openings: None,
        };
        let (table, words) =
            (WeightTable::open(table.into()).unwrap(), HashTable::open(words.into()).unwrap());
        let marks = MarkModel {
            weights: WeightTable::open(HashTable::<WEIGHTS_EACH>::build([].into_iter()).into()).unwrap(),
            rare: None,
            // No mark is inserted.
            settings: MarkSettings {
                marks: MarkSet::USUAL,
                steps: 1,
                rare_steps: None,
                clusters: true,
                mark_cost: 9.0,
                end_cost: 9.0,
            },
            features: GapSet::new(true),
        };
        let gazetteers = Gazetteers { tagger: Some(tagger()), ..Gazetteers::default() };
        let model = Maxent::new(table, words, gazetteers, String::new(), settings, Locale::Root);
        model.with_marks(Some(marks))
    }

    fn any_tokens() -> impl Strategy<Value = Tokens> {
        use Break::{Cue, Document, Line, None, Paragraph, Space, Turn};
        let before = prop::sample::select(vec![
            Space, Space, Space, Space, Space, Space, None, Line, Cue, Turn, Paragraph, Document,
        ]);
        let word = ("[a-c]{1,2}", before, prop::bool::weighted(0.1), prop::option::of(Just(',')));
        prop::collection::vec(word, 1..100).prop_map(|words| {
            let mut tokens = Tokens::new();
            for (word, before, starts, right) in words {
                tokens.push(&word, Locale::Root, Token { before, starts, right, ..Token::default() });
            }
            tokens
        })
    }

    proptest! {
        #[test]
        fn a_session_sees_what_training_sees_however_the_text_is_cut(
            tokens in any_tokens(), look_ahead in 0..=FARTHEST, cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let model = model(look_ahead);
            let (mut seen, mut features) = (Vec::new(), Vec::new());
            seen.extend(tokens.iter().map(|(lower, token)| model.seen(&model.words.reader(), lower, token, &mut features).0));
            let (mut all, mut gaps) = (Vec::new(), Vec::new());
            let mut history = MarkHistory::default();
            let gap_set = GapSet::new(true);
            let mut observer = Observer::new(&model.features, &model.gazetteers);
            observer.text(&tokens, &seen, |observer, word| {
                let is_behind = word.at == tokens.len();
                let lower = if is_behind { "" } else { tokens.lower(word.at) };
                let mut row = Vec::new();
                let observation = observer.observation(lower, word, look_ahead);
                let look_ahead = if is_behind { look_ahead.saturating_sub(1) } else { look_ahead };
                model.features.all(&observation, |filler, values, _| row.push(filler.feature(values)));
                let mut own = Vec::new();
                let here = seen.get(word.at).copied().unwrap_or_default();
                model.features.own(lower, here, |filler, values, _| own.push(filler.feature(values)));
                assert!(row.starts_with(&own));
                all.push((word.shown, row.split_off(own.len())));
                if word.opening.is_some() {
                    history = MarkHistory::default();
                }
                history.take(&here);
                let mut gap = Vec::new();
                word.gap(look_ahead, &gap_set, &history, |filler, values| gap.push(filler.feature(values)));
                gap.truncate(gap.len() - history.pairs().count());
                gaps.push(gap);
            });

            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(tokens.len())).collect();
            cuts.sort_unstable();
            let ends = cuts.iter().copied().chain([tokens.len()]);
            let rows = |request: Request| {
                let (mut session, mut out) = (MaxentSession::new(&model, request, look_ahead), Vec::new());
                let mut start = 0;
                for end in ends.clone() {
                    let mut part = Tokens::new();
                    part.extend(&tokens, start..end);
                    session.push(&part, Boundary::None, &mut out).unwrap();
                    start = end;
                }
                session.push(&Tokens::new(), Boundary::Reset, &mut out).unwrap();
                assert_eq!(out.len(), tokens.len());
                (session.rows, session.gaps)
            };
            let (behind, words) = all.split_last().unwrap();
            let words: Vec<Vec<u64>> = words.iter().map(|(_, row)| row.clone()).collect();
            prop_assert_eq!(rows(Request::default()).0, words);
            // Sentence ends are requested too: the last position looked at is the one after the last word.
            if behind.0 == BoundaryEvidence::Nothing {
                let last = rows(Request { sentence_ends: true, ..Request::default() }).0.pop();
                prop_assert_eq!(last.as_ref(), Some(&behind.1));
            }
            // The sentences that the text marks are not marked for a method that inserts them, and the
            // ends of cues are evidence of marks, which training does not know.
            if tokens.as_slice().iter().all(|token| !token.starts && token.before != Break::Cue) {
                gaps.pop();
                prop_assert_eq!(rows(Request { marks: MarkSet::USUAL, ..Request::default() }).1, gaps);
            }
        }
    }
}
