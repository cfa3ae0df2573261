//! `majuscule train`: trains a model folder on cased corpora.

use std::borrow::Cow;
use std::fs;
use std::io::{ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::builder::Resettable;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};

use super::method::TrainMethod;
use super::spinner::Spinner;
use super::tell_notes;
use crate::force::ForceArg;
use crate::page::threads;
use crate::{flag, folders, host};
use majuscule_base::error::{Error, worded};
use majuscule_base::files::{self, Publish};
use majuscule_methods::model::{Draft, MANIFEST};
use majuscule_text::Locale;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods;

/// The arguments of `majuscule train METHOD CORPUS… -o FOLDER`: the arguments that all methods
/// share, and the arguments of the method.
#[derive(Debug)]
pub struct TrainArgs {
    method: TrainMethod,
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  majuscule train majority --lang en news.txt speeches.txt.gz -o my-model
  majuscule train majority --lang pt --split livro.txt -o my-model --force
  majuscule train majority --lexicon news.tsv --lexicon places.txt --pack my.packed
  majuscule train hmm --order 3 --vocabulary 57000 --min-count 1,5,5 news.txt -o my-tagger
  majuscule train maxent news.txt -o my-weights --checkpoint news.checkpoint
  majuscule train bert --encoder bert-base-uncased --protocol rei news.txt -o my-tagger (a build with the feature neural)
  majuscule train bilstm --protocol rei news.txt -o my-network --log news.log (likewise)
  majuscule train cnn-bilstm --marks --protocol windows news.txt -o my-network (likewise)
  majuscule train ngram --lm news.arpa --map news.map -o my-transducer";

// The arguments of all methods. (A doc comment here would replace the description of each method.)
#[derive(Debug, clap::Args)]
struct Common {
    /// Cased text, also as .gz, .zst or .xz; - is standard input
    #[arg(value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    #[command(flatten)]
    place: ModelTarget,
    /// Training protocol: text, batista, rei, susanto, asr, asr:N (windows of N words), mix
    /// (alternates all kinds of text) or windows (for networks) [default: mix for maxent, text otherwise]
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<Protocol>,
    /// Language whose case mappings are used, such as tr or nl; by default the one in --lang
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    /// Number of threads: at most, and by default, the number
    /// of cores. The model does not depend on it
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: Reading,
}

// The output of a model. (No doc comment, for the same reason.)
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct ModelTarget {
    /// Folder for the model
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "pack")]
    output: Option<PathBuf>,
    /// Also write the model as one packed file, as the built-in models are
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
}

/// Trains a model and saves it.
pub fn run(TrainArgs { method, mut common }: TrainArgs) -> Result<()> {
    let method = method.learner();
    common.corpora = folders::paths(&common.corpora, common.reading.format)?;
    common.place.check(&[method.inputs(), common.corpora.clone()].concat(), method.checkpoint())?;
    super::language::detect_stored(&mut common.reading, &common.corpora)?;
    let locale = super::measure::locale(common.locale, common.reading.language())?;
    let threads = threads(common.threads);
    let protocol = common.protocol.unwrap_or_else(|| method.default_protocol());
    let names = common.corpora.iter().map(|file| files::name(file)).collect();
    let corpus = match common.corpora.as_slice() {
        [] if !method.needs_corpus() => Corpus::of_text("", common.reading, protocol, locale),
        files => Corpus::new(files, common.reading, protocol, locale)?,
    };
    let mut corpus = host::watched(corpus);
    if method.reads_again() {
        corpus.hold()?;
    }
    super::measure::tell_paragraphs(&corpus)?;
    for warning in method.warnings() {
        tell!("warning: {}", worded(&warning, flag));
    }
    let progress = Spinner::new();
    progress.begin(&format!("training {}", method.name()), method.checkpoint());
    let draft = methods::train(method, &corpus, names, threads, &mut |now| progress.show(now))?;
    drop(progress);
    tell_notes(&corpus.notes());
    tell_notes(&method.notes(&draft));
    common.place.publish(&draft)?;
    match method.checkpoint().map(|file| (file, fs::remove_file(file))) {
        // If training ended before the first checkpoint, there is no file.
        Some((file, Err(error))) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("remove", file, error).into())
        }
        _ => Ok(()),
    }
}

