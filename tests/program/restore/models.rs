//! Models that `restore` opens: folders and packed files, networks, cascades, and presets in a folder.

use std::fs;
use std::io::Write;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::process::Stdio;

use crate::command::{program, spawn};
use crate::room::{Room, with_models};
use crate::toy_network;

#[test]
fn models_that_cannot_be_used_are_refused() {
    let room = Room::new();
    let model = "restore --model";
    room.fails(
        &format!("{model} nowhere"),
        b"",
        1,
        &["nowhere: there is no such file or folder", "name a model made by train"],
    );
    room.write("notes.txt", "notes");
    room.fails(
        &format!("{model} notes.txt"),
        b"",
        1,
        &["notes.txt", "not a packed model", "name a model made by train"],
    );
    fs::create_dir(room.path("empty")).unwrap();
    room.fails(&format!("{model} empty"), b"", 1, &["empty", "no majuscule.json"]);
    room.fails(
        &format!("{model} model --lang pt"),
        b"",
        2,
        &["--lang pt is not the language of the model, en"],
    );

    let words = room.path("model").join("words.bin");
    let bytes = fs::read(&words).unwrap();
    fs::write(&words, &bytes[..bytes.len() - 9]).unwrap();
    for verb in ["restore --model", "inspect"] {
        room.fails(
            &format!("{verb} model"),
            b"",
            1,
            &["model: words.bin has", "but the manifest says", "again"],
        );
    }
    let mut altered = bytes.clone();
    altered[bytes.len() / 2] ^= 4;
    fs::write(&words, altered).unwrap();
    for verb in ["restore --model", "inspect"] {
        room.fails(&format!("{verb} model"), b"", 1, &["model: words.bin has checksum", "altered"]);
    }
    fs::write(&words, bytes).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&room.out("inspect model --json", b"")).unwrap();
    assert_eq!((&json["method"], &json["language"]), (&"majority".into(), &"en".into()));
    assert!(String::from_utf8(room.out("inspect model", b"")).unwrap().contains("method      majority"));

    let manifest = room.read("model/majuscule.json");
    room.write("model/majuscule.json", manifest.replace("\"en\"", "\"nl\""));
    for verb in ["restore --model", "inspect"] {
        room.fails(
            &format!("{verb} model"),
            b"",
            1,
            &["majuscule.json does not match its checksum", "altered"],
        );
    }
    room.write("model/majuscule.json", manifest.replace("\"format\": 2", "\"format\": 9"));
    let parts = ["model: model format 9, but this build reads 2", "use a newer majuscule"];
    room.fails(&format!("{model} model"), b"", 1, &parts);
    room.fails("inspect model", b"", 1, &parts);
    room.write("model/majuscule.json", "{\"name\": \"something else\"}");
    room.fails(&format!("{model} model"), b"", 1, &["model: majuscule.json is not a manifest of majuscule"]);
}

#[test]
fn a_better_model_reads_what_a_fast_one_is_not_sure_of() {
    let room = Room::new();
    let text = "We met in Lisbon and Porto.\nThey told us of the US army.\n".repeat(40);
    room.write("corpus.txt", &text);
    room.out("train hmm corpus.txt -o fast --order 1", b"");
    room.out("train maxent --protocol text corpus.txt -o exact --size 1000", b"");
    let cascade = |sure: &str| {
        let line = format!("restore --cascade fast,exact --sure {sure}");
        String::from_utf8(room.out(&line, b"they told us\nthe us army\n")).unwrap()
    };
    assert_eq!([cascade("0"), cascade("1")], ["they told us\nthe us army\n", "they told us\nthe US army\n"]);
    let read = |sure: &str| {
        let output = room.run(&format!("evaluate --cascade fast,exact --sure {sure} corpus.txt"), b"");
        String::from_utf8(output.stderr).unwrap()
    };
    let spoken = "We met in Lisbon, and then in Porto.\nThey told us of the US army. Who did?\n".repeat(40);
    room.write("spoken.txt", spoken);
    room.out("train maxent spoken.txt --marks --bits 14 -o puts", b"");
    let line = "restore --marks --sure 1 --cascade puts,exact";
    let input = b"we met in lisbon and then in porto they told us of the us army who did";
    let marked = String::from_utf8(room.out(line, input)).unwrap();
    assert_eq!(marked, "We met in Lisbon, and then in Porto. They told us of the US army. Who did?");
    room.out("train hmm spoken.txt --marks --order 3 -o better", b"");
    let by = |options: &str| room.out(&format!("restore --marks {options}"), input);
    assert_eq!(by("--cascade puts,better --sure 1"), by("--model better"));
    assert_eq!(by("--cascade puts,better --sure 0"), by("--model puts"));
    room.out("compact better --pack small", b"");
    assert_eq!(by("--model small"), by("--model better"));
    room.fails_beside_external_models(
        "restore --marks --cascade exact,puts",
        2,
        &[
            "the first model of --cascade, which reads all of a text, does not insert punctuation",
            "accurate, fast, best or ngram of --lang en",
        ],
    );
    assert_eq!(read("0"), "the second model read 0.0 % of the words\n");
    assert_ne!(read("1"), read("0"));
    for (line, code, part) in [
        ("restore --cascade fast", 2, "names 1 models: expected two"),
        ("restore --cascade fast,exact --sure 2", 2, "'--sure <P>': expected a probability"),
        ("restore --cascade fast,exact --sure -1", 2, "'--sure <P>': expected a probability"),
        ("restore --cascade fast,exact --sure nan", 2, "'--sure <P>': expected a probability"),
        ("restore --sure 0.5 --model fast", 2, "--cascade"),
        ("restore --sure 0.5 --preset fast", 2, "--cascade"),
        ("evaluate --sure 0.5 --model fast corpus.txt", 2, "--cascade"),
        ("restore --cascade fast,exact --stream", 2, "leave --stream out"),
        ("restore --cascade fast,exact --model fast", 2, "--model"),
        ("restore --sure 0.5", 2, "--cascade"),
        ("restore --cascade fast,gone", 1, "gone"),
        ("restore --cascade model,exact", 2, "must give probabilities"),
    ] {
        room.fails(line, b"us\n", code, &[part]);
    }
}

