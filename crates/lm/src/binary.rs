//! A model as one binary file, whose arrays have the same layout as
//! in memory and are used in place.
//!
//! The file begins with `MAJUNGRM`, the format and the order (u32 each); the length of the
//! words' text, and the numbers of words, of vocabulary slots and of n-gram buckets (u64
//! each); the maximum distance of an n-gram from its home bucket, and the number of n-grams of
//! each order up to seven (u32 each); zeros, and a CRC-32 of these 124 bytes. Then follow the
//! text, the end of each word in it, the slots, the 1-grams, the contexts and the buckets,
//! each padded with zeros to a multiple of 64 bytes. A CRC-32 of everything before it comes
//! last. All numbers are little-endian.
//!
//! The search for a word starts in the slot given by the lower bits of its wyhash with seed 0
//! ([`majuscule_base::bytes::hash`]), and the search for an n-gram in the bucket that `home` in
//! `scorer.rs` returns. No position depends on the word size of a machine.
//!
//! Opening a file checks only the head and the length of the file; [`NgramModel::check`] checks all
//! bytes.

use std::io::{self, Write};

use crc32fast::Hasher;

use super::scorer::{LookUp, LookUpSize};
use super::table::{LittleEndian, number};
use super::vocab::Vocabulary;
use super::{MAX_ORDER, NgramModel};
use majuscule_base::bytes::{ALIGN, Bytes};

const MAGIC: &[u8; 8] = b"MAJUNGRM";

/// The format that this build writes and reads.
const FORMAT: u32 = 3;

/// The length of the head, including its checksum.
const HEAD: usize = 128;

/// The offset of the counts in the head.
const COUNTS: usize = 52;

/// Returns true if a file that begins with these bytes is meant to be a binary model.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Writes a model.
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub fn write(model: &NgramModel, out: &mut dyn Write) -> io::Result<()> {
    let (words, look_up) = (model.vocabulary.arrays(), model.look_up());
    let size = look_up.size();
    let mut head = MAGIC.to_vec();
    head.extend(FORMAT.to_le_bytes());
    head.extend((size.counts.len() as u32).to_le_bytes());
    for len in [words.text.len(), words.ends.len(), words.slots.len(), size.buckets] {
        head.extend((len as u64).to_le_bytes());
    }
    head.extend(size.farthest.to_le_bytes());
    size.counts.iter().for_each(|count| head.extend(count.to_le_bytes()));
    head.resize(HEAD - size_of::<LittleEndian>(), 0);
    head.extend(crc32fast::hash(&head).to_le_bytes());
    let mut checksum = Hasher::new();
    for bytes in [&*head, words.text, words.ends.as_flattened(), words.slots.as_flattened(), look_up.bytes()]
    {
        let padding = &[0; ALIGN][..bytes.len().next_multiple_of(ALIGN) - bytes.len()];
        for bytes in [bytes, padding] {
            checksum.update(bytes);
            out.write_all(bytes)?;
        }
    }
    out.write_all(&checksum.finalize().to_le_bytes())
}

/// Opens a model in bytes; the error describes the problem with them.
pub(super) fn read(bytes: &Bytes) -> Result<NgramModel, String> {
    let head = BinaryHeader::read(bytes)?;
    let whole = head.len().ok_or(ALTERED)?;
    if bytes.len() < whole {
        return Err(CUT_OFF.to_owned());
    }
    if bytes.len() > whole {
        return Err(format!("has {} bytes more than a model of its size: {ALTERED}", bytes.len() - whole));
    }
    let numbers = whole - size_of::<LittleEndian>() - head.size.bytes().ok_or(ALTERED)?;
    let vocabulary = Vocabulary::shared(bytes.slice(HEAD..numbers), head.words).ok_or(ALTERED)?;
    let look_up =
        LookUp::new(head.size, bytes.slice(numbers..whole - size_of::<LittleEndian>())).ok_or(ALTERED)?;
    Ok(NgramModel::looked_up(vocabulary, look_up))
}

/// Compares the bytes of a model with their checksum.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    let (body, checksum) = bytes.split_last_chunk::<{ size_of::<LittleEndian>() }>().ok_or(CUT_OFF)?;
    if crc32fast::hash(body) == number(*checksum) { Ok(()) } else { Err(ALTERED.to_owned()) }
}

pub(super) const ALTERED: &str = "the file was altered: copy it again, or convert its ARPA file again";

pub(super) const CUT_OFF: &str = "is cut off: copy it again, or convert its ARPA file again";

struct BinaryHeader {
    /// The length of the text, and the numbers of words and of slots.
    words: [usize; 3],
    size: LookUpSize,
}

