//! The best path of a stream (Viterbi 1967), answered as soon as it is certain.

use std::collections::VecDeque;

use super::Scorer;
use super::forward_backward::Posteriors;
use super::lattice::LatticeColumn;

/// The maximum look-ahead: if a position is still undecided after this number of further positions,
/// the best path so far decides it. In real text, several hypotheses never stay alive for so long,
/// and the memory for pending positions must not grow with the text.
const MOST: usize = 512;

/// The answer for a position.
#[derive(Debug)]
pub struct Answer<'a, Candidate> {
    /// The candidates of the position.
    pub candidates: &'a [Candidate],
    /// The index of the candidate on the best path.
    pub best: usize,
    /// The posterior probability of each candidate, if requested.
    pub posteriors: Option<&'a [f64]>,
}

impl<Candidate> Answer<'_, Candidate> {
    /// Returns the sum of the posterior probabilities of the candidates that `has` accepts, if
    /// requested.
    pub fn fraction(&self, has: impl Fn(&Candidate) -> bool) -> Option<f32> {
        self.posteriors.map(|posteriors| fraction(self.candidates, posteriors, has))
    }
}

fn fraction<Candidate>(
    candidates: &[Candidate],
    posteriors: &[f64],
    has: impl Fn(&Candidate) -> bool,
) -> f32 {
    if candidates.iter().all(&has) {
        return 1.0;
    }
    let some = candidates.iter().zip(posteriors).filter(|(candidate, _)| has(candidate));
    some.map(|(_, posterior)| posterior).sum::<f64>().min(1.0) as f32
}

/// A search in progress through a text. Invariant: the answers depend on the candidates alone, and
/// not on when they are requested.
#[derive(Debug)]
pub struct BestPathSearch<S: Scorer> {
    scorer: S,
    look_ahead: usize,
    posteriors: Option<Posteriors>,
    /// The hypotheses before the first unanswered position.
    root: LatticeColumn<S::State, S::Candidate>,
    /// The columns of the positions whose answers have not been returned yet, in order.
    columns: VecDeque<LatticeColumn<S::State, S::Candidate>>,
    /// Columns to be reused.
    spare: Vec<LatticeColumn<S::State, S::Candidate>>,
    /// The number of positions since the start.
    at: usize,
    /// The candidates on the best path.
    path: Vec<u32>,
}

impl<S: Scorer> BestPathSearch<S> {
    /// Creates a search at the start of a text. `look_ahead` is the number of later positions that
    /// an answer may depend on, or all if `None`; it also limits posterior probabilities.
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

    /// Returns the scorer.
    pub fn scorer(&self) -> &S {
        &self.scorer
    }

    /// Returns true if no position has been pushed since the start.
    pub fn is_at_start(&self) -> bool {
        self.at == 0
    }

