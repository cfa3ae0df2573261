//! Throughput of training an n-gram model from a file to an ARPA file, in words per second: in
//! memory, with limited memory, and from counts.

mod common;

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;

use majuscule_base::error::Error;
use majuscule_text::Locale;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::lm::kneser_ney::KneserNeyConfig;
use majuscule_train::lm::spill::Memory;
use majuscule_train::lm::words::{TrainingText, WordUnits};

/// Runs of each benchmark in the summary; the fastest counts.
const TURNS: usize = 3;

/// The number of parts of the corpus that are counted separately.
const SHARDS: usize = 4;

/// The memory limit in bytes per word of the text, such as 2 GB for 50 million words.
const BYTES_A_WORD: usize = 40;

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(args = [3, 5], sample_count = 3, sample_size = 1)]
fn in_memory(bencher: Bencher, order: usize) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.train(order, &Memory::unlimited()));
}

#[divan::bench(args = [5], sample_count = 3, sample_size = 1)]
fn under_a_limit(bencher: Bencher, order: usize) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.train(order, &BENCH.limit(1)));
}

#[divan::bench(args = [3], sample_count = 3, sample_size = 1)]
fn from_counts(bencher: Bencher, order: usize) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.train_counted(order));
}

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// The text as a file, and the counts of its pieces.
struct Bench {
    name: String,
    words: usize,
    file: PathBuf,
    shards: Vec<PathBuf>,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let (text, name) = common::text();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("text.txt");
        fs::write(&file, &text).expect("the text can be written");
        let lines: Vec<&str> = text.lines().collect();
        let shards = lines.chunks(lines.len().div_ceil(SHARDS)).enumerate().map(|(at, lines)| {
            let part = folder.path().join(format!("{at}.txt"));
            fs::write(&part, lines.join("\n")).expect("the text can be written");
            let counts = folder.path().join(format!("{at}.counts"));
            let mut out = io::BufWriter::new(fs::File::create(&counts).expect("a file can be made"));
            let text = read(&part, &Memory::unlimited());
            text.write_counts(3, &mut out, &refused, &mut |_| Ok(())).expect("the counts can be written");
            counts
        });
        let shards = shards.collect();
        Self { name, words: common::words(&text), file, shards, folder }
    }

    /// Returns the memory limit, divided by `times`.
    fn limit(&self, times: usize) -> Memory {
        Memory::limited(BYTES_A_WORD * self.words / times, self.folder.path())
    }

    fn train(&self, order: usize, memory: &Memory) {
        write(read(&self.file, memory), order);
    }

    fn train_counted(&self, order: usize) {
        write(
            TrainingText::open(&self.shards, &Memory::unlimited()).expect("the counts were written"),
            order,
        );
    }

    /// Prints the words per second of CPU time. The runs alternate, so that a
    /// busy machine slows all alike.
    fn summary(&self) {
        let rows: [(&str, &dyn Fn()); 5] = [
            ("trigram, in memory", &|| self.train(3, &Memory::unlimited())),
            ("trigram, from counts of 4 pieces", &|| self.train_counted(3)),
            ("order 5, in memory", &|| self.train(5, &Memory::unlimited())),
            ("order 5, 40 bytes of memory a word", &|| self.train(5, &self.limit(1))),
            ("order 5, 10 bytes of memory a word", &|| self.train(5, &self.limit(4))),
        ];
        let mut best = [f64::MAX; 5];
        for _ in 0..TURNS {
            for (best, (_, run)) in best.iter_mut().zip(rows) {
                let start = cpu_seconds();
                run();
                *best = best.min(cpu_seconds() - start);
            }
        }
        println!(
            "\n{} words of {}; the best of {TURNS} turns, ARPA written to nothing",
            self.words, self.name
        );
        for ((name, _), seconds) in rows.iter().zip(best) {
            let speed = self.words as f64 / seconds;
            println!("{name:36} {seconds:>8.2} CPU s  {speed:>12.0} words a CPU second");
        }
        println!("target of the trigram in memory: 3,000,000");
        println!("resident memory of the bench {}", common::peak_memory("self"));
    }
}

fn read(file: &Path, memory: &Memory) -> TrainingText {
    let corpus = Corpus::new(&[file], Reading::default(), Protocol::Text, Locale::Root);
    let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    TrainingText::read(&corpus.expect("one file is named"), WordUnits::Given, threads, memory)
        .expect("the text can be read")
}

fn write(text: TrainingText, order: usize) {
    // The generated text is too regular to estimate the discounts from it.
    let config = KneserNeyConfig { order, fallback: Some([0.5, 1.0, 1.5]), ..KneserNeyConfig::default() };
    text.write_arpa(&config, &mut io::sink(), &refused, &mut |_| Ok(())).expect("the text can be counted");
}

fn refused(error: io::Error) -> Error {
    Error::io("write", "", error)
}

/// Returns the CPU time of all threads so far, or the wall-clock time on
/// systems other than Linux.
fn cpu_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let fallback = START.elapsed().as_secs_f64();
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    // Linux counts in hundredths of a second.
    if ticks.len() == 2 { ticks.iter().sum::<f64>() / 100.0 } else { fallback }
}
