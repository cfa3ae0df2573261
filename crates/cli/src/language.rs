//! The language of each file of a run with `--lang auto`, and the languages that a run used.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use majuscule::error::Result;
use majuscule::files::Input;
use majuscule::format::{Kind, Record};
use majuscule::methods::LANGUAGES;
use majuscule::methods::language::{DetectedLanguage, LanguageEvidence, Other, name_of};

/// The numbers of bytes of a file from which its language is detected: the second only if those of
/// the first do not tell, as in a file that begins with a long header.
const LANGUAGE_BYTES: [usize; 2] = [1 << 12, 1 << 16];

/// Detects the language of a file by its text, without what its format adds. The file can still be
/// read from its beginning.
///
/// # Errors
/// Fails if the file cannot be read. A part that is not in its format says nothing.
pub fn detect(kind: Kind, field: Option<&str>, input: &mut Input) -> Result<DetectedLanguage> {
    let name = input.name().to_owned();
    if kind == Kind::WhisperJson {
        let bytes = std::mem::replace(input, Input::uncompressed(name.clone(), std::io::empty())).bytes()?;
        let detected = detect_bytes(kind, field, &bytes);
        *input = Input::uncompressed(name, Cursor::new(bytes));
        return Ok(detected);
    }
    let mut detected = DetectedLanguage::Empty;
    for len in LANGUAGE_BYTES {
        let head = input.peek(len)?;
        detected = detect_bytes(kind, field, &head);
        if head.len() < len || !matches!(detected, DetectedLanguage::Unsure | DetectedLanguage::Empty) {
            break;
        }
    }
    Ok(detected)
}

/// Detects the language of the text in the first bytes of a file, up to what is not in its format.
fn detect_bytes(kind: Kind, field: Option<&str>, bytes: &[u8]) -> DetectedLanguage {
    let mut evidence = LanguageEvidence::default();
    // A character is cut where the bytes end.
    let text = String::from_utf8_lossy(bytes).into_owned();
    let input = Input::uncompressed("text", Cursor::new(text.clone()));
    if let Ok(mut records) = kind.records(input, field) {
        let mut record = Record::default();
        while let Ok(true) = records.next(&mut record) {
            evidence.push_text(&record.text);
        }
    }
    if evidence.is_empty() && bytes.len() >= LANGUAGE_BYTES[0] {
        // One record is longer than all these bytes.
        evidence.push_text(&text);
    }
    evidence.detected()
}

/// The languages of the files of a run.
#[derive(Debug, Default)]
pub struct RunLanguages {
    /// The detected language of each file, once a file without one has needed them.
    detected: Option<BTreeMap<PathBuf, &'static str>>,
    /// The number of files restored in each language.
    used: BTreeMap<String, usize>,
}

