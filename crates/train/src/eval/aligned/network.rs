//! Two transcripts with alternatives in, the cheapest way through both out.
//!
//! A transcript is a network: states, and words that lead from one to the next; alternatives begin in one state and end in another. The
//! way through both is found by dynamic programming over pairs of states, and costs what it costs in NIST's sclite: 4 for two words that
//! differ, 3 for a word that is missing or made up, 2 for such a word that is optional. So of alternatives the best one is taken. Of ways
//! that cost as little, the one is given that is found from the end by taking, at each step, the first of these that costs as little as
//! any: two words together; a word of the hypothesis inserted; a word of the reference deleted.

use majuscule::text::Case;

/// A word of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NetworkWord<'a> {
    /// Its letters in lower case.
    pub(super) lower: &'a str,
    /// The same for equal letters.
    pub(super) number: u32,
    pub(super) case: Case,
    /// Whether it may be left out.
    pub(super) optional: bool,
}

/// A way from one state to a later one: by a word, or without one.
#[derive(Debug, Clone, Copy)]
struct NetworkArc<'a> {
    from: usize,
    word: Option<NetworkWord<'a>>,
}

/// Words in order, with alternatives.
#[derive(Debug)]
pub(super) struct Network<'a> {
    arcs: Vec<NetworkArc<'a>>,
    /// Of each state but the first, where its arcs end; those of the state before end where its own begin.
    ends: Vec<usize>,
    /// The state at which the next word begins.
    at: usize,
    /// Alternatives that are open: the state at which they begin, and those at which they have ended so far.
    open: Vec<(usize, Vec<usize>)>,
    /// Whether it is words in order and nothing else, none of them optional.
    is_plain: bool,
}

/// What becomes of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditStep<'a> {
    /// One of each side stand together.
    Both(NetworkWord<'a>, NetworkWord<'a>),
    /// The hypothesis lacks a word of the reference.
    Delete(NetworkWord<'a>),
    /// The reference lacks a word of the hypothesis.
    Insert(NetworkWord<'a>),
}

impl<'a> Network<'a> {
    pub(super) fn new() -> Self {
        Self { arcs: Vec::new(), ends: Vec::new(), at: 0, open: Vec::new(), is_plain: true }
    }

    /// Appends a word.
    pub(super) fn push(&mut self, word: NetworkWord<'a>) {
        self.is_plain &= !word.optional;
        self.arcs.push(NetworkArc { from: self.at, word: Some(word) });
        self.end_state();
    }

    /// Begins alternatives, the first at once.
    pub(super) fn open(&mut self) {
        self.is_plain = false;
        self.open.push((self.at, Vec::new()));
    }

    /// Begins the next alternative.
    pub(super) fn next(&mut self) {
        if let Some((start, ends)) = self.open.last_mut() {
            ends.push(std::mem::replace(&mut self.at, *start));
        }
    }

    /// Ends the alternatives that began last.
    pub(super) fn close(&mut self) {
        if let Some((_, ends)) = self.open.pop() {
            let ends = ends.into_iter().chain([self.at]);
            self.arcs.extend(ends.map(|from| NetworkArc { from, word: None }));
            self.end_state();
        }
    }

    /// The arcs that were added since the last state lead to the next.
    fn end_state(&mut self) {
        self.ends.push(self.arcs.len());
        self.at = self.ends.len();
    }

    /// Whether it is words in order and nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Its words in order, of alternatives those of the first.
    pub(super) fn first(&self) -> Vec<NetworkWord<'a>> {
        let mut words = Vec::new();
        let mut state = self.at;
        while let Some(arc) = self.arcs(state).first() {
            words.extend(arc.word);
            state = arc.from;
        }
        words.reverse();
        words
    }

    /// How many states there are.
    pub(super) fn states(&self) -> usize {
        self.ends.len() + 1
    }

    /// The arcs that lead to a state, all of them from states before it.
    fn arcs(&self, state: usize) -> &[NetworkArc<'a>] {
        let Some(last) = state.checked_sub(1) else { return &[] };
        let start = last.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.arcs[start..self.ends[last]]
    }
}

/// What a word costs that stands alone.
fn alone(word: Option<NetworkWord<'_>>) -> u32 {
    match word {
        None => 0,
        Some(word) if word.optional => 2,
        Some(_) => 3,
    }
}

/// What it costs that two words stand together.
fn together(reference: NetworkWord<'_>, hypothesis: NetworkWord<'_>) -> u32 {
    if reference.number == hypothesis.number { 0 } else { 4 }
}

/// How a pair of states is reached.
#[derive(Clone, Copy)]
enum Back<'a> {
    Both(NetworkArc<'a>, NetworkArc<'a>),
    Reference(NetworkArc<'a>),
    Hypothesis(NetworkArc<'a>),
}

/// What it costs to reach each pair of states.
struct Costs<'n, 'a> {
    reference: &'n Network<'a>,
    hypothesis: &'n Network<'a>,
    costs: Vec<u32>,
}

impl<'a> Costs<'_, 'a> {
    fn at(&self, i: usize, j: usize) -> u32 {
        self.costs[i * self.hypothesis.states() + j]
    }

    /// The cheapest way to a pair of states, those before it being known; `None` at the beginning.
    fn best(&self, i: usize, j: usize) -> Option<(u32, Back<'a>)> {
        let mut best: Option<(u32, Back<'a>)> = None;
        let mut offer = |cost: u32, back: Back<'a>| {
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, back));
            }
        };
        let (references, hypotheses) = (self.reference.arcs(i), self.hypothesis.arcs(j));
        for &one in references {
            for &other in hypotheses {
                if let (Some(reference), Some(hypothesis)) = (one.word, other.word) {
                    let cost = self.at(one.from, other.from) + together(reference, hypothesis);
                    offer(cost, Back::Both(one, other));
                }
            }
        }
        for &arc in hypotheses {
            offer(self.at(i, arc.from) + alone(arc.word), Back::Hypothesis(arc));
        }
        for &arc in references {
            offer(self.at(arc.from, j) + alone(arc.word), Back::Reference(arc));
        }
        best
    }
}

/// The cheapest way through both, in order. Takes time and memory of the product of both lengths. Alternatives must have been closed.
pub(super) fn align<'a>(reference: &Network<'a>, hypothesis: &Network<'a>) -> Vec<EditStep<'a>> {
    let (rows, columns) = (reference.states(), hypothesis.states());
    let mut costs = Costs { reference, hypothesis, costs: Vec::with_capacity(rows * columns) };
    for i in 0..rows {
        for j in 0..columns {
            let cost = costs.best(i, j).map_or(0, |(cost, _)| cost);
            costs.costs.push(cost);
        }
    }
    let mut steps = Vec::with_capacity(rows.max(columns));
    let (mut i, mut j) = (rows - 1, columns - 1);
    while let Some((_, back)) = costs.best(i, j) {
        match back {
            Back::Both(one, other) => {
                steps.extend(one.word.zip(other.word).map(|(one, other)| EditStep::Both(one, other)));
                (i, j) = (one.from, other.from);
            }
            Back::Reference(arc) => {
                steps.extend(arc.word.map(EditStep::Delete));
                i = arc.from;
            }
            Back::Hypothesis(arc) => {
                steps.extend(arc.word.map(EditStep::Insert));
                j = arc.from;
            }
        }
    }
    steps.reverse();
    steps
}
