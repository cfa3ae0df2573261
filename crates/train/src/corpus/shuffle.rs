//! Puts sentences in random order, so that training that reads a corpus once does not favour the
//! last sentences.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::read::CorpusBlock;
use super::{Corpus, marks};
use crate::random::{self, below};
use majuscule_base::error::Result;
use majuscule_text::{Case, Locale};

/// The settings of shuffling a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct ShuffleConfig {
    /// Number of consecutive sentences of a file that stay together, for training that runs across
    /// sentences
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub stretch: usize,
    /// Seed of the order: another seed gives another order
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Leave out sentences written in capitals, such as headings: they teach a model to write capitals
    #[arg(long)]
    pub drop_shouted: bool,
}

majuscule_arguments::default_of_arguments!(ShuffleConfig);

/// A shuffled corpus.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shuffled {
    /// The sentences, one per line.
    pub text: String,
    /// The number of sentences that were read.
    pub read: u64,
    /// The number of sentences that were left out because they are
    /// [shouted](ShuffleConfig::drop_shouted).
    pub shouted: u64,
}

/// Shuffles the sentences of a corpus, in the same way for the same seed. All sentences are kept in memory.
///
/// # Errors
/// If a file cannot be read or violates its format.
pub fn shuffle(corpus: &Corpus, config: ShuffleConfig) -> Result<Shuffled> {
    let (blocks, read, shouted) = blocks(corpus, config)?;
    let text = blocks.iter().flat_map(|block| [block.text(), "\n"]).collect();
    Ok(Shuffled { text, read, shouted })
}

impl Corpus {
    /// Returns the corpus with stretches of `stretch` consecutive sentences in random order, the
    /// order of [`shuffle`] with the default seed. All sentences are kept in memory.
    ///
    /// # Errors
    /// If a file cannot be read or violates its format; or if it can be read only once:
    /// [`Corpus::hold`] keeps it in memory.
    pub fn shuffled(&self, stretch: usize) -> Result<Self> {
        let (mut blocks, ..) = blocks(self, ShuffleConfig { stretch, ..ShuffleConfig::default() })?;
        if let Some(first) = blocks.first_mut() {
            first.begins = true;
        }
        Ok(Self { shuffled: Some(blocks.into()), ..self.again(self.reading.clone(), self.protocol)? })
    }
}

/// Returns the text of a corpus in another order, and the numbers of sentences that were read and that were left out.
fn blocks(corpus: &Corpus, config: ShuffleConfig) -> Result<(Vec<CorpusBlock>, u64, u64)> {
    let (mut stretches, mut stretch, mut scratch) = (Vec::new(), Vec::<CorpusBlock>::new(), String::new());
    let (mut read, mut shouted, mut sentences) = (0, 0, 0);
    let mut blocks = corpus.blocks();
    while let Some(block) = blocks.next()? {
        block.sentences(&mut |sentence| {
            corpus.interrupt.check()?;
            read += 1;
            if config.drop_shouted && is_shouted(sentence.text, corpus.locale(), &mut scratch) {
                shouted += 1;
                return Ok(());
            }
            if sentences == config.stretch.max(1) {
                stretches.push(std::mem::take(&mut stretch));
                sentences = 0;
            }
            sentences += 1;
            if !stretch.last().is_some_and(|last| last.is_like(&block)) {
                stretch.push(CorpusBlock::like(&block));
            }
            if let Some(last) = stretch.last_mut() {
                last.push(sentence);
            }
            Ok(())
        })?;
    }
    stretches.extend((!stretch.is_empty()).then_some(stretch));
    let mut random = ChaCha8Rng::seed_from_u64(config.seed);
    random::shuffle(&mut stretches, |end| below(&mut random, end as u64) as usize);
    Ok((stretches.into_iter().flatten().collect(), read, shouted))
}

