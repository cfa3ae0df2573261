//! `.trn`, the format of the transcripts that sclite compares: one utterance and its name per line.
//!
//! `text (utterance)`; `;;` begins a comment. Only the first of several alternatives in braces is read, as in
//! [`words`](super::transcript::words()).

use std::ops::Range;

use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::FormatFamily;
use super::line_parts::LineParts;
use super::transcript::{Fault, TranscriptPiece, Utterance, is_no_word, is_silent, pieces, shortened, words};
use majuscule_text::{Break, MarkForm};

/// NIST's references and recogniser output by utterances.
pub(super) const TRN: FormatInfo = FormatInfo {
    example: "Good { day / { dáy / @ } } met (uh) (ána-1)\n(rui-1)\n\n;; x\nYes? (rui-2)",
    shown: ".trn",
    family: FormatFamily::Transcript,
    extensions: &["trn"],
    grammar: Some(|_| Ok(Box::new(TrnReader))),
    mark_form: |asked| Ok(asked.unwrap_or(MarkForm::Joined)),
    has_utterances: true,
    is_cut_by_lines: true,
    ..FormatInfo::LINES
};

/// The pieces of a line, and the position of the name of its utterance.
type TrnLine = (Vec<TranscriptPiece>, Range<usize>);

/// Returns the whole text of a line, with all alternatives, and the position of the name of the utterance, without its
/// parentheses; `None` for an empty line or a comment.
///
/// # Errors
/// Fails if the line does not end with a name in parentheses, or a brace has no partner.
fn row(line: &str) -> Result<Option<TrnLine>, Fault> {
    if is_silent(line) {
        return Ok(None);
    }
    let whole = line.trim_end();
    let name = whole.strip_suffix(')').and_then(|rest| Some(rest.rfind('(')? + 1..rest.len()));
    let Some(utterance) = name.filter(|name| !line[name.clone()].trim().is_empty()) else {
        let last = whole.rsplit(char::is_whitespace).next().unwrap_or(whole);
        let problem = format!(
            "found \"{}\" at its end, but a line is expected to end with the name of its utterance, such as (speaker-1): is the file \
             cut off?",
            shortened(last)
        );
        return Err(Fault { at: whole.len() - last.len(), problem });
    };
    Ok(Some((pieces(&line[..utterance.start - 1], 0)?, utterance)))
}

/// Utterances, read from any input: each is a turn. Everything but the words is copied unchanged.
#[derive(Debug)]
struct TrnReader;

impl Grammar for TrnReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let Some((pieces, _)) = row(line)? else { return Ok(()) };
        let words = words(line, &pieces).into_iter().filter(|word| !is_no_word(&line[word.clone()]));
        for (at, word) in words.enumerate() {
            parts.push(word, (at == 0).then_some(Break::Turn));
        }
        Ok(())
    }

    fn utterance<'a>(&self, line: &'a str) -> Result<Option<Utterance<'a>>, Fault> {
        let Some((pieces, name)) = row(line)? else { return Ok(None) };
        Ok(Some(Utterance { name: Some(line[name].trim()), ..Utterance::of(line, &pieces) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::case_laws::{check_cases, starts, words};

    #[test]
    fn the_words_of_utterances_are_text_and_their_names_are_not() {
        let file = ";; so\nwe met { ana / rui } . (ana-1)\r\n[noise] <laugh> (rui-2)\nhe (uh) left (rui-3)";
        check_cases(Format::Trn, file);
        assert_eq!(words(Format::Trn, file), ["we", "met", "ana", "he", "uh", "left"]);
        assert_eq!(starts(Format::Trn, file), ["we", "he"]);
    }

    #[test]
    fn a_line_is_an_utterance_and_its_name() {
        for (line, words, name) in [
            ("So, (uh) Lisbon. (ana-1)\r", &["So,", "(uh)", "Lisbon."][..], "ana-1"),
            ("(ana-2)", &[], "ana-2"),
            ("{ a / b } c(x)", &["a", "c"], "x"),
        ] {
            let (pieces, utterance) = row(line).unwrap().unwrap();
            let found: Vec<&str> = super::words(line, &pieces).into_iter().map(|word| &line[word]).collect();
            assert_eq!(found, words);
            assert_eq!(&line[utterance], name);
        }
        assert_eq!(row(";; text"), Ok(None));
    }

    #[test]
    fn a_line_without_a_name_is_named_with_its_position() {
        for (line, at) in [("So it is (ana-", 9), ("So it is", 6), ("So it is ()", 9), ("x)", 0)] {
            let fault = row(line).unwrap_err();
            assert_eq!(fault.at, at, "{line}");
            assert!(
                fault.problem.contains("name of its utterance, such as (speaker-1)"),
                "{}",
                fault.problem
            );
        }
    }
}
