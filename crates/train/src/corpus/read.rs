//! Sentences out of files: what a line holds, in each format.
//!
//! A file is read in blocks of whole lines, so that memory does not grow with it and several threads can share it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use majuscule::error::{Error, Result};
use majuscule::files::{self, BOM, Input};
use majuscule::format::ctm::Role;
use majuscule::format::transcript::{self, Fault, PieceKind, is_event};
use majuscule::format::{ctm, stm, trn};
use majuscule::text::{Break, sentence};

/// How the files of a corpus are read.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
pub struct Reading {
    /// What the files hold; by default each as its name ends, and lines where that says nothing
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: Format,
    /// The column of a .tsv that holds the text: a name in its first line, or a number counted from 1 where it has no
    /// such line
    #[arg(long, value_name = "NAME|NUMBER", default_value_t)]
    pub column: Column,
    /// The field of a .jsonl object that holds the text
    #[arg(long, value_name = "NAME", default_value_t)]
    pub field: Field,
    /// Cut paragraphs into sentences; without it each line is one. Tokenised files and transcripts have their own
    /// sentences
    #[arg(long)]
    pub split: bool,
    /// The language of the text; en,pt where there is text of several
    #[arg(long = "lang", value_name = "LANG", default_value = "en")]
    pub language: String,
}

impl Reading {
    /// Whether a file so called says what its tokens are: a tokenised one or a transcript.
    pub fn is_tokenised(&self, file: &Path) -> bool {
        matches!(self.format.of_name(&file.to_string_lossy()), Format::Tok | Format::Nlp)
    }
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// As the name ends, before .gz, .zst or .xz: .tok, .nlp, .ctm, .stm, .trn, .tsv, .jsonl; else lines
    #[default]
    Auto,
    /// Text, a sentence a line
    Lines,
    /// Tokenised text, a sentence a line, white space between tokens
    Tok,
    /// A transcript: a header that names the columns token and punctuation, then a token a line, columns separated by |;
    /// events in <> are left out
    Nlp,
    /// A transcript of NIST's: file, channel, beginning, duration and word a line; a recording and channel is one sentence
    Ctm,
    /// A transcript of NIST's: file, channel, speaker, beginning, end, perhaps a label in angle brackets, and text a line; a line is a sentence
    Stm,
    /// A transcript as sclite has it: text and an (utterance) a line; a line is a sentence
    Trn,
    /// Columns separated by tabs
    Tsv,
    /// A JSON object a line
    Jsonl,
}

impl Format {
    /// The format itself, or the one that a file's name tells.
    pub(super) fn of_name(self, name: &str) -> Self {
        if self != Self::Auto {
            return self;
        }
        match transcript::unfiltered_name(files::uncompressed_name(name)).rsplit_once('.').map(|(_, end)| end)
        {
            Some("tok") => Self::Tok,
            Some("nlp") => Self::Nlp,
            Some("ctm") => Self::Ctm,
            Some("stm") => Self::Stm,
            Some("trn") => Self::Trn,
            Some("tsv") => Self::Tsv,
            Some("jsonl" | "ndjson") => Self::Jsonl,
            _ => Self::Lines,
        }
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// The one that the first line calls so.
    Name(String),
    /// The one at this place, counted from 0; the table has no line of names.
    Place(usize),
}

impl Default for Column {
    fn default() -> Self {
        Self::Name("text".to_owned())
    }
}

impl FromStr for Column {
    type Err = Error;

