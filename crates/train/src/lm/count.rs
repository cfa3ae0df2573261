//! A text as numbers in, sorted n-grams of every order with their counts out.
//!
//! The n-grams of a piece of the text are packed into integers, sorted and counted; the pieces are then merged. Every order
//! but the highest is counted from the one above it. What is counted is kept in a few bytes an n-gram, in memory or on
//! disk: see [`spill`](super::spill).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fmt::Debug;
use std::sync::Arc;

use super::spill::{BLOCK, Memory, NumberReader, Numbers, Pile, SpillBlock, SpillBlocks};
use majuscule::error::{Error, Result};
use majuscule::lm::MAX_ORDER;
use majuscule::lm::vocab::WordId;

/// Some words in one value that sorts as they do: the first in the highest bits, each in as many bits as the vocabulary
/// asks for.
pub(super) trait Key: Copy + Ord + Default + Debug {
    /// With one more word at its end.
    fn append(self, word: u32, bits: u32) -> Self;
    /// Its lowest bits, the others 0.
    fn low(self, bits: u32) -> Self;
    /// Its lowest 32 bits after a shift to the right.
    fn part(self, shift: u32) -> u32;
    /// Without its last word.
    fn shift(self, bits: u32) -> Self;
    /// What it is larger by than a smaller one.
    fn minus(self, smaller: Self) -> Self;
    /// The sum, where there is one.
    fn plus(self, other: Self) -> Option<Self>;
    /// Appends its bytes, the lowest first, up to the last that is not 0, and says how many these are.
    fn put(self, out: &mut Vec<u8>) -> usize;
    /// A key from its first `len` bytes, where there are [`PAD`] at least.
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

/// 256 bits: seven words of 32 bits fit.
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

/// How many bits each word of a vocabulary needs.
pub(super) fn word_bits(vocabulary: usize) -> u32 {
    (vocabulary as u64).next_power_of_two().trailing_zeros().max(1)
}

/// So many bytes lie behind every row, so that a key can be read in one piece.
pub(super) const PAD: usize = 32;

/// The most bytes that a row may take: a byte of lengths, a key, and two counts.
const ROW: usize = 1 + 32 + 5 + 5;

/// Counts from this on are written after the key.
const LONG: u8 = 7;

/// The bytes of sorted n-grams. A row is a byte that holds the number of bytes of the key and the count up to [`LONG`];
/// then the difference from the key before, what the count is more than [`LONG`] where it is that or more, and the number
/// of links but in the highest order. Each block begins anew.
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
            put_varint(seen - u32::from(LONG), &mut self.block);
        }
        if let Some(links) = links {
            put_varint(links, &mut self.block);
        }
        self.last = key;
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.block.len() + ROW + PAD > BLOCK
    }

    /// The block, to be begun anew.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.last = K::default();
        let mut block = std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK));
        block.extend_from_slice(&[0; PAD]);
        block
    }
}

/// Reads the row at `at`, a number of bytes into a block, given the key of the row before: its key, its count and the
/// number of its links. `None` where it is none.
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
        seen = seen.checked_add(varint(block, at)?)?;
    }
    let links = if has_links { varint(block, at)? } else { 0 };
    Some((key, seen, links))
}

