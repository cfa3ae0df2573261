//! The neural methods: `bert`, a tagger on a pretrained encoder, and `bilstm` and `cnn-bilstm`, which are trained
//! from scratch.

pub mod bert;
pub mod bilstm;
pub mod cnn_bilstm;
mod shared;

use majuscule_train::methods::Learner;
pub use shared::options::NetworkTrainingOptions;

/// A neural method with its settings, ready to be trained.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum NeuralMethod {
    /// Neural: a pretrained BERT encoder, and a label for each word from all of its layers
    Bert(bert::BertConfig),
    /// Neural, from scratch: words and their letters, read in both directions by LSTMs, and a chain
    /// of labels (CRF)
    Bilstm(bilstm::BilstmConfig),
    /// Neural, from scratch: subwords, which are learned from the text, convolutions over them, and LSTMs
    /// over words. Small and fast
    CnnBilstm(cnn_bilstm::CnnBilstmConfig),
}

impl NeuralMethod {
    /// Returns the method as a learner.
    pub fn learner(&self) -> &dyn Learner {
        match self {
            Self::Bert(config) => config,
            Self::Bilstm(config) => config,
            Self::CnnBilstm(config) => config,
        }
    }
}
