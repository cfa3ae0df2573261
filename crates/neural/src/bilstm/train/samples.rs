//! A corpus as texts for the network and the ids of labels.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::config::BilstmConfig;
use crate::bilstm::network::NetworkWord;
use crate::bilstm::vocabulary::BilstmVocabulary;
use crate::bilstm::windows::{self, TextWindow};
use crate::shared::gold::WordLabels;
use crate::shared::samples::{CorpusSplit, CorpusWords, Dataset};
use majuscule_base::error::Result;
use majuscule_train::methods::forms::CorpusForms;
use majuscule_train::random::{Random, unit};

/// A window with the labels of its words; a word without labels is context only.
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
    /// Fails if the corpus cannot be read, has no words, or has no examples of case or of one of the punctuation
    /// marks.
    pub(super) fn read(config: &BilstmConfig, split: CorpusSplit<'_>) -> Result<Self> {
        let mut words = CorpusWords::read(config.heads.learned()?, split)?;
        let labels = words.labels();
        let forms = std::mem::take(&mut words.forms);
        let (vocabulary, once) = vocabulary(&forms);
        let mixed = forms.mixed("", split.corpus.locale());
        drop(forms);
        let options = windows::options(config.window, split.corpus.protocol().runs_on(), None);
        let sample = |_, window, labels| WordSample { window, labels };
        let train = split.window_samples(&labels, &vocabulary, options, sample)?;
        Ok(Self { dataset: words.dataset(train, labels, mixed), vocabulary, once })
    }

    /// Returns the words of a sample. A word that occurs once in the corpus counts as unknown with the probability
    /// `unknown`.
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

/// Returns the words by descending frequency, and the first id of the words that occur once. A letter that occurs in
/// only one word counts as unknown, so that training contains unknown letters.
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
