//! Removes the capitals and the punctuation of a file, as if a recogniser had written it.

use std::ops::Range;

use super::copies::WrittenWords;
use super::envelope::DROPPED;
use super::kind::Format;
use super::piece::{MarkPlace, Piece, with_copies};
use majuscule_base::error::Result;
use majuscule_base::files::Input;
use majuscule_text::mark::is_end_mark;
use majuscule_text::markup::untagged;
use majuscule_text::tokenize::Capitalized;
use majuscule_text::write::spell;
use majuscule_text::{Case, Constraint, Decision, MarkForm, NotedMark, NotedPlace, RestoreOptions};

/// The parts of a text that are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stripping {
    /// True to write words in lower case.
    pub case: bool,
    /// True to remove the punctuation marks around words.
    pub marks: bool,
}

/// Copies a file to `out` piece by piece without its capitals, its punctuation or both. Laws: the words stay the same
/// except for their case (but a clock time that remains alone on its line may then be read as a time stamp). A second
/// run changes nothing. Everything that is not text stays the same byte for byte, except that a row with only a
/// punctuation mark is removed.
///
/// # Errors
/// The errors of the file and of `out`; [`Error::Usage`](majuscule_base::error::Error::Usage) if punctuation is to be
/// removed from a format that has it as labels.
pub fn strip(
    kind: Format,
    mut input: Input<'_>,
    options: &RestoreOptions,
    what: Stripping,
    out: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let kind = kind.of_input(&mut input)?;
    let mut options = options.clone().capitalized(Capitalized::Ignore);
    if what.marks {
        kind.mark_form(Some(MarkForm::Apart)).or_else(|_| kind.mark_form(None))?;
        // With this form, punctuation marks in separate rows are found.
        options = options.noting_marks().mark_form(Some(MarkForm::Apart));
    }
    let mut format = kind.open(input, options.clone())?;
    let (mut piece, mut words, mut written) = (Piece::default(), WrittenWords::default(), Vec::new());
    while format.next(&mut piece)? {
        options.interrupt.check()?;
        let mut edits = if what.case { small_letters(&mut piece, &mut words, &options) } else { Vec::new() };
        edits.extend(without_marks(&piece));
        edits.sort_by_key(|edit| edit.at.start);
        written.clear();
        write(&piece, &edits, &mut written);
        out(&written)?;
    }
    Ok(())
}

/// A change in the source of a piece.
#[derive(Debug)]
struct Edit {
    at: Range<usize>,
    text: String,
}

/// Returns the changes that write the words of a piece in lower case.
fn small_letters(piece: &mut Piece, words: &mut WrittenWords, options: &RestoreOptions) -> Vec<Edit> {
    for token in piece.tokens.as_mut_slice() {
        let word = &piece.source[token.source.start as usize..token.source.end as usize];
        // Labels of speakers and placeholders are not changed.
        token.constraint = Constraint::Fixed(match token.constraint {
            Constraint::Free if !token.is_label => Case::Lower,
            _ => Case::of(&untagged(&String::from_utf8_lossy(word)), options.locale()),
        });
    }
    let decisions = vec![Decision::default(); piece.tokens.len()];
    words.repeat_answers(piece, &decisions, options);
    let (tokens, decisions) = with_copies(piece, &decisions, options);
    let mut edits = Vec::new();
    for (token, decision) in tokens.as_slice().iter().zip(&decisions) {
        let at = token.source.start as usize..token.source.end as usize;
        let Ok(word) = str::from_utf8(&piece.source[at.clone()]) else { continue };
        let mut text = String::new();
        spell(word, token, decision, options, &mut text);
        if text != word {
            edits.push(Edit { at, text });
        }
    }
    edits
}

