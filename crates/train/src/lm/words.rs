//! The sentences of a corpus as a language model sees them, with cased words, and a text as word
//! numbers.

use std::num::NonZeroUsize;

use rustc_hash::{FxHashMap, FxHashSet};

use super::count::{Grams, Highest, Key};
use super::counts::CountsFile;
use super::spill::{Memory, Numbers};
use crate::corpus::marks::check_taught;
use crate::corpus::{Corpus, CorpusSentence, Example};
use majuscule_base::error::{Error, Result};
use majuscule_lm::vocab::{SPECIAL, Vocabulary, WordId};
use majuscule_text::{Case, Locale, Mark, MarkSet};

/// The units that count as words of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WordUnits {
    /// The words of the corpus' protocol, each in the form that a lexicon has: its lower-case key
    /// with its case applied.
    #[default]
    Words,
    /// The same words and, as separate words, these marks after them; any other mark is replaced by
    /// the nearest of these (Stolcke & Shriberg 1996).
    Marked(MarkSet),
    /// The units between white space, as in other toolkits.
    Given,
}

impl WordUnits {
    /// Returns the marks that are words.
    fn marks(self) -> MarkSet {
        match self {
            Self::Marked(marks) => marks,
            Self::Words | Self::Given => MarkSet::NONE,
        }
    }
}

/// Receives sentences word by word.
pub trait SentenceVisitor {
    /// Receives the next word.
    fn word(&mut self, word: &str);
    /// Ends the sentence.
    ///
    /// # Errors
    /// The errors of the implementation.
    fn end(&mut self) -> Result<()>;
}

/// Passes all sentences of a corpus to `visit`, in order. A sentence ends where its example ends
/// and, except under `asr`, whose windows cross sentence boundaries, where the text shows a
/// boundary.
///
/// # Errors
/// If the corpus cannot be read, or if `visit` fails.
pub fn for_each(corpus: &Corpus, tokens: WordUnits, visit: &mut impl SentenceVisitor) -> Result<()> {
    match tokens {
        WordUnits::Given => corpus.for_each_sentence(&mut |sentence| given(sentence, visit)),
        WordUnits::Words | WordUnits::Marked(_) => {
            let mut form = String::new();
            corpus.for_each(&mut |example| words(example, corpus, tokens.marks(), &mut form, visit))
        }
    }
}

/// Distributes the sentences over `threads` threads, each with a visitor of its own; see
/// [`Corpus::map_reduce`].
///
/// # Errors
/// Like [`for_each`].
pub fn map_reduce<A: SentenceVisitor + Send>(
    corpus: &Corpus,
    tokens: WordUnits,
    threads: NonZeroUsize,
    make: impl Fn() -> A + Sync,
) -> Result<Vec<A>> {
    match tokens {
        WordUnits::Given => corpus.map_sentences(threads, make, |visit, sentence| given(sentence, visit)),
        WordUnits::Words | WordUnits::Marked(_) => {
            let (make, marks) = (|| (make(), String::new()), tokens.marks());
            let made = corpus.map_reduce(threads, make, |(visit, form), example| {
                words(example, corpus, marks, form, visit)
            })?;
            Ok(made.into_iter().map(|(visit, _)| visit).collect())
        }
    }
}

fn given(sentence: CorpusSentence<'_>, visit: &mut impl SentenceVisitor) -> Result<()> {
    sentence.text.split_ascii_whitespace().for_each(|word| visit.word(word));
    visit.end()
}

