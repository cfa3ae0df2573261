//! A cased corpus in, the most frequent form of each of its words out.

use std::num::{NonZeroU64, NonZeroUsize};

use serde::{Deserialize, Serialize};

use super::{Majority, Settings, Table};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::lexicon::{Counter, Initial, Lexicon, Limits};
use crate::model::{Bytes, Training};
use crate::text::{Case, Labels};

/// How `majority` is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Config {
    /// Leave out words seen fewer times than this, whatever their case
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value = "1"))]
    pub min_count: NonZeroU64,
    /// Keep the N most frequent words; every other word stays lower-cased. Implies --no-parts
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub vocabulary: Option<NonZeroUsize>,
    /// Keep compound words that were not seen (jean-jacques) lower-cased, as the papers' baseline does, instead of giving
    /// them the case of their parts
    #[cfg_attr(feature = "cli", arg(long))]
    pub no_parts: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { min_count: NonZeroU64::MIN, vocabulary: None, no_parts: false }
    }
}

/// Trains on a corpus. Words that its protocol leaves unscored (the first of a sentence) count only where a word was seen
/// nowhere else: see [`Entry::majority`](crate::lexicon::Entry::majority).
///
/// # Errors
/// Where the corpus cannot be read, or shows nothing about case: it has no words, no capitals or nothing else.
pub fn train(config: &Config, corpus: &Corpus, threads: NonZeroUsize) -> Result<(Majority, Training)> {
    let (lexicon, training) = count(corpus, threads)?;
    check(&lexicon)?;
    let limits = Limits { min_count: config.min_count.get(), vocabulary: config.vocabulary };
    let lexicon = lexicon.limit(limits);
    let mut words: Vec<_> = lexicon.iter().collect();
    words.sort_by(|a, b| b.total().total_cmp(&a.total()).then_with(|| a.word.cmp(b.word)));
    let cases = words.iter().map(|entry| (entry.word, entry.majority(Initial::Apart)));
    let table = Table::build(cases).map_err(Error::Usage)?;
    let model = Majority {
        words: Table::open(Bytes::Owned(table.into())).map_err(Error::Usage)?,
        settings: Settings { parts: !config.no_parts && config.vocabulary.is_none() },
        locale: corpus.locale(),
        labels: Labels::cases(),
    };
    Ok((model, training))
}
