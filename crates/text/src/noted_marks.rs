//! Finds the punctuation marks around the words of a run: the marks that unpunctuated transcripts of speech lack.
//!
//! Words, URLs, placeholders and everything else that is left alone keep their marks, so the text without the marks
//! has the same words.

use std::ops::Range;

use super::mark::Mark;
use super::words::{
    NO_TEXT, NonSpaceRun, emoji_len, entity_len, has_placeholder, is_left_alone, is_list_letter,
    is_list_number, next_word,
};

/// A punctuation mark of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedMark {
    /// The range of the mark in the source, in bytes from the beginning of the piece.
    pub source: Range<u32>,
    /// The text around the mark.
    pub place: NotedPlace,
}

/// The text around a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotedPlace {
    /// White space on one side, and a word on the other.
    Beside,
    /// Words on both sides.
    Inside,
    /// White space on both sides.
    Alone,
}

/// Finds the marks of a run.
#[derive(Debug)]
pub(super) struct MarkFinder<'a> {
    run: &'a str,
    /// True if no word is before the run on its line.
    opens_line: bool,
    /// True if a single quotation mark is open. This distinguishes a closing quotation mark from an apostrophe.
    quotes: &'a mut bool,
    /// The marks found so far, as byte ranges in the run.
    marks: Vec<(Range<usize>, NotedPlace)>,
}

/// Characters that give the letters after them a special meaning. No mark before a word is noted if one of them is
/// there, because without the mark the letters might no longer be a word.
const SIGNS: [char; 13] = ['@', '#', '^', '/', '\\', '~', '_', '<', '{', '&', '%', '$', '['];

impl<'a> MarkFinder<'a> {
    /// Returns the marks of a run, in order, as byte ranges in the run.
    pub(super) fn marks(
        run: &'a str,
        opens_line: bool,
        quotes: &'a mut bool,
    ) -> Vec<(Range<usize>, NotedPlace)> {
        let mut finder = Self { run, opens_line, quotes, marks: Vec::new() };
        let is_number = opens_line && is_list_number(run);
        if is_number || is_list_letter(run) || has_placeholder(run) || run.contains(NO_TEXT as char) {
            return finder.marks;
        }
        if let Some(len) = emoji_len(run) {
            finder.after_word(len, false);
        } else if is_left_alone(run) || run.contains("](") {
            finder.around();
        } else {
            finder.between_words();
        }
        finder.marks
    }

    /// Finds the marks around the words of the run.
    fn between_words(&mut self) {
        let run = self.run;
        let field = NonSpaceRun { text: run, start: 0, end: run.len(), base: 0 };
        let Some(first) = next_word(&field, 0) else { return self.alone() };
        // Without the marks, a line might begin with a time stamp instead of a word.
        if self.opens_line && run[first.0..first.1].contains(':') {
            return;
        }
        let tail = run.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
        let is_quoted = [&run[..first.0], &run[tail..]].iter().all(|part| part.contains(['\'', '’']))
            && tail > first.0 + 1;
        self.before_word(first.0, is_quoted);
        let mut last = first;
        while let Some(next) = next_word(&field, last.1) {
            let gap = &run[last.1..next.0];
            if !["-", ".", "·"].contains(&gap) && gap.chars().all(|c| is_mark(c) || c == '-') {
                self.marks.push((last.1..next.0, NotedPlace::Inside));
            }
            last = next;
        }
        self.after_word(last.1, is_quoted);
    }

    /// Finds the marks of a run without a word: either all of its characters are marks, or nothing is noted.
    fn alone(&mut self) {
        let is_dash = |c: char| c == '-' || Mark::of(c) == Mark::Dash;
        // A dash at the beginning of a line shows an item or another speaker.
        let rest = if self.opens_line { self.run.trim_start_matches(is_dash) } else { self.run };
        if !rest.is_empty() && rest.chars().all(|c| is_mark(c) || is_dash(c) || matches!(c, '\'' | '’' | '‘'))
        {
            *self.quotes |= rest.contains('‘');
            let start = self.run.len() - rest.len();
            let place = if start == 0 { NotedPlace::Alone } else { NotedPlace::Beside };
            self.marks.push((start..self.run.len(), place));
        }
    }

    /// Finds the marks before the first word of the run, which begins at byte `end`.
    fn before_word(&mut self, end: usize, is_quoted: bool) {
        let (before, mut last) = (&self.run[..end], '\0');
        if before.contains(SIGNS) {
            return;
        }
        for (at, c) in before.char_indices() {
            let next = self.run[at + c.len_utf8()..].chars().next().unwrap_or_default();
            let is_noted = match c {
                '.' => last == '.' || !next.is_alphanumeric(),
                ':' => !next.is_alphanumeric(),
                '\'' | '’' => is_quoted,
                '‘' | '‚' => true,
                c if Mark::of(c) == Mark::Dash => c != '-' && !(self.opens_line || next.is_numeric()),
                c => is_mark(c),
            };
            *self.quotes |= c == '‘';
            self.marks.extend(is_noted.then_some((at..at + c.len_utf8(), NotedPlace::Beside)));
            last = c;
        }
    }

