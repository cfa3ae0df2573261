//! Texts inserted between two others: the cases of `between.toml`, and laws.

use std::collections::BTreeMap;

use majuscule::{MarkPlaces, MarkSet, Model, RestoreOptions, TextRestorer};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BetweenCase {
    before: String,
    text: String,
    after: String,
    wanted: String,
    known: Option<String>,
}

/// A model with punctuation.
fn marked(model: &Model) -> TextRestorer {
    model.with(RestoreOptions::default().marks(MarkSet::USUAL).mark_places(MarkPlaces::Unmarked))
}

#[test]
fn texts_at_a_cursor_come_out_as_they_should_or_are_known_not_to() {
    let cases: BTreeMap<String, Vec<BetweenCase>> =
        toml::from_str(include_str!("../between.toml")).expect("between.toml has tables of cases");
    let (mut wrong, mut right) = (Vec::new(), 0);
    for language in crate::cases::languages() {
        let restorer = marked(&Model::embedded(language).expect("the model is built in"));
        for BetweenCase { before, text, after, wanted, known } in &cases[language] {
            let found = restorer.between(before, text, after).expect("text can be restored");
            right += usize::from(found == *wanted);
            if (found == *wanted) == known.is_some() {
                wrong.push(format!(
                    "[{language}] {before:?} {text:?} {after:?} comes out as {found:?}, {known:?}"
                ));
            }
        }
    }
    println!("{right} texts come out as they should");
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The letters and digits of a text in lower case, which restoring keeps.
fn kept(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn only_case_marks_and_outer_spaces_change_at_a_cursor(
        parts in prop::array::uniform3(prop::collection::vec(prop::sample::select(vec![
            "we met", "in LISBON", "l'", "europe", "\n", "\n\n", " ", ". ", ", ", "? ", "(", ")", "\"", "'s", "- ", "well-", "—", "é\u{301}",
            "http://a.b/C", "1.5", "Dr. ", "🙂", "\u{ad}", "İ", "¿", "<i>", "</i>", "&amp;", "THE BBC", "O'", "…",
        ]), 0..5)),
    ) {
        let [before, text, after] = parts.map(|parts| parts.concat());
        for restorer in [marked(&Model::embedded("en").unwrap()), Model::embedded("en").unwrap().with(RestoreOptions::default())] {
            let inserted = restorer.between(&before, &text, &after).unwrap();
            prop_assert_eq!(kept(&inserted), kept(&text), "{:?} {:?} {:?}: {:?}", before, text, after, inserted);
            let trimmed = inserted.trim_matches(' ');
            prop_assert!(trimmed.chars().count() >= text.trim_matches(' ').chars().count(), "{:?}: {:?}", text, inserted);
            let again = restorer.between(&before, &inserted, &after).unwrap();
            prop_assert_eq!(&again, &inserted, "{:?} {:?} {:?}", before, text, after);
        }
    }
}

#[test]
fn a_text_around_of_any_length_costs_no_more() {
    let restorer = marked(&Model::embedded("en").expect("the model is built in"));
    let far = "We saw the river. ".repeat(600_000) + &"and then we went ".repeat(20);
    let near = &far[far.len() - 3_000..];
    let found = restorer.between(&far, "to lisbon", &far).expect("text can be restored");
    assert_eq!(found, restorer.between(near, "to lisbon", &far[..3_000]).expect("text can be restored"));
    assert_eq!(found, "to Lisbon. ");
    assert_eq!(restorer.between(&far, "", &far).expect("nothing can be restored"), "");
    assert_eq!(restorer.between("A", " \n", "b").expect("white space can be restored"), " \n");
}
