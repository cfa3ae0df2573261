//! A hash table with small values that is read in place, from a file or from the program's own
//! data.
//!
//! Layout, little-endian: `MJHASHES`, the number of bytes of a value, of buckets and of entries
//! (u32 each); for each bucket, and once more at the end, the index of its first entry (u32); the
//! fingerprints of all entries (u16 each); their values. The upper bits of a hash choose its
//! bucket, which holds four entries on average, so a search for an absent hash, the usual case,
//! touches two cache lines. An absent hash is mistaken for another one about four times in 65,536.

use std::ops::Range;

use super::fingerprints::{STEP, first_equal};
use majuscule_base::bytes::Bytes;
use majuscule_base::bytes::hash::product;

const MAGIC: &[u8; 8] = b"MJHASHES";
const HEAD: usize = 20;

/// The average number of entries of a bucket.
const FULL: usize = 4;

/// Reads the number of bytes of a value from the head of a table.
pub fn width(bytes: &[u8]) -> Option<usize> {
    let width = bytes.strip_prefix(MAGIC)?.first_chunk()?;
    Some(u32::from_le_bytes(*width) as usize)
}

/// A hash table whose values have `N` bytes.
#[derive(Debug, Clone)]
pub struct HashTable<const N: usize> {
    bytes: Bytes,
    buckets: usize,
    entries: usize,
}

/// The number of hashes that are looked up together.
pub const AT_ONCE: usize = 16;

/// The range of entries that may contain a hash.
#[derive(Debug, Clone, Copy, Default)]
struct SlotRange {
    start: u32,
    end: u32,
}

/// An entry that is written to a table.
#[derive(Debug, Clone, Copy)]
struct TableEntry<const N: usize> {
    bucket: usize,
    mark: u16,
    value: [u8; N],
}

impl<const N: usize> TableEntry<N> {
    fn new(hash: u64, value: [u8; N], buckets: usize) -> Self {
        Self { bucket: bucket(hash, buckets), mark: fingerprint(hash), value }
    }
}

/// Sorts values by hash, and drops duplicate hashes.
fn by_hash<const N: usize>(values: impl Iterator<Item = (u64, [u8; N])>) -> Vec<(u64, [u8; N])> {
    let mut values: Vec<_> = values.collect();
    values.sort_by_key(|(hash, _)| *hash);
    values.dedup_by_key(|(hash, _)| *hash);
    values
}

impl<const N: usize> HashTable<N> {
    const ENTRY: usize = 2 + N;

    /// Builds the bytes of a table; of equal hashes, the first stays.
    pub fn build(values: impl Iterator<Item = (u64, [u8; N])>) -> Vec<u8> {
        let values = by_hash(values);
        let buckets = values.len() / FULL + 1;
        Self::written(values.into_iter().map(|(hash, value)| TableEntry::new(hash, value, buckets)), buckets)
    }

    /// Builds the bytes of a changed table, with new values for some hashes and with additional
    /// hashes. The number of buckets stays the same, since the bits of a hash that choose its
    /// bucket are not stored. An additional hash that cannot be distinguished from a hash in the
    /// table replaces it.
    pub fn with(&self, values: impl Iterator<Item = (u64, [u8; N])>) -> Vec<u8> {
        let buckets = self.buckets;
        let new = by_hash(values).into_iter().map(|(hash, value)| TableEntry::new(hash, value, buckets));
        let mut entries: Vec<TableEntry<N>> = self.reader().entries().chain(new).collect();
        entries.sort_by_key(|entry| entry.bucket);
        let mut found: Vec<TableEntry<N>> = Vec::with_capacity(entries.len());
        for bucket in entries.chunk_by(|one, next| one.bucket == next.bucket) {
            let start = found.len();
            for entry in bucket {
                match found[start..].iter_mut().find(|found| found.mark == entry.mark) {
                    Some(found) => found.value = entry.value,
                    None => found.push(*entry),
                }
            }
        }
        Self::written(found.into_iter(), buckets)
    }

    /// Returns the number of bytes of a table with this many values.
    pub fn size(values: usize) -> usize {
        HEAD + 4 * (values / FULL + 2) + values * Self::ENTRY
    }

    /// Returns the number of values that fit into this many bytes.
    pub fn room(bytes: usize) -> usize {
        // Each value has its own bytes and a quarter of the bytes of a bucket; the rest of a table
        // is small.
        let most = bytes / (Self::ENTRY + 4 / FULL);
        (0..=most).rev().find(|&values| Self::size(values) <= bytes).unwrap_or(0)
    }

