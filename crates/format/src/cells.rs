//! Reads and writes the cells of a table in which some cells are in quotes.

/// The quotes of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellQuotes {
    /// The cell is in quotes, and a quote in it is doubled.
    Quoted,
    /// The cell has no quotes, and ends at the next delimiter.
    Bare {
        /// The character between cells.
        delimiter: u8,
    },
}

impl CellQuotes {
    /// Appends the text of a cell, or of a line of it, to `out`.
    pub(super) fn decode(self, raw: &str, out: &mut String) {
        match self {
            Self::Quoted => out.push_str(&raw.replace("\"\"", "\"")),
            Self::Bare { .. } => out.push_str(raw),
        }
    }

    /// Returns the text of a cell as bytes, which may not be UTF-8.
    pub(super) fn decoded(self, raw: &[u8]) -> Vec<u8> {
        let mut last = false;
        // The second quote of each pair is dropped.
        let is_kept = |b: &u8| {
            last = self == Self::Quoted && *b == b'"' && !last;
            last || *b != b'"' || self != Self::Quoted
        };
        raw.iter().copied().filter(is_kept).collect()
    }

    /// Appends a cell with this text to `out`. If one of the `inserted` characters is a delimiter or a quote, a cell
    /// without quotes is put in quotes, and the quotes inside it are doubled.
    pub(super) fn encode(self, text: &[u8], inserted: impl Iterator<Item = u8>, out: &mut Vec<u8>) {
        let mut inserted = inserted;
        let is_opened = match self {
            Self::Quoted => false,
            Self::Bare { delimiter } => inserted.any(|b| b == delimiter || b == b'"'),
        };
        out.extend(is_opened.then_some(b'"'));
        for &b in text {
            out.push(b);
            out.extend((b == b'"' && (is_opened || self == Self::Quoted)).then_some(b));
        }
        out.extend(is_opened.then_some(b'"'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_written_as_it_was_read() {
        let bare = CellQuotes::Bare { delimiter: b';' };
        for (quotes, raw, text) in [
            (CellQuotes::Quoted, "so \"\"we\"\", \"\"\"\"", "so \"we\", \"\""),
            (CellQuotes::Quoted, "", ""),
            (bare, "so \"\"we\"\", yes", "so \"\"we\"\", yes"),
        ] {
            let mut read = String::new();
            quotes.decode(raw, &mut read);
            assert_eq!(read, text);
            assert_eq!(quotes.decoded(raw.as_bytes()), text.as_bytes());
            let mut written = Vec::new();
            quotes.encode(text.as_bytes(), ",".bytes(), &mut written);
            assert_eq!(String::from_utf8(written).unwrap(), raw);
        }
    }

    #[test]
    fn a_cell_gets_quotes_where_a_mark_would_end_it() {
        let written = |quotes: CellQuotes, text: &str, marks: &str| {
            let mut out = Vec::new();
            quotes.encode(text.as_bytes(), marks.bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        let bare = CellQuotes::Bare { delimiter: b',' };
        assert_eq!(written(bare, "so, \"we\"", ","), "\"so, \"\"we\"\"\"");
        assert_eq!(written(bare, "so.", "."), "so.");
        assert_eq!(written(CellQuotes::Quoted, "so, we", ","), "so, we");
    }
}
