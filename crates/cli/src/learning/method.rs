//! The list of the methods that this program trains and adapts.

use clap::Subcommand;
use majuscule_fst::ngram;
use majuscule_train::methods::{Adapter, Learner, hmm, majority, maxent};

/// A method and its training settings.
#[derive(Debug, Clone, Subcommand)]
pub enum TrainMethod {
    /// The most frequent form of each word in every context: the baseline
    Majority(majority::MajorityConfig),
    /// Hidden Markov model: an n-gram language model of forms, decoded exactly (SRILM's disambig)
    Hmm(hmm::HmmConfig),
    /// Maximum entropy: a log-linear model over features of a word and its context
    Maxent(Box<maxent::MaxentConfig>),
    /// Transducer: an n-gram language model as a weighted
    /// finite-state machine, decoded by its best path
    Ngram(ngram::NgramConfig),
    #[cfg(feature = "neural")]
    #[command(flatten)]
    Neural(Box<majuscule_neural::NeuralMethod>),
}

impl TrainMethod {
    /// The method as a trait object.
    pub fn learner(&self) -> &dyn Learner {
        match self {
            Self::Majority(config) => config,
            Self::Hmm(config) => config,
            Self::Maxent(config) => &**config,
            Self::Ngram(config) => config,
            #[cfg(feature = "neural")]
            Self::Neural(method) => method.learner(),
        }
    }
}

/// A method and its settings of adaptation.
#[derive(Debug, Clone, Subcommand)]
pub enum AdaptMethod {
    /// Moves weights as far as the text provides evidence (Chelba & Acero 2004)
    Maxent(maxent::Adaptation),
    /// Fine-tunes the model on the text (Rei et al. 2020)
    #[cfg(feature = "neural")]
    Bert(Box<majuscule_neural::bert::BertAdaptation>),
    /// Continues the training of the network on the text
    #[cfg(feature = "neural")]
    CnnBilstm(Box<majuscule_neural::cnn_bilstm::CnnBilstmAdaptation>),
}

impl AdaptMethod {
    /// The adaptation as a trait object.
    pub fn adapter(&self) -> &dyn Adapter {
        match self {
            Self::Maxent(adaptation) => adaptation,
            #[cfg(feature = "neural")]
            Self::Bert(adaptation) => &**adaptation,
            #[cfg(feature = "neural")]
            Self::CnnBilstm(adaptation) => &**adaptation,
        }
    }
}
