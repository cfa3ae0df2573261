//! A position's candidates with the hypotheses that end in them.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::Scorer;

/// The number of nodes up to which a linear search is faster than a hash table.
const FEW: usize = 24;

/// All hypotheses in one state.
#[derive(Debug, Clone, Copy)]
pub(super) struct LatticeNode<State> {
    pub(super) state: State,
    /// The cost of the best hypothesis.
    pub(super) cost: f64,
    /// The index of its predecessor in the previous column.
    pub(super) back: u32,
    /// The index of its candidate in this column.
    pub(super) candidate: u32,
}

/// An arc from a node of the previous column to a node of this one.
#[derive(Debug, Clone, Copy)]
pub(super) struct LatticeArc {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) candidate: u32,
    pub(super) cost: f32,
}

/// The candidates and hypotheses of a position.
#[derive(Debug)]
pub(super) struct LatticeColumn<State, Candidate> {
    pub(super) candidates: Vec<Candidate>,
    pub(super) nodes: Vec<LatticeNode<State>>,
    /// All arcs to the nodes, if they are requested.
    pub(super) arcs: Vec<LatticeArc>,
    /// ln of the sum over all hypotheses in each node, if arcs are requested.
    pub(super) forward: Vec<f64>,
}

impl<State, Candidate> Default for LatticeColumn<State, Candidate> {
    fn default() -> Self {
        Self { candidates: Vec::new(), nodes: Vec::new(), arcs: Vec::new(), forward: Vec::new() }
    }
}

impl<State: Copy + Eq + Hash, Candidate: Copy> LatticeColumn<State, Candidate> {
    /// Resets the column to the single hypothesis before the first position.
    pub(super) fn start(&mut self, state: State) {
        self.clear();
        self.nodes.push(LatticeNode { state, cost: 0.0, back: 0, candidate: 0 });
        self.forward.push(0.0);
    }

    /// Clears the column and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.candidates.clear();
        self.reset();
    }

    /// Clears the column and keeps its candidates.
    pub(super) fn reset(&mut self) {
        self.nodes.clear();
        self.arcs.clear();
        self.forward.clear();
    }

    /// Adds the nodes of the candidates after the nodes of the previous column. The cheapest
    /// hypothesis in a state stays; of equally cheap ones, the first: the hypothesis of the first
    /// candidate after the first node.
    #[inline]
    pub(super) fn expand<S>(&mut self, before: &Self, scorer: &S, at: usize, arcs: bool)
    where
        S: Scorer<State = State, Candidate = Candidate>,
    {
        let mut found: FxHashMap<State, u32> = FxHashMap::default();
        for (candidate, &next) in (0..).zip(&self.candidates) {
            for (back, node) in (0..).zip(&before.nodes) {
                let (cost, state) = scorer.step(at, node.state, next);
                let new = LatticeNode { state, cost: node.cost + f64::from(cost), back, candidate };
                let to = position(&mut self.nodes, &mut found, new);
                if arcs {
                    self.arcs.push(LatticeArc { from: back, to, candidate, cost });
                }
            }
        }
        if arcs {
            self.sum_forward(before);
        }
    }

    fn sum_forward(&mut self, before: &Self) {
        self.forward.clear();
        self.forward.resize(self.nodes.len(), f64::NEG_INFINITY);
        for arc in &self.arcs {
            let sum = &mut self.forward[arc.to as usize];
            *sum = log_add(*sum, before.forward[arc.from as usize] - f64::from(arc.cost));
        }
    }

    /// Returns the node with the least cost, including the cost of ending in it, which is 0 if `ending`
    /// has none; of equally cheap nodes, the first.
    pub(super) fn best(&self, ending: &[f64]) -> usize {
        let ending = |at: usize| ending.get(at).copied().unwrap_or(0.0);
        let costs = self.nodes.iter().enumerate().map(|(at, node)| (at, node.cost + ending(at)));
        costs.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at)
    }
}

/// Adds a hypothesis to the node of its state, and returns the index of the node.
#[inline]
fn position<State: Copy + Eq + Hash>(
    nodes: &mut Vec<LatticeNode<State>>,
    found: &mut FxHashMap<State, u32>,
    new: LatticeNode<State>,
) -> u32 {
    let at = if nodes.len() <= FEW {
        nodes.iter().position(|node| node.state == new.state)
    } else {
        if found.is_empty() {
            found.extend((0..).zip(&*nodes).map(|(at, node)| (node.state, at)));
        }
        found.get(&new.state).map(|&at| at as usize)
    };
    match at {
        Some(at) => {
            if new.cost < nodes[at].cost {
                nodes[at] = new;
            }
            at as u32
        }
        None => {
            if nodes.len() > FEW {
                found.insert(new.state, nodes.len() as u32);
            }
            nodes.push(new);
            nodes.len() as u32 - 1
        }
    }
}

/// Returns ln(e^a + e^b).
pub(super) fn log_add(a: f64, b: f64) -> f64 {
    let (less, more) = if a < b { (a, b) } else { (b, a) };
    if less == f64::NEG_INFINITY { more } else { more + (less - more).exp().ln_1p() }
}
