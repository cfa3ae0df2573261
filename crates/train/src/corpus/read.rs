//! Reads sentences from files of any format.
//!
//! Plain text is passed on unchanged in blocks of whole lines, which several threads read. Other
//! formats are converted to text first. Memory does not grow with the size of a file.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use majuscule_arguments::{by_name, default_name};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, BOM, Encoding, Input, Limits};
use majuscule_format::{Format, FormatFamily, Record, RecordSource, Utterance, decoded_text};
use majuscule_text::{Break, sentence};

/// The way the files of a corpus are read.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
pub struct Reading {
    /// Format of the files; a line of text is a sentence
    ///
    /// In subtitles a sentence continues from cue to cue and ends at its punctuation; tags and events
    /// in brackets are not words. In ctm a recording is one sentence, in stm a segment, in trn an
    /// utterance, and in nlp punctuation ends sentences.
    #[arg(long, value_parser = by_name::<Format>(), default_value = default_name::<Format>())]
    pub format: Format,
    /// Field of jsonl that holds the text (text by default; result.text names a nested field),
    /// column of tsv (text by default; a name in the first line, or a number counted from 1 if the
    /// file has no such line), or number of the conll column that holds the words
    #[arg(long, alias = "column", value_name = "NAME|NUMBER")]
    pub field: Option<String>,
    /// Encoding of texts without a byte-order mark, which identifies UTF-16 and UTF-8:
    /// windows-1252, koi8-r, shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў
    /// and Ў at AE and BE); UTF-8 by default
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<Encoding>,
    /// Split lines of text, and texts of tsv and jsonl, into sentences; without it each line is one
    /// sentence. Files of other formats have their own sentences
    #[arg(long)]
    pub split: bool,
    /// Language of the text; en,pt for text in several languages [default: en; detected where a model or
    /// a lexicon stores it]
    #[arg(long = "lang", value_name = "LANG")]
    pub language: Option<String>,
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    pub limits: Limits,
    /// The records that are read; all by default.
    #[arg(skip)]
    pub only: Option<SpeechPart>,
}

/// Records that belong together in the transcript of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeechPart {
    kind: SpeechPartKind,
    /// The speaker, or the category, such as the focus condition f0 of stm.
    pub(super) name: String,
}

/// The kinds of parts that a transcript is divided into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeechPartKind {
    /// A part for each speaker.
    Speaker,
    /// A part for each category; a record may have several.
    Category,
}

impl SpeechPartKind {
    /// The word for a part of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speaker => "speaker",
            Self::Category => "category",
        }
    }

    /// The formats that name parts of the kind.
    pub fn formats(self) -> &'static str {
        match self {
            Self::Speaker => "stm and nlp",
            Self::Category => "stm",
        }
    }

    /// Returns the names of the parts of the kind that an utterance belongs to.
    fn names<'a>(self, utterance: &Utterance<'a>) -> Vec<&'a str> {
        match self {
            Self::Speaker => utterance.speaker.into_iter().collect(),
            Self::Category => utterance.categories.clone(),
        }
    }
}

impl SpeechPart {
    /// Returns true if an utterance belongs to the part.
    fn has(&self, utterance: &Utterance<'_>) -> bool {
        self.kind.names(utterance).contains(&self.name.as_str())
    }

    /// Returns the parts of a kind that a file has, in the order of their first records; none in formats
    /// that name no speakers or categories.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn all_of(
        kind: SpeechPartKind,
        mut input: Input<'static>,
        reading: &Reading,
    ) -> Result<Vec<Self>> {
        let format = reading.format.of_input(&mut input)?;
        let mut records = format.records(input, reading.field.as_deref())?;
        let (mut record, mut found) = (Record::default(), Vec::new());
        while records.next(&mut record)? {
            let Some(utterance) = records.utterance()?.filter(|_| !record.stretches.is_empty()) else {
                continue;
            };
            for name in kind.names(&utterance) {
                let part = Self { kind, name: name.to_owned() };
                if !found.contains(&part) {
                    found.push(part);
                }
            }
        }
        Ok(found)
    }
}

/// The language of texts whose language is not specified.
pub const DEFAULT_LANGUAGE: &str = "en";

impl Reading {
    /// The language of the text.
    pub fn language(&self) -> &str {
        self.language.as_deref().unwrap_or(DEFAULT_LANGUAGE)
    }

    /// Returns true if a file of this name defines its own tokens.
    pub fn is_tokenised(&self, file: &Path) -> bool {
        let kind = if self.format == Format::Auto { Format::of_name(file) } else { self.format };
        kind.info().is_tokenised
    }

