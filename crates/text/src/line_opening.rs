//! Finds the prefix of a line before its text: a time stamp, the label of a speaker.

use super::case::MAX_LETTERS;
use super::locale::Locale;
use super::speaker_label::{LabelContext, is_user, may_name, speaker_label};
use super::time_stamp::time_stamp;
use super::tokens::lower_word;

/// The number of lines after a speaker label in which an unknown name also counts as a label.
const DIALOGUE: u8 = 4;

/// The largest number of characters of a line that are examined, so that live text waits for no more, and the number
/// of bytes at the start of a line among which the colon of a label must be.
const LONGEST: usize = 160;
const HEAD: usize = 128;

/// The result of looking for a part of a line that may be incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    No,
    /// The result depends on text that has not arrived yet.
    Open,
    /// The part was found, with this many bytes.
    Found(usize),
}

impl Scan {
    pub(super) fn open(is_open: bool) -> Self {
        if is_open { Self::Open } else { Self::No }
    }

    pub(super) fn found(is_found: bool, len: usize) -> Self {
        if is_found { Self::Found(len) } else { Self::No }
    }

    /// Returns the result for a text with `len` more bytes before it.
    pub(super) fn behind(self, len: usize) -> Self {
        if let Self::Found(found) = self { Self::Found(len + found) } else { self }
    }
}

/// The state of reading the opening of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LineOpening {
    /// Text has begun: time stamps and labels are no longer looked for.
    #[default]
    Text,
    /// Nothing but white space.
    Blank,
    /// A time stamp.
    Time,
    /// The label of a speaker.
    Label,
}

/// A part before the text of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpeningPart {
    None,
    Open,
    /// A time stamp or a label that ends at this byte.
    Time(usize),
    Label(usize),
}

/// Tracks the prefix of each line, and the first words of its text, which a colon may turn into a label.
#[derive(Debug, Clone, Default)]
pub(super) struct LineOpenings {
    /// True if time stamps and labels are looked for.
    has_speakers: bool,
    /// The opening of the line.
    opening: LineOpening,
    /// True if the text has a label `Q.`
    asks: bool,
    /// The number of lines that still count as dialogue.
    dialogue: u8,
    /// True if the last line has nothing but a time stamp.
    is_below_time: bool,
    /// The first words of the line, if marks are inserted.
    words: String,
    /// The number of further words that a colon may turn into a label.
    names_left: u8,
    /// True if the words follow a time stamp.
    is_timed: bool,
}

impl LineOpenings {
    /// Starts a text.
    pub(super) fn new(has_speakers: bool) -> Self {
        let opening = if has_speakers { LineOpening::Blank } else { LineOpening::Text };
        Self { has_speakers, opening, ..Self::default() }
    }

    /// Starts another text.
    pub(super) fn next_text(&self) -> Self {
        Self::new(self.has_speakers)
    }

    /// Returns true if a time stamp or a label is looked for.
    #[inline]
    pub(super) fn looks(&self) -> bool {
        self.opening != LineOpening::Text
    }

    /// Returns the time stamp or the label at byte `at` of the text, if a line opens with one; `is_whole`
    /// is true if the line ends where the text does.
    #[inline(never)]
    pub(super) fn part(&mut self, text: &str, at: usize, is_whole: bool) -> OpeningPart {
        let is_timed = self.opening == LineOpening::Time;
        if !(is_timed || self.is_below_time || may_open(&text.as_bytes()[at..], is_whole)) {
            return OpeningPart::None;
        }
        let rest = &text[at..];
        let limit = rest.char_indices().nth(LONGEST).map(|(at, _)| at);
        let line = &rest[..limit.unwrap_or(rest.len())];
        let line_end = line.find('\n');
        let is_whole = is_whole || limit.is_some() || line_end.is_some();
        let line = &line[..line_end.unwrap_or(line.len())];
        let is_first = self.opening != LineOpening::Label;
        match time_stamp(line, is_whole) {
            Scan::Found(len) if is_first || line.starts_with(['[', '(']) => {
                if self.opening == LineOpening::Blank {
                    self.opening = LineOpening::Time;
                }
                return OpeningPart::Time(at + len);
            }
            Scan::Open => return OpeningPart::Open,
            _ => {}
        }
        let Self { asks, is_below_time, .. } = *self;
        let context = LabelContext { is_timed, is_below_time, is_dialogue: self.dialogue > 0, asks };
        match speaker_label(line, is_whole, context) {
            Scan::Found(len) if is_first => {
                let letter =
                    line[..len].trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
                self.asks |= letter.len() <= 2 && letter.starts_with(['q', 'Q']);
                (self.dialogue, self.names_left) = (DIALOGUE, 0);
                OpeningPart::Label(at + len)
            }
            Scan::Open if is_first => OpeningPart::Open,
            _ => OpeningPart::None,
        }
    }

