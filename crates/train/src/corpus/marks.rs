//! Removes punctuation marks, so that only the spoken words remain.
//!
//! Full stops inside initialisms are dropped (`U.S.` is `US`). Any other mark separates words,
//! except `'`, `’` and `-` between two letters or digits. A result without a letter or digit is not
//! a word, nor is one of more than 64 letters. Combining marks and soft hyphens stay with their
//! letter.

use majuscule_base::error::{Error, Result, option};
use majuscule_text::case::MAX_LETTERS;
use majuscule_text::locale::is_joiner;
use majuscule_text::{Locale, Mark, MarkSet};

/// Calls `each` with the words of `text`, in order. Words are not allocated: each is a slice of
/// `text`, or of `scratch` if marks inside it were removed.
///
/// ```
/// use majuscule_train::corpus::marks;
/// use majuscule_text::Locale;
///
/// let text = "“Well,” said U.S.-born O'Neill…";
/// let mut words = Vec::new();
/// marks::words(text, Locale::Root, &mut String::new(), |word| words.push(word.to_owned()));
/// assert_eq!(words, ["Well", "said", "US-born", "O'Neill"]);
/// ```
pub fn words(text: &str, locale: Locale, scratch: &mut String, mut each: impl FnMut(&str)) {
    words_and_gaps(text, locale, scratch, |_, word| word.into_iter().for_each(&mut each));
}

/// Like [`words`], but also passes the text between the previous word and each word to `each`. The
/// last call has the text after the last word, and no word.
pub fn words_and_gaps(
    text: &str,
    locale: Locale,
    scratch: &mut String,
    mut each: impl FnMut(&str, Option<&str>),
) {
    let mut rest = TextCursor { text, at: 0 };
    let mut end = 0;
    while rest.skip_marks() {
        let start = rest.at;
        let word = if rest.word() {
            &text[start..rest.at]
        } else {
            rest.at = start;
            scratch.clear();
            rest.word_with_initialisms(scratch);
            scratch.as_str()
        };
        if word.len() <= MAX_LETTERS || locale.letter_count(word) <= MAX_LETTERS {
            each(&text[end..start], Some(word));
            end = rest.at;
        }
    }
    each(&text[end..], None);
}

/// Refuses a text that lacks some of the marks which are to be learned.
///
/// # Errors
/// If some of the marks are missing.
pub fn check_taught(asked: MarkSet, missing: impl Fn(Mark) -> bool, name: &str) -> Result<()> {
    let lacks: Vec<Mark> = asked.iter().filter(|mark| missing(*mark)).collect();
    let quoted: Vec<String> =
        lacks.iter().filter_map(|mark| Some(format!("\"{}\"", mark.character()?))).collect();
    let advice = match lacks.len() {
        0 => return Ok(()),
        all if all == asked.iter().count() => String::new(),
        _ => format!(", or leave {} out of {}", quoted.join(" and "), option("marks")),
    };
    let problem = format!(
        "has no {}, but punctuation is learned from text that has it: give text as it was published{advice}",
        quoted.join(" or ")
    );
    Err(Error::file(name, problem))
}

/// The role of a character in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterKind {
    Letter,
    Digit,
    /// A character that belongs to the letter before it.
    Joiner,
    /// An apostrophe or a hyphen.
    Link,
    Stop,
    Mark,
}

const ASCII: [CharacterKind; 128] = {
    let mut kinds = [CharacterKind::Mark; 128];
    let mut b = 0;
    while b < 128 {
        kinds[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => CharacterKind::Letter,
            b'0'..=b'9' => CharacterKind::Digit,
            b'\'' | b'-' => CharacterKind::Link,
            b'.' => CharacterKind::Stop,
            _ => CharacterKind::Mark,
        };
        b += 1;
    }
    kinds
};

fn kind_of(c: char) -> CharacterKind {
    match c {
        '’' => CharacterKind::Link,
        _ if is_joiner(c) => CharacterKind::Joiner,
        _ if c.is_alphabetic() => CharacterKind::Letter,
        _ if c.is_numeric() => CharacterKind::Digit,
        _ => CharacterKind::Mark,
    }
}

/// A position in a text.
#[derive(Clone, Copy)]
struct TextCursor<'a> {
    text: &'a str,
    at: usize,
}

