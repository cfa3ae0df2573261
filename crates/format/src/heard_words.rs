//! The words that a recogniser heard in a segment, matched with the text of the segment.
//!
//! The text may have punctuation, capitals and numbers that the words lack, and either side may lack some words. Only
//! letters and digits are compared, in lower case.

use std::ops::Range;

use super::envelope::PUNCTUATED;
use super::json;
use super::segment::{Segment, SegmentWord, Time};

/// The largest number of words of the list and of the text, taken together, that are skipped to find a position where
/// both agree again.
const AHEAD: usize = 100;

/// The largest number of parts of one word of the text.
const MAX_PARTS: usize = 64;

impl Segment {
    /// Assigns each word of the text the times of the word that was heard at its position. The words of the segment
    /// become the words of the text. A word that was not heard, or whose time is missing or cannot be right, gets a
    /// fraction of the time between its neighbours. Nothing changes if no word of the text was heard.
    pub fn fit_words(&mut self) {
        if self.words.is_empty() {
            return;
        }
        let visible = |c: &char| !c.is_whitespace();
        let heard = self.words.iter().flat_map(|word| word.text.chars()).filter(visible);
        if !heard.eq(self.text.chars().filter(visible)) {
            let chars: Vec<char> = self.text.chars().collect();
            let positions = positions(&chars, &self.words);
            if positions.iter().all(Option::is_none) {
                return;
            }
            let words = std::mem::take(&mut self.words);
            self.words = cut(&chars, words.into_iter().zip(positions));
        }
        clear_outliers(&mut self.words);
        fill_times(&mut self.words, self.begin, self.end);
    }
}

/// Finds words in a text. Returns the range of characters of each word, from its first letter to its last; `None` for
/// a word that is not found or has no letters.
pub(super) fn positions(text: &[char], words: &[SegmentWord]) -> Vec<Option<Range<usize>>> {
    let text = TextLetters::of(text);
    let words: Vec<Vec<char>> = words.iter().map(|word| letters(&spelled(word))).collect();
    let mut found = vec![None; words.len()];
    let (mut at, mut word) = (0, 0);
    while word < words.len() {
        if let Some((to, next)) = text.agree(at, &words, word) {
            for part in word..next {
                let end = at + words[part].len();
                if end > at {
                    found[part] = Some(text.letters[at].1..text.letters[end - 1].1 + 1);
                }
                at = end;
            }
            (at, word) = (to, next);
        } else if let Some((to, next)) = text.resume(at, &words, word) {
            (at, word) = (to, next);
        } else {
            word += 1;
        }
    }
    found
}

/// Returns the spelling of a word: with punctuation if the list has such a spelling.
fn spelled(word: &SegmentWord) -> String {
    let marked = word.other.iter().find(|(name, _)| name == PUNCTUATED);
    marked.and_then(|(_, raw)| json::text(raw)).unwrap_or_else(|| word.text.clone())
}

