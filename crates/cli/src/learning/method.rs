//! The methods that this program trains and adapts: the one list of them.

use clap::Subcommand;
use majuscule_fst::ngram;
use majuscule_train::methods::{Adapter, Learner, hmm, majority, maxent};

/// A method with its settings, about to be trained.
#[derive(Debug, Clone, Subcommand)]
pub enum TrainMethod {
    /// The most frequent form of each word, wherever it stands: the baseline
    Majority(majority::MajorityConfig),
    /// Hidden Markov model: an n-gram language model of forms, decoded exactly (SRILM's disambig)
    Hmm(hmm::HmmConfig),
    /// Maximum entropy: a weighted sum of what is seen around a word
    Maxent(maxent::MaxentConfig),
    /// Transducer: an n-gram language model as a weighted machine, and the best path through it
    Ngram(ngram::NgramConfig),
    #[cfg(feature = "neural")]
    #[command(flatten)]
    Neural(majuscule_neural::NeuralMethod),
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
            Self::Neural(method) => method.learner(),
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
    Bert(majuscule_neural::bert::BertAdaptation),
}

impl AdaptMethod {
    /// The adaptation, as training takes it.
    pub fn adapter(&self) -> &dyn Adapter {
        match self {
            Self::Maxent(adaptation) => adaptation,
            #[cfg(feature = "neural")]
            Self::Bert(adaptation) => adaptation,
        }
    }
}
