//! The grammar of a line-based format.

use std::collections::VecDeque;
use std::fmt::Debug;

use super::envelope::Envelope;
use super::line_parts::{LineParts, TextPart};
use super::piece::MarkPlace;
use super::record::LiveRecord;
use super::running_text::fill;
use super::segment::LocatedItem;
use super::transcript::{Fault, Utterance};
use majuscule_text::{Break, MarkForm, RestoreOptions};

/// A reader that finds the text in the lines of a format, one line after another.
pub(super) trait Grammar: Send + Debug {
    /// Reads the next line, without its ending, and reports the parts of it that are text.
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault>;

    /// Returns the string in which the caller stores the line after this one, if that line is needed to determine the
    /// kind of this one. The caller stores an empty line at the end of the file.
    fn place_for_next(&mut self, line: &[u8]) -> Option<&mut String> {
        let _ = line;
        None
    }

    /// Skips an unreadable line, and the lines that belong to it.
    fn pass(&mut self, is_empty: bool) {
        let _ = is_empty;
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Reports a missing part.
    fn end(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Returns true if the next part of text does not continue the last one.
    fn is_between(&self) -> bool {
        true
    }

    /// Prepares for a text that is restored with these options. If punctuation is inserted, the existing punctuation
    /// affects neither the breaks between words nor the recognition of speaker names. In formats with times, long
    /// pauses end sentences if the options ask for it.
    fn prepare(&mut self, options: &RestoreOptions) {
        let _ = options;
    }

    /// Returns the position of marks that are inserted with this form.
    fn mark_place(&self, form: MarkForm) -> MarkPlace {
        let _ = form;
        MarkPlace::Behind
    }

    /// Appends the content of a part of a line, without escapes, to `out`.
    fn decode(&self, part: &str, out: &mut String) {
        out.push_str(part);
    }

    /// Reads the last line as an utterance, in formats that have utterances.
    ///
    /// # Errors
    /// Fails if the line is not an utterance.
    fn utterance<'a>(&self, line: &'a str) -> Result<Option<Utterance<'a>>, Fault> {
        let _ = line;
        Ok(None)
    }

    /// Reads the next line, which has this number, as items instead of text, and appends the items that have ended, in
    /// formats that can be converted.
    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        let _ = (line, number, out);
        Ok(())
    }

    /// Appends the item that is open.
    fn close(&mut self, out: &mut VecDeque<LocatedItem>) {
        let _ = out;
    }

    /// Reads the next line as a record that arrives live, in formats that have such records.
    fn record(&mut self, line: &str, record: &mut LiveRecord) -> Result<(), Fault> {
        let _ = (line, record);
        Ok(())
    }

    /// Returns the words that a line lists in addition to its text, in formats that have such lists; the text of the
    /// line begins at byte `from` of `text`.
    fn listed_words(&self, line: &str, text: &str, from: usize) -> Envelope {
        let _ = (line, text, from);
        Envelope::default()
    }
}

/// Reads the next line as a record without an identity; returns false if it has no text. In running text, the text of
/// the record is as long as the line, with blanks around its words.
pub(super) fn read_record(
    grammar: &mut dyn Grammar,
    line: &str,
    record: &mut LiveRecord,
) -> Result<bool, Fault> {
    let mut parts = LineParts::default();
    grammar.line(line, &mut parts)?;
    let has_text = !parts.positions.is_empty();
    for TextPart { position, before, .. } in parts.positions.drain(..) {
        record.begins |= before == Some(Break::Document);
        if !grammar.is_between() {
            // A turn is a paragraph of live text.
            let gap = if before == Some(Break::Turn) { "\n\n" } else { " " };
            fill(&mut record.text, position.start.saturating_sub(gap.len()));
            record.text.push_str(gap);
        }
        let from = record.text.len();
        grammar.decode(&line[position.clone()], &mut record.text);
        record.frame.place(from..record.text.len(), position);
        if grammar.is_between() {
            record.text.push('\n');
        }
    }
    if !grammar.is_between() && !record.text.is_empty() {
        fill(&mut record.text, line.len() + 1);
    }
    Ok(has_text)
}
