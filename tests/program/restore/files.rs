//! `restore` on files and folders: other names, in place, differences, summaries and messages.

use std::fs;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
use crate::command::program;
use crate::command::run_with_input;
use crate::room::{Room, TRAINED, cue, gzip};

#[test]
fn text_is_restored_from_files_and_standard_input() {
    let room = Room::new();
    room.write("a.txt", "anna mcdonald\n").write("b.txt", "lisbon,  and\tnew york");
    assert_eq!(room.restored("", "the bbc in lisbon.\r\n"), "The BBC in Lisbon.\r\n");
    assert_eq!(room.restored("a.txt b.txt", "unused"), "Anna McDonald\nLisbon,  and\tNew York");
    assert_eq!(room.restored("a.txt - b.txt", "bbc\n"), "Anna McDonald\nBBC\nLisbon,  and\tNew York");
    assert_eq!(room.restored("a.txt -o out.txt", ""), "");
    assert_eq!(room.read("out.txt"), "Anna McDonald\n");
    assert_eq!(room.restored("b.txt --force -o out.txt", ""), "");
    assert_eq!(room.read("out.txt"), "Lisbon,  and\tNew York");
    assert_eq!(room.names(), ["a.txt", "b.txt", "out.txt"]);
    assert_eq!(room.restored("-o - a.txt -", "i"), "Anna McDonald\nI");
    assert!(!room.path("-").exists());
    assert_eq!(room.run("restore --model model a.txt", b"").stderr, b"", "it is quiet");
    let packed = TRAINED.join("model.packed");
    let line = format!("restore --model {}", packed.display());
    assert_eq!(room.out(&line, b"o'neill of the who"), b"O'Neill of the who");
}

#[test]
fn the_output_does_not_depend_on_threads() {
    let room = Room::new();
    let text: String = (0..40_000)
        .map(|i| format!("who met number {i} of the bbc in LISBON. {}", ["\n", "us ", "\r\n\n"][i % 3]))
        .collect();
    room.write("long.txt", &text);
    let one = room.restored("--threads 1 long.txt", "");
    for threads in [2, 4] {
        assert!(room.restored(&format!("--threads {threads} long.txt"), "") == one, "{threads} threads");
        assert!(room.restored(&format!("--threads {threads}"), &text) == one, "{threads} threads, a pipe");
    }
    assert!(room.restored("", &one) == one, "a second time");
}

#[test]
fn texts_keep_their_names_in_another_folder() {
    let room = Room::new();
    fs::create_dir_all(room.path("talks/old")).unwrap();
    room.write("talks/a.srt", cue("in lisbon"))
        .write("talks/old/a.srt", cue("the bbc"))
        .write("talks/x.png", "bbc");
    room.write("talks/.b.txt", "bbc").write("b.txt", "bbc\n");
    room.write("talks/c.txt.gz", gzip("the bbc\n"));
    #[cfg(not(feature = "compression"))]
    room.write("talks/c.txt", "the bbc\n");
    assert_eq!(room.restored("talks b.txt -o new/texts/", ""), "");
    assert_eq!(room.read("new/texts/a.srt"), cue("in Lisbon"));
    assert_eq!(room.read("new/texts/old/a.srt"), cue("the BBC"));
    assert_eq!(
        (room.read("new/texts/b.txt"), room.read("new/texts/c.txt")),
        ("BBC\n".into(), "the BBC\n".into())
    );
    assert_eq!(fs::read_dir(room.path("new/texts")).unwrap().count(), 4);
    // The name of an existing folder needs no slash at its end.
    assert_eq!(room.restored("b.txt -o talks", ""), "");
    assert_eq!(room.read("talks/b.txt"), "BBC\n");
    assert_eq!(room.restored("--format srt talks -o one", ""), "");
    assert_eq!(fs::read_dir(room.path("one")).unwrap().count(), 2);

    let restore = |line: &str, code, parts: &[&str]| {
        room.fails(&format!("restore --model model {line}"), b"bbc", code, parts)
    };
    restore("talks", 2, &["no output for the texts in it", "--in-place", "-o"]);
    restore("talks -o talks", 2, &["talks/a.srt is both input and output", "--in-place"]);
    restore("b.txt talks/b.txt -o new/", 2, &["new/b.txt would be written twice"]);
    restore("- -o new/", 2, &["standard input has no file name"]);
    fs::create_dir(room.path("none")).unwrap();
    restore("none -o new", 1, &["none: is a folder, but "]);
    // If one file fails, the others are still processed.
    room.write("talks/a.srt", "so\n");
    restore("talks -o some", 1, &["talks/a.srt, line 1, column 1: found"]);
    assert!(!room.path("some/a.srt").exists());
    assert_eq!(room.read("some/old/a.srt"), cue("the BBC"));
}

