//! The program from outside, and the laws of all methods. All are one binary,
//! so that it is linked once.

mod adapt;
mod annotation;
mod arguments;
mod command;
mod contract;
mod convert;
mod corpus;
mod dependencies;
mod dictated;
mod documents;
mod evaluation;
mod experiment;
mod fst;
mod fuzz;
mod help;
mod inputs;
mod inspect;
mod lexicon;
mod lm;
mod maxent;
mod models;
mod outputs;
mod restore;
mod room;
mod strip;
mod tagger;
mod touched;
mod train;
#[cfg(unix)]
mod unfinished;

use fuzz::laws::toy_network;

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
