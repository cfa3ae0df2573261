//! How much of an input is held in memory at once: a small compressed file can unpack to any length.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::ByteSize;
use crate::error::Error;

/// The limit of a program that sets none.
pub const DEFAULT_INPUT_LIMIT: ByteSize = ByteSize(256 << 20);

/// A line may have this part of the limit: the n best ways to write one take some 170 times its length.
const LINE_PART: usize = 32;

static INPUT_LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_INPUT_LIMIT.0);

/// Sets the most bytes, unpacked, of an input that is read whole, for the whole process; one line may have a
/// thirty-second part.
pub fn set_input_limit(limit: ByteSize) {
    INPUT_LIMIT.store(limit.0, Ordering::Relaxed);
}

/// The most bytes of something that is held in memory at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// An input as a whole, under the limit of the process.
    Whole,
    /// One line of an input, under a part of it.
    Line,
    /// An input that has a limit of its own, for what no honest one comes near.
    Fixed(ByteSize),
}

impl Limit {
    /// The limit in bytes.
    pub(super) fn bytes(self) -> usize {
        let limit = INPUT_LIMIT.load(Ordering::Relaxed);
        match self {
            Self::Whole => limit,
            Self::Line => limit / LINE_PART,
            Self::Fixed(ByteSize(bytes)) => bytes,
        }
    }

    /// The error for an input that goes beyond the limit, at `line` where that is known.
    pub(super) fn exceeded(self, name: &str, line: Option<u64>) -> Error {
        let most = ByteSize(self.bytes());
        let problem = match self {
            Self::Whole => format!(
                "holds more than {most} unpacked, the most that is held in memory of a file that is read whole: \
                 --input-limit allows more"
            ),
            Self::Line => format!(
                "the line is longer than {most}, the most that is held in memory of one: check that the file is \
                 text in lines; an --input-limit of {LINE_PART} times its length allows it"
            ),
            Self::Fixed(_) => {
                format!("holds more than {most} unpacked: check that it is the file that was meant")
            }
        };
        match line {
            Some(line) => Error::line(name, line, problem),
            None => Error::file(name, problem),
        }
    }
}
