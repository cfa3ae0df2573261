//! Inputs of all verbs: folders, standard input, packed texts, and input that is not text.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::Write;

#[cfg(unix)]
use crate::command::program;
use crate::command::run_with_input;
use crate::room::{CORPUS, Room, gzip};

#[test]
fn bytes_that_are_not_utf8_are_named_by_file_line_and_column() {
    let room = Room::new();
    room.write("bad.txt", b"first\nsecond \xe9l\xe8ve bbc\n");
    let place = "bad.txt, line 2, column 8: byte 0xe9 is not UTF-8";
    room.fails("restore --model model bad.txt", b"", 1, &[place, "--lossy"]);
    room.fails("restore --model model bad.txt -o out.txt", b"", 1, &[place]);
    assert_eq!(room.names(), ["bad.txt"]);
    room.fails("restore --model model", b"lisbon \xff", 1, &["standard input, line 1, column 8", "0xff"]);
    let out = room.out("restore --model model --lossy bad.txt", b"");
    assert_eq!(out, b"first\nsecond \xe9l\xe8ve BBC\n");
    room.fails("train majority bad.txt -o other", b"", 1, &["bad.txt, line 2, column 8"]);
    room.fails("lexicon build bad.txt", b"", 1, &["bad.txt, line 2, column 8"]);
    room.fails("corpus stats bad.txt", b"", 1, &["bad.txt, line 2, column 8"]);
    room.write("words.txt", b"Lisbon\nS\xe3o\n");
    room.fails("restore --model model --words words.txt", b"", 1, &["words.txt, line 2", "UTF-8"]);
}

#[test]
fn inputs_that_are_no_text_are_refused() {
    let room = Room::new();
    for verb in ["restore --model model", "corpus stats", "lexicon build", "train majority -o other"] {
        room.fails(&format!("{verb} model"), b"", 1, &["model: is a folder, but "]);
        room.fails(&format!("{verb} missing.txt"), b"", 1, &["missing.txt"]);
    }
    assert_eq!(room.names(), [""; 0]);
    #[cfg(unix)]
    {
        let folder = fs::File::open(room.path("model")).unwrap();
        let mut command = program();
        command.args(["restore", "--model", "model"]).current_dir(room.folder()).stdin(folder);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("cannot read standard input: Is a directory"), "{error}");
    }
}

#[test]
fn compressed_input_is_read_and_one_that_is_cut_off_is_refused() {
    let text = "anna met the bbc in lisbon.\n".repeat(300);
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(text.as_bytes()).unwrap();
    let zst = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    let room = Room::new();
    let cased = "Anna met the BBC in Lisbon.\n".repeat(300);
    for (end, name, bytes) in
        [("gz", "gzip", gzip(&text)), ("xz", "xz", xz.finish().unwrap()), ("zst", "zstd", zst)]
    {
        room.write(&format!("text.{end}"), &bytes).write(&format!("cut.{end}"), &bytes[..bytes.len() - 10]);
        assert_eq!(room.restored(&format!("text.{end}"), ""), cased);
        assert_eq!(room.out("restore --model model", &bytes), cased.as_bytes());
        for verb in ["restore --model model -o out.txt", "train majority -o other", "corpus stats"] {
            let problem = format!("cut.{end}: the {name} data are cut off before their end");
            room.fails(&format!("{verb} cut.{end}"), b"", 1, &[&problem, "again"]);
        }
        room.fails("restore --model model", &bytes[..bytes.len() - 10], 1, &["standard input: ", "cut off"]);
    }
    assert!(!room.path("out.txt").exists() && !room.path("other").exists());
}

#[test]
fn what_unpacks_beyond_the_limit_is_refused_before_memory_is_full() {
    let room = Room::new();
    let (large, line) = (gzip("iPhone\n".repeat(300_000)), gzip("iPhone ".repeat(300_000)));
    room.write("large.json.gz", &large).write("line.txt.gz", &line).write("recipe.toml.gz", &large);
    let (whole, one_line) = ("is larger than 1M unpacked", "line 1: the line is longer than 32K");
    for (verb, problem) in [
        ("restore --model model large.json.gz", "held in memory whole: raise --input-limit"),
        ("restore --model model --words large.json.gz", whole),
        ("restore --model model --n-best 2 line.txt.gz", "set --input-limit to 32 times its length"),
        ("lexicon show line.txt.gz iphone", one_line),
        ("experiment run recipe.toml.gz", whole),
        ("fst info large.json.gz", whole),
    ] {
        room.fails(&format!("{verb} --input-limit 1M"), b"", 1, &[problem]);
    }
    let text = room.out("restore --model model --input-limit 1M line.txt.gz", b"");
    assert_eq!(text.len(), "iPhone ".len() * 300_000, "plain text is not held as a whole");
}

