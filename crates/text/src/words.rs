//! Finds the words in running text, and the runs and tags that are not words.

use std::ops::Range;

use super::case::MAX_LETTERS;
use super::divided_word::{Division, ModelVocabulary, second_part};
use super::locale::{Locale, folded, is_joiner};
use super::markup::{TagMatch, escaped_letter, is_inline, opens_tag, tag_end};
use super::reading::{Arrival, InnerTags, WordReading};
use super::speaker_label::name_len;

/// Represents a byte that is not UTF-8: the run that contains it is left unchanged.
pub const NO_TEXT: u8 = 0x1a;

/// The largest number of characters of a run without white space in a [live](super::tokenize::Tokenizer::live) text:
/// a longer run is not treated as text, so that nothing waits for its end.
pub const MAX_RUN: usize = 1 << 16;

/// Whether a given text ends at the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The text ends at the end of a line or of the source.
    Whole,
    /// The line continues: the text that follows may continue the tail.
    Partial,
}

/// A part of a text, without white space.
pub(super) enum RunPart<'a> {
    /// A tag that ends at this byte.
    Tag(usize),
    /// A run that is too long to be text.
    TooLong,
    /// A run, and the kinds of its bytes.
    Run(NonSpaceRun<'a>, u8),
    /// A run with tags inside it.
    Joined(Box<JoinedRun>),
    /// Text that the text after it may continue.
    Open,
}

/// Finds the parts of a text one by one.
#[derive(Debug, Clone, Default)]
pub(super) struct PartFinder {
    /// True if the line began inside a tag: no tag that opens on this line then continues on the
    /// next.
    crossed: bool,
    /// True inside a run longer than [`MAX_RUN`].
    in_run: bool,
    /// The words that are recognised if a hyphen divides them at the end of a line.
    vocabulary: ModelVocabulary,
}

impl PartFinder {
    /// Starts a text in which these words are known.
    pub(super) fn new(vocabulary: ModelVocabulary) -> Self {
        Self { vocabulary, ..Self::default() }
    }

    /// Starts another text.
    pub(super) fn next_text(&self) -> Self {
        Self::new(self.vocabulary.clone())
    }

    /// Returns true if the text read so far ends inside a run that is too long to be text.
    pub(super) fn in_run(&self) -> bool {
        self.in_run
    }

    /// Ends a line.
    pub(super) fn end_line(&mut self) {
        self.crossed = false;
    }

    /// Returns the end of a run that is too long to be text, from byte `at` on.
    #[inline]
    pub(super) fn skip_run(&mut self, text: &str, at: usize) -> usize {
        if !self.in_run {
            return at;
        }
        let len = text[at..].find(char::is_whitespace);
        self.in_run = len.is_none();
        len.map_or(text.len(), |len| at + len)
    }

    /// Returns the part that begins at byte `at`; [`RunPart::Open`] if the part may depend on later text and
    /// `leaves_tail` is true.
    #[inline]
    pub(super) fn part<'a>(
        &mut self,
        reading: &WordReading,
        text: &'a str,
        (at, base): (usize, u32),
        cut: Cut,
        leaves_tail: bool,
    ) -> RunPart<'a> {
        let crosses = reading.tags == InnerTags::OverLines && !self.crossed;
        let (end, kinds) = match tag_end(text, at, cut == Cut::Partial, crosses) {
            TagMatch::Ends(end) => {
                self.crossed |= crosses && text[at..end].contains('\n');
                return RunPart::Tag(end);
            }
            TagMatch::Open if leaves_tail => return RunPart::Open,
            TagMatch::Open | TagMatch::None => field_end(text, at),
        };
        if reading.arrival == Arrival::Live && is_too_long(&text[at..end], end == text.len()) {
            self.in_run = true;
            return RunPart::TooLong;
        }
        let is_open = |end: usize| end == text.len() && cut == Cut::Partial && leaves_tail;
        if is_open(end) {
            return RunPart::Open;
        }
        if reading.tags != InnerTags::Part && end < text.len() && opens_tag(text, end) {
            match JoinedRun::read(text, at, end, cut) {
                TagLookahead::Open if leaves_tail => return RunPart::Open,
                TagLookahead::No | TagLookahead::Open => {}
                TagLookahead::Run(run) if is_open(run.end) => return RunPart::Open,
                TagLookahead::Run(run) => return RunPart::Joined(Box::new(run.unescaped(text, reading))),
            }
        }
        // Live text and lines that are separate texts wait for no other line.
        if second_part(text, end).is_some()
            && reading.arrival != Arrival::Live
            && !reading.apart
            && let Some(run) = JoinedRun::divided(text, at, end, reading.locale, &self.vocabulary)
        {
            return RunPart::Joined(Box::new(run.unescaped(text, reading)));
        }
        if kinds & SPECIAL != 0 && text.as_bytes()[at..end].iter().any(|b| matches!(b, b'&' | b'\\')) {
            let run = JoinedRun { plain: text[at..end].to_owned(), parts: vec![(0, at)], end };
            let run = run.unescaped(text, reading);
            if run.parts.len() > 1 {
                return RunPart::Joined(Box::new(run));
            }
        }
        RunPart::Run(NonSpaceRun { text, start: at, end, base }, kinds)
    }
}

