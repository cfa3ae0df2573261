//! Follows what stands between two words: the mark, the opening, and the positions that are closed to others.

use super::mark::Mark;
use super::options::MarkPlaces;
use super::reading::Reading;
use super::tokens::{Break, Token};

/// What stands after the last word, and the marks of the lines.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GapTracker {
    /// What stands after the last word: see [`Token::gap`].
    gap: Option<Mark>,
    /// The opening after the last word: see [`Token::opening`].
    opening: Mark,
    /// The gaps of the line.
    line: LineGaps,
    /// True if the previous line has marks.
    follows_marked: bool,
    /// The marks of the lines so far.
    lines: LineMarks,
}

/// The gaps of a line. A line so long that it comes in parts is judged by its first part.
#[derive(Debug, Clone, Copy, Default)]
struct LineGaps {
    /// True if a mark other than a dash stands after a word.
    marked: bool,
    /// True if therefore no marks are inserted.
    closed: Option<bool>,
}

/// The lines so far of a text, which tell whether it has its marks.
#[derive(Debug, Clone, Copy, Default)]
struct LineMarks {
    marked: usize,
    plain: usize,
}

impl LineMarks {
    fn take(&mut self, is_marked: bool) {
        *if is_marked { &mut self.marked } else { &mut self.plain } += 1;
    }

    /// Returns true if a line without marks belongs to a text that has them: most lines do, or the
    /// `previous` one does and is no exception.
    fn close(self, previous: bool) -> bool {
        self.marked > self.plain + 1 || previous && 3 * self.marked >= self.plain
    }
}

impl GapTracker {
    /// Starts another text, whose first word shows what stands after the last word of this one.
    pub(super) fn next_text(self) -> Self {
        Self { gap: self.gap, ..Self::default() }
    }

    /// Returns what stands after the last word, as far as the text is read: see [`Token::gap`].
    pub(super) fn gap(&self) -> Option<Mark> {
        self.gap.or((self.line.closed == Some(true)).then_some(Mark::None))
    }

    /// Notes a mark after the last word, or [`Mark::None`] for anything else there. At the
    /// beginning of a line, a dash before speech, a quote or a bracket belongs to the next word
    /// alone, and so does anything at the beginning of a text.
    #[inline]
    pub(super) fn see(&mut self, mark: Mark, before: Break) {
        match mark {
            _ if before == Break::Document => {}
            Mark::None | Mark::Dash if before >= Break::Line => {}
            mark => {
                self.line.marked |= !matches!(mark, Mark::None | Mark::Dash) && before < Break::Line;
                self.gap = Some(self.gap.map_or(mark, |gap| gap.stronger(mark)));
            }
        }
    }

    /// Notes something that is neither a mark nor a word to be cased.
    pub(super) fn pass(&mut self, before: Break) {
        if before < Break::Document {
            self.gap.get_or_insert(Mark::None);
        }
    }

    /// Notes the openings among marks, and returns true if the marks are nothing else.
    pub(super) fn see_openings(&mut self, reading: &Reading, marks: &str) -> bool {
        marks.chars().for_each(|c| self.opening = self.opening.stronger(Mark::opened_by(c)));
        marks.chars().all(|c| reading.is_opening(c))
    }

    /// Returns the mark right before a word, with `before` before it in its run. Where marks are put
    /// in, openings are noted and count as no mark: a word with one is read like one without.
    #[inline]
    pub(super) fn left_of(&mut self, reading: &Reading, before: &str) -> Option<char> {
        let is_mark = |c: &char| !c.is_alphanumeric();
        let left = before.chars().next_back().filter(is_mark)?;
        if !reading.sees_openings() || before.is_ascii() {
            return Some(left);
        }
        self.see_openings(reading, &before[before.trim_end_matches(|c| is_mark(&c)).len()..]);
        before.trim_end_matches(|c| reading.is_opening(c)).chars().next_back().filter(is_mark)
    }

    /// Returns the opening before a word, which takes it.
    #[inline]
    pub(super) fn take_opening(&mut self) -> Mark {
        std::mem::take(&mut self.opening)
    }

    /// Notes in a word what stands before it, and closes the gap that gets no mark. `line` are the words
    /// before it on the line, `opening` is the opening before it, and `is_closed` is true if no other can be
    /// inserted there.
    #[inline]
    pub(super) fn begin_word(
        &mut self,
        reading: &Reading,
        token: &mut Token,
        (word, has_apostrophe): (&str, bool),
        (opening, is_closed): (Mark, bool),
        line: &mut [Token],
    ) {
        if reading.sees_openings() {
            if opening != Mark::None && !reading.is_live() {
                // A line that has an opening gets no other one before it.
                line.iter_mut().for_each(|word| _ = word.opening.get_or_insert(Mark::None));
            }
            let is_closed = is_closed
                || token.before == Break::None
                || token.left.is_some_and(|left| !is_before_opening(left, word));
            token.opening = match opening {
                Mark::None => is_closed.then_some(Mark::None),
                there => Some(there),
            };
        }
        if let Some(left) = token.left.filter(|_| !has_apostrophe) {
            self.see(Mark::of(left), token.before);
        }
        // Inside a run no mark may stand, though an opening alone may stand there: `a¿b`.
        token.gap = self.gap.take().or((token.before == Break::None).then_some(Mark::None));
    }

