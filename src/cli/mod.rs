//! The command line: one file a verb.

#[macro_use]
mod messages;

#[cfg(feature = "train")]
mod adapt;
mod cascade;
mod chart;
#[cfg(feature = "train")]
mod compare;
mod convert;
#[cfg(feature = "train")]
mod corpus;
#[cfg(feature = "train")]
mod evaluate;
#[cfg(feature = "experiments")]
mod experiment;
#[cfg(feature = "fst")]
mod fst;
mod heard;
mod hints;
mod inspect;
#[cfg(feature = "train")]
mod lexicon;
#[cfg(feature = "train")]
mod lm;
#[cfg(feature = "train")]
mod maxent;
#[cfg(feature = "train")]
mod measure;
mod named;
mod page;
mod restore;
#[cfg(feature = "train")]
mod score;
mod shell;
mod signals;
#[cfg(feature = "train")]
mod spinner;
mod stream;
mod targets;
#[cfg(feature = "train")]
mod train;
#[cfg(feature = "train")]
mod usage;

#[cfg(feature = "train")]
use std::path::PathBuf;
use std::process::{self, ExitCode};

use clap::{Parser, Subcommand};

use crate::bytes::Bytes;
use crate::error::Error;
use crate::files::{self, Size};
use crate::printable::printable_lines;

/// Restores capital letters in text that lost them, and measures how well
///
/// Try: echo "the president met angela merkel in lisbon" | majuscule restore
#[derive(Debug, Parser)]
#[command(name = "majuscule", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Write to FILE what the run took: seconds and bytes
    #[cfg(feature = "train")]
    #[arg(long, value_name = "FILE", global = true, hide = true)]
    usage: Option<PathBuf>,
    /// The most of an input, unpacked, that is held in memory where it has to be read whole: a list, a recipe, whisper-json, a
    /// machine. One line, where a text is read by lines, may have a 32nd of it
    #[arg(long, value_name = "SIZE", global = true, hide_short_help = true, default_value_t = files::DEFAULT_INPUT_LIMIT)]
    input_limit: Size,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Restore(Box<restore::Args>),
    Convert(convert::Args),
    #[cfg(feature = "train")]
    #[command(flatten)]
    Learning(Box<Learning>),
    #[cfg(feature = "fst")]
    Fst(fst::Args),
    Inspect(inspect::Args),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// What works on cased text: a build that only restores goes without.
#[cfg(feature = "train")]
#[derive(Debug, Subcommand)]
enum Learning {
    /// Trains a model on cased text
    Train(Box<train::Args>),
    Adapt(Box<adapt::Args>),
    Evaluate(evaluate::Args),
    Score(score::Args),
    Compare(compare::Args),
    #[cfg(feature = "experiments")]
    Experiment(experiment::Args),
    Lexicon(lexicon::Args),
    Lm(lm::Args),
    Maxent(maxent::Args),
    Corpus(corpus::Args),
}

/// Parses the arguments, runs the verb, and says what went wrong: 0 done, 1 the data, 2 the arguments.
pub fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(&error));
    files::set_input_limit(cli.input_limit);
    signals::clean_up();
    #[cfg(feature = "train")]
    let watch = usage::Watch::new(cli.usage);
    let result = match cli.verb {
        Verb::Restore(args) => restore::run(*args),
        Verb::Convert(args) => convert::run(&args),
        #[cfg(feature = "train")]
        Verb::Learning(verb) => verb.run(),
        #[cfg(feature = "fst")]
        Verb::Fst(args) => fst::run(args),
        Verb::Inspect(args) => inspect::run(args),
        Verb::Completions(args) => shell::completions(args),
        Verb::Man(args) => shell::man(args),
    };
    // Results of a model that was changed meanwhile are none.
    let result = result.and_then(|code| Ok(Bytes::check_unchanged().map(|()| code)?));
    #[cfg(feature = "train")]
    let result = result.and_then(|code| Ok(watch.write().map(|()| code)?));
    result.unwrap_or_else(|error| report(&error))
}

#[cfg(feature = "train")]
impl Learning {
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Train(args) => train::run(*args),
            Self::Adapt(args) => adapt::run(*args),
            Self::Evaluate(args) => evaluate::run(args),
            Self::Score(args) => score::run(args),
            Self::Compare(args) => compare::run(args),
            #[cfg(feature = "experiments")]
            Self::Experiment(args) => experiment::run(args),
            Self::Lexicon(args) => lexicon::run(args),
            Self::Lm(args) => lm::run(args),
            Self::Maxent(args) => maxent::run(args),
            Self::Corpus(args) => corpus::run(args),
        }
    }
}

/// Says what is wrong with the arguments, or prints the help that they ask for, and ends.
fn refuse(error: &clap::Error) -> ! {
    if let Some(hint) = hints::hint(error) {
        tell!("majuscule: {hint}");
        process::exit(error.exit_code())
    }
    let page = error.render().to_string();
    // The name of a file may be taken for an option.
    match printable_lines(&page) {
        shown if shown == page => error.exit(),
        shown => shown.lines().for_each(messages::print),
    }
    process::exit(error.exit_code())
}

/// Prints an error for a person, and gives its exit code. A pipe that its reader closed is no error.
fn report(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<Error>() {
        Some(error) if error.is_closed_pipe() => return ExitCode::SUCCESS,
        Some(error) => tell!("majuscule: {error}"),
        None => tell!("majuscule: {error:#}"),
    }
    ExitCode::from(if matches!(error.downcast_ref(), Some(Error::Usage(_))) { 2 } else { 1 })
}
