//! Word lists: names, places, acronyms; one entry per line, a word or a phrase.
//!
//! Empty lines and lines that begin with `#` are skipped. An entry is written in its correct
//! spelling: `Lisbon`, `NATO`, `iPhone`, `New York`. An entry is tokenised like a text.

use std::io::{self, Write};
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::Lexicon;
use super::counter::spell;
use super::read::{LexiconLines, OneSource};
use majuscule_base::error::Result;
use majuscule_base::files::Input;
use majuscule_text::tokenize::tokenize;
use majuscule_text::{Locale, Tokens};

/// A list of words and phrases.
#[derive(Debug, Clone, Default)]
pub struct List {
    name: String,
    locale: Locale,
    entries: Vec<Vec<String>>,
}

impl List {
    /// Reads a list. Its name is the name of the file without folders.
    ///
    /// # Errors
    /// If the file cannot be read or a line contains no word.
    pub fn read(file: Input, locale: Locale) -> Result<Self> {
        Self::read_lines(&mut LexiconLines::new(file), locale)
    }

    pub(super) fn read_lines(lines: &mut LexiconLines, locale: Locale) -> Result<Self> {
        let mut list = Self { name: lines.source(), locale, ..Self::default() };
        let mut known = FxHashSet::default();
        let language = locale.to_string();
        while lines.advance()? {
            let line = lines.line();
            let entry = line.trim();
            if entry.is_empty() || entry.starts_with('#') {
                continue;
            }
            let mut words = spellings(entry, &tokenize(entry, locale, &language));
            if words.is_empty() && entry.contains(char::is_alphanumeric) {
                // Tokens that are left unchanged in a text, such as file names, may still be names:
                // ASP.NET.
                words = entry.split_whitespace().map(str::to_owned).collect();
            }
            if words.is_empty() {
                let problem = format!(
                    "found no word in \"{}\", expected a word or a phrase: correct the line, or begin it with # as a comment",
                    entry.escape_debug()
                );
                return Err(lines.problem(problem));
            }
            if known.insert(words.clone()) {
                list.entries.push(words);
            }
        }
        Ok(list)
    }

    /// The name of the list.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entries in the order of the file, without duplicates: the words of each as they are spelled, at least one.
    pub fn entries(&self) -> &[Vec<String>] {
        &self.entries
    }

    /// Returns a lexicon in which each occurrence of a word in the list counts as one inside a
    /// sentence. The words of phrases are included only with `phrases`, since not every word of a
    /// phrase is spelled the same elsewhere (`Area`, `University`).
    pub fn to_lexicon(&self, phrases: bool) -> Lexicon {
        let mut lexicon = OneSource::new(Lexicon::of_locale(self.locale));
        for words in self.entries.iter().filter(|words| phrases || words.len() == 1) {
            for (word, case) in words.iter().filter_map(|word| spell(word, self.locale).ok()) {
                lexicon.add(&word, case, 1.0);
            }
        }
        lexicon.finish(&self.name, self.entries.len() as u64)
    }
}

fn spellings(entry: &str, tokens: &Tokens) -> Vec<String> {
    let spelling = |source: &Range<u32>| entry[source.start as usize..source.end as usize].to_owned();
    tokens.as_slice().iter().map(|token| spelling(&token.source)).collect()
}

/// Writes the forms of a lexicon as a list. Words that begin with `#` are left out, since they
/// would be read as comments.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(lexicon: &Lexicon, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    for entry in lexicon.iter().filter(|entry| !entry.word.starts_with('#')) {
        for form in entry.forms {
            writeln!(out, "{}", form.case.applied(entry.word, lexicon.locale()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn list(text: &'static str) -> Result<List> {
        List::read(Input::new("lists/places.txt", Cursor::new(text))?, Locale::Root)
    }

    const PLACES: &str = "# places\nLisbon\nNew York\n  New York City \n\nYork\nLisbon\nL’Aquila\n";

    #[test]
    fn each_spelling_is_an_entry_once() {
        let list = list(PLACES).unwrap();
        assert_eq!(list.name(), "places.txt");
        assert_eq!(list.entries().len(), 5);
        assert_eq!(list.entries()[1], ["New", "York"]);
    }

    #[test]
    fn the_words_of_phrases_are_forms_only_when_asked_for() {
        let list = list(PLACES).unwrap();
        assert_eq!(list.to_lexicon(false).get("york").unwrap().count(), 1.0);
        assert!(list.to_lexicon(false).get("new").is_none());
        assert_eq!(list.to_lexicon(true).get("york").unwrap().count(), 3.0);
    }

    #[test]
    fn a_name_that_looks_like_a_file_is_an_entry() {
        assert_eq!(list("ASP.NET\n").unwrap().entries()[0], ["ASP.NET"]);
    }

    #[test]
    fn a_line_without_a_word_is_refused() {
        let error = list("Lisbon\n---\n").unwrap_err().to_string();
        assert!(error.starts_with("lists/places.txt, line 2: found no word in \"---\""), "{error}");
    }
}
