//! `.trn`, the form of transcripts that sclite compares: an utterance a line, and its name.
//!
//! `text (utterance)`; `;;` begins a comment. Of alternatives in braces the first is taken, as [`words`](super::transcript::words()) has it.

use std::ops::Range;

use super::transcript::{Fault, Piece, is_silent, pieces, shortened, words};

/// A line: where its fields stand in it, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The words.
    pub words: Vec<Range<usize>>,
    /// The whole text, with all alternatives.
    pub pieces: Vec<Piece>,
    /// The utterance's name, without its parentheses.
    pub utterance: Range<usize>,
}

/// Reads a line; `None` where it says nothing.
///
/// # Errors
/// Where it does not end with a name in parentheses, or a brace has no partner.
pub fn row(line: &str) -> Result<Option<Row>, Fault> {
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
    let pieces = pieces(&line[..utterance.start - 1], 0)?;
    Ok(Some(Row { words: words(line, &pieces), pieces, utterance }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_utterance_and_its_name() {
        for (line, words, name) in [
            ("So, (uh) Lisbon. (ana-1)\r", &["So,", "(uh)", "Lisbon."][..], "ana-1"),
            ("(ana-2)", &[], "ana-2"),
            ("{ a / b } c(x)", &["a", "c"], "x"),
        ] {
            let row = row(line).unwrap().unwrap();
            assert_eq!(row.words.into_iter().map(|word| &line[word]).collect::<Vec<_>>(), words);
            assert_eq!(&line[row.utterance], name);
        }
        assert_eq!(row(";; text"), Ok(None));
    }

    #[test]
    fn a_line_without_a_name_is_named_with_its_place() {
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
