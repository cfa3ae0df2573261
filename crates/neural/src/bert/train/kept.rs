//! The vocabulary of a pretrained encoder, cut to the subwords that a corpus uses.

use std::collections::BTreeSet;

use candle_core::{Device, Result as Computed, Tensor};
use rustc_hash::FxHashSet;

use super::pretrained::Pretrained;
use crate::bert::failed;
use crate::bert::tokenize::SubwordTokenizer;
use majuscule_base::error::Result;
use majuscule_train::corpus::Corpus;

/// The table with a row for each subword.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// Cuts the vocabulary to the subwords of the words of a corpus, and to the subwords that any other
/// word may need. The words of the corpus have the same subwords and vectors as before.
///
/// # Errors
/// Fails if the corpus cannot be read, or if the tokenizer cannot be cut.
pub(super) fn keep_subwords(pretrained: Pretrained, corpus: &Corpus) -> Result<Pretrained> {
    let Pretrained { mut config, subwords, mut weights } = pretrained;
    let mut words: FxHashSet<String> = FxHashSet::default();
    let mut used = BTreeSet::new();
    corpus.for_each(&mut |example| {
        for (lower, _) in example.tokens.iter() {
            if !words.contains(lower) {
                used.extend(subwords.of(lower).map_err(failed)?);
                words.insert(lower.to_owned());
            }
        }
        Ok(())
    })?;
    // RoBERTa counts positions from the id of its padding, which must not change.
    used.extend(0..config.first_position as u32);
    let (subwords, kept) = subwords.cut(used).map_err(failed)?;
    let rows = || -> Computed<Tensor> {
        let kept = Tensor::from_slice(&kept, kept.len(), &Device::Cpu)?;
        weights[WORDS].index_select(&kept, 0)
    };
    let rows = rows().map_err(failed)?;
    weights.insert(WORDS.to_owned(), rows);
    config.vocab_size = kept.len();
    Ok(Pretrained { config, subwords, weights })
}
