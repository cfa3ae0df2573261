//! Aligns two sequences of words by the fewest edits that make one into the other.
//!
//! The edit distance (Levenshtein 1966), in which every edit costs 1, is computed with bit vectors,
//! 64 words of the reference at a time (Myers 1999, in the form of Hyyrö 2003, section 4, with
//! blocks). Tracing the alignment back needs two bits for each pair of words. For all columns this
//! would take quadratic memory, so only some columns are stored on the forward pass, as in
//! checkpointing (Griewank 1992), and the columns between two of these are computed again on the
//! way back.
//!
//! **Ties.** Among alignments of equal cost, the result is the one found by going back from the
//! ends of both sequences and taking, at each step, the first of these moves that has the least
//! cost: two equal words are matched; a word of the reference is deleted; a word of the hypothesis
//! is inserted; two different words are substituted. Deletions and insertions go before
//! substitutions because, at the same cost, fewer substitutions mean more matches: two
//! substitutions fewer are one match more.

use rustc_hash::FxHashMap;

/// An edit of an alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edit {
    /// The same word in both sequences.
    Match,
    /// A word of the reference replaced by another.
    Substitute,
    /// A word of the reference that the hypothesis lacks.
    Delete,
    /// A word of the hypothesis that the reference lacks.
    Insert,
}

/// Returns the edits that make `reference` into `hypothesis`, in order. Their number is minimal,
/// and ties are always broken in the same way (see the module documentation). Equal numbers are
/// equal words.
///
/// Takes time proportional to the product of both lengths divided by 64, and some 100 bytes for
/// each word.
///
/// ```
/// use majuscule_train::eval::align::{Edit::*, align};
///
/// // "a b c" against "b c d": a is deleted and d inserted, rather than all three substituted.
/// assert_eq!(align(&[1, 2, 3], &[2, 3, 4]), [Delete, Match, Match, Insert]);
/// ```
pub fn align(reference: &[u32], hypothesis: &[u32]) -> Vec<Edit> {
    let mut aligner = Aligner::new(reference, hypothesis);
    let mut end = reference.len();
    aligner.back(0..hypothesis.len(), CostColumn::first(reference.len()), &mut end);
    aligner.edits.resize(aligner.edits.len() + end, Edit::Delete);
    aligner.edits.reverse();
    aligner.edits
}

/// The number of columns stored for a stretch of the hypothesis. The columns between them are
/// computed again.
const KEPT: usize = 128;

/// The largest number of columns whose bits are all kept in memory. With this limit, each column of up to 32,000
/// words is computed at most twice, and each column of up to 4 million words at most three times.
const WHOLE: usize = 2 * KEPT;

/// Both sequences, and the part of the alignment that is known so far.
struct Aligner<'a> {
    reference: &'a [u32],
    hypothesis: &'a [u32],
    /// The positions of the words of the reference, grouped by word and in order.
    positions: Vec<u32>,
    /// For each word of the hypothesis, the range of `positions` that holds its positions in the reference.
    equal: Vec<(u32, u32)>,
    /// The words of the reference that equal the word of the current column, as bits; all are 0
    /// between two columns.
    matches: Vec<u64>,
    /// The edits found so far, from the last to the first.
    edits: Vec<Edit>,
}

/// The differences between neighbouring costs in a column: bit i is set in `up` if the cost of word
/// i is 1 more than the cost of the word before it, and in `down` if it is 1 less.
#[derive(Clone)]
struct CostColumn {
    up: Vec<u64>,
    down: Vec<u64>,
}

impl CostColumn {
    /// The column before the first word of the hypothesis, where each word of the reference is
    /// deleted.
    fn first(words: usize) -> Self {
        let blocks = words.div_ceil(64);
        Self { up: vec![!0; blocks], down: vec![0; blocks] }
    }

