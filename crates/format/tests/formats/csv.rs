//! Tests of `csv`.

use crate::laws::{Counting, check, error, marked, pieces, starts, words};
use majuscule_base::files::Input;
use majuscule_format::Format;
use majuscule_text::RestoreOptions;
use majuscule_text::{Mark, SentenceStart};

/// Returns the words of the column of a table.
fn words_of(field: &str, table: &str) -> Vec<String> {
    let input = Input::uncompressed("data", std::io::Cursor::new(table.to_owned()));
    let options = RestoreOptions::default().field(Some(field.to_owned()));
    let (mut format, mut piece, mut found) =
        (Format::Csv.open(input, options).unwrap(), Default::default(), Vec::new());
    while format.next(&mut piece).unwrap() {
        found.extend(piece.tokens.iter().map(|(lower, _)| lower.to_owned()));
    }
    found
}

const TABLE: &str = "\u{feff}id,\"text\",by\r\nso 1,the met ana. and left,\"so, no\"\r\n\r\n\
                     so 2,\"we said \"\"yes\"\", and\r\n\r\nana\nleft\",ana\n3,,\"so\nno\"\n4,\"\",\n5,\"no\"";

#[test]
fn a_column_of_a_table_is_text() {
    check(Format::Csv, TABLE);
    let all = ["the", "met", "ana", "and", "left", "we", "said", "yes", "and", "ana", "left", "no"];
    assert_eq!(words(Format::Csv, &format!("{TABLE},")), all);
    assert_eq!(starts(Format::Csv, "text\nso. we\nno\n"), ["so", "we"]);
    assert_eq!(words(Format::Csv, "text\nso we"), ["so", "we"]);
}

#[test]
fn the_delimiter_shows_in_the_header_or_in_two_rows() {
    for (field, table) in [
        ("text", "id;text\n1;so, we\n"),
        ("text", "id\ttext\n1\tso, we\n"),
        ("said", "id|said|a,b,c,d\n1|so, we|no\n"),
        ("TEXT", "a;\"Text\"\n1;so, we\n"),
        ("2", "1|so, we|\"x|x\"\n2||x\n"),
        ("2", "1|so, we|,,\n2||\n"),
        ("1", "so we,1\n,2\n"),
        ("2", "sep=;\n1;so, we\n"),
        ("text", "sep=|\r\nid|text\n1|so, we\n"),
    ] {
        assert_eq!(words_of(field, table), ["so", "we"], "{table:?}");
    }
}

#[test]
fn a_table_that_cannot_be_read_is_told_with_its_position() {
    for (table, found) in [
        (
            "id,body\n1,so\n",
            "line 1, column 1: found the columns \"id\", \"body\", but none is called \"text\": name",
        ),
        ("id,text\n1\n", "line 2, column 2: found 1 cell between \",\", but the text is expected in cell 2"),
        ("id,text\n1,so, we\n", "line 2, column 9: found 3 cells between \",\", but the header has 2"),
        ("id,text\n1,\"so\" we\n", "line 2, column 3: found text after the closing quote"),
        ("id,text\n1,so\n2,\"so\n\nwe\n", "found no closing quote of the cell that begins on line 3"),
    ] {
        let error = error(Format::Csv, table);
        assert!(error.contains(found) && error.starts_with("data"), "{error}");
    }
    let options = RestoreOptions::default().field(Some("said".to_owned()));
    let error = pieces(Format::Csv, b"id\n1\n", usize::MAX, options).unwrap_err().to_string();
    assert!(error.contains("found the column \"id\", but none is called \"said\""), "{error}");
    // Empty cells at the end are no more than the header has.
    assert_eq!(words(Format::Csv, "id,text\n1,so,,\n"), ["so"]);
}

#[test]
fn a_mark_that_would_end_a_cell_brings_quotes_with_it() {
    let method = Counting::new();
    let with_marks = |table: &str, marks: &[Mark]| {
        let options = RestoreOptions::default()
            .marks(marks.iter().copied().collect())
            .sentence_start(SentenceStart::Never);
        let bytes = marked(Format::Csv, table.as_bytes(), usize::MAX, &method, &options);
        let again = marked(Format::Csv, &bytes, usize::MAX, &method, &options);
        assert_eq!(again, bytes, "{table:?}");
        String::from_utf8(bytes).unwrap()
    };
    let words = "a b c d e f g h i j k l";
    let marks = [Mark::Comma, Mark::Period];
    for (table, begins) in [
        (format!("id,text\n1,{words}\n2,\"{words}\"\n"), "id,text\n1,\"a"),
        (format!("id;text\n1;{words}\n"), "id;text\n1;a"),
    ] {
        let written = with_marks(&table, &marks);
        assert!(written.contains(", ") && written.starts_with(begins), "{written}");
        assert!(written.contains("\n2,\"a") || begins.contains(';'), "{written}");
        assert_eq!(words_of("text", &written).len(), words_of("text", &table).len());
    }
}