/// Returns the changes that remove the punctuation of a piece.
fn without_marks(piece: &Piece) -> Vec<Edit> {
    let (mut edits, mut done) = (Vec::new(), 0);
    let mut marks = piece.tokens.marks().iter().peekable();
    while let Some(NotedMark { source, place }) = marks.next() {
        let at = source.start as usize..source.end as usize;
        let rest = &piece.source[at.end..];
        let space = rest.iter().take_while(|b| **b == b' ').count();
        let is_text = marks.peek().is_some_and(|next| next.source.start as usize == at.end + space);
        let ends = str::from_utf8(&piece.source[at.clone()]).is_ok_and(|mark| mark.ends_with(is_end_mark));
        // A mark before an event shows that the parentheses are an event: `Yes. (laughs)`.
        let is_before_event = ends && !is_text && rest[space..].starts_with(b"(");
        let edit = match place {
            // Two marks of one row remove the row only once.
            _ if at.start < done || is_before_event => None,
            NotedPlace::Beside => Some(Edit { at, text: String::new() }),
            NotedPlace::Inside => Some(Edit { at, text: " ".to_owned() }),
            NotedPlace::Alone => without_mark_alone(piece, at, done),
        };
        done = edit.as_ref().map_or(done, |edit| edit.at.end);
        edits.extend(edit);
    }
    edits
}

/// Returns the change that removes a mark between spaces, with one of the spaces (after byte `done`) or with its row.
/// Returns `None` in a line without a word, which stays: an empty line may mean something else.
fn without_mark_alone(piece: &Piece, mark: Range<usize>, done: usize) -> Option<Edit> {
    let (source, words) = (&piece.source, piece.tokens.as_slice());
    let next = words.partition_point(|word| (word.source.start as usize) < mark.start);
    let last = words[..next].last().map(|word| word.source.end as usize..mark.start);
    let next = words.get(next).map(|word| mark.end..word.source.start as usize);
    let is_on_line = |gap: Range<usize>| !source[gap].iter().any(|b| matches!(b, b'\n' | b'\r'));
    let has_word = last.into_iter().chain(next).any(is_on_line);
    let text = String::new();
    if let (MarkPlace::Row(rows), false) = (piece.marks, has_word) {
        let at = rows.line_start(source, mark.start)..rows.line_end(source, mark.start).0;
        return Some(Edit { at, text });
    }
    let before = source[mark.start.saturating_sub(4).max(done)..mark.start].utf8_chunks().last();
    let before = before.and_then(|chunk| chunk.valid().chars().next_back());
    let after = source[mark.end..source.len().min(mark.end + 4)].utf8_chunks().next();
    let after = after.and_then(|chunk| chunk.valid().chars().next());
    // A mark next to an opening brace stays: the brace alone may mean something else.
    if !has_word || [before, after].contains(&Some('{')) {
        return None;
    }
    let is_space = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    let ends = after.is_none_or(char::is_whitespace);
    let at = match (before, after) {
        // The space that belongs to the mark is removed, and not the space between words.
        (Some(' '), Some(after)) if is_space(after) && after != ' ' => {
            mark.start..mark.end + after.len_utf8()
        }
        (Some(before), _) if is_space(before) && ends => mark.start - before.len_utf8()..mark.end,
        (before, Some(after)) if is_space(after) && before.is_none_or(char::is_whitespace) => {
            mark.start..mark.end + after.len_utf8()
        }
        _ => mark,
    };
    Some(Edit { at, text })
}

/// Appends a piece with its changes, which are in order, to `out`.
fn write(piece: &Piece, edits: &[Edit], out: &mut Vec<u8>) {
    let is_text = piece.frame.is_none();
    let (mut done, mut text) = (0, Vec::with_capacity(piece.source.len()));
    for Edit { at, text: new } in edits {
        text.extend_from_slice(&piece.source[done..at.start]);
        text.extend_from_slice(new.as_bytes());
        if !is_text {
            // The envelope compares both texts character by character.
            let old = String::from_utf8_lossy(&piece.source[at.clone()]).chars().count();
            text.extend(std::iter::repeat_n(DROPPED as u8, old.saturating_sub(new.chars().count())));
        }
        done = at.end;
    }
    text.extend_from_slice(&piece.source[done..]);
    if is_text {
        return out.append(&mut text);
    }
    let [old, new] = [&piece.source, &text].map(|text| String::from_utf8_lossy(text));
    piece.frame.write(&old, &new, &[], out);
}
