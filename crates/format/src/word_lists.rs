//! Lists of the words of a text in JSON, each word with its times: `{"word":"so","start":1.5}`.
//!
//! Each word in a list is another occurrence of a word of the text. In a list with times, a word stays as it was
//! heard, and punctuation is inserted into a separate field: `"word":"so","punctuated_word":"So,"`.

use std::ops::Range;

use super::envelope::{Envelope, ListedWord, PUNCTUATED};
use super::json::{Event, decode, read, units};
use majuscule_text::Locale;

/// Returns true if a field with this name lists the words of a text.
pub(super) fn is_list(name: &str) -> bool {
    matches!(name, "words" | "word_timings" | "word_segments")
}

/// The fields that may have the times of a word.
const TIMES: [&str; 13] = [
    "begin",
    "start",
    "end",
    "timestamp",
    "timestamps",
    "offsets",
    "startTime",
    "endTime",
    "startOffset",
    "endOffset",
    "offset",
    "offsetInTicks",
    "start_time",
];

/// The number of characters that are searched for a word if the list and the text differ.
const AHEAD: usize = 2000;

/// An open object or array.
#[derive(Debug, Default)]
struct Open {
    /// The number of names that lead to it.
    keys: usize,
    word: Option<ListedWord>,
    has_times: bool,
    has_marks: bool,
    /// The words of the objects in it, whether any has times, and whether any has marks.
    words: Vec<ListedWord>,
    any_times: bool,
    any_marks: bool,
}

/// Returns the words of lists with times and without [`PUNCTUATED`], and in any list the words that have this field.
/// `is_list` decides by the names that lead to a list whether it is a list of words; `is_recased` is true if the words get
/// the case of the text. Text that is not JSON has no such lists.
pub(super) fn timed_words(
    json: &str,
    is_list: &dyn Fn(&[String]) -> bool,
    is_recased: bool,
) -> Vec<ListedWord> {
    let mut found = Vec::new();
    let mut stack = vec![Open::default()];
    let mut path: Vec<String> = Vec::new();
    let mut name = 0..0;
    let is_read = read(json, &mut |event| {
        let Some(open) = stack.last_mut() else { return };
        let key = path.get(open.keys).map_or("", String::as_str);
        let is_word = !key.is_empty() && path.len() == open.keys + 1 && is_list(&path[..open.keys]);
        open.has_times |=
            is_word && TIMES.contains(&key) && matches!(&event, Event::String(_) | Event::Begin(_));
        match event {
            Event::Begin(_) => stack.push(Open { keys: path.len(), ..Open::default() }),
            Event::End(_) => {
                let Some(closed) = stack.pop() else { return };
                path.truncate(closed.keys);
                // If some words of a list have the field, punctuation is inserted directly into the words without it.
                let is_kept = closed.any_times && !closed.any_marks;
                found.extend(closed.words.into_iter().filter(|word| is_kept || word.is_marked));
                if let Some(open) = stack.last_mut() {
                    let is_marked = closed.has_marks;
                    open.words.extend(closed.word.map(|word| ListedWord { is_marked, ..word }));
                    open.any_times |= closed.has_times;
                    open.any_marks |= closed.has_marks;
                }
            }
            Event::Key(position) => {
                path.truncate(open.keys);
                let mut key = String::new();
                decode(&json[position.clone()], &mut key);
                path.push(key);
                name = position;
            }
            Event::String(string) if is_word => {
                open.has_marks |= key == PUNCTUATED;
                if key == "word" || key == "text" && open.word.is_none() {
                    let quote = name.start - 1;
                    let between = name.end + 1..string.start - 1;
                    let spaces = |end: usize| json[..end].trim_ascii_end().len()..end;
                    // The first member may have no space before it where others have one.
                    let before =
                        [spaces(quote), spaces(between.end)].into_iter().find(|space| !space.is_empty());
                    let space = [before.unwrap_or_default(), between];
                    open.word = Some(ListedWord { string, space, is_marked: false, is_recased });
                }
            }
            Event::Other(value) if is_word => {
                open.has_times |= TIMES.contains(&key) && &json[value] != "null";
            }
            Event::String(_) | Event::Other(_) => {}
        }
    });
    if is_read.is_err() {
        return Vec::new();
    }
    found.sort_by_key(|word| word.string.start);
    found
}

/// The characters of a text without its white space, in lower case, each with its position.
pub(super) struct LetterStream<'a> {
    text: &'a str,
    chars: Vec<(char, usize)>,
}

