//! Suggests a recipe for a user's texts: protocols that fit the texts, a held-out part, baselines, and notes to read
//! before the recipe is run.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::recipe::Recipe;
use super::results::TextOverlap;
use super::tables::leak;
use super::units::duration;
use majuscule_base::error::{Error, Result};
use majuscule_format::{Format, FormatFamily};
use majuscule_text::{Locale, Mark};
use majuscule_train::corpus::{Corpus, Protocol, Reading, marks, overlap};
use majuscule_train::eval::table::thousands;

/// The texts for which a recipe is suggested.
#[derive(Debug, Clone, Default)]
pub struct SuggestedTexts {
    /// The training texts.
    pub train: Vec<PathBuf>,
    /// The test texts; without any, the experiment tests on a held-out part alone.
    pub tests: Vec<PathBuf>,
    /// The language of all texts.
    pub language: String,
    /// True if there are built-in models of the language.
    pub has_built_in: bool,
}

/// A suggested recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The text of the recipe.
    pub recipe: String,
    /// Notes to read before it runs, one sentence each.
    pub notes: Vec<String>,
}

/// The held-out lines of the training text: at most `HELD_OUT`, and at most one line in `HELD_OUT_PART`.
const HELD_OUT: u64 = 1000;
const HELD_OUT_PART: u64 = 10;

/// The smallest number of lines for which a held-out part is split off.
const LEAST_HELD_OUT: u64 = 20;

/// If at least this fraction of the lines ends with sentence-final punctuation, each line is a sentence.
const PUNCTUATED: f64 = 0.5;

/// The methods of the rows, with the seconds that training takes per million words (CPU time on an
/// Intel Xeon of 2023, from the report of Rei et al.'s table 3).
const ROWS: [(&str, &str, f64); 3] = [
    ("most frequent form", "majority", 0.2),
    ("hidden Markov model", "hmm", 0.9),
    ("maximum entropy", "maxent", 8.5),
];

/// The seconds that testing takes per million words for all rows together.
const TESTING: f64 = 10.0;

/// Suggests a recipe for texts.
///
/// # Errors
/// If a text cannot be read, if no test is given and the training text has too few lines for a held-out part, or if
/// the training text has no words.
pub fn suggest(texts: &SuggestedTexts) -> Result<Suggestion> {
    let SuggestedTexts { train, tests, language, has_built_in } = texts;
    let locale: Locale = language.parse().map_err(|error| Error::usage(format!("language {error}")))?;
    let mut notes = Vec::new();
    let training = Described::of(train, language, locale)?;
    if training.words == 0 {
        let name = train.first().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
        return Err(Error::file(name, "holds no words to learn from: give cased text"));
    }
    // Lines are extracted from plain text only: in other formats a line is not a complete text.
    let held_out = (training.lines / HELD_OUT_PART).min(HELD_OUT);
    let held_out = training.is_plain.then_some(held_out).filter(|&lines| lines >= LEAST_HELD_OUT);
    if held_out.is_none() && tests.is_empty() {
        return Err(Error::usage(format!(
            "the training text has {} lines of plain text, too few to hold a part out: give a test text",
            thousands(if training.is_plain { training.lines } else { 0 })
        )));
    }
    let mut recipe = format!(
        "# Written by majuscule experiment new. Run it with: majuscule experiment run THIS-FILE\n\
         title = \"Methods on my own text\"\nabout = \"Trained on {}.\"\nlanguage = {}\nprotocol = \"{}\"\n",
        escaped(&names(train)),
        quoted(language),
        training.protocol
    );
    notes.push(format!("{}: protocol {}, since {}", names(train), training.protocol, training.why));
    if let Some(lines) = held_out {
        notes.push(format!("{} lines are held out of the training text", thousands(lines)));
    }
    recipe += &training_corpora(train, training.is_split, held_out);
    let mut tested = held_out.map_or(0, |lines| lines * training.words / training.lines.max(1));
    for test in tests {
        let described = Described::of(std::slice::from_ref(test), language, locale)?;
        tested += described.words;
        notes.push(format!("{}: protocol {}, since {}", test.display(), described.protocol, described.why));
        recipe += &format!(
            "\n[[test]]\nname = {}\nfiles = [{}]\nprotocol = \"{}\"\n",
            quoted(&majuscule_base::files::name(test)),
            quoted(&test.to_string_lossy()),
            described.protocol
        );
        if described.is_split {
            recipe += "options = \"--split\"\n";
        }
        notes.extend(leaked(train, test, language, locale)?);
    }
    for (name, train, _) in ROWS {
        recipe += &format!("\n[[row]]\nname = \"{name}\"\ntrain = \"{train}\"\ncorpus = \"training\"\n");
    }
    if *has_built_in {
        for preset in ["fast", "accurate"] {
            recipe += &format!("\n[[row]]\nname = \"built in, {preset}\"\npreset = \"{preset}\"\n");
        }
    }
    let millions = |words: u64| words as f64 / 1e6;
    let seconds = ROWS.iter().map(|(.., seconds)| seconds).sum::<f64>() * millions(training.words)
        + TESTING * millions(tested);
    notes.push(format!(
        "{} words of training and {} of tests: the experiment will take about {} of CPU time",
        thousands(training.words),
        thousands(tested),
        duration(seconds.max(1.0))
    ));
    // The suggested recipe must be valid.
    Recipe::parse(&recipe, "the suggested recipe")?;
    Ok(Suggestion { recipe, notes })
}

