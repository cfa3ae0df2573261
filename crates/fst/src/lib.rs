//! Language models as weighted transducers, and the method `ngram`, which decodes with them.

pub mod ngram;
pub mod wfst;
