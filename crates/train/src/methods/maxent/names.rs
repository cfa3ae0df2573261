//! Readable names of features: `w=lisbon`, `b-=in_lisbon`.
//!
//! A name consists of the name of the [template](majuscule_methods::maxent::templates::TEMPLATES),
//! `=`, and the values of its slots with `_` between them, where a value is a word, letters or
//! numbers. In words, `%`, `_`, `<`, `#` and white space are written as `%` and two hexadecimal
//! digits per byte. `<s>` and `</s>` mean positions outside a segment, and `<cut>` the position
//! before a text that was cut out of another. `h=` and a hash is read as the feature with that
//! hash, as in files of earlier versions.

use majuscule_base::named::NamedValue;
use majuscule_methods::maxent::filling::{FeatureSet, Observation, Values};
use majuscule_methods::maxent::hash::{feature, hash};
use majuscule_methods::maxent::observe::WordFeatures;
use majuscule_methods::maxent::templates::{FeatureSlot, PLACES, REACH, TEMPLATES, Template};
use majuscule_text::{Tokens, Upos};

/// Returns the feature that every word has.
pub fn bias() -> u64 {
    feature(0, [])
}

/// The prefix of the name of a feature that is given by its hash.
const UNNAMED: &str = "h=";

/// Returns the names of features of one word, in their order. `words` are the words of the window;
/// its entries beyond the ends of a segment are ignored.
pub fn of(
    set: &FeatureSet,
    features: &[u64],
    words: &[&str; PLACES],
    observation: &Observation<'_>,
) -> Vec<String> {
    let mut names = vec![None; features.len()];
    set.all(observation, |filler, values, letters| {
        let feature = filler.feature(values);
        for (name, _) in names.iter_mut().zip(features).filter(|(_, wanted)| **wanted == feature) {
            *name = Some(self::name(filler.template, values, letters, words));
        }
    });
    let of_hash = |wanted: &u64| format!("{UNNAMED}{wanted:016x}");
    names.into_iter().zip(features).map(|(name, wanted)| name.unwrap_or_else(|| of_hash(wanted))).collect()
}

/// Returns the words around one of `tokens`, as [`of`] expects them.
pub fn words(tokens: &Tokens, at: usize) -> [&str; PLACES] {
    std::array::from_fn(|position| match (at + position).checked_sub(REACH) {
        Some(at) if at < tokens.len() => tokens.lower(at),
        _ => "",
    })
}

/// Returns the feature with this name, or `None` if no feature has it.
pub fn parse(name: &str) -> Option<u64> {
    if let Some(hash) = name.strip_prefix(UNNAMED) {
        return u64::from_str_radix(hash, 16).ok();
    }
    let (name, values) = name.split_once('=').map_or((name, None), |(name, values)| (name, Some(values)));
    let template = TEMPLATES.iter().find(|template| template.name == name)?;
    let mut parts = values.into_iter().flat_map(|values| values.split('_'));
    let values: Vec<u64> =
        template.slots.iter().map(|slot| parse_value(*slot, &mut parts)).collect::<Option<_>>()?;
    parts.next().is_none().then(|| feature(template.number, values))
}

fn name(template: &Template, values: &Values, letters: &str, words: &[&str; PLACES]) -> String {
    let text = |slot: &FeatureSlot| value_text(*slot, values.get(*slot), letters, words);
    let texts: Vec<String> = template.slots.iter().map(text).collect();
    if texts.is_empty() { template.name.to_owned() } else { format!("{}={}", template.name, texts.join("_")) }
}

