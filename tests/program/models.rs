//! `majuscule models`, and built-in models by their names in all verbs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use majuscule_methods::model::FileRecord;

use crate::room::{Room, with_models};
use crate::toy_network;

#[test]
fn models_lists_what_is_here_and_how_to_get_the_rest() {
    let room = Room::new();
    fs::create_dir(room.path("models")).unwrap();
    let bytes = toy_network::in_bytes().pack();
    room.write("models/en.best", &bytes);
    fs::copy(Path::new(crate::ROOT).join("lm/en.ngram"), room.path("models/en.ngram")).unwrap();
    let listed = with_models(&room, "models", "models");
    let list = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.status.success(), "{list}");
    let line = |name: &str| list.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    let crc32 = FileRecord::of("", &bytes).crc32;
    let best = line("en.best ");
    assert!(best.contains(" bert ") && best.contains(&format!("crc32 {crc32}")), "{best}");
    assert!(best.contains("unknown licence") && best.contains("models"), "{best}");
    let ngram = line("en.ngram ");
    assert!(
        ngram.contains(" hmm ") && ngram.contains(" 2.9 MB ") && ngram.contains("CC BY-SA 4.0"),
        "{ngram}"
    );
    assert!(line("nl.accurate ").contains(" cnn-bilstm ") && line("nl.accurate ").contains("LGPL"), "{list}");
    assert!(line("es.fast ").ends_with("built in"), "{list}");
    assert_eq!(line("fr.ngram "), "fr.ngram     missing");
    assert!(list.contains("majuscule compact --pack LANG.PRESET"), "{list}");
    assert!(list.contains(&*room.path("models").to_string_lossy()), "{list}");

    let json = with_models(&room, "models", "models --json --lang en");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let names: Vec<&str> =
        json["models"].as_array().unwrap().iter().filter_map(|model| model["model"].as_str()).collect();
    assert_eq!(names, ["en.accurate", "en.fast", "en.best", "en.ngram"]);
    assert_eq!(json["models"][2]["crc32"], serde_json::json!(crc32));
    assert_eq!(json["models"][2]["licence"], serde_json::Value::Null);
    assert!(json["models"][0]["path"].is_null() && json["folders"][0].is_string());
    room.fails("models --lang ../evil", b"", 2, &["is not a language"]);
}

#[test]
fn the_licences_of_built_in_models_are_those_of_the_table_in_lm() {
    let room = Room::new();
    let table = fs::read_to_string(Path::new(crate::ROOT).join("lm/README.md")).unwrap();
    let list: serde_json::Value = serde_json::from_slice(&room.out("models --json", b"")).unwrap();
    let built_in = |model: &&serde_json::Value| model["preset"] == "accurate" || model["preset"] == "fast";
    let models: Vec<_> = list["models"].as_array().unwrap().iter().filter(built_in).collect();
    assert_eq!(models.len(), 14);
    for model in models {
        let (language, licence) = (model["language"].as_str().unwrap(), model["licence"].as_str().unwrap());
        let row = table.lines().find(|line| line.starts_with(&format!("| `{language}` |"))).unwrap();
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        assert!(cell.starts_with(licence), "{model}: {row}");
    }
}

#[test]
fn every_verb_takes_built_in_models_by_their_names() {
    let room = Room::new();
    room.write(
        "a.txt",
        "We met Zelda here.\nThe man asked Zelda who went.\nThen Zelda and Anna left.\n".repeat(3),
    );
    assert_eq!(room.out("restore --model fast --lang es", b"vive en madrid.\n"), b"Vive en Madrid.\n");
    let scored = room.out("evaluate --model fast --lang en a.txt", b"");
    assert_eq!(scored, room.out("evaluate --preset fast --lang en a.txt", b""));
    for (model, language) in [("accurate", "en"), ("fast --lang pt", "pt")] {
        let inspected = String::from_utf8(room.out(&format!("inspect {model}"), b"")).unwrap();
        assert!(inspected.contains(&format!("language    {language}")), "{inspected}");
    }
    room.out("adapt fast a.txt --bits 12 -o new", b"");
    let restored = room.out("restore --model new", b"and then zelda came.\n");
    assert_eq!(restored, b"And then Zelda came.\n");
    room.out("maxent features a.txt -o rows --dictionary names", b"");
    room.out("maxent weights fast --dictionary names -o weights", b"");
    // A folder with the name of a preset wins over the preset.
    fs::rename(room.path("new"), room.path("accurate")).unwrap();
    assert!(String::from_utf8(room.out("inspect accurate", b"")).unwrap().contains("a.txt"));
}