    /// The text of an input, decoded from its encoding.
    ///
    /// # Errors
    /// If the input cannot be read or is not text.
    pub(super) fn decoded(&self, input: Input<'static>) -> Result<Input<'static>> {
        Ok(decoded_text(input.within(self.limits), self.encoding.as_ref(), false)?.0)
    }
}

/// A sentence in its true case, as it is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorpusSentence<'a> {
    /// The text with its marks, without surrounding white space; never empty.
    pub text: &'a str,
    /// The break before the sentence: [`Break::Document`] at the beginning of a file or recording,
    /// [`Break::Space`] inside a paragraph.
    pub before: Break,
    /// True if the tokens are separated by white space and by nothing else.
    pub tokenised: bool,
    /// The line of the file in which the sentence ends, counted from 1.
    pub line: u64,
}

/// Some whole paragraphs of a file.
#[derive(Debug, Clone)]
pub(super) struct CorpusBlock {
    file: Arc<str>,
    /// True for the first block of a file.
    pub begins: bool,
    paragraphs: CorpusParagraphs,
    /// True if the paragraphs can be split into sentences on request.
    has_paragraphs: bool,
    /// The language by whose rules the paragraphs are split into sentences.
    split: Option<Arc<str>>,
    tokenised: bool,
}

#[derive(Debug, Clone)]
enum CorpusParagraphs {
    /// Lines as they are in the file, and the number of the first.
    Lines(Vec<u8>, u64),
    /// Lines of text, and the stretches that make them up.
    Text(String, Vec<LineStretch>),
}

/// A stretch of text that is in one line of a file.
#[derive(Debug, Clone, Copy)]
struct LineStretch {
    /// The start of the stretch in the text.
    start: usize,
    before: Break,
    line: u64,
}

/// The size of a block in bytes: large enough that handing it to a thread costs nothing, small
/// enough that a few blocks take little memory.
const BLOCK: usize = 1 << 19;

/// The maximum length in bytes of a line, or of a sentence that spans several lines, so that memory
/// stays bounded and positions fit 32 bits.
const MAX_LINE: usize = 1 << 28;

/// The blocks of a file, in order.
pub(super) struct CorpusBlocks {
    /// The next block, without its paragraphs.
    block: CorpusBlock,
    source: BlockSource,
}

enum BlockSource {
    Lines(PlainLines),
    Records(JoinedRecords),
}

impl CorpusBlocks {
    /// Starts reading a file that is [decoded](Reading::decoded). With `apart`, the punctuation of
    /// transcripts becomes separate tokens.
    ///
    /// # Errors
    /// If the file cannot be read, or if its format has no such field.
    pub(super) fn new(mut input: Input<'static>, reading: &Reading, apart: bool) -> Result<Self> {
        let file = Arc::from(input.name());
        let kind = reading.format.of_input(&mut input)?;
        let split = (kind.info().runs_on || reading.split && kind.info().has_paragraphs)
            .then(|| Arc::from(reading.language()));
        let (source, tokenised) = match kind.info().family {
            FormatFamily::Text => (BlockSource::Lines(PlainLines::new(input)?), kind.info().is_tokenised),
            _ => {
                let records = kind.records(input, reading.field.as_deref())?;
                // The marks of a transcript are separate tokens only on request.
                let has_marks = kind.info().has_mark_column;
                let joined = JoinedRecords::new(records, kind, apart && has_marks, reading);
                (BlockSource::Records(joined), if has_marks { apart } else { kind.info().is_tokenised })
            }
        };
        let paragraphs = CorpusParagraphs::Text(String::new(), Vec::new());
        let has_paragraphs = kind.info().has_paragraphs;
        let block = CorpusBlock { file, begins: true, paragraphs, has_paragraphs, split, tokenised };
        Ok(Self { block, source })
    }

    /// Reads the next block; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read further.
    pub(super) fn next(&mut self) -> Result<Option<CorpusBlock>> {
        let paragraphs = match &mut self.source {
            BlockSource::Lines(lines) => lines.next()?,
            BlockSource::Records(joined) => joined.next(&self.block.file)?,
        };
        let begins = std::mem::take(&mut self.block.begins);
        Ok(paragraphs.map(|paragraphs| CorpusBlock { begins, paragraphs, ..self.block.clone() }))
    }

    /// Returns true if lines are sentences only by default, so that [`Reading::split`] would split
    /// them.
    pub(super) fn has_own_lines(&self) -> bool {
        self.block.has_paragraphs
    }
}

/// Reads the lines of plain text, many at a time.
struct PlainLines {
    input: Input<'static>,
    /// The bytes that have been read and not yet returned.
    ahead: Vec<u8>,
    line: u64,
    ended: bool,
    max_line: usize,
}

impl PlainLines {
    fn new(input: Input<'static>) -> Result<Self> {
        let mut lines = Self { input, ahead: Vec::new(), line: 1, ended: false, max_line: MAX_LINE };
        lines.fill(BOM.len())?;
        if lines.ahead.starts_with(BOM) {
            lines.ahead.drain(..BOM.len());
        }
        Ok(lines)
    }

