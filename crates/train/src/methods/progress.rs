//! What a long training tells of itself while it is at work.

use std::time::Duration;

/// How far a training is, told after each step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The epoch that it is in, counted from 1.
    pub epoch: usize,
    /// How many epochs there are, if it does not stop early.
    pub epochs: usize,
    /// Steps done, those before an interruption included.
    pub step: usize,
    /// How many there are.
    pub steps: usize,
    /// The mean loss of the last steps.
    pub loss: f64,
    /// Pieces of words that went through in a second.
    pub pieces_per_second: f64,
    /// The least slot error rate so far on what is held out.
    pub held_out_ser: Option<f64>,
    /// How long it goes on at the speed of now.
    pub left: Left,
}

/// How long a training goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// To the end, or less where it stops early.
    All(Duration),
    /// To the end of an epoch whose steps cost less than those of later ones.
    Epoch(Duration),
}

/// Is told.
pub type Watch<'a> = dyn FnMut(&Progress) + 'a;
