//! The lexicon's own file format: one form per line, columns separated by tabs, with a header.
//!
//! ```text
//! # majuscule lexicon   1
//! # language   en
//! # source     1   news   2000
//! # update     2026-11-20   0.5   news
//! word   form   count   initial   sources
//! rose   rose   4       1         1
//! rose   Rose   2       0         1
//! ```
//!
//! Lines of forms are written in the order of the words' bytes and may be read in any order. The
//! column `sources` refers to the lines `# source` by their numbers. `grep -v '^#' FILE | tail -n
//! +2` extracts the table for `cut` and `sort`.

use std::io::{self, Write};

use super::read::{LexiconLines, form, number};
use super::sources::{SetId, SourceId};
use super::{CountedForm, FormCounter, Lexicon, LexiconSource, LexiconUpdate};
use majuscule_base::error::{Error, Result};

/// The version of the format that this build reads and writes.
pub const FORMAT: u32 = 1;

const MAGIC: &str = "# majuscule lexicon";
const COLUMNS: &str = "word\tform\tcount\tinitial\tsources";

/// Returns true if a file that begins with this line has this format.
pub(super) fn is_first_line(line: &str) -> bool {
    line.strip_prefix(MAGIC).is_some_and(|rest| rest.is_empty() || rest.starts_with('\t'))
}

