//! The JSON of Whisper and its kin: a text as segments, and the same words again as a whole and one by one.
//!
//! The segments (`segments[].text`, `chunks[].text`, `transcription[].text`) are the text that is restored; where there are none, the
//! whole (`text`), and without that the words. All other places of a word (`text`, `words[].word`, `word_segments[].word`,
//! `tokens[].text`) get the capitals that it has there. Another `segments[].speaker` is another turn.

use std::ops::Range;

use super::caption::{self, Caption, Captions};
use super::cue::Cues;
use super::json::{Event, decode, read, units};
use super::plain::{not_utf8, text};
use super::records::{Parts, explained, fill};
use super::transcript::Fault;
use super::{Format, Frame, Piece, Settings};
use crate::error::{Error, Result};
use crate::files::{BOM, Input};
use crate::text::tokenize::{Cut, Tokenizer};
use crate::text::{Break, Locale};

/// A word that is missing in one of the forms is looked for so many characters on.
const AHEAD: usize = 2000;

/// A document, which is read whole: its text stands in several places.
#[derive(Debug)]
pub struct Whisper {
    input: Option<Input>,
    settings: Settings,
}

impl Whisper {
    /// Reads a document.
    pub fn new(input: Input, settings: Settings) -> Self {
        Self { input: Some(input), settings }
    }
}

impl Format for Whisper {
    fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        piece.clear();
        let Some(input) = self.input.take() else { return Ok(false) };
        let name = input.name().to_owned();
        let source = input.bytes()?;
        piece.capitalized = self.settings.capitalized;
        piece.after = Break::Document;
        if source.is_empty() {
            return Ok(false);
        }
        if source.len() >= u32::MAX as usize / 2 {
            return Err(Error::file(name, "the document is larger than 2 GiB: split it"));
        }
        let mut mended = Vec::new();
        let json = text(&source, &mut mended, self.settings.lossy)
            .map_err(|at| not_utf8(&name, 0, 0, &source, at))?;
        let start = if source.starts_with(BOM) { BOM.len() } else { 0 };
        match Found::read(&json[start..]) {
            Ok(found) => found.fill(json, start, &self.settings, piece),
            // It passes as it is.
            Err(_) if self.settings.lossy => {
                piece.source.extend_from_slice(&source);
                return Ok(true);
            }
            Err(fault) => {
                let fault = explained(Fault { at: fault.at + start, ..fault });
                let line_start = json[..fault.at].rfind('\n').map_or(start, |at| at + 1);
                let number = json[..line_start].matches('\n').count() as u64 + 1;
                return Err(Fault { at: fault.at - line_start, ..fault }.error(
                    &name,
                    number,
                    &json[line_start..],
                ));
            }
        }
        piece.frame.source = source;
        Ok(true)
    }
}

/// Documents that come in live, a line each.
pub(super) struct Documents {
    settings: Settings,
}

impl Documents {
    /// Reads documents; [`Settings::id`] names the field that says which one it is.
    pub(super) fn new(settings: &Settings) -> Self {
        Self { settings: settings.clone() }
    }
}

impl Captions for Documents {
    fn caption(&mut self, text: &str, start: usize, whole: &[u8]) -> Result<Caption, Fault> {
        if text.trim().is_empty() {
            return Ok(Caption::silent(whole));
        }
        let on_a_line = |fault: Fault| {
            let problem = format!("{}; with --stream a document stands on one line", fault.problem);
            Fault { problem, ..fault }
        };
        let found = Found::read(text).map_err(on_a_line)?;
        let mut piece = Piece::default();
        let View { text: source, blanked, turns, .. } = found.view(text, 0, &self.settings, &mut piece);
        let mut view = blanked;
        fill(&mut view, source.len());
        for turn in turns {
            if let Some(blank) = turn.checked_sub(1).filter(|&at| view.as_bytes()[at] == b' ') {
                view.replace_range(blank..turn, "\n");
            }
        }
        for (_, place) in &mut piece.frame.places {
            *place = place.start + start as u32..place.end + start as u32;
        }
        piece.frame.source = whole.to_vec();
        let id = caption::name(text, &self.settings)?;
        Ok(Caption { id, view, begins: false, source: source.into_bytes(), frame: piece.frame })
    }
}

/// Where the strings of each kind stand between their quotes.
#[derive(Debug, Default)]
struct Found {
    whole: Vec<Range<usize>>,
    segments: Vec<Range<usize>>,
    words: Vec<Range<usize>>,
    /// Who speaks in each segment, as far as that is said.
    speakers: Vec<Option<Range<usize>>>,
}