    /// Writes entries that are in the order of their buckets.
    fn written(entries: impl ExactSizeIterator<Item = TableEntry<N>> + Clone, buckets: usize) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [N, buckets, entries.len()] {
            bytes.extend((number as u32).to_le_bytes());
        }
        let (mut start, mut rest) = (0u32, entries.clone().peekable());
        for number in 0..=buckets {
            while rest.next_if(|entry| entry.bucket < number).is_some() {
                start += 1;
            }
            bytes.extend(start.to_le_bytes());
        }
        for entry in entries.clone() {
            bytes.extend(entry.mark.to_le_bytes());
        }
        for entry in entries {
            bytes.extend(entry.value);
        }
        bytes
    }

    /// Opens the bytes of a table.
    ///
    /// # Errors
    /// If the bytes are not a table of such values or are truncated. Bytes altered elsewhere give
    /// wrong values, but never a panic.
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
                "has {} bytes, but its header says {}: it is cut off or altered",
                bytes.len(),
                size.unwrap_or(0)
            ));
        }
        Ok(Self { bytes, buckets, entries })
    }

    /// Returns the bytes of the table.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Creates a reader, whose look-ups need not locate the parts of the table each time.
    pub fn reader(&self) -> TableReader<'_, N> {
        let (starts, entries) = self.bytes[HEAD..].split_at(4 * (self.buckets + 1));
        debug_assert_eq!(entries.len(), self.entries * Self::ENTRY);
        TableReader {
            starts: starts.as_chunks().0,
            marks: entries.as_chunks().0,
            values: entries[2 * self.entries..].as_chunks().0,
            buckets: self.buckets,
        }
    }
}

/// A reader of a table.
#[derive(Debug, Clone, Copy)]
pub struct TableReader<'a, const N: usize> {
    starts: &'a [[u8; 4]],
    /// The fingerprints of all entries, and the bytes after them.
    marks: &'a [[u8; 2]],
    values: &'a [[u8; N]],
    buckets: usize,
}

impl<'a, const N: usize> TableReader<'a, N> {
    /// Returns the value of a hash; `None` if the table lacks the hash.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<&'a [u8; N]> {
        let (at, is_there) = self.find(self.position(hash), fingerprint(hash));
        if is_there { self.values.get(at) } else { None }
    }

    /// Calls `visit` with the values of hashes, at most [`AT_ONCE`] at a time, and with zeros for
    /// each absent hash. All look-ups of a call wait for memory together, and no branch depends on
    /// the presence of a hash, which cannot be predicted.
    #[inline]
    pub fn each(&self, hashes: &[u64], mut visit: impl FnMut(&[[u8; N]])) {
        let (mut positions, mut values) = ([SlotRange::default(); AT_ONCE], [[0; N]; AT_ONCE]);
        for hashes in hashes.chunks(AT_ONCE) {
            for (position, &hash) in positions.iter_mut().zip(hashes) {
                *position = self.position(hash);
            }
            for ((value, &position), &hash) in values.iter_mut().zip(&positions).zip(hashes) {
                let (at, is_there) = self.find(position, fingerprint(hash));
                let found = self.values.get(at).unwrap_or(&[0; N]);
                *value = if is_there { *found } else { [0; N] };
            }
            visit(&values[..hashes.len()]);
        }
    }

    #[inline]
    fn position(&self, hash: u64) -> SlotRange {
        let bucket = bucket(hash, self.buckets);
        match self.starts.get(bucket..bucket + 2) {
            Some([start, end]) => {
                SlotRange { start: u32::from_le_bytes(*start), end: u32::from_le_bytes(*end) }
            }
            _ => SlotRange::default(),
        }
    }

    /// Finds the entry with a fingerprint in a range. Returns its index and whether it is present.
    #[inline]
    fn find(&self, position: SlotRange, mark: u16) -> (usize, bool) {
        let (start, end) = (position.start as usize, position.end as usize);
        // A range that ends before it begins counts as long here, and as empty in `find_in_steps`.
        if position.end.wrapping_sub(position.start) as usize <= STEP
            && let Some(marks) = self.marks.get(start..).and_then(<[_]>::first_chunk)
        {
            let at = start + first_equal(marks, mark);
            return (at, at < end);
        }
        self.find_in_steps(start..end, mark)
    }

    /// Finds a fingerprint in a range of any length; a range that reaches beyond the table counts
    /// as empty.
    fn find_in_steps(&self, range: Range<usize>, mark: u16) -> (usize, bool) {
        let marks = self.marks.get(range.clone()).unwrap_or_default();
        let (steps, rest) = marks.as_chunks();
        for (step, start) in steps.iter().zip((range.start..).step_by(STEP)) {
            let at = first_equal(step, mark);
            if at < STEP {
                return (start + at, true);
            }
        }
        let at = rest.iter().position(|found| *found == mark.to_le_bytes());
        (range.end - rest.len() + at.unwrap_or(0), at.is_some())
    }

    /// Returns all entries, in the order of their buckets.
    fn entries(self) -> impl Iterator<Item = TableEntry<N>> {
        let number = |start: &[u8; 4]| u32::from_le_bytes(*start) as usize;
        (0..self.buckets).flat_map(move |bucket| {
            let range = number(&self.starts[bucket])..number(&self.starts[bucket + 1]);
            let marks = self.marks.get(range.clone()).unwrap_or_default();
            let values = self.values.get(range).unwrap_or_default();
            let entry = move |(mark, value): (&[u8; 2], &[u8; N])| TableEntry {
                bucket,
                mark: u16::from_le_bytes(*mark),
                value: *value,
            };
            marks.iter().zip(values).map(entry)
        })
    }
}

