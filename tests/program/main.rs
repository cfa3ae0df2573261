//! The program from outside, and what holds for all methods: one binary, so that it is linked once.

mod cli;
mod contract;
mod convert;
mod dependencies;
mod documents;
mod evaluation;
mod experiment;
mod fuzz;
mod lexicon;

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
