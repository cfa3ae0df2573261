//! The description of each format, known before a file is read.

use std::collections::VecDeque;

use super::buffer::PART;
use super::grammar::Grammar;
use super::head::FileHead;
use super::kind::{Format, FormatFamily};
use super::lines::Ends;
use super::piece::PieceReader;
use super::record::RecordSource;
use super::segment::{LocatedItem, SegmentInfo};
use super::transcript::Fault;
use majuscule_base::error::Result;
use majuscule_base::files::Input;
use majuscule_text::write::MarkSide;
use majuscule_text::{MarkForm, RestoreOptions};

/// True if this build converts formats. Where it is false, the compiler leaves out the code that reads items.
pub(super) const CONVERTS: bool = cfg!(feature = "all-formats");

/// Makes the grammar of a format.
pub(super) type GrammarMaker = fn(Option<&str>) -> Result<Box<dyn Grammar>>;

/// Opens a file of a format whose lines are not read by one grammar alone.
pub(super) type ReaderOpener = for<'a> fn(Input<'a>, RestoreOptions) -> Box<dyn PieceReader + 'a>;

/// Makes the grammar of records that arrive live.
pub(super) type LiveGrammarMaker = fn(&RestoreOptions) -> Box<dyn Grammar>;

/// Makes the row of a punctuation mark.
pub(super) type MarkRowMaker = fn(&str, usize, MarkSide, &str) -> String;

/// Reads the items of a document.
pub(super) type ItemsReader = fn(&str) -> Result<VecDeque<LocatedItem>, Fault>;

/// The properties of a format. Each format defines them once, in its own file; the list of formats is in
/// `formats.rs`.
#[derive(Debug, Clone, Copy)]
pub struct FormatInfo {
    /// The format.
    pub format: Format,
    /// The name of the format as an argument.
    pub name: &'static str,
    /// The line of help.
    pub help: &'static str,
    /// A small file from which property tests and fuzzers start: with the word `met`, mark-up and other things that
    /// are not text.
    pub example: &'static str,
    /// The name of the format in errors.
    pub shown: &'static str,
    /// The family. Builds without the feature `all-formats` read only text and subtitles.
    pub family: FormatFamily,
    /// The file extensions, in lower case.
    pub extensions: &'static [&'static str],
    /// The content types; HTTP responses use the first one.
    pub media_types: &'static [&'static str],
    /// The largest number of characters of a line.
    pub(super) longest_line: usize,
    /// The line endings.
    pub(super) line_ends: Ends,
    /// Returns true if a file begins in a way that only files of the format do; `None` if more bytes are needed. The
    /// formats are tried in the order of the list.
    pub(super) begins: Option<fn(FileHead<'_>) -> Option<bool>>,
    /// Makes the grammar of the lines; `None` for a document, which is read whole. The argument names the field of the
    /// text, in formats with several fields.
    pub(super) grammar: Option<GrammarMaker>,
    /// Opens a file; `None` if the grammar alone reads its lines.
    pub(super) reader: Option<ReaderOpener>,
    /// Opens a file to read only its text, for uses that write nothing back; `None` if the grammar reads it.
    pub(super) texts: Option<for<'a> fn(Input<'a>) -> Box<dyn RecordSource + 'a>>,
    /// Makes the grammar of records that arrive live, in formats that have such records.
    pub(super) live: Option<LiveGrammarMaker>,
    /// Returns the form in which punctuation marks are inserted; the argument is the requested form, if there is one.
    pub(super) mark_form: fn(Option<MarkForm>) -> Result<MarkForm>,
    /// Makes the row of a punctuation mark, in formats with such rows: its arguments are the row of the word, the offset
    /// of a byte of the word in this row, the side of the mark and the mark.
    pub(super) mark_row: Option<MarkRowMaker>,
    /// The properties of its segments, in formats that are converted.
    pub segments: Option<&'static SegmentInfo>,
    /// Reads the items of a document; `None` in formats whose grammar reads them line by line.
    pub(super) items: Option<ItemsReader>,
    /// True if a colon turns the words before it into a speaker's name.
    pub(super) names_speakers: bool,
    /// True if restoring reads the times of the format, so that it knows the pauses.
    pub has_pauses: bool,
    /// True if its records are [utterances](RecordSource::utterance).
    pub has_utterances: bool,
    /// True if the text of the format is tokenised.
    pub is_tokenised: bool,
    /// True if sentences continue from record to record, so that only punctuation shows where they end.
    pub runs_on: bool,
    /// True if each line or record is a separate text, which may have several sentences.
    pub has_paragraphs: bool,
    /// True if options decide whether its lines or records are one text or several.
    pub has_context: bool,
    /// True if an option may make a sentence begin with every line.
    pub has_sentence_lines: bool,
    /// True if a file can be split between any two lines into several files.
    pub is_cut_by_lines: bool,
    /// True if the first line has the names of columns, unless the field is a number.
    pub has_header: bool,
    /// True if the records are objects, which can have a field for any information.
    pub has_objects: bool,
    /// True if each line is a word with its punctuation in a separate column.
    pub has_mark_column: bool,
    /// True if the words of a recording are one text that is not divided into sentences.
    pub has_recordings: bool,
    /// True if recognisers write files of the format, with the times of words.
    pub is_heard: bool,
    /// True if a file may declare its language.
    pub declares_language: bool,
    /// True if references in the format name the speakers.
    pub has_speakers: bool,
    /// True if references in the format assign categories to segments.
    pub has_categories: bool,
    /// True if its files may have the extension of plain text.
    pub is_named_as_text: bool,
}

impl FormatInfo {
    /// The properties of plain lines of text: each format is defined by its differences from them.
    pub(super) const LINES: Self = Self {
        format: Format::Text,
        name: "text",
        help: "Plain text",
        example: "",
        shown: "plain text",
        family: FormatFamily::Text,
        extensions: &[],
        media_types: &[],
        longest_line: PART,
        line_ends: Ends::AsFirst,
        begins: None,
        grammar: None,
        reader: None,
        texts: None,
        live: None,
        mark_form: |asked| Ok(asked.unwrap_or(MarkForm::Written)),
        mark_row: None,
        segments: None,
        items: None,
        names_speakers: false,
        has_pauses: false,
        has_utterances: false,
        is_tokenised: false,
        runs_on: false,
        has_paragraphs: false,
        has_context: false,
        has_sentence_lines: false,
        is_cut_by_lines: false,
        has_header: false,
        has_objects: false,
        has_mark_column: false,
        has_recordings: false,
        is_heard: false,
        declares_language: false,
        has_speakers: false,
        has_categories: false,
        is_named_as_text: false,
    };

    /// Returns the description of the format in this build: without the feature `all-formats`, no
    /// code of formats other than text and subtitles is in the program, and no format is converted.
    pub(super) const fn built(self) -> Self {
        if CONVERTS {
            return self;
        }
        let unconverted = Self { segments: None, items: None, ..self };
        if matches!(self.family, FormatFamily::Text | FormatFamily::Subtitles) {
            return unconverted;
        }
        Self {
            grammar: None,
            reader: None,
            texts: None,
            live: None,
            mark_row: None,
            example: "",
            ..unconverted
        }
    }

    /// Returns true if the format is a document, which is read whole.
    pub fn is_whole(&self) -> bool {
        self.grammar.is_none() && self.reader.is_some()
    }
}
