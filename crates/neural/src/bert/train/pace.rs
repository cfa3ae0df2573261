//! How fast the last steps of a training were, and how well they did.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// So many steps make a line of the log, and are looked back on.
pub(super) const LOGGED: usize = 50;

/// The last steps.
#[derive(Debug)]
pub(super) struct Pace {
    steps: VecDeque<Step>,
    /// When the last one ended.
    last: Instant,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    loss: f64,
    pieces: usize,
    time: Duration,
}

impl Pace {
    /// The first step begins now.
    pub(super) fn new() -> Self {
        Self { steps: VecDeque::with_capacity(LOGGED), last: Instant::now() }
    }

    /// A step ends now.
    pub(super) fn add(&mut self, loss: f64, pieces: usize) {
        if self.steps.len() == LOGGED {
            self.steps.pop_front();
        }
        let time = self.last.elapsed();
        self.steps.push_back(Step { loss, pieces, time });
        self.pause();
    }

    /// What happened since the last step belongs to none.
    pub(super) fn pause(&mut self) {
        self.last = Instant::now();
    }

    pub(super) fn loss(&self) -> f64 {
        self.mean(|step| step.loss)
    }

    pub(super) fn seconds_per_step(&self) -> f64 {
        self.mean(|step| step.time.as_secs_f64())
    }

    pub(super) fn pieces_per_second(&self) -> f64 {
        self.mean(|step| step.pieces as f64) / self.seconds_per_step().max(f64::MIN_POSITIVE)
    }

    fn mean(&self, of: impl Fn(&Step) -> f64) -> f64 {
        self.steps.iter().map(of).sum::<f64>() / self.steps.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_steps_count() {
        let mut pace = Pace::new();
        (0..LOGGED + 10).for_each(|step| pace.add(step as f64, 10));
        // 10 to 59.
        assert_eq!(pace.loss(), 34.5);
        assert!(pace.pieces_per_second() > 0.0);
    }
}
