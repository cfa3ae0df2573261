//! `.ass` and `.ssa`, the subtitles of Aegisub and SubStation Alpha: the texts of their events.
//!
//! In `[Events]` a `Format:` line names the fields, the last of which is the text, and each `Dialogue:` line is an
//! event. In the text of an event, `\N` and `\n` end a line, `\h` is a blank, `{…}` contains overrides and remarks,
//! and text after `\p1` is a drawing. Everything else is copied unchanged.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::cue::{self, CueScanner, push_untagged};
use super::grammar::Grammar;
use super::info::{CONVERTS, FormatInfo};
use super::json::{self, quoted};
use super::kind::{Format, FormatFamily};
use super::line_parts::LineParts;
use super::pauses::Pauses;
use super::segment::{
    self, BlockKind, Item, LocatedItem, LossKind, Losses, Lost, Segment, SegmentInfo, SegmentTag, Time,
    UnspokenBlock,
};
use super::transcript::{Fault, shortened};
use majuscule_text::RestoreOptions;

/// Subtitles of Aegisub and SubStation Alpha.
pub(super) const ASS: FormatInfo = FormatInfo {
    example: "[Script Info]\r\nTitle: the bbc\r\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
              Dialogue: 0,0:00:01.00,0:00:02.00,d,ana,0,0,0,,{\\an8}the b{\\b1}bc met\\Nin new york. who{x}\nComment: 0,a\n\
              Dialogue: 0,0:00:02.00,0:00:03.00,d,rui,0,0,0,,İstanbul\\h{\\p1}m 0 0{\\p0}u.s., MAN: ebay",
    shown: ".ass",
    family: FormatFamily::Subtitles,
    extensions: &["ass", "ssa"],
    media_types: &["text/x-ssa", "text/x-ass"],
    begins: Some(|head| head.begins_with(&["[script info]"])),
    grammar: Some(|_| Ok(Box::new(Events::default()))),
    names_speakers: true,
    has_pauses: true,
    runs_on: true,
    segments: Some(&ASS_EVENTS),
    ..FormatInfo::LINES
};

/// Events.
static ASS_EVENTS: SegmentInfo = SegmentInfo {
    format: Format::Ass,
    unit: "event",
    parts: &[LossKind::Speaker, LossKind::Times, LossKind::Breaks, LossKind::Tags, LossKind::Other],
    has_times: true,
    digits: 2,
    rolls_up: true,
    has_overrides: true,
    blocks: &[BlockKind::Script],
    writer: Ok(|| Box::new(AssWriter::default())),
    ..SegmentInfo::LINES
};

/// The fields of an event if no `Format:` line names them.
const FIELDS: [&str; 10] =
    ["Layer", "Start", "End", "Style", "Name", "MarginL", "MarginR", "MarginV", "Effect", "Text"];

/// The script (all lines other than visible events) that is written if the input has none; the reader drops it.
const SCRIPT: &str = "\
[Script Info]
ScriptType: v4.00+
WrapStyle: 0
ScaledBorderAndShadow: yes
PlayResX: 384
PlayResY: 288

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,16,&H00FFFFFF,&H000000FF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text";

/// Returns the default value of a field, with which the field counts as empty; `name` is in lower case.
fn usual(name: &str) -> &'static str {
    match name {
        "layer" | "marginl" | "marginr" | "marginv" => "0",
        "style" => "Default",
        _ => "",
    }
}

/// Returns true if a field with this value counts as empty. Old files write an empty margin as `0000`.
fn is_usual(name: &str, value: &str) -> bool {
    let is_zero = !value.is_empty() && value.bytes().all(|b| b == b'0');
    usual(name) == if is_zero { "0" } else { value }
}

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

/// The positions of the fields of an event in its line, in order.
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

    /// Fails unless the fields include the times, the last field is the text, and no field occurs twice.
    fn check(&self) -> Result<(), Fault> {
        let has = |name: &str| self.fields.iter().any(|field| field.eq_ignore_ascii_case(name));
        let names: BTreeSet<String> = self.fields.iter().map(|name| name.to_ascii_lowercase()).collect();
        let is_text_last = self.fields.last().is_some_and(|name| name.eq_ignore_ascii_case("Text"));
        if has("Start") && has("End") && is_text_last && names.len() == self.fields.len() {
            return Ok(());
        }
        let found = self.fields.join(", ");
        let problem = format!(
            "found an event with the fields {}: expected Start, End and, as the last one, Text, and no field twice",
            shortened(&found)
        );
        Err(Fault { at: 0, problem })
    }

    /// Returns the position of the field of this name.
    fn position(&self, name: &str, fields: &EventFields) -> Option<Range<usize>> {
        fields.get(self.fields.iter().position(|field| field.eq_ignore_ascii_case(name))?).cloned()
    }
}

