//! `majuscule compare`: several systems' outputs against one reference, and whether they differ by more than chance.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::measure::{self, Measure};
use crate::eval::compare::{self, System};
use crate::eval::pair;
use crate::text::Locale;

/// Compares systems on the same text: 95 % intervals, and significance against the best
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The text in its true case; - is standard input
    pub reference: PathBuf,
    /// What a system made of it; name two or more, each after --output
    #[arg(long = "output", value_name = "FILE", required = true)]
    pub outputs: Vec<PathBuf>,
    /// The language whose case pairs count (tr, az and nl have their own), where it is not that of --lang
    #[arg(long, value_name = "LANG")]
    pub locale: Option<Locale>,
    #[command(flatten)]
    pub config: compare::Config,
    #[command(flatten)]
    pub measure: Measure,
}

/// Compares and prints the report.
///
/// # Errors
/// Where a file cannot be read, the words differ or none is scored.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { reference, outputs, locale, config, measure } = args;
    let locale = measure::locale(locale, &measure.reading.language)?;
    let files: Vec<&Path> = [&reference].into_iter().chain(&outputs).map(PathBuf::as_path).collect();
    let mut sides = measure.sides(&files, locale)?;
    let hypotheses = sides.split_off(1);
    let mut systems: Vec<System> = hypotheses.iter().map(|side| System::new(side.name())).collect();
    let mut words = 0;
    pair(&sides[0], &hypotheses, &mut |example, choices| {
        words += example.gold.iter().filter(|gold| gold.scored).count() as u64;
        for (system, choices) in systems.iter_mut().zip(choices) {
            system.push(&example.gold, choices, measure.matching());
        }
        Ok(())
    })?;
    measure.check_words(sides[0].name(), words)?;
    let comparison = compare::compare(&systems, config)?;
    measure::print(&comparison.page(&measure.signature(&[&reference], locale), words, measure.layout()))?;
    Ok(ExitCode::SUCCESS)
}
