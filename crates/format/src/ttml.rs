//! `.ttml`, the W3C's subtitles in XML: the text of paragraphs.
//!
//! Text between `<p>` and `</p>` is a cue, in which `<br/>` ends a line. Tags, comments, metadata
//! and everything else are copied unchanged.
//!
//! For conversion, paragraphs have times as in sections 10 and 12 of TTML 2; drop-frame times and paragraphs in
//! sequence (`timeContainer="seq"`) are errors. White space is collapsed unless `xml:space` preserves it. `<head>` is
//! a block. Attributes of `<tt>`, `<body>` and `<div>` other than times are not content.

use std::collections::VecDeque;
use std::ops::Range;

use super::cue::CueScanner;
use super::grammar::Grammar;
use super::head::FileHead;
use super::info::{CONVERTS, FormatInfo};
use super::kind::{Format, FormatFamily};
use super::line_parts::LineParts;
use super::lines::Ends;
use super::segment::{
    BlockKind, Item, LocatedItem, LossKind, Segment, SegmentInfo, SegmentTag, Time, UnspokenBlock,
};
use super::transcript::{Fault, shortened};
use majuscule_text::RestoreOptions;

/// The W3C's subtitles.
pub(super) const TTML: FormatInfo = FormatInfo {
    example: "<?xml version='1.0'?>\n<tt xml:lang='en' ttp:frameRate='25' a=\">\"><head><ttm:title>the bbc</ttm:title></head>\r\n<body><p begin='1s'>the bbc met<br/>\n- in \
              <span>new</span> york.</p><!-- <p>ebay</p> --><p\n>who &amp; İstanbul <![CDATA[u.s. <b]]></p><p xml:id='a' begin='00:00:02:10' dur='1s'>the&#32;\
              <span tts:fontStyle='italic'>bbc</span></p></body></tt>",
    shown: ".ttml",
    family: FormatFamily::Subtitles,
    extensions: &["ttml"],
    media_types: &["application/ttml+xml"],
    line_ends: Ends::Tags,
    begins: Some(begins),
    grammar: Some(|_| Ok(Box::new(TtmlParagraphs::default()))),
    names_speakers: true,
    runs_on: true,
    segments: Some(&TTML_CUES),
    ..FormatInfo::LINES
};

/// Returns true if the first element of a document is `<tt>`, with or without a prefix.
fn begins(head: FileHead<'_>) -> Option<bool> {
    if !head.text.starts_with(b"<") {
        return Some(false);
    }
    Some(head.root()?.is_some_and(|name| local_name(&name) == "tt"))
}

/// Paragraphs.
static TTML_CUES: SegmentInfo = SegmentInfo {
    format: Format::Ttml,
    unit: "cue",
    has_times: true,
    rolls_up: true,
    writer: Err("TTML can be read, but not written: convert to .srt, .vtt or .ass"),
    ..SegmentInfo::LINES
};

/// Elements inside a paragraph whose text is not shown.
const SILENT: [&str; 5] = ["metadata", "title", "desc", "copyright", "agent"];

/// The number of bytes of a tag after which no further line of it is kept.
const LONGEST_TAG: usize = 1 << 16;

