//! The n best paths, by a backward search that knows the remaining cost (Soong & Huang 1991).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::Scorer;
use super::lattice::LatticeColumn;

/// A path and its cost.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredPath {
    /// The total cost, −ln p.
    pub cost: f64,
    /// The index of the candidate at each position.
    pub candidates: Vec<usize>,
}

/// Finds the `n` cheapest paths through the candidates of all positions, the cheapest first; fewer
/// if there are no more. The order is deterministic, even among equally cheap paths.
///
/// The search is exact: the forward cost of each node is the least remaining cost of the backward
/// search, so each path taken from its queue is the next best. Paths share their common ends, so
/// time and memory grow linearly with the length.
pub fn n_best<S: Scorer>(scorer: &S, positions: &[Vec<S::Candidate>], n: usize) -> Vec<ScoredPath> {
    let mut columns = vec![LatticeColumn::default()];
    columns[0].start(scorer.start());
    for (at, candidates) in positions.iter().enumerate() {
        let mut column = LatticeColumn { candidates: candidates.clone(), ..LatticeColumn::default() };
        column.expand(&columns[at], scorer, at, true);
        columns.push(column);
    }
    let last = columns.len() - 1;
    let mut taken = Taken::default();
    let mut queue = BinaryHeap::new();
    for (node, end) in columns[last].nodes.iter().enumerate() {
        let behind = f64::from(scorer.finish(end.state));
        let tail = taken.put_before(NOTHING, 0);
        queue.push(Reverse(PartialPath { cost: end.cost + behind, behind, column: last, node, tail }));
    }
    let mut paths = Vec::new();
    while paths.len() < n {
        let Some(Reverse(way)) = queue.pop() else { break };
        if way.column == 0 {
            paths.push(ScoredPath { cost: way.cost, candidates: taken.candidates(way.tail) });
            continue;
        }
        for arc in columns[way.column].arcs.iter().filter(|arc| arc.to as usize == way.node) {
            let behind = way.behind + f64::from(arc.cost);
            let (column, node) = (way.column - 1, arc.from as usize);
            let cost = columns[column].nodes[node].cost + behind;
            let tail = taken.put_before(way.tail, arc.candidate);
            queue.push(Reverse(PartialPath { cost, behind, column, node, tail }));
        }
    }
    paths
}

/// A path from a node to the end.
struct PartialPath {
    /// The cost of the best complete path that contains this one.
    cost: f64,
    /// The cost from the node to the end.
    behind: f64,
    column: usize,
    node: usize,
    /// The first link of the path's candidates; each path has its own.
    tail: u32,
}

impl PartialEq for PartialPath {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PartialPath {}

impl PartialOrd for PartialPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PartialPath {
    /// Orders paths by cost, equally cheap ones by length, the longest first, and equally long ones
    /// by age, the oldest first, so that one of them is completed at once.
    fn cmp(&self, other: &Self) -> Ordering {
        let cost = self.cost.total_cmp(&other.cost);
        cost.then(self.column.cmp(&other.column)).then(self.tail.cmp(&other.tail))
    }
}

/// The candidates of all paths, linked towards the end; paths with a common end share its links.
#[derive(Default)]
struct Taken(Vec<(u32, u32)>);

/// The end of the text, which has no link.
const NOTHING: u32 = u32::MAX;

impl Taken {
    fn put_before(&mut self, next: u32, candidate: u32) -> u32 {
        self.0.push((candidate, next));
        self.0.len() as u32 - 1
    }

    /// Returns the candidates from a link to the end. The last link represents the end itself and
    /// is dropped.
    fn candidates(&self, first: u32) -> Vec<usize> {
        let links = std::iter::successors(self.0.get(first as usize), |(_, next)| self.0.get(*next as usize));
        let mut candidates: Vec<_> = links.map(|&(candidate, _)| candidate as usize).collect();
        candidates.pop();
        candidates
    }
}
