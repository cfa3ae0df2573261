//! Text with one sentence per line.

use majuscule_format::Piece;
use majuscule_text::sentence::is_end_mark;
use majuscule_text::write::{push_mark, push_opening, spell};
use majuscule_text::{Break, Decision, RestoreOptions, Token};

/// The number of bytes without a word after which text is written as it is.
const GAP: usize = 1 << 20;

/// Text that is written sentence by sentence, each on a line of its own. An empty line stays, and so
/// does everything that is not white space.
#[derive(Debug, Default)]
pub(super) struct SentenceLines {
    /// The text since the last word, with the mark that is inserted after it.
    gap: Vec<u8>,
    /// True if words came before.
    is_begun: bool,
    /// True if the method ended a sentence after the last word.
    ended: bool,
}

impl SentenceLines {
    /// Appends a piece to `out`, up to its last word.
    pub(super) fn push(
        &mut self,
        piece: &Piece,
        decisions: &[Decision],
        options: &RestoreOptions,
        out: &mut Vec<u8>,
    ) {
        let (mut done, mut spelled) = (0, String::new());
        for (token, decision) in piece.tokens.as_slice().iter().zip(decisions) {
            let (start, end) = (token.source.start as usize, token.source.end as usize);
            self.gap.extend_from_slice(&piece.source[done..start]);
            self.end_gap(token, decision, out);
            push_opening(decision.placed.before, options, out);
            spelled.clear();
            match str::from_utf8(&piece.source[start..end]) {
                Ok(word) => {
                    spell(word, token, decision, options, &mut spelled);
                    out.extend_from_slice(spelled.as_bytes());
                }
                Err(_) => out.extend_from_slice(&piece.source[start..end]),
            }
            push_mark(decision.placed.after, options, &mut self.gap);
            self.ended = options.marks.is_empty() && decision.choice.label.mark.ends_sentence();
            self.is_begun = true;
            done = end;
        }
        self.gap.extend_from_slice(&piece.source[done..]);
        if self.gap.len() > GAP {
            out.append(&mut self.gap);
        }
    }

    /// Appends the rest, at the end of the text.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.gap.trim_ascii_end());
        if self.is_begun || !self.gap.is_empty() {
            out.push(b'\n');
        }
        self.gap.clear();
    }

    /// Appends the text before a word.
    fn end_gap(&mut self, next: &Token, decision: &Decision, out: &mut Vec<u8>) {
        let gap = String::from_utf8_lossy(&self.gap);
        let begins = self.is_begun && (decision.begins(next) || self.ended || next.before >= Break::Turn);
        // The sentence ends with the white space after its mark, if it has one.
        let mark = gap.char_indices().rfind(|&(_, c)| is_end_mark(c) || c == '…');
        let after = mark.map_or(0, |(at, c)| at + c.len_utf8());
        let space = |from: usize| gap[from..].find(|c: char| c.is_ascii_whitespace()).map(|at| from + at);
        let end = space(after).or(space(0)).filter(|_| begins);
        // Lines of other text, such as links, stay lines.
        let is_other = !self.is_begun || gap.contains(char::is_alphanumeric);
        let mut at = 0;
        while let Some(start) = space(at) {
            let len = gap[start..].find(|c: char| !c.is_ascii_whitespace()).unwrap_or(gap.len() - start);
            let run = &gap[start..start + len];
            out.extend_from_slice(gap[at..start].as_bytes());
            out.extend_from_slice(match run.matches('\n').count() {
                _ if !self.is_begun => run.as_bytes(),
                2.. => b"\n\n",
                _ if end == Some(start) => b"\n",
                1 if is_other => b"\n",
                1 => b" ",
                _ => run.as_bytes(),
            });
            at = start + len;
        }
        out.extend_from_slice(gap[at..].as_bytes());
        self.gap.clear();
    }
}
