//! `.vtt`, WebVTT: cues as in SubRip, with styles, notes, settings and voices.

use super::cue::{self, CueLines, LineKind, Subtitles, Times};
use super::head::FileHead;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::lines::Ends;
use super::segment::{
    self, BlockKind, Item, LossKind, Losses, Lost, Segment, SegmentInfo, SegmentTag, UnspokenBlock,
};
use super::transcript::{Fault, shortened};

/// Web subtitles.
pub(super) const VTT: FormatInfo = FormatInfo {
    example: "WEBVTT - new york\nKind: captions\n\nSTYLE\n::cue(b) { color: red }\n\nNOTE the bbc\n\nintro\n00:01.000 --> 00:02.500 align:start\n\
              <v Ana Reis>the <b.loud>bbc</b> met\n\n00:00:02.500 --> 00:00:04.000\n<v Ana Reis>in <00:00:03.000>new york. WHO\n<v Rui>ŞANLIURFA.</v>\n\n\
              &gt;\n00:04.000 --> 00:05.000\n&gt;&gt; a --> b [music] (us) &quot;Íso.&quot; ebay\n",
    shown: ".vtt",
    family: FormatFamily::Subtitles,
    extensions: &["vtt", "webvtt"],
    media_types: &["text/vtt"],
    line_ends: Ends::Anywhere,
    begins: Some(begins),
    grammar: Some(|_| Ok(Box::new(CueLines::<VttLines>::default()))),
    names_speakers: true,
    has_pauses: true,
    runs_on: true,
    segments: Some(&VTT_CUES),
    ..FormatInfo::LINES
};

/// The first word of a file.
const WEBVTT: &[u8] = b"WEBVTT";

/// Returns true if a file begins with `WEBVTT`.
fn begins(head: FileHead<'_>) -> Option<bool> {
    match head.bytes.strip_prefix(WEBVTT) {
        None => (head.ended || !WEBVTT.starts_with(head.bytes)).then_some(false),
        Some([]) if !head.ended => None,
        Some(rest) => Some(rest.first().is_none_or(u8::is_ascii_whitespace)),
    }
}

/// Cues with names and settings.
static VTT_CUES: SegmentInfo = SegmentInfo {
    format: Format::Vtt,
    unit: "cue",
    parts: &[
        LossKind::Id,
        LossKind::Speaker,
        LossKind::Times,
        LossKind::Breaks,
        LossKind::Tags,
        LossKind::Settings,
    ],
    has_times: true,
    rolls_up: true,
    has_voices: true,
    blocks: &[BlockKind::Header, BlockKind::Note, BlockKind::Style, BlockKind::Region, BlockKind::Fragment],
    writer: Ok(|| Box::new(VttWriter::default())),
    ..SegmentInfo::LINES
};

const TIMES: Times = Times { marks: b".", has_fraction: true, example: "00:01.000 --> 00:02.500" };

/// The state that determines the kinds of lines.
#[derive(Debug, Default)]
struct VttLines {
    at: VttPosition,
}

/// The position of the next line in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum VttPosition {
    /// At the beginning of the file.
    #[default]
    Start,
    /// Before a block.
    Between,
    /// After the name of a cue.
    Named,
    /// Before the text of a cue.
    Cue,
    /// In the text of a cue.
    Text,
    /// In a cue that contains data instead of text.
    Metadata,
    /// In a header, a note, a style, a region, a fragment or unreadable lines.
    Passed,
}

/// The openings of blocks that are not cues.
const BLOCKS: [(&str, BlockKind); 3] =
    [("NOTE", BlockKind::Note), ("STYLE", BlockKind::Style), ("REGION", BlockKind::Region)];

impl Subtitles for VttLines {
    fn needs_next(&self, line: &[u8]) -> bool {
        // If the empty line before a cue is missing, the number of the cue is in the text of the previous cue.
        let may_be_number = matches!(self.at, VttPosition::Cue | VttPosition::Text);
        self.at == VttPosition::Between && !line.is_empty()
            || may_be_number && cue::is_digits(line.trim_ascii())
    }

    fn says(&mut self, line: &str, next: &str) -> Result<LineKind, Fault> {
        let is_empty = line.trim().is_empty();
        let begins = |word: &str| {
            line.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        };
        if self.at == VttPosition::Start {
            self.at = VttPosition::Passed;
            if begins("WEBVTT") {
                return Ok(LineKind::Block(BlockKind::Header, "WEBVTT".len()));
            }
            let problem =
                format!("found \"{}\", but WEBVTT is expected in the first line", shortened(line.trim()));
            return Err(Fault { at: 0, problem });
        }
        let is_due = matches!(self.at, VttPosition::Between | VttPosition::Named);
        if self.at == VttPosition::Between
            && let Some((word, kind)) = BLOCKS.into_iter().find(|(word, _)| begins(word))
        {
            self.at = VttPosition::Passed;
            return Ok(LineKind::Block(kind, word.len()));
        }
        // A timing begins a cue anywhere: the empty line before it may be missing.
        if Times::may_be(line) {
            match TIMES.read(line) {
                Ok(timing) => {
                    self.at = VttPosition::Cue;
                    return Ok(LineKind::Timing(timing));
                }
                Err(fault) if is_due => return Err(fault),
                Err(_) => {}
            }
        }
        // Only an empty line ends a cue: machine-made captions commonly have lines of one blank.
        if line.is_empty() || is_empty && self.at == VttPosition::Between {
            self.at = VttPosition::Between;
            return Ok(LineKind::Nothing);
        }
        match self.at {
            VttPosition::Between if Times::may_be(next) => {
                self.at = VttPosition::Named;
                Ok(LineKind::Name)
            }
            VttPosition::Cue | VttPosition::Text
                if cue::is_digits(line.trim().as_bytes()) && TIMES.read(next).is_ok() =>
            {
                self.at = VttPosition::Named;
                Ok(LineKind::Name)
            }
            // Browsers skip lines without a timing.
            VttPosition::Between => {
                self.at = VttPosition::Passed;
                Ok(LineKind::Block(BlockKind::Fragment, 0))
            }
            VttPosition::Cue | VttPosition::Metadata
                if self.at == VttPosition::Metadata || begins_json(line) =>
            {
                self.at = VttPosition::Metadata;
                Ok(LineKind::Metadata)
            }
            VttPosition::Cue | VttPosition::Text | VttPosition::Metadata => {
                self.at = VttPosition::Text;
                Ok(LineKind::Text)
            }
            VttPosition::Start | VttPosition::Named | VttPosition::Passed => Ok(LineKind::More),
        }
    }

