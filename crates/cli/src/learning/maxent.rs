//! `majuscule maxent`: exchanges features and weights with other programs.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Subcommand;

use super::OutputArg;
use crate::page::threads;
use crate::{folders, named};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Limits, Publish};
use majuscule_methods::maxent::Maxent;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods::maxent::{self, Target};

/// Features and weights of maxent, to and from other programs
#[derive(Debug, Subcommand)]
pub enum MaxentAction {
    Features(Box<FeaturesArgs>),
    Weights(WeightsArgs),
    Fit(FitArgs),
}

impl MaxentAction {
    /// Runs the subcommand.
    pub fn run(self) -> Result<()> {
        match self {
            Self::Features(args) => args.run(),
            Self::Weights(args) => args.run(),
            Self::Fit(args) => args.run(),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  majuscule maxent features news.txt -o news.svm --dictionary news.names
  majuscule train maxent --weights news.model --dictionary news.names news.txt -o my-model
  majuscule maxent features --as megam --features word,bigrams news.txt -o news.megam
  majuscule train maxent --weights news.weights --features word,bigrams news.txt -o my-model";

/// Writes the training examples of a corpus: one word per line, with its class and its features
///
/// Weights that another program learns from this file can be used with train maxent --weights,
/// with the same text and settings.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FeaturesArgs {
    /// Cased text, also as .gz, .zst or .xz
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArg,
    /// File for the names of features, which svmlight's format replaces by numbers
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
    #[command(flatten)]
    exchange: maxent::Exchange,
    /// Training protocol: text, batista, rei, susanto, asr, or asr:N with windows of N words
    #[arg(long, value_name = "PROTOCOL", default_value_t)]
    protocol: Protocol,
    /// Number of threads that count words: at most, and by default, the number of cores
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: Reading,
}

impl FeaturesArgs {
    fn run(&self) -> Result<()> {
        let corpora = folders::paths(&self.corpora, self.reading.format)?;
        files::check_inputs(&corpora)?;
        self.output.check_with(&self.dictionary, &corpora)?;
        let locale = super::measure::locale(None, self.reading.language())?;
        let mut corpus = Corpus::new(&corpora, self.reading.clone(), self.protocol, locale)?;
        corpus.hold()?;
        super::measure::tell_paragraphs(&corpus)?;
        let mut features = Publish::new(&self.output.path)?;
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

/// Writes the weights of a model in MegaM's format: a feature and its weight for each class
#[derive(Debug, clap::Args)]
pub struct WeightsArgs {
    /// Model, a folder or packed file; accurate and fast are the built-in ones of --lang
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Language of the built-in model
    #[arg(long, value_name = "LANG", default_value = "en", value_parser = crate::page::language)]
    lang: String,
    /// Names of features, as written by maxent features: a model holds only their hashes
    #[arg(long, value_name = "FILE")]
    dictionary: PathBuf,
    #[command(flatten)]
    output: OutputArg,
    /// Classes that the weights distinguish
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    target: Target,
}

impl WeightsArgs {
    fn run(&self) -> Result<()> {
        self.output.check(&[&self.model, &self.dictionary])?;
        let store = named::open(&self.model, &self.lang)?;
        let method = &store.manifest().method;
        if method != "maxent" {
            let problem = format!("method \"{method}\": only maxent models have such weights");
            return Err(Error::model(store.name(), problem));
        }
        let model = Maxent::load(store.as_ref())?;
        let (target, names) = (self.target, &self.dictionary);
        files::publish(&self.output.path, |out| maxent::write_weights(&model, target, names, out))
    }
}

/// Fits weights to a file in svmlight's format, all classes together, by L-BFGS as MegaM does, and
/// writes them in MegaM's format
///
/// For the labels -1 and +1 there is one weight per feature,
/// for +1; for the classes 0 to 3, one per class.
#[derive(Debug, clap::Args)]
pub struct FitArgs {
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    /// Input file: each line has a class (0 to 3, or -1 and +1) and ascending index:value pairs, as
    /// written by maxent features; - is standard input. No constant is added: for one, give
    /// each row an additional index
    #[arg(value_name = "FILE")]
    matrix: PathBuf,
    /// Names of its features; without them, weights are written for the numbers of features
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    fit: maxent::FitConfig,
}

impl FitArgs {
    fn run(&self) -> Result<()> {
        let inputs: Vec<&PathBuf> = [&self.matrix].into_iter().chain(&self.dictionary).collect();
        files::check_inputs(&inputs)?;
        self.output.check(&inputs)?;
        let matrix = files::open(&self.matrix)?.within(self.limits);
        let names = self.dictionary.as_deref();
        files::publish(&self.output.path, |out| maxent::fit(&self.fit, matrix, names, out))
    }
}
