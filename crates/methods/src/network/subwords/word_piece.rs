//! The vocabularies of BERT: a word is split at the longest subword with which it begins, and its
//! remainder likewise (Wu et al. 2016, section 4.1).

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

use super::unknown;

/// A vocabulary of words and of subwords that continue words.
#[derive(Debug)]
pub struct WordPiece {
    subwords: FxHashMap<Box<str>, u32>,
    unknown: u32,
    /// The prefix of subwords that continue a word.
    prefix: String,
    /// The number of characters of the longest word that is split.
    longest: usize,
    normalizer: BertNormalizer,
}

/// The changes to a word before it is split.
#[derive(Debug, Clone, Copy, Deserialize)]
struct BertNormalizer {
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    lowercase: bool,
}

#[derive(Deserialize)]
struct WordPieceModel {
    vocab: FxHashMap<Box<str>, u32>,
    unk_token: String,
    #[serde(default = "hashes")]
    continuing_subword_prefix: String,
    #[serde(default = "hundred")]
    max_input_chars_per_word: usize,
}

fn hashes() -> String {
    "##".to_owned()
}

fn hundred() -> usize {
    100
}

/// The upper limit of the length of a word that is split, because tokenizing takes time proportional
/// to the square of the length.
const MOST: usize = 1 << 12;

impl WordPiece {
    /// Reads the model of a `tokenizer.json` and its other parts.
    pub fn read(model: Value, parts: &Value) -> Result<Self, String> {
        if parts["pre_tokenizer"]["type"] != "BertPreTokenizer" {
            return unknown("pre-tokenizer", &parts["pre_tokenizer"]);
        }
        if parts["normalizer"]["type"] != "BertNormalizer" {
            return unknown("normalizer", &parts["normalizer"]);
        }
        let fault = |error: serde_json::Error| format!("is not a WordPiece tokenizer ({error})");
        let normalizer = BertNormalizer::deserialize(&parts["normalizer"]).map_err(fault)?;
        let WordPieceModel { vocab, unk_token, continuing_subword_prefix, max_input_chars_per_word } =
            serde_json::from_value(model).map_err(fault)?;
        let Some(&unknown) = vocab.get(unk_token.as_str()) else {
            return Err(format!("has no {unk_token} entry for unknown words"));
        };
        if max_input_chars_per_word > MOST {
            return Err(format!(
                "has max_input_chars_per_word {max_input_chars_per_word}: expected a number up to {MOST}"
            ));
        }
        Ok(Self {
            subwords: vocab,
            unknown,
            prefix: continuing_subword_prefix,
            longest: max_input_chars_per_word,
            normalizer,
        })
    }

    /// Returns the id of a subword.
    pub fn id(&self, subword: &str) -> Option<u32> {
        self.subwords.get(subword).copied()
    }

    /// Returns the highest id.
    pub fn highest(&self) -> u32 {
        self.subwords.values().copied().max().unwrap_or_default()
    }

    /// Returns the subwords of a word.
    pub fn of(&self, word: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let normal = self.normalizer.normal(word);
        for part in normal.split(char::is_whitespace) {
            let mut rest = part;
            while let Some(first) = rest.chars().next() {
                let end = match is_mark(first) {
                    true => first.len_utf8(),
                    false => rest.find(is_mark).unwrap_or(rest.len()),
                };
                let (run, after) = rest.split_at(end);
                self.cut(run, &mut ids);
                rest = after;
            }
        }
        ids
    }

    /// Appends the subwords of a run of letters, or of a punctuation character.
    fn cut(&self, run: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut start = 0;
        let mut candidate = String::new();
        if run.chars().count() > self.longest {
            return ids.push(self.unknown);
        }
        while start < run.len() {
            candidate.clear();
            if start > 0 {
                candidate.push_str(&self.prefix);
            }
            let prefix = candidate.len();
            candidate.push_str(&run[start..]);
            let id = loop {
                if let Some(id) = self.id(&candidate) {
                    break id;
                }
                candidate.pop();
                if candidate.len() <= prefix {
                    ids.truncate(before);
                    return ids.push(self.unknown);
                }
            };
            ids.push(id);
            start += candidate.len() - prefix;
        }
    }
}

impl BertNormalizer {
    fn normal(self, word: &str) -> String {
        let is_kept = |c: &char| {
            !self.clean_text
                || !matches!(c, '\0' | '\u{fffd}') && (matches!(c, '\t' | '\n' | '\r') || !c.is_other())
        };
        let kept =
            word.chars().filter(is_kept).map(|c| if self.clean_text && c.is_whitespace() { ' ' } else { c });
        let mut normal = String::with_capacity(word.len());
        for c in kept {
            let spaces = self.handle_chinese_chars && is_ideograph(c);
            normal.extend(spaces.then_some(' '));
            normal.push(c);
            normal.extend(spaces.then_some(' '));
        }
        if self.strip_accents.unwrap_or(self.lowercase) {
            normal = normal.nfd().filter(|c| !c.is_mark_nonspacing()).collect();
        }
        if self.lowercase {
            normal = normal.chars().flat_map(char::to_lowercase).collect();
        }
        normal
    }
}

/// Returns true for a punctuation character, which is separated from the characters around it.
fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation() || c.is_punctuation()
}

/// Returns true for a character of the blocks of Chinese characters, each of which is a word.
fn is_ideograph(c: char) -> bool {
    matches!(
        u32::from(c),
        0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xF900..=0xFAFF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0x2F800..=0x2FA1F
    )
}
