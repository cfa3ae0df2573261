//! `.stm`, NIST's form of references: a segment of a recording a line.
//!
//! `file channel speaker begin end [<label>] text`; `;;` begins a comment. Of alternatives in braces the first is taken, as
//! [`words`](super::transcript::words()) has it. A segment whose text is `ignore_time_segment_in_scoring` has no words.

use std::ops::Range;

use super::ctm::parted;
use super::records::{Grammar, Parts};
use super::transcript::{Fault, fields, is_event, is_no_word, is_silent, seconds, shortened, too_few, words};
use crate::text::Break;

/// A line: where its fields stand in it, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The recording.
    pub file: Range<usize>,
    /// Its channel.
    pub channel: Range<usize>,
    /// Who speaks.
    pub speaker: Range<usize>,
    /// When the segment begins, in seconds.
    pub begin: Range<usize>,
    /// When it ends, in seconds.
    pub end: Range<usize>,
    /// What it is counted under: `<o,f0,male>`.
    pub label: Option<Range<usize>>,
    /// The words.
    pub words: Vec<Range<usize>>,
    /// Whether what is said there is not transcribed, and not to be scored.
    pub is_ignored: bool,
}

/// Reads a line; `None` where it says nothing.
///
/// # Errors
/// Where it has fewer fields than five, its times are no numbers or the end comes before the beginning, or a brace has no partner.
pub fn row(line: &str) -> Result<Option<Row>, Fault> {
    if is_silent(line) {
        return Ok(None);
    }
    let mut places = fields(line, 0);
    let first: Vec<Range<usize>> = places.by_ref().take(5).collect();
    let Ok([file, channel, speaker, begin, end]) = <[_; 5]>::try_from(first) else {
        let expected = "file channel speaker begin end <label> text";
        return Err(too_few(line, fields(line, 0).count(), expected));
    };
    if seconds(line, &end, "end")? < seconds(line, &begin, "beginning")? {
        let [from, to] = [&begin, &end].map(|field| shortened(&line[field.clone()]));
        let problem = format!("found the end {to} before the beginning {from}, but it is expected after it");
        return Err(Fault { at: end.start, problem });
    }
    let label = places.next().filter(|field| is_event(&line[field.clone()]));
    let text = label.as_ref().unwrap_or(&end).end;
    let is_ignored = line[text..].trim().eq_ignore_ascii_case("ignore_time_segment_in_scoring");
    let words = if is_ignored { Vec::new() } else { words(line, text)? };
    Ok(Some(Row { file, channel, speaker, begin, end, label, words, is_ignored }))
}

/// References, read from anywhere. A recording is a text, a segment a cue, and another channel or speaker another turn; all but the
/// words stays as it is.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Recording, channel and speaker of the last segment.
    last: [String; 3],
}

impl Grammar for Rows {
    fn line(&mut self, line: &str, parts: &mut Parts) -> Result<(), Fault> {
        let Some(row) = row(line)? else { return Ok(()) };
        let mut words = row.words.into_iter().filter(|word| !is_no_word(&line[word.clone()]));
        let Some(first) = words.next() else { return Ok(()) };
        let now = [row.file, row.channel, row.speaker].map(|field| &line[field]);
        parts.push(first, parted(&mut self.last, now).or(Some(Break::Cue)));
        words.for_each(|word| parts.push(word, None));
        Ok(())
    }

    fn is_between(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Kind;
    use crate::format::laws::{check, error, starts, words};

    #[test]
    fn a_line_is_a_segment() {
        let line = "talk 1 Ana_Reis 0.5 3 <o,f0,female> So, { in / on } Lisbon.";
        let row = row(line).unwrap().unwrap();
        let parts = [row.file, row.channel, row.speaker, row.begin, row.end, row.label.unwrap()];
        assert_eq!(parts.map(|part| &line[part]), ["talk", "1", "Ana_Reis", "0.5", "3", "<o,f0,female>"]);
        let words: Vec<&str> = row.words.into_iter().map(|word| &line[word]).collect();
        assert_eq!(words, ["So,", "in", "Lisbon."]);
        assert!(super::row("talk 1 x 0 1 Yes").unwrap().unwrap().words.contains(&(13..16)));
        assert!(super::row("talk 1 x 0 1").unwrap().unwrap().words.is_empty());
        assert_eq!(super::row(";; talk"), Ok(None));
    }

    #[test]
    fn a_segment_that_is_ignored_has_no_words() {
        for line in
            ["t 1 x 0 1 ignore_time_segment_in_scoring", "t 1 x 0 1 <o> IGNORE_TIME_SEGMENT_IN_SCORING"]
        {
            let row = row(line).unwrap().unwrap();
            assert!(row.is_ignored && row.words.is_empty(), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (line, at, problem) in [
            ("talk 1 ana 0.5", 14, "found 4 fields, but a line is expected to be file channel speaker"),
            ("talk 1 ana x 1 Yes", 11, "found \"x\", but a beginning in seconds"),
            ("talk 1 ana 2 1 Yes", 13, "found the end 1 before the beginning 2"),
            ("talk 1 ana 1 2 { Yes", 15, "found { without its }"),
        ] {
            let fault = row(line).unwrap_err();
            assert_eq!(fault.at, at, "{line}");
            assert!(fault.problem.starts_with(problem), "{}", fault.problem);
        }
    }

    #[test]
    fn sentences_run_on_from_segment_to_segment() {
        let file = "a 1 ana 0 1 <o,f0,female> so { we / they } met.\na 1 ana 1 2 then rui\r\na 1 ana 2 3 left. [noise] he\n\
                    ;; x\na 1 rui 3 4 ignore_time_segment_in_scoring\na 1 rui 4 5 no\nb 1 rui 0 1 yes.";
        assert_eq!(words(Kind::Stm, file), ["so", "we", "met", "then", "rui", "left", "he", "no", "yes"]);
        assert_eq!(starts(Kind::Stm, file), ["so", "then", "he", "no", "yes"]);
        check(Kind::Stm, file);
        let found = error(Kind::Stm, "a 1 ana 0 1 so\na 1 ana 2 1 we\n");
        assert!(found.starts_with("data, line 2, column 11: found the end 1 before"), "{found}");
    }
}