/// Returns the letters and digits of a word in lower case.
fn letters(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

/// The letters and digits of a text.
struct TextLetters {
    /// Each letter in lower case, with the number of its character.
    letters: Vec<(char, usize)>,
    /// The numbers of the letters at which a word may begin.
    begins: Vec<usize>,
}

impl TextLetters {
    fn of(text: &[char]) -> Self {
        let small = |(at, c): (usize, &char)| {
            let letters = c.to_lowercase().filter(|c| c.is_alphanumeric());
            letters.map(move |c| (c, at)).collect::<Vec<_>>()
        };
        let letters: Vec<(char, usize)> = text.iter().enumerate().flat_map(small).collect();
        // Scripts without spaces have no case either: each of their letters may begin a word.
        let is_alone = |c: char| !(c.is_lowercase() || c.is_numeric());
        let begins = |at: &usize| match at.checked_sub(1).map(|before| (letters[before], letters[*at])) {
            None => true,
            Some(((before, from), (c, to))) => to > from + 1 || to > from && is_alone(before) && is_alone(c),
        };
        let begins = (0..letters.len()).filter(begins).collect();
        Self { letters, begins }
    }

    /// Returns the next positions in the text and in the words if the next word, or the next few words as parts of
    /// one, are at letter `at`. A word without letters matches anywhere.
    fn agree(&self, mut at: usize, words: &[Vec<char>], first: usize) -> Option<(usize, usize)> {
        for (nth, word) in words.iter().enumerate().skip(first).take(MAX_PARTS) {
            let rest = &self.letters[at..];
            if rest.len() < word.len() || !rest.iter().zip(word).all(|((a, _), b)| a == b) {
                return None;
            }
            at += word.len();
            if at == self.letters.len() || self.begins.binary_search(&at).is_ok() {
                return Some((at, nth + 1));
            }
        }
        None
    }

    /// Returns the nearest position from which the text and the words agree again for two words, or up to the end of
    /// one of them.
    fn resume(&self, at: usize, words: &[Vec<char>], word: usize) -> Option<(usize, usize)> {
        let from = self.begins.partition_point(|begin| *begin < at);
        let begin = |skipped: usize| self.begins.get(from + skipped).copied();
        (1..=AHEAD).find_map(|sum| {
            let pairs = (0..=sum).filter_map(|skipped| Some((begin(skipped)?, word + sum - skipped)));
            let mut pairs = pairs.filter(|(at, word)| {
                words.get(*word).is_some_and(|word| !word.is_empty()) && *at < self.letters.len()
            });
            pairs.find(|&(at, word)| {
                let is_end = |at: usize, word: usize| at == self.letters.len() || word == words.len();
                self.agree(at, words, word)
                    .is_some_and(|(to, next)| is_end(to, next) || self.agree(to, words, next).is_some())
            })
        })
    }
}

/// Splits a text into words. Text at the position of a word gets the times of the word, and the text between such
/// positions becomes words without times. Punctuation belongs to the word before it, up to the next white space.
fn cut(text: &[char], words: impl Iterator<Item = (SegmentWord, Option<Range<usize>>)>) -> Vec<SegmentWord> {
    let mut out: Vec<SegmentWord> = Vec::new();
    let mut done = 0;
    for (mut word, position) in words {
        let Some(position) = position else { continue };
        word.other.retain(|(name, _)| name != PUNCTUATED);
        let from = cut_between(text, done..position.start, &mut out);
        out.push(SegmentWord { text: text[from..position.end].iter().collect(), ..word });
        done = position.end;
    }
    let from = cut_between(text, done..text.len(), &mut out);
    if let Some(last) = out.last_mut() {
        last.text.extend(&text[from..]);
    }
    out
}

/// Appends the words of a part of a text in which no word has a position. Returns the beginning of the next word,
/// including the white space and punctuation before it.
fn cut_between(text: &[char], part: Range<usize>, out: &mut Vec<SegmentWord>) -> usize {
    let mut from = part.start;
    if let Some(last) = out.last_mut() {
        let marks = text[part.clone()].iter().take_while(|c| !c.is_whitespace() && !c.is_alphanumeric());
        from += marks.count();
        last.text.extend(&text[part.start..from]);
    }
    let mut has_letters = false;
    let begin = from;
    for at in begin..part.end {
        if has_letters && text[at].is_whitespace() {
            out.push(SegmentWord { text: text[from..at].iter().collect(), ..SegmentWord::default() });
            (from, has_letters) = (at, false);
        }
        has_letters |= text[at].is_alphanumeric();
    }
    if has_letters {
        out.push(SegmentWord { text: text[from..part.end].iter().collect(), ..SegmentWord::default() });
        from = part.end;
    }
    from
}

/// Clears times that cannot be right: an end before the beginning, and begin times far out of the order that nearly
/// all words have.
fn clear_outliers(words: &mut [SegmentWord]) {
    for word in &mut *words {
        if let (Some(begin), Some(end)) = (word.begin, word.end)
            && end < begin
        {
            (word.begin, word.end) = (None, None);
        }
    }
    let timed: Vec<(usize, Time)> =
        words.iter().enumerate().filter_map(|(at, word)| Some((at, word.begin?))).collect();
    let kept = longest_in_order(&timed);
    let (mut before, mut rest, mut wrong) = (None::<Time>, &kept[..], Vec::new());
    for (at, begin) in &timed {
        if rest.first() == Some(at) {
            (before, rest) = (Some(*begin), &rest[1..]);
            continue;
        }
        let after = rest.first().and_then(|&next| words[next].begin);
        let late =
            before.and_then(|before| before.since(*begin)).max(after.and_then(|after| begin.since(after)));
        if late.is_some_and(|late| late.milliseconds() > SLACK) {
            wrong.push(*at);
        }
    }
    if wrong.len() <= 1 + timed.len() / MOST_WRONG {
        wrong.into_iter().for_each(|at| (words[at].begin, words[at].end) = (None, None));
    }
}

/// The time in milliseconds by which a word may begin out of order: recognisers are not more exact.
const SLACK: u64 = 500;

/// One word in this many, and one more, may be out of order. If there are more, the words are not in chronological
/// order, and no begin time is cleared.
const MOST_WRONG: usize = 10;

/// Returns the indices of the longest subsequence of words that begin in order.
fn longest_in_order(timed: &[(usize, Time)]) -> Vec<usize> {
    // The last word of the best subsequence of each length, and the word before each word in its subsequence.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for (nth, (_, begin)) in timed.iter().enumerate() {
        let len = ends.partition_point(|&end| timed[end].1 <= *begin);
        before.push(len.checked_sub(1).map(|last| ends[last]));
        match ends.get_mut(len) {
            Some(end) => *end = nth,
            None => ends.push(nth),
        }
    }
    let mut row: Vec<usize> =
        std::iter::successors(ends.last().copied(), |&nth| before[nth]).map(|nth| timed[nth].0).collect();
    row.reverse();
    row
}

