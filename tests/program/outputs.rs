//! Outputs of all verbs: never over an input, never over a file without `--force`, and no longer than
//! somebody reads them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::Read;

use crate::command::{program, spawn};
use crate::room::{Room, TRAINED};

#[test]
fn an_output_that_is_an_input_is_refused_and_both_stay() {
    let room = Room::new();
    room.write("a.txt", "bbc\n").write("words.txt", "eBay\n");
    let both = ["is both input and output", "name another"];
    room.fails("restore --model model a.txt -o a.txt", b"", 2, &both);
    room.fails("restore --model model - a.txt -o ./model/../a.txt", b"", 2, &both);
    room.fails("restore --model model --words words.txt -o words.txt", b"", 2, &both);
    room.fails("train majority a.txt --pack a.txt", b"", 2, &both);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.txt", room.path("link.txt")).unwrap();
        room.fails("restore --model model a.txt -o link.txt", b"", 2, &both);
    }
    let packed = fs::read(TRAINED.join("model.packed")).unwrap();
    room.write("m.packed", &packed).write("counts.txt", "eBay\n");
    room.fails("restore --model m.packed a.txt -o m.packed", b"", 2, &both);
    room.fails("restore --model model a.txt -o model/words.bin", b"", 2, &both);
    room.fails("train majority --lexicon counts.txt --pack counts.txt", b"", 2, &both);
    room.fails("train majority a.txt --lexicon counts.txt --pack counts.txt", b"", 2, &both);
    assert_eq!(fs::read(room.path("m.packed")).unwrap(), packed);
    assert_eq!(room.read("counts.txt"), "eBay\n");
    let manifest = room.read("model/majuscule.json");
    room.write("model/counts.txt", "eBay\n");
    let inside = ["model/counts.txt is inside model", "name another"];
    room.fails("train majority --lexicon model/counts.txt -o model --force", b"", 2, &inside);
    room.fails("train majority a.txt -o new --pack new/packed", b"", 2, &["new/packed is inside new"]);
    assert_eq!(room.read("model/majuscule.json"), manifest);
    assert_eq!(room.read("a.txt"), "bbc\n");
    assert_eq!(room.read("words.txt"), "eBay\n");
    room.fails("restore --model model a.txt -o model", b"", 2, &["model contains a model", "name another"]);
    room.fails("restore --model model a.txt missing.txt -o out.txt", b"", 1, &["missing.txt"]);
    assert!(!room.path("out.txt").exists());
    room.fails("restore --model model a.txt -o no/such/place.txt", b"", 1, &["no/such/place.txt"]);
}

#[test]
fn no_verb_replaces_an_output_without_force() {
    let room = Room::new();
    room.write("talk.srt", "1\n00:00:01,000 --> 00:00:02,000\nWe met Ana in Lisbon.\n");
    room.write("long.txt", "We met Ana in Lisbon, and Rui saw us there on Monday.\n".repeat(40));
    for (line, output) in [
        ("restore --preset fast long.txt -o", "restored.txt"),
        ("convert talk.srt -o", "talk.vtt"),
        ("lexicon build long.txt -o", "long.tsv"),
        ("lexicon words long.txt -o", "long.words"),
        ("lexicon export long.tsv --format json -o", "long.json"),
        ("lm count --order 2 long.txt -o", "long.counts"),
        ("lm train --order 2 --smoothing witten-bell long.txt -o", "long.arpa"),
        ("lm convert long.arpa -o", "long.lm"),
        ("fst build long.arpa -o", "long.fst"),
        ("fst draw long.fst -o", "long.svg"),
        ("maxent features long.txt -o", "long.svm"),
        ("evaluate --preset fast long.txt --choices", "long.jsonl"),
        ("train majority long.txt --pack", "long.packed"),
        ("train majority long.txt -o", "long-model"),
    ] {
        let line = format!("{line} {output}");
        room.out(&line, b"");
        let is_file = room.path(output).is_file();
        if is_file {
            fs::write(room.path(output), "precious").unwrap();
        }
        room.fails(&line, b"", 2, &[output, "exists already", "--force"]);
        if is_file {
            assert_eq!(fs::read_to_string(room.path(output)).unwrap(), "precious", "{line}");
            // Nothing is lost of an empty file.
            fs::write(room.path(output), "").unwrap();
            room.out(&line, b"");
        }
        room.out(&format!("{line} --force"), b"");
    }
    room.out("restore --preset fast long.txt talk.srt -o out/", b"");
    room.fails("restore --preset fast long.txt talk.srt -o out/", b"", 2, &["2 of 2", "out", "--force"]);
    fs::remove_file(room.path("out/talk.srt")).unwrap();
    room.fails("restore --preset fast long.txt talk.srt -o out/", b"", 2, &["long.txt exists already"]);
    assert!(!room.path("out/talk.srt").exists());
    room.out("restore --preset fast long.txt talk.srt -o out/ --force", b"");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let room = Room::new();
    room.write("long.txt", "we met the bbc in lisbon\n".repeat(200_000));
    room.write("corpus.txt", (0..30_000).map(|i| format!("We met Word{i} in Lisbon\n")).collect::<String>());
    for line in [
        "restore --model model long.txt",
        "restore --model model --threads 1 long.txt",
        "restore --model model --stream long.txt",
        "lexicon build --lang en corpus.txt",
        "completions bash",
        "man",
        "corpus stats corpus.txt",
    ] {
        let mut child = spawn(program().args(line.split(' ')).current_dir(room.folder()));
        let mut first = [0; 10];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{line}");
    }
}
