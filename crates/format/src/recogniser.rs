//! Reads documents of recognisers as segments with the times of their words. One table lists the names of fields by
//! their role, and another one the paths that lead to segments.

use serde_json::{Map, Value};

use super::envelope::PUNCTUATED;
use super::json::{compact, text};
use super::segment::{Segment, SegmentWord, Time, end_segments, reading_time};

/// The names of fields that contain the text of a segment, a word or a line, or its form for display; the first that
/// an object has counts.
const TEXTS: [&str; 10] =
    ["transcript", "text", "word", "alignedWord", "display", "body", "segment", "content", "value", "utf8"];

/// The names of the fields with times: numbers or strings, in the unit that [`time_of`] finds.
const BEGINS: [&str; 9] =
    ["start", "begin", "startTime", "startOffset", "start_time", "ts", "offsetInTicks", "offset", "tStartMs"];
const ENDS: [&str; 5] = ["end", "endTime", "endOffset", "end_time", "end_ts"];
const DURATIONS: [&str; 3] = ["durationInTicks", "duration", "dDurationMs"];

/// The names of the lists of the words of a segment.
const WORD_LISTS: [&str; 6] = ["words", "result", "word_timings", "elements", "segs", "tokens"];

/// The field with the begin time of a word, counted from the begin time of its segment.
const OFFSET: &str = "tOffsetMs";

const SPEAKERS: [&str; 4] = ["speaker", "speaker_label", "speakerId", "speaker_id"];
const CONFIDENCES: [&str; 4] = ["confidence", "conf", "probability", "score"];

/// The names of lists with several results for the same speech, the first of which is the best.
const ALTERNATIVES: [&str; 2] = ["alternatives", "nBest"];

/// The kind of the objects in a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    /// Segments.
    Segments,
    /// Segments, one for each channel of the recording.
    Channels,
    /// Words and punctuation marks, without segments.
    Items,
}

/// The paths to the segments of a document, by the keys of objects; lists on the way are traversed. The first that
/// leads to a text counts.
const PATHS: [(&str, Listed); 14] = [
    // AssemblyAI; Deepgram.
    ("utterances", Listed::Segments),
    ("results.utterances", Listed::Segments),
    ("results.channels.alternatives", Listed::Channels),
    // AWS; Speechmatics; Google.
    ("results.items", Listed::Items),
    ("results", Listed::Items),
    ("results.alternatives", Listed::Segments),
    // Vosk with alternatives, Rev, Azure.
    ("alternatives", Listed::Segments),
    ("monologues", Listed::Segments),
    ("recognizedPhrases.nBest", Listed::Segments),
    // YouTube's json3, podcasts, whisper with times in strings, NeMo.
    ("events", Listed::Segments),
    ("segments", Listed::Segments),
    ("snippets", Listed::Segments),
    ("timestamp.segment", Listed::Segments),
    // Vosk, Gentle, sherpa-onnx: the document is the segment.
    ("", Listed::Segments),
];

/// The fields of a document that is one segment.
const OWN: [&str; 8] =
    ["transcript", "text", "words", "result", "word_timings", "tokens", "timestamps", "durations"];

/// The time in milliseconds that a word does not last on average. If the words of a document seem to last longer, its
/// times are in milliseconds.
const LONGEST: u64 = 60_000;

/// Returns the segments of a document, and the names of its fields that add nothing to the segments; `None` if none of
/// the paths leads to a text, and for the segments of Whisper.
pub(super) fn read(json: &str) -> Option<(Vec<Segment>, Vec<&'static str>)> {
    let root: Map<String, Value> =
        serde_json::from_str(json).or_else(|_| serde_json::from_str(&compact(json))).ok()?;
    let is_whisper = |name: &str| {
        let list = root.get(name).and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|segment| segment.get("text").is_some()))
    };
    if ["segments", "chunks", "transcription"].into_iter().any(is_whisper) {
        return None;
    }
    PATHS.into_iter().find_map(|(path, listed)| {
        let mut segments = at_path(&root, path, listed);
        match path {
            "events" => end_at_next(&mut segments),
            "timestamp.segment" => share_out(&root, &mut segments),
            _ => {}
        }
        segments.retain(|segment| !segment.text.is_empty());
        let segments: Vec<Segment> = segments.into_iter().flat_map(by_speaker).collect();
        let fields = match path.split_once('.') {
            None if path.is_empty() => OWN.to_vec(),
            None => vec![path],
            Some(("timestamp", _)) => vec!["timestamp"],
            Some(_) => Vec::new(),
        };
        (!segments.is_empty()).then_some((segments, fields))
    })
}

