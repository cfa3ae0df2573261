//! Real sentences, restored with the built-in models: one case per line of `cases.toml`.

use std::collections::BTreeMap;

use majuscule::methods::{LANGUAGES, embedded};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    lower: String,
    cased: String,
    known: Option<String>,
}

fn cases() -> BTreeMap<String, Vec<Case>> {
    toml::from_str(include_str!("../cases.toml")).expect("cases.toml is a table of cases for each language")
}

/// The languages of the built-in models of this build.
fn languages() -> Vec<&'static str> {
    let built_in = [
        ("en", cfg!(feature = "lang-en")),
        ("es", cfg!(feature = "lang-es")),
        ("fr", cfg!(feature = "lang-fr")),
        ("nl", cfg!(feature = "lang-nl")),
        ("pt", cfg!(feature = "lang-pt")),
    ];
    built_in.into_iter().filter_map(|(language, built_in)| built_in.then_some(language)).collect()
}

#[test]
fn every_case_comes_out_as_it_should_or_is_known_not_to() {
    let cases = cases();
    let mut wrong = Vec::new();
    for language in languages() {
        let model = embedded(language).expect("the model is built in");
        let cases = &cases[language];
        let mut right = 0;
        for Case { lower, cased, known } in cases {
            let found = model.restore(lower).expect("a method that needs no device answers");
            right += usize::from(found == *cased);
            match known {
                None if found != *cased => wrong.push(format!(
                    "[{language}] \"{lower}\" comes out as \"{found}\", not as \"{cased}\": mend it, or say why in `known`"
                )),
                Some(why) if found == *cased => wrong.push(format!(
                    "[{language}] \"{lower}\" comes out right, though it is known to fail ({why}): take the line out"
                )),
                _ => {}
            }
        }
        println!("{language}: {right} of {} sentences come out as they should", cases.len());
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn cases_differ_in_case_alone_and_every_language_has_some() {
    let cases = cases();
    assert_eq!(cases.keys().map(String::as_str).collect::<Vec<_>>(), LANGUAGES);
    for (language, cases) in &cases {
        assert!(cases.len() >= 10, "{language} has few cases");
        for Case { lower, cased, known } in cases {
            assert_eq!(*lower, cased.to_lowercase(), "[{language}] more than case differs");
            assert!(known.as_deref() != Some(""), "[{language}] \"{lower}\" is known to fail, but not why");
        }
        for (i, case) in cases.iter().enumerate() {
            assert!(
                cases[..i].iter().all(|other| other.lower != case.lower),
                "[{language}] \"{}\" stands twice",
                case.lower
            );
        }
    }
}