    fn from_str(column: &str) -> Result<Self> {
        match column.parse::<usize>() {
            Ok(0) => Err(Error::Usage("column 0: columns are counted from 1".to_owned())),
            Ok(number) => Ok(Self::Place(number - 1)),
            Err(_) => Ok(Self::Name(column.to_owned())),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Place(place) => write!(f, "{}", place + 1),
        }
    }
}

/// The name of a field; `text` by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field(pub String);

impl Default for Field {
    fn default() -> Self {
        Self("text".to_owned())
    }
}

impl FromStr for Field {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(Self(name.to_owned()))
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A sentence in its true case, as a file holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// Its text, with marks, without white space around it; never empty.
    pub text: &'a str,
    /// The recording that it is from and the channel, where the format names them.
    pub recording: Option<&'a str>,
    /// What lies before it: [`Break::Document`] at the beginning of a file or recording, [`Break::Space`] inside a paragraph.
    pub before: Break,
    /// Whether white space parts the tokens, and nothing else does.
    pub tokenised: bool,
    /// The line of its file in which it ends, counted from 1.
    pub line: u64,
}

/// What was said at a time or under a name, as a transcript holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Utterance<'a> {
    /// The recording that it is from and the channel, where the format names them.
    pub recording: Option<&'a str>,
    /// Its name, where the format has one.
    pub name: Option<&'a str>,
    /// When it begins and ends, in seconds, where the format says so.
    pub times: Option<(f64, f64)>,
    /// Whether these are the times of a segment of many words, as references have, and not those of a word.
    pub is_segment: bool,
    /// Whether what is said there is not transcribed, and not to be scored.
    pub is_ignored: bool,
    /// Its text, with all alternatives.
    pub pieces: &'a [Piece<'a>],
}

