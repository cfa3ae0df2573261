//! N-gram language models, which map a state and a word to log10 of the word's probability and the next state, and an
//! exact search for the best path through candidates.
//!
//! This crate is an internal layer of [`majuscule`](https://docs.rs/majuscule) and follows its versions;
//! programs use `majuscule`.

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

// The modules are in reading order: each uses only the modules above it and the types of this file.

pub mod arpa;
pub mod binary;
pub mod compact;
pub mod forms;
pub mod scorer;
pub mod table;
pub mod vocab;
pub mod search;

use std::path::Path;
use std::sync::OnceLock;

pub use scorer::{NgramScorer, NgramState, ScoredSentence, ScoredWord, SentenceBatch};
pub use table::{AutomatonState, Successors};
pub use vocab::{Vocabulary, WordId};

use majuscule_base::bytes::{Bytes, READ};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Encoding, Input};
use scorer::LookUp;
use table::NgramTable;

/// The maximum order of a model.
pub const MAX_ORDER: usize = 7;

/// A back-off model of cased words. Values are log10, as in an ARPA file.
///
/// ```
/// use majuscule_lm::NgramModel;
///
/// let arpa = "\\data\\\nngram 1=4\n\\1-grams:\n-1 <unk>\n-99 <s>\n-0.5 </s>\n-0.3 Porto\n\\end\\\n";
/// let model = NgramModel::read("tiny", arpa.as_bytes().to_vec())?;
/// let sentence = model.scorer().sentence(["Porto", "Braga"]);
/// assert!((sentence.log10 - (-0.3 - 1.0 - 0.5)).abs() < 1e-6);
/// assert_eq!(sentence.unknown, 1);
/// # Ok::<(), majuscule_base::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NgramModel {
    /// The words.
    pub vocabulary: Vocabulary,
    /// The sorted n-grams and the look-up table; at least one of them exists, and the other is
    /// built on demand.
    table: OnceLock<NgramTable>,
    look_up: OnceLock<LookUp>,
    /// The name and the bytes of the model's binary file.
    binary: Option<(String, Bytes)>,
    notes: Vec<String>,
}

impl PartialEq for NgramModel {
    fn eq(&self, other: &Self) -> bool {
        self.vocabulary == other.vocabulary && self.look_up() == other.look_up()
    }
}

impl NgramModel {
    /// Creates a model of these n-grams.
    pub fn new(vocabulary: Vocabulary, table: NgramTable) -> Self {
        Self { vocabulary, table: table.into(), look_up: OnceLock::new(), binary: None, notes: Vec::new() }
    }

    fn looked_up(vocabulary: Vocabulary, look_up: LookUp) -> Self {
        Self { vocabulary, table: OnceLock::new(), look_up: look_up.into(), binary: None, notes: Vec::new() }
    }

