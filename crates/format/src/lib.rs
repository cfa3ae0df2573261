//! Reads the text of files in many formats, and writes the same files with other capitals and punctuation.
//!
//! This crate is a layer below [`majuscule`](https://docs.rs/majuscule) and has the same version; programs should use
//! `majuscule`.

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

/// Passes the list of formats to a macro, in the order of help texts. Each entry is a variant of [`Format`], the
/// [`FormatInfo`] in its file, its name as an argument, and its line of help, which is also its documentation.
macro_rules! with_formats {
    ($define:ident) => {
        $define! {
            Auto plain::AUTO "auto" "The format by the file extension, before .gz, .zst or .xz; without a known one by the first bytes of the file, and otherwise text";
            Text plain::TEXT "text" "Plain text";
            Srt srt::SRT "srt" "SubRip subtitles";
            Vtt vtt::VTT "vtt" "Web subtitles (WebVTT)";
            Ass ass::ASS "ass" "Subtitles of Aegisub and SubStation Alpha";
            Ttml ttml::TTML "ttml" "W3C subtitles in XML (TTML)";
            Ctm ctm::CTM "ctm" "NIST recogniser output, one word per line";
            Stm stm::STM "stm" "NIST references, one segment per line";
            Jsonl jsonl::JSONL "jsonl" "One JSON object per line, with the text in the field that --field names";
            WhisperJson whisper::WHISPER_JSON "whisper-json" "The JSON of Whisper and related tools: the same words in text, segments and words";
            Conll conll::CONLL "conll" "Columns, one word per line";
            Trn trn::TRN "trn" "NIST references and recogniser output, one utterance and its name per line";
            Nlp nlp::NLP "nlp" "Columns between |, one word and its mark per line, with a header that has token and punctuation; events in <> are not words";
            Labels labels::LABELS "labels" "Columns between tabs, one word and the label of its mark per line: O, COMMA, PERIOD, QUESTION; or the three columns of SEPP-NLG";
            Tsv tsv::TSV "tsv" "A table, with the text in the column that --field names";
            Csv csv::CSV "csv" "A table with commas or semicolons between cells, some of them in quotes, and the text in the column that --field names";
            Lrc lrc::LRC "lrc" "Lyrics, with the time of each line before it";
            Kaldi kaldi::KALDI "kaldi" "The text of Kaldi: the name of an utterance and its words per line";
            Tok plain::TOK "tok" "Tokenised text, with white space between tokens";
            #[cfg(test)] Toy toy::TOY "toy" "A toy: a line after @";
        }
    };
}

// In reading order: each module uses only the modules above it.
mod kind;
mod transcript;
mod json;
mod cells;
mod envelope;
mod mark_rows;
mod segment;
mod line_parts;
mod record;
mod piece;
mod running_text;
mod grammar;
mod buffer;
mod lines;
mod head;
mod info;
mod copies;
mod records;
mod pauses;
mod unread;
mod cue;
mod srt;
mod vtt;
mod ass;
mod ttml;
mod lrc;
mod plain;
mod ctm;
mod stm;
mod trn;
mod kaldi;
mod nlp;
mod word_lists;
mod jsonl;
mod recogniser;
mod heard_words;
pub mod whisper;
mod conll;
mod labels;
mod tsv;
mod csv;
#[cfg(test)]
mod toy;
mod formats;
mod strip;
mod read_back;
pub mod segments;
mod sniff;
mod live;
mod live_records;
#[cfg(test)]
#[path = "../tests/formats/case_laws.rs"]
mod case_laws;

// The laws name the package as other tests do.
#[cfg(test)]
extern crate self as majuscule_format;

pub use copies::WrittenWords;
pub use envelope::{Envelope, PlacedMark};
pub use info::FormatInfo;
pub use jsonl::Jsonl;
pub use kind::{Format, FormatFamily};
pub use live::Live;
pub use live_records::LiveRecords;
pub use piece::{Piece, PieceReader};
pub use plain::Plain;
pub use record::{Id, LiveRecord, Record, RecordSource};
pub use sniff::{DetectedFormat, decoded_text, refuse_binary};
pub use strip::{Stripping, strip};
pub use transcript::{Utterance, UtterancePart, unfiltered_name};
pub use tsv::has_names;
