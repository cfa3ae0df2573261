//! Reads the output of a conversion back before it is written, so that output that would be read
//! differently is an error.

use std::collections::VecDeque;
use std::rc::Rc;

use majuscule_base::error::Result;
use majuscule_format::segments::{Item, LocatedItem, LossKind, Lost, SegmentInfo, WrittenItems};

/// The byte-order mark with which a file in UTF-8 may begin.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The reader of the output, and the items that it should read.
pub(crate) struct Check {
    to: &'static SegmentInfo,
    output: WrittenItems,
    /// The items written and not yet read back, with their sources, and the source of the last
    /// item.
    expected: VecDeque<(Item, Rc<LocatedItem>)>,
    last: Option<Rc<LocatedItem>>,
}

/// The source of an item that cannot be written, and the reason.
pub(crate) type Refused = (Option<Rc<LocatedItem>>, Lost);

impl Check {
    /// Starts an output.
    ///
    /// # Errors
    /// Like [`WrittenItems::new`].
    pub(crate) fn new(to: &'static SegmentInfo) -> Result<Self> {
        let output = WrittenItems::new(to.format)?;
        Ok(Self { to, output, expected: VecDeque::new(), last: None })
    }

    /// Returns the byte-order mark to write before the first text, or nothing: a text that begins
    /// with a byte-order mark needs another one before it.
    pub(crate) fn mark(&self, text: &str) -> &'static str {
        if self.output.is_at_start() && text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK } else { "" }
    }

    /// Checks the next item against its written text.
    pub(crate) fn take(&mut self, item: Item, found: &Rc<LocatedItem>, text: &str) -> Result<(), Refused> {
        self.expected.push_back((item, Rc::clone(found)));
        self.last = Some(Rc::clone(found));
        self.read(text)?;
        self.compare()
    }

    /// Ends the output with this text.
    pub(crate) fn end(&mut self, text: &str) -> Result<(), Refused> {
        self.read(text)?;
        let ended = self.output.end(text);
        self.compare()?;
        match ended {
            Err(problem) => Err(self.refused(&problem)),
            Ok(()) if self.expected.is_empty() => Ok(()),
            Ok(()) => Err(self.refused("found content that would be skipped")),
        }
    }

    /// Reads more of the output.
    fn read(&mut self, text: &str) -> Result<(), Refused> {
        self.output.read(text).map_err(|problem| self.refused(&problem))
    }

    /// Compares the segments that were read back with those that were written.
    fn compare(&mut self) -> Result<(), Refused> {
        while let Some(read) = self.output.pop() {
            match self.expected.front() {
                Some((item, _)) if *item == read => self.expected.pop_front(),
                _ => return Err(self.refused("found content that would be read differently")),
            };
        }
        Ok(())
    }

    /// Refuses the first item that was not read back.
    fn refused(&mut self, problem: &str) -> Refused {
        let found = self.expected.pop_front().map(|(_, found)| found).or_else(|| self.last.take());
        let to = self.to.shown();
        let problem = format!("{problem} in {to}: convert to another format, or correct the file");
        (found, Lost { part: LossKind::Text, nth: 0, problem })
    }
}
