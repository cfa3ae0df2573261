//! Plain text that arrives in parts: each word is returned as soon as it has ended.

use std::ops::Range;

use super::buffer::not_utf8;
use super::piece::Piece;
use majuscule_base::error::Result;
use majuscule_text::code::CodeFinder;
use majuscule_text::markup::{MAX_TAG, untagged};
use majuscule_text::tokenize::{Cut, MAX_RUN, NO_TEXT, Tokenizer};
use majuscule_text::{Break, Case, Constraint, Context, RestoreOptions, Token, Tokens};

/// The number of returned bytes from which on they are removed from memory.
const DONE: usize = 1 << 12;

/// Plain text as it arrives. Law: however its bytes are divided, the same words are returned, each in a separate
/// piece, and the sources of the pieces make up the text.
///
/// A word ends at white space. Text whose reading depends on later text waits for it: an open mark-up tag waits for
/// its end, and a word that may begin a phrase of [`RestoreOptions::spellings`] waits for the rest of the phrase.
#[derive(Debug)]
pub struct Live {
    name: String,
    options: RestoreOptions,
    tokenizer: Tokenizer,
    /// Some bytes that were returned, and after them the bytes that were not returned yet.
    source: Vec<u8>,
    /// The bytes as text, up to an incomplete character, with [`NO_TEXT`] for each byte that is not
    /// text.
    text: String,
    /// The number of bytes already returned; `read` counts the bytes read by the tokenizer, and
    /// `searched` the bytes searched for the end of a run.
    given: usize,
    read: usize,
    searched: usize,
    /// The words read from `source`; the first `out` of them were returned, and the first `settled` of them can be.
    tokens: Tokens,
    out: usize,
    settled: usize,
    /// True inside a run if a part of it was read before it ended.
    split_word: bool,
    /// Finds code in the text, if that is asked for; text that may be code waits in `source`.
    code: Option<CodeFinder>,
    /// The number of lines; `columns` counts the characters of the last line that came in, for
    /// errors.
    lines: u64,
    columns: u64,
}

impl Live {
    /// Starts a text; `name` is its name in errors.
    pub fn new(name: impl Into<String>, options: RestoreOptions) -> Self {
        Self {
            name: name.into(),
            tokenizer: Tokenizer::live(options.locale(), options.language(), options.capitalized)
                .putting_marks(options.puts().is_some())
                .of_lines(options.context == Context::Line)
                .of_markup(options.context != Context::Line),
            options,
            source: Vec::new(),
            text: String::new(),
            given: 0,
            read: 0,
            searched: 0,
            tokens: Tokens::new(),
            out: 0,
            settled: 0,
            split_word: false,
            code: None,
            lines: 0,
            columns: 0,
        }
    }

    /// Makes the reader look for code, as in plain text.
    pub fn of_plain_text(self) -> Self {
        let code = CodeFinder::new("", self.options.context == Context::Line);
        Self { code: Some(code), ..self }
    }

