//! Throughput of `bert` in words per second on one thread: the tensor graph, the engine in 32-bit
//! floats and in 8-bit integers, and the tokenizer alone, for every word and for each word once, as
//! a session keeps the subwords that come again.

#[expect(dead_code, reason = "the other benches look at memory and halve the text")]
mod common;

use std::env;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use candle_core::{Device, Tensor};
use divan::Bencher;
use divan::counter::ItemsCount;

use majuscule_neural::bert::config::EncoderConfig;
use majuscule_neural::bert::dropout::NoDropout;
use majuscule_neural::bert::encoder::EncoderBatch;
use majuscule_neural::bert::engine::{Engine, EnginePrecision, ScoreRequest};
use majuscule_neural::bert::names::{self, ENCODER};
use majuscule_neural::bert::tagger::BertTagger;
use majuscule_neural::bert::tokenize::{HuggingFaceTokenizer, SubwordTokenizer};
use majuscule_neural::bert::weights::{self, TensorMap, TensorWeights};
use majuscule_neural::bert::{HeadSizes, Heads};

/// The variable that names the folder of a trained model.
const VARIABLE: &str = "MAJUSCULE_BENCH_BERT";

/// Words of the text that are read.
const WORDS: usize = 4_000;

/// Runs of each benchmark in the summary; the fastest counts.
const TURNS: usize = 5;

/// Texts per batch of the graph, sorted by length and padded to equal width.
const BATCH: usize = 8;

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn graph(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.graph());
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn engine_f32(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.engine(&BENCH.f32));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn engine_int8(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.engine(&BENCH.int8));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn tokenizer(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| cut(&BENCH.subwords, &BENCH.all));
}

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// A model, three ways to compute it, and sentences.
struct Bench {
    name: String,
    subwords: HuggingFaceTokenizer,
    /// The words of the texts, and each different one once.
    all: Vec<String>,
    once: Vec<String>,
    texts: Vec<Text>,
    words: usize,
    tagger: BertTagger,
    f32: Engine,
    int8: Engine,
}

/// A sentence as subwords, and the positions where its words begin.
struct Text {
    ids: Vec<u32>,
    positions: Vec<u32>,
}

impl Bench {
    fn new() -> Self {
        let (name, config, subwords, weights) = match env::var_os(VARIABLE).map(PathBuf::from) {
            Some(folder) => {
                let (config, subwords, weights) = trained(&folder);
                (folder.display().to_string(), config, subwords, weights)
            }
            None => {
                let (config, subwords, weights) = toy();
                (
                    format!("the toy of the tests ({VARIABLE} names a model of your own)"),
                    config,
                    subwords,
                    weights,
                )
            }
        };
        let (text, _) = common::text();
        let mut texts = Vec::new();
        let mut all = Vec::new();
        let mut words = 0;
        for line in text.lines() {
            let text = Text::new(line, &subwords, config.longest());
            words += text.positions.len();
            all.extend(line.split_whitespace().map(str::to_owned));
            texts.push(text);
            if words >= WORDS {
                break;
            }
        }
        texts.sort_by_key(|text| text.ids.len());
        let engine = |precision| {
            Engine::new(&TensorWeights(&weights), &config, precision).expect("the weights are whole")
        };
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        Self {
            name,
            subwords,
            all,
            once,
            texts,
            words,
            tagger: BertTagger::new(&weights, &config).expect("the weights are whole"),
            f32: engine(EnginePrecision::F32),
            int8: engine(EnginePrecision::Int8),
        }
    }

    fn graph(&self) -> Vec<Tensor> {
        let batch = |texts: &[Text]| {
            let batch = EncoderBatch::new(texts.iter().map(|text| text.ids.as_slice()), 0);
            let rows = texts.iter().enumerate().flat_map(|(at, text)| {
                let first = (at * batch.width) as u32;
                text.positions.iter().map(move |position| first + position)
            });
            let rows: Vec<u32> = rows.collect();
            let words = self.tagger.encoder().words();
            self.tagger.scores(&batch, words, &rows, &mut NoDropout).expect("the texts fit the encoder")
        };
        self.texts.chunks(BATCH).map(batch).collect()
    }

    fn engine(&self, engine: &Engine) -> Vec<Vec<f32>> {
        let requests: Vec<ScoreRequest<'_>> = self
            .texts
            .iter()
            .map(|text| ScoreRequest { ids: &text.ids, positions: text.positions.clone() })
            .collect();
        engine.scores(&requests, NonZeroUsize::MIN).expect("the texts fit the encoder")
    }