/// Returns the bucket of a hash: its upper bits, scaled.
#[inline]
fn bucket(hash: u64, buckets: usize) -> usize {
    product(hash, buckets as u64).1 as usize
}

/// Returns the bits of a hash that do not choose its bucket.
#[inline]
fn fingerprint(hash: u64) -> u16 {
    hash as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn hardly_a_hash_has_another_value_and_hardly_another_hash_any(count in 0u64..500, seed: u64) {
            let hash = |number: u64| crate::maxent::hash::hash(&(seed ^ number).to_le_bytes());
            let value = |number: u64| [number as u8, (number >> 8) as u8, 7];
            let table = HashTable::open(HashTable::build((0..count).map(|number| (hash(number), value(number)))).into()).unwrap();
            let table = table.reader();
            let wrong = (0..count).filter(|&number| table.get(hash(number)) != Some(&value(number))).count();
            let found = (1000..1500).filter(|&number| table.get(hash(number)).is_some()).count();
            prop_assert!(wrong < 4 && found < 6, "{} {}", wrong, found);
        }

        #[test]
        fn values_found_side_by_side_are_those_found_one_by_one(
            values in prop::collection::btree_map(0u64..100, any::<[u8; 2]>(), 0..60),
            asked in prop::collection::vec(0u64..100, 0..40),
        ) {
            // All hashes fall into three buckets, so some buckets have more entries than one step
            // compares.
            let hash = |number: u64| (number % 3) << 62 | number;
            let table = HashTable::build(values.iter().map(|(number, value)| (hash(*number), *value)));
            let (table, mut found) = (HashTable::open(table.into()).unwrap(), Vec::new());
            let hashes: Vec<u64> = asked.iter().map(|number| hash(*number)).collect();
            table.reader().each(&hashes, |values| found.extend_from_slice(values));
            let plain: Vec<[u8; 2]> =
                asked.iter().map(|number| values.get(number).copied().unwrap_or_default()).collect();
            prop_assert_eq!(found, plain);
        }

        #[test]
        fn a_table_with_other_values_is_one_built_of_them(
            old in prop::collection::btree_map(0u64..200, any::<[u8; 2]>(), 0..100),
            new in prop::collection::btree_map(0u64..200, any::<[u8; 2]>(), 0..100),
        ) {
            // No two hashes share a fingerprint, so each finds its own value.
            let hash = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16 << 16 | number;
            let hashed = |values: &BTreeMap<u64, [u8; 2]>| {
                values.iter().map(|(number, value)| (hash(*number), *value)).collect::<Vec<_>>().into_iter()
            };
            let table = |bytes: Vec<u8>| HashTable::open(bytes.into()).unwrap();
            let before = table(HashTable::build(hashed(&old)));
            let found = table(before.with(hashed(&new)));
            let mut all = old;
            all.extend(new);
            let whole = table(HashTable::build(hashed(&all)));
            for number in 0..200 {
                prop_assert_eq!(found.reader().get(hash(number)), whole.reader().get(hash(number)));
            }
            prop_assert_eq!(found.entries, all.len());
            prop_assert!(found.with(hashed(&all)) == found.bytes());
        }

        #[test]
        fn so_many_values_fit_as_there_is_room_for(bytes in 28usize..2000) {
            let len = |values: usize| HashTable::build((0..values as u64).map(|i| (i << 50, [0; 4]))).len();
            let room = HashTable::<4>::room(bytes);
            prop_assert_eq!(len(room), HashTable::<4>::size(room));
            prop_assert!(len(room) <= bytes && bytes < len(room + 1), "{} {}", room, bytes);
        }

        #[test]
        fn damage_never_panics(at in 0usize..400, byte: u8, cut in 0usize..400) {
            let mut bytes = HashTable::build((0..50u8).map(|i| (u64::from(i) << 57 | u64::from(i), [i; 4])));
            let len = bytes.len();
            bytes[at % len] = byte;
            bytes.truncate(len - cut % len);
            if let Ok(table) = HashTable::<4>::open(bytes.into()) {
                table.with([(7, [7; 4])].into_iter());
                for i in 0..50u64 {
                    table.reader().get(i << 57 | i);
                }
            }
        }
    }
}
