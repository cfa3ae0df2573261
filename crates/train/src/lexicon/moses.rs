//! The Moses truecaser's model: one word per line, its most frequent form first.
//!
//! `the (12/15) The (3)`: each form with its count; the first count is followed by the sum of all.
//! Occurrences at sentence beginnings do not count, as in the Moses truecaser.

use std::io::{self, Write};

use super::read::{LexiconLines, OneSource, form, number};
use super::{CountedForm, Lexicon};
use majuscule_base::error::Result;

/// Writes the words that have counts.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(lexicon: &Lexicon, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    for entry in lexicon.iter() {
        let mut forms: Vec<&CountedForm> = entry.forms.iter().filter(|form| form.count > 0.0).collect();
        // The sort is stable: of equally frequent forms, the smaller change comes first.
        forms.sort_by(|a, b| b.count.total_cmp(&a.count));
        let total: f64 = forms.iter().map(|form| form.count).sum();
        for (i, &each) in forms.iter().enumerate() {
            let spelling = each.case.applied(entry.word, lexicon.locale());
            let count = each.count;
            match i {
                0 => write!(out, "{spelling} ({count}/{total})")?,
                _ => write!(out, " {spelling} ({count})")?,
            }
        }
        if !forms.is_empty() {
            writeln!(out)?;
        }
    }
    Ok(())
}

pub(super) fn read(lines: &mut LexiconLines, language: &str) -> Result<Lexicon> {
    let mut lexicon = OneSource::new(Lexicon::new(language)?);
    let mut words = 0.0;
    // The number of forms that are not words, and the problem of the first.
    let mut skipped = (0u64, None);
    while lines.advance()? {
        let line = lines.line();
        let fields: Vec<&str> = line.split_whitespace().collect();
        let mut sum = 0.0;
        let mut lost = 0.0;
        let mut total = None;
        for pair in fields.chunks(2) {
            let [spelling, bracket] = pair[..] else {
                let problem = format!(
                    "found the form \"{}\" without a count after it, expected \"Form (count)\"",
                    pair[0].escape_debug()
                );
                return Err(lines.problem_at(pair[0], problem));
            };
            let is_first = total.is_none();
            let Some((count, of)) = counts(bracket).filter(|(_, of)| of.is_some() == is_first) else {
                let expected = if is_first { "(count/total)" } else { "(count)" };
                let problem = format!("found \"{}\", expected {expected}", bracket.escape_debug());
                return Err(lines.problem_at(bracket, problem));
            };
            match form(spelling, lexicon.locale()) {
                Ok((word, case)) => lexicon.add(&word, case, count),
                Err(problem) => {
                    lost += count;
                    skipped.0 += 1;
                    skipped.1.get_or_insert_with(|| lines.problem_at(spelling, problem));
                }
            }
            sum += count;
            total = total.or(of);
        }
        // Perl and Python print sums of fractions to about 15 digits.
        if let Some(total) = total.filter(|total| (total - sum).abs() > 1e-6 * total.max(sum)) {
            let problem =
                format!("the total is {total}, but the counts sum to {sum}: the line was cut or altered");
            return Err(lines.problem(problem));
        }
        words += sum - lost;
    }
    let mut lexicon = lexicon.finish(&lines.source(), words as u64);
    if let (count, Some(first)) = skipped {
        let more = if count == 1 { String::new() } else { format!(", the first of {count} such forms") };
        lexicon.notes.push(format!("{first}{more}: left out"));
    }
    Ok(lexicon)
}

/// Parses `(count)` or `(count/total)`.
pub(super) fn counts(bracket: &str) -> Option<(f64, Option<f64>)> {
    let inner = bracket.strip_prefix('(')?.strip_suffix(')')?;
    match inner.split_once('/') {
        None => Some((number(inner)?, None)),
        Some((count, total)) => Some((number(count)?, Some(number(total)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::FormCounter;
    use crate::lexicon::read::parse;
    use crate::lexicon::tests::{lexicon, occurrences};
    use majuscule_text::Locale;
    use proptest::prelude::*;

    fn written(lexicon: &Lexicon) -> String {
        let mut out = Vec::new();
        write(lexicon, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #[test]
        fn written_and_read_again_the_counts_are_the_same(words in occurrences()) {
            let mut counter = FormCounter::new(Locale::Root);
            words.iter().for_each(|(word, case, _)| counter.count(word, *case, false));
            let counted = counter.finish("lexicon");
            let config = super::super::read::LexiconReadConfig {
                format: Some(super::super::read::LexiconFormat::Moses),
                ..Default::default()
            };
            let file = written(&counted);
            prop_assert_eq!(super::super::read::read_bytes(file.as_bytes(), &config).unwrap(), counted);
        }
    }

    #[test]
    fn the_most_frequent_form_comes_first() {
        let lexicon = lexicon("rose Rose Rose ^Rose ^Hence");
        assert_eq!(written(&lexicon), "Rose (2/3) rose (1)\n");
    }

    #[test]
    fn a_line_that_is_wrong_is_named_with_what_was_expected() {
        let error = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            error("the (12/15) The (3)\nrose (1/2) Rose\n"),
            "lexicon, line 2, column 12: found the form \"Rose\" without a count after it, expected \"Form (count)\""
        );
        assert!(error("the (1/1)\nrose (3)\n").ends_with("found \"(3)\", expected (count/total)"));
        assert!(error("the (1/1)\nrose (3/4)\n").contains("line 2: the total is 4, but the counts sum to 3"));
        assert!(error("the (1/2) The (x)\n").contains("column 15: found \"(x)\", expected (count)"));
    }

    #[test]
    fn a_form_that_is_no_word_is_left_out_and_told() {
        let long = "Xy-".repeat(33);
        let text = format!("Foo (3/3)\n\u{ad} (1/1)\nbar (2/3) {long} (1)\n");
        let lexicon = parse(text.as_bytes()).unwrap();
        assert_eq!((lexicon.len(), lexicon.sources()[0].words), (2, 5));
        assert_eq!(
            lexicon.notes(),
            [
                "lexicon, line 2, column 1: the form \"\\u{ad}\" is not a word: it has only invisible characters, or letters \
              that do not compose, the first of 2 such forms: left out"
            ]
        );
        assert!(parse(b"Foo (3/3)\n").unwrap().notes().is_empty());
    }

    #[test]
    fn fractions_as_moses_writes_them_are_read() {
        let lexicon = parse(b"the (0.3/0.4) The (0.1)\n( (5/5)\n").unwrap();
        assert_eq!(lexicon.get("the").unwrap().total(), 0.4);
        assert_eq!(lexicon.get("(").unwrap().total(), 5.0);
    }
}