#[test]
fn a_network_restores_whole_or_in_bytes() {
    let room = Room::new();
    let text = "the minister met us in lisbon\nwho met anna\n";
    for network in [toy_network::cnn_bilstm(), toy_network::whole()] {
        room.write("network", network.pack());
        room.out("compact network --force --pack bytes", b"");
        let size = |name: &str| fs::metadata(room.path(name)).unwrap().len();
        assert!(size("bytes") < size("network"));
        for model in ["network", "network --precision int8", "bytes", "bytes --precision f32"] {
            let once = room.out(&format!("restore --marks=,. --model {model}"), text.as_bytes());
            assert_eq!(String::from_utf8(once.clone()).unwrap().to_lowercase().replace([',', '.'], ""), text);
            assert_eq!(room.out(&format!("restore --marks=,. --model {model}"), &once), once, "{model}");
        }
        room.fails("restore --model bytes --device cuda:0", b"text", 2, &["cuda:0", "run on the CPU"]);
        room.fails("restore --model bytes --precision bf16", b"text", 2, &["bf16", "f32 or int8"]);
    }
    room.fails(
        "compact fast -o other",
        b"",
        1,
        &["is a maxent model", "only bert, cnn-bilstm and hmm models"],
    );
    room.fails("compact bytes -o bytes", b"", 2, &["bytes"]);
    let mut cut = fs::read(room.path("bytes")).unwrap();
    cut.truncate(cut.len() / 2);
    room.write("cut", cut);
    room.fails("restore --model cut", b"text", 1, &["cut"]);
}