impl ModelTarget {
    /// Refuses, before any work is done, outputs that would replace an input, each other or
    /// anything but a model.
    pub fn check(&self, inputs: &[PathBuf], checkpoint: Option<&Path>) -> Result<(), Error> {
        files::check_inputs(inputs)?;
        let files: Vec<&Path> = self.pack.as_deref().into_iter().chain(checkpoint).collect();
        self.pack.iter().try_for_each(|file| self.force.check(file, inputs))?;
        checkpoint.map_or(Ok(()), |file| files::check_output(file, inputs))?;
        let absolute = |file: &Path| std::path::absolute(file).ok();
        if let [pack, checkpoint] = files[..]
            && absolute(pack) == absolute(checkpoint)
        {
            let file = pack.display();
            return Err(Error::usage(format!("{file} is both --pack and --checkpoint: name another file")));
        }
        let Some(folder) = &self.output else { return Ok(()) };
        for file in files {
            if let (Some(whole), Some(file_in)) = (absolute(folder), absolute(file))
                && file_in.starts_with(whole)
            {
                let (file, folder) = (file.display(), folder.display());
                let problem =
                    format!("{file} is inside {folder}, which is written as a whole: name a file elsewhere");
                return Err(Error::usage(problem));
            }
        }
        files::check_replaceable(folder, self.force.is_given().then_some(MANIFEST))?;
        files::check_output_folder(folder, inputs)
    }

    /// Writes a model to the outputs, and prints its files.
    pub fn publish(&self, draft: &Draft) -> Result<(), Error> {
        let packed = |file| files::unpublished(file, |out| out.write_all(&draft.pack()));
        let pack = self.pack.as_ref().map(packed).transpose()?;
        if let Some(output) = &self.output {
            draft.save(output, self.force.is_given())?;
        }
        // Both are on disk before the second gets its name, so that both appear or none does.
        pack.map_or(Ok(()), Publish::commit)?;
        for file in draft.manifest().files.iter() {
            tell!("{}: {} bytes", file.name, file.bytes);
        }
        if let Some(model) = self.output.as_ref().or(self.pack.as_ref()) {
            tell!("use it: majuscule restore --model {} TEXT", in_a_shell(&model.to_string_lossy()));
        }
        Ok(())
    }
}

/// Quotes a name for a shell if the name contains characters other than letters, digits and safe marks.
fn in_a_shell(name: &str) -> Cow<'_, str> {
    match name.chars().all(|c| c.is_alphanumeric() || "/.,_-+:@".contains(c)) {
        true => name.into(),
        false => format!("'{}'", name.replace('\'', "'\\''")).into(),
    }
}

impl FromArgMatches for TrainArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let method = TrainMethod::from_arg_matches(matches)?;
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

impl clap::Args for TrainArgs {
    fn augment_args(command: Command) -> Command {
        let command =
            TrainMethod::augment_subcommands(command).subcommand_required(true).arg_required_else_help(true);
        command
            .subcommand_value_name("METHOD")
            .subcommand_help_heading("Methods")
            .mut_subcommands(augment)
            .after_help(EXAMPLES)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Adds the arguments that all methods share to a method. It keeps the description of the method,
/// which each group of arguments would otherwise replace.
fn augment(method: Command) -> Command {
    let about = Resettable::from(method.get_about().cloned());
    let long_about = Resettable::from(method.get_long_about().cloned());
    <Common as clap::Args>::augment_args(method).about(about).long_about(long_about).after_help(EXAMPLES)
}
