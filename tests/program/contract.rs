//! The contract of every method; a new method joins the list of [`methods`].
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;

use majuscule_base::files::Input;
use majuscule_cli::methods::methods;
use majuscule_format::Format;
use majuscule_fst::ngram;
use majuscule_fst::wfst::BackOff;
use majuscule_methods::Backend;
use majuscule_methods::maxent::templates::Group;
use majuscule_methods::model::{self, Bytes, Draft, Folder, MANIFEST, Manifest, Packed, Store};
#[cfg(feature = "neural")]
use majuscule_neural::{NetworkTrainingOptions, bert, bilstm, cnn_bilstm};
use majuscule_restore::models::{Model, VotingOptions, cascade, voting};
use majuscule_restore::{Stream, Streaming, restore};
use majuscule_text::restorer::{Boundary, Request, Restorer, Session};
use majuscule_text::sentence::is_end_mark;
use majuscule_text::tokenize::{Capitalized, tokenize};
use majuscule_text::{
    Break, CapitalBalance, Capitals, Case, Choice, Context, HouseStyle, Label, Labels, Locale, Mark,
    MarkPlaces, MarkSet, RestoreOptions, SentenceStart, Spellings, Tokens,
};
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods::balance::MarkOptions;
use majuscule_train::methods::{Learner, hmm, majority, maxent};
use proptest::prelude::*;

use super::fuzz::laws::Dribble;
use super::toy_network;

/// Loads a model of any method of the program.
fn load(store: &dyn Store) -> majuscule_base::error::Result<Model> {
    methods().load(store, &Backend::default())
}

/// Returns every method, with its settings for these tests.
fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(majority::MajorityConfig::default()),
        Box::new(majority::MajorityConfig { no_parts: true, ..Default::default() }),
        Box::new(hmm::HmmConfig::default()),
        Box::new(hmm::HmmConfig { language: with_marks(), ..Default::default() }),
        Box::new(maxent::MaxentConfig { bits: 12, ..Default::default() }),
        Box::new(maxent::MaxentConfig {
            bits: 12,
            punctuation: with_marks().punctuation,
            ..Default::default()
        }),
        Box::new(maxent::MaxentConfig {
            bits: 12,
            look_ahead: 0,
            size: maxent::ModelSize::Features(50),
            ..Default::default()
        }),
        Box::new(maxent::MaxentConfig {
            bits: 12,
            features: vec![
                Group::Word,
                Group::Ngrams,
                Group::Clusters,
                Group::Lists,
                Group::ListsAround,
                Group::Forms,
                Group::FormsAround,
            ],
            lists: vec![LIST.clone()],
            forms: Some(LIST.clone()),
            ..Default::default()
        }),
        Box::new(ngram::NgramConfig::default()),
        Box::new(ngram::NgramConfig { arcs: BackOff::Epsilon, ..Default::default() }),
        Box::new(ngram::NgramConfig { language: with_marks(), ..Default::default() }),
        #[cfg(feature = "neural")]
        Box::new(toy_bert()),
        #[cfg(feature = "neural")]
        Box::new(bert::BertConfig {
            heads: bert::HeadOptions { punctuation: with_marks().punctuation, ..Default::default() },
            labelled_subword: bert::LabelledSubword::Last,
            training: bert::BertTrainingOptions {
                shared: NetworkTrainingOptions { epochs: Some(20), ..toy_bert().training.shared },
                ..toy_bert().training
            },
            ..toy_bert()
        }),
        #[cfg(feature = "neural")]
        Box::new(toy_bilstm()),
        #[cfg(feature = "neural")]
        Box::new(bilstm::BilstmConfig {
            heads: bert::HeadOptions { punctuation: with_marks().punctuation, ..Default::default() },
            training: NetworkTrainingOptions { epochs: Some(20), ..toy_bilstm().training },
            ..toy_bilstm()
        }),
        #[cfg(feature = "neural")]
        Box::new(toy_cnn_bilstm()),
        #[cfg(feature = "neural")]
        Box::new(cnn_bilstm::CnnBilstmConfig {
            heads: bert::HeadOptions { punctuation: with_marks().punctuation, ..Default::default() },
            words: 0,
            training: NetworkTrainingOptions { epochs: Some(20), ..toy_cnn_bilstm().training },
            ..toy_cnn_bilstm()
        }),
    ]
}

/// Returns the settings of a tagger on the toy encoder.
#[cfg(feature = "neural")]
fn toy_bert() -> bert::BertConfig {
    bert::BertConfig {
        encoder: Path::new(crate::ROOT).join("tests/data/toy-bert"),
        training: bert::BertTrainingOptions {
            shared: NetworkTrainingOptions { warm_up: Some(0), ..epochs(1) },
            frozen: Some(0),
            head_rate: Some(0.01),
            batch: Some(64),
            ..Default::default()
        },
        ..Default::default()
    }
}

/// Returns options with this number of epochs.
#[cfg(feature = "neural")]
fn epochs(epochs: usize) -> NetworkTrainingOptions {
    NetworkTrainingOptions { epochs: Some(epochs), ..Default::default() }
}

/// Returns the settings of a small network.
#[cfg(feature = "neural")]
fn toy_bilstm() -> bilstm::BilstmConfig {
    bilstm::BilstmConfig {
        word: 4,
        hidden: 4,
        training: NetworkTrainingOptions { rate: Some(0.05), ..epochs(1) },
        batch: 64,
        window: 5,
        ..Default::default()
    }
}

/// Returns the settings of a small network on subwords.
#[cfg(feature = "neural")]
fn toy_cnn_bilstm() -> cnn_bilstm::CnnBilstmConfig {
    cnn_bilstm::CnnBilstmConfig {
        subwords: 40,
        words: 4,
        embedding: 3,
        channels: 4,
        hidden: 4,
        training: NetworkTrainingOptions { rate: Some(0.05), warm_up: Some(0), ..epochs(1) },
        window: 5,
        ..Default::default()
    }
}

/// Returns the settings of a language model with the marks of [`TEXTS`].
fn with_marks() -> hmm::LanguageAndMap {
    hmm::LanguageAndMap { punctuation: MarkOptions::of(".,".parse().unwrap()), ..Default::default() }
}

