//! The bytes read from an input and not yet returned.

use crate::error::Result;
use crate::files::Input;

/// The number of bytes read at a time. The first reads are smaller, each twice as large as the one
/// before, so that the beginning of a text comes out at once.
const READ: usize = 1 << 16;
const FIRST_READ: usize = 1 << 12;

/// An input and the bytes read from it.
#[derive(Debug)]
pub(super) struct Buffer {
    input: Input,
    pub(super) bytes: Vec<u8>,
    /// True at the end of the input.
    pub(super) ended: bool,
    next_read: usize,
}

impl Buffer {
    pub(super) fn new(input: Input) -> Self {
        Self { input, bytes: Vec::with_capacity(2 * READ), ended: false, next_read: FIRST_READ }
    }

    /// Reads the available bytes, once: a slow pipe is served line by line.
    pub(super) fn fill(&mut self) -> Result<()> {
        let len = self.bytes.len();
        self.bytes.resize(len + self.next_read, 0);
        self.next_read = READ.min(2 * self.next_read);
        let read = self.input.read(&mut self.bytes[len..]);
        self.bytes.truncate(len + read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(())
    }

    /// Returns the name of the input.
    pub(super) fn name(&self) -> &str {
        self.input.name()
    }
}
