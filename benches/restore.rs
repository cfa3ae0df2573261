//! Throughput in words per second: `majority` in process, compared with the crate `truecase`, and
//! the built-in models as a whole process.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use divan::Bencher;
use divan::counter::ItemsCount;

use majuscule_base::files::Input;
use majuscule_format::Format;
use majuscule_methods::model::{self, Bytes, Packed};
use majuscule_restore::models::{Model, Preset, load};
use majuscule_text::{Locale, RestoreOptions};
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods::{majority, train};

/// Runs of each benchmark in the summary; the fastest counts.
const TURNS: usize = 5;

/// Starts of the process to measure the time to the first word, and openings of a
/// model; the median counts.
const STARTS: usize = 21;

/// Bytes of output that stay unread while the memory is measured: more than a pipe
/// holds, so the process waits.
const UNREAD: u64 = 1 << 18;

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn in_process(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.in_process());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn truecase_crate(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.truecase_crate());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn whole_process_fast(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.fast.run());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn whole_process_accurate(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.accurate.run());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn whole_process_fast_marks(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.fast_marks.run());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn whole_process_accurate_marks(bencher: Bencher) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.accurate_marks.run());
}

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// The text, two models trained on the same lines, and the built-in ones.
struct Bench {
    name: String,
    lower: String,
    words: usize,
    majority: Model,
    truecase: truecase::Model,
    fast: Process,
    accurate: Process,
    fast_marks: Process,
    accurate_marks: Process,
}

/// The program with a built-in model, and the text as a file: with marks, one without any.
struct Process {
    preset: &'static str,
    marks: bool,
    folder: tempfile::TempDir,
}

impl Bench {
    /// Trains on the first half of the text and keeps the second half, in
    /// lower case, for restoring.
    fn new() -> Self {
        let (text, name) = common::text();
        let (cased, rest) = common::halves(&text);
        let lower = Locale::Root.lower(rest);
        let majority = trained(cased);
        let [fast, accurate] = ["fast", "accurate"].map(|preset| Process::new(preset, false, &lower));
        let unmarked: String = lower.chars().filter(|c| !",.?!:;\"()".contains(*c)).collect();
        let [fast_marks, accurate_marks] =
            ["fast", "accurate"].map(|preset| Process::new(preset, true, &unmarked));
        let mut trainer = truecase::ModelTrainer::new();
        for line in cased.lines() {
            trainer.add_sentence(line);
        }
        Self {
            words: common::words(&lower),
            name,
            lower,
            majority,
            truecase: trainer.into_model(),
            fast,
            accurate,
            fast_marks,
            accurate_marks,
        }
    }

    /// Restores text in memory on one thread.
    fn in_process(&self) -> Vec<u8> {
        let input = Input::new("text", Cursor::new(self.lower.clone())).expect("text in memory can be read");
        let options = RestoreOptions::default().in_language(Some("en".into()));
        let mut out = Vec::with_capacity(self.lower.len());
        majuscule_restore::restore(
            Format::Text,
            input,
            &*self.majority.restorer,
            &options,
            &mut |bytes, _| {
                out.extend_from_slice(bytes);
                Ok(())
            },
        )
        .expect("text in memory can be restored");
        out
    }

    fn truecase_crate(&self) -> String {
        let mut out = String::with_capacity(self.lower.len());
        for line in self.lower.lines() {
            out += &self.truecase.truecase(line);
            out.push('\n');
        }
        out
    }

