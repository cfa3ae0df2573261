//! Sheets of comma-separated values that a person has filled in: rows of equal length under a header.

use csv::{ReaderBuilder, StringRecord};

use majuscule_base::error::{Error, Result};

/// A table with a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvTable {
    name: String,
    text: String,
    header: StringRecord,
    /// The rows that are not empty. They have as many cells as the header, without white space around them.
    pub rows: Vec<StringRecord>,
}

impl CsvTable {
    /// Reads a table whose header has the columns `expected`. Cells may be separated by semicolons or tabs, as spreadsheets
    /// of some languages write them.
    ///
    /// # Errors
    /// If the rows are not of equal length or a column is missing; the error calls the table `name`.
    pub fn parse(name: &str, text: &str, expected: &[&str]) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let first = text.lines().next().unwrap_or_default();
        let has_all = |delimiter: &u8| {
            let cells = || first.split(char::from(*delimiter)).map(|cell| cell.trim().trim_matches('"'));
            expected.iter().all(|column| cells().any(|cell| cell == *column))
        };
        let delimiter = *b",;\t".iter().find(|delimiter| has_all(delimiter)).unwrap_or(&b',');
        let mut reader =
            ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(text.as_bytes());
        let problem = |error: csv::Error| match error.kind() {
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => Error::line(
                name,
                line_of(text, pos.as_ref().map_or(0, csv::Position::byte)),
                format!("{len} cells, but the header has {expected_len}: expected the same"),
            ),
            _ => Error::file(name, format!("is not a table of comma-separated values: {error}")),
        };
        let header = reader.headers().map_err(problem)?.clone();
        let mut rows = reader.records().collect::<csv::Result<Vec<_>>>().map_err(problem)?;
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let table = Self { name: name.to_owned(), text: text.to_owned(), header, rows };
        expected.iter().try_for_each(|column| table.column(column).map(drop))?;
        Ok(table)
    }

    /// Returns the index of a column.
    ///
    /// # Errors
    /// If no column or more than one has this name.
    pub fn column(&self, name: &str) -> Result<usize> {
        let mut found = (0..self.header.len()).filter(|&at| &self.header[at] == name);
        match (found.next(), found.next()) {
            (Some(column), None) => Ok(column),
            (Some(_), Some(_)) => {
                Err(Error::line(&self.name, 1, format!("two columns are called {name}: expected one")))
            }
            (None, _) => {
                let header = self.header.iter().collect::<Vec<_>>().join(", ");
                let header: String = header.chars().take(80).collect();
                let problem = format!(
                    "no column is called {name} (found: {}): expected the sheet as it was written, as comma-separated values",
                    header.escape_debug()
                );
                Err(Error::line(&self.name, 1, problem))
            }
        }
    }

    /// Returns an error about a row.
    pub fn problem(&self, row: &StringRecord, problem: impl Into<String>) -> Error {
        let byte = row.position().map_or(0, csv::Position::byte);
        Error::line(&self.name, line_of(&self.text, byte), problem.into())
    }
}

/// Returns the number of the first line with content at or after byte `at` of a text. The position that the reader
/// reports for a row is the byte after the first character of the preceding line ending.
fn line_of(text: &str, at: u64) -> u64 {
    let bytes = text.as_bytes();
    let written = bytes.iter().skip(at as usize).position(|byte| !b"\r\n".contains(byte)).unwrap_or(0);
    1 + bytes.iter().take(at as usize + written).filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<(u64, Vec<String>)>> {
        let table = CsvTable::parse("sheet", text, &["id", "choice"])?;
        let line = |row: &StringRecord| line_of(&table.text, row.position().unwrap().byte());
        let cells = |row: &StringRecord| row.iter().map(str::to_owned).collect();
        Ok(table.rows.iter().map(|row| (line(row), cells(row))).collect())
    }

    #[test]
    fn cells_are_read_as_spreadsheets_write_them() {
        let rows = |cells: &[(u64, [&str; 2])]| {
            cells.iter().map(|(line, row)| (*line, row.map(str::to_owned).to_vec())).collect::<Vec<_>>()
        };
        let expected = rows(&[(2, ["1", "A"]), (4, ["2", "a, \"b\"\nc"]), (6, ["3", ""])]);
        let text = "id,choice\r\n1, A\r\n\r\n2,\"a, \"\"b\"\"\nc\"\r\n3,\r\n,\r\n";
        assert_eq!(parsed(text).unwrap(), expected);
        assert_eq!(parsed("\u{feff}\"id\";choice\n1;A").unwrap(), expected[..1]);
        assert_eq!(parsed("id\tchoice\n1\tA\n").unwrap(), expected[..1]);
    }

    #[test]
    fn a_text_that_is_no_table_is_an_error_with_its_line() {
        for (text, problem) in [
            ("", "sheet, line 1: no column is called id (found: )"),
            ("PK\u{3}\u{4}", "sheet, line 1: no column is called id (found: PK\\u{3}\\u{4})"),
            ("id,choice,id\n", "sheet, line 1: two columns are called id"),
            ("id,answer\n1,A\n", "sheet, line 1: no column is called choice (found: id, answer)"),
            ("id,choice\n1,A\n2,A,B\n", "sheet, line 3: 3 cells, but the header has 2"),
            ("id,choice\n1\n", "sheet, line 2: 1 cells, but the header has 2"),
        ] {
            let error = parsed(text).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
    }
}
