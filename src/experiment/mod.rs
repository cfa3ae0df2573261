//! Experiments: methods trained and tested as a recipe says, and a report of what came out.

pub mod results;
mod standing;
mod units;
pub mod tables;
pub mod plots;
pub mod page;
#[cfg(test)]
mod made;

pub use results::Results;
