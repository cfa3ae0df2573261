//! The vocabularies of XLM-R and related encoders: a word is split into the subwords whose
//! probabilities have the largest product (Kudo 2018).

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::charsmap::Charsmap;
use super::{NEEDS_NEURAL, unknown};

/// A vocabulary of subwords with ln of their probabilities.
#[derive(Debug)]
pub struct Unigram {
    subwords: FxHashMap<Box<str>, (u32, f64)>,
    /// The largest number of bytes of a subword.
    longest: usize,
    highest: u32,
    unknown: u32,
    /// ln of the probability of a character that no subword has.
    unknown_score: f64,
    normalizers: Vec<UnigramNormalizer>,
    /// The character that represents a space; each word begins with it.
    space: char,
}

/// A change to a word before it is split.
#[derive(Debug)]
enum UnigramNormalizer {
    Nfc,
    Nfkc,
    Charsmap(Charsmap),
}

#[derive(Deserialize)]
struct UnigramModel {
    vocab: Vec<(Box<str>, f64)>,
    unk_id: Option<u32>,
    #[serde(default)]
    byte_fallback: bool,
}

/// The amount by which ln of the probability of an unknown character is lower than ln of the
/// probability of the rarest subword.
const PENALTY: f64 = 10.0;

impl Unigram {
    /// Reads the model of a `tokenizer.json` and its other parts.
    pub fn read(model: Value, parts: &Value) -> Result<Self, String> {
        let fault = |error: serde_json::Error| format!("is not a Unigram tokenizer ({error})");
        let UnigramModel { vocab, unk_id, byte_fallback } = serde_json::from_value(model).map_err(fault)?;
        let unknown = match unk_id {
            Some(id) if (id as usize) < vocab.len() && !byte_fallback => id,
            Some(id) if byte_fallback => {
                return Err(format!("falls back on bytes for the subword {id}: {NEEDS_NEURAL}"));
            }
            _ => return Err("has no entry for unknown words".to_owned()),
        };
        let mut normalizers = Vec::new();
        read_normalizers(&parts["normalizer"], &mut normalizers)?;
        let space = space(&parts["pre_tokenizer"])?;
        let rarest = vocab.iter().map(|(_, score)| *score).fold(f64::INFINITY, f64::min);
        let highest = vocab.len().saturating_sub(1) as u32;
        let longest = vocab.iter().map(|(subword, _)| subword.len()).max().unwrap_or_default();
        // Among equal subwords, the last one counts.
        let subwords =
            vocab.into_iter().zip(0..).map(|((subword, score), id)| (subword, (id, score))).collect();
        Ok(Self { subwords, longest, highest, unknown, unknown_score: rarest - PENALTY, normalizers, space })
    }

    /// Returns the id of a subword.
    pub fn id(&self, subword: &str) -> Option<u32> {
        self.subwords.get(subword).map(|(id, _)| *id)
    }

    /// Returns the highest id.
    pub fn highest(&self) -> u32 {
        self.highest
    }

    /// Returns the subwords of a word.
    pub fn of(&self, word: &str) -> Vec<u32> {
        let mut normal = Cow::Borrowed(word);
        for normalizer in &self.normalizers {
            normal = match normalizer {
                UnigramNormalizer::Nfc => normal.nfc().collect::<String>().into(),
                UnigramNormalizer::Nfkc => normal.nfkc().collect::<String>().into(),
                UnigramNormalizer::Charsmap(map) => map.normal(&normal).into(),
            };
        }
        let mut ids = Vec::new();
        for part in normal.split_whitespace() {
            // A space character that the text itself contains begins a word, too.
            let mut begun = String::from(self.space);
            begun.push_str(part.strip_prefix(self.space).unwrap_or(part));
            let mut starts = begun.match_indices(self.space).map(|(at, _)| at).skip(1);
            let mut from = 0;
            while from < begun.len() {
                let to = starts.next().unwrap_or(begun.len());
                self.cut(&begun[from..to], &mut ids);
                from = to;
            }
        }
        ids
    }

    /// Appends the subwords of a word that begins with its space.
    fn cut(&self, word: &str, ids: &mut Vec<u32>) {
        /// The best segmentation up to a position: its score, and the beginning and the id of its
        /// last subword.
        #[derive(Clone, Copy)]
        struct Best {
            score: f64,
            from: usize,
            id: u32,
        }
        let mut best: Vec<Option<Best>> = vec![None; word.len() + 1];
        for (from, first) in word.char_indices() {
            let before = best[from].map_or(0.0, |best| best.score);
            let mut reach = |to: usize, id: u32, score: f64| {
                if best[to].is_none_or(|best| before + score > best.score) {
                    best[to] = Some(Best { score: before + score, from, id });
                }
            };
            let mut has_single = false;
            let single = first.len_utf8();
            let ends = word[from..].char_indices().map(|(at, c)| at + c.len_utf8());
            for length in ends.take_while(|&length| length <= self.longest) {
                if let Some(&(id, score)) = self.subwords.get(&word[from..from + length]) {
                    reach(from + length, id, score);
                    has_single |= length == single;
                }
            }
            if !has_single {
                reach(from + single, self.unknown, self.unknown_score);
            }
        }
        let start = ids.len();
        let mut end = word.len();
        while let Some(Best { from, id, .. }) = best[end].filter(|_| end > 0) {
            // Unknown characters in a row are one subword.
            if id != self.unknown || ids.len() == start || ids.last() != Some(&id) {
                ids.push(id);
            }
            end = from;
        }
        ids[start..].reverse();
    }
}

/// Reads normalizers in their order.
fn read_normalizers(json: &Value, out: &mut Vec<UnigramNormalizer>) -> Result<(), String> {
    match json["type"].as_str() {
        None if json.is_null() => {}
        Some("NFC") => out.push(UnigramNormalizer::Nfc),
        Some("NFKC") => out.push(UnigramNormalizer::Nfkc),
        Some("Precompiled") => out.push(UnigramNormalizer::Charsmap(Charsmap::read(json)?)),
        Some("Sequence") => {
            let mut parts = json["normalizers"].as_array().into_iter().flatten();
            parts.try_for_each(|part| read_normalizers(part, out))?;
        }
        _ => return unknown("normalizer", json),
    }
    Ok(())
}

/// Returns the character that a pre-tokenizer adds before each word to represent a space.
fn space(json: &Value) -> Result<char, String> {
    match json["type"].as_str() {
        Some("Metaspace") if json["split"] != false && json["prepend_scheme"] != "never" => {
            let space = json["replacement"].as_str().and_then(|space| space.chars().next());
            space.ok_or_else(|| "has a Metaspace without a replacement".to_owned())
        }
        Some("Sequence") => {
            let parts = json["pretokenizers"].as_array().map(Vec::as_slice).unwrap_or_default();
            match parts {
                [first, last] if first["type"] == "WhitespaceSplit" => space(last),
                [only] => space(only),
                _ => unknown("pre-tokenizer", json),
            }
        }
        _ => unknown("pre-tokenizer", json),
    }
}
