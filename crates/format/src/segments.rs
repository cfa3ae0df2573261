//! Files as items, for conversion: segments of speech, and blocks that are not spoken.
//!
//! [`Format::segments`] returns the description of the segments of a format, and [`ItemReader`] reads the items of a
//! file. [`SegmentInfo::writer`] makes a [`SegmentWriter`]. The writer drops the parts that its format cannot
//! express, which [`Losses`] counts, and writes all other parts. [`ReadBack`] reads the written file back.
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
use super::kind::Format;
pub use super::mark_rows::is_mark;
pub use super::read_back::{ReadBack, Refused};
use super::records::{Faults, GrammarLines};
pub use super::segment::{
    BlockKind, Item, LocatedItem, LossKind, Losses, Lost, Segment, SegmentInfo, SegmentTag, SegmentWord,
    SegmentWriter, Time, UnspokenBlock,
};
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
    /// The name of the file.
    pub name: String,
    /// The description of the segments of its format.
    pub segments: &'static SegmentInfo,
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
}

impl Iterator for ItemReader<'_> {
    type Item = Result<LocatedItem>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.found.is_empty()
            && let Some(lines) = &mut self.lines
        {
            match lines.next_items(&mut self.found) {
                Ok(true) => {}
                Ok(false) => self.lines = None,
                Err(error) => return Some(Err(error)),
            }
        }
        self.found.pop_front().map(Ok)
    }
}