    /// The number of bytes to read if `read` bytes contain no whole line.
    fn more(&self, read: usize) -> Result<usize> {
        if read < self.max_line {
            return Ok((2 * read).min(self.max_line));
        }
        let max = self.max_line >> 20;
        let problem = format!("longer than {max} MiB: break it into lines");
        Err(Error::line(self.input.name(), self.line, problem))
    }

    /// Reads until `wanted` bytes are buffered or the file ends.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let mut len = self.ahead.len();
        if len < wanted && !self.ended {
            self.ahead.resize(wanted, 0);
            while len < wanted && !self.ended {
                let read = self.input.read(&mut self.ahead[len..])?;
                self.ended = read == 0;
                len += read;
            }
            self.ahead.truncate(len);
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<CorpusParagraphs>> {
        let mut wanted = BLOCK;
        let end = loop {
            self.fill(wanted)?;
            if self.ended {
                break self.ahead.len();
            }
            match self.ahead.iter().rposition(|&b| b == b'\n') {
                Some(end) => break end + 1,
                None => wanted = self.more(wanted)?,
            }
        };
        if end == 0 {
            return Ok(None);
        }
        let rest = self.ahead[end..].to_vec();
        let mut bytes = std::mem::replace(&mut self.ahead, rest);
        bytes.truncate(end);
        let line = self.line;
        self.line += bytes.iter().filter(|&&b| b == b'\n').count() as u64;
        Ok(Some(CorpusParagraphs::Lines(bytes, line)))
    }
}

/// Joins the records of a file to paragraphs.
struct JoinedRecords {
    records: Box<dyn RecordSource>,
    /// The records that are read; all by default.
    only: Option<SpeechPart>,
    /// The strongest break of the records that were skipped since the last record of the part.
    passed: Option<Break>,
    record: Record,
    /// The number of stretches of the record that were added to the text.
    taken: usize,
    kind: Format,
    apart: bool,
    language: String,
    text: String,
    stretches: Vec<LineStretch>,
    max_paragraph: usize,
}

impl JoinedRecords {
    fn new(records: Box<dyn RecordSource>, kind: Format, apart: bool, reading: &Reading) -> Self {
        Self {
            records,
            only: reading.only.clone(),
            passed: None,
            record: Record::default(),
            taken: 0,
            kind,
            apart,
            language: reading.language().to_owned(),
            text: String::new(),
            stretches: Vec::new(),
            max_paragraph: MAX_LINE,
        }
    }

    fn next(&mut self, file: &str) -> Result<Option<CorpusParagraphs>> {
        let mut wanted = BLOCK;
        loop {
            while let Some((position, before)) = self.record.stretches.get(self.taken).cloned() {
                if self.text.len() >= wanted {
                    let cut =
                        if self.ends_before(before) { Some(self.text.len()) } else { self.last_sentence() };
                    match cut {
                        Some(cut) => return Ok(Some(self.cut(cut))),
                        None if wanted < self.max_paragraph => wanted *= 2,
                        None => return Err(self.too_long(file)),
                    }
                }
                self.push(position, before);
                self.taken += 1;
            }
            self.taken = 0;
            if !self.records.next(&mut self.record)? {
                break;
            }
            self.pass_over()?;
        }
        let is_all = self.text.is_empty();
        Ok((!is_all).then(|| self.cut(self.text.len())))
    }

    /// Empties the record if it belongs to another part, and makes the next record begin a turn.
    fn pass_over(&mut self) -> Result<()> {
        let Some(only) = &self.only else { return Ok(()) };
        if self.records.utterance()?.is_some_and(|utterance| only.has(&utterance)) {
            if let Some((_, before)) = self.record.stretches.first_mut() {
                *before = self.passed.take().map_or(*before, |passed| passed.max(*before));
            }
            return Ok(());
        }
        let breaks = self.record.stretches.drain(..).map(|(_, before)| before.max(Break::Turn));
        self.passed = self.passed.into_iter().chain(breaks).max();
        Ok(())
    }

    /// Returns true if a stretch after this break begins another paragraph.
    fn ends_before(&self, before: Break) -> bool {
        before >= if self.kind.info().runs_on { Break::Turn } else { Break::Line }
    }

