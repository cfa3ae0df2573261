//! The estimation of n-gram language models: counts, discounts, interpolation and pruning.

mod count;
pub mod counts;
pub mod interpolate;
pub mod kneser_ney;
pub mod prune;
pub mod score;
mod sink;
pub mod spill;
pub mod words;
