//! Sheets for annotators and their agreement, run as a user runs them.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command;

const REFERENCE: &str = "we met Ada McKay in Rome .\nthe BBC has an Office\n";
const LOWER: &str = "we met ada mckay in rome .\nthe bbc has an office\n";
const TITLE: &str = "we met Ada Mckay in Rome .\nthe Bbc has an office\n";

struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        for (name, text) in [("ref.txt", REFERENCE), ("low.txt", LOWER), ("title.txt", TITLE)] {
            desk.write(name, text);
        }
        desk
    }

    /// A desk with the sheet of the two outputs, and its key.
    fn with_sheet() -> Self {
        let desk = Self::new();
        desk.succeeds(ANNOTATE);
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, arguments: &str) -> Output {
        command::run(self.0.path(), arguments)
    }

    fn succeeds(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Checks that a command fails with this problem.
    fn fails(&self, arguments: &str, code: i32, problem: &str) {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
        assert!(errors.contains(problem), "{arguments}: {errors}");
    }

    fn key(&self) -> Value {
        serde_json::from_str(&self.read("sheet.key.json")).unwrap()
    }

    /// Writes a sheet filled by an annotator who prefers a system in each row; `None` chooses nothing.
    fn fill(&self, name: &str, preferred: &[Option<&str>]) {
        let key = self.key();
        let mut filled = String::new();
        for (at, line) in self.read("sheet.csv").lines().enumerate() {
            let choice = at.checked_sub(1).and_then(|row| {
                let variants = key["rows"][row]["variants"].as_array().unwrap();
                let system = json!(preferred[row]?);
                let own = variants
                    .iter()
                    .position(|variant| variant["systems"].as_array().unwrap().contains(&system));
                Some(["A", "B", "C"][own.unwrap()])
            });
            filled.push_str(&format!("{line}{}\r\n", choice.unwrap_or_default()));
        }
        self.write(name, &filled);
    }
}

const ANNOTATE: &str =
    "experiment annotate sheet.csv --reference ref.txt --output low.txt --output title.txt";

#[test]
fn annotate_writes_a_blind_sheet_and_its_key() {
    let desk = Desk::new();
    let output = desk.run(ANNOTATE);
    assert!(output.status.success());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("sheet.csv: 4 of 4 places where the systems differ; the key,"), "{told}");
    let sheet = desk.read("sheet.csv");
    let lines: Vec<&str> = sheet.lines().collect();
    assert_eq!(lines[0], "id,context,A,B,choice");
    assert_eq!(lines.len(), 5);
    assert!(lines[1].starts_with("1,we met [ada] McKay in Rome.,"), "{sheet}");
    assert!(lines[4].starts_with("4,the [bbc] has an Office,") && lines[4].ends_with(','), "{sheet}");
    assert!(!sheet.contains("low.txt") && !sheet.contains("title.txt"), "{sheet}");
    let key = desk.key();
    assert_eq!(key["systems"], json!(["low.txt", "title.txt"]));
    for (row, line) in key["rows"].as_array().unwrap().iter().zip(&lines[1..]) {
        let words: Vec<&str> = row["variants"]
            .as_array()
            .unwrap()
            .iter()
            .map(|variant| variant["word"].as_str().unwrap())
            .collect();
        assert!(line.ends_with(&format!(",{},", words.join(","))), "{line}: {row}");
        let of_low = row["variants"]
            .as_array()
            .unwrap()
            .iter()
            .find(|variant| variant["systems"] == json!(["low.txt"]));
        let word = of_low.unwrap()["word"].as_str().unwrap();
        assert_eq!(word, word.to_lowercase());
    }
    // The same seed gives the same bytes, and nothing is replaced without --force.
    desk.fails(ANNOTATE, 2, "sheet.csv exists already");
    desk.succeeds(&format!("{ANNOTATE} --force"));
    assert_eq!(desk.read("sheet.csv"), sheet);
    fs::remove_file(desk.path("sheet.csv")).unwrap();
    desk.fails(ANNOTATE, 2, "sheet.key.json exists already");
}

#[test]
fn annotate_takes_models_and_outputs_without_a_reference() {
    let desk = Desk::new();
    desk.succeeds("train majority ref.txt --protocol susanto -o model");
    desk.succeeds(
        "experiment annotate m.csv --reference ref.txt --model model --output low.txt --sample 2 --context-words 1",
    );
    let sheet = desk.read("m.csv");
    assert_eq!(sheet.lines().count(), 3, "{sheet}");
    desk.succeeds("experiment annotate free.csv --output title.txt --output low.txt --seed 9");
    let sheet = desk.read("free.csv");
    // Neighbours on which the outputs differ show neither of them.
    assert!(sheet.contains("\n1,we met [ada] mckay in rome.,"), "{sheet}");
    let key: Value = serde_json::from_str(&desk.read("free.key.json")).unwrap();
    assert_eq!((&key["seed"], key["rows"][0].get("reference")), (&json!(9), None));
}

