//! The input of a conversion: the items of a file, or the cues that they are cut into.

use std::collections::VecDeque;
use std::rc::Rc;

use majuscule_base::error::{Error, Result};
use majuscule_base::files::Input;
use majuscule_base::interrupt::Interrupt;
use majuscule_format::Format;
use majuscule_format::segments::{Item, ItemReader, LocatedItem, Refused, Segment};
use majuscule_text::speaker_label::name_len;

use crate::cutter::CueCutter;
use crate::rolled::RolledUp;
use crate::speaker_names::SpeakerNames;

/// A file that is read for its items.
pub(crate) struct ConvertSource<'a> {
    pub(crate) items: ItemReader<'a>,
    /// The cutter, if the file is cut into new cues.
    pub(crate) cutter: Option<CueCutter>,
    /// The lines of roll-up captions, if each of these lines is to be read once.
    pub(crate) rolled: Option<RolledUp>,
    /// The speaker named last, if speakers are named in the text; empty at first.
    pub(crate) named: Option<String>,
    /// The names of speakers.
    pub(crate) names: SpeakerNames,
    /// Items that were read to look for speakers.
    peeked: VecDeque<LocatedItem>,
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
            names: SpeakerNames::default(),
            peeked: VecDeque::new(),
            interrupt,
        })
    }

    /// Returns the error for an item that cannot be written.
    pub(crate) fn error(&self, (found, lost): Refused) -> Error {
        match found {
            Some(found) => found.error(&self.items.name, lost),
            None => Error::file(&*self.items.name, lost.problem),
        }
    }

    /// Returns the next item to be written, of the file or of the new cues, with its source.
    pub(crate) fn next(&mut self) -> Result<Option<(Item, Rc<LocatedItem>)>> {
        loop {
            self.interrupt.check()?;
            if let Some(cue) = self.cutter.as_mut().and_then(|cutter| cutter.cues.pop_front()) {
                return Ok(Some(cue));
            }
            let read = self.read()?;
            match (&mut self.cutter, read) {
                (None, read) => return Ok(read.map(|found| (found.item.clone(), Rc::new(found)))),
                (Some(cutter), Some(found)) => {
                    let taken = cutter.take(found);
                    taken.map_err(|refused| self.error(*refused))?;
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
            let mut next = match self.peeked.pop_front() {
                None => self.items.next().transpose()?,
                next => next,
            };
            if let (Some(LocatedItem { item: Item::Segment(segment), .. }), Some(rolled)) =
                (&mut next, &mut self.rolled)
                && rolled.drop_repeated(segment)
            {
                continue;
            }
            if let Some(LocatedItem { item: Item::Segment(segment), .. }) = &mut next {
                if self.named.is_some() || !self.names.is_empty() {
                    segment.name_voice();
                }
                segment.speaker.iter_mut().for_each(|speaker| self.names.rename(speaker));
                self.named.iter_mut().for_each(|last| name_speaker(segment, last));
            }
            return Ok(next);
        }
    }

    /// Returns true if one of the first segments has a speaker.
    pub(crate) fn has_speakers(&mut self) -> Result<bool> {
        while self.peeked.len() < PEEKED {
            self.interrupt.check()?;
            let Some(mut next) = self.items.next().transpose()? else { break };
            let mut has_speaker = false;
            if let Item::Segment(segment) = &mut next.item {
                segment.name_voice();
                let is_label =
                    self.items.segments.format == Format::Text && name_len(&segment.text).is_some();
                has_speaker = segment.speaker.is_some() || is_label;
            }
            self.peeked.push_back(next);
            if has_speaker {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The number of items that are read to look for speakers.
const PEEKED: usize = 1000;

/// Begins the text of a segment with the name of its speaker in capitals, unless this is the last named speaker.
fn name_speaker(segment: &mut Segment, last: &mut String) {
    let Some(name) = segment.speaker.take() else { return };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
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
