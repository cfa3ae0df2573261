//! Throughput of restoring one text as plain text, subtitles, a transcript and JSON lines, in words
//! per second in memory on one thread.

#[allow(dead_code, reason = "text alone, without memory looked at")]
mod common;

use std::io::Cursor;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use divan::Bencher;
use divan::counter::ItemsCount;

use majuscule_base::files::Input;
use majuscule_format::Format;
use majuscule_restore::models::{Model, Preset};
use majuscule_restore::restore;
use majuscule_text::{Locale, RestoreOptions};

/// Runs of each benchmark in the summary; the fastest counts.
const TURNS: usize = 3;

/// The number of words of the text that are used.
const WORDS: usize = 1_000_000;

/// Words per line of text; two lines are a cue.
const WORDS_A_LINE: usize = 7;

const FORMATS: [(&str, Format); 6] = [
    ("text", Format::Text),
    ("srt", Format::Srt),
    ("vtt", Format::Vtt),
    ("ctm", Format::Ctm),
    ("stm", Format::Stm),
    ("jsonl", Format::Jsonl),
];

const PRESETS: [Preset; 2] = [Preset::Fast, Preset::Accurate];

fn main() {
    divan::main();
    if common::is_measured() {
        BENCH.summary();
    }
}

#[divan::bench(args = FORMATS.map(|(name, _)| name), sample_count = 3, sample_size = 1)]
fn fast(bencher: Bencher, name: &str) {
    BENCH.run(bencher, name, 0);
}

#[divan::bench(args = FORMATS.map(|(name, _)| name), sample_count = 3, sample_size = 1)]
fn accurate(bencher: Bencher, name: &str) {
    BENCH.run(bencher, name, 1);
}

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);

/// The text in each format, and the built-in models of [`PRESETS`].
struct Bench {
    name: String,
    words: usize,
    files: [String; FORMATS.len()],
    models: [Model; PRESETS.len()],
}

impl Bench {
    fn new() -> Self {
        let (text, name) = common::text();
        let lower = Locale::Root.lower(&text);
        let words: Vec<&str> = lower.split_whitespace().take(WORDS).collect();
        let lines: Vec<String> = words.chunks(WORDS_A_LINE).map(|words| words.join(" ")).collect();
        let files = FORMATS.map(|(_, kind)| written(kind, &lines));
        let models =
            PRESETS.map(|preset| Model::embedded_as("en", preset).expect("the English models are built in"));
        Self { name, words: words.len(), files, models }
    }

    fn run(&self, bencher: Bencher, name: &str, model: usize) {
        let format = FORMATS.iter().position(|(known, _)| *known == name).expect("it is one of the formats");
        bencher.counter(ItemsCount::new(self.words)).bench_local(|| self.restored(format, model));
    }

    fn restored(&self, format: usize, model: usize) -> usize {
        let input = Input::uncompressed("file", Cursor::new(self.files[format].clone()));
        let options = RestoreOptions::default().in_language(Some("en".into()));
        let (method, mut len) = (&*self.models[model].restorer, 0);
        let out = &mut |bytes: &[u8], _| {
            len += bytes.len();
            Ok(())
        };
        restore(FORMATS[format].1, input, method, &options, out).expect("the file is right");
        len
    }

    /// Prints the throughput of each format. The runs alternate, so that a
    /// busy machine slows all alike.
    fn summary(&self) {
        println!("\n{} words, {}", self.words, self.name);
        for (model, preset) in PRESETS.iter().enumerate() {
            let mut best = [Duration::MAX; FORMATS.len()];
            for _ in 0..TURNS {
                for (format, best) in best.iter_mut().enumerate() {
                    let start = Instant::now();
                    divan::black_box(self.restored(format, model));
                    *best = start.elapsed().min(*best);
                }
            }
            println!(
                "{preset:?}: million words a second, and beside plain text (target for srt and vtt: .80)"
            );
            for ((name, _), time) in FORMATS.iter().zip(best) {
                let speed = self.words as f64 / time.as_secs_f64() / 1e6;
                println!("  {name:6} {speed:5.2}  {:.2}", best[0].as_secs_f64() / time.as_secs_f64());
            }
        }
    }
}

/// Returns the lines as a file of a format.
fn written(kind: Format, lines: &[String]) -> String {
    let mut file = if kind == Format::Vtt { "WEBVTT\n\n".to_owned() } else { String::new() };
    for (i, cue) in lines.chunks(2).enumerate() {
        let time = |seconds: usize| {
            format!("{:02}:{:02}:{:02}", seconds / 3600 % 100, seconds / 60 % 60, seconds % 60)
        };
        let (from, to) = (time(3 * i), time(3 * i + 2));
        match kind {
            Format::Srt => file += &format!("{}\n{from},000 --> {to},500\n{}\n\n", i + 1, cue.join("\n")),
            Format::Vtt => file += &format!("{from}.000 --> {to}.500\n{}\n\n", cue.join("\n")),
            Format::Stm => file += &format!("talk A ana {}.0 {}.5 <o> {}\n", 3 * i, 3 * i + 2, cue.join(" ")),
            Format::Jsonl => {
                let text = serde_json::to_string(&cue.join(" ")).expect("a string is JSON");
                file += &format!("{{\"id\": {i}, \"text\": {text}, \"start\": {}}}\n", 3 * i);
            }
            Format::Ctm => {
                for (j, word) in cue.iter().flat_map(|line| line.split(' ')).enumerate() {
                    file += &format!("talk A {}.{:02} 0.20 {word} 0.97\n", 3 * i, 5 * j);
                }
            }
            _ => file += &format!("{}\n", cue.join("\n")),
        }
    }
    file
}
