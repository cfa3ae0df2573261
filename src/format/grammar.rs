//! What a format says of its lines.

use std::collections::VecDeque;
use std::fmt::Debug;

use super::envelope::Envelope;
use super::line_parts::{LineParts, TextPart};
use super::live_record::{Id, LiveRecord};
use super::piece::MarkPlace;
use super::running_text::fill;
use super::segment::LocatedItem;
use super::transcript::{Fault, Utterance};
use crate::text::{Break, MarkForm, RestoreOptions};

/// A reader of the lines of a format, one after the other, all for their text or all for their
/// items.
pub(super) trait Grammar: Send + Debug {
    /// Reads the next line, without its ending, and reports the parts of it that are text.
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault>;

    /// Reads the next line, which has this number, and appends the items that have ended, in
    /// formats that can be converted.
    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        let _ = (line, number, out);
        Ok(())
    }

    /// Returns true if the line after this one is needed to tell the kind of this one;
    /// [`Grammar::see_next`] then shows it first.
    fn needs_next(&self, line: &[u8]) -> bool {
        let _ = line;
        false
    }

    /// Shows the line after the current one, empty at the end of the file.
    fn see_next(&mut self, next: &str) {
        let _ = next;
    }

    /// Skips an unreadable line, and the lines that belong to it.
    fn pass(&mut self, is_empty: bool) {
        let _ = is_empty;
    }

    /// Ends the file, and appends the item that is open, in formats that can be converted.
    ///
    /// # Errors
    /// Reports a missing part.
    fn end(&mut self, out: &mut VecDeque<LocatedItem>) -> Result<(), String> {
        let _ = out;
        Ok(())
    }

    /// Returns true if the next part of text does not belong together with the last.
    fn is_between(&self) -> bool {
        false
    }

    /// Prepares for a text that is restored with these options. Where marks are put in, the marks of a
    /// line have no part in the breaks between words, nor in where speakers are named; long pauses end
    /// sentences, in formats with times.
    fn prepare(&mut self, options: &RestoreOptions) {
        let _ = options;
    }

    /// Returns the place of marks that are put in with this form.
    fn mark_place(&self, form: MarkForm) -> MarkPlace {
        let _ = form;
        MarkPlace::Behind
    }

    /// Appends the content of a part of a line, without escapes, to `out`.
    fn decode(&self, part: &str, out: &mut String) {
        out.push_str(part);
    }

    /// Returns the words that a line lists beside its text, in formats that have such lists; the
    /// text of the line begins at byte `from` of `text`.
    fn listed_words(&self, line: &str, text: &str, from: usize) -> Envelope {
        let _ = (line, text, from);
        Envelope::default()
    }

    /// Returns the identity of the last line, which has these parts, in formats whose lines may come
    /// in live.
    fn id(&self, line: &str, parts: &LineParts) -> Result<Option<Id>, Fault> {
        let _ = (line, parts);
        Ok(None)
    }

    /// Reads the next line as a record that comes in live. The text of a line of running text is as
    /// long as the line, with blanks around its words.
    fn record(&mut self, line: &str, record: &mut LiveRecord) -> Result<(), Fault> {
        let mut parts = LineParts::default();
        self.line(line, &mut parts)?;
        record.id = self.id(line, &parts)?;
        for TextPart { place, before, .. } in parts.drain() {
            record.begins |= before == Some(Break::Document);
            if !self.is_between() {
                // A turn is a paragraph of live text.
                let gap = if before == Some(Break::Turn) { "\n\n" } else { " " };
                fill(&mut record.text, place.start.saturating_sub(gap.len()));
                record.text.push_str(gap);
            }
            let from = record.text.len();
            self.decode(&line[place.clone()], &mut record.text);
            record.frame.place(from..record.text.len(), place);
            if self.is_between() {
                record.text.push('\n');
            }
        }
        record.frame.add(self.listed_words(line, &record.text, 0), 0);
        if !self.is_between() && !record.text.is_empty() {
            fill(&mut record.text, line.len() + 1);
        }
        Ok(())
    }

    /// Reads the last line as an utterance, in formats that have utterances.
    ///
    /// # Errors
    /// Fails if the line is not an utterance.
    fn utterance<'a>(&self, line: &'a str) -> Result<Option<Utterance<'a>>, Fault> {
        let _ = line;
        Ok(None)
    }
}
