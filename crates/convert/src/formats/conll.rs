//! CoNLL: sentences with their columns.

use majuscule_format::Format;

use super::written;

#[test]
fn a_sentence_is_a_segment_with_its_columns() {
    let rows = "# a\n-DOCSTART- O\n\nso RB\nwe PRP\n# b\n\nmet\n";
    let objects = written(Format::Conll, Format::Jsonl, rows);
    let expected = [
        r#"{"comment":"a","text":null}"#,
        r#"{"docstart":"-DOCSTART- O","text":null}"#,
        r##"{"text":"so we","rows":[[null,"RB"],[null,"PRP"],["# b"]]}"##,
        r#"{"text":"met"}"#,
    ];
    assert_eq!(objects.lines().collect::<Vec<_>>(), expected);
    let back = written(Format::Jsonl, Format::Conll, &objects);
    assert_eq!(back, "# a\n-DOCSTART- O\n\nso\tRB\nwe\tPRP\n# b\n\nmet\n\n");
}

#[test]
fn a_word_that_begins_like_a_comment_is_written_as_a_word() {
    for rows in [" #\n", " ##\nso\n", " # NN\nso NN\n", " #x so\n", "so\n # NN\n# c\n", "\u{6} #\n"] {
        let objects = written(Format::Conll, Format::Jsonl, rows);
        let back = written(Format::Jsonl, Format::Conll, &objects);
        assert_eq!(written(Format::Conll, Format::Jsonl, &back), objects, "{rows:?} comes back as {back:?}");
    }
    assert_eq!(written(Format::Text, Format::Conll, "# of men\n"), " #\nof\nmen\n\n");
}