    /// Notes a label before the text of a line.
    pub(super) fn end_label(&mut self) {
        self.opening = LineOpening::Label;
    }

    /// Notes text, which begins with byte `first`, after the prefix of the line; a tag is not yet text.
    /// `puts` is true if marks are inserted.
    pub(super) fn open_text(&mut self, first: u8, puts: bool) {
        if puts && self.opening != LineOpening::Label {
            self.words.clear();
            self.is_timed = self.opening == LineOpening::Time;
            self.names_left = if self.is_timed { MAX_LETTERS as u8 } else { 4 };
        }
        if !matches!(first, b'<' | b'{') {
            self.opening = LineOpening::Text;
        }
    }

    /// Returns true if a colon after this word may turn the first words of a line into a label.
    #[inline]
    pub(super) fn may_name(&mut self, word: &str, locale: Locale) -> bool {
        self.names_left > 0 && self.may_name_with(word, locale)
    }

    #[cold]
    fn may_name_with(&mut self, word: &str, locale: Locale) -> bool {
        if !self.words.is_empty() {
            self.words.push(' ');
        }
        lower_word(word, locale, &mut self.words);
        self.names_left -= 1;
        may_name(&self.words, self.is_timed)
    }

    /// Ends a line, and returns its prefix, or [`LineOpening::Text`] if text follows the prefix; `is_written` is true
    /// if the line is not blank.
    pub(super) fn end_line(&mut self, is_written: bool) -> LineOpening {
        if !self.has_speakers {
            return LineOpening::Text;
        }
        if is_written {
            self.dialogue = self.dialogue.saturating_sub(1);
        }
        self.names_left = 0;
        self.is_below_time = self.opening == LineOpening::Time;
        std::mem::replace(&mut self.opening, LineOpening::Blank)
    }
}

/// Returns true if a label is written by a program, so that its words are not text: `<ana>`, `From Ana
/// Reis to Everyone :`, `ana#1234`.
pub(super) fn is_name_of_program(label: &str) -> bool {
    label.starts_with('<')
        || is_user(label.trim_end_matches(':'))
        || label.get(..5).is_some_and(|from| from.eq_ignore_ascii_case("from "))
}

/// Returns true if a time stamp or a label may be at the beginning of a line; `is_whole` is true if the line ends
/// where the text ends. Most lines have neither, which a fast test of many bytes at once shows.
#[inline]
fn may_open(text: &[u8], is_whole: bool) -> bool {
    let head = &text[..text.len().min(HEAD)];
    let Some(first) = head.first() else { return false };
    if !first.is_ascii_alphabetic() && *first < 0x80 {
        return first.is_ascii_digit() || b"[(<>*_@+".contains(first);
    }
    let may_be_letter = || {
        let after = head.get(1).is_none_or(|second| !second.is_ascii_alphabetic());
        matches!(first, b'q' | b'Q' | b'a' | b'A') && after
    };
    let is_open = || !is_whole && head.len() < HEAD && !head.contains(&b'\n');
    head.contains(&b':') || may_be_letter() || is_open()
}
