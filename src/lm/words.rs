//! The sentences of a corpus as a language model sees them: words in their case.

use std::num::NonZeroUsize;

use super::vocab::{SPECIAL, Vocabulary, WordId};
use crate::corpus::{Corpus, Example, Protocol, Sentence};
use crate::error::{Error, Result};
use crate::text::{Case, Locale, Mark};

/// What the words of a sentence are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokens {
    /// Those of the corpus' protocol, each in the form that a lexicon has it: looked up in lower case, put into its case.
    #[default]
    Words,
    /// Whatever stands between white space, as other toolkits take it.
    Given,
}

/// Takes the words of one sentence after another.
pub trait Visit {
    /// The next word.
    fn word(&mut self, word: &str);
    /// The sentence ends.
    ///
    /// # Errors
    /// As the visitor likes.
    fn end(&mut self) -> Result<()>;
}

/// Gives all sentences of a corpus to `visit`, in order. A sentence ends where its example does and, but under `asr`, whose
/// windows run across, where the text shows it.
///
/// # Errors
/// Where the corpus cannot be read, and where `visit` fails.
pub fn for_each(corpus: &Corpus, tokens: Tokens, visit: &mut impl Visit) -> Result<()> {
    match tokens {
        Tokens::Given => corpus.for_each_sentence(&mut |sentence| given(sentence, visit)),
        Tokens::Words => {
            let mut form = String::new();
            corpus.for_each(&mut |example| words(example, corpus, &mut form, visit))
        }
    }
}

/// Gives every sentence to one of `threads` threads, each with a value of its own; see [`Corpus::map_reduce`].
///
/// # Errors
/// Like [`for_each`].
pub fn map_reduce<A: Visit + Send>(
    corpus: &Corpus,
    tokens: Tokens,
    threads: NonZeroUsize,
    make: impl Fn() -> A + Sync,
) -> Result<Vec<A>> {
    match tokens {
        Tokens::Given => corpus.map_sentences(threads, make, |visit, sentence| given(sentence, visit)),
        Tokens::Words => {
            let make = || (make(), String::new());
            let made = corpus
                .map_reduce(threads, make, |(visit, form), example| words(example, corpus, form, visit))?;
            Ok(made.into_iter().map(|(visit, _)| visit).collect())
        }
    }
}

fn given(sentence: Sentence<'_>, visit: &mut impl Visit) -> Result<()> {
    sentence.text.split_ascii_whitespace().for_each(|word| visit.word(word));
    visit.end()
}

fn words(example: &Example, corpus: &Corpus, form: &mut String, visit: &mut impl Visit) -> Result<()> {
    let across = matches!(corpus.protocol(), Protocol::Asr { .. });
    let last = example.gold.len() - 1;
    for (at, ((lower, _), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
        visit.word(cased(lower, gold.label.case, corpus.locale(), form));
        if at == last || gold.label.mark == Mark::SentenceEnd && !across {
            visit.end()?;
        }
    }
    Ok(())
}

/// The form of a word: its key in lower case, put into its case.
#[inline]
fn cased<'a>(lower: &'a str, case: Case, locale: Locale, form: &'a mut String) -> &'a str {
    if case == Case::Lower {
        return lower;
    }
    form.clear();
    case.apply(lower, locale, form);
    form
}

/// A corpus as numbers.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) vocabulary: Vocabulary,
    /// Sentences, each ending with [`WordId::END`].
    pub(super) parts: Vec<Vec<u32>>,
}

/// Which words a model knows; all others are counted as `<unk>`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Known {
    /// All of the corpus.
    #[default]
    All,
    /// The most frequent ones; of equally frequent ones the first in order of their bytes.
    Most(NonZeroUsize),
    /// Those of a list.
    List(Vec<String>),
}

