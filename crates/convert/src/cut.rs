//! Cuts timed words into cues and lines at the lowest cost.
//!
//! The cost of a cut has several parts: the junctures at which cues and lines end, the lengths of cues and lines, and
//! the time to read a cue. Dynamic programming over the words of a turn finds the best cut, in time linear in the
//! number of words, since a cue holds a limited number of words.

use std::ops::Range;

use majuscule_base::error::Result;
use majuscule_base::interrupt::Interrupt;

use crate::limits::CueLimits;

/// A word with the properties that the cut needs, and the juncture after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CutWord {
    /// The number of characters.
    pub(crate) chars: usize,
    /// The beginning and the end, in milliseconds; words begin in order.
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) after: Juncture,
}

/// The juncture between a word and the next one. The best position for a cut comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Juncture {
    /// The end of a sentence.
    Sentence,
    /// A colon, a semicolon, a dash or an ellipsis.
    Clause,
    Comma,
    /// A conjunction comes next, or a bracket opens.
    Conjunction,
    /// An article or a preposition begins a phrase.
    Phrase,
    Plain,
    /// Words that belong together: a pronoun and its verb, the parts of a name, a number and its
    /// unit.
    Close,
    /// An article, a preposition or a conjunction belongs to the words after it.
    Bound,
}

impl Juncture {
    /// Returns the cost of ending a cue here.
    fn cue_cost(self) -> u64 {
        [0, 25, 40, 45, 80, 100, 150, 400][self as usize]
    }

    /// Returns the cost of ending a line here.
    fn line_cost(self) -> u64 {
        [0, 4, 6, 10, 17, 22, 45, 200][self as usize]
    }
}

/// The cost of each cue, which keeps the number of cues low.
const CUE: u64 = 20;
/// The additional cost of a full cue over an empty one: cues of similar length are best.
const FULL: u64 = 40;
/// The cost of a sentence that ends inside a cue.
const SENTENCE_INSIDE: u64 = 30;
/// The longest pause inside a cue without a cost, in milliseconds, and the number of milliseconds beyond it per unit
/// of cost.
const PAUSE_INSIDE: (u64, u64) = (400, 8);
/// The pause in milliseconds after which a cue may end as after a punctuation mark.
const LONG_PAUSE: u64 = 1000;
/// The cost of lines whose lengths differ by a full line, and of a last line shorter than the first.
const UNEVEN: u64 = 40;
const TOP_HEAVY: u64 = 3;
/// The cost of a cue that is shown for no time, and the largest cost of too little reading time.
const SHORT: u64 = 60;
const FAST: u64 = 120;
/// The number of characters below which a cue that is not a whole sentence has a cost, and the cost at 0 characters.
/// The cost falls linearly in between.
const SCRAP: (u64, u64) = (20, 40);
/// The cost of a word that is longer than a line.
const TOO_LONG: u64 = 10_000;

/// A cue: its words, and the words after which a line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CutCue {
    pub(crate) words: Range<usize>,
    pub(crate) breaks: Vec<usize>,
}

/// A turn that is cut into cues.
#[derive(Debug)]
pub(crate) struct TurnCut<'a> {
    words: &'a [CutWord],
    limits: &'a CueLimits,
    /// The time at which something else begins after the turn.
    until: Option<u64>,
    /// For each word, the number of characters before it and the cost of the sentence ends and pauses before it.
    chars: Vec<usize>,
    inside: Vec<u64>,
}

impl<'a> TurnCut<'a> {
    pub(crate) fn new(words: &'a [CutWord], until: Option<u64>, limits: &'a CueLimits) -> Self {
        let (mut chars, mut inside) = (vec![0], vec![0]);
        for (at, word) in words.iter().enumerate() {
            let sentence = if word.after == Juncture::Sentence { SENTENCE_INSIDE } else { 0 };
            let pause = words.get(at + 1).map_or(0, |next| next.begin.saturating_sub(word.end));
            let (free, per) = PAUSE_INSIDE;
            chars.push(chars[at] + word.chars);
            inside.push(inside[at] + sentence + pause.saturating_sub(free) / per);
        }
        Self { words, limits, until, chars, inside }
    }

