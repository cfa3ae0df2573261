//! A text as numbers in, sorted n-grams of every order with their counts out.
//!
//! The n-grams of a piece of the text are packed into integers, sorted and counted; pieces are merged like the runs of a
//! merge sort, two of about the same size at a time, so that memory grows with the different n-grams. Every order but the
//! highest is counted from the one above it.

use std::fmt::Debug;

use super::vocab::WordId;

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
}

/// How many bits each word of a vocabulary needs.
pub(super) fn word_bits(vocabulary: usize) -> u32 {
    (vocabulary as u64).next_power_of_two().trailing_zeros().max(1)
}

/// Different n-grams of one order, sorted, with their counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Grams<K> {
    pub(super) keys: Vec<K>,
    /// How often each was seen.
    pub(super) seen: Vec<u32>,
    /// After how many different words each was seen; empty in the highest order. One that begins with `<s>` has no word
    /// before it: how often it was seen.
    pub(super) continued: Vec<u32>,
}

impl<K: Key> Grams<K> {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The counts that Kneser and Ney ask for: continuations, or in the highest order what was seen.
    pub(super) fn adjusted(&self) -> &[u32] {
        if self.continued.is_empty() { &self.seen } else { &self.continued }
    }

    fn with_capacity(len: usize, is_highest: bool) -> Self {
        let continued = Vec::with_capacity(if is_highest { 0 } else { len });
        Self { keys: Vec::with_capacity(len), seen: Vec::with_capacity(len), continued }
    }

    #[inline]
    fn push(&mut self, key: K, seen: u32, continued: Option<u32>) {
        self.keys.push(key);
        self.seen.push(seen);
        self.continued.extend(continued);
    }

    /// Two of the same order as one.
    fn merge(self, other: Self, is_highest: bool) -> Self {
        let mut merged = Self::with_capacity(self.len() + other.len(), is_highest);
        let (mut a, mut b) = (0, 0);
        while a < self.len() && b < other.len() {
            let order = self.keys[a].cmp(&other.keys[b]);
            let (from_a, from_b) = (order.is_le(), order.is_ge());
            let key = if from_a { self.keys[a] } else { other.keys[b] };
            let sum = |counts_a: &[u32], counts_b: &[u32]| {
                (if from_a { counts_a[a] } else { 0 }) + (if from_b { counts_b[b] } else { 0 })
            };
            let continued = (!is_highest).then(|| sum(&self.continued, &other.continued));
            merged.push(key, sum(&self.seen, &other.seen), continued);
            a += usize::from(from_a);
            b += usize::from(from_b);
        }
        for (rest, at) in [(&self, a), (&other, b)] {
            merged.keys.extend_from_slice(&rest.keys[at..]);
            merged.seen.extend_from_slice(&rest.seen[at..]);
            if !is_highest {
                merged.continued.extend_from_slice(&rest.continued[at..]);
            }
        }
        merged
    }
}

/// The bytes of n-grams that are sorted at a time: large enough that there are few pieces to merge, small beside the
/// counts of a large corpus.
const PIECE: usize = 1 << 26;

/// Something to be sorted by its key.
trait Record: Copy + Default {
    type Key: Key;
    fn key(&self) -> Self::Key;
    /// How often the key was seen.
    fn seen(&self) -> u32;
}

impl<K: Key> Record for K {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        *self
    }

    #[inline]
    fn seen(&self) -> u32 {
        1
    }
}

/// An n-gram without its first word, and how often the whole was seen.
#[derive(Debug, Clone, Copy, Default)]
struct Continued<K> {
    key: K,
    seen: u32,
}

impl<K: Key> Record for Continued<K> {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        self.key
    }

    #[inline]
    fn seen(&self) -> u32 {
        self.seen
    }
}

/// Counts records as they come.
#[derive(Debug)]
struct Counter<R: Record> {
    bits: u32,
    is_highest: bool,
    piece: Vec<R>,
    scratch: Vec<R>,
    /// What has been counted, in runs that get shorter.
    runs: Vec<Grams<R::Key>>,
    capacity: usize,
}