/// Returns the corpora of the training text as TOML; `held_out` lines are held out for a test.
fn training_corpora(train: &[PathBuf], is_split: bool, held_out: Option<u64>) -> String {
    let files: Vec<String> = train.iter().map(|file| quoted(&file.to_string_lossy())).collect();
    let files = files.join(", ");
    let options = if is_split { "options = \"--split\"\n" } else { "" };
    let Some(lines) = held_out else {
        return format!("\n[corpora.training]\nfiles = [{files}]\n{options}");
    };
    format!(
        "\n# The lines of the training text in a random order, which is always the same: the first are for a test.\n\
         [corpora.held-out]\nfiles = [{files}]\nshuffled = true\nlines = {lines}\n{options}\n\
         [corpora.training]\nfiles = [{files}]\nshuffled = true\nskip = {lines}\n{options}\n\
         [[test]]\nname = \"held out\"\ncorpus = \"held-out\"\n"
    )
}

/// The kind of some texts, and the protocol that fits them.
struct Described {
    protocol: Protocol,
    why: &'static str,
    is_plain: bool,
    /// True if lines are paragraphs, which have to be split into sentences.
    is_split: bool,
    lines: u64,
    words: u64,
}

impl Described {
    fn of(files: &[PathBuf], language: &str, locale: Locale) -> Result<Self> {
        let all =
            |is: fn(Format) -> bool| files.iter().all(|file| !file.is_dir() && is(Format::of_name(file)));
        let is_plain = all(Format::is_plain_text);
        let corpus = corpus(files, language, locale)?;
        let is_split = is_plain && corpus.sentences_a_line()?.is_some();
        let (mut lines, mut words, mut punctuated) = (0u64, 0u64, 0u64);
        let mut scratch = String::new();
        corpus.for_each_sentence(&mut |sentence| {
            lines += 1;
            marks::words(sentence.text, locale, &mut scratch, |_| words += 1);
            let end = sentence.text.trim_end().chars().next_back().map_or(Mark::None, Mark::of);
            punctuated += u64::from(end.ends_sentence());
            Ok(())
        })?;
        let asr = Protocol::Asr { window: Protocol::WINDOW };
        let (protocol, why) = if all(|format| format.info().family == FormatFamily::Subtitles) {
            (asr, "subtitles are not split into sentences: their words form one stream")
        } else if all(|format| format.info().family == FormatFamily::Transcript) {
            (asr, "transcripts of speech are not split into sentences")
        } else if lines > 0 && punctuated as f64 >= PUNCTUATED * lines as f64 {
            (Protocol::Text, "its lines end as sentences do")
        } else {
            (Protocol::Rei, "most of its lines do not end as sentences do")
        };
        Ok(Self { protocol, why, is_plain, is_split, lines, words })
    }
}

fn corpus(files: &[PathBuf], language: &str, locale: Locale) -> Result<Corpus> {
    let mut all = Vec::new();
    for file in files {
        if file.is_dir() {
            all.extend(majuscule_base::files::paths_in(file)?.into_iter().filter(|path| !path.is_dir()));
        } else {
            all.push(file.clone());
        }
    }
    let reading = Reading { language: Some(language.to_owned()), ..Reading::default() };
    Corpus::new(&all, reading, Protocol::default(), locale)
}