impl Found {
    fn read(json: &str) -> Result<Self, Fault> {
        let mut found = Self::default();
        // The keys that lead to each object or array that is open; those of arrays are those before them.
        let mut open: Vec<usize> = Vec::new();
        let mut path: Vec<String> = Vec::new();
        // The first segment of the object that is open, and its speaker.
        let (mut first, mut speaker) = (0, None);
        read(json, &mut |event| match event {
            Event::Begin => {
                open.push(path.len());
                if path.len() == 1 {
                    (first, speaker) = (found.segments.len(), None);
                }
            }
            Event::End => path.truncate(open.pop().unwrap_or(0)),
            Event::Key(name) => {
                path.truncate(open.last().copied().unwrap_or(0));
                let mut key = String::new();
                decode(&json[name], &mut key);
                path.push(key);
            }
            Event::String(place) => {
                let keys: Vec<&str> = path.iter().map(String::as_str).collect();
                match keys[..] {
                    ["text"] => found.whole.push(place),
                    ["segments" | "chunks" | "transcription", "text"] => {
                        found.segments.push(place);
                        found.speakers.push(speaker.clone());
                    }
                    ["segments" | "chunks" | "transcription", "speaker"] => {
                        found.speakers[first..].fill(Some(place.clone()));
                        speaker = Some(place);
                    }
                    ["words" | "word_segments", "word"]
                    | ["segments" | "chunks", "words", "word"]
                    | ["transcription", "tokens", "text"] => found.words.push(place),
                    _ => {}
                }
            }
            Event::Other(_) => {}
        })?;
        if found.whole.is_empty() && found.segments.is_empty() && found.words.is_empty() {
            let problem =
                "found no \"text\", \"segments\" or \"words\", but they are expected as Whisper writes them";
            return Err(Fault { at: 0, problem: problem.to_owned() });
        }
        Ok(found)
    }

    /// Fills a piece with the text; byte `start` of the document is the first that was read.
    fn fill(self, json: &str, start: usize, settings: &Settings, piece: &mut Piece) {
        let view = self.view(json, start, settings, piece);
        settings.words.fix(view.text.as_bytes(), 0, true, &mut piece.tokens);
        piece.source.extend_from_slice(view.text.as_bytes());
    }

    /// Finds the words of the text, and the places where it stands.
    fn view(self, json: &str, start: usize, settings: &Settings, piece: &mut Piece) -> View {
        let mut kinds = vec![self.segments, self.whole, self.words];
        // Words that come without a text are one cue.
        let is_words = kinds[..2].iter().all(Vec::is_empty);
        kinds.retain(|places| !places.is_empty());
        let moved = |place: &Range<usize>| place.start + start..place.end + start;
        let mut view = View::new(settings);
        let mut last = None;
        for (i, place) in kinds[0].iter().map(moved).enumerate() {
            let speaker = self.speakers.get(i).cloned().flatten().map(|name| &json[moved(&name)]);
            if i > 0 && speaker != last {
                view.cues.turn();
            }
            last = speaker;
            let from = view.text.len();
            decode(&json[place.clone()], &mut view.text);
            piece.frame.place(from..view.text.len(), place);
            view.read(from, !is_words, piece);
        }
        view.end_run(piece);
        let stream = Stream::of(&view.text, settings.locale);
        for places in &kinds[1..] {
            stream.place(json, places.iter().map(moved), settings.locale, &mut piece.frame);
        }
        piece.frame.places.sort_by_key(|(_, source)| source.start);
        view
    }
}

/// The text of a document, and the same with blanks for what is no word, as far as it was read.
struct View {
    text: String,
    blanked: String,
    /// What runs on begins here.
    run: usize,
    tokenizer: Tokenizer,
    cues: Cues,
    parts: Parts,
    /// Where somebody else speaks.
    turns: Vec<usize>,
}

impl View {
    fn new(settings: &Settings) -> Self {
        Self {
            text: String::new(),
            blanked: String::new(),
            run: 0,
            tokenizer: Tokenizer::flowing(settings.locale, &settings.language, settings.capitalized),
            cues: Cues::default(),
            parts: Parts::default(),
            turns: Vec::new(),
        }
    }

    /// Reads the text from byte `from` on, which is a cue or a word.
    fn read(&mut self, from: usize, is_cue: bool, piece: &mut Piece) {
        if is_cue {
            self.cues.begin();
        }
        let mut parts = std::mem::take(&mut self.parts);
        self.cues.line(&self.text[from..], &mut parts);
        for (part, before) in parts.drain() {
            if let Some(before) = before {
                self.end_run(piece);
                self.tokenizer.end_cue(before);
            }
            let (start, end) = (from + part.start, from + part.end);
            self.turns.extend((before == Some(Break::Turn)).then_some(start));
            fill(&mut self.blanked, start);
            // Lines of a cue join.
            self.blanked.extend(self.text[start..end].chars().map(|c| if c == '\n' { ' ' } else { c }));
        }
        self.parts = parts;
        self.text.push(if is_cue { '\n' } else { ' ' });
    }

    fn end_run(&mut self, piece: &mut Piece) {
        self.tokenizer.read(&self.blanked[self.run..], self.run as u32, Cut::Whole, &mut piece.tokens);
        self.run = self.blanked.len();
    }
}

/// The characters of a text without its white space, small, each with its place.
struct Stream<'a> {
    text: &'a str,
    chars: Vec<(char, usize)>,
}

