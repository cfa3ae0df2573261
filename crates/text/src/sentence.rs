//! Sentence boundaries, according to the marks in the text.

use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashSet;

use super::language::Language;
pub use super::mark::is_end_mark;
use super::word_list::{ListEntry, entries};

/// The flags that an abbreviation may have in a list; comments at the top of the lists explain them.
pub(super) const FLAGS: [&str; 6] = ["NUMBER", "LAST", "ANY", "NAME", "BARE", "SMALL"];

static ABBREVIATIONS: [OnceLock<Abbreviations>; Language::ALL.len()] =
    [const { OnceLock::new() }; Language::ALL.len()];

/// Returns the abbreviations of a language by its index in [`Language::ALL`].
fn of_language(at: usize) -> &'static Abbreviations {
    ABBREVIATIONS[at].get_or_init(|| Abbreviations::read(Language::ALL[at]))
}

/// The abbreviations of all languages together.
static OF_ALL: LazyLock<Abbreviations> = LazyLock::new(|| {
    let mut all = Abbreviations::default();
    for one in (0..Language::ALL.len()).map(of_language) {
        one.always.iter().for_each(|word| all.add(word));
        all.before_number.extend(one.before_number.iter().cloned());
        all.before_small.extend(one.before_small.iter().cloned());
        all.continuing.extend(&one.continuing);
        all.one_letter.push_str(&one.one_letter);
    }
    all
});

static NO_ABBREVIATIONS: LazyLock<Abbreviations> = LazyLock::new(Abbreviations::default);

/// Words after which a full stop does not end a sentence: `dr.`, `approx.`; and, only before a
/// number, `no.`, `p.`
#[derive(Debug, Default)]
pub struct Abbreviations {
    always: FxHashSet<Box<str>>,
    before_number: FxHashSet<Box<str>>,
    /// The abbreviations after which a sentence continues with a number or a word of `continuing`.
    before_small: FxHashSet<Box<str>>,
    continuing: FxHashSet<&'static str>,
    one_letter: String,
    /// True if a number with a full stop is an ordinal.
    ordinals_have_stops: bool,
    /// A filter of the words in `always`: for each number of bytes, one bit for each first byte. It saves the look-up
    /// of most words.
    heads: [u32; HEADS],
}

/// The number of word lengths in `heads`; longer words count as the longest of them.
const HEADS: usize = 16;

/// Returns the index of a word in `heads`, and its bit there.
#[inline]
fn head(word: &str) -> (usize, u32) {
    let first = word.bytes().next().unwrap_or_default();
    (word.len().min(HEADS - 1), 1 << (first % 32))
}

