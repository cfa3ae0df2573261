//! Turns a text of word numbers into sorted n-grams of every order with their counts.
//!
//! The n-grams of each part of the text are packed into integers, sorted and counted; the parts are
//! then merged. Every order but the highest is counted from the order above it. The counts take a
//! few bytes per n-gram, in memory or on disk: see [`spill`](super::spill).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fmt::Debug;

use super::spill::{BLOCK, Memory, NumberReader, Numbers, Pile, SpillBlocks};
use majuscule_base::bytes::varint;
use majuscule_base::error::{Error, Result};
use majuscule_lm::MAX_ORDER;
use majuscule_lm::vocab::WordId;

/// An n-gram packed into one value that sorts as its words do. The first word is in the highest
/// bits, and each word takes as many bits as the vocabulary needs.
pub(super) trait Key: Copy + Ord + Default + Debug {
    /// Returns the key with one more word at its end.
    fn append(self, word: u32, bits: u32) -> Self;
    /// Returns the lowest `bits` of the key, with all other bits 0.
    fn low(self, bits: u32) -> Self;
    /// Returns the lowest 32 bits of the key shifted right by `shift`.
    fn part(self, shift: u32) -> u32;
    /// Returns the key without its last word.
    fn shift(self, bits: u32) -> Self;
    /// Returns the difference between the key and a smaller one.
    fn minus(self, smaller: Self) -> Self;
    /// Returns the sum of two keys, or `None` on overflow.
    fn plus(self, other: Self) -> Option<Self>;
    /// Appends the bytes of the key, lowest first, up to the last non-zero byte, and returns their
    /// number.
    fn put(self, out: &mut Vec<u8>) -> usize;
    /// Reads a key from its first `len` bytes, or returns `None` if there are fewer than [`PAD`]
    /// bytes.
    fn get(bytes: &[u8], len: usize) -> Option<Self>;
}

macro_rules! integer_keys {
    ($($integer:ty),*) => {
        $(
            impl Key for $integer {
                #[inline]
                fn append(self, word: u32, bits: u32) -> Self {
                    self << bits | Self::from(word)
                }

                #[inline]
                fn low(self, bits: u32) -> Self {
                    if bits < Self::BITS { self & ((1 << bits) - 1) } else { self }
                }

                #[inline]
                fn part(self, shift: u32) -> u32 {
                    (self >> shift) as u32
                }

                #[inline]
                fn shift(self, bits: u32) -> Self {
                    self >> bits
                }

                #[inline]
                fn minus(self, smaller: Self) -> Self {
                    self - smaller
                }

                #[inline]
                fn plus(self, other: Self) -> Option<Self> {
                    self.checked_add(other)
                }

                #[inline]
                fn put(self, out: &mut Vec<u8>) -> usize {
                    let len = (Self::BITS - self.leading_zeros()).div_ceil(8) as usize;
                    let end = out.len() + len;
                    out.extend_from_slice(&self.to_le_bytes());
                    out.truncate(end);
                    len
                }

                #[inline]
                fn get(bytes: &[u8], len: usize) -> Option<Self> {
                    let key = Self::from_le_bytes(*bytes.first_chunk()?);
                    let unused = Self::BITS.checked_sub(8 * len as u32)?;
                    Some(if unused < Self::BITS { key << unused >> unused } else { 0 })
                }
            }
        )*
    };
}

integer_keys!(u64, u128);

/// A key of 256 bits, which holds seven words of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Wide {
    high: u128,
    low: u128,
}

impl Key for Wide {
    fn append(self, word: u32, bits: u32) -> Self {
        Self { high: self.high << bits | self.low >> (128 - bits), low: self.low << bits | u128::from(word) }
    }

    fn low(self, bits: u32) -> Self {
        match bits {
            0..=128 => Self { high: 0, low: self.low.low(bits) },
            _ => Self { high: self.high.low(bits - 128), low: self.low },
        }
    }

    fn part(self, shift: u32) -> u32 {
        self.shift(shift).low as u32
    }

    fn shift(self, bits: u32) -> Self {
        match bits {
            0 => self,
            128.. => Self { high: 0, low: self.high >> (bits - 128) },
            _ => Self { high: self.high >> bits, low: self.low >> bits | self.high << (128 - bits) },
        }
    }

    fn minus(self, smaller: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(smaller.low);
        Self { high: self.high - smaller.high - u128::from(borrow), low }
    }

