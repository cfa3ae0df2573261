//! JSON of recognisers other than Whisper: a file for each, restored and converted.

use std::path::Path;

use majuscule_base::files::Input;
use majuscule_format::Format;

use super::dropped;
use crate::{Conversion, CueCut};

const SRT: &str = "1\n00:00:00,500 --> 00:00:01,600\nwe met\n\n";

#[test]
fn each_recogniser_has_its_words_and_times() {
    let word = |text: &str, begin: &str, end: &str, names: [&str; 3]| {
        let [name, start, ends] = names;
        format!("{{\"{name}\":\"{text}\",\"{start}\":{begin},\"{ends}\":{end}}}")
    };
    let words = |names: [&str; 3]| {
        format!("[{},{}]", word("we", "0.5", "1.0", names), word("met", "1.1", "1.6", names))
    };
    let usual = words(["word", "start", "end"]);
    let milliseconds =
        usual.replace("0.5", "500").replace("1.0", "1000").replace("1.1", "1100").replace("1.6", "1600");
    let google = words(["word", "startTime", "endTime"]);
    let google = ["0.5", "1.0", "1.1", "1.6"]
        .iter()
        .fold(google, |json, time| json.replace(time, &format!("\"{time}s\"")));
    for json in [
        // Vosk, with alternatives too; Gentle; AssemblyAI; Deepgram; Google.
        format!("{{\"result\":{usual},\"text\":\"we met\"}}"),
        format!("{{\"alternatives\":[{{\"confidence\":200.5,\"result\":{usual},\"text\":\"we met\"}}]}}"),
        format!("{{\"transcript\":\"we met\",\"words\":{usual}}}"),
        format!("{{\"text\":\"we met\",\"words\":{milliseconds},\"utterances\":null}}"),
        format!(
            "{{\"text\":\"we met\",\"utterances\":[{{\"speaker\":\"A\",\"text\":\"we met\",\"start\":500,\"end\":1600,\"words\":{milliseconds}}}]}}"
        ),
        format!(
            "{{\"results\":{{\"channels\":[{{\"alternatives\":[{{\"transcript\":\"we met\",\"words\":{usual}}}]}}]}}}}"
        ),
        format!("{{\"results\":[{{\"alternatives\":[{{\"transcript\":\"we met\",\"words\":{google}}}]}}]}}"),
        // NeMo, with segments and without; sherpa-onnx.
        format!("{{\"text\":\"we met\",\"timestamp\":{{\"word\":{usual},\"segment\":[{{\"segment\":\"we met\",\"start\":0.5,\"end\":1.6}}]}}}}"),
        format!("{{\"text\":\"we met\",\"timestamp\":{{\"word\":{usual}}}}}"),
        r#"{"text":" we met","tokens":[" we"," m","et"],"timestamps":[0.5,1.1,1.3],"durations":[0.5,0.2,0.3]}"#.to_owned(),
        // YouTube's json3 and the captions of youtube-transcript-api; a podcast; Transformers.
        r#"{"wireMagic":"pb3","events":[{"tStartMs":0,"dDurationMs":99,"id":1},{"tStartMs":500,"dDurationMs":1100,"segs":[{"utf8":"we","acAsrConf":0},{"utf8":" met","tOffsetMs":600}]}]}"#.to_owned(),
        r#"[{"text":"we met","start":0.5,"duration":1.1}]"#.to_owned(),
        r#"{"snippets":[{"text":"we met","start":0.5,"duration":1.1}]}"#.to_owned(),
        r#"{"version":"1.0.0","segments":[{"speaker":"Ana","startTime":0.5,"endTime":1.6,"body":"we met"}]}"#.to_owned(),
        r#"{"text":" we met","chunks":[{"timestamp":[0.5,1.6],"text":" we met"}]}"#.to_owned(),
        r#"{"segments":[{"start":"0.5","end":"1.6","text":"we met"}]}"#.to_owned(),
        // Azure; AWS; Rev; Speechmatics.
        r#"{"combinedRecognizedPhrases":[{"display":"we met"}],"recognizedPhrases":[{"offset":"PT0.5S","duration":"PT1.1S","offsetInTicks":5000000,"durationInTicks":11000000,"nBest":[{"confidence":0.9,"lexical":"we met","display":"we met","words":[{"word":"we","offset":"PT0.5S","duration":"PT0.5S"},{"word":"met","offset":"PT1.1S","duration":"PT0.5S"}]},{"display":"we mat"}]}]}"#.to_owned(),
        r#"{"results":{"transcripts":[{"transcript":"we met"}],"items":[{"type":"pronunciation","alternatives":[{"confidence":"0.9","content":"we"},{"content":"me"}],"start_time":"0.5","end_time":"1.0"},{"type":"pronunciation","alternatives":[{"content":"met"}],"start_time":"1.1","end_time":"1.6"}]}}"#.to_owned(),
        r#"{"monologues":[{"speaker":0,"elements":[{"type":"text","value":"we","ts":0.5,"end_ts":1.0,"confidence":0.9},{"type":"punct","value":" "},{"type":"text","value":"met","ts":1.1,"end_ts":1.6}]}]}"#.to_owned(),
        r#"{"format":"2.9","results":[{"type":"word","start_time":0.5,"end_time":1.0,"alternatives":[{"content":"we","confidence":1.0,"speaker":"S1"}]},{"type":"word","start_time":1.1,"end_time":1.6,"alternatives":[{"content":"met","speaker":"S1"}]}]}"#.to_owned(),
    ] {
        assert_eq!(dropped(Format::WhisperJson, Format::Srt, &json), SRT, "{json}");
    }
}

