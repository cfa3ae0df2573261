//! The verbs that measure, run as a user runs them.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{run as majuscule, run_with_input};
use crate::room::Room;

const REFERENCE: &str = "here is an Example of a big SER\nwe met Ada McKay in Rome\n";
const HYPOTHESIS: &str = "here Is an example of a big SER\nwe met Ada Mckay in Rome\n";

fn files(texts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in texts {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
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
        // The slots SER, Ada and Rome are correct; McKay is substituted, Is
        // inserted, and Example deleted.
        let counts =
            ["correct", "substitutions", "insertions", "deletions"].map(|key| report[key].as_u64().unwrap());
        assert_eq!(counts, [3, 1, 1, 1], "{protocol}");
        assert_eq!(report["ser"].as_f64().unwrap(), 3.0 / 5.0);
        assert_eq!(report["classes"]["mixed"]["deletions"], 1);
        assert!(report["signature"].as_str().unwrap().starts_with(&format!("protocol:{protocol}|")));
    }
}

#[test]
fn marks_and_capitals_of_any_system_are_scored_together() {
    let reference = "Well, we met Ana.\nDid she leave?\nYes!\n";
    let folder = files(&[
        ("ref.txt", reference),
        ("hyp.txt", "Well we met ana, did she leave. Yes."),
        ("none.txt", "well we met ana did she leave yes"),
    ]);
    let report = json(folder.path(), "score ref.txt hyp.txt --json --protocol iwslt");
    let counts = |report: &Value| {
        ["correct", "substitutions", "insertions", "deletions"].map(|key| report[key].as_u64().unwrap())
    };
    // The comma is missing, a full stop is a comma, a question mark is a full stop; yes is right.
    assert_eq!(counts(&report["marks"]["micro"]), [1, 2, 0, 1]);
    assert_eq!(report["marks"]["classes"][1]["mark"], "period");
    assert_eq!(report["marks"]["confusion"][2], serde_json::json!([0, 1, 1, 0]));
    assert_eq!(counts(&report["sentence_ends"]), [2, 0, 0, 1]);
    // Well and Yes have their capitals, Ana and Did do not.
    assert_eq!(counts(&report), [2, 0, 0, 2]);
    let report = json(folder.path(), "score ref.txt none.txt --json --protocol iwslt");
    assert_eq!((&report["marks"]["micro"]["f"], &report["marks"]["macro_f"]), (&0.0.into(), &0.0.into()));
    assert!(json(folder.path(), "score ref.txt hyp.txt --json --protocol asr").get("marks").is_none());
    let output = majuscule(folder.path(), "score ref.txt hyp.txt --protocol iwslt");
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(
        page.contains("\nF of marks: micro 28.57 %, macro 16.67 %, macro with no mark as a class 34.72 %\n"),
        "{page}"
    );
    let page =
        json(folder.path(), "compare ref.txt --output hyp.txt --output none.txt --json --protocol iwslt");
    assert_eq!(
        page["systems"].as_array().unwrap().iter().map(counts).collect::<Vec<_>>(),
        [[1, 2, 0, 1], [0, 0, 0, 4]]
    );
}

#[test]
fn sentence_ends_are_scored_only_where_examples_do_not_show_them() {
    let folder = files(&[("text.txt", "We met Ana in Lisbon.\nShe told us that the train was late.\n")]);
    for protocol in ["text", "batista", "rei", "susanto"] {
        let report =
            json(folder.path(), &format!("evaluate text.txt --lang en --json --protocol {protocol}"));
        assert_eq!(report["sentence_ends"], Value::Null, "{protocol}");
    }
    for protocol in ["asr", "iwslt", "segments"] {
        let report =
            json(folder.path(), &format!("evaluate text.txt --lang en --json --protocol {protocol}"));
        assert!(report["sentence_ends"]["correct"].as_u64() > Some(0), "{protocol}");
    }
}

#[test]
fn a_model_without_marks_is_named_where_marks_are_compared() {
    let folder = files(&[("ref.txt", "Well, we met in Lisbon.\n")]);
    assert!(majuscule(folder.path(), "train majority ref.txt -o plain").status.success());
    let output = majuscule(folder.path(), "compare ref.txt --model plain --protocol iwslt");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains(
            "plain: the model does not insert punctuation marks, but the protocol iwslt scores them"
        ),
        "{error}"
    );
}