/// Divides the time between timed words among the words without times, by character count. The times of the segment
/// replace missing limits. If no word has a time, nothing changes.
fn fill_times(words: &mut [SegmentWord], begin: Option<Time>, end: Option<Time>) {
    if words.iter().all(|word| word.begin.is_none() && word.end.is_none()) {
        return;
    }
    let mut at = 0;
    while at < words.len() {
        let is_open = |word: &SegmentWord| word.begin.is_none() && word.end.is_none();
        let to = at + words[at..].iter().take_while(|word| is_open(word)).count();
        let after = match words.get(to) {
            Some(next) => next.begin.or(next.end),
            None => end,
        };
        let before = match at.checked_sub(1).map(|last| &words[last]) {
            Some(last) => last.end.filter(|end| after.is_none_or(|after| *end <= after)).or(last.begin),
            None => begin,
        };
        if to == at {
            let next = words.get(at + 1).map_or(end, |next| next.begin);
            let word = &mut words[at];
            word.begin = word.begin.or(before.filter(|before| Some(*before) <= word.end));
            word.end = word.end.or(next.filter(|next| Some(*next) >= word.begin));
            at += 1;
            continue;
        }
        if let (Some(before), Some(after)) = (before, after)
            && let Some(time) = after.since(before)
        {
            divide_time(&mut words[at..to], before, time);
        }
        at = to;
    }
}

