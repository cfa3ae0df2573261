//! Recognises the label of a speaker at the beginning of a line: `Bob:`, `Dr. Reis:`, `Q.`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::case::Case;
use super::language::Language;
use super::line_opening::Scan;
use super::locale::{folded, is_joiner};
use super::time_stamp::time_stamp;

/// The largest number of words in the name of a speaker, in the names of several speakers, and in a name after a time
/// stamp.
const LONGEST_NAME: usize = 3;
const LONGEST_NAMES: usize = 4;
const LONGEST_TIMED_NAME: usize = 6;

/// The largest number of characters in a word with a full stop in a name: `Prof.`
const LONGEST_TITLE: usize = 5;

/// The largest number of characters in a label, so that live text waits for no more.
const LONGEST_LABEL: usize = 100;

/// The lists that contain a word in lower case, as a set of bits.
type Known = u8;
const NAME: Known = 1;
const TITLE: Known = 2;
const ROLE: Known = 4;
const PARTICLE: Known = 8;
const KEY: Known = 16;
const NUMBER: Known = 32;
const ARTICLE: Known = 64;
const FUNCTION: Known = 128;

static KNOWN: LazyLock<FxHashMap<String, Known>> = LazyLock::new(|| {
    // A name such as McDonald is left to the method.
    let is_title = |name: &&str| !name.starts_with('#') && !name.chars().skip(1).any(char::is_uppercase);
    let names = majuscule_lexicons::NAMES.lines().filter(is_title);
    let mut known: FxHashMap<String, Known> = names.map(|name| (name.to_lowercase(), NAME)).collect();
    for language in Language::ALL {
        let (words, functions) = (&language.speaker_words, language.function_words.as_ref());
        let functions = functions.map_or([""; 4], |it| [it.bound, it.close, it.objects, it.conjunctions]);
        let kinds = [
            (words.names, NAME),
            (words.titles, TITLE),
            (words.roles, ROLE),
            (words.particles, PARTICLE),
            (words.keys, KEY),
            (words.numbers, NUMBER),
            (words.articles, ARTICLE),
        ];
        for (list, kind) in kinds.into_iter().chain(functions.map(|list| (list, FUNCTION))) {
            list.split_ascii_whitespace().for_each(|word| *known.entry(word.to_owned()).or_default() |= kind);
        }
    }
    known
});

/// Returns a name with its case folded.
fn lower(name: &str) -> String {
    name.chars().map(folded).collect()
}

fn known(word: &str) -> Known {
    let is_number = word.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit());
    KNOWN.get(word).copied().unwrap_or_default() | if is_number { NUMBER } else { 0 }
}

fn is(word: &str, kinds: Known) -> bool {
    known(word) & kinds != 0
}

/// Returns the lists that contain each word of a name.
fn known_words(name: &str) -> Vec<Known> {
    let words = name.split([' ', '_']).map(|word| word.trim_end_matches('.'));
    words.filter(|word| !word.is_empty()).map(known).collect()
}

/// The evidence before a label that its line is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LabelContext {
    /// True if the label follows a time stamp on its line.
    pub(super) is_timed: bool,
    /// True if the line before has nothing but a time stamp.
    pub(super) is_below_time: bool,
    /// True if a line shortly before has a label.
    pub(super) is_dialogue: bool,
    /// True if the text has a label `Q.`
    pub(super) asks: bool,
}

/// Returns the length of the label of a speaker at the beginning of a text: `MAN:`, `MAN (ON TV):`,
/// `ANA, BOB:`.
pub fn name_len(text: &str) -> Option<usize> {
    let (whole, text) = (text, label_part(text));
    let len = text.find(|c| !is_inside(c))?;
    let (mut name, mut rest) = text.split_at(len);
    if rest.starts_with(['(', '[']) && name.ends_with(' ') {
        name = name.trim_end();
        // `we left. [MAN]: so`
        if name.ends_with('.') {
            return None;
        }
        rest = &rest[rest.find([')', ']'])? + 1..];
    }
    let rest = rest.strip_prefix(':')?;
    let is_name = name.contains(char::is_alphabetic)
        && is_named(name, LONGEST_NAME)
        && (names(name).nth(1).is_none() || are_speakers(name, true));
    let len = text.len() - rest.len();
    (is_name && ends_label(&whole[len..])).then_some(len)
}

