//! What every format keeps to, for the tests of each.

use std::io::{Cursor, Read};

use super::{Kind, Piece, Settings};
use crate::error::Result;
use crate::files::Input;
use crate::text::tokenize::Capitalized;
use crate::text::{Case, Choice, Label, Locale, Mark, Policy, SentenceStart, Token};

/// A reader that gives `step` bytes at a time.
struct Dribble(Cursor<Vec<u8>>, usize);

impl Read for Dribble {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = self.1.min(out.len());
        self.0.read(&mut out[..len])
    }
}

/// The pieces of a file.
pub(super) fn pieces(kind: Kind, bytes: &[u8], step: usize, settings: Settings) -> Result<Vec<Piece>> {
    let input = Input::uncompressed("data", Dribble(Cursor::new(bytes.to_vec()), step));
    let mut format = kind.open(input, settings)?;
    let mut pieces = vec![Piece::default()];
    while format.next(pieces.last_mut().unwrap())? {
        pieces.push(Piece::default());
    }
    pieces.pop();
    Ok(pieces)
}

fn lossy() -> Settings {
    Settings { lossy: true, language: "en".into(), ..Settings::default() }
}

fn tokens(kind: Kind, bytes: &[u8], step: usize, settings: Settings) -> Vec<(String, Token)> {
    let pieces = pieces(kind, bytes, step, settings).unwrap();
    let all = pieces.iter().flat_map(|piece| piece.tokens.iter());
    // Places depend on where a piece begins.
    all.map(|(lower, token)| (lower.to_owned(), Token { lower: 0..0, source: 0..0, ..token.clone() }))
        .collect()
}

/// The words of a file, passing over what cannot be read.
pub(super) fn words(kind: Kind, text: &str) -> Vec<String> {
    tokens(kind, text.as_bytes(), usize::MAX, lossy()).into_iter().map(|(lower, _)| lower).collect()
}

/// Those that begin a sentence.
pub(super) fn starts(kind: Kind, text: &str) -> Vec<String> {
    let tokens = tokens(kind, text.as_bytes(), usize::MAX, lossy());
    tokens.into_iter().filter(|(_, token)| token.starts).map(|(lower, _)| lower).collect()
}

/// What is said of a file that cannot be read.
pub(super) fn error(kind: Kind, text: &str) -> String {
    pieces(kind, text.as_bytes(), usize::MAX, Settings::default()).unwrap_err().to_string()
}

/// The file with the cases that `case` gives the words, by their number and spelling.
fn written(kind: Kind, bytes: &[u8], case: impl Fn(usize, &str) -> Case) -> Vec<u8> {
    let policy = Policy { sentence_start: SentenceStart::Never, ..Policy::default() };
    let (mut out, mut number) = (Vec::new(), 0);
    let settings = Settings { capitalized: Capitalized::Ignore, ..lossy() };
    for piece in pieces(kind, bytes, usize::MAX, settings).unwrap() {
        let choices: Vec<Choice> = (piece.tokens.as_slice().iter())
            .map(|token| {
                let word = &piece.source[token.source.start as usize..token.source.end as usize];
                number += 1;
                let case = case(number, std::str::from_utf8(word).unwrap());
                Choice { label: Label { case, mark: Mark::None }, confidence: None }
            })
            .collect();
        piece.write(&choices, &policy, &mut out);
    }
    out
}

/// Writing back the cases read off gives the same bytes; any cases change nothing but case, and can be read off again; however the
/// bytes arrive, the words are the same.
pub(super) fn check(kind: Kind, text: &str) {
    let bytes = text.as_bytes();
    assert_eq!(String::from_utf8_lossy(&written(kind, bytes, |_, word| Case::of(word, Locale::Root))), text);
    let any = |number: usize, _: &str| [Case::Title, Case::Upper, Case::Lower][number % 3];
    let changed = written(kind, bytes, any);
    assert_eq!(written(kind, &changed, any), changed, "{}", String::from_utf8_lossy(&changed));
    let back = written(kind, &changed, |_, _| Case::Lower);
    assert_eq!(back, written(kind, bytes, |_, _| Case::Lower));
    let settings = || Settings { capitalized: Capitalized::Ignore, ..lossy() };
    let whole = tokens(kind, bytes, usize::MAX, settings());
    for step in [1, 7, 4099] {
        assert_eq!(tokens(kind, bytes, step, settings()), whole, "steps of {step} bytes");
    }
    assert_eq!(tokens(kind, &changed, usize::MAX, settings()), whole);
}