    fn push(&mut self, position: Range<usize>, before: Break) {
        let mut text = &self.record.text[position];
        let is_begun = !self.text.is_empty();
        let (mut before, line) = (before, self.record.line);
        if self.ends_before(before) {
            if is_begun {
                self.text.push('\n');
            }
        } else if before > Break::None || self.apart {
            text = text.trim_start_matches(' ');
            if !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        }
        if self.kind.info().has_paragraphs {
            before = before.min(Break::Line);
        }
        for (at, text) in text.split(['\n', '\r']).enumerate() {
            if at > 0 {
                // The lines of a text are paragraphs; the lines of a cue are not.
                self.text.push(if self.kind.info().has_paragraphs { '\n' } else { ' ' });
            }
            self.stretches.push(LineStretch { start: self.text.len(), before, line });
            self.text.push_str(text);
            before = if self.kind.info().has_paragraphs { Break::Line } else { Break::Space };
        }
    }

    /// Returns the position where the text can be cut: the start of the last sentence or, if
    /// sentences do not run on, of the last paragraph. `None` if that is the start of the text.
    fn last_sentence(&self) -> Option<usize> {
        let from = self.text.rfind('\n').map_or(0, |at| at + 1);
        if !self.kind.info().runs_on {
            return Some(from).filter(|&from| from > 0);
        }
        let paragraph = &self.text[from..];
        let last = sentence::split(paragraph, &self.language).last()?;
        let len = paragraph.trim_end().len() - last.len();
        Some(from + len).filter(|&at| at > 0)
    }

    /// Returns the paragraphs up to byte `end`, and keeps the rest.
    fn cut(&mut self, end: usize) -> CorpusParagraphs {
        let rest = self.text.split_off(end);
        let text = std::mem::replace(&mut self.text, rest);
        let first = self.stretches.partition_point(|stretch| stretch.start < end);
        let mut rest = self.stretches.split_off(first);
        rest.iter_mut().for_each(|stretch| stretch.start -= end);
        // A stretch may continue after the cut.
        if !self.text.is_empty() && rest.first().is_none_or(|stretch| stretch.start > 0) {
            let line = self.stretches.last().map_or(0, |stretch| stretch.line);
            rest.insert(0, LineStretch { start: 0, before: Break::Space, line });
        }
        CorpusParagraphs::Text(text, std::mem::replace(&mut self.stretches, rest))
    }

    fn too_long(&self, file: &str) -> Error {
        let from = self.text.rfind('\n').map_or(0, |at| at + 1);
        let first = self.stretches.partition_point(|stretch| stretch.start < from);
        let line = self.stretches.get(first).map_or(self.record.line, |stretch| stretch.line);
        let max = self.max_paragraph >> 20;
        let advice = match self.kind.info().has_recordings {
            true => format!("the recording that begins here is longer than {max} MiB: split it"),
            false => {
                format!("the sentence that begins here is longer than {max} MiB: insert full stops into it")
            }
        };
        Error::line(file, line, advice)
    }
}

impl CorpusBlock {
    /// Creates a block without text, for sentences of another block.
    pub(super) fn like(other: &Self) -> Self {
        let paragraphs = CorpusParagraphs::Text(String::new(), Vec::new());
        Self { begins: false, paragraphs, split: None, file: other.file.clone(), ..*other }
    }

    /// Returns true if sentences of the other block can be added to this one.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file) && self.tokenised == other.tokenised
    }

    /// Appends a sentence. The first sentence of a block begins a line, and no sentence begins a document.
    pub(super) fn push(&mut self, sentence: CorpusSentence<'_>) {
        let CorpusParagraphs::Text(text, stretches) = &mut self.paragraphs else { return };
        let before = match sentence.before {
            Break::Document => Break::Line,
            before if text.is_empty() => before.max(Break::Line),
            before => before,
        };
        if !text.is_empty() {
            text.push('\n');
        }
        stretches.push(LineStretch { start: text.len(), before, line: sentence.line });
        text.push_str(sentence.text);
    }

    /// The text, if it is held as text.
    pub(super) fn text(&self) -> &str {
        match &self.paragraphs {
            CorpusParagraphs::Text(text, _) => text,
            CorpusParagraphs::Lines(..) => "",
        }
    }

    /// Returns a copy whose paragraphs are split into sentences, if they can be.
    pub(super) fn split(&self, language: &str) -> Self {
        Self { split: self.has_paragraphs.then(|| language.into()), ..self.clone() }
    }

    /// The number of bytes of the block's text.
    pub fn len(&self) -> usize {
        match &self.paragraphs {
            CorpusParagraphs::Lines(lines, _) => lines.len(),
            CorpusParagraphs::Text(text, _) => text.len(),
        }
    }

