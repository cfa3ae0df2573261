//! Notes for the host about surprises in a text, which is restored nevertheless.

use crate::models::LANGUAGES;
use crate::models::language::{Other, name_of};
use majuscule_base::error::{Problem, option, worded};
use majuscule_base::named::NamedValue;
use majuscule_format::Format;

/// A remark on a text, which is restored nevertheless. A host prints it ([`Note::worded`]), logs it or passes it on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The name of the text indicates a different format from its first bytes.
    Format {
        /// The format that the name indicates.
        named: Format,
        /// The format that the first bytes indicate.
        begun: Format,
        /// The format that the text is read in: `named` or `begun`.
        read: Format,
    },
    /// The text declares a language without a model.
    Declared {
        /// The language, as the text names it.
        language: String,
        /// The reason why there is no model.
        problem: Problem,
    },
    /// The language of the text cannot be detected.
    Unsure {
        /// The tag of the language that it is restored in.
        used: String,
        /// The reason for that language.
        source: LanguageSource,
    },
    /// The text is in another language than its model.
    Other {
        /// The tag of the language that it is restored in.
        used: String,
        /// The language that it is in.
        found: Other,
    },
}

/// The reason for restoring a text in a certain language if its own language cannot be detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LanguageSource {
    /// Most texts in the folder of the text are in this language.
    Folder,
    /// Most texts of the run are in this language.
    Run,
    /// It is the default language.
    #[default]
    Default,
}

impl Note {
    /// Returns the wording of the note. `text` is the host's name of the text, and `name` returns the name of an
    /// option as the host writes it.
    ///
    /// ```
    /// use majuscule::{LanguageSource, Note};
    ///
    /// let note = Note::Unsure { used: "en".into(), source: LanguageSource::Default };
    /// let line = note.worded("talk.txt", |option| format!("--{option}"));
    /// assert_eq!(line, "cannot detect the language of talk.txt: restored as English, the default; --lang names another");
    /// ```
    pub fn worded(&self, text: &str, name: impl Fn(&str) -> String) -> String {
        let lang = option("lang");
        let note = match self {
            Self::Format { named, begun, read } => {
                let other = if read == named { begun } else { named };
                let [named, begun, read, other] = [named, begun, read, other].map(|kind| kind.name_of());
                let format = option("format");
                format!(
                    "{text} has the extension of {named}, but begins like {begun}: read as {read}; give {format} {other} if it is {other}"
                )
            }
            Self::Declared { language, problem } => {
                let problem = problem.worded(|name| option(name).to_string());
                format!("{text} declares the language \"{language}\": {problem}")
            }
            Self::Unsure { used, source } => {
                let why = match source {
                    LanguageSource::Folder => "as most texts in its folder are",
                    LanguageSource::Run => "as most texts are",
                    LanguageSource::Default => "the default",
                };
                let used = name_of(used);
                format!(
                    "cannot detect the language of {text}: restored as {used}, {why}; {lang} names another"
                )
            }
            Self::Other { used, found } => {
                let (used, model) = (name_of(used), option("model"));
                let found = match found {
                    Other::Language(tag, found) if LANGUAGES.contains(tag) => {
                        let advice = format!("give {lang} {tag}, or {lang} auto, which detects the language");
                        let note = format!("{text} looks {found}, but is restored as {used}: {advice}");
                        return worded(&note, name);
                    }
                    Other::Language(_, found) => format!("looks {found}"),
                    Other::Script => "is not in Latin letters".to_owned(),
                    Other::Unknown => "is in a language that is not known here".to_owned(),
                };
                let list = LANGUAGES.join(", ");
                format!(
                    "{text} {found}, but is restored as {used}: the built-in models are for {list}; train a model on your \
                     own text, and name it with {model}"
                )
            }
        };
        worded(&note, name)
    }
}
