//! `majuscule adapt`: a model and a small corpus in, the model with what the corpus teaches out.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

use super::page::threads;
use super::spinner::Spinner;
use super::train::Place;
use crate::corpus::{Corpus, Protocol, Reading};
use crate::error::Error;
use crate::files;
use crate::methods::{self, maxent};
use crate::model;

/// `majuscule adapt MODEL CORPUS… -o FOLDER`: a model of maxent takes the words and the ways of a text.
#[derive(Debug)]
pub struct Args {
    given: Given,
    /// Whether the language was named; if not, it is that of the model.
    has_language: bool,
}

const EXAMPLES: &str = "\
Examples:
  majuscule adapt my-model speeches-of-may.txt -o my-model-may
  majuscule adapt my-model minutes.txt --variance 0.01 --epochs 3 -o my-model --force";

/// Adapts a model of maxent to a small text: its words and names become known, and what it learned before gives way as far as
/// the text has reason for (Chelba & Acero 2004)
#[derive(Debug, clap::Args)]
struct Given {
    /// The model, a folder or a packed file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Cased text; - is standard input, .gz, .zst and .xz are read as they are
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    #[command(flatten)]
    place: Place,
    /// What is learned from: text, batista, rei, susanto, asr, asr:N or mix; by default what the model was trained on. asr and mix
    /// are for models that were trained on one of them
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<Protocol>,
    /// How many threads work on it; all cores where it is not given. The model does not depend on it
    #[arg(long, value_name = "N", value_parser = super::page::number)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    adaptation: maxent::Adaptation,
    #[command(flatten)]
    reading: Reading,
}

/// Adapts and saves.
pub fn run(Args { given, has_language }: Args) -> Result<ExitCode> {
    let Given { model, corpora, place, mut reading, .. } = given;
    place.check(&[std::slice::from_ref(&model), &corpora].concat(), None)?;
    let store = model::open(&model)?;
    let manifest = store.manifest();
    let protocol = given.protocol.map_or_else(|| protocol(&manifest.trained_on.protocol), Ok)?;
    let locale = match has_language {
        true => super::measure::locale(None, &reading.language)?,
        false => manifest.locale,
    };
    if !has_language {
        reading.language.clone_from(&manifest.language);
    }
    let mut corpus = Corpus::new(&corpora, reading, protocol, locale)?;
    corpus.hold()?;
    let progress = Spinner::new();
    progress.say("adapting".to_owned());
    let names = corpora.iter().map(|file| files::name(file)).collect();
    let draft = methods::adapt(&given.adaptation, &*store, &corpus, names, threads(given.threads))?;
    drop(progress);
    place.publish(&draft)?;
    Ok(ExitCode::SUCCESS)
}

/// The protocol that a model was trained under.
fn protocol(trained_on: &str) -> Result<Protocol, Error> {
    trained_on.parse().map_err(|_| {
        Error::Usage(format!(
            "the model was trained under \"{trained_on}\": name one protocol with --protocol"
        ))
    })
}

impl FromArgMatches for Args {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let has_language = matches.value_source("language") == Some(ValueSource::CommandLine);
        Ok(Self { given: Given::from_arg_matches(matches)?, has_language })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Args {
    fn augment_args(command: Command) -> Command {
        let language = |language: clap::Arg| {
            language.help("The language of the text; by default that of the model").hide_default_value(true)
        };
        Given::augment_args(command).mut_arg("language", language).after_help(EXAMPLES)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
