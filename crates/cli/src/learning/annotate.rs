//! `majuscule experiment annotate` and `agreement`: sheets for people who judge the words on which systems differ.

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::measure::{self, LayoutArgs};
use super::publish;
use super::systems::{NamedSystems, SystemResults};
use crate::backend::BackendArgs;
use crate::force::ForceArg;
use crate::host;
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_experiment::agreement::{AgreementReport, AnnotatorChoices};
use majuscule_experiment::annotation::{
    Annotation, AnnotationConfig, AnnotationKey, SystemWords, check_systems,
};
use majuscule_text::Locale;
use majuscule_train::corpus::{Protocol, Reading};

/// Writes a sheet of the differences between systems for blind annotation, and its key
///
/// A row has a word in its context and the systems' variants of it, A, B and so on, in random order.
/// An annotator writes the letter of the best one into the column choice, or nothing. The key is
/// written next to the sheet (sheet.key.json for sheet.csv) and names the systems of each variant.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule experiment annotate sheet.csv --output ours.txt --output other.txt
  majuscule experiment annotate sheet.csv --reference news.txt --model accurate --model fast
  majuscule experiment agreement sheet.key.json ana.csv rui.csv")]
pub struct AnnotateArgs {
    /// Sheet to write, as comma-separated values
    #[arg(value_name = "SHEET")]
    sheet: PathBuf,
    /// Text in its true case, which models restore; without it, the words of the
    /// first output are taken as the text
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Model that restores the text, a folder or packed file; accurate and fast are the built-in
    /// ones of --lang. May be given several times
    #[arg(long = "model", value_name = "MODEL", requires = "reference")]
    models: Vec<PathBuf>,
    /// Output of another system for the text; may be given several times
    #[arg(long = "output", value_name = "FILE", required_unless_present = "models")]
    outputs: Vec<PathBuf>,
    /// Largest number of places, drawn at random from all
    #[arg(long, value_name = "N", default_value = "100", value_parser = crate::page::number)]
    sample: NonZeroUsize,
    /// Number of words of context on each side
    #[arg(long = "context-words", value_name = "N", default_value_t = 10)]
    context: usize,
    /// Seed of the sample and of the order of variants: the same seed gives the same sheet
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Protocol, as in compare: what a model sees and which words count. Protocols with
    /// punctuation, such as iwslt, compare punctuation too
    #[arg(long, value_name = "PROTOCOL", default_value = "susanto")]
    protocol: Protocol,
    #[command(flatten)]
    reading: Reading,
    /// Language whose case mappings count (tr, az and nl have their own); by default the one in --lang
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    /// Number of threads that a method may use: at most, and by default, the number of cores. The
    /// sheet does not depend on it
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    backend: BackendArgs,
    #[command(flatten)]
    force: ForceArg,
}

impl AnnotateArgs {
    /// Writes the sheet and the key.
    ///
    /// # Errors
    /// If a file cannot be read or written, the words differ, or the systems write all words alike.
    pub fn run(self) -> Result<()> {
        let Self { sheet, reference, models, outputs, sample, context, seed, protocol, .. } = &self;
        let key = sheet.with_extension("key.json");
        let inputs: Vec<&PathBuf> = reference.iter().chain(models).chain(outputs).collect();
        for file in [sheet, &key] {
            self.force.check(file, &inputs)?;
        }
        let name = |path: &PathBuf| path.to_string_lossy().into_owned();
        let names: Vec<String> = models.iter().chain(outputs).map(name).collect();
        check_systems(&names)?;
        let Some(text) = reference.as_ref().or(outputs.first()) else {
            return Err(Error::usage("the models have no text to restore: name it with --reference"));
        };
        let named = NamedSystems {
            reference: text,
            models,
            outputs,
            reading: &self.reading,
            protocol: *protocol,
            locale: self.locale,
            threads: self.threads,
            backend: &self.backend,
            keeps_words: true,
        };
        let SystemResults { choices, facts, locale, .. } =
            named.run(measure::locale(self.locale, self.reading.language())?)?;
        let has_reference = reference.is_some();
        let words = SystemWords { systems: &names, choices: &choices, facts: &facts, has_reference, locale };
        let config = AnnotationConfig { sample: sample.get(), context: *context, seed: *seed };
        let annotation = Annotation::of(words, config)?;
        publish(&key, |out| out.write_all(annotation.key.json().as_bytes()))?;
        publish(sheet, |out| out.write_all(annotation.sheet().as_bytes()))?;
        tell!(
            "{}: {} of {} places where the systems differ; the key, which annotators must not see, is {}",
            sheet.display(),
            annotation.key.rows.len(),
            annotation.differing,
            key.display()
        );
        Ok(())
    }
}

/// Evaluates sheets that annotators filled in: how often each system was preferred, and how well the
/// annotators agree
///
/// Preferences have 95 % intervals (Wilson). Agreement is given as a percentage, with Cohen's
/// kappa for each pair of annotators and Krippendorff's alpha for all of them. Choices may be left
/// empty, but no row may be missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule experiment agreement sheet.key.json ana.csv rui.csv
  majuscule experiment agreement sheet.key.json ana.csv rui.csv --json")]
pub struct AgreementArgs {
    /// Key that experiment annotate wrote next to the sheet
    #[arg(value_name = "KEY")]
    key: PathBuf,
    /// Completed sheet, one per annotator
    #[arg(value_name = "SHEET", required = true)]
    sheets: Vec<PathBuf>,
    #[command(flatten)]
    layout: LayoutArgs,
}

impl AgreementArgs {
    /// Prints the report.
    ///
    /// # Errors
    /// If a file cannot be read, or a sheet does not belong to the key.
    pub fn run(self) -> Result<()> {
        let Self { key, sheets, layout } = self;
        let inputs: Vec<&PathBuf> = [&key].into_iter().chain(&sheets).collect();
        files::check_inputs(&inputs)?;
        check_different(&sheets)?;
        let key = AnnotationKey::parse(&key.to_string_lossy(), &host::open(&key)?.text()?)?;
        let choices = |sheet: &PathBuf| {
            let name = sheet.to_string_lossy().into_owned();
            let choices = key.choices(&name, &host::open(sheet)?.text()?)?;
            Ok(AnnotatorChoices { name, choices })
        };
        let annotators = sheets.iter().map(choices).collect::<Result<Vec<_>>>()?;
        let report = AgreementReport::of(&key, &annotators)?;
        layout.print(|layout| report.page(layout))
    }
}

/// Refuses a sheet that is named twice: an annotator always agrees with itself.
fn check_different(sheets: &[PathBuf]) -> Result<()> {
    let file = |sheet: &PathBuf| fs::canonicalize(sheet).unwrap_or_else(|_| sheet.clone());
    let files: Vec<PathBuf> = sheets.iter().map(file).collect();
    match (1..files.len()).find(|&at| files[..at].contains(&files[at])) {
        Some(at) => {
            let sheet = sheets[at].display();
            Err(Error::usage(format!("{sheet} is named twice: name the sheet of each annotator once")))
        }
        None => Ok(()),
    }
}
