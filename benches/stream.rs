//! Latency per word of live text: the wait for look-ahead words, and the time to answer, in process
//! and over pipes through the whole program.

#[allow(dead_code, reason = "text alone, without its words counted or memory looked at")]
mod common;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use divan::Bencher;
use divan::counter::ItemsCount;

use majuscule_methods::model::{Bytes, Packed};
use majuscule_restore::models::{Model, load};
use majuscule_restore::{Stream, Streaming};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Locale, MarkSet, RestoreOptions};
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods::balance::MarkOptions;
use majuscule_train::methods::{Learner, hmm, majority, maxent, train};

/// The training lines, and the words that are then sent one by one. Over pipes fewer words are
/// sent, since each is waited for.
const LINES: usize = 20_000;
const WORDS: usize = 200_000;
const SENT: usize = 20_000;

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(args = METHODS, sample_count = 5, sample_size = 1)]
fn in_process(bencher: Bencher, name: &str) {
    let learned = BENCH.learned(name);
    let words = BENCH.words_for(learned);
    bencher.counter(ItemsCount::new(words.len())).bench_local(|| learned.delays(words, 1));
}

/// Methods; the last inserts marks between words that have none.
const METHODS: [&str; 4] = ["majority", "hmm", "maxent", WITH_MARKS];
const WITH_MARKS: &str = "maxent, marks";

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// The words, each with the space after it, and the models trained on other lines of the same text.
struct Bench {
    name: String,
    words: Vec<String>,
    /// The same words without marks.
    plain: Vec<String>,
    learned: Vec<Learned>,
}

/// A trained method, in memory and as a file.
struct Learned {
    name: &'static str,
    marks: MarkSet,
    model: Model,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let (text, name) = common::text();
        let (cased, rest) = common::halves(&text);
        let cased: Vec<&str> = cased.lines().take(LINES).collect();
        let learned = METHODS.map(|name| Learned::new(name, &(cased.join("\n") + "\n"))).into();
        let words = rest.split_whitespace().take(WORDS).map(|word| Locale::Root.lower(word) + " ").collect();
        let plain = rest.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let plain = plain.filter(|word| !word.is_empty() && !word.contains([',', '.', '?'])).take(WORDS);
        let plain = plain.map(|word| Locale::Root.lower(word) + " ").collect();
        Self { name, words, plain, learned }
    }

    /// Returns the words that are sent to a method.
    fn words_for(&self, learned: &Learned) -> &[String] {
        if learned.marks.is_empty() { &self.words } else { &self.plain }
    }

    fn learned(&self, name: &str) -> &Learned {
        self.learned.iter().find(|learned| learned.name == name).expect("all methods have learned")
    }

    fn summary(&self) {
        let target = "target: p99 below 100 µs beyond the look-ahead";
        println!(
            "\n{} words in process, {SENT} over pipes, one by one, of {}; {target}",
            self.words.len(),
            self.name
        );
        println!(
            "{:<13} {:>10}  {:>23}  {:>35}  {:>35}",
            "method", "look-ahead", "words waited for", "in process, µs", "over pipes, µs"
        );
        let columns = "p50     p99     max";
        println!("{:<13} {:>10}  {columns:>23}  {:>35}  {:>35}", "", "", columns, columns);
        for learned in &self.learned {
            for look_ahead in [0, 1, 3] {
                let words = self.words_for(learned);
                let (waited, process) = learned.delays(words, look_ahead);
                let pipes = learned.delays_over_pipes(&words[..SENT.min(words.len())], look_ahead);
                let name = learned.name;
                println!("{name:<13} {look_ahead:>10}  {waited:>23}  {process:>35}  {pipes:>35}");
            }
        }
        let pipe = Quantiles::of(echoed(SENT));
        println!("two pipes and a process that only copies (cat): {pipe} µs");
    }
}

impl Learned {
    fn new(name: &'static str, cased: &str) -> Self {
        let learner: Box<dyn Learner> = match name {
            "majority" => Box::new(majority::MajorityConfig::default()),
            "hmm" => Box::new(hmm::HmmConfig::default()),
            WITH_MARKS => Box::new(maxent::MaxentConfig {
                punctuation: MarkOptions::of(MarkSet::USUAL),
                ..Default::default()
            }),
            _ => Box::new(maxent::MaxentConfig::default()),
        };
        let corpus = Corpus::of_text(cased, Reading::default(), Protocol::Text, Locale::Root);
        let draft = train(&*learner, &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {});
        let packed = draft.expect("the text is cased").pack();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("model");
        std::fs::write(&file, &packed).expect("the model can be written");
        let store = Packed::open(name, Bytes::Owned(packed.into())).expect("it was packed just now");
        let marks = if name == WITH_MARKS { MarkSet::USUAL } else { MarkSet::NONE };
        Self { name, marks, model: load(&store).expect("it was trained just now"), file, _folder: folder }
    }

