//! Tests of `tsv`.

use crate::laws::{check, error, starts, words};
use majuscule_format::Format;

#[test]
fn a_column_of_a_table_is_text() {
    let file = "\u{feff}id\ttext\r\nso 1\the met ana. and left\r\nso 2\tyes\tana\n";
    check(Format::Tsv, file);
    assert_eq!(words(Format::Tsv, file), ["he", "met", "ana", "and", "left", "yes"]);
    assert_eq!(starts(Format::Tsv, file), ["he", "and", "yes"]);
    assert!(error(Format::Tsv, "id\tbody\n").contains("no column is called \"text\" in \"id\tbody\""));
    assert!(error(Format::Tsv, "id\ttext\n1\n").starts_with("data, line 2, column 2: found 1 columns"));
}
