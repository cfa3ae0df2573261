//! Measures how well capitals were restored: slots as in Batista et al. 2007, section 3, and what they break down to.

pub mod compare;
pub mod score;
pub mod slots;

pub use compare::{Comparison, compare};
pub use score::{Score, evaluate};
pub use slots::{Confusion, Matching, Slots};
