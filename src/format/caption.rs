//! Live captions: each line is a record, which is read and written whole, with its times.

use std::fmt::Debug;

use super::envelope::Envelope;
use super::json::{Event, decode, read};
use super::lines::{Ends, SplitLines};
use super::records::Faults;
use super::transcript::Fault;
use super::{Kind, RestoreOptions, ctm, jsonl, whisper};
use crate::error::{Error, Result, option};
use crate::files::Input;

/// A record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Caption {
    /// The identity of the record.
    pub id: Option<Id>,
    /// The words of the record as a part of a text that runs on from record to record: it ends with
    /// white space, and a line feed means a change of speaker. It is as long as the text of the
    /// record, and equals it except for blanks in place of everything that is not a word.
    pub view: String,
    /// True if the record begins a text: words of earlier records are not its context.
    pub begins: bool,
    /// The text of the record: the line itself, or the text in the envelope.
    pub(super) source: Vec<u8>,
    pub(super) frame: Envelope,
}

/// The identity of a record, which the recogniser may send again with other words.
#[derive(Debug, Clone, PartialEq)]
pub enum Id {
    /// The record of this name.
    Name(String),
    /// The word that a speaker in a recording said between two times.
    Spoken {
        /// The recording, its channel and the speaker.
        by: [String; 3],
        /// The begin time in seconds.
        from: f64,
        /// The end time in seconds.
        to: f64,
    },
}

impl Id {
    /// Returns true if this record replaces an earlier one: it has the same name, or the same
    /// speaker began the earlier one no sooner, and the earlier one had not ended by then.
    pub fn replaces(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Name(name), Self::Name(earlier)) => name == earlier,
            (Self::Spoken { by, from, .. }, Self::Spoken { by: who, from: began, to }) => {
                began >= from && to > from && by == who
            }
            _ => false,
        }
    }
}

impl Caption {
    /// Makes a record without words.
    pub(super) fn silent(line: &[u8]) -> Self {
        Self { source: line.to_vec(), ..Self::default() }
    }

    /// Returns the line as it came.
    pub fn bytes(&self) -> &[u8] {
        if self.frame.is_none() { &self.source } else { self.frame.source() }
    }

    /// Appends the record to `out`, with the letters of `restored`, which differs from the view
    /// only in case.
    pub fn write(&self, restored: &str, out: &mut Vec<u8>) {
        let mut text = Vec::with_capacity(self.source.len());
        let mut done = 0;
        for ((at, old), new) in self.view.char_indices().zip(restored.chars()) {
            if old != new {
                text.extend_from_slice(&self.source[done..at]);
                text.extend(new.encode_utf8(&mut [0; 4]).bytes());
                done = at + old.len_utf8();
            }
        }
        text.extend_from_slice(&self.source[done..]);
        match self.frame.is_none() {
            true => out.extend(text),
            false => {
                self.frame.write(
                    &String::from_utf8_lossy(&self.source),
                    &String::from_utf8_lossy(&text),
                    out,
                );
            }
        }
    }
}

/// A format of live captions.
pub(super) trait Captions: Send + Debug {
    /// Reads the next line: `whole` with its ending, and `text` without it, which begins at byte
    /// `start` of `whole`.
    ///
    /// # Errors
    /// Fails if the line is not what the format allows.
    fn caption(&mut self, text: &str, start: usize, whole: &[u8]) -> Result<Caption, Fault>;
}

/// The longest record in bytes: a record is kept in memory, and a longer line is not a record.
const LONGEST: usize = 1 << 28;

/// Records that are read as they come in.
#[derive(Debug)]
pub struct CaptionReader {
    lines: SplitLines,
    captions: Box<dyn Captions>,
    faults: Faults,
    mended: Vec<u8>,
}

