//! JSON of recognisers other than Whisper.

use majuscule_format::Format;

use super::dropped;

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
    ] {
        assert_eq!(dropped(Format::WhisperJson, Format::Srt, &json), SRT, "{json}");
    }
}

#[test]
fn a_word_without_a_time_costs_its_segment_none() {
    let json = r#"{"transcript":"we met","words":[{"word":"we","case":"not-found-in-audio"},{"word":"met","start":0.5,"end":1.6}]}"#;
    assert!(
        dropped(Format::WhisperJson, Format::Srt, json).contains("00:00:00,500 --> 00:00:01,600\nwe met\n")
    );
}
