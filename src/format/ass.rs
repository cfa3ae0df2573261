//! `.ass` and `.ssa`, the subtitles of Aegisub and SubStation Alpha: the texts of their events.
//!
//! In `[Events]` a `Format:` line names the fields, the last of which is the text, and each
//! `Dialogue:` line is an event. In its text, `\N` and `\n` end a line, `\h` is a blank, and `{…}`
//! contains overrides and remarks, and after `\p1` the text is a drawing. Everything else is copied
//! unchanged.

use std::collections::VecDeque;
use std::ops::Range;

use super::cue::{CueScanner, push_untagged};
use super::json::quoted;
use super::records::{Grammar, LineParts};
use super::segment::{BlockKind, Item, LocatedItem, LossKind, Segment, SegmentTag, Time, UnspokenBlock};
use super::transcript::{Fault, shortened};

/// The fields of an event if no line names them.
const FIELDS: [&str; 10] =
    ["Layer", "Start", "End", "Style", "Name", "MarginL", "MarginR", "MarginV", "Effect", "Text"];

/// Reads lines of a file of events.
#[derive(Debug)]
struct EventLines {
    in_events: bool,
    fields: Vec<String>,
}

impl Default for EventLines {
    fn default() -> Self {
        Self { in_events: false, fields: FIELDS.map(str::to_owned).to_vec() }
    }
}

/// The places of the fields of an event in its line, in order.
type EventFields = Vec<Range<usize>>;

