//! The limit of input held in memory at once, since a small
//! compressed file can unpack to any length.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::ByteSize;
use crate::error::{Error, Result, option};

/// The limit of a program that sets none.
pub const DEFAULT_INPUT_LIMIT: ByteSize = ByteSize(256 << 20);

/// The divisor of the limit for one line: the n best ways to
/// write a line take some 170 times its length.
const LINE_PART: usize = 32;

static INPUT_LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_INPUT_LIMIT.0);

/// Sets the most bytes, unpacked, of an input that is read whole, for this process; one line may
/// have a thirty-second of that.
pub fn set_input_limit(limit: ByteSize) {
    INPUT_LIMIT.store(limit.0, Ordering::Relaxed);
}

/// Checks the number of bytes of the lines of an item, such as a cue or a header, that are held in
/// memory up to this line.
///
/// # Errors
/// Fails if they exceed [`set_input_limit`].
pub(crate) fn check_held(bytes: usize, name: &str, line: u64) -> Result<()> {
    let limit = Limit::Whole.bytes();
    if bytes <= limit {
        return Ok(());
    }
    let most = ByteSize(limit);
    let problem = format!(
        "an item, such as a cue or a header, is longer than {most}, the most that is held in memory of one: check \
         that the file has the format that was meant; {} allows more",
        option("input-limit")
    );
    Err(Error::line(name, line, problem))
}

/// The kinds of limits on what is held in memory at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// An input as a whole, under the limit of the process.
    Whole,
    /// One line of an input, under a fraction of the limit.
    Line,
    /// An input with its own limit, far above that of any legitimate one.
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

    /// The error for an input beyond the limit, at `line` if that is known.
    pub(super) fn exceeded(self, name: &str, line: Option<u64>) -> Error {
        let most = ByteSize(self.bytes());
        let problem = match self {
            Self::Whole => format!(
                "holds more than {most} unpacked, the most that is held in memory of a file that is read whole: \
                 {} allows more",
                option("input-limit")
            ),
            Self::Line => format!(
                "the line is longer than {most}, the most that is held in memory of one: check that the file is \
                 text in lines; an {} of {LINE_PART} times its length allows it",
                option("input-limit")
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
