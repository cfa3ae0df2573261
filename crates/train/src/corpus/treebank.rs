//! Reads words and their parts of speech from a treebank in CoNLL-U, in the form that a truecaser sees: as the
//! tokenizer of the program finds them, in lower case, without punctuation.
//!
//! A word of the program may be several words of the treebank, which separates clitics and the parts of compounds.
//! The word has the part of speech of its longest part, or of the first of equally long parts: `well-known` has the
//! part of speech of `known`. A multiword token (`3-4`) has the part of speech of its first word: `don't` has the
//! part of speech of `do`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Example, Gold};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{Input, Lines};
use majuscule_base::named::NamedValue;
use majuscule_text::tokenize::tokenize;
use majuscule_text::tokens::lower_word;
use majuscule_text::{Break, Locale, Token, Tokens, Upos};

/// The sentences of a treebank.
#[derive(Debug, Clone, Default)]
pub struct Treebank {
    locale: Locale,
    sentences: Vec<TreebankSentence>,
}

/// A sentence of a treebank.
#[derive(Debug, Clone, Default)]
struct TreebankSentence {
    words: Vec<TaggedWord>,
    begins_document: bool,
}

/// A word of the program with its part of speech.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TaggedWord {
    spelling: String,
    upos: Upos,
    is_abbreviation: bool,
}

/// A kind of words that a treebank distinguishes; each kind makes a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaggedKind {
    /// Words that are always common or proper nouns
    Nouns,
    /// Words that are always proper nouns
    Names,
    /// Words that are always abbreviations
    Abbreviations,
}

impl NamedValue for TaggedKind {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Nouns, "nouns", "Words that are always common or proper nouns"),
        (Self::Names, "names", "Words that are always proper nouns"),
        (Self::Abbreviations, "abbreviations", "Words that are always abbreviations"),
    ];
}

impl TaggedKind {
    fn has(self, word: &TaggedWord) -> bool {
        match self {
            Self::Nouns => matches!(word.upos, Upos::Noun | Upos::Propn),
            Self::Names => word.upos == Upos::Propn,
            Self::Abbreviations => word.is_abbreviation,
        }
    }
}

impl Treebank {
    /// Reads a file of CoNLL-U and adds its sentences. Empty nodes (`5.1`) are not words of the text
    /// and are left out.
    ///
    /// # Errors
    /// If the file cannot be read, is not CoNLL-U, or has no words.
    pub fn add(&mut self, file: Input<'_>, locale: Locale, language: &str) -> Result<()> {
        self.locale = locale;
        let before = self.sentences.len();
        let mut lines = file.lines();
        let mut sentence = SentenceReader::default();
        while let Some(line) = lines.next()? {
            let read = match line {
                "" => Ok(true),
                line if line.starts_with('#') => {
                    sentence.begins_document |= line[1..].trim_start().starts_with("newdoc");
                    Ok(false)
                }
                line => sentence.row(line).map(|()| false),
            };
            if read.map_err(|problem| lines.problem(problem))? {
                self.finish(&mut sentence, &lines, language)?;
            }
        }
        self.finish(&mut sentence, &lines, language)?;
        if self.sentences.len() == before {
            let problem = "has no words: expected CoNLL-U with the forms of words in column 2; \
                           if the treebank comes without its text, insert it first";
            return Err(Error::file(lines.name(), problem));
        }
        Ok(())
    }

    fn finish(&mut self, sentence: &mut SentenceReader, lines: &Lines<'_>, language: &str) -> Result<()> {
        if sentence.rows.is_empty() {
            return Ok(());
        }
        if let Some(end) = sentence.range_end {
            let problem = format!(
                "found the end of the sentence after word {}, expected the words to {end} of a multiword token: \
                 add them or correct its range",
                sentence.last
            );
            return Err(lines.problem(problem));
        }
        let read = std::mem::take(sentence);
        let words = read.words(self.locale, language);
        if !words.is_empty() {
            self.sentences.push(TreebankSentence { words, begins_document: read.begins_document });
        }
        Ok(())
    }