impl<'a> LetterStream<'a> {
    /// Returns the characters of a text from byte `from` on.
    pub(super) fn of(text: &'a str, from: usize, locale: Locale) -> Self {
        let small = locale.lower(&text[from..]);
        let chars = text[from..].char_indices().zip(small.chars()).filter(|((_, c), _)| !c.is_whitespace());
        Self { text, chars: chars.map(|((at, _), c)| (c, from + at)).collect() }
    }

    /// Adds the positions of the words of these strings to the envelope; the text contains the words in
    /// the same order, except that some may be missing. A string may be a part of a word if the next
    /// strings are the other parts.
    pub(super) fn place(
        &self,
        json: &str,
        strings: impl Iterator<Item = Range<usize>>,
        locale: Locale,
        frame: &mut Envelope,
    ) {
        let words: Vec<ListedRun> = strings
            .flat_map(|string| {
                let moved =
                    |position: Range<usize>| string.start + position.start..string.start + position.end;
                let run = |(position, word): (_, String)| ListedRun {
                    position: moved(position),
                    small: locale.lower(&word).chars().collect(),
                };
                runs(&json[string.clone()]).into_iter().map(run).collect::<Vec<_>>()
            })
            .collect();
        // The position after the last word found, and the position after the last certain one.
        let (mut at, mut sure) = (0, 0);
        // The end of the last word found; the next words may be parts of it.
        let mut parted = 0;
        for (nth, ListedRun { position, small }) in words.iter().enumerate() {
            let rest = &words[nth..];
            let whole = |at| Some((at, self.end_of_parts(at, rest)?));
            let next = match at < parted {
                true => Some((at, parted)),
                false => whole(at).or_else(|| self.past_marks(at).and_then(whole)),
            };
            let found = next.or_else(|| self.beginnings(sure).find_map(whole));
            let Some((from, to)) = found else { continue };
            let is_next = next.is_some();
            parted = to;
            at = from + small.len();
            sure = if is_next { at } else { sure };
            let (first, last) = (self.chars[from].1, self.chars[at - 1].1);
            let end = last + self.text[last..].chars().next().map_or(0, char::len_utf8);
            if self.text[first..end].chars().count() == small.len() {
                frame.place(first..end, position.clone());
            }
        }
    }

    fn is_at(&self, at: usize, word: &[char]) -> bool {
        self.chars[at..].len() >= word.len() && self.chars[at..].iter().zip(word).all(|((a, _), b)| a == b)
    }

    /// Returns the end of the word at `at` if its parts are one or more of the first words.
    fn end_of_parts(&self, mut at: usize, words: &[ListedRun]) -> Option<usize> {
        for (nth, word) in words.iter().enumerate() {
            if !self.is_at(at, &word.small) {
                return None;
            }
            at += word.small.len();
            if nth == MAX_PARTS || !self.is_inside(at) {
                return Some(at);
            }
        }
        None
    }

    /// Returns true if `at` is between two letters of a word.
    fn is_inside(&self, at: usize) -> bool {
        let Some([(before, from), (after, to)]) =
            at.checked_sub(1).and_then(|last| self.chars.get(last..=at))
        else {
            return false;
        };
        let is_next = self.text[*from..*to].chars().nth(1).is_none();
        is_next && before.is_alphanumeric() && after.is_alphanumeric()
    }

    /// Returns the position after the punctuation at `at`, which the strings of the list may omit; `None` if there is
    /// none.
    fn past_marks(&self, at: usize) -> Option<usize> {
        let marks = self.chars[at..].iter().take_while(|(c, _)| !c.is_alphanumeric()).count();
        (marks > 0).then_some(at + marks)
    }

    /// Returns the beginnings of runs, from character `from` on.
    fn beginnings(&self, from: usize) -> impl Iterator<Item = usize> {
        let begins = move |at: &usize| {
            let before = self.text[..self.chars[*at].1].chars().next_back();
            before.is_none_or(char::is_whitespace)
        };
        (from..self.chars.len().min(from + AHEAD)).filter(begins)
    }
}

/// The largest number of parts of a word that are looked at.
const MAX_PARTS: usize = 64;

/// A run without white space of a string in a list: its position, and its characters in lower case.
struct ListedRun {
    position: Range<usize>,
    small: Vec<char>,
}

/// Returns the runs without white space of a string between quotes, each with its content.
fn runs(raw: &str) -> Vec<(Range<usize>, String)> {
    let mut runs: Vec<(Range<usize>, String)> = Vec::new();
    for (position, c) in units(raw).filter(|(_, c)| !c.is_whitespace()) {
        match runs.last_mut() {
            Some((run, word)) if run.end == position.start => {
                run.end = position.end;
                word.push(c);
            }
            _ => runs.push((position, c.to_string())),
        }
    }
    runs
}