/// Returns the segments at a path.
fn at_path(root: &Map<String, Value>, path: &str, listed: Listed) -> Vec<Segment> {
    // Each object at the current key, with the object that contains it.
    let mut found: Vec<[&Map<String, Value>; 2]> = vec![[root; 2]];
    for key in path.split('.').filter(|key| !key.is_empty()) {
        let mut next = Vec::new();
        for [outer, _] in found {
            let value = outer.get(key);
            let most = if ALTERNATIVES.contains(&key) { 1 } else { usize::MAX };
            let one = value.and_then(Value::as_object);
            let list = value.and_then(Value::as_array).into_iter().flatten().take(most);
            let objects = one.into_iter().chain(list.filter_map(Value::as_object));
            next.extend(objects.map(|object| [object, outer]));
        }
        found = next;
    }
    if listed == Listed::Items {
        return spoken(found.into_iter().map(|[item, _]| item));
    }
    let count = found.len();
    let named = |nth: usize| (listed == Listed::Channels && count > 1).then(|| (nth + 1).to_string());
    // Google repeats all words in a last result without a text.
    let has_texts =
        path == "results.alternatives" && found.iter().any(|[object, _]| text_name(object).is_some());
    let segment = |(nth, [object, outer]): (usize, [&Map<String, Value>; 2])| {
        if has_texts {
            text_name(object)?;
        }
        let mut segment = segment(object)?;
        if path.is_empty() {
            // Both must be there: other code reads words alone as segments, and a text alone as one segment.
            text_name(object).and(list_of_words(object))?;
            segment = Segment { text: segment.text, words: segment.words, ..Segment::default() };
        }
        segment.channel = named(nth).or(segment.channel);
        // Azure has the times outside of the alternatives.
        if path.ends_with("nBest") {
            let (begin, end) = times(outer);
            (segment.begin, segment.end) = (segment.begin.or(begin), segment.end.or(end));
            segment.speaker = segment.speaker.or_else(|| speaker(outer));
        }
        Some(segment)
    };
    found.into_iter().enumerate().filter_map(segment).collect()
}

/// Reads an object as a segment; `None` if it has no text and no words.
fn segment(fields: &Map<String, Value>) -> Option<Segment> {
    let own = text_name(fields);
    let (begin, end) = times(fields);
    let mut segment = Segment { begin, end, speaker: speaker(fields), ..Segment::default() };
    let words = list_of_words(fields);
    for (name, value) in fields {
        match (&**name, value) {
            (name, Value::String(text)) if Some(name) == own => text.trim().clone_into(&mut segment.text),
            (name, _) if words.as_ref().is_some_and(|(list, _)| *list == name) => {}
            (name, value) if SPEAKERS.contains(&name) && !value.is_null() => {}
            (name, value) if is_time_field(name) && time_of(name, value).is_some() => {}
            (name, Value::Number(number)) if CONFIDENCES.contains(&name) => {
                segment.confidence = Some(number.to_string());
            }
            ("id", Value::Number(_) | Value::String(_)) => segment.id = Some(unquoted(value)),
            ("channel", Value::Number(_) | Value::String(_)) => segment.channel = Some(unquoted(value)),
            (name, value) => segment.other.push((unreserved(name), value.to_string())),
        }
    }
    if let Some((name, list)) = &words {
        let (name, list) = (*name, *list);
        segment.words = if name == "tokens" { subwords(fields, list) } else { words_of(list, begin) };
    }
    if own.is_none() {
        segment.text = joined(&segment.words);
    }
    // A whole caption is not a word.
    let is_caption = words.is_some_and(|(name, _)| name == "segs");
    if is_caption && segment.words.iter().any(|word| word.text.trim().contains(char::is_whitespace)) {
        segment.words.clear();
    }
    (own.is_some() || !segment.text.is_empty()).then_some(segment)
}

/// Returns the text of words, each of which begins with its white space.
fn joined(words: &[SegmentWord]) -> String {
    let text: String = words.iter().map(|word| &*word.text).collect();
    text.trim().to_owned()
}

/// Returns the list of the words of a segment, and its name.
fn list_of_words(fields: &Map<String, Value>) -> Option<(&'static str, &Vec<Value>)> {
    let is_list = |name: &str, list: &[Value]| match name {
        "tokens" => list.first().is_some_and(Value::is_string),
        _ => list.first().is_some_and(Value::is_object),
    };
    WORD_LISTS.into_iter().find_map(|name| {
        let list = fields.get(name)?.as_array()?;
        is_list(name, list).then_some((name, list))
    })
}

