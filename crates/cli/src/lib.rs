//! The command line: one file per verb.

#[macro_use]
mod messages;

#[cfg(all(feature = "service", target_os = "linux", target_env = "gnu"))]
mod allocator;
mod backend;
mod cascade;
mod convert;
mod folders;
mod force;
mod hints;
pub mod host;
mod inspect;
mod language;
#[cfg(feature = "learning")]
mod learning;
pub mod methods;
mod models;
mod named;
mod page;
mod piped;
mod restore;
#[cfg(feature = "service")]
mod serve;
mod shell;
mod signals;
mod stream;
mod strip;
mod targets;
mod voting;

use std::ffi::OsString;
use std::process::{self, ExitCode};
use std::sync::OnceLock;

use clap::{Parser, Subcommand};

use majuscule_base::bytes::Bytes;
use majuscule_base::error::Error;
use majuscule_base::files::Limits;
use majuscule_base::printable::printable_lines;

/// Restores capital letters and punctuation in text that lost them, and measures how well
///
/// Try: echo "the president met angela merkel in lisbon" | majuscule restore
#[derive(Debug, Parser)]
#[command(name = "majuscule", version, propagate_version = true, max_term_width = 100, before_help = COMMANDS)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    #[cfg(feature = "learning")]
    #[command(flatten)]
    usage: learning::UsageArgs,
    /// Maximum unpacked size of an input that must be held in memory as a
    /// whole: a list, a recipe, whisper-json, a transducer. One line of
    /// text may take 1/32 of it
    #[arg(long, value_name = "SIZE", global = true, hide_short_help = true, default_value_t)]
    input_limit: Limits,
}

/// The commands that most users come for, which the help begins with.
const COMMANDS: &str = "\
Common uses:
  majuscule restore --marks talk.txt -o talk.cased.txt   capitals and punctuation for a text
  majuscule restore --marks talk.srt -o talk.cased.srt   for subtitles, with their times
  majuscule restore --marks talk.json -o talk.srt        from a recogniser's JSON to subtitles";

#[derive(Debug, Subcommand)]
enum Verb {
    #[command(mut_args = restore::in_groups)]
    Restore(Box<restore::RestoreArgs>),
    Convert(convert::ConvertArgs),
    Strip(strip::StripArgs),
    #[cfg(feature = "service")]
    Serve(serve::ServeArgs),
    #[cfg(feature = "learning")]
    #[command(flatten)]
    Learning(Box<learning::Learning>),
    Inspect(inspect::InspectArgs),
    Models(models::ModelsArgs),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// The command that starts the program again, if this is not the executable file of the process.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Parses the arguments, runs the verb and prints its error. The exit code is 0 for success, 1 for
/// a failure in the data, 2 for wrong arguments.
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

/// Runs the program inside another program. `command` starts this program alone in a new process,
/// and the first of the arguments is the program's name.
pub fn main_within(command: Vec<OsString>, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    // A process runs the program once.
    let _ = PROGRAM.set(command);
    run(arguments)
}

/// Parses arguments; the first is the name of the program.
fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(arguments).map_err(hints::without_value_tip)
}

fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = parse(arguments).unwrap_or_else(|error| refuse(&error));
    if !cli.verb.handles_signals() {
        signals::clean_up();
    }
    #[cfg(feature = "learning")]
    let watch = cli.usage.watch();
    let result = cli.verb.run();
    // Results are void if a mapped file was changed during the run.
    let result = result.and_then(|code| Ok(Bytes::check_unchanged().map(|()| code)?));
    #[cfg(feature = "learning")]
    let result = result.and_then(|code| Ok(watch.write().map(|()| code)?));
    result.unwrap_or_else(|error| report(&error))
}

impl Verb {
    /// Returns true if the verb ends in its own way on a signal; it leaves no unfinished files.
    fn handles_signals(&self) -> bool {
        #[cfg(feature = "service")]
        return matches!(self, Self::Serve(_));
        #[cfg(not(feature = "service"))]
        false
    }

    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Restore(args) => return restore::run(*args),
            Self::Strip(args) => return strip::run(&args),
            Self::Models(args) => return models::run(&args),
            Self::Convert(args) => convert::run(&args)?,
            #[cfg(feature = "service")]
            Self::Serve(args) => serve::run(args)?,
            #[cfg(feature = "learning")]
            Self::Learning(verb) => verb.run()?,
            Self::Inspect(args) => inspect::run(args)?,
            Self::Completions(args) => shell::completions(args)?,
            Self::Man(args) => shell::man(args)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints the problem with the arguments, or the help that they request, and exits.
fn refuse(error: &clap::Error) -> ! {
    if let Some(hint) = hints::hint(error) {
        tell!("majuscule: {hint}");
        process::exit(error.exit_code())
    }
    let page = error.render().to_string();
    // A file name may look like an option, and may contain control characters.
    match printable_lines(&page) {
        shown if shown == page => error.exit(),
        shown => shown.lines().for_each(messages::print),
    }
    process::exit(error.exit_code())
}

/// Returns the name of an option as it is on the command line.
fn flag(name: &str) -> String {
    format!("--{name}")
}

/// Prints an error and returns its exit code. A pipe that its reader closed is not an error.
fn report(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<Error>() {
        Some(error) if error.is_closed_pipe() => return ExitCode::SUCCESS,
        Some(error) => tell!("majuscule: {}", error.worded(flag)),
        None => tell!("majuscule: {error:#}"),
    }
    let is_usage = matches!(error.downcast_ref(), Some(Error::Usage(_) | Error::NoModel { .. }));
    ExitCode::from(if is_usage { 2 } else { 1 })
}
