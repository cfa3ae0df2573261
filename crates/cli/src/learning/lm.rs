//! `majuscule lm`: trains, applies, describes and converts n-gram language models.

use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::language::detect_stored;
use super::measure::{print, tell_paragraphs};
use super::spinner::Spinner;
use super::{OutputArg, publish, tell_notes};
use crate::force::ForceArg;
use crate::page::threads;
use crate::{folders, host};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{self, ByteSize, Encoding, Limits};
use majuscule_lm::vocab::SPECIAL;
use majuscule_lm::{NgramModel, NgramScorer, NgramState, ScoredSentence, WordId, arpa, binary, compact};
use majuscule_methods::hmm::{checked_language_model, language_model};
use majuscule_text::MarkSet;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::lm::interpolate::{Round, interpolate, shown, tune};
use majuscule_train::lm::kneser_ney::{self, JobStage, UnknownNgrams};
use majuscule_train::lm::prune::prune;
use majuscule_train::lm::score::{TextScore, score};
use majuscule_train::lm::spill::Memory;
use majuscule_train::lm::words::{KnownWords, SentenceVisitor, TrainingText, WordUnits, for_each};

/// N-gram language models of cased text
#[derive(Debug, Subcommand)]
pub enum LmAction {
    Train(Box<Train>),
    Count(Count),
    Merge(LmMergeArgs),
    Score(LmScoreArgs),
    Next(LmNextArgs),
    /// Prints the perplexity of a text under a model, for its words and sentence ends
    Perplexity(Query),
    Prune(Prune),
    Interpolate(Interpolate),
    Info(LmInfoArgs),
    Convert(Convert),
}

impl LmAction {
    /// Runs the subcommand.
    pub fn run(self) -> Result<()> {
        match self {
            Self::Train(mut args) => args.run(),
            Self::Count(mut args) => args.run(),
            Self::Merge(args) => args.run(),
            Self::Score(args) => args.run(),
            Self::Next(args) => args.run(),
            Self::Perplexity(query) => query.perplexity(),
            Self::Prune(args) => args.run(),
            Self::Interpolate(args) => args.run(),
            Self::Info(args) => args.run(),
            Self::Convert(args) => args.run(),
        }
    }
}

/// The options that define the words of a corpus.
#[derive(Debug, clap::Args)]
struct LmWordArgs {
    /// Protocol that defines the words, such as text (all words of each sentence, no punctuation) or
    /// batista (also without its first word)
    #[arg(long, value_name = "PROTOCOL", default_value_t, conflicts_with = "plain")]
    protocol: Protocol,
    /// Treat everything between white space as a word, as other toolkits do
    #[arg(long)]
    plain: bool,
    /// Treat punctuation marks as words too: commas, full stops and question marks, or those listed
    /// (.,?!:;-…); other marks count as the nearest of these
    #[arg(
        long,
        value_name = "MARKS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ".,?",
        conflicts_with = "plain"
    )]
    marks: Option<MarkSet>,
    #[command(flatten)]
    reading: Reading,
}

/// The encoding of input files.
#[derive(Debug, clap::Args)]
struct Encoded {
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    /// Encoding of texts, lists and ARPA files without a byte-order mark (one of UTF-8 or UTF-16
    /// takes precedence): windows-1252, koi8-r, shift_jis, gbk, ..., named as in the WHATWG standard
    /// (its koi8-u has ў and Ў at AE and BE); UTF-8 by default. The output is UTF-8
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
}

impl Encoded {
    /// Opens a model, and reports missing parts of its file.
    fn open(&self, path: &Path) -> Result<NgramModel> {
        with_notes(language_model(path, self.encoding.as_ref()))
    }

    /// Opens a model like [`Encoded::open`], and compares a binary file with its checksum.
    fn open_checked(&self, path: &Path) -> Result<NgramModel> {
        with_notes(checked_language_model(path, self.encoding.as_ref()))
    }

    fn text(&self, path: &Path) -> Result<String> {
        files::open(path)?.within(self.limits).decoded(self.encoding.clone(), None)?.0.text()
    }
}

