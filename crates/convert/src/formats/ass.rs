//! .ass: events.

use majuscule_format::Format;

use super::{dropped, run, written};

const FILE: &str = "\u{feff}[Script Info]\r\n; so it is\r\nTitle: a talk\r\n\r\n[V4+ Styles]\r\nFormat: Name, Fontname\r\nStyle: Default,Arial\r\n\r\n\
    [Events]\r\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\r\n\
    Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,no text\r\n\
    Dialogue: 0,0:00:01.00,0:00:02.50,Default,ana,0,0,0,,{\\an8}so, w{\\b1}e met\\Nrui{remark}. and\r\n\
    Dialogue: 0,0:00:02.50,0:00:03.00,Default,ana,0,0,0,,then\\hleft {\\p1}m 0 0 l 9 b{\\p0}[laughs]\r\n\
    Dialogue: 0,0:00:03.00,0:00:04.00,Default,rui,0,0,0,,no,\\n- é";

#[test]
fn an_event_is_a_segment() {
    let srt = "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}so, we met\nrui. and\n\n";
    let event = "[Events]\nDialogue: 0,0:00:01.00,0:00:02.50,,,,,,,{\\an8}so, we met\\Nrui. and\n";
    let objects = written(Format::Ass, Format::Jsonl, event);
    let events: Vec<&str> = objects.lines().skip(1).collect();
    assert!(objects.starts_with("{\"script\":\"[Events]\","), "{objects}");
    assert!(
        events[0].contains(r#""begin":1.0,"end":2.5,"text":"so, we met\nrui. and","tags":[[0,"{\\an8}"]]"#),
        "{objects}"
    );
    let plain = dropped(Format::Ass, Format::Srt, event);
    assert_eq!(plain, srt);
}

#[test]
fn events_come_back_from_other_formats() {
    let srt = "1\n00:00:01,000 --> 01:00:02,500\n<i>so</i>, we met\n{\\an8}rui\u{a0}\n\n";
    let ass = written(Format::Srt, Format::Ass, srt);
    assert!(ass.starts_with("[Script Info]\nScriptType: v4.00+\n"), "{ass}");
    let event = "Dialogue: 0,0:00:01.00,1:00:02.50,Default,,0,0,0,,{\\i1}so{\\i0}, we met\\N{\\an8}rui\\h";
    assert_eq!(ass.lines().last(), Some(event));
    assert_eq!(written(Format::Ass, Format::Srt, &ass), srt);
    assert_eq!(written(Format::Ass, Format::Ass, &ass), ass);
    let script = written(Format::Srt, Format::Ass, "");
    let fields = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n";
    assert!(ass.starts_with(&script) && script.ends_with(&format!("\n\n[Events]\n{fields}")), "{script}");
    let whole = FILE.replace("\r\n", "\n").replace("no,\\n-", "no, -");
    let objects = written(Format::Ass, Format::Jsonl, FILE);
    assert_eq!(
        written(Format::Jsonl, Format::Ass, &objects),
        whole.trim_start_matches('\u{feff}').to_owned() + "\n"
    );
    assert!(objects.contains(r#""speaker":"ana","begin":1.0"#) && !objects.contains("margin"), "{objects}");
}

#[test]
fn what_an_event_cannot_hold_is_refused_or_dropped() {
    let cue = |text: &str| format!("1\n00:00:01,234 --> 00:00:02,000\n{text}\n\n");
    let refused =
        |text: &str, strict: bool| run(Format::Srt, Format::Ass, strict, &cue(text)).unwrap_err().to_string();
    let found = refused("so", true);
    assert!(
        found.starts_with("data, line 2, column 1: the digits of 1.234 beyond hundredths would"),
        "{found}"
    );
    for text in ["a {b} c", "c:\\new", "a\\h"] {
        let found = refused(text, false);
        assert!(found.starts_with("data, line 3, column 1: found text that would be read as"), "{found}");
    }
    let event = dropped(Format::Srt, Format::Ass, &cue("<font a>so</font> {b \\o/"));
    assert!(event.ends_with("Dialogue: 0,0:00:01.23,0:00:02.00,Default,,0,0,0,,so {b \\o/\n"), "{event}");
    let vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v.loud Ana Reis>so &amp; so</v>\n";
    let event = dropped(Format::Vtt, Format::Ass, vtt);
    assert!(event.ends_with(",Default,Ana Reis,0,0,0,,so & so\n"), "{event}");
    let object = r#"{"speaker":"ana, rui","begin":1,"end":2,"text":"so","style":"Top","effect":"a,b"}"#;
    let event = dropped(Format::Jsonl, Format::Ass, object);
    assert!(event.ends_with(",Top,,0,0,0,,so\n"), "{event}");
}

#[test]
fn an_event_without_its_times_is_refused() {
    let file = "[Events]\nFormat: Start, Text\nDialogue: 0:00:01.00,so\n";
    let found = run(Format::Ass, Format::Srt, false, file).unwrap_err().to_string();
    assert!(
        found.starts_with("data, line 3, column 1: found an event with the fields Start, Text: expected"),
        "{found}"
    );
}