/// Reads a list of words and punctuation marks; a mark without a time belongs to the word before it. In the lists of
/// YouTube and Rev the strings are the text with its spaces. `begin` is the begin time of the segment.
fn words_of(list: &[Value], begin: Option<Time>) -> Vec<SegmentWord> {
    let mut words: Vec<SegmentWord> = Vec::new();
    let mut is_apart = true;
    for object in list.iter().filter_map(Value::as_object) {
        let exact = ["utf8", "value"].iter().find_map(|name| object.get(*name)?.as_str());
        let Some(word) = word(object, begin) else { continue };
        if let Some(exact) = exact {
            is_apart |= exact.starts_with(char::is_whitespace);
            match words.last_mut().filter(|_| !is_apart) {
                _ if exact.trim().is_empty() => continue,
                Some(last) => last.text.push_str(exact.trim_end()),
                None => words.push(word),
            }
            is_apart = exact.ends_with(char::is_whitespace);
            continue;
        }
        let is_mark = word.begin.is_none() && !word.text.contains(char::is_alphanumeric);
        match words.last_mut().filter(|_| is_mark) {
            Some(last) => last.text.push_str(word.text.trim()),
            None if word.text.trim().is_empty() => {}
            None => words.push(word),
        }
    }
    words
}

/// Reads an object as a word; `None` if it has no text.
fn word(item: &Map<String, Value>, segment: Option<Time>) -> Option<SegmentWord> {
    let fields = best(item).unwrap_or(item);
    let own = text_name(fields)?;
    let (begin, end) = times(item);
    let offset = item.get(OFFSET).and_then(|value| time_of(OFFSET, value));
    let begin = begin.or_else(|| match own {
        "utf8" => segment?.after(offset.unwrap_or_default()),
        _ => None,
    });
    let mut word = SegmentWord { begin, end, ..SegmentWord::default() };
    for (name, value) in fields {
        match (&**name, value) {
            (name, Value::String(text)) if name == own => word.text = format!(" {}", text.trim()),
            (name, _) if is_time_field(name) => {}
            (name, Value::Number(_) | Value::String(_)) if CONFIDENCES.contains(&name) => {
                word.confidence = Some(unquoted(value));
            }
            (name, value) => word.other.push((unreserved(name), value.to_string())),
        }
    }
    Some(word)
}

/// Reads words and punctuation marks. Consecutive words of the same speaker are one segment.
fn spoken<'a>(items: impl Iterator<Item = &'a Map<String, Value>>) -> Vec<Segment> {
    let is_item = |item: &Map<String, Value>| {
        best(item).is_some_and(|best| best.contains_key("content")) && item.contains_key("type")
    };
    let mut segments: Vec<Segment> = Vec::new();
    // Opening marks of the next word.
    let mut opening = String::new();
    for item in items.filter(|item| is_item(item)) {
        let Some(mut word) = word(item, None) else { continue };
        word.other.clear();
        let named = speaker(item).or_else(|| speaker(best(item)?));
        let said = word.text.trim();
        if item.get("type").and_then(Value::as_str) == Some("punctuation") {
            let is_next = item.get("attaches_to").and_then(Value::as_str) == Some("next");
            let last = segments.last_mut().and_then(|segment| segment.words.last_mut());
            match last.filter(|_| !is_next && !said.starts_with(OPENINGS)) {
                Some(last) => last.text.push_str(said),
                None => opening.push_str(said),
            }
            continue;
        }
        word.text = format!(" {}{said}", std::mem::take(&mut opening));
        match segments.last_mut().filter(|segment| segment.speaker == named) {
            Some(segment) => segment.words.push(word),
            None => segments.push(Segment { speaker: named, words: vec![word], ..Segment::default() }),
        }
    }
    for segment in &mut segments {
        segment.text = joined(&segment.words);
        segment.begin = segment.words.first().and_then(|word| word.begin);
        segment.end = segment.words.last().and_then(|word| word.end);
    }
    segments
}

/// The marks that belong to the word after them.
const OPENINGS: [char; 8] = ['¿', '¡', '(', '[', '„', '«', '“', '‘'];