/// A small text in each locale.
const TEXTS: [(&str, &str); 3] = [
    (
        "en",
        "The ministers met in Lisbon, said Anna McDonald of the BBC.\n\
         In New York the WHO asked us who had read O'Neill and Jean-Paul.\n\
         I gave my iPhone to the U.S. envoy; he took it to the US and to l'Europe.\n\
         We saw the WHO in NATO's house, and she who asked saw A4 paper.\n",
    ),
    (
        "tr",
        "Ayşe dün İstanbul'dan Iğdır'a gitti ve TBMM'de Işık ile konuştu.\n\
         Bugün IŞIK ve İZMİR yazılı, ılık bir İlkbahar içinde.\n",
    ),
    (
        "nl",
        "De minister van IJsland sprak in IJmuiden met Jan van den Berg.\n\
         Het ijs bij de NAVO en de IJssel was dik, zei O'Brien van de EU.\n",
    ),
];

/// Spellings of the user: one in lower case, phrases, and one with a mark inside.
const WORDS: &str = "eBay\nNew York City\nbbc\nAT&T\nİzmir\nlisbon\n";

/// A file of [`WORDS`], which is read as a list and as a lexicon.
static LIST: LazyLock<PathBuf> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("contract.words");
    fs::write(&file, WORDS).unwrap();
    file
});

/// A method that depends on the words around a word: one word and the break before it
/// to the left, two words to the right. The crate has no such method, but the code
/// around methods must support it.
#[derive(Debug)]
struct Around(Labels);

struct AroundSession {
    last: String,
    waiting: VecDeque<(String, Break)>,
}

impl Restorer for Around {
    fn labels(&self) -> &Labels {
        &self.0
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(2)
    }

    fn has_probabilities(&self) -> bool {
        false
    }

    fn session(&self, _: Request) -> Box<dyn Session + '_> {
        Box::new(AroundSession { last: String::new(), waiting: VecDeque::new() })
    }
}

impl AroundSession {
    /// Answers all words except the last `waiting` ones.
    fn answer(&mut self, waiting: usize, out: &mut Vec<Choice>) {
        while self.waiting.len() > waiting {
            out.push(self.choice(0));
            self.last = self.waiting.pop_front().unwrap().0;
        }
    }

    fn choice(&self, at: usize) -> Choice {
        let around = self.waiting.iter().skip(at).take(3);
        let sum = around.map(|(word, before)| word.len() * 7 + *before as usize).sum::<usize>();
        let last = if at == 0 { &self.last } else { &self.waiting[at - 1].0 };
        let cases = [Case::Lower, Case::Title, Case::Upper, Case::Mixed(Capitals(0b10))];
        Label::from(cases[(sum + last.len()) % 4]).into()
    }
}

impl Session for AroundSession {
    fn push(
        &mut self,
        tokens: &Tokens,
        end: Boundary,
        out: &mut Vec<Choice>,
    ) -> majuscule_base::error::Result<()> {
        for (lower, token) in tokens.iter() {
            if token.before == Break::Document {
                self.answer(0, out);
                self.last.clear();
            }
            self.waiting.push_back((lower.to_owned(), token.before));
            self.answer(2, out);
        }
        if end >= Boundary::Force {
            self.answer(0, out);
        }
        if end == Boundary::Reset {
            self.last.clear();
        }
        Ok(())
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> majuscule_base::error::Result<()> {
        out.extend((0..self.waiting.len()).map(|at| self.choice(at)));
        Ok(())
    }
}

/// Returns a model that is in memory only.
fn around(language: &str) -> Model {
    let mut manifest = Manifest::clone(&MODELS[0].1.manifest);
    manifest.language = language.to_owned();
    manifest.locale = language.parse().unwrap();
    Model { manifest: Arc::new(manifest), restorer: Arc::new(Around(Labels::cases())) }
}

/// All models that the contract is checked on: the trained methods, the English ones with marks in
/// windows that vote, and [`Around`].
static ALL: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let again = |(draft, _): &(Draft, Model)| load(&packed(draft.pack()).unwrap()).unwrap();
    let votes = |(_, model): &&(Draft, Model)| {
        model.manifest.language == "en" && !model.restorer.labels().marks().is_empty()
    };
    let [window, step] = [5, 2].map(|words| NonZeroUsize::new(words).unwrap());
    let options = VotingOptions { window, step, end_threshold: 0.3 };
    let voting = MODELS.iter().filter(votes).map(|model| voting(again(model), options).unwrap());
    MODELS.iter().map(again).chain(voting).chain(TEXTS.map(|(language, _)| around(language))).collect()
});

/// Each method, trained on each text, and a network that nobody trained.
static MODELS: LazyLock<Vec<(Draft, Model)>> = LazyLock::new(|| {
    let mut models = Vec::new();
    for method in learners() {
        for (language, text) in TEXTS {
            let draft = train(&*method, text, language, 1).unwrap();
            let model = load(&packed(draft.pack()).unwrap()).unwrap();
            models.push((draft, model));
        }
    }
    for network in [toy_network::in_bytes(), toy_network::cnn_bilstm_in_bytes()] {
        let model = load(&packed(network.pack()).unwrap()).unwrap();
        models.push((network, model));
    }
    models
});

/// Cascades whose first model has marks, and whose second model, of the same language, has marks or has none.
static CASCADES: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let again = |draft: &Draft| load(&packed(draft.pack()).unwrap()).unwrap();
    let has_marks = |model: &Model| !model.restorer.labels().marks().is_empty();
    let mut cascades = Vec::new();
    for (draft, fast) in MODELS.iter().filter(|(_, model)| has_marks(model)) {
        let others = || {
            let is_other = |(_, other): &&(Draft, Model)| {
                let of = |model: &Model| (model.manifest.method.clone(), has_marks(model));
                other.manifest.language == fast.manifest.language && of(other) != of(fast)
            };
            MODELS.iter().filter(is_other)
        };
        let bare =
            others().find(|(_, other)| other.manifest.method == "maxent" && !has_marks(other)).unwrap();
        for (exact, _) in others().rfind(|(_, other)| has_marks(other)).into_iter().chain([bare]) {
            cascades.push(cascade(again(draft), again(exact), 0.9).unwrap().0);
        }
    }
    cascades
});

fn train(
    learner: &dyn Learner,
    text: &str,
    language: &str,
    threads: usize,
) -> majuscule_base::error::Result<Draft> {
    let reading = Reading { language: Some(language.to_owned()), ..Reading::default() };
    let corpus = Corpus::of_text(text, reading, Protocol::default(), language.parse()?);
    let threads = NonZeroUsize::new(threads).unwrap();
    majuscule_train::methods::train(learner, &corpus, vec!["text".to_owned()], threads, &mut |_| {})
}

