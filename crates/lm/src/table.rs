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
        let view = table.view();
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
            && view.first(count as u32) as usize == table.nodes.len()
            && (1..table.order()).all(|order| view.first(table.starts[order - 1]) == table.starts[order])
            && (0..).zip(&table.nodes).all(node_is_sound)
            && (0..).zip(&table.contexts[..count]).all(context_is_sound)
            && (0..count as u32).all(|context| {
                let (start, end) = view.range(context);
                table.nodes[start as usize..end as usize].is_sorted_by(|a, b| number(a[0]) < number(b[0]))
            });
        sound.then_some(table)
    }

    /// Returns the nodes of an order.
    pub fn order_nodes(&self, order: usize) -> Range<u32> {
        self.starts[order - 1]..self.starts[order]
    }

    /// Returns the n-grams that begin with a node and have one word more.
    pub fn longer(&self, node: u32) -> Range<u32> {
        match self.view() {
            view if view.is_context(node) => view.first(node)..view.first(node + 1),
            _ => 0..0,
        }
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
        let view = self.view();
        let mut back_off = 0.0;
        let mut at = number(self.contexts[context as usize][2]);
        while at != NgramState::EMPTY.0 {
            if let Some(node) = view.child(at, word) {
                return back_off + self.log10(node);
            }
            back_off += f64::from(self.back_off(at));
            at = number(self.contexts[at as usize][2]);
        }
        back_off + self.log10(word)
    }

    /// Returns the number of the state after an n-gram.
    pub(super) fn state(&self, node: u32) -> u32 {
        self.view().state(node)
    }

    fn view(&self) -> TableArrays<'_> {
        TableArrays { nodes: &self.nodes, contexts: &self.contexts }
    }

    /// Passes every state to `visit`, with the words that follow it.
    pub(super) fn for_each_state(&self, visit: &mut dyn FnMut(AutomatonState, &mut Successors<'_>)) {
        let view = self.view();
        let steps = |(start, end): (u32, u32)| {
            (start..end).map(move |node| {
                let [word, probability, _] = view.nodes[node as usize];
                (
                    WordId(number(word)),
                    ScoredWord { log10: float(probability), state: NgramState(view.state(node)) },
                )
            })
        };
        let empty = AutomatonState { state: NgramState::EMPTY, back_off: None };
        visit(empty, &mut steps((self.starts[0], self.starts[1])));
        for context in (0..self.contexts.len() as u32 - 1).filter(|&context| view.matters(context)) {
            let [_, back_off, suffix] = self.contexts[context as usize];
            let back_off = Some((float(back_off), NgramState(number(suffix))));
            visit(AutomatonState { state: NgramState(context), back_off }, &mut steps(view.range(context)));
        }
    }

    /// Passes every n-gram of an order to `visit`.
    pub(super) fn for_each(&self, order: usize, visit: &mut dyn FnMut(&[WordId], f32, f32)) {
        let view = self.view();
        let mut path = [WordId::UNKNOWN; MAX_ORDER];
        let (start, end) = (self.starts[0], self.starts[1]);
        view.walk(start, end, &mut path, 0, order, visit);
    }
}

/// The arrays of a table.
#[derive(Debug, Clone, Copy)]
struct TableArrays<'a> {
    nodes: &'a [NgramNode],
    contexts: &'a [ContextNode],
}

