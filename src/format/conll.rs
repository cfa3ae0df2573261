//! CoNLL's columns: a word a line, an empty line after a sentence.
//!
//! In files of ten columns and more that begin with numbers (CoNLL-U, -X, -2009) the word is the second, otherwise the first. Lines
//! that begin with `#` are comments. Of a word that is written in one and analysed as several (`1-2 dámelo`), the first line counts.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::records::{Grammar, Parts};
use super::transcript::{Fault, fields};
use crate::error::{Error, Result};
use crate::text::Break;

/// Columns, read from anywhere. All but the words stays as it is.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The column of the words, once it is known, counted from 1.
    column: Option<usize>,
    /// What parts the next word from the last.
    before: Option<Break>,
    /// The last number of a word that is analysed as several.
    analysed: usize,
}

impl Grammar for Rows {
    fn line(&mut self, line: &str, parts: &mut Parts) -> Result<(), Fault> {
        if line.starts_with('#') {
            return Ok(());
        }
        if line.trim().is_empty() {
            self.before = self.before.max(Some(Break::Paragraph));
            self.analysed = 0;
            return Ok(());
        }
        let columns: Vec<Range<usize>> = match line.contains('\t') {
            true => tabbed(line).collect(),
            false => fields(line, 0).collect(),
        };
        let id = |text: &str| {
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.'))
        };
        let numbered = columns.len() >= 10 && id(&line[columns[0].clone()]);
        let column = *self.column.get_or_insert(if numbered { 2 } else { 1 });
        let Some(word) = columns.get(column - 1).filter(|word| !word.is_empty()).cloned() else {
            let problem =
                format!("found no word in column {column}, but one is expected there; --field names another");
            return Err(Fault { at: line.trim_end().len(), problem });
        };
        if &line[word.clone()] == "-DOCSTART-" {
            self.before = Some(Break::Document);
            return Ok(());
        }
        if numbered && self.is_inside(&line[columns[0].clone()]) {
            return Ok(());
        }
        parts.push(word, self.before.take());
        Ok(())
    }

    fn is_between(&self) -> bool {
        self.before.is_some()
    }
}

impl Rows {
    /// Begins with a file; the words are in the column that `field` names by its number, if it is given.
    ///
    /// # Errors
    /// [`Error::Usage`] where that is no number.
    pub(super) fn new(field: Option<&str>) -> Result<Self> {
        let number = |field: &str| {
            let problem = format!("--field {field}: the column of the words is expected, such as 1");
            field.parse::<NonZeroUsize>().map_err(|_| Error::Usage(problem))
        };
        let column = field.map(number).transpose()?.map(NonZeroUsize::get);
        Ok(Self { column, before: Some(Break::Document), ..Self::default() })
    }

    /// Whether the row with this number belongs to the analysis of a word that was there, or is no word of the text.
    fn is_inside(&mut self, id: &str) -> bool {
        if let Some((_, last)) = id.split_once('-') {
            self.analysed = last.parse().unwrap_or(0);
            return false;
        }
        id.contains('.') || id.parse().is_ok_and(|id: usize| id <= self.analysed)
    }
}

fn tabbed(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    line.split('\t').map(move |field| {
        let start = at;
        at += field.len() + 1;
        start..start + field.len()
    })
}

#[cfg(test)]
mod tests {
    use crate::format::Kind;
    use crate::format::laws::{check, error, starts, words};

    #[test]
    fn an_empty_line_ends_a_sentence() {
        let file = "-DOCSTART- -X- O O\n\nthe DT B-NP O\n1996 CD I-NP O\neu NNP I-NP B-ORG\n. . O O\n\nit PRP B-NP O\n";
        assert_eq!(words(Kind::Conll, file), ["the", "1996", "eu", "it"]);
        assert_eq!(starts(Kind::Conll, file), ["the", "it"]);
        check(Kind::Conll, file);
    }

    #[test]
    fn numbered_rows_have_the_word_second() {
        let row = |id: &str, word: &str| format!("{id}\t{word}\tlemma\tX\t_\t_\t0\troot\t_\t_\n");
        let file = [
            "# text = x\n",
            &row("1-2", "dámelo"),
            &row("1", "da"),
            &row("2", "melo"),
            &row("2.1", "x"),
            &row("3", "rui"),
        ]
        .concat();
        assert_eq!(words(Kind::Conll, &file), ["dámelo", "rui"]);
        check(Kind::Conll, &file);
        assert!(
            error(Kind::Conll, &format!("{file}4\n"))
                .starts_with("data, line 7, column 2: found no word in column 2")
        );
    }
}
