//! The files that a new format, language or method touches: CONTRIBUTING.md names them, and no other file has a list made
//! by hand. `cargo test -p majuscule-cli --test program touched -- --nocapture` prints them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use majuscule_cli::methods::methods;
use majuscule_format::Format;
use majuscule_restore::models::LANGUAGES;
use majuscule_text::Language;

/// Files that tools write, and data: texts, word lists, models and how they are trained and measured.
const NOT_BY_HAND: &str = "Cargo.lock benches/quality.py crates/experiment/src/recipes/ docs/decisions/ \
    docs/reports/ examples/ lexicons/ lm/ npm/index.d.ts python/majuscule/_options.py \
    python/majuscule/_restore_options.py tests/cases.toml tests/examples.txt \
    tests/library/api.txt";

/// The lines within which names are a list.
const LINES: usize = 14;

/// The things of which lists name many.
struct Kind {
    /// The heading in CONTRIBUTING.md, and the thing whose files are named there.
    heading: &'static str,
    example: &'static str,
    /// The words by which each is named, and the fewest of them that make a list.
    words: Vec<Vec<String>>,
    fewest: usize,
    /// Files that name many and need not name all: maps, figures, and examples of commands.
    others: &'static str,
}

fn kinds() -> [Kind; 3] {
    let formats: Vec<_> = Format::all().iter().map(|info| named(info.name)).collect();
    let language = |tag: &str| {
        let name = Language::of(tag).and_then(|language| language.name).expect("a language has a name");
        let tags = ["", "lang-", "majuscule-", "majuscule_"].map(|prefix| format!("{prefix}{tag}"));
        tags.into_iter().chain([name.to_owned(), name.to_uppercase()]).collect()
    };
    // The same in all builds with the tests: only some have `bilstm`.
    let methods: Vec<_> = methods().names().filter(|name| *name != "bilstm").map(named).collect();
    [
        Kind {
            heading: "Adding a format",
            example: "kaldi",
            fewest: formats.len().div_ceil(2),
            words: formats,
            others: "README.md",
        },
        Kind {
            heading: "Adding a language",
            example: "pt",
            fewest: LANGUAGES.len(),
            words: LANGUAGES.map(language).into(),
            others: "benches/field.py benches/paragraphs.py docs/book/src/marks.md docs/book/src/quality.md docs/book/src/restoring.md",
        },
        Kind {
            heading: "Adding a method",
            example: "majority",
            fewest: methods.len().div_ceil(2),
            words: methods,
            others: "ARCHITECTURE.md CONTRIBUTING.md benches/README.md benches/stream.rs crates/cli/src/learning/train.rs \
             crates/experiment/src/made.rs crates/experiment/src/recipe.rs crates/experiment/src/suggest.rs \
             docs/book/src/experiments.md docs/book/src/lexicons.md crates/service/src/request.rs fuzz/laws.rs \
             python/tests/test_learning.py python/tests/test_sklearn.py tests/program/adapt.rs \
             tests/program/lm.rs tests/program/restore/models.rs",
        },
    ]
}

/// Returns the words by which code and texts name a format or a method.
fn named(name: &str) -> Vec<String> {
    let camel: String = name.split('-').map(|part| part[..1].to_uppercase() + &part[1..]).collect();
    vec![name.to_owned(), name.replace('-', "_"), name.to_uppercase(), format!("{camel}Config"), camel]
}

impl Kind {
    /// Returns true if a text has a list with the example: so many of the things in a few lines.
    fn is_listed_in(&self, text: &str) -> bool {
        let named = |line: &str| -> BTreeSet<usize> {
            let found: BTreeSet<&str> =
                line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_')).collect();
            let has = |words: &[String]| words.iter().any(|word| found.contains(word.as_str()));
            (0..self.words.len()).filter(|&at| has(&self.words[at])).collect()
        };
        let named: Vec<BTreeSet<usize>> = text.lines().map(named).collect();
        named.windows(LINES.min(named.len()).max(1)).any(|lines| {
            let found: BTreeSet<&usize> = lines.iter().flatten().collect();
            found.len() >= self.fewest && found.iter().any(|at| self.words[**at][0] == self.example)
        })
    }

    /// Returns the files that a person edits for the example, without those of its folder.
    fn touched(&self, files: &str) -> BTreeSet<String> {
        let read = |file: &str| fs::read_to_string(Path::new(crate::ROOT).join(file)).unwrap_or_default();
        let is_elsewhere = |file: &str| {
            !Path::new(crate::ROOT).join(file).exists()
                || NOT_BY_HAND.split(' ').any(|start| file.starts_with(start))
                || self.others.split(' ').any(|other| file == other)
                || file.split('/').any(|part| part == self.example)
        };
        let is_touched = |file: &&str| {
            *file == "CHANGELOG.md"
                || file.contains(&format!("/{}.", self.example))
                || self.is_listed_in(&read(file))
        };
        files.lines().filter(|file| !is_elsewhere(file)).filter(is_touched).map(str::to_owned).collect()
    }
}

#[test]
fn a_format_a_language_and_a_method_touch_the_files_that_contributing_names() {
    let list = Command::new("git").args(["-C", crate::ROOT, "ls-files"]).output();
    let Some(list) = list.ok().filter(|list| list.status.success()) else { return };
    let list = String::from_utf8(list.stdout).expect("paths are text");
    let contributing = fs::read_to_string(Path::new(crate::ROOT).join("CONTRIBUTING.md"));
    let contributing = contributing.expect("the page is here");
    for kind in kinds() {
        let (_, section) = contributing.split_once(&format!("\n## {}\n\n", kind.heading)).expect("a section");
        let (paragraph, _) = section.split_once("\n\n").expect("a paragraph of files");
        let named = paragraph.split('`').skip(1).step_by(2).filter(|span| span.contains('.'));
        let touched = kind.touched(&list);
        println!("{}, {}: {} files\n{touched:#?}", kind.heading, kind.example, touched.len());
        assert_eq!(touched, named.map(str::to_owned).collect(), "{}", kind.heading);
    }
}