/// Reports the missing parts of a model's file.
pub fn with_notes(model: Result<NgramModel>) -> Result<NgramModel> {
    model.inspect(|model| tell_notes(model.notes()))
}

impl LmWordArgs {
    /// The encoding of lists and models: the same as for the texts.
    fn encoded(&self) -> Encoded {
        Encoded { limits: self.reading.limits, encoding: self.reading.encoding.clone() }
    }

    fn corpus(&self, files: &[PathBuf]) -> Result<Corpus> {
        let locale = self.reading.language().parse()?;
        let files = folders::paths(files, self.reading.format)?;
        let corpus = host::watched(Corpus::new(&files, self.reading.clone(), self.protocol, locale)?);
        tell_paragraphs(&corpus)?;
        Ok(corpus)
    }

    fn tokens(&self) -> WordUnits {
        match self.marks {
            _ if self.plain => WordUnits::Given,
            Some(marks) => WordUnits::Marked(marks),
            None => WordUnits::Words,
        }
    }

    fn text(&self, files: &[PathBuf], threads: NonZeroUsize, memory: &Memory) -> Result<TrainingText> {
        TrainingText::read(&self.corpus(files)?, self.tokens(), threads, memory)
    }
}

const EXAMPLES: &str = "\
Examples:
  majuscule lm train --order 3 news.txt -o news.arpa
  majuscule lm train --order 5 --memory 2G --min-count 1,1,2 news.txt.gz -o news.lm
  majuscule lm count monday.txt -o monday.counts
  majuscule lm train --counts monday.counts tuesday.counts -o both.lm";

/// Trains an n-gram model, by default with interpolated modified Kneser-Ney smoothing
///
/// The file is in the ARPA format if its name ends in .arpa, and a compact binary otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Train {
    /// Cased text, also as .gz, .zst or .xz; - is standard input
    #[arg(required_unless_present = "counts", value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    /// Files of lm count, instead of text: the model is trained on all of them together
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["corpora", "protocol", "plain", "marks"])]
    counts: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    config: kneser_ney::KneserNeyConfig,
    /// Discounts for orders with too few counts to estimate them, as in a small corpus
    #[arg(
        long,
        value_name = "D1,D2,D3",
        value_delimiter = ',',
        num_args = 0..,
        require_equals = true,
        default_missing_value = "0.5,1,1.5"
    )]
    discount_fallback: Option<Vec<f64>>,
    /// Pruning as in lmplz: n-grams seen at most N times are
    /// dropped, so 0,4,4 equals --min-count 1,5,5
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "min_counts")]
    prune: Vec<u32>,
    /// Keep the N most frequent words, each with all its forms
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    vocabulary: Option<NonZeroUsize>,
    /// Keep the words of a list, one per line
    #[arg(long, value_name = "FILE", conflicts_with = "vocabulary")]
    vocabulary_list: Option<PathBuf>,
    /// Treatment of n-grams with out-of-vocabulary words
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    unknown: UnknownNgrams,
    #[command(flatten)]
    resources: Resources,
    #[command(flatten)]
    words: LmWordArgs,
}

/// The limits of a long job.
#[derive(Debug, clap::Args)]
struct Resources {
    /// Memory limit for counting and estimation, such as 2G or 500M; the rest goes to disk. The
    /// output does not depend on it. The limit does not cover the words, the input and output
    /// buffers and, except for .arpa, the model being written: about 12 bytes per n-gram of the
    /// highest order and 24 per other n-gram
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
    /// Folder for temporary files under --memory; by default the output's folder
    #[arg(long, value_name = "FOLDER")]
    temp: Option<PathBuf>,
    /// Number of threads that read the text: at most, and by default, the number of cores. The
    /// output does not depend on it
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    threads: Option<NonZeroUsize>,
}

impl Resources {
    fn memory(&self, output: &Path) -> Result<Memory> {
        if let Some(folder) = self.temp.as_ref().filter(|folder| !folder.is_dir()) {
            let folder = folder.display();
            return Err(Error::usage(format!("--temp {folder}: expected an existing folder")));
        }
        let folder =
            || self.temp.clone().unwrap_or_else(|| output.parent().unwrap_or(Path::new("")).to_owned());
        Ok(self.memory.map_or_else(Memory::unlimited, |ByteSize(bytes)| Memory::limited(bytes, folder())))
    }
}

