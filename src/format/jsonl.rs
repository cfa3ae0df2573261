//! JSON lines: an object a line, of which one field is text. Escapes are read, and written back in their own form.

use super::caption::{self, Caption, Captions};
use super::json::{Event, decode, read};
use super::lines::Lines;
use super::plain::{not_utf8, text};
use super::records::explained;
use super::transcript::Fault;
use super::{Format, Piece, Settings};
use crate::error::Result;
use crate::files::Input;
use crate::text::Break;
use crate::text::tokenize::{Cut, Tokenizer};

/// Characters of a line that is read, at most: it has to be in memory.
const LONGEST: usize = 1 << 28;

/// A piece ends with the first line that ends after so many bytes.
const PIECE: usize = 1 << 16;

/// Objects, read from anywhere. The text of each is a line or more of one text, which is read as [`Plain`](super::Plain) reads lines.
#[derive(Debug)]
pub struct Jsonl {
    lines: Lines,
    settings: Settings,
    tokenizer: Tokenizer,
    /// The keys that lead to the text; arrays on the way are gone through.
    path: Vec<String>,
    text: String,
    mended: Vec<u8>,
}

impl Jsonl {
    /// Reads objects; [`Settings::field`] names the text, with dots between keys (`result.text`), or it is `text`.
    pub fn new(input: Input, settings: Settings) -> Self {
        let path = path(&settings);
        Self {
            lines: Lines::of_at_most(input, LONGEST),
            tokenizer: Tokenizer::new(settings.locale, &settings.language, settings.capitalized),
            settings,
            path,
            text: String::new(),
            mended: Vec::new(),
        }
    }

    /// Appends the line that was read to the piece.
    fn take(&mut self, piece: &mut Piece) -> Result<()> {
        let (name, number, lossy) = (self.lines.name(), self.lines.number(), self.settings.lossy);
        let start = piece.frame.source.len() + self.lines.text().start;
        piece.frame.source.extend_from_slice(self.lines.whole());
        let source = &self.lines.whole()[self.lines.text()];
        let line =
            text(source, &mut self.mended, lossy).map_err(|at| not_utf8(name, number - 1, 0, source, at))?;
        let found = match self.lines.is_long() {
            true => Err(Fault {
                at: 0,
                problem: format!("found a line of more than {LONGEST} characters, which is too long"),
            }),
            false if line.trim().is_empty() => Ok(Vec::new()),
            false => strings(line, &self.path),
        };
        let found = match found {
            Err(_) if lossy => Vec::new(),
            found => found.map_err(|fault| explained(fault).error(name, number, line))?,
        };
        for string in found {
            let from = self.text.len();
            decode(&line[string.clone()], &mut self.text);
            piece.frame.place(from..self.text.len(), start + string.start..start + string.end);
            self.text.push('\n');
        }
        Ok(())
    }
}

/// Objects that come in live.
pub(super) struct Objects {
    path: Vec<String>,
    settings: Settings,
}

impl Objects {
    /// Reads objects like [`Jsonl`]; [`Settings::id`] names the field that says which record it is.
    pub(super) fn new(settings: &Settings) -> Self {
        Self { path: path(settings), settings: settings.clone() }
    }
}

impl Captions for Objects {
    fn caption(&mut self, text: &str, start: usize, whole: &[u8]) -> Result<Caption, Fault> {
        if text.trim().is_empty() {
            return Ok(Caption::silent(whole));
        }
        let mut caption = Caption { id: caption::name(text, &self.settings)?, ..Caption::default() };
        for string in strings(text, &self.path)? {
            let from = caption.view.len();
            decode(&text[string.clone()], &mut caption.view);
            caption.frame.place(from..caption.view.len(), start + string.start..start + string.end);
            caption.view.push('\n');
        }
        caption.frame.source = whole.to_vec();
        caption.source = caption.view.clone().into_bytes();
        Ok(caption)
    }
}

