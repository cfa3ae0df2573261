//! `majuscule score`: scores the output of a system against a reference.

use std::path::PathBuf;

use super::measure::{self, Measure};
use majuscule_base::error::{Error, Result};
use majuscule_text::Locale;
use majuscule_train::corpus::SpeechPartKind;
use majuscule_train::eval::aligned;
use majuscule_train::eval::aligned::files::Cases;
use majuscule_train::eval::aligned::report::{AlignedReport, ReportedParts};
use majuscule_train::eval::score::check_words;
use majuscule_train::eval::{Report, Score, pair};

/// Scores the output of any system: the words of the reference with other capitals
///
/// Every change of capitals counts, as a reader sees it. For the output
/// of restore this includes your spellings (--words), kept capitals and
/// the capitals of sentence starts, which evaluate leaves out.
///
/// The output of a speech recogniser has other words: --align pairs them with the words of the
/// reference by edit distance, ignoring case and punctuation, and prints the word error rate too.
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// Text in its true case; - is standard input. With --align also a folder
    pub reference: PathBuf,
    /// Output of a system for this text; the words are compared without case. With --align a folder
    /// if the reference is one: files are paired by their names up to their extensions
    pub hypothesis: PathBuf,
    /// Align the words, which may differ: a recogniser's output with the true text. All words
    /// count; --protocol iwslt or punctuator2 also scores the marks after them
    #[arg(long)]
    pub align: bool,
    /// Also score each recording by itself
    #[arg(long, requires = "align")]
    pub per_file: bool,
    /// Also score the words of each speaker of the reference by themselves (stm)
    #[arg(long, requires = "align")]
    pub per_speaker: bool,
    /// Also score the words of each category of the reference, such as the focus condition f0, by
    /// themselves (stm)
    #[arg(long, requires = "align")]
    pub per_category: bool,
    /// Language whose case mappings count (tr, az and nl have their own); by default the one in --lang
    #[arg(long, value_name = "LANG")]
    pub locale: Option<Locale>,
    /// Number of errors to list, the most frequent first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    #[command(flatten)]
    pub measure: Measure,
}

/// Scores the output and prints the report.
///
/// # Errors
/// If a file cannot be read, the words differ without `--align`, or no word is scored.
pub fn run(args: ScoreArgs) -> Result<()> {
    let ScoreArgs { reference, hypothesis, align, per_file, per_speaker, per_category, locale, top, measure } =
        args;
    let locale = measure::locale(locale, measure.reading.language())?;
    if align {
        let config = measure::aligned_config(measure.protocol, locale, top)?;
        let scores =
            aligned::files::score_files(&reference, &hypothesis, &measure.reading, locale, Cases::Own)?;
        let asked = ReportedParts { files: per_file, speakers: per_speaker, categories: per_category };
        let report = AlignedReport::of(&scores, &config, asked);
        for (kind, parts, is_asked) in [
            (SpeechPartKind::Speaker, &report.speakers, per_speaker),
            (SpeechPartKind::Category, &report.categories, per_category),
        ] {
            if is_asked && parts.is_empty() {
                let problem = format!("names no {}: with --align, a reference in stm does", kind.name());
                return Err(Error::file(reference.to_string_lossy(), problem));
            }
        }
        return measure.layout.print(|layout| report.page(layout));
    }
    let files = [reference.as_path(), &hypothesis];
    let mut sides = measure::sides(&files, &measure.reading, measure.protocol, locale)?;
    let hypotheses = sides.split_off(1);
    let mut score = Score::default();
    pair(&sides[0], &hypotheses, &mut |example, choices| {
        score.add(&example.tokens, &example.gold, &choices[0], |_| None)
    })?;
    check_words(measure.protocol, sides[0].name(), score.all().tokens())?;
    let sentence_ends = measure.protocol.mark_convention().is_some();
    let report = Report::of(&score, &measure.config(&[&reference], locale, sentence_ends, top));
    measure.layout.print(|layout| report.page(layout))
}