/// Returns a value as it is written in a name.
fn value_text(slot: FeatureSlot, value: u64, letters: &str, words: &[&str; PLACES]) -> String {
    match slot {
        FeatureSlot::Word(position) if value == 0 => {
            if position < 0 { LEFT_END } else { RIGHT_END }.to_owned()
        }
        FeatureSlot::Word(_) if value == WordFeatures::UNKNOWN_LEFT.hash => CUT.to_owned(),
        FeatureSlot::Word(position) => escaped(words[REACH.wrapping_add_signed(position)]),
        FeatureSlot::First(_) | FeatureSlot::Last(_) | FeatureSlot::Letters => escaped(letters),
        FeatureSlot::Shape => format!("{}_{}_{}", value >> 16, value >> 8 & 255, value & 255),
        FeatureSlot::Marks(_) => {
            let mark = |code: u64| u32::try_from(code).ok().filter(|code| *code > 0).and_then(char::from_u32);
            let text =
                |code: u64| mark(code).map(|c| escaped(c.encode_utf8(&mut [0; 4]))).unwrap_or_default();
            format!("{}_{}_{}", text(value >> 32), text(value >> 1 & 0x7fff_ffff), value & 1 == 1)
        }
        FeatureSlot::Tag(_) => {
            let upos = u8::try_from(value).ok().and_then(Upos::of_number);
            upos.map_or(NO_TAG, Upos::name_of).to_owned()
        }
        _ => value.to_string(),
    }
}

/// Parses the value of a slot from as many parts of a name as it needs.
fn parse_value<'a>(slot: FeatureSlot, parts: &mut impl Iterator<Item = &'a str>) -> Option<u64> {
    let mut byte = || parts.next()?.parse::<u8>().ok().map(u64::from);
    match slot {
        FeatureSlot::Word(_) => word(parts.next()?),
        FeatureSlot::First(_) | FeatureSlot::Last(_) | FeatureSlot::Letters => {
            Some(hash(unescaped(parts.next()?)?.as_bytes()))
        }
        FeatureSlot::Shape => Some(byte()? << 16 | byte()? << 8 | byte()?),
        FeatureSlot::Marks(_) => {
            let (left, right) = (mark(parts.next()?)?, mark(parts.next()?)?);
            Some(left << 32 | right << 1 | u64::from(parts.next()?.parse::<bool>().ok()?))
        }
        FeatureSlot::Tag(_) => match parts.next()? {
            NO_TAG => Some(0),
            name => Upos::of_name(name).map(|upos| upos.number().into()),
        },
        _ => parts.next()?.parse::<u16>().ok().map(u64::from),
    }
}

/// The name of the positions before a segment.
const LEFT_END: &str = "<s>";
const RIGHT_END: &str = "</s>";
const CUT: &str = "<cut>";

/// The part of speech of a missing word.
const NO_TAG: &str = "-";

