//! Tests of `ttml`.

use crate::laws::{check, error, starts, words};
use majuscule_format::Format;

const FILE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- so <p>it is</p> -->\n<tt xmlns=\"http://www.w3.org/ns/ttml\" xml:lang=\"en\"\n  a='>'>\
    <head><metadata><ttm:title>a talk</ttm:title></metadata></head>\n<body><div>\n<p begin=\"0s\" end='1.5s'>so we met <span tts:color=\"red\">ana,</span><br/>\n  - me too.</p>\
    <p begin=\"2s\"\n end=\"3s\"><metadata>x<ttm:desc>y</ttm:desc></metadata>MAN: and - rui &amp; é<![CDATA[ a < b]]></p><p/>no text</div></body></tt>";

#[test]
fn only_the_text_of_paragraphs_is_text() {
    let found = words(Format::Ttml, FILE);
    assert_eq!(found, ["so", "we", "met", "ana", "me", "too", "man", "and", "rui", "é", "a", "b"]);
    assert_eq!(starts(Format::Ttml, FILE), ["me", "man", "and"]);
    check(Format::Ttml, FILE);
    check(Format::Ttml, &FILE.replace('\n', " "));
    assert_eq!(words(Format::Ttml, "<tt:tt><tt:p>so</tt:p></tt:tt>"), ["so"]);
}

#[test]
fn what_is_no_ttml_is_named() {
    let found = error(Format::Ttml, "<html><p>so</p></html>");
    assert!(found.starts_with("data, line 1, column 1: found <html>, but the root of TTML"), "{found}");
    let found = error(Format::Ttml, "<tt>\n<p>so</p\n");
    assert!(found.starts_with("data, line 3, column 1: found the end of the file inside a tag"), "{found}");
}

#[test]
fn a_file_of_one_line_is_read_in_pieces() {
    let text = format!("<tt>{}</tt>", "<p begin=\"1s\">we met ana</p>".repeat(5000));
    assert_eq!(words(Format::Ttml, &text).len(), 15_000);
}
