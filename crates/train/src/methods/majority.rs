//! Training of the method that chooses the most frequent form of each word in a cased corpus.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Serialize;

use super::{Learned, Learner, Watch};
use crate::corpus::Corpus;
use crate::lexicon::{Lexicon, LexiconEntry, VocabularyLimits, build, read};
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_methods::majority::{CaseTable, Majority, MajoritySettings};
use majuscule_methods::model::Bytes;
use majuscule_text::compound::is_joint;
use majuscule_text::restorer::Restorer;
use majuscule_text::{Capitals, Case, Locale};

/// The settings for training `majority`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, clap::Args)]
pub struct MajorityConfig {
    /// Keep only the N most frequent words; all others stay lower-cased, compounds too
    #[command(flatten)]
    #[serde(flatten)]
    pub limits: VocabularyLimits,
    /// Leave out words whose most frequent form is lower-cased and that were seen fewer times than
    /// this: the model is smaller, and these words stay lower-cased anyway
    #[arg(long, value_name = "N", default_value_t)]
    pub lower_min_count: u64,
    /// Keep unseen compound words (jean-jacques) lower-cased, as the papers' baseline does, instead
    /// of giving them the case of their parts
    #[arg(long)]
    pub no_parts: bool,
    /// Add the counts of a lexicon or the entries of a word list; with one, no corpus is needed
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "crate::methods::names")]
    pub lexicon: Vec<PathBuf>,
}

impl Learner for MajorityConfig {
    fn name(&self) -> &'static str {
        "majority"
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.lexicon.clone()
    }

    fn needs_corpus(&self) -> bool {
        self.lexicon.is_empty()
    }

    fn reads_again(&self) -> bool {
        false
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, _: &mut Watch<'_>) -> Result<Learned> {
        let (model, files) = train(self, corpus, threads)?;
        let learned = Learned::new(model.settings(), self, model.labels(), model.sections());
        Ok(Learned { files, ..learned })
    }
}

/// Trains on a corpus and on the lexicons that the settings name. Also returns the names of the
/// lexicons' sources.
///
/// Occurrences that the protocol leaves unscored (sentence-initial words) count only for words that
/// were seen nowhere else: see [`LexiconEntry::majority`](crate::lexicon::LexiconEntry::majority).
///
/// # Errors
/// If the corpus cannot be read or shows nothing about case: it has no words, no capitals,
/// or only capitals.
pub fn train(
    config: &MajorityConfig,
    corpus: &Corpus,
    threads: NonZeroUsize,
) -> Result<(Majority, Vec<String>)> {
    let mut lexicon = build::build(corpus, &corpus.name(), threads)?;
    if lexicon.is_empty() && config.lexicon.is_empty() {
        return Err(build::no_words(corpus));
    }
    build::check_cased(&lexicon, &corpus.name())?;
    let language = Some(corpus.language().to_owned());
    let reading = read::LexiconReadConfig { language, ..read::LexiconReadConfig::default() };
    let mut sources = Vec::new();
    for file in &config.lexicon {
        let more = read::read(files::open(file)?, &reading)?;
        corpus.note(more.notes());
        sources.extend(more.sources().iter().map(|source| source.name().to_owned()));
        lexicon = lexicon.merge(&more)?;
    }
    Ok((of_lexicon(config, &lexicon, corpus.locale())?, sources))
}

/// Returns the model of a lexicon: its words, each with its most frequent form.
///
/// # Errors
/// If there are more words than a model can hold.
pub fn of_lexicon(config: &MajorityConfig, lexicon: &Lexicon, locale: Locale) -> Result<Majority> {
    let lexicon = lexicon.limit(config.limits);
    let mut words: Vec<_> = lexicon.iter().collect();
    // Frequent words come first, so that they get the best slots of the table.
    words.sort_by(|a, b| b.total().total_cmp(&a.total()).then_with(|| a.word.cmp(b.word)));
    let settings = MajoritySettings { parts: !config.no_parts && config.limits.vocabulary.is_none() };
    // A lower-case entry for a compound prevents its parts from deciding its case.
    let stays = |entry: &LexiconEntry<'_>, case| {
        case != Case::Lower
            || entry.total() >= config.lower_min_count as f64
            || settings.parts && entry.word.contains(is_joint)
    };
    let case = |entry: &LexiconEntry<'_>| match entry.majority() {
        // Writers who cannot type the ligature write Ijsland, but Dutch has IJsland.
        Case::Mixed(Capitals(1)) => Case::Title,
        case => case,
    };
    let cases = words.iter().map(|entry| (entry, case(entry)));
    let cases: Vec<_> = cases.filter(|(entry, case)| stays(entry, *case)).collect();
    let table =
        CaseTable::build(cases.iter().map(|(entry, case)| (entry.word, *case))).map_err(Error::usage)?;
    Ok(Majority::new(CaseTable::open(Bytes::Owned(table.into())).map_err(Error::usage)?, settings, locale))
}