    /// Returns a stream that restores text as the program does.
    fn stream(&self, look_ahead: usize) -> Stream {
        let options = RestoreOptions::default()
            .in_language(Some(self.model.manifest.language.clone()))
            .capitalized(Capitalized::Ignore)
            .look_ahead(Some(look_ahead))
            .marks(self.marks);
        let stream = Stream::new("words", self.model.restorer.clone(), options);
        stream.expect("nothing is asked that it has not")
    }

    /// Returns, for all words, the number of later words that each waited for, and the time to
    /// answer after the last of these.
    fn delays(&self, words: &[String], look_ahead: usize) -> (Quantiles, Quantiles) {
        let mut stream = self.stream(look_ahead);
        let (mut waited, mut times) = (Vec::with_capacity(words.len()), Vec::with_capacity(words.len()));
        let mut waiting: VecDeque<(usize, usize)> = VecDeque::new();
        let (mut out, mut given) = (Vec::new(), 0);
        for (at, word) in words.iter().enumerate() {
            waiting.push_back((at, word.len()));
            let start = Instant::now();
            stream.push(word.as_bytes(), &mut out).expect("text in memory can be restored");
            let time = start.elapsed();
            let is_put = |b: &&u8| !self.marks.is_empty() && matches!(b, b',' | b'.' | b'?');
            given += out.len() - out.iter().filter(is_put).count();
            out.clear();
            while let Some((came, len)) = waiting.pop_front_if(|(_, len)| *len <= given) {
                given -= len;
                waited.push((at - came) as f64);
                times.push(micros(time));
            }
        }
        (Quantiles::of(waited), Quantiles::of(times))
    }

    /// Returns the latency per word over pipes, measured from the sending of the last look-ahead
    /// word to the arrival of the word.
    fn delays_over_pipes(&self, words: &[String], look_ahead: usize) -> Quantiles {
        let mut command = Command::new(env!("CARGO_BIN_EXE_majuscule"));
        command
            .args(["restore", "--stream", "--look-ahead", &look_ahead.to_string()])
            .args((!self.marks.is_empty()).then_some("--marks"))
            .arg("--model")
            .arg(&self.file);
        // Words on which an exact search is undecided wait for later words; the library
        // knows which words these are.
        let mut stream = self.stream(look_ahead);
        let mut talk = Talk::new(command);
        let mut times = Vec::new();
        let mut out = Vec::new();
        for word in words {
            out.clear();
            stream.push(word.as_bytes(), &mut out).expect("text in memory can be restored");
            let time = talk.time(word, out.len());
            if !out.is_empty() {
                times.push(time);
            }
        }
        talk.end();
        Quantiles::of(times)
    }
}

/// Returns the times of bytes through two pipes and a process that only copies them.
fn echoed(words: usize) -> Vec<f64> {
    let mut talk = Talk::new(Command::new("cat"));
    let times = (0..words).map(|_| talk.time("word ", 5)).collect();
    talk.end();
    times
}

/// A running program that answers the words sent to it.
struct Talk {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    heard: Vec<u8>,
}

impl Talk {
    fn new(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let stdin = child.stdin.take().expect("it is a pipe");
        let stdout = child.stdout.take().expect("it is a pipe");
        Self { child, stdin, stdout, heard: vec![0; 1 << 16] }
    }

    /// Sends a word, waits for `answer` bytes and returns the time.
    fn time(&mut self, word: &str, answer: usize) -> f64 {
        let start = Instant::now();
        self.stdin.write_all(word.as_bytes()).expect("it reads");
        self.stdout.read_exact(&mut self.heard[..answer]).expect("it answers");
        micros(start.elapsed())
    }

    fn end(mut self) {
        drop(self.stdin);
        self.stdout.read_to_end(&mut self.heard).expect("it answers");
        self.child.wait().expect("it ends");
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The median, the 99th percentile and the maximum.
struct Quantiles([f64; 3]);

impl Quantiles {
    fn of(mut all: Vec<f64>) -> Self {
        all.sort_by(f64::total_cmp);
        let at = |fraction: f64| {
            all.get((all.len() as f64 * fraction) as usize).or(all.last()).copied().unwrap_or(0.0)
        };
        Self([at(0.5), at(0.99), at(1.0)])
    }
}

impl std::fmt::Display for Quantiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [p50, p99, max] = self.0;
        f.pad(&format!("{p50:7.1} {p99:7.1} {max:7.1}"))
    }
}
