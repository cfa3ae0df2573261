//! Options and helpers of `evaluate`, `score` and `compare`: reading texts, laying out reports.

use std::path::{Path, PathBuf};

pub use crate::page::print;
use crate::{folders, host};
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_text::Locale;
use majuscule_train::corpus::protocol::MarkConvention;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::eval::{Layout, PairSide, Signature, report};

/// The options for reading texts and reporting.
#[derive(Debug, clap::Args)]
pub struct Measure {
    /// Protocol: what a system sees and which words count (text, batista, rei, susanto, asr, or asr:N;
    /// with marks iwslt, sepp, punctuator2 or segments)
    ///
    /// text:    the text with punctuation; first words of sentences do not count
    /// batista: no punctuation marks; first words are removed
    /// rei:     no punctuation marks; capitals that may be due to the position do not count
    /// susanto: tokens as given; all count
    /// asr:N    no punctuation marks or sentence ends, windows of N words (200); all count
    ///
    /// These are like asr, but also score punctuation after words; a document is one stream
    /// unless N is given:
    ///
    /// iwslt:N        commas, full stops and question marks; others count as the nearest
    /// sepp:N         . , ? - : in sentences without quotes and brackets, of 3 words or more
    /// punctuator2:N  all marks; an ellipsis is a full stop
    /// segments:N     sentence ends alone
    #[arg(long, value_name = "PROTOCOL", default_value_t, verbatim_doc_comment)]
    pub protocol: Protocol,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub layout: LayoutArgs,
}

/// The layout of a report.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct LayoutArgs {
    /// Print one JSON object: figures are fractions, undefined ones are null
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print Markdown tables
    #[arg(long)]
    markdown: bool,
}

impl LayoutArgs {
    /// Prints a report in the layout of the options; a host program also receives the report as JSON.
    ///
    /// # Errors
    /// See [`print`].
    pub fn print(&self, page: impl Fn(Layout) -> String) -> Result<()> {
        host::keep(|| page(Layout::Json));
        print(&page(match (self.json, self.markdown) {
            (true, _) => Layout::Json,
            (_, true) => Layout::Markdown,
            _ => Layout::Text,
        }))
    }
}

impl Measure {
    /// The signature: the line that describes how the figures were obtained.
    pub fn signature(&self, files: &[&Path], locale: Locale) -> String {
        Signature::of(self.protocol, &self.reading, files, locale).to_string()
    }

    /// The configuration of a report on these files: `sentence_ends` is true if the hypothesis has
    /// sentence ends, and `top` is the number of errors to list.
    pub fn config(
        &self,
        files: &[&Path],
        locale: Locale,
        sentence_ends: bool,
        top: usize,
    ) -> report::ReportConfig {
        let signature = self.signature(files, locale);
        report::ReportConfig { signature, protocol: self.protocol, locale, sentence_ends, top }
    }
}

/// Opens a reference and hypotheses, which are all files or all folders. Warns if the reference has paragraphs instead
/// of sentences.
///
/// # Errors
/// If standard input is named twice or a file cannot be read.
pub fn sides(
    files: &[&Path],
    reading: &Reading,
    protocol: Protocol,
    locale: Locale,
) -> Result<Vec<PairSide>> {
    files::check_inputs(files)?;
    let texts = folders::sides(files, reading.format)?;
    let side = |(file, texts): (&&Path, &Vec<PathBuf>)| {
        let name = file.to_string_lossy().into_owned();
        PairSide::new(name, texts, reading.clone(), protocol, locale)
    };
    let sides = files.iter().zip(&texts).map(side).collect::<Result<Vec<_>>>()?;
    sides.first().map_or(Ok(()), |reference| tell_paragraphs(reference.corpus()))?;
    Ok(sides)
}

/// Warns of a corpus whose lines are clearly paragraphs but are read as sentences.
///
/// # Errors
/// If the corpus cannot be read.
pub fn tell_paragraphs(corpus: &Corpus) -> Result<()> {
    if let Some(sentences) = corpus.sentences_a_line()? {
        tell!(
            "note: {} has about {sentences:.1} sentences per line, but each line is read as one: give --split to split lines",
            corpus.name()
        );
    }
    Ok(())
}

/// The configuration of a report on aligned recordings: the configuration of `asr`, unless a protocol
/// for punctuation is named.
///
/// # Errors
/// If words cannot be aligned under the protocol.
pub fn aligned_config(protocol: Protocol, locale: Locale, top: usize) -> Result<report::ReportConfig> {
    let marks = protocol.mark_convention().map(MarkConvention::marks);
    let protocol = match marks {
        Some(marks) if !marks.is_empty() => protocol,
        None if protocol == Protocol::default() || matches!(protocol, Protocol::Asr { .. }) => {
            Protocol::Asr { window: Protocol::WINDOW }
        }
        _ => {
            let problem = format!(
                "--align pairs words as under asr, which {protocol} does not allow: leave out --protocol, or name one that \
                 scores punctuation, such as iwslt"
            );
            return Err(Error::usage(problem));
        }
    };
    let signature = Signature::of_aligned(protocol, locale).to_string();
    Ok(report::ReportConfig { signature, protocol, locale, sentence_ends: false, top })
}

/// The case mappings of `--locale`, or else of `--lang`, which may name several languages: `en,pt`.
///
/// # Errors
/// If the language is not a language tag, or several languages have different case mappings.
pub fn locale(asked: Option<Locale>, language: &str) -> Result<Locale> {
    if let Some(locale) = asked {
        return Ok(locale);
    }
    let of = |tag: &str| tag.parse::<Locale>().map_err(|error| Error::usage(format!("--lang {error}")));
    let mut tags = language.split(',');
    let first = tags.next().unwrap_or_default();
    let locale = of(first)?;
    for tag in tags {
        if of(tag)? != locale {
            return Err(Error::usage(format!(
                "--lang {language}: {tag} and {first} have different case mappings: train a model for each, or choose the pairs with \
                 --locale, such as root"
            )));
        }
    }
    Ok(locale)
}
