//! A model with options.

use std::io::{Read, Write};
use std::ops::Range;

use super::texts::TextQueue;
use super::{Done, Stream, between, restore};
use crate::models::Model;
use majuscule_base::error::{self, Error, Result};
use majuscule_base::files::Input;
use majuscule_base::interrupt::Interrupt;
use majuscule_format::Format;
use majuscule_text::divided_word::ModelVocabulary;
use majuscule_text::restorer::{Request, Restorer, SentenceStarts, check_capitals};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Case, Mark, MarkForm, MarkSet, OutputForm, RestoreOptions, SentenceStart};

/// Returns the request to a method, for a text of this format.
///
/// # Errors
/// Returns [`Error::Usage`] if the output needs probabilities and the method has none, or needs marks that
/// the method cannot insert.
pub(super) fn request(options: &RestoreOptions, method: &dyn Restorer, format: Format) -> Result<Request> {
    let needs_words = matches!(options.form, OutputForm::Words | OutputForm::Json);
    let confidence = match options.threshold {
        Some(_) => Some("threshold"),
        None => needs_words.then_some("confidence"),
    };
    let option = confidence.or(options.mark_threshold.map(|_| "mark-threshold"));
    if let Some(option) = option.filter(|_| !method.has_probabilities()) {
        let option = error::option(option);
        let problem = format!("the method gives no probabilities: leave {option} out, or use hmm or maxent");
        return Err(Error::usage(problem));
    }
    if let Some(missing) = options.marks.iter().find(|&mark| !method.labels().marks().has(mark)) {
        return Err(Error::usage(no_mark(missing, method.labels().marks())));
    }
    if options.mark_threshold.is_some() && options.marks.is_empty() {
        let [threshold, marks] = ["mark-threshold", "marks"].map(error::option);
        return Err(Error::usage(format!(
            "{threshold} is for punctuation that is inserted: give {marks} too"
        )));
    }
    check_capitals(method, options.capitals)?;
    let sentence_ends =
        matches!(options.form, OutputForm::Json | OutputForm::Sentences) && method.labels().ends_sentences();
    Ok(Request { confidence: confidence.is_some(), sentence_ends, ..plain_request(options, format) })
}

/// Returns the request for output of the text alone.
fn plain_request(options: &RestoreOptions, format: Format) -> Request {
    Request {
        threads: options.threads,
        predictions: options.predictions,
        look_ahead: options.look_ahead,
        marks: options.marks,
        mark_threshold: options.mark_threshold,
        capitals: options.capitals,
        shown_capitals: true,
        starts: match options.sentence_start {
            // If sentences run on from line to line, sentence starts inside a line are
            // predicted as usual.
            SentenceStart::Always if !format.info().has_sentence_lines => SentenceStarts::Predicted,
            start => start.into(),
        },
        ..Request::default()
    }
}

/// Returns the error text for a mark that a method cannot insert; the method can insert the marks in `known`.
fn no_mark(mark: Mark, known: MarkSet) -> String {
    let option = error::option("marks");
    if known.is_empty() {
        return format!(
            "the model does not insert punctuation: leave {option} out, or use a model trained with punctuation"
        );
    }
    let c = mark.character().unwrap_or_default();
    format!("{option}: the model does not insert \"{c}\", only \"{known}\": choose from these")
}

impl Model {
    /// Fills in the options left to the model: the case mappings, the language and the known words.
    pub fn fill_in(&self, options: RestoreOptions) -> RestoreOptions {
        let (manifest, restorer) = (&self.manifest, self.restorer.clone());
        let knows = move |lower: &str| restorer.details().and_then(|details| details.knows(lower));
        let locale = options.locale.or(Some(manifest.locale));
        let language = options.language.clone().or_else(|| Some(manifest.language.clone()));
        let vocabulary = ModelVocabulary::new(move |lower| knows(lower) == Some(true));
        options.in_locale(locale).in_language(language).knowing(vocabulary)
    }

    /// Returns the model with options.
    pub fn with(&self, options: RestoreOptions) -> TextRestorer {
        TextRestorer { model: self.clone(), options: self.fill_in(options) }
    }

    /// Restores a text with the default options. In a line all in lower case or all in capitals, the case of all
    /// words is decided; in any other line, the capitals stay. Sentence starts that the text shows get a capital.
    ///
    /// ```
    /// let model = majuscule::Model::embedded("en")?;
    /// let text = model.restore("the president met angela merkel in lisbon.")?;
    /// assert_eq!(text, "The President met Angela Merkel in Lisbon.");
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn restore(&self, text: &str) -> Result<String> {
        self.with(RestoreOptions::default()).restore(text)
    }
}

