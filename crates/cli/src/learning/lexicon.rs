//! `majuscule lexicon`: builds, merges, shows and exports lexicons of words and their forms.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};

use super::language::detect_stored;
use super::measure::{locale, tell_paragraphs};
use super::{OptionalOutputArg, tell_notes};
use crate::page::{number, print_with, threads};
use crate::{folders, host};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Limits};
use majuscule_text::tokens::lower_word;
use majuscule_train::corpus::{self, Corpus, Protocol};
use majuscule_train::lexicon::build::{build, build_of_running_text, check_cased};
use majuscule_train::lexicon::read::{LexiconFormat, LexiconReadConfig, read_as, source_name};
use majuscule_train::lexicon::{
    Date, FormFilter, Lexicon, LexiconEntry, LexiconSource, VocabularyLimits, json, list, map, moses, tsv,
};

/// Lexicons: words and the forms they occurred in
#[derive(Debug, Subcommand)]
pub enum LexiconAction {
    Build(LexiconBuildArgs),
    Merge(LexiconMergeArgs),
    Show(LexiconShowArgs),
    Export(Export),
    Words(LexiconWordsArgs),
}

impl LexiconAction {
    /// Runs the subcommand.
    pub fn run(self) -> Result<()> {
        match self {
            Self::Build(args) => args.run(),
            Self::Merge(args) => args.run(),
            Self::Show(args) => args.run(),
            Self::Export(args) => args.run(),
            Self::Words(args) => args.run(),
        }
    }
}

/// Counts the forms of every word in corpora of cased text
///
/// Every file is a source, named in the lexicon. Sentence-initial words, whose capital is weak evidence,
/// are counted separately.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule lexicon build --lang en news.txt speeches.txt.gz -o news.tsv
  majuscule lexicon build --lang pt --split --min-count 3 livro.txt | less")]
pub struct LexiconBuildArgs {
    /// Corpora, also as .gz, .zst or .xz; - is standard input
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    /// Count a part of a corpus, which may have no capitals: merge --parts adds the parts up
    #[arg(long)]
    part: bool,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    limits: VocabularyLimits,
    #[command(flatten)]
    output: OptionalOutputArg,
}

impl LexiconBuildArgs {
    fn run(mut self) -> Result<()> {
        let corpora = self.counting.prepare(&self.corpora, &self.output)?;
        let lexicon = self.counting.count_by(&corpora, build)?;
        if !self.part {
            check_cased(&lexicon, &shown_names(&corpora))?;
        }
        let lexicon = lexicon.limit(self.limits);
        self.output.write(|out| tsv::write(&lexicon, out))
    }
}

/// Lists the spellings of documents that are safe for restore --words
///
/// These are the names, acronyms and words in mixed case that the documents hardly ever write
/// otherwise, seen at least twice inside sentences. Headings and lines in capitals do not
/// count, lines are split into sentences, and words in lower case are not listed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule lexicon words documents/ -o my.words
  majuscule restore --words my.words talk.txt")]
pub struct LexiconWordsArgs {
    /// Documents in their true case, also as .gz, .zst or .xz, and folders of them; - is standard
    /// input
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    limits: VocabularyLimits,
    #[command(flatten)]
    output: OptionalOutputArg,
}

impl LexiconWordsArgs {
    fn run(mut self) -> Result<()> {
        let corpora = self.counting.prepare(&self.corpora, &self.output)?;
        self.counting.reading.split = true;
        let lexicon = self.counting.count_by(&corpora, build_of_running_text)?;
        check_cased(&lexicon, &shown_names(&corpora))?;
        let certain = lexicon.limit(self.limits).keep(FormFilter::Certain);
        if certain.is_empty() {
            let problem = "no word occurs at least twice inside sentences with the same capitals and rarely without them: \
                           give more text in its true case";
            return Err(Error::file(shown_names(&self.corpora), problem));
        }
        self.output.write(|out| list::write(&certain, out))
    }
}

/// The options for counting corpora.
#[derive(Debug, clap::Args)]
struct CountingArgs {
    /// Protocol under which to count, such as text, rei or batista
    #[arg(long, default_value = "text", value_name = "NAME")]
    protocol: Protocol,
    /// Number of threads: at most, and by default, the number of cores
    #[arg(long, value_name = "N", value_parser = number)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: corpus::Reading,
}

impl CountingArgs {
    /// Returns the corpora of files and folders. Before any work is done, it checks the output and
    /// detects and checks the language, so that errors come early.
    fn prepare(&mut self, files: &[PathBuf], output: &OptionalOutputArg) -> Result<Vec<PathBuf>> {
        let corpora = folders::paths(files, self.reading.format)?;
        output.check(&corpora)?;
        detect_stored(&mut self.reading, &corpora)?;
        locale(None, self.reading.language())?;
        Ok(corpora)
    }

