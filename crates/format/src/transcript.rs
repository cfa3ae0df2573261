//! Shared parts of NIST's transcript formats: fields between white space, times, alternatives in
//! braces.

use std::ops::Range;

use majuscule_base::error::{Error, Location};
pub(super) use majuscule_base::printable::shortened;

/// A fault in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The position in the line, in bytes.
    pub at: usize,
    /// The text found, the text expected, and the remedy.
    pub problem: String,
}

impl Fault {
    /// Returns the error for line number `number` of a file.
    pub fn error(self, file: &str, number: u64, line: &str) -> Error {
        let before = line.char_indices().take_while(|&(at, _)| at < self.at).count();
        let location =
            Location { file: file.to_owned(), line: Some(number), column: Some(before as u64 + 1) };
        Error::Input { location, problem: self.problem.into() }
    }

    /// Returns the error for a fault whose position is a position in `text`, which is several lines of a file.
    pub(super) fn error_in(self, file: &str, text: &str) -> Error {
        let start = text[..self.at].rfind('\n').map_or(0, |at| at + 1);
        let number = text[..start].matches('\n').count() as u64 + 1;
        Self { at: self.at - start, ..self }.error(file, number, &text[start..])
    }
}

/// Returns the name of a transcript without the `.filt` that NIST's filters append: `x.stm.filt` is
/// `x.stm`.
pub fn unfiltered_name(name: &str) -> &str {
    let is_transcript = |name: &&str| matches!(name.rsplit_once('.'), Some((_, "ctm" | "stm" | "trn")));
    name.strip_suffix(".filt").filter(is_transcript).unwrap_or(name)
}

/// Iterates over the fields of `line`, which are runs without white space, from byte `from` on.
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

/// Returns true if a line is empty or a comment, which begins with `;;`.
pub fn is_silent(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(";;")
}

/// Returns true if a word is a metadata event, such as `<laugh>` or `<inaudible>`, and not a spoken
/// word.
pub fn is_event(word: &str) -> bool {
    word.len() > 2 && word.starts_with('<') && word.ends_with('>')
}

/// Returns true if a word represents another sound or a hesitation: `<laugh>`, `[noise]`,
/// `%hesitation`.
pub(super) fn is_no_word(word: &str) -> bool {
    is_event(word) || word.starts_with('[') && word.ends_with(']') || word.starts_with('%')
}

/// Reads a time in seconds.
///
/// # Errors
/// Fails if the field is not a finite number of at least 0.
pub fn seconds(line: &str, field: &Range<usize>, what: &str) -> Result<f64, Fault> {
    let text = &line[field.clone()];
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err(Fault {
            at: field.start,
            problem: format!(
                "found \"{}\", but the {what} in seconds is expected, such as 12.34",
                shortened(text)
            ),
        }),
    }
}

/// Reads a duration in seconds. Some recognisers write durations a little below 0.
///
/// # Errors
/// Fails if the field is not a number.
pub fn duration(line: &str, field: &Range<usize>) -> Result<f64, Fault> {
    match line[field.clone()].parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => Ok(seconds),
        _ => seconds(line, field, "duration"),
    }
}

/// Returns the fault of a line with too few fields, placed at the end of the line.
pub(super) fn too_few(line: &str, found: usize, expected: &str) -> Fault {
    let problem =
        format!("found {found} fields, but a line is expected to be {expected}: is the file cut off?");
    Fault { at: line.trim_end().len(), problem }
}

/// A piece of a line of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptPiece {
    /// The kind of the piece.
    pub kind: PieceKind,
    /// The position of the piece in the line, in bytes.
    pub position: Range<usize>,
}

/// The kind of a piece of a line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// A run of characters: a word, or an event in `<>`.
    Word,
    /// The empty alternative `@`, which is not a word.
    Null,
    /// `{`: the beginning of alternatives.
    Open,
    /// `/`: the beginning of the next alternative.
    Next,
    /// `}`: the end of alternatives.
    Close,
}

/// An utterance of a transcript, with its times or its name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Utterance<'a> {
    /// The recording and the channel, if the format names them.
    pub recording: Option<String>,
    /// The name of the utterance, if the format has one.
    pub name: Option<&'a str>,
    /// The speaker, if the format names them.
    pub speaker: Option<&'a str>,
    /// The categories of the utterance, such as the focus condition f0, if the format has them.
    pub categories: Vec<&'a str>,
    /// The begin and end in seconds, if the format has times.
    pub times: Option<(f64, f64)>,
    /// True if `times` are the times of a segment of many words, as in references, and not of one word.
    pub is_segment: bool,
    /// True if the speech is not transcribed and not to be scored.
    pub is_ignored: bool,
    /// The text of the utterance, with all alternatives.
    pub parts: Vec<UtterancePart<'a>>,
}

impl<'a> Utterance<'a> {
    /// Makes an utterance of the pieces of a line, without a name and times.
    pub(super) fn of(line: &'a str, pieces: &[TranscriptPiece]) -> Self {
        let parts = pieces.iter().filter_map(|piece| match piece.kind {
            PieceKind::Word => UtterancePart::word(&line[piece.position.clone()]),
            PieceKind::Null => None,
            PieceKind::Open => Some(UtterancePart::Open),
            PieceKind::Next => Some(UtterancePart::Next),
            PieceKind::Close => Some(UtterancePart::Close),
        });
        Self { parts: parts.collect(), ..Self::default() }
    }
}