#[inline]
pub(super) fn put_varint(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[inline]
fn varint(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let (mut number, mut shift) = (0u32, 0);
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

/// Different n-grams of one order, sorted, with their counts.
#[derive(Debug)]
pub(super) struct Grams<K> {
    rows: Pile,
    encoder: GramEncoder<K>,
    /// For each row the numbers of the n-grams with one word before it, in the order above; [`NO_LINK`] for one that is
    /// not counted. `None` in the highest order.
    links: Option<Numbers<u32>>,
    len: usize,
}

/// Begins with `<s>` twice.
const NO_LINK: u32 = u32::MAX;

impl<K: Key> Grams<K> {
    pub(super) fn new(is_highest: bool, memory: &Memory) -> Self {
        let links = (!is_highest).then(|| Numbers::new(memory));
        Self { rows: Pile::new(memory), encoder: GramEncoder::new(), links, len: 0 }
    }

    pub(super) fn is_highest(&self) -> bool {
        self.links.is_none()
    }

    /// Adds a row, greater than the last.
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

    /// Its rows, which stay.
    pub(super) fn rows(&self) -> GramRows<K> {
        GramRows::new(self.rows.blocks(), !self.is_highest())
    }

    /// Gives its blocks, as an [`GramEncoder`] makes them, to `visit`.
    pub(super) fn into_blocks(self, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut blocks = self.rows.into_blocks();
        while let Some(block) = blocks.next()? {
            visit(block.bytes())?;
        }
        Ok(())
    }

    /// Itself, and nothing in its place.
    pub(super) fn take(&mut self, memory: &Memory) -> Self {
        std::mem::replace(self, Self::new(self.is_highest(), memory))
    }

    /// Its rows, which are gone once they have been read.
    pub(super) fn into_rows(self) -> GramRows<K> {
        GramRows::new(self.rows.into_blocks(), self.links.is_some())
    }

    /// The same, with their links.
    fn into_linked_rows(self) -> Result<(GramRows<K>, Option<NumberReader<u32>>)> {
        let has_links = self.links.is_some();
        let links = self.links.map(Numbers::into_reader).transpose()?;
        Ok((GramRows::new(self.rows.into_blocks(), has_links), links))
    }

    /// Its links, which are gone once they have been read.
    pub(super) fn take_links(&mut self) -> Result<Option<NumberReader<u32>>> {
        self.links
            .as_mut()
            .map(|links| std::mem::replace(links, Numbers::new(&Memory::unlimited())).into_reader())
            .transpose()
    }

    /// The 1-grams with all words among them, also those that were not seen.
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

    /// Several of the same order as one.
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

/// The rows of [`Grams`], one after another.
#[derive(Debug)]
pub(super) struct GramRows<K> {
    blocks: SpillBlocks,
    block: Arc<SpillBlock>,
    at: usize,
    has_links: bool,
    /// The n-gram.
    pub(super) key: K,
    /// How often it was seen.
    pub(super) seen: u32,
    /// How many n-grams have one word before it; 0 in the highest order.
    pub(super) links: u32,
}

impl<K: Key> GramRows<K> {
    fn new(blocks: SpillBlocks, has_links: bool) -> Self {
        Self { blocks, block: Arc::default(), at: PAD, has_links, key: K::default(), seen: 0, links: 0 }
    }

    /// Goes to the next row; `false` at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool> {
        if self.at + PAD >= self.block.bytes().len() && !self.next_block()? {
            return Ok(false);
        }
        let row = decode(self.block.bytes(), &mut self.at, self.key, self.has_links);
        (self.key, self.seen, self.links) = row.expect("blocks are read as they were written");
        Ok(true)
    }

    /// Like advance, but for what begins with `<s>` twice.
    #[inline]
    pub(super) fn advance_counted(&mut self, n: u32, bits: u32) -> Result<bool> {
        while self.advance()? {
            if !is_padded(self.key, n, bits) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The count that Kneser and Ney ask for, of an n-gram of `n` words: after how many words it was seen, or, in the
    /// highest order and where it begins with `<s>` and has no word before it, how often.
    #[inline]
    pub(super) fn adjusted(&self, n: u32, bits: u32) -> u32 {
        let begins = self.key.part((n - 1) * bits) == WordId::START.0;
        if !self.has_links || begins { self.seen } else { self.links }
    }

    /// The words of its n-gram.
    #[inline]
    pub(super) fn words<'w>(&self, n: usize, bits: u32, out: &'w mut [u32; MAX_ORDER]) -> &'w [u32] {
        words_of(self.key, bits, &mut out[..n]);
        &out[..n]
    }

    #[cold]
    fn next_block(&mut self) -> Result<bool> {
        // What has been read is let go before more is read.
        self.block = Arc::default();
        let Some(block) = self.blocks.next()? else { return Ok(false) };
        (self.block, self.at, self.key) = (block, 0, K::default());
        Ok(true)
    }
}

/// The words of an n-gram.
#[inline]
pub(super) fn words_of<K: Key>(key: K, bits: u32, words: &mut [u32]) {
    for (at, word) in (0..).zip(words.iter_mut().rev()) {
        *word = key.shift(at * bits).low(bits).part(0);
    }
}

/// Whether an n-gram of `n` words begins with `<s>` twice.
#[inline]
pub(super) fn is_padded<K: Key>(key: K, n: u32, bits: u32) -> bool {
    n >= 2 && {
        let pair = key.shift((n - 2) * bits);
        pair.part(bits) == WordId::START.0 && pair.low(bits).part(0) == WordId::START.0
    }
}

/// The bytes of n-grams that are sorted at a time: large enough that there are few pieces to merge, small beside the
/// counts of a large corpus.
const PIECE: usize = 1 << 26;

/// So many runs are merged at a time.
const RUNS: usize = 32;

/// Something to be sorted by its key.
trait SortRecord: Copy + Default {
    type Key: Key;
    fn key(&self) -> Self::Key;
    /// How often the key was seen.
    fn seen(&self) -> u32;
    /// The n-gram that it is a part of.
    fn link(&self) -> u32;
}

impl<K: Key> SortRecord for K {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        *self
    }

    #[inline]
    fn seen(&self) -> u32 {
        1
    }

    #[inline]
    fn link(&self) -> u32 {
        NO_LINK
    }
}

/// An n-gram, how often it was seen, and the number of the one that it is a part of.
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

/// Counts records as they come.
#[derive(Debug)]
struct RecordCounter<'a, R: SortRecord> {
    bits: u32,
    is_highest: bool,
    memory: &'a Memory,
    piece: Vec<R>,
    scratch: Vec<R>,
    capacity: usize,
    /// What has been counted; every [`RUNS`] of one level are merged into one of the next.
    levels: Vec<Vec<Grams<R::Key>>>,
}

