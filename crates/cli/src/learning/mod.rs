//! The verbs that learn and measure: one file a verb.

mod adapt;
mod compare;
mod corpus;
mod evaluate;
mod experiment;
mod fst;
mod lexicon;
mod lm;
mod maxent;
mod measure;
mod method;
mod score;
mod spinner;
mod train;
mod usage;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use majuscule_experiment::library::RECIPES;
use majuscule_train::corpus::Protocol;

use usage::Watch;

/// The verbs that work on cased text: a build that only restores goes without.
#[derive(Debug, Subcommand)]
pub enum Learning {
    /// Trains a model on cased text
    Train(Box<train::Args>),
    Adapt(Box<adapt::Args>),
    Evaluate(evaluate::Args),
    Score(score::Args),
    Compare(compare::Args),
    Experiment(experiment::Args),
    Lexicon(lexicon::Args),
    Lm(lm::Args),
    Maxent(maxent::Args),
    Corpus(corpus::Args),
    Fst(fst::Args),
}

impl Learning {
    /// Runs the verb.
    ///
    /// # Errors
    /// Those of the verb.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Train(args) => train::run(*args),
            Self::Adapt(args) => adapt::run(*args),
            Self::Evaluate(args) => evaluate::run(args),
            Self::Score(args) => score::run(args),
            Self::Compare(args) => compare::run(args),
            Self::Experiment(args) => experiment::run(args),
            Self::Lexicon(args) => lexicon::run(args),
            Self::Lm(args) => lm::run(args),
            Self::Maxent(args) => maxent::run(args),
            Self::Corpus(args) => corpus::run(args),
            Self::Fst(args) => fst::run(args),
        }
    }
}

/// The names of protocols, for completions.
pub fn protocols() -> Vec<&'static str> {
    Protocol::ALL.map(Protocol::name).to_vec()
}

/// The names of recipes, for completions.
pub fn recipes() -> Vec<&'static str> {
    RECIPES.iter().map(|(name, _)| *name).collect()
}

/// What an experiment asks of the processes that it starts.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct UsageArgs {
    /// Write to FILE what the run took: seconds and bytes
    #[arg(long, value_name = "FILE", global = true, hide = true)]
    usage: Option<PathBuf>,
}

impl UsageArgs {
    /// Counts from now on.
    pub fn watch(self) -> Watch {
        Watch::new(self.usage)
    }
}