    /// Closes the gap after a clitic: no mark parts it from the word that it belongs to.
    pub(super) fn follow_clitic(&mut self) {
        self.gap = Some(Mark::None);
    }

    /// Ends a speaker label; `before` is the state before it. Without words, the mark behind the last
    /// word of the line before has its place.
    pub(super) fn end_label(&mut self, before: &Self, has_words: bool) {
        self.gap = if has_words { self.gap.or(Some(Mark::None)) } else { before.gap };
        self.line = before.line;
    }

    /// Decides the positions for marks in the words of a line, as far as it is read.
    pub(super) fn finish_line(&mut self, reading: &Reading, words: &mut [Token]) {
        let closes = || self.line.marked || self.lines.close(self.follows_marked);
        if reading.puts == Some(MarkPlaces::Unmarked) && *self.line.closed.get_or_insert_with(closes) {
            let after_first = words.iter_mut().filter(|word| word.before < Break::Line);
            after_first.for_each(|word| _ = word.gap.get_or_insert(Mark::None));
            words.iter_mut().for_each(|word| _ = word.opening.get_or_insert(Mark::None));
        }
    }

    /// Closes the gap after the last word of a line that gets no marks.
    pub(super) fn close_line(&mut self) {
        self.gap = self.gap();
    }

    /// Ends a line; `is_written` is true if it has anything but white space.
    pub(super) fn end_line(&mut self, is_written: bool) {
        let line = self.take_line(is_written);
        self.follows_marked = is_written && line.marked;
    }

    /// Ends a cue before a break.
    pub(super) fn end_cue(&mut self, is_written: bool, before: Break) {
        let line = self.take_line(is_written);
        if before >= Break::Turn || is_written {
            self.follows_marked = before < Break::Turn && line.marked;
        }
    }

    fn take_line(&mut self, is_written: bool) -> LineGaps {
        self.close_line();
        if is_written {
            self.lines.take(self.line.marked);
        }
        std::mem::take(&mut self.line)
    }
}

/// Returns true if an opening can be inserted between a mark and the word after it. A dash before a
/// number is a minus, which the opening would part from its number.
fn is_before_opening(left: char, word: &str) -> bool {
    match left {
        '(' | '[' | '"' | '\'' | '“' | '‘' | '«' => true,
        '-' | '–' | '—' => !word.starts_with(char::is_numeric),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Locale;
    use crate::text::reading::Arrival;

    proptest! {
        #[test]
        fn the_gap_is_the_strongest_mark_in_any_order(
            mut marks in prop::collection::vec(prop::sample::select(Mark::WRITTEN.to_vec()), 1..5),
        ) {
            let gap = |marks: &[Mark]| {
                let mut gaps = GapTracker::default();
                marks.iter().for_each(|mark| gaps.see(*mark, Break::Space));
                gaps.gap()
            };
            let strongest = marks.iter().copied().fold(Mark::None, Mark::stronger);
            prop_assert_eq!(gap(&marks), Some(strongest));
            marks.reverse();
            prop_assert_eq!(gap(&marks), Some(strongest));
        }

        #[test]
        fn a_line_that_closes_closes_all_its_gaps(marked in prop::collection::vec(any::<bool>(), 0..6)) {
            let reading = Reading::new(Locale::Root, "en", Arrival::Lines);
            let reading = Reading { puts: Some(MarkPlaces::Unmarked), ..reading };
            let mut gaps = GapTracker::default();
            for is_marked in &marked {
                if *is_marked {
                    gaps.see(Mark::Comma, Break::Space);
                }
                let mut words = vec![Token::default(); 3];
                gaps.finish_line(&reading, &mut words);
                let closed = words.iter().filter(|word| word.gap.is_some()).count();
                prop_assert_eq!(closed, if gaps.line.closed == Some(true) { 3 } else { 0 });
                prop_assert!(!is_marked || closed == 3);
                gaps.end_line(true);
            }
        }
    }

    #[test]
    fn what_stands_before_the_first_word_of_a_text_or_line_belongs_to_that_word() {
        let mut gaps = GapTracker::default();
        gaps.see(Mark::Period, Break::Document);
        gaps.see(Mark::Dash, Break::Line);
        assert_eq!(gaps.gap(), None);
        gaps.see(Mark::Question, Break::Line);
        assert_eq!((gaps.gap(), gaps.line.marked), (Some(Mark::Question), false));
    }

    #[test]
    fn an_empty_line_is_no_line_without_marks() {
        let reading = Reading::new(Locale::Root, "en", Arrival::Lines);
        let reading = Reading { puts: Some(MarkPlaces::Unmarked), ..reading };
        let mut gaps = GapTracker::default();
        for _ in 0..2 {
            gaps.see(Mark::Comma, Break::Space);
            gaps.end_line(true);
            gaps.end_line(false);
        }
        gaps.finish_line(&reading, &mut [Token::default()]);
        assert_eq!(gaps.line.closed, Some(true));
    }
}
