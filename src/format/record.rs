//! The text of a file of any format, for readers that write nothing back: corpora, lexicons,
//! language models and scores.

use std::ops::Range;

use super::cue::CueLines;
use super::jsonl::Objects;
use super::records::{Grammar, RecordLines};
use super::transcript::Utterance;
use super::whisper::SegmentTexts;
use super::{Format, ass, conll, csv, ctm, kaldi, labels, lrc, nlp, plain, srt, stm, trn, tsv, ttml, vtt};
use crate::error::{Error, Result};
use crate::files::Input;
use crate::named::NamedValue;
use crate::text::{Break, Context};

/// The text of a line of a file, or of a segment of a document. Cleared and reused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// The words, marks and white space of the record: all its stretches of text, one after the
    /// other, without mark-up, events and escapes.
    pub text: String,
    /// The places of the stretches in the text, each with the break before it: [`Break::None`]
    /// within a word or before its mark, [`Break::Space`] if a line or a sentence continues.
    pub stretches: Vec<(Range<usize>, Break)>,
    /// The line of the file that contains the record, counted from 1.
    pub line: u64,
}

impl Record {
    /// Clears the record and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.stretches.clear();
    }
}

/// A file that is read for its text alone. Law: its words and the breaks between them are those of
/// restoring.
pub trait RecordSource: Send {
    /// Reads the next record into `record`; false at the end of the file. A record may be without
    /// text.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or does not match its format.
    fn next(&mut self, record: &mut Record) -> Result<bool>;

    /// Returns the last record in the form that scorers need, with all alternatives; `None` in
    /// formats without utterances, and for an empty line or a comment. In formats with a word per
    /// line it has the speaker alone.
    ///
    /// # Errors
    /// Fails if the times of the record are not valid.
    fn utterance(&mut self) -> Result<Option<Utterance<'_>>> {
        Ok(None)
    }
}

impl Format {
    /// Returns the format of an input: the given one, or the one that the name or the first bytes
    /// of the input show; otherwise text.
    ///
    /// # Errors
    /// Fails if the input cannot be read, or is in a format that is not read.
    pub fn of_input(self, input: &mut Input<'_>) -> Result<Self> {
        if self != Self::Auto {
            return Ok(self);
        }
        Ok(Self::detect(input)?.kind)
    }

    /// Starts reading a file for its text; `field` names the field that contains it, in formats
    /// with several fields.
    ///
    /// # Errors
    /// Fails if the format cannot have that field.
    pub fn records<'a>(
        self,
        mut input: Input<'a>,
        field: Option<&str>,
    ) -> Result<Box<dyn RecordSource + 'a>> {
        let kind = self.of_input(&mut input)?;
        let grammar = match kind {
            // Only here do labels become marks.
            Self::Labels => Some(Box::new(labels::LabelReader::new(true)) as Box<dyn Grammar>),
            kind => kind.grammar(field)?,
        };
        Ok(match grammar {
            Some(grammar) => Box::new(RecordLines::new(input, grammar)),
            None => Box::new(SegmentTexts::new(input)),
        })
    }

    /// Returns the grammar of its lines; `None` for a document, which is read whole.
    ///
    /// # Errors
    /// Fails if the format cannot have that field.
    pub(super) fn grammar(self, field: Option<&str>) -> Result<Option<Box<dyn Grammar>>> {
        Ok(Some(match self {
            Self::Auto | Self::Text | Self::Tok => Box::new(plain::TextLines),
            Self::Srt => Box::new(CueLines::<srt::SrtLines>::default()),
            Self::Vtt => Box::new(CueLines::<vtt::VttLines>::default()),
            Self::Ass => Box::new(ass::Events::default()),
            Self::Ttml => Box::new(ttml::TtmlParagraphs::default()),
            Self::Lrc => Box::new(lrc::LyricLines::default()),
            other => return other.other_grammar(field),
        }))
    }

    /// Returns the grammar of a format that is neither text nor subtitles.
    fn other_grammar(self, field: Option<&str>) -> Result<Option<Box<dyn Grammar>>> {
        // Without the feature, no code of these formats is in the program.
        if cfg!(not(feature = "all-formats")) {
            return Err(self.left_out());
        }
        Ok(Some(match self {
            Self::Ctm => Box::new(ctm::CtmReader::default()),
            Self::Stm => Box::new(stm::StmReader::default()),
            Self::Trn => Box::new(trn::TrnReader),
            Self::Nlp => Box::new(nlp::NlpReader::default()),
            Self::Labels => Box::new(labels::LabelReader::new(false)),
            Self::Tsv => Box::new(tsv::TsvReader::new(field)),
            Self::Csv => Box::new(csv::CsvReader::new(field, Context::Line)),
            Self::Kaldi => Box::new(kaldi::KaldiReader),
            Self::Jsonl => Box::new(Objects::new(field)),
            Self::Conll => Box::new(conll::ConllReader::new(field)?),
            _ => return Ok(None),
        }))
    }

    /// The error for a format that this build leaves out.
    pub(super) fn left_out(self) -> Error {
        let name = self.name_of();
        Error::usage(format!(
            "this build reads text and subtitles, not {name}: build with the feature all-formats"
        ))
    }

    /// Returns true if its records are [utterances](RecordSource::utterance).
    pub fn has_utterances(self) -> bool {
        matches!(self, Self::Ctm | Self::Stm | Self::Trn)
    }

    /// Returns true if the format marks its tokens.
    pub fn is_tokenised(self) -> bool {
        matches!(self, Self::Tok | Self::Nlp | Self::Conll)
    }

    /// Returns true if sentences run on from record to record, so that only marks tell where they
    /// end.
    pub fn runs_on(self) -> bool {
        matches!(self, Self::Srt | Self::Vtt | Self::Ass | Self::Ttml | Self::WhisperJson)
    }

    /// Returns true if each of its lines or records is a text of its own, which may have several
    /// sentences.
    pub fn has_paragraphs(self) -> bool {
        matches!(self, Self::Auto | Self::Text | Self::Tsv | Self::Csv | Self::Jsonl)
    }
}
