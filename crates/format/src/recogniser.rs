//! Documents of recognisers other than Whisper as segments with the times of their words: Vosk,
//! Gentle, AssemblyAI, Deepgram, Google.

use serde_json::{Map, Value};

use super::segment::{Segment, SegmentWord, Time};

/// The segments of a document, and the fields of the document that they hold whole.
#[derive(Debug, Default)]
pub(super) struct HeardDocument {
    pub(super) segments: Vec<Segment>,
    pub(super) fields: &'static [&'static str],
}

/// The names of the fields of a segment and of a word.
const TEXTS: [&str; 4] = ["transcript", "text", "word", "alignedWord"];
const BEGINS: [&str; 4] = ["start", "begin", "startTime", "startOffset"];
const ENDS: [&str; 3] = ["end", "endTime", "endOffset"];
const CONFIDENCES: [&str; 4] = ["confidence", "conf", "probability", "score"];
const WORDS: [&str; 3] = ["words", "result", "word_timings"];

/// The time in milliseconds that no word lasts on average: the times of a document whose words last
/// longer are in milliseconds.
const LONGEST: u64 = 30_000;

/// Reads a document; `None` if it has none of these shapes.
pub(super) fn read(json: &str) -> Option<HeardDocument> {
    let root: Map<String, Value> = serde_json::from_str(json).ok()?;
    let list = |name: &str| root.get(name).and_then(Value::as_array).filter(|list| !list.is_empty());
    let has_segments = ["segments", "chunks", "transcription"].iter().any(|name| list(name).is_some());
    if has_segments {
        return None;
    }
    let all = |list: &[Value]| list.iter().filter_map(segment).collect::<Vec<Segment>>();
    let best = |of: &Value| segment(of.get("alternatives")?.as_array()?.first()?);
    let results = root.get("results");
    let nested = |name: &str| results.and_then(|results| results.get(name)).and_then(Value::as_array);
    let (segments, fields): (Vec<Segment>, &'static [&'static str]) =
        if let Some(utterances) = list("utterances") {
            (all(utterances), &["utterances"])
        } else if let Some(utterances) = nested("utterances").filter(|list| !list.is_empty()) {
            (all(utterances), &[])
        } else if let Some(channels) = nested("channels") {
            let channel = |(nth, channel): (usize, &Value)| {
                let named = (channels.len() > 1).then(|| (nth + 1).to_string());
                Some(Segment { channel: named, ..best(channel)? })
            };
            (channels.iter().enumerate().filter_map(channel).collect(), &[])
        } else if let Some(results) = list("results") {
            (results.iter().filter_map(best).collect(), &[])
        } else if list("alternatives").is_some() {
            (best(&Value::Object(root.clone())).into_iter().collect(), &[])
        } else if WORDS.iter().any(|name| list(name).is_some()) {
            let mut kept = root.clone();
            let own = ["transcript", "text", "words", "result", "word_timings"];
            kept.retain(|name, _| own.contains(&&**name));
            (
                segment(&Value::Object(kept)).into_iter().collect(),
                &["transcript", "text", "words", "result", "word_timings"],
            )
        } else {
            return None;
        };
    (!segments.is_empty()).then_some(HeardDocument { segments, fields })
}

/// Reads an object as a segment; `None` if it has no text.
fn segment(object: &Value) -> Option<Segment> {
    let fields = object.as_object()?;
    let own = text_name(fields)?;
    let mut segment = Segment::default();
    for (name, value) in fields {
        match (&**name, value) {
            (name, Value::String(text)) if name == own => text.trim().clone_into(&mut segment.text),
            (name, Value::Array(words)) if WORDS.contains(&name) => {
                segment.words = words.iter().filter_map(word).collect();
            }
            (name, value) if BEGINS.contains(&name) && time(value).is_some() => segment.begin = time(value),
            (name, value) if ENDS.contains(&name) && time(value).is_some() => segment.end = time(value),
            ("speaker", Value::String(speaker)) => segment.speaker = Some(speaker.clone()),
            ("speaker", Value::Number(speaker)) => segment.speaker = Some(speaker.to_string()),
            (name, Value::Number(number)) if CONFIDENCES.contains(&name) => {
                segment.confidence = Some(number.to_string());
            }
            (name, value) => segment.other.push((name.to_owned(), value.to_string())),
        }
    }
    Some(segment)
}

/// Reads an object as a word; `None` if it has no text.
fn word(object: &Value) -> Option<SegmentWord> {
    let fields = object.as_object()?;
    let own = text_name(fields)?;
    let mut word = SegmentWord::default();
    for (name, value) in fields {
        match (&**name, value) {
            (name, Value::String(text)) if name == own => word.text = format!(" {}", text.trim()),
            (name, value) if BEGINS.contains(&name) => word.begin = time(value),
            (name, value) if ENDS.contains(&name) => word.end = time(value),
            (name, Value::Number(number)) if CONFIDENCES.contains(&name) => {
                word.confidence = Some(number.to_string());
            }
            (name, value) => word.other.push((name.to_owned(), value.to_string())),
        }
    }
    Some(word)
}

/// Returns the name of the field that has the text of a segment or of a word.
fn text_name(fields: &Map<String, Value>) -> Option<&'static str> {
    TEXTS.into_iter().find(|name| fields.get(*name).is_some_and(Value::is_string))
}

/// Reads a time, a number of seconds that may be a string: `1.5`, `"1.5s"`.
fn time(value: &Value) -> Option<Time> {
    match value {
        Value::Number(number) => Time::parse(&number.to_string()),
        Value::String(text) => Time::parse(text.strip_suffix('s').unwrap_or(text)),
        _ => None,
    }
}

/// Divides all times by 1000 if they are in milliseconds: if a word lasts longer than half a minute
/// on average.
pub(super) fn in_seconds(segments: &mut [&mut Segment]) {
    let of = |begin: Option<Time>, end: Option<Time>| Some(end?.since(begin?)?.milliseconds());
    let words = segments.iter().flat_map(|segment| &segment.words);
    let mut lasts: Vec<u64> = words.filter_map(|word| of(word.begin, word.end)).collect();
    let mut count = lasts.len() as u64;
    if lasts.is_empty() {
        let spoken = segments.iter().filter_map(|segment| {
            Some((of(segment.begin, segment.end)?, segment.text.split_whitespace().count() as u64))
        });
        let spoken: Vec<(u64, u64)> = spoken.collect();
        count = spoken.iter().map(|(_, words)| words).sum();
        lasts = spoken.into_iter().map(|(time, _)| time).collect();
    }
    let total = lasts.into_iter().fold(0, u64::saturating_add);
    if count == 0 || total / count < LONGEST {
        return;
    }
    let scale = |time: &mut Option<Time>| *time = time.and_then(|time| time.scaled(1, 1000));
    for segment in segments {
        [&mut segment.begin, &mut segment.end].into_iter().for_each(scale);
        let words = segment.words.iter_mut();
        words.for_each(|word| [&mut word.begin, &mut word.end].into_iter().for_each(scale));
    }
}
