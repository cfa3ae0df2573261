//! A model in memory: all n-grams as a trie in arrays, where each n-gram knows the next shorter one to back off to.
//!
//! Nodes are numbered order by order, and within an order sorted by their words, so the n-grams that begin with another
//! one lie side by side. The number of a 1-gram is that of its word. A state is the node of the longest history that can
//! matter, so scoring a word never looks at the words before it again.

use std::fmt;
#[cfg(feature = "train")]
use std::ops::Range;

use super::MAX_ORDER;
use super::vocab::{Vocabulary, WordId};

/// A number in little-endian bytes: what lies in a file is used as it lies, at any address.
pub(super) type Cell = [u8; 4];

/// What is known after some words: two histories in the same state have the same future.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(u32);

impl State {
    /// Nothing is known.
    pub const EMPTY: Self = Self(u32::MAX);

    /// A number of its own, less than how many n-grams there are; `None` for the empty state.
    pub fn number(self) -> Option<usize> {
        (self != Self::EMPTY).then_some(self.0 as usize)
    }
}

/// A word scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// log10 of its probability.
    pub log10: f32,
    /// What is known after it.
    pub state: State,
}

/// A state as one of an automaton.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Follow {
    /// Itself.
    pub state: State,
    /// log10 of its back-off and the state that it backs off to; the empty state has none.
    pub back_off: Option<(f32, State)>,
}

/// A sentence scored.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sentence {
    /// log10 of its probability, with its end.
    pub log10: f64,
    /// How many of its words are not in the vocabulary.
    pub unknown: u64,
    /// The part of `log10` that is due to them.
    pub unknown_log10: f64,
    /// How many words it has, its end not counted.
    pub words: u64,
}

impl Sentence {
    /// Adds a word and log10 of its probability.
    #[inline]
    pub fn add(&mut self, word: WordId, log10: f32) {
        self.log10 += f64::from(log10);
        self.words += 1;
        if word == WordId::UNKNOWN {
            self.unknown += 1;
            self.unknown_log10 += f64::from(log10);
        }
    }
}

/// An n-gram: its last word, log10 p, and the state of its longest proper suffix.
pub(super) type Node = [Cell; 3];

/// A node of less than the highest order: its first longer n-gram, log10 back-off, and the state of its longest proper
/// suffix once more, since memory comes in lines.
pub(super) type Context = [Cell; 3];

/// A model's numbers. A node is an n-gram; a context is a node of less than the highest order.
#[derive(Clone, PartialEq, Default)]
pub(super) struct Table {
    /// Where the nodes of each order begin, and after them where they end.
    pub(super) starts: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    /// The contexts, and after them one that tells the number of nodes.
    pub(super) contexts: Vec<Context>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({:?})", self.counts())
    }
}

impl Table {
    pub(super) fn order(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn counts(&self) -> Vec<usize> {
        self.starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect()
    }

    /// The table of arrays from a file, where they fit together, so that whatever stands in them scores without a panic and
    /// comes to an end.
    pub(super) fn new(
        starts: Vec<u32>,
        nodes: Vec<Node>,
        contexts: Vec<Context>,
        vocabulary: usize,
    ) -> Option<Self> {
        let count = contexts.len().checked_sub(1)?;
        let table = Self { starts, nodes, contexts };
        let view = table.view();
        let suffix_is_sound = |node: u32, suffix: Cell| {
            let suffix = number(suffix);
            suffix == State::EMPTY.0 || suffix < node && (suffix as usize) < count && node >= table.starts[1]
        };
        let node_is_sound = |(at, node): (u32, &Node)| {
            let word = number(node[0]);
            (word as usize) < vocabulary
                && (word == at || at >= table.starts[1])
                && float(node[1]).is_finite()
                && float(node[1]) <= 0.0
                && suffix_is_sound(at, node[2])
        };
        let context_is_sound =
            |(at, context): (u32, &Context)| float(context[1]).is_finite() && suffix_is_sound(at, context[2]);
        let sound = table.starts.is_sorted()
            && table.starts[..2] == [0, vocabulary as u32]
            && table.starts[table.order() - 1] as usize == count
            && table.starts[table.order()] as usize == table.nodes.len()
            && table.nodes.len() < State::EMPTY.0 as usize
            && table.contexts.is_sorted_by_key(|context| number(context[0]))
            && view.first(count as u32) as usize == table.nodes.len()
            && (count == 0 || view.first(0) == table.starts[1])
            && (0..).zip(&table.nodes).all(node_is_sound)
            && (0..).zip(&table.contexts[..count]).all(context_is_sound)
            && (0..count as u32).all(|context| {
                let (start, end) = view.range(context);
                table.nodes[start as usize..end as usize].is_sorted_by(|a, b| number(a[0]) < number(b[0]))
            });
        sound.then_some(table)
    }

    /// The nodes of an order.
    #[cfg(feature = "train")]
    pub(super) fn order_nodes(&self, order: usize) -> Range<u32> {
        self.starts[order - 1]..self.starts[order]
    }

    /// The n-grams that begin with a node and have one word more.
    #[cfg(feature = "train")]
    pub(super) fn longer(&self, node: u32) -> Range<u32> {
        match self.view() {
            view if view.is_context(node) => view.first(node)..view.first(node + 1),
            _ => 0..0,
        }
    }

    /// The last word of a node.
    #[cfg(feature = "train")]
    pub(super) fn word(&self, node: u32) -> u32 {
        number(self.nodes[node as usize][0])
    }

    /// log10 p of a node.
    #[cfg(feature = "train")]
    pub(super) fn log10(&self, node: u32) -> f64 {
        f64::from(float(self.nodes[node as usize][1]))
    }

    /// log10 back-off of a context.
    #[cfg(feature = "train")]
    pub(super) fn back_off(&self, context: u32) -> f32 {
        float(self.contexts[context as usize][1])
    }

    /// log10 p of a word after the suffix of a context.
    #[cfg(feature = "train")]
    pub(super) fn log10_after_suffix(&self, context: u32, word: u32) -> f64 {
        let view = self.view();
        let mut back_off = 0.0;
        let mut at = number(self.contexts[context as usize][2]);
        while at != State::EMPTY.0 {
            if let Some(node) = view.child(at, word) {
                return back_off + self.log10(node);
            }
            back_off += f64::from(self.back_off(at));
            at = number(self.contexts[at as usize][2]);
        }
        back_off + self.log10(word)
    }

    fn view(&self) -> View<'_> {
        View { nodes: &self.nodes, contexts: &self.contexts }
    }