#[test]
fn standard_input_is_named_once() {
    let room = Room::new();
    room.write("a.txt", CORPUS).write("words.txt", "eBay\n");
    for line in [
        "restore --model model --words -",
        "restore --model model --words - a.txt -",
        "restore --model model - -",
        "train majority - - -o other",
        "train majority - --lexicon - -o other",
        "lexicon build - -",
        "lexicon merge - words.txt -",
        "lexicon merge - - --date 2026-11-20",
        "score - -",
        "corpus stats - -",
    ] {
        room.fails(line, b"eBay\n", 2, &["- is named twice", "read only once"]);
    }
    assert_eq!(room.restored("--words - words.txt", "ebay"), "ebay\n");
}

#[test]
fn a_folder_means_all_texts_in_it_for_every_verb() {
    let room = Room::new();
    let lines = "We met Ana in Lisbon, and Rui saw the BBC there.\nThe BBC told Ana of Lisbon.\n".repeat(30);
    for (file, text) in [
        ("docs/a.txt", lines.as_str()),
        ("docs/more/b.md", &lines),
        ("docs/table.bin", "\0"),
        ("docs/page.html", "<p>we"),
    ] {
        fs::create_dir_all(room.path(file).parent().unwrap()).unwrap();
        fs::write(room.path(file), text).unwrap();
    }
    let same = |line: &str| {
        let [folder, files] = ["docs", "docs/a.txt docs/more/b.md"].map(|texts| {
            let out = room.out(&line.replace("TEXTS", texts), b"");
            String::from_utf8(out).unwrap()
        });
        assert_eq!(folder, files, "{line}");
        folder
    };
    same("corpus stats TEXTS");
    same("corpus shuffle TEXTS");
    same("evaluate --preset fast TEXTS");
    same("lexicon build TEXTS");
    assert_eq!(same("lexicon words TEXTS"), "Ana\nBBC\nLisbon\nRui\n");
    room.out("lm train --order 2 --smoothing witten-bell docs -o of-docs.lm", b"");
    same("lm perplexity of-docs.lm TEXTS");
    room.out("train majority docs -o of-docs", b"");
    room.out("adapt fast docs -o adapted", b"");
    room.out("restore --preset fast docs -o restored", b"");
    let scored = |line: &str| String::from_utf8(room.out(line, b"")).unwrap();
    assert!(scored("score docs restored").contains("all words"));
    assert!(scored("compare docs --model fast --output restored").contains("restored"));
    room.fails("score docs docs/a.txt", b"", 2, &["docs is a folder", "docs/a.txt is a file"]);
    fs::remove_file(room.path("restored/more/b.md")).unwrap();
    room.fails("score docs restored", b"", 2, &["restored has no more/b", "docs"]);
    fs::write(room.path("restored/more/b.md"), lines.replacen("Rui", "Ruy", 1)).unwrap();
    room.fails(
        "score docs restored",
        b"",
        1,
        &["restored/more/b.md, line 1: \"Ruy\"", "docs/more/b.md, line 1"],
    );
    room.out("corpus split docs -o parts", b"");
}

#[test]
fn paragraphs_that_are_taken_for_sentences_are_told() {
    let room = Room::new();
    room.write(
        "paragraphs.txt",
        "We met Ana. She left Porto at once. Nobody knew why.\nIt rained. Rui stayed.\n",
    );
    room.write("sentences.txt", "We met Ana.\nShe left Porto at once. Why?\nIt rained.\n");
    let told = |line: &str| {
        let args: Vec<&str> = line.split(' ').collect();
        let output = run_with_input(room.folder(), &args, b"");
        assert!(output.status.success(), "{line}");
        String::from_utf8(output.stderr).unwrap().contains("give --split")
    };
    assert!(told("evaluate --model model --protocol rei paragraphs.txt"));
    assert!(told("corpus stats paragraphs.txt"));
    assert!(told("train maxent --protocol text paragraphs.txt -o told"));
    assert!(told("adapt told paragraphs.txt -o adapted"));
    assert!(told("score paragraphs.txt paragraphs.txt"));
    assert!(told("compare paragraphs.txt --model model --protocol rei"));
    assert!(told("compare paragraphs.txt --model model --output paragraphs.txt --protocol rei"));
    assert!(told("lm count paragraphs.txt -o told.counts"));
    assert!(told("lexicon build paragraphs.txt"));
    assert!(told("maxent features paragraphs.txt -o told.features"));
    assert!(!told("score sentences.txt sentences.txt"));
    assert!(!told("lm count --split paragraphs.txt --force -o told.counts"));
    assert!(!told("evaluate --model model --protocol rei --split paragraphs.txt"));
    assert!(!told("evaluate --model model --protocol asr paragraphs.txt"));
    assert!(!told("corpus stats sentences.txt"));
}