impl Train {
    fn run(&mut self) -> Result<()> {
        let corpora = folders::paths(&self.corpora, self.words.reading.format)?;
        detect_stored(&mut self.words.reading, &corpora)?;
        let inputs: Vec<_> = corpora.iter().chain(&self.counts).chain(&self.vocabulary_list).collect();
        self.output.check(&inputs)?;
        let config = self.config()?;
        config.check()?;
        let output = &self.output.path;
        let memory = self.resources.memory(output)?;
        let progress = Spinner::new();
        let text = if self.counts.is_empty() {
            progress.say("reading the text".to_owned());
            self.words.text(&self.corpora, threads(self.resources.threads), &memory)?
        } else {
            TrainingText::open(&self.counts, &memory)?
        };
        if !is_arpa(output) {
            return write(&text.train(&config, &mut |stage| show(&progress, stage))?, output);
        }
        files::publish(output, |file| {
            let refused = |error| Error::io("write", output, error);
            text.write_arpa(&config, file, &refused, &mut |stage| show(&progress, stage))
        })
    }

    fn config(&self) -> Result<kneser_ney::KneserNeyConfig> {
        let fallback = self.discount_fallback.as_ref().map(|discounts| {
            let (count, expected) = (discounts.len(), "expected three, such as 0.5,1,1.5");
            let wrong = |_| Error::usage(format!("{count} fallback discounts: {expected}"));
            <[f64; 3]>::try_from(discounts.as_slice()).map_err(wrong)
        });
        let known = match (self.vocabulary, &self.vocabulary_list) {
            (Some(most), _) => KnownWords::Most(most),
            (None, Some(list)) => KnownWords::List(self.list(list)?),
            (None, None) => KnownWords::All,
        };
        let mut config = kneser_ney::KneserNeyConfig {
            fallback: fallback.transpose()?,
            known,
            unknown: self.unknown,
            tokens: self.words.tokens(),
            ..self.config.clone()
        };
        if !self.prune.is_empty() {
            config.min_counts = self.prune.iter().map(|count| count.saturating_add(1)).collect();
        }
        Ok(config)
    }

    fn list(&self, file: &Path) -> Result<Vec<String>> {
        let text = self.words.encoded().text(file)?;
        let words: Vec<String> =
            text.lines().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let problem = match words.iter().find(|word| word.contains(char::is_whitespace)) {
            _ if words.is_empty() => "has no words: expected one per line".to_owned(),
            Some(words) => format!("found \"{words}\", but one word per line is expected"),
            None => return Ok(words),
        };
        Err(Error::file(file.to_string_lossy(), problem))
    }
}

/// Counts the n-grams of a text into a file for lm train --counts and lm merge
///
/// A corpus can be counted in pieces, on many machines: a model trained
/// on the files of all pieces equals one trained on the whole corpus. All
/// words are kept; lm train can limit them, and can train lower orders.
#[derive(Debug, clap::Args)]
pub struct Count {
    /// Cased text, also as .gz, .zst or .xz; - is standard input
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArg,
    /// Length of the longest n-grams, from 1 to 7
    #[arg(long, value_name = "N", default_value_t = kneser_ney::KneserNeyConfig::default().order)]
    order: usize,
    #[command(flatten)]
    resources: Resources,
    #[command(flatten)]
    words: LmWordArgs,
}

impl Count {
    fn run(&mut self) -> Result<()> {
        let corpora = folders::paths(&self.corpora, self.words.reading.format)?;
        detect_stored(&mut self.words.reading, &corpora)?;
        self.output.check(&corpora)?;
        let memory = self.resources.memory(&self.output.path)?;
        let progress = Spinner::new();
        progress.say("reading the text".to_owned());
        let text = self.words.text(&self.corpora, threads(self.resources.threads), &memory)?;
        write_counts(text, self.order, &self.output.path, progress)
    }
}

