//! Finds the part of a test text that also occurs in a training text: n-grams of words, ignoring
//! case and punctuation.
//!
//! The test text is kept in memory, the training text is read once.

use std::num::NonZeroUsize;

use ngrams::Ngrams;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::{Corpus, CorpusSentence, marks};
use majuscule_base::error::Result;
use majuscule_text::Locale;

/// The overlap of a test text with a training text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Overlap {
    /// The number of words of an n-gram.
    pub order: usize,
    /// The number of sentences of the test text that have at least `order` words.
    pub sentences: u64,
    /// The number of these sentences with an n-gram that occurs in the training text.
    pub shared_sentences: u64,
    /// The number of n-grams of the test text.
    pub ngrams: u64,
    /// The number of these n-grams that occur in the training text.
    pub shared_ngrams: u64,
    /// The size of the training text; `None` in results of older versions.
    #[serde(default)]
    pub training: Option<TextSize>,
    /// The shared n-grams, the most frequent first, in alphabetical order among equals.
    pub shared: Vec<SharedNgram>,
}

/// The size of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextSize {
    /// The number of sentences, which are lines unless the text is split.
    pub sentences: u64,
    /// The number of words.
    pub words: u64,
}

/// An n-gram that occurs in both texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedNgram {
    /// The words of the n-gram in lower case.
    pub ngram: String,
    /// The number of occurrences in the test text.
    pub count: u64,
}

impl Overlap {
    /// The fraction of n-grams that also occur in the training text; `None` without n-grams.
    pub fn fraction(&self) -> Option<f64> {
        (self.ngrams > 0).then(|| self.shared_ngrams as f64 / self.ngrams as f64)
    }
}

/// Finds the n-grams of `order` words that a test text shares with a training text. Memory grows
/// with the test text alone.
///
/// # Errors
/// If a text cannot be read or violates its format.
pub fn overlap(train: &Corpus, test: &Corpus, order: NonZeroUsize, threads: NonZeroUsize) -> Result<Overlap> {
    let order = order.get();
    // The index of each n-gram of the test text, and the number of its occurrences there by index.
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut counts: Vec<u64> = Vec::new();
    let mut sentences: Vec<Vec<usize>> = Vec::new();
    test.for_each_sentence(&mut |sentence| {
        let mut found = Vec::new();
        for_each_ngram(sentence, order, test.locale(), |ngram| {
            let next = counts.len();
            let number = *numbers.entry(ngram).or_insert(next);
            if number == next {
                counts.push(0);
            }
            counts[number] += 1;
            found.push(number);
        });
        sentences.extend((!found.is_empty()).then_some(found));
        Ok(())
    })?;
    let seen = train.map_sentences(threads, Seen::default, |(seen, size): &mut Seen, sentence| {
        size.sentences += 1;
        size.words +=
            for_each_ngram(sentence, order, train.locale(), |ngram| seen.extend(numbers.get(&ngram)));
        Ok(())
    })?;
    let sum = |of: fn(&TextSize) -> u64| seen.iter().map(|(_, size)| of(size)).sum();
    let training = TextSize { sentences: sum(|size| size.sentences), words: sum(|size| size.words) };
    let seen: FxHashSet<usize> = seen.into_iter().flat_map(|(seen, _)| seen).collect();
    let is_shared = |found: &&Vec<usize>| found.iter().any(|number| seen.contains(number));
    let shared_sentences = sentences.iter().filter(is_shared).count() as u64;
    let shared = numbers.into_iter().filter(|(_, number)| seen.contains(number));
    let mut shared: Vec<SharedNgram> =
        shared.map(|(ngram, number)| SharedNgram { ngram, count: counts[number] }).collect();
    shared.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.ngram.cmp(&b.ngram)));
    Ok(Overlap {
        order,
        sentences: sentences.len() as u64,
        shared_sentences,
        ngrams: counts.iter().sum(),
        shared_ngrams: shared.iter().map(|shared| shared.count).sum(),
        training: Some(training),
        shared,
    })
}

/// The indices of the n-grams that were found in a training text, and its size.
type Seen = (FxHashSet<usize>, TextSize);

/// Calls `each` with the n-grams of a sentence, their words in lower case and separated by spaces.
/// Returns the number of words.
fn for_each_ngram(
    sentence: CorpusSentence<'_>,
    order: usize,
    locale: Locale,
    mut each: impl FnMut(String),
) -> u64 {
    let mut words: Vec<String> = Vec::new();
    marks::words(sentence.text, locale, &mut String::new(), |word| words.push(locale.lower(word)));
    let count = words.len() as u64;
    match order {
        // The `ngrams` crate panics on shorter input, and treats single words as pairs.
        _ if words.len() < order => {}
        1 => words.into_iter().for_each(each),
        _ => Ngrams::new(words.iter().map(String::as_str), order).for_each(|ngram| each(ngram.join(" "))),
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::{Protocol, Reading};

    fn corpus(text: &str) -> Corpus {
        Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root)
    }

    fn of(train: &str, test: &str, order: usize) -> Overlap {
        let [order, threads] = [order, 2].map(|number| NonZeroUsize::new(number).unwrap());
        overlap(&corpus(train), &corpus(test), order, threads).unwrap()
    }

    #[test]
    fn ngrams_of_the_test_text_are_found_whatever_their_case_and_marks() {
        let train = "We met, in Porto, Ana Reis.\nNobody left.\n";
        let test = "Who WE MET IN porto?\nShe left.\nWe met in Faro\n";
        let found = of(train, test, 3);
        assert_eq!((found.sentences, found.shared_sentences), (2, 2));
        assert_eq!(found.training, Some(TextSize { sentences: 2, words: 8 }));
        // Who we met; we met in (twice); met in Porto; met in Faro.
        assert_eq!((found.ngrams, found.shared_ngrams, found.fraction()), (5, 3, Some(0.6)));
        let shared: Vec<_> = found.shared.iter().map(|shared| (&*shared.ngram, shared.count)).collect();
        assert_eq!(shared, [("we met in", 2), ("met in porto", 1)]);
        // No n-gram crosses the end of a sentence.
        assert_eq!(of("one two\nthree four", "two three", 2).shared_ngrams, 0);
        assert_eq!(of("One two", "two three", 1).shared_ngrams, 1);
    }

    #[test]
    fn texts_shorter_than_an_ngram_share_nothing() {
        for (train, test) in [("", ""), ("one", "one two"), ("one two three", "one two"), ("...", "?")] {
            let found = of(train, test, 3);
            assert_eq!((found.ngrams, found.shared_ngrams, found.fraction()), (0, 0, None));
        }
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_windows_find(train in "([ab] ?){0,12}\n([ab] ?){0,12}", test in "([ab] ?){0,12}\n([ab] ?){0,12}", order in 1usize..4) {
            let windows = |text: &str| -> Vec<String> {
                let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
                lines.flat_map(|words| words.windows(order).map(|window| window.join(" ")).collect::<Vec<_>>()).collect()
            };
            let (train_windows, test_windows) = (windows(&train), windows(&test));
            let shared = test_windows.iter().filter(|window| train_windows.contains(window)).count();
            let found = of(&train, &test, order);
            prop_assert_eq!((found.ngrams, found.shared_ngrams), (test_windows.len() as u64, shared as u64));
        }
    }
}
