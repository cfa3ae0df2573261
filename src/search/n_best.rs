//! The n best paths, by a search backward that knows what is left (Soong & Huang 1991).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::Scorer;
use super::lattice::Column;

/// A path and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// −ln p of it all.
    pub cost: f64,
    /// Which candidate it takes at each position.
    pub candidates: Vec<usize>,
}

/// The `n` cheapest ways through the candidates of all positions, the cheapest first; fewer if there are no more. Of equally
/// cheap ones those come first that take earlier candidates at the end.
///
/// Exact: the cost forward to each node is the least that is left for a search backward, so each path that comes off its
/// queue is the next best.
pub fn n_best<S: Scorer>(scorer: &S, positions: &[Vec<S::Candidate>], n: usize) -> Vec<Path> {
    let mut columns = vec![Column::default()];
    columns[0].start(scorer.start());
    for (at, candidates) in positions.iter().enumerate() {
        let mut column = Column { candidates: candidates.clone(), ..Column::default() };
        column.expand(&columns[at], scorer, at, true);
        columns.push(column);
    }
    let last = columns.len() - 1;
    let mut queue = BinaryHeap::new();
    for (node, end) in columns[last].nodes.iter().enumerate() {
        let behind = f64::from(scorer.finish(end.state));
        queue.push(Reverse(Way { cost: end.cost + behind, behind, node, taken: Vec::new() }));
    }
    let mut paths = Vec::new();
    while paths.len() < n {
        let Some(Reverse(way)) = queue.pop() else { break };
        let column = last - way.taken.len();
        if column == 0 {
            let candidates = way.taken.iter().rev().map(|&candidate| candidate as usize).collect();
            paths.push(Path { cost: way.cost, candidates });
            continue;
        }
        for arc in columns[column].arcs.iter().filter(|arc| arc.to as usize == way.node) {
            let behind = way.behind + f64::from(arc.cost);
            let node = arc.from as usize;
            let taken = way.taken.iter().copied().chain([arc.candidate]).collect();
            queue.push(Reverse(Way {
                cost: columns[column - 1].nodes[node].cost + behind,
                behind,
                node,
                taken,
            }));
        }
    }
    paths
}

/// A way from a node to the end.
struct Way {
    /// Of the best path that it belongs to.
    cost: f64,
    /// From the node to the end.
    behind: f64,
    node: usize,
    /// The candidates on it, from the end: they also settle ties.
    taken: Vec<u32>,
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Way {}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Way {
    fn cmp(&self, other: &Self) -> Ordering {
        let cost = self.cost.total_cmp(&other.cost);
        cost.then_with(|| self.taken.cmp(&other.taken)).then(self.node.cmp(&other.node))
    }
}