/// The keys that lead to the text.
fn path(settings: &Settings) -> Vec<String> {
    settings.field.as_deref().unwrap_or("text").split('.').map(str::to_owned).collect()
}

/// Where the strings stand that the keys lead to.
fn strings(line: &str, path: &[String]) -> Result<Vec<std::ops::Range<usize>>, Fault> {
    let (mut found, mut wrong) = (Vec::new(), None);
    // The depth of the path that is reached by each object or array that is open, and by the key before the next value.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut next = Some(0);
    let mut key = String::new();
    read(line, &mut |event| {
        match event {
            Event::Begin => return open.push(next),
            Event::End => {
                open.pop();
            }
            Event::Key(name) => {
                key.clear();
                decode(&line[name], &mut key);
                let depth = open.last().copied().flatten();
                next = depth.filter(|&depth| path.get(depth) == Some(&key)).map(|depth| depth + 1);
                return;
            }
            Event::String(string) if next == Some(path.len()) => found.push(string),
            Event::Other(place) if next == Some(path.len()) && &line[place.clone()] != "null" => {
                wrong.get_or_insert(place.start);
            }
            Event::String(_) | Event::Other(_) => {}
        }
        next = open.last().copied().flatten();
    })?;
    let name = path.join(".");
    if let Some(at) = wrong {
        let problem =
            format!("found no string in \"{name}\", but a text is expected there; --field names another");
        return Err(Fault { at, problem });
    }
    if found.is_empty() && !line.contains("null") {
        let problem =
            format!("found no field \"{name}\", but one with the text is expected; --field names another");
        return Err(Fault { at: 0, problem });
    }
    Ok(found)
}

impl Format for Jsonl {
    fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        piece.clear();
        piece.capitalized = self.settings.capitalized;
        self.text.clear();
        piece.after = Break::Line;
        while piece.frame.source.len() < PIECE && (piece.frame.is_none() || self.lines.is_ready()) {
            if !self.lines.next()? {
                piece.after = Break::Document;
                break;
            }
            self.take(piece)?;
        }
        self.tokenizer.read(&self.text, 0, Cut::Whole, &mut piece.tokens);
        self.settings.words.fix(self.text.as_bytes(), 0, true, &mut piece.tokens);
        piece.source.extend_from_slice(self.text.as_bytes());
        Ok(!piece.frame.is_none())
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Kind;
    use crate::format::laws::{check, error, starts, words};

    const FILE: &str = "\u{feff}{\"id\": \"Text a\", \"text\": \"we met \\u00e9lise\\nin lisbon.\"}\r\n\n{\"text\": null}\n\
                        {\"text\" : \"then \\ud801\\udc28 \\\"o'neill\\\" left \\u0130\\/\\u00C9 caf\\u00E9.\", \"meta\": {\"text\": \"no\"}}";

    #[test]
    fn escapes_are_read_and_written_back() {
        assert_eq!(
            words(Kind::Jsonl, FILE),
            ["we", "met", "élise", "in", "lisbon", "then", "𐐨", "o'neill", "left", "İ", "é", "café"]
        );
        assert_eq!(starts(Kind::Jsonl, FILE), ["in", "then"]);
        check(Kind::Jsonl, FILE);
    }

    #[test]
    fn what_cannot_be_read_is_named_or_passed() {
        let good = "{\"text\":\"yes\"}\n";
        for (line, start) in [
            ("{\"text\":\"n", "data, line 2, column 9: the string that begins here has no end"),
            ("{\"texts\":\"no\"}", "data, line 2, column 1: found no field \"text\", but one"),
            ("{\"text\":[1]}", "data, line 2, column 10: found no string in \"text\""),
        ] {
            let file = format!("{good}{line}\n{good}");
            let error = error(Kind::Jsonl, &file);
            assert!(error.starts_with(start), "{error}");
            assert_eq!(words(Kind::Jsonl, &file), ["yes", "yes"]);
        }
    }
}
