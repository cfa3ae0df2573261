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

use clap::Subcommand;
use majuscule_base::error::{Error, Result, worded};
use majuscule_base::files;
use majuscule_experiment::library::RECIPES;
use majuscule_train::corpus::Protocol;

use crate::force::ForceArg;
use crate::page::print_with;
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
    #[command(subcommand)]
    Experiment(experiment::ExperimentAction),
    #[command(subcommand)]
    Lexicon(lexicon::LexiconAction),
    #[command(subcommand)]
    Lm(lm::LmAction),
    #[command(subcommand)]
    Maxent(maxent::MaxentAction),
    #[command(subcommand)]
    Tagger(tagger::TaggerAction),
    #[command(subcommand)]
    Corpus(corpus::CorpusAction),
    #[command(subcommand)]
    Fst(fst::FstAction),
}

impl Learning {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Errors of the subcommand.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Train(args) => train::run(*args)?,
            Self::Adapt(args) => adapt::run(*args)?,
            Self::Compact(args) => compact::run(&args)?,
            Self::Evaluate(args) => evaluate::run(args)?,
            Self::Score(args) => score::run(args)?,
            Self::Compare(args) => compare::run(args)?,
            Self::Experiment(action) => action.run()?,
            Self::Lexicon(action) => action.run()?,
            Self::Lm(action) => action.run()?,
            Self::Maxent(action) => action.run()?,
            Self::Tagger(action) => action.run()?,
            Self::Corpus(action) => action.run()?,
            Self::Fst(action) => action.run()?,
        }
        Ok(())
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

/// The output file of a verb.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct OutputArg {
    /// File to write
    #[arg(short = 'o', long = "output", id = "output", value_name = "FILE")]
    path: PathBuf,
    #[command(flatten)]
    force: ForceArg,
}

impl OutputArg {
    /// Refuses the output like [`ForceArg::check`].
    fn check(&self, inputs: &[impl AsRef<Path>]) -> Result<()> {
        self.force.check(&self.path, inputs)
    }

    /// Refuses, before any work is done, this or another output if it exists already or would replace an input or
    /// another output.
    fn check_with<'a>(
        &'a self,
        others: impl IntoIterator<Item = &'a PathBuf>,
        inputs: &[impl AsRef<Path>],
    ) -> Result<()> {
        let mut outputs = vec![];
        for output in [&self.path].into_iter().chain(others) {
            self.force.check(output, inputs)?;
            if outputs.contains(&output) {
                let name = output.display();
                let problem = format!("{name} is named for two outputs: give each a file of its own");
                return Err(Error::usage(problem));
            }
            outputs.push(output);
        }
        Ok(())
    }
}

/// The output of a verb that prints without one.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct OptionalOutputArg {
    /// File to write; standard output by default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
}

impl OptionalOutputArg {
    /// Before any work is done, refuses an output that exists already or would overwrite an input,
    /// and standard input that is named twice.
    fn check(&self, inputs: &[PathBuf]) -> Result<()> {
        files::check_inputs(inputs)?;
        self.path().map_or(Ok(()), |path| self.force.check(path, inputs))
    }

    fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        match self.path() {
            Some(path) => publish(path, write),
            None => print_with(write),
        }
    }

    fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }
}

/// Returns the paths of those models that are files, not built-in models.
pub fn model_files<'a>(models: impl IntoIterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    models.into_iter().filter(|path| named::built_in(path).is_none()).cloned().collect()
}
