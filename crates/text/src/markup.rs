//! Mark-up in running text: tags that separate words, and tags inside a word.

use std::borrow::Cow;

use unicode_normalization::char::compose;

use super::locale::is_joiner;

/// The largest number of characters from `<` to the end of a tag. (With a limit in bytes, a change
/// of case could turn text into a tag.)
pub const MAX_TAG: usize = 1024;

/// The largest number of characters in the name of an entity.
const LONGEST_ENTITY: usize = 10;

/// The result of looking for a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagMatch {
    None,
    /// A tag that ends at this byte.
    Ends(usize),
    /// A tag that does not end in the available text.
    Open,
}

/// Looks for a mark-up tag at byte `at`: `<i>`, `</v>`, `{\an8}` or `{y:i}` as in subtitles. Only
/// an HTML or XML tag may continue on another line, if lines belong together (`crosses`). `goes_on`
/// is true if more text follows.
#[inline]
pub(super) fn tag_end(text: &str, at: usize, goes_on: bool, crosses: bool) -> TagMatch {
    match text.as_bytes()[at] {
        b'<' | b'{' if opens_tag(text, at) => open_tag_end(text, at, goes_on, crosses),
        _ => TagMatch::None,
    }
}

fn open_tag_end(text: &str, at: usize, goes_on: bool, crosses: bool) -> TagMatch {
    let (open, close) = if text.as_bytes()[at] == b'<' { ('<', '>') } else { ('{', '}') };
    let is_code = open == '{' && text.as_bytes().get(at + 1) != Some(&b'\\');
    let mut inside = text[at + 1..].char_indices();
    let ends = |c: char| c == close || c == open || c == '\n' || is_code && c.is_whitespace();
    match inside.by_ref().take(MAX_TAG).find(|&(_, c)| ends(c)) {
        Some((len, c)) if c == close => TagMatch::Ends(at + 1 + len + 1),
        Some((_, '\n')) if crosses && open == '<' => match markup_len(&text[at..]) {
            Markup::Ends(len) => TagMatch::Ends(at + len),
            Markup::Open if goes_on => TagMatch::Open,
            _ => TagMatch::None,
        },
        None if goes_on && inside.next().is_none() => TagMatch::Open,
        _ => TagMatch::None,
    }
}

/// Returns true if a tag may begin at byte `at`. After `<`, a letter of any script begins a tag, so that a Turkish
/// `<İ` is read like its lower case. For the same reason, `{I:` begins no code of subtitles; no such code has this
/// letter.
#[inline]
pub(super) fn opens_tag(text: &str, at: usize) -> bool {
    match text.as_bytes()[at] {
        b'<' => text[at + 1..].starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '!' | '?')),
        b'{' => match text.as_bytes()[at + 1..] {
            [b'\\', ..] => true,
            [letter, b':', ..] => letter.is_ascii_alphabetic() && !letter.eq_ignore_ascii_case(&b'i'),
            _ => false,
        },
        _ => false,
    }
}

/// The extent of an HTML or XML tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markup {
    No,
    /// A tag of this many bytes.
    Ends(usize),
    /// A tag that the end of the text cuts off.
    Open,
}

