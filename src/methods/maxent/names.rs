//! Features by names that a person reads: `w=lisbon`, `b-=in_lisbon`.
//!
//! A name is the template's, `=`, and its parts with `_` between them, where a part is a word, letters or a number. In words, `%`,
//! `_`, `<`, `#` and white space stand as `%` and two hexadecimal digits for each byte; `<s>` and `</s>` are what lies beyond a
//! sentence. A feature of a template that has no name here is `h=` and its hash, so that every feature has a name and every
//! name gives its feature back.

use super::features::{REACH, Window, feature, hash, shape};
use crate::text::Tokens;

/// A template: its number, its name, and what fills it.
type Template = (u64, &'static str, Parts);

/// What fills a template; places count from the word, to the left below 0.
#[derive(Debug, Clone, Copy)]
enum Parts {
    /// Words at these places.
    Words(&'static [isize]),
    /// The first letters, so many.
    First(usize),
    /// The last ones.
    Last(usize),
    /// The shape of the word.
    Shape,
    /// The profiles of words at these places.
    Profiles(&'static [isize]),
    /// The marks at a place.
    Marks(isize),
}

const TEMPLATES: &[Template] = &[
    (0, "bias", Parts::Words(&[])),
    (1, "w", Parts::Words(&[0])),
    (2, "b-", Parts::Words(&[-1, 0])),
    (3, "b+", Parts::Words(&[0, 1])),
    (4, "t-", Parts::Words(&[-2, -1, 0])),
    (5, "t", Parts::Words(&[-1, 0, 1])),
    (6, "n-1", Parts::Words(&[-1])),
    (7, "n-2-1", Parts::Words(&[-2, -1])),
    (8, "n+1", Parts::Words(&[1])),
    (9, "n-1+1", Parts::Words(&[-1, 1])),
    (10, "n+1+2", Parts::Words(&[1, 2])),
    (11, "q-", Parts::Words(&[-3, -2, -1, 0])),
    (12, "s-", Parts::Words(&[-2, 0])),
    (13, "n-3", Parts::Words(&[-3])),
    (14, "n-2", Parts::Words(&[-2])),
    (15, "t+", Parts::Words(&[0, 1, 2])),
    (16, "s+", Parts::Words(&[0, 2])),
    (17, "n+2", Parts::Words(&[2])),
    (18, "n+3", Parts::Words(&[3])),
    (20, "first1", Parts::First(1)),
    (21, "first2", Parts::First(2)),
    (22, "first3", Parts::First(3)),
    (23, "first4", Parts::First(4)),
    (24, "last1", Parts::Last(1)),
    (25, "last2", Parts::Last(2)),
    (26, "last3", Parts::Last(3)),
    (27, "last4", Parts::Last(4)),
    (30, "shape", Parts::Shape),
    (40, "p", Parts::Profiles(&[0])),
    (41, "p-1", Parts::Profiles(&[-1, 0])),
    (42, "p+1", Parts::Profiles(&[0, 1])),
    (43, "p-1+1", Parts::Profiles(&[-1, 0, 1])),
    (44, "p+1+2", Parts::Profiles(&[0, 1, 2])),
    (50, "m", Parts::Marks(0)),
    (51, "m-1", Parts::Marks(-1)),
    (52, "m+1", Parts::Marks(1)),
    (100, "n-3-2-1", Parts::Words(&[-3, -2, -1])),
    (101, "q-+", Parts::Words(&[-2, -1, 0, 1])),
    (102, "q+", Parts::Words(&[-1, 0, 1, 2])),
    (103, "f", Parts::Words(&[-2, -1, 0, 1, 2])),
    (104, "q++", Parts::Words(&[0, 1, 2, 3])),
    (105, "n+1+2+3", Parts::Words(&[1, 2, 3])),
    (106, "p-3-2-1", Parts::Profiles(&[-3, -2, -1, 0])),
    (107, "p-2-1+1", Parts::Profiles(&[-2, -1, 0, 1])),
    (108, "p-1+1+2", Parts::Profiles(&[-1, 0, 1, 2])),
    (109, "p-2-1+1+2", Parts::Profiles(&[-2, -1, 0, 1, 2])),
];

/// The feature that every word has.
pub fn bias() -> u64 {
    feature(0, &[])
}

/// What a feature is called that has no name.
const UNNAMED: &str = "h=";

/// The names of features of one word, in their order. `words` are those of the window; what it holds beyond the ends of a
/// sentence is not looked at.
pub fn of(features: &[u64], words: &[&str; 2 * REACH + 1], window: &Window) -> Vec<String> {
    let templates: Vec<(u64, &Template)> = TEMPLATES
        .iter()
        .filter_map(|template| Some((feature(template.0, &values(template.2, words, window)?), template)))
        .collect();
    let name = |wanted: &u64| match templates.iter().find(|(found, _)| found == wanted) {
        Some((_, (_, name, parts))) => join(name, &texts(*parts, words, window)),
        None => format!("{UNNAMED}{wanted:016x}"),
    };
    features.iter().map(name).collect()
}

/// The words around one of `tokens`, as [`of`] takes them.
pub fn words(tokens: &Tokens, at: usize) -> [&str; 2 * REACH + 1] {
    std::array::from_fn(|place| match (at + place).checked_sub(REACH) {
        Some(at) if at < tokens.len() => tokens.lower(at),
        _ => "",
    })
}

/// The feature of a name; `None` where it is the name of none.
pub fn parse(name: &str) -> Option<u64> {
    if let Some(hash) = name.strip_prefix(UNNAMED) {
        return u64::from_str_radix(hash, 16).ok();
    }
    let (template, parts) = name.split_once('=').map_or((name, None), |(name, parts)| (name, Some(parts)));
    let (number, _, kind) = TEMPLATES.iter().find(|(_, name, _)| *name == template)?;
    let parts: Vec<&str> = parts.map_or(Vec::new(), |parts| parts.split('_').collect());
    let values: Vec<u64> = match kind {
        Parts::Words(places) if places.len() == parts.len() => {
            parts.iter().map(|part| word(part)).collect::<Option<_>>()?
        }
        Parts::First(_) | Parts::Last(_) if parts.len() == 1 => vec![word(parts[0])?],
        Parts::Shape if parts.len() == 3 => {
            let part = |at: usize| parts[at].parse::<u8>().ok().map(u64::from);
            vec![part(0)? << 16 | part(1)? << 8 | part(2)?]
        }
        Parts::Profiles(places) if places.len() == parts.len() => {
            parts.iter().map(|part| part.parse::<u16>().ok().map(u64::from)).collect::<Option<_>>()?
        }
        Parts::Marks(_) if parts.len() == 3 => {
            let starts = parts[2].parse::<bool>().ok()?;
            vec![mark(parts[0])? << 32 | mark(parts[1])? << 1 | u64::from(starts)]
        }
        _ => return None,
    };
    Some(feature(*number, &values))
}

fn at(place: isize) -> usize {
    REACH.wrapping_add_signed(place)
}

/// What fills a template, as it is hashed; `None` where nothing can.
fn values(parts: Parts, words: &[&str; 2 * REACH + 1], window: &Window) -> Option<Vec<u64>> {
    Some(match parts {
        Parts::Words(places) => places.iter().map(|&place| window[at(place)].hash).collect(),
        Parts::First(letters) => vec![hash(first(words[REACH], letters)?.as_bytes())],
        Parts::Last(letters) => vec![hash(last(words[REACH], letters)?.as_bytes())],
        Parts::Shape => vec![shape(words[REACH])],
        Parts::Profiles(places) => places.iter().map(|&place| window[at(place)].profile.into()).collect(),
        Parts::Marks(place) => vec![window[at(place)].marks],
    })
}

/// The same, as it is read.
fn texts(parts: Parts, words: &[&str; 2 * REACH + 1], window: &Window) -> Vec<String> {
    let word = |&place: &isize| match window[at(place)].hash {
        0 if place < 0 => "<s>".to_owned(),
        0 => "</s>".to_owned(),
        _ => escaped(words[at(place)]),
    };
    let letters = |letters: Option<&str>| vec![letters.map(escaped).unwrap_or_default()];
    match parts {
        Parts::Words(places) => places.iter().map(word).collect(),
        Parts::First(count) => letters(first(words[REACH], count)),
        Parts::Last(count) => letters(last(words[REACH], count)),
        Parts::Shape => {
            let shape = shape(words[REACH]);
            [shape >> 16, shape >> 8 & 255, shape & 255].map(|part| part.to_string()).to_vec()
        }
        Parts::Profiles(places) => {
            places.iter().map(|&place| window[at(place)].profile.to_string()).collect()
        }
        Parts::Marks(place) => {
            let marks = window[at(place)].marks;
            let mark = |code: u64| u32::try_from(code).ok().filter(|code| *code > 0).and_then(char::from_u32);
            let text =
                |code: u64| mark(code).map(|c| escaped(c.encode_utf8(&mut [0; 4]))).unwrap_or_default();
            vec![text(marks >> 32), text(marks >> 1 & 0x7fff_ffff), (marks & 1 == 1).to_string()]
        }
    }
}

fn first(word: &str, letters: usize) -> Option<&str> {
    let end = word.char_indices().nth(letters - 1).map(|(at, c)| at + c.len_utf8())?;
    Some(&word[..end])
}

fn last(word: &str, letters: usize) -> Option<&str> {
    let start = word.char_indices().rev().nth(letters - 1).map(|(at, _)| at)?;
    Some(&word[start..])
}

fn join(name: &str, parts: &[String]) -> String {
    if parts.is_empty() { name.to_owned() } else { format!("{name}={}", parts.join("_")) }
}

fn word(part: &str) -> Option<u64> {
    match part {
        "<s>" | "</s>" => Some(0),
        _ => Some(hash(unescaped(part)?.as_bytes())),
    }
}

fn mark(part: &str) -> Option<u64> {
    let text = unescaped(part)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (mark, None) => Some(mark.map_or(0, u64::from)),
        _ => None,
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '%' | '_' | '<' | '#') || c.is_whitespace() || c.is_control() {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| escaped += &format!("%{byte:02X}"));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::maxent::features::{Group, Seen, extract, window};
    use crate::text::Locale;
    use proptest::prelude::*;

    /// The features of each word of a text, and their names.
    fn both(texts: &[String], profiles: u16, look_ahead: usize) -> Vec<(Vec<u64>, Vec<String>)> {
        let tokens = Tokens::of_words(texts.iter().map(String::as_str), Locale::Root);
        let seen: Vec<Seen> = tokens
            .iter()
            .map(|(lower, token)| Seen::of(lower, token, profiles ^ lower.len() as u16))
            .collect();
        let mut features = Vec::new();
        (0..tokens.len())
            .map(|at| {
                let window = window(&seen, at);
                let named = [&Group::DEFAULT[..9], &[Group::Spans]].concat();
                extract(&named, tokens.lower(at), &window, look_ahead, &mut features);
                (features.clone(), of(&features, &words(&tokens, at), &window))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn a_name_gives_its_feature_back(
            words in prop::collection::vec("[a-z_%<#=é'\u{a0}.-]{1,7}", 1..6), profiles: u16, look_ahead in 0..=REACH,
        ) {
            for (features, names) in both(&words, profiles, look_ahead) {
                // Only how many words are seen has no name.
                let unnamed = names.iter().filter(|name| name.starts_with(UNNAMED)).count();
                prop_assert_eq!(unnamed, 1, "{:?}", names);
                for (feature, name) in features.iter().zip(&names) {
                    prop_assert!(!name.contains(char::is_whitespace), "{}", name);
                    prop_assert_eq!(parse(name), Some(*feature), "{}", name);
                }
            }
        }

        #[test]
        fn any_text_as_a_name_is_read_without_a_panic(name: String, kind in 0..TEMPLATES.len()) {
            parse(&name);
            parse(&format!("{}={name}", TEMPLATES[kind].1));
        }
    }

    #[test]
    fn names_read_well() {
        let words = ["in", "lisbon"].map(str::to_owned);
        let (_, names) = both(&words, 0, 1).remove(1);
        for name in [
            "bias",
            "w=lisbon",
            "b-=in_lisbon",
            "b+=lisbon_</s>",
            "t-=<s>_in_lisbon",
            "last3=bon",
            "shape=6_2_0",
        ] {
            assert!(names.iter().any(|found| found == name), "{name} is not among {names:?}");
        }
    }

    #[test]
    fn a_feature_without_a_name_keeps_its_hash() {
        let window = Window::default();
        let names = of(&[77], &[""; 2 * REACH + 1], &window);
        assert_eq!(names, ["h=000000000000004d"]);
        assert_eq!(parse(&names[0]), Some(77));
        assert_eq!(parse("zebra=lisbon"), None);
        assert_eq!(parse("b-=lisbon"), None);
    }
}
