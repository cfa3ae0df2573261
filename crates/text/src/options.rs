//! The options of a caller: how a text is read, restored and written.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use super::divided_word::ModelVocabulary;
use super::house_style::HouseStyle;
use super::locale::Locale;
use super::mark::{MarkForm, MarkSet};
use super::source_capitals::Capitalized;
use super::spellings::Spellings;
use super::text_around::TextAround;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::Limits;
use majuscule_base::interrupt::Interrupt;
use majuscule_base::named::NamedValue;

/// Options of restoring, with the same defaults as the program.
///
/// ```
/// use majuscule::{Model, RestoreOptions, SentenceStart};
///
/// let model = Model::embedded("en")?;
/// let restorer = model.with(RestoreOptions::default().sentence_start(SentenceStart::Never));
/// assert_eq!(restorer.restore("he lives in lisbon.")?, "he lives in Lisbon.");
/// # Ok::<(), majuscule::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RestoreOptions {
    /// The case mappings; `None` means the model's.
    pub locale: Option<Locale>,
    /// The tag of the text's language, for its abbreviations; `None` means the model's.
    pub language: Option<String>,
    /// The capitals of the input that are kept.
    pub capitalized: Capitalized,
    /// The user's own spellings, which take precedence over everything else.
    pub spellings: Spellings,
    /// The positions where a sentence start gets a capital.
    pub sentence_start: SentenceStart,
    /// The parts of a file whose words are context for each other.
    pub context: Context,
    /// The field of JSON lines that groups records: consecutive records with the same value belong
    /// together. `None` leaves the grouping to `context`.
    pub group: Option<String>,
    /// The field that contains the text, in formats with several fields: a name, or a column number
    /// from 1.
    pub field: Option<String>,
    /// The field that identifies a live record, `id` by default; a record with the same id replaces
    /// the earlier one.
    pub id: Option<String>,
    /// True to copy unreadable parts unchanged instead of stopping at them: bytes that are not
    /// UTF-8, with the run around them, and parts that the format does not allow.
    pub lossy: bool,
    /// The largest number of words of right context that a choice may depend on; `None` means all words that the
    /// method uses.
    pub look_ahead: Option<usize>,
    /// The number of contexts that each choice is averaged over, by a method that sees one window
    /// at a time.
    pub predictions: NonZeroUsize,
    /// The probability, from 0 to 1, below which a word keeps the case that it has in the input.
    pub threshold: Option<f32>,
    /// The balance between missing and superfluous capitals.
    pub capitals: CapitalBalance,
    /// The rules of the house style; none by default.
    pub style: HouseStyle,
    /// The marks that may be inserted into the text; none by default.
    pub marks: MarkSet,
    /// The parts of the text that may get marks.
    pub mark_places: MarkPlaces,
    /// The form of the marks; `None` is the form of the format.
    pub mark_form: Option<MarkForm>,
    /// The probability, from 0 to 1, below which a mark is not inserted; `None` lets the method
    /// decide alone.
    pub mark_threshold: Option<f32>,
    /// The shortest pause that ends a sentence, in formats with times; `None` if no pause does.
    pub pause_ends: Option<Duration>,
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The limits on the memory that a text may use.
    pub limits: Limits,
    /// The flag that stops the work.
    pub interrupt: Interrupt,
    /// The form of the output.
    pub form: OutputForm,
    /// The longest wait for more text after the end of a line. Then the line is written with the right context that
    /// has arrived, and words that need more may get another case than in the same text read at once. `None` means
    /// that the line waits for all the context that the method uses.
    pub patience: Option<Duration>,
    /// The text around an inserted text, such as dictated words; `None` for a standalone text.
    pub around: Option<TextAround>,
    /// The words that the model knows.
    vocabulary: ModelVocabulary,
    /// True if the marks of the text are noted.
    notes_marks: bool,
}