/// A part of the text of an [`Utterance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text, of any number of words.
    Text(&'a str),
    /// A word in parentheses, as `(uh)`: that it was left out is no error.
    Optional(&'a str),
    /// Alternatives begin.
    Open,
    /// The next alternative begins.
    Next,
    /// Alternatives end.
    Close,
}

impl<'a> Piece<'a> {
    /// A word of a transcript; `None` for an event in `<>`.
    fn word(word: &'a str) -> Option<Self> {
        let optional = word.strip_prefix('(').and_then(|word| word.strip_suffix(')'));
        match optional.filter(|word| !word.is_empty()) {
            _ if is_event(word) => None,
            Some(word) => Some(Self::Optional(word)),
            None => Some(Self::Text(word)),
        }
    }

    fn of(line: &'a str, piece: &transcript::Piece) -> Option<Self> {
        match piece.kind {
            PieceKind::Word => Self::word(&line[piece.place.clone()]),
            PieceKind::Null => None,
            PieceKind::Open => Some(Self::Open),
            PieceKind::Next => Some(Self::Next),
            PieceKind::Close => Some(Self::Close),
        }
    }
}

/// Some whole lines of a file, or transcript rows up to the end of a sentence.
#[derive(Debug)]
pub(super) struct Block {
    file: Arc<str>,
    layout: Layout,
    /// The number of its first line.
    line: u64,
    /// Whether the file begins with it.
    pub begins: bool,
    bytes: Vec<u8>,
}

/// What the lines of one file hold, once its header has been read.
#[derive(Debug, Clone)]
enum Layout {
    Lines { split: Option<Arc<str>> },
    Tok,
    Nlp { token: usize, punctuation: usize, columns: usize, apart: bool },
    Ctm,
    Stm,
    Trn,
    Tsv { column: usize, split: Option<Arc<str>> },
    Jsonl { field: Arc<str>, split: Option<Arc<str>> },
}

/// Large enough that handing a block to a thread costs nothing, small enough that a few of them are no memory.
const BLOCK: usize = 1 << 19;

/// No line may be longer, nor a sentence of a transcript: memory stays bounded, and positions in it fit 32 bits.
const MAX_LINE: usize = 1 << 28;

/// The blocks of a file, in order.
#[derive(Debug)]
pub(super) struct Blocks {
    input: Input,
    file: Arc<str>,
    layout: Layout,
    /// What has been read and not given yet.
    ahead: Vec<u8>,
    line: u64,
    begins: bool,
    ended: bool,
    max_line: usize,
}

impl Blocks {
    /// Begins a file. `apart` asks for the punctuation of transcripts as tokens of its own.
    ///
    /// # Errors
    /// Where it cannot be read, or its header is not what the format asks for.
    pub(super) fn new(input: Input, reading: &Reading, apart: bool) -> Result<Self> {
        let file = Arc::from(input.name());
        let mut blocks = Self {
            input,
            file,
            layout: Layout::Tok,
            ahead: Vec::new(),
            line: 1,
            begins: true,
            ended: false,
            max_line: MAX_LINE,
        };
        blocks.fill(BOM.len())?;
        if blocks.ahead.starts_with(BOM) {
            blocks.ahead.drain(..BOM.len());
        }
        let split = reading.split.then(|| Arc::from(reading.language.as_str()));
        blocks.layout = match reading.format.of_name(blocks.input.name()) {
            Format::Auto | Format::Lines => Layout::Lines { split },
            Format::Tok => Layout::Tok,
            Format::Nlp => blocks.transcript(apart)?,
            Format::Ctm => Layout::Ctm,
            Format::Stm => Layout::Stm,
            Format::Trn => Layout::Trn,
            Format::Tsv => Layout::Tsv { column: blocks.column(&reading.column)?, split },
            Format::Jsonl => Layout::Jsonl { field: Arc::from(reading.field.0.as_str()), split },
        };
        Ok(blocks)
    }

    fn transcript(&mut self, apart: bool) -> Result<Layout> {
        let header = self.header()?;
        let names: Vec<&str> = header.split('|').collect();
        let place = |name| names.iter().position(|&found| found == name);
        match (place("token"), place("punctuation")) {
            (Some(token), Some(punctuation)) => {
                Ok(Layout::Nlp { token, punctuation, columns: names.len(), apart })
            }
            // An empty file is an empty transcript.
            _ if header.is_empty() && self.ahead.is_empty() => Ok(Layout::Tok),
            _ => Err(Error::line(
                &*self.file,
                1,
                format!(
                    "found \"{}\", but a transcript begins with a header such as \
                     token|speaker|punctuation|case|tags",
                    shortened(&header)
                ),
            )),
        }
    }

    fn column(&mut self, column: &Column) -> Result<usize> {
        let name = match column {
            Column::Place(place) => return Ok(*place),
            Column::Name(name) => name,
        };
        let header = self.header()?;
        match header.split('\t').position(|found| found == name) {
            Some(place) => Ok(place),
            None if header.is_empty() && self.ahead.is_empty() => Ok(0),
            None => Err(Error::line(
                &*self.file,
                1,
                format!(
                    "no column is called \"{name}\" in \"{}\": name one with --column, or give its number where the \
                     first line has no names",
                    shortened(&header)
                ),
            )),
        }
    }

    /// Takes the first line.
    fn header(&mut self) -> Result<String> {
        let mut wanted = BLOCK;
        let end = loop {
            self.fill(wanted)?;
            match self.ahead.iter().position(|&b| b == b'\n') {
                Some(end) => break end + 1,
                None if self.ended => break self.ahead.len(),
                None => wanted = self.more(wanted)?,
            }
        };
        let header = str::from_utf8(&self.ahead[..end]);
        let header = header.map_err(|_| files::not_utf8(&self.file, 1, &self.ahead))?;
        let header = header.trim_end_matches(['\n', '\r']).to_owned();
        self.ahead.drain(..end);
        self.line += 1;
        Ok(header)
    }

    /// How much to read where `read` bytes hold no whole line.
    fn more(&self, read: usize) -> Result<usize> {
        if read < self.max_line {
            return Ok((2 * read).min(self.max_line));
        }
        let max = self.max_line >> 20;
        let problem = match self.layout {
            Layout::Nlp { .. } => format!(
                "a sentence begins that is longer than {max} MiB: put the marks that end sentences into its column punctuation"
            ),
            Layout::Ctm | Layout::Stm => {
                format!("a recording begins that is longer than {max} MiB: cut it into several")
            }
            _ => format!("longer than {max} MiB: break it into lines"),
        };
        Err(Error::line(&*self.file, self.line, problem))
    }

    /// Reads until `wanted` bytes are ahead or the file ends.
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

    /// The next block; `None` at the end.
    ///
    /// # Errors
    /// Where the file cannot be read on.
    pub(super) fn next(&mut self) -> Result<Option<Block>> {
        let mut wanted = BLOCK;
        let end = loop {
            self.fill(wanted)?;
            if self.ended {
                break self.ahead.len();
            }
            match self.layout.last_end(&self.ahead) {
                Some(end) => break end,
                None => wanted = self.more(wanted)?,
            }
        };
        if end == 0 {
            return Ok(None);
        }
        let rest = self.ahead[end..].to_vec();
        let mut bytes = std::mem::replace(&mut self.ahead, rest);
        bytes.truncate(end);
        let lines = bytes.iter().filter(|&&b| b == b'\n').count() as u64;
        let (file, layout) = (self.file.clone(), self.layout.clone());
        let block = Block { file, layout, line: self.line, begins: self.begins, bytes };
        self.line += lines;
        self.begins = false;
        Ok(Some(block))
    }
}

impl Layout {
    /// Where the last line that ends in `bytes` ends, or the last sentence or recording of a transcript.
    fn last_end(&self, bytes: &[u8]) -> Option<usize> {
        let mut end = bytes.iter().rposition(|&b| b == b'\n')? + 1;
        let punctuation = match *self {
            Self::Nlp { punctuation, .. } => punctuation,
            Self::Ctm | Self::Stm => return last_recording(&bytes[..end]),
            _ => return Some(end),
        };
        loop {
            let start = bytes[..end - 1].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            let row = bytes[start..end].trim_ascii_end();
            let mark = row.split(|&b| b == b'|').nth(punctuation);
            if mark.is_some_and(|mark| matches!(mark.last(), Some(b'.' | b'?' | b'!'))) {
                return Some(end);
            }
            if start == 0 {
                return None;
            }
            end = start;
        }
    }
}

/// Where the last recording of whole lines begins; `None` where there is only one.
fn last_recording(bytes: &[u8]) -> Option<usize> {
    let mut last = None;
    let mut start = bytes.len();
    for line in bytes.split_inclusive(|&b| b == b'\n').rev() {
        let recording = recording(line);
        if recording.is_some() {
            if last.is_some() && recording != last {
                return Some(start);
            }
            last = recording;
        }
        start -= line.len();
    }
    None
}

/// The recording and the channel that a line of a transcript names, if it says anything.
fn recording(line: &[u8]) -> Option<[&[u8]; 2]> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let file = fields.next().filter(|file| !file.starts_with(b";;"))?;
    Some([file, fields.next().unwrap_or_default()])
}