    fn plus(self, other: Self) -> Option<Self> {
        let (low, carry) = self.low.overflowing_add(other.low);
        let high = self.high.checked_add(other.high)?.checked_add(u128::from(carry))?;
        Some(Self { high, low })
    }

    fn put(self, out: &mut Vec<u8>) -> usize {
        if self.high == 0 {
            return self.low.put(out);
        }
        out.extend_from_slice(&self.low.to_le_bytes());
        16 + self.high.put(out)
    }

    fn get(bytes: &[u8], len: usize) -> Option<Self> {
        let low = u128::get(bytes, len.min(16))?;
        Some(Self { high: u128::get(bytes.get(16..)?, len.saturating_sub(16))?, low })
    }
}

/// Returns the number of bits that each word of a vocabulary needs.
pub(super) fn word_bits(vocabulary: usize) -> u32 {
    (vocabulary as u64).next_power_of_two().trailing_zeros().max(1)
}

/// The number of padding bytes after the rows of a block, so that any key can be read at once.
pub(super) const PAD: usize = 32;

/// The largest size of a row in bytes: a byte of lengths, a key and two counts.
const ROW: usize = 1 + 32 + 5 + 5;

/// The smallest count that does not fit into the first byte of a row, and so is continued after the
/// key.
const LONG: u8 = 7;

/// An encoder of sorted n-grams as blocks of rows.
///
/// A row begins with a byte that holds the number of bytes of the key and the count, capped at
/// [`LONG`]. Then come the difference from the previous key, the excess of the count over [`LONG`]
/// if the count is that large, and, except in the highest order, the number of links. Each block
/// starts afresh from the key 0.
#[derive(Debug)]
pub(super) struct GramEncoder<K> {
    pub(super) block: Vec<u8>,
    last: K,
}

impl<K: Key> GramEncoder<K> {
    pub(super) fn new() -> Self {
        Self { block: Vec::new(), last: K::default() }
    }

    #[inline]
    pub(super) fn push(&mut self, key: K, seen: u32, links: Option<u32>) {
        let at = self.block.len();
        self.block.push(0);
        let len = key.minus(self.last).put(&mut self.block);
        let short = seen.min(u32::from(LONG)) as u8;
        self.block[at] = len as u8 | short << 5;
        if short == LONG {
            varint::put(seen - u32::from(LONG), &mut self.block);
        }
        if let Some(links) = links {
            varint::put(links, &mut self.block);
        }
        self.last = key;
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.block.len() + ROW + PAD > BLOCK
    }

    /// Removes and returns the finished block and starts a new one.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.last = K::default();
        let mut block = std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK));
        block.extend_from_slice(&[0; PAD]);
        block
    }
}

/// Reads the row at byte `at` of a block, given the key of the previous row. Returns its key, its
/// count and its number of links, or `None` if the bytes are not a row.
#[inline]
pub(super) fn decode<K: Key>(
    block: &[u8],
    at: &mut usize,
    last: K,
    has_links: bool,
) -> Option<(K, u32, u32)> {
    let head = *block.get(*at)?;
    let len = usize::from(head & 31);
    let key = last.plus(K::get(block.get(*at + 1..)?, len)?)?;
    *at += 1 + len;
    let mut seen = u32::from(head >> 5);
    if head >> 5 == LONG {
        seen = seen.checked_add(varint::take(block, at)?)?;
    }
    let links = if has_links { varint::take(block, at)? } else { 0 };
    Some((key, seen, links))
}

/// The distinct n-grams of one order, sorted, with their counts.
#[derive(Debug)]
pub(super) struct Grams<K> {
    rows: Pile,
    encoder: GramEncoder<K>,
    /// For each row, the indices of the n-grams of the order above that extend it by one word on
    /// the left, or [`NO_LINK`] for an n-gram that is not counted. `None` in the highest order.
    links: Option<Numbers<u32>>,
    len: usize,
}

/// The link of an n-gram that begins with `<s>` twice.
const NO_LINK: u32 = u32::MAX;

impl<K: Key> Grams<K> {
    pub(super) fn new(is_highest: bool, memory: &Memory) -> Self {
        let links = (!is_highest).then(|| Numbers::new(memory));
        Self { rows: Pile::new(memory), encoder: GramEncoder::new(), links, len: 0 }
    }

