//! The language of each file of a run with `--lang auto`, and the languages that a run used.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use majuscule_restore::LanguageSource;
use majuscule_restore::models::LANGUAGES;
use majuscule_restore::models::language::name_of;

/// The languages of the files of a run.
#[derive(Debug, Default)]
pub struct RunLanguages {
    /// The detected language of each file; `None` until a file without a detected language needs
    /// them.
    detected: Option<BTreeMap<PathBuf, &'static str>>,
    /// The number of files restored in each language.
    used: BTreeMap<String, usize>,
}

impl RunLanguages {
    /// Returns the most frequent detected language of the files in the folder of `path`, or else of
    /// all files. `detect` returns a language with a built-in model.
    pub fn majority(
        &mut self,
        path: &Path,
        files: &[PathBuf],
        detect: impl Fn(&Path) -> Option<&'static str>,
    ) -> Option<(String, LanguageSource)> {
        // Reading a pipe here would consume its text.
        let language = |file: &PathBuf| file.is_file().then(|| Some((file.clone(), detect(file)?))).flatten();
        let detected = self.detected.get_or_insert_with(|| files.iter().filter_map(language).collect());
        let most = |is_counted: &dyn Fn(&Path) -> bool| {
            let of = |language: &str| {
                detected.iter().filter(|(file, found)| is_counted(file) && **found == language).count()
            };
            let all = detected.keys().filter(|file| is_counted(file)).count();
            LANGUAGES.into_iter().find(|language| 2 * of(language) > all)
        };
        let folder =
            most(&|file| file.parent() == path.parent()).map(|found| (found, LanguageSource::Folder));
        let found = folder.or_else(|| most(&|_| true).map(|found| (found, LanguageSource::Run)));
        found.map(|(language, source)| (language.to_owned(), source))
    }

    /// Counts a file restored in a language.
    pub fn count(&mut self, language: &str) {
        *self.used.entry(language.to_owned()).or_default() += 1;
    }

    /// Returns the languages used with the numbers of their files, the most frequent first:
    /// `languages: French 3, English 1`. `None` if there were no files.
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
        assert_eq!(majority("fr/c"), Some(("fr".to_owned(), LanguageSource::Folder)));
        // Four of six.
        assert_eq!(majority("h"), Some(("es".to_owned(), LanguageSource::Run)));
        languages.detected = Some(BTreeMap::from([("a".into(), "en"), ("b".into(), "fr")]));
        assert_eq!(languages.majority(Path::new("c"), &files, |_| None), None);
    }
}
