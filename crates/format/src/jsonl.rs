//! JSON lines: one object per line, with text in one field. Escapes are decoded, and written back in the same form.

use std::collections::VecDeque;

use super::buffer::LONGEST;
use super::envelope::Envelope;
use super::grammar::{Grammar, read_record};
use super::head::FileHead;
use super::info::FormatInfo;
use super::json::{Event, Member, compact, decode, is_number, members, quoted, read};
use super::kind::{Format, FormatFamily};
use super::line_parts::{LineParts, TextPart};
use super::piece::{Piece, PieceReader};
use super::record::{Id, LiveRecord};
use super::records::{Faults, GrammarLines};
use super::running_text::RunningText;
use super::segment::{
    self, BlockKind, Item, LocatedItem, LossKind, Losses, Lost, Segment, SegmentInfo, SegmentTag,
    SegmentWord, Time, UnspokenBlock,
};
use super::transcript::{Fault, shortened};
use super::word_lists::{LetterStream, is_list, timed_words};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::Input;
use majuscule_text::{Break, Context, Locale, RestoreOptions};

/// Objects, one per line.
pub(super) const JSONL: FormatInfo = FormatInfo {
    example: "{\"id\": \"New\", \"text\": \"the BBC met \\u0130sland\\nin new york.\"}\r\n\n{\"text\": null}\n{\"id\": \"New\", \"text\": \"the WHO\"}\n{\"text\":\"WHO \\ud801\\udc28 \
         \\\"o'neill\\\" \\u00edsland \\/ \\u00CD.\",\"m\":{\"text\":[1,\"no\"]}}",
    shown: ".jsonl",
    family: FormatFamily::Records,
    extensions: &["jsonl", "ndjson"],
    media_types: &["application/x-ndjson", "application/jsonl", "application/jsonlines"],
    longest_line: LONGEST,
    begins: Some(|head| Some(begins_with_object(head)? == Some(true))),
    grammar: Some(|field| Ok(Box::new(Objects::new(field)))),
    reader: Some(|input, options| Box::new(Jsonl::new(input, options))),
    live: Some(|options| Box::new(Objects::of(options, Context::File))),
    has_paragraphs: true,
    has_context: true,
    has_sentence_lines: true,
    is_cut_by_lines: true,
    has_objects: true,
    segments: Some(&JSONL_OBJECTS),
    ..FormatInfo::LINES
};

/// Returns `Some(Some(true))` if a file begins with one of many objects, one per line, `Some(Some(false))` if it
/// begins with the JSON of Whisper and related tools, and `Some(None)` if it begins with neither; `None` if more
/// bytes are needed.
pub(super) fn begins_with_object(head: FileHead<'_>) -> Option<Option<bool>> {
    let FileHead { text: head, ended, .. } = head;
    if !head.starts_with(b"{") {
        return Some(None);
    }
    // The next character distinguishes an object from a brace in a text.
    match head[1..].iter().find(|b| !b.is_ascii_whitespace()) {
        None => return ended.then_some(None),
        Some(b'"' | b'}') => {}
        Some(_) => return Some(None),
    }
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
    if line.len() == head.len() && !ended {
        return None;
    }
    let (mut depth, mut is_whisper) = (0, false);
    // The first bytes may be cut off: the text is read as far as it goes.
    let text = |bytes: &[u8]| match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned(),
    };
    let line = text(line);
    let whole = read(&line, &mut |event| match event {
        Event::Begin(_) => depth += 1,
        Event::End(_) => depth -= 1,
        Event::Key(name) if depth == 1 => {
            let mut key = String::new();
            decode(&line[name], &mut key);
            let of_whisper = matches!(&*key, "segments" | "chunks" | "transcription" | "word_segments");
            is_whisper |= of_whisper
                || matches!(&*key, "result" | "results" | "utterances" | "transcript" | "monologues")
                || matches!(&*key, "events" | "recognizedPhrases" | "snippets");
        }
        _ => {}
    });
    Some(Some(whole.is_ok() && !is_whisper))
}

/// Objects as segments.
static JSONL_OBJECTS: SegmentInfo = SegmentInfo {
    format: Format::Jsonl,
    unit: "object",
    has_times: true,
    blocks: &BlockKind::ALL,
    check_field: |field| match field.contains('.') {
        false => Ok(()),
        true => Err(Error::usage(format!(
            "{} {field}: convert accepts only a field of the object itself, not a nested one",
            option("field")
        ))),
    },
    writer: Ok(|| Box::new(JsonlWriter)),
    ..SegmentInfo::LINES
};

