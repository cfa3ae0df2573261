//! A model with options: one place says how a text is read, decided and written.

use std::io::{Cursor, Read, Write};
use std::num::NonZeroUsize;
use std::ops::Range;

use super::{Done, Output, Stream, Threshold, restore_as};
use crate::error::{Error, Result};
use crate::files::Input;
use crate::format::{Context, Kind, Piece, Settings};
use crate::methods::Model;
use crate::restorer::{Boundary, SentenceStarts, Want};
use crate::text::tokenize::Capitalized;
use crate::text::{Case, Locale, Policy, SentenceStart, Spellings};

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
    /// The capitals of the input that count.
    pub capitalized: Capitalized,
    /// The user's own spellings, which always win.
    pub spellings: Spellings,
    /// The places where a capital is put because a sentence begins.
    pub sentence_start: SentenceStart,
    /// The parts of a file whose words bear on each other.
    pub context: Context,
    /// The field of JSON lines that names the records that belong together.
    pub group: Option<String>,
    /// The field that is the text, in formats that have several: a name, or the number of a column from 1.
    pub field: Option<String>,
    /// The field of a live record that names it; a record of the same name takes the place of the earlier one.
    pub id: Option<String>,
    /// Copies parts that cannot be read, instead of stopping at them.
    pub lossy: bool,
    /// The most words of right context that a choice may depend on; `None` is all that the method uses.
    pub look_ahead: Option<usize>,
    /// The number of contexts that each choice is averaged over, by a method that sees a window at a time.
    pub predictions: NonZeroUsize,
    /// The probability below which a word stays as it is in the input.
    pub threshold: Option<Threshold>,
    /// The number of threads.
    pub threads: NonZeroUsize,
}

impl Default for RestoreOptions {
    fn default() -> Self {
        Self {
            locale: None,
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
        }
    }
}

impl RestoreOptions {
    /// The settings of a format's reader, for a text in this language.
    pub fn settings(&self, language: &str, locale: Locale) -> Settings {
        Settings {
            locale: self.locale.unwrap_or(locale),
            language: language.to_owned(),
            capitalized: self.capitalized,
            words: self.spellings.clone(),
            lossy: self.lossy,
            field: self.field.clone(),
            context: self.context,
            group: self.group.clone(),
            id: self.id.clone(),
        }
    }

    /// The request to the method, for a text of this format.
    pub fn want(&self, format: Kind) -> Want {
        Want {
            threads: self.threads,
            predictions: self.predictions,
            look_ahead: self.look_ahead,
            starts: self.starts(format),
            ..Want::default()
        }
    }

    /// The sentence beginnings that the method looks for.
    fn starts(&self, format: Kind) -> SentenceStarts {
        match self.sentence_start {
            // Where sentences run on from line to line, those that begin inside one are looked for as ever.
            SentenceStart::Always if !matches!(format, Kind::Text | Kind::Jsonl) => SentenceStarts::Predicted,
            start => start.into(),
        }
    }

    /// The rules that are put on top of the method's choices.
    pub fn policy(&self, locale: Locale) -> Policy {
        Policy { locale: self.locale.unwrap_or(locale), sentence_start: self.sentence_start }
    }
}

impl Model {
    /// The model with options.
    pub fn with(&self, options: RestoreOptions) -> TextRestorer<'_> {
        TextRestorer { model: self, options }
    }

    /// Restores a text with the default options: a line all in lower case or all in capitals is decided anew, in any other line
    /// the capitals that are there stay, and sentences begin with a capital where marks show it.
    ///
    /// ```
    /// let model = majuscule::Model::embedded("en")?;
    /// let text = model.restore("the president met angela merkel in lisbon.")?;
    /// assert_eq!(text, "The President met Angela Merkel in Lisbon.");
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the method fails.
    pub fn restore(&self, text: &str) -> Result<String> {
        self.with(RestoreOptions::default()).restore(text)
    }
}

/// A model with options, ready for any text.
#[derive(Clone)]
pub struct TextRestorer<'a> {
    model: &'a Model,
    options: RestoreOptions,
}

/// A word of a text, and its restored form.
#[derive(Debug, Clone, PartialEq)]
pub struct RestoredWord {
    /// The restored form.
    pub text: String,
    /// The word's place in the input, in bytes.
    pub span: Range<usize>,
    /// The case of the restored form.
    pub case: Case,
    /// The probability of the case, from 0 to 1; `None` where the method has none.
    pub confidence: Option<f32>,
}