/// Returns the byte after the white space at byte `at`, and whether it is a line feed; `None` if a part
/// of the text begins there.
#[inline]
pub(super) fn space(text: &str, at: usize) -> Option<(usize, bool)> {
    let &byte = text.as_bytes().get(at)?;
    match KINDS[byte as usize] {
        SPACE => Some((at + 1, byte == b'\n')),
        WIDE => Some(char_at(text, at)).filter(|c| c.is_whitespace()).map(|c| (at + c.len_utf8(), false)),
        _ => None,
    }
}

impl NonSpaceRun<'_> {
    /// Returns the only word of the run, if its kinds show that it is one word with marks around it.
    /// `opens_line` is true if the run opens a line, where it may be a number of a list.
    #[inline]
    pub(super) fn only_word(&self, kinds: u8, opens_line: bool) -> Option<(usize, usize)> {
        let is_number = opens_line && kinds & (LOWER | UPPER) == 0;
        if kinds & (SPECIAL | WIDE) != 0 || is_number {
            return None;
        }
        let bytes = self.text.as_bytes();
        let (start, end) = plain_word(bytes, self.start, self.end, kinds)?;
        if start > self.start && (matches!(bytes[start - 1], b'%' | b'^') || bytes[self.start] == b':') {
            return None;
        }
        (end - start > 1 || !matches!(bytes.get(end), Some(b')' | b']'))).then_some((start, end))
    }
}

/// The largest number of characters in a run that continues after tags.
const MAX_JOINED: usize = 256;

/// The largest number of lines of a run that continues after hyphens.
const MAX_PARTS: usize = 16;

/// A run without white space that continues after tags, or after a hyphen at the end of a line.
pub(super) struct JoinedRun {
    /// The run without the tags; a space is in place of a line end between words.
    pub(super) plain: String,
    /// The start of each part of the run: its byte in `plain` and its byte in the text.
    parts: Vec<(usize, usize)>,
    /// The end of the run in the text.
    pub(super) end: usize,
}

/// The result of looking past the tag after a run.
enum TagLookahead {
    /// The run ends before the tag.
    No,
    /// The text ends before the answer is known.
    Open,
    Run(JoinedRun),
}

impl JoinedRun {
    /// Looks past the tags after the run at `start..end`.
    fn read(text: &str, start: usize, end: usize, cut: Cut) -> TagLookahead {
        let goes_on = cut == Cut::Partial;
        // The number of characters still allowed; the rest of a longer run is read part by part.
        let mut left = MAX_JOINED;
        let takes = |left: &mut usize, part: &str| {
            let chars = part.chars().take(*left + 1).count();
            let fits = chars <= *left;
            *left -= chars.min(*left);
            fits
        };
        if !takes(&mut left, &text[start..end]) {
            return TagLookahead::No;
        }
        let mut run = Self { plain: text[start..end].to_owned(), parts: vec![(0, start)], end };
        while run.plain.ends_with(char::is_alphanumeric) {
            let mut at = run.end;
            while at < text.len() && opens_tag(text, at) {
                // Text beyond the allowed characters does not count, so the position of the cut makes no difference.
                let limit = text[at..].char_indices().nth(left).map_or(text.len(), |(len, _)| at + len);
                let is_long = limit < text.len();
                if limit == at {
                    return TagLookahead::No;
                }
                match tag_end(&text[..limit], at, goes_on || is_long, false) {
                    TagMatch::Ends(end) if is_inline(&text[at..end]) => {
                        takes(&mut left, &text[at..end]);
                        at = end;
                    }
                    TagMatch::Open if is_long => return TagLookahead::No,
                    TagMatch::Open => return TagLookahead::Open,
                    _ => break,
                }
            }
            // Another tag may open here.
            if goes_on && at > run.end && matches!(text.as_bytes()[at..], [] | [b'<'] | [b'{'] | [b'{', _]) {
                return TagLookahead::Open;
            }
            if at == run.end || !text[at..].starts_with(char::is_alphanumeric) {
                break;
            }
            run.parts.push((run.plain.len(), at));
            (run.end, _) = field_end(text, at);
            if !takes(&mut left, &text[at..run.end]) {
                return TagLookahead::No;
            }
            run.plain.push_str(&text[at..run.end]);
            if run.end == text.len() {
                break;
            }
        }
        if run.parts.len() > 1 { TagLookahead::Run(run) } else { TagLookahead::No }
    }