/// Reads paragraphs, for restoring or for conversion, in parts that end with a line or a tag.
#[derive(Debug, Default)]
struct TtmlParagraphs {
    cues: CueScanner,
    at: TtmlPosition,
    /// The open tag; `quote` is the quote of its open attribute value.
    tag: String,
    quote: Option<char>,
    /// True if the root was found; `in_paragraph` is true if a paragraph is open.
    is_begun: bool,
    in_paragraph: bool,
    /// The element whose text is not shown, and the number of open elements of its name.
    silent: Option<(&'static str, usize)>,
    /// True if nothing is before the next text on the line of the cue.
    opens: bool,
    /// The paragraph or head that is converted, and the number of its last line.
    open: Option<LocatedItem>,
    number: u64,
    /// The number of characters of the text of the open paragraph.
    chars: usize,
    clock: TtmlClock,
    /// The open elements that may have times. `spans` has, for each open span, the tag that ends it if that differs
    /// from the tag in the file.
    scopes: Vec<TtmlScope>,
    spans: Vec<Option<&'static str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TtmlPosition {
    #[default]
    Text,
    Tag,
    Comment,
    Data,
}

/// The openings of the parts that are not plain text, each with the number of its bytes that are not content.
const OPENINGS: [(&str, TtmlPosition, usize); 3] =
    [("<!--", TtmlPosition::Comment, 4), ("<![CDATA[", TtmlPosition::Data, 9), ("<", TtmlPosition::Tag, 0)];

/// A part of a line.
enum TtmlPart {
    Text(Range<usize>),
    /// The text of a CDATA section, which has no escapes.
    Data(Range<usize>),
    /// A tag, which may have begun on an earlier line.
    Tag(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagKind {
    Start,
    End,
    /// An element without content: `<br/>`.
    Empty,
}

impl TtmlParagraphs {
    /// Reads the next part of a line from byte `at` on, and moves `at` after it.
    fn next(&mut self, line: &str, at: &mut usize) -> Option<TtmlPart> {
        while *at < line.len() {
            let rest = &line[*at..];
            let start = *at;
            match self.at {
                TtmlPosition::Text => {
                    let end = start + rest.find('<').unwrap_or(rest.len());
                    *at = end;
                    if let Some((_, kind, len)) =
                        OPENINGS.into_iter().find(|(opening, ..)| line[end..].starts_with(opening))
                    {
                        self.at = kind;
                        *at += len;
                    }
                    if end > start {
                        return Some(TtmlPart::Text(start..end));
                    }
                }
                TtmlPosition::Comment => match rest.find("-->") {
                    Some(len) => {
                        self.at = TtmlPosition::Text;
                        *at += len + "-->".len();
                    }
                    None => *at = line.len(),
                },
                TtmlPosition::Data => {
                    let end = rest.find("]]>").map(|len| start + len);
                    if end.is_some() {
                        self.at = TtmlPosition::Text;
                    }
                    *at = end.map_or(line.len(), |end| end + "]]>".len());
                    return Some(TtmlPart::Data(start..end.unwrap_or(line.len())));
                }
                TtmlPosition::Tag => {
                    let end = self.tag_end(rest);
                    let len = end.unwrap_or(rest.len());
                    if self.tag.len() < LONGEST_TAG {
                        self.tag.push_str(&rest[..len]);
                    }
                    *at += len;
                    if end.is_some() {
                        self.at = TtmlPosition::Text;
                        return Some(TtmlPart::Tag(std::mem::take(&mut self.tag)));
                    }
                }
            }
        }
        // The line ends inside a tag.
        if self.at == TtmlPosition::Tag {
            self.tag.push(' ');
        }
        None
    }

    /// Returns the end of the open tag, if it is in this text.
    fn tag_end(&mut self, text: &str) -> Option<usize> {
        for (position, c) in text.char_indices() {
            match self.quote {
                Some(quote) if quote == c => self.quote = None,
                Some(_) => {}
                None if matches!(c, '"' | '\'') => self.quote = Some(c),
                None if c == '>' => return Some(position + 1),
                None => {}
            }
        }
        None
    }

    /// Returns true if text here is shown.
    fn is_shown(&self) -> bool {
        self.in_paragraph && self.silent.is_none()
    }

    /// Reads a tag; returns the local name of its element unless its content is not shown.
    fn read_tag<'a>(&mut self, tag: &'a str) -> Result<Option<(&'a str, TagKind)>, String> {
        let kind = match tag {
            _ if tag.starts_with("</") => TagKind::End,
            _ if tag.ends_with("/>") => TagKind::Empty,
            _ => TagKind::Start,
        };
        let (name, _) = split_name(tag);
        let local = local_name(name);
        if tag.starts_with("<?") || tag.starts_with("<!") {
            return Ok(None);
        }
        if !self.is_begun && local != "tt" {
            return Err(format!("found <{}>, but the root of TTML is expected, <tt>", shortened(name)));
        }
        self.is_begun = true;
        if let Some((silent, depth)) = &mut self.silent {
            if local == *silent && kind != TagKind::Empty {
                *depth = if kind == TagKind::End { *depth - 1 } else { *depth + 1 };
            }
            self.silent = self.silent.filter(|(_, depth)| *depth > 0);
            return Ok(None);
        }
        if let Some(silent) = SILENT.into_iter().find(|silent| *silent == local) {
            self.silent = (kind == TagKind::Start).then_some((silent, 1));
            return Ok(None);
        }
        match local {
            "p" => {
                self.in_paragraph = kind == TagKind::Start;
                self.opens = true;
                self.cues.begin();
            }
            "br" => self.opens = true,
            _ => {}
        }
        Ok(Some((local, kind)))
    }

    /// Returns the paragraph that is converted.
    fn segment(&mut self) -> Option<&mut Segment> {
        match &mut self.open.as_mut()?.item {
            Item::Segment(segment) => Some(segment),
            Item::Block(_) => None,
        }
    }

    /// Appends text to the paragraph that is converted.
    fn push(&mut self, text: &str) {
        let keeps_space = self.scopes.last().is_some_and(|scope| scope.keeps_space);
        if !self.is_shown() {
            return;
        }
        for c in text.chars() {
            let is_apart = |segment: &Segment| segment.text.is_empty() || segment.text.ends_with([' ', '\n']);
            match c {
                '\n' | '\r' if keeps_space => self.end_line(),
                ' ' | '\t' | '\n' | '\r' if !keeps_space => {
                    if self.segment().is_some_and(|segment| !is_apart(segment)) {
                        self.push_char(' ');
                    }
                }
                c => self.push_char(c),
            }
        }
    }

    fn push_char(&mut self, c: char) {
        if let Some(segment) = self.segment() {
            segment.text.push(c);
            self.chars += 1;
        }
    }

    /// Ends a line of the paragraph. Blanks at its end and empty lines are not content.
    fn end_line(&mut self) {
        self.trim(&[' ', '\t']);
        if self.segment().is_some_and(|segment| !segment.text.is_empty() && !segment.text.ends_with('\n')) {
            self.push_char('\n');
        }
    }

    /// Removes these characters from the end of the paragraph.
    fn trim(&mut self, blanks: &[char]) {
        let mut chars = self.chars;
        let Some(segment) = self.segment() else { return };
        while segment.text.ends_with(blanks) {
            segment.text.pop();
            chars -= 1;
        }
        segment.tags.iter_mut().rev().take_while(|tag| tag.at > chars).for_each(|tag| tag.at = chars);
        self.chars = chars;
    }

    /// Reads a tag for conversion; `at` is its position in the source of the open item.
    fn convert_tag(
        &mut self,
        tag: &str,
        at: usize,
        line: &str,
        out: &mut VecDeque<LocatedItem>,
    ) -> Result<(), String> {
        let Some((local, kind)) = self.read_tag(tag)? else { return Ok(()) };
        let number = self.number;
        let located = |item, parts| Some(LocatedItem::new(item, line, number, parts));
        match (local, kind) {
            ("head", TagKind::Start) => {
                let block = UnspokenBlock { kind: BlockKind::Head, text: String::new() };
                self.open = located(Item::Block(block), Vec::new());
            }
            ("head", TagKind::End) => self.close(out),
            ("tt" | "body" | "div" | "p", TagKind::End) => {
                self.scopes.pop();
                if local == "p" {
                    self.close(out);
                }
            }
            ("tt" | "body" | "div", TagKind::Start) | ("p", _) => {
                let attributes = attributes(tag);
                if local == "tt" {
                    self.clock = TtmlClock::of(&attributes)?;
                }
                let outer = self.scopes.last().copied().unwrap_or_default();
                let scope = self.clock.scope(outer, &attributes)?;
                if kind == TagKind::Start {
                    self.scopes.push(scope);
                }
                if local == "p" {
                    self.close(out);
                    self.spans.clear();
                    let segment = paragraph(scope, &attributes);
                    let parts = [LossKind::Id, LossKind::Speaker, LossKind::Times, LossKind::Tags];
                    self.open = located(Item::Segment(segment), parts.map(|part| (part, at)).to_vec());
                    self.chars = 0;
                    if kind == TagKind::Empty {
                        self.close(out);
                    }
                }
            }
            ("br", TagKind::Start | TagKind::Empty) => self.end_line(),
            _ => self.style(tag, local, kind, at),
        }
        Ok(())
    }

    /// Reads a tag inside a paragraph that is converted.
    fn style(&mut self, tag: &str, local: &str, kind: TagKind, at: usize) {
        let tag = match (local, kind) {
            ("span", TagKind::Start) => {
                let (begin, end) = match &attributes(tag)[..] {
                    [] => ("", Some("")),
                    [one] => match (one.local(), one.value) {
                        ("fontStyle", "italic") => ("<i>", Some("</i>")),
                        ("fontWeight", "bold") => ("<b>", Some("</b>")),
                        ("textDecoration", "underline") => ("<u>", Some("</u>")),
                        _ => (tag, None),
                    },
                    _ => (tag, None),
                };
                self.spans.push(end);
                begin
            }
            ("span", TagKind::End) => self.spans.pop().flatten().unwrap_or(tag),
            _ => tag,
        };
        let chars = self.chars;
        if let Some(LocatedItem { item: Item::Segment(segment), parts, .. }) = &mut self.open
            && !tag.is_empty()
        {
            segment.tags.push(SegmentTag { at: chars, tag: tag.to_owned() });
            parts.push((LossKind::Tags, at));
        }
    }
}

/// Splits a tag after its name.
fn split_name(tag: &str) -> (&str, &str) {
    let inside = tag.trim_start_matches(['<', '/']);
    inside.split_at(inside.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(0))
}

/// Returns a name without its prefix.
fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or_default()
}

/// Returns text with its escapes decoded.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let named = part.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest)));
        match named {
            Some((c, rest)) => {
                out.push(c);
                out.push_str(rest);
            }
            None => out.extend(["&", part]),
        }
    }
    out
}

