//! A model as one compact file: its arrays as they stand in memory.
//!
//! `MAJUNGRM`, the format and the order (u32 each), the length of the words' text and the number of words (u64 each), and
//! where the nodes of each order begin and the last end (u32 each); then the text of the words, where each word ends in it,
//! and the nodes and contexts of the table (three u32 or f32 each). All numbers are little-endian. A CRC-32 of all before it
//! comes last.

use std::io::{self, Write};

use crc32fast::Hasher;

use super::table::{Cell, Table};
use super::vocab::{Vocabulary, WordId};
use super::{MAX_ORDER, NgramModel};

const MAGIC: &[u8; 8] = b"MAJUNGRM";

/// The format that this build writes and reads.
const FORMAT: u32 = 1;

/// Whether a file that begins so is meant to be such a model.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Writes a model.
///
/// # Errors
/// Where `out` cannot be written.
pub fn write(model: &NgramModel, out: &mut dyn Write) -> io::Result<()> {
    let NgramModel { vocabulary, table, .. } = model;
    let mut head = MAGIC.to_vec();
    head.extend(FORMAT.to_le_bytes());
    head.extend((table.order() as u32).to_le_bytes());
    let text: usize = vocabulary.iter().map(str::len).sum();
    head.extend((text as u64).to_le_bytes());
    head.extend((vocabulary.len() as u64).to_le_bytes());
    table.starts.iter().for_each(|start| head.extend(start.to_le_bytes()));
    let mut end = 0;
    let mut ends = Vec::with_capacity(4 * vocabulary.len());
    for word in vocabulary.iter() {
        head.extend(word.bytes());
        end += word.len() as u32;
        ends.extend(end.to_le_bytes());
    }
    let arrays = [&table.nodes, &table.contexts].map(|cells| cells.as_flattened().as_flattened());
    let mut checksum = Hasher::new();
    for bytes in [&*head, &ends].into_iter().chain(arrays) {
        checksum.update(bytes);
        out.write_all(bytes)?;
    }
    out.write_all(&checksum.finalize().to_le_bytes())
}

/// Reads a model, or says what is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<NgramModel, String> {
    let mut rest = Rest(bytes.strip_prefix(MAGIC).ok_or("is no binary of a language model")?);
    let format = rest.number()?;
    if format != FORMAT {
        let cure = if format > FORMAT { "use a newer majuscule" } else { "convert its ARPA file again" };
        return Err(format!("language model format {format}, but this build reads {FORMAT}: {cure}"));
    }
    let order = rest.number()? as usize;
    if !(1..=MAX_ORDER).contains(&order) {
        return Err(format!("order {order}, but this build reads 1 to {MAX_ORDER}"));
    }
    let (text, words) = (rest.long()?, rest.long()?);
    let starts = rest.cells(order + 1)?.iter().map(|&cell| u32::from_le_bytes(cell)).collect::<Vec<_>>();
    let text = str::from_utf8(rest.take(text)?).map_err(|_| ALTERED)?;
    let vocabulary = vocabulary(text, rest.cells(words)?)?;
    let (nodes, contexts) = (starts[order] as usize, starts[order - 1] as usize);
    let nodes = rest.cells(nodes.saturating_mul(3))?.as_chunks().0.to_vec();
    let contexts = rest.cells(contexts.saturating_add(1).saturating_mul(3))?.as_chunks().0.to_vec();
    let checksum = rest.number()?;
    if !rest.0.is_empty() {
        return Err(format!("has {} bytes more than a model of its size: {ALTERED}", rest.0.len()));
    }
    if checksum != crc32fast::hash(&bytes[..bytes.len() - size_of::<Cell>()]) {
        return Err(ALTERED.to_owned());
    }
    let table = Table::new(starts, nodes, contexts, vocabulary.len()).ok_or(ALTERED)?;
    Ok(NgramModel::new(vocabulary, table))
}

const ALTERED: &str = "the file was altered: copy it again, or convert its ARPA file again";

fn vocabulary(text: &str, ends: &[Cell]) -> Result<Vocabulary, &'static str> {
    let mut vocabulary = Vocabulary::new();
    let mut start = 0;
    for (at, &end) in ends.iter().enumerate() {
        let end = u32::from_le_bytes(end) as usize;
        let word = text.get(start..end).ok_or(ALTERED)?;
        // Each word stands once, so each is given its place as its number.
        if word.is_empty()
            || word.contains(|c: char| c.is_ascii_whitespace())
            || vocabulary.insert(word) != WordId(at as u32)
        {
            return Err(ALTERED);
        }
        start = end;
    }
    if vocabulary.len() == ends.len() && start == text.len() { Ok(vocabulary) } else { Err(ALTERED) }
}

/// What has not been read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], &'static str> {
        let cut_off = "is cut off: copy it again, or convert its ARPA file again";
        let (taken, rest) = self.0.split_at_checked(len).ok_or(cut_off)?;
        self.0 = rest;
        Ok(taken)
    }

    fn cells(&mut self, count: usize) -> Result<&'a [Cell], &'static str> {
        Ok(self.take(count.saturating_mul(size_of::<Cell>()))?.as_chunks().0)
    }

    fn number(&mut self) -> Result<u32, &'static str> {
        Ok(self.cells(1)?.first().map_or(0, |&cell| u32::from_le_bytes(cell)))
    }

    fn long(&mut self) -> Result<usize, &'static str> {
        let low = self.number()?;
        let high = self.number()?;
        usize::try_from(u64::from(high) << 32 | u64::from(low)).map_err(|_| ALTERED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiny() -> NgramModel {
        NgramModel::read("tiny.arpa", include_bytes!("../../lm/tiny.arpa").to_vec()).unwrap()
    }

    #[test]
    fn a_file_that_is_cut_off_or_altered_is_refused() {
        let mut bytes = Vec::new();
        write(&tiny(), &mut bytes).unwrap();
        assert_eq!(read(&bytes).unwrap(), tiny());
        for len in MAGIC.len()..bytes.len() {
            assert!(read(&bytes[..len]).is_err(), "{len} of {} bytes", bytes.len());
        }
        for at in MAGIC.len()..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 4;
            assert!(read(&altered).is_err(), "byte {at}");
        }
        assert!(read(&[&bytes[..], b"more"].concat()).unwrap_err().contains("4 bytes more"));
        bytes[MAGIC.len()] = 9;
        assert!(read(&bytes).unwrap_err().contains("format 9, but this build reads 1"));
    }
}