    /// Reads the run at `start..end`, which ends with a hyphen at the end of a line, together with the
    /// next one; `None` if the hyphen divides no word.
    fn divided(
        text: &str,
        start: usize,
        end: usize,
        locale: Locale,
        vocabulary: &ModelVocabulary,
    ) -> Option<Self> {
        let mut run = Self { plain: text[start..end].to_owned(), parts: vec![(0, start)], end };
        while let Some(at) = second_part(text, run.end).filter(|_| run.parts.len() < MAX_PARTS) {
            let (next_end, _) = field_end(text, at);
            let next = &text[at..next_end];
            if is_left_alone(&run.plain) || is_left_alone(next) || name_len(&text[at..]).is_some() {
                break;
            }
            match Division::of(&run.plain, next, locale, vocabulary) {
                Division::Word => _ = run.plain.pop(),
                Division::Compound => {}
                Division::Apart => run.plain.push(' '),
            }
            run.parts.push((run.plain.len(), at));
            run.plain.push_str(next);
            run.end = next_end;
        }
        (run.parts.len() > 1).then_some(run)
    }

    /// Returns the run with entities and TeX accents replaced with their letters.
    fn unescaped(self, text: &str, reading: &WordReading) -> Self {
        let mut run = Self { plain: String::new(), parts: Vec::new(), end: self.end };
        for (number, &(from, mut to)) in self.parts.iter().enumerate() {
            let end = self.parts.get(number + 1).map_or(self.plain.len(), |next| next.0);
            run.parts.push((run.plain.len(), to));
            let mut rest = &self.plain[from..end];
            while let Some(at) = rest.find(['&', '\\']) {
                let (len, letter) = match escaped_letter(&rest[at..], reading.is_tex) {
                    Some((len, letter)) if text[to + at..].starts_with(&rest[at..at + len]) => {
                        (len, Some(letter))
                    }
                    _ => (1, None),
                };
                run.plain.push_str(&rest[..at]);
                if let Some(letter) = letter {
                    run.parts.push((run.plain.len(), to + at));
                    run.plain.push(letter);
                    run.parts.push((run.plain.len(), to + at + len));
                } else {
                    run.plain.push_str(&rest[at..at + len]);
                }
                (rest, to) = (&rest[at + len..], to + at + len);
            }
            run.plain.push_str(rest);
        }
        run
    }

    /// Returns the byte range in the text of the byte range `word` of the run without tags.
    pub(super) fn position(&self, text: &str, word: Range<usize>) -> Range<usize> {
        let part = |at: usize| self.parts[self.parts.partition_point(|&(from, _)| from <= at) - 1];
        let ((first, start), (last, end)) = (part(word.start), part(word.end - 1));
        let escape =
            escaped_letter(&text[end..], true).filter(|_| !self.plain[last..].starts_with(['&', '\\']));
        start + word.start - first..end + escape.map_or(word.end - last, |(len, _)| len)
    }
}

/// A run without white space: bytes `start` to `end` of a text whose first byte is byte `base` of
/// the piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct NonSpaceRun<'a> {
    /// The text that holds the run.
    pub(super) text: &'a str,
    /// The first byte of the run.
    pub(super) start: usize,
    /// The byte after the run.
    pub(super) end: usize,
    /// The position of the text in the piece.
    pub(super) base: u32,
}

// The kinds of a byte, as a set of bits, so that one look at a run selects its code path.
const SPACE: u8 = 1;
const LOWER: u8 = 2;
const UPPER: u8 = 4;
const DIGIT: u8 = 8;
/// `'` and `-`, which may occur inside a word.
const INNER: u8 = 16;
/// Other marks, which occur only around words.
const MARK: u8 = 32;
/// Marks that may make a run something other than words.
const SPECIAL: u8 = 64;
/// Bytes of characters outside ASCII.
const WIDE: u8 = 128;

