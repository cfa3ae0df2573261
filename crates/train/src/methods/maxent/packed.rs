//! Tests of a packed model against the weights as they were learned: hardly any word may come out
//! differently.

use std::num::NonZeroUsize;

use rustc_hash::FxHashMap;

use super::cells::Gradient;
use super::count::WordTallies;
use super::*;
use crate::corpus::{Example, Protocol, Reading};
use majuscule_base::files::Input;
use majuscule_methods::maxent::boundary::{Bonus, BoundaryModel, DISTANCES};
use majuscule_methods::maxent::observe::{Observer, WordFeatures};
use majuscule_methods::maxent::{BEGIN, CLASSES, WEIGHTS_EACH};
use majuscule_methods::sentence_starts::BoundaryEvidence;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_text::{Case, Locale, Tokens};

/// The plain twin of a model: weights as learned, in a map without fingerprints, and words in
/// another map. Nothing is summed in advance, and nothing is left out because it hardly matters.
struct Unpacked<'a> {
    weights: FxHashMap<u64, Gradient>,
    words: &'a WordTallies,
    clusters: FxHashMap<&'a str, u8>,
    /// The unquantised parts of the model: its settings, and the spellings of the classes title and
    /// mixed.
    model: &'a Maxent,
}

impl Unpacked<'_> {
    fn logits(&self, features: &[u64]) -> Gradient {
        let mut sums = [0.0; WEIGHTS_EACH];
        for weights in features.iter().filter_map(|feature| self.weights.get(feature)) {
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
        sums
    }

    fn seen(&self, lower: &str, token: &Token) -> WordFeatures {
        let profile = self.words.get(lower).map_or(0, |word| word.counts.profile());
        let cluster = self.clusters.get(lower).copied().unwrap_or(0);
        WordFeatures { cluster, ..WordFeatures::of(lower, token, profile) }
    }

    fn bonus(&self, word: WordFeatures) -> Bonus {
        DISTANCES.map(|distance| {
            let mut features = Vec::new();
            self.model
                .features
                .history(distance, word, |filler, values| features.push(filler.feature(values)));
            self.logits(&features)[BEGIN]
        })
    }

    fn cases(&self, tokens: &Tokens) -> Vec<Case> {
        let seen: Vec<WordFeatures> = tokens.iter().map(|(lower, token)| self.seen(lower, token)).collect();
        let Maxent { features: set, gazetteers, settings, .. } = self.model;
        let (mut chain, mut cases, mut features) = (BoundaryModel::default(), Vec::new(), Vec::new());
        Observer::new(set, gazetteers).text(tokens, &seen, |observer, word| {
            let Some(here) = seen.get(word.at) else { return };
            if word.opening.is_some() {
                chain = BoundaryModel::default();
            }
            let lower = tokens.lower(word.at);
            features.clear();
            set.all(&observer.observation(lower, word, settings.look_ahead), |filler, values, _| {
                features.push(filler.feature(values));
            });
            let mut sums = self.logits(&features);
            if word.is_repeated(settings.look_ahead) {
                // Title gets the higher of the logits of title and upper, and upper is ruled out.
                (sums[0], sums[1]) = (sums[0].max(sums[1]), -30.0);
            }
            let (begins, after) = match word.shown {
                BoundaryEvidence::Nothing => chain.step(sums[BEGIN], &self.bonus(*here)),
                BoundaryEvidence::Begins => (1.0, BoundaryModel::begun()),
                BoundaryEvidence::Inside => (0.0, chain.inside()),
            };
            chain = after;
            cases.push(self.case(lower, sums, f64::from(begins)));
        });
        cases
    }

    /// Returns the case of the most probable class of a word that begins a sentence with
    /// probability `begins`.
    fn case(&self, lower: &str, sums: Gradient, begins: f64) -> Case {
        let cases = &self.model.cases;
        let mixed = cases.mixed(&hash(lower.as_bytes()));
        let [title, upper, other] = [0, 1, 2].map(|class| f64::from(sums[class]).exp());
        // Unnormalised probabilities relative to 1 + title + upper + other, in the order of the
        // classes.
        let fractions = [1.0 - begins, title + begins, upper, if mixed.is_some() { other } else { 0.0 }];
        let best =
            (0..CLASSES).fold(0, |best, class| if fractions[class] > fractions[best] { class } else { best });
        match Class::ALL[best] {
            Class::Title => self.model.title(lower, begins > 0.5),
            class => cases.case(class, lower, mixed).unwrap_or_default(),
        }
    }
}

