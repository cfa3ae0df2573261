//! Tests of `mark_rows`.

use crate::laws::{self, Counting, check};
use majuscule_base::files::Input;
use majuscule_format::Format;
use majuscule_restore::restore;
use majuscule_text::{MarkForm, OutputForm, RestoreOptions};

fn options() -> RestoreOptions {
    let mark_form = Some(MarkForm::Apart);
    RestoreOptions::default().marks(",.".parse().unwrap()).mark_form(mark_form)
}

fn marked(kind: Format, file: &str) -> String {
    check(kind, file);
    String::from_utf8(laws::marked(kind, file.as_bytes(), 9, &Counting::new(), &options())).unwrap()
}

#[test]
fn a_mark_in_a_transcript_has_the_time_of_the_end_of_its_word() {
    let file = "r A 1 0.5 so\n;; x\nr\tA\t1.75\t.255\twe\t0.9\tlex\tana\r\nr A 2 1 [go] NA\nr A 3 x\n"
        .replace(" x\n", " 0 go");
    let file = file.replace(";; 0 go", ";; x\n");
    let found = marked(Format::Ctm, &file);
    for row in ["so\nr A 1.50 0.00 ,\n;; x", "lex\tana\r\nr\tA\t2.005\t0.00\t,\tNA\tmisc\tana\r\n"] {
        assert!(found.to_lowercase().contains(&row.to_lowercase()), "{found}");
    }
    assert!(found.to_lowercase().ends_with("3 0 go\nr a 3.00 0.00 ,"), "{found}");
}

#[test]
fn a_mark_in_columns_has_a_row_with_nothing_else() {
    assert_eq!(marked(Format::Conll, "so X\n\nwe  Y Z").to_lowercase(), "so x\n, _\n\nwe  y z\n,  _ _");
    assert_eq!(
        marked(Format::Conll, "new york\tX\rwe\tY\r").to_lowercase(),
        "new york\tx\r,\t_\rwe\ty\r,\t_\r"
    );
}

#[test]
fn rows_with_numbers_get_no_marks() {
    let file = "1\tso\t_\t_\t_\t_\t_\t_\t_\t_\n";
    let restored = |options: &RestoreOptions| {
        let input = Input::uncompressed("data", file.as_bytes());
        restore(Format::Conll, input, &Counting::new(), options, &mut |_, _| Ok(()))
    };
    let error = restored(&options()).unwrap_err().to_string();
    assert!(error.contains("line 1, column 1: found a row with a number"), "{error}");
    assert!(restored(&RestoreOptions::default().form(OutputForm::Text)).is_ok());
}
