//! Tables of symbols: labels and their words, as OpenFst's text files have them.

use std::io::{self, Write};

use super::{Arc, BackOff, EPSILON_SYMBOL, FAILURE_SYMBOL, Label, Machine};
use crate::error::{Error, Result};
use crate::lm::NgramModel;

use rustc_hash::FxHashMap;

/// Words numbered from 0 without a hole, each one once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    words: Vec<String>,
    labels: FxHashMap<String, Label>,
}

impl Symbols {
    /// Those of a list, in its order.
    ///
    /// # Errors
    /// Where one stands twice or has white space in it, which a file of symbols cannot hold.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut symbols = Self::default();
        for word in words {
            symbols.push(word).map_err(Error::Usage)?;
        }
        Ok(symbols)
    }

    /// The words of a model, each with its number plus one, and after them the label of failure arcs where it has them.
    ///
    /// # Errors
    /// Where the model has a word that is spelled like a special symbol.
    pub fn of_model(model: &NgramModel, arcs: BackOff) -> Result<Self> {
        let failure = (arcs == BackOff::Failure).then_some(FAILURE_SYMBOL);
        Self::new(std::iter::once(EPSILON_SYMBOL).chain(model.vocabulary().iter()).chain(failure))
    }

    /// Reads a file: a symbol, white space and its number on each line.
    ///
    /// # Errors
    /// Where a line is something else, or numbers are missing or stand twice: the error names the line. `name` is the file's.
    pub fn read(name: &str, text: &str) -> Result<Self> {
        let mut rows = Vec::new();
        for (line, text) in (1u64..).zip(text.lines()) {
            let text = text.trim_end();
            if text.is_empty() {
                continue;
            }
            let row = text
                .rsplit_once([' ', '\t'])
                .and_then(|(symbol, number)| Some((number.parse::<Label>().ok()?, symbol.trim_end(), line)));
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
            return Err(Error::file(name, "has no symbols: expected one a line, with its number"));
        }
        rows.sort_unstable();
        let mut symbols = Self::default();
        for (number, symbol, line) in rows {
            if number != symbols.len() as Label {
                let twice = number < symbols.len() as Label;
                let found = if twice { "stands twice" } else { "comes after a hole" };
                let problem = format!("the number {number} {found}: expected {}", symbols.len());
                return Err(Error::line(name, line, problem));
            }
            symbols.push(symbol).map_err(|problem| Error::line(name, line, problem))?;
        }
        Ok(symbols)
    }

    /// Writes such a file.
    ///
    /// # Errors
    /// Where `out` does not take it.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = io::BufWriter::with_capacity(1 << 16, out);
        for (label, word) in self.words.iter().enumerate() {
            writeln!(lines, "{word}\t{label}")?;
        }
        lines.flush()
    }

    pub(super) fn push(&mut self, word: &str) -> Result<(), String> {
        if word.is_empty() || word.contains([' ', '\t', '\n', '\r']) {
            return Err(format!("the symbol \"{}\" is empty or has white space in it", word.escape_debug()));
        }
        if self.labels.insert(word.to_owned(), self.words.len() as Label).is_some() {
            return Err(format!("the symbol \"{}\" stands twice: expected each once", word.escape_debug()));
        }
        self.words.push(word.to_owned());
        Ok(())
    }

    /// The label of a word, a new one where it was not there.
    pub(super) fn add(&mut self, word: &str) -> Label {
        if let Some(label) = self.label(word) {
            return label;
        }
        let label = self.len() as Label;
        self.labels.insert(word.to_owned(), label);
        self.words.push(word.to_owned());
        label
    }

    /// Refuses a machine that has labels on one side that are not in the table.
    pub(super) fn check(&self, machine: &Machine, side: &str, label: impl Fn(&Arc) -> Label) -> Result<()> {
        match machine.all_arcs().map(label).max() {
            Some(last) if last as usize >= self.len() => Err(Error::Usage(format!(
                "the machine {side} the label {last}, but there are {} symbols: give the table that was written with it",
                self.len()
            ))),
            _ => Ok(()),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The label of a word.
    pub fn label(&self, word: &str) -> Option<Label> {
        self.labels.get(word).copied()
    }

    /// The word of a label.
    pub fn word(&self, label: Label) -> Option<&str> {
        self.words.get(label as usize).map(String::as_str)
    }

    /// All words, in the order of their labels.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }
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
    fn what_is_no_table_is_refused_with_its_line() {
        let error = |text: &str| Symbols::read("s.txt", text).unwrap_err().to_string();
        assert_eq!(error("a 0\nb\n"), "s.txt, line 2: found \"b\", expected a symbol, a tab and its number");
        assert_eq!(error("a 0\nb 2\n"), "s.txt, line 2: the number 2 comes after a hole: expected 1");
        assert_eq!(error("a 0\nb 0\n"), "s.txt, line 2: the number 0 stands twice: expected 1");
        assert_eq!(error("a 0\na 1\n"), "s.txt, line 2: the symbol \"a\" stands twice: expected each once");
        assert!(error("\n").contains("has no symbols"));
        assert!(Symbols::new(["a b"]).is_err());
    }
}