/// Returns the part of a text that may be a label.
fn label_part(text: &str) -> &str {
    text.char_indices().nth(LONGEST_LABEL).map_or(text, |(at, _)| &text[..at])
}

/// Returns the name in a label: `MAN` in `MAN (ON TV):` and `[MAN]:`.
pub fn name_in(label: &str) -> &str {
    let name = label.split([')', ']']).next().unwrap_or(label).trim_start_matches(['(', '[']);
    name.split([':', '(', '[']).next().unwrap_or(name).trim_end()
}

fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || is_joiner(c) || " .'’-#&_,".contains(c)
}

/// Returns the names in a label of several speakers.
fn names(name: &str) -> impl Iterator<Item = &str> {
    name.split(", ").flat_map(|names| names.split(" & "))
}

/// Returns true if `name` has the form of a name: at most `longest` words, none of them with a full stop that may end
/// a sentence. Names of several speakers have this form too, with at most `LONGEST_NAMES` words.
fn is_named(name: &str, longest: usize) -> bool {
    let is_stopped = |word: &str| word.ends_with('.') && word.chars().count() > LONGEST_TITLE;
    let is_word =
        |word: &str| word.contains(char::is_alphanumeric) && !word.contains(',') && !is_stopped(word);
    let longest = if names(name).nth(1).is_some() { LONGEST_NAMES } else { longest };
    let words = || names(name).flat_map(|name| name.split(' '));
    name.starts_with(char::is_alphanumeric) && words().count() <= longest && words().all(is_word)
}

/// Returns true if several names are names of speakers according to the lists; in `cues`, where a colon
/// after few words is evidence enough, any word except a function word counts as a name: `so, he: no`.
fn are_speakers(name: &str, cues: bool) -> bool {
    names(name).all(|name| are_linked_speakers(&known_words(&lower(name)), cues))
}

/// Returns true if words are the name of a speaker, or names with words between them: `Ana, Bob and Rui`.
fn are_linked_speakers(words: &[Known], cues: bool) -> bool {
    let context = LabelContext { is_dialogue: cues, ..LabelContext::default() };
    let is_one = |words: &[Known]| {
        let is_word_of_grammar =
            matches!(words, [word] if word & FUNCTION != 0 && word & (NAME | TITLE | ROLE) == 0);
        is_speaker(words, context) && !is_word_of_grammar
    };
    let mut parts = words.split(|word| word & PARTICLE != 0).filter(|words| !words.is_empty()).peekable();
    is_one(words) || parts.peek().is_some() && parts.all(is_one)
}

fn ends_label(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(char::is_whitespace) || rest.starts_with('<')
}

/// Looks for the label of a speaker at the beginning of `line`, the part of a line that has arrived so far;
/// `is_whole` is true if the line is complete.
pub(super) fn speaker_label(line: &str, is_whole: bool, context: LabelContext) -> Scan {
    let (line, is_whole) = (label_part(line), is_whole || label_part(line).len() < line.len());
    let looks: [fn(&str, bool, LabelContext) -> Scan; 5] =
        [chat_nick, quoted_label, zoom_label, letter_label, named_label];
    let mut is_open = false;
    for look in looks {
        match look(line, is_whole, context) {
            Scan::No => {}
            Scan::Open => is_open = true,
            found => return found,
        }
    }
    if is_open { Scan::Open } else { Scan::No }
}