#[test]
fn a_text_restored_in_place_is_never_lost() {
    let room = Room::new();
    room.write("a.srt", cue("in lisbon")).write("b.txt", "BBC Lisbon us\n").write("bad.srt", "so\n");
    let model = "restore --model model";
    room.fails(&format!("{model} --in-place=.bak a.srt bad.srt b.txt"), b"", 1, &["bad.srt, line 1"]);
    assert_eq!((room.read("a.srt"), room.read("a.srt.bak")), (cue("in Lisbon"), cue("in lisbon")));
    assert_eq!((room.read("bad.srt"), room.read("b.txt")), ("so\n".into(), "BBC Lisbon us\n".into()));
    // A file that does not change has no backup, and no other file is left.
    assert_eq!(room.names(), ["a.srt", "a.srt.bak", "b.txt", "bad.srt"]);
    assert_eq!(room.restored("--in-place=.bak a.srt", ""), "");
    // A run that was stopped after it made the backup can be repeated; a
    // different backup is not replaced.
    room.write("a.srt", cue("in lisbon"));
    assert_eq!(room.restored("--in-place=.bak a.srt", ""), "");
    assert_eq!(room.read("a.srt"), cue("in Lisbon"));
    room.write("a.srt", cue("the bbc"));
    room.fails(&format!("{model} --in-place=.bak a.srt"), b"", 1, &["a.srt.bak: exists already"]);
    assert_eq!((room.read("a.srt"), room.read("a.srt.bak")), (cue("the bbc"), cue("in lisbon")));
    fs::remove_file(room.path("bad.srt")).unwrap();
    let manifest = room.read("model/majuscule.json");
    assert_eq!(room.restored("--in-place .", ""), "");
    assert_eq!(room.read("model/majuscule.json"), manifest);
    assert_eq!(room.read("a.srt"), cue("the BBC"));
    assert_eq!(room.names(), ["a.srt", "a.srt.bak", "b.txt"]);
    {
        room.write("c.txt.gz", gzip("the bbc\n"));
        room.fails(&format!("{model} --in-place c.txt.gz"), b"", 1, &["is compressed"]);
    }
    for (line, code, part) in [
        ("--in-place", 2, "name them"),
        ("--in-place -", 2, "name them"),
        ("--in-place=a/b a.srt", 2, "expected a file extension"),
        ("--in-place=.old.srt a.srt", 2, "name another extension"),
        ("a.srt -o b.srt.gz", 2, "name b.srt"),
        ("--in-place a.srt -o c.srt", 2, "--output"),
        ("--in-place --stream b.txt", 2, "--stream"),
        ("--in-place gone.srt", 1, "gone.srt"),
        ("--in-place .bak a.srt", 2, "write --in-place=.bak"),
        ("--in-place a.srt ~", 2, "write --in-place=~"),
    ] {
        room.fails(&format!("{model} {line}"), b"bbc", code, &[part]);
    }
    // Nothing is written if the extension of the backup was given as a file.
    room.write("a.srt", cue("the bbc"));
    room.fails(&format!("{model} --in-place a.srt .bak"), b"", 2, &["or ./.bak if it is a text"]);
    assert_eq!(room.read("a.srt"), cue("the bbc"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.srt", room.path("link.srt")).unwrap();
        let said = room.run(&format!("{model} --in-place=.old link.srt"), b"").stderr;
        let said = String::from_utf8(said).unwrap();
        assert!(
            said.starts_with("majuscule: link.srt is a link: changed ") && said.contains("a.srt"),
            "{said}"
        );
        assert!(room.path("link.srt").is_symlink());
        assert_eq!((room.read("a.srt"), room.read("a.srt.old")), (cue("the BBC"), cue("the bbc")));
    }
}

#[test]
#[cfg(unix)]
fn a_link_out_of_a_folder_is_not_followed_in_place() {
    let room = Room::new();
    fs::create_dir(room.path("talks")).unwrap();
    room.write("mine.txt", "the bbc\n").write("talks/a.txt", "the bbc\n");
    std::os::unix::fs::symlink("../mine.txt", room.path("talks/b.txt")).unwrap();
    std::os::unix::fs::symlink("a.txt", room.path("talks/c.txt")).unwrap();
    room.fails(
        "restore --model model --in-place talks",
        b"",
        1,
        &["talks/b.txt: is a link to a file outside the given folder", "name an output"],
    );
    assert_eq!((room.read("mine.txt"), room.read("talks/a.txt")), ("the bbc\n".into(), "the BBC\n".into()));
    assert_eq!(room.restored("--in-place talks/b.txt", ""), "");
    assert_eq!(room.read("mine.txt"), "the BBC\n");
}

#[test]
fn what_would_change_is_shown() {
    let room = Room::new();
    room.write("a.txt", "x\nin lisbon\n").write("b.txt", "in Lisbon").write("c.txt", "in the bbc");
    let changes = "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n x\n-in lisbon\n+in Lisbon\n\
                   --- c.txt\n+++ c.txt\n@@ -1,1 +1,1 @@\n-in the bbc\n\\ No newline at end of file\n+in the BBC\n\
                   \\ No newline at end of file\n";
    assert_eq!(room.restored("--diff a.txt b.txt c.txt", ""), changes);
    let output = room.run("restore --model model --check a.txt b.txt c.txt", b"");
    assert_eq!(
        (output.status.code(), String::from_utf8(output.stdout).unwrap()),
        (Some(1), changes.to_owned())
    );
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "majuscule: 2 of 3 would change\n");
    assert_eq!(room.restored("--check b.txt", ""), "");
    room.write("a b.txt", "in lisbon\n");
    let spaced = run_with_input(room.folder(), &["restore", "--model", "model", "--diff", "a b.txt"], b"");
    assert!(spaced.stdout.starts_with(b"--- a b.txt\t\n+++ a b.txt\t\n"));
    assert_eq!(room.restored("--diff", "the bbc\n"), "--- -\n+++ -\n@@ -1,1 +1,1 @@\n-the bbc\n+the BBC\n");
    assert_eq!(room.read("a.txt"), "x\nin lisbon\n");
    room.fails("restore --model model --check b.txt gone.txt", b"", 1, &["gone.txt"]);
}

