//! Hashes with small values, in bytes that are used where they lie, in a file or in the program.
//!
//! Layout, little-endian: `MJHASHES`, the number of bytes of a value, of buckets and of entries (u32 each); for each bucket, and
//! once more, the first of its entries (u32); the entries, each a fingerprint of two bytes and the value. The upper bits of
//! a hash choose its bucket, which holds four entries on average, so a search ends within a line or two of memory whether
//! or not it finds anything. A hash that is not there is taken for another one about four times in 65,536.

use crate::bytes::Bytes;

const MAGIC: &[u8; 8] = b"MJHASHES";
const HEAD: usize = 20;

/// Entries for each bucket.
const FULL: usize = 4;

/// Values of `N` bytes by hash.
#[derive(Debug, Clone)]
pub struct Table<const N: usize> {
    bytes: Bytes,
    buckets: usize,
    entries: usize,
}

/// Where the entries of a hash would be.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    start: u32,
    end: u32,
    mark: u16,
}

impl<const N: usize> Table<N> {
    const ENTRY: usize = 2 + N;

    /// Builds the bytes of a table; of equal hashes the first stays.
    pub fn build(values: impl Iterator<Item = (u64, [u8; N])>) -> Vec<u8> {
        let mut values: Vec<(u64, [u8; N])> = values.collect();
        values.sort_by_key(|(hash, _)| *hash);
        values.dedup_by_key(|(hash, _)| *hash);
        let buckets = values.len() / FULL + 1;
        let mut bytes = MAGIC.to_vec();
        for number in [N, buckets, values.len()] {
            bytes.extend((number as u32).to_le_bytes());
        }
        // The hashes are sorted, so the buckets follow each other.
        let mut start = 0;
        for number in 0..=buckets {
            start += values[start..].partition_point(|(hash, _)| bucket(*hash, buckets) < number);
            bytes.extend((start as u32).to_le_bytes());
        }
        for (hash, value) in values {
            bytes.extend(fingerprint(hash).to_le_bytes());
            bytes.extend(value);
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
        let (Some(width), Some(buckets), Some(entries)) = (number(8), number(12), number(16)) else {
            return Err("is cut off".to_owned());
        };
        if width != N {
            return Err(format!("has values of {width} bytes, but the model's settings ask for {N}"));
        }
        let starts = buckets.checked_add(1).and_then(|starts| starts.checked_mul(4));
        let size =
            starts.and_then(|size| entries.checked_mul(Self::ENTRY)?.checked_add(size)?.checked_add(HEAD));
        if buckets == 0 || size != Some(bytes.len()) {
            return Err(format!(
                "has {} bytes, but its head says {}: cut off or altered",
                bytes.len(),
                size.unwrap_or(0)
            ));
        }
        Ok(Self { bytes, buckets, entries })
    }

    /// The bytes that it is.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What reads it: look-ups need not find the bytes again each time.
    pub fn reader(&self) -> Reader<'_, N> {
        let (starts, entries) = self.bytes[HEAD..].split_at(4 * (self.buckets + 1));
        debug_assert_eq!(entries.len(), self.entries * Self::ENTRY);
        Reader { starts: starts.as_chunks().0, entries, buckets: self.buckets }
    }
}

/// A table being read.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a, const N: usize> {
    starts: &'a [[u8; 4]],
    entries: &'a [u8],
    buckets: usize,
}

impl<'a, const N: usize> Reader<'a, N> {
    /// The place of a hash: asked for many hashes first, memory is waited for once.
    #[inline]
    pub fn place(&self, hash: u64) -> Place {
        let number = |at: usize| self.starts.get(at).map_or(0, |start| u32::from_le_bytes(*start));
        let bucket = bucket(hash, self.buckets);
        Place { start: number(bucket), end: number(bucket + 1), mark: fingerprint(hash) }
    }

    /// The value at a place.
    #[inline]
    pub fn value(&self, place: Place) -> Option<&'a [u8; N]> {
        let size = Table::<N>::ENTRY;
        let entries = self.entries.get(place.start as usize * size..place.end as usize * size)?;
        let mark = place.mark.to_le_bytes();
        entries.chunks_exact(size).find(|entry| entry[..2] == mark).and_then(|entry| entry[2..].first_chunk())
    }

    /// The value of a hash.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<&'a [u8; N]> {
        self.value(self.place(hash))
    }
}

/// The bucket of a hash: the upper bits, scaled.
#[inline]
fn bucket(hash: u64, buckets: usize) -> usize {
    ((u128::from(hash) * buckets as u128) >> 64) as usize
}

/// Bits that do not choose the bucket.
#[inline]
fn fingerprint(hash: u64) -> u16 {
    hash as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hardly_a_hash_has_another_value_and_hardly_another_hash_any(count in 0u64..500, seed: u64) {
            let hash = |number: u64| crate::methods::maxent::features::hash(&(seed ^ number).to_le_bytes());
            let value = |number: u64| [number as u8, (number >> 8) as u8, 7];
            let table = Table::open(Table::build((0..count).map(|number| (hash(number), value(number)))).into()).unwrap();
            let table = table.reader();
            let wrong = (0..count).filter(|&number| table.get(hash(number)) != Some(&value(number))).count();
            let found = (1000..1500).filter(|&number| table.get(hash(number)).is_some()).count();
            prop_assert!(wrong < 4 && found < 6, "{} {}", wrong, found);
        }

        #[test]
        fn damage_never_panics(at in 0usize..400, byte: u8, cut in 0usize..400) {
            let mut bytes = Table::build((0..50u8).map(|i| (u64::from(i) << 57 | u64::from(i), [i; 4])));
            let len = bytes.len();
            bytes[at % len] = byte;
            bytes.truncate(len - cut % len);
            if let Ok(table) = Table::<4>::open(bytes.into()) {
                for i in 0..50u64 {
                    table.reader().get(i << 57 | i);
                }
            }
        }
    }
}