    pub(super) fn is_highest(&self) -> bool {
        self.links.is_none()
    }

    /// Adds a row, whose key is greater than the key of the last row.
    #[inline]
    fn push(&mut self, key: K, seen: u32, links: u32) -> Result<()> {
        self.encoder.push(key, seen, self.links.is_some().then_some(links));
        self.len += 1;
        if self.encoder.is_full() { self.rows.push(self.encoder.take()) } else { Ok(()) }
    }

    fn end(&mut self) -> Result<()> {
        if !self.encoder.block.is_empty() {
            let mut block = self.encoder.take();
            block.shrink_to_fit();
            self.rows.push(block)?;
        }
        self.encoder.block = Vec::new();
        Ok(())
    }

    /// Returns a reader of the rows that keeps them.
    pub(super) fn rows(&self) -> GramRows<K> {
        GramRows::new(self.rows.blocks(), !self.is_highest())
    }

    /// Passes the blocks, as encoded by [`GramEncoder`], to `visit`.
    pub(super) fn into_blocks(self, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut blocks = self.rows.into_blocks();
        while blocks.advance()? {
            visit(blocks.bytes())?;
        }
        Ok(())
    }

    /// Removes and returns the n-grams.
    pub(super) fn take(&mut self, memory: &Memory) -> Self {
        std::mem::replace(self, Self::new(self.is_highest(), memory))
    }

    /// Returns a reader that frees the rows as it reads them.
    pub(super) fn into_rows(self) -> GramRows<K> {
        GramRows::new(self.rows.into_blocks(), self.links.is_some())
    }

    /// Returns readers of the rows and of their links that free both as they read them.
    fn into_linked_rows(self) -> Result<(GramRows<K>, Option<NumberReader<u32>>)> {
        let has_links = self.links.is_some();
        let links = self.links.map(Numbers::into_reader).transpose()?;
        Ok((GramRows::new(self.rows.into_blocks(), has_links), links))
    }

    /// Removes the links and returns a reader that frees them as it reads them.
    pub(super) fn take_links(&mut self) -> Result<Option<NumberReader<u32>>> {
        self.links
            .as_mut()
            .map(|links| std::mem::replace(links, Numbers::new(&Memory::unlimited())).into_reader())
            .transpose()
    }

    /// Completes 1-grams with all words of the vocabulary, including words that were not seen.
    pub(super) fn with_every_word(self, words: u32, bits: u32, memory: &Memory) -> Result<Self> {
        let mut all = Self::new(self.is_highest(), memory);
        let (mut rows, links) = self.into_linked_rows()?;
        let mut is_row = rows.advance()?;
        for word in 0..words {
            let key = K::default().append(word, bits);
            if is_row && rows.key == key {
                all.push(key, rows.seen, rows.links)?;
                is_row = rows.advance()?;
            } else {
                all.push(key, 0, 0)?;
            }
        }
        if let (Some(mut links), Some(copied)) = (links, &mut all.links) {
            while let Some(link) = links.next()? {
                copied.push(link)?;
            }
        }
        all.end()?;
        Ok(all)
    }

    /// Merges several runs of the same order into one.
    fn merge(mut runs: Vec<Self>, is_highest: bool, memory: &Memory) -> Result<Self> {
        if runs.len() == 1 {
            return Ok(runs.remove(0));
        }
        let mut merged = Self::new(is_highest, memory);
        let mut readers = runs.into_iter().map(Self::into_linked_rows).collect::<Result<Vec<_>>>()?;
        let mut heap = BinaryHeap::with_capacity(readers.len());
        for (at, (rows, _)) in readers.iter_mut().enumerate() {
            if rows.advance()? {
                heap.push(Reverse((rows.key, at)));
            }
        }
        let mut sum: Option<(K, u32, u32)> = None;
        while let Some(mut first) = heap.peek_mut() {
            let Reverse((key, at)) = *first;
            let (rows, links) = &mut readers[at];
            match &mut sum {
                Some((last, seen, links)) if *last == key => {
                    (*seen, *links) = (*seen + rows.seen, *links + rows.links)
                }
                _ => {
                    if let Some((key, seen, links)) = sum.replace((key, rows.seen, rows.links)) {
                        merged.push(key, seen, links)?;
                    }
                }
            }
            if let (Some(links), Some(merged)) = (links, &mut merged.links) {
                for _ in 0..rows.links {
                    merged.push(links.next()?.unwrap_or(NO_LINK))?;
                }
            }
            if rows.advance()? {
                *first = Reverse((rows.key, at));
            } else {
                PeekMut::pop(first);
            }
        }
        if let Some((key, seen, links)) = sum {
            merged.push(key, seen, links)?;
        }
        merged.end()?;
        Ok(merged)
    }
}

