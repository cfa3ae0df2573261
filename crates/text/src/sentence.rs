//! Sentence boundaries, according to the marks in the text.

use std::collections::hash_map::Entry;
use std::sync::{LazyLock, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::case::Case;
use super::language::Language;
use super::locale::Locale;
pub use super::mark::is_end_mark;
use super::word_list::{ListEntry, entries};

/// The flags that an abbreviation may have in a list; comments at the top of the lists explain them.
const FLAGS: [&str; 6] = ["NUMBER", "LAST", "ANY", "NAME", "BARE", "SMALL"];

static OF_LANGUAGE: [OnceLock<Abbreviations>; Language::ALL.len()] =
    [const { OnceLock::new() }; Language::ALL.len()];

/// The abbreviations of all languages together.
static OF_ALL: LazyLock<Abbreviations> = LazyLock::new(|| Abbreviations::read(Language::ALL));

static NO_ABBREVIATIONS: LazyLock<Abbreviations> = LazyLock::new(Abbreviations::default);

/// An abbreviation.
#[derive(Debug)]
pub(super) struct Abbreviation {
    /// Its case; `None` if the case depends on the text but is never all capitals.
    pub(super) case: Option<Case>,
    /// The word that must be before it: `et` before `al`.
    pub(super) after: Option<Box<str>>,
    /// True if it counts only before a number, or also before a word that continues the sentence (`may_continue`).
    pub(super) needs_number: bool,
    /// True if it may end a sentence.
    pub(super) ends: bool,
    /// True if the name of a person follows.
    pub(super) is_title: bool,
    /// True if it counts without a full stop too.
    pub(super) is_bare: bool,
    /// True if its full stop ends no sentence.
    ends_none: bool,
    /// True if its full stop ends no sentence before a number.
    ends_none_before_number: bool,
    /// True if a sentence continues after it with a number or with a word of `continuing`.
    pub(super) may_continue: bool,
}

impl Abbreviation {
    /// Makes an abbreviation of an entry in a list. If it often ends a sentence, or has several words, its full stop
    /// is not known to end none.
    fn new(entry: ListEntry<'_>) -> (String, Self) {
        let (after, word) = match entry.words.rsplit_once(' ') {
            Some((after, word)) => (Some(after.to_lowercase().into()), word),
            None => (None, entry.words),
        };
        let [ends, number, may_continue] = ["LAST", "NUMBER", "SMALL"].map(|flag| entry.has(flag));
        let is_short = !ends && !may_continue && after.is_none();
        let new = Self {
            case: (!entry.has("ANY")).then(|| Case::of(word, Locale::Root)),
            after,
            needs_number: number || may_continue && !ends,
            ends,
            is_title: entry.has("NAME"),
            is_bare: entry.has("BARE"),
            ends_none: is_short && !number,
            ends_none_before_number: is_short,
            may_continue,
        };
        (word.to_lowercase(), new)
    }
}

/// Words after which a full stop does not end a sentence: `dr.`, `approx.`; and, only before a
/// number, `no.`, `p.`
#[derive(Debug, Default)]
pub struct Abbreviations {
    /// By the lower case of the word, or of the last word.
    pub(super) entries: FxHashMap<Box<str>, Abbreviation>,
    continuing: FxHashSet<&'static str>,
    one_letter: String,
    /// True if a number with a full stop is an ordinal.
    ordinals_have_stops: bool,
}

impl Abbreviations {
    /// Returns the abbreviations of a language, by its tag (`pt-BR` is `pt`). For several languages
    /// (`en,pt`, `mul`) the abbreviations of all languages count.
    pub fn of(language: &str) -> &'static Self {
        if language == "mul" || language.contains(',') {
            return &OF_ALL;
        }
        let Some(at) = Language::position(language) else { return &NO_ABBREVIATIONS };
        OF_LANGUAGE[at].get_or_init(|| Self {
            ordinals_have_stops: Language::ALL[at].ordinals_have_stops,
            ..Self::read(&Language::ALL[at..=at])
        })
    }

    /// Reads the lists of languages, with one abbreviation per line.
    fn read(languages: &[&'static Language]) -> Self {
        let mut all = Self::default();
        for language in languages {
            all.continuing.extend(language.continuing.split_ascii_whitespace());
            all.one_letter.push_str(language.one_letter);
            for (word, new) in entries(language.abbreviations, &FLAGS).map(Abbreviation::new) {
                match all.entries.entry(word.into()) {
                    Entry::Vacant(entry) => _ = entry.insert(new),
                    // Another language has it too.
                    Entry::Occupied(mut entry) => {
                        let known = entry.get_mut();
                        known.ends_none |= new.ends_none;
                        known.ends_none_before_number |= new.ends_none_before_number;
                        known.may_continue |= new.may_continue;
                    }
                }
            }
        }
        all
    }

    /// Returns true if a sentence may continue after a word in lower case and a full stop. The next word shows
    /// whether it continues: see [`Self::continues`].
    pub(super) fn may_continue(&self, word: &str) -> bool {
        self.entries.get(word).is_some_and(|entry| entry.may_continue)
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
        let is_listed = || {
            let ends_none =
                |entry: &Abbreviation| entry.ends_none || before_digit && entry.ends_none_before_number;
            self.entries.get(word).is_some_and(ends_none)
        };
        !(short
            || self.ordinals_have_stops && is_ordinal(word)
            || !number && word.contains('.')
            || is_listed())
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
    use crate::tokenize::tokenize;

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
    fn no_list_has_a_word_twice() {
        for language in Language::ALL {
            let count = entries(language.abbreviations, &FLAGS).count();
            assert_eq!(count, Abbreviations::of(language.tag).entries.len(), "{}", language.tag);
        }
    }

    #[test]
    fn an_unknown_language_has_no_abbreviations() {
        assert!(Abbreviations::of("xx").ends("dr", ".", false));
    }
}
