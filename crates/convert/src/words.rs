//! Reads the words of a segment, with their times and tags.

use std::ops::Range;
use std::rc::Rc;

use majuscule_format::segments::{LossKind, Losses, Lost, Segment, SegmentTag, SegmentWord, Time, dash_len};
use majuscule_text::speaker_label::name_len;
use majuscule_text::{Mark, MarkForm};

use crate::cut::Juncture;
use crate::juncture::CueLanguage;

/// A word with the punctuation marks that a space separates from it, as in `« oui »` in French.
#[derive(Debug, Clone)]
pub(crate) struct CueWord {
    pub(crate) text: String,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// The tags of the word, with their positions in its text.
    pub(crate) tags: Vec<SegmentTag>,
    /// The timed words of the input in this word, with their confidences; empty if the input has no timed words.
    pub(crate) timed: Vec<SegmentWord>,
}

impl CueWord {
    /// Appends a punctuation mark that had a separate row in the input.
    pub(crate) fn push_mark(&mut self, mark: &str) {
        self.texts().for_each(|text| text.push_str(mark));
    }

    /// Inserts the space that the language has before punctuation marks. In a transcript, the marks directly follow
    /// the word: `quoi\u{202f}?`
    pub(crate) fn space_marks(&mut self, language: Option<&str>) {
        let language = language.unwrap_or_default();
        for text in self.texts() {
            let word = text.trim_end_matches(|c| Mark::of(c) != Mark::None);
            let at = word.len();
            let mark = text[at..].chars().next().map_or(Mark::None, Mark::of);
            let space = mark.spelling(language, MarkForm::Written).map_or("", |(space, _)| space);
            // A hyphen at the end of a word is not a dash.
            if mark != Mark::Dash && word.ends_with(|c: char| !c.is_whitespace()) {
                text.insert_str(at, space);
            }
        }
    }

    /// Returns the text and, if the input has timed words, the text of the last timed word.
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        self.timed.last_mut().map(|timed| &mut timed.text).into_iter().chain([&mut self.text])
    }
}

/// Words of a segment that have one speaker.
#[derive(Debug, Clone)]
pub(crate) struct SpokenPart {
    /// The fields that the words share: a segment without words and times.
    pub(crate) frame: Rc<Segment>,
    pub(crate) words: Vec<CueWord>,
    /// True if a dash, a name or a musical note shows that a turn or a song begins.
    pub(crate) begins: bool,
    /// True for a sound, music or a drawing, which stays in a separate cue.
    pub(crate) is_apart: bool,
}

/// Reads the words of a segment, with times in milliseconds that are multiples of `unit`. Returns true beside the words
/// if their times were interpolated by character count.
pub(crate) fn read(
    segment: &Segment,
    unit: u64,
    language: &CueLanguage,
    losses: &Losses,
) -> Result<(Vec<SpokenPart>, bool), Lost> {
    let chars: Vec<char> = segment.text.chars().collect();
    let groups = match is_drawing(segment) {
        true => groups(&chars, true, language),
        false => groups_of_lines(&chars, language),
    };
    if groups.is_empty() {
        return Ok((Vec::new(), false));
    }
    let (first, last) = segment.times(losses)?;
    let round = |time: Time| (time.milliseconds() + unit / 2) / unit * unit;
    let mut anchors: Vec<WordAnchor> = groups.iter().map(|_| WordAnchor::default()).collect();
    if segment.words.is_empty() {
        anchor_tags(segment, (first, last), &groups, &mut anchors);
    } else {
        anchor_words(segment, &chars, &groups, &mut anchors);
    }
    let known: Vec<(Option<u64>, Option<u64>)> =
        anchors.iter().map(|anchor| (anchor.begin.map(round), anchor.end.map(round))).collect();
    let letters: Vec<u64> = groups.iter().map(|group| letters(&chars, group)).collect();
    let (times, is_divided) = divide(&known, &letters, round(first), round(last));
    let mut words: Vec<CueWord> = Vec::new();
    for ((group, anchor), (begin, end)) in groups.iter().zip(anchors).zip(times) {
        let text = group.text(&chars);
        let [begin, end] = [begin, end].map(|time| time / unit * unit);
        words.push(CueWord { text, begin, end, tags: Vec::new(), timed: anchor.words });
    }
    let base = Rc::new(frame(segment, losses));
    if let ([word], true) = (&mut words[..], segment.words.is_empty()) {
        word.timed = vec![SegmentWord {
            text: word.text.clone(),
            begin: segment.begin,
            end: segment.end,
            confidence: segment.confidence.clone(),
            other: Vec::new(),
        }];
    }
    let frames = hang_tags(segment, &groups, &base, &mut words);
    let mut parts: Vec<SpokenPart> = Vec::new();
    for ((word, group), frame) in words.into_iter().zip(&groups).zip(frames) {
        match parts.last_mut() {
            Some(part) if !group.begins && !group.is_apart && !part.is_apart && part.frame == frame => {
                part.words.push(word);
            }
            _ => {
                let WordGroup { begins, is_apart, .. } = *group;
                parts.push(SpokenPart { frame, words: vec![word], begins, is_apart });
            }
        }
    }
    close_tags(&mut parts);
    Ok((parts, is_divided))
}

