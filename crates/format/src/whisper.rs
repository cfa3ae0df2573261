//! The JSON of Whisper and related tools: a text in segments, and the same words again as a whole and one by one.
//!
//! The restored text is in the segments (`segments[].text`, `chunks[].text`, `transcription[].text`); without
//! segments, it is the whole text (`text`), and without that the words. All other occurrences of a word (`text`;
//! `word` or `text` of each of `words`, `word_timings` and `word_segments`; `tokens[].text`) get the capitals of the
//! word in the restored text. A turn begins where `segments[].speaker` changes.

use std::collections::VecDeque;
use std::ops::Range;

use super::buffer::{not_utf8, text};
use super::cue::{CueScanner, push_untagged};
use super::envelope::PUNCTUATED;
use super::grammar::Grammar;
use super::heard_words;
use super::info::FormatInfo;
use super::json::{Event, Member, compact, decode, members, quoted, read};
use super::jsonl::{FieldNames, ObjectFields, array, begins_with_object, id, read_segment, write_segment};
use super::kind::{Format, FormatFamily};
use super::line_parts::LineParts;
use super::pauses::Pauses;
use super::piece::{Piece, PieceReader};
use super::recogniser;
use super::record::{LiveRecord, Record, RecordSource};
use super::records::explained;
use super::running_text::{RunningText, fill};
use super::segment::{
    self, BlockKind, Item, LocatedItem as FoundItem, LossKind, Losses, Lost, Segment, SegmentInfo,
    SegmentWord, Time, UnspokenBlock, has_text,
};
use super::transcript::Fault;
use super::word_lists::{LetterStream, is_list, timed_words};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{BOM, Input};
use majuscule_text::{Break, LanguageTag, RestoreOptions, Tokens};

/// The JSON of Whisper and related tools.
pub(super) const WHISPER_JSON: FormatInfo = FormatInfo {
    example: "{\"text\": \" the bbc met \\u0131 in\\nnew york. who\", \"segments\": [{\"id\": 0, \"text\": \" the bbc met \\u0131\", \"words\": [{\"word\": \
         \" the\", \"p\": NaN}, {\"word\": \" bbc\"}, {\"word\": \" me\"}, {\"word\": \"t\"}]}, {\"text\": \" in new york. who [laughs]\"}]}",
    shown: "Whisper's JSON",
    family: FormatFamily::Transcript,
    extensions: &["json", "json3"],
    media_types: &["application/json"],
    begins: Some(|head| Some(begins_with_object(head)? == Some(false))),
    reader: Some(|input, options| Box::new(Whisper { input: Some(input), options })),
    texts: Some(|input| Box::new(SegmentTexts { input: Some(input), ..SegmentTexts::default() })),
    live: Some(|options| Box::new(LiveDocuments(options.clone()))),
    names_speakers: true,
    has_pauses: true,
    runs_on: true,
    is_heard: true,
    declares_language: true,
    segments: Some(&WHISPER_SEGMENTS),
    items: Some(read_items),
    ..FormatInfo::LINES
};

/// The segments of a document.
static WHISPER_SEGMENTS: SegmentInfo = SegmentInfo {
    format: Format::WhisperJson,
    unit: "segment",
    blocks: &[BlockKind::Document],
    parts: &[
        LossKind::Id,
        LossKind::Speaker,
        LossKind::Times,
        LossKind::Breaks,
        LossKind::Words,
        LossKind::Confidence,
    ],
    has_times: true,
    writer: Ok(|| Box::new(WhisperWriter::default())),
    ..SegmentInfo::LINES
};

/// A document, which is read whole: its text is at several positions.
#[derive(Debug)]
struct Whisper<'a> {
    input: Option<Input<'a>>,
    options: RestoreOptions,
}

impl PieceReader for Whisper<'_> {
    fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        piece.clear();
        let Some(input) = self.input.take() else { return Ok(false) };
        let name = input.name().to_owned();
        let source = input.bytes()?;
        piece.after = Break::Document;
        if source.is_empty() {
            return Ok(false);
        }
        if source.len() >= u32::MAX as usize / 2 {
            return Err(Error::file(name, "the document is larger than 2 GiB: split it"));
        }
        let mut mended = Vec::new();
        let json =
            text(&source, &mut mended, self.options.lossy).map_err(|_| not_utf8(&name, 0, 0, &source))?;
        let start = if source.starts_with(BOM) { BOM.len() } else { 0 };
        match StringPlaces::read(&json[start..]) {
            Ok(found) => {
                let mut view = found.view(json, start, &self.options, piece);
                view.running.end_piece(Some(&view.text), &self.options, piece);
            }
            // The document is copied unchanged.
            Err(_) if self.options.lossy => {
                piece.source.extend_from_slice(&source);
                return Ok(true);
            }
            Err(fault) => {
                return Err(explained(fault).error_in(&name, &json[start..]));
            }
        }
        piece.frame.source = source;
        Ok(true)
    }
}

