//! The neural methods: `bert`, a tagger on a pretrained encoder, and `bilstm`, from scratch.

pub mod bert;
pub mod bilstm;