impl TextCursor<'_> {
    /// The kind of the next character, and the position after it.
    #[inline]
    fn peek(&self) -> Option<(CharacterKind, usize)> {
        let &byte = self.text.as_bytes().get(self.at)?;
        if let Some(&kind) = ASCII.get(byte as usize) {
            return Some((kind, self.at + 1));
        }
        let c = self.text[self.at..].chars().next()?;
        Some((kind_of(c), self.at + c.len_utf8()))
    }

    /// Moves to the next letter or digit. Returns `false` if there is none.
    #[inline]
    fn skip_marks(&mut self) -> bool {
        while let Some((kind, next)) = self.peek() {
            if matches!(kind, CharacterKind::Letter | CharacterKind::Digit) {
                return true;
            }
            self.at = next;
        }
        false
    }

    /// Moves to the end of the word that begins here. Returns `false` if the word may contain an
    /// initialism, which only [`TextCursor::word_with_initialisms`] reads.
    #[inline]
    fn word(&mut self) -> bool {
        loop {
            let letters = self.run();
            match self.peek() {
                Some((CharacterKind::Link, next)) if (TextCursor { at: next, ..*self }).at_word() => {
                    self.at = next
                }
                Some((CharacterKind::Stop, _)) if letters == 1 => return false,
                _ => return true,
            }
        }
    }

    /// Moves to the end of the letters and digits that begin here, and returns their number.
    #[inline]
    fn run(&mut self) -> usize {
        let mut letters = 0;
        while let Some((kind, next)) = self.peek() {
            match kind {
                CharacterKind::Letter | CharacterKind::Digit => letters += 1,
                CharacterKind::Joiner => {}
                _ => break,
            }
            self.at = next;
        }
        letters
    }

    fn at_word(&self) -> bool {
        matches!(self.peek(), Some((CharacterKind::Letter | CharacterKind::Digit, _)))
    }

    /// Appends the word that begins here to `word` and moves to its end. A word consists of parts
    /// with links between them, each an initialism or a run.
    fn word_with_initialisms(&mut self, word: &mut String) {
        loop {
            if !self.initialism(word) {
                let start = self.at;
                self.run();
                word.push_str(&self.text[start..self.at]);
            }
            match self.peek() {
                Some((CharacterKind::Link, next)) if (TextCursor { at: next, ..*self }).at_word() => {
                    word.push_str(&self.text[self.at..next]);
                    self.at = next;
                }
                _ => return,
            }
        }
    }

    /// Appends an initialism without its full stops and moves to its end. An initialism consists of
    /// two or more single letters separated by full stops, with an optional full stop at the end.
    /// Returns `false` if there is none.
    fn initialism(&mut self, word: &mut String) -> bool {
        let before = word.len();
        let mut ahead = *self;
        let mut letters = 0;
        while let Some(end) = ahead.single_letter() {
            word.push_str(&ahead.text[ahead.at..end]);
            letters += 1;
            ahead.at = end;
            match ahead.peek() {
                Some((CharacterKind::Stop, next)) => ahead.at = next,
                _ => break,
            }
        }
        if letters < 2 {
            word.truncate(before);
            return false;
        }
        *self = ahead;
        true
    }

    /// Returns the end of the letter that begins here, if no other letter or digit follows it.
    fn single_letter(&self) -> Option<usize> {
        let (CharacterKind::Letter, next) = self.peek()? else { return None };
        let mut ahead = TextCursor { at: next, ..*self };
        while let Some((CharacterKind::Joiner, next)) = ahead.peek() {
            ahead.at = next;
        }
        (!ahead.at_word()).then_some(ahead.at)
    }
}

/// Calls `each` with the parts of `text`, in order, and with true if the part is a metadata event,
/// such as `[laughing]` and `(music)`: a description of a sound or the name of a speaker that
/// subtitles and transcripts put in brackets. Together, the parts have all words of the text.
/// Events are recognised by their form, in every language by the same rules:
///
/// - anything with a `♪` inside the brackets;
/// - up to four words in square brackets, or up to three in round brackets, between sentences or at
///   the beginning or end of the text. Only the first of the words may have a capital
///   (`(Drum roll)`), or all letters are capitals (`[MUSIC]`; at least five letters in round
///   brackets, since `(COD)` is not an event);
/// - inside a sentence, up to four lower-case words in square brackets, or a single lower-case word
///   of at least three letters in round brackets.
///
/// Words here consist of letters, apostrophes and hyphens only, so `(2001)`, `(PPE-DE)`,
/// `(Verts/ALE)`, `(the last one)` and `plan(s)` are not events.
pub fn parts(text: &str, mut each: impl FnMut(&str, bool)) {
    let mut given = 0;
    let mut from = 0;
    while let Some(open) = text[from..].find(['[', '(']).map(|open| open + from) {
        from = open + 1;
        let round = text.as_bytes()[open] == b'(';
        let Some(close) = text[from..].find(['[', '(', ']', ')']).map(|close| close + from) else { break };
        if text.as_bytes()[close] != if round { b')' } else { b']' } {
            continue;
        }
        let alone = ends_sentence(&text[..open]) && begins_sentence(&text[close + 1..]);
        let apart = !text[..open].ends_with(char::is_alphanumeric)
            && !text[close + 1..].starts_with(char::is_alphanumeric);
        if apart && is_event(&text[open + 1..close], round, alone) {
            each(&text[given..open], false);
            each(&text[open..=close], true);
            given = close + 1;
            from = given;
        }
    }
    each(&text[given..], false);
}

