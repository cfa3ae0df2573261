//! `.ctm`, NIST's form of recogniser output: a word a line, with its times.
//!
//! `file channel begin duration word [confidence [type [speaker]]]`; `;;` begins a comment. Of alternatives, which stand between lines
//! whose words are `<ALT_BEGIN>`, `<ALT>` and `<ALT_END>`, the first is taken. Events in `<>` and words of the types `non-lex`, `misc`
//! and `noscore` are no words.

use std::ops::Range;

use super::caption::{Caption, Captions, Id};
use super::records::{Grammar, Parts, fill};
use super::transcript::{Fault, fields, is_event, is_no_word, is_silent, seconds, shortened, too_few};
use crate::text::Break;

const EXPECTED: &str = "file channel begin duration word";

/// A line: where its fields stand in it, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The recording.
    pub file: Range<usize>,
    /// Its channel.
    pub channel: Range<usize>,
    /// When the word begins, in seconds.
    pub begin: Range<usize>,
    /// How long it is, in seconds.
    pub duration: Range<usize>,
    /// The word.
    pub word: Range<usize>,
    /// How sure the recogniser is of it.
    pub confidence: Option<Range<usize>>,
    /// What kind of word it is: `lex`, `fp`, `non-lex`, …
    pub kind: Option<Range<usize>>,
    /// Who speaks.
    pub speaker: Option<Range<usize>>,
    /// What the line says.
    pub role: Role,
}

impl Row {
    /// The recording, its channel and the speaker, which may not be named.
    fn by<'a>(&self, line: &'a str) -> [&'a str; 3] {
        let speaker = self.speaker.clone().map_or("", |speaker| &line[speaker]);
        [&line[self.file.clone()], &line[self.channel.clone()], speaker]
    }
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A word is spoken.
    Word,
    /// Something else is heard.
    Event,
    /// Alternatives begin.
    Begin,
    /// The next alternative begins.
    Next,
    /// Alternatives end.
    End,
}

/// Reads a line; `None` where it says nothing.
///
/// # Errors
/// Where it has fewer fields than five or more than eight, or its times or its confidence are no numbers.
pub fn row(line: &str) -> Result<Option<Row>, Fault> {
    if is_silent(line) {
        return Ok(None);
    }
    let mut places = fields(line, 0);
    let first: Vec<Range<usize>> = places.by_ref().take(5).collect();
    let Ok([file, channel, begin, duration, word]) = <[_; 5]>::try_from(first) else {
        return Err(too_few(line, fields(line, 0).count(), EXPECTED));
    };
    let (confidence, kind, speaker) = (places.next(), places.next(), places.next());
    if let Some(more) = places.next() {
        let found = shortened(&line[more.clone()]);
        let problem = format!("found \"{found}\", but a line ends with {EXPECTED} confidence type speaker");
        return Err(Fault { at: more.start, problem });
    }
    let role = match &line[word.clone()] {
        "<ALT_BEGIN>" => Role::Begin,
        "<ALT>" => Role::Next,
        "<ALT_END>" => Role::End,
        word if is_event(word) => Role::Event,
        _ => match kind.clone().map(|kind| &line[kind]) {
            Some("non-lex" | "misc" | "noscore") => Role::Event,
            _ => Role::Word,
        },
    };
    if matches!(role, Role::Word | Role::Event) {
        seconds(line, &begin, "beginning")?;
        seconds(line, &duration, "duration")?;
        if let Some(field) = &confidence
            && !is_confidence(&line[field.clone()])
        {
            let found = shortened(&line[field.clone()]);
            let problem = format!("found \"{found}\", but a confidence is expected, such as 0.98, or NA");
            return Err(Fault { at: field.start, problem });
        }
    }
    Ok(Some(Row { file, channel, begin, duration, word, confidence, kind, speaker, role }))
}

