//! The words of a model with their cases: a hash table that is read in place, from a file or from
//! the program's own data.
//!
//! Layout, little-endian: `MJWORDS1`, the number of slots and of words (u32 each), the slots (u32),
//! the entries. An empty slot is 0; otherwise its upper 8 bits are a fingerprint of the word and
//! its lower 24 bits the position of the entry in units of 4 bytes, counted from 1. An entry is the
//! length of the word (u8), its case (u8: lower, title, upper, mixed), the word, and for a mixed
//! case its capitals (u64), padded to 4 bytes. Collisions go to the next slot.

use crate::model::Bytes;
use majuscule_base::bytes::hash::product;
use majuscule_base::error::option;
use majuscule_text::{Capitals, Case};

const MAGIC: &[u8; 8] = b"MJWORDS1";
const HEAD: usize = 16;
const UNIT: usize = 4;

/// The maximum number of units that 24 bits can address.
const MAX_UNITS: usize = (1 << 24) - 1;

/// Words with their cases.
#[derive(Debug, Clone)]
pub struct CaseTable {
    bytes: Bytes,
    slots: usize,
    words: usize,
}

impl CaseTable {
    /// Builds the bytes of a table. Frequent words should come first, since they get the best
    /// slots. A duplicate word keeps its first case; words of more than 255 bytes are left out.
    ///
    /// # Errors
    /// If the words need more than 64 MB.
    pub fn build<'a>(words: impl ExactSizeIterator<Item = (&'a str, Case)>) -> Result<Vec<u8>, String> {
        // Three slots for two words keep the probe sequences short.
        let slot_count = (words.len() * 3 / 2 + 1).next_multiple_of(16);
        let mut slots = vec![0u32; slot_count];
        let mut entries: Vec<u8> = Vec::new();
        let mut count = 0u32;
        for (word, case) in words {
            let Ok(len) = u8::try_from(word.len()) else { continue };
            let unit = entries.len() / UNIT + 1;
            if unit > MAX_UNITS {
                let [least, most] = ["min-count", "vocabulary"].map(option);
                return Err(format!("the words take more than 64 MB: raise {least} or set {most}"));
            }
            let hash = hash(word.as_bytes());
            let Some(free) = free_slot(&slots, &entries, hash, word) else { continue };
            slots[free] = fingerprint(hash) << 24 | unit as u32;
            count += 1;
            entries.extend([len, case.class() as u8]);
            entries.extend(word.as_bytes());
            if let Case::Mixed(Capitals(capitals)) = case {
                entries.extend(capitals.to_le_bytes());
            }
            entries.resize(entries.len().next_multiple_of(UNIT), 0);
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend((slot_count as u32).to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(slots.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(entries);
        Ok(bytes)
    }

    /// Opens the bytes of a table.
    ///
    /// # Errors
    /// If the bytes are not a table or are truncated. Bytes altered elsewhere give wrong cases, but
    /// never a panic.
    pub fn open(bytes: Bytes) -> Result<Self, String> {
        if !bytes.starts_with(MAGIC) {
            return Err("does not begin with MJWORDS1, so it holds no words".into());
        }
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
        let (Some(slots), Some(words)) = (number(8), number(12)) else { return Err("is cut off".into()) };
        if slots == 0 || bytes.len() < HEAD || (bytes.len() - HEAD) / 4 < slots {
            return Err("is cut off".into());
        }
        Ok(Self { bytes, slots, words })
    }

    /// Returns the bytes of the table.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words
    }

    /// Returns true if the table has no words.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Returns the case of a word; `None` if the table lacks the word.
    #[inline]
    pub fn get(&self, word: &str) -> Option<Case> {
        let hash = hash(word.as_bytes());
        let (slots, entries) = self.bytes[HEAD..].split_at(self.slots * 4);
        let mut at = home(hash, self.slots);
        // Only a damaged table has no empty slot; a search in such a table must end too.
        for _ in 0..self.slots {
            let slot = slots.get(at * 4..at * 4 + 4)?;
            let slot = u32::from_le_bytes([slot[0], slot[1], slot[2], slot[3]]);
            if slot == 0 {
                return None;
            }
            if slot >> 24 == fingerprint(hash)
                && let Some((found, case)) = entry(entries, slot)
                && found == word.as_bytes()
            {
                return Some(case);
            }
            at = if at + 1 == self.slots { 0 } else { at + 1 };
        }
        None
    }
}

/// Returns the first empty slot for a word; `None` if the table already has the word.
fn free_slot(slots: &[u32], entries: &[u8], hash: u64, word: &str) -> Option<usize> {
    let mut at = home(hash, slots.len());
    while slots[at] != 0 {
        if entry(entries, slots[at]).is_some_and(|(found, _)| found == word.as_bytes()) {
            return None;
        }
        at = if at + 1 == slots.len() { 0 } else { at + 1 };
    }
    Some(at)
}

/// Returns the word and case that a slot points to.
#[inline]
fn entry(entries: &[u8], slot: u32) -> Option<(&[u8], Case)> {
    let start = (slot as usize & MAX_UNITS).checked_sub(1)? * UNIT;
    let [len, class, rest @ ..] = entries.get(start..)? else { return None };
    let word = rest.get(..*len as usize)?;
    let case = match class {
        0 => Case::Lower,
        1 => Case::Title,
        2 => Case::Upper,
        3 => {
            let capitals = rest.get(*len as usize..)?.first_chunk()?;
            Case::Mixed(Capitals(u64::from_le_bytes(*capitals)))
        }
        _ => return None,
    };
    Some((word, case))
}

/// Returns the preferred slot of a hash: its upper bits, scaled.
#[inline]
fn home(hash: u64, slots: usize) -> usize {
    ((u128::from(hash) * slots as u128) >> 64) as usize
}

/// Returns eight bits of the hash that do not determine the slot.
#[inline]
fn fingerprint(hash: u64) -> u32 {
    hash as u32 & 0xff
}

/// Returns a hash of words, eight bytes per step, by multiplication and shifts. It is part of the
/// format, so it never changes.
#[inline]
fn hash(word: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, part: u64| {
        let (low, high) = product(hash ^ part, K);
        high ^ low
    };
    let mut hash = word.len() as u64 ^ 0x6d61_6a75_7363_756c;
    let (parts, rest) = word.as_chunks();
    for part in parts {
        hash = mix(hash, u64::from_le_bytes(*part));
    }
    // The hash is mixed twice, so that the last bytes reach the upper bits too.
    mix(mix(hash, number(rest)), K)
}

/// Returns up to seven bytes as a little-endian number. It reads them in two or three loads that
/// may overlap, because a copy of so few bytes costs as much as the other steps of the hash.
#[inline]
fn number(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u64::from(u32::from_le_bytes(*first))
            | u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
    }
    let byte = |at: usize| bytes.get(at).map_or(0, |&b| u64::from(b) << (8 * at));
    byte(0) | byte(len / 2) | byte(len.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn table(words: &BTreeMap<String, Case>) -> CaseTable {
        let bytes = CaseTable::build(words.iter().map(|(word, case)| (word.as_str(), *case))).unwrap();
        CaseTable::open(Bytes::Owned(bytes.into())).unwrap()
    }

    fn any_case() -> impl Strategy<Value = Case> {
        prop_oneof![
            Just(Case::Lower),
            Just(Case::Title),
            Just(Case::Upper),
            any::<u64>().prop_map(|capitals| Case::Mixed(Capitals(capitals)))
        ]
    }

    proptest! {
        #[test]
        fn a_number_is_its_bytes_and_zeros(bytes in prop::collection::vec(any::<u8>(), 0..8)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(&bytes);
            prop_assert_eq!(number(&bytes), u64::from_le_bytes(all));
        }

        #[test]
        fn the_table_is_a_map(words in prop::collection::btree_map(".{0,12}", any_case(), 0..200), other in ".{0,3}") {
            let table = table(&words);
            prop_assert_eq!(table.len(), words.len());
            for (word, case) in &words {
                prop_assert_eq!(table.get(word), Some(*case));
            }
            prop_assert_eq!(table.get(&other), words.get(&other).copied());
        }

        #[test]
        fn damage_never_panics(at in 0usize..400, byte: u8, cut in 0usize..400) {
            let words: BTreeMap<_, _> = (0..20).map(|i| (format!("word{i}"), Case::Mixed(Capitals(i)))).collect();
            let mut bytes = CaseTable::build(words.iter().map(|(word, case)| (word.as_str(), *case))).unwrap();
            let len = bytes.len();
            bytes[at % len] = byte;
            bytes.truncate(len - cut % len);
            if let Ok(table) = CaseTable::open(Bytes::Owned(bytes.into())) {
                for word in words.keys() {
                    table.get(word);
                }
            }
        }
    }
}
