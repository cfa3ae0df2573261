//! A corpus as texts for the network and the ids of labels.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::config::BilstmConfig;
use crate::bilstm::network::NetworkWord;
use crate::bilstm::vocabulary::BilstmVocabulary;
use crate::bilstm::windows::{self, TextWindow};
use crate::shared::gold::{GoldHeads, WordLabels, teaches, window_labels};
use crate::shared::heads::Heads;
use crate::shared::predict::LearnedHeads;
use crate::shared::samples::{Dataset, check_samples, split_examples};
use crate::shared::windower::Windower;
use majuscule::error::Result;
use majuscule::text::{Class, Mark};
use majuscule_train::corpus::marks::check_taught;
use majuscule_train::corpus::{Corpus, Example};
use majuscule_train::methods::forms::CorpusForms;
use majuscule_train::random::{Random, unit};

/// A window with the labels of its words; a word without any is context only.
#[derive(Debug, Clone)]
pub(super) struct WordSample {
    pub(super) window: TextWindow,
    pub(super) labels: Vec<WordLabels>,
}

/// The samples of a training, and the vocabulary of the model.
#[derive(Debug)]
pub(super) struct WordSamples {
    pub(super) dataset: Dataset<WordSample>,
    pub(super) vocabulary: BilstmVocabulary,
    /// The first id of the words that occur once.
    once: u32,
}

impl WordSamples {
    /// Reads a corpus twice: its words, then its texts.
    ///
    /// # Errors
    /// Fails if the corpus cannot be read, has no words, or teaches no case or not all the marks.
    pub(super) fn read(config: &BilstmConfig, corpus: &Corpus) -> Result<Self> {
        let mut forms = CorpusForms::default();
        let mut held_out = Vec::new();
        split_examples(corpus, config.seed, config.held_out, &mut |example, is_held_out| {
            match is_held_out {
                true => held_out.push(example.clone()),
                false => forms.count(example),
            }
            Ok(())
        })?;
        let LearnedHeads { cases, marks } = config.heads.learned()?;
        if cases {
            forms.check(corpus)?;
        }
        let (vocabulary, once) = vocabulary(&forms);
        let classes = if cases { forms.classes() } else { &Class::ALL[..1] };
        let labels = Heads::labels(classes, marks);
        let mut options = windows::options(config.window, corpus.protocol().runs_on(), None);
        if !marks.is_empty() {
            // Running text is cut anywhere, and all its words are learned.
            options.overlap = 0;
        }
        let mut missing: Vec<Mark> = marks.iter().collect();
        let (heads, mut windower) = (Heads::of(&labels), Windower::new(&vocabulary, options));
        let mut train = Vec::new();
        split_examples(
            corpus,
            config.seed,
            config.held_out,
            &mut |example, is_held_out| match is_held_out {
                true => Ok(()),
                false => {
                    missing.retain(|&mark| !teaches(example, mark, marks));
                    add(example, &mut windower, &heads, &mut train)
                }
            },
        )?;
        check_taught(marks, |mark| missing.contains(&mark), &corpus.name())?;
        check_samples(&train, corpus)?;
        let mixed = forms.mixed("", corpus.locale());
        Ok(Self { dataset: Dataset { train, held_out, labels, mixed }, vocabulary, once })
    }

    /// Returns the words of a sample. Some of those that occur once count as unknown.
    pub(super) fn words<'a>(
        &self,
        sample: &'a WordSample,
        unknown: f64,
        random: &mut Random,
    ) -> Vec<NetworkWord<'a>> {
        let mut words = windows::seen(&sample.window);
        for word in words.iter_mut().filter(|word| word.id >= self.once) {
            if unit(random) < unknown {
                word.id = 0;
            }
        }
        words
    }
}

/// Returns the words by descending frequency, and the first id of those that occur once. A letter
/// of only one word counts as unknown, so that unknown letters occur too.
fn vocabulary(forms: &CorpusForms) -> (BilstmVocabulary, u32) {
    let mut words: Vec<(&str, u64)> = forms.words().collect();
    words.sort_by_key(|&(word, count)| (Reverse(count), word));
    let once = words.partition_point(|&(_, count)| count > 1) as u32 + 1;
    let mut letters: BTreeMap<char, u64> = BTreeMap::new();
    for (word, _) in &words {
        let mut own: Vec<char> = word.chars().collect();
        own.sort_unstable();
        own.dedup();
        own.into_iter().for_each(|letter| *letters.entry(letter).or_default() += 1);
    }
    let letters = letters.into_iter().filter(|&(_, words)| words > 1).map(|(letter, _)| letter).collect();
    let words = words.iter().flat_map(|(word, _)| [word, "\n"]).collect();
    (BilstmVocabulary::new(words, letters).expect("words and letters stand once each"), once)
}

/// Adds the windows of an example that teach a label.
fn add(
    example: &Example,
    windower: &mut Windower<&BilstmVocabulary>,
    heads: &Heads,
    train: &mut Vec<WordSample>,
) -> Result<()> {
    let mut windows = Vec::new();
    windower.push_document(&example.tokens, &mut windows)?;
    let mut gold = heads.gold(example).into_iter();
    for window in windows {
        if let Some(labels) = window_labels(&window, &mut gold) {
            train.push(WordSample { window, labels });
        }
    }
    Ok(())
}