impl Block {
    /// Whether its lines are sentences because nothing says otherwise, and [`Reading::split`] would cut them.
    pub(super) fn has_own_lines(&self) -> bool {
        matches!(self.layout, Layout::Lines { .. } | Layout::Tsv { .. } | Layout::Jsonl { .. })
    }

    /// Gives its sentences to `visit`, in order.
    ///
    /// # Errors
    /// Where it is not UTF-8 or not what the format says, and where `visit` fails.
    pub(super) fn sentences(&self, visit: &mut dyn FnMut(Sentence<'_>) -> Result<()>) -> Result<()> {
        let text = str::from_utf8(&self.bytes);
        let text = text.map_err(|_| files::not_utf8(&self.file, self.line, &self.bytes))?;
        let before = if self.begins { Break::Document } else { Break::Line };
        let mut out = Out { before, recording: String::new(), line: self.line, visit };
        match self.layout {
            Layout::Nlp { token, punctuation, columns, apart } => {
                return self.transcript(text, [token, punctuation], columns, apart, &mut out);
            }
            Layout::Ctm => return self.words(text, &mut out),
            _ => {}
        }
        let mut joined = String::new();
        for (line, number) in text.split('\n').zip(self.line..) {
            out.line = number;
            match &self.layout {
                Layout::Lines { split } => out.paragraph(line, split.as_deref())?,
                Layout::Tok => out.sentence(line, true)?,
                Layout::Tsv { column, split } => {
                    out.paragraph(self.cell(line, *column, number)?, split.as_deref())?;
                }
                Layout::Jsonl { field, split } => {
                    for line in self.field(line, field, number)?.split('\n') {
                        out.paragraph(line, split.as_deref())?;
                    }
                }
                Layout::Stm => {
                    let row = stm::row(line).map_err(|fault| self.fault(fault, number, line))?;
                    if let Some(stm::Row { file, channel, words, .. }) = row {
                        out.enter(&line[file], &line[channel]);
                        join(line, words, &mut joined);
                        out.sentence(&joined, false)?;
                    }
                }
                Layout::Trn => {
                    let row = trn::row(line).map_err(|fault| self.fault(fault, number, line))?;
                    if let Some(trn::Row { words, .. }) = row {
                        join(line, words, &mut joined);
                        out.sentence(&joined, false)?;
                    }
                }
                Layout::Nlp { .. } | Layout::Ctm => {}
            }
        }
        Ok(())
    }

    /// Recordings of words with their times: each is one sentence, since nothing says where any ends.
    fn words(&self, text: &str, out: &mut Out<'_>) -> Result<()> {
        let mut sentence = String::new();
        let mut alternatives = ctm::Alternatives::default();
        let mut last = (self.line, "");
        for (line, number) in text.split('\n').zip(self.line..) {
            let fault = |fault| self.fault(fault, number, line);
            let Some(row) = ctm::row(line).map_err(fault)? else { continue };
            if !out.is_in(&line[row.file.clone()], &line[row.channel.clone()]) {
                alternatives.end(last.1).map_err(|fault| self.fault(fault, last.0, last.1))?;
                out.sentence(&sentence, false)?;
                sentence.clear();
                out.enter(&line[row.file.clone()], &line[row.channel.clone()]);
            }
            out.line = number;
            last = (number, line);
            if alternatives.takes(&row).map_err(fault)? {
                sentence.push_str(&line[row.word]);
                sentence.push(' ');
            }
        }
        alternatives.end(last.1).map_err(|fault| self.fault(fault, last.0, last.1))?;
        out.sentence(&sentence, false)
    }

    /// Gives what was said to `visit`, in order: of a transcript its utterances, a word each where each has its times, of any other
    /// text its sentences.
    ///
    /// # Errors
    /// Like [`Block::sentences`].
    pub(super) fn utterances(&self, visit: &mut dyn FnMut(Utterance<'_>) -> Result<()>) -> Result<()> {
        if !matches!(self.layout, Layout::Ctm | Layout::Stm | Layout::Trn) {
            return self.sentences(&mut |sentence| {
                let Sentence { text, recording, .. } = sentence;
                let pieces = &[Piece::Text(text)];
                let (name, times, is_segment, is_ignored) = (None, None, false, false);
                visit(Utterance { recording, name, times, is_segment, is_ignored, pieces })
            });
        }
        let text = str::from_utf8(&self.bytes);
        let text = text.map_err(|_| files::not_utf8(&self.file, self.line, &self.bytes))?;
        // What is wrong with alternatives over several lines.
        self.sentences(&mut |_| Ok(()))?;
        let is_segment = matches!(self.layout, Layout::Stm);
        let mut pieces = Vec::new();
        for (line, number) in text.split('\n').zip(self.line..) {
            let fault = |fault| self.fault(fault, number, line);
            pieces.clear();
            let (recording, name, times, is_ignored) = match self.layout {
                Layout::Ctm => {
                    let Some(row) = ctm::row(line).map_err(fault)? else { continue };
                    pieces.extend(match row.role {
                        Role::Begin => Some(Piece::Open),
                        Role::Next => Some(Piece::Next),
                        Role::End => Some(Piece::Close),
                        Role::Event => None,
                        Role::Word => Piece::word(&line[row.word.clone()]),
                    });
                    (Some([row.file.clone(), row.channel.clone()]), None, row.times(line), false)
                }
                Layout::Stm => {
                    let Some(row) = stm::row(line).map_err(fault)? else { continue };
                    pieces.extend(row.pieces.iter().filter_map(|piece| Piece::of(line, piece)));
                    let times = row.times(line).map_err(fault)?;
                    (Some([row.file, row.channel]), None, Some(times), row.is_ignored)
                }
                _ => {
                    let Some(row) = trn::row(line).map_err(fault)? else { continue };
                    pieces.extend(row.pieces.iter().filter_map(|piece| Piece::of(line, piece)));
                    (None, Some(line[row.utterance].trim()), None, false)
                }
            };
            let recording = recording.map(|[file, channel]| format!("{} {}", &line[file], &line[channel]));
            let (recording, pieces) = (recording.as_deref(), &*pieces);
            visit(Utterance { recording, name, times, is_segment, is_ignored, pieces })?;
        }
        Ok(())
    }

    fn fault(&self, fault: Fault, number: u64, line: &str) -> Error {
        fault.error(&self.file, number, line)
    }

    fn cell<'a>(&self, line: &'a str, column: usize, number: u64) -> Result<&'a str> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match line.split('\t').nth(column) {
            Some(cell) => Ok(cell),
            None if line.is_empty() => Ok(""),
            None => {
                let found = line.split('\t').count();
                let problem =
                    format!("found {found} columns, but the text is expected in column {}", column + 1);
                Err(Error::line(&*self.file, number, problem))
            }
        }
    }

    fn field<'a>(&self, line: &'a str, field: &str, number: u64) -> Result<Cow<'a, str>> {
        if line.trim().is_empty() {
            return Ok(Cow::Borrowed(""));
        }
        let problem = |problem: String| Error::line(&*self.file, number, problem);
        match serde_json::from_str(line) {
            Ok(serde_json::Value::Object(mut object)) => match object.remove(field) {
                Some(serde_json::Value::String(text)) => Ok(Cow::Owned(text)),
                Some(_) => {
                    Err(problem(format!("field \"{field}\" is not a string: name another with --field")))
                }
                None => {
                    let names: Vec<&str> = object.keys().map(String::as_str).collect();
                    Err(problem(format!(
                        "found the fields {}, but no \"{field}\": name one of them with --field",
                        names.join(", ")
                    )))
                }
            },
            Ok(_) => {
                Err(problem("found JSON that is no object, but an object a line is expected".to_owned()))
            }
            Err(error) => Err(problem(format!("is not a JSON object: {error}"))),
        }
    }

    fn transcript(
        &self,
        text: &str,
        [token, punctuation]: [usize; 2],
        columns: usize,
        apart: bool,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let mut sentence = String::new();
        let mut cells = Vec::with_capacity(columns);
        for (line, number) in text.split('\n').zip(self.line..) {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            cells.clear();
            cells.extend(line.split('|'));
            if cells.len() != columns {
                let found = cells.len();
                // At the first column too many, or at the end where there are too few.
                let at = cells.iter().take(columns).map(|cell| cell.len() + 1).sum::<usize>();
                let at = at.min(line.len());
                let problem =
                    format!("found {found} columns, but the header names {columns}: is the file cut off?");
                return Err(self.fault(Fault { at, problem }, number, line));
            }
            let (token, mark) = (cells[token], cells[punctuation]);
            out.line = number;
            let is_event = is_event(token);
            if !token.is_empty() && !is_event {
                sentence.push(' ');
                sentence.push_str(token);
            }
            // The mark after an event stands after the word before it, where that has none.
            if !is_event || sentence.ends_with(char::is_alphanumeric) {
                if apart && !mark.is_empty() {
                    sentence.push(' ');
                }
                sentence.push_str(mark);
            }
            if mark.ends_with(['.', '?', '!']) {
                out.sentence(&sentence, apart)?;
                sentence.clear();
            }
        }
        out.sentence(&sentence, apart)
    }
}