/// Finds `<ana>`, the nick of a chat, which is not mark-up.
fn chat_nick(line: &str, is_whole: bool, context: LabelContext) -> Scan {
    let Some(rest) = line.strip_prefix('<') else { return Scan::No };
    let nick = |c: char| c.is_alphanumeric() || "_-[]\\`^{}|@+%~ ".contains(c);
    let Some(len) = rest.find(|c| !nick(c)) else { return Scan::open(!is_whole) };
    let is_nick = rest[len..].starts_with('>')
        && rest[..len].trim_start_matches(['@', '+', '%', '~', ' ']).starts_with(char::is_alphanumeric);
    let is_known = context.is_timed || context.is_dialogue || is(&lower(&rest[..len]), NAME);
    let after = rest.get(len + 1..).unwrap_or_default();
    match is_nick && is_known {
        true if after.is_empty() => Scan::open(!is_whole),
        is_label => Scan::found(is_label && after.starts_with(' '), len + 2),
    }
}

/// Finds a label after `>>`, the mark of a speaker in captions.
fn quoted_label(line: &str, is_whole: bool, context: LabelContext) -> Scan {
    let name = line.trim_start_matches('>');
    let marks = line.len() - name.len();
    if !(1..=3).contains(&marks) {
        return Scan::No;
    }
    let name = name.trim_start_matches(' ');
    if name.is_empty() {
        return Scan::open(!is_whole);
    }
    named_label(name, is_whole, LabelContext { is_timed: context.is_timed || marks > 1, ..context })
        .behind(line.len() - name.len())
}

/// Finds `From Ana Reis to Everyone :`, as Zoom writes after a time.
fn zoom_label(line: &str, is_whole: bool, context: LabelContext) -> Scan {
    if !context.is_timed || !line.get(..5).is_some_and(|from| from.eq_ignore_ascii_case("from ")) {
        return Scan::No;
    }
    match line.match_indices(':').find(|(at, _)| ends_label(&line[at + 1..])) {
        Some((at, _)) if is_whole || line.len() > at + 1 => Scan::Found(at + 1),
        _ => Scan::open(!is_whole),
    }
}

/// Finds the letters of a court's transcript, with the number of the line before them: `Q.`, `12 A.`
fn letter_label(line: &str, is_whole: bool, context: LabelContext) -> Scan {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let letter = line[digits..].trim_start_matches([' ', '\t']);
    let at = line.len() - letter.len();
    if digits > 2 || digits > 0 && at < digits + 2 {
        return Scan::open(!is_whole && digits <= 2 && letter.is_empty());
    }
    let Some(c) = letter.chars().next() else { return Scan::No };
    let is_letter = c.eq_ignore_ascii_case(&'q') || c.eq_ignore_ascii_case(&'a') && context.asks;
    let after = &letter[c.len_utf8()..];
    if !is_letter {
        return Scan::No;
    }
    let (marks, rest) = after.split_at(usize::from(after.starts_with(['.', ':'])));
    let is_apart = rest.starts_with('\t') || rest.starts_with("  ");
    match rest.chars().next() {
        None | Some(' ') if !is_whole && rest.len() < 2 => Scan::Open,
        Some(next) => Scan::found(
            next.is_whitespace() && (!marks.is_empty() || is_apart),
            at + c.len_utf8() + marks.len(),
        ),
        None => Scan::found(!marks.is_empty(), at + c.len_utf8() + marks.len()),
    }
}

