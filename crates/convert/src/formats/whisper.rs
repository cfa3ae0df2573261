//! Whisper's JSON: segments and words.

use majuscule_format::Format;

use super::{run, written};

#[test]
fn all_kinds_of_segments_are_read() {
    let same = "{\"begin\":0.5,\"end\":2.0,\"text\":\"so we\"}\n";
    for file in [
        r#"{"text": " so we", "segments": [{"start": 0.5, "end": 2, "text": " so we"}]}"#,
        r#"{"text": " so we", "chunks": [{"timestamp": [0.5, 2.0], "text": " so we"}]}"#,
        r#"{"transcription": [{"offsets": {"from": 500, "to": 2000}, "text": " so we"}]}"#,
    ] {
        assert_eq!(written(Format::WhisperJson, Format::Jsonl, file), same);
    }
    let file = r#"{"language": "en", "segments": [{"id": 0, "text": " so", "words": [{"word": " so", "start": 1, "probability": 0.90}]}]}"#;
    let objects = written(Format::WhisperJson, Format::Jsonl, file);
    let expected = [
        r#"{"document":{"language":"en"},"text":null}"#,
        r#"{"id":"0","text":"so","words":[{"text":" so","begin":1.0,"confidence":0.90}]}"#,
    ];
    assert_eq!(objects.lines().collect::<Vec<_>>(), expected);
    let back = "{\"text\":\" so\",\"language\":\"en\",\"segments\":[\n{\"id\":0,\"text\":\" so\",\
                \"words\":[{\"word\":\" so\",\"start\":1.0,\"probability\":0.90}]}]}\n";
    assert_eq!(written(Format::Jsonl, Format::WhisperJson, &objects), back);
}

#[test]
fn segments_may_be_a_list_alone() {
    let file = "[{\"text\": \" so.\", \"timestamp\": [0, 1]},\n {\"text\": \"we\", \"start\": 1.5}]";
    let objects =
        "{\"begin\":0.0,\"end\":1.0,\"text\":\"so.\"}\n{\"begin\":1.5,\"end\":1.617,\"text\":\"we\"}\n";
    assert_eq!(written(Format::WhisperJson, Format::Jsonl, file), objects);
}

#[test]
fn words_alone_are_a_text_with_the_marks_beside_them() {
    let file =
        r#"{"words": [{"word": "So", "punctuated_word": "So,", "start": 0}, {"word": "we", "start": 1}]}"#;
    let items = written(Format::WhisperJson, Format::Jsonl, file);
    assert!(items.contains(r#""text":"So,""#), "{items}");
}

#[test]
fn fields_of_the_document_after_its_segments_are_refused() {
    let objects = "{\"text\":\"so\",\"begin\":1,\"end\":2}\n{\"document\":{\"a\":1}}\n";
    let found = run(Format::Jsonl, Format::WhisperJson, true, objects).unwrap_err().to_string();
    assert!(found.contains("found fields of the document after its segments"), "{found}");
}