#[test]
fn many_texts_end_with_a_summary() {
    let room = Room::new();
    room.write("a.txt", "the bbc\n")
        .write("b.txt", "BBC\n")
        .write("c.txt", b"\xff")
        .write("d.txt", "in lisbon");
    let said = |line: &str| {
        String::from_utf8(room.run(&format!("restore --model model {line}"), b"").stderr).unwrap()
    };
    assert!(said("--in-place . gone.txt").ends_with("\nmajuscule: 2 changed, 1 as it was, 2 failed\n"));
    assert_eq!(said("a.txt b.txt d.txt -o new/"), "majuscule: 0 changed, 3 as they were, 0 failed\n");
    assert_eq!(said("--in-place a.txt"), "");
    assert_eq!(said("--quiet a.txt b.txt -o new/ --force"), "");
    room.write("a.txt", "the bbc\n");
    assert_eq!(said("-q --check a.txt b.txt"), "");
    assert!(said("--quiet --in-place a.txt c.txt").starts_with("majuscule: c.txt, line 1"));
}

#[test]
#[cfg(target_os = "linux")]
fn messages_that_nobody_reads_do_not_end_the_work() {
    let room = Room::new();
    let closed = || Stdio::from(std::io::pipe().unwrap().1);
    let full = || Stdio::from(fs::File::options().write(true).open("/dev/full").unwrap());
    for stderr in [closed(), full()] {
        room.write("a.txt", "the bbc\n").write("b.txt", b"\xff").write("c.txt", "in lisbon\n");
        let mut command = program();
        command.args(["restore", "--model", "model", "--in-place", "a.txt", "b.txt", "c.txt"]);
        let status = command.current_dir(room.folder()).stderr(stderr).status().unwrap();
        assert_eq!(status.code(), Some(1));
        assert_eq!((room.read("a.txt"), room.read("c.txt")), ("the BBC\n".into(), "in Lisbon\n".into()));
    }
    for (args, code) in
        [(&["restore", "--nothing"][..], 2), (&["train", "majority", "c.txt", "-o", "new"], 0)]
    {
        for stderr in [closed(), full()] {
            let mut command = program();
            command.args(args).args(["--force"].iter().filter(|_| code == 0)).current_dir(room.folder());
            assert_eq!(command.stderr(stderr).status().unwrap().code(), Some(code));
        }
    }
    // Standard output is the data: a write that fails is an error, except on a closed pipe.
    for (stdout, code) in [(closed(), 0), (full(), 1)] {
        let mut command = program();
        command.args(["restore", "--model", "model", "c.txt"]).current_dir(room.folder());
        assert_eq!(command.stdout(stdout).stderr(full()).status().unwrap().code(), Some(code));
    }
}