/// Reads a tag with a name and attributes with values (`<p class="a" id=b>`), or a comment, over any number of
/// lines, none of them empty.
fn markup_len(text: &str) -> Markup {
    let mut chars = text.char_indices().enumerate().peekable();
    let is_comment = text.starts_with("<!--");
    let mut state = MarkupState::Name;
    let mut is_empty = false;
    chars.next();
    for (count, (at, c)) in chars {
        if count > MAX_TAG {
            return Markup::No;
        }
        if c == '\n' && std::mem::replace(&mut is_empty, true) {
            return Markup::No;
        }
        is_empty &= c.is_whitespace();
        state = match (state, c) {
            (_, '<') => return Markup::No,
            (_, '>') if is_comment => return Markup::Ends(at + 1),
            _ if is_comment => MarkupState::Name,
            (MarkupState::Quoted(quote), c) if c == quote => MarkupState::Between,
            (MarkupState::Quoted(quote), _) => MarkupState::Quoted(quote),
            (MarkupState::Name | MarkupState::Between | MarkupState::Closed | MarkupState::Value, '>') => {
                return Markup::Ends(at + 1);
            }
            (MarkupState::Name, '/' | '?' | '!') if at == 1 => MarkupState::Name,
            (MarkupState::Name | MarkupState::Between | MarkupState::Value, '/' | '?') => MarkupState::Closed,
            (MarkupState::Name, c) if is_name(c) => MarkupState::Name,
            (MarkupState::Name | MarkupState::Between, c) if c.is_whitespace() => MarkupState::Between,
            (MarkupState::Between | MarkupState::Attribute, c) if is_name(c) => MarkupState::Attribute,
            (MarkupState::Attribute | MarkupState::Named, c) if c.is_whitespace() => MarkupState::Named,
            (MarkupState::Attribute | MarkupState::Named, '=') => MarkupState::Equals,
            (MarkupState::Equals, c) if c.is_whitespace() => MarkupState::Equals,
            (MarkupState::Equals, quote @ ('"' | '\'')) => MarkupState::Quoted(quote),
            (MarkupState::Value, c) if c.is_whitespace() => MarkupState::Between,
            (MarkupState::Equals | MarkupState::Value, _) => MarkupState::Value,
            _ => return Markup::No,
        };
    }
    Markup::Open
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkupState {
    /// In the name of the tag.
    Name,
    /// Before an attribute.
    Between,
    /// In the name of an attribute.
    Attribute,
    /// After the name of an attribute.
    Named,
    /// Before a value.
    Equals,
    Quoted(char),
    /// In a value without quotes.
    Value,
    /// After the slash of an empty element.
    Closed,
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')
}

/// Returns the number of bytes, at most `end`, that can be read before more text arrives. The first `end` bytes are
/// whole lines, but a tag may continue after them, and all lines of a tag must be read together. `ended` is true if
/// nothing follows the text. A line that begins inside a tag opens no other tag that continues.
pub fn whole_lines(text: &[u8], end: usize, ended: bool) -> usize {
    let mut start = 0;
    // A search over many bytes at a time.
    if !text[..end].contains(&b'<') {
        return end;
    }
    while start < end {
        let Some(open) = text[start..end].iter().position(|&b| b == b'<') else { return end };
        let line =
            text[start..start + open].iter().rposition(|&b| b == b'\n').map_or(start, |at| start + at + 1);
        let line_end =
            |from: usize| text[from..end].iter().position(|&b| b == b'\n').map(|len| from + len + 1);
        let Some(next) = line_end(line) else { return end };
        start = match tag_over_lines(&text[line..next], text, line, ended) {
            None => next,
            Some(Markup::Ends(tag_end)) if let Some(next) = line_end(tag_end.min(end)) => next,
            Some(_) => return line,
        };
    }
    end
}

/// Finds the tag that opens on this line, which begins at byte `start` of the text, and continues
/// after it; returns the extent of the tag in the text.
fn tag_over_lines(line: &[u8], text: &[u8], start: usize, ended: bool) -> Option<Markup> {
    let at = line.iter().rposition(|b| matches!(b, b'<' | b'>')).filter(|&at| line[at] == b'<')?;
    let tag = &text[start + at..text.len().min(start + at + 4 * (MAX_TAG + 1))];
    let mut valid = String::with_capacity(tag.len());
    for chunk in tag.utf8_chunks() {
        valid.push_str(chunk.valid());
        valid.extend(chunk.invalid().iter().map(|_| super::tokenize::NO_TEXT as char));
    }
    match markup_len(&valid) {
        _ if !opens_tag(&valid, 0) => None,
        Markup::Ends(len) => Some(Markup::Ends(start + at + len)),
        Markup::Open if !ended || start + at + tag.len() < text.len() => Some(Markup::Open),
        _ => None,
    }
}

/// The tags of HTML and of subtitles that a word may contain: `h<i>e</i>llo`. Others separate
/// words, as `<br>` does.
const INLINE: &str = "a abbr b big c cite code del em emph font hi i ins kbd lang mark q ruby s small span strike \
    strong sub sup tt tts u w";

/// Returns true if a word continues after this tag.
pub fn is_inline(tag: &str) -> bool {
    let Some(name) = tag.strip_prefix('<') else { return true };
    let name = name.strip_prefix('/').unwrap_or(name);
    let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
    INLINE.split(' ').any(|inline| inline.eq_ignore_ascii_case(name))
}

/// Returns true if nothing but tags is between two parts of a word: its mark-up, and the times of its
/// syllables, such as `<00:01.500>`.
pub fn is_inside_word(before: &str, between: &str, after: &str) -> bool {
    let mut rest = between;
    while let Some(close) = rest.chars().next().and_then(closing) {
        let Some(len) = rest.find(close).map(|at| at + close.len_utf8()) else { return false };
        if !(is_inline(&rest[..len]) || rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            return false;
        }
        rest = &rest[len..];
    }
    let is_inner = |c: char| c.is_alphanumeric();
    between.len() > 2 && rest.is_empty() && before.ends_with(is_inner) && after.starts_with(is_inner)
}

/// Returns the bracket that closes a tag opened by the bracket `open`.
fn closing(open: char) -> Option<char> {
    match open {
        '<' => Some('>'),
        '{' => Some('}'),
        _ => None,
    }
}

/// Returns the last run of words in a text without white space, with the tags inside words removed. Other tags
/// separate runs: `we<i>.no`.
pub(super) fn last_joined(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '{']) {
        return Cow::Borrowed(text);
    }
    let (mut run, mut at) = (String::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let (mut end, mut joins) = (at, run.ends_with(char::is_alphanumeric));
        while end < text.len()
            && let TagMatch::Ends(tag_end) = tag_end(text, end, false, false)
        {
            joins &= is_inline(&text[end..tag_end]);
            end = tag_end;
        }
        if end == at {
            run.push(c);
            at += c.len_utf8();
            continue;
        }
        if end < text.len() && !(joins && text[end..].starts_with(char::is_alphanumeric)) {
            run.clear();
        }
        at = end;
    }
    Cow::Owned(run)
}

