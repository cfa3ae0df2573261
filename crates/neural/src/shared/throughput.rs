//! The throughput and the loss over the last steps of a training.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The last steps of a training.
#[derive(Debug)]
pub struct Throughput {
    steps: VecDeque<TimedStep>,
    /// The largest number of steps that count.
    most: usize,
    /// The end of the last step.
    last: Instant,
}

#[derive(Debug, Clone, Copy)]
struct TimedStep {
    loss: f64,
    length: usize,
    time: Duration,
}

impl Throughput {
    /// Starts the first step. All means are taken over the last `most` steps at most.
    pub fn new(most: usize) -> Self {
        Self { steps: VecDeque::with_capacity(most), most, last: Instant::now() }
    }

    /// Ends a step on samples with this many words or subwords.
    pub fn add(&mut self, loss: f64, length: usize) {
        if self.steps.len() == self.most {
            self.steps.pop_front();
        }
        let time = self.last.elapsed();
        self.steps.push_back(TimedStep { loss, length, time });
        self.skip();
    }

    /// Excludes the time since the last step from the time of the next step.
    pub fn skip(&mut self) {
        self.last = Instant::now();
    }

    /// Returns the mean loss.
    pub fn loss(&self) -> f64 {
        self.mean(|step| step.loss)
    }

    /// Returns the mean time of a step in seconds.
    pub fn seconds_per_step(&self) -> f64 {
        self.mean(|step| step.time.as_secs_f64())
    }

    /// Returns the number of words or subwords that go through the network in a second.
    pub fn per_second(&self) -> f64 {
        self.mean(|step| step.length as f64) / self.seconds_per_step().max(f64::MIN_POSITIVE)
    }

    fn mean(&self, of: impl Fn(&TimedStep) -> f64) -> f64 {
        self.steps.iter().map(of).sum::<f64>() / self.steps.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_steps_count() {
        let mut throughput = Throughput::new(50);
        (0..60).for_each(|step| throughput.add(step as f64, 10));
        // 10 to 59.
        assert_eq!(throughput.loss(), 34.5);
        assert!(throughput.per_second() > 0.0);
    }
}
