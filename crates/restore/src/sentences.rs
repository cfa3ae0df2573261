//! Text with one sentence per line, or in paragraphs.

use std::collections::VecDeque;

use majuscule_format::Piece;
use majuscule_text::sentence::is_end_mark;
use majuscule_text::write::{push_mark, push_opening, spell};
use majuscule_text::{
    Break, Decision, LinePlace, OutputForm, ParagraphDivider, RestoreOptions, SentenceGap, Token,
};

/// The number of bytes without a word after which text is written unchanged.
const GAP: usize = 1 << 20;

/// Writes text sentence by sentence, each sentence on its own line or in paragraphs. Empty lines stay, and so does
/// everything that is not white space.
#[derive(Debug, Default)]
pub(super) struct SentenceLines {
    /// The text since the last word, with the mark that is inserted after it.
    gap: Vec<u8>,
    /// True if words came before.
    is_begun: bool,
    /// True if the method ended a sentence after the last word.
    ended: bool,
    /// The place of the first word of the line.
    line: LinePlace,
    /// True if the last word was part of a speaker label.
    was_label: bool,
    /// The text before `gap` that is not passed on yet.
    text: Vec<u8>,
    /// The paragraphs; `None` if each sentence gets a line.
    paragraphs: Option<Paragraphs>,
}

/// Sentences that wait for the decision whether a paragraph begins with them.
#[derive(Debug)]
struct Paragraphs {
    divider: ParagraphDivider,
    /// For each sentence without a decision, the position in the text of the gap before it; `None` if the gap is
    /// already written.
    gaps: VecDeque<Option<usize>>,
}

/// The white space before a word with which a sentence may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SentenceSpace {
    /// A line end between sentences; in paragraphs, a space or an empty line, as the divider decides.
    Open,
    /// An empty line between paragraphs: another speaker begins.
    Turn,
    /// A line end as in the source: before headings and list items, and in paragraphs after them.
    Kept,
    /// The white space of the source: a speaker label and the sentence after it stay together, and in paragraphs so
    /// do the sentences of a heading or of a list item.
    Joined,
}

impl SentenceLines {
    pub(super) fn new(options: &RestoreOptions) -> Self {
        let paragraphs = (options.form == OutputForm::Paragraphs).then(|| Paragraphs {
            divider: ParagraphDivider::new(options.language()),
            gaps: VecDeque::new(),
        });
        Self { paragraphs, ..Self::default() }
    }

    /// Appends a piece to `out`, up to its last word or to the first sentence that waits.
    pub(super) fn push(
        &mut self,
        piece: &Piece,
        decisions: &[Decision],
        options: &RestoreOptions,
        out: &mut Vec<u8>,
    ) {
        let (mut done, mut spelled) = (0, String::new());
        for ((lower, token), decision) in piece.tokens.iter().zip(decisions) {
            let (start, end) = (token.source.start as usize, token.source.end as usize);
            self.gap.extend_from_slice(&piece.source[done..start]);
            self.pass(out);
            if self.text.len() > GAP {
                self.settle(out);
            }
            self.end_gap(token, decision);
            if let Some(paragraphs) = self.paragraphs.as_mut().filter(|_| !token.is_label) {
                paragraphs.divider.push(lower);
            }
            push_opening(decision.placed.before, options, &mut self.text);
            spelled.clear();
            match str::from_utf8(&piece.source[start..end]) {
                Ok(word) => {
                    spell(word, token, decision, options, &mut spelled);
                    self.text.extend_from_slice(spelled.as_bytes());
                }
                Err(_) => self.text.extend_from_slice(&piece.source[start..end]),
            }
            push_mark(decision.placed.after, options, &mut self.gap);
            self.ended = options.marks.is_empty() && decision.choice.label.mark.ends_sentence();
            self.is_begun = true;
            done = end;
        }
        self.gap.extend_from_slice(&piece.source[done..]);
        if self.gap.len() > GAP {
            self.text.append(&mut self.gap);
        }
        self.pass(out);
    }

