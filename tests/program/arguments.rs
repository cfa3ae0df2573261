//! Impossible arguments, and arguments that are meant under another name.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::room::Room;

#[test]
fn arguments_that_cannot_be_are_exit_code_2() {
    let room = Room::new();
    room.write("a.txt", "a\n");
    for verb in ["restore --model model a.txt", "train majority a.txt -o other", "lexicon build a.txt"] {
        room.fails(&format!("{verb} --threads 0"), b"", 2, &["--threads", "0", "expected a number from 1"]);
        room.fails(&format!("{verb} --threads many"), b"", 2, &["--threads", "many"]);
    }
    for verb in
        ["train majority a.txt -o other", "lexicon build a.txt", "corpus stats a.txt", "score a.txt a.txt"]
    {
        let problem = "--lang \"english\" is not a language tag: expected one such as en";
        room.fails(&format!("{verb} --lang english"), b"", 2, &[problem]);
    }
    let languages = ["\"tlh\"", &majuscule_restore::models::LANGUAGES.join(", "), "--model"];
    room.fails("restore --lang tlh a.txt", b"", 2, &languages);
    room.fails("restore --case loud a.txt", b"", 2, &["loud", "auto", "keep", "ignore"]);
    room.fails("restore --sentence-start 1 a.txt", b"", 2, &["auto", "always", "never"]);
    room.fails("restore --modle x", b"", 2, &["--modle", "--model"]);
    // An unknown option is not read as a file either.
    for line in ["restore --qqq", "train maxent --qqq", "serv", "restore --in-place=x --qqq"] {
        let said = String::from_utf8(room.run(line, b"").stderr).unwrap();
        assert!(said.contains("error: ") && !said.contains("as a value"), "{said}");
    }
    room.fails("--marks", b"", 2, &["majuscule restore --marks"]);
    room.fails("restor", b"", 2, &["restor", "restore"]);
    room.fails("train oracle a.txt -o other", b"", 2, &["oracle"]);
    room.fails("train majority a.txt", b"", 2, &["--output"]);
    room.fails("train majority -o other", b"", 2, &["no files"]);
    room.fails("completions cmd", b"", 2, &["bash"]);
    room.fails("", b"", 2, &["Usage"]);
}

#[test]
fn what_is_asked_for_by_another_name_is_answered() {
    let room = Room::new();
    let spoken = b"where did you go i went to lisbon with my mother";
    assert_eq!(room.out("restore --punctuate", spoken), room.out("restore --marks", spoken));
    // Text that has its punctuation stays as it is, unless all of it is requested.
    let written = b"Well, we met.\nso where did you go i went to lisbon\nYes, we did.\n";
    assert_eq!(room.out("restore --marks=auto", written), room.out("restore --marks", written));
    assert!(!String::from_utf8(room.out("restore --marks", written)).unwrap().contains('?'));
    assert!(String::from_utf8(room.out("restore --marks=all", written)).unwrap().contains("? I went"));
    for (line, parts) in [
        ("restore --marks=every", ["is not a known punctuation mark", "--marks"]),
        #[cfg(not(feature = "service"))]
        ("serve --port 80", ["--features service", "--stream"]),
        ("truecase a.txt", ["majuscule restore", "truecase"]),
        #[cfg(not(feature = "neural"))]
        ("train bert a.txt -o model", ["--features neural", "bert"]),
        #[cfg(not(feature = "neural"))]
        ("train bilstm a.txt -o model", ["--features neural", "bilstm"]),
        #[cfg(not(feature = "neural"))]
        ("train cnn-bilstm a.txt -o model", ["--features neural", "cnn-bilstm"]),
    ] {
        room.fails(line, b"", 2, &parts);
    }
}