    /// Counts the words of corpora, from which case cannot always be learned.
    fn count_by(
        &self,
        corpora: &[PathBuf],
        build: impl Fn(&Corpus, &str, NonZeroUsize) -> Result<Lexicon>,
    ) -> Result<Lexicon> {
        let language = self.reading.language();
        let reading = corpus::Reading { language: Some(language.to_owned()), ..self.reading.clone() };
        let locale = Lexicon::new(language)?.locale();
        let threads = threads(self.threads);
        let all = merged(corpora, |file, _| {
            let corpus = host::watched(Corpus::new(&[file], reading.clone(), self.protocol, locale)?);
            tell_paragraphs(&corpus)?;
            build(&corpus, &source_name(&file.to_string_lossy()), threads)
        })?;
        all.with_language(language)
    }
}

/// Returns the names of files, for an error.
fn shown_names(files: &[PathBuf]) -> String {
    let names: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    names.join(", ")
}

/// Merges the lexicons of files; `read` receives each file with the merged lexicon of the earlier files.
fn merged(
    files: &[PathBuf],
    mut read: impl FnMut(&Path, Option<&Lexicon>) -> Result<Lexicon>,
) -> Result<Lexicon> {
    let (first, rest) = files.split_first().expect("clap asks for a file");
    let first = read(first, None)?;
    rest.iter().try_fold(first, |all, file| all.merge(&read(file, Some(&all))?))
}

/// Merges lexicons, word lists and Moses models into one
///
/// Counts are added, and every form keeps the names of its sources. An entry of a word list counts as one
/// occurrence. A file that declares no language has the language of the previous file.
///
/// With --date, the first file is the old lexicon, whose counts are multiplied by the decay before the
/// counts of the other files are added, so that new words and spellings win without retraining. The
/// lexicon records every update.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule lexicon merge news.tsv lexicons/places.txt -o all.tsv
  majuscule lexicon merge news.tsv today.tsv --date 2026-11-20 --decay 0.5 -o news.new.tsv")]
pub struct LexiconMergeArgs {
    /// Files to merge; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The files are parts of one corpus, from build --part: fail if case cannot be learned from them all
    #[arg(long)]
    parts: bool,
    /// Date of the new text, year-month-day: the first file is an older lexicon, which decays
    #[arg(long, value_name = "DATE")]
    date: Option<Date>,
    /// Factor for old counts, from 0 (forget all) to 1 (forget nothing)
    #[arg(long, default_value_t = 0.5, value_name = "NUMBER", requires = "date")]
    decay: f64,
    #[command(flatten)]
    reading: LexiconReadingArgs,
    #[command(flatten)]
    limits: VocabularyLimits,
    #[command(flatten)]
    output: OptionalOutputArg,
}

impl LexiconMergeArgs {
    fn run(self) -> Result<()> {
        self.output.check(&self.files)?;
        let read = |file: &Path, before: Option<&Lexicon>| {
            Ok(self.reading.read(file, before.map(|lexicon| lexicon.language().to_owned()))?.0)
        };
        let merged = match (self.date, &self.files[..]) {
            (None, files) => merged(files, read)?,
            (Some(date), [old, new @ ..]) if !new.is_empty() => {
                let old = read(old, None)?;
                let new = merged(new, |file, before| read(file, before.or(Some(&old))))?;
                old.update(&new, self.decay, date)?
            }
            _ => {
                return Err(Error::usage(
                    "--date is the date of new text: name its lexicon after the old one",
                ));
            }
        };
        if self.parts {
            check_cased(&merged, &shown_names(&self.files))?;
        }
        let merged = merged.limit(self.limits);
        self.output.write(|out| tsv::write(&merged, out))
    }
}

/// Prints every form of a word with its counts, share and sources; > marks the most frequent one
///
/// The share is relative to the occurrences inside sentences, or to all occurrences if there are none
/// inside. Exits with 1 if a word is missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule lexicon show news.tsv lisbon us
  majuscule lexicon show news.tsv 'ess*' '*burg'")]
pub struct LexiconShowArgs {
    /// Lexicon; - is standard input
    #[arg(value_name = "LEXICON")]
    file: PathBuf,
    /// Words, in any case; * stands for any letters
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    #[command(flatten)]
    reading: LexiconReadingArgs,
}

