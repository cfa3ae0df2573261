//! A language model's acceptor as a scorer: each sequence of candidates is a path through it.
//!
//! With failure arcs, a word leads from a state to exactly one other, so the machine can score
//! directly. With epsilon arcs, a path also chooses the number of back-offs before each word. This
//! number is therefore part of the candidate, so that the best path through the candidates equals
//! the best path over all epsilon arcs.

use super::{ArcLabel, EPSILON, Machine, cost};

impl Machine {
    /// Reads a word's label after backing off `skips` times, as far as the state
    /// allows, and returns its cost and the next state. If the word still does not
    /// follow, the path backs off further.
    #[inline]
    pub(crate) fn step(&self, state: u32, label: ArcLabel, skips: u8) -> (f32, u32) {
        let (mut so_far, mut state, mut skips) = (0.0, state, skips);
        loop {
            let shorter = if skips > 0 { self.back_off(state) } else { None };
            if shorter.is_none()
                && let Some(arc) = self.reading(state, label).first()
            {
                return (so_far + cost(&arc.weight), arc.nextstate);
            }
            let Some((more, shorter)) = shorter.or_else(|| self.back_off(state)) else {
                // In the machine of a model, every word follows the empty state.
                return (f32::INFINITY, state);
            };
            so_far += more;
            state = shorter;
            skips = skips.saturating_sub(1);
        }
    }

    /// Returns the least cost of ending in a state.
    #[inline]
    pub(crate) fn finish(&self, state: u32) -> f32 {
        let mut end = self.end(state);
        if self.failure.is_some() {
            return end;
        }
        let (mut so_far, mut state) = (0.0, state);
        while let Some((cost, shorter)) = self.back_off(state) {
            so_far += cost;
            state = shorter;
            end = end.min(so_far + self.end(state));
        }
        end
    }

    #[inline]
    fn back_off(&self, state: u32) -> Option<(f32, u32)> {
        let arc = match self.failure {
            Some(_) => self.failing(state),
            None => self.out(state).first().filter(|arc| arc.ilabel == EPSILON),
        };
        arc.map(|arc| (*cost(&arc.weight), arc.nextstate))
    }
}
