//! Hashes with small values: open addressing in bytes that are used where they lie, in a file or in the program.
//!
//! Layout, little-endian: `MJHASHES`, the number of bytes of a value and of slots (u32 each), the slots. A slot is a
//! fingerprint of two bytes, 0 where it is empty, and the value. A hash that is not there is taken for another one about
//! twice in 65,536 times.

use crate::bytes::Bytes;

const MAGIC: &[u8; 8] = b"MJHASHES";
const HEAD: usize = 16;

/// Values of `N` bytes by hash.
#[derive(Debug, Clone)]
pub struct Table<const N: usize> {
    bytes: Bytes,
    slots: usize,
}

impl<const N: usize> Table<N> {
    const SLOT: usize = 2 + N;

    /// Builds the bytes of a table; of equal hashes the first stays.
    pub fn build(values: impl ExactSizeIterator<Item = (u64, [u8; N])>) -> Vec<u8> {
        // Six slots for five values.
        let slots = values.len() + values.len() / 5 + 1;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((N as u32).to_le_bytes());
        bytes.extend((slots as u32).to_le_bytes());
        bytes.resize(HEAD + slots * Self::SLOT, 0);
        for (hash, value) in values {
            let mark = fingerprint(hash).to_le_bytes();
            let mut at = home(hash, slots);
            loop {
                let slot = &mut bytes[HEAD + at * Self::SLOT..][..Self::SLOT];
                if slot[..2] == [0, 0] {
                    slot[..2].copy_from_slice(&mark);
                    slot[2..].copy_from_slice(&value);
                    break;
                }
                at = if at + 1 == slots { 0 } else { at + 1 };
            }
        }
        bytes
    }

    /// Takes the bytes of a table.
    ///
    /// # Errors
    /// Where they are no table of such values, or cut off. Bytes altered elsewhere give wrong values, and never a panic.
    pub fn open(bytes: Bytes) -> Result<Self, String> {
        if !bytes.starts_with(MAGIC) {
            return Err("does not begin with MJHASHES".to_owned());
        }
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
        let (Some(width), Some(slots)) = (number(8), number(12)) else { return Err("is cut off".to_owned()) };
        if width != N {
            return Err(format!("has values of {width} bytes, but the model's settings ask for {N}"));
        }
        if slots == 0 || (bytes.len() - HEAD) / Self::SLOT < slots {
            return Err("is cut off".to_owned());
        }
        Ok(Self { bytes, slots })
    }

    /// The bytes that it is.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value of a hash.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<&[u8; N]> {
        let mark = fingerprint(hash);
        let slots = &self.bytes[HEAD..];
        let mut at = home(hash, self.slots);
        // A table with no empty slot, which only damage can make, must not hold us forever.
        for _ in 0..self.slots {
            let slot = slots.get(at * Self::SLOT..(at + 1) * Self::SLOT)?;
            let found = u16::from_le_bytes([slot[0], slot[1]]);
            if found == mark {
                return slot[2..].first_chunk();
            }
            if found == 0 {
                return None;
            }
            at = if at + 1 == self.slots { 0 } else { at + 1 };
        }
        None
    }
}

/// The slot where a hash would like to be: the upper bits, scaled.
#[inline]
fn home(hash: u64, slots: usize) -> usize {
    ((u128::from(hash) * slots as u128) >> 64) as usize
}

/// Bits that do not choose the slot; never 0.
#[inline]
fn fingerprint(hash: u64) -> u16 {
    (hash as u16).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn every_hash_has_its_value_and_hardly_another_one_any(
            values in prop::collection::btree_map(any::<u64>(), any::<[u8; 3]>(), 0..300), others in prop::collection::vec(any::<u64>(), 100),
        ) {
            let values: BTreeMap<u64, [u8; 3]> = values;
            let table = Table::open(Table::build(values.iter().map(|(&hash, &value)| (hash, value))).into()).unwrap();
            for (hash, value) in &values {
                prop_assert_eq!(table.get(*hash), Some(value));
            }
            prop_assert!(others.iter().filter(|hash| table.get(**hash).is_some()).count() < 5);
        }

        #[test]
        fn damage_never_panics(at in 0usize..400, byte: u8, cut in 0usize..400) {
            let mut bytes = Table::build((0..50u8).map(|i| (u64::from(i) << 57 | u64::from(i), [i; 4])));
            let len = bytes.len();
            bytes[at % len] = byte;
            bytes.truncate(len - cut % len);
            if let Ok(table) = Table::<4>::open(bytes.into()) {
                for i in 0..50u64 {
                    table.get(i << 57 | i);
                }
            }
        }
    }
}