/// Returns a warning if much of a test text is in the training texts.
fn leaked(train: &[PathBuf], test: &Path, language: &str, locale: Locale) -> Result<Option<String>> {
    let test_corpus = corpus(&[test.to_path_buf()], language, locale)?;
    let order = NonZeroUsize::new(8).expect("8 is not 0");
    let found = overlap::overlap(&corpus(train, language, locale)?, &test_corpus, order, NonZeroUsize::MIN)?;
    let overlap = TextOverlap {
        tests: vec![majuscule_base::files::name(test)],
        corpus: names(train),
        lines: None,
        command: String::new(),
        found,
    };
    Ok(leak(&overlap).map(|leak| format!("warning: {leak}")))
}

fn names(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| majuscule_base::files::name(file)).collect();
    names.join(", ")
}

/// Returns a TOML string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn texts(folder: &Path, train: &str, tests: &[(&str, &str)]) -> SuggestedTexts {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            path
        };
        SuggestedTexts {
            train: vec![write("news.txt", train)],
            tests: tests.iter().map(|(name, text)| write(name, text)).collect(),
            language: "en".into(),
            has_built_in: true,
        }
    }

    fn sentences(count: usize) -> String {
        (0..count)
            .map(|at| format!("We met Ana Reis in Porto on day {at} of the long journey home.\n"))
            .collect()
    }

    #[test]
    fn a_text_alone_gives_a_recipe_with_a_held_out_part_and_baselines() {
        let folder = tempfile::tempdir().unwrap();
        let Suggestion { recipe, notes } = suggest(&texts(folder.path(), &sentences(400), &[])).unwrap();
        let recipe = Recipe::parse(&recipe, "my.toml").unwrap();
        assert_eq!(recipe.corpora["held-out"].lines, Some(40));
        assert_eq!(recipe.corpora["training"].skip, 40);
        let rows: Vec<_> = recipe.rows.iter().map(|row| row.name.as_str()).collect();
        let expected = [
            "most frequent form",
            "hidden Markov model",
            "maximum entropy",
            "built in, fast",
            "built in, accurate",
        ];
        assert_eq!(rows, expected);
        assert_eq!(recipe.protocol, Protocol::Text);
        assert!(notes.iter().any(|note| note == "40 lines are held out of the training text"), "{notes:?}");
        // 400 lines of 14 words.
        assert!(
            notes.iter().any(|note| note.starts_with("5,600 words of training and 560 of tests")),
            "{notes:?}"
        );
    }

    #[test]
    fn each_test_has_the_protocol_of_its_text_and_a_leak_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let cues = "1\n00:00:01,000 --> 00:00:02,000\nWe met Ana\n\n2\n00:00:02,000 --> 00:00:03,000\nin Lisbon today\n";
        let leaked = sentences(5);
        let tests =
            [("talk.srt", cues), ("copy.txt", leaked.as_str()), ("chat.txt", "hi Ana\nare you in Porto\n")];
        let Suggestion { recipe, notes } = suggest(&texts(folder.path(), &sentences(400), &tests)).unwrap();
        let recipe = Recipe::parse(&recipe, "my.toml").unwrap();
        let protocols: Vec<_> = recipe.tests.iter().map(|test| test.protocol).collect();
        let asr = Protocol::Asr { window: Protocol::WINDOW };
        assert_eq!(protocols, [None, Some(asr), Some(Protocol::Text), Some(Protocol::Rei)]);
        let told: Vec<_> = notes.iter().filter(|note| note.starts_with("warning: ")).collect();
        assert!(told.len() == 1 && told[0].contains("\"copy.txt\""), "{notes:?}");
    }

    #[test]
    fn a_text_that_is_too_short_to_test_on_needs_a_test() {
        let folder = tempfile::tempdir().unwrap();
        let short = texts(folder.path(), &sentences(50), &[]);
        let problem = suggest(&short).unwrap_err().to_string();
        assert!(problem.contains("50 lines of plain text, too few"), "{problem}");
        let tested = texts(folder.path(), &sentences(50), &[("test.txt", "She saw Lisbon.\n")]);
        let recipe = Recipe::parse(&suggest(&tested).unwrap().recipe, "my.toml").unwrap();
        assert!(!recipe.corpora.contains_key("held-out") && recipe.tests.len() == 1);
        let empty = texts(folder.path(), "", &[("test.txt", "She saw Lisbon.\n")]);
        assert!(suggest(&empty).unwrap_err().to_string().contains("holds no words"));
    }

    #[test]
    fn names_of_files_are_strings_of_toml() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000A\"");
    }
}
