//! Throughput of building a lexicon from a file, in words per second and core,
//! on one thread and on two.

mod common;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;

use majuscule_text::Locale;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::lexicon::build::build;

/// Runs of each benchmark in the summary; the fastest counts.
const TURNS: usize = 5;

const THREADS: [usize; 2] = [1, 2];

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(args = THREADS, sample_count = 5, sample_size = 1)]
fn build_lexicon(bencher: Bencher, threads: usize) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.build(threads));
}

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// The text as a file, since the builder streams it and keeps only the lexicon in memory.
struct Bench {
    name: String,
    words: usize,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let (text, name) = common::text();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("text.txt");
        std::fs::write(&file, &text).expect("the text can be written");
        Self { name, words: common::words(&text), file, _folder: folder }
    }

    /// Builds the lexicon and returns the number of distinct words in it.
    fn build(&self, threads: usize) -> usize {
        let corpus = Corpus::new(&[&self.file], Reading::default(), Protocol::Text, Locale::Root);
        let corpus = corpus.expect("one file is named");
        let threads = NonZeroUsize::new(threads).expect("there is a thread");
        build(&corpus, "text", threads).expect("the text can be read").len()
    }

    /// Prints the words per second of both. The runs alternate, so that a busy
    /// machine slows both alike.
    fn summary(&self) {
        let mut best = [f64::MAX; THREADS.len()];
        let mut different = 0;
        for _ in 0..TURNS {
            for (best, threads) in best.iter_mut().zip(THREADS) {
                let start = Instant::now();
                different = self.build(threads);
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
        println!(
            "\n{} words, {different} different, of {}; the best of {TURNS} turns",
            self.words, self.name
        );
        for (best, threads) in best.into_iter().zip(THREADS) {
            let speed = self.words as f64 / best;
            let each = speed / threads as f64;
            println!("threads {threads}  {speed:>12.0} words/s  {each:>12.0} a core (target 2,000,000)");
        }
        // The text itself was in memory too before it was written.
        println!("resident memory of the bench {} (target 300 MB)", common::peak_memory("self"));
    }
}
