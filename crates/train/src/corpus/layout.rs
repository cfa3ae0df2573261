//! Lays out the words of a text on a page: decides which line and cue breaks a method sees between words.

use crate::random::{Random, below};
use majuscule_text::{Break, Token};

/// The layout of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageLayout {
    /// No breaks.
    Running,
    /// One sentence per line.
    Lines,
    /// Lines of at most this many characters.
    Wrapped(usize),
    /// Subtitle cues.
    Cues {
        /// The largest number of characters of a line.
        width: usize,
        /// True if sentences begin anywhere, and false if each sentence begins a line.
        runs_on: bool,
        /// True if a cue has up to two lines, and false if it has one.
        has_two_lines: bool,
    },
}

/// The largest number of characters of a line of a subtitle, under the protocol `cues`.
pub(super) const CUE_WIDTH: usize = 38;

/// The smallest and largest line width to draw, in characters: for text, for cues, and for cues in which sentences
/// run on, as recognisers write them.
const WIDTHS: [(u64, u64); 3] = [(28, 100), (28, 46), (12, 46)];

impl PageLayout {
    /// Draws a layout. All four kinds are equally probable.
    pub(super) fn draw(random: &mut Random) -> Self {
        let mut width = |at: usize| {
            let (least, largest) = WIDTHS[at];
            (least + below(random, largest - least + 1)) as usize
        };
        let [wrapped, narrow, spoken] = [width(0), width(1), width(2)];
        match below(random, 4) {
            0 => Self::Running,
            1 => Self::Lines,
            2 => Self::Wrapped(wrapped),
            _ => match below(random, 4) {
                0 => Self::Cues { width: spoken, runs_on: true, has_two_lines: false },
                1 => Self::Cues { width: spoken, runs_on: true, has_two_lines: true },
                _ => Self::Cues { width: narrow, runs_on: false, has_two_lines: true },
            },
        }
    }
}

/// The position on a page after the last word that was placed.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageWriter {
    layout: PageLayout,
    /// The number of characters in the line.
    column: usize,
    /// True in the second line of a cue.
    is_second: bool,
}

impl PageWriter {
    /// Starts a text.
    pub(super) fn new(layout: PageLayout) -> Self {
        Self { layout, column: 0, is_second: false }
    }

    /// Starts another text with the same layout.
    pub(super) fn restart(&mut self) {
        *self = Self::new(self.layout);
    }

    /// Places a word of `letters` characters, and returns its token with the break before it. For the first word of a
    /// sentence, `sentence` is the number of characters of the sentence.
    pub(super) fn place(&mut self, letters: usize, sentence: Option<usize>) -> Token {
        let fits = |width: usize| self.column + 1 + letters <= width;
        // The break before the line that the word opens; before the second line of a cue, this is `Space`.
        let line = match self.layout {
            _ if self.column == 0 => None,
            PageLayout::Running => None,
            PageLayout::Lines => sentence.map(|_| Break::Line),
            PageLayout::Wrapped(width) => (!fits(width)).then_some(Break::Line),
            PageLayout::Cues { width, runs_on, has_two_lines } => match sentence.filter(|_| !runs_on) {
                None if fits(width) => None,
                Some(sentence) if self.is_second || sentence > width => Some(Break::Cue),
                None if self.is_second || !has_two_lines => Some(Break::Cue),
                _ => Some(Break::Space),
            },
        };
        self.column = if line.is_some() || self.column == 0 { letters } else { self.column + 1 + letters };
        self.is_second = line.map_or(self.is_second, |before| before == Break::Space);
        let opens_line = line == Some(Break::Space);
        Token { before: line.unwrap_or_default(), opens: line.is_some(), opens_line, ..Token::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns words on a page: a line break is `/`, a cue break `|`. A capital begins a sentence.
    fn page(layout: PageLayout, text: &str) -> String {
        let mut writer = PageWriter::new(layout);
        let words: Vec<&str> = text.split(' ').collect();
        let begins = |word: &str| word.starts_with(char::is_uppercase);
        let mut out = String::new();
        for (at, word) in words.iter().enumerate() {
            let rest = words[at + 1..].iter().take_while(|word| !begins(word));
            let sentence = begins(word).then(|| word.len() + rest.map(|word| 1 + word.len()).sum::<usize>());
            let token = writer.place(word.len(), sentence);
            out += match token.before {
                _ if at == 0 => "",
                Break::Cue => " | ",
                Break::Line => " / ",
                _ if token.opens_line => " / ",
                _ => " ",
            };
            out += word;
        }
        out
    }

    #[test]
    fn words_are_laid_out_on_pages() {
        let text = "We met in may Then she went to rome with her dog No";
        assert_eq!(page(PageLayout::Running, text), text);
        assert_eq!(page(PageLayout::Lines, text), "We met in may / Then she went to rome with her dog / No");
        let wrapped = "We met in / may Then / she went / to rome / with her / dog No";
        assert_eq!(page(PageLayout::Wrapped(9), text), wrapped);
        let cues = PageLayout::Cues { width: 20, runs_on: false, has_two_lines: true };
        assert_eq!(page(cues, text), "We met in may | Then she went to / rome with her dog | No");
        assert_eq!(page(cues, "We met She left No"), "We met / She left | No");
        let cues = |has_two_lines| PageLayout::Cues { width: 20, runs_on: true, has_two_lines };
        assert_eq!(page(cues(true), text), "We met in may Then / she went to rome | with her dog No");
        assert_eq!(page(cues(false), text), "We met in may Then | she went to rome | with her dog No");
    }
}
