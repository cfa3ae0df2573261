//! Offsets into a text in the unit that a client uses.

use majuscule_base::named::NamedValue;

/// The unit of offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OffsetUnit {
    /// Bytes of UTF-8, as in Rust and Go.
    Bytes,
    /// Unicode code points, as in Python.
    #[default]
    CodePoints,
    /// Code units of UTF-16, as in JavaScript and Java.
    Utf16,
}

impl NamedValue for OffsetUnit {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Bytes, "bytes", "Bytes of UTF-8"),
        (Self::CodePoints, "code_points", "Unicode code points"),
        (Self::Utf16, "utf16", "Code units of UTF-16"),
    ];
}

/// Converts byte offsets, in ascending order, in one pass over the text.
#[derive(Debug, Clone)]
pub struct OffsetCursor<'a> {
    text: &'a str,
    unit: OffsetUnit,
    byte: usize,
    offset: usize,
}

impl<'a> OffsetCursor<'a> {
    /// Makes a cursor at the beginning of a text.
    pub fn new(text: &'a str, unit: OffsetUnit) -> Self {
        Self { text, unit, byte: 0, offset: 0 }
    }

    /// Returns the offset of a byte, which must not be before the byte of the previous call.
    pub fn at(&mut self, byte: usize) -> usize {
        let passed = self.text.get(self.byte..byte).unwrap_or_default();
        self.offset += match self.unit {
            OffsetUnit::Bytes => passed.len(),
            OffsetUnit::CodePoints => passed.chars().count(),
            OffsetUnit::Utf16 => passed.chars().map(char::len_utf16).sum(),
        };
        self.byte = self.byte.max(byte);
        self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_counts_an_emoji_in_its_own_way() {
        let text = "é😀a";
        let end = |unit| {
            let mut cursor = OffsetCursor::new(text, unit);
            [cursor.at(2), cursor.at(6), cursor.at(7)]
        };
        assert_eq!(end(OffsetUnit::Bytes), [2, 6, 7]);
        assert_eq!(end(OffsetUnit::CodePoints), [1, 2, 3]);
        assert_eq!(end(OffsetUnit::Utf16), [1, 3, 4]);
    }
}