/// Returns a word without the tags inside it and, if a hyphen divides it, without the text between its two lines.
/// Entities and TeX accents are replaced with their letters.
pub fn untagged(word: &str) -> Cow<'_, str> {
    if !word.contains(['<', '{', '\n', '\\', '&']) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(tagged_letters(word).filter_map(|(_, letter)| letter).collect())
}

/// Appends `word` with its tags, but with the letters of `plain`, which is the same word without tags and in another
/// case.
pub(super) fn retagged(word: &str, plain: &str, out: &mut String) {
    let mut plain = plain.chars();
    for (source, letter) in tagged_letters(word) {
        match letter.and_then(|_| plain.next()) {
            Some(new) if source.starts_with(['&', '\\']) && letter != Some(new) => {
                push_escaped(source, new, out)
            }
            Some(new) if letter != Some(new) => out.push(new),
            _ => out.push_str(source),
        }
    }
}

/// Iterates over the parts of a word, each with the letter that it represents. Parts of tags have no letter. The text
/// between two lines has none either: the escape `\N`, and everything from the first line feed to the last. A bracket
/// inside a tag opens no other tag: `<i{}>`.
fn tagged_letters(word: &str) -> impl Iterator<Item = (&str, Option<char>)> + '_ {
    let feeds = word.find('\n').zip(word.rfind('\n'));
    let (mut close, mut is_escape, mut end) = (None, false, 0);
    std::iter::from_fn(move || {
        let at = end;
        let c = word[at..].chars().next()?;
        end += c.len_utf8();
        if feeds.is_some_and(|(first, last)| (first..=last).contains(&at)) {
            return Some((&word[at..end], None));
        }
        let was_inside = close.is_some() || std::mem::take(&mut is_escape);
        if !was_inside && let Some((len, letter)) = escaped_letter(&word[at..], true) {
            end = at + len;
            return Some((&word[at..end], Some(letter)));
        }
        is_escape = !was_inside && c == '\\';
        close = match close {
            None if !was_inside => closing(c),
            Some(end) if end == c => None,
            _ => close,
        };
        let is_tag = was_inside || is_escape || close.is_some();
        Some((&word[at..end], (!is_tag).then_some(c)))
    })
}

/// The accents of letters: in the name of an entity (`&eacute;`), after a backslash in TeX (`\'e`), and as a
/// combining mark.
const ACCENTS: [(&str, char, char); 13] = [
    ("grave", '`', '\u{300}'),
    ("acute", '\'', '\u{301}'),
    ("circ", '^', '\u{302}'),
    ("tilde", '~', '\u{303}'),
    ("macr", '=', '\u{304}'),
    ("breve", 'u', '\u{306}'),
    ("dot", '.', '\u{307}'),
    ("uml", '"', '\u{308}'),
    ("ring", 'r', '\u{30a}'),
    ("dblac", 'H', '\u{30b}'),
    ("caron", 'v', '\u{30c}'),
    ("cedil", 'c', '\u{327}'),
    ("ogon", 'k', '\u{328}'),
];

