//! What the lines of NIST's transcripts have in common: fields between white space, times, alternatives in braces.

use std::ops::Range;

use crate::error::{Error, Place};

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where in the line, in bytes.
    pub at: usize,
    /// What was found, what was expected, and what to do.
    pub problem: String,
}

impl Fault {
    /// The error for line number `number` of a file.
    pub fn error(self, file: &str, number: u64, line: &str) -> Error {
        let before = line.char_indices().take_while(|&(at, _)| at < self.at).count();
        let place = Place { file: file.to_owned(), line: Some(number), column: Some(before as u64 + 1) };
        Error::Input { place, problem: self.problem }
    }
}

/// The runs without white space of `line` from `from` on.
pub fn fields(line: &str, from: usize) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = &line[at..];
        let start = at + rest.find(|c: char| !c.is_whitespace())?;
        let end = line[start..].find(char::is_whitespace).map_or(line.len(), |len| start + len);
        at = end;
        Some(start..end)
    })
}

/// Whether a line says nothing: it is empty, or a comment, which begins with `;;`.
pub fn is_silent(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(";;")
}

/// Whether a word is a metadata event, such as `<laugh>` or `<inaudible>`, and no word.
pub fn is_event(word: &str) -> bool {
    word.len() > 2 && word.starts_with('<') && word.ends_with('>')
}

/// Whether a word stands for something else that is heard, or for a hesitation: `<laugh>`, `[noise]`, `%hesitation`.
pub(super) fn is_no_word(word: &str) -> bool {
    is_event(word) || word.starts_with('[') && word.ends_with(']') || word.starts_with('%')
}

/// A time in seconds.
///
/// # Errors
/// Where the field is no number from 0.
pub fn seconds(line: &str, field: &Range<usize>, what: &str) -> Result<f64, Fault> {
    let text = &line[field.clone()];
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err(Fault {
            at: field.start,
            problem: format!(
                "found \"{}\", but a {what} in seconds is expected, such as 12.34",
                shortened(text)
            ),
        }),
    }
}

/// The fault of a line that has fewer fields than it should: it stands at the line's end.
pub(super) fn too_few(line: &str, found: usize, expected: &str) -> Fault {
    let problem =
        format!("found {found} fields, but a line is expected to be {expected}: is the file cut off?");
    Fault { at: line.trim_end().len(), problem }
}

/// The words of `line` from `from` on. Of alternatives, `{ this / that / @ }`, the first are taken, where `@` is no word; events in `<>`
/// are left out. Braces and strokes stand between white space.
///
/// # Errors
/// Where a brace has no partner.
pub fn words(line: &str, from: usize) -> Result<Vec<Range<usize>>, Fault> {
    // Braces that are open: where each stands, and whether its first alternative is over.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut words = Vec::new();
    for field in fields(line, from) {
        let inside = !open.is_empty();
        match &line[field.clone()] {
            "{" => open.push((field.start, false)),
            "}" if open.pop().is_none() => return Err(unpaired(field.start, "}", "{")),
            "}" => {}
            "/" if inside => open.iter_mut().rev().take(1).for_each(|(_, over)| *over = true),
            "@" if inside => {}
            word if is_event(word) || open.iter().any(|&(_, over)| over) => {}
            _ => words.push(field),
        }
    }
    match open.first() {
        Some(&(at, _)) => Err(unpaired(at, "{", "}")),
        None => Ok(words),
    }
}

fn unpaired(at: usize, found: &str, partner: &str) -> Fault {
    let problem =
        format!("found {found} without its {partner}, but alternatives are expected as {{ this / that }}");
    Fault { at, problem }
}

/// The beginning of a text, short enough for an error.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &str) -> Vec<&str> {
        words(line, 0).unwrap().into_iter().map(|word| &line[word]).collect()
    }

    #[test]
    fn of_alternatives_the_first_is_taken() {
        assert_eq!(taken("we { are / were } going"), ["we", "are", "going"]);
        assert_eq!(taken("{ @ / uh } Yes { i { am / was } / i'm }"), ["Yes", "i", "am"]);
        assert_eq!(taken("a / b @ <laugh> {c}"), ["a", "/", "b", "@", "{c}"]);
    }

    #[test]
    fn a_brace_without_its_partner_is_named() {
        assert_eq!(words("é { a / b", 0).unwrap_err().at, 3);
        assert_eq!(words("a }", 0).unwrap_err().at, 2);
        let error = words("é { a", 0).unwrap_err().error("x.trn", 7, "é { a").to_string();
        assert!(error.starts_with("x.trn, line 7, column 3: found { without its }"), "{error}");
    }
}
