//! Measures how well capitals and punctuation marks were restored: by slots, as in Batista et al.
//! 2007, section 3, and by parts of the text.

pub mod slots;
pub mod align;
pub mod calibration;
pub mod marks;
pub mod score;
pub mod pair;
pub mod compare;
pub mod signature;
pub mod table;
pub mod report;
pub mod choices;
pub mod differences;
pub mod offices;
pub mod word_kinds;
pub mod usage;
pub mod aligned;

pub use choices::Choices;
pub use compare::{Comparison, Intervals, System, SystemDifference, compare};
pub use marks::{MarkCalibrationError, MarkConfusion, MarkReport};
pub use pair::{PairSide, pair};
pub use report::{Figures, Layout, Report};
pub use score::{Score, evaluate, evaluate_corpus, evaluate_each, marks_for, scores_sentence_ends};
pub use signature::Signature;
pub use slots::{Confusion, Matching, Slots};
