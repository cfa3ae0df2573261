//! Files with text: reads their words, and writes the same files with other capitals.

mod ass;
mod buffer;
mod cells;
mod conll;
mod copies;
mod csv;
mod ctm;
mod cue;
mod envelope;
mod heard_words;
mod json;
mod jsonl;
mod kaldi;
mod labels;
mod lines;
mod live;
mod live_records;
mod lrc;
mod mark_rows;
mod nlp;
mod pauses;
mod plain;
mod recogniser;
mod record;
mod records;
mod segment;
mod sniff;
mod srt;
mod stm;
mod transcript;
mod trn;
mod tsv;
mod ttml;
mod unread;
mod vtt;

pub mod convert;
pub mod cues;
pub mod whisper;
mod word_lists;

use std::path::Path;
use std::time::Duration;

pub use copies::WrittenWords;
pub use envelope::Envelope;
pub use jsonl::Jsonl;
pub(crate) use live::Live;
pub(crate) use live_records::{Id, LiveRecord, LiveRecords};
use mark_rows::MarkRows;
pub use plain::Plain;
pub use record::{Record, RecordSource};
pub use sniff::{DetectedFormat, decoded_text, refuse_binary};
pub use transcript::{Utterance, UtterancePart, unfiltered_name};
pub use tsv::has_names;

use copies::CopiedWord;
use records::Records;
use whisper::Whisper;

use crate::error::{Error, Result, option};
use crate::files::{self, Input};
use crate::named::NamedValue;
use crate::text::Context;
use crate::text::write::{Insert, MarkSide, push_mark, write, write_with};
use crate::text::{Break, Decision, Mark, MarkForm, Placed, RestoreOptions, Tokens};

/// A part of a file: bytes, and the words in them. Cleared and reused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    /// The bytes of the text: the file itself, or the text in the envelope.
    pub source: Vec<u8>,
    /// The words, with their places in `source`.
    pub tokens: Tokens,
    /// The break after the piece: [`Break::Space`] if the line continues, [`Break::Document`] at
    /// the end of a text, such as the end of the file.
    pub after: Break,
    /// What stands after the last word so far, at the end of the piece: see
    /// [`Token::gap`](crate::text::Token::gap).
    pub gap: Option<Mark>,
    /// The bytes of the file, if they are not the text itself.
    pub frame: Envelope,
    /// The place of marks that are put in.
    marks: MarkPlace,
    /// The places that repeat words of this piece or of an earlier one; `copied_from` is
    /// the number of the first word of the file that a later piece may repeat.
    copies: Vec<CopiedWord>,
    copied_from: Option<u64>,
}

/// The place of a mark that is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum MarkPlace {
    /// Behind its word.
    #[default]
    Behind,
    /// In a column of its own, in the row of its word: the numbers of both columns.
    Column { words: usize, marks: usize },
    /// In a row of its own.
    Row(MarkRows),
}

impl Piece {
    /// Appends the piece to `out` with its words in the chosen cases and with the marks that are
    /// put in; see [`write()`]. Copied words get theirs from [`WrittenWords::repeat_answers`].
    ///
    /// # Panics
    /// Panics if there are fewer outcomes than words.
    pub fn write(&self, decisions: &[Decision], options: &RestoreOptions, out: &mut Vec<u8>) {
        if !self.copies.is_empty() {
            let (tokens, decisions) = copies::with_copies(self, decisions, options);
            return write(&self.source, &tokens, &decisions, options, out);
        }
        if let MarkPlace::Row(rows) = self.marks {
            return self.write_with(decisions, options, out, &mut |token, placed, side, out| {
                let (mark, at) = (spelled(placed, side, options), side.of(token));
                match side {
                    MarkSide::Before => rows.put_before(&self.source, at, &mark, out),
                    MarkSide::After => rows.put(&self.source, at, &mark, out),
                }
            });
        }
        if let MarkPlace::Column { words, marks } = self.marks {
            return self.write_with(decisions, options, out, &mut |token, placed, side, out| {
                if side == MarkSide::Before {
                    // The column of marks has a place for those after words alone.
                    return side.of(token);
                }
                let end = token.source.end as usize;
                let cell = self.mark_cell(end, words, marks).unwrap_or(end);
                out.extend_from_slice(&self.source[end..cell]);
                push_mark(placed.after, options, out);
                cell
            });
        }
        if self.frame.is_none() {
            return write(&self.source, &self.tokens, decisions, options, out);
        }
        let (mut text, mut put) = (Vec::with_capacity(self.source.len()), Vec::new());
        self.write_apart(decisions, options, &mut text, &mut put);
        self.frame.write(&String::from_utf8_lossy(&self.source), &String::from_utf8_lossy(&text), &put, out);
    }

