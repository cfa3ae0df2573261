//! The names of the formats, and of their families.

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

/// The families of formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatFamily {
    /// Text without times, fields or columns.
    Text,
    /// Lines that are shown with a video or a song.
    Subtitles,
    /// Speech that was written down, by a person or a recogniser.
    Transcript,
    /// A word per line, with annotations.
    Columns,
    /// Records with fields, one of which is the text.
    Records,
}
