//! The user's own spellings: words and phrases that always win.

use rustc_hash::FxHashMap;

use super::case::Case;
use super::locale::Locale;
use super::tokenize::tokenize;
use super::tokens::{Break, Given, Tokens};
use crate::error::{Error, Result};

/// Spellings of words and phrases.
///
/// ```
/// use majuscule::text::{Locale, tokenize::tokenize, words::Words};
///
/// let words = Words::read("iPhone\nNew York\n".as_bytes(), "words.txt", Locale::Root)?;
/// let text = "an iphone in new york";
/// let mut tokens = tokenize(text, Locale::Root, "en");
/// words.fix(text.as_bytes(), 0, true, &mut tokens);
/// # Ok::<(), majuscule::error::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// By first word; the longest phrase first.
    phrases: FxHashMap<String, Vec<Phrase>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Phrase {
    words: Vec<Word>,
    /// The line it stands on, counted from 1.
    line: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    lower: String,
    case: Case,
    /// What stands between the word before and this one; `None` is white space.
    gap: Option<String>,
}

/// How a phrase fits the words from some place on.
enum Fit {
    Whole,
    /// All words that are there fit, and more are wanted.
    SoFar,
    Not,
}

impl Words {
    /// Reads a list: one spelling a line (`iPhone`, `New York`), or what is replaced and the spelling, with a tab
    /// between (`iphone<TAB>iPhone`). Empty lines and lines that begin with `#` are passed over. `name` is the file's
    /// name for errors.
    ///
    /// # Errors
    /// [`Error::Input`] for a line without a word, one that changes more than case, and two that clash.
    pub fn read(list: &[u8], name: &str, locale: Locale) -> Result<Self> {
        let mut all = Self::default();
        for (line, number) in list.split(|&b| b == b'\n').zip(1..) {
            let line = std::str::from_utf8(line).map_err(|_| {
                Error::line(name, number, "these bytes are not UTF-8: save the list as UTF-8")
            })?;
            let line = line.trim_start_matches('\u{feff}').trim();
            if !line.is_empty() && !line.starts_with('#') {
                let phrase = Phrase::parse(line, number, locale).map_err(|e| Error::line(name, number, e))?;
                all.insert(phrase).map_err(|e| Error::line(name, number, e))?;
            }
        }
        Ok(all)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    fn insert(&mut self, phrase: Phrase) -> Result<(), String> {
        let all = self.phrases.entry(phrase.words[0].lower.clone()).or_default();
        if let Some(other) = all.iter().find(|other| other.is_same_words(&phrase)) {
            if other.words == phrase.words {
                return Ok(());
            }
            return Err(format!("this spelling clashes with line {}: keep one of the two", other.line));
        }
        let at = all.partition_point(|other| other.words.len() >= phrase.words.len());
        all.insert(at, phrase);
        Ok(())
    }

    /// Fixes the labels of the words from `from` on that the list spells, the longest phrase first. `source` is what
    /// their places point into. A phrase does not go past the end of a line.
    ///
    /// Gives the number of words that are settled: all of them where the line ends here (`whole`); otherwise those
    /// before a tail that more words may complete to a phrase.
    pub fn fix(&self, source: &[u8], from: usize, whole: bool, tokens: &mut Tokens) -> usize {
        if self.is_empty() {
            return tokens.len();
        }
        let mut at = from;
        while at < tokens.len() {
            match self.find(source, tokens, at, whole) {
                Some((_, Fit::SoFar)) => return at,
                Some((phrase, _)) => {
                    let places = &mut tokens.as_mut_slice()[at..at + phrase.words.len()];
                    for (token, word) in places.iter_mut().zip(&phrase.words) {
                        token.given = Given::Fixed(word.case);
                    }
                    at += phrase.words.len();
                }
                None => at += 1,
            }
        }
        at
    }

    /// The longest phrase that fits the words from `at` on, or, unless these are all, may fit once more are there.
    fn find(&self, source: &[u8], tokens: &Tokens, at: usize, whole: bool) -> Option<(&Phrase, Fit)> {
        let lower = tokens.lower(at);
        // `iPhone` spells `iphone's` too.
        let phrases = self.phrases.get(lower).or_else(|| self.phrases.get(lower.strip_suffix("'s")?))?;
        phrases.iter().find_map(|phrase| match phrase.fit(source, tokens, at) {
            Fit::Not => None,
            Fit::SoFar if whole => None,
            fit => Some((phrase, fit)),
        })
    }
}

impl Phrase {
    fn parse(line: &str, number: u64, locale: Locale) -> Result<Self, String> {
        let (from, spelling) = match line.split_once('\t') {
            Some((from, spelling)) => (Some(from.trim()), spelling.trim()),
            None => (None, line),
        };
        if let Some(from) = from
            && locale.lower(from) != locale.lower(spelling)
        {
            return Err(format!(
                "\"{from}\" becomes \"{spelling}\", which changes more than case: give the same letters on both sides"
            ));
        }
        let tokens = tokenize(spelling, locale, "");
        let mut words: Vec<Word> = Vec::with_capacity(tokens.len());
        let mut end = 0;
        for (lower, token) in tokens.iter() {
            let (start, next) = (token.source.start as usize, token.source.end as usize);
            let gap = Some(spelling[end..start].to_owned()).filter(|gap| !gap.trim().is_empty());
            let gap = gap.filter(|_| !words.is_empty());
            words.push(Word { lower: lower.to_owned(), case: Case::of(&spelling[start..next], locale), gap });
            end = next;
        }
        if words.is_empty() {
            return Err(format!(
                "\"{spelling}\" has no word to spell: URLs, addresses, file names and @handles are always left as they are"
            ));
        }
        Ok(Self { words, line: number })
    }

