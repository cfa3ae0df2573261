//! `majuscule maxent`: what the method trains on and what it learned, for other programs and from them.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;

use super::check_outputs;
use crate::named;
use crate::page::threads;
use majuscule::error::{Error, Result};
use majuscule::files::{self, Publish};
use majuscule::methods::maxent::Maxent;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods::maxent::{self, Target};

/// The features and weights of maxent, for other programs and from them
#[derive(Debug, clap::Args)]
pub struct MaxentArgs {
    #[command(subcommand)]
    action: MaxentAction,
}

#[derive(Debug, Subcommand)]
enum MaxentAction {
    Features(Box<FeaturesArgs>),
    Weights(WeightsArgs),
    Fit(FitArgs),
}

/// Does what `args` ask for.
pub fn run(args: MaxentArgs) -> anyhow::Result<ExitCode> {
    match args.action {
        MaxentAction::Features(args) => args.run(),
        MaxentAction::Weights(args) => args.run(),
        MaxentAction::Fit(args) => args.run(),
    }?;
    Ok(ExitCode::SUCCESS)
}

const EXAMPLES: &str = "\
Examples:
  majuscule maxent features news.txt -o news.svm --dictionary news.names
  majuscule train maxent --weights news.model --dictionary news.names news.txt -o my-model
  majuscule maxent features --as megam --features word,bigrams news.txt -o news.megam
  majuscule train maxent --weights news.weights --features word,bigrams news.txt -o my-model";

/// Writes what a corpus trains on: a word a line, its class and its features
///
/// Weights that another program learns of it come back with train maxent --weights, from the same text with the same settings.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct FeaturesArgs {
    /// Cased text; .gz, .zst and .xz are read as they are
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The file that the names of features are written to, by the numbers that they have in svmlight's form
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
    #[command(flatten)]
    exchange: maxent::Exchange,
    /// What is trained on: text, batista, rei, susanto, asr, or asr:N with windows of N words
    #[arg(long, value_name = "PROTOCOL", default_value_t)]
    protocol: Protocol,
    /// How many threads count words; as many as the machine has cores at most, and so many where it is not given
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: Reading,
}

impl FeaturesArgs {
    fn run(&self) -> Result<()> {
        files::check_inputs(&self.corpora)?;
        let inputs: Vec<&Path> = self.corpora.iter().map(PathBuf::as_path).collect();
        let outputs: Vec<&PathBuf> = [&self.output].into_iter().chain(&self.dictionary).collect();
        check_outputs(&outputs, &inputs)?;
        let locale = super::measure::locale(None, &self.reading.language)?;
        let mut corpus = Corpus::new(&self.corpora, self.reading.clone(), self.protocol, locale)?;
        corpus.hold()?;
        super::measure::tell_paragraphs(&corpus)?;
        let mut features = Publish::new(&self.output)?;
        let mut dictionary = self.dictionary.as_ref().map(Publish::new).transpose()?;
        let names: &mut dyn Write = match &mut dictionary {
            Some(file) => file,
            None => &mut std::io::sink(),
        };
        maxent::write_features(&self.exchange, &corpus, threads(self.threads), &mut features, names)?;
        features.commit()?;
        dictionary.map_or(Ok(()), Publish::commit)
    }
}

/// Writes the weights of a model in MegaM's form: a feature and its weight for each class
#[derive(Debug, clap::Args)]
struct WeightsArgs {
    /// The model, a folder or a packed file; accurate and fast are the built-in ones of --lang
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The language of the built-in model
    #[arg(long, value_name = "LANG", default_value = "en")]
    lang: String,
    /// The names of features, as maxent features writes them: a model holds only their hashes
    #[arg(long, value_name = "FILE")]
    dictionary: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What the weights tell apart
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    target: Target,
}

impl WeightsArgs {
    fn run(&self) -> Result<()> {
        files::check_output(&self.output, &[&self.model, &self.dictionary])?;
        let store = named::open(&self.model, &self.lang)?;
        let method = &store.manifest().method;
        if method != "maxent" {
            let problem = format!("method \"{method}\": only models of maxent have weights");
            return Err(Error::model(store.name(), problem));
        }
        let model = Maxent::load(store.as_ref())?;
        files::publish(&self.output, |out| maxent::write_weights(&model, self.target, &self.dictionary, out))
    }
}

/// Finds the best weights of a file in svmlight's form, all classes together, and writes them in MegaM's (L-BFGS, as MegaM has it)
///
/// Of the labels -1 and +1 there is one weight for each feature, for +1; of classes, which 0 to 3 are, one for each.
#[derive(Debug, clap::Args)]
struct FitArgs {
    /// The file: a line has a class (0 to 3, or -1 and +1) and ascending index:value, as maxent features writes them; - is standard
    /// input. No constant is added: give each row an index of its own for one
    #[arg(value_name = "FILE")]
    matrix: PathBuf,
    /// The names of its features; without it the weights are those of numbers
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    fit: maxent::FitConfig,
}

impl FitArgs {
    fn run(&self) -> Result<()> {
        let inputs: Vec<&PathBuf> =
            [Some(&self.matrix), self.dictionary.as_ref()].into_iter().flatten().collect();
        files::check_inputs(&inputs)?;
        files::check_output(&self.output, &inputs)?;
        let matrix = files::open(&self.matrix)?;
        files::publish(&self.output, |out| maxent::fit(&self.fit, matrix, self.dictionary.as_deref(), out))
    }
}
