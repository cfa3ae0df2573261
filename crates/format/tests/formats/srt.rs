//! Tests of `srt`.

use crate::laws::{self, check, error, pieces, starts, words};
use majuscule_format::Format;
use majuscule_text::RestoreOptions;

const FILE: &str = "\u{feff}1\r\n00:00:01,000 --> 00:00:02,500\r\nso <i>ana</i> said\r\nthat we go. and\r\n\r\n\
                    2\n0:00:02.5 --> 00:00:01,000 X1:40\n{\\an8}then we went. [laughs]\n\n\
                    3\n00:00:05,000 --> 00:00:06,000\n\n\
                    4\n00:00:05,000 --> 00:00:06,000\n- who?\n- (sighs) me &amp; you\n00:00:01,000 --> 00:00:02,500";

#[test]
fn sentences_run_on_from_cue_to_cue() {
    assert_eq!(
        words(Format::Srt, FILE),
        ["so", "ana", "said", "that", "we", "go", "and", "then", "we", "went", "who", "me", "you"]
    );
    assert_eq!(starts(Format::Srt, FILE), ["so", "and", "who", "me"]);
    check(Format::Srt, FILE);
}

#[test]
fn empty_lines_may_stand_in_a_cue_and_be_missing_between_two() {
    let timing = "00:00:01,000 --> 00:00:02,500";
    let file = format!(
        "1\n{timing}\n\nso it\n \t\nwas. and\n\u{a0}\n2\n{timing}\nthen\n\n\n3\n{timing}\n7\n4\n{timing}\nno\n\n"
    );
    assert_eq!(words(Format::Srt, &file), ["so", "it", "was", "and", "then", "7", "no"]);
    check(Format::Srt, &file);
}

#[test]
fn what_cannot_be_read_is_named_or_passed() {
    let good = "1\n00:00:01,000 --> 00:00:02,500\nyes\n\n";
    let nothing = error(Format::Srt, "\nso\n");
    assert!(
        nothing.starts_with("data, line 2, column 1: found \"so\", but the number of a cue is expected"),
        "{nothing}"
    );
    for (file, start) in [
        ("2\nso\n", "data, line 2, column 1: found \"so\", but a timing is expected, such as 00:00:01,000"),
        ("2\n\n", "data, line 2, column 1: found nothing, but a timing"),
        ("2", "data, line 2, column 1: found the end of the file, but a timing"),
    ] {
        let error = error(Format::Srt, file);
        assert!(error.starts_with(start) && error.ends_with("`lossy`"), "{error}");
    }
    for (text, start) in [
        ("2\n00:00:01,000 --> 00:0", "data, line 6, column 18: found \"00:0\", but a timing"),
        ("2\n00:00:01,000 -->", "data, line 6, column 17: found nothing, but a timing"),
        ("00:00:01,000 -->", "data, line 5, column 17: found nothing, but a timing"),
    ] {
        let text = format!("{good}{text}");
        let error = error(Format::Srt, &text);
        assert!(error.starts_with(start) && error.ends_with("`lossy`"), "{error}");
        assert_eq!(words(Format::Srt, &format!("{text}\n\n{good}")), ["yes", "yes"]);
    }
}

#[test]
fn text_does_not_wait_once_its_cue_has_ended_for_certain() {
    let cue = "1\n00:00:01,000 --> 00:00:02,500\nyes\n\n";
    let passed = format!("{cue}2\n00:00:01,000 -->\n\n");
    let options = RestoreOptions::default().lossy(true);
    let file = format!("{passed}{cue}");
    let mut at = 0;
    let mut ends = |len: usize| {
        at += len;
        at
    };
    let pieces = pieces(Format::Srt, file.as_bytes(), 1, options).unwrap();
    assert!(pieces.iter().any(|piece| ends(piece.bytes().len()) == passed.len()));
}

/// Returns the parts of a file that is read without an error.
fn read(file: &str) -> Vec<String> {
    assert!(pieces(Format::Srt, file.as_bytes(), usize::MAX, RestoreOptions::default()).is_ok(), "{file}");
    check(Format::Srt, file);
    words(Format::Srt, file)
}

#[test]
fn times_need_no_fraction() {
    let file = "1\n00:00:01 --> 00:00:02,5 X1:4\nso\n\n2\n0:03 --> 0:04\nyes\n";
    assert_eq!(read(file), ["so", "yes"]);
}

#[test]
fn a_number_without_a_timing_is_text_of_the_cue_before() {
    let timing = "00:00:01,000 --> 00:00:02,500";
    let cue = |text: &str| format!("1\n{timing}\n{text}\n\n");
    let file = cue("so it was in.") + "2001\nwas the year.\n\n" + &cue("no");
    assert_eq!(read(&file), ["so", "it", "was", "in", "2001", "was", "the", "year", "no"]);
    assert_eq!(starts(Format::Srt, &file), ["so", "2001", "no"]);
    assert_eq!(read(&(cue("so") + "2\nno\n\n" + &cue("yes"))), ["so", "2", "no", "yes"]);
    assert_eq!(read(&(cue("so") + "2\n\n\n3")), ["so", "2", "3"]);
}

#[test]
fn two_byte_order_marks_are_none() {
    for file in ["1\n00:00:01,000 --> 00:00:02,000\nyes\n\n", "00:00:01,000 --> 00:00:02,000\nyes\n\n"] {
        let marked = format!("\u{feff}\u{feff}{file}");
        assert_eq!(read(&marked), ["yes"]);
    }
}

#[test]
fn each_cue_opens_a_line() {
    let srt =
        "1\n00:00:01,000 --> 00:00:02,000\nwe met\nin rome\n\n2\n00:00:03,000 --> 00:00:04,000\nand left\n";
    let pieces = pieces(Format::Srt, srt.as_bytes(), usize::MAX, RestoreOptions::default()).unwrap();
    let words = pieces.iter().flat_map(|piece| piece.tokens.iter());
    let opening: Vec<&str> = words.filter(|(_, word)| word.opens).map(|(lower, _)| lower).collect();
    assert_eq!(opening, ["we", "and"]);
}

#[test]
fn marks_are_put_between_the_words_of_a_line() {
    let file = "1\n00:00:01,000 --> 00:00:02,500\nso we met\n";
    let options = RestoreOptions::default().marks(",".parse().unwrap());
    let marked = laws::marked(Format::Srt, file.as_bytes(), usize::MAX, &laws::Counting::new(), &options);
    let text = String::from_utf8(marked).unwrap().to_lowercase();
    assert!(text.contains("\nso, we, met"), "{text}");
}

#[test]
fn a_line_that_is_too_long_is_refused_or_passed() {
    let file = format!("1\n00:00:01,000 --> 00:00:02,500\n{}\n", "so ".repeat(30_000));
    let found = error(Format::Srt, &file);
    let start = "data, line 3, column 1: found a line of more than 65536 characters";
    assert!(found.starts_with(start), "{found}");
    assert!(words(Format::Srt, &file).is_empty());
}
