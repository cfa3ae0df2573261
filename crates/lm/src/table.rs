//! A sorted model: all n-grams as a trie in arrays, in which each n-gram is linked to the shorter
//! n-gram that it backs off to.
//!
//! Nodes are numbered order by order, and within an order they are sorted by their words, so that
//! the n-grams that begin with another one are adjacent. The number of a 1-gram is the number of
//! its word. Models are built, changed and written in this form; [`super::scorer`] has the form for
//! looking words up.

use std::fmt;
use std::ops::Range;

use super::MAX_ORDER;
use super::scorer::{NgramState, ScoredWord};
use super::vocab::WordId;

/// A number in little-endian bytes, which can be read in place from a file at any address.
pub(super) type LittleEndian = [u8; 4];

/// The words that may follow a state, in the order of their numbers.
pub type Successors<'a> = dyn Iterator<Item = (WordId, ScoredWord)> + 'a;

/// A state of the model as an automaton.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AutomatonState {
    /// The state.
    pub state: NgramState,
    /// log10 of the state's back-off and the state that it backs off to; the empty state has none.
    pub back_off: Option<(f32, NgramState)>,
}

/// An n-gram: its last word, log10 p, and the state of its longest proper suffix.
pub(super) type NgramNode = [LittleEndian; 3];

/// A node below the highest order: its first longer n-gram, log10 back-off, and a copy of the state
/// of its longest proper suffix, so that one cache line suffices.
pub(super) type ContextNode = [LittleEndian; 3];

/// The values of a model. A node is an n-gram; a context is a node below the highest order.
#[derive(Clone, PartialEq, Default)]
pub struct NgramTable {
    /// The start of each order's nodes, followed by the end of the last order's.
    pub(super) starts: Vec<u32>,
    /// The n-grams; n-grams of one order are adjacent.
    pub nodes: Vec<NgramNode>,
    /// The contexts, followed by one with the number of nodes.
    pub(super) contexts: Vec<ContextNode>,
}

impl fmt::Debug for NgramTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({:?})", self.counts())
    }
}

