//! Throughput of the methods that search among forms, in words per second: in
//! process and as whole processes.

#[expect(dead_code, reason = "the benches that look at memory use all of it")]
mod common;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Cursor;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use divan::Bencher;
use divan::counter::ItemsCount;

use majuscule_base::files::Input;
use majuscule_format::Format;
use majuscule_fst::ngram;
use majuscule_methods::Backend;
use majuscule_methods::model::{self};
use majuscule_restore::models::{Methods, Model};
use majuscule_text::{Locale, RestoreOptions};
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::lm::kneser_ney;
use majuscule_train::methods::{Learner, hmm, train};

/// Runs of each benchmark in the summary; the fastest counts.
const TURNS: usize = 3;

/// Each decoder with the order of its n-grams, and its target in words per
/// second as a whole process.
const DECODERS: [(&str, f64); 3] = [("hmm-2", 1.9e6), ("hmm-3", 1.2e6), ("ngram-3", 0.25e6)];

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(args = DECODERS.map(|(name, _)| name), sample_count = 3, sample_size = 1)]
fn in_process(bencher: Bencher, name: &str) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.in_process(name));
}

#[divan::bench(args = DECODERS.map(|(name, _)| name), sample_count = 3, sample_size = 1)]
fn whole_process(bencher: Bencher, name: &str) {
    bencher.counter(ItemsCount::new(BENCH.words)).bench_local(|| BENCH.whole_process(name));
}

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// Half of a text in lower case, and models of the other half.
struct Bench {
    name: String,
    lower: String,
    words: usize,
    folder: tempfile::TempDir,
    models: BTreeMap<&'static str, (PathBuf, Model)>,
}

impl Bench {
    fn new() -> Self {
        let (text, name) = common::text();
        let (cased, rest) = common::halves(&text);
        let lower = Locale::Root.lower(rest);
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::write(folder.path().join("in.txt"), &lower).expect("the text can be written");
        let trained = |(name, _): (&'static str, f64)| {
            let path = folder.path().join(name);
            let corpus = Corpus::of_text(cased, Reading::default(), Protocol::Text, Locale::Root);
            let draft = train(&*learner_of(name), &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {});
            draft.and_then(|draft| draft.save(&path, false)).expect("the text is cased");
            let model = model::open(&path)
                .and_then(|store| Methods::default().with(ngram::METHOD).load(&*store, &Backend::default()))
                .expect("it was trained just now");
            (name, (path, model))
        };
        let models = DECODERS.map(trained).into();
        Self { words: common::words(&lower), name, lower, folder, models }
    }

    /// Restores text in memory on one thread.
    fn in_process(&self, name: &str) -> Vec<u8> {
        let input = Input::new("text", Cursor::new(self.lower.clone())).expect("text in memory can be read");
        let options = RestoreOptions::default().in_language(Some("en".into()));
        let mut out = Vec::with_capacity(self.lower.len());
        let restorer = &*self.models[name].1.restorer;
        let write = &mut |bytes: &[u8], _| {
            out.extend_from_slice(bytes);
            Ok(())
        };
        majuscule_restore::restore(Format::Text, input, restorer, &options, write)
            .expect("text in memory can be restored");
        out
    }

    /// Restores a file to a file on one thread.
    fn whole_process(&self, name: &str) {
        let out = File::create(self.folder.path().join("out.txt")).expect("a file can be made");
        let mut command = Command::new(env!("CARGO_BIN_EXE_majuscule"));
        command.args(["restore", "--threads", "1", "--model"]).arg(&self.models[name].0);
        let status = command.arg(self.folder.path().join("in.txt")).stdin(Stdio::null()).stdout(out).status();
        assert!(status.expect("majuscule starts").success(), "majuscule restore failed");
    }

    fn summary(&self) {
        let mut best = [Duration::MAX; DECODERS.len()];
        for _ in 0..TURNS {
            for ((name, _), best) in DECODERS.iter().zip(&mut best) {
                let start = Instant::now();
                self.whole_process(name);
                *best = start.elapsed().min(*best);
            }
        }
        println!(
            "\n{} words a run, half of {}; words/s of whole processes, the best of {TURNS} turns",
            self.words, self.name
        );
        for ((name, target), best) in DECODERS.iter().zip(best) {
            let speed = self.words as f64 / best.as_secs_f64();
            println!("{name:<18} {speed:>12.0}  {:>6.2} x target ({target:.0})", speed / target);
        }
    }
}

/// Returns the method with this name. Bigrams and trigrams must occur five times,
/// as in Batista et al. 2007.
fn learner_of(name: &str) -> Box<dyn Learner> {
    let (method, order) = name.rsplit_once('-').expect("a method and an order");
    let order: usize = order.parse().expect("a number");
    let min_counts = vec![1, 5, 5][..order].to_vec();
    let ngrams = kneser_ney::KneserNeyConfig { order, min_counts, ..Default::default() };
    let language = hmm::LanguageAndMap { ngrams, ..hmm::LanguageAndMap::default() };
    match method {
        "hmm" => Box::new(hmm::HmmConfig { language, ..hmm::HmmConfig::default() }),
        "ngram" => Box::new(ngram::NgramConfig { language, ..ngram::NgramConfig::default() }),
        _ => unreachable!("no other decoder is in the list"),
    }
}
