//! A linear-chain CRF (Lafferty et al. 2001): each label has a score at each word, each pair of adjacent labels
//! has a score, and so do the first and the last label. The Viterbi algorithm finds the best labelling, and the
//! forward-backward algorithm computes sums over all labellings.

/// The scores that do not depend on the words.
#[derive(Debug, Clone, Copy)]
pub struct LabelChain<'a> {
    /// The transition scores, with a row for each label and a column for the label after it.
    pub between: &'a [f32],
    pub first: &'a [f32],
    pub last: &'a [f32],
}

/// The marginals over all allowed labellings.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainMarginals {
    /// The logarithm of the sum of exp(score) over the labellings.
    pub log_partition: f64,
    /// The probability of each label, for each word.
    pub probabilities: Vec<f64>,
    /// The expected count of each pair of adjacent labels, with a row for each label and a column
    /// for the label after it.
    pub pairs: Vec<f64>,
}

impl LabelChain<'_> {
    fn labels(&self) -> usize {
        self.first.len()
    }

    fn between(&self, from: usize, to: usize) -> f64 {
        f64::from(self.between[from * self.labels() + to])
    }

    /// Returns the best labels of a text; the first of equally good labels wins. `scores` has a row for each word,
    /// and `allowed` returns true if the word at an index may have a label.
    pub fn best(&self, scores: &[f32], allowed: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let labels = self.labels();
        let words = scores.len() / labels;
        if words == 0 {
            return Vec::new();
        }
        let here = |at: usize, label: usize| match allowed(at, label) {
            true => f64::from(scores[at * labels + label]),
            false => f64::NEG_INFINITY,
        };
        let mut from = vec![0; scores.len()];
        let mut costs: Vec<f64> =
            (0..labels).map(|label| f64::from(self.first[label]) + here(0, label)).collect();
        for at in 1..words {
            let step = |to: usize| {
                let way = |from: usize| costs[from] + self.between(from, to);
                let best = first_best((0..labels).map(way));
                (best, way(best) + here(at, to))
            };
            let next: Vec<(usize, f64)> = (0..labels).map(step).collect();
            for (label, (best, cost)) in next.into_iter().enumerate() {
                from[at * labels + label] = best;
                costs[label] = cost;
            }
        }
        let ends = costs.iter().zip(self.last).map(|(cost, last)| cost + f64::from(*last));
        let mut label = first_best(ends);
        let mut path = vec![label; words];
        for at in (1..words).rev() {
            label = from[at * labels + label];
            path[at - 1] = label;
        }
        path
    }

    /// Returns the marginals of a text of at least one word, from the same arguments as
    /// [`LabelChain::best`].
    pub fn marginals(&self, scores: &[f32], allowed: impl Fn(usize, usize) -> bool) -> ChainMarginals {
        let labels = self.labels();
        let words = scores.len() / labels;
        let here = |at: usize, label: usize| match allowed(at, label) {
            true => f64::from(scores[at * labels + label]),
            false => f64::NEG_INFINITY,
        };
        // For each word and label, the log-sums over the labellings up to the word and after the word.
        let mut before = vec![f64::NEG_INFINITY; scores.len()];
        let mut after = before.clone();
        for at in 0..words {
            for to in 0..labels {
                let ways = match at {
                    0 => f64::from(self.first[to]),
                    _ => log_sum(
                        (0..labels).map(|from| before[(at - 1) * labels + from] + self.between(from, to)),
                    ),
                };
                before[at * labels + to] = ways + here(at, to);
            }
        }
        for at in (0..words).rev() {
            for from in 0..labels {
                after[at * labels + from] = if at + 1 == words {
                    f64::from(self.last[from])
                } else {
                    let way = |to| self.between(from, to) + here(at + 1, to) + after[(at + 1) * labels + to];
                    log_sum((0..labels).map(way))
                };
            }
        }
        let end = (words - 1) * labels;
        let log = log_sum(before[end..].iter().zip(&after[end..]).map(|(before, after)| before + after));
        let mut pairs = vec![0.0; labels * labels];
        for at in 1..words {
            for from in 0..labels {
                for to in 0..labels {
                    let end = here(at, to) + after[at * labels + to] - log;
                    let way = before[(at - 1) * labels + from] + self.between(from, to) + end;
                    pairs[from * labels + to] += way.exp();
                }
            }
        }
        let probabilities =
            before.iter().zip(&after).map(|(before, after)| (before + after - log).exp()).collect();
        ChainMarginals { log_partition: log, probabilities, pairs }
    }
}

