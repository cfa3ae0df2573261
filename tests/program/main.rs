//! The program from outside, and the laws of all methods. All are one binary,
//! so that it is linked once.

mod annotation;
mod cli;
mod command;
mod contract;
mod convert;
mod dependencies;
mod documents;
mod evaluation;
mod experiment;
mod fuzz;
mod lexicon;
mod tagger;

use fuzz::laws::toy_network;

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