/// Returns the character of an escape.
fn character(name: &str) -> Option<char> {
    let number = match name.strip_prefix('#').map(|number| (number.strip_prefix('x'), number)) {
        Some((Some(digits), _)) => u32::from_str_radix(digits, 16).ok()?,
        Some((None, digits)) => digits.parse().ok()?,
        None => {
            let named = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
            return named.into_iter().find(|(known, _)| *known == name).map(|(_, c)| c);
        }
    };
    char::from_u32(number).filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r'))
}

/// An attribute of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TtmlAttribute<'a> {
    name: &'a str,
    value: &'a str,
    /// The name and the value as written.
    raw: &'a str,
}

impl<'a> TtmlAttribute<'a> {
    fn local(&self) -> &'a str {
        local_name(self.name)
    }
}

/// Returns the attributes of a tag, as far as they can be read, without declarations of prefixes.
fn attributes(tag: &str) -> Vec<TtmlAttribute<'_>> {
    let mut attributes = Vec::new();
    let mut rest = split_name(tag).1.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let value = after.trim_start();
        let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { break };
        let Some((value, after)) = value[1..].split_once(quote) else { break };
        let raw = &rest[..rest.len() - after.len()];
        let name = name.trim();
        if !name.starts_with("xmlns") {
            attributes.push(TtmlAttribute { name, value, raw });
        }
        rest = after.trim_start();
    }
    attributes
}