    /// Prints the figures that have targets. The runs alternate, so that a
    /// busy machine slows all alike.
    fn summary(&self) {
        let mut best = [Duration::MAX; 6];
        for _ in 0..TURNS {
            let turn = [
                time(|| self.in_process()),
                time(|| self.truecase_crate()),
                time(|| self.fast.run()),
                time(|| self.accurate.run()),
                time(|| self.fast_marks.run()),
                time(|| self.accurate_marks.run()),
            ];
            best = std::array::from_fn(|i| best[i].min(turn[i]));
        }
        let [ours, theirs, fast, accurate, fast_marks, accurate_marks] =
            best.map(|time| self.words as f64 / time.as_secs_f64());
        println!("\n{} words a run, half of {}; words/s, the best of {TURNS} turns", self.words, self.name);
        println!("majority, in process   {ours:>12.0}  {:>6.2} x truecase", ours / theirs);
        println!("truecase (crate)       {theirs:>12.0}");
        let processes = [
            (&self.fast, fast, 3e6),
            (&self.accurate, accurate, 0.6e6),
            (&self.fast_marks, fast_marks, 2e6),
            (&self.accurate_marks, accurate_marks, 0.6e6),
        ];
        for (process, speed, target) in processes {
            let name = format!("{}{}", process.preset, if process.marks { ", --marks" } else { "" });
            let beside = speed / theirs;
            println!(
                "{name:<22} {speed:>12.0}  {beside:>6.2} x truecase, {:.2} x target ({target})",
                speed / target
            );
            println!("  resident memory      {:>12}  (target 25 MB)", process.memory());
            let first = milliseconds(middle(|| process.first_word()));
            println!("  first word out       {first:>12}  (target 15 ms, the middle of {STARTS} starts)");
            let [embedded, packed] = process.openings().map(milliseconds);
            println!("  embedded model open  {embedded:>12}  (target 5 ms)");
            println!("  packed file open     {packed:>12}  (target 5 ms)");
        }
    }
}

impl Process {
    fn new(preset: &'static str, marks: bool, lower: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::write(folder.path().join("in.txt"), lower).expect("the text can be written");
        Self { preset, marks, folder }
    }

    fn start(&self, out: Stdio) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_majuscule"));
        command
            .args(["restore", "--threads", "1", "--preset", self.preset])
            .args(self.marks.then_some("--marks"))
            .arg(self.folder.path().join("in.txt"));
        command.stdin(Stdio::null()).stdout(out).spawn().expect("majuscule starts")
    }

    /// Restores a file to a file.
    fn run(&self) {
        let out = File::create(self.folder.path().join("out.txt")).expect("a file can be made");
        let status = self.start(out.into()).wait().expect("the process ends");
        assert!(status.success(), "majuscule restore failed");
    }

    /// Returns the peak resident memory, measured while the process waits to write
    /// the last part of its output.
    fn memory(&self) -> String {
        let len = self.folder.path().join("in.txt").metadata().map_or(0, |metadata| metadata.len());
        let mut child = self.start(Stdio::piped());
        let mut out = child.stdout.take().expect("the output is a pipe");
        let read = |out: &mut dyn Read| std::io::copy(out, &mut std::io::sink()).expect("a pipe can be read");
        read(&mut out.by_ref().take(len.saturating_sub(UNREAD)));
        let memory = common::peak_memory(&child.id().to_string());
        read(&mut out);
        child.wait().expect("the process ends");
        memory
    }

    /// Returns the time to open the model until it can be used: the one inside the program,
    /// and the same one as a file.
    fn openings(&self) -> [Duration; 2] {
        let preset = if self.preset == "fast" { Preset::Fast } else { Preset::Accurate };
        let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .join("lm")
            .join(format!("en.{}", self.preset));
        let packed = || load(&*model::open(&file).expect("the model is there")).expect("it is a model");
        [
            middle(|| time(|| Model::embedded_as("en", preset).expect("the model is built in"))),
            middle(|| time(packed)),
        ]
    }

    /// Returns the time from before the start of the process to its first word.
    fn first_word(&self) -> Duration {
        let start = Instant::now();
        let mut child = self.start(Stdio::piped());
        let mut out = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        out.read_until(b' ', &mut Vec::new()).expect("a pipe can be read");
        let time = start.elapsed();
        child.kill().and_then(|()| child.wait()).expect("the process ends");
        time
    }
}

/// Returns a `majority` model trained on a text.
fn trained(cased: &str) -> Model {
    let corpus = Corpus::of_text(cased, Reading::default(), Protocol::Text, Locale::Root);
    let draft =
        train(&majority::MajorityConfig::default(), &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {});
    let packed = draft.expect("the text is cased").pack();
    let store = Packed::open("the text's", Bytes::Owned(packed.into())).expect("it was packed just now");
    load(&store).expect("it was trained just now")
}

/// Returns the median time of [`STARTS`] runs.
fn middle(mut run: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..STARTS).map(|_| run()).collect();
    times.sort();
    times[STARTS / 2]
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(run());
    start.elapsed()
}
