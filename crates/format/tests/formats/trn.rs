//! Tests of `trn`.

use crate::laws::{check, starts, words};
use majuscule_format::Format;

#[test]
fn the_words_of_utterances_are_text_and_their_names_are_not() {
    let file = ";; so\nwe met { ana / rui } . (ana-1)\r\n[noise] <laugh> (rui-2)\nhe (uh) left (rui-3)";
    check(Format::Trn, file);
    assert_eq!(words(Format::Trn, file), ["we", "met", "ana", "he", "uh", "left"]);
    assert_eq!(starts(Format::Trn, file), ["we", "he"]);
}
