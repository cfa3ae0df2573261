//! Tracks the gap between two words: its mark, its opening mark, and whether other marks can be inserted there.

use super::mark::Mark;
use super::reading::WordReading;
use super::tokens::{Break, Token};

/// The text after the last word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GapTracker {
    /// The text after the last word: see [`Token::gap`].
    gap: Option<Mark>,
    /// The opening after the last word: see [`Token::opening`].
    opening: Mark,
}

impl GapTracker {
    /// Starts a text after another one: the gap after the last word of the other text is before its first word.
    pub(super) fn after(gap: Option<Mark>) -> Self {
        Self { gap, ..Self::default() }
    }

    /// Returns the gap after the last word of the text read so far: see [`Token::gap`].
    pub(super) fn gap(&self) -> Option<Mark> {
        self.gap
    }

    /// Notes a mark after the last word, or [`Mark::None`] for anything else there. At the
    /// beginning of a line, a dash before speech, a quote or a bracket belongs to the next word
    /// alone, and so does anything at the beginning of a text.
    #[inline]
    pub(super) fn see(&mut self, mark: Mark, before: Break) {
        match mark {
            _ if before == Break::Document => {}
            Mark::None | Mark::Dash if before >= Break::Line => {}
            mark => self.gap = Some(self.gap.map_or(mark, |gap| gap.stronger(mark))),
        }
    }

    /// Notes text that is neither a mark nor a word with a case.
    pub(super) fn pass(&mut self, before: Break) {
        if before < Break::Document {
            self.gap.get_or_insert(Mark::None);
        }
    }

    /// Notes the opening marks in `marks`, and returns true if these are the only marks.
    pub(super) fn see_openings(&mut self, reading: &WordReading, marks: &str) -> bool {
        marks.chars().for_each(|c| self.opening = self.opening.stronger(Mark::opened_by(c)));
        marks.chars().all(|c| reading.is_opening(c))
    }

    /// Returns the mark right before a word; `before` is the text before the word in its run. Where marks are
    /// inserted, opening marks are noted but do not count, so that a word with an opening mark is read like a word
    /// without.
    #[inline]
    pub(super) fn left_of(&mut self, reading: &WordReading, before: &str) -> Option<char> {
        let is_mark = |c: &char| !c.is_alphanumeric() && !c.is_whitespace();
        let left = before.chars().next_back().filter(is_mark)?;
        if !reading.sees_openings() || before.is_ascii() {
            return Some(left);
        }
        self.see_openings(reading, &before[before.trim_end_matches(|c| is_mark(&c)).len()..]);
        before.trim_end_matches(|c| reading.is_opening(c)).chars().next_back().filter(is_mark)
    }

    /// Removes and returns the opening before a word.
    #[inline]
    pub(super) fn take_opening(&mut self) -> Mark {
        std::mem::take(&mut self.opening)
    }

    /// Records in `token` the gap before the word, and closes a gap into which no mark can be inserted. `line`
    /// contains the words before it on the line, `opening` is the opening mark before it, and `is_closed` is true if
    /// no other opening mark can be inserted there.
    #[inline]
    pub(super) fn begin_word(
        &mut self,
        reading: &WordReading,
        token: &mut Token,
        (word, has_apostrophe): (&str, bool),
        (opening, is_closed): (Mark, bool),
        line: &mut [Token],
    ) {
        if reading.sees_openings() {
            if opening != Mark::None && !reading.is_live() {
                // If a line has an opening mark, no other one is inserted before it.
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
        // No mark can be inserted inside a run, even if only an opening mark is there: `a¿b`.
        token.gap = self.gap.take().or((token.before == Break::None).then_some(Mark::None));
    }

    /// Closes the gap after the last word, whatever it contains.
    pub(super) fn close(&mut self) {
        self.gap = Some(Mark::None);
    }

    /// Closes the gap after the last word, unless it has a mark.
    pub(super) fn close_open(&mut self) {
        self.gap.get_or_insert(Mark::None);
    }

    /// Ends a speaker label, whose marks do not belong to the text. If the label has no words, the gap is the one
    /// before the label, from the state `before`.
    pub(super) fn end_label(&mut self, before: &Self, has_words: bool) {
        self.gap = if has_words { Some(Mark::None) } else { before.gap };
    }
}

/// Returns true if an opening can be inserted between a mark and the word after it. A dash before a number
/// is a minus, which the opening would separate from its number.
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
    }

    #[test]
    fn what_stands_before_the_first_word_of_a_text_or_line_belongs_to_that_word() {
        let mut gaps = GapTracker::default();
        gaps.see(Mark::Period, Break::Document);
        gaps.see(Mark::Dash, Break::Line);
        assert_eq!(gaps.gap(), None);
        gaps.see(Mark::Question, Break::Line);
        assert_eq!(gaps.gap(), Some(Mark::Question));
    }
}
