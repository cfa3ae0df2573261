//! The conversion of a text once it is restored.

use std::path::Path;

use majuscule_base::error::Error;
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, ConversionNotes, TranscriptForm, is_converted};
use majuscule_format::Format;
use majuscule_text::OutputForm;

use super::arguments::RestoreArgs;
use super::shown;
use crate::convert::{self, is_markdown};

impl RestoreArgs {
    /// Returns the format that a text is converted to once it is restored; `None` if it keeps its
    /// format. Without `--to`, the name of the output determines the format.
    ///
    /// # Errors
    /// Refuses an output name with the extension of a format that the text cannot be converted to.
    pub(super) fn converts_to(
        &self,
        kind: Format,
        file: &Path,
        target: &Path,
    ) -> Result<Option<Format>, Error> {
        if let Some(to) = self.output_form.to() {
            return Ok(Some(to).filter(|to| *to != kind || self.output_form.asks_for_cues()));
        }
        if is_markdown(target) && !is_markdown(file) && is_converted(kind, Format::Text)
            || self.output_form.is_transcript() && kind == Format::Text
        {
            return Ok(Some(Format::Text));
        }
        let is_json = |format: Format| format.info().has_objects || format.info().is_whole();
        let named = Format::named(target).filter(|other| {
            let is_same = *other == kind
                || is_json(kind) && is_json(*other)
                || kind.info().is_named_as_text && other.is_plain_text();
            !is_same && Format::named(file) != Some(*other)
        });
        match named {
            Some(other) if is_converted(kind, other) => Ok(Some(other)),
            Some(other) if self.format == Format::Auto => {
                let (from, to) = (shown(file), target.display());
                Err(Error::usage(format!(
                    "{to} has the extension of {}, but {from} is {}, which cannot be converted to it: give the output another extension",
                    name(other),
                    name(kind),
                )))
            }
            _ => Ok(Some(kind).filter(|_| self.output_form.asks_for_cues())),
        }
    }

    /// Returns the conversion of a text after it is restored, if it is converted; `language` is the
    /// language of its model.
    pub(super) fn conversion(
        &self,
        from: Format,
        to: Format,
        target: &Path,
        language: &str,
    ) -> Option<Conversion> {
        let shared = self.output_form.conversion(target);
        let paragraphs = self.user.options.form == OutputForm::Paragraphs;
        let wanted = Conversion {
            to,
            field: self.user.options.field.clone(),
            transcript: TranscriptForm { paragraphs, ..shared.transcript },
            ..shared
        };
        let mut conversion = wanted.after_restoring(from)?;
        conversion.set_language(self.lang.as_deref().filter(|lang| *lang != "auto"), language);
        Some(conversion)
    }

    pub(super) fn tell_conversion(&self, notes: ConversionNotes) {
        if !self.quiet {
            convert::tell(notes);
        }
    }
}

/// Returns the name of a format on the command line.
fn name(kind: Format) -> String {
    kind.name_of().to_owned()
}
