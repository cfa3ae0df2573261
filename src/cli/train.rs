//! `majuscule train`: a cased corpus in, a model folder out.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};

use crate::corpus::{Corpus, Protocol, Reading};
use crate::error::Error;
use crate::files;
use crate::methods::Method;
use crate::model::MANIFEST;
use crate::text::Locale;

/// `majuscule train METHOD CORPUS… -o FOLDER`: every method takes the same corpora, and settings of its own.
#[derive(Debug)]
pub struct Args {
    method: Method,
    common: Common,
}

// What all methods take. (A doc comment here would replace the description of each method.)
#[derive(Debug, clap::Args)]
struct Common {
    /// Cased text; - is standard input, .gz, .zst and .xz are read as they are
    #[arg(value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    /// The folder that the model is written to
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "pack")]
    output: Option<PathBuf>,
    /// Write the model as one packed file too, such as the built-in ones are
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
    /// Replace a model that stands there
    #[arg(long)]
    force: bool,
    /// What is trained on: text, batista, rei, susanto, asr, or asr:N with windows of N words
    #[arg(long, value_name = "PROTOCOL", default_value_t)]
    protocol: Protocol,
    /// Whose case pairs are used, such as tr or nl; by default those of --lang
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    /// How many threads work on it; all cores where it is not given. The model does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: Reading,
}

/// Trains and saves.
pub fn run(Args { method, common }: Args) -> Result<ExitCode> {
    if let Some(output) = &common.output {
        files::check_replaceable(output, common.force.then_some(MANIFEST))?;
    }
    if let Some(file) = &common.pack {
        files::check_output(file, &common.corpora)?;
    }
    let locale = match common.locale {
        Some(locale) => locale,
        None => common.reading.language.parse()?,
    };
    let threads = common.threads.or_else(|| std::thread::available_parallelism().ok());
    let names = common.corpora.iter().map(|path| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    });
    let corpus = match common.corpora.as_slice() {
        [] if !method.needs_corpus() => Corpus::of_text("", common.reading, common.protocol, locale),
        files => Corpus::new(files, common.reading, common.protocol, locale)?,
    };
    let draft = method.train(&corpus, names.collect(), threads.unwrap_or(NonZeroUsize::MIN))?;
    if let Some(output) = &common.output {
        draft.save(output, common.force)?;
    }
    if let Some(file) = &common.pack {
        files::publish(file, |out| {
            out.write_all(&draft.pack()).map_err(|error| Error::io("write", file, error))
        })?;
    }
    for file in draft.manifest().files.iter() {
        eprintln!("{}: {} bytes", file.name, file.bytes);
    }
    Ok(ExitCode::SUCCESS)
}

impl FromArgMatches for Args {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let method = Method::from_arg_matches(matches)?;
        let Some((_, matches)) = matches.subcommand() else {
            return Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand));
        };
        Ok(Self { method, common: Common::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Args {
    fn augment_args(command: Command) -> Command {
        let command =
            Method::augment_subcommands(command).subcommand_required(true).arg_required_else_help(true);
        command
            .subcommand_value_name("METHOD")
            .subcommand_help_heading("Methods")
            .mut_subcommands(Common::augment_args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