impl<'a> TextRestorer<'a> {
    /// Restores a text.
    ///
    /// # Errors
    /// Where the method fails.
    pub fn restore(&self, text: &str) -> Result<String> {
        let mut restored = Vec::with_capacity(text.len());
        self.restore_to(Kind::Text, Cursor::new(text.to_owned()), &mut restored)?;
        Ok(String::from_utf8_lossy(&restored).into_owned())
    }

    /// Restores a file of any length: the same bytes with other capitals. Memory does not grow with the file, but for a document
    /// of Whisper's JSON.
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
    /// Where the file cannot be read or written, or holds what the format does not allow; and the method's. What came before is
    /// written.
    pub fn restore_to(
        &self,
        format: Kind,
        reader: impl Read + Send + 'static,
        mut writer: impl Write,
    ) -> Result<Done> {
        let manifest = &self.model.manifest;
        let input = Input::uncompressed("text", reader);
        let mut reader = format.open(input, self.options.settings(&manifest.language, manifest.locale))?;
        let output = Output { threshold: self.options.threshold, ..Output::default() };
        let policy = self.options.policy(manifest.locale);
        let write = &mut |bytes: &[u8], _| {
            writer.write_all(bytes).map_err(|error| Error::io("write", "the restored text", error))
        };
        restore_as(&mut *reader, &*self.model.restorer, self.options.want(format), &policy, output, write)
    }

    /// The words of a text, restored.
    ///
    /// ```
    /// let model = majuscule::Model::embedded("en")?;
    /// let words = model.with(Default::default()).words("we met in lisbon")?;
    /// assert_eq!((&*words[3].text, words[3].span.clone()), ("Lisbon", 10..16));
    /// assert!(words[3].confidence.is_some_and(|probability| probability > 0.5));
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the method fails.
    pub fn words(&self, text: &str) -> Result<Vec<RestoredWord>> {
        let manifest = &self.model.manifest;
        let settings = self.options.settings(&manifest.language, manifest.locale);
        let input = Input::uncompressed("text", Cursor::new(text.to_owned()));
        let mut reader = Kind::Text.open(input, settings)?;
        let policy = self.options.policy(manifest.locale);
        let want = Want { confidence: true, ..self.options.want(Kind::Text) };
        let mut session = self.model.restorer.session(want);
        let (mut pieces, mut choices, mut piece) = (Vec::new(), Vec::new(), Piece::default());
        while reader.next(&mut piece)? {
            session.push(&piece.tokens, Boundary::Line, &mut choices)?;
            pieces.push(std::mem::take(&mut piece));
        }
        session.push(&crate::text::Tokens::new(), Boundary::Reset, &mut choices)?;
        let (mut words, mut at, mut choices) = (Vec::with_capacity(choices.len()), 0, choices.into_iter());
        for piece in &pieces {
            let own: Vec<_> = choices.by_ref().take(piece.tokens.len()).collect();
            let mut written = Vec::with_capacity(piece.source.len());
            piece.write(&own, &policy, &mut written);
            let (source, written) =
                (String::from_utf8_lossy(&piece.source), String::from_utf8_lossy(&written));
            // Letters pair one to one, but the two of a pair may differ in bytes.
            let mut letters = source.char_indices().zip(written.char_indices());
            let mut place = |byte: usize| match letters.find(|((at, _), _)| *at == byte) {
                Some((_, (place, _))) => place,
                None => written.len(),
            };
            for (token, choice) in piece.tokens.as_slice().iter().zip(own) {
                let span = token.source.start as usize..token.source.end as usize;
                let text: String =
                    written[place(span.start)..].chars().take(source[span.clone()].chars().count()).collect();
                let case = Case::of(&text, policy.locale);
                let span = at + span.start..at + span.end;
                words.push(RestoredWord { text, span, case, confidence: choice.confidence });
            }
            at += piece.source.len();
        }
        Ok(words)
    }

    /// Begins with a text that is restored while it comes in: bytes in, bytes out. The capitals of the input are ignored where the
    /// options leave them to whole lines, which a stream does not wait for.
    ///
    /// # Errors
    /// [`Error::Usage`] where a threshold is asked for and the method has no probabilities.
    pub fn stream(&self) -> Result<Stream<'a>> {
        let manifest = &self.model.manifest;
        let mut settings = self.options.settings(&manifest.language, manifest.locale);
        if settings.capitalized == Capitalized::Auto {
            settings.capitalized = Capitalized::Ignore;
        }
        let output = Output { threshold: self.options.threshold, ..Output::default() };
        let (want, policy) = (self.options.want(Kind::Text), self.options.policy(manifest.locale));
        Stream::new("text", settings, &*self.model.restorer, want, policy, output)
    }
}