    /// Gives every state to `visit`, with the words that follow it.
    pub(super) fn for_each_state(
        &self,
        visit: &mut dyn FnMut(Follow, &mut dyn Iterator<Item = (WordId, Step)>),
    ) {
        let view = self.view();
        let steps = |(start, end): (u32, u32)| {
            (start..end).map(move |node| {
                let [word, probability, _] = view.nodes[node as usize];
                (WordId(number(word)), Step { log10: float(probability), state: State(view.state(node)) })
            })
        };
        let empty = Follow { state: State::EMPTY, back_off: None };
        visit(empty, &mut steps((self.starts[0], self.starts[1])));
        for context in (0..self.contexts.len() as u32 - 1).filter(|&context| view.matters(context)) {
            let [_, back_off, suffix] = self.contexts[context as usize];
            let back_off = Some((float(back_off), State(number(suffix))));
            visit(Follow { state: State(context), back_off }, &mut steps(view.range(context)));
        }
    }

    /// Gives every n-gram of an order to `visit`.
    pub(super) fn for_each(&self, order: usize, visit: &mut dyn FnMut(&[WordId], f32, f32)) {
        let view = self.view();
        let mut path = [WordId::UNKNOWN; MAX_ORDER];
        let (start, end) = (self.starts[0], self.starts[1]);
        view.walk(start, end, &mut path, 0, order, visit);
    }
}

/// A table's arrays, wherever they lie.
#[derive(Debug, Clone, Copy)]
struct View<'a> {
    nodes: &'a [Node],
    contexts: &'a [Context],
}

impl View<'_> {
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

    /// The first n-gram that begins with a context.
    #[inline]
    fn first(&self, context: u32) -> u32 {
        number(self.contexts[context as usize][0])
    }

    #[inline]
    fn range(&self, context: u32) -> (u32, u32) {
        (self.first(context), self.first(context + 1))
    }

    /// The n-gram of a context and a word.
    #[inline]
    fn child(&self, context: u32, word: u32) -> Option<u32> {
        let (start, end) = self.range(context);
        search(&self.nodes[start as usize..end as usize], word).ok().map(|at| start + at as u32)
    }

    /// What is known after an n-gram.
    #[inline]
    fn state(&self, node: u32) -> u32 {
        if self.matters(node) { node } else { number(self.nodes[node as usize][2]) }
    }

    /// Whether a history that ends in this n-gram scores otherwise than one that ends in its suffix.
    #[inline]
    fn matters(&self, node: u32) -> bool {
        self.is_context(node) && {
            let (start, end) = self.range(node);
            start < end || float(self.contexts[node as usize][1]) != 0.0
        }
    }
}

/// Where a word stands among sorted ones, or where it would.
#[inline]
fn search(nodes: &[Node], word: u32) -> Result<usize, usize> {
    nodes.binary_search_by(|&[found, ..]| number(found).cmp(&word))
}

#[inline]
fn number(cell: Cell) -> u32 {
    u32::from_le_bytes(cell)
}

#[inline]
fn float(cell: Cell) -> f32 {
    f32::from_le_bytes(cell)
}

