//! Throughput of scoring text with a trigram model, in words per second and core: one sentence at a
//! time, several sentences interleaved, and as a whole process.

mod common;

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;

use majuscule_lm::{
    NgramModel, NgramScorer, NgramState, ScoredSentence, ScoredWord, SentenceBatch, WordId, binary,
};
use majuscule_text::Locale;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::lm::kneser_ney::{KneserNeyConfig, train};
use majuscule_train::lm::words::WordUnits;

/// Runs of each benchmark in the summary; the fastest counts.
const TURNS: usize = 5;

/// Candidates of a tagger for each word, and histories that each candidate may follow.
const CANDIDATES: usize = 3;

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn one_after_another(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.one_after_another());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn side_by_side(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.side_by_side());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn lattice(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.lattice());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn whole_process(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.whole_process());
}

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// A model of the first half of the text, and the second half, which is scored.
struct Bench {
    name: String,
    model: NgramModel,
    text: String,
    words: usize,
    file: PathBuf,
    binary: PathBuf,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let (text, name) = common::text();
        let (seen, text) = common::halves(&text);
        let config = KneserNeyConfig { order: 3, tokens: WordUnits::Given, ..KneserNeyConfig::default() };
        let corpus = Corpus::of_text(seen, Reading::default(), Protocol::Text, Locale::Root);
        let trained = train(&config, &corpus, NonZeroUsize::MIN).expect("the text has words enough");
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (file, path) = (folder.path().join("text.txt"), folder.path().join("model.bin"));
        std::fs::write(&file, text).expect("the text can be written");
        let mut bytes = Vec::new();
        binary::write(&trained, &mut bytes).expect("memory can be written");
        std::fs::write(&path, bytes).expect("the model can be written");
        let model = NgramModel::open(&path).expect("it was written");
        let words = common::words(text);
        Self { name, model, text: text.to_owned(), words, file, binary: path, _folder: folder }
    }

    fn one_after_another(&self) -> f64 {
        let scorer = self.model.scorer();
        self.text.lines().map(|line| scorer.sentence(line.split_ascii_whitespace()).log10).sum()
    }

    fn side_by_side(&self) -> f64 {
        let (scorer, vocabulary) = (self.model.scorer(), self.model.vocabulary());
        let (mut sentences, mut scores) = (SentenceBatch::default(), Vec::new());
        let mut sum = 0.0;
        let mut flush = |sentences: &mut SentenceBatch| {
            scorer.sentences(sentences, &mut scores);
            sentences.clear();
            sum += scores.drain(..).map(|score: ScoredSentence| score.log10).sum::<f64>();
        };
        for line in self.text.lines() {
            line.split_ascii_whitespace().for_each(|word| sentences.push(vocabulary.id(word)));
            sentences.end();
            if sentences.words() > 8192 {
                flush(&mut sentences);
            }
        }
        flush(&mut sentences);
        sum
    }

    /// Scores all words of each sentence with the queries of a tagger: several
    /// candidates after several histories.
    fn lattice(&self) -> f32 {
        let (scorer, vocabulary) = (self.model.scorer(), self.model.vocabulary());
        let mut sum = 0.0;
        let mut from = Vec::new();
        for line in self.text.lines() {
            let mut states = vec![scorer.start()];
            for word in line.split_ascii_whitespace() {
                let id = vocabulary.id(word);
                let candidates = (0..CANDIDATES as u32)
                    .map(|other| if other == 0 { id } else { WordId(id.0 / (other + 1)) });
                from.clear();
                for word in candidates {
                    from.extend(states.iter().map(|&state| (state, word)));
                }
                sum += step(&scorer, &from, &mut states);
            }
        }
        sum
    }

    fn whole_process(&self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_majuscule"));
        command.args(["lm", "score", "--plain"]).arg(&self.binary).arg(&self.file).stdout(Stdio::null());
        assert!(command.status().expect("the program can be started").success());
    }

    /// Prints the words per second of each benchmark. The runs alternate, so that a
    /// busy machine slows all alike.
    fn summary(&self) {
        let rows: [(&str, &dyn Fn()); 4] = [
            ("one after another", &|| _ = black_box(self.one_after_another())),
            ("side by side", &|| _ = black_box(self.side_by_side())),
            ("lattice", &|| _ = black_box(self.lattice())),
            ("whole process", &|| self.whole_process()),
        ];
        let mut best = [f64::MAX; 4];
        for _ in 0..TURNS {
            for (best, (_, run)) in best.iter_mut().zip(&rows) {
                let start = Instant::now();
                run();
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
        println!("\n{}: {} words under {:?} n-grams", self.name, self.words, self.model.counts());
        for ((name, _), seconds) in rows.iter().zip(best) {
            println!("{name:18} {:6.2} million words/s", self.words as f64 / seconds / 1e6);
        }
        println!("resident memory    {}, the text and training included", common::peak_memory("self"));
        println!(
            "target: 4 million words/s for all but the lattice, which has {} steps a word",
            CANDIDATES * CANDIDATES
        );
    }
}

/// Scores all steps, and keeps one state for each candidate.
fn step(scorer: &NgramScorer<'_>, from: &[(NgramState, WordId)], states: &mut Vec<NgramState>) -> f32 {
    let mut to = [ScoredWord { log10: 0.0, state: NgramState::EMPTY }; CANDIDATES * CANDIDATES];
    let to = &mut to[..from.len()];
    scorer.steps(from, to);
    let each = from.len() / CANDIDATES;
    states.clear();
    states.extend(to.chunks(each).map(|steps| steps[0].state));
    to.iter().map(|step| step.log10).sum()
}
