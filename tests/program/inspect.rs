//! `majuscule inspect`: the settings of a model, the weights of its layers, and a check of its encoder.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

#[cfg(feature = "neural")]
use crate::room::train_bert;
use crate::room::{CORPUS, Room};

#[test]
fn settings_that_made_a_model_stand_in_its_manifest() {
    let room = Room::new();
    room.write("a.txt", CORPUS);
    fs::create_dir(room.path("lists")).unwrap();
    room.write("lists/words.txt", "eBay\n");
    let line = "train majority a.txt --vocabulary 1000 --min-count 1 --lexicon lists/words.txt -o other";
    room.out(line, b"");
    let json: serde_json::Value = serde_json::from_slice(&room.out("inspect other --json", b"")).unwrap();
    let config = serde_json::json!({
        "lexicon": ["words.txt"], "lower_min_count": 0, "min_count": 1, "no_parts": false, "vocabulary": 1000
    });
    assert_eq!(json["settings"], serde_json::json!({ "parts": false, "config": config }));
    assert!(String::from_utf8(room.out("inspect other", b"")).unwrap().contains("\"vocabulary\":1000"));
}

#[cfg(feature = "neural")]
#[test]
fn the_weights_of_layers_are_printed() {
    let room = Room::new();
    room.write("a.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(10));
    train_bert(&room, "a.txt -o tagger");
    let json: serde_json::Value = serde_json::from_slice(&room.out("inspect tagger --json", b"")).unwrap();
    let weight = |layer: usize| json["layers"]["weights"][layer].as_f64().unwrap();
    let centre = json["layers"]["centre_of_gravity"].as_f64().unwrap();
    assert_eq!(json["layers"]["weights"].as_array().unwrap().len(), 3);
    assert!((weight(0) + weight(1) + weight(2) - 1.0).abs() < 1e-6);
    assert!((centre - (weight(1) + 2.0 * weight(2))).abs() < 1e-9);
    assert!((json["layers"]["centre_of_gravity_by_layers"].as_f64().unwrap() - centre / 2.0).abs() < 1e-9);
    let page = String::from_utf8(room.out("inspect tagger", b"")).unwrap();
    assert!(page.contains(&format!("layer 0     {:.4} (embeddings)\n", weight(0))), "{page}");
    assert!(
        page.contains(&format!("centre at layer {centre:.3} of 2: {:.3} of the way up\n", centre / 2.0)),
        "{page}"
    );
}
