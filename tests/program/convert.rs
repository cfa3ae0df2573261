//! `majuscule convert` as a user meets it: its output, its errors and their locations, and its
//! notes on parts that are left out.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::command::run_with_input;

/// A temporary folder of one test, with the files of examples/ in it.
struct Room(TempDir);

impl Room {
    fn new() -> Self {
        let room = Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        for name in ["talk.srt", "talk.vtt", "talk.ctm", "talk.json"] {
            fs::copy(Path::new(crate::ROOT).join("examples").join(name), room.path(name)).unwrap();
        }
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, line: &str, input: &str) -> Output {
        let args: Vec<&str> = ["convert"].into_iter().chain(line.split_whitespace()).collect();
        run_with_input(self.0.path(), &args, input.as_bytes())
    }

    /// Returns the standard output and the standard error of a command that must succeed.
    fn both(&self, line: &str, input: &str) -> (String, String) {
        let output = self.run(line, input);
        let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{line}: {error}");
        (out, error)
    }

    /// Returns the standard output of a command that must succeed without a message.
    fn out(&self, line: &str, input: &str) -> String {
        let (out, error) = self.both(line, input);
        assert_eq!(error, "", "{line}");
        out
    }

    fn fails(&self, line: &str, input: &str, code: i32, begins: &str) {
        let output = self.run(line, input);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}: {error}");
        let begins = format!("majuscule: {begins}");
        assert!(error.starts_with(&begins), "{line}: {error:?} does not begin with {begins:?}");
    }
}

#[test]
fn all_formats_come_back_from_json_lines() {
    let room = Room::new();
    room.write(
        "talk.stm",
        ";; a talk\nt 1 ana 0.50 3.00 <o,f0,female> so { in / on } lisbon [laugh] <breath>\n",
    );
    room.write("talk.txt", "so we\n\n  met \n");
    for name in ["talk.srt", "talk.vtt", "talk.ctm", "talk.json", "talk.stm", "talk.txt"] {
        let objects = room.out(&format!("{name} --to jsonl"), "");
        room.write("talk.jsonl", &objects);
        assert_eq!(room.out(&format!("talk.jsonl -o back.{name}"), ""), "");
        assert_eq!(room.out(&format!("back.{name} --to jsonl"), ""), objects, "{name}");
        if !["talk.vtt", "talk.json"].contains(&name) {
            assert_eq!(room.read(&format!("back.{name}")).trim_end(), room.read(name).trim_end());
        }
    }
    assert!(room.read("talk.jsonl").starts_with("{\"text\":\"so we\"}\n{\"text\":\"\"}\n"));
}

#[test]
fn subtitles_go_both_ways() {
    let room = Room::new();
    let srt =
        "1\n00:00:01,000 --> 00:00:02,500\nme & <i>ana</i>\n- <3\n\n2\n01:00:00,000 --> 01:00:01,000\nso\n\n";
    let vtt = "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.500\nme &amp; <i>ana</i>\n- &lt;3\n\n2\n01:00:00.000 --> 01:00:01.000\nso\n\n";
    assert_eq!(room.out("- --from srt --to vtt", srt), vtt);
    assert_eq!(
        room.out("- --from vtt --to srt -o -", &vtt.replace('\n', "\r\n").replace(" 00:00:", " 00:")),
        srt
    );
    let unnumbered = "WEBVTT\n\n00:01.000 --> 00:02.000\nso\n";
    assert_eq!(room.out("- --from vtt --to srt", unnumbered), "1\n00:00:01,000 --> 00:00:02,000\nso\n\n");
}