/// Returns a segment with all fields that the words of `segment` share and that the output supports.
fn frame(segment: &Segment, losses: &Losses) -> Segment {
    let has_styles = losses.from.has_overrides && losses.keeps_all();
    Segment {
        recording: segment.recording.clone(),
        channel: segment.channel.clone(),
        speaker: segment.speaker.clone(),
        settings: segment.settings.clone().filter(|_| losses.to.has(LossKind::Settings)),
        coordinates: segment.coordinates.clone().filter(|_| losses.to.has(LossKind::Coordinates)),
        label: segment.label.clone(),
        other: if has_styles { segment.other.clone() } else { Vec::new() },
        ..Segment::default()
    }
}

/// Returns true if a text is a sound between brackets, or consists of musical notes.
fn is_sound(text: &str) -> bool {
    let between = |open, close| {
        let inside = text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
        inside.is_some_and(|inside: &str| !inside.contains([open, close]))
    };
    between('[', ']') || between('(', ')') || text.chars().all(|c| matches!(c, '♪' | '♫' | '#' | ' '))
}

/// Returns true if the text of an event draws a figure.
fn is_drawing(segment: &Segment) -> bool {
    segment.tags.iter().any(|tag| {
        tag.tag.split_once("\\p").is_some_and(|(_, rest)| rest.starts_with(|c: char| matches!(c, '1'..='9')))
    })
}

/// Runs of characters that stay together: a word, and the punctuation marks that a space separates from it.
#[derive(Debug, Clone, Default)]
struct WordGroup {
    runs: Vec<Range<usize>>,
    /// True if a turn or a song begins here.
    begins: bool,
    /// True for a sound.
    is_apart: bool,
}

impl WordGroup {
    fn start(&self) -> usize {
        self.runs.first().map_or(0, |run| run.start)
    }

    fn end(&self) -> usize {
        self.runs.last().map_or(0, |run| run.end)
    }

    /// Returns the text, with one space between runs.
    fn text(&self, chars: &[char]) -> String {
        let mut text = String::new();
        for run in &self.runs {
            if !text.is_empty() {
                text.push(' ');
            }
            text.extend(&chars[run.clone()]);
        }
        text
    }

    /// Returns the position, in the text of the group, of the character `at` of the segment.
    fn position(&self, at: usize) -> usize {
        let mut before = 0;
        for run in &self.runs {
            if at <= run.end {
                return before + at.saturating_sub(run.start);
            }
            before += run.len() + 1;
        }
        before.saturating_sub(1)
    }
}

/// Returns the number of characters that are not white space.
fn letters(chars: &[char], group: &WordGroup) -> u64 {
    group.runs.iter().flat_map(|run| &chars[run.clone()]).filter(|c| !c.is_whitespace()).count() as u64
}

/// Returns true for white space at which a line may be broken.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{202f}' | '\u{2007}')
}

/// The largest number of lines of a sound in brackets.
const MAX_SOUND_LINES: usize = 3;

/// Returns the ends of the lines from character `at` on.
fn line_ends(chars: &[char], at: usize) -> impl Iterator<Item = usize> {
    let lines = chars[at..].split_inclusive(|c| *c == '\n');
    lines.scan(at, |end, line| {
        *end += line.len();
        Some(*end)
    })
}

