//! `restore` reports its certainty: probabilities of words, other ways to write a text, and words
//! in doubt.

use std::fs;
use std::process::Output;

use crate::room::{CORPUS, Room, room_with_context};

#[test]
fn a_model_of_n_grams_says_how_sure_it_is_and_what_else_it_may_be() {
    let room = Room::new();
    room.write("corpus.txt", CORPUS);
    let quiet = |output: Output| {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    quiet(room.run("train hmm corpus.txt -o tagger", b""));
    let config = |model: &str| -> serde_json::Value {
        let manifest: serde_json::Value =
            serde_json::from_str(&room.read(&format!("{model}/majuscule.json"))).unwrap();
        manifest["settings"]["config"].clone()
    };
    assert!(config("tagger")["order"].is_number() && config("tagger")["unknown"] == "guess");
    // The training settings of an existing language model are unknown, and without a corpus no
    // unknown words are guessed.
    quiet(room.run("train hmm --lm tagger/model.lm -o lent", b""));
    quiet(room.run("train hmm --lm tagger/model.lm corpus.txt -o lent-with-text", b""));
    for (model, unknown) in [("lent", "keep"), ("lent-with-text", "guess")] {
        let config = config(model);
        for key in ["order", "smoothing", "min_counts", "vocabulary"] {
            assert!(config.get(key).is_none(), "{model}: {key}");
        }
        assert_eq!(
            (&config["unknown"], &config["lm"]),
            (&serde_json::json!(unknown), &serde_json::json!(["model.lm"]))
        );
        assert_eq!(room.path(model).join("endings.tsv").exists(), unknown == "guess");
    }
    let text = b"the who asked us in lisbon\nwho told us\n";
    let restored = quiet(room.run("restore --model tagger", text));
    assert_eq!(restored, "the WHO asked us in Lisbon\nwho told us\n");
    let forward = quiet(room.run("restore --model tagger --look-ahead 0", text));
    assert_eq!(forward.to_lowercase(), restored.to_lowercase());
    let words = quiet(room.run("restore --model tagger --confidence", text));
    let blocks: Vec<&str> = words.trim_end().split("\n\n").collect();
    assert_eq!(blocks.len(), 2, "{words}");
    let read =
        |line: &str| line.split_once('\t').map(|(word, p)| (word.to_owned(), p.parse::<f64>().unwrap()));
    let first: Vec<(String, f64)> = blocks[0].lines().map(|line| read(line).unwrap()).collect();
    let spelled: Vec<&str> = first.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(spelled, ["the", "WHO", "asked", "us", "in", "Lisbon"]);
    assert!(first.iter().all(|(_, p)| (0.25..=1.0).contains(p)), "{first:?}");
    assert!(first[1].1 < 1.0, "who and WHO were both seen");
    let ways = quiet(room.run("restore --model tagger --n-best 3", text));
    let first: Vec<&str> = ways.split("\n\n").next().unwrap().lines().collect();
    assert_eq!(first.len(), 3, "{ways}");
    assert!(first[0].ends_with("\tthe WHO asked us in Lisbon"), "{ways}");
    // Methods that read their corpus more than once keep input that can be read only once.
    let piped = room.run("train hmm - -o piped", CORPUS.as_bytes());
    assert!(piped.status.success(), "{}", String::from_utf8_lossy(&piped.stderr));
    for file in ["model.lm", "forms.map", "endings.tsv"] {
        let read = |model: &str| fs::read(room.path(model).join(file)).unwrap();
        assert!(read("piped") == read("tagger"), "{file}");
    }
    for (line, says) in [("--n-best 3", "gives no n-best list"), ("--confidence", "no probabilities")] {
        let output = room.run(&format!("restore --model model {line}"), text);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(says));
    }
}

#[test]
fn words_in_doubt_are_left_as_they_are() {
    let room = room_with_context();
    let restored = |line: &str| {
        String::from_utf8(
            room.out(&format!("restore --model tagger {line}"), b"the Who asked in LISBON. told\n"),
        )
        .unwrap()
    };
    assert_eq!(restored("--case ignore"), "The WHO asked in Lisbon. Told\n");
    assert_eq!(restored("--case ignore --threshold 0"), "The WHO asked in Lisbon. Told\n");
    // Lisbon has one known form, and the start of a sentence is certain, but who is in doubt.
    assert_eq!(restored("--case ignore --threshold 1"), "The Who asked in Lisbon. Told\n");
    assert_eq!(restored("--stream --threshold 1"), "the Who asked in Lisbon. Told\n");
    let words = restored("--case ignore --threshold 1 --confidence");
    let (word, probability) = words.lines().nth(1).unwrap().split_once('\t').unwrap();
    assert!(word == "Who" && probability.parse::<f64>().unwrap() < 1.0, "{words}");
}

#[test]
fn words_come_as_json_too() {
    let room = room_with_context();
    let text = b"the who asked us\n\nin lisbon\n";
    for (model, ends) in [("tagger", false), ("ends", true)] {
        let words =
            String::from_utf8(room.out(&format!("restore --model {model} --confidence"), text)).unwrap();
        let json = String::from_utf8(room.out(&format!("restore --model {model} --confidence --json"), text))
            .unwrap();
        let read = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let objects: Vec<_> = json.lines().map(read).collect();
        let lines: Vec<_> = objects.iter().map(|word| word["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, [1, 1, 1, 1, 3, 3]);
        let as_words = objects.iter().map(|word| {
            format!("{}\t{:.4}", word["form"].as_str().unwrap(), word["probability"].as_f64().unwrap())
        });
        assert_eq!(
            as_words.collect::<Vec<_>>(),
            words.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>()
        );
        assert!(objects.iter().all(|word| word["sentence_end"].is_boolean() == ends), "{json}");
        let streamed =
            room.out(&format!("restore --model {model} --stream --look-ahead 9 --confidence --json"), text);
        assert_eq!(String::from_utf8(streamed).unwrap(), json);
    }
}
