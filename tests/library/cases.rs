//! Real sentences and small files, restored with the built-in models: one case per table of
//! `cases.toml`.

use std::collections::BTreeMap;
use std::io::Cursor;

use majuscule::{Format, MarkSet, Model, RestoreOptions};
use majuscule_base::files::Input;
use majuscule_restore::models::{LANGUAGES, Methods, Preset};
use majuscule_restore::restore;
use majuscule_text::{Context, OutputForm};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    lower: String,
    cased: String,
    known: Option<String>,
}

/// A small file in any format.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileCase {
    about: String,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    lang: Option<String>,
    #[serde(default)]
    marks: bool,
    #[serde(default)]
    style: Option<String>,
    #[serde(default)]
    lines: Option<String>,
    input: String,
    output: String,
}

/// The tables of `cases.toml`, except for `file`.
fn cases() -> BTreeMap<String, Vec<Case>> {
    let mut tables = tables();
    tables.remove("file");
    toml::Value::Table(tables).try_into().expect("cases.toml has tables of cases for each language")
}

fn file_cases() -> Vec<FileCase> {
    let files = tables().remove("file").expect("cases.toml has files");
    files.try_into().expect("the files of cases.toml have these keys")
}

fn tables() -> toml::Table {
    toml::from_str(include_str!("../cases.toml")).expect("cases.toml is TOML")
}

/// The languages of the built-in models of this build.
pub fn languages() -> Vec<&'static str> {
    let methods = Methods::all();
    let is_built_in = |language: &&str| methods.preset_store(language, Preset::Accurate).is_ok();
    LANGUAGES.into_iter().filter(is_built_in).collect()
}

#[test]
fn every_case_comes_out_as_it_should_or_is_known_not_to() {
    let cases = cases();
    let mut wrong = Vec::new();
    for language in languages() {
        let model = Model::embedded(language).expect("the model is built in");
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
fn a_sentence_comes_out_as_alone_where_each_line_is_a_text() {
    let cases = cases();
    for language in languages() {
        let model = Model::embedded(language).expect("the model is built in");
        let restorer = model.with(RestoreOptions::default().context(Context::Line));
        let lines: String = cases[language].iter().map(|case| case.lower.clone() + "\n").collect();
        let mut found = Vec::new();
        restorer.restore_to(Format::Text, lines.as_bytes(), &mut found).expect("lines can be read");
        let alone =
            cases[language].iter().map(|case| model.restore(&case.lower).expect("text can be read") + "\n");
        let alone: String = alone.collect();
        assert_eq!(String::from_utf8(found).expect("text was restored"), alone, "{language}");
    }
}

#[test]
fn the_examples_come_out_as_they_should_or_are_known_not_to() {
    let mut wrong = Vec::new();
    for text in include_str!("../examples.txt").split("\n# ").skip(2) {
        let (language, lines) = text.split_once('\n').expect("a language has lines");
        if !languages().contains(&language) {
            continue;
        }
        let path = format!("{}/examples/{language}.txt", env!("CARGO_MANIFEST_DIR"));
        let example = std::fs::read_to_string(path).expect("the example is there");
        let model = Model::embedded(language).expect("the model is built in");
        let found = model.restore(&example).expect("text can be read");
        assert_eq!(found.lines().count(), lines.lines().count(), "{language}");
        for (found, line) in found.lines().zip(lines.lines()) {
            let known = line.strip_prefix("? ");
            if (found == known.unwrap_or(line)) != known.is_none() {
                wrong.push(format!("[{language}] {found}\n  {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn cases_differ_in_case_alone_and_every_language_has_some() {
    let cases = cases();
    let mut languages = LANGUAGES;
    languages.sort_unstable();
    assert_eq!(cases.keys().map(String::as_str).collect::<Vec<_>>(), languages);
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

#[test]
fn every_file_comes_out_as_it_should_and_a_second_run_changes_nothing() {
    let mut wrong = Vec::new();
    for case in file_cases() {
        let language = case.lang.as_deref().unwrap_or("en");
        if !languages().contains(&language) {
            continue;
        }
        let options = RestoreOptions::default()
            .in_locale(Some(language.parse().expect("the language is a tag")))
            .in_language(Some(language.to_owned()))
            .marks(if case.marks { MarkSet::USUAL } else { MarkSet::NONE })
            .style(
                case.style
                    .as_deref()
                    .map(|rules| rules.parse().expect("the rules are known"))
                    .unwrap_or_default(),
            )
            .form(match case.lines.as_deref() {
                Some("paragraph") => OutputForm::Paragraphs,
                Some("sentence") => OutputForm::Sentences,
                other => other.map_or(OutputForm::Text, |lines| panic!("{lines} is no value of --lines")),
            });
        let model = Model::embedded(language).expect("the model is built in");
        let options = model.fill_in(options);
        let restored = |file: &str| {
            let name = format!("file.{}", case.format.as_deref().unwrap_or("txt"));
            let format = Format::of_name(name.as_ref());
            let input = Input::uncompressed(name, Cursor::new(file.to_owned()));
            let mut out = Vec::new();
            let mut write = |bytes: &[u8], _| {
                out.extend_from_slice(bytes);
                Ok(())
            };
            restore(format, input, &*model.restorer, &options, &mut write).expect("the file can be read");
            String::from_utf8(out).expect("text was restored")
        };
        let found = restored(&case.input);
        if found != case.output {
            wrong.push(format!("{}: comes out as\n{found}\nnot as\n{}", case.about, case.output));
        } else if restored(&found) != found {
            wrong.push(format!("{}: a second run gives\n{}", case.about, restored(&found)));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