impl EventLines {
    /// Reads the next line; `None` if it is not a visible event.
    fn read(&mut self, line: &str) -> Result<Option<EventFields>, Fault> {
        let trimmed = line.trim();
        if trimmed.starts_with('[') && trimmed.ends_with(']') {
            self.in_events = trimmed.eq_ignore_ascii_case("[Events]");
            return Ok(None);
        }
        let Some((kind, rest)) = line.split_once(':').filter(|_| self.in_events) else { return Ok(None) };
        match kind.trim() {
            "Format" => {
                self.fields = rest.split(',').map(|field| field.trim().to_owned()).collect();
                Ok(None)
            }
            "Dialogue" => self.fields_of(line, line.len() - rest.len()).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the fields from byte `at` on, separated by commas; the last field may contain
    /// commas.
    fn fields_of(&self, line: &str, mut at: usize) -> Result<EventFields, Fault> {
        at += line[at..].len() - line[at..].trim_start().len();
        let mut fields = EventFields::new();
        for _ in 1..self.fields.len() {
            let Some(len) = line[at..].find(',') else {
                let (found, expected) = (fields.len() + 1, self.fields.join(", "));
                let problem = format!("found {found} fields, but an event is expected to be {expected}");
                return Err(Fault { at: line.trim_end().len(), problem });
            };
            fields.push(at..at + len);
            at += len + 1;
        }
        fields.push(at..line.len());
        Ok(fields)
    }

    /// Returns the place of the field of this name.
    fn place(&self, name: &str, fields: &EventFields) -> Option<Range<usize>> {
        fields.get(self.fields.iter().position(|field| field.eq_ignore_ascii_case(name))?).cloned()
    }
}

/// Finds the overrides, remarks, escapes and drawings of a text, in order.
fn marks(text: &str) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    let (mut at, mut is_drawn) = (0, false);
    while at < text.len() {
        let rest = &text[at..];
        let len = match rest.as_bytes() {
            [b'{', ..] => rest.find('}').map(|len| len + 1),
            [b'\\', b'N' | b'n' | b'h', ..] => Some(2),
            _ => None,
        };
        if let Some(len) = len.filter(|_| rest.starts_with('{')) {
            is_drawn = drawing(&rest[..len]).unwrap_or(is_drawn);
        }
        let step = len.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
        match marks.last_mut() {
            // A drawing forms one mark with the override before it.
            Some(last) if is_drawn && len.is_none() && last.end == at => last.end += step,
            _ if len.is_some() || is_drawn => marks.push(at..at + step),
            _ => {}
        }
        at += step;
    }
    marks
}

/// Returns true if these overrides begin a drawing (`\p1`) and false if they end one (`\p0`).
fn drawing(overrides: &str) -> Option<bool> {
    let number = |(at, _)| {
        let rest: &str = &overrides[at + "\\p".len()..];
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
        (!digits.is_empty()).then(|| digits.bytes().any(|b| b != b'0'))
    };
    overrides.match_indices("\\p").filter_map(number).last()
}

/// Events. A sentence runs on from event to event until the name changes. The lines before the
/// events are a header, and invisible events are comments.
#[derive(Debug, Default)]
pub(super) struct Events {
    lines: EventLines,
    cues: CueScanner,
    speaker: String,
    header: Option<LocatedItem>,
}

impl Grammar for Events {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let Some(fields) = self.lines.read(line)? else { return Ok(()) };
        let Some(place) = self.lines.place("Text", &fields) else { return Ok(()) };
        self.cues.begin();
        let speaker = self.lines.place("Name", &fields).or_else(|| self.lines.place("Actor", &fields));
        let speaker = speaker.map_or("", |speaker| line[speaker].trim());
        if !speaker.is_empty() && speaker != self.speaker {
            if !self.speaker.is_empty() {
                self.cues.turn();
            }
            speaker.clone_into(&mut self.speaker);
        }
        let text = &line[place.clone()];
        let mut take = |lines: Range<usize>| {
            let first = parts.places.len();
            self.cues.line(&text[lines.clone()], "", parts);
            parts.shift(first, place.start + lines.start);
        };
        let mut start = 0;
        for mark in marks(text) {
            // Overrides may stand inside a word, remarks may not.
            let is_override = text[mark.clone()].starts_with("{\\") && text[mark.clone()].ends_with('}');
            if is_override {
                continue;
            }
            take(start..mark.start);
            start = mark.end;
        }
        take(start..text.len());
        Ok(())
    }

    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        let event = self.lines.read(line)?;
        let found = |item, parts| LocatedItem::new(item, line, number, parts);
        let Some(fields) = event else {
            if self.lines.in_events && line.starts_with("Comment:") {
                self.close(out);
                out.push_back(found(
                    Item::Block(UnspokenBlock { kind: BlockKind::Comment, text: line.to_owned() }),
                    Vec::new(),
                ));
            } else if let Some(LocatedItem { item: Item::Block(block), source, .. }) = &mut self.header {
                for text in [&mut block.text, source] {
                    text.push('\n');
                    text.push_str(line);
                }
            } else if !line.trim().is_empty() {
                let block = UnspokenBlock { kind: BlockKind::Header, text: line.to_owned() };
                self.header = Some(found(Item::Block(block), Vec::new()));
            }
            return Ok(());
        };
        self.close(out);
        let mut segment = Segment::default();
        let mut parts = Vec::new();
        for (name, place) in self.lines.fields.iter().zip(&fields) {
            let value = line[place.clone()].trim();
            match name.to_ascii_lowercase().as_str() {
                "start" | "end" => {
                    let time = Time::of_clock(value).ok_or_else(|| {
                        let found = shortened(value);
                        let problem =
                            format!("found \"{found}\", but a time is expected, such as 0:00:01.00");
                        Fault { at: place.start, problem }
                    })?;
                    let field = if name.eq_ignore_ascii_case("start") {
                        &mut segment.begin
                    } else {
                        &mut segment.end
                    };
                    *field = Some(time);
                    parts.push((LossKind::Times, place.start));
                }
                "name" | "actor" if !value.is_empty() => {
                    segment.speaker = Some(value.to_owned());
                    parts.push((LossKind::Speaker, place.start));
                }
                "name" | "actor" => {}
                "text" => {
                    parts.push((LossKind::Text, place.start));
                    read_text(&line[place.clone()], place.start, &mut segment, &mut parts);
                }
                name => {
                    segment.other.push((name.to_owned(), quoted(value)));
                    parts.push((LossKind::Other, place.start));
                }
            }
        }
        out.push_back(found(Item::Segment(segment), parts));
        Ok(())
    }

    fn close(&mut self, out: &mut VecDeque<LocatedItem>) {
        out.extend(self.header.take());
    }

    fn is_between(&self) -> bool {
        true
    }

    fn decode(&self, part: &str, out: &mut String) {
        push_untagged(part, |_| None, out);
    }
}