fn packed(bytes: Vec<u8>) -> majuscule_base::error::Result<Packed> {
    Packed::open("packed", Bytes::Owned(bytes.into()))
}

/// Running text of the words above in any case, with marks, odd white space
/// and line ends between them.
fn any_text() -> impl Strategy<Value = String> {
    let words: Vec<String> = TEXTS
        .iter()
        .flat_map(|(_, text)| text.split_whitespace())
        .chain([
            "bbc",
            "at&t",
            "city",
            "ebay",
            "mcdonald's",
            "who's",
            "x",
            "ß",
            "4th",
            "no.",
            "fig.",
            "7",
            "@john",
            "{\\an8}",
            "vice-president",
            "president",
            "commission",
            "prime",
            "of",
            "#",
            "-",
            "ὈΔΥΣΣΕΎΣ",
        ])
        .map(|word| word.trim_matches(['.', ',', ';']).to_owned())
        .collect();
    let word = (prop::sample::select(words), 0..6u8).prop_map(|(word, case)| match case {
        0 => word.to_uppercase(),
        1 => word,
        2 => word.chars().rev().collect::<String>().to_lowercase(),
        _ => word.to_lowercase(),
    });
    let part = prop_oneof![
        12 => word,
        2 => "[.?!] ?".prop_map(|mark| mark),
        1 => "[,;:'’\"()\u{ad}\u{301}<>/&-]{1,2}",
        1 => "(\r?\n){1,2}",
        1 => Just("http://a.b/Who".to_owned()),
        1 => "\\PC{0,3}",
    ];
    let space = prop_oneof![8 => Just(" "), 1 => Just(""), 1 => Just("\n")];
    prop::collection::vec((part, space), 0..30)
        .prop_map(|parts| parts.into_iter().map(|(part, space)| part + space).collect())
}

/// A line in capitals or in mixed case: `auto` treats the two differently.
fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        any_text(),
        any_text().prop_map(|text| text.to_uppercase()),
        "(WHO|who|bbc|BBC|Us|us|I|i|[.] ){0,6}"
    ]
}

/// The options for restoring a text.
#[derive(Debug, Clone, Copy)]
struct Mode {
    locale: Locale,
    case: Capitalized,
    start: SentenceStart,
    words: bool,
}

fn modes(locale: Locale) -> impl Iterator<Item = Mode> {
    let cases = [Capitalized::Auto, Capitalized::Keep, Capitalized::Ignore];
    let starts = [SentenceStart::Auto, SentenceStart::Always, SentenceStart::Never];
    (0..18).map(move |i| Mode { locale, case: cases[i % 3], start: starts[i / 3 % 3], words: i / 9 == 1 })
}

fn options(mode: Mode) -> RestoreOptions {
    let spellings = if mode.words { WORDS.as_bytes() } else { b"" };
    RestoreOptions::default()
        .in_locale(Some(mode.locale))
        .in_language(Some("en".to_owned()))
        .capitalized(mode.case)
        .spellings(Spellings::read(spellings, "words", mode.locale).unwrap())
        .sentence_start(mode.start)
        .style(if mode.words {
            HouseStyle::default()
        } else {
            "small-offices,title-headings,capital-items".parse().unwrap()
        })
}

fn restored(method: &dyn Restorer, text: &str, mode: Mode, step: usize, threads: usize) -> String {
    let threads = NonZeroUsize::new(threads).unwrap();
    restored_as(Format::Text, method, text, options(mode).threads(threads), step)
}

/// Streams a text in parts of these lengths, which repeat. After a part marked true, all pending
/// words are answered at once.
fn streamed(
    method: &Arc<dyn Restorer>,
    text: &str,
    mode: Mode,
    look_ahead: Option<usize>,
    cuts: &[(usize, bool)],
) -> String {
    streamed_as(method, text, mode, options(mode).look_ahead(look_ahead), cuts)
}

