//! .ctm: words with their times.

use majuscule_format::Format;

use super::{dropped, written};

#[test]
fn a_confidence_that_is_not_a_number_is_none() {
    for none in ["NA", "na", "nan", "NaN", "-inf", "Infinity", "1e999"] {
        let object = format!(r#"{{"begin":0.0,"end":1.0,"text":"so","confidence":"{none}"}}"#);
        let read = dropped(Format::Ctm, Format::Jsonl, &format!("call A 0 1 so {none}\n"));
        assert!(!read.contains("confidence"), "{read}");
        assert_eq!(dropped(Format::Jsonl, Format::Ctm, &object), "- - 0.00 1.00 so\n", "{none}");
    }
    let high = dropped(Format::Ctm, Format::Jsonl, "call A 0 1 so 7.5\n");
    assert!(high.contains("\"confidence\":7.5"), "{high}");
}

#[test]
fn a_word_is_a_segment() {
    let rows = ";; a\nr A 0.50 0.25 we 0.90 lex ana\n- A 1.00 0.10 <laugh>\nr A 1.00 1.00 so NA NA rui\n";
    let objects = written(Format::Ctm, Format::Jsonl, rows);
    let expected = [
        r#"{"comment":"a","text":null}"#,
        r#"{"recording":"r","channel":"A","speaker":"ana","begin":0.5,"end":0.75,"text":"we","confidence":0.90,"type":"lex"}"#,
        r#"{"channel":"A","begin":1.0,"end":1.1,"text":"","tags":[[0,"<laugh>"]]}"#,
        r#"{"recording":"r","channel":"A","speaker":"rui","begin":1.0,"end":2.0,"text":"so"}"#,
    ];
    assert_eq!(objects.lines().collect::<Vec<_>>(), expected);
    assert_eq!(written(Format::Jsonl, Format::Ctm, &objects), rows);
}

#[test]
fn of_alternatives_the_first_is_written_elsewhere() {
    let rows = "r A * * <ALT_BEGIN>\nr A 0.10 0.20 hello\nr A * * <ALT>\nr A 0.10 0.20 hallo\nr A * * <ALT_END>\n\
                r A 0.50 0.20 world\n";
    assert_eq!(written(Format::Ctm, Format::Ctm, rows), rows);
    let objects = written(Format::Ctm, Format::Jsonl, rows);
    assert!(objects.contains("\"text\":\"\",\"tags\":[[0,\"hallo\"]]"), "{objects}");
    assert_eq!(written(Format::Jsonl, Format::Ctm, &objects), rows);
    assert_eq!(dropped(Format::Ctm, Format::Text, rows), "hello\nworld\n");
    let cues = dropped(Format::Ctm, Format::Srt, rows);
    assert_eq!(
        cues,
        "1\n00:00:00,100 --> 00:00:00,300\nhello\n\n2\n00:00:00,500 --> 00:00:00,700\nworld\n\n"
    );
    assert_eq!(dropped(Format::Ctm, Format::Stm, rows), "r A - 0.10 0.30 hello\nr A - 0.50 0.70 world\n");
}
