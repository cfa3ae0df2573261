//! The subcommands for training and evaluation: one file per subcommand.

mod adapt;
mod annotate;
mod compact;
mod compare;
mod corpus;
mod evaluate;
mod experiment;
mod fst;
mod language;
mod lexicon;
mod lm;
mod maxent;
mod measure;
mod method;
mod score;
mod spinner;
mod systems;
mod tagger;
mod train;
mod usage;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use majuscule_base::error::{Error, Result, worded};
use majuscule_base::files;
use majuscule_experiment::library::RECIPES;
use majuscule_train::corpus::Protocol;

use crate::force::ForceArg;
use crate::{flag, named};
use usage::UsageWatch;

/// Writes a file that appears whole or not at all. Error messages name the file.
fn publish(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    files::publish(path, |file| write(file).map_err(|error| Error::io("write", path, error)))
}

/// The verbs that work on cased text; a build that only restores does not have them.
#[derive(Debug, Subcommand)]
pub enum Learning {
    /// Trains a model on cased text
    Train(Box<train::TrainArgs>),
    Adapt(Box<adapt::AdaptArgs>),
    Compact(compact::CompactArgs),
    Evaluate(evaluate::EvaluateArgs),
    Score(score::ScoreArgs),
    Compare(compare::CompareArgs),
    Experiment(experiment::ExperimentArgs),
    Lexicon(lexicon::LexiconArgs),
    Lm(lm::LmArgs),
    Maxent(maxent::MaxentArgs),
    Tagger(tagger::TaggerArgs),
    Corpus(corpus::CorpusArgs),
    Fst(fst::FstArgs),
}

impl Learning {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Errors of the subcommand.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Train(args) => train::run(*args),
            Self::Adapt(args) => adapt::run(*args),
            Self::Compact(args) => compact::run(&args),
            Self::Evaluate(args) => evaluate::run(args),
            Self::Score(args) => score::run(args),
            Self::Compare(args) => compare::run(args),
            Self::Experiment(args) => experiment::run(args),
            Self::Lexicon(args) => lexicon::run(args),
            Self::Lm(args) => lm::run(args),
            Self::Maxent(args) => maxent::run(args),
            Self::Tagger(args) => tagger::run(args),
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

/// Hidden options of the processes that an experiment starts.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct UsageArgs {
    /// Write the seconds and bytes that the run took to FILE
    #[arg(long, value_name = "FILE", global = true, hide = true)]
    usage: Option<PathBuf>,
}

impl UsageArgs {
    /// Starts to measure time and memory.
    pub fn watch(self) -> UsageWatch {
        UsageWatch::new(self.usage)
    }
}

/// Prints notes about input that was not read exactly as it is in its file.
pub fn tell_notes(notes: &[String]) {
    for note in notes {
        tell!("note: {}", worded(note, flag));
    }
}

/// Refuses, before any work is done, outputs that exist already or that would replace an input or
/// each other.
///
/// # Errors
/// The first such output.
pub fn check_outputs(outputs: &[&PathBuf], inputs: &[&Path], force: ForceArg) -> Result<()> {
    for (at, output) in outputs.iter().enumerate() {
        force.check(output, inputs)?;
        if outputs[..at].contains(output) {
            let name = output.display();
            let problem = format!("{name} is named for two outputs: give each a file of its own");
            return Err(Error::usage(problem));
        }
    }
    Ok(())
}

/// Returns the paths of those models that are files, not built-in models.
pub fn model_files<'a>(models: impl IntoIterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    models.into_iter().filter(|path| named::built_in(path).is_none()).cloned().collect()
}
