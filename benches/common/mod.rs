//! The text for the benchmarks, and measurements of a process.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The variable that names a cased text, one sentence per line.
const VARIABLE: &str = "MAJUSCULE_BENCH_TEXT";

/// Words of the generated text if no text is named: enough to measure, and few enough
/// for benchmarks of a minute.
const WORDS: usize = 4_000_000;

/// Returns true if all benchmarks are run for their figures; otherwise no summary is printed.
pub fn is_measured() -> bool {
    env::args().any(|argument| argument == "--bench") && env::args().len() == 2
}

/// Returns a cased text, one sentence per line, and its name.
pub fn text() -> (String, String) {
    let Some(path) = env::var_os(VARIABLE).map(PathBuf::from) else {
        // Without --bench the benchmarks are only tried (`cargo test --benches`).
        let words = if env::args().any(|argument| argument == "--bench") { WORDS } else { 20_000 };
        return (made_text(words), format!("made text ({VARIABLE} names one of your own)"));
    };
    (read(&path), path.display().to_string())
}

/// Splits a text after the line in its middle: the first half is for training.
#[allow(dead_code, reason = "not every bench has something to train")]
pub fn halves(text: &str) -> (&str, &str) {
    let middle = text.len() / 2;
    let end = text.as_bytes()[middle..].iter().position(|&b| b == b'\n');
    text.split_at(end.map_or(0, |at| middle + at + 1))
}

/// Returns the number of words of a text, counted at white space, however each system defines a
/// word.
pub fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Returns the peak resident memory of a process (`self`, or its number) so
/// far, as text for a table.
pub fn peak_memory(process: &str) -> String {
    let status = fs::read_to_string(Path::new("/proc").join(process).join("status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    match peak.and_then(|peak| peak.parse::<f64>().ok()) {
        Some(peak) => format!("{:.1} MB", peak * 1024.0 / 1e6),
        None => "unknown (no /proc here)".to_owned(),
    }
}

/// Returns text with word frequencies as in a language: the word of rank r has a probability of
/// about 1/r (Zipf).
fn made_text(words: usize) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(2007);
    let vocabulary = vocabulary(&mut random);
    let mut text = String::with_capacity(8 * words);
    let mut left = 0;
    for _ in 0..words {
        let opens = left == 0;
        if opens {
            left = 8 + below(&mut random, 35);
        }
        left -= 1;
        // The logarithm of the rank is uniform, so rank r has a probability of about 1/r.
        let fraction = below(&mut random, 1 << 30) as f64 / f64::from(1 << 30);
        let rank = (vocabulary.len() as f64).powf(fraction) as usize;
        let word = &vocabulary[rank.clamp(1, vocabulary.len()) - 1];
        let head = word.chars().next().map_or(0, char::len_utf8);
        if opens {
            text += &word[..head].to_uppercase();
            text += &word[head..];
        } else {
            text += word;
        }
        text += match below(&mut random, 16) {
            _ if left == 0 => ".\n",
            0 => ", ",
            _ => " ",
        };
    }
    text += "\n";
    text
}

/// Returns a vocabulary, the most frequent words first: the words of the examples in lower case,
/// and then the names of the lists among many invented words. Each invented word joins the first
/// half of one word with the second half of another.
fn vocabulary(random: &mut ChaCha8Rng) -> Vec<String> {
    let common: Vec<String> = words_of("examples").iter().map(|word| word.to_lowercase()).collect();
    let mut vocabulary = common.clone();
    for name in words_of("lexicons") {
        vocabulary.push(name);
        for _ in 0..4 {
            let (one, other) = (&common[below(random, common.len())], &common[below(random, common.len())]);
            let half = |word: &str| word.chars().count().div_ceil(2);
            vocabulary.push(one.chars().take(half(one)).chain(other.chars().skip(half(other))).collect());
        }
    }
    vocabulary
}

/// Returns the distinct words of the texts in a folder of the repository.
fn words_of(folder: &str) -> Vec<String> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| stop(&folder, &error));
    let files: BTreeSet<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let is_list = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "txt");
    let texts: Vec<String> = files.iter().filter(is_list).map(|file| read(file)).collect();
    let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('#'));
    let mut seen = BTreeSet::new();
    let words = lines.flat_map(str::split_whitespace).filter(|word| word.chars().all(char::is_alphabetic));
    words.filter(|word| seen.insert(*word)).map(str::to_owned).collect()
}

fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    (random.next_u64() % bound as u64) as usize
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| stop(path, &error))
}

/// Ends the benchmark with a message to the user.
fn stop(path: &Path, error: &std::io::Error) -> ! {
    eprintln!("cannot read {}: {error}", path.display());
    process::exit(1)
}
