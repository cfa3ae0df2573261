//! Runs the networks of the methods `bert` and `cnn-bilstm` on the CPU, from words to choices, without a
//! tensor library.

pub mod bert;
pub mod cnn_bilstm;
pub mod exp;
pub mod heads;
pub mod instruction_set;
pub mod lanes;
pub mod matrix;
pub mod subwords;
mod products;
pub mod sequences;
pub mod session;
pub mod tensors;
mod threads;
pub mod windower;
pub mod word_lexicon;