    /// Returns the cut with the lowest cost; of several such cuts, the cut with longer cues first.
    ///
    /// # Errors
    /// Fails once the flag is set.
    pub(crate) fn best(&self, interrupt: &Interrupt) -> Result<Vec<CutCue>> {
        // The cost of the words from each word on, and the end of their first cue.
        let count = self.words.len();
        let mut best = vec![(0, count); count + 1];
        let mut layout = LineLayout::default();
        for start in (0..count).rev() {
            interrupt.check()?;
            let mut least = (u64::MAX, start + 1);
            for (end, (rest, _)) in best.iter().enumerate().skip(start + 1) {
                if end > start + 1 && self.is_full(start, end) {
                    break;
                }
                let Some(cost) = self.cost(start..end, &mut layout) else { continue };
                let cost = cost.saturating_add(*rest);
                if cost <= least.0 {
                    least = (cost, end);
                }
            }
            best[start] = least;
        }
        let mut cues = Vec::new();
        let mut start = 0;
        while start < count {
            let words = start..best[start].1;
            start = words.end;
            let breaks = match self.lines(&words, &mut layout) {
                Some(_) => layout.breaks(),
                None => Vec::new(),
            };
            cues.push(CutCue { words, breaks });
        }
        Ok(cues)
    }

    /// Returns the number of characters of words in a row, with one space between two.
    fn len(&self, start: usize, end: usize) -> usize {
        self.chars[end] - self.chars[start] + (end - start).saturating_sub(1)
    }

    /// Returns true if no cue that begins with the word `start` can hold the words before `end`.
    fn is_full(&self, start: usize, end: usize) -> bool {
        let CueLimits { max_chars, max_lines, .. } = *self.limits;
        self.len(start, end) > (max_chars + 1) * max_lines
            || self.natural_end(end) - self.words[start].begin > self.limits.max_milliseconds()
    }

    /// Returns the time at which the speech of the words before `end` ends.
    fn natural_end(&self, end: usize) -> u64 {
        let next = self.words.get(end).map_or(u64::MAX, |next| next.begin);
        self.words[end - 1].end.min(next)
    }

    /// Returns the cost of a cue; `None` if its words do not fit.
    fn cost(&self, words: Range<usize>, layout: &mut LineLayout) -> Option<u64> {
        let is_word = words.len() == 1;
        let lines = match self.lines(&words, layout) {
            None if is_word => TOO_LONG,
            None => return None,
            Some(cost) => cost,
        };
        let last = self.words[words.end - 1];
        let is_last = words.end == self.words.len();
        let chars = self.len(words.start, words.end);
        let room = match self.words.get(words.end) {
            Some(next) => Some(next.begin),
            None => self.until,
        };
        let pause = room.map_or(LONG_PAUSE, |room| room.saturating_sub(last.end)).min(LONG_PAUSE);
        let end =
            if is_last { 0 } else { last.after.cue_cost() * (5 * LONG_PAUSE - 4 * pause) / (5 * LONG_PAUSE) };
        let begin = self.words[words.start].begin;
        let shown = self.limits.shown(begin, self.natural_end(words.end), room, chars) - begin;
        let begins = words.start == 0 || self.words[words.start - 1].after == Juncture::Sentence;
        let is_whole = begins && (is_last || last.after == Juncture::Sentence);
        let scrap = if is_whole { 0 } else { SCRAP.0.saturating_sub(chars as u64) * SCRAP.1 / SCRAP.0 };
        // The number of characters of a full cue.
        let capacity = self.limits.max_chars * self.limits.max_lines;
        let fraction = (FULL * (chars * chars) as u64) / (capacity * capacity) as u64;
        let inside = self.inside[words.end - 1] - self.inside[words.start];
        Some(CUE + lines + end + inside + scrap + fraction + self.time_cost(shown, chars as u64))
    }

    /// Returns the cost of showing a cue for the time `shown`.
    fn time_cost(&self, shown: u64, chars: u64) -> u64 {
        let least = self.limits.min_milliseconds();
        let short = (SHORT * least.saturating_sub(shown)).checked_div(least).unwrap_or(0);
        let needed = self.limits.milliseconds_to_read(chars as usize);
        let fast = match shown {
            0 => FAST,
            _ => (SHORT * needed.saturating_sub(shown) / shown).min(FAST),
        };
        short + fast
    }