/// Splits a segment where the speaker of its words changes, if every word has a speaker and the words together are
/// the text. Deepgram and Google write such segments.
fn by_speaker(mut segment: Segment) -> Vec<Segment> {
    let is_speaker = |name: &str| matches!(name, "speaker_" | "speakerTag" | "speakerLabel");
    let speaker = |word: &SegmentWord| {
        let (_, raw) = word.other.iter().find(|(name, _)| is_speaker(name))?;
        Some(raw.trim_matches('"').to_owned())
    };
    let spelled = |word: &SegmentWord| {
        let marked = word.other.iter().find(|(name, _)| name == PUNCTUATED);
        marked.and_then(|(_, raw)| text(raw)).map_or_else(|| word.text.clone(), |text| format!(" {text}"))
    };
    let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let joined: String = segment.words.iter().map(spelled).collect();
    let is_whole = segment.speaker.is_none() && visible(&joined) == visible(&segment.text);
    if !is_whole || segment.words.iter().any(|word| speaker(word).is_none()) || segment.words.is_empty() {
        return vec![segment];
    }
    let mut segments: Vec<Segment> = Vec::new();
    for mut word in std::mem::take(&mut segment.words) {
        let (named, spelled) = (speaker(&word), spelled(&word));
        word.other.retain(|(name, _)| !is_speaker(name));
        if segments.last().is_none_or(|last| last.speaker != named) {
            // The other fields of the segment go to its first part.
            let first = if segments.is_empty() { std::mem::take(&mut segment) } else { Segment::default() };
            let channel = first.channel.clone().or_else(|| segments.last()?.channel.clone());
            let (text, begin) = (String::new(), word.begin);
            segments.push(Segment { channel, speaker: named, begin, end: None, text, ..first });
        }
        if let Some(last) = segments.last_mut() {
            last.text.push_str(if last.text.is_empty() { spelled.trim_start() } else { &spelled });
            last.end = word.end.or(last.end);
            last.words.push(word);
        }
    }
    segments
}

/// Returns the best of the alternatives of an item.
fn best(item: &Map<String, Value>) -> Option<&Map<String, Value>> {
    ALTERNATIVES.iter().find_map(|name| item.get(*name)?.as_array()?.first()?.as_object())
}

/// Joins subwords, each with its begin in `timestamps`, into words: a space or `▁` begins one.
fn subwords(fields: &Map<String, Value>, tokens: &[Value]) -> Vec<SegmentWord> {
    let times = |name: &str| fields.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let (begins, durations) = (times("timestamps"), times("durations"));
    let at = |times: &[Value], nth: usize| times.get(nth).and_then(|time| time_of("", time));
    let mut words: Vec<SegmentWord> = Vec::new();
    for (nth, token) in tokens.iter().enumerate() {
        let Some(token) = token.as_str() else { continue };
        let rest = token.trim_start_matches(['▁', ' ']);
        let begin = at(&begins, nth);
        let end = begin.zip(at(&durations, nth)).and_then(|(begin, duration)| begin.after(duration));
        match words.last_mut().filter(|_| rest.len() == token.len()) {
            Some(word) => {
                word.text.push_str(rest);
                word.end = end.or(word.end);
            }
            None => {
                words.push(SegmentWord { text: format!(" {rest}"), begin, end, ..SegmentWord::default() })
            }
        }
    }
    words.retain(|word| !word.text.trim().is_empty());
    let mut next = None;
    for word in words.iter_mut().rev() {
        let last = || word.begin.and_then(|begin| begin.after(reading_time(&word.text)?));
        word.end = word.end.or(next).or_else(last);
        next = word.begin;
    }
    words
}

/// Assigns each word that NeMo lists separately from the segments to the last segment that begins no later. Without
/// segments, the words are one segment.
fn share_out(root: &Map<String, Value>, segments: &mut Vec<Segment>) {
    let words = root.get("timestamp").and_then(|times| times.get("word")).and_then(Value::as_array);
    let words = words.map_or_else(Vec::new, |words| words_of(words, None));
    if segments.is_empty() && !words.is_empty() {
        let text = root.get("text").and_then(Value::as_str);
        let text = text.map_or_else(|| joined(&words), |text| text.trim().to_owned());
        segments.push(Segment { text, ..Segment::default() });
    }
    let mut to = 0;
    for word in words {
        while segments.get(to + 1).is_some_and(|next| next.begin <= word.begin) {
            to += 1;
        }
        if let Some(segment) = segments.get_mut(to) {
            segment.words.push(word);
        }
    }
}

/// Ends each caption no later than the next one begins: captions that roll up are shown longer.
fn end_at_next(segments: &mut [Segment]) {
    let mut next = None;
    for segment in segments.iter_mut().rev().filter(|segment| !segment.text.is_empty()) {
        let later = next.filter(|next| Some(*next) > segment.begin);
        segment.end = segment.end.into_iter().chain(later).min();
        next = segment.begin;
    }
}

