//! The best path through candidates: an exact search, with posterior
//! probabilities and n best paths on request.
//!
//! Words arrive one after another with their candidates, and a [`Scorer`] returns the cost of each
//! candidate after the previous ones. Hypotheses in the same state have the same future, so one
//! node represents all of them, and no beam is needed.

mod best_path;
mod forward_backward;
mod lattice;
mod n_best;

use std::fmt::Debug;
use std::hash::Hash;

pub use best_path::{Answer, BestPathSearch};
pub use n_best::{ScoredPath, n_best};

/// The interface between a search and a model: like KenLM's interface, with the position in
/// addition. Costs are −ln p: less is better.
pub trait Scorer {
    /// The context after some candidates; equal states have the same future.
    type State: Copy + Eq + Hash + Debug + Send;
    /// A candidate at a position.
    type Candidate: Copy + Debug + Send;

    /// Returns the state before the first position.
    fn start(&self) -> Self::State;

    /// Returns the cost of a candidate at position `at`, counted from
    /// the start, and the state after it.
    fn step(&self, at: usize, state: Self::State, next: Self::Candidate) -> (f32, Self::State);

    /// Returns the cost of ending in a state.
    fn finish(&self, state: Self::State) -> f32;
}

impl<S: Scorer> Scorer for &S {
    type State = S::State;
    type Candidate = S::Candidate;

    #[inline]
    fn start(&self) -> S::State {
        (**self).start()
    }

    #[inline]
    fn step(&self, at: usize, state: S::State, next: S::Candidate) -> (f32, S::State) {
        (**self).step(at, state, next)
    }