/// Some recognisers write confidences above 1 or below 0.
fn is_confidence(text: &str) -> bool {
    text.eq_ignore_ascii_case("NA") || text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Which alternative the lines of a recording are at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alternatives {
    /// None: all words are taken.
    #[default]
    None,
    /// The first: its words are taken.
    First,
    /// A later one: its words are not.
    Later,
}

impl Alternatives {
    /// Takes the next line, and says whether it is a word to be taken.
    ///
    /// # Errors
    /// Where alternatives begin inside others, or go on or end without having begun.
    pub fn takes(&mut self, row: &Row) -> Result<bool, Fault> {
        let (next, takes) = match (*self, row.role) {
            (Self::None, Role::Begin) => (Self::First, false),
            (Self::First | Self::Later, Role::Next) => (Self::Later, false),
            (Self::First | Self::Later, Role::End) => (Self::None, false),
            (now, Role::Event) => (now, false),
            (now, Role::Word) => (now, now != Self::Later),
            (_, Role::Begin) => return Err(misplaced(row, "<ALT_BEGIN> before <ALT_END>")),
            (_, Role::Next) => return Err(misplaced(row, "<ALT> without <ALT_BEGIN>")),
            (_, Role::End) => return Err(misplaced(row, "<ALT_END> without <ALT_BEGIN>")),
        };
        *self = next;
        Ok(takes)
    }

    /// Ends a recording, after its last line.
    ///
    /// # Errors
    /// Where alternatives have not ended.
    pub fn end(self, line: &str) -> Result<(), Fault> {
        if self == Self::None {
            return Ok(());
        }
        let problem =
            "the recording ends before <ALT_END>, but alternatives are expected to end: is the file cut off?";
        Err(Fault { at: line.trim_end().len(), problem: problem.to_owned() })
    }
}

fn misplaced(row: &Row, found: &str) -> Fault {
    let problem = format!(
        "found {found}, but alternatives are expected between <ALT_BEGIN> and <ALT_END>, parted by <ALT>"
    );
    Fault { at: row.word.start, problem }
}

/// Recogniser output, read from anywhere. A recording is a text, in which another channel or speaker is another turn; all but the words
/// stays as it is.
#[derive(Debug, Default)]
pub(super) struct Rows {
    alternatives: Alternatives,
    /// Recording, channel and speaker of the last word.
    last: [String; 3],
}

impl Rows {
    /// Takes the next line, and says whether it is a word, and what parts that from the last.
    fn takes(&mut self, line: &str, row: &Row) -> Result<Option<Option<Break>>, Fault> {
        let takes = self.alternatives.takes(row)? && !is_no_word(&line[row.word.clone()]);
        Ok(takes.then(|| parted(&mut self.last, row.by(line))))
    }
}

impl Grammar for Rows {
    fn line(&mut self, line: &str, parts: &mut Parts) -> Result<(), Fault> {
        let Some(row) = row(line)? else { return Ok(()) };
        if let Some(before) = self.takes(line, &row)? {
            parts.push(row.word, before);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        self.alternatives.end("").map_err(|fault| fault.problem)
    }
}

/// Recogniser output that comes in live. A word that begins no later than others of its speaker, which were not over by then, takes
/// their place.
#[derive(Debug, Default)]
pub(super) struct Spoken(Rows);

impl Captions for Spoken {
    fn caption(&mut self, text: &str, start: usize, whole: &[u8]) -> Result<Caption, Fault> {
        let mut caption = Caption::silent(whole);
        let Some(row) = row(text)? else { return Ok(caption) };
        let Some(before) = self.0.takes(text, &row)? else { return Ok(caption) };
        let from = seconds(text, &row.begin, "beginning")?;
        let to = from + seconds(text, &row.duration, "duration")?;
        caption.id = Some(Id::Spoken { by: row.by(text).map(str::to_owned), from, to });
        caption.begins = before == Some(Break::Document);
        let at = start + row.word.start;
        // A line has fields before its word, so there is room.
        fill(&mut caption.view, at - 1);
        caption.view.push(if before == Some(Break::Turn) { '\n' } else { ' ' });
        caption.view.push_str(&text[row.word]);
        fill(&mut caption.view, (start + text.len() + 1).max(whole.len()));
        Ok(caption)
    }
}

/// What parts words of another recording, channel or speaker from the last, whose these were.
pub(super) fn parted(last: &mut [String; 3], now: [&str; 3]) -> Option<Break> {
    let before = match (last[0] == now[0], last[1..] == now[1..]) {
        (false, _) => Break::Document,
        (true, false) => Break::Turn,
        (true, true) => return None,
    };
    for (last, now) in last.iter_mut().zip(now) {
        now.clone_into(last);
    }
    Some(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Kind;
    use crate::format::laws::{check, error, starts, words};

    #[test]
    fn a_line_is_a_word_with_its_times() {
        let line = "call A 1.25 0.30  Lisbon, 0.98 lex ana";
        let row = row(line).unwrap().unwrap();
        let parts = [row.file, row.channel, row.begin, row.duration, row.word].map(|part| &line[part]);
        assert_eq!(parts, ["call", "A", "1.25", "0.30", "Lisbon,"]);
        assert_eq!((row.kind.map(|kind| &line[kind]), row.role), (Some("lex"), Role::Word));
        for silent in ["", "  ", ";; a comment", " ;;CTM"] {
            assert_eq!(super::row(silent), Ok(None));
        }
    }

    #[test]
    fn events_are_no_words() {
        for line in ["c 1 0 1 <laugh>", "c 1 0 1 breath NA non-lex", "c 1 0 1 hm 1 noscore x"] {
            assert_eq!(row(line).unwrap().unwrap().role, Role::Event, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (line, at, problem) in [
            ("call A 1.25 0.3", 15, "found 4 fields, but a line is expected to be file channel begin"),
            ("call A 1,25 0.3 so", 7, "found \"1,25\", but a beginning in seconds"),
            ("call A 1.25 -3 so", 12, "found \"-3\", but a duration in seconds"),
            ("call A 1.25 0.3 so sure", 19, "found \"sure\", but a confidence"),
            ("call A 1.25 0.3 so 1 lex x y", 27, "found \"y\", but a line ends with"),
        ] {
            let fault = row(line).unwrap_err();
            assert_eq!(fault.at, at, "{line}");
            assert!(fault.problem.starts_with(problem), "{}", fault.problem);
        }
    }

    #[test]
    fn of_alternatives_the_first_is_taken() {
        let lines = [
            "c 1 * * <ALT_BEGIN>",
            "c 1 0 1 um",
            "c 1 * * <ALT>",
            "c 1 0 1 uh",
            "c 1 * * <ALT_END>",
            "c 1 1 1 so",
        ];
        let mut alternatives = Alternatives::default();
        let taken = lines.map(|line| alternatives.takes(&row(line).unwrap().unwrap()).unwrap());
        assert_eq!(taken, [false, true, false, false, false, true]);
        assert_eq!(alternatives.end(lines[5]), Ok(()));
        assert!(alternatives.takes(&row(lines[2]).unwrap().unwrap()).is_err());
        alternatives = Alternatives::First;
        assert!(alternatives.takes(&row(lines[0]).unwrap().unwrap()).is_err());
        assert!(alternatives.end(lines[0]).is_err());
    }

    #[test]
    fn a_recording_is_a_text() {
        let file = ";; made\na A 0.5 0.25 we 0.9\na A 0.8 0.1 met. 0.9\r\na A 1 0.1 <laugh>\na A 1 1 then\n\
                    a A * * <ALT_BEGIN>\na A 2 1 i\na A * * <ALT>\na A 2 1 you\na A * * <ALT_END>\na A 3 1 [noise] NA\n\
                    a A 3 1 left 0.5\na B 0 1 é\u{30c}é\nb A 0 1 yes";
        assert_eq!(words(Kind::Ctm, file), ["we", "met", "then", "i", "left", "é\u{30c}é", "yes"]);
        assert_eq!(starts(Kind::Ctm, file), ["we", "then", "é\u{30c}é"]);
        check(Kind::Ctm, file);
        let found = error(Kind::Ctm, "a A 0 1 so\na A x 1 we\n");
        assert!(found.starts_with("data, line 2, column 5: found \"x\", but a beginning"), "{found}");
        assert_eq!(words(Kind::Ctm, "a A 0 1 so\na A x 1 we\na A 0 1 go"), ["so", "go"]);
    }
}