/// Defines a setter method for each option.
macro_rules! setters {
    ($($name:ident: $type:ty,)*) => {
        impl RestoreOptions {
            $(
                #[doc = concat!("Sets [`Self::", stringify!($name), "`].")]
                #[must_use]
                pub fn $name(self, $name: $type) -> Self {
                    Self { $name, ..self }
                }
            )*
        }
    };
}

setters! {
    capitalized: Capitalized,
    spellings: Spellings,
    sentence_start: SentenceStart,
    context: Context,
    group: Option<String>,
    field: Option<String>,
    id: Option<String>,
    lossy: bool,
    look_ahead: Option<usize>,
    predictions: NonZeroUsize,
    threshold: Option<f32>,
    capitals: CapitalBalance,
    style: HouseStyle,
    marks: MarkSet,
    mark_places: MarkPlaces,
    mark_form: Option<MarkForm>,
    mark_threshold: Option<f32>,
    pause_ends: Option<Duration>,
    threads: NonZeroUsize,
    limits: Limits,
    interrupt: Interrupt,
    form: OutputForm,
    patience: Option<Duration>,
    around: Option<TextAround>,
}

impl Default for RestoreOptions {
    fn default() -> Self {
        Self {
            locale: None,
            language: None,
            capitalized: Capitalized::default(),
            spellings: Spellings::default(),
            sentence_start: SentenceStart::default(),
            context: Context::default(),
            group: None,
            field: None,
            id: None,
            lossy: false,
            look_ahead: None,
            predictions: NonZeroUsize::MIN,
            threshold: None,
            capitals: CapitalBalance::default(),
            style: HouseStyle::default(),
            marks: MarkSet::NONE,
            mark_places: MarkPlaces::default(),
            mark_form: None,
            mark_threshold: None,
            pause_ends: None,
            threads: NonZeroUsize::MIN,
            limits: Limits::default(),
            interrupt: Interrupt::default(),
            form: OutputForm::default(),
            patience: None,
            around: None,
            vocabulary: ModelVocabulary::default(),
            notes_marks: false,
        }
    }
}

impl RestoreOptions {
    /// Sets [`Self::locale`].
    #[must_use]
    pub fn in_locale(self, locale: Option<Locale>) -> Self {
        Self { locale, ..self }
    }

    /// Sets [`Self::language`].
    #[must_use]
    pub fn in_language(self, language: Option<String>) -> Self {
        Self { language, ..self }
    }

    /// Returns the options with the words that the model knows.
    #[must_use]
    pub fn knowing(self, vocabulary: ModelVocabulary) -> Self {
        Self { vocabulary, ..self }
    }

    /// Returns the words that the model knows.
    pub fn vocabulary(&self) -> &ModelVocabulary {
        &self.vocabulary
    }

    /// Returns the options for noting the marks of the text: see [`Tokens::marks`](super::Tokens::marks).
    #[must_use]
    pub fn noting_marks(self) -> Self {
        Self { notes_marks: true, ..self }
    }

    /// Returns true if the marks of the text are noted.
    pub fn notes_marks(&self) -> bool {
        self.notes_marks
    }

    /// Returns the case mappings.
    #[inline]
    pub fn locale(&self) -> Locale {
        self.locale.unwrap_or_default()
    }

    /// Returns the tag of the language, empty if none is known.
    pub fn language(&self) -> &str {
        self.language.as_deref().unwrap_or_default()
    }

    /// Returns the positions for marks; `None` if none are inserted.
    pub fn puts(&self) -> Option<MarkPlaces> {
        (!self.marks.is_empty()).then_some(self.mark_places)
    }
}

/// The positions where a sentence start gets a capital, whatever the method chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SentenceStart {
    /// After a mark that ends a sentence, and at the beginning of a line of punctuated text.
    #[default]
    Auto,
    /// The positions of `Auto`, and the beginning of every line and of every cue of subtitles.
    Always,
    /// Nowhere: the method alone decides.
    Never,
}