/// The number of bytes after which a piece ends at the first line end.
const PIECE: usize = 1 << 16;

/// Objects, read from any input. The text of each is read line by line, as by [`Plain`](super::Plain). Each object is
/// a separate text, or consecutive objects form one text together: see [`RestoreOptions::context`] and
/// [`RestoreOptions::group`].
#[derive(Debug)]
pub struct Jsonl<'a> {
    lines: GrammarLines<'a>,
    /// The strings of the last line.
    parts: LineParts,
    /// True if each object is a separate text.
    is_apart: bool,
    options: RestoreOptions,
    text: RunningText,
}

/// The grouping of objects into texts.
#[derive(Debug)]
enum JoinedObjects {
    /// No grouping: each record is a separate text.
    None,
    /// One group of all records.
    All,
    /// Groups of consecutive records with the same value in the field that these keys lead to.
    Equal(Vec<String>),
}

impl<'a> Jsonl<'a> {
    /// Reads objects; [`RestoreOptions::field`] names the text field, with dots between keys
    /// (`result.text`); it is `text` by default.
    pub fn new(input: Input<'a>, options: RestoreOptions) -> Self {
        let objects = Objects::of(&options, Context::Line);
        let is_apart = matches!(objects.joined, JoinedObjects::None);
        Self::of_grammar(input, options, Format::Jsonl, Box::new(objects), is_apart)
    }

    /// Reads records of another format whose text is escaped in the file; `is_apart` is true if each record is a
    /// separate text.
    pub(super) fn of_grammar(
        input: Input<'a>,
        options: RestoreOptions,
        format: Format,
        grammar: Box<dyn Grammar>,
        is_apart: bool,
    ) -> Self {
        Self {
            is_apart,
            lines: GrammarLines::new(input, format, grammar, Faults::of(&options)),
            parts: LineParts::default(),
            text: RunningText::of_lines(&options),
            options,
        }
    }

    /// Appends the last line to the piece.
    fn take(&mut self, piece: &mut Piece) -> Result<()> {
        let start = piece.frame.source.len() + self.lines.lines.text().start;
        piece.frame.source.extend_from_slice(self.lines.lines.whole());
        let (line, grammar) = self.lines.text()?;
        let first = self.text.view.len();
        for TextPart { position, before, quotes, .. } in self.parts.positions.drain(..) {
            if before == Some(Break::Document) {
                self.text.end_text(&mut piece.tokens);
            }
            let text = self.text.run_on();
            let from = text.len();
            grammar.decode(&line[position.clone()], text);
            let source = start + position.start..start + position.end;
            if let Some(quotes) = quotes {
                piece.frame.quote(source.start, quotes);
            }
            piece.frame.place(from..text.len(), source);
            text.push('\n');
        }
        piece.frame.add(grammar.listed_words(line, &self.text.view, first), start);
        Ok(())
    }
}

/// Returns the keys of a nested field.
fn keys(field: &str) -> Vec<String> {
    field.split('.').map(str::to_owned).collect()
}

/// Returns the string or number in the field that identifies an object, `id` by default.
pub(super) fn id(json: &str, field: Option<&str>) -> Result<Option<Id>, Fault> {
    let field = field.unwrap_or("id");
    let (mut depth, mut is_next, mut found) = (0, false, None);
    read(json, &mut |event| match event {
        Event::Begin(_) => {
            depth += 1;
            is_next = false;
        }
        Event::End(_) => depth -= 1,
        Event::Key(key) => {
            let mut name = String::new();
            decode(&json[key], &mut name);
            is_next = depth == 1 && name == field;
        }
        Event::String(position) | Event::Other(position) => {
            if std::mem::take(&mut is_next) && &json[position.clone()] != "null" {
                found = Some(Id::Name(json[position].to_owned()));
            }
        }
    })?;
    Ok(found)
}

