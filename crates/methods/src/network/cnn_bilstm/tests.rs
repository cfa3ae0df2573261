//! Networks with weights that nobody trained: their answers are arbitrary, and the same everywhere.

use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::engine::{CnnBilstmEngine, LiveState};
use super::subwords::options;
use super::*;
use crate::network::heads::HeadSizes;
use crate::network::instruction_set::InstructionSet;
use crate::network::matrix::WeightMatrix;
use crate::network::subwords::{NativeTokenizer, SubwordTokenizer, TOY_TOKENIZER};
use crate::network::tensors::{Embeddings, WeightSource, embeddings};
use crate::network::windower::WindowOptions;
use crate::network::word_lexicon::{LexiconRows, WordLexicon};
use majuscule_text::Locale;

const SHAPE: CnnBilstmShape = CnnBilstmShape {
    subwords: 101,
    embedding: 9,
    convolutions: 1,
    channels: 11,
    layers: 2,
    hidden: 10,
    layouts: true,
    lexicon: true,
};
const SIZES: HeadSizes = HeadSizes { cases: 3, marks: 4 };

fn vocabulary() -> SubwordVocabulary {
    let subwords = NativeTokenizer::read(TOY_TOKENIZER.as_bytes(), SHAPE.subwords).unwrap();
    let lexicon = WordLexicon::build([("who", 9, 0), ("lisbon", 300, 2)].into_iter());
    let lexicon = WordLexicon::open(lexicon.into()).unwrap();
    SubwordVocabulary::new(subwords, "who\nlisbon\n", Some(lexicon)).unwrap()
}

/// Weights by a formula.
struct ToyWeights;

impl ToyWeights {
    fn shape(name: &str) -> Vec<usize> {
        let shapes = SHAPE.tensors(2, SIZES);
        shapes.into_iter().find(|(found, _)| found == name).map(|(_, shape)| shape).unwrap()
    }
}

impl WeightSource for ToyWeights {
    fn has(&self, _: &str) -> bool {
        true
    }

    fn matrix(&self, name: &str) -> std::result::Result<WeightMatrix, String> {
        let count = Self::shape(name).iter().product::<usize>();
        let seed = name.len() as f32;
        Ok(WeightMatrix::Floats((0..count).map(|at| (at as f32 * 1.7 + seed).sin() * 0.6).collect()))
    }

    fn embeddings(&self, name: &str) -> std::result::Result<Box<dyn Embeddings>, String> {
        Ok(embeddings(self.matrix(name)?, Self::shape(name)[1]))
    }
}

fn engine(instructions: InstructionSet, precision: EnginePrecision) -> CnnBilstmEngine {
    engine_of(SHAPE, instructions, precision)
}

fn engine_of(
    shape: CnnBilstmShape,
    instructions: InstructionSet,
    precision: EnginePrecision,
) -> CnnBilstmEngine {
    CnnBilstmEngine::on(instructions, &ToyWeights, shape, vocabulary().special(), SIZES, precision).unwrap()
}

fn windows(
    vocabulary: &SubwordVocabulary,
    texts: &[Vec<String>],
    options: WindowOptions,
) -> Vec<SubwordWindow> {
    let mut windows = Vec::new();
    let mut windower = Windower::new(vocabulary, options);
    for text in texts {
        let tokens = Tokens::of_words(text.iter().map(String::as_str), Locale::Root);
        windower.push_document(&tokens, &mut windows).unwrap();
    }
    windows
}