    /// Opens a file, ARPA or binary, compressed or not; `-` is standard input. An uncompressed
    /// binary of more than 64 MiB is memory-mapped and used in place, so that opening takes no time
    /// and unused parts take no memory; [`NgramModel::check`] compares it with its checksum. Opening
    /// itself compares any other binary.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or does not match the format that its beginning indicates.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_as(path, None)
    }

    /// Opens a model like [`NgramModel::open`], with the encoding of
    /// an ARPA file that is not UTF-8.
    ///
    /// # Errors
    /// Returns the errors of [`NgramModel::open`], and an error if the file has bytes that are not
    /// characters in that encoding.
    pub fn open_as(path: impl AsRef<Path>, encoding: Option<&Encoding>) -> Result<Self> {
        let path = path.as_ref();
        let mut input = files::open(path)?;
        let head = input.peek(64)?;
        if !binary::begins(&head) && !compact::begins(&head) {
            return arpa::read(match encoding {
                Some(encoding) => input.decoded(Some(encoding.clone()), None)?.0,
                None => input,
            });
        }
        let name = input.name().to_owned();
        let bytes =
            if files::len(path).is_some() { Bytes::open(path)? } else { input.bytes_of_model()?.into() };
        let is_mapped = bytes.len() as u64 > READ;
        let model = Self::of_bytes(&name, bytes)?;
        if !is_mapped {
            model.check()?;
        }
        Ok(model)
    }

    /// Reads a file that is in memory; error messages call it `name`.
    ///
    /// # Errors
    /// Returns the errors of [`NgramModel::open`].
    pub fn read(name: &str, bytes: Vec<u8>) -> Result<Self> {
        Self::of_bytes(name, bytes.into())
    }

    /// Opens a model in bytes; error messages call it `name`. A binary is used in place, fastest at
    /// an address that is a multiple of [`ALIGN`](majuscule_base::bytes::ALIGN).
    ///
    /// # Errors
    /// Returns the errors of [`NgramModel::open`].
    pub fn of_bytes(name: &str, bytes: Bytes) -> Result<Self> {
        if compact::begins(&bytes) {
            return compact::read(&bytes).map_err(|problem| Error::file(name, problem));
        }
        if !binary::begins(&bytes) {
            return arpa::read(Input::new(name, std::io::Cursor::new(bytes))?);
        }
        let mut model = binary::read(&bytes).map_err(|problem| Error::file(name, problem))?;
        model.binary = Some((name.to_owned(), bytes));
        Ok(model)
    }

    /// Compares a model from a binary with its checksum. [`NgramModel::of_bytes`] does not, because
    /// altered values only cause wrong scores.
    ///
    /// # Errors
    /// Returns an error if the binary was altered.
    pub fn check(&self) -> Result<()> {
        let Some((name, bytes)) = &self.binary else { return Ok(()) };
        binary::check(bytes).map_err(|problem| Error::file(name, problem))
    }

    /// Returns the problems of the file that did not prevent reading it, one sentence each: missing
    /// back-offs and histories, which other toolkits omit.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the length of the longest n-grams.
    pub fn order(&self) -> usize {
        self.counts().len()
    }

    /// Returns the number of n-grams of each order, from 1.
    pub fn counts(&self) -> Vec<usize> {
        match self.look_up.get() {
            Some(look_up) => look_up.size().counts.iter().map(|&count| count as usize).collect(),
            None => self.table().counts(),
        }
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns a scorer of words, which is cheap to copy. For a model that was not read from a
    /// binary, the first call builds the look-up table, at about 50 ns per n-gram.
    pub fn scorer(&self) -> NgramScorer<'_> {
        NgramScorer::new(self.look_up(), &self.vocabulary)
    }

    /// Returns the number of words in the history of a state.
    pub fn history_len(&self, state: NgramState) -> usize {
        let Some(number) = state.number() else { return 0 };
        let ends = self.counts().into_iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        1 + ends.take_while(|&end| end <= number).count()
    }

    /// Returns the `count` most probable next words in a state, the most probable first, each with log10
    /// of its probability; `</s>` is the end of the sentence. Every word of the vocabulary is scored.
    pub fn next_words(&self, state: NgramState, count: usize) -> Vec<(&str, f32)> {
        let scorer = self.scorer();
        let words = (0..self.vocabulary.len() as u32).map(WordId);
        let mut scored: Vec<(WordId, f32)> = words
            .filter(|&word| word != WordId::UNKNOWN && word != WordId::START)
            .map(|word| (word, scorer.step(state, word).log10))
            .collect();
        scored.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
        scored.truncate(count);
        scored.into_iter().map(|(word, log10)| (self.vocabulary.word(word), log10)).collect()
    }

    /// Passes every state of the model as an automaton to `visit`: the empty state first, and each
    /// state after the one that it backs off to. The words that follow a state come in the order of
    /// their numbers. This takes as long as [`NgramModel::for_each`].
    pub fn for_each_state(&self, visit: &mut dyn FnMut(AutomatonState, &mut Successors<'_>)) {
        self.table().for_each_state(visit);
    }

    /// Passes every n-gram of one order to `visit`, sorted by the numbers of its words, with its
    /// probability and its back-off (0 if it has none). For a binary, the first call sorts the
    /// n-grams, at about 100 ns each; an altered binary may yield only the 1-grams, or wrong
    /// n-grams.
    pub fn for_each(&self, order: usize, visit: &mut dyn FnMut(&[WordId], f32, f32)) {
        self.table().for_each(order, visit);
    }

    /// Returns the n-grams, sorted by the numbers of their words.
    pub fn table(&self) -> &NgramTable {
        self.table.get_or_init(|| self.look_up().table())
    }

    fn look_up(&self) -> &LookUp {
        self.look_up.get_or_init(|| LookUp::of(self.table()))
    }
}

#[cfg(test)]
mod tests {
    use super::samples::tiny;
    use super::*;

    #[test]
    fn a_word_names_the_history_that_its_probability_is_from() {
        let model = tiny();
        let scorer = model.scorer();
        for from in [scorer.start(), NgramState::EMPTY] {
            for word in (0..model.vocabulary().len() as u32).map(WordId) {
                let (scored, history) = scorer.step_after(from, word);
                assert_eq!(scored, scorer.step(from, word));
                assert!(model.history_len(history) <= model.history_len(from));
            }
        }
        assert_eq!(model.history_len(NgramState::EMPTY), 0);
        assert_eq!(model.history_len(scorer.start()), 1);
        let mut longest = 0;
        model.for_each_state(&mut |state, _| longest = longest.max(model.history_len(state.state)));
        assert_eq!(longest, model.order() - 1);
    }

    #[test]
    fn the_next_words_come_by_their_probabilities() {
        let model = tiny();
        let all = model.next_words(model.scorer().start(), usize::MAX);
        assert_eq!(all.len(), model.vocabulary().len() - 2);
        assert!(all.is_sorted_by(|one, other| one.1 >= other.1));
        let sum: f64 = all.iter().map(|(_, log10)| 10f64.powf(f64::from(*log10))).sum();
        assert!(sum <= 1.0 + 1e-5, "{sum}");
        assert_eq!(model.next_words(model.scorer().start(), 2), all[..2]);
    }
}

/// A model and damaged files for the tests of formats.
#[cfg(test)]
mod samples {
    use std::io::{self, Write};

    use super::NgramModel;

    pub fn tiny() -> NgramModel {
        NgramModel::read("tiny.arpa", include_bytes!("../../../lm/tiny.arpa").to_vec()).unwrap()
    }

    pub fn written(
        model: &NgramModel,
        write: impl FnOnce(&NgramModel, &mut dyn Write) -> io::Result<()>,
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(model, &mut bytes).unwrap();
        bytes
    }

    /// Returns the file cut off after each number of bytes from `least`.
    pub fn cut_off(file: &[u8], least: usize) -> impl Iterator<Item = &[u8]> {
        (least..file.len()).map(|len| &file[..len])
    }

    /// Returns the file with each of its bytes from `first` altered, after the number of the byte.
    pub fn altered(file: &[u8], first: usize) -> impl Iterator<Item = (usize, Vec<u8>)> {
        (first..file.len()).map(|at| {
            let mut altered = file.to_vec();
            altered[at] ^= 4;
            (at, altered)
        })
    }
}