/// Finds the overrides, remarks, escapes and drawings of a text, in order.
fn marks(text: &str) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    let (mut at, mut is_drawn) = (0, false);
    let last_end = text.rfind('}').unwrap_or(0);
    while at < text.len() {
        let rest = &text[at..];
        let len = match rest.as_bytes() {
            [b'{', ..] if at < last_end => rest.find('}').map(|len| len + 1),
            [b'\\', b'N' | b'n' | b'h', ..] if !is_drawn => Some(2),
            _ => None,
        };
        if let Some(len) = len.filter(|_| rest.starts_with('{')) {
            is_drawn = drawing(&rest[..len]).unwrap_or(is_drawn);
        }
        let step = len.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
        match marks.last_mut() {
            // A drawing forms one range with the override before it.
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

/// Reads events. A sentence may continue from event to event until the name of the speaker changes. All lines that
/// are not visible events form the script.
#[derive(Debug, Default)]
pub(super) struct Events {
    lines: EventLines,
    cues: CueScanner,
    speaker: String,
    pauses: Pauses,
    script: Option<LocatedItem>,
}

impl Grammar for Events {
    fn prepare(&mut self, options: &RestoreOptions) {
        self.cues.prepare(options);
        self.pauses = Pauses::of(options);
    }

    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let Some(fields) = self.lines.read(line)? else { return Ok(()) };
        let Some(position) = self.lines.position("Text", &fields) else { return Ok(()) };
        self.cues.begin();
        let time = |name| Time::of_clock(line[self.lines.position(name, &fields)?].trim());
        if self.pauses.before(|| time("Start").zip(time("End"))).is_some() {
            self.cues.turn();
        }
        let speaker = self.lines.position("Name", &fields).or_else(|| self.lines.position("Actor", &fields));
        let speaker = speaker.map_or("", |speaker| line[speaker].trim());
        if !speaker.is_empty() && speaker != self.speaker {
            if !self.speaker.is_empty() {
                self.cues.turn();
            }
            speaker.clone_into(&mut self.speaker);
        }
        let text = &line[position.clone()];
        let mut take = |lines: Range<usize>| {
            let first = parts.positions.len();
            self.cues.line(&text[lines.clone()], "", parts);
            parts.shift(first, position.start + lines.start);
        };
        let mut start = 0;
        for mark in marks(text) {
            // Overrides may occur inside a word, remarks may not.
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

    fn decode(&self, part: &str, out: &mut String) {
        push_untagged(part, |_| None, out);
    }

    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        if !CONVERTS {
            return Ok(());
        }
        let Some(fields) = self.lines.read(line)? else {
            if let Some(LocatedItem { item: Item::Block(block), source, .. }) = &mut self.script {
                for text in [&mut block.text, source] {
                    text.push('\n');
                    text.push_str(line);
                }
            } else if !line.trim().is_empty() {
                let block = UnspokenBlock { kind: BlockKind::Script, text: line.to_owned() };
                self.script = Some(LocatedItem::new(Item::Block(block), line, number, Vec::new()));
            }
            return Ok(());
        };
        self.lines.check()?;
        self.close(out);
        let mut segment = Segment::default();
        let mut parts = Vec::new();
        for (name, position) in self.lines.fields.iter().zip(&fields) {
            let value = line[position.clone()].trim();
            match name.to_ascii_lowercase().as_str() {
                "start" | "end" => {
                    let time = Time::of_clock(value).ok_or_else(|| {
                        let found = shortened(value);
                        let problem =
                            format!("found \"{found}\", but a time is expected, such as 0:00:01.00");
                        Fault { at: position.start, problem }
                    })?;
                    let field = if name.eq_ignore_ascii_case("start") {
                        &mut segment.begin
                    } else {
                        &mut segment.end
                    };
                    *field = Some(time);
                    parts.push((LossKind::Times, position.start));
                }
                "name" | "actor" if !value.is_empty() => {
                    segment.speaker = Some(value.to_owned());
                    parts.push((LossKind::Speaker, position.start));
                }
                "name" | "actor" => {}
                "text" => {
                    parts.push((LossKind::Text, position.start));
                    read_text(&line[position.clone()], position.start, &mut segment, &mut parts);
                }
                name if is_usual(name, value) => {}
                name => {
                    segment.other.push((name.to_owned(), quoted(value)));
                    parts.push((LossKind::Other, position.start));
                }
            }
        }
        out.push_back(LocatedItem::new(Item::Segment(segment), line, number, parts));
        Ok(())
    }

    /// Appends the open item.
    fn close(&mut self, out: &mut VecDeque<LocatedItem>) {
        out.extend(self.script.take().filter(|script| script.source != SCRIPT));
    }
}

/// Reads the text of an event, which begins at byte `start` of its line.
fn read_text(text: &str, start: usize, segment: &mut Segment, parts: &mut Vec<(LossKind, usize)>) {
    let (mut at, mut chars) = (0, 0);
    for mark in marks(text) {
        segment.text.push_str(&text[at..mark.start]);
        chars += text[at..mark.start].chars().count();
        let escaped = match &text[mark.clone()] {
            "\\N" => Some('\n'),
            "\\n" => Some(' '),
            "\\h" => Some('\u{a0}'),
            _ => None,
        };
        match escaped {
            Some(c) => {
                segment.text.push(c);
                chars += 1;
            }
            None => {
                segment.tags.push(SegmentTag { at: chars, tag: text[mark.clone()].to_owned() });
                parts.push((LossKind::Tags, start + mark.start));
            }
        }
        at = mark.end;
    }
    segment.text.push_str(&text[at..]);
}

/// Writes events line by line, after the script of the input or, if there is none, after [`SCRIPT`].
#[derive(Debug, Default)]
struct AssWriter {
    lines: EventLines,
    events: u64,
    is_begun: bool,
}

impl AssWriter {
    /// Appends a script.
    fn script(&mut self, script: &str, out: &mut String) {
        for line in script.lines() {
            // A fault is ignored here: reading the output back reports it.
            let _ = self.lines.read(line);
        }
        out.extend([script, "\n"]);
        self.is_begun = true;
    }

    /// Keeps the fields that events have in this file, and drops all other fields.
    fn fit_fields(&self, segment: &mut Segment, losses: &mut Losses) -> Result<(), Lost> {
        let names: Vec<String> = self.lines.fields.iter().map(|name| name.to_ascii_lowercase()).collect();
        let is_name = |name: &String| matches!(name.as_str(), "name" | "actor");
        let fits = |value: &str| value.trim() == value && !value.contains([',', '\n', '\r']);
        let has_name = names.iter().any(is_name);
        if let Some(speaker) = segment.speaker.take_if(|name| !has_name || name.is_empty() || !fits(name)) {
            let what = format!("the speaker \"{}\", which does not fit in a field,", shortened(&speaker));
            losses.drop_part(LossKind::Speaker, what)?;
        }
        let mut given = std::mem::take(&mut segment.other);
        for name in &names {
            let value = |(given, value): &(String, String)| {
                json::text(value).filter(|value| given == name && fits(value))
            };
            let found = given.iter().enumerate().find_map(|(nth, field)| Some((nth, value(field)?)));
            if let Some((nth, value)) = found {
                given.remove(nth);
                segment.other.extend((!is_usual(name, &value)).then(|| (name.clone(), quoted(&value))));
            }
        }
        Segment { other: given, ..Segment::default() }.keep(&[], losses)
    }
}

impl segment::SegmentWriter for AssWriter {
    fn conform(&mut self, mut segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost> {
        self.events += 1;
        // An identifier that is the number of the event is redundant: the order of the events implies it.
        segment.id.take_if(|id| *id == self.events.to_string());
        for SegmentTag { tag, .. } in &mut segment.tags {
            if let Some(own) = cue::as_override(tag) {
                own.clone_into(tag);
            }
        }
        let is_own = losses.is_own();
        let is_tag = |tag: &str| match is_own {
            true => tag.starts_with('{') && tag.contains('}'),
            false => tag.starts_with("{\\") && tag.ends_with('}'),
        };
        segment.keep(losses.to.parts, losses)?;
        segment.keep_tags(is_tag, losses)?;
        self.fit_fields(&mut segment, losses)?;
        cue::round_times(&mut segment, losses)?;
        let mut again = Segment::default();
        read_text(&text(&segment), 0, &mut again, &mut Vec::new());
        if (&again.text, &again.tags) != (&segment.text, &segment.tags) {
            let problem = "found text that would be read as overrides, remarks or line breaks in .ass";
            return Err(losses.reject(LossKind::Text, problem));
        }
        Ok(vec![segment])
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        let segment = match item {
            Item::Block(block) => return self.script(&block.text, out),
            Item::Segment(segment) => segment,
        };
        if !self.lines.in_events {
            self.script(SCRIPT, out);
        }
        let clock = |time: Option<Time>| {
            // The hours have one digit if possible, and the seconds have two decimal places.
            let clock = time.unwrap_or_default().clock('.');
            let start = usize::from(clock.starts_with('0'));
            clock[start..clock.len() - 1].to_owned()
        };
        let mut other = segment.other.iter().peekable();
        let mut value = |name: &String| match name.to_ascii_lowercase().as_str() {
            "start" => clock(segment.begin),
            "end" => clock(segment.end),
            "name" | "actor" => segment.speaker.clone().unwrap_or_default(),
            "text" => text(segment),
            name => match other.next_if(|(given, _)| given == name) {
                Some((_, value)) => json::text(value).unwrap_or_default(),
                None => usual(name).to_owned(),
            },
        };
        let values: Vec<String> = self.lines.fields.iter().map(&mut value).collect();
        out.push_str(&format!("Dialogue: {}\n", values.join(",")));
    }

    fn end(&mut self, out: &mut String) {
        if !self.is_begun {
            self.script(SCRIPT, out);
        }
    }
}

/// Returns the text of an event with its overrides and escapes.
fn text(segment: &Segment) -> String {
    segment.marked(|c, out| match c {
        '\n' => out.push_str("\\N"),
        '\u{a0}' => out.push_str("\\h"),
        c => out.push(c),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_one_mark_with_the_override_before_it() {
        assert_eq!(marks("{\\p1}m 0 0\\Nl 9 9{\\p0}so"), [0..17, 17..22]);
    }
}