    fn summary(&self) {
        let mut best = [Duration::MAX; 5];
        for _ in 0..TURNS {
            // A new tokenizer remembers no words.
            let [of_all, of_once] = [self.subwords.clone(), self.subwords.clone()];
            let turn = [
                time(|| self.graph()),
                time(|| self.engine(&self.f32)),
                time(|| self.engine(&self.int8)),
                time(|| cut(&of_all, &self.all)),
                time(|| cut(&of_once, &self.once)),
            ];
            best = std::array::from_fn(|i| best[i].min(turn[i]));
        }
        let speeds = best.map(|time| self.words as f64 / time.as_secs_f64());
        println!("\n{} words a run with {}; words/s, the best of {TURNS} turns", self.words, self.name);
        for (name, speed) in
            ["graph", "engine, f32", "engine, int8", "tokenizer", "tokenizer, once"].into_iter().zip(speeds)
        {
            println!("{name:<22} {speed:>12.0}  {:>6.2} x graph", speed / speeds[0]);
        }
        let json = self.subwords.json();
        let turns = (0..TURNS).map(|_| time(|| HuggingFaceTokenizer::read(&json, None)));
        let read = turns.min().unwrap_or_default();
        println!("{} words once; the tokenizer is read in {read:.1?}", self.once.len());
    }
}

/// Cuts words into subwords, and returns the number of these.
fn cut(subwords: &HuggingFaceTokenizer, words: &[String]) -> usize {
    words.iter().map(|word| subwords.of(word).expect("words can be cut into subwords").len()).sum()
}

impl Text {
    fn new(line: &str, subwords: &HuggingFaceTokenizer, longest: usize) -> Self {
        let mut text = Self { ids: vec![subwords.special.first], positions: Vec::new() };
        for word in line.split_whitespace() {
            let of_word = subwords.of(word).expect("words can be cut into subwords");
            if text.ids.len() + of_word.len() + 1 > longest {
                break;
            }
            if !of_word.is_empty() {
                text.positions.push(text.ids.len() as u32);
            }
            text.ids.extend(of_word);
        }
        text.ids.push(subwords.special.last);
        text
    }
}

/// Reads a trained model.
fn trained(folder: &Path) -> (EncoderConfig, HuggingFaceTokenizer, TensorMap) {
    let read = |name: &str| fs::read(folder.join(name)).unwrap_or_else(|error| stop(folder, &error));
    let config = EncoderConfig::read(&read("config.json")).unwrap_or_else(|problem| stop(folder, &problem));
    let subwords = HuggingFaceTokenizer::read(&read("tokenizer.json"), None)
        .unwrap_or_else(|problem| stop(folder, &problem));
    let store = majuscule_methods::model::open(folder).unwrap_or_else(|error| stop(folder, &error));
    let shapes = names::tagger_shapes(&config, Heads::of(&store.manifest().labels).sizes());
    let named = |name: &str| Some(names::tagger_name(config.kind, name));
    let weights = weights::read(&read("model.safetensors"), &shapes, named, &Device::Cpu);
    (config, subwords, weights.unwrap_or_else(|problem| stop(folder, &problem)))
}

/// Returns the toy encoder with a head of zeros.
fn toy() -> (EncoderConfig, HuggingFaceTokenizer, TensorMap) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/toy-bert");
    let read = |name: &str| fs::read(folder.join(name)).unwrap_or_else(|error| stop(&folder, &error));
    let config = EncoderConfig::read(&read("config.json")).unwrap_or_else(|problem| stop(&folder, &problem));
    let subwords = HuggingFaceTokenizer::read_vocabulary(&read("vocab.txt"), true, None);
    let encoder = weights::read_encoder(&read("model.safetensors"), &config, &Device::Cpu);
    let encoder = encoder.unwrap_or_else(|problem| stop(&folder, &problem));
    let mut weights: TensorMap =
        encoder.into_iter().map(|(name, tensor)| (format!("{ENCODER}{name}"), tensor)).collect();
    for (name, shape) in names::tagger_shapes(&config, HeadSizes { cases: 4, marks: 0 }) {
        let zeros = || Tensor::from_vec(vec![0f32; shape.iter().product()], shape.clone(), &Device::Cpu);
        weights.entry(name).or_insert_with(|| zeros().expect("a few numbers fit"));
    }
    (config, subwords.unwrap_or_else(|problem| stop(&folder, &problem)), weights)
}

/// Ends the benchmark with a message to the user.
fn stop(path: &Path, problem: &dyn std::fmt::Display) -> ! {
    eprintln!("cannot use {}: {problem}", path.display());
    process::exit(1)
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(run());
    start.elapsed()
}
