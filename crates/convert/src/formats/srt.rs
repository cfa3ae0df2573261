//! .srt: cues.

use majuscule_format::Format;

use std::path::Path;

use super::written;
use crate::{Conversion, CueCut};
use majuscule_base::files::Input;

#[test]
fn empty_lines_may_stand_in_a_cue_and_be_missing_between_two() {
    let timing = "00:00:01,000 --> 00:00:02,500";
    let file = format!(
        "1\n{timing}\n\nso it\n \t\nwas. and\n\u{a0}\n2\n{timing}\nthen\n\n\n3\n{timing}\n7\n4\n{timing}\nno\n\n"
    );
    let cue = |number: u32, text: &str| format!("{number}\n{timing}\n{text}\n\n");
    let whole = cue(1, "so it\nwas. and\n\u{a0}") + &cue(2, "then") + &cue(3, "7") + &cue(4, "no");
    assert_eq!(written(Format::Srt, Format::Srt, &file), whole);
}

#[test]
fn times_need_no_fraction() {
    let file = "1\n00:00:01 --> 00:00:02,5 X1:4\nso\n\n2\n0:03 --> 0:04\nyes\n";
    let times = written(Format::Srt, Format::Jsonl, file);
    assert!(times.contains("\"begin\":1.0,\"end\":2.5") && times.contains("\"begin\":3.0,"), "{times}");
}

#[test]
fn a_number_without_a_timing_is_text_of_the_cue_before() {
    let cue = |text: &str| format!("1\n00:00:01,000 --> 00:00:02,500\n{text}\n\n");
    let file = cue("so it was in.") + "2001\nwas the year.\n\n" + &cue("no");
    let whole = cue("so it was in.\n2001\nwas the year.") + &cue("no");
    assert_eq!(written(Format::Srt, Format::Srt, &file), whole);
}

#[test]
fn two_byte_order_marks_are_none() {
    for file in ["1\n00:00:01,000 --> 00:00:02,000\nyes\n\n", "00:00:01,000 --> 00:00:02,000\nyes\n\n"] {
        let marked = format!("\u{feff}\u{feff}{file}");
        assert_eq!(written(Format::Srt, Format::Jsonl, &marked), written(Format::Srt, Format::Jsonl, file));
    }
}

#[test]
fn speakers_are_named_where_they_change() {
    let json = r#"{"segments":[{"start":0,"end":1,"speaker":"Ana","text":"so we","words":[{"word":"so","start":0,"end":0.5},{"word":"we","start":0.5,"end":1}]},{"start":1,"end":2,"speaker":"Ana","text":"met"},{"start":2,"end":3,"speaker":"Rui","text":"yes"}]}"#;
    let vtt = "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ana>so <i>we</i>\n\n00:01.000 --> 00:02.000\nmet\n\n00:02.000 --> 00:03.000\n<v Rui>yes\n";
    let run = |from, to, text: &str, cut| {
        let mut out = Vec::new();
        let input = Input::of_text("data", text.as_bytes());
        let conversion = Conversion { from, to, cut, speakers: Some(true), ..Conversion::default() };
        conversion.run(input, &mut out, Path::new("out")).unwrap();
        String::from_utf8(out).unwrap()
    };
    let srt = "1\n00:00:00,000 --> 00:00:01,000\nANA: so we\n\n2\n00:00:01,000 --> 00:00:02,000\nmet\n\n3\n00:00:02,000 --> 00:00:03,000\nRUI: yes\n\n";
    assert_eq!(run(Format::WhisperJson, Format::Srt, json, None), srt);
    assert_eq!(run(Format::Vtt, Format::Srt, vtt, None), srt.replace("so we", "so <i>we</i>"));
    assert_eq!(run(Format::WhisperJson, Format::Text, json, None), "Ana: so we met\n\nRui: yes\n");
    let cues = run(Format::WhisperJson, Format::Srt, json, Some(CueCut::Sentence));
    assert!(cues.contains("ANA: so we met\n") && cues.contains("RUI: yes\n"), "{cues}");
    // A format with a place for speakers keeps it.
    assert!(run(Format::WhisperJson, Format::Vtt, json, None).contains("<v Ana>so we\n"));
}