impl CaptionReader {
    /// Starts reading records of a format; `name` is their name in errors.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the format has no records that can come one by one.
    pub fn new(name: impl Into<String>, kind: Kind, options: &RestoreOptions) -> Result<Self> {
        let captions: Box<dyn Captions> = match kind {
            Kind::Ctm => Box::new(ctm::Spoken::default()),
            Kind::Jsonl => Box::new(jsonl::LiveObjects::new(options)),
            Kind::WhisperJson => Box::new(whisper::Documents::new(options)),
            _ => {
                let [stream, format] = ["stream", "format"].map(option);
                return Err(Error::Usage(format!(
                    "{stream} reads text, ctm, jsonl and whisper-json: name one of them with {format}, or leave {stream} out"
                )));
            }
        };
        let lines =
            SplitLines::of_at_most(Input::uncompressed(name, std::io::empty()), LONGEST).ending(Ends::Feeds);
        Ok(Self { lines, captions, faults: Faults::of(options), mended: Vec::new() })
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Returns the next complete record; at the end of the input (`ended`), the last needs no line
    /// feed.
    ///
    /// # Errors
    /// Fails if the line is not what the format allows, unless the options let it pass.
    pub fn next(&mut self, ended: bool) -> Result<Option<Caption>> {
        if !self.lines.next_pushed(ended)? {
            return Ok(None);
        }
        let Self { lines, captions, faults, mended } = self;
        let (line, start) = (lines.whole(), lines.text().start);
        let text = faults.text(lines, mended)?.trim_ascii_end();
        let read = match lines.is_long() {
            true => Err(lines.too_long()),
            false => captions.caption(text, start, line),
        };
        match read {
            Err(_) if *faults == Faults::Passed => Ok(Some(Caption::silent(line))),
            read => {
                read.map(Some).map_err(|fault| faults.told(fault).error(lines.name(), lines.number(), text))
            }
        }
    }
}

/// Returns the name of a record: the string or number in the field of its object that identifies
/// it.
pub(super) fn name(json: &str, options: &RestoreOptions) -> Result<Option<Id>, Fault> {
    let field = options.id.as_deref().unwrap_or("id");
    let (mut depth, mut is_next, mut found) = (0, false, None);
    read(json, &mut |event| match event {
        Event::Begin => {
            depth += 1;
            is_next = false;
        }
        Event::End => depth -= 1,
        Event::Key(key) => {
            let mut name = String::new();
            decode(&json[key], &mut name);
            is_next = depth == 1 && name == field;
        }
        Event::String(place) | Event::Other(place) => {
            if std::mem::take(&mut is_next) && &json[place.clone()] != "null" {
                found = Some(Id::Name(json[place].to_owned()));
            }
        }
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the views and names of the records, and checks that lines in another case come out
    /// with nothing else changed.
    fn captions(kind: Kind, text: &str) -> Vec<(String, Option<Id>)> {
        let options = RestoreOptions::default();
        let mut captions = None;
        for step in [1, 7, usize::MAX] {
            let mut reader = CaptionReader::new("data", kind, &options).unwrap();
            let (mut found, mut same, mut upper) = (Vec::new(), Vec::new(), Vec::new());
            let mut take = |reader: &mut CaptionReader, ended| {
                while let Some(caption) = reader.next(ended).unwrap() {
                    assert!(
                        caption.view.is_empty() || caption.view.ends_with(char::is_whitespace),
                        "{caption:?}"
                    );
                    caption.write(&caption.view, &mut same);
                    caption.write(&caption.view.to_uppercase(), &mut upper);
                    let begins = if caption.begins { "|" } else { "" };
                    let runs = caption.view.split(' ').filter(|run| !run.is_empty()).collect::<Vec<_>>();
                    found.push((format!("{begins}{}", runs.join(" ")), caption.id));
                }
            };
            for part in text.as_bytes().chunks(step.min(text.len())) {
                reader.push(part);
                take(&mut reader, false);
            }
            take(&mut reader, true);
            assert_eq!(String::from_utf8(same).unwrap(), text);
            let upper = String::from_utf8(upper).unwrap();
            assert_ne!(upper, text);
            assert_eq!(upper.to_lowercase().replace("00c9", "00e9"), text.to_lowercase());
            assert_eq!(captions.get_or_insert(found.clone()), &found);
        }
        captions.unwrap()
    }

    fn named(name: &str) -> Option<Id> {
        Some(Id::Name(name.to_owned()))
    }

    #[test]
    fn objects_have_a_text_and_a_name() {
        let file = "\u{feff}{\"id\": 7, \"text\": \"we met \\u00e9lise\"}\r\n\n{\"x\": {\"id\": 1}, \"text\": \"ć so\", \"id\": \"a\"}\n\
                    {\"text\": null, \"id\": null}";
        let expected = [
            ("we met élise\n".into(), named("7")),
            (String::new(), None),
            ("ć so\n".into(), named("a")),
            (String::new(), None),
        ];
        assert_eq!(captions(Kind::Jsonl, file), expected);
    }

    #[test]
    fn a_document_stands_on_a_line() {
        let file = "{\"text\": \"so [m\u{fa}sica] é\", \"segments\": [{\"id\": 3, \"text\": \" so [m\u{fa}sica]\"}, {\"text\": \"- é\"}], \"id\": \"x\"}\n";
        assert_eq!(captions(Kind::WhisperJson, file), [("so \n é".to_owned(), named("x"))]);
        let mut reader = CaptionReader::new("data", Kind::WhisperJson, &RestoreOptions::default()).unwrap();
        reader.push(b"{\"text\":\n\"so\"}\n");
        let error = reader.next(false).unwrap_err().to_string();
        assert!(
            error.starts_with("data, line 1, column 9: found the end") && error.contains("one line"),
            "{error}"
        );
    }

    #[test]
    fn a_word_has_its_times_for_a_name() {
        let file = "a 1 0.5 0.25 we\na 1 0.75 0.5 met <x>\n;; x\na 2 1 0.5 and\na 1 0.7 0.1 them NA lex ana\nb 1 0 1 so";
        let file = file.replace(" <x>", "");
        let found = captions(Kind::Ctm, &file);
        let words: Vec<&str> = found.iter().map(|(view, _)| view.as_str()).collect();
        assert_eq!(words, ["|we", "met", "", "\nand", "\nthem", "|so"]);
        let replaces =
            |a: usize, b: usize| found[a].1.as_ref().unwrap().replaces(found[b].1.as_ref().unwrap());
        assert!(replaces(0, 1) && !replaces(1, 0) && !replaces(3, 1) && !replaces(4, 1));
    }
}
