//! Tests of `jsonl`.

use crate::laws::{check, error, starts, words};
use majuscule_format::Format;

const FILE: &str = "\u{feff}{\"id\": \"Text a\", \"text\": \"we met \\u00e9lise\\nin lisbon.\"}\r\n\n{\"text\": null}\n\
                    {\"text\" : \"then \\ud801\\udc28 \\\"o'neill\\\" left \\u0130\\/\\u00C9 caf\\u00E9.\", \"meta\": {\"text\": \"no\"}}";

#[test]
fn escapes_are_read_and_written_back() {
    assert_eq!(
        words(Format::Jsonl, FILE),
        ["we", "met", "élise", "in", "lisbon", "then", "𐐨", "o'neill", "left", "İ", "é", "café"]
    );
    assert_eq!(starts(Format::Jsonl, FILE), ["then"]);
    check(Format::Jsonl, FILE);
}

#[test]
fn what_cannot_be_read_is_named_or_passed() {
    let good = "{\"text\":\"yes\"}\n";
    for (line, start) in [
        ("{\"text\":\"n", "data, line 2, column 9: the string that begins here has no end"),
        ("{\"texts\":\"no\"}", "data, line 2, column 1: found no field \"text\", but one"),
        ("{\"text\":[1]}", "data, line 2, column 10: found no string in \"text\""),
    ] {
        let file = format!("{good}{line}\n{good}");
        let error = error(Format::Jsonl, &file);
        assert!(error.starts_with(start), "{error}");
        assert_eq!(words(Format::Jsonl, &file), ["yes", "yes"]);
    }
}