#[test]
fn subtitles_of_editors_and_broadcasters_are_converted() {
    let room = Room::new();
    assert_eq!(room.out("talk.srt -o talk.ass", ""), "");
    assert!(room.read("talk.ass").contains("\nDialogue: 0,0:00:26.50,0:00:28.90,Default,,0,0,0,,you will"));
    assert_eq!(room.out("talk.ass --to srt", "").trim_end(), room.read("talk.srt").trim_end());
    let ttml = "<?xml version=\"1.0\"?>\n<tt xmlns=\"http://www.w3.org/ns/ttml\" ttp:frameRate=\"25\">\n<head><layout/></head>\n<body><div>\n\
                <p xml:id=\"a\" begin=\"00:00:01:05\" dur=\"2s\">so <span tts:fontStyle=\"italic\">ana</span><br/>\n  &amp; we</p>\n\
                </div></body></tt>\n";
    room.write("talk.ttml", ttml);
    room.fails(
        "talk.ttml -o out.vtt --strict",
        "",
        1,
        "talk.ttml, line 3, column 1: the head \"<head><layout/></head>\" would be lost, since .vtt",
    );
    let (vtt, told) = room.both("talk.ttml --to vtt", "");
    assert_eq!(vtt, "WEBVTT\n\na\n00:00:01.200 --> 00:00:03.200\nso <i>ana</i>\n&amp; we\n\n");
    assert_eq!(told, "majuscule: left out: 1 head\n");
    let (ass, told) = room.both("talk.ttml --to ass", "");
    let event = "Dialogue: 0,0:00:01.20,0:00:03.20,Default,,0,0,0,,so {\\i1}ana{\\i0}\\N& we\n";
    assert!(ass.ends_with(event), "{ass}");
    assert_eq!(told, "majuscule: left out: identifiers of 1 cue, 1 head\n");
    room.write("out.ass", &ass);
    assert_eq!(room.both("out.ass --to text", "").0, "so ana & we\n");
    // Margins of zeros count as no margins.
    let zeros = "[Events]\nFormat: Start, End, MarginL, Text\nDialogue: 0:00:01.00,0:00:02.00,0000,so\n";
    let (srt, told) = room.both("- --from ass --to srt", zeros);
    assert_eq!(srt, "1\n00:00:01,000 --> 00:00:02,000\nso\n\n");
    assert_eq!(told, "majuscule: left out: 1 script\n");
    room.fails(
        "talk.srt -o out.ttml",
        "",
        2,
        "TTML can be read, but not written: convert to .srt, .vtt or .ass",
    );
}

#[test]
fn tags_of_webvtt_alone_are_left_out_and_told() {
    let vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>So <i>we</i> <00:01.500><c.x>met</c>\n\n";
    let (out, error) = Room::new().both("- --from vtt --to srt", vtt);
    assert_eq!(out, "1\n00:00:01,000 --> 00:00:02,000\nSo <i>we</i> met\n\n");
    assert_eq!(error, "majuscule: left out: tags of 1 cue\n");
}

#[test]
fn what_would_be_lost_is_named_with_its_place() {
    let room = Room::new();
    let long = "1\n00:00:01,000 --> 00:00:02,000\nso\nwe\n";
    let fine = "{\"begin\":0.0001,\"end\":1,\"text\":\"so\"}";
    for (line, input, begins) in [
        (
            "talk.srt --to vtt --strict",
            "",
            "talk.srt, line 7, column 1: the tag \"{\\an8}\" would be lost, since .vtt cannot hold it: convert without --strict",
        ),
        (
            "talk.vtt --to srt --strict",
            "",
            "talk.vtt, line 1, column 1: the header \"- an evening at the library\" would be lost, since .srt",
        ),
        (
            "talk.srt --to text --strict",
            "",
            "talk.srt, line 2, column 1: the time 1 would be lost, since plain text",
        ),
        (
            "talk.ctm --to srt --strict",
            "",
            "talk.ctm, line 1, column 1: the comment \"an evening at the library, as",
        ),
        (
            "- --from ctm --to srt --strict",
            "r A 0 1 so 0.9\n",
            "standard input, line 1, column 1: the recording \"r\" would be lost",
        ),
        (
            "- --from ctm --to srt --strict",
            "- - 0 1 so 0.9\n",
            "standard input, line 1, column 12: the confidence \"0.9\" would be lost",
        ),
        (
            "- --from srt --to ctm --strict",
            long,
            "standard input, line 1, column 1: the identifier \"1\" would be lost, since .ctm",
        ),
        (
            "- --from srt --to ctm",
            long,
            "standard input, line 3, column 1: found several words with one timing",
        ),
        (
            "- --from text --to srt",
            "so\n",
            "standard input, line 1, column 1: found no beginning, but in .srt",
        ),
        (
            "- --from jsonl --to srt --strict",
            fine,
            "standard input, line 1, column 10: the digits of 0.0001 beyond milliseconds would be lost",
        ),
        (
            "- --from jsonl --to vtt",
            "{\"begin\":1,\"end\":1,\"text\":\"a\\n\\nb\"}",
            "standard input, line 1, column 27: found an empty line in a text",
        ),
        (
            "- --from jsonl --to srt",
            "{\"begin\":1,\"end\":1,\"text\":\"a<b>c\"}",
            "standard input, line 1, column 27: found text that would be read as tags",
        ),
        (
            "- --from vtt --to srt --strict",
            "WEBVTT\n\na\n00:01.000 --> 00:02.000\nso",
            "standard input, line 3, column 1: the identifier \"a\", which is not a number,",
        ),
        (
            "- --from srt --to ass --strict",
            "1\n0:00:01,005 --> 0:00:02,000\nso",
            "standard input, line 2, column 1: the digits of 1.005 beyond hundredths would be lost, since .ass",
        ),
        (
            "- --from srt --to ass",
            "1\n0:00:01,000 --> 0:00:02,000\nso {it}",
            "standard input, line 3, column 1: found text that would be read as overrides, remarks or line",
        ),
        (
            "- --from srt --to vtt --strict",
            "1\n0:00:01,000 --> 0:00:02,000 X1:4\nso",
            "standard input, line 2, column 29: the coordinates \"X1:4\" would be lost",
        ),
        (
            "- --from jsonl --to stm --strict",
            "{\"label\":\"o\",\"begin\":0,\"end\":1,\"text\":\"so\"}",
            "standard input, line 1, column 10: the label \"o\", which is not in <>, would be lost",
        ),
    ] {
        room.fails(&format!("{line} -o out"), input, 1, begins);
        assert!(!room.path("out").exists(), "{line}");
    }
}

