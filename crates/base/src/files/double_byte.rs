//! Encodings in which a character has one byte or two, sometimes three or four, such as Shift_JIS. They are read and not written.

use encoding_rs::{BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

use super::encoding::DoubleByteDecoder;

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
        let mut decoder = self.0.new_decoder_without_bom_handling();
        Box::new(move |bytes, is_last, text| {
            let len = text.len();
            let most = decoder.max_utf8_buffer_length_without_replacement(bytes.len()).unwrap_or(0);
            text.resize(len + most, 0);
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(bytes, &mut text[len..], is_last);
            text.truncate(len + written);
            match result {
                DecoderResult::Malformed(invalid, later) => Err((read, [invalid, later].map(usize::from))),
                DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(()),
            }
        })
    }

    /// Returns the bytes of a text in this encoding.
    #[cfg(test)]
    pub(super) fn encoded(self, text: &str) -> Vec<u8> {
        let mut bytes = vec![0; 8 * text.len()];
        let (_, _, len) = self.0.new_encoder().encode_from_utf8_without_replacement(text, &mut bytes, true);
        bytes.truncate(len);
        bytes
    }
}