impl<'a, R: SortRecord> RecordCounter<'a, R> {
    /// For keys of so many bits.
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
        // The levels hold ever later parts of what came, from the highest on.
        let runs = self.levels.into_iter().rev().flatten().collect();
        Grams::merge(runs, self.is_highest, self.memory)
    }
}

/// A piece is never smaller, however little memory there is.
const FEW: usize = 64;

/// The bits of a digit: 2048 counters stay in the first-level cache.
const DIGIT: u32 = 11;

/// Sorts records by the lowest `bits` of their keys, the least significant digit first. `scratch` is memory to work in.
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
            let place = &mut counts[digit(record, pass)];
            scratch[*place as usize] = *record;
            *place += 1;
        }
        std::mem::swap(records, scratch);
    }
}

/// Counts the n-grams of the highest order. Sentences begin as after `order` - 1 times `<s>`.
pub(super) struct Highest<'a, K: Key> {
    counter: CountSource<'a, K>,
    start: K,
    key: K,
    all: u32,
    bits: u32,
}

/// What is counted: words one by one, or n-grams that were counted before.
enum CountSource<'a, K: Key> {
    Words(RecordCounter<'a, K>),
    Grams(RecordCounter<'a, SuffixRecord<K>>),
}

impl<'a, K: Key> Highest<'a, K> {
    /// For a text of so many words, or n-grams.
    pub(super) fn new(order: usize, bits: u32, expected: usize, are_grams: bool, memory: &'a Memory) -> Self {
        let all = bits * order as u32;
        let start = (0..order).fold(K::default(), |key, _| key.append(WordId::START.0, bits));
        let counter = match are_grams {
            false => CountSource::Words(RecordCounter::new(all, true, expected, memory)),
            true => CountSource::Grams(RecordCounter::new(all, true, expected, memory)),
        };
        Self { counter, start, key: start, all, bits }
    }

    /// The next word of a text, whose sentences each end with [`WordId::END`].
    #[inline]
    pub(super) fn word(&mut self, word: u32) -> Result<()> {
        let key = self.key.append(word, self.bits).low(self.all);
        self.key = if word == WordId::END.0 { self.start } else { key };
        self.gram(key, 1)
    }

    /// An n-gram that was seen so often.
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

/// The n-grams of all orders, from 1, given those of the highest; `progress` hears of each. What begins with `<s>` twice
/// stands among them still: see [`GramRows::advance_counted`].
pub(super) fn lower<K: Key>(
    highest: Grams<K>,
    order: usize,
    bits: u32,
    memory: &Memory,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Grams<K>>> {
    let mut orders = vec![highest];
    for n in (1..order as u32).rev() {
        progress(n as usize);
        let longer = orders.last().expect("one is there from the beginning");
        let shorter = shorter(longer, n, bits, memory)?;
        orders.push(shorter);
    }
    orders.reverse();
    Ok(orders)
}

/// The n-grams one shorter than `longer`, of `n` words.
fn shorter<K: Key>(longer: &Grams<K>, n: u32, bits: u32, memory: &Memory) -> Result<Grams<K>> {
    let mut counter = RecordCounter::<SuffixRecord<K>>::new(n * bits, false, longer.len, memory);
    let mut rows = longer.rows();
    let mut next = 0;
    while rows.advance()? {
        let mut link = NO_LINK;
        if !is_padded(rows.key, n + 1, bits) {
            if next == NO_LINK {
                let problem = "more than 4,294,967,294 n-grams: use a lower order, a smaller vocabulary or a part of the corpus";
                return Err(Error::Usage(problem.to_owned()));
            }
            (link, next) = (next, next + 1);
        }
        counter.push(SuffixRecord { key: rows.key.low(n * bits), seen: rows.seen, link })?;
    }
    counter.finish()
}

/// For each n-gram of one order the number of its suffix' value: the values of the order below, put where the links say.
#[derive(Debug)]
pub(super) struct Scattered {
    array: Vec<f64>,
    at: usize,
    /// Values of the n-grams that have no room yet, each so many as the array has.
    buckets: std::vec::IntoIter<Numbers<(u32, f64)>>,
}

impl Scattered {
    /// `value` gives the value of each row of `shorter` in turn; `len` n-grams are linked.
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

    /// The value of the next n-gram.
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

/// So many parts at most.
const BUCKETS: usize = 64;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use ngrams::Ngrams;
    use proptest::prelude::*;

    /// How often each n-gram was seen, and after how many words.
    type Plain = BTreeMap<Vec<u32>, (u32, u32)>;

    /// The definition, on the windows of an independent crate.
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

    /// The n-grams of a sentence. The crate panics on fewer than `n` - 1 words, and its 1-grams grow.
    fn windows(words: &[u32], n: usize) -> Vec<Vec<u32>> {
        if n == 1 || words.len() < n {
            return words.chunks(1).filter(|_| n == 1).map(<[u32]>::to_vec).collect();
        }
        let names = words.iter().map(u32::to_string);
        let number = |name: &String| name.parse().unwrap();
        Ngrams::new(names, n).map(|window| window.iter().map(number).collect()).collect()
    }

    fn words<K: Key>(key: K, n: usize, bits: u32) -> Vec<u32> {
        let mut words = vec![0; n];
        words_of(key, bits, &mut words);
        words
    }

    fn orders<K: Key>(sentences: &[Vec<u32>], order: usize, bits: u32, memory: &Memory) -> Vec<Grams<K>> {
        let len = sentences.iter().map(|sentence| sentence.len() + 1).sum();
        let mut highest = Highest::<K>::new(order, bits, len, false, memory);
        for sentence in sentences {
            sentence.iter().chain([&WordId::END.0]).for_each(|&word| highest.word(word).unwrap());
        }
        lower(highest.finish().unwrap(), order, bits, memory, &mut |_| ()).unwrap()
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

    /// A limit that leaves room for nothing, for little, and for all; the folder lives as long as the memory is used.
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