#[test]
fn what_is_left_out_is_told() {
    let room = Room::new();
    let (srt, told) = room.both("talk.vtt --to srt", "");
    assert!(srt.starts_with("1\n00:00:01,000 --> 00:00:03,400\n[music]\n\n2\n"), "{srt}");
    assert!(srt.contains("nothing but <i>a map\nof spain</i> & two"), "{srt}");
    assert!(told.starts_with("majuscule: left out: identifiers of "), "{told}");
    assert!(told.trim_end().ends_with("settings of 2 cues, 1 header, 2 notes, 1 style"), "{told}");
    let (text, _) = room.both("talk.srt --to text", "");
    assert!(
        text.starts_with("[applause]\ngood evening, and welcome to the city library in lisbon.\n"),
        "{text}"
    );
    let (ctm, told) = room.both("talk.json --to ctm", "");
    assert!(ctm.starts_with("- - 4.00 0.32 good 0.98\n- - 4.32 0.41 evening 0.99\n"), "{ctm}");
    assert!(told.contains("bounds of "), "{told}");
    assert_eq!(
        room.both("- --from jsonl --to srt", "{\"begin\":0.0006,\"end\":1,\"text\":\"so\"}").0,
        "1\n00:00:00,001 --> 00:00:01,000\nso\n\n"
    );
}

#[test]
fn words_alone_are_text() {
    let room = Room::new();
    assert_eq!(room.out("- --from jsonl --to text --field said", "{\"said\":\"so\"}"), "so\n");
    room.fails("- --from conll --to text", "so\n", 2, "CoNLL cannot be converted: expected text, subtitles");
}

#[test]
fn numbers_keep_every_digit() {
    let room = Room::new();
    let ctm = "r A 12345678901.123456789012345678901234 0.1 so 0.98765432109876543210987654321\n";
    let objects = room.out("- --from ctm --to jsonl", ctm);
    assert_eq!(room.out("- --from jsonl --to ctm", &objects), ctm.replace("0.1 so", "0.10 so"));
}

#[test]
fn bad_input_and_bad_arguments_are_told_apart() {
    let room = Room::new();
    room.write("bad.srt", "\nno\n");
    room.fails(
        "bad.srt -o out.vtt",
        "",
        1,
        "bad.srt, line 2, column 1: found \"no\", but the number of a cue is expected",
    );
    room.fails(
        "- --from srt --to vtt --input-limit 1M -o out.vtt",
        &format!("1\n00:00:01,000 --> 00:00:02,000\n{}", "so\n".repeat(400_000)),
        1,
        "standard input, line 349517: an item, such as a cue or a header, is longer than 1M",
    );
    room.fails(
        "- --from whisper-json --to srt",
        "{\"segments\":[{\"start\":0,\"end\":1,\"text\":null}]}",
        1,
        "standard input, line 1, column 14: found no string \"text\", but a segment is expected to have one",
    );
    room.fails("missing.srt -o out.vtt", "", 1, "cannot open missing.srt");
    room.fails(
        "- -o out.vtt",
        "",
        2,
        "standard input has no file extension that shows its format: name the format with --from",
    );
    room.fails(
        "talk.srt",
        "",
        2,
        "standard output has no file extension that shows its format: name the format with --to",
    );
    room.fails(
        "talk.srt -o talk.sub",
        "",
        2,
        "talk.sub has no known file extension, such as .vtt: name the format with --to",
    );
    room.fails("talk.srt -o talk.srt", "", 2, "talk.srt is both input and output");
    room.fails("talk.srt -o out.vtt --field x", "", 2, "--field is for jsonl");
    room.fails(
        "- --from jsonl --to text --field a.b",
        "",
        2,
        "--field a.b: convert accepts only a field of the object itself",
    );
    assert!(!room.path("out.vtt").exists());
}

