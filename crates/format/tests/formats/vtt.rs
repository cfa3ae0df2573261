//! Tests of `vtt`.

use crate::laws::{self, check, error, pieces, starts, words};
use majuscule_format::Format;
use majuscule_text::Case;
use majuscule_text::RestoreOptions;

const FILE: &str = "WEBVTT - a talk\nKind: captions\n\nSTYLE\n::cue(b) { color: red }\n\nNOTE so it is\nand goes on\n\n\
                    intro\n00:01.000 --> 00:02.500 align:start position:0%\n<v Ana Reis>so <b.loud>rui</b> said\n\n\
                    00:00:02.500 --> 00:00:04.000\n<v Ana Reis>that <00:00:03.000>we go. yes\n<v Rui>me too.</v>\n\n\
                    NOTE\n\n1\n00:04.000 --> 00:05.000\n&gt;&gt; a --> b [music]\n";

#[test]
fn only_the_words_of_cues_are_text() {
    assert_eq!(
        words(Format::Vtt, FILE),
        ["so", "rui", "said", "that", "we", "go", "yes", "me", "too", "a", "b"]
    );
    assert_eq!(starts(Format::Vtt, FILE), ["yes", "me", "a"]);
    check(Format::Vtt, FILE);
}

#[test]
fn what_cannot_be_read_is_named_or_passed() {
    let good = "WEBVTT\n\n00:01.000 --> 00:02.500\nyes\n\n";
    let text = format!("{good}00:01.000 --> 2.500\nso");
    let found = error(Format::Vtt, &text);
    let start = "data, line 6, column 15: found \"2.500\", but a timing";
    assert!(found.starts_with(start) && found.ends_with("`lossy`"), "{found}");
    assert_eq!(words(Format::Vtt, &format!("{text}\n\n{}", &good[8..])), ["yes", "yes"]);
    let error = error(Format::Vtt, "1\n00:01.000 --> 00:02.500\nyes\n");
    assert!(error.starts_with("data, line 1, column 1: found \"1\", but WEBVTT is expected"), "{error}");
}

const TIMING: &str = "00:01.000 --> 00:02.500";

/// Returns the parts of a file that is read without an error.
fn read(file: &str) -> Vec<String> {
    assert!(pieces(Format::Vtt, file.as_bytes(), usize::MAX, RestoreOptions::default()).is_ok(), "{file}");
    check(Format::Vtt, file);
    words(Format::Vtt, file)
}

#[test]
fn a_cue_may_follow_the_header_without_an_empty_line() {
    assert_eq!(read(&format!("WEBVTT\n{TIMING}\nso it is.\n")), ["so", "it", "is"]);
    assert_eq!(read(&format!("WEBVTT\nKind: x\n1\n{TIMING}\nyes\n")), ["yes"]);
}

#[test]
fn blocks_without_a_timing_are_passed_over() {
    let cue = format!("{TIMING}\nyes\n\n");
    for block in
        ["WEBVTT", "and from there.", "WEBVTT - b\nKind: captions", "Region: id=a", "note\nx", "7", "}"]
    {
        assert_eq!(read(&format!("WEBVTT\n\n{cue}{block}\n\n{cue}")), ["yes", "yes"], "{block}");
        assert_eq!(read(&format!("WEBVTT\n\n{cue}{block}")), ["yes"], "{block}");
    }
    assert_eq!(read(&format!("WEBVTT\n\nSTYLE\n::cue {{\n\ncolor: red }}\n\n{cue}")), ["yes"]);
}

#[test]
fn a_return_alone_ends_a_line_anywhere() {
    let file = format!("WEBVTT\n\n{TIMING}\r\nso\r\ra\r{TIMING}\rwe\r\n\r");
    assert_eq!(read(&file), ["so", "we"]);
}