fn words(
    example: &Example,
    corpus: &Corpus,
    marks: MarkSet,
    form: &mut String,
    visit: &mut impl SentenceVisitor,
) -> Result<()> {
    let across = corpus.protocol().runs_on();
    let last = example.gold.len() - 1;
    for (at, ((lower, _), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
        visit.word(cased(lower, gold.label.case, corpus.locale(), form));
        // If a sentence ends without a mark, the mark is unknown and not counted.
        if let Some(mark) =
            gold.label.mark.character().and_then(|_| gold.label.mark.within(marks).character())
        {
            visit.word(mark.encode_utf8(&mut [0; 4]));
        }
        if at == last || gold.ends && !across {
            visit.end()?;
        }
    }
    Ok(())
}

/// Returns the form of a word: its lower-case key with its case applied.
#[inline]
fn cased<'a>(lower: &'a str, case: Case, locale: Locale, form: &'a mut String) -> &'a str {
    if case == Case::Lower {
        return lower;
    }
    form.clear();
    case.apply(lower, locale, form);
    form
}

/// A text to train on, read from a corpus or counted before.
#[derive(Debug)]
pub struct TrainingText {
    /// The name of the text in errors.
    pub(super) name: String,
    /// All words of the text; `counts` has the count of each.
    pub(super) vocabulary: Vocabulary,
    pub(super) counts: Vec<u64>,
    pub(super) parts: Vec<VocabularyPart>,
    pub(super) made: TextPreparation,
    pub(super) memory: Memory,
}

/// A part of a text, with the map from its own word numbers to the numbers of the whole vocabulary.
#[derive(Debug)]
pub(super) struct VocabularyPart {
    pub(super) content: Content,
    pub(super) map: Vec<u32>,
}

#[derive(Debug)]
pub(super) enum Content {
    /// Sentences as word numbers, each ending with [`WordId::END`].
    Words { words: Numbers<u32>, len: u64 },
    /// The counts in a file.
    Counted(CountsFile),
}

/// The way in which a text was split into words. Texts split in different ways cannot be counted
/// together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPreparation {
    /// The protocol and the language, or a note that words are separated by white space.
    pub(super) words: String,
    /// The highest order that can be counted; `None` if there is no limit.
    pub(super) order: Option<usize>,
}

/// The words that a model knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KnownWords {
    /// All words of the corpus.
    #[default]
    All,
    /// The most frequent words, ignoring case, each in all its forms; ties are broken by byte
    /// order.
    Most(NonZeroUsize),
    /// The words of a list.
    List(Vec<String>),
}

/// The stage of a long job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobStage {
    /// Counting, with the number of words counted so far and the number in all.
    Counting(u64, u64),
    /// Counting the n-grams of this order, from the n-grams of the next higher order.
    Order(usize),
    /// Estimating the probabilities of the n-grams of this order.
    Estimating(usize),
}

impl TrainingText {
    /// Reads a corpus.
    ///
    /// # Errors
    /// If the corpus cannot be read or has no words, or if a temporary file cannot be written.
    pub fn read(corpus: &Corpus, tokens: WordUnits, threads: NonZeroUsize, memory: &Memory) -> Result<Self> {
        let own = memory.of_text();
        let readers = map_reduce(corpus, tokens, threads, || WordReader::new(&own))?;
        if let Some(word) = readers.iter().find_map(|reader| reader.wrong) {
            let problem = format!(
                "has the word {word}, which is reserved in a language model: remove it; {} and {} are added to each sentence",
                SPECIAL[1], SPECIAL[2]
            );
            return Err(Error::file(corpus.name(), problem));
        }
        let words = match tokens {
            WordUnits::Given => "words between white space".to_owned(),
            WordUnits::Words | WordUnits::Marked(_) => {
                let with = match tokens.marks() {
                    MarkSet::NONE => String::new(),
                    marks => format!(", with the marks {marks}"),
                };
                format!("the words of protocol {}, language {}{with}", corpus.protocol(), corpus.language())
            }
        };
        let mut text = Self::new(corpus.name(), TextPreparation { words, order: None }, memory);
        for reader in readers {
            let WordReader { vocabulary, counts, words, len, .. } = reader;
            text.add(Content::Words { words, len }, &vocabulary, &counts);
        }
        let text = text.check("expected text, one sentence per line")?;
        check_marks(&text.name, &text.vocabulary, tokens.marks())?;
        Ok(text)
    }

    pub(super) fn new(name: String, made: TextPreparation, memory: &Memory) -> Self {
        let vocabulary = Vocabulary::new();
        let counts = vec![0; vocabulary.len()];
        Self { name, vocabulary, counts, parts: Vec::new(), made, memory: memory.clone() }
    }