#[test]
fn marks_of_recognised_words_are_aligned() {
    let said = "talk 1 ana 0 9 Well, we met Ana. Did she leave?\n";
    let heard = "talk 1 0 1 well\ntalk 1 1 1 we,\ntalk 1 2 1 met\ntalk 1 3 1 Anna.\ntalk 1 4 1 Did\ntalk 1 5 1 she\ntalk 1 6 1 leave.\ntalk 1 7 1 now?\n";
    let folder = files(&[("said.stm", said), ("heard.ctm", heard)]);
    let report = json(folder.path(), "score --align said.stm heard.ctm --json --protocol iwslt");
    let micro = &report["marks"]["micro"];
    let counts =
        ["correct", "substitutions", "deletions", "insertions"].map(|key| micro[key].as_u64().unwrap());
    // The full stop after Anna is right, the one after leave is wrong, the comma after well is
    // missing, and that after we and the mark after now are too many.
    assert_eq!(counts, [1, 1, 1, 2]);
    assert_eq!(report["punctuation_error_rate"], 4.0 / 5.0);
    assert!(report["signature"].as_str().unwrap().starts_with("protocol:iwslt|"));
    let output = majuscule(folder.path(), "score --align said.stm heard.ctm --protocol iwslt");
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nPER: 80.00 %\n"));
    let report = json(folder.path(), "score --align said.stm heard.ctm --json");
    assert_eq!(report, json(folder.path(), "score --align said.stm heard.ctm --json --protocol asr"));
    assert!(report.get("marks").is_none() && report.get("punctuation_error_rate").is_none());
}

