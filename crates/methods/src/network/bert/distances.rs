//! The relative position bias of attention (Raffel et al. 2020, section 2.1), as in MPNet: attention adds a
//! number for the distance between two subwords, one for each head and bucket of distances, the same in all
//! layers.

/// The distance from which on all subwords share the last bucket of their side.
const FARTHEST: f64 = 128.0;

/// Returns the bucket of the distance from a query to a key, by their positions. Half of the `count` buckets, which are
/// a multiple of 4, are for keys at or before the query, half for keys after it. Small distances have one bucket each;
/// larger distances share buckets of growing size.
pub fn bucket(count: usize, query: usize, key: usize) -> usize {
    let half = count / 2;
    let (exact, away) = (half / 2, query.abs_diff(key));
    let bucket = if away < exact {
        away
    } else {
        let exact = exact as f64;
        let fraction = (away as f64 / exact).ln() / (FARTHEST / exact).ln();
        ((exact + fraction * (half as f64 - exact)) as usize).min(half - 1)
    };
    bucket + if key > query { half } else { 0 }
}

/// The biases of all heads by distance.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceBias {
    /// The number of positions.
    longest: usize,
    /// For each head, the biases of all distances from a query to a key, from the farthest key before the
    /// query to the farthest key after it.
    summands: Vec<f32>,
}

impl DistanceBias {
    /// Reads the biases for texts of up to `longest` subwords from a table with one row for each bucket and
    /// one column for each head, and multiplies each bias by `factor`.
    pub fn new(table: &[f32], heads: usize, longest: usize, factor: f32) -> Self {
        let buckets = table.len() / heads;
        let pairs = || (0..longest).rev().map(|query| (query, 0)).chain((1..longest).map(|key| (0, key)));
        let of = |head: usize| {
            pairs().map(move |(query, key)| table[bucket(buckets, query, key) * heads + head] * factor)
        };
        Self { longest, summands: (0..heads).flat_map(of).collect() }
    }

    /// Returns the biases of a head for the query at a position and each key of a text of `len` subwords.
    pub fn of(&self, head: usize, query: usize, len: usize) -> &[f32] {
        let all = &self.summands[head * (2 * self.longest - 1)..];
        &all[self.longest - 1 - query..][..len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_paper() {
        // Each of the eight nearest has one; then 8 · 16^(n / 8): 8, 11.3, 16, 22.6, 32, 45.3, 64, 90.5.
        let bounds = [8, 12, 16, 23, 32, 46, 64, 91];
        for away in 0..300 {
            let far = bounds.iter().filter(|bound| away >= **bound).count();
            let expected = if away < 8 { away } else { 7 + far };
            assert_eq!(bucket(32, away, 0), expected, "{away} before");
            if away > 0 {
                assert_eq!(bucket(32, 0, away), 16 + expected, "{away} after");
            }
        }
    }

    #[test]
    fn summands_are_those_of_the_buckets_for_every_pair() {
        let (heads, buckets) = (3, 8);
        let table: Vec<f32> = (0..heads * buckets).map(|at| at as f32).collect();
        let bias = DistanceBias::new(&table, heads, 150, 2.0);
        for (head, query, len) in [(0, 0, 150), (1, 149, 150), (2, 70, 71), (0, 3, 9), (2, 0, 1)] {
            let found = bias.of(head, query, len);
            let expected: Vec<f32> =
                (0..len).map(|key| 2.0 * table[bucket(buckets, query, key) * heads + head]).collect();
            assert_eq!(found, expected, "head {head}, query {query}");
        }
    }
}
