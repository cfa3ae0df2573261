//! Runs a text through a search: turns words into candidates and the answers of the search into
//! choices.
//!
//! All methods that score candidates of words use this session.

use rustc_hash::FxHashSet;

use super::candidates::{Candidates, FormCandidate, sentence_ends_before};
use majuscule_base::error::Result;
use majuscule_lm::search::{self, Answer, BestPathSearch, Scorer};
use majuscule_text::restorer::{Boundary, Labelling, Request, Session};
use majuscule_text::{Case, Choice, Label, Tokens};

/// A session over one text.
#[derive(Debug)]
pub struct HmmSession<'a, S: Scorer> {
    candidates: Candidates<'a>,
    search: BestPathSearch<S>,
    column: Vec<FormCandidate>,
    after_capitals: bool,
}

impl<'a, S: Scorer<Candidate = FormCandidate>> HmmSession<'a, S> {
    /// Starts a text.
    pub fn new(candidates: Candidates<'a>, scorer: S, request: Request) -> Self {
        let search = BestPathSearch::new(scorer, request.look_ahead, request.confidence);
        Self { candidates, search, column: Vec::new(), after_capitals: false }
    }
}

impl<S: Scorer<Candidate = FormCandidate> + Send> Session for HmmSession<'_, S> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        let mut answer = |answer: Answer<'_, FormCandidate>| out.push(choice(&answer, case));
        for (lower, token) in tokens.iter() {
            if sentence_ends_before(token) {
                self.search.finish(&mut answer);
                self.after_capitals = false;
            }
            self.candidates.of(lower, token, self.after_capitals, &mut self.column);
            self.after_capitals = self.candidates.all_capitals(lower, &self.column);
            self.search.push(self.column.iter().copied(), &mut answer);
        }
        match end {
            Boundary::None | Boundary::Line => {}
            Boundary::Force => self.search.answer_all(&mut answer),
            Boundary::Reset => {
                self.search.finish(&mut answer);
                self.after_capitals = false;
            }
        }
        Ok(())
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        self.search.guess(&mut |answer| out.push(choice(&answer, case)));
        Ok(())
    }
}

fn case(candidate: &FormCandidate) -> Case {
    candidate.case
}

/// Returns the case on the best path; its probability is the sum over all candidates with this
/// case.
pub(super) fn choice<C>(answer: &Answer<'_, C>, case_of: impl Fn(&C) -> Case) -> Choice {
    let case = case_of(&answer.candidates[answer.best]);
    let confidence = answer.fraction(|candidate| case_of(candidate) == case);
    Choice { confidence, ..Label::from(case).into() }
}

/// The maximum number of paths that are searched for distinct labellings.
const MOST_PATHS: usize = 1 << 14;

/// Returns the `n` most likely labellings of a sentence.
pub fn n_best<S: Scorer<Candidate = FormCandidate>>(
    candidates: &Candidates<'_>,
    scorer: &S,
    sentence: &Tokens,
    n: usize,
) -> Vec<Labelling> {
    let mut positions: Vec<Vec<FormCandidate>> = Vec::new();
    let mut after_capitals = false;
    for (lower, token) in sentence.iter() {
        let mut column = Vec::new();
        candidates.of(lower, token, after_capitals, &mut column);
        after_capitals = candidates.all_capitals(lower, &column);
        if sentence_ends_before(token) && !positions.is_empty() {
            column.iter_mut().for_each(|candidate| candidate.opens = true);
        }
        positions.push(column);
    }
    let label = |(&at, column): (&usize, &Vec<FormCandidate>)| Label::from(column[at].case);
    ranked(scorer, &positions, n, |path| path.iter().zip(&positions).map(label).collect())
}

/// Returns the `n` most likely labellings of the paths through these positions; `labels` returns
/// the labels of a path.
pub(super) fn ranked<S: Scorer>(
    scorer: &S,
    positions: &[Vec<S::Candidate>],
    n: usize,
    labels: impl Fn(&[usize]) -> Vec<Label>,
) -> Vec<Labelling> {
    let labelling = |path: search::ScoredPath| Labelling {
        log10: -path.cost / std::f64::consts::LN_10,
        labels: labels(&path.candidates),
    };
    // Several paths may have the same labels, and only the best of them counts, so `n` labellings
    // may need more than `n` paths.
    let mut many = n;
    loop {
        let paths = search::n_best(scorer, positions, many);
        let are_all = paths.len() < many || many >= MOST_PATHS;
        let mut seen = FxHashSet::default();
        let differs = |found: &Labelling| seen.insert(found.labels.clone());
        let labellings: Vec<_> = paths.into_iter().map(labelling).filter(differs).take(n).collect();
        if labellings.len() == n || are_all {
            return labellings;
        }
        many *= 4;
    }
}
