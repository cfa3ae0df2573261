//! Measures how well capitals were restored: slots as in Batista et al. 2007, section 3, and what they break down to.

pub mod calibration;
pub mod compare;
pub mod report;
pub mod score;
pub mod slots;
mod table;

pub use compare::{Comparison, compare};
pub use report::{Figures, Layout, Report};
pub use score::{Score, evaluate};
pub use slots::{Confusion, Matching, Slots};
