//! Lays out the words of a text on a page: decides which line and cue breaks a method sees between words.

use crate::random::{Random, below};
use majuscule_text::{Break, Token};

/// The layout of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageLayout {
    /// No breaks.
    Running,
    /// Lines of at most this many characters.
    Lines { width: usize, breaks: LineBreaks },
    /// Subtitle cues with lines of at most this many characters.
    Cues {
        width: usize,
        breaks: LineBreaks,
        /// True if a cue has up to two lines, and false if it has one.
        has_two_lines: bool,
    },
}

/// The places where a line ends besides those where the next word does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreaks {
    /// None.
    Width,
    /// After each punctuation mark and each sentence, as people speak and captions are cut.
    Marks,
    /// After each sentence.
    Sentences,
}

/// The largest number of characters of a line of a subtitle, under the protocol `cues`.
pub(super) const CUE_WIDTH: usize = 38;

/// The smallest and largest line width to draw, in characters: for text, for cues in which each sentence begins a
/// line, and for other cues, as recognisers and live captioners write them.
const WIDTHS: [(u64, u64); 3] = [(28, 100), (28, 46), (12, 46)];

impl PageLayout {
    /// One sentence per line.
    pub(super) const SENTENCES: Self = Self::Lines { width: usize::MAX, breaks: LineBreaks::Sentences };

    /// Draws a layout: running text, one sentence per line, lines of limited width, and cues are equally probable.
    pub(super) fn draw(random: &mut Random) -> Self {
        let mut width = |at: usize| {
            let (least, largest) = WIDTHS[at];
            (least + below(random, largest - least + 1)) as usize
        };
        let [wrapped, narrow, spoken] = [width(0), width(1), width(2)];
        match below(random, 16) {
            0..4 => Self::Running,
            4..8 => Self::SENTENCES,
            8..12 => Self::Lines { width: wrapped, breaks: LineBreaks::Width },
            12 => {
                let has_two_lines = below(random, 2) == 1;
                Self::Cues { width: spoken, breaks: LineBreaks::Width, has_two_lines }
            }
            13 => Self::Cues { width: spoken, breaks: LineBreaks::Marks, has_two_lines: false },
            _ => Self::Cues { width: narrow, breaks: LineBreaks::Sentences, has_two_lines: true },
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

    /// Places a word of `letters` characters, and returns its token with the break before it. `follows_mark` is true
    /// if a punctuation mark precedes the word. For the first word of a sentence, `sentence` is the number of
    /// characters of the sentence.
    pub(super) fn place(&mut self, letters: usize, follows_mark: bool, sentence: Option<usize>) -> Token {
        let ends = |width: usize, breaks: LineBreaks| {
            self.column + 1 + letters > width
                || match breaks {
                    LineBreaks::Width => false,
                    LineBreaks::Marks => follows_mark || sentence.is_some(),
                    LineBreaks::Sentences => sentence.is_some(),
                }
        };
        // The break before the line that the word opens; before the second line of a cue, this is `Space`.
        let line = match self.layout {
            _ if self.column == 0 => None,
            PageLayout::Running => None,
            PageLayout::Lines { width, breaks } => ends(width, breaks).then_some(Break::Line),
            PageLayout::Cues { width, breaks, has_two_lines } if ends(width, breaks) => {
                // A sentence that needs more than a line begins a cue.
                let is_long =
                    breaks == LineBreaks::Sentences && sentence.is_some_and(|letters| letters > width);
                Some(if self.is_second || is_long || !has_two_lines { Break::Cue } else { Break::Space })
            }
            PageLayout::Cues { .. } => None,
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
            let token = writer.place(word.len(), out.ends_with(','), sentence);
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
        let text = "We met in may, Then she went to rome, with her dog No";
        assert_eq!(page(PageLayout::Running, text), text);
        let sentences = "We met in may, / Then she went to rome, with her dog / No";
        assert_eq!(page(PageLayout::SENTENCES, text), sentences);
        let lines = |breaks| PageLayout::Lines { width: 14, breaks };
        let wrapped = "We met in may, / Then she went / to rome, with / her dog No";
        assert_eq!(page(lines(LineBreaks::Width), text), wrapped);
        let clauses = "We met in may, / Then she went / to rome, / with her dog / No";
        assert_eq!(page(lines(LineBreaks::Marks), text), clauses);
        let cues = |breaks, has_two_lines| PageLayout::Cues { width: 21, breaks, has_two_lines };
        let subtitles = cues(LineBreaks::Sentences, true);
        assert_eq!(page(subtitles, text), "We met in may, | Then she went to / rome, with her dog | No");
        assert_eq!(page(subtitles, "We met She left No"), "We met / She left | No");
        let spoken = "We met in may, Then / she went to rome, | with her dog No";
        assert_eq!(page(cues(LineBreaks::Width, true), text), spoken);
        assert_eq!(page(cues(LineBreaks::Width, false), text), spoken.replace('/', "|"));
        let clauses = "We met in may, | Then she went to | rome, | with her dog | No";
        assert_eq!(page(cues(LineBreaks::Marks, false), text), clauses);
    }
}
