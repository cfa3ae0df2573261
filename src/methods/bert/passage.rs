//! Words in, texts that the encoder can take out: whole sentences, and where these are too long, windows that overlap.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::tokenize::Pieces;
use crate::text::{Break, Given, Token};

/// A text for the encoder, and the words in it that are to be answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// Its pieces, those before and after all words included.
    pub ids: Vec<u32>,
    /// The words that are asked for, in order.
    pub asked: Vec<Asked>,
}

/// A word that is to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// It.
    pub lower: String,
    /// What is known of its case.
    pub given: Given,
    /// Where its first piece stands in the text; `None` for a word without pieces.
    pub first: Option<u32>,
}

/// How words are gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gathering {
    /// Pieces of a text at most, those before and after the words included.
    pub window: usize,
    /// Whether a text goes on over the end of a line.
    pub runs_on: bool,
    /// Words of right context at most.
    pub look_ahead: Option<usize>,
}

/// Words on their way.
#[derive(Debug)]
pub struct Passage<'a> {
    pieces: &'a Pieces,
    gathering: Gathering,
    /// The words of the text that is being gathered.
    words: Vec<Word>,
    /// How many of them are answered.
    answered: usize,
    /// The pieces of all.
    total: usize,
    known: FxHashMap<String, Arc<[u32]>>,
}

#[derive(Debug, Clone)]
struct Word {
    lower: String,
    given: Given,
    pieces: Arc<[u32]>,
}

/// So many words are kept with their pieces; then all are forgotten.
const KNOWN: usize = 1 << 16;

impl<'a> Passage<'a> {
    /// None yet.
    pub fn new(pieces: &'a Pieces, gathering: Gathering) -> Self {
        let known = FxHashMap::default();
        Self { pieces, gathering, words: Vec::new(), answered: 0, total: 0, known }
    }

    /// Takes a word and appends the texts that are whole now.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn push(&mut self, lower: &str, token: &Token, out: &mut Vec<Text>) -> Result<(), String> {
        if self.parts(token) {
            self.finish(out);
        }
        let pieces = self.pieces_of(lower)?;
        self.total += pieces.len();
        self.words.push(Word { lower: lower.to_owned(), given: token.given, pieces });
        if self.total > self.capacity() {
            self.shift(out);
        }
        if let Some(ahead) = self.gathering.look_ahead {
            while self.words.len() - self.answered > ahead {
                out.push(self.text(self.answered + ahead + 1, self.answered + 1));
                self.answered += 1;
            }
        }
        Ok(())
    }

    /// Appends a text for the words that are not answered yet; they stay as context.
    pub fn now(&mut self, out: &mut Vec<Text>) {
        out.extend(self.rest());
        self.answered = self.words.len();
    }

    /// A text for the words that are not answered yet.
    pub fn rest(&self) -> Option<Text> {
        (self.answered < self.words.len()).then(|| self.text(self.words.len(), self.words.len()))
    }

    /// The text ends here.
    pub fn finish(&mut self, out: &mut Vec<Text>) {
        self.now(out);
        self.words.clear();
        (self.answered, self.total) = (0, 0);
    }

    /// The end of a line, if anything.
    pub fn soft(&mut self, out: &mut Vec<Text>) {
        if !self.gathering.runs_on {
            self.finish(out);
        }
    }

    /// Whether a word begins a text.
    fn parts(&self, token: &Token) -> bool {
        let line = if self.gathering.runs_on { Break::Turn } else { Break::Line };
        token.starts || token.before >= line
    }

    fn capacity(&self) -> usize {
        self.gathering.window - 2
    }

    fn pieces_of(&mut self, lower: &str) -> Result<Arc<[u32]>, String> {
        if let Some(pieces) = self.known.get(lower) {
            return Ok(pieces.clone());
        }
        let mut pieces = self.pieces.of(lower)?;
        pieces.truncate(self.capacity());
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
        let pieces: Arc<[u32]> = pieces.into();
        self.known.insert(lower.to_owned(), pieces.clone());
        Ok(pieces)
    }

    /// The last word does not fit any more: those before it are a window, and the next begins in its middle. Words before the
    /// middle of what two windows share are answered by the first.
    fn shift(&mut self, out: &mut Vec<Text>) {
        let end = self.words.len() - 1;
        let mut drop = 0;
        let mut pieces = 0;
        while drop < end && (pieces < self.capacity() / 2 || !self.fits_without(pieces)) {
            pieces += self.words[drop].pieces.len();
            drop += 1;
        }
        let middle = drop.midpoint(end);
        if self.answered < middle {
            out.push(self.text(end, middle));
            self.answered = middle;
        }
        self.words.drain(..drop);
        self.answered -= drop;
        self.total -= pieces;
    }

    fn fits_without(&self, pieces: usize) -> bool {
        self.total - pieces <= self.capacity()
    }

    /// The first `end` words as a text that asks for those not answered before `until`.
    fn text(&self, end: usize, until: usize) -> Text {
        let special = self.pieces.special;
        let mut text = Text { ids: vec![special.first], asked: Vec::with_capacity(until - self.answered) };
        for (at, word) in self.words[..end].iter().enumerate() {
            if (self.answered..until).contains(&at) {
                let first = (!word.pieces.is_empty()).then_some(text.ids.len() as u32);
                text.asked.push(Asked { lower: word.lower.clone(), given: word.given, first });
            }
            text.ids.extend_from_slice(&word.pieces);
        }
        text.ids.push(special.last);
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Locale, Tokens};

    const VOCABULARY: &[u8] = include_bytes!("../../../tests/data/toy-bert/vocab.txt");

    fn pieces() -> Pieces {
        Pieces::read_vocabulary(VOCABULARY, true, None).unwrap()
    }

    fn texts(pieces: &Pieces, words: &[String], gathering: Gathering) -> Vec<Text> {
        let mut passage = Passage::new(pieces, gathering);
        let mut texts = Vec::new();
        let tokens = Tokens::of_words(words.iter().map(String::as_str), Locale::Root);
        for (lower, token) in tokens.iter() {
            passage.push(lower, token, &mut texts).unwrap();
        }
        passage.finish(&mut texts);
        texts
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn every_word_is_asked_for_once_in_order_in_a_text_that_fits(
            words in prop::collection::vec("[a-z]{1,9}|lisbon|\u{200b}", 0..60),
            window in 3usize..30,
            look_ahead in prop::option::of(0usize..9),
        ) {
            let pieces = pieces();
            let texts = texts(&pieces, &words, Gathering { window, runs_on: false, look_ahead });
            let asked: Vec<&str> = texts.iter().flat_map(|text| &text.asked).map(|word| &*word.lower).collect();
            prop_assert_eq!(asked, words.iter().map(String::as_str).collect::<Vec<_>>());
            for text in &texts {
                prop_assert!(text.ids.len() <= window && !text.asked.is_empty());
                for word in &text.asked {
                    let own = pieces.of(&word.lower).unwrap();
                    prop_assert_eq!(word.first.map(|first| text.ids[first as usize]), own.first().copied());
                }
            }
        }
    }

    #[test]
    fn windows_share_half_and_each_answers_the_words_in_its_middle() {
        let words: Vec<String> =
            "the in of and met who us we to with".split(' ').map(str::to_owned).collect();
        let gathering = Gathering { window: 6, runs_on: false, look_ahead: None };
        let asked: Vec<String> = texts(&pieces(), &words, gathering)
            .iter()
            .map(|text| text.asked.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" "))
            .collect();
        // Four words at a time, from the first, third, fifth and seventh.
        assert_eq!(asked, ["the in of", "and met", "who us", "we to with"]);
    }
}
