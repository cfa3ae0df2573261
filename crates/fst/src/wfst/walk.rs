//! A language model's acceptor as a scorer: each sentence of candidates is one way through it.
//!
//! With failure arcs a word leads from a state to one other, so the machine scores as it is. With epsilon arcs a way also
//! chooses how often it backs off before each word, so that is part of the candidate: the best of all such candidates is
//! what following every epsilon finds.

use super::{ArcLabel, EPSILON, Machine, cost};

/// The ways through a machine of a language model.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'m> {
    machine: &'m Machine,
}

impl<'m> Walk<'m> {
    /// Through the acceptor of a model.
    pub fn new(machine: &'m Machine) -> Self {
        Self { machine }
    }

    /// The state before the first word.
    pub fn start(&self) -> u32 {
        self.machine.start().unwrap_or(0)
    }

    /// Reads a word's label, after backing off so many times where the state can be backed off from; what it costs and the
    /// state then. Where the word does not follow then, it backs off further.
    #[inline]
    pub fn step(&self, state: u32, label: ArcLabel, skips: u8) -> (f32, u32) {
        let (mut so_far, mut state, mut skips) = (0.0, state, skips);
        loop {
            let shorter = if skips > 0 { self.back_off(state) } else { None };
            if shorter.is_none()
                && let Some(arc) = self.machine.reading(state, label).first()
            {
                return (so_far + cost(&arc.weight), arc.nextstate);
            }
            let Some((more, shorter)) = shorter.or_else(|| self.back_off(state)) else {
                // In a machine of a model every word follows its last state.
                return (f32::INFINITY, state);
            };
            so_far += more;
            state = shorter;
            skips = skips.saturating_sub(1);
        }
    }

    /// The least cost of ending in a state.
    #[inline]
    pub fn finish(&self, state: u32) -> f32 {
        let mut end = self.machine.end(state);
        if self.machine.failure().is_some() {
            return end;
        }
        let (mut so_far, mut state) = (0.0, state);
        while let Some((cost, shorter)) = self.back_off(state) {
            so_far += cost;
            state = shorter;
            end = end.min(so_far + self.machine.end(state));
        }
        end
    }

    #[inline]
    fn back_off(&self, state: u32) -> Option<(f32, u32)> {
        let arc = match self.machine.failure() {
            Some(_) => self.machine.failing(state),
            None => self.machine.out(state).first().filter(|arc| arc.ilabel == EPSILON),
        };
        arc.map(|arc| (*cost(&arc.weight), arc.nextstate))
    }
}
