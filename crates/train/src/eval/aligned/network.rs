//! Finds the cheapest alignment of two transcripts with alternatives.
//!
//! A transcript is a network of states and words: each word leads from one state to the next, and
//! alternatives share their first and last states. The alignment is found by dynamic programming
//! over pairs of states, with the costs of NIST's sclite: 4 for two different words, 3 for a
//! deleted or inserted word, 2 for a deleted or inserted word that is optional. The best of several
//! alternatives is therefore chosen. Among alignments of equal cost, the result is the one found
//! from the end by taking, at each step, the first of these moves that has the least cost: two
//! words together; a word of the hypothesis inserted; a word of the reference deleted.

use majuscule_text::{Case, Mark};

/// A word of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AlignmentWord<'a> {
    /// The letters of the word in lower case.
    pub(super) lower: &'a str,
    /// The identifier of the letters: equal for equal letters.
    pub(super) number: u32,
    pub(super) case: Case,
    /// The mark after the word.
    pub(super) mark: Mark,
    /// The index of the utterance's group in the transcript.
    pub(super) group: usize,
    /// True if the word may be omitted.
    pub(super) optional: bool,
}

/// An arc from one state to a later one, with or without a word.
#[derive(Debug, Clone, Copy)]
struct NetworkArc<'a> {
    from: usize,
    word: Option<AlignmentWord<'a>>,
}

/// Words in order, with alternatives.
#[derive(Debug)]
pub(super) struct Network<'a> {
    arcs: Vec<NetworkArc<'a>>,
    /// For each state but the first, the end of its incoming arcs in `arcs`. They begin where the
    /// arcs of the previous state end.
    ends: Vec<usize>,
    /// The state from which the next word starts.
    at: usize,
    /// The open sets of alternatives: the state from which they start, and the states at which they
    /// have ended so far.
    open: Vec<(usize, Vec<usize>)>,
    /// True if the network is a plain sequence of words, none of them optional.
    is_plain: bool,
}

/// Words that are aligned with each other, or a word that only the reference or only the hypothesis has.
pub(super) type AlignedWords<'a> = (Option<AlignmentWord<'a>>, Option<AlignmentWord<'a>>);

impl<'a> Network<'a> {
    pub(super) fn new() -> Self {
        Self { arcs: Vec::new(), ends: Vec::new(), at: 0, open: Vec::new(), is_plain: true }
    }

    /// Appends a word.
    pub(super) fn push(&mut self, word: AlignmentWord<'a>) {
        self.is_plain &= !word.optional;
        self.arcs.push(NetworkArc { from: self.at, word: Some(word) });
        self.end_state();
    }

    /// Opens a set of alternatives, and begins the first of them.
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

    /// Closes the set of alternatives that was opened last.
    pub(super) fn close(&mut self) {
        if let Some((_, ends)) = self.open.pop() {
            let ends = ends.into_iter().chain([self.at]);
            self.arcs.extend(ends.map(|from| NetworkArc { from, word: None }));
            self.end_state();
        }
    }

    /// Makes the arcs added since the last state lead to the next state.
    fn end_state(&mut self) {
        self.ends.push(self.arcs.len());
        self.at = self.ends.len();
    }

    /// Returns true if the network is a plain sequence of words, none of them optional.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns the words in order, with only the first alternative of each set. No word counts as optional.
    pub(super) fn first(&self) -> Vec<AlignmentWord<'a>> {
        let mut words = Vec::new();
        let mut state = self.at;
        while let Some(arc) = self.arcs(state).first() {
            words.extend(arc.word.map(|word| AlignmentWord { optional: false, ..word }));
            state = arc.from;
        }
        words.reverse();
        words
    }

    /// The number of states.
    pub(super) fn states(&self) -> usize {
        self.ends.len() + 1
    }

    /// The arcs that lead to a state, all of them from earlier states.
    fn arcs(&self, state: usize) -> &[NetworkArc<'a>] {
        let Some(last) = state.checked_sub(1) else { return &[] };
        let start = last.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.arcs[start..self.ends[last]]
    }
}

/// The cost of a word that is aligned with nothing.
fn alone(word: Option<AlignmentWord<'_>>) -> u32 {
    match word {
        None => 0,
        Some(word) if word.optional => 2,
        Some(_) => 3,
    }
}

/// The cost of aligning two words with each other.
fn together(reference: AlignmentWord<'_>, hypothesis: AlignmentWord<'_>) -> u32 {
    if reference.number == hypothesis.number { 0 } else { 4 }
}

/// The arcs of the reference and of the hypothesis by which a pair of states is reached.
type Back<'a> = (Option<NetworkArc<'a>>, Option<NetworkArc<'a>>);

/// The cost of reaching each pair of states.
struct Costs<'n, 'a> {
    reference: &'n Network<'a>,
    hypothesis: &'n Network<'a>,
    costs: Vec<u32>,
}

impl<'a> Costs<'_, 'a> {
    fn at(&self, i: usize, j: usize) -> u32 {
        self.costs[i * self.hypothesis.states() + j]
    }

    /// The cheapest way to reach a pair of states, once the costs of all earlier pairs are known.
    /// `None` for the first pair.
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
                    offer(cost, (Some(one), Some(other)));
                }
            }
        }
        for &arc in hypotheses {
            offer(self.at(i, arc.from) + alone(arc.word), (None, Some(arc)));
        }
        for &arc in references {
            offer(self.at(arc.from, j) + alone(arc.word), (Some(arc), None));
        }
        best
    }
}

/// Returns the cheapest alignment of two networks, in order. Takes time and memory proportional to
/// the product of both lengths. All alternatives must have been closed.
pub(super) fn align<'a>(reference: &Network<'a>, hypothesis: &Network<'a>) -> Vec<AlignedWords<'a>> {
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
    while let Some((_, (one, other))) = costs.best(i, j) {
        let word = |arc: Option<NetworkArc<'a>>| arc.and_then(|arc| arc.word);
        let words = (word(one), word(other));
        if words != (None, None) {
            steps.push(words);
        }
        (i, j) = (one.map_or(i, |arc| arc.from), other.map_or(j, |arc| arc.from));
    }
    steps.reverse();
    steps
}