/// Returns true if whole lines are a sound.
fn is_sound_block(lines: &[char]) -> bool {
    let mut visible = lines.iter().filter(|c| !c.is_whitespace());
    visible.next().is_some_and(|c| matches!(c, '[' | '(' | '♪' | '♫' | '#'))
        && is_sound(lines.iter().collect::<String>().trim())
}

/// Groups the runs of a text. A sound on separate lines is one group.
fn groups_of_lines(chars: &[char], language: &CueLanguage) -> Vec<WordGroup> {
    let text: String = chars.iter().collect();
    if is_sound(text.trim()) {
        return groups(chars, true, language);
    }
    let mut all = Vec::new();
    let (mut begin, mut at) = (0, 0);
    let mut add = |part: Range<usize>, is_sound: bool| {
        for mut group in groups(&chars[part.clone()], is_sound, language) {
            let shift = |run: Range<usize>| run.start + part.start..run.end + part.start;
            group.runs.iter_mut().for_each(|run| *run = shift(run.clone()));
            all.push(group);
        }
    };
    while at < chars.len() {
        let mut ends = line_ends(chars, at).take(MAX_SOUND_LINES);
        match ends.find(|end| is_sound_block(&chars[at..*end])) {
            Some(end) => {
                add(begin..at, false);
                add(at..end, true);
                (begin, at) = (end, end);
            }
            None => at = line_ends(chars, at).next().unwrap_or(chars.len()),
        }
    }
    add(begin..at, false);
    all
}

/// Groups the runs of a text; the runs of a sound are one group.
fn groups(chars: &[char], is_one: bool, language: &CueLanguage) -> Vec<WordGroup> {
    let mut groups: Vec<WordGroup> = Vec::new();
    // The runs that belong to the next word.
    let mut next = WordGroup { is_apart: is_one, ..WordGroup::default() };
    let mut at = 0;
    // The end of the text before the first word of a turn, and true if the line has a turn.
    let (mut opening, mut has_turn) = (0, false);
    while at < chars.len() {
        let start = at + chars[at..].iter().take_while(|c| is_space(**c)).count();
        let len = chars[start..].iter().take_while(|c| !is_space(**c)).count();
        let (run, gap) = (start..start + len, at..start);
        at = run.end;
        if chars[run.clone()].iter().all(|c| c.is_whitespace()) {
            continue;
        }
        let begins_line = gap.start == 0 || chars[gap].contains(&'\n');
        let is_bare = !chars[run.clone()].iter().any(|c| c.is_alphanumeric());
        let opens = chars[run.clone()].iter().all(|c| "([{«‹“„‘¿¡♪♫#".contains(*c))
            && chars.get(at).is_some_and(|&c| c != '\n');
        let before = groups.last().filter(|_| next.runs.is_empty());
        let begins = TurnPlace { chars, before, begins_line, has_turn, language };
        let turn = match run.start < opening {
            true => None,
            false => begins.turn_len(&chars[run.start..]),
        };
        has_turn = turn.is_some() || has_turn && !begins_line;
        if is_one {
            next.runs.push(run);
            continue;
        } else if let Some(len) = turn {
            groups.extend(Some(std::mem::take(&mut next)).filter(|next| !next.runs.is_empty()));
            next.begins = true;
            opening = run.start + len;
        } else if let Some(last) = groups.last_mut()
            && is_bare
            && !opens
            && next.runs.is_empty()
        {
            last.runs.push(run);
            continue;
        }
        let is_whole = !is_bare && run.end > opening;
        next.runs.reserve_exact(1);
        next.runs.push(run);
        if is_whole {
            groups.push(std::mem::take(&mut next));
        }
    }
    // Marks without a word after them belong to the last word.
    match groups.last_mut() {
        Some(last) if !next.begins => last.runs.append(&mut next.runs),
        _ if next.runs.is_empty() => {}
        _ => groups.push(next),
    }
    groups
}

/// The longest name of a speaker that stays on the line of the next word.
const LONGEST_NAME: usize = 24;

/// A position where another turn may begin.
struct TurnPlace<'a> {
    /// The characters of the segment, and the last word.
    chars: &'a [char],
    before: Option<&'a WordGroup>,
    begins_line: bool,
    /// True if the line has a turn already.
    has_turn: bool,
    language: &'a CueLanguage,
}

