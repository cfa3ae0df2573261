//! Tables of symbols: labels and their words, in the text format of OpenFst.

use std::io::{self, Write};

use super::{ArcLabel, BackOff, EPSILON, EPSILON_SYMBOL, FAILURE_SYMBOL, Machine, MachineArc};
use majuscule_base::error::{Error, Result};
use majuscule_lm::NgramModel;

use rustc_hash::FxHashMap;

/// A table of distinct words and labels. The labels of a machine built by this crate are numbered
/// from 0 without gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    /// The words, sorted by label.
    words: Vec<(ArcLabel, String)>,
    labels: FxHashMap<String, ArcLabel>,
}

impl Symbols {
    /// Creates a table from a list of words, numbered in order.
    ///
    /// # Errors
    /// Returns an error if a word occurs twice, is empty, or contains white space, which a file of
    /// symbols cannot store.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut symbols = Self::default();
        for word in words {
            symbols.push(symbols.next(), word).map_err(Error::usage)?;
        }
        Ok(symbols)
    }

    /// Creates the table of a model, in which each word's label is its number plus one; the label
    /// of failure arcs, if there are any, comes last.
    ///
    /// # Errors
    /// Returns an error if the model has a word that is spelled like a special symbol.
    pub fn of_model(model: &NgramModel, arcs: BackOff) -> Result<Self> {
        let failure = (arcs == BackOff::Failure).then_some(FAILURE_SYMBOL);
        Self::new(std::iter::once(EPSILON_SYMBOL).chain(model.vocabulary().iter()).chain(failure))
    }

    /// Reads a file with a symbol, white space and its number on each line. Numbers may have gaps.
    /// `name` is the file's name.
    ///
    /// # Errors
    /// Returns an error that names the line if a line has another form, or
    /// a number or symbol occurs twice.
    pub fn read(name: &str, text: &str) -> Result<Self> {
        let mut rows = Vec::new();
        for (line, text) in (1u64..).zip(text.lines()) {
            let text = text.trim_end();
            if text.is_empty() {
                continue;
            }
            let row = text
                .rsplit_once([' ', '\t'])
                .and_then(|(symbol, number)| Some((label(number.parse().ok()?)?, symbol.trim_end(), line)));
            let Some(row) = row else {
                let problem = format!(
                    "found \"{}\", expected a symbol, a tab and its number",
                    text.chars().take(80).collect::<String>().escape_debug()
                );
                return Err(Error::line(name, line, problem));
            };
            rows.push(row);
        }
        if rows.is_empty() {
            return Err(Error::file(name, "has no symbols: expected one per line, with its number"));
        }
        rows.sort_unstable();
        let mut symbols = Self::default();
        for (label, symbol, line) in rows {
            symbols.push(label, symbol).map_err(|problem| Error::line(name, line, problem))?;
        }
        Ok(symbols)
    }

    /// Writes the table as a text file.
    ///
    /// # Errors
    /// Returns an error if `out` cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = io::BufWriter::with_capacity(1 << 16, out);
        for (label, word) in self.iter() {
            writeln!(lines, "{word}\t{}", shown(label))?;
        }
        lines.flush()
    }

    /// Adds a word under a label that is larger than all labels in the table.
    fn push(&mut self, label: ArcLabel, word: &str) -> Result<(), String> {
        if word.is_empty() || word.contains([' ', '\t', '\n', '\r']) {
            return Err(format!("the symbol \"{}\" is empty or has white space in it", word.escape_debug()));
        }
        if self.words.last().is_some_and(|(last, _)| *last >= label) {
            return Err(format!("the number {} occurs twice: expected each once", shown(label)));
        }
        if self.labels.insert(word.to_owned(), label).is_some() {
            return Err(format!("the symbol \"{}\" occurs twice: expected each once", word.escape_debug()));
        }
        self.words.push((label, word.to_owned()));
        Ok(())
    }

    /// Creates a table from the rows of a file, which may be in any order.
    pub(super) fn of_rows(mut rows: Vec<(i64, &str)>) -> Result<Self, String> {
        let outside =
            |number: i64| format!("has a symbol under {number}, which cannot be the label of an arc");
        let mut symbols = Self::default();
        // Negative labels come last, as they do on arcs.
        rows.sort_by_key(|&(number, _)| (number < 0, number));
        for (number, symbol) in rows {
            symbols.push(label(number).ok_or_else(|| outside(number))?, symbol)?;
        }
        Ok(symbols)
    }

    /// Returns the label after the last one.
    pub(super) fn next(&self) -> ArcLabel {
        self.words.last().map_or(0, |(label, _)| label + 1)
    }

    /// Returns the label of a word, adding the word if necessary.
    pub(super) fn add(&mut self, word: &str) -> ArcLabel {
        if let Some(label) = self.label(word) {
            return label;
        }
        let label = self.next();
        self.labels.insert(word.to_owned(), label);
        self.words.push((label, word.to_owned()));
        label
    }

    /// Refuses a machine if one of its sides has labels that the table
    /// lacks. The table may lack epsilon.
    pub(super) fn check(
        &self,
        machine: &Machine,
        side: &str,
        label: impl Fn(&MachineArc) -> ArcLabel,
    ) -> Result<()> {
        let lacks = |label: &ArcLabel| *label != EPSILON && self.word(*label).is_none();
        match machine.arcs.iter().map(label).find(lacks) {
            Some(label) => Err(Error::usage(format!(
                "the machine {side} the label {}, which is not among the {} symbols: give the table that was written with it",
                shown(label),
                self.len()
            ))),
            None => Ok(()),
        }
    }

    /// Returns the number of symbols.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns true if the table has no symbols.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the label of a word.
    pub fn label(&self, word: &str) -> Option<ArcLabel> {
        self.labels.get(word).copied()
    }

    /// Returns the word of a label.
    pub fn word(&self, label: ArcLabel) -> Option<&str> {
        // Without gaps, a word's index is its label.
        let (_, word) = match self.words.get(label as usize) {
            Some(own) if own.0 == label => own,
            _ => &self.words[self.words.binary_search_by_key(&label, |&(label, _)| label).ok()?],
        };
        Some(word)
    }

    /// Iterates over all labels and their words, sorted by label.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ArcLabel, &str)> {
        self.words.iter().map(|(label, word)| (*label, word.as_str()))
    }
}

