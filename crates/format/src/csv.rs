//! `.csv`, a table: cells with a comma or another delimiter between them, some of them in quotes,
//! with text in one column.

use std::ops::Range;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};

use super::buffer::LONGEST;
use super::cells::CellQuotes;
use super::grammar::Grammar;
use super::info::FormatInfo;
use super::jsonl::Jsonl;
use super::kind::{Format, FormatFamily};
use super::line_parts::LineParts;
use super::piece::PieceReader;
use super::transcript::{Fault, shortened};
use super::tsv;
use majuscule_base::error::{Result, option};
use majuscule_base::files::Input;
use majuscule_text::{Break, Context, RestoreOptions};

/// Tables with quotes around some cells.
pub(super) const CSV: FormatInfo = FormatInfo {
    example: "id,text\r\n1,the BBC met. İstanbul\r\n2,\"in new york, \"\"who\"\"\"\n3,\"ebay\nu.s. who?\"\n\n4,<i>bbc</i>\n",
    shown: ".csv",
    family: FormatFamily::Records,
    extensions: &["csv"],
    media_types: &["text/csv"],
    longest_line: LONGEST,
    grammar: Some(|field| Ok(Box::new(CsvReader::new(field, Context::Line)))),
    reader: Some(open),
    has_paragraphs: true,
    has_context: true,
    has_header: true,
    ..FormatInfo::LINES
};

/// The characters that may be between cells, from the most usual to the rarest.
const DELIMITERS: [u8; 4] = *b",;\t|";

/// The delimiters of a table without a header, from the one that is rarest in text.
const WITHOUT_HEADER: [u8; 4] = *b"\t|;,";

/// The column of the text, if no other is named.
const TEXT: &str = "text";

/// Starts reading a table. Each row is a separate text, unless the context is the file.
fn open(input: Input<'_>, options: RestoreOptions) -> Box<dyn PieceReader + '_> {
    let context = if options.context == Context::File { Context::File } else { Context::Line };
    let grammar = Box::new(CsvReader::new(options.field.as_deref(), context));
    Box::new(Jsonl::of_grammar(input, options, Format::Csv, grammar, context == Context::Line))
}

/// A table, read from any input. Everything but the cells of the text column is copied unchanged.
#[derive(Debug)]
struct CsvReader {
    /// The name of the column, if it is given by a name.
    name: Option<String>,
    /// The column of the text, counted from 0, once it is known.
    column: Option<usize>,
    /// True if each row is a separate text.
    is_apart: bool,
    delimiter: u8,
    /// The automaton that finds the ends of cells, once the delimiter is known.
    reader: Option<Box<Reader>>,
    /// True if a line such as `sep=;` has named the delimiter.
    is_named: bool,
    /// The names in the header as far as it was read, and the number of columns once the header has ended.
    names: Vec<String>,
    columns: Option<usize>,
    /// The row that is being read, and the number of the last line.
    row: Row,
    line: u64,
    /// The quotes of the last text.
    quotes: CellQuotes,
    /// The line after the first, if the first has no names.
    next: String,
}

/// A row that is being read.
#[derive(Debug, Default)]
struct Row {
    /// The number of cells that have ended, and the number of cells up to the last one with content.
    cells: usize,
    filled: usize,
    is_open: bool,
    /// The line in which the open cell began.
    from: u64,
}

/// A cell, or the part of a cell on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CellPart {
    column: usize,
    /// The position in the line, with the quotes.
    position: Range<usize>,
    /// True if the cell began on an earlier line; `ends` is true if it ends on this line.
    continues: bool,
    ends: bool,
}

impl CsvReader {
    /// Starts a table. `field` is the text column: its name in the header, or its number, counted from 1, in a table
    /// without a header. By default it is the column `text`, or else the only column. With the context
    /// [`Context::Line`] each row is a separate text.
    pub(super) fn new(field: Option<&str>, context: Context) -> Self {
        let column = field.and_then(tsv::number);
        Self {
            name: field.filter(|_| column.is_none()).map(str::to_owned),
            column,
            is_apart: context == Context::Line,
            delimiter: DELIMITERS[0],
            reader: None,
            is_named: false,
            names: Vec::new(),
            columns: None,
            row: Row::default(),
            line: 0,
            quotes: CellQuotes::Quoted,
            next: String::new(),
        }
    }

    /// Finds the delimiter by the first line of cells.
    fn begin(&mut self, line: &str) {
        if !self.is_named {
            self.delimiter = match self.column {
                Some(column) => delimiter_of_rows(line, &self.next, column),
                None => delimiter_of_header(line, self.name.as_deref().unwrap_or(TEXT)),
            };
        }
        self.reader = Some(Box::new(reader(self.delimiter)));
    }