/// Returns a text of made-up words with a frequency distribution as in a language and many frequent
/// bigrams. A word has a case of its own, or one that depends on the previous word, with one
/// exception in two hundred.
fn text(words: usize, vocabulary: u64, seed: u64) -> String {
    let mut drawn = seed << 32;
    let mut below = |bound: u64| {
        drawn += 1;
        (hash(&drawn.to_le_bytes()) >> 1) % bound
    };
    let mut text = String::new();
    let (mut left, mut before) = (0, 0);
    for _ in 0..words {
        let opens = left == 0;
        if opens {
            left = 4 + below(16);
        }
        left -= 1;
        let follows = below(10) < 7;
        let position = if follows { hash(&(8 * before + below(5)).to_le_bytes()) } else { below(1 << 32) };
        // The logarithm of the rank is uniform, so rank r has a probability of about 1/r. A few words
        // open most sentences.
        let most = if opens && below(20) > 0 { 30 } else { vocabulary };
        let rank = (most as f64).powf(f64::from(position as u32) / 2f64.powi(32)) as u64;
        let own = match rank % 25 {
            0..16 => Class::Lower,
            16..19 => Class::Title,
            19 => Class::Upper,
            20 => Class::Mixed,
            _ if before % 3 == 0 => Class::Title,
            _ => Class::Lower,
        };
        let class = if below(200) == 0 { Class::ALL[below(4) as usize] } else { own };
        let word = spelled(rank, class);
        text += &if opens { Case::Title.applied(&word, Locale::Root) } else { word };
        text += match (left, below(12)) {
            (0, 0) => "?\n",
            (0, _) => ".\n",
            (_, 0) => ", ",
            _ => " ",
        };
        before = rank;
    }
    text
}

/// Returns the word of a rank: two to four syllables, the first of which identifies most names, with
/// a hyphen in some words.
fn spelled(rank: u64, class: Class) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "co", "di", "fen", "gu", "hal", "jo", "kir", "la", "mo", "ne", "por", "sa", "ti", "vu", "wes"];
    let draw = hash(&rank.to_le_bytes());
    let syllable = |at: u64| SYLLABLES[(draw >> (4 * at)) as usize % 16];
    let first = if (16..19).contains(&(rank % 25)) { &SYLLABLES[12..] } else { &SYLLABLES[..13] };
    let mut word = first[(draw >> 32) as usize % first.len()].to_owned();
    word.extend((1..2 + draw % 3).map(syllable));
    if rank.is_multiple_of(41) {
        word += "-";
        word += syllable(7);
    }
    match class {
        Class::Lower => word,
        Class::Title => Case::Title.applied(&word, Locale::Root),
        Class::Upper => word.to_uppercase(),
        Class::Mixed => format!("Mc{}", Case::Title.applied(&word, Locale::Root)),
    }
}

fn corpus(text: &str) -> Corpus {
    // The protocol alternates between text with and without marks and sentence ends.
    Corpus::of_text(text, Reading::default(), Protocol::Mix, Locale::Root)
}

/// Returns the fraction of words that two answers agree on.
fn agreement(one: &[Case], other: &[Case]) -> f64 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).filter(|(one, other)| one == other).count() as f64 / one.len() as f64
}

#[test]
fn packed_and_unpacked_models_give_equal_cases() {
    let training = corpus(&text(60_000, 6_000, 1));
    let groups = [&Group::DEFAULT[..], &[Group::Spans, Group::Clusters]].concat();
    let size = ModelSize::Features(40_000);
    let config = MaxentConfig {
        features: groups,
        bits: 18,
        size,
        vocabulary: 4_000,
        shuffle: 0,
        ..MaxentConfig::default()
    };
    let model = train(&config, &training, NonZeroUsize::MIN).unwrap();

    // The same training, but without packing.
    let prepared = Prepared::new(&config, &training, NonZeroUsize::MIN).unwrap();
    let numbers = clusters::clusters(&prepared.order, &training, NonZeroUsize::MIN).unwrap();
    let exact: FxHashMap<&str, u8> = prepared.order.iter().map(String::as_str).zip(numbers).collect();
    let hashed = exact.iter().map(|(lower, class)| (hash(lower.as_bytes()), [*class]));
    let gazetteers =
        Gazetteers { clusters: Some(gazetteers::table(hashed).unwrap()), ..Gazetteers::default() };
    let data = prepared.data(&config, &training, &gazetteers);
    let trainer = Trainer { data, threads: NonZeroUsize::MIN };
    let weights = find(&trainer, 40_000, None, prepared.digest).unwrap();
    let mut unpacked = Unpacked {
        weights: weights.by_feature().collect(),
        words: &prepared.words,
        clusters: exact,
        model: &model,
    };

    // The text includes unseen words.
    let examples: Vec<Example> = corpus(&text(100_000, 9_000, 2)).examples().unwrap();
    let documents: Vec<Tokens> = examples.iter().map(|example| example.tokens.clone()).collect();
    let plain = |unpacked: &Unpacked<'_>| -> Vec<Case> {
        documents.iter().flat_map(|tokens| unpacked.cases(tokens)).collect()
    };
    let choices = model.restore_batch(&documents, Request::default()).unwrap();
    let packed: Vec<Case> = choices.iter().flatten().map(|choice| choice.label.case).collect();
    let equal = agreement(&packed, &plain(&unpacked));
    assert!(equal >= 0.998, "{equal}");

    // The text is hard enough: all classes occur, there are errors, and coarser weights would show.
    let gold: Vec<Case> =
        examples.iter().flat_map(|example| &example.gold).map(|gold| gold.label.case).collect();
    let right = agreement(&packed, &gold);
    assert!(packed.len() >= 99_000 && (0.8..0.97).contains(&right), "{right} of {}", packed.len());
    for class in Class::ALL {
        let chosen = packed.iter().filter(|case| case.class() == class).count();
        assert!(chosen > 1_000, "{class:?}: {chosen}");
    }
    // Six bits per weight: a quarter of the levels.
    let steps = model.settings.steps as f32 / 4.0;
    unpacked.weights.values_mut().flatten().for_each(|weight| *weight = (*weight * steps).round() / steps);
    let coarse = agreement(&packed, &plain(&unpacked));
    assert!(coarse < 0.998, "{coarse}");
}

