//! The best path of a stream (Viterbi 1967), answered as soon as it is certain.

use std::collections::VecDeque;

use super::Scorer;
use super::forward_backward::Posteriors;
use super::lattice::LatticeColumn;

/// A path that is still open after so many positions is answered as if it had a look-ahead of so many. Words that leave more
/// than one hypothesis alive for so long are not found in text, and what is held back must not grow with the text.
const MOST: usize = 512;

/// What a position turned out to be.
#[derive(Debug)]
pub struct Answer<'a, Candidate> {
    /// All its candidates.
    pub candidates: &'a [Candidate],
    /// Which of them is on the best path.
    pub best: usize,
    /// The posterior probability of each, where they are asked for.
    pub posteriors: Option<&'a [f64]>,
}

/// A search on its way through a text. Law: what it answers depends on the candidates alone, and not on when it is asked.
#[derive(Debug)]
pub struct BestPathSearch<S: Scorer> {
    scorer: S,
    look_ahead: usize,
    posteriors: Option<Posteriors>,
    /// The hypotheses before the first position that is not answered.
    root: LatticeColumn<S::State, S::Candidate>,
    /// The positions that are not answered.
    columns: VecDeque<LatticeColumn<S::State, S::Candidate>>,
    /// Columns to be used again.
    spare: Vec<LatticeColumn<S::State, S::Candidate>>,
    /// How many positions there were since the start.
    at: usize,
    /// The candidates on the best path.
    path: Vec<u32>,
}

impl<S: Scorer> BestPathSearch<S> {
    /// Begins at the start. `look_ahead` is how many later positions a choice may depend on, all if `None`; posterior
    /// probabilities depend on the same.
    pub fn new(scorer: S, look_ahead: Option<usize>, posteriors: bool) -> Self {
        let mut root = LatticeColumn::default();
        root.start(scorer.start());
        Self {
            scorer,
            look_ahead: look_ahead.unwrap_or(MOST).min(MOST),
            posteriors: posteriors.then(Posteriors::default),
            root,
            columns: VecDeque::new(),
            spare: Vec::new(),
            at: 0,
            path: Vec::new(),
        }
    }

    /// Whether nothing came since the start.
    pub fn is_at_start(&self) -> bool {
        self.at == 0
    }

    /// Takes the candidates of the next position, at least one, and gives to `answer` what is certain then, in order.
    pub fn push(
        &mut self,
        candidates: impl IntoIterator<Item = S::Candidate>,
        answer: &mut impl FnMut(Answer<'_, S::Candidate>),
    ) {
        let mut column = self.spare.pop().unwrap_or_default();
        column.clear();
        column.candidates.extend(candidates);
        let before = self.columns.back().unwrap_or(&self.root);
        column.expand(before, &self.scorer, self.at, self.posteriors.is_some());
        self.at += 1;
        let is_certain = column.nodes.len() == 1;
        self.columns.push_back(column);
        if is_certain {
            self.answer(self.columns.len(), 0, |_| 0.0, answer);
            self.root.nodes[0].cost = 0.0;
            self.root.forward.fill(0.0);
        } else if self.columns.len() > self.look_ahead {
            let best = self.last().best(|_| 0.0);
            self.answer(self.columns.len() - self.look_ahead, best, |_| 0.0, answer);
        }
    }

    /// Answers all that came, by the best path so far, and goes on: later answers do not depend on it.
    pub fn answer_all(&mut self, answer: &mut impl FnMut(Answer<'_, S::Candidate>)) {
        let best = self.last().best(|_| 0.0);
        self.answer(self.columns.len(), best, |_| 0.0, answer);
    }

    /// Gives what [`BestPathSearch::answer_all`] would, and goes on holding it back.
    pub fn guess(&mut self, answer: &mut impl FnMut(Answer<'_, S::Candidate>)) {
        let best = self.last().best(|_| 0.0);
        self.trace(self.columns.len(), best, |_| 0.0);
        for (position, column) in self.columns.iter().enumerate() {
            answer(self.answer_of(column, position));
        }
    }

    /// The text ends here: answers all that is left and goes back to the start.
    pub fn finish(&mut self, answer: &mut impl FnMut(Answer<'_, S::Candidate>)) {
        if !self.columns.is_empty() {
            let last = self.last();
            let ending: Vec<f64> =
                last.nodes.iter().map(|node| f64::from(self.scorer.finish(node.state))).collect();
            let best = last.best(|node| ending[node]);
            self.answer(self.columns.len(), best, |node| ending[node], answer);
        }
        self.root.start(self.scorer.start());
        self.at = 0;
    }

    fn last(&self) -> &LatticeColumn<S::State, S::Candidate> {
        self.columns.back().unwrap_or(&self.root)
    }

    /// Answers the first `count` positions by the path that ends in node `best` of the last one, where each node has the
    /// cost of ending that `ending` says.
    fn answer(
        &mut self,
        count: usize,
        best: usize,
        ending: impl Fn(usize) -> f64,
        answer: &mut impl FnMut(Answer<'_, S::Candidate>),
    ) {
        self.trace(count, best, ending);
        for position in 0..count {
            let Some(column) = self.columns.pop_front() else { return };
            answer(self.answer_of(&column, position));
            self.spare.push(std::mem::replace(&mut self.root, column));
        }
    }

    /// Finds the path that ends in node `best` of the last position, and the posterior probabilities of the first `count`.
    fn trace(&mut self, count: usize, best: usize, ending: impl Fn(usize) -> f64) {
        self.path.clear();
        let mut at = best;
        for column in self.columns.iter().rev() {
            let node = &column.nodes[at];
            self.path.push(node.candidate);
            at = node.back as usize;
        }
        if let Some(posteriors) = &mut self.posteriors {
            posteriors.find(&self.root, &self.columns, count, ending);
        }
    }

    /// What was found of the position that has this column.
    fn answer_of<'a>(
        &'a self,
        column: &'a LatticeColumn<S::State, S::Candidate>,
        position: usize,
    ) -> Answer<'a, S::Candidate> {
        Answer {
            candidates: &column.candidates,
            best: self.path[self.path.len() - 1 - position] as usize,
            posteriors: self.posteriors.as_ref().map(|posteriors| posteriors.of(position)),
        }
    }
}
