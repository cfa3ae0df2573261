//! The n best paths, by a backward search that knows the remaining cost (Soong & Huang 1991).

use std::cmp::Reverse;
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
    let mut tails = Tails::default();
    let mut queue = BinaryHeap::new();
    // Partial paths by the cost of the best complete path that contains them; equally cheap ones by
    // length, the longest first, and equally long ones by age, the oldest first, so that one of them
    // is completed at once.
    let push = |queue: &mut BinaryHeap<_>, column: usize, node: usize, tail: u32, behind: f64| {
        let cost = columns[column].nodes[node].cost + behind;
        queue.push(Reverse((rank(cost), column, tail, node)));
    };
    for (node, end) in columns[last].nodes.iter().enumerate() {
        let behind = f64::from(scorer.finish(end.state));
        let tail = tails.put_before(NOTHING, 0, behind);
        push(&mut queue, last, node, tail, behind);
    }
    let mut paths = Vec::new();
    while paths.len() < n {
        let Some(Reverse((_, column, tail, node))) = queue.pop() else { break };
        let behind = tails.0[tail as usize].behind;
        if column == 0 {
            let cost = columns[0].nodes[node].cost + behind;
            paths.push(ScoredPath { cost, candidates: tails.candidates(tail) });
            continue;
        }
        for arc in columns[column].arcs.iter().filter(|arc| arc.to as usize == node) {
            let behind = behind + f64::from(arc.cost);
            let tail = tails.put_before(tail, arc.candidate, behind);
            push(&mut queue, column - 1, arc.from as usize, tail, behind);
        }
    }
    paths
}

/// Returns a number that orders like a cost in [`f64::total_cmp`].
fn rank(cost: f64) -> i64 {
    let bits = cost.to_bits().cast_signed();
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// A partial path, from a node to the end.
struct Tail {
    /// The first candidate; the end of the text has one too, which is dropped.
    candidate: u32,
    /// The index of the rest of the path.
    next: u32,
    /// The cost from the node to the end.
    behind: f64,
}

/// All partial paths; paths with a common end share its tails.
#[derive(Default)]
struct Tails(Vec<Tail>);

/// The index of the rest of a path that has none.
const NOTHING: u32 = u32::MAX;

impl Tails {
    fn put_before(&mut self, next: u32, candidate: u32, behind: f64) -> u32 {
        self.0.push(Tail { candidate, next, behind });
        self.0.len() as u32 - 1
    }

    /// Returns the candidates from a tail to the end.
    fn candidates(&self, first: u32) -> Vec<usize> {
        let tails = std::iter::successors(self.0.get(first as usize), |tail| self.0.get(tail.next as usize));
        let mut candidates: Vec<_> = tails.map(|tail| tail.candidate as usize).collect();
        candidates.pop();
        candidates
    }
}