    #[inline]
    fn finish(&self, state: S::State) -> f32 {
        (**self).finish(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A scorer of the last two candidates, with hashed costs so that nothing is regular.
    /// Candidates above 3 are forgotten at once, so that hypotheses merge.
    struct Made {
        seed: u32,
    }

    impl Made {
        fn cost(&self, parts: [u32; 4]) -> f32 {
            let mix = |hash: u32, part: u32| (hash ^ part).wrapping_mul(0x9e37_79b1).rotate_left(13);
            (parts.into_iter().fold(self.seed, mix) >> 20) as f32 / 512.0
        }
    }

    impl Scorer for Made {
        type State = (u32, u32);
        type Candidate = u32;

        fn start(&self) -> (u32, u32) {
            (100, 100)
        }

        fn step(&self, at: usize, (first, second): (u32, u32), next: u32) -> (f32, (u32, u32)) {
            let state = if next > 3 { (200, 200) } else { (second, next) };
            (self.cost([at as u32, first, second, next]), state)
        }

        fn finish(&self, (first, second): (u32, u32)) -> f32 {
            self.cost([7, first, second, 0])
        }
    }

    /// Enumerates all paths with their costs: the slow reference implementation.
    fn all(scorer: &Made, positions: &[Vec<u32>]) -> Vec<ScoredPath> {
        let mut paths = vec![(0.0, Vec::new(), scorer.start())];
        for (at, candidates) in positions.iter().enumerate() {
            let mut longer = Vec::new();
            for (cost, path, state) in &paths {
                for (index, &next) in candidates.iter().enumerate() {
                    let (step, state) = scorer.step(at, *state, next);
                    let path: Vec<usize> = path.iter().copied().chain([index]).collect();
                    longer.push((cost + f64::from(step), path, state));
                }
            }
            paths = longer;
        }
        let end = |(cost, candidates, state)| ScoredPath {
            cost: cost + f64::from(scorer.finish(state)),
            candidates,
        };
        let mut paths: Vec<ScoredPath> = paths.into_iter().map(end).collect();
        paths.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        paths
    }

    fn positions() -> impl Strategy<Value = Vec<Vec<u32>>> {
        prop::collection::vec(prop::collection::btree_set(0u32..6, 1..4), 1..7)
            .prop_map(|positions| positions.into_iter().map(|set| set.into_iter().collect()).collect())
    }

    type Answered = Vec<(usize, Option<Vec<f64>>)>;

    fn search(
        scorer: &Made,
        positions: &[Vec<u32>],
        look_ahead: Option<usize>,
        posteriors: bool,
    ) -> Answered {
        let mut search = BestPathSearch::new(scorer, look_ahead, posteriors);
        let mut answered = Vec::new();
        let mut answer =
            |found: Answer<'_, u32>| answered.push((found.best, found.posteriors.map(<[f64]>::to_vec)));
        for candidates in positions {
            search.push(candidates.iter().copied(), &mut answer);
        }
        search.finish(&mut answer);
        answered
    }

    fn indices(answered: &Answered) -> Vec<usize> {
        answered.iter().map(|(best, _)| *best).collect()
    }

    proptest! {
        #[test]
        fn the_best_path_is_the_cheapest_of_all(positions in positions(), seed: u32) {
            let scorer = Made { seed };
            let all = all(&scorer, &positions);
            let found = indices(&search(&scorer, &positions, None, false));
            let cost = all.iter().find(|path| path.candidates == found).map(|path| path.cost);
            prop_assert!((cost.unwrap() - all[0].cost).abs() < 1e-9);
        }

        #[test]
        fn the_n_best_paths_are_the_n_cheapest(positions in positions(), seed: u32, n in 1usize..20) {
            let scorer = Made { seed };
            let all = all(&scorer, &positions);
            let found = n_best(&scorer, &positions, n);
            prop_assert_eq!(found.len(), n.min(all.len()));
            for (found, path) in found.iter().zip(&all) {
                prop_assert!((found.cost - path.cost).abs() < 1e-9);
                prop_assert!(all.iter().any(|path| path.candidates == found.candidates && (path.cost - found.cost).abs() < 1e-9));
            }
        }

        #[test]
        fn posteriors_are_shares_of_all_paths(positions in positions(), seed: u32) {
            let scorer = Made { seed };
            let all = all(&scorer, &positions);
            let whole: f64 = all.iter().map(|path| (-path.cost).exp()).sum();
            let found = search(&scorer, &positions, None, true);
            for (at, (_, posteriors)) in found.iter().enumerate() {
                for (candidate, found) in posteriors.as_ref().unwrap().iter().enumerate() {
                    let through = all.iter().filter(|path| path.candidates[at] == candidate);
                    let fraction = through.map(|path| (-path.cost).exp()).sum::<f64>() / whole;
                    prop_assert!((fraction - found).abs() < 1e-9, "{fraction} {found}");
                }
            }
            prop_assert_eq!(indices(&found), indices(&search(&scorer, &positions, None, false)));
        }

        #[test]
        fn with_a_look_ahead_each_choice_is_the_best_of_what_was_seen(positions in positions(), seed: u32, ahead in 0usize..4) {
            let scorer = Made { seed };
            let found = search(&scorer, &positions, Some(ahead), true);
            for (at, (best, posteriors)) in found.iter().enumerate() {
                let seen = (at + 1 + ahead).min(positions.len());
                // If the text ends within the look-ahead, the cost of ending counts.
                let mut paths = all(&scorer, &positions[..seen]);
                if at + ahead < positions.len() {
                    for path in &mut paths {
                        let states = path.candidates.iter().zip(&positions).enumerate();
                        let mut state = scorer.start();
                        path.cost = states.map(|(at, (&index, candidates))| {
                            let (cost, next) = scorer.step(at, state, candidates[index]);
                            state = next;
                            f64::from(cost)
                        }).sum();
                    }
                }
                paths.sort_by(|a, b| a.cost.total_cmp(&b.cost));
                let of = |candidate| paths.iter().find(|path| path.candidates[at] == candidate).map(|path| path.cost);
                prop_assert!((of(*best).unwrap() - paths[0].cost).abs() < 1e-9);
                prop_assert!((posteriors.as_ref().unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_text_without_end_is_answered_in_a_bounded_time() {
        let scorer = Made { seed: 1 };
        let mut search = BestPathSearch::new(&scorer, None, false);
        let mut answered = 0;
        for _ in 0..2000 {
            search.push([0, 1, 2], &mut |_| answered += 1);
        }
        assert!(answered > 1400, "{answered}");
    }

    /// With a copy of the path in every hypothesis, this would take about 100 GB.
    #[test]
    fn the_n_best_of_a_long_text_take_memory_that_grows_with_its_length() {
        let (scorer, positions) = (Made { seed: 1 }, vec![vec![0, 1, 2]; 100_000]);
        let found = n_best(&scorer, &positions, 3);
        let costs: Vec<_> = found.iter().map(|path| path.cost).collect();
        assert!(costs.len() == 3 && costs.is_sorted(), "{costs:?}");
        for path in found {
            let mut state = scorer.start();
            let steps =
                path.candidates.iter().zip(&positions).enumerate().map(|(at, (&index, candidates))| {
                    let (cost, next) = scorer.step(at, state, candidates[index]);
                    state = next;
                    f64::from(cost)
                });
            let cost = steps.sum::<f64>() + f64::from(scorer.finish(state));
            assert!((cost - path.cost).abs() < 1e-6, "{cost} {}", path.cost);
        }
    }
}