/// Reports the values that the keys lead to; arrays on the way are traversed.
fn at_path(line: &str, path: &[String], tell: &mut dyn FnMut(Event)) -> Result<(), Fault> {
    // The depth in `path` that each open object or array has reached, and the depth of the next value; `None` off the
    // path.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut next = Some(0);
    let mut key = String::new();
    read(line, &mut |event| {
        match event {
            Event::Begin(_) => return open.push(next),
            Event::End(_) => {
                open.pop();
            }
            Event::Key(name) => {
                key.clear();
                decode(&line[name], &mut key);
                let depth = open.last().copied().flatten();
                next = depth.filter(|&depth| path.get(depth) == Some(&key)).map(|depth| depth + 1);
                return;
            }
            Event::String(_) | Event::Other(_) if next == Some(path.len()) => tell(event),
            Event::String(_) | Event::Other(_) => {}
        }
        next = open.last().copied().flatten();
    })
}

/// Returns the positions of the strings that the keys lead to.
fn strings(line: &str, path: &[String]) -> Result<Vec<std::ops::Range<usize>>, Fault> {
    let (mut found, mut wrong) = (Vec::new(), None);
    at_path(line, path, &mut |value| match value {
        Event::String(string) => found.push(string),
        Event::Other(position) if &line[position.clone()] != "null" => {
            wrong.get_or_insert(position.start);
        }
        _ => {}
    })?;
    let name = path.join(".");
    if let Some(at) = wrong {
        return Err(no_string(at, &name));
    }
    if found.is_empty() && !line.contains("null") {
        return Err(no_field(&name));
    }
    Ok(found)
}

fn no_string(at: usize, name: &str) -> Fault {
    let problem = format!(
        "found no string in \"{name}\", but a text is expected there; {} names another field",
        option("field")
    );
    Fault { at, problem }
}

fn no_field(name: &str) -> Fault {
    let problem = format!(
        "found no field \"{name}\", but one with the text is expected; {} names another field",
        option("field")
    );
    Fault { at: 0, problem }
}

impl PieceReader for Jsonl<'_> {
    fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        piece.clear();
        self.text.clear();
        // The text of this piece need not wait for more input if no later text can change it.
        piece.after = if self.is_apart { Break::Document } else { Break::Line };
        while piece.frame.source.len() < PIECE && (piece.frame.is_none() || self.lines.lines.is_ready()) {
            if !self.lines.next_parts(&mut self.parts)? {
                piece.after = Break::Document;
                break;
            }
            self.take(piece)?;
        }
        if !self.lines.grammar.is_between() {
            // A record continues.
            piece.after = piece.after.min(Break::Line);
        }
        self.text.end_piece(None, &self.options, piece);
        Ok(!piece.frame.is_none())
    }
}

/// Reads objects. Each string that the keys lead to is read as one or more separate lines. An object is a segment:
/// `{"id":"1","begin":1.0,"end":2.5,"text":"so","tags":[[0,"<i>"]]}`, or a block: `{"note":"so","text":null}`.
#[derive(Debug)]
struct Objects {
    field: String,
    /// The keys that lead to the text; arrays on the way are traversed.
    path: Vec<String>,
    /// The field that identifies an object.
    id: Option<String>,
    joined: JoinedObjects,
    /// The value of the grouping field in the last object.
    last: Option<String>,
    /// The case mappings of a text into which marks are inserted.
    marked: Option<Locale>,
}

impl Objects {
    /// Reads the text from the field of this name, with dots between keys, or from `text` by default. Objects can be
    /// read as items only if the name has no dots.
    pub(super) fn new(field: Option<&str>) -> Self {
        let field = field.map(str::to_owned);
        Self::of(&RestoreOptions::default().field(field), Context::File)
    }

    /// Reads objects according to the options; `open` is the context if the options do not set one.
    pub(super) fn of(options: &RestoreOptions, open: Context) -> Self {
        let field = options.field.as_deref().unwrap_or("text");
        let context = if options.context == Context::Auto { open } else { options.context };
        let joined = match (&options.group, context) {
            (Some(field), _) => JoinedObjects::Equal(keys(field)),
            (None, Context::File) => JoinedObjects::All,
            (None, _) => JoinedObjects::None,
        };
        let (id, marked) = (options.id.clone(), options.puts().map(|_| options.locale()));
        Self { field: field.to_owned(), path: keys(field), id, joined, last: None, marked }
    }