    fn is_same_words(&self, other: &Self) -> bool {
        self.words.len() == other.words.len()
            && self.words.iter().zip(&other.words).all(|(a, b)| a.lower == b.lower && a.gap == b.gap)
    }

    fn fit(&self, source: &[u8], tokens: &Tokens, at: usize) -> Fit {
        for (k, word) in self.words.iter().enumerate() {
            let Some(token) = tokens.as_slice().get(at + k) else { return Fit::SoFar };
            let lower = tokens.lower(at + k);
            let last = k + 1 == self.words.len();
            let fits = lower == word.lower || last && lower.strip_suffix("'s") == Some(&word.lower);
            if !fits
                || k > 0 && !word.fits_gap(source, tokens, at + k)
                || k > 0 && token.before >= Break::Line
            {
                return Fit::Not;
            }
        }
        Fit::Whole
    }
}

impl Word {
    /// Whether what stands before word `at` is what the phrase has there.
    fn fits_gap(&self, source: &[u8], tokens: &Tokens, at: usize) -> bool {
        let words = tokens.as_slice();
        let gap = &source[words[at - 1].source.end as usize..words[at].source.start as usize];
        match &self.gap {
            Some(marks) => gap == marks.as_bytes(),
            None => std::str::from_utf8(gap).is_ok_and(|gap| !gap.is_empty() && gap.trim().is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(list: &str, text: &str) -> Vec<(String, Case)> {
        let words = Words::read(list.as_bytes(), "words.txt", Locale::Root).unwrap();
        let mut tokens = tokenize(text, Locale::Root, "en");
        words.fix(text.as_bytes(), 0, true, &mut tokens);
        let fixed = |(lower, token): (&str, &super::super::Token)| match token.given {
            Given::Fixed(case) => Some((lower.to_owned(), case)),
            _ => None,
        };
        tokens.iter().filter_map(fixed).collect()
    }

    #[test]
    fn the_longest_phrase_wins() {
        let list = "new york\nNew York City\nAT&T\n";
        assert_eq!(fixed(list, "in new  york city").len(), 3);
        assert_eq!(fixed(list, "new york")[0].1, Case::Lower);
        assert_eq!(fixed(list, "at&t"), [("at".to_owned(), Case::Upper), ("t".to_owned(), Case::Upper)]);
        assert!(fixed(list, "at, t").is_empty());
        assert!(fixed(list, "new\nyork").is_empty());
    }

    #[test]
    fn a_possessive_is_spelled_like_its_word() {
        assert_eq!(fixed("iPhone", "my iphone's screen").len(), 1);
        assert_eq!(fixed("iPhone", "my iphone’s screen").len(), 1);
    }

    #[test]
    fn a_phrase_cut_in_two_waits_for_the_rest() {
        let words = Words::read(b"New York City", "words.txt", Locale::Root).unwrap();
        let text = "i love new york";
        let mut tokens = tokenize(text, Locale::Root, "en");
        assert_eq!(words.fix(text.as_bytes(), 0, false, &mut tokens), 2);
        assert_eq!(words.fix(text.as_bytes(), 0, true, &mut tokens), 4);
    }

    #[test]
    fn bad_lines_are_named() {
        let problem =
            |list: &str| Words::read(list.as_bytes(), "w.txt", Locale::Root).unwrap_err().to_string();
        assert_eq!(
            problem("# mine\niPhone\nIPHONE"),
            "w.txt, line 3: this spelling clashes with line 2: keep one of the two"
        );
        assert!(problem("iphone\tiPhones").contains("changes more than case"));
        assert!(problem("@home").contains("no word to spell"));
        assert!(Words::read(b"\xff", "w.txt", Locale::Root).is_err());
    }
}
