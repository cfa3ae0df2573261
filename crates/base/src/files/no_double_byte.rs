//! Double-byte encodings in a build without them.

use super::encoding::DoubleByteDecoder;

/// No encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoubleByte {}

impl DoubleByte {
    pub(super) fn name(self) -> &'static str {
        match self {}
    }

    pub(super) fn decoder(self) -> DoubleByteDecoder {
        match self {}
    }
}
