//! Puts labels on text. The one place where a letter is ever changed.

use super::case::Case;
use super::label::Choice;
use super::locale::Locale;
use super::markup::{retagged, untagged};
use super::tokens::{Constraint, Token, Tokens};
use crate::named::NamedValue;

/// Where a capital is put because a sentence begins there, whatever the method chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SentenceStart {
    /// After a mark that ends a sentence, and where a line of punctuated text opens.
    #[default]
    Auto,
    /// There, and where any line opens.
    Always,
    /// Nowhere: the method alone decides.
    Never,
}

impl NamedValue for SentenceStart {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Auto, "auto", "After a mark that ends a sentence, and where a line of punctuated text opens"),
        (Self::Always, "always", "There, and where any line opens"),
        (Self::Never, "never", "Nowhere: the method alone decides"),
    ];
}

/// What is put on top of the method's choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// The case pairs.
    pub locale: Locale,
    /// Capitals at the start of sentences.
    pub sentence_start: SentenceStart,
}

/// Appends `source` to `out` with the letters of its words in the cases chosen, and nothing else changed. What wins, in
/// this order: what was given as fixed (the user's spellings, capitals kept), the sentence start, the method's choice.
///
/// # Panics
/// Where there are fewer choices than words, or the places of the words do not lie in the source.
pub fn write(source: &[u8], tokens: &Tokens, choices: &[Choice], policy: &Policy, out: &mut Vec<u8>) {
    assert!(choices.len() >= tokens.len(), "one choice for each word");
    let mut written = 0;
    let mut spelled = String::new();
    for (token, choice) in tokens.as_slice().iter().zip(choices) {
        let (start, end) = (token.source.start as usize, token.source.end as usize);
        let bytes = &source[start..end];
        // Most words stay as they are: seen without reading them as text.
        if policy.leaves_lower(token, choice) && bytes.iter().all(|b| b.is_ascii() && !b.is_ascii_uppercase())
        {
            continue;
        }
        let Ok(word) = std::str::from_utf8(bytes) else { continue };
        let plain = untagged(word);
        let case = policy.case(&plain, token, choice);
        spelled.clear();
        case.apply(&plain, policy.locale, &mut spelled);
        if plain.len() < word.len() {
            let plain = std::mem::take(&mut spelled);
            retagged(word, &plain, &mut spelled);
        }
        out.extend_from_slice(&source[written..start]);
        out.extend_from_slice(spelled.as_bytes());
        written = end;
    }
    out.extend_from_slice(&source[written..]);
}

impl Policy {
    /// The case that a word gets.
    #[inline]
    pub fn case(&self, word: &str, token: &Token, choice: &Choice) -> Case {
        if let Constraint::Fixed(case) | Constraint::Kept(case) = token.given {
            return case;
        }
        if self.capitalizes(token) { choice.label.case.opening(word, self.locale) } else { choice.label.case }
    }

    /// Whether [`Policy::case`] is lower whatever the word is.
    #[inline]
    fn leaves_lower(&self, token: &Token, choice: &Choice) -> bool {
        match token.given {
            Constraint::Fixed(case) => case == Case::Lower,
            _ => choice.label.case == Case::Lower && !self.capitalizes(token),
        }
    }

    /// Whether the word gets a capital for where it stands.
    #[inline]
    fn capitalizes(&self, token: &Token) -> bool {
        match self.sentence_start {
            SentenceStart::Auto => token.starts,
            SentenceStart::Always => token.starts || token.opens,
            SentenceStart::Never => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Capitals;
    use crate::text::tokenize::{Capitalized, Cut, Tokenizer, tokenize};
    use proptest::prelude::*;

    /// The plain twin of [`write`]: every word is spelled anew.
    fn plain_write(source: &str, tokens: &Tokens, choices: &[Choice], policy: &Policy) -> String {
        let (mut out, mut written) = (String::new(), 0);
        for (token, choice) in tokens.as_slice().iter().zip(choices) {
            let (start, end) = (token.source.start as usize, token.source.end as usize);
            let word = &source[start..end];
            out += &source[written..start];
            policy.case(word, token, choice).apply(word, policy.locale, &mut out);
            written = end;
        }
        out + &source[written..]
    }

    proptest! {
        #[test]
        fn words_left_as_they_are_are_what_spelling_them_gives(
            text in "([a-cA-Ciİı3é]{1,3}[ '.\n]{1,2}){0,12}",
            cases in prop::collection::vec(0u64..4, 48),
            sentence_start in prop_oneof![Just(SentenceStart::Auto), Just(SentenceStart::Always), Just(SentenceStart::Never)],
            capitalized in prop_oneof![Just(Capitalized::Auto), Just(Capitalized::Keep), Just(Capitalized::Ignore)],
        ) {
            for locale in [Locale::Root, Locale::Turkic] {
                let policy = Policy { locale, sentence_start };
                let mut tokens = Tokens::new();
                Tokenizer::new(locale, "en", capitalized).read(&text, 0, Cut::Whole, &mut tokens);
                let any_case = |k: &u64| match k {
                    0 | 1 => Case::Lower,
                    2 => Case::Title,
                    _ => Case::Mixed(Capitals(0b10)),
                };
                let choices: Vec<_> =
                    cases.iter().map(|k| Choice { label: any_case(k).into(), confidence: None }).collect();
                let mut out = Vec::new();
                write(text.as_bytes(), &tokens, &choices, &policy, &mut out);
                prop_assert_eq!(String::from_utf8(out).unwrap(), plain_write(&text, &tokens, &choices, &policy));
            }
        }
    }

    fn written(source: &str, cases: &[Case], sentence_start: SentenceStart) -> String {
        let tokens = tokenize(source, Locale::Root, "en");
        let choices: Vec<_> =
            cases.iter().map(|&case| Choice { label: case.into(), confidence: None }).collect();
        let mut out = Vec::new();
        write(
            source.as_bytes(),
            &tokens,
            &choices,
            &Policy { sentence_start, ..Policy::default() },
            &mut out,
        );
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn letters_change_and_nothing_else() {
        let cases = [Case::Title, Case::Mixed(Capitals(0b101)), Case::Upper];
        assert_eq!(
            written("\thello,  MCdonald\r\n(nato)", &cases, SentenceStart::Never),
            "\tHello,  McDonald\r\n(NATO)"
        );
    }

    #[test]
    fn a_sentence_start_gets_its_capital() {
        let lower = [Case::Lower; 3];
        assert_eq!(written("one. two\nthree", &lower, SentenceStart::Auto), "One. Two\nthree");
        assert_eq!(written("one. two\nthree", &lower, SentenceStart::Always), "One. Two\nThree");
        assert_eq!(written("one. two\nthree", &lower, SentenceStart::Never), "one. two\nthree");
    }

    #[test]
    fn a_sentence_start_respects_mixed_case() {
        let iphone = Case::of("iPhone", Locale::Root);
        let europe = Case::of("l'Europe", Locale::Root);
        assert_eq!(
            written("iphone. l'europe. 3rd.", &[iphone, europe, Case::Lower], SentenceStart::Auto),
            "iPhone. L'Europe. 3rd."
        );
    }
}
