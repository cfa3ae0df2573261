//! The time to align two transcripts of 20,000 words, and the throughput of `score` without
//! alignment in words per second.

mod common;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use majuscule_text::Locale;
use majuscule_train::corpus::{Protocol, Reading};
use majuscule_train::eval::align::align;
use majuscule_train::eval::aligned::{self, Transcript};
use majuscule_train::eval::{PairSide, Score, pair};

/// Words of each transcript.
const WORDS: usize = 20_000;

/// The fraction of words that a substitution, a deletion or an insertion changes: 15 of 100.
const CHANGED: [usize; 2] = [15, 100];

/// Runs of each benchmark in the summary; the fastest counts.
const TURNS: usize = 5;

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn align_transcripts(bencher: Bencher) {
    bencher.counter(ItemsCount::new(WORDS)).bench_local(|| BENCH.align());
}

#[divan::bench(args = PROTOCOLS, sample_count = 5, sample_size = 1)]
fn score_text(bencher: Bencher, protocol: &str) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.score(protocol));
}

const PROTOCOLS: [&str; 2] = ["text", "asr"];

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// Two transcripts, and a text as a file with a copy that has other capitals.
struct Bench {
    name: String,
    sides: [Vec<u32>; 2],
    words: usize,
    reference: PathBuf,
    hypothesis: PathBuf,
    transcripts: [PathBuf; 2],
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let (text, name) = common::text();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("the text can be written");
            file
        };
        let said: Vec<&str> = text.split_whitespace().take(WORDS).collect();
        let heard = misheard(&said);
        let number = |word: &str| {
            let mut number = 0u32;
            word.bytes().for_each(|b| number = number.wrapping_mul(31).wrapping_add(u32::from(b)));
            number
        };
        let sides = [&said, &heard].map(|words| words.iter().map(|word| number(word)).collect());
        let transcripts = [write("said.txt", &said.join(" ")), write("heard.txt", &heard.join(" "))];
        let (reference, hypothesis) =
            (write("text.txt", &text), write("lower.txt", &Locale::Root.lower(&text)));
        let words = common::words(&text);
        Self { name, sides, words, reference, hypothesis, transcripts, _folder: folder }
    }

    fn align(&self) -> usize {
        align(&self.sides[0], &self.sides[1]).len()
    }

    /// Scores a pair of files, as `score` does, and returns a count.
    fn score(&self, protocol: &str) -> u64 {
        let protocol: Protocol = protocol.parse().expect("it is a protocol");
        let side = |file: &PathBuf| {
            let name = file.to_string_lossy().into_owned();
            PairSide::new(name, &[file], Reading::default(), protocol, Locale::Root)
                .expect("the file can be read")
        };
        let mut score = Score::default();
        pair(&side(&self.reference), &[side(&self.hypothesis)], &mut |example, choices| {
            score.add(&example.tokens, &example.gold, &choices[0], |_| None)
        })
        .expect("the words are the same");
        score.all().tokens()
    }

    fn summary(&self) {
        let mut best = [f64::MAX; 2 + PROTOCOLS.len()];
        for _ in 0..TURNS {
            let mut time = |row: usize, run: &dyn Fn()| {
                let start = Instant::now();
                run();
                best[row] = best[row].min(start.elapsed().as_secs_f64());
            };
            time(0, &|| {
                divan::black_box(self.align());
            });
            time(1, &|| {
                let [said, heard] = self.transcripts.each_ref().map(|file| {
                    let text = std::fs::read_to_string(file).expect("it was written");
                    Transcript::of_text(&text, Locale::Root)
                });
                divan::black_box(aligned::score(&said, &heard, Locale::Root));
            });
            for (row, protocol) in PROTOCOLS.into_iter().enumerate() {
                time(2 + row, &|| {
                    divan::black_box(self.score(protocol));
                });
            }
        }
        println!("\nthe best of {TURNS} turns; {} words of {}", self.words, self.name);
        println!("align {WORDS} words         {:>10.4} s (target 0.5)", best[0]);
        println!("read and score them       {:>10.4} s", best[1]);
        let memory = self.whole_process();
        println!("majuscule score --align   {memory} resident (target 200 MB)");
        for (protocol, seconds) in PROTOCOLS.iter().zip(&best[2..]) {
            let speed = self.words as f64 / seconds;
            println!("score under {protocol:13} {speed:>10.0} words/s (target 5,000,000)");
        }
    }

    /// Returns the peak memory of the whole program on both transcripts.
    fn whole_process(&self) -> String {
        let mut child = Command::new(env!("CARGO_BIN_EXE_majuscule"))
            .args(["score", "--align"])
            .args(&self.transcripts)
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut memory = String::new();
        while child.try_wait().expect("the program runs").is_none() {
            let peak = common::peak_memory(&child.id().to_string());
            if !peak.starts_with("unknown") {
                memory = peak;
            }
        }
        memory
    }
}

/// Returns the words after random substitutions, deletions and insertions.
fn misheard<'a>(said: &[&'a str]) -> Vec<&'a str> {
    let mut random = ChaCha8Rng::seed_from_u64(2007);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let [changed, of] = CHANGED;
    let mut heard = Vec::with_capacity(said.len());
    for &word in said {
        if below(of) >= changed {
            heard.push(word);
            continue;
        }
        match below(3) {
            0 => {}
            1 => heard.extend([word, said[below(said.len())]]),
            _ => heard.push(said[below(said.len())]),
        }
    }
    heard
}
