//! The command line: one file a verb.

#[macro_use]
mod messages;

mod backend;
mod cascade;
mod convert;
mod heard;
mod hints;
mod inspect;
#[cfg(feature = "learning")]
mod learning;
pub mod methods;
mod named;
mod page;
mod restore;
mod shell;
mod signals;
mod stream;
mod targets;

use std::process::{self, ExitCode};

use clap::{Parser, Subcommand};

use majuscule::bytes::Bytes;
use majuscule::error::Error;
use majuscule::files::{self, ByteSize};
use majuscule::printable::printable_lines;

/// Restores capital letters in text that lost them, and measures how well
///
/// Try: echo "the president met angela merkel in lisbon" | majuscule restore
#[derive(Debug, Parser)]
#[command(name = "majuscule", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    #[cfg(feature = "learning")]
    #[command(flatten)]
    usage: learning::UsageArgs,
    /// The most of an input, unpacked, that is held in memory where it has to be read whole: a list, a recipe, whisper-json, a
    /// machine. One line, where a text is read by lines, may have a 32nd of it
    #[arg(long, value_name = "SIZE", global = true, hide_short_help = true, default_value_t = files::DEFAULT_INPUT_LIMIT)]
    input_limit: ByteSize,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Restore(Box<restore::RestoreArgs>),
    Convert(convert::ConvertArgs),
    #[cfg(feature = "learning")]
    #[command(flatten)]
    Learning(Box<learning::Learning>),
    Inspect(inspect::InspectArgs),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// Parses the arguments, runs the verb, and says what went wrong: 0 done, 1 the data, 2 the arguments.
pub fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(&error));
    files::set_input_limit(cli.input_limit);
    signals::clean_up();
    #[cfg(feature = "learning")]
    let watch = cli.usage.watch();
    let result = match cli.verb {
        Verb::Restore(args) => restore::run(*args),
        Verb::Convert(args) => convert::run(&args),
        #[cfg(feature = "learning")]
        Verb::Learning(verb) => verb.run(),
        Verb::Inspect(args) => inspect::run(args),
        Verb::Completions(args) => shell::completions(args),
        Verb::Man(args) => shell::man(args),
    };
    // Results of a model that was changed meanwhile are none.
    let result = result.and_then(|code| Ok(Bytes::check_unchanged().map(|()| code)?));
    #[cfg(feature = "learning")]
    let result = result.and_then(|code| Ok(watch.write().map(|()| code)?));
    result.unwrap_or_else(|error| report(&error))
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
