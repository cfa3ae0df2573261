//! The laws of every format, for the tests of each.

use std::io::Cursor;

use proptest::prelude::*;

use super::{Kind, Piece, Record, RestoreOptions, WrittenWords};
use crate::error::Result;
use crate::files::{Dribble, Input};
use crate::text::markup::untagged;
use crate::text::tokenize::Capitalized;
use crate::text::{Break, Case, Choice, Label, Locale, Mark, SentenceStart, Token};

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_cues_keep_the_laws(cues in prop::collection::vec(CUE, 0..6), end in "\r?\n") {
        let timing = |i: usize| format!("00:00:0{i}.000 --> 00:00:0{i}.900{end}");
        let body: String = (0..).zip(&cues).map(|(i, cue)| format!("{i}{end}{}{cue}{end}{end}", timing(i))).collect();
        let vtt = format!("WEBVTT{end}{end}{body}");
        check(Kind::Srt, &body);
        check(Kind::Vtt, &vtt);
        // An empty line ends a cue of WebVTT.
        if !cues.iter().any(|cue| cue.starts_with('\n')) {
            assert_eq!(words(Kind::Srt, &body), words(Kind::Vtt, &vtt));
        }
    }

    #[test]
    fn any_rows_and_objects_keep_the_laws(texts in prop::collection::vec("[a-cA-Cİıéß'.?,\\-]{1,6}", 0..12), other in 1..5usize) {
        let row = |(i, word): (usize, &String)| format!("r{} A {i} 0.5 {word}\n", i / other / 3);
        check(Kind::Ctm, &texts.iter().enumerate().map(row).collect::<String>());
        let rows = texts.chunks(other).map(|words| format!("r A s 0 1 {}\r\n", words.join(" ")));
        check(Kind::Stm, &rows.collect::<String>());
        check(Kind::Conll, &texts.chunks(other).map(|words| words.join("\tX\n") + "\n\n").collect::<String>());
        let escaped = |text: &str| text.replace('é', "\\u00e9").replace('İ', "\\u0130");
        let objects = texts.chunks(other).map(|words| format!("{{\"text\": \"{}\"}}\n", escaped(&words.join(" "))));
        check(Kind::Jsonl, &objects.collect::<String>());
    }
}

const CUE: &str = "([a-cA-Cİıé]{0,3}[ .?!'()<>\\[\\]-]{1,2}|<i>|</i>|\\[a b\\]|\n[a-c]|&amp;|>> ){0,12}";

#[test]
fn memory_stays_flat_whatever_comes() {
    let cue = "1\n00:00:01,000 --> 00:00:02,000\nwe met\nin lisbon\n\n";
    let long = format!("1\n00:00:01,000 --> 00:00:02,000\n{}\n", "we met\n".repeat(100_000));
    for (kind, text) in [
        (Kind::Srt, cue.repeat(10_000)),
        (Kind::Srt, long),
        (Kind::Srt, cue.replace("we met", &"we met ".repeat(100_000))),
        (Kind::Vtt, format!("WEBVTT\n\nNOTE\n{}", "so it is\n".repeat(100_000))),
        (
            Kind::Ass,
            "[Events]\n".to_owned() + &"Dialogue: 0,0:00:01.00,0:00:02.00,,,,,,,so it is\n".repeat(20_000),
        ),
        (Kind::Ttml, format!("<tt>{}</tt>", "<p>so it is<br/></p>".repeat(50_000))),
        (Kind::Ctm, "r A 0 1 so\n".repeat(100_000)),
        (Kind::Ctm, ";; so it is\n".repeat(100_000)),
        (Kind::Stm, "r A s 0 1 so it is\n".repeat(50_000)),
        (Kind::Conll, "so\tX\n".repeat(200_000)),
        (Kind::Jsonl, "{\"text\":\"so\"}\n".repeat(50_000)),
    ] {
        let pieces = pieces(kind, text.as_bytes(), usize::MAX, lossy()).unwrap();
        let longest = pieces.iter().map(|piece| piece.bytes().len()).max();
        assert!(longest < Some(2_000_000), "{kind:?}: {longest:?}");
        assert_eq!(pieces.iter().map(|piece| piece.bytes().len()).sum::<usize>(), text.len(), "{kind:?}");
    }
}