    /// Appends the text of the piece to `out`; `put` writes the marks, as for [`write_with`].
    fn write_with(
        &self,
        decisions: &[Decision],
        options: &RestoreOptions,
        out: &mut Vec<u8>,
        put: &mut Insert<'_>,
    ) {
        write_with(&self.source, &self.tokens, decisions, options, out, put);
    }

    /// Returns the place of the cell of the mark after the word that ends at this byte; `None` for a
    /// word that is not the last one of a cell of the column of words.
    fn mark_cell(&self, end: usize, words: usize, marks: usize) -> Option<usize> {
        let (before, after) = self.source.split_at(end);
        let is_bar = |b: &&u8| **b == b'|';
        let row = before.rsplit(|b| *b == b'\n').next()?;
        let rest = after.split(|b| *b == b'|').next()?;
        if row.iter().filter(is_bar).count() != words || !rest.trim_ascii().is_empty() {
            return None;
        }
        let mut bars = after.iter().enumerate().filter(|(_, b)| is_bar(b));
        bars.nth(marks.checked_sub(words + 1)?).map(|(at, _)| end + at + 1)
    }

    /// Appends the text of the piece to `out` with its words in the chosen cases, and to `put` the
    /// marks that are put in, each with its place in `out`.
    pub(crate) fn write_apart(
        &self,
        decisions: &[Decision],
        options: &RestoreOptions,
        out: &mut Vec<u8>,
        put: &mut Vec<PlacedMark>,
    ) {
        self.write_with(decisions, options, out, &mut |token, placed, side, out| {
            put.push(PlacedMark { at: out.len(), side, text: spelled(placed, side, options) });
            side.of(token)
        });
    }

    /// Returns the bytes of the file in this piece.
    pub fn bytes(&self) -> &[u8] {
        if self.frame.is_none() { &self.source } else { self.frame.source() }
    }

    /// Clears the piece and keeps the memory.
    fn clear(&mut self) {
        self.source.clear();
        self.tokens.clear();
        self.frame.clear();
        self.copies.clear();
        self.copied_from = None;
        self.gap = None;
        self.marks = MarkPlace::Behind;
    }
}

