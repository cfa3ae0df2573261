//! What a caller asks: the way a text is read, decided and written.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::locale::Locale;
use super::spellings::Spellings;
use super::tokenize::Capitalized;
use crate::named::NamedValue;

/// Options of restoring; those of the default are the program's.
///
/// ```
/// use majuscule::{Model, RestoreOptions, SentenceStart};
///
/// let model = Model::embedded("en")?;
/// let restorer = model.with(RestoreOptions { sentence_start: SentenceStart::Never, ..Default::default() });
/// assert_eq!(restorer.restore("he lives in lisbon.")?, "he lives in Lisbon.");
/// # Ok::<(), majuscule::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RestoreOptions {
    /// The case pairs; `None` takes the model's.
    pub locale: Option<Locale>,
    /// The tag of the text's language, for its abbreviations; `None` takes the model's.
    pub language: Option<String>,
    /// The capitals of the input that count.
    pub capitalized: Capitalized,
    /// The user's own spellings, which always win.
    pub spellings: Spellings,
    /// The places where a capital is put because a sentence begins.
    pub sentence_start: SentenceStart,
    /// The parts of a file whose words bear on each other.
    pub context: Context,
    /// The field of JSON lines that names the records that belong together: those that follow each other and say the same. `None`
    /// leaves it to the context.
    pub group: Option<String>,
    /// The field that is the text, in formats that have several: a name, or the number of a column from 1.
    pub field: Option<String>,
    /// The field of a live record that names it, `id` by default; a record of the same name takes the place of the earlier one.
    pub id: Option<String>,
    /// Copies parts that cannot be read, instead of stopping at them: bytes that are not UTF-8, with the run that they stand in, and
    /// what the format does not allow.
    pub lossy: bool,
    /// The most words of right context that a choice may depend on; `None` is all that the method uses.
    pub look_ahead: Option<usize>,
    /// The number of contexts that each choice is averaged over, by a method that sees a window at a time.
    pub predictions: NonZeroUsize,
    /// The probability, from 0 to 1, below which a word stays as it is in the input.
    pub threshold: Option<f32>,
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The form of the output.
    pub form: Form,
    /// The longest wait for more text after the end of a line: then it comes out by the right context there is, and words that
    /// wait for more may have another case than in the same text read at once. `None` waits for all that the method uses.
    pub patience: Option<Duration>,
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
            threads: NonZeroUsize::MIN,
            form: Form::default(),
            patience: None,
        }
    }
}

impl RestoreOptions {
    /// The case pairs.
    #[inline]
    pub fn locale(&self) -> Locale {
        self.locale.unwrap_or_default()
    }

    /// The language's tag, empty where none is known.
    pub fn language(&self) -> &str {
        self.language.as_deref().unwrap_or_default()
    }
}

/// Where a capital is put because a sentence begins there, whatever the method chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SentenceStart {
    /// After a mark that ends a sentence, and where a line of punctuated text opens.
    #[default]
    Auto,
    /// There, and where any line opens.
    Always,
    /// Nowhere: the method alone decides.
    Never,
}

impl NamedValue for SentenceStart {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Auto, "auto", "After a mark that ends a sentence, and where a line of punctuated text opens"),
        (Self::Always, "always", "There, and where any line opens"),
        (Self::Never, "never", "Nowhere: the method alone decides"),
    ];
}

/// What belongs together in a file: the words of one text bear on each other, those of two never do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Context {
    /// Each record of jsonl is a text by itself, unless it comes in live; of any other format the file is one text.
    #[default]
    Auto,
    /// Each line of text and each record of jsonl is a text by itself.
    Line,
    /// The file is one text.
    File,
}

impl NamedValue for Context {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Auto,
            "auto",
            "Each record of jsonl is a text by itself, unless it comes in live; of any other format the file is one text",
        ),
        (Self::Line, "line", "Each line of text and each record of jsonl is a text by itself"),
        (Self::File, "file", "The file is one text"),
    ];
}

/// The form in which restored words come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// The bytes of the source with other capitals.
    #[default]
    Text,
    /// A word a line, with the probability of its case behind a tab, and an empty line where a line of the source ended.
    Words,
    /// What changes, as a unified diff without the names of the files.
    Diff,
    /// A JSON object a word and line: `line` of the source, `form`, `probability`, and `sentence_end` where the method
    /// chooses that.
    Json,
}
