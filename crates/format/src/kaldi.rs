//! The `text` of Kaldi: the name of an utterance and its words per line.

use super::grammar::Grammar;
use super::head::FileHead;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::line_parts::LineParts;
use super::transcript::{Fault, fields, is_no_word};
use majuscule_text::{Break, MarkForm};

/// Kaldi's utterances.
pub(super) const KALDI: FormatInfo = FormatInfo {
    format: Format::Kaldi,
    name: "kaldi",
    help: "The text of Kaldi: the name of an utterance and its words per line",
    shown: "Kaldi's text",
    family: FormatFamily::Transcript,
    begins: Some(begins),
    grammar: Some(|_| Ok(Box::new(KaldiReader))),
    mark_form: |asked| Ok(asked.unwrap_or(MarkForm::Joined)),
    is_cut_by_lines: true,
    is_named_as_text: true,
    ..FormatInfo::LINES
};

/// Returns true if a file begins with lines of Kaldi: they begin with the name of an utterance, sorted by it. Prose has
/// no such names, which are longer than a word with a number (`covid-19`). In a file `text`, as Kaldi
/// calls it, any identifiers are names.
fn begins(head: FileHead<'_>) -> Option<bool> {
    /// The number of lines that are enough, whatever their names look like.
    const LINES: usize = 3;
    /// The largest number of bytes of a name, so that no longer one is waited for.
    const LONGEST: usize = 256;
    let FileHead { text, ended, file, .. } = head;
    let is_named = file == "text";
    let (mut names, mut has_words, mut rest) = (Vec::<&[u8]>::new(), false, text);
    while !rest.is_empty() {
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let name = &rest[..end];
        if end > LONGEST {
            return Some(false);
        }
        if end == rest.len() && !ended {
            return if name.iter().all(is_in_name) { None } else { Some(false) };
        }
        if !is_name(name, is_named) || names.last().is_some_and(|last| *last >= name) {
            return Some(false);
        }
        names.push(name);
        let line_end = rest.iter().position(|&b| b == b'\n');
        has_words |= !rest[end..line_end.unwrap_or(rest.len())].trim_ascii().is_empty();
        match line_end {
            _ if names.len() == LINES && has_words => return Some(true),
            Some(line_end) => rest = &rest[line_end + 1..],
            None if ended => break,
            None => return None,
        }
    }
    if !ended {
        return None;
    }
    let is_alike =
        |names: &[&[u8]]| names.len() > 1 && names.windows(2).all(|two| shape(two[0]) == shape(two[1]));
    Some(has_words && (is_named || is_alike(&names)))
}

fn is_in_name(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')
}

/// Returns true if a word is the name of an utterance: `spk1-utt001`, `1089-134686-0000`,
/// `BAC009S0002W0122`. A date is none.
fn is_name(word: &[u8], is_named: bool) -> bool {
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let has_link = word.iter().any(|b| matches!(b, b'-' | b'_'));
    if !word.iter().all(is_in_name) || !word.first().is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    let is_date = shape(word) == b"0-0-0" && word.len() == 10 && word[4] == b'-';
    let has_letter = word.iter().any(u8::is_ascii_alphabetic);
    match is_named {
        true => digits > 0 || has_link,
        false => digits >= 4 && has_link && !is_date || digits >= 6 && has_letter,
    }
}

/// Returns the shape of a name: its signs, with one letter for letters and one digit for digits.
fn shape(name: &[u8]) -> Vec<u8> {
    let kind = |b: &u8| match b {
        b'0'..=b'9' => b'0',
        b if b.is_ascii_alphabetic() => b'a',
        b => *b,
    };
    let mut shape: Vec<u8> = name.iter().map(kind).collect();
    shape.dedup_by(|a, b| a == b && a.is_ascii_alphanumeric());
    shape
}

/// Utterances, read from any input: each is a turn. Everything but the words is copied unchanged.
#[derive(Debug)]
struct KaldiReader;

impl Grammar for KaldiReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let words = fields(line, 0).skip(1).filter(|word| {
            let word = &line[word.clone()];
            // `!SIL` is silence.
            !(is_no_word(word) || word.len() > 1 && word.starts_with('!'))
        });
        for (at, word) in words.enumerate() {
            match at {
                0 => parts.push_beginning(word, Some(Break::Turn)),
                _ => parts.push(word, None),
            }
        }
        Ok(())
    }

    fn is_between(&self) -> bool {
        true
    }
}
