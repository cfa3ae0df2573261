//! Tests of `ass`.

use crate::laws::{check, error, starts, words};
use majuscule_format::Format;

const FILE: &str = "\u{feff}[Script Info]\r\n; so it is\r\nTitle: a talk\r\n\r\n[V4+ Styles]\r\nFormat: Name, Fontname\r\nStyle: Default,Arial\r\n\r\n\
    [Events]\r\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\r\n\
    Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,no text\r\n\
    Dialogue: 0,0:00:01.00,0:00:02.50,Default,ana,0,0,0,,{\\an8}so, w{\\b1}e met\\Nrui{remark}. and\r\n\
    Dialogue: 0,0:00:02.50,0:00:03.00,Default,ana,0,0,0,,then\\hleft {\\p1}m 0 0 l 9 b{\\p0}[laughs]\r\n\
    Dialogue: 0,0:00:03.00,0:00:04.00,Default,rui,0,0,0,,no,\\n- é";

#[test]
fn only_the_texts_of_events_are_text() {
    let found = words(Format::Ass, FILE);
    assert_eq!(found, ["so", "we", "met", "rui", "and", "then", "left", "no", "é"]);
    assert_eq!(starts(Format::Ass, FILE), ["so", "and", "no", "é"]);
    check(Format::Ass, FILE);
    let old = "[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
               Dialogue: Marked=0,0:00:01.00,0:00:02.50,*Default,NTP,0000,0000,0000,!Effect,so {a";
    assert_eq!(words(Format::Ass, old), ["so", "a"]);
    check(Format::Ass, old);
    assert_eq!(Format::named("a.ssa".as_ref()), Some(Format::Ass));
}

#[test]
fn what_cannot_be_read_is_named_or_passed() {
    let found = error(Format::Ass, "[Events]\nDialogue: 0,0:00:01.00,so\n");
    assert!(found.starts_with("data, line 2, column 26: found 3 fields, but an event"), "{found}");
}