#[test]
fn the_best_preset_lies_in_a_folder() {
    let room = Room::new();
    room.write("en.best", toy_network::in_bytes().pack());
    let text = b"who met anna in lisbon\n";
    let expected = room.out("restore --model en.best --marks=,.", text);
    let with = |line: &str, folder: &Path| {
        let mut command = program();
        command.current_dir(room.path("")).env("MAJUSCULE_MODELS", folder).args(line.split_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(&mut command);
        child.stdin.take().unwrap().write_all(text).unwrap();
        child.wait_with_output().unwrap()
    };
    for line in ["restore --preset best --marks=,.", "restore --model best --marks=,."] {
        assert_eq!(with(line, &room.path("")).stdout, expected, "{line}");
    }
    assert!(with("restore --cascade fast,best", &room.path("")).status.success());
    fs::create_dir(room.path("models")).unwrap();
    fs::rename(room.path("model"), room.path("models/en.best")).unwrap();
    for (language, part) in [
        ("en", "en.best: is a model of majority, but one of bert is expected there"),
        ("pt", "pt.best: is a model of en, but one of pt is expected there"),
    ] {
        room.write("models/pt.best", toy_network::in_bytes().pack());
        let refused = with(&format!("restore --preset best --lang {language}"), &room.path("models"));
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{error}");
        assert!(error.contains(part), "{error}");
    }
    let missing = with("restore --preset ngram --lang nl", &room.path("models"));
    let error = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(missing.status.code(), Some(2), "{error}");
    assert!(error.contains("no model ngram of nl is in") && error.contains("--pack nl.ngram"), "{error}");
}

#[test]
fn a_network_of_several_languages_pairs_letters_as_in_the_one_asked_for() {
    let room = Room::new();
    fs::create_dir(room.path("models")).unwrap();
    room.write("models/multilingual.best", toy_network::in_bytes_of("nl,pt").pack());
    room.write("talk.txt", "ijs in ijmuiden en ijs in ijsland is ijs\n".repeat(8));
    for (language, beginning) in [("nl", "IJ"), ("pt", "Ij")] {
        let output =
            with_models(&room, "models", &format!("restore --preset best --lang {language} talk.txt"));
        assert!(output.status.success(), "{output:?}");
        let line = format!("restore --model models/multilingual.best --locale {language} talk.txt");
        assert_eq!(output.stdout, room.out(&line, b""), "{language}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.split(' ').any(|word| word.starts_with(beginning)), "{text}");
    }
    let listed = with_models(&room, "models", "models --lang pt");
    let list = String::from_utf8(listed.stdout).unwrap();
    assert!(
        list.lines().any(|line| line.starts_with("pt.best ") && line.contains("multilingual.best")),
        "{list}"
    );
}

#[test]
fn a_file_that_is_no_model_of_a_preset_is_refused_in_one_sentence() {
    let room = Room::new();
    fs::create_dir(room.path("models")).unwrap();
    let whole = toy_network::in_bytes().pack();
    let with_number = |at: usize, number: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    let mut altered = whole.clone();
    let last = altered.len() - 200;
    altered[last] ^= 1;
    let text = "a text of my own\n".repeat(20).into_bytes();
    for (bytes, says) in [
        (Vec::new(), "is not a packed model"),
        (text, "is not a packed model: it does not begin with MAJUSCUL"),
        (whole[..12].to_vec(), "the model is cut off"),
        (whole[..whole.len() / 2].to_vec(), "the model is cut off"),
        (whole[..whole.len() - 300].to_vec(), "the model is cut off"),
        (altered, "it was altered"),
        (with_number(8, 99), "model format 99, but this build reads"),
    ] {
        room.write("models/en.best", bytes);
        for line in ["restore --preset best talk.txt", "restore --cascade fast,best talk.txt"] {
            room.write("talk.txt", "we met anna\n");
            let output = with_models(&room, "models", line);
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{line}: {error}");
            assert!(error.contains("en.best") && error.contains(says), "{line}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
            assert!(output.stdout.is_empty());
        }
        let listed = with_models(&room, "models", "models --lang en");
        let list = String::from_utf8(listed.stdout).unwrap();
        assert_eq!(listed.status.code(), Some(1), "{list}");
        assert!(list.contains("en.best      cannot be used: ") && list.contains(says), "{list}");
    }
}

#[test]
fn a_document_never_names_a_model_file() {
    let room = Room::new();
    room.write("evil.ngram", toy_network::in_bytes().pack());
    fs::create_dir(room.path("models")).unwrap();
    room.write("talk.json", r#"{"text":" we met in lisbon","language":"../evil"}"#);
    for preset in ["ngram", "best"] {
        let mut command = program();
        command.current_dir(room.path("")).env("MAJUSCULE_MODELS", room.path("models"));
        let output = command.args(["restore", "talk.json", "--preset", preset]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!error.contains("evil"), "{error}");
    }
    let restored = room.out("restore -q talk.json", b"");
    assert!(String::from_utf8(restored).unwrap().contains("We met in Lisbon"));
    for line in ["restore --preset ngram --lang ../evil", "restore --lang=", "inspect best --lang ../evil"] {
        room.fails(line, b"we met", 2, &["is not a language: expected letters, digits and hyphens"]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_or_a_device_is_no_file_of_a_model() {
    let room = Room::new();
    let make = |name: &str| {
        let _ = fs::remove_file(room.path(name));
        assert!(Command::new("mkfifo").arg(room.path(name)).status().unwrap().success());
    };
    make("model/words.bin");
    room.fails("restore --model model", b"bbc", 1, &["words.bin: is not a regular file"]);
    make("model/majuscule.json");
    room.fails("restore --model model", b"bbc", 1, &["majuscule.json: is not a regular file"]);
    make("pipe");
    room.fails("restore --model pipe", b"bbc", 1, &["pipe: is not a regular file"]);
    fs::remove_file(room.path("model/majuscule.json")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", room.path("model/majuscule.json")).unwrap();
    room.fails("inspect model", b"", 1, &["majuscule.json: is not a regular file"]);
}
