//! CoNLL's columns: one word per line, and an empty line after each sentence.
//!
//! In files of ten or more columns that begin with numbers (CoNLL-U, -X, -2009) the word is in the second column,
//! otherwise in the first. Lines that begin with `#` are comments. If one written word is analysed as several, its
//! line (`1-2 I'm`) is read, and the words in the lines after it (`1 I`, `2 'm`) copy its capitals.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::line_parts::{CopiedPart, LineParts, PartCopy};
use super::mark_rows::MarkRows;
use super::piece::MarkPlace;
use super::transcript::{Fault, fields};
use majuscule_base::error::{Error, Result, option};
use majuscule_text::{Break, MarkForm, RestoreOptions};

/// CoNLL's columns.
pub(super) const CONLL: FormatInfo = FormatInfo {
    example: "# the bbc\n1-2\tthe\tlemma\tX\t_\t_\t0\troot\t_\t_\n1\tth\tthe\tX\t_\t_\t0\troot\t_\t_\n3\tBBC\tbbc\tX\t_\t_\t0\troot\t_\t_\n\n\
              1\tebay\tx\tX\t_\t_\t0\troot\t_\t_\r\n2\t.\tx\tX\t_\t_\t0\troot\t_\t_\n\n1\tmet\tx\tX\t_\t_\t0\troot\t_\t_\n",
    shown: "CoNLL",
    family: FormatFamily::Columns,
    extensions: &["conll", "conllu"],
    grammar: Some(|field| Ok(Box::new(ConllReader::new(field)?))),
    mark_form: |asked| match asked {
        Some(MarkForm::Apart) => Ok(MarkForm::Apart),
        _ => {
            let problem = format!(
                "conll cannot hold punctuation after words, which are annotated as they are: with {} apart each mark gets a row of \
                 its own",
                option("mark-form")
            );
            Err(Error::usage(problem))
        }
    },
    mark_row: Some(|line, at, _, mark| mark_row(line, at, mark)),
    is_tokenised: true,
    ..FormatInfo::LINES
};

/// Columns.
#[derive(Debug, Default)]
struct ConllReader {
    /// The column of the words, counted from 1, once it is known.
    column: Option<usize>,
    /// The break between the last word and the next.
    before: Option<Break>,
    /// True if rows begin with numbers and have at least ten columns.
    is_numbered: bool,
    /// True if the user names the column.
    is_given: bool,
    /// The number of rows of the sentence so far, if each of them begins with its row number.
    counted: Option<usize>,
    /// The last number of the word that is analysed as several: 2 in `1-2`.
    analysed: usize,
    /// The written word that is analysed as several. `spelled` is the byte of it up to which its parts spell it so
    /// far; `None` if they do not spell it.
    written: String,
    spelled: Option<usize>,
    /// True if punctuation marks are inserted as separate rows, or if such rows are removed.
    puts_rows: bool,
}

impl Grammar for ConllReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        match self.says(line)? {
            ConllLineKind::Word(word) => parts.push(word, self.before.take()),
            ConllLineKind::End => self.before = self.before.max(Some(Break::Paragraph)),
            ConllLineKind::Document => self.before = Some(Break::Document),
            ConllLineKind::Inside(position) => {
                let (of, part) = self.spells(&line[position.clone()]);
                parts.copies.push(PartCopy { position, of, part });
            }
            ConllLineKind::Nothing => {}
        }
        Ok(())
    }

    fn prepare(&mut self, options: &RestoreOptions) {
        self.puts_rows = options.puts().is_some() || options.notes_marks();
    }

    fn mark_place(&self, _: MarkForm) -> MarkPlace {
        MarkPlace::Row(MarkRows { kind: Format::Conll, returns: false })
    }

    fn is_between(&self) -> bool {
        self.before.is_some()
    }
}

/// The kind of a line.
enum ConllLineKind {
    /// A comment, or a row that is not a word of the text.
    Nothing,
    /// The end of a sentence.
    End,
    /// The beginning of a document.
    Document,
    Word(Range<usize>),
    /// A part of an earlier word.
    Inside(Range<usize>),
}

impl ConllReader {
    /// Starts a file; `field` is the number of the column that contains the words, if it is given.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if `field` is not a number.
    pub(super) fn new(field: Option<&str>) -> Result<Self> {
        let number = |field: &str| {
            let problem = format!(
                "{} {field}: the number of the column of the words is expected, such as 1",
                option("field")
            );
            field.parse::<NonZeroUsize>().map_err(|_| Error::usage(problem))
        };
        let column = field.map(number).transpose()?.map(NonZeroUsize::get);
        let start = Self { before: Some(Break::Document), counted: Some(0), ..Self::default() };
        Ok(Self { column, is_given: column.is_some(), ..start })
    }

