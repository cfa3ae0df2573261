//! `majuscule compare`: compares models and outputs of other
//! systems on one text, with tests of significance.

use std::io::{IsTerminal, Write, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::measure::{self, Measure};
use super::spinner::Spinner;
use crate::backend::BackendArgs;
use crate::cascade::load_named;
use crate::folders;
use crate::force::ForceArg;
use crate::host;
use crate::page::threads;
use majuscule::error::{Error, Result};
use majuscule::files;
use majuscule::methods::Model;
use majuscule::model::Manifest;
use majuscule::restorer::Request;
use majuscule::text::Locale;
use majuscule_train::corpus::protocol::MarkConvention;
use majuscule_train::corpus::{Corpus, Protocol};
use majuscule_train::eval::aligned::comparison::{AlignedComparison, TableLayout};
use majuscule_train::eval::aligned::files::{Cases, score_files};
use majuscule_train::eval::differences::{DifferingExamples, Marking};
use majuscule_train::eval::report::ReportConfig;
use majuscule_train::eval::{Choices, Layout, System, compare, evaluate_each, marks_for, pair};

/// Compares systems on the same text, with 95 % intervals and significance against the best
///
/// Models restore the text; other systems are given by their outputs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule compare news.txt --model accurate --model fast --protocol rei
  majuscule compare news.txt --model my-model --output other.txt --show-differences
  majuscule compare ref/ --align --output google/ --output amazon/ --csv calls.csv --latex calls.tex")]
pub struct CompareArgs {
    /// Text in its true case; - is standard input. With --align also a folder
    #[arg(value_name = "CORPUS")]
    pub reference: PathBuf,
    /// Model, a folder or packed file; accurate and fast are the built-in ones of --lang. May be
    /// given several times
    #[arg(long = "model", value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    /// Output of another system for the text; may be given several times
    #[arg(long = "output", value_name = "FILE", required_unless_present = "models")]
    pub outputs: Vec<PathBuf>,
    /// Align the words of recognisers' outputs, which may differ from the text's, and compare word
    /// errors, capitals, punctuation marks and sentence ends, a table of each. Folders are paired by
    /// file names. Without --protocol, marks are those of iwslt
    #[arg(long, requires = "outputs", conflicts_with_all = ["models", "show_differences"])]
    pub align: bool,
    /// Also write all figures of --align to this file, as comma-separated values
    #[arg(long, value_name = "FILE", requires = "align")]
    pub csv: Option<PathBuf>,
    /// Also write the tables of --align to this file, as LaTeX with the rules of booktabs
    #[arg(long, value_name = "FILE", requires = "align")]
    pub latex: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArg,
    /// Show at most N sentences that the systems write differently,
    /// those that distinguish them most first
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "20", value_parser = crate::page::number)]
    pub show_differences: Option<NonZeroUsize>,
    /// Language whose case pairs count (tr, az and nl have their own), if not that of --lang
    #[arg(long, value_name = "LANG")]
    pub locale: Option<Locale>,
    /// Number of threads that a method may use: at most, and by default, the number of cores. The
    /// figures do not depend on it
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    pub threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub backend: BackendArgs,
    #[command(flatten)]
    pub config: compare::CompareConfig,
    #[command(flatten)]
    pub measure: Measure,
}

