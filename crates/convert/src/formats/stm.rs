//! .stm: turns.

use majuscule_format::Format;

use super::{dropped, written};

#[test]
fn what_is_not_said_is_tags() {
    let rows = "t 1 ana 0.50 3.00 <o> so { we / they } met <laugh>\nt 1 - 3.00 4.00 ignore_time_segment_in_scoring\n";
    let objects = written(Format::Stm, Format::Jsonl, rows);
    let expected = [
        r#"{"recording":"t","channel":"1","speaker":"ana","begin":0.5,"end":3.0,"text":"so we met","tags":[[2,"{"],[5,"/ they }"],[9,"<laugh>"]],"label":"<o>"}"#,
        r#"{"recording":"t","channel":"1","begin":3.0,"end":4.0,"text":"","tags":[[0,"ignore_time_segment_in_scoring"]]}"#,
    ];
    assert_eq!(objects.lines().collect::<Vec<_>>(), expected);
    assert_eq!(written(Format::Jsonl, Format::Stm, &objects), rows);
}

#[test]
fn a_voice_is_the_speaker() {
    let file =
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v.loud Ana Reis>so we met</v>\n\n00:02.000 --> 00:03.000\nyes\n";
    let rows = dropped(Format::Vtt, Format::Stm, file);
    assert_eq!(rows, "- - Ana_Reis 1.00 2.00 so we met\n- - - 2.00 3.00 yes\n");
    let words = dropped(Format::Vtt, Format::Ctm, &file.replace(" we met", ""));
    assert!(words.starts_with("- - 1.00 1.00 so NA NA Ana_Reis\n"), "{words}");
}
