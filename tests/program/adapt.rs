//! `majuscule adapt`: a model learns a small text.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

#[cfg(feature = "neural")]
use crate::room::train_bert;
use crate::room::{CORPUS, Room};

#[test]
fn a_model_of_maxent_takes_new_words_from_a_small_text() {
    let room = Room::new();
    room.write("a.txt", CORPUS.repeat(20));
    room.write("b.txt", "We met Zelda here.\nThe man asked Zelda who went.\nThen Zelda and Anna left.\n");
    room.out("train maxent --protocol text --bits 12 --size 60kB a.txt -o old --pack old.packed", b"");
    assert!(fs::metadata(room.path("old.packed")).unwrap().len() <= 60_000);
    room.out("adapt old.packed b.txt --bits 12 -o new --pack new.packed", b"");
    for model in ["new", "new.packed"] {
        let restored = room.out(&format!("restore --model {model}"), b"we saw zelda in lisbon\n");
        assert_eq!(String::from_utf8(restored).unwrap(), "we saw Zelda in Lisbon\n");
    }
    let manifest = room.read("new/majuscule.json");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["trained_on"]["files"], serde_json::json!(["a.txt", "b.txt"]));
    assert_eq!(manifest["settings"]["adapted"][0]["protocol"], "text");
    assert_eq!(manifest["settings"]["config"]["size"], "60kB");
    room.fails(
        "adapt model b.txt -o third",
        b"",
        1,
        &["majority", "only models of maxent, bert and cnn-bilstm"],
    );
    room.fails("adapt old b.txt --lang tr -o third", b"", 2, &["\"tr\"", "--lang"]);
    room.fails("adapt old b.txt --protocol asr -o third", b"", 2, &["--protocol asr", "hides"]);
    room.fails("adapt old b.txt --variance -1 -o third", b"", 2, &["--variance -1"]);
    room.fails("adapt old b.txt --variance NaN -o third", b"", 2, &["--variance NaN"]);
    room.fails("adapt old b.txt --epochs many -o third", b"", 2, &["many", "--epochs"]);
    room.fails("adapt old - -o third", b"\n", 1, &["has no words"]);
    room.fails("adapt old b.txt -o old --force", b"", 2, &["old"]);
    room.fails(
        "train maxent a.txt --size 2kB -o third",
        b"",
        2,
        &["--size 2kB", "a model without features already takes"],
    );
    room.fails("train maxent a.txt --size 2apples -o third", b"", 2, &["2apples", "500kB"]);
}

#[cfg(feature = "neural")]
#[test]
fn a_model_of_bert_is_adapted_with_options_of_its_own() {
    let room = Room::new();
    room.write(
        "a.txt",
        "the minister of Anna met us in Lisbon\nwho said to us in York with the minister\n".repeat(10),
    );
    room.write(
        "b.txt",
        "who met the Minister of McBride with Anna\nthe NATO said to the Minister in York\n".repeat(10),
    );
    train_bert(&room, "a.txt -o old");
    let adapt = "adapt old b.txt --epochs 30 --held-out 0 --warm-up 3 --protocol asr:9";
    room.out(&format!("{adapt} -o new --checkpoint kept --log log"), b"");
    assert!(!room.path("kept").exists() && room.read("log").contains("\"loss\""));
    let text = b"who met the minister of mcbride with anna\n";
    let restored =
        |model: &str| String::from_utf8(room.out(&format!("restore --model {model}"), text)).unwrap();
    assert!(restored("old").contains("the minister of mcbride"));
    assert_eq!(restored("new"), "who met the Minister of McBride with Anna\n");
    let manifest: serde_json::Value = serde_json::from_slice(&room.out("inspect new --json", b"")).unwrap();
    assert_eq!(manifest["trained_on"]["files"], serde_json::json!(["a.txt", "toy-bert", "b.txt"]));
    let adapted = &manifest["settings"]["adapted"][0];
    assert_eq!((&adapted["files"][0], &adapted["protocol"]), (&"b.txt".into(), &"asr:9".into()));
    // Settings that are not given keep the values of the first training.
    assert_eq!(
        [&adapted["rate"], &adapted["head_rate"]],
        [&serde_json::json!(0.003), &serde_json::json!(0.01)]
    );
    assert_eq!([&adapted["epochs"], &adapted["batch"]], [&serde_json::json!(30), &serde_json::json!(8)]);
    assert_eq!(
        (&manifest["settings"]["runs_on"], &manifest["settings"]["config"]["epochs"]),
        (&true.into(), &30.into())
    );
    let refused =
        |line: &str, parts: &[&str]| room.fails(&format!("adapt old b.txt {line} -o third"), b"", 2, parts);
    refused("--variance 1", &["--variance is for models of maxent, but this is a bert model"]);
    refused("--rate small", &["small", "--rate"]);
    refused("--dropout 1", &["--dropout 1"]);
    refused("--checkpoint-every 7", &["--checkpoint"]);
    room.out("train maxent --bits 12 a.txt -o other", b"");
    room.fails(
        "adapt other b.txt --decay -o third",
        b"",
        2,
        &["--decay is for models of bert", "a maxent model"],
    );
}