/// Reads only the text of the segments of a document.
#[derive(Debug, Default)]
struct SegmentTexts<'a> {
    input: Option<Input<'a>>,
    json: String,
    /// The positions of the text and the speaker of each segment that has not been read yet, the last segment first.
    positions: Vec<(Range<usize>, Option<Range<usize>>)>,
    is_cues: bool,
    cues: CueScanner,
    speaker: Option<String>,
    is_begun: bool,
    lines: LineNumbers,
}

impl SegmentTexts<'_> {
    fn read(&mut self, input: Input<'_>) -> Result<()> {
        let name = input.name().to_owned();
        self.json = input.text()?;
        if self.json.is_empty() {
            return Ok(());
        }
        let found = StringPlaces::read(&self.json).map_err(|fault| fault.error_in(&name, &self.json))?;
        self.is_cues = !(found.kinds[SEGMENT].is_empty() && found.kinds[WHOLE].is_empty());
        let speakers = found.speakers.clone().into_iter().chain(std::iter::repeat(None));
        let texts = found.kinds().into_iter().find(|positions| !positions.is_empty()).unwrap_or_default();
        self.positions = texts.into_iter().zip(speakers).collect();
        self.positions.reverse();
        Ok(())
    }
}

impl RecordSource for SegmentTexts<'_> {
    fn next(&mut self, record: &mut Record) -> Result<bool> {
        record.clear();
        if let Some(input) = self.input.take() {
            self.read(input)?;
        }
        let Some((position, speaker)) = self.positions.pop() else { return Ok(false) };
        record.line = self.lines.of(&self.json, &position).0;
        let speaker = speaker.map(|name| self.json[name].to_owned());
        if std::mem::replace(&mut self.is_begun, true) && speaker != self.speaker {
            self.cues.turn();
        }
        self.speaker = speaker;
        if self.is_cues {
            self.cues.begin();
        }
        let (mut text, mut parts, mut end) = (String::new(), LineParts::default(), None);
        decode(&self.json[position], &mut text);
        self.cues.line(&text, "", &mut parts);
        for part in parts.positions.drain(..) {
            let between = end.replace(part.position.end).and_then(|end| text.get(end..part.position.start));
            let start = record.text.len();
            push_untagged(&text[part.position.clone()], |_| None, &mut record.text);
            record.stretches.push((start..record.text.len(), part.break_before(between)));
        }
        Ok(true)
    }
}

/// Documents that arrive live, one per line; [`RestoreOptions::id`] names the field that identifies
/// one.
#[derive(Debug)]
struct LiveDocuments(RestoreOptions);

impl Grammar for LiveDocuments {
    /// Line parts cannot represent the text of a document, which has several positions in its line.
    fn line(&mut self, _: &str, _: &mut LineParts) -> Result<(), Fault> {
        Ok(())
    }

    fn record(&mut self, line: &str, record: &mut LiveRecord) -> Result<(), Fault> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let on_a_line = |fault: Fault| {
            let problem = format!(
                "{}; with {}, each document is expected on one line",
                fault.problem,
                option("stream")
            );
            Fault { problem, ..fault }
        };
        let found = StringPlaces::read(line).map_err(on_a_line)?;
        let mut piece = Piece::default();
        let view = found.view(line, 0, &self.0, &mut piece);
        record.text = view.running.view;
        fill(&mut record.text, view.text.len());
        record.text = with_wide_blanks(&view.text, &record.text);
        for turn in view.turns {
            // A turn is a paragraph of live text, if there is room for its empty line.
            let blanks = record.text.as_bytes()[..turn].iter().rev().take(2).take_while(|&&b| b == b' ');
            let blanks = blanks.count();
            record.text.replace_range(turn - blanks..turn, &"\n\n"[..blanks]);
        }
        record.frame = piece.frame;
        record.id = id(line, self.0.id.as_deref())?;
        Ok(())
    }
}

/// Returns the language that a document declares, as written: `en`, or `english`. A text that is not
/// a [`LanguageTag`] declares none.
pub fn language(json: &[u8]) -> Option<String> {
    let json = str::from_utf8(json.strip_prefix(BOM).unwrap_or(json)).ok()?;
    // The keys that lead to each open object or array.
    let (mut open, mut path, mut language) = (Vec::new(), Vec::new(), None);
    let read = read(json, &mut |event| match event {
        Event::Begin(_) => open.push(path.len()),
        Event::End(_) => path.truncate(open.pop().unwrap_or(0)),
        Event::Key(name) => {
            path.truncate(open.last().copied().unwrap_or(0));
            path.push(name);
        }
        Event::String(position) => {
            let is = |at: usize, key: &str| path.get(at).is_some_and(|name| &json[name.clone()] == key);
            let is_inside = path.len() == 2 && is(0, "result") && is(1, "language");
            if is_inside || path.len() == 1 && is(0, "language") {
                let mut text = String::new();
                decode(&json[position], &mut text);
                language.get_or_insert(text);
            }
        }
        Event::Other(_) => {}
    });
    read.ok().and(language).filter(|name| name.parse::<LanguageTag>().is_ok())
}

