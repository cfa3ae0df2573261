//! Learning and measuring: corpora, lexicons, language models, the training of the classical
//! methods, and evaluation.
//!
//! Training reads words in the same form as restoring ([`majuscule_text::Tokens`]), with labels
//! added ([`corpus::Example`]). It produces a model in memory, which is written to a file as a
//! [`majuscule_methods::model::Draft`].

/// The version of the results of training and scoring. Every change that makes the same command
/// train a different model or print a different figure raises this version and adds a line to
/// `docs/reports/README.md`; a protocol under which no report trains does not count. Figures of
/// different versions cannot be compared.
pub const RESULTS_VERSION: u32 = 1;

// In reading order: each module uses only those above it.
mod numbers;
pub mod random;
pub mod corpus;
pub mod lexicon;
pub mod lm;
pub mod eval;
pub mod methods;
