//! TTML: paragraphs.

use majuscule_format::Format;

use super::{dropped, run, written};

/// Returns a file with these attributes of the root and this body.
fn file(root: &str, body: &str) -> String {
    format!("<tt xmlns:tts=\"http://www.w3.org/ns/ttml#styling\"{root}>\n<body>\n{body}\n</body>\n</tt>\n")
}

#[test]
fn a_paragraph_is_a_cue() {
    let body = "<div>\n  <p begin=\"1s\" end='00:00:02.5'>\n    So <span tts:fontStyle=\"italic\">we </span><br/>\n    met\n    \
                R&amp;&#x42; <br/><br/>\n  &lt;3 &foo; <![CDATA[a & b]]></p>\n<p begin='00:01:00' dur='1500ms'/></div>";
    let srt = "1\n00:00:01,000 --> 00:00:02,500\nSo <i>we</i>\nmet R&B\n<3 &foo; a & b\n\n2\n00:01:00,000 --> 00:01:01,500\n\n";
    assert_eq!(written(Format::Ttml, Format::Srt, &file("", body)), srt);
    let kept = file(" xml:space='preserve'", "<p begin='1s' end='2s'>\n so  it \n\n is</p>");
    assert!(written(Format::Ttml, Format::Vtt, &kept).ends_with("\n so  it\n is\n\n"));
    assert_eq!(written(Format::Ttml, Format::Text, "<tt><head>\n</head><p>so</p></tt>"), "so\n");
    let head = format!(
        "<tt><head>\n<ttm:title>a talk</ttm:title></head>{}</tt>",
        "<p xml:id='a' ttm:agent='ana' style=\"s\">so</p>"
    );
    let objects = written(Format::Ttml, Format::Jsonl, &head);
    let expected = [
        r#"{"head":"<head>\n<ttm:title>a talk</ttm:title></head>","text":null}"#,
        r#"{"id":"a","speaker":"ana","text":"so","tags":[[0,"<p style=\"s\">"]]}"#,
    ];
    assert_eq!(objects.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn times_have_many_forms() {
    for (root, begin, seconds) in [
        ("", "01:00:01", "3601.0"),
        ("", "00:00:01.25", "1.25"),
        ("", "12.5s", "12.5"),
        ("", "12.5", "12.5"),
        ("", "1:02.345", "62.345"),
        ("", "90m", "5400.0"),
        ("", "1h", "3600.0"),
        ("", "500ms", "0.5"),
        (" ttp:frameRate='25'", "100f", "4.0"),
        (" ttp:frameRate='25'", "00:00:01:05", "1.2"),
        (" ttp:frameRate='30' ttp:frameRateMultiplier='1000 1001'", "30000f", "1001.0"),
        (" ttp:frameRate='30' ttp:frameRateMultiplier='1000 1001'", "00:16:40:00", "1000.0"),
        (
            " ttp:frameRate='30' ttp:frameRateMultiplier='1000 1001' ttp:timeBase='smpte'",
            "00:16:40:00",
            "1001.0",
        ),
        (" ttp:tickRate='10000000'", "15000000t", "1.5"),
    ] {
        let body = format!("<p begin='{begin}'>so</p>");
        let objects = written(Format::Ttml, Format::Jsonl, &file(root, &body));
        assert_eq!(objects, format!("{{\"begin\":{seconds},\"text\":\"so\"}}\n"), "{begin}");
    }
}

#[test]
fn times_count_from_those_of_the_element_around() {
    let body =
        "<div begin='10s' end='20s'><p begin='1s' dur='2s'>a</p><p begin='5s' end='30s'>b</p><p>c</p></div>";
    let objects = written(Format::Ttml, Format::Jsonl, &file("", body));
    let times: Vec<_> = objects.lines().map(|line| &line[..line.find(",\"text").unwrap()]).collect();
    assert_eq!(
        times,
        ["{\"begin\":11.0,\"end\":13.0", "{\"begin\":15.0,\"end\":20.0", "{\"begin\":10.0,\"end\":20.0"]
    );
}

#[test]
fn what_cannot_be_converted_is_named() {
    let wide = "<p begin='1s' end='2s' region='r'>so <span begin='1s'>it</span></p>";
    for (root, body, start) in [
        (
            "",
            "  <p begin='2s' end='1s'>a</p>",
            "3, column 3: found the end 1 before the beginning 2: correct",
        ),
        (
            "",
            "<p begin='1x' end='2s'>a</p>",
            "3, column 1: found \"1x\", but a time is expected, such as 00:00",
        ),
        ("", "<p begin='1:2:3:x' end='2s'>a</p>", "3, column 1: found \"1:2:3:x\", but a time is expected"),
        (
            "",
            "<p begin='2f' end='2s'>a</p>",
            "3, column 1: found \"2f\", but <tt> does not declare frameRate",
        ),
        ("", "<p begin='2t' end='2s'>a</p>", "3, column 1: found \"2t\", but <tt> does not declare tickRate"),
        ("", "<p end='2s'>a</p>", "3, column 1: found no beginning, but in .srt"),
        (
            "",
            "<div timeContainer='seq'/>\n<div timeContainer='seq'>",
            "4, column 1: found elements that follow",
        ),
        ("", wide, "3, column 1: the tag \"<p region='r'>\" would be lost, since .srt"),
        (
            " ttp:frameRate='0'",
            "",
            "1, column 1: found \"0\" as frameRate, but a number such as 25 is expected",
        ),
        (" ttp:timeBase='smpte' ttp:dropMode='dropNTSC'", "", "1, column 1: found drop-frame times"),
    ] {
        let found = run(Format::Ttml, Format::Srt, true, &file(root, body)).unwrap_err().to_string();
        assert!(found.starts_with(&format!("data, line {start}")), "{found}");
    }
    let text = dropped(Format::Ttml, Format::Srt, &file("", wide));
    assert_eq!(text, "1\n00:00:01,000 --> 00:00:02,000\nso it\n\n");
}

#[test]
fn lyrics_have_absolute_times() {
    let body = "<div begin=\"9.123\" end=\"1:30.100\"><p begin=\"9.123\" end=\"12.500\"><span begin=\"9.123\" end=\"9.500\">we</span> met</p>\
                <p begin=\"1:02.345\" end=\"1:05.000\">in lisbon</p></div>";
    let root = " xmlns:itunes=\"http://music.apple.com/lyric-ttml-internal\" itunes:timing=\"Word\"";
    let srt = "1\n00:00:09,123 --> 00:00:12,500\nwe met\n\n2\n00:01:02,345 --> 00:01:05,000\nin lisbon\n\n";
    assert_eq!(dropped(Format::Ttml, Format::Srt, &file(root, body)), srt);
}