fn word() -> impl Strategy<Value = String> {
    "[a-z]{1,9}|lisbon|who|o'neill|\u{200b}|ᚠ"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn scores_do_not_depend_on_other_texts_nor_on_threads_nor_on_the_cpu(
        texts in prop::collection::vec(prop::collection::vec(word(), 1..30), 1..22),
    ) {
        let vocabulary = vocabulary();
        let windows = windows(&vocabulary, &texts, options(12, false, None));
        let threads = |count| NonZeroUsize::new(count).unwrap();
        for precision in [EnginePrecision::F32, EnginePrecision::Int8] {
            let best = engine(InstructionSet::best(), precision);
            let together = best.scores(&windows, threads(1), &mut Vec::new());
            prop_assert_eq!(&best.scores(&windows, threads(3), &mut Vec::new()), &together);
            for (window, found) in windows.iter().zip(&together) {
                prop_assert_eq!(found.len(), window.words.len() * SIZES.all());
                prop_assert_eq!(&best.scores(std::slice::from_ref(window), threads(1), &mut Vec::new())[0], found);
            }
            for instructions in InstructionSet::all() {
                let found = engine(instructions, precision).scores(&windows, threads(1), &mut Vec::new());
                for (found, expected) in found.iter().flatten().zip(together.iter().flatten()) {
                    prop_assert!((found - expected).abs() < 2e-2, "{instructions:?}: {found}, {expected}");
                }
            }
        }
    }

    #[test]
    fn every_word_is_a_target_once_in_order_in_a_window_that_fits(
        words in prop::collection::vec(word(), 0..60),
        window in 2usize..30,
        look_ahead in prop::option::of(0usize..9),
    ) {
        let vocabulary = vocabulary();
        let options = options(window, false, look_ahead);
        let windows = windows(&vocabulary, std::slice::from_ref(&words), options);
        let targets = windows.iter().flat_map(|window| &window.words[window.targets.clone()]);
        prop_assert!(targets.map(|word| &word.word.lower).eq(&words));
        for SubwordWindow { words, targets, .. } in &windows {
            prop_assert!(words.len() <= options.capacity && !targets.is_empty());
            if let Some(look_ahead) = look_ahead {
                prop_assert!(words.len() - targets.start <= look_ahead + 1);
            }
        }
    }

    /// In one LSTM, the state before a word depends on no later word; another LSTM reads the words after a
    /// decided word.
    #[test]
    fn words_decided_as_they_come_have_the_scores_of_the_text_up_to_their_look_ahead(
        words in prop::collection::vec(word(), 1..130),
        look_ahead in 0usize..40,
    ) {
        let vocabulary = vocabulary();
        let shape = CnnBilstmShape { layers: 1, ..SHAPE };
        let engine = engine_of(shape, InstructionSet::best(), EnginePrecision::F32);
        let text = |end: usize| {
            let windows = windows(&vocabulary, &[words[..end].to_vec()], options(200, false, None));
            engine.scores(&windows, NonZeroUsize::MIN, &mut Vec::new()).remove(0)
        };
        let (mut live, mut at) = (LiveState::default(), 0);
        for mut window in windows(&vocabulary, std::slice::from_ref(&words), options(200, false, Some(look_ahead))) {
            let scores = engine.live_scores(&mut window, look_ahead, &mut live);
            let found = &scores[window.targets.start * SIZES.all()..window.targets.end * SIZES.all()];
            let end = at + window.words.len() - window.targets.start;
            let expected = &text(end)[at * SIZES.all()..][..found.len()];
            for (found, expected) in found.iter().zip(expected) {
                prop_assert!((found - expected).abs() < 1e-4, "{at}: {found}, {expected}");
            }
            at += window.targets.len();
        }
        prop_assert_eq!(at, words.len());
    }
}

#[test]
fn bytes_are_near_the_numbers_that_they_stand_for() {
    let vocabulary = vocabulary();
    let text = vec!["the minister met us in lisbon and who met anna".split(' ').map(str::to_owned).collect()];
    let windows = windows(&vocabulary, &text, options(12, false, None));
    let scores = |precision| {
        engine(InstructionSet::Plain, precision).scores(&windows, NonZeroUsize::MIN, &mut Vec::new())
    };
    let (exact, near) = (scores(EnginePrecision::F32), scores(EnginePrecision::Int8));
    let far = exact[0].iter().zip(&near[0]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far > 0.0 && far < 0.1, "{far}");
}

#[test]
fn a_word_has_subwords_and_may_have_a_vector() {
    let vocabulary = vocabulary();
    let ids = |word: &str| vocabulary.ids(word).unwrap();
    assert_eq!((ids("who").word, ids("lisbon").word, ids("us").word), (Some(0), Some(1), None));
    assert_eq!((ids("who").lexicon, ids("us").lexicon), (LexiconRows::new(9, 0), LexiconRows::new(0, 0)));
    assert_eq!(*ids("\u{200b}").subwords, [vocabulary.special().padding]);
    assert_eq!(ids(&"us'".repeat(100)).subwords.len(), 24);
    let subwords = || NativeTokenizer::read(TOY_TOKENIZER.as_bytes(), SHAPE.subwords).unwrap();
    let wrong = |words: &str| SubwordVocabulary::new(subwords(), words, None).unwrap_err();
    assert_eq!(wrong("lisbon\nwh"), "ends within a word");
    assert!(wrong("lisbon\n\n").contains("in line 2") && wrong("a\na\n").contains("in line 2"));
    assert_eq!(subwords().of("lisbon").unwrap().len(), 1);
}