/// Puts the words of a line into `out` with spaces between them.
fn join(line: &str, words: Vec<Range<usize>>, out: &mut String) {
    out.clear();
    for word in words {
        out.push_str(&line[word]);
        out.push(' ');
    }
}

/// Where sentences go, and what lies before the next one.
struct Out<'a> {
    before: Break,
    /// The recording and its channel; empty where the format names none.
    recording: String,
    line: u64,
    visit: &'a mut dyn FnMut(Sentence<'_>) -> Result<()>,
}

impl Out<'_> {
    /// A line: one sentence, or several where it is to be split by the rules of a language.
    fn paragraph(&mut self, line: &str, split: Option<&str>) -> Result<()> {
        let Some(language) = split else { return self.sentence(line, false) };
        for sentence in sentence::split(line, language) {
            self.sentence(sentence, false)?;
            self.before = Break::Space;
        }
        if self.before == Break::Space {
            self.before = Break::Line;
        }
        Ok(())
    }

    /// Whether the sentences are those of this recording.
    fn is_in(&self, file: &str, channel: &str) -> bool {
        self.recording.split_once(' ') == Some((file, channel))
    }

    /// The next sentences are those of a recording.
    fn enter(&mut self, file: &str, channel: &str) {
        if !self.is_in(file, channel) {
            self.recording = format!("{file} {channel}");
            self.before = Break::Document;
        }
    }

    fn sentence(&mut self, text: &str, tokenised: bool) -> Result<()> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.before, Break::Line);
        let recording = (!self.recording.is_empty()).then_some(&*self.recording);
        (self.visit)(Sentence { text, recording, before, tokenised, line: self.line })
    }
}