    /// Breaks words into the fewest lines that hold them, and returns the cost; `None` if they do not fit.
    fn lines(&self, words: &Range<usize>, layout: &mut LineLayout) -> Option<u64> {
        let max = self.limits.max_chars;
        let total = self.len(words.start, words.end);
        layout.count = 0;
        if total <= max {
            return Some(0);
        }
        let count = self.fewest_lines(words)?;
        let (start, ideal) = (words.start, total / count);
        let uneven = |line: Range<usize>| {
            let len = self.len(line.start, line.end);
            (len <= max).then(|| (UNEVEN * len.abs_diff(ideal) as u64) / max as u64)
        };
        layout.begin(words, count);
        for line in 1..=count {
            // The first line begins with the first word, and the last line ends with the last word.
            let begins = if line == 1 { start..start + 1 } else { start + line - 1..words.end };
            let ends = if line == count { words.end..words.end + 1 } else { start + line..words.end };
            for end in ends {
                let after = if end == words.end { 0 } else { self.words[end - 1].after.line_cost() };
                let mut least: Option<(u64, usize)> = None;
                for from in (begins.start..begins.end.min(end)).rev() {
                    let Some(own) = uneven(from..end) else { break };
                    let Some(cost) = layout.cost(line - 1, from) else { continue };
                    let top = line == count && self.len(from, end) < ideal;
                    let cost = cost + own + after + if top { TOP_HEAVY } else { 0 };
                    if least.is_none_or(|(least, _)| cost < least) {
                        least = Some((cost, from));
                    }
                }
                if line == 1 && least.is_none() {
                    break;
                }
                let at = layout.at(line, end);
                layout.rows[at] = least;
            }
        }
        layout.cost(count, words.end)
    }

    /// Returns the smallest number of lines that hold words; `None` if they do not fit.
    fn fewest_lines(&self, words: &Range<usize>) -> Option<usize> {
        let (mut lines, mut start) = (1, words.start);
        for end in words.start + 1..=words.end {
            if self.len(start, end) > self.limits.max_chars {
                (lines, start) = (lines + 1, end - 1);
                if lines > self.limits.max_lines || self.len(start, end) > self.limits.max_chars {
                    return None;
                }
            }
        }
        Some(lines)
    }
}

/// The best lines of a cue: for each number of lines and each end, the cost and the end of the previous line. The
/// memory is reused for all cues.
#[derive(Debug, Default)]
struct LineLayout {
    words: Range<usize>,
    /// The number of lines, if words need more than one.
    count: usize,
    rows: Vec<Option<(u64, usize)>>,
}

impl LineLayout {
    /// Starts the lines of words.
    fn begin(&mut self, words: &Range<usize>, count: usize) {
        (self.words, self.count) = (words.clone(), count);
        self.rows.clear();
        self.rows.resize(count * words.len(), None);
    }

    /// Returns the index in `rows` of the best `line` lines that end at `end`.
    fn at(&self, line: usize, end: usize) -> usize {
        (line - 1) * self.words.len() + end - self.words.start - 1
    }

    /// Returns the cost of the words before `end` in this many lines; `None` if they do not fit.
    fn cost(&self, lines: usize, end: usize) -> Option<u64> {
        if lines == 0 { Some(0) } else { self.rows[self.at(lines, end)].map(|(cost, _)| cost) }
    }

    /// Returns the words after which a line ends, in order.
    fn breaks(&self) -> Vec<usize> {
        let mut breaks = Vec::new();
        let mut end = self.words.end;
        for line in (2..=self.count).rev() {
            let Some((_, from)) = self.rows[self.at(line, end)] else { break };
            breaks.push(from - 1);
            end = from;
        }
        breaks.reverse();
        breaks
    }
}

#[cfg(test)]
mod tests {
    use majuscule_base::error::Error;
    use proptest::prelude::*;

    use super::*;

    /// Returns the least cost of all cuts of the words from `start` on.
    fn least(cut: &TurnCut<'_>, start: usize) -> u64 {
        let count = cut.words.len();
        let costs = (start + 1..=count).filter_map(|end| {
            let cost = cut.cost(start..end, &mut LineLayout::default())?;
            let limits = cut.limits;
            let fits = end == start + 1
                || cut.natural_end(end) - cut.words[start].begin <= limits.max_milliseconds();
            fits.then(|| cost.saturating_add(if end == count { 0 } else { least(cut, end) }))
        });
        costs.min().unwrap_or(0)
    }

