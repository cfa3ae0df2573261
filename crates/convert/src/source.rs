//! The input of a conversion: the items of a file, or the cues that they are cut into.

use std::rc::Rc;

use majuscule_base::error::{Error, Result};
use majuscule_base::files::Input;
use majuscule_base::interrupt::Interrupt;
use majuscule_format::Format;
use majuscule_format::segments::{Item, ItemReader, LocatedItem, Segment, SegmentInfo};

use crate::check::Refused;
use crate::cutter::CueCutter;
use crate::rolled::RolledUp;

/// A file that is read for its items.
pub(crate) struct ConvertSource<'a> {
    items: ItemReader<'a>,
    /// The cutter, if the file is cut into new cues.
    pub(crate) cutter: Option<CueCutter>,
    /// The lines that captions rolled up, if each of them is to be read once.
    pub(crate) rolled: Option<RolledUp>,
    /// The speaker named last, if speakers are named in the text; empty at first.
    pub(crate) named: Option<String>,
    /// Stops the reading.
    interrupt: Interrupt,
}

impl<'a> ConvertSource<'a> {
    /// Starts reading a file, whose items are not cut.
    ///
    /// # Errors
    /// Like [`ItemReader::open`].
    pub(crate) fn open(
        format: Format,
        input: Input<'a>,
        field: Option<&str>,
        interrupt: Interrupt,
    ) -> Result<Self> {
        Ok(Self {
            items: ItemReader::open(format, input, field)?,
            cutter: None,
            rolled: None,
            named: None,
            interrupt,
        })
    }

    /// Returns the description of the segments of the file.
    pub(crate) fn segments(&self) -> &'static SegmentInfo {
        self.items.segments()
    }

    /// Returns the name of the file.
    pub(crate) fn name(&self) -> &str {
        self.items.name()
    }

    /// Returns the error for an item that cannot be written.
    pub(crate) fn error(&self, (found, lost): Refused) -> Error {
        match found {
            Some(found) => found.error(self.name(), lost),
            None => Error::file(self.name(), lost.problem),
        }
    }

    /// Returns the next item to be written, of the file or of the new cues, with its source.
    pub(crate) fn next(&mut self) -> Result<Option<(Item, Rc<LocatedItem>)>> {
        loop {
            self.interrupt.check()?;
            if let Some(cue) = self.cutter.as_mut().and_then(CueCutter::pop) {
                return Ok(Some(cue));
            }
            let read = self.read()?;
            match (&mut self.cutter, read) {
                (None, read) => return Ok(read.map(|found| (found.item.clone(), Rc::new(found)))),
                (Some(cutter), Some(found)) => {
                    let taken = cutter.take(found);
                    taken.map_err(|refused| {
                        let (found, lost) = *refused;
                        found.error(self.name(), lost)
                    })?;
                }
                (Some(cutter), None) => {
                    if !cutter.end() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Returns the next item of the file, without cues that only repeat lines.
    fn read(&mut self) -> Result<Option<LocatedItem>> {
        loop {
            let mut next = self.items.next().transpose()?;
            if let (Some(LocatedItem { item: Item::Segment(segment), .. }), Some(rolled)) =
                (&mut next, &mut self.rolled)
                && rolled.drop_repeated(segment)
            {
                continue;
            }
            if let (Some(LocatedItem { item: Item::Segment(segment), .. }), Some(last)) =
                (&mut next, &mut self.named)
            {
                name_speaker(segment, last);
            }
            return Ok(next);
        }
    }
}

/// Begins the text of a segment with the name of its speaker, if it is not that of the last one.
fn name_speaker(segment: &mut Segment, last: &mut String) {
    segment.name_voice();
    let Some(name) = segment.speaker.take() else { return };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if *last != name && !segment.text.is_empty() && !name.is_empty() {
        let label = format!("{name}: ");
        let moved = label.chars().count();
        segment.tags.iter_mut().for_each(|tag| tag.at += moved);
        segment.text.insert_str(0, &label);
        if let Some(word) = segment.words.first_mut() {
            word.text.insert_str(0, &label);
        }
        *last = name;
    }
}
