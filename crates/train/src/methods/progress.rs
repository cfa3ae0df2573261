//! Progress reports of a long training.

use std::time::Duration;

/// The progress of a training, reported after each step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The current epoch, counted from 1.
    pub epoch: usize,
    /// The number of epochs, unless training stops early.
    pub epochs: usize,
    /// The number of steps done, including those before an interruption.
    pub step: usize,
    /// The number of steps in all.
    pub steps: usize,
    /// The mean loss of the last steps.
    pub loss: f64,
    /// The throughput in subwords per second.
    pub subwords_per_second: f64,
    /// The lowest slot error rate so far on the held-out text.
    pub held_out_ser: Option<f64>,
    /// The estimated time left at the present speed.
    pub left: Left,
}

/// The estimated time that a training has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The time to the end, less if training stops early.
    All(Duration),
    /// The time to the end of an epoch whose steps cost less than the steps of later epochs.
    Epoch(Duration),
}

/// A callback that receives the progress.
pub type Watch<'a> = dyn FnMut(&Progress) + 'a;
