//! The list of formats, and the properties and readers of a format.

use std::path::Path;
use std::time::Duration;

use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::piece::PieceReader;
use super::record::RecordSource;
use super::records::{RecordLines, Records};
use super::transcript::unfiltered_name;
use super::unread;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{self, Input};
use majuscule_base::named::NamedValue;
use majuscule_text::{Mark, MarkForm, MarkSet, RestoreOptions};

/// Lists the descriptions of all formats of [`with_formats!`].
macro_rules! list_formats {
    ($($(#[$cfg:meta])? $format:ident $module:ident::$info:ident $name:literal $help:literal;)*) => {
        /// The formats in this build.
        static FORMATS: &[FormatInfo] = &[$(
            $(#[$cfg])?
            FormatInfo { format: Format::$format, name: $name, help: $help, ..super::$module::$info }.built(),
        )*];

        impl NamedValue for Format {
            const VALUES: &'static [(Self, &'static str, &'static str)] =
                &[$($(#[$cfg])? (Self::$format, $name, $help),)*];

            const FORMER: &'static [(&'static str, &'static str)] = &[("lines", "text")];
        }
    };
}

with_formats!(list_formats);

impl Format {
    /// Fills in the options that depend on the format: the form of punctuation marks, and the marks that it can
    /// represent.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if marks are requested and the format cannot represent them.
    pub fn fill_in(self, options: &RestoreOptions) -> Result<RestoreOptions> {
        if options.pause_ends.is_some() && !self.info().has_pauses {
            let with: Vec<&str> =
                Self::all().iter().filter(|info| info.has_pauses).map(|info| info.name).collect();
            let problem = format!(
                "{} needs the times of one of {}, but this is {}: leave it out",
                option("pause-ends"),
                with.join(", "),
                self.name_of()
            );
            return Err(Error::usage(problem));
        }
        if options.around.is_some() && !matches!(self, Self::Text | Self::Auto) {
            let [before, after] = ["before", "after"].map(option);
            let problem = "are for plain text";
            return Err(Error::usage(format!(
                "{before} and {after} {problem}, but this is {}: leave them out",
                self.name_of()
            )));
        }
        if options.marks.is_empty() {
            return Ok(options.clone());
        }
        let mark_form = Some(self.mark_form(options.mark_form)?);
        // In subtitles, a colon would turn the words before it into a speaker's name.
        let has_place = |mark: &Mark| *mark != Mark::Colon || !self.info().names_speakers;
        let marks: MarkSet = options.marks.iter().filter(has_place).collect();
        if marks.is_empty() {
            let problem = format!("{} cannot hold {}: choose other marks", self.name_of(), options.marks);
            return Err(Error::usage(problem));
        }
        Ok(options.clone().mark_form(mark_form).marks(marks))
    }

    /// Returns the description of the format.
    pub fn info(self) -> &'static FormatInfo {
        &FORMATS[self as usize]
    }

    /// Returns the descriptions of all formats, in the order of help texts.
    pub fn all() -> &'static [FormatInfo] {
        FORMATS
    }

    /// Returns the format of a file by its extension; text if the extension is unknown.
    pub fn of_name(path: &Path) -> Self {
        Self::named(path).unwrap_or(Self::Text)
    }

    /// Returns the format of a file by its extension, if it is known.
    pub fn named(path: &Path) -> Option<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let (_, end) = unfiltered_name(files::uncompressed_name(&name)).rsplit_once('.')?;
        Self::all().iter().find(|info| info.extensions.contains(&end)).map(|info| info.format)
    }

    /// Returns the format itself; for `Auto`, the format that the name or the first bytes of the input show, or plain
    /// text if they show none.
    ///
    /// # Errors
    /// Fails if the input cannot be read, or is in a format that is not read.
    pub fn of_input(self, input: &mut Input<'_>) -> Result<Self> {
        if self != Self::Auto {
            return Ok(self);
        }
        Ok(Self::detect(input)?.kind)
    }

    /// Refuses a file whose extension means an unsupported format: if it were read as text, its times and codes would
    /// be words.
    ///
    /// # Errors
    /// Fails for such a file.
    pub fn refuse_unread(path: &Path) -> Result<()> {
        unread::refuse_named(path)
    }

    /// Starts reading a file.
    ///
    /// # Errors
    /// Fails if the file is in a format that is not read, or the options name a field that the format
    /// cannot have.
    pub fn open(self, mut input: Input<'_>, options: RestoreOptions) -> Result<Box<dyn PieceReader + '_>> {
        let kind = self.of_input(&mut input)?;
        if let Some(open) = kind.info().reader {
            return Ok(open(input, options));
        }
        let grammar = kind.grammar(options.field.as_deref())?.ok_or_else(|| kind.left_out())?;
        Ok(Box::new(Records::new(input, options, kind, grammar)))
    }

    /// Starts reading only the text of a file; `field` names the field that contains the text, in formats with
    /// several fields.
    ///
    /// # Errors
    /// Fails if the format cannot have that field.
    pub fn records<'a>(
        self,
        mut input: Input<'a>,
        field: Option<&str>,
    ) -> Result<Box<dyn RecordSource + 'a>> {
        let kind = self.of_input(&mut input)?;
        if let Some(open) = kind.info().texts {
            return Ok(open(input));
        }
        let grammar = kind.grammar(field)?.ok_or_else(|| kind.left_out())?;
        Ok(Box::new(RecordLines::new(input, kind, grammar)))
    }

    /// Returns the grammar of the lines of the format; `None` for a document, which is read whole.
    ///
    /// # Errors
    /// Fails if the format cannot have that field, and for a format that this build leaves out.
    pub(super) fn grammar(self, field: Option<&str>) -> Result<Option<Box<dyn Grammar>>> {
        match self.info().grammar {
            None if !self.info().is_whole() => Err(self.left_out()),
            grammar => grammar.map(|grammar| grammar(field)).transpose(),
        }
    }

    /// Returns the error for a format that this build leaves out.
    fn left_out(self) -> Error {
        let name = self.info().name;
        Error::usage(format!(
            "this build reads text and subtitles, not {name}: build with the feature all-formats"
        ))
    }

    /// Returns the name of the format in errors.
    pub fn shown(self) -> &'static str {
        self.info().shown
    }

    /// Returns the format that is used to restore a file: plain text for tokenised text, which differs only in the
    /// form of punctuation marks.
    pub fn read_as(self) -> Self {
        if self.info().family == FormatFamily::Text && self.info().is_tokenised { Self::Text } else { self }
    }

    /// Returns true for plain text that is not tokenised.
    pub fn is_plain_text(self) -> bool {
        self.info().family == FormatFamily::Text && !self.info().is_tokenised
    }

    /// Returns the extension of files that are written in the format, if it has a usual one.
    pub fn ending(self) -> Option<&'static str> {
        let info = self.info();
        let is_named = info.shown.starts_with('.') || info.is_whole() || self.is_plain_text();
        info.extensions.first().copied().filter(|_| is_named)
    }

    /// Returns the form in which marks are inserted into files of the format.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the format cannot represent marks, or cannot represent them in the
    /// requested form.
    pub fn mark_form(self, asked: Option<MarkForm>) -> Result<MarkForm> {
        (self.info().mark_form)(asked)
    }

    /// Returns the shortest pause that ends a sentence by default if punctuation is inserted; `None` for a format
    /// without pauses.
    pub fn sentence_pause(self) -> Option<Duration> {
        self.info().has_pauses.then_some(Duration::from_secs(2))
    }
}