    /// Moves on to the column of the next word of the hypothesis. Sets a bit of `right` for each
    /// cost that is 1 more than the cost to its left.
    fn next(&mut self, matches: &[u64], right: &mut [u64]) {
        // In the row above the first word, each word of the hypothesis adds a cost of 1.
        let (mut more, mut less) = (1, 0);
        let blocks = self.up.iter_mut().zip(&mut self.down).zip(matches).zip(right);
        for (((up, down), &equal), right) in blocks {
            let vertical = equal | *down;
            let equal = equal | less;
            let horizontal = ((equal & *up).wrapping_add(*up) ^ *up) | equal;
            let raised = *down | !(horizontal | *up);
            let lowered = *up & horizontal;
            *right = raised;
            let (shifted, sunk) = (raised << 1 | more, lowered << 1 | less);
            (more, less) = (raised >> 63, lowered >> 63);
            *up = sunk | !(vertical | shifted);
            *down = shifted & vertical;
        }
    }

    /// Drops all but the first `blocks` blocks.
    fn truncate(&mut self, blocks: usize) {
        self.up.truncate(blocks);
        self.down.truncate(blocks);
    }
}

impl<'a> Aligner<'a> {
    fn new(reference: &'a [u32], hypothesis: &'a [u32]) -> Self {
        let mut positions: Vec<u32> = (0..reference.len() as u32).collect();
        positions.sort_by_key(|&at| reference[at as usize]);
        let mut ranges: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        for (at, &position) in (0..).zip(&positions) {
            ranges.entry(reference[position as usize]).or_insert((at, at)).1 = at + 1;
        }
        let equal = hypothesis.iter().map(|word| ranges.get(word).copied().unwrap_or_default()).collect();
        let matches = vec![0; reference.len().div_ceil(64)];
        let edits = Vec::with_capacity(reference.len().max(hypothesis.len()));
        Self { reference, hypothesis, positions, equal, matches, edits }
    }

    /// Traces the alignment back from the end of `columns` and the first `end` words of the
    /// reference to the beginning of `columns`. `column` holds the differences before `columns`;
    /// `end` becomes the number of words of the reference that are left.
    fn back(&mut self, columns: std::ops::Range<usize>, mut column: CostColumn, end: &mut usize) {
        // Rows below `end` do not affect the rows above it.
        column.truncate(end.div_ceil(64));
        if columns.len() <= WHOLE {
            return self.back_whole(columns, column, end);
        }
        let step = columns.len().div_ceil(KEPT);
        let mut right = vec![0; column.up.len()];
        let mut kept = Vec::with_capacity(KEPT);
        for start in columns.clone().step_by(step) {
            kept.push((start, column.clone()));
            for at in start..(start + step).min(columns.end) {
                self.next(at, &mut column, &mut right);
            }
        }
        let mut stop = columns.end;
        while let Some((start, column)) = kept.pop() {
            self.back(start..stop, column, end);
            stop = start;
        }
    }

    /// Like [`back`](Self::back), with the bits of all columns in memory.
    fn back_whole(&mut self, columns: std::ops::Range<usize>, mut column: CostColumn, end: &mut usize) {
        let blocks = column.up.len();
        let (mut up, mut right) = (vec![0; blocks * columns.len()], vec![0; blocks * columns.len()]);
        for (k, at) in columns.clone().enumerate() {
            let these = k * blocks..(k + 1) * blocks;
            self.next(at, &mut column, &mut right[these.clone()]);
            up[these].copy_from_slice(&column.up);
        }
        for (k, at) in columns.enumerate().rev() {
            let edit = loop {
                let Some(i) = end.checked_sub(1) else { break Edit::Insert };
                let set = |bits: &[u64]| bits[k * blocks + i / 64] >> (i % 64) & 1 == 1;
                if self.reference[i] == self.hypothesis[at] {
                    break Edit::Match;
                }
                if set(&up) {
                    self.edits.push(Edit::Delete);
                    *end = i;
                } else if set(&right) {
                    break Edit::Insert;
                } else {
                    break Edit::Substitute;
                }
            };
            self.edits.push(edit);
            if edit != Edit::Insert {
                *end -= 1;
            }
        }
    }