/// Finds a name with a colon (`Bob:`, `**Bob:**`, `Bob (0:07):`), or a name with a time at the end of the line
/// (`Speaker 1  0:07`). A line with a name only may be a user after a time (`ana#1234`), or a numbered role below a
/// time (`Speaker 1`).
fn named_label(line: &str, is_whole: bool, context: LabelContext) -> Scan {
    let bold = line.len() - line.trim_start_matches(['*', '_']).len();
    let (marks, text) = line.split_at(bold);
    let longest = if context.is_timed { LONGEST_TIMED_NAME } else { LONGEST_NAME };
    let text = text.strip_prefix(['@', '+']).unwrap_or(text);
    let start = line.len() - text.len();
    let end = text.find(|c| !is_inside(c)).unwrap_or(text.len());
    let name = text[..end].trim_end_matches([' ', '_']);
    let has_shape =
        |name: &str| (name.contains(char::is_alphabetic) || context.is_timed) && is_named(name, longest);
    let is_name = |name: &str| {
        let is_one = names(name).nth(1).is_none();
        has_shape(name)
            && if is_one {
                is_speaker(&known_words(&lower(name)), context)
            } else {
                are_speakers(name, false)
            }
    };
    let is_alone = context.is_timed && is_user(name) || context.is_below_time && is_numbered_role(name);
    if is_alone && is_whole && matches!(text[name.len()..].trim(), "" | PINNED) {
        return Scan::Found(line.trim_end().len());
    }
    if end == text.len() {
        let begun = name.trim_end_matches([' ', ',', '&']);
        let mut done: Vec<&str> = names(text).collect();
        done.pop();
        let are_known = || done.iter().all(|name| are_speakers(name, false));
        let goes_on = begun.is_empty() || is_named(begun, longest) && are_known();
        return match timed_name_len(text, is_whole, is_name) {
            Scan::No => Scan::open(!is_whole && goes_on),
            found => found.behind(start),
        };
    }
    if let found @ (Scan::Found(_) | Scan::Open) = timed_name_len(text, is_whole, is_name) {
        return found.behind(start);
    }
    if !is_name(name) {
        return Scan::No;
    }
    // The text between the name and its colon.
    let mut rest = text[end..].trim_start_matches(' ');
    if bold > 0 {
        if rest.len() < bold && marks.starts_with(rest) {
            return Scan::open(!is_whole);
        }
        rest = rest.strip_prefix(marks).unwrap_or(rest);
    }
    if rest.starts_with(['(', '[']) {
        if name.ends_with('.') {
            return Scan::No;
        }
        match rest.find([')', ']']) {
            Some(close) => rest = &rest[close + 1..],
            None => return Scan::open(!is_whole),
        }
    }
    if rest.is_empty() {
        return Scan::open(!is_whole);
    }
    let Some(mut rest) = rest.strip_prefix(':') else { return Scan::No };
    if bold > 0 {
        if rest.is_empty() && !is_whole || rest.len() < bold && marks.starts_with(rest) && !is_whole {
            return Scan::Open;
        }
        rest = rest.strip_prefix(marks).unwrap_or(rest);
    }
    if rest.is_empty() && !is_whole {
        return Scan::Open;
    }
    Scan::found(ends_label(rest), line.len() - rest.len())
}

/// Finds a name with a time, at least two blanks apart, that ends the line.
fn timed_name_len(text: &str, is_whole: bool, is_name: impl Fn(&str) -> bool) -> Scan {
    let gap = ["  ", "\t", " (", " ["].iter().filter_map(|gap| text.find(gap)).min();
    let Some(at) = gap.filter(|&at| is_name(&text[..at])) else { return Scan::No };
    let rest = text[at..].trim_start();
    if rest.is_empty() {
        return Scan::open(!is_whole);
    }
    match time_stamp(rest, is_whole) {
        Scan::Found(len) if rest[len..].trim().is_empty() && is_whole => {
            Scan::Found(text.len() - rest.len() + len)
        }
        Scan::Found(len) if rest[len..].trim().is_empty() => Scan::Open,
        Scan::Open => Scan::Open,
        _ => Scan::No,
    }
}

/// The note after the name of a user whose message is pinned.
const PINNED: &str = "(pinned)";