    /// The case mappings of the treebank.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.sentences.iter().map(|sentence| sentence.words.len()).sum()
    }

    /// Returns true if there are no words.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Returns each sentence as a separate example.
    pub fn alone(&self) -> Vec<Example> {
        self.sentences.iter().map(|sentence| self.example([sentence], Break::Document)).collect()
    }

    /// Returns the documents as running text that does not show where sentences end. Long documents are divided into
    /// several examples.
    pub fn running(&self) -> Vec<Example> {
        let documents = self.sentences.chunk_by(|_, next| !next.begins_document);
        let parts = documents.flat_map(|document| document.chunks(MOST_SENTENCES));
        parts.map(|part| self.example(part, Break::Space)).collect()
    }

    fn example<'a>(
        &self,
        sentences: impl IntoIterator<Item = &'a TreebankSentence>,
        first: Break,
    ) -> Example {
        let mut example = Example::default();
        for word in sentences.into_iter().flat_map(|sentence| &sentence.words) {
            let before = if example.gold.is_empty() { first } else { Break::Space };
            example.tokens.push(&word.spelling, self.locale, Token { before, ..Token::default() });
            example.gold.push(Gold { tag: Some(word.upos), ..Gold::default() });
        }
        example
    }

    /// Returns the spellings of the words of these kinds that have a single spelling inside sentences,
    /// in alphabetical order of their lower case. A word that only begins sentences is left out, since
    /// its capital is weak evidence.
    pub fn unambiguous(&self, kinds: &[TaggedKind], min_count: usize) -> Vec<String> {
        let mut found: BTreeMap<String, WordUse<'_>> = BTreeMap::new();
        for (at, word) in self.sentences.iter().flat_map(|sentence| sentence.words.iter().enumerate()) {
            let mut lower = String::new();
            lower_word(&word.spelling, self.locale, &mut lower);
            let seen =
                found.entry(lower).or_insert_with(|| WordUse { kinds: kinds.to_vec(), ..WordUse::default() });
            seen.count += 1;
            seen.kinds.retain(|kind| kind.has(word));
            if at > 0 {
                seen.spellings.insert(&word.spelling);
            }
        }
        let is_listed = |seen: &WordUse<'_>| seen.count >= min_count && !seen.kinds.is_empty();
        let listed = found.into_values().filter(is_listed);
        let spelled = listed.filter_map(|seen| match seen.spellings.len() {
            1 => seen.spellings.first().map(|spelling| (*spelling).to_owned()),
            _ => None,
        });
        // A line that begins with # would be a comment.
        spelled.filter(|spelling| !spelling.starts_with('#')).collect()
    }
}

/// The largest number of sentences in a part of running text.
const MOST_SENTENCES: usize = 40;

/// The occurrences of a word.
#[derive(Debug, Default)]
struct WordUse<'a> {
    count: usize,
    /// The kinds that all occurrences belong to.
    kinds: Vec<TaggedKind>,
    /// The spellings of the word inside sentences.
    spellings: BTreeSet<&'a str>,
}

/// A word or a multiword token as it is in the text.
#[derive(Debug)]
struct TextRow {
    source: Range<usize>,
    /// Unknown until the first word of a multiword token is read.
    upos: Option<Upos>,
    is_abbreviation: bool,
}

/// The lines of a sentence that were read so far.
#[derive(Debug, Default)]
struct SentenceReader {
    begins_document: bool,
    text: String,
    rows: Vec<TextRow>,
    /// The number of the last word.
    last: usize,
    /// The number of the last word of the multiword token that is being read.
    range_end: Option<usize>,
}

/// The number of a line of CoNLL-U.
enum RowId {
    Word(usize),
    Multiword(usize, usize),
    Empty,
}

impl RowId {
    fn of(id: &str) -> Option<Self> {
        let number = |id: &str| id.parse::<usize>().ok();
        if let Some((first, last)) = id.split_once('-') {
            return Some(Self::Multiword(number(first)?, number(last)?));
        }
        match id.split_once('.') {
            Some((word, at)) => number(word).and(number(at)).map(|_| Self::Empty),
            None => number(id).map(Self::Word),
        }
    }
}

