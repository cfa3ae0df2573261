//! A corpus as subwords and label ids.

use crate::bert::tokenize::HuggingFaceTokenizer;
use crate::bert::{Bert, BertSettings};
use crate::shared::gold::{WordLabels, gold};
use crate::shared::heads::Heads;
use crate::shared::predict::{HeadOptions, LearnedHeads};
use crate::shared::samples::{CorpusSplit, CorpusWords, Dataset, check_samples};
use crate::shared::windower::Windower;
use majuscule_base::error::Result;
use majuscule_methods::network::bert::windows::{self, EncoderWindow, LabelledSubword};
use majuscule_text::{Class, Labels};
use majuscule_train::corpus::Example;

/// A window with its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EncoderSample {
    /// The subwords.
    pub(super) ids: Vec<u32>,
    /// The words that have labels.
    pub(super) words: Vec<SupervisedWord>,
}

/// A word of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SupervisedWord {
    /// The position of the subword that is labelled.
    pub(super) position: u32,
    /// Its labels, one or both.
    pub(super) labels: WordLabels,
}

/// Reads a corpus, and returns its samples. Labels of an existing model keep their
/// ids, and its mixed-case spellings remain unless the corpus has other spellings of the same words.
///
/// # Errors
/// Fails if the corpus cannot be read, has no words, or has no examples of case or of one of the punctuation marks.
pub(super) fn read(
    heads: &HeadOptions,
    split: CorpusSplit<'_>,
    subwords: &HuggingFaceTokenizer,
    settings: &BertSettings,
    model: Option<&Bert>,
) -> Result<Dataset<EncoderSample>> {
    let corpus = split.corpus;
    let learned = match model {
        Some(model) => LearnedHeads { cases: model.heads.sizes().cases > 0, marks: model.heads.marks() },
        None => heads.learned()?,
    };
    let LearnedHeads { cases, marks } = learned;
    let mut options = windows::options(settings.window, settings.runs_on, None, 1);
    if !marks.is_empty() {
        // Running text may be cut anywhere, so windows need no overlap: all words are learned.
        options.overlap = 0;
    }
    let windower = Windower::new(subwords, options);
    // The three classes of Rei et al. 2020; the fourth class, mixed case, follows if it occurs.
    let classes = if cases { &Class::ALL[..3] } else { &Class::ALL[..1] };
    let labels = model.map_or_else(|| Heads::labels(classes, marks), |model| model.labels.clone());
    let with_mixed = if cases { with_mixed(&labels) } else { labels.clone() };
    let (heads, mut train) = (Heads::of(&with_mixed), Vec::new());
    let mut samples = SampleMaker { heads, subword: settings.labelled_subword, windower };
    let mut words = CorpusWords::new(corpus, learned);
    split.for_each(&mut |example, is_held_out| {
        words.add(example, is_held_out);
        if is_held_out { Ok(()) } else { samples.add(example, &mut train) }
    })?;
    words.check()?;
    check_samples(&train, corpus)?;
    let labels = if words.forms.has_mixed() { with_mixed } else { labels };
    let mixed = words.forms.mixed(model.map_or("", |model| model.cases.text()), corpus.locale());
    Ok(words.dataset(train, labels, mixed))
}

/// Makes samples from examples.
struct SampleMaker<'a> {
    heads: Heads,
    subword: LabelledSubword,
    windower: Windower<&'a HuggingFaceTokenizer>,
}

impl SampleMaker<'_> {
    /// Adds the windows of an example that teach a label.
    fn add(&mut self, example: &Example, out: &mut Vec<EncoderSample>) -> Result<()> {
        let mut windows = Vec::new();
        self.windower.push_document(&example.tokens, &mut windows)?;
        let gold = gold(&self.heads, example);
        let mut gold = gold.iter();
        for EncoderWindow { ids, targets, .. } in windows {
            let last = targets.len() - 1;
            let words = targets.iter().zip(gold.by_ref()).enumerate().filter_map(|(at, (target, labels))| {
                // The mark after the last word is not learned, as the window lacks the words after it.
                let labels = WordLabels { mark: labels.mark.filter(|_| at < last), ..*labels };
                let position = target.position(self.subword)?;
                (!labels.is_empty()).then_some(SupervisedWord { position, labels })
            });
            let words: Vec<SupervisedWord> = words.collect();
            if !words.is_empty() {
                out.push(EncoderSample { ids, words });
            }
        }
        Ok(())
    }
}

/// Returns labels with the fourth class, mixed case.
fn with_mixed(labels: &Labels) -> Labels {
    let heads = Heads::of(labels);
    Heads::labels(&heads.classes_with(Class::Mixed), heads.marks())
}