/// Converts a number of a table to a label, which has 32 bits and a
/// sign as on arcs; -1 is not a label.
fn label(number: i64) -> Option<ArcLabel> {
    i32::try_from(number).ok().filter(|&number| number != -1).map(i32::cast_unsigned)
}

/// Converts a label to the number that tables show; labels of other programs may be negative.
pub(super) fn shown(label: ArcLabel) -> i32 {
    label.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_written_and_read() {
        let symbols = Symbols::new(["<eps>", "Lisbon", "us", "US"]).unwrap();
        let mut file = Vec::new();
        symbols.write(&mut file).unwrap();
        let file = String::from_utf8(file).unwrap();
        assert_eq!(file, "<eps>\t0\nLisbon\t1\nus\t2\nUS\t3\n");
        assert_eq!(Symbols::read("s", &file).unwrap(), symbols);
        assert_eq!(symbols.label("US"), Some(3));
        assert_eq!(symbols.word(4), None);
    }

    #[test]
    fn a_table_may_have_holes_and_labels_below_0() {
        let file = "<eps>\t0\nus\t7\nUS\t1000000000\nodd\t-2\n";
        let symbols = Symbols::read("s", &file.replace("<eps>\t0\n", "<eps>\t0\n\n")).unwrap();
        assert_eq!((symbols.len(), symbols.label("us"), symbols.word(7)), (4, Some(7), Some("us")));
        assert_eq!((symbols.word(1), symbols.word(1_000_000_000)), (None, Some("US")));
        assert_eq!(symbols.word(symbols.label("odd").unwrap()), Some("odd"));
        let mut written = Vec::new();
        symbols.write(&mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), file);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        let error = |text: &str| Symbols::read("s.txt", text).unwrap_err().to_string();
        assert_eq!(error("a 0\nb\n"), "s.txt, line 2: found \"b\", expected a symbol, a tab and its number");
        assert_eq!(error("a 0\nb 0\n"), "s.txt, line 2: the number 0 occurs twice: expected each once");
        assert!(
            error("a 0\nb -1\n").contains("line 2: found \"b -1\", expected a symbol, a tab and its number")
        );
        assert_eq!(error("a 0\na 1\n"), "s.txt, line 2: the symbol \"a\" occurs twice: expected each once");
        assert!(error("\n").contains("has no symbols"));
        assert!(Symbols::new(["a b"]).is_err());
    }
}
