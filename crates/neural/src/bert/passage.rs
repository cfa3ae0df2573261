//! Words in, texts that the encoder can take out: whole sentences, and where these are too long, windows that overlap. What several
//! windows say of a word is pooled (Courtland et al. 2020).

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::tokenize::Pieces;
use majuscule::text::{Break, Given, Token};

/// A text for the encoder, and the words in it that are to be answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// Its pieces, those before and after all words included.
    pub ids: Vec<u32>,
    /// The words that are asked for, in order: the first of those that are not answered yet.
    pub asked: Vec<Asked>,
    /// How many of them no later text asks for.
    pub done: usize,
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
    /// Words of right context at most. With it a word is asked for once.
    pub look_ahead: Option<usize>,
    /// How many windows ask for a word. Those near the beginning and the end of a long text are in fewer, and a text that fits is
    /// its only window.
    pub predictions: usize,
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

    /// The last word does not fit any more: those before it are a window, and the next begins some words later. Where one window
    /// asks for a word, two share a quarter, and each has the half of it that is nearer to its middle; where several do, all that
    /// hold the word ask for it.
    fn shift(&mut self, out: &mut Vec<Text>) {
        let end = self.words.len() - 1;
        let asks_once = self.gathering.predictions == 1 || self.gathering.look_ahead.is_some();
        let advance = match asks_once {
            true => self.capacity() - self.capacity() / 4,
            false => self.capacity() / self.gathering.predictions,
        };
        let mut drop = 0;
        let mut pieces = 0;
        while drop < end && (pieces < advance || !self.fits_without(pieces)) {
            pieces += self.words[drop].pieces.len();
            drop += 1;
        }
        let (until, answered) = if asks_once { [drop.midpoint(end); 2].into() } else { (end, drop) };
        if self.answered < until {
            let done = answered.saturating_sub(self.answered);
            out.push(Text { done, ..self.text(end, until) });
        }
        self.answered = self.answered.max(answered) - drop;
        self.words.drain(..drop);
        self.total -= pieces;
    }

    fn fits_without(&self, pieces: usize) -> bool {
        self.total - pieces <= self.capacity()
    }

    /// The first `end` words as a text that asks for those not answered before `until`, and is the last to do so.
    fn text(&self, end: usize, until: usize) -> Text {
        let special = self.pieces.special;
        let done = until - self.answered;
        let mut text = Text { ids: vec![special.first], asked: Vec::with_capacity(done), done };
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

/// What was said of words that are not answered yet.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    words: VecDeque<(Asked, Vec<f32>)>,
}

impl Pool {
    /// Takes the scores of the words that a text asks for, none for those without pieces, and gives the words that are done: each
    /// with ln of the sum of the probabilities that each text gives a label.
    pub fn add<'s>(
        &mut self,
        text: Text,
        scores: &mut impl Iterator<Item = &'s [f32]>,
    ) -> impl Iterator<Item = (Asked, Vec<f32>)> {
        for (at, asked) in text.asked.into_iter().enumerate() {
            let scores = asked.first.and_then(|_| scores.next()).unwrap_or_default();
            match self.words.get_mut(at) {
                Some((_, sum)) => sum.iter_mut().zip(ln_shares(scores)).for_each(|(a, b)| *a = ln_add(*a, b)),
                None => self.words.push_back((asked, ln_shares(scores).collect())),
            }
        }
        self.words.drain(..text.done.min(self.words.len())).collect::<Vec<_>>().into_iter()
    }
}

/// ln of the softmax.
fn ln_shares(scores: &[f32]) -> impl Iterator<Item = f32> {
    let whole = scores.iter().copied().reduce(ln_add).unwrap_or_default();
    scores.iter().map(move |score| score - whole)
}

