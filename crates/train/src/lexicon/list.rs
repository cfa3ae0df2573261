//! Word lists: names, places, acronyms; one entry per line, a word or a phrase.
//!
//! Empty lines and lines that begin with `#` are skipped. An entry is written in its correct
//! spelling: `Lisbon`, `NATO`, `iPhone`, `New York`. An entry is tokenised like a text.

use std::io::{self, Write};
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::counter::spell;
use super::read::LexiconLines;
use super::{CountedForm, FormCounter, Lexicon, LexiconSource};
use majuscule_base::error::Result;
use majuscule_base::files::Input;
use majuscule_text::tokenize::tokenize;
use majuscule_text::{Locale, Tokens};

/// A list of words and phrases.
#[derive(Debug, Clone, Default)]
pub struct List {
    name: String,
    locale: Locale,
    entries: Vec<ListPhrase>,
}

/// An entry of a list: its words as they are spelled.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListPhrase(Vec<String>);

impl ListPhrase {
    /// The words of the entry as they are spelled, at least one.
    pub fn words(&self) -> &[String] {
        &self.0
    }
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
                list.entries.push(ListPhrase(words));
            }
        }
        Ok(list)
    }

    /// The name of the list.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entries in the order of the file, without duplicates.
    pub fn entries(&self) -> &[ListPhrase] {
        &self.entries
    }

    /// Returns a lexicon in which each occurrence of a word in the list counts as one inside a
    /// sentence. The words of phrases are included only with `phrases`, since not every word of a
    /// phrase is spelled the same elsewhere (`Area`, `University`).
    pub fn to_lexicon(&self, phrases: bool) -> Lexicon {
        let mut lexicon = Lexicon::of_locale(self.locale);
        lexicon.sources.push(LexiconSource::new(&self.name, self.entries.len() as u64));
        let sources = lexicon.sets.id(vec![0]);
        let mut counter = FormCounter::new(self.locale);
        for ListPhrase(words) in self.entries.iter().filter(|entry| phrases || entry.0.len() == 1) {
            for (word, case) in words.iter().filter_map(|word| spell(word, self.locale).ok()) {
                counter.add(&word, CountedForm { case, count: 1.0, initial: 0.0, sources });
            }
        }
        counter.finish_into(&mut lexicon, |_| sources);
        lexicon
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
        assert_eq!(list.entries()[1].words(), ["New", "York"]);
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
        assert_eq!(list("ASP.NET\n").unwrap().entries()[0].words(), ["ASP.NET"]);
    }

    #[test]
    fn a_line_without_a_word_is_refused() {
        let error = list("Lisbon\n---\n").unwrap_err().to_string();
        assert!(error.starts_with("lists/places.txt, line 2: found no word in \"---\""), "{error}");
    }
}