static KINDS: [u8; 256] = {
    let mut kinds = [MARK; 256];
    let mut b = 0;
    while b < 256 {
        kinds[b] = match b as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'\'' | b'-' => INNER,
            b'@' | b'#' | b'/' | b'\\' | b'_' | b'<' | b'{' | b'&' | NO_TEXT => SPECIAL,
            0x80..=0xff => WIDE,
            _ => MARK,
        };
        b += 1;
    }
    kinds
};

/// Returns the end of the run that begins at byte `at`, and the kinds of its bytes. A possible
/// opening of a tag also ends the run.
#[inline]
pub(super) fn field_end(text: &str, at: usize) -> (usize, u8) {
    let mut kinds = 0;
    for (end, &b) in text.as_bytes().iter().enumerate().skip(at) {
        match KINDS[b as usize] {
            SPACE => return (end, kinds),
            kind if kind & (WIDE | SPECIAL) != 0 => return odd_field_end(text, at, end, kinds),
            kind => kinds |= kind,
        }
    }
    (text.len(), kinds)
}

/// Continues after [`field_end`] met a byte that may end the run or that begins a character outside
/// ASCII.
#[inline(never)]
fn odd_field_end(text: &str, at: usize, mut end: usize, mut kinds: u8) -> (usize, u8) {
    let bytes = text.as_bytes();
    while let Some(&b) = bytes.get(end) {
        let kind = KINDS[b as usize];
        if kind & (SPACE | WIDE | SPECIAL) != 0 {
            if kind == SPACE || end > at && opens_tag(text, end) {
                break;
            }
            if kind == WIDE {
                let c = char_at(text, end);
                if c.is_whitespace() {
                    break;
                }
                end += c.len_utf8() - 1;
            }
        }
        kinds |= kind;
        end += 1;
    }
    (end, kinds)
}

/// Returns true if the available part of a run is longer than [`MAX_RUN`]. A bracket at the end of
/// that part may open a tag.
fn is_too_long(run: &str, may_go_on: bool) -> bool {
    let sure = if may_go_on { run.strip_suffix(['<', '{']).unwrap_or(run) } else { run };
    sure.len() > MAX_RUN && sure.chars().nth(MAX_RUN).is_some()
}

/// Returns the one word of an ASCII run without special marks: letters and digits with inner
/// apostrophes and hyphens, and marks only around them. Returns `None` if the run is more than
/// that.
#[inline]
pub(super) fn plain_word(
    bytes: &[u8],
    mut start: usize,
    mut end: usize,
    kinds: u8,
) -> Option<(usize, usize)> {
    if kinds & (MARK | INNER) == 0 {
        return Some((start, end));
    }
    while start < end && !bytes[start].is_ascii_alphanumeric() {
        start += 1;
    }
    while end > start && !bytes[end - 1].is_ascii_alphanumeric() {
        end -= 1;
    }
    let mut inside = true;
    for pair in bytes[start..end].windows(2) {
        let kind = KINDS[pair[0] as usize] | KINDS[pair[1] as usize];
        inside &= kind & MARK == 0 && !(KINDS[pair[0] as usize] == INNER && KINDS[pair[1] as usize] == INNER);
    }
    (inside && start < end).then_some((start, end))
}

/// The letters of a word.
pub(super) struct WordLetters {
    /// True if a letter is a capital.
    pub(super) has_capitals: bool,
    /// True if the word is short enough to be a token.
    pub(super) fits: bool,
    /// True if it is two ASCII letters or more, and nothing else.
    pub(super) is_plain: bool,
}

/// Returns the facts about the letters of a word.
#[inline]
pub(super) fn letters(word: &str, locale: Locale) -> WordLetters {
    let mut kinds = 0;
    for b in word.bytes() {
        kinds |= KINDS[b as usize];
    }
    let is_plain = kinds & !(LOWER | UPPER) == 0 && word.len() > 1;
    if kinds & WIDE == 0 {
        let fits = word.len() <= MAX_LETTERS || locale.letter_count(word) <= MAX_LETTERS;
        return WordLetters { has_capitals: kinds & UPPER != 0, fits, is_plain };
    }
    let mut counts = [0; 2];
    for (_, _, letter) in locale.letters(word) {
        if let Some(letter) = letter {
            counts[usize::from(letter.is_upper())] += 1;
        }
    }
    WordLetters { has_capitals: counts[1] > 0, fits: counts[0] + counts[1] <= MAX_LETTERS, is_plain }
}

