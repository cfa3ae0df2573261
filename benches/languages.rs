//! Counts of languages of a few lines that are detected, not detected, and mistaken for another.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use majuscule::{DetectedLanguage, LANGUAGES, detect_language};
use majuscule_restore::models::language::Other;

/// The most texts of a file, spread over it.
const TEXTS: usize = 1000;

/// The answers for the texts of a file.
#[derive(Default)]
struct Answers {
    all: usize,
    right: usize,
    unsure: usize,
    /// Texts that are detected as a language with a built-in model but are in another language.
    wrong: usize,
}

impl Answers {
    fn add(&mut self, language: &str, answer: DetectedLanguage) {
        let is_ours = LANGUAGES.contains(&language);
        self.all += 1;
        match answer {
            DetectedLanguage::BuiltIn(tag) if tag == language => self.right += 1,
            DetectedLanguage::BuiltIn(_) => self.wrong += 1,
            DetectedLanguage::Unsure | DetectedLanguage::Empty => self.unsure += 1,
            DetectedLanguage::Other(Other::Language(..) | Other::Script | Other::Unknown) if !is_ours => {
                self.right += 1
            }
            // Its model is not used, and a note says so.
            DetectedLanguage::Other(_) => self.unsure += 1,
        }
    }

    fn cells(&self) -> String {
        let percent = |count: usize| format!("{:.1}", 100.0 * count as f64 / self.all.max(1) as f64);
        format!("{} | {} | {}", percent(self.right), percent(self.unsure), percent(self.wrong))
    }
}

fn main() {
    // `cargo test` builds and runs benches too.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let given = std::env::var_os("MAJUSCULE_BENCH_TEXT").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"));
    println!(
        "| language | text | lines | right | cannot tell | wrong | five lines: right | cannot tell | wrong |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, lines) in texts(&folder) {
        let (language, text) = name.split_once('.').unwrap_or((&name, ""));
        let one: Vec<String> = spread(lines.to_vec());
        let five = spread(lines.chunks_exact(5).map(|lines| lines.join("\n")).collect());
        let answers = |texts: &[String]| {
            let mut answers = Answers::default();
            texts.iter().for_each(|text| answers.add(language, detect_language(&text.to_lowercase())));
            answers.cells()
        };
        let cells = [answers(&one), answers(&five)];
        println!("| {language} | {text} | {} | {} |", one.len(), cells.join(" | "));
    }
}

/// The lines with words of each file `LANGUAGE.NAME` of a folder.
fn texts(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let files = fs::read_dir(folder).expect("a folder of texts").filter_map(|file| Some(file.ok()?.path()));
    let mut texts = BTreeMap::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_language = name.find('.').is_some_and(|len| (2..=3).contains(&len));
        if let Ok(text) = fs::read_to_string(&file)
            && is_language
        {
            let is_text = |line: &&str| line.chars().any(char::is_alphabetic);
            texts.insert(name, text.lines().filter(is_text).map(str::to_owned).collect());
        }
    }
    texts
}

/// At most [`TEXTS`] texts, at equal distances.
fn spread(texts: Vec<String>) -> Vec<String> {
    let step = texts.len().div_ceil(TEXTS).max(1);
    texts.into_iter().step_by(step).collect()
}
