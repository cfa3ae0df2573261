//! The command `tagger`, and models that look at parts of speech, run as a user runs them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;
use std::fs;

use crate::command::{fails, out, program};

/// Returns a treebank of sentences whose words have a form and a part of speech each: `rose/NOUN`.
fn treebank(sentences: &[&str]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        for (word, at) in sentence.split(' ').zip(1..) {
            let (form, upos) = word.split_once('/').unwrap();
            writeln!(text, "{at}\t{form}\t_\t{upos}\t_\t_\t_\t_\t_\t_").unwrap();
        }
        text.push('\n');
    }
    text
}

/// Names and nouns that no affix distinguishes: only the word before them does.
const SENTENCES: [&str; 6] = [
    "We/PRON met/VERB with/ADP Rose/PROPN in/ADP Lisbon/PROPN ./PUNCT",
    "We/PRON met/VERB the/DET mayor/NOUN in/ADP Porto/PROPN ./PUNCT",
    "The/DET rose/NOUN grew/VERB in/ADP the/DET garden/NOUN ./PUNCT",
    "She/PRON left/VERB with/ADP Hope/PROPN and/CCONJ Rose/PROPN ./PUNCT",
    "The/DET hope/NOUN grew/VERB with/ADP the/DET rain/NOUN ./PUNCT",
    "A/DET tram/NOUN left/VERB in/ADP the/DET rain/NOUN ./PUNCT",
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("train.conllu", "# newdoc\n".to_owned() + &treebank(&SENTENCES).repeat(20));
    write("test.conllu", treebank(&["The/DET mayor/NOUN met/VERB Rose/PROPN in/ADP Faro/PROPN"]));
    let text = "We met with Rose in Lisbon.\nThe rose grew in the garden.\nShe left with Hope and Rose.\n\
                The hope grew with the rain.\n";
    write("corpus.txt", text.repeat(50));
    write(
        "lost.txt",
        "we met with rose in lisbon\nthe rose grew with the rain\nshe left with hope\n".to_owned(),
    );
    folder
}

#[test]
fn a_tagger_is_trained_and_measured() {
    let folder = folder();
    let at = folder.path();
    out(at, "tagger train train.conllu -o en.tagger --threads 1");
    out(at, "tagger train train.conllu -o again.tagger --threads 2");
    assert!(fs::read(at.join("en.tagger")).unwrap() == fs::read(at.join("again.tagger")).unwrap());
    let table = out(at, "tagger evaluate en.tagger train.conllu");
    assert!(table.contains("accuracy") && table.contains("running text"), "{table}");
    let found: serde_json::Value =
        serde_json::from_str(&out(at, "tagger evaluate en.tagger test.conllu --json")).unwrap();
    assert_eq!((&found["sentences"]["words"], &found["sentences"]["unseen"]), (&6.into(), &1.into()));
    assert!(found["sentences"]["right"].as_u64().unwrap() >= 5, "{found}");
}

#[test]
fn a_model_looks_at_parts_of_speech_without_another_file() {
    let folder = folder();
    let at = folder.path();
    out(at, "tagger train train.conllu -o en.tagger");
    let train = "train maxent --protocol text --bits 12 --epochs 5 --features tags,tags-around --look-ahead 1 corpus.txt";
    out(at, &format!("{train} --tagger en.tagger -o model --pack packed"));
    fs::rename(at.join("en.tagger"), at.join("moved.tagger")).unwrap();
    let restored = out(at, "restore --model model lost.txt");
    let expected = "we met with Rose in Lisbon\nthe rose grew with the rain\nshe left with Hope\n";
    assert_eq!(restored, expected);
    assert_eq!(out(at, "restore --model packed lost.txt --threads 2"), restored);
    let live = program()
        .args(["restore", "--model", "model", "--stream"])
        .current_dir(at)
        .stdin(fs::File::open(at.join("lost.txt")).unwrap())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&live.stdout), expected, "{}", String::from_utf8_lossy(&live.stderr));
}

#[test]
fn words_of_a_treebank_become_a_list() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(out(at, "tagger words train.conllu --kind names"), "Lisbon\nPorto\n");
    out(at, "tagger words train.conllu -o nouns.txt");
    let nouns = fs::read_to_string(at.join("nouns.txt")).unwrap();
    assert_eq!(nouns, "garden\nLisbon\nmayor\nPorto\nrain\ntram\n");
    out(at, "train maxent --bits 12 --list nouns.txt corpus.txt -o model");
}

#[test]
fn what_is_no_treebank_or_no_tagger_is_refused() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("bad.conllu"), "1\tRain\train\tNN\t_\t_\t0\troot\t_\t_\n").unwrap();
    out(at, "train majority corpus.txt -o majority");
    out(at, "tagger train train.conllu -o en.tagger");
    for (line, code, parts) in [
        (
            "tagger train bad.conllu -o x",
            1,
            &["bad.conllu, line 1", "found the part of speech \"NN\"", "NOUN"][..],
        ),
        ("tagger train corpus.txt -o x", 1, &["corpus.txt, line 1: found 1 columns, expected the 10"]),
        ("tagger train gone.conllu -o x", 1, &["cannot open gone.conllu"]),
        ("tagger train train.conllu -o en.tagger", 2, &["en.tagger"]),
        ("tagger train train.conllu -o x --epochs 0", 2, &["0 epochs"]),
        (
            "tagger evaluate majority test.conllu",
            1,
            &["majority: is a majority model, but a tagger made by tagger train is expected"],
        ),
        (
            "train maxent corpus.txt --tagger majority -o x",
            1,
            &["is a majority model, but a tagger made by tagger train is expected"],
        ),
        ("train maxent corpus.txt --features tags -o x", 2, &["the features tags need a file", "--tagger"]),
        ("restore --model en.tagger lost.txt", 1, &["tagger"]),
    ] {
        let (found, message) = fails(at, line);
        assert_eq!(found, code, "{line}: {message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
        assert!(!at.join("x").exists(), "{line}");
    }
}
