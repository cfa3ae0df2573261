//! Experiments: methods trained and tested as a recipe says, and a report of what came out.

pub mod results;

pub use results::Results;