/// Returns the errors per word that has a capital.
fn slot_error_rate(cases: &[Case], gold: &[Case]) -> f64 {
    let errors = cases.iter().zip(gold).filter(|(case, gold)| case != gold).count();
    errors as f64 / gold.iter().filter(|case| **case != Case::Lower).count() as f64
}

#[test]
fn weights_of_any_size_restore_alike_before_they_go_out_and_after_they_come_in() {
    let shown = |text: &str| Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root);
    let training = shown(&text(12_000, 3_000, 3));
    let features = vec![Group::Word, Group::Bigrams];
    let exchange = Exchange {
        form: ExchangeFormat::Svmlight,
        target: Target::Case,
        min_count: 1,
        features: features.clone(),
        look_ahead: 1,
        right_context_dropout: 0.25,
        vocabulary: 4_000,
    };
    let (mut rows, mut names) = (Vec::new(), Vec::new());
    write_features(&exchange, &training, NonZeroUsize::MIN, &mut rows, &mut names).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [dictionary, weights] = ["names", "weights"].map(|name| folder.path().join(name));
    std::fs::write(&dictionary, names).unwrap();
    let rows = Input::new("rows", std::io::Cursor::new(rows)).unwrap();
    let (how, mut found) = (FitConfig { l2: 1e-3, precision: 1e-3, ..FitConfig::default() }, Vec::new());
    fit(&how, rows, Some(&dictionary), &mut found).unwrap();
    std::fs::write(&weights, found).unwrap();

    let solving = Solving { weights: Some(weights), ..Solving::default() };
    let exact: FxHashMap<u64, Gradient> =
        exchange::read_weights(&solving, false).unwrap().unwrap().into_iter().collect();
    let most = exact.values().flatten().fold(0.0f32, |most, weight| most.max(weight.abs()));
    assert!(most > 9.0, "{most} would hardly be cut");
    let examples: Vec<Example> = shown(&text(20_000, 3_000, 4)).examples().unwrap();
    let gold: Vec<Case> =
        examples.iter().flat_map(|example| &example.gold).map(|gold| gold.label.case).collect();
    let documents: Vec<Tokens> = examples.iter().map(|example| example.tokens.clone()).collect();
    let rates = |bits: Option<WeightBits>| {
        let config = MaxentConfig {
            features: features.clone(),
            look_ahead: 1,
            vocabulary: 4_000,
            weight_bits: bits,
            solving: solving.clone(),
            ..MaxentConfig::default()
        };
        let model = train(&config, &training, NonZeroUsize::MIN).unwrap();
        let words = WordTallies::default();
        let clusters = FxHashMap::default();
        let before = Unpacked { weights: exact.clone(), words: &words, clusters, model: &model };
        let before: Vec<Case> = documents.iter().flat_map(|tokens| before.cases(tokens)).collect();
        let choices = model.restore_batch(&documents, Request::default()).unwrap();
        let after: Vec<Case> = choices.iter().flatten().map(|choice| choice.label.case).collect();
        (slot_error_rate(&before, &gold), slot_error_rate(&after, &gold), model.settings.cut)
    };
    let (before, after, cut) = rates(None);
    assert!((before - after).abs() <= 0.002 && cut == 0, "{before} {after} {cut}");
    // If weights are cut to a byte, their number is reported.
    let (_, _, cut) = rates(Some(WeightBits::Eight));
    assert!(cut > 0);
}