    /// Returns true if an object that has text begins a new text.
    fn begins(&mut self, line: &str) -> Result<bool, Fault> {
        let path = match &self.joined {
            JoinedObjects::None => return Ok(true),
            JoinedObjects::All => return Ok(false),
            JoinedObjects::Equal(path) => path,
        };
        let (mut found, mut is_there) = (None, false);
        at_path(line, path, &mut |value| {
            is_there = true;
            match value {
                Event::String(position) => {
                    let mut text = String::new();
                    decode(&line[position], &mut text);
                    found.get_or_insert(text);
                }
                Event::Other(position) if &line[position.clone()] != "null" => {
                    found.get_or_insert(line[position].to_owned());
                }
                _ => {}
            }
        })?;
        if !is_there {
            let problem = format!(
                "found no field \"{}\", but {} needs it to group records",
                path.join("."),
                option("group")
            );
            return Err(Fault { at: 0, problem });
        }
        let begins = found.is_none() || self.last != found;
        self.last = found;
        Ok(begins)
    }

    /// Returns the block of an object, if it is one.
    fn block(&self, line: &str, members: &[Member]) -> Option<UnspokenBlock> {
        let mut rest = members.iter().filter(|member| member.key != self.field || !member.is_null(line));
        let (member, None) = (rest.next()?, rest.next()) else { return None };
        let kind = BlockKind::ALL.into_iter().find(|kind| kind.name() == member.key)?;
        let text = match kind {
            BlockKind::Document => Some(compact(member.raw(line))).filter(|raw| raw.starts_with('{'))?,
            _ => member.string(line)?,
        };
        Some(UnspokenBlock { kind, text })
    }
}

impl Grammar for Objects {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let strings = strings(line, &self.path)?;
        let begins = !strings.is_empty() && self.begins(line)?;
        let breaks = begins.then_some(Break::Document).into_iter().chain(std::iter::repeat(Break::Line));
        strings.into_iter().zip(breaks).for_each(|(string, before)| parts.push(string, Some(before)));
        Ok(())
    }

    fn decode(&self, part: &str, out: &mut String) {
        decode(part, out);
    }

    /// The words are not changed; each gets an additional field with the case and the punctuation of the text.
    fn listed_words(&self, line: &str, text: &str, from: usize) -> Envelope {
        let mut found = Envelope::default();
        let (Some(locale), [before @ .., _]) = (self.marked, &self.path[..]) else { return found };
        let is_list =
            |path: &[String]| path.split_last().is_some_and(|(list, path)| path == before && is_list(list));
        let mut words = timed_words(line, &is_list, false);
        words.retain(|word| !word.is_marked);
        if !words.is_empty() {
            let strings = words.iter().map(|word| word.string.clone());
            LetterStream::of(text, from, locale).place(line, strings, locale, &mut found);
        }
        words.into_iter().for_each(|word| found.mark_beside(word, 0));
        found
    }

    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let members = members(line, &(0..line.len()))?;
        if !line.trim_start().starts_with('{') {
            return Err(no_field(&self.field));
        }
        let (item, parts) = match self.block(line, &members) {
            Some(block) => (Item::Block(block), Vec::new()),
            None => {
                let (segment, parts) = read_segment(line, members, &self.field)?;
                (Item::Segment(segment), parts)
            }
        };
        out.push_back(LocatedItem::new(item, line, number, parts));
        Ok(())
    }

    fn record(&mut self, line: &str, record: &mut LiveRecord) -> Result<(), Fault> {
        read_record(self, line, record)?;
        record.frame.add(self.listed_words(line, &record.text, 0), 0);
        if !line.trim().is_empty() {
            record.id = id(line, self.id.as_deref())?;
        }
        Ok(())
    }
}

