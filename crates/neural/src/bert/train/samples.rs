//! A corpus as word pieces and label ids.

use super::checkpoint::Digest;
use super::config::BertConfig;
use crate::bert::tokenize::Pieces;
use crate::bert::{Bert, BertSettings, windows};
use crate::shared::samples::{Dataset, check_samples, label_id, split_examples};
use crate::shared::windower::Windower;
use majuscule::error::Result;
use majuscule::text::{Class, Labels, Mark};
use majuscule_train::corpus::{Corpus, Example};
use majuscule_train::methods::forms::CorpusForms;

/// A window with its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PieceSample {
    /// The pieces.
    pub(super) ids: Vec<u32>,
    /// The positions of the first pieces of words that count, and the ids of their labels.
    pub(super) words: Vec<(u32, u32)>,
}

/// Reads a corpus, and returns its samples and a checksum of all examples. Labels of an existing
/// model keep their ids, and its mixed-case spellings stay unless the corpus has others.
///
/// # Errors
/// Fails if the corpus cannot be read, has no words or teaches no case.
pub(super) fn read(
    config: &BertConfig,
    corpus: &Corpus,
    pieces: &Pieces,
    settings: &BertSettings,
    model: Option<&Bert>,
) -> Result<(Dataset<PieceSample>, u32)> {
    let mut windower = Windower::new(pieces, windows::options(settings.window, settings.runs_on, None, 1));
    let mut forms = CorpusForms::default();
    // The paper's three classes, and after them the fourth if it occurs.
    let labels = model.map_or_else(|| labels(&Class::ALL[..3]), |model| model.labels.clone());
    let (train, held_out) = (Vec::new(), Vec::new());
    let mut dataset = Dataset { train, held_out, labels: with_mixed(&labels), mixed: String::new() };
    let mut digest = Digest::default();
    split_examples(corpus, config.seed, config.held_out, &mut |example, is_held_out| {
        digest.add(example, corpus.locale());
        if is_held_out {
            dataset.held_out.push(example.clone());
            return Ok(());
        }
        forms.count(example);
        add(&mut dataset, example, &mut windower)
    })?;
    forms.check(corpus)?;
    check_samples(&dataset.train, corpus)?;
    if !forms.has_mixed() {
        dataset.labels = labels;
    }
    dataset.mixed = forms.mixed(model.map_or("", |model| model.cases.text()), corpus.locale());
    Ok((dataset, digest.sum()))
}

/// Adds the windows of an example that teach a case.
fn add(
    dataset: &mut Dataset<PieceSample>,
    example: &Example,
    windower: &mut Windower<&Pieces>,
) -> Result<()> {
    let mut windows = Vec::new();
    windower.push_document(&example.tokens, &mut windows)?;
    let mut gold = example.gold.iter();
    for window in windows {
        let words = window.targets.iter().zip(gold.by_ref());
        let words =
            words.filter_map(|(target, gold)| Some((target.first?, label_id(&dataset.labels, gold)? as u32)));
        let words: Vec<_> = words.collect();
        if !words.is_empty() {
            dataset.train.push(PieceSample { ids: window.ids, words });
        }
    }
    Ok(())
}

fn labels(classes: &[Class]) -> Labels {
    Labels::new(classes.iter().map(|&class| (class, Mark::None)))
}

fn with_mixed(labels: &Labels) -> Labels {
    let known = (0..labels.len()).filter_map(|id| labels.get(id));
    Labels::new(known.chain([(Class::Mixed, Mark::None)]))
}