/// A reader of the rows of [`Grams`], in order.
#[derive(Debug)]
pub(super) struct GramRows<K> {
    blocks: SpillBlocks,
    at: usize,
    has_links: bool,
    /// The n-gram of the current row.
    pub(super) key: K,
    /// The number of times that the n-gram was seen.
    pub(super) seen: u32,
    /// The number of distinct n-grams that extend this one by a word on the left; 0 in the highest
    /// order.
    pub(super) links: u32,
}

impl<K: Key> GramRows<K> {
    fn new(blocks: SpillBlocks, has_links: bool) -> Self {
        Self { blocks, at: PAD, has_links, key: K::default(), seen: 0, links: 0 }
    }

    /// Advances to the next row. Returns false at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool> {
        if self.at + PAD >= self.blocks.bytes().len() {
            if !self.blocks.advance()? {
                return Ok(false);
            }
            (self.at, self.key) = (0, K::default());
        }
        let row = decode(self.blocks.bytes(), &mut self.at, self.key, self.has_links);
        (self.key, self.seen, self.links) = row.expect("blocks are read as they were written");
        Ok(true)
    }

    /// Like [`GramRows::advance`], but skips n-grams that begin with `<s>` twice.
    #[inline]
    pub(super) fn advance_counted(&mut self, n: u32, bits: u32) -> Result<bool> {
        while self.advance()? {
            if !is_padded(self.key, n, bits) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the adjusted count of Kneser and Ney for an n-gram of `n` words: the number of
    /// distinct words seen before it. In the highest order, and for n-grams that begin with `<s>`
    /// and so have no word before them, it is the number of times that the n-gram was seen.
    #[inline]
    pub(super) fn adjusted(&self, n: u32, bits: u32) -> u32 {
        let begins = self.key.part((n - 1) * bits) == WordId::START.0;
        if !self.has_links || begins { self.seen } else { self.links }
    }

    /// Returns the `n` words of the current n-gram, and others after them.
    #[inline]
    pub(super) fn words(&self, n: usize, bits: u32) -> [WordId; MAX_ORDER] {
        words_of(self.key, n, bits)
    }
}

/// Returns the `n` words of an n-gram, and others after them.
#[inline]
pub(super) fn words_of<K: Key>(key: K, n: usize, bits: u32) -> [WordId; MAX_ORDER] {
    let mut words = [WordId::UNKNOWN; MAX_ORDER];
    for (at, word) in (0..).zip(words[..n].iter_mut().rev()) {
        *word = WordId(key.shift(at * bits).low(bits).part(0));
    }
    words
}

/// Returns true if an n-gram of `n` words begins with `<s>` twice.
#[inline]
pub(super) fn is_padded<K: Key>(key: K, n: u32, bits: u32) -> bool {
    n >= 2 && {
        let pair = key.shift((n - 2) * bits);
        pair.part(bits) == WordId::START.0 && pair.low(bits).part(0) == WordId::START.0
    }
}

/// The size in bytes of a block of n-grams that is sorted at once: large enough that there are few
/// blocks to merge, and small compared with the counts of a large corpus.
const PIECE: usize = 1 << 26;

/// The number of runs that are merged at once.
const RUNS: usize = 32;

/// A record to be sorted by its key.
trait SortRecord: Copy + Default {
    type Key: Key;
    fn key(&self) -> Self::Key;

    /// Returns the number of times that the key was seen.
    #[inline]
    fn seen(&self) -> u32 {
        1
    }

    /// Returns the index of the longer n-gram that the key is a suffix of.
    #[inline]
    fn link(&self) -> u32 {
        NO_LINK
    }
}

impl<K: Key> SortRecord for K {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        *self
    }
}

/// An n-gram, the number of times that it was seen, and the index of the longer n-gram that it is a
/// suffix of.
#[derive(Debug, Clone, Copy, Default)]
struct SuffixRecord<K> {
    key: K,
    seen: u32,
    link: u32,
}