    /// Returns the cells of a line, and advances the row.
    fn cells(&mut self, line: &str) -> Vec<CellPart> {
        let Some(reader) = &mut self.reader else { return Vec::new() };
        let mut cells = Vec::new();
        let is_open = self.row.is_open;
        let mut add = |position: Range<usize>, ends: bool| {
            let continues = is_open && cells.is_empty();
            let column = self.row.cells;
            self.row.cells += usize::from(ends);
            if !position.is_empty() {
                self.row.filled = column + 1;
            }
            cells.push(CellPart { column, position, continues, ends });
        };
        let (start, ends) = cut(reader, line, &mut |position| add(position, true));
        add(start..line.len(), ends);
        if !ends && !is_open {
            self.row.from = self.line;
        }
        // The same cell may continue for many lines.
        self.row.is_open = !ends;
        cells
    }

    /// Reads cells of the header.
    fn take_names(&mut self, line: &str, cells: &[CellPart]) {
        for cell in cells {
            let raw = &line[cell.position.clone()];
            let raw = raw.strip_prefix('"').filter(|_| !cell.continues).unwrap_or(raw);
            let raw = raw.strip_suffix('"').unwrap_or(raw).replace("\"\"", "\"");
            match self.names.last_mut().filter(|_| cell.continues) {
                Some(name) => {
                    name.push('\n');
                    name.push_str(&raw);
                }
                None => self.names.push(raw),
            }
        }
    }

    /// Finds the column of the text by the header.
    fn find_column(&mut self) -> Result<(), Fault> {
        let names = std::mem::take(&mut self.names);
        self.columns = Some(names.len());
        let wanted = self.name.as_deref().unwrap_or(TEXT);
        let is_only = self.name.is_none() && names.len() == 1;
        let column = (names.iter().position(|name| name == wanted))
            .or_else(|| names.iter().position(|name| name.trim().eq_ignore_ascii_case(wanted)))
            .or(is_only.then_some(0));
        let Some(column) = column else {
            let found: Vec<String> = names.iter().map(|name| format!("\"{}\"", shortened(name))).collect();
            let found = found.join(", ");
            let columns = if names.len() == 1 { "column" } else { "columns" };
            let problem = format!(
                "found the {columns} {found}, but none is called \"{wanted}\": name the column of the text with {}, or give its \
                 number there if the first line has no names",
                option("field")
            );
            return Err(Fault { at: 0, problem });
        };
        self.column = Some(column);
        Ok(())
    }

    /// Adds the text of a cell.
    fn push_text(&mut self, line: &str, cell: &CellPart, parts: &mut LineParts) -> Result<(), Fault> {
        let raw = &line[cell.position.clone()];
        let before = if cell.continues || !self.is_apart { Break::Line } else { Break::Document };
        if !cell.continues && !raw.starts_with('"') {
            self.quotes = CellQuotes::Bare { delimiter: self.delimiter };
            if !raw.is_empty() {
                parts.push_cell(cell.position.clone(), before, self.quotes);
            }
            return Ok(());
        }
        self.quotes = CellQuotes::Quoted;
        let start = cell.position.start + usize::from(!cell.continues);
        let rest = &line[start..cell.position.end];
        let inside = if cell.ends { rest.strip_suffix('"') } else { Some(rest) };
        let Some(inside) = inside.filter(|inside| !has_single_quote(inside)) else {
            let problem =
                "found text after the closing quote of a cell: a quote inside a quoted cell must be doubled";
            return Err(Fault { at: cell.position.start, problem: problem.to_owned() });
        };
        let end = start + inside.len();
        parts.push_cell(start..end, before, self.quotes);
        Ok(())
    }

    /// Ends a row.
    fn end_row(&mut self, line: &str) -> Result<(), Fault> {
        let Row { cells, filled, .. } = std::mem::take(&mut self.row);
        let Some(column) = self.column else { return self.find_column() };
        let fault = |problem| Err(Fault { at: line.len(), problem });
        let shown = self.delimiter.escape_ascii();
        if cells <= column {
            let found = if cells == 1 { "1 cell".to_owned() } else { format!("{cells} cells") };
            return fault(format!(
                "found {found} between \"{shown}\", but the text is expected in cell {}",
                column + 1
            ));
        }
        match self.columns {
            Some(columns) if filled > columns => fault(format!(
                "found {filled} cells between \"{shown}\", but the header has {columns}: a cell that contains \"{shown}\" must be in \
                 quotes"
            )),
            _ => Ok(()),
        }
    }
}

/// Returns an automaton that is at the beginning of a row.
fn reader(delimiter: u8) -> Reader {
    let mut reader = ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build();
    // After an empty line, the reader treats a byte-order mark like any other character.
    reader.read_field(b"\n", &mut [0]);
    reader
}

