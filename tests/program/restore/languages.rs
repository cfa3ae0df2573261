//! `restore` in several languages: the letters of a locale, the built-in models, and the language of
//! a text.

use std::fs;
use std::io::Write;
use std::thread;
use std::time::Duration;

use crate::command::{program, spawn};
use crate::room::Room;

#[test]
fn the_locale_pairs_the_letters() {
    let room = Room::new();
    room.write("words.txt", "İzmir\n");
    assert_eq!(
        room.restored("--locale tr --words words.txt --sentence-start always", "izmir\niki"),
        "İzmir\nİki"
    );
    room.write("tr.txt", "Dün İstanbul'da ve Iğdır'da konuştu.\n");
    room.out("train majority tr.txt --lang tr -o turkish", b"");
    let said = String::from_utf8(room.run("train majority tr.txt --lang tr -o it's", b"").stderr).unwrap();
    assert!(said.ends_with("\nuse it: majuscule restore --model 'it'\\''s' TEXT\n"), "{said}");
    let out = room.out("restore --model turkish", "istanbul'da ILIK ığdır'da\nİSTANBUL'DA ILIK".as_bytes());
    assert_eq!(String::from_utf8(out).unwrap(), "İstanbul'da ILIK Iğdır'da\nİstanbul'da ılık");
    assert_eq!(room.restored("--locale nl --sentence-start always", "ijs"), "IJs");
    room.fails(
        "restore --model model --locale 4",
        b"",
        2,
        &["\"4\" is not a language tag", "expected one such as"],
    );
}

#[test]
fn built_in_models_restore_their_languages() {
    let room = Room::new();
    for (options, text, cased) in [
        ("", "the european parliament met in brussels.", "The European Parliament met in Brussels."),
        ("--lang en", "i live in london", "I live in London"),
        ("--lang es", "vive en madrid desde enero.", "Vive en Madrid desde enero."),
        ("--lang fr", "elle habite à paris.", "Elle habite à Paris."),
        ("--lang nl", "zij woont in amsterdam.", "Zij woont in Amsterdam."),
        ("--lang pt", "ela vive em lisboa.", "Ela vive em Lisboa."),
        ("--lang pt-BR", "ela vive em lisboa.", "Ela vive em Lisboa."),
    ] {
        let out = room.out(&format!("restore {options}"), text.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), cased);
    }
}

#[test]
fn a_language_is_told_however_the_text_arrives() {
    let room = Room::new();
    // The first line alone would be detected as English.
    let text = "the and of\nela vive em lisboa com o pai e a mãe, que não é de lá, e com uma tia do porto.\n";
    let whole = room.out("restore --lang auto", text.as_bytes());
    let mut child = spawn(program().args(["restore", "--lang", "auto"]));
    let mut stdin = child.stdin.take().unwrap();
    for line in text.split_inclusive('\n') {
        stdin.write_all(line.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(200));
    }
    drop(stdin);
    assert_eq!(child.wait_with_output().unwrap().stdout, whole);
    assert!(String::from_utf8(whole).unwrap().contains("Lisboa"));
}

#[test]
fn a_text_in_another_language_is_told() {
    let room = Room::new();
    let note = |line: &str, input: &str| {
        let output = room.run(&format!("restore {line}"), input.as_bytes());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let swedish = "statsministern talade i går med ministern i stockholm, och presidenten var också där. ";
    let spanish = "el presidente de la comisión habló ayer con los ministros en la ciudad de lisboa.";
    let english = "the president of the commission met angela merkel in lisbon, but that was not all.";
    for (line, input, parts) in [
        ("", swedish, &["standard input looks Swedish", "as English", "--model"][..]),
        ("--stream", swedish, &["looks Swedish"]),
        ("--lang auto", &swedish.repeat(9), &["looks Swedish"]),
        ("", spanish, &["looks Spanish", "--lang es"]),
        ("", english, &[]),
        ("", "paris, rome, berlin", &[]),
        ("--lang auto", spanish, &[]),
        ("--lang en", spanish, &[]),
        ("--model model", spanish, &[]),
        ("--quiet", spanish, &[]),
    ] {
        let note = note(line, input);
        assert!(
            parts.iter().all(|part| note.contains(part)) && note.is_empty() == parts.is_empty(),
            "{line}: {note}"
        );
    }
    let whisper = |language: &str| {
        format!(
            "{{\"text\": \"ela vive em lisboa com a maria.\", \"segments\": [], \"language\": \"{language}\"}}"
        )
    };
    let line = "restore --format whisper-json";
    for language in ["pt", "Portuguese"] {
        let portuguese = room.out(&format!("{line} --lang pt"), whisper(language).as_bytes());
        assert_eq!(room.out(line, whisper(language).as_bytes()), portuguese);
        assert_eq!(room.out(&format!("{line} --lang auto"), whisper(language).as_bytes()), portuguese);
        assert!(note("--format whisper-json", &whisper(language)).is_empty());
    }
    assert!(note("--format whisper-json", &whisper("swedish")).contains("\"swedish\""));
}

#[test]
fn a_text_that_does_not_tell_its_language_takes_that_of_its_folder() {
    let room = Room::new();
    let note = |line: &str, input: &str| {
        let output = room.run(&format!("restore --lang auto {line}"), input.as_bytes());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let unsure = note("", "ok\n");
    assert!(unsure.contains("cannot detect the language of standard input") && unsure.contains("English"));
    for silent in ["", "12 34\n", "qu'est-ce que tu fais ce soir\n", "NO SABEMOS LO QUE PASÓ ANOCHE\n"] {
        assert_eq!(note("", silent), "", "{silent}");
    }
    assert_eq!(note("--quiet", "ok\n"), "");
    for (file, text) in [
        ("talks/fr/a.txt", "il ne sait pas ce que marie veut\n"),
        ("talks/fr/b.srt", "1\n00:00:01,000 --> 00:00:02,000\non y va tout de suite\n"),
        ("talks/fr/c.txt", "ok\n"),
        ("talks/en/d.txt", "the man saw it in london\n"),
        ("talks/en/e.txt", "we have not seen it yet\n"),
        ("talks/sv/f.txt", "jag vet tyvärr inte det heller\n"),
    ] {
        fs::create_dir_all(room.path(file).parent().unwrap()).unwrap();
        fs::write(room.path(file), text).unwrap();
    }
    let said = note("talks -o out", "");
    let lines: Vec<&str> = said.lines().collect();
    let [french, swedish, summary] = lines[..] else { panic!("{said}") };
    assert!(swedish.contains("f.txt looks Swedish, but is restored as English"), "{said}");
    assert!(french.contains("c.txt: restored as French, as most texts in its folder are"), "{said}");
    assert!(
        summary.ends_with("6 changed, 0 as they were, 0 failed; languages: English 3, French 3"),
        "{said}"
    );
    assert!(note("talks --diff", "").ends_with("languages: English 3, French 3\n"));
    assert!(note("talks/fr/a.txt talks/en/d.txt", "").ends_with("languages: English 1, French 1\n"));
    assert_eq!(note("talks/fr/a.txt", ""), "");
}