impl BinaryHeader {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let numbers = bytes.strip_prefix(MAGIC).ok_or("is not a binary language model")?;
        let format = number(*numbers.first_chunk().ok_or(CUT_OFF)?);
        if format != FORMAT {
            let cure = if format > FORMAT {
                "use a newer majuscule"
            } else {
                "train the model again, or convert its ARPA file again with lm convert"
            };
            return Err(format!("language model format {format}, but this build reads {FORMAT}: {cure}"));
        }
        let head: &[u8; HEAD] = bytes.first_chunk().ok_or(CUT_OFF)?;
        check(head)?;
        let cells: &[LittleEndian] = head.as_chunks().0;
        let order = number(cells[3]) as usize;
        if !(1..=MAX_ORDER).contains(&order) {
            return Err(format!("order {order}, but this build reads 1 to {MAX_ORDER}"));
        }
        let long = |at: usize| {
            usize::try_from(u64::from(number(cells[at + 1])) << 32 | u64::from(number(cells[at])))
                .map_err(|_| "is larger than this machine can hold".to_owned())
        };
        let counts = &cells[COUNTS / size_of::<LittleEndian>()..][..order];
        let size = LookUpSize {
            counts: counts.iter().map(|&count| number(count)).collect(),
            buckets: long(10)?,
            farthest: number(cells[12]),
        };
        let words = [long(4)?, long(6)?, long(8)?];
        if size.counts[0] as usize != words[1] {
            return Err(ALTERED.to_owned());
        }
        Ok(Self { words, size })
    }

    /// The length of the file.
    fn len(&self) -> Option<usize> {
        let [text, words, slots] = self.words;
        let words = Vocabulary::padded(text, words, slots)?;
        let parts = words.into_iter().chain([self.size.bytes()?, size_of::<LittleEndian>()]);
        parts.into_iter().try_fold(HEAD, usize::checked_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{self, altered, cut_off, tiny};
    use crate::{NgramState, WordId};
    use proptest::prelude::*;

    fn written(model: &NgramModel) -> Vec<u8> {
        samples::written(model, write)
    }

    proptest! {
        #[test]
        fn altered_numbers_break_nothing(
            changes in prop::collection::vec((HEAD..2000usize, any::<u8>()), 1..40),
            states in prop::collection::vec(any::<u32>(), 0..10),
        ) {
            let mut bytes = written(&tiny());
            for (at, byte) in changes {
                let at = at.min(bytes.len() - 1);
                bytes[at] = byte;
            }
            let Ok(model) = read(&Bytes::from(bytes)) else { return Ok(()) };
            let scorer = model.scorer();
            let _ = scorer.sentence(["told", "us", "the", "US", "no word"]);
            for state in (0..40).chain(states).map(NgramState) {
                for word in 0..12 {
                    scorer.step(state, WordId(word));
                }
            }
            for order in 1..=model.order() {
                model.for_each(order, &mut |words, _, _| {
                    words.iter().for_each(|&word| assert!(model.vocabulary().word(word).len() < 100));
                });
            }
        }
    }

    #[test]
    fn a_file_that_is_cut_off_or_altered_is_refused() {
        let bytes = written(&tiny());
        let read = |bytes: &[u8]| read(&Bytes::from(bytes.to_vec()));
        let model = read(&bytes).unwrap();
        assert_eq!(model, tiny());
        assert_eq!(written(&model), bytes);
        for part in cut_off(&bytes, MAGIC.len()) {
            assert!(read(part).is_err(), "{} of {} bytes", part.len(), bytes.len());
        }
        for (at, altered) in altered(&bytes, MAGIC.len()) {
            assert!(check(&altered).is_err(), "byte {at}");
            assert!(at >= HEAD || read(&altered).is_err(), "byte {at}");
        }
        assert!(read(&[&bytes[..], b"more"].concat()).unwrap_err().contains("4 bytes more"));
        let mut old = bytes;
        old[MAGIC.len()] = 2;
        let error = read(&old).unwrap_err();
        assert!(error.contains("format 2, but this build reads 3: train the model again"), "{error}");
        old[MAGIC.len()] = 4;
        assert!(read(&old).unwrap_err().contains("use a newer majuscule"));
    }

    /// The product of two 32-bit numbers, lower half first, computed with 32-bit arithmetic alone.
    fn product(a: u32, b: u32) -> [u32; 2] {
        let ([a, above], [b, beyond]) = ([a & 0xffff, a >> 16], [b & 0xffff, b >> 16]);
        let low = a * b;
        let (middle, carry) = (a * beyond).overflowing_add(above * b);
        let (low, more) = low.overflowing_add(middle << 16);
        [low, above * beyond + (middle >> 16) + (u32::from(carry) << 16) + u32::from(more)]
    }

    /// The product of two 64-bit numbers, lower parts first.
    fn long_product(a: [u32; 2], b: [u32; 2]) -> [u32; 4] {
        let mut sum = [0u32; 4];
        for (at, a) in a.into_iter().enumerate() {
            for (then, b) in b.into_iter().enumerate() {
                for (position, part) in (at + then..).zip(product(a, b)) {
                    let mut part = part;
                    for sum in &mut sum[position..] {
                        let (new, carry) = sum.overflowing_add(part);
                        (*sum, part) = (new, u32::from(carry));
                    }
                }
            }
        }
        sum
    }

    /// The lower half of the wyhash of 4 to 16 bytes with seed 0.
    fn lower_wyhash(word: &[u8]) -> u32 {
        const SECRET: [[u32; 2]; 2] = [[0xaa6c_78a5, 0x2d35_8dcc], [0x962e_acc9, 0x8bb8_4b93]];
        let xor = |a: [u32; 2], b: [u32; 2]| [a[0] ^ b[0], a[1] ^ b[1]];
        let four = |at: usize| number(*word[at..].first_chunk().unwrap());
        let (last, step) = (word.len() - 4, word.len() / 8 * 4);
        let seed = long_product(SECRET[0], SECRET[1]);
        let (a, b) = ([four(step), four(0)], [four(last - step), four(last)]);
        let [a, above, b, beyond] =
            long_product(xor(a, SECRET[1]), xor(b, xor([seed[0], seed[1]], [seed[2], seed[3]])));
        let a = xor(xor([a, above], SECRET[0]), [word.len() as u32, 0]);
        let hash = long_product(a, xor([b, beyond], SECRET[1]));
        hash[0] ^ hash[2]
    }

    #[test]
    fn arithmetic_of_32_bits_finds_every_word_and_every_ngram() {
        let words: Vec<String> = (0..2000).map(|at| format!("word{}", at * 7919 % 100_003)).collect();
        let mut text = format!("\\data\\\nngram 1={}\nngram 2={}\n", words.len() + 3, words.len() - 1);
        text += "\\1-grams:\n-1 <unk>\n-9 <s>\n-1 </s>\n";
        words.iter().for_each(|word| text += &format!("-3 {word} -0.5\n"));
        text += "\\2-grams:\n";
        words.windows(2).for_each(|pair| text += &format!("-1 {} {}\n", pair[0], pair[1]));
        let model = NgramModel::read("pairs.arpa", (text + "\\end\\\n").into_bytes()).unwrap();
        let bytes = written(&model);

        let cell = |at: u32| number(*bytes[at as usize..].first_chunk().unwrap());
        let head = |position: u32| cell(position * 4);
        let [text, count, slots, buckets] = [4, 6, 8, 10].map(head);
        let farthest = head(12);
        let padded = |len: u32| len.next_multiple_of(ALIGN as u32);
        let ends = HEAD as u32 + padded(text);
        let positions = ends + padded(count * 4);
        let unigrams = positions + padded(slots * 4);
        let first_bucket = unigrams + padded(count * 8) + padded(count * 8);
        let end = |word: u32| cell(ends + word * 4);
        let spelling = |word: u32| {
            let start = if word == 0 { 0 } else { end(word - 1) };
            &bytes[HEAD + start as usize..HEAD + end(word) as usize]
        };
        let id = |word: &str| {
            let mut slot = lower_wyhash(word.as_bytes()) & (slots - 1);
            loop {
                match cell(positions + slot * 4) {
                    0 => return None,
                    found if spelling(found - 1) == word.as_bytes() => return Some(found - 1),
                    _ => slot = (slot + 1) & (slots - 1),
                }
            }
        };
        let has = |history: u32, word: u32| {
            let mixed = long_product([word, history], [0x7f4a_7c15, 0x9e37_79b9]);
            let [_, _, home, _] = long_product([mixed[0], mixed[1]], [buckets, 0]);
            (0..=farthest).any(|distance| {
                let bucket = first_bucket + (home + distance) % buckets * 64;
                (0..4).any(|at| {
                    let position = bucket + at * 4;
                    cell(position) == word && cell(position + 16) == history
                })
            })
        };
        for (at, word) in words.iter().enumerate() {
            assert_eq!(id(word), Some(at as u32 + 3), "{word}");
        }
        assert_eq!(id("word of no one"), None);
        for pair in words.windows(2) {
            assert!(has(id(&pair[0]).unwrap(), id(&pair[1]).unwrap()), "{pair:?}");
        }
    }
}