/// Reads a corpus. Words get their numbers by how frequent they are, the most frequent first, so what comes out does not
/// depend on the number of threads but for the order of the sentences.
///
/// # Errors
/// Where the corpus cannot be read or has no words.
pub(super) fn collect(corpus: &Corpus, tokens: Tokens, known: &Known, threads: NonZeroUsize) -> Result<Text> {
    let mut readers = map_reduce(corpus, tokens, threads, Reader::default)?;
    if let Some(word) = readers.iter().find_map(|reader| reader.wrong) {
        let problem = format!(
            "has the word {word}, which a language model keeps for itself: remove it; sentences get their own {} and {}",
            SPECIAL[1], SPECIAL[2]
        );
        return Err(Error::file(corpus.name(), problem));
    }
    let mut all = Vocabulary::new();
    let mut counts = vec![0; all.len()];
    let mut maps: Vec<Vec<u32>> = Vec::new();
    for reader in &mut readers {
        let vocabulary = std::mem::take(&mut reader.vocabulary);
        let mut map = Vec::with_capacity(vocabulary.len());
        for (word, count) in vocabulary.iter().zip(&reader.counts) {
            let id = all.insert(word).0;
            counts.resize(all.len(), 0);
            counts[id as usize] += count;
            map.push(id);
        }
        maps.push(map);
    }
    if counts[SPECIAL.len()..].iter().all(|&count| count == 0) {
        return Err(Error::file(corpus.name(), "has no words: expected text, a sentence a line"));
    }
    let (vocabulary, order) = numbered(&all, &counts, known);
    let mut parts: Vec<Vec<u32>> = readers.into_iter().map(|reader| reader.text).collect();
    for (part, map) in parts.iter_mut().zip(maps) {
        let map: Vec<u32> = map.into_iter().map(|id| order[id as usize]).collect();
        part.iter_mut().for_each(|id| *id = map[*id as usize]);
    }
    Ok(Text { vocabulary, parts })
}

/// The vocabulary in its final order, and for each old number the new one.
fn numbered(all: &Vocabulary, counts: &[u64], known: &Known) -> (Vocabulary, Vec<u32>) {
    let mut words: Vec<u32> = (SPECIAL.len() as u32..all.len() as u32).collect();
    words.sort_unstable_by(|&a, &b| {
        let by_count = counts[b as usize].cmp(&counts[a as usize]);
        by_count.then_with(|| all.word(WordId(a)).cmp(all.word(WordId(b))))
    });
    let mut words: Vec<&str> = words.iter().map(|&id| all.word(WordId(id))).collect();
    let mut listed = Vocabulary::new();
    match known {
        Known::All => {}
        Known::Most(limit) => words.truncate(limit.get()),
        Known::List(list) => {
            listed.extend(list.iter().map(String::as_str));
            words.retain(|word| listed.get(word).is_some());
        }
    }
    let mut vocabulary = Vocabulary::new();
    vocabulary.extend(words);
    // Words of the list that the corpus does not have come last.
    let mut rest: Vec<&str> = listed.iter().collect();
    rest.sort_unstable();
    vocabulary.extend(rest);
    let order = all.iter().map(|word| vocabulary.id(word).0).collect();
    (vocabulary, order)
}

/// One thread's part of a corpus.
#[derive(Debug, Default)]
struct Reader {
    vocabulary: Vocabulary,
    counts: Vec<u64>,
    text: Vec<u32>,
    /// A word that may not stand in a text.
    wrong: Option<&'static str>,
}

impl Visit for Reader {
    #[inline]
    fn word(&mut self, word: &str) {
        let id = self.vocabulary.insert(word);
        if id == WordId::START || id == WordId::END {
            self.wrong = Some(SPECIAL[id.0 as usize]);
        }
        if self.counts.len() < self.vocabulary.len() {
            self.counts.resize(self.vocabulary.len(), 0);
        }
        self.counts[id.0 as usize] += 1;
        self.text.push(id.0);
    }

    fn end(&mut self) -> Result<()> {
        self.text.push(WordId::END.0);
        Ok(())
    }
}
