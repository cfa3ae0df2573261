//! Tracks the blocks of a text: headings, rows of tables, items of lists, and the elements of HTML.

use super::code::Notation;
use super::mark::Mark;
use super::tokens::{Break, LinePlace};

/// The largest number of words of a line that introduces the lines below it: `Findings:`
const LONGEST_KEY: usize = 3;

/// The smallest number of marks that underline a heading.
const UNDERLINE: usize = 3;

/// HTML elements into whose text no marks are inserted.
const CLOSED: &str = "h1 h2 h3 h4 h5 h6 title th td caption";

/// HTML elements that begin a new block of text.
const BLOCKS: &str = "address article aside blockquote body center dd details div dl dt fieldset figcaption \
    figure footer form head header hr html legend li main nav ol option p section summary table tbody thead tr ul";

/// HTML elements that contain cells, and therefore are never inside one.
const AROUND_CELLS: &str = "table tbody thead tr body html";

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LineBlock {
    #[default]
    Text,
    Heading,
    /// The marks below a heading.
    Underline,
    /// A row of a table.
    Row,
    Item,
}

/// The blocks of a text so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BlockTracker {
    /// The notation of the text, if its file name shows it.
    notation: Notation,
    /// The kind of the line, once it has begun, and the break before it.
    line: Option<LineBlock>,
    before: Break,
    /// The number of words of the line.
    words: usize,
    /// True if the previous line is running text at the beginning of a paragraph.
    follows_first: bool,
    /// True inside an element whose text gets no marks.
    is_closed: bool,
    /// True from the first word of an item to the end of its text.
    in_item: bool,
    /// True if the items of the list begin with hyphens, as direct speech does too.
    has_hyphens: bool,
    /// True if the first item of the list ends with a mark that ends a sentence; `None` until that item has ended.
    has_stops: Option<bool>,
    /// True if a line such as `Plan:` is above, so that each item begins a sentence.
    follows_key: bool,
}

impl BlockTracker {
    /// Starts a text in a notation.
    pub(super) fn new(notation: Notation) -> Self {
        Self { notation, ..Self::default() }
    }

    /// Starts another text.
    pub(super) fn next_text(self) -> Self {
        Self::new(self.notation)
    }

    /// Returns true if the line has begun.
    #[inline]
    pub(super) fn has_line(&self) -> bool {
        self.line.is_some()
    }

    /// Begins a line with the run at `start..end`, and returns the kind of the line. `place` is the place of the
    /// words after the run, if the run determines it; `gap` is the mark before the line; `is_whole` is true if the
    /// text contains the whole line.
    pub(super) fn begin_line(
        &mut self,
        (text, start, end): (&str, usize, usize),
        place: Option<LinePlace>,
        (before, gap): (Break, Option<Mark>),
        is_whole: bool,
    ) -> LineBlock {
        let rest = &text[start..];
        let line = rest.split('\n').next().unwrap_or_default().trim_end();
        let run = &text[start..end];
        let block = match place {
            _ if self.is_underline(line, before) => LineBlock::Underline,
            _ if self.is_row(line, is_whole) => LineBlock::Row,
            Some(LinePlace::Heading) => LineBlock::Heading,
            // Direct speech begins with a dash, or with a hyphen, unless the line clearly belongs to a list.
            Some(LinePlace::Item) if run == "–" => LineBlock::Text,
            Some(LinePlace::Item) if run == "-" && !self.may_open_list(before, gap) => LineBlock::Text,
            Some(LinePlace::Item) => {
                self.has_hyphens = run == "-";
                LineBlock::Item
            }
            _ => LineBlock::Text,
        };
        (self.line, self.before) = (Some(block), before);
        block
    }

    /// Returns true if the line before belongs to a list or introduces one, or there is no line before.
    fn may_open_list(&self, before: Break, gap: Option<Mark>) -> bool {
        before >= Break::Paragraph || self.in_item || self.has_stops.is_some() || gap == Some(Mark::Colon)
    }

    /// Returns true if a line is the underline of a heading: the line above is a paragraph.
    fn is_underline(&self, line: &str, before: Break) -> bool {
        let is_of = |sign: char| line.chars().all(|c| c == sign);
        self.notation == Notation::Markdown
            && self.follows_first
            && before == Break::Line
            && line.len() >= UNDERLINE
            && (is_of('=') || is_of('-'))
    }

    /// Returns true if a line is the row of a table.
    fn is_row(&self, line: &str, is_whole: bool) -> bool {
        let is_table =
            || self.notation != Notation::Plain && is_whole && (line.contains(" | ") || line.ends_with('|'));
        line.starts_with('|') || is_table()
    }