/// A part of the text of an [`Utterance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UtterancePart<'a> {
    /// Text, with any number of words.
    Text(&'a str),
    /// A word in parentheses, such as `(uh)`, whose deletion is not an error.
    Optional(&'a str),
    /// The beginning of alternatives.
    Open,
    /// The beginning of the next alternative.
    Next,
    /// The end of alternatives.
    Close,
}

impl<'a> UtterancePart<'a> {
    /// Returns a word of a transcript; `None` for an event in `<>`.
    pub(super) fn word(word: &'a str) -> Option<Self> {
        let optional = word.strip_prefix('(').and_then(|word| word.strip_suffix(')'));
        match optional.filter(|word| !word.is_empty()) {
            _ if is_event(word) => None,
            Some(word) => Some(Self::Optional(word)),
            None => Some(Self::Text(word)),
        }
    }
}

/// Returns the pieces of `line` from byte `from` on. Alternatives, `{ this / that / @ }`, may be nested, and `{`, `/`
/// and `}` need no white space around them. Outside alternatives, a slash is text, and so is a brace inside a word.
///
/// # Errors
/// Fails if a separate brace has no partner.
pub fn pieces(line: &str, from: usize) -> Result<Vec<TranscriptPiece>, Fault> {
    let paired = paired_braces(line, from);
    let is_paired = |at: usize| paired.binary_search(&at).is_ok();
    let mut depth = 0;
    let mut pieces = Vec::new();
    for field in fields(line, from) {
        let mut at = field.start;
        while at < field.end {
            let rest = &line[at..field.end];
            let (kind, len) = match rest.as_bytes()[0] {
                b'{' if depth > 0 || is_paired(at) => (PieceKind::Open, 1),
                b'{' if rest.len() == 1 => return Err(unpaired(at, "{", "}")),
                b'}' if depth > 0 => (PieceKind::Close, 1),
                b'}' if rest.len() == 1 => return Err(unpaired(at, "}", "{")),
                b'/' if depth > 0 => (PieceKind::Next, 1),
                _ if depth > 0 => {
                    let len = rest.find(['{', '/', '}']).unwrap_or(rest.len());
                    (if rest[..len] == *"@" { PieceKind::Null } else { PieceKind::Word }, len)
                }
                _ => (PieceKind::Word, rest.len()),
            };
            match kind {
                PieceKind::Open => depth += 1,
                PieceKind::Close => depth -= 1,
                _ => {}
            }
            pieces.push(TranscriptPiece { kind, position: at..at + len });
            at += len;
        }
    }
    Ok(pieces)
}

/// Returns the positions of the opening braces of `line` that have a partner, in order.
fn paired_braces(line: &str, from: usize) -> Vec<usize> {
    let (mut open, mut paired) = (Vec::new(), Vec::new());
    for (at, brace) in line[from..].match_indices(['{', '}']) {
        match brace {
            "{" => open.push(from + at),
            _ => paired.extend(open.pop()),
        }
    }
    paired.sort_unstable();
    paired
}

/// Returns the positions of the words in these pieces of a line. Of alternatives, only the first one is read. Events
/// in `<>` are left out.
pub fn words(line: &str, pieces: &[TranscriptPiece]) -> Vec<Range<usize>> {
    // The open sets of alternatives; true once the first alternative of a set has ended.
    let mut open: Vec<bool> = Vec::new();
    let mut words = Vec::new();
    for TranscriptPiece { kind, position } in pieces {
        match kind {
            PieceKind::Open => open.push(false),
            PieceKind::Next => open.iter_mut().rev().take(1).for_each(|over| *over = true),
            PieceKind::Close => drop(open.pop()),
            PieceKind::Word if !open.contains(&true) && !is_event(&line[position.clone()]) => {
                words.push(position.clone())
            }
            PieceKind::Word | PieceKind::Null => {}
        }
    }
    words
}

fn unpaired(at: usize, found: &str, partner: &str) -> Fault {
    let problem =
        format!("found {found} without its {partner}, but alternatives are expected as {{ this / that }}");
    Fault { at, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &str) -> Vec<&str> {
        let pieces = pieces(line, 0).unwrap();
        words(line, &pieces).into_iter().map(|word| &line[word]).collect()
    }

    #[test]
    fn of_alternatives_the_first_is_taken() {
        assert_eq!(taken("we { are / were } going"), ["we", "are", "going"]);
        assert_eq!(taken("{ @ / uh } Yes { i { am / was } / i'm }"), ["Yes", "i", "am"]);
        assert_eq!(taken("a / b @ <laugh> {c c{d} {e"), ["a", "/", "b", "@", "{c", "c{d}", "{e"]);
    }

    #[test]
    fn marks_of_alternatives_need_no_white_space() {
        assert_eq!(taken("{a b/cd / {g h i / gh/g ih} bd} f"), ["a", "b", "f"]);
        assert_eq!(taken("{{a/b}c/d}{@/e}f"), ["a", "c", "f"]);
    }

    #[test]
    fn a_brace_without_its_partner_is_named() {
        assert_eq!(pieces("é { a / b", 0).unwrap_err().at, 3);
        assert_eq!(pieces("a }", 0).unwrap_err().at, 2);
        let error = pieces("é { a", 0).unwrap_err().error("x.trn", 7, "é { a").to_string();
        assert!(error.starts_with("x.trn, line 7, column 3: found { without its }"), "{error}");
    }
}