impl Abbreviations {
    /// Returns the abbreviations of a language, by its tag (`pt-BR` is `pt`). For several languages
    /// (`en,pt`, `mul`) the abbreviations of all languages count.
    pub fn of(language: &str) -> &'static Self {
        if language == "mul" || language.contains(',') {
            return &OF_ALL;
        }
        Language::position(language).map_or(&NO_ABBREVIATIONS, of_language)
    }

    /// Reads the list of a language, with one abbreviation per line. For abbreviations that often end a sentence
    /// (`LAST`), and for abbreviations of several words (`et al`), only the case counts.
    fn read(language: &Language) -> Self {
        let Language { one_letter, ordinals_have_stops, .. } = *language;
        let mut all = Self { one_letter: one_letter.to_owned(), ordinals_have_stops, ..Self::default() };
        all.continuing = language.continuing.split_terminator(' ').collect();
        let is_short = |entry: &ListEntry<'_>| !entry.has("LAST") && !entry.words.contains(' ');
        for entry in entries(language.abbreviations, &FLAGS) {
            let last = || entry.words.rsplit(' ').next().unwrap_or(entry.words).to_lowercase();
            match () {
                () if entry.has("SMALL") => _ = all.before_small.insert(last().into()),
                () if !is_short(&entry) => {}
                () if entry.has("NUMBER") => _ = all.before_number.insert(last().into()),
                () => all.add(&last()),
            }
        }
        all
    }

    fn add(&mut self, word: &str) {
        let (len, bit) = head(word);
        self.heads[len] |= bit;
        self.always.insert(word.into());
    }

    fn has(&self, word: &str) -> bool {
        let (len, bit) = head(word);
        self.heads[len] & bit != 0 && self.always.contains(word)
    }

    /// Returns true if a sentence may continue after a word in lower case and a full stop. The next word shows
    /// whether it continues: see [`Self::continues`].
    pub(super) fn may_continue(&self, word: &str) -> bool {
        self.before_small.contains(word)
    }

    /// Returns true if a word in lower case continues the sentence after an abbreviation that may end one:
    /// `5 min. from here`, but `5 min. Then`.
    pub(super) fn continues(&self, word: &str) -> bool {
        word.starts_with(|c: char| c.is_ascii_digit()) || self.continuing.contains(word)
    }

    /// Returns true if `marks`, all the text between `word` (in lower case) and the next white
    /// space, end a sentence. The answer does not depend on case, so it is the same in text that
    /// lost it. `before_digit` is true if a digit comes next.
    ///
    /// A question or exclamation mark ends a sentence. One full stop does, unless the word is an
    /// abbreviation, an initialism or a single letter. An ellipsis is ambiguous and does not;
    /// neither does a mark with a comma after it. In some languages a short number with a full stop is
    /// an ordinal.
    pub fn ends(&self, word: &str, marks: &str, before_digit: bool) -> bool {
        let mut stops = 0;
        let mut asks = false;
        for c in marks.chars() {
            match c {
                '.' => stops += 1,
                ',' | ';' | ':' | '…' => return false,
                c if is_end_mark(c) => asks = true,
                _ => {}
            }
        }
        if stops != 1 || asks {
            return asks;
        }
        // A single letter is an initial, and inner dots make an initialism: `J. Smith`, `the U.S.
        // and`.
        let short = word.chars().nth(1).is_none() && word.chars().all(char::is_alphabetic);
        let short = short && !self.one_letter.contains(word);
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        !(short
            || self.ordinals_have_stops && is_ordinal(word)
            || !number && word.contains('.')
            || self.has(word)
            || before_digit && self.before_number.contains(word))
    }
}

/// Returns true for a number that may be the ordinal of a day, a century or a rank. Years end sentences.
fn is_ordinal(word: &str) -> bool {
    matches!(word.len(), 1 | 2) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a cased paragraph into sentences, none of them empty. In addition to the marks
/// ([`Abbreviations::ends`]) it uses the text after them: a sentence begins with a capital, a digit
/// or an opening mark.
///
/// ```
/// use majuscule_text::sentence::split;
///
/// let text = "Dr. Reis left. \"Why?\" she asked. It is 3.5 km to St. Ives!";
/// let sentences: Vec<_> = split(text, "en").collect();
/// assert_eq!(sentences, ["Dr. Reis left.", "\"Why?\" she asked.", "It is 3.5 km to St. Ives!"]);
/// ```
pub fn split<'a>(text: &'a str, language: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let abbreviations = Abbreviations::of(language);
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let (sentence, after) = rest.split_at(sentence_end(rest, abbreviations));
        rest = after;
        Some(sentence.trim_end())
    })
}

/// Returns the end of the first sentence of `text`, in bytes.
fn sentence_end(text: &str, abbreviations: &Abbreviations) -> usize {
    let mut from = 0;
    while let Some((start, end)) = next_field(text, from) {
        from = end;
        let field = &text[start..end];
        let word_end = field.rfind(char::is_alphanumeric).map_or(0, |at| at + char_len(field, at));
        let (body, marks) = field.split_at(word_end);
        if !marks.contains(is_end_mark) {
            continue;
        }
        let word = body.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let Some(next) = text[end..].trim_start().chars().next() else { continue };
        let opens = next.is_uppercase() || next.is_numeric() || "\"'“‘«([¿¡-–—".contains(next);
        // An ellipsis before a capital ends a sentence too; without case that is not known.
        let ends = abbreviations.ends(&word, marks, next.is_ascii_digit())
            || marks.starts_with("..") && next.is_uppercase();
        if opens && ends {
            return end;
        }
    }
    text.len()
}