/// Returns the value of the attribute with this local name.
fn value<'a>(attributes: &[TtmlAttribute<'a>], local: &str) -> Option<&'a str> {
    attributes.iter().find(|attribute| attribute.local() == local).map(|attribute| attribute.value)
}

/// Returns a paragraph without its text. Its style attributes become a tag.
fn paragraph(scope: TtmlScope, attributes: &[TtmlAttribute<'_>]) -> Segment {
    let looks: String = attributes
        .iter()
        .filter(|one| !matches!(one.local(), "begin" | "end" | "dur" | "id" | "agent" | "space"))
        .flat_map(|one| [" ", one.raw])
        .collect();
    let tag = Some(looks).filter(|looks| !looks.is_empty()).map(|looks| format!("<p{looks}>"));
    Segment {
        id: value(attributes, "id").map(str::to_owned),
        speaker: value(attributes, "agent").map(str::to_owned),
        begin: scope.begin,
        end: scope.end,
        tags: tag.into_iter().map(|tag| SegmentTag { at: 0, tag }).collect(),
        ..Segment::default()
    }
}

/// The times and the white space of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct TtmlScope {
    begin: Option<Time>,
    end: Option<Time>,
    keeps_space: bool,
}

/// The meaning of times in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct TtmlClock {
    frame_rate: Option<u64>,
    /// The fraction by which the frame rate is multiplied.
    multiplier: Option<(u64, u64)>,
    tick_rate: Option<u64>,
    /// True if hours, minutes and seconds are counted in frames.
    is_smpte: bool,
    /// True if no time is relative to the time of the element around it, as in lyrics of Apple Music.
    is_absolute: bool,
}

