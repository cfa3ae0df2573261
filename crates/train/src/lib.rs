//! What learns and what measures: corpora, lexicons, language models, the training of the classical methods, and evaluation.
//!
//! A training sees the same words as restoring does, [`majuscule::text::Tokens`], with their labels beside them
//! ([`corpus::Example`]); what it learns is a model in memory, written as a [`majuscule::model::Draft`].

// In reading order: each module uses only those above it.
pub mod random;
pub mod corpus;
pub mod lexicon;
pub mod lm;
pub mod eval;
pub mod methods;