    /// Ends the text, and appends all text that is not written yet.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.settle(out);
        out.extend_from_slice(self.gap.trim_ascii_end());
        if self.is_begun || !self.gap.is_empty() {
            out.push(b'\n');
        }
        self.gap.clear();
    }

    /// Passes on all text, without waiting for decisions about paragraphs.
    fn settle(&mut self, out: &mut Vec<u8>) {
        if let Some(paragraphs) = &mut self.paragraphs {
            paragraphs.divider.finish();
        }
        self.pass(out);
    }

    /// Passes on the text up to the first sentence that waits.
    fn pass(&mut self, out: &mut Vec<u8>) {
        let Some(Paragraphs { divider, gaps, .. }) = &mut self.paragraphs else {
            return out.append(&mut self.text);
        };
        let mut done = 0;
        while let Some(begins) = divider.decide() {
            if let Some(at) = gaps.pop_front().flatten() {
                out.extend_from_slice(&self.text[done..at]);
                out.extend_from_slice(if begins { b"\n\n" } else { b" " });
                done = at;
            }
        }
        let end = gaps.iter().flatten().next().map_or(self.text.len(), |at| *at);
        out.extend_from_slice(&self.text[done..end]);
        self.text.drain(..end);
        gaps.iter_mut().flatten().for_each(|at| *at -= end);
    }

    /// Appends the text before a word.
    fn end_gap(&mut self, next: &Token, decision: &Decision) {
        let space = self.space(next);
        let gap = String::from_utf8_lossy(&self.gap);
        let begins = decision.begins(next) || self.ended || next.before >= Break::Turn;
        let begins = self.is_begun && begins && space != SentenceSpace::Joined;
        // The sentence ends at the white space after its last mark, or else at the first white space.
        let mark = gap.char_indices().rfind(|&(_, c)| is_end_mark(c) || c == '…');
        let after = mark.map_or(0, |(at, c)| at + c.len_utf8());
        let next_space =
            |from: usize| gap[from..].find(|c: char| c.is_ascii_whitespace()).map(|at| from + at);
        let end = next_space(after).or(next_space(0)).filter(|_| begins);
        // Lines of other text, such as links, stay lines.
        let is_other = !self.is_begun || gap.contains(char::is_alphanumeric);
        let line_ends = |run: &str| run.matches('\n').count();
        let is_parted = begins && gap.split(|c: char| !c.is_ascii_whitespace()).any(|run| line_ends(run) > 1);
        let mut sentence = (!self.is_begun).then_some((SentenceGap::Paragraph, None));
        let mut at = 0;
        while let Some(start) = next_space(at) {
            let len = gap[start..].find(|c: char| !c.is_ascii_whitespace()).unwrap_or(gap.len() - start);
            let run = &gap[start..start + len];
            self.text.extend_from_slice(gap[at..start].as_bytes());
            let newlines = line_ends(run);
            let is_kept = newlines == 1 && (is_other || space == SentenceSpace::Kept);
            let written = match () {
                () if !self.is_begun => run,
                () if newlines > 1 => "\n\n",
                () if end == Some(start) && space == SentenceSpace::Turn && self.paragraphs.is_some() => {
                    "\n\n"
                }
                () if is_kept || end == Some(start) && self.paragraphs.is_none() => "\n",
                () if end == Some(start) && !is_parted => {
                    let asked = gap[..start].contains(['?', '؟', '？']);
                    let open = SentenceGap::Sentence { asked, pause: None };
                    sentence.get_or_insert((open, Some(self.text.len())));
                    ""
                }
                () if newlines == 1 => " ",
                () => run,
            };
            if written == "\n\n" || is_kept && end == Some(start) {
                sentence = Some((SentenceGap::Paragraph, None));
            }
            self.text.extend_from_slice(written.as_bytes());
            at = start + len;
        }
        self.text.extend_from_slice(gap[at..].as_bytes());
        self.gap.clear();
        if let Some((paragraphs, (before, at))) = self.paragraphs.as_mut().zip(sentence) {
            paragraphs.divider.begin(before);
            paragraphs.gaps.push_back(at);
        }
    }

    /// Returns the space before the next word.
    fn space(&mut self, next: &Token) -> SentenceSpace {
        let is_line = next.before >= Break::Line;
        let last_line = if is_line { std::mem::replace(&mut self.line, next.place) } else { self.line };
        let was_label = std::mem::replace(&mut self.was_label, next.is_label);
        let follows_place = self.paragraphs.is_some() && last_line != LinePlace::Text;
        match () {
            () if is_line && next.is_label => SentenceSpace::Turn,
            () if was_label || follows_place && !is_line => SentenceSpace::Joined,
            () if is_line && (follows_place || next.place != LinePlace::Text) => SentenceSpace::Kept,
            () => SentenceSpace::Open,
        }
    }
}