/// Other entities inside words: their names, their characters, and the letter of the name that shows their case.
const ENTITIES: [(&str, char, usize); 11] = [
    ("oslash", 'ø', 0),
    ("lstrok", 'ł', 0),
    ("dstrok", 'đ', 0),
    ("aelig", 'æ', 1),
    ("oelig", 'œ', 1),
    ("eth", 'ð', 1),
    ("thorn", 'þ', 1),
    ("szlig", 'ß', 0),
    ("apos", '\'', 0),
    ("rsquo", '’', 0),
    ("shy", '\u{ad}', 0),
];

/// Reads the entity, or with `is_tex` the TeX letter with an accent, that a text begins with. Returns its length and
/// the character that it represents, if this may be inside a word. The case of the other letters in its name is
/// ignored.
pub(super) fn escaped_letter(text: &str, is_tex: bool) -> Option<(usize, char)> {
    let accented = |letter: u8, accent: char| {
        compose(char::from(letter), accent).filter(|_| letter.is_ascii_alphabetic())
    };
    if let [b'\\', accent, rest @ ..] = text.as_bytes()
        && is_tex
    {
        let &(_, known, accent) = ACCENTS.iter().find(|(_, known, _)| *known == char::from(*accent))?;
        return match *rest {
            [b'{', letter, b'}', ..] => Some((5, accented(letter, accent)?)),
            [letter, ..] if !known.is_alphabetic() => Some((3, accented(letter, accent)?)),
            _ => None,
        };
    }
    let name = text.strip_prefix('&')?;
    let len =
        name.bytes().take(LONGEST_ENTITY).take_while(|b| b.is_ascii_alphanumeric() || *b == b'#').count();
    let name = Some(&name[..len]).filter(|_| len > 1 && name[len..].starts_with(';'))?;
    let letter = if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        char::from_u32(hex.map_or_else(|| number.parse(), |hex| u32::from_str_radix(hex, 16)).ok()?)?
    } else if let Some((_, small, at)) = ENTITIES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))
    {
        let is_capital = name.as_bytes()[*at].is_ascii_uppercase();
        if is_capital { small.to_uppercase().next()? } else { *small }
    } else {
        let (_, _, accent) = ACCENTS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(&name[1..]))?;
        accented(name.as_bytes()[0], *accent)?
    };
    (letter.is_alphabetic() || is_joiner(letter) || matches!(letter, '\'' | '’' | '‑'))
        .then_some((len + 2, letter))
}

