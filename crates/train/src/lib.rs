//! Learning and measuring: corpora, lexicons, language models, the training of the classical
//! methods, and evaluation.
//!
//! Training sees the same words as restoring, [`majuscule_text::Tokens`], with labels
//! ([`corpus::Example`]). It learns a model in memory, which is written as a
//! [`majuscule_methods::model::Draft`].

/// The version of the results of training and scoring. It is raised by every change after which the
/// same command trains another model or prints another figure, with a line in
/// `docs/reports/README.md`: figures of different versions cannot be compared.
pub const RESULTS_VERSION: u32 = 1;

// In reading order: each module uses only those above it.
pub mod random;
pub mod corpus;
pub mod lexicon;
pub mod lm;
pub mod eval;
pub mod methods;