#[test]
fn files_of_labels_are_references_of_marks() {
    let labels = "well\tCOMMA\nwe\tO\n'll\tO\ngo\tPERIOD\ndo\tO\nn't\tQUESTION\n";
    let sepp = "well\t0\t,\nwe'll\t0\t0\ngo\t1\t.\ndon't\t1\t?\n";
    let folder = files(&[
        ("labels", labels),
        ("sepp", sepp),
        ("hyp.txt", "well, we'll go, don't?"),
        ("bad", "go\tO\nnow\tSTOP\n"),
        ("short", "go\tO\nnow\n"),
    ]);
    for reference in ["labels", "sepp"] {
        let report = json(folder.path(), &format!("score {reference} hyp.txt --json --protocol iwslt"));
        let micro = &report["marks"]["micro"];
        assert_eq!(
            [&micro["correct"], &micro["substitutions"], &micro["deletions"]],
            [2, 1, 0],
            "{reference}"
        );
        assert_eq!((&report["sentence_ends"]["correct"], &report["tokens"]), (&1.into(), &4.into()));
    }
    let output = majuscule(folder.path(), "score labels hyp.txt --protocol iwslt");
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("\nthe reference has no capitals: case is not scored\n"), "{page}");
    assert!(page.contains("\nsentence ends ") && !page.contains("all words"), "{page}");
    for (file, problem) in [
        ("bad", "bad, line 2, column 5: found the label \"STOP\", but one of O, COMMA, PERIOD,"),
        ("short", "short, line 2, column 4: found 1 column, but a line is expected to be a word, a tab"),
    ] {
        let output = majuscule(folder.path(), &format!("score {file} hyp.txt --protocol iwslt"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn a_reference_may_come_through_a_pipe() {
    let folder = files(&[("hyp.txt", HYPOTHESIS)]);
    for protocol in ["rei", "asr"] {
        let args = ["score", "-", "hyp.txt", "--json", "--protocol", protocol];
        let output = run_with_input(folder.path(), &args, REFERENCE.as_bytes());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
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
    // The difference of 5/5 and 3/5.
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
fn compare_groups_errors_by_the_kind_of_word() {
    let reference = "The President of NATO met Jean-Paul Reis in Xyz\n";
    let folder = files(&[
        ("train.txt", "We met Jean-Paul Reis , the President of NATO in Porto\n"),
        ("ref.txt", reference),
        ("low.txt", &reference.to_lowercase()),
        ("title.txt", "The President Of Nato Met Jean-paul Reis In Xyz\n"),
    ]);
    assert!(
        majuscule(folder.path(), "train majority train.txt --protocol susanto -o model").status.success()
    );
    let outputs = "compare ref.txt --output low.txt --output title.txt --protocol susanto --show-differences";
    let report = json(folder.path(), &format!("{outputs} --json"));
    let kinds = report["differences"]["kinds"].as_array().unwrap();
    let row = |kind: &Value| {
        (kind["kind"].clone(), kind["words"].clone(), kind["errors"].clone(), kind["alone_right"].clone())
    };
    let expected = serde_json::json!([
        ["sentence_start", 1, [1, 0], [0, 1]],
        ["acronym", 1, [1, 1], [0, 0]],
        ["hyphen", 1, [1, 1], [0, 0]],
        ["office", 1, [1, 0], [0, 1]],
        ["name", 2, [2, 0], [0, 2]],
        // of met in
        ["other", 3, [0, 3], [3, 0]],
    ]);
    let found: Vec<Value> = kinds.iter().map(|kind| serde_json::json!(row(kind))).collect();
    assert_eq!(Value::from(found), expected);
    assert_eq!(report["differences"]["has_vocabulary"], false);
    assert_eq!(
        kinds[1]["examples"][0],
        serde_json::json!({
            "context": "The President of [NATO] met Jean-Paul Reis in",
            "reference": "NATO",
            "hypotheses": ["nato", "Nato"],
        })
    );
    let page = String::from_utf8(majuscule(folder.path(), outputs).stdout).unwrap();
    assert!(page.contains("\n\noutputs come without a vocabulary"), "{page}");
    assert!(
        page.contains("\noffice:\n  The [President] of NATO met Jean-Paul  reference: President, "),
        "{page}"
    );
    assert!(page.contains("\n1 examples are written differently:\n"), "{page}");
    // A model has a vocabulary, and Xyz is not in it.
    let report = json(folder.path(), &format!("{outputs} --model model --json"));
    let unknown = &report["differences"]["kinds"][4];
    assert_eq!((&unknown["kind"], &unknown["words"]), (&"unknown_word".into(), &1.into()));
    assert_eq!(unknown["errors"], serde_json::json!([1, 1, 0]));
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
    // Ada and Rome are correct; Turin is not in the training text.
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
fn speakers_and_categories_are_scored_by_themselves() {
    let said = "\
talk 1 ana 0.0 1.0 <o,f0,female> We met Ada\n\
talk 1 bo 1.0 2.0 <o,f1,male> in Turin or Rome\n\
talk 1 ana 2.0 3.0 <o,f0,female> Then Rome\n";
    let call = "\
token|speaker|punctuation\n\
Rome|0|.\n\
in|1|\n\
Turin|1|\n\
and|0|\n\
Ada|0|.\n";
    let folder = files(&[
        ("train.txt", "We met Ada in Rome .\nThen Ada may stay .\n"),
        ("a.stm", said),
        ("b.nlp", call),
    ]);
    assert!(majuscule(folder.path(), "train majority train.txt -o model").status.success());
    let found = |arguments: &str, kind: &str| -> Vec<(String, u64, u64)> {
        let report = json(folder.path(), &format!("evaluate --model model {arguments} --json"));
        let parts = report[kind].as_array().map_or(&[][..], Vec::as_slice);
        let of = |part: &Value, key: &str| part[key].as_u64().unwrap();
        let line = |part: &Value| {
            (part["name"].as_str().unwrap().to_owned(), of(part, "correct"), of(part, "deletions"))
        };
        parts.iter().map(line).collect()
    };
    let line = |name: &str, correct, deletions| (name.to_owned(), correct, deletions);
    assert_eq!(found("a.stm --per-speaker", "speakers"), [line("ana", 2, 0), line("bo", 1, 1)]);
    assert_eq!(
        found("a.stm --per-category", "categories"),
        [line("o", 3, 1), line("f0", 2, 0), line("female", 2, 0), line("f1", 1, 1), line("male", 1, 1)]
    );
    // First words of sentences do not count. Numbers of speakers are valid within a file.
    assert_eq!(
        found("b.nlp a.stm --per-speaker", "speakers"),
        [line("b.nlp 0", 1, 0), line("b.nlp 1", 0, 1), line("a.stm ana", 2, 0), line("a.stm bo", 1, 1)]
    );
    assert_eq!(found("b.nlp --per-file", "speakers"), []);
    let page = majuscule(folder.path(), "evaluate --model model a.stm --per-speaker --per-category").stdout;
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("\nspeaker ") && page.contains("\ncategory ") && page.contains("\nbo "), "{page}");
    let none = majuscule(folder.path(), "evaluate --model model train.txt --per-speaker");
    assert!(none.status.success());
    let told = String::from_utf8(none.stderr).unwrap();
    assert!(told.contains("there is no speaker to score by itself in train.txt"), "{told}");
    for (arguments, said) in
        [("- --per-category", "--per-category reads each file twice"), ("cut.stm --per-speaker", "cut.stm")]
    {
        fs::write(folder.path().join("cut.stm"), "talk 1 ana 0.0 1.0 We met\ntalk 1 ana 2.0").unwrap();
        let output = majuscule(folder.path(), &format!("evaluate --model model {arguments}"));
        assert!(!output.status.success());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn files_without_a_word_to_score_are_named_and_exit_with_1() {
    let folder = files(&[("ref.txt", REFERENCE), ("none.txt", "...\n\n"), ("single.txt", "Yes.\nNo!\n")]);
    assert!(majuscule(folder.path(), "train majority ref.txt -o model").status.success());
    for (arguments, named) in [
        (
            "evaluate --model model none.txt single.txt --protocol rei",
            "none.txt and 1 more: contains no words to score: ",
        ),
        (
            "evaluate --model model none.txt --protocol asr",
            "none.txt: contains no words to score: expected, under asr:200, text",
        ),
        ("score single.txt single.txt --protocol text", "single.txt: contains no words to score: "),
        ("compare none.txt --output none.txt --protocol susanto", "none.txt: contains no words to score: "),
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
    assert!(String::from_utf8(error).unwrap().contains("--lang auto cannot be used, since one model"));
}

const SAID: &str = "call 1 ana 0 2 <o,f0> We met Ada McKay { in / at } Rome.\ncall 1 rui 2 3 Who?\n";

/// Returns the recogniser's output, with the given capitals: we met Ada Mackay Rome uh who.
fn heard(words: [&str; 7]) -> String {
    let rows = words.iter().enumerate();
    // The first five words are in the first segment of the reference.
    rows.map(|(i, word)| format!("call A {:.1} 0.5 {word} 0.9\n", 0.4 * i as f64)).collect()
}

#[test]
fn recogniser_output_is_scored_through_an_alignment() {
    let hypothesis = heard(["We", "met", "ada", "MacKay", "Rome", "Uh", "who"]);
    let folder =
        files(&[("said/call.stm", SAID), ("heard/call.ctm", &hypothesis), ("heard/other.txt", "No")]);
    for arguments in
        ["score --align said heard --json", "score --align said/call.stm heard/call.ctm --per-file --json"]
    {
        let report = json(folder.path(), arguments);
        // Of seven words, Mackay is a substitution, uh an insertion, and one
        // of McKay and in a deletion.
        assert_eq!(report["word_errors"]["rate"].as_f64().unwrap(), 3.0 / 7.0);
        let counts = ["correct", "substitutions", "insertions", "deletions"];
        // We and Rome are correct. MacKay, which one of the equally good alignments pairs with in,
        // and Uh are insertions. McKay, Ada and Who are deletions.
        assert_eq!(counts.map(|key| report[key].as_u64().unwrap()), [2, 0, 2, 3]);
        assert_eq!(counts.map(|key| report["recognised"][key].as_u64().unwrap()), [2, 0, 0, 2]);
        assert_eq!(counts.map(|key| report["misrecognised"][key].as_u64().unwrap()), [0, 0, 1, 0]);
        assert!(report["signature"].as_str().unwrap().contains("|aligned:edit-distance|"));
    }
    let page = String::from_utf8(majuscule(folder.path(), "score --align said heard").stdout).unwrap();
    assert!(
        page.contains("\nWER: 42.86 %, of 7 words 5 recognised, 1 misrecognised, 1 deleted; 1 inserted\n"),
        "{page}"
    );
    assert!(page.ends_with("\nleft out: heard/other.txt, which has no reference\n"), "{page}");
}

#[test]
fn a_model_capitalizes_what_a_recogniser_heard() {
    let hypothesis = heard(["WE", "MET", "ADA", "MACKAY", "ROME", "UH", "WHO"]);
    let train = "We met Ada in Rome .\nThen Ada went to Rome .\n".repeat(3);
    let folder = files(&[("train.txt", &train), ("said.stm", SAID), ("heard.ctm", &hypothesis)]);
    assert!(majuscule(folder.path(), "train majority train.txt -o model").status.success());
    let report = json(folder.path(), "evaluate --model model said.stm --align heard.ctm --json");
    // Ada and Rome are correct; We, Who and McKay stay in lower case.
    assert_eq!(
        (&report["correct"], &report["deletions"], &report["insertions"]),
        (&2.into(), &3.into(), &0.into())
    );
    let page =
        majuscule(folder.path(), "evaluate --model model said.stm --align heard.ctm --per-file --markdown");
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains("\n| heard.ctm | 7 | 42.86 | 85.71 | 5 |"), "{page}");
}

#[test]
fn what_cannot_be_aligned_is_named() {
    let folder = files(&[
        ("said.stm", SAID),
        ("said/call.stm", SAID),
        ("heard/other.txt", "no"),
        ("other.trn", "They left (rui-1)\n"),
        ("cut.ctm", "call A 0 0.5 we\ncall A 1 0"),
        ("cut.trn", "We met (ana-1)\nAda (an"),
    ]);
    for (arguments, code, problem) in [
        (
            "score --align said heard",
            2,
            "said and heard have nothing in common: expected files with the same names",
        ),
        ("score --align said said.stm", 2, "said is a folder, but said.stm is not: "),
        (
            "score --align said.stm cut.ctm",
            1,
            "cut.ctm, line 2, column 11: found 4 fields, but a line is expected to be ",
        ),
        ("score --align said.stm cut.trn", 1, "cut.trn, line 2, column 5: found \"(an\" at its end, but "),
        (
            "evaluate said.stm other.trn --align cut.ctm",
            2,
            "--align: 2 corpora are named, but a hypothesis has one reference",
        ),
        (
            "score --align said.stm cut.ctm --protocol rei",
            2,
            "--align pairs words as under asr, which rei does not allow",
        ),
        (
            "score --align said.stm cut.ctm --protocol segments",
            2,
            "or name one that scores punctuation, such as iwslt",
        ),
        ("score said.stm cut.ctm --per-file", 2, "--align"),
    ] {
        let output = majuscule(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(problem), "{error}");
    }
    // An output that is wrong in every word still gets a score.
    let page =
        String::from_utf8(majuscule(folder.path(), "score --align said.stm other.trn").stdout).unwrap();
    assert!(page.contains("\nWER: 100.00 %, of 7 words 0 recognised, "), "{page}");
}

#[test]
fn every_format_is_trained_on_and_scored_as_its_text_is() {
    let words = |row: fn(usize, &str) -> String| -> String {
        let of =
            |(n, line): (usize, &str)| line.split(' ').map(|word| row(n, word)).collect::<String>() + "\n";
        SPEECH.lines().enumerate().map(of).collect()
    };
    let lines = |row: fn(usize, &str) -> String| -> String {
        SPEECH.lines().enumerate().map(|(n, line)| row(n, line)).collect()
    };
    // Each sentence spans two cues.
    let cues = |mark: char| -> String {
        let cue = |n: usize, text: &str| format!("{n}\n00:00:01{mark}000 --> 00:00:02{mark}000\n{text}\n\n");
        let two = |(n, line): (usize, &str)| {
            let (head, tail) = line.split_at(line.find(" saw").unwrap());
            cue(2 * n, &format!("<i>{head}</i>")) + &cue(2 * n + 1, tail)
        };
        SPEECH.lines().enumerate().map(two).collect()
    };
    let segments = lines(|_, line| format!("{{\"text\": \" {line}\"}},"));
    let folder = files(&[
        ("said.txt", SPEECH),
        ("said.srt", &cues(',')),
        ("said.vtt", &format!("WEBVTT\n\n{}", cues('.'))),
        ("said.json", &format!("{{\"segments\": [{}]}}", segments.trim_end_matches(','))),
        ("said.jsonl", &lines(|n, line| format!("{{\"n\": {n}, \"result\": {{\"text\": \"{line}\"}}}}\n"))),
        ("said.conllu", &words(|_, word| format!("1\t{word}\t_\t_\t_\t_\t_\t_\t_\t_\n"))),
        ("said.ctm", &words(|n, word| format!("talk{n} 1 0 1 {word}\n"))),
        ("said.stm", &lines(|n, line| format!("talk 1 ana {n} {n}.5 <o> {line}\n"))),
        ("said.tsv", &format!("result.text\tn\n{}", lines(|n, line| format!("{line}\t{n}\n")))),
    ]);
    let out = |arguments: &str| {
        let output = majuscule(folder.path(), arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let made = |name: &str| {
        let file = format!("{name} --field {}", if name.ends_with("conllu") { "2" } else { "result.text" });
        out(&format!("train majority {file} -o model-{name} --force"));
        let mut figures = Vec::new();
        for protocol in ["text", "batista", "rei"] {
            let evaluate = format!("evaluate --model model-said.txt --protocol {protocol} --json {file}");
            figures.push(json(folder.path(), &evaluate));
            let model = format!("evaluate --model model-{name} --protocol {protocol} --json said.txt");
            figures.push(json(folder.path(), &model));
        }
        for report in &mut figures {
            report["signature"] = Value::Null;
        }
        let stats = out(&format!("corpus stats {file}"));
        // Each recording of a CTM file is scored by itself.
        if name != "said.ctm" {
            let aligned = json(folder.path(), &format!("score --align said.txt {file} --json"));
            assert_eq!(
                (&aligned["word_errors"]["rate"], &aligned["ser"]),
                (&0.0.into(), &0.0.into()),
                "{name}"
            );
        }
        let lexicon = out(&format!("lexicon build {file}"));
        out(&format!("lm train {file} --order 2 --smoothing witten-bell --force -o lm.arpa"));
        let shown = |text: String| text.replace(name, "FILE");
        let model = fs::read_to_string(folder.path().join("lm.arpa")).unwrap();
        (figures, shown(stats), shown(lexicon), model)
    };
    let text = made("said.txt");
    assert!(text.0[0]["correct"].as_u64() > Some(5), "{:?}", text.0[0]);
    for name in
        ["said.srt", "said.vtt", "said.json", "said.jsonl", "said.conllu", "said.ctm", "said.stm", "said.tsv"]
    {
        assert_eq!(made(name), text, "{name}");
    }
}

const SPEECH: &str = "The minister saw Ana Reis of NATO in Porto.\n\
                      In Lisbon we saw the iPhone of Ana Reis.\n\
                      Then Rui saw that NATO had left Porto.\n\
                      In May Rui McKay saw us in Lisbon.\n";

#[test]
fn recognisers_are_compared_on_folders_in_one_run() {
    let folder = files(&[
        ("ref/a.txt", "We met Ana Reis. She left."),
        ("good/a.txt", "We met Ana Reis. she left."),
        ("bad/a.txt", "we met ana rice she left"),
    ]);
    let arguments = "compare ref --align --output good --output bad --csv a.csv --latex a.tex --json";
    let report = json(folder.path(), arguments);
    let measured: Vec<_> = report["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["measured"].as_str().unwrap())
        .collect();
    let expected = ["words", "capitals", "capitals_of_recognised", "marks", "sentence_ends"];
    assert_eq!(measured, expected);
    // One of six words is misrecognised.
    assert_eq!(report["tables"][0]["systems"][1]["wer"], 1.0 / 6.0);
    let csv = fs::read_to_string(folder.path().join("a.csv")).unwrap();
    assert!(csv.contains("\nSentence ends,bad,recall,0,"), "{csv}");
    let latex = fs::read_to_string(folder.path().join("a.tex")).unwrap();
    assert!(latex.contains("\\caption{Punctuation marks}") && latex.contains("\\bottomrule"), "{latex}");
    // Existing files are not replaced.
    let again = majuscule(folder.path(), arguments);
    assert!(!again.status.success());
}

#[test]
fn evaluate_takes_what_restore_puts_on_top() {
    let room = Room::new();
    room.write("text.txt", "We told Ana. Then iPods sang.\n");
    room.write("my.words", "Ana\niPods\n");
    let slots = |options: &str| {
        let out =
            room.out(&format!("evaluate --model model --json {options} text.txt").replace("  ", " "), b"");
        let page: Value = serde_json::from_slice(&out).unwrap();
        page["correct"].as_u64().unwrap()
    };
    assert_eq!(slots(""), 0);
    assert_eq!(slots("--words my.words"), 2);
    assert_eq!(slots("--words my.words --sentence-start auto"), 3);
}
