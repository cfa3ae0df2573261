//! `majuscule corpus`: statistics, overlap, splitting and shuffling of corpora.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use clap::Subcommand;

use super::measure;
use crate::folders;
use crate::page::print;
use majuscule_base::error::Error;
use majuscule_base::files;
use majuscule_text::Locale;
use majuscule_train::corpus::overlap::{self, Overlap, SharedNgram};
use majuscule_train::corpus::shuffle;
use majuscule_train::corpus::split::{self, PARTS};
use majuscule_train::corpus::stats::{CorpusStats, WordStats};
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::eval::table::percent;

/// Describes, compares, splits and shuffles corpora
#[derive(Debug, Subcommand)]
pub enum CorpusAction {
    /// Counts sentences, words and tags under a protocol, and
    /// the fraction of words not in lower case
    Stats(StatsArgs),
    /// Finds the n-grams of a test text that also occur in a
    /// training text, ignoring case and punctuation
    Overlap(OverlapArgs),
    /// Splits corpora into train, dev and test, reproducibly for the same seed
    Split(SplitArgs),
    /// Prints the sentences, one per line, in random order; all are held in memory
    Shuffle(ShuffleArgs),
}

#[derive(Debug, clap::Args)]
pub struct StatsArgs {
    /// Corpora; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Protocol under which to count: text, batista, rei, susanto, asr or asr:WORDS
    #[arg(long, default_value_t)]
    protocol: Protocol,
    /// Language whose case mappings are used, such as tr or nl; by default the one in --lang
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    #[command(flatten)]
    reading: Reading,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct OverlapArgs {
    /// Training texts, which are read once and not held in memory,
    /// followed by the test text, unless --test names it
    #[arg(required = true, value_names = ["TRAIN", "TEST"], num_args = 1..)]
    files: Vec<PathBuf>,
    /// Test text of several files; all other files are then training text
    #[arg(long, value_name = "FILE", num_args = 1..)]
    test: Vec<PathBuf>,
    /// Number of words in an n-gram
    #[arg(long, value_name = "N", value_parser = crate::page::number, default_value = "8")]
    order: NonZeroUsize,
    /// Number of n-grams to list, the most frequent in the test text first
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Language whose case mappings are used, such as tr or nl; by default the one in --lang
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    #[command(flatten)]
    reading: Reading,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct SplitArgs {
    /// Corpora
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the parts: train/NAME, dev/NAME and test/NAME for each file, and split.json
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Replace the folder of an earlier split
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    config: split::SplitConfig,
    #[command(flatten)]
    reading: Reading,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct ShuffleArgs {
    /// Corpora; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    config: shuffle::ShuffleConfig,
    #[command(flatten)]
    reading: Reading,
}

impl CorpusAction {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// If the files cannot be read or the parts cannot be written.
    pub fn run(self) -> anyhow::Result<()> {
        let answer = match self {
            Self::Stats(args) => stats(args)?,
            Self::Overlap(args) => overlap(args)?,
            Self::Split(args) => split(args)?,
            Self::Shuffle(args) => shuffle(args)?,
        };
        Ok(print(&answer)?)
    }
}

fn stats(args: StatsArgs) -> anyhow::Result<String> {
    let locale = measure::locale(args.locale, args.reading.language())?;
    let files = folders::paths(&args.files, args.reading.format)?;
    let corpus = Corpus::new(&files, args.reading, args.protocol, locale)?;
    measure::tell_paragraphs(&corpus)?;
    let threads = thread::available_parallelism()?;
    let parts = corpus.map_reduce(threads, CorpusStats::default, |stats, example| {
        stats.add(example);
        Ok(())
    })?;
    let mut stats = CorpusStats::default();
    parts.iter().for_each(|part| stats.merge(part));
    if args.json {
        let mut object = serde_json::to_value(&stats)?;
        object["protocol"] = args.protocol.to_string().into();
        object["all"]["not_l_percent"] = stats.all.tags.not_l().into();
        object["scored"]["not_l_percent"] = stats.scored.tags.not_l().into();
        return Ok(format!("{object}\n"));
    }
    let mut text = format!("protocol   {}\nsentences  {}\n\n", args.protocol, stats.sentences);
    let mut row = |name: &str, all: &str, scored: &str| text += &format!("{name:<9}{all:>13}{scored:>13}\n");
    row("", "all words", "scored");
    let counts = |words: &WordStats| [words.tokens, words.tags.l, words.mixed, words.tags.u, words.tags.t];
    let columns = counts(&stats.all).into_iter().zip(counts(&stats.scored));
    for (name, (all, scored)) in ["tokens", "L", "  mixed", "U", "T"].into_iter().zip(columns) {
        row(name, &all.to_string(), &scored.to_string());
    }
    let not_l = |words: &WordStats| {
        words.tags.not_l().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2} %"))
    };
    row("(T+U)/L", &not_l(&stats.all), &not_l(&stats.scored));
    Ok(text)
}

fn overlap(args: OverlapArgs) -> anyhow::Result<String> {
    let (mut train, mut test) = (args.files, args.test);
    if test.is_empty() {
        test.extend(train.pop());
    }
    if train.is_empty() {
        return Err(
            Error::usage("only one file is named: expected the training text, then the test text").into()
        );
    }
    let [train, test] = [train, test].map(|files| folders::paths(&files, args.reading.format));
    let (train, test) = (train?, test?);
    files::check_inputs(&[&*train, &*test].concat())?;
    let locale = measure::locale(args.locale, args.reading.language())?;
    let corpus = |files: &[PathBuf]| Corpus::new(files, args.reading.clone(), Protocol::default(), locale);
    let threads = thread::available_parallelism()?;
    let [train, test] = [corpus(&train)?, corpus(&test)?];
    let mut found = overlap::overlap(&train, &test, args.order, threads)?;
    found.shared.truncate(args.top);
    if args.json {
        return Ok(serde_json::to_string(&found)? + "\n");
    }
    let fraction = |part: u64, whole: u64| percent((whole > 0).then(|| part as f64 / whole as f64));
    let Overlap { order, sentences, shared_sentences, ngrams, shared_ngrams, shared, .. } = found;
    let mut text = format!(
        "{shared_ngrams} of {ngrams} {order}-grams of {} occur in {} ({} %)\n{shared_sentences} of {sentences} sentences of {order} \
         words or more have one ({} %)\n",
        test.name(),
        train.name(),
        fraction(shared_ngrams, ngrams),
        fraction(shared_sentences, sentences)
    );
    if !shared.is_empty() {
        text.push('\n');
    }
    for SharedNgram { ngram, count } in shared {
        text += &format!("{count}\t{ngram}\n");
    }
    Ok(text)
}

fn shuffle(args: ShuffleArgs) -> anyhow::Result<String> {
    let locale = measure::locale(None, args.reading.language())?;
    let files = folders::paths(&args.files, args.reading.format)?;
    let corpus = Corpus::new(&files, args.reading, Protocol::default(), locale)?;
    let shuffled = shuffle::shuffle(&corpus, args.config)?;
    if args.config.drop_shouted {
        tell!("{} of {} sentences are all in capitals and left out", shuffled.shouted, shuffled.read);
    }
    Ok(shuffled.text)
}

fn split(args: SplitArgs) -> anyhow::Result<String> {
    let files = folders::paths(&args.files, args.reading.format)?;
    files::check_output(&args.output, &files)?;
    let report = split::split(&files, &args.reading, &args.config, &args.output, args.force)?;
    if args.json {
        return Ok(serde_json::to_string(&report)? + "\n");
    }
    let mut text = String::new();
    for (part, sentences) in PARTS.iter().zip(report.sentences) {
        text += &format!("{part:<6} {sentences} sentences\n");
    }
    for shared in report.shared.iter().filter(|shared| shared.sentences > 0) {
        text +=
            &format!("{} sentences of {} also occur in {}\n", shared.sentences, shared.part, shared.also_in);
    }
    Ok(text)
}
