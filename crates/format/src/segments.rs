//! Files as items, for conversion: segments of speech, and blocks that are not spoken.
//!
//! [`Format::segments`] returns the description of the segments of a format, and [`ItemReader`] reads the items of a
//! file. [`SegmentInfo::writer`] makes a [`SegmentWriter`]. The writer drops the parts that its format cannot
//! express, which [`Losses`] counts, and writes all other parts. [`WrittenItems`] reads the written file back.
//!
//! ```
//! use majuscule_format::segments::{Item, ItemReader};
//! use majuscule_base::files::Input;
//! use majuscule_format::Format;
//!
//! let srt = b"1\n00:00:01,000 --> 00:00:02,500\nso it is\n\n";
//! let mut items = ItemReader::open(Format::Srt, Input::of_text("talk.srt", srt), None)?;
//! let Some(Item::Segment(cue)) = items.next().transpose()?.map(|found| found.item) else { panic!("no cue") };
//! assert_eq!((cue.text.as_str(), cue.end.map(|time| time.milliseconds())), ("so it is", Some(2500)));
//! # Ok::<(), majuscule_base::Error>(())
//! ```

use std::collections::VecDeque;

pub use super::copies::RolledLines;
pub use super::cue::{dash_len, follows};
use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::Format;
use super::lines::Ends;
pub use super::mark_rows::is_mark;
use super::records::{Faults, GrammarLines};
pub use super::segment::{
    BlockKind, Item, LocatedItem, LossKind, Losses, Lost, Segment, SegmentInfo, SegmentTag, SegmentWord,
    SegmentWriter, Time, UnspokenBlock,
};
use super::transcript::Fault;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::Input;

impl Format {
    /// Returns the description of the segments of the format.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for a format that is not converted.
    pub fn segments(self) -> Result<&'static SegmentInfo> {
        self.info().segments.ok_or_else(|| {
            Error::usage(format!(
                "{} cannot be converted: expected text, subtitles, a transcript with times or JSON",
                self.shown()
            ))
        })
    }
}

/// Reads the items of a file. Its memory does not depend on the length of the file, unless the file is a document.
#[derive(Debug)]
pub struct ItemReader<'a> {
    name: String,
    segments: &'static SegmentInfo,
    /// `None` at the end, and for a document, which is read whole.
    lines: Option<GrammarLines<'a>>,
    found: VecDeque<LocatedItem>,
}

impl<'a> ItemReader<'a> {
    /// Starts reading a file; `field` names the field that contains its text, in formats with
    /// several fields.
    ///
    /// # Errors
    /// Fails if the format is not converted or cannot have that field, or if the input is a document
    /// that cannot be read.
    pub fn open(format: Format, input: Input<'a>, field: Option<&str>) -> Result<Self> {
        if let Some(field) = field {
            (format.info().segments.unwrap_or(&SegmentInfo::LINES).check_field)(field)?;
        }
        let segments = format.segments()?;
        let name = input.name().to_owned();
        let (mut lines, mut found) = (None, VecDeque::new());
        if let Some(read) = format.info().items {
            let text = input.text()?;
            found = read(&text).map_err(|fault| fault.error_in(&name, &text))?;
        } else if let Some(grammar) = format.grammar(field)? {
            lines = Some(GrammarLines::new(input, format, grammar, Faults::Refused));
        }
        Ok(Self { name, segments, lines, found })
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description of the segments of its format.
    pub fn segments(&self) -> &'static SegmentInfo {
        self.segments
    }

    /// Returns the next item; `None` at the end.
    fn read(&mut self) -> Result<Option<LocatedItem>> {
        while self.found.is_empty()
            && let Some(lines) = &mut self.lines
        {
            if !lines.next_items(&mut self.found)? {
                self.lines = None;
            }
        }
        Ok(self.found.pop_front())
    }
}

impl Iterator for ItemReader<'_> {
    type Item = Result<LocatedItem>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Reads back the items of a file that is being written.
#[derive(Debug)]
pub struct WrittenItems {
    format: Format,
    /// `None` for a document, which is read whole at its end.
    grammar: Option<Box<dyn Grammar>>,
    /// The number of lines read.
    number: u64,
    found: VecDeque<LocatedItem>,
}

impl WrittenItems {
    /// Starts a file.
    ///
    /// # Errors
    /// Fails if the format cannot be read.
    pub fn new(format: Format) -> Result<Self> {
        Ok(Self { format, grammar: format.grammar(None)?, number: 0, found: VecDeque::new() })
    }

    /// Returns true if no line has been read yet.
    pub fn is_at_start(&self) -> bool {
        self.number == 0
    }

    /// Reads whole lines that were written.
    ///
    /// # Errors
    /// Returns the problem for which a reader would refuse the file.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        let Some(grammar) = &mut self.grammar else { return Ok(()) };
        let FormatInfo { longest_line, line_ends, .. } = *self.format.info();
        let mut lines = text.split_terminator('\n').peekable();
        while let Some(line) = lines.next() {
            self.number += 1;
            // The first line decides the line endings, in formats whose files differ in them.
            let returns = self.number == 1 || line_ends == Ends::Anywhere;
            if line.ends_with('\r') || returns && line.contains('\r') {
                return Err("found a carriage return that would end a line".to_owned());
            }
            if let Some(next) = grammar.place_for_next(line.as_bytes()) {
                lines.peek().unwrap_or(&"").trim_end().clone_into(next);
            }
            if line.chars().count() > longest_line {
                return Err("found text that would make too long a line".to_owned());
            }
            grammar.items(line, self.number, &mut self.found).map_err(|Fault { problem, .. }| problem)?;
        }
        Ok(())
    }

    /// Ends the file. `text` is the whole document; all lines of any other file have already been read.
    ///
    /// # Errors
    /// Returns the problem for which a reader would refuse the file, such as a missing part.
    pub fn end(&mut self, text: &str) -> Result<(), String> {
        if let Some(grammar) = &mut self.grammar {
            grammar.close(&mut self.found);
            return grammar.end();
        }
        if let Some(read) = self.format.info().items {
            self.found = read(text).map_err(|fault| fault.problem)?;
        }
        Ok(())
    }

    /// Returns the next item that was read back.
    pub fn pop(&mut self) -> Option<Item> {
        self.found.pop_front().map(|found| found.item)
    }
}
