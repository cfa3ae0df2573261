//! The methods that this program trains and adapts: the one list of them.

use clap::Subcommand;
use majuscule_fst::ngram;
#[cfg(feature = "neural")]
use majuscule_neural::{bert, bilstm};
use majuscule_train::methods::{Adapter, Learner, hmm, majority, maxent};

/// A method with its settings, about to be trained.
#[derive(Debug, Clone, Subcommand)]
pub enum TrainMethod {
    /// The most frequent form of each word, wherever it stands: the baseline
    Majority(majority::Config),
    /// Hidden Markov model: an n-gram language model of forms, decoded exactly (SRILM's disambig)
    Hmm(hmm::Config),
    /// Maximum entropy: a weighted sum of what is seen around a word
    Maxent(maxent::Config),
    /// Transducer: an n-gram language model as a weighted machine, and the best path through it
    Ngram(ngram::Config),
    /// Neural: a pretrained BERT encoder, and a label for each word from all of its layers
    #[cfg(feature = "neural")]
    Bert(bert::Config),
    /// Neural, from scratch: words and their letters, read in both directions by LSTMs, and a chain of labels (CRF)
    #[cfg(feature = "neural")]
    Bilstm(bilstm::Config),
}

impl TrainMethod {
    /// The method, as training takes it.
    pub fn learner(&self) -> &dyn Learner {
        match self {
            Self::Majority(config) => config,
            Self::Hmm(config) => config,
            Self::Maxent(config) => config,
            Self::Ngram(config) => config,
            #[cfg(feature = "neural")]
            Self::Bert(config) => config,
            #[cfg(feature = "neural")]
            Self::Bilstm(config) => config,
        }
    }
}

/// The settings of an adaptation, by the method of the model.
#[derive(Debug, Clone, Subcommand)]
pub enum AdaptMethod {
    /// Weights move as far as the text has reason for (Chelba & Acero 2004)
    Maxent(maxent::Adaptation),
    /// Training goes on on the text (Rei et al. 2020)
    #[cfg(feature = "neural")]
    Bert(bert::Adaptation),
}

impl AdaptMethod {
    /// The names of the methods whose models can be adapted, in a program that has them all.
    pub const METHODS: [&str; 2] = ["maxent", "bert"];

    /// The adaptation, as training takes it.
    pub fn adapter(&self) -> &dyn Adapter {
        match self {
            Self::Maxent(adaptation) => adaptation,
            #[cfg(feature = "neural")]
            Self::Bert(adaptation) => adaptation,
        }
    }
}
