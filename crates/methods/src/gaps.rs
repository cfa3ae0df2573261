//! The gaps between words, for methods that insert punctuation: reads the evidence of the text in a gap,
//! and chooses a punctuation mark by its odds.

use serde::{Deserialize, Serialize};

use majuscule_text::restorer::Request;
use majuscule_text::sentence_tracker::continues_sentence;
use majuscule_text::{Break, Mark, MarkSet, Token};

/// The costs of punctuation marks: the higher the costs, the fewer marks are inserted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MarkCosts {
    /// The cost of a superfluous mark inside a sentence relative to the cost of a missing one.
    pub mark_cost: f32,
    /// The cost of a superfluous end of a sentence relative to the cost of a missing one.
    pub end_cost: f32,
}

impl Default for MarkCosts {
    fn default() -> Self {
        Self { mark_cost: 1.0, end_cost: 1.0 }
    }
}

/// The gap before a word, as a method that inserts punctuation sees it. The punctuation marks of the
/// text are constraints and not context, so inserted marks and marks of the text lead to the same
/// choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShownGap {
    /// The mark in the gap: see [`Token::gap`].
    pub mark: Option<Mark>,
    /// True if the mark is not in the text, but a sentence begins at the word.
    pub is_forced: bool,
    /// True if a sentence ends with the mark: an ellipsis does not end one, nor does a quoted question
    /// after which reported speech continues.
    pub ends: bool,
    /// True if the word opens a text, or a segment that counts as a text, and therefore also a sentence.
    pub opens: bool,
}

impl ShownGap {
    /// Returns the gap before a token; `starts` is true if a sentence is known to begin at the token.
    pub fn before(token: &Token, starts: bool) -> Self {
        let continues = token.left.is_some_and(continues_sentence);
        let opens = matches!(token.before, Break::Document | Break::Turn | Break::Paragraph) && !continues;
        let mark = match token.gap {
            _ if opens => None,
            Some(_) if continues => Some(Mark::None),
            // No mark is inserted after a label, and methods treat the label like a clause before a
            // colon.
            Some(Mark::None) if starts && !token.is_label && !token.after_clitic => Some(Mark::Colon),
            gap => gap.or(starts.then_some(Mark::Period)),
        };
        // If a sentence starts with a clitic, the next word also starts it, without a mark between them.
        let ends = mark.is_some() && starts && !continues && !token.after_clitic;
        Self { mark, is_forced: starts && token.gap.is_none(), ends, opens }
    }
}

/// Returns the most probable punctuation mark in a gap after the costs are applied, and its probability
/// if the request needs it. The result is one of the requested marks. `odds` are relative to no mark,
/// and `is_last` is true if a sentence certainly ends in the gap. The end of a sentence is decided
/// first, and then its mark, which `settle` may change. A mark in `refused` counts as no mark.
pub fn likeliest_mark(
    odds: impl Iterator<Item = (Mark, f32)> + Clone,
    costs: MarkCosts,
    is_last: bool,
    refused: MarkSet,
    request: &Request,
    settle: impl Fn(Mark) -> Mark,
) -> (Mark, Option<f32>) {
    let mut ends = 0.0;
    let [mut inside, mut end] = [(Mark::None, 0.0); 2];
    for (mark, fraction) in odds.clone() {
        let best = if mark.ends_sentence() { &mut end } else { &mut inside };
        if fraction > best.1 {
            *best = (mark, fraction);
        }
        if mark.ends_sentence() {
            ends += fraction;
        }
    }
    let [inside_weight, end_weight] = [inside.1 / costs.mark_cost, ends / costs.end_cost];
    let mark = match () {
        () if is_last || end_weight > inside_weight.max(1.0) => end.0,
        () if inside_weight > 1.0 => inside.0,
        () => Mark::None,
    };
    let put = |mark: Mark| settle(mark).within(request.marks);
    let mark = Some(put(mark)).filter(|mark| !refused.has(*mark)).unwrap_or_default();
    // At a certain end, the probabilities of the end marks add up to 1.
    let none = (Mark::None, if is_last && ends > 0.0 { 0.0 } else { 1.0 });
    let possible = || {
        let fractions = odds.clone().filter(|(mark, _)| !is_last || mark.ends_sentence());
        std::iter::once(none).chain(fractions)
    };
    let sum = |mark| {
        let same = possible().filter(|(other, _)| put(*other) == mark);
        same.map(|(_, fraction)| fraction).sum::<f32>()
            / possible().map(|(_, fraction)| fraction).sum::<f32>()
    };
    request.decided(mark, sum)
}