/// Merges files of counts, as if their texts had been counted together
#[derive(Debug, clap::Args)]
pub struct LmMergeArgs {
    /// Files of lm count
    #[arg(required = true, value_name = "FILE")]
    counts: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArg,
    /// Length of the longest n-grams; by default the lowest among the files
    #[arg(long, value_name = "N")]
    order: Option<usize>,
    #[command(flatten)]
    resources: Resources,
}

impl LmMergeArgs {
    fn run(&self) -> Result<()> {
        self.output.check(&self.counts)?;
        let text = TrainingText::open(&self.counts, &self.resources.memory(&self.output.path)?)?;
        let order = self.order.or(text.order()).unwrap_or_default();
        write_counts(text, order, &self.output.path, Spinner::new())
    }
}

fn write_counts(text: TrainingText, order: usize, output: &Path, progress: Spinner) -> Result<()> {
    files::publish(output, |file| {
        let refused = |error| Error::io("write", output, error);
        text.write_counts(order, file, &refused, &mut |stage| show(&progress, stage))
    })
}

/// Shows the stage of a job, unless it is interrupted.
fn show(progress: &Spinner, stage: JobStage) -> Result<()> {
    host::interrupt().check()?;
    progress.say(match stage {
        JobStage::Counting(done, all) => {
            format!("counting, {} of {} million words", done / 1_000_000, all / 1_000_000)
        }
        JobStage::Order(order) => format!("counting {order}-grams"),
        JobStage::Estimating(order) => format!("estimating {order}-grams"),
    });
    Ok(())
}

/// A model, and the text to score.
#[derive(Debug, clap::Args)]
pub struct Query {
    /// Model, ARPA or binary
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Text, one sentence per line; standard input by default
    #[arg(value_name = "TEXT", default_value = "-")]
    texts: Vec<PathBuf>,
    #[command(flatten)]
    words: LmWordArgs,
}

impl Query {
    /// Scores the sentences and passes each to `end`, in order.
    fn score(&self, mut end: impl FnMut(&ScoredSentence) -> io::Result<()>) -> Result<Corpus> {
        let model = self.words.encoded().open(&self.model)?;
        let corpus = self.words.corpus(&self.texts)?;
        score(&model, &corpus, self.words.tokens(), |sentence| {
            end(sentence).map_err(|error| Error::io("write", "standard output", error))
        })?;
        Ok(corpus)
    }
}

/// Prints the log10 probability of each sentence, and its number of unknown words
///
/// With --words, prints a line for each word and each sentence end (</s>), in columns separated by tabs:
/// the word, log10 of its probability, and the order of the n-gram that gave it. A lower order than the
/// model's means that the model backed off; 0 is a word outside the vocabulary. An empty line ends a sentence.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule lm score news.lm talk.txt
  majuscule lm score --words news.lm talk.txt")]
pub struct LmScoreArgs {
    #[command(flatten)]
    question: Query,
    /// Print each word with log10 of its probability and the order of its n-gram
    #[arg(long)]
    words: bool,
}

impl LmScoreArgs {
    fn run(&self) -> Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, host::stdout());
        let Query { model, texts, words } = &self.question;
        if self.words {
            let model = words.encoded().open(model)?;
            let (scorer, lines) = (model.scorer(), "word\tlog10 p\torder\n".to_owned());
            let mut visitor =
                WordScores { model: &model, scorer, state: scorer.start(), lines, out: &mut out };
            for_each(&words.corpus(texts)?, words.tokens(), &mut visitor)?;
        } else {
            self.question.score(|sentence| {
                writeln!(out, "Total: {} OOV: {}", sentence.log10 as f32, sentence.unknown)
            })?;
        }
        out.flush().map_err(|error| Error::io("write", "standard output", error))
    }
}

/// Prints each word with its score, one sentence at a time.
struct WordScores<'a> {
    model: &'a NgramModel,
    scorer: NgramScorer<'a>,
    /// The state after the words of the sentence so far.
    state: NgramState,
    /// The lines of the sentence so far.
    lines: String,
    out: &'a mut dyn Write,
}

