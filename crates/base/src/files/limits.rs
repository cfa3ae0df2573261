//! Sizes, and the limits of input held in memory at once, since a small compressed file can unpack to any length.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result, option};

/// A number of bytes as an argument: 2G, 500M, 1.5G; at least 1M.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ByteSize(pub usize);

/// The smallest size: a limit below the size of some buffers and arrays would have no effect.
const LEAST_SIZE: usize = 1 << 20;

impl ByteSize {
    /// Returns twice the size.
    #[must_use]
    pub fn twice(self) -> Self {
        Self(self.0.saturating_mul(2))
    }
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match bytes(text, 1024.0).ok_or("expected a size such as 2G or 500M")? {
            bytes if bytes >= LEAST_SIZE as f64 => Ok(Self(bytes as usize)),
            _ => Err("expected at least 1M".to_owned()),
        }
    }
}

impl fmt::Display for ByteSize {
    /// Writes the size in the largest unit that does not exceed it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1u64 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
        let bytes = self.0 as f64;
        match units.into_iter().find(|(unit, _)| bytes >= *unit as f64) {
            Some((unit, name)) => write!(f, "{}{name}", (10.0 * bytes / unit as f64).round() / 10.0),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Returns the number of bytes of a size such as 2G or 500kB. K means `kilo` bytes, KiB always 1024 bytes.
pub fn bytes(text: &str, kilo: f64) -> Option<f64> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let unit = unit.to_ascii_uppercase();
    let (unit, kilo) = match unit.strip_suffix("IB") {
        Some(unit) if !unit.is_empty() => (unit, 1024.0),
        _ => (unit.strip_suffix('B').unwrap_or(&unit), kilo),
    };
    let power = ["", "K", "M", "G", "T"].iter().position(|known| *known == unit)?;
    let bytes = number.trim().parse::<f64>().ok()? * f64::powi(kilo, power as i32);
    bytes.is_finite().then_some(bytes)
}

/// The limits on the memory that an input may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest number of decompressed bytes of an input that is read whole; one line may have a thirty-second of
    /// this number.
    pub input: ByteSize,
}

/// The divisor of the limit for one line: the n best ways to write a line take some 170 times its
/// length.
const LINE_PART: usize = 32;

impl Default for Limits {
    /// 256 MiB of an input that is read whole.
    fn default() -> Self {
        Self::new(ByteSize(256 << 20))
    }
}

impl Limits {
    /// Makes the limits for an input that is read whole; the limit for a line is the usual fraction of it.
    pub fn new(input: ByteSize) -> Self {
        Self { input }
    }

    /// Checks the number of bytes of the lines of an item, such as a cue or a header, that are held in
    /// memory up to this line.
    ///
    /// # Errors
    /// Fails if there are more bytes than an input that is read whole may have.
    pub fn check_held(self, bytes: usize, name: &str, line: u64) -> Result<()> {
        let most = self.input;
        if bytes <= most.0 {
            return Ok(());
        }
        let problem = format!(
            "an item, such as a cue or a header, is longer than {most}, the limit for one item: check \
             that the file has the expected format, or raise {}",
            option("input-limit")
        );
        Err(Error::line(name, line, problem))
    }
}

impl FromStr for Limits {
    type Err = String;

    /// Reads the size of an input that is read whole: `500M`.
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self::new)
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.input.fmt(f)
    }
}

/// The kinds of limits on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// An input as a whole.
    Whole,
    /// One line of an input, with a fraction of the limit for a whole input.
    Line,
    /// An input with its own limit, far larger than any legitimate input.
    Fixed(ByteSize),
}

impl Limit {
    /// Returns the limit in bytes.
    pub(super) fn bytes(self, limits: Limits) -> usize {
        match self {
            Self::Whole => limits.input.0,
            Self::Line => limits.input.0 / LINE_PART,
            Self::Fixed(ByteSize(bytes)) => bytes,
        }
    }

    /// Returns the error for an input beyond the limit, at `line` if that is known.
    pub(super) fn exceeded(self, limits: Limits, name: &str, line: Option<u64>) -> Error {
        let most = ByteSize(self.bytes(limits));
        let problem = match self {
            Self::Whole => format!(
                "is larger than {most} unpacked, the limit for a file that must be held in memory whole: \
                 raise {}",
                option("input-limit")
            ),
            Self::Line => format!(
                "the line is longer than {most}, the limit for one line: check that the file is text in lines, \
                 or set {} to {LINE_PART} times its length",
                option("input-limit")
            ),
            Self::Fixed(_) => {
                format!("is larger than {most} unpacked: check that it is the right file")
            }
        };
        match line {
            Some(line) => Error::line(name, line, problem),
            None => Error::file(name, problem),
        }
    }
}