fn is_event(inside: &str, round: bool, alone: bool) -> bool {
    if inside.contains(['♪', '♫', '♬']) {
        return true;
    }
    let in_word = |c: char| c.is_alphabetic() || is_joiner(c) || matches!(c, '\'' | '’' | '-' | ' ');
    let words = inside.split_whitespace().count();
    let letters = inside.chars().filter(|c| c.is_alphabetic()).count();
    if !inside.chars().all(in_word) || letters < 3 || words > if round { 3 } else { 4 } {
        return false;
    }
    let is_upper = |c: char| c.is_uppercase();
    let inside = inside.trim();
    let lower = !inside.contains(is_upper);
    if !alone {
        return lower && (!round || words == 1);
    }
    let title = !inside.chars().skip(1).any(is_upper);
    let upper = !inside.contains(|c: char| c.is_lowercase());
    lower || title || upper && (!round || letters >= 5 && !inside.contains('-'))
}

/// Returns true if a sentence ends at the end of `text`, or none has begun.
fn ends_sentence(text: &str) -> bool {
    let text =
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '»' | '\'' | '’'));
    text.is_empty() || text.ends_with(['.', '?', '!', '…', ':', '-', '–', '—', '♪', '♫', ')', ']', '>'])
}

/// Returns true if a sentence begins at the beginning of `text`, or nothing follows.
fn begins_sentence(text: &str) -> bool {
    let first = text.chars().find(|c| c.is_alphanumeric() || matches!(c, '(' | '['));
    first.is_none_or(|c| c.is_uppercase() || c.is_numeric() || matches!(c, '(' | '['))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, Locale::Root, &mut String::new(), |word| found.push(word.to_owned()));
        found
    }

    fn spoken(text: &str) -> String {
        let mut found = Vec::new();
        parts(text, |part, is_event| {
            if !is_event {
                found.extend(of(part));
            }
        });
        found.join(" ")
    }

    /// A plain twin of `words`: turns characters into a list and marks into spaces, then splits.
    fn plain(text: &str) -> Vec<String> {
        let mut chars: Vec<char> = text.chars().collect();
        let is_word = |c: char| matches!(kind_of(c), CharacterKind::Letter | CharacterKind::Digit);
        // A joiner counts as the letter or digit before it, or as a mark if there is none.
        let mut bases = chars.clone();
        for i in 0..chars.len() {
            if is_joiner(chars[i]) {
                bases[i] = if i > 0 && is_word(bases[i - 1]) { bases[i - 1] } else { ' ' };
            }
        }
        // Stops inside initialisms become '\0', which is dropped at the end.
        let mut i = 0;
        while i < chars.len() {
            let begins = is_word(bases[i]) && (i == 0 || !is_word(bases[i - 1]));
            let end = if begins { initialism(&chars, &bases, i) } else { None };
            match end {
                Some(end) => {
                    for k in i..end {
                        if chars[k] == '.' {
                            (chars[k], bases[k]) = ('\0', '\0');
                        }
                    }
                    // A character directly after the initialism begins another word, unless it is a
                    // link.
                    let linked = end < chars.len() && matches!(chars[end], '\'' | '’' | '-');
                    if chars[end - 1] == '\0' && !linked {
                        (chars[end - 1], bases[end - 1]) = (' ', ' ');
                    }
                    i = end;
                }
                None => i += 1,
            }
        }
        let neighbour = |k: Option<usize>| k.is_some_and(|k| is_word(bases[k]));
        let line: String = (0..chars.len())
            .map(|i| match chars[i] {
                '\0' => '\0',
                c if is_word(bases[i]) => c,
                c @ ('\'' | '’' | '-')
                    if neighbour((0..i).rev().find(|&k| chars[k] != '\0'))
                        && neighbour((i + 1..chars.len()).next()) =>
                {
                    c
                }
                _ => ' ',
            })
            .filter(|&c| c != '\0')
            .collect();
        line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    fn initialism(chars: &[char], bases: &[char], start: usize) -> Option<usize> {
        let is_letter = |c: char| kind_of(c) == CharacterKind::Letter;
        let (mut i, mut letters) = (start, 0);
        while i < chars.len() && is_letter(chars[i]) {
            let mut end = i + 1;
            while end < chars.len() && is_joiner(chars[end]) {
                end += 1;
            }
            if end < chars.len()
                && matches!(kind_of(bases[end]), CharacterKind::Letter | CharacterKind::Digit)
            {
                break;
            }
            letters += 1;
            i = end;
            if i == chars.len() || chars[i] != '.' {
                break;
            }
            i += 1;
        }
        (letters >= 2).then_some(i)
    }

    proptest! {
        #[test]
        fn the_fast_way_equals_the_plain_one(text in "[aB1É.'’ ,(\u{ad}\u{301}-]{0,24}") {
            prop_assert_eq!(of(&text), plain(&text));
        }

        #[test]
        fn any_text_gives_words_with_letters_and_no_marks(text: String) {
            for word in of(&text) {
                prop_assert!(word.chars().any(char::is_alphanumeric));
                prop_assert!(word.chars().all(|c| matches!(kind_of(c), CharacterKind::Letter | CharacterKind::Digit | CharacterKind::Joiner | CharacterKind::Link)
                    || c == '\'' || c == '-'), "{}", word);
            }
        }

        #[test]
        fn removing_marks_again_removes_nothing(text in "[aB1É.'’ ,(-]{0,24}") {
            let once = of(&text);
            prop_assert_eq!(of(&once.join(" ")), once);
        }

        #[test]
        fn the_words_of_the_parts_are_those_of_the_text(text in "([a-cA-C\\[\\]()♪ .É\u{301}'-]|\\((abc|♪)\\)|[Bc]\\.){0,20}") {
            let mut words = Vec::new();
            let mut whole = String::new();
            parts(&text, |part, _| {
                words.extend(of(part));
                whole.push_str(part);
            });
            prop_assert_eq!(words, of(&text));
            prop_assert_eq!(whole, text);
        }
    }

    #[test]
    fn initialisms_lose_their_full_stops() {
        assert_eq!(of("The U.S. and the U.K, at 5 p.m."), ["The", "US", "and", "the", "UK", "at", "5", "pm"]);
        assert_eq!(
            of("pro-U.S. U.S.'s J.S.Bach J. Smith Ph.D."),
            ["pro-US", "US's", "JS", "Bach", "J", "Smith", "Ph", "D"]
        );
        assert_eq!(of("É.U.A. e\u{301}.u."), ["ÉUA", "e\u{301}u"]);
    }

    #[test]
    fn apostrophes_and_hyphens_stay_between_letters_only() {
        assert_eq!(
            of("rock 'n' roll, O’Neill's boys' -- COVID-19 well--known"),
            ["rock", "n", "roll", "O’Neill's", "boys", "COVID-19", "well", "known"]
        );
    }

    #[test]
    fn every_other_mark_separates() {
        assert_eq!(
            of("and/or 1,000.5 a_b c@d.pt ... – €"),
            ["and", "or", "1", "000", "5", "a", "b", "c", "d", "pt"]
        );
        assert_eq!(of("\u{301}\u{ad}\u{0}"), [""; 0]);
        assert_eq!(of("so\u{ad}bre"), ["so\u{ad}bre"]);
    }

    #[test]
    fn words_of_more_than_64_letters_are_none() {
        assert_eq!(of(&"a".repeat(64)).len(), 1);
        assert_eq!(of(&"é".repeat(64)).len(), 1);
        assert_eq!(of(&format!("so {} on", "a".repeat(65))), ["so", "on"]);
    }

    #[test]
    fn events_go() {
        for (text, left) in [
            ("[laughing] Well, hello (music) there.", "Well hello there"),
            ("So I said no. (Laughter) And then I left. (Applause)", "So I said no And then I left"),
            ("- [Door creaks open] Who is it?", "Who is it"),
            ("I was [breathing heavily] in Porto", "I was in Porto"),
            ("(LAUGHTER) Right. [MUSIC]", "Right"),
            ("♪ La la ♪ (♪ Band Plays Anthem)", "La la"),
            ("(Drum roll)", ""),
        ] {
            assert_eq!(spoken(text), left);
        }
    }

    #[test]
    fn parentheses_stay() {
        for (text, left) in [
            ("Mr Silva (PPE-DE) agreed.", "Mr Silva PPE-DE agreed"),
            ("(FR) Madam President", "FR Madam President"),
            ("(COD)", "COD"),
            ("We took both (the last one) home.", "We took both the last one home"),
            ("the plan(s) of (2001) and (b)", "the plan s of 2001 and b"),
            (
                "Greens (Verts/ALE) and the Council (Commission) sat",
                "Greens Verts ALE and the Council Commission sat",
            ),
            ("an [European] Union", "an European Union"),
            ("(Parliament adopted the text)", "Parliament adopted the text"),
            ("a (b [c) d]", "a b c d"),
            ("unclosed (music", "unclosed music"),
        ] {
            assert_eq!(spoken(text), left);
        }
    }
}
