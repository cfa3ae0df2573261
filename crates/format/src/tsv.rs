//! `.tsv`, a table: columns separated by tabs, with text in one of them.

use std::ops::Range;

use super::buffer::LONGEST;
use super::conll::tabbed;
use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::FormatFamily;
use super::line_parts::LineParts;
use super::transcript::{Fault, shortened};
use majuscule_text::Break;

/// Tables with tabs between cells.
pub(super) const TSV: FormatInfo = FormatInfo {
    example: "id\ttext\r\n1\tthe BBC met. İstanbul\r\n2\tin new york\tebay\n\n3\t<i>who</i> &amp; o'neill\n",
    shown: ".tsv",
    family: FormatFamily::Records,
    extensions: &["tsv"],
    media_types: &["text/tab-separated-values"],
    longest_line: LONGEST,
    grammar: Some(|field| Ok(Box::new(TsvReader::new(field)))),
    has_paragraphs: true,
    is_cut_by_lines: true,
    has_header: true,
    ..FormatInfo::LINES
};

/// A table, read from any input. Each row is a separate text; everything but its text cell is copied unchanged.
#[derive(Debug)]
struct TsvReader {
    /// The name of the column, until the header is read.
    name: Option<String>,
    /// The column, counted from 0.
    column: usize,
}

impl TsvReader {
    /// Starts a table. `field` is the column of the text: its name in the first line (`text` by default), or its
    /// number, counted from 1, in a table without a header.
    pub(super) fn new(field: Option<&str>) -> Self {
        let field = field.unwrap_or("text");
        match number(field) {
            Some(column) => Self { name: None, column },
            None => Self { name: Some(field.to_owned()), column: 0 },
        }
    }
}

/// Returns true if the first line of a table is a header, since the text column is given by name.
pub fn has_names(field: Option<&str>) -> bool {
    field.and_then(number).is_none()
}

/// Returns the column with this number, counted from 0.
pub(super) fn number(field: &str) -> Option<usize> {
    field.parse::<usize>().ok()?.checked_sub(1)
}

impl Grammar for TsvReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        if let Some(name) = &self.name {
            let Some(column) = line.split('\t').position(|found| found == name) else {
                let found = shortened(line);
                let problem = format!(
                    "no column is called \"{name}\" in \"{found}\": name one of these as the field, or give its number where the \
                     first line has no names"
                );
                return Err(Fault { at: 0, problem });
            };
            (self.name, self.column) = (None, column);
            return Ok(());
        }
        if line.is_empty() {
            return Ok(());
        }
        let cells: Vec<Range<usize>> = tabbed(line).collect();
        match cells.get(self.column) {
            Some(cell) => {
                parts.push(cell.clone(), Some(Break::Paragraph));
                Ok(())
            }
            None => {
                let (found, expected) = (cells.len(), self.column + 1);
                let problem = format!("found {found} columns, but the text is expected in column {expected}");
                Err(Fault { at: line.len(), problem })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::case_laws::{check_cases, error, starts, words};

    #[test]
    fn a_column_of_a_table_is_text() {
        let file = "\u{feff}id\ttext\r\nso 1\the met ana. and left\r\nso 2\tyes\tana\n";
        check_cases(Format::Tsv, file);
        assert_eq!(words(Format::Tsv, file), ["he", "met", "ana", "and", "left", "yes"]);
        assert_eq!(starts(Format::Tsv, file), ["he", "and", "yes"]);
        assert!(error(Format::Tsv, "id\tbody\n").contains("no column is called \"text\" in \"id\tbody\""));
        assert!(error(Format::Tsv, "id\ttext\n1\n").starts_with("data, line 2, column 2: found 1 columns"));
    }
}
