//! Posterior probabilities of candidates (Rabiner 1989, section III.A): forward sums are stored in
//! the columns, backward sums in `Posteriors`.

use std::collections::VecDeque;
use std::hash::Hash;

use super::lattice::{LatticeColumn, log_add};

/// The posterior probabilities found last.
#[derive(Debug, Default)]
pub(super) struct Posteriors {
    /// The posterior probabilities of all positions, one after another.
    values: Vec<f64>,
    /// The start of each position in `values`.
    starts: Vec<usize>,
    /// ln of the sum over all continuations from each node of the current
    /// column, and of the previous one.
    backward: Vec<f64>,
    next: Vec<f64>,
}

impl Posteriors {
    /// Finds the posterior probabilities of the first `count` columns after `root`, where ending in
    /// node `n` of the last column costs `ending[n]`, or 0 if `ending` is empty.
    pub(super) fn find<State: Copy + Eq + Hash, Candidate: Copy>(
        &mut self,
        root: &LatticeColumn<State, Candidate>,
        columns: &VecDeque<LatticeColumn<State, Candidate>>,
        count: usize,
        ending: &[f64],
    ) {
        self.starts.clear();
        let mut len = 0;
        for column in columns.iter().take(count) {
            self.starts.push(len);
            len += column.candidates.len();
        }
        self.starts.push(len);
        self.values.clear();
        self.values.resize(len, 0.0);
        let Some(last) = columns.back() else { return };
        self.backward.clear();
        self.backward.extend(ending.iter().map(|cost| -cost));
        self.backward.resize(last.nodes.len(), 0.0);
        for position in (0..columns.len()).rev() {
            let column = &columns[position];
            let before = if position == 0 { root } else { &columns[position - 1] };
            self.next.clear();
            self.next.resize(before.nodes.len(), f64::NEG_INFINITY);
            for arc in &column.arcs {
                let on = self.backward[arc.to as usize] - f64::from(arc.cost);
                let sum = &mut self.next[arc.from as usize];
                *sum = log_add(*sum, on);
            }
            if position < count {
                let all = before
                    .forward
                    .iter()
                    .zip(&self.next)
                    .fold(f64::NEG_INFINITY, |sum, (forward, backward)| log_add(sum, forward + backward));
                for arc in &column.arcs {
                    let way = before.forward[arc.from as usize] - f64::from(arc.cost)
                        + self.backward[arc.to as usize];
                    self.values[self.starts[position] + arc.candidate as usize] += (way - all).exp();
                }
            }
            std::mem::swap(&mut self.backward, &mut self.next);
        }
    }

    /// Returns the posterior probabilities of a position's candidates.
    pub(super) fn of(&self, position: usize) -> &[f64] {
        &self.values[self.starts[position]..self.starts[position + 1]]
    }
}