/// Reads the text of an event, which begins at byte `start` of its line.
fn read_text(text: &str, start: usize, segment: &mut Segment, parts: &mut Vec<(LossKind, usize)>) {
    let mut at = 0;
    for mark in marks(text) {
        segment.text.push_str(&text[at..mark.start]);
        match &text[mark.clone()] {
            "\\N" => segment.text.push('\n'),
            "\\n" => segment.text.push(' '),
            "\\h" => segment.text.push('\u{a0}'),
            tag => {
                segment.tags.push(SegmentTag { at: segment.text.chars().count(), tag: tag.to_owned() });
                parts.push((LossKind::Tags, start + mark.start));
            }
        }
        at = mark.end;
    }
    segment.text.push_str(&text[at..]);
}

#[cfg(test)]
mod tests {
    use crate::format::Kind;
    use crate::format::convert::written;
    use crate::format::laws::{check, error, starts, words};

    const FILE: &str = "\u{feff}[Script Info]\r\n; so it is\r\nTitle: a talk\r\n\r\n[V4+ Styles]\r\nFormat: Name, Fontname\r\nStyle: Default,Arial\r\n\r\n\
        [Events]\r\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\r\n\
        Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,no text\r\n\
        Dialogue: 0,0:00:01.00,0:00:02.50,Default,ana,0,0,0,,{\\an8}so, w{\\b1}e met\\Nrui{remark}. and\r\n\
        Dialogue: 0,0:00:02.50,0:00:03.00,Default,ana,0,0,0,,then\\hleft {\\p1}m 0 0 l 9 b{\\p0}[laughs]\r\n\
        Dialogue: 0,0:00:03.00,0:00:04.00,Default,rui,0,0,0,,no,\\n- é";

    #[test]
    fn only_the_texts_of_events_are_text() {
        let found = words(Kind::Ass, FILE);
        assert_eq!(found, ["so", "we", "met", "rui", "and", "then", "left", "no", "é"]);
        assert_eq!(starts(Kind::Ass, FILE), ["so", "and", "no", "é"]);
        check(Kind::Ass, FILE);
        let old = "[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
                   Dialogue: Marked=0,0:00:01.00,0:00:02.50,*Default,NTP,0000,0000,0000,!Effect,so {a";
        assert_eq!(words(Kind::Ass, old), ["so", "a"]);
        check(Kind::Ass, old);
        assert_eq!(Kind::named("a.ssa".as_ref()), Some(Kind::Ass));
    }

    #[test]
    fn an_event_is_a_segment() {
        let srt = "1\n00:00:01,000 --> 00:00:02,500\nso, we met\nrui. and\n\n";
        let event = "[Events]\nDialogue: 0,0:00:01.00,0:00:02.50,,,,,,,{\\an8}so, we met\\Nrui. and\n";
        let objects = written(Kind::Ass, Kind::Jsonl, event);
        let events: Vec<&str> = objects.lines().skip(1).collect();
        assert!(objects.starts_with("{\"header\":\"[Events]\","), "{objects}");
        assert!(
            events[0]
                .contains(r#""begin":1.0,"end":2.5,"text":"so, we met\nrui. and","tags":[[0,"{\\an8}"]]"#),
            "{objects}"
        );
        let plain = crate::format::convert::dropped(Kind::Ass, Kind::Srt, event);
        assert_eq!(plain, srt);
    }

    #[test]
    fn what_cannot_be_read_is_named_or_passed() {
        let found = error(Kind::Ass, "[Events]\nDialogue: 0,0:00:01.00,so\n");
        assert!(found.starts_with("data, line 2, column 26: found 3 fields, but an event"), "{found}");
    }
}