    /// Finds the marks from byte `at` on, after the last word of the run.
    fn after_word(&mut self, mut at: usize, is_quoted: bool) {
        while let Some(c) = self.run[at..].chars().next() {
            let rest = &self.run[at..];
            let hyphens = rest.len() - rest.trim_start_matches('-').len();
            let (len, is_noted) = match c {
                '&' => (entity_len(rest), false),
                '-' => (hyphens, hyphens > 1),
                '\'' => (1, is_quoted),
                '’' => (c.len_utf8(), is_quoted || std::mem::take(self.quotes)),
                c => (c.len_utf8(), is_mark(c)),
            };
            self.marks.extend(is_noted.then_some((at..at + len, NotedPlace::Beside)));
            at += len;
        }
    }

    /// Finds the marks around a run that is left alone, such as a URL, which may itself have brackets.
    fn around(&mut self) {
        let run = self.run;
        let [opens, closes] = ['(', ')'].map(|bracket| !run.contains(bracket));
        let inner = run.trim_start_matches(|c| is_quote(c) || c == '(' && closes);
        let start = run.len() - inner.len();
        let is_last = |c| is_quote(c) || ".,?!:;…".contains(c) || c == ')' && opens;
        let end = start + inner.trim_end_matches(is_last).len();
        let edges = [0..start, end..run.len()].into_iter().filter(|edge| !edge.is_empty());
        self.marks.extend(edges.map(|edge| (edge, NotedPlace::Beside)));
    }
}

/// Returns true if a character is a quotation mark, except for single ones, which may be apostrophes.
fn is_quote(c: char) -> bool {
    "\"“”„‟«»‹›「」『』".contains(c)
}

/// Returns true if a character is a mark that never occurs inside a word: any mark except hyphens, apostrophes, and
/// square and curly brackets.
fn is_mark(c: char) -> bool {
    let is_other = is_quote(c) || "()（）―".contains(c) || Mark::opened_by(c) != Mark::None;
    c != '-' && (is_other || Mark::of(c) != Mark::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a line without the marks of its runs.
    fn without(line: &str) -> String {
        let mut quotes = false;
        let runs = line.split(' ').enumerate().map(|(at, run)| {
            let mut kept = run.to_owned();
            let marks = MarkFinder::marks(run, at == 0, &mut quotes);
            for (mark, place) in marks.into_iter().rev() {
                kept.replace_range(mark, if place == NotedPlace::Inside { " " } else { "" });
            }
            kept
        });
        runs.filter(|run| !run.is_empty()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn marks_around_words_go_and_marks_in_words_stay() {
        for (line, kept) in [
            ("So, \"Ana\" (32) said: we – all of us – met…", "So Ana 32 said we all of us met"),
            ("he came—late; and then...left!", "he came late and then left"),
            (
                "It's 10:30, o'clock; 3.5m or 1,000. A well-known 'tis",
                "It's 10:30 o'clock 3.5m or 1,000 A well-known 'tis",
            ),
            ("the U.S. and e.g. this", "the U.S and e.g this"),
            ("‘so’ and 'yes', rock 'n' roll, the girls’ ‘own’", "so and yes rock 'n' roll the girls’ own"),
            ("¿Qué? «sí» „ja“ ‹oui›", "Qué sí ja oui"),
            ("pre- and post-war - or 5 --all -- of -5 –7", "pre- and post-war or 5 --all of -5 –7"),
            ("- we met - so", "- we met so"),
        ] {
            assert_eq!(without(line), kept, "{line}");
            assert_eq!(without(kept), kept);
        }
    }

    #[test]
    fn what_is_no_word_keeps_its_marks() {
        for (line, kept) in [
            ("see (http://a.b/c_(d)), www.a.b. and me@a.b!", "see (http://a.b/c_(d)) www.a.b and me@a.b"),
            ("1. so [x] {name}, %s. :tada:! [so](a.html).", "1. so [x] {name}, %s. :tada: [so](a.html)"),
            ("[noise] <unk> \"/usr/bin\" .net &amp; R&D;", "[noise] <unk> /usr/bin .net &amp; R&D;"),
            ("<\"b\"> x\"/usr", "<\"b> x\"/usr"),
        ] {
            assert_eq!(without(line), kept, "{line}");
            assert_eq!(without(kept), kept);
        }
    }
}
