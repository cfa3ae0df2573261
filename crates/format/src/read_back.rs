//! Reads the output of a conversion back before it is written, so that output that would be read
//! differently is an error.

use std::collections::VecDeque;
use std::rc::Rc;

use super::grammar::Grammar;
use super::info::FormatInfo;
use super::lines::Ends;
use super::segment::{Item, LocatedItem, LossKind, Lost, SegmentInfo};
use majuscule_base::error::Result;

/// The byte-order mark with which a file in UTF-8 may begin.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The reader of the output, and the items that it should read.
#[derive(Debug)]
pub struct ReadBack {
    to: &'static SegmentInfo,
    /// `None` for a document, which is read whole at its end.
    grammar: Option<Box<dyn Grammar>>,
    /// The number of lines read.
    number: u64,
    found: VecDeque<LocatedItem>,
    /// The items written and not yet read back, with their sources, and the source of the last
    /// item.
    expected: VecDeque<(Item, Rc<LocatedItem>)>,
    last: Option<Rc<LocatedItem>>,
}

/// The source of an item that cannot be written, and the reason.
pub type Refused = (Option<Rc<LocatedItem>>, Lost);

impl ReadBack {
    /// Starts an output.
    ///
    /// # Errors
    /// Fails if the format cannot be read.
    pub fn new(to: &'static SegmentInfo) -> Result<Self> {
        let grammar = to.format.grammar(None)?;
        let (found, expected) = (VecDeque::new(), VecDeque::new());
        Ok(Self { to, grammar, number: 0, found, expected, last: None })
    }

    /// Returns the byte-order mark to write before the first text, or nothing: a text that begins
    /// with a byte-order mark needs another one before it.
    pub fn mark(&self, text: &str) -> &'static str {
        if self.number == 0 && text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK } else { "" }
    }

    /// Checks the next item against its written text.
    ///
    /// # Errors
    /// Returns the problem for which a reader would refuse the file, or read it differently.
    pub fn take(&mut self, item: Item, found: &Rc<LocatedItem>, text: &str) -> Result<(), Refused> {
        self.expected.push_back((item, Rc::clone(found)));
        self.last = Some(Rc::clone(found));
        self.read(text).map_err(|problem| self.refused(&problem))?;
        self.compare()
    }

    /// Ends the output with this text. It is the whole document; all other lines of any other file have already been
    /// read.
    ///
    /// # Errors
    /// Like [`ReadBack::take`].
    pub fn end(&mut self, text: &str) -> Result<(), Refused> {
        self.read(text).map_err(|problem| self.refused(&problem))?;
        let ended = match (&mut self.grammar, self.to.format.info().items) {
            (Some(grammar), _) => {
                grammar.close(&mut self.found);
                grammar.end()
            }
            (None, Some(read)) => read(text).map(|found| self.found = found).map_err(|fault| fault.problem),
            (None, None) => Ok(()),
        };
        self.compare()?;
        match ended {
            Err(problem) => Err(self.refused(&problem)),
            Ok(()) if self.expected.is_empty() => Ok(()),
            Ok(()) => Err(self.refused("found content that would be skipped")),
        }
    }

    /// Reads whole lines of the output, unless it is a document.
    fn read(&mut self, text: &str) -> Result<(), String> {
        let Some(grammar) = &mut self.grammar else { return Ok(()) };
        let FormatInfo { longest_line, line_ends, .. } = *self.to.format.info();
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
            grammar.items(line, self.number, &mut self.found).map_err(|fault| fault.problem)?;
        }
        Ok(())
    }

    /// Compares the segments that were read back with those that were written.
    fn compare(&mut self) -> Result<(), Refused> {
        while let Some(LocatedItem { item: read, .. }) = self.found.pop_front() {
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
