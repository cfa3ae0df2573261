//! Experiments: methods are trained and tested as a recipe describes, and a
//! report of the results is written.

pub mod recipe;
pub mod library;
pub mod plan;
pub mod results;
mod collect;
pub mod run;
mod standing;
mod units;
mod figure_table;
mod what_was_run;
mod over_seeds;
pub mod matrix;
pub mod tables;
pub mod exports;
pub mod suggest;
pub mod plots;
pub mod page;
mod csv_table;
pub mod annotation;
pub mod agreement;
#[cfg(test)]
mod made;

pub use plan::{Plan, Setting, plan};
pub use recipe::Recipe;
pub use results::Results;
pub use run::execute;
