//! Corpora of punctuation: one word per line, with the label of the punctuation mark after it.
//!
//! `word<TAB>label` as in IWSLT 2011, or `word<TAB>end<TAB>label` as in SEPP-NLG 2021, where `end` is 1 at the end of
//! a sentence. Without the column `end`, full stops, question and exclamation marks end sentences. The label of a row
//! without a word belongs to the word before, unless that word has a mark. If only the text of the file is read,
//! labels become punctuation marks, and the parts of a contraction (`do n't`) are one word unless a mark is between
//! them.

use std::ops::Range;

use super::conll::tabbed;
use super::grammar::Grammar;
use super::head::FileHead;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::line_parts::{LineParts, PartRole};
use super::records::RecordLines;
use super::transcript::{Fault, shortened};
use majuscule_base::error::Error;
use majuscule_text::{Break, Mark};

/// Words with labels.
pub(super) const LABELS: FormatInfo = FormatInfo {
    example: "the\tO\r\nBBC\tO\nmet\tPERIOD\n\ndo\t1\tO\nn't\t0\t?\nİstanbul\tDASH\n-\tO\n",
    shown: "labelled words",
    family: FormatFamily::Columns,
    begins: Some(begins),
    grammar: Some(|_| Ok(Box::new(LabelReader::new(false)))),
    // Labels become punctuation marks only if the text alone is read.
    texts: Some(|input| Box::new(RecordLines::new(input, Format::Labels, Box::new(LabelReader::new(true))))),
    mark_form: |_| {
        let problem =
            "labels can hold punctuation only as labels: use another format, or leave punctuation out";
        Err(Error::usage(problem))
    },
    ..FormatInfo::LINES
};

/// Returns true if a file begins with the row of a word and the label of its mark: only a line with a tab
/// after its first word may be one.
fn begins(head: FileHead<'_>) -> Option<bool> {
    /// The largest number of bytes of a word and of the text after it, so that longer ones are not waited
    /// for.
    const LONGEST: usize = 256;
    let FileHead { text: head, ended, .. } = head;
    if head.starts_with(b"{") || head.starts_with(b"[") {
        return Some(false);
    }
    let word = head.iter().position(u8::is_ascii_whitespace);
    let row = head.iter().position(|&b| b == b'\n');
    let cut = row.unwrap_or(head.len());
    match word {
        Some(tab) if head[tab] != b'\t' || tab > LONGEST || cut - tab > LONGEST => return Some(false),
        None if cut > LONGEST => return Some(false),
        _ if row.is_none() && !ended => return None,
        _ => {}
    }
    let row = str::from_utf8(&head[..cut]).map(|row| row.trim_end_matches('\r'));
    Some(row.is_ok_and(is_row))
}

/// Words with labels, read from any input. Everything but the words is copied unchanged.
#[derive(Debug)]
struct LabelReader {
    /// True if only the text of the file is read, with labels as punctuation marks.
    has_marks: bool,
    /// The break between the last word and the next.
    before: Break,
    /// True if the last word has no mark yet.
    is_bare: bool,
}

/// The row of a word.
struct LabelRow {
    word: Range<usize>,
    label: Range<usize>,
    mark: Mark,
    ends: bool,
}

/// The second parts of contractions that some corpora write as separate words.
const ENDINGS: [&str; 9] = ["n't", "'s", "'re", "'m", "'ll", "'ve", "'d", "n’t", "’s"];

impl LabelReader {
    /// Starts a file; `has_marks` is true to read labels as punctuation marks.
    pub(super) fn new(has_marks: bool) -> Self {
        Self { has_marks, before: Break::Document, is_bare: false }
    }
}

