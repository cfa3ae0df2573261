//! Reads lexicons in any of their formats, which the first line identifies.

use std::io::Cursor;
use std::path::Path;

use super::counter::spell;
use super::sources::SetId;
use super::{CountedForm, FormCounter, Lexicon, LexiconSource, List, map, moses, tsv};
use majuscule_base::error::{Error, Location, Problem, Result};
use majuscule_base::files::{self, Input};
use majuscule_text::{Case, Locale};

/// A file format of lexicons that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LexiconFormat {
    /// One form per line, columns separated by tabs, with a header
    Tsv,
    /// The Moses truecaser's model: Form (count/total) form (count) …
    Moses,
    /// The map of SRILM's disambig -map: word form p form p …
    Map,
    /// A word list: one word or phrase per line, # comments
    List,
}

impl LexiconFormat {
    /// Returns the format of a file that begins with this line. A line that fits no other format is
    /// an entry of a list.
    pub fn of_line(line: &str) -> Self {
        let fields: Vec<&str> = line.split_whitespace().take(3).collect();
        match fields[..] {
            _ if tsv::is_first_line(line) => Self::Tsv,
            [_, counts, ..] if moses::counts(counts).is_some() => Self::Moses,
            [_, _, p] if map::probability(p).is_some() => Self::Map,
            _ => Self::List,
        }
    }
}

/// The options for reading a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LexiconReadConfig {
    /// The format; `None` to detect it from the first line.
    pub format: Option<LexiconFormat>,
    /// The language tag of files that do not name a language; `None` means `root`.
    pub language: Option<String>,
    /// True if the words of a phrase in a list also count as single words.
    pub phrases: bool,
}

/// Reads a lexicon. In formats that name no sources, the file is the source, by its name without
/// folders.
///
/// An entry of a list counts as one occurrence inside a sentence. A Moses model has no counts of
/// sentence beginnings, and a map has relative frequencies instead of counts.
///
/// # Errors
/// If the file cannot be read or a line does not match the format: the error names the line.
pub fn read(file: Input, config: &LexiconReadConfig) -> Result<Lexicon> {
    Ok(read_as(file, config)?.0)
}

/// Reads a lexicon, and returns it with its format.
///
/// # Errors
/// The errors of [`read`].
pub fn read_as(file: Input, config: &LexiconReadConfig) -> Result<(Lexicon, LexiconFormat)> {
    let mut lines = LexiconLines::new(file);
    let language = config.language.as_deref().unwrap_or("root");
    let format = match config.format {
        Some(format) => format,
        None => lines.peek()?.map_or(LexiconFormat::List, LexiconFormat::of_line),
    };
    let lexicon = match format {
        LexiconFormat::Tsv => tsv::read(&mut lines),
        LexiconFormat::Moses => moses::read(&mut lines, language),
        LexiconFormat::Map => map::read(&mut lines, language),
        LexiconFormat::List => {
            let locale = Lexicon::new(language)?.locale();
            List::read_lines(&mut lines, locale)?.to_lexicon(config.phrases).with_language(language)
        }
    };
    Ok((lexicon?, format))
}

/// Reads a lexicon from memory, in any of the formats.
///
/// # Errors
/// The errors of [`read`].
pub fn parse(data: &[u8]) -> Result<Lexicon> {
    read_bytes(data, &LexiconReadConfig::default())
}

/// Reads a lexicon from memory.
///
/// # Errors
/// The errors of [`read`].
pub fn read_bytes(data: &[u8], config: &LexiconReadConfig) -> Result<Lexicon> {
    read(Input::new("lexicon", Cursor::new(data.to_vec()))?, config)
}

/// The lines of a file, with a look-ahead of one line.
pub(super) struct LexiconLines<'a> {
    lines: files::Lines<'a>,
    line: String,
    peeked: bool,
}

impl<'a> LexiconLines<'a> {
    pub(super) fn new(file: Input<'a>) -> Self {
        Self { lines: file.lines(), line: String::new(), peeked: false }
    }

