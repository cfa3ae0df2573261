//! `majuscule tagger`: trains taggers of parts of speech on treebanks, measures them, and lists words by
//! their part of speech.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Subcommand;

use super::measure::locale;
use super::{OptionalOutputArg, publish};
use crate::force::ForceArg;
use crate::page::{number, print, threads};
use majuscule_arguments::by_name;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Limits};
use majuscule_methods::maxent::tagger::{TaggedWords, Tagger};
use majuscule_methods::model;
use majuscule_train::corpus::treebank::{TaggedKind, Treebank};
use majuscule_train::methods::maxent::{TagAccuracy, TaggerConfig, tag_accuracy, train_tagger};

/// Parts of speech: taggers for train maxent --tagger, and words for its --list
#[derive(Debug, Subcommand)]
pub enum TaggerAction {
    Train(TaggerTrainArgs),
    Evaluate(TaggerEvaluateArgs),
    Words(TaggerWordsArgs),
}

impl TaggerAction {
    /// Runs the subcommand.
    pub fn run(self) -> Result<()> {
        match self {
            Self::Train(args) => args.run(),
            Self::Evaluate(args) => args.run(),
            Self::Words(args) => args.run(),
        }
    }
}

/// Trains a tagger of parts of speech on treebanks in CoNLL-U
///
/// It sees words as a truecaser does, in lower case and without punctuation, and learns from each
/// sentence by itself and from running text. Its parts of speech are the values of the column UPOS.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule tagger train en_ewt-ud-train.conllu -o en.tagger
  majuscule tagger evaluate en.tagger en_ewt-ud-test.conllu
  majuscule train maxent --tagger en.tagger news.txt -o my-model")]
pub struct TaggerTrainArgs {
    #[command(flatten)]
    reading: TreebankArgs,
    /// File for the tagger
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArg,
    /// Number of threads: at most, and by default, the number of cores. The tagger does not depend on
    /// it
    #[arg(long, value_name = "N", value_parser = number)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    config: TaggerConfig,
}

impl TaggerTrainArgs {
    fn run(self) -> Result<()> {
        files::check_inputs(&self.reading.treebanks)?;
        self.force.check(&self.output, &self.reading.treebanks)?;
        let treebank = self.reading.read()?;
        let names = self.reading.treebanks.iter().map(|file| files::name(file)).collect();
        let threads = threads(self.threads);
        let draft = train_tagger(&self.config, &treebank, &self.reading.language, names, threads)?;
        publish(&self.output, |file| file.write_all(&draft.pack()))
    }
}

/// Prints the accuracy of a tagger on treebanks: of all words, and of those it was not trained on
///
/// Each sentence is tagged by itself, and again as part of running text that does not show where
/// sentences end.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule tagger evaluate en.tagger en_ewt-ud-test.conllu
  majuscule tagger evaluate en.tagger en_ewt-ud-test.conllu --json")]
pub struct TaggerEvaluateArgs {
    /// Tagger, from tagger train
    #[arg(value_name = "TAGGER")]
    tagger: PathBuf,
    #[command(flatten)]
    reading: TreebankArgs,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

impl TaggerEvaluateArgs {
    fn run(self) -> Result<()> {
        let store = model::open(&self.tagger)?;
        let (tagger, known) = (Tagger::open(&*store)?, TaggedWords::load(&*store)?);
        files::check_inputs(&self.reading.treebanks)?;
        let treebank = self.reading.read()?;
        let sentences = tag_accuracy(tagger.clone(), &known, &treebank.alone())?;
        let running = tag_accuracy(tagger, &known, &treebank.running())?;
        if self.json {
            let both = serde_json::json!({ "sentences": sentences, "running": running });
            return print(&format!("{both:#}\n"));
        }
        let header = format!("{:<14} {:>9} {:>9} {:>9} {:>9}", "", "words", "accuracy", "unseen", "accuracy");
        print(&format!("{header}\n{}\n{}\n", line("sentences", sentences), line("running text", running)))
    }
}

fn line(name: &str, TagAccuracy { words, right, unseen, unseen_right }: TagAccuracy) -> String {
    let fraction = |right: u64, all: u64| match all {
        0 => "-".to_owned(),
        _ => format!("{:.2} %", 100.0 * right as f64 / all as f64),
    };
    let (all, new) = (fraction(right, words), fraction(unseen_right, unseen));
    format!("{name:<14} {words:>9} {all:>9} {unseen:>9} {new:>9}")
}

/// Lists the words of treebanks that are always of one kind and always spelled alike
///
/// The list is for train maxent --list, one entry per line. Words that only begin sentences are left
/// out, since their capital is weak evidence. Without --kind, nouns and abbreviations are listed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule tagger words en_ewt-ud-train.conllu -o nouns.txt
  majuscule tagger words en_ewt-ud-train.conllu --kind names --min-count 2 -o names.txt
  majuscule train maxent --list names.txt news.txt -o my-model")]
pub struct TaggerWordsArgs {
    #[command(flatten)]
    reading: TreebankArgs,
    /// Kinds of words to list
    #[arg(long = "kind", value_parser = by_name::<TaggedKind>(), value_name = "KIND,…", value_delimiter = ',',
          default_value = "nouns,abbreviations")]
    kinds: Vec<TaggedKind>,
    /// Leave out words that occur less often
    #[arg(long, value_name = "N", default_value = "1", value_parser = number)]
    min_count: NonZeroUsize,
    #[command(flatten)]
    output: OptionalOutputArg,
}

impl TaggerWordsArgs {
    fn run(self) -> Result<()> {
        self.output.check(&self.reading.treebanks)?;
        let words = self.reading.read()?.unambiguous(&self.kinds, self.min_count.get());
        if words.is_empty() {
            let problem = "no word belongs to these kinds everywhere and has a single spelling inside sentences: give a larger \
                           treebank, or another --kind";
            return Err(Error::file(self.reading.treebanks[0].to_string_lossy(), problem));
        }
        self.output.write(|out| words.iter().try_for_each(|word| writeln!(out, "{word}")))
    }
}

/// The treebanks of a command.
#[derive(Debug, clap::Args)]
struct TreebankArgs {
    /// Treebanks in CoNLL-U, also as .gz, .zst or .xz; - is standard input
    #[arg(required = true, value_name = "TREEBANK")]
    treebanks: Vec<PathBuf>,
    /// Language of the treebanks, such as en, tr or pt-BR; it determines the case mappings
    #[arg(long = "lang", value_name = "LANG", default_value = "en")]
    language: String,
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
}

impl TreebankArgs {
    fn read(&self) -> Result<Treebank> {
        let locale = locale(None, &self.language)?;
        let mut treebank = Treebank::default();
        for file in &self.treebanks {
            treebank.add(files::open(file)?.within(self.limits), locale, &self.language)?;
        }
        Ok(treebank)
    }
}