/// Reports all cells of a line except the last one. Returns the start of the last cell, and true if that cell ends
/// with the line.
fn cut(reader: &mut Reader, line: &str, tell: &mut dyn FnMut(Range<usize>)) -> (usize, bool) {
    let (mut at, mut start, mut content) = (0, 0, [0; 256]);
    // For the reader, empty input would mean the end of the file.
    while at < line.len() {
        let (result, read, _) = reader.read_field(&line.as_bytes()[at..], &mut content);
        at += read;
        if let ReadFieldResult::Field { .. } = result {
            tell(start..at - 1);
            start = at;
        }
    }
    let (end, ..) = reader.read_field(b"\n", &mut content);
    (start, matches!(end, ReadFieldResult::Field { .. }))
}

/// Returns the cells of a line between these delimiters.
fn split(line: &str, delimiter: u8) -> Vec<&str> {
    let mut cells = Vec::new();
    let (start, _) = cut(&mut reader(delimiter), line, &mut |position| cells.push(&line[position]));
    cells.push(&line[start..]);
    cells
}

/// Returns the delimiter of a header: one with which a cell is the wanted name, or else the one with the most cells.
fn delimiter_of_header(line: &str, wanted: &str) -> u8 {
    let has_name = |cell: &&str| cell.trim().trim_matches('"').eq_ignore_ascii_case(wanted);
    let count = |delimiter: u8| {
        let cells = split(line, delimiter);
        (cells.iter().any(has_name), cells.len())
    };
    // In reverse order, since `max_by_key` returns the last of equal candidates.
    DELIMITERS.into_iter().rev().max_by_key(|&delimiter| count(delimiter)).unwrap_or(DELIMITERS[0])
}

/// Returns the delimiter of a table without a header: one that two rows have equally often, or the
/// one that the first row has most often.
fn delimiter_of_rows(line: &str, next: &str, column: usize) -> u8 {
    let count = |line: &str, delimiter| split(line, delimiter).len();
    let is_equal = |delimiter: &u8| {
        let cells = count(line, *delimiter);
        cells > column.max(1) && count(next, *delimiter) == cells
    };
    let most = || DELIMITERS.into_iter().rev().max_by_key(|&delimiter| count(line, delimiter));
    WITHOUT_HEADER.into_iter().find(is_equal).or_else(most).unwrap_or(DELIMITERS[0])
}

/// Returns true if a quote is not doubled, as it must be inside a quoted cell.
fn has_single_quote(text: &str) -> bool {
    text.split(|c| c != '"').any(|quotes| quotes.len() % 2 == 1)
}

/// Returns the delimiter that the first line of a table for Excel names: `sep=;`.
fn named_delimiter(line: &str) -> Option<u8> {
    match line.strip_prefix("sep=")?.as_bytes() {
        [delimiter] if !delimiter.is_ascii_alphanumeric() && *delimiter != b'"' => Some(*delimiter),
        _ => None,
    }
}

impl Grammar for CsvReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        self.line += 1;
        if !self.row.is_open && line.trim().is_empty() {
            return Ok(());
        }
        if self.reader.is_none() {
            if let Some(delimiter) = named_delimiter(line).filter(|_| !self.is_named) {
                (self.delimiter, self.is_named) = (delimiter, true);
                return Ok(());
            }
            self.begin(line);
        }
        let cells = self.cells(line);
        match self.column {
            None => self.take_names(line, &cells),
            Some(column) => {
                for cell in cells.iter().filter(|cell| cell.column == column) {
                    let pushed = self.push_text(line, cell, parts);
                    pushed.inspect_err(|_| {
                        if !self.row.is_open {
                            self.row = Row::default();
                        }
                    })?;
                }
            }
        }
        if self.row.is_open { Ok(()) } else { self.end_row(line) }
    }

    fn place_for_next(&mut self, _: &[u8]) -> Option<&mut String> {
        (self.reader.is_none() && self.column.is_some()).then_some(&mut self.next)
    }

    fn end(&mut self) -> Result<(), String> {
        if !self.row.is_open {
            return Ok(());
        }
        let from = self.row.from;
        Err(format!("found no closing quote of the cell that begins on line {from}: is the file cut off?"))
    }

    fn is_between(&self) -> bool {
        !self.row.is_open
    }

    fn decode(&self, part: &str, out: &mut String) {
        self.quotes.decode(part, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_end_where_the_automaton_of_the_library_ends_them() {
        for line in ["a,b", "\"a,b\",c", "a\"b\",c", "\"a\"\"b\",c", "\"a\"b,c", ",,", "\u{feff},a"] {
            let cells = split(line, b',');
            assert_eq!(cells.join(","), line, "the cells are the line");
        }
        assert_eq!(split("\"a,b\",c", b','), ["\"a,b\"", "c"]);
        assert_eq!(split("a\"b,c\"", b','), ["a\"b", "c\""]);
    }
}