    /// Advances a column by word `at` of the hypothesis.
    fn next(&mut self, at: usize, column: &mut CostColumn, right: &mut [u64]) {
        let words = 64 * column.up.len();
        let (start, end) = self.equal[at];
        let positions = &self.positions[start as usize..end as usize];
        let positions =
            positions.iter().map(|&position| position as usize).take_while(|&position| position < words);
        for position in positions.clone() {
            self.matches[position / 64] |= 1 << (position % 64);
        }
        column.next(&self.matches, right);
        for position in positions {
            self.matches[position / 64] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A plain twin of `align`: the whole matrix of costs, and the same ties.
    fn plain(reference: &[u32], hypothesis: &[u32]) -> Vec<Edit> {
        let mut costs = vec![vec![0; hypothesis.len() + 1]; reference.len() + 1];
        for i in 0..=reference.len() {
            for j in 0..=hypothesis.len() {
                costs[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ if reference[i - 1] == hypothesis[j - 1] => costs[i - 1][j - 1],
                    _ => 1 + costs[i - 1][j - 1].min(costs[i - 1][j]).min(costs[i][j - 1]),
                };
            }
        }
        let (mut i, mut j) = (reference.len(), hypothesis.len());
        let mut edits = Vec::new();
        while i > 0 || j > 0 {
            let edit = if i > 0 && j > 0 && reference[i - 1] == hypothesis[j - 1] {
                Edit::Match
            } else if i > 0 && costs[i][j] == costs[i - 1][j] + 1 {
                Edit::Delete
            } else if j > 0 && costs[i][j] == costs[i][j - 1] + 1 {
                Edit::Insert
            } else {
                Edit::Substitute
            };
            edits.push(edit);
            i -= usize::from(edit != Edit::Insert);
            j -= usize::from(edit != Edit::Delete);
        }
        edits.reverse();
        edits
    }

    fn any_words(most: usize) -> impl Strategy<Value = Vec<u32>> {
        (1u32..30, 0..=most).prop_flat_map(|(words, len)| proptest::collection::vec(0..words, len))
    }

    /// A sequence and a copy of it with edits, as from a recogniser.
    fn any_pair(most: usize) -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
        let edits = proptest::collection::vec((any::<proptest::sample::Index>(), 0..3, 0u32..20), 0..40);
        (any_words(most), edits).prop_map(|(reference, edits)| {
            let mut hypothesis = reference.clone();
            for (at, kind, word) in edits {
                let at = at.index(hypothesis.len() + 1);
                match kind {
                    0 => hypothesis.insert(at, word),
                    _ if at == hypothesis.len() => {}
                    1 => drop(hypothesis.remove(at)),
                    _ => hypothesis[at] = word,
                }
            }
            (reference, hypothesis)
        })
    }

    proptest! {
        #[test]
        fn the_edits_are_those_of_the_plain_twin(reference in any_words(200), hypothesis in any_words(200)) {
            prop_assert_eq!(align(&reference, &hypothesis), plain(&reference, &hypothesis));
        }

        #[test]
        fn of_texts_that_are_alike_too((reference, hypothesis) in any_pair(300)) {
            prop_assert_eq!(align(&reference, &hypothesis), plain(&reference, &hypothesis));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn columns_that_are_computed_again_change_nothing((reference, hypothesis) in any_pair(1200)) {
            prop_assert_eq!(align(&reference, &hypothesis), plain(&reference, &hypothesis));
        }
    }

    #[test]
    fn of_edits_that_cost_as_little_those_with_more_matches_are_given() {
        use Edit::{Delete, Insert, Match, Substitute};
        // Two substitutions would cost the same.
        assert_eq!(align(&[1, 2], &[2, 3]), [Delete, Match, Insert]);
        // Of two equal words, the last one is kept.
        assert_eq!(align(&[1, 1], &[1]), [Delete, Match]);
        assert_eq!(align(&[1, 2, 3], &[1, 4, 3]), [Match, Substitute, Match]);
        assert_eq!(align(&[], &[7, 8]), [Insert, Insert]);
        assert_eq!(align(&[7, 8], &[]), [Delete, Delete]);
        assert_eq!(align(&[], &[]), []);
    }
}