impl NamedValue for SentenceStart {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Auto,
            "auto",
            "After a mark that ends a sentence, and at the beginning of a line of punctuated text",
        ),
        (Self::Always, "always", "As auto, and at the beginning of every line and cue"),
        (Self::Never, "never", "Nowhere: the method alone decides"),
    ];
}

/// The balance between missing and superfluous capitals: a word gets a capital if the method considers it probable
/// enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CapitalBalance {
    /// Fewer capitals, and more of them are right.
    Few,
    /// Each word has its most probable case.
    #[default]
    Balanced,
    /// More capitals, and fewer are missing.
    Many,
}

impl CapitalBalance {
    /// Returns the factor on the odds of lower case.
    pub fn lower_odds(self) -> f32 {
        match self {
            Self::Few => 2.0,
            Self::Balanced => 1.0,
            Self::Many => 0.6,
        }
    }

    /// Returns the factor on the odds of a sentence start that the text does not show.
    pub fn start_odds(self) -> f32 {
        match self {
            Self::Few => 0.5,
            Self::Balanced => 1.0,
            Self::Many => 2.0,
        }
    }
}

impl NamedValue for CapitalBalance {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Few, "few", "Fewer capitals, and more of them are right"),
        (Self::Balanced, "balanced", "Each word has its most probable case"),
        (Self::Many, "many", "More capitals, and fewer are missing"),
    ];
}

/// The parts of a text that may get marks. Existing marks always stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MarkPlaces {
    /// All parts.
    #[default]
    Everywhere,
    /// Lines and cues that have no marks.
    Unmarked,
}

/// The punctuation marks to insert, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WantedMarks {
    /// The marks.
    pub marks: MarkSet,
    /// Where they are inserted.
    pub places: MarkPlaces,
}

impl WantedMarks {
    /// The usual marks, in lines and cues that have no marks.
    pub const AUTO: Self = Self { marks: MarkSet::USUAL, places: MarkPlaces::Unmarked };
}

impl FromStr for WantedMarks {
    type Err = Error;

    /// Reads `auto`, the usual marks in lines and cues that have no marks; `all`, the usual marks everywhere; or the
    /// names of marks (see [`MarkSet`]), which are inserted everywhere.
    fn from_str(text: &str) -> Result<Self> {
        let marks = match text {
            "auto" => return Ok(Self::AUTO),
            "all" => MarkSet::USUAL,
            named => named.parse().map_err(|error: Error| Error::usage(format!("{error}, auto or all")))?,
        };
        Ok(Self { marks, places: MarkPlaces::Everywhere })
    }
}

/// The extent of a text in a file: words of one text are context for each other, words of two texts
/// never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Context {
    /// Each record of jsonl is a separate text, unless it arrives live; in any other format the file is one text.
    #[default]
    Auto,
    /// Each line of text and each record of jsonl is a separate text.
    Line,
    /// The file is one text.
    File,
}

impl NamedValue for Context {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Auto,
            "auto",
            "Each record of jsonl is a text by itself, unless it arrives live; in other formats the file is one text",
        ),
        (Self::Line, "line", "Each line of text and each record of jsonl is a text by itself"),
        (Self::File, "file", "The file is one text"),
    ];
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputForm {
    /// The bytes of the source with other capitals.
    #[default]
    Text,
    /// Plain text with one sentence per line.
    Sentences,
    /// Plain text in paragraphs with an empty line between them.
    Paragraphs,
    /// One word per line, with the probability of its case after a tab, the mark that is inserted and
    /// its probability after another tab each, and an empty line at the end of each line of the
    /// source.
    Words,
    /// The changes, as a unified diff without file names.
    Diff,
    /// One JSON object per word and line, with `line` of the source, `form`, `probability`, `mark` if one is
    /// inserted, `mark_probability` (of the inserted mark or of no mark) if marks are requested, and `sentence_end`
    /// if the method chooses it.
    Json,
}

impl OutputForm {
    /// Returns true for plain text that is written anew, sentence by sentence.
    pub fn is_by_sentence(self) -> bool {
        matches!(self, Self::Sentences | Self::Paragraphs)
    }
}