    /// Adds a part, given its words and the count of each.
    pub(super) fn add(&mut self, content: Content, vocabulary: &Vocabulary, counts: &[u64]) {
        let mut map = Vec::with_capacity(vocabulary.len());
        for (at, word) in vocabulary.iter().enumerate() {
            let id = self.vocabulary.insert(word).0;
            self.counts.resize(self.vocabulary.len(), 0);
            self.counts[id as usize] += counts.get(at).copied().unwrap_or(0);
            map.push(id);
        }
        self.parts.push(VocabularyPart { content, map });
    }

    /// Returns the text, or an error if it cannot be counted.
    pub(super) fn check(self, expected: &str) -> Result<Self> {
        if self.counts[SPECIAL.len()..].iter().all(|&count| count == 0) {
            return Err(Error::file(self.name, format!("has no words: {expected}")));
        }
        let words: u64 = self.parts.iter().map(|part| part.content.len()).sum();
        if u32::try_from(words).is_err() {
            return Err(Error::usage(format!(
                "the corpus has {words} words, more than 4,294,967,295 that can be counted: train on a part of it"
            )));
        }
        Ok(self)
    }

    /// Returns the vocabulary in its final order, most frequent word first, so that it does not
    /// depend on the order of the text; the new number of each old number; and the number of words
    /// that the model knows. Words that it does not know become `<unk>` or, if they are to be pruned
    /// later, come last.
    ///
    /// # Errors
    /// If the model knows no words at all.
    pub(super) fn numbered(&self, known: &KnownWords, prune: bool) -> Result<(Vocabulary, Vec<u32>, u32)> {
        let word = |id: u32| self.vocabulary.word(WordId(id));
        let mut words: Vec<u32> = (SPECIAL.len() as u32..self.vocabulary.len() as u32).collect();
        words.sort_unstable_by(|&a, &b| {
            let by_count = self.counts[b as usize].cmp(&self.counts[a as usize]);
            by_count.then_with(|| word(a).cmp(word(b)))
        });
        let mut listed = Vocabulary::new();
        let rest = match known {
            KnownWords::All => Vec::new(),
            KnownWords::Most(limit) => {
                let lower = |id: u32| Locale::Root.lower(word(id));
                let mut counts: FxHashMap<String, u64> = FxHashMap::default();
                words
                    .iter()
                    .for_each(|&id| *counts.entry(lower(id)).or_default() += self.counts[id as usize]);
                let mut all: Vec<(&String, &u64)> = counts.iter().collect();
                all.sort_unstable_by(|(one, a), (other, b)| b.cmp(a).then_with(|| one.cmp(other)));
                let most: FxHashSet<&str> =
                    all.into_iter().take(limit.get()).map(|(word, _)| word.as_str()).collect();
                let (known, rest) = words.iter().partition(|&&id| most.contains(lower(id).as_str()));
                words = known;
                rest
            }
            KnownWords::List(list) => {
                listed.extend(list.iter().map(String::as_str));
                let (known, rest) = words.iter().partition(|&&id| listed.get(word(id)).is_some());
                words = known;
                if words.is_empty() {
                    let problem = "has none of the words of the list: expected words in their case, as the text has them";
                    return Err(Error::file(&self.name, problem));
                }
                rest
            }
        };
        let mut vocabulary = Vocabulary::new();
        vocabulary.extend(words.into_iter().map(word));
        if prune {
            vocabulary.extend(rest.iter().map(|&id| word(id)));
        } else {
            // Words of the list that do not occur in the corpus.
            let mut unseen: Vec<&str> = listed.iter().collect();
            unseen.sort_unstable();
            vocabulary.extend(unseen);
        }
        let known = if prune { vocabulary.len() - rest.len() } else { vocabulary.len() } as u32;
        let map = self.vocabulary.iter().map(|word| vocabulary.id(word).0).collect();
        Ok((vocabulary, map, known))
    }

