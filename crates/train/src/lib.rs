//! Learning and measuring: corpora, lexicons, language models, the training of the classical
//! methods, and evaluation.
//!
//! Training sees the same words as restoring, [`majuscule_text::Tokens`], with labels
//! ([`corpus::Example`]). It learns a model in memory, which is written as a
//! [`majuscule_methods::model::Draft`].

// In reading order: each module uses only those above it.
pub mod random;
pub mod corpus;
pub mod lexicon;
pub mod lm;
pub mod eval;
pub mod methods;
