//! The bytes read from an input and not yet returned.

use crate::error::Result;
use crate::files::{Input, Limits};

/// The number of bytes read at a time. The first reads are smaller, each twice as large as the one
/// before, so that the beginning of a text comes out at once.
const READ: usize = 1 << 16;
const FIRST_READ: usize = 1 << 10;

/// An input and the bytes read from it.
#[derive(Debug)]
pub(super) struct Buffer<'a> {
    input: Input<'a>,
    pub(super) bytes: Vec<u8>,
    /// True at the end of the input.
    pub(super) ended: bool,
    next_read: usize,
}

impl<'a> Buffer<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self { input, bytes: Vec::new(), ended: false, next_read: FIRST_READ }
    }

    /// Reads the available bytes, once: a slow pipe is served line by line.
    pub(super) fn fill(&mut self) -> Result<()> {
        self.ended = self.input.append(self.next_read, &mut self.bytes)? == 0;
        self.next_read = READ.min(2 * self.next_read);
        Ok(())
    }

    /// Returns the limits of the input.
    pub(super) fn limits(&self) -> Limits {
        self.input.limits()
    }

    /// Returns the name of the input.
    pub(super) fn name(&self) -> &str {
        self.input.name()
    }
}