fn streamed_as(
    method: &Arc<dyn Restorer>,
    text: &str,
    mode: Mode,
    options: RestoreOptions,
    cuts: &[(usize, bool)],
) -> String {
    let mut stream = Stream::new("text", method.clone(), options).unwrap();
    let (mut out, mut at) = (Vec::new(), 0);
    for (len, now) in cuts.iter().cycle() {
        let end = text.len().min(at + len);
        stream.push(&text.as_bytes()[at..end], &mut out).unwrap();
        at = end;
        if *now {
            stream.now(&mut out).unwrap();
        }
        let shown = [&*out, &stream.tail().unwrap()].concat();
        assert_eq!(folded(&shown, mode), folded(&text.as_bytes()[..at], mode), "all is out or in the tail");
        if at == text.len() {
            break;
        }
    }
    stream.finish(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns a text without its case. The form of a sigma depends on the end of its word, which
/// may be early in a stream.
fn folded(text: &[u8], mode: Mode) -> String {
    mode.locale.lower(&String::from_utf8_lossy(text)).replace('ς', "σ")
}

fn dribble(text: &str, step: usize) -> Input<'_> {
    Input::uncompressed("text", Dribble::new(text.as_bytes(), step))
}

fn restored_as(
    kind: Format,
    method: &dyn Restorer,
    text: &str,
    options: RestoreOptions,
    step: usize,
) -> String {
    let mut out = Vec::new();
    restore(kind, dribble(text, step), method, &options, &mut |bytes, _| {
        out.extend_from_slice(bytes);
        Ok(())
    })
    .unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the marks to ask a method for, if `asked`.
fn marks_of(method: &dyn Restorer, asked: bool) -> MarkSet {
    if asked { method.labels().marks() } else { MarkSet::NONE }
}

/// Returns a request for marks, of at least a probability if the method has probabilities.
fn asking(method: &dyn Restorer, asked: bool, threshold: Option<f32>) -> Request {
    let mark_threshold = threshold.filter(|_| method.has_probabilities());
    Request { marks: marks_of(method, asked), mark_threshold, ..Request::default() }
}

fn choices(method: &dyn Restorer, tokens: &Tokens) -> Vec<Choice> {
    let mut choices = Vec::new();
    method.session(Request::default()).push(tokens, Boundary::Reset, &mut choices).unwrap();
    choices
}

fn part(tokens: &Tokens, range: Range<usize>, locale: Locale) -> Tokens {
    let mut part = Tokens::new();
    for (lower, token) in tokens.iter().skip(range.start).take(range.len()) {
        part.push(lower, locale, token.clone());
    }
    part
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn any_way_of_cutting_a_text_gives_equal_choices(
        text in any_text(),
        cuts in prop::collection::vec((0usize..9, prop::bool::ANY), 1..12),
        marks in prop::bool::ANY,
        threshold in prop::option::of(0f32..=1.0),
    ) {
        for Model { manifest, restorer } in ALL.iter() {
            let tokens = tokenize(&text, manifest.locale, &manifest.language);
            let request = asking(&**restorer, marks, threshold);
            let whole = restorer.restore_batch(std::slice::from_ref(&tokens), request).unwrap().remove(0);
            prop_assert_eq!(whole.len(), tokens.len(), "one choice for each word");

            let mut session = restorer.session(request);
            let (mut found, mut at) = (Vec::new(), 0);
            for (len, soft) in cuts.iter().cycle().take(1000) {
                let end = (at + len).min(tokens.len());
                // A soft end may be only at the end of a line, where a method may stop looking.
                let breaks = tokens.as_slice().get(end).is_some_and(|t| t.before >= Break::Line);
                let after = if *soft && breaks { Boundary::Line } else { Boundary::None };
                session.push(&part(&tokens, at..end, manifest.locale), after, &mut found).unwrap();
                at = end;
                prop_assert!(found.len() <= at, "more choices than words");
                let held_back = restorer.look_ahead().unwrap_or(usize::MAX);
                prop_assert!(at - found.len() <= held_back, "too many choices are held back");
            }
            let rest = part(&tokens, at..tokens.len(), manifest.locale);
            session.push(&rest, Boundary::Reset, &mut found).unwrap();
            prop_assert_eq!(&found, &whole, "cut at {:?}", cuts);

            // After a flush the session starts anew.
            let before = found.len();
            session.push(&tokens, Boundary::Reset, &mut found).unwrap();
            prop_assert_eq!(&found[before..], &whole[..]);
        }
    }

    #[test]
    fn answering_now_changes_only_what_is_answered_then(
        text in any_text(),
        cuts in prop::collection::vec((0usize..9, prop::bool::ANY), 1..12),
        look_ahead in prop::option::of(0usize..4),
        confidence in prop::bool::ANY,
        marks in prop::bool::ANY,
        threshold in prop::option::of(0f32..=1.0),
    ) {
        for Model { manifest, restorer } in ALL.iter() {
            let tokens = tokenize(&text, manifest.locale, &manifest.language);
            let request = Request { look_ahead, confidence, ..asking(&**restorer, marks, threshold) };
            let mut whole = Vec::new();
            restorer.session(request).push(&tokens, Boundary::Reset, &mut whole).unwrap();

            let mut session = restorer.session(request);
            let (mut found, mut at) = (Vec::new(), 0);
            // A mark that was answered too early, or left out, decides what follows it: the text then stays as it was
            // answered.
            let mut is_free = true;
            for (len, now) in cuts.iter().cycle().take(1000) {
                if at == tokens.len() {
                    break;
                }
                let end = (at + len).min(tokens.len());
                let before = found.len();
                session.push(&part(&tokens, at..end, manifest.locale), Boundary::None, &mut found).unwrap();
                if is_free {
                    prop_assert_eq!(&found[before..], &whole[before..found.len()], "{}", manifest.method);
                }
                at = end;
                let mut guessed = Vec::new();
                session.guess(&mut guessed).unwrap();
                prop_assert_eq!(found.len() + guessed.len(), at, "one guess for each word held back");
                if *now {
                    let before = found.len();
                    session.push(&Tokens::new(), Boundary::Force, &mut found).unwrap();
                    let marks = |choices: &[Choice]| choices.iter().map(|choice| choice.label.mark).collect::<Vec<_>>();
                    is_free &= marks(&found[before..]) == marks(&whole[before..found.len()]);
                    prop_assert_eq!(&found[before..], &guessed[..], "{}: all are answered, as they were guessed", manifest.method);
                }
                let none = found.len();
                session.push(&Tokens::new(), Boundary::None, &mut found).unwrap();
                prop_assert_eq!(found.len(), none);
            }
            let before = found.len();
            let rest = part(&tokens, at..tokens.len(), manifest.locale);
            session.push(&rest, Boundary::Reset, &mut found).unwrap();
            if is_free {
                prop_assert_eq!(&found[before..], &whole[before..], "{}", manifest.method);
            }
        }
    }

    #[test]
    fn a_stream_gives_what_the_whole_gives_however_it_is_cut(
        text in any_text(),
        cuts in prop::collection::vec((1usize..12, Just(false)), 1..12),
        look_ahead in prop::option::of(0usize..4),
    ) {
        // Marks that end a sentence are evidence about the line before them, all marks show whether the text has its
        // punctuation, and they come too late for a stream; so do the end of code, and the evidence that a line began
        // with the label of a speaker: a colon, or the blanks after the letter Q. A hyphen may divide a word at the end
        // of a line.
        let is_late = |c: char| is_end_mark(c) || matches!(c, ',' | ';' | '·' | '…' | ':' | 'q' | 'Q' | '$' | '`' | '-' | '‐' | '\u{ad}');
        let unmarked: String = text.chars().filter(|&c| !is_late(c)).collect();
        for Model { manifest, restorer } in ALL.iter() {
            for mode in modes(manifest.locale).filter(|mode| mode.case != Capitalized::Auto).step_by(3) {
                let whole = streamed(restorer, &text, mode, look_ahead, &[(usize::MAX / 2, false)]);
                prop_assert_eq!(&streamed(restorer, &text, mode, look_ahead, &cuts), &whole);
                let streamed = streamed(restorer, &unmarked, mode, look_ahead, &cuts);
                let options = options(mode).look_ahead(look_ahead.or(restorer.live_look_ahead()));
                let restored = restored_as(Format::Text, &**restorer, &unmarked, options, usize::MAX);
                prop_assert_eq!(streamed, restored, "{:?}", mode);
            }
        }
    }

    #[test]
    fn a_stream_that_nobody_waits_for_changes_nothing_but_case(
        text in any_text(),
        cuts in prop::collection::vec((1usize..12, prop::bool::ANY), 1..12),
        look_ahead in prop::option::of(0usize..4),
    ) {
        for Model { manifest, restorer } in ALL.iter() {
            for mode in modes(manifest.locale).filter(|mode| mode.case != Capitalized::Auto).step_by(5) {
                let streamed = streamed(restorer, &text, mode, look_ahead, &cuts);
                prop_assert_eq!(folded(streamed.as_bytes(), mode), folded(text.as_bytes(), mode));
            }
        }
    }

    #[test]
    fn many_capitals_are_those_of_few_and_more(text in any_text(), marks in prop::bool::ANY) {
        for Model { manifest, restorer } in ALL.iter().filter(|model| model.restorer.balances_capitals()) {
            let tokens = tokenize(&text, manifest.locale, &manifest.language);
            let is_small = [CapitalBalance::Few, CapitalBalance::Balanced, CapitalBalance::Many].map(|capitals| {
                let request = Request { capitals, ..asking(&**restorer, marks, None) };
                let found = restorer.restore_batch(std::slice::from_ref(&tokens), request).unwrap().remove(0);
                found.iter().map(|choice| choice.label.case == Case::Lower).collect::<Vec<_>>()
            });
            for (fewer, more) in is_small.iter().zip(&is_small[1..]) {
                prop_assert!(fewer.iter().zip(more).all(|(fewer, more)| fewer >= more), "{}", manifest.method);
            }
        }
    }

    #[test]
    fn every_choice_is_one_of_the_labels(text in any_text()) {
        for Model { manifest, restorer } in ALL.iter() {
            let tokens = tokenize(&text, manifest.locale, &manifest.language);
            for choice in choices(&**restorer, &tokens) {
                prop_assert!(restorer.labels().id(choice.label).is_some(), "{:?}", choice);
                prop_assert!(choice.confidence.is_none(), "it was not asked for");
            }
        }
    }

    #[test]
    fn the_choices_are_the_best_of_the_n_best(text in any_text()) {
        const LABELLINGS: usize = 20;
        for Model { manifest, restorer } in ALL.iter() {
            let tokens = tokenize(&text, manifest.locale, &manifest.language);
            let found = restorer.details().and_then(|details| details.n_best(&tokens, LABELLINGS));
            let Some(best) = found else { continue };
            prop_assert!(best.is_sorted_by(|a, b| a.log10 >= b.log10));
            let labels: Vec<_> = choices(&**restorer, &tokens).iter().map(|choice| choice.label).collect();
            // Any of several equally likely labellings may have been chosen.
            let equal = best.iter().filter(|labelling| labelling.log10 > best[0].log10 - 1e-6);
            let mut equal = equal.map(|labelling| &labelling.labels);
            prop_assert!(best.is_empty() || equal.clone().count() == LABELLINGS || equal.any(|found| *found == labels));
        }
    }

    #[test]
    fn documents_in_a_batch_know_nothing_of_each_other(texts in prop::collection::vec(any_text(), 0..4)) {
        for Model { manifest, restorer } in ALL.iter() {
            let documents: Vec<Tokens> =
                texts.iter().map(|text| tokenize(text, manifest.locale, &manifest.language)).collect();
            let alone: Vec<_> = documents.iter().map(|document| choices(&**restorer, document)).collect();
            prop_assert_eq!(restorer.restore_batch(&documents, Request::default()).unwrap(), alone);
        }
    }

    #[test]
    fn texts_one_after_the_other_know_nothing_of_each_other(first in any_text(), second in any_text()) {
        for Model { manifest, restorer } in ALL.iter() {
            let [first, second] =
                [&first, &second].map(|text| tokenize(text, manifest.locale, &manifest.language));
            let alone = [choices(&**restorer, &first), choices(&**restorer, &second)].concat();
            let mut both = first.clone();
            both.extend(&second, 0..second.len());
            prop_assert_eq!(choices(&**restorer, &both), alone, "{} {}", manifest.method, manifest.language);
        }
    }

    #[test]
    fn restoring_changes_nothing_but_case_and_a_second_time_nothing(text in any_line()) {
        for Model { manifest, restorer } in ALL.iter() {
            for mode in modes(manifest.locale) {
                let once = restored(&**restorer, &text, mode, usize::MAX, 1);
                prop_assert_eq!(mode.locale.lower(&once), mode.locale.lower(&text));
                let twice = restored(&**restorer, &once, mode, usize::MAX, 1);
                prop_assert_eq!(&twice, &once, "{:?} of {:?}", mode, text);
            }
        }
    }

    #[test]
    fn marks_are_put_in_once_and_taking_them_out_gives_the_text_back(
        text in any_text(), look_ahead in prop::option::of(1usize..4), threshold in prop::option::of(0f32..=1.0),
        step in 1usize..40, is_unmarked in prop::bool::ANY,
    ) {
        let text = text.to_lowercase();
        let mark_places = if is_unmarked { MarkPlaces::Unmarked } else { MarkPlaces::Everywhere };
        for Model { manifest, restorer } in ALL.iter().chain(CASCADES.iter()) {
            let marks = restorer.labels().marks();
            if marks.is_empty() {
                continue;
            }
            let (case, start) = (Capitalized::Keep, SentenceStart::Auto);
            let mode = Mode { locale: manifest.locale, case, start, words: false };
            let mark_threshold = threshold.filter(|_| restorer.has_probabilities());
            let options = options(mode).marks(marks).mark_places(mark_places).look_ahead(look_ahead).mark_threshold(mark_threshold);
            let with_marks = |text: &str, step: usize| {
                restored_as(Format::Text, &**restorer, text, options.clone(), step)
            };
            let once = with_marks(&text, usize::MAX);
            let letters = |text: &str| -> String {
                mode.locale.lower(text).chars().filter(|c| !",.".contains(*c)).collect()
            };
            prop_assert_eq!(letters(&once), letters(&text));
            prop_assert_eq!(&with_marks(&once, usize::MAX), &once, "{:?}", text);
            prop_assert_eq!(&with_marks(&text, step), &once, "{:?}", text);
        }
    }

    #[test]
    fn a_mark_has_at_least_the_probability_that_is_asked_for(
        text in any_text(), look_ahead in prop::option::of(0usize..4), threshold in 0f32..=1.0,
    ) {
        for Model { manifest, restorer } in ALL.iter().filter(|model| model.restorer.has_probabilities()) {
            let tokens = tokenize(&text.replace(is_end_mark, ""), manifest.locale, &manifest.language);
            let request = Request { look_ahead, confidence: true, ..asking(&**restorer, true, Some(threshold)) };
            let found = restorer.restore_batch(&[tokens], request).unwrap().remove(0);
            for choice in found {
                let is_put = request.marks.has(choice.label.mark);
                prop_assert_eq!(choice.mark_confidence.is_some(), !request.marks.is_empty());
                prop_assert!(!is_put || choice.mark_confidence >= Some(threshold), "{:?}", choice);
                prop_assert!(choice.mark_confidence <= Some(1.0), "{:?}", choice);
            }
        }
    }

    #[test]
    fn the_short_way_restores_as_the_long_one(text in any_line(), first in "(P\\*M\u{18})?") {
        let text = first + &text;
        for model in ALL.iter() {
            let (case, start) = (Capitalized::Auto, SentenceStart::Auto);
            let mode = Mode { locale: model.manifest.locale, case, start, words: false };
            let options = options(mode).in_language(Some(model.manifest.language.clone()));
            let options = options.style(HouseStyle::default());
            let long = restored_as(Format::Text, &*model.restorer, &text, options, usize::MAX);
            prop_assert_eq!(model.restore(&text).unwrap(), long);
        }
    }

    #[test]
    fn neither_threads_nor_how_bytes_arrive_change_the_output(text in any_line(), step in 1usize..40) {
        for Model { manifest, restorer } in ALL.iter() {
            for mode in modes(manifest.locale).step_by(5) {
                let whole = restored(&**restorer, &text, mode, usize::MAX, 1);
                prop_assert_eq!(&restored(&**restorer, &text, mode, step, 1), &whole);
                prop_assert_eq!(&restored(&**restorer, &text, mode, step, 3), &whole);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn lines_and_records_by_themselves_are_what_each_is_alone(
        lines in prop::collection::vec(any_text(), 1..4),
        step in 1usize..40,
    ) {
        // Code is skipped in plain text, and records have no code.
        let lines: Vec<String> =
            lines.iter().map(|line| line.replace(['\r', '\n', '$', '`', '\\'], " ")).collect();
        let object = |text: &String| format!("{{\"text\":{}}}\n", serde_json::to_string(text).unwrap());
        for Model { manifest, restorer } in ALL.iter() {
            for mode in modes(manifest.locale).step_by(11) {
                let alone: Vec<String> =
                    lines.iter().map(|line| restored(&**restorer, line, mode, usize::MAX, 1)).collect();
                let apart = || options(mode).context(Context::Line);
                let found = restored_as(Format::Text, &**restorer, &lines.join("\n"), apart(), step);
                prop_assert_eq!(&found, &alone.join("\n"), "{:?}", mode);
                let again = restored_as(Format::Text, &**restorer, &found, apart(), usize::MAX);
                prop_assert_eq!(&again, &found, "{:?}", mode);

                let records: String = lines.iter().map(object).collect();
                let found = restored_as(Format::Jsonl, &**restorer, &records, options(mode), step);
                prop_assert_eq!(found, alone.iter().map(object).collect::<String>(), "{:?}", mode);

                if mode.case != Capitalized::Auto {
                    let one = |line: &String| streamed(restorer, line, mode, None, &[(usize::MAX / 2, false)]);
                    let alone: Vec<String> = lines.iter().map(one).collect();
                    let joined = lines.join("\n");
                    let found = streamed_as(restorer, &joined, mode, apart(), &[(step, false)]);
                    prop_assert_eq!(found, alone.join("\n"), "{:?}", mode);
                }
            }
        }
    }
}

/// A reader that returns one part of a text per request, and records a request
/// that does not come in time.
struct Asked {
    parts: VecDeque<&'static str>,
    asked: mpsc::Receiver<()>,
    in_time: Arc<AtomicBool>,
}

impl Read for Asked {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.asked.recv_timeout(Duration::from_secs(60)).is_err() {
            self.in_time.store(false, Ordering::Relaxed);
        }
        let part = self.parts.pop_front().unwrap_or_default();
        out[..part.len()].copy_from_slice(part.as_bytes());
        Ok(part.len())
    }
}

#[test]
fn a_line_that_nothing_follows_comes_out_and_what_does_not_pause_is_the_same() {
    let mode =
        Mode { locale: Locale::Root, case: Capitalized::Auto, start: SentenceStart::Auto, words: false };
    let lines = ["who met us in new york\n", "anna mcdonald of the\nbbc\n", "said so"];
    for Model { restorer, .. } in ALL.iter() {
        let whole = restored(&**restorer, &lines.concat(), mode, usize::MAX, 1);
        let run = |input: Input, patience: Duration, heard: &mut dyn FnMut(&[u8])| {
            let options = options(mode).patience(Some(patience));
            let mut out = Vec::new();
            restore(Format::Text, input, &**restorer, &options, &mut |bytes, _| {
                out.extend_from_slice(bytes);
                heard(&out);
                Ok(())
            })
            .unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(run(dribble(&lines.concat(), 7), Duration::from_secs(3600), &mut |_| {}), whole);

        // Each part is sent once everything before it is out.
        let (ask, asked) = mpsc::channel();
        let in_time = Arc::new(AtomicBool::new(true));
        let reader = Asked { parts: lines.into(), asked, in_time: Arc::clone(&in_time) };
        let input = Input::uncompressed("text", reader);
        let mut sent = 0;
        let mut parts = lines.iter();
        ask.send(()).unwrap();
        sent += parts.next().unwrap().len();
        let out = run(input, Duration::from_millis(1), &mut |out| {
            if out.len() == sent {
                sent += parts.next().map_or(0, |part| part.len());
                // At the end of the input the incomplete line comes out without a wait.
                let last = if parts.len() == 0 { 2 } else { 1 };
                for _ in 0..last {
                    let _ = ask.send(());
                }
            }
        });
        assert!(in_time.load(Ordering::Relaxed), "a line waited for the next one");
        assert_eq!(out.to_lowercase(), whole.to_lowercase());
    }
}

#[test]
fn a_long_gap_parts_what_stands_around_it_however_the_bytes_arrive() {
    let method = around("en").restorer;
    let mode =
        Mode { locale: Locale::Root, case: Capitalized::Ignore, start: SentenceStart::Never, words: false };
    for gap in [1_048_570, 1_048_580, 2_500_000] {
        let text = "one two".to_owned() + &"\n".repeat(gap) + "three four five";
        let whole = restored(&*method, &text, mode, usize::MAX, 1);
        for step in [1_000, 65_537] {
            assert!(restored(&*method, &text, mode, step, 1) == whole, "a gap of {gap} in steps of {step}");
        }
    }
}

#[test]
fn the_locale_may_be_another_than_the_models() {
    for (_, Model { restorer, .. }) in MODELS.iter() {
        for locale in [Locale::Root, Locale::Turkic, Locale::Dutch] {
            for mode in modes(locale) {
                for text in ["İSTANBUL ısparta IJMUIDEN who.", "iğdır IĞDIR ijsland\nWHO ΟΔΟΣ"] {
                    let once = restored(&**restorer, text, mode, usize::MAX, 1);
                    assert_eq!(locale.lower(&once), locale.lower(text));
                    assert_eq!(restored(&**restorer, &once, mode, usize::MAX, 1), once, "{mode:?}");
                }
            }
        }
    }
}

#[test]
fn a_line_without_end_is_restored_the_same_the_second_time() {
    let lines = ["WHO bbc ", "the WHO ", "bbc ", "Anna met who and ", "x,"];
    let texts: Vec<String> = lines
        .iter()
        .map(|line| line.repeat(150_000 / line.len()) + "WHO asked who. the BBC\nWHO bbc\n")
        .chain(["NATO ".to_owned() + &"bbc ".repeat(20_000) + "WHO asked who"])
        .collect();
    let (_, Model { manifest, restorer }) = &MODELS[0];
    for mode in modes(manifest.locale) {
        for text in &texts {
            let once = restored(&**restorer, text, mode, usize::MAX, 1);
            assert!(restored(&**restorer, &once, mode, 70_001, 2) == once, "{mode:?}, {}", &text[..20]);
        }
    }
}

/// Checks that a method returns probabilities if and only if it declares that it has them.
#[test]
fn a_method_that_says_so_has_probabilities_and_no_other() {
    let tokens = Tokens::of_words(["the", "who", "met", "in", "lisbon"], Locale::Root);
    let mut seen = [false; 2];
    for (_, model) in MODELS.iter() {
        let method = &*model.restorer;
        let request = Request { confidence: true, ..Request::default() };
        let choices = method.restore_batch(std::slice::from_ref(&tokens), request).unwrap();
        let all = choices.iter().flatten().all(|choice| choice.confidence.is_some());
        assert_eq!(all, method.has_probabilities(), "{}", model.manifest.method);
        seen[usize::from(all)] = true;
    }
    assert_eq!(seen, [true; 2], "methods of both kinds are tested");
}

/// Checks that sentence ends are answered if they are requested, and change no case.
#[test]
fn a_method_that_ends_sentences_says_where_and_changes_no_case() {
    let ending =
        MODELS.iter().map(|(_, model)| model).filter(|model| model.restorer.labels().ends_sentences());
    for Model { manifest, restorer } in ending {
        let text: String = TEXTS.iter().map(|(_, text)| manifest.locale.lower(text)).collect();
        let tokens = tokenize(&text, manifest.locale, &manifest.language);
        let [silent, ends] = [false, true].map(|sentence_ends| {
            let request = Request { confidence: true, sentence_ends, ..Request::default() };
            restorer.restore_batch(std::slice::from_ref(&tokens), request).unwrap().concat()
        });
        let case = |choice: &Choice| (choice.label.case, choice.confidence);
        assert!(silent.iter().map(case).eq(ends.iter().map(case)), "{}", manifest.method);
        let marks =
            |choices: &[Choice]| choices.iter().filter(|choice| choice.label.mark != Mark::None).count();
        assert_eq!(marks(&silent), 0, "{}", manifest.method);
        // The text shows the end of every line but the last, which may be cut off.
        assert!(marks(&ends) >= text.lines().count() - 1, "{}: {}", manifest.method, marks(&ends));
        let with_probability =
            [silent, ends].concat().iter().filter(|choice| choice.mark_confidence.is_some()).count();
        assert_eq!(with_probability, 0, "{}: no mark was asked for", manifest.method);
    }
}

fn answers(model: &Model) -> Vec<Choice> {
    let text: String = TEXTS.iter().map(|(_, text)| model.manifest.locale.lower(text)).collect();
    choices(&*model.restorer, &tokenize(&text, model.manifest.locale, &model.manifest.language))
}

#[test]
fn a_model_saved_and_loaded_in_any_form_answers_the_same() {
    for (draft, model) in MODELS.iter() {
        let place = tempfile::tempdir().unwrap();
        let (folder, file) = (place.path().join("model"), place.path().join("model.packed"));
        draft.save(&folder, false).unwrap();
        fs::write(&file, draft.pack()).unwrap();
        for path in [&folder, &file] {
            let store = model::open(path).unwrap();
            store.check().unwrap();
            assert_eq!(store.manifest(), draft.manifest());
            let loaded = load(&*store).unwrap();
            assert_eq!(answers(&loaded), answers(model));
            let knows = |model: &Model| model.restorer.details()?.knows("lisbon");
            assert_eq!(knows(&loaded), knows(model));
        }
    }
}

#[test]
fn training_twice_with_other_threads_gives_equal_bytes() {
    let line = |i| {
        format!("We met Word{}, and word{} of the NAME{} in Lisbon.\n", i % 997, i * 7 % 997, i * 31 % 211)
    };
    for method in learners() {
        // The text is long enough for work in three threads, which networks share within a batch, and
        // has ties that a hash order would break at random.
        let lines = if ["bert", "bilstm", "cnn-bilstm"].contains(&method.name()) { 600 } else { 30_000 };
        let text: String = (0..lines).map(line).collect();
        let one = train(&*method, &text, "en", 1).unwrap().pack();
        assert!(train(&*method, &text, "en", 1).unwrap().pack() == one, "another time, another model");
        assert!(train(&*method, &text, "en", 3).unwrap().pack() == one, "three threads make another model");
    }
}

#[test]
fn text_that_teaches_no_case_is_refused() {
    for method in learners() {
        for (text, problem) in [
            ("", "no words"),
            (" \n...\n", "no words"),
            ("we met in lisbon\nand in porto\n", "have a capital"),
            ("WE MET IN LISBON\nAND IN PORTO\n", "all capitals"),
        ] {
            let error = train(&*method, text, "en", 1).unwrap_err().to_string();
            assert!(error.contains(problem), "{text:?}: {error}");
        }
    }
}

/// Saves the model in a temporary folder, to be damaged there.
fn saved(draft: &Draft) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("model");
    draft.save(&folder, false).unwrap();
    (place, folder)
}

fn problem(path: &Path) -> String {
    let loaded = model::open(path).and_then(|store| load(&*store));
    loaded.err().unwrap_or_else(|| panic!("a damaged model was loaded")).to_string()
}

#[test]
fn a_model_cut_off_anywhere_is_refused() {
    for (draft, model) in MODELS.iter() {
        let whole = draft.pack();
        let end = whole.iter().rposition(|&b| b != 0).unwrap() + 1;
        // Every length near both ends, and a sample of the lengths between.
        let is_tried = |&len: &usize| len < 1024 || len + 512 > whole.len() || len % 61 == 0;
        for len in (0..whole.len()).filter(is_tried) {
            match packed(whole[..len].to_vec()).and_then(|store| load(&store)) {
                // The zeros at the very end are padding of the last section.
                Ok(cut) => assert!(len >= end && answers(&cut) == answers(model), "cut to {len} bytes"),
                Err(error) => {
                    let error = error.to_string();
                    let says = ["cut off", "does not begin with MAJUSCUL", "no manifest"];
                    assert!(says.iter().any(|what| error.contains(what)), "cut to {len} bytes: {error}");
                }
            }
        }
        let (_place, folder) = saved(draft);
        for file in &draft.manifest().files {
            let path = folder.join(&file.name);
            let bytes = fs::read(&path).unwrap();
            for len in (0..bytes.len()).step_by(bytes.len() / 50 + 1) {
                fs::write(&path, &bytes[..len]).unwrap();
                let found = problem(&folder);
                assert!(
                    found.contains(&format!("{} has {len} bytes, but the manifest says", file.name)),
                    "{found}"
                );
            }
            fs::write(&path, &bytes).unwrap();
        }
        let path = folder.join(MANIFEST);
        let bytes = fs::read(&path).unwrap();
        for len in (0..bytes.len() - 1).step_by(11) {
            fs::write(&path, &bytes[..len]).unwrap();
            assert!(problem(&folder).contains("is not a manifest of majuscule"));
        }
    }
}

#[test]
fn a_flipped_bit_gives_an_error_or_a_model_and_never_a_panic() {
    for (draft, model) in MODELS.iter() {
        let whole = draft.pack();
        let files: usize =
            draft.manifest().files.iter().map(|file| file.bytes.next_multiple_of(64) as usize).sum();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            let Ok(flipped) = packed(bytes).and_then(|store| load(&store)) else { continue };
            // The manifest may have changed; after it come the files, which have checksums.
            if at >= whole.len() - files {
                assert_eq!(answers(&flipped), answers(model), "byte {at} was altered");
            } else {
                answers(&flipped);
            }
        }
    }
}

#[test]
fn what_is_no_model_of_this_build_is_named() {
    let (draft, _) = &MODELS[0];
    let file = draft.manifest().files[0].name.clone();
    let change = |change: &dyn Fn(&mut serde_json::Value)| {
        let (_place, folder) = saved(draft);
        let path = folder.join(MANIFEST);
        let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        // The first format has no checksum that the change would break.
        manifest["format"] = 1.into();
        manifest.as_object_mut().unwrap().remove("checksum");
        change(&mut manifest);
        fs::write(&path, serde_json::to_vec(&manifest).unwrap()).unwrap();
        problem(&folder)
    };
    let has = |found: String, words: &[&str]| {
        assert!(words.iter().all(|word| found.contains(word)), "{found:?} lacks one of {words:?}");
    };
    has(change(&|m| m["format"] = 9.into()), &["model format 9, but this build reads 2", "newer majuscule"]);
    has(
        change(&|m| m["format"] = 0.into()),
        &["model format 0, but this build reads 1 to 2", "train the model again"],
    );
    has(change(&|m| m["method"] = "oracle".into()), &["method \"oracle\"", "majority", "newer majuscule"]);
    #[cfg(not(feature = "neural"))]
    has(
        change(&|m| m["method"] = "bilstm".into()),
        &["method \"bilstm\"", "build majuscule with the feature neural"],
    );
    has(
        change(&|m| *m = serde_json::json!({"architectures": ["BertModel"]})),
        &["not a manifest of majuscule"],
    );
    has(change(&|m| *m = serde_json::json!([1, 2])), &["not a manifest of majuscule"]);
    has(change(&|m| m["locale"] = "?".into()), &["not a manifest of majuscule"]);
    has(
        change(&|m| drop(m.as_object_mut().unwrap().remove("files"))),
        &["not a manifest of majuscule", "files"],
    );
    has(change(&|m| m["settings"] = serde_json::Value::Null), &["settings", "train it again"]);
    has(change(&|m| m["files"] = serde_json::json!([])), &["has no file", &file]);
    has(change(&|m| m["files"][0]["bytes"] = 7.into()), &[&file, "but the manifest says 7", "again"]);
    has(change(&|m| m["files"][0]["crc32"] = "00000000".into()), &[&file, "checksum", "00000000", "altered"]);

    let (_place, folder) = saved(draft);
    fs::remove_file(folder.join(&file)).unwrap();
    has(problem(&folder), &[&file, "missing", "again"]);
    fs::remove_file(folder.join(MANIFEST)).unwrap();
    has(problem(&folder), &["no majuscule.json", "name a folder made by train"]);
    has(problem(&folder.join("nowhere")), &["nowhere: there is no such file or folder", "made by train"]);
    let text = folder.join("notes.txt");
    fs::write(&text, "These are notes.").unwrap();
    has(problem(&text), &["notes.txt", "not a packed model"]);
    fs::write(&text, "").unwrap();
    has(problem(&text), &["notes.txt", "not a packed model"]);
}

#[test]
fn a_manifest_cannot_lead_out_of_its_folder() {
    let (draft, _) = &MODELS[0];
    let (place, folder) = saved(draft);
    fs::write(place.path().join("secret"), "secret").unwrap();
    let store = Folder::open(&folder).unwrap();
    for name in ["../secret", "/etc/passwd", "..", ".", "", "a/../../secret"] {
        let error = store.section(name).unwrap_err().to_string();
        assert!(error.contains("is not a valid name of a model's file"), "{name}: {error}");
    }
}

#[test]
fn a_model_that_stands_there_is_replaced_only_by_force() {
    let (draft, model) = &MODELS[0];
    let (other, _) = &MODELS[1];
    let (place, folder) = saved(draft);
    let error = other.save(&folder, false).unwrap_err();
    assert!(
        matches!(error, majuscule_base::error::Error::Usage(_)) && error.to_string().contains("give `force`"),
        "{error}"
    );
    assert_eq!(answers(&load(&*model::open(&folder).unwrap()).unwrap()), answers(model));
    other.save(&folder, true).unwrap();
    assert_eq!(model::open(&folder).unwrap().manifest(), other.manifest());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left beside it");
}