/// Finds the n-grams of contexts that have many: a search among those would touch memory in many places, each of which
/// takes longer than all else.
#[derive(Clone, Default)]
pub(super) struct Index {
    /// Open addressing: half of a hash in the high bits, a node in the low ones; 0 where there is none. The length is a
    /// power of two.
    slots: Vec<u64>,
}

/// So many n-grams lie in few enough lines of memory to be searched.
const FEW: u32 = 8;

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index({})", self.slots.len())
    }
}

impl Index {
    pub(super) fn new(table: &Table) -> Self {
        let view = table.view();
        let contexts = 0..table.contexts.len() as u32 - 1;
        let large = || contexts.clone().map(|context| (context, view.range(context)));
        let large = || large().filter(|(_, (start, end))| end - start > FEW);
        let count: usize = large().map(|(_, (start, end))| (end - start) as usize).sum();
        let mut slots = vec![0; (count + count / 4).next_power_of_two().max(2)];
        for (context, (start, end)) in large() {
            for node in start..end {
                let hash = hash(context, number(table.nodes[node as usize][0]));
                let mut slot = Self::first_slot(hash, slots.len());
                while slots[slot] != 0 {
                    slot = (slot + 1) & (slots.len() - 1);
                }
                slots[slot] = hash << 32 | u64::from(node);
            }
        }
        Self { slots }
    }

    fn first_slot(hash: u64, slots: usize) -> usize {
        (hash >> (u64::BITS - slots.trailing_zeros())) as usize
    }