/// The beginning of a text, short enough for an error.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use proptest::prelude::*;

    use super::*;

    fn sentences(name: &str, bytes: &[u8], reading: &Reading, apart: bool) -> Result<Vec<(String, Break)>> {
        let mut blocks = Blocks::new(Input::new(name, Cursor::new(bytes.to_vec()))?, reading, apart)?;
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
        let found = sentences(name, text.as_bytes(), &Reading::default(), false).unwrap();
        found.into_iter().map(|(text, _)| text).collect()
    }

    fn error(name: &str, text: &str) -> String {
        sentences(name, text.as_bytes(), &Reading::default(), false).unwrap_err().to_string()
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
            for name in ["x", "x.tok", "x.nlp", "x.ctm", "x.stm", "x.trn", "x.tsv", "x.jsonl"] {
                let _ = sentences(name, &bytes, &Reading { split: true, ..Reading::default() }, true);
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
        let error = sentences("x", &bytes, &Reading::default(), false).unwrap_err().to_string();
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
            ("x.jsonl", "", "x.jsonl, line 1: longer than 1 MiB: "),
            (
                "x.nlp",
                "token|punctuation\na|.\n",
                "x.nlp, line 3: a sentence begins that is longer than 1 MiB: ",
            ),
        ] {
            let endless = head.as_bytes().chain(std::io::repeat(b'x'));
            let input = Input::new(name, endless).unwrap();
            let mut blocks = Blocks::new(input, &Reading::default(), false).unwrap();
            blocks.max_line = 1 << 20;
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
        let found = sentences("x", b"One came. Two left.\n\nThree.", &reading, false).unwrap();
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
        let apart = sentences("a.nlp", file.as_bytes(), &Reading::default(), true).unwrap();
        assert_eq!(apart[0].0, "Good day , Jo .");
        assert_eq!(texts("a.nlp", ""), [""; 0]);
        assert!(error("a.nlp", "Good day").starts_with("a.nlp, line 1: found \"Good day\""));
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
        // The marks of a sentence of events alone go with it.
        assert_eq!(texts("a.nlp", file), ["Well, Rui.", "< yes!"]);
        let apart = sentences("a.nlp", file.as_bytes(), &Reading::default(), true).unwrap();
        assert_eq!(apart[0].0, "Well , Rui .");
    }

    #[test]
    fn a_recording_of_words_with_their_times_is_one_sentence() {
        let file = ";; made\ncall A 0 1 Good\ncall A 1 1 day,\ncall A 2 1 <laugh>\ncall B 0 1 Hello\r\n\nnext A 0 1 Yes";
        let found = sentences("a.ctm", file.as_bytes(), &Reading::default(), false).unwrap();
        let expected = ["Good day,", "Hello", "Yes"].map(|text| (text.to_owned(), Break::Document));
        assert_eq!(found, expected);
        assert_eq!(
            error("a.ctm", "call A 0 1 Good\ncall A 1 1"),
            "a.ctm, line 2, column 11: found 4 fields, but a line is expected to be file channel begin duration word: is the \
             file cut off?"
        );
        let found = error("a.ctm", "c A * * <ALT_BEGIN>\nc A 0 1 x\n\nc B 0 1 y");
        assert!(
            found.starts_with("a.ctm, line 2, column 10: the recording ends before <ALT_END>"),
            "{found}"
        );
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
        let found = sentences("a.stm", file.as_bytes(), &Reading::default(), false).unwrap();
        let found: Vec<_> = found.iter().map(|(text, before)| (&**text, *before)).collect();
        let expected = [("Good day .", Break::Document), ("Yes?", Break::Line), ("No.", Break::Document)];
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
        let reading = Reading { column: "1".parse().unwrap(), ..Reading::default() };
        assert_eq!(sentences("a.tsv.gz", file.as_bytes(), &reading, false).unwrap()[1].0, "1");
        assert!(error("a.tsv", "id\tbody\n").contains("no column is called \"text\""));
        assert!(error("a.tsv", "id\ttext\n1\ta\n2\n").starts_with("a.tsv, line 3: found 1 columns"));
        assert!("0".parse::<Column>().is_err());
    }

    #[test]
    fn objects_have_a_field_of_text() {
        let file = "{\"text\": \"One.\\nTwo é.\", \"id\": 3}\n\n{\"text\":\"\"}\n";
        assert_eq!(texts("a.jsonl", file), ["One.", "Two é."]);
        assert!(error("a.jsonl", "{\"body\": 1}").contains("found the fields body, but no \"text\""));
        assert!(
            error("a.jsonl", "\n{\"text\": 1}")
                .starts_with("a.jsonl, line 2: field \"text\" is not a string")
        );
        assert!(error("a.jsonl", "[]").contains("no object"));
        assert!(error("a.jsonl", "{").contains("is not a JSON object"));
    }

    #[test]
    fn a_byte_order_mark_is_no_word() {
        assert_eq!(texts("x", "\u{feff}Olá"), ["Olá"]);
        assert_eq!(texts("x.nlp", "\u{feff}token|punctuation\na|."), ["a."]);
    }

    #[test]
    fn the_format_follows_the_name() {
        for (name, format) in [
            ("a.tok", Format::Tok),
            ("b.nlp.xz", Format::Nlp),
            ("c.tsv.gz", Format::Tsv),
            ("d.jsonl.zst", Format::Jsonl),
            ("europarl.en", Format::Lines),
            ("-", Format::Lines),
        ] {
            assert_eq!(Format::Auto.of_name(name), format, "{name}");
        }
        assert_eq!(Format::Tok.of_name("a.tsv"), Format::Tok);
    }
}
