//! Models the number of words since the last sentence start: the forward algorithm over all
//! segmentations of the words so far.
//!
//! A maximum entropy Markov model (McCallum et al. 2000): the probability that a sentence begins at
//! a word depends on the features around the word and on the distance from the previous start.
//! Words to the right affect a start through the features, not through the chain, so the sum over
//! all earlier choices is exact without a backward pass, and no beam is needed.

/// The largest distance from a sentence start that is distinguished; distance 0 means that no start
/// was seen.
pub const FAR: usize = 15;

/// The smallest distance of each bucket; distances in between belong to the same bucket.
pub const DISTANCES: [usize; BUCKETS] = [0, 1, 2, 3, 4, 5, 7, 10, FAR];

/// Returns the bucket of a distance.
#[inline]
pub fn bucket(distance: usize) -> usize {
    DISTANCES[1..].iter().take_while(|&&least| distance >= least).count()
}

/// The number of buckets.
pub const BUCKETS: usize = 9;

/// The term added to the logit of a sentence start, by bucket of the distance.
pub type Bonus = [f32; BUCKETS];

/// The probability of each distance: 0 while no start was seen, [`FAR`] for that distance and all
/// larger ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryModel {
    fractions: [f32; FAR + 1],
}

impl Default for BoundaryModel {
    fn default() -> Self {
        let mut fractions = [0.0; FAR + 1];
        fractions[0] = 1.0;
        Self { fractions }
    }
}

impl BoundaryModel {
    /// Returns the probability that a sentence begins at the next word, whose logit is `sum`, and
    /// the model after that word.
    pub fn step(&self, sum: f32, bonus: &Bonus) -> (f32, Self) {
        let by_bucket = bonus.map(|bonus| 1.0 / (1.0 + (-(sum + bonus)).exp()));
        let begins: [f32; FAR + 1] =
            std::array::from_fn(|distance| self.fractions[distance] * by_bucket[bucket(distance)]);
        let all = begins.iter().sum::<f32>().min(1.0);
        let goes_on =
            Self { fractions: std::array::from_fn(|distance| self.fractions[distance] - begins[distance]) };
        let mut next = goes_on.inside();
        // The distance of the next word from a sentence start at this word.
        next.fractions[1] = all;
        (all, next)
    }

    /// Returns the model after a word at which a sentence begins with probability `begins`, which
    /// replaces the probability that [`step`](Self::step) found.
    pub fn with_start(mut self, begins: f32) -> Self {
        self.fractions[1] = 0.0;
        let rest = (1.0 - begins) / self.fractions.iter().sum::<f32>();
        match rest.is_finite() {
            true => self.fractions.iter_mut().for_each(|fraction| *fraction *= rest),
            // The word certainly was a start, so the position of the start before it is not known.
            false => self.fractions[FAR] = 1.0 - begins,
        }
        self.fractions[1] = begins;
        self
    }

    /// Returns the model after a word at which no sentence begins.
    pub fn inside(&self) -> Self {
        let mut fractions = [0.0; FAR + 1];
        fractions[0] = self.fractions[0];
        fractions[2..].copy_from_slice(&self.fractions[1..FAR]);
        fractions[FAR] += self.fractions[FAR];
        Self { fractions }
    }

    /// Returns the model after a word at which a sentence begins.
    pub fn begun() -> Self {
        let mut fractions = [0.0; FAR + 1];
        fractions[1] = 1.0;
        Self { fractions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The probability of a sentence start at the last word, summed over all segmentations of the
    /// words before it.
    fn plain(words: &[(f32, Bonus)]) -> f64 {
        let last = words.len() - 1;
        let mut all = 0.0;
        for way in 0..1u32 << last {
            let (mut fraction, mut distance) = (1.0, 0);
            for (at, (sum, bonus)) in words.iter().enumerate() {
                let begins = 1.0 / (1.0 + (-f64::from(sum + bonus[bucket(distance)])).exp());
                if at == last {
                    all += fraction * begins;
                } else if way >> at & 1 == 1 {
                    fraction *= begins;
                    distance = 1;
                } else {
                    fraction *= 1.0 - begins;
                    distance = if distance == 0 { 0 } else { (distance + 1).min(FAR) };
                }
            }
        }
        all
    }

    proptest! {
        #[test]
        fn another_probability_of_a_start_leaves_a_distribution(
            sum in -100.0f32..100.0, before in -4.0f32..4.0, begins in 0.0f32..=1.0,
        ) {
            let bonus = [0.0; BUCKETS];
            let (_, chain) = BoundaryModel::default().step(before, &bonus);
            let (_, chain) = chain.step(sum, &bonus);
            let other = chain.with_start(begins);
            prop_assert_eq!(other.fractions[1], begins);
            prop_assert!(other.fractions.iter().all(|fraction| (0.0..=1.0).contains(fraction)), "{other:?}");
            prop_assert!((other.fractions.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{other:?}");
        }

        #[test]
        fn it_sums_over_all_ways_to_part_the_words(
            words in prop::collection::vec((-4.0f32..4.0, prop::array::uniform9(-2.0f32..2.0)), 1..10),
        ) {
            let (mut chain, mut found) = (BoundaryModel::default(), 0.0);
            for (sum, bonus) in &words {
                (found, chain) = chain.step(*sum, bonus);
            }
            prop_assert!((f64::from(found) - plain(&words)).abs() < 1e-4, "{} {}", found, plain(&words));
            prop_assert!((chain.fractions.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
}
