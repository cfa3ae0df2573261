//! The verbs that measure, run as a user runs them.
#![cfg(all(feature = "cli", feature = "train"))]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const REFERENCE: &str = "here is an Example of a big SER\nwe met Ada McKay in Rome\n";
const HYPOTHESIS: &str = "here Is an example of a big SER\nwe met Ada Mckay in Rome\n";

fn files(texts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in texts {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn majuscule(folder: &Path, arguments: &str) -> Output {
    let arguments = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_majuscule")).args(arguments).current_dir(folder).output().unwrap()
}

fn json(folder: &Path, arguments: &str) -> Value {
    let output = majuscule(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn score_counts_the_slots_of_a_hypothesis() {
    let folder = files(&[("ref.txt", REFERENCE), ("hyp.txt", HYPOTHESIS)]);
    for protocol in ["susanto", "asr"] {
        let report = json(folder.path(), &format!("score ref.txt hyp.txt --json --protocol {protocol}"));
        // SER, Ada and Rome; McKay; Is; Example.
        let counts =
            ["correct", "substitutions", "insertions", "deletions"].map(|key| report[key].as_u64().unwrap());
        assert_eq!(counts, [3, 1, 1, 1], "{protocol}");
        assert_eq!(report["ser"].as_f64().unwrap(), 3.0 / 5.0);
        assert_eq!(report["classes"]["mixed"]["deletions"], 1);
        assert!(report["signature"].as_str().unwrap().starts_with(&format!("protocol:{protocol}|")));
    }
}

#[test]
fn a_reference_may_come_through_a_pipe() {
    let folder = files(&[("hyp.txt", HYPOTHESIS)]);
    for protocol in ["rei", "asr"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_majuscule"))
            .args(["score", "-", "hyp.txt", "--json", "--protocol", protocol])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(REFERENCE.as_bytes()).unwrap();
        let report: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(
            (report["tokens"].as_u64(), report["correct"].as_u64()),
            (Some(14), Some(3)),
            "{protocol}"
        );
    }
}

#[test]
fn words_that_differ_are_named_and_exit_with_1() {
    let folder = files(&[("ref.txt", REFERENCE), ("hyp.txt", &HYPOTHESIS.replace("Rome", "Turin"))]);
    let output = majuscule(folder.path(), "score ref.txt hyp.txt");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("hyp.txt, line 2: \"Turin\", but ref.txt, line 2 has \"Rome\""), "{error}");
}

#[test]
fn arguments_that_cannot_be_are_named_and_exit_with_2() {
    let folder = files(&[("ref.txt", REFERENCE)]);
    for arguments in [
        "evaluate --lang auto ref.txt",
        "score ref.txt ref.txt --words 3",
        "score - -",
        "score ref.txt ref.txt --protocol none",
        "compare ref.txt --output ref.txt --resamples 0",
    ] {
        let output = majuscule(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(!output.stderr.is_empty(), "{arguments}");
    }
}

#[test]
fn compare_says_which_is_best_and_the_same_every_time() {
    let lower = REFERENCE.to_lowercase();
    let folder = files(&[("ref.txt", REFERENCE), ("a.txt", &lower), ("b.txt", HYPOTHESIS)]);
    let arguments = "compare ref.txt --output a.txt --output b.txt --seed 3 --resamples 100 --json";
    let report = json(folder.path(), arguments);
    assert_eq!(report["best"], "b.txt");
    assert_eq!(report["systems"][0]["ser"], 1.0);
    // 5/5 less 3/5.
    let difference = report["systems"][0]["difference"]["ser"].as_f64().unwrap();
    assert!((difference - 0.4).abs() < 1e-12);
    assert_eq!(json(folder.path(), arguments), report);
}

#[test]
fn models_and_outputs_are_compared_in_one_table() {
    let folder =
        files(&[("train.txt", REFERENCE), ("ref.txt", REFERENCE), ("low.txt", &REFERENCE.to_lowercase())]);
    assert!(
        majuscule(folder.path(), "train majority train.txt --protocol susanto -o model").status.success()
    );
    let compared = "compare ref.txt --model model --output low.txt --protocol susanto --show-differences";
    let report = json(folder.path(), &format!("{compared} --json"));
    assert_eq!((report["best"].as_str(), report["systems"][0]["ser"].as_f64()), (Some("model"), Some(0.0)));
    assert_eq!(
        (report["systems"][1]["name"].as_str(), report["systems"][1]["ser"].as_f64()),
        (Some("low.txt"), Some(1.0))
    );
    assert_eq!(report["differences"]["examples"], 2);
    let page = String::from_utf8(majuscule(folder.path(), compared).stdout).unwrap();
    assert!(page.contains("\nlow.txt    we met *ada* *mckay* in *rome*\n"), "{page}");
    assert!(page.contains("\nmodel      we met Ada McKay in Rome\n"), "{page}");
    let output = majuscule(folder.path(), "compare ref.txt");
    assert_eq!(output.status.code(), Some(2));
    let output = majuscule(folder.path(), "compare - --model model --model model");
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard input can be read only once"));
}

#[test]
fn choices_are_written_as_they_were_scored() {
    let folder = files(&[("train.txt", REFERENCE), ("test.txt", "We met Ada in Turin.\n")]);
    assert!(majuscule(folder.path(), "train majority train.txt -o model").status.success());
    json(folder.path(), "evaluate --model model test.txt --json --choices choices");
    let line = fs::read_to_string(folder.path().join("choices")).unwrap();
    let choices: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(choices["reference"], serde_json::json!(["We", "met", "Ada", "in", "Turin"]));
    assert_eq!(choices["hypothesis"][2], "Ada");
    assert_eq!(choices["hypothesis"][4], "turin");
    assert_eq!(choices["unscored"], serde_json::json!([0]));
}

#[test]
fn evaluate_measures_a_model_on_several_files() {
    let train = "We met Ada in Rome .\nThen Ada went to Rome and may stay .\n".repeat(3);
    let folder = files(&[
        ("train.txt", &train),
        ("one.txt", "We saw Ada .\n"),
        ("two.txt", "He saw Rome and Turin .\n"),
    ]);
    assert!(majuscule(folder.path(), "train majority train.txt -o model").status.success());
    let report =
        json(folder.path(), "evaluate --model model --protocol batista one.txt two.txt --per-file --json");
    // Ada and Rome; Turin was never seen.
    assert_eq!((report["correct"].as_u64(), report["deletions"].as_u64()), (Some(2), Some(1)));
    assert_eq!(report["unseen"]["deletions"], 1);
    assert_eq!(report["seen"]["ser"], 0.0);
    assert_eq!(report["files"][0]["file"], "one.txt");
    assert_eq!(report["files"][0]["ser"], 0.0);
    assert_eq!(report["words"][0]["reference"], "Turin");
    assert_eq!(report["sentence_ends"], Value::Null);
    let page = String::from_utf8(majuscule(folder.path(), "evaluate --model model one.txt").stdout).unwrap();
    assert!(page.contains("\nin the model ") && page.contains("\nnot in the model "), "{page}");
}

#[test]
fn the_files_add_up_to_the_total() {
    // Only the second file shows that A may be an article.
    let folder = files(&[("one.txt", "A dog ran.\n"), ("two.txt", "We saw a cat.\nWe met Ada.\n")]);
    assert!(majuscule(folder.path(), "train majority two.txt -o model").status.success());
    for protocol in ["text", "batista", "rei", "susanto", "asr"] {
        let arguments =
            format!("evaluate --model model --protocol {protocol} one.txt two.txt --per-file --json");
        let report = json(folder.path(), &arguments);
        let files = report["files"].as_array().unwrap();
        for figure in ["tokens", "correct", "insertions", "deletions", "substitutions"] {
            let sum: u64 = files.iter().map(|file| file[figure].as_u64().unwrap()).sum();
            assert_eq!(report[figure].as_u64(), Some(sum), "{protocol}, {figure}");
        }
    }
}

#[test]
fn files_without_a_word_to_score_are_named_and_exit_with_1() {
    let folder = files(&[("ref.txt", REFERENCE), ("none.txt", "...\n\n"), ("single.txt", "Yes.\nNo!\n")]);
    assert!(majuscule(folder.path(), "train majority ref.txt -o model").status.success());
    for (arguments, named) in [
        (
            "evaluate --model model none.txt single.txt --protocol rei",
            "none.txt and 1 more: holds no words to score: ",
        ),
        (
            "evaluate --model model none.txt --protocol asr",
            "none.txt: holds no words to score: expected, under asr:200, text",
        ),
        ("score single.txt single.txt --protocol text", "single.txt: holds no words to score: "),
        ("compare none.txt --output none.txt --protocol susanto", "none.txt: holds no words to score: "),
    ] {
        let output = majuscule(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with(&format!("majuscule: {named}")), "{error}");
    }
    assert!(majuscule(folder.path(), "evaluate --model model none.txt ref.txt --per-file").status.success());
}

#[test]
fn what_counts_by_default_is_what_is_trained_on_by_default() {
    let folder = files(&[("ref.txt", REFERENCE), ("hyp.txt", HYPOTHESIS)]);
    assert!(majuscule(folder.path(), "train majority ref.txt -o model").status.success());
    for verb in [
        "evaluate --model model ref.txt",
        "score ref.txt hyp.txt --top 1",
        "compare ref.txt --output hyp.txt",
    ] {
        let report = json(folder.path(), &format!("{verb} --json"));
        assert!(report["signature"].as_str().unwrap().starts_with("protocol:text|"), "{verb}");
        if verb.starts_with("score") {
            assert_eq!(report["words"].as_array().unwrap().len(), 1);
        }
    }
    let page = String::from_utf8(majuscule(folder.path(), "score ref.txt hyp.txt").stdout).unwrap();
    assert!(page.contains("most frequent errors"), "{page}");
    let error = majuscule(folder.path(), "evaluate --lang auto ref.txt").stderr;
    assert!(String::from_utf8(error).unwrap().contains("--lang auto: one model"));
}