#[test]
fn other_encodings_are_read() {
    let room = Room::new();
    let wide: Vec<u8> =
        "\u{feff}1\n00:00:01,000 --> 00:00:02,000\nolá\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(room.path("wide.srt"), wide).unwrap();
    let vtt = "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nolá\n";
    assert_eq!(room.out("wide.srt --to vtt", "").trim_start_matches('\u{feff}').trim_end(), vtt.trim_end());
    {
        fs::write(room.path("old.srt"), b"1\n00:00:01,000 --> 00:00:02,000\nol\xe1\n").unwrap();
        assert_eq!(room.out("old.srt --to vtt --encoding windows-1252", "").trim_end(), vtt.trim_end());
        assert_eq!(room.run("old.srt --to vtt", "").status.code(), Some(1));
    }
    fs::write(room.path("double.srt"), b"1\n00:00:01,000 --> 00:00:02,000\n\x93\xfa\x83A\n").unwrap();
    let vtt = vtt.replace("olá", "日ア");
    assert_eq!(room.out("double.srt --to vtt --encoding shift_jis", "").trim_end(), vtt.trim_end());
    fs::write(room.path("seven.srt"), b"1\n00:00:01,000 --> 00:00:02,000\nol \x1b$B$3$s\x1b(B\n").unwrap();
    room.fails("seven.srt --to vtt", "", 1, "seven.srt, line 3, column 4: found ISO-2022, an encoding of");
}

#[test]
fn words_with_times_become_cues() {
    let room = Room::new();
    let (cues, told) = room.both("talk.ctm --to srt --cues sentence", "");
    let expected = "\
1
00:00:04,000 --> 00:00:07,200
good evening and welcome
to the city library in lisbon

2
00:00:07,800 --> 00:00:11,624
tonight we talk to professor helen
carter who came from edinburgh

3
00:00:12,100 --> 00:00:15,020
i worked for the bbc
in london until october

";
    assert_eq!(cues, expected);
    let left =
        "tags of 5 words, confidences of 31 words, recordings of 3 cues, channels of 3 cues, 1 comment";
    assert_eq!(told, format!("majuscule: left out: {left}\n"));
    let (cues, told) = room.both("talk.json --to vtt --cues sentence --lang en", "");
    assert!(cues.ends_with("00:00:13.800 --> 00:00:14.800\nhow was it?\n\n"), "{cues}");
    assert_eq!(told, "majuscule: left out: other fields of 3 segments, 1 document\n");
}

#[test]
fn subtitles_are_cut_anew() {
    let room = Room::new();
    for name in ["talk.srt", "talk.vtt"] {
        let (cues, told) = room.both(&format!("{name} --to srt --cues sentence --max-chars 30"), "");
        let divided = "segments: their times were interpolated by character count\n";
        assert!(told.contains(divided) && told.contains("characters a second ("), "{told}");
        let mut lines = cues.lines().filter(|line| !line.contains("-->"));
        let shown = |line: &str| line.replace("{\\an8}", "").replace("<i>", "").replace("</i>", "");
        assert!(
            lines.all(|line| shown(line).replace("<b>", "").replace("</b>", "").chars().count() <= 30),
            "{cues}"
        );
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let said = |text: &str| words(&text.replace(['-', '\n'], " "));
        let (before, after) = (room.both(&format!("{name} --to text --no-speakers"), "").0, {
            room.write("cut.srt", &cues);
            room.both("cut.srt --to text", "").0
        });
        assert_eq!(said(&before), said(&after));
    }
}

#[test]
fn limits_of_cues_are_checked() {
    let room = Room::new();
    let cut = |options: &str| format!("talk.ctm -o out.srt {options}");
    room.fails(
        &cut("--cues sentence --max-chars 3"),
        "",
        2,
        "--max-chars 3: expected 10 to 100 characters per line, such as 42",
    );
    room.fails(
        &cut("--cues sentence --min-seconds 9"),
        "",
        2,
        "--min-seconds 9: expected 0 seconds or more, and no more than --max-seconds 7",
    );
    room.fails("talk.srt -o out.ctm --cues sentence", "", 2, "--cues: .ctm has no cues: write .srt, .vtt");
    room.fails("- --from text -o out.srt --cues sentence", "so", 2, "plain text has no times, but cues are");
    room.fails(
        "- --from ctm -o out.srt --cues sentence",
        "t 1 3 0.2 so\nt 1 2 0.2 we\n",
        1,
        "standard input, line 2, column 5: found \"we\" at 2, after a word at 3, but words are expected in the order",
    );
    assert!(!room.path("out.srt").exists());
}
