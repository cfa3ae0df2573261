//! The text of a file of any format, for readers that write nothing back: corpora, lexicons, language models and scores.

use std::ops::Range;

use super::cue::CueLines;
use super::jsonl::Objects;
use super::records::{Grammar, RecordLines};
use super::transcript::Utterance;
use super::whisper::SegmentTexts;
use super::{Kind, ass, conll, ctm, nlp, plain, srt, stm, trn, tsv, ttml, vtt};
use crate::error::Result;
use crate::files::Input;
use crate::text::Break;

/// The text of a line of a file, or of a segment of a document. Cleared and used again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Its words, marks and white space: all stretches of it that are text, one after the other, without mark-up, events and escapes.
    pub text: String,
    /// The places of the stretches in the text, each with what lies between it and the one before it: [`Break::None`] within a word
    /// or before its mark, [`Break::Space`] where a line or a sentence runs on.
    pub stretches: Vec<(Range<usize>, Break)>,
    /// The line of the file in which it stands, counted from 1.
    pub line: u64,
}

impl Record {
    /// Forgets all and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.stretches.clear();
    }
}

/// A file that is read for its text alone. Law: its words and the breaks between them are those that restoring has.
pub trait RecordSource: Send {
    /// Reads the next record into `record`; false at the end of the file. A record may have no text.
    ///
    /// # Errors
    /// Where the file cannot be read, or is not what its format says.
    fn next(&mut self, record: &mut Record) -> Result<bool>;

    /// The record that was read last as a scorer sees it, with all alternatives; `None` in formats that have no such thing, and
    /// where it says nothing.
    ///
    /// # Errors
    /// Where its times are none.
    fn utterance(&mut self) -> Result<Option<Utterance<'_>>> {
        Ok(None)
    }
}

impl Kind {
    /// The format of an input: the one named, or the one that its name or its first bytes tell; otherwise text.
    ///
    /// # Errors
    /// Where the input cannot be read.
    pub fn of_input(self, input: &mut Input) -> Result<Self> {
        if self != Self::Auto {
            return Ok(self);
        }
        Self::refuse_unread(input.name().as_ref())?;
        let named = Self::named(input.name().as_ref());
        let told = if named.is_none() { Self::told_by(input)? } else { named };
        Ok(told.unwrap_or(Self::Text))
    }

    /// Begins to read a file for its text; `field` names the field that holds it, in formats that have several.
    ///
    /// # Errors
    /// Where the format cannot have that field.
    pub fn records(self, mut input: Input, field: Option<&str>) -> Result<Box<dyn RecordSource>> {
        let kind = self.of_input(&mut input)?;
        Ok(match kind.grammar(field)? {
            Some(grammar) => Box::new(RecordLines::new(input, grammar)),
            None => Box::new(SegmentTexts::new(input)),
        })
    }

    /// What reads its lines; `None` where it is a document, which is read whole.
    ///
    /// # Errors
    /// Where the format cannot have that field.
    pub(super) fn grammar(self, field: Option<&str>) -> Result<Option<Box<dyn Grammar>>> {
        Ok(Some(match self {
            Self::Auto | Self::Text | Self::Tok => Box::new(plain::TextLines),
            Self::Srt => Box::new(CueLines::<srt::SrtLines>::default()),
            Self::Vtt => Box::new(CueLines::<vtt::VttLines>::default()),
            Self::Ass => Box::new(ass::Events::default()),
            Self::Ttml => Box::new(ttml::TtmlParagraphs::default()),
            Self::Ctm => Box::new(ctm::CtmReader::default()),
            Self::Stm => Box::new(stm::StmReader::default()),
            Self::Trn => Box::new(trn::TrnReader),
            Self::Nlp => Box::new(nlp::NlpReader::default()),
            Self::Tsv => Box::new(tsv::TsvReader::new(field)),
            Self::Jsonl => Box::new(Objects::new(field)),
            Self::WhisperJson => return Ok(None),
            Self::Conll => Box::new(conll::ConllReader::new(field)?),
        }))
    }

    /// Whether its records are [utterances](RecordSource::utterance).
    pub fn has_utterances(self) -> bool {
        matches!(self, Self::Ctm | Self::Stm | Self::Trn)
    }

    /// Whether it says what its tokens are.
    pub fn is_tokenised(self) -> bool {
        matches!(self, Self::Tok | Self::Nlp | Self::Conll)
    }

    /// Whether sentences run on from record to record, so that only their marks tell where they end.
    pub fn runs_on(self) -> bool {
        matches!(self, Self::Srt | Self::Vtt | Self::Ass | Self::Ttml | Self::WhisperJson)
    }

    /// Whether each of its lines or records is a text of its own, which may have several sentences.
    pub fn has_paragraphs(self) -> bool {
        matches!(self, Self::Auto | Self::Text | Self::Tsv | Self::Jsonl)
    }
}