/// Divides a time among words by character count.
fn divide_time(words: &mut [SegmentWord], begin: Time, time: Time) {
    let count = |word: &SegmentWord| word.text.chars().filter(|c| !c.is_whitespace()).count() as u64;
    let total: u64 = words.iter().map(count).sum();
    let at = |said: u64| begin.after(time.scaled(said, total.max(1))?);
    let mut said = 0;
    for word in words {
        word.begin = at(said);
        said += count(word);
        word.end = at(said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heard(words: &[(&str, &str)]) -> Vec<SegmentWord> {
        let word = |&(text, times): &(&str, &str)| {
            let (begin, end) = times.split_once('-').unwrap_or((times, ""));
            SegmentWord {
                text: text.into(),
                begin: Time::parse(begin),
                end: Time::parse(end),
                ..SegmentWord::default()
            }
        };
        words.iter().map(word).collect()
    }

    /// Returns the words of a text with their times, after these were heard from 0 to 10 s.
    fn fitted(text: &str, words: &[(&str, &str)]) -> Vec<String> {
        let (begin, end) = (Time::parse("0"), Time::parse("10"));
        let mut segment =
            Segment { text: text.into(), words: heard(words), begin, end, ..Segment::default() };
        segment.fit_words();
        let time = |time: Option<Time>| time.map_or("?".to_owned(), |time| time.seconds(0));
        segment
            .words
            .iter()
            .map(|word| format!("{}|{}-{}", word.text, time(word.begin), time(word.end)))
            .collect()
    }

    #[test]
    fn a_word_of_the_text_has_the_times_of_the_word_that_was_heard() {
        let words = [("so", "1-2"), ("we", "2-3"), ("met", "7-8")];
        assert_eq!(fitted("So, we met!", &words), ["So,|1-2", " we|2-3", " met!|7-8"]);
        assert_eq!(fitted("“So” … we (met).", &words), ["“So”|1-2", " … we|2-3", " (met).|7-8"]);
        let parts = [(" so", "1-2"), (" w", "2-2.5"), ("e", "2.5-3"), (",", "3-3"), ("met", "7-8")];
        assert_eq!(fitted("So we met.", &parts), ["So|1-2", " w|2-2.5", "e|2.5-3", " met.|7-8"]);
        assert_eq!(fitted("So WE", &[("nothing", "1-2")]), ["nothing|1-2"]);
        assert_eq!(fitted("今日、は", &[("今", "1-2"), ("日は", "2-3")]), ["今|1-2", "日、は|2-3"]);
    }

    #[test]
    fn a_word_that_was_not_heard_has_the_time_between_its_neighbours() {
        let words = [("so", "1-2"), ("met", "6-7"), ("him", "7-8")];
        assert_eq!(
            fitted("So ab cd met him.", &words),
            ["So|1-2", " ab|2-4", " cd|4-6", " met|6-7", " him.|7-8"]
        );
        // The number has the time of the words that were heard for it.
        let words = [
            ("we", "0-1"),
            ("have", "1-2"),
            ("twenty", "2-3"),
            ("two", "3-4"),
            ("of", "4-5"),
            ("them", "5-6"),
        ];
        assert_eq!(fitted("We have 22 of them", &words)[2], " 22|2-4");
        let words = [("and", "0-1"), ("a", "1-2"), ("tree", "2-3")];
        assert_eq!(fitted("A tree.", &words), ["A|1-2", " tree.|2-3"]);
    }

    #[test]
    fn a_time_that_is_missing_or_wrong_is_that_of_one_word() {
        for times in ["", "5-4", "0.5-0.6", "9-9.5"] {
            let words = [("so", "1-2"), ("we", "2-3"), ("met", times), ("him", "4-5"), ("there", "5-6")];
            let found = fitted("So we met him there.", &words);
            assert_eq!(found, ["So|1-2", " we|2-3", " met|3-4", " him|4-5", " there.|5-6"], "{times}");
        }
        let words = [("so", "1-2"), ("we", "2-2"), ("met", "3-4")];
        assert_eq!(fitted("So we met.", &words)[1], " we|2-2");
        assert_eq!(fitted("so we", &[("so", ""), ("we", "4-5")])[0], "so|0-4");
        assert_eq!(fitted("so we", &[("so", "1-"), ("we", "-5")]), ["so|1-?", "we|1-5"]);
    }

    proptest! {
        #[test]
        fn the_words_are_the_text_in_order_of_their_times(
            said in prop::collection::vec((prop::sample::select(vec!["so", "We", "a", "and", "20", "it's", "é", "—"]), 0..4u8), 1..20),
        ) {
            // 0 is in both, 1 only in the text, 2 was only heard, 3 was heard without a time.
            let text: Vec<&str> = said.iter().filter(|(_, at)| *at != 2).map(|(word, _)| *word).collect();
            let text = text.join(" ");
            let word = |(nth, &(word, at)): (usize, &(&str, u8))| SegmentWord {
                text: word.to_lowercase(),
                begin: Time::of_milliseconds(1000 * nth as u64).filter(|_| at != 3),
                end: Time::of_milliseconds(1000 * nth as u64 + 500).filter(|_| at != 3),
                ..SegmentWord::default()
            };
            let words: Vec<SegmentWord> = said.iter().enumerate().filter(|(_, (_, at))| *at != 1).map(word).collect();
            let mut segment = Segment { text: text.clone(), words, ..Segment::default() };
            let before = segment.words.clone();
            segment.fit_words();
            if segment.words.len() != before.len() || segment.words.iter().zip(&before).any(|(a, b)| a.text != b.text) {
                let joined: String = segment.words.iter().map(|word| &*word.text).collect();
                prop_assert_eq!(joined, text);
            }
            let times: Vec<Time> = segment.words.iter().filter_map(|word| word.begin).collect();
            prop_assert!(times.is_sorted(), "{:?}", segment.words);
        }
    }
}
