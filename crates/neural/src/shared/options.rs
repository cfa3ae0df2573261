//! The options of training that all networks share, and the table of their defaults.

use std::path::PathBuf;

use clap::Arg;
use serde::Serialize;
use serde_json::Value;

use super::checks::check_numbers;
use super::samples::CorpusSplit;
use majuscule_base::error::Result;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::json;

/// The options of the training of a network. An option that is not given has the default of the network.
#[derive(Debug, Clone, PartialEq, clap::Args)]
#[group(skip)]
pub struct NetworkTrainingOptions {
    /// The number of passes over the corpus
    #[arg(long, value_name = "N")]
    pub epochs: Option<usize>,
    /// The learning rate. For bert, it is the rate of the encoder, and small encoders work with ten times the rate of
    /// BERT-base; for other networks, it decays linearly to 0
    #[arg(long, value_name = "STEP")]
    pub rate: Option<f64>,
    /// The number of batches over which the learning rate grows from 0; head and encoder of bert each start
    /// to warm up when their training begins
    #[arg(long, value_name = "N")]
    pub warm_up: Option<u64>,
    /// The dropout rate before the heads, and before each LSTM over words
    #[arg(long, value_name = "FRACTION")]
    pub dropout: Option<f64>,
    /// Clip gradients to this norm; 0 leaves them as they are
    #[arg(long, value_name = "LENGTH")]
    pub clip: Option<f64>,
    /// Hold out this fraction of the examples, and keep the model that is best on them
    #[arg(long, value_name = "FRACTION")]
    pub held_out: Option<f64>,
    /// The number of epochs in a row that may be worse than the best
    #[arg(long, value_name = "N")]
    pub patience: Option<usize>,
    /// The seed of all random choices
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write the state of training to this file now and then. If the file exists, training resumes
    /// from it and gives the same model; the file is removed once the model is written
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// The largest number of steps between two checkpoints, which are at most five minutes apart
    #[arg(long, value_name = "STEPS", requires = "checkpoint", default_value_t = 1000)]
    pub checkpoint_every: u64,
    /// Append a log to this file, one line of JSON per event
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

majuscule_arguments::default_of_arguments!(NetworkTrainingOptions);

/// The options on which a model depends, with all defaults filled in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NetworkTraining {
    pub epochs: usize,
    pub rate: f64,
    pub warm_up: u64,
    pub dropout: f64,
    pub clip: f64,
    pub held_out: f64,
    pub patience: usize,
    pub seed: u64,
}

impl NetworkTraining {
    /// The defaults of `bert`.
    pub const BERT: Self = Self {
        epochs: 4,
        rate: 1e-5,
        warm_up: 100,
        dropout: 0.1,
        clip: 1.0,
        held_out: 0.01,
        patience: 2,
        seed: 1,
    };
    /// The defaults of an adaptation of `bert`: the text is short, so the warm-up is half as long, and a larger
    /// fraction is held out to find the best epoch.
    pub const ADAPTATION: Self = Self { epochs: 2, warm_up: 50, held_out: 0.05, ..Self::BERT };
    /// The defaults of `bilstm`.
    pub const BILSTM: Self =
        Self { epochs: 6, rate: 1e-3, warm_up: 0, dropout: 0.5, clip: 5.0, patience: 3, ..Self::BERT };
    /// The defaults of `cnn-bilstm`.
    pub const CNN_BILSTM: Self =
        Self { epochs: 2, rate: 3e-3, warm_up: 200, dropout: 0.0, patience: 3, ..Self::BERT };
    /// The defaults of an adaptation of `cnn-bilstm`, with a lower rate, which keeps more of the model.
    pub const CNN_BILSTM_ADAPTATION: Self =
        Self { rate: 5e-4, warm_up: 50, held_out: 0.05, ..Self::CNN_BILSTM };
}

impl NetworkTraining {
    /// Splits a corpus into training examples and held-out examples.
    pub fn split(self, corpus: &Corpus) -> CorpusSplit<'_> {
        CorpusSplit { corpus, seed: self.seed, held_out: self.held_out }
    }
}

impl NetworkTrainingOptions {
    /// Fills in the options that are not given from these defaults.
    pub fn or(&self, defaults: NetworkTraining) -> NetworkTraining {
        NetworkTraining {
            epochs: self.epochs.unwrap_or(defaults.epochs),
            rate: self.rate.unwrap_or(defaults.rate),
            warm_up: self.warm_up.unwrap_or(defaults.warm_up),
            dropout: self.dropout.unwrap_or(defaults.dropout),
            clip: self.clip.unwrap_or(defaults.clip),
            held_out: self.held_out.unwrap_or(defaults.held_out),
            patience: self.patience.unwrap_or(defaults.patience),
            seed: self.seed.unwrap_or(defaults.seed),
        }
    }

    /// Refuses options out of their ranges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`](majuscule_base::error::Error::Usage) for the first setting that is out of range.
    pub fn check(&self) -> Result<()> {
        let [rate, dropout, clip, held_out] =
            [self.rate, self.dropout, self.clip, self.held_out].map(Option::unwrap_or_default);
        check_numbers(
            &[("dropout", dropout), ("held-out", held_out)],
            &[("rate", rate), ("clip", clip)],
            &[
                ("epochs", self.epochs.unwrap_or(1)),
                ("patience", self.patience.unwrap_or(1)),
                ("checkpoint-every", self.checkpoint_every as usize),
            ],
        )
    }
}

/// Shows the default of an option in its help, if it is among `defaults`.
pub fn show_default(arg: Arg, defaults: &impl Serialize) -> Arg {
    let shown = match &json(defaults)[arg.get_id().as_str()] {
        Value::Number(number) => number.as_f64().map(|number| number.to_string()),
        Value::String(name) => Some(name.clone()),
        _ => None,
    };
    match (shown, arg.get_help()) {
        (Some(shown), Some(help)) => {
            let help = format!("{help} [default: {shown}]");
            arg.help(help)
        }
        _ => arg,
    }
}

/// The settings of a training in a manifest and in a checkpoint: the settings of one network, and the settings that
/// all networks share.
#[derive(Debug, Serialize)]
pub struct TrainingRecord<'a, C, T> {
    #[serde(flatten)]
    pub config: &'a C,
    #[serde(flatten)]
    pub training: T,
}
