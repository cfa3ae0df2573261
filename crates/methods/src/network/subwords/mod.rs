//! Splits words into subwords of an encoder's vocabulary without a tokeniser library: the vocabularies
//! of BERT (WordPiece) and of XLM-R and related encoders (Unigram), which it reads from
//! `tokenizer.json`.

mod charsmap;
mod special;
mod unigram;
mod word_piece;

use std::fmt::Debug;

use serde_json::Value;

pub use special::{Special, SpecialNames};
use unigram::Unigram;
use word_piece::WordPiece;

/// The advice for a tokenizer that only the tokeniser library supports.
pub const NEEDS_NEURAL: &str = "build majuscule with the feature neural";

/// The tokenizer of words into subwords.
pub trait SubwordTokenizer: Debug + Send + Sync {
    /// Returns the subwords of a word; none for a word of punctuation that the vocabulary drops.
    ///
    /// # Errors
    /// Describes the failure.
    fn of(&self, word: &str) -> Result<Vec<u32>, String>;

    /// Returns the subwords before and after each text, and the padding.
    fn special(&self) -> Special;
}

/// A vocabulary that tokenizes words into subwords.
#[derive(Debug)]
pub struct NativeTokenizer {
    kind: TokenizerAlgorithm,
    special: Special,
}

#[derive(Debug)]
enum TokenizerAlgorithm {
    WordPiece(WordPiece),
    Unigram(Unigram),
}

impl TokenizerAlgorithm {
    fn highest(&self) -> u32 {
        match self {
            Self::WordPiece(words) => words.highest(),
            Self::Unigram(subwords) => subwords.highest(),
        }
    }
}

impl NativeTokenizer {
    /// Returns the highest id of a subword.
    pub fn highest(&self) -> u32 {
        self.kind.highest()
    }

    /// Reads a `tokenizer.json` of an encoder with this number of subwords.
    ///
    /// # Errors
    /// Returns a description of the fault in it, or of the unsupported part.
    pub fn read(json: &[u8], subwords: usize) -> Result<Self, String> {
        let mut json: Value =
            serde_json::from_slice(json).map_err(|error| format!("is not a tokenizer ({error})"))?;
        let model = json.get_mut("model").map(Value::take).unwrap_or_default();
        let kind = match model["type"].as_str() {
            Some("WordPiece") => TokenizerAlgorithm::WordPiece(WordPiece::read(model, &json)?),
            Some("Unigram") => TokenizerAlgorithm::Unigram(Unigram::read(model, &json)?),
            Some(kind) => {
                return Err(format!(
                    "has subwords of type {kind}, but this build knows only WordPiece and Unigram: {NEEDS_NEURAL}"
                ));
            }
            None => return Err("has no type of subwords".to_owned()),
        };
        let id = |subword: &str| match &kind {
            TokenizerAlgorithm::WordPiece(words) => words.id(subword),
            TokenizerAlgorithm::Unigram(subwords) => subwords.id(subword),
        };
        let highest = kind.highest();
        if highest as usize >= subwords {
            return Err(format!(
                "has a subword with the number {highest}, but the encoder has {subwords} subwords, numbered from 0"
            ));
        }
        let names = SpecialNames::in_tokenizer(&json["post_processor"], &json["padding"], &id);
        let special = names.ids(subwords, &id)?;
        Ok(Self { kind, special })
    }
}

impl SubwordTokenizer for NativeTokenizer {
    fn of(&self, word: &str) -> Result<Vec<u32>, String> {
        Ok(match &self.kind {
            TokenizerAlgorithm::WordPiece(words) => words.of(word),
            TokenizerAlgorithm::Unigram(subwords) => subwords.of(word),
        })
    }

    fn special(&self) -> Special {
        self.special
    }
}

/// Returns the error for a part of a `tokenizer.json` that is not supported.
fn unknown<T>(part: &str, found: &Value) -> Result<T, String> {
    let found = found["type"].as_str().unwrap_or("of no type");
    Err(format!("has the {part} {found}, which this build does not know: {NEEDS_NEURAL}"))
}

/// The `tokenizer.json` of a toy encoder with subwords.
#[cfg(test)]
pub(crate) const TOY_TOKENIZER: &str =
    include_str!("../../../../../tests/data/toy-distilbert/tokenizer.json");

#[cfg(test)]
mod tests {
    use super::*;

    fn unigram() -> NativeTokenizer {
        let json = include_bytes!("../../../../../tests/data/toy-xlm-roberta/tokenizer.json");
        NativeTokenizer::read(json, 64).unwrap()
    }

    #[test]
    fn words_are_cut_into_the_longest_subwords_or_the_most_probable_ones() {
        let word_piece = NativeTokenizer::read(TOY_TOKENIZER.as_bytes(), 101).unwrap();
        for (word, count) in
            [("lisbon", 1), ("nato", 1), ("bbcs", 2), ("séc", 3), ("o'neill", 7), ("\u{200b}", 0), ("", 0)]
        {
            assert_eq!(word_piece.of(word).unwrap().len(), count, "{word}");
        }
        let unigram = unigram();
        assert_eq!(unigram.special(), Special { first: 0, last: 2, padding: 1 });
        assert_eq!(unigram.of("ᚠ").unwrap(), [4, 3]);
        assert_eq!(unigram.of("ᚠᚠ").unwrap(), [4, 3], "unknown characters in a row are one subword");
        assert_eq!(unigram.of("lisbon").unwrap().len(), 1);
        assert!(unigram.of("").unwrap().is_empty());
    }

    #[test]
    fn what_is_not_known_is_named() {
        let read = |from: &str, to: &str| {
            let json = TOY_TOKENIZER;
            assert!(json.contains(from), "{json}");
            NativeTokenizer::read(json.replace(from, to).as_bytes(), 101).unwrap_err()
        };
        for (from, to, problem) in [
            ("\"WordPiece\"", "\"BPE\"", "has subwords of type BPE"),
            ("\"BertPreTokenizer\"", "\"Whitespace\"", "has the pre-tokenizer Whitespace"),
            ("\"BertNormalizer\"", "\"NFD\"", "has the normalizer NFD"),
            ("\"[UNK]\":1", "\"[???]\":1", "has no [UNK] entry for unknown words"),
            ("\"[CLS]\":2", "\"[???]\":2", "has no subword for the beginning of a text"),
            ("_per_word\":100", "_per_word\":1000000", "max_input_chars_per_word 1000000"),
            ("{", "", "is not a tokenizer"),
        ] {
            let error = read(from, to);
            assert!(error.contains(problem), "{error}");
        }
        for json in ["[]", "null", "7", "{}", "{\"model\":[]}"] {
            let error = NativeTokenizer::read(json.as_bytes(), 101).unwrap_err();
            assert!(error.contains("has no type of subwords"), "{json}: {error}");
        }
        let error = NativeTokenizer::read(TOY_TOKENIZER.as_bytes(), 100).unwrap_err();
        assert_eq!(
            error,
            "has a subword with the number 100, but the encoder has 100 subwords, numbered from 0"
        );
    }
}