#[test]
#[cfg(unix)]
fn a_name_never_forges_a_patch_and_never_reaches_the_terminal_raw() {
    let room = Room::new();
    let forged = "a\n+++ victim\n@@ -1,1 +1,1 @@\n-b\n+c\n.txt";
    room.write(forged, "the bbc\n").write("\u{1b}[2J.txt", b"\xff").write("\u{9b}2J\n.json", b"{");
    let run = |args: &[&str]| run_with_input(room.folder(), args, b"");
    let diff = run(&["restore", "--model", "model", "--diff", forged]);
    let name = r#""a\n+++ victim\n@@ -1,1 +1,1 @@\n-b\n+c\n.txt""#;
    assert_eq!(
        String::from_utf8(diff.stdout).unwrap(),
        format!("--- {name}\n+++ {name}\n@@ -1,1 +1,1 @@\n-the bbc\n+the BBC\n")
    );
    // The first format had no checksum.
    let mut manifest: serde_json::Value = serde_json::from_str(&room.read("model/majuscule.json")).unwrap();
    manifest.as_object_mut().unwrap().remove("checksum");
    manifest["format"] = 1.into();
    manifest["language"] = "en\u{1b}[31m\nfile        all whole".into();
    room.write("model/majuscule.json", manifest.to_string());
    for args in [
        &["restore", "--model", "model", "--in-place", "."][..],
        &["restore", "--\u{1b}[31m"],
        &["restore", "--model", "\u{1b}[31m"],
        &["restore", "--in-place=\u{1b}/", "."],
        &["evaluate", "\u{1b}[2J.txt"],
        &["inspect", "model"],
        &["restore", "--model", "model", "--lang", "pt"],
    ] {
        let output = run(args);
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
            assert!(!text.contains("\nfile        all whole"), "{text:?}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_written_shows_progress_at_a_terminal() {
    let room = Room::new();
    if !Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no script(1) here, which makes a terminal");
        return;
    }
    room.write("long.txt", "we met the bbc in lisbon\n".repeat(2_000_000));
    let screen = |options: &str| {
        let line = format!("{} restore --model model {options}", env!("CARGO_BIN_EXE_majuscule"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(room.folder()).stdin(Stdio::null());
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    };
    assert!(screen("--threads 1 long.txt -o out.txt").contains("left"));
    room.write("short.txt", "we met the bbc in lisbon\n");
    assert!(!screen("short.txt").contains("left"));
}
