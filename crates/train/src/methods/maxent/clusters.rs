//! Clusters words into classes by their bigrams: the exchange algorithm of Kneser & Ney 1993, as
//! described by Martin, Liermann & Ney 1998.
//!
//! Each word in turn, most frequent first, moves to the class that maximises the likelihood of the
//! corpus under a class bigram model. A few rounds are made over all words.

use std::num::NonZeroUsize;

use rustc_hash::FxHashMap;

use crate::corpus::Corpus;
use majuscule_base::error::Result;

/// The number of classes; class 0 is for all words that are not clustered.
pub(super) const CLUSTERS: usize = 255;

/// The largest number of words that are clustered.
const WORDS: usize = 20_000;

/// The number of rounds.
const ROUNDS: usize = 6;

/// Returns the class, counted from 1, of each of the most frequent words, which come first in
/// `order`.
pub(super) fn clusters(order: &[String], corpus: &Corpus, threads: NonZeroUsize) -> Result<Vec<u8>> {
    let words = &order[..order.len().min(WORDS)];
    let bigrams = bigrams(words, corpus, threads)?;
    let mut classes = Clustering::new(words.len() + 1, CLUSTERS, &bigrams);
    for _ in 0..ROUNDS {
        corpus.interrupt().check()?;
        if !classes.go_round() {
            break;
        }
    }
    Ok(classes.of[1..].iter().map(|&class| class as u8).collect())
}

/// Returns the sorted pairs of neighbours with their counts; word 0 represents any word that is not
/// clustered.
fn bigrams(words: &[String], corpus: &Corpus, threads: NonZeroUsize) -> Result<Vec<(u32, u32, u32)>> {
    let ids: FxHashMap<&str, u32> = words.iter().map(String::as_str).zip(1..).collect();
    let parts = corpus.map_reduce(
        threads,
        FxHashMap::default,
        |counts: &mut FxHashMap<(u32, u32), u32>, example| {
            let mut before = None;
            for (lower, _) in example.tokens.iter() {
                let word = ids.get(lower).copied().unwrap_or(0);
                if let Some(before) = before.replace(word) {
                    *counts.entry((before, word)).or_default() += 1;
                }
            }
            Ok(())
        },
    )?;
    let mut bigrams: Vec<(u32, u32, u32)> =
        parts.into_iter().flatten().map(|((left, right), count)| (left, right, count)).collect();
    bigrams.sort_unstable();
    bigrams.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 += next.2;
        }
        same
    });
    Ok(bigrams)
}

/// Words in classes, with the bigram counts of the classes.
struct Clustering {
    count: usize,
    /// The class of each word.
    of: Vec<u32>,
    /// For each word, the other words that follow it, with their counts; `left` has the words that
    /// precede it.
    right: NeighbourCounts,
    left: NeighbourCounts,
    /// The number of times that each word follows itself.
    itself: Vec<u32>,
    /// The number of times that the class of the row is followed by the class of the column;
    /// `turned` is the transpose.
    pairs: Vec<u32>,
    turned: Vec<u32>,
    /// The number of times that each class is followed by a word; `rights` has the number of times
    /// that it follows one.
    lefts: Vec<u32>,
    rights: Vec<u32>,
    weights: NLogN,
}

/// Concatenated lists of words with counts.
struct NeighbourCounts {
    ends: Vec<u32>,
    words: Vec<(u32, u32)>,
}

impl NeighbourCounts {
    fn new(count: usize, bigrams: impl Iterator<Item = (u32, u32, u32)>) -> Self {
        let mut bigrams: Vec<_> = bigrams.filter(|(word, other, _)| word != other).collect();
        bigrams.sort_unstable();
        let ends =
            (0..count as u32).map(|word| bigrams.partition_point(|bigram| bigram.0 <= word) as u32).collect();
        Self { ends, words: bigrams.into_iter().map(|(_, other, count)| (other, count)).collect() }
    }