#[test]
fn punctuation_of_its_own_belongs_to_the_word_before_it() {
    for json in [
        r#"{"results":[{"type":"word","start_time":0.5,"end_time":1.0,"alternatives":[{"content":"we"}]},{"type":"word","start_time":1.1,"end_time":1.6,"alternatives":[{"content":"met"}]},{"type":"punctuation","alternatives":[{"content":"."}]}]}"#,
        r#"{"monologues":[{"elements":[{"type":"text","value":"we","ts":0.5,"end_ts":1.0},{"type":"punct","value":" "},{"type":"text","value":"met","ts":1.1,"end_ts":1.6},{"type":"punct","value":". "}]}]}"#,
    ] {
        assert_eq!(dropped(Format::WhisperJson, Format::Srt, json), SRT.replace("met", "met."), "{json}");
    }
}

#[test]
fn another_speaker_is_another_segment() {
    let item = |speaker: &str, text: &str, begin: f64| {
        let end = begin + 0.5;
        format!(
            "{{\"type\":\"pronunciation\",\"speaker_label\":\"{speaker}\",\"start_time\":\"{begin}\",\"end_time\":\"{end}\",\"alternatives\":[{{\"content\":\"{text}\"}}]}}"
        )
    };
    let items = [item("spk_0", "we", 0.5), item("spk_0", "met", 1.0), item("spk_1", "yes", 2.0)].join(",");
    let vtt = dropped(Format::WhisperJson, Format::Vtt, &format!("{{\"results\":{{\"items\":[{items}]}}}}"));
    assert_eq!(
        vtt,
        "WEBVTT\n\n00:00:00.500 --> 00:00:01.500\n<v spk_0>we met\n\n00:00:02.000 --> 00:00:02.500\n<v spk_1>yes\n\n"
    );
}

#[test]
fn a_segment_is_divided_between_the_speakers_of_its_words() {
    let word = |text: &str, begin: u64, speaker: u64| {
        let word = text.to_lowercase().replace([',', '.'], "");
        format!(
            "{{\"word\":\"{word}\",\"punctuated_word\":\"{text}\",\"start\":{begin},\"end\":{},\"speaker\":{speaker}}}",
            begin + 1
        )
    };
    let words = [word("So", 1, 0), word("we.", 2, 0), word("Yes.", 4, 1)].join(",");
    let json = |text: &str| {
        format!(
            "{{\"results\":{{\"channels\":[{{\"alternatives\":[{{\"transcript\":\"{text}\",\"words\":[{words}]}}]}}]}}}}"
        )
    };
    assert_eq!(
        dropped(Format::WhisperJson, Format::Vtt, &json("So we. Yes.")),
        "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n<v 0>So we.\n\n00:00:04.000 --> 00:00:05.000\n<v 1>Yes.\n\n"
    );
    // A text with other words stays whole.
    assert_eq!(dropped(Format::WhisperJson, Format::Text, &json("So we did. Yes.")), "So we did. Yes.\n");
}

#[test]
fn captions_that_roll_up_end_where_the_next_begin() {
    let event = |begin: u64, text: &str| {
        format!("{{\"tStartMs\":{begin},\"dDurationMs\":5000,\"segs\":[{{\"utf8\":\"{text}\"}}]}}")
    };
    let events = [event(0, "so we"), event(1000, "\\n"), event(2000, "met in London")].join(",");
    let srt = dropped(
        Format::WhisperJson,
        Format::Srt,
        &format!("{{\"wireMagic\":\"pb3\",\"events\":[{events}]}}"),
    );
    assert_eq!(
        srt,
        "1\n00:00:00,000 --> 00:00:02,000\nso we\n\n2\n00:00:02,000 --> 00:00:07,000\nmet in London\n\n"
    );
}

#[test]
fn a_segment_without_an_end_ends_where_the_next_begins() {
    let json = r#"{"chunks":[{"timestamp":[0.0,null],"text":" so we"},{"timestamp":[2.0,null],"text":" met in London now"}]}"#;
    assert_eq!(
        dropped(Format::WhisperJson, Format::Srt, json),
        "1\n00:00:00,000 --> 00:00:02,000\nso we\n\n2\n00:00:02,000 --> 00:00:03,000\nmet in London now\n\n"
    );
}

#[test]
fn a_word_without_a_time_costs_its_segment_none() {
    let json = r#"{"transcript":"we met","words":[{"word":"we","case":"not-found-in-audio"},{"word":"met","start":0.5,"end":1.6}]}"#;
    assert!(
        dropped(Format::WhisperJson, Format::Srt, json).contains("00:00:00,500 --> 00:00:01,600\nwe met\n")
    );
}

