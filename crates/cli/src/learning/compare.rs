//! `majuscule compare`: compares models and outputs of other
//! systems on one text, with tests of significance.

use std::io::{IsTerminal, stdout};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::measure::{self, Measure};
use super::publish;
use super::systems::{NamedSystems, SystemResults};
use crate::backend::BackendArgs;
use crate::force::ForceArg;
use crate::host;
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_text::Locale;
use majuscule_train::corpus::Protocol;
use majuscule_train::corpus::protocol::MarkConvention;
use majuscule_train::eval::aligned::comparison::AlignedComparison;
use majuscule_train::eval::aligned::files::{Cases, score_files};
use majuscule_train::eval::differences::{DifferingExamples, Marking};
use majuscule_train::eval::offices::OfficeWords;
use majuscule_train::eval::report::ReportConfig;
use majuscule_train::eval::score::check_words;
use majuscule_train::eval::word_kinds::WordsByKind;
use majuscule_train::eval::{Layout, Matching, compare};

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
    /// Align recognisers' outputs, whose words may differ, with the text, and compare word errors,
    /// capitals, punctuation marks and sentence ends, each in its own table. Folders are paired by
    /// file names. Without --protocol, punctuation is scored as under iwslt
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
    /// Show the errors by kind of word (sentence start, acronym, hyphen, office, unknown word, name),
    /// and at most N sentences that the systems write differently,
    /// those that distinguish them most first
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "20", value_parser = crate::page::number)]
    pub show_differences: Option<NonZeroUsize>,
    /// Print a table that fits a column of a page: F and SER with half of their intervals, and one p-value
    #[arg(long, conflicts_with = "align")]
    pub compact: bool,
    /// Language whose case mappings count (tr, az and nl have their own); by default the one in --lang
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
pub fn run(args: CompareArgs) -> Result<()> {
    let locale = measure::locale(args.locale, args.measure.reading.language())?;
    if args.align {
        return aligned(&args, locale);
    }
    let CompareArgs { reference, models, outputs, threads, backend, measure, .. } = &args;
    let named = NamedSystems {
        reference,
        models,
        outputs,
        reading: &measure.reading,
        protocol: measure.protocol,
        locale: args.locale,
        threads: *threads,
        backend,
        keeps_words: args.show_differences.is_some(),
    };
    let SystemResults { systems, choices, facts, words, locale, language } = named.run(locale)?;
    check_words(measure.protocol, &files::name(reference), words)?;
    let comparison = compare(&systems, args.config)?;
    let signature = measure.signature(&[reference], locale);
    let differences = args.show_differences.map(|most| {
        let names: Vec<String> = systems.iter().map(|system| system.name.clone()).collect();
        let (offices, matching) = (OfficeWords::of(&language), Matching::of(measure.protocol));
        let kinds = WordsByKind::of(names.clone(), &choices, &facts, &offices, matching, locale);
        let examples = DifferingExamples::of(names, choices, matching, locale, most.get());
        DifferingExamples { kinds: Some(kinds), ..examples }
    });
    let colours = !host::is_hosted() && stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    args.measure.layout.print(|layout| {
        let page = comparison.page(&signature, words, differences.as_ref(), (layout, args.compact));
        match &differences {
            Some(differences) if layout != Layout::Json => {
                let kinds = differences.kinds.as_ref().map_or_else(String::new, |kinds| kinds.page(layout));
                page + &kinds + &differences.text(if colours { Marking::Colours } else { Marking::Stars })
            }
            _ => page,
        }
    })
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
    for (file, page) in [(csv, comparison.csv()), (latex, comparison.latex())] {
        file.as_ref().map_or(Ok(()), |file| publish(file, |out| out.write_all(page.as_bytes())))?;
    }
    measure.layout.print(|layout| comparison.page(layout))
}
