//! Tests of `whisper`.

use crate::laws::{self, check, error, starts, words};
use majuscule_format::Format;
use majuscule_text::RestoreOptions;
use majuscule_text::{Break, Case};

#[test]
fn words_may_stand_in_two_lists() {
    let words = r#"[{"word": "so"}, {"word": "é"}]"#;
    let file = format!(r#"{{"segments": [{{"text": "so é", "words": {words}}}], "word_segments": {words}}}"#);
    check(Format::WhisperJson, &file);
    let upper = laws::written(Format::WhisperJson, file.as_bytes(), |_, _| Case::Upper);
    assert_eq!(String::from_utf8(upper).unwrap(), file.replace("\"so", "\"SO").replace('é', "É"));
}

#[test]
fn words_may_be_called_texts_and_timings() {
    let upper = |file: &str| {
        check(Format::WhisperJson, file);
        String::from_utf8(laws::written(Format::WhisperJson, file.as_bytes(), |_, _| Case::Upper)).unwrap()
    };
    let both = r#"[{"text": "so", "word": "so"}, {"text": "é,", "word": "é"}, {"text": "so", "word": "so"}]"#;
    for list in ["words", "word_timings"] {
        for file in [
            format!(r#"{{"segments": [{{"text": " so é, so", "{list}": {both}}}]}}"#),
            format!(r#"{{"text": " so é, so", "{list}": {both}}}"#),
            format!(
                r#"{{"{list}": {both}, "text": "so é, so", "segments": [{{"{list}": {both}, "text": "so é, so"}}]}}"#
            ),
        ] {
            assert_eq!(words(Format::WhisperJson, &file), ["so", "é", "so"]);
            assert_eq!(upper(&file), file.replace("so", "SO").replace('é', "É"), "{file}");
        }
    }
    let spaced =
        r#"{"text": "so é", "words": [{"text": "so", "type": "word"}, {"text": " "}, {"text": "é"}]}"#;
    assert_eq!(upper(spaced), spaced.replace("\"so", "\"SO").replace('é', "É"));
}

#[test]
fn a_word_of_a_list_that_lacks_some_is_no_beginning_of_another() {
    for (said, upper) in [
        (r#"{"word": "we"}"#, r#"{"word": "WE"}"#),
        (r#"{"word": " w"}, {"word": "e"}"#, r#"{"word": " W"}, {"word": "E"}"#),
    ] {
        let file = |said| format!(r#"{{"text": "went we, we", "words": [{said}]}}"#);
        check(Format::WhisperJson, &file(said));
        let case = |at, _: &str| if at == 2 { Case::Upper } else { Case::Lower };
        let found = laws::written(Format::WhisperJson, file(said).as_bytes(), case);
        assert_eq!(String::from_utf8(found).unwrap(), file(upper).replace("went we", "went WE"));
    }
}

#[test]
fn segments_may_be_a_list_alone() {
    let file = "[{\"text\": \" so.\", \"timestamp\": [0, 1]},\n {\"text\": \"we\", \"start\": 1.5}]";
    assert_eq!(words(Format::WhisperJson, file), ["so", "we"]);
}

#[test]
fn another_speaker_begins_anew() {
    let segment = |text: &str, speaker: &str| format!(r#"{{"text": "{text}", {speaker} "words": []}}"#);
    let before = r#"{"speaker": "b", "text": " no."}"#.to_owned();
    let segments = [
        segment("so it is.", "\"speaker\": \"a\","),
        segment("and", "\"speaker\": \"a\","),
        before,
        segment("or", ""),
    ];
    let file = format!("{{\"segments\": [{}]}}", segments.join(", "));
    assert_eq!(starts(Format::WhisperJson, &file), ["so", "and", "no", "or"]);
    assert_eq!(starts(Format::WhisperJson, &file.replace("it is.", "it is")), ["no", "or"]);
    check(Format::WhisperJson, &file);
}

const FILE: &str = r#"{"text": " so jos\u00e9 said\nthat we go. and [music] then", "segments": [
        {"id": 0, "text": " so jos\u00e9 said", "words": [{"word": " so", "probability": NaN}, {"word": " jos"}, {"word": "\u00C9"},
          {"word": " uh"}, {"word": " said"}]},
        {"id": 1, "text": " that we go. and [music] then", "tokens": [5, 6], "words": []}], "language": "en"}"#;

#[test]
fn a_word_has_the_same_case_in_all_positions() {
    assert_eq!(words(Format::WhisperJson, FILE), ["so", "josé", "said", "that", "we", "go", "and", "then"]);
    assert_eq!(starts(Format::WhisperJson, FILE), ["and"]);
    check(Format::WhisperJson, &FILE.replace("\\u00C9", "\\u00e9"));
    for file in [r#"{"text": "so é"}"#, r#"{"words": [{"word": "so"}, {"word": "é"}]}"#] {
        assert_eq!(words(Format::WhisperJson, file), ["so", "é"]);
        check(Format::WhisperJson, file);
    }
}

#[test]
fn what_cannot_be_read_is_named_or_passed() {
    for (file, start) in [
        ("{\n \"text\": \"so", "data, line 2, column 10: the string that begins here has no end"),
        ("[\n]", "data, line 1, column 1: found no \"text\", \"segments\" or"),
        (
            "{\"text\": \"so\"}\n{",
            "data, line 2, column 1: found another object after the document, as in JSON Lines",
        ),
    ] {
        let error = error(Format::WhisperJson, file);
        assert!(error.starts_with(start), "{error}");
        assert!(words(Format::WhisperJson, file).is_empty());
    }
}

#[test]
fn an_empty_file_is_no_error() {
    let pieces = laws::pieces(Format::WhisperJson, b"", usize::MAX, RestoreOptions::default());
    assert!(pieces.unwrap().is_empty());
}

#[test]
fn a_text_that_is_in_no_list_of_words_stays() {
    let file = r#"{"text": "so", "prompt": {"text": "so"}}"#;
    let upper = laws::written(Format::WhisperJson, file.as_bytes(), |_, _| Case::Upper);
    assert_eq!(String::from_utf8(upper).unwrap(), r#"{"text": "SO", "prompt": {"text": "so"}}"#);
}

/// Returns a document with a mark after each word in turn: a comma, a full stop, none.
fn marked(kind: Format, file: &str) -> String {
    check(kind, file);
    let options = RestoreOptions::default().marks(",.".parse().unwrap());
    String::from_utf8(laws::marked(kind, file.as_bytes(), 9, &laws::Counting::new(), &options)).unwrap()
}

#[test]
fn a_word_with_times_stays_as_it_was_heard_and_its_marks_stand_beside_it() {
    let file = r#"{"text": "so we go we go", "words": [{"word": "so", "start": 1, "end": 2}, {"word":"we"},
  {
    "start": null,
    "word" : "go"
  }, {"word": "w\u0065"}, {"word": " go "}]}"#;
    let out = marked(Format::WhisperJson, file);
    let text = out[10..].split('"').next().unwrap();
    let marked: Vec<&str> = text.split(' ').collect();
    assert_eq!(text.replace([',', '.'], "").to_lowercase(), "so we go we go");
    assert_ne!(text.to_lowercase(), "so we go we go");
    let [so, we, go, _, last] = marked[..] else { panic!("{text}") };
    let bare = |word: &str| word.replace([',', '.'], "");
    let [first, second, third] = [bare(so), bare(we), bare(go)];
    for part in [
        format!(r#"{{"word": "{first}", "punctuated_word": "{so}", "start": 1, "end": 2}}"#),
        format!(r#"{{"word":"{second}","punctuated_word":"{we}"}}"#),
        format!("\n    \"word\" : \"{third}\",\n    \"punctuated_word\" : \"{go}\"\n"),
        format!("\"punctuated_word\": \" {last} \""),
    ] {
        assert!(out.contains(&part), "{out} {part}");
    }
}

#[test]
fn words_without_times_or_with_marks_beside_them_get_no_others() {
    let words = r#"[{"word": "so"}, {"word": "we"}]"#;
    let text = |words: &str| format!(r#"{{"text": "so we", "words": {words}}}"#);
    assert!(!marked(Format::WhisperJson, &text(words)).contains("punctuated_word"));
    let timed = words.replace(r#""so""#, r#""so", "start": 0.5"#);
    assert_eq!(marked(Format::WhisperJson, &text(&timed)).matches("punctuated_word").count(), 2);
    let beside = timed.replace(r#""we""#, r#""we", "punctuated_word": "we""#);
    let found = marked(Format::WhisperJson, &text(&beside));
    assert_eq!(found.matches("punctuated_word").count(), 1);
    // The word stays as it was heard, and its copy has the marks.
    assert!(found.contains(r#"{"word": "We", "punctuated_word": "We,"}"#), "{found}");
}

#[test]
fn words_alone_are_a_text_with_the_marks_beside_them() {
    let file =
        r#"{"words": [{"word": "so", "start": 0}, {"word": "we", "start": 1}, {"word": "go", "start": 2}]}"#;
    let out = marked(Format::WhisperJson, file);
    assert_eq!(words(Format::WhisperJson, &out), ["so", "we", "go"]);
    assert!(out.contains(r#""word": "So", "punctuated_word": "So,""#), "{out}");
}

#[test]
fn a_mark_of_the_text_is_repeated_beside_a_word_that_lacks_it() {
    let file = r#"{"text": "no. no. \"no!\"", "words": [{"word": "no", "start": 0}, {"word": "no", "start": 1}, {"word": "no", "start": 2}]}"#;
    let out = marked(Format::WhisperJson, file);
    let found: Vec<String> =
        out.split("punctuated_word\": \"").skip(1).map(|rest| rest[..6].to_lowercase()).collect();
    assert_eq!(found, ["no.\", ", "no.\", ", "no!\\\"\""]);
}

#[test]
fn words_of_json_lines_stay_and_get_the_marks_beside_them() {
    let file = "{\"words\":[{\"text\":\"so\",\"begin\":1.0},{\"text\":\"we\",\"begin\":1.5}],\"text\":\"so we\"}\n\
                {\"text\":\"so\",\"words\":[{\"word\":\"so\",\"begin\":1.0}]}\n";
    let out = marked(Format::Jsonl, file);
    assert_eq!(out.matches("punctuated_word").count(), 3);
    assert!(out.starts_with("{\"words\":[{\"text\":\"so\",\"punctuated_word\":\""), "{out}");
    let deeper = file.replace("{\"words", "{\"a\":{\"words").replace("so we\"}", "so we\"}}");
    let deeper = deeper.lines().next().unwrap();
    let options = RestoreOptions::default().field(Some("a.text".into())).marks(".".parse().unwrap());
    let found = laws::marked(Format::Jsonl, deeper.as_bytes(), 9, &laws::Counting::new(), &options);
    assert_eq!(String::from_utf8(found).unwrap().matches("punctuated_word").count(), 2);
}

#[test]
fn each_recogniser_has_its_text_in_all_positions() {
    for file in [
        // NeMo; sherpa-onnx; YouTube's json3 and youtube-transcript-api; a podcast.
        r#"{"text":"we met","timestamp":{"word":[{"word":"we","start":0.5},{"word":"met"}],"segment":[{"segment":"we met","start":0.5}]}}"#,
        r#"{"text":" we met","tokens":[" we"," m","et"],"timestamps":[0.5,1.1,1.3]}"#,
        r#"{"wireMagic":"pb3","events":[{"tStartMs":0,"id":1},{"tStartMs":500,"segs":[{"utf8":"we"},{"utf8":" met","tOffsetMs":600}]}]}"#,
        r#"[{"text":"we","start":0.5,"duration":1.1},{"text":"met","start":0.5,"duration":1.1}]"#,
        r#"{"snippets":[{"text":"we met","start":0.5,"duration":1.1}]}"#,
        r#"{"version":"1.0.0","segments":[{"speaker":"Ana","startTime":0.5,"endTime":1.6,"body":"we met"}]}"#,
        // Azure, whose lexical form has no capitals; AWS; Rev; Speechmatics.
        r#"{"combinedRecognizedPhrases":[{"display":"we met"}],"recognizedPhrases":[{"nBest":[{"display":"we met","words":[{"word":"we"},{"word":"met"}]}]}]}"#,
        r#"{"results":{"transcripts":[{"transcript":"we met."}],"items":[{"type":"x","alternatives":[{"content":"we"}]},{"alternatives":[{"content":"met"}]},{"alternatives":[{"content":"."}]}]}}"#,
        r#"{"monologues":[{"speaker":0,"elements":[{"type":"x","value":"we"},{"value":" "},{"value":"met","ts":1.1},{"value":"."}]}]}"#,
        r#"{"results":[{"type":"x","alternatives":[{"content":"we"}]},{"alternatives":[{"content":"met"}]},{"alternatives":[{"content":"."}]}]}"#,
    ] {
        check(Format::WhisperJson, file);
        assert_eq!(words(Format::WhisperJson, file), ["we", "met"], "{file}");
        let upper = laws::written(Format::WhisperJson, file.as_bytes(), |_, _| Case::Upper);
        let expected = [("we", "WE"), ("met", "MET"), ("\" m\"", "\" M\""), ("\"et\"", "\"ET\"")];
        let expected = expected.iter().fold(file.to_owned(), |file, (from, to)| file.replace(from, to));
        assert_eq!(String::from_utf8(upper).unwrap(), expected);
    }
}

#[test]
fn a_sentence_ends_with_a_mark_that_is_an_item_of_its_own() {
    let file =
        r#"{"monologues":[{"elements":[{"value":"we"},{"value":"met"},{"value":". "},{"value":"then"}]}]}"#;
    assert_eq!(starts(Format::WhisperJson, file), ["we", "then"]);
}

#[test]
fn of_several_results_for_the_same_speech_the_first_is_the_text() {
    let file = r#"{"results":[{"alternatives":[{"transcript":"so we"},{"transcript":"so he"}]},{"alternatives":[{"transcript":"met"}]}]}"#;
    assert_eq!(words(Format::WhisperJson, file), ["so", "we", "met"]);
    let upper = laws::written(Format::WhisperJson, file.as_bytes(), |_, _| Case::Upper);
    let upper = String::from_utf8(upper).unwrap();
    assert!(
        upper.contains(r#"{"transcript":"SO WE"},{"transcript":"SO he"}"#) && upper.contains("MET"),
        "{upper}"
    );
    let deep =
        format!("{{\"word\":\"so\",\"words\":{}1{}", "{\"word\":\"so\",\"words\":".repeat(9), "}".repeat(10));
    assert_eq!(words(Format::WhisperJson, &deep).len(), 1);
}

#[test]
fn the_speakers_of_utterances_begin_turns() {
    let utterance = |speaker: &str, text: &str| format!(r#"{{"speaker":"{speaker}","text":"{text}"}}"#);
    let utterances =
        [utterance("A", "we went to the"), utterance("B", "we did not"), utterance("B", "go. then")]
            .join(",");
    let file = format!(r#"{{"text":"we went to the we did not go. then","utterances":[{utterances}]}}"#);
    check(Format::WhisperJson, &file);
    let tokens =
        crate::case_laws::tokens(Format::WhisperJson, file.as_bytes(), usize::MAX, RestoreOptions::default());
    let turns = tokens.iter().enumerate().filter(|(_, (_, token))| token.before == Break::Turn);
    assert_eq!(turns.map(|(at, _)| at).collect::<Vec<_>>(), [4], "{tokens:?}");
}