fn nothing() -> Fault {
    let problem = "found no \"text\", \"segments\" or \"words\", but one of them is expected, as in Whisper's JSON: write other \
         JSON as one object per line, and read it as jsonl";
    Fault { at: 0, problem: problem.to_owned() }
}

/// The positions of the strings of each kind, between their quotes.
#[derive(Debug, Default)]
struct StringPlaces {
    /// The texts in lists of Whisper's kinds, the kind that is the text of the document first.
    kinds: [Vec<Range<usize>>; 9],
    /// The same words elsewhere in the documents of other recognisers, by the names that lead there.
    elsewhere: Vec<(Vec<String>, Vec<Range<usize>>)>,
    /// The speaker of each segment, if the document names one.
    speakers: Vec<Option<Range<usize>>>,
    /// The begin and end times of each segment, if the document has them.
    times: Vec<[Option<Time>; 2]>,
    /// True if the texts in a list are segments, because one has times or words; otherwise each text
    /// in a list is a separate record.
    has_segments: bool,
}

/// The role of a string in a document.
enum StringRole {
    /// A text of this kind: [`SEGMENT`], [`WHOLE`], or a word of one of the lists, inside segments or next to them.
    Text(usize),
    Speaker,
    /// A word, or another form of the text.
    Elsewhere,
}

/// The kinds of texts whose lists are not lists of words: the text of a segment, and the text as a whole.
const SEGMENT: usize = 0;
const WHOLE: usize = 1;

/// The kinds of words with their punctuation, each before the two kinds of the same words without it.
const PUNCTUATED_KINDS: [usize; 2] = [2, 6];

/// Returns the role of a string by the keys that lead to it: those of Whisper and related programs, then those of other
/// recognisers.
fn string_role(keys: &[&str]) -> Option<StringRole> {
    Some(match keys {
        ["text" | "transcript"] => StringRole::Text(WHOLE),
        ["segments" | "chunks" | "transcription" | "snippets" | "utterances", "text"]
        | ["segments", "body"]
        | ["results", "alternatives" | "transcripts", "transcript"]
        | ["results", "channels", "alternatives", "transcript"]
        | ["recognizedPhrases", "nBest", "display"] => StringRole::Text(SEGMENT),
        ["segments" | "chunks" | "transcription" | "utterances", "speaker"] => StringRole::Speaker,
        ["segments" | "chunks", "words" | "word_timings", PUNCTUATED] => StringRole::Text(2),
        ["segments" | "chunks", "words" | "word_timings", "word"] => StringRole::Text(3),
        ["segments" | "chunks", "words" | "word_timings", "text"] => StringRole::Text(4),
        ["transcription", "tokens", "text"] => StringRole::Text(5),
        ["words" | "word_timings" | "word_segments", PUNCTUATED] => StringRole::Text(6),
        ["words" | "word_timings" | "word_segments", "word"] => StringRole::Text(7),
        ["words" | "word_timings" | "word_segments", "text"] => StringRole::Text(8),
        ["tokens"]
        | ["timestamp", "word", "word"]
        | ["timestamp", "segment", "segment"]
        | ["combinedRecognizedPhrases", "display"] => StringRole::Elsewhere,
        [lists @ .., "word" | "text" | "alignedWord" | "transcript" | PUNCTUATED]
        | [lists @ .., "content" | "value" | "utf8"]
            if are_lists(lists) =>
        {
            StringRole::Elsewhere
        }
        _ => return None,
    })
}

/// An open object or array.
struct OpenValue {
    /// The number of keys that lead to it; an array has the path of its parent.
    keys: usize,
    /// Its number among the objects and arrays in its parent.
    nth: usize,
    /// The number of objects and arrays in it so far.
    values: usize,
}

/// The segments of an open object.
#[derive(Default)]
struct OpenSegments {
    /// The index of its first segment.
    first: usize,
    speaker: Option<Range<usize>>,
    times: [Option<Time>; 2],
}