/// Reads an object as a segment whose text is in this field.
pub(super) fn read_segment(
    line: &str,
    members: Vec<Member>,
    field: &str,
) -> Result<(Segment, Vec<(LossKind, usize)>), Fault> {
    let (mut segment, mut parts) = (Segment::default(), Vec::new());
    let mut text = None;
    let mut tags = None;
    for member in members {
        let Member { key, position } = &member;
        let string = || member.string(line);
        let (part, taken) = match key.as_str() {
            key if key == field => {
                text = string().or_else(|| member.is_null(line).then(String::new));
                if text.is_none() {
                    return Err(no_string(position.start, key));
                }
                (LossKind::Text, true)
            }
            "id" => {
                segment.id = string().or_else(|| member.number(line).map(str::to_owned));
                (LossKind::Id, segment.id.is_some())
            }
            "confidence" => {
                segment.confidence = string().or_else(|| member.number(line).map(str::to_owned));
                (LossKind::Confidence, segment.confidence.is_some())
            }
            "begin" | "start" => (LossKind::Times, take_time(line, &member, &mut segment.begin)?),
            "end" => (LossKind::Times, take_time(line, &member, &mut segment.end)?),
            "recording" => (LossKind::Recording, take(string(), &mut segment.recording)),
            "channel" => (LossKind::Channel, take(string(), &mut segment.channel)),
            "speaker" => (LossKind::Speaker, take(string(), &mut segment.speaker)),
            "settings" => (LossKind::Settings, take(string(), &mut segment.settings)),
            "coordinates" => (LossKind::Coordinates, take(string(), &mut segment.coordinates)),
            "type" => (LossKind::Format, take(string(), &mut segment.kind)),
            "label" => (LossKind::Label, take(string(), &mut segment.label)),
            "tags" => {
                tags = Some(member);
                continue;
            }
            "words" => {
                segment.words = read_words(line, &member)?.unwrap_or_default();
                (LossKind::Words, !segment.words.is_empty())
            }
            _ => (LossKind::Other, false),
        };
        parts.push((if taken { part } else { LossKind::Other }, position.start));
        if !taken {
            segment.other.push((key.clone(), compact(member.raw(line))));
        }
    }
    segment.text = text.ok_or_else(|| no_field(field))?;
    if let Some(member) = tags {
        match read_tags(line, &member, segment.text.chars().count())? {
            Some(tags) => {
                parts.extend(tags.iter().map(|_| (LossKind::Tags, member.position.start)));
                segment.tags = tags;
            }
            None => {
                parts.push((LossKind::Other, member.position.start));
                segment.other.push((member.key.clone(), compact(member.raw(line))));
            }
        }
    }
    Ok((segment, parts))
}

/// Stores a value if there is one and the field is empty, and returns true if it was stored.
fn take<T>(found: Option<T>, field: &mut Option<T>) -> bool {
    let takes = field.is_none() && found.is_some();
    if takes {
        *field = found;
    }
    takes
}

/// Stores a number as a time.
pub(super) fn take_time(json: &str, member: &Member, time: &mut Option<Time>) -> Result<bool, Fault> {
    let Some(number) = member.number(json).filter(|_| time.is_none()) else { return Ok(false) };
    *time = Time::parse(number);
    if time.is_none() {
        let problem = format!(
            "found {}, but a time in seconds is expected, from 0 and with 24 digits after the point at most",
            shortened(number)
        );
        return Err(Fault { at: member.position.start, problem });
    }
    Ok(true)
}

/// Reads `[[0,"<i>"],[3,"</i>"]]` for a text of `len` characters; `None` for any other value.
fn read_tags(json: &str, member: &Member, len: usize) -> Result<Option<Vec<SegmentTag>>, Fault> {
    let (mut tags, mut last) = (Vec::new(), 0);
    for tag in members(json, &member.position)? {
        let pair = members(json, &tag.position)?;
        let [at, tag] = &pair[..] else { return Ok(None) };
        let at = at.number(json).and_then(|at| at.parse().ok()).filter(|at| (last..=len).contains(at));
        let (Some(at), Some(tag)) = (at, tag.string(json).filter(|tag| !tag.is_empty())) else {
            return Ok(None);
        };
        last = at;
        tags.push(SegmentTag { at, tag });
    }
    Ok(Some(tags).filter(|tags| !tags.is_empty() && member.raw(json).starts_with('[')))
}

/// Reads `[{"text":" so","begin":1.0,"end":1.2,"confidence":0.9}]`; `None` for any other value.
fn read_words(json: &str, member: &Member) -> Result<Option<Vec<SegmentWord>>, Fault> {
    if !member.raw(json).starts_with('[') {
        return Ok(None);
    }
    let mut words = Vec::new();
    for object in members(json, &member.position)? {
        let mut word = SegmentWord::default();
        let mut text = None;
        if !object.raw(json).starts_with('{') {
            return Ok(None);
        }
        for member in members(json, &object.position)? {
            let taken = match member.key.as_str() {
                "text" | "word" => take(member.string(json), &mut text),
                "begin" | "start" => take_time(json, &member, &mut word.begin)?,
                "end" => take_time(json, &member, &mut word.end)?,
                "confidence" | "probability" | "score" => {
                    let text = member.string(json).or_else(|| member.number(json).map(str::to_owned));
                    take(text, &mut word.confidence)
                }
                _ => false,
            };
            if !taken {
                word.other.push((member.key.clone(), compact(member.raw(json))));
            }
        }
        let Some(text) = text else { return Ok(None) };
        words.push(SegmentWord { text, ..word });
    }
    Ok(Some(words))
}