/// A model with options, ready for any text.
#[derive(Clone)]
pub struct TextRestorer {
    pub(super) model: Model,
    pub(super) options: RestoreOptions,
}

impl AsRef<RestoreOptions> for TextRestorer {
    fn as_ref(&self) -> &RestoreOptions {
        &self.options
    }
}

/// A word of a text, and its restored form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RestoredWord {
    /// The restored form.
    pub text: String,
    /// The word's position in the input, in bytes.
    pub span: Range<usize>,
    /// The case of the restored form.
    pub case: Case,
    /// The probability of the case, from 0 to 1; `None` if the method has none.
    pub confidence: Option<f32>,
    /// The mark whose opening is inserted before the word: [`Mark::Question`] for `¿`.
    pub opening: Mark,
    /// The mark inserted after the word.
    pub mark: Mark,
    /// The probability of the mark, or of no mark; `None` if no marks are requested or the method has none.
    pub mark_confidence: Option<f32>,
    /// True if a sentence ends after the word; `None` if the method finds no sentence ends.
    pub ends_sentence: Option<bool>,
}

impl RestoredWord {
    /// Returns the word with the marks that are inserted, as its language writes them.
    pub fn written(&self, options: &RestoreOptions) -> String {
        let mut text: String = self.opening.opening(options.language()).into_iter().collect();
        text.push_str(&self.text);
        let form = options.mark_form.unwrap_or(MarkForm::Written);
        if let Some((space, mark)) = self.mark.spelling(options.language(), form) {
            text.push_str(space);
            text.push(mark);
        }
        text
    }
}

impl TextRestorer {
    /// Restores a text.
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn restore(&self, text: &str) -> Result<String> {
        if let Some(around) = &self.options.around {
            let restored = between::restore(&*self.model.restorer, &self.options, around, text)?;
            return Ok(restored.0);
        }
        if self.options.form == OutputForm::Text {
            return TextQueue::new(self, |request| request)?.restore(text);
        }
        let mut restored = Vec::with_capacity(text.len());
        self.restore_to(Format::Text, text.as_bytes(), &mut restored)?;
        Ok(String::from_utf8_lossy(&restored).into_owned())
    }

    /// Restores a file of any length: the same bytes with other capitals. Memory does not grow with
    /// the file, except for one JSON document of Whisper.
    ///
    /// ```
    /// use majuscule::{Format, Model, RestoreOptions};
    ///
    /// let subtitles = "1\n00:00:01,000 --> 00:00:02,000\nwe met in <i>lisbon</i>\n";
    /// let mut restored = Vec::new();
    /// let model = Model::embedded("en")?;
    /// model.with(RestoreOptions::default()).restore_to(Format::Srt, subtitles.as_bytes(), &mut restored)?;
    /// assert_eq!(restored, subtitles.replace("we", "We").replace("lisbon", "Lisbon").as_bytes());
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the file cannot be read or written, or holds something that the format does not
    /// allow; also returns the method's errors. Output before the error is written.
    pub fn restore_to(
        &self,
        format: Format,
        reader: impl Read + Send,
        mut writer: impl Write,
    ) -> Result<Done> {
        let write = &mut |bytes: &[u8], _| {
            writer.write_all(bytes).map_err(|error| Error::io("write", "the restored text", error))
        };
        let input = Input::uncompressed("text", reader).within(self.options.limits);
        restore(format, input, &*self.model.restorer, &self.options, write)
    }

    /// Returns the restorer with a flag that stops its work.
    #[must_use]
    pub fn interrupted_by(&self, interrupt: &Interrupt) -> Self {
        let options = self.options.clone().interrupt(interrupt.clone());
        Self { model: self.model.clone(), options }
    }

    /// Starts a text that is restored while it arrives. The capitals of the input are ignored if the
    /// options decide them by whole lines, since a stream does not wait for whole lines.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if a threshold is set and the method has no probabilities.
    pub fn stream(&self) -> Result<Stream> {
        let mut options = self.options.clone();
        if options.capitalized == Capitalized::Auto {
            options.capitalized = Capitalized::Ignore;
        }
        Stream::new("text", self.model.restorer.clone(), options)
    }
}
