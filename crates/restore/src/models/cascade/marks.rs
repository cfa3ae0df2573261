//! The windows of a cascade whose second method decides marks.
//!
//! The first method reads bare words: its certain choices must not depend on the marks of the text,
//! or restoring a text again could change it. Where the text shows a mark that the first method
//! would not insert, the second one decides.

use std::ops::Range;

use super::{CONTEXT, Gathering, MOST, WindowSpan};
use majuscule_text::{Break, Choice, Mark, Token, Tokens};

/// A span of words that one method answers.
struct AnsweredSpan {
    /// The end of the span among the held words.
    to: usize,
    in_doubt: bool,
}

/// A window begins and ends at sentence ends of which the first method is certain. If there is none within [`MOST`]
/// words, it ends where the first method is least in doubt. The first method decides the mark at the end of a window,
/// unless a text ends there, so that no window depends on another window.
impl Gathering {
    /// Returns the next window if it is complete, or if no more words are awaited (`ended`).
    pub(super) fn span_of_marks(&self, ended: bool) -> Option<WindowSpan> {
        let AnsweredSpan { to, in_doubt } = self.span(ended)?;
        let seen = self.held.len().min(to + CONTEXT);
        let is_complete = !in_doubt || ended || seen == to + CONTEXT;
        is_complete.then(|| WindowSpan { to, seen, in_doubt, kept: to.min(CONTEXT) })
    }

    /// Returns the next span of words that one method answers, if its end is known.
    fn span(&self, ended: bool) -> Option<AnsweredSpan> {
        let from = self.answered;
        let words = self.held.as_slice();
        // The mark after a word in the text becomes known with the next word.
        let known = words.len().min(from + self.choices.len());
        let known = if ended { known } else { known.min(words.len().saturating_sub(1)) };
        let mut doubtful: Option<usize> = None;
        let mut in_doubt = false;
        for at in from..known {
            let next = words.get(at + 1);
            let is_doubtful = self.is_doubtful(at, next);
            in_doubt |= is_doubtful;
            let after = at + 1;
            let ends = match next {
                None => true,
                Some(next) => opens(next) || !is_doubtful && self.choice(at).label.mark.ends_sentence(),
            };
            if ends && !in_doubt {
                // The doubtful sentences before this one form a window.
                let to = doubtful.unwrap_or(after);
                return Some(AnsweredSpan { to, in_doubt: doubtful.is_some() });
            }
            if after - from >= MOST {
                return Some(match doubtful {
                    _ if ends => AnsweredSpan { to: after, in_doubt: true },
                    Some(to) => AnsweredSpan { to, in_doubt: true },
                    None => self.cut(from..after),
                });
            }
            if ends {
                (doubtful, in_doubt) = (Some(after), false);
            }
        }
        // A sentence in doubt waits for the next one.
        doubtful.filter(|&to| ended && to == words.len()).map(|to| AnsweredSpan { to, in_doubt: true })
    }

    /// Cuts words that contain no certain sentence end. The cut is in their last third, at the mark
    /// of least doubt.
    fn cut(&self, words: Range<usize>) -> AnsweredSpan {
        let sureness = |at: &usize| self.choice(*at).mark_confidence.unwrap_or(0.0);
        let late = words.start + 2 * words.len() / 3..words.end;
        let at = late.max_by(|one, other| sureness(one).total_cmp(&sureness(other)));
        let to = at.map_or(words.end, |at| at + 1);
        let is_doubtful = |at| self.is_doubtful(at, self.held.as_slice().get(at + 1));
        AnsweredSpan { to, in_doubt: (words.start..to).any(is_doubtful) }
    }

    fn choice(&self, at: usize) -> &Choice {
        &self.choices[at - self.answered]
    }

    /// Returns true if the first method is not certain of a word or of the mark after it, or if the
    /// text contradicts the method.
    fn is_doubtful(&self, at: usize, next: Option<&Token>) -> bool {
        let choice = self.choice(at);
        let mark = choice.label.mark;
        let word = &self.held.as_slice()[at];
        let shows_otherwise = |next: &Token| {
            next.gap.is_some_and(|shown| shown != mark)
                || next.starts && !opens(next) && !mark.ends_sentence()
        };
        self.is_unsure(choice.confidence)
            || self.is_unsure(choice.mark_confidence)
            || word.refused().has(mark)
            || word.opening.is_some_and(|shown| shown != choice.opening)
            || next.is_some_and(shows_otherwise)
    }

    /// Returns the first `seen` words as the second method reads them to answer the words in the
    /// range `words`. The first method inserts the mark `last` after this range. The second method
    /// sees the text's marks inside the range, the first method's marks at both ends of the range,
    /// and no other marks.
    pub(super) fn window_of_marks(&self, words: Range<usize>, seen: usize, last: Mark) -> Tokens {
        let mut tokens = Tokens::new();
        tokens.extend(&self.held, 0..seen);
        for (at, token) in tokens.as_mut_slice().iter_mut().enumerate() {
            let before = match at {
                0 => None,
                at if at == words.start => Some(self.last),
                at if at == words.end => Some(last),
                _ => None,
            };
            if let Some(mark) = before.filter(|_| !opens(token)) {
                if token.gap.is_none() {
                    (token.gap, token.starts) = (Some(mark), token.starts || mark.ends_sentence());
                }
            } else if at < words.start || at > words.end {
                make_bare(token);
            }
        }
        tokens
    }
}

/// Returns true if a word begins a text, or a part that is read as a separate text.
pub(super) fn opens(token: &Token) -> bool {
    token.before >= Break::Turn
}

/// Hides the marks around a word.
pub(super) fn make_bare(token: &mut Token) {
    let starts = opens(token);
    *token = Token { starts, left: None, right: None, gap: None, opening: None, ..token.clone() };
}