/// Writes a lexicon.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(lexicon: &Lexicon, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    writeln!(out, "{MAGIC}\t{FORMAT}")?;
    writeln!(out, "# language\t{}", lexicon.language())?;
    for (i, source) in lexicon.sources().iter().enumerate() {
        writeln!(out, "# source\t{}\t{}\t{}", i + 1, source.name(), source.words)?;
    }
    for update in lexicon.updates() {
        write!(out, "# update\t{}\t{}", update.date, update.decay)?;
        for source in &update.sources {
            write!(out, "\t{source}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{COLUMNS}")?;
    let mut line = String::new();
    for entry in lexicon.iter() {
        for CountedForm { case, count, initial, sources } in entry.forms {
            line.clear();
            case.apply(entry.word, lexicon.locale(), &mut line);
            write!(out, "{}\t{line}\t{count}\t{initial}\t", entry.word)?;
            for (i, id) in lexicon.sets.get(*sources).iter().enumerate() {
                write!(out, "{}{}", if i == 0 { "" } else { "," }, id + 1)?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Reads a lexicon, beginning at the first line.
pub(super) fn read(lines: &mut LexiconLines) -> Result<Lexicon> {
    let mut lexicon = read_header(lines)?;
    let mut counter = FormCounter::new(lexicon.locale);
    let mut known_set = (String::new(), SetId::NONE);
    while lines.advance()? {
        let line = lines.line();
        let fields: Vec<&str> = line.splitn(6, '\t').collect();
        let [word, spelling, count, initial, sources] = fields[..] else {
            let problem = format!(
                "found {} columns separated by tabs, expected 5: {}",
                fields.len(),
                COLUMNS.replace('\t', ", ")
            );
            return Err(lines.problem(problem));
        };
        // Most lines have the same sources as the line before.
        let new_set = match sources {
            _ if sources == known_set.0 => None,
            _ => Some(parse_set(sources, lexicon.sources.len())),
        };
        let (key, case) =
            form(spelling, lexicon.locale).map_err(|problem| lines.problem_at(spelling, problem))?;
        if key != word {
            let problem = format!(
                "the form \"{}\" is one of \"{}\", not of the word \"{}\"",
                spelling.escape_debug(),
                key.escape_debug(),
                word.escape_debug()
            );
            return Err(lines.problem_at(spelling, problem));
        }
        let parse = |text| number(text).ok_or_else(|| lines.problem_at(text, expected_number("count", text)));
        let (count, initial) = (parse(count)?, parse(initial)?);
        if let Some(set) = new_set {
            let set = set.map_err(|problem| lines.problem_at(sources, problem))?;
            known_set = (sources.to_owned(), lexicon.sets.id(set));
        }
        if !counter.add(&key, CountedForm { case, count, initial, sources: known_set.1 }) {
            let problem = format!(
                "the form \"{}\" occurs twice: keep one line, or join files with \"lexicon merge\"",
                case.applied(&key, lexicon.locale).escape_debug()
            );
            return Err(lines.problem(problem));
        }
    }
    counter.finish_into(&mut lexicon, |form| form.sources);
    Ok(lexicon)
}

fn read_header(lines: &mut LexiconLines) -> Result<Lexicon> {
    let is_there = lines.advance()?;
    let version = if is_there { lines.line().strip_prefix(MAGIC).map(str::trim) } else { None };
    match version {
        Some(version) if *version == *FORMAT.to_string() => {}
        Some(version) => {
            let problem = format!(
                "found lexicon format \"{}\", but this build reads {FORMAT}: build the lexicon again",
                version.escape_debug()
            );
            return Err(lines.problem(problem));
        }
        None => {
            let problem = format!("expected a lexicon, which begins with \"{MAGIC}\" and a format number");
            return Err(Error::file(lines.name(), problem));
        }
    }
    let mut lexicon = None;
    let mut sources = Vec::new();
    let mut updates = Vec::new();
    loop {
        if !lines.advance()? {
            let problem = "the header has no end: the file was cut off; get it again";
            return Err(Error::file(lines.name(), problem));
        }
        let line = lines.line();
        if line == COLUMNS {
            break;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let found = match fields[..] {
            ["# language", language] => Lexicon::new(language).map(|new| lexicon = Some(new)).map_err(|e| e.to_string()),
            ["# source", id, name, words] => parse_source(id, name, words, sources.len()).map(|new| sources.push(new)),
            ["# update", date, decay, ..] => parse_update(date, decay, &fields[3..]).map(|new| updates.push(new)),
            _ => Err("expected \"# language\", \"# source\", \"# update\" or the names of the columns, with tabs between"
                .to_owned()),
        };
        found.map_err(|problem| lines.problem(problem))?;
    }
    let mut lexicon: Lexicon = lexicon.ok_or_else(|| {
        Error::file(lines.name(), "the header names no language: add a line \"# language\"")
    })?;
    for source in &sources {
        let before = lexicon.sources.len();
        if usize::from(lexicon.add_source(source)?) != before {
            let problem = format!("the header names the source \"{}\" twice: keep one", source.name());
            return Err(Error::file(lines.name(), problem));
        }
    }
    updates.sort_by_key(|update: &LexiconUpdate| update.date);
    lexicon.updates = updates;
    Ok(lexicon)
}

fn parse_source(id: &str, name: &str, words: &str, before: usize) -> Result<LexiconSource, String> {
    if id != (before + 1).to_string() {
        return Err(format!("found source number \"{}\", expected {}", id.escape_debug(), before + 1));
    }
    let words = words.parse().map_err(|_| expected_number("whole number of words", words))?;
    Ok(LexiconSource::new(name, words))
}

fn parse_update(date: &str, decay: &str, sources: &[&str]) -> Result<LexiconUpdate, String> {
    let date = date.parse().map_err(|error: Error| error.to_string())?;
    let decay = number(decay)
        .filter(|decay| *decay <= 1.0)
        .ok_or_else(|| format!("found decay \"{}\", expected a number from 0 to 1", decay.escape_debug()))?;
    let sources = sources.iter().map(|name| LexiconSource::new(name, 0).name().to_owned()).collect();
    Ok(LexiconUpdate { date, decay, sources })
}

fn parse_set(sources: &str, known: usize) -> Result<Vec<SourceId>, String> {
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let parse = |id: &str| {
        let number: usize = id.parse().ok().filter(|number| (1..=known).contains(number))?;
        SourceId::try_from(number - 1).ok()
    };
    let problem = |id: &str| {
        format!(
            "found source \"{}\", expected numbers of the header's sources, 1 to {known}",
            id.escape_debug()
        )
    };
    sources.split(',').map(|id| parse(id).ok_or_else(|| problem(id))).collect()
}

fn expected_number(what: &str, found: &str) -> String {
    format!("found \"{}\", expected a {what} such as 12", found.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;
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
        fn written_and_read_again_it_is_the_same(words in occurrences(), cut in 0usize..60, decay in 0.0..=1.0) {
            let count = |words: &[(String, majuscule_text::Case, bool)], source| {
                let mut counter = FormCounter::new(Locale::Root);
                words.iter().for_each(|(word, case, initial)| counter.count(word, *case, *initial));
                counter.finish(source)
            };
            let (left, right) = words.split_at(cut.min(words.len()));
            let day = "2026-11-20".parse().unwrap();
            let lexicon = count(left, "old\tnews").update(&count(right, "new"), decay, day).unwrap();
            let file = written(&lexicon);
            let again = parse(file.as_bytes()).unwrap();
            prop_assert_eq!(&again, &lexicon);
            prop_assert_eq!(written(&again), file);
        }
    }

    #[test]
    fn the_file_is_plain_to_read() {
        let expected = "# majuscule lexicon\t1\n# language\troot\n# source\t1\ttest\t5\n\
                        word\tform\tcount\tinitial\tsources\n\
                        mcdonald\tMcDonald\t1\t0\t1\nrose\trose\t2\t0\t1\nrose\tRose\t0\t2\t1\n";
        assert_eq!(written(&lexicon("rose rose ^Rose ^Rose McDonald")), expected);
    }

    #[test]
    fn a_line_that_is_wrong_is_named_with_what_was_expected() {
        let header = "# majuscule lexicon\t1\n# language\ten\n# source\t1\tnews\t9\n";
        let columns = "word\tform\tcount\tinitial\tsources\n";
        let error = |text: String| parse(text.as_bytes()).unwrap_err().to_string();
        let row = |row: &str| error(format!("{header}{columns}{row}\n"));
        assert_eq!(
            row("rose\tRose\t1\t0"),
            "lexicon, line 5: found 4 columns separated by tabs, expected 5: word, form, count, initial, sources"
        );
        assert_eq!(
            row("rose\tRose\t-1\t0\t1"),
            "lexicon, line 5, column 11: found \"-1\", expected a count such as 12"
        );
        assert!(row("rose\tRose\tNaN\t0\t1").contains("column 11"));
        assert!(row("rose\tRoses\t1\t0\t1").contains("is one of \"roses\", not of the word \"rose\""));
        assert!(row("rose\tRose\t1\t0\t2").contains("column 15: found source \"2\""));
        assert!(row("a b\ta b\t1\t0\t1").contains("has white space in it"));
        assert!(
            row("rose\tRose\t1\t0\t1\nrose\tRose\t1\t0\t1")
                .starts_with("lexicon, line 6: the form \"Rose\" occurs twice")
        );
        assert!(error(header.to_owned()).contains("cut off"));
        assert!(error(format!("{header}# colour\tred\n{columns}")).starts_with("lexicon, line 4: expected"));
        assert_eq!(
            error("# majuscule lexicon\t9\n".to_owned()),
            "lexicon, line 1: found lexicon format \"9\", but this build reads 1: build the lexicon again"
        );
        assert!(error(format!("# majuscule lexicon\t1\n{columns}")).contains("names no language"));
    }

    #[test]
    fn lines_are_read_in_any_order() {
        let sorted = written(&lexicon("a b c"));
        let (header, rows) = sorted.split_at(sorted.find("a\ta").unwrap());
        let turned: Vec<&str> = rows.lines().rev().collect();
        assert_eq!(parse(format!("{header}{}\n", turned.join("\n")).as_bytes()).unwrap(), lexicon("a b c"));
    }
}