#[test]
fn times_in_seconds_stay_however_long_a_segment_lasts() {
    for (begin, end, shown) in [("0.0", "61.5", "00:01:01,500"), ("0", "30", "00:00:30,000")] {
        let json = format!("{{\"segments\":[{{\"start\":{begin},\"end\":{end},\"text\":\" [Music]\"}}]}}");
        let srt = dropped(Format::WhisperJson, Format::Srt, &json);
        assert!(srt.contains(&format!("--> {shown}\n")), "{srt}");
    }
}

#[test]
fn positions_in_a_text_are_no_times() {
    let json = r#"{"transcript":"we met","words":[{"case":"not-found-in-audio","startOffset":3000,"endOffset":3005,"word":"we"},{"case":"success","start":0.5,"end":1.6,"startOffset":0,"endOffset":2,"word":"met"}]}"#;
    assert!(
        dropped(Format::WhisperJson, Format::Srt, json).contains("00:00:00,500 --> 00:00:01,600\nwe met\n")
    );
}

#[test]
fn fields_with_other_meanings_in_json_lines_are_kept() {
    let json = r#"{"results":{"utterances":[{"id":"u","channel":0,"type":"x","start":1,"end":2,"transcript":"so we"}]}}"#;
    let objects = dropped(Format::WhisperJson, Format::Jsonl, json);
    assert!(
        objects.contains(r#"{"id":"u","channel":"0","begin":1.0,"end":2.0,"text":"so we","type_":"x"}"#),
        "{objects}"
    );
}

#[test]
fn words_that_a_last_result_repeats_are_written_once() {
    let json = r#"{"results":[{"alternatives":[{"transcript":"so we","words":[{"word":"so","startTime":"1s","endTime":"2s"},{"word":"we","startTime":"2s","endTime":"3s"}]}]},{"alternatives":[{"words":[{"word":"so","startTime":"1s","endTime":"2s","speakerTag":1},{"word":"we","startTime":"2s","endTime":"3s","speakerTag":1}]}]}]}"#;
    assert_eq!(
        dropped(Format::WhisperJson, Format::Srt, json),
        "1\n00:00:01,000 --> 00:00:03,000\nso we\n\n"
    );
}

#[test]
fn spaces_of_exact_strings_and_opening_marks_are_kept() {
    let event = r#"{"wireMagic":"pb3","events":[{"tStartMs":0,"dDurationMs":2000,"segs":[{"utf8":"it"},{"utf8":"'s"},{"utf8":" we"},{"utf8":"."}]}]}"#;
    assert_eq!(dropped(Format::WhisperJson, Format::Text, event), "it's we.\n");
    let rev = r#"{"monologues":[{"elements":[{"type":"text","value":"so","ts":1,"end_ts":2},{"type":"punct","value":" - "},{"type":"text","value":"we","ts":2,"end_ts":3},{"type":"punct","value":"."}]}]}"#;
    assert_eq!(dropped(Format::WhisperJson, Format::Text, rev), "so - we.\n");
    let items = r#"{"results":[{"type":"word","start_time":1,"end_time":2,"alternatives":[{"content":"hola"}]},{"type":"punctuation","attaches_to":"next","alternatives":[{"content":"¿"}]},{"type":"word","start_time":2,"end_time":3,"alternatives":[{"content":"qué"}]},{"type":"punctuation","attaches_to":"previous","alternatives":[{"content":"?"}]}]}"#;
    assert_eq!(dropped(Format::WhisperJson, Format::Text, items), "hola ¿qué?\n");
}

#[test]
fn numbers_that_json_lacks_become_null() {
    for segments in ["segments", "monologues"] {
        let words = r#""words":[{"word":"so","start":1,"end":2,"score":NaN,"p":-Infinity}]"#;
        let json = format!(r#"{{"{segments}":[{{"start":1,"end":2,"text":"so",{words}}}]}}"#);
        let objects = dropped(Format::WhisperJson, Format::Jsonl, &json);
        assert!(
            objects.contains("null") && !objects.contains("NaN") && !objects.contains("Inf"),
            "{objects}"
        );
        let srt = dropped(Format::WhisperJson, Format::Srt, &json);
        assert_eq!(srt, "1\n00:00:01,000 --> 00:00:02,000\nso\n\n", "{segments}");
    }
}

#[test]
fn a_strict_cut_into_cues_refuses_losses() {
    let json = r#"{"segments":[{"start":0,"end":1,"speaker":"Ana","text":"so"}]}"#;
    let input = Input::of_text("data", json.as_bytes());
    let cut = Some(CueCut::Sentence);
    let conversion =
        Conversion { from: Format::WhisperJson, to: Format::Srt, strict: true, cut, ..Conversion::default() };
    let error = conversion.run(input, &mut Vec::new(), Path::new("out")).unwrap_err().to_string();
    assert!(error.contains("the speaker \"Ana\" would be lost"), "{error}");
}