impl TableArrays<'_> {
    fn walk(
        &self,
        start: u32,
        end: u32,
        path: &mut [WordId; MAX_ORDER],
        depth: usize,
        order: usize,
        visit: &mut dyn FnMut(&[WordId], f32, f32),
    ) {
        for node in start..end {
            let [word, probability, _] = self.nodes[node as usize];
            path[depth] = WordId(number(word));
            if depth + 1 == order {
                let back_off =
                    if self.is_context(node) { float(self.contexts[node as usize][1]) } else { 0.0 };
                visit(&path[..order], float(probability), back_off);
            } else {
                let (start, end) = self.range(node);
                self.walk(start, end, path, depth + 1, order, visit);
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
    fn range(&self, context: u32) -> (u32, u32) {
        (self.first(context), self.first(context + 1))
    }

    /// Finds the n-gram of a context and a word.
    #[inline]
    fn child(&self, context: u32, word: u32) -> Option<u32> {
        let (start, end) = self.range(context);
        search(&self.nodes[start as usize..end as usize], word).ok().map(|at| start + at as u32)
    }

    /// Returns the number of the state after an n-gram.
    #[inline]
    fn state(&self, node: u32) -> u32 {
        if self.matters(node) { node } else { number(self.nodes[node as usize][2]) }
    }

    /// Returns true if a history that ends in this n-gram is scored differently from a history that
    /// ends in its suffix.
    #[inline]
    fn matters(&self, node: u32) -> bool {
        self.is_context(node) && {
            let (start, end) = self.range(node);
            start < end || float(self.contexts[node as usize][1]) != 0.0
        }
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
    /// The number of contexts that have been begun.
    begun: u32,
    /// The suffix of the context begun last, and the range of the suffix's longer n-grams after the
    /// word looked up last.
    suffix: u32,
    from: u32,
    to: u32,
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
        Self { table, begun: 0, suffix: NgramState::EMPTY.0, from: 0, to: 0 }
    }

    /// Reserves memory for the n-grams of another order.
    pub fn reserve(&mut self, count: usize, is_highest: bool) {
        self.table.nodes.reserve_exact(count);
        self.table.contexts.reserve_exact(if is_highest { 1 } else { count });
    }

    /// Returns the start of the nodes of the last completed order.
    pub fn last_order(&self) -> u32 {
        self.table.starts[self.table.starts.len() - 2]
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> u32 {
        self.table.nodes.len() as u32
    }

    /// Begins a context: the n-grams pushed next begin with it. Contexts must come in order.
    pub fn begin(&mut self, context: u32) {
        let node = self.len().to_le_bytes();
        while self.begun <= context {
            self.table.contexts[self.begun as usize][0] = node;
            self.begun += 1;
        }
        self.suffix = number(self.table.contexts[context as usize][2]);
        if self.suffix != NgramState::EMPTY.0 {
            (self.from, self.to) = self.table.view().range(self.suffix);
        }
    }

    /// Returns the longest proper suffix of the n-gram made of the current context and a word.
    /// Words must come in order.
    #[inline]
    pub fn suffix(&mut self, word: u32) -> u32 {
        if self.suffix == NgramState::EMPTY.0 {
            return word;
        }
        match search_ahead(&self.table.nodes[self.from as usize..self.to as usize], word) {
            Ok(at) => {
                self.from += at as u32 + 1;
                self.from - 1
            }
            Err(at) => {
                self.from += at as u32;
                self.shorter_suffix(word)
            }
        }
    }

    fn shorter_suffix(&self, word: u32) -> u32 {
        let mut context = self.suffix;
        loop {
            context = number(self.table.contexts[context as usize][2]);
            if context == NgramState::EMPTY.0 {
                return word;
            }
            if let Some(node) = self.table.view().child(context, word) {
                return node;
            }
        }
    }

    /// Appends an n-gram that begins with the current context, given its suffix. `back_off` is
    /// `None` in the highest order.
    #[inline]
    pub fn push(&mut self, word: u32, suffix: u32, probability: f32, back_off: Option<f32>) {
        let suffix = suffix.to_le_bytes();
        self.table.nodes.push([word.to_le_bytes(), probability.to_le_bytes(), suffix]);
        if let Some(back_off) = back_off {
            self.table.contexts.push([NgramState::EMPTY.0.to_le_bytes(), back_off.to_le_bytes(), suffix]);
        }
    }

    /// Ends an order: all of its n-grams have been pushed.
    pub fn end_order(&mut self) -> Result<(), &'static str> {
        // The highest number represents the empty state.
        if self.table.nodes.len() >= NgramState::EMPTY.0 as usize {
            return Err(TOO_MANY);
        }
        let contexts = self.table.starts[self.table.starts.len() - 1];
        self.begin(contexts - 1);
        // The n-grams of the last context end where the first of the next order will begin.
        let count = self.len();
        self.table.starts.push(count);
        Ok(())
    }

    /// Returns log10 p of a word after the suffix of a context.
    pub fn log10_after_suffix(&self, context: u32, word: u32) -> f64 {
        self.table.log10_after_suffix(context, word)
    }

    /// Returns log10 p of a word after a context that does not list it, which is at most 0.
    pub(super) fn log10_backed_off(&self, context: u32, word: u32) -> f32 {
        let back_off = f64::from(self.table.back_off(context));
        (back_off + self.table.log10_after_suffix(context, word)).min(0.0) as f32
    }

    /// Sets the back-off of a context, which may be known only after its n-grams.
    pub fn set_back_off(&mut self, context: u32, back_off: f32) {
        self.table.contexts[context as usize][1] = back_off.to_le_bytes();
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
                let state = self.table.view().state(suffix).to_le_bytes();
                self.table.nodes[node as usize][2] = state;
                if self.table.view().is_context(node) {
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