    /// Calls `visit` with the sentences of the block, in order.
    ///
    /// # Errors
    /// If the block is not UTF-8, or if `visit` fails.
    pub(super) fn sentences(&self, visit: &mut dyn FnMut(CorpusSentence<'_>) -> Result<()>) -> Result<()> {
        let Self { split, tokenised, .. } = self;
        let (split, tokenised) = (split.as_deref(), *tokenised);
        match &self.paragraphs {
            CorpusParagraphs::Lines(bytes, first) => {
                let text = str::from_utf8(bytes);
                let text = text.map_err(|_| files::not_utf8(&self.file, *first, bytes))?;
                let mut before = if self.begins { Break::Document } else { Break::Line };
                for (paragraph, line) in text.split('\n').zip(*first..) {
                    for text in sentences(paragraph, split) {
                        visit(CorpusSentence { text, before, tokenised, line })?;
                        before = Break::Space;
                    }
                    if before == Break::Space {
                        before = Break::Line;
                    }
                }
            }
            CorpusParagraphs::Text(text, stretches) => {
                let mut at = 0;
                let mut begins = self.begins;
                for sentence in text.split('\n').flat_map(|paragraph| sentences(paragraph, split)) {
                    let start = sentence.as_ptr().addr() - text.as_ptr().addr();
                    let end = start + sentence.len();
                    let begun = at;
                    at += stretches[at..].iter().take_while(|stretch| stretch.start < end).count();
                    let line = stretches[..at].last().map_or(0, |stretch| stretch.line);
                    // The strongest break among the stretches that begin after the previous
                    // sentence and no later than this one.
                    let passed = stretches[begun..at].iter().take_while(|stretch| stretch.start <= start);
                    let before = passed.map(|stretch| stretch.before).max().unwrap_or(Break::Space);
                    let before =
                        if std::mem::take(&mut begins) { Break::Document } else { before.max(Break::Space) };
                    visit(CorpusSentence { text: sentence, before, tokenised, line })?;
                }
            }
        }
        Ok(())
    }
}

/// The sentences of a paragraph, none of them empty: one, or several if the paragraph is split by
/// the rules of a language.
fn sentences<'a>(paragraph: &'a str, split: Option<&str>) -> impl Iterator<Item = &'a str> {
    let whole = Some(paragraph.trim()).filter(|text| split.is_none() && !text.is_empty());
    whole.into_iter().chain(split.into_iter().flat_map(|language| sentence::split(paragraph, language)))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use proptest::prelude::*;

    use super::*;

    fn read(name: &str, bytes: &[u8], reading: &Reading, apart: bool) -> Result<Vec<(String, Break)>> {
        let mut blocks = CorpusBlocks::new(Input::new(name, Cursor::new(bytes.to_vec()))?, reading, apart)?;
        let mut found = Vec::new();
        while let Some(block) = blocks.next()? {
            block.sentences(&mut |sentence| {
                found.push((sentence.text.to_owned(), sentence.before));
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn texts(name: &str, text: &str) -> Vec<String> {
        let found = read(name, text.as_bytes(), &Reading::default(), false).unwrap();
        found.into_iter().map(|(text, _)| text).collect()
    }

    fn error(name: &str, text: &str) -> String {
        read(name, text.as_bytes(), &Reading::default(), false).unwrap_err().to_string()
    }

    proptest! {
        #[test]
        fn the_sentences_of_plain_text_are_its_lines(lines in proptest::collection::vec("[a-zÉ .]{0,12}", 0..9), end in "(\r?\n)?") {
            let file = lines.join("\n") + &end;
            let expected: Vec<_> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
            prop_assert_eq!(texts("x.txt", &file), expected);
        }

        #[test]
        fn any_bytes_give_sentences_or_an_error(bytes: Vec<u8>) {
            for name in ["x", "x.tok", "x.nlp", "x.ctm", "x.stm", "x.trn", "x.tsv", "x.jsonl", "x.srt", "x.vtt", "x.conll", "x.json"] {
                let _ = read(name, &bytes, &Reading { split: true, ..Reading::default() }, true);
            }
        }
    }

    #[test]
    fn a_file_longer_than_a_block_loses_nothing() {
        let lines: Vec<String> = (0..60_000).map(|i| format!("line {i} of many")).collect();
        assert_eq!(texts("x", &lines.join("\n")), lines);
        // One line longer than a block, then one that is not UTF-8.
        let long = "word ".repeat(BLOCK / 2);
        assert_eq!(texts("x", &format!("{long}\nend")), [long.trim(), "end"]);
        let bytes = [long.as_bytes(), b"\n\xff"].concat();
        let error = read("x", &bytes, &Reading::default(), false).unwrap_err().to_string();
        assert!(error.starts_with("x, line 2, column 1: byte 0xff"), "{error}");
        let rows: String =
            (0..60_000).map(|i| format!("w{i}|{}|x\n", if i % 7 == 6 { "." } else { "" })).collect();
        let found = texts("x.nlp", &format!("token|punctuation|case\n{rows}"));
        assert_eq!(found.len(), 60_000usize.div_ceil(7));
        assert!(found[..8000].iter().all(|sentence| sentence.split(' ').count() == 7));
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        for (name, head, problem) in [
            ("x", "one\n\n", "x, line 3: longer than 1 MiB: break it into lines"),
            ("x.tok", "", "x.tok, line 1: longer than 1 MiB: "),
            (
                "x.nlp",
                "token|punctuation\na|.\n",
                "x.nlp, line 3: the sentence that begins here is longer than 1 MiB: ",
            ),
        ] {
            let line = if name == "x.nlp" { "so|\n" } else { "xxx" };
            let endless = head.as_bytes().chain(Cursor::new(line.repeat(1 << 20)));
            let input = Input::new(name, endless).unwrap();
            let mut blocks = CorpusBlocks::new(input, &Reading::default(), false).unwrap();
            match &mut blocks.source {
                BlockSource::Lines(lines) => lines.max_line = 1 << 20,
                BlockSource::Records(joined) => joined.max_paragraph = 1 << 20,
            }
            let error = loop {
                match blocks.next() {
                    Ok(block) => assert!(block.is_some()),
                    Err(error) => break error.to_string(),
                }
            };
            assert!(error.starts_with(problem), "{error}");
        }
    }

    #[test]
    fn paragraphs_are_cut_where_that_is_asked_for() {
        let reading = Reading { split: true, ..Reading::default() };
        let found = read("x", b"One came. Two left.\n\nThree.", &reading, false).unwrap();
        let found: Vec<_> = found.iter().map(|(text, before)| (text.as_str(), *before)).collect();
        assert_eq!(
            found,
            [("One came.", Break::Document), ("Two left.", Break::Space), ("Three.", Break::Line)]
        );
    }

    #[test]
    fn a_transcript_is_cut_where_its_punctuation_ends_sentences() {
        let file = "token|speaker|punctuation|case|tags\nGood|0||UC|\nday|0|,|LC|\nJo|0|.|UC|[]\n|0|.|CA|\n\nWhy|1|?|UC|\r\nso|1||LC|";
        assert_eq!(texts("a.nlp", file), ["Good day, Jo.", ".", "Why?", "so"]);
        let apart = read("a.nlp", file.as_bytes(), &Reading::default(), true).unwrap();
        assert_eq!(apart[0].0, "Good day , Jo .");
        assert_eq!(texts("a.nlp", ""), [""; 0]);
        assert!(error("a.nlp", "Good day").starts_with("a.nlp, line 1, column 1: found \"Good day\""));
        let error = error("a.nlp", "token|punctuation\na|.\nb");
        assert_eq!(
            error,
            "a.nlp, line 3, column 2: found 1 columns, but the header names 2: is the file cut off?"
        );
        let error = self::error("a.nlp", "token|punctuation\né|.|x\n");
        assert!(error.starts_with("a.nlp, line 2, column 5: found 3 columns"), "{error}");
    }

    #[test]
    fn events_of_a_transcript_are_no_words() {
        let file = "token|punctuation\n<laugh>|\nWell|,\n<unk>|,\nRui|\n<inaudible>|.\n<crosstalk>|.\n<silence>|\n<|\nyes|!\n";
        // The marks of a sentence that consists of events are dropped with it.
        assert_eq!(texts("a.nlp", file), ["Well, Rui.", "< yes!"]);
        let apart = read("a.nlp", file.as_bytes(), &Reading::default(), true).unwrap();
        assert_eq!(apart[0].0, "Well , Rui .");
    }

    #[test]
    fn a_recording_of_words_with_their_times_is_one_sentence() {
        let file = ";; made\ncall A 0 1 Good\ncall A 1 1 day,\ncall A 2 1 <laugh>\ncall B 0 1 Hello\r\n\nnext A 0 1 Yes";
        let found = read("a.ctm", file.as_bytes(), &Reading::default(), false).unwrap();
        let expected = [("Good day,", Break::Document), ("Hello", Break::Turn), ("Yes", Break::Document)]
            .map(|(text, before)| (text.to_owned(), before));
        assert_eq!(found, expected);
        assert_eq!(
            error("a.ctm", "call A 0 1 Good\ncall A 1 1"),
            "a.ctm, line 2, column 11: found 4 fields, but a line is expected to be file channel begin duration word: is the \
             file cut off?"
        );
        let found = error("a.ctm", "c A * * <ALT_BEGIN>\nc A 0 1 x\n\nc B 0 1 y");
        assert!(found.starts_with("a.ctm, line 5, column 1: the recording ends before <ALT_END>"), "{found}");
    }

    #[test]
    fn recordings_longer_than_a_block_stay_whole() {
        let rows = |file: &str, words: usize| -> String {
            (0..words).map(|i| format!("{file} A {i} 1 w{i}\n")).collect()
        };
        let file = rows("one", 60_000) + &rows("two", 3) + &rows("three", 60_000);
        let found = texts("a.ctm", &file);
        assert_eq!(found.iter().map(|text| text.split(' ').count()).collect::<Vec<_>>(), [60_000, 3, 60_000]);
    }

    #[test]
    fn segments_and_utterances_are_sentences() {
        let file = "talk 1 ana 0 1 <o> Good { day / night } .\ntalk 1 rui 1 2 Yes?\n;;\ntalk 2 ana 0 1 \nmore 1 x 0 1 No.";
        let found = read("a.stm", file.as_bytes(), &Reading::default(), false).unwrap();
        let found: Vec<_> = found.iter().map(|(text, before)| (&**text, *before)).collect();
        let expected = [("Good day .", Break::Document), ("Yes?", Break::Turn), ("No.", Break::Document)];
        assert_eq!(found.len(), 3);
        assert_eq!((found[1], found[2]), (expected[1], expected[2]));
        assert_eq!(texts("a.trn", "Good day. (ana-1)\n(ana-2)\nYes? (rui-1)\n"), ["Good day.", "Yes?"]);
        let error = error("a.trn", "Good day. (ana-1)\nYes? (ru");
        assert!(error.starts_with("a.trn, line 2, column 6: found \"(ru\" at its end"), "{error}");
    }

    #[test]
    fn tables_have_a_column_of_text() {
        let file = "id\ttext\r\n1\tHello, Rui.\r\n2\tBye.\n";
        assert_eq!(texts("a.tsv", file), ["Hello, Rui.", "Bye."]);
        let reading = Reading { field: Some("1".into()), ..Reading::default() };
        assert_eq!(read("a.tsv.gz", file.as_bytes(), &reading, false).unwrap()[1].0, "1");
        assert!(error("a.tsv", "id\tbody\n").contains("no column is called \"text\""));
        assert!(
            error("a.tsv", "id\ttext\n1\ta\n2\n").starts_with("a.tsv, line 3, column 2: found 1 columns")
        );
    }

    #[test]
    fn objects_have_a_field_of_text() {
        let file = "{\"text\": \"One.\\nTwo é.\", \"id\": 3}\n\n{\"text\":\"\"}\n";
        assert_eq!(texts("a.jsonl", file), ["One.", "Two é."]);
        assert!(error("a.jsonl", "{\"body\": 1}").contains("found no field \"text\""));
        assert!(
            error("a.jsonl", "\n{\"text\": 1}")
                .starts_with("a.jsonl, line 2, column 10: found no string in \"text\"")
        );
        assert!(error("a.jsonl", "[]").contains("found no field \"text\""));
        assert!(error("a.jsonl", "{").starts_with("a.jsonl, line 1, column 2: "));
    }

    #[test]
    fn every_format_says_the_same_sentences() {
        let sentences = ["We met Ana & Rui in Porto.", "Did Dr. Reis see us?", "NATO left."];
        for (name, file) in [
            ("a.txt", "We met Ana & Rui in Porto.\r\nDid Dr. Reis see us?\n\nNATO left."),
            (
                "a.srt",
                "1\n00:00:01,000 --> 00:00:02,000\n- We <i>met</i> Ana &\nRui [laughs]\n\n2\n00:00:02,000 --> 00:00:03,000\n\
                 {\\an8}in Porto. Did Dr.\n\n3\n00:00:03,000 --> 00:00:04,000\nReis see us?\n- NATO left.\n",
            ),
            (
                "a.vtt",
                "WEBVTT\n\nNOTE So it is.\n\n00:01.000 --> 00:02.000\n<v Ana>We met Ana &amp; Rui\n\n00:02.000 --> 00:03.000\n\
                 in Porto. Did Dr. <b>R</b>eis\n\n00:03.000 --> 00:04.000\nsee us?\n\n00:04.000 --> 00:05.000\n<v Rui>NATO left.\n",
            ),
            (
                "a.json",
                "{\"text\": \"\", \"segments\": [{\"text\": \" We met Ana & \\u0052ui\"},\n{\"text\": \" in Porto. Did\\nDr. \"},\n\
                 {\"text\": \" Reis see us?\"}, {\"text\": \"NATO left.\"}]}",
            ),
            (
                "a.jsonl",
                "{\"text\": \"We met Ana & Rui in Porto.\\nDid Dr. Reis see us?\"}\n\n{\"text\": \"NATO\\u0020left.\"}\n",
            ),
            (
                "a.conll",
                "# text = So.\nWe X\nmet X\nAna X\n& X\nRui X\nin X\nPorto. X\n\nDid X\nDr. X\nReis X\nsee X\nus? X\n\nNATO X\nleft. X\n",
            ),
            (
                "a.ctm",
                "a 1 0 1 We\na 1 0 1 met\na 1 0 1 Ana\na 1 0 1 &\na 1 0 1 Rui\na 1 0 1 <hm>\na 1 0 1 in\na 1 0 1 Porto.\n\
                 b 1 0 1 Did\nb 1 0 1 Dr.\nb 1 0 1 Reis\nb 1 0 1 see\nb 1 0 1 us?\nc 1 0 1 NATO\nc 1 0 1 left.\n",
            ),
            (
                "a.stm",
                ";; So.\na 1 x 0 1 <o> We met { Ana / Eva } & Rui in Porto.\na 1 x 1 2 Did Dr. Reis see us?\na 1 y 2 3 NATO left.\n",
            ),
            ("a.trn", "We met Ana & Rui in Porto. (x-1)\nDid Dr. Reis see us? (x-2)\nNATO left. (y-1)\n"),
            (
                "a.nlp",
                "token|punctuation\nWe|\nmet|\nAna|\n&|\nRui|\nin|\nPorto|.\nDid|\nDr.|\nReis|\nsee|\nus|?\nNATO|\nleft|.\n",
            ),
            ("a.tsv", "id\ttext\n1\tWe met Ana & Rui in Porto.\n2\tDid Dr. Reis see us?\n3\tNATO left.\n"),
            ("a.tok", "We met Ana & Rui in Porto.\nDid Dr. Reis see us?\nNATO left.\n"),
        ] {
            let reading = Reading { language: Some("en".into()), ..Reading::default() };
            let texts = |name: &str| -> Vec<String> {
                let found = read(name, file.as_bytes(), &reading, false).unwrap();
                found.into_iter().map(|(text, _)| text).collect()
            };
            assert_eq!(texts(name), sentences, "{name}");
            // The first bytes of a stream without a name identify some formats.
            if matches!(name, "a.srt" | "a.vtt" | "a.json" | "a.jsonl") {
                assert_eq!(texts("-"), sentences, "{name}");
            }
        }
        let inside = "{\"result\": [{\"text\": \"We left.\"}, {\"text\": \"So did Ana.\"}]}\n";
        let reading = Reading { field: Some("result.text".into()), ..Reading::default() };
        let found = read("a.jsonl", inside.as_bytes(), &reading, false).unwrap();
        assert_eq!(found.into_iter().map(|(text, _)| text).collect::<Vec<_>>(), ["We left.", "So did Ana."]);
    }

    #[test]
    fn sentences_of_subtitles_have_the_breaks_that_restoring_sees() {
        let cue = "00:00:01,000 --> 00:00:02,000";
        let file = format!("1\n{cue}\nWe met. She\n\n2\n{cue}\nleft.\n\n3\n{cue}\nWhy?\n- No.");
        let found = read("a.srt", file.as_bytes(), &Reading::default(), false).unwrap();
        let found: Vec<_> = found.iter().map(|(text, before)| (&**text, *before)).collect();
        let expected = [
            ("We met.", Break::Document),
            ("She left.", Break::Space),
            ("Why?", Break::Cue),
            ("No.", Break::Turn),
        ];
        assert_eq!(found, expected);
        assert!(error("a.srt", "1\nso\n").starts_with("a.srt, line 2, column 1: found \"so\", but a timing"));
    }

    #[test]
    fn subtitles_longer_than_a_block_lose_nothing_and_take_no_memory() {
        let file: String = (0..60_000)
            .map(|i| format!("{i}\n00:00:01,000 --> 00:00:02,000\nsaw {i} of us. Then we\n\n"))
            .collect();
        let input = Input::new("a.srt", Cursor::new(file.into_bytes())).unwrap();
        let mut blocks = CorpusBlocks::new(input, &Reading::default(), false).unwrap();
        let mut found = Vec::new();
        while let Some(block) = blocks.next().unwrap() {
            assert!(
                matches!(&block.paragraphs, CorpusParagraphs::Text(text, _) if text.len() <= BLOCK + 100)
            );
            block
                .sentences(&mut |sentence| {
                    found.push((sentence.text.to_owned(), sentence.before, sentence.line));
                    Ok(())
                })
                .unwrap();
        }
        assert_eq!(found.len(), 60_001);
        assert_eq!(found[59_999], ("Then we saw 59999 of us.".to_owned(), Break::Space, 4 * 59_999 + 3));
        let alike = |(at, found): (usize, &(String, Break, u64))| {
            found == &(format!("Then we saw {at} of us."), Break::Space, 4 * at as u64 + 3)
        };
        assert!(found[1..60_000].iter().enumerate().all(|(at, found)| alike((at + 1, found))));
    }

    #[test]
    fn a_byte_order_mark_is_no_word() {
        assert_eq!(texts("x", "\u{feff}Olá"), ["Olá"]);
        assert_eq!(texts("x.nlp", "\u{feff}token|punctuation\na|."), ["a."]);
    }
}
