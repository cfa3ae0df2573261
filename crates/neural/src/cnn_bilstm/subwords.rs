//! Learns subwords from the training text (Wu et al. 2016), and selects the words that get their own vector.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use majuscule_base::error::{Error, Result};
use majuscule_methods::network::subwords::{NativeTokenizer, SubwordTokenizer};
use majuscule_train::methods::forms::CorpusForms;
use rustc_hash::FxHashMap;
use tokenizers::models::wordpiece::{WordPiece, WordPieceTrainer};
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::tokenizer::Trainer as _;
use tokenizers::{AddedToken, NormalizedString, Normalizer as _, OffsetReferential, OffsetType};
use tokenizers::{PreTokenizedString, PreTokenizer as _, Tokenizer};

/// The special subwords, which are not parts of words, in the order of their ids.
const SPECIAL: [&str; 4] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];

/// The least number of times that a letter must occur to become a subword: rarer letters are unknown.
const LETTER_WORDS: u64 = 5;

/// The least number of times that a word must occur to get its own vector.
const WORD_TIMES: u64 = 4;

/// Learns up to this many subwords, and returns them as a `tokenizer.json`.
pub(super) fn learn(forms: &CorpusForms, subwords: usize) -> Result<Vec<u8>> {
    let failed = |problem: Box<dyn std::error::Error + Send + Sync>| {
        Error::usage(format!("no subwords could be learned ({problem})"))
    };
    let normalizer = BertNormalizer::new(true, true, Some(false), true);
    let mut runs: FxHashMap<String, u64> = FxHashMap::default();
    let mut letters: FxHashMap<char, u64> = FxHashMap::default();
    for (word, count) in forms.words() {
        let mut normal = NormalizedString::from(word);
        normalizer.normalize(&mut normal).map_err(failed)?;
        let mut cut = PreTokenizedString::from(normal);
        BertPreTokenizer.pre_tokenize(&mut cut).map_err(failed)?;
        for (run, ..) in cut.get_splits(OffsetReferential::Normalized, OffsetType::None) {
            *runs.entry(run.to_owned()).or_default() += count;
            run.chars().for_each(|letter| *letters.entry(letter).or_default() += count);
        }
    }
    // Runs with rare letters are removed. The rest is sorted: the subwords must not depend on the order of a hash
    // map.
    let mut runs: Vec<(&str, u64)> = runs.iter().map(|(run, count)| (run.as_str(), *count)).collect();
    let is_known = |run: &str| run.chars().all(|letter| letters[&letter] >= LETTER_WORDS);
    runs.retain(|(run, _)| is_known(run));
    runs.sort_unstable();
    // The trainer numbers letters inside words in the order of a hash map, unless the vocabulary already has them.
    let inner: BTreeSet<char> = runs.iter().flat_map(|(run, _)| run.chars().skip(1)).collect();
    let first = SPECIAL.iter().map(|name| (*name).to_owned());
    let first = first.chain(inner.into_iter().map(|letter| format!("##{letter}")));
    let repeated = runs.iter().flat_map(|(run, count)| std::iter::repeat_n(*run, *count as usize));
    let mut trainer = WordPieceTrainer::builder()
        .vocab_size(subwords)
        .min_frequency(2)
        .show_progress(false)
        .special_tokens(first.map(|name| AddedToken::from(name, true)).collect())
        .build();
    trainer.feed(repeated, |run| Ok(vec![run.to_owned()])).map_err(failed)?;
    let mut model = WordPiece::builder().unk_token(SPECIAL[1].to_owned()).build().map_err(failed)?;
    trainer.train(&mut model).map_err(failed)?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_normalizer(Some(normalizer)).map_err(failed)?;
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    tokenizer.to_string(false).map(String::into_bytes).map_err(failed)
}

/// Returns the most frequent words that are cut into several subwords, at most `count`, one per line.
pub(super) fn whole_words(forms: &CorpusForms, subwords: &NativeTokenizer, count: usize) -> Result<String> {
    let mut words: Vec<(&str, u64)> = forms.words().filter(|(_, times)| *times >= WORD_TIMES).collect();
    words.sort_unstable_by_key(|&(word, times)| (Reverse(times), word));
    let mut found = String::new();
    let mut left = count;
    for (word, _) in words {
        if left == 0 {
            break;
        }
        let cut = subwords.of(word).map_err(Error::usage)?;
        if cut.len() > 1 {
            found.extend([word, "\n"]);
            left -= 1;
        }
    }
    Ok(found)
}