/// Returns the next word of a run, from byte `at` on.
pub(super) fn next_word(field: &NonSpaceRun<'_>, mut at: usize) -> Option<(usize, usize)> {
    let run = &field.text[..field.end];
    let start = loop {
        let c = run[at..].chars().next()?;
        if c.is_alphanumeric() {
            break at;
        }
        at += if c == '&' { entity_len(&run[at..]) } else { c.len_utf8() };
    };
    let mut previous = '\0';
    for (i, c) in run[start..].char_indices() {
        let next = run[start + i + c.len_utf8()..].chars().next().unwrap_or(' ');
        let inside = match c {
            '\'' | '’' | '-' | '‐' | '‑' => next.is_alphanumeric() && previous != '\0',
            // Runs with other inner stops are left unchanged: this is an initialism or a number.
            '.' => next.is_alphanumeric() && previous.is_alphanumeric(),
            ',' | ':' => previous.is_numeric() && next.is_numeric(),
            _ => c.is_alphanumeric() || is_joiner(c),
        };
        if !inside {
            return Some((start, start + i));
        }
        previous = c;
    }
    Some((start, field.end))
}

/// Returns true if a run has a placeholder, which a program fills: `{name}`, `${user.name}`, `%(count)d`, `%s`.
pub(super) fn has_placeholder(run: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || is_joiner(c) || "_.-".contains(c);
    let is_braced = |rest: &str| {
        let after = rest.trim_start_matches(is_name);
        after.len() < rest.len() && after.starts_with('}')
    };
    let is_conversion = |(at, _): (usize, &str)| {
        let rest = match run[at + 1..].strip_prefix('(') {
            Some(name) => name.trim_start_matches(is_name).strip_prefix(')').unwrap_or_default(),
            None => run[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit() || "$.-+".contains(c)),
        };
        // `i` is excluded, since its case mapping depends on the locale.
        let kind = rest.chars().next().filter(|c| "sdfux".contains(c.to_ascii_lowercase()));
        let is_inside = |c: char| c.is_alphanumeric() || is_joiner(c);
        kind.is_some() && !rest[1..].starts_with(is_inside) && !run[..at].ends_with(is_inside)
    };
    run.split('{').skip(1).any(is_braced) || run.match_indices('%').any(is_conversion)
}

/// Returns the length of the emoji names (`:tada:`) in a run that has only marks after them.
pub(super) fn emoji_len(run: &str) -> Option<usize> {
    let len = run.strip_prefix(':')?.rfind(':')?;
    let (name, marks) = (&run[1..1 + len], &run[len + 2..]);
    let is_inside = |c: char| c.is_alphanumeric() || is_joiner(c);
    let is_name = name.contains(is_inside) && name.chars().all(|c| is_inside(c) || "_+-:".contains(c));
    (is_name && !marks.contains(is_inside)).then_some(len + 2)
}

/// Returns the length of the entity (`&amp;`, `&#39;`) at the beginning of `text`; 1 for a bare
/// `&`.
pub(super) fn entity_len(text: &str) -> usize {
    let name: usize =
        text[1..].chars().take(10).take_while(|c| c.is_alphanumeric() || *c == '#').map(char::len_utf8).sum();
    if name > 0 && text.as_bytes().get(1 + name) == Some(&b';') { name + 2 } else { 1 }
}