    fn of(&self, word: usize) -> &[(u32, u32)] {
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start as usize..self.ends[word] as usize]
    }
}

/// The counts of the classes on one side of a word.
#[derive(Default)]
struct NeighbourSide {
    counts: Vec<(u32, u32)>,
    all: u32,
}

impl Clustering {
    /// Assigns the words from 1 to the classes in turn, and word 0 permanently to class 0.
    fn new(words: usize, clusters: usize, bigrams: &[(u32, u32, u32)]) -> Self {
        let count = clusters + 1;
        let mut classes = Self {
            count,
            of: (0..words)
                .map(|word| word.checked_sub(1).map_or(0, |word| word % clusters + 1) as u32)
                .collect(),
            right: NeighbourCounts::new(words, bigrams.iter().copied()),
            left: NeighbourCounts::new(
                words,
                bigrams.iter().map(|&(left, right, count)| (right, left, count)),
            ),
            itself: vec![0; words],
            pairs: vec![0; count * count],
            turned: vec![0; count * count],
            lefts: vec![0; count],
            rights: vec![0; count],
            weights: NLogN::new(),
        };
        for &(left, right, times) in bigrams {
            if left == right {
                classes.itself[left as usize] = times;
            }
            let (left, right) = (classes.of[left as usize] as usize, classes.of[right as usize] as usize);
            classes.pairs[left * count + right] += times;
            classes.turned[right * count + left] += times;
            classes.lefts[left] += times;
            classes.rights[right] += times;
        }
        classes
    }

    /// Moves each word once to its best class. Returns true if any word moved.
    fn go_round(&mut self) -> bool {
        let (mut right, mut left) = (NeighbourSide::default(), NeighbourSide::default());
        let mut sums = vec![0; self.count];
        let mut moved = false;
        for word in 1..self.of.len() {
            right.count(self.right.of(word), &self.of, &mut sums);
            left.count(self.left.of(word), &self.of, &mut sums);
            let own = self.of[word] as usize;
            self.put(word, own, &right, &left, u32::wrapping_sub);
            // On a tie, the word's own class is preferred, then the class with the lowest number.
            let (mut best, mut most) = (own, self.gain(word, own, &right, &left));
            for class in 1..self.count {
                let gain = self.gain(word, class, &right, &left);
                if gain > most + 1e-6 {
                    (best, most) = (class, gain);
                }
            }
            self.put(word, best, &right, &left, u32::wrapping_add);
            self.of[word] = best as u32;
            moved |= best != own;
        }
        moved
    }

    /// Returns the gain in log likelihood from adding a word to a class in which it is not counted.
    fn gain(&self, word: usize, class: usize, right: &NeighbourSide, left: &NeighbourSide) -> f64 {
        let more = |count: u32, by: u32| self.weights.of(count + by) - self.weights.of(count);
        let row = &self.pairs[class * self.count..][..self.count];
        let column = &self.turned[class * self.count..][..self.count];
        let mut gain = 0.0;
        let mut within = self.itself[word];
        for (side, counts) in [(right, row), (left, column)] {
            for &(other, by) in &side.counts {
                if other as usize == class {
                    within += by;
                } else {
                    gain += more(counts[other as usize], by);
                }
            }
        }
        gain + more(row[class], within)
            - more(self.lefts[class], right.all + self.itself[word])
            - more(self.rights[class], left.all + self.itself[word])
    }

    /// Counts a word in its class, or removes its counts.
    fn put(
        &mut self,
        word: usize,
        class: usize,
        right: &NeighbourSide,
        left: &NeighbourSide,
        add: fn(u32, u32) -> u32,
    ) {
        let (count, itself) = (self.count, self.itself[word]);
        let mut pair = |left: usize, right: usize, by: u32| {
            let (pairs, turned) =
                (&mut self.pairs[left * count + right], &mut self.turned[right * count + left]);
            (*pairs, *turned) = (add(*pairs, by), add(*turned, by));
        };
        right.counts.iter().for_each(|&(other, by)| pair(class, other as usize, by));
        left.counts.iter().for_each(|&(other, by)| pair(other as usize, class, by));
        pair(class, class, itself);
        self.lefts[class] = add(self.lefts[class], right.all + itself);
        self.rights[class] = add(self.rights[class], left.all + itself);
    }
}