/// Appends `source`, an entity or a TeX letter, with the case of one letter changed if it then represents `letter`,
/// and unchanged otherwise.
fn push_escaped(source: &str, letter: char, out: &mut String) {
    let at = source.bytes().rposition(|b| source.starts_with('\\') && b.is_ascii_alphabetic()).unwrap_or(1);
    let mut changed = source.to_owned();
    if let Some(c) = changed.get_mut(at..=at) {
        let is_upper = c.bytes().all(|b| b.is_ascii_uppercase());
        if is_upper { c.make_ascii_lowercase() } else { c.make_ascii_uppercase() }
    }
    let is_changed = escaped_letter(&changed, true) == Some((source.len(), letter));
    out.push_str(if is_changed && !source.starts_with("&#") { &changed } else { source });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_over_lines_are_written_as_mark_up_is() {
        for tag in [
            "<p class=\"a b\"\n  xml:id='s1' lang=en>",
            "<br\n/>",
            "<a href = \"x\n y\">",
            "<!-- so it\nis -->",
            "</p\n>",
            "<?xml version=\"1\"\n?>",
        ] {
            assert_eq!(tag_end(&format!("{tag}so"), 0, false, true), TagMatch::Ends(tag.len()), "{tag}");
            assert_eq!(tag_end(tag, 0, false, false), TagMatch::None);
            for end in (2..tag.len()).filter(|&end| tag.is_char_boundary(end)) {
                assert_eq!(tag_end(&tag[..end], 0, true, true), TagMatch::Open, "{}", &tag[..end]);
            }
        }
        for text in ["<b and\nthen>", "<i never\nclosed", "<p a=\"\n\n\">", "<a\n<b>", "<p =\n>"] {
            assert_eq!(tag_end(text, 0, false, true), TagMatch::None, "{text}");
        }
        let long = |letters: usize| format!("<p\na={}>", "x".repeat(letters));
        assert_eq!(tag_end(&long(MAX_TAG - 5), 0, false, true), TagMatch::Ends(MAX_TAG + 1));
        assert_eq!(tag_end(&long(MAX_TAG - 4), 0, false, true), TagMatch::None);
        assert_eq!(tag_end("{y:i}", 0, false, false), TagMatch::Ends(5));
        assert_eq!(tag_end("{y: i}", 0, false, false), TagMatch::None);
        for not_a_code in ["{I:", "{i:", "{ı:", "{İ:"] {
            assert!(!opens_tag(not_a_code, 0), "{not_a_code}");
        }
    }

    #[test]
    fn lines_wait_for_the_end_of_a_tag() {
        let find = |text: &str, end: usize| whole_lines(text.as_bytes(), end, false);
        assert_eq!(find("so\nwe <p a=b\n", 13), 3);
        assert_eq!(find("so\nwe <p a=b\nc=d> x", 13), 3);
        assert_eq!(find("so\nwe <p a=b\nc=d> x\nso\n", 23), 23);
        assert_eq!(find("so\nwe <p a b\n", 13), 13);
        assert_eq!(find("so\nwe <p a=b\nc=d> <x\n", 21), 21);
        assert_eq!(find("so\nwe <p a=b\nc=d> <x\n<y\n", 24), 21);
        assert_eq!(whole_lines(b"so\nwe <p a=b\n", 13, true), 13);
    }

    #[test]
    fn tags_inside_words_join_and_others_part() {
        for (text, run) in [
            ("h<i>e</i>llo", "hello"),
            ("we<i>.no", ".no"),
            ("we<br>no</i><b>", "no"),
            ("we<i><b>no!</b>", "weno!"),
            ("a<b", "a<b"),
            ("we", "we"),
        ] {
            assert_eq!(last_joined(text), run);
        }
    }

    #[test]
    fn a_word_has_its_letters_between_tags() {
        assert_eq!(untagged("h<i>e</i>l{\\b1}lo"), "hello");
        assert_eq!(untagged("h<i{}a>e{\\b<}l"), "hel");
        assert_eq!(untagged("lon-\n\n<b\n1 --> 2\nd<i>o</i>n"), "lon-don");
        assert_eq!(untagged("lon-\\Ndon"), "lon-don");
        let mut out = String::new();
        retagged("h<i>e</i>llo", "HELLO", &mut out);
        assert_eq!(out, "H<i>E</i>LLO");
    }

    #[test]
    fn entities_and_accents_are_letters_of_their_word() {
        for (word, plain, upper) in [
            ("caf&eacute;", "café", "CAF&Eacute;"),
            ("&#233;t&#xE9;s", "étés", "&#233;T&#xE9;S"),
            ("&aelig;on", "æon", "&aelig;ON"),
            ("n&apos;t", "n't", "N&apos;T"),
            ("re&shy;form", "re\u{ad}form", "RE&shy;FORM"),
            ("m\\\"unchen", "münchen", "M\\\"UNCHEN"),
            ("gar\\c{c}on", "garçon", "GAR\\c{C}ON"),
            ("M&UUML;<i>n</i>", "MÜn", "M&UUML;<i>N</i>"),
        ] {
            assert_eq!(untagged(word), plain);
            let mut out = String::new();
            retagged(word, &plain.to_uppercase(), &mut out);
            assert_eq!(out, upper);
            let mut back = String::new();
            retagged(&out, plain, &mut back);
            assert_eq!(back, word);
        }
        for text in [
            "&amp;",
            "&lt;",
            "&quot;",
            "&x;",
            "&eacute",
            "&#32;",
            "&;",
            "&e acute;",
            "\\N",
            "\\\"{uu}",
            "\\cc",
        ] {
            assert_eq!(escaped_letter(text, true), None, "{text}");
        }
        assert_eq!(escaped_letter("\\\"u", false), None);
    }
}