    /// Returns the kind of the next line.
    fn says(&mut self, line: &str) -> Result<ConllLineKind, Fault> {
        if line.starts_with('#') {
            return Ok(ConllLineKind::Nothing);
        }
        if line.trim().is_empty() {
            self.analysed = 0;
            self.counted = Some(0);
            return Ok(ConllLineKind::End);
        }
        let columns = columns(line);
        let numbered = columns.len() >= NUMBERED && is_id(&line[columns[0].clone()]);
        if !numbered && (self.is_numbered || is_blank_for_tab(line, &columns)) {
            let problem = format!(
                "found {} columns, but {NUMBERED} are expected, a number first and tabs between them",
                columns.len()
            );
            return Err(Fault { at: line.trim_end().len(), problem });
        }
        self.is_numbered |= numbered;
        if numbered && self.puts_rows {
            let problem = "found a row with a number, but rows of marks would change the numbers of all rows after them: expected rows \
                           without numbers, or text (majuscule convert)";
            return Err(Fault { at: 0, problem: problem.to_owned() });
        }
        let column = *self.column.get_or_insert(if numbered { 2 } else { 1 });
        let Some(word) =
            columns.get(column - 1).filter(|word| !line[(*word).clone()].trim().is_empty()).cloned()
        else {
            let problem = format!(
                "found no word in column {column}, but one is expected there; {} names another column",
                option("field")
            );
            return Err(Fault { at: line.trim_end().len(), problem });
        };
        if &line[word.clone()] == "-DOCSTART-" {
            self.analysed = 0;
            return Ok(ConllLineKind::Document);
        }
        let id = &line[columns[0].clone()];
        if !numbered {
            let number = self.counted.map(|rows| rows + 1).filter(|number| id.parse() == Ok(*number));
            self.counted = number;
            if number == Some(COUNTED) && columns.len() > 1 && !self.is_given {
                let problem = format!(
                    "found rows that begin with the numbers 1 to {COUNTED}, but words are expected there, or {NUMBERED} columns; {} 2 names \
                     the second column",
                    option("field")
                );
                return Err(Fault { at: 0, problem });
            }
            return Ok(ConllLineKind::Word(word));
        }
        if let Some((_, last)) = id.split_once('-') {
            self.analysed = last.parse().unwrap_or(0);
            line[word.clone()].clone_into(&mut self.written);
            self.spelled = Some(0);
        } else if id.contains('.') {
            return Ok(ConllLineKind::Nothing);
        } else if id.parse().is_ok_and(|id: usize| id <= self.analysed) {
            return Ok(ConllLineKind::Inside(word));
        }
        Ok(ConllLineKind::Word(word))
    }

    /// Returns the bytes of the written word that its next part spells. If the part does not spell any, returns all
    /// bytes, and whether it is the first part.
    fn spells(&mut self, word: &str) -> (Range<usize>, Option<CopiedPart>) {
        let at = self.spelled.unwrap_or(0);
        let rest = &self.written[at..];
        let len: usize = rest.chars().take(word.chars().count()).map(char::len_utf8).sum();
        if self.spelled.is_some() && rest[..len].chars().map(small).eq(word.chars().map(small)) {
            self.spelled = Some(at + len);
            return (at..at + len, None);
        }
        let is_first = self.spelled.take() == Some(0);
        (0..self.written.len(), Some(if is_first { CopiedPart::First } else { CopiedPart::Other }))
    }
}

/// The smallest number of columns of a row that begins with a number.
const NUMBERED: usize = 10;

/// If this many rows of a sentence begin with their row numbers, that is no coincidence.
const COUNTED: usize = 3;

fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.'))
}

/// Returns true if a row has all columns of a numbered row, but blanks instead of tabs between some of them.
fn is_blank_for_tab(line: &str, columns: &[Range<usize>]) -> bool {
    let mut fields = fields(line, 0);
    columns.len() < NUMBERED
        && fields.next().is_some_and(|first| is_id(&line[first]))
        && fields.count() + 1 >= NUMBERED
}

/// Returns a character in lower case, the same under every locale, and `'` for `’`.
fn small(c: char) -> char {
    match c {
        'İ' | 'I' | 'ı' => 'i',
        '’' => '\'',
        c => c.to_lowercase().next().unwrap_or(c),
    }
}

/// Returns the row of a punctuation mark. `line` is the row of its word, which has a character at byte `at`; all
/// other columns become `_`.
fn mark_row(line: &str, at: usize, mark: &str) -> String {
    let (mut row, mut last) = (String::new(), 0);
    for column in columns(line) {
        row.push_str(&line[last..column.start]);
        row.push_str(if column.contains(&at) { mark } else { "_" });
        last = column.end;
    }
    row
}

fn columns(line: &str) -> Vec<Range<usize>> {
    match line.contains('\t') {
        true => tabbed(line).collect(),
        false => fields(line, 0).collect(),
    }
}

/// Iterates over the positions of the fields between tabs.
pub(super) fn tabbed(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    line.split('\t').map(move |field| {
        let start = at;
        at += field.len() + 1;
        start..start + field.len()
    })
}