impl LexiconShowArgs {
    fn run(self) -> Result<()> {
        let (lexicon, format) = self.reading.read(&self.file, None)?;
        let mut missing = Vec::new();
        let mut found = Vec::new();
        for word in &self.words {
            let mut key = String::new();
            lower_word(word, lexicon.locale(), &mut key);
            let before = found.len();
            match key.contains('*') {
                true => found.extend(lexicon.iter().filter(|entry| matches(&key, entry.word))),
                false => found.extend(lexicon.get(&key)),
            }
            if found.len() == before {
                missing.push(word.as_str());
            }
        }
        print_with(|out| found.iter().try_for_each(|entry| print_entry(&lexicon, entry, out)))?;
        if missing.is_empty() {
            return Ok(());
        }
        let mut problem =
            format!("found no word \"{}\" among its {} words", missing.join("\", \""), lexicon.len());
        if format == LexiconFormat::List && self.reading.from.is_none() {
            problem += "; it was read as a word list with one entry per line: lexicon build makes a lexicon from a text";
        }
        Err(Error::file(self.file.to_string_lossy(), problem))
    }
}

/// Returns true if a word matches a pattern, in which `*` stands for any letters.
fn matches(pattern: &str, word: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| word.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn print_entry(lexicon: &Lexicon, entry: &LexiconEntry<'_>, out: &mut dyn Write) -> io::Result<()> {
    let majority = entry.majority();
    let total: f64 = entry.forms.iter().map(|form| entry.weight(form)).sum();
    writeln!(out, "  {:<24} {:>12} {:>12} {:>8}  sources", entry.word, "occurrences", "initial", "share %")?;
    if entry.forms.iter().all(|form| form.case != majority) {
        let form = majority.applied(entry.word, lexicon.locale());
        writeln!(
            out,
            "> {form:<24} {0:>12} {0:>12} {1:>8}  (seen only at the beginning of a sentence)",
            0, "-"
        )?;
    }
    for form in entry.forms {
        let mark = if form.case == majority { '>' } else { ' ' };
        let spelling = form.case.applied(entry.word, lexicon.locale());
        let share =
            if total > 0.0 { format!("{:.2}", 100.0 * entry.weight(form) / total) } else { "-".into() };
        let sources: Vec<&str> = lexicon.sources_of(form).map(LexiconSource::name).collect();
        let (count, initial) = (shown(form.count), shown(form.initial));
        writeln!(out, "{mark} {spelling:<24} {count:>12} {initial:>12} {share:>8}  {}", sources.join(", "))?;
    }
    Ok(())
}

/// Formats a count, or a relative frequency from a map, with at most four decimal places.
fn shown(count: f64) -> String {
    let text = format!("{count:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writes a lexicon in another format
#[derive(Debug, clap::Args)]
pub struct Export {
    /// Lexicon; - is standard input
    #[arg(value_name = "LEXICON")]
    file: PathBuf,
    /// Format to write
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: WrittenFormat,
    /// Forms to write
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    keep: FormFilter,
    #[command(flatten)]
    limits: VocabularyLimits,
    #[command(flatten)]
    reading: LexiconReadingArgs,
    #[command(flatten)]
    output: OptionalOutputArg,
}

/// An output format of lexicons.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum WrittenFormat {
    /// One form per line, in columns separated by tabs, under a header
    #[default]
    Tsv,
    /// One JSON object, with one word per line
    Json,
    /// Map for SRILM's disambig -map: word form p form p …
    Map,
    /// Model of the Moses truecaser: Form (count/total) form (count) …
    Moses,
    /// Forms alone, one per line; with --keep certain, a list for restore --words
    List,
}

impl Export {
    fn run(self) -> Result<()> {
        self.output.check(std::slice::from_ref(&self.file))?;
        let lexicon = self.reading.read(&self.file, None)?.0.limit(self.limits).keep(self.keep);
        self.output.write(|out| match self.format {
            WrittenFormat::Tsv => tsv::write(&lexicon, out),
            WrittenFormat::Json => json::write(&lexicon, out),
            WrittenFormat::Map => map::write(&lexicon, out),
            WrittenFormat::Moses => moses::write(&lexicon, out),
            WrittenFormat::List => list::write(&lexicon, out),
        })
    }
}

/// The options for reading lexicons.
#[derive(Debug, clap::Args)]
struct LexiconReadingArgs {
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    /// Format of the files; detected from the first line of each by default
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<LexiconFormat>,
    /// Language of files that do not name theirs, such as en,
    /// tr or pt-BR; it determines the case mappings
    #[arg(long = "lang", value_name = "LANG")]
    language: Option<String>,
    /// Also add the single words of phrases in word lists
    #[arg(long)]
    phrases: bool,
}

impl LexiconReadingArgs {
    /// Reads a lexicon; returns it with its format.
    fn read(&self, file: &Path, language: Option<String>) -> Result<(Lexicon, LexiconFormat)> {
        if let Some(language) = &self.language {
            locale(None, language)?;
        }
        let language = self.language.clone().or(language);
        let config = LexiconReadConfig { format: self.from, language, phrases: self.phrases };
        let (lexicon, format) = read_as(files::open(file)?.within(self.limits), &config)?;
        tell_notes(lexicon.notes());
        Ok((lexicon, format))
    }
}
