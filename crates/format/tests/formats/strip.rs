//! Files without capitals and punctuation.

use std::io::Cursor;

use majuscule_base::error::{Error, Result};
use majuscule_base::files::{Dribble, Input};
use majuscule_format::{Format, Stripping, strip};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Locale, RestoreOptions};
use proptest::prelude::*;

use super::case_laws::{lossy, tokens};

const BOTH: Stripping = Stripping { case: true, marks: true };

fn stripped_in_steps(
    kind: Format,
    file: &[u8],
    step: usize,
    options: &RestoreOptions,
    what: Stripping,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let input = Input::uncompressed("data", Dribble::new(file, step));
    strip(kind, input, options, what, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })?;
    Ok(out)
}

/// Returns a file in English without its capitals and marks.
fn stripped(kind: Format, file: &str) -> String {
    let options = RestoreOptions::default().in_language(Some("en".into()));
    let out = stripped_in_steps(kind, file.as_bytes(), usize::MAX, &options, BOTH).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the words of a file, with repeated lines.
fn words(kind: Format, file: &[u8]) -> Vec<String> {
    let options = lossy().capitalized(Capitalized::Ignore).noting_marks();
    tokens(kind, file, usize::MAX, options).into_iter().map(|(lower, _)| lower).collect()
}

/// Checks the laws of a file that is stripped.
fn check(kind: Format, file: &[u8]) {
    for what in [BOTH, Stripping { case: false, ..BOTH }, Stripping { marks: false, ..BOTH }] {
        let stripped = |file: &[u8], step| stripped_in_steps(kind, file, step, &lossy(), what);
        let Ok(once) = stripped(file, usize::MAX) else {
            assert!(what.marks && matches!(kind, Format::Labels | Format::Conll), "{kind:?}");
            continue;
        };
        let shown = String::from_utf8_lossy;
        let becomes = format!("{kind:?} {what:?} {:?} becomes {:?}", shown(file), shown(&once));
        assert_eq!(words(kind, &once), words(kind, file), "{becomes}");
        assert_eq!(shown(&stripped(&once, usize::MAX).unwrap()), shown(&once), "{becomes}");
        assert_eq!(shown(&stripped(file, 3).unwrap()), shown(&once), "{becomes}");
        let has_escapes = matches!(kind, Format::Jsonl | Format::WhisperJson);
        if !what.marks && !has_escapes {
            assert_eq!(Locale::Root.lower(&shown(&once)), Locale::Root.lower(&shown(file)), "{becomes}");
        }
    }
}

#[test]
fn the_example_of_every_format_keeps_its_words() {
    for info in Format::all() {
        check(info.format, info.example.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_text_keeps_its_words_and_is_stripped_once(
        text in r#"((So|WE|met|a|1|3.5|1,000|x-ray|it's|www.|a.b|U.S|İ|ann)|[-–—.,:;!?…'’‘"“”«»()\[\]{}<>@#/\\_&%*¿¡·]|[ \n\t]| |\u{a0}|\r\n){0,24}"#,
    ) {
        check(Format::Text, text.as_bytes());
        check(Format::Jsonl, serde_json::json!({ "text": &*text }).to_string().as_bytes());
        let line = text.replace(['\n', '\r', '\t'], " ");
        check(Format::Srt, format!("1\n00:00:01,000 --> 00:00:02,000\n{line}\n{line}\n\n").as_bytes());
        check(Format::Stm, format!("a 1 b 0.0 1.5 <o> {line}\n").as_bytes());
        check(Format::Tsv, format!("id\ttext\tn\n1\t{line}\t2\n").as_bytes());
    }
}

#[test]
fn marks_go_with_the_spaces_that_belong_to_them() {
    for (text, bare) in [
        ("Then, Ana said: \"We met – in Lisbon – (twice)...\"\n", "then ana said we met in lisbon twice\n"),
        ("« Oui\u{a0}! » dit-il\u{202f}; et alors ?\n", "oui dit-il et alors\n"),
        ("he came—late\r\n\r\n...\r\n- So, what?\r\n", "he came late\r\n\r\n...\r\n- so what\r\n"),
        ("It's 10:30, see www.A.example/B.\n", "it's 10:30 see www.A.example/B\n"),
        ("ANA: So, yes.\n[00:12] The U.S., e.g.\n", "ANA: so yes\n[00:12] the u.s e.g\n"),
    ] {
        assert_eq!(stripped(Format::Text, text), bare);
    }
}

#[test]
fn formats_keep_everything_but_the_text() {
    for (kind, file, bare) in [
        (
            Format::Srt,
            "1\n00:00:01,000 --> 00:00:02,000\n- <i>Hello</i>, Ana.\n- \"Hi!\" – he said… Yes. (laughs) So.\n\n2\n00:00:03,000 --> 00:00:04,000\n...\n",
            "1\n00:00:01,000 --> 00:00:02,000\n- <i>hello</i> ana\n- hi he said yes. (laughs) so\n\n2\n00:00:03,000 --> 00:00:04,000\n...\n",
        ),
        (Format::Ctm, "f 1 0.0 0.5 So,\nf 1 0.5 0.0 .\nf 1 0.6 0.2 WE\n", "f 1 0.0 0.5 so\nf 1 0.6 0.2 we\n"),
        (Format::Conll, "So\tA\n,\tB\nAna\tA\n.\tB\n\n", "so\tA\nana\tA\n\n"),
        (
            Format::Csv,
            "id,text\n1,\"So, \"\"we\"\" – met.\"\n2,So – we; Ana\n",
            "id,text\n1,\"so we met\"\n2,so we ana\n",
        ),
        (
            Format::Nlp,
            "token|speaker|punctuation\nSo|0|,\nAna|0|.\n",
            "token|speaker|punctuation\nso|0|\nana|0|\n",
        ),
        (
            Format::WhisperJson,
            r#"{"text":" So\u2014\u201cAna\u201d \u2014 yes.","segments":[{"start":0.5,"text":" So\u2014\u201cAna\u201d \u2014 yes.","words":[{"word":" So\u2014\u201cAna\u201d"},{"word":" \u2014"},{"word":" yes."}]}]}"#,
            r#"{"text":" so\u0020ana yes","segments":[{"start":0.5,"text":" so\u0020ana yes","words":[{"word":" so\u0020ana"},{"word":""},{"word":" yes"}]}]}"#,
        ),
    ] {
        assert_eq!(stripped(kind, file), bare);
        check(kind, file.as_bytes());
    }
}

#[test]
fn the_case_pairs_of_the_locale_apply() {
    let options = RestoreOptions::default().in_locale(Some(Locale::Turkic));
    let stripped = stripped_in_steps(Format::Text, "IŞIK İyi".as_bytes(), 1, &options, BOTH).unwrap();
    assert_eq!(String::from_utf8(stripped).unwrap(), "ışık iyi");
}

#[test]
fn labels_of_marks_are_refused() {
    let input = Input::uncompressed("data", Cursor::new(b"So\tCOMMA\n"));
    let refused = strip(Format::Labels, input, &RestoreOptions::default(), BOTH, &mut |_| Ok(()));
    assert!(matches!(refused, Err(Error::Usage(_))));
}