    /// Counts the n-grams of one order, given the number of each word.
    pub(super) fn count<K: Key>(
        parts: Vec<VocabularyPart>,
        order: usize,
        numbers: &[u32],
        bits: u32,
        memory: &Memory,
        progress: &mut dyn FnMut(JobStage) -> Result<()>,
    ) -> Result<Grams<K>> {
        let len = parts.iter().map(|part| part.content.len()).sum::<u64>();
        let are_grams = parts.iter().any(|part| matches!(part.content, Content::Counted(_)));
        let mut highest = Highest::<K>::new(order, bits, len as usize, are_grams, memory);
        let mut done = 0;
        let mut add = |seen: u64| -> Result<()> {
            done += seen;
            if done % SHOWN < seen {
                progress(JobStage::Counting(done, len))?;
            }
            Ok(())
        };
        for VocabularyPart { content, map } in parts {
            let map: Vec<u32> = map.into_iter().map(|id| numbers[id as usize]).collect();
            match content {
                Content::Words { words, .. } => {
                    let mut words = words.into_reader()?;
                    while let Some(word) = words.next()? {
                        highest.word(map[word as usize])?;
                        add(1)?;
                    }
                }
                Content::Counted(counted) => counted.for_each(&mut |words, seen| {
                    let words = &words[words.len() - order..];
                    let append = |key: K, word: &WordId| key.append(map[word.0 as usize], bits);
                    add(u64::from(seen))?;
                    highest.gram(words.iter().fold(K::default(), append), seen)
                })?,
            }
        }
        highest.finish()
    }
}

/// Refuses a text or a model without a mark that is to be a word.
///
/// # Errors
/// If a mark is not among the words.
pub fn check_marks(name: &str, vocabulary: &Vocabulary, marks: MarkSet) -> Result<()> {
    let is_missing =
        |mark: Mark| mark.character().is_some_and(|c| vocabulary.get(c.encode_utf8(&mut [0; 4])).is_none());
    check_taught(marks, is_missing, name)
}

/// The number of words between two reports of progress.
const SHOWN: u64 = 1 << 20;

impl Content {
    /// Returns the number of words and sentence ends.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Words { len, .. } => *len,
            Self::Counted(counted) => counted.tokens,
        }
    }
}

/// The part of a corpus that one thread reads.
#[derive(Debug)]
struct WordReader {
    vocabulary: Vocabulary,
    counts: Vec<u64>,
    words: Numbers<u32>,
    len: u64,
    /// A special word that may not occur in a text, if one was found.
    wrong: Option<&'static str>,
}

impl WordReader {
    fn new(memory: &Memory) -> Self {
        let vocabulary = Vocabulary::new();
        Self { vocabulary, counts: Vec::new(), words: Numbers::new(memory), len: 0, wrong: None }
    }
}

impl SentenceVisitor for WordReader {
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
        self.words.put(id.0);
        self.len += 1;
    }

    fn end(&mut self) -> Result<()> {
        self.len += 1;
        self.words.put(WordId::END.0);
        if self.words.is_nearly_full() { self.words.flush() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};

    #[derive(Default)]
    struct Line(String);

    impl SentenceVisitor for Line {
        fn word(&mut self, word: &str) {
            self.0 += &format!("{word} ");
        }

        fn end(&mut self) -> Result<()> {
            self.0 += "|";
            Ok(())
        }
    }

    #[test]
    fn marks_after_words_are_words_and_others_count_as_the_nearest() {
        let text = "Yes: they met, I hear, in Lisbon!\nWhy? No end\n";
        let corpus = Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root);
        let words = |units| {
            let mut line = Line::default();
            for_each(&corpus, units, &mut line).unwrap();
            line.0
        };
        let marked = "Yes , they met , I hear , in Lisbon . |Why ? No end |";
        assert_eq!(words(WordUnits::Marked(MarkSet::USUAL)), marked);
        assert_eq!(words(WordUnits::Words), "Yes they met I hear in Lisbon |Why No end |");
    }
}