impl NgramTable {
    /// Returns the length of the longest n-grams.
    pub fn order(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn counts(&self) -> Vec<usize> {
        self.starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect()
    }

    /// Builds a table from n-grams of more than one word, sorted by their contexts and their last
    /// words, each with log10 p and the state after it; `None` if they are inconsistent.
    pub(super) fn of_ngrams(
        counts: &[u32],
        unigrams: &[[LittleEndian; 2]],
        contexts: &[[LittleEndian; 2]],
        ngrams: &[(u64, LittleEndian, LittleEndian)],
    ) -> Option<Self> {
        let none = NgramState::EMPTY.0.to_le_bytes();
        let mut starts = vec![0u32];
        for &count in counts {
            starts.push(starts.last()?.checked_add(count)?);
        }
        let mut nodes: Vec<NgramNode> =
            (0u32..).zip(unigrams).map(|(word, unigram)| [word.to_le_bytes(), unigram[0], none]).collect();
        nodes.reserve_exact(ngrams.len());
        for &(key, log10, state) in ngrams {
            let suffix = contexts.get(nodes.len()).map_or(state, |context| context[1]);
            nodes.push([(key as u32).to_le_bytes(), log10, suffix]);
        }
        let mut first = 0;
        let mut ordered = Vec::with_capacity(contexts.len() + 1);
        for (context, &[back_off, suffix]) in (0u64..).zip(contexts) {
            ordered.push([((unigrams.len() + first) as u32).to_le_bytes(), back_off, suffix]);
            first += ngrams[first..].iter().take_while(|(key, ..)| key >> 32 == context).count();
        }
        ordered.push([((unigrams.len() + ngrams.len()) as u32).to_le_bytes(), [0; 4], none]);
        Self { starts, nodes, contexts: ordered }.sound()
    }

    /// Builds a table of 1-grams alone, with the given order.
    pub(super) fn of_unigrams(order: usize, unigrams: &[[LittleEndian; 2]]) -> Self {
        let none = NgramState::EMPTY.0.to_le_bytes();
        let count = unigrams.len() as u32;
        let mut starts = vec![count; order + 1];
        starts[0] = 0;
        let nodes = (0u32..).zip(unigrams).map(|(word, unigram)| [word.to_le_bytes(), unigram[0], none]);
        let contexts = if order > 1 { unigrams.len() } else { 0 };
        Self {
            starts,
            nodes: nodes.collect(),
            contexts: vec![[count.to_le_bytes(), [0; 4], none]; contexts + 1],
        }
    }

    /// Returns the table if its arrays are consistent, so that walking them ends and never panics,
    /// whatever their values.
    fn sound(self) -> Option<Self> {
        let table = self;
        let count = table.contexts.len().checked_sub(1)?;
        let vocabulary = table.counts()[0];
        let suffix_is_sound = |node: u32, suffix: LittleEndian| {
            let suffix = number(suffix);
            suffix == NgramState::EMPTY.0
                || suffix < node && (suffix as usize) < count && node >= table.starts[1]
        };
        let node_is_sound = |(at, node): (u32, &NgramNode)| {
            let word = number(node[0]);
            (word as usize) < vocabulary
                && (word == at || at >= table.starts[1])
                && float(node[1]).is_finite()
                && float(node[1]) <= 0.0
                && suffix_is_sound(at, node[2])
        };
        let context_is_sound = |(at, context): (u32, &ContextNode)| {
            float(context[1]).is_finite() && suffix_is_sound(at, context[2])
        };
        let sound = table.starts.is_sorted()
            && table.starts[..2] == [0, vocabulary as u32]
            && table.starts[table.order() - 1] as usize == count
            && table.starts[table.order()] as usize == table.nodes.len()
            && table.nodes.len() < NgramState::EMPTY.0 as usize
            && table.contexts.is_sorted_by_key(|context| number(context[0]))
            && table.first(count as u32) as usize == table.nodes.len()
            && (1..table.order()).all(|order| table.first(table.starts[order - 1]) == table.starts[order])
            && (0..).zip(&table.nodes).all(node_is_sound)
            && (0..).zip(&table.contexts[..count]).all(context_is_sound)
            && (0..count as u32)
                .all(|context| table.after(context).is_sorted_by(|a, b| number(a[0]) < number(b[0])));
        sound.then_some(table)
    }

    /// Returns the nodes of an order.
    pub fn order_nodes(&self, order: usize) -> Range<u32> {
        self.starts[order - 1]..self.starts[order]
    }

    /// Returns the n-grams that begin with a node and have one word more.
    pub fn longer(&self, node: u32) -> Range<u32> {
        if self.is_context(node) { self.range(node) } else { 0..0 }
    }

    /// Returns the last word of a node.
    pub fn word(&self, node: u32) -> u32 {
        number(self.nodes[node as usize][0])
    }

    /// Returns log10 p of a node.
    pub fn log10(&self, node: u32) -> f64 {
        f64::from(float(self.nodes[node as usize][1]))
    }

    /// Returns the log10 back-off of a context.
    pub fn back_off(&self, context: u32) -> f32 {
        float(self.contexts[context as usize][1])
    }

    /// Returns log10 p of a word after the suffix of a context.
    pub fn log10_after_suffix(&self, context: u32, word: u32) -> f64 {
        let mut back_off = 0.0;
        for at in self.suffixes(context) {
            if let Some(node) = self.child(at, word) {
                return back_off + self.log10(node);
            }
            back_off += f64::from(self.back_off(at));
        }
        back_off + self.log10(word)
    }

    /// Iterates over the contexts that a context backs off to, the longest first.
    #[inline]
    fn suffixes(&self, context: u32) -> impl Iterator<Item = u32> {
        let suffix = move |context: u32| {
            Some(number(self.contexts[context as usize][2])).filter(|&at| at != NgramState::EMPTY.0)
        };
        std::iter::successors(suffix(context), move |&context| suffix(context))
    }

    /// Passes every state to `visit`, with the words that follow it.
    pub(super) fn for_each_state(&self, visit: &mut dyn FnMut(AutomatonState, &mut Successors<'_>)) {
        let steps = |nodes: Range<u32>| {
            nodes.map(move |node| {
                let [word, probability, _] = self.nodes[node as usize];
                let state = NgramState(self.state(node));
                (WordId(number(word)), ScoredWord { log10: float(probability), state })
            })
        };
        let empty = AutomatonState { state: NgramState::EMPTY, back_off: None };
        visit(empty, &mut steps(self.order_nodes(1)));
        for context in (0..self.contexts.len() as u32 - 1).filter(|&context| self.matters(context)) {
            let [_, back_off, suffix] = self.contexts[context as usize];
            let back_off = Some((float(back_off), NgramState(number(suffix))));
            visit(AutomatonState { state: NgramState(context), back_off }, &mut steps(self.range(context)));
        }
    }

    /// Passes every n-gram of an order to `visit`.
    pub(super) fn for_each(&self, order: usize, visit: &mut dyn FnMut(&[WordId], f32, f32)) {
        self.walk(self.order_nodes(1), &mut [WordId::UNKNOWN; MAX_ORDER], 0, order, visit);
    }

    fn walk(
        &self,
        nodes: Range<u32>,
        path: &mut [WordId; MAX_ORDER],
        depth: usize,
        order: usize,
        visit: &mut dyn FnMut(&[WordId], f32, f32),
    ) {
        for node in nodes {
            let [word, probability, _] = self.nodes[node as usize];
            path[depth] = WordId(number(word));
            if depth + 1 == order {
                let back_off = if self.is_context(node) { self.back_off(node) } else { 0.0 };
                visit(&path[..order], float(probability), back_off);
            } else {
                self.walk(self.range(node), path, depth + 1, order, visit);
            }
        }
    }

    #[inline]
    fn is_context(&self, node: u32) -> bool {
        (node as usize) + 1 < self.contexts.len()
    }

    /// Returns the first n-gram that begins with a context.
    #[inline]
    fn first(&self, context: u32) -> u32 {
        number(self.contexts[context as usize][0])
    }

    #[inline]
    fn range(&self, context: u32) -> Range<u32> {
        self.first(context)..self.first(context + 1)
    }

    /// Returns the n-grams that begin with a context and have one word more.
    #[inline]
    fn after(&self, context: u32) -> &[NgramNode] {
        &self.nodes[self.first(context) as usize..self.first(context + 1) as usize]
    }

    /// Finds the n-gram of a context and a word.
    #[inline]
    fn child(&self, context: u32, word: u32) -> Option<u32> {
        search(self.after(context), word).ok().map(|at| self.first(context) + at as u32)
    }

    /// Returns the number of the state after an n-gram.
    #[inline]
    pub(super) fn state(&self, node: u32) -> u32 {
        if self.matters(node) { node } else { number(self.nodes[node as usize][2]) }
    }

    /// Returns true if a history that ends in this n-gram is scored differently from a history that
    /// ends in its suffix.
    #[inline]
    fn matters(&self, node: u32) -> bool {
        self.is_context(node) && (!self.after(node).is_empty() || self.back_off(node) != 0.0)
    }
}

/// Searches sorted nodes for a word: its index, or the index at which it would be inserted.
#[inline]
fn search(nodes: &[NgramNode], word: u32) -> Result<usize, usize> {
    nodes.binary_search_by(|&[found, ..]| number(found).cmp(&word))
}

#[inline]
pub(super) fn number(cell: LittleEndian) -> u32 {
    u32::from_le_bytes(cell)
}

#[inline]
pub(super) fn float(cell: LittleEndian) -> f32 {
    f32::from_le_bytes(cell)
}

/// The probability mass that a context leaves to the words that it does not list, and their mass
/// under its suffix.
#[derive(Debug, Clone, Copy)]
pub struct ContextRest {
    /// The probability mass that the context leaves to unlisted words.
    pub own: f64,
    /// The probability mass of unlisted words under the suffix.
    pub shorter: f64,
}
impl Default for ContextRest {
    fn default() -> Self {
        Self { own: 1.0, shorter: 1.0 }
    }
}
impl ContextRest {
    /// Subtracts a listed word, given log10 p of the word after the context and after its suffix.
    pub fn give(&mut self, log10: f64, shorter: f64) {
        self.own -= 10f64.powf(log10);
        self.shorter -= 10f64.powf(shorter);
    }

    /// Returns the log10 back-off with which the probabilities sum to one.
    pub fn log10_back_off(self) -> f32 {
        let Self { own, shorter } = self.at_least_tiny();
        (own / shorter).log10() as f32
    }

    /// Raises both masses to a small positive value: if all mass is given away, only rounding
    /// errors are left.
    pub fn at_least_tiny(self) -> Self {
        const TINY: f64 = 1e-9;
        Self { own: self.own.max(TINY), shorter: self.shorter.max(TINY) }
    }
}

/// Builds a table order by order, each sorted by its words.
#[derive(Debug)]
pub struct NgramTableBuilder {
    table: NgramTable,
    /// The order of the finished table.
    order: usize,
    /// The number of contexts that have been begun.
    begun: u32,
    /// The context begun last, its suffix, and the suffix's longer n-grams after the last word.
    context: u32,
    suffix: u32,
    rest: Range<u32>,
}

/// The error for a model with too many n-grams.
const TOO_MANY: &str = "more than 4,294,967,294 n-grams: use a lower order, a smaller vocabulary or cut-offs";

impl NgramTableBuilder {
    /// Creates a builder with the log10 p and back-off of each 1-gram; in a model of order 1, the
    /// back-offs are ignored.
    pub fn new(order: usize, unigrams: impl ExactSizeIterator<Item = (f32, f32)>) -> Self {
        let mut table = NgramTable { starts: vec![0, unigrams.len() as u32], ..NgramTable::default() };
        let none = NgramState::EMPTY.0.to_le_bytes();
        for (word, (probability, back_off)) in (0u32..).zip(unigrams) {
            table.nodes.push([word.to_le_bytes(), probability.to_le_bytes(), none]);
            if order > 1 {
                table.contexts.push([none, back_off.to_le_bytes(), none]);
            }
        }
        Self { table, order, begun: 0, context: 0, suffix: NgramState::EMPTY.0, rest: 0..0 }
    }

    /// Reserves memory for the n-grams of another order.
    pub fn reserve(&mut self, count: usize) {
        self.table.nodes.reserve_exact(count);
        self.table.contexts.reserve_exact(if self.is_at_highest() { 1 } else { count });
    }

    /// Returns true if the n-grams pushed next are of the highest order.
    #[inline]
    fn is_at_highest(&self) -> bool {
        self.table.order() + 1 == self.order
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> u32 {
        self.table.nodes.len() as u32
    }

    /// Begins the context at this position among the n-grams of the last completed order: the
    /// n-grams pushed next begin with it. Contexts must come in order.
    pub fn begin(&mut self, at: u32) {
        self.begin_context(self.table.starts[self.table.order() - 1] + at);
    }

    /// Begins the next context.
    pub fn begin_next(&mut self) {
        self.begin_context(self.begun);
    }

    fn begin_context(&mut self, context: u32) {
        let node = self.len().to_le_bytes();
        while self.begun <= context {
            self.table.contexts[self.begun as usize][0] = node;
            self.begun += 1;
        }
        self.context = context;
        self.suffix = number(self.table.contexts[context as usize][2]);
        if self.suffix != NgramState::EMPTY.0 {
            self.rest = self.table.range(self.suffix);
        }
    }

    /// Returns the longest proper suffix of the n-gram made of the current context and a word.
    #[inline]
    fn suffix(&mut self, word: u32) -> u32 {
        if self.suffix == NgramState::EMPTY.0 {
            return word;
        }
        match search_ahead(&self.table.nodes[self.rest.start as usize..self.rest.end as usize], word) {
            Ok(at) => {
                self.rest.start += at as u32 + 1;
                self.rest.start - 1
            }
            Err(at) => {
                self.rest.start += at as u32;
                let mut shorter = self.table.suffixes(self.suffix);
                shorter.find_map(|context| self.table.child(context, word)).unwrap_or(word)
            }
        }
    }

    /// Appends an n-gram that begins with the current context, given its last word, log10 p and
    /// back-off, which is ignored in the highest order. Words must come in order.
    #[inline]
    pub fn push(&mut self, word: u32, probability: f32, back_off: f32) {
        let suffix = self.suffix(word).to_le_bytes();
        self.table.nodes.push([word.to_le_bytes(), probability.to_le_bytes(), suffix]);
        if !self.is_at_highest() {
            self.table.contexts.push([NgramState::EMPTY.0.to_le_bytes(), back_off.to_le_bytes(), suffix]);
        }
    }

    /// Ends an order: all of its n-grams have been pushed.
    pub fn end_order(&mut self) -> Result<(), &'static str> {
        // The highest number represents the empty state.
        if self.table.nodes.len() >= NgramState::EMPTY.0 as usize {
            return Err(TOO_MANY);
        }
        self.begin_context(self.table.starts[self.table.order()] - 1);
        // The n-grams of the last context end where the first of the next order will begin.
        let count = self.len();
        self.table.starts.push(count);
        Ok(())
    }

    /// Returns log10 p of a word after the suffix of the current context.
    pub fn log10_after_suffix(&self, word: u32) -> f64 {
        self.table.log10_after_suffix(self.context, word)
    }

    /// Returns log10 p of a word that the current context does not list, which is at most 0.
    pub(super) fn log10_backed_off(&self, word: u32) -> f32 {
        (f64::from(self.table.back_off(self.context)) + self.log10_after_suffix(word)).min(0.0) as f32
    }

    /// Sets the back-off of the current context, which may be known only after its n-grams.
    pub fn set_back_off(&mut self, back_off: f32) {
        self.table.contexts[self.context as usize][1] = back_off.to_le_bytes();
    }

    /// Returns the table, in which every link to a suffix that cannot
    /// matter is redirected to one that can.
    pub fn finish(mut self) -> NgramTable {
        let none = NgramState::EMPTY.0.to_le_bytes();
        self.table.contexts.push([self.len().to_le_bytes(), [0; 4], none]);
        for node in 0..self.len() {
            // Suffixes are shorter, so their links have already been redirected.
            let suffix = number(self.table.nodes[node as usize][2]);
            if suffix != NgramState::EMPTY.0 {
                let state = self.table.state(suffix).to_le_bytes();
                self.table.nodes[node as usize][2] = state;
                if self.table.is_context(node) {
                    self.table.contexts[node as usize][2] = state;
                }
            }
        }
        self.table
    }
}

/// Searches like [`search`], but faster if the word is near the beginning.
#[inline]
fn search_ahead(nodes: &[NgramNode], word: u32) -> Result<usize, usize> {
    let mut end = 1;
    while end < nodes.len() && number(nodes[end - 1][0]) < word {
        end *= 2;
    }
    let start = end / 2;
    let found = search(&nodes[start..end.min(nodes.len())], word);
    found.map(|at| at + start).map_err(|at| at + start)
}