    /// Returns the least cost of all ways to break words into lines, the fewest that hold them.
    fn least_lines(cut: &TurnCut<'_>, words: &Range<usize>) -> Option<u64> {
        let max = cut.limits.max_chars;
        let total = cut.len(words.start, words.end);
        let positions: Vec<usize> = (words.start + 1..words.end).collect();
        let mut found: Option<(usize, u64)> = None;
        for chosen in 0..1u32 << positions.len() {
            let mut ends: Vec<usize> = positions
                .iter()
                .enumerate()
                .filter(|(bit, _)| chosen >> bit & 1 == 1)
                .map(|(_, at)| *at)
                .collect();
            ends.push(words.end);
            if ends.len() > cut.limits.max_lines {
                continue;
            }
            let (count, mut start, mut cost, mut fits) = (ends.len(), words.start, 0, true);
            for end in ends {
                let len = cut.len(start, end);
                fits &= len <= max;
                if total > max {
                    let ideal = total / count;
                    cost += UNEVEN * len.abs_diff(ideal) as u64 / max as u64;
                    cost += if end == words.end { 0 } else { cut.words[end - 1].after.line_cost() };
                    cost += if end == words.end && len < ideal { TOP_HEAVY } else { 0 };
                }
                start = end;
            }
            if fits && found.is_none_or(|found| (count, cost) < found) {
                found = Some((count, cost));
            }
        }
        found.map(|(_, cost)| cost)
    }

    fn words() -> impl Strategy<Value = Vec<CutWord>> {
        let juncture = prop_oneof![
            Just(Juncture::Sentence),
            Just(Juncture::Comma),
            Just(Juncture::Conjunction),
            Just(Juncture::Plain),
            Just(Juncture::Bound),
        ];
        let word = (1usize..14, 0u64..3000, 0u64..1500, juncture);
        proptest::collection::vec(word, 1..9).prop_map(|words| {
            let mut begin = 0;
            let word = |(chars, pause, len, after)| {
                begin += pause;
                CutWord { chars, begin, end: begin + len, after }
            };
            words.into_iter().map(word).collect()
        })
    }

    proptest! {
        #[test]
        fn no_other_cut_costs_less(words in words(), max_chars in 10usize..24, max_lines in 1usize..4) {
            let limits = CueLimits { max_chars, max_lines, ..CueLimits::default() };
            let cut = TurnCut::new(&words, None, &limits);
            let mut layout = LineLayout::default();
            let cost = |cue: &CutCue| cut.cost(cue.words.clone(), &mut LineLayout::default());
            let cues = cut.best(&Interrupt::default()).unwrap();
            let sum: Option<u64> = cues.iter().map(cost).sum();
            prop_assert_eq!(sum, Some(least(&cut, 0)));
            for cue in &cues {
                prop_assert_eq!(cut.lines(&cue.words, &mut layout), least_lines(&cut, &cue.words));
            }
        }
    }

    #[test]
    fn a_cut_stops_at_its_flag() {
        let words = [CutWord { chars: 3, begin: 0, end: 500, after: Juncture::Plain }; 9];
        let limits = CueLimits::default();
        let (cut, interrupt) = (TurnCut::new(&words, None, &limits), Interrupt::new());
        assert_eq!(cut.best(&interrupt).unwrap().len(), 1);
        interrupt.set();
        assert!(matches!(cut.best(&interrupt), Err(Error::Interrupted)));
    }

    #[test]
    fn a_sum_of_costs_for_the_pencil() {
        // "the maps of lisbon" in lines of 10: `the maps` and `of lisbon`, of 8 and 9 characters,
        // with 18 / 2 = 9 as the ideal: 40 * 1 / 10 + 0 + 22 for a plain break.
        let word = |chars, begin, after| CutWord { chars, begin, end: begin + 500, after };
        let words = [
            word(3, 0, Juncture::Bound),
            word(4, 500, Juncture::Plain),
            word(2, 1000, Juncture::Bound),
            word(6, 1500, Juncture::Sentence),
        ];
        let limits = CueLimits { max_chars: 10, ..CueLimits::default() };
        let cut = TurnCut::new(&words, None, &limits);
        let mut layout = LineLayout::default();
        assert_eq!(cut.lines(&(0..4), &mut layout), Some(4 + 22));
        assert_eq!(layout.breaks(), [1]);
        // Shown for 2 s, 9 characters a second: 20 for the cue, 26 for its lines, and
        // 40 * 18 * 18 / (20 * 20) = 32 for its length.
        assert_eq!(cut.cost(0..4, &mut layout), Some(20 + 26 + 32));
        assert_eq!(cut.best(&Interrupt::default()).unwrap(), [CutCue { words: 0..4, breaks: vec![1] }]);
    }
}