/// Writes objects one by one. They can hold all information of any format.
#[derive(Debug)]
struct JsonlWriter;

impl segment::SegmentWriter for JsonlWriter {
    fn conform(&mut self, segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost> {
        if let Some(nth) = segment.other.iter().position(|(name, _)| name == "text") {
            let problem = format!(
                "the record has a field \"text\" besides the field that {} names, and both would be written as \"text\"",
                option("field")
            );
            return Err(Lost { nth, ..losses.reject(LossKind::Other, problem) });
        }
        Ok(vec![segment])
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        let mut fields = ObjectFields::new(out);
        match item {
            Item::Block(block) => {
                match block.kind {
                    BlockKind::Document => fields.push(block.kind.name(), &block.text),
                    kind => fields.push(kind.name(), &quoted(&block.text)),
                }
                // Readers of text skip an object whose text is null.
                fields.push("text", "null");
            }
            Item::Segment(segment) => write_segment(segment, &NAMES, &mut fields),
        }
        out.push_str("}\n");
    }
}

/// The fields of an object being written.
pub(super) struct ObjectFields<'a> {
    out: &'a mut String,
    is_first: bool,
}

impl<'a> ObjectFields<'a> {
    /// Starts an object.
    pub(super) fn new(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, is_first: true }
    }

    /// Appends a field with a value in JSON.
    pub(super) fn push(&mut self, name: &str, json: &str) {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.push(',');
        }
        self.out.push_str(&quoted(name));
        self.out.push(':');
        self.out.push_str(json);
    }

    pub(super) fn text(&mut self, name: &str, text: &Option<String>) {
        if let Some(text) = text {
            self.push(name, &quoted(text));
        }
    }

    /// Appends a field with a number if the text is one, otherwise with a string.
    pub(super) fn number(&mut self, name: &str, text: &Option<String>) {
        if let Some(text) = text {
            self.push(name, &if is_number(text) { text.clone() } else { quoted(text) });
        }
    }

    pub(super) fn time(&mut self, name: &str, time: Option<Time>) {
        if let Some(time) = time {
            self.push(name, &time.seconds(1));
        }
    }

    pub(super) fn other(&mut self, fields: &[(String, String)]) {
        for (name, json) in fields {
            self.push(name, json);
        }
    }
}

/// The names of fields.
pub(super) struct FieldNames {
    /// True to write a numeric identifier as a number.
    pub(super) numbers: bool,
    pub(super) begin: &'static str,
    pub(super) word: &'static str,
    pub(super) confidence: &'static str,
    /// The white space before the text.
    pub(super) space: &'static str,
}

const NAMES: FieldNames =
    FieldNames { numbers: false, begin: "begin", word: "text", confidence: "confidence", space: "" };

/// Writes all fields of a segment.
pub(super) fn write_segment(segment: &Segment, names: &FieldNames, fields: &mut ObjectFields<'_>) {
    match names.numbers {
        true => fields.number("id", &segment.id),
        false => fields.text("id", &segment.id),
    }
    fields.text("recording", &segment.recording);
    fields.text("channel", &segment.channel);
    fields.text("speaker", &segment.speaker);
    fields.time(names.begin, segment.begin);
    fields.time("end", segment.end);
    let space = if segment.text.is_empty() || !segment.tags.is_empty() { "" } else { names.space };
    fields.push("text", &quoted(&format!("{space}{}", segment.text)));
    if !segment.tags.is_empty() {
        let tags = segment.tags.iter().map(|tag| format!("[{},{}]", tag.at, quoted(&tag.tag)));
        fields.push("tags", &array(tags));
    }
    fields.text("settings", &segment.settings);
    fields.text("coordinates", &segment.coordinates);
    fields.number("confidence", &segment.confidence);
    fields.text("type", &segment.kind);
    fields.text("label", &segment.label);
    if !segment.words.is_empty() {
        let words = segment.words.iter().map(|word| {
            let mut out = String::new();
            let mut fields = ObjectFields::new(&mut out);
            fields.push(names.word, &quoted(&word.text));
            fields.time(names.begin, word.begin);
            fields.time("end", word.end);
            fields.number(names.confidence, &word.confidence);
            fields.other(&word.other);
            out + "}"
        });
        fields.push("words", &array(words));
    }
    fields.other(&segment.other);
}

pub(super) fn array(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}