#[test]
fn data_in_a_cue_is_no_text() {
    let cues = |data: &str| format!("WEBVTT\n\n{TIMING}\n{data}\n\n{TIMING}\n{{yes}}\n");
    for data in
        ["{\n \"type\": \"place\",\n \"so\": [\"it\"]\n}", "{\"a\": \"b\"}", "[ {\n}", "[\n{\n}\n]", "{}"]
    {
        let file = cues(data);
        assert_eq!(read(&file), ["yes"], "{data}");
    }
    assert_eq!(read(&cues("[music]\n{so}"))[..1], ["so"]);
}

#[test]
fn a_file_is_named_webvtt_too() {
    assert_eq!(Format::named("talk.en.webvtt".as_ref()), Some(Format::Vtt));
}

/// Makes roll-up captions like YouTube's: each line comes word by word, then stays, then moves up.
fn rolling(lines: &[&str]) -> String {
    let mut file = "WEBVTT\nKind: captions\n".to_owned();
    let clock = |at: usize| format!("{:02}:{:02}:{:02}", at / 3600, at / 60 % 60, at % 60);
    let mut last = " ";
    for (at, line) in lines.iter().enumerate() {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.split_whitespace().map(|word| format!("<00:01.500><c> {word}</c>"));
        let rest: String = rest.collect();
        let (begin, end) = (clock(at), clock(at + 1));
        file += &format!("\n{begin}.010 --> {end}.000 align:start\n{last}\n{first}{rest}\n");
        file += &format!("\n{end}.000 --> {end}.010 align:start\n{line}\n \n");
        last = line;
    }
    file
}

fn cased(file: &str) -> String {
    let case = |number: usize, _: &str| [Case::Title, Case::Upper, Case::Lower][number % 3];
    let written = laws::written(Format::Vtt, file.as_bytes(), case);
    String::from_utf8(written).unwrap().replace("<00:01.500><c>", "").replace("</c>", "")
}

#[test]
fn a_line_that_rolls_up_is_one_text() {
    let file = rolling(&["so we met ana,", "in lisbon", "in lisbon. é", "yes"]);
    assert_eq!(read(&file), ["so", "we", "met", "ana", "in", "lisbon", "in", "lisbon", "é", "yes"]);
    assert_eq!(starts(Format::Vtt, &file), ["é"]);
    let text = cased(&file);
    for (line, count) in [("SO we Met ANA,", 3), ("in Lisbon", 3), ("IN lisbon. É", 3), ("YES", 2)] {
        assert_eq!(text.lines().filter(|found| *found == line).count(), count, "{line} {text}");
    }
    // A line in a cue of its own is a repetition too.
    let file = "WEBVTT\n\n00:01.000 --> 00:02.000\nana\n\n00:02.000 --> 00:03.000\nso we\n\n";
    let file = format!("{file}00:03.000 --> 00:04.000\nso we\nmet\n");
    assert_eq!(cased(&file).lines().filter(|line| *line == "so We").count(), 2);
    // A line that appears again later, or after a gap, is a text of its own.
    let cue = |from: u32, to: u32, text: &str| format!("00:0{from}.000 --> 00:0{to}.000\n{text}\n\n");
    let file = cue(1, 2, "so\nwe") + &cue(2, 3, "we\nmet\nwe") + &cue(3, 4, "so") + &cue(5, 6, "so");
    assert_eq!(read(&format!("WEBVTT\n\n{file}")), ["so", "we", "met", "we", "so", "so"]);
}

#[test]
fn lines_roll_up_from_piece_to_piece() {
    let names: Vec<String> = (0..3000).map(|at| format!("we met ana{at} there")).collect();
    let lines: Vec<&str> = names.iter().map(String::as_str).collect();
    let cased = cased(&rolling(&lines));
    let texts: Vec<&str> = cased.lines().filter(|line| line.to_lowercase().starts_with("we met")).collect();
    assert_eq!(texts.len(), 3 * names.len() - 1);
    // Each appears three times: as it comes, alone, and above the next.
    for (name, same) in names.iter().zip(texts.chunks(3)) {
        assert!(
            same.iter().all(|text| *text == same[0] && text.eq_ignore_ascii_case(name)),
            "{name} {same:?}"
        );
    }
}
