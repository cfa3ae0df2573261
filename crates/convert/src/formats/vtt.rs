//! .vtt: cues and blocks.

use majuscule_format::Format;

use super::{dropped, run, written};

const TIMING: &str = "00:01.000 --> 00:02.500";

#[test]
fn a_cue_is_a_segment_and_its_tags_stand_apart() {
    let file =
        "WEBVTT a\n\nNOTE\nb\n\nc\n00:00:01.000 --> 00:00:02.000 line:0\n<v Ana>so &lt;i&gt;\n&amp; we\n\n";
    let objects = written(Format::Vtt, Format::Jsonl, file);
    let expected = [
        r#"{"header":"a","text":null}"#,
        r#"{"note":"\nb","text":null}"#,
        r#"{"id":"c","begin":1.0,"end":2.0,"text":"so <i>\n& we","tags":[[0,"<v Ana>"]],"settings":"line:0"}"#,
    ];
    assert_eq!(objects.lines().collect::<Vec<_>>(), expected);
    assert_eq!(written(Format::Jsonl, Format::Vtt, &objects), file);
}

#[test]
fn a_byte_order_mark_names_no_cue() {
    let file = "WEBVTT\n\n\u{feff}\n00:01.000 --> 00:02.000\nso\n";
    let objects = written(Format::Vtt, Format::Jsonl, file);
    assert_eq!(objects, "{\"begin\":1.0,\"end\":2.0,\"text\":\"so\"}\n");
}

#[test]
fn a_name_that_begins_as_a_block_would_comes_back_with_its_blank() {
    let file = "WEBVTT\n\n\tSTYLE\n00:00:01.000 --> 00:00:02.000\nso\n\n";
    let objects = written(Format::Vtt, Format::Jsonl, file);
    assert_eq!(written(Format::Jsonl, Format::Vtt, &objects), file);
}

#[test]
fn lines_without_a_timing_are_a_fragment() {
    let file = "WEBVTT\n\nlost\nwords\n\na\n00:00:01.000 --> 00:00:02.500\nyes\n\n";
    let objects = written(Format::Vtt, Format::Jsonl, file);
    assert!(objects.starts_with("{\"fragment\":\"lost\\nwords\",\"text\":null}\n{\"id\":\"a\""), "{objects}");
    assert_eq!(written(Format::Jsonl, Format::Vtt, &objects), file);
}

#[test]
fn a_return_alone_ends_a_line_anywhere() {
    let file = format!("WEBVTT\n\n{TIMING}\r\nso\r\ra\r{TIMING}\rwe\r\n\r");
    let objects = written(Format::Vtt, Format::Jsonl, &file);
    assert_eq!(objects.lines().count(), 2);
    assert!(objects.contains("\"id\":\"a\",") && objects.contains("\"text\":\"we\""), "{objects}");
}

#[test]
fn data_in_a_cue_is_a_tag() {
    for data in
        ["{\n \"type\": \"place\",\n \"so\": [\"it\"]\n}", "{\"a\": \"b\"}", "[ {\n}", "[\n{\n}\n]", "{}"]
    {
        let file = format!("WEBVTT\n\n{TIMING}\n{data}\n\n{TIMING}\n{{yes}}\n");
        let objects = written(Format::Vtt, Format::Jsonl, &file);
        assert!(objects.contains("\"text\":\"\",\"tags\":[[0,\""), "{objects}");
        let back = written(Format::Jsonl, Format::Vtt, &objects);
        assert_eq!(written(Format::Vtt, Format::Jsonl, &back), objects);
    }
}

#[test]
fn speakers_are_voices() {
    let objects = "{\"speaker\":\"Ana Reis\",\"begin\":1.0,\"end\":2.0,\"text\":\"so\"}\n{\"begin\":2.0,\"end\":3.0,\"text\":\"we\"}\n";
    let vtt = written(Format::Jsonl, Format::Vtt, objects);
    assert_eq!(
        vtt,
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ana Reis>so\n\n00:00:02.000 --> 00:00:03.000\nwe\n\n"
    );
    let document = dropped(Format::Vtt, Format::WhisperJson, &vtt);
    assert!(document.contains(r#"{"speaker":"Ana Reis","start":1.0,"end":2.0,"text":" so"}"#), "{document}");
    let objects = objects.replace("Ana Reis", "a>b");
    assert_eq!(dropped(Format::Jsonl, Format::Vtt, &objects), vtt.replace("<v Ana Reis>", ""));
}

#[test]
fn a_voice_that_says_more_than_a_speaker_is_a_loss() {
    for cue in ["<v.loud Ana>so", "<v Ana>so</v> we"] {
        let file = format!("WEBVTT\n\n{TIMING}\n{cue}\n");
        let error = run(Format::Vtt, Format::Stm, true, &file).unwrap_err().to_string();
        assert!(error.contains("the tag \"<v") && error.contains("would be lost"), "{error}");
        assert!(dropped(Format::Vtt, Format::Stm, &file).contains(" Ana "), "{cue}");
    }
    let spaced = "{\"speaker\":\"Ana Reis\",\"begin\":1.0,\"end\":2.0,\"text\":\"so\"}\n";
    assert!(dropped(Format::Jsonl, Format::Stm, spaced).contains(" Ana_Reis "));
    let error = run(Format::Jsonl, Format::Stm, true, spaced).unwrap_err().to_string();
    assert!(error.contains("white space in the speaker \"Ana Reis\" would be lost"), "{error}");
}