/// ln(eᵃ + eᵇ).
fn ln_add(a: f32, b: f32) -> f32 {
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use majuscule::text::{Locale, Tokens};

    const VOCABULARY: &[u8] = include_bytes!("../../../../tests/data/toy-bert/vocab.txt");

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
            let gathering = Gathering { window, runs_on: false, look_ahead, predictions: 1 };
            let texts = texts(&pieces, &words, gathering);
            let asked: Vec<&str> = texts.iter().flat_map(|text| &text.asked).map(|word| &*word.lower).collect();
            prop_assert_eq!(asked, words.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert!(texts.iter().all(|text| text.done == text.asked.len()));
            for text in &texts {
                prop_assert!(text.ids.len() <= window && !text.asked.is_empty());
                for word in &text.asked {
                    let own = pieces.of(&word.lower).unwrap();
                    prop_assert_eq!(word.first.map(|first| text.ids[first as usize]), own.first().copied());
                }
            }
        }

        #[test]
        fn words_come_out_of_the_pool_once_and_in_order_however_many_texts_ask_for_them(
            words in prop::collection::vec("[a-z]{1,9}|lisbon|\u{200b}", 0..60),
            window in 3usize..30,
            predictions in 1usize..12,
        ) {
            let pieces = pieces();
            let gathering = Gathering { window, runs_on: false, look_ahead: None, predictions };
            let mut pool = Pool::default();
            let mut found = Vec::new();
            for text in texts(&pieces, &words, gathering) {
                prop_assert!(text.ids.len() <= window && !text.asked.is_empty() && text.done > 0);
                let scores: Vec<[f32; 2]> = text.asked.iter().filter(|word| word.first.is_some()).map(|_| [1.0, 2.0]).collect();
                found.extend(pool.add(text, &mut scores.iter().map(<[f32; 2]>::as_slice)));
            }
            prop_assert!(pool.words.is_empty());
            let lower: Vec<&str> = found.iter().map(|(word, _)| &*word.lower).collect();
            prop_assert_eq!(lower, words.iter().map(String::as_str).collect::<Vec<_>>());
            // However many: each says the same.
            for (word, scores) in &found {
                match word.first {
                    Some(_) => prop_assert!((scores[1] - scores[0] - 1.0).abs() < 1e-4),
                    None => prop_assert!(scores.is_empty()),
                }
            }
        }
    }

    fn asked(gathering: Gathering) -> Vec<String> {
        let words: Vec<String> =
            "the in of and met who us we to with".split(' ').map(str::to_owned).collect();
        let asked =
            |text: &Text| text.asked.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
        texts(&pieces(), &words, gathering).iter().map(asked).collect()
    }

    #[test]
    fn windows_share_a_quarter_and_each_answers_the_half_nearer_to_its_middle() {
        // Eight words at a time.
        let gathering = Gathering { window: 10, runs_on: false, look_ahead: None, predictions: 1 };
        assert_eq!(asked(gathering), ["the in of and met who us", "we to with"]);
    }

    #[test]
    fn each_word_but_the_first_and_last_is_in_as_many_windows_as_asked_for() {
        // Four words at a time, from each second.
        let gathering = Gathering { window: 6, runs_on: false, look_ahead: None, predictions: 2 };
        assert_eq!(asked(gathering), ["the in of and", "of and met who", "met who us we", "us we to with"]);
    }

    #[test]
    fn the_probabilities_of_several_windows_are_averaged() {
        let word = |first| Asked { lower: "us".to_owned(), given: Given::Nothing, first };
        let text = |done| Text { ids: Vec::new(), asked: vec![word(Some(1))], done };
        let mut pool = Pool::default();
        // 0.5, 0.5 and 0.8, 0.2 make 0.65, 0.35.
        assert_eq!(pool.add(text(0), &mut [[3.0, 3.0].as_slice()].into_iter()).count(), 0);
        let found: Vec<_> = pool.add(text(1), &mut [[4f32.ln(), 0.0].as_slice()].into_iter()).collect();
        let [(_, sums)] = &found[..] else { panic!("{found:?}") };
        assert!((sums[0].exp() / 2.0 - 0.65).abs() < 1e-6 && (sums[1].exp() / 2.0 - 0.35).abs() < 1e-6);
    }
}