impl TurnPlace<'_> {
    /// Returns the number of characters before the first word of a new turn or a song: `- yes`, `>> yes`, `MAN: yes`,
    /// `♪ yes`. A dash after an unfinished line belongs to the sentence, and so does a dash within a line without
    /// turns.
    fn turn_len(&self, line: &[char]) -> Option<usize> {
        let &Self { begins_line, has_turn, .. } = self;
        // A word may have thousands of marks after it: the last run decides.
        let before = self.before.and_then(|before| before.runs.last());
        let before = before.map(|run| self.chars[run.clone()].iter().collect::<String>());
        let before = before.as_deref();
        let line: String = line.iter().take(3 + LONGEST_NAME).take_while(|c| **c != '\n').collect();
        let ended = before.is_none_or(|before| {
            let word = before.trim_end_matches(['"', '\'', '”', '’', '»', ')', ']']);
            word.len() < before.len() || word.ends_with(['.', '?', '!', '…', '-', '–', '—', '♪', '♫'])
        });
        let sings = |text: &str| text.starts_with(['♪', '♫']);
        let mark = match () {
            () if line.starts_with(">>") => line.len() - line.trim_start_matches('>').len(),
            () if !ended => return None,
            () if begins_line || has_turn => dash_len(&line).unwrap_or(0),
            () => 0,
        };
        let rest = line[mark..].trim_start();
        let name = match rest.strip_prefix(['[', '(']).and_then(|rest| rest.split_once([']', ')'])) {
            Some((name, after)) => after.starts_with(':').then_some(name.len() + 3),
            None => name_len(rest),
        };
        let len = match name {
            Some(name) if begins_line || mark > 0 || self.names_inside(&rest[..name]) => {
                line.len() - rest.len() + name
            }
            _ if mark > 0 => mark,
            _ if begins_line
                && (sings(&line) || before.is_some_and(|before| before.ends_with(['♪', '♫']))) =>
            {
                0
            }
            _ => return None,
        };
        Some(line[..len].chars().count())
    }

    /// Returns true if this is the name of a speaker inside a line: in capitals, after a sentence.
    fn names_inside(&self, name: &str) -> bool {
        let is_shouted =
            name.chars().filter(|c| c.is_uppercase()).count() > 1 && !name.contains(char::is_lowercase);
        is_shouted
            && self.before.is_some_and(|before| {
                self.language.juncture(&before.text(self.chars), name) == Juncture::Sentence
            })
    }
}

/// The times of a word, if the input has them.
#[derive(Debug, Default)]
struct WordAnchor {
    begin: Option<Time>,
    end: Option<Time>,
    words: Vec<SegmentWord>,
}

/// Uses the times of a segment's timed words, if these words form the text of the segment.
fn anchor_words(segment: &Segment, chars: &[char], groups: &[WordGroup], anchors: &mut [WordAnchor]) {
    let visible = |c: &char| !c.is_whitespace();
    let pieces = segment.words.iter().flat_map(|word| word.text.chars()).filter(visible);
    if !pieces.eq(chars.iter().copied().filter(visible)) {
        return;
    }
    // The number of characters before each group, without white space.
    let mut bounds = vec![0];
    for group in groups {
        bounds.push(bounds[bounds.len() - 1] + letters(chars, group) as usize);
    }
    let (mut from, mut at) = (0, 0);
    for word in &segment.words {
        let to = from + word.text.chars().filter(visible).count();
        while at + 1 < groups.len() && bounds[at + 1] <= from {
            at += 1;
        }
        let anchor = &mut anchors[at];
        if from == bounds[at] {
            anchor.begin = anchor.begin.or(word.begin);
        }
        // Most words are one timed word: the four elements that a vector reserves by default would take most of the
        // memory.
        anchor.words.reserve_exact(1);
        anchor.words.push(word.clone());
        let mut last = at;
        while last + 1 < groups.len() && bounds[last + 1] < to {
            last += 1;
        }
        if to == bounds[last + 1] {
            anchors[last].end = word.end;
        }
        from = to;
    }
}

/// Reads the times between the words of a cue: `<00:01.000>`. Ignores a time outside the cue or before the previous
/// time, which cannot be right.
fn anchor_tags(
    segment: &Segment,
    (mut least, last): (Time, Time),
    groups: &[WordGroup],
    anchors: &mut [WordAnchor],
) {
    for tag in &segment.tags {
        let Some(time) = inner_time(&tag.tag).filter(|time| (least..=last).contains(time)) else { continue };
        least = time;
        let at = groups.partition_point(|group| group.start() < tag.at);
        if let Some(anchor) = anchors.get_mut(at) {
            anchor.begin = Some(time);
        }
    }
}

