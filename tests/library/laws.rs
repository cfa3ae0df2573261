//! The laws of text and case: only case changes, and every change can be undone.

use majuscule_text::tokenize::tokenize;
use majuscule_text::tokens::lower_word;
use majuscule_text::{
    Capitals, Case, Constraint, Label, Locale, RestoreOptions, SentenceStart, Tokens, write::write,
};
use proptest::prelude::*;

const LOCALES: [Locale; 3] = [Locale::Root, Locale::Turkic, Locale::Dutch];

/// Memory for [`Laws::check`], which is called some thirteen million times.
#[derive(Default)]
struct Laws {
    small: String,
    key: String,
    out: String,
    again: String,
}

impl Laws {
    /// Checks that applying the case of a word to it returns the same word, and that any case changes only case.
    fn check(&mut self, word: &str, locale: Locale) {
        let Self { small, key, out, again } = self;
        small.clear();
        locale.lower_into(word, small);
        key.clear();
        lower_word(word, locale, key);
        let case = Case::of(word, locale);
        // `ẞ` has a small letter, which has no capital.
        let is_pair = !word.contains('ẞ');
        for from in [&**small, word].into_iter().filter(|_| is_pair) {
            out.clear();
            case.apply(from, locale, out);
            assert_eq!(out, word, "{case:?} read off and put on {from:?}, {locale}");
        }
        for case in [Case::Lower, Case::Title, Case::Upper, Case::Mixed(Capitals(0b1010))] {
            out.clear();
            case.apply(word, locale, out);
            again.clear();
            locale.lower_into(out, again);
            assert_eq!(again, small, "{case:?} on {word:?}, {locale}");
            again.clear();
            lower_word(out, locale, again);
            assert_eq!(again, key, "the key under {case:?} of {word:?}, {locale}");
        }
        assert_eq!(locale.letter_count(key), locale.letter_count(word), "letters of {word:?}, {locale}");
    }
}

#[test]
fn every_character_keeps_its_identity_in_every_place() {
    // No character of the planes 4 to 13 is assigned: a sample of them represents all.
    let is_checked = |c: &char| !('\u{40000}'..='\u{dffff}').contains(c) || u32::from(*c) % 61 == 0;
    let check = |chars: std::ops::RangeInclusive<char>| {
        let (mut laws, mut word) = (Laws::default(), String::new());
        for c in chars.filter(is_checked) {
            for locale in LOCALES {
                for (before, after) in [("", ""), ("a", "b"), ("σ", "\u{301}"), ("I", "\u{307}J")] {
                    word.clear();
                    word.extend([before, c.encode_utf8(&mut [0; 4]), after]);
                    laws.check(&word, locale);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| check('\0'..='\u{1ffff}'));
        check('\u{20000}'..=char::MAX);
    });
}

/// Returns the span of each word in characters, whose number does not change with case, and true if
/// the word begins a sentence.
fn places(text: &str, locale: Locale) -> Vec<(usize, usize, bool)> {
    let chars = |at: u32| text[..at as usize].chars().count();
    let tokens = tokenize(text, locale, "en");
    tokens.as_slice().iter().map(|t| (chars(t.source.start), chars(t.source.end), t.starts)).collect()
}

/// Text for a tokeniser: letters of many kinds, marks, addresses and white space.
fn any_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z]{1,8}",
        2 => "[ \n.,!?'’-]{1,3}",
        1 => "[A-Za-z]\\.[A-Za-z]\\.?",
        1 => "\\PC{0,3}",
        1 => "[ßİıſǅΣσςéÉñĲȺ\u{301}\u{ad}\u{200d}\u{a0}]{1,3}",
        1 => Just("http://a.b/C".to_owned()),
        1 => "[@#_/<>&;0-9:]{1,3}",
        1 => Just("<B Class=\"x\">".to_owned()),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

fn any_case() -> impl Strategy<Value = Case> {
    prop_oneof![
        Just(Case::Lower),
        Just(Case::Title),
        Just(Case::Upper),
        any::<u64>().prop_map(|capitals| Case::Mixed(Capitals(capitals)))
    ]
}

fn any_locale() -> impl Strategy<Value = Locale> {
    prop::sample::select(LOCALES.to_vec())
}

fn written(text: &str, tokens: &Tokens, cases: &[Case], options: &RestoreOptions) -> String {
    let choices: Vec<_> = (0..tokens.len())
        .map(|i| Label::from(cases.get(i % cases.len().max(1)).copied().unwrap_or_default()).into())
        .collect();
    let mut out = Vec::new();
    write(text.as_bytes(), tokens, &choices, options, &mut out);
    String::from_utf8(out).expect("text stays text")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn words_of_any_text_and_of_its_lower_case_stand_at_the_same_places(text in any_text(), locale in any_locale()) {
        prop_assert_eq!(places(&text, locale), places(&locale.lower(&text), locale));
    }

    #[test]
    fn any_cases_change_nothing_but_case(
        text in any_text(),
        cases in prop::collection::vec(any_case(), 1..8),
        locale in any_locale(),
        start in prop::sample::select(vec![SentenceStart::Auto, SentenceStart::Always, SentenceStart::Never]),
    ) {
        let tokens = tokenize(&text, locale, "en");
        let options = RestoreOptions::default().in_locale(Some(locale)).sentence_start(start);
        let cased = written(&text, &tokens, &cases, &options);
        // The end of a line makes a sigma before it the last letter of a word, which in a divided word it is not.
        let lower = |text: &str| match text.contains('\u{ad}') {
            true => locale.lower(text).replace('ς', "σ"),
            false => locale.lower(text),
        };
        prop_assert_eq!(lower(&cased), lower(&text));
        prop_assert_eq!(places(&cased, locale), places(&text, locale));
    }

    #[test]
    fn cases_read_off_and_put_back_give_the_same_text(text in any_text(), locale in any_locale()) {
        let small = locale.lower(&text);
        // A soft hyphen may divide a word at the end of a line.
        let joined = |word: &str| word.split_whitespace().collect::<String>();
        let words = |text: &str| -> Vec<String> {
            let tokens = tokenize(text, locale, "en");
            let places = tokens.as_slice().iter().map(|t| t.source.start as usize..t.source.end as usize);
            places.map(|place| text[place].to_owned()).collect()
        };
        let cased: Vec<Case> = words(&text).iter().map(|word| Case::of(&joined(word), locale)).collect();
        let mut tokens = tokenize(&small, locale, "en");
        prop_assert_eq!(tokens.len(), cased.len());
        prop_assume!(!text.contains('ẞ'));
        // In a divided word the end of a line makes no sigma the last letter, as above.
        let is_lowered = |(word, small): (&String, &String)| {
            !word.contains(char::is_whitespace) || locale.lower(&joined(word)) == joined(small)
        };
        prop_assume!(words(&text).iter().zip(&words(&small)).all(is_lowered));
        for (token, case) in tokens.as_mut_slice().iter_mut().zip(&cased) {
            token.constraint = Constraint::Fixed(*case);
        }
        let options = RestoreOptions::default().in_locale(Some(locale));
        let back = written(&small, &tokens, &[Case::Lower], &options);
        // Text outside words keeps the lower case that it was given here;
        // all words are as they were.
        prop_assert_eq!(words(&back), words(&text));
    }

    #[test]
    fn words_of_any_characters_obey(word in "\\PC{0,12}", locale in any_locale()) {
        Laws::default().check(&word, locale);
    }
}