impl StringPlaces {
    fn read(json: &str) -> Result<Self, Fault> {
        let mut found = Self::default();
        let mut open: Vec<OpenValue> = Vec::new();
        let mut path: Vec<String> = Vec::new();
        let mut segments = OpenSegments::default();
        read(json, &mut |event| match event {
            Event::Begin(_) => {
                let nth = open.last().map_or(0, |outer| outer.values);
                if let Some(outer) = open.last_mut() {
                    outer.values += 1;
                }
                open.push(OpenValue { keys: path.len(), nth, values: 0 });
                if path.len() == 1 {
                    segments = OpenSegments { first: found.speakers.len(), ..OpenSegments::default() };
                }
            }
            Event::End(_) => path.truncate(open.pop().map_or(0, |value| value.keys)),
            Event::Key(name) => {
                path.truncate(open.last().map_or(0, |value| value.keys));
                let mut key = String::new();
                decode(&json[name], &mut key);
                found.has_segments |= path.is_empty() && is_segment_field(&key);
                path.push(key);
            }
            Event::String(position) => {
                let nth = open.last().map_or(0, |value| value.nth);
                found.push(position, &path, nth, &mut segments);
            }
            Event::Other(position) => found.time(&json[position], &path, &mut segments),
        })?;
        let is_none = |(kind, list): (usize, &Vec<_>)| list.is_empty() || PUNCTUATED_KINDS.contains(&kind);
        if found.kinds.iter().enumerate().all(is_none) && found.elsewhere.is_empty() {
            return Err(nothing());
        }
        Ok(found)
    }

    /// Adds a string at this path, in element `nth` of its list.
    fn push(&mut self, position: Range<usize>, path: &[String], nth: usize, open: &mut OpenSegments) {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        // Of several results for the same speech, the first is the text.
        let is_other = nth > 0 && matches!(keys[..], [.., "alternatives" | "nBest", _]);
        match string_role(&keys).map(|role| if is_other { StringRole::Elsewhere } else { role }) {
            Some(StringRole::Text(kind)) => {
                self.kinds[kind].push(position);
                if kind == SEGMENT {
                    self.speakers.push(open.speaker.clone());
                    self.times.push(open.times);
                }
            }
            Some(StringRole::Speaker) => {
                self.speakers[open.first..].fill(Some(position.clone()));
                open.speaker = Some(position);
            }
            Some(StringRole::Elsewhere) => {
                match self.elsewhere.iter_mut().find(|(names, _)| *names == keys) {
                    Some((_, positions)) => positions.push(position),
                    None => self.elsewhere.push((path.to_vec(), vec![position])),
                }
            }
            None => {}
        }
    }

    /// Adds a number at this path, if it is a time of the open segments.
    fn time(&mut self, number: &str, path: &[String], open: &mut OpenSegments) {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        let Some((&("segments" | "chunks" | "transcription"), keys)) = keys.split_first() else { return };
        let (at, time) = match keys {
            ["start"] => (0, Time::parse(number)),
            ["end"] => (1, Time::parse(number)),
            // `start` and `end` take precedence, and only the first two numbers of `timestamp` count.
            ["timestamp"] => match open.times.iter().position(Option::is_none) {
                Some(at) => (at, Time::parse(number)),
                None => return,
            },
            ["offsets", "from"] => (0, open.times[0].or_else(|| milliseconds(number))),
            ["offsets", "to"] => (1, open.times[1].or_else(|| milliseconds(number))),
            _ => return,
        };
        open.times[at] = time;
        self.times[open.first..].iter_mut().for_each(|found| found[at] = time);
    }

    /// Returns the positions of each kind, the text first. A list of words with punctuation comes before the same
    /// words without it, unless it lacks some words.
    fn kinds(self) -> Vec<Vec<Range<usize>>> {
        let mut kinds = Vec::from(self.kinds);
        for marked in PUNCTUATED_KINDS {
            if kinds[marked].len() != kinds[marked + 1].len().max(kinds[marked + 2].len()) {
                let later = std::mem::take(&mut kinds[marked]);
                kinds.push(later);
            }
        }
        let mut elsewhere = self.elsewhere;
        for at in 1..elsewhere.len() {
            let (before, own) = (&elsewhere[..at], &elsewhere[at]);
            let beside = |(names, positions): &(Vec<String>, Vec<_>)| {
                names[..names.len() - 1] == own.0[..own.0.len() - 1] && positions.len() == own.1.len()
            };
            if own.0.last().is_some_and(|name| name == PUNCTUATED)
                && let Some(to) = before.iter().position(beside)
            {
                elsewhere[to..=at].rotate_right(1);
            }
        }
        kinds.extend(elsewhere.into_iter().map(|(_, positions)| positions));
        kinds
    }