    /// Returns true if the line, which has `gap` at its end, introduces the lines below it.
    pub(super) fn is_key(&self, gap: Option<Mark>) -> bool {
        gap == Some(Mark::Colon) && self.may_be_key()
    }

    /// Returns true if a colon after the last word would let the line introduce the lines below it.
    #[inline]
    pub(super) fn may_be_key(&self) -> bool {
        self.words <= LONGEST_KEY && self.words > 0 && self.is_first()
    }

    /// Returns true if the line is running text at the beginning of a paragraph.
    fn is_first(&self) -> bool {
        self.line == Some(LineBlock::Text) && self.before >= Break::Paragraph
    }

    /// Returns true if a line of text with this white space before it belongs to the item above. Where items
    /// begin with hyphens, text that is not indented is the speech of somebody else.
    pub(super) fn continues_item(&self, before_line: &str) -> bool {
        self.before < Break::Paragraph && (!self.has_hyphens || before_line.ends_with([' ', '\t']))
    }

    /// Notes the beginning of text that belongs to no list.
    pub(super) fn end_list(&mut self) {
        (self.has_stops, self.follows_key, self.has_hyphens) = (None, false, false);
    }

    /// Ends the item before this line, if there is one, and returns true if no mark is inserted after the item;
    /// `gap` is the mark after it.
    pub(super) fn end_item(&mut self, gap: Option<Mark>) -> bool {
        let in_item = std::mem::take(&mut self.in_item);
        in_item && !*self.has_stops.get_or_insert(gap.is_some_and(Mark::ends_sentence))
    }

    /// Returns true if the line belongs to a list item after which no mark is inserted.
    pub(super) fn closes_item(&self) -> bool {
        self.in_item && self.has_stops != Some(true)
    }

    /// Returns true if each item begins a sentence.
    pub(super) fn begins_items(&self) -> bool {
        self.follows_key
    }

    /// Counts a word, and returns true if no mark is inserted before it, unless it is the first.
    #[inline]
    pub(super) fn add_word(&mut self) -> bool {
        self.words += 1;
        self.in_item |= self.line == Some(LineBlock::Item);
        self.is_without_marks()
    }

    /// Returns true if no marks are inserted into the line.
    #[inline]
    pub(super) fn is_without_marks(&self) -> bool {
        self.is_closed || matches!(self.line, Some(LineBlock::Heading | LineBlock::Row))
    }

    /// Ends a line; `gap` is the mark at its end. Returns the kind of the line, and true if a sentence begins after
    /// it.
    pub(super) fn end_line(&mut self, gap: Option<Mark>) -> (LineBlock, bool) {
        let is_key = self.is_key(gap);
        self.follows_first = self.is_first() && self.words > 0;
        self.follows_key |= is_key;
        self.words = 0;
        let block = self.line.take().unwrap_or_default();
        (block, is_key)
    }

    /// Processes the tag of a block element.
    pub(super) fn read_tag(&mut self, tag: BlockTag) {
        self.is_closed = tag.closes.unwrap_or(self.is_closed);
        match tag.list {
            ListTag::None | ListTag::ItemEnd => {}
            ListTag::Item => self.line = Some(LineBlock::Item),
            ListTag::List => self.end_list(),
        }
    }
}

/// A tag of an HTML block element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockTag {
    /// True if no marks are inserted after the tag, and false if marks are inserted; `None` if the tag does not
    /// change this.
    closes: Option<bool>,
    pub(super) list: ListTag,
}

/// The part of a list that a tag begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListTag {
    None,
    List,
    Item,
    ItemEnd,
}

impl BlockTag {
    /// Reads a tag; `None` unless it is the tag of a block element.
    pub(super) fn of(tag: &str) -> Option<Self> {
        let name = tag.strip_prefix('<')?;
        let is_end = name.starts_with('/');
        let name = name.trim_start_matches('/');
        let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
        let is_in = |names: &str| names.split(' ').any(|of| of.eq_ignore_ascii_case(name));
        let is_cell = is_in(CLOSED);
        let closes = (is_cell || is_in(AROUND_CELLS)).then_some(is_cell && !is_end);
        let list = match is_end {
            _ if is_in("ul ol") => ListTag::List,
            true if is_in("li") => ListTag::ItemEnd,
            false if is_in("li") => ListTag::Item,
            _ => ListTag::None,
        };
        (is_cell || is_in(BLOCKS)).then_some(Self { closes, list })
    }
}