/// Returns the next run without white space from byte `from` on.
fn next_field(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + text[from..].find(|c: char| !c.is_whitespace())?;
    let end = text[start..].find(char::is_whitespace).map_or(text.len(), |len| start + len);
    Some((start, end))
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Locale, tokenize::tokenize};

    fn ends(word: &str, marks: &str) -> bool {
        Abbreviations::of("en").ends(word, marks, false)
    }

    #[test]
    fn a_full_stop_ends_a_sentence_unless_the_word_is_short() {
        assert!(ends("lisbon", "."));
        assert!(ends("lisbon", ".\""));
        assert!(ends("1999", "."));
        assert!(!ends("dr", "."));
        assert!(!ends("u.s", "."));
        assert!(!ends("j", "."));
        assert!(!ends("lisbon", ","));
        assert!(!ends("etc", ".,"));
    }

    #[test]
    fn an_ellipsis_leaves_it_open() {
        assert!(!ends("well", "..."));
        assert!(!ends("well", "…"));
        assert!(ends("what", "?!"));
    }

    #[test]
    fn some_abbreviations_count_only_before_numbers() {
        assert!(Abbreviations::of("en").ends("no", ".", false));
        assert!(!Abbreviations::of("en").ends("no", ".", true));
    }

    #[test]
    fn a_sentence_continues_after_some_abbreviations_with_a_small_word_or_a_number() {
        let starts = |text: &str, language: &str| {
            let tokens = tokenize(text, Locale::Root, language);
            tokens
                .iter()
                .filter(|(_, token)| token.starts)
                .map(|(word, _)| word.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            starts("rest it for 5 min. then go. it is 5 min. from here", "en"),
            ["rest", "then", "it"]
        );
        assert_eq!(
            starts("he left the llc. it was late. the llc. of 1990, smith & co. at noon", "en"),
            ["he", "it", "the"]
        );
        assert_eq!(
            starts("jones et al. reported. she and al. she (incl. tax) paid", "en"),
            ["jones", "she", "she"]
        );
        assert_eq!(
            starts("das sind max. 3. die whg. ist teilw. leer. das ist max. er kommt", "de"),
            ["das", "das", "er"]
        );
    }

    #[test]
    fn a_short_number_with_a_full_stop_is_an_ordinal_in_german() {
        let german = Abbreviations::of("de");
        assert!(!german.ends("3", ".", false));
        assert!(german.ends("1999", ".", false));
        assert!(german.ends("3", "?", false));
        assert!(Abbreviations::of("en").ends("3", ".", false));
        assert_eq!(split("Am 3. Oktober fuhr er. Das war 1999. Dann kam er.", "de").count(), 3);
    }

    #[test]
    fn splitting_loses_nothing_but_white_space() {
        let text = "  One. Two?  «Trois.» e.g. four. Mr. Five came... Six! ";
        let joined: String = split(text, "fr").flat_map(str::split_whitespace).collect();
        assert_eq!(joined, text.split_whitespace().collect::<String>());
    }

    #[test]
    fn text_of_several_languages_has_the_abbreviations_of_all() {
        let text = "Mr. Reis came. O exmo. Reis veio.";
        assert_eq!(split(text, "en,pt").collect::<Vec<_>>(), ["Mr. Reis came.", "O exmo. Reis veio."]);
        assert_eq!(split(text, "mul").count(), 2);
        assert_eq!(split(text, "en").count(), 3);
    }

    #[test]
    fn an_unknown_language_has_no_abbreviations() {
        assert!(Abbreviations::of("xx").ends("dr", ".", false));
    }
}
