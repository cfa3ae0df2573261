//! Tests of `conll`.

use crate::laws::{self, check, error, starts, words};
use majuscule_format::Format;
use majuscule_text::{Case, RestoreOptions};

#[test]
fn an_empty_line_ends_a_sentence() {
    let file =
        "-DOCSTART- -X- O O\n\nthe DT B-NP O\n1996 CD I-NP O\neu NNP I-NP B-ORG\n. . O O\n\nit PRP B-NP O\n";
    assert_eq!(words(Format::Conll, file), ["the", "1996", "eu", "it"]);
    assert_eq!(starts(Format::Conll, file), ["the", "it"]);
    check(Format::Conll, file);
}

#[test]
fn numbered_rows_have_the_word_second() {
    let row = |id: &str, word: &str| format!("{id}\t{word}\tlemma\tX\t_\t_\t0\troot\t_\t_\n");
    let file = [
        "# text = x\n",
        &row("1-2", "dámelo"),
        &row("1", "da"),
        &row("2", "melo"),
        &row("2.1", "x"),
        &row("3", "rui"),
    ]
    .concat();
    assert_eq!(words(Format::Conll, &file), ["dámelo", "rui"]);
    check(Format::Conll, &file);
    assert!(
        error(Format::Conll, &format!("{file}4\tso\n"))
            .starts_with("data, line 7, column 5: found 2 columns, but 10 are expected")
    );
    let blanks = row("1", "they").replace('\t', "   ").replace("   _\n", "\t_\n");
    assert!(
        error(Format::Conll, &blanks).contains("line 1, column") && words(Format::Conll, &blanks).is_empty()
    );
    assert_eq!(words(Format::Conll, &row("1", "they").replace('\t', "   ")), ["they"]);
}

#[test]
fn numbers_in_the_place_of_words_are_an_error() {
    let numbered = "1\tno\tDT\n2\tharm\tNN\n\n1\twe\tPRP\n2\tleft\tVBD\n3\tbern\tNNP\n";
    assert!(
        error(Format::Conll, numbered)
            .starts_with("data, line 6, column 1: found rows that begin with the numbers 1 to 3")
    );
    let second = RestoreOptions::default().field(Some("2".to_owned()));
    let pieces = laws::pieces(Format::Conll, numbered.as_bytes(), usize::MAX, second).unwrap();
    assert_eq!(pieces.iter().map(|piece| piece.tokens.as_slice().len()).sum::<usize>(), 5);
    // Scores, in rows of words.
    check(Format::Conll, "1 CD\n2 CD\n2 CD\n\npages NNS\n1 CD\n2 CD\n3 CD\n");
}

#[test]
fn the_words_that_a_word_is_analysed_as_have_its_capitals() {
    let rows = |words: &[(&str, &str)]| -> String {
        words.iter().map(|(id, word)| format!("{id}\t{word}\ti'm\t_\t_\t_\t_\t_\t_\t_\n")).collect()
    };
    let upper = |words: &[(&str, &str)]| {
        check(Format::Conll, &rows(words));
        let written = laws::written(Format::Conll, rows(words).as_bytes(), |number, _| {
            if number == 1 { Case::Title } else { Case::Upper }
        });
        String::from_utf8(written).unwrap()
    };
    assert_eq!(
        upper(&[
            ("1-2", "i’m"),
            ("1", "i"),
            ("2", "'m"),
            ("3-4", "i'm"),
            ("3", "i"),
            ("4", "'m"),
            ("5", "i")
        ]),
        rows(&[("1-2", "I’m"), ("1", "I"), ("2", "'m"), ("3-4", "I'M"), ("3", "I"), ("4", "'M"), ("5", "I")])
    );
    // In another spelling the first word has the first capital, and all have all.
    assert_eq!(
        upper(&[
            ("1-2", "won't"),
            ("1", "will"),
            ("2", "not"),
            ("2.1", "x"),
            ("3-5", "dámelo"),
            ("3", "da"),
            ("4", "me"),
            ("6-7", "del"),
            ("6", "de"),
            ("7", "el")
        ]),
        rows(&[
            ("1-2", "Won't"),
            ("1", "Will"),
            ("2", "not"),
            ("2.1", "x"),
            ("3-5", "DÁMELO"),
            ("3", "DA"),
            ("4", "ME"),
            ("6-7", "DEL"),
            ("6", "DE"),
            ("7", "EL")
        ])
    );
    let far = rows(&[("1-2", "in the"), ("1", "in"), ("2", "the")]);
    check(Format::Conll, &far);
    let bracketed = rows(&[("1-2", "(del"), ("1", "(de"), ("2", "l")]);
    check(Format::Conll, &bracketed);
}