impl SentenceReader {
    /// Reads a line of columns.
    fn row(&mut self, line: &str) -> Result<(), String> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, form, _, upos, _, features, _, _, _, misc] = columns[..] else {
            let found = columns.len();
            return Err(format!(
                "found {found} columns, expected the 10 of CoNLL-U with tabs between them: correct the line, or leave an \
                 empty line between sentences"
            ));
        };
        let expected = self.last + 1;
        match RowId::of(id) {
            Some(RowId::Word(number)) if number == expected => {
                self.last = number;
                let upos = Upos::of_name(upos).ok_or_else(|| unknown_tag(upos))?;
                let is_abbreviation = has(features, "Abbr=Yes");
                match self.range_end {
                    None => self.push(form, misc, Some(upos), is_abbreviation),
                    Some(end) => {
                        self.range_end = (number < end).then_some(end);
                        if let Some(row @ TextRow { upos: None, .. }) = self.rows.last_mut() {
                            (row.upos, row.is_abbreviation) = (Some(upos), is_abbreviation);
                        }
                        Ok(())
                    }
                }
            }
            Some(RowId::Multiword(first, last))
                if first == expected && last >= first && self.range_end.is_none() =>
            {
                self.range_end = Some(last);
                self.push(form, misc, None, false)
            }
            Some(RowId::Empty) => Ok(()),
            Some(_) => Err(format!(
                "found the number {id}, expected {expected}: number the words of a sentence from 1, and leave an empty line \
                 between sentences"
            )),
            None => Err(format!(
                "found \"{}\", expected the number of a word (3), a multiword token (3-4) or an empty node (3.1) in \
                 column 1",
                id.escape_debug()
            )),
        }
    }

    fn push(
        &mut self,
        form: &str,
        misc: &str,
        upos: Option<Upos>,
        is_abbreviation: bool,
    ) -> Result<(), String> {
        if form.trim().is_empty() {
            return Err("found no form in column 2, expected the word as it is in the text".to_owned());
        }
        let start = self.text.len();
        self.text.push_str(form);
        self.rows.push(TextRow { source: start..self.text.len(), upos, is_abbreviation });
        if !has(misc, "SpaceAfter=No") {
            self.text.push(' ');
        }
        Ok(())
    }

    /// Returns the words that the tokenizer of the program finds in the sentence.
    fn words(&self, locale: Locale, language: &str) -> Vec<TaggedWord> {
        let tokens: Tokens = tokenize(&self.text, locale, language);
        let (mut words, mut from) = (Vec::new(), 0);
        for token in tokens.as_slice() {
            let source = token.source.start as usize..token.source.end as usize;
            from += self.rows[from..].iter().take_while(|row| row.source.end <= source.start).count();
            let rows = self.rows[from..].iter().take_while(|row| row.source.start < source.end);
            let letters = |row: &TextRow| {
                let part = row.source.start.max(source.start)..row.source.end.min(source.end);
                self.text.get(part).map_or(0, |part| part.chars().filter(|c| c.is_alphanumeric()).count())
            };
            let longest =
                rows.fold(None, |best: Option<(usize, &TextRow)>, row| match (letters(row), best) {
                    (letters, Some((most, _))) if letters <= most => best,
                    (letters, _) => Some((letters, row)),
                });
            if let (Some((1.., row)), Some(spelling)) = (longest, self.text.get(source.clone()))
                && let Some(upos) = row.upos
            {
                let (spelling, is_abbreviation) = (spelling.to_owned(), row.is_abbreviation);
                words.push(TaggedWord { spelling, upos, is_abbreviation });
            }
        }
        words
    }
}

/// Returns true if a column of features or of other facts contains `fact`.
fn has(column: &str, fact: &str) -> bool {
    column.split('|').any(|found| found == fact)
}