impl NeighbourSide {
    /// Counts the classes of a word's neighbours; `sums` is working memory that is all 0 before and
    /// after.
    fn count(&mut self, neighbours: &[(u32, u32)], of: &[u32], sums: &mut [u32]) {
        self.counts.clear();
        self.all = 0;
        for &(word, count) in neighbours {
            let class = of[word as usize];
            if sums[class as usize] == 0 {
                self.counts.push((class, 0));
            }
            sums[class as usize] += count;
            self.all += count;
        }
        for (class, count) in &mut self.counts {
            *count = std::mem::take(&mut sums[*class as usize]);
        }
    }
}

/// The function n ln n, from a table for small numbers.
struct NLogN(Vec<f64>);

impl NLogN {
    fn new() -> Self {
        Self((0..1 << 16).map(Self::plain).collect())
    }

    fn plain(count: u32) -> f64 {
        if count == 0 { 0.0 } else { f64::from(count) * f64::from(count).ln() }
    }

    #[inline]
    fn of(&self, count: u32) -> f64 {
        self.0.get(count as usize).copied().unwrap_or_else(|| Self::plain(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use majuscule_text::Locale;
    use proptest::prelude::*;

    /// Returns the log likelihood of the corpus, except for terms that no class changes: the
    /// criterion by definition.
    fn plain(bigrams: &[(u32, u32, u32)], of: &[u32], count: usize) -> f64 {
        let (mut pairs, mut lefts, mut rights) = (vec![0; count * count], vec![0; count], vec![0; count]);
        for &(left, right, times) in bigrams {
            let (left, right) = (of[left as usize] as usize, of[right as usize] as usize);
            pairs[left * count + right] += times;
            lefts[left] += times;
            rights[right] += times;
        }
        let sum = |counts: Vec<u32>| counts.into_iter().map(NLogN::plain).sum::<f64>();
        sum(pairs) - sum(lefts) - sum(rights)
    }

    proptest! {
        #[test]
        fn a_word_goes_where_the_corpus_is_likeliest(
            bigrams in prop::collection::btree_map((0u32..7, 0u32..7), 1u32..20, 1..30),
            clusters in 1usize..5,
        ) {
            let bigrams: Vec<_> = bigrams.into_iter().map(|((left, right), times)| (left, right, times)).collect();
            let mut classes = Clustering::new(7, clusters, &bigrams);
            let mut of = classes.of.clone();
            classes.go_round();
            for word in 1..of.len() {
                let own = of[word];
                let mut likely = |class| {
                    of[word] = class;
                    plain(&bigrams, &of, clusters + 1)
                };
                let (before, found) = (likely(own), likely(classes.of[word]));
                let best = (1..=clusters as u32).map(&mut likely).fold(before, f64::max);
                prop_assert!((found - best).abs() < 1e-6, "{} is no {}", found, best);
                of[word] = classes.of[word];
            }
        }
    }

    #[test]
    fn neighbours_are_counted() {
        let corpus = Corpus::of_text(
            "We met in Lisbon.\nWe met in Porto.\n",
            Reading::default(),
            Protocol::Text,
            Locale::Root,
        );
        let words = ["in", "met", "we"].map(str::to_owned);
        let expected = [(1, 0, 2), (2, 1, 2), (3, 2, 2)];
        assert_eq!(bigrams(&words, &corpus, NonZeroUsize::new(2).unwrap()).unwrap(), expected);
    }
}