/// Returns the time in a tag: `<00:01.000>`.
fn inner_time(tag: &str) -> Option<Time> {
    let inside = tag.strip_prefix('<')?.strip_suffix('>')?;
    if inside.starts_with(|c: char| c.is_ascii_digit()) { Time::of_clock(inside) } else { None }
}

/// Interpolates the time between known times by character count. Returns the times of each word, and true if
/// words had to share a time.
fn divide(
    known: &[(Option<u64>, Option<u64>)],
    letters: &[u64],
    first: u64,
    last: u64,
) -> (Vec<(u64, u64)>, bool) {
    let mut times: Vec<(u64, u64)> = Vec::new();
    let mut is_divided = false;
    let mut at = 0;
    while at < known.len() {
        let before = times.last().map_or(first, |(_, end)| *end);
        let begin = known[at].0.unwrap_or(before);
        // The words up to the next known time share the time until then.
        let ends =
            |word: usize| known[word].1.is_some() || known.get(word + 1).is_none_or(|next| next.0.is_some());
        let end = at + (at..known.len()).take_while(|word| !ends(*word)).count() + 1;
        let to = known[end - 1].1.or_else(|| known.get(end).and_then(|next| next.0)).unwrap_or(last);
        let total: u64 = letters[at..end].iter().sum();
        let time = |letters: u64| {
            let part = u128::from(to.saturating_sub(begin)) * u128::from(letters) / u128::from(total.max(1));
            begin + u64::try_from(part).unwrap_or(u64::MAX)
        };
        is_divided |= end - at > 1;
        let mut said = 0;
        for letters in &letters[at..end] {
            let from = time(said);
            said += letters;
            times.push((from, if end - at == 1 { to } else { time(said) }));
        }
        at = end;
    }
    (times, is_divided)
}