impl TtmlClock {
    /// Reads the attributes of the root.
    fn of(attributes: &[TtmlAttribute<'_>]) -> Result<Self, String> {
        const LARGEST: u64 = 1_000_000_000;
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| (1..=LARGEST).contains(number));
        let wrong = |name: &str, found: &str, example: &str| {
            format!("found \"{}\" as {name}, but {example} is expected", shortened(found))
        };
        let rate = |name: &str, example: &str| match value(attributes, name) {
            Some(text) => number(text).map(Some).ok_or_else(|| wrong(name, text, example)),
            None => Ok(None),
        };
        let multiplier = match value(attributes, "frameRateMultiplier") {
            Some(text) => {
                let numbers = text.split_once([' ', ':']).and_then(|(a, b)| number(a).zip(number(b)));
                let wrong = || wrong("frameRateMultiplier", text, "a fraction such as 1000 1001");
                Some(numbers.ok_or_else(wrong)?)
            }
            None => None,
        };
        let is_smpte = value(attributes, "timeBase") == Some("smpte");
        if is_smpte && value(attributes, "dropMode").is_some_and(|mode| mode != "nonDrop") {
            let problem = "found drop-frame times, which cannot be converted: write the file with \
                           timeBase=\"media\"";
            return Err(problem.to_owned());
        }
        let (frame_rate, tick_rate) =
            (rate("frameRate", "a number such as 25")?, rate("tickRate", "a number such as 10000000")?);
        let is_absolute = attributes.iter().any(|attribute| attribute.name == "itunes:timing");
        Ok(Self { frame_rate, multiplier, tick_rate, is_smpte, is_absolute })
    }

