//! `majuscule train`: refused input, the contents of a model, and how a training continues.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{program, spawn};
use crate::room::{CORPUS, Room};
#[cfg(feature = "neural")]
use crate::room::{TRAIN_BERT, train_bert};

#[test]
fn a_model_of_ones_own_begins_the_sentences_of_unpunctuated_text() {
    let room = Room::new();
    room.write(
        "news.txt",
        "We met in Lisbon.\nThen we left Porto.\nNobody saw Rui.\nIt rained in Braga.\n".repeat(60),
    );
    room.out("train maxent --bits 12 --epochs 5 news.txt -o mixed", b"");
    assert!(room.read("mixed/majuscule.json").contains(r#""protocol": "mix""#));
    let restored =
        room.out("restore --model mixed", b"nobody saw rui it rained in braga then we left porto\n");
    let restored = String::from_utf8(restored).unwrap();
    assert!(restored.starts_with("Nobody saw Rui It rained in Braga Then"), "{restored}");
    // Other methods learn text as it is.
    room.out("train majority news.txt -o plain", b"");
    assert!(room.read("plain/majuscule.json").contains(r#""protocol": "text""#));
}

#[test]
fn the_language_that_a_model_stores_is_that_of_its_text() {
    let room = Room::new();
    room.write(
        "pl.txt",
        "Ala ma kota, a kot ma Alę.\nSpotkaliśmy się w Warszawie i poszliśmy do kina.\nPadał deszcz.\n",
    );
    room.write(
        "de.txt",
        "Wir haben Anna in Berlin getroffen und sind dann nach Hause gegangen.\n".repeat(400),
    );
    room.write("el.txt", "Συναντηθήκαμε στην Αθήνα χθες το βράδυ και φύγαμε.\n".repeat(5));
    room.write("few.txt", "Ana saw Rui.\n");
    let noted = |line: &str| String::from_utf8(room.run(line, b"").stderr).unwrap();
    assert!(noted("train majority pl.txt -o pl").contains("language: Polish (pl), detected"));
    assert!(room.read("pl/majuscule.json").contains(r#""language": "pl""#));
    assert!(noted("lexicon build de.txt -o de.tsv").contains("language: German (de), detected"));
    assert!(room.read("de.tsv").contains("# language\tde\n"));
    assert!(noted("lm train --order 1 --smoothing witten-bell pl.txt -o pl.lm").contains("Polish"));
    assert!(noted("experiment new mine.toml --train de.txt").contains("German"));
    assert!(room.read("mine.toml").contains("language = \"de\""));
    // Few words may be names, and a language that is named is not examined.
    assert!(noted("train majority few.txt -o few").contains("English (en) by default"));
    assert!(!noted("train majority --lang pt pl.txt -o named").contains("language:"));
    room.fails("train majority el.txt -o el", b"", 1, &["el.txt", "not recognised", "--lang el"]);
    room.out("train majority --lang el el.txt -o el", b"");
    room.out("train maxent --bits 10 few.txt -o small", b"");
    room.fails("adapt small pl.txt -o other", b"", 2, &["Polish", "English", "--lang pl"]);
}

#[test]
fn corpora_that_teach_no_case_are_refused() {
    let room = Room::new();
    room.write("lower.txt", "we met in lisbon\n")
        .write("upper.txt", "WE MET IN LISBON\n")
        .write("empty.txt", "");
    for (file, problem) in [
        ("lower.txt", "0 of its 4 words have a capital"),
        ("upper.txt", "4 of its 4 words are all capitals"),
        ("empty.txt", "no words"),
    ] {
        room.fails(&format!("train majority {file} -o other"), b"", 1, &[problem]);
        assert!(!room.path("other").exists());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn of_two_outputs_both_appear_or_none() {
    let room = Room::new();
    room.write("a.txt", CORPUS);
    room.fails("train majority a.txt -o other --pack /dev/full", b"", 1, &["cannot write /dev/full"]);
    room.fails("train majority a.txt -o other --pack no/such", b"", 1, &["no/such"]);
    assert_eq!(room.names(), ["a.txt"]);
}

#[test]
fn a_folder_that_stands_there_is_replaced_only_by_force() {
    let room = Room::new();
    room.write("corpus.txt", CORPUS);
    let before = room.read("model/majuscule.json");
    room.fails("train majority corpus.txt -o model", b"", 2, &["model exists already", "--force"]);
    assert_eq!(room.read("model/majuscule.json"), before);
    room.out("train majority corpus.txt -o model --force --no-parts", b"");
    assert_ne!(room.read("model/majuscule.json"), before);
    fs::create_dir(room.path("papers")).unwrap();
    room.write("papers/mine.txt", "mine");
    room.fails("train majority corpus.txt -o papers --force", b"", 2, &["papers contains no majuscule.json"]);
    assert_eq!(room.read("papers/mine.txt"), "mine");
    room.fails("train majority corpus.txt -o corpus.txt --force", b"", 2, &["corpus.txt is a file"]);
    assert_eq!(room.names(), ["corpus.txt", "papers"]);
}

#[test]
#[cfg(unix)]
fn a_model_is_replaced_under_its_readers_and_by_two_at_once() {
    let room = Room::new();
    room.write("a.txt", "We met in Lisbon.\n".repeat(3)).write("b.txt", "They met in Porto, in the US.\n");
    let train = |file: &str| room.run(&format!("train majority {file} -o new --force"), b"");
    assert!(train("a.txt").status.success());
    let is_done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        let trainers = ["a.txt", "b.txt"].map(|file| {
            scope.spawn(move || {
                for _ in 0..10 {
                    let output = train(file);
                    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                }
            })
        });
        let reader = scope.spawn(|| {
            let mut opened = 0;
            while opened < 3 || !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                let model = majuscule_methods::model::open(room.path("new")).unwrap();
                model.check().unwrap();
                opened += 1;
            }
        });
        let trained = trainers.map(thread::ScopedJoinHandle::join);
        // Also after a failure, so that the reader ends.
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        trained.into_iter().for_each(|trained| trained.unwrap());
        reader.join().unwrap();
    });
    assert_eq!(room.names(), ["a.txt", "b.txt", "new"]);
}

#[test]
fn a_map_or_a_language_model_that_is_no_use_is_refused() {
    let room = Room::new();
    let tiny = Path::new(crate::ROOT).join("lm/tiny.arpa");
    fs::copy(tiny, room.path("tiny.arpa")).unwrap();
    let no_words = "\\data\\\nngram 1=3\n\\1-grams:\n-1 <unk>\n-99 <s>\n-0.5 </s>\n\\end\\\n";
    room.write("corpus.txt", CORPUS).write("no-words.arpa", no_words);
    room.write("empty.map", "").write("wrong.map", "us US 1\nthe teh 1\n");
    room.out("lm convert tiny.arpa -o tiny.lm", b"");
    let mut altered = fs::read(room.path("tiny.lm")).unwrap();
    let last = altered.len() - 5;
    altered[last] ^= 1;
    fs::write(room.path("altered.lm"), &altered).unwrap();
    for verb in ["train hmm -o other --lm", "train ngram -o other --lm", "fst build -o other"] {
        room.fails(&format!("{verb} altered.lm"), b"", 1, &["altered.lm: the file was altered"]);
        room.fails(&format!("{verb} tiny.lm --map empty.map"), b"", 1, &["empty.map: has no forms"]);
        room.fails(&format!("{verb} tiny.lm --map wrong.map"), b"", 1, &["wrong.map, line 2", "\"teh\""]);
        room.fails(&format!("{verb} corpus.txt"), b"", 1, &["corpus.txt, line", "expected an ARPA file"]);
        room.fails(&format!("{verb} tiny.lm --map-weight -1"), b"", 2, &["--map-weight -1", "0 or more"]);
        if verb.starts_with("train") {
            room.fails(&format!("{verb} no-words.arpa"), b"", 1, &["no-words.arpa: contains no words"]);
        }
        assert!(!room.path("other").exists(), "{verb}");
    }
}

#[test]
fn lists_and_a_lexicon_become_part_of_a_model() {
    let room = Room::new();
    room.write("corpus.txt", CORPUS.repeat(50))
        .write("places.txt", "Lisbon\nNew York\n")
        .write("empty.txt", "# no\n");
    room.write("latin.txt", b"Lisbon\nM\xfcnchen\n")
        .write("long.txt", "a b c d e f g h\n")
        .write("no.tsv", "");
    let train = "train maxent --bits 12 corpus.txt -o other";
    for (line, code, parts) in [
        ("--list gone.txt", 1, &["cannot open gone.txt"][..]),
        ("--list empty.txt", 1, &["empty.txt: has no entries: expected one word or phrase per line"]),
        ("--list latin.txt", 1, &["latin.txt, line 2", "UTF-8"]),
        ("--list long.txt", 1, &["long.txt: \"a b c d e f g h\" has 8 words: a phrase has at most 7"]),
        (&"--list places.txt ".repeat(17), 2, &["17 lists: at most 16"]),
        ("--features lists", 2, &["the features lists need a file", "--list"]),
        ("--features word --list places.txt", 2, &["add lists or lists-around to --features"]),
        ("--features forms-around", 2, &["--forms"]),
        ("--forms gone.tsv", 1, &["cannot open gone.tsv"]),
        ("--forms no.tsv", 1, &["no.tsv: has no words"]),
    ] {
        room.fails(&format!("{train} {line}"), b"", code, parts);
        assert!(!room.path("other").exists(), "{line}");
    }
    room.out("lexicon build --lang en corpus.txt -o forms.tsv", b"");
    room.out(&format!("{train} --list places.txt --forms forms.tsv"), b"");
    let manifest = room.read("other/majuscule.json");
    for part in ["\"lists-around\"", "\"places.txt\"", "\"forms.tsv\"", "\"lists.bin\"", "\"forms.bin\""] {
        assert!(manifest.contains(part), "{part}: {manifest}");
    }
    fs::remove_file(room.path("places.txt")).unwrap();
    room.out("restore --model other corpus.txt", b"");
    room.fails(&format!("{train} --force --list other/lists.bin"), b"", 2, &["other"]);
    let lists = fs::read(room.path("other/lists.bin")).unwrap();
    fs::write(room.path("other/lists.bin"), &lists[1..]).unwrap();
    room.fails("restore --model other", b"we", 1, &["lists.bin has"]);
    fs::remove_file(room.path("other/lists.bin")).unwrap();
    room.fails("restore --model other", b"we", 1, &["other: lists.bin is missing"]);
}

/// Kills a training once its checkpoint, `kept`, exists, and returns the training's output. If the training
/// is done before, it starts again from nothing, and the checks after this hold too.
fn killed_after_checkpoint(room: &Room, line: &str) -> Output {
    let mut child = spawn(program().args(line.split_whitespace()).current_dir(room.folder()));
    let begun = Instant::now();
    while !room.path("kept").exists() && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no checkpoint appeared");
        thread::sleep(Duration::from_millis(1));
    }
    drop(child.kill());
    child.wait_with_output().unwrap()
}

#[test]
fn a_training_that_was_killed_goes_on_from_its_checkpoint() {
    let room = Room::new();
    room.write("a.txt", CORPUS.repeat(400)).write("b.txt", CORPUS.repeat(401)).write("plain", "");
    let train = "train maxent --bits 12 --epochs 20";
    room.out(&format!("{train} a.txt -o whole"), b"");
    let kept = format!("{train} a.txt -o model-of-two --checkpoint kept --checkpoint-every 10000");
    killed_after_checkpoint(&room, &kept);
    if room.path("kept").exists() {
        let other = |line: &str| line.replace("-o model-of-two", "-o other");
        room.fails(
            &other(&kept.replace("--bits 12", "--bits 13")),
            b"",
            2,
            &["kept", "bits 12", "has 13", "remove"],
        );
        room.fails(
            &other(&kept.replace("a.txt", "b.txt")),
            b"",
            2,
            &["kept", "a.txt of", "b.txt of", "remove"],
        );
    }
    room.out(&format!("{kept} --force --threads 1"), b"");
    for file in ["weights.bin", "words.bin", "majuscule.json"] {
        let [whole, of_two] =
            ["whole", "model-of-two"].map(|model| fs::read(room.path(model).join(file)).unwrap());
        assert!(whole == of_two, "{file} differs");
    }
    assert!(!room.path("kept").exists());
    let refused =
        |line: &str, code, parts: &[&str]| room.fails(&format!("{train} a.txt {line}"), b"", code, parts);
    refused("-o other --checkpoint plain", 1, &["plain: is not a checkpoint", "a new file"]);
    refused("-o other --checkpoint model", 1, &["model: is not a checkpoint"]);
    refused("-o other --checkpoint gone/kept", 1, &["gone/kept"]);
    refused("-o other --checkpoint a.txt", 2, &["a.txt is both input and output"]);
    refused("-o other --checkpoint other/kept", 2, &["is inside other"]);
    refused("--pack kept --checkpoint ./kept", 2, &["both --pack and --checkpoint"]);
    refused("-o other --checkpoint kept --checkpoint-every 0", 2, &["--checkpoint-every 0", "at least 1"]);
    refused("-o other --checkpoint-every 7", 2, &["--checkpoint"]);
    refused("-o other --checkpoint kept --weights plain", 2, &["leave --checkpoint out"]);
    assert!(!room.path("kept").exists() && !room.path("other").exists());
}

#[cfg(feature = "neural")]
#[test]
fn one_model_serves_several_languages() {
    let room = Room::new();
    room.write("en.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(10));
    room.write("pt.txt", "o ministro de Anna disse em Porto\nem York disse Anna a todos\n".repeat(10));
    train_bert(&room, "--lang en,pt en.txt pt.txt -o both --log log");
    let manifest: serde_json::Value = serde_json::from_slice(&room.out("inspect both --json", b"")).unwrap();
    assert_eq!([&manifest["language"], &manifest["locale"]], ["en,pt", "root"]);
    for (lang, text) in [("en", "who said to us in York\n"), ("pt", "em York disse Anna a todos\n")] {
        let lower = text.to_lowercase();
        let line = format!("restore --model both --lang {lang}");
        assert_eq!(String::from_utf8(room.out(&line, lower.as_bytes())).unwrap(), text);
        let page =
            room.out(&format!("evaluate --model both --lang {lang} --protocol rei --json {lang}.txt"), b"");
        let page: serde_json::Value = serde_json::from_slice(&page).unwrap();
        assert!(page.to_string().contains("\"ser\":0.0"), "{page}");
    }
    room.fails("restore --model both --lang fr", b"", 2, &["--lang fr", "en,pt"]);
    let problem = ["--lang en,nl: nl and en have different case mappings", "--locale"];
    room.fails("train majority en.txt --lang en,nl -o other", b"", 2, &problem);
}

#[cfg(feature = "neural")]
#[test]
fn a_training_of_bert_that_was_killed_goes_on_from_its_checkpoint() {
    let room = Room::new();
    room.write("a.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(100));
    train_bert(&room, "a.txt -o whole");
    let kept = format!("{} --lang en a.txt --checkpoint kept --checkpoint-every 2", TRAIN_BERT.as_str());
    let output = killed_after_checkpoint(&room, &format!("{kept} -o model-of-two"));
    assert!(output.stderr.is_empty() || output.status.success(), "no progress where there is no terminal");
    if room.path("kept").exists() {
        room.fails(&format!("{kept} --seed 2 -o other"), b"", 2, &["seed 1, but this one has 2"]);
        room.write("a.txt", "the minister of Anna met us in Lisbon\nWho said to us in York\n".repeat(100));
        room.fails(
            &format!("{kept} -o other"),
            b"",
            1,
            &["a text has been changed since the training began"],
        );
        room.write("a.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(100));
    }
    room.out(&format!("{kept} --force --threads 1 -o model-of-two"), b"");
    for file in ["model.safetensors", "mixed.txt", "majuscule.json"] {
        let [whole, of_two] =
            ["whole", "model-of-two"].map(|model| fs::read(room.path(model).join(file)).unwrap());
        assert!(whole == of_two, "{file} differs");
    }
    assert!(!room.path("kept").exists());
}