/// Returns the characters of the mark that is put in on a side of a word.
fn spelled(placed: Placed, side: MarkSide, options: &RestoreOptions) -> String {
    let mut out = Vec::new();
    side.push(placed, options, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The characters of a mark that is put in, with its place in a text without the mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlacedMark {
    /// The place in bytes: the start or the end of a word.
    pub(crate) at: usize,
    pub(crate) side: MarkSide,
    pub(crate) text: String,
}

impl PlacedMark {
    /// Returns true if the mark belongs to a word of the first `end` bytes.
    pub(crate) fn is_within(&self, end: usize) -> bool {
        match self.side {
            MarkSide::Before => self.at < end,
            MarkSide::After => self.at <= end,
        }
    }

    /// Returns the mark in a text that begins at byte `from`.
    pub(crate) fn after(&self, from: usize) -> Self {
        Self { at: self.at - from, ..self.clone() }
    }
}

/// A file being read. Law: the sources of all pieces, or their envelopes', one after the other, are
/// the file.
pub trait PieceReader: Send {
    /// Reads the next piece into `piece`; false at the end of the file. The tokens depend on the
    /// bytes of the file alone, never on how they arrive. A piece is small (at most some 100 kB),
    /// whatever the length of the file or of a line.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or holds something that the format does not allow.
    fn next(&mut self, piece: &mut Piece) -> Result<bool>;
}

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// The format by the file extension, before .gz, .zst or .xz; without a known one by the first
    /// bytes of the file, and otherwise text.
    #[default]
    Auto,
    /// Plain text.
    Text,
    /// SubRip subtitles.
    Srt,
    /// Web subtitles (WebVTT).
    Vtt,
    /// Subtitles of Aegisub and SubStation Alpha.
    Ass,
    /// W3C subtitles in XML (TTML).
    Ttml,
    /// NIST recogniser output, one word per line.
    Ctm,
    /// NIST references, one segment per line.
    Stm,
    /// One JSON object per line, with the text in the field that --field names.
    Jsonl,
    /// The JSON of Whisper and related tools: the same words in text, segments and words.
    WhisperJson,
    /// Columns, one word per line.
    Conll,
    /// NIST references and recogniser output, one utterance and its name per line.
    Trn,
    /// Columns between |, one word and its mark per line, with a header that has token and
    /// punctuation; events in <> are not words.
    Nlp,
    /// Columns between tabs, one word and the label of its mark per line: O, COMMA, PERIOD,
    /// QUESTION; or the three columns of SEPP-NLG.
    Labels,
    /// A table, with the text in the column that --field names.
    Tsv,
    /// A table with commas or semicolons between cells, some of them in quotes, and the text in the
    /// column that --field names.
    Csv,
    /// Lyrics, with the time of each line before it.
    Lrc,
    /// The text of Kaldi: the name of an utterance and its words per line.
    Kaldi,
    /// Tokenised text, with white space between tokens.
    Tok,
}

impl NamedValue for Format {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Auto,
            "auto",
            "The format by the file extension, before .gz, .zst or .xz; without a known one by the first bytes of the file, and otherwise text",
        ),
        (Self::Text, "text", "Plain text"),
        (Self::Srt, "srt", "SubRip subtitles"),
        (Self::Vtt, "vtt", "Web subtitles (WebVTT)"),
        (Self::Ass, "ass", "Subtitles of Aegisub and SubStation Alpha"),
        (Self::Ttml, "ttml", "W3C subtitles in XML (TTML)"),
        (Self::Ctm, "ctm", "NIST recogniser output, one word per line"),
        (Self::Stm, "stm", "NIST references, one segment per line"),
        (Self::Jsonl, "jsonl", "One JSON object per line, with the text in the field that --field names"),
        (
            Self::WhisperJson,
            "whisper-json",
            "The JSON of Whisper and related tools: the same words in text, segments and words",
        ),
        (Self::Conll, "conll", "Columns, one word per line"),
        (Self::Trn, "trn", "NIST references and recogniser output, one utterance and its name per line"),
        (
            Self::Nlp,
            "nlp",
            "Columns between |, one word and its mark per line, with a header that has token and punctuation; events in <> are not words",
        ),
        (
            Self::Labels,
            "labels",
            "Columns between tabs, one word and the label of its mark per line: O, COMMA, PERIOD, QUESTION; or the three columns of SEPP-NLG",
        ),
        (Self::Tsv, "tsv", "A table, with the text in the column that --field names"),
        (
            Self::Csv,
            "csv",
            "A table with commas or semicolons between cells, some of them in quotes, and the text in the column that --field names",
        ),
        (Self::Lrc, "lrc", "Lyrics, with the time of each line before it"),
        (Self::Kaldi, "kaldi", "The text of Kaldi: the name of an utterance and its words per line"),
        (Self::Tok, "tok", "Tokenised text, with white space between tokens"),
    ];

    const FORMER: &'static [(&'static str, &'static str)] = &[("lines", "text")];
}

impl Format {
    /// Returns the format of a file by its extension; text if the extension is unknown.
    pub fn of_name(path: &Path) -> Self {
        Self::named(path).unwrap_or(Self::Text)
    }