/// Returns the index of the largest value, and the first index of equal values.
fn first_best(values: impl Iterator<Item = f64>) -> usize {
    let best = values.enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map_or(0, |(at, _)| at)
}

/// Returns the logarithm of the sum of exp(value).
fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + values.map(|value| (value - most).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LABELS: usize = 3;

    /// Returns all labellings of this many words.
    fn all(words: usize) -> Vec<Vec<usize>> {
        (0..LABELS.pow(words as u32))
            .map(|number| (0..words).map(|at| number / LABELS.pow(at as u32) % LABELS).collect())
            .collect()
    }

    fn score(chain: &LabelChain<'_>, scores: &[f32], path: &[usize]) -> f64 {
        let words = path.iter().enumerate().map(|(at, label)| f64::from(scores[at * LABELS + label]));
        let pairs = path.windows(2).map(|pair| chain.between(pair[0], pair[1]));
        let ends = f64::from(chain.first[path[0]]) + f64::from(chain.last[path[path.len() - 1]]);
        words.sum::<f64>() + pairs.sum::<f64>() + ends
    }

    fn numbers(len: usize) -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-3.0f32..3.0, len)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn the_best_chain_and_all_sums_are_those_of_trying_all(
            (words, scores) in (1usize..6).prop_flat_map(|words| (Just(words), numbers(words * LABELS))),
            between in numbers(LABELS * LABELS),
            first in numbers(LABELS),
            last in numbers(LABELS),
            // The label that the word at this index may not have.
            forbidden in (0usize..6, 0..LABELS),
        ) {
            let chain = LabelChain { between: &between, first: &first, last: &last };
            let allowed = |at, label| (at, label) != forbidden;
            let paths: Vec<(Vec<usize>, f64)> = all(words)
                .into_iter()
                .filter(|path| path.iter().enumerate().all(|(at, &label)| allowed(at, label)))
                .map(|path| (path.clone(), score(&chain, &scores, &path)))
                .collect();
            let most = paths.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
            let best = chain.best(&scores, allowed);
            prop_assert!((score(&chain, &scores, &best) - most).abs() < 1e-9);
            prop_assert!(best.iter().enumerate().all(|(at, &label)| allowed(at, label)));

            let marginals = chain.marginals(&scores, allowed);
            let total: f64 = paths.iter().map(|(_, score)| score.exp()).sum();
            prop_assert!((marginals.log_partition - total.ln()).abs() < 1e-9);
            let (mut probabilities, mut pairs) = (vec![0.0; words * LABELS], [0.0; LABELS * LABELS]);
            for (path, score) in &paths {
                path.iter().enumerate().for_each(|(at, label)| probabilities[at * LABELS + label] += score.exp() / total);
                path.windows(2).for_each(|pair| pairs[pair[0] * LABELS + pair[1]] += score.exp() / total);
            }
            prop_assert!(marginals.probabilities.iter().zip(&probabilities).all(|(a, b)| (a - b).abs() < 1e-9));
            prop_assert!(marginals.pairs.iter().zip(&pairs).all(|(a, b)| (a - b).abs() < 1e-9));
            for row in marginals.probabilities.chunks(LABELS) {
                prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "probabilities sum to one");
            }
        }
    }

    #[test]
    fn a_chain_for_a_pencil() {
        // The second label is better at both words (1 against 0), but two of them in a row cost 3.
        let between = [0.0, 0.0, 0.0, -3.0];
        let chain = LabelChain { between: &between, first: &[0.0; 2], last: &[0.0, 0.5] };
        assert_eq!(chain.best(&[0.0, 1.0, 0.0, 1.0], |_, _| true), [0, 1]);
        assert_eq!(chain.best(&[0.0, 1.0, 0.0, 1.0], |at, label| (at, label) != (1, 1)), [1, 0]);
        assert!(chain.best(&[], |_, _| true).is_empty());
        // e⁰ + e^1.5 + e¹ + e^−0.5 = 1 + 4.4817 + 2.7183 + 0.6065
        let marginals = chain.marginals(&[0.0, 1.0, 0.0, 1.0], |_, _| true);
        assert!((marginals.log_partition - 8.8065f64.ln()).abs() < 1e-4, "{}", marginals.log_partition);
    }
}