    /// Processes the next bytes.
    ///
    /// # Errors
    /// Fails if they are not UTF-8 and the options do not allow that; the bytes before the error are
    /// processed.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.source.extend_from_slice(bytes);
        let decoded = self.decode(false);
        if self.may_end() {
            self.scan(Cut::Partial);
        }
        self.searched = self.text.len();
        decoded
    }

    /// Returns true if the last bytes may have ended a run. Most bytes do not, and then no search is needed.
    fn may_end(&self) -> bool {
        let opens = |c: char| matches!(c, '<' | '{');
        let is_bracket = |c: char| matches!(c, '>' | '}') || opens(c);
        let ends = |c: char| c.is_whitespace() || is_bracket(c);
        let (before, new) = self.text.split_at(self.searched);
        let tail = &self.text[self.read..];
        // The two characters after a bracket decide whether it may open a tag, and whether another bracket follows
        // directly. The text after them, even by its length alone, decides whether the bracket opens a tag.
        let is_tag =
            before.chars().rev().take(2).any(is_bracket) || tail.len() <= 5 * MAX_TAG && tail.contains(opens);
        is_tag || tail.len() > MAX_RUN || self.tokenizer.in_run() || new.contains(ends)
    }

    /// Reads the available text as if white space followed. If that splits a run, the words in the rest of the run
    /// keep the case of the source.
    pub fn cut(&mut self) {
        let waiting = self.source[self.text.len()..].utf8_chunks().next();
        self.take(waiting.map_or(0, |chunk| chunk.valid().len()), true);
        let from = self.read;
        self.scan(Cut::Whole);
        if self.read > from {
            self.split_word =
                !self.tokenizer.in_run() && !self.text[from..self.read].ends_with(char::is_whitespace);
        }
    }

    /// Reads the remaining text, at the end of the input.
    ///
    /// # Errors
    /// Fails if the text ends in the middle of a character and the options do not allow that.
    pub fn finish(&mut self) -> Result<()> {
        self.decode(true)?;
        self.scan(Cut::Whole);
        Ok(())
    }

    /// Stores in `piece` the next word with the text up to the word after it, or the text before a word that still
    /// waits. Returns false if nothing is ready yet.
    pub fn next(&mut self, piece: &mut Piece) -> bool {
        piece.clear();
        let words = &self.tokens.as_slice()[self.out..];
        let start = |word: Option<&Token>| word.map_or(self.read, |word| word.source.start as usize);
        let mut end = start(words.first());
        let mut between = self.given..end;
        if between.is_empty() {
            if self.out == self.settled {
                self.forget();
                return false;
            }
            end = start(words.get(1));
            between = words[0].source.end as usize..end;
            let (lower, token) = (self.tokens.lower(self.out), moved(&words[0], self.given as u32));
            piece.tokens.push(lower, self.options.locale(), token);
            self.out += 1;
        }
        piece.source.extend_from_slice(&self.source[self.given..end]);
        piece.after = match self.source[between].contains(&b'\n') {
            true if self.options.context == Context::Line => Break::Document,
            true => Break::Line,
            false => Break::Space,
        };
        self.given = end;
        piece.gap = self.tokens.as_slice().get(self.out).map_or(self.tokenizer.gap(), |next| next.gap);
        true
    }

    /// Returns the bytes not returned yet.
    pub fn rest(&self) -> &[u8] {
        &self.source[self.given..]
    }

    /// Reads the new bytes as text.
    fn decode(&mut self, ends: bool) -> Result<()> {
        loop {
            let rest = &self.source[self.text.len()..];
            let (valid, invalid) = match str::from_utf8(rest) {
                Ok(_) => (rest.len(), 0),
                Err(error) => {
                    let len =
                        error.error_len().unwrap_or(if ends { rest.len() - error.valid_up_to() } else { 0 });
                    (error.valid_up_to(), len)
                }
            };
            if invalid > 0 && !self.options.lossy {
                let error = not_utf8(&self.name, self.lines, self.columns, rest);
                self.take(valid, true);
                self.source.truncate(self.text.len());
                return Err(error);
            }
            self.take(valid, ends || invalid > 0);
            self.text.extend(std::iter::repeat_n(NO_TEXT as char, invalid));
            if invalid == 0 {
                return Ok(());
            }
        }
    }

    /// Processes the next `len` bytes, which are valid text. Text that may be incomplete code waits, unless
    /// `is_whole` is true.
    fn take(&mut self, len: usize, is_whole: bool) {
        let from = self.text.len();
        let Ok(text) = str::from_utf8(&self.source[from..from + len]) else { return };
        let text = match &mut self.code {
            Some(code) => &text[..code.read_live(text, is_whole, &mut self.text)],
            None => {
                self.text.push_str(text);
                text
            }
        };
        let line = text.rfind('\n').map_or(0, |at| at + 1);
        if line > 0 {
            self.columns = 0;
        }
        self.lines += text.bytes().filter(|&b| b == b'\n').count() as u64;
        self.columns += text[line..].chars().count() as u64;
    }

    /// Finds the words that have ended.
    fn scan(&mut self, cut: Cut) {
        let (from, first) = (self.read, self.tokens.len());
        self.read = self.tokenizer.read_from(&self.text, from, 0, cut, &mut self.tokens);
        if self.split_word && self.read > from {
            self.keep(first);
            self.split_word = !self.text[from..self.read].contains(char::is_whitespace);
        }
        // A phrase does not continue on another line, or after this much other text.
        let ends = |token: &Token| {
            let after = &self.text[token.source.end as usize..self.read];
            after.len() > MAX_RUN || after.contains('\n')
        };
        let whole = cut == Cut::Whole || self.tokens.as_slice().last().is_some_and(ends);
        self.fix(whole);
    }

    /// Applies the user's spellings; `whole` is true if later text cannot complete or extend a phrase of the list.
    fn fix(&mut self, whole: bool) {
        self.settled = self.options.spellings.fix(&self.source, self.settled, whole, &mut self.tokens);
    }

    /// Keeps the case of the words from `first` on that are in the same run.
    fn keep(&mut self, first: usize) {
        for token in
            self.tokens.as_mut_slice()[first..].iter_mut().take_while(|token| token.before == Break::None)
        {
            let word = &self.text[token.source.start as usize..token.source.end as usize];
            token.constraint = Constraint::Fixed(Case::of(&untagged(word), self.options.locale()));
        }
    }

    /// Removes text that is no longer needed. The last run that was read stays, since separate marks (`Bonjour !`)
    /// belong to it.
    fn forget(&mut self) {
        if self.out == self.tokens.len() {
            self.tokens.clear();
            (self.out, self.settled) = (0, 0);
        }
        if self.given < DONE {
            return;
        }
        let mut rest = Tokens::new();
        for (lower, token) in self.tokens.iter().skip(self.out) {
            rest.push(lower, self.options.locale(), token.clone());
        }
        self.tokens = rest;
        self.settled -= self.out;
        self.out = 0;
        if self.tokenizer.in_run() {
            return self.remove(0..self.given);
        }
        let line = self.text[..self.read].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
        let run = line.rfind(char::is_whitespace).unwrap_or(0).min(self.given);
        // The last part of an endless run is enough.
        let last = self.given.saturating_sub(DONE);
        let last = (last..).find(|&at| self.text.is_char_boundary(at)).unwrap_or(last);
        let run = if self.given - run > MAX_RUN { last.min(line.len()) } else { run };
        // Of the white space after the run, the last character is enough.
        let space = self.text[..self.given].char_indices().next_back().map_or(0, |(at, _)| at);
        self.remove(line.len()..space.max(line.len()));
        self.remove(0..run);
    }

    /// Removes bytes that were returned.
    fn remove(&mut self, range: Range<usize>) {
        for token in self.tokens.as_mut_slice() {
            token.source = moved(token, range.len() as u32).source;
        }
        for position in [&mut self.given, &mut self.read, &mut self.searched] {
            *position -= range.len();
        }
        self.source.drain(range.clone());
        self.text.drain(range);
    }
}