impl<K: Key> SortRecord for SuffixRecord<K> {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        self.key
    }

    #[inline]
    fn seen(&self) -> u32 {
        self.seen
    }

    #[inline]
    fn link(&self) -> u32 {
        self.link
    }
}

/// Counts records as they arrive.
#[derive(Debug)]
struct RecordCounter<'a, R: SortRecord> {
    bits: u32,
    is_highest: bool,
    memory: &'a Memory,
    piece: Vec<R>,
    scratch: Vec<R>,
    capacity: usize,
    /// The sorted runs; every [`RUNS`] runs of one level are merged into one run of the next.
    levels: Vec<Vec<Grams<R::Key>>>,
}

impl<'a, R: SortRecord> RecordCounter<'a, R> {
    /// Creates a counter for keys of `bits` bits.
    fn new(bits: u32, is_highest: bool, expected: usize, memory: &'a Memory) -> Self {
        let capacity = (PIECE.min(memory.array()) / size_of::<R>()).max(FEW).min(expected).max(1);
        let piece = Vec::with_capacity(capacity);
        Self { bits, is_highest, memory, piece, scratch: Vec::new(), capacity, levels: Vec::new() }
    }

    #[inline]
    fn push(&mut self, record: R) -> Result<()> {
        if self.piece.len() == self.capacity {
            self.end_piece()?;
        }
        self.piece.push(record);
        Ok(())
    }

