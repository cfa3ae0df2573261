//! Double-byte encodings in a build without them.

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

/// No decoder.
pub(super) enum DoubleByteDecoder {}

impl DoubleByteDecoder {
    pub(super) fn decode(
        &mut self,
        _: &[u8],
        _: bool,
        _: &mut Vec<u8>,
    ) -> Result<usize, (usize, [usize; 2])> {
        match *self {}
    }
}