/// Returns the pieces of a file.
pub(super) fn pieces(kind: Kind, bytes: &[u8], step: usize, options: RestoreOptions) -> Result<Vec<Piece>> {
    let input = Input::uncompressed("data", Dribble::new(bytes, step));
    let mut format = kind.open(input, options)?;
    let mut pieces = vec![Piece::default()];
    while format.next(pieces.last_mut().unwrap())? {
        pieces.push(Piece::default());
    }
    pieces.pop();
    Ok(pieces)
}

fn lossy() -> RestoreOptions {
    RestoreOptions { lossy: true, language: Some("en".into()), ..RestoreOptions::default() }
}

fn tokens(kind: Kind, bytes: &[u8], step: usize, options: RestoreOptions) -> Vec<(String, Token)> {
    let pieces = pieces(kind, bytes, step, options.clone()).unwrap();
    let all = pieces.iter().flat_map(|piece| piece.tokens.iter());
    // Places depend on the beginning of a piece.
    all.map(|(lower, token)| (lower.to_owned(), Token { lower: 0..0, source: 0..0, ..token.clone() }))
        .collect()
}

/// Returns the words of a file, skipping the parts that cannot be read.
pub(super) fn words(kind: Kind, text: &str) -> Vec<String> {
    tokens(kind, text.as_bytes(), usize::MAX, lossy()).into_iter().map(|(lower, _)| lower).collect()
}

/// Returns the words that begin a sentence.
pub(super) fn starts(kind: Kind, text: &str) -> Vec<String> {
    let tokens = tokens(kind, text.as_bytes(), usize::MAX, lossy());
    tokens.into_iter().filter(|(_, token)| token.starts).map(|(lower, _)| lower).collect()
}

/// Returns the error of a file that cannot be read.
pub(super) fn error(kind: Kind, text: &str) -> String {
    pieces(kind, text.as_bytes(), usize::MAX, RestoreOptions::default()).unwrap_err().to_string()
}

/// Returns the file with the cases that `case` gives the words, by their number and spelling.
pub(super) fn written(kind: Kind, bytes: &[u8], case: impl Fn(usize, &str) -> Case) -> Vec<u8> {
    written_in_steps(kind, bytes, usize::MAX, case)
}

fn written_in_steps(kind: Kind, bytes: &[u8], step: usize, case: impl Fn(usize, &str) -> Case) -> Vec<u8> {
    let (mut out, mut number, mut words) = (Vec::new(), 0, WrittenWords::default());
    let options =
        RestoreOptions { capitalized: Capitalized::Ignore, sentence_start: SentenceStart::Never, ..lossy() };
    for mut piece in pieces(kind, bytes, step, options.clone()).unwrap() {
        let choices: Vec<Choice> = (piece.tokens.as_slice().iter())
            .map(|token| {
                let word = &piece.source[token.source.start as usize..token.source.end as usize];
                number += 1;
                let case = case(number, &untagged(std::str::from_utf8(word).unwrap()));
                Choice { label: Label { case, mark: Mark::None }, confidence: None }
            })
            .collect();
        words.repeat_answers(&mut piece, &choices, &options);
        piece.write(&choices, &options, &mut out);
    }
    out
}

/// Checks the laws: writing back the cases that were read gives the same bytes; any cases change
/// nothing but case, and can be read back; however the bytes arrive, the words and the output are
/// the same.
pub(super) fn check(kind: Kind, text: &str) {
    let bytes = text.as_bytes();
    assert_eq!(String::from_utf8_lossy(&written(kind, bytes, |_, word| Case::of(word, Locale::Root))), text);
    let any = |number: usize, _: &str| [Case::Title, Case::Upper, Case::Lower][number % 3];
    let changed = written(kind, bytes, any);
    assert_eq!(written(kind, &changed, any), changed, "{}", String::from_utf8_lossy(&changed));
    let back = written(kind, &changed, |_, _| Case::Lower);
    assert_eq!(back, written(kind, bytes, |_, _| Case::Lower));
    let options = || RestoreOptions { capitalized: Capitalized::Ignore, ..lossy() };
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
fn read(kind: Kind, bytes: &[u8]) -> Result<String> {
    let input = Input::uncompressed("data", Cursor::new(bytes.to_vec()));
    let (mut records, mut record, mut text) = (kind.records(input, None)?, Record::default(), String::new());
    while records.next(&mut record)? {
        for (place, before) in &record.stretches {
            text.push_str(if *before == Break::None { "" } else { " " });
            text.push_str(&record.text[place.clone()]);
        }
    }
    Ok(Locale::Root.lower(&text).replace('’', "'"))
}