    /// Finds the words of the text, and the positions of the text in the document.
    fn view(self, json: &str, start: usize, options: &RestoreOptions, piece: &mut Piece) -> DocumentView {
        let (speakers, times) = (self.speakers.clone(), self.times.clone());
        let are_records = self.kinds[WHOLE].len() > 1 && self.kinds[SEGMENT].is_empty() && !self.has_segments;
        let mut kinds = self.kinds();
        // Words without a text are one cue.
        let is_words = kinds[..2].iter().all(Vec::is_empty);
        kinds.retain(|positions| !positions.is_empty());
        let moved = |position: &Range<usize>| position.start + start..position.end + start;
        let mut view = DocumentView::new(options);
        view.cues.prepare(options);
        let mut last = None;
        let mut pauses = Pauses::of(options);
        let mut turns = match speakers.iter().all(Option::is_none) {
            true => turns_of_words(&json[start..], &kinds[0]),
            false => Vec::new(),
        };
        let (mut letters, mut inner) = (0, Vec::new());
        for (i, position) in kinds[0].iter().map(moved).enumerate() {
            let speaker = speakers.get(i).cloned().flatten().map(|name| &json[moved(&name)]);
            let is_turn = turns.pop_if(|turn| *turn == letters).is_some();
            if i > 0 && (speaker != last || is_turn) {
                view.cues.turn();
            }
            if i > 0 && are_records {
                view.cues.end_text();
            }
            last = speaker;
            let [begin, end] = times.get(i).copied().unwrap_or_default();
            // The last segment may have no end.
            if pauses.before(|| begin.zip(end.or(begin))).is_some() {
                view.cues.turn();
            }
            let from = view.text.len();
            decode(&json[position.clone()], &mut view.text);
            letters += letters_of(&view.text[from..]);
            // A turn inside the text.
            inner.extend(std::iter::from_fn(|| turns.pop_if(|turn| *turn < letters)));
            // A punctuation mark that is a separate item follows its word.
            let from = match is_words && !view.text[from..].contains(char::is_alphanumeric) {
                true if view.text[..from].ends_with(' ') => {
                    view.text.remove(from - 1);
                    from - 1
                }
                _ => from,
            };
            piece.frame.place(from..view.text.len(), position);
            view.read(from, !is_words, piece);
        }
        view.running.end_run(&mut piece.tokens);
        begin_turns(&view.text, &inner, &mut piece.tokens);
        let stream = LetterStream::of(&view.text, 0, options.locale());
        for positions in &kinds[1..] {
            stream.place(json, positions.iter().map(moved), options.locale(), &mut piece.frame);
        }
        piece.frame.positions.sort_by_key(|(_, source)| source.start);
        if options.puts().is_some() {
            let are_words = |path: &[String]| {
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                names.last().is_some_and(|list| is_list(list) || *list == "result") && are_lists(&names)
            };
            for word in timed_words(&json[start..], &are_words, true) {
                piece.frame.mark_beside(word, start);
            }
        }
        view
    }
}