/// Returns true if a name is the name of a Discord user with its number: `ana#1234`.
pub(super) fn is_user(name: &str) -> bool {
    let number = name.trim_end_matches(PINNED).trim_end().rsplit_once('#').map(|(_, number)| number);
    number.is_some_and(|number| number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns true if a name is a role with a number: `Speaker 1`.
fn is_numbered_role(name: &str) -> bool {
    let lower = lower(name);
    let (first, last) = lower.split_once([' ', '_']).unwrap_or_default();
    is(first, ROLE) && is(last, NUMBER)
}

/// Returns true if, according to the lists, a name is the name of a speaker, and not the key of a list or
/// the beginning of a sentence. Case plays no part. `note: this` has the shape of `bob: this`, so a name
/// counts as one because of its context, a title or role, or a list of names.
fn is_speaker(words: &[Known], context: LabelContext) -> bool {
    if context.is_timed {
        return true;
    }
    let Some((first, rest)) = words.split_first() else { return false };
    let all = |kinds: Known| rest.iter().all(|word| word & kinds != 0);
    let is_first = |kinds: Known| first & kinds != 0;
    if is_first(KEY) {
        return false;
    }
    if is_first(TITLE) {
        return rest.iter().all(|word| word & (PARTICLE | KEY) == 0);
    }
    if is_first(ROLE) {
        return all(NAME | ROLE | NUMBER);
    }
    if is_first(ARTICLE) {
        let has_title = rest.first().is_some_and(|word| word & TITLE != 0);
        return has_title || !rest.is_empty() && all(ROLE | NUMBER);
    }
    if is_first(NAME) {
        return matches!(rest, [surname] if surname & KEY == 0) || all(NAME | NUMBER | PARTICLE);
    }
    // `UNIDENTIFIED WOMAN`, `male reporter 2`
    if rest.iter().any(|word| word & ROLE != 0) && all(ROLE | NUMBER) {
        return !is_first(PARTICLE);
    }
    rest.is_empty() && context.is_dialogue
}

/// Returns true if a colon after `name`, the first words of a line in lower case, may make a label of it.
pub(super) fn may_name(name: &str, is_timed: bool) -> bool {
    if is_timed {
        return name.split(' ').count() <= LONGEST_TIMED_NAME || name.starts_with("from ");
    }
    let context = LabelContext { is_dialogue: true, ..LabelContext::default() };
    let words = known_words(name);
    words.len() <= LONGEST_NAME && (is_speaker(&words, context) || is_letter(name)) || may_be_speakers(&words)
}

/// Returns true if words are the names of speakers, with commas between them.
fn may_be_speakers(words: &[Known]) -> bool {
    // Each name has a word in one of these lists.
    if words.iter().all(|word| word & (NAME | TITLE | ROLE) == 0) {
        return false;
    }
    (1..=words.len()).any(|end| {
        let (name, rest) = words.split_at(end);
        are_linked_speakers(name, false) && (rest.is_empty() || may_be_speakers(rest))
    })
}

/// Returns true if a word is a letter before the questions or answers of a court's transcript.
pub(super) fn is_letter(word: &str) -> bool {
    word.eq_ignore_ascii_case("q") || word.eq_ignore_ascii_case("a")
}

/// Returns the case of a word inside a speaker label, such as `Dr. Ana de la Cruz`; `None` if the lists do not
/// contain the word.
pub fn listed_case(lower: &str, is_first: bool) -> Option<Case> {
    if is(lower, PARTICLE) && !is_first {
        return Some(Case::Lower);
    }
    is(lower, NAME | TITLE | ROLE).then_some(Case::Title)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(line: &str, context: LabelContext) -> Option<&str> {
        match speaker_label(line, true, context) {
            Scan::Found(len) => Some(&line[..len]),
            _ => None,
        }
    }

    #[test]
    fn names_titles_and_roles_are_labels() {
        let plain = LabelContext::default();
        for (line, expected) in [
            ("Bob: hi", "Bob:"),
            ("ann: yes", "ann:"),
            ("SPEAKER 1: so", "SPEAKER 1:"),
            ("SPEAKER_00: so", "SPEAKER_00:"),
            ("Ms. Lopez: it is", "Ms. Lopez:"),
            ("the witness: no", "the witness:"),
            ("BY MR. SMITH:", "BY MR. SMITH:"),
            ("Q. did you", "Q."),
            ("Q.", "Q."),
            ("q: did you", "q:"),
            ("12   Q.  did you", "12   Q."),
            ("Q\tdid you", "Q"),
            ("**Bob:** hi", "**Bob:**"),
            ("**Bob**: hi", "**Bob**:"),
            ("Bob (0:07): hi", "Bob (0:07):"),
            ("Bob (host): hi", "Bob (host):"),
            ("bob, ann: hi", "bob, ann:"),
            ("Bob & Ann: hi", "Bob & Ann:"),
            ("Bob, Ann and Jim: hi", "Bob, Ann and Jim:"),
            ("Ana Reis: hi", "Ana Reis:"),
            ("Speaker 1  0:07", "Speaker 1  0:07"),
            ("ana reis  10:02 AM", "ana reis  10:02 AM"),
            ("Ana (0:07)", "Ana (0:07)"),
            (">> reporter: the", ">> reporter:"),
            (">> jmoreno: the", ">> jmoreno:"),
            ("Unidentified woman: so", "Unidentified woman:"),
        ] {
            assert_eq!(label(line, plain), Some(expected), "{line}");
            assert_eq!(label(&line.to_uppercase(), plain).map(str::len), Some(expected.len()), "{line}");
            for end in 1..expected.len() {
                let open = speaker_label(&line[..end], false, plain);
                assert_eq!(open, Scan::Open, "{}", &line[..end]);
            }
        }
    }

    #[test]
    fn an_aside_stands_behind_a_name_and_not_behind_a_sentence() {
        assert_eq!(name_len("WOMAN [over phone]: so"), Some(19));
        assert_eq!(name_len("we left. [MAN]: so"), None);
        assert_eq!(
            label("we left. [MAN]: so", LabelContext { is_dialogue: true, ..LabelContext::default() }),
            None
        );
    }

    #[test]
    fn a_colon_in_prose_makes_no_label() {
        for line in [
            "note: this is",
            "he said: no",
            "the answer: 42",
            "at 10:30 we",
            "Chapter 3: The End",
            "color: red",
            "http://a.b",
            "Dear all: so",
            "A. Smith came",
            "a. first",
            "so: no",
            "step 2: so",
            "he told bob: no",
            "next steps: we",
            "ingredients: milk",
            "we met at  10:30",
            "http: no",
            "Re: Ana",
            "<b> so",
            "the end: so",
            "Questions: none",
            "so, ann: hi",
            "ann, so: hi",
            // Words that stand between names are none by themselves.
            "the, and: we",
            "The, and : we",
            "bob",
            "bob said",
        ] {
            assert_eq!(label(line, LabelContext::default()), None, "{line}");
        }
    }

    #[test]
    fn times_and_other_labels_are_evidence() {
        let timed = LabelContext { is_timed: true, ..LabelContext::default() };
        for (line, expected) in [
            ("jmoreno: so", "jmoreno:"),
            ("From Ana Reis to Everyone : hi", "From Ana Reis to Everyone :"),
            ("<jm_> hi", "<jm_>"),
            ("+351 912 345 678: hi", "+351 912 345 678:"),
        ] {
            assert_eq!(label(line, timed), Some(expected));
        }
        assert_eq!(speaker_label("<jm", false, timed), Scan::Open);
        for line in ["ana#1234", "Cool Ana#0001", "ana#1234 (pinned)"] {
            assert_eq!(label(line, timed), Some(line));
        }
        assert_eq!(label("ana#123", timed), None);
        let below = LabelContext { is_below_time: true, ..LabelContext::default() };
        assert_eq!(
            ["speaker 1", "Locutor 2", "speaker", "bob", "we met 2"].map(|line| label(line, below)),
            [Some("speaker 1"), Some("Locutor 2"), None, None, None]
        );
        let dialogue = LabelContext { is_dialogue: true, ..LabelContext::default() };
        assert_eq!(label("jmoreno: so", dialogue), Some("jmoreno:"));
        assert_eq!(label("note: so", dialogue), None);
        // A Turkish `id` in capitals.
        assert_eq!(["id: so", "İD: so"].map(|line| label(line, dialogue)), [None, None]);
        assert_eq!(
            ["jim: so", "JİM: so"].map(|line| label(line, LabelContext::default())),
            [Some("jim:"), Some("JİM:")]
        );
        assert_eq!(label("A. yes", LabelContext { asks: true, ..LabelContext::default() }), Some("A."));
    }
}