impl WordScores<'_> {
    fn push(&mut self, word: &str, id: WordId) {
        let (scored, history) = self.scorer.step_after(self.state, id);
        let order = if id == WordId::UNKNOWN { 0 } else { 1 + self.model.history_len(history) };
        self.lines.push_str(&format!("{word}\t{:.4}\t{order}\n", scored.log10));
        self.state = scored.state;
    }
}

impl SentenceVisitor for WordScores<'_> {
    fn word(&mut self, word: &str) {
        self.push(word, self.model.vocabulary().id(word));
    }

    fn end(&mut self) -> Result<()> {
        self.push(SPECIAL[2], WordId::END);
        self.state = self.scorer.start();
        writeln!(self.out, "{}", self.lines).map_err(|error| Error::io("write", "standard output", error))?;
        self.lines.clear();
        Ok(())
    }
}

/// Prints the most probable next words after some words
///
/// The words begin a sentence, and are written as in the training text. Columns, separated by tabs: the word, or
/// </s> for the end of the sentence; its probability in percent; log10 of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule lm next news.lm \"We met Angela\"
  majuscule lm next news.lm \"We met Angela\" --count 3")]
pub struct LmNextArgs {
    /// Model, ARPA or binary
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// First words of a sentence; none for its beginning
    #[arg(value_name = "WORDS", default_value = "")]
    words: String,
    /// Number of words to print
    #[arg(long, value_name = "N", default_value = "10", value_parser = crate::page::number)]
    count: NonZeroUsize,
    #[command(flatten)]
    encoded: Encoded,
}

impl LmNextArgs {
    fn run(&self) -> Result<()> {
        let model = self.encoded.open(&self.model)?;
        let scorer = model.scorer();
        let mut state = scorer.start();
        for word in self.words.split_whitespace() {
            let id = model.vocabulary().id(word);
            if id == WordId::UNKNOWN {
                tell!("{}", unknown_word(&model, word));
            }
            state = scorer.step(state, id).state;
        }
        let mut page = "word\tp %\tlog10 p\n".to_owned();
        for (word, log10) in model.next_words(state, self.count.get()) {
            page.push_str(&format!("{word}\t{:.2}\t{log10:.4}\n", 100.0 * 10f64.powf(f64::from(log10))));
        }
        print(&page)
    }
}

/// Formats a note on a word outside the vocabulary, with other forms of the word that are in the vocabulary.
fn unknown_word(model: &NgramModel, word: &str) -> String {
    let words = (0..model.vocabulary().len() as u32).map(|id| model.vocabulary().word(WordId(id)));
    let lower = word.to_lowercase();
    let forms: Vec<&str> = words.filter(|form| form.to_lowercase() == lower).collect();
    match forms[..] {
        [] => format!("\"{word}\" is not in the vocabulary"),
        _ => format!("\"{word}\" is not in the vocabulary, but {} is", forms.join(", ")),
    }
}

impl Query {
    /// Prints the perplexity of the text.
    fn perplexity(&self) -> Result<()> {
        let mut score = TextScore::default();
        let corpus = self.score(|sentence| {
            score.add(sentence);
            Ok(())
        })?;
        let (Some(perplexity), Some(known)) = (score.perplexity(), score.known_perplexity()) else {
            return Err(Error::file(corpus.name(), "has no words: expected text, one sentence per line"));
        };
        let TextScore { sentences, sum } = score;
        print(&format!(
            "sentences                    {sentences}\nwords                        {}\nnot in the vocabulary        {}\n\
             log10 probability            {:.4}\nperplexity                   {perplexity:.4}\nwithout unknown words        {known:.4}\n",
            sum.words, sum.unknown, sum.log10,
        ))
    }
}

/// Removes n-grams that the model can do without (Stolcke 1998)
#[derive(Debug, clap::Args)]
pub struct Prune {
    /// Model, ARPA or binary
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// File to write: ARPA if its name ends in .arpa, binary otherwise
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArg,
    /// Remove an n-gram if perplexity rises by less than this fraction without it
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-8, allow_negative_numbers = true)]
    threshold: f64,
    #[command(flatten)]
    encoded: Encoded,
}

impl Prune {
    fn run(&self) -> Result<()> {
        self.force.check(&self.output, std::slice::from_ref(&self.model))?;
        write(&prune(&self.encoded.open_checked(&self.model)?, self.threshold)?, &self.output)
    }
}