#[test]
fn annotate_refuses_systems_that_cannot_be_compared() {
    let desk = Desk::new();
    desk.write("short.txt", "we met ada\n");
    for (arguments, code, problem) in [
        ("--output low.txt", 2, "1 systems: expected from 2 to 26"),
        ("--output low.txt --output low.txt", 2, "low.txt is named twice: name each system once"),
        ("--reference ref.txt", 2, "--output <FILE>"),
        ("--model model --output low.txt", 2, "--reference <FILE>"),
        (
            "--output low.txt --output short.txt",
            1,
            "short.txt: ends, but low.txt, line 1 goes on with \"mckay\"",
        ),
        ("--output low.txt --output none.txt", 1, "none.txt"),
    ] {
        desk.fails(&format!("experiment annotate sheet.csv {arguments}"), code, problem);
    }
    desk.write("copy.txt", LOWER);
    desk.fails(
        "experiment annotate sheet.csv --output low.txt --output copy.txt",
        2,
        "the systems write all words alike: there is nothing to annotate",
    );
    desk.fails(
        "experiment annotate low.txt --force --output low.txt --output title.txt",
        2,
        "both input and output",
    );
    assert!(!desk.path("sheet.csv").exists() && !desk.path("sheet.key.json").exists());
}

#[test]
fn agreement_tells_what_annotators_prefer_and_whether_they_agree() {
    let desk = Desk::with_sheet();
    let (low, title) = (Some("low.txt"), Some("title.txt"));
    desk.fill("ana.csv", &[title, low, title, low]);
    desk.fill("rui.csv", &[title, low, low, low]);
    desk.fill("eva.csv", &[title, None, None, None]);
    let report: Value = serde_json::from_str(
        &desk.succeeds("experiment agreement sheet.key.json ana.csv rui.csv eva.csv --json"),
    )
    .unwrap();
    assert_eq!((&report["choices"], &report["places"]), (&json!(9), &json!(4)));
    assert_eq!(
        (&report["systems"][0]["preferred"], &report["systems"][1]["preferred"]),
        (&json!(5), &json!(4))
    );
    let near = |value: &Value, expected: f64| {
        let found = value.as_f64().unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    };
    near(&report["systems"][0]["fraction"], 5.0 / 9.0);
    // Three pairs of choices for row 1, and one for each other row; the choices for row 3 differ.
    near(&report["agreement"], 5.0 / 6.0);
    // Ana and Rui: 3 of 4 equal. By chance 2/4 * 1/4 + 2/4 * 3/4 = 1/2. (3/4 - 1/2) / (1/2) = 1/2
    near(&report["pairs"][0]["kappa"], 0.5);
    // Ana and Eva both chose title.txt in the only row that both judged: kappa is not defined.
    assert_eq!((&report["pairs"][1]["places"], &report["pairs"][1]["kappa"]), (&json!(1), &Value::Null));
    // One disagreement counts 2; totals 5 and 4: 81 - 25 - 16 = 40. 1 - 8 * 2 / 40 = .6
    near(&report["alpha"], 0.6);
    let page = desk.succeeds("experiment agreement sheet.key.json ana.csv rui.csv eva.csv");
    assert!(
        page.starts_with("9 choices of 3 annotators for 4 of 4 places\n\nsystem     preferred"),
        "{page}"
    );
    assert!(page.ends_with("\nraw agreement: 83.33 %, Krippendorff's alpha (nominal): 0.600\n"), "{page}");
    let page = desk.succeeds("experiment agreement sheet.key.json ana.csv --markdown");
    assert!(page.contains("\n| low.txt | 2 | 50.00 | ["), "{page}");
}

#[test]
fn agreement_refuses_what_is_no_sheet_of_the_key() {
    let desk = Desk::with_sheet();
    desk.fill("ana.csv", &[Some("low.txt"); 4]);
    let filled = desk.read("ana.csv");
    let last = filled.lines().last().unwrap().to_owned();
    let header = "id,context,A,B,choice";
    for (sheet, problem) in [
        (filled.replacen("\n2,", "\n7,", 1), "wrong.csv, line 3: the key has no row \"7\""),
        (format!("{filled}{last}\n"), "wrong.csv, line 6: row 4 occurs twice"),
        (filled.replace(&format!("{last}\r\n"), ""), "wrong.csv: row 4 of the key is missing"),
        (
            filled.replace(&last, &format!("{}Z", &last[..last.len() - 1])),
            "wrong.csv, line 5: the choice \"Z\" of row 4",
        ),
        (filled.replace("bbc,", "bdc,"), "wrong.csv, line 5: variant "),
        (
            filled.replacen(header, "id,context,A,B,answer", 1),
            "wrong.csv, line 1: no column is called choice",
        ),
        (
            "one line of text\n".to_owned(),
            "wrong.csv, line 1: no column is called id (found: one line of text)",
        ),
        (filled.replacen("2,", "\"2,", 1), "wrong.csv, line 3: 1 cells, but the header has 5"),
        (filled.replacen("\n2,", "\n2", 1), "wrong.csv, line 3: 4 cells, but the header has 5"),
    ] {
        desk.write("wrong.csv", &sheet);
        desk.fails("experiment agreement sheet.key.json ana.csv wrong.csv", 1, problem);
    }
    fs::write(desk.path("wrong.csv"), b"PK\x03\x04\xff\xfe").unwrap();
    desk.fails("experiment agreement sheet.key.json wrong.csv", 1, "wrong.csv");
    desk.fails("experiment agreement sheet.key.json none.csv", 1, "none.csv");
    desk.fails("experiment agreement sheet.key.json ana.csv ./ana.csv", 2, "./ana.csv is named twice");
    desk.fails("experiment agreement ana.csv ana.csv", 1, "ana.csv: is not the key of a sheet");
    desk.fails("experiment agreement sheet.key.json sheet.csv", 2, "no choice is filled in");
    desk.fails("experiment agreement sheet.key.json", 2, "<SHEET>");
}