fn word(part: &str) -> Option<u64> {
    match part {
        LEFT_END | RIGHT_END => Some(0),
        CUT => Some(WordFeatures::UNKNOWN_LEFT.hash),
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
    use majuscule_methods::maxent::gazetteers::Gazetteers;
    use majuscule_methods::maxent::observe::{GazetteerMatch, Observer};
    use majuscule_methods::maxent::templates::{Group, PREVIOUS};
    use majuscule_text::{Break, Locale};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn groups() -> BTreeSet<Group> {
        TEMPLATES.iter().filter_map(|template| template.group).collect()
    }

    /// Returns all features of each word of a text, and their names. The features of a word other
    /// than its letters depend on `draw`.
    fn named(texts: &[String], before: Break, draw: u64, look_ahead: usize) -> Vec<(Vec<u64>, Vec<String>)> {
        let (set, gazetteers) = (FeatureSet::new(&Vec::from_iter(groups())), Gazetteers::default());
        let mut tokens = Tokens::of_words(texts.iter().map(String::as_str), Locale::Root);
        tokens.as_mut_slice()[0].before = before;
        let seen: Vec<WordFeatures> = tokens
            .iter()
            .map(|(lower, token)| {
                let seen = WordFeatures::of(lower, token, 0);
                let [a, b, c, d, e, f, ..] = (draw ^ hash(&seen.hash.to_le_bytes())).to_le_bytes();
                let [profile, lists] = [[a & 3, b & 1], [c & 3, d & 1]].map(u16::from_le_bytes);
                WordFeatures { profile, lists, form: e & 7, cluster: f & 7, tag: f >> 4, ..seen }
            })
            .collect();
        let phrase = GazetteerMatch { lists: draw as u16 & 7, words: 2, position: 1 };
        let (before, distance) = (Some(draw as usize % PREVIOUS), Some(draw as usize % 20));
        let mut observer = Observer::new(&set, &gazetteers);
        let mut observed = Vec::new();
        observer.text(&tokens, &seen, |_, word| observed.push(*word));
        let both = observed.iter().map(|word| {
            let lower = if word.at < tokens.len() { tokens.lower(word.at) } else { "" };
            let seen = observer.observation(lower, word, look_ahead);
            let seen = Observation { phrase: Some(phrase), before, distance, ..seen };
            let mut features = Vec::new();
            set.all(&seen, |filler, values, _| features.push(filler.feature(values)));
            let names = of(&set, &features, &words(&tokens, word.at), &seen);
            (features, names)
        });
        both.collect()
    }

    proptest! {
        #[test]
        fn every_feature_has_a_name_of_its_own_that_gives_it_back(
            words in prop::collection::vec("[a-z_%<#=é'\u{a0}.-]{1,7}", 1..6), cut: bool, draw: u64, look_ahead in 0..=REACH,
        ) {
            let before = if cut { Break::Space } else { Break::Document };
            for (features, names) in named(&words, before, draw, look_ahead) {
                let mut known = BTreeMap::new();
                for (feature, name) in features.iter().zip(&names) {
                    prop_assert!(!name.starts_with(UNNAMED) && !name.contains(char::is_whitespace), "{}", name);
                    prop_assert_eq!(parse(name), Some(*feature), "{}", name);
                    prop_assert_eq!(known.insert(name, feature).unwrap_or(feature), feature, "{}", name);
                }
            }
        }

        #[test]
        fn any_text_as_a_name_is_read_without_a_panic(name: String, kind in 0..TEMPLATES.len()) {
            parse(&name);
            parse(&format!("{}={name}", TEMPLATES[kind].name));
        }
    }

    #[test]
    fn every_template_is_filled_and_named() {
        let words = ["they", "met", "in", "new", "lisbon", "again", "today"].map(str::to_owned);
        let found: BTreeSet<String> = (0..40u64)
            .flat_map(|draw| named(&words, Break::Document, hash(&draw.to_le_bytes()), REACH))
            .flat_map(|(_, names)| names)
            .map(|name| name.split('=').next().unwrap_or_default().to_owned())
            .collect();
        for template in TEMPLATES {
            assert!(found.contains(template.name), "{template:?}");
        }
    }

    #[test]
    fn names_read_well() {
        let words = ["in", "lisbon"].map(str::to_owned);
        let (_, names) = named(&words, Break::Space, 0, 1).remove(1);
        for name in [
            "bias",
            "w=lisbon",
            "b-=in_lisbon",
            "b+=lisbon_</s>",
            "t-=<cut>_in_lisbon",
            "q-=<s>_<cut>_in_lisbon",
            "last3=bon",
            "shape=6_2_0",
            "seen=1",
            "since=0",
        ] {
            assert!(names.iter().any(|found| found == name), "{name} is not among {names:?}");
        }
    }

    #[test]
    fn a_hash_is_the_name_of_a_feature_that_is_not_there() {
        let (set, words, window) = (FeatureSet::new(&[]), [""; PLACES], Default::default());
        let nothing =
            Observation { lower: "", window, look_ahead: 0, phrase: None, before: None, distance: None };
        let names = of(&set, &[77], &words, &nothing);
        assert_eq!(names, ["h=000000000000004d"]);
        assert_eq!(parse(&names[0]), Some(77));
        assert_eq!(parse("zebra=lisbon"), None);
        assert_eq!(parse("b-=lisbon"), None);
        assert_eq!(parse("bias="), None);
    }
}
