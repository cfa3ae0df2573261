//! The command line: one file a verb.

pub mod corpus;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;

/// Restores capital letters in text that lost them, and measures how well.
#[derive(Debug, Parser)]
#[command(name = "majuscule", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Describe and split corpora
    Corpus(corpus::Args),
}

/// Parses the arguments, runs the verb, and says what went wrong: 0 done, 1 the data, 2 the arguments.
pub fn main() -> ExitCode {
    let result: anyhow::Result<ExitCode> = match Cli::parse().verb {
        Verb::Corpus(args) => corpus::run(args),
    };
    result.unwrap_or_else(|error| report(&error))
}

/// Prints an error for a person, and gives its exit code. A pipe that its reader closed is no error.
fn report(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<Error>() {
        Some(error) if error.is_closed_pipe() => return ExitCode::SUCCESS,
        _ => eprintln!("majuscule: {error:#}"),
    }
    ExitCode::from(if matches!(error.downcast_ref(), Some(Error::Usage(_))) { 2 } else { 1 })
}