    /// Advances to the next line. Returns false at the end.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.peeked) {
            return Ok(true);
        }
        let Some(line) = self.lines.next()? else { return Ok(false) };
        self.line.clear();
        self.line.push_str(line);
        Ok(true)
    }

    /// The current line.
    pub(super) fn line(&self) -> &str {
        &self.line
    }

    /// The next line, without advancing to it.
    fn peek(&mut self) -> Result<Option<&str>> {
        self.peeked = self.advance()?;
        Ok(self.peeked.then_some(&self.line))
    }

    /// The name of the file.
    pub(super) fn name(&self) -> &str {
        self.lines.name()
    }

    /// The name of the file as a source.
    pub(super) fn source(&self) -> String {
        source_name(self.name())
    }

    /// Creates an error about the current line.
    pub(super) fn problem(&self, problem: impl Into<Problem>) -> Error {
        self.lines.problem(problem)
    }

    /// Creates an error about `part` of the current line.
    pub(super) fn problem_at(&self, part: &str, problem: impl Into<Problem>) -> Error {
        // The part is a slice of the line, so the difference of the two pointers is the position of the part.
        let offset = (part.as_ptr() as usize).wrapping_sub(self.line.as_ptr() as usize);
        let column = self.line.get(..offset).map(|before| before.chars().count() as u64 + 1);
        let location = Location { file: self.name().to_owned(), line: Some(self.lines.number()), column };
        Error::Input { location, problem: problem.into() }
    }
}

/// The name of a file as a source: without its folders, which differ between machines.
pub fn source_name(file: &str) -> String {
    match Path::new(file).file_name() {
        _ if file == "-" => "standard input".to_owned(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => file.to_owned(),
    }
}

/// Returns the word and the case of a form that was read.
pub(super) fn form(form: &str, locale: Locale) -> Result<(String, Case), String> {
    spell(form, locale).map_err(|problem| format!("the form \"{}\" {problem}", form.escape_debug()))
}

/// Builds the lexicon of a file in a format that names no sources: the file is the only source.
pub(super) struct OneSource {
    lexicon: Lexicon,
    counter: FormCounter,
    set: SetId,
}

impl OneSource {
    /// Begins with an empty lexicon.
    pub(super) fn new(mut lexicon: Lexicon) -> Self {
        let set = lexicon.sets.id(vec![0]);
        Self { counter: FormCounter::new(lexicon.locale), lexicon, set }
    }

    pub(super) fn locale(&self) -> Locale {
        self.lexicon.locale
    }

    /// Adds to the count of a form.
    pub(super) fn add(&mut self, word: &str, case: Case, count: f64) {
        self.counter.add(word, CountedForm { case, count, initial: 0.0, sources: self.set });
    }

    pub(super) fn finish(mut self, name: &str, words: u64) -> Lexicon {
        self.lexicon.sources.push(LexiconSource::new(name, words));
        self.counter.finish_into(&mut self.lexicon, |form| form.sources);
        self.lexicon
    }
}

/// Parses a count or relative frequency: a finite number in digits, not negative.
pub(super) fn number(text: &str) -> Option<f64> {
    let starts = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number = text.parse().ok().filter(|number: &f64| starts && number.is_finite());
    // This keeps sums finite, whatever a file contains.
    number.filter(|number| *number <= 1e300)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TSV: &str = "# majuscule lexicon\t1\n# language\ten\n# source\t1\tnews\t9\n\
                       # update\t2026-11-20\t0.5\tnews\nword\tform\tcount\tinitial\tsources\n\
                       mcdonald\tMcDonald\t3\t0.5\t1\nrose\trose\t4\t1\t1\nrose\tRose\t2\t0\t1\n";
    const MOSES: &str = "the (12/15) The (3)\nMcDonald (2/2)\n";
    const MAP: &str = "rose rose 0.75 Rose 0.25\nnato NATO 1\n";
    const LIST: &str = "# cities\nLisbon\nSão Paulo\n\niPhone\n";

    #[test]
    fn a_format_shows_in_its_first_line() {
        for (text, format) in [
            (TSV, LexiconFormat::Tsv),
            (MOSES, LexiconFormat::Moses),
            (MAP, LexiconFormat::Map),
            (LIST, LexiconFormat::List),
        ] {
            assert_eq!(LexiconFormat::of_line(text.lines().next().unwrap()), format);
        }
        for entry in ["Lisbon", "New York", "Boeing 747", "Area 51 Nevada", "", "# a comment"] {
            assert_eq!(LexiconFormat::of_line(entry), LexiconFormat::List, "{entry}");
        }
    }

    #[test]
    fn each_format_reads() {
        let words = |text: &str| {
            parse(text.as_bytes()).unwrap().iter().map(|e| e.word.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words(TSV), ["mcdonald", "rose"]);
        assert_eq!(words(MOSES), ["mcdonald", "the"]);
        assert_eq!(words(MAP), ["nato", "rose"]);
        assert_eq!(words(LIST), ["iphone", "lisbon"]);
        assert_eq!(words(""), [""; 0]);
        assert_eq!(words("\u{feff}Lisbon\r\nParis"), ["lisbon", "paris"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_their_position() {
        let error = parse(b"Lisbon\nS\xc3\xa3o \xff\n").unwrap_err().to_string();
        assert!(error.starts_with("lexicon, line 2, column 5: byte 0xff"), "{error}");
    }
}
