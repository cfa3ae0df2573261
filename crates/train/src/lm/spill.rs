//! Blocks of bytes, written once and read in order, that spill from memory into a temporary file.

use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::numbers::Number;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::ScratchFile;

/// A limit on the memory of counting and estimation, and the folder for the data that exceeds it.
/// Copies share one account.
///
/// The limit does not include the vocabulary, the buffers of input and output files, or a model
/// that is built in memory.
#[derive(Debug, Clone, Default)]
pub struct Memory(Arc<Account>);

#[derive(Debug, Default)]
struct Account {
    /// The limit in bytes; `None` if there is no limit.
    limit: Option<usize>,
    folder: PathBuf,
    /// The total size in bytes of all blocks in memory.
    used: AtomicUsize,
}

impl Memory {
    /// Returns a memory without a limit.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Limits the memory to `bytes`. Temporary files go into `folder`; where the system supports
    /// it, they vanish even if the process is killed.
    pub fn limited(bytes: usize, folder: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Account { limit: Some(bytes), folder: folder.into(), used: AtomicUsize::new(0) }))
    }

    /// Returns the number of bytes that one array for sorting or gathering may have. Two arrays are
    /// in use at a time; blocks may take half of all memory, the blocks of the text an eighth, and
    /// the last eighth is for memory that is not counted exactly.
    pub(super) fn array(&self) -> usize {
        self.0.limit.map_or(usize::MAX, |limit| limit / 8)
    }

    /// Returns a separate memory for the blocks of the text, because allocators keep freed memory
    /// for the threads that freed it.
    pub(super) fn of_text(&self) -> Self {
        let limit = self.0.limit.map(|limit| limit / 4);
        Self(Arc::new(Account { limit, folder: self.0.folder.clone(), used: AtomicUsize::new(0) }))
    }

    /// Reserves room for a block, if there is enough.
    fn lease(&self, bytes: usize) -> Option<Lease> {
        let before = self.0.used.fetch_add(bytes, Ordering::Relaxed);
        let lease = Lease { memory: self.clone(), bytes };
        self.0.limit.is_none_or(|limit| before + bytes <= limit / 2).then_some(lease)
    }

    fn folder(&self) -> &Path {
        &self.0.folder
    }
}

/// The reserved room of a block, released on drop.
#[derive(Debug)]
struct Lease {
    memory: Memory,
    bytes: usize,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.memory.0.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The approximate size of a block in bytes: small enough that one block of each of many runs can
/// be in memory at once, and that the allocator reuses blocks without asking the system.
pub(super) const BLOCK: usize = 1 << 16;

/// A sequence of blocks.
#[derive(Debug, Clone)]
pub(super) struct Pile {
    memory: Memory,
    slots: Vec<SpillSlot>,
    file: Option<Arc<ScratchFile>>,
    written: u64,
}

#[derive(Debug, Clone)]
enum SpillSlot {
    Memory(Arc<SpillBlock>),
    Disk { at: u64, len: usize },
}

/// A block of bytes in memory.
#[derive(Debug, Default)]
struct SpillBlock {
    bytes: Vec<u8>,
    /// The reserved room; `None` for a block read from disk, which is soon dropped.
    _lease: Option<Lease>,
}

impl Pile {
    pub(super) fn new(memory: &Memory) -> Self {
        Self { memory: memory.clone(), slots: Vec::new(), file: None, written: 0 }
    }

    pub(super) fn push(&mut self, bytes: Vec<u8>) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let slot = match self.memory.lease(bytes.capacity()) {
            Some(lease) => SpillSlot::Memory(Arc::new(SpillBlock { bytes, _lease: Some(lease) })),
            None => self.spill(&bytes)?,
        };
        self.slots.push(slot);
        Ok(())
    }

    fn spill(&mut self, bytes: &[u8]) -> Result<SpillSlot> {
        let file = match &self.file {
            Some(file) => file,
            None => {
                let file = ScratchFile::new(self.memory.folder()).map_err(|error| match error {
                    Error::Io { verb, source, .. } => self.refused(verb, source),
                    error => error,
                })?;
                self.file.insert(Arc::new(file))
            }
        };
        file.file().write_all(bytes).map_err(|error| self.refused("write", error))?;
        let slot = SpillSlot::Disk { at: self.written, len: bytes.len() };
        self.written += bytes.len() as u64;
        Ok(slot)
    }

    fn refused(&self, verb: &'static str, error: std::io::Error) -> Error {
        refused(self.memory.folder(), verb, error)
    }

    /// Returns a reader of the blocks that keeps them.
    pub(super) fn blocks(&self) -> SpillBlocks {
        self.clone().into_blocks()
    }

    /// Returns a reader that frees each block as it is read.
    pub(super) fn into_blocks(self) -> SpillBlocks {
        let Self { memory, slots, file, .. } = self;
        SpillBlocks { memory, slots: slots.into_iter(), file, block: Arc::default() }
    }
}

