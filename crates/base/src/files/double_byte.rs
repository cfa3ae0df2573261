//! Encodings in which a character has one byte or two, sometimes three or four, such as Shift_JIS. They are read and not written.

use encoding_rs::{BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

/// A double-byte encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoubleByte(&'static Encoding);

impl DoubleByte {
    /// Returns the double-byte encoding if `encoding` is one.
    pub(super) fn new(encoding: &'static Encoding) -> Option<Self> {
        [SHIFT_JIS, GBK, GB18030, BIG5, EUC_JP, EUC_KR].contains(&encoding).then_some(Self(encoding))
    }

    /// Returns the name of the encoding on the web.
    pub(super) fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns the decoder of a text.
    pub(super) fn decoder(self) -> DoubleByteDecoder {
        DoubleByteDecoder(self.0.new_decoder_without_bom_handling())
    }
}

/// The decoder of a text, which keeps the bytes of an incomplete character.
pub(super) struct DoubleByteDecoder(encoding_rs::Decoder);

impl DoubleByteDecoder {
    /// Decodes the next bytes up to the first invalid ones, appends the text, and returns the number of bytes read;
    /// `is_last` is true at the end of the text. The error is the number of bytes read, and of these the number of
    /// invalid bytes and the number of bytes after the invalid bytes.
    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        is_last: bool,
        text: &mut Vec<u8>,
    ) -> Result<usize, (usize, [usize; 2])> {
        let len = text.len();
        text.resize(len + self.0.max_utf8_buffer_length_without_replacement(bytes.len()).unwrap_or(0), 0);
        let (result, read, written) =
            self.0.decode_to_utf8_without_replacement(bytes, &mut text[len..], is_last);
        text.truncate(len + written);
        match result {
            DecoderResult::Malformed(invalid, later) => Err((read, [invalid, later].map(usize::from))),
            DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(read),
        }
    }

    /// Returns the bytes of a text in this encoding.
    #[cfg(test)]
    pub(super) fn encoded(self, text: &str) -> Vec<u8> {
        let mut bytes = vec![0; 8 * text.len()];
        let (_, _, len) =
            self.0.encoding().new_encoder().encode_from_utf8_without_replacement(text, &mut bytes, true);
        bytes.truncate(len);
        bytes
    }
}
