//! Writes and reads the choices of a method as a file of JSON lines, one example per line.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::slots::{Matching, Slots};
use crate::corpus::protocol::MarkConvention;
use crate::corpus::{Gold, Protocol};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::Publish;
use majuscule_text::{Case, Choice, Locale, Mark, Tokens};

/// An example and its choices: a line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Choices {
    /// The words in their true case.
    pub reference: Vec<String>,
    /// The same words in the chosen case.
    pub hypothesis: Vec<String>,
    /// The indices of the words that are not scored, counted from 0.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unscored: BTreeSet<usize>,
    /// The right and the chosen mark after each word, if the protocol scores marks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<[Mark; 2]>,
}

impl Choices {
    /// Collects the choices for an example.
    pub fn of(
        tokens: &Tokens,
        gold: &[Gold],
        choices: &[Choice],
        protocol: Protocol,
        locale: Locale,
    ) -> Self {
        let words = || gold.iter().zip(choices);
        let marks = |convention: MarkConvention| {
            words().map(|(gold, choice)| convention.seen(gold, choice.label)).collect()
        };
        let spell = |cases: &mut dyn Iterator<Item = Case>| {
            tokens.iter().zip(cases).map(|((lower, _), case)| case.applied(lower, locale)).collect()
        };
        Self {
            reference: spell(&mut gold.iter().map(|gold| gold.label.case)),
            hypothesis: spell(&mut choices.iter().map(|choice| choice.label.case)),
            unscored: gold.iter().enumerate().filter(|(_, gold)| !gold.scored).map(|(at, _)| at).collect(),
            marks: protocol.mark_convention().map(marks).unwrap_or_default(),
        }
    }

    /// Returns the case of each word in the reference and in the hypothesis, as the matching sees
    /// it. `None` for a word that is not scored.
    pub fn cases(&self, matching: Matching, locale: Locale) -> impl Iterator<Item = Option<[Case; 2]>> + '_ {
        let pairs = self.reference.iter().zip(&self.hypothesis).enumerate();
        let see = move |word: &String| matching.see(Case::of(word, locale));
        pairs.map(move |(at, (right, word))| (!self.unscored.contains(&at)).then(|| [right, word].map(see)))
    }

    /// Returns the slots of each word: the slots of its mark if marks are scored, otherwise the
    /// slots of its case. `None` for a word that is not scored.
    pub fn slots(&self, matching: Matching, locale: Locale) -> impl Iterator<Item = Option<Slots>> + '_ {
        self.cases(matching, locale).enumerate().map(|(at, cases)| {
            let [right, chosen] = cases?;
            Some(match self.marks.get(at) {
                Some(marks) => Slots::of_marks(*marks),
                None => Slots::of(right, chosen),
            })
        })
    }

    /// Returns word `at` of the reference and of the hypothesis, each with the mark after it. A bar
    /// shows a sentence end without a known mark.
    pub fn shown(&self, at: usize) -> [String; 2] {
        let marks = self.marks.get(at).copied().unwrap_or_default();
        let word = |words: &[String], mark: Mark| {
            let end = (mark == Mark::SentenceEnd).then_some('|');
            words[at].chars().chain(mark.character().or(end)).collect()
        };
        [word(&self.reference, marks[0]), word(&self.hypothesis, marks[1])]
    }

    /// Writes the example as a line. Error messages name the file `name`.
    ///
    /// # Errors
    /// If the line cannot be written.
    pub fn write(&self, file: &mut Publish, name: &Path) -> Result<()> {
        let json = serde_json::to_string(self).expect("strings and numbers, as JSON has them");
        writeln!(file, "{json}").map_err(|error| Error::io("write", name, error))
    }
}

/// Reads a file of choices example by example.
pub struct ChoicesReader {
    lines: Lines<BufReader<File>>,
    file: PathBuf,
    number: u64,
    advice: String,
}

impl ChoicesReader {
    /// Opens a file of choices. Error messages contain `advice`, a suggestion for the user.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(file: &Path, advice: impl Into<String>) -> Result<Self> {
        let open = File::open(file).map_err(|error| Error::io("read", file, error))?;
        Ok(Self {
            lines: BufReader::new(open).lines(),
            file: file.to_owned(),
            number: 0,
            advice: advice.into(),
        })
    }

    /// Reads the next example; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read or its line is not an example.
    pub fn read(&mut self) -> Result<Option<Choices>> {
        let Some(line) = self.lines.next() else { return Ok(None) };
        let line = line.map_err(|error| Error::io("read", &self.file, error))?;
        self.number += 1;
        let choices: Choices =
            serde_json::from_str(&line).map_err(|error| self.problem(&error.to_string()))?;
        let (reference, hypothesis) = (choices.reference.len(), choices.hypothesis.len());
        if reference != hypothesis {
            return Err(
                self.problem(&format!("{reference} words in reference, but {hypothesis} in hypothesis"))
            );
        }
        if !choices.marks.is_empty() && choices.marks.len() != reference {
            return Err(
                self.problem(&format!("{reference} words, but marks for {} words", choices.marks.len()))
            );
        }
        Ok(Some(choices))
    }

    /// An error about the line that was read last.
    pub fn problem(&self, what: &str) -> Error {
        let choices = option("choices");
        let problem = format!("is not an example written by {choices} ({what}): {}", self.advice);
        Error::line(self.file.to_string_lossy(), self.number, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_base::files;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("choices");
        let examples = [
            Choices {
                reference: vec!["in".into(), "Lisbon".into()],
                hypothesis: vec!["In".into(), "Lisbon".into()],
                unscored: [0].into(),
                marks: vec![[Mark::None; 2], [Mark::Period, Mark::Comma]],
            },
            Choices::default(),
        ];
        files::publish(&file, |out| examples.iter().try_for_each(|choices| choices.write(out, &file)))
            .unwrap();
        let mut reader = ChoicesReader::open(&file, "write it again").unwrap();
        assert_eq!(reader.read().unwrap().as_ref(), Some(&examples[0]));
        assert_eq!(reader.read().unwrap().as_ref(), Some(&examples[1]));
        assert_eq!(reader.read().unwrap(), None);
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("choices");
        std::fs::write(
            &file,
            "{\"reference\":[],\"hypothesis\":[]}\n{\"reference\":[\"a\"],\"hypothesis\":[]}\n",
        )
        .unwrap();
        let mut reader = ChoicesReader::open(&file, "write it again").unwrap();
        reader.read().unwrap();
        let error = reader.read().unwrap_err().to_string();
        assert!(error.ends_with("choices, line 2: is not an example written by `choices` (1 words in reference, but 0 in hypothesis): write it again"), "{error}");
    }
}
