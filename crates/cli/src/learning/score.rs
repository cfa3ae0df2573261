//! `majuscule score`: other systems' output against a reference.

use std::path::PathBuf;
use std::process::ExitCode;

use super::measure::{self, Measure};
use majuscule::text::Locale;
use majuscule_train::eval::aligned::{self, files::Cases};
use majuscule_train::eval::{Report, Score, pair};

/// Scores the output of any system: the same words as the reference, with other capitals
///
/// All that a system did to the capitals counts, as a reader sees them. What restore made of a text includes your
/// spellings (--words), capitals that it kept and the capitals of sentence starts, which evaluate leaves out.
///
/// What a speech recogniser heard has other words: --align pairs them with those of the reference by edit distance, case and marks
/// aside, and prints the word error rate beside the figures of case.
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// The text in its true case; - is standard input. With --align also a folder
    pub reference: PathBuf,
    /// What a system made of it; the words are compared without case. With --align a folder where the reference is one: files are
    /// paired by their names, endings aside
    pub hypothesis: PathBuf,
    /// Align the words, which may differ: what a recogniser heard against what was said. No marks, no ends of sentences, all words
    /// count
    #[arg(long, conflicts_with = "protocol")]
    pub align: bool,
    /// Score each recording by itself too
    #[arg(long, requires = "align")]
    pub per_file: bool,
    /// The language whose case pairs count (tr, az and nl have their own), where it is not that of --lang
    #[arg(long, value_name = "LANG")]
    pub locale: Option<Locale>,
    /// How many of the most frequent errors are listed
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    #[command(flatten)]
    pub measure: Measure,
}

/// Scores and prints the report.
///
/// # Errors
/// Where a file cannot be read, the words differ though they are not to be aligned, or none is scored.
pub fn run(args: ScoreArgs) -> anyhow::Result<ExitCode> {
    let ScoreArgs { reference, hypothesis, align, per_file, locale, top, measure } = args;
    let locale = measure::locale(locale, &measure.reading.language)?;
    if align {
        let scores =
            aligned::files::score_files(&reference, &hypothesis, &measure.reading, locale, Cases::Own)?;
        let report =
            aligned::report::AlignedReport::of(&scores, &measure::aligned_config(locale, top), per_file);
        measure::print(&report.page(measure.layout()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut sides = measure.sides(&[&reference, &hypothesis], locale)?;
    let hypotheses = sides.split_off(1);
    let mut score = Score::default();
    pair(&sides[0], &hypotheses, &mut |example, choices| {
        score.add(&example.tokens, &example.gold, &choices[0], |_| None)
    })?;
    measure.check_words(sides[0].name(), score.all().tokens())?;
    let report = Report::of(&score, &measure.config(&[&reference], locale, false, top));
    measure::print(&report.page(measure.layout()))?;
    Ok(ExitCode::SUCCESS)
}