    /// Returns the format of a file by its extension, if it is known.
    pub fn named(path: &Path) -> Option<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let (_, end) = unfiltered_name(files::uncompressed_name(&name)).rsplit_once('.')?;
        Some(match end {
            "txt" | "text" => Self::Text,
            "srt" => Self::Srt,
            "vtt" | "webvtt" => Self::Vtt,
            "ass" | "ssa" => Self::Ass,
            "ttml" => Self::Ttml,
            "ctm" => Self::Ctm,
            "stm" => Self::Stm,
            "jsonl" | "ndjson" => Self::Jsonl,
            "json" => Self::WhisperJson,
            "conll" | "conllu" => Self::Conll,
            "trn" => Self::Trn,
            "nlp" => Self::Nlp,
            "tsv" => Self::Tsv,
            "csv" => Self::Csv,
            "lrc" => Self::Lrc,
            "tok" => Self::Tok,
            _ => return None,
        })
    }

    /// Returns the form in which marks are put into files of the format.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the format has no place for marks, or not in the form asked for.
    pub fn mark_form(self, asked: Option<MarkForm>) -> Result<MarkForm> {
        let form = match self {
            Self::Conll if asked == Some(MarkForm::Apart) => MarkForm::Apart,
            Self::Conll => {
                let problem = format!(
                    "conll has no place for marks behind words, which are annotated as they are: with {} apart each mark gets a row of \
                     its own",
                    option("mark-form")
                );
                return Err(Error::usage(problem));
            }
            Self::Labels => {
                let problem = "labels has no place for marks but in its labels: use text, tok, srt, vtt, ass, ttml, lrc, ctm, stm, trn, \
                               kaldi, nlp, tsv, csv, jsonl or whisper-json, or leave the marks out";
                return Err(Error::usage(problem));
            }
            Self::Tok => MarkForm::Apart,
            Self::Ctm | Self::Stm | Self::Trn | Self::Kaldi | Self::Nlp => MarkForm::Joined,
            _ => MarkForm::Written,
        };
        match asked {
            Some(asked)
                if self == Self::Nlp && asked != form || self == Self::Ctm && asked == MarkForm::Written =>
            {
                let (format, form) = (self.name_of(), asked.name_of());
                let other = if self == Self::Ctm { "joined or apart" } else { "joined" };
                let problem = format!(
                    "{format} has one word a row, and no place for marks that are {form}: use {other}"
                );
                Err(Error::usage(problem))
            }
            asked => Ok(asked.unwrap_or(form)),
        }
    }

    /// Returns true if a mark can be put into files of the format. In subtitles, a colon would make
    /// a speaker's name of the words before it.
    pub fn has_place_for(self, mark: Mark) -> bool {
        let is_cued =
            matches!(self, Self::Srt | Self::Vtt | Self::Ass | Self::Ttml | Self::Lrc | Self::WhisperJson);
        mark != Mark::Colon || !is_cued
    }

    /// Returns true if restoring reads the times of the format, and so its pauses.
    pub fn has_pauses(self) -> bool {
        matches!(self, Self::Srt | Self::Vtt | Self::Ass | Self::Ctm | Self::Stm | Self::WhisperJson)
    }

    /// Returns the shortest pause that ends a sentence by default where marks are inserted; `None` for a
    /// format without pauses.
    pub fn sentence_pause(self) -> Option<Duration> {
        self.has_pauses().then_some(Duration::from_secs(2))
    }

    /// Refuses a file whose extension means a format that is not read: taken for text, its times and
    /// codes would be words.
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
        Ok(match kind {
            Self::Auto | Self::Text | Self::Tok => Box::new(Plain::new(input, options)),
            Self::Srt | Self::Vtt | Self::Ass | Self::Ttml | Self::Lrc => {
                let grammar = kind.grammar(options.field.as_deref())?.ok_or_else(|| kind.left_out())?;
                Box::new(Records::new(input, options, grammar))
            }
            // Without the feature, no code of the other formats is in the program.
            other if cfg!(not(feature = "all-formats")) => return Err(other.left_out()),
            Self::Jsonl => Box::new(Jsonl::new(input, options)),
            Self::Csv => csv::open(input, options),
            kind => match kind.grammar(options.field.as_deref())? {
                Some(grammar) => Box::new(Records::new(input, options, grammar)),
                None => Box::new(Whisper::new(input, options)),
            },
        })
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod openings;
