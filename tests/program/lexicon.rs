//! The command `lexicon`, run as a user runs it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use crate::command;
use crate::room::Room;

const NEWS: &str =
    "We met Anna McDonald in Lisbon.\nThe rose is red.\nLisbon waits for the NATO envoy, a rose in hand.\n";

fn out(folder: &Path, line: &str) -> String {
    command::out(folder, &format!("lexicon {line}"))
}

fn fails(folder: &Path, line: &str) -> (i32, String) {
    command::fails(folder, &format!("lexicon {line}"))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("news.txt"), NEWS).unwrap();
    fs::write(folder.path().join("later.txt"), "They saw lisbon and lisbon and LISBON.\n").unwrap();
    fs::write(folder.path().join("places.txt"), "# places\nPorto\nNew York\n").unwrap();
    assert_eq!(out(folder.path(), "build news.txt -o news.tsv"), "");
    folder
}

#[test]
fn a_lexicon_is_built_and_shown() {
    let folder = folder();
    let file = fs::read_to_string(folder.path().join("news.tsv")).unwrap();
    assert!(
        file.starts_with("# majuscule lexicon\t1\n# language\ten\n# source\t1\tnews.txt\t20\nword\tform\t")
    );
    assert!(file.contains("\nmcdonald\tMcDonald\t1\t0\t1\n"));
    assert!(file.contains("\nlisbon\tLisbon\t1\t1\t1\n"));
    assert_eq!(out(folder.path(), "build news.txt --threads 3"), file);

    let shown = out(folder.path(), "show news.tsv NATO rose");
    let patterns = out(folder.path(), "show news.tsv LIS* *onald *n*t*o");
    assert_eq!(patterns, out(folder.path(), "show news.tsv lisbon mcdonald nato"));
    assert_eq!(fails(folder.path(), "show news.tsv qq*").0, 1);
    assert!(shown.contains("> NATO ") && shown.contains("> rose ") && shown.contains("100.00  news.txt"));
}

#[test]
fn old_counts_fade_as_new_ones_come() {
    let folder = folder();
    out(folder.path(), "build later.txt -o later.tsv");
    out(folder.path(), "merge news.tsv later.tsv --decay 0.25 --date 2026-11-20 -o updated.tsv");
    let shown = out(folder.path(), "show updated.tsv Lisbon");
    assert!(shown.contains("> lisbon "), "{shown}");
    let updated = fs::read_to_string(folder.path().join("updated.tsv")).unwrap();
    assert!(updated.contains("# update\t2026-11-20\t0.25\tlater.txt\n"));
    assert!(updated.contains("\nlisbon\tLisbon\t0.25\t0.25\t1\n"));

    let (code, error) = fails(folder.path(), "merge updated.tsv later.tsv --date 2026-11-19");
    assert_eq!((code, error.contains("give a later one")), (2, true), "{error}");
}

#[test]
fn lists_and_lexicons_are_merged_with_their_sources() {
    let folder = folder();
    out(folder.path(), "merge news.tsv places.txt -o merged.tsv");
    assert!(out(folder.path(), "show merged.tsv porto").contains("places.txt"));
    assert_eq!(fails(folder.path(), "show merged.tsv york").0, 1);
    assert!(out(folder.path(), "merge places.txt news.tsv --phrases").contains("\nyork\tYork\t1\t0\t1\n"));
}

#[test]
fn other_formats_are_written_and_read() {
    let folder = folder();
    let moses = out(folder.path(), "export news.tsv --format moses --vocabulary 2");
    assert_eq!(moses, "in (2/2)\nLisbon (1/1)\n");
    fs::write(folder.path().join("moses"), &moses).unwrap();
    assert_eq!(out(folder.path(), "export moses --format moses"), moses);
    assert_eq!(out(folder.path(), "export moses --format map"), "in in 1\nlisbon Lisbon 1\n");
    fs::write(folder.path().join("map"), "rose rose 0.6666666666666666 Rose 0.3333333333333333\n").unwrap();
    let shown = out(folder.path(), "show map rose");
    assert!(shown.contains(" 0.6667 ") && shown.contains(" 0.3333 ") && shown.contains("66.67  "), "{shown}");
    assert_eq!(out(folder.path(), "export news.tsv --keep mixed --format list"), "McDonald\n");
    let json: serde_json::Value =
        serde_json::from_str(&out(folder.path(), "export news.tsv --format json")).unwrap();
    assert_eq!(json["words"].as_array().unwrap().len(), 16);
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = folder();
    fs::write(folder.path().join("lower.txt"), "we met in lisbon\n").unwrap();
    fs::write(folder.path().join("cut.tsv"), "# majuscule lexicon\t1\n# language\ten\n").unwrap();
    for (line, code, problem) in [
        ("build news.txt -o news.txt", 2, "news.txt is both input and output"),
        ("merge news.tsv -o news.tsv", 2, "news.tsv is both input and output"),
        ("build news.txt --threads 0", 2, "--threads"),
        ("build news.txt --protocol tea", 2, "expected one of text, batista"),
        ("build news.txt --lang !", 2, "is not a language tag"),
        ("build lower.txt", 1, "lower.txt: 0 of its 4 words have a capital"),
        ("build missing.txt", 1, "missing.txt"),
        ("show cut.tsv rose", 1, "cut.tsv: the header has no end"),
        ("show news.tsv tulip", 1, "news.tsv: found no word \"tulip\" among its 16 words\n"),
        ("show news.txt tulip", 1, "among its 0 words; it was read as a word list with one entry per line"),
        ("merge news.tsv places.txt --date today", 2, "expected year-month-day"),
        ("merge news.tsv places.txt --date 2026-11-20 --decay 2", 2, "decay 2 is out of range"),
        ("merge news.tsv places.txt --decay 0.5", 2, "--date <DATE>"),
        ("merge news.tsv --date 2026-11-20", 2, "name its lexicon after the old one"),
        ("update news.tsv later.txt --date 2026-11-20", 2, "lexicon merge OLD NEW --date DATE"),
    ] {
        let (found, error) = fails(folder.path(), line);
        assert!(found == code && error.contains(problem), "{line}: {found}, {error}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("news.txt")).unwrap(), NEWS);
}

#[test]
fn every_list_of_words_is_one_of_spellings_too() {
    use majuscule_text::{Locale, Spellings};

    for file in fs::read_dir(Path::new(crate::ROOT).join("lexicons")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".txt") && !name.starts_with("abbreviations") {
            let words = Spellings::read(&fs::read(&path).unwrap(), name, Locale::Root);
            assert!(!words.unwrap().is_empty(), "{name}");
        }
    }
}

#[test]
fn parts_of_a_corpus_add_up_to_its_lexicon() {
    let room = Room::new();
    // The second part has no capitals, which only the whole must have.
    let parts = ["We met Ana.\nThey met IBM.\n", "nothing then\n"];
    fs::create_dir(room.path("whole")).unwrap();
    room.write("whole/text", parts.concat());
    room.write("text", parts[0]);
    room.out("lexicon build --part text -o one.tsv", b"");
    room.write("text", parts[1]);
    room.fails("lexicon build text", b"", 1, &["text: 0 of its 2 words have a capital"]);
    room.out("lexicon build --part text -o two.tsv", b"");
    let merged = room.out("lexicon merge --parts two.tsv one.tsv --min-count 2", b"");
    assert_eq!(merged, room.out("lexicon build whole/text --min-count 2", b""));
    room.fails("lexicon merge --parts two.tsv", b"", 1, &["two.tsv: 0 of its 2 words have a capital"]);
}
