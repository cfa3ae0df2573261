//! Tests of `labels`.

use majuscule_text::Break;
use std::io::Cursor;

use crate::laws::{check, error, starts, words};
use majuscule_base::files::Input;
use majuscule_format::{Format, Record};

/// The text of a file, with a bar where a sentence begins.
fn text(file: &str) -> String {
    let input = Input::new("data", Cursor::new(file.as_bytes().to_vec())).unwrap();
    let mut records = Format::Auto.records(input, None).unwrap();
    let (mut record, mut text) = (Record::default(), String::new());
    while records.next(&mut record).unwrap() {
        for (position, before) in &record.stretches {
            text.push_str(match *before {
                Break::None => "",
                Break::Space => " ",
                _ => "|",
            });
            text.push_str(&record.text[position.clone()]);
        }
    }
    text
}

#[test]
fn labels_are_read_as_the_marks_that_they_name() {
    let file = "well\tCOMMA\r\nwe\tO\r\n're\tO\r\nhere\tPERIOD\r\ndo\tO\nn't\tQUESTION\n\nit\tCOMMA\n's\tO\n'so'\tO\n-\tDASH\nO\tO\n";
    assert_eq!(text(file), "|well, we're here.|don't?|it, s so– O");
    check(Format::Labels, file);
    assert_eq!(words(Format::Labels, file)[..3], ["well", "we", "re"]);
    assert_eq!(starts(Format::Labels, file), ["well", "do", "it"]);
}

#[test]
fn a_row_without_a_word_has_the_mark_of_the_word_before() {
    assert_eq!(text("diver\tO\n1\tO\n\tCOMMA\nwhat\tQUESTION\n"), "|diver 1, what?");
    assert_eq!(text("born\tCOMMA\n\tQUESTION\ndied\tO\n"), "|born, died");
}

#[test]
fn three_columns_say_where_sentences_end() {
    let file = "this\t0\t0\nagenda\t0\t:\none\t1\t.\nso\t1\t0\nyes\t0\t-\n";
    assert_eq!(text(file), "|this agenda: one.|so|yes–");
}

#[test]
fn a_faulty_row_says_what_is_expected() {
    let wrong = |line: &str| error(Format::Labels, &format!("so\tO\n{line}\n"));
    assert!(
        wrong("it\tSTOP")
            .starts_with("data, line 2, column 4: found the label \"STOP\", but one of O, COMMA,")
    );
    assert!(wrong("it").starts_with(
        "data, line 2, column 3: found 1 column, but a line is expected to be a word, a tab and O,"
    ));
    for empty in ["\tO", " \tO", "\t0\t0"] {
        assert!(wrong(empty).contains("column 1: found no word, but a row is expected to begin"), "{empty}");
    }
    assert!(error(Format::Labels, "\tCOMMA\nso\tO\n").starts_with("data, line 1, column 1: found no word"));
    assert!(wrong("it\t0\t.\tx").starts_with("data, line 2, column 8: found 4 columns"));
    assert!(
        wrong("it\t2\t.").starts_with("data, line 2, column 4: found \"2\", but 1 is expected at the end")
    );
}
