//! The map of characters that a vocabulary of SentencePiece applies to text: a trie of bytes, and the
//! texts of its leaves.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

/// A map of characters and short graphemes to texts.
#[derive(Debug)]
pub struct Charsmap {
    /// A double-array trie (Aoe 1989).
    units: Vec<u32>,
    /// The texts, each of which ends with a byte 0.
    texts: Vec<u8>,
}

/// The upper limit of the number of bytes of a text that a character is mapped to.
const LONGEST: usize = 1 << 10;

/// The number of bytes from which a grapheme is mapped character by character.
const LONG: usize = 6;

impl Charsmap {
    /// Reads the normalizer of a `tokenizer.json`.
    pub fn read(json: &Value) -> Result<Self, String> {
        let fault = |problem: &str| format!("has a map of characters that {problem}");
        let text = json["precompiled_charsmap"].as_str().ok_or_else(|| fault("is not text"))?;
        let bytes = STANDARD.decode(text).map_err(|error| fault(&format!("is not base64 ({error})")))?;
        let cut = || fault("is cut off");
        let (length, rest) = bytes.split_at_checked(4).ok_or_else(cut)?;
        let length = length.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
        let (units, texts) = rest.split_at_checked(length).ok_or_else(cut)?;
        let (units, _) = units.as_chunks::<4>();
        let units: Vec<u32> = units.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        if std::str::from_utf8(texts).is_err() {
            return Err(fault("is not UTF-8"));
        }
        if texts.split(|&byte| byte == 0).any(|text| text.len() > LONGEST) {
            return Err(fault("replaces a character by too long a text"));
        }
        Ok(Self { units, texts: texts.to_vec() })
    }

    /// Returns a text after the map is applied to it.
    pub fn normal(&self, text: &str) -> String {
        let mut normal = String::with_capacity(text.len());
        for grapheme in text.graphemes(true) {
            if grapheme.len() < LONG
                && let Some(mapped) = self.mapped(grapheme)
            {
                normal.push_str(mapped);
                continue;
            }
            for c in grapheme.chars() {
                match self.mapped(c.encode_utf8(&mut [0; 4])) {
                    Some(mapped) => normal.push_str(mapped),
                    None => normal.push(c),
                }
            }
        }
        normal
    }

    /// Returns the text that replaces the shortest prefix of `text` that is in the trie.
    fn mapped(&self, text: &str) -> Option<&str> {
        let at = self.leaf(text.as_bytes())?;
        let rest = self.texts.get(at..)?;
        let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        std::str::from_utf8(&rest[..end]).ok()
    }

    /// Follows the bytes of a text through the trie to the first leaf.
    fn leaf(&self, text: &[u8]) -> Option<usize> {
        const HAS_LEAF: u32 = 1 << 8;
        const LABEL: u32 = 1 << 31 | 0xff;
        let offset = |unit: u32| (unit >> 10) << ((unit & 1 << 9) >> 6);
        let unit = |at: u32| self.units.get(at as usize).copied();
        let mut at = offset(unit(0)?);
        for &byte in text.iter().take_while(|byte| **byte != 0) {
            at ^= u32::from(byte);
            let found = unit(at)?;
            if found & LABEL != u32::from(byte) {
                return None;
            }
            at ^= offset(found);
            if found & HAS_LEAF != 0 {
                return usize::try_from(unit(at)? & !(1 << 31)).ok();
            }
        }
        None
    }
}
