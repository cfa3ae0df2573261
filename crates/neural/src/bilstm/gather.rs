//! Words in, texts out: whole sentences, and where these are too long, windows that overlap.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::network::Word;
use super::vocabulary::Vocabulary;
use majuscule::text::{Break, Given, Token};

/// A word that is kept for several texts.
#[derive(Debug, PartialEq, Eq)]
pub struct Known {
    pub lower: String,
    pub id: u32,
    pub letters: Arc<[u32]>,
}

/// A text for the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub words: Vec<(Arc<Known>, Given)>,
    /// The words that are to be answered.
    pub asked: Range<usize>,
}

impl Text {
    /// Its words for the network.
    pub fn seen(&self) -> Vec<Word<'_>> {
        self.words.iter().map(|(word, _)| Word { id: word.id, letters: &word.letters }).collect()
    }
}

/// How words are gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gathering {
    /// Words of a text at most; 2 at least.
    pub window: usize,
    /// Whether a text goes on over the end of a line.
    pub runs_on: bool,
    /// Words of right context at most.
    pub look_ahead: Option<usize>,
}

/// Words on their way.
#[derive(Debug)]
pub struct Gather<'a> {
    vocabulary: &'a Vocabulary,
    gathering: Gathering,
    /// The words of the text that is being gathered.
    words: Vec<(Arc<Known>, Given)>,
    /// How many of them are answered.
    answered: usize,
    known: FxHashMap<String, Arc<Known>>,
}

/// So many words are kept with their letters; then all are forgotten.
const KNOWN: usize = 1 << 16;

impl<'a> Gather<'a> {
    /// None yet.
    pub fn new(vocabulary: &'a Vocabulary, gathering: Gathering) -> Self {
        Self { vocabulary, gathering, words: Vec::new(), answered: 0, known: FxHashMap::default() }
    }

    /// Takes a word and appends the texts that are whole now.
    pub fn push(&mut self, lower: &str, token: &Token, out: &mut Vec<Text>) {
        let line = if self.gathering.runs_on { Break::Turn } else { Break::Line };
        if token.starts || token.before >= line {
            self.finish(out);
        }
        let word = self.word(lower);
        self.words.push((word, token.given));
        if self.words.len() > self.gathering.window {
            self.shift(out);
        }
        if let Some(ahead) = self.gathering.look_ahead {
            while self.words.len() - self.answered > ahead {
                out.push(self.text(self.answered + ahead + 1, self.answered + 1));
                self.answered += 1;
            }
        }
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
        self.answered = 0;
    }

    /// The end of a line, if anything.
    pub fn soft(&mut self, out: &mut Vec<Text>) {
        if !self.gathering.runs_on {
            self.finish(out);
        }
    }

    fn word(&mut self, lower: &str) -> Arc<Known> {
        if let Some(known) = self.known.get(lower) {
            return known.clone();
        }
        let id = self.vocabulary.word(lower).unwrap_or_default();
        let known = Known { lower: lower.to_owned(), id, letters: self.vocabulary.spelling(lower) };
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
        let known = Arc::new(known);
        self.known.insert(lower.to_owned(), known.clone());
        known
    }

    /// The last word does not fit any more: those before it are a window, and the next begins in its middle. Words before the
    /// middle of what two windows share are answered by the first.
    fn shift(&mut self, out: &mut Vec<Text>) {
        let end = self.words.len() - 1;
        let drop = end / 2;
        let middle = drop.midpoint(end);
        if self.answered < middle {
            out.push(self.text(end, middle));
            self.answered = middle;
        }
        self.words.drain(..drop);
        self.answered -= drop;
    }

    /// The first `end` words as a text that asks for those not answered before `until`.
    fn text(&self, end: usize, until: usize) -> Text {
        Text { words: self.words[..end].to_vec(), asked: self.answered..until }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use majuscule::text::{Locale, Tokens};

    fn texts(words: &[String], gathering: Gathering) -> Vec<Text> {
        let vocabulary = Vocabulary::new("us\n".to_owned(), "us".to_owned()).unwrap();
        let mut gather = Gather::new(&vocabulary, gathering);
        let mut texts = Vec::new();
        let tokens = Tokens::of_words(words.iter().map(String::as_str), Locale::Root);
        for (lower, token) in tokens.iter() {
            gather.push(lower, token, &mut texts);
        }
        gather.finish(&mut texts);
        texts
    }

    fn asked(text: &Text) -> Vec<&str> {
        text.words[text.asked.clone()].iter().map(|(word, _)| &*word.lower).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn every_word_is_asked_for_once_in_order_in_a_text_that_fits(
            words in prop::collection::vec("[a-z]{1,2}|us", 0..60),
            window in 2usize..30,
            look_ahead in prop::option::of(0usize..9),
        ) {
            let texts = texts(&words, Gathering { window, runs_on: false, look_ahead });
            prop_assert_eq!(texts.iter().flat_map(asked).collect::<Vec<_>>(), words);
            for text in &texts {
                prop_assert!(text.words.len() <= window && !text.asked.is_empty());
                if let Some(ahead) = look_ahead {
                    prop_assert!(text.words.len() - text.asked.start <= ahead + 1);
                }
            }
        }
    }

    #[test]
    fn windows_share_half_and_each_answers_the_words_in_its_middle() {
        let words: Vec<String> = "a b c d e f g h i j".split(' ').map(str::to_owned).collect();
        let gathering = Gathering { window: 4, runs_on: false, look_ahead: None };
        let found: Vec<String> = texts(&words, gathering).iter().map(|text| asked(text).join(" ")).collect();
        assert_eq!(found, ["a b c", "d e", "f g", "h i j"]);
    }
}