    /// Adds the candidates of the next position, at least one, and passes all answers that are now
    /// certain to `answer`, in order.
    pub fn push(
        &mut self,
        candidates: impl IntoIterator<Item = S::Candidate>,
        answer: &mut impl FnMut(Answer<'_, S::Candidate>),
    ) {
        self.hold(candidates);
        let is_certain = self.last().nodes.len() == 1;
        if is_certain {
            self.answer(self.columns.len(), 0, &[], answer);
            self.root.nodes[0].cost = 0.0;
            self.root.forward.fill(0.0);
        } else if self.columns.len() > self.look_ahead {
            self.answer_first(self.columns.len() - self.look_ahead, answer);
        }
    }

    /// Adds the candidates of the next position, at least one, without answering any position.
    pub fn hold(&mut self, candidates: impl IntoIterator<Item = S::Candidate>) {
        let mut column = self.spare.pop().unwrap_or_default();
        column.clear();
        column.candidates.extend(candidates);
        let before = self.columns.back().unwrap_or(&self.root);
        column.expand(before, &self.scorer, self.at, self.posteriors.is_some());
        self.at += 1;
        self.columns.push_back(column);
    }

    /// Returns the number of pending positions.
    pub fn pending(&self) -> usize {
        self.columns.len()
    }

    /// Answers the pending positions on which all hypotheses agree.
    pub fn settle(&mut self, answer: &mut impl FnMut(Answer<'_, S::Candidate>)) {
        let mut alive: Vec<u32> = (0..self.last().nodes.len() as u32).collect();
        for count in (1..=self.columns.len()).rev() {
            if alive.len() == 1 {
                return self.answer_first(count, answer);
            }
            let nodes = &self.columns[count - 1].nodes;
            alive.iter_mut().for_each(|node| *node = nodes[*node as usize].back);
            alive.sort_unstable();
            alive.dedup();
        }
    }

    /// Returns the candidate of a pending position on the best path so far.
    pub fn best_at(&mut self, position: usize) -> Option<S::Candidate> {
        let mut at = self.last().best(&[]);
        for column in self.columns.iter().skip(position + 1).rev() {
            at = column.nodes[at].back as usize;
        }
        let column = self.columns.get(position)?;
        column.candidates.get(column.nodes[at].candidate as usize).copied()
    }

    /// Computes the posterior probabilities of the first `count` pending positions over all paths
    /// so far, if they are requested.
    pub fn find_posteriors(&mut self, count: usize) {
        if let Some(posteriors) = &mut self.posteriors {
            posteriors.find(&self.root, &self.columns, count, &[]);
        }
    }

    /// Returns the sum of the posterior probabilities of a pending position's candidates that `has`
    /// accepts, as last computed by [`BestPathSearch::find_posteriors`]; `None` if none are
    /// requested.
    pub fn share_at(&self, position: usize, has: impl Fn(&S::Candidate) -> bool) -> Option<f32> {
        let candidates = &self.columns.get(position)?.candidates;
        Some(fraction(candidates, self.posteriors.as_ref()?.of(position), has))
    }

    /// Removes the candidates of a pending position that `keeps` rejects, as if they had never been
    /// added; if it rejects all candidates, all stay.
    pub fn restrict(&mut self, position: usize, keeps: impl Fn(&S::Candidate) -> bool) {
        let first = self.at - self.columns.len();
        if let Some(column) =
            self.columns.get_mut(position).filter(|column| column.candidates.iter().any(&keeps))
        {
            column.candidates.retain(keeps);
        }
        for position in position..self.columns.len() {
            let mut column = std::mem::take(&mut self.columns[position]);
            let before = position.checked_sub(1).map_or(&self.root, |before| &self.columns[before]);
            column.reset();
            column.expand(before, &self.scorer, first + position, self.posteriors.is_some());
            self.columns[position] = column;
        }
    }

    /// Answers the first pending positions by the best path so far.
    pub fn answer_first(&mut self, count: usize, answer: &mut impl FnMut(Answer<'_, S::Candidate>)) {
        self.answer(count.min(self.columns.len()), self.last().best(&[]), &[], answer);
    }

    /// Answers all pending positions by the best path so far and continues; later answers do not
    /// depend on this choice.
    pub fn answer_all(&mut self, answer: &mut impl FnMut(Answer<'_, S::Candidate>)) {
        self.answer_first(self.columns.len(), answer);
    }

    /// Passes the answers of [`BestPathSearch::answer_all`] to `answer`,
    /// but keeps the positions pending.
    pub fn guess(&mut self, answer: &mut impl FnMut(Answer<'_, S::Candidate>)) {
        self.trace(self.columns.len(), self.last().best(&[]), &[]);
        for (position, column) in self.columns.iter().enumerate() {
            answer(self.answer_of(column, position));
        }
    }

    /// Ends the text: answers all pending positions and returns to the start.
    pub fn finish(&mut self, answer: &mut impl FnMut(Answer<'_, S::Candidate>)) {
        if !self.columns.is_empty() {
            let last = self.last();
            let ending: Vec<f64> =
                last.nodes.iter().map(|node| f64::from(self.scorer.finish(node.state))).collect();
            self.answer(self.columns.len(), last.best(&ending), &ending, answer);
        }
        self.root.start(self.scorer.start());
        self.at = 0;
    }

    fn last(&self) -> &LatticeColumn<S::State, S::Candidate> {
        self.columns.back().unwrap_or(&self.root)
    }

    /// Answers the first `count` positions by the path that ends in node `best` of the last one;
    /// `ending` has each node's cost of ending, or nothing if all are 0.
    fn answer(
        &mut self,
        count: usize,
        best: usize,
        ending: &[f64],
        answer: &mut impl FnMut(Answer<'_, S::Candidate>),
    ) {
        self.trace(count, best, ending);
        for position in 0..count {
            let Some(column) = self.columns.pop_front() else { return };
            answer(self.answer_of(&column, position));
            self.spare.push(std::mem::replace(&mut self.root, column));
        }
    }

    /// Finds the path that ends in node `best` of the last position, and the posterior
    /// probabilities of the first `count` positions.
    fn trace(&mut self, count: usize, best: usize, ending: &[f64]) {
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

    /// Returns the answer for a position, given its column.
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