impl<R: Record> Counter<R> {
    /// For keys of so many bits.
    fn new(bits: u32, is_highest: bool, expected: usize) -> Self {
        let capacity = (PIECE / size_of::<R>()).min(expected).max(1);
        Self {
            bits,
            is_highest,
            piece: Vec::with_capacity(capacity),
            scratch: Vec::new(),
            runs: Vec::new(),
            capacity,
        }
    }

    #[inline]
    fn push(&mut self, record: R) {
        if self.piece.len() == self.capacity {
            self.end_piece();
        }
        self.piece.push(record);
    }

    fn end_piece(&mut self) {
        sort(&mut self.piece, &mut self.scratch, self.bits);
        let mut different = usize::from(!self.piece.is_empty());
        different += self.piece.windows(2).filter(|pair| pair[0].key() != pair[1].key()).count();
        let mut run = Grams::with_capacity(different, self.is_highest);
        for same in self.piece.chunk_by(|a, b| a.key() == b.key()) {
            let seen = same.iter().map(Record::seen).sum();
            run.push(same[0].key(), seen, (!self.is_highest).then_some(same.len() as u32));
        }
        self.piece.clear();
        // Like a binary counter: no n-gram is merged more often than the logarithm of the number of pieces.
        while self.runs.last().is_some_and(|last| last.len() < 2 * run.len()) {
            run = self.merge_last(run);
        }
        self.runs.push(run);
    }

    fn merge_last(&mut self, run: Grams<R::Key>) -> Grams<R::Key> {
        match self.runs.pop() {
            Some(last) => last.merge(run, self.is_highest),
            None => run,
        }
    }

    fn finish(mut self) -> Grams<R::Key> {
        self.end_piece();
        (self.piece, self.scratch) = (Vec::new(), Vec::new());
        let mut all = self.runs.pop().unwrap_or_default();
        while !self.runs.is_empty() {
            all = self.merge_last(all);
        }
        all
    }
}

/// The bits of a digit: 2048 counters stay in the first-level cache.
const DIGIT: u32 = 11;