/// Returns the name of the field that has the text of a segment or of a word.
fn text_name(fields: &Map<String, Value>) -> Option<&'static str> {
    TEXTS.into_iter().find(|name| fields.get(*name).is_some_and(Value::is_string))
}

/// Returns the name of the speaker.
fn speaker(fields: &Map<String, Value>) -> Option<String> {
    SPEAKERS.iter().find_map(|name| match fields.get(*name)? {
        value @ (Value::String(_) | Value::Number(_)) => Some(unquoted(value)),
        _ => None,
    })
}

/// Returns a string or a number as text.
fn unquoted(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the name of a field that is kept, with `_` appended if the name has another meaning in JSON lines.
fn unreserved(name: &str) -> String {
    const RESERVED: [&str; 18] = [
        "id",
        "recording",
        "channel",
        "speaker",
        "begin",
        "start",
        "end",
        "text",
        "tags",
        "settings",
        "coordinates",
        "confidence",
        "type",
        "label",
        "words",
        "word",
        "probability",
        "score",
    ];
    if RESERVED.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

fn is_time_field(name: &str) -> bool {
    name == OFFSET || [&BEGINS[..], &ENDS, &DURATIONS].iter().any(|names| names.contains(&name))
}

/// Returns the begin and the end of a segment or a word.
fn times(fields: &Map<String, Value>) -> (Option<Time>, Option<Time>) {
    let first = |names: &[&str]| {
        names.iter().find_map(|name| fields.get(*name).and_then(|value| time_of(name, value)))
    };
    let begin = first(&BEGINS);
    let ends = || begin.zip(first(&DURATIONS)).and_then(|(begin, duration)| begin.after(duration));
    (begin, first(&ENDS).or_else(ends))
}

/// Reads a time from a number or a string: seconds (`1.5`, `"1.5s"`, `"PT1M2.5S"`), milliseconds in a field `…Ms`, or
/// units of 100 ns in a field `…InTicks`.
fn time_of(name: &str, value: &Value) -> Option<Time> {
    let text = match value {
        // A number would be a position in a text.
        Value::Number(_) if matches!(name, "offset" | "startOffset" | "endOffset") => return None,
        Value::Number(_) | Value::String(_) => unquoted(value),
        _ => return None,
    };
    let per = match name {
        name if name.ends_with("Ms") => 1000,
        name if name.ends_with("InTicks") => 10_000_000,
        _ => 1,
    };
    if let Some(duration) = text.strip_prefix("PT") {
        return iso_duration(duration);
    }
    Time::parse(text.strip_suffix('s').unwrap_or(&text))?.scaled(1, per)
}

/// Reads hours, minutes and seconds of a duration of ISO 8601 after `PT`: `1H2M3.5S`.
fn iso_duration(text: &str) -> Option<Time> {
    let mut time = Time::default();
    let mut rest = text;
    for (unit, seconds) in [('H', 3600), ('M', 60), ('S', 1)] {
        if let Some((number, after)) = rest.split_once(unit) {
            time = time.after(Time::parse(number)?.scaled(seconds, 1)?)?;
            rest = after;
        }
    }
    (rest.is_empty() && !text.is_empty()).then_some(time)
}

/// Divides all times by 1000 if they are in milliseconds, and ends each segment that has no end. Times are in
/// milliseconds if they are whole numbers and, read as seconds, a word lasts longer than a minute on average.
pub(super) fn finish(segments: &mut [&mut Segment]) {
    in_seconds(segments);
    end_segments(segments.iter_mut().map(|segment| &mut **segment));
}

fn in_seconds(segments: &mut [&mut Segment]) {
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
    let is_whole = |time: Option<Time>| time.is_none_or(|time| time.rounded(0) == time);
    let are_whole = segments.iter().all(|segment| {
        let words = segment.words.iter().all(|word| is_whole(word.begin) && is_whole(word.end));
        words && is_whole(segment.begin) && is_whole(segment.end)
    });
    if count == 0 || total / count <= LONGEST || !are_whole {
        return;
    }
    let scale = |time: &mut Option<Time>| *time = time.and_then(|time| time.scaled(1, 1000));
    for segment in segments {
        [&mut segment.begin, &mut segment.end].into_iter().for_each(scale);
        let words = segment.words.iter_mut();
        words.for_each(|word| [&mut word.begin, &mut word.end].into_iter().for_each(scale));
    }
}