fn unknown_tag(found: &str) -> String {
    let names: Vec<&str> = Upos::VALUES.iter().map(|(_, name, _)| *name).collect();
    format!(
        "found the part of speech \"{}\" in column 4, expected one of {}: convert the tags to UPOS",
        found.escape_debug(),
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn treebank(text: &str) -> Result<Treebank> {
        let mut treebank = Treebank::default();
        treebank.add(Input::new("bank.conllu", Cursor::new(text.to_owned()))?, Locale::Root, "en")?;
        Ok(treebank)
    }

    /// Returns a line with a number, a form, a part of speech, features and other facts.
    fn row(id: &str, form: &str, upos: &str, features: &str, misc: &str) -> String {
        format!("{id}\t{form}\t_\t{upos}\t_\t{features}\t_\t_\t_\t{misc}\n")
    }

    fn plain(id: &str, form: &str, upos: &str) -> String {
        row(id, form, upos, "_", "_")
    }

    fn words(treebank: &Treebank) -> Vec<(&str, Upos)> {
        let words = treebank.sentences.iter().flat_map(|sentence| &sentence.words);
        words.map(|word| (word.spelling.as_str(), word.upos)).collect()
    }

    #[test]
    fn words_are_those_of_the_program() {
        let text = [
            "# newdoc id = a\n# text = We don't like a well-known mayor.\n".to_owned(),
            plain("1", "We", "PRON"),
            row("2-3", "don't", "_", "_", "_"),
            plain("2", "do", "AUX"),
            plain("3", "n't", "PART"),
            plain("4", "like", "VERB"),
            plain("4.1", "seen", "VERB"),
            plain("5", "a", "DET"),
            row("6", "well", "ADV", "_", "SpaceAfter=No"),
            row("7", "-", "PUNCT", "_", "SpaceAfter=No"),
            plain("8", "known", "ADJ"),
            row("9", "mayor", "NOUN", "_", "SpaceAfter=No"),
            plain("10", ".", "PUNCT"),
        ];
        let treebank = treebank(&text.concat()).unwrap();
        let expected = [
            ("We", Upos::Pron),
            ("don't", Upos::Aux),
            ("like", Upos::Verb),
            ("a", Upos::Det),
            ("well-known", Upos::Adj),
            ("mayor", Upos::Noun),
        ];
        assert_eq!(words(&treebank), expected);
        assert_eq!(treebank.alone()[0].tokens.lower(0), "we");
    }

    #[test]
    fn sentences_run_together_within_a_document() {
        let one = plain("1", "Rain", "NOUN");
        let text = format!("# newdoc\n{one}\n{one}\n# newdoc id = b\n{one}");
        let treebank = treebank(&text).unwrap();
        let lens =
            |examples: Vec<Example>| examples.iter().map(|example| example.gold.len()).collect::<Vec<_>>();
        assert_eq!((lens(treebank.alone()), lens(treebank.running())), (vec![1, 1, 1], vec![2, 1]));
    }

    #[test]
    fn errors_say_where_and_what_was_expected() {
        let one = plain("1", "Rain", "NOUN");
        for (text, expected) in [
            ("1\tRain\n".to_owned(), "bank.conllu, line 1: found 2 columns, expected the 10 of CoNLL-U"),
            (
                one.clone() + &plain("3", "falls", "VERB"),
                "bank.conllu, line 2: found the number 3, expected 2",
            ),
            (
                plain("1", "Rain", "NN"),
                "line 1: found the part of speech \"NN\" in column 4, expected one of ADJ, ADP",
            ),
            (plain("one", "Rain", "NOUN"), "line 1: found \"one\", expected the number of a word"),
            (
                plain("1-3", "Rain", "_") + &one,
                "line 2: found the end of the sentence after word 1, expected the words to 3",
            ),
            (plain("1", "", "NOUN"), "line 1: found no form in column 2"),
            (plain("2-1", "Rain", "_"), "line 1: found the number 2-1, expected 1"),
            ("# nothing\n\n".to_owned(), "bank.conllu: has no words"),
        ] {
            let error = treebank(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn unambiguous_words_are_always_of_their_kind_and_spelled_alike() {
        let sentence = |second: &str, upos: &str, third: &str, features: &str| {
            let third = row("3", third, "PROPN", features, "_");
            plain("1", "Porto", "PROPN") + &plain("2", second, upos) + &third + "\n"
        };
        let text = sentence("rose", "NOUN", "Corp", "Abbr=Yes")
            + &sentence("rose", "VERB", "Lisbon", "_")
            + &sentence("trams", "NOUN", "iPhone", "_")
            + &sentence("rain", "NOUN", "RAIN", "_");
        let treebank = treebank(&text).unwrap();
        let list = |kind, min_count| treebank.unambiguous(&[kind], min_count);
        // Porto only begins sentences; rose is a verb too; rain has two spellings.
        assert_eq!(list(TaggedKind::Nouns, 1), ["Corp", "iPhone", "Lisbon", "trams"]);
        assert_eq!(list(TaggedKind::Names, 1), ["Corp", "iPhone", "Lisbon"]);
        assert_eq!(list(TaggedKind::Abbreviations, 1), ["Corp"]);
        assert!(list(TaggedKind::Nouns, 2).is_empty());
    }

    proptest! {
        #[test]
        fn any_lines_are_read_or_refused(
            rows in prop::collection::vec(("[0-9.-]{1,4}", "\\PC{1,6}", "NOUN|_|VERB|é", "_|SpaceAfter=No"), 0..8), other: String,
        ) {
            let rows = rows.iter().map(|(id, form, upos, misc)| row(id, form, upos, "_", misc));
            let _ = treebank(&(rows.collect::<String>() + &other));
            let forms = other.split_whitespace().zip(1..).map(|(form, id)| plain(&id.to_string(), form, "X"));
            let _ = treebank(&forms.collect::<String>());
        }
    }
}