/// Returns true if at least two words of more than one letter, and at least half of all such words,
/// are all in capitals.
fn is_shouted(sentence: &str, locale: Locale, scratch: &mut String) -> bool {
    let (mut words, mut in_capitals) = (0, 0);
    marks::words(sentence, locale, scratch, |word| {
        if locale.letter_count(word) > 1 {
            words += 1;
            in_capitals += usize::from(Case::of(word, locale) == Case::Upper);
        }
    });
    in_capitals >= 2 && 2 * in_capitals >= words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{CorpusSentence, Protocol, Reading};
    use proptest::prelude::*;
    use std::num::NonZeroUsize;

    proptest! {
        #[test]
        fn every_sentence_stays_once_and_stretches_stay_together(count in 0usize..60, stretch in 1usize..5, seed: u64) {
            let text: String = (0..count).map(|i| format!("Sentence {i} here.\n")).collect();
            let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root);
            let config = ShuffleConfig { stretch, seed, drop_shouted: true };
            let found = shuffle(&corpus, config).unwrap().text;
            let mut lines: Vec<&str> = found.lines().collect();
            let number = |line: &str| line.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
            let together = |pair: &[&str]| number(pair[1]) % stretch == 0 || number(pair[1]) == number(pair[0]) + 1;
            prop_assert!(lines.windows(2).all(together));
            lines.sort_unstable();
            let mut sorted: Vec<&str> = text.lines().collect();
            sorted.sort_unstable();
            prop_assert_eq!(lines, sorted);
        }
    }

    #[test]
    fn a_shuffled_corpus_has_the_same_sentences_read_in_the_same_ways() {
        let lines: String = (0..200).map(|i| format!("We met {i}. Ann left {i}.\n")).collect();
        for split in [false, true] {
            let reading = Reading { split, ..Reading::default() };
            let corpus = Corpus::of_text(
                &lines,
                reading,
                Protocol::Asr { window: NonZeroUsize::new(7).unwrap() },
                Locale::Dutch,
            );
            let shuffled = corpus.shuffled(4).unwrap();
            let sentences = |corpus: &Corpus| {
                let mut found = Vec::new();
                let mut visit = |sentence: CorpusSentence<'_>| {
                    found.push((sentence.text.to_owned(), sentence.line));
                    Ok(())
                };
                corpus.for_each_sentence(&mut visit).unwrap();
                found
            };
            let in_order = |corpus: &Corpus| {
                let mut found = sentences(corpus);
                found.sort();
                found
            };
            assert_ne!(sentences(&shuffled), sentences(&corpus));
            assert_eq!(in_order(&shuffled), in_order(&corpus));
            // Learning marks splits lines, however they are read otherwise.
            let windows = shuffled.in_windows().unwrap();
            assert_eq!(in_order(&windows), in_order(&corpus.in_windows().unwrap()));
            assert_eq!(sentences(&windows).len(), 400);
            // No window ends but the last where a stretch does.
            assert_eq!(shuffled.examples().unwrap().len(), corpus.examples().unwrap().len());
        }
    }

    #[test]
    fn shouted_sentences_are_left_out_where_asked_and_counted() {
        let plain = "The NATO and the EU met in Lisbon.\nA Oeste, nada de novo.\nNATO.\n1 2 3\n";
        let shouted = "QUESTION OF MS SMITH TO THE MINISTER.\nGARCÍA LÓPEZ, Ana\n";
        let corpus =
            Corpus::of_text(&(plain.to_owned() + shouted), Reading::default(), Protocol::Text, Locale::Root);
        let found = |drop_shouted| {
            shuffle(&corpus, ShuffleConfig { drop_shouted, ..ShuffleConfig::default() }).unwrap()
        };
        let mut lines: Vec<_> = found(true).text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        let mut expected: Vec<_> = plain.lines().collect();
        expected.sort_unstable();
        assert_eq!(lines, expected);
        assert_eq!((found(true).read, found(true).shouted), (6, 2));
        assert_eq!((found(false).text.lines().count(), found(false).shouted), (6, 0));
    }
}
