//! The map read by SRILM's `disambig -map`: `word form p form p …`.
//!
//! `p` is the relative frequency of a form among the forms of its word, P(form | word), which
//! `disambig -scale` converts into the emission probability of a hidden Markov model. For a word
//! seen only at sentence beginnings, the frequencies are counted there.

use std::io::{self, Write};

use super::Lexicon;
use super::read::{LexiconLines, OneSource, form, number};
use majuscule_base::error::Result;

/// Writes every word with the relative frequencies of its forms.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(lexicon: &Lexicon, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    for entry in lexicon.iter() {
        let total: f64 = entry.forms.iter().map(|form| entry.weight(form)).sum();
        if total <= 0.0 {
            continue;
        }
        write!(out, "{}", entry.word)?;
        for form in entry.forms.iter().filter(|form| entry.weight(form) > 0.0) {
            let spelling = form.case.applied(entry.word, lexicon.locale());
            write!(out, " {spelling} {}", entry.weight(form) / total)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

pub(super) fn read(lines: &mut LexiconLines, language: &str) -> Result<Lexicon> {
    let mut lexicon = OneSource::new(Lexicon::new(language)?);
    let mut words = 0;
    while lines.advance()? {
        let line = lines.line();
        let mut fields = line.split_whitespace().peekable();
        let Some(word) = fields.next() else { continue };
        if fields.peek().is_none() {
            let problem = format!(
                "found the word \"{}\" without a form, expected \"word form p\"",
                word.escape_debug()
            );
            return Err(lines.problem_at(word, problem));
        }
        while let Some(spelling) = fields.next() {
            // As in disambig, a form without a number has probability 1.
            let p = fields.next_if(|field| number(field).is_some()).and_then(number).unwrap_or(1.0);
            let (key, case) =
                form(spelling, lexicon.locale()).map_err(|problem| lines.problem_at(spelling, problem))?;
            if key != word {
                let problem = format!(
                    "found \"{}\", expected a form of the word \"{}\" or a probability",
                    spelling.escape_debug(),
                    word.escape_debug()
                );
                return Err(lines.problem_at(spelling, problem));
            }
            if p > 1.0 {
                let problem = format!("found the probability {p}, expected one from 0 to 1");
                return Err(lines.problem_at(spelling, problem));
            }
            lexicon.add(&key, case, p);
        }
        words += 1;
    }
    Ok(lexicon.finish(&lines.source(), words))
}

/// Parses a number from 0 to 1.
pub(super) fn probability(text: &str) -> Option<f64> {
    number(text).filter(|p| *p <= 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::read::parse;
    use crate::lexicon::tests::lexicon;

    fn written(lexicon: &Lexicon) -> String {
        let mut out = Vec::new();
        write(lexicon, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn shares_are_written_and_read() {
        let file = written(&lexicon("rose rose rose Rose ^Rose ^Hence"));
        assert_eq!(file, "hence Hence 1\nrose rose 0.75 Rose 0.25\n");
        assert_eq!(written(&parse(file.as_bytes()).unwrap()), file);
    }

    #[test]
    fn a_form_may_be_a_number_or_go_without_one() {
        let lexicon = parse(b"rose Rose 1\n1990 1990 1\n1991 1991\nnato NATO Nato 0.5\n").unwrap();
        assert_eq!(lexicon.get("1990").unwrap().count(), 1.0);
        assert_eq!(lexicon.get("1991").unwrap().count(), 1.0);
        assert_eq!(lexicon.get("nato").unwrap().count(), 1.5);
    }

    #[test]
    fn a_line_that_is_wrong_is_named_with_what_was_expected() {
        let error = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            error("rose Rose 1\nrose Roses 0.5\n"),
            "lexicon, line 2, column 6: found \"Roses\", expected a form of the word \"rose\" or a probability"
        );
        assert!(error("rose Rose 1\nrose\n").contains("without a form"));
        assert!(error("rose Rose 1\nrose Rose 7\n").contains("expected one from 0 to 1"));
    }
}