/// Mixes models into one: the weighted sum of their probabilities (like SRILM's ngram -mix-lm)
#[derive(Debug, clap::Args)]
pub struct Interpolate {
    /// Models, ARPA or binary
    #[arg(required = true, num_args = 2.., value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// File to write: ARPA if its name ends in .arpa, binary otherwise
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArg,
    /// Weights of the models, from 0 to 1; the last one may be left out. Equal weights if neither
    /// this nor --tune is given
    #[arg(long, value_name = "W,…", value_delimiter = ',', allow_negative_numbers = true)]
    weight: Vec<f64>,
    /// Tune the weights to maximise the probability of this held-out text; each round is reported
    #[arg(long, value_name = "TEXT", conflicts_with = "weight")]
    tune: Vec<PathBuf>,
    #[command(flatten)]
    words: LmWordArgs,
}

impl Interpolate {
    fn run(&self) -> Result<()> {
        let inputs: Vec<PathBuf> = self.models.iter().chain(&self.tune).cloned().collect();
        files::check_inputs(&inputs)?;
        self.force.check(&self.output, &inputs)?;
        let open = |model: &PathBuf| self.words.encoded().open_checked(model);
        let models = self.models.iter().map(open).collect::<Result<Vec<_>>>()?;
        let models: Vec<&NgramModel> = models.iter().collect();
        write(&interpolate(&models, &self.weights(&models)?)?, &self.output)
    }

    fn weights(&self, models: &[&NgramModel]) -> Result<Vec<f64>> {
        if !self.tune.is_empty() {
            let corpus = self.words.corpus(&self.tune)?;
            let weights =
                tune(models, &corpus, self.words.tokens(), &mut |Round { number, weights, perplexity }| {
                    tell!("round {number}: weights {}, perplexity {perplexity:.4}", shown(weights));
                })?;
            tell!("weights {}", shown(&weights));
            return Ok(weights);
        }
        let mut weights = self.weight.clone();
        if weights.is_empty() {
            weights = vec![1.0 / models.len() as f64; models.len()];
        } else if weights.len() + 1 == models.len() {
            weights.push(1.0 - weights.iter().sum::<f64>());
        }
        Ok(weights)
    }
}

/// Prints the order of a model and its number of n-grams
#[derive(Debug, clap::Args)]
pub struct LmInfoArgs {
    /// Model, ARPA or binary
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Also verify the checksum of a binary file, which takes time
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    encoded: Encoded,
}

impl LmInfoArgs {
    fn run(&self) -> Result<()> {
        let model = self.encoded.open(&self.model)?;
        if self.check {
            model.check()?;
        }
        let mut page = format!("order    {}\n", model.order());
        for (order, count) in (1..).zip(model.counts()) {
            page.push_str(&format!("{order}-grams  {count}\n"));
        }
        print(&page)
    }
}

/// Converts a model: ARPA if the name ends in .arpa, binary otherwise
#[derive(Debug, clap::Args)]
pub struct Convert {
    /// Model, ARPA or binary
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    output: OutputArg,
    /// Write a binary of about four bytes per n-gram, whose values are rounded to 256 levels
    #[arg(long)]
    compact: bool,
    #[command(flatten)]
    encoded: Encoded,
}

impl Convert {
    fn run(&self) -> Result<()> {
        self.output.check(std::slice::from_ref(&self.model))?;
        let output = &self.output.path;
        if self.compact && is_arpa(output) {
            let (compact, name) = (option("compact"), output.display());
            let problem = format!("{compact} writes a binary file, not ARPA: give {name} another extension");
            return Err(Error::usage(problem));
        }
        let model = self.encoded.open_checked(&self.model)?;
        match self.compact {
            true => publish(output, |file| compact::write(&model, file)),
            false => write(&model, output),
        }
    }
}

fn is_arpa(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "arpa")
}

fn write(model: &NgramModel, path: &Path) -> Result<()> {
    publish(path, |file| if is_arpa(path) { arpa::write(model, file) } else { binary::write(model, file) })
}