/// Adds advice to the system's error on a temporary file.
fn refused(folder: &Path, verb: &'static str, error: std::io::Error) -> Error {
    let (temp, memory) = (option("temp"), option("memory"));
    let cure = format!("name a folder with more space with {temp}, or allow more memory with {memory}");
    let error = std::io::Error::new(error.kind(), format!("{error}: {cure}"));
    let shown = if folder == Path::new("") { Path::new(".") } else { folder };
    Error::io(verb, shown.join("(temporary file)"), error)
}

/// A reader of the blocks of a pile, in order.
#[derive(Debug)]
pub(super) struct SpillBlocks {
    memory: Memory,
    slots: std::vec::IntoIter<SpillSlot>,
    file: Option<Arc<ScratchFile>>,
    /// The current block, which is empty before the first and after the last one.
    block: Arc<SpillBlock>,
}

impl SpillBlocks {
    /// Returns the bytes of the current block.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.block.bytes
    }

    /// Advances to the next block. Returns false at the end.
    #[cold]
    pub(super) fn advance(&mut self) -> Result<bool> {
        // Frees the block just read before reading the next.
        self.block = Arc::default();
        self.block = match (self.slots.next(), &self.file) {
            (Some(SpillSlot::Memory(block)), _) => block,
            (Some(SpillSlot::Disk { at, len }), Some(scratch)) => {
                let mut bytes = vec![0; len];
                let mut file = scratch.file();
                let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
                read.map_err(|error| refused(self.memory.folder(), "read", error))?;
                Arc::new(SpillBlock { bytes, _lease: None })
            }
            _ => return Ok(false),
        };
        Ok(true)
    }
}

/// A sequence of numbers.
#[derive(Debug)]
pub(super) struct Numbers<T> {
    pile: Pile,
    block: Vec<u8>,
    number: PhantomData<T>,
}

impl<T: Number> Numbers<T> {
    pub(super) fn new(memory: &Memory) -> Self {
        Self { pile: Pile::new(memory), block: Vec::new(), number: PhantomData }
    }

    #[inline]
    pub(super) fn push(&mut self, number: T) -> Result<()> {
        self.put(number);
        if self.is_full() { self.flush() } else { Ok(()) }
    }

    /// Like [`Numbers::push`], but leaves it to the caller to call [`Numbers::flush`] in time.
    #[inline]
    pub(super) fn put(&mut self, number: T) {
        number.put(&mut self.block);
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.block.len() + T::SIZE > BLOCK
    }

    /// Returns true if another sentence may not fit.
    #[inline]
    pub(super) fn is_nearly_full(&self) -> bool {
        self.block.len() > BLOCK / 8 * 7
    }

    #[cold]
    pub(super) fn flush(&mut self) -> Result<()> {
        self.pile.push(std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK)))
    }

    /// Returns a reader of all numbers that keeps them.
    pub(super) fn reader(&mut self) -> Result<NumberReader<T>> {
        self.end()?;
        Ok(NumberReader::new(self.pile.blocks()))
    }

    /// Returns a reader that frees the numbers as it reads them.
    pub(super) fn into_reader(mut self) -> Result<NumberReader<T>> {
        self.end()?;
        Ok(NumberReader::new(self.pile.into_blocks()))
    }

    fn end(&mut self) -> Result<()> {
        self.block.shrink_to_fit();
        self.pile.push(std::mem::take(&mut self.block))
    }
}

#[derive(Debug)]
pub(super) struct NumberReader<T> {
    blocks: SpillBlocks,
    at: usize,
    number: PhantomData<T>,
}

impl<T: Number> NumberReader<T> {
    fn new(blocks: SpillBlocks) -> Self {
        Self { blocks, at: 0, number: PhantomData }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<T>> {
        if self.at == self.blocks.bytes().len() {
            self.at = 0;
            if !self.blocks.advance()? {
                return Ok(None);
            }
        }
        let number = T::get(&self.blocks.bytes()[self.at..]);
        self.at += T::SIZE;
        Ok(Some(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back_as_they_went(
            numbers in prop::collection::vec(any::<(u32, f64)>(), 0..20_000),
            limit in 0usize..1_000_000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let memory = Memory::limited(limit, folder.path());
            let mut written = Numbers::new(&memory);
            numbers.iter().for_each(|&number| written.push(number).unwrap());
            for mut reader in [written.reader().unwrap(), written.into_reader().unwrap()] {
                for &(a, b) in &numbers {
                    let (read_a, read_b): (u32, f64) = reader.next().unwrap().unwrap();
                    prop_assert_eq!((read_a, read_b.to_bits()), (a, b.to_bits()));
                }
                prop_assert!(reader.next().unwrap().is_none());
            }
            prop_assert_eq!(memory.0.used.load(Ordering::Relaxed), 0);
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_folder_that_takes_no_files_is_an_error_that_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let mut pile = Pile::new(&Memory::limited(0, folder.path().join("none")));
        let error = pile.push(vec![1]).unwrap_err().to_string();
        assert!(error.contains("cannot create") && error.contains("none"), "{error}");
    }
}