impl Grammar for LabelReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        if line.is_empty() {
            return Ok(());
        }
        let LabelRow { word, label, mark, ends } = row(line)?;
        let text = &line[word.clone()];
        // IWSLT writes some marks in rows without a word, even after a word with a mark; the mark of the word then
        // counts.
        if text.trim().is_empty() && (mark == Mark::None || self.before == Break::Document) {
            let problem = "found no word, but a row is expected to begin with one, unless it has a mark that follows the previous word";
            return Err(Fault { at: word.start, problem: problem.to_owned() });
        }
        if text.trim().is_empty() && !self.is_bare {
            return Ok(());
        }
        let letters = text.find(char::is_alphanumeric);
        if let Some(first) = letters {
            let continues = self.has_marks && self.is_bare && ENDINGS.contains(&text);
            let before = if continues { Break::None } else { self.before };
            // The label alone determines the mark.
            let rest = text.trim_end_matches(|c: char| !c.is_alphanumeric());
            let first = if continues { 0 } else { first };
            let position = word.start + first..word.start + rest.len();
            // Without its marks the text does not show where a sentence begins.
            match before >= Break::Line && !self.has_marks {
                true => parts.push_as(position, Some(before), PartRole::Beginning),
                false => parts.push(position, Some(before)),
            }
            (self.before, self.is_bare) = (Break::Space, true);
        }
        if mark != Mark::None && self.is_bare {
            if self.has_marks {
                parts.push(label.start - 1..label.end, Some(Break::None));
            }
            self.is_bare = false;
        }
        if ends && self.before < Break::Line {
            (self.before, self.is_bare) = (Break::Line, false);
        }
        Ok(())
    }

    fn decode(&self, part: &str, out: &mut String) {
        // A label is passed with the tab before it, and no word begins with a tab.
        match part.strip_prefix('\t') {
            Some(label) => out.extend(mark_of(label).and_then(Mark::character)),
            None => out.push_str(part),
        }
    }

    fn is_between(&self) -> bool {
        self.before >= Break::Line
    }
}

/// Reads a row.
fn row(line: &str) -> Result<LabelRow, Fault> {
    let columns: Vec<Range<usize>> = tabbed(line).collect();
    let (word, end, label) = match columns.as_slice() {
        [word, label] => (word, None, label),
        [word, end, label] => (word, Some(end), label),
        other => {
            let at = other.get(3).map_or(line.len(), |column| column.start);
            let columns = if other.len() == 1 { "1 column" } else { &format!("{} columns", other.len()) };
            let problem = format!(
                "found {columns}, but a line is expected to be a word, a tab and {EXPECTED}, or a word, 0 or 1 (the end of a \
                 sentence) and a mark"
            );
            return Err(Fault { at, problem });
        }
    };
    let mark = mark_of(&line[label.clone()]).ok_or_else(|| {
        let found = shortened(&line[label.clone()]);
        Fault {
            at: label.start,
            problem: format!("found the label \"{found}\", but one of {EXPECTED} is expected"),
        }
    })?;
    let ends = match end.map(|end| (end, &line[end.clone()])) {
        None => mark.ends_sentence(),
        Some((_, "0")) => false,
        Some((_, "1")) => true,
        Some((end, found)) => {
            let found = shortened(found);
            let problem =
                format!("found \"{found}\", but 1 is expected at the end of a sentence and 0 elsewhere");
            return Err(Fault { at: end.start, problem });
        }
    };
    Ok(LabelRow { word: word.clone(), label: label.clone(), mark, ends })
}

const EXPECTED: &str = "O, COMMA, PERIOD, QUESTION, EXCLAMATION, COLON, SEMICOLON, DASH, or a mark itself";

/// Returns the punctuation mark for a label, which is a name in the corpora or the mark itself.
fn mark_of(label: &str) -> Option<Mark> {
    Some(match label {
        "O" | "0" => Mark::None,
        "COMMA" => Mark::Comma,
        "PERIOD" => Mark::Period,
        "QUESTION" | "QUESTIONMARK" => Mark::Question,
        "EXCLAMATION" | "EXCLAMATIONMARK" => Mark::Exclamation,
        "COLON" => Mark::Colon,
        "SEMICOLON" => Mark::Semicolon,
        "DASH" => Mark::Dash,
        label => {
            let mut chars = label.chars();
            let mark = Mark::of(chars.next()?);
            return (chars.next().is_none() && mark != Mark::None).then_some(mark);
        }
    })
}

/// Returns true if a line is a row beyond doubt: its label is a word, or it has all three columns.
fn is_row(line: &str) -> bool {
    let is_label =
        |row: LabelRow| row.label.len() > 1 || &line[row.label] == "O" || line.matches('\t').count() == 2;
    row(line).is_ok_and(is_label)
}

#[cfg(test)]
mod tests {
    use crate::Format;

    #[test]
    fn a_word_with_a_label_after_a_tab_is_a_row_of_labels() {
        for (text, kind) in [
            ("so\tO\nwe\tO\n", Some(Format::Labels)),
            ("1990\tCOMMA", Some(Format::Labels)),
            ("so\t0\t,\r\nwe", Some(Format::Labels)),
            ("so\tyes\n", None),
            ("so\t0\n", None),
            ("so\t.\n", None),
            ("so we\tO\n", None),
        ] {
            assert_eq!(Format::of_bytes(text.as_bytes(), true, ""), Some(kind), "{text:?}");
        }
        assert_eq!(Format::of_bytes(b"so\tCOM", false, ""), None);
        assert_eq!(Format::of_bytes("x".repeat(300).as_bytes(), false, ""), Some(None));
    }
}