    /// The n-gram of a context that has many and a word.
    #[inline]
    fn child(&self, view: View<'_>, context: u32, (start, end): (u32, u32), word: u32) -> Option<u32> {
        let hash = hash(context, word);
        let mut slot = Self::first_slot(hash, self.slots.len());
        loop {
            let found = self.slots[slot];
            if found == 0 {
                return None;
            }
            let node = found as u32;
            let same = found >> 32 == hash & u64::from(u32::MAX) && (start..end).contains(&node);
            if same && number(view.nodes[node as usize][0]) == word {
                return Some(node);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

/// Mixes a context and a word; its high bits say where, its low ones tell apart.
#[inline]
fn hash(context: u32, word: u32) -> u64 {
    // Knuth's multiplicative hashing, with the odd number nearest to 2^64 divided by the golden ratio.
    let hash = (u64::from(context) << 32 | u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The low bits of a product depend on the word alone.
    hash ^ hash >> 29
}

/// Scores words under a model.
#[derive(Debug, Clone, Copy)]
pub struct Scorer<'a> {
    view: View<'a>,
    index: &'a Index,
    vocabulary: &'a Vocabulary,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(table: &'a Table, index: &'a Index, vocabulary: &'a Vocabulary) -> Self {
        Self { view: table.view(), index, vocabulary }
    }

    #[inline]
    fn child(&self, context: u32, word: u32) -> Option<u32> {
        let range = self.view.range(context);
        if range.1 - range.0 > FEW {
            return self.index.child(self.view, context, range, word);
        }
        let few = &self.view.nodes[range.0 as usize..range.1 as usize];
        (range.0..).zip(few).find(|(_, node)| number(node[0]) == word).map(|(at, _)| at)
    }

    /// The state at the beginning of a sentence.
    #[inline]
    pub fn start(&self) -> State {
        State(self.view.state(WordId::START.0))
    }

    /// The probability of a word after what is known, and what is known then.
    ///
    /// # Panics
    /// Where the state or the word is of another model.
    #[inline]
    pub fn step(&self, state: State, word: WordId) -> Step {
        let mut back_off = 0.0;
        let mut at = state.0;
        let node = loop {
            if at == State::EMPTY.0 {
                break word.0;
            }
            if let Some(node) = self.child(at, word.0) {
                break node;
            }
            let [_, more, suffix] = self.view.contexts[at as usize];
            back_off += float(more);
            at = number(suffix);
        };
        let log10 = back_off + float(self.view.nodes[node as usize][1]);
        Step { log10, state: State(self.view.state(node)) }
    }

    /// The probability of a sentence from its beginning to its end.
    pub fn sentence<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Sentence {
        let mut sentence = Sentence::default();
        let mut state = self.start();
        for word in words {
            let id = self.vocabulary.id(word);
            let step = self.step(state, id);
            sentence.add(id, step.log10);
            state = step.state;
        }
        sentence.log10 += f64::from(self.step(state, WordId::END).log10);
        sentence
    }
}

/// Builds a table order by order, each sorted by its words.
#[derive(Debug)]
pub(super) struct Builder {
    table: Table,
    /// How many contexts have been begun.
    begun: u32,
    /// The suffix of the context begun last, and those of its longer n-grams that come after the word looked up last.
    suffix: u32,
    from: u32,
    to: u32,
}

/// Why a table cannot hold a model.
const TOO_MANY: &str = "more than 4,294,967,294 n-grams: use a lower order, a smaller vocabulary or cut-offs";

impl Builder {
    /// Begins with the 1-grams, log10 p and back-off of each word; of order 1 none has a back-off.
    pub(super) fn new(order: usize, unigrams: impl ExactSizeIterator<Item = (f32, f32)>) -> Self {
        let mut table = Table { starts: vec![0, unigrams.len() as u32], ..Table::default() };
        let none = State::EMPTY.0.to_le_bytes();
        for (word, (probability, back_off)) in (0u32..).zip(unigrams) {
            table.nodes.push([word.to_le_bytes(), probability.to_le_bytes(), none]);
            if order > 1 {
                table.contexts.push([none, back_off.to_le_bytes(), none]);
            }
        }
        Self { table, begun: 0, suffix: State::EMPTY.0, from: 0, to: 0 }
    }

    /// Makes room for the n-grams of another order.
    pub(super) fn reserve(&mut self, count: usize, is_highest: bool) {
        self.table.nodes.reserve_exact(count);
        self.table.contexts.reserve_exact(if is_highest { 1 } else { count });
    }

    /// Where the nodes of the order begin that was completed last.
    pub(super) fn last_order(&self) -> u32 {
        self.table.starts[self.table.starts.len() - 2]
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> u32 {
        self.table.nodes.len() as u32
    }

    /// The n-grams pushed next begin with this context; the contexts come in order.
    pub(super) fn begin(&mut self, context: u32) {
        let node = self.len().to_le_bytes();
        while self.begun <= context {
            self.table.contexts[self.begun as usize][0] = node;
            self.begun += 1;
        }
        self.suffix = number(self.table.contexts[context as usize][2]);
        if self.suffix != State::EMPTY.0 {
            (self.from, self.to) = self.table.view().range(self.suffix);
        }
    }

    /// The longest proper suffix of the n-gram of the context begun and a word; the words come in order.
    #[inline]
    pub(super) fn suffix(&mut self, word: u32) -> u32 {
        if self.suffix == State::EMPTY.0 {
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
            if context == State::EMPTY.0 {
                return word;
            }
            if let Some(node) = self.table.view().child(context, word) {
                return node;
            }
        }
    }

    /// Appends an n-gram that begins with the context begun last, given its suffix. `back_off` is `None` in the highest
    /// order.
    #[inline]
    pub(super) fn push(&mut self, word: u32, suffix: u32, probability: f32, back_off: Option<f32>) {
        let suffix = suffix.to_le_bytes();
        self.table.nodes.push([word.to_le_bytes(), probability.to_le_bytes(), suffix]);
        if let Some(back_off) = back_off {
            self.table.contexts.push([State::EMPTY.0.to_le_bytes(), back_off.to_le_bytes(), suffix]);
        }
    }

    /// All n-grams of an order are there.
    pub(super) fn end_order(&mut self) -> Result<(), &'static str> {
        // The highest number stands for the empty state.
        if self.table.nodes.len() >= State::EMPTY.0 as usize {
            return Err(TOO_MANY);
        }
        let contexts = self.table.starts[self.table.starts.len() - 1];
        self.begin(contexts - 1);
        // Where the n-grams of the last context end, the first of the next order will begin.
        let count = self.len();
        self.table.starts.push(count);
        Ok(())
    }

    /// log10 p of a word after the suffix of the context begun last.
    #[cfg(feature = "train")]
    pub(super) fn log10_after_suffix(&self, context: u32, word: u32) -> f64 {
        self.table.log10_after_suffix(context, word)
    }

    /// The back-off of a context, which may be known only after its n-grams.
    #[cfg(feature = "train")]
    pub(super) fn set_back_off(&mut self, context: u32, back_off: f32) {
        self.table.contexts[context as usize][1] = back_off.to_le_bytes();
    }

    /// The table, with every link to a suffix that cannot matter led on to one that can.
    pub(super) fn finish(mut self) -> Table {
        let none = State::EMPTY.0.to_le_bytes();
        self.table.contexts.push([self.len().to_le_bytes(), [0; 4], none]);
        for node in 0..self.len() {
            // Suffixes are shorter, so theirs are led on already.
            let suffix = number(self.table.nodes[node as usize][2]);
            if suffix != State::EMPTY.0 {
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

/// Like [`search`], fast where the word stands near the beginning.
#[inline]
fn search_ahead(nodes: &[Node], word: u32) -> Result<usize, usize> {
    let mut end = 1;
    while end < nodes.len() && number(nodes[end - 1][0]) < word {
        end *= 2;
    }
    let start = end / 2;
    let found = search(&nodes[start..end.min(nodes.len())], word);
    found.map(|at| at + start).map_err(|at| at + start)
}
