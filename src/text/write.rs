//! Puts labels on text. The one place where a letter is ever changed.

use super::case::Case;
use super::label::Choice;
use super::locale::Locale;
use super::tokens::{Break, Given, Token, Tokens};

/// Where a capital is put because a sentence begins there, whatever the method chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum SentenceStart {
    /// After a mark that ends a sentence, and where a line of punctuated text opens.
    #[default]
    Auto,
    /// There, and where any line opens.
    Always,
    /// Nowhere: the method alone decides.
    Never,
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
        let Ok(word) = std::str::from_utf8(bytes) else { continue };
        let case = policy.case(word, token, choice);
        if case == Case::Lower && bytes.iter().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
            continue;
        }
        spelled.clear();
        case.apply(word, policy.locale, &mut spelled);
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
        if let Given::Fixed(label) | Given::Kept(label) = token.given {
            return label.case;
        }
        let starts = match self.sentence_start {
            SentenceStart::Auto => token.starts,
            SentenceStart::Always => token.starts || token.before >= Break::Line,
            SentenceStart::Never => false,
        };
        if starts { choice.label.case.opening(word, self.locale) } else { choice.label.case }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Capitals;
    use crate::text::tokenize::tokenize;

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