/// Returns the word with the position that it has once `len` bytes before it are removed.
fn moved(token: &Token, len: u32) -> Token {
    Token { source: token.source.start - len..token.source.end - len, ..token.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_text::tokenize::Capitalized;
    use majuscule_text::{Locale, Spellings};

    type Word = (String, Break, bool, Constraint);

    #[test]
    fn a_word_before_a_tag_comes_out_as_soon_as_no_other_tag_follows() {
        let long = format!("we</i{}", "x".repeat(256));
        for text in ["we<w>.", "we<w>{xy", "we<i></i>!?", &long] {
            let mut live = Live::new("text", RestoreOptions::default()).of_plain_text();
            text.bytes().for_each(|b| live.push(&[b]).unwrap());
            let mut piece = Piece::default();
            assert!(live.next(&mut piece) && piece.tokens.len() == 1, "{text}");
        }
    }

    /// Returns the bytes and the words of a text cut into steps, and the largest number of bytes
    /// held.
    fn read(bytes: &[u8], step: usize, options: RestoreOptions) -> (Vec<u8>, Vec<Word>, usize) {
        let mut live = Live::new("text", options).of_plain_text();
        let (mut piece, mut sources, mut words, mut held) = (Piece::default(), Vec::new(), Vec::new(), 0);
        let mut take = |live: &mut Live| {
            while live.next(&mut piece) {
                assert!(piece.tokens.len() <= 1 && !piece.source.is_empty());
                sources.extend_from_slice(&piece.source);
                let word = |(lower, token): (&str, &Token)| {
                    (lower.to_owned(), token.before, token.starts, token.constraint)
                };
                words.extend(piece.tokens.iter().map(word));
            }
            held = held.max(live.source.capacity());
        };
        for part in bytes.chunks(step) {
            live.push(part).unwrap();
            take(&mut live);
        }
        live.finish().unwrap();
        take(&mut live);
        (sources, words, held)
    }

    fn options() -> RestoreOptions {
        let spellings =
            Spellings::read("New York City\nNew York\nAT&T".as_bytes(), "words", Locale::Root).unwrap();
        let language = Some("en".to_owned());
        RestoreOptions::default().spellings(spellings).in_language(language).capitalized(Capitalized::Keep)
    }

    #[test]
    fn the_same_words_come_out_however_the_bytes_are_cut() {
        let line = "No. 5, no. five! \u{201c}Why?\u{201d} — NÃO é. new  york at&t, new york <b Class=\"a b\">City</b> a < b {\\an8}x \
                    h<i>e</i>llo x<b a<c<d> <p a=\"b\"\n c=d>new <br\n/>{y:i}York Bonjour ! 3 (New)\n- who.\r\n\n1. new\nyork http://a.B/c. e.g. new ";
        let run = "x,".repeat(MAX_RUN / 2);
        let tag = format!("bbc</i>so</i{}> who bbc</i>so</i{} < ", "x".repeat(300), "x".repeat(250));
        let text = format!("{}{tag}{run} who {run}é<b>who {run}<b>who who", line.repeat(200));
        let whole = read(text.as_bytes(), usize::MAX, options());
        assert_eq!(whole.0, text.as_bytes());
        assert_eq!(whole.1.last().unwrap().0, "who");
        for step in [1, 2, 7, 4097] {
            let parts = read(text.as_bytes(), step, options());
            assert_eq!(parts.1.iter().zip(&whole.1).position(|(a, b)| a != b), None, "steps of {step} bytes");
            assert!(parts.0 == whole.0 && parts.1.len() == whole.1.len(), "steps of {step} bytes");
        }
    }

    #[test]
    fn memory_stays_flat_whatever_comes() {
        for part in [
            "h<i>e</i>",
            "<p a=b\n",
            "h<i",
            "x",
            "é",
            " ",
            "\n",
            "new ",
            "new york ",
            "http://a.b ",
            "<b ",
            "a ",
            "\u{3000}",
            "0:07 ",
            "bob ",
            "<ana ",
        ] {
            let lossy = options().lossy(true);
            let text = part.repeat(600_000 / part.len());
            assert!(read(text.as_bytes(), 4099, lossy.clone()).2 < 1 << 19, "{part:?}");
            assert!(read(&[text.as_bytes(), &[0x80; 300_000]].concat(), 4099, lossy).2 < 1 << 19, "{part:?}");
        }
    }

    #[test]
    fn the_place_of_a_bad_byte_is_counted_from_the_beginning_of_its_line() {
        let mut live = Live::new("text", RestoreOptions::default());
        live.push(b"so we").unwrap();
        live.push(b"\nmet ").unwrap();
        let error = live.push(b"\xff").unwrap_err().to_string();
        assert!(error.starts_with("text, line 2, column 5: byte 0xff"), "{error}");
    }

    /// Returns the output after each part.
    fn heard(parts: &[&str]) -> Vec<String> {
        let mut live = Live::new("text", options());
        let mut piece = Piece::default();
        let mut heard = |part: &&str| {
            live.push(part.as_bytes()).unwrap();
            let mut heard = String::new();
            while live.next(&mut piece) {
                heard += str::from_utf8(&piece.source).unwrap();
            }
            heard
        };
        parts.iter().map(&mut heard).collect()
    }

    #[test]
    fn a_word_waits_for_its_end_and_what_it_belongs_to() {
        assert_eq!(heard(&["we", " met", " in\n", "\n"]), ["", "we ", "met in\n", "\n"]);
        assert_eq!(
            heard(&["in new ", "york ", "city ", "new", "\n"]),
            ["in ", "", "new york city ", "", "new\n"]
        );
        assert_eq!(heard(&["new york ", "is", " new ", "<b", "> "]), ["", "", "new york is ", "", ""]);
        assert_eq!(heard(&["a <b ", "c", ">d "]), ["a ", "", "<b c>d "]);
        assert_eq!(heard(&["a < ", "b "]), ["a < ", "b "]);
        // The text before a word does not wait with it.
        assert_eq!(heard(&["we (", ",, (new ", "york"]), ["we ", "(,, (", ""]);
    }

    #[test]
    fn the_rest_of_a_split_word_stays_as_it_is() {
        let mut live = Live::new("text", options().capitalized(Capitalized::Ignore));
        let (mut piece, mut given) = (Piece::default(), Vec::new());
        let mut take = |live: &mut Live| {
            while live.next(&mut piece) {
                given.extend(piece.tokens.iter().map(|(lower, token)| (lower.to_owned(), token.constraint)));
            }
        };
        for part in ["we met in LIS", "BON-B", "c, then WE "] {
            live.push(part.as_bytes()).unwrap();
            live.cut();
            take(&mut live);
        }
        let given: Vec<_> = given.iter().map(|(lower, given)| (lower.as_str(), *given)).collect();
        assert_eq!(
            given[3..],
            [
                ("lis", Constraint::Free),
                ("bon-b", Constraint::Fixed(Case::Upper)),
                ("c", Constraint::Fixed(Case::Lower)),
                ("then", Constraint::Free),
                ("we", Constraint::Free),
            ]
        );
    }
}