    #[cold]
    fn end_piece(&mut self) -> Result<()> {
        sort(&mut self.piece, &mut self.scratch, self.bits);
        let mut run = Grams::new(self.is_highest, self.memory);
        for same in self.piece.chunk_by(|a, b| a.key() == b.key()) {
            let seen = same.iter().map(SortRecord::seen).sum();
            run.push(same[0].key(), seen, same.len() as u32)?;
            if let Some(links) = &mut run.links {
                same.iter().try_for_each(|record| links.push(record.link()))?;
            }
        }
        run.end()?;
        self.piece.clear();
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < RUNS {
                break;
            }
            run = Grams::merge(std::mem::take(&mut self.levels[level]), self.is_highest, self.memory)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Grams<R::Key>> {
        self.end_piece()?;
        (self.piece, self.scratch) = (Vec::new(), Vec::new());
        // From the highest level down, the levels hold ever later parts of the input.
        let runs = self.levels.into_iter().rev().flatten().collect();
        Grams::merge(runs, self.is_highest, self.memory)
    }
}

/// The smallest number of records in a piece, however little memory there is.
const FEW: usize = 64;

/// The bits of a digit of the radix sort: 2048 counters fit into the first-level cache.
const DIGIT: u32 = 11;

/// Sorts records by the lowest `bits` of their keys, least significant digit first, with `scratch`
/// as working memory.
fn sort<R: SortRecord>(records: &mut Vec<R>, scratch: &mut Vec<R>, bits: u32) {
    let mask = (1 << DIGIT) - 1;
    let passes = bits.div_ceil(DIGIT);
    let digit = |record: &R, pass: u32| (record.key().part(pass * DIGIT) & mask) as usize;
    let mut counts = vec![[0u32; 1 << DIGIT]; passes as usize];
    for record in &*records {
        for (pass, counts) in (0..).zip(&mut counts) {
            counts[digit(record, pass)] += 1;
        }
    }
    scratch.clear();
    scratch.resize(records.len(), R::default());
    for (pass, counts) in (0..).zip(&mut counts) {
        if counts.iter().any(|&count| count as usize == records.len()) {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for record in &*records {
            let position = &mut counts[digit(record, pass)];
            scratch[*position as usize] = *record;
            *position += 1;
        }
        std::mem::swap(records, scratch);
    }
}

/// Counts the n-grams of the highest order. Each sentence begins as if after `order` - 1 times
/// `<s>`.
pub(super) struct Highest<'a, K: Key> {
    counter: CountSource<'a, K>,
    start: K,
    key: K,
    all: u32,
    bits: u32,
}

/// The source of the counts: words one by one, or n-grams counted before.
enum CountSource<'a, K: Key> {
    Words(RecordCounter<'a, K>),
    Grams(RecordCounter<'a, SuffixRecord<K>>),
}

impl<'a, K: Key> Highest<'a, K> {
    /// Creates a counter for a text of `expected` words, or of as many n-grams.
    pub(super) fn new(order: usize, bits: u32, expected: usize, are_grams: bool, memory: &'a Memory) -> Self {
        let all = bits * order as u32;
        let start = (0..order).fold(K::default(), |key, _| key.append(WordId::START.0, bits));
        let counter = match are_grams {
            false => CountSource::Words(RecordCounter::new(all, true, expected, memory)),
            true => CountSource::Grams(RecordCounter::new(all, true, expected, memory)),
        };
        Self { counter, start, key: start, all, bits }
    }

    /// Adds the next word of a text, in which each sentence ends with [`WordId::END`].
    #[inline]
    pub(super) fn word(&mut self, word: u32) -> Result<()> {
        let key = self.key.append(word, self.bits).low(self.all);
        self.key = if word == WordId::END.0 { self.start } else { key };
        self.gram(key, 1)
    }

    /// Adds an n-gram that was seen `seen` times.
    #[inline]
    pub(super) fn gram(&mut self, key: K, seen: u32) -> Result<()> {
        match &mut self.counter {
            CountSource::Words(counter) => counter.push(key),
            CountSource::Grams(counter) => counter.push(SuffixRecord { key, seen, link: NO_LINK }),
        }
    }

    pub(super) fn finish(self) -> Result<Grams<K>> {
        match self.counter {
            CountSource::Words(counter) => counter.finish(),
            CountSource::Grams(counter) => counter.finish(),
        }
    }
}

/// Returns the n-grams of all orders, starting with 1, given the n-grams of the highest order, and
/// reports each order to `progress`. N-grams that begin with `<s>` twice are still among them: see
/// [`GramRows::advance_counted`].
pub(super) fn lower<K: Key>(
    highest: Grams<K>,
    order: usize,
    bits: u32,
    memory: &Memory,
    progress: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<Vec<Grams<K>>> {
    let mut orders = vec![highest];
    for n in (1..order as u32).rev() {
        progress(n as usize)?;
        let longer = orders.last().expect("one is there from the beginning");
        let shorter = shorter(longer, n, bits, memory)?;
        orders.push(shorter);
    }
    orders.reverse();
    Ok(orders)
}

/// Counts the n-grams of `n` words that are suffixes of `longer`.
fn shorter<K: Key>(longer: &Grams<K>, n: u32, bits: u32, memory: &Memory) -> Result<Grams<K>> {
    let mut counter = RecordCounter::<SuffixRecord<K>>::new(n * bits, false, longer.len, memory);
    let mut rows = longer.rows();
    let mut next = 0;
    while rows.advance()? {
        let mut link = NO_LINK;
        if !is_padded(rows.key, n + 1, bits) {
            if next == NO_LINK {
                let problem = "more than 4,294,967,294 n-grams: use a lower order, a smaller vocabulary or a part of the corpus";
                return Err(Error::usage(problem));
            }
            (link, next) = (next, next + 1);
        }
        counter.push(SuffixRecord { key: rows.key.low(n * bits), seen: rows.seen, link })?;
    }
    counter.finish()
}

/// The suffix values of the n-grams of one order: the values of the order below, scattered by their
/// links.
#[derive(Debug)]
pub(super) struct Scattered {
    array: Vec<f64>,
    at: usize,
    /// The values of n-grams beyond the current array, in buckets that each fill one array.
    buckets: std::vec::IntoIter<Numbers<(u32, f64)>>,
}

impl Scattered {
    /// Scatters the values of `shorter`, which `value` returns for each row in turn, over `len`
    /// n-grams.
    pub(super) fn new<K: Key>(
        shorter: &mut Grams<K>,
        len: usize,
        memory: &Memory,
        mut value: impl FnMut(&GramRows<K>) -> Result<f64>,
    ) -> Result<Self> {
        let size = (memory.array() / size_of::<f64>()).max(len.div_ceil(BUCKETS)).max(1).min(len);
        let mut buckets: Vec<Numbers<(u32, f64)>> = Vec::new();
        let mut array = vec![0.0; size];
        buckets.resize_with(len.div_ceil(size.max(1)).saturating_sub(1), || Numbers::new(memory));
        let links = shorter.take_links()?;
        let mut rows = shorter.rows();
        if let Some(mut links) = links {
            while rows.advance()? {
                let value = value(&rows)?;
                for _ in 0..rows.links {
                    let link = links.next()?.unwrap_or(NO_LINK);
                    match link as usize {
                        at if at < size => array[at] = value,
                        at if at < len => buckets[at / size - 1].push(((at % size) as u32, value))?,
                        _ => {}
                    }
                }
            }
        }
        Ok(Self { array, at: 0, buckets: buckets.into_iter() })
    }

    /// Returns the value for the next n-gram.
    #[inline]
    pub(super) fn next(&mut self) -> Result<f64> {
        if self.at == self.array.len() {
            self.fill()?;
        }
        self.at += 1;
        Ok(self.array.get(self.at - 1).copied().unwrap_or_default())
    }

    #[cold]
    fn fill(&mut self) -> Result<()> {
        let Some(bucket) = self.buckets.next() else { return Ok(()) };
        let mut bucket = bucket.into_reader()?;
        while let Some((at, value)) = bucket.next()? {
            self.array[at as usize] = value;
        }
        self.at = 0;
        Ok(())
    }
}

/// The largest number of parts that the values are split into.
const BUCKETS: usize = 64;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use ngrams::Ngrams;
    use proptest::prelude::*;

    /// The number of times that each n-gram was seen, and the number of distinct words before it.
    type Plain = BTreeMap<Vec<u32>, (u32, u32)>;

    /// Counts by definition, on the windows of an independent crate.
    fn plain(sentences: &[Vec<u32>], order: usize) -> Vec<Plain> {
        let mut orders = vec![Plain::new(); order];
        let mut before: BTreeMap<Vec<u32>, BTreeSet<u32>> = BTreeMap::new();
        for sentence in sentences {
            let mut words = vec![WordId::START.0];
            words.extend(sentence.iter().chain([&WordId::END.0]));
            for n in 1..=order {
                for (at, window) in windows(&words, n)
                    .into_iter()
                    .enumerate()
                    .filter(|(_, window)| window != &[WordId::START.0])
                {
                    orders[n - 1].entry(window.clone()).or_default().0 += 1;
                    if at > 0 {
                        before.entry(window).or_default().insert(words[at - 1]);
                    }
                }
            }
        }
        for (n, counts) in (1..).zip(&mut orders) {
            for (ngram, (seen, continued)) in counts {
                let first = n == order || ngram[0] == WordId::START.0;
                *continued = if first { *seen } else { before[ngram].len() as u32 };
            }
        }
        orders
    }

    /// Returns the n-grams of a sentence. The crate panics on fewer than `n` - 1 words, and its
    /// 1-grams grow.
    fn windows(words: &[u32], n: usize) -> Vec<Vec<u32>> {
        if n == 1 || words.len() < n {
            return words.chunks(1).filter(|_| n == 1).map(<[u32]>::to_vec).collect();
        }
        let names = words.iter().map(u32::to_string);
        let number = |name: &String| name.parse().unwrap();
        Ngrams::new(names, n).map(|window| window.iter().map(number).collect()).collect()
    }

    fn words<K: Key>(key: K, n: usize, bits: u32) -> Vec<u32> {
        words_of(key, n, bits)[..n].iter().map(|word| word.0).collect()
    }

    fn orders<K: Key>(sentences: &[Vec<u32>], order: usize, bits: u32, memory: &Memory) -> Vec<Grams<K>> {
        let len = sentences.iter().map(|sentence| sentence.len() + 1).sum();
        let mut highest = Highest::<K>::new(order, bits, len, false, memory);
        for sentence in sentences {
            sentence.iter().chain([&WordId::END.0]).for_each(|&word| highest.word(word).unwrap());
        }
        lower(highest.finish().unwrap(), order, bits, memory, &mut |_| Ok(())).unwrap()
    }

    fn fast<K: Key>(sentences: &[Vec<u32>], order: usize, bits: u32, memory: &Memory) -> Vec<Plain> {
        let plain = |(n, grams): (usize, Grams<K>)| {
            let mut rows = grams.rows();
            let mut plain = Plain::new();
            let mut last = None;
            while rows.advance_counted(n as u32, bits).unwrap() {
                assert!(last < Some(rows.key));
                last = Some(rows.key);
                plain.insert(words(rows.key, n, bits), (rows.seen, rows.adjusted(n as u32, bits)));
            }
            plain
        };
        (1..).zip(orders(sentences, order, bits, memory)).map(plain).collect()
    }

    /// Returns memories with room for nothing, for little, and for everything. The folder must live
    /// as long as they are used.
    fn memories() -> (tempfile::TempDir, [Memory; 3]) {
        let folder = tempfile::tempdir().unwrap();
        let limited = |bytes| Memory::limited(bytes, folder.path());
        let all = [limited(0), limited(100_000), Memory::unlimited()];
        (folder, all)
    }

    proptest! {
        #[test]
        fn the_fast_counter_counts_like_its_plain_twin(
            sentences in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0), 3u32..8], 0..7), 0..40),
            order in 1usize..=7,
        ) {
            let expected = plain(&sentences, order);
            let (_folder, memories) = memories();
            for memory in &memories {
                prop_assert_eq!(&fast::<u64>(&sentences, order, 9, memory), &expected);
                prop_assert_eq!(&fast::<u128>(&sentences, order, 18, memory), &expected);
                prop_assert_eq!(&fast::<Wide>(&sentences, order, 32, memory), &expected);
            }
        }

        #[test]
        fn each_ngram_is_given_the_value_of_its_suffix(
            sentences in prop::collection::vec(prop::collection::vec(3u32..9, 0..9), 0..60),
        ) {
            let (bits, order) = (4, 3);
            let (_folder, memories) = memories();
            let value = |key: u64| key as f64 + 0.5;
            for memory in &memories {
                let mut orders = orders::<u64>(&sentences, order, bits, memory);
                for n in 2..=order as u32 {
                    let mut len = 0;
                    let mut rows = orders[n as usize - 1].rows();
                    while rows.advance_counted(n, bits).unwrap() {
                        len += 1;
                    }
                    let shorter = &mut orders[n as usize - 2];
                    let mut values = Scattered::new(shorter, len, memory, |rows| Ok(value(rows.key))).unwrap();
                    let mut rows = orders[n as usize - 1].rows();
                    while rows.advance_counted(n, bits).unwrap() {
                        prop_assert_eq!(values.next().unwrap(), value(rows.key.low((n - 1) * bits)));
                    }
                }
            }
        }

        #[test]
        fn records_are_sorted(keys in prop::collection::vec(any::<u64>(), 0..3000)) {
            let mut sorted = keys.clone();
            sort(&mut sorted, &mut Vec::new(), 64);
            prop_assert!(sorted.is_sorted());
            let mut expected = keys;
            expected.sort_unstable();
            prop_assert_eq!(sorted, expected);
        }

        #[test]
        fn rows_come_back_as_they_went(
            rows in prop::collection::btree_map(any::<(u128, u128)>(), any::<(u32, u32)>(), 0..50),
            shift in 0u32..256,
        ) {
            let rows: BTreeMap<Wide, (u32, u32)> = rows
                .into_iter()
                .map(|((high, low), counts)| (Wide { high, low }.shift(shift.max(32)), counts))
                .collect();
            for has_links in [false, true] {
                let mut encoder = GramEncoder::new();
                for (&key, &(seen, links)) in &rows {
                    encoder.push(key, seen, has_links.then_some(links));
                }
                let block = encoder.take();
                let (mut at, mut last) = (0, Wide::default());
                for (&key, &(seen, links)) in &rows {
                    let row = decode(&block, &mut at, last, has_links);
                    prop_assert_eq!(row, Some((key, seen, if has_links { links } else { 0 })));
                    last = key;
                }
                prop_assert_eq!(at + PAD, block.len());
            }
        }

        #[test]
        fn any_bytes_are_rows_or_none(block in prop::collection::vec(any::<u8>(), 0..100)) {
            let (mut at, mut last) = (0, u64::MAX / 2);
            while let Some((key, ..)) = decode(&block, &mut at, last, true) {
                last = key;
            }
        }
    }

    #[test]
    fn many_pieces_are_merged_level_by_level() {
        let (_folder, memories) = memories();
        let numbers = || (0..5000u64).map(|number| number * number % 1701);
        let mut expected = BTreeMap::<u64, u32>::new();
        numbers().for_each(|number| *expected.entry(number).or_default() += 1);
        for memory in &memories {
            let mut counter = RecordCounter::<u64>::new(11, true, 5000, memory);
            numbers().for_each(|number| counter.push(number).unwrap());
            let mut rows = counter.finish().unwrap().into_rows();
            let mut found = BTreeMap::new();
            while rows.advance().unwrap() {
                found.insert(rows.key, rows.seen);
            }
            assert_eq!(found, expected);
        }
    }
}
