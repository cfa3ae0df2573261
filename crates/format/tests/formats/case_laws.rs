//! The laws of cases in every format, for its tests here and in its file.

use std::io::Cursor;

use majuscule_base::error::Result;
use majuscule_base::files::{Dribble, Input};
use majuscule_format::{Format, Piece, Record, WrittenWords};
use majuscule_text::markup::untagged;
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Break, Case, Decision, Label, Locale, RestoreOptions, SentenceStart, Token};

#[test]
fn the_example_of_every_format_keeps_the_laws() {
    for info in Format::all() {
        check_cases(info.format, info.example);
    }
}

/// Returns the parts of a file.
pub fn pieces(kind: Format, bytes: &[u8], step: usize, options: RestoreOptions) -> Result<Vec<Piece>> {
    let input = Input::uncompressed("data", Dribble::new(bytes, step));
    let mut format = kind.open(input, options)?;
    let mut pieces = vec![Piece::default()];
    while format.next(pieces.last_mut().unwrap())? {
        pieces.push(Piece::default());
    }
    pieces.pop();
    Ok(pieces)
}

pub fn lossy() -> RestoreOptions {
    RestoreOptions::default().lossy(true).in_language(Some("en".into()))
}

pub fn tokens(kind: Format, bytes: &[u8], step: usize, options: RestoreOptions) -> Vec<(String, Token)> {
    let pieces = pieces(kind, bytes, step, options.clone()).unwrap();
    let all = pieces.iter().flat_map(|piece| piece.tokens.iter());
    // Places depend on the beginning of a piece.
    all.map(|(lower, token)| (lower.to_owned(), Token { lower: 0..0, source: 0..0, ..token.clone() }))
        .collect()
}

/// Returns the words of a file, skipping the parts that cannot be read.
pub fn words(kind: Format, text: &str) -> Vec<String> {
    tokens(kind, text.as_bytes(), usize::MAX, lossy()).into_iter().map(|(lower, _)| lower).collect()
}

/// Returns the words that begin a sentence.
pub fn starts(kind: Format, text: &str) -> Vec<String> {
    let tokens = tokens(kind, text.as_bytes(), usize::MAX, lossy());
    tokens.into_iter().filter(|(_, token)| token.starts).map(|(lower, _)| lower).collect()
}

/// Returns the error of a file that cannot be read.
pub fn error(kind: Format, text: &str) -> String {
    pieces(kind, text.as_bytes(), usize::MAX, RestoreOptions::default()).unwrap_err().to_string()
}

/// Returns the file with the cases that `case` returns for the words, by their number and spelling.
pub fn written(kind: Format, bytes: &[u8], case: impl Fn(usize, &str) -> Case) -> Vec<u8> {
    written_in_steps(kind, bytes, usize::MAX, case)
}

fn written_in_steps(kind: Format, bytes: &[u8], step: usize, case: impl Fn(usize, &str) -> Case) -> Vec<u8> {
    let (mut out, mut number, mut words) = (Vec::new(), 0, WrittenWords::default());
    let options = lossy().capitalized(Capitalized::Ignore).sentence_start(SentenceStart::Never);
    for mut piece in pieces(kind, bytes, step, options.clone()).unwrap() {
        let decisions: Vec<Decision> = (piece.tokens.as_slice().iter())
            .map(|token| {
                let word = &piece.source[token.source.start as usize..token.source.end as usize];
                number += 1;
                let case = case(number, &untagged(std::str::from_utf8(word).unwrap()));
                Label::from(case).into()
            })
            .collect();
        words.repeat_answers(&mut piece, &decisions, &options);
        piece.write(&decisions, &options, &mut out);
    }
    out
}

/// Checks the laws: writing back the cases that were read returns the same bytes; any cases change
/// nothing but case, and can be read back; however the bytes arrive, the words and the output are
/// the same.
pub fn check_cases(kind: Format, text: &str) {
    let bytes = text.as_bytes();
    assert_eq!(String::from_utf8_lossy(&written(kind, bytes, |_, word| Case::of(word, Locale::Root))), text);
    let any = |number: usize, _: &str| [Case::Title, Case::Upper, Case::Lower][number % 3];
    let changed = written(kind, bytes, any);
    assert_eq!(written(kind, &changed, any), changed, "{}", String::from_utf8_lossy(&changed));
    let back = written(kind, &changed, |_, _| Case::Lower);
    assert_eq!(back, written(kind, bytes, |_, _| Case::Lower));
    let options = || lossy().capitalized(Capitalized::Ignore);
    let whole = tokens(kind, bytes, usize::MAX, options());
    for step in [1, 7, 4099] {
        assert_eq!(tokens(kind, bytes, step, options()), whole, "steps of {step} bytes");
        assert!(written_in_steps(kind, bytes, step, any) == changed, "steps of {step} bytes");
    }
    assert_eq!(tokens(kind, &changed, usize::MAX, options()), whole);
    // A reader of the text alone reads the same words in the same order.
    let Ok(text) = read(kind, bytes) else { return };
    let mut rest = text.as_str();
    for (word, _) in &whole {
        let found = rest.find(&**word);
        let found = found.unwrap_or_else(|| panic!("{kind:?}: {word} is missing in {rest:?} of {text:?}"));
        rest = &rest[found + word.len()..];
    }
}

/// Returns the text of a file in lower case, which may not be valid.
fn read(kind: Format, bytes: &[u8]) -> Result<String> {
    let input = Input::uncompressed("data", Cursor::new(bytes.to_vec()));
    let (mut records, mut record, mut text) = (kind.records(input, None)?, Record::default(), String::new());
    while records.next(&mut record)? {
        for (position, before) in &record.stretches {
            text.push_str(if *before == Break::None { "" } else { " " });
            text.push_str(&record.text[position.clone()]);
        }
    }
    Ok(Locale::Root.lower(&text).replace('’', "'"))
}