/// Returns true if a run is the number of a list item: `1.`, `(12)`, `3)`.
pub(super) fn is_list_number(run: &str) -> bool {
    let number = run.trim_start_matches('(').trim_end_matches(['.', ')']);
    (1..=3).contains(&number.len()) && number.len() < run.len() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true if a run is the letter of a list item: `a)`, `(B),`.
pub(super) fn is_list_letter(run: &str) -> bool {
    let letter = run.trim_start_matches('(').trim_end_matches([',', ';', '.']);
    let mut chars = letter.chars().map(folded);
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.eq([')'])
}

/// Returns true if a run is not words: a URL, an e-mail address, a handle, a tag, a path, a file or
/// domain name.
pub(super) fn is_left_alone(run: &str) -> bool {
    let opens = |c: char| !c.is_alphanumeric() && !"@#^/\\~._".contains(c);
    let is_masked = run.contains(NO_TEXT as char);
    let run = run.trim_start_matches(opens);
    let after = |prefix: &str| {
        run.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            && run[prefix.len()..].starts_with(char::is_alphanumeric)
    };
    is_masked
        || run.contains("://")
        || run.contains('\\')
        || ["www.", "@", "#", "^", "/", "./", "../", "~/"].into_iter().any(after)
        || run.match_indices('@').any(|(at, _)| run[at + 1..].starts_with(char::is_alphanumeric))
        || run.match_indices('_').any(|(at, _)| stands_inside(run, at))
        || run.split(|c: char| !(c.is_alphanumeric() || is_joiner(c) || c == '.')).any(|word| {
            word.match_indices('.').any(|(at, _)| stands_inside(word, at)) && !is_dotted_word(word)
        })
}

/// Returns true if letters or digits are on both sides of the one-byte mark at byte `at`.
fn stands_inside(run: &str, at: usize) -> bool {
    run[..at].ends_with(|c: char| c.is_alphanumeric() || is_joiner(c))
        && run[at + 1..].starts_with(char::is_alphanumeric)
}

/// Returns true if a run of letters, digits and stops is an initialism (`u.s`, `ph.d`: parts of one
/// or two letters, the last of one; `ee.uu`: each letter twice) or a number (`3.5m`).
fn is_dotted_word(word: &str) -> bool {
    let word = word.trim_matches('.');
    let (first, last) = word.rsplit_once('.').unwrap_or(("", word));
    let is_number = last.starts_with(char::is_numeric)
        && first.split('.').all(|part| !part.is_empty() && part.chars().all(char::is_numeric));
    let letters = |part: &str| match part.chars().filter(|c| !is_joiner(*c)).count() {
        count if part.chars().all(|c| c.is_alphabetic() || is_joiner(c)) => count,
        _ => usize::MAX,
    };
    let is_double = |part: &str| {
        let mut chars = part.chars().filter(|c| !is_joiner(*c)).map(folded);
        letters(part) == 2 && chars.next() == chars.next()
    };
    is_number
        || letters(last) == 1 && first.split('.').all(|part| (1..=2).contains(&letters(part)))
        || !first.is_empty() && word.split('.').all(is_double)
}

pub(super) fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_letter_of_a_list_item_is_one_in_any_case() {
        for text in ["a)", "(B),", "i)", "I)", "ı)", "(İ)."] {
            assert!(is_list_letter(text), "{text}");
        }
        assert!(["1)", "ab)", "é)", "a", "a))"].into_iter().all(|text| !is_list_letter(text)));
    }

    #[test]
    fn placeholders_and_emojis_are_no_words() {
        for run in
            ["{london}", "${City},", "#{a.b}", "({{a_b}})", "%(count)d", "%s.", "%1$S", "x/{id}", "%.2f"]
        {
            assert!(has_placeholder(run), "{run}");
        }
        for run in ["{so", "so}", "{}", "{so,we}", "5%d", "%so", "%(so)", "%i", "100%", "{i:so}"] {
            assert!(!has_placeholder(run), "{run}");
        }
        assert_eq!(
            [":tada:", ":a_b::c:.", ":+1:", ":100:"].map(emoji_len),
            [Some(6), Some(8), Some(4), Some(5)]
        );
        assert_eq!([":so", "so:", ":a b:", "::", ":a:b", "a:b:"].map(emoji_len), [None; 6]);
    }

    proptest! {
        #[test]
        fn the_only_word_of_a_run_is_what_the_plain_way_finds(text in "[a-cA-C0-2'.,:()-]{1,8}") {
            let (end, kinds) = field_end(&text, 0);
            let run = NonSpaceRun { text: &text, start: 0, end, base: 0 };
            if let Some((start, end)) = run.only_word(kinds, false) {
                prop_assert_eq!(next_word(&run, 0), Some((start, end)), "{}", text);
                prop_assert!(next_word(&run, end).is_none() && !is_left_alone(&text), "{}", text);
            }
        }

        #[test]
        fn words_stand_in_order_inside_their_run_and_begin_and_end_with_letters_or_digits(text in "\\PC{1,24}") {
            let (end, _) = field_end(&text, 0);
            let run = NonSpaceRun { text: &text, start: 0, end, base: 0 };
            let mut at = 0;
            while let Some((start, end)) = next_word(&run, at) {
                prop_assert!(at <= start && start < end && end <= run.end, "{:?}", text);
                let word = &text[start..end];
                prop_assert!(word.starts_with(char::is_alphanumeric), "{:?}", word);
                prop_assert!(word.ends_with(|c: char| c.is_alphanumeric() || is_joiner(c)), "{:?}", word);
                at = end;
            }
        }
    }
}