    fn is_metadata(text: &str) -> bool {
        text.lines().find(|line| !cue::is_empty(line)).is_some_and(begins_json)
    }

    fn pass(&mut self, is_empty: bool) {
        self.at = if is_empty { VttPosition::Between } else { VttPosition::Passed };
    }

    fn is_between(&self) -> bool {
        self.at == VttPosition::Between
    }

    fn ended(&self) -> Result<(), String> {
        match self.at {
            VttPosition::Start => Err("found nothing, but WEBVTT is expected in the first line".to_owned()),
            _ => Ok(()),
        }
    }

    fn settings(segment: &mut Segment) -> (LossKind, &mut Option<String>) {
        (LossKind::Settings, &mut segment.settings)
    }

    fn tag_len(text: &str) -> Option<usize> {
        text.starts_with('<').then(|| cue::tag_len(text)).flatten()
    }

    fn escaped(text: &str) -> Option<(usize, char)> {
        ESCAPES.into_iter().find(|(escape, _)| text.starts_with(escape)).map(|(escape, c)| (escape.len(), c))
    }
}

/// Returns true if the first line of a cue begins an object of JSON, or an array of objects.
fn begins_json(line: &str) -> bool {
    let line = line.trim();
    let object = line.strip_prefix('[').map_or(line, str::trim_start);
    match object.strip_prefix('{').map(str::trim_start) {
        Some(rest) => rest.is_empty() || rest.starts_with(['"', '}']),
        None => line == "[",
    }
}

/// The escapes and their characters.
const ESCAPES: [(&str, char); 8] = [
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&nbsp;", '\u{a0}'),
    ("&lrm;", '\u{200e}'),
    ("&rlm;", '\u{200f}'),
    ("&quot;", '"'),
    ("&apos;", '\''),
];

/// Writes WebVTT subtitles cue by cue.
#[derive(Debug, Default)]
struct VttWriter {
    is_begun: bool,
}

impl segment::SegmentWriter for VttWriter {
    fn misplaced(&self, kind: BlockKind) -> Option<&'static str> {
        (kind == BlockKind::Header && self.is_begun).then_some("found a header after the first line")
    }

    fn conform(&mut self, mut segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost> {
        segment.join_speaker(" ", losses)?;
        let voice = segment.speaker.take().map(|name| format!("<v {name}>"));
        let fits = |tag: &str| VttLines::tag_len(tag) == Some(tag.len()) && !tag.contains(['&', '\n', '\r']);
        let is_voice = voice.as_deref().is_some_and(|tag| fits(tag) && segment.voice().is_none());
        cue::conform::<VttLines>(&mut segment, text, losses)?;
        match voice {
            Some(tag) if is_voice => segment.tags.insert(0, SegmentTag { at: 0, tag }),
            Some(tag) => losses.drop_part(LossKind::Speaker, format_args!("the speaker \"{tag}\""))?,
            None => {}
        }
        Ok(vec![segment])
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        if !std::mem::replace(&mut self.is_begun, true)
            && !matches!(item, Item::Block(UnspokenBlock { kind: BlockKind::Header, .. }))
        {
            out.push_str("WEBVTT\n\n");
        }
        match item {
            Item::Block(UnspokenBlock { kind, text }) => {
                let word = match kind {
                    BlockKind::Header => "WEBVTT",
                    kind => BLOCKS.iter().find(|(_, own)| own == kind).map_or("", |(word, _)| word),
                };
                let is_apart = word.is_empty() || text.is_empty() || text.starts_with('\n');
                let space = if is_apart { "" } else { " " };
                out.push_str(&format!("{word}{space}{text}\n\n"));
            }
            Item::Segment(segment) => cue::write(segment, &segment.settings, '.', &text(segment), out),
        }
    }

    fn end(&mut self, out: &mut String) {
        if !self.is_begun {
            out.push_str("WEBVTT\n");
        }
    }
}

fn text(segment: &Segment) -> String {
    segment.marked(|c, out| match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        // A line with only this character would count as empty.
        '\u{a0}' => out.push_str("&nbsp;"),
        c => out.push(c),
    })
}
