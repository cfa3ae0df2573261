//! `.nlp`, a transcript in columns: a header with the names of the columns, then one word and its punctuation per
//! line.
//!
//! `|` separates the columns; two of them are called `token` and `punctuation`. Events in `<>` are not words; the
//! punctuation of an event belongs to the word before the event, if that word has none. `.`, `?` and `!` end a
//! sentence.

use std::ops::Range;

use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::FormatFamily;
use super::line_parts::LineParts;
use super::mark_rows::no_form;
use super::piece::MarkPlace;
use super::transcript::{Fault, Utterance, is_event, shortened};
use majuscule_text::{Break, MarkForm, RestoreOptions};

/// Transcripts in columns.
pub(super) const NLP: FormatInfo = FormatInfo {
    example: "token|speaker|punctuation|case|tags\nGood|0||UC|\nmet|0|,|LC|\n<laugh>|0|||\nÁna|1|.|UC|\r\nyes|1|?|\n",
    shown: ".nlp",
    family: FormatFamily::Transcript,
    extensions: &["nlp"],
    grammar: Some(|_| Ok(Box::new(NlpReader::default()))),
    mark_form: |asked| match asked {
        None | Some(MarkForm::Joined) => Ok(MarkForm::Joined),
        Some(asked) => Err(no_form("nlp", asked, "joined")),
    },
    is_tokenised: true,
    has_mark_column: true,
    has_speakers: true,
    ..FormatInfo::LINES
};

/// A transcript, read from any input. Everything but the words and their marks is copied unchanged.
#[derive(Debug, Default)]
struct NlpReader {
    header: Option<NlpColumns>,
    /// The break between the last word and the next.
    before: Option<Break>,
    /// True if the last word has no mark yet.
    is_bare: bool,
    /// True if punctuation is inserted: the existing punctuation then ends no sentence.
    is_unmarked: bool,
}

/// The columns of a file.
#[derive(Debug, Clone, Copy)]
struct NlpColumns {
    token: usize,
    punctuation: usize,
    speaker: Option<usize>,
    columns: usize,
}

impl NlpColumns {
    fn read(line: &str) -> Result<Self, Fault> {
        let names: Vec<&str> = line.split('|').collect();
        let position = |name| names.iter().position(|&found| found == name);
        match (position("token"), position("punctuation")) {
            (Some(token), Some(punctuation)) if token < punctuation => {
                Ok(Self { token, punctuation, speaker: position("speaker"), columns: names.len() })
            }
            _ => {
                let problem = format!(
                    "found \"{}\", but a transcript begins with a header such as token|speaker|punctuation|case|tags",
                    shortened(line)
                );
                Err(Fault { at: 0, problem })
            }
        }
    }

    /// Returns the positions of the word and of its mark in a line.
    fn cells(self, line: &str) -> Result<[Range<usize>; 2], Fault> {
        let Self { token, punctuation, columns, .. } = self;
        let mut at = 0;
        let cells = line.split('|').map(|cell| {
            at += cell.len() + 1;
            at - cell.len() - 1..at - 1
        });
        let cells: Vec<Range<usize>> = cells.collect();
        if cells.len() == columns {
            return Ok([cells[token].clone(), cells[punctuation].clone()]);
        }
        // The fault is at the first extra column, or at the end if there are too few.
        let at = cells.get(columns).map_or(line.len(), |cell| cell.start);
        let found = cells.len();
        let problem = format!("found {found} columns, but the header names {columns}: is the file cut off?");
        Err(Fault { at, problem })
    }
}

impl Grammar for NlpReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let Some(header) = self.header else {
            self.header = Some(NlpColumns::read(line)?);
            self.before = Some(Break::Document);
            return Ok(());
        };
        if line.is_empty() {
            return Ok(());
        }
        let [token, mark] = header.cells(line)?;
        let is_event = is_event(&line[token.clone()]);
        let ends = !self.is_unmarked && line[mark.clone()].ends_with(['.', '?', '!']);
        if !token.is_empty() && !is_event {
            self.is_bare = line[token.clone()].ends_with(char::is_alphanumeric);
            parts.push(token, self.before.take());
        }
        if !mark.is_empty() && (!is_event || self.is_bare) {
            self.is_bare = line[mark.clone()].ends_with(char::is_alphanumeric);
            parts.push(mark, self.before.take().or(Some(Break::None)));
        }
        if ends {
            self.before = self.before.max(Some(Break::Line));
            self.is_bare = false;
        }
        Ok(())
    }

    fn utterance<'a>(&self, line: &'a str) -> Result<Option<Utterance<'a>>, Fault> {
        let speaker = self.header.and_then(|header| line.split('|').nth(header.speaker?));
        Ok(Some(Utterance { speaker, ..Utterance::default() }))
    }

    fn is_between(&self) -> bool {
        self.before.is_some()
    }

    fn prepare(&mut self, options: &RestoreOptions) {
        self.is_unmarked = options.puts().is_some();
    }

    fn mark_place(&self, _: MarkForm) -> MarkPlace {
        self.header.map_or(MarkPlace::Behind, |header| MarkPlace::Column {
            words: header.token,
            marks: header.punctuation,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::case_laws::{check_cases, error, starts, words};

    #[test]
    fn words_and_their_marks_are_text() {
        let file = "so|token|x|punctuation\r\na|well|b|,\r\na|<laugh>|b|\na|ana|b|.\n\na|she|b|\na|left|b|";
        check_cases(Format::Nlp, file);
        assert_eq!(words(Format::Nlp, file), ["well", "ana", "she", "left"]);
        assert_eq!(starts(Format::Nlp, file), ["well", "she"]);
        check_cases(Format::Nlp, "token|x|punctuation\nwell ana she|a|\nleft|b|\nso|b|1\n");
        assert!(
            error(Format::Nlp, "so it is\n")
                .contains("data, line 1, column 1: found \"so it is\", but a transcript")
        );
        assert!(
            error(Format::Nlp, "token|punctuation\na|.|b")
                .starts_with("data, line 2, column 5: found 3 columns")
        );
    }
}