/// The language of most files around a file whose language is not detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Majority {
    /// That of most files in its folder.
    Folder(&'static str),
    /// That of most files of the run.
    Run(&'static str),
}

impl RunLanguages {
    /// Returns the language of most of the files whose language is detected: of those in the folder of
    /// `path`, or else of all. `detect` returns a language with a built-in model.
    pub fn majority(
        &mut self,
        path: &Path,
        files: &[PathBuf],
        detect: impl Fn(&Path) -> Option<&'static str>,
    ) -> Option<Majority> {
        // Reading a pipe here would take its text away.
        let language = |file: &PathBuf| file.is_file().then(|| Some((file.clone(), detect(file)?))).flatten();
        let detected = self.detected.get_or_insert_with(|| files.iter().filter_map(language).collect());
        let most = |is_counted: &dyn Fn(&Path) -> bool| {
            let of = |language: &str| {
                detected.iter().filter(|(file, found)| is_counted(file) && **found == language).count()
            };
            let all = detected.keys().filter(|file| is_counted(file)).count();
            LANGUAGES.into_iter().find(|language| 2 * of(language) > all)
        };
        let folder = most(&|file| file.parent() == path.parent()).map(Majority::Folder);
        folder.or_else(|| most(&|_| true).map(Majority::Run))
    }

    /// Counts a file restored in a language.
    pub fn count(&mut self, language: &str) {
        *self.used.entry(language.to_owned()).or_default() += 1;
    }

    /// The languages used with the numbers of their files, the most frequent first: `languages:
    /// French 3, English 1`. `None` if there were no files.
    pub fn summary(&self) -> Option<String> {
        let mut used: Vec<_> = self.used.iter().collect();
        used.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut summary = String::new();
        for (language, count) in used {
            let before = if summary.is_empty() { "languages:" } else { "," };
            let _ = write!(summary, "{before} {} {count}", name_of(language));
        }
        Some(summary).filter(|summary| !summary.is_empty())
    }
}

/// Reports a file that does not tell its language, and the one that it is restored in.
pub fn tell_unsure(file: &str, used: &str, majority: Option<Majority>) {
    let used = name_of(used);
    let why = match majority {
        Some(Majority::Folder(_)) => "as most texts in its folder are",
        Some(Majority::Run(_)) => "as most texts are",
        None => "the default",
    };
    tell!("majuscule: cannot tell the language of {file}: restored as {used}, {why}; --lang names another");
}

/// Warns that a text is in another language than its model.
pub fn tell_other(file: &str, language: &str, other: Other) {
    let used = name_of(language);
    let other_name = match other {
        Other::Language(tag, name) if LANGUAGES.contains(&tag) => {
            let advice = format!("give --lang {tag}, or --lang auto, which tells them apart");
            return tell!("majuscule: {file} looks {name}, but is restored as {used}: {advice}");
        }
        Other::Language(_, name) => format!("looks {name}"),
        Other::Script => "is not in Latin letters".to_owned(),
        Other::Unknown => "is in a language that is not known here".to_owned(),
    };
    let list = LANGUAGES.join(", ");
    tell!(
        "majuscule: {file} {other_name}, but is restored as {used}: the built-in models are of {list}; train makes one of your own \
         text, and --model names it"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_language_takes_that_of_most_files_beside_it() {
        let files: Vec<PathBuf> =
            ["fr/a", "fr/b", "fr/c", "es/d", "es/e", "es/f", "es/g", "h"].map(PathBuf::from).into();
        let detected = files.iter().filter_map(|file| {
            let language = if file.starts_with("fr") { "fr" } else { "es" };
            (!matches!(file.to_str(), Some("fr/c" | "h"))).then(|| (file.clone(), language))
        });
        let mut languages = RunLanguages { detected: Some(detected.collect()), ..RunLanguages::default() };
        let mut majority = |path: &str| languages.majority(Path::new(path), &files, |_| None);
        assert_eq!(majority("fr/c"), Some(Majority::Folder("fr")));
        // Four of six.
        assert_eq!(majority("h"), Some(Majority::Run("es")));
        languages.detected = Some(BTreeMap::from([("a".into(), "en"), ("b".into(), "fr")]));
        assert_eq!(languages.majority(Path::new("c"), &files, |_| None), None);
    }

    #[test]
    fn the_text_of_a_file_tells_and_not_its_keys() {
        let detect = |kind, text: &str| {
            detect(kind, None, &mut Input::uncompressed("a", Cursor::new(text.to_owned()))).unwrap()
        };
        let french = r#"{"id": "the speaker of the house", "text": "on ne sait pas où il est"}"#;
        assert_eq!(detect(Kind::Jsonl, &format!("{french}\n")), DetectedLanguage::BuiltIn("fr"));
        let cue = "1\n00:00:01,000 --> 00:00:02,000\n<font color=\"white\">wat is er aan de hand</font>\n";
        assert_eq!(detect(Kind::Srt, cue), DetectedLanguage::BuiltIn("nl"));
        assert_eq!(detect(Kind::Srt, "1\n00:00:01,000 --> 00:00:02,000\n1984\n"), DetectedLanguage::Empty);
        let late = format!(
            "[Script Info]\n{}[Events]\nFormat: Layer, Text\nDialogue: 0,não sei o que é isso\n",
            "; -\n".repeat(2000)
        );
        assert_eq!(detect(Kind::Ass, &late), DetectedLanguage::BuiltIn("pt"));
    }
}
