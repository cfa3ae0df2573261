//! Tests of `lrc`.

use crate::laws::{check, starts, words};
use majuscule_format::Format;

#[test]
fn lyrics_are_text_and_their_times_and_tags_are_not() {
    let file = "\u{feff}[ar:ana reis]\r\n[length: 03:20]\n\n[00:12.00][01:15.30]we met in\n[00:17]lisbon, ana\n\
                [00:20.10] <00:20.10> no <00:20.50> way <00:21.00>\n[00:25.00]\n[00:26.00](oh) [chorus] we sang\n\
                [00:30.00]man: so it is\nyes\n";
    check(Format::Lrc, file);
    let all = [
        "ana", "reis", "we", "met", "in", "lisbon", "ana", "no", "way", "we", "sang", "man", "so", "it",
        "is", "yes",
    ];
    assert_eq!(words(Format::Lrc, file), all);
    assert_eq!(starts(Format::Lrc, file), ["ana", "reis", "we", "lisbon", "no", "we", "man", "so", "yes"]);
}

#[test]
fn a_name_with_a_capital_has_its_capitals() {
    assert_eq!(words(Format::Lrc, "[ti:so it Is]\nyes\n"), ["yes"]);
}