impl<'a> Stream<'a> {
    fn of(text: &'a str, locale: Locale) -> Self {
        let small = locale.lower(text);
        let chars = text.char_indices().zip(small.chars()).filter(|((_, c), _)| !c.is_whitespace());
        Self { text, chars: chars.map(|((at, _), c)| (c, at)).collect() }
    }

    /// Says where the words of these strings stand in the text, which has them in the same order, but for some that are missing.
    fn place(
        &self,
        json: &str,
        strings: impl Iterator<Item = Range<usize>>,
        locale: Locale,
        frame: &mut Frame,
    ) {
        // What follows the last word that was found, and what follows the last of which that is sure.
        let (mut at, mut sure) = (0, 0);
        for string in strings {
            for (run, word) in runs(&json[string.clone()]) {
                let small: Vec<char> = locale.lower(&word).chars().collect();
                let is_next = self.is_at(at, &small);
                let found = if is_next { Some(at) } else { self.find(sure, &small) };
                let Some(from) = found else { continue };
                at = from + small.len();
                sure = if is_next { at } else { sure };
                let (first, last) = (self.chars[from].1, self.chars[at - 1].1);
                let end = last + self.text[last..].chars().next().map_or(0, char::len_utf8);
                if self.text[first..end].chars().count() == small.len() {
                    frame.place(first..end, string.start + run.start..string.start + run.end);
                }
            }
        }
    }

    fn is_at(&self, at: usize, word: &[char]) -> bool {
        self.chars[at..].len() >= word.len() && self.chars[at..].iter().zip(word).all(|((a, _), b)| a == b)
    }

    /// Where the word begins a run from character `from` on.
    fn find(&self, from: usize, word: &[char]) -> Option<usize> {
        let begins = |at: usize| {
            let before = self.text[..self.chars[at].1].chars().next_back();
            before.is_none_or(char::is_whitespace)
        };
        let end = self.chars.len().min(from + AHEAD);
        (from..end).find(|&at| self.is_at(at, word) && begins(at))
    }
}

/// The runs without white space of what stands between quotes, and what each says.
fn runs(raw: &str) -> Vec<(Range<usize>, String)> {
    let mut runs: Vec<(Range<usize>, String)> = Vec::new();
    for (place, c) in units(raw).filter(|(_, c)| !c.is_whitespace()) {
        match runs.last_mut() {
            Some((run, word)) if run.end == place.start => {
                run.end = place.end;
                word.push(c);
            }
            _ => runs.push((place, c.to_string())),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use crate::format::Kind;
    use crate::format::laws::{check, error, starts, words};

    #[test]
    fn another_speaker_begins_anew() {
        let segment = |text: &str, speaker: &str| format!(r#"{{"text": "{text}", {speaker} "words": []}}"#);
        let before = r#"{"speaker": "b", "text": " no."}"#.to_owned();
        let segments = [
            segment("so it is.", "\"speaker\": \"a\","),
            segment("and", "\"speaker\": \"a\","),
            before,
            segment("or", ""),
        ];
        let file = format!("{{\"segments\": [{}]}}", segments.join(", "));
        assert_eq!(starts(Kind::WhisperJson, &file), ["so", "and", "no", "or"]);
        assert_eq!(starts(Kind::WhisperJson, &file.replace("it is.", "it is")), ["so", "no", "or"]);
        check(Kind::WhisperJson, &file);
    }

    const FILE: &str = r#"{"text": " so jos\u00e9 said\nthat we go. and [music] then", "segments": [
        {"id": 0, "text": " so jos\u00e9 said", "words": [{"word": " so", "probability": NaN}, {"word": " jos"}, {"word": "\u00C9"},
          {"word": " uh"}, {"word": " said"}]},
        {"id": 1, "text": " that we go. and [music] then", "tokens": [5, 6], "words": []}], "language": "en"}"#;

    #[test]
    fn a_word_has_the_same_case_in_all_places() {
        assert_eq!(words(Kind::WhisperJson, FILE), ["so", "josé", "said", "that", "we", "go", "and", "then"]);
        assert_eq!(starts(Kind::WhisperJson, FILE), ["and"]);
        check(Kind::WhisperJson, &FILE.replace("\\u00C9", "\\u00e9"));
        for file in [r#"{"text": "so é"}"#, r#"{"words": [{"word": "so"}, {"word": "é"}]}"#] {
            assert_eq!(words(Kind::WhisperJson, file), ["so", "é"]);
            check(Kind::WhisperJson, file);
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_or_passed() {
        for (file, start) in [
            ("{\n \"text\": \"so", "data, line 2, column 10: the string that begins here has no end"),
            ("[\n]", "data, line 1, column 1: found no \"text\", \"segments\" or"),
        ] {
            let error = error(Kind::WhisperJson, file);
            assert!(error.starts_with(start), "{error}");
            assert!(words(Kind::WhisperJson, file).is_empty());
        }
    }
}
