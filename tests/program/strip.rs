//! `majuscule strip` as a user meets it: its outputs, and its errors.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::room::Room;

const TEXT: &str = "\"It's late,\" said Ana – at 10:30, in the U.S. office (twice)...\n";

#[test]
fn options_choose_what_is_taken_out() {
    let room = Room::new();
    let out = |line: &str| String::from_utf8(room.out(line, TEXT.as_bytes())).unwrap();
    assert_eq!(out("strip"), "it's late said ana at 10:30 in the u.s office twice\n");
    assert_eq!(out("strip --case --marks"), out("strip"));
    assert_eq!(out("strip --case"), TEXT.to_lowercase());
    assert_eq!(out("strip --marks"), "It's late said Ana at 10:30 in the U.S office twice\n");
    let turkish = room.out("strip --case --lang tr", "IŞIK".as_bytes());
    assert_eq!(String::from_utf8(turkish).unwrap(), "ışık");
}

#[test]
fn restoring_a_stripped_text_changes_only_case() {
    let room = Room::new();
    let bare = room.out("strip", TEXT.as_bytes());
    let restored = room.out("restore --model model", &bare);
    assert_eq!(String::from_utf8(restored).unwrap().to_lowercase(), String::from_utf8(bare).unwrap());
}

#[test]
fn subtitles_and_transcripts_are_stripped_once() {
    let room = Room::new();
    for ending in ["srt", "vtt", "ctm", "json"] {
        let (once, twice) = (format!("a.{ending}"), format!("b.{ending}"));
        room.out(&format!("strip {}/examples/talk.{ending} -o {once}", crate::ROOT), b"");
        room.out(&format!("strip {once} -o {twice}"), b"");
        assert_eq!(room.read(&twice), room.read(&once));
    }
}

#[test]
fn texts_go_to_one_output_or_to_a_folder() {
    let room = Room::new();
    let cue = "1\n00:00:01,000 --> 00:00:02,000\nSo, Ana!\n";
    room.write("a.txt", "We met.\n").write("b.srt", cue).write("c.txt", [b'\xff', 0, 0, 1]);
    assert_eq!(room.out("strip a.txt a.txt", b""), b"we met\nwe met\n");
    room.out("strip a.txt b.srt -o all.txt", b"");
    assert_eq!(room.read("all.txt"), format!("we met\n{}", cue.replace("So, Ana!", "so ana")));
    let output = room.run("strip a.txt b.srt c.txt -o out/", b"");
    assert_eq!(output.status.code(), Some(1), "one of them is not text");
    assert_eq!(room.read("out/a.txt"), "we met\n");
    assert!(room.path("out/b.srt").exists() && !room.path("out/c.txt").exists());
    room.fails("strip a.txt -o all.txt", b"", 2, &["all.txt exists already"]);
}

#[test]
fn what_has_no_text_or_no_place_is_refused() {
    let room = Room::new();
    assert_eq!(room.out("strip", b""), b"");
    room.fails("strip", b"So, \xff\n", 1, &["standard input, line 1, column 5"]);
    assert_eq!(room.out("strip --lossy", b"So, \xff\n"), b"so \xff\n");
    room.fails("strip --format srt", b"1\n00:00:01,000 --> 00", 1, &["standard input, line 2"]);
    room.fails("strip --format labels", b"So\tCOMMA\n", 2, &["labels can hold punctuation only as labels"]);
    assert_eq!(room.out("strip --format labels --case", b"So\tCOMMA\n"), b"so\tCOMMA\n");
    let numbered = b"1\tSo\tso\tADV\tRB\t_\t0\troot\t_\t_\n";
    room.fails("strip --format conll", numbered, 1, &["standard input, line 1"]);
}