/// Sorts records by the lowest `bits` of their keys, the least significant digit first. `scratch` is memory to work in.
fn sort<R: Record>(records: &mut Vec<R>, scratch: &mut Vec<R>, bits: u32) {
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

/// The n-grams of all orders, from 1, of sentences that each end with [`WordId::END`]. Sentences begin as after `order` - 1
/// times `<s>`, and in each order n-grams with more than one of these are left out at the end. The text is given up piece
/// by piece.
pub(super) fn count<K: Key>(parts: Vec<Vec<u32>>, order: usize, bits: u32) -> Vec<Grams<K>> {
    let mut orders = vec![highest(parts, order, bits)];
    for n in (1..order as u32).rev() {
        let longer = orders.last_mut().expect("one is there from the beginning");
        let shorter = shorter(longer, n, bits);
        remove_padded(longer, n + 1, bits);
        orders.push(shorter);
    }
    orders.reverse();
    orders
}

fn highest<K: Key>(parts: Vec<Vec<u32>>, order: usize, bits: u32) -> Grams<K> {
    let all = bits * order as u32;
    let start = (0..order).fold(K::default(), |key, _| key.append(WordId::START.0, bits));
    let words = parts.iter().map(Vec::len).sum();
    let mut counter = Counter::<K>::new(all, true, words);
    for part in parts {
        let mut key = start;
        for word in part {
            key = key.append(word, bits).low(all);
            counter.push(key);
            if word == WordId::END.0 {
                key = start;
            }
        }
    }
    counter.finish()
}

/// The n-grams one shorter than `longer`, of `n` words.
fn shorter<K: Key>(longer: &Grams<K>, n: u32, bits: u32) -> Grams<K> {
    let padded = padded(longer, n + 1, bits);
    let mut counter = Counter::<Continued<K>>::new(n * bits, false, longer.len());
    for (at, (&key, &seen)) in longer.keys.iter().zip(&longer.seen).enumerate() {
        if !padded.contains(&at) {
            counter.push(Continued { key: key.low(n * bits), seen });
        }
    }
    let mut shorter = counter.finish();
    // These alone begin with `<s>`, and they are sorted.
    let place = shorter.keys.partition_point(|key| key.part((n - 1) * bits) < WordId::START.0);
    let keys = longer.keys[padded.clone()].iter().map(|key| key.low(n * bits));
    shorter.keys.splice(place..place, keys);
    shorter.seen.splice(place..place, longer.seen[padded.clone()].iter().copied());
    shorter.continued.splice(place..place, longer.seen[padded].iter().copied());
    shorter
}

fn remove_padded<K: Key>(grams: &mut Grams<K>, n: u32, bits: u32) {
    let padded = padded(grams, n, bits);
    grams.keys.drain(padded.clone());
    grams.seen.drain(padded.clone());
    if !grams.continued.is_empty() {
        grams.continued.drain(padded);
    }
}

/// Where the n-grams stand that begin with `<s>` twice.
fn padded<K: Key>(grams: &Grams<K>, n: u32, bits: u32) -> std::ops::Range<usize> {
    if n < 2 {
        return 0..0;
    }
    let twice = (u64::from(WordId::START.0) << bits) | u64::from(WordId::START.0);
    let first = |key: &K| {
        let pair = key.shift((n - 2) * bits);
        (u64::from(pair.part(bits)) << bits) | u64::from(pair.low(bits).part(0))
    };
    let start = grams.keys.partition_point(|key| first(key) < twice);
    start..start + grams.keys[start..].partition_point(|key| first(key) == twice)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use proptest::prelude::*;

    /// How often each n-gram was seen, and after how many words.
    type Plain = BTreeMap<Vec<u32>, (u32, u32)>;

    /// The definition, word by word.
    fn plain(sentences: &[Vec<u32>], order: usize) -> Vec<Plain> {
        let mut orders = vec![Plain::new(); order];
        let mut before: BTreeMap<Vec<u32>, BTreeSet<u32>> = BTreeMap::new();
        for sentence in sentences {
            let mut words = vec![WordId::START.0];
            words.extend(sentence.iter().chain([&WordId::END.0]));
            for n in 1..=order {
                for (at, window) in
                    words.windows(n).enumerate().filter(|(_, window)| window != &[WordId::START.0])
                {
                    orders[n - 1].entry(window.to_vec()).or_default().0 += 1;
                    if at > 0 {
                        before.entry(window.to_vec()).or_default().insert(words[at - 1]);
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

    fn words<K: Key>(key: K, n: u32, bits: u32) -> Vec<u32> {
        (0..n).rev().map(|at| key.shift(at * bits).low(bits).part(0)).collect()
    }

    fn fast<K: Key>(sentences: &[Vec<u32>], order: usize, bits: u32) -> Vec<Plain> {
        let text = sentences.iter().flat_map(|sentence| sentence.iter().copied().chain([WordId::END.0]));
        let text: Vec<u32> = text.collect();
        // Threads cut the text where a sentence ends.
        let cut =
            text[..text.len() / 2].iter().rposition(|&word| word == WordId::END.0).map_or(0, |at| at + 1);
        let orders = count::<K>(vec![text[..cut].to_vec(), text[cut..].to_vec()], order, bits);
        let plain = |(n, grams): (u32, Grams<K>)| {
            assert!(grams.keys.is_sorted_by(|a, b| a < b));
            let counts = grams.seen.iter().copied().zip(grams.adjusted().iter().copied());
            grams.keys.iter().map(|&key| words(key, n, bits)).zip(counts).collect()
        };
        (1..).zip(orders).map(plain).collect()
    }

    proptest! {
        #[test]
        fn the_fast_counter_counts_like_its_plain_twin(
            sentences in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0), 3u32..8], 0..7), 0..12),
            order in 1usize..=7,
        ) {
            let expected = plain(&sentences, order);
            prop_assert_eq!(&fast::<u64>(&sentences, order, 9), &expected);
            prop_assert_eq!(&fast::<u128>(&sentences, order, 18), &expected);
            prop_assert_eq!(&fast::<Wide>(&sentences, order, 32), &expected);
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
    }

    #[test]
    fn pieces_are_merged() {
        let mut counter = Counter::<u64>::new(11, true, 100);
        (0..1000u64).for_each(|number| counter.push(number * number % 701));
        let grams = counter.finish();
        let mut expected = BTreeMap::<u64, u32>::new();
        (0..1000).for_each(|number| *expected.entry(number * number % 701).or_default() += 1);
        assert_eq!(grams.keys.into_iter().zip(grams.seen).collect::<BTreeMap<_, _>>(), expected);
    }
}