/// The role of a tag in a text.
#[derive(Debug, PartialEq, Eq)]
enum TagRole<'a> {
    Opens(&'a str),
    Closes(&'a str),
    /// A voice, or the position of the cue on the screen: it holds for the words after it.
    Frames,
    /// The time of a word, or the end of a voice.
    Passes,
    Stands,
}

fn role(tag: &str) -> TagRole<'_> {
    if inner_time(tag).is_some() || tag == "</v>" {
        return TagRole::Passes;
    }
    if tag.starts_with("<v ") || tag.starts_with("<v.") {
        return TagRole::Frames;
    }
    if let Some(inside) = tag.strip_prefix('<').and_then(|tag| tag.strip_suffix('>')) {
        let (is_end, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
        let name = inside.split([' ', '.', '\t', '\n']).next().unwrap_or_default();
        return if is_end { TagRole::Closes(name) } else { TagRole::Opens(name) };
    }
    for (style, own) in ["i", "b", "u", "s"].into_iter().zip(["{\\i", "{\\b", "{\\u", "{\\s"]) {
        match tag.strip_prefix(own) {
            Some("1}") => return TagRole::Opens(style),
            Some("0}") => return TagRole::Closes(style),
            _ => {}
        }
    }
    if tag.starts_with("{\\") { TagRole::Frames } else { TagRole::Stands }
}

/// Returns the tag that closes the element that this one opens.
pub(crate) fn closing(tag: &str) -> String {
    match (role(tag), tag.starts_with('<')) {
        (TagRole::Opens(name), true) => format!("</{name}>"),
        (TagRole::Opens(name), false) => format!("{{\\{name}0}}"),
        _ => String::new(),
    }
}

/// The largest number of tags that are open at once and are opened again in the next cue. Real
/// subtitles have two or three.
const MAX_OPEN_TAGS: usize = 16;

/// Updates the list of open tags by a tag.
pub(crate) fn follow(tag: &str, open: &mut Vec<String>) {
    match role(tag) {
        TagRole::Opens(_) if open.len() < MAX_OPEN_TAGS => open.push(tag.to_owned()),
        TagRole::Closes(name) => {
            let opens = |tag: &String| role(tag) == TagRole::Opens(name);
            open.iter().rposition(opens).map(|at| open.remove(at));
        }
        _ => {}
    }
}

/// Removes the tags before this character of a text whose first characters were left out; tags that apply to
/// the rest stay.
pub(crate) fn drop_before(at: usize, tags: &mut Vec<SegmentTag>) {
    let (mut frames, mut open) = (Vec::new(), Vec::new());
    let rest = tags.iter().position(|tag| tag.at >= at).unwrap_or(tags.len());
    for tag in tags.drain(..rest) {
        follow(&tag.tag, &mut open);
        frames.extend(Some(tag.tag).filter(|tag| role(tag) == TagRole::Frames));
    }
    tags.iter_mut().for_each(|tag| tag.at -= at);
    tags.splice(0..0, frames.into_iter().chain(open).map(|tag| SegmentTag { at: 0, tag }));
}

/// Assigns each tag to its word, and returns for each word its frame.
fn hang_tags(
    segment: &Segment,
    groups: &[WordGroup],
    base: &Rc<Segment>,
    words: &mut [CueWord],
) -> Vec<Rc<Segment>> {
    // Each frame with the number of the first word to which it applies.
    let mut frames = vec![(0, Rc::clone(base))];
    for tag in &segment.tags {
        // The word that begins here or later; a closing tag belongs to the previous word.
        let next = groups.partition_point(|group| group.end() <= tag.at).min(groups.len() - 1);
        let is_before = groups[next].start() >= tag.at;
        let role = role(&tag.tag);
        match role {
            TagRole::Passes => continue,
            TagRole::Frames if is_before => {
                let mut frame =
                    frames.last().map_or_else(Segment::default, |(_, frame)| Segment::clone(frame));
                let is_voice = tag.tag.starts_with('<');
                frame.tags.retain(|other| !(is_voice && other.tag.starts_with('<')));
                frame.tags.push(SegmentTag { at: 0, tag: tag.tag.clone() });
                frames.push((next, Rc::new(frame)));
                continue;
            }
            _ => {}
        }
        let at = match role {
            TagRole::Closes(_) if is_before && next > 0 => next - 1,
            _ => next,
        };
        let position = groups[at].position(tag.at.clamp(groups[at].start(), groups[at].end()));
        words[at].tags.push(SegmentTag { at: position, tag: tag.tag.clone() });
    }
    let mut frames = frames.into_iter().peekable();
    let mut frame = Rc::clone(base);
    let frame_of = |word| {
        while let Some((_, next)) = frames.next_if(|(from, _)| *from <= word) {
            frame = next;
        }
        Rc::clone(&frame)
    };
    (0..words.len()).map(frame_of).collect()
}

/// Closes the tags that are open at the end of a part, and opens them again in the next part, since the parts become
/// separate cues.
fn close_tags(parts: &mut [SpokenPart]) {
    let mut open: Vec<String> = Vec::new();
    for part in parts {
        let reopened: Vec<SegmentTag> =
            open.iter().map(|tag| SegmentTag { at: 0, tag: tag.clone() }).collect();
        let tags = part.words.iter().flat_map(|word| &word.tags);
        tags.for_each(|tag| follow(&tag.tag, &mut open));
        if let Some(first) = part.words.first_mut() {
            first.tags.splice(0..0, reopened);
        }
        if let Some(last) = part.words.last_mut() {
            let end = last.text.chars().count();
            last.tags.extend(open.iter().rev().map(|tag| SegmentTag { at: end, tag: closing(tag) }));
        }
    }
}

/// Counts the parts of a segment that no word of a cue can have.
pub(crate) fn drop_fields(segment: &Segment, keeps_words: bool, losses: &mut Losses) -> Result<(), Lost> {
    let mut rest = segment.clone();
    let kept = frame(segment, losses);
    let is_number = |id: &String| id.bytes().all(|b| b.is_ascii_digit());
    rest.id.take_if(|id| is_number(id));
    rest.other.retain(|field| !kept.other.contains(field));
    rest.settings.take_if(|settings| Some(&*settings) == kept.settings.as_ref());
    rest.coordinates.take_if(|coordinates| Some(&*coordinates) == kept.coordinates.as_ref());
    let mut keeps = vec![
        LossKind::Recording,
        LossKind::Channel,
        LossKind::Speaker,
        LossKind::Times,
        LossKind::Breaks,
        LossKind::Tags,
        LossKind::Label,
        LossKind::Words,
    ];
    keeps.extend(keeps_words.then_some(LossKind::Confidence));
    rest.keep(&keeps, losses)
}
