//! `majuscule restore`: restores capital letters and punctuation in texts.

mod arguments;
mod check;
mod help;
mod progress;
mod run;

pub use arguments::RestoreArgs;
pub use help::in_groups;
pub use run::run;