/// Returns the number of letters and digits of a text.
fn letters_of(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Returns the number of letters before each turn, the last turn first, for a document that names the speakers of
/// words or of units that are not segments of Whisper. The strings at `positions` are its text; if their number of
/// letters differs from that of the words, no turn is known.
fn turns_of_words(json: &str, positions: &[Range<usize>]) -> Vec<usize> {
    // `speaker`, `Speaker`, `speakerTag`: most documents have none of them, and need not be read once more.
    if !json.contains("peaker") {
        return Vec::new();
    }
    let Some((segments, _)) = recogniser::read(json) else { return Vec::new() };
    let (mut turns, mut letters, mut last) = (Vec::new(), 0, None);
    for segment in &segments {
        let speaker = segment.speaker.as_ref().or(last);
        if speaker != last {
            turns.push(letters);
            last = speaker;
        }
        letters += letters_of(&segment.text);
    }
    let mut text = String::new();
    positions.iter().for_each(|position| decode(&json[position.clone()], &mut text));
    turns.reverse();
    if letters_of(&text) == letters { turns } else { Vec::new() }
}

/// Begins a turn with the words after these numbers of letters.
fn begin_turns(text: &str, turns: &[usize], tokens: &mut Tokens) {
    let (mut at, mut letters, mut turns) = (0, 0, turns.iter().peekable());
    for token in tokens.as_mut_slice() {
        let start = token.source.start as usize;
        letters += letters_of(&text[at..start]);
        at = start;
        if turns.next_if(|turn| **turn == letters).is_some() {
            token.before = token.before.max(Break::Turn);
        }
    }
}

/// Returns true if a field of an object shows that its text is a segment of speech.
fn is_segment_field(name: &str) -> bool {
    is_list(name) || matches!(name, "start" | "begin" | "end" | "timestamp" | "offsets" | "speaker")
}

/// The largest depth of nested lists that lead to words.
const MOST_LISTS: usize = 8;

/// Returns true if these names lead to words of the text, in the documents of any recogniser.
fn are_lists(names: &[&str]) -> bool {
    const LISTS: [&str; 17] = [
        "alternatives",
        "audio_segments",
        "channels",
        "chunks",
        "combinedRecognizedPhrases",
        "elements",
        "events",
        "items",
        "monologues",
        "nBest",
        "paragraphs",
        "recognizedPhrases",
        "result",
        "results",
        "segments",
        "segs",
        "sentences",
    ];
    (1..=MOST_LISTS).contains(&names.len())
        && names.iter().all(|name| is_list(name) || *name == "utterances" || LISTS.contains(name))
}

/// Returns `blanked` with a blank of the same number of bytes for each character that it removed from
/// `text`: a live record is written again character by character.
fn with_wide_blanks(text: &str, blanked: &str) -> String {
    let blank = |(at, c): (usize, char)| match (c.len_utf8(), blanked[at..].chars().next()) {
        (2.., Some(found)) if found == c => c,
        (2, _) => '\u{a0}',
        (3, _) => '\u{2003}',
        // No blank has four bytes; a musical note is not a word either.
        (4, _) if c.is_alphanumeric() => '\u{1d159}',
        (4, _) => c,
        (_, found) => found.unwrap_or(' '),
    };
    text.char_indices().map(blank).collect()
}

/// The text of a document, as far as it was read.
struct DocumentView {
    text: String,
    running: RunningText,
    cues: CueScanner,
    parts: LineParts,
    /// The positions where the speaker changes.
    turns: Vec<usize>,
}

impl DocumentView {
    fn new(options: &RestoreOptions) -> Self {
        Self {
            text: String::new(),
            running: RunningText::of_parts(options),
            cues: CueScanner::default(),
            parts: LineParts::default(),
            turns: Vec::new(),
        }
    }

    /// Reads the text from byte `from` on, which is a cue or a word.
    fn read(&mut self, from: usize, is_cue: bool, piece: &mut Piece) {
        if is_cue {
            self.cues.begin();
        }
        // Consecutive words are on one line.
        let opens = is_cue || self.cues.turns() || from == 0;
        self.cues.part(&self.text[from..], "", opens, &mut self.parts);
        for part in self.parts.positions.drain(..) {
            if let Some(before) = part.before {
                self.running.end_run(&mut piece.tokens);
                self.running.tokenizer.end_cue(before);
            }
            let position = from + part.position.start..from + part.position.end;
            self.turns.extend((part.before == Some(Break::Turn)).then_some(position.start));
            // Lines of a cue are joined.
            let text = self.text[position.clone()].replace('\n', " ");
            self.running.push(&part, position, &text, "");
        }
        self.text.push(if is_cue { '\n' } else { ' ' });
    }
}

/// Reads the items of a document: its segments, after its other fields.
fn read_items(json: &str) -> Result<VecDeque<FoundItem>, Fault> {
    let mut found = VecDeque::new();
    if json.is_empty() {
        return Ok(found);
    }
    let mut fields = members(json, &(0..json.len()))?;
    let list = |names: &[&str]| {
        let is_list = |field: &Member| names.contains(&&*field.key) && field.raw(json).starts_with('[');
        names.iter().find_map(|name| fields.iter().position(|field| field.key == *name && is_list(field)))
    };
    let whole = fields.iter().position(|field| field.key == "text" && field.string(json).is_some());
    let is_object = json.trim_start().starts_with('{');
    if !is_object && !fields.is_empty() {
        // A list of segments, and nothing else.
        let mut lines = LineNumbers::default();
        for object in &fields {
            found.push_back(read_object(json, object, &mut lines)?);
        }
        finish(&mut found);
        return Ok(found);
    }
    if let Some((segments, own)) = recogniser::read(json) {
        let item = |segment| FoundItem::new(Item::Segment(segment), "", 1, Vec::new());
        found.extend(segments.into_iter().map(item));
        fields.retain(|field| {
            let is_said = || field.string(json).is_some_and(|text| has_characters(&found, &text));
            !(own.contains(&&*field.key) || field.key == "text" && is_said())
        });
        push_document(json, &fields, &mut found);
        finish(&mut found);
        return Ok(found);
    }
    match list(&["segments", "chunks", "transcription"]).or_else(|| list(&["words", "word_segments"])) {
        Some(list) => {
            let is_segments = !is_list(&fields[list].key);
            let list = fields.remove(list);
            let mut lines = LineNumbers::default();
            for object in members(json, &list.position)? {
                found.push_back(read_object(json, &object, &mut lines)?);
            }
            if is_segments
                && let Some(words) = fields.iter().position(|field| is_list(&field.key))
                && give_words(json, &fields[words], &mut found)?
            {
                fields.remove(words);
            }
            // The text as a whole is redundant if it has the same characters.
            fields.retain(|field| {
                field.key != "text" || field.string(json).is_none_or(|text| !has_characters(&found, &text))
            });
        }
        None => {
            let whole = fields.remove(whole.filter(|_| is_object).ok_or_else(nothing)?);
            let text = whole.string(json).unwrap_or_default().trim().to_owned();
            let item = Item::Segment(Segment { text, ..Segment::default() });
            let (line, source) = LineNumbers::default().of(json, &whole.position);
            found.push_back(FoundItem { item, source, line, parts: Vec::new() });
        }
    }
    push_document(json, &fields, &mut found);
    finish(&mut found);
    Ok(found)
}

/// Adds the fields of a document that are outside its segments as a block before the segments.
fn push_document(json: &str, fields: &[Member], found: &mut VecDeque<FoundItem>) {
    let Some(first) = fields.first() else { return };
    let mut text = String::new();
    let mut out = ObjectFields::new(&mut text);
    fields.iter().for_each(|field| out.push(&field.key, &compact(field.raw(json))));
    let item = Item::Block(UnspokenBlock { kind: BlockKind::Document, text: text + "}" });
    let (line, source) = LineNumbers::default().of(json, &first.position);
    found.push_front(FoundItem { item, source, line, parts: Vec::new() });
}

/// Converts times in milliseconds to seconds, and ends segments that have no end.
fn finish(found: &mut VecDeque<FoundItem>) {
    recogniser::finish(&mut segments(found));
}

/// Returns the segments among the items of a document.
fn segments(found: &mut VecDeque<FoundItem>) -> Vec<&mut Segment> {
    let segments = found.iter_mut().filter_map(|found| match &mut found.item {
        Item::Segment(segment) => Some(segment),
        Item::Block(_) => None,
    });
    segments.collect()
}

/// Assigns the words of a separate list to the segments that contain them; returns false if the
/// segments have their own words, or contain none of these.
fn give_words(json: &str, list: &Member, found: &mut VecDeque<FoundItem>) -> Result<bool, Fault> {
    let mut segments = segments(found);
    if segments.iter().any(|segment| !segment.words.is_empty()) || !list.raw(json).starts_with('[') {
        return Ok(false);
    }
    let (mut words, mut lines) = (Vec::new(), LineNumbers::default());
    for object in members(json, &list.position)? {
        let FoundItem { item, .. } = read_object(json, &object, &mut lines)?;
        if let Item::Segment(Segment { text, begin, end, confidence, other, .. }) = item {
            words.push(SegmentWord { text: format!(" {text}"), begin, end, confidence, other });
        }
    }
    let (mut chars, mut ends) = (Vec::new(), Vec::new());
    for segment in &segments {
        chars.extend(segment.text.chars().chain([' ']));
        ends.push(chars.len());
    }
    let positions = heard_words::positions(&chars, &words);
    let is_said = positions.iter().any(Option::is_some);
    let mut at = 0;
    for (word, position) in words.into_iter().zip(positions) {
        if let Some(position) = position {
            at = ends.partition_point(|end| *end <= position.start);
        }
        if is_said && let Some(segment) = segments.get_mut(at) {
            segment.words.push(word);
        }
    }
    Ok(is_said)
}

/// Returns true if the segments have these characters, apart from white space.
fn has_characters(found: &VecDeque<FoundItem>, text: &str) -> bool {
    let texts = found.iter().map(|found| match &found.item {
        Item::Segment(segment) => &*segment.text,
        Item::Block(_) => "",
    });
    let visible = |c: &char| !c.is_whitespace();
    texts.flat_map(str::chars).filter(visible).eq(text.chars().filter(visible))
}

/// Counts the lines of a document while it is read.
#[derive(Debug, Default)]
struct LineNumbers {
    /// The beginning of the current line, the number of lines before it, and the end of the part that has been read.
    line: usize,
    number: u64,
    read: usize,
}

impl LineNumbers {
    /// Returns the number of the line in which this range begins, and the text from the beginning of this line to the
    /// end of the range. Ranges must be passed in order.
    fn of(&mut self, json: &str, position: &Range<usize>) -> (u64, String) {
        let part = json.get(self.read..position.start).unwrap_or_default();
        if let Some(last) = part.rfind('\n') {
            self.number += part.matches('\n').count() as u64;
            self.line = self.read + last + 1;
        }
        self.read = position.start.max(self.read);
        // A document of one long line is not kept with each segment.
        let start = if position.start - self.line > FAR { position.start } else { self.line };
        (self.number + 1, json[start..position.end].to_owned())
    }
}

/// The largest distance from the beginning of a line at which the text is kept from there, for the columns of errors.
const FAR: usize = 1000;

/// Reads a segment, or a word without a segment.
fn read_object(json: &str, object: &Member, lines: &mut LineNumbers) -> Result<FoundItem, Fault> {
    let mut fields = members(json, &object.position)?;
    let is_text = |name: &str| fields.iter().any(|field| field.key == name && field.string(json).is_some());
    let names = ["text", PUNCTUATED, "word"];
    let name = names.into_iter().find(|name| is_text(name)).unwrap_or("text");
    if !is_text(name) {
        let problem = "found no string \"text\", but a segment is expected to have one".to_owned();
        return Err(Fault { at: object.position.start, problem });
    }
    for field in &mut fields {
        if field.key == "probability" || field.key == "score" {
            field.key = "confidence".to_owned();
        }
    }
    let (mut segment, mut parts) = read_segment(json, fields, name)?;
    if segment.tags.is_empty() {
        segment.text = segment.text.trim().to_owned();
    }
    if segment.begin.is_none() && segment.end.is_none() {
        read_times(&mut segment);
    }
    read_strings(&mut segment);
    let (line, source) = lines.of(json, &object.position);
    let start = object.position.end - source.len();
    parts.iter_mut().for_each(|(_, at)| *at -= start);
    Ok(FoundItem { item: Item::Segment(segment), source, line, parts })
}

/// Reads `"timestamp":[0.0,2.5]` and `"offsets":{"from":0,"to":2500}`, which some tools write
/// instead of start and end.
fn read_times(segment: &mut Segment) {
    for name in ["timestamp", "offsets"] {
        let read = |number| if name == "offsets" { milliseconds(number) } else { Time::parse(number) };
        let Some(at) = segment.other.iter().position(|(key, _)| key == name) else { continue };
        let raw = &segment.other[at].1;
        let Ok(pair) = members(raw, &(0..raw.len())) else { continue };
        let is_pair = pair.len() == 2 && matches!((&*pair[0].key, &*pair[1].key), ("", "") | ("from", "to"));
        let time = |at: usize| pair[at].number(raw).and_then(read);
        let ends = || pair[1].is_null(raw) || time(1).is_some();
        if is_pair && time(0).is_some() && ends() {
            (segment.begin, segment.end) = (time(0), time(1));
            segment.other.remove(at);
            return;
        }
    }
}

/// Reads a time in a string, and the duration that some tools write instead of the end.
fn read_strings(segment: &mut Segment) {
    let mut take = |name: &str| {
        let at = segment.other.iter().position(|(key, _)| key == name)?;
        let time = Time::parse(segment.other[at].1.trim_matches('"'))?;
        segment.other.remove(at);
        Some(time)
    };
    segment.begin = segment.begin.or_else(|| take("start"));
    segment.end = segment.end.or_else(|| take("end"));
    if let (Some(begin), None) = (segment.begin, segment.end) {
        segment.end = take("duration").and_then(|duration| begin.after(duration));
    }
}

/// Reads a time of `"offsets"`.
fn milliseconds(number: &str) -> Option<Time> {
    Time::of_milliseconds(number.parse().ok()?)
}

const NAMES: FieldNames =
    FieldNames { numbers: true, begin: "start", word: "word", confidence: "probability", space: " " };

/// A document being written, which is complete at the end.
#[derive(Debug, Default)]
struct WhisperWriter {
    document: String,
    text: String,
    segments: Vec<String>,
}

impl segment::SegmentWriter for WhisperWriter {
    fn misplaced(&self, _: BlockKind) -> Option<&'static str> {
        let is_late = !self.document.is_empty() || !self.segments.is_empty();
        is_late
            .then_some("found fields of the document after its segments, but they are expected before them")
    }

    fn conform(&mut self, mut segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost> {
        if !losses.is_own() {
            segment.keep(losses.to.parts, losses)?;
        }
        if segment.tags.is_empty() && segment.text.trim() != segment.text {
            losses.drop_part(LossKind::Spaces, "white space around this text")?;
            segment.text = segment.text.trim().to_owned();
        }
        Ok(vec![segment])
    }

    fn write(&mut self, item: &Item, _: &mut String) {
        match item {
            Item::Block(block) => self.document.clone_from(&block.text),
            Item::Segment(segment) => {
                let mut object = String::new();
                write_segment(segment, &NAMES, &mut ObjectFields::new(&mut object));
                self.segments.push(object + "}");
                if !segment.text.is_empty() {
                    self.text.extend([" ", &segment.text]);
                }
            }
        }
    }

    fn end(&mut self, out: &mut String) {
        let mut fields = ObjectFields::new(out);
        if !has_text(&self.document) {
            fields.push("text", &quoted(&self.text));
        }
        for field in members(&self.document, &(0..self.document.len())).unwrap_or_default() {
            fields.push(&field.key, field.raw(&self.document));
        }
        let segments = array(self.segments.iter().map(|segment| format!("\n{segment}")));
        fields.push("segments", &segments);
        out.push_str("}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_says_its_language() {
        for (json, found) in [
            (r#"{"text": "a", "segments": [{"language": "xx"}], "language": "en"}"#, Some("en")),
            (r#"{"result": {"language": "pt"}, "transcription": []}"#, Some("pt")),
            ("\u{feff}{\"language\": \"englis\\u0068\"}", Some("english")),
            (r#"{"params": {"language": "nl"}, "text": "language"}"#, None),
            (r#"{"language": null}"#, None),
            (r#"{"language": "../en"}"#, None),
            (r#"{"result": {"language": "\u002e./\u0000"}}"#, None),
            (r#"{"language": "en""#, None),
        ] {
            assert_eq!(language(json.as_bytes()).as_deref(), found, "{json}");
        }
    }
}
