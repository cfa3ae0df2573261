//! Tests of `nlp`.

use crate::laws::{check, error, starts, words};
use majuscule_format::Format;

#[test]
fn words_and_their_marks_are_text() {
    let file = "so|token|x|punctuation\r\na|well|b|,\r\na|<laugh>|b|\na|ana|b|.\n\na|she|b|\na|left|b|";
    check(Format::Nlp, file);
    assert_eq!(words(Format::Nlp, file), ["well", "ana", "she", "left"]);
    assert_eq!(starts(Format::Nlp, file), ["well", "she"]);
    check(Format::Nlp, "token|x|punctuation\nwell ana she|a|\nleft|b|\nso|b|1\n");
    assert!(
        error(Format::Nlp, "so it is\n")
            .contains("data, line 1, column 1: found \"so it is\", but a transcript")
    );
    assert!(
        error(Format::Nlp, "token|punctuation\na|.|b").starts_with("data, line 2, column 5: found 3 columns")
    );
}
