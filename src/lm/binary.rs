//! A model as one binary file: its arrays as they lie in memory, used where they lie in the file.
//!
//! `MAJUNGRM`, the format and the order (u32 each); the length of the words' text, the numbers of words, of slots in which
//! words are looked up, and of buckets in which n-grams are (u64 each); how many buckets at most an n-gram lies behind its
//! own, and how many n-grams there are of each order up to seven (u32 each); zeros, and a CRC-32 of these 124 bytes. Then the
//! text, where each word ends in it, the slots, the 1-grams, contexts and buckets, each padded with zeros to a multiple of
//! 64 bytes. A CRC-32 of all before it comes last. All numbers are little-endian.
//!
//! At opening the head is checked, and against it the length of the file; the rest by [`NgramModel::check`] alone.

use std::io::{self, Write};

use crc32fast::Hasher;

use super::scorer::{LookUp, Size};
use super::table::{Cell, number};
use super::vocab::Vocabulary;
use super::{MAX_ORDER, NgramModel};
use crate::bytes::{ALIGN, Bytes};

const MAGIC: &[u8; 8] = b"MAJUNGRM";

/// The format that this build writes and reads.
const FORMAT: u32 = 2;

/// The length of the head, with its checksum.
const HEAD: usize = 128;

/// Where the counts begin in the head.
const COUNTS: usize = 52;

/// Whether a file that begins so is meant to be such a model.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Writes a model.
///
/// # Errors
/// Where `out` cannot be written.
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
    head.resize(HEAD - size_of::<Cell>(), 0);
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

/// A model in bytes, or what is wrong with them.
pub(super) fn read(bytes: &Bytes) -> Result<NgramModel, String> {
    let head = Head::read(bytes)?;
    let whole = head.len().ok_or(ALTERED)?;
    if bytes.len() < whole {
        return Err(CUT_OFF.to_owned());
    }
    if bytes.len() > whole {
        return Err(format!("has {} bytes more than a model of its size: {ALTERED}", bytes.len() - whole));
    }
    let numbers = whole - size_of::<Cell>() - head.size.bytes().ok_or(ALTERED)?;
    let vocabulary = Vocabulary::shared(bytes.slice(HEAD..numbers), head.words).ok_or(ALTERED)?;
    let look_up = LookUp::new(head.size, bytes.slice(numbers..whole - size_of::<Cell>())).ok_or(ALTERED)?;
    Ok(NgramModel::looked_up(vocabulary, look_up))
}

/// Compares bytes that hold a model with their checksum.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    let (body, checksum) = bytes.split_last_chunk::<{ size_of::<Cell>() }>().ok_or(CUT_OFF)?;
    if crc32fast::hash(body) == number(*checksum) { Ok(()) } else { Err(ALTERED.to_owned()) }
}

const ALTERED: &str = "the file was altered: copy it again, or convert its ARPA file again";

const CUT_OFF: &str = "is cut off: copy it again, or convert its ARPA file again";

struct Head {
    /// The lengths of the text, of its words and of the slots.
    words: [usize; 3],
    size: Size,
}

impl Head {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let numbers = bytes.strip_prefix(MAGIC).ok_or("is no binary of a language model")?;
        let format = number(*numbers.first_chunk().ok_or(CUT_OFF)?);
        if format != FORMAT {
            let cure = if format > FORMAT { "use a newer majuscule" } else { "convert its ARPA file again" };
            return Err(format!("language model format {format}, but this build reads {FORMAT}: {cure}"));
        }
        let head: &[u8; HEAD] = bytes.first_chunk().ok_or(CUT_OFF)?;
        check(head)?;
        let cells: &[Cell] = head.as_chunks().0;
        let order = number(cells[3]) as usize;
        if !(1..=MAX_ORDER).contains(&order) {
            return Err(format!("order {order}, but this build reads 1 to {MAX_ORDER}"));
        }
        let long = |at: usize| {
            usize::try_from(u64::from(number(cells[at + 1])) << 32 | u64::from(number(cells[at])))
                .map_err(|_| "is larger than this machine can hold".to_owned())
        };
        let counts = &cells[COUNTS / size_of::<Cell>()..][..order];
        let size = Size {
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
        let parts = words.into_iter().chain([self.size.bytes()?, size_of::<Cell>()]);
        parts.into_iter().try_fold(HEAD, usize::checked_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lm::{State, WordId};
    use proptest::prelude::*;

    fn tiny() -> NgramModel {
        NgramModel::read("tiny.arpa", include_bytes!("../../lm/tiny.arpa").to_vec()).unwrap()
    }

    fn written(model: &NgramModel) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(model, &mut bytes).unwrap();
        bytes
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
            for state in (0..40).chain(states).map(State) {
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
        for len in MAGIC.len()..bytes.len() {
            assert!(read(&bytes[..len]).is_err(), "{len} of {} bytes", bytes.len());
        }
        for at in MAGIC.len()..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 4;
            assert!(check(&altered).is_err(), "byte {at}");
            assert!(at >= HEAD || read(&altered).is_err(), "byte {at}");
        }
        assert!(read(&[&bytes[..], b"more"].concat()).unwrap_err().contains("4 bytes more"));
        let mut old = bytes;
        old[MAGIC.len()] = 1;
        assert!(read(&old).unwrap_err().contains("format 1, but this build reads 2"));
    }
}