    /// Returns the times and the white-space mode of an element inside another one.
    fn scope(self, outer: TtmlScope, attributes: &[TtmlAttribute<'_>]) -> Result<TtmlScope, String> {
        if value(attributes, "timeContainer") == Some("seq") {
            let problem = "found elements that follow each other (timeContainer=\"seq\"), which cannot be \
                           converted: give each paragraph a begin and an end";
            return Err(problem.to_owned());
        }
        let time = |name: &str, from: Option<Time>| match value(attributes, name) {
            Some(text) => self.time(text, from.unwrap_or_default()).map(Some),
            None => Ok(None),
        };
        let from = outer.begin.filter(|_| !self.is_absolute);
        let begin = time("begin", from)?.or(outer.begin);
        let ends = [time("end", from)?, time("dur", begin)?, outer.end];
        let end = ends.into_iter().flatten().min();
        if let (Some(begin), Some(end)) = (begin, end)
            && end < begin
        {
            let [begin, end] = [begin, end].map(|time| time.seconds(0));
            return Err(format!("found the end {end} before the beginning {begin}: correct one of them"));
        }
        let keeps_space = value(attributes, "space").map_or(outer.keeps_space, |space| space == "preserve");
        Ok(TtmlScope { begin, end, keeps_space })
    }

    /// Reads a time, and adds it to `from`.
    fn time(self, text: &str, from: Time) -> Result<Time, String> {
        let text = text.trim();
        let (number, unit) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
        let missing = |name: &str, example: &str| {
            let found = shortened(text);
            format!(
                "found \"{found}\", but <tt> does not declare {name}: add it, such as ttp:{name}=\"{example}\""
            )
        };
        let (multiplier, divisor) = self.multiplier.unwrap_or((1, 1));
        let frame_rate = || self.frame_rate.ok_or_else(|| missing("frameRate", "25"));
        let (by, per) = match unit {
            "h" => (3600, 1),
            "m" => (60, 1),
            "ms" => (1, 1000),
            "f" => (divisor, frame_rate()? * multiplier),
            "t" => (1, self.tick_rate.ok_or_else(|| missing("tickRate", "10000000"))?),
            "" if self.is_smpte => (frame_rate()? * divisor, frame_rate()? * multiplier),
            _ => (1, 1),
        };
        let time = match (unit, number.matches(':').count(), number.rsplit_once(':')) {
            ("", 0, _) => Time::parse(number),
            ("", 1 | 2, _) => Time::of_clock(number).and_then(|time| time.scaled(by, per)),
            ("", 3, Some((clock, frame))) if !frame.contains('.') => {
                let rate = frame_rate()? * multiplier;
                let frame = Time::parse(frame).and_then(|frame| frame.scaled(divisor, rate));
                let time = Time::of_clock(clock).and_then(|time| time.scaled(by, per));
                time.zip(frame).and_then(|(time, frame)| time.after(frame))
            }
            ("h" | "m" | "s" | "ms" | "f" | "t", ..) => {
                Time::parse(number).and_then(|time| time.scaled(by, per))
            }
            _ => None,
        };
        time.and_then(|time| from.after(time)).ok_or_else(|| {
            let found = shortened(text);
            format!("found \"{found}\", but a time is expected, such as 00:00:01.500 or 1.5s")
        })
    }
}

impl Grammar for TtmlParagraphs {
    fn prepare(&mut self, options: &RestoreOptions) {
        self.cues.prepare(options);
    }

    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let mut at = 0;
        while let Some(part) = self.next(line, &mut at) {
            match part {
                TtmlPart::Text(position) | TtmlPart::Data(position) => {
                    let text = &line[position.clone()];
                    if self.is_shown() && !text.trim().is_empty() {
                        let first = parts.positions.len();
                        self.cues.part(text, "", std::mem::take(&mut self.opens), parts);
                        parts.shift(first, position.start);
                    }
                }
                TtmlPart::Tag(tag) => {
                    self.read_tag(&tag).map_err(|problem| Fault { at: 0, problem })?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        match self.at {
            TtmlPosition::Text if self.is_begun => Ok(()),
            TtmlPosition::Text => Err("found no element, but the root of TTML is expected, <tt>".to_owned()),
            _ => Err("found the end of the file inside a tag or a comment".to_owned()),
        }
    }

    fn is_between(&self) -> bool {
        !self.in_paragraph
    }

    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        if !CONVERTS {
            return Ok(());
        }
        let is_new = std::mem::replace(&mut self.number, number) < number;
        let mut start = 0;
        if let Some(open) = &mut self.open {
            if is_new {
                open.source.push('\n');
            }
            start = open.source.len();
            open.source.push_str(line);
        }
        if is_new && matches!(self.at, TtmlPosition::Text | TtmlPosition::Data) {
            self.push("\n");
        }
        let mut at = 0;
        while let Some(part) = self.next(line, &mut at) {
            match part {
                TtmlPart::Text(position) => self.push(&unescaped(&line[position])),
                TtmlPart::Data(position) => self.push(&line[position]),
                TtmlPart::Tag(tag) => {
                    let at = at.saturating_sub(tag.len());
                    self.convert_tag(&tag, start + at, line, out).map_err(|problem| Fault { at, problem })?;
                }
            }
        }
        Ok(())
    }

    /// Appends the open item.
    fn close(&mut self, out: &mut VecDeque<LocatedItem>) {
        if !CONVERTS {
            return;
        }
        self.trim(&[' ', '\t', '\n']);
        let Some(mut open) = self.open.take() else { return };
        if let Item::Block(block) = &mut open.item {
            block.text = open.source.trim().to_owned();
            let inside = block.text.strip_prefix("<head>").and_then(|text| text.strip_suffix("</head>"));
            if inside.is_some_and(|inside| inside.trim().is_empty()) {
                return;
            }
        }
        out.push_back(open);
    }
}