/// Compares the systems and prints the report.
///
/// # Errors
/// If a file cannot be read, the words differ or no word is scored.
pub fn run(args: CompareArgs) -> anyhow::Result<ExitCode> {
    let locale = measure::locale(args.locale, &args.measure.reading.language)?;
    if args.align {
        aligned(&args, locale)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut compared =
        RunningComparison { args: &args, locale, systems: Vec::new(), differences: Vec::new(), words: 0 };
    let most = args.show_differences.map_or(0, NonZeroUsize::get);
    compared.models()?;
    compared.outputs()?;
    let RunningComparison { systems, differences, words, .. } = compared;
    args.measure.check_words(&files::name(&args.reference), words)?;
    let comparison = compare(&systems, args.config)?;
    let signature = args.measure.signature(&[&args.reference], locale);
    let names = systems.iter().map(|system| system.name.clone()).collect();
    let differences =
        (most > 0).then(|| DifferingExamples::of(names, differences, args.measure.matching(), locale, most));
    let colours = !host::is_hosted() && stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    args.measure.print(|layout| {
        let page = comparison.page(&signature, words, differences.as_ref(), layout);
        match &differences {
            Some(differences) if layout != Layout::Json => {
                page + &differences.text(if colours { Marking::Colours } else { Marking::Stars })
            }
            _ => page,
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Aligns the outputs of recognisers with the reference and prints the tables.
fn aligned(args: &CompareArgs, locale: Locale) -> Result<()> {
    let CompareArgs { reference, outputs, csv, latex, force, config, measure, .. } = args;
    let inputs: Vec<&PathBuf> = [reference].into_iter().chain(outputs).collect();
    for file in csv.iter().chain(latex) {
        force.check(file, &inputs)?;
    }
    if csv.is_some() && csv == latex {
        return Err(Error::usage("--csv and --latex name the same file: give each a file of its own"));
    }
    let protocol = match measure.protocol == Protocol::default() {
        true => Protocol::Marks { convention: MarkConvention::Iwslt, window: None },
        false => measure.protocol,
    };
    let ReportConfig { signature, protocol, .. } = measure::aligned_config(protocol, locale, 0)?;
    let scored = |output: &PathBuf| {
        let scores = score_files(reference, output, &measure.reading, locale, Cases::Own)?;
        Ok((output.to_string_lossy().into_owned(), scores))
    };
    let systems = outputs.iter().map(scored).collect::<Result<Vec<_>>>()?;
    let comparison = AlignedComparison::of(&systems, signature, protocol, *config)?;
    for (file, layout) in [(csv, TableLayout::Csv), (latex, TableLayout::Latex)] {
        let Some(file) = file else { continue };
        let page = comparison.page(layout);
        files::publish(file, |out| {
            out.write_all(page.as_bytes()).map_err(|error| Error::io("write", file, error))
        })?;
    }
    measure.print(|layout| {
        comparison.page(match layout {
            Layout::Text => TableLayout::Text,
            Layout::Markdown => TableLayout::Markdown,
            Layout::Json => TableLayout::Json,
        })
    })
}

/// The results of the systems so far.
struct RunningComparison<'a> {
    args: &'a CompareArgs,
    locale: Locale,
    systems: Vec<System>,
    /// The examples of each system, if their differences are to be shown.
    differences: Vec<Vec<Choices>>,
    words: u64,
}

impl RunningComparison<'_> {
    /// Lets each model restore the text.
    fn models(&mut self) -> Result<()> {
        let CompareArgs { reference, models, measure, backend, .. } = self.args;
        let computing = &backend.computing();
        if models.is_empty() {
            return Ok(());
        }
        if reference == Path::new("-") && models.len() + self.args.outputs.len() > 1 {
            let problem = "the text is read once for each system, but standard input can be read only once: give a file";
            return Err(Error::usage(problem));
        }
        let progress = Spinner::new();
        let mut done = 0;
        let mut opened = None;
        for path in models {
            progress.say(format!("opening {}", path.display()));
            let Model { manifest, restorer } = load_named(path, &measure.reading.language, computing, false)?;
            let name = path.to_string_lossy().into_owned();
            marks_for(&*restorer, measure.protocol, None)
                .map_err(|error| Error::usage(format!("{name}: {error}")))?;
            // The first model determines the case pairs.
            let (corpus, examples) = match &opened {
                Some(opened) => opened,
                None => {
                    self.locale = self.args.locale.unwrap_or(manifest.locale);
                    &*opened.insert(self.open(&manifest, &progress)?)
                }
            };
            if manifest.locale != self.locale {
                let (one, other) = (self.locale, manifest.locale);
                let problem = format!(
                    "{name} pairs letters as \"{other}\" does, but the others as \"{one}\": compare models of one language"
                );
                return Err(Error::usage(problem));
            }
            progress.say(name.clone());
            let request = Request { threads: threads(self.args.threads), ..Request::default() };
            let mut system = System::new(&name);
            let mut all = Vec::new();
            let mut words = 0;
            evaluate_each(&*restorer, request, None, corpus, &mut |tokens, gold, choices| {
                words += gold.iter().filter(|gold| gold.scored).count() as u64;
                system.push(gold, choices, measure.protocol);
                if self.args.show_differences.is_some() {
                    all.push(Choices::of(tokens, gold, choices, measure.protocol, self.locale));
                }
                done += 1;
                progress.count(done, examples * models.len() as u64);
                Ok(())
            })?;
            self.words = words;
            self.systems.push(system);
            self.differences.push(all);
        }
        Ok(())
    }

    /// The text, read as a model reads it, and its number of examples if a progress bar shows them.
    fn open(&self, manifest: &Manifest, progress: &Spinner) -> Result<(Corpus, u64)> {
        let CompareArgs { reference, measure, .. } = self.args;
        let mut reading = measure.reading.clone();
        if !manifest.is_of(&reading.language) {
            reading.language.clone_from(&manifest.language);
        }
        let files = folders::paths(std::slice::from_ref(reference), reading.format)?;
        let corpus = host::watched(Corpus::new(&files, reading, measure.protocol, self.locale)?);
        if self.args.outputs.is_empty() {
            // If there are outputs, the warning comes when they are read.
            measure::tell_paragraphs(&corpus)?;
        }
        let mut examples = 0;
        if progress.is_shown() {
            corpus.for_each(&mut |_| {
                examples += 1;
                Ok(())
            })?;
        }
        Ok((corpus, examples))
    }

    /// Reads the outputs of other systems.
    fn outputs(&mut self) -> Result<()> {
        let CompareArgs { reference, outputs, measure, .. } = self.args;
        if outputs.is_empty() {
            return Ok(());
        }
        let files: Vec<&Path> = [reference].into_iter().chain(outputs).map(PathBuf::as_path).collect();
        let mut sides = measure.sides(&files, self.locale)?;
        let hypotheses = sides.split_off(1);
        let mut systems: Vec<System> = hypotheses.iter().map(|side| System::new(side.name())).collect();
        let mut all = vec![Vec::new(); systems.len()];
        let mut words = 0;
        pair(&sides[0], &hypotheses, &mut |example, choices| {
            words += example.gold.iter().filter(|gold| gold.scored).count() as u64;
            for ((system, all), choices) in systems.iter_mut().zip(&mut all).zip(choices) {
                system.push(&example.gold, choices, measure.protocol);
                if self.args.show_differences.is_some() {
                    all.push(Choices::of(
                        &example.tokens,
                        &example.gold,
                        choices,
                        measure.protocol,
                        self.locale,
                    ));
                }
            }
            Ok(())
        })?;
        self.words = words;
        self.systems.extend(systems);
        self.differences.extend(all);
        Ok(())
    }
}
